#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge: commits of submodules that both sides have changed'
. "$(dirname "$0")/test-lib.sh"
SQ=\'

# In s: base - left1 - left2, base - right, first = left1 + right, second = left1 + right, last contains first; apart has no parent.
# Each has a branch of the same name in the repository around it, whose submodule is at that commit.
commit_here() {
	test_tick && git commit -q --allow-empty -m "$1" && git tag "$1"
}

test_expect_success 'set up' '
	git init -q -b main r && git init -q -b main r/s && (
		cd r/s && commit_here root && commit_here base && git checkout -q -b left && commit_here left1 && commit_here left2 &&
		git checkout -q -b right base && commit_here right1 && git checkout -q -b first left1 && test_tick &&
		git merge -q -m first right1 && test_tick && git tag one && git checkout -q -b second left1 && test_tick &&
		git merge -q -m second right1 && git tag two && git checkout -q first && commit_here later && test_tick &&
		git merge -q -m last left2 && git checkout -q --orphan other && commit_here apart
	) && (
		cd r && echo x >x && git add x && git update-index --add --cacheinfo 160000,$(git -C s rev-parse base),s &&
		git commit -q -m base && for at in root left1 left2 right1 later apart
		do
			git checkout -q -f -b at-$at main && git update-index --cacheinfo 160000,$(git -C s rev-parse $at),s &&
			git commit -q -m $at || exit 1
		done
	)
'

# merged TYPE BRANCH BRANCH: the type and text of the first message; the exit code is that of the merge
merged() {
	git -C r -c advice.submoduleMergeConflict=false merge-tree -z --write-tree --messages "$1" "$2" >raw
	code=$? && tr "\0" "\n" <raw >out && return $code
}

test_expect_success 'the commit that contains the other one is taken' '
	merged at-left1 at-left2 && test_grep "^Fast forwarding submodule" out &&
	test_grep "^Note: Fast-forwarding submodule s to $(git -C r/s rev-parse left2)$" out &&
	test "$(git -C r rev-parse "$(head -n 1 out):s")" = "$(git -C r/s rev-parse left2)" &&
	merged at-left2 at-left1 && test "$(git -C r rev-parse "$(head -n 1 out):s")" = "$(git -C r/s rev-parse left2)"
'

test_expect_success 'merges that exist are named: the first ones, or the only one' '
	test_expect_code 1 merged at-left1 at-right1 && test_grep "^CONFLICT (submodule with possible resolution)" out &&
	test_grep "^Failed to merge submodule s, but multiple possible merges exist:$" out &&
	grep "^    " out | sort >found && printf "    %s\n" "$(git -C r/s log -1 --format="%h first" one)" \
		"$(git -C r/s log -1 --format="%h second" two)" | sort >expect && test_cmp expect found &&
	test_expect_code 1 merged at-left2 at-right1 &&
	test_grep "^Failed to merge submodule s, but a possible merge resolution exists:     $(git -C r/s log -1 --format="%h last" first)$" out &&
	git -C r/s branch -q -D first && git -C r/s tag -d one later >/dev/null && git -C r/s tag -d two >/dev/null &&
	git -C r/s branch -q -D second && test_expect_code 1 merged at-left1 at-right1 &&
	test_grep "^Failed to merge submodule s$" out && test_grep "^CONFLICT (submodule)$" out
'

test_expect_success 'commits that do not contain the base' '
	test_expect_code 1 merged at-left1 at-apart && test_grep "^CONFLICT (submodule may have rewinds)" out &&
	test_grep "^Failed to merge submodule s (commits don.t follow merge-base)" out &&
	test_expect_code 1 merged at-root at-left1 && test_grep "commits don.t follow" out
'

test_expect_success 'the advice' '
	cat >expect <<-EOF &&
	hint: Recursive merging with submodules currently only supports trivial cases.
	hint: Please manually handle the merging of each conflicted submodule.
	hint: This can be accomplished with the following steps:
	hint:  - go to submodule (s), and either merge commit $(git -C r/s rev-parse --short=7 right1)
	hint:    or update to an existing commit which has merged those changes
	hint:  - come back to superproject and run:
	hint:
	hint:       git add s
	hint:
	hint:    to record the above merge or update
	hint:  - resolve any other conflicts in the superproject
	hint:  - commit the resulting index in the superproject
	hint:
	hint: Disable this message with "git config set advice.submoduleMergeConflict false"
	EOF
	test_expect_code 1 git -C r merge-tree --write-tree at-left1 at-right1 2>err && test_cmp expect err &&
	git -C r checkout -q -f at-left1 && test_expect_code 1 git -C r merge at-right1 2>err && test_cmp expect err &&
	git -C r merge --abort
'

test_expect_success 'a submodule where another commit is checked out is not in the way, and stays' '
	git -C r checkout -q -f at-left1 && git -C r/s checkout -q apart && git -C r checkout -q at-left2 && git -C r checkout -q --detach main &&
	git -C r merge -q at-left1 && git -C r reset -q --keep at-left2 && git -C r reset -q --merge at-right1 &&
	git -C r read-tree -m -u at-right1 at-left1 && test "$(git -C r/s describe --tags)" = apart && git -C r reset -q --hard at-left1
'

test_expect_success 'but no file takes its place' '
	git -C r checkout -q -f -b file main && git -C r rm -q --cached s && mv r/s away && echo file >r/s && git -C r add s &&
	git -C r commit -q -m file && rm r/s && mkdir r/s && git -C r checkout -q -f at-left1 && rmdir r/s && mv away r/s &&
	test_expect_code 1 git -C r checkout file 2>err && test_grep "would be overwritten by checkout" err && test_path_is_dir r/s/.git &&
	git -C r branch -q -D file
'

test_expect_success 'a commit that is missing, no base, a submodule that is not there' '
	git -C r checkout -q -f -b missing main &&
	git -C r update-index --cacheinfo 160000,$(echo x | git -C r hash-object --stdin),s && git -C r commit -q -m missing &&
	test_expect_code 1 merged at-left1 missing && test_grep "^CONFLICT (submodule history not available)" out &&
	test_grep "^Failed to merge submodule s (commits not present)" out &&
	git -C r rm -q --cached s && git -C r commit -q -m none && git -C r checkout -q -f -b added missing && git -C r branch empty &&
	git -C r update-index --add --cacheinfo 160000,$(git -C r/s rev-parse left1),s && git -C r commit -q -m a &&
	git -C r checkout -q -f empty && git -C r update-index --add --cacheinfo 160000,$(git -C r/s rev-parse right1),s &&
	git -C r commit -q -m b && test_expect_code 1 merged added empty && test_grep "^CONFLICT (submodule lacks merge base)" out &&
	test_grep "^Failed to merge submodule s (no merge base)" out &&
	mv r/s away && mkdir r/s && test_expect_code 1 merged at-left1 at-left2 &&
	test_grep "^CONFLICT (submodule not initialized)" out && test_grep "s (not checked out)" out
'

# gone SCRIPT COMMAND..: m and sub/m, which are submodules, leave the index. The script changes their directories before.
gone() {
	git -C gone reset -q --hard main && rm -rf gone/m gone/sub/m && mkdir -p gone/m gone/sub/m && eval "$1" &&
	shift && git -C gone "$@" >out 2>&1 && git -C gone ls-files >files && test_grep ! "m$" files
}

test_expect_success 'a submodule leaves the index: only an empty directory goes' '
	git init -q -b main gone && (cd gone && echo x >x && git add x &&
		for path in m sub/m; do git update-index --add --cacheinfo 160000,$(git -C ../r rev-parse HEAD),$path || exit 1; done &&
		git commit -q -m one && git rm -q -r --cached m sub && echo y >y && git add y && git commit -q -m two && git branch two &&
		git reset -q --hard HEAD^) &&
	for command in "reset -q --hard two" "checkout -q two" "merge -q --no-ff two" "cherry-pick two" "read-tree -m -u HEAD two" \
		"restore -SW -s two ."
	do
		git -C gone checkout -q -f -B main two^ && gone : $command && test_grep ! "^warning" out && test_path_is_missing gone/m &&
		test_path_is_missing gone/sub && git -C gone checkout -q -f -B main two^ &&
		gone "echo u >gone/m/u && rmdir gone/sub/m && echo f >gone/sub/m" $command && test_path_is_file gone/m/u &&
		printf "warning: unable to rmdir ${SQ}%s${SQ}: %s\n" m "Directory not empty" sub/m "Not a directory" >expect &&
		test_grep "^warning" out && grep "^warning" out >warnings && test_cmp expect warnings && test_grep f gone/sub/m || return 1
	done
'

test_done
