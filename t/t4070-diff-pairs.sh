#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git diff-pairs'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two trees' '
	git init -q -b main . && test_seq 30 >a && test_seq 5 >b && test_seq 3 >gone && git add a b gone && git commit -q -m one && git tag one &&
	git mv a moved && echo more >>moved && echo more >>b && git rm -q gone && echo new >new && ln -s new link && git add . && git commit -q -m two && git tag two &&
	git diff-tree -z -r -M one two >pairs
'

test_expect_success 'the pairs of diff-tree are shown as diff-tree shows them' '
	for o in "" --stat --raw --numstat --name-status "-p --stat" -U1 --summary; do
		git diff-pairs -z $o <pairs >got && git diff-tree -z -M ${o:--p} one two >want && cmp got want || return 1
	done && git diff-pairs -z <pairs >got && test_grep "^rename from a$" got
'

test_expect_success 'a NUL ends a batch' '
	{ cat pairs && printf "\0" && cat pairs; } >twice && git diff-pairs -z --name-only <twice >got &&
	{ git diff-pairs -z --name-only <pairs && printf "\0" && git diff-pairs -z --name-only <pairs; } >want && cmp got want &&
	printf "\0\0" | git diff-pairs -z >got && printf "\0\0" >want && cmp got want
'

test_expect_success '-R, --diff-filter, --exit-code' '
	git diff-pairs -z -R --stat <pairs >got && test_grep "^ new  *| 1 -$" got && test_grep "^ a => moved | 1 +$" got &&
	git diff-pairs -z --name-only --diff-filter=D <pairs >got && printf "gone\0" >want && cmp got want &&
	test_expect_code 1 git diff-pairs -z --exit-code <pairs >got && git diff-pairs -z --exit-code </dev/null && test_expect_code 1 git diff-pairs -z --quiet <pairs >got && test_must_be_empty got
'

test_expect_success 'input that is no raw line' '
	z=$(git rev-parse one | tr "0-9a-f" 0) && id=$(git rev-parse one:a) &&
	refused () {
		printf "$1" >in && test_expect_code 128 git diff-pairs -z <in 2>err && test_grep "$2" err
	} &&
	refused x "invalid raw diff input" && refused ":10064 100644 $id $z M\0a\0" "unable to parse mode: :10064" && refused ":040000 040000 $id $z M\0a\0" "tree objects not supported" &&
	refused ":100644 100644 abcd $z M\0a\0" "unable to parse object id: abcd" && refused ":100644 100644 $id $z U\0a\0" "unknown diff status: U" &&
	refused ":100644 100644 $id $z M\0" "got EOF while reading path" && refused ":100644 100644 $id $z R100\0a\0" "got EOF while reading destination path" &&
	refused ":100644 100644 $id $z R101\0a\0b\0" "score" &&
	test_expect_code 129 git diff-pairs <pairs 2>err && test_grep "working without -z is not supported" err &&
	test_expect_code 129 git diff-pairs -z -- a <pairs 2>err && test_grep "pathspec arguments not supported" err
'

test_done
