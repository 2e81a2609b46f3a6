#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge: its flush, the order of its names, kill -9 and failing calls at any moment

After an interruption, merge --abort brings HEAD, index and files together again (P7).'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

# side: f, new; clash: f; trunk: m, with old and d/x gone
make_repo() {
	git init -q -b trunk $1 && (
		cd $1 && lines 1 2 3 4 5 6 7 8 9 >f && mkdir d && echo x >d/x && echo old >old && git add . && git commit -qm base &&
		git checkout -q -b side && lines 1 2 3 4 5 6 7 8 nine >f && mkdir n && echo n >n/new && git rm -q d/x && git add . &&
		git commit -qm side && git checkout -q -b clash trunk && lines 1 2 3 4 5 6 7 8 IX >f && git commit -qam clash &&
		git checkout -q trunk && echo m >m && git add m && git commit -qm main && git tag start
	)
}

test_expect_success JOURNAL,STRACE 'fast-forward, merge, conflict, its end: one flush each' '
	unset GIT_TEST_FS_KIND &&
	on_journal journal && make_repo journal/r && (
		cd journal/r && git checkout -q -b ff start~1 &&
		test 1 = $(count_flushes git merge -q side) &&
		git checkout -q trunk && test 1 = $(count_flushes git merge -q side) &&
		git branch merged && git reset -q --hard start && test 1 = $(count_flushes git merge --squash side) && git reset -q --hard merged &&
		test 1 = $(count_flushes sh -c "git merge -q clash || test -f .git/MERGE_HEAD") && test 1 = $(count_flushes git merge --abort) &&
		! git merge -q clash && git add f && test 1 = $(count_flushes git commit -q -m concluded)
	) &&
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND
'

test_expect_success 'the marker comes before the files; HEAD, the index, and its end after them' '
	make_repo repo && (
		cd repo && GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" merge -q side
	) &&
	awk "{ gsub(/[^ ]*\/repo\//, \"\") }
		\$1 == \"rename\" && \$3 == \".git/WORKTREE_UPDATE\" { print \"marker\" }
		/ (f|n\/new)( |\$)/ && \$1 ~ /^(open|unlink|write|writev|pwrite)\$/ && !files++ { print \"files\" }
		\$1 == \"rename\" && \$3 ~ /^.git\/(refs\/heads\/trunk|reftable\/tables.list)\$/ { print \"HEAD\" }
		\$1 == \"rename\" && \$3 == \".git/index\" { print \"index\" }
		\$1 == \"unlink\" && \$2 == \".git/WORKTREE_UPDATE\" && !ended++ { print \"end\" }" log >order &&
	lines marker files HEAD index end >expect && test_cmp expect order
'

# awaited COMMAND...: the files that it awaits before it names HEAD or the index, one a line
awaited() {
	rm -f ../log && GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" "$@" >../out 2>&1 || { cat ../out >&4; return 1; }
	awk '$1 == "rename" && $NF ~ /\.git\/(index|HEAD|refs\/heads\/|reftable\/)/ { exit }
		$1 == "writeout_start" && $2 !~ /\.git\// { started[$2] = 1 }
		$1 == "writeout_wait" && started[$2] { print $2 }' ../log | sed "s,.*/repo/,," | sort
}

test_expect_success 'files are written back before HEAD and the index name them: by threads, a filter, a stream' '
	( cd repo && git reset -q --hard start && lines f n/new >expect-all && mv expect-all .. &&
		awaited merge -q side >../have && test_cmp ../expect-all ../have && git reset -q --hard start &&
		awaited -c core.bigFileThreshold=1 merge -q side >../have && test_cmp ../expect-all ../have &&
		git reset -q --hard start && echo "f filter=x" >.git/info/attributes &&
		awaited -c filter.x.smudge=cat merge -q side >../have && rm .git/info/attributes && test_cmp ../expect-all ../have &&
		git checkout -q -f -B ff start~1 && awaited merge -q side >../have && test_cmp ../expect-all ../have && git checkout -q trunk &&
		git reset -q --hard start && git merge -q side && rm ../log &&
		test_expect_code 1 env GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" merge -q clash &&
		awk "{ gsub(/[^ ]*\/repo\//, \"\") } \$2 == \"f\" { print \$1 }
			\$1 == \"rename\" && \$3 ~ /^.git\/(MERGE_HEAD|index)\$/ { print \"name\" }" ../log >../have &&
		lines unlink open write writeout_start writeout_wait close name name >../expect && test_cmp ../expect ../have &&
		git merge --abort && git reset -q --hard start )
'

test_expect_success 'checkout has the marker, too, but not with --force, nor where no file changes' '
	( cd repo && for command in "checkout -q side" "switch -q trunk" "checkout -q -f side" "checkout -q -b same"
		do
			rm ../log && GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" $command && test_path_is_missing .git/WORKTREE_UPDATE &&
			grep -c "^rename .*WORKTREE_UPDATE\$" ../log || :
		done >../have && git checkout -q trunk ) && lines 1 1 0 0 >expect && test_cmp expect have
'

test_expect_success 'checkout, reset and restore await their files, too' '
	( cd repo && awaited checkout -q side >../have && lines d/x f n/new old >../all && grep -v "d/x\|old" ../all >../two && test_cmp ../two ../have &&
		git checkout -q trunk && awaited reset -q --hard side >../have && test_cmp ../two ../have &&
		git reset -q --hard start && awaited checkout -q side -- n f >../have && test_cmp ../two ../have && git reset -q --hard start )
'

test_expect_success 'not so if the index or refs are not durable, or where each file would need a flush' '
	( cd repo && for off in core.fsync=all,-index core.fsync=all,-reference core.fsync=none
		do
			awaited -c $off merge -q side >../have && test_must_be_empty ../have && git reset -q --hard start || return 1
		done &&
		GIT_TEST_FS_KIND=each && awaited merge -q side >../have && test_must_be_empty ../have && git reset -q --hard start )
'

test_expect_success 'a file that cannot be written back: it is named, and HEAD stays' '
	( cd repo && for call in writeout_start writeout_wait
		do
			n=1 && while :
			do
				test_might_fail env GIT_TEST_SYSCALL_FAIL=$n:EIO:$call "$FAULT_GIT" merge -q side 2>../err &&
				if grep "^fatal: unable to write .\(f\|n/new\).: Input/output error" ../err; then break; fi &&
				{ test ! -e .git/WORKTREE_UPDATE || git merge --abort; } && git reset -q --hard start && git clean -fdq &&
				test $n -lt 20 && n=$((n + 1)) || return 1
			done &&
			test start = "$(git describe --tags)" && test_path_is_file .git/WORKTREE_UPDATE &&
			test_path_is_missing .git/index.lock && git merge --abort && test -z "$(git status --porcelain)" || return 1
		done )
'

test_expect_success 'without a journal, and where the working tree is elsewhere, the marker is sealed before the files change' '
	( cd repo && for kind in local each journal
		do
			rm -f ../log && GIT_TEST_FS_KIND=$kind GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" merge -q side &&
			awk "{ gsub(/[^ ]*\/repo\//, \"\") } \$1 == \"rename\" && \$3 == \".git/WORKTREE_UPDATE\" { named = 1 }
				named && \$1 == \"fsync\" { print \"sealed\"; exit } \$2 == \"f\" { exit }" ../log >../have-$kind &&
			git reset -q --hard start || return 1
		done ) &&
	echo sealed >expect && test_cmp expect have-local && test_cmp expect have-each && test_must_be_empty have-journal
'

test_expect_success 'after an interruption only commands that finish it go on' '
	(
		cd repo && git reset -q --hard start && printf "%s %s" $(git rev-parse HEAD^{tree} side^{tree}) >../marker &&
		cp ../marker .git/WORKTREE_UPDATE && lines 1 2 3 >f && git add f &&
		for command in "commit -m x" "commit --amend -m x" "merge side" "pull . side" "checkout side" "checkout -b new" \
			"switch side" "reset" "reset --soft side" "merge --continue"
		do
			test_expect_code 128 git $command 2>../err || { echo "$command"; return 1; }
			test_grep "interrupted while it changed files\|no merge in progress" ../err && test_cmp ../marker .git/WORKTREE_UPDATE ||
				return 1
		done &&
		git status >../out && test_grep "^A command was interrupted while it changed files of the working tree" ../out &&
		test_grep "^  (use \"git merge --abort\" to bring these files back)" ../out && git rev-parse side >.git/MERGE_HEAD &&
		git status >../out && test_grep "^A command was interrupted" ../out && ! grep "still merging" ../out && rm .git/MERGE_HEAD &&
		git -c advice.statusHints=false status >../out && test_grep ! "merge --abort" ../out && test_grep "^A command was" ../out &&
		git status --porcelain=v2 >../out && ! grep -i interrupted ../out &&
		test start = "$(git describe --tags)" && git merge --abort && test_path_is_missing .git/WORKTREE_UPDATE &&
		git status >../out && ! grep interrupted ../out &&
		test -z "$(git status --porcelain)" && cp ../marker .git/WORKTREE_UPDATE && echo part >f && git reset -q --hard &&
		cp ../marker .git/WORKTREE_UPDATE && echo part >f && git checkout -q -f side && git checkout -q trunk &&
		test -z "$(git status --porcelain)"
	)
'

test_expect_success 'a conflict is a success for calls_of' '
	write_script tolerant <<-END
	"$FAULT_GIT" "\$@"
	test \$? -le 1
	END
'

# whole: HEAD, index and files belong together; HEAD is the old commit or a merge
whole() {
	if test -e .git/WORKTREE_UPDATE || test -e .git/MERGE_HEAD; then
		git merge --abort >../out 2>&1 || { cat ../out >&4; return 1; }
	fi &&
	git status --porcelain >../status && test_must_be_empty ../status &&
	test -z "$(git ls-files -u)" && test -z "$(git ls-files -o)" &&
	test_path_is_missing .git/WORKTREE_UPDATE && test_path_is_missing .git/MERGE_HEAD &&
	case $(git log -1 --format=%s) in main|Merge*|side) ;; *) return 1 ;; esac
}

# sweep WHAT STEP COMMAND...: call after call of the command fails with WHAT, or is where it is killed
sweep() {
	local n=0 runs=0 what=$1 code
	sweep_step $1 $2
	shift 2
	git reset -q --hard start && cp -a . ../copy && (
		cd ../copy && FAULT_GIT=$TRASH_DIRECTORY/tolerant && calls_of $what "$@" >../out 2>&1 &&
		lines $CHOSEN >../chosen
	) && rm -rf ../copy || return
	for n in $(cat ../chosen); do
		runs=$((runs + 1)) code=0
		git checkout -q -f trunk && git reset -q --hard start && git clean -fdq || return
		GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" "$@" >../out 2>&1 || code=$?
		whole || { echo "broken after $what at call $n, exit code $code:" >&4; cat ../out >&4; return 1; }
	done
	git fsck --no-dangling >../out 2>&1 || { cat ../out >&4; return 1; }
	echo "$runs calls" >&4
	test $runs -gt 10
}

test_expect_success XATTR 'killed at any call of a merge' '
	( cd repo && sweep KILL 3 merge -q side )
'

test_expect_success XATTR 'killed at any call of a checkout' '
	( cd repo && sweep KILL 3 checkout -q --detach side )
'

test_expect_success XATTR 'killed at any call of a merge with a conflict' '
	( cd repo && git reset -q --hard start && lines 1 2 3 4 5 6 7 8 9.5 >f && git commit -qam main && git tag -f start &&
		sweep KILL 6 merge -q clash )
'

test_expect_success XATTR 'killed at any call of merge --abort and of reset --keep' '
	( cd repo && git reset -q --hard start && lines 1 >d/x && git commit -qam "main" && git tag -f start &&
		git checkout -q -B clash2 clash && lines 2 >d/x && lines n >added && git add . && git commit -qm clash2 && git checkout -q trunk &&
		for command in "merge --abort" "reset -q --keep side"
		do
			prepare="git reset -q --hard start && case \"$command\" in merge*) ! git merge -q clash2 >../out 2>&1 ;; esac" &&
			sweep_step KILL 2 && eval "$prepare" && rm -rf ../copy && cp -a . ../copy &&
			( cd ../copy && calls_of KILL $command && lines $CHOSEN >../chosen ) && test $(grep -c "" ../chosen) -gt 20 || return 1
			for n in $(cat ../chosen)
			do
				eval "$prepare" && { GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" $command >../out 2>&1 || :; } &&
				{ ! git status | grep "still merging" >../out || test ! -e .git/WORKTREE_UPDATE; } &&
				{ whole || { echo "broken after $command was killed at call $n" >&4; return 1; }; } || return 1
			done
		done; rm -rf ../copy )
'

test_expect_success 'each call of a merge with a conflict fails' '
	( cd repo && sweep EIO 6 merge -q clash )
'

test_expect_success 'each call of a merge fails for want of space' '
	( cd repo && git checkout -q -B other start~1 && lines 1 2 3 4 5 6 7 8 9 >f && echo m2 >m && git add . &&
		git commit -qam main && git tag -f start && sweep ENOSPC 8 merge -q side )
'

test_done
