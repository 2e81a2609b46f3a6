#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git repack --filter, --filter-to, --combine-cruft-below-size; gc.repackFilter

What the filter leaves out goes into a pack of its own; nothing gets lost.'
. "$(dirname "$0")/test-lib.sh"

# fresh: a copy of the bare repository in ./r
fresh () {
	rm -rf r away && cp -R source r && mkdir away
}
# everything REPO: all objects that refs lead to
everything () {
	git -C "$1" rev-list --objects --all | cut -d' ' -f1 | sort
}
# kinds IDX...: the types of the objects in these packs, each once
kinds () {
	cat "$@" >/dev/null && for i; do git -C r show-index <"$i"; done | cut -d' ' -f2 |
	git -C r cat-file --batch-check='%(objecttype)' | sort -u | tr '\n' ' '
}
# pack_of TYPE: the pack (.idx) of ours that has objects of it
pack_of () {
	local type=$1 idx && for idx in r/objects/pack/*.idx; do
		case " $(kinds "$idx")" in *" $type "*) echo "$idx" ;; esac
	done
}
nr_packs () {
	ls r/objects/pack | grep -c '[.]pack$'
}
blob () {
	printf '%s' "$1" | git -C r hash-object -w --stdin
}
# stray TEXT: an object that nothing leads to, in a pack of its own; $stray, $name
stray () {
	stray=$(blob "$1") && name=$(echo "$stray" | git -C r pack-objects -q objects/pack/pack) &&
	rm -f "r/objects/$(echo "$stray" | sed 's|^..|&/|')"
}

test_expect_success 'a history' '
	git init -q -b main work && cd work && for i in 1 2 3 4; do
		mkdir -p d && echo "$i" >"f$i" && echo "$i" >d/same && seq 1 $((i * 60)) >list && git add . && git commit -q -m "$i" || return
	done && git tag -a -m t v1 && cd .. && git init -q --bare source && git -C source config gc.auto 0 && git -C source config repack.writeBitmaps false &&
	git -C work pack-objects --all --stdout -q </dev/null >pack && git -C source index-pack --stdin <pack >/dev/null &&
	for ref in refs/heads/main refs/tags/v1; do git -C source update-ref $ref $(git -C work rev-parse $ref) || return; done && everything source >expect
'

test_expect_success '-a -d: what the filter leaves out has a pack of its own' '
	fresh && git -C r repack -adq --filter=blob:none && test $(nr_packs) = 2 && b=$(pack_of blob) && c=$(pack_of commit) && test "$(kinds $b)" = "blob " &&
	test "$(kinds $c)" = "commit tag tree " && git -C r fsck --strict && everything r >actual && test_cmp expect actual &&
	ls r/objects/pack >before && git -C r repack -adq --filter=blob:none && ls r/objects/pack >after && test_cmp before after &&
	git -C r repack -adq --filter=blob:none --no-filter && test $(nr_packs) = 1 && everything r >actual && test_cmp expect actual
'

test_expect_success 'several filters; deltas, and names of paths, as without one' '
	fresh && git -C r repack -adq --filter=blob:limit=10 --filter=tree:1 && test "$(kinds $(pack_of commit))" = "commit tag tree " &&
	everything r >actual && test_cmp expect actual && git -C r repack -adq --filter=blob:limit=10 && big=$(git -C r rev-parse main:list) && small=$(git -C r rev-parse main:f1) &&
	git -C r show-index <$(pack_of commit) >list && test_grep $small list && test_must_fail grep $big list && git -C r repack -adqf --filter=blob:none &&
	git -C r verify-pack -v "../$(pack_of blob)" >verbose && test_grep "chain length = 1" verbose
'

test_expect_success 'without -a: only objects that are in no pack' '
	fresh && ls r/objects/pack/*.pack >old && tree=$(git -C r rev-parse main^{tree}) && new=$(blob new) && tree=$(printf "100644 blob $new\tnew\n" | git -C r mktree) &&
	commit=$(git -C r commit-tree -m new -p main $tree) && git -C r update-ref refs/heads/main $commit && everything r >want && git -C r repack -dq --filter=blob:none &&
	test $(nr_packs) = 3 && test_path_is_file $(cat old) && test -z "$(find r/objects -path "*/??/*" -type f)" && everything r >actual && test_cmp want actual
'

test_expect_success 'repack --filter keeps objects that the index names' '
	rm -rf w && cp -R work w && git -C w repack -adq --filter=blob:none && blob=$(git -C w rev-parse main:list) && old=$(git -C w rev-parse main~1:list) &&
	for i in w/.git/objects/pack/*.idx; do git -C w show-index <$i >list && ! grep -q $(git -C w rev-parse main) list || break; done &&
	test_grep $blob list && test_must_fail grep $old list && git -C w fsck --strict && test $(ls w/.git/objects/pack/*.pack | wc -l) = 2
'

test_expect_success 'unreachable objects: with the rest, loose, kept, in a cruft pack' '
	fresh && stray one && git -C r repack -adq --filter=blob:none && test $(nr_packs) = 2 && git -C r show-index <$(pack_of blob) >list && test_grep $stray list &&
	fresh && stray five && blob six >loose && git -C r repack -adq --filter=blob:none --filter-to=../away/pack && test_must_fail git -C r cat-file -e $stray && git -C r show-index <$(ls away/*.idx) >list && test_grep $stray list && test_grep $(cat loose) list &&
	fresh && stray two && git -C r repack -Adq --filter=blob:none && test_path_is_file r/objects/$(echo $stray | sed "s|^..|&/|") && test $(find r/objects -path "*/??/*" -type f | wc -l) = 1 &&
	fresh && stray three && git -C r repack -adkq --filter=blob:none && test $(nr_packs) = 2 && git -C r show-index <$(pack_of blob) >list && test_grep $stray list && test "$(kinds $(pack_of commit))" = "commit tag tree " &&
	fresh && stray four && git -C r repack --cruft -dq --filter=blob:none && test $(nr_packs) = 3 && git -C r show-index <$(ls r/objects/pack/*.mtimes | sed s/mtimes$/idx/) >list && test_line_count = 1 list && test_grep $stray list
'

test_expect_success '--filter-to: elsewhere, and found again by way of an alternate' '
	fresh && mkdir -p away/pack && git -C r repack -adq --filter=blob:none --filter-to="$PWD/away/pack/pack" && test $(nr_packs) = 1 && test "$(kinds r/objects/pack/*.idx)" = "commit tag tree " &&
	test_must_fail git -C r cat-file -e main:list && echo "$PWD/away" >r/objects/info/alternates && git -C r fsck --strict && everything r >actual && test_cmp expect actual &&
	ls away/pack >before && git -C r repack -adlq --filter=blob:none --filter-to="$PWD/away/pack/pack" && ls away/pack >after && test_cmp before after && test $(nr_packs) = 1
'

test_expect_success '... a missing object that the filter omits is no error; any other is' '
	fresh && git -C r repack -adq --filter=blob:none --filter-to="$PWD/away/pack" && git -C r repack -adq --filter=blob:none && test $(nr_packs) = 1 &&
	ls r/objects/pack >before && test_expect_code 128 git -C r repack -adq 2>err && test_grep "not found" err && ls r/objects/pack >after && test_cmp before after &&
	test_expect_code 128 git -C r repack -adq --filter=blob:limit=10 2>err && ls r/objects/pack >after && test_cmp before after
'

test_expect_success '--filter-to a place that is not there: nothing is removed' '
	fresh && ls -R r/objects >before && test_expect_code 128 git -C r repack -adq --filter=blob:none --filter-to="$PWD/nowhere/pack" 2>err && test_grep nowhere err &&
	ls -R r/objects >after && test_cmp before after && git -C r fsck --strict
'

test_expect_success 'packs that are kept, and bitmaps' '
	fresh && keep=$(ls r/objects/pack/*.pack) && >${keep%.pack}.keep && git -C r repack -adq --filter=blob:none >out && test $(nr_packs) = 1 && test_path_is_file $keep &&
	fresh && git -C r repack -adbq --filter=blob:none 2>err && test_grep "Failed to write bitmap index" err && everything r >actual && test_cmp expect actual &&
	fresh && git -C r repack -adq -m -b --filter=blob:none 2>err && test_must_be_empty err && test $(nr_packs) = 2 && ls r/objects/pack/multi-pack-index-*.bitmap &&
	git -C r rev-list --use-bitmap-index --objects --all | cut -d" " -f1 | sort >actual && test_cmp expect actual
'

test_expect_success 'options that do not go together, and bad ones' '
	fresh && test_expect_code 128 git -C r repack -d -g2 --filter=blob:none 2>err && test_grep "cannot be used together" err &&
	test_expect_code 128 git -C r repack -ad --filter-to=x 2>err && test_grep "can only be used along with .--filter." err &&
	test_expect_code 128 git -C r repack -ad --filter=nonsense 2>err && test_grep "invalid filter-spec .nonsense." err && test $(nr_packs) = 1
'

test_expect_success 'gc.repackFilter, gc.repackFilterTo' '
	fresh && git -C r config gc.repackFilter blob:none && git -C r gc -q && test $(nr_packs) = 2 && test "$(kinds $(pack_of blob))" = "blob " &&
	git -C r config gc.repackFilterTo "$PWD/away/pack" && git -C r gc -q && test $(nr_packs) = 1 && ls away/pack-*.idx &&
	fresh && git -C r config gc.repackFilter "" && git -C r config gc.repackFilterTo "$PWD/away/pack" && test_expect_code 128 git -C r gc -q 2>err && test_grep "gc.repackFilterTo can only be used along with" err && test $(nr_packs) = 1 &&
	git -C r config gc.repackFilterTo "" && git -C r gc -q && test $(nr_packs) = 1 && git -C r config gc.repackFilter junk &&
	test_expect_code 128 git -C r gc -q 2>err && test_grep "invalid filter-spec .junk." err && everything r >actual && test_cmp expect actual
'

# age SECONDS FILE...
age () {
	local when=$1 && shift && chmod u+w "$@" && touch -d "@$(($(date +%s) - when))" "$@" && chmod a-w "$@"
}
# mtime_of OID: seconds since, as the youngest pack of cruft has it
cruft_packs () {
	ls r/objects/pack/*.mtimes | sed 's/mtimes$/idx/'
}

test_expect_success '--combine-cruft-below-size: large packs of cruft stay as they are' '
	fresh && head -c 20000 /dev/urandom >random && large=$(git -C r hash-object -w --stdin <random) && git -C r repack --cruft -dq && first=$(cruft_packs) && small=$(blob small) &&
	git -C r repack --cruft -dq --combine-cruft-below-size=10k && cruft_packs >list && test_line_count = 2 list && test_path_is_file $first && more=$(blob more) &&
	git -C r repack --cruft -dq --combine-cruft-below-size=10k && cruft_packs >list && test_line_count = 2 list && second=$(grep -v $first list) && git -C r show-index <$second >found && test_line_count = 2 found &&
	bytes=$(wc -c <${first%.idx}.pack) && git -C r repack --cruft -dq --combine-cruft-below-size=$bytes && test_path_is_file $first &&
	git -C r repack --cruft -dq --combine-cruft-below-size=$((bytes + 1)) && cruft_packs >list && test_line_count = 1 list && git -C r show-index <$(cat list) >found && test_line_count = 3 found &&
	for o in $large $small $more; do git -C r cat-file -e $o || return; done
'

test_expect_success '... but not with an expiry, and what has been of use since is young' '
	fresh && head -c 20000 /dev/urandom >random && large=$(git -C r hash-object -w --stdin <random) && git -C r repack --cruft -dq && git -C r repack --cruft -dq --combine-cruft-below-size=10k --cruft-expiration=now && test_must_fail git -C r cat-file -e $large &&
	fresh && large=$(git -C r hash-object -w --stdin <random) && f=r/objects/$(echo $large | sed "s|^..|&/|") && age 100000 $f && cp $f copy && other=$(blob other) && git -C r repack --cruft -dq && first=$(cruft_packs) &&
	mkdir -p $(dirname $f) && cp copy $f && git -C r repack --cruft -dq --combine-cruft-below-size=10k && test_path_is_file $first && test_path_is_missing $f && cruft_packs >list && test_line_count = 2 list &&
	cruft_packs >before && mkdir -p $(dirname $f) && cp copy $f && age 200000 $f && git -C r repack --cruft -dq --combine-cruft-below-size=1 && cruft_packs >after && test_cmp before after && test_path_is_missing $f &&
	age 100000 $first && git -C r repack --cruft -dq --cruft-expiration=1.hour.ago && git -C r cat-file -e $large
'

test_expect_success '... what has become reachable is in a pack of its kind' '
	fresh && head -c 20000 /dev/urandom >random && large=$(git -C r hash-object -w --stdin <random) && git -C r repack --cruft -dq && first=$(cruft_packs) && git -C r update-ref refs/tags/large $large &&
	git -C r repack --cruft -dq --combine-cruft-below-size=10k && test_path_is_file $first && git -C r show-index <$(pack_of commit) >list && test_grep $large list && git -C r fsck --strict &&
	git -C r update-ref -d refs/tags/large && git -C r repack --cruft -dq --combine-cruft-below-size=1 && test $(pack_of commit | wc -l) = 1
'

test_expect_success STOCK_GIT 'stock Git reads the result' '
	fresh && git -C r repack -adq --filter=blob:none && stock -C r fsck --strict && stock -C r rev-list --objects --all | cut -d" " -f1 | sort >actual && test_cmp expect actual
'

test_done
