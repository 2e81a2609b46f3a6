#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of the upkeep of packs fails in turn

As in t0102: filtered, cruft, promisor and geometric packs, pseudo-merges, layers of the commit-graph.
Whatever fails, every object is still there.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"
. "$TEST_DIRECTORY/lib-partial.sh"

PACKS=.git/objects/pack
CHAIN=.git/objects/info/commit-graphs/commit-graph-chain


# objects REPO: all that packs have, whatever an index of several packs says of them, and loose ones; those of alternates too
objects () {
	git -C "$1" -c core.multiPackIndex=false cat-file --batch-all-objects --unordered \
		--batch-check="%(objectname) %(objecttype) %(objectsize)" | sort -u
}
# upkeep TEMPLATE WHAT CHECK CMD...: a sweep after which nothing has been lost, whatever came of it
upkeep () {
	objects "$1" >wanted && test $(wc -l <wanted) -gt 10 && sweep "$@"
}
still_good () {
	objects copy >there && cmp -s there wanted
}
nr () {
	find $PACKS -name "*.$1" | wc -l
}
strays () {
	for i in 1 2 3; do echo "stray $i" | git -C "$1" hash-object -w --stdin || return; done
}

# packed: three packs, of one, two and many objects, strays that are loose, a commit that is loose
test_expect_success 'setup' '
	git init -q packed && (
		cd packed && git config gc.auto 0 && git config core.logAllRefUpdates false && mkdir d &&
		for i in 1 2 3; do
			for j in 1 2 3 4 5; do echo "$i $j" >d/f$j || exit; done && seq 1 $((i * 50)) >list && git add . &&
			git commit -q -m $i && git repack -dq && git update-ref refs/topics/$i HEAD || exit
		done && echo more >>list && git commit -q -a -m four && git update-ref refs/topics/4 HEAD
	) && strays packed >strays &&
	cp -a packed lent && mkdir -p lent/.git/away/pack && echo ../away >lent/.git/objects/info/alternates &&
	cp -a packed cruft && ls cruft/$PACKS | sed -n "/[.]pack\$/p" >kept.packs && touch -d 2001-01-01 cruft/.git/objects/??/* &&
	(cd packed && git multi-pack-index write) && cp -a packed merges && (
		cd merges && git config bitmapPseudoMerge.all.pattern refs/topics/ && git config bitmapPseudoMerge.all.threshold now &&
		git config bitmapPseudoMerge.all.stableThreshold now && git config bitmapPseudoMerge.all.stableSize 20
	) &&
	cp -a packed tasks && git -C tasks config maintenance.incremental-repack.auto 1 &&
	cp -a packed graphed && (
		cd graphed && for i in 1 2 3; do
			git rev-parse refs/topics/$i | git commit-graph write --stdin-commits --split=no-merge || exit
		done && test $(wc -l <$CHAIN) = 3
	) &&
	partial_source && partial_clone && partial_commit one && git -C r repack -dq && partial_commit two &&
	git -C source rev-parse v1:list v1:f1 | git -C source pack-objects --stdout -q >more.pack &&
	git -C r index-pack --stdin --promisor <more.pack
'

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 12
	test_expect_success "repack --filter: $what" '
		upkeep packed $what "git fsck --strict && test \$(nr pack) = 2" repack -adq --filter=blob:none
	'
	test_expect_success "repack --filter-to: $what" '
		upkeep lent $what "git fsck --strict && test \$(nr pack) = 1 && test -f .git/away/pack/*.idx" \
			repack -adq --filter=blob:none --filter-to=.git/away/pack/pack
	'
	test_expect_success "repack --cruft: $what" '
		upkeep packed $what "git fsck --strict && test \$(nr pack) = 2 && test \$(nr mtimes) = 1" repack -dq --cruft
	'
	test_expect_success "repack --geometric: $what" '
		upkeep packed $what "git fsck --strict && git multi-pack-index verify" repack -dq --geometric=2 --write-midx
	'
	test_expect_success "repack in a partial clone: $what" '
		upkeep r $what "git fsck --strict && test \$(nr pack) = 2 && test \$(nr promisor) = 1" repack -adq
	'
	test_expect_success "pack-objects --cruft: $what" '
		(SWEEP_STDIN=$TRASH_DIRECTORY/kept.packs && upkeep cruft $what "git fsck --strict && test \$(nr mtimes) = 1" \
			pack-objects -q --cruft $PACKS/pack)
	'
	test_expect_success "pseudo-merges: $what" '
		upkeep merges $what "test \$(git rev-list --use-bitmap-index --count --all) = 4 && test \$(nr bitmap) = 1" \
			multi-pack-index write --bitmap
	'
	test_expect_success "maintenance, geometric-repack: $what" '
		upkeep tasks $what "git fsck --strict" maintenance run --quiet --task=geometric-repack
	'
	test_expect_success "maintenance, incremental-repack: $what" '
		upkeep tasks $what "git fsck --strict && git multi-pack-index verify" maintenance run --quiet --task=incremental-repack
	'
	test_expect_success "commit-graph write --split=replace: $what" '
		upkeep graphed $what "git commit-graph verify && test \$(wc -l <$CHAIN) = 1" \
			commit-graph write --reachable --split=replace --changed-paths
	'
done

test_done
