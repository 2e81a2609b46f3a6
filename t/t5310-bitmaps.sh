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

test_expect_success 'a type is left out, except objects that were named' '
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

test_expect_success 'readers warn about a bitmap of another pack, version or kind, and do not use it' '
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
				# the hash at the end and a part of the data before it may look like another bitmap
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
	    run = subprocess.run([walk, "--all"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=500)
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

# ---- pseudo-merges ----

# satisfied COMMAND...: how many pseudo-merges its walk has used
satisfied () {
	rm -f trace && GIT_TRACE2_EVENT="$PWD/trace" "$@" >found && sed -n "s/.*pseudo_merges_satisfied.,.value.:.\([0-9]*\).*/\1/p" trace
}

# Names of refs for each fifth commit, the oldest first: refs/<where>/N.
name_commits () {
	git rev-list --reverse --date-order --branches | awk "NR % $2 == 0 { print \"create refs/$1/\" NR \" \" \$1 }" | git update-ref --stdin
}

merges () {
	git -c bitmapPseudoMerge.all.pattern=refs/topics/ -c bitmapPseudoMerge.all.threshold=now \
		-c bitmapPseudoMerge.all.stableThreshold=now "$@"
}

test_expect_success 'pseudo-merges: a query for all of their commits is answered by them' '
	cp -R plain merged &&
	(
		cd merged && name_commits topics 5 && git for-each-ref refs/topics >refs && nr=$(wc -l <refs) && test $nr -ge 30 &&
		merges -c bitmapPseudoMerge.all.stableSize=20 multi-pack-index write --bitmap &&
		test "$(flags_of .git/objects/pack/*.bitmap)" = 0025 &&
		n=$(satisfied git rev-list --use-bitmap-index --objects --glob=refs/topics --count) && test "$n" = $(((nr + 19) / 20)) &&
		git rev-list --objects --glob=refs/topics --count >expect && test_cmp expect found &&
		: not if one of the commits is not asked for, nor what it alone reaches &&
		oldest=$(head -n 1 refs | cut -d" " -f1) && set -- $(tail -n +2 refs | cut -d" " -f1) &&
		satisfied git rev-list --use-bitmap-index --objects "$@" --count && git rev-list --objects "$@" --count >expect && test_cmp expect found &&
		test -z "$(satisfied git rev-list --use-bitmap-index --objects $oldest --count)" &&
		same_walks 20:60 &&
		satisfied git rev-list --use-bitmap-index --objects --all --not --glob=refs/topics >n && test_file_not_empty n &&
		"$HELPER/bitmap-walk" --plain --all --not $oldest "$@" | cut -d" " -f1 >expect && sort found >actual && test_cmp expect actual
	)
'

test_expect_success 'pseudo-merges: with a table and hashes, of one pack, of layers' '
	cp -R plain merged-pack && cp -R plain merged-layers &&
	(
		cd merged-pack && name_commits topics 5 && merges -c pack.writeBitmapLookupTable=true repack -adbq &&
		test "$(flags_of "$(bitmap_of)")" = 0035 && same_walks 21:60 &&
		n=$(satisfied git rev-list --use-bitmap-index --objects --glob=refs/topics --count) && test "$n" = 1
	) &&
	(
		cd merged-layers && name_commits topics 5 && merges multi-pack-index write --incremental --bitmap &&
		history 30 60 second && git rev-list --all --not --glob=refs/topics | sed -n "1~4p" |
			awk "{ print \"create refs/topics/x\" NR \" \" \$1 }" | git update-ref --stdin &&
		merges multi-pack-index write --incremental --bitmap && same_walks 22:60 &&
		n=$(satisfied git rev-list --use-bitmap-index --objects --glob=refs/topics --count) && test "$n" = 2 &&
		git rev-list --objects --glob=refs/topics --count >expect && test_cmp expect found
	)
'

test_expect_success 'pseudo-merges: of use when refs have moved on to commits that are in no pack' '
	(
		cd merged-pack && for r in $(git for-each-ref --format="%(refname)" refs/topics | sed -n "1~3p")
		do
			new=$(git commit-tree -p $r -m "on $r" $r^{tree}) && git update-ref $r $new || exit 1
		done &&
		n=$(satisfied git rev-list --use-bitmap-index --objects --glob=refs/topics --count) && test "$n" = 1 &&
		git rev-list --objects --glob=refs/topics --count >expect && test_cmp expect found
	)
'

# How many commits each of the pseudo-merges has, in the order of the file, with a dump of it.
cat >sizes.py <<\EOF
import struct, sys
b = open(sys.argv[1], "rb").read()
hash_len, objects = int(sys.argv[2]) // 2, int(sys.argv[3])
flags, = struct.unpack(">H", b[6:8])
end = len(b) - hash_len - (4 * objects if flags & 4 else 0)
number = lambda at, fmt: struct.unpack(fmt, b[at:at + struct.calcsize(fmt)])[0]
def bits(at):
    words = number(at + 4, ">I")
    v = struct.unpack(">%dQ" % words, b[at + 8:at + 8 + 8 * words])
    found, i, pos = [], 0, 0
    while i < words:
        run, literals = v[i] >> 1 & 0xffffffff, v[i] >> 33
        if v[i] & 1:
            found += range(pos, pos + 64 * run)
        pos += 64 * run
        for word in v[i + 1:i + 1 + literals]:
            found += [pos + k for k in range(64) if word >> k & 1]
            pos += 64
        i += 1 + literals
    return found
nr, commits, lookup, size = number(end - 24, ">I"), number(end - 20, ">I"), number(end - 16, ">Q"), number(end - 8, ">Q")
section = end - size
offsets = [number(end - 24 - 8 * (nr - i), ">Q") for i in range(nr)]
sets = {at: bits(at) for at in offsets}
print(*[len(sets[at]) for at in offsets])
# the tables lead from each commit to the pairs that have it, and from no other
wanted, found, last = {}, {}, -1
for at in offsets:
    for bit in sets[at]:
        wanted.setdefault(bit, []).append(at)
for i in range(commits):
    row = section + lookup + 12 * i
    bit, where = number(row, ">I"), number(row + 4, ">Q")
    assert bit > last
    last = bit
    if where >> 63:
        where &= (1 << 63) - 1
        n = number(where, ">I")
        assert n > 1
        found[bit] = [number(where + 4 + 8 * k, ">Q") for k in range(n)]
    else:
        found[bit] = [where]
assert wanted == found
EOF

test_expect_success PYTHON 'pseudo-merges: groups by pattern and age, tables for readers' '
	# more tips than get a bitmap of their own
	git init -q groups &&
	(
		cd groups && git config bulkCheckin.unpackLimit 1 && history 5 1700 && git update-ref -d refs/heads/none &&
		git rev-list --all >commits && awk "{ print \"create refs/topics/a/\" NR \" \" \$1 }" commits | git update-ref --stdin &&
		sed -n "1~7p" commits | awk "{ print \"create refs/topics/b/\" NR \" \" \$1 }" | git update-ref --stdin &&
		nr=$(wc -l <commits) && seventh=$(((nr + 6) / 7)) && git repack -adq && all=$(git count-objects -v | sed -n "s/^in-pack: //p") &&
		sizes_with () {
			rm -f .git/objects/pack/multi* && git -c bitmapPseudoMerge.x.pattern=refs/topics/ "$@" multi-pack-index write --bitmap &&
			python3 ../sizes.py "$(echo .git/objects/pack/multi*.bitmap)" $OID_HEXLEN $all >sizes && set -- $(cat sizes) && sum=0 && for n; do sum=$((sum + n)); done
		} &&
		stable="-c bitmapPseudoMerge.x.stableThreshold=now -c bitmapPseudoMerge.x.threshold=now" never="-c bitmapPseudoMerge.x.stableThreshold=never -c bitmapPseudoMerge.x.threshold=now" &&
		sizes_with $stable -c bitmapPseudoMerge.x.stableSize=600 && test "$(cat sizes)" = "600 600 $((nr - 1200))" &&
		sizes_with $stable -c bitmapPseudoMerge.x.stableSize=1000 -c bitmapPseudoMerge.x.pattern="refs/topics/(.)/" && test "$(cat sizes)" = "1000 $((nr - 1000)) $seventh" &&
		sizes_with $stable -c bitmapPseudoMerge.y.pattern=refs/topics/b && test "$sum" = $((nr + seventh)) &&
		: a pattern counts from the start of the name on &&
		rm -f .git/objects/pack/multi* && git -c bitmapPseudoMerge.x.pattern=topics $stable multi-pack-index write --bitmap &&
		test "$(flags_of .git/objects/pack/multi*.bitmap)" = 0005 &&
		: those that have no bitmap of their own, the most of the oldest &&
		sizes_with $never -c bitmapPseudoMerge.x.maxMerges=4 -c bitmapPseudoMerge.x.decay=0 && rest=$sum && test $rest -gt 100 && test $rest -lt $((nr - 900)) &&
		set -- $(cat sizes) && test $# = 4 && test $1 -le $(($4 + 1)) && test $1 -ge $(($4 - 1)) &&
		sizes_with $never -c bitmapPseudoMerge.x.maxMerges=4 && test $sum = $rest && set -- $(cat sizes) && test $# = 4 &&
		test $(($1 - 2 * $2)) -ge -3 && test $(($1 - 2 * $2)) -le 3 && test $(($1 - 4 * $4)) -ge -5 && test $(($1 - 4 * $4)) -le 5 &&
		sizes_with $never -c bitmapPseudoMerge.x.maxMerges=1 -c bitmapPseudoMerge.x.sampleRate=0.25 && test $sum -ge $((rest / 4)) && test $sum -le $((rest / 4 + 1)) &&
		sizes_with $never && set -- $(cat sizes) && test $# -le 64 && test $sum = $rest &&
		same_walks 23:20 &&
		n=$(satisfied git rev-list --use-bitmap-index --objects --glob=refs/topics --count) && test "$n" -gt 0 &&
		: too young, and none at all &&
		for args in "-c bitmapPseudoMerge.x.threshold=never -c bitmapPseudoMerge.x.stableThreshold=never" "$never -c bitmapPseudoMerge.x.maxMerges=0"
		do
			rm -f .git/objects/pack/multi* && git -c bitmapPseudoMerge.x.pattern=refs/topics/ $args multi-pack-index write --bitmap &&
			test "$(flags_of .git/objects/pack/multi*.bitmap)" = 0005 || exit 1
		done
	)
'

test_expect_success 'pseudo-merges: bad settings' '
	(
		cd merged && write () { git -c bitmapPseudoMerge.all.pattern=refs/ "$@" multi-pack-index write --bitmap; } &&
		for case in "decay=-1 non-negative" "sampleRate=0 between 0 .exclusive. and 1" "sampleRate=1.5 between 0" "maxMerges=-1 non-negative" \
			"stableSize=0 positive"
		do
			rm -f .git/objects/pack/multi* && key=${case%%=*} && value=${case#*=} && value=${value%% *} && text=${case#* } &&
			write -c bitmapPseudoMerge.all.$key=$value 2>err && test_grep "^warning: bitmappseudomerge[.]all[.].* must be $text.*, using default$" err || exit 1
		done &&
		for key in decay sampleRate maxMerges stableSize threshold stableThreshold
		do
			rm -f .git/objects/pack/multi* && test_expect_code 255 write -c bitmapPseudoMerge.all.$key=xyz 2>err && test_grep "^error: .*xyz" err || exit 1
		done &&
		test_expect_code 255 write -c bitmapPseudoMerge.all.decay=nan 2>err && test_expect_code 255 write -c bitmapPseudoMerge.all.decay=1e999 &&
		test_expect_code 255 write -c "bitmapPseudoMerge.all.pattern=a(b" 2>err && test_grep "failed to load pseudo-merge regex for all" err &&
		test_expect_code 255 write -c bitmapPseudoMerge.other.decay=2 2>err && test_grep "pseudo-merge group .other. missing required pattern" err &&
		test_expect_code 255 write -c bitmapPseudoMerge.all.threshold=1.month.ago -c bitmapPseudoMerge.all.stableThreshold=1.day.ago \
			2>err && test_grep "pseudo-merge group .all. has unstable threshold before stable one" err &&
		ls .git/objects/pack >files && test_grep ! "multi\|tmp" files
	)
'

test_expect_success 'objects without a type: told and not used' '
	cp -R base untyped &&
	(
		# the first bitmap of types, of commits: one literal word loses a bit
		cd untyped && bitmap=$(bitmap_of) && chmod u+w $bitmap && raw=$((OID_HEXLEN / 2)) && at=$((12 + raw + 8)) &&
		while word=$(od -An -tx1 -j$at -N8 $bitmap | tr -d " ") && test "$word" = 0000000000000000; do at=$((at + 8)); done &&
		at=$((at + 8 + 7)) && byte=$(od -An -tu1 -j$at -N1 $bitmap | tr -d " ") && printf "\\$(printf %o $((byte ^ 1)))" |
			dd of=$bitmap bs=1 seek=$at conv=notrunc 2>/dev/null &&
		no_bitmaps 2>err && test_grep "objects do not have one type each" err
	)
'

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

test_expect_success STOCK_GIT 'bitmaps of stock Git can be read' '
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
