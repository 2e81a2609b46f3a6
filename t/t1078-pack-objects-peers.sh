#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects and stock git: each takes the packs of the other; sizes are compared'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

if ! test_have_prereq STOCK_GIT; then
	skip_all='no stock git'
	test_done
fi

# Outside of a repository stock Git takes files for those of SHA-1.
OUTSIDE=
test "$TEST_HASH" = sha1 || OUTSIDE=--object-format=$TEST_HASH

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
	stock verify-pack $OUTSIDE out/pack-$name.idx && accepted out/pack-$name.pack &&
	stock index-pack $OUTSIDE -o again.idx out/pack-$name.pack >/dev/null &&
	test_cmp_bin again.idx out/pack-$name.idx &&
	stock index-pack $OUTSIDE --rev-index -o again.idx out/pack-$name.pack >/dev/null &&
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

# ---- delta islands ----

# bad_deltas REPO: deltas whose base is not in the island main, which has HEAD, while they are; or the same of old
bad_deltas () {
	git -C "$1" cat-file --batch-all-objects --batch-check="%(objectname) %(deltabase)" >deltas &&
	for island in main old; do
		awk -v zero=$ZERO_OID "NR == FNR { has[\$1] = 1; next } \$2 != zero && (\$1 in has) && !(\$2 in has)" in.$island deltas || return 1
	done | wc -l | tr -d " "
}

test_expect_success 'delta islands: both keep the bases of an old branch within it, and ours is not larger' '
	rm -rf islands && cp -R packed islands && git -C islands update-ref refs/heads/old HEAD~25 && main=$(git -C islands symbolic-ref HEAD) &&
	git -C islands config pack.island "refs/heads/(.*)" && git -C islands rev-list --objects HEAD | cut -d" " -f1 >in.main &&
	git -C islands rev-list --objects refs/heads/old | cut -d" " -f1 >in.old && test $(bad_deltas islands) -gt 20 &&
	for opts in "" --no-reuse-delta; do
		git -C islands pack-objects --all --stdout --delta-base-offset --delta-islands $opts </dev/null >ours.pack && accepted ours.pack && test $(bad_deltas accepted) = 0 &&
		stock -C islands pack-objects -q --all --stdout --delta-base-offset --delta-islands $opts </dev/null >theirs.pack && accepted theirs.pack &&
		test $(bad_deltas accepted) = 0 && not_larger ours.pack theirs.pack || return 1
	done
'

# sames REPO OPTIONS <stdin: both have the same objects, and print the same before the pack
objects_of () {
	rm -rf "$1.git" && stock init -q --bare "$1.git" && sed "/PACK/,\$d" "$1" >"$1.lines" && tail -c +$(($(wc -c <"$1.lines") + 1)) "$1" >"$1.pack" &&
	stock index-pack $OUTSIDE -o "$1.git/x.idx" "$1.pack" >/dev/null && stock show-index $OUTSIDE <"$1.git/x.idx" | cut -d" " -f2 | sort >>"$1.lines"
}
same () {
	local repo=$1 && shift && cat >input && git -C $repo pack-objects -q --stdout "$@" <input >ours && stock -C $repo pack-objects -q --stdout "$@" <input >theirs &&
	LC_ALL=C objects_of ours && LC_ALL=C objects_of theirs && test_file_not_empty ours.lines && test_cmp theirs.lines ours.lines
}

test_expect_success 'the same objects: grafts, packs, URIs' '
	rm -rf loose && cp -R repo loose && given=$(git -C loose commit-tree -m given HEAD^{tree}) && mkdir -p loose/.git/info &&
	echo $(git -C loose rev-parse HEAD~4) $given >loose/.git/info/grafts && for opt in "" --keep-true-parents; do
		echo HEAD | same loose --revs $opt || return 1
	done && rm loose/.git/info/grafts &&
	some=$(git -C loose rev-list --objects HEAD~30 | cut -d" " -f1 | git -C loose pack-objects -q .git/objects/pack/pack) && git -C loose prune-packed &&
	big=$(git -C loose rev-parse HEAD:text) && echo pack-$some.pack >list && for opts in --stdin-packs "--stdin-packs --unpacked"; do
		same loose $opts <list || return 1
	done && git -C loose config uploadpack.blobPackfileUri "$big $(echo $ZERO_OID | tr 0 1) https://host/a" &&
	for opt in --uri-protocol=https --uri-protocol=http; do same loose --all $opt </dev/null || return 1; done
'

loose_of () {
	find "$1/.git/objects" -path "*/??/*" -type f | sed "s|.*/\(..\)/|\1|" | sort
}

test_expect_success PERL 'the same objects become loose' '
	rm -rf before && cp -R packed before && blob=$(echo x | git -C before hash-object -w --stdin) && tree=$(printf "100644 blob $blob\tx\n" | git -C before mktree) &&
	commit=$(git -C before commit-tree -m x $tree) && other=$(echo y | git -C before hash-object -w --stdin) &&
	old=$(printf "%s\n" $blob $tree $other | git -C before pack-objects -q .git/objects/pack/pack) && young=$(echo $commit | git -C before pack-objects -q .git/objects/pack/pack) &&
	git -C before prune-packed && perl -e "utime(\$_ = time - 9999, \$_, @ARGV)" before/.git/objects/pack/pack-$old.* &&
	for opts in "--all --unpack-unreachable" "--all --unpack-unreachable=1.hour.ago" "--all --reflog --indexed-objects --unpack-unreachable=1.hour.ago" \
		"--all --reflog --indexed-objects --unpack-unreachable=now" "--all --unpack-unreachable --keep-pack=pack-$old.pack"; do
		rm -rf a b && cp -Rp before a && cp -Rp before b && git -C a pack-objects -q --stdout $opts </dev/null >x.pack && stock -C b pack-objects -q --stdout $opts </dev/null >x.pack &&
		loose_of a >ours && loose_of b >theirs && test_cmp theirs ours || return 1
	done
'

test_done
