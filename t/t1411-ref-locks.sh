#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='locks of refs: time-outs, owners that are gone, locks of others

Where a command waits for a lock, the test lets the lock go when the command has tried three times,
and the command has to succeed then. How long anything takes is not measured.'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq REFFILES || { skip_all="about refs in files, and packed-refs"; test_done; }

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

test_expect_success 'setup' '
	git init -q -b main repo &&
	git -C repo commit -q --allow-empty -m one && git -C repo commit -q --allow-empty -m two &&
	H=$(git -C repo rev-parse main) && P=$(git -C repo rev-parse main~1) &&
	for i in a b c d; do echo "create refs/heads/$i $P"; done >input &&
	git -C repo update-ref --stdin <input && git -C repo pack-refs --all
'

# The lock is a FIFO: who tries to take it opens it for reading, since the owner might be gone. To open it for writing takes
# until then. (A background job inside of a test's && chain would escape from it: functions.)
let_go_later () {
	mkfifo repo/.git/$1
	{ for attempt in 1 2 3; do : >repo/.git/$1; done; rm -f repo/.git/$1; } &
	set -- "$PWD/repo/.git/$1" $!
	test_when_finished "test ! -p '$1' || { kill $2; rm '$1'; }"
	test_atexit "test ! -p '$1' || kill $2"
}

set_timeouts () {
	git -C repo config core.filesRefLockTimeout $1 &&
	git -C repo config core.packedRefsTimeout $2
}

for timeout in -1 60000; do
	test_expect_success "core.filesRefLockTimeout=$timeout waits for a ref's lock" '
		set_timeouts $timeout 0 &&
		let_go_later refs/heads/a.lock &&
		git -C repo update-ref refs/heads/a $H && test_path_is_missing repo/.git/refs/heads/a.lock &&
		let_go_later refs/heads/b.lock &&
		printf "update refs/heads/a $P $H\nupdate refs/heads/b $H $P\n" |
		git -C repo update-ref --stdin && test_path_is_missing repo/.git/refs/heads/b.lock &&
		test "$(git -C repo rev-parse a b)" = "$(printf "%s\n" $P $H)" &&
		git -C repo update-ref refs/heads/b $P
	'

	test_expect_success "core.packedRefsTimeout=$timeout waits for packed-refs.lock" '
		set_timeouts 0 $timeout &&
		let_go_later packed-refs.lock &&
		printf "update refs/heads/a $H $P\nupdate refs/heads/b $H $P\n" |
		GIT_TEST_REF_COMMIT=packed git -C repo update-ref --stdin && test_path_is_missing repo/.git/packed-refs.lock &&
		let_go_later packed-refs.lock &&
		git -C repo update-ref -d refs/heads/a && test_path_is_missing repo/.git/packed-refs.lock &&
		git -C repo update-ref refs/heads/a $P && let_go_later packed-refs.lock &&
		git -C repo pack-refs --all && test_path_is_missing repo/.git/packed-refs.lock &&
		test_path_is_missing repo/.git/refs/heads/a && git -C repo update-ref refs/heads/b $P
	'
done

for timeout in 0 50; do
	test_expect_success "time-outs of $timeout: given up, the ref and the lock are named" '
		set_timeouts $timeout $timeout &&
		test_when_finished "rm -f repo/.git/refs/heads/a.lock repo/.git/packed-refs.lock" &&
		: >repo/.git/refs/heads/a.lock &&
		printf "update refs/heads/a $H\nupdate refs/heads/b $H\n" >input &&
		test_must_fail git -C repo update-ref --stdin <input 2>err &&
		test_grep "cannot lock ref .refs/heads/a.: Unable to create .*a.lock.: File exists" err &&
		test_must_fail git -C repo update-ref refs/heads/a $H 2>err &&
		test_grep "cannot lock ref .refs/heads/a." err &&
		rm repo/.git/refs/heads/a.lock && : >repo/.git/packed-refs.lock &&
		printf "create refs/heads/n1 $H\ncreate refs/heads/n2 $H\n" >input &&
		test_must_fail git -C repo update-ref --stdin <input 2>err &&
		test_grep "refs/heads/n1.*packed-refs.lock.: File exists" err &&
		test_must_fail git -C repo rev-parse -q --verify n1 &&
		test_must_fail git -C repo update-ref -d refs/heads/a 2>err &&
		test_grep "packed-refs.lock.: File exists" err &&
		git -C repo update-ref refs/heads/c $H && git -C repo update-ref refs/heads/c $P &&
		test "$(find repo/.git -name "*.lock" -o -name "*.new")" = repo/.git/packed-refs.lock &&
		test "$(git -C repo rev-parse a b)" = "$(printf "%s\n" $P $P)"
	'
done

test_expect_success STOCK_GIT 'several refs keep their locks until all is done: stock git is kept out' '
	set_timeouts 0 0 &&
	mkfifo in out && test_when_finished "exec 8>&- 9<&-; rm -f in out" &&
	{ git -C repo update-ref --stdin <in >out & } && pid=$! &&
	exec 8>in 9<out &&
	printf "start\nupdate refs/heads/a $H\ndelete refs/heads/b\nprepare\n" >&8 &&
	read -r line <&9 && read -r line <&9 && test "$line" = "prepare: ok" &&
	for cmd in "update-ref refs/heads/a $H" "update-ref -d refs/heads/b"
	do
		test_must_fail stock -C repo $cmd 2>err && test_grep "File exists" err || return
	done &&
	test_path_is_missing repo/.git/packed-refs.lock &&
	stock -C repo update-ref -d refs/heads/c && test_might_fail stock -C repo pack-refs --all &&
	stock -C repo update-ref refs/heads/c $H && stock -C repo update-ref refs/heads/c $P &&
	echo commit >&8 && read -r line <&9 && test "$line" = "commit: ok" &&
	exec 8>&- && wait $pid &&
	test_must_fail stock -C repo rev-parse -q --verify refs/heads/b &&
	stock -C repo update-ref refs/heads/a $P $H && stock -C repo update-ref refs/heads/b $P &&
	test -z "$(find repo/.git -name "*.lock")"
'

test_expect_success 'locks that others made are never taken over' '
	set_timeouts 0 0 &&
	for lock in HEAD refs/heads/main packed-refs index config; do
		: >repo/.git/$lock.lock && touch -d 2001-01-01 repo/.git/$lock.lock &&
		case $lock in
		index) set -- read-tree HEAD ;;
		config) set -- config x.y z ;;
		packed-refs) set -- pack-refs --all ;;
		*) set -- commit -q --allow-empty -m no ;;
		esac &&
		test_must_fail git -C repo "$@" 2>err &&
		test_path_is_file repo/.git/$lock.lock &&
		rm repo/.git/$lock.lock || return
	done
'

# leave LOCK CMD...: kill CMD at the first call at which LOCK is left
leave () {
	local lock=$1 n=0
	shift
	while n=$((n + 1)) && test $n -lt 100; do
		(cd repo && GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" "$@") <input >out 2>&1
		test $? = 137 || return
		test ! -e repo/.git/$lock.lock || return 0
		rm -f repo/.git/.git-owner-* # or the next attempt makes other calls
	done
	return 1
}

if test -x "$FAULT_GIT" && test_have_prereq XATTR; then
	test_set_prereq LEFT_LOCKS
fi

for lock in HEAD refs/heads/main refs/heads/a packed-refs index config; do
	test_expect_success LEFT_LOCKS "$lock.lock of the dead: the next command goes on and says so" '
		set_timeouts 0 0 &&
		git -C repo update-ref refs/heads/a $H && git -C repo update-ref HEAD $P &&
		printf "update refs/heads/a $P\nupdate refs/heads/b $P\nupdate HEAD $H\n" >input &&
		case $lock in
		index) set -- update-index --force-remove nothing ;;
		config) set -- config x.y z ;;
		packed-refs)
			printf "update refs/heads/n1 $P\nupdate refs/heads/n2 $P\n" >input &&
			set -- update-ref --stdin ;;
		*) set -- update-ref --stdin ;;
		esac &&
		leave $lock "$@" &&
		git -C repo "$@" <input 2>err &&
		test_grep "^warning: removed stale lock .*$lock.lock.; its owner, process [0-9]*, is gone" err &&
		git -C repo "$@" <input 2>err && ! grep "stale" err &&
		test -z "$(find repo/.git -name "*.lock" -o -name "*.new")"
	'
done

test_expect_success STRACE "where the repository is, is looked for once, however many locks there are" '
	git init -q --bare many && lookups= &&
	T=$(git -C many mktree </dev/null) && C=$(git -C many commit-tree -m x $T) &&
	for n in 2 50 300; do
		for i in $(test_seq $n); do echo "create refs/heads/$n/$i $C"; done >input &&
		trace_calls calls "?statfs,?statfs64" env GIT_TEST_REF_COMMIT=journal \
			git -C many update-ref --stdin <input &&
		lookups="$lookups $(grep -c statfs calls)" || return 1
	done &&
	set -- $lookups && test "$1" -gt 0 && test "$1" = "$2" && test "$1" = "$3"
'

test_done
