#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of notes, replace and bisect fails in turn

As in t0102. Whatever fails: HEAD and its index can be read, the notes are the old or the new ones, and the next command
goes on, or ends the bisection or the merge of notes.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"
sweep_step EIO 6

still_good () {
	git -C copy ls-files -s >ls && test -s ls && git -C copy fsck --no-dangling >fsck 2>&1 || return
	case "$(git -C copy notes show c3 2>&1)" in old*|new*|"error: no note"*) ;; *) return 1 ;; esac
	if test -f bisecting; then
		(cd copy && git bisect reset && git checkout -q -f main && git bisect start c8 c1 && git bisect good && git bisect reset) >reset 2>&1
	else
		(cd copy && { git notes merge --abort || :; } && git notes add -f -m again c1 && git notes merge -s union x) >merge 2>&1
	fi
}

test_expect_success 'set up' '
	git init -q -b main start && cd start && git config core.fsyncMethod batch && for i in 1 2 3 4 5 6 7 8
	do
		echo $i >f && git add f && git commit -q -m c$i && git tag c$i || return 1
	done &&
	git notes add -m base c2 && git notes --ref=x merge -q commits && git notes --ref=x add -f -m theirs c2 && git notes --ref=x add -m other c5 &&
	git notes add -f -m ours c2 && git notes add -m old c3 && cd .. && cp -a start merging && (cd merging && test_expect_code 1 git notes merge x) &&
	cp -a start stepping && (cd stepping && git bisect start c8 c1)
'

for what in EIO ENOSPC
do
	test_expect_success "$what: notes add and copy" '
		sweep start $what "test \"\$(git notes show c3)\" = new" notes add -f -m new c3 &&
		sweep start $what "git notes show c4" notes copy c3 c4
	'

	test_expect_success "$what: notes merge, with and without conflicts" '
		sweep start $what "git notes show c5" notes merge -q -s union x
	'

	test_expect_success "$what: notes merge --commit and --abort" '
		sweep merging $what "git notes show c5 && test ! -e .git/NOTES_MERGE_REF" notes merge --commit &&
		sweep merging $what "test ! -e .git/NOTES_MERGE_WORKTREE && test ! -e .git/NOTES_MERGE_REF" notes merge --abort
	'

	test_expect_success "$what: replace" '
		sweep start $what "git rev-parse --verify refs/replace/$(git -C start rev-parse c3)" replace --graft c3 c1
	'

	test_expect_success "$what: bisect start, good and reset" '
		test_when_finished "rm -f bisecting" && : >bisecting &&
		sweep start $what "test -s .git/BISECT_START && test \$(git rev-parse HEAD) = \$(git rev-parse c4)" bisect start c8 c1 &&
		sweep stepping $what "test \$(git rev-parse HEAD) = \$(git rev-parse c6)" bisect good &&
		sweep stepping $what "test ! -e .git/BISECT_START && test -z \"\$(git for-each-ref refs/bisect)\"" bisect reset
	'
done

test_done
