#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='combined diffs: conflicts beside both sides, and the index and a tree beside a file'
. "$(dirname "$0")/test-lib.sh"

# conflict FILE BASE OURS THEIRS: the stages of a path in the repository r; "-": not there
conflict () {
	local file="$1" n=0 blob text && shift && printf "0 $ZERO_OID\t%s\n" "$file" >stages &&
	for text
	do
		n=$((n + 1)) && test "$text" = - && continue
		blob=$(printf "$text" | git -C r hash-object -w --stdin) && printf "100644 $blob $n\t%s\n" "$file" >>stages
	done && git -C r update-index --index-info <stages
}

# body ARGS: the output of git ARGS in r, from the first hunk on, in "body"
body () {
	git -C r "$@" >out && sed -n "/^@@/,\$p" out >body
}

test_expect_success 'a conflict beside both sides' '
	git init -q r && printf "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" >r/f && git -C r add f && git -C r commit -q -m f &&
	conflict f "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" "0\n1\n2\nOURS\n4\n5\n6\n7\n8\n9\n" "0\n1\n2\nTHEIRS\n4\n5\n6\n7\n8\n9\n" &&
	printf "0\n1\n2\n<<<\nOURS\n===\nTHEIRS\n>>>\n4\n5\n6\n7\n8\n9\n" >r/f && body diff && cat >expect <<-\EOT &&
	@@@ -1,7 -1,7 +1,11 @@@
	  0
	  1
	  2
	++<<<
	 +OURS
	++===
	+ THEIRS
	++>>>
	  4
	  5
	  6
	EOT
	test_cmp expect body && ours=$(git -C r rev-parse --short :2:f) && theirs=$(git -C r rev-parse --short :3:f) &&
	sed "/^@@@/,\$d" out >head && cat >expect <<-EOT && test_cmp expect head
	diff --cc f
	index $ours,$theirs..0000000
	--- a/f
	+++ b/f
	EOT
'

test_expect_success 'other commands and forms' '
	git -C r diff >expect && git -C r diff --cc >actual && test_cmp expect actual && git -C r diff-files -p >actual &&
	test_cmp expect actual && git -C r diff-files --cc >actual && test_cmp expect actual &&
	git -C r diff -c >actual && sed "s/^diff --cc/diff --combined/" expect >combined && test_cmp combined actual &&
	git -C r diff-files -c --raw >actual &&
	printf "::100644 100644 100644 %s %s %s MM\tf\n" $(git -C r rev-parse :2:f :3:f) $ZERO_OID >expect && test_cmp expect actual &&
	git -C r diff --cc --name-only >actual && echo f >expect && test_cmp expect actual &&
	git -C r diff --cc --combined-all-paths --name-status -z >actual && printf "MM\0f\0f\0f\0" >expect && test_cmp_bin expect actual &&
	git -C r diff --name-status >actual && printf "U\tf\nM\tf\n" >expect && test_cmp expect actual &&
	git -C r diff --combined-all-paths >actual && test $(grep -c "^--- a/f$" actual) = 2
'

test_expect_success '--cc does not show hunks taken from one side' '
	printf "0\n1\n2\nOURS\n4\n5\n6\n7\n8\n9\n" >r/f && body diff && test_must_be_empty body && test_grep "^+++ b/f$" out &&
	body diff -c && cat >expect <<-\EOT &&
	@@@ -1,7 -1,7 +1,7 @@@
	  0
	  1
	  2
	 -THEIRS
	 +OURS
	  4
	  5
	  6
	EOT
	test_cmp expect body && printf "0\n1\n2\nOURS\n4\n5\n6\n7\n8\nNINE\n" >r/f && body diff && cat >expect <<-\EOT && test_cmp expect body
	@@@ -7,4 -7,4 +7,4 @@@ OUR
	  6
	  7
	  8
	--9
	++NINE
	EOT
'

test_expect_success 'a change of each side within the context is shown, farther apart it is not' '
	conflict f - "A\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" "0\n1\n2\nB\n4\n5\n6\n7\n8\n9\n" &&
	printf "A\n1\n2\nB\n4\n5\n6\n7\n8\n9\n" >r/f && body diff && cat >expect <<-\EOT && test_cmp expect body &&
	@@@ -1,7 -1,7 +1,7 @@@
	 -0
	 +A
	  1
	  2
	- 3
	+ B
	  4
	  5
	  6
	EOT
	body diff -U2 && test_must_be_empty body
'

test_expect_success 'lines that both have lost come once, in order' '
	conflict f - "x\na\nb\nc\ny\n" "x\nb\nc\nd\ny\n" && printf "x\ny\n" >r/f && body diff && cat >expect <<-\EOT && test_cmp expect body
	@@@ -1,5 -1,5 +1,2 @@@
	  x
	- a
	--b
	--c
	 -d
	  y
	EOT
'

test_expect_success 'context behind lost lines begins with the line that they stood before' '
	conflict f - "1\nx\n2\n3\n4\n" "1\nx\n2\n3\n4\n" && printf "1\n2\n3\n4\n" >r/f && body diff -U1 && cat >expect <<-\EOT && test_cmp expect body
	@@@ -1,3 -1,3 +1,2 @@@
	  1
	--x
	  2
	EOT
'

test_expect_success 'lost lines that are not shown are not shown in the context of others either' '
	conflict f - "1\n2\n3\n4\n5\n6\n" "1\nx\n2\n3\n4\n5\n6\n" && printf "1\n2\n3\n4\nFIVE\n6\n" >r/f && body diff && test_grep ! x body && test_grep "^++FIVE$" body &&
	test_grep "^  2$" body && body diff -c && test_grep "^ -x$" body
'

test_expect_success 'white space does not count if it is to be ignored' '
	conflict f - "x\na b\ny\n" "x\na  b\ny\n" && printf "x\ny\n" >r/f && body diff -b && test_grep "^--a b$" body &&
	body diff && test_grep "^- a b$" body && test_grep "^ -a  b$" body && printf "x\na   b\ny\n" >r/f && body diff -w && test_must_be_empty body
'

test_expect_success 'without context' '
	conflict f - "1\n2\n3\n" "1\nB\n3\n" && printf "1\n3\n" >r/f && body diff -U0 && cat >expect <<-\EOT && test_cmp expect body
	@@@ -2,1 -2,1 +2,0 @@@
	- 2
	 -B
	EOT
'

test_expect_success 'modes, a file that is gone, one that is binary' '
	conflict f - "1\n" "2\n" && printf "3\n" >r/f && chmod +x r/f && git -C r diff >out && test_grep "^mode 100644,100644..100755$" out &&
	rm r/f && git -C r diff >out && test_grep "^deleted file mode 100644,100644$" out && test_grep "^+++ /dev/null$" out && test_grep ! "^@@" out &&
	printf "a\0b" >r/f && git -C r diff >out && test_grep "^Binary files differ$" out
'

test_expect_success 'colours, and the heading of a hunk' '
	conflict f - "int f()\n{\na\nb\nc\nx\n" "int f()\n{\na\nb\nc\ny\n" && printf "int f()\n{\na\nb\nc\nz\n" >r/f && body diff && test_grep "^@@@ -3,4 -3,4 +3,4 @@@ int f($" body &&
	git -C r diff --color=always >out && test_grep "^.\[31m- x.\[m$" out && test_grep "^.\[32m++z.\[m$" out && test_grep "^  c.\[m$" out
'

test_expect_success 'one side is missing: a name, and the other side' '
	conflict f "1\n" "2\n" - && printf "3\n" >r/f && git -C r diff >out && test_grep "^[*] Unmerged path f$" out && test_grep "^-2$" out && test_grep "^+3$" out
'

test_expect_success 'the index and a tree beside a file' '
	rm -rf r && git init -q r && seq 3 >r/f && git -C r add f && git -C r commit -q -m f && seq 4 >r/f && git -C r add f && seq 5 >r/f &&
	body diff --cc HEAD && cat >expect <<-\EOT && test_cmp expect body && body diff-index -c -p HEAD && test_cmp expect body &&
	@@@ -1,4 -1,3 +1,5 @@@
	  1
	  2
	  3
	 +4
	++5
	EOT
	body diff HEAD && test_grep "^@@ " body && seq 3 >r/f && body diff-index --cc HEAD && test_must_be_empty body && git -C r diff-index -c --raw HEAD >out && test_grep "^::" out
'

test_expect_success 'a file that only the work tree has changed is beside the same text twice' '
	git -C r add f && git -C r diff --cached --quiet && seq 4 >r/f && body diff -c HEAD && test_grep "^++4$" body && git -C r diff HEAD >out && test_grep "^diff --git" out
'

test_expect_success 'files come in order, whether the index or the work tree has changed them' '
	git init -q o && for f in a b c; do echo $f >o/$f || return 1; done && git -C o add . && git -C o commit -q -m o && echo x >o/b && git -C o add b && echo y >o/a && echo y >o/c &&
	git -C o diff-index -c --name-only HEAD >out && printf "%s\n" a b c >expect && test_cmp expect out &&
	git -C o update-index --assume-unchanged b && git -C o diff-index -c --name-status HEAD >out && printf "%s\t%s\n" MM a MM c M b >expect && test_cmp expect out
'

test_expect_success 'diff-index -m: what the index alone has changed is combined, too, and a missing file counts as that of the index' '
	git init -q i && for f in same idx gone both; do echo 1 >i/$f || return 1; done && git -C i add . && git -C i commit -q -m 1 && for f in idx gone both; do echo 2 >i/$f || return 1; done && git -C i add . && rm i/gone && echo 3 >i/both &&
	test_might_fail git -C i update-index -q --refresh && git -C i diff-index -m -c --name-status HEAD >out && printf "MM\t%s\n" both gone idx >expect && test_cmp expect out && git -C i diff-index -m --cc --raw HEAD -- gone >out && test_grep "^::100644 100644 100644 .* 0* MM" out &&
	git -C i diff-index -m -c -p HEAD >out && test_grep "^deleted file mode 100644,100644$" out && sed -n "/combined idx\$/,\$p" out | sed -n "/^@@@/,\$p" >actual && printf "%s\n" "@@@ -1,1 -1,1 +1,1 @@@" " -1" " +2" >expect && test_cmp expect actual
'

test_expect_success 'a submodule beside the index and a tree' '
	git init -q top && git init -q top/m && git -C top/m commit -q --allow-empty -m 1 && git -C top add m 2>/dev/null && git -C top commit -q -m m &&
	git -C top/m commit -q --allow-empty -m 2 && git -C top diff-index --cc HEAD >out && test_grep "^++Subproject commit $(git -C top/m rev-parse HEAD)$" out
'

test_expect_success 'textconv' '
	git -C r config diff.up.textconv "tr a-z A-Z <" && echo "f diff=up" >r/.gitattributes && conflict f - "a\n" "b\n" && echo c >r/f && body diff &&
	test_grep "^++C$" body && test_grep "^- A$" body && test_grep "^ -B$" body
'

test_done
