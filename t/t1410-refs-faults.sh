#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of update-ref --stdin and pack-refs fails in turn, or is the last

Refs that are missing, loose, packed, or both are made, changed and removed in one
transaction: whatever happens, all have their old values or all have the new ones (P6), nothing
is left behind (P4), and the next command works (P5).'
. "$(dirname "$0")/test-lib.sh"

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
test -x "$FAULT_GIT" || {
	skip_all='fault-git is not built'
	test_done
}
unset GIT_TEST_FSYNC
GIT_CONFIG_NOSYSTEM=1
GIT_TEST_FS_KIND=journal
export GIT_CONFIG_NOSYSTEM GIT_TEST_FS_KIND

litter () {
	find copy/.git -name "*.lock" -o -name "tmp_*" -o -name "*.new"
}

values () {
	git -C "$1" for-each-ref --format="%(refname) %(objectname)" 2>/dev/null ||
	git -C "$1" show-ref
}

sound () {
	test $((n % 4)) = 0 && test -n "$STOCK_GIT" || return 0
	stock -C copy fsck --strict --no-dangling >fsck.out 2>&1 && return
	cat fsck.out >&4
	return 1
}

# whole WORD: all refs as before, or all as after
whole () {
	values copy >now &&
	{ cmp -s now before || cmp -s now after; } && sound && return
	echo "$1: torn" >&4
	diff before now >&4
	return 1
}

# one_fault CMD...: sets $code, $word
one_fault () {
	rm -rf copy && cp -a template copy && rm -f log || return
	code=0
	(
		cd copy &&
		GIT_TEST_SYSCALL_LOG=../log GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed \
		GIT_TEST_SYSCALL_FAIL=$n$plus:$what "$FAULT_GIT" "$@" <../input 2>../err >../out
	) || code=$?
	word="call $n, $what$plus, $*: $(grep injected log | head -n 1)"
}

# sweep WHAT CMD...
sweep () {
	local what=$1 n=0 plus=
	shift
	case $what in *+) plus=+ what=${what%+} ;; esac
	rm -f missed
	while test ! -f missed; do
		n=$((n + 1))
		one_fault "$@" || return
		whole "$word" || return
		test -z "$(litter)" || { echo "$word: litter: $(litter)" >&4; return 1; }
		case "$code:$what" in
		0:*)
			cmp -s now after || { echo "$word: success without a change" >&4; return 1; } ;;
		1:EINTR|128:EINTR)
			echo "$word: did not go on: $(cat err)" >&4; return 1 ;;
		1:*|128:*)
			grep -q "refs/\|packed-refs\|HEAD" err || {
				echo "$word: names no ref: $(cat err)" >&4; return 1; } ;;
		*)
			echo "$word: exit code $code: $(cat err)" >&4; return 1 ;;
		esac
	done
	echo "$n calls" >&4
	test $n -gt 10
}

# killed AGAIN CMD...: before every call; AGAIN then works and leaves nothing
killed () {
	local again=$1 what=KILL n=0 plus=
	shift
	while :; do
		n=$((n + 1))
		one_fault "$@" || return
		test $code = 137 || break
		whole "killed before call $n" || return
		(cd copy && eval "$again") >out 2>&1 || {
			echo "killed before call $n: the next command fails" >&4; cat out >&4; return 1; }
		values copy >now && cmp now after >&4 || return
		test -z "$(litter)" || { echo "killed before call $n: $(litter)" >&4; return 1; }
	done
	echo "$n calls" >&4
	test $code = 0 && test $n -gt 10
}

test_expect_success 'setup' '
	git init -q -b main template && (
		cd template &&
		git config core.logAllRefUpdates true &&
		git commit -q --allow-empty -m one && git commit -q --allow-empty -m two &&
		H=$(git rev-parse main) && P=$(git rev-parse main~1) &&
		for r in packed packed-goes both both-goes; do
			git update-ref refs/heads/$r $P || exit
		done &&
		git pack-refs --all &&
		for r in main both both-goes d/loose d/loose-goes stays; do
			git update-ref refs/heads/$r $P && git update-ref refs/heads/$r $H || exit
		done &&
		cat >../transaction <<-EOF &&
		create refs/heads/new/deep $H
		create refs/tags/new $P
		update refs/heads/both $P $H
		update refs/heads/d/loose $P $H
		update refs/heads/packed $H $P
		update HEAD $P
		delete refs/heads/both-goes $H
		delete refs/heads/d/loose-goes $H
		delete refs/heads/packed-goes $P
		verify refs/heads/stays $H
		EOF
		sed "s/^create/update/; s/\(update [^ ]* [^ ]*\) .*/\1/; s/\(delete [^ ]*\) .*/\1/" \
			../transaction >../again
	)
'

test_expect_success 'a transaction: what it does' '
	cp transaction input && values template >before &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >after && ! cmp -s before after
'

for what in EIO ENOSPC ENOSPC+ EINTR short; do
	test_expect_success "a transaction: $what at every call" '
		sweep $what update-ref --stdin
	'
done

test_expect_success 'a transaction: killed before every call' '
	killed "git update-ref --stdin <../again" update-ref --stdin
'

test_expect_success 'a transaction with a symbolic ref: what it does' '
	{ cat transaction && echo "symref-create refs/heads/sym refs/heads/d/loose"; } >input &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >after
'

# This one goes the loose way: each ref has its old value or the new one.
test_expect_success 'a transaction with a symbolic ref: killed before every call' '
	whole () {
		values copy >now && sound &&
		git -C copy rev-parse -q --verify refs/heads/stays >/dev/null &&
		cat before after | sort -u >either && sort now | comm -23 - either >neither &&
		test_must_be_empty neither
	} &&
	{ cat again && echo "symref-update refs/heads/sym refs/heads/d/loose"; } >again-sym &&
	killed "git update-ref --stdin <../again-sym" update-ref --stdin
'

test_expect_success 'pack-refs: what it does' '
	whole () {
		values copy >now && cmp now before && sound
	} &&
	cp before after && : >input &&
	rm -rf copy && cp -a template copy && git -C copy pack-refs --all &&
	values copy >now && cmp now before && test -z "$(find copy/.git/refs -type f)"
'

for what in EIO ENOSPC+ EINTR short; do
	test_expect_success "pack-refs: $what at every call" '
		sweep $what pack-refs --all
	'
done

test_expect_success 'pack-refs: killed before every call' '
	killed "git pack-refs --all" pack-refs --all
'

test_expect_success 'a single deletion: killed before every call' '
	whole () {
		values copy >now && { cmp -s now before || cmp -s now after; } && sound
	} &&
	grep -v refs/heads/both-goes before >after &&
	echo "delete refs/heads/both-goes" >input &&
	killed "git update-ref -d refs/heads/both-goes" update-ref --stdin &&
	sweep EIO update-ref --stdin && sweep ENOSPC+ update-ref --stdin
'

test_expect_success 'a session that is killed after "prepare"' '
	rm -rf copy && cp -a template copy && cp before now &&
	{ echo start && cat transaction && echo prepare; } >session &&
	rm -f fifo && mkfifo fifo &&
	{ git -C copy update-ref --stdin <fifo >out & } && pid=$! &&
	exec 7>fifo && cat session >&7 &&
	i=0 && while ! grep -q "prepare: ok" out && test $i -lt 100; do sleep 0.1; i=$((i + 1)); done &&
	test_path_is_file copy/.git/packed-refs.lock &&
	kill -9 $pid && exec 7>&- && { wait $pid || :; } &&
	values copy >now && cmp now before &&
	git -C copy update-ref --stdin <transaction 2>err &&
	test_grep "removed stale lock .*packed-refs.lock" err &&
	test -z "$(litter)"
'

test_done
