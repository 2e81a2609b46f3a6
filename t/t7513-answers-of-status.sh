#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='status, commit, branch and checkout in odd states: the answers of Git 2.55'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

git config --global init.defaultBranch main
git config --global advice.statusHints false

# Three commits of the file a; b stays.
start () {
	cd "$TRASH_DIRECTORY" && rm -rf r && git init -q r && cd r &&
	printf "%s\n" out err expect one two before after lines >.git/info/exclude && echo 1 >a && echo 1 >b && git add . && git commit -q -m one &&
	for n in 2 3
	do
		echo $n >a && git commit -q -a -m $n || return 1
	done
}

# FILE has the stages that are given as "STAGE:TEXT"
conflict () {
	local file=$1 s
	shift
	git rm -q --cached --ignore-unmatch "$file" &&
	for s in "$@"
	do
		printf "100644 %s %s\t%s\n" "$(echo "${s#*:}" | git hash-object -w --stdin)" "${s%%:*}" "$file" || return 1
	done >lines && git update-index --index-info <lines && rm lines
}

test_expect_success 'a conflict in .gitmodules: status and diff go on' '
	start && conflict .gitmodules 2:x 3:y && printf "<<<<<<< HEAD\n=======\n>>>>>>> o\n" >.gitmodules && echo 9 >b &&
	git status -s >out && printf "AA .gitmodules\n M b\n" >expect && test_cmp expect out &&
	git diff --name-only >out && test_grep "^.gitmodules\$" out && test_grep "^b\$" out &&
	git diff-files --name-only b >out && echo b >expect && test_cmp expect out &&
	git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub" && mkdir sub && git status -s >out && test_grep "^AA .gitmodules\$" out &&
	git diff --name-only >out && test_grep "^b\$" out && git rm -q --cached sub && rmdir sub &&
	git add .gitmodules && git status -s >out && printf "A  .gitmodules\n M b\n" >expect && test_cmp expect out && git diff --quiet a &&
	git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub" && mkdir sub &&
	test_expect_code 128 git status -s 2>err && test_grep "bad config line 1 in file .gitmodules" err
'

test_expect_success 'commit --dry-run shows the status of unmerged paths' '
	start && conflict a 1:2 2:3 3:7 &&
	test_expect_code 1 git commit --dry-run >out 2>err && test_must_be_empty err && test_grep "both modified:   a" out &&
	test_expect_code 1 git commit --short >out && echo "UU a" >expect && test_cmp expect out &&
	test_expect_code 1 git commit --dry-run -i b >out && test_grep "both modified:   a" out &&
	test_expect_code 128 git commit -m x 2>err && test_grep "Exiting because of an unresolved conflict" err
'

test_expect_success 'commit --reset-author in a cherry-pick' '
	start && test_expect_code 128 git commit --allow-empty --reset-author -m z 2>err &&
	git update-ref CHERRY_PICK_HEAD HEAD~1 && echo 5 >b && git add b &&
	test_expect_code 128 git commit --reset-author -m z --author="B <b@e>" 2>err && test_grep "cannot be used together" err &&
	GIT_AUTHOR_NAME=N git commit -q --reset-author -m z && git log -1 --format="%an %s" >out && echo "N z" >expect && test_cmp expect out
'

test_expect_success 'status: a negated format means the long one' '
	start && echo 9 >a &&
	for o in --no-short "--porcelain --no-porcelain" --no-long --long
	do
		git -c status.short=true status $o >out && test_grep "^On branch main" out || return 1
	done &&
	git -c status.short=true status >out && echo " M a" >expect && test_cmp expect out &&
	git -c status.short=true status --no-short -z >out && printf " M a\0" >expect && test_cmp_bin expect out
'

test_expect_success 'status -M: a score as in diff, with or without "="' '
	start && { seq 30 >big; git add . && git commit -q -m b && git mv big big2 && echo 31 >>big2 && git add .; } &&
	printf "D  big\nA  big2\n" >two && echo "R  big -> big2" >one &&
	for o in -M100% -M=100% --find-renames=100% --no-renames
	do
		git status -s $o >out && test_cmp two out || return 1
	done &&
	for o in -M90% -M=90 -M100 -M -Mx -M= --find-renames=.9
	do
		git status -s $o >out && test_cmp one out || return 1
	done
'

test_expect_success 'untracked files in a submodule of a submodule' '
	start && git init -q s && git init -q s/t && (cd s/t && echo 1 >f && git add f && git commit -q -m t) &&
	printf "160000 %s 0\tt\n" "$(git -C s/t rev-parse HEAD)" | git -C s update-index --index-info && git -C s commit -q -m s &&
	printf "160000 %s 0\ts\n" "$(git -C s rev-parse HEAD)" | git update-index --index-info && git commit -q -m sub &&
	echo u >s/t/u && git status -s >out && echo " ? s" >expect && test_cmp expect out &&
	git status --porcelain=v2 >out && test_grep "^1 .M S..U " out &&
	git status >out && test_grep "s (untracked content)" out &&
	echo m >>s/t/f && git status -s >out && echo " m s" >expect && test_cmp expect out
'

test_expect_success 'branch -r -D @{-1} deletes no remote-tracking branch' '
	start && git update-ref refs/remotes/origin/o HEAD && git checkout -q -b origin/o && git checkout -q main &&
	test_expect_code 1 git branch -r -D @{-1} 2>err && echo "error: remote-tracking branch ${SQ}@{-1}${SQ} not found" >expect && test_cmp expect err &&
	git rev-parse --verify -q refs/remotes/origin/o >out && git config branch.main.remote origin && git config branch.main.merge refs/heads/o &&
	git config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*" && git branch -q -r -D @{u} &&
	test_must_fail git rev-parse --verify -q refs/remotes/origin/o
'

test_expect_success '--theirs --no-overlay removes a file that their side lacks' '
	start && conflict b 1:1 2:4 && git ls-files -s >before &&
	test_expect_code 1 git checkout --theirs b 2>err && test_grep "does not have their version" err && test_path_is_file b &&
	git checkout --theirs --no-overlay b 2>err && echo "Updated 0 paths from the index" >expect && test_cmp expect err &&
	test_path_is_missing b && git ls-files -s >after && test_cmp before after &&
	git checkout --ours --no-overlay b && echo 4 >expect && test_cmp expect b &&
	test_expect_code 0 git restore --theirs b && test_path_is_missing b
'

test_expect_success 'status -v and commit -v run textconv' '
	start && echo "*.t diff=up" >.gitattributes && echo abc >x.t && git add . && git commit -q -m t &&
	git config diff.up.textconv "tr a-z A-Z <" && echo abcd >x.t && git add . && echo zz >x.t &&
	git status -v >out && test_grep "^+ABCD" out && git status -vv >out && test_grep "^+ZZ" out && test_grep "^-ABC$" out &&
	GIT_EDITOR=cat git commit -q -v --amend >out && test_grep "^+ABCD" out
'

test_expect_success 'a partial commit leaves a valid cache tree' '
	start && mkdir d e && echo 1 >d/f && echo 1 >e/f && git add . && git commit -q -m d && echo 2 >d/f && echo 2 >b && git add b &&
	git commit -q -m p d/f && grep -q TREE .git/index && tree=$(git write-tree) && rm -f .git/copy &&
	git ls-files -s | GIT_INDEX_FILE=.git/copy git update-index --index-info && GIT_INDEX_FILE=.git/copy git write-tree >out &&
	echo $tree >expect && test_cmp expect out
'

test_expect_success 'checkout :/text and @' '
	start && git checkout -q :/one && git rev-parse main~2 >expect && git rev-parse HEAD >out && test_cmp expect out &&
	git checkout -q main && git checkout @ && git symbolic-ref HEAD >out && echo refs/heads/main >expect && test_cmp expect out &&
	git checkout :/one a && echo 1 >expect && test_cmp expect a && git checkout @ -- a && echo 3 >expect && test_cmp expect a
'

# The hook's arguments while the command runs, joined by "/".
tells () {
	local expect=$1
	shift
	rm -f ../told && test_might_fail git "$@" >out 2>err && touch ../told && test "$(tr "\n" / <../told)" = "$expect"
}

test_expect_success 'post-index-change gets the kind of change of the index' '
	start && git branch old HEAD^ &&
	write_script .git/hooks/post-index-change <<-\EOF &&
	test ! -e .git/index.lock || exit 1
	echo "$1 $2" >>../told
	EOF
	echo 9 >c && tells "0 0/" add c && tells "0 0/" commit -q -m c && tells "0 0/" mv c d && tells "0 0/" rm -q -f d &&
	tells "0 1/" reset && tells "0 1/" reset -q old a && tells "0 1/" update-index --add a && tells "1 0/" reset --hard &&
	tells "1 0/" checkout -q old && tells "1 0/" checkout -q main && tells "1 0/" read-tree -m -u HEAD && tells "1 0/" reset --keep HEAD^ &&
	echo 9 >a && tells "0 0/" checkout -q -- a && touch -d 2001-01-01 a && tells "0 0/" status && tells "" status &&
	touch -d 2001-01-02 a && tells "0 0/" diff && tells "" rev-parse HEAD && tells "" reset -q --soft HEAD &&
	: the hook cannot veto && write_script .git/hooks/post-index-change <<-\EOF &&
	exit 1
	EOF
	echo 9 >c && git add c && git ls-files c >out && test_grep c out
'

test_done
