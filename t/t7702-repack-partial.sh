#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git repack, gc and maintenance in a partial clone

What came from a promisor remote stays in packs that say so, and nothing of ours gets into them.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-partial.sh"

nr_packs () {
	ls r/.git/objects/pack | grep -c '[.]pack$'
}
# ordinary: the .idx of packs without a .promisor
ordinary () {
	for i in r/.git/objects/pack/*.idx; do
		test -f "${i%.idx}.promisor" || echo "$i"
	done
}
# is_whole: all that was there is there, in the right packs
is_whole () {
	partial_names $(partial_packs promisor) | sort -u >actual && test_cmp promisor actual &&
	partial_objects >actual && test_cmp all actual && git -C r fsck --strict
}
again () {
	rm -rf r && cp -R saved r
}

test_expect_success 'two packs from a remote, two of ours, and loose objects' '
	partial_source && partial_clone && partial_commit one && git -C r repack -dq && partial_commit two && git -C r repack -dq && partial_commit three &&
	tree=$(git -C source rev-parse v1~2^{tree}) && git -C source rev-parse v1:list v1:f1 | git -C source pack-objects --stdout -q >more && git -C r index-pack --stdin --promisor <more >/dev/null &&
	partial_names $(partial_packs promisor) >promisor && test $(partial_packs promisor | wc -l) = 2 && git -C r rev-list --objects main ^main~3 | cut -d" " -f1 | sort >ours && test_line_count = 9 ours &&
	partial_objects >all && sort ours promisor >both && test_cmp all both && cp -R r saved
'

test_expect_success '-a -d: one pack of each kind, with an empty .promisor' '
	git -C r repack -adq && test $(nr_packs) = 2 && is_whole && partial_names $(ordinary) >actual && test_cmp ours actual && test ! -s $(ls r/.git/objects/pack/*.promisor) &&
	ls r/.git/objects/pack >before && git -C r repack -adq && ls r/.git/objects/pack >after && test_cmp before after
'

test_expect_success 'without -d, without -a: promisor packs stay as they are' '
	again && ls r/.git/objects/pack/*.promisor >before && git -C r repack -dq && ls r/.git/objects/pack/*.promisor >after && test_cmp before after && test $(nr_packs) = 5 && is_whole &&
	git -C r repack -aq && test $(nr_packs) = 7 && partial_packs promisor >list && test_line_count = 3 list && git -C r fsck
'

test_expect_success 'unreachable objects of promisor packs stay; ours become loose, cruft, or go' '
	for way in "-adq" "-Adq" "-adkq" "--cruft -dq" "--cruft -dq --cruft-expiration=now"; do
		again && two=$(git -C r rev-parse main~1) && git -C r update-ref refs/heads/main main~2 && git -C r update-ref -d refs/tags/v1 && git -C r update-ref -d refs/heads/v1 && git -C r reflog expire --expire=now --all &&
		git -C r repack $way && partial_names $(partial_packs promisor) >actual && test_cmp promisor actual && git -C r fsck >out && case $way in
		-adq | *=now) test_must_fail git -C r cat-file -e $two ;;
		*) git -C r cat-file -e $two ;;
		esac || return
	done
'

test_expect_success 'something of ours that only something from there leads to' '
	again && mine=$(partial_commit mine && echo $commit) && git -C r cat-file commit $mine >body && there=$(echo theirs | git -C source commit-tree $(git -C source rev-parse v1^{tree}) -p v1^{commit}) &&
	git -C source cat-file commit $there | sed "s/^parent.*/parent $mine/" >body && there=$(git -C source hash-object -t commit -w --literally ../body) && echo $there | git -C source pack-objects --stdout -q >last &&
	git -C r repack -dq && git -C r index-pack --stdin --promisor <last >/dev/null && git -C r update-ref refs/heads/main $there && git -C r reflog expire --expire=now --all && for way in "-adq" "-adq --filter=blob:none" "--cruft -dq --cruft-expiration=now"; do
		git -C r repack $way && git -C r cat-file -e $mine && git -C r cat-file -e $mine^{tree} && git -C r cat-file -e $mine:mine && git -C r fsck || return
	done
'

test_expect_success 'an object that is missing and not promised: nothing is removed' '
	again && chmod -R u+w r/.git/objects && rm -f r/.git/objects/$(git -C r rev-parse main:three | sed "s|^..|&/|") && ls -R r/.git/objects >before && test_expect_code 128 git -C r repack -adq 2>err && test_grep "missing blob" err &&
	ls -R r/.git/objects >after && test_cmp before after && again && for p in r/.git/objects/pack/*.promisor; do rm $p; done && ls -R r/.git/objects >before &&
	test_expect_code 128 git -C r repack -adq 2>err && ls -R r/.git/objects >after && test_cmp before after
'

test_expect_success 'one that is kept' '
	again && p=$(ls -S r/.git/objects/pack/*.pack | tail -n 1) && first=$(partial_packs promisor | head -n 1) && >${first%.idx}.keep && git -C r repack -adq && test_path_is_file $first && test $(nr_packs) = 3 && is_whole &&
	again && first=$(partial_packs promisor | head -n 1) && git -C r repack -adq --keep-pack=$(basename ${first%.idx}).pack && test_path_is_file $first && test $(nr_packs) = 3 && is_whole && partial_names $(partial_packs promisor) | uniq -d >twice && test_must_be_empty twice
'

test_expect_success '--geometric: a progression of each kind' '
	again && git -C r repack -dq -g2 && test $(ordinary | wc -l) = 1 && test $(partial_packs promisor | wc -l) = 2 && is_whole && partial_names $(ordinary) >actual && test_cmp ours actual &&
	git -C source rev-parse v1:d/same v1~1:list | git -C source pack-objects --stdout -q >more2 && git -C r index-pack --stdin --promisor <more2 >/dev/null && partial_names $(partial_packs promisor) | sort -u >promisor2 &&
	git -C r repack -dq -g2 && test $(ordinary | wc -l) = 1 && test $(partial_packs promisor | wc -l) = 2 && partial_names $(partial_packs promisor) | sort -u >actual && test_cmp promisor2 actual && git -C r fsck --strict
'

test_expect_success '... an object that is also in a large pack of ours stays in it' '
	again && { cat all && for i in $(seq 60); do echo $i more | git -C r hash-object -w --stdin; done; } | git -C r pack-objects -q .git/objects/pack/pack && git -C r repack -dq -g2 && test $(partial_packs promisor | wc -l) = 2 &&
	partial_names $(partial_packs promisor) | sort -u >actual && test_cmp promisor actual && git -C source rev-parse v1:d/same v1~1:list | git -C source pack-objects --stdout -q >more2 && git -C r index-pack --stdin --promisor <more2 >/dev/null &&
	partial_names $(partial_packs promisor) | sort -u >promisor2 && git -C r repack -dq -g2 && partial_packs promisor >list && test_line_count = 2 list && partial_names $(cat list) | sort -u >actual && test_cmp promisor2 actual && git -C r fsck
'

test_expect_success '--filter beside it' '
	again && git -C r repack -adq --filter=blob:none && test $(nr_packs) = 3 && is_whole && ordinary | while read -r i; do partial_names $i | git -C r cat-file --batch-check="%(objecttype)" | sort -u | tr "\n" " "; echo; done | sort >kinds &&
	printf "blob \ncommit tree \n" >expect && test_cmp expect kinds
'

test_expect_success 'gc, gc --auto, --prune=now; the tasks of maintenance' '
	for cmd in "gc -q" "gc -q --prune=now" "gc -q --no-cruft" "gc -q --aggressive" "-c gc.auto=1 -c gc.autoPackLimit=2 gc --auto --no-detach -q" "maintenance run --task=gc" "maintenance run" \
		"maintenance run --task=geometric-repack" "maintenance run --task=incremental-repack" "maintenance run --task=loose-objects" "maintenance run --task=commit-graph"; do
		again && git -C r $cmd && is_whole && git -C r $cmd && is_whole || return
	done
'

test_expect_success 'geometric-repack is due when one kind has lost its progression' '
	again && git -C r repack -adq && test_expect_code 1 git -C r maintenance is-needed --auto --task=geometric-repack && git -C r index-pack --stdin --promisor <more >/dev/null && test_expect_code 1 git -C r maintenance is-needed --auto --task=geometric-repack &&
	git -C source rev-parse v1:d/same v1~1:list | git -C source pack-objects --stdout -q >more2 && git -C r index-pack --stdin --promisor <more2 >/dev/null && git -C r maintenance is-needed --auto --task=geometric-repack
'

test_expect_success 'multi-pack-index repack and expire leave them alone' '
	again && git -C r repack -dq && git -C r multi-pack-index write && git -C r multi-pack-index repack && git -C r multi-pack-index expire && is_whole && test $(ordinary | wc -l) = 1 && partial_names $(ordinary) >actual && test_cmp ours actual && test $(partial_packs promisor | wc -l) = 2 &&
	again && partial_objects | git -C r pack-objects -q .git/objects/pack/pack &&
	git -C r multi-pack-index write --preferred-pack=$(basename $(ls -t r/.git/objects/pack/*.pack | head -n 1)) && git -C r multi-pack-index expire && test $(partial_packs promisor | wc -l) = 2 && is_whole
'

test_expect_success 'borrowed from an alternate: with -l they stay there, else they are copied' '
	rm -rf lender && again && mv r lender && git init -q -b main r && git -C r config gc.auto 0 && echo "$PWD/lender/.git/objects" >r/.git/objects/info/alternates && git -C r update-ref refs/heads/main $(git -C lender rev-parse main) &&
	partial_commit borrower && git -C r repack -adlq && test $(nr_packs) = 1 && test -z "$(partial_packs promisor)" && partial_names $(ordinary) >actual && test_line_count = 3 actual && git -C r fsck &&
	git -C r repack -adq && partial_names $(partial_packs promisor) >actual && test_cmp promisor actual && git -C r repack -adlq && partial_names $(partial_packs promisor) >actual && test_cmp promisor actual &&
	git -C r repack -adq && rm r/.git/objects/info/alternates && git -C r fsck --strict
'

test_expect_success STOCK_GIT 'stock Git takes it as its own, and the other way round' '
	again && git -C r repack -adq && stock -C r fsck && stock -C r rev-list --objects --all --exclude-promisor-objects | cut -d" " -f1 | sort >actual && test_cmp ours actual &&
	stock -C r repack -adqf && is_whole && again && stock -C r repack -adq && is_whole && git -C r repack -adqf && is_whole
'

test_done
