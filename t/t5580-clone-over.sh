#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='stock Git clones and fetches through git daemon, git http-backend and git shell

Each way of serving with each version of the protocol; what arrives is checked by both sides.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

test_have_prereq STOCK_GIT || {
	skip_all='no stock git is installed'
	test_done
}
git --list-cmds=builtins | grep -qx upload-pack || {
	skip_all='there is no git upload-pack yet'
	test_done
}

test_expect_success 'a repository with a history' '
	mkdir srv && git init -q work && (
		cd work && for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			mkdir -p d$i && test_seq $((i * 50)) >d$i/file && git add . && test_tick &&
			git commit -q -m "commit $i" && git branch "b$i" && git tag -a -m "tag $i" "v$i" || exit 1
		done
	) && cp -R work/.git srv/a.git && git -C srv/a.git config core.bare true &&
	stock -C srv/a.git for-each-ref --format="%(objectname) %(refname)" refs/heads refs/tags >refs.expect
'

# check DIR: all refs and objects have arrived
check () {
	stock -C "$1" fsck --full >/dev/null 2>fsck.err &&
	stock -C "$1" for-each-ref --format="%(objectname) %(refname)" refs/heads refs/tags >refs.actual &&
	test_cmp refs.expect refs.actual
}
# clones URL NAME: a full clone by each version, a shallow one, an incremental fetch
clones () {
	for v in 0 1 2; do
		stock -c protocol.version=$v clone -q --mirror "$1" "$2-$v.git" && check "$2-$v.git" || return 1
	done &&
	stock clone -q --depth=1 --no-single-branch "$1" "$2-shallow" && stock -C "$2-shallow" fsck >/dev/null 2>&1 &&
	stock -C "$2-shallow" rev-list HEAD >list && test_line_count = 1 list &&
	stock -C "$2-shallow" fetch -q --unshallow && stock -C "$2-shallow" rev-list HEAD >list &&
	test_line_count = 12 list &&
	stock init -q --bare "$2-part.git" && stock -C "$2-part.git" fetch -q "$1" b3 &&
	stock -C "$2-part.git" fetch -q "$1" "+refs/*:refs/*" && check "$2-part.git"
}

test_expect_success 'git://' '
	DAEMON_EXEC_PATH= start_daemon --export-all --base-path="$PWD/srv" --informative-errors --timeout=60 &&
	clones "git://127.0.0.1:$daemon_port/a.git" daemon &&
	test_must_fail stock ls-remote "git://127.0.0.1:$daemon_port/none" 2>err &&
	test_grep "remote error: no such repository: /none" err &&
	test_must_fail stock -C work push "git://127.0.0.1:$daemon_port/a" HEAD 2>err && test_grep "remote error" err
'

test_expect_success 'git archive over git://' '
	git -C srv/a.git config daemon.uploadarch true &&
	stock archive --remote="git://127.0.0.1:$daemon_port/a.git" v3 >out && git -C srv/a.git archive v3 >expect &&
	test_cmp_bin expect out
'

test_expect_success 'several clones at once' '
	pids= && for i in 1 2 3 4 5 6 7 8; do
		stock clone -q --mirror "git://127.0.0.1:$daemon_port/a.git" "at-once-$i.git" & pids="$pids $!"
	done && for pid in $pids; do wait $pid || return 1; done &&
	for i in 1 2 3 4 5 6 7 8; do check "at-once-$i.git" || return 1; done && stop_daemon
'

test_expect_success 'ssh, with git shell at the other end' '
	write_script ssh <<-EOF &&
	while :; do
		case "\$1" in -o|-p) shift 2 ;; -*) shift ;; *) break ;; esac
	done
	shift && exec env -i HOME="$HOME" PATH="$PATH" GIT_PROTOCOL="\$GIT_PROTOCOL" \
		"$GIT_BUILD_DIR/git" shell -c "\$*"
	EOF
	(GIT_SSH="$PWD/ssh" GIT_SSH_VARIANT=ssh && export GIT_SSH GIT_SSH_VARIANT && clones "host:$PWD/srv/a.git" ssh &&
	 stock archive --remote="host:$PWD/srv/a.git" v3 >out && test_cmp_bin expect out &&
	 stock -C work push -q "host:$PWD/srv/a.git" HEAD:refs/heads/pushed-by-ssh &&
	 test "$(git -C srv/a.git rev-parse pushed-by-ssh)" = "$(git -C work rev-parse HEAD)" &&
	 stock -C work push -q "host:$PWD/srv/a.git" :refs/heads/pushed-by-ssh)
'

start_web () {
	GIT_PROJECT_ROOT=$PWD/srv GIT_HTTP_EXPORT_ALL=1 "$TEST_DIRECTORY/cgi-server.py" port \
		"$GIT_BUILD_DIR/git" http-backend 2>web.log &
	web_pid=$!
	wait_for port "^[0-9]"
}
test_atexit 'test -z "$web_pid" || kill $web_pid'

test_expect_success PYTHON 'http' '
	start_web && web=http://127.0.0.1:$(cat port) && clones "$web/a.git" http
'

# commits N REF FROM: N commits for git fast-import; "*" in REF is a number
commits () {
	local i
	for i in $(test_seq "$1"); do
		echo "commit $(echo "$2" | sed "s/[*]/$i/")" && echo "committer A <a@example.com> $((1800000000 + i)) +0000" &&
		printf "data 1\nx\n" && { test $i != 1 && test "$2" = "${2%[*]}" || echo "from $3"; } && echo || return 1
	done
}

# The client tells about many commits that the server does not have.
test_expect_success PYTHON 'requests that are compressed' '
	cp -R daemon-2.git more.git && tip=$(git -C work rev-parse HEAD) &&
	commits 600 refs/heads/mine "$tip" | stock -C more.git fast-import --quiet &&
	git -C work commit -q --allow-empty -m later && cp -R work/.git srv/b.git &&
	for v in 0 2; do
		rm -f trace && cp -R more.git more-$v.git &&
		GIT_TRACE_CURL=$PWD/trace stock -C more-$v.git -c protocol.version=$v fetch -q "$web/b.git" HEAD &&
		stock -C more-$v.git cat-file -t FETCH_HEAD >type && stock -C more-$v.git fsck 2>err &&
		test_grep "Content-Encoding: gzip" trace || return 1
	done
'

# The client wants more than its buffer holds.
test_expect_success PYTHON 'requests in chunks' '
	commits 1500 "refs/mine/*" "$tip" | stock -C srv/b.git fast-import --quiet &&
	for v in 0 2; do
		rm -rf trace many && stock init -q many &&
		GIT_TRACE_CURL=$PWD/trace stock -C many -c protocol.version=$v -c http.postBuffer=65536 \
			fetch -q "$web/b.git" "refs/mine/*:refs/mine/*" &&
		test_grep "Transfer-Encoding: chunked" trace &&
		stock -C many for-each-ref refs/mine >list && test_line_count = 1500 list && stock -C many fsck 2>err || return 1
	done
'

# Clients can do it since 2.45.
test_lazy_prereq HTTP_ARCHIVE '
	set -- $(stock version | sed "s/git version \([0-9]*\)[.]\([0-9]*\).*/\1 \2/") &&
	{ test $1 -gt 2 || test $2 -ge 45; }
'
test_expect_success PYTHON,HTTP_ARCHIVE 'git archive over http' '
	git -C srv/a.git config http.uploadarchive true &&
	stock archive --remote="$web/a.git" v3 >out && git -C srv/a.git archive v3 >expect && test_cmp_bin expect out &&
	git -C srv/a.git config http.uploadarchive false &&
	test_must_fail stock archive --remote="$web/a.git" v3 2>err && test_grep 403 err
'

test_expect_success PYTHON 'the dumb protocol' '
	git -C srv/a.git config http.uploadpack false && cp -R srv/a.git srv/dumb.git &&
	test_must_fail stock clone -q "$web/a.git" refused 2>err && test_grep "403" err &&
	test_when_finished "git -C srv/a.git config http.uploadpack true" &&
	GIT_SMART_HTTP=0 stock clone -q --mirror "$web/a.git" dumb.git && check dumb.git
'

test_expect_success PYTHON 'pushing, for users whom the server knows' '
	test_must_fail stock -C work push "$web/a.git" HEAD:refs/heads/pushed-by-nobody 2>err &&
	stock -C work push -q "$(echo "$web" | sed "s,//,//me:x@,")/a.git" HEAD:refs/heads/pushed-by-http &&
	test "$(git -C srv/a.git rev-parse pushed-by-http)" = "$(git -C work rev-parse HEAD)" &&
	test_must_fail git -C srv/a.git rev-parse -q --verify pushed-by-nobody
'

test_done
