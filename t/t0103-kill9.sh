#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='kill -9 at any moment of add and commit

The next command works without a hand: the lock of the dead is taken over, said once,
its staging directory is removed, and fsck is clean.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

test_have_prereq XATTR || {
	skip_all='this file system has no extended attributes'
	test_done
}
GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

KILL_STDIN=/dev/null # of the commands

# killed N CMD...: killed right before its N-th call; 1 if it ended before
killed () {
	local n=$1 code=0
	shift
	GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" "$@" <"$KILL_STDIN" >../out 2>&1 || code=$?
	test $code = 137 && return 0
	test $code = 0 || cat ../out >&4
	return 1
}

# Stock git reads all objects after every fourth only; ours each time.
whole () {
	git fsck --no-dangling >../fsck.out 2>&1 || { cat ../fsck.out >&4; return 1; }
	test $((runs % 4)) != 0 || test -z "$STOCK_GIT" || stock fsck --strict --no-dangling >../fsck.out 2>&1 ||
	{ cat ../fsck.out >&4; return 1; }
}

no_litter () {
	test -z "$(find .git -name "*.lock" -o -name "tmp_*")" && return
	find .git -name "*.lock" -o -name "tmp_*" >&4
	return 1
}

# every_call CMD-THAT-PREPARES CMD...: killed before the calls that calls_of chooses
every_call () {
	local prepare=$1 n=0 runs=0
	shift
	rm -rf ../copy && cp -a . ../copy && cd ../copy && eval "$prepare" && SWEEP_STEP=3 &&
	calls_of KILL "$@" <"$KILL_STDIN" >../out 2>&1 && cd ../repo || return
	for n in $CHOSEN; do
		runs=$((runs + 1))
		eval "$prepare" || return
		killed $n "$@" || break
		git "$@" <"$KILL_STDIN" >../out 2>&1 || {
			echo "after a kill before call $n:" >&4
			cat ../out >&4
			# commit reports it if the killed one had already made the commit
			grep -q "nothing to commit" ../out || return
		}
		# If there is nothing to commit, it does not try to lock refs.
		test "$1" != commit || git commit -q --allow-empty -m again 2>../out ||
		{ cat ../out >&4; return 1; }
		no_litter || { echo "litter after call $n" >&4; return 1; }
		whole || { echo "broken after call $n" >&4; return 1; }
	done
	echo "$runs of $CALLS calls" >&4
	test $CALLS -gt 10
}

test_expect_success 'setup' '
	git init -q repo &&
	git -C repo config bulkCheckin.unpackLimit 100 # however many packs there are
'

test_expect_success 'add: killed before every call' '
	cd repo &&
	every_call "echo \$n >>f && echo \$n >>g" add . &&
	test -z "$(git ls-files -m)"
'

test_expect_success 'add of a pack: killed before every call' '
	cd repo &&
	every_call "for i in \$(seq 110); do echo \$i.\$n >f\$i; done" add . &&
	test -z "$(git ls-files -m)"
'

# A new pack each time, which needs a base; what a killed one has left is gone after the next.
for cmd in "index-pack --stdin --fix-thin" "unpack-objects -q"; do
	test_expect_success "$cmd: killed before every call" '
		cd repo && base=$(git hash-object -w f) && size=$(wc -c <f) && KILL_STDIN=../in.pack &&
		every_call "
			{ seq -f \"blob \$n of $cmd %.0f\" 30; echo ref $base $size \$n; } |
			\"$GIT_BUILD_DIR/t/helper/craft-pack\" $(test "$TEST_HASH" = sha1 || echo sha256) >../in.pack
		" $cmd &&
		KILL_STDIN=/dev/null
	'
done

test_expect_success 'commit: killed before every call' '
	cd repo &&
	every_call "echo \$n >>f && git add f" commit -q -m message &&
	test -z "$(git status --porcelain -uno)"
'

test_expect_success 'config: killed before every call' '
	cd repo &&
	n=0 &&
	while n=$((n + 1)) && killed $n config x.y v$n; do
		git config x.z v$n &&
		test "$(git config x.z)" = v$n &&
		test ! -e .git/config.lock || return
	done &&
	test $n -gt 5
'

test_expect_success 'a take-over is reported, once' '
	cd repo &&
	echo more >>f &&
	n=1 &&
	while killed $n add f && test ! -e .git/index.lock; do
		git add f && echo $n >>f && n=$((n + 1)) || return
	done &&
	test_path_is_file .git/index.lock &&
	git add f 2>err &&
	grep "index.lock" err >told &&
	test_line_count = 1 told &&
	git add f 2>err &&
	test_must_be_empty err
'

test_expect_success 'the lock of another process stays' '
	cd repo &&
	test_when_finished "rm -f repo/.git/index.lock" &&
	echo more >>f &&
	: >.git/index.lock &&
	touch -d "2001-01-01" .git/index.lock &&
	test_must_fail git add f 2>err &&
	test_grep "index.lock.: File exists" err &&
	test_path_is_file .git/index.lock
'

test_expect_success SYMLINKS 'a symbolic link in its place stays' '
	cd repo &&
	test_when_finished "rm -f repo/.git/index.lock" &&
	ln -s nowhere .git/index.lock &&
	test_must_fail git add f 2>err &&
	test_grep "index.lock.: File exists" err &&
	test_path_is_symlink .git/index.lock
'

test_expect_success 'a lock whose owner lives stays, and its owner is named' '
	cd repo &&
	test_when_finished "kill -9 \$pid; wait \$pid; rm -f repo/.git/index.lock" &&
	mkfifo fifo && test_when_finished "rm -f repo/fifo" &&
	# it keeps the lock while it reads names from us
	{ git update-index --stdin <fifo & } &&
	pid=$! &&
	exec 9>fifo &&
	while test ! -e .git/index.lock && kill -0 $pid; do sleep 0.05; done &&
	test_must_fail git add f 2>err &&
	exec 9>&- &&
	test_grep "Process $pid" err
'

test_expect_success 'killed at random moments by a signal' '
	cd repo &&
	i=0 &&
	while test $i -lt 15; do
		i=$((i + 1))
		for f in $(seq 30); do echo $i.$f >r$f; done
		# In a process group of their own, which is killed at once.
		setsid sh -c "git add . && git commit -q -m $i" >../out 2>&1 &
		pid=$!
		sleep 0.0$((i % 10))$((i % 7))
		kill -9 -$pid 2>/dev/null || :
		wait $pid 2>/dev/null || :
		# A process that waits for the disk dies only when the disk has answered, which may take long.
		# "Zl" is one of which other threads still wait: it holds what it held.
		for j in $(seq 600); do
			if ps -o stat= -g $pid | grep -qv "^Z[^l]*$"; then sleep 0.1; else break; fi
		done
		# The locks of the index and of the refs, each by its own command.
		git add . >../out 2>&1 && git commit -q --allow-empty -m "$i again" >../out 2>&1 ||
		{ cat ../out >&4; return 1; }
		no_litter || return
	done &&
	runs=0 && whole &&
	test_might_fail git commit -q -m last &&
	whole
'

# In a clone that was killed, the next commands are a commit and pack-refs. They remove owner files and locks as well.
next_in_clone () {
	if test -f dst/.git/HEAD; then
		git -C dst add -A . && git -C dst commit -q --allow-empty -m next && git -C dst pack-refs --all
	else
		git init -q --ref-format=$1 dst
	fi >out 2>&1 || { cat out >&4; return 1; }
	test -z "$(find dst -name "*.lock" -o -name "tmp_*" -o -name ".git-owner-*")" && return
	find dst -name "*.lock" -o -name "tmp_*" -o -name ".git-owner-*" >&4
	return 1
}

for format in files reftable; do
	test_expect_success "clone, refs in $format: killed before every call, the next commands leave nothing behind" '
		test_when_finished "rm -rf src" && git init -q -b main src && test_commit -C src c1 f1 && test_commit -C src c2 f2 &&
		mkdir -p cloned && cd cloned && rm -rf dst && SWEEP_STEP=4 && runs=0 &&
		calls_of KILL clone -q --ref-format=$format ../src dst >out 2>&1 && for n in $CHOSEN; do
			rm -rf dst && killed $n clone -q --ref-format=$format ../src dst || break
			next_in_clone $format || { echo "after a kill before call $n" >&4; return 1; }
			runs=$((runs + 1))
		done &&
		test $runs -gt 10
	'
done

# Beside a file ".git" in a work tree, no later command takes a lock: gc and prune remove the owner file there.
test_expect_success 'an owner file that a killed process left in a work tree goes with gc and worktree prune' '
	test_when_finished "rm -rf sep trees" && mkdir sep trees && git init -q --separate-git-dir=sep/git sep/work && git init -q trees/main &&
	git -C trees/main commit -q --allow-empty -m x && git -C trees/main worktree add -q ../linked &&
	(cd sep && n=0 && while n=$((n + 1)) && rm -rf git work && mkdir work && killed $n init -q --separate-git-dir=git work; do
		find work -name ".git-owner-*" >../left && test ! -s ../left || break
	done) && test_file_not_empty left && owner=$(basename $(cat left)) && : >trees/linked/$owner && : >trees/main/$owner &&
	git init -q --separate-git-dir=sep/git2 sep/work2 && : >sep/work2/$owner &&
	git -C sep/work2 gc -q && test_path_is_missing sep/work2/$owner &&
	git -C trees/main worktree prune && test_path_is_missing trees/linked/$owner && test_path_is_file trees/main/$owner
'

test_expect_success 'worktree add: fsck finds no fault, and prune removes a directory that no list shows' '
	test_when_finished "rm -rf add" && git init -q --ref-format=files add && (cd add && git commit -q --allow-empty -m x && n=0 && unlisted=0 &&
	while n=$((n + 1)) && rm -rf .git/worktrees ../wt && killed $n worktree add -q --detach ../wt; do
		git fsck 2>../err && ! grep "^error:" ../err || { echo "call $n"; return 1; }
		dir=.git/worktrees/wt && test -d $dir && ! test -f $dir/gitdir && test -n "$(find $dir -name "*.lock")" || continue
		unlisted=$((unlisted + 1)) && git worktree prune && ! test -d $dir || { echo "call $n: $(ls $dir)"; return 1; }
	done && test $unlisted -gt 0 && test $n -gt 20)
'

test_done
