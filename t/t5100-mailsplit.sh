#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git mailsplit'
. "$(dirname "$0")/test-lib.sh"

from="From a@b Mon Sep 17 00:00:00 2001"

# splits NUMBER ARGUMENT...: standard input becomes NUMBER mails in o/
splits () {
	rm -rf o && mkdir o && echo $1 >expect && shift && git mailsplit -oo "$@" >out && test_cmp expect out
}

# has FILE TEXT: for printf
has () {
	printf "$2" >expect && test_cmp expect "$1"
}

test_expect_success 'mails begin with From, a time and a year' '
	printf "$from\n1\n\nFrom x\nFrom 10:11:1 1992\nFrom x yyyyyy 10:11:12 85\nFrom x yyyy 10:x1:12 91\nFrom x yyyyyy 10:11:12 91\n>From 2\n" | splits 2 &&
	has o/0001 "$from\n1\n\nFrom x\nFrom 10:11:1 1992\nFrom x yyyyyy 10:11:12 85\nFrom x yyyy 10:x1:12 91\n" &&
	has o/0002 "From x yyyyyy 10:11:12 91\n>From 2\n" &&
	printf " \n\n$from\n1" | splits 1 && has o/0001 "$from\n1" && splits 0 </dev/null
'

test_expect_success '-b: one mail without such a line; else a corrupt mailbox' '
	printf "S: x\n$from\n" >in && test_expect_code 1 git mailsplit -oo <in 2>err && test_grep "^corrupt mailbox" err &&
	splits 1 -b <in && test_cmp in o/0001
'

test_expect_success 'CR goes, unless --keep-cr; --mboxrd takes back >' '
	printf "$from\r\nx\r\n>From 1\n>>From 2\nz\r" >in && splits 1 <in && has o/0001 "$from\nx\n>From 1\n>>From 2\nz\r" &&
	splits 1 --keep-cr <in && test_cmp in o/0001 &&
	splits 1 --mboxrd <in && has o/0001 "$from\nx\nFrom 1\n>From 2\nz\r"
'

test_expect_success '-f and -d name the files' '
	printf "$from\n" | splits 1 -f7 -d6 && has o/000008 "$from\n" &&
	for bad in -d2 -d10 -d4x; do test_expect_code 129 git mailsplit -oo $bad </dev/null 2>err || return 1; done &&
	test_expect_code 128 git mailsplit -oo --nope 2>err && test_grep "unknown option: --nope" err
'

test_expect_success 'a file that is there is not overwritten' '
	printf "$from\n" >in && echo old >o/0001 && test_expect_code 128 git mailsplit -oo in 2>err && has o/0001 "old\n" &&
	test_grep "unable to create .o/0001" err && test_expect_code 128 git mailsplit -onowhere in 2>err
'

test_expect_success 'several mailboxes, standard input, the old way to name the directory' '
	printf "$from\n1\n" >m1 && printf "$from\n2\n" | splits 2 -- - m1 && has o/0001 "$from\n2\n" && has o/0002 "$from\n1\n" &&
	rm -f o/* && git mailsplit m1 o && has o/0001 "$from\n1\n" && rm -f o/* && git mailsplit o <m1 && has o/0001 "$from\n1\n" &&
	test_expect_code 129 git mailsplit 2>err && test_expect_code 129 git mailsplit m1 m1 o 2>err &&
	test_expect_code 1 git mailsplit -oo missing 2>err && test_grep "cannot stat missing" err &&
	: >empty && test_expect_code 1 git mailsplit -oo empty 2>err && test_grep "empty mbox: .empty." err
'

test_expect_success 'a maildir: by the numbers in its names, one mail each' '
	mkdir -p d/cur d/new d/tmp && echo ten >d/cur/10.x && echo nine >d/cur/9.y && echo hidden >d/cur/.1 && echo tmp >d/tmp/1 &&
	printf "$from\nnew\n$from\n2\n" >d/new/1 && splits 3 d </dev/null && has o/0001 "nine\n" && has o/0002 "ten\n" &&
	has o/0003 "$from\nnew\n" && mkdir -p e && splits 0 e && : >d/new/2 &&
	test_expect_code 1 git mailsplit -oo -f9 d 2>err && test_grep "cannot read mail d/new/2" err
'

test_done
