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

test_done
