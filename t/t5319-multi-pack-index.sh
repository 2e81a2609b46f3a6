#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git multi-pack-index: write, verify, expire, repack'
. "$(dirname "$0")/test-lib.sh"

HELPER=$GIT_BUILD_DIR/t/helper

# Adds a random history as one pack; see t/helper/random-history.c.
history () {
	"$HELPER/random-history" "$@"
}

PACKS=.git/objects/pack
MIDX=$PACKS/multi-pack-index
CHAIN=$PACKS/multi-pack-index.d/multi-pack-index-chain

nr_packs () {
	ls $PACKS/*.pack | wc -l | tr -d " "
}

# The checksum at the end of a file.
checksum_of () {
	tail -c $((OID_HEXLEN / 2)) "$1" | od -An -v -tx1 | tr -d " \n"
}

# The number of packs that the index names.
packs_in () {
	od -An -tu1 -j11 -N1 "$1" | tr -d " "
}

all_objects () {
	git cat-file --batch-all-objects --batch-check
}

# Every object is read, and fsck, which checks the index, too, finds nothing.
all_is_well () {
	all_objects >actual && test_cmp ../all actual && rm actual &&
	git multi-pack-index verify >out 2>&1 && test_must_be_empty out && rm out &&
	git fsck >out 2>&1 && test_grep ! "error\|missing\|corrupt" out && rm out
}

test_expect_success 'no packs' '
	git init -q empty &&
	(
		cd empty &&
		for args in "" --bitmap --incremental
		do
			test_expect_code 255 git multi-pack-index write $args 2>err &&
			test_grep "^error: no pack files to index\.$" err || exit 1
		done &&
		git multi-pack-index verify && git multi-pack-index expire &&
		test_path_is_missing $MIDX && test_path_is_missing $MIDX.lock
	)
'

test_expect_success 'usage' '
	(
		cd empty &&
		for args in "" "nothing" "write x" "verify x" "expire x" "repack x" "--none write" "write --none"
		do
			test_expect_code 129 git multi-pack-index $args 2>err &&
			test_grep "usage: git multi-pack-index" err || exit 1
		done &&
		git multi-pack-index repack && git multi-pack-index repack --batch-size=1m &&
		test_expect_code 129 git multi-pack-index repack --batch-size=x
	)
'

test_expect_success 'set-up: three packs, one of them in another as well' '
	git init -q part && git -C part config bulkCheckin.unpackLimit 1 && (cd part && history 1 60) &&
	git init -q base && git -C base config bulkCheckin.unpackLimit 1 &&
	(
		cd base && history 1 200 && history 2 50 two && test "$(nr_packs)" = 2
	) &&
	whole=$(ls -S base/$PACKS/*.pack | head -n 1) && other=$(ls -S base/$PACKS/*.pack | tail -n 1) &&
	part=$(ls part/$PACKS/*.pack) && part=${part%.pack} &&
	touch -d "2020-01-01 00:00" "$other" && touch -d "2021-01-01 00:00" $part.pack &&
	touch -d "2022-01-01 00:00" "$whole" &&
	cp -p $part.* base/$PACKS && part=$(basename "$part") &&
	(cd base && all_objects >../all && test_line_count -gt 500 ../all)
'

test_expect_success 'write: all objects, each once' '
	cp -Rp base one &&
	(
		cd one &&
		git multi-pack-index write && test "$(packs_in $MIDX)" = 3 &&
		all_is_well &&
		git -c core.multiPackIndex=false cat-file --batch-all-objects --batch-check >actual &&
		test_cmp ../all actual
	)
'

test_expect_success 'an index that would be the same is not written again' '
	(
		cd one &&
		ls -i $MIDX >before && git multi-pack-index write && ls -i $MIDX >after && test_cmp before after &&
		git multi-pack-index write --bitmap && ls $PACKS/*.bitmap >before &&
		ls -i $PACKS >before && git multi-pack-index write --bitmap && ls -i $PACKS >after &&
		test_cmp before after &&
		rm -f $PACKS/*.bitmap &&
		git multi-pack-index write --bitmap && ls $PACKS/multi-pack-index-$(checksum_of $MIDX).bitmap
	)
'

test_expect_success 'a new index: the bitmaps of the old one go' '
	(
		cd one &&
		git multi-pack-index write --bitmap --preferred-pack=$part &&
		ls $PACKS/*.bitmap >files && test_line_count = 1 files &&
		test_path_is_file $PACKS/multi-pack-index-$(checksum_of $MIDX).bitmap &&
		git multi-pack-index write &&
		ls $PACKS >files && test_grep ! bitmap files && all_is_well
	)
'

test_expect_success 'a damaged index is replaced' '
	(
		cd one &&
		chmod u+w $MIDX && echo garbage >$MIDX && git multi-pack-index write && all_is_well &&
		# and one with the right checksum at its end
		size=$(wc -c <$MIDX) && cp $MIDX whole && chmod u+w $MIDX &&
		printf "\\377" | dd of=$MIDX bs=1 seek=$((size - OID_HEXLEN / 2 - 1)) conv=notrunc 2>/dev/null &&
		! cmp -s $MIDX whole && test_must_fail git multi-pack-index verify &&
		cp -R . ../damaged-base &&
		git multi-pack-index write && cmp $MIDX whole && rm -f whole && all_is_well
	) &&
	(
		cd damaged-base && git multi-pack-index write --incremental 2>err &&
		test_grep "^warning: ignoring existing multi-pack-index; checksum mismatch$" err &&
		test_line_count = 1 $CHAIN && test_path_is_missing $MIDX && all_is_well
	)
'

test_expect_success 'packs to prefer: unknown, empty names' '
	(
		cd one &&
		git multi-pack-index write --preferred-pack=nothing 2>err &&
		test_grep "^warning: unknown preferred pack: .nothing.$" err && all_is_well &&
		for name in $part $part.pack $part.idx
		do
			git multi-pack-index write --bitmap --preferred-pack=$name 2>err &&
			test_must_be_empty err && checksum_of $MIDX >sum.$name || exit 1
		done &&
		# the packs in the order of bits: the preferred one first, without a gap
		tail -c $((OID_HEXLEN / 2 + 24)) $MIDX | head -c 24 | od -An -v -tu1 -w8 |
			awk "{ print (\$3 * 256) + \$4, (\$7 * 256) + \$8 }" | sort -n >ranges &&
		awk "{ if (\$1 != at) exit 1; at = \$1 + \$2 } END { print at }" ranges >sum &&
		test "$(cat sum)" = "$(wc -l <../all | tr -d " ")" &&
		oldest=$(ls -t $PACKS/*.pack | tail -n 1) && oldest=${oldest##*/} &&
		git multi-pack-index write --bitmap && checksum_of $MIDX >sum.oldest &&
		git multi-pack-index write --bitmap --preferred-pack=$oldest && checksum_of $MIDX >sum.named &&
		test_cmp sum.oldest sum.named &&
		test_cmp sum.$part sum.$part.pack && test_cmp sum.$part sum.$part.idx &&
		git multi-pack-index write --bitmap && test "$(checksum_of $MIDX)" != "$(cat sum.$part)"
	)
'

test_expect_success 'only packs from standard input' '
	(
		cd one &&
		echo $part.idx | git multi-pack-index write --stdin-packs && test "$(packs_in $MIDX)" = 1 &&
		all_is_well &&
		test_expect_code 255 git multi-pack-index write --stdin-packs </dev/null &&
		(cd $PACKS && ls *.idx) >names && test_line_count = 3 names &&
		git multi-pack-index write --stdin-packs <names && test "$(packs_in $MIDX)" = 3
	)
'

test_expect_success 'tips from a file' '
	(
		cd one && mkdir -p sub &&
		git rev-parse b1 >snapshot && echo "+$(git rev-parse b2)" >>snapshot && cp snapshot sub/again &&
		git multi-pack-index write --bitmap --refs-snapshot=snapshot &&
		"$HELPER/bitmap-walk" --commits >few && test_grep $(git rev-parse b1) few &&
		test_grep $(git rev-parse b2) few && test_grep ! $(git rev-parse b0) few &&
		rm $PACKS/*.bitmap &&
		(cd sub && git multi-pack-index write --bitmap --refs-snapshot=again) &&
		"$HELPER/bitmap-walk" --commits >again && test_cmp few again &&
		rm $PACKS/*.bitmap && git multi-pack-index write --bitmap &&
		"$HELPER/bitmap-walk" --commits >all && test_grep $(git rev-parse b0) all &&
		test_expect_code 128 git multi-pack-index write --bitmap --refs-snapshot=nothing &&
		test_expect_code 128 git multi-pack-index write --bitmap --refs-snapshot=sub 2>err &&
		test_grep "^fatal: could not read .sub.$" err &&
		echo bad >>snapshot &&
		test_expect_code 128 git multi-pack-index write --bitmap --refs-snapshot=snapshot 2>err &&
		test_grep "could not parse line: bad" err
	)
'

test_expect_success 'another object directory' '
	git init -q borrower && mkdir borrower/sub &&
	echo "$PWD/one/.git/objects" >borrower/.git/objects/info/alternates &&
	(
		cd borrower &&
		rm ../one/$MIDX && git multi-pack-index --object-dir="$PWD/../one/.git/objects" write &&
		test_path_is_file ../one/$MIDX && test_path_is_missing $MIDX &&
		rm ../one/$MIDX && (cd sub && git multi-pack-index write --object-dir=../../one/.git/objects) &&
		test_path_is_file ../one/$MIDX &&
		git multi-pack-index --object-dir=../one/.git/objects verify &&
		test_expect_code 255 git multi-pack-index --object-dir=.git/objects write &&
		test_expect_code 128 git multi-pack-index --object-dir=../base/.git/objects write 2>err &&
		test_grep "nor an alternate" err && test_path_is_missing ../base/$MIDX
	)
'

# damaged CODE AT BYTE LINE...: with this byte there, verify says these lines.
damaged () {
	cp good $MIDX && printf "$3" | dd of=$MIDX bs=1 seek=$2 conv=notrunc 2>/dev/null &&
	test_expect_code $1 git multi-pack-index verify 2>err && shift 3 &&
	for line in "$@"; do echo "$line"; done >expect && head -n $# err >actual && test_cmp expect actual
}

test_expect_success SHA1 'verify has Git'\''s words' '
	(
		cd one && git multi-pack-index write && chmod u+w $MIDX && cp $MIDX good && B="multi-pack-index" P="error: multi-pack-index file exists, but failed to parse" &&
		damaged 128 0 x "fatal: $B signature 0x78494458 does not match signature 0x4d494458" &&
		damaged 128 4 "\011" "fatal: $B version 9 not recognized" &&
		damaged 1 5 "\002" "error: $B hash version 2 does not match version 1" "$P" &&
		damaged 1 6 "\001" "error: final chunk has non-zero id 4f494446" "$P" &&
		damaged 1 6 "\011" "error: terminating chunk id appears earlier than expected" "$P" &&
		damaged 128 12 X "fatal: $B required pack-name chunk missing or corrupted" &&
		damaged 128 24 X "fatal: $B required OID fanout chunk missing or corrupted" &&
		damaged 128 36 X "fatal: $B required OID lookup chunk missing or corrupted" &&
		damaged 128 48 X "fatal: $B required object offsets chunk missing or corrupted" &&
		damaged 1 $(($(wc -c <good) - 1)) "\377\377" "incorrect checksum" &&
		at=$(od -An -v -tu1 -j52 -N8 good | awk "{ for (i = 1; i <= 8; i++) n = n * 256 + \$i; print n }") &&
		id=$(od -An -v -tx1 -j$(($(od -An -v -tu1 -j40 -N8 good | awk "{ for (i = 1; i <= 8; i++) n = n * 256 + \$i; print n }"))) -N20 good | tr -d " \n") &&
		was=$(od -An -v -tx1 -j$((at + 4)) -N4 good | tr -d " \n" | sed "s/^0*//") &&
		damaged 1 $((at + 4)) "\177" && test_grep "incorrect object offset for oid\[0\] = $id: 7f[0-9a-f]* != $was$" err &&
		damaged 1 16 "\377" && test_grep "^error: improper chunk offset(s) ff[0-9a-f]* and [0-9a-f]*$" err && test_grep "^$P$" err &&
		head -c 11 good >$MIDX && test_expect_code 1 git multi-pack-index verify 2>err &&
		test_grep "^error: multi-pack-index file .*multi-pack-index is too small$" err && cp good $MIDX
	)
'

test_expect_success 'verify finds damage' '
	(
		cd one && git multi-pack-index write && chmod u+w $MIDX && cp $MIDX good &&
		size=$(wc -c <good) &&
		for at in 0 4 8 30 300 1500 5000 $((size - 100)) $((size - 3))
		do
			cp good $MIDX && printf "\\252" | dd of=$MIDX bs=1 seek=$at conv=notrunc 2>/dev/null &&
			code=1 && case $at in 0|4) code=128 ;; esac &&
			test_expect_code $code git multi-pack-index verify 2>err && test_file_not_empty err || exit 1
		done &&
		cp good $MIDX && mv $PACKS/$part.pack hidden &&
		test_expect_code 1 git multi-pack-index verify 2>err && test_grep "failed to load pack" err &&
		mv hidden $PACKS/$part.pack && git multi-pack-index verify
	)
'

test_expect_success 'a lock that is held' '
	(
		cd one && : >$MIDX.lock && ls $PACKS >before &&
		test_expect_code 255 git multi-pack-index write --bitmap 2>err && test_grep "multi-pack-index.lock.*exists" err &&
		test_expect_code 255 git multi-pack-index expire &&
		ls $PACKS >after && test_cmp before after && rm $MIDX.lock
	)
'

test_expect_success 'write removes files that a killed process has left' '
	(
		cd one && mkdir -p $PACKS/multi-pack-index.d &&
		: >$PACKS/tmp_midx_abcdef && : >$PACKS/multi-pack-index.d/tmp_midx_abcdef && : >$PACKS/tmp_other &&
		git multi-pack-index write && test_path_is_missing $PACKS/tmp_midx_abcdef &&
		test_path_is_file $PACKS/multi-pack-index.d/tmp_midx_abcdef &&
		git multi-pack-index write --incremental && test_path_is_file $PACKS/tmp_other &&
		test_path_is_missing $PACKS/multi-pack-index.d/tmp_midx_abcdef && rm $PACKS/tmp_other
	)
'

# ---- expire ----

# One of the packs has a copy by another name.
test_expect_success 'packs that are not needed go' '
	git init -q twice &&
	(
		cd twice && cp -p ../base/$PACKS/* $PACKS && all_objects >../all &&
		small=$(ls -S $PACKS/*.pack | tail -n 1) && small=$(basename "${small%.pack}") &&
		for f in pack idx rev; do cp -p $PACKS/$small.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack &&
		git multi-pack-index expire && test "$(nr_packs)" = 4 &&
		git multi-pack-index write && cp -Rp ../twice ../keep && cp -Rp ../twice ../swapped &&
		git multi-pack-index expire && test "$(nr_packs)" = 3 &&
		ls $PACKS >files && test_grep ! $ZERO_OID files && test "$(packs_in $MIDX)" = 3 &&
		all_is_well &&
		ls -i $MIDX >before && git multi-pack-index expire && ls -i $MIDX >after && test_cmp before after
	)
'

test_expect_success 'kept and cruft packs, and packs that are preferred, stay' '
	(
		cd keep &&
		: >$PACKS/pack-$ZERO_OID.keep && git multi-pack-index expire && test "$(nr_packs)" = 4 &&
		rm $PACKS/pack-$ZERO_OID.keep &&
		: >$PACKS/pack-$ZERO_OID.mtimes && git multi-pack-index expire && test "$(nr_packs)" = 4 &&
		rm $PACKS/pack-$ZERO_OID.mtimes &&
		git multi-pack-index write --preferred-pack=pack-$ZERO_OID &&
		git multi-pack-index expire && test -f $PACKS/pack-$ZERO_OID.pack
	)
'

test_expect_success 'a pack stays if the others do not have its objects in truth' '
	(
		cd swapped &&
		# the index says that these are in another pack, whose files have been exchanged
		small=$(ls -S $PACKS/*.idx | sed "/$ZERO_OID/d" | tail -n 1) && small=$(basename "${small%.idx}") &&
		cp -p $PACKS/$small.pack $PACKS/$small.idx . &&
		large=$(ls -S $PACKS/*.idx | head -n 1) && large=${large%.idx} &&
		for f in pack idx rev; do cp -f $large.$f $PACKS/$small.$f; done &&
		git multi-pack-index expire && test -f $PACKS/pack-$ZERO_OID.pack
	)
'

test_expect_success 'a pack stays if an object is damaged in the other one' '
	git init -q hurt &&
	(
		cd hurt && cp -p ../twice/$PACKS/pack* $PACKS &&
		large=$(ls -S $PACKS/*.pack | head -n 1) && large=${large%.pack} &&
		for f in pack idx rev; do cp -p $large.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack && git multi-pack-index write &&
		cp -Rp . ../sound &&
		chmod u+w $large.pack && size=$(wc -c <$large.pack) && touch -r $large.pack time &&
		printf "\252\252\252" | dd of=$large.pack bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null &&
		touch -r time $large.pack &&
		git multi-pack-index expire && test -f $PACKS/pack-$ZERO_OID.pack && cd ../sound &&
		git multi-pack-index expire && test ! -f $PACKS/pack-$ZERO_OID.pack
	)
'

test_expect_success 'a pack whose index is damaged is left out' '
	cp -Rp sound left &&
	(
		cd left && rm -f $MIDX && n=$(nr_packs) &&
		bad=$(ls $PACKS/*.idx | head -n 1) && chmod u+w $bad && echo x >$bad &&
		git multi-pack-index write 2>err && test_grep "^warning: failed to open pack-index .*$bad" err &&
		test "$(packs_in $MIDX)" = $((n - 1))
	)
'

# The other packs have been written by another process: every file of theirs is flushed here.
test_expect_success STRACE,FSYNC_BATCH 'expire makes the new index durable before it removes packs' '
	git init -q stays &&
	(
		cd stays && cp -p ../swapped/$PACKS/pack* $PACKS && rm -f $PACKS/pack-$ZERO_OID.* &&
		large=$(ls -S $PACKS/*.pack | head -n 1) && large=${large%.pack} &&
		for f in pack idx rev; do cp -p $large.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack && git multi-pack-index write &&
		n=$(nr_packs) && m=$(count_flushes env GIT_TEST_FS_KIND=local git -c core.fsyncMethod=fsync multi-pack-index expire) &&
		test_path_is_missing $PACKS/pack-$ZERO_OID.pack &&
		test "$m" -ge $((7 + 2 * $(nr_packs)))
	)
'

# ---- layers ----

test_expect_success 'layers' '
	git init -q layers &&
	(
		cd layers && git config bulkCheckin.unpackLimit 1 && history 1 100 &&
		git multi-pack-index write --incremental && test_path_is_missing $MIDX && test_line_count = 1 $CHAIN &&
		cp $CHAIN before && git multi-pack-index write --incremental && test_cmp before $CHAIN &&
		history 2 20 b && git multi-pack-index write --incremental && test_line_count = 2 $CHAIN &&
		history 3 20 c && git multi-pack-index write --incremental && test_line_count = 3 $CHAIN &&
		ls $PACKS/multi-pack-index.d >files && test_line_count = 4 files &&
		git -c core.multiPackIndex=false cat-file --batch-all-objects --batch-check >../all &&
		all_is_well &&
		for sum in $(cat $CHAIN)
		do
			test "$(packs_in $PACKS/multi-pack-index.d/multi-pack-index-$sum.midx)" = 1 || exit 1
		done &&
		test_expect_code 128 git multi-pack-index expire 2>err &&
		test_grep "^fatal: cannot expire packs from an incremental multi-pack-index" err
	)
'

test_expect_success 'readers warn about damaged layers, and verify finds them' '
	(
		cd layers && layer=$PACKS/multi-pack-index.d/multi-pack-index-$(head -n 1 $CHAIN).midx &&
		chmod u+w $layer && cp $layer good && cp $CHAIN chain &&
		printf "\\252" | dd of=$layer bs=1 seek=1500 conv=notrunc 2>/dev/null &&
		test_expect_code 1 git multi-pack-index verify && cp good $layer &&
		for text in garbage $ZERO_OID "$(cat chain) $(cat chain)"
		do
			echo "$text" >$CHAIN &&
			test_expect_code 1 git multi-pack-index verify &&
			all_objects >actual 2>err && test_grep "^warning: .*multi-pack-index" err && test_cmp ../all actual || exit 1
		done &&
		other=$PACKS/multi-pack-index.d/multi-pack-index-$ZERO_OID.midx && cp $layer $other &&
		echo $ZERO_OID >$CHAIN && test_expect_code 1 git multi-pack-index verify 2>err &&
		test_grep "not that of its name" err && rm -f $other &&
		mv $layer hidden && cp chain $CHAIN && test_expect_code 1 git multi-pack-index verify &&
		all_objects >actual && test_cmp ../all actual &&
		mv hidden $layer && all_is_well
	)
'

test_expect_success 'one index instead of layers, and back' '
	(
		cd layers && git multi-pack-index write --bitmap && test_path_is_file $MIDX &&
		ls $PACKS/multi-pack-index.d >files && test_must_be_empty files && all_is_well &&
		sum=$(checksum_of $MIDX) &&
		history 4 20 d && git -c core.multiPackIndex=false cat-file --batch-all-objects --batch-check >../all &&
		git multi-pack-index write --incremental --bitmap && test_path_is_missing $MIDX &&
		ls $PACKS >files && test_grep ! "multi.*bitmap" files &&
		test_line_count = 2 $CHAIN && test "$(head -n 1 $CHAIN)" = $sum &&
		ls $PACKS/multi-pack-index.d/*.bitmap >files && test_line_count = 2 files && all_is_well
	)
'

test_expect_success 'a layer has only what those below have not' '
	cp -Rp layers copied &&
	(
		cd copied && pack=$(ls -S $PACKS/*.pack | head -n 1) && pack=${pack%.pack} &&
		for f in pack idx rev; do cp -p $pack.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack &&
		git multi-pack-index write --incremental --bitmap && all_is_well &&
		layer=$PACKS/multi-pack-index.d/multi-pack-index-$(tail -n 1 $CHAIN) &&
		test $(wc -c <$layer.midx) -lt 1400 && test -f $layer.bitmap &&
		"$HELPER/bitmap-walk" --all --count >expect && "$HELPER/bitmap-walk" --all --count --plain >actual &&
		test_cmp expect actual &&
		git multi-pack-index write && git multi-pack-index expire && all_is_well &&
		test_path_is_missing $PACKS/pack-$ZERO_OID.pack
	)
'

test_expect_success 'packs without commits' '
	git init -q blobs &&
	(
		cd blobs && git config bulkCheckin.unpackLimit 1 && blob=$(echo x | git hash-object -w --stdin) &&
		git multi-pack-index write --bitmap && ls $PACKS/*.bitmap &&
		echo "$blob blob" >expect && "$HELPER/bitmap-walk" $blob >actual && test_cmp expect actual
	)
'

# ---- a layer on another base, and chains that the caller writes ----

LAYERS=$PACKS/multi-pack-index.d

# The n-th name of the chain, the lowest is 1.
layer () {
	sed -n "${1}p" $CHAIN
}

# A chain of so many layers with bitmaps, in each of which two packs are, and the first has not the name of a
# preferred pack by chance.
chain_of () {
	for i in $(seq 2 $(($1 + 1)))
	do
		history 3$i 25 x$i && history 4$i 15 y$i &&
		set -- $(ls -t $PACKS/*.pack | head -n 2) &&
		git multi-pack-index write --incremental --bitmap --preferred-pack=$(basename $(ls -S "$@" | tail -n 1)) || return 1
	done
}

# Counts with bitmaps are those of a walk, for all refs and for one without another.
bitmaps_are_true () {
	"$HELPER/bitmap-walk" --compare=3:30 >found 2>err && test_must_be_empty err && test $(cat found) -gt 100 && rm found err
}

test_expect_success 'set-up: five layers' '
	git init -q five && (cd five && git config bulkCheckin.unpackLimit 1 && chain_of 5 &&
	 test_line_count = 5 $CHAIN && all_objects >../all && all_is_well && bitmaps_are_true)
'

test_expect_success 'write --no-write-chain-file: the layer is there, and named' '
	cp -Rp five alone &&
	(
		cd alone && cp $CHAIN before && git multi-pack-index write --incremental --no-write-chain-file >out && test_must_be_empty out &&
		history 60 20 new && git multi-pack-index write --incremental --bitmap --no-write-chain-file >out &&
		test_cmp before $CHAIN && sum=$(cat out) && test_path_is_file $LAYERS/multi-pack-index-$sum.midx &&
		test_path_is_file $LAYERS/multi-pack-index-$sum.bitmap && test_path_is_missing $CHAIN.lock &&
		echo $sum >>$CHAIN && all_objects >../all && all_is_well && bitmaps_are_true &&
		: and what no chain names goes with the next write &&
		cp before $CHAIN && git multi-pack-index write --incremental && test_line_count = 6 $CHAIN &&
		ls $LAYERS/*$sum* >files && test $(layer 6) = $sum || test_must_fail ls $LAYERS/*$sum*
	)
'

test_expect_success 'write --base: of named packs, those in layers above count again' '
	cp -Rp five based &&
	(
		cd based && two=$(layer 2) && cp $CHAIN before && (cd $PACKS && ls *.idx) >names &&
		git multi-pack-index write --incremental --bitmap --no-write-chain-file --base=$two --stdin-packs <names >out &&
		test_cmp before $CHAIN && sum=$(cat out) && test "$(packs_in $LAYERS/multi-pack-index-$sum.midx)" = 6 &&
		{ head -n 2 before && cat out; } >$CHAIN && all_objects >../all && all_is_well && bitmaps_are_true &&
		: all of them are in a layer already, so there is nothing to write &&
		git multi-pack-index write --incremental --no-write-chain-file --base=$two >out && test_must_be_empty out &&
		git multi-pack-index write --incremental --no-write-chain-file --base=none --stdin-packs <names >out &&
		test "$(packs_in $LAYERS/multi-pack-index-$(cat out).midx)" = 10 && cp out $CHAIN && all_is_well
	)
'

test_expect_success 'layers by hand: what does not go together' '
	(
		cd five && one=$(layer 1) && two=$(layer 2) && ls -R $PACKS >before &&
		for args in "write --no-write-chain-file" "write --base=$one" "write --incremental --base=$one" \
			    "compact --no-write-chain-file $one $two" "compact --base=none $one $two" compact "compact $one" "compact $one $two $one"
		do
			test_expect_code 129 git multi-pack-index $args 2>err && test_grep "usage: git multi-pack-index" err || exit 1
		done &&
		test_expect_code 255 git multi-pack-index write --incremental --no-write-chain-file --base=$ZERO_OID 2>err &&
		test_grep "^error: could not find base MIDX .$ZERO_OID.$" err && ls -R $PACKS >after && test_cmp before after
	)
'

# ---- compact ----

test_expect_success 'compact: two, three and all layers become one; those above keep their bitmaps' '
	for range in "1 2 4" "2 3 4" "2 4 3" "3 5 3" "1 5 1" "1 4 2"
	do
		set -- $range && rm -rf compacted && cp -Rp five compacted &&
		(
			cd compacted && top=$(layer 5) && all_objects >../all &&
			git multi-pack-index compact --incremental --bitmap $(layer $1) $(layer $2) &&
			test_line_count = $3 $CHAIN && all_is_well && bitmaps_are_true &&
			ls $LAYERS/*.midx >files && test_line_count = $3 files && ls $LAYERS/*.bitmap >files && test_line_count = $3 files &&
			{ test $2 = 5 || test $(tail -n 1 $CHAIN) = $top; } &&
			test "$(od -An -tu1 -j4 -N1 $LAYERS/multi-pack-index-$(layer $1).midx | tr -d " ")" = 2 &&
			history 70 20 new && all_objects >../all && git multi-pack-index write --incremental --bitmap && all_is_well && bitmaps_are_true
		) || return 1
	done
'

test_expect_success 'compact without bitmaps: those of layers above go with them' '
	rm -rf compacted && cp -Rp five compacted &&
	(
		cd compacted && all_objects >../all && git multi-pack-index compact --incremental $(layer 2) $(layer 3) &&
		test_line_count = 4 $CHAIN && ls $LAYERS/*.bitmap >files && test_line_count = 1 files &&
		test_path_is_file $LAYERS/multi-pack-index-$(layer 1).bitmap && all_is_well && bitmaps_are_true
	)
'

test_expect_success 'compact to a single index, and beside the chain' '
	rm -rf compacted && cp -Rp five compacted &&
	(
		cd compacted && all_objects >../all && cp $CHAIN before &&
		git multi-pack-index compact --incremental --bitmap --no-write-chain-file $(layer 2) $(layer 4) >out && test_cmp before $CHAIN &&
		{ layer 1 && cat out && layer 5; } >chain && cp chain $CHAIN && all_is_well && bitmaps_are_true && cp before $CHAIN &&
		git multi-pack-index compact --incremental --no-write-chain-file --base=none $(layer 2) $(layer 4) >out && test_cmp before $CHAIN &&
		cp out $CHAIN && all_is_well && cp before $CHAIN &&
		git multi-pack-index compact --bitmap $(layer 1) $(layer 5) && test_path_is_missing $CHAIN && test "$(packs_in $MIDX)" = 10 &&
		all_is_well && bitmaps_are_true
	) &&
	rm -rf compacted && cp -Rp five compacted &&
	(
		# only some packs; an object that lower layers have as well is in this index, too
		cd compacted && all_objects >../all && pack=$(ls -S $PACKS/*.pack | head -n 1) && pack=${pack%.pack} &&
		for f in pack idx rev; do cp -p $pack.$f $PACKS/pack-$ZERO_OID.$f; done &&
		git multi-pack-index write --incremental && history 71 20 new && git multi-pack-index write --incremental && all_objects >../all &&
		git multi-pack-index compact $(layer 6) $(layer 7) && test "$(packs_in $MIDX)" = 2 && rm -f $pack.* && all_is_well
	)
'

test_expect_success 'compact: no such layers, the wrong order, version 1' '
	(
		cd five && one=$(layer 1) && two=$(layer 2) && ls -R $PACKS >before &&
		fails () { code=$1 && text=$2 && shift 2 && test_expect_code $code git "$@" 2>err && test_grep "^$text$" err; } &&
		fails 128 "fatal: MIDX $two must be an ancestor of $one" multi-pack-index compact $two $one &&
		fails 128 "fatal: MIDX compaction endpoints must be unique" multi-pack-index compact $two $two &&
		fails 128 "fatal: could not find MIDX: 1234" multi-pack-index compact 1234 $one &&
		fails 128 "fatal: could not find MIDX: $ZERO_OID" multi-pack-index compact --incremental $one $ZERO_OID &&
		fails 255 "error: could not find base MIDX .$two." multi-pack-index compact --incremental --base=$two $two $(layer 3) &&
		fails 128 "fatal: with another base.*" multi-pack-index compact --incremental --base=none $two $(layer 3) &&
		fails 128 "fatal: cannot perform MIDX compaction with v1 format" -c midx.version=1 multi-pack-index compact $one $two &&
		git -c midx.version=2 multi-pack-index compact --incremental --no-write-chain-file $one $two >out && rm -f $LAYERS/*$(cat out)* &&
		ls -R $PACKS >after && test_cmp before after
	) &&
	(cd one && git multi-pack-index write && test_expect_code 128 git multi-pack-index compact $(checksum_of $MIDX) $ZERO_OID)
'

test_expect_success 'compact: a damaged layer, a pack that is gone: an error, and nothing changes' '
	rm -rf compacted && cp -Rp five compacted &&
	(
		cd compacted && l=$LAYERS/multi-pack-index-$(layer 2).midx && cp $l good && chmod u+w $l && cp $CHAIN before &&
		printf "\\252" | dd of=$l bs=1 seek=1500 conv=notrunc 2>/dev/null && test_expect_code 255 git multi-pack-index compact --incremental $(layer 1) $(layer 3) 2>err &&
		test_grep "^error: .*checksum mismatch" err && test_cmp before $CHAIN && cp good $l &&
		echo $ZERO_OID >>$CHAIN && test_expect_code 255 git multi-pack-index compact --incremental $(layer 1) $(layer 3) && cp before $CHAIN &&
		pack=$(strings -n 20 $l | grep -o "pack-.*[.]idx" | head -n 1) && mv $PACKS/$pack hidden.idx && test_expect_code 255 git multi-pack-index compact --incremental $(layer 1) $(layer 3) &&
		test_cmp before $CHAIN && mv hidden.idx $PACKS/$pack && git multi-pack-index compact --incremental $(layer 1) $(layer 3) && test_line_count = 3 $CHAIN
	)
'

# ---- repack ----

# many NAME: six packs of growing size and age, an index of all
many () {
	git init -q "$1" && git -C "$1" config bulkCheckin.unpackLimit 1 &&
	(
		cd "$1" && for i in 1 2 3 4 5 6
		do
			history $i $((i * 20)) b$i || exit 1
		done &&
		day=1 && for p in $(ls -Sr $PACKS/*.pack)
		do
			touch -d "2020-01-0$day 00:00" "$p" && day=$((day + 1)) || exit 1
		done &&
		git multi-pack-index write && test "$(nr_packs)" = 6 && all_objects >../many.all
	)
}

# The packs that the index takes objects from, by number of objects.
many_is_well () {
	all_objects >actual && test_cmp ../many.all actual && rm actual &&
	git multi-pack-index verify && git fsck >out 2>&1 && test_grep ! "error\|missing\|corrupt" out && rm out
}

test_expect_success 'repack: all packs become one, and expire removes them' '
	many many && cp -Rp many many-1 &&
	(
		cd many-1 && git multi-pack-index repack && test "$(nr_packs)" = 7 && many_is_well &&
		new=$(ls -t $PACKS/*.idx | head -n 1) &&
		test "$(git show-index <$new | wc -l)" = "$(wc -l <../many.all)" &&
		git verify-pack ${new%.idx}.pack && test_path_is_file ${new%.idx}.rev &&
		git multi-pack-index expire && test "$(nr_packs)" = 1 && test_path_is_file $new && many_is_well &&
		ls -i $PACKS >before && git multi-pack-index repack && git multi-pack-index expire &&
		ls -i $PACKS >after && test_cmp before after
	)
'

test_expect_success 'repack: with packs of the same second, too' '
	cp -Rp many many-2 &&
	(
		cd many-2 && touch -d tomorrow $PACKS/*.pack && git multi-pack-index write &&
		git multi-pack-index repack && git multi-pack-index expire && test "$(nr_packs)" = 1 && many_is_well
	)
'

# sizes: of the packs, the oldest first
sizes () {
	for p in $(ls -tr $PACKS/*.pack)
	do
		wc -c <"$p" || return 1
	done
}

test_expect_success 'repack --batch-size: small packs, the oldest first, until there is enough' '
	(
		cd many && sizes >../sizes && test_line_count = 6 ../sizes
	) &&
	one=$(sed -n 1p sizes) && two=$(sed -n 2p sizes) && three=$(sed -n 3p sizes) && four=$(sed -n 4p sizes) &&
	# what is looked for is below the size: the two smallest; and these and a third
	for case in "$one 6" "$((one + 1)) 6" "$two 6" "$((two + 1)) 5" "$((four + 1)) 4"
	do
		set -- $case && rm -rf many-3 && cp -Rp many many-3 &&
		(
			cd many-3 && git multi-pack-index repack --batch-size=$1 && git multi-pack-index expire &&
			test "$(nr_packs)" = $2 && many_is_well
		) || return 1
	done
'

test_expect_success 'repack: kept and cruft packs stay as they are' '
	cp -Rp many many-4 &&
	(
		cd many-4 && set -- $PACKS/*.pack && : >${1%.pack}.keep && : >${2%.pack}.mtimes &&
		git multi-pack-index repack && rm -f ${2%.pack}.mtimes &&
		git multi-pack-index expire && test "$(nr_packs)" = 3 && test_path_is_file "$1" && test_path_is_file "$2" &&
		git -c repack.packKeptObjects=true multi-pack-index repack && rm ${1%.pack}.keep &&
		git multi-pack-index expire && test "$(nr_packs)" = 1 && many_is_well
	)
'

test_expect_success 'repack: only what the index takes from a pack counts' '
	cp -Rp many many-5 &&
	(
		# a copy of the largest pack, of which the index takes nothing: it is expected to be small
		cd many-5 && big=$(ls -S $PACKS/*.pack | head -n 1) && big=${big%.pack} &&
		for f in pack idx rev; do cp -p $big.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack && git multi-pack-index write &&
		git multi-pack-index repack --batch-size=$((one + 1)) && test "$(nr_packs)" = 8 &&
		git multi-pack-index expire && test "$(nr_packs)" = 6 && many_is_well
	)
'

test_expect_success 'repack: of a chain it is refused; a damaged pack is an error, and nothing is changed' '
	cp -Rp many many-6 && cp -Rp many many-7 &&
	(
		cd many-6 && git multi-pack-index write --incremental &&
		history 9 20 new && git multi-pack-index write --incremental && n=$(nr_packs) &&
		test_expect_code 128 git multi-pack-index repack 2>err &&
		test_grep "^fatal: cannot repack an incremental multi-pack-index" err && test "$(nr_packs)" = $n
	) &&
	(
		cd many-7 && pack=$(ls -S $PACKS/*.pack | head -n 1) && chmod u+w $pack &&
		printf "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" | dd of=$pack bs=1 seek=3000 conv=notrunc 2>/dev/null &&
		ls $PACKS >before && test_expect_code 255 git multi-pack-index repack 2>err &&
		test_grep "^error: " err && ls $PACKS >after && test_cmp before after
	)
'

test_expect_success 'repack: pack.packSizeLimit, repack.useDeltaBaseOffset, pack.writeReverseIndex' '
	cp -Rp many many-8 &&
	(
		cd many-8 && git -c repack.useDeltaBaseOffset=false -c pack.writeReverseIndex=false multi-pack-index repack &&
		new=$(ls -t $PACKS/*.pack | head -n 1) && test_path_is_missing ${new%.pack}.rev && many_is_well &&
		git multi-pack-index expire && test "$(nr_packs)" = 1
	)
'

# ---- durability ----

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush' '
	on_journal flush && cp -Rp twice flush/r &&
	(
		cd flush/r && git config bulkCheckin.unpackLimit 1 && rm $MIDX &&
		one_flush () { n=$(count_flushes "$@") && test "$n" = 1; } &&
		one_flush git multi-pack-index write &&
		history 7 20 new && one_flush git multi-pack-index write --incremental &&
		history 8 20 newer && one_flush git multi-pack-index write --incremental &&
		one_flush git multi-pack-index write &&
		small=$(ls -S $PACKS/*.pack | tail -n 1) && small=$(basename "${small%.pack}") &&
		for f in pack idx rev; do cp -p $PACKS/$small.$f $PACKS/pack-$ZERO_OID.$f; done &&
		touch -d "2019-01-01 00:00" $PACKS/pack-$ZERO_OID.pack &&
		git multi-pack-index write && one_flush git multi-pack-index expire &&
		test_path_is_missing $PACKS/pack-$ZERO_OID.pack &&
		n=$(count_flushes git multi-pack-index expire) && test "$n" = 0 &&
		one_flush git multi-pack-index repack && one_flush git multi-pack-index expire &&
		test "$(nr_packs)" = 1 && n=$(count_flushes git multi-pack-index repack) && test "$n" = 0 &&
		history 9 20 newest && test_path_is_file $MIDX &&
		n=$(count_flushes git -c core.fsync=all,-pack-metadata multi-pack-index write --incremental) &&
		test "$n" = 0 && test_path_is_missing $MIDX &&
		rm -f $CHAIN && for i in 1 2 3; do history 8$i 20 chain$i && one_flush git multi-pack-index write --incremental --bitmap || exit 1; done &&
		history 90 20 more && one_flush git multi-pack-index write --incremental --bitmap --no-write-chain-file &&
		one_flush git multi-pack-index compact --incremental --bitmap --no-write-chain-file $(layer 1) $(layer 2) &&
		one_flush git multi-pack-index compact --incremental --bitmap $(layer 1) $(layer 2) && test_line_count = 2 $CHAIN &&
		one_flush git multi-pack-index compact $(layer 1) $(layer 2) && test_path_is_file $MIDX
	)
'

test_expect_success 'compact refuses layers that have an object twice, and keeps them' '
	git init -q twice && (
		cd twice && d=$PACKS/multi-pack-index.d && history 21 40 a && git multi-pack-index write --incremental && x=$(layer 1) &&
		mkdir first && cp -p $PACKS/pack-* first/ && mv $d one && history 22 40 b && git repack -adq && rm -rf $d &&
		git multi-pack-index write --incremental && y=$(layer 1) && cp -p first/* $PACKS/ && cp one/*$x.midx $d/ && chmod u+w $CHAIN && printf "%s\n%s\n" $x $y >$CHAIN && cp $CHAIN before &&
		test_must_fail git multi-pack-index compact --incremental $x $y 2>err &&
		test_grep "layers of the multi-pack-index repeat objects, or lack some" err && test_cmp before $CHAIN && git fsck --no-dangling
	)
'

test_expect_success 'a reader meets one chain or the next, never a layer that is gone' '
	git init -q race && (
		cd race && d=.git/objects/pack/multi-pack-index.d &&
		for i in 1 2 3; do history 7$i 40 race$i && git multi-pack-index write --incremental || exit 1; done &&
		cp -R $d one &&
		git multi-pack-index compact --incremental $(layer 1) $(layer 2) && cp -R $d other &&
		"$GIT_BUILD_DIR/t/helper/chain-race" midx 20000 $d multi-pack-index-chain one other
	) >out && test_grep done out
'

# ---- stock Git ----

test_expect_success 'midx.version' '
	git init -q versions && (cd versions && history 3 40 && git -c midx.version=2 multi-pack-index write --bitmap &&
	 version () { od -An -tu1 -j4 -N1 $MIDX | tr -d " "; } &&
	 test $(version) = 2 && git multi-pack-index verify && git rev-list --count --use-bitmap-index --objects --all >two &&
	 git multi-pack-index write --bitmap && test $(version) = 1 && git multi-pack-index verify &&
	 git rev-list --count --use-bitmap-index --objects --all >one && test_cmp one two &&
	 for v in 0 3 x; do
		test_expect_code 255 git -c midx.version=$v multi-pack-index write 2>err && test_grep -i "version" err || return 1
	 done && test $(version) = 1)
'

test_expect_success STOCK_GIT 'the same bytes as stock Git writes' '
	cp -Rp base ours && cp -Rp base theirs &&
	for args in "" "--preferred-pack=$part.pack"
	do
		rm -f ours/$MIDX theirs/$MIDX &&
		git -C ours multi-pack-index write $args && stock -C theirs multi-pack-index write $args &&
		test_cmp_bin ours/$MIDX theirs/$MIDX || return 1
	done &&
	git -C ours multi-pack-index write --bitmap && stock -C ours multi-pack-index verify &&
	stock -C ours fsck --no-dangling
'

test_expect_success 'verify --progress has meters, and so has fsck, in each of its forms' '
	git init -q meters && (cd meters && history 3 40 && git multi-pack-index write && n=$(($(git rev-list --objects --all | wc -l))) &&
	 lines () { tr "\\r" "\\n" <err | sed -n "s/, done[.]$//p"; } &&
	 git multi-pack-index verify --progress 2>err && lines >actual &&
	 cat >midx <<-EOF && test_cmp midx actual &&
	Verifying OID order in multi-pack-index: 100% ($((n - 1))/$((n - 1)))
	Verifying object offsets: 100% ($n/$n)
	EOF
	 git multi-pack-index verify --no-progress 2>err && test_must_be_empty err &&
	 git fsck --progress 2>err && lines >actual &&
	 { echo "Checking ref database: 100% (1/1)" && echo "Checking object directories: 100% (256/256)" && echo "Checking objects: 100% ($n/$n)" && cat midx; } >expect &&
	 test_cmp expect actual &&
	 git fsck --progress --no-references --connectivity-only 2>err && lines >actual && test_cmp midx actual &&
	 git -c core.multiPackIndex=false fsck --progress --no-references --connectivity-only 2>err && test_must_be_empty err)
'

test_expect_success 'fsck reports its faults without a look at the packs, too' '
	(cd meters && chmod u+w $MIDX && printf x | dd of=$MIDX bs=1 seek=$(($(wc -c <$MIDX) - 1)) conv=notrunc 2>/dev/null &&
	 for o in --connectivity-only --no-full --full; do
		test_must_fail git fsck $o 2>err && test_grep "incorrect checksum" err || return 1
	 done && git -c core.multiPackIndex=false fsck)
'

test_done
