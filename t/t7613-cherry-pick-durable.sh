#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='cherry-pick and revert: their flush, however many commits; kill -9 and failing calls at any moment

After an interruption --continue, --skip or --abort goes on, and --abort brings back what was there before (P7).'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

# side: 20 commits that add files; clash: adds a, conflict in f, adds b
make_repo() {
	git init -q -b trunk $1 && (
		cd $1 && lines 1 2 3 >f && git add . && git commit -qm base && git checkout -q -b side &&
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
		do
			echo $i >n$i && git add . && git commit -qm "add $i" || return 1
		done &&
		git checkout -q -b clash trunk && echo a >a && git add . && git commit -qm a && lines 1 two 3 >f && git commit -qam two &&
		echo b >b && git add . && git commit -qm b && git checkout -q trunk && lines 1 zwei 3 >f && git commit -qam zwei &&
		git tag start
	)
}

test_expect_success JOURNAL,STRACE 'one flush, for 1 commit and for 20, for a stop, for a revert' '
	unset GIT_TEST_FS_KIND &&
	on_journal journal && make_repo journal/r && (
		cd journal/r && test 1 = $(count_flushes git cherry-pick side) && git reset -q --hard start &&
		test 1 = $(count_flushes git cherry-pick side~20..side) && test 1 = $(count_flushes git revert --no-edit HEAD~5..HEAD) &&
		git reset -q --hard start && test 1 = $(count_flushes sh -c "git cherry-pick clash~3..clash || test -f .git/sequencer/todo") &&
		test a = "$(git log -1 --format=%s)" && git cherry-pick --abort && git diff --quiet start &&
		test 1 = $(count_flushes git cherry-pick -n side~20..side)
	) &&
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND
'

test_expect_success 'after an interruption only commands that finish it go on' '
	make_repo repo && (
		cd repo && printf "%s %s" $(git rev-parse HEAD^{tree} side^{tree}) >../marker &&
		for command in "cherry-pick side" "revert --no-edit HEAD" "cherry-pick --continue" "cherry-pick --skip" "revert --continue"
		do
			cp ../marker .git/WORKTREE_UPDATE && test_expect_code 128 git $command 2>../err &&
			test_grep "interrupted while it changed files\|no cherry-pick or revert in progress" ../err || return 1
		done &&
		: >n1 && git cherry-pick --abort && test_path_is_missing .git/WORKTREE_UPDATE && test -z "$(git status --porcelain)"
	)
'

test_expect_success 'a stop is a success for calls_of' '
	write_script tolerant <<-END
	"$FAULT_GIT" "\$@"
	test \$? -le 1
	END
'

# whole ENDS: --abort brings HEAD, index and files back to the start; without state the subject of HEAD is one of ENDS
whole() {
	if test -e .git/WORKTREE_UPDATE || test -e .git/CHERRY_PICK_HEAD || test -e .git/REVERT_HEAD || test -e .git/sequencer; then
		git cherry-pick --abort >../out2 2>&1 || { cat ../out2 >&4; return 1; }
	fi &&
	git status --porcelain >../status && test_must_be_empty ../status && test -z "$(git ls-files -u)" &&
	test -z "$(ls -d .git/WORKTREE_UPDATE .git/CHERRY_PICK_HEAD .git/REVERT_HEAD .git/sequencer 2>/dev/null)" &&
	case "$1" in *"|$(git log -1 --format=%s)|"*) ;; *) return 1 ;; esac
}

# sweep WHAT STEP ENDS COMMAND...: call after call of COMMAND fails with WHAT, or is where it is killed
sweep() {
	local n=0 runs=0 what=$1 ends=$3 code
	sweep_step $1 $2
	shift 3
	git reset -q --hard start && cp -a . ../copy && (
		cd ../copy && FAULT_GIT=$TRASH_DIRECTORY/tolerant && calls_of $what "$@" >../out 2>&1 &&
		lines $CHOSEN >../chosen
	) && rm -rf ../copy || return
	for n in $(cat ../chosen); do
		runs=$((runs + 1)) code=0
		git reset -q --hard start && git clean -fdq || return
		GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" "$@" >../out 2>&1 || code=$?
		whole "$ends" || { echo "broken after $what at call $n, exit code $code:" >&4; cat ../out >&4; return 1; }
	done
	git fsck --no-dangling >../out 2>&1 || { cat ../out >&4; return 1; }
	echo "$runs calls" >&4
	test $runs -gt 10
}

test_expect_success XATTR 'killed at any call of several picks: none of them, or all' '
	( cd repo && sweep KILL 4 "|zwei|add 20|" cherry-pick side~5..side )
'

test_expect_success XATTR 'killed at any call of picks that stop: --abort leads back' '
	( cd repo && sweep KILL 8 "|zwei|" cherry-pick clash~3..clash )
'

test_expect_success 'each call of picks that stop fails' '
	( cd repo && sweep EIO 6 "|zwei|" cherry-pick clash~3..clash )
'

test_expect_success 'each call of several picks fails for want of space' '
	( cd repo && sweep ENOSPC 10 "|zwei|add 20|" cherry-pick side~5..side )
'

test_done
