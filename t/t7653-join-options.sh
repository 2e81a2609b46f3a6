#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, cherry-pick, rebase, stash import, rerere: options that do not go together, and state that is kept'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# main and side change line 3 of f; new adds n, in two commits
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 4 5 >f && git add f && git commit -qm base && git branch new && git checkout -q -b side &&
		lines 1 2 side 4 5 >f && git commit -qam side && git checkout -q new && echo n >n && git add n && git commit -qm new &&
		echo m >n && git commit -qam newer && git checkout -q main && lines 1 2 main 4 5 >f && git commit -qam main && git tag start
	)
'
back () {
	git -C r checkout -q -f main && git -C r reset -q --hard start
}
same_commit () {
	test "$(git -C r rev-parse $1)" = "$(git -C r rev-parse $2)"
}
refuses_pair () {
	"$@" 2>err
	rc=$?
	test $rc = 128 && test_grep "^fatal: options .*$pair.* cannot be used together" err
}

test_expect_success 'merge: options that do not go together' '
	pair="--squash. and .--no-ff[.]" refuses_pair git -C r merge --squash --no-ff new &&
	pair="--squash. and .--commit[.]" refuses_pair git -C r merge --squash --commit new
'

test_expect_success 'merge-tree: options that do not go together' '
	pair="--quiet. and .-z" refuses_pair git -C r merge-tree --quiet -z new side &&
	pair="--quiet. and .--name-only" refuses_pair git -C r merge-tree --quiet --name-only new side &&
	pair="--quiet. and .--messages" refuses_pair git -C r merge-tree --quiet --messages new side
'

test_expect_success 'merge-base: counts of arguments; 1 without a common commit' '
	for args in "main" "--is-ancestor main" "--fork-point main new side"; do
		test_expect_code 129 git -C r merge-base $args 2>err && test_grep "^usage: git merge-base" err || return 1
	done &&
	lone=$(git -C r commit-tree -m lone main^{tree}) && test_expect_code 1 git -C r merge-base main $lone
'

test_expect_success 'merge without names says which part of the upstream is missing' '
	test_expect_code 128 git -C r merge 2>err && test_grep "^fatal: No remote for the current branch.$" err &&
	git -C r config branch.main.remote origin && test_expect_code 128 git -C r merge 2>err &&
	test_grep "^fatal: No default upstream defined for the current branch.$" err && git -C r config --unset branch.main.remote &&
	git -C r checkout -q --detach && test_expect_code 128 git -C r merge 2>err && test_grep "^fatal: No current branch.$" err && back
'

test_expect_success 'merge.ff=only refuses to make a merge' '
	test_expect_code 128 git -C r -c merge.ff=only merge new 2>err && test_grep "Not possible to fast-forward, aborting." err &&
	git -C r checkout -q --detach new~2 && git -C r -c merge.ff=only merge -q new && same_commit new HEAD && back
'
test_expect_success 'part of a branch is named in the message of the merge' '
	git -C r merge -q -m x --no-edit new~1 && git -C r reset -q --hard start && git -C r merge -q --no-edit new~1 &&
	git -C r log -1 --format=%s >out && echo "Merge branch '\''new'\'' (early part)" >expect && test_cmp expect out && back
'

test_expect_success 'a tag that its ref does not name is merged by a commit' '
	git -C r tag -m one v new && tag=$(git -C r rev-parse v) && git -C r tag -f -m two v new && git -C r checkout -q --detach new~2 &&
	git -C r merge -q --no-edit $tag && git -C r rev-parse HEAD^2 && git -C r reset -q --hard new~2 &&
	git -C r update-ref -d refs/tags/v && git -C r merge -q --no-edit $tag && git -C r rev-parse HEAD^2 && back
'

test_expect_success 'a directory as deep as core.maxTreeDepth allows is merged' '
	git init -q -b main deep && (
		cd deep && mkdir -p a/b && echo 1 >a/b/one && echo 1 >a/b/two && git add a && git commit -qm base && git branch side && echo 2 >a/b/one &&
		git commit -qam main && git checkout -q side && echo 2 >a/b/two && git commit -qam side &&
		git -c core.maxTreeDepth=2 merge-tree main side && test_expect_code 128 git -c core.maxTreeDepth=1 merge-tree main side 2>err &&
		test_grep "maximum allowed tree depth" err
	)
'

test_expect_success 'the conflicts of a strategy are shown before the next one is tried' '
	git -C r merge --no-edit -s ort -s ours side >out && lines "Trying merge strategy ort..." "Auto-merging f" \
		"CONFLICT (content): Merge conflict in f" "Rewinding the tree to pristine..." "Trying merge strategy ours..." >expect &&
	sed -n 1,5p out >got && test_cmp expect got && back
'

test_expect_success 'if all strategies fail, the one with the fewest conflicts is used again' '
	test_expect_code 1 git -C r merge --no-edit -s ort -s octopus side >out && test_grep "^Using the ort strategy to prepare resolving by hand.$" out &&
	git -C r ls-files -u >out && test_line_count = 3 out && git -C r merge --abort
'

test_expect_success 'rerere stages what it replays, with rerere.autoUpdate' '
	test_expect_code 1 git -C r -c rerere.enabled=true merge -q side && lines 1 2 both 4 5 >r/f &&
	git -C r -c rerere.enabled=true commit -qam both && back && test_expect_code 1 git -C r -c rerere.enabled=false merge -q side &&
	git -C r -c rerere.enabled=true rerere && git -C r ls-files -u >out && test_line_count = 3 out &&
	git -C r merge --abort && test_expect_code 1 git -C r -c rerere.enabled=false merge -q side &&
	git -C r -c rerere.enabled=true -c rerere.autoUpdate=true rerere && git -C r ls-files -u >out && test_must_be_empty out && git -C r merge --abort
'

test_expect_success 'rebase refuses a branch of another worktree' '
	git -C r worktree add -q ../wt new && test_expect_code 128 git -C r rebase main new 2>err &&
	test_grep "^fatal: .new. is already used by worktree at .*/wt" err && git -C r worktree remove ../wt
'

test_expect_success '--edit-todo shows the commands that are left' '
	test_expect_code 1 git -C r rebase -q main side && GIT_SEQUENCE_EDITOR="echo \"label here\" >>" git -C r rebase --edit-todo &&
	write_script seen <<-\EOF &&
	cp "$1" ../seen.txt
	EOF
	GIT_SEQUENCE_EDITOR="$PWD/seen" git -C r rebase --edit-todo && test_grep "^label here$" seen.txt && git -C r rebase --abort && back
'

test_expect_success 'rebase --trailer is kept over a stop' '
	git -C r checkout -q -b two side && echo x >r/x && git -C r add x && git -C r commit -qm x &&
	test_expect_code 1 git -C r rebase -q --trailer "Seen-by: me" main two && lines 1 2 both 4 5 >r/f && git -C r add f &&
	GIT_EDITOR=: git -C r rebase --continue && git -C r log -1 --format=%B two >out && lines x "" "Seen-by: me" "" >expect &&
	test_cmp expect out && back
'

test_expect_success '--fork-point leaves out commits that the upstream once had' '
	git init -q -b main fork && (
		cd fork && for n in 1 2 3; do git commit -q --allow-empty -m $n || exit 1; done && echo u >u && git add u && git commit -qm gone &&
		git checkout -q -b topic && echo t >t && git add t && git commit -qm topic && git branch -qf main main~ && git checkout -q main &&
		echo v >v && git add v && git commit -qm other && git rebase -q --fork-point main topic && git log --format=%s main..topic >out &&
		echo topic >expect && test_cmp expect out
	)
'

test_expect_success 'fixup! COMMIT finds a commit of the list only' '
	git -C r checkout -q -b fix new && git -C r commit -q --allow-empty -m "fixup! $(git -C r rev-parse main)" &&
	write_script seen <<-\EOF &&
	grep "^[a-z]" "$1" | cut -d" " -f1 >../todo
	EOF
	GIT_SEQUENCE_EDITOR="$PWD/seen" git -C r rebase -q -i --autosquash fix~2 && lines pick pick >expect && test_cmp expect todo && back
'

test_expect_success 'labels do not end with a dash' '
	git -C r checkout -q --detach side && git -C r commit -q --allow-empty -m unnamed && unnamed=$(git -C r rev-parse HEAD) &&
	git -C r checkout -q -b merged new && git -C r merge -q --no-ff -m "Merge branch '\''a side!'\''" -s ours $unnamed &&
	write_script seen <<-\EOF &&
	grep "^label" "$1" >../todo
	EOF
	GIT_SEQUENCE_EDITOR="$PWD/seen" git -C r rebase -q -i --rebase-merges new~2 && test_grep "^label a-side$" todo && back
'

test_expect_success 'a pick onto its parent is made anew, but with --ff' '
	git -C r checkout -q --detach new~2 && GIT_COMMITTER_DATE="1800000000 +0000" git -C r cherry-pick new~1 &&
	test "$(git -C r log -1 --format=%ct)" = 1800000000 && git -C r reset -q --hard new~2 &&
	GIT_COMMITTER_DATE="1800000000 +0000" git -C r cherry-pick --ff new~1 && same_commit new~1 HEAD && back
'

test_expect_success 'a pick that becomes empty keeps the rest for --skip' '
	git -C r cherry-pick new~1 && test_expect_code 1 git -C r cherry-pick two new~1 new 2>err && test_grep "is now empty" err &&
	git -C r cherry-pick --skip && git -C r log -1 --format=%s >out && echo newer >expect && test_cmp expect out && back
'

test_expect_success 'a message without an end of line stays apart from the conflicts' '
	c=$(printf "no end" | git -C r commit-tree -p main~ -F - side^{tree}) && printf "tree %s\nparent %s\nauthor %s\ncommitter %s\n\nno end" \
		$(git -C r rev-parse side^{tree} main~) "A <a@x> 1700000000 +0000" "A <a@x> 1700000000 +0000" >raw &&
	c=$(git -C r hash-object -t commit -w ../raw) && test_expect_code 1 git -C r cherry-pick $c &&
	lines "no end" "" "# Conflicts:" "#	f" >expect && test_cmp expect r/.git/MERGE_MSG && git -C r cherry-pick --abort
'

test_expect_success 'a sequence keeps the parent of a merge and the way of cleaning' '
	git -C r checkout -q -b merge2 new && git -C r merge -q --no-ff --no-edit -s ours start && git -C r checkout -q --detach side &&
	test_expect_code 1 git -C r cherry-pick -m 2 merge2 new &&
	test_grep "mainline = 2" r/.git/sequencer/opts && git -C r cherry-pick --abort && back &&
	printf "talk\n\n\n\n# a line\n" >msg && git -C r checkout -q --detach side && git -C r commit -q --allow-empty --cleanup=verbatim -F ../msg &&
	talk=$(git -C r rev-parse HEAD) && git -C r tag talk && back && test_expect_code 1 git -C r cherry-pick --allow-empty --cleanup=whitespace side $talk &&
	git -C r checkout -q --theirs f && git -C r add f && GIT_EDITOR=: git -C r cherry-pick --continue && git -C r log -1 --format=%B >out &&
	lines talk "" "# a line" "" >expect && test_cmp expect out && back &&
	GIT_EDITOR=: git -C r cherry-pick -e --allow-empty --cleanup=whitespace $talk && git -C r log -1 --format=%B >out &&
	lines talk "" >expect && test_cmp expect out && back
'

test_expect_success 'messages of picks are cleaned as asked, with a hook or without; a bad setting is no mode' '
	talk=$(git -C r rev-parse talk) && lines talk "" "# a line" >clean && lines talk "" "" "" "# a line" >raw && lines talk >stripped && mkdir -p r/.git/hooks &&
	for hook in "" hook; do
		{ test -z "$hook" || echo "exit 0" | write_script r/.git/hooks/prepare-commit-msg; } || return 1
		for how in "raw" "raw --cleanup=verbatim" "clean --cleanup=whitespace" "stripped --cleanup=strip" "stripped --cleanup=default" "clean -x" "clean -s"; do
			set -- $how && git -C r cherry-pick --allow-empty $2 $talk && git -C r log -1 --format=%B >out &&
			got=$(sed "/^(cherry/d; /^Signed/d" out) && test "$got" = "$(cat $1)" || return 1
		done
	done && rm r/.git/hooks/prepare-commit-msg && git -C r -c commit.cleanup=bogus cherry-pick --allow-empty $talk 2>err &&
	test_grep "^warning: invalid commit message cleanup mode .bogus.$" err && got=$(git -C r log -1 --format=%B) && test "$got" = "$(cat raw)" && back
'

test_expect_success 'a rebase cleans messages as commit.cleanup says, or for --signoff; trailers get their form' '
	git -C r checkout -q -b cleaned talk && lines talk "" "# a line" >clean && lines talk "" "" "" "# a line" >raw && lines talk >stripped &&
	for how in "raw x.y=z" "clean commit.cleanup=whitespace" "stripped commit.cleanup=strip" "clean x.y=z --signoff"; do
		set -- $how && git -C r reset -q --hard talk && git -C r -c $2 rebase -q -f --keep-empty $3 talk~ && git -C r log -1 --format=%B >out &&
		got=$(sed "/^Signed/d" out) && test "$got" = "$(cat $1)" || return 1
	done && git -C r rebase -q -f --keep-empty --trailer=key:value talk~ && git -C r log -1 --format=%B >out && test_grep "^key: value$" out && back
'

test_expect_success 'a pick whose hook fails keeps the rest for --continue' '
	write_script r/.git/hooks/prepare-commit-msg <<-\EOF && test_expect_code 128 git -C r cherry-pick new~1 new && rm r/.git/hooks/prepare-commit-msg &&
	exit 1
	EOF
	GIT_EDITOR=: git -C r cherry-pick --continue && git -C r log -2 --format=%s >out && lines newer new >expect && test_cmp expect out && back
'

test_expect_success 'fixup -c keeps the leading comment lines of a message that it skips as they are' '
	git -C r checkout -q -b chain main && for n in 1 2 3; do
		echo $n >r/c$n && git -C r add c$n && lines "#$n" "#more" "" "#last" | git -C r commit -q --cleanup=verbatim -F - || return 1
	done &&
	write_script ed <<-\EOF &&
	case $1 in
	*todo) sed -e "2s/pick/fixup -C/" -e "3s/pick/fixup -c/" "$1" >todo && cat todo >"$1" && rm todo ;;
	*) sed -e "/#2 will/,/^# This is/!d" "$1" >../skipped && echo joined >"$1" ;;
	esac
	EOF
	GIT_EDITOR="$PWD/ed" git -C r rebase -q -i chain~3 &&
	lines "# The commit message #2 will be skipped:" "" "#2" "#more" "#" "# #last" "" "# This is the commit message #3:" >expect &&
	test_cmp expect skipped && back
'

test_expect_success 'stash import refuses a chain whose links have one parent' '
	tree=$(git -C r hash-object -t tree -w --stdin </dev/null) && root=$(GIT_AUTHOR_NAME="git stash" GIT_AUTHOR_EMAIL=git@stash GIT_AUTHOR_DATE="1000684800 +0000" \
		git -C r commit-tree -m x $tree) && link=$(git -C r commit-tree -p $root -m "git stash: x" $tree) &&
	test_expect_code 1 git -C r stash import $link 2>err && test_grep "^error: $link is not a valid exported stash commit$" err
'

test_expect_success 'a link of stash export has author, committer and dates of the stash' '
	back && git -C r stash clear && lines x >r/f && GIT_COMMITTER_NAME=Other GIT_COMMITTER_DATE="1200000000 +0300" GIT_AUTHOR_NAME=Writer git -C r stash -q && git -C r stash export --to-ref refs/links &&
	git -C r log -1 --date=raw --format="%an %ad %cn %cd" stash >expect && git -C r log -1 --date=raw --format="%an %ad %cn %cd" refs/links >actual && test_cmp expect actual && test_grep "Other 1200000000 +0300$" actual && back
'

test_expect_success 'stash clear takes no argument but --' '
	test_expect_code 1 git -C r stash clear -- x 2>err && test_grep "stash clear with arguments is unimplemented" err && git -C r rev-parse -q --verify stash && git -C r stash clear -- && test_must_fail git -C r rev-parse -q --verify stash
'

test_done
