#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git status: colours, patches, and operations in progress'
. "$(dirname "$0")/test-lib.sh"

start () {
	rm -rf repo && git init -q -b main repo && cd repo && test_when_finished "cd .." &&
	echo 1 >a && git add a && git commit -q -m one
}

test_expect_success 'color.status.SLOT and status.color.SLOT: the last one counts, a bad one is an error' '
	start && echo 2 >a && : >u &&
	git -c color.ui=always -c color.status.changed=blue -c status.color.changed=yellow \
		-c status.color.untracked=blue status -s >../out &&
	printf " \033[33mM\033[m a\n\033[34m??\033[m u\n" >../expect && test_cmp ../expect ../out &&
	git -c status.color=always -c status.color.changed=yellow -c color.status.changed=blue status -s >../out &&
	printf " \033[34mM\033[m a\n\033[31m??\033[m u\n" >../expect && test_cmp ../expect ../out &&
	test_expect_code 128 git -c color.ui=never -c color.status.changed=junk status -s 2>../err &&
	test_grep "unable to parse .color.status.changed. from command-line config" ../err &&
	test_expect_code 128 git -c status.color.changed status -s 2>../err && test_grep "missing value" ../err
'

# A merge that stopped: "both" was changed on both sides, "gone" deleted on theirs.
stopped_merge () {
	start && echo 1 >gone && echo 1 >both && echo 1 >other && git add . && git commit -q -m two &&
	E=$(git hash-object -w a) && H=$(git rev-parse HEAD) && echo $H >.git/MERGE_HEAD &&
	O=$(echo ours | git hash-object -w --stdin) && T=$(echo theirs | git hash-object -w --stdin) &&
	git update-index --force-remove both gone &&
	printf "100644 %s %d\t%s\n" $E 1 both $O 2 both $T 3 both $E 1 gone $O 2 gone |
		git update-index --index-info &&
	echo mixed >both && echo ours >gone
}

test_expect_success 'status -vv shows unmerged paths against our side' '
	stopped_merge && echo 2 >other &&
	git status -vv >../out && sed -n "/^-----/,/^no changes/p" ../out >../patch &&
	cat >../expect <<-EOS &&
	--------------------------------------------------
	Changes not staged for commit:
	* Unmerged path both
	diff --git i/both w/both
	index $(git rev-parse --short $O)..$(echo mixed | git hash-object --stdin | cut -c1-7) 100644
	--- i/both
	+++ w/both
	@@ -1 +1 @@
	-ours
	+mixed
	* Unmerged path gone
	diff --git i/other w/other
	index $(git rev-parse --short $E)..$(echo 2 | git hash-object --stdin | cut -c1-7) 100644
	--- i/other
	+++ w/other
	@@ -1 +1 @@
	-1
	+2
	no changes added to commit (use "git add" and/or "git commit -a")
	EOS
	test_cmp ../expect ../patch
'

test_expect_success 'status -vv: changes inside of a submodule make it dirty, untracked files do not' '
	start && git init -q sub && echo 1 >sub/f && git -C sub add f && git -C sub commit -q -m s &&
	git add sub 2>../err && git commit -q -m two && echo u >sub/u && git status -vv >../out &&
	test_grep ! "^.Subproject" ../out && echo 2 >sub/f && git status -vv >../out &&
	S=$(git -C sub rev-parse HEAD) && sed -n "/^diff/,/^+Sub/p" ../out >../patch &&
	printf "%s\n" "diff --git i/sub w/sub" "--- i/sub" "+++ w/sub" "@@ -1 +1 @@" \
		"-Subproject commit $S" "+Subproject commit $S-dirty" >../expect &&
	test_cmp ../expect ../patch
'

test_expect_success 'with a path, a merge whose conflicts are elsewhere can be concluded: no last line' '
	stopped_merge && git status -- other >../out &&
	printf "%s\n" "On branch main" "All conflicts fixed but you are still merging." \
		"  (use \"git commit\" to conclude merge)" "" >../expect && test_cmp ../expect ../out &&
	git status -- both >../out && test_grep "^no changes added to commit" ../out
'

test_expect_success 'status -vv warns of ends of lines that the next checkout would change' '
	start && echo more >>a && git -c core.autocrlf=true status -v 2>../err && test_must_be_empty ../err &&
	for safe in warn true; do
		git -c core.autocrlf=true -c core.safecrlf=$safe status -vv >../out 2>../err &&
		test_grep "^warning: in the working copy of .a., LF will be replaced by CRLF the next" ../err &&
		test_grep "^+more" ../out || return 1
	done &&
	git -c core.autocrlf=true -c core.safecrlf=false status -vv 2>../err && test_must_be_empty ../err
'

# A rebase that stopped, on a detached HEAD. The lists of commands come from standard input:
# those that are done, a line with "--", those to do.
rebase () {
	start && C=$(git rev-parse HEAD) && S=$(git rev-parse --short HEAD) &&
	echo 2 >>a && git commit -q -a -m two &&
	git update-ref --no-deref HEAD $C && git read-tree HEAD && echo 1 >a && git update-index a && mkdir .git/rebase-merge &&
	: >.git/rebase-merge/interactive && echo refs/heads/main >.git/rebase-merge/head-name &&
	echo $C | tee .git/rebase-merge/onto .git/rebase-merge/orig-head .git/rebase-merge/amend >/dev/null && git update-ref ORIG_HEAD $C &&
	: >.git/rebase-merge/done && : >.git/rebase-merge/git-rebase-todo && file=done &&
	while read -r line; do
		if test "$line" = --; then file=git-rebase-todo; continue; fi
		echo "$line" | sed "s/COMMIT/$C/" >>.git/rebase-merge/$file || return 1
	done
}

# The status, without its first line, is standard input.
says () {
	cat >../expect && git status "$@" >../out && sed 1d ../out >../told && test_cmp ../expect ../told
}

test_expect_success 'a rebase tells the commands around its place' - <<\EOT
	rebase <<-\EOS &&
	pick COMMIT one
	# a comment

	exec make COMMIT
	  edit COMMIT two words
	--
	merge -C COMMIT topic
	label COMMIT
	pick nosuch
	EOS
	says <<-EOS &&
	Last commands done (3 commands done):
	   exec make $C
	   edit $S two words
	  (see more in file .git/rebase-merge/done)
	Next commands to do (3 remaining commands):
	   merge -C $C topic
	   label $C
	  (use "git rebase --edit-todo" to view and edit)
	You are currently editing a commit while rebasing branch 'main' on '$S'.
	  (use "git commit --amend" to amend the current commit)
	  (use "git rebase --continue" once you are satisfied with your changes)

	nothing to commit, working tree clean
	EOS
	git -c advice.statusHints=false status >../out &&
	test_grep ! "^  (" ../out && test_grep "(3 commands done)" ../out
EOT

test_expect_success 'a rebase before its first command, and one whose list is gone' - <<\EOT
	rebase <<-\EOS &&
	--
	pick COMMIT one
	EOS
	rm .git/rebase-merge/head-name &&
	says <<-EOS &&
	No commands done.
	Next command to do (1 remaining command):
	   pick $S one
	  (use "git rebase --edit-todo" to view and edit)
	You are currently editing a commit during a rebase.
	  (use "git commit --amend" to amend the current commit)
	  (use "git rebase --continue" once you are satisfied with your changes)

	nothing to commit, working tree clean
	EOS
	: >.git/MERGE_MSG && rm .git/rebase-merge/git-rebase-todo && echo break >.git/rebase-merge/done &&
	says <<-EOS
	git-rebase-todo is missing.
	Last command done (1 command done):
	   break
	No commands remaining.
	You are currently rebasing.
	  (all conflicts fixed: run "git rebase --continue")

	nothing to commit, working tree clean
	EOS
EOT

test_expect_success 'a commit that is taken apart' - <<\EOT
	rebase <<-\EOS &&
	edit COMMIT one
	--
	EOS
	two=$(git rev-parse refs/heads/main) && git update-ref --no-deref HEAD $two && echo 3 >a &&
	git status >../out && sed -n "/^You/,/^$/p" ../out >../told &&
	cat >../expect <<-EOS &&
	You are currently splitting a commit while rebasing branch 'main' on '$S'.
	  (Once your working directory is clean, run "git rebase --continue")

	EOS
	test_cmp ../expect ../told &&
	git add a && git status >../out && test_grep "currently editing a commit while" ../out
EOT

test_expect_success 'a merge within a rebase tells both' - <<\EOT
	rebase <<-\EOS &&
	exec false
	--
	EOS
	echo $C >.git/MERGE_HEAD &&
	says <<-EOS
	Last command done (1 command done):
	   exec false
	No commands remaining.

	All conflicts fixed but you are still merging.
	  (use "git commit" to conclude merge)

	EOS
EOT

test_expect_success 'am with an empty patch, and with one that does not apply' - <<\EOT
	start && mkdir .git/rebase-apply && : >.git/rebase-apply/applying && : >.git/rebase-apply/patch &&
	says <<-\EOS &&
	You are in the middle of an am session.
	The current patch is empty.
	  (use "git am --skip" to skip this patch)
	  (use "git am --allow-empty" to record this patch as an empty commit)
	  (use "git am --abort" to restore the original branch)

	nothing to commit, working tree clean
	EOS
	echo x >.git/rebase-apply/patch &&
	says <<-\EOS
	You are in the middle of an am session.
	  (fix conflicts and then run "git am --continue")
	  (use "git am --skip" to skip this patch)
	  (use "git am --abort" to restore the original branch)

	nothing to commit, working tree clean
	EOS
EOT

test_expect_success 'between two commits of a sequence' - <<\EOT
	start && mkdir .git/sequencer && echo "pick 1234567 x" >.git/sequencer/todo && echo 2 >>a && git add a &&
	sed "s/^>//" <<-\EOS | says &&
	Cherry-pick currently in progress.
	  (run "git cherry-pick --continue" to continue)
	  (use "git cherry-pick --skip" to skip this patch)
	  (use "git cherry-pick --abort" to cancel the cherry-pick operation)

	Changes to be committed:
	  (use "git restore --staged <file>..." to unstage)
	>	modified:   a

	EOS
	git commit -q -m x && printf "\n  revert 1234567 x\n" >.git/sequencer/todo &&
	says <<-\EOS &&
	Revert currently in progress.
	  (run "git revert --continue" to continue)
	  (use "git revert --skip" to skip this patch)
	  (use "git revert --abort" to cancel the revert operation)

	nothing to commit, working tree clean
	EOS
	for junk in "pick" "picks 1" "" "edit 1"; do
		echo "$junk" >.git/sequencer/todo && git status >../out && test_grep ! "in progress" ../out || return 1
	done
EOT

test_expect_success 'amending the first commit is an initial commit again' '
	git init -q -b main root &&
	(cd root &&
	 echo 1 >f && git add f && git commit -q -m 1 && echo 2 >g && git add g &&
	 printf "%s\n" "On branch main" "" "Initial commit" "" "Changes to be committed:" \
		"  (use \"git rm --cached <file>...\" to unstage)" >expect &&
	 git commit --amend --dry-run >all && sed 6q all >out &&
	 test_cmp expect out &&
	 git commit -q -m 2 && git commit --amend --dry-run >out && test_grep ! Initial out)
'

test_done
