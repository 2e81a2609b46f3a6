#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge --autostash, merge.autoStash, pull --autostash: local changes go aside and come back'
. "$(dirname "$0")/test-lib.sh"

# main: m; o: n, and a line at the top of f
fresh() {
	rm -rf repo && git init -q -b main repo && (
		cd repo && printf "%s\n" 1 2 3 4 5 >f && echo g >g && git add . && git commit -qm one && git checkout -q -b o && { echo 0 && cat f; } >F && mv F f &&
		echo n >n && git add . && git commit -qm o && git checkout -q main && echo m >m && git add m && git commit -qm m
	) && echo local >>repo/g
}

# clash: the merge of o conflicts
clash() {
	fresh && (cd repo && git stash -q && echo 9 >f && git commit -qam x && git stash pop -q) && test_must_fail git -C repo merge --autostash o >out 2>err &&
	test_grep "^When finished, apply stashed changes with .git stash pop." out && test_path_is_file repo/.git/MERGE_AUTOSTASH
}

# has LINE...: the short status, and no autostash is left
has() {
	git -C repo status --short >status && printf "%s\n" "$@" | sed "/^$/d" >expect && test_cmp expect status && test_path_is_missing repo/.git/MERGE_AUTOSTASH
}

applied() {
	echo "Applied autostash." >expect && test_cmp expect err
}

listed() {
	printf "%s\n" "Autostash exists; creating a new stash entry." "Your changes are safe in the stash." \
		"You can run \"git stash pop\" or \"git stash drop\" at any time." >expect && test_cmp expect err && echo "stash@{0}: autostash" >expect && git -C repo stash list >actual && test_cmp expect actual
}

test_expect_success 'a merge, a fast-forward, a squash, a pull' '
	fresh && git -C repo merge --autostash o >out 2>err && test_grep "^Created autostash: [0-9a-f]*$" out && applied && has " M g" && test -z "$(git -C repo stash list)" &&
	fresh && git -C repo reset -q --keep HEAD~1 && git -C repo -c merge.autoStash=true merge o >out 2>err && applied && has " M g" && test "$(git -C repo rev-parse HEAD)" = "$(git -C repo rev-parse o)" &&
	fresh && git -C repo merge --squash --autostash o >out 2>err && test_path_is_file repo/.git/MERGE_AUTOSTASH && git -C repo commit -qm squashed 2>err && applied && has " M g" &&
	fresh && git -C repo pull -q --no-rebase --autostash . o 2>err && applied && has " M g" && fresh && git -C repo merge --autostash HEAD >out 2>err && test_grep ! Created out && has " M g"
'

test_expect_success 'staged changes come back unstaged, or staged with stash.index' '
	fresh && git -C repo add g && git -C repo merge -q --autostash o 2>err && applied && has " M g" && fresh && git -C repo add g && git -C repo -c stash.index=true merge -q --autostash o 2>err && has "M  g"
'

test_expect_success 'a merge that does not begin' '
	fresh && echo u >repo/n && test_expect_code 2 git -C repo merge --autostash o 2>err && test_grep "untracked working tree files" err && test_grep "^Applied autostash" err && has " M g" "?? n" &&
	fresh && git -C repo reset -q --keep HEAD~1 && echo u >repo/n && test_expect_code 1 git -C repo merge --autostash o 2>err && test_grep "^Applied autostash" err && has " M g" "?? n" && test -z "$(git -C repo stash list)" &&
	echo i >repo/i && git -C repo add -N i && test_expect_code 128 git -C repo merge --autostash o 2>err && test_grep "^fatal: Cannot autostash" err && has " M g" " A i" "?? n"
'

test_expect_success 'changes that conflict with the merge are in the list, too' '
	fresh && echo 9 >repo/f && git -C repo merge -q --autostash o 2>err && test_grep "however applying them" err && has "UU f" "M  g" && echo "stash@{0}: autostash" >expect && git -C repo stash list >actual && test_cmp expect actual &&
	test 9 = "$(git -C repo show stash:f)"
'

test_expect_success 'a conflict: commit, merge --continue and merge --abort bring them back' '
	clash && echo R >repo/f && git -C repo add f && git -C repo commit -qm merged 2>err && applied && has " M g" &&
	clash && echo R >repo/f && git -C repo add f && GIT_EDITOR=: git -C repo merge --continue >out 2>err && applied && has " M g" &&
	clash && git -C repo merge --abort 2>err && applied && has " M g" && test -z "$(git -C repo stash list)"
'

test_expect_success 'merge --quit, reset and checkout -f put them into the list' '
	clash && git -C repo merge --quit 2>err && listed && clash && git -C repo reset -q --hard 2>err && listed && has "" &&
	clash && git -C repo reset -q --merge 2>err && listed && has "" && clash && git -C repo checkout -q -f o 2>err && listed && has "" && git -C repo checkout -q main && git -C repo stash pop -q && has " M g"
'

test_expect_success 'an autostash that a killed merge has left behind' '
	clash && git -C repo update-ref -d MERGE_HEAD && rm -f repo/.git/MERGE_HEAD && git -C repo reset -q --hard 2>err && listed && id=$(git -C repo rev-parse stash) &&
	git -C repo stash drop -q && echo $id >repo/.git/MERGE_AUTOSTASH && git -C repo merge --abort 2>err && applied && has " M g" &&
	echo $id >repo/.git/MERGE_AUTOSTASH && test_might_fail git -C repo merge -q --autostash o 2>err && test "$(git -C repo rev-parse stash)" = $id
'

test_done
