#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rebase: upstream and onto, conflicts, the state of a rebase in progress'
. "$(dirname "$0")/test-lib.sh"

# main: base, m1; topic, from base: one (line 2), two (a file), three (line 8)
test_expect_success 'set-up' '
	git init -q -b main start &&
	(cd start && for i in 1 2 3 4 5 6 7 8 9; do echo l$i; done >f && git add f && test_tick && git commit -qm base &&
	 git checkout -q -b topic && sed "s/l2/t2/" f >g && mv g f && git commit -qam one &&
	 echo g >g && git add g && git commit -q -m two -m body && sed "s/l8/t8/" f >h && mv h f && git commit -qam three &&
	 git checkout -q main && echo m >m && git add m && git commit -qm m1 && git branch m1 &&
	 sed "s/l8/m8/" f >h && mv h f && git commit -qam m2 && git checkout -q topic)
'

copy() { rm -rf repo && cp -R start repo; }
head_log() { git -C repo reflog show --format=%gs "$@"; }

test_expect_success 'commits are made again, HEAD has a log entry for each, the branch has one' '
	copy &&
	git -C repo rebase m1 >out 2>err &&
	test_must_be_empty out &&
	printf "Rebasing (1/3)\rRebasing (2/3)\rRebasing (3/3)\rSuccessfully rebased and updated refs/heads/topic.\n" >expect &&
	test_cmp expect err &&
	head_log -5 >log &&
	cat >expect <<-\EOF &&
	rebase (finish): returning to refs/heads/topic
	rebase (pick): three
	rebase (pick): two
	rebase (pick): one
	rebase (start): checkout m1
	EOF
	test_cmp expect log &&
	head_log -2 topic >log &&
	printf "rebase (finish): refs/heads/topic onto %s\ncommit: three\n" $(git -C repo rev-parse m1) >expect &&
	test_cmp expect log &&
	git -C repo log --format=%s m1.. >log &&
	printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	test_path_is_file repo/m && test_path_is_file repo/g &&
	git -C repo status --porcelain >out && test_must_be_empty out &&
	test "$(git -C repo rev-parse ORIG_HEAD)" = "$(git -C start rev-parse topic)" &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic &&
	test_path_is_missing repo/.git/rebase-merge
'

test_expect_success TTY 'on a terminal the line of progress goes before the last line' '
	copy && (cd repo && TERM=xterm script -qec "git rebase m1" /dev/null) >out </dev/null &&
	printf "Rebasing (3/3)\r\r\033[KSuccessfully rebased and updated refs/heads/topic.\r\n" >expect &&
	tail -c "$(wc -c <expect)" out >end && test_cmp expect end &&
	copy && (cd repo && TERM=xterm script -qec "git rebase -v m1" /dev/null) >out </dev/null && ! grep "$(printf "\033")\[K" out
'

test_expect_success 'up to date; forced; a branch that is named is checked out' '
	git -C repo rebase m1 >out && echo "Current branch topic is up to date." >expect && test_cmp expect out &&
	git -C repo rebase -f --signoff m1 >out 2>err && echo "Current branch topic is up to date, rebase forced." >expect &&
	test_cmp expect out && git -C repo log -1 --format=%B >msg && test_grep "Signed-off-by: Carl" msg &&
	git -C repo checkout -q main && git -C repo rebase -q m1 topic >out &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic
'

test_expect_success '--onto, --root, --keep-base, a detached HEAD, commits that upstream has' '
	copy &&
	git -C repo rebase -q --onto m1 topic~2 && git -C repo log --format=%s m1.. >log &&
	printf "three\ntwo\n" >expect && test_cmp expect log &&
	copy && git -C repo rebase -q --root --onto m1 && git -C repo log --format=%s m1.. >log &&
	printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	copy && old=$(git -C repo rev-parse topic) && git -C repo rebase -q --keep-base main &&
	test "$(git -C repo rev-parse topic)" = $old &&
	git -C repo checkout -q --detach && git -C repo rebase m1 2>err && test_grep "updated detached HEAD" err &&
	copy && git -C repo branch up topic~2 && git -C repo rebase -q m1 up &&
	git -C repo rebase up topic 2>err && test_grep "skipped previously applied commit" err &&
	git -C repo reset -q --hard ORIG_HEAD && git -C repo rebase -q up 2>err && test_grep ! "skipped previously" err &&
	test_grep "hint: use --reapply-cherry-picks" err &&
	git -C repo log --format=%s up.. >log && printf "three\ntwo\n" >expect && test_cmp expect log
'

test_expect_success 'local changes, and bad names, are errors before anything changes' '
	copy && echo x >>repo/f && test_expect_code 1 git -C repo rebase m1 2>err &&
	printf "error: cannot rebase: You have unstaged changes.\nerror: Please commit or stash them.\n" >expect &&
	test_cmp expect err && git -C repo add f && test_expect_code 1 git -C repo rebase m1 2>err &&
	test_grep "Your index contains uncommitted changes" err && git -C repo reset -q --hard &&
	test_expect_code 128 git -C repo rebase none 2>err && test_grep "^fatal: invalid upstream .none.$" err &&
	echo mine >repo/m && test_expect_code 1 git -C repo rebase m1 2>err && test_grep "could not detach HEAD" err &&
	test "$(cat repo/m)" = mine && test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic
'

test_expect_success 'a conflict stops: message, state files, index' '
	copy && test_expect_code 1 git -C repo rebase main >out 2>err &&
	printf "Auto-merging f\nCONFLICT (content): Merge conflict in f\n" >expect && test_cmp expect out &&
	test_grep "^Could not apply .* # three$" err &&
	three=$(git -C start rev-parse topic) && dir=repo/.git/rebase-merge &&
	test "$(cat $dir/stopped-sha)" = $three && test "$(git -C repo rev-parse REBASE_HEAD)" = $three &&
	test "$(cat $dir/msgnum $dir/end)" = "3
3" && test "$(cat $dir/head-name)" = refs/heads/topic && test "$(cat $dir/onto)" = $(git -C repo rev-parse main) &&
	test "$(cat $dir/orig-head)" = $three && test_line_count = 3 $dir/done && test_must_be_empty $dir/git-rebase-todo &&
	test_line_count = 2 $dir/rewritten-list && test_grep "^GIT_AUTHOR_NAME=" $dir/author-script &&
	test_grep "^+t8" $dir/patch && printf "three\n\n# Conflicts:\n#\tf\n" >expect && test_cmp expect $dir/message &&
	test_path_is_file $dir/interactive && test_path_is_file $dir/drop_redundant_commits &&
	git -C repo ls-files -u >out && test_line_count = 3 out &&
	git -C repo log -1 --format=%s HEAD >out && echo two >expect && test_cmp expect out
'

test_expect_success '--continue refuses conflicts, and makes the commit when they are gone' '
	test_expect_code 1 git -C repo rebase --continue >out && test_grep "f: needs merge" out &&
	sed "/^[<=>]/d" repo/f >f && mv f repo/f && git -C repo add f &&
	GIT_EDITOR=: git -C repo rebase --continue &&
	git -C repo log --format=%s main.. >log && printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	head_log -2 >log && printf "rebase (finish): returning to refs/heads/topic\nrebase (continue): three\n" >expect &&
	test_cmp expect log && test_path_is_missing repo/.git/rebase-merge
'

# A power cut at the end of a rebase can leave such a branch, too.
test_expect_success '--abort moves a branch back that has moved meanwhile, and makes a deleted one again' '
	git init -q -b main moved && (cd moved && test_commit one f && test_commit two f && git checkout -q -b topic HEAD^ &&
	test_commit --tag three three f && test_expect_code 1 git rebase main && git update-ref refs/heads/topic main && git rebase --abort &&
	test "$(git rev-parse topic)" = "$(git rev-parse three)" && test -z "$(git status --porcelain)" &&
	test "$(git log -g --format=%gs -1 topic)" = "rebase (abort): returning to refs/heads/topic" &&
	test "$(git rev-parse HEAD@{1})" = "$(git rev-parse main)" &&
	test_expect_code 1 git rebase main && git update-ref -d refs/heads/topic && git rebase --abort &&
	test "$(git symbolic-ref HEAD) $(git rev-parse HEAD)" = "refs/heads/topic $(git rev-parse three)")
'

test_expect_success '--skip, --abort, --quit' '
	copy && test_must_fail git -C repo rebase -q main && git -C repo rebase --skip &&
	git -C repo log --format=%s main.. >log && printf "two\none\n" >expect && test_cmp expect log &&
	copy && test_must_fail git -C repo rebase -q main && git -C repo rebase --abort &&
	test "$(git -C repo rev-parse topic HEAD)" = "$(git -C start rev-parse topic topic)" &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/topic && git -C repo status --porcelain >out &&
	test_must_be_empty out && test_path_is_missing repo/.git/rebase-merge && test_must_fail git -C repo rev-parse REBASE_HEAD &&
	test_must_fail git -C repo rebase -q main && test_expect_code 128 git -C repo rebase main 2>err &&
	test_grep "already a rebase-merge directory" err && git -C repo rebase --quit &&
	test_must_fail git -C repo symbolic-ref HEAD && test_path_is_missing repo/.git/rebase-merge &&
	test_expect_code 128 git -C repo rebase --continue 2>err && echo "fatal: no rebase in progress" >expect &&
	test_cmp expect err
'

test_expect_success 'an untracked file in the way stops at the commit that brings it' '
	copy && git -C repo checkout -q main && echo mine >repo/g &&
	test_expect_code 1 git -C repo rebase m1 topic 2>err && test_grep "^	g$" err && test_grep "It has been rescheduled" err &&
	test "$(cat repo/g)" = mine && test "$(git -C repo log -1 --format=%s)" = one && rm repo/g &&
	git -C repo rebase --continue && git -C repo log --format=%s m1.. >log &&
	printf "three\ntwo\none\n" >expect && test_cmp expect log
'

test_expect_success 'a commit that brings nothing new is dropped, kept, or a stop' '
	copy && git -C repo checkout -q -b again m1 && git -C repo read-tree -u --reset topic && git -C repo commit -qm all &&
	git -C repo checkout -q topic && git -C repo rebase again 2>err && test_grep "dropping .* three -- patch contents" err &&
	test "$(git -C repo rev-parse topic)" = "$(git -C repo rev-parse again)" &&
	git -C repo reset -q --hard ORIG_HEAD && git -C repo rebase -q --empty=keep again &&
	git -C repo log --format=%s again.. >log && printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	git -C repo reset -q --hard ORIG_HEAD && test_expect_code 1 git -C repo rebase -q --empty=stop again 2>err &&
	test_grep "is now empty" err && git -C repo rebase --abort
'

test_expect_success 'hooks pre-rebase, post-checkout and post-rewrite; notes go along' '
	copy && note=$(echo note | git -C repo hash-object -w --stdin) &&
	tree=$(printf "100644 blob $note\t$(git -C repo rev-parse topic)\n" | git -C repo mktree) &&
	git -C repo update-ref refs/notes/commits $(git -C repo commit-tree -m notes $tree) && git -C repo config notes.rewriteRef "refs/notes/*" &&
	write_script repo/.git/hooks/post-rewrite <<-\EOF &&
	echo "$1" >../rewrite && cat >>../rewrite
	EOF
	write_script repo/.git/hooks/post-checkout <<-\EOF &&
	echo "$3 $(cat m)" >../checkout
	EOF
	git -C repo rebase -q m1 && test_line_count = 4 rewrite && test "$(head -1 rewrite)" = rebase &&
	test_grep "^$(git -C start rev-parse topic) $(git -C repo rev-parse topic)$" rewrite &&
	test "$(cat checkout)" = "1 m" && 
	git -C repo cat-file -e refs/notes/commits:$(git -C repo rev-parse topic) &&
	write_script repo/.git/hooks/pre-rebase <<-\EOF &&
	echo "$@" >../pre; exit 1
	EOF
	test_expect_code 1 git -C repo rebase --onto m1 topic~1 topic 2>err && test "$(cat pre)" = "topic~1 topic" &&
	test_grep "The pre-rebase hook refused to rebase" err && git -C repo rebase -q --no-verify --onto m1 topic~1 topic
'

test_expect_success FSYNC_BATCH '10 commits and 100 have as many flushes, and so has a stop' '
	for n in 10 100
	do
		rm -rf many && git init -q -b main many &&
		(cd many && echo 0 >f && git add f && git commit -qm base && git checkout -q -b topic &&
		 tree=$(git rev-parse HEAD^{tree}) && c=$(git rev-parse HEAD) && i=0 &&
		 while test $i -lt $n
		 do
			i=$((i+1)) && b=$(echo $i | git hash-object -w --stdin) &&
			tree=$({ git ls-tree $tree && printf "100644 blob %s\tf%d\n" $b $i; } | git mktree) &&
			c=$(git commit-tree -p $c -m "c $i" $tree) || return 1
		 done && git reset -q --hard $c && git checkout -q main && echo 1 >g && git add g && git commit -qm m &&
		 git checkout -q topic) &&
		count_flushes env GIT_TEST_FS_KIND=journal git -C many rebase -q main >flushes.$n || return 1
	done &&
	test_cmp flushes.10 flushes.100 &&
	test "$(git -C many log --format=%s main.. | wc -l)" -eq 100 &&
	copy && n=$(count_flushes env GIT_TEST_FS_KIND=journal sh -c "git -C repo rebase -q main || :") &&
	test "$n" = 1 && test "$(cat flushes.10)" = 1
'

test_expect_success '--ignore-whitespace takes a change of white space for none' '
	copy && git -C repo checkout -q -b spaces m1~1 && sed "s/^l2/l2  /" repo/f >g && mv g repo/f && git -C repo commit -qam spaces &&
	test_expect_code 1 git -C repo rebase -q spaces topic && git -C repo rebase --abort &&
	git -C repo rebase -q --ignore-whitespace spaces topic && test_grep "^t2$" repo/f
'

test_expect_success '-v names both ends of the changes; without an upstream the way to one is shown' '
	copy && git -C repo rebase -v m1 >out 2>err && sed -n "1p" out >actual &&
	echo "Changes from $(git -C start rev-parse m1~1) to $(git -C start rev-parse m1):" >expect && test_cmp expect actual &&
	test_expect_code 1 git -C repo rebase >out && cat >expect <<-\EOF &&
	There is no tracking information for the current branch.
	Please specify which branch you want to rebase against.
	See git-rebase(1) for details.

	    git rebase '\''<branch>'\''

	If you wish to set tracking information for this branch you can do so with:

	    git branch --set-upstream-to=<remote>/<branch> topic

	EOF
	test_cmp expect out && git -C repo checkout -q --detach && test_expect_code 1 git -C repo rebase >out &&
	sed -n 1p out >actual && echo "You are not currently on a branch." >expect && test_cmp expect actual
'

test_expect_success 'the whole list is there before HEAD is detached' '
	copy && write_script repo/.git/hooks/reference-transaction <<-\EOF &&
	test "$1" = prepared && test ! -f ../list && cp .git/rebase-merge/git-rebase-todo ../list
	exit 0
	EOF
	rm -f list && git -C repo rebase -q m1 && sed -n "s/^pick [0-9a-f]* # //p" list >actual && printf "one\ntwo\nthree\n" >expect &&
	test_cmp expect actual
'

test_expect_success '--quiet BASE REMOTE: a branch of a remote is made again, detached, and nothing is printed' '
	copy && git -C repo update-ref refs/remotes/origin/topic topic && git -C repo checkout -q -b work m1 &&
	git -C repo rebase --quiet m1 origin/topic >out 2>&1 && test_must_be_empty out &&
	test_must_fail git -C repo symbolic-ref -q HEAD && git -C repo log --format=%s m1.. >log &&
	printf "three\ntwo\none\n" >expect && test_cmp expect log &&
	test "$(git -C repo rev-parse origin/topic)" = "$(git -C start rev-parse topic)"
'

test_done
