#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git hash-object, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

make_files () {
	echo hi >f && mkdir d && echo x >d/g && printf "a\r\nb\r\n" >crlf.txt && : >empty &&
	printf "*.txt text\n" >.gitattributes
}

test_expect_success 'names' '
	peers_init &&
	peers_do make_files &&
	peers_git hash-object f d/g empty crlf.txt &&
	PEERS_DIR=d peers_git hash-object g ../f &&
	echo hello >in && PEERS_STDIN=in peers_git hash-object --stdin f
'

test_expect_success 'filters' '
	peers_git hash-object --no-filters crlf.txt &&
	PEERS_STDIN=ours/crlf.txt peers_git hash-object --stdin &&
	PEERS_STDIN=ours/crlf.txt peers_git hash-object --stdin --path=x.txt &&
	PEERS_STDIN=ours/crlf.txt PEERS_DIR=d peers_git hash-object --stdin --path=../y.txt &&
	peers_git hash-object --path=x.bin crlf.txt
'

test_expect_success '-w, read back by stock git' '
	oid=$(git -C ours hash-object -w f) &&
	stock -C ours cat-file blob $oid >actual && test_cmp ours/f actual &&
	oid=$(git -C ours hash-object -w --stdin </dev/null) &&
	test "$oid" = "$EMPTY_BLOB" && stock -C ours cat-file -e $oid &&
	stock -C ours fsck --strict
'

test_expect_success '-w of many at once' '
	for i in 1 2 3 4 5 6 7 8 9 10; do echo $i >ours/n$i && echo n$i || return 1; done >list &&
	git -C ours hash-object -w --stdin-paths <list >oids &&
	test_line_count = 10 oids &&
	while read -r oid; do stock -C ours cat-file blob $oid || return 1; done <oids >actual &&
	printf "%s\n" 1 2 3 4 5 6 7 8 9 10 >expect && test_cmp expect actual
'

test_expect_success 'a program that waits for each answer finds the object' '
	mkfifo to from &&
	{ (cd ours && git hash-object -w --stdin-paths) <to >from & } &&
	exec 8>to 9<from &&
	for name in n1 n2 d/g
	do
		echo $name >&8 && read -r oid <&9 &&
		stock -C ours cat-file blob $oid >actual && test_cmp ours/$name actual || return 1
	done &&
	exec 8>&- 9<&- && wait
'

test_expect_success 'lines: quoted, with CR, without an end' '
	printf "\"d/\\\\147\"\nf\r\nempty" >in && PEERS_STDIN=in peers_git hash-object --stdin-paths &&
	printf "\"d/g\n" >in && PEERS_STDIN=in peers_git hash-object --stdin-paths &&
	printf "nope\n" >in && PEERS_STDIN=in peers_git hash-object --stdin-paths
'

test_expect_success 'hash-object refuses missing files, directories and bad objects' '
	peers_git hash-object nope &&
	peers_git hash-object d &&
	peers_git hash-object -t foo f &&
	PEERS_STDERR=ignore peers_git hash-object -t commit f &&
	PEERS_STDERR=ignore peers_git hash-object -t tag f &&
	PEERS_STDERR=ignore peers_git hash-object -t tree f &&
	peers_git hash-object --literally -t commit f &&
	peers_git hash-object --stdin --stdin &&
	peers_git hash-object --stdin --stdin-paths &&
	peers_git hash-object --stdin-paths f &&
	peers_git hash-object --stdin-paths --path=x &&
	peers_git hash-object --no-filters --path=x f
'

# refuses TYPE ID TEXT: this content, by the check that fsck has
refuses () {
	printf "$3" >content && for w in "" -w; do
		test_expect_code 128 git -C bad hash-object -t $1 $w --stdin <content 2>err && test_grep "^error: object fails fsck: $2: " err &&
		test_grep "^fatal: refusing to create malformed object" err || return 1
	done && git -C bad hash-object -t $1 --literally --stdin <content
}

test_expect_success 'malformed objects are refused unless --literally' '
	git init -q bad && T=$EMPTY_TREE A="author A <a@b> 1 +0000" C="committer A <a@b> 1 +0000" && hash=$(printf "%0$((OID_HEXLEN / 2))d" 1 | tr 01 xy) &&
	refuses commit unterminatedHeader "tree $T" && refuses commit missingAuthor "tree $T\n\n" && refuses commit badTreeSha1 "tree x\n$A\n$C\n\n" &&
	refuses commit badParentSha1 "tree $T\nparent x\n$A\n$C\n\n" && refuses commit missingCommitter "tree $T\n$A\n\n" &&
	refuses commit missingEmail "tree $T\nauthor A a@b 1 +0000\n$C\n\n" && refuses commit badDate "tree $T\nauthor A <a@b> x +0000\n$C\n\n" &&
	refuses commit badTimezone "tree $T\nauthor A <a@b> 1 0\n$C\n\n" && refuses commit nulInCommit "tree $T\n$A\n$C\n\na\0b" &&
	refuses tag badObjectSha1 "object x\n\n" && refuses tag badType "object $T\ntype foo\ntag v\ntagger A <a@b> 1 +0000\n\n" &&
	refuses tag badTagName "object $T\ntype tree\ntag a b\ntagger A <a@b> 1 +0000\n\n" &&
	refuses tag missingTaggerEntry "object $T\ntype tree\ntag v\n\n" &&
	refuses tree badTree "x" && test_grep "^error: too-short tree object" err &&
	refuses tree badTree "10064x f\0$hash" && test_grep "^error: malformed mode in tree entry" err &&
	refuses tree zeroPaddedFilemode "0100644 f\0$hash" && refuses tree fullPathname "100644 a/b\0$hash" &&
	refuses tree hasDotgit "40000 .git\0$hash" && refuses tree treeNotSorted "100644 b\0${hash}100644 a\0$hash" &&
	refuses tree duplicateEntries "100644 a\0${hash}100644 a\0$hash" &&
	test -z "$(find bad/.git/objects -type f)" && printf "100644 a\0$hash" | git -C bad hash-object -t tree --stdin &&
	test_expect_code 128 git -C bad hash-object --literally -t foo content 2>err && test_grep "invalid object type \"foo\"" err
'

test_expect_success 'names of the files before one that is missing' '
	echo x >first && git hash-object first >expect && test_expect_code 128 git hash-object first nope >actual && test_cmp expect actual
'

test_expect_success 'outside of a repository' '
	mkdir -p nowhere && echo x >nowhere/f &&
	GIT_CEILING_DIRECTORIES=$PWD && export GIT_CEILING_DIRECTORIES &&
	(cd nowhere && git hash-object f && stock hash-object f) >out &&
	test "$(uniq out | wc -l)" -eq 1 &&
	(cd nowhere && test_expect_code 128 git hash-object -w f) &&
	unset GIT_CEILING_DIRECTORIES
'

test_done
