#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='partial clones: what a promisor remote has promised may be missing

fsck, rev-list, pack-objects, prune; nothing is fetched.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-partial.sh"

test_expect_success 'a partial clone with two commits of its own' '
	partial_source && partial_clone && git -C r rev-list --objects --all --missing=print >out && grep "^?" out >missing && test $(wc -l <missing) = 8 &&
	partial_commit one && partial_commit two && cp -R r saved && sent=$(partial_packs promisor) && partial_names "$sent" >promisor &&
	git -C r rev-list --objects main ^main~2 >out && test_line_count = 6 out
'
again () {
	rm -rf r && cp -R saved r
}

test_expect_success 'fsck: promised objects are not reported as missing, anywhere' '
	git -C r fsck --strict >out 2>&1 && test_must_be_empty out && git -C r fsck --connectivity-only >out 2>&1 && test_must_be_empty out &&
	gone=$(head -n 1 missing | tr -d "?") && git -C r fsck $gone >/dev/null &&
	there="env GIT_ALTERNATE_OBJECT_DIRECTORIES=$PWD/source/.git/objects git -C r" && $there update-ref refs/tags/blob $gone && git -C r update-index --add --cacheinfo 100644,$gone,file && git -C r fsck >out 2>&1 && test_must_be_empty out &&
	h=$(git -C r rev-parse HEAD) && $there reflog write HEAD $h $gone odd && git -C r fsck >out 2>&1 && test_must_be_empty out
'

test_expect_success '... all else is; and without the mark of the pack that as well' '
	again && chmod -R u+w r/.git/objects && rm r/.git/objects/$(echo $blob | sed "s|^..|&/|") && test_expect_code 2 git -C r fsck >out 2>&1 && test_grep "^missing blob $blob" out && test_line_count = 3 out &&
	again && rm r/.git/objects/pack/*.promisor && test_expect_code 2 git -C r fsck >out 2>&1 && test_grep "^missing blob" out
'

test_expect_success 'rev-list --exclude-promisor-objects: only local objects' '
	again && git -C r rev-list --objects main ^main~2 | cut -d" " -f1 | sort >expect && git -C r rev-list --objects --all --exclude-promisor-objects >out && cut -d" " -f1 out | sort >actual && test_cmp expect actual &&
	git -C r rev-list --all --exclude-promisor-objects >out && git -C r rev-list main ^main~2 >expect && test_cmp expect out && git -C r rev-list --count --exclude-promisor-objects v1 >out && test "$(cat out)" = 0
'

test_expect_success '... a tree of ours with entries that are promised' '
	gone=$(head -n 1 missing | tr -d "?") && there=$(git -C r rev-parse v1:d) && blob=$(echo ours | git -C r hash-object -w --stdin) &&
	tree=$(printf "100644 blob $gone\tgone\n100644 blob $blob\tours\n040000 tree $there\tthere\n" | git -C r mktree --missing) && commit=$(git -C r commit-tree -m mix -p "v1^{commit}" $tree) &&
	git -C r rev-list --objects $commit --exclude-promisor-objects | cut -d" " -f1 | sort >actual && printf "%s\n" $blob $tree $commit | sort >expect && test_cmp expect actual &&
	rm -f r/.git/objects/pack/*.promisor && test_expect_code 128 git -C r rev-list --objects $commit --exclude-promisor-objects 2>err
'

test_expect_success '... nor ancestors of what came from there, whatever their dates are' '
	again && tree=$(git -C r rev-parse v1^{tree}) && old=$(GIT_COMMITTER_DATE="2000000000 +0000" git -C r commit-tree -m old $tree) &&
	there=$(GIT_COMMITTER_DATE="1000000000 +0000" git -C r commit-tree -m there -p $old $tree) && echo $there | git -C r pack-objects --stdout -q >last && git -C r index-pack --stdin --promisor <last >/dev/null &&
	mine=$(GIT_COMMITTER_DATE="2000000001 +0000" git -C r commit-tree -m mine -p $old $tree) && git -C r rev-list --exclude-promisor-objects $mine $there >out && echo $mine >expect && test_cmp expect out
'

test_expect_success 'trees, too: a clone without any' '
	git -C source pack-objects --all --filter=tree:0 --stdout -q </dev/null >sent0 && rm -rf t && git init -q t && git -C t index-pack --stdin --promisor <sent0 >/dev/null && git -C t update-ref refs/heads/main $(git -C source rev-parse main) &&
	git -C t fsck >out 2>&1 && test_grep ! missing out && git -C t rev-list --objects --missing=allow-promisor main >out && test_line_count = 4 out && git -C t repack -adq && git -C t gc -q && git -C t prune && git -C t fsck &&
	git -C t rev-list --objects --missing=allow-promisor main >out && test_line_count = 4 out
'

test_expect_success '... a missing object that no remote has promised' '
	again && rm -f r/.git/objects/$(echo $(git -C r rev-parse main:two) | sed "s|^..|&/|") && test_expect_code 128 git -C r rev-list --objects --all --exclude-promisor-objects 2>err && test_grep "missing blob" err &&
	test_expect_code 128 git -C r rev-list --objects --all --missing=allow-promisor 2>err
'

test_expect_success 'pack-objects: --exclude-promisor-objects, --missing=allow-promisor' '
	again && git -C r rev-list --objects main ^main~2 | cut -d" " -f1 | sort >expect && name=$(git -C r pack-objects --all --reflog --indexed-objects --exclude-promisor-objects -q ../p </dev/null) && partial_names p-$name.idx >actual && test_cmp expect actual &&
	test_expect_code 128 git -C r pack-objects --all -q ../p </dev/null 2>err && test_grep "$(cut -c2- missing | head -n 100 | sort | tr "\n" "|" | sed "s/|$//;s/|/\\\\|/g")" err &&
	name=$(git -C r pack-objects --all --missing=allow-promisor -q ../p </dev/null) && partial_names p-$name.idx >actual && sort -u expect promisor >both && test_cmp both actual &&
	rm -f r/.git/objects/$(echo $(git -C r rev-parse main:two) | sed "s|^..|&/|") && for o in --exclude-promisor-objects --missing=allow-promisor; do test_expect_code 128 git -C r pack-objects --all $o -q ../p </dev/null 2>err && test_grep "missing blob" err || return; done &&
	test_expect_code 129 git -C r pack-objects --missing=foo --stdout 2>err
'

test_expect_success 'prune: promised objects may be missing, any other missing one stops it' '
	again && stray=$(echo stray | git -C r hash-object -w --stdin) && git -C r prune && test_must_fail git -C r cat-file -e $stray && git -C r fsck --strict && git -C r cat-file -e main:two &&
	stray=$(echo stray | git -C r hash-object -w --stdin) && git -C r prune --exclude-promisor-objects && test_must_fail git -C r cat-file -e $stray && stray=$(echo stray | git -C r hash-object -w --stdin) &&
	rm -f r/.git/objects/$(echo $(git -C r rev-parse main:two) | sed "s|^..|&/|") && test_expect_code 128 git -C r prune 2>err && git -C r cat-file -e $stray
'

test_expect_success STOCK_GIT 'stock Git says the same' '
	again && stock -C r fsck && for how in "--objects --all --exclude-promisor-objects" "--objects --all --missing=allow-promisor" "--all --exclude-promisor-objects"; do
		stock -C r rev-list $how | sort >expect && git -C r rev-list $how | sort >actual && test_cmp expect actual || return
	done
'

test_done
