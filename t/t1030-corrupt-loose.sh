#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='damaged loose objects'
. "$(dirname "$0")/test-lib.sh"

test_lazy_prereq PERL_ZLIB 'perl -MCompress::Zlib -e 1'

test_expect_success 'set-up' '
	git init -q repo &&
	echo content >file &&
	oid=$(git -C repo hash-object -w --stdin <file) &&
	path=.git/objects/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-) &&
	cp repo/$path good && chmod u+w repo/$path
'

# bad MESSAGE: what cat-file says about the object, naming it and its file
bad () {
	test_expect_code 128 git -C repo cat-file blob $oid >out 2>err &&
	test_must_be_empty out &&
	test_grep "$1" err && test_grep "$path" err &&
	test_must_fail git -C repo fsck >out 2>&1 && test_grep "$path" out
}

test_expect_success 'empty' '
	: >repo/$path && bad "object file .* is empty"
'

test_expect_success 'cut off' '
	head -c 15 good >repo/$path && bad "is corrupt" &&
	head -c 3 good >repo/$path && bad "is corrupt"
'

test_expect_success 'no zlib stream' '
	echo hello >repo/$path && bad "is corrupt: unable to unpack header"
'

test_expect_success 'garbage at the end' '
	(cat good && echo x) >repo/$path && bad "garbage at end of loose object"
'

deflated () {
	perl -MCompress::Zlib -e "binmode STDOUT; print compress(\"$1\")" >repo/$path
}

test_expect_success PERL_ZLIB 'wrong header' '
	deflated "blub 8\\0content\\n" && bad "invalid object type" &&
	deflated "blob 08\\0content\\n" && bad "bad size in object header" &&
	deflated "blob 9\\0content\\n" && bad "its size differs" &&
	deflated "blob 7\\0content\\n" && bad "its size differs" &&
	deflated "content" && bad "malformed object header" &&
	deflated "blob 99999999999\\0content\\n" && bad "is corrupt"
'

test_expect_success PERL_ZLIB 'wrong content' '
	deflated "blob 8\\0CONTENT\\n" && bad "hash-path mismatch"
'

test_expect_success 'another copy is used, and the damaged one reported' '
	git init -q other && git -C other hash-object -w --stdin <file &&
	echo "$PWD/other/.git/objects" >repo/.git/objects/info/alternates &&
	: >repo/$path &&
	git -C repo cat-file blob $oid >actual 2>err && test_cmp file actual &&
	test_grep "$path" err
'

test_expect_success 'writing an object again replaces no good copy' '
	rm repo/.git/objects/info/alternates && cp good repo/$path && chmod a-w repo/$path &&
	ls -i repo/$path >before && git -C repo hash-object -w --stdin <file &&
	ls -i repo/$path >after && test_cmp before after
'

test_expect_success STRACE "each alternate is looked at as often, however many there are" '
	git init -q --bare borrower.git && sizes= &&
	for nr in 20 200; do
		for i in $(test_seq $nr); do
			mkdir -p many/$i && echo "$PWD/many/$i" || return 1
		done >borrower.git/objects/info/alternates &&
		trace_calls calls stat,newfstatat,statx git -C borrower.git count-objects -v >out &&
		sizes="$sizes $(grep -c "/many/" calls)" || return 1
	done &&
	set -- $sizes && test $1 -gt 0 && test $2 -le $((10 * $1))
'

test_done
