#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='hooks of commits that rebase, cherry-pick and revert make by themselves'
. "$(dirname "$0")/test-lib.sh"

git config --global init.defaultBranch main
git config --global advice.mergeConflict false

# hook NAME: from standard input; $LOG is a file
LOG=$TRASH_DIRECTORY/log
export LOG
hook () {
	mkdir -p repo/.git/hooks && { echo "#!/bin/sh" && cat; } >repo/.git/hooks/$1 && chmod +x repo/.git/hooks/$1
}

no_hooks () {
	rm -rf repo/.git/hooks && rm -f log
}

# commit FILE [SUBJECT]
commit () {
	echo "$1" >repo/$1 && git -C repo add $1 && git -C repo commit -q -m "${2:-$1}"
}

test_expect_success 'setup' '
	git init -q repo && commit base && git -C repo branch topic && commit upstream && git -C repo checkout -q topic &&
	commit one && commit fix "fixup! one" && commit two
'

test_expect_success 'rebase: prepare-commit-msg sees each pick in index and files, and changes its message' '
	hook prepare-commit-msg <<-\EOF &&
	echo "$# ${1##*/} $2 $GIT_EDITOR ${GIT_INDEX_FILE##*/} $(cat "$1") at $(git log -1 --format=%s): $(git diff --cached --name-only) $(git status --porcelain | tr -d "\n")" >>"$LOG"
	printf "hook\n\n\n" >>"$1"
	EOF
	hook post-commit <<-\EOF &&
	echo "post $# $GIT_EDITOR ${GIT_INDEX_FILE##*/} $(git log -1 --format=%s) $(git status --porcelain)" >>"$LOG"
	EOF
	git -C repo checkout -q -B x topic && git -C repo rebase -q main && cat >expect <<-\EOF &&
	2 COMMIT_EDITMSG message : index one at upstream: one A  one
	post 0 : index one hook 
	2 COMMIT_EDITMSG message : index fixup! one at one hook: fix A  fix
	post 0 : index fixup! one hook 
	2 COMMIT_EDITMSG message : index two at fixup! one hook: two A  two
	post 0 : index two hook 
	EOF
	test_cmp expect log && git -C repo log --format=%B -1 HEAD~1 >actual && printf "fixup! one\nhook\n\n\n\n" >expect && test_cmp expect actual &&
	git -C repo reflog -4 --format=%gs >actual && printf "%s\n" "rebase (finish): returning to refs/heads/x" "rebase (pick): two" \
		"rebase (pick): fixup! one" "rebase (pick): one" >expect && test_cmp expect actual &&
	test_path_is_missing repo/.git/MERGE_MSG && ref_missing repo CHERRY_PICK_HEAD && git -C repo fsck
'

test_expect_success 'a message that gets lines is cleaned after the hook' '
	git -C repo checkout -q -B x topic && git -C repo rebase -q --signoff main && git -C repo log --format=%B -1 >actual &&
	printf "two\n\nSigned-off-by: %s <%s>\nhook\n\n" "$GIT_COMMITTER_NAME" "$GIT_COMMITTER_EMAIL" >expect && test_cmp expect actual
'

test_expect_success 'rebase: commits that are amended, and post-rewrite' '
	no_hooks && hook post-rewrite <<-\EOF &&
	{ echo "$1"; while read -r old new; do echo "$(git log -1 --format=%s $old) $(git log -1 --format=%s:%p $new)"; done; } >>"$LOG"
	EOF
	hook prepare-commit-msg <<-\EOF &&
	echo "$2 $(cat "$1")" >>"$LOG"
	echo hook >>"$1"
	EOF
	git -C repo checkout -q -B x topic && GIT_SEQUENCE_EDITOR=: git -C repo rebase -q -i --autosquash main && m=$(git -C repo rev-parse --short main) &&
	o=$(git -C repo rev-parse --short HEAD~1) && cat >expect <<-EOF &&
	message one
	message one
	hook
	amend
	one hook one hook hook:$m
	message two
	rebase
	one one hook hook:$m
	fixup! one one hook hook:$m
	two two hook:$o
	EOF
	test_cmp expect log && git -C repo log -1 --format=%B HEAD~1 >actual && printf "one\nhook\nhook\n\n" >expect && test_cmp expect actual
'

test_expect_success 'post-rewrite gets amended commits without other hooks, too' '
	no_hooks && hook post-rewrite <<-\EOF &&
	echo "$1 $(wc -l)" >>"$LOG"
	EOF
	git -C repo checkout -q -B x topic && GIT_SEQUENCE_EDITOR=: git -C repo rebase -q -i --autosquash main &&
	printf "amend 1\nrebase 3\n" >expect && test_cmp expect log
'

test_expect_success 'rebase: merges, and a new root, which is no commit of the user' '
	no_hooks && hook prepare-commit-msg <<-\EOF &&
	echo "$2 $(head -n 1 "$1") $(cat .git/MERGE_HEAD 2>/dev/null | wc -l)" >>"$LOG"
	EOF
	git -C repo checkout -q -B side topic~1 && commit side && rm log && git -C repo merge -q --no-edit topic && rm log &&
	git -C repo rebase -q -r --onto main topic~3 && cat >expect <<-\EOF && test_cmp expect log &&
	message one 0
	message fixup! one 0
	message two 0
	message side 0
	message Merge branch '\''topic'\'' into side 1
	EOF
	git -C repo log -1 --format=%s >actual && echo "Merge branch '\''topic'\'' into side" >expect && test_cmp expect actual &&
	test_path_is_missing repo/.git/MERGE_HEAD && rm log && git -C repo checkout -q -B x topic && git -C repo rebase -q --root -f &&
	printf "message %s 0\n" base one "fixup! one" two >expect && test_cmp expect log
'

test_expect_success 'a hook that refuses: the rebase stops before the command, and --continue asks again' '
	no_hooks && hook prepare-commit-msg <<-\EOF &&
	! grep -q fixup "$1"
	EOF
	git -C repo checkout -q -B x topic && test_must_fail git -C repo rebase -q main 2>err &&
	test_grep "^error: '\''prepare-commit-msg'\'' hook failed" err && test_grep "It has been rescheduled" err &&
	git -C repo log -1 --format=%s >actual && echo one >expect && test_cmp expect actual && git -C repo status --porcelain >actual &&
	test_must_be_empty actual && head -n 1 repo/.git/rebase-merge/git-rebase-todo >actual && test_grep "# fixup! one" actual &&
	test_must_fail git -C repo rebase --continue && no_hooks && git -C repo rebase --continue && git -C repo log --format=%s main.. >actual &&
	printf "two\nfixup! one\none\n" >expect && test_cmp expect actual
'

test_expect_success 'a hook that kills the rebase: --continue commits the staged pick' '
	no_hooks && hook prepare-commit-msg <<-\EOF &&
	! grep -q fixup "$1" || kill -9 $PPID
	EOF
	git -C repo checkout -q -B x topic && { git -C repo rebase -q main || :; } && no_hooks && git -C repo status --porcelain >actual &&
	echo "A  fix" >expect && test_cmp expect actual && GIT_EDITOR=: git -C repo rebase --continue && git -C repo log --format=%s main.. >actual &&
	printf "two\nfixup! one\none\n" >expect && test_cmp expect actual
'

test_expect_success '--quiet: no progress and no command, but summaries of commits' '
	no_hooks && git -C repo checkout -q -B x topic && GIT_EDITOR=: GIT_SEQUENCE_EDITOR="sed -i -e s/^pick/reword/ -e 1iexec\ true" \
		git -C repo rebase -q -i main >out 2>&1 && test_grep ! Executing out && grep "^.detached HEAD" out >heads &&
	test_line_count = 3 heads && test_grep ! Rebasing out
'

test_expect_success FSYNC_BATCH 'hooks of a rebase cost no flush' '
	for name in prepare-commit-msg post-commit post-rewrite; do echo "echo x >>\"\$LOG\"" | hook $name || return 1; done &&
	git -C repo checkout -q -B x topic && rm -f log &&
	test 1 = $(count_flushes env GIT_TEST_FS_KIND=journal git -C repo rebase -q main) && test_line_count = 7 log && no_hooks
'

test_expect_success 'cherry-pick, revert: messages are cleaned after the hook as without it; the summary has a date' '
	hook prepare-commit-msg <<-\EOF &&
	printf "# hook\n\n\n" >>"$1"
	EOF
	git -C repo checkout -q -B x main && git -C repo cherry-pick -x topic >out && test_grep "^ Date: " out && git -C repo log -1 --format=%B >actual &&
	printf "two\n\n(cherry picked from commit %s)\n# hook\n\n" $(git -C repo rev-parse topic) >expect && test_cmp expect actual &&
	git -C repo revert --no-edit HEAD >out && test_grep "^ Date: " out && git -C repo log -1 --format=%B >actual &&
	printf "Revert \"two\"\n\nThis reverts commit %s.\n# hook\n\n\n\n" $(git -C repo rev-parse HEAD~1) >expect && test_cmp expect actual &&
	git -C repo log -1 --format=%ad:%cd >dates && test_grep "^\(.*\):\1$" dates
'

test_expect_success 'cherry-pick, revert: a hook that refuses' '
	hook prepare-commit-msg <<-\EOF &&
	exit 1
	EOF
	git -C repo checkout -q -B x main && test_expect_code 128 git -C repo cherry-pick topic 2>err && printf "error: '\''prepare-commit-msg'\'' hook failed\nfatal: cherry-pick failed\n" >expect &&
	test_cmp expect err && ref_exists repo CHERRY_PICK_HEAD && git -C repo cherry-pick --abort && test_expect_code 128 git -C repo revert --no-edit HEAD 2>err &&
	test_grep "^fatal: revert failed" err && git -C repo reset -q --hard
'

test_expect_success 'commits are reported as dropped once, and not behind a pick that local files refuse' '
	no_hooks && git -C repo checkout -q -B same main && echo one >repo/one && git -C repo add one && git -C repo commit -q -m same &&
	git -C repo checkout -q -B x topic~2 && commit early && git -C repo rebase -q --onto topic~3 topic~2 && git -C repo cherry-pick topic~2 topic &&
	git -C repo checkout -q --detach same && echo mine >repo/early && test_must_fail git -C repo cherry-pick --empty=drop x~2 x~1 2>err &&
	test_grep "would be overwritten" err && test_grep ! dropping err && { git -C repo cherry-pick --quit || :; } && rm repo/early &&
	echo mine >repo/two && git -C repo checkout -q --detach x~1 && rm -f repo/two && git -C repo checkout -q x && git -C repo checkout -q --detach same &&
	echo mine >repo/two && test_must_fail git -C repo rebase --reapply-cherry-picks same x 2>err && grep dropping err >lines && test_line_count = 1 lines &&
	rm repo/two && git -C repo rebase --abort
'

test_done
