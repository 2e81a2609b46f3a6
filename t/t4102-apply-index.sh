#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: with an index, by a merge, in bare repositories'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }

test_expect_success 'set up' '
	git init -q . && lines 1 2 3 4 5 6 7 8 9 >f && lines x >x && git add . && git commit -qm base && lines 1 2 3 4 5 6 7 8 nine >f && lines new >new && git rm -q --cached x && git add -N new && git add f new && git diff --cached HEAD >"$T_PRIVATE/p" && want=$(git write-tree) && echo $want >"$T_PRIVATE/want" && rm new && git reset -q --hard
'

test_expect_success '--index changes both, --cached the index alone' '
	P="$T_PRIVATE/p" && git apply --index "$P" && test "$(git write-tree)" = "$(cat "$T_PRIVATE/want")" && git diff --exit-code && test -e new && ! test -e x && git apply --index -R "$P" && git diff --exit-code HEAD && ! test -e new &&
	git apply --cached "$P" && test "$(git write-tree)" = "$(cat "$T_PRIVATE/want")" && test_grep "^9$" f && ! test -e new && git reset -q --hard
'

test_expect_success '--index wants files that are in the index, and writes missing ones' '
	P="$T_PRIVATE/p" && lines 1 2 3 4 5 6 7 8 9 10 >f && test_expect_code 1 git apply --index "$P" 2>err && test_grep "^error: f: does not match index$" err && git reset -q --hard && rm f && git apply --index "$P" && test_grep nine f && git reset -q --hard &&
	lines u >u && lines "--- a/u" "+++ b/u" "@@ -1 +1 @@" -u +v >q && test_expect_code 1 git apply --index q 2>err && test_grep "^error: u: does not exist in index$" err && rm u q
'

test_expect_success '-N notes new files only' '
	git apply -N "$T_PRIVATE/p" && git diff --name-status >out && test_grep "^A	new$" out && test_grep "^M	f$" out && git diff --cached --exit-code && git reset -q --hard && rm -f new
'

test_expect_success 'files that are there are not created' '
	lines mine >new && test_expect_code 1 git apply "$T_PRIVATE/p" 2>err && test_grep "^error: new: already exists in working directory$" err && git add new && test_expect_code 1 git apply --index "$T_PRIVATE/p" 2>err && test_grep "^error: new: already exists in index$" err && git reset -q --hard && rm -f new &&
	lines "diff --git a/f/n b/f/n" "new file mode 100644" "--- /dev/null" "+++ b/f/n" "@@ -0,0 +1 @@" +n >q && test_expect_code 128 git apply q 2>err && test_grep "^error: unable to write file .f/n. mode 100644: Not a directory$" err &&
	lines "--- a/f/n" "+++ b/f/n" "@@ -1 +1 @@" -o +n >q && test_expect_code 1 git apply --index q 2>err && echo "error: f/n: Not a directory" >want && test_cmp want err && rm q
'

test_expect_success '--3way merges, and leaves conflicts in the index' '
	lines ONE 2 3 4 5 6 7 8 9 >f && git commit -qam one && git apply --3way "$T_PRIVATE/p" 2>err && test_grep "^Applied patch to .f. cleanly\.$" err && lines ONE 2 3 4 5 6 7 8 nine >want && test_cmp want f && git reset -q --hard && rm -f new &&
	lines 1 2 3 4 5 6 7 8 NINE >f && git commit -qam two && test_expect_code 1 git apply --3way "$T_PRIVATE/p" 2>err && test_grep "^Applied patch to .f. with conflicts\.$" err && test_grep "^U f$" err && git ls-files -u >out && test_line_count = 3 out && test_grep "^<<<<<<< ours$" f && git reset -q --hard && rm -f new &&
	git apply --3way --theirs "$T_PRIVATE/p" 2>err && test_grep "^nine$" f && git reset -q --hard && rm -f new && test_expect_code 1 git apply --3way --cached "$T_PRIVATE/p" && git ls-files -u >out && test_line_count = 3 out && ! grep "<<<" f && git reset -q --hard
'

test_expect_success '--3way without the blob falls back' '
	sed "/^index/s/[0-9a-f]\{7\}\.\./1234567../" "$T_PRIVATE/p" >q && git checkout -q HEAD^^ && git apply --3way q 2>err && test_grep "^error: repository lacks the necessary blob to perform 3-way merge\.$" err && test_grep "^Falling back to direct application\.\.\.$" err && test_grep nine f && git reset -q --hard && rm -f q new
'

test_expect_success 'in a bare repository: --check --cached and --cached' '
	git clone -q --bare . bare.git && (cd bare.git && git read-tree HEAD && git apply --check --cached "$T_PRIVATE/p" && git apply --cached "$T_PRIVATE/p" && test "$(git write-tree)" = "$(cat "$T_PRIVATE/want")") && rm -rf bare.git
'

test_expect_success 'submodules: with an index their commits are compared' '
	oid=$(git rev-parse HEAD) && lines "diff --git a/s b/s" "new file mode 160000" "index 0000000..1234567" "--- /dev/null" "+++ b/s" "@@ -0,0 +1 @@" "+Subproject commit $oid" >q && git apply --index q && test -d s && git ls-files -s s >out && test_grep "^160000 $oid" out && git apply --index -R q && ! test -d s && git apply q && test -d s && rm -rf s q && git reset -q --hard
'

test_expect_success '--build-fake-ancestor writes an index of the blobs before' '
	git apply --build-fake-ancestor=fake "$T_PRIVATE/p" && GIT_INDEX_FILE=fake git ls-files -s >out && test_grep "	f$" out && test_line_count = 2 out && rm fake
'

test_expect_success 'outside of a repository files alone are changed' '
	mkdir "$T_PRIVATE/outside" && cd "$T_PRIVATE/outside" && lines 1 >f && lines "--- a/f" "+++ b/f" "@@ -1 +1 @@" -1 +2 >q && GIT_CEILING_DIRECTORIES="$T_PRIVATE" && export GIT_CEILING_DIRECTORIES && git apply q && test_grep 2 f && test_expect_code 128 git apply --index q 2>err && test_grep "^error: .--index. outside a repository$" err
'

test_done
