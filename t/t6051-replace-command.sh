#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git replace: refs that replace objects are made, listed and deleted'
. "$(dirname "$0")/test-lib.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND
unset GIT_REPLACE_REF_BASE
SQ="'"

test_expect_success 'set up' '
	git init -q -b main && git config core.fsyncMethod batch && for i in 1 2 3 4
	do
		echo $i >f && git add f && git commit -q -m c$i || return 1
	done && head=$(git rev-parse HEAD) && parent=$(git rev-parse HEAD~1) && first=$(git rev-parse HEAD~3)
'

test_expect_success 'an object is replaced, and -f replaces the ref' '
	git replace HEAD HEAD~1 && git log -1 --format=%s HEAD >out && echo c3 >expect && test_cmp expect out &&
	test_expect_code 255 git replace $head $first 2>err &&
	echo "error: replace ref ${SQ}refs/replace/$head${SQ} already exists" >expect && test_cmp expect err &&
	git replace -f $head $first && test $(git rev-parse refs/replace/$head) = $first
'

test_expect_success 'the types are the same, unless -f' '
	test_expect_code 255 git replace $parent $parent^{tree} 2>err && grep "Objects must be of the same type" err &&
	grep "while .$parent^{tree}. points to a replacement object of type .tree." err &&
	git replace -f $parent $parent^{tree} && git replace -d $parent >out &&
	echo "Deleted replace ref ${SQ}$parent${SQ}" >expect && test_cmp expect out
'

test_expect_success 'lists' '
	echo $head >expect && git replace >out && test_cmp expect out && git replace -l --format=short >out && test_cmp expect out &&
	git replace --format=medium >out && echo "$head -> $first" >expect && test_cmp expect out &&
	git replace -l --format=long >out && echo "$head (commit) -> $first (commit)" >expect && test_cmp expect out &&
	git replace -l "$(echo $head | cut -c1-3)*" >out && echo $head >expect && test_cmp expect out &&
	git replace -l "x*" >out && test_must_be_empty out && test_expect_code 255 git replace -l --format=odd
'

test_expect_success 'deletions: a bad name does not keep the others' '
	test_expect_code 1 git replace -d missing $head 2>err >out && grep "failed to resolve .missing. as a valid ref" err &&
	test_line_count = 1 out && git replace >out && test_must_be_empty out &&
	test_expect_code 1 git replace -d $head 2>err && echo "error: replace ref ${SQ}$head${SQ} not found" >expect && test_cmp expect err
'

test_expect_success 'options that do not go together' '
	for args in "-f" "-d" "a" "a b c" "-d -f a" "-d --format=long a" "--raw a b" "-e" "-e a b" "-g" "-l a b" "--convert-graft-file a" "-d -l"
	do
		test_expect_code 129 git replace $args || return 1
	done
'

test_expect_success '--graft gives other parents' '
	git replace --graft HEAD $first && git log --format=%s >out && printf "%s\n" c4 c1 >expect && test_cmp expect out &&
	test_expect_code 255 git replace --graft $head $parent 2>err && grep "new commit is the same as the old one" err &&
	git replace -f --graft $head && git log --format=%s >out && echo c4 >expect && test_cmp expect out &&
	git replace -f --graft $head $first $parent && git log -1 --format=%P >out && echo "$first $parent" >expect && test_cmp expect out &&
	test_expect_code 255 git replace -f --graft $head HEAD:f 2>err && grep "could not parse HEAD:f as a commit" err && git replace -d $head
'

test_expect_success '--graft drops a signature and keeps merged tags of parents alone' '
	{ git cat-file commit HEAD | sed "/^committer/q" && printf "gpgsig -----BEGIN\n x\n\nsigned\n"; } >text &&
	signed=$(git hash-object -t commit -w --stdin <text) && git replace --graft $signed $first 2>err &&
	grep "the signature will be removed in the replacement commit!" err && git cat-file commit $signed >out && ! grep gpgsig out &&
	{ git cat-file commit HEAD | sed "/^committer/q" && printf "mergetag object $parent\n type commit\n tag t\n tagger T <t> 1 +0000\n \n x\n\nm\n"; } >text &&
	merge=$(git hash-object -t commit -w --stdin <text) && git replace --graft $merge $parent $first &&
	test_expect_code 255 git replace -f --graft $merge $first 2>err && grep "contains mergetag .* that is discarded; use --edit" err &&
	git replace -d $merge $signed
'

test_expect_success '--edit: commits, trees, blobs' '
	GIT_EDITOR="sed -i s/^c4/edited/" git replace --edit HEAD && git log -1 --format=%s >out && echo edited >expect && test_cmp expect out &&
	GIT_EDITOR="sed -i s/^c4/again/" git replace -f --edit HEAD && git log -1 --format=%s >out && echo again >expect && test_cmp expect out &&
	test_expect_code 255 git replace --edit HEAD 2>err && git replace -d $head && tree=$(git rev-parse HEAD^{tree}) &&
	GIT_EDITOR="sed -i s/f$/other/" git replace --edit $tree && git ls-tree --name-only HEAD >out && echo other >expect && test_cmp expect out &&
	git replace -d $tree && blob=$(git rev-parse HEAD:f) && GIT_EDITOR="echo new >" git replace -e HEAD:f && git cat-file blob $blob >out &&
	echo new >expect && test_cmp expect out && git replace -d $blob
'

test_expect_success '--edit refuses what fsck refuses, an unchanged object, and an editor that fails' '
	test_expect_code 128 env GIT_EDITOR="echo x >" git replace --edit HEAD 2>err && grep "refusing to create malformed object" err &&
	test_expect_code 255 env GIT_EDITOR=: git replace --edit HEAD 2>err && grep "new object is the same as the old one" err &&
	test_expect_code 255 env GIT_EDITOR=false git replace --edit HEAD 2>err && grep "editing object file failed" err &&
	test_expect_code 255 env GIT_EDITOR="echo x >" git replace --edit HEAD^{tree} 2>err && grep "input format error: x" err &&
	for edit in "s/^100644/040000/" "s/blob ./blob 0/;s/blob 0/blob a/" "s/blob/tree/" "s/	f$/	a\/b/" "s/blob \([0-9a-f]*\)/blob $(git rev-parse HEAD)/"
	do
		test_expect_code 255 env GIT_EDITOR="sed -i \"$edit\"" git replace --edit HEAD^{tree} 2>>errs || return
	done && sed "s/ object [0-9a-f]* / object X /; /mktree reported failure/d" errs >got &&
	printf "fatal: %s\n" "entry ${SQ}f$SQ object type (blob) doesn${SQ}t match mode type (tree)" "entry ${SQ}f$SQ object X is unavailable" "entry ${SQ}f$SQ object type (tree) doesn${SQ}t match mode type (blob)" \
		"path a/b contains slash" "entry ${SQ}f$SQ object X is a commit but specified type was (blob)" >want && test_cmp want got &&
	test_expect_code 128 env GIT_EDITOR="echo x >" git replace --raw --edit HEAD^{tree} && git replace >out && test_must_be_empty out
'

test_expect_success '--convert-graft-file' '
	test_expect_code 1 git replace --convert-graft-file && mkdir -p .git/info && printf "# words\n$head $first\n$parent\n" >.git/info/grafts &&
	test "$(count_flushes git replace --convert-graft-file)" = 1 && test_path_is_missing .git/info/grafts &&
	git log --format=%s >out && printf "%s\n" c4 c1 >expect && test_cmp expect out && git replace >out && test_line_count = 2 out &&
	echo "$head bad" >.git/info/grafts && test_expect_code 1 git replace -f --convert-graft-file 2>err &&
	grep "could not convert the following graft(s)" err && test -s .git/info/grafts && rm .git/info/grafts && git replace -d $head $parent
'

test_expect_success 'another place, and one flush' '
	GIT_REPLACE_REF_BASE=refs/foo git replace HEAD HEAD~1 && git rev-parse --verify refs/foo/$head && git replace >out && test_must_be_empty out &&
	git update-ref -d refs/foo/$head && test "$(count_flushes git replace HEAD HEAD~1)" = 1 &&
	test "$(count_flushes git replace -f --graft $head $first)" = 1
'

test_expect_success '--convert-graft-file: several lines for a commit' '
	git init -q twice && cd twice && git config advice.graftFileDeprecated false && for i in 1 2 3 4; do git commit -q --allow-empty -m c$i || return; done && head=$(git rev-parse HEAD) first=$(git rev-parse HEAD~3) second=$(git rev-parse HEAD~2) &&
	printf "%s\n" "$head $second" "$head $first" "$head $first $second" >grafts && cp grafts .git/info/grafts && test_expect_code 1 git replace --convert-graft-file 2>err && grep -c "^error: replace ref .refs/replace/$head. already exists$" err >nr && echo 2 >want && test_cmp want nr &&
	test_grep "^	$head $first$" err && test_path_is_file .git/info/grafts && rm .git/info/grafts && git log -1 --format=%P >got && echo $second >want && test_cmp want got &&
	cp grafts .git/info/grafts && git replace -f --convert-graft-file && test_path_is_missing .git/info/grafts && git log -1 --format=%P >got && echo $first $second >want && test_cmp want got
'

test_expect_success '-d of an object that is named twice' '
	git init -q doubled && cd doubled && git commit -q --allow-empty -m a && git commit -q --allow-empty -m b && git replace HEAD HEAD~ && head=$(git rev-parse HEAD) &&
	test_expect_code 1 git replace -d $head $head >out 2>err && echo "error: replace ref ${SQ}$head${SQ} not found" >want && test_cmp want err && git replace >out && test_must_be_empty out
'

test_done
