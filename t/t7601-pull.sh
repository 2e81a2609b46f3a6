#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pull: fetch, then fast-forward or merge; what it refuses'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

test_expect_success 'set up' '
	git init -q -b trunk up && lines 1 2 3 4 5 6 7 8 9 >up/f && git -C up add f && git -C up commit -qm base &&
	git -C up branch side && git clone -q up r && git -C r branch start
'

# a commit in up, on the branch that is checked out
above() {
	test_commit -C up "$@"
}

back() {
	git -C r checkout -q -f trunk && git -C r reset -q --hard start
}

test_expect_success 'fast-forward; up to date' '
	git -C r pull >out 2>err && echo "Already up to date." >expect && test_cmp expect out &&
	above one && git -C r pull >out 2>err && test_grep "^Fast-forward" out && test_path_is_file r/one.t &&
	git -C r log -1 -g --format=%gs >out && echo "pull: Fast-forward" >expect && test_cmp expect out
'

test_expect_success 'divergent branches: a choice is needed' '
	git -C r reset -q --hard start && test_commit -C r mine && git -C r branch -f start &&
	test_expect_code 128 git -C r pull >out 2>err &&
	test_grep "^hint: You have divergent branches" err &&
	test_grep "^fatal: Need to specify how to reconcile divergent branches." err &&
	test_expect_code 128 git -C r pull --ff-only 2>err && test_grep "Not possible to fast-forward, aborting" err &&
	test_expect_code 128 git -C r -c pull.ff=only pull 2>err && test_grep "Not possible to fast-forward, aborting" err &&
	test_expect_code 128 git -C r -c pull.ff=odd pull 2>err && test_grep "invalid value for .pull.ff.: .odd." err &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)"
'

test_expect_success '--no-rebase, pull.rebase, branch.*.rebase, pull.ff: a merge' '
	for how in --no-rebase "-c pull.rebase=false" "-c pull.ff=true" "-c branch.trunk.rebase=false -c pull.rebase=true"; do
		case $how in
		--*) git -C r pull -q $how ;;
		*) git -C r $how pull -q ;;
		esac &&
		test 2 = $(git -C r log -1 --format=%P | wc -w) && back || return 1
	done &&
	git -C r pull -q --no-rebase && git -C r log -1 --format=%B >out &&
	lines "Merge branch '\''trunk'\'' of $(cd up && pwd) into trunk" "" >expect && test_cmp expect out && back
'

test_expect_success 'rebase: --rebase, pull.rebase, branch.*.rebase; or a fast-forward' '
	for how in "pull --rebase" "-c pull.rebase=true pull" "-c branch.trunk.rebase=merges pull"; do
		git -C r $how -q && test "$(git -C r rev-parse HEAD~1)" = "$(git -C r rev-parse FETCH_HEAD)" || return 1
		git -C r reflog -1 --format=%gs >out && test_grep "^pull.* (finish): returning to refs/heads/trunk" out &&
		back || return 1
	done &&
	git -C r reset -q --hard start~1 && git -C r pull -q --rebase && test_path_is_file r/one.t && back &&
	for how in "pull --rebase=interactive" "-c pull.rebase=interactive pull" "-c branch.trunk.rebase=i pull"; do
		rm -f list && GIT_SEQUENCE_EDITOR="cat >../list <" git -C r $how -q && test_grep "^pick " list && back || return 1
	done
'
test_expect_success 'a conflict, and a second pull' '
	lines 1 2 3 4 5 6 7 8 nine >up/f && git -C up commit -qam nine && lines 1 2 3 4 5 6 7 8 IX >r/f && git -C r commit -qam IX &&
	test_expect_code 1 git -C r pull --no-rebase >out 2>err && test_grep "^CONFLICT (content)" out &&
	test_grep "^>>>>>>> $(git -C up rev-parse trunk)\$" r/f && git -C up rev-parse trunk >expect && test_cmp expect r/.git/MERGE_HEAD &&
	test_expect_code 128 git -C r pull 2>err && test_grep "Pulling is not possible because you have unmerged files" err &&
	git -C r add f && test_expect_code 128 git -C r pull 2>err && test_grep "MERGE_HEAD exists" err &&
	git -C r commit -qm merged && git -C r pull >out && echo "Already up to date." >expect && test_cmp expect out && back
'

test_expect_success 'named branches; several of them' '
	git -C up checkout -q side && above aside && git -C up checkout -q trunk &&
	git -C r pull -q --no-rebase origin side && git -C r log -1 --format=%s >out &&
	echo "Merge branch '\''side'\'' of $(cd up && pwd) into trunk" >expect && test_cmp expect out && back &&
	git -C r pull -q --no-rebase --no-ff origin trunk side && test 3 = $(git -C r log -1 --format=%P | wc -w) && back
'

test_expect_success 'a branch without commits' '
	git init -q new && git -C new pull -q ../up trunk && test_path_is_file new/one.t &&
	git init -q new2 && test_expect_code 128 git -C new2 pull -q ../up trunk side 2>err &&
	test_grep "Cannot merge multiple branches into empty head" err
'

test_expect_success 'nothing to merge with: the reason' '
	test_when_finished back && git -C r checkout -q -b alone && test_expect_code 1 git -C r pull 2>err &&
	test_grep "^There is no tracking information for the current branch" err &&
	test_grep "set-upstream-to=origin/<branch> alone" err &&
	git -C r checkout -q --detach && test_expect_code 1 git -C r pull 2>err && test_grep "^You are not currently on a branch" err &&
	git -C r checkout -q trunk && test_config -C r branch.trunk.merge refs/heads/gone &&
	test_expect_code 1 git -C r pull 2>err && test_grep "no such ref was fetched" err &&
	test_expect_code 1 git -C r pull origin nosuch 2>err && test_grep "find remote ref nosuch" err
'

test_expect_success 'options go on to fetch and to merge' '
	test_when_finished back && git -C r pull --dry-run --no-rebase && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" &&
	git -C r pull --squash --no-rebase origin side >out 2>err && test_grep "^Squash commit" out && back &&
	git -C r pull -q -n --no-rebase --signoff -s ours origin side && git -C r log -1 --format=%B >out &&
	test_grep "^Signed-off-by: " out && git -C r diff --quiet start
'

test_expect_success '--rebase refuses local changes before it fetches' '
	back && above not-fetched && git -C r rev-parse origin/trunk >before && echo x >>r/f &&
	for how in --rebase --rebase=interactive --rebase=merges
	do
		test_expect_code 128 git -C r pull $how 2>err && lines "error: cannot pull with rebase: You have unstaged changes." \
			"error: Please commit or stash them." >expect && test_cmp expect err || return 1
	done &&
	git -C r add f && test_expect_code 128 git -C r pull --rebase 2>err &&
	test_grep "^error: cannot pull with rebase: Your index contains uncommitted changes.$" err &&
	git -C r rev-parse origin/trunk >after && test_cmp before after &&
	git -C r -c rebase.autoStash=true pull --rebase origin trunk && test_path_is_file r/not-fetched.t && test_grep x r/f && back &&
	git -C r checkout -q --detach && test_expect_code 1 git -C r pull --rebase=interactive 2>err &&
	test_grep "^Please specify which branch you want to rebase against.$" err && back &&
	git -C r checkout -q --orphan new && test_expect_code 128 git -C r pull --rebase origin trunk 2>err &&
	echo "fatal: Updating an unborn branch with changes added to the index." >expect && test_cmp expect err &&
	git -C r checkout -q -f trunk
'

test_expect_success 'options of fetch alone, and -e, are unknown to pull' '
	git init -q opts && for o in --atomic --filter=blob:none -e; do test_expect_code 129 git -C opts pull $o . 2>err && test_grep "unknown" err || return 1; done
'

test_expect_success '--rebase leaves out commits that the other branch has taken back' '
	git init -q -b trunk rw && for i in 1 2 3; do test_commit -C rw $i || return 1; done && git clone -q rw own && test_commit -C own own &&
	git -C rw reset -q --hard HEAD~ && test_commit -C rw other && git -C own pull -q --rebase &&
	git -C own log --format=%s >out && lines own other 2 1 >expect && test_cmp expect out
'

test_expect_success '--rebase leaves out commits that the other branch has, too' '
	test_commit -C rw more && git -C rw fetch -q ../own && git -C rw cherry-pick FETCH_HEAD && test_commit -C own last &&
	git -C own pull --rebase 2>err && test_grep "^warning: skipped previously applied commit" err &&
	git -C own log --format=%s -3 >out && lines last own more >expect && test_cmp expect out
'

test_done
