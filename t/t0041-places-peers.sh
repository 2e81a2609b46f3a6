#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='finding the repository, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# Everything that rev-parse prints about the repository, in directory $1 of both.
places () {
	local PEERS_DIR=$1 &&
	peers_git rev-parse --git-dir --git-common-dir --show-prefix --show-cdup \
		--is-bare-repository --is-inside-work-tree --absolute-git-dir \
		--git-path config --git-path index --git-path hooks --git-path objects/x &&
	peers_git rev-parse --show-toplevel && peers_git ls-files
}

test_expect_success 'set up' '
	mkdir ours theirs && peers_do "stock init -q -b main a && cd a && mkdir -p s/t && echo x >s/t/f &&
		stock add . && stock commit -q -m x && cd .. && stock clone -q --bare a c.git &&
		mkdir b && ln -s ../a/.git b && ln -s a link &&
		stock init -q --separate-git-dir=sep w && mkdir w/d"
'

test_expect_success 'by discovery' '
	for d in a a/s a/s/t a/.git a/.git/objects b link/s c.git c.git/refs w w/d
	do
		places $d || return 1
	done
'

test_expect_success 'by environment' '
	(GIT_DIR=.git && export GIT_DIR && places a && places a/s) &&
	(GIT_DIR=../.git && export GIT_DIR && places a/s) &&
	(GIT_DIR=../.git GIT_WORK_TREE=.. && export GIT_DIR GIT_WORK_TREE && places a/s) &&
	(GIT_WORK_TREE=.. && export GIT_WORK_TREE && places a/s) &&
	(GIT_INDEX_FILE=foo && export GIT_INDEX_FILE && places a && places a/s) &&
	(GIT_DIR=c.git && export GIT_DIR && places .) &&
	(GIT_CEILING_DIRECTORIES=$PWD/ours/a:$PWD/theirs/a && export GIT_CEILING_DIRECTORIES &&
		places a && places a/s)
'

test_expect_success 'core.worktree and core.bare' '
	peers_do "stock --git-dir=a/.git config core.worktree ../s" && places a/s && places a/s/t &&
	peers_do "stock --git-dir=a/.git config --unset core.worktree" &&
	peers_do "stock --git-dir=a/.git config core.bare true" && places a && places a/s &&
	peers_do "stock --git-dir=a/.git config core.bare false"
'

test_expect_success 'a linked work tree' '
	peers_do "cd a && stock worktree add -q ../wt && cd .." && places wt && places wt/s/t &&
	PEERS_DIR=wt peers_git rev-parse --git-path HEAD --git-path logs/HEAD --git-path refs/heads/x \
		--git-path refs/bisect/x --git-path info/exclude --git-path info/sparse-checkout \
		--git-path packed-refs --git-path MERGE_MSG --git-path logs/refs/heads/x \
		--git-path config.worktree --git-path worktrees --git-path rr-cache/x
'

test_done
