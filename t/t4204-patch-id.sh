#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git patch-id'
. "$(dirname "$0")/test-lib.sh"

zeros=0000000000000000000000000000000000000000
head_of () {
	printf "diff --git a/$1 b/$1\n--- a/$1\n+++ b/$1\n@@ -1 +1 @@\n"
}

# Fixed ids are sha1 of the text without white space: diff--gita/xb/x---a/x+++b/x-a+bc, diff--gita/xb/x1234.
# id ARGUMENT...: of the patch in standard input
id () {
	git patch-id "$@" >ids && sed "s/ .*//" ids
}

test_expect_success 'the hash of the patch without white space and line numbers' '
	{ head_of x; printf -- "-a\n+b c\n"; } >p && want=162107749b4575b9a71db3baa58cc6c0a51f3f72 &&
	test "$(git patch-id <p)" = "$want $zeros" && sed "s/@@ -1 +1/@@ -7,1 +9,1/; s/b c/b  c/" p | id >other && test "$(cat other)" = $want &&
	{ cat p && printf "\\\\ No newline at end of file\n"; } | id >other && test "$(cat other)" = $want &&
	sed "s/^-a/-z/" p | id >other && test "$(cat other)" != $want
'

test_expect_success '--stable: the order of files does not matter; --verbatim: white space does' '
	for n in x y; do head_of $n && printf -- "-a\n+b\n"; done >xy && for n in y x; do head_of $n && printf -- "-a\n+b\n"; done >yx &&
	test "$(id --stable <xy)" = "$(id --stable <yx)" && test "$(id <xy)" != "$(id <yx)" &&
	test "$(id --verbatim <xy)" = "$(id --verbatim <yx)" && sed "s/^+b/+ b/" xy >space &&
	test "$(id --stable <xy)" = "$(id --stable <space)" && test "$(id --verbatim <xy)" != "$(id --verbatim <space)" &&
	test "$(git -c patchid.stable=true patch-id <xy)" = "$(git patch-id --stable <xy)" &&
	test "$(git -c patchid.verbatim=true patch-id <xy)" = "$(git patch-id --verbatim <xy)" &&
	test "$(git -c patchid.verbatim=true patch-id --unstable <xy)" = "$(git patch-id <xy)" &&
	test_expect_code 129 git patch-id --stable --unstable <xy 2>err
'

test_expect_success 'commits above patches, as log, diff-tree and mails name them' '
	one=1111111111111111111111111111111111111111 two=2222222222222222222222222222222222222222 &&
	{ echo "commit $one (HEAD)"; printf "\n    diff\n\n"; cat p; echo $two; cat p; echo "From $one Mon Sep 17"; cat p; printf -- "-- \n2.0\n"; } |
	git patch-id >out && want=$(id <p) && printf "$want %s\n" $one $two $one >expect && test_cmp expect out &&
	echo text | git patch-id >out && test_must_be_empty out
'

test_expect_success 'binary files: their ids count' '
	printf "diff --git a/x b/x\nindex 12..34 100644\nBinary files a/x and b/x differ\n" >bin &&
	test "$(id <bin)" = 8310589acd5e82bda4f11baf940a6d500c613b9f &&
	printf "diff --git a/x b/x\nindex 12..34 100644\nGIT binary patch\nliteral 1\nIcmZ\n" | id >other && id <bin >want && test_cmp want other &&
	{ cat bin; cat p; } | id --stable >both && { cat p; cat bin; } | id --stable >other && test -s both &&
	sed "s/12\.\./13../" bin | id >other && test "$(cat other)" != "$(id <bin)"
'

test_expect_success 'a history: each commit has the id of its change' '
	git init -q -b main r && cd r && for i in 1 2 3; do echo $i >f && git add f && git commit -q -m $i || return 1; done &&
	git checkout -q -b side HEAD~2 && git cherry-pick -n main~1 && git commit -q -m other && git log -p main side >../log && cd .. &&
	git -C r patch-id --stable <log >ids && sort ids | sed "s/ .*//" | uniq -d >twice && test_line_count = 1 twice
'

test_done
