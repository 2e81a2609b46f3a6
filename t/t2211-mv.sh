#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git mv

What it prints, and what becomes of files and index, is as with Git 2.55.'
. "$(dirname "$0")/test-lib.sh"

start () {
	rm -rf w && cp -a template w && git -C w update-index -q --refresh
}

# The index and the files, in a line each.
SQ="'"

state () {
	(cd w && git ls-files | tr "\n" " " && echo && find . -name .git -prune -o -type f -print | LC_ALL=C sort | tr "\n" " ") && echo
}

# moves INDEX FILES ARGS...: git mv ARGS leaves these. The command's output is in out, err.
moves () {
	local index="$1" files="$2"
	shift 2
	start && git -C w mv "$@" >out 2>err && { echo "$index " && echo "$files "; } >expect && state >actual && test_cmp expect actual
}

# refuses MESSAGE ARGS...: fails so, and nothing has changed.
refuses () {
	local message="fatal: $1"
	shift
	start && state >before && test_expect_code 128 git -C w mv "$@" >out 2>err && echo "$message" >expect &&
	test_cmp expect err && state >after && test_cmp before after
}

test_expect_success 'setup' '
	git init -q template && (
		cd template && mkdir -p d/e x ud &&
		echo a >a && echo b >b && echo c >d/c && echo e >d/e/f && echo xx >x/y && git add . && git commit -q -m one &&
		echo untracked >u && echo z >ud/z && echo z >d/loose
	)
'

test_expect_success 'files and directories' '
	moves "b c d/c d/e/f x/y" "./b ./c ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" a c && test_must_be_empty out &&
	git -C w diff-files --exit-code && git -C w diff --cached --name-status -M >out && printf "R100\ta\tc\n" >expect && test_cmp expect out &&
	moves "d/a d/b d/c d/e/f x/y" "./d/a ./d/b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" a b d/ &&
	moves "a b x/d/c x/d/e/f x/y" "./a ./b ./u ./ud/z ./x/d/c ./x/d/e/f ./x/d/loose ./x/y" -v d x && git -C w diff-files --exit-code &&
	printf "Renaming %s to x/%s\n" d d d/c d/c d/e/f d/e/f >expect && test_cmp expect out &&
	moves "a b new/c new/e/f x/y" "./a ./b ./new/c ./new/e/f ./new/loose ./u ./ud/z ./x/y" d/ new/ &&
	moves "a b d/c d/e/f y" "./a ./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./y" x/y . && test_path_is_dir w/x &&
	moves "b d/c d/e/f ud/a x/y" "./b ./d/c ./d/e/f ./d/loose ./u ./ud/a ./ud/z ./x/y" a ud &&
	start && (cd w/d && git mv e/f ../a .) && git -C w ls-files >out && printf "%s\n" b d/a d/c d/f x/y >expect && test_cmp expect out
'

test_expect_success '-f overwrites, tracked or not' '
	moves "b d/c d/e/f x/y" "./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" -f -v a b && echo a >expect && test_cmp expect w/b &&
	echo "warning: overwriting .b." >expect && test_grep "^warning: overwriting .b.\$" err && git -C w diff-files --exit-code &&
	moves "b d/c d/e/f u x/y" "./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" -f a u && echo a >expect && test_cmp expect w/u
'

test_expect_success 'moves that are refused' '
	refuses "bad source, source=nope, destination=c" nope c &&
	refuses "not under version control, source=u, destination=c" u c &&
	refuses "destination exists, source=a, destination=b" a b &&
	refuses "destination directory does not exist, source=a, destination=nodir/" a nodir/ &&
	refuses "can not move directory into itself, source=d, destination=d/e/d" d d/e &&
	refuses "destination ${SQ}nodir${SQ} is not a directory" a b nodir &&
	refuses "source directory is empty, source=ud, destination=x/ud" ud x &&
	refuses "destination already exists, source=d, destination=x/y" -f d x/y &&
	refuses "bad source, source=, destination=x/" . x &&
	refuses "multiple sources for the same target, source=a, destination=d/a" a a d &&
	refuses "cannot move both ${SQ}d/c${SQ} and its parent directory ${SQ}d${SQ}" -k d/c d x &&
	refuses "renaming ${SQ}a${SQ} failed: No such file or directory" a nodir/b &&
	refuses "renaming ${SQ}x/y${SQ} failed: No such file or directory" x/y nodir/b &&
	test_expect_code 129 git -C w mv a
'

test_expect_success 'paths that no entry may have' '
	refuses "invalid path ${SQ}.git/x${SQ}" a .git/x && refuses "invalid path ${SQ}.git/d${SQ}" d .git &&
	refuses "invalid path ${SQ}.GIT${SQ}" a .GIT &&
	test_expect_code 128 git -C w mv a ../x && test_path_is_missing x
'

test_expect_success SYMLINKS 'nothing goes through a symbolic link; links themselves move' '
	ln -s d template/l && test_when_finished "rm template/l" &&
	refuses "${SQ}l/a${SQ} is beyond a symbolic link" a l/a && refuses "destination exists, source=a, destination=l" a l &&
	start && git -C w add l && git -C w mv l x/l && test -L w/x/l && git -C w ls-files x >out && printf "x/l\nx/y\n" >expect && test_cmp expect out
'

test_expect_success '-k, -n' '
	moves "d/e/f x/a x/b x/c x/y" "./d/e/f ./d/loose ./u ./ud/z ./x/a ./x/b ./x/c ./x/y" -k a nope b u d/c x &&
	moves "a b d/c d/e/f x/y" "./a ./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" -k a b &&
	moves "a b d/c d/e/f x/y" "./a ./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" -k a nodir/b &&
	moves "a b d/c d/e/f x/y" "./a ./b ./d/c ./d/e/f ./d/loose ./u ./ud/z ./x/y" -n d x &&
	{ printf "Checking rename of ${SQ}%s${SQ} to ${SQ}x/%s${SQ}\n" d d d/c d/c d/e/f d/e/f &&
	  printf "Renaming %s to x/%s\n" d d d/c d/c d/e/f d/e/f; } >expect && test_cmp expect out
'

test_expect_success 'changes that are not staged stay so' '
	start && echo changed >w/a && git -C w mv a c && echo c >expect && git -C w diff-files --name-only >out && test_cmp expect out &&
	git -C w show :c >out && echo a >expect && test_cmp expect out && echo changed >expect && test_cmp expect w/c &&
	start && echo new >w/n && git -C w add -N n && git -C w mv n m && git -C w diff --name-only --diff-filter=A >out &&
	echo m >expect && test_cmp expect out
'

test_expect_success 'conflicts, submodules and sparse paths are refused' '
	start && blob=$(git -C w rev-parse :a) && printf "100644 $blob 1\tz\n100644 $blob 2\tz\n" | git -C w update-index --index-info &&
	echo z >w/z && test_expect_code 128 git -C w mv z zz 2>err && echo "fatal: conflicted, source=z, destination=zz" >expect && test_cmp expect err &&
	start && git -C w update-index --add --cacheinfo 160000,$(git -C w rev-parse HEAD),sub && mkdir w/sub && git -C w mv sub x &&
	git -C w ls-files -s x/sub >out && test_grep "^160000" out && test_path_is_dir w/x/sub &&
	echo >w/x/sub/.git && test_expect_code 128 git -C w mv x/sub . 2>err && test_grep "moving submodule .x/sub. is not available" err &&
	test_expect_code 128 git -C w mv x/sub/k x 2>err && test_expect_code 128 git -C w mv a x/sub/k 2>err && test_grep "in submodule" err &&
	start && git -C w update-index --skip-worktree a && rm w/a && test_expect_code 128 git -C w mv a c 2>err &&
	test_grep "outside of the sparse checkout" err
'

test_done
