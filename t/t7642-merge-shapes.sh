#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge -X renormalize, -X subtree, -s subtree; pull.twohead, pull.octopus'
. "$(dirname "$0")/test-lib.sh"

# ---- renormalize ----

# side has CRLF, main has LF now; f: changed by both; g: a conflict; gone: deleted by side, unchanged but for line endings
test_expect_success 'set up line endings' '
	git init -q -b main eol && (
		cd eol && git config core.autocrlf false && printf "a\r\nb\r\nc\r\nd\r\n" >f && cp f g && cp f gone && git add . &&
		git commit -q -m base && git checkout -q -b side && printf "a\r\nb\r\nc\r\nD\r\n" >f &&
		printf "A\r\nb\r\nc\r\nd\r\n" >g && git rm -q gone && git add . && git commit -q -m side && git checkout -q main &&
		echo "* text=auto" >.gitattributes && printf "A\nb\nc\nd\n" >f && printf "B\nb\nc\nd\n" >g && printf "a\nb\nc\nd\n" >gone &&
		git add . && git commit -q -m main
	)
'

test_expect_success 'without it, line endings are changes' '
	test_expect_code 1 git -C eol merge-tree --write-tree --name-only main side >out &&
	test_grep "CONFLICT (modify/delete): gone" out && test_grep "Merge conflict in f" out
'

check_normalized() {
	test_grep ! "gone" out && test_grep ! "conflict in f" out && test_grep "Merge conflict in g" out &&
	git -C eol cat-file blob "$(head -n 1 out):f" >f && printf "A\nb\nc\nD\n" >expect && test_cmp_bin expect f &&
	git -C eol cat-file blob "$(head -n 1 out):g" >g && printf "%s\n" "<<<<<<< main" B ======= A ">>>>>>> side" b c d >expect &&
	test_cmp_bin expect g
}

test_expect_success 'with it they are none; versions of the index stay' '
	test_expect_code 1 git -C eol merge-tree --write-tree -X renormalize main side >out && check_normalized &&
	test_grep "^100644 $(git -C eol rev-parse side:g) 3	g" out &&
	test_expect_code 1 git -C eol -c merge.renormalize=true merge-tree --write-tree main side >out && check_normalized &&
	test_expect_code 1 git -C eol -c merge.renormalize=true merge-tree --write-tree -X no-renormalize main side >out &&
	test_grep "Merge conflict in f" out &&
	test_expect_code 1 git -C eol merge -X renormalize side && printf "A\nb\nc\nD\n" >expect && test_cmp_bin expect eol/f &&
	test_path_is_missing eol/gone
'

# ---- subtree ----

test_expect_success 'set up a library in a directory' '
	git init -q -b main sub && (
		cd sub && echo own >own && git add . && git commit -q -m own && git checkout -q --orphan lib && git rm -q -r -f . &&
		mkdir src && printf "%s\n" 1 2 3 4 5 6 7 8 9 >a && echo b >src/b && echo c >c && git add . && git commit -q -m lib &&
		git checkout -q main && git merge -q -s ours --no-commit --allow-unrelated-histories lib &&
		mkdir -p vendor/lib/src && git cat-file blob lib:a >vendor/lib/a && echo b >vendor/lib/src/b && echo c >vendor/lib/c &&
		git add . && git commit -q -m "add the library" && git checkout -q lib && printf "%s\n" 1 2 3 4 5 6 7 8 nine >a &&
		echo new >src/new && git add . && git commit -q -m up && git checkout -q main &&
		printf "%s\n" one 2 3 4 5 6 7 8 9 >vendor/lib/a && git add . && git commit -q -m down && git tag start
	)
'

check_in_vendor() {
	printf "%s\n" one 2 3 4 5 6 7 8 nine >expect && test_cmp expect sub/vendor/lib/a && test_path_is_file sub/vendor/lib/src/new &&
	test_path_is_file sub/own && test_path_is_missing sub/src && git -C sub reset -q --hard start
}

test_expect_success '-s subtree and -X subtree find the directory, -X subtree=path names it' '
	git -C sub merge -q -m x -s subtree lib && check_in_vendor &&
	git -C sub log -1 --format=%p main >out &&
	git -C sub merge -q -m x -X subtree lib && check_in_vendor &&
	git -C sub merge -q -m x -X subtree=vendor/lib lib && check_in_vendor
'

test_expect_success 'in the other direction it is stripped' '
	git -C sub checkout -q lib && git -C sub merge -q -m x -X subtree=vendor/lib start &&
	printf "%s\n" one 2 3 4 5 6 7 8 nine >expect && test_cmp expect sub/a && test_path_is_missing sub/vendor &&
	git -C sub reset -q --hard HEAD^ && git -C sub merge -q -m x -s subtree start && test_cmp expect sub/a &&
	test_path_is_missing sub/vendor && git -C sub reset -q --hard HEAD^ && git -C sub checkout -q main
'

test_expect_success 'a path that neither tree has changes nothing' '
	test_expect_code 1 git -C sub merge -q -m x -X subtree=nope lib >out && test_grep "CONFLICT (file location): src/new" out
'

# ---- defaults ----

test_expect_success 'pull.twohead and pull.octopus name strategies where no option does' '
	git init -q -b main two && test_commit -C two base && for b in a b
	do
		git -C two checkout -q -b $b main && test_commit -C two $b || return 1
	done &&
	git -C two checkout -q -b work main && test_commit -C two work && git -C two tag start &&
	git -C two -c pull.twohead=ours merge -m x a >out && test_grep "by the .ours. strategy" out && test_path_is_missing two/a.t &&
	git -C two reset -q --hard start && git -C two -c pull.twohead="ours ort" merge -m x a >out &&
	test_grep "^Trying merge strategy ours" out && git -C two reset -q --hard start &&
	git -C two -c pull.twohead=ours merge -q -s ort -m x a && test_path_is_file two/a.t && git -C two reset -q --hard start &&
	git -C two -c pull.octopus=ours merge -m x a b >out && test_grep "by the .ours. strategy" out && git -C two reset -q --hard start &&
	git -C two -c pull.twohead=ours merge -q -m x a b && test_path_is_file two/b.t && git -C two reset -q --hard start &&
	test_expect_code 1 git -C two -c pull.twohead=nope merge a 2>err && test_grep "Could not find merge strategy .nope." err
'

test_done
