#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git symbolic-ref, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_COMMITTER_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE

test_expect_success 'set up' '
	stock init -q -b main theirs &&
	stock -C theirs commit -q --allow-empty -m one &&
	stock -C theirs branch side &&
	cp -R theirs ours
'

same_head () {
	test_cmp theirs/.git/HEAD ours/.git/HEAD &&
	test_cmp theirs/.git/logs/HEAD ours/.git/logs/HEAD
}

test_expect_success 'read' '
	peers_git symbolic-ref HEAD &&
	peers_git symbolic-ref --short HEAD &&
	peers_git symbolic-ref refs/heads/main &&
	peers_git symbolic-ref -q refs/heads/main &&
	peers_git symbolic-ref nope &&
	peers_git symbolic-ref -q nope &&
	PEERS_STDERR=ignore peers_git symbolic-ref a b c
'

test_expect_success 'write, with reflogs' '
	peers_git symbolic-ref -m "to side" HEAD refs/heads/side && same_head &&
	peers_git symbolic-ref HEAD refs/heads/main && same_head &&
	peers_git symbolic-ref -m "to nowhere" HEAD refs/heads/unborn && same_head &&
	peers_git symbolic-ref HEAD && peers_git symbolic-ref --short HEAD &&
	peers_git symbolic-ref -m "and back" HEAD refs/heads/main && same_head &&
	peers_git symbolic-ref -m "" HEAD refs/heads/side && same_head
'

test_expect_success 'errors' '
	peers_git symbolic-ref HEAD foo && peers_git symbolic-ref HEAD refs/../x &&
	peers_git symbolic-ref HEAD "refs/heads/a b" &&
	peers_git symbolic-ref -d HEAD && peers_git symbolic-ref -d refs/heads/main &&
	peers_git symbolic-ref -d nope && same_head
'

test_expect_success 'chains and deletion' '
	peers_git symbolic-ref refs/heads/a refs/heads/main &&
	peers_git symbolic-ref refs/heads/b refs/heads/a &&
	peers_git symbolic-ref refs/heads/b &&
	peers_git symbolic-ref --no-recurse refs/heads/b &&
	peers_git symbolic-ref --recurse refs/heads/b &&
	peers_git symbolic-ref -d refs/heads/a &&
	peers_git symbolic-ref refs/heads/b &&
	peers_git symbolic-ref --delete refs/heads/b &&
	test_path_missing ours/.git/refs/heads/b
'

test_expect_success SYMLINKS 'HEAD as a symbolic link is replaced, not followed' '
	rm -f ours/.git/HEAD && ln -s refs/heads/side ours/.git/HEAD &&
	test "$(git -C ours symbolic-ref HEAD)" = refs/heads/side &&
	git -C ours symbolic-ref HEAD refs/heads/main &&
	test "$(cat ours/.git/HEAD)" = "ref: refs/heads/main" &&
	test "$(stock -C ours rev-parse side)" = "$(stock -C theirs rev-parse side)"
'

test_expect_success 'exit codes, quiet or not; a branch under HEAD becomes symbolic' '
	for o in "-d -q refs/heads/nope" "-d -q refs/heads/main" -d "-d a b" "--foo" \
		"refs/heads/loop refs/heads/loop" "refs/heads/loop" "--short refs/heads/loop" \
		"-m reason -d HEAD" "-d --short NEW"
	do
		peers_git symbolic-ref $o || return 1
	done &&
	PEERS_STDERR=ignore peers_git symbolic-ref refs/heads/main/x refs/heads/main &&
	test_grep "refs/heads/main. exists; cannot create" err.ours &&
	: >ours/.git/HEAD.lock && : >theirs/.git/HEAD.lock &&
	PEERS_STDERR=ignore peers_git symbolic-ref HEAD refs/heads/other &&
	test_grep "HEAD.lock.: File exists" err.ours &&
	rm ours/.git/HEAD.lock theirs/.git/HEAD.lock &&
	peers_git symbolic-ref HEAD refs/heads/main &&
	peers_git symbolic-ref refs/heads/main refs/heads/side &&
	peers_git symbolic-ref HEAD && peers_git symbolic-ref --no-recurse HEAD &&
	peers_git symbolic-ref -d refs/heads/main &&
	test_expect_code 1 git -C ours symbolic-ref "bad name" refs/heads/main
'

# Stock git writes through such a ref, and so makes one that no command reads; ours refuses.
test_expect_success 'a target that is no name: the ref is bad, not dangling' '
	git init -q -b main bad && test_commit -C bad one && cd bad &&
	H=$(git rev-parse HEAD) && make_bad () { echo "ref: refs/heads/a..b" >.git/refs/heads/bad; } &&
	make_bad && echo "ref: refs/heads/bad" >.git/refs/heads/far &&
	for args in refs/heads/bad "-q refs/heads/bad" "--short refs/heads/bad" refs/heads/far; do
		test_expect_code 128 git symbolic-ref $args >out 2>err && test_must_be_empty out &&
		test_grep "^fatal: No such ref: refs/heads/" err || return
	done &&
	echo refs/heads/a..b >expect && git symbolic-ref --no-recurse refs/heads/bad >out &&
	test_cmp expect out && rm .git/refs/heads/far &&
	echo "$H refs/heads/main" >expect && git show-ref --heads >out && test_cmp expect out &&
	test_expect_code 128 git rev-parse --verify bad 2>err &&
	test_grep "ignoring dangling symref refs/heads/bad" err &&
	test_expect_code 10 git fsck 2>err &&
	test_grep "bad: badReferentName: points to invalid refname .refs/heads/a..b.$" err &&
	test_must_fail git update-ref refs/heads/bad $H && test_path_is_missing .git/refs/heads/a..b &&
	git update-ref --no-deref refs/heads/bad $H && test "$(git rev-parse bad)" = $H &&
	make_bad && git symbolic-ref -d refs/heads/bad && test_path_is_missing .git/refs/heads/bad &&
	make_bad && git branch -d bad >out && echo "Deleted branch bad (was refs/heads/a..b)." >expect &&
	test_cmp expect out && cp .git/refs/heads/main .git/refs/heads/a..b &&
	test_expect_code 128 git symbolic-ref refs/heads/a..b &&
	test_must_fail git rev-parse --verify -q refs/heads/a..b &&
	test_expect_code 128 git show-ref --verify refs/heads/a..b &&
	test_expect_code 128 git show-ref 2>err && test_grep "bad ref refs/heads/a..b (00*)$" err &&
	git branch -d a..b >out && echo "Deleted branch a..b (was broken)." >expect &&
	test_cmp expect out && test_path_is_missing .git/refs/heads/a..b &&
	echo "ref: refs/heads/a..b" >.git/HEAD && test_expect_code 128 git symbolic-ref HEAD &&
	for args in --show-current "-d main" "-m x"; do
		test_expect_code 128 git branch $args 2>err &&
		test_grep "^fatal: failed to resolve HEAD as a valid ref$" err || return
	done &&
	test_expect_code 8 git fsck 2>err && test_grep ! "unborn" err
'

test_expect_success 'targets of any length' '
	git init -q long && d=$(printf "%0100d" 0) && d=refs/heads/$d/$d/$d/$d &&
	for n in 60 88 89 90 91 92 93 94 200
	do
		target=$d/$(printf "%0${n}d" 1) &&
		git -C long symbolic-ref HEAD $target && test "$(git -C long symbolic-ref HEAD)" = $target || return 1
	done
'

test_done
