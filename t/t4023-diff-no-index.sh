#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff --no-index: files and directories that no repository has to know'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two directories' '
	git init -q . && mkdir -p a/s b/s && echo 1 >a/x && echo 2 >b/x && echo same >a/s/y && echo same >b/s/y && echo only >a/o && echo new >b/n &&
	test_expect_code 1 git diff --no-index --name-status a b >out && printf "%s\t%s\n" A b/n D a/o M a/x >expect && test_cmp expect out &&
	test_expect_code 1 git diff --no-index a b >out && test_grep "^diff --git a/a/x b/b/x$" out && test_grep "^diff --git a/a/o b/a/o$" out &&
	test_grep "^-1$" out && test_grep "^+2$" out && test_expect_code 1 git diff --no-index --stat a b >out && test_grep "^ {a => b}/x *|" out
'

test_expect_success 'two files; a file and a directory' '
	test_expect_code 1 git diff --no-index a/x b/x >expect && test_grep "^--- a/a/x$" expect && test_expect_code 1 git diff --no-index a/x b >out && test_cmp expect out &&
	test_expect_code 1 git diff --no-index a b/x >out && test_cmp expect out && (cd a && test_expect_code 1 git diff --no-index x ../b/x >../out) &&
	test_grep "^+++ b/../b/x$" out && test_grep "^+2$" out
'

test_expect_success 'the exit code says whether there are differences' '
	git diff --no-index a a >out && test_must_be_empty out && git diff --no-index --quiet a/s b/s && test_expect_code 1 git diff --no-index --quiet a b >out &&
	test_must_be_empty out && chmod +x b/s/y && test_expect_code 1 git diff --no-index --summary a/s b/s >out && test_grep "mode change 100644 => 100755 b/s/y" out
'

test_expect_success 'standard input, nothing' '
	echo in | test_expect_code 1 git diff --no-index - a/x >out && test_grep "^-in$" out && test_grep "^+1$" out && echo 1 | git diff --no-index - a/x &&
	test_expect_code 1 git diff --no-index /dev/null a/x >out && test_grep "^new file mode 100644$" out && test_grep "^+1$" out
'

test_expect_success 'links are compared, not followed; a file in the place of a directory' '
	ln -s x a/l && ln -s y b/l && test_expect_code 1 git diff --no-index a/l b/l >out && test_grep "^-x$" out && test_grep "^+y$" out &&
	mkdir -p c/x && echo deep >c/x/z && test_expect_code 1 git diff --no-index --name-status a c >out && test_grep "^D.a/x$" out && test_grep "^A.c/x/z$" out
'

test_expect_success 'diff --no-index refuses a wrong number of paths, missing files and fifos' '
	test_expect_code 129 git diff --no-index a && test_expect_code 129 git diff --no-index a/x b/x c && test_expect_code 129 git diff --no-index --cached a b &&
	test_expect_code 1 git diff --no-index a nofile 2>err && test_grep "Could not access .nofile." err && mkfifo f && test_expect_code 128 git diff --no-index f a/x
'

test_expect_success 'outside of a repository: whether or not it is asked for' '
	mkdir -p no/a no/b && echo 1 >no/a/x && echo 2 >no/b/x && echo 3 >no/b/y &&
	GIT_CEILING_DIRECTORIES=$PWD && export GIT_CEILING_DIRECTORIES && test_when_finished "unset GIT_CEILING_DIRECTORIES" && (cd no &&
		printf "%s\n" "diff --git a/a/x b/b/x" "index d00491f..0cfbf08 100644" "--- a/a/x" "+++ b/b/x" "@@ -1 +1 @@" -1 +2 >../expect &&
		test_expect_code 1 git diff a/x b/x >../out1 && test_cmp ../expect ../out1 && test_expect_code 1 git diff --no-index a b x >../out1 && test_cmp ../expect ../out1 &&
		printf ":100644 100644 0000000 0000000 M\ta/x\n:000000 100644 0000000 0000000 A\tb/y\n" >../expect && test_expect_code 1 git diff --raw a b >../out1 && test_cmp ../expect ../out1 &&
		test_expect_code 1 git -c diff.noprefix=true diff a/x b/x >../out1 && test_grep "^diff --git a/x b/x$" ../out1 &&
		test_expect_code 129 git diff a 2>../err && test_grep "Use --no-index to compare two paths outside a working tree" ../err &&
		test_expect_code 129 git diff --cached a b 2>../err && test_grep "unknown option .cached" ../err &&
		test_expect_code 129 git diff a/x b/x y 2>../err && test_grep "only supported if both paths are directories" ../err)
'

test_expect_success 'two paths, one outside of the work tree; attributes of files inside' '
	echo 2 >outside && mkdir -p in && git init -q in && echo 1 >in/f && (cd in && test_expect_code 1 git diff f ../outside >../out2) && test_grep "^+++ b/../outside$" out2 &&
	(cd in && test_expect_code 1 git diff f "$OLDPWD/outside" >../out2) && test_grep "^+++ b$PWD/outside$" out2 &&
	echo "f -diff" >in/.gitattributes && (cd in && test_expect_code 1 git diff f ../outside >../out2) && test_grep "^Binary files a/f and b/../outside differ$" out2
'

test_expect_success 'standard input has no directory to be compared with; attributes of absolute paths; a warning outside of a repository' '
	rm -rf s && mkdir -p s/d && (
		cd s && echo x >d/- && echo y >d/f && for a in "- d" "d -"; do echo y | test_expect_code 128 git diff --no-index $a 2>err && test_grep "cannot compare stdin to a directory" err || return 1; done &&
		git init -q r && cd r && echo "*.bin -diff" >.gitattributes && echo 1 >a.bin && echo 2 >b.bin && test_expect_code 1 git diff --no-index "$PWD/a.bin" "$PWD/b.bin" >out && test_grep "^Binary files" out
	) && (cd s && GIT_CEILING_DIRECTORIES=$PWD/.. && export GIT_CEILING_DIRECTORIES && test_expect_code 129 git diff d 2>err && test_grep "Not a git repository. Use --no-index" err && test_expect_code 129 git diff --no-index d 2>err && ! grep "Not a git repository" err)
'

test_done
