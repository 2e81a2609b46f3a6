#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of replay and history fails in turn

As in t0102. Whatever fails: all refs are the old ones, or all are the new ones, and the next command works.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"
sweep_step EIO 6

still_good () {
	git -C copy fsck --no-dangling >fsck 2>&1 && git -C copy for-each-ref --format="%(objectname) %(refname)" refs/heads >refs &&
	{ test_cmp old refs >/dev/null || { ! grep -q -F -x -f moved refs; } } && git -C copy replay --ref-action=print --onto side base..main >next
}

test_expect_success 'set up' '
	git init -q -b main start && cd start && git config core.fsyncMethod batch && echo f >f && git add f && git commit -q -m base && git tag base && git checkout -q -b side &&
	echo s >s && git add s && git commit -q -m side && git checkout -q main && for i in 1 2 3 4 5 6
	do
		echo $i >n$i && echo $i >m$i && git add n$i m$i && git commit -q -m c$i || return 1
	done && git branch half main~2 && git tag keep main && echo staged >>f && git add f && git for-each-ref --format="%(objectname) %(refname)" refs/heads >../old && cd .. &&
	grep -v side old >moved && printf "y\nn\n" >keys && GIT_EDITOR="echo new >" && export GIT_EDITOR
'

for what in EIO ENOSPC
do
	test_expect_success "$what: replay" '
		sweep start $what "git merge-base --is-ancestor side main && git merge-base --is-ancestor half main" replay --contained --onto side base..main
	'

	test_expect_success "$what: history reword and fixup" '
		sweep start $what "test \$(git log -1 --format=%s half~1) = new" history reword main~3 &&
		sweep start $what "git show half:f | grep -q staged" history fixup half
	'

	test_expect_success "$what: history split" '
		SWEEP_STDIN=$PWD/keys && sweep start $what "test \$(git log --format=%s -2 half | uniq -d) = new && test -z \"\$(git ls-tree half~1 n4)\" && git diff --quiet main keep" \
			history split half; code=$?; SWEEP_STDIN=/dev/null; return $code
	'
done

test_done
