#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a partial clone fetches missing objects when it needs them: together, and for good'
. "$(dirname "$0")/test-lib.sh"

# lazily CMD...: run git with these; $fetches: how often missing objects have been fetched
lazily () {
	local code=0
	rm -f "$TRASH_DIRECTORY/trace"
	GIT_TRACE="$TRASH_DIRECTORY/trace" git "$@" || code=$?
	fetches=$(grep -c "built-in: git fetch --promised" "$TRASH_DIRECTORY/trace")
	return $code
}

# the same at the end of a pipe
fetched () {
	grep -c "built-in: git fetch --promised" "$TRASH_DIRECTORY/trace"
}

# missing DIR: how many objects
missing () {
	git -C "$1" rev-list --objects --all --missing=print >missing.list && grep -c "^?" missing.list
}

partial () {
	rm -rf r && git clone -q --no-checkout --filter=${1:-blob:none} "file://$PWD/source" r
}

test_expect_success 'a server that allows it, with two commits of some 100 files' '
	git init -q -b main source && git -C source config uploadpack.allowFilter true &&
	git -C source config uploadpack.allowAnySHA1InWant true &&
	for i in $(seq 100); do echo "$i" >source/f$i || return 1; done &&
	git -C source add . && git -C source commit -q -m one &&
	for i in $(seq 40); do echo "more $i" >source/f$i || return 1; done &&
	git -C source commit -q -a -m two
'

test_expect_success 'checkout: one fetch, a durable pack with a .promisor' '
	partial && test "$(missing r)" = 140 && lazily -C r checkout -q main && test $fetches = 1 &&
	test "$(missing r)" = 40 && git -C r status --porcelain >out && test_must_be_empty out &&
	test "$(ls r/.git/objects/pack/*.promisor | wc -l)" = 2 && test "$(ls r/.git/objects/pack/*.pack | wc -l)" = 2 &&
	git -C r fsck && lazily -C r checkout -q main && test $fetches = 0
'

test_expect_success 'clone writes the files in the same operation' '
	rm -rf whole && lazily clone -q --filter=blob:none "file://$PWD/source" whole && test $fetches = 0 &&
	test "$(grep -c "built-in: git upload-pack" trace)" = 2 &&
	test "$(ls whole | wc -l)" = 100 && git -C whole status --porcelain >out && test_must_be_empty out && test "$(missing whole)" = 40 &&
	git -C whole fsck
'

test_expect_success 'switch, restore, reset --hard, read-tree -u: one fetch each' '
	partial && lazily -C r reset -q --hard && test $fetches = 1 && lazily -C r switch -q --detach HEAD~ && test $fetches = 1 &&
	partial && lazily -C r restore --source=HEAD~ -- . && test $fetches = 1 &&
	partial && lazily -C r read-tree -m -u HEAD && test $fetches = 1 &&
	partial && lazily -C r checkout HEAD~ -- f1 f2 f3 && test $fetches = 1 && test "$(missing r)" = 137
'

test_expect_success 'diff and log ask for what they read of a commit together' '
	partial && lazily -C r diff HEAD~ HEAD >out && test $fetches = 1 && test "$(missing r)" = 60 &&
	partial && lazily -C r log -p >out && test $fetches = 2 && test "$(missing r)" = 0 &&
	partial && lazily -C r diff --stat HEAD~ HEAD >out && test $fetches = 1 &&
	partial && lazily -C r log -Smore --format=%s >out && test $fetches = 2
'

test_expect_success 'commands that read no contents fetch nothing' '
	partial && lazily -C r diff --raw HEAD~ HEAD >out && test $fetches = 0 && lazily -C r log --stat -0 && test $fetches = 0 &&
	lazily -C r diff --name-status -M HEAD~ HEAD >out && test $fetches = 0 && lazily -C r ls-tree -r HEAD >out && test $fetches = 0 &&
	lazily -C r status --porcelain >out && test $fetches = 0 && test "$(missing r)" = 140
'

test_expect_success 'renames: what has to be compared, together' '
	git -C source switch -q -c renamed && for i in 1 2 3 4 5 6; do seq $((i * 100)) $((i * 100 + 50)) >source/a$i || return 1; done &&
	git -C source add . && git -C source commit -q -m before &&
	for i in 1 2 3 4 5 6; do git -C source rm -q --cached a$i && sed 1d source/a$i >source/b$i && rm source/a$i || return 1; done && git -C source add . &&
	git -C source rm -q --cached f100 && mv source/f100 source/moved && git -C source add . && git -C source commit -q -m after && partial &&
	lazily -C r diff --name-status -M origin/renamed~ origin/renamed >out && test $fetches = 1 && test "$(grep -c ^R out)" = 7 &&
	partial && lazily -C r diff --name-status -C --find-copies-harder origin/renamed~ origin/renamed >out && test $fetches = 1 &&
	git -C source switch -q main
'

test_expect_success 'files that have moved to another directory: by their names, together' '
	rm -rf places && git init -q -b main places && git -C places config uploadpack.allowFilter true && mkdir places/from places/to &&
	for i in 1 2 3 4; do seq $((i * 100)) $((i * 100 + 50)) >places/from/$i || return 1; done && git -C places add . && git -C places commit -q -m one &&
	for i in 1 2 3 4; do sed 1d places/from/$i >places/to/$i && rm places/from/$i || return 1; done && git -C places add . && git -C places commit -q -m two &&
	rm -rf moved && git clone -q --no-checkout --filter=blob:none "file://$PWD/places" moved &&
	lazily -C moved diff --name-status -M HEAD~ HEAD >out && test $fetches = 1 && test "$(grep -c ^R out)" = 4
'

test_expect_success 'one object alone; whether it is there is no reason to fetch' '
	partial && oid=$(git -C source rev-parse main:f7) && lazily -C r rev-parse main:f7 >out && test $fetches = 0 &&
	test_must_fail git -C r cat-file -e $oid && test "$(missing r)" = 152 &&
	lazily -C r cat-file -p $oid >out && test $fetches = 1 && echo "more 7" >expect && test_cmp expect out && git -C r cat-file -e $oid
'

test_expect_success 'commands that list or maintain objects fetch nothing' '
	partial && lazily -C r fsck && test $fetches = 0 && lazily -C r gc -q && test $fetches = 0 && lazily -C r repack -adq && test $fetches = 0 &&
	lazily -C r prune && test $fetches = 0 && lazily -C r rev-list --objects --all --missing=allow-any >out && test $fetches = 0 &&
	lazily -C r rev-list --objects --all --exclude-promisor-objects >out && test $fetches = 0 &&
	lazily -C r cat-file --batch-check --batch-all-objects >out && test $fetches = 0 && lazily -C r count-objects && test $fetches = 0 &&
	lazily -C r fetch -q && test $fetches = 0 && lazily -C r for-each-ref >out && test $fetches = 0 && test "$(missing r)" = 152
'

test_expect_success '... without any trees as well' '
	partial tree:0 && lazily -C r rev-list --objects --all --missing=allow-promisor >out && test $fetches = 0 && lazily -C r fsck && test $fetches = 0 &&
	lazily -C r repack -adq && test $fetches = 0 && lazily -C r gc -q && test $fetches = 0 && lazily -C r prune && test $fetches = 0 &&
	lazily -C r fetch -q && test $fetches = 0 && lazily -C r pack-objects --all --missing=allow-any --stdout -q </dev/null >pack && test $fetches = 0 &&
	lazily -C r rev-list --objects --all --exclude-promisor-objects >out && test $fetches = 0 && lazily -C r commit-graph write --reachable && test $fetches = 0
'

test_expect_success 'rev-list --objects wants all of them: by directory, not one by one' '
	partial && lazily -C r rev-list --objects main >out && test $fetches = 2 && test_line_count = 144 out
'

test_expect_success 'trees and commits come as well, files only by name' '
	partial tree:0 && lazily -C r checkout -q main && test $fetches = 2 && git -C r status --porcelain >out && test_must_be_empty out
'

test_expect_success 'GIT_NO_LAZY_FETCH: no remote is asked, and a message says so' '
	partial && test_must_fail env GIT_NO_LAZY_FETCH=1 git -C r checkout main 2>err && oid=$(grep -o "could not fetch [0-9a-f]*" err) &&
	test_grep "^fatal: could not fetch [0-9a-f]* from promisor remote" err && test_grep "lazy fetching disabled" err &&
	test "$(missing r)" = 152 && test "$(ls r)" = "" && env GIT_NO_LAZY_FETCH=0 git -C r checkout -q main
'

test_expect_success 'a server that is gone: a clear error, and nothing has changed' '
	partial && git -C r reset -q --hard && git -C r config remote.origin.url "file://$PWD/nowhere" &&
	cp r/.git/index index.before && ls r >before && git -C r rev-parse HEAD >head.before &&
	test_must_fail git -C r checkout -q origin/renamed 2>err && test_grep "^fatal: could not fetch [0-9a-f]* from promisor remote" err &&
	test_grep "nowhere" err && ls r >after && test_cmp before after && test_cmp_bin index.before r/.git/index &&
	git -C r rev-parse HEAD >head.after && test_cmp head.before head.after && test_path_is_missing r/.git/index.lock &&
	git -C r status --porcelain >out && test_must_be_empty out &&
	test_must_fail git -C r diff HEAD~ HEAD 2>err && test_grep "could not fetch" err
'

test_expect_success 'a server that does not have it, or does not give it' '
	partial && git -C source config uploadpack.allowAnySHA1InWant false && test_when_finished "git -C source config uploadpack.allowAnySHA1InWant true" &&
	test_must_fail git -C r -c protocol.version=0 cat-file -p main:f7 2>err && test_grep "could not fetch" err &&
	test_must_fail git -C r cat-file -p $(printf "%0${OID_HEXLEN}d" 1) 2>err && test_grep "not our ref" err && test_grep "Not a valid object name" err
'

test_expect_success 'several promisor remotes are asked in order, that of extensions.partialClone last' '
	partial && git init -q --bare empty && git -C r remote add other "file://$PWD/empty" && git -C r config remote.other.promisor true &&
	lazily -C r checkout -q main && test $fetches = 1 && test_grep "fetch --promised -- origin" trace &&
	partial && git -C r remote add other "file://$PWD/empty" && git -C r config remote.other.promisor true && git -C r config extensions.partialClone origin &&
	lazily -C r checkout -q main 2>err && test $fetches = 2 && grep "built-in: git fetch" trace | sed "s/.* -- //" >actual &&
	printf "%s\n" other origin >expect && test_cmp expect actual
'

test_expect_success 'a repository without a promisor remote asks no remote' '
	git clone -q "file://$PWD/source" full && rm -rf full/.git/objects/pack && git init -q full && test_must_fail lazily -C full log 2>err && test $fetches = 0
'

test_expect_success 'the bases of a thin pack that we never got' '
	rm -rf old new && git init -q -b main old && git -C old config uploadpack.allowFilter true && git -C old config uploadpack.allowAnySHA1InWant true &&
	seq 2000 >old/big && git -C old add . && git -C old commit -q -m one &&
	git clone -q --no-checkout --filter=blob:none "file://$PWD/old" new && git -C new config --unset remote.origin.partialCloneFilter &&
	seq 2001 >old/big && git -C old commit -q -a -m two && base=$(git -C old rev-parse HEAD~:big) &&
	lazily -C new fetch -q && test $fetches = 1 && git -C new cat-file -e $base && git -C new fsck &&
	git -C new cat-file -p origin/main:big >out && test_cmp old/big out
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'one flush for fetched objects, one for the checkout; a clone has one' '
	on_journal journal && git clone -q --no-checkout --filter=blob:none "file://$PWD/source" journal/r &&
	test "$(count_flushes git -C journal/r checkout -q main)" = 2 &&
	test "$(count_flushes git -C journal/r cat-file -p HEAD~:f3)" = 1 &&
	test "$(count_flushes git clone -q --filter=blob:none "file://$PWD/source" journal/whole)" = 1
'

test_expect_success 'commands with an operation open: add, commit, in a repository that lacks what they read' '
	partial && git -C r read-tree HEAD && echo "# x" >r/new && git -C r add new && lazily -C r commit -q -m mine && test $fetches = 1 && git -C r fsck &&
	test "$(git -C r ls-tree HEAD | wc -l)" = 101 && lazily -C r log -1 -p >out && test $fetches = 0 && test_grep "^+# x" out
'

test_expect_success 'pack-objects and bundle get all that goes in, together' '
	partial && lazily -C r bundle create -q ../all.bundle --all && test $fetches = 1 && test "$(missing r)" = 0 && git -C r bundle verify -q ../all.bundle &&
	partial && lazily -C r pack-objects --all --stdout -q </dev/null >pack && test $fetches = 1 &&
	git init -q unpacked && git -C unpacked index-pack --stdin --strict <pack &&
	partial && lazily -C r pack-objects --all --missing=allow-any --stdout -q </dev/null >pack && test $fetches = 0 &&
	lazily -C r pack-objects --all --exclude-promisor-objects --stdout -q </dev/null >pack && test $fetches = 0
'

test_expect_success 'archive: attributes, then all files that go in' '
	rm -rf attrs && git init -q -b main attrs && git -C attrs config uploadpack.allowFilter true && mkdir attrs/a attrs/b &&
	for d in . a b; do echo "out export-ignore x$d" >attrs/$d/.gitattributes && for i in 1 2 3 out; do echo $d$i >attrs/$d/$i || return 1; done || return 1; done &&
	git -C attrs add . && git -C attrs commit -q -m one && rm -rf ar && git clone -q --no-checkout --filter=blob:none "file://$PWD/attrs" ar && cp -a ar ar2 &&
	git -C attrs archive main >expect && lazily -C ar archive main >out && test_cmp_bin expect out && test $fetches = 2 && test "$(missing ar)" = 3 &&
	git -C attrs archive --format=zip main a >expect && lazily -C ar2 archive --format=zip main a >out && test_cmp_bin expect out && test $fetches = 2 && test "$(missing ar2)" = 9
'

test_expect_success 'cat-file --batch: what has been said already, before the first answer; with --buffer all of it' '
	git -C source ls-tree -r main | cut -f1 | cut -d" " -f3 >oids && test_line_count = 100 oids && git -C source cat-file --batch <oids >expect &&
	partial && lazily -C r cat-file --batch <oids >out && test_cmp expect out && test $fetches = 1 && test "$(missing r)" = 52 &&
	partial && sed "s/.*/& x y/" oids >lines && lazily -C r cat-file --batch="%(objectname) %(objecttype) %(objectsize) %(rest)" <lines >out && sed "s/^\([0-9a-f]* blob .*\)/\1 x y/" expect | test_cmp - out && test $(fetched) = 1 &&
	partial && for i in 1 2 3; do echo main:f$i && echo main~:f$i || return 1; done >names && lazily -C r cat-file --batch-check <names >out && git -C source cat-file --batch-check <names >expect && test_cmp expect out && test $fetches = 1 &&
	: the pipe is full before the rest comes, so some of the first lines have been read by then &&
	for i in $(test_seq 80); do sed 50q oids || return 1; done >first && test $(wc -c <first) -gt 150000 &&
	partial && { cat first && sed 1,50d oids; } | lazily -C r cat-file --batch --buffer >out && test $(fetched) = 1 &&
	partial && sed "s/^/contents /" oids | lazily -C r cat-file --batch-command --buffer >out && git -C source cat-file --batch <oids >expect && test_cmp expect out && test $(fetched) = 1 &&
	partial && { echo "$(printf "%0${OID_HEXLEN}d" 1)" && cat oids; } | lazily -C r cat-file --batch-check >out 2>/dev/null && test "$(head -n 1 out)" = "$(printf "%0${OID_HEXLEN}d" 1) missing" && sed 1d out >rest && git -C source cat-file --batch-check <oids >expect && test_cmp expect rest &&
	partial && lazily -C r cat-file --batch-all-objects --batch >out && test $fetches = 0
'

test_expect_success PYTHON '... and who waits for each answer gets it' '
	write_script wait "$(command -v python3)" <<-\EOT && partial && ./wait
	import subprocess
	for option, word in ("--batch", ""), ("--batch-command", "contents "):
	    p = subprocess.Popen(["git", "-C", "r", "cat-file", option], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	    for oid in open("oids").read().split()[:4]:
	        p.stdin.write((word + oid + "\n").encode())
	        p.stdin.flush()
	        head = p.stdout.readline().split()
	        assert head[0].decode() == oid, head
	        p.stdout.read(int(head[2]) + 1)
	    p.stdin.close()
	    assert p.wait() == 0
	EOT
'

test_expect_success 'ls-tree --long, merge-file: sizes and versions, together' '
	partial && lazily -C r ls-tree -r --long main >out && git -C source ls-tree -r --long main >expect && test_cmp expect out && test $fetches = 1 && test "$(missing r)" = 52 &&
	partial && lazily -C r ls-tree --format="%(objectsize)" main f1 f2 >out && test $fetches = 1 && test "$(missing r)" = 150 &&
	partial && lazily -C r ls-tree -r main >out && test $fetches = 0 &&
	{ lazily -C r merge-file -p --object-id main:f1 main~:f1 main:f99 >out || test $? = 1; } && test $fetches = 1
'

test_expect_success 'an owed .gitattributes is no fault, for fsck and for fetch.fsckObjects' '
	rm -rf checked && git clone -q --no-checkout --filter=blob:none -c fetch.fsckObjects=true "file://$PWD/attrs" checked && git -C checked fsck && test "$(missing checked)" = 15 &&
	git -C checked config --unset remote.origin.promisor && rm -f checked/.git/objects/pack/*.promisor && test_must_fail git -C checked fsck 2>err && test_grep "gitattributesMissing" err
'

test_expect_success 'servers fetch nothing for their clients' '
	partial && git -C r config uploadpack.allowFilter true && rm -f trace && test_must_fail env GIT_TRACE="$PWD/trace" git clone -q --bare "file://$PWD/r" copy 2>err &&
	test "$(grep -c "fetch --promised" trace)" = 0
'

test_expect_success 'threads that write files: none of them asks by itself' '
	partial && lazily -C r -c checkout.workers=4 -c checkout.thresholdForParallelism=1 checkout -q main && test $fetches = 1
'

test_expect_success 'a remote helper that connects serves it' '
	write_script git-remote-by <<-\EOF &&
	read -r line && printf "connect\n\n" && read -r line && echo && exec git upload-pack "${2#*::}"
	EOF
	PATH="$PWD:$PATH" && export PATH && partial && git -C r config remote.origin.url "by::$PWD/source" &&
	lazily -C r checkout -q main && test $fetches = 1 && git -C r status --porcelain >out && test_must_be_empty out
'

test_expect_success PYTHON 'an answer that is cut anywhere leaves nothing' '
	write_script git-remote-cut "$(command -v python3)" <<-\EOF &&
	import os, subprocess, sys
	def line():
	    while os.read(0, 1) not in (b"\n", b""):
	        pass
	left, path = sys.argv[2].split(":", 1)
	line()
	os.write(1, b"connect\n\n")
	line()
	os.write(1, b"\n")
	server = subprocess.Popen(["git", "upload-pack", path], stdout=subprocess.PIPE)
	for at in range(int(left)):
	    data = os.read(server.stdout.fileno(), 1)
	    if not data:
	        sys.exit(server.wait())
	    os.write(1, data)
	server.kill()
	server.wait()
	EOF
	partial && git -C r config remote.origin.url "cut::100000:$PWD/source" && (cd r/.git && find . -type f | sort) >before &&
	for n in 0 1 3 50 100 200 300 500 1000
	do
		git -C r config remote.origin.url "cut::$n:$PWD/source" && test_must_fail git -C r checkout -q main 2>err &&
		test_grep "could not fetch" err && (cd r/.git && find . -type f | sort) >after && test_cmp before after || return 1
	done &&
	git -C r config remote.origin.url "cut::100000:$PWD/source" && git -C r checkout -q main
'

test_expect_success PYTHON '... and one whose server remembers nothing' '
	write_script git-remote-stateless "$(command -v python3)" <<-\EOF &&
	import os, subprocess, sys
	path = sys.argv[2]
	inp, out = sys.stdin.buffer.raw, sys.stdout.buffer
	def line():
	    text = b""
	    while not text.endswith(b"\n"):
	        ch = inp.read(1)
	        if not ch:
	            sys.exit(0)
	        text += ch
	    return text
	def exactly(n):
	    data = b""
	    while len(data) < n:
	        more = inp.read(n - len(data))
	        if not more:
	            sys.exit(0)
	        data += more
	    return data
	def serve(args, data):
	    return subprocess.run(["git", "upload-pack", "--stateless-rpc"] + args + [path], input=data, stdout=subprocess.PIPE,
	                          env=dict(os.environ, GIT_PROTOCOL="version=2")).stdout
	def say(data):
	    out.write(data)
	    out.flush()
	line()
	say(b"stateless-connect\n\n")
	line()
	say(b"\n" + serve(["--http-backend-info-refs"], b""))
	while True:
	    request = b""
	    while not request.endswith(b"0000"):
	        head = exactly(4)
	        request += head + exactly(max(int(head, 16) - 4, 0))
	    say(serve([], request) + b"0002")
	EOF
	partial && git -C r config remote.origin.url "stateless::$PWD/source" &&
	lazily -C r checkout -q main && test $fetches = 1 && git -C r status --porcelain >out && test_must_be_empty out
'

test_expect_success 'promisor.quiet; fetch --promised for itself' '
	partial && GIT_TRACE="$PWD/trace" git -C r -c promisor.quiet=true checkout -q main && test_grep "fetch --promised --quiet -- origin" trace &&
	echo junk | test_must_fail git -C r fetch --promised origin 2>err && test_grep "is no object name" err &&
	test_expect_code 129 git -C r fetch --promised </dev/null 2>err
'

test_done
