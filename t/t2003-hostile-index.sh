#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an index that names paths outside of the work tree'
. "$(dirname "$0")/test-lib.sh"

# index_with FROM TO: one entry, whose name (of the same length) is changed in the file; a
# checksum of zeros is not checked (index.skipHash).
index_with () {
	rm -f repo/.git/index && mkdir -p "repo/$(dirname "$1")" && cp victim "repo/$1" &&
	git -C repo add "$1" && rm -r "repo/${1%%/*}" &&
	size=$(wc -c <repo/.git/index) && tail=$(case $TEST_HASH in sha1) echo 20 ;; *) echo 32 ;; esac) &&
	LC_ALL=C sed "s#$1#$2#" repo/.git/index >changed &&
	test "$(wc -c <changed)" = "$size" &&
	head -c $((size - tail)) changed >repo/.git/index && head -c $tail /dev/zero >>repo/.git/index
}

test_expect_success 'set up' '
	git init -q repo && echo precious >victim && cp repo/.git/config config &&
	E=$(git -C repo mktree </dev/null) && mkdir empty
'

untouched () {
	test "$(cat victim)" = precious && test_cmp config repo/.git/config && test -d empty
}

for name in "aa/victim ../victim" "aaaa/config .git/config" "a/b/victim ../../vict" "aa/empty ../empty"; do
	from=${name% *} to=${name#* }
	test "${#from}" = "${#to}" || continue
	test_expect_success "read-tree -u --reset does not remove $to" '
		index_with $from $to && git -C repo ls-files >out && echo $to >expect && test_cmp expect out &&
		test_expect_code 128 git -C repo read-tree -u --reset $E 2>err &&
		test_grep "invalid path .$to." err && untouched
	'
	test_expect_success "rm does not remove $to" '
		index_with $from $to &&
		test_must_fail git -C repo rm -rfq . 2>err && test_grep "invalid path .$to." err && untouched &&
		index_with $from $to && git -C repo rm -rfq --cached . && untouched
	'
done

test_expect_success SYMLINKS 'rm and read-tree remove no file behind a symbolic link' '
	rm -rf repo/.git/index && mkdir -p repo/d far && echo x >repo/d/f && cp repo/d/f far/f && git -C repo add d &&
	rm -r repo/d && ln -s ../far repo/d &&
	git -C repo rm -rfq . && test -f far/f && test -h repo/d &&
	rm repo/d && mkdir repo/d && cp far/f repo/d && git -C repo add d && rm -r repo/d && ln -s ../far repo/d &&
	git -C repo read-tree -u --reset $E && test -f far/f
'

test_expect_success 'unknown flags of an entry' '
	rm -rf flags && git init -q flags && >flags/f && git -C flags add -N f &&
	hash=$((OID_HEXLEN / 2)) && at=$((12 + 40 + hash + 2)) && size=$(wc -c <flags/.git/index) &&
	cp flags/.git/index whole && test "$(od -An -tx1 -j$at -N2 whole | tr -d " ")" = 2000 &&
	for bytes in "\\240\\000" "\\040\\001"
	do
		{
			head -c $at whole && printf "$bytes" &&
			tail -c +$((at + 3)) whole | head -c $((size - at - 2 - hash)) &&
			head -c $hash /dev/zero
		} >flags/.git/index &&
		test_expect_code 128 git -C flags ls-files 2>err &&
		test_grep "unknown index entry format 0x" err || return 1
	done
'

test_done
