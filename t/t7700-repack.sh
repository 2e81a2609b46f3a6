#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git repack, git prune-packed'
. "$(dirname "$0")/test-lib.sh"

# packs REPO: names of its packs; nr_packs, nr_loose: how many
packs () {
	ls "$1/.git/objects/pack" | grep '[.]pack$'
}
nr_packs () {
	packs "$1" | wc -l
}
nr_loose () {
	find "$1/.git/objects" -path '*/??/*' -type f | wc -l
}
# everything REPO: all objects that refs and logs lead to, as a list
everything () {
	git -C "$1" rev-list --objects --all --reflog --indexed-objects | cut -d' ' -f1 | sort
}
# fresh: a copy of the first repository in ./r
fresh () {
	rm -rf r && cp -R source r
}
blob () {
	printf '%s' "$1" | git -C r hash-object -w --stdin
}
has () {
	git -C r cat-file -e "$1"
}
# stray TEXT: an object that nothing leads to, in a pack of its own; $stray
stray () {
	stray=$(blob "$1") && echo "$stray" | git -C r pack-objects -q .git/objects/pack/pack >name &&
	rm -f "r/.git/objects/$(echo "$stray" | sed 's|^..|&/|')"
}
age () {
	local when=$1 && shift && chmod u+w "$@" && touch -d "@$(($(date +%s) - when))" "$@" && chmod a-w "$@"
}

test_expect_success 'a history in several packs and loose objects' '
	git init -q -b main source && cd source && git config gc.auto 0 && for i in 1 2 3 4 5 6; do
		echo "$i" >"f$i" && seq 1 $((i * 50)) >list && git add . && git commit -q -m "$i" || return
		test $i = 5 || { test $((i % 2)) = 1 && git repack -q -d; } || test $i != 5 && : || return
	done && git tag -a -m t v1 HEAD~1 && git branch side HEAD~3 && test $(ls .git/objects/pack/*.pack | wc -l) -ge 2
'

test_expect_success 'without options: objects that are in no pack' '
	fresh && everything r >expect && n=$(nr_packs r) && loose=$(nr_loose r) && git -C r repack -q && test $(nr_packs r) = $((n + 1)) &&
	test $(nr_loose r) = $loose && git -C r repack >out && echo "Nothing new to pack." >want && test_cmp want out &&
	test $(nr_packs r) = $((n + 1)) && git -C r repack -q -d && test $(nr_loose r) = 0 && git -C r fsck --strict && everything r >actual && test_cmp expect actual
'

test_expect_success '-a -d: one pack of all reachable objects; others go' '
	fresh && everything r >expect && stray one && echo index >r/staged && git -C r add staged && staged=$(git -C r rev-parse :staged) &&
	git -C r commit -q --amend -m amended && git -C r repack -a -d -q && test $(nr_packs r) = 1 && test $(nr_loose r) = 0 &&
	git -C r fsck --strict && has $staged && test_must_fail has $stray && git -C r cat-file --batch-check <expect >found && test_must_fail grep missing found &&
	ls r/.git/objects/pack >before && git -C r repack -a -d -q && ls r/.git/objects/pack >after && test_cmp before after
'

test_expect_success '-a without -d removes nothing' '
	fresh && packs r >before && git -C r repack -q -a && packs r >after && test $(wc -l <after) = $(($(wc -l <before) + 1)) && comm -23 before after >gone && test_must_be_empty gone
'

test_expect_success '-A -d: unreachable objects become loose, as old as their pack' '
	fresh && stray two && age 5000 r/.git/objects/pack/pack-$(cat name).pack && git -C r repack -A -d -q && test $(nr_packs r) = 1 &&
	has $stray && f=r/.git/objects/$(echo $stray | sed "s|^..|&/|") && test_path_is_file $f && old=$(($(date +%s) - $(stat -c %Y $f))) &&
	test $old -ge 4990 && test $old -le 5600 && git -C r fsck &&
	fresh && stray two && age 5000 r/.git/objects/pack/pack-$(cat name).pack && git -C r repack -A -d -q --unpack-unreachable=1.hour.ago && test_must_fail has $stray
'

# twice OLD NEW: $stray in two packs of these ages, the newer of them with another object
twice () {
	stray twice && old=$(cat name) && printf "%s\n" $stray $(blob other) | git -C r pack-objects -q .git/objects/pack/pack >name &&
	git -C r prune-packed && age $1 r/.git/objects/pack/pack-$old.pack && age $2 r/.git/objects/pack/pack-$(cat name).pack
}
how_old () {
	echo $(($(date +%s) - $(stat -c %Y r/.git/objects/$(echo $1 | sed "s|^..|&/|"))))
}

test_expect_success '-A -d: as old as the newest pack that has it, whichever comes first' '
	for ages in "90000 5000" "5000 90000"; do
		fresh && twice $ages && git -C r repack -A -d -q && old=$(how_old $stray) && test $old -ge 4990 && test $old -le 5600 &&
		fresh && twice $ages && git -C r repack -A -d -q --unpack-unreachable=3.hours.ago && old=$(how_old $stray) && test $old -ge 4990 && test $old -le 5600 || return
	done
'

test_expect_success '-A -d: what a cruft pack has is not older than its file' '
	fresh && f=$(blob cruft) && age 90000 r/.git/objects/$(echo $f | sed "s|^..|&/|") && git -C r repack --cruft -d -q && age 5000 $(ls r/.git/objects/pack/*.mtimes | sed s/mtimes$/pack/) &&
	cp -a r again && git -C r repack -A -d -q && old=$(how_old $f) && test $old -ge 4990 && test $old -le 5600 &&
	rm -rf r && mv again r && git -C r repack -A -d -q --unpack-unreachable=3.hours.ago && old=$(how_old $f) && test $old -ge 4990 && test $old -le 5600
'

test_expect_success '-A -d --unpack-unreachable: what a young object in a kept pack leads to stays' '
	fresh && stray leaf && age 90000 r/.git/objects/pack/pack-$(cat name).pack && leaf=$stray &&
	tree=$(printf "100644 blob $leaf\tf\n" | git -C r mktree) && name=$(echo $tree | git -C r pack-objects -q .git/objects/pack/pack) && >r/.git/objects/pack/pack-$name.keep && git -C r prune-packed &&
	cp -a r again && git -C r repack -A -d -q --unpack-unreachable=3.hours.ago && has $leaf &&
	rm -rf r && cp -a again r && age 90000 r/.git/objects/pack/pack-$name.pack && cp -a r old && git -C r repack -A -d -q --unpack-unreachable=3.hours.ago && test_must_fail has $leaf &&
	rm -rf r && mv old r && printf "040000 tree $tree\td\n" | git -C r mktree >top && git -C r repack -A -d -q --unpack-unreachable=3.hours.ago && has $leaf &&
	rm -rf r && mv again r && git -C r pack-objects -q --all --reflog --honor-pack-keep --unpack-unreachable=3.hours.ago ../new </dev/null && test_path_is_file r/.git/objects/$(echo $leaf | sed "s|^..|&/|")
'

test_expect_success '--unpack-unreachable: -a is -A then; not with -k' '
	fresh && stray young && age 5000 r/.git/objects/pack/pack-$(cat name).pack && young=$stray && stray old && age 90000 r/.git/objects/pack/pack-$(cat name).pack &&
	test_expect_code 128 git -C r repack -a -k -d -q --unpack-unreachable=3.hours.ago 2>err && test_grep "cannot be used together" err && has $stray &&
	git -C r repack -a -d -q --unpack-unreachable=3.hours.ago && has $young && how_old $young >age && test $(cat age) -ge 4990 && test_must_fail has $stray &&
	fresh && stray old && age 90000 r/.git/objects/pack/pack-$(cat name).pack && git -C r repack -a -d -q --unpack-unreachable=never && has $stray
'

test_expect_success '-k: unreachable objects go into the new pack' '
	fresh && stray three && loose=$(blob "loose and unreachable") && git -C r repack -a -k -d -q && test $(nr_packs r) = 1 && test $(nr_loose r) = 0 && has $stray && has $loose
'

test_expect_success '--cruft: a pack of its own, which expires' '
	fresh && stray four && loose=$(blob "young") && git -C r repack --cruft -d -q && test $(nr_packs r) = 2 && test $(nr_loose r) = 0 && has $stray && has $loose &&
	test $(ls r/.git/objects/pack/*.mtimes | wc -l) = 1 && git -C r repack --cruft -d -q && test $(nr_packs r) = 2 && has $stray &&
	git -C r repack --cruft --cruft-expiration=1.hour.ago -d -q && has $stray && has $loose && git -C r repack --cruft --cruft-expiration=now -d -q &&
	test_must_fail has $stray && test_must_fail has $loose && test $(nr_packs r) = 1 && git -C r fsck --strict &&
	stray five && git -C r repack --cruft --cruft-expiration=now -d -q --expire-to=$PWD/gone && test_must_fail has $stray && git show-index --object-format=$TEST_HASH <$(ls gone-*.idx) >list && test_grep $stray list
'

test_expect_success '--cruft: an object that is reachable again leaves the cruft pack' '
	fresh && git -C r repack -adq && stray five && git -C r repack --cruft -d -q && git -C r update-ref refs/tags/five $stray && git -C r repack --cruft -d -q &&
	test $(nr_packs r) = 1 && has $stray && test_must_fail ls r/.git/objects/pack/*.mtimes &&
	rm -rf r && git init -q r && stray six && git -C r repack --cruft -d -q && ls r/.git/objects/pack/*.mtimes && git -C r update-ref refs/tags/six $stray && git -C r repack --cruft -d -q &&
	test $(nr_packs r) = 1 && has $stray && test_must_fail ls r/.git/objects/pack/*.mtimes
'

test_expect_success 'packs that are kept stay, and what they have is left out' '
	fresh && kept=$(packs r | head -n 1) && >r/.git/objects/pack/${kept%.pack}.keep && git -C r repack -a -d -q && test $(nr_packs r) = 2 && packs r | grep -F $kept &&
	git -C r show-index <r/.git/objects/pack/${kept%.pack}.idx | cut -d" " -f2 | sort >one && new=$(packs r | grep -v -F $kept) &&
	git -C r show-index <r/.git/objects/pack/${new%.pack}.idx | cut -d" " -f2 | sort >two && comm -12 one two >both && test_must_be_empty both &&
	git -C r repack -a -d -q --pack-kept-objects && test $(nr_packs r) = 2 && packs r | grep -F $kept && git -C r fsck --strict &&
	fresh && kept=$(packs r | head -n 1) && git -C r repack -a -d -q --keep-pack=$kept && test $(nr_packs r) = 2 && packs r | grep -F $kept
'

test_expect_success '-b: bitmaps that can be used; the default in a bare repository' '
	fresh && git -C r repack -adbq && test_path_is_file r/.git/objects/pack/$(packs r | sed "s/pack$/bitmap/") &&
	test $(git -C r rev-list --count --objects --all) = $(git -C r rev-list --count --objects --all --use-bitmap-index) &&
	git -C r repack -adq && cp -R r/.git bare && git -C bare config core.bare true && git -C bare repack -adfq && ls bare/objects/pack/*.bitmap &&
	git -C bare update-ref -d refs/tags/v1 && git -C bare -c repack.writeBitmaps=false repack -adFq && test_must_fail ls bare/objects/pack/*.bitmap &&
	test_expect_code 128 git -C r repack -d -b 2>err && test_grep "Incremental repacks are incompatible with bitmap indexes" err && rm -rf bare
'

test_expect_success '-m: an index of the packs that are left; without it a stale one goes' '
	fresh && git -C r multi-pack-index write --bitmap && git -C r repack -adq && test_path_is_missing r/.git/objects/pack/multi-pack-index &&
	test_must_fail ls r/.git/objects/pack/multi-pack-index-* && has HEAD && git -C r repack -adqm -b && git -C r multi-pack-index verify && ls r/.git/objects/pack/multi-pack-index-*.bitmap &&
	fresh && git -C r multi-pack-index write && git -C r repack -dq -g2 -m && git -C r multi-pack-index verify && git -C r fsck --strict
'

test_expect_success '--geometric: the smallest packs become one' '
	rm -rf r && git init -q r && cd r && git config gc.auto 0 && for i in 1 2 3 4 5 6 7 8; do echo $i >f && git add f && git commit -q -m $i && git repack -q -d || return; done &&
	test $(ls .git/objects/pack/*.pack | wc -l) = 8 && git repack -q -d --geometric=2 && test $(ls .git/objects/pack/*.pack | wc -l) = 1 && git fsck --strict &&
	big=$(ls .git/objects/pack/*.pack) && for i in 9 10; do echo $i >f && git add f && git commit -q -m $i && git repack -q -d || return; done &&
	echo loose >l && git add l && git commit -q -m l && git repack -q -d --geometric=2 && test $(ls .git/objects/pack/*.pack | wc -l) = 2 && test_path_is_file $big &&
	git fsck --strict && cd .. && test $(nr_loose r) = 0
'

test_expect_success '--max-pack-size: several packs' '
	fresh && for i in 1 2 3; do head -c 900000 /dev/urandom >r/rnd$i || return; done && git -C r add . && git -C r commit -q -m big && everything r >expect &&
	git -C r repack -adq --max-pack-size=1 2>err && test_grep "minimum pack size limit is 1 MiB" err && test $(nr_packs r) -le 5 && git -C r repack -adq --max-pack-size=1m && test $(nr_packs r) -ge 3 && git -C r fsck --strict && everything r >actual && test_cmp expect actual
'

test_expect_success 'repack -l leaves out objects that alternates have' '
	fresh && git init -q borrower && echo "$PWD/r/.git/objects" >borrower/.git/objects/info/alternates && git -C borrower update-ref refs/heads/main $(git -C r rev-parse HEAD) &&
	own=$(echo own | git -C borrower hash-object -w --stdin) && git -C borrower update-ref refs/tags/own $own && git -C borrower repack -adlq &&
	git -C borrower show-index <$(ls borrower/.git/objects/pack/*.idx) | cut -d" " -f2 >list && echo $own >want && test_cmp want list &&
	git -C borrower repack -adq && rm borrower/.git/objects/info/alternates && git -C borrower fsck --strict
'

test_expect_success 'a pack that another process uses meanwhile stays' '
	fresh && stray seven && p=r/.git/objects/pack/pack-$(cat name) && mkdir -p hooks && age 99999 $p.pack &&
	git -C r config gc.recentObjectsHook "touch $PWD/$p.pack; true" && git -C r repack --cruft --cruft-expiration=1.hour.ago -d -q && test_path_is_file $p.idx && has $stray &&
	git -C r config --unset gc.recentObjectsHook && age 99999 $p.pack && git -C r repack --cruft --cruft-expiration=1.hour.ago -d -q && test_path_is_missing $p.idx && test_must_fail has $stray
'

test_expect_success 'readers find everything while packs are replaced' '
	fresh && everything r >list && >go && { while test -f go; do git -C r cat-file --batch-check <list || return; done >seen 2>&1 & reader=$!; } &&
	for i in 1 2 3 4 5 6; do git -C r repack -adq -f --window=$i && git -C r repack --cruft -dqF --window=$((i + 9)) || { rm -f go; return 1; }; done && rm go && wait $reader &&
	test_must_fail grep -e missing -e error -e fatal seen && test -s seen
'

# Waits for the answer to question $1.
answer () {
	while test $(wc -l <seen) -lt $1; do sleep 0.05; done
}

test_expect_success 'a pack that goes, and comes back under its name, is read' '
	fresh && git -C r repack -adq && git -C r prune-packed && oid=$(git -C r rev-parse HEAD) && rm -f ask seen && mkfifo ask && >seen &&
	{ git -C r cat-file --batch-check <ask >seen & } && exec 9>ask &&
	echo $ZERO_OID >&9 && answer 1 && mv r/.git/objects/pack away && mkdir r/.git/objects/pack && echo $oid >&9 && answer 2 &&
	cp away/* r/.git/objects/pack/ && echo $oid >&9 && answer 3 && exec 9>&- && wait $! && rm -rf away &&
	printf "%s\n" "$ZERO_OID missing" "$oid missing" "$oid commit $(git -C r cat-file -s $oid)" >expect && test_cmp expect seen
'

test_expect_success 'damaged or missing objects: nothing is removed' '
	fresh && git -C r repack -dq && packs r >before && tree=$(git -C r rev-parse HEAD~2^{tree}) && rm -rf r2 && mkdir r2 && git -C r rev-list --objects --all --reflog | cut -d" " -f1 | grep -v $tree |
	git -C r pack-objects -q ../r2/pack >/dev/null && rm -f r/.git/objects/pack/* && cp r2/* r/.git/objects/pack/ && packs r >before &&
	test_expect_code 128 git -C r repack -adq 2>err && test_grep $tree err && packs r >after && test_cmp before after && test_must_fail ls r/.git/objects/pack/tmp_* r/.git/objects/tmp_objdir-*
'

test_expect_success 'precious objects; unknown options' '
	fresh && git -C r config core.repositoryFormatVersion 1 && git -C r config extensions.preciousObjects true && test_expect_code 128 git -C r repack -adq 2>err &&
	test_grep "cannot delete packs in a precious-objects repo" err && git -C r repack -aq && fresh &&
	test_expect_code 129 git -C r repack -adq --write-midx=foo 2>err &&
	test_expect_code 129 git -C r repack --foo 2>err && test_expect_code 128 git -C r repack -a -g2 2>err && test_expect_code 128 git -C r repack -g1 2>err
'

test_expect_success 'prune-packed: loose objects that are in packs' '
	fresh && git -C r repack -q && n=$(nr_loose r) && test $n -gt 0 && other=$(blob other) && git -C r prune-packed -n >out && test_line_count = $n out && test_grep "^rm -f .*objects/" out &&
	test $(nr_loose r) = $((n + 1)) && git -C r prune-packed && test $(nr_loose r) = 1 && has $other && git -C r fsck --strict && test_expect_code 129 git -C r prune-packed x 2>err
'

test_expect_success STOCK_GIT 'stock Git reads the result' '
	fresh && stray eight && git -C r repack --cruft -d -q -b && stock -C r fsck --strict && stock -C r cat-file -e $stray &&
	stock -C r rev-list --objects --all --use-bitmap-index | cut -d" " -f1 | sort >one &&
	stock -C r rev-list --objects --all | cut -d" " -f1 | sort >two && test_cmp one two
'

test_expect_success '--write-midx with bitmaps, objects outside of the packs: no bitmap, and a warning' '
	git init -q lent && (cd lent && "$GIT_BUILD_DIR/t/helper/random-history" 1 30 && git repack -adq) &&
	git init -q borrows && echo "$PWD/lent/.git/objects" >borrows/.git/objects/info/alternates && (
		cd borrows && "$GIT_BUILD_DIR/t/helper/random-history" 2 20 y &&
		old=$(git -C ../lent rev-parse --all | sed 1q) &&
		git update-ref refs/heads/new $(echo m | git commit-tree -p $old $old^{tree}) &&
		for mode in "--geometric=2" "-a"; do
			git repack -dlq $mode --write-midx --write-bitmap-index 2>err &&
			test_grep "disabling bitmap writing, as some objects are not being packed" err &&
			test_path_is_file .git/objects/pack/multi-pack-index && ls .git/objects/pack >files &&
			test_grep ! "bitmap" files && git fsck --no-dangling && git multi-pack-index verify || exit 1
		done
	)
'

test_expect_success 'a bare repository with a kept pack: no bitmap, unless it is asked for' '
	git init -q --bare bare.git && for i in 1 2; do
		git -C bare.git commit-tree -m $i $(git -C bare.git mktree </dev/null) >id &&
		git -C bare.git update-ref refs/heads/$i $(cat id) && git -C bare.git repack -q &&
		if test $i = 1; then for p in bare.git/objects/pack/*.pack; do >${p%.pack}.keep; done; fi || return 1
	done &&
	git -C bare.git repack -a -d -q && ls bare.git/objects/pack >out && test_grep ! "bitmap\$" out &&
	test "$(grep -c "pack\$" out)" = 2 &&
	git -C bare.git repack -a -d -q --pack-kept-objects && ls bare.git/objects/pack >out && test_grep "bitmap\$" out &&
	rm -f bare.git/objects/pack/*.bitmap && git -C bare.git -c repack.writeBitmaps=false repack -a -d -q --pack-kept-objects &&
	ls bare.git/objects/pack >out && test_grep ! "bitmap\$" out &&
	git -C bare.git repack -a -d -q -b && ls bare.git/objects/pack >out && test_grep "bitmap\$" out
'

test_expect_success 'shallow loses the lines of commits that -d has dropped, or that are missing, and no others' '
	git init -q shallow && cd shallow && git commit -q --allow-empty -m kept && kept=$(git rev-parse HEAD) && git repack -a -d -q &&
	loose=$(git commit-tree -m loose $(git mktree </dev/null)) && packed=$(git commit-tree -m packed $(git mktree </dev/null)) &&
	missing=$(echo missing | git hash-object --stdin) && cp -R .git clean &&
	lines_after () { # OPTIONS LINE...
		local options="$1" && shift && rm -rf .git && cp -R clean .git &&
		echo $packed | git pack-objects -q .git/objects/pack/pack >../out && rm .git/objects/$(echo $packed | sed "s#^..#&/#") &&
		printf "%s\n" $kept $loose $packed $missing >.git/shallow && git repack -q $options && printf "%s\n" "$@" | sort >../expect && sort .git/shallow >../actual && test_cmp ../expect ../actual
	} &&
	lines_after -a $kept $loose $packed $missing && lines_after -adk $kept $loose $packed $missing && lines_after -Ad $kept $loose $packed $missing &&
	lines_after -d $kept $loose $packed && lines_after "-ad --cruft" $kept $loose $packed && lines_after "-d -g2" $kept $loose $packed &&
	lines_after -ad $kept $loose && lines_after "-ad --cruft --cruft-expiration=now" $kept $loose &&
	echo $missing >.git/shallow && git repack -dq && test_path_is_missing .git/shallow && cd ..
'

test_expect_success 'the lists for dumb http cannot be written: a warning, and the packs are there' '
	fresh && rm -rf r/.git/info && : >r/.git/info && git -C r repack -adq 2>err && test_grep "^warning: .*info" err &&
	test $(nr_packs r) = 1 && git -C r fsck --strict && rm r/.git/info
'

test_expect_success 'repack ignores arguments, prune-packed refuses them' '
	git init -q args && (cd args && git commit -q --allow-empty -m x && git repack -q -a -d none && test -f .git/objects/pack/pack-*.pack &&
	 test_expect_code 129 git prune-packed none 2>err && test "$(head -n 1 err)" = "fatal: too many arguments" && test_grep "^usage: git prune-packed" err)
'

test_done
