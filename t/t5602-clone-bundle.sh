#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='bundles as repositories: clone, fetch, ls-remote'
. "$(dirname "$0")/test-lib.sh"

SQ="'"
# what a failed command may not leave in the empty repository $1
nothing_new () {
	test -z "$(git -C "$1" for-each-ref)" && test ! -e "$1/.git/FETCH_HEAD" &&
	test -z "$(find "$1/.git/objects" ! -type d)" && test -z "$(find "$1/.git" -name "*tmp*" -o -name "*.lock")"
}

test_expect_success 'a history, and bundles of it' '
	git init -q -b main src && test_commit -C src one && test_commit -C src two && git -C src branch side &&
	test_commit -C src three && git -C src tag -a -m t v1 && old=$(git -C src rev-parse main^) &&
	git -C src bundle create -q ../full.bundle --all && git -C src bundle create -q ../inc.bundle main^..main &&
	git -C src bundle create -q ../nohead.bundle main && git -C src bundle create -q ../filt.bundle --filter=blob:none --all &&
	git -C src for-each-ref --format="%(objectname) %(refname)" >refs
'

test_expect_success 'ls-remote: the refs of the header, as a server would tell them' '
	git ls-remote full.bundle >actual && git ls-remote src | grep -v "\^{}" >expect && test_cmp expect actual &&
	git ls-remote --tags full.bundle v1 >actual && test_line_count = 1 actual
'

test_expect_success 'clone: branches, tags, HEAD, configuration; one flush' '
	git clone full.bundle c 2>err && echo "Cloning into ${SQ}c${SQ}..." >expect && test_cmp expect err &&
	test "$(git -C c rev-parse HEAD)" = "$(git -C src rev-parse HEAD)" && git -C c diff --exit-code HEAD &&
	test -z "$(git -C c status --porcelain)" && git -C c fsck && test "$(git -C c symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/main &&
	git -C c for-each-ref --format="%(refname)" refs/remotes refs/tags >actual &&
	printf "refs/%s\n" remotes/origin/HEAD remotes/origin/main remotes/origin/side tags/v1 >expect &&
	test_cmp expect actual && test "$(git -C c config remote.origin.url)" = "$PWD/full.bundle" &&
	git clone -q --mirror full.bundle m.git && git -C m.git for-each-ref --format="%(objectname) %(refname)" >actual &&
	grep -v HEAD actual >left && test_cmp refs left
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush call, whatever is in it' '
	on_journal j && n=$(count_flushes git clone -q full.bundle j/c) && test "$n" = 1
'

test_expect_success 'x stands for x.bundle, and names the directory' '
	mkdir in && cp full.bundle in/y.bundle && (cd in && git clone -q y && test -d y/.git && rm -rf y && git clone -q ./y.bundle &&
	test -d y/.git && mv y.bundle plain && git clone -q plain z && git -C z rev-parse -q --verify origin/side)
'

test_expect_success 'without HEAD the branch is the one that a new repository would have' '
	git -c init.defaultBranch=main clone -q nohead.bundle n1 2>err && test_must_be_empty err && test -f n1/three.t &&
	test "$(git -C n1 rev-parse main)" = "$(git -C src rev-parse main)" && test "$(git -C n1 config branch.main.remote)" = origin &&
	git -c init.defaultBranch=other clone -q nohead.bundle n2 2>err && test_grep "remote HEAD refers to nonexistent ref" err &&
	test "$(git -C n2 symbolic-ref HEAD)" = refs/heads/other && git -C n2 rev-parse -q --verify origin/main
'

test_expect_success 'a remote that is a bundle: later fetches read it again' '
	cp full.bundle later.bundle && git clone -q later.bundle l && git clone -q src work && test_commit -C work four &&
	git -C work bundle create -q ../later.bundle main^..main && git -C l fetch -q && test "$(git -C l rev-parse origin/main)" = "$(git -C work rev-parse main)" &&
	git -C l fsck && git -C l remote show origin >actual && test_grep "main  *tracked" actual &&
	git -C l fetch -v 2>err && test_grep "up to date. *main" err
'

test_expect_success 'fetch: single refs, patterns, missing refs' '
	git init -q e && git -C e fetch -q ../full.bundle main && test_grep "branch .main. of ../full.bundle" e/.git/FETCH_HEAD &&
	git -C e fetch -q ../full.bundle "refs/heads/*:refs/x/*" && test "$(git -C e rev-parse refs/x/side)" = "$(git -C src rev-parse side)" &&
	git -C e rev-parse -q --verify v1 && test_must_fail git -C e fetch ../full.bundle nope 2>err && test_grep "couldn.t find remote ref nope" err
'

test_expect_success 'prerequisites: their objects have to be here, and whole' '
	test_must_fail git clone inc.bundle no 2>err && test_grep "Repository lacks these prerequisite commits:" err && test_grep "$old" err &&
	test ! -e no && git init -q e2 && test_must_fail git -C e2 fetch ../inc.bundle main 2>err && test_grep "prerequisite" err && nothing_new e2 &&
	git -C e2 fetch -q ../full.bundle side:side && git -C e2 fetch -q ../inc.bundle main:got && git -C e2 fsck &&
	test "$(git -C e2 rev-parse got)" = "$(git -C src rev-parse main)" && git init -q e3 &&
	for o in $old $old^{tree} $old:one.t $old:two.t; do
		type=$(git -C src cat-file -t $o) && git -C src cat-file $type $o >object && git -C e3 hash-object -w -t $type ../object || return 1
	done && find e3/.git/objects ! -type d | sort >before && test_must_fail git -C e3 fetch ../inc.bundle main 2>err && test_grep "did not send all necessary objects" err &&
	find e3/.git/objects ! -type d | sort >after && test_cmp before after
'

test_expect_success 'a bundle that leaves something out' '
	test_must_fail git clone filt.bundle no 2>err && test_grep "cannot clone from filtered bundle" err && test ! -e no &&
	git init -q e4 && test_must_fail git -C e4 fetch ../filt.bundle main 2>err && nothing_new e4
'

test_expect_success 'options that a bundle cannot follow' '
	git init -q e5 && git -C e5 fetch --depth=1 ../full.bundle main 2>err && test_grep "option \"depth\" is ignored for ../full.bundle" err &&
	test ! -e e5/.git/shallow && git clone -q --depth=1 full.bundle d1 && test ! -e d1/.git/shallow &&
	git clone -q --filter=blob:none full.bundle d2 && git -C d2 fsck && test -z "$(find d2/.git -name "*.promisor")"
'

test_expect_success 'protocol.file.allow; file:// is no path' '
	test_must_fail git -c protocol.file.allow=never ls-remote full.bundle 2>err && test_grep "transport .file. not allowed" err &&
	test_must_fail git clone "file://$PWD/full.bundle" no 2>err && test_grep "does not appear to be a git repository" err && test ! -e no
'

test_expect_success 'another hash' '
	other=sha1 && { test "$TEST_HASH" != sha1 || other=sha256; } && git init -q --object-format=$other e6 &&
	test_must_fail git -C e6 fetch ../full.bundle main 2>err && test_grep "mismatched algorithms" err && nothing_new e6
'

test_expect_success 'cut at any place, or with more behind it: nothing has changed' '
	size=$(wc -c <full.bundle) && git init -q e7 && n=0 && while test $n -lt $size; do
		head -c $n full.bundle >cut && test_must_fail git -C e7 fetch ../cut main:main 2>err && nothing_new e7 || return 1
		n=$((n + 37))
	done && (cat full.bundle && echo x) >junk && test_must_fail git -C e7 fetch ../junk main 2>err && test_grep "junk at the end" err && nothing_new e7
'

test_expect_success 'fetch.fsckObjects is heeded' '
	git init -q bad && printf "tree %s\nauthor x <x> bad\ncommitter x <x> 0 +0000\n\nm\n" $EMPTY_TREE >commit && git -C bad hash-object -w -t tree /dev/null &&
	c=$(git -C bad hash-object -w -t commit --literally ../commit) && git -C bad update-ref refs/heads/main $c && git -C bad bundle create -q ../bad.bundle --all &&
	git init -q e8 && test_must_fail git -C e8 -c fetch.fsckObjects=true fetch ../bad.bundle main 2>err && nothing_new e8 && git -C e8 fetch -q ../bad.bundle main
'

test_done
