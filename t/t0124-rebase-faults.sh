#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='rebase: its flush, kill -9 and failing calls at any moment

After an interruption, rebase --abort, or --quit where the branch has moved already, brings HEAD, index and files together (P7).'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

# topic: three commits (f, n/new, d/x goes); trunk: m, with old gone; clash: f
make_repo() {
	git init -q -b trunk $1 && (
		cd $1 && lines 1 2 3 4 5 6 7 8 9 >f && mkdir d && echo x >d/x && echo old >old && git add . && git commit -qm base &&
		git checkout -q -b topic && lines 1 2 3 4 5 6 7 8 nine >f && git commit -qam one && mkdir n && echo n >n/new &&
		git add n && git commit -qm two && git rm -q d/x && git commit -qm three && git tag start && git checkout -q trunk &&
		echo m >m && git rm -q old && git add m && git commit -qm main && git checkout -q -b clash &&
		lines 1 2 3 4 5 6 7 8 IX >f && git commit -qam clash && git checkout -q topic
	)
}

test_expect_success JOURNAL,STRACE 'a rebase, a stop, its end, --abort: one flush each' '
	unset GIT_TEST_FS_KIND &&
	on_journal journal && make_repo journal/r && (
		cd journal/r && test 1 = $(count_flushes git rebase -q trunk) && git reset -q --hard start &&
		test 1 = $(count_flushes sh -c "git rebase -q clash || test -d .git/rebase-merge") &&
		git checkout -q --theirs f && git add f &&
		test 2 -ge $(count_flushes env GIT_EDITOR=: git rebase --continue) && git reset -q --hard start &&
		! git rebase -q clash && test 2 -ge $(count_flushes git rebase --abort) &&
		test 1 = $(count_flushes git rebase -q --apply trunk) && git reset -q --hard start &&
		test 1 = $(count_flushes sh -c "git rebase -q --apply clash || test -d .git/rebase-apply") &&
		git checkout -q --theirs f && git add f && test 1 = $(count_flushes git rebase --continue) && git reset -q --hard start &&
		! git rebase -q --apply clash && test 2 -ge $(count_flushes git rebase --skip) && git reset -q --hard start &&
		! git rebase -q --apply clash && test 2 -ge $(count_flushes git rebase --abort)
	) &&
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND
'

test_expect_success 'a conflict is a success for calls_of' '
	make_repo repo &&
	write_script tolerant <<-END
	"$FAULT_GIT" "\$@"
	test \$? -le 1
	END
'

# whole: HEAD, index and files belong together; the branch is the old one, or has all commits on its new base
whole() {
	if test -d .git/rebase-merge || test -d .git/rebase-apply || test -e .git/WORKTREE_UPDATE; then
		if test "$(git rev-parse topic)" = "$(git rev-parse start)"; then
			git rebase --abort >../out 2>&1 || git merge --abort >../out 2>&1 || { cat ../out >&4; return 1; }
		else
			git rebase --quit >../out 2>&1 || git merge --abort >../out 2>&1 || { cat ../out >&4; return 1; }
		fi
	fi
	git status --porcelain >../status && test_must_be_empty ../status &&
	test -z "$(git ls-files -u)" && test -z "$(git ls-files -o)" &&
	test_path_is_missing .git/WORKTREE_UPDATE && test_path_is_missing .git/rebase-merge &&
	test_path_is_missing .git/rebase-apply &&
	test "$(git symbolic-ref HEAD)" = refs/heads/topic &&
	{ test "$(git rev-parse topic)" = "$(git rev-parse start)" || test "$(git log --format=%s trunk.. | tr "\n" " ")" = "three two one "; }
}

# sweep WHAT STEP BRANCH [OPTION...]: call after call of `rebase OPTION... BRANCH` fails with WHAT, or is where the command is killed
sweep() {
	local n=0 runs=0 what=$1 branch=$3 code
	sweep_step $1 $2
	shift 3
	git reset -q --hard start && cp -a . ../copy && (
		cd ../copy && FAULT_GIT=$TRASH_DIRECTORY/tolerant && calls_of $what rebase -q "$@" $branch >../out 2>&1 &&
		lines $CHOSEN >../chosen
	) && rm -rf ../copy || return
	for n in $(cat ../chosen); do
		runs=$((runs + 1)) code=0
		git checkout -q -f topic && git reset -q --hard start && git clean -fdq || return
		GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" rebase -q "$@" $branch >../out 2>&1 || code=$?
		whole || { echo "broken after $what at call $n, exit code $code:" >&4; cat ../out >&4; git status >&4; return 1; }
	done
	git fsck --no-dangling >../out 2>&1 || { cat ../out >&4; return 1; }
	echo "$runs calls" >&4
	test $runs -gt 8
}

test_expect_success XATTR 'killed at any call of a rebase' '
	( cd repo && sweep KILL 9 trunk )
'

test_expect_success XATTR 'killed at any call of a rebase with a conflict' '
	( cd repo && sweep KILL 31 clash )
'

test_expect_success 'each call of a rebase with a conflict fails' '
	( cd repo && sweep EIO 31 clash )
'

test_expect_success 'each call of a rebase fails for want of space' '
	( cd repo && sweep ENOSPC 13 trunk )
'

test_expect_success XATTR 'with hooks, which look at each commit' '
	(
		cd repo && mkdir -p .git/hooks && echo "#!/bin/sh" >.git/hooks/prepare-commit-msg && chmod +x .git/hooks/prepare-commit-msg &&
		cp .git/hooks/prepare-commit-msg .git/hooks/post-commit && sweep KILL 31 trunk && sweep EIO 31 trunk && rm -r .git/hooks
	)
'

test_expect_success XATTR 'killed at any call of rebase --apply' '
	( cd repo && sweep KILL 11 trunk --apply )
'

test_expect_success XATTR 'killed at any call of rebase --apply with a conflict' '
	( cd repo && sweep KILL 37 clash --apply )
'

test_expect_success 'each call of rebase --apply with a conflict fails' '
	( cd repo && sweep EIO 37 clash --apply )
'

test_expect_success 'each call of rebase --apply fails for want of space' '
	( cd repo && sweep ENOSPC 10 trunk --apply )
'

# Each name that the state files get is a moment: HEAD is still on another branch.
# interrupt_start BACKEND
interrupt_start() {
	(
		cd repo && git checkout -q -f -b other trunk && echo o >o && git add o && git commit -qm other && refused=0 &&
		for n in 8 9 10 11 12 13 14 15 16 17 18 19 20 21
		do
			git checkout -q -f other && git branch -q -f topic start &&
			{ GIT_TEST_SYSCALL_FAIL=$n:KILL:rename "$FAULT_GIT" rebase -q --$1 clash topic >../out 2>&1; test -d .git/rebase-$1; } ||
			continue
			if git rebase ${2:---continue} >../out 2>&1; then
				echo "went on at $n" >&4 && return 1
			fi
			! grep "rebase was interrupted while HEAD moved" ../out || refused=$((refused + 1))
			git rebase --abort >../out 2>&1 && test "$(git rev-parse topic)" = "$(git rev-parse start)" && git checkout -q other || return 1
		done &&
		test $refused -gt 0
	)
}

test_expect_success XATTR 'killed before HEAD is detached: --continue does not build on the branch of HEAD' '
	interrupt_start merge
'

test_expect_success XATTR 'the same with --apply' '
	( cd repo && git checkout -q -f topic && git branch -q -D other ) && interrupt_start apply
'

test_done
