#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='cherry-pick, revert, rebase, stash: options of the merge, unmerged entries, states of one another'
. "$(dirname "$0")/test-lib.sh"

# main: base, m (line 1 of f; .gitattributes); crlf, from base: CRLF in f, and line 5
test_expect_success 'set up' '
	git init -q -b main start && (
		cd start && printf "%s\n" 1 2 3 4 5 >f && git add f && git commit -q -m base && git checkout -q -b crlf &&
		printf "%s\r\n" 1 2 3 4 V >f && git add f && git commit -q -m crlf && git checkout -q main &&
		printf "%s\n" I 2 3 4 5 >f && echo "* text=auto" >.gitattributes && git add . && git commit -q -m m
	)
'
copy() { rm -rf r && cp -R start r; }
has_both() { printf "%s\n" I 2 3 4 V >expect && git -C r cat-file blob ${1:-HEAD:f} >actual && test_cmp_bin expect actual; }

test_expect_success '-X renormalize, merge.renormalize' '
	copy && test_expect_code 1 git -C r cherry-pick crlf && git -C r cherry-pick --abort &&
	git -C r cherry-pick -Xrenormalize crlf && has_both &&
	copy && test_expect_code 1 git -C r rebase main crlf && git -C r rebase --abort && git -C r rebase -Xrenormalize main crlf && has_both &&
	copy && test_expect_code 1 git -C r rebase main crlf && git -C r rebase --abort &&
	git -C r -c merge.renormalize=true rebase -i --exec true main crlf && has_both &&
	copy && git -C r checkout -q crlf && printf "%s\n" 1 2 3 4 5 >r/f && echo "* text=auto" >r/.gitattributes && git -C r add . &&
	git -C r commit -q -m back && printf "%s\n" I 2 3 4 5 >r/f && git -C r commit -qam one && git -C r tag one &&
	git -C r revert --no-edit -Xrenormalize one~1 && has_both &&
	copy && git -C r checkout -q crlf^ && git -C r restore -s crlf -W f && git -C r stash -q && git -C r checkout -q main &&
	test_expect_code 1 git -C r stash apply && git -C r reset -q --hard && git -C r -c merge.renormalize=true stash apply &&
	git -C r add f && has_both :f
'

test_expect_success 'picks ignore unknown options, and the path of subtree' '
	copy && echo g >r/g && git -C r add g && git -C r commit -q -m g && git -C r branch g && git -C r reset -q --hard HEAD^ &&
	for command in "cherry-pick -Xnope -Xsubtree=sub g" "rebase -f -Xnope -Xsubtree=sub main g" "revert --no-edit -Xnope -Xsubtree=sub g"
	do
		git -C r $command || return 1
	done &&
	git -C r ls-files >files && test_grep ! "^g$" files
'

test_expect_success 'revert -n that stops has REVERT_HEAD, cherry-pick -n has no such file' '
	copy && test_expect_code 1 git -C r revert -n HEAD^ && git -C r rev-parse HEAD^ >expect && git -C r rev-parse REVERT_HEAD >actual &&
	test_cmp expect actual && copy && test_expect_code 1 git -C r cherry-pick -n crlf && test_path_is_missing r/.git/CHERRY_PICK_HEAD
'

test_expect_success '--continue of -n with nothing left makes no MERGE_MSG' '
	copy && test_expect_code 1 git -C r cherry-pick -n main..crlf && git -C r checkout -q --theirs f && git -C r add f &&
	git -C r commit -q --no-edit && git -C r cherry-pick --continue && test_path_is_missing r/.git/MERGE_MSG &&
	copy && test_expect_code 1 git -C r cherry-pick -n crlf
'

test_expect_success 'unmerged entries: -n, rebase' '
	git -C r ls-files -u | sed "s/^[0-9]* \([0-9a-f]*\) .*/f: unmerged (\1)/" >expect && echo "error: your index file is unmerged." >>expect &&
	cp expect expect-revert && echo "fatal: cherry-pick failed" >>expect && echo "fatal: revert failed" >>expect-revert &&
	test_expect_code 128 git -C r cherry-pick -n crlf 2>actual && test_cmp expect actual &&
	test_expect_code 128 git -C r revert -n HEAD 2>actual && test_cmp expect-revert actual &&
	echo "f: needs merge" >expect && test_expect_code 1 git -C r rebase crlf >actual 2>err && test_cmp expect actual &&
	test_grep "^error: cannot rebase: You have unstaged changes" err &&
	test_expect_code 1 git -C r merge -s nothere crlf 2>err && test_grep "^Could not find merge strategy .nothere.\.$" err &&
	test_expect_code 128 git -C r merge -s ours crlf 2>err && test_grep "^error: Merging is not possible because you have unm" err
'

test_expect_success 'a rebase that begins ends the pick that waits' '
	copy && test_expect_code 1 git -C r cherry-pick crlf && git -C r checkout -q --ours f && git -C r add f &&
	test_path_is_file r/.git/CHERRY_PICK_HEAD && test_expect_code 1 git -C r rebase crlf && test_path_is_missing r/.git/CHERRY_PICK_HEAD
'

test_expect_success 'stash pop -q of untracked files alone' '
	copy && echo u >r/u && git -C r stash -q -u && git -C r stash pop -q >actual && echo "Already up to date." >expect &&
	test_cmp expect actual && test_path_is_file r/u
'

# fresh: main renames f to g; side changes f and adds s
fresh() {
	rm -rf st && git init -q -b main st && (
		cd st && for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done >f && git add f && git commit -qm base && git checkout -q -b side && echo more >>f && git commit -qam more && echo s >s && git add s && git commit -qm s &&
		git checkout -q main && git mv f g && git commit -qm renamed
	)
}

test_expect_success 'strategies of picks: ours, resolve, others' '
	fresh && git -C st cherry-pick --strategy=recursive side~1 && fresh && test_expect_code 1 git -C st cherry-pick --strategy=ours side 2>err && test_grep "previous cherry-pick is now empty" err && test_path_is_missing st/s && git -C st cherry-pick --skip &&
	test_expect_code 1 git -C st cherry-pick --strategy=resolve side~1 && git -C st status --short >out && echo "DU f" >expect && test_cmp expect out &&
	git -C st cherry-pick --abort && test_expect_code 128 git -C st cherry-pick --strategy=octopus side 2>err && test_grep "the merge strategy .octopus. is not available here" err
'

test_expect_success 'strategies of rebase: ours, resolve, others; they last over a stop' '
	fresh && git -C st checkout -q side && git -C st rebase -s ours main 2>err && test_grep "^.*dropping .* more -- patch contents already upstream" err && test "$(git -C st rev-parse HEAD)" = "$(git -C st rev-parse main)" &&
	fresh && git -C st checkout -q side && git -C st rebase -q -s recursive main && fresh && git -C st checkout -q side && test_expect_code 1 git -C st rebase -q -s resolve main && test resolve = "$(cat st/.git/rebase-merge/strategy)" && git -C st rebase --abort &&
	test_expect_code 128 git -C st rebase -s octopus main 2>err && test_grep "the merge strategy .octopus. is not available here" err &&
	GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git -C st rebase -q -i -s ours main && test_must_fail git -C st rebase --continue && test_must_fail git -C st rebase --skip && git -C st rebase --skip &&
	test_path_is_missing st/.git/rebase-merge && test "$(git -C st rev-parse HEAD)" = "$(git -C st rev-parse main)"
'

test_done
