#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, pull, rebase, cherry-pick, revert, stash and others: output that cannot be written, progress, state files'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# side, from base: s1 (line 4), s2 (n); main, from base: m1 (line 0); clash, from base: line 4
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 >f && git add f && git commit -qm base && git checkout -q -b side &&
		lines 1 2 3 4 >f && git commit -qam s1 && echo n >n && git add n && git commit -qm s2 && git tag tip &&
		git checkout -q -b clash main && lines 1 2 3 5 >f && git commit -qam clash &&
		git checkout -q main && lines 0 1 2 3 >f && git commit -qam m1 && git tag top
	)
'

back () {
	git -C r merge --abort 2>/dev/null
	git -C r rebase --abort 2>/dev/null
	git -C r cherry-pick --abort 2>/dev/null
	git -C r checkout -q -f -B side tip && git -C r checkout -q -f -B main top && git -C r reset -q --hard && git -C r clean -fdq
}

# full CODE COMMAND: it ends with CODE if its output cannot be written, and says so
full () {
	local code=$1
	shift
	test_expect_code $code git -C r "$@" >/dev/full 2>err && test_grep "^fatal: write failure on standard output: No space left on device$" err && test_line_count = 1 err
}

test_expect_success 'output that cannot be written is an error: commands that only print' '
	back && full 128 merge-base main side && full 128 merge-tree main side && full 128 merge-tree --name-only main clash &&
	echo main side >pairs && test_expect_code 128 git -C r merge-tree --stdin <pairs >/dev/full && echo x >r/f && full 128 stash create && git -C r stash -q &&
	full 128 stash list && full 128 stash show && full 128 stash show -p && full 128 stash export --print && git -C r stash drop -q &&
	full 128 replay --ref-action=print --onto main side~2..side
'

test_expect_success '--progress shows a meter, --no-progress and -q do not' '
	GIT_PROGRESS_DELAY=0 && export GIT_PROGRESS_DELAY && back && git -C r merge -m x --progress side 2>err && test_grep "Updating files: 100%" err &&
	back && git -C r merge -m x --no-progress side 2>err && test_grep ! Updating err && back && git -C r merge -m x -q side 2>err && test_grep ! Updating err
'

test_expect_success 'the list as it was made is there while the user edits' '
	back && GIT_SEQUENCE_EDITOR="cat .git/rebase-merge/git-rebase-todo.backup >../backup; cat >../list" git -C r rebase -q -i main side && sed -n "s/^pick [0-9a-f]* //p" backup >actual && lines "# s1" "# s2" >expect &&
	test_cmp expect actual && sed -n "s/^pick [0-9a-f]* //p" list >actual && test_cmp expect actual
'

test_expect_success 'options of the strategy that cannot be read end --continue' '
	back && test_expect_code 1 git -C r rebase -q -X patience --onto clash main~1 side~1 && rm -f r/.git/rebase-merge/strategy_opts && lines "\"ours" >r/.git/rebase-merge/strategy_opts &&
	lines 9 >r/f && git -C r add f && test_expect_code 128 git -C r rebase --continue 2>err && test_grep "could not parse" err && git -C r rebase --abort
'

test_expect_success '-Xsubtree takes the directory of the side that fits better' '
	git init -q -b ours t && (
		cd t && mkdir dir && lines a 1 2 3 >a && lines b 1 2 3 >b && lines x >dir/x && git add . && git commit -qm ours && git checkout -q --orphan theirs && git rm -rfq . && mkdir dir &&
		lines a 1 2 3 >dir/a && lines b 1 2 3 4 >dir/b && git add . && git commit -qm theirs && git checkout -q ours && git merge -q --allow-unrelated-histories -Xsubtree=dir -Xtheirs -m x theirs &&
		git ls-tree -r --name-only HEAD
	) >out && lines a b dir/x >expect && test_cmp expect out && lines b 1 2 3 4 >expect && test_cmp expect t/b
'

test_done
