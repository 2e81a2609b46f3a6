#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='several processes at the same refs: no update is lost, none vanishes'
. "$(dirname "$0")/test-lib.sh"

GIT_TEST_FSYNC=0
export GIT_TEST_FSYNC

test_expect_success 'set up: a chain of 60 commits' '
	git init -q repo && cd repo &&
	tree=$(git write-tree) && parent= && : >../chain &&
	for i in $(seq 60); do
		parent=$(echo $i | git commit-tree $tree ${parent:+-p $parent}) &&
		echo $parent >>../chain || return 1
	done &&
	git update-ref refs/heads/counter $(head -1 ../chain) && cd ..
'

# count_up NAME N: move refs/heads/counter forward N times, by compare and swap.
count_up () {
	local done=0 tries=0 cur next
	while test $done -lt $2; do
		tries=$((tries + 1)) && test $tries -le 2000 || return 1
		cur=$(git -C repo rev-parse refs/heads/counter) &&
		next=$(grep -A1 $cur chain | tail -1) &&
		if git -C repo update-ref refs/heads/counter $next $cur 2>>err.$1; then
			done=$((done + 1))
		fi
	done
}

# (A background job inside of a test's && chain would escape from it: functions.)
count_together () {
	count_up a 20 &
	count_up b 20 && wait $!
}

test_expect_success 'two that count never skip a number' '
	count_together &&
	test "$(git -C repo rev-parse counter)" = "$(sed -n 41p chain)" &&
	! grep "^fatal" err.a err.b | grep -v "cannot lock ref"
'

change_and_pack () {
	local i
	for i in $(seq 15); do
		git -C repo update-ref refs/heads/seen $(sed -n ${i}p chain) || return 1
		test -z "$STOCK_GIT" || stock -C repo pack-refs --all || return 1
	done
}

read_meanwhile () {
	change_and_pack &
	while kill -0 $! 2>/dev/null; do
		git -C repo rev-parse --verify -q refs/heads/seen >/dev/null || return 1
	done
	wait $!
}

test_expect_success 'a reader sees a ref at all times while it is changed and packed' '
	git -C repo update-ref refs/heads/seen counter &&
	read_meanwhile
'

make_both () {
	git -C repo update-ref refs/heads/$1 counter 2>/dev/null &
	git -C repo update-ref refs/heads/$1/x counter 2>/dev/null
	wait $!
	test "$(git -C repo show-ref | grep -c "refs/heads/$1\(/x\)\?$")" -le 1
}

test_expect_success 'names that exclude each other: at most one of the two is made' '
	for i in $(seq 10); do
		make_both n$i || return 1
	done &&
	# each can refuse because of the other, but not all of the time
	test -n "$(git -C repo for-each-ref "refs/heads/n*")" &&
	test -z "$(find repo/.git -name "*.lock")"
'

test_done
