#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge --autostash, rebase --autostash, pull --autostash: local changes go aside and come back'
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
	test_grep "^When finished, apply stashed changes with .git stash pop." out && ref_exists repo MERGE_AUTOSTASH
}

# has LINE...: the short status, and no autostash is left
has() {
	git -C repo status --short >status && printf "%s\n" "$@" | sed "/^$/d" >expect && test_cmp expect status && ref_missing repo MERGE_AUTOSTASH
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
	fresh && git -C repo merge --squash --autostash o >out 2>err && ref_exists repo MERGE_AUTOSTASH && git -C repo commit -qm squashed 2>err && applied && has " M g" &&
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
	clash && rm -f repo/.git/MERGE_HEAD && git -C repo reset -q --hard 2>err && listed && id=$(git -C repo rev-parse stash) &&
	git -C repo stash drop -q && git -C repo update-ref MERGE_AUTOSTASH $id && git -C repo merge --abort 2>err && applied && has " M g" &&
	git -C repo update-ref MERGE_AUTOSTASH $id && test_might_fail git -C repo merge -q --autostash o 2>err && test "$(git -C repo rev-parse stash)" = $id
'

# back COMMAND...: it rebases main to o, and the change is back, unstaged
back() {
	git -C repo "$@" >out 2>err && test_grep "^Created autostash: [0-9a-f]*$" out && test_grep "Applied autostash\.$" err && has " M g" && rebased
}

# rebased: no rebase is left, nor a stash
rebased() {
	test_path_is_missing repo/.git/rebase-merge && test -z "$(git -C repo stash list)" && git -C repo merge-base --is-ancestor o HEAD
}

# stop: the rebase of a commit to o conflicts
stop() {
	fresh && echo 9 >repo/f && git -C repo commit -qm x -- f && before=$(git -C repo rev-parse HEAD) && test_must_fail git -C repo rebase -q --autostash o >out 2>err &&
	test_grep ! "Applied autostash" err && test_path_is_file repo/.git/rebase-merge/autostash && test -z "$(git -C repo stash list)"
}

test_expect_success 'a rebase, one that is up to date, a pull that rebases' '
	fresh && back rebase --autostash o && back rebase --autostash o && fresh && back -c rebase.autoStash=true rebase -q o && fresh && back pull -q --rebase --autostash . o && fresh && back rebase --autostash o o &&
	fresh && test_must_fail git -C repo -c rebase.autoStash=true rebase --no-autostash o 2>err && test_grep "You have unstaged changes" err && has " M g" && test_path_is_missing repo/.git/rebase-merge &&
	fresh && git -C repo add g && back rebase --autostash o && fresh && git -C repo add g && git -C repo -c stash.index=true rebase -q --autostash o 2>err && applied && has "M  g" && rebased
'

test_expect_success 'a rebase that does not begin' '
	fresh && write_script repo/.git/hooks/pre-rebase <<-\EOF && test_expect_code 1 git -C repo rebase --autostash o 2>err && printf "%s\n" "error: The pre-rebase hook refused to rebase." "Applied autostash." >expect && test_cmp expect err && has " M g" &&
	exit 1
	EOF
	fresh && test_must_fail env GIT_SEQUENCE_EDITOR=false git -C repo rebase -i --autostash o 2>err && test_grep "^Applied autostash" err && has " M g" && test_path_is_missing repo/.git/rebase-merge &&
	echo u >repo/n && test_expect_code 1 git -C repo rebase --autostash o 2>err && test_grep "untracked working tree files" err && test_grep "^Applied autostash" err && has " M g" "?? n" && test_path_is_missing repo/.git/rebase-merge &&
	echo i >repo/i && git -C repo add -N i && test_expect_code 128 git -C repo rebase --autostash o 2>err && test_grep "^fatal: Cannot autostash" err && has " M g" " A i" "?? n" && test_path_is_missing repo/.git/rebase-merge
'

test_expect_success 'changes that conflict with the rebase are in the list, too' '
	fresh && echo 9 >repo/f && git -C repo rebase -q --autostash o 2>err && test_grep "however applying them" err && has "UU f" "M  g" && echo "stash@{0}: autostash" >expect && git -C repo stash list >actual && test_cmp expect actual &&
	test 9 = "$(git -C repo show stash:f)" && test_path_is_missing repo/.git/rebase-merge
'

test_expect_success 'a stop: rebase --continue, --skip and --abort bring them back' '
	stop && echo R >repo/f && git -C repo add f && GIT_EDITOR=: git -C repo rebase --continue >out 2>err && test_grep "Applied autostash" err && has " M g" && rebased &&
	stop && git -C repo rebase --skip 2>err && test_grep "Applied autostash" err && has " M g" && rebased &&
	stop && git -C repo rebase --abort 2>err && applied && has " M g" && test_path_is_missing repo/.git/rebase-merge && test $before = "$(git -C repo rev-parse HEAD)" && test -z "$(git -C repo stash list)"
'

test_expect_success 'rebase --quit puts them into the list; a killed rebase may have left only them' '
	stop && git -C repo rebase --quit 2>err && listed && test_path_is_missing repo/.git/rebase-merge && id=$(git -C repo rev-parse stash) && git -C repo reset -q --hard && git -C repo stash drop -q &&
	mkdir repo/.git/rebase-merge && echo $id >repo/.git/rebase-merge/autostash && git -C repo rebase --abort 2>err && applied && has " M g" && test_path_is_missing repo/.git/rebase-merge
'

test_done
