#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects --cruft: what nothing leads to, with its times'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

P=.git/objects/pack

# age OID SECONDS: its loose file is so old
age () {
	touch -d "@$(($(date +%s) - $2))" "repo/.git/objects/$(echo $1 | sed "s|^..|&/|")"
}

# times NAME: "OID MTIME" of each object, in the order of the index
times_of () {
	git -C repo show-index <repo/$P/pack-$1.idx | cut -d" " -f2 | sort >names.$1 &&
	od -An -v -tu1 -w4 -j12 repo/$P/pack-$1.mtimes |
	awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }' | head -n $(wc -l <names.$1) |
	paste -d" " names.$1 -
}

cruft () {
	git -C repo pack-objects --cruft --delta-base-offset "$@" $P/pack
}

day=86400

test_expect_success 'setup' '
	make_history repo 10 &&
	keep=$(git -C repo pack-objects --all $P/pack </dev/null) &&
	find repo/.git/objects -path "*/??/*" -type f -exec rm -f {} + &&
	old=$(echo old | git -C repo hash-object -w --stdin) &&
	young=$(echo young | git -C repo hash-object -w --stdin) &&
	needed=$(lines 5000 200 | git -C repo hash-object -w --stdin) &&
	tree=$(printf "100644 blob $needed\tneeded\n" | git -C repo mktree) &&
	commit=$(echo gone | git -C repo commit-tree $tree -p HEAD) &&
	age $old $((30 * day)) && age $needed $((40 * day)) && age $tree $((40 * day)) &&
	age $young $day && age $commit $((2 * day))
'

test_expect_success 'all that the pack that stays does not have' '
	echo pack-$keep.pack >list && all=$(cruft <list) &&
	times_of $all >actual && cut -d" " -f1 actual >ids &&
	printf "%s\n" $old $young $needed $tree $commit | sort >want && test_cmp want ids &&
	now=$(date +%s) && t=$(sed -n "s/^$old //p" actual) &&
	test $((now - t)) -ge $((30 * day)) && test $((now - t)) -lt $((30 * day + 1000)) &&
	git -C repo fsck --full
'

test_expect_success 'a pack that is not listed stays, too' '
	none=$(cruft </dev/null) && git -C repo show-index <repo/$P/pack-$none.idx >listed && test_must_be_empty listed &&
	rm -f repo/$P/pack-$none.*
'

test_expect_success 'older objects go, unless a younger one leads to them' '
	printf "pack-$keep.pack\n-pack-$all.pack\n" >list &&
	some=$(cruft --cruft-expiration=2.weeks.ago <list) &&
	times_of $some >actual && cut -d" " -f1 actual >ids &&
	printf "%s\n" $young $needed $tree $commit | sort >want && test_cmp want ids &&
	rm -f repo/$P/pack-$some.*
'

test_expect_success 'times are taken over from the cruft pack that goes' '
	find repo/.git/objects -path "*/??/*" -type f -exec rm -f {} + &&
	times_of $all >before &&
	printf "pack-$keep.pack\n-pack-$all.pack\n" >list &&
	extra=$(echo extra | git -C repo hash-object -w --stdin) && age $extra $((50 * day)) &&
	next=$(cruft <list) && times_of $next | grep -v "^$extra " >after && test_cmp before after &&
	times_of $next | grep "^$extra "
'

test_expect_success 'a touched loose copy is younger' '
	echo old | git -C repo hash-object -w --stdin && loose=repo/.git/objects/$(echo $old | sed "s|^..|&/|") &&
	mkdir -p $(dirname $loose) && rm -rf other && git init -q other &&
	echo old | git -C other hash-object -w --stdin && cp other/.git/objects/$(echo $old | sed "s|^..|&/|") $loose &&
	age $old $((3 * day)) &&
	printf "pack-$keep.pack\n-pack-$all.pack\n-pack-$next.pack\n" >list && third=$(cruft <list) &&
	t=$(times_of $third | sed -n "s/^$old //p") && test $(($(date +%s) - t)) -lt $((4 * day))
'

test_expect_success STOCK_GIT 'stock git makes the same of it' '
	printf "pack-$keep.pack\n-pack-$all.pack\n-pack-$next.pack\n-pack-$third.pack\n" | sort -u >list &&
	weeks=$(date -d "@$(($(date +%s) - 14 * day))" +%Y-%m-%dT%H:%M:%S) &&
	a_day=$(date -d "@$(($(date +%s) - day - day / 2))" +%Y-%m-%dT%H:%M:%S) &&
	cp -a repo saved && for opts in "" --cruft-expiration=$weeks --cruft-expiration=$a_day; do
		ours=$(cruft $opts <list) && times_of $ours >ours.times &&
		rm -rf repo && cp -a saved repo &&
		theirs=$(stock -C repo pack-objects -q --cruft $opts $P/pack <list) && times_of $theirs >theirs.times &&
		rm -rf repo && cp -a saved repo && test_cmp theirs.times ours.times || return 1
	done
'

test_expect_success 'bad input' '
	echo pack-none.pack >list && test_must_fail git -C repo pack-objects --cruft $P/pack <list 2>err &&
	test_grep "could not find" err &&
	test_must_fail git -C repo pack-objects --cruft --all $P/pack </dev/null 2>err && test_grep cruft err &&
	test_must_fail git -C repo pack-objects --cruft --stdout </dev/null 2>err && test_grep stdout err &&
	test_expect_code 129 git -C repo pack-objects --cruft-expiration=nonsense $P/pack </dev/null &&
	chmod u+w repo/$P/pack-$all.mtimes && head -c 40 repo/$P/pack-$all.mtimes >short && cp short repo/$P/pack-$all.mtimes &&
	printf -- "-pack-$all.pack\n" >list && test_must_fail git -C repo pack-objects --cruft $P/pack <list 2>err &&
	test_grep "mtimes file .*malformed" err
'

# If the age of an object is unknown, nothing is removed.
test_expect_success 'times that are cut at every length, or of another kind' '
	rm -rf cut && git init -q cut && (
		cd cut && for i in 1 2 3 4 5; do echo $i | git hash-object -w --stdin || exit; done >../ids &&
		touch -d yesterday .git/objects/??/* && git repack -q -d --cruft && git prune-packed && chmod u+w $P/*
	) && f=$(ls cut/$P/*.mtimes) && cp $f whole && size=$(wc -c <whole) && test $size -gt 70 && sort ids >wanted && n=0 &&
	refused () {
		for how in "repack -q -d --cruft --cruft-expiration=1.hour" "gc -q --prune=1.hour" "gc -q --no-cruft --prune=1.hour"; do
			git -C cut $how 2>err
			code=$?
			git -C cut cat-file --batch-all-objects --batch-check="%(objectname)" >there && test_cmp wanted there || return
			test $code = 128 && test_grep "mtimes file .* \($1\)" err || return
		done
	} &&
	while test $n -lt $size; do
		head -c $n whole >$f && refused "is malformed" || { echo "cut at $n"; return 1; }
		{ head -c $n whole && tail -c +$((n + 1)) whole | head -c 1 | tr "\000-\377" "\001-\377\000" && tail -c +$((n + 2)) whole; } >$f &&
		refused "is malformed\|has an unknown version\|belongs to another pack\|has a wrong checksum" || { echo "changed at $n"; return 1; }
		n=$((n + 1))
	done &&
	{ cat whole && echo; } >$f && refused "is malformed" && cp whole $f &&
	git -C cut repack -q -d --cruft --cruft-expiration=1.hour && git -C cut cat-file --batch-all-objects --batch-check >there &&
	test_must_be_empty there
'

test_done
