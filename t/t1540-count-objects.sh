#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git count-objects, compared with stock git'
. "$(dirname "$0")/test-lib.sh"

test_have_prereq PEER || {
	skip_all='needs stock git to make packs'
	test_done
}

# Ours and stock print the same; order of warnings is ours.
same_as_stock () {
	stock -C repo count-objects "$@" >expect 2>expect.err &&
	git -C repo count-objects "$@" >actual 2>actual.err &&
	test_cmp expect actual &&
	sort expect.err >expect.sorted &&
	sort actual.err >actual.sorted &&
	test_cmp expect.sorted actual.sorted
}

test_expect_success 'an empty repository' '
	stock init -q --object-format=$TEST_HASH repo &&
	same_as_stock &&
	same_as_stock -v &&
	same_as_stock -H &&
	same_as_stock -vH
'

test_expect_success 'loose and packed objects' '
	for i in 1 2 3 4 5; do
		echo $i >repo/f$i && stock -C repo add . || return 1
	done &&
	stock -C repo commit -qm one &&
	same_as_stock &&
	stock -C repo repack -q &&
	same_as_stock -v &&
	stock -C repo prune-packed &&
	echo more >repo/f1 &&
	stock -C repo commit -qam two &&
	same_as_stock &&
	same_as_stock -v &&
	same_as_stock -v -H
'

test_expect_success 'garbage' '
	(
		cd repo/.git/objects &&
		d=$(ls -d ??|head -n 1) &&
		echo 1 >$d/tmp_obj_abc && echo 22 >$d/strange && echo 333 >other &&
		cd pack &&
		touch foo bar.pack baz.idx baz.rev pack-1.keep pack-1.pack x.bitmap &&
		echo 4444 >tmp_pack_XYZ && mkdir dir
	) &&
	same_as_stock &&
	same_as_stock -v &&
	same_as_stock -vH
'

test_expect_success 'alternates are named' '
	stock clone -q -s repo clone 2>/dev/null &&
	stock -C clone count-objects -v >expect 2>/dev/null &&
	git -C clone count-objects -v >actual 2>/dev/null &&
	test_grep "^alternate: \"\?/.*repo/.git/objects\"\?\$" actual &&
	test_cmp expect actual
'

test_expect_success 'no further arguments' '
	test_expect_code 129 git -C repo count-objects x 2>err &&
	test_grep "usage: git count-objects" err &&
	test_expect_code 128 git count-objects 2>err &&
	test_grep "not a git repository" err
'

test_expect_success 'relative names in GIT_ALTERNATE_OBJECT_DIRECTORIES' '
	git init -q lender && oid=$(echo lent | git -C lender hash-object -w --stdin) &&
	git init -q borrower && cd borrower && test_when_finished "cd .." &&
	GIT_ALTERNATE_OBJECT_DIRECTORIES=../lender/.git/objects git cat-file -e $oid &&
	test_must_fail env GIT_ALTERNATE_OBJECT_DIRECTORIES=../nowhere/objects git cat-file -e $oid 2>err &&
	test_grep "^error: unable to normalize alternate object path: ../nowhere/objects" err &&
	echo /nowhere >.git/objects/info/alternates &&
	git count-objects 2>err &&
	test_grep "^error: object directory /nowhere does not exist; check .git/objects/info/alternates\$" err
'

test_done
