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

test_expect_success 'what cannot be hashed' '
	peers_git hash-object nope &&
	peers_git hash-object d &&
	peers_git hash-object -t foo f &&
	PEERS_STDERR=ignore peers_git hash-object -t commit f &&
	PEERS_STDERR=ignore peers_git hash-object -t tag f &&
	PEERS_STDERR=ignore peers_git hash-object -t tree f &&
	peers_git hash-object --literally -t commit f &&
	peers_git hash-object --literally -t foo f &&
	peers_git hash-object --stdin --stdin &&
	peers_git hash-object --stdin --stdin-paths &&
	peers_git hash-object --stdin-paths f &&
	peers_git hash-object --stdin-paths --path=x &&
	peers_git hash-object --no-filters --path=x f
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
