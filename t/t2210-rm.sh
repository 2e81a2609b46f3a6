#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rm, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

start () {
	peers_init &&
	(cd theirs && mkdir -p d/e f && echo 1 >a && echo 2 >b && echo 3 >d/c && echo 4 >d/e/x && echo 5 >f/g &&
	stock add . && stock commit -q -m one) &&
	rm -rf ours && cp -a theirs ours
}

same_tree () {
	(cd ours && find . -path ./.git -prune -o -print | sort) >t1 &&
	(cd theirs && find . -path ./.git -prune -o -print | sort) >t2 &&
	test_cmp t2 t1 && peers_same_index
}

test_expect_success 'files, quiet, dry run, cached' '
	start &&
	peers_git rm -n a d/c && same_tree &&
	peers_git rm a d/c && same_tree &&
	peers_git rm -q b && same_tree &&
	peers_git rm --cached f/g && same_tree
'

test_expect_success 'directories' '
	start &&
	peers_git rm d && same_tree &&
	peers_git rm -r d && same_tree &&
	peers_git rm -r . && same_tree
'

test_expect_success 'directories that become empty are removed' '
	start &&
	peers_git rm d/e/x && same_tree &&
	PEERS_DIR=f peers_git rm ../d/c
'

test_expect_success 'what would be lost is refused' '
	start &&
	peers_do "echo x >>a && echo y >>b && stock add b && echo z >>d/c && stock add d/c && echo zz >>d/c" &&
	peers_git rm a b d/c && same_tree &&
	peers_git rm --cached a && same_tree &&
	peers_git rm --cached d/c && same_tree &&
	peers_git rm -f b d/c && same_tree
'

test_expect_success 'nothing matches, nothing given' '
	start &&
	peers_git rm nope &&
	peers_git rm --ignore-unmatch nope &&
	peers_git rm &&
	peers_git rm "*.nope" &&
	peers_git rm a nope && same_tree &&
	PEERS_STDERR=ignore peers_git rm --no-such
'

test_expect_success 'deleted already, new in the index, before the first commit' '
	start &&
	peers_do "rm a && echo n >n && stock add n" &&
	peers_git rm a && same_tree &&
	peers_git rm n && same_tree &&
	peers_git rm -f n && same_tree &&
	peers_init && peers_do "echo 1 >x && stock add x" &&
	peers_git rm x &&
	peers_git rm --cached x && same_tree
'

test_expect_success 'globs and a pathspec file' '
	start &&
	peers_git rm "d/*" && same_tree &&
	echo a >list &&
	PEERS_STDIN=list peers_git rm --pathspec-from-file=- && same_tree
'

test_done
