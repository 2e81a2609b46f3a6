#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='findings about broken objects are those of stock Git'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PEER || test "$TEST_HASH" != sha1
then
	skip_all='needs stock git, and SHA-1'
	test_done
fi

helper=$GIT_BUILD_DIR/t/helper/fsck-object
T=4b825dc642cb6eb9a060e54bf8d69288fbee4904
A='author A <a@x> 1 +0000'
C='committer C <c@x> 1 +0000'
raw='\346\235\342\233\262\321\326\103\113\213\051\256\167\132\330\302\344\214\123\221'

# obj TYPE PRINTF-FORMAT: into stock's repository and into ours/OID
obj () {
	printf "$2" >content &&
	oid=$(stock -C repo hash-object -t "$1" -w --stdin --literally <content) &&
	cp content "ours/$oid" &&
	echo "$1" >"ours/$oid.type"
}

commit_of () { # the lines behind "tree"
	obj commit "tree $T\n$1"
}

person () {
	commit_of "author $1\n$C\n\nm" &&
	commit_of "$A\ncommitter $1\n\nm" &&
	obj tag "object $T\ntype tree\ntag t\ntagger $1\n\nm"
}

entries () { # MODE NAME ...
	entries_text=
	while test $# -gt 0
	do
		entries_text="$entries_text$1 $2\\000$raw" &&
		shift 2 || return 1
	done
	obj tree "$entries_text"
}

compare () {
	stock -C repo fsck --no-dangling "$@" >out 2>&1
	sed -n '/^[a-z]* in [a-z]* [0-9a-f]*: /p' out |
	grep -v 'broken links' | sort >expect &&
	for f in ours/*.type
	do
		f=${f%.type} &&
		"$helper" "$@" $(cat "$f.type") <"$f"
	done | sort >actual
	# To Git before 2.55 a negative date overflows (t4209-odd-commits.sh).
	sed "s/badDate[A-Za-z]*: .*/a date/" expect >want && sed "s/badDate[A-Za-z]*: .*/a date/" actual >got &&
	test_cmp want got
}

test_expect_success 'broken commits' '
	stock init -q repo && mkdir ours &&
	: | stock -C repo hash-object -w --stdin &&
	: | stock -C repo hash-object -t tree -w --stdin &&
	commit_of "$A\n$C\n\nm" &&
	commit_of "$A\n$C\n" &&
	commit_of "$A\n$C\nencoding x" &&
	commit_of "$C\n\nm" &&
	commit_of "$A\n\nm" &&
	commit_of "$A\n$A\n$C\n\nm" &&
	commit_of "$A\n$C\n\nm\\000n" &&
	commit_of "$A\n$C\nx\\000y\n\nm" &&
	commit_of "\n"
'

test_expect_success 'broken names and dates' '
	person "A<a@x> 1 +0000" &&
	person "A a@x> 1 +0000" &&
	person "A <a@x 1 +0000" &&
	person "<a@x> 1 +0000" &&
	person " <a@x> 1 +0000" &&
	person "A <a<@x> 1 +0000" &&
	person "A <a@x>1 +0000" &&
	person "A <a@x>  1 +0000" &&
	person "A <a@x> 01 +0000" &&
	person "A <a@x> x +0000" &&
	person "A <a@x> 9223372036854775807 +0000" &&
	person "A <a@x> 9223372036854775808 +0000" &&
	person "A <a@x> -1 +0000" &&
	person "A <a@x> 1 0000" &&
	person "A <a@x> 1 +000" &&
	person "A <a@x> 1" &&
	person "A"
'

test_expect_success 'broken tags' '
	obj tag "object $T\ntype tree\ntag t\n\nm" &&
	obj tag "object $T\ntype tree\ntag a..b\ntagger T <t@x> 1 +0000\n\nm" &&
	obj tag "object $T\ntype tree\ntag x.lock\ntagger T <t@x> 1 +0000\n\nm" &&
	obj tag "object $T\ntype tree\ntag a\ntagger T <t@x> 1 +0000\nextra\n\nm"
'

test_expect_success 'broken trees' '
	for name in . .. .git .GIT a/b ".git " git~1 ".g\\342\\200\\214it" "x\\\\.git" \
		.gitmodules .gitattributes .gitignore .mailmap gitmod~1 gi7eba~1 gi7d29~1 \
		gi250a~1 maba30~1 ".gitmodules " "~1000000"
	do
		entries 100644 "$name" && entries 120000 "$name" || return 1
	done &&
	for mode in 100664 0100644 040000 100600 644 0 120777 160001
	do
		entries $mode f || return 1
	done &&
	entries 100644 b 100644 a &&
	entries 100644 a 100644 a &&
	entries 100644 a 100644 a-b 100644 a.c 40000 a &&
	entries 40000 a 100644 a.b &&
	entries 100644 .git 100644 .git 0100644 . &&
	obj tree "100644 a\\000short"
'

test_expect_success 'stock Git and ours give the same messages' '
	compare
'

test_expect_success 'stock Git and ours give the same messages with --strict' '
	compare --strict
'

test_done
