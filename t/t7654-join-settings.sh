#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, merge-file, cherry-pick, rebase, stash show: settings, orders and messages'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# main and side change line 3 of f; new adds n, in two commits
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 4 5 6 7 8 9 >f && git add f && git commit -qm base && git tag base && git branch new && git checkout -q -b side &&
		lines 1 2 side 4 5 6 7 8 9 >f && git commit -qam side && git checkout -q new && echo n >n && git add n && git commit -qm new &&
		echo m >n && git commit -qam newer && git checkout -q main && lines 1 2 main 4 5 6 7 8 9 >f && git commit -qam main && git tag start
	)
'
back () {
	git -C r checkout -q -f main && git -C r reset -q --hard start
}

test_expect_success 'merge-file: --no-diff3 takes back merge.conflictStyle' '
	echo a >a && echo b >b && echo c >c && test_expect_code 1 git -C r -c merge.conflictStyle=diff3 merge-file -p ../a ../b ../c >out && test_grep "^|||||||" out &&
	test_expect_code 1 git -C r -c merge.conflictStyle=diff3 merge-file --no-diff3 -p ../a ../b ../c >out && test_grep ! "^|||||||" out
'

test_expect_success 'merge.ff=false makes a merge' '
	git -C r checkout -q --detach base && git -C r -c merge.ff=false merge -q new && git -C r rev-parse --verify -q HEAD^2 &&
	git -C r reset -q --hard base && git -C r -c merge.ff=true merge -q new && test_must_fail git -C r rev-parse --verify -q HEAD^2 && back
'

test_expect_success 'merge and merge-tree obey diff.renames=false, where merge.renames is not set' '
	git -C r checkout -q -b moved base && git -C r mv f g && git -C r commit -qm moved && git -C r merge-tree main moved >out &&
	test_expect_code 1 git -C r -c diff.renames=false merge-tree main moved >out && test_grep "CONFLICT (modify/delete)" out &&
	git -C r -c diff.renames=false -c merge.renames=true merge-tree main moved && back
'

test_expect_success 'a merge whose message is empty stays in progress' '
	test_expect_code 1 git -C r merge -q --no-edit --cleanup=strip -m "#x" new 2>err && test_grep "Empty commit message" err &&
	git -C r rev-parse MERGE_HEAD && git -C r merge --abort && back
'

test_expect_success 'cherry-pick: advice.commitBeforeMerge' '
	echo s >r/n && git -C r add n && test_must_fail git -C r cherry-pick new 2>err && test_grep "hint: commit your changes or stash them" err &&
	test_must_fail git -C r -c advice.commitBeforeMerge=false cherry-pick new 2>err && test_grep "error: your local changes" err && test_grep ! hint err && back
'

test_expect_success 'cherry-pick --continue asks for no message without a terminal' '
	test_expect_code 1 git -C r cherry-pick side && lines both >r/f && git -C r add f && GIT_EDITOR=false git -C r cherry-pick --continue </dev/null &&
	git -C r log -1 --format=%s >out && echo side >expect && test_cmp expect out && back
'

test_expect_success 'cherry-pick -n of two says what it merges' '
	git -C r checkout -q -b far base && lines 1 2 3 4 5 6 7 8 far >f && cp f r/f && git -C r commit -qam far && lines 0 2 3 4 5 6 7 8 far >r/f && git -C r commit -qam near &&
	git -C r checkout -q main && git -C r cherry-pick -n base..far >out && lines "Auto-merging f" "Auto-merging f" >expect && test_cmp expect out && back
'

test_expect_success 'stash show -u sorts all by path' '
	echo x >>r/f && echo a >r/a && echo z >r/z && git -C r stash -q -u && git -C r stash show -u --name-only >out && lines a f z >expect && test_cmp expect out &&
	git -C r stash drop -q && back
'

test_expect_success 'rebase --onto ...BRANCH and BRANCH... begin at the merge base with HEAD' '
	for onto in ...side side...; do
		git -C r checkout -q --detach far && git -C r rebase -q --onto $onto far~1 && test "$(git -C r rev-parse HEAD~1)" = "$(git -C r rev-parse base)" || return 1
	done && back
'

test_expect_success 'rebase --keep-base --no-reapply-cherry-picks leaves out what the upstream has' '
	git -C r checkout -q -b up base && git -C r commit -q --allow-empty -m first && git -C r cherry-pick far~1 && git -C r checkout -q far &&
	git -C r rebase -q -f --keep-base --no-reapply-cherry-picks up far && git -C r log --format=%s base..far >out && echo near >expect && test_cmp expect out && back
'

test_expect_success 'the log of HEAD names the merges that a rebase has made again' '
	git -C r checkout -q -b top base && git -C r commit -q --allow-empty -m top && git -C r merge -q --no-ff -m "a merge" side && git -C r rebase -q --rebase-merges --onto new base &&
	git -C r log -g --format=%gs HEAD >out && test_grep "^rebase (merge): a merge$" out && back
'

test_expect_success 'commands that do nothing stand between fixups without ending their chain' '
	git -C r checkout -q -b chain main && for n in 1 2 3 4; do echo $n >r/c$n && git -C r add c$n && git -C r commit -qm "c$n" || return 1; done && rm -f count &&
	write_script ed <<-\EOF &&
	case $1 in
	*todo) sed -e "2s/pick/squash/" -e "3s/pick/drop/" -e "4s/pick/squash/" "$1" >todo && cat todo >"$1" && rm todo ;;
	*) echo >>../count && grep -c "^# This is the.* commit message" "$1" >>../count ;;
	esac
	EOF
	GIT_EDITOR="$PWD/ed" git -C r rebase -q -i chain~4 && lines "" 3 >expect && test_cmp expect count && git -C r log --format=%s main..chain >out && test_line_count = 1 out && back
'

test_expect_success 'post-rewrite: a commit that was edited, and its fixup, have become one' '
	git -C r checkout -q -b edited main && for n in 1 2 3; do echo $n >r/e$n && git -C r add e$n && git -C r commit -qm "e$n" || return 1; done &&
	one=$(git -C r rev-parse HEAD~2) && two=$(git -C r rev-parse HEAD~) && write_script r/.git/hooks/post-rewrite <<-EOF &&
	cat >"$PWD/rewritten"
	EOF
	GIT_SEQUENCE_EDITOR="sed -i -e 1s/pick/edit/ -e 2s/pick/fixup/" git -C r rebase -q -i main && GIT_EDITOR=: git -C r rebase --continue &&
	new=$(git -C r rev-parse edited~) && test_grep "^$one $new$" rewritten && test_grep "^$two $new$" rewritten && rm r/.git/hooks/post-rewrite && back
'

test_expect_success 'rebase names the variable that is missing from author-script' '
	test_expect_code 1 git -C r rebase -q main side && sed s/AUTHOR_EMAIL/AUTHOR_MAIL/ r/.git/rebase-merge/author-script >script && cat script >r/.git/rebase-merge/author-script &&
	echo both >r/f && git -C r add f && test_must_fail env GIT_EDITOR=: git -C r rebase --continue 2>err && test_grep "missing .GIT_AUTHOR_EMAIL.$" err && git -C r rebase --abort && back
'

test_expect_success 'merge-tree --trivial-merge takes no other option' '
	for option in --merge-base=base -Xours; do
		test_expect_code 128 git -C r merge-tree --trivial-merge $option base main new 2>err && test_grep "incompatible with all other options" err || return 1
	done
'

test_expect_success 'merge-base --fork-point prints where a branch left its upstream' '
	git -C r checkout -q -b forked new && git -C r commit -q --allow-empty -m forked && git -C r merge-base --fork-point new forked >out &&
	git -C r rev-parse new >expect && test_cmp expect out && back
'

test_expect_success 'an octopus takes a history without a common commit' '
	git -C r checkout -q --orphan alone && git -C r rm -qrf . && echo alone >r/alone && git -C r add alone && git -C r commit -qm alone && back &&
	git -C r merge -q --allow-unrelated-histories -m three new alone && git -C r rev-parse -q --verify HEAD^3 && test_path_is_file r/alone && back
'

test_expect_success 'a sequence keeps --no-rerere-autoupdate' '
	for flag in true=--rerere-autoupdate false=--no-rerere-autoupdate; do
		test_expect_code 1 git -C r cherry-pick ${flag#*=} side new~1 && test_grep "allow-rerere-auto = ${flag%%=*}$" r/.git/sequencer/opts && git -C r cherry-pick --abort || return 1
	done && test_expect_code 1 git -C r cherry-pick side new~1 && test_path_is_missing r/.git/sequencer/opts && git -C r cherry-pick --abort && back
'

test_expect_success 'a blank line follows each update-ref' '
	git -C r checkout -q -b upper far && git -C r commit -q --allow-empty -m upper && write_script seen <<-\EOF &&
	cut -d" " -f1 "$1" | sed "/^#/,\$d" >../todo
	EOF
	GIT_SEQUENCE_EDITOR="$PWD/seen" git -C r rebase -q -i --update-refs far~1 upper && lines pick update-ref "" pick "" >expect && test_cmp expect todo && back
'

test_expect_success 'a merge with the new base itself calls it onto' '
	git -C r checkout -q --detach base && git -C r commit -q --allow-empty -m above && m=$(git -C r commit-tree -p HEAD -p base -m odd HEAD^{tree}) && git -C r reset -q --hard $m &&
	write_script seen <<-\EOF &&
	grep "^merge" "$1" >../todo
	EOF
	GIT_SEQUENCE_EDITOR="$PWD/seen" git -C r rebase -q -i -f --rebase-merges base && test_grep "^merge -C [0-9a-f]* onto # odd$" todo && back
'

test_expect_success 'strategies of others are named in order, and once' '
	mkdir -p p1 p2 && for f in p1/git-merge-zz p1/git-merge-aa p2/git-merge-aa p2/git-merge-mm; do write_script $f <<-\EOF || return 1; done &&
	exit 2
	EOF
	test_expect_code 1 env PATH="$PWD/p1:$PWD/p2:$PATH" git -C r merge -s none new 2>err && test_grep "custom strategies are: aa mm zz[.]*$" err && back
'

test_expect_success 'a merge that a hook refuses keeps what --autostash put away' '
	write_script r/.git/hooks/pre-merge-commit <<-\EOF && git -C r checkout -q main && lines 1 2 main 4 5 6 7 8 mine >r/f && test_when_finished "rm -f r/.git/hooks/pre-merge-commit" &&
	exit 1
	EOF
	test_expect_code 1 git -C r merge -q --autostash -m x new && git -C r rev-parse -q --verify MERGE_AUTOSTASH && ! grep mine r/f && git -C r merge --abort && grep mine r/f && back
'

test_expect_success 'files that pre-merge-commit adds to the index are not committed' '
	write_script r/.git/hooks/pre-merge-commit <<-\EOF && git -C r checkout -q main && test_when_finished "rm -f r/.git/hooks/pre-merge-commit" &&
	echo hooked >hooked && git add hooked
	EOF
	git -C r merge -q -m x new && git -C r status --porcelain hooked >out && echo "A  hooked" >expect && test_cmp expect out && test_must_fail git -C r rev-parse -q --verify HEAD:hooked &&
	git -C r rm -q -f hooked && back
'

test_done
