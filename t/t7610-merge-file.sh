#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git merge-file: three versions of a text'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }
# CODE, arguments; the result must be the text on standard input
gives () {
	code=$1 && shift && cat >expect && test_expect_code $code git merge-file -p "$@" >out && test_cmp expect out
}

test_expect_success 'changes of both sides' '
	lines 1 2 3 4 5 6 7 8 9 >base && lines 1 two 3 4 5 6 7 8 9 >ours && lines 1 2 3 4 5 6 7 8 nine ten >theirs && lines 1 two 3 4 5 6 7 8 nine ten | gives 0 ours base theirs &&
	gives 0 base base theirs <theirs && gives 0 ours base ours <ours && : >none && gives 0 none none theirs <theirs && gives 0 base base none </dev/null
'

test_expect_success 'the same lines, and adjoining ones, are conflicts' '
	lines 1 2 3 TWO 5 6 7 8 9 >ours && lines 1 2 3 two 5 6 7 8 9 >theirs && lines 1 2 3 "<<<<<<< ours" TWO ======= two ">>>>>>> theirs" 5 6 7 8 9 | gives 1 ours base theirs &&
	lines 1 2 3 "<<<<<<< ours" TWO "||||||| base" 4 ======= two ">>>>>>> theirs" 5 6 7 8 9 >want && gives 1 --diff3 ours base theirs <want &&
	test_expect_code 1 git -c merge.conflictStyle=diff3 merge-file -p ours base theirs >out && test_cmp want out &&
	lines 1 2 x 4 >ours && lines 1 2 3 y >theirs && lines 1 2 3 4 >b && lines 1 2 "<<<<<<< A" x 4 ======= 3 y ">>>>>>> C" | gives 1 -L A -L B -L C ours b theirs
'

test_expect_success 'conflicts are as small as can be; close ones become one' '
	lines a b c d e f g h i j k l >ours && lines 1 b c d e f g h i j k 2 >theirs && : >base2 && lines "<<<<<<< ours" a ======= 1 ">>>>>>> theirs" b c d e f g h i j k "<<<<<<< ours" l ======= 2 ">>>>>>> theirs" |
	gives 2 ours base2 theirs && lines a b c d e >ours && lines 1 b c d 2 >theirs && lines "<<<<<<< ours" a b c d e ======= 1 b c d 2 ">>>>>>> theirs" | gives 1 ours base2 theirs &&
	lines a b c d x e >ours && lines 1 b c d x 2 >theirs && lines "<<<<<<< ours" a ======= 1 ">>>>>>> theirs" b c d x "<<<<<<< ours" e ======= 2 ">>>>>>> theirs" | gives 2 ours base2 theirs &&
	lines a "{" "" "}" "--" e >ours && lines 1 "{" "" "}" "--" 2 >theirs && lines "<<<<<<< ours" a "{" "" "}" "--" e ======= 1 "{" "" "}" "--" 2 ">>>>>>> theirs" | gives 1 ours base2 theirs
'

test_expect_success 'zdiff3: common lines at the ends are no part of it' '
	lines 1 2 3 4 5 >b && lines 1 A x B 5 >ours && lines 1 A y B 5 >theirs && lines 1 A "<<<<<<< ours" x "||||||| b" 2 3 4 ======= y ">>>>>>> theirs" B 5 | gives 1 --zdiff3 ours b theirs &&
	lines 1 "<<<<<<< ours" A x B "||||||| b" 2 3 4 ======= A y B ">>>>>>> theirs" 5 | gives 1 --diff3 ours b theirs
'

test_expect_success '--ours, --theirs, --union; the same change on both sides' '
	lines 1 X 3 >ours && lines 1 Y 3 >theirs && lines 1 2 3 >b && lines 1 X 3 | gives 0 --ours ours b theirs && lines 1 Y 3 | gives 0 --theirs ours b theirs && lines 1 X Y 3 | gives 0 --union ours b theirs &&
	gives 0 ours b ours <ours && printf "1\nX" >ours && printf "1\nY" >theirs && printf "1\nX\nY" | gives 0 --union ours b theirs
'

test_expect_success 'no newline at the end; CRLF; the size of markers' '
	printf "1\nX" >ours && printf "1\nY" >theirs && lines 1 2 >b && lines 1 "<<<<<<< ours" X ======= Y ">>>>>>> theirs" | gives 1 ours b theirs && printf "1\nX" | gives 0 ours b b &&
	printf "1\r\nX\r\n" >ours && printf "1\r\nY\r\n" >theirs && printf "1\r\n2\r\n" >b && printf "1\r\n<<< ours\r\nX\r\n===\r\nY\r\n>>> theirs\r\n" | gives 1 --marker-size=3 ours b theirs
'

test_expect_success 'changes that are more than 1,024 bytes apart, in any order' '
	seq 1 1000 >b && sed "s/^100$/X/" b >ours && sed "s/^900$/Y/" b >theirs && sed -e "s/^100$/X/" -e "s/^900$/Y/" b >both && gives 0 ours b theirs <both && gives 0 theirs b ours <both &&
	sed "s/^900$/Z/" ours >conflict && sed "s/^900$/Y/" b >theirs && sed -e "s/^100$/X/" b | sed "/^900$/c\\
<<<<<<< conflict\\
Z\\
=======\\
Y\\
>>>>>>> theirs" >want && gives 1 conflict b theirs <want
'

test_expect_success 'the file is replaced, its mode stays; a link stays a link' '
	lines 1 X 3 >ours && chmod 755 ours && ln -s ours link && lines 1 Y 3 >theirs && lines 1 2 3 >b && test_expect_code 1 git merge-file link b theirs && test -h link && test -x ours && test_grep "^<<<<<<< link$" ours &&
	mkdir -p sub && lines 1 X 3 >sub/f && git init -q . && (cd sub && test_expect_code 1 git merge-file -q f ../b ../theirs) && test_grep "^<<<<<<< f$" sub/f && ls -a >list && ! grep merge_file_ list
'

test_expect_success 'an empty label leaves the marker alone' '
	lines 1 X 3 >ours && lines 1 Y 3 >theirs && test_expect_code 1 git merge-file -p -L "" -L "" -L "" ours b theirs >out &&
	lines 1 "<<<<<<<" X ======= Y ">>>>>>>" 3 >expect && test_cmp expect out
'

test_expect_success 'blobs' '
	lines 1 X 3 >ours && for f in ours b theirs; do git hash-object -w $f || return 1; done >ids && set -- $(cat ids) && test_expect_code 1 git merge-file --object-id $1 $2 $3 >out && git cat-file blob $(cat out) >text &&
	lines 1 "<<<<<<< $1" X ======= Y ">>>>>>> $3" 3 >expect && test_cmp expect text && git add b && test_expect_code 1 git merge-file -p --object-id -L a $1 :b $3 >out && test_grep "<<<<<<< a$" out &&
	n=$(count_flushes git merge-file --object-id $1 $2 $2) && test $n -le 1
'

test_expect_success 'merge-file changes nothing if it cannot merge' '
	printf "1\0\n" >bin && lines 1 X 3 >ours && cp ours copy && test_expect_code 255 git merge-file ours bin theirs 2>err && test_grep "Cannot merge binary files: bin" err && test_cmp copy ours &&
	test_expect_code 255 git merge-file ours nope theirs 2>err && test_grep "Could not stat nope" err && test_expect_code 129 git merge-file ours b && test_expect_code 129 git merge-file -L 1 -L 2 -L 3 -L 4 ours b theirs &&
	test_expect_code 129 git merge-file --diff-algorithm=x ours b theirs && test_expect_code 128 git -c merge.conflictStyle=x merge-file ours b theirs && test_expect_code 255 git merge-file --object-id nope HEAD HEAD &&
	test_expect_code 255 git merge-file sub b theirs && test_cmp copy ours
'

test_expect_success MKNOD 'a device is written to, not replaced' '
	mknod null c 1 3 && echo x >x && git merge-file null x x && test -c null
'

test_expect_success 'a change that both sides have made is no conflict where one side has made another before it' '
	lines 0 1 2 3 >b && lines 1 2 B >ours && lines 0 1 2 B >theirs && for style in --diff3 --zdiff3; do
		git merge-file -p $style ours b theirs >out && lines 1 2 B >expect && test_cmp expect out && git merge-file -p $style theirs b ours >out && test_cmp expect out || return
	done
'

test_done
