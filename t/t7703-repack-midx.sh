#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git repack --write-midx: one index, or layers that are combined as they grow'
. "$(dirname "$0")/test-lib.sh"

HELPER=$GIT_BUILD_DIR/t/helper
PACKS=.git/objects/pack
MIDX=$PACKS/multi-pack-index
LAYERS=$PACKS/multi-pack-index.d
CHAIN=$LAYERS/multi-pack-index-chain

nr_packs () {
	ls $PACKS/*.pack | wc -l | tr -d " "
}
nr_layers () {
	wc -l <$CHAIN | tr -d " "
}
# So many new objects as loose ones: commits SEED COUNT
commits () {
	"$HELPER/random-history" "$@" x$1
}
# The number of packs of the n-th layer.
packs_in () {
	od -An -tu1 -j11 -N1 $LAYERS/multi-pack-index-$(sed -n "${1}p" $CHAIN).midx | tr -d " "
}
layer () {
	sed -n "${1}p" $CHAIN
}
# Nothing is lost, the index is right, and bitmaps, if there are any, are true.
all_is_well () {
	git multi-pack-index verify && git fsck >out 2>&1 && test_grep ! "error\|missing\|corrupt" out &&
	git rev-list --objects --all --count >expect && git rev-list --use-bitmap-index --objects --all --count >actual &&
	test_cmp expect actual && rm out expect actual
}
all_bitmaps () {
	for sum in $(cat $CHAIN); do test_path_is_file $LAYERS/multi-pack-index-$sum.bitmap || return 1; done &&
	"$HELPER/bitmap-walk" --compare=1:20 >found 2>err && test_must_be_empty err && rm found err
}
start () {
	cd "$TRASH" && rm -rf r && git init -q r && cd r && git config bulkCheckin.unpackLimit 100000 && git config gc.auto 0
}
TRASH=$PWD

test_expect_success 'modes' '
	(start && commits 1 20 && git repack -dq -m && test_path_is_file $MIDX && commits 2 10 && git repack -dq --write-midx=default &&
	 test_path_is_file $MIDX && test "$(od -An -tu1 -j11 -N1 $MIDX | tr -d " ")" = 2 && all_is_well &&
	 test_expect_code 129 git repack -dq --write-midx=x 2>err && test_grep "^error: unknown value for write-midx: x$" err &&
	 commits 3 10 && git repack -dq --write-midx=incremental --no-write-midx && test_path_is_file $MIDX && test_path_is_missing $CHAIN)
'

test_expect_success 'incremental: a layer for each new pack; existing layers stay' '
	(start && for i in 1 2 3
	 do
		commits $i 15 && git repack -dbq --write-midx=incremental && test $(nr_packs) = $i && test $(nr_layers) = $i && test $(packs_in $i) = 1 || exit 1
	 done && all_is_well && all_bitmaps && cp $CHAIN before && git repack -dbq --write-midx=incremental && test_cmp before $CHAIN &&
	 : -a packs what no layer has, and removes none of their packs &&
	 commits 4 15 && git repack -dq && commits 5 15 && git repack -adbq --write-midx=incremental && test $(nr_packs) = 4 && test $(nr_layers) = 4 &&
	 head -n 3 $CHAIN >three && test_cmp before three && all_is_well && all_bitmaps &&
	 commits 6 15 && echo stray | git hash-object -w --stdin && git repack --cruft -dbq --write-midx=incremental && test $(nr_layers) = 5 && test $(packs_in 5) = 2 &&
	 test $(ls $PACKS/*.mtimes | wc -l) = 1 && all_is_well && all_bitmaps &&
	 : and one index again &&
	 git repack -adbq -m && test $(nr_packs) = 1 && test_path_is_missing $CHAIN && all_is_well)
'

test_expect_success 'incremental: a single index becomes the lowest layer' '
	(start && commits 1 15 && git repack -dbq -m && sum=$(tail -c $((OID_HEXLEN / 2)) $MIDX | od -An -v -tx1 | tr -d " \n") &&
	 commits 2 15 && git repack -dbq --write-midx=incremental && test_path_is_missing $MIDX && test $(nr_layers) = 2 &&
	 test $(layer 1) = $sum && all_is_well && all_bitmaps)
'

test_expect_success 'incremental: layers without bitmaps are written anew if there are to be some' '
	(start && for i in 1 2 3; do commits $i 15 && git repack -dq --write-midx=incremental --no-write-bitmap-index || exit 1; done && test $(nr_layers) = 3 &&
	 commits 4 15 && git repack -dbq --write-midx=incremental && test $(nr_layers) = 1 && test $(packs_in 1) = 4 && all_is_well && all_bitmaps &&
	 for i in 5 6; do commits $i 15 && git repack -dbq --write-midx=incremental || exit 1; done && test $(nr_layers) = 3 &&
	 rm -f $LAYERS/multi-pack-index-$(layer 2).bitmap && keep=$(layer 1) && commits 7 15 && git repack -dbq --write-midx=incremental &&
	 test $(nr_layers) = 2 && test $(layer 1) = $keep && test $(packs_in 2) = 3 && all_is_well && all_bitmaps)
'

# Three packs, of which each has the objects of ten commits more than those before.
test_expect_success 'geometric: layers are combined while the younger ones have more than half of the next' '
	(start && commits 1 100 && git repack -dbq --write-midx=incremental && low=$(layer 1) &&
	 for i in 2 3 4 5
	 do
		commits $i 5 && git repack -dbq --geometric=2 --write-midx=incremental && all_is_well && all_bitmaps && test $(layer 1) = $low && test $(nr_layers) -le 3 || exit 1
	 done && test $(nr_packs) = 5 && top=$(nr_layers) && test $top -gt 1 &&
	 : a factor that nothing reaches, and one that all reach &&
	 commits 6 60 && cp -R . ../s && git repack -dbq --geometric=2 --write-midx=incremental && test $(nr_layers) = 1 && test $(packs_in 1) = 6 && all_is_well && all_bitmaps &&
	 cd ../s && old=$(nr_layers) && git -c repack.midxSplitFactor=1000 repack -dbq --geometric=2 --write-midx=incremental && test $(nr_layers) = 1 && cd .. && rm -rf s)
'

test_expect_success 'geometric: a large layer below a small one stays' '
	(start && commits 1 200 && git repack -dbq --write-midx=incremental && commits 2 3 && git repack -dbq --geometric=2 --write-midx=incremental && test $(nr_layers) = 2 &&
	 commits 3 1 && git -c repack.midxSplitFactor=1000 repack -dbq --geometric=2 --write-midx=incremental && test $(nr_layers) = 1)
'

test_expect_success 'geometric: packs of the top layer are combined if it has enough of them' '
	(start && git config repack.midxSplitFactor 1000 && commits 1 200 && git repack -dbq --write-midx=incremental && big=$(ls $PACKS/*.pack) &&
	 for i in 2 3 4; do commits $i 2 && git repack -dbq --geometric=2 --write-midx=incremental || exit 1; done &&
	 test $(nr_packs) = 4 && test $(nr_layers) = 1 && cp -R . ../many &&
	 commits 5 2 && git -c repack.midxNewLayerThreshold=4 repack -dbq --geometric=2 --write-midx=incremental &&
	 test $(nr_packs) = 2 && test_path_is_file $big && test $(nr_layers) = 1 && test $(packs_in 1) = 2 && all_is_well && all_bitmaps &&
	 cd ../many && commits 5 2 && git -c repack.midxNewLayerThreshold=5 repack -dbq --geometric=2 --write-midx=incremental && test $(nr_packs) = 5 &&
	 all_is_well && all_bitmaps && : eight by default && for i in 6 7 8; do commits $i 2 && git repack -dbq --geometric=2 --write-midx=incremental || exit 1; done &&
	 test $(nr_packs) = 8 && commits 10 2 && git repack -dbq --geometric=2 --write-midx=incremental && test $(nr_packs) -lt 5 && all_is_well && cd .. && rm -rf many)
'

test_expect_success 'geometric: the largest pack is preferred' '
	(start && commits 1 100 && git repack -dq && for i in 2 3; do commits $i 20 && git repack -dq || exit 1; done && commits 4 2 &&
	 git repack -dbq --geometric=2 -m && test $(nr_packs) -gt 1 && big=$(basename $(ls -S $PACKS/*.idx | head -n 1) .idx) &&
	 tail -c $((OID_HEXLEN / 2)) $MIDX >made && git multi-pack-index write --bitmap --preferred-pack=$big && tail -c $((OID_HEXLEN / 2)) $MIDX >expect && test_cmp_bin expect made)
'

test_expect_success 'a damaged chain is replaced' '
	(start && for i in 1 2 3; do commits $i 15 && git repack -dbq --write-midx=incremental || exit 1; done && l=$LAYERS/multi-pack-index-$(layer 2).midx &&
	 chmod u+w $l && size=$(wc -c <$l) && : the end of the table of packs, which the reading of objects does not use &&
	 printf "\252" | dd of=$l bs=1 seek=$((size - OID_HEXLEN / 2 - 1)) conv=notrunc 2>/dev/null && commits 4 15 && git repack -dbq --write-midx=incremental 2>err &&
	 test_grep "checksum mismatch" err && test $(nr_layers) = 1 && test $(packs_in 1) = 4 && all_is_well && all_bitmaps)
'

test_expect_success 'bad settings' '
	(start && commits 1 15 && for case in midxSplitFactor=1 midxSplitFactor=-1 midxSplitFactor=x midxNewLayerThreshold=0 midxNewLayerThreshold=x
	 do
		test_expect_code 128 git -c repack.$case repack -dq --write-midx=incremental 2>err && test_grep -i "repack[.]${case%=*}" err || exit 1
	 done && test_path_is_missing $CHAIN && ls $PACKS >out && test_must_be_empty out)
'

test_expect_success 'repack.midxMustContainCruft=false: cruft packs are left out unless bitmaps need them' '
	(start && commits 1 15 && echo stray | git hash-object -w --stdin && git repack --cruft -dq && cruft=$(basename $(ls $PACKS/*.mtimes) .mtimes) &&
	 named () { strings -n 20 $MIDX | grep -q $cruft; } &&
	 commits 2 5 && git repack -dbq -m && named && git -c repack.midxMustContainCruft=false repack -dbq --geometric=2 -m && ! named && all_is_well &&
	 git -c repack.midxMustContainCruft=false repack -dq --no-write-bitmap-index -m && ! named &&
	 : now something reaches what is in it &&
	 stray=$(echo stray | git hash-object --stdin) && tree=$(printf "100644 blob $stray\tf\n" | git mktree) && git update-ref refs/heads/new $(git commit-tree -m new $tree) &&
	 git repack -dq && git -c repack.midxMustContainCruft=false repack -dbq --geometric=2 -m && named && all_is_well)
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush' '
	on_journal flush && TRASH=$PWD/flush &&
	(start && one_flush () { n=$(count_flushes "$@") && test "$n" = 1; } &&
	 for i in 1 2 3; do commits $i 15 && one_flush git repack -dbq --write-midx=incremental || exit 1; done &&
	 for i in 4 5 6; do commits $i 5 && one_flush git -c repack.midxNewLayerThreshold=2 repack -dbq --geometric=2 --write-midx=incremental || exit 1; done &&
	 all_is_well)
'

test_done
