#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a pack that lacks an object is refused, whichever way it comes

Push, fetch, bundles, unpack-objects and index-pack read packs with one engine (intake/reader.h), which has one check of
missing objects (intake/missing.h). Each of these tests fails without it.'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a pack that has a commit and its tree, but not the blob' '
	git init -q -b main src && echo one >src/f && git -C src add f && git -C src commit -q -m one &&
	C=$(git -C src rev-parse HEAD) && T=$(git -C src rev-parse HEAD^{tree}) && B=$(git -C src rev-parse HEAD:f) &&
	printf "$C\n$T\n" | git -C src pack-objects -q --stdout >less.pack &&
	printf "$B\n" | git -C src pack-objects -q --stdout >blob.pack
'

# target NAME: a new repository; empty NAME: it has no object and no ref
target () {
	rm -rf "$1" && git init -q --bare "$1"
}
empty () {
	find "$1/objects" -type f >found && git -C "$1" for-each-ref >>found && test_must_be_empty found
}

# send PACK: a push of main with this pack; the answer is in "out"
send () {
	words="report-status object-format=$TEST_HASH" && line="$ZERO_OID $C refs/heads/main" &&
	{
		printf "%04x%s\0%s0000" $((4 + ${#line} + 1 + ${#words})) "$line" "$words" && cat "$1"
	} >in && git receive-pack dst <in >out
}

test_expect_success 'push' '
	for limit in 1 100; do
		target dst && git -C dst config receive.unpackLimit $limit && send less.pack &&
		test_grep -a "ng refs/heads/main missing necessary objects" out && empty dst || return 1
	done &&
	git -C dst unpack-objects -q <blob.pack && send less.pack && test_grep -a "ok refs/heads/main" out && git -C dst fsck
'

test_expect_success 'push of a value that is not in the pack' '
	target dst && send blob.pack && test_grep -a "ng refs/heads/main missing necessary objects" out && empty dst
'

test_expect_success 'fetch, clone' '
	write_script hook <<-EOF && git config --global uploadpack.packObjectsHook "$PWD/hook" &&
	cat "$PWD/less.pack"
	EOF
	for limit in 1 100; do
		target dst && test_must_fail git -C dst -c fetch.unpackLimit=$limit fetch ../src main:main 2>err &&
		test_grep "did not receive expected object $B" err && empty dst || return 1
	done &&
	test_must_fail git clone -q "file://$PWD/src" no 2>err && test_grep "did not receive expected object $B" err && test ! -e no &&
	git config --global --unset uploadpack.packObjectsHook
'

test_expect_success 'fetch and clone of a bundle' '
	sig=$(test "$TEST_HASH" = sha1 && echo "# v2 git bundle" || printf "# v3 git bundle\n@object-format=%s" $TEST_HASH) &&
	{ printf "%s\n%s refs/heads/main\n\n" "$sig" $C && cat less.pack; } >less.bundle &&
	target dst && test_must_fail git -C dst fetch ../less.bundle main:main 2>err &&
	test_grep "did not receive expected object $B" err && empty dst &&
	test_must_fail git clone -q less.bundle no 2>err && test_grep "did not receive expected object $B" err && test ! -e no
'

test_expect_success 'unpack-objects --strict, index-pack --strict' '
	target dst && test_must_fail git -C dst unpack-objects -q --strict <less.pack 2>err &&
	test_grep "did not receive expected object $B" err && empty dst &&
	test_must_fail git -C dst index-pack --strict --stdin <less.pack 2>err &&
	test_grep "did not receive expected object $B" err && empty dst &&
	git -C dst unpack-objects -q <blob.pack && git -C dst unpack-objects -q --strict <less.pack
'

test_done
