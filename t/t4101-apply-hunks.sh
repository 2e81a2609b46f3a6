#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: where hunks apply, white space, rejects'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }
# The patch of f is on standard input.
reset_f () { lines 1 2 3 4 5 6 7 8 9 10 11 12 >f; }

test_expect_success 'a hunk applies at the nearest place' '
	lines "--- a/f" "+++ b/f" "@@ -4,3 +4,3 @@" " 4" -5 +five " 6" >p && reset_f && sed -i "1i\\
zero\\
null" f && git apply -v p 2>err && test_grep "^Hunk #1 succeeded at 6 (offset 2 lines).$" err && test_grep five f &&
	lines 4 5 6 x 4 5 6 y y y 4 5 6 z >f && git apply p && lines 4 5 6 x 4 five 6 y y y 4 5 6 z >want && test_cmp want f
'

test_expect_success 'the first and the last lines must be there; -C takes less context' '
	reset_f && lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" -2 +two " 3" >p && test_must_fail git apply p 2>err && git apply --unidiff-zero p && test_grep two f && reset_f &&
	lines "--- a/f" "+++ b/f" "@@ -4,5 +4,5 @@" " X" " 5" -6 +six " 7" " X" >p && test_must_fail git apply p && git apply -C1 p 2>err && test_grep "^Context reduced to (1/1) to apply fragment at 5$" err && test_grep six f && reset_f && test_must_fail git apply -C2 p 2>err
'

test_expect_success 'hunks do not overlap unless they may' '
	reset_f && lines "--- a/f" "+++ b/f" "@@ -2,3 +2,3 @@" " 2" -3 +x " 4" "@@ -3,3 +3,3 @@" " x" -4 +y " 5" >p && test_must_fail git apply p && git apply --allow-overlap p && test_grep y f
'

test_expect_success '--reject applies the rest and leaves .rej' '
	reset_f && lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" -1 +one " 2" "@@ -6,3 +6,3 @@" " 6" -X +seven " 8" >p && test_expect_code 1 git apply --reject p 2>err && test_grep one f && ! grep seven f && test_grep "^Applying patch f with 1 reject\.\.\.$" err && test_grep "^Rejected hunk #2\.$" err &&
	lines "diff a/f b/f	(rejected hunks)" "@@ -6,3 +6,3 @@" " 6" -X +seven " 8" >want && test_cmp want f.rej &&
	reset_f && rm f.rej && mkdir f.rej && test_expect_code 1 git apply --reject p 2>err && rmdir f.rej && test_grep "^error: cannot unlink .f\.rej.: " err && ! grep "^Rejected hunk" err && test_grep one f
'

test_expect_success 'counts that lie are refused, and nothing is written; --recount counts' '
	reset_f && cp f keep && for counts in "-4,4 +4,3" "-4,3 +4,4" "-4,3 +4,99999999999999999999" "-4,3 +4,4294967299"; do
		lines "--- a/f" "+++ b/f" "@@ $counts @@" " 4" -5 +five " 6" >p && test_expect_code 128 git apply p 2>err && test_grep "^error: " err && test_cmp keep f || return 1
	done && lines "--- a/f" "+++ b/f" "@@ -4,9 +4,1 @@" " 4" -5 +five " 6" >p && git apply --recount p && test_grep five f
'

test_expect_success 'the end of a file: no newline, --inaccurate-eof' '
	printf "a\nb" >f && lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " a" -b "\\ No newline at end of file" +c >p && git apply p && lines a c >want && test_cmp want f && git apply -R p && printf "a\nb" >want && test_cmp want f &&
	lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " a" -b +c >p && test_must_fail git apply p && git apply --inaccurate-eof p && printf "a\nc" >want && test_cmp want f
'

test_expect_success 'whitespace errors: warned about, fixed, refused' '
	reset_f && printf "%s\n" "--- a/f" "+++ b/f" "@@ -4,3 +4,4 @@" " 4" -5 "+five  " "+ 	tab" " 6" >p && git apply p 2>err && printf "%s\n" "p:6: trailing whitespace." "five  " "p:7: space before tab in indent." " 	tab" "warning: 2 lines add whitespace errors." >want && test_cmp want err && test_grep "^five  $" f &&
	reset_f && git apply --whitespace=fix p 2>err && test_grep "^warning: 2 lines applied after fixing whitespace errors.$" err && test_grep "^five$" f && test_grep "^	tab$" f &&
	reset_f && test_expect_code 128 git apply --whitespace=error p 2>err && test_grep "^error: 2 lines add whitespace errors.$" err && ! grep five f && git apply --whitespace=nowarn p 2>err && test_must_be_empty err
'

test_expect_success 'a new blank line at the end is an error, too; only some errors are shown' '
	lines a >f && lines "--- a/f" "+++ b/f" "@@ -1 +1,2 @@" " a" + >p && git apply p 2>err && test_grep "^p:5: new blank line at EOF.$" err && lines a >f && git apply --whitespace=fix p 2>err && lines a >want && test_cmp want f &&
	lines "--- /dev/null" "+++ b/n" "@@ -0,0 +1,7 @@" "+1 " "+2 " "+3 " "+4 " "+5 " "+6 " "+7 " >p && git apply --check --whitespace=warn p 2>err && test_grep "^warning: squelched 2 whitespace errors$" err && test_expect_code 128 git apply --whitespace=error-all p 2>err && test_grep "^p:10: trailing" err
'

test_expect_success '--whitespace=fix and --ignore-whitespace find lines with other white space' '
	printf "a \nb\nc\n" >f && lines "--- a/f" "+++ b/f" "@@ -1,3 +1,3 @@" " a" -b +B " c" >p && test_must_fail git apply p && git apply --whitespace=fix p && lines a B c >want && test_cmp want f &&
	printf "a  x\nb\nc\n" >f && lines "--- a/f" "+++ b/f" "@@ -1,3 +1,3 @@" " a x" -b +B " c" >p && test_must_fail git apply p && git apply --ignore-whitespace p && lines "a  x" B c >want && test_cmp want f
'

test_expect_success 'settings: core.whitespace, the attribute, apply.whitespace, apply.ignoreWhitespace' '
	git init -q . && printf "x\n" >f && printf "%s\n" "--- a/f" "+++ b/f" "@@ -1 +1,2 @@" " x" "+	y" >p && git -c core.whitespace=tab-in-indent apply --check --whitespace=warn p 2>err && test_grep "tab in indent" err && echo "f -whitespace" >.gitattributes && git -c core.whitespace=tab-in-indent apply --check --whitespace=warn p 2>err && test_must_be_empty err && rm .gitattributes &&
	git -c core.whitespace=tab-in-indent,tabwidth=4 -c apply.whitespace=fix apply p && printf "x\n    y\n" >want && test_cmp want f && printf "%s\n" "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " x" "-  y" +z >p && git -c apply.ignoreWhitespace=change apply p && test_grep z f && test_expect_code 128 git -c apply.whitespace=bad apply p && test_expect_code 128 git -c apply.ignoreWhitespace=bad apply p
'

test_expect_success 'the end must be there; no more than five errors are shown' '
	lines 1 2 3 >f && lines "--- a/f" "+++ b/f" "@@ -1,2 +1,2 @@" " 1" -2 +x >p && test_must_fail git apply p && lines 1 2 >f && git apply p &&
	lines "--- /dev/null" "+++ b/n2" "@@ -0,0 +1,6 @@" "+1 " "+2 " "+3 " "+4 " "+5 " "+6 " >p && git apply --check --whitespace=warn p 2>err && test_grep "^p:8: " err && ! grep "^p:9: " err
'

test_expect_success '--summary shortens common directories' '
	lines "diff --git a/d/e/a b/d/e/b" "similarity index 100%" "rename from d/e/a" "rename to d/e/b" >p && git apply --summary p >out && lines " rename d/e/{a => b} (100%)" >want && test_cmp want out
'

test_expect_success 'a line ends without newline once; --stat is as wide as the longer name' '
	printf "a\nb" >f && header="diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n" none="\\\\ No newline at end of file\n" &&
	printf "$header-b\n$none$none+c\n" >p && test_expect_code 128 git apply p 2>err && echo "error: corrupt patch at p:8" >expect && test_cmp expect err &&
	printf "$header+ \tb\n\\\\word\n" >p && test_expect_code 128 git apply p 2>err && printf "p:6: space before tab in indent.\n \tb\nerror: corrupt patch at p:7\n" >want && test_cmp want err &&
	printf "$header b\n$none" >p && test_expect_code 128 git apply p 2>err && test_cmp expect err &&
	printf -- "--- a/f\n+++ b/f\n@@ -0,0 +0,0 @@\n$none" >p && test_expect_code 128 git apply p 2>err && echo "error: corrupt patch at p:4" >want && test_cmp want err &&
	printf "$header$none-b\n$none+c\n$none" >p && git apply --stat p && printf "$header-b\n$none+c\n$none$none" >p && git apply p && printf "a\nc" >expect && test_cmp expect f &&
	printf "diff --git a/long-name b/x\nsimilarity index 100%%\nrename from long-name\nrename to x\n" >p && git apply --stat p >out && test_grep "^ x         |    0 $" out
'

test_done
