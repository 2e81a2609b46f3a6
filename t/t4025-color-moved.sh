#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff --color-moved: lines that are removed here and added there'
. "$(dirname "$0")/test-lib.sh"

# The lines of changes, the colours by letters: M moved, A alternative, D dimmed, E dimmed and alternative, O old, N new
shown () {
	test_expect_code 1 git diff --no-index --color=always "$@" >raw &&
	sed -n -e 's/\x1b\[1;3[56]m\([-+]\)/M\1/' -e 's/\x1b\[1;3[34]m\([-+]\)/A\1/' -e 's/\x1b\[2m\([-+]\)/D\1/' -e 's/\x1b\[2;3m\([-+]\)/E\1/' \
		-e 's/\x1b\[31m-/O-/' -e 's/\x1b\[32m+/N+/' -e 's/\x1b\[[0-9;]*m//g' -e '/^[MADEON][-+]/p' raw
}

is () {
	cat >expect && shown "$@" >out && test_cmp expect out
}

test_expect_success 'a block that moves' '
	printf "%s\n" "first line of block one" "second line" short keep1 keep2 keep3 keep4 >a && printf "%s\n" keep1 keep2 keep3 keep4 new "first line of block one" "second line" >b &&
	is --color-moved a b <<-\EOF && is --color-moved=plain a b <<-\EOF2 && is --color-moved=no a b <<-\EOF3 && shown a b >out && test_cmp expect out
	M-first line of block one
	M-second line
	O-short
	N+new
	M+first line of block one
	M+second line
	EOF
	M-first line of block one
	M-second line
	O-short
	N+new
	M+first line of block one
	M+second line
	EOF2
	O-first line of block one
	O-second line
	O-short
	N+new
	N+first line of block one
	N+second line
	EOF3
'

test_expect_success 'less than 20 letters and digits are no block; plain does not care' '
	printf "%s\n" "aaaaaaaaaa ---- {}" "bbbbbbbbb" x 1 2 3 4 >a && printf "%s\n" x 1 2 3 4 "aaaaaaaaaa ---- {}" "bbbbbbbbb" >b &&
	shown --color-moved a b >out && ! grep "^M" out && shown --color-moved=plain a b >out && test $(grep -c "^M" out) = 4 &&
	sed s/bbbbbbbbb/bbbbbbbbbb/ a >a2 && sed s/bbbbbbbbb/bbbbbbbbbb/ b >b2 && shown --color-moved a2 b2 >out && test $(grep -c "^M" out) = 4
'

test_expect_success 'blocks that meet: zebra, blocks, dimmed-zebra' '
	for i in 1 2 3 4; do echo "first block with its line $i"; done >one && for i in 1 2 3 4; do echo "another block and line $i"; done >two &&
	(cat one && echo x1 && echo x2 && echo x3 && cat two) >a && (echo x1 && echo x2 && echo x3 && cat two one) >b && is --color-moved=zebra a b <<-\EOF &&
	M-first block with its line 1
	M-first block with its line 2
	M-first block with its line 3
	M-first block with its line 4
	M+first block with its line 1
	M+first block with its line 2
	M+first block with its line 3
	M+first block with its line 4
	EOF
	(cat one && echo x1 && cat two) >a && (echo x1 && for i in 1 2 3 4 5 6 7 8 9; do echo "kept $i"; done) >base && (cat one base && cat two) >a && (cat base && cat two one) >b &&
	mkdir -p A B && cp one A/f1 && cp two A/f2 && cp base A/f3 && cat base two one >B/f3 && : >B/f1 && : >B/f2 && shown --color-moved=zebra A B >out && sed -n "/^[MA]+/p" out >plus && cat >expect <<-\EOF &&
	M+another block and line 1
	M+another block and line 2
	M+another block and line 3
	M+another block and line 4
	A+first block with its line 1
	A+first block with its line 2
	A+first block with its line 3
	A+first block with its line 4
	EOF
	test_cmp expect plus && shown --color-moved=blocks A B >out && test $(grep -c "^M+" out) = 8 && shown --color-moved=dimmed-zebra A B >out && sed -n "/+/p" out >plus && cat >expect <<-\EOF &&
	D+another block and line 1
	D+another block and line 2
	D+another block and line 3
	M+another block and line 4
	A+first block with its line 1
	E+first block with its line 2
	E+first block with its line 3
	E+first block with its line 4
	EOF
	test_cmp expect plus
'

test_expect_success 'white space: the same shift of all lines, or any' '
	printf "%s\n" "if (condition_one) {" "	statement_two();" "" "}" k1 k2 k3 k4 k5 >a && (printf "%s\n" k1 k2 k3 k4 k5 && sed -e "/^k/d" -e "s/^./	&/" a) >b &&
	shown --color-moved a b >out && ! grep "^M" out && shown --color-moved --color-moved-ws=allow-indentation-change a b >out && test $(grep -c "^M" out) = 8 &&
	shown --color-moved --color-moved-ws=ignore-all-space a b >out && test $(grep -c "^M" out) = 8 && sed "s/^		statement/			statement/" b >b2 &&
	shown --color-moved --color-moved-ws=allow-indentation-change a b2 >out && ! grep "^M" out && shown --color-moved --color-moved-ws=ignore-space-change a b2 >out && ! grep "M-if" out &&
	shown --color-moved --color-moved-ws=ignore-all-space a b2 >out && test $(grep -c "^M" out) = 8
'

test_expect_success 'settings; a file without a newline at its end; colours of the user' '
	printf "%s\n" "first line of block one" "second line" keep1 keep2 keep3 keep4 >a && printf "%s\n" keep1 keep2 keep3 keep4 "first line of block one" >b && printf "second line" >>b &&
	test_expect_code 1 git -c diff.colorMoved=zebra -c color.diff.newMoved=blue diff --no-index --color=always a b >out && test_grep "34m+.*first line of block one" out &&
	test_grep "No newline at end of file" out && test_expect_code 1 git -c diff.colorMoved=zebra diff --no-index --no-color a b >out && test_grep "^+second line$" out &&
	test_expect_code 128 git -c diff.colorMoved=junk diff --no-index a b 2>err && test_grep "must be one of" err && test_expect_code 129 git diff --no-index --color-moved=junk a b &&
	test_expect_code 129 git diff --no-index --color-moved-ws=allow-indentation-change,ignore-all-space a b 2>err && test_grep "cannot be combined" err &&
	test_expect_code 129 git diff --no-index --color-moved-ws=junk a b 2>err && test_grep "unknown color-moved-ws mode .junk." err
'

test_expect_success 'between files of a commit, with the graph beside it' '
	git init -q r && echo "a line that has enough letters" >r/f && echo keep >r/g && git -C r add . && test_tick && git -C r commit -qm one && : >r/f && echo "a line that has enough letters" >>r/g &&
	git -C r add . && git -C r commit -qm two && git -C r log -1 --graph -p --color=always --color-moved >out && test_grep "35m-a line that" out && test_grep "36m+.*a line that" out && sed "s/.\[[0-9;]*m//g" out >plain && ! grep -v "^[*|] " plain
'

test_done
