#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: core.sandbox, what a confined process can do and what it cannot'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

CONFINED=$GIT_BUILD_DIR/t/helper/confined
test_lazy_prereq LINUX 'test "$(uname)" = Linux'

test_expect_success 'set up' '
	git init -q -b main repo && (cd repo && test_commit one && test_commit two) &&
	MAIN=$(git -C repo rev-parse HEAD) && ONE=$(git -C repo rev-parse HEAD~) &&
	BLOB=$(git -C repo rev-parse HEAD:two.t) && cp -R repo spare &&
	fetch_request "want $MAIN" done >lines && TRASH_DIRECTORY=$PWD && export TRASH_DIRECTORY &&
	state () {
		rm -f trace &&
		GIT_TRACE2_EVENT="$PWD/trace" serve "$@" <lines &&
		sed -n "s/.*\"category\":\"sandbox\",\"key\":\"state\",\"value\":\"\([^\"]*\)\".*/\1/p" trace
	} &&
	state repo >state && cat state >&2
'

grep -q "^landlock [0-9]" state && test_set_prereq LANDLOCK
grep -q "seccomp$" state && ! grep -q "no seccomp" state && test_set_prereq SECCOMP

# ---- what a process that has been taken over can do ----

listen () {
	cat >listen.py <<-\EOF
	import socket, sys
	a = socket.socket(socket.AF_UNIX)
	a.bind("outside/socket")
	a.listen(9)
	b = socket.socket()
	b.bind(("127.0.0.1", 0))
	b.listen(9)
	with open("port", "w") as f:
	    f.write("%d\n" % b.getsockname()[1])
	sys.stdin.read()
	EOF
	rm -rf outside port && mkdir outside && echo secret >outside/file && mkfifo gate &&
	{ python3 listen.py <gate & } && exec 8>gate && while ! test -s port; do sleep 0.1; done
}

# attempts [OPTION]: in `attempts`, each of them with what came of it
attempts () {
	rm -rf harmed && cp -R spare harmed && : >harmed/.git/old && : >harmed/.git/gone && mkdir harmed/.git/empty &&
	rm -rf outside/new outside/cache && mkdir -m 700 outside/cache && echo shared >outside/cache/file &&
	: >outside/cache/gone && : >outside/loose && chmod 600 outside/cache/* && "$CONFINED" "$@" harmed outside $(cat port) $BLOB >attempts
}

test_expect_success LINUX,PYTHON 'an unconfined process can do a lot' '
	listen && attempts --free && test_grep "^size " attempts &&
	for name in write_old create create_outside remove_file rename_file change_mode change_time change_time_of_open_file \
		read_passwd read_outside \
		list_above read_own_memory connect_tcp connect_unix send_udp fork_off signal_parent open_pid \
		map_executable execute
	do
		grep "^done $name$" attempts || return 1
	done
'

test_expect_success PYTHON,LANDLOCK,SECCOMP 'a confined one reads its repository, and that is all' '
	attempts && test_grep "^size " attempts && test $(grep -c ^refused attempts) -gt 45 && ! grep ^done attempts &&
	test_path_is_file harmed/.git/old && test_path_is_file harmed/.git/gone && test_path_is_missing outside/new
'

test_expect_success PYTHON,LANDLOCK,SECCOMP 'one that shares packs writes to their directory, and nowhere else' '
	attempts --share && test_grep "^size " attempts && sed -n "s/^done //p" attempts | sort >actual &&
	printf "%s\n" clone_off create_shared fork_off lock_file remove_shared write_shared | sort >expect &&
	test_cmp expect actual && test_path_is_file harmed/.git/old && test_path_is_file harmed/.git/gone &&
	test_path_is_missing harmed/.git/new && test_path_is_missing outside/new && test_path_is_missing outside/cache/gone &&
	test_path_is_file outside/cache/new && echo shared >expect && test_cmp expect outside/cache/file
'

test_expect_success PYTHON,LANDLOCK 'Landlock by itself: no writing, no reading outside' '
	attempts --no-seccomp && test_grep "^size " attempts &&
	for name in write_old append_old truncate_old create create_outside create_unnamed write_outside remove_file \
		remove_directory rename_file link_file link_symbolically make_directory make_fifo \
		read_passwd read_outside list_outside list_above read_environment read_own_memory read_parents_memory \
		trace_parent execute
	do
		{ test -n "$(test_have_prereq SANITIZE && echo yes)" && case $name in read*|list*) true ;; *) false ;; esac; } ||
		grep "^refused $name$" attempts || return 1
	done
'

test_expect_success PYTHON,SECCOMP 'seccomp by itself: no writing, no connections, no processes' '
	attempts --no-landlock && test_grep "^size " attempts &&
	sed -n "s/^done //p" attempts | sort >actual &&
	printf "%s\n" list_above list_outside read_environment read_outside read_own_memory read_parents_memory \
		read_passwd | sort >expect && test_cmp expect actual
'

test_expect_success LINUX,PYTHON 'the client has hung up' '
	exec 8>&- && wait
'

# ---- the setting ----

test_expect_success LANDLOCK,SECCOMP 'the sandbox is on by default' '
	grep -E "^landlock [0-9]+, seccomp$" state && state repo -c core.sandbox=true >actual && test_cmp state actual &&
	state repo -c core.sandbox=auto >actual && test_cmp state actual &&
	GIT_TRACE="$PWD/old-trace" serve repo <lines && test_grep "sandbox: landlock [0-9]*, seccomp$" old-trace
'

test_expect_success 'the sandbox can be turned off, but not by the repository' '
	echo "off (core.sandbox)" >expect && state repo -c core.sandbox=false >actual && test_cmp expect actual &&
	git -C repo config core.sandbox false && state repo >actual && test_cmp state actual &&
	git -C repo config core.sandbox nonsense && state repo >actual && test_cmp state actual &&
	git -C repo config --unset core.sandbox &&
	test_expect_code 128 serve repo -c core.sandbox=nonsense <lines && test_grep "bad boolean.*core.sandbox" err
'

test_expect_success LINUX,STRACE,!SANITIZE 'a kernel without it: told in the trace, an error if it is needed' '
	without () {
		local calls=$1
		shift
		rm -f trace &&
		"$PKT" encode <lines >request && GIT_PROTOCOL=version=2 GIT_TRACE2_EVENT="$PWD/trace" \
			strace -f -o /dev/null -e inject="$calls":error=ENOSYS git "$@" upload-pack --stateless-rpc repo \
			<request >raw 2>err
	} &&
	without landlock_create_ruleset,seccomp && "$PKT" decode pack <raw >answer && test_grep "^packfile" answer &&
	test_grep "\"value\":\"no Landlock (Function not implemented), no seccomp (Function not implemented)\"" trace &&
	without landlock_create_ruleset && test_grep "\"value\":\"\(seccomp, \)*no Landlock (Function not implemented)" trace &&
	test_expect_code 128 without landlock_create_ruleset -c core.sandbox=true &&
	test_grep "core.sandbox is true, but there is no Landlock" err &&
	test_expect_code 128 without seccomp -c core.sandbox=true && test_grep "there is no seccomp" err
'

test_expect_success STRACE,LANDLOCK,SECCOMP 'the sandbox is complete before the first byte of the request' '
	"$PKT" encode <lines >request && for hook in "" "cat >/dev/null; printf PACK-;:"
	do
		GIT_PROTOCOL=version=2 strace -o calls -e trace=read,landlock_restrict_self,seccomp git \
			-c uploadpack.packObjectsHook="$hook" upload-pack --stateless-rpc repo <request >raw &&
		sed -n "s/^\(landlock_restrict_self\)(.*= 0$/\1/p; s/^\(seccomp\)(SECCOMP_SET_MODE_FILTER.*= 0$/\1/p;
			s/^\(read\)(0,.*/\1/p" calls | head -n 3 >actual &&
		printf "%s\n" landlock_restrict_self seccomp read >expect && test_cmp expect actual || return 1
	done
'

# ---- what has to go on working ----

# links FROM DIR: links in DIR to what the repository FROM, as seen from DIR, holds objects and refs in; copies of its other files
links () {
	for name in refs objects packed-refs reftable; do
		! test -e "$2/$1/$name" || ln -s "$1/$name" "$2/$name" || return
	done && cp "$2/$1/HEAD" "$2/$1/config" "$2"
}

test_expect_success 'alternates: nested, relative, with spaces; worktrees; .git files; links' '
	git -C repo rev-list --objects $MAIN | cut -d" " -f1 >wanted &&
	mkdir deep && mv spare/.git/objects "deep/the objects" && mkdir -p spare/.git/objects/info middle/info middle/pack &&
	echo "$PWD/middle" >spare/.git/objects/info/alternates && echo "../deep/the objects" >middle/info/alternates &&
	serve spare <lines && pack_holds wanted &&
	git -C repo pack-refs --all && mkdir linked.git && links ../repo/.git linked.git && serve linked.git <lines && pack_holds wanted &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix refs/heads/" 0000 >ls &&
	serve linked.git <ls && printf "%s\n" "$MAIN refs/heads/main" 0000 >expect && test_cmp expect answer &&
	mkdir file file/real && links ../../repo/.git file/real &&
	echo "gitdir: real" >file/.git && serve file <ls && test_cmp expect answer && serve file <lines && pack_holds wanted
'

test_expect_success PYTHON 'a file of refs behind a link that is replaced while the process is confined' '
	git init -q -b main busy && test_commit -C busy x && git -C busy tag one && git -C busy pack-refs --all && mkdir busy.git && links ../busy/.git busy.git &&
	cat >ask-twice.py <<-\EOF &&
	import os, subprocess, sys
	git = ["git", "upload-pack", "busy.git"]
	p = subprocess.Popen(git, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ, GIT_PROTOCOL="version=2"))
	def packets():
	    while True:
	        size = int(p.stdout.read(4), 16)
	        if size == 0:
	            return
	        yield p.stdout.read(size - 4).decode().strip()
	def refs():
	    text = "command=ls-refs"
	    format = "object-format=" + sys.argv[1]
	    prefix = "ref-prefix refs/tags/"
	    p.stdin.write(("%04x%s%04x%s0001%04x%s0000" % (len(text) + 4, text, len(format) + 4, format, len(prefix) + 4, prefix)).encode())
	    p.stdin.flush()
	    return [line.split()[1] for line in packets()]
	list(packets())
	print("before:", *refs())
	subprocess.run(["sh", "-c", "cd busy && git tag two && git pack-refs --all"], check=True)
	print("after:", *refs())
	p.stdin.write(b"0000")
	p.stdin.close()
	sys.exit(p.wait())
	EOF
	python3 ask-twice.py $TEST_HASH >actual &&
	printf "%s\n" "before: refs/tags/one" "after: refs/tags/one refs/tags/two" >expect && test_cmp expect actual
'

test_expect_success 'a linked worktree' '
	link_worktree repo/.git wt wt main && git -C wt update-ref --no-deref HEAD $ONE &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix HEAD" "ref-prefix refs/heads/" 0000 >ls &&
	serve wt <ls && printf "%s\n" "$ONE HEAD" "$MAIN refs/heads/main" 0000 >expect && test_cmp expect answer &&
	serve wt <lines && pack_holds wanted
'

test_expect_success 'packs that come later are read' '
	mkfifo in out && { GIT_PROTOCOL=version=2 git upload-pack repo <in >out & } && exec 6>in 7<out &&
	dd bs=1 count=4 <&7 2>/dev/null >length && (cd repo && test_commit late) && LATE=$(git -C repo rev-parse HEAD) &&
	git -C repo rev-list --objects --all | git -C repo pack-objects -q .git/objects/pack/pack &&
	rm -rf repo/.git/objects/?? && fetch_request "want $LATE" done >late && echo 0000 >>late &&
	"$PKT" encode <late >&6 && exec 6>&- && cat <&7 >rest && exec 7<&- && wait &&
	cat length rest >raw && "$PKT" decode pack <raw >answer &&
	git -C repo rev-list --objects $LATE | cut -d" " -f1 >late.objects && pack_holds late.objects
'

test_expect_success 'traces go on, a trace into a descriptor too' '
	GIT_TRACE2_EVENT=9 serve repo <lines 9>ninth && test_grep "\"event\":\"atexit\"" ninth &&
	GIT_TRACE=9 GIT_TRACE2_PERF="$PWD/perf" serve repo <lines 9>ninth && test_grep sandbox: ninth &&
	test_grep "| atexit " perf
'

test_expect_success STRACE,SECCOMP 'descriptors that it inherits are closed' '
	"$PKT" encode <lines >request && GIT_PROTOCOL=version=2 strace -o calls -e trace=close,seccomp git upload-pack \
		--stateless-rpc repo <request >raw 7<lines && sed "/SECCOMP_SET_MODE/,\$d" calls >before &&
	test_grep "^close(7) *= 0" before
'

# ---- the hook, by the broker ----

test_expect_success 'the hook has all rights; a second process is there only for it' '
	write_script hook <<-\EOF &&
	printf "%s\n" "$@" >"$TRASH_DIRECTORY/args" && tee "$TRASH_DIRECTORY/input" | "$@"
	EOF
	fetch_request "want $MAIN" "have $ONE" thin-pack include-tag done >hooked && hook_runs () {
		rm -f args input && serve repo -c uploadpack.packObjectsHook="$PWD/hook" "$@" <hooked &&
		cat args input
	} &&
	hook_runs -c core.sandbox=false >expect && hook_runs >actual && test_cmp expect actual &&
	git -C repo rev-list --objects $ONE..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success STRACE,LANDLOCK,SECCOMP 'without a hook nothing is forked' '
	"$PKT" encode <lines >request && GIT_PROTOCOL=version=2 strace -f -o calls -e trace=clone,clone3,fork,vfork,socketpair \
		git upload-pack --stateless-rpc repo <request >raw && ! grep socketpair calls &&
	grep "= [0-9]" calls | sed "/CLONE_THREAD/d; /+++/d" >processes && test_must_be_empty processes
'

test_expect_success 'long lists and filters reach the hook' '
	write_script note <<-\EOF &&
	printf "%s\n" "$@" >"$TRASH_DIRECTORY/args"; cat >"$TRASH_DIRECTORY/input"; printf PACK-
	EOF
	(cd spare && for i in $(test_seq 3000); do echo "blob $i" >b$i; done && git hash-object -w b* >../haves && rm b*) &&
	{ fetch_request "want $MAIN" "filter combine:blob:none+tree:3" | sed \$d && sed "s/^/have /" haves && echo done && echo 0000; } >many &&
	serve spare -c uploadpack.allowFilter=true -c uploadpack.packObjectsHook="$PWD/note" <many &&
	{ echo $MAIN && echo --not && cat haves && echo; } >expect && test_cmp expect input &&
	test_grep "^--filter=combine:blob:none+tree:3$" args
'

test_expect_success 'no hook remains when the server is killed' '
	write_script forever <<-\EOF &&
	cat >/dev/null; echo $PPID $$ >"$TRASH_DIRECTORY/pids"; exec sleep 100000
	EOF
	"$PKT" encode <lines >request && rm -f pids &&
	{ GIT_PROTOCOL=version=2 git -c uploadpack.packObjectsHook="exec $PWD/forever" upload-pack --stateless-rpc repo \
		<request >/dev/null 2>err & } && server=$! && while ! test -s pids; do sleep 0.1; done &&
	read broker hook <pids && kill -9 $server && { wait $server || :; } &&
	if test_have_prereq LANDLOCK; then while kill -0 $hook 2>/dev/null; do sleep 0.1; done; else kill $hook; fi
'

test_done
