#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects: packs that are followed, objects left behind in packs, objects that go by URI'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

# names <OIDS: as "setup" calls them
names () {
	while read oid; do sed -n "s/^$oid //p" known; done | sort | tr "\n" " " | sed "s/ \$//"
}

in_pack () {
	rm -f x.idx && git -C r index-pack -o "$PWD/x.idx" "$PWD/x.pack" >/dev/null && git show-index --object-format=$TEST_HASH <x.idx | cut -d" " -f2
}

# Each of the packs $p1 to $p5 has a commit (c), its tree (t), and of that one directory (d) and its file (f).
test_expect_success 'setup: five commits, each in a pack of its own' '
	git init -q r && >known && for i in 1 2 3 4 5; do
		mkdir r/d$i && echo $i >r/d$i/f && git -C r add . && test_tick && git -C r commit -qm $i && for what in c$i: t$i:^{tree} d$i::d$i f$i::d$i/f; do
			echo "$(git -C r rev-parse HEAD${what#*:}) ${what%%:*}" >>known || return 1
		done
	done && git -C r tag -a -m t tag HEAD~2 && echo "$(git -C r rev-parse tag) tag" >>known &&
	for i in 1 2 3 4 5; do
		grep "[ctdf]$i\$" known | cut -d" " -f1 | git -C r pack-objects -q .git/objects/pack/pack >name && eval p$i=pack-$(cat name).pack || return 1
	done && git -C r rev-parse tag | git -C r pack-objects -q .git/objects/pack/pack >name && ptag=pack-$(cat name).pack && git -C r prune-packed
'

# followed EXPECT PACK...; $MODE: options
followed () {
	local expect=$1 pack && shift && for pack in "$@"; do echo $pack; done >list &&
	git -C r pack-objects --stdin-packs=follow $MODE --stdout <list >x.pack && in_pack >oids && echo "$expect" >expect && echo "$(names <oids)" >actual && test_cmp expect actual
}

test_expect_success '--stdin-packs=follow: what commits lead to comes along, but for what excluded packs have' '
	MODE= && all="c1 c2 c3 c4 c5 d1 d2 d3 d4 d5 f1 f2 f3 f4 f5 t1 t2 t3 t4 t5" && followed "$all" $p5 &&
	followed "c1 c2 c3 d1 d2 d3 f1 f2 f3 t1 t2 t3" $p3 &&
	followed "c1 c2 c4 c5 d1 d2 d4 d5 f1 f2 f4 f5 t1 t2 t4 t5" $p5 ^$p3 && followed "$all" $p5 ^$ptag && followed tag $ptag &&
	followed "c1 c2 c3 c4 d1 d2 d3 d4 f1 f2 f3 f4 t1 t2 t3 t4" $p5 ^$p5
'

test_expect_success 'packs with "!": their commits are followed, too; nothing behind packs with "^"' '
	followed "c1 c2 c4 c5 d1 d2 d4 d5 f1 f2 f4 f5 t1 t2 t4 t5" $p5 !$p3 &&
	followed "c1 c2 d1 d2 f1 f2 t1 t2" !$p3 && followed "" !$p1 && followed "" !$ptag &&
	followed "c4 c5 d1 d4 d5 f1 f4 f5 t4 t5" $p5 !$p3 ^$p2 &&
	followed "c1 c2 c5 d1 d2 d5 f1 f2 f5 t1 t2 t5" $p5 !$p3 ^$p4 &&
	pd2=pack-$(git -C r rev-parse HEAD:d2 | git -C r pack-objects -q .git/objects/pack/pack).pack &&
	followed "c2 c3 c4 c5 d3 d4 d5 f3 f4 f5 t2 t3 t4 t5" $p5 !$p1 ^$pd2 && rm -f r/.git/objects/pack/${pd2%.pack}.* &&
	echo "!$p3" | test_must_fail git -C r pack-objects --stdin-packs --stdout >x.pack 2>err && test_grep "could not find pack .!$p3" err &&
	echo "!pack-none.pack" | test_must_fail git -C r pack-objects --stdin-packs=follow --stdout >x.pack 2>err && test_grep "could not find pack .pack-none.pack" err &&
	test_expect_code 129 git -C r pack-objects --stdin-packs=other --stdout </dev/null >x.pack 2>err
'

test_expect_success 'missing objects are passed over; loose ones are found' '
	mkdir away && mv r/.git/objects/pack/${p2%.pack}.* away/ && followed "c3 c4 c5 d1 d3 d4 d5 f1 f3 f4 f5 t3 t4 t5" $p5 &&
	git -C r unpack-objects -q <away/$p2 && followed "$all" $p5 &&
	blob=$(git -C r rev-parse HEAD:d2/f) && rm -f r/.git/objects/$(echo $blob | sed "s|..|&/|") && followed "${all% f2*} ${all#* f2 }" $p5 && mv away/* r/.git/objects/pack/ && git -C r prune-packed
'

test_expect_success '--stdin-packs --unpacked: loose objects as well, and what their commits lead to' '
	lost=$(echo lost | git -C r hash-object -w --stdin) && echo "$lost lost" >>known &&
	new=$(git -C r commit-tree -m new -p HEAD~2 HEAD^{tree}) && echo "$new new" >>known &&
	echo $p1 | git -C r pack-objects --stdin-packs --unpacked --stdout >x.pack && in_pack >oids && test "$(names <oids)" = "c1 d1 f1 lost new t1" &&
	echo $p1 | git -C r pack-objects --stdin-packs --stdout >x.pack && in_pack >oids && test "$(names <oids)" = "c1 d1 f1 t1" &&
	followed "c1 d1 f1 t1" $p1 && MODE=--unpacked && followed "c1 c2 c3 d1 d2 d3 d4 d5 f1 f2 f3 f4 f5 lost new t1 t2 t3 t5" $p1
'

# ---- --unpack-unreachable ----

# aged HOURS FILE...
aged () {
	local hours=$1 && shift && perl -e "\$t = time - 3600 * shift; utime(\$t, \$t, @ARGV) or die" $hours "$@"
}

# loose REPO: names of loose objects, and their ages in hours
loose () {
	find $1/.git/objects -path "*/??/*" -type f | while read f; do
		echo "$(sed -n "s/^$(echo $f | sed "s|.*/\(..\)/|\1|") //p" known.left) $(perl -e "print int((time - (stat shift)[9]) / 3600)" $f)"
	done | sort | tr "\n" " " | sed "s/ \$//"
}

# An old pack has a tree with its blob, and another blob; a young one the commit of that tree; a third one a blob.
test_expect_success 'setup: unreachable objects in packs' '
	git init -q left.orig && echo 1 >left.orig/a && git -C left.orig add a && git -C left.orig commit -qm 1 && cd left.orig &&
	blob=$(echo old | git hash-object -w --stdin) && tree=$(printf "100644 blob $blob\tx\n" | git mktree) && other=$(echo other | git hash-object -w --stdin) &&
	third=$(echo third | git hash-object -w --stdin) && commit=$(git commit-tree -m young -p HEAD $tree) && cd .. &&
	printf "%s\n" "$blob blob" "$tree tree" "$other other" "$third third" "$commit commit" >known.left &&
	old=$(printf "%s\n" $blob $tree $other | git -C left.orig pack-objects -q .git/objects/pack/pack) &&
	young=$(echo $commit | git -C left.orig pack-objects -q .git/objects/pack/pack) && kept=$(echo $third | git -C left.orig pack-objects -q .git/objects/pack/pack) &&
	main=$(git -C left.orig pack-objects -q --all .git/objects/pack/pack </dev/null) && git -C left.orig prune-packed && test -z "$(loose left.orig)"
'

# left EXPECT OPTIONS: the loose objects afterwards; $BEFORE is done first
left () {
	local expect=$1 && shift && rm -rf left && cp -R left.orig left && aged 3 left/.git/objects/pack/pack-$old.* && eval "$BEFORE" &&
	git -C left pack-objects -q "$@" --stdout </dev/null >x.pack && test "$(loose left)" = "$expect" && git -C left fsck && test "$(pack_count x.pack)" = 3
}

test_expect_success PERL '--unpack-unreachable: objects that no remaining pack has become loose, as old as their pack' '
	BEFORE= && left "blob 3 commit 0 other 3 third 0 tree 3" --all --unpack-unreachable && left "" --all &&
	left "" --all --unpack-unreachable --no-unpack-unreachable &&
	left "blob 3 commit 0 other 3 tree 3" --all --unpack-unreachable --keep-pack=pack-$kept.pack &&
	BEFORE=">left/.git/objects/pack/pack-$kept.keep" && left "blob 3 commit 0 other 3 tree 3" --all --unpack-unreachable &&
	BEFORE="rm -rf lender && git init -q lender && cp left.orig/.git/objects/pack/pack-$young.* lender/.git/objects/pack/ && echo \"$PWD/lender/.git/objects\" >left/.git/objects/info/alternates" &&
	left "blob 3 other 3 third 0 tree 3" --all --unpack-unreachable
'

test_expect_success PERL '... objects older than a time only if a younger one leads to them' '
	BEFORE= && roots="--all --reflog --indexed-objects" && left "blob 3 commit 0 third 0 tree 3" $roots --unpack-unreachable=1.hour.ago &&
	left "blob 3 commit 0 other 3 third 0 tree 3" $roots --unpack-unreachable=5.hours.ago && left "" $roots --unpack-unreachable=now &&
	left "blob 3 commit 0 other 3 third 0 tree 3" --all --reflog --unpack-unreachable=now &&
	BEFORE="aged 3 left/.git/objects/pack/*" && left "" $roots --unpack-unreachable=1.hour.ago &&
	BEFORE="aged 3 left/.git/objects/pack/* && git -C left config gc.recentObjectsHook \"echo $tree; :\"" && left "blob 3 tree 3" $roots --unpack-unreachable=1.hour.ago
'

test_expect_success PERL 'repack -A --unpack-unreachable keeps the same' '
	rm -rf left && cp -R left.orig left && aged 3 left/.git/objects/pack/pack-$old.* && git -C left repack -q -A -d --unpack-unreachable=1.hour.ago &&
	test "$(loose left)" = "blob 3 commit 0 third 0 tree 3" && git -C left fsck
'

test_expect_success STRACE,JOURNAL 'as files: one flush for the pack and what becomes loose' '
	on_journal disk && cp -R left.orig disk/left && n=$(count_flushes git -C disk/left -c core.fsyncMethod=batch pack-objects -q --all --unpack-unreachable "$PWD/disk/left/pack" </dev/null) &&
	test $n = 1 && test $(find disk/left/.git/objects -path "*/??/*" -type f | wc -l) = 5
'

test_expect_success 'pack-objects refuses options that exclude each other' '
	test_must_fail git -C left.orig pack-objects --keep-unreachable --unpack-unreachable --stdout </dev/null >x.pack 2>err &&
	test_grep "options .--keep-unreachable. and .--unpack-unreachable. cannot be used together" err &&
	test_must_fail git -C left.orig pack-objects --cruft --unpack-unreachable "$PWD/x" </dev/null 2>err && test_grep "cannot use internal rev list with --cruft" err &&
	test_expect_code 129 git -C left.orig pack-objects --unpack-unreachable=nonsense --stdout </dev/null >x.pack 2>err && test_grep "malformed expiration date" err
'

# ---- --uri-protocol ----

# left_out EXPECT OPTIONS <stdin: lines before the pack, which does not have what is to be had elsewhere
left_out () {
	local lines=$1 && shift && git -C uri $URIS pack-objects --stdout "$@" >out && lines=$(printf "$lines") &&
	if test -n "$lines"; then echo "$lines"; fi >expect && head -c $(wc -c <expect) out >actual && test_cmp expect actual &&
	tail -c +$(($(wc -c <expect) + 1)) out >x.pack && in_pack >oids && { ! test_grep $big oids || test -z "$lines"; }
}

test_expect_success '--uri-protocol: objects that can be had elsewhere are left out, and told before the pack' '
	git init -q uri && lines 1 500 >uri/big && lines 2 500 >uri/other && git -C uri add . && git -C uri commit -qm 1 &&
	big=$(git -C uri rev-parse HEAD:big) && other=$(git -C uri rev-parse HEAD:other) && P=$(echo $ZERO_OID | tr 0 1) && Q=$(echo $ZERO_OID | tr 0 2) &&
	git -C uri config --add uploadpack.blobPackfileUri "$big $P https://host/a" && git -C uri config --add uploadpack.blobPackfileUri "$other $Q http://host/b" &&
	for how in loose packed bitmaps; do
		test $how = loose || git -C uri repack -q -a -d $(test $how = packed || echo -b) &&
		left_out "$P https://host/a\n" --all --uri-protocol=https </dev/null && test "$(pack_count x.pack)" = 3 &&
		left_out "$P https://host/a\n$Q http://host/b\n" --all --delta-base-offset --uri-protocol=https --uri-protocol=http </dev/null && test "$(pack_count x.pack)" = 2 &&
		left_out "" --all --uri-protocol=ftp </dev/null && test "$(pack_count x.pack)" = 4 && left_out "" --all </dev/null && test "$(pack_count x.pack)" = 4 || return 1
	done &&
	echo $big | left_out "$P https://host/a\n" --uri-protocol=https && test "$(pack_count x.pack)" = 0 &&
	ls uri/.git/objects/pack | grep "pack\$" >list && left_out "$P https://host/a\n" --stdin-packs --uri-protocol=https <list && test "$(pack_count x.pack)" = 3 &&
	left_out "" --all --uri-protocol=https --incremental </dev/null && test "$(pack_count x.pack)" = 0 &&
	mkdir files && git -C uri pack-objects --all --uri-protocol=https "$PWD/files/pack" </dev/null >out && test "$(sed -n 1p out)" = "$P https://host/a" && test_path_is_file files/pack-$(sed -n 2p out).pack &&
	git -C uri config --add uploadpack.blobPackfileUri "$other $P https://host/c" &&
	test_must_fail git -C uri pack-objects --all --stdout </dev/null >x.pack 2>err && test_grep "object already configured in another" err &&
	test_must_fail git -C left.orig -c uploadpack.blobPackfileUri=bad pack-objects --all --stdout </dev/null >x.pack 2>err && test_grep "must be of the form" err
'

# ---- the rest ----

test_expect_success '--exclude-promisor-objects-best-effort: local objects not from a promisor remote; any may be missing' '
	git init -q partial && echo far >partial/far && git -C partial add far && git -C partial commit -qm far && git -C partial repack -q -a -d &&
	pack=$(ls partial/.git/objects/pack/*.pack) && >${pack%.pack}.promisor && near=$(echo near | git -C partial hash-object -w --stdin) && gone=$(echo gone | git -C partial hash-object --stdin) &&
	tree=$(printf "100644 blob %s\tfar\n100644 blob %s\tgone\n100644 blob %s\tnear\n" $(git -C partial rev-parse HEAD:far) $gone $near | git -C partial mktree --missing) &&
	commit=$(git -C partial commit-tree -m near -p HEAD $tree) && printf "%s\n" $commit $near $tree | sort >expect && echo $commit >revs &&
	test_must_fail git -C partial pack-objects --revs --exclude-promisor-objects --stdout <revs >x.pack 2>err && test_grep $gone err &&
	git -C partial pack-objects --revs --exclude-promisor-objects-best-effort --stdout <revs >x.pack && in_pack | sort >actual && test_cmp expect actual &&
	test_must_fail git -C partial pack-objects --revs --exclude-promisor-objects --exclude-promisor-objects-best-effort --stdout <revs 2>err >x.pack &&
	test_grep "cannot be used together" err
'

test_expect_success 'options that take others back; a bitmap that cannot be made, told or not' '
	echo "-pack-$main.pack" >list && git -C left.orig pack-objects --cruft --cruft-expiration=now "$PWD/x" <list >name && test_path_is_file x-$(cat name).mtimes &&
	git -C left.orig pack-objects --cruft-expiration=now --no-cruft-expiration "$PWD/y" </dev/null >name && test_path_is_missing y-$(cat name).mtimes &&
	git -C left.orig pack-objects --cruft --cruft-expiration "$PWD/z" <list >name && test_path_is_file z-$(cat name).mtimes &&
	mkdir part && git -C left.orig rev-parse HEAD >list && git -C left.orig pack-objects -q --write-bitmap-index "$PWD/part/pack" <list 2>err >name && test_grep "Failed to write bitmap index" err &&
	git -C left.orig pack-objects -q --write-bitmap-index-quiet "$PWD/part/pack" <list 2>err >name && test_must_be_empty err &&
	git -C left.orig pack-objects -q --all --write-bitmap-index-quiet "$PWD/part/pack" </dev/null >name && test_path_is_file part/pack-$(cat name).bitmap &&
	(cd part && git --git-dir=../left.orig/.git pack-objects -q --all --write-bitmap-index other </dev/null) >name && test_cmp_bin part/pack-$(cat name).bitmap part/other-$(cat name).bitmap &&
	find . -name "tmp_*" >litter && test_must_be_empty litter &&
	git -C left.orig pack-objects -q --no-quiet --stdout </dev/null 2>err >x.pack && test_grep "^Total 0" err
'

test_done
