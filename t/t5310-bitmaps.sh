#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='reachability bitmaps: written by us and by others, and what a walk with them finds'
. "$(dirname "$0")/test-lib.sh"

HELPER=$GIT_BUILD_DIR/t/helper

# Random histories; as one pack, unless bulkCheckin.unpackLimit says otherwise.
history () {
	"$HELPER/random-history" "$@"
}

# Both walks find the same, and something.
same_walks () {
	"$HELPER/bitmap-walk" --compare="$1" >found 2>err &&
	test_must_be_empty err &&
	test "$(cat found)" -gt 100
}

bitmap_of () {
	echo .git/objects/pack/pack-*.bitmap
}

flags_of () {
	od -An -tx1 -j6 -N2 "$1" | tr -d " "
}

no_bitmaps () {
	test_expect_code 3 "$HELPER/bitmap-walk" --all --count
}

test_expect_success 'set-up: a history in one pack' '
	git init -q base &&
	git -C base config bulkCheckin.unpackLimit 1 &&
	(cd base && history 1 400 && ls .git/objects/pack/*.idx >packs && test_line_count = 1 packs && rm packs) &&
	cp -R base plain
'

test_expect_success 'without bitmaps there is nothing to walk by' '
	(cd base && no_bitmaps)
'

test_expect_success 'bitmaps of a pack' '
	(
		cd base &&
		"$HELPER/bitmap-build" &&
		test "$(flags_of "$(bitmap_of)")" = 0005 &&
		ls .git/objects/pack >files && test_line_count = 4 files && rm files &&
		same_walks 1:60
	)
'

test_expect_success 'rev-list --use-bitmap-index: counts, sizes and lists are those of the walk' '
	(
		cd base && tip=$(git rev-list -n 1 --all) && mid=$(git rev-list --all | sed -n 60p) &&
		old=$(git rev-list --all | sed -n 150p) &&
		for range in --all "$tip --not $old" "$mid $old" "--all --not $mid"
		do
			for what in --count --disk-usage "--count -n 3" "--count --first-parent"
			do
				git rev-list $what $range >expect &&
				git rev-list --use-bitmap-index $what $range >actual &&
				test_cmp expect actual || return 1
			done
		done &&
		: a walk lists some objects that the excluded commits have, a bitmap does not &&
		for range in --all "$mid $old"
		do
			for what in "--count --objects" "--disk-usage --objects" "--count --objects --filter=blob:none"
			do
				git rev-list $what $range >expect &&
				git rev-list --use-bitmap-index $what $range >actual &&
				test_cmp expect actual || return 1
			done &&
			git rev-list --objects --no-object-names $range | sort >expect &&
			git rev-list --use-bitmap-index --objects $range >listed && sort listed >actual &&
			test_cmp expect actual || return 1
		done &&
		: a bitmap knows no paths, so this came from one &&
		test_must_fail grep " " listed && git rev-list --objects $tip | grep " " >named &&
		rm expect actual listed named
	)
'

test_expect_success 'the whole pack, and one object less' '
	(
		cd base &&
		"$HELPER/bitmap-walk" --plain --all --count >all &&
		"$HELPER/bitmap-walk" --all --count >actual &&
		test_cmp all actual &&
		"$HELPER/bitmap-walk" --all --count --stats >stats &&
		test_grep "^whole pack: yes" stats &&
		"$HELPER/bitmap-walk" --all --count --stats --not b0^{tree} >stats &&
		test_grep "^whole pack: no" stats &&
		rm all actual stats
	)
'

test_expect_success 'all of a type is left out, but for what was asked for by name' '
	(
		cd base &&
		blob=$(git rev-parse b0:d1/e1/f1) &&
		"$HELPER/bitmap-walk" b0 $blob >all &&
		test_grep "^$blob blob" all &&
		"$HELPER/bitmap-walk" --drop=blob b0 $blob >some &&
		{ grep -v " blob$" all; echo "$blob blob"; } | sort >expect &&
		test_cmp expect some &&
		rm all some expect
	)
'

test_expect_success 'a table of commits, no hashes' '
	cp -R plain table &&
	(
		cd table &&
		git config pack.writeBitmapLookupTable true &&
		git config pack.writeBitmapHashCache false &&
		"$HELPER/bitmap-build" &&
		test "$(flags_of "$(bitmap_of)")" = 0011 &&
		same_walks 2:60
	)
'

test_expect_success 'a bad setting is an error' '
	(
		cd plain &&
		test_expect_code 128 git -c pack.writeBitmapLookupTable=maybe multi-pack-index write --bitmap &&
		test_expect_code 128 git -c pack.writeBitmapHashCache=maybe multi-pack-index write --bitmap
	)
'

test_expect_success 'commits that are preferred get a bitmap' '
	# of so many tips only the youngest get one each
	git init -q tips &&
	(
		cd tips &&
		git config bulkCheckin.unpackLimit 1 &&
		history 5 1500 &&
		git log --all --format=%H >commits &&
		awk "{ print \"create refs/heads/all\" NR, \$1 }" commits | git update-ref --stdin &&
		"$HELPER/bitmap-build" && "$HELPER/bitmap-walk" --commits | sort >before &&
		test_line_count -gt 1000 before && test_line_count -lt 1300 before &&
		old=$(tail -n 100 commits | sort | comm -23 - before | head -n 1) && test -n "$old" &&
		git update-ref refs/keep/old $old &&
		"$HELPER/bitmap-build" && "$HELPER/bitmap-walk" --commits >after &&
		test_grep ! $old after &&
		git config pack.preferBitmapTips refs/keep &&
		"$HELPER/bitmap-build" && "$HELPER/bitmap-walk" --commits >after &&
		test_grep $old after &&
		same_walks 3:10
	)
'

test_expect_success 'objects outside of the bitmapped pack' '
	cp -R base behind &&
	(
		cd behind &&
		history 2 40 more &&
		ls .git/objects/pack/*.idx >packs && test_line_count = 2 packs &&
		same_walks 4:60 &&
		git config bulkCheckin.unpackLimit 1000000 &&
		history 3 10 loose &&
		git count-objects >loose && test_grep ! "^0 objects" loose &&
		same_walks 5:60 &&
		"$HELPER/bitmap-walk" --all --count --stats >stats &&
		test_grep "^whole pack: no" stats
	)
'

test_expect_success 'bitmaps of several packs' '
	cp -R behind several &&
	(
		cd several &&
		git multi-pack-index write --bitmap &&
		rm $(bitmap_of) &&
		same_walks 6:60 &&
		for pack in $(cd .git/objects/pack && ls *.pack)
		do
			git -c pack.writeBitmapLookupTable=true multi-pack-index write --bitmap \
				--preferred-pack=$pack && same_walks 7:20 || exit 1
		done
	)
'

test_expect_success 'bitmaps of layers' '
	cp -R plain layers &&
	(
		cd layers &&
		git multi-pack-index write --bitmap --incremental &&
		for i in 1 2 3
		do
			history 1$i 30 layer$i &&
			git -c pack.writeBitmapLookupTable=$(test $i = 2 && echo true || echo false) \
				multi-pack-index write --bitmap --incremental || exit 1
		done &&
		ls .git/objects/pack/multi-pack-index.d/*.bitmap >files && test_line_count = 4 files &&
		same_walks 8:60 &&
		history 20 20 behind &&
		same_walks 9:30 &&
		# the top layer has none: those below are used
		git multi-pack-index write --incremental &&
		same_walks 10:30 &&
		test_expect_code 255 git multi-pack-index write --incremental --bitmap 2>err &&
		test_grep "no order of bits" err &&
		history 21 20 behind &&
		test_expect_code 255 git multi-pack-index write --incremental --bitmap 2>err &&
		test_grep "the multi-pack-index below has no bitmaps" err
	)
'

test_expect_success 'bitmaps of an alternate' '
	git init -q borrower &&
	(
		cd borrower &&
		echo "$PWD/../base/.git/objects" >.git/objects/info/alternates &&
		git -C ../base for-each-ref --format="create %(refname) %(objectname)" | git update-ref --stdin &&
		history 30 20 own &&
		same_walks 11:30
	)
'

test_expect_success 'another history than that of the objects: no bitmaps' '
	(
		cd base &&
		c=$(git rev-parse b0) &&
		echo "$c" >.git/shallow && no_bitmaps && rm .git/shallow &&
		mkdir -p .git/info && echo "$c" >.git/info/grafts && no_bitmaps && rm .git/info/grafts &&
		git update-ref refs/replace/$c b1 && no_bitmaps &&
		test_expect_code 3 "$HELPER/bitmap-build" &&
		git update-ref -d refs/replace/$c &&
		same_walks 12:3
	)
'

# No commit has a parent, as the graph says. Bitmaps stay for long: what they are made of is read, not believed.
test_expect_success PERL 'a commit-graph that is wrong does not get into bitmaps' '
	cp -R plain wrong && (
		cd wrong && git commit-graph write --reachable && graph=.git/objects/info/commit-graph && chmod u+w $graph &&
		cat >orphan.pl <<-\EOF &&
		use strict; my ($file, $raw) = @ARGV; open F, "+<", $file; binmode F; local $/; my $x = <F>;
		my ($from, $to);
		for (my $at = 8; ; $at += 12) {
			my ($id, $hi, $lo) = unpack "a4NN", substr $x, $at, 12;
			$to = $lo, last if $from;
			$from = $lo if $id eq "CDAT";
		}
		for (my $at = $from; $at < $to; $at += $raw + 16) { substr $x, $at + $raw, 8, pack "NN", 0x70000000, 0x70000000 }
		seek F, 0, 0; print F $x; close F;
		EOF
		perl orphan.pl $graph $((OID_HEXLEN / 2)) && tip=$(git rev-list -n 1 --all) &&
		test $(git rev-list --count $tip) = 1 && "$HELPER/bitmap-build" && rm $graph && same_walks 1:60
	)
'

test_expect_success 'an object is missing: no bitmap is written, and none is used' '
	cp -R plain incomplete &&
	(
		cd incomplete &&
		git config bulkCheckin.unpackLimit 1000000 &&
		t=$(git rev-parse b0^{tree}) &&
		blob=$(echo gone | git hash-object -w --stdin) &&
		tree=$(printf "100644 blob $blob\tf\n" | git mktree) &&
		c=$(git commit-tree -p b0 -m incomplete $tree) && git update-ref refs/heads/bad $c &&
		"$HELPER/bitmap-build" && same_walks 13:3 &&
		rm $(bitmap_of) .git/objects/$(echo $blob | sed "s|..|&/|") &&
		rm -rf loose && mkdir loose &&
		git config bulkCheckin.unpackLimit 1 &&
		git commit-tree -p $c -m next $tree >next && git update-ref refs/heads/bad $(cat next) &&
		git multi-pack-index write &&
		test_expect_code 255 git multi-pack-index write --bitmap 2>err &&
		test_grep "could not write multi-pack bitmap: object $c is not in the pack" err &&
		ls .git/objects/pack | grep bitmap >files
		test_must_be_empty files
	)
'

# ---- damage ----

# Replaces bytes of the bitmap: offset, then printf text.
damage () {
	chmod u+w "$(bitmap_of)" &&
	printf "$2" | dd of="$(bitmap_of)" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

test_expect_success 'a bitmap of another pack, version or kind is told and not used' '
	for change in "0 X signature" "4 \\0\\2 version" "6 \\0\\0 flags" "6 \\200\\1 flags" "12 \\377\\377 another"
	do
		set -- $change &&
		rm -rf bad && cp -R base bad &&
		(
			cd bad && damage "$1" "$2" &&
			no_bitmaps 2>err &&
			test_grep "warning: bitmap .*$3" err
		) || return 1
	done
'

test_expect_success 'cut off anywhere: told and not used' '
	for which in base table
	do
		rm -rf bad && cp -R $which bad &&
		(
			cd bad && file=$(bitmap_of) && chmod u+w "$file" && cp "$file" whole &&
			size=$(wc -c <whole) &&
			for len in 0 1 11 12 31 40 60 100 $((size / 2)) $((size - 30)) $((size - 1))
			do
				head -c $len whole >"$file" &&
				"$HELPER/bitmap-walk" --all >out 2>err
				code=$? &&
				# the hash at the end and a part of what is before it may look like another bitmap
				case $code in 0|3) ;; *) echo "$len: $code"; exit 1 ;; esac &&
				{ test $len -gt 100 || test_grep "^warning: bitmap" err; } || exit 1
			done
		) || return 1
	done
'

test_expect_success PYTHON 'bytes changed anywhere: no crash, and no hanging' '
	cat >flip.py <<-\EOF &&
	import random, subprocess, sys
	walk, path, seed, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
	random.seed(seed)
	good = open(path, "rb").read()
	codes = {}
	for i in range(rounds):
	    data = bytearray(good)
	    for _ in range(random.choice([1, 1, 2, 20])):
	        at = random.choice([random.randrange(len(data)), random.randrange(min(800, len(data))),
	                            len(data) - 1 - random.randrange(min(3000, len(data)))])
	        data[at] = random.choice([0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
	    with open(path, "wb") as f:
	        f.write(data)
	    run = subprocess.run([walk, "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
	    codes[run.returncode] = codes.get(run.returncode, 0) + 1
	    if run.returncode not in (0, 1, 3, 128):
	        sys.exit("round %d: %d %s" % (i, run.returncode, run.stderr))
	print(codes)
	assert codes.get(3, 0) > 5
	EOF
	for which in base table
	do
		rm -rf bad && cp -R $which bad && chmod u+w bad/.git/objects/pack/*.bitmap &&
		(cd bad && python3 ../flip.py "$HELPER/bitmap-walk" "$(bitmap_of)" 1 150) || return 1
	done
'

test_expect_success PYTHON 'bitmaps that refer to each other in a circle' '
	rm -rf bad && cp -R table bad &&
	(
		cd bad && chmod u+w .git/objects/pack/*.bitmap &&
		cat >circle.py <<-\EOF &&
		import struct, sys
		path, raw = sys.argv[1], int(sys.argv[2]) // 2
		data = bytearray(open(path, "rb").read())
		nr = struct.unpack(">I", data[8:12])[0]
		table = len(data) - raw - nr * 16
		for row in range(nr):
		    struct.pack_into(">I", data, table + row * 16 + 12, (row + 1) % nr)
		open(path, "wb").write(data)
		EOF
		python3 circle.py "$(bitmap_of)" $OID_HEXLEN &&
		no_bitmaps 2>err && test_grep "warning: bitmap .*in a circle" err
	)
'

test_expect_success 'the hashes of paths' '
	git init -q paths &&
	(
		cd paths && git config bulkCheckin.unpackLimit 1 &&
		mkdir -p dir/sub && echo 1 >a && echo 2 >dir/b.c && echo 3 >"dir/sub/with blank.txt" &&
		git add . && git commit -qm one && git multi-pack-index write --bitmap &&
		"$HELPER/bitmap-walk" --hashes HEAD >hashes &&
		hash_of () { grep "^$(git rev-parse "HEAD:$1") " hashes | cut -d" " -f2; } &&
		test "$(hash_of a)" = 61000000 &&
		test "$(hash_of dir/b.c)" = 75ee8000 &&
		test "$(hash_of "dir/sub/with blank.txt")" = 9a86c56f &&
		test "$(hash_of dir/sub)" = 87be8000 &&
		test "$(hash_of "")" = 00000000
	)
'

test_expect_success 'a pack of the multi-pack-index is gone: its bitmaps are not used' '
	cp -R several gone &&
	(
		cd gone && rm -f .git/objects/pack/pack-*.bitmap &&
		same_walks 14:2 &&
		pack=$(ls .git/objects/pack/*.pack | head -n 1) && rm -f "$pack" "${pack%.pack}.idx" &&
		no_bitmaps 2>err && test_grep "there are no bitmaps" err && test_grep ! warning err
	)
'

# ---- durability ----

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush' '
	on_journal flush && cp -R plain flush/r &&
	(
		cd flush/r &&
		n=$(count_flushes "$HELPER/bitmap-build") && test "$n" = 1 &&
		n=$(count_flushes git multi-pack-index write --bitmap) && test "$n" = 1 &&
		n=$(count_flushes git multi-pack-index write --bitmap) && test "$n" = 0 &&
		rm -f .git/objects/pack/multi* &&
		n=$(count_flushes git -c core.fsync=all,-pack-metadata multi-pack-index write --bitmap) &&
		test "$n" = 0 && rm -f .git/objects/pack/multi* &&
		n=$(count_flushes git -c core.fsync=none,pack-metadata multi-pack-index write --bitmap) &&
		test "$n" = 1
	)
'

# ---- stock Git ----

test_expect_success STOCK_GIT 'stock reads ours' '
	for repo in base table several
	do
		(
			cd $repo &&
			stock rev-list --test-bitmap b0 2>err && test_grep "^OK!" err &&
			stock rev-list --objects --all >plain-list && wc -l <plain-list | tr -d " " >expect &&
			stock rev-list --use-bitmap-index --objects --all --count >actual &&
			test_cmp expect actual
		) || return 1
	done
'

test_expect_success STOCK_GIT 'we read those of stock' '
	cp -R plain stock-pack && cp -R several stock-midx && rm -rf stock-midx/.git/objects/pack/multi* &&
	(
		cd stock-pack && "$HELPER/bitmap-walk" --all --count --plain >expect &&
		stock repack -adbq && "$HELPER/bitmap-walk" --all --count >actual && test_cmp expect actual &&
		same_walks 15:40 &&
		stock -c pack.writeBitmapLookupTable=true repack -adbq --no-write-bitmap-index &&
		stock -c pack.writeBitmapLookupTable=true repack -adbfq && same_walks 16:40
	) &&
	(cd stock-midx && stock multi-pack-index write --bitmap 2>/dev/null && same_walks 17:40)
'

test_done
