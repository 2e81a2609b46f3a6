#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of a clone fails in turn; a disk that is full

As in t0102. Whatever fails: the clone is complete (or only its files could not be written, with an error), or nothing is
left of it.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

still_good () {
	if grep -q "Clone succeeded, but checkout failed" err; then
		git -C copy/new fsck --strict && test "$(git -C copy/new rev-parse HEAD)" = $head
	else
		test $code = 0 || test ! -e copy/new
	fi >/dev/null 2>&1
}

test_expect_success 'a repository to clone' '
	git init -q -b main src && for i in 1 2 3; do test_commit -C src c$i f$i || return 1; done &&
	git -C src branch b1 && git -C src tag -a -m tag v1 && head=$(git -C src rev-parse main)
'

is_whole='git -C new for-each-ref >refs && grep -q refs/tags/v1 refs && git -C new fsck --strict &&
	test $(git -C new rev-parse HEAD) = $head'

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 12
	test_expect_success "hard links, with files: $what" '
		sweep src $what "$is_whole && cmp f2 new/f2 && test -z \"\$(git -C new status --porcelain)\"" clone -q . new
	'
	test_expect_success "copies: $what" '
		sweep src $what "$is_whole" clone -q --bare --no-hardlinks . new
	'
	test_expect_success "a pack, with files: $what" '
		sweep src $what "$is_whole && cmp f2 new/f2" clone -q --no-local . new
	'
done

if test_have_prereq TMPFS && mount_tmpfs disk 1m >/dev/null 2>&1; then
	test_set_prereq SMALL_DISK
fi

test_expect_success SMALL_DISK 'a full disk: nothing is left' '
	git init -q -b main big && for i in 1 2 3 4; do
		head -c 400000 /dev/urandom >big/r$i && git -C big add . && git -C big commit -q -m r$i || return 1
	done &&
	test_must_fail git clone -q --bare "file://$PWD/big" disk/a/b 2>err && test_grep "No space left" err &&
	find disk -mindepth 1 >out && test_must_be_empty out &&
	test_must_fail git clone -q -n --no-hardlinks big disk/a/b 2>err && test_grep "No space left" err &&
	find disk -mindepth 1 >out && test_must_be_empty out
'

test_done
