#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='stash push and pop: kill -9 and failing calls at any moment

No change is lost: it is in the working tree, or in an entry of the list. The next command goes on.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

dirty() {
	lines 1 2 3 mine >f && echo staged >g && git add g && rm d/x && mkdir -p n && echo u >n/new
}

clean_up() {
	git reset -q --hard && git clean -fdq && git update-ref -d refs/stash && rm -f .git/WORKTREE_UPDATE
}

# is_dirty: the files have all changes
is_dirty() {
	lines 1 2 3 mine | cmp -s - f && echo staged | cmp -s - g && test ! -e d/x && echo u | cmp -s - n/new
}

# whole: after at most one `merge --abort`, either all changes are in the files, or the files are those of HEAD and an entry has them
whole() {
	if test -e .git/WORKTREE_UPDATE; then
		git merge --abort >../out 2>&1 || return 1
	fi
	if ! is_dirty; then
		git rev-parse -q --verify refs/stash >../out && git stash show -u --name-status stash >../out &&
			printf "%s\t%s\n" D d/x M f M g A n/new | cmp -s - ../out || return 1
		git reset -q --hard && git clean -fdq && git stash pop -q >../out 2>&1 && is_dirty || return 1
	fi
	test ! -e .git/WORKTREE_UPDATE && git status --porcelain >../out && git add -A && git commit -q -m all && git reset -q --hard HEAD~1
}

# sweep WHAT STEP SETUP ARGS: call after call of `stash ARGS` fails with WHAT, or is where the command is killed
sweep() {
	local what=$1 setup=$3 runs=0 n code
	sweep_step $1 $2
	shift 3
	clean_up && $setup && rm -rf ../copy && cp -a . ../copy && (
		cd ../copy && calls_of $what stash "$@" >../out 2>&1 && lines $CHOSEN >../chosen
	) || return
	for n in $(cat ../chosen); do
		runs=$((runs + 1)) code=0
		clean_up && $setup || return
		GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" stash "$@" >../out 2>&1 || code=$?
		cp ../out ../said
		whole || { echo "lost after $what at call $n, exit code $code:" >&4; cat ../said ../out >&4; git status --short >&4; return 1; }
	done
	git fsck --no-dangling >../out 2>&1 || { cat ../out >&4; return 1; }
	echo "$runs calls" >&4
	test $runs -gt 5
}

stashed() {
	dirty && git stash push -q -u
}

# The file that changes when an entry comes or goes. In tables other refs change it, too, but not before.
if test_have_prereq REFFILES; then entries=.git/refs/stash; else entries=.git/reftable/tables.list; fi

test_expect_success 'set up' '
	git init -q repo && (cd repo && lines 1 2 3 >f && echo g >g && mkdir d && echo x >d/x && git add . && git commit -qm one)
'

test_expect_success 'push: the entry is sealed before the first file changes; the marker comes between' '
	( cd repo && dirty && GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" stash push -q -u ) &&
	awk "{ gsub(/[^ ]*\/repo\//, \"\") }
		\$1 == \"rename\" && \$3 == \"$entries\" && !entries++ { print \"entry\" }
		/^fsync/ && !seals++ { print \"seal\" }
		\$1 == \"rename\" && \$3 == \".git/WORKTREE_UPDATE\" { print \"marker\" }
		/ (f|g|d\/x|n\/new)( |\$)/ && \$1 ~ /^(unlink|write|writev|pwrite)\$/ && !files++ { print \"files\" }
		\$1 == \"rename\" && \$3 == \".git/index\" { print \"index\" }
		\$1 == \"unlink\" && \$2 == \".git/WORKTREE_UPDATE\" && !ended++ { print \"end\" }" log >order &&
	lines entry seal marker files index end >expect && test_cmp expect order
'

test_expect_success 'pop: files are settled before the entry goes' '
	rm log && ( cd repo && GIT_TEST_SYSCALL_LOG=$PWD/../log "$FAULT_GIT" stash pop -q ) &&
	awk "{ gsub(/[^ ]*\/repo\//, \"\") }
		/^writeout_wait (.* )?f( |\$)/ && !settled++ { print \"settled\" }
		/^(unlink|rename) / && \$NF == \"$entries\" && !gone++ { print \"gone\" }" log >order &&
	lines settled gone >expect && test_cmp expect order
'

test_expect_success XATTR 'push, killed at any call' '
	( cd repo && sweep KILL 4 dirty push -q -u )
'

test_expect_success XATTR 'pop, killed at any call' '
	( cd repo && sweep KILL 4 stashed pop -q )
'

test_expect_success 'push, where each call fails' '
	( cd repo && sweep EIO 6 dirty push -q -u && sweep ENOSPC 12 dirty push -q -u )
'

test_expect_success 'pop, where each call fails' '
	( cd repo && sweep EIO 6 stashed pop -q && sweep ENOSPC 12 stashed pop -q )
'

test_done
