#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rev-list --test-bitmap'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

# test_bitmap CODE ARGS: standard error, without progress, is in err
test_bitmap() {
	local code=$1
	shift
	test_expect_code "$code" git rev-list --test-bitmap "$@" >out 2>err && test_must_be_empty out
}

test_expect_success 'set up' '
	git init -q . && test_commit one && test_commit two && git tag -a -m t annotated
'

test_expect_success 'without bitmaps' '
	test_bitmap 128 HEAD && echo "fatal: failed to load bitmap indexes" >expect && test_cmp expect err
'

test_expect_success 'a commit with a bitmap' '
	git repack -adbq && test_bitmap 0 HEAD && sed "s/ [0-9a-f]* checksum/ X checksum/" err >shown &&
	pack=$(ls .git/objects/pack/*.bitmap | sed "s/.*pack-//; s/.bitmap//") &&
	cat >expect <<-EOT && test_cmp expect shown &&
	Bitmap v1 test (2 entries loaded, 2 total)
	Found bitmap for ${SQ}$(git rev-parse HEAD)${SQ}. 64 bits / X checksum
	Located via pack ${SQ}$pack${SQ}.
	OK!
	EOT
	test_bitmap 0 --objects --count HEAD~1 && test_grep "^OK!" err
'

test_expect_success 'only one commit can be tested' '
	echo "fatal: you must specify exactly one commit to test" >expect &&
	for args in "" "--all" "HEAD~1 HEAD" "HEAD~1..HEAD"; do
		test_bitmap 128 $args && test_cmp expect err || return 1
	done &&
	test_bitmap 128 annotated && test_grep "commit .$(git rev-parse annotated). doesn.t have an indexed bitmap" err
'

test_expect_success 'other objects than in the bitmap: a mismatch' '
	for args in "^HEAD" "HEAD -- two.t"; do
		test_bitmap 128 $args && test_grep "^fatal: mismatch in bitmap results" err && test_grep ! OK err || return 1
	done
'

test_expect_success 'a table of commits; a multi-pack-index' '
	git -c pack.writeBitmapLookupTable=true repack -adbqF && test_bitmap 0 HEAD && test_grep "(2 entries, 2 total)" err &&
	test_commit three && git repack -dq && test_bitmap 128 HEAD && test_grep "have an indexed bitmap" err &&
	git multi-pack-index write --bitmap 2>err && test_bitmap 0 HEAD && test_grep "^Located via MIDX .[0-9a-f]*.\.$" err &&
	test_grep "^OK!" err
'

test_done
