#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='status.compareBranches: status compares with these branches'
. "$(dirname "$0")/test-lib.sh"

# says WORDS TEXT...: the lines of status about other branches
says() {
	words=$1 && shift &&
	git -C repo -c status.compareBranches="$words" status $options >out &&
	sed -e 1d -e "/^nothing to commit/d" -e "/^\$/d" out >actual &&
	: >expect &&
	for line
	do
		echo "$line" >>expect || return 1
	done &&
	test_cmp expect actual
}
push='  (use "git push" to publish your local commits)'
pull='  (use "git pull" to update your local branch)'
merge='  (use "git pull" if you want to integrate the remote branch with yours)'
SQ="'"
details='  (use "git status --ahead-behind" for details)'

test_expect_success 'a branch with an upstream, and pushed to another repository' '
	git init -q -b main repo &&
	tree=$(git -C repo mktree </dev/null) &&
	one=$(git -C repo commit-tree -m 1 $tree) &&
	two=$(git -C repo commit-tree -m 2 -p $one $tree) &&
	other=$(git -C repo commit-tree -m other -p $one $tree) &&
	for remote in origin fork
	do
		git -C repo remote add $remote /nowhere/$remote &&
		git -C repo update-ref refs/remotes/$remote/main $one || return 1
	done &&
	git -C repo config branch.main.remote origin &&
	git -C repo config branch.main.merge refs/heads/main &&
	git -C repo config remote.pushDefault fork &&
	git -C repo config push.default current &&
	git -C repo update-ref refs/heads/main $two
'

test_expect_success 'each of them, both, in their order; other words are ignored with a warning' '
	ahead="Your branch is ahead of ${SQ}origin/main${SQ} by 1 commit." &&
	fork="Your branch is ahead of ${SQ}fork/main${SQ} by 1 commit." &&
	options= &&
	says "@{upstream}" "$ahead" &&
	says "@{push}" "$fork" "$push" &&
	says "@{upstream} @{push}" "$ahead" "$fork" "$push" &&
	says " @{push}  @{upstream} @{push}" "$fork" "$push" "$ahead" &&
	says "" &&
	says "@{u} @{push}" "$fork" "$push" 2>err &&
	echo "warning: ignoring value ${SQ}@{u}${SQ} for status.compareBranches, only @{upstream} and @{push} are supported" >expect &&
	test_cmp expect err &&
	git -C repo status >actual &&
	test_grep "^$ahead$" actual &&
	test_grep ! "git push" actual
'

test_expect_success 'checkout and the message of commit do the same' '
	git -C repo -c status.compareBranches="@{push}" checkout >actual &&
	printf "%s\n" "Your branch is ahead of ${SQ}fork/main${SQ} by 1 commit." "$push" >expect &&
	test_cmp expect actual &&
	test_expect_code 1 git -C repo -c status.compareBranches="@{push}" commit --dry-run >actual &&
	test_grep "ahead of ${SQ}fork/main${SQ}" actual
'

test_expect_success 'behind, diverged, not counted: pulling helps with the upstream alone' '
	git -C repo update-ref refs/heads/main $one &&
	git -C repo update-ref refs/remotes/origin/main $two &&
	git -C repo update-ref refs/remotes/fork/main $other &&
	options= says "@{upstream} @{push}" \
		"Your branch is behind ${SQ}origin/main${SQ} by 1 commit, and can be fast-forwarded." "$pull" \
		"Your branch is behind ${SQ}fork/main${SQ} by 1 commit, and can be fast-forwarded." &&
	git -C repo update-ref refs/heads/main $(git -C repo commit-tree -m 3 -p $one $tree) &&
	counts="and have 1 and 1 different commits each, respectively." &&
	options= says "@{upstream} @{push}" "Your branch and ${SQ}origin/main${SQ} have diverged," "$counts" "$merge" \
		"Your branch and ${SQ}fork/main${SQ} have diverged," "$counts" &&
	options=--no-ahead-behind says "@{upstream} @{push}" "Your branch and ${SQ}origin/main${SQ} refer to different commits." \
		"Your branch and ${SQ}fork/main${SQ} refer to different commits." "$details" &&
	test_expect_code 1 git -C repo commit --dry-run >actual &&
	test_grep ! "git pull" actual
'

test_expect_success 'only of the upstream it reports that the branch is gone' '
	git -C repo update-ref -d refs/remotes/fork/main &&
	options= says "@{push}" &&
	git -C repo update-ref -d refs/remotes/origin/main &&
	gone="Your branch is based on ${SQ}origin/main${SQ}, but the upstream is gone." &&
	fix="  (use \"git branch --unset-upstream\" to fixup)" &&
	options= says "@{upstream} @{push}" "$gone" "$fix" &&
	git -C repo update-ref refs/remotes/fork/main $one &&
	git -C repo config --unset branch.main.merge &&
	options= says "@{push}" "Your branch is ahead of ${SQ}fork/main${SQ} by 1 commit." "$push" &&
	options= says "@{upstream}"
'

test_expect_success 'status compares a branch once if it pushes to its upstream, with all hints' '
	git -C repo config branch.main.merge refs/heads/main &&
	git -C repo config --unset remote.pushDefault &&
	git -C repo update-ref refs/remotes/origin/main $one &&
	for words in "@{push}" "@{upstream}" "@{upstream} @{push}"
	do
		options= says "$words" "Your branch is ahead of ${SQ}origin/main${SQ} by 1 commit." "$push" || return 1
	done
'

test_expect_success 'a value is needed' '
	test_expect_code 128 git -C repo -c status.compareBranches status 2>err &&
	test_grep "status.comparebranches" err
'

test_done
