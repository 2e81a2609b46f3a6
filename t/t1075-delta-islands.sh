#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='delta islands: pack-objects --delta-islands, repack -i, pack.island, pack.islandCore'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

# put PATH SEED NR: a file of the index $GIT_INDEX_FILE
put () {
	blob=$(lines $2 $3 | git -C net hash-object -w --stdin) &&
	git -C net update-index --add --cacheinfo 100644,$blob,"$1"
}

# fork ID START NR: so many commits of its own upon START, each with a larger text
fork () {
	local tip
	tip=$(git -C net rev-parse $2) && GIT_INDEX_FILE=$PWD/index.$1 && export GIT_INDEX_FILE &&
	git -C net read-tree $tip &&
	for n in $(seq $3); do
		put text $(($1 * 100 + n)) $((210 + n)) && put dir/sub/text.c $(($1 * 50 + n)) 85 &&
		tree=$(git -C net write-tree) && test_tick && tip=$(git -C net commit-tree -m $n -p $tip $tree) || return 1
	done &&
	unset GIT_INDEX_FILE && git -C net update-ref refs/virtual/$1/heads/main $tip
}

# island NAME REV...: what it has, into in.NAME
island () {
	local name=$1 && shift && git -C net rev-list --objects "$@" >reached && cut -d" " -f1 reached | sort -u >in.$name
}

# bad_deltas REPO NAME...: how many deltas have a base that is not in an island that they are in
bad_deltas () {
	local repo=$1 name && shift &&
	git -C $repo cat-file --batch-all-objects --batch-check="%(objectname) %(deltabase)" >deltas &&
	for name in "$@"; do
		awk -v zero=$ZERO_OID "NR == FNR { has[\$1] = 1; next }
			\$2 != zero && (\$1 in has) && !(\$2 in has)" in.$name deltas || return 1
	done >bad.deltas && wc -l <bad.deltas | tr -d " "
}

nr_deltas () {
	git -C $1 cat-file --batch-all-objects --batch-check="%(deltabase)" | grep -cv $ZERO_OID
}

# packed OPTIONS: the pack of all of net makes the repository `new`; PACK_CONFIG: of git
packed () {
	rm -rf out && mkdir out && git -C net $PACK_CONFIG pack-objects --delta-base-offset --all "$@" "$PWD/out/pack" </dev/null >names &&
	repo_of out/pack new
}

EACH='-c pack.island=refs/virtual/([0-9]+)/'

test_expect_success 'setup: three forks, the second of the first, the third with a merge; all of main in a directory' '
	make_history net 30 &&
	fork 9 HEAD~4 6 && side=$(git -C net rev-parse refs/virtual/9/heads/main) && git -C net update-ref -d refs/virtual/9/heads/main &&
	fork 1 HEAD~6 5 && fork 2 refs/virtual/1/heads/main~2 6 && fork 3 HEAD 4 && tip=$(git -C net rev-parse refs/virtual/3/heads/main) &&
	git -C net update-ref refs/virtual/3/heads/main $(git -C net commit-tree -m merge -p $tip -p $side $tip^{tree}) &&
	GIT_INDEX_FILE=$PWD/index.4 && export GIT_INDEX_FILE &&
	git -C net read-tree --prefix=a/b/c/ HEAD && put text 7 205 &&
	git -C net update-ref refs/virtual/4/heads/main $(git -C net commit-tree -m deep $(git -C net write-tree)) &&
	unset GIT_INDEX_FILE &&
	for id in 1 2 3 4; do island $id refs/virtual/$id/heads/main || return 1; done &&
	git -C net cat-file --batch-all-objects --batch-check="%(objectname)" >oids && all_of net >all
'

test_expect_success 'without islands deltas cross their borders' '
	PACK_CONFIG= && packed && test $(bad_deltas new 1 2 3 4) -gt 20 && free=$(nr_deltas new) &&
	cp out/pack-*.pack free.pack && rm -rf crossing && mkdir crossing && cp out/* crossing/ &&
	PACK_CONFIG=$EACH && packed && test_cmp_bin free.pack out/pack-$(cat names).pack &&
	PACK_CONFIG= && packed --delta-islands && test_cmp_bin free.pack out/pack-$(cat names).pack
'

test_expect_success 'with islands no base is outside an island of the object; nearly as many are deltas' '
	PACK_CONFIG=$EACH && packed --delta-islands && test $(bad_deltas new 1 2 3 4) = 0 &&
	all_of new >actual && test_cmp_bin all actual && git -C new fsck &&
	test $(nr_deltas new) -gt $((free * 9 / 10)) &&
	for opts in --no-reuse-delta --window=50 --depth=2 --max-pack-size=1m; do
		packed --delta-islands $opts && test $(bad_deltas new 1 2 3 4) = 0 || return 1
	done && packed --delta-islands --depth=2 && test $(chain_depth new) = 2
'

# What a fork has of its own is larger, and comes before what all have if only sizes count.
test_expect_success 'an object of few islands becomes a delta of one in more islands' '
	PACK_CONFIG=$EACH && packed --delta-islands && own=$(git -C net rev-parse refs/virtual/3/heads/main:text) &&
	git -C new cat-file --batch-all-objects --batch-check="%(objectname) %(deltabase)" >deltas &&
	for id in 1 2 3; do
		for other in 1 2 3 4; do test $other = $id || cat in.$other; done | sort -u >others && comm -23 in.$id others >own &&
		awk -v zero=$ZERO_OID "NR == FNR { own[\$1] = 1; next } (\$1 in own) && !(\$2 in own) && \$2 != zero" own deltas >crossing.$id &&
		test_file_not_empty crossing.$id || return 1
	done
'

test_expect_success 'deltas of packs are used again within islands, and cut between them' '
	mv net/.git/objects net/.git/loose && mkdir net/.git/objects && mkdir net/.git/objects/pack net/.git/objects/info &&
	cp crossing/* net/.git/objects/pack/ && test $(bad_deltas net 1 2 3 4) -gt 20 &&
	PACK_CONFIG=$EACH && rm -rf out && mkdir out &&
	git -C net $EACH pack-objects --delta-base-offset --all --delta-islands --progress "$PWD/out/pack" </dev/null >names 2>err &&
	test_grep "^Marked 4 islands, done" err && test_grep "reused [1-9][0-9]* (delta [1-9]" err &&
	repo_of out/pack new && test $(bad_deltas new 1 2 3 4) = 0 && all_of new >actual && test_cmp_bin all actual &&
	git -C net pack-objects --stdout --all --delta-base-offset --progress </dev/null 2>err >x.pack &&
	kept=$(sed -n "s/^Total.*reused.*(delta \([0-9]*\)).*/\1/p" err) && test $kept = $free
'

test_expect_success 'once packed with islands, all deltas are used again' '
	test $(nr_deltas new) -gt $((free * 9 / 10)) && rm -rf again && git init -q again && cp out/* again/.git/objects/pack/ &&
	git -C net for-each-ref --format="create %(refname) %(objectname)" >refs && git -C again update-ref --stdin <refs &&
	n=$(nr_deltas again) && mkdir out3 &&
	git -C again $EACH pack-objects --delta-base-offset --all --delta-islands --progress "$PWD/out3/pack" </dev/null 2>err >names &&
	test_grep "^Total [0-9]* (delta $n), reused [0-9]* (delta $n)" err
'

test_expect_success 'bitmaps find objects; what they would copy is looked at' '
	git -C net repack -q -a -d -b --window=50 && test $(bad_deltas net 1 2 3 4) -gt 20 && ls net/.git/objects/pack/*.bitmap &&
	git -C net $EACH pack-objects --stdout --all --delta-base-offset --delta-islands </dev/null >x.pack &&
	rm -rf new && git init -q new && git -C new index-pack --stdin <x.pack && test $(bad_deltas new 1 2 3 4) = 0 &&
	all_of new >actual && test_cmp_bin all actual
'

test_expect_success 'lists of names, packs: islands count there, too' '
	git -C net $EACH pack-objects --stdout --delta-islands <oids >x.pack &&
	rm -rf new && git init -q new && git -C new index-pack --stdin <x.pack && test $(bad_deltas new 1 2 3 4) = 0 &&
	ls net/.git/objects/pack | grep "pack$" >list && git -C net $EACH pack-objects --stdin-packs --stdout --delta-islands <list >x.pack &&
	rm -rf new && git init -q new && git -C new index-pack --stdin <x.pack && test $(bad_deltas new 1 2 3 4) = 0 &&
	all_of new >actual && test_cmp_bin all actual
'

test_expect_success 'the pack does not depend on the number of threads' '
	for n in 1 2 5; do
		PACK_CONFIG=$EACH && packed --delta-islands --no-reuse-delta --threads=$n && cat names || return 1
	done >out.threads && sort -u out.threads >unique && test_line_count = 1 unique
'

# first_objects NR: of the pack in out/
first_objects () {
	git show-index --object-format=$TEST_HASH <out/pack-$(cat names).idx | sort -n | sed $1q | cut -d" " -f2 | sort
}

test_expect_success 'pack.islandCore: its objects come first' '
	nr=$(wc -l <in.2) && PACK_CONFIG="$EACH -c pack.islandCore=2" &&
	packed --delta-islands && first_objects $nr >first && test_cmp in.2 first && test $(bad_deltas new 1 2 3 4) = 0 &&
	packed && first_objects $nr >first && test_must_fail cmp -s in.2 first &&
	packed --delta-islands --no-reuse-delta --max-pack-size=1m && first_objects $nr >first && test_cmp in.2 first &&
	git -C net $EACH -c pack.islandCore=2 pack-objects --delta-islands --stdout --all --delta-base-offset </dev/null >out/pack-$(cat names).pack &&
	git index-pack --object-format=$TEST_HASH -o x.idx out/pack-$(cat names).pack && mv x.idx out/pack-$(cat names).idx &&
	first_objects $nr >first && test_cmp in.2 first &&
	PACK_CONFIG="$EACH -c pack.islandCore=none" && packed --delta-islands && cat names >one &&
	PACK_CONFIG=$EACH && packed --delta-islands && test_cmp one names
'

# ---- names of islands ----

test_expect_success 'setup: two commits whose blobs are alike, under names that tests choose' '
	git init -q two && lines 1 300 >one && lines 2 301 >other && for f in one other; do
		blob=$(git -C two hash-object -w "$PWD/$f") && tree=$(printf "100644 blob %s\tf\n" $blob | git -C two mktree) &&
		git -C two commit-tree -m $f $tree || return 1
	done >commits
'

# In x.pack
nr_delta_blobs () {
	rm -rf new && git init -q new && git -C new index-pack --stdin <x.pack >/dev/null &&
	git -C new cat-file --batch-all-objects --batch-check="%(objecttype) %(deltabase)" | grep "^blob" | grep -cv $ZERO_OID
}

# island_case TOGETHER REF REF VALUE...: 1: both refs are in one island, so that one blob is a delta of the other
island_case () {
	local together=$1 a=$2 b=$3 value config= && shift 3 &&
	git -C two for-each-ref --format="delete %(refname)" >del && git -C two update-ref --stdin <del &&
	git -C two update-ref $a $(sed -n 1p commits) && git -C two update-ref $b $(sed -n 2p commits) &&
	for value in "$@"; do config="$config -c pack.island=$value"; done &&
	git -C two $config pack-objects --all --delta-islands --stdout </dev/null >x.pack && test $(nr_delta_blobs) = $together
}

test_expect_success 'names are what groups have matched, joined by dashes' '
	island_case 0 refs/x/a refs/x/b "refs/x/(.)" &&
	island_case 1 refs/x/a refs/x/b "refs/x/" &&
	island_case 1 refs/x/a refs/x/b "refs/(x)/." &&
	island_case 0 refs/x/aa refs/x/a "refs/x/(a)(a)?" &&
	island_case 1 refs/x/aa refs/x/a-a "refs/x/(a)(a)" "refs/x/(a-a)" &&
	island_case 0 refs/x/ab refs/x/-b "refs/x/a()(b)" "refs/x/(-b)" &&
	island_case 1 refs/x/ab refs/x/b "refs/x/a()(b)" "refs/x/(b)" &&
	island_case 1 refs/x/ab refs/x/b- "refs/x/a(b)()" "refs/x/(b-)" &&
	island_case 0 refs/x/ab refs/x/b "refs/x/a(b)()" "refs/x/(b)" &&
	island_case 1 refs/x/ab refs/x/b "refs/x/a(b)(q)?" "refs/x/(b)" &&
	island_case 0 refs/x/ab refs/x/b- "refs/x/a(b)(q)?" "refs/x/(b-)"
'

test_expect_success 'several values: the last that matches counts; they match from the left; no island, any base' '
	island_case 0 refs/x/a refs/x/b "refs/x/" "refs/x/(.)" &&
	island_case 1 refs/x/a refs/x/b "refs/x/(.)" "refs/x/" &&
	island_case 0 refs/x/a refs/x/b "refs/x/(.)" "refs/y/" &&
	island_case 1 refs/x/a refs/x/b "x/(.)" && island_case 1 refs/x/a refs/y/b "refs/x/(.)"
'

test_expect_success 'an object of no island is no base for an object of one' '
	git -C two for-each-ref --format="delete %(refname)" >del && git -C two update-ref --stdin <del &&
	git -C two update-ref refs/in $(sed -n 1p commits) && git -C two update-ref refs/out $(sed -n 2p commits) &&
	git -C two -c pack.island=refs/in pack-objects --all --delta-islands --stdout </dev/null >x.pack && rm -rf new && git init -q new &&
	git -C new index-pack --stdin <x.pack &&
	in=$(git -C two rev-parse refs/in:f) && out=$(git -C two rev-parse refs/out:f) &&
	test $(echo $out | git -C new cat-file --batch-check="%(deltabase)") = $in &&
	git -C two -c pack.island=refs/out pack-objects --all --delta-islands --stdout </dev/null >x.pack && rm -rf new && git init -q new &&
	git -C new index-pack --stdin <x.pack && test $(echo $in | git -C new cat-file --batch-check="%(deltabase)") = $out
'

# The repack of both has not tried it, since it was the other way round.
test_expect_success 'a whole object of a pack becomes a delta of one that was its delta' '
	rm -rf turned && git init -q turned && git -C two pack-objects --all --stdout </dev/null >x.pack && git -C turned index-pack --stdin <x.pack &&
	test $(echo $in | git -C turned cat-file --batch-check="%(deltabase)") = $out && git -C turned update-ref refs/a/x $(sed -n 1p commits) &&
	git -C turned update-ref refs/b/x $(sed -n 1p commits) && git -C turned update-ref refs/b/y $(sed -n 2p commits) &&
	git -C turned -c "pack.island=refs/(.)" pack-objects --all --delta-islands --stdout </dev/null >x.pack && test $(nr_delta_blobs) = 1 &&
	test $(echo $out | git -C new cat-file --batch-check="%(deltabase)") = $in
'

test_expect_success 'a blob that two histories share otherwise is in both islands' '
	rm -rf shared && git init -q shared && both=$(echo both | git -C shared hash-object -w --stdin) && for f in one other; do
		blob=$(git -C shared hash-object -w "$PWD/$f") &&
		tree=$(printf "100644 blob %s	f
100644 blob %s	g
" $blob $both | git -C shared mktree) &&
		git -C shared update-ref refs/x/$f $(git -C shared commit-tree -m $f $tree) || return 1
	done &&
	for f in one other; do
		rm -rf out && mkdir out && git -C shared -c "pack.island=refs/x/(.*)" -c pack.islandCore=$f pack-objects --all --delta-islands "$PWD/out/pack" </dev/null >names &&
		first_objects 4 >first && git -C shared rev-list --objects refs/x/$f | cut -d" " -f1 | sort >expect && test_cmp expect first || return 1
	done
'

test_expect_success 'refs that name tags, trees and blobs; a tag of a tag' '
	git -C two for-each-ref --format="delete %(refname)" >del && git -C two update-ref --stdin <del &&
	git -C two tag -a -m t t1 $(sed -n 1p commits) && git -C two tag -a -m t t2 t1 && git -C two tag -d t1 &&
	git -C two update-ref refs/none/x $(git -C two rev-parse $(sed -n 1p commits):f) &&
	deltas () { git -C two -c "pack.island=refs/(tags|odd)/" pack-objects --all --delta-islands --stdout </dev/null >x.pack && nr_delta_blobs; } &&
	for what in $(sed -n 2p commits) $(sed -n 2p commits)^{tree} $(sed -n 2p commits):f; do
		git -C two update-ref refs/odd/x $(git -C two rev-parse $what) && test $(deltas) = 0 &&
		git -C two update-ref refs/tags/x $(git -C two rev-parse $what) && test $(deltas) = 1 && git -C two update-ref -d refs/tags/x || return 1
	done
'

test_expect_success 'bad values' '
	test_must_fail git -C two -c "pack.island=refs/(" pack-objects --all --delta-islands --stdout </dev/null >x 2>err &&
	test_grep "failed to load island regex for .pack.island.: ^refs/(" err &&
	test_must_fail git -C two -c pack.island pack-objects --all --delta-islands --stdout </dev/null >x 2>err && test_grep "missing value for .pack.island." err &&
	test_must_fail git -C two -c pack.islandCore pack-objects --all --delta-islands --stdout </dev/null >x 2>err && test_grep "missing value for .pack.islandcore." err &&
	git -C two -c "pack.island=refs/(" pack-objects --all --stdout </dev/null >x &&
	git -C two -c "pack.island=(r)(e)(f)(s)(/)(t)(a)()()()()()()()()" pack-objects --all --delta-islands --stdout </dev/null >x 2>err &&
	test_grep "warning: island regex from config has too many capture groups (max=14)" err &&
	git -C two -c "pack.island=(r)(e)(f)(s)(/)(t)(a)()()()()()()()" pack-objects --all --delta-islands --stdout </dev/null >x 2>err &&
	test_must_be_empty err &&
	git -C two pack-objects --all --delta-islands --path-walk --stdout </dev/null >x 2>err && test_grep "cannot use --delta-islands with --path-walk" err
'

test_expect_success 'a tree or a commit that is missing takes nothing along' '
	rm -rf hole && git init -q hole && rm -rf hole/.git/objects && cp -R net/.git/loose hole/.git/objects &&
	git -C net for-each-ref --format="create %(refname) %(objectname)" >refs && git -C hole update-ref --stdin <refs &&
	for gone in refs/virtual/1/heads/main:dir refs/virtual/2/heads/main~1; do
		o=$(git -C net rev-parse $gone) && rm -f hole/.git/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-) || return 1
	done &&
	git -C hole $EACH pack-objects --all --delta-islands --missing=allow-any --stdout </dev/null >x.pack && rm -rf new && git init -q new &&
	git -C new index-pack --stdin <x.pack && test $(bad_deltas new 3 4) = 0 &&
	test_must_fail git -C hole $EACH pack-objects --all --delta-islands --stdout </dev/null >x.pack
'

# ---- repack ----

test_expect_success 'repack -i, --delta-islands, repack.useDeltaIslands' '
	git -C net config pack.island "refs/virtual/([0-9]+)/" &&
	again () { rm -rf net/.git/objects/pack net/.git/objects/info/* && mkdir net/.git/objects/pack && cp crossing/* net/.git/objects/pack/; } &&
	for how in "repack -q -a -d -i" "repack -q -a -d --delta-islands" "-c repack.useDeltaIslands=true repack -q -a -d" \
		"repack -q -A -d -i" "repack -q --cruft -d -i" "-c repack.useDeltaIslands=true gc -q"; do
		again && test $(bad_deltas net 1 2 3 4) -gt 20 && git -C net $how && test $(bad_deltas net 1 2 3 4) = 0 || return 1
	done && all_of net >actual && test_cmp_bin all actual && git -C net fsck &&
	again && git -C net -c repack.useDeltaIslands=true repack -q -a -d --no-delta-islands && test $(bad_deltas net 1 2 3 4) -gt 20
'

test_expect_success 'repack -i of packs beside a kept one, of new objects, of the smallest packs' '
	again && git -C net repack -q -a -d -i && pack=$(ls net/.git/objects/pack/*.pack) && >${pack%.pack}.keep &&
	for f in 5 6; do fork $f refs/virtual/$((f - 4))/heads/main~3 4 || return 1; done &&
	git -C net update-ref refs/virtual/6/heads/other refs/virtual/5/heads/main~1 &&
	for id in 5 6; do island $id --glob=refs/virtual/$id/* || return 1; done &&
	for how in "-a -d" "-d" "-d -g2"; do
		rm -rf copy && cp -R net copy && git -C copy repack -q -i $how && mv copy/${pack#net/} kept.pack &&
		test $(ls copy/.git/objects/pack/*.pack | wc -l) = 1 && rm -rf new && git init -q new &&
		git -C new index-pack --stdin <$(ls copy/.git/objects/pack/*.pack) && test $(nr_deltas new) -gt 4 &&
		test $(bad_deltas new 1 2 3 4 5 6) = 0 || return 1
	done
'

test_done
