#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fsck: links to objects of another type, names with .git in front'
. "$(dirname "$0")/test-lib.sh"

# changed_tree SED-SCRIPT: a tree with one file "f", its bytes changed
changed_tree () {
	git cat-file tree $T | LC_ALL=C sed "$1" | git hash-object -t tree --literally -w --stdin
}

test_expect_success 'set up' '
	git init -q . && B=$(echo x | git hash-object -w --stdin) &&
	T=$(printf "100644 blob $B\tf\n" | git mktree) &&
	printf "author a <a@b.c> 1 +0000\ncommitter a <a@b.c> 1 +0000\n\nx\n" >rest
'

test_expect_success 'fsck checks the links of unreachable objects' '
	(echo "tree $B" && cat rest) >c && C=$(git hash-object -t commit --literally -w c) &&
	(printf "object $B\ntype commit\ntag t\ntagger a <a@b.c> 1 +0000\n\nx\n") >t &&
	A=$(git hash-object -t tag --literally -w t) &&
	D=$(changed_tree "s/^100644 /40000 /") &&
	test_expect_code 1 git fsck 2>err &&
	test_grep "^error in commit $C: broken links$" err &&
	test_grep "^error in tag $A: broken links$" err &&
	test_grep "^error in tree $D: broken links$" err &&
	test_grep "^error: object $B is a blob, not a tree$" err &&
	test_grep "^error: object $B is a blob, not a commit$" err &&
	! grep "$T: broken" err &&
	rm -rf .git && git init -q . && echo x | git hash-object -w --stdin &&
	printf "100644 blob $B\tf\n" | git mktree && git fsck
'

test_expect_success '.git in front of a slash' '
	for name in .git/config .GIT/x git~1/x; do
		X=$(changed_tree "s|100644 f|100644 $name|") && git fsck 2>err &&
		test_grep "^warning in tree $X: hasDotgit: contains" err &&
		test_grep "^warning in tree $X: fullPathname: contains" err || return 1
	done &&
	X=$(changed_tree "s|100644 f|100644 a/.gitx|") && git fsck 2>err &&
	! grep "$X: hasDotgit" err
'

test_expect_success REFFILES '--verbose names the ref database, and each thing once' '
	git init -q -b main noisy && git -C noisy commit -q --allow-empty -m x && git -C noisy tag v1 && git -C noisy fsck --verbose 2>err && sed -n "/^Checking object directory/q; s# [^ ]*/[.]git/# .git/#; p" err >actual && cat >expect <<-\EOF && test_cmp expect actual &&
	Checking ref database
	Checking references consistency
	Checking refs/heads/main
	Checking refs/tags/v1
	Checking HEAD
	Checking packed-refs file .git/packed-refs
	EOF
	test_grep ! "link$" err
'

test_expect_success '--verbose names the tables of refs' '
	git init -q -b main --ref-format=reftable tables && git -C tables commit -q --allow-empty -m x && git -C tables fsck --verbose 2>err &&
	sed -n "/^Checking object directory/q; p" err >actual && { echo "Checking ref database" && echo "Checking references consistency" &&
	sed "s/^/Checking table: /" tables/.git/reftable/tables.list; } >expect && test_cmp expect actual
'

test_done
