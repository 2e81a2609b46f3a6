#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git refs verify and git fsck check tables'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

# finds CODE LINE...: "refs verify" ends with CODE and prints these lines
finds () {
	code=$1 && shift && printf "%s\n" "$@" >expect && test_expect_code $code git -C copy refs verify 2>err && test_cmp expect err
}

# fresh: a copy of the repository; sets $table, its table
fresh () {
	rm -rf copy && cp -R repo copy && table=$(cat copy/.git/reftable/tables.list)
}

# change FILE OFFSET: another byte there
change () {
	printf "\377" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

test_expect_success 'setup' '
	git init -q -b main --ref-format=reftable repo && test_commit -C repo one && git -C repo tag -a -m t annotated &&
	i=0 && while test $i -lt 400; do echo "create refs/heads/many/$i HEAD" && i=$(($i + 1)); done >input &&
	git -C repo update-ref --stdin <input && git -C repo pack-refs && test_line_count = 1 repo/.git/reftable/tables.list
'

test_expect_success 'a sound repository' '
	fresh && git -C copy refs verify >out 2>&1 && test_must_be_empty out && git -C copy fsck &&
	printf "%s\n" "Checking references consistency" "Checking table: $table" >expect && git -C copy refs verify --verbose 2>err && test_cmp expect err
'

test_expect_success 'badReftableTableName' '
	fresh && mv copy/.git/reftable/$table copy/.git/reftable/foo.ref && echo foo.ref >copy/.git/reftable/tables.list &&
	finds 0 "warning: foo.ref: badReftableTableName: invalid reftable table name" &&
	test_expect_code 255 git -C copy refs verify --strict && test_must_fail git -C copy -c fsck.badReftableTableName=error refs verify &&
	git -C copy fsck 2>err && test_grep badReftableTableName err &&
	for name in 0x1-0x2-3.ref 0x000000000001-0x000000000002-x.ref 0x000000000001-0x000000000002-1.tmp; do
		fresh && mv copy/.git/reftable/$table copy/.git/reftable/$name && echo $name >copy/.git/reftable/tables.list &&
		finds 0 "warning: $name: badReftableTableName: invalid reftable table name" || return 1
	done
'

test_expect_success 'badReftableList: malformed lines, missing tables' '
	fresh && printf "../%s\nx\n" $table >copy/.git/reftable/tables.list &&
	finds 255 "error: reftable/tables.list: badReftableList: malformed line ${SQ}../$table$SQ" \
		"error: reftable/tables.list: badReftableList: names the missing table ${SQ}x$SQ" &&
	fresh && printf "%s" $table >copy/.git/reftable/tables.list && finds 255 "error: reftable/tables.list: badReftableList: its last line does not end"
'

test_expect_success 'a pipe in the place of the list or of a table is refused, and no list without tables' '
	for file in tables.list $table; do
		fresh && rm copy/.git/reftable/$file && mkfifo copy/.git/reftable/$file || return 1
		for command in for-each-ref "update-ref refs/heads/x $EMPTY_BLOB" "gc --prune=now"; do
			test_expect_code 128 timeout -k 5 500 git -C copy $command 2>err && test_grep "reftable/$file. is not a regular file" err || return 1
		done
	done
'

test_expect_success 'badReftable: a changed header, footer, record, restart point, index, log' '
	fresh && size=$(wc -c <repo/.git/reftable/$table) && damaged=0 &&
	for at in 3 6 24 30 4100 $(($size / 2)) $(($size - 200)) $(($size - 60)) $(($size - 1)); do
		fresh && change copy/.git/reftable/$table $at &&
		if ! git -C copy refs verify 2>err; then damaged=$(($damaged + 1)) && test_grep "^error: $table: badReftable: " err || return 1; fi
	done && test $damaged -ge 6
'

# Its offset is in the last bytes of a block, before their number; the first block has its length behind the file's header.
test_expect_success 'badReftable: a restart point that leads to no record' '
	fresh && header=24 && { test "$TEST_HASH" = sha1 || header=28; } &&
	len=$((0x$(od -An -tx1 -j$(($header + 1)) -N3 copy/.git/reftable/$table | tr -d " "))) && test $len -gt 1000 &&
	for at in 3 6; do
		fresh && was=$(od -An -tu1 -j$(($len - $at)) -N1 copy/.git/reftable/$table) && test $was != 255 &&
		change copy/.git/reftable/$table $(($len - $at)) && test_expect_code 255 git -C copy refs verify 2>err &&
		test_grep "^error: $table: badReftable: " err || return 1
	done
'

test_expect_success 'badReftable: an index that does not lead to every ref' '
	fresh && git -C copy update-ref refs/heads/x HEAD && git -C copy -c reftable.blockSize=512 pack-refs &&
	table=$(cat copy/.git/reftable/tables.list) && at=$((0x$(tail -c 68 copy/.git/reftable/$table | od -An -tx1 -j24 -N8 | tr -d " "))) && test $at -gt 0 &&
	change copy/.git/reftable/$table $(($at + 20)) && test_expect_code 255 git -C copy refs verify 2>err &&
	test_grep "^error: $table: badReftable: .*its index does not lead to" err
'

test_expect_success 'a damaged table does not hide the next one' '
	fresh && git -C copy update-ref refs/heads/x HEAD && next=$(tail -n 1 copy/.git/reftable/tables.list) && test $next != $table &&
	printf x >>copy/.git/reftable/$table && printf x >>copy/.git/reftable/$next && test_expect_code 255 git -C copy refs verify 2>err &&
	test_line_count = 2 err && test_grep "^error: $table: badReftable: " err && test_grep "^error: $next: badReftable: " err
'

test_expect_success 'tables in the wrong order' '
	fresh && git -C copy update-ref refs/heads/x HEAD && { tail -n 1 copy/.git/reftable/tables.list && echo $table; } >list &&
	cp list copy/.git/reftable/tables.list &&
	finds 255 "error: $table: badReftable: its update indexes do not follow those of the table before"
'

test_expect_success 'symbolic refs' '
	fresh && git -C copy symbolic-ref HEAD refs/heads/main && git -C copy symbolic-ref refs/heads/alias ORIG_HEAD && git -C copy refs verify &&
	git -C copy pack-refs && new=$(cat copy/.git/reftable/tables.list) && sed "s,refs/heads/mainr,refs/tegs/main,; s,refs/heads/main,refs/tagss/main," <copy/.git/reftable/$new >x &&
	cp x copy/.git/reftable/$new && test_expect_code 255 git -C copy refs verify 2>err && test_grep "error: HEAD: badHeadTarget: HEAD points to non-branch" err
'

# with_ref NAME: a copy with one more ref in its one table
with_ref () {
	fresh && git -C copy update-ref "$1" HEAD && git -C copy pack-refs && table=$(cat copy/.git/reftable/tables.list)
}

# rename_in_table FROM TO: of the same length
rename_in_table () {
	LC_ALL=C sed "s,$1,$2,g" <"copy/.git/reftable/$table" >x && ! cmp -s x "copy/.git/reftable/$table" && cp x "copy/.git/reftable/$table"
}

# add_table ARGUMENT...: "update-ref ARGUMENT..." leaves a table above the other
add_table () {
	git -C copy update-ref "$@" && test_line_count = 2 copy/.git/reftable/tables.list
}

test_expect_success 'badRefName, in the last table and under others' '
	with_ref refs/heads/bad-name && rename_in_table bad-name bad~name &&
	finds 255 "error: refs/heads/bad~name: badRefName: invalid refname format" && add_table refs/heads/other HEAD &&
	finds 255 "error: refs/heads/bad~name: badRefName: invalid refname format" &&
	git -C copy -c fsck.badRefName=ignore refs verify 2>err && test_must_be_empty err &&
	with_ref ORIG_HEAD && rename_in_table ORIG_HEAD ORIG_HEAP && finds 255 "error: ORIG_HEAP: badRefName: invalid refname format"
'

# Nothing needs the first restart point: the table is sound, but not as Git writes it. The first block has its length behind
# the file's header, and ends with the restart points and their number.
test_expect_success 'badRefName in a table with an unusual restart point' '
	with_ref refs/tags/bad-name && header=24 && { test "$TEST_HASH" = sha1 || header=28; } &&
	len=$((0x$(od -An -tx1 -j$(($header + 1)) -N3 copy/.git/reftable/$table | tr -d " "))) &&
	nr=$((0x$(od -An -tx1 -j$(($len - 2)) -N2 copy/.git/reftable/$table | tr -d " "))) && test $nr -gt 2 && first=$(($len - 2 - 3 * $nr)) &&
	dd if=copy/.git/reftable/$table of=x bs=1 skip=$(($first + 3)) count=3 2>/dev/null &&
	dd if=x of=copy/.git/reftable/$table bs=1 seek=$first conv=notrunc 2>/dev/null &&
	git -C copy refs verify 2>err && test_must_be_empty err && rename_in_table bad-name bad~name &&
	finds 255 "error: refs/tags/bad~name: badRefName: invalid refname format"
'

# The value stands behind the name and a byte.
test_expect_success 'badRefOid, unless a later table has another value or a deletion' '
	with_ref refs/heads/odd-value && at=$(LC_ALL=C grep -abo odd-value copy/.git/reftable/$table | sed "s,:.*,,;q") &&
	dd if=/dev/zero of=copy/.git/reftable/$table bs=1 seek=$(($at + 10)) count=$(($OID_HEXLEN / 2)) conv=notrunc 2>/dev/null &&
	finds 255 "error: refs/heads/odd-value: badRefOid: points to invalid object ID $SQ$ZERO_OID$SQ" && cp -R copy shadowed &&
	add_table -d refs/heads/odd-value && git -C copy refs verify &&
	rm -rf copy && mv shadowed copy && add_table refs/heads/odd-value HEAD && git -C copy refs verify
'

test_expect_success 'tables of other worktrees' '
	fresh && mkdir -p copy/.git/worktrees/w && git init -q --ref-format=reftable other && cp -R other/.git/reftable copy/.git/worktrees/w/reftable &&
	echo ../.. >copy/.git/worktrees/w/commondir && echo /none/.git >copy/.git/worktrees/w/gitdir && git -C copy refs verify &&
	its=$(cat other/.git/reftable/tables.list) && printf x >>copy/.git/worktrees/w/reftable/$its && test_expect_code 255 git -C copy refs verify 2>err &&
	test_grep "^error: worktrees/w/$its: badReftable: " err
'

test_done
