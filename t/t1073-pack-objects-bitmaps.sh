#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects and bitmaps: what they find goes out as it is, or adjusted; new bitmaps'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

# same DIR REVS OPTIONS: the same objects with bitmaps and without
same () {
	local dir=$1 revs=$2
	shift 2
	printf "%s\n" $revs >revs &&
	git -C $dir pack-objects --revs --stdout --progress "$@" <revs >with.pack 2>with.err &&
	git -C $dir pack-objects --revs --stdout --no-use-bitmap-index "$@" <revs >without.pack &&
	all_in with.pack >with && all_in without.pack >without && test_cmp_bin without with
}

all_in () {
	rm -rf in && git init -q in && cp "$1" in/.git/objects/pack/x.pack &&
	git -C in index-pack .git/objects/pack/x.pack >/dev/null && all_of in
}

test_expect_success 'setup: a packed repository with a bitmap' '
	make_history repo 60 && git -C repo branch old HEAD~20 &&
	name=$(git -C repo pack-objects --all --delta-base-offset --write-bitmap-index .git/objects/pack/pack </dev/null) &&
	test_path_is_file repo/.git/objects/pack/pack-$name.bitmap &&
	find repo/.git/objects -path "*/??/*" -type f -exec rm -f {} + &&
	git -C repo fsck --full && echo $name >name &&
	cat repo/.git/objects/pack/pack-$name.bitmap >bitmap
'

test_expect_success 'everything: the pack as it is' '
	git -C repo pack-objects --all --stdout --delta-base-offset --progress </dev/null >x.pack 2>err &&
	test_cmp_bin repo/.git/objects/pack/pack-$(cat name).pack x.pack &&
	test_grep "reused 0 (delta 0), pack-reused [1-9][0-9]* (from 1)" err
'

test_expect_success 'a part: entries are adjusted, the objects are the same' '
	for revs in HEAD old HEAD~3 HEAD~59 one "old one" "HEAD:dir" "HEAD~7 HEAD~9:text"; do
		same repo "$revs" --delta-base-offset || return 1
	done &&
	same repo old --delta-base-offset && test_grep "pack-reused [1-9]" with.err
'

test_expect_success 'a delta whose base is left out is replaced' '
	same repo HEAD~40 --delta-base-offset && test_grep "pack-reused [1-9]" with.err &&
	test $(($(wc -c <with.pack))) -gt 1000
'

test_expect_success 'a reader that does not know offsets; depths; excluded revisions' '
	same repo HEAD && same repo old && same repo old --delta-base-offset --no-reuse-delta &&
	same repo "HEAD ^old" --delta-base-offset && same repo "HEAD ^HEAD~3" --delta-base-offset &&
	printf "HEAD\n^old\n" >revs &&
	git -C repo pack-objects --revs --thin --stdout --delta-base-offset <revs >thin.pack &&
	git -C repo pack-objects --revs --stdout --delta-base-offset <revs >full.pack &&
	test $(wc -c <thin.pack) -lt $(wc -c <full.pack)
'

test_expect_success 'filters' '
	same repo HEAD --delta-base-offset --filter=blob:none && same repo old --filter=blob:none &&
	same repo HEAD --delta-base-offset --filter=tree:1
'

test_expect_success 'new commits beside the pack' '
	cp -R repo more && for n in 1 2 3; do
		lines $((n + 500)) 200 >more/text && git -C more commit -qam "more $n" || return 1
	done &&
	git -C more tag -a -m three three &&
	same more "HEAD one two three" --delta-base-offset && test_grep "pack-reused [1-9]" with.err &&
	same more HEAD --delta-base-offset --include-tag
'

# version N: 60 files that have nothing in common but their size, with a line that is N
version () {
	for i in $(seq 60); do
		awk -v i=$i -v n="$1" 'BEGIN { for (k = 1; k <= 40; k++)
			printf "%010d %08d\n", k == i % 40 + 1 ? n : 0, (i * 1000 + k) * 7919 % 99999989 }' >alike/f$i.c || return
	done && git -C alike add . && git -C alike commit -qm "version $1"
}

# If each object has few candidates, a delta is found only where those of one name come together.
test_expect_success 'names in the bitmap bring similar objects together' '
	git init -q alike && version 1 && version 2 &&
	git -C alike pack-objects --all --window=0 --write-bitmap-index .git/objects/pack/pack </dev/null &&
	find alike/.git/objects -path "*/??/*" -type f -exec rm -f {} + &&
	same alike HEAD --no-reuse-delta --window=3 && test_grep "(delta 6[0-9])" with.err
'

test_expect_success 'names of objects beside the pack, too' '
	version 3 && version 4 && same alike HEAD --delta-base-offset --window=3 &&
	test_grep "(delta 6[0-9])" with.err && test_grep "pack-reused 1[0-9][0-9] " with.err
'

test_expect_success 'damage: the object is taken from elsewhere, or the error names it' '
	cp -R repo bad && pack=$(ls bad/.git/objects/pack/*.pack) && chmod u+w "$pack" &&
	size=$(wc -c <"$pack") &&
	printf "\377" | dd of="$pack" bs=1 seek=$((size * 3 / 4)) conv=notrunc 2>/dev/null &&
	echo HEAD >revs &&
	test_must_fail git -C bad pack-objects --revs --stdout --delta-base-offset <revs >x.pack 2>err &&
	test_grep corrupt err &&
	echo "$PWD/repo/.git/objects" >bad/.git/objects/info/alternates &&
	git -C bad pack-objects --revs --stdout --delta-base-offset <revs >x.pack &&
	git -C repo pack-objects --revs --stdout --delta-base-offset <revs >y.pack &&
	all_in x.pack >x && all_in y.pack >y && test_cmp_bin y x
'

test_expect_success 'large objects within a range' '
	rm -rf noise && git init -q noise &&
	for i in 1 2 3; do head -c $((i * 200000)) /dev/urandom >noise/f && git -C noise add f &&
		git -C noise commit -qm $i || return 1; done &&
	git -C noise pack-objects --all --delta-base-offset --write-bitmap-index .git/objects/pack/pack </dev/null &&
	same noise HEAD --delta-base-offset && same noise "HEAD~1" --delta-base-offset
'

test_expect_success 'pack.useBitmaps, a damaged bitmap' '
	git -C repo -c pack.useBitmaps=false pack-objects --all --stdout --progress </dev/null 2>err >x.pack &&
	test_grep "pack-reused 0" err &&
	cp -R repo torn && b=$(ls torn/.git/objects/pack/*.bitmap) && chmod u+w "$b" && echo garbage >"$b" &&
	same torn HEAD --delta-base-offset
'

# reuse VALUE: the objects copied in ranges with this setting, or without one; the objects are the same.
reuse () {
	git -C two ${1:+-c pack.allowPackReuse=$1} pack-objects --all --stdout --delta-base-offset --progress </dev/null 2>err >x.pack &&
	sed -n "s/.*pack-reused \\([0-9]*\\) (from \\([0-9]\\)).*/\\1 \\2/p" err >told && git index-pack --object-format=$TEST_HASH -o x.idx x.pack >/dev/null && git show-index --object-format=$TEST_HASH <x.idx | cut -d" " -f2 | sort >all &&
	test_cmp two.all all && cat told
}

test_expect_success 'pack.allowPackReuse: of all packs, of one, of none' '
	make_history two 30 && git -C two repack -adq && touch -d 2020-01-01 two/.git/objects/pack/pack-* && git -C two commit -q --allow-empty -m x && echo more >two/more && git -C two add more &&
	git -C two commit -q -m y && git -C two repack -dq && git -C two multi-pack-index write --bitmap && git -C two prune-packed &&
	git -C two rev-list --objects --all | cut -d" " -f1 | sort >two.all &&
	all=$(wc -l <two.all) && test "$(reuse)" = "$((all)) 2" && test "$(reuse multi)" = "$((all)) 2" &&
	test "$(reuse false)" = "0 0" && reuse single >one && test_grep " 1" one && reuse true >true && test_cmp one true &&
	test $(cut -d" " -f1 one) -lt $all && test_expect_code 128 git -C two -c pack.allowPackReuse=some pack-objects --all --stdout </dev/null 2>err &&
	test_grep "invalid pack.allowPackReuse value: .some." err &&
	git -C repo -c pack.allowPackReuse=false pack-objects --all --stdout --delta-base-offset --progress </dev/null 2>err >x.pack && test_grep "pack-reused 0" err
'

# reused_of_chain MODE: "OBJECTS PACKS" that were taken as they are, as the trace has them
reused_of_chain () {
	rm -f trace &&
	GIT_TRACE2_EVENT=$PWD/trace git -C layers -c pack.allowPackReuse=$1 pack-objects --all --stdout --delta-base-offset \
		</dev/null 2>/dev/null >x.pack &&
	git index-pack --object-format=$TEST_HASH x.pack >/dev/null && git show-index --object-format=$TEST_HASH <x.idx | cut -d" " -f2 | sort >x.objects && test_cmp all.objects x.objects &&
	sed -n "s/.*\"key\":\"packs*-reused\",\"value\":\"*\([0-9]*\).*/\1/p" trace | paste -sd" " -
}

test_expect_success 'pack.allowPackReuse with a chain of multi-pack-indexes: the trace counts reused objects' '
	git init -q layers && (
		cd layers && for i in 1 2 3 4 5; do
			"$GIT_BUILD_DIR/t/helper/random-history" $i 20 l$i && git repack -dq && git multi-pack-index write --incremental --bitmap || exit 1
		done && test_line_count = 5 .git/objects/pack/multi-pack-index.d/multi-pack-index-chain &&
		git rev-list --objects --all | cut -d" " -f1 | sort >../all.objects
	) &&
	n=$(($(wc -l <all.objects))) &&
	test "$(reused_of_chain multi)" = "$n 5" && test "$(reused_of_chain false)" = "0 0" &&
	one=$(reused_of_chain single) && test "${one#* }" = 1 && test ${one% *} -gt 0 && test ${one% *} -lt $n
'

test_expect_success 'no bitmap without closure; none for several packs' '
	mkdir out && git -C repo rev-parse HEAD >list &&
	git -C repo pack-objects --write-bitmap-index "$PWD/out/pack" <list 2>err &&
	test_grep "full closure" err && ls out >files && test_grep ! bitmap files && test_grep idx files &&
	git -C repo pack-objects --all --write-bitmap-index --max-pack-size=1m "$PWD/out/pack" </dev/null 2>err &&
	test_grep "disabling bitmap writing" err
'

test_expect_success '--index-version' '
	rm -rf out && mkdir out && for v in 1 2 2,0x40; do
		git -C repo pack-objects --all --index-version=$v "$PWD/out/pack" </dev/null >names &&
		repo_of out/pack new && all_of new >actual && all_of repo >want && test_cmp_bin want actual &&
		cksum <out/pack-$(cat names).idx || return 1
	done >sums && sort -u sums >unique && test_line_count = 3 unique &&
	test_expect_code 129 git -C repo pack-objects --all --index-version=3 "$PWD/out/pack" </dev/null
'

test_done
