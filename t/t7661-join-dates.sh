#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='rebase, merge: dates of new commits, the list of commands done, labels, ORIG_HEAD'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# side, from base: s1 (line 4), s2 (n), s3 (o); main, from base: m1 (line 0)
test_expect_success 'set up' '
	unset GIT_AUTHOR_DATE && GIT_COMMITTER_DATE="1100000000 +0100" && export GIT_COMMITTER_DATE &&
	git init -q -b main r && (
		cd r && GIT_AUTHOR_DATE="1000000000 +0000" && export GIT_AUTHOR_DATE && lines 1 2 3 >f && git add f && git commit -qm base && git checkout -q -b side &&
		lines 1 2 3 4 >f && git commit -qam s1 && echo n >n && git add n && git commit -qm s2 && echo o >o && git add o && git commit -qm s3 && git tag tip &&
		git checkout -q main && lines 0 1 2 3 >f && git commit -qam m1
	)
'

back () {
	git -C r checkout -q -f -B side tip && git -C r clean -fdq
}

# dates COUNT: of author and committer, "now" for those of this year or later, in the zone of the user
dates () {
	git -C r log -$1 --date=raw --format="%ad %cd" | sed "s/1[6-9][0-9]\{8\} +0500/now/g"
}

test_expect_success '--reset-author-date is the time of the rebase, --committer-date-is-author-date takes that of the author' '
	old="1000000000 +0000" given="1100000000 +0100" && TZ=UTC-5 && export TZ &&
	for backend in --merge --apply
	do
		back && git -C r rebase -q $backend main && dates 3 >actual && lines "$old $given" "$old $given" "$old $given" >expect && test_cmp expect actual &&
		back && git -C r rebase -q $backend --reset-author-date main && dates 3 >actual && lines "now $given" "now $given" "now $given" >expect && test_cmp expect actual &&
		back && git -C r rebase -q $backend --committer-date-is-author-date main && dates 3 >actual && lines "$old $old" "$old $old" "$old $old" >expect &&
		test_cmp expect actual &&
		back && git -C r rebase -q $backend --committer-date-is-author-date --ignore-date main && dates 3 >actual && lines "now now" "now now" "now now" >expect &&
		test_cmp expect actual || return
	done &&
	back && git -C r rebase -q --reset-author-date side~2 && dates 2 >actual && lines "now $given" "now $given" >expect && test_cmp expect actual &&
	back && GIT_SEQUENCE_EDITOR="sed -i 2s/pick/squash/" GIT_EDITOR=: git -C r rebase -q -i --reset-author-date main >out && dates 2 >actual && test_cmp expect actual
'

test_expect_success 'commits after a stop, and by git commit, get the same dates' '
	old="1000000000 +0000" given="1100000000 +0100" && back && git -C r checkout -q -b clash main~1 && lines 1 2 3 5 >r/f && git -C r commit -qam clash && git -C r checkout -q side &&
	for want in "--reset-author-date,now $given" "--committer-date-is-author-date,$old $old" "--ignore-date --committer-date-is-author-date,now now"
	do
		set -- ${want%%,*} && want=${want#*,} && lines "$want" "$want" "$want" >expect &&
		back && test_expect_code 1 git -C r rebase -q "$@" clash && test_grep "^GIT_AUTHOR_DATE=.@$old.$" r/.git/rebase-merge/author-script && lines z >r/f && git -C r add f &&
		GIT_EDITOR=: git -C r rebase --continue >out && dates 3 >actual && test_cmp expect actual &&
		back && GIT_EDITOR=: GIT_SEQUENCE_EDITOR="sed -i s/pick/reword/" git -C r rebase -q -i "$@" main >out && dates 3 >actual && test_cmp expect actual &&
		back && GIT_SEQUENCE_EDITOR="sed -i 1s/pick/edit/" git -C r rebase -q -i "$@" main 2>err && lines z >r/f && git -C r add f &&
		GIT_EDITOR=: git -C r rebase --continue >out && dates 3 >actual && test_cmp expect actual || return
	done
'

test_expect_success 'a command that could not run is in both lists, of commands done and left' '
	for hook in "" post-commit
	do
		rm -rf r/.git/hooks && mkdir r/.git/hooks && if test -n "$hook"; then write_script r/.git/hooks/$hook <<-\EOF
		exit 0
		EOF
		fi && back && test_expect_code 1 env GIT_SEQUENCE_EDITOR="sed -i \"2aexec echo mine >o\"" git -C r rebase -q -i main 2>err && test_grep "^error: The following untracked" err &&
		cut -d" " -f1,4 r/.git/rebase-merge/done >actual && lines "pick s1" "pick s2" "exec" "pick s3" >expect && sed "s/ >o$//" actual >words && test_cmp expect words &&
		test "$(cat r/.git/rebase-merge/msgnum)" = 4 && test_expect_code 1 git -C r rebase --continue 2>err &&
		cut -d" " -f1,4 r/.git/rebase-merge/done | sed "s/ >o$//" >actual && lines "pick s3" >>expect && test_cmp expect actual &&
		git -C r status >out && test_grep "Last commands done (5 commands done)" out && test_grep "Next command to do (1 remaining command)" out &&
		rm r/o && git -C r rebase --continue 2>err && git -C r log --format=%s main.. >actual && lines s3 s2 s1 >expect && test_cmp expect actual || return
	done
'

test_expect_success 'with rescheduleFailedExec a command is noted once for each time that it ran' '
	back && test_expect_code 1 git -C r rebase -q --reschedule-failed-exec -x "test -e z" main && test_expect_code 1 git -C r rebase --continue &&
	cut -d" " -f1,2 r/.git/rebase-merge/done >actual && lines "pick $(git -C r rev-parse tip~2)" "exec test" "exec test" >expect && test_cmp expect actual &&
	git -C r rebase --abort
'

test_expect_success 'a merge that local files are in the way of is named' '
	back && git -C r checkout -q -b other main~1 && echo q >r/q && git -C r add q && git -C r commit -qm q && git -C r checkout -q side && git -C r merge -q --no-edit other &&
	test_expect_code 1 env GIT_SEQUENCE_EDITOR="sed -i \"/^merge/iexec echo mine >q\"" git -C r rebase -q -r -i main 2>err &&
	test_grep "^error: could not even attempt to merge .other.$" err && rm r/q && git -C r rebase --continue && git -C r rev-parse -q --verify HEAD^2
'

test_expect_success 'an editor that fails in a squash leaves both messages for --continue' '
	back && rm -rf r/.git/hooks && test_expect_code 1 env GIT_SEQUENCE_EDITOR="sed -i 2s/pick/squash/" GIT_EDITOR=false git -C r rebase -i main 2>err && test_grep "^Could not apply $(git -C r rev-parse --short tip~1)" err &&
	lines "# This is a combination of 2 commits." "# This is the 1st commit message:" "" s1 "" "# This is the commit message #2:" "" s2 >expect && test_cmp expect r/.git/rebase-merge/message &&
	test_cmp expect r/.git/MERGE_MSG && GIT_EDITOR=: git -C r rebase --continue >out && git -C r log -1 --format=%B HEAD~1 >actual && lines s1 "" s2 "" >expect && test_cmp expect actual
'

test_expect_success 'a merge that stops keeps HEAD in ORIG_HEAD' '
	back && git -C r checkout -q main && for o in --squash --no-commit
	do
		git -C r update-ref -d ORIG_HEAD && git -C r merge -q $o side && test "$(git -C r rev-parse ORIG_HEAD)" = "$(git -C r rev-parse main)" && git -C r reset -q --hard || return
	done
'

test_expect_success 'file or symbolic link: the base stays with the side of its type' '
	git init -q -b base t && (
		cd t && ln -s 1 f && git add f && git commit -qm base && git checkout -q -b ours && ln -sfn 2 f && git commit -qam ours && git checkout -q -b theirs base &&
		rm f && echo 3 >f && git commit -qam theirs && test_expect_code 1 git merge-tree --no-messages ours theirs
	) >out && sed 1d out | sed "s/ [0-9a-f]* / /" >actual && printf "120000 1\tf\n120000 2\tf\n100644 3\tf~theirs\n" >expect && test_cmp expect actual
'

# merged_branch NAME SUBJECT: a branch from base, whose merge has this subject
merged_branch () {
	back && git -C r checkout -q -B "$1-a" main~1 && lines 1 2 3 a >r/f && git -C r commit -qam "$1 a" && git -C r checkout -q -B "$1" main~1 && lines "$1" >r/"$1" && git -C r add "$1" &&
	git -C r commit -q -m "$1 b" && git -C r merge -q -m "$2" "$1-a" && git -C r branch -q -D "$1-a"
}

test_expect_success 'labels of rebase -r are made of letters and digits' '
	merged_branch one "Merge - branch -- it : s! -" && GIT_SEQUENCE_EDITOR="cat" git -C r rebase -i -r main >out 2>err && grep "^label" out >actual &&
	lines "label onto" "label Merge-branch-it-s" >expect && test_cmp expect actual
'

test_expect_success 'a merge that rebase -r makes again goes by the attributes of its first parent' '
	merged_branch two "Merge two" && git -C r checkout -q two^1 && lines 1 2 3 b >r/f && git -C r commit -qam "two c" && echo "f merge=union" >r/.gitattributes && git -C r add .gitattributes && git -C r commit -qm attributes && git -C r merge -q -s ours -m "Merge again" two^2 && git -C r branch -q -f two HEAD &&
	git -C r rebase -q -r main two &&
	lines 0 1 2 3 b a >expect && test_cmp expect r/f && git -C r rev-parse -q --verify HEAD^2
'

test_expect_success '--stat comes before the progress of the rebase' '
	back && rm -rf r/.git/hooks && git -C r rebase --stat main >out 2>&1 && sed -n 1p out >first && test_grep "^ f | 1 [+]$" first
'

test_expect_success '--stat names renamed files' '
	back && git -C r checkout -q -B renamed main && git -C r mv f g && git -C r commit -qm renamed && git -C r rebase --stat renamed side >out && test_grep "f => g" out
'

test_done
