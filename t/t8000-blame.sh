#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='blame: lines go to the commits that brought them'
. "$(dirname "$0")/test-lib.sh"

# lines ARGUMENT...: the subject of the commit that each line belongs to
lines () {
	git blame --line-porcelain "$@" >out && sed -n "s/^summary //p" out | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'each line belongs to the commit that brought it' '
	git init -q . && printf "%s\n" a b c d >f && git add f && git commit -qm one &&
	printf "%s\n" a B c d >f && git commit -qam two && printf "%s\n" x a B c >f && git commit -qam three &&
	test "$(lines HEAD -- f)" = "three one two one" && test "$(lines HEAD~ f)" = "one two one one"
'

test_expect_success 'ranges of lines and of commits limit the result' '
	test "$(lines -L 2,3 HEAD f)" = "one two" && test "$(lines -L /B/,+1 HEAD f)" = "two" &&
	test "$(lines HEAD~.. -- f)" = "three two two two" && git blame HEAD~.. -- f >out && test_grep "^^" out
'

test_expect_success 'a renamed file is followed' '
	git mv f g && git commit -qm rename && test "$(lines HEAD g)" = "three one two one" &&
	git blame HEAD g >out && test_grep "^[0-9a-f^]* f " out
'

test_expect_success 'both sides of a merge are asked' '
	git checkout -qb side && echo side >>g && git commit -qam side && git checkout -q - &&
	sed 1s/x/y/ g >h && mv h g && git commit -qam main && git merge -qm merge side &&
	test "$(lines HEAD g)" = "main one two one side"
'

test_expect_success 'changes of the work tree are not committed yet' '
	echo new >>g && git blame g >out && test_grep "^00000* g* *(Not Committed Yet .*new$" out &&
	echo other | git blame --contents - g >out && test_grep "External file (--contents)" out && git checkout -q g
'

test_expect_success 'moved and copied blocks are found by -M and -C' '
	i=0 && while test $i -lt 12; do echo "some line with the number $i"; i=$((i+1)); done >long &&
	git add long && git commit -qm long && { sed 1,8d long && sed 8q long; } >t && mv t long && git commit -qam moved &&
	git blame -s HEAD long >out && git blame -s -M HEAD long >moved && ! test_cmp out moved &&
	test "$(lines -M HEAD long | tr " " "\n" | sort -u)" = long &&
	sed 6q long >copy && git rm -q --cached long && rm long && git add copy && git commit -qm copy &&
	sed 3q copy >part && echo more >>copy && git add . && git commit -qm part &&
	test "$(lines HEAD part | tr " " "\n" | sort -u)" = part &&
	test "$(lines -C HEAD part | tr " " "\n" | sort -u)" = "long"
'

test_expect_success 'annotate prints its own format; --incremental prints no text' '
	git annotate HEAD g >out && test_grep "	(" out && git blame --incremental HEAD g >out && test_grep "^filename g$" out &&
	! grep "	" out
'

test_expect_success 'a file or a line that is not there is an error' '
	test_expect_code 128 git blame HEAD nothing 2>err && test_grep "no such path nothing in" err &&
	test_expect_code 128 git blame -L 99,100 HEAD g 2>err && test_grep "has only 5 lines" err
'

test_done
