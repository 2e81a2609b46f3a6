#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects and stock git: each takes the packs of the other; sizes are compared'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

if ! test_have_prereq STOCK_GIT; then
	skip_all='no stock git'
	test_done
fi

# accepted FILE: by index-pack --strict and fsck of stock git; as many objects as the header says
accepted () {
	rm -rf accepted && stock init -q accepted && cp "$1" accepted/x.pack &&
	chmod u+w accepted/x.pack &&
	stock -C accepted index-pack --strict x.pack >/dev/null &&
	stock -C accepted verify-pack x.pack &&
	stock -C accepted index-pack --stdin <"$1" >/dev/null &&
	stock -C accepted fsck --full >/dev/null 2>&1
}

size_of () {
	wc -c <"$1" | tr -d " "
}

# not_larger OURS THEIRS: at most 1.03 times as large
not_larger () {
	test $(($(size_of "$1") * 100)) -le $(($(size_of "$2") * 103)) ||
	{ echo "$(size_of "$1") bytes, stock git makes $(size_of "$2")" >&4; return 1; }
}

test_expect_success 'setup' '
	make_history repo 60 && cp -R repo packed && stock -C packed repack -qadf &&
	all_of repo >all
'

for opts in "" --delta-base-offset --no-reuse-object "--window=0" "--depth=1 --delta-base-offset" \
	"--compression=9 --no-reuse-object" "--threads=3 --no-reuse-delta" "--window-memory=500k --no-reuse-delta"
do
	for dir in repo packed; do
		test_expect_success "stock takes our pack of $dir: $opts" '
			git -C $dir pack-objects --all --stdout $opts </dev/null >ours.pack &&
			accepted ours.pack &&
			stock -C $dir pack-objects -q --all --stdout $opts </dev/null >theirs.pack &&
			test $(pack_count ours.pack) = $(pack_count theirs.pack) &&
			not_larger ours.pack theirs.pack
		'
	done
done

test_expect_success 'files, and we read what stock has packed' '
	mkdir out && name=$(git -C repo pack-objects --all "$PWD/out/pack" </dev/null) &&
	stock verify-pack out/pack-$name.idx && accepted out/pack-$name.pack &&
	stock index-pack -o again.idx out/pack-$name.pack >/dev/null &&
	test_cmp_bin again.idx out/pack-$name.idx &&
	stock index-pack --rev-index -o again.idx out/pack-$name.pack >/dev/null &&
	test_cmp_bin again.rev out/pack-$name.rev &&
	all_of packed >actual && test_cmp_bin all actual &&
	git -C packed pack-objects --all "$PWD/out/x" </dev/null >name && repo_of out/x new &&
	all_of new >actual && test_cmp_bin all actual
'

test_expect_success 'thin packs are completed by stock, at most as large as its own' '
	for n in 1 5 20; do
		printf "HEAD\n^HEAD~$n\n" >revs &&
		git -C packed pack-objects --revs --thin --stdout --delta-base-offset <revs >ours.pack &&
		stock -C packed pack-objects -q --revs --thin --stdout --delta-base-offset <revs >theirs.pack &&
		test $(pack_count ours.pack) = $(pack_count theirs.pack) && not_larger ours.pack theirs.pack &&
		rm -rf base && stock init -q base &&
		echo "HEAD~$n" | stock -C packed pack-objects -q --revs --stdout >base.pack &&
		stock -C base unpack-objects -q <base.pack &&
		stock -C base index-pack --strict --fix-thin --stdin <ours.pack >/dev/null || return 1
	done
'

test_expect_success 'the same objects as stock: revisions, filters, tags' '
	ids () { rm -rf ids && stock init -q ids && stock -C ids unpack-objects -q <"$1" &&
		stock -C ids cat-file --batch-all-objects --batch-check="%(objectname)"; } &&
	for opts in "--all" "--revs --include-tag" "--revs --filter=blob:none" "--revs --filter=tree:1" \
		"--revs --filter=blob:limit=500" "--all --reflog" "--all --indexed-objects" "--revs --unpacked"; do
		for revs in "HEAD" "HEAD HEAD~3 --not HEAD~9" "one two" "HEAD:dir HEAD~2:text"; do
			echo $revs | tr " " "\n" >revs &&
			git -C repo pack-objects $opts --stdout <revs >ours.pack &&
			stock -C repo pack-objects -q $opts --stdout <revs >theirs.pack &&
			ids ours.pack >ours.ids && ids theirs.pack >theirs.ids && test_cmp theirs.ids ours.ids ||
			{ echo "$opts: $revs" >&4; return 1; }
		done
	done
'

test_expect_success 'SHA-256' '
	rm -rf repo256 && stock init -q --object-format=sha256 repo256 && cp -R repo/text repo/dir repo256/ &&
	git -C repo256 add . && test_tick && git -C repo256 commit -qm one && echo x >>repo256/text &&
	git -C repo256 commit -qam two &&
	git -C repo256 pack-objects --all --stdout </dev/null >ours.pack &&
	rm -rf accepted && stock init -q --object-format=sha256 accepted &&
	stock -C accepted index-pack --strict --stdin <ours.pack >/dev/null &&
	git -C repo256 pack-objects --all "$PWD/out/y" </dev/null >name && stock verify-pack --object-format=sha256 out/y-*.idx
'

# Random choices of packs, loose objects and options: stock takes what we make, and it has what it should.
test_expect_success 'random packs of packs, by seed' '
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
		rm -rf mixed && git init -q mixed &&
		git -C repo cat-file --batch-all-objects --batch-check="%(objectname)" >oids &&
		for part in 1 2 3; do
			awk -v s=$seed -v p=$part "BEGIN { srand(s * 10 + p) } rand() < 0.5" oids >some &&
			git -C repo pack-objects --delta-base-offset --depth=$((seed % 4 * 5 + 1)) \
				"$PWD/mixed/.git/objects/pack/pack" <some >/dev/null || return 1
		done &&
		git -C mixed cat-file --batch-all-objects --batch-check="%(objectname)" |
		awk -v s=$seed "BEGIN { srand(s) } rand() < 0.8" >some &&
		git -C mixed pack-objects --stdout --depth=$((seed % 3 * 20 + 2)) --delta-base-offset <some >ours.pack &&
		rm -rf accepted && stock init -q accepted && stock -C accepted index-pack --stdin <ours.pack >/dev/null &&
		stock -C accepted cat-file --batch-all-objects --batch-check="%(objectname)" >actual &&
		test_cmp some actual && stock -C accepted cat-file --batch-all-objects --batch >theirs &&
		git -C repo cat-file --batch <some >want && test_cmp_bin want theirs || { echo "seed $seed" >&4; return 1; }
	done
'

test_done
