#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='reftable.*: how tables are written, merged and locked'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

# new_repo REPO: one commit
new_repo () {
	git init -q --ref-format=reftable "$1" && test_commit -C "$1" one
}

# make_refs REPO DIR NUMBER [GIT OPTIONS]: below refs/heads/DIR, in one transaction
make_refs () {
	repo=$1 dir=$2 number=$3 && shift 3 &&
	i=0 && while test $i -lt $number; do echo "create refs/heads/$dir/$i HEAD" && i=$(($i + 1)); done >input &&
	git -C "$repo" "$@" update-ref --stdin <input
}

# newest REPO: the path of its newest table
newest () {
	echo "$1/.git/reftable/$(tail -n 1 "$1/.git/reftable/tables.list")"
}

# block_size TABLE
block_size () {
	echo $((0x$(od -An -tx1 -j5 -N3 "$1" | tr -d " ")))
}

# object_position TABLE: where the footer says that blocks of objects are, and the length of their ids
object_position () {
	tail -c 68 "$1" | od -An -tx1 -j32 -N8 | tr -d " "
}

# file_size FILE
file_size () {
	wc -c <"$1" | tr -d " "
}

# refused KEY=VALUE MESSAGE
refused () {
	test_expect_code 128 git -C values -c "$1" rev-parse HEAD 2>err && echo "fatal: $2" >expect && test_cmp expect err
}

test_expect_success 'reftable.blockSize is the size of blocks, in new tables and in merged ones' '
	new_repo size && make_refs size many 500 -c reftable.blockSize=1k && test $(block_size $(newest size)) = 1024 &&
	git -C size config reftable.blockSize 0 && git -C size update-ref refs/heads/x HEAD && git -C size pack-refs && test $(block_size $(newest size)) = 4096 &&
	git -C size config reftable.blockSize 16777215 && git -C size update-ref refs/heads/y HEAD && git -C size pack-refs &&
	test $(block_size $(newest size)) = 16777215 &&
	git -C size -c reftable.blockSize=2k update-ref refs/heads/z HEAD && test $(block_size $(newest size)) = 2048 && git -C size for-each-ref refs/heads/many >out && test_line_count = 500 out
'

test_expect_success 'a ref that is longer than a block makes the blocks of its table larger, also if tables are merged' '
	new_repo long && name=$(printf %0200d 1) && git -C long config reftable.blockSize 100 &&
	git -C long update-ref refs/heads/$name/$name/$name HEAD && git -C long pack-refs && test $(block_size $(newest long)) -gt 600 &&
	git -C long rev-parse refs/heads/$name/$name/$name && git -C long update-ref -d refs/heads/$name/$name/$name &&
	git -C long pack-refs && test $(block_size $(newest long)) -lt 600 && git -C long rev-parse HEAD
'

test_expect_success 'reftable.restartInterval: more restart points take more room' '
	new_repo often && new_repo rarely && make_refs often many 500 -c reftable.restartInterval=1 &&
	make_refs rarely many 500 -c reftable.restartInterval=65535 &&
	test $(file_size $(newest often)) -gt $(($(file_size $(newest rarely)) + 1000)) &&
	make_refs often new 100 -c reftable.restartInterval=1 && make_refs rarely new 100 -c reftable.restartInterval=65535 &&
	test_line_count = 2 often/.git/reftable/tables.list && test_line_count = 2 rarely/.git/reftable/tables.list &&
	test $(file_size $(newest often)) -gt $(($(file_size $(newest rarely)) + 300)) &&
	git -C often for-each-ref refs/heads/many >expect && git -C rarely for-each-ref refs/heads/many >out && test_line_count = 500 out
'

test_expect_success 'reftable.indexObjects=false leaves the blocks of objects out, also where tables are merged' '
	new_repo without && make_refs without many 500 -c reftable.indexObjects=false &&
	test "$(object_position $(newest without))" = 0000000000000000 &&
	make_refs without new 100 -c reftable.indexObjects=false -c reftable.blockSize=512 &&
	test_line_count = 2 without/.git/reftable/tables.list && test "$(object_position $(newest without))" = 0000000000000000 &&
	git -C without -c reftable.indexObjects=true pack-refs && git -C without update-ref refs/heads/x HEAD && git -C without pack-refs &&
	test "$(object_position $(newest without))" != 0000000000000000 &&
	git -C without update-ref refs/heads/y HEAD && git -C without -c reftable.indexObjects=false pack-refs &&
	test "$(object_position $(newest without))" = 0000000000000000
'

test_expect_success 'reftable.geometricFactor chooses how many tables there are' '
	new_repo few && new_repo many &&
	for i in 1 2 3 4 5 6; do
		git -C few -c reftable.geometricFactor=255 update-ref refs/heads/b$i HEAD &&
		git -C many -c reftable.geometricFactor=1 update-ref refs/heads/b$i HEAD || return 1
	done &&
	test_line_count = 1 few/.git/reftable/tables.list && test $(wc -l <many/.git/reftable/tables.list) -ge 3
'

test_expect_success 'reftable.lockTimeout: 0 does not wait, -1 waits until the lock is gone' '
	new_repo lock && >lock/.git/reftable/tables.list.lock &&
	test_must_fail git -C lock -c reftable.lockTimeout=0 update-ref refs/heads/x HEAD 2>err && test_grep tables.list.lock err &&
	{
		git -C lock -c reftable.lockTimeout=-1 update-ref refs/heads/x HEAD &
		writer=$!
	} && sleep 1 && rm lock/.git/reftable/tables.list.lock && wait $writer && git -C lock rev-parse refs/heads/x
'

test_expect_success 'values that cannot be used are refused in the words of Git' '
	new_repo values &&
	refused reftable.blockSize=16777216 "reftable block size cannot exceed 16MB" &&
	refused reftable.blockSize=x "bad numeric config value ${SQ}x${SQ} for ${SQ}reftable.blocksize${SQ}: invalid unit" &&
	refused reftable.restartInterval=65536 "reftable restart interval cannot exceed 65535" &&
	refused reftable.geometricFactor=256 "reftable geometric factor cannot exceed 255" &&
	refused reftable.lockTimeout=-2 "reftable lock timeout does not support negative values other than -1" &&
	refused reftable.indexObjects=maybe "bad boolean config value ${SQ}maybe${SQ} for ${SQ}reftable.indexobjects${SQ}"
'

test_expect_success 'git config works in spite of such a value, and files do not care' '
	git -C values config reftable.blockSize 16777216 && test_must_fail git -C values rev-parse HEAD &&
	git -C values config --unset reftable.blockSize && git -C values rev-parse HEAD &&
	git init -q --ref-format=files files && git -C files -c reftable.blockSize=x symbolic-ref HEAD
'

test_done
