#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='log, show --remerge-diff: what a merge commit differs from the merge made again'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

# the merge "resolved": a had a conflict and was resolved, d was merged and changed all the same, gone was kept
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 4 5 >a && cp a d && cp a gone && git add . && git commit -q -m base && git checkout -q -b side &&
		lines 1 2 side 4 5 >a && lines one 2 3 4 5 >d && git rm -q gone && git add . && git commit -q -m side &&
		git checkout -q main && lines 1 2 main 4 5 >a && lines 1 2 3 4 five >d && echo more >>gone && git commit -q -a -m main &&
		test_expect_code 1 git merge side && lines 1 2 both 4 5 >a && echo evil >>d && git add . && git commit -q -m resolved &&
		git tag resolved
	) &&
	git clone -q r fresh && git -C fresh count-objects -v >objects &&
	ours=$(git -C r rev-parse --short resolved^1) theirs=$(git -C r rev-parse --short resolved^2)
'

test_expect_success 'show: conflicts are in the header, lines of the conflict are removed' '
	cat >expect <<-END &&
	diff --git a/a b/a
	remerge CONFLICT (content): Merge conflict in a
	index X..Y 100644
	--- a/a
	+++ b/a
	@@ -1,9 +1,5 @@
	 1
	 2
	-<<<<<<< $ours (main)
	-main
	-=======
	-side
	->>>>>>> $theirs (side)
	+both
	 4
	 5
	diff --git a/d b/d
	index X..Y 100644
	--- a/d
	+++ b/d
	@@ -3,3 +3,4 @@ one
	 3
	 4
	 five
	+evil
	diff --git a/gone b/gone
	remerge CONFLICT (modify/delete): gone deleted in $theirs (side) and modified in $ours (main).  Version $ours (main) of gone left in tree.
	END
	git -C r show --remerge-diff --format= resolved >out && sed "s/^index [0-9a-f]*\.\.[0-9a-f]*/index X..Y/" out >actual &&
	test_cmp expect actual
'

test_expect_success 'other formats show the differences alone' '
	git -C r show --remerge-diff --format= --name-status resolved >out && printf "M\ta\nM\td\n" >expect && test_cmp expect out &&
	git -C r show --remerge-diff --format= --shortstat resolved >out &&
	echo " 2 files changed, 2 insertions(+), 5 deletions(-)" >expect && test_cmp expect out &&
	git -C r show --remerge-diff --format= --raw -p resolved >out && grep "^:" out >raw && test_line_count = 2 raw &&
	test_grep "^remerge CONFLICT (modify/delete)" out &&
	git -C r show --remerge-diff --format= resolved -- gone >out && test_line_count = 2 out
'

test_expect_success 'log: other commits have their patches, and a clean merge none' '
	git -C r checkout -q -b clean main^ && test_commit -C r own && git -C r merge -q -m clean side~0 -s ours &&
	git -C r log --remerge-diff --format=%s resolved >out && test_grep "^remerge CONFLICT" out && test_grep "^+more" out &&
	git -C r checkout -q -B clean side && test_commit -C r x && git -C r checkout -q -b other side && test_commit -C r y &&
	git -C r merge -q -m "a clean merge" clean && git -C r log -1 --remerge-diff --format=%s >out &&
	echo "a clean merge" >expect && test_cmp expect out
'

test_expect_success '--diff-merges=remerge, log.diffMerges, diff-tree' '
	git -C r show --remerge-diff resolved >expect && git -C r show --diff-merges=remerge resolved >out && test_cmp expect out &&
	git -C r -c log.diffMerges=remerge show -m resolved >out && test_cmp expect out &&
	git -C r diff-tree -p --remerge-diff resolved >out && test_grep "^remerge CONFLICT (content)" out
'

test_expect_success 'merge.conflictStyle counts; -S and --follow do' '
	git -C r -c merge.conflictStyle=diff3 show --remerge-diff resolved >out && test_grep "^-|||||||" out &&
	git -C r log --remerge-diff --format=%s -S evil resolved >out && test_grep "^resolved" out && test_grep ! gone out &&
	git -C r log --remerge-diff --format=%s --follow resolved -- d >out && test_grep "^+evil" out && test_grep ! "b/a" out
'

test_expect_success 'a merge of three commits has a warning' '
	git -C r checkout -q -b oct main && git -C r branch o2 && test_commit -C r o1 && git -C r checkout -q o2 && test_commit -C r o2 o2.t &&
	git -C r checkout -q -b o3 main && test_commit -C r o3 && git -C r merge -q -m octopus oct o2 &&
	git -C r show --remerge-diff --format=%s >out &&
	lines octopus "diff: warning: Skipping remerge-diff for octopus merges." >expect && test_cmp expect out
'

test_expect_success 'no object stays' '
	git -C fresh log --remerge-diff --all >/dev/null && git -C fresh count-objects -v >out &&
	test_cmp objects out && ls fresh/.git/objects >names && test_grep ! tmp_ names
'

test_done
