#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git notes merge: strategies, conflicts, --commit, --abort'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND
unset GIT_NOTES_REF

# start: refs/notes/commits and refs/notes/x as they were, and no merge
start () {
	{ git notes merge --abort 2>/dev/null || :; } && git update-ref refs/notes/commits refs/notes/save
}

# note_of OBJECT TEXT...: its note
note_of () {
	git notes show $1 >out && shift && printf "%s\n" "$@" >expect && test_cmp expect out
}

W=.git/NOTES_MERGE_WORKTREE

test_expect_success 'set up' '
	git init -q -b main && git config core.fsyncMethod batch && for i in 1 2 3 4 5 6
	do
		git commit -q --allow-empty -m c$i || return 1
	done &&
	for i in 0 1 2; do git notes add -m base$i HEAD~$i || return 1; done &&
	git notes --ref=x merge -q commits && git notes --ref=x add -f -m "x1
same" HEAD && git notes --ref=x remove HEAD~1 && git notes --ref=x add -m x4 HEAD~3 && git notes --ref=x add -f -m new2 HEAD~2 &&
	git notes add -f -m "c1
same" HEAD && git notes add -f -m c2 HEAD~1 && git notes add -m c4 HEAD~3 && git notes add -m c5 HEAD~4 &&
	git update-ref refs/notes/save refs/notes/commits &&
	head=$(git rev-parse HEAD) gone=$(git rev-parse HEAD~1) added=$(git rev-parse HEAD~3)
'

test_expect_success 'nothing to merge, and fast-forward' '
	git notes --ref=y merge save && test $(git rev-parse refs/notes/y) = $(git rev-parse refs/notes/save) &&
	git notes --ref=y merge commits >out && echo "Already up to date." >expect && test_cmp expect out &&
	git notes --ref=y add -m more HEAD~5 && git notes --ref=z merge -q save && git notes --ref=z merge y >out &&
	echo Fast-forward >expect && test_cmp expect out && test $(git rev-parse refs/notes/y) = $(git rev-parse refs/notes/z) &&
	git notes merge missing && test_must_fail git notes --ref=gone merge missing 2>err &&
	grep "Cannot merge empty notes ref (refs/notes/missing) into empty notes ref (refs/notes/gone)" err &&
	test_must_fail git notes merge HEAD^{tree} 2>err && grep "Could not parse remote commit" err
'

test_expect_success 'ours' '
	git notes merge -s ours x >out && grep "^Using local notes for $head" out && note_of HEAD c1 same && note_of HEAD~1 c2 &&
	note_of HEAD~2 new2 && note_of HEAD~3 c4 && note_of HEAD~4 c5 &&
	git log -1 --format="%P|%s" refs/notes/commits >out &&
	echo "$(git rev-parse refs/notes/save) $(git rev-parse refs/notes/x)|Merged notes from refs/notes/x into refs/notes/commits" >expect &&
	test_cmp expect out
'

test_expect_success 'theirs' '
	start && git notes merge -s theirs x >out && grep "^Using remote notes for $head" out && note_of HEAD x1 same &&
	test_must_fail git notes show HEAD~1 && note_of HEAD~2 new2 && note_of HEAD~3 x4 && note_of HEAD~4 c5
'

test_expect_success 'union and cat_sort_uniq' '
	start && git notes merge -s union x >out && grep "^Concatenating local and remote notes for $head" out &&
	note_of HEAD c1 same "" x1 same && note_of HEAD~1 c2 && note_of HEAD~3 c4 "" x4 &&
	start && git notes merge -s cat_sort_uniq x >out && grep "^Concatenating unique lines in local and remote notes for $head" out &&
	note_of HEAD c1 same x1
'

test_expect_success 'the strategy of the configuration' '
	start && git -c notes.mergeStrategy=ours notes merge -q x && note_of HEAD c1 same &&
	start && git -c notes.mergeStrategy=ours -c notes.commits.mergeStrategy=theirs notes merge -q x && note_of HEAD x1 same &&
	start && git -c notes.commits.mergeStrategy=theirs notes merge -q -s ours x && note_of HEAD c1 same &&
	start && test_must_fail git -c notes.mergeStrategy=odd notes merge x 2>err && grep "unknown notes merge strategy odd" err &&
	test_expect_code 129 git notes merge -s odd x && test_expect_code 129 git notes merge &&
	test_expect_code 129 git notes merge --commit --abort && test_expect_code 129 git notes merge --abort x
'

test_expect_success 'conflicts are left in files, the ref stays' '
	start && test_expect_code 1 git notes merge x >out 2>err && grep "^Automatic notes merge failed. Fix conflicts in $W" err &&
	grep "^CONFLICT (content): Merge conflict in notes for object $head" out &&
	grep "^CONFLICT (add/add): Merge conflict in notes for object $added" out &&
	grep "^CONFLICT (delete/modify): Notes for object $gone deleted in refs/notes/x and modified in refs/notes/commits" out &&
	printf "%s\n" "<<<<<<< refs/notes/commits" c1 ======= x1 ">>>>>>> refs/notes/x" same >expect && test_cmp expect $W/$head &&
	echo c2 >expect && test_cmp expect $W/$gone && test -s $W/$added &&
	test $(git rev-parse refs/notes/commits) = $(git rev-parse refs/notes/save) &&
	test "$(ref_value . NOTES_MERGE_REF)" = "ref: refs/notes/commits" &&
	git ls-tree -r --name-only NOTES_MERGE_PARTIAL >out && test_line_count = 2 out &&
	git log -1 --format=%B NOTES_MERGE_PARTIAL >out && grep "^Conflicts:" out && grep "^	$head" out
'

test_expect_success 'a note that one side alone has changed is no conflict' '
	git update-ref refs/notes/p refs/notes/x && git update-ref refs/notes/q refs/notes/x && git notes --ref=p add -f -m mine HEAD~2 && git notes --ref=p remove HEAD &&
	git notes --ref=q add -f -m theirs HEAD~3 && git notes --ref=q add -m same HEAD~4 && git notes --ref=p add -m same HEAD~4 && git notes --ref=p merge q >out &&
	! grep CONFLICT out && git notes --ref=p show HEAD~2 >out && echo mine >expect && test_cmp expect out && test_must_fail git notes --ref=p show HEAD &&
	git notes --ref=p show HEAD~3 >out && echo theirs >expect && test_cmp expect out && git notes --ref=p show HEAD~4 >out && echo same >expect && test_cmp expect out
'

test_expect_success 'of two notes for one object in a tree the first counts' '
	object=$(git rev-parse HEAD) && first=$(echo first | git hash-object -w --stdin) && second=$(echo second | git hash-object -w --stdin) &&
	below=$(printf "100644 blob %s\t%s\n" $second ${object#??} | git mktree) &&
	both=$(printf "100644 blob %s\t%s\n040000 tree %s\t%.2s\n" $first $object $below $object | git mktree) && git update-ref -d refs/notes/p &&
	git notes --ref=p add -m other HEAD~1 && local=$(git rev-parse refs/notes/p) && git update-ref refs/notes/q $(git commit-tree -p $local -m both $both) &&
	git notes --ref=q show HEAD >want && git notes --ref=p add -m more HEAD~2 && git notes --ref=p merge -s theirs q && git notes --ref=p show HEAD >got && test_cmp want got
'

test_expect_success 'another merge is refused, --abort ends the first' '
	test_must_fail git notes merge x 2>err && grep "You have not concluded your previous notes merge (.git/NOTES_MERGE_\* exists)." err &&
	git notes merge -v --abort >out && echo "Removing notes merge worktree at $W/*" >expect && test_cmp expect out &&
	ls .git >out && ! grep NOTES out && test_expect_code 1 git notes merge --abort 2>err &&
	grep "failed to remove ${SQ}git notes merge${SQ} worktree" err && test_must_fail git notes merge --commit 2>err &&
	grep "failed to read ref NOTES_MERGE_PARTIAL" err
'

test_expect_success '--commit takes the files as they are' '
	test_expect_code 1 git notes merge x && rm $W/$head && echo mine >$W/$added && echo other >$W/words &&
	git notes merge -v -v --commit >out && grep "^Skipping non-SHA1 entry .$W/words" out && grep "^Added resolved note for object $added" out &&
	test_must_fail git notes show HEAD && note_of HEAD~1 c2 && note_of HEAD~2 new2 && note_of HEAD~3 mine && note_of HEAD~4 c5 &&
	git log -1 --format=%P refs/notes/commits >out && echo "$(git rev-parse refs/notes/save) $(git rev-parse refs/notes/x)" >expect &&
	test_cmp expect out && ls .git >out && ! grep NOTES out && git log -g -1 --format=%gs refs/notes/commits >out &&
	echo "notes: Merged notes from refs/notes/x into refs/notes/commits" >expect && test_cmp expect out
'

test_expect_success '--commit fails if the ref has changed, and changes nothing' '
	start && test_expect_code 1 git notes merge x && git notes add -f -m later HEAD && git rev-parse refs/notes/commits >before &&
	test_must_fail git notes merge --commit 2>err && grep "update_ref failed for ref .refs/notes/commits.: cannot lock ref" err &&
	git rev-parse refs/notes/commits >after && test_cmp before after && test -s $W/$head && start
'

test_expect_success 'another worktree that merges into the same ref' '
	git worktree add -q --detach linked && (cd linked && test_expect_code 1 git notes merge x) &&
	test_must_fail git notes merge x 2>err && grep "a notes merge into refs/notes/commits is already in-progress at .*/linked" err &&
	(cd linked && git notes merge --abort) && ls .git >out && ! grep NOTES out && git worktree remove linked
'

test_expect_success 'binary notes stay ours' '
	git notes --ref=b add -C $(printf "a\0b" | git hash-object -w --stdin) && test_expect_code 1 git notes --ref=b merge x 2>err &&
	grep "warning: Cannot merge binary files: $head (refs/notes/b vs. refs/notes/x)" err && printf "a\0b" | cmp - $W/$head && start
'

test_expect_success 'each step is one flush' '
	test "$(count_flushes git notes merge -s union x)" = 1 && start && write_script stops <<-\EOF &&
	git notes merge x
	test $? = 1
	EOF
	test "$(count_flushes ./stops)" = 1 &&
	test -s $W/$head && test "$(count_flushes git notes merge --commit)" = 1 && start && test_expect_code 1 git notes merge x &&
	test "$(count_flushes git notes merge --abort)" = 1
'

test_expect_success 'refs in tables' '
	git init -q --ref-format=reftable tables && cd tables && git commit -q --allow-empty -m a && git notes add -m a &&
	git notes --ref=x add -m x && test_expect_code 1 git notes merge x && git rev-parse --verify NOTES_MERGE_PARTIAL &&
	git symbolic-ref NOTES_MERGE_REF >out && echo refs/notes/commits >expect && test_cmp expect out &&
	git notes merge --commit && git notes show >out && test_line_count = 5 out && test_must_fail git rev-parse --verify NOTES_MERGE_PARTIAL &&
	cd ..
'

test_done
