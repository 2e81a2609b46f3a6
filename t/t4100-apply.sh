#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: patches of files, links and binary data'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }

test_expect_success 'a patch changes, renames, creates and deletes files' '
	git init -q . && lines 1 2 3 4 5 6 7 8 9 >x && lines a b c d e f g h >old && lines gone >gone && lines run >run && lines p q r s t u v w >from &&
	mkdir d && lines only >d/only && printf "one\ntwo" >end && printf "\0bin\001" >bin && ln -s there link && git add . && git commit -qm base &&
	lines 1 2 3 4 five 6 7 8 9 >x && git mv old new && lines a b c d e f g H >new && git rm -q gone d/only && chmod 755 run &&
	mkdir n && lines new >n/new && printf "one\n2" >end && printf "\0other\002\003" >bin && ln -sf elsewhere link && git add . &&
	P="$T_PRIVATE/p" && git diff --cached --binary -M HEAD >"$P" &&
	want=$(git write-tree) && git reset -q --hard && git apply "$P" && git add -A && test $(git write-tree) = $want && test "$(readlink link)" = elsewhere && ! test -e d
'

test_expect_success '--reverse takes all of it back' '
	P="$T_PRIVATE/p" && git apply -R "$P" && git add -A && git diff --cached --exit-code HEAD && ! test -e n
'

test_expect_success '--stat, --numstat and --summary apply nothing, unless --apply is given' '
	P="$T_PRIVATE/p" && git apply --numstat --summary "$P" >out && test_grep "^1	1	x$" out && test_grep "^-	-	bin$" out && test_grep "^ rename old => new (" out && test_grep "^ delete mode 100644 gone$" out &&
	test_grep "^ mode change 100644 => 100755 run$" out && test_grep "^ create mode 100644 n/new$" out && git diff --exit-code && git apply --stat "$P" >out && test_grep "^ bin *|  Bin$" out && test_grep "^ x *|    2 +-$" out &&
	git apply --numstat -z "$P" | tr "\0" "@" >out && test_grep "1	1	x@" out && git apply --stat --apply --include=x "$P" >out && test_grep "^five$" x && git checkout -q x
'

test_expect_success 'nothing is written unless all files apply' '
	P="$T_PRIVATE/p" && lines other >end && git commit -qam other && test_expect_code 1 git apply "$P" 2>err && lines "error: patch failed: end:1" "error: end: patch does not apply" >want && test_cmp want err &&
	git diff --exit-code && ! test -e n && test_expect_code 1 git apply --check "$P" 2>err && test_cmp want err && git reset -q --hard HEAD^
'

test_expect_success 'binary patches are for one content only, and need full names' '
	P="$T_PRIVATE/p" && cp bin keep && printf "\0more" >bin && test_expect_code 1 git apply --include=bin "$P" 2>err && test_grep "which does not match the current contents.$" err && cp keep bin &&
	sed "/^index.*[0-9a-f]$/s/\(index [0-9a-f]\{7\}\)[0-9a-f]*/\1/" "$P" >short && test_expect_code 1 git apply --include=bin short 2>err && test_grep "without full index line" err &&
	mkdir o && cp bin o && git apply --include=o/bin --directory=o "$P" && printf "\0other\002\003" >want && test_cmp want o/bin && rm -rf o short keep
'

test_expect_success 'damaged binary data are refused' '
	P="$T_PRIVATE/p" && sed "/^literal/{n;s/^\(.\)...../\1~~~~~/;}" "$P" >bad && test_must_fail git apply --include=bin bad 2>err && test_grep "^error: corrupt binary patch at bad:" err && git diff --exit-code && rm bad
'

test_expect_success 'several patches of one file follow each other' '
	lines "--- a/x" "+++ b/x" "@@ -1,3 +1,3 @@" " 1" "-2" "+two" " 3" "--- a/x" "+++ b/x" "@@ -1,3 +1,3 @@" " 1" "-two" "+TWO" " 3" >twice && git apply twice && test_grep "^TWO$" x && git apply -R twice && git diff --exit-code &&
	lines "diff --git a/x b/x" "deleted file mode 100644" "--- a/x" "+++ /dev/null" "@@ -1,9 +0,0 @@" -1 -2 -3 -4 -5 -6 -7 -8 -9 "diff --git a/x b/x" "new file mode 120000" "--- /dev/null" "+++ b/x" "@@ -0,0 +1 @@" +y "\\ No newline at end of file" >type &&
	git apply type && test "$(readlink x)" = y && git apply -R type && git diff --exit-code && rm twice type &&
	lines "diff --git a/from b/copy" "similarity index 100%" "copy from from" "copy to copy" "diff --git a/from b/from" "--- a/from" "+++ b/from" "@@ -1,3 +1,3 @@" "-p" "+P" " q" " r" >p && git apply p && cmp_old=$(git hash-object copy) && test $cmp_old = $(git rev-parse HEAD:from) && test_grep "^P$" from && git checkout -q from && rm copy p
'

test_expect_success 'traditional patches: the number of directories is guessed, epochs and /dev/null mean no file' '
	mkdir -p sub/dir && lines a >sub/dir/f && (cd sub/dir && lines "--- p/sub/dir/f" "+++ q/sub/dir/f" "@@ -1 +1 @@" -a +b | git apply && lines b >want && test_cmp want f && lines "--- f	2020-01-01 00:00:00.000000000 +0100" "+++ f	2020-01-01 00:00:01.000000000 +0100" "@@ -1 +1 @@" -b +c | git apply -p0 && test_grep c f) &&
	lines "--- /dev/null" "+++ b/made" "@@ -0,0 +1 @@" +made | git apply && test_grep made made && lines "--- a/made	2020-01-01 00:00:00 +0000" "+++ b/made	1970-01-01 01:00:00.000000000 +0100" "@@ -1 +0,0 @@" -made | git apply && ! test -e made &&
	lines "--- a/y" "+++ b/y" "@@ -0,0 +1 @@" +y | git apply && test_grep y y && rm -rf sub y
'

test_expect_success '-p, --directory, --include and --exclude choose files; a subdirectory sees its own alone' '
	mkdir -p k/l && lines a >k/l/f && lines a >k/g && lines "--- 1/2/f" "+++ 1/2/f" "@@ -1 +1 @@" -a +b >p && git apply -p2 --directory=k/l p && test_grep b k/l/f &&
	lines "diff --git a/k/l/f b/k/l/f" "--- a/k/l/f" "+++ b/k/l/f" "@@ -1 +1 @@" -b +c "diff --git a/k/g b/k/g" "--- a/k/g" "+++ b/k/g" "@@ -1 +1 @@" -a +c >p && git apply --exclude="k/l/*" p && test_grep b k/l/f && test_grep c k/g &&
	(cd k/l && git apply -v ../../p 2>err && test_grep "^Skipped patch .k/g.\.$" err && test_grep c f && test_grep "^Applied patch k/l/f cleanly\.$" err && rm err) &&
	lines "--- a/k/l/f" "+++ b/k/l/f" "@@ -1 +1 @@" -c +d >p && (cd k && git apply --numstat ../p >../out && git apply --numstat --directory=n ../p >>../out) && lines "1	1	k/l/f" "1	1	k/n/k/l/f" >want && test_cmp want out && rm -rf k p want out
'

test_expect_success 'empty input, garbage, options that do not go together' '
	lines garbage >none && test_expect_code 128 git apply none 2>err && test_grep "^error: No valid patches in input (allow with \"--allow-empty\")$" err && git apply --allow-empty none && test_expect_code 128 git apply nowhere 2>err && test_grep "^error: can.t open patch .nowhere.: " err &&
	test_expect_code 128 git apply --ours none 2>err && test_grep "^fatal: --ours, --theirs, and --union require --3way$" err && test_expect_code 128 git apply --3way --reject none && test_expect_code 129 git apply --whitespace=x none && rm none
'

test_expect_success 'lines are converted as by a checkout; CRLF of the patch is kept' '
	printf "a\r\nb\r\n" >crlf && printf "%s\n" "--- a/crlf" "+++ b/crlf" >p && printf "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+B\r\n" >>p && git apply p 2>err && printf "a\r\nB\r\n" >want && test_cmp want crlf && test_must_be_empty err &&
	printf "a\r\nb\r\n" >crlf && lines "crlf text eol=crlf" >.gitattributes && lines "--- a/crlf" "+++ b/crlf" "@@ -1,2 +1,2 @@" " a" -b +B | git apply && test_cmp want crlf && rm -f crlf p .gitattributes want
'

test_expect_success 'a patch that may be of a new file: the file that is there decides' '
	mkdir maybe && cd maybe && git init -q && : >f && git add f && git commit -qm empty &&
	lines "--- f" "+++ f" "@@ -0,0 +1 @@" +x >../p && git apply -p0 --index --summary --apply ../p >out && test_must_be_empty out &&
	test "$(git show :f)" = x && test_expect_code 1 git apply -p0 ../p && git rm -qf f &&
	git apply -p0 --index --summary --apply ../p >out && test "$(cat out)" = " create mode 100644 f"
'

test_expect_success 'a binary file needs no data if the result is in the repository' '
	mkdir known && cd known && git init -q && printf "\0a" >b && git add b && git commit -qm a && printf "\0b" >b && git diff --full-index >../p &&
	test_grep "^Binary files" ../p && blob=$(git hash-object b) && git checkout -q b &&
	test_expect_code 1 git apply ../p 2>err && test_grep "^error: missing binary patch data for .b.$" err &&
	printf "\0b" | git hash-object -w --stdin && git apply ../p && test "$(git hash-object b)" = $blob &&
	test_expect_code 1 git apply ../p 2>err && test_grep "does not match the current contents" err
'

test_expect_success 'both names are on the first line alone: quoted or not, they must be the same' '
	mkdir names && cd names && git init -q && tab=$(printf "a\tb") && echo >"$tab" && echo >f &&
	mode () { printf "diff --git %s\nold mode 100644\nnew mode 100755\n" "$1" >../p && git apply ../p; } &&
	mode "\"a/a\\tb\"  \"b/a\\tb\"" && test -x "$tab" && mode "a/f \"b/f\"" && test -x f && chmod 644 f && mode "a/f b/f" && test -x f && chmod 644 f &&
	for line in "\"a/a\\tb\"" "\"a/a\\tb\" " "\"a/f\" \"b/g\"" "\"a/f\" b/f" "\"a/f\" \"b/f" "a/f \"b/f" "a/f \"b/g\"" "\"a/f b/f" "\"f\" \"b/f\"" "\"a/f\" \"f\"" "a/f " "a/f b/g" "f b/f" "a/f f"
	do
		test_expect_code 128 mode "$line" 2>err && test_grep "git diff header lacks filename information when removing 1 leading pathname component" err || return 1
	done && mode "a/f b/f" && test -x f
'

test_done
