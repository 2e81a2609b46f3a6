#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git checkout-index

What it prints and writes is as with Git 2.55.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

# An index with files, modes, conflicts, a submodule and a skipped file; of the files only d/c is there, changed.
start () {
	rm -rf w out && cp -a template w
}

# files: each below w, with its content.
files () {
	(cd w && find . -name .git -prune -o \( -type f -o -type l \) -print | LC_ALL=C sort | while read -r f; do echo "$f $(cat "$f")"; done)
}

# writes FILES ARGS...: git checkout-index ARGS writes these (name content), in lines; CODE, ERR: exit code, standard error
writes () {
	printf "%s\n" "$1" | sed "/^\$/d" | LC_ALL=C sort >expect.files && printf "${ERR:+%s\n}" "$ERR" >expect.err
	shift
	start && test_expect_code "${CODE:-0}" git -C "w/$DIR" checkout-index "$@" >out 2>err && files >actual && test_cmp expect.files actual &&
	test_cmp expect.err err
}

SQ="'"
changed="./d/c changed"

test_expect_success 'setup' '
	git init -q template && (
		cd template && mkdir -p d/e && echo a >a && echo c >d/c && echo f >d/e/f && echo "#!" >x && chmod +x x && git add . &&
		git update-index --add --cacheinfo 120000,$(printf a | git hash-object -w --stdin),l && git commit -q -m one &&
		for n in 1 2 3; do printf "100644 %s $n\tm\n" $(echo v$n | git hash-object -w --stdin) || exit; done >stages &&
		printf "100644 %s 2\tn\n" $(git rev-parse :a) >>stages && git update-index --index-info <stages &&
		git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub && git update-index --skip-worktree d/e/f &&
		rm -rf stages a d x && mkdir d && echo changed >d/c
	)
'

test_expect_success 'names; existing files are kept without -f' '
	writes "$changed" && writes "$changed
./a a" a && CODE=1 ERR="d/c already exists, no checkout" && writes "$changed
./a a" a d/c && ERR= && writes "$changed
./a a" -q a d/c && CODE=0 && writes "./d/c c
./a a" -f a d/c && writes "$changed" -n a && writes "./d/c c" -n -f a d/c && DIR=d && writes "./d/c c
./a a" -f ../a c && DIR=
'

test_expect_success SYMLINKS '-a, modes, links, submodules, skipped files' '
	CODE=1 && ERR="d/c already exists, no checkout" && writes "$changed
./a a
./l a
./x #!" -a && test -x w/x && test ! -x w/a && test -L w/l && test -d w/sub && writes "$changed
./a a
./d/e/f f
./l a
./x #!" -a --ignore-skip-worktree-bits && CODE=0 && ERR= && DIR=d && writes "./d/c c" -f -a && DIR=
'

test_expect_success 'names that are not to be had' '
	CODE=1 && ERR="git checkout-index: nope is not in the cache" && writes "$changed
./a a" nope a && ERR="git checkout-index: d is not in the cache" && writes "$changed" -f d &&
	ERR="git checkout-index: m is unmerged" && writes "$changed" m && ERR="git checkout-index: n does not exist at stage 3" &&
	writes "$changed
./m v3" --stage=3 m n && ERR="git checkout-index: d/e/f has skip-worktree enabled; use --ignore-skip-worktree-bits to checkout" &&
	ERR=$(echo "$ERR" | sed "s/--ignore[a-z-]*/${SQ}&${SQ}/") && writes "$changed" d/e/f && DIR=d &&
	ERR="git checkout-index: d/nope is not in the cache" && writes "$changed" nope && DIR= && ERR= && writes "$changed" -q nope m &&
	CODE=128 && ERR="fatal: git checkout-index: don${SQ}t mix ${SQ}--all${SQ} and explicit filenames" && writes "$changed" -a a &&
	ERR="fatal: stage should be between 1 and 3 or all" && writes "$changed" --stage=4 m && CODE= ERR=
'

test_expect_success 'stages, temporary files' '
	writes "$changed
./m v2
./n a" --stage=2 -a && start && git -C w checkout-index --stage=all -a >out && test_line_count = 2 out &&
	sed -n "s/	m\$//p" out >temps && read -r one two three <temps && echo v1 >expect && test_cmp expect w/$one &&
	echo v2 >expect && test_cmp expect w/$two && echo v3 >expect && test_cmp expect w/$three &&
	test_grep "^[.] [.]merge_file_[^ ]* [.]	n\$" out &&
	start && git -C w/d checkout-index --temp ../l c >out && test_grep "^[.]merge_link_[^ ]*	[.][.]/l\$" out && read -r link rest <out &&
	printf a >expect && test_cmp expect w/$link && test ! -L w/$link && test_grep "^[.]merge_file_[^ ]*	c\$" out &&
	start && git -C w checkout-index -z --temp a x >out && tr "\000" "\n" <out >lines && test_line_count = 2 lines &&
	start && test_expect_code 1 git -C w checkout-index --temp sub a >out 2>err && test_line_count = 1 out &&
	echo "error: cannot create temporary submodule sub" >expect && test_cmp expect err
'

test_expect_success '--stdin' '
	printf "\"d/\\\\143\"\na\n" >in && start && git -C w checkout-index --stdin -f <in && echo c >expect && test_cmp expect w/d/c && test_path_is_file w/a &&
	printf "a\0d/c\0" >in && start && test_expect_code 1 git -C w/d checkout-index --stdin -z -q -f <in 2>err && test_path_is_missing w/a &&
	(cd w && git checkout-index --stdin -z -f <../in) && test_path_is_file w/a
'

test_expect_success '--prefix: into a directory, to other names, through links' '
	writes "$changed
./out-a a
./out-d/c c" --prefix=out- a d/c && start && git -C w checkout-index -a --prefix=../out/ && echo c >expect && test_cmp expect out/d/c &&
	test_path_is_missing out/d/e && test_path_is_missing w/a && rm -rf out &&
	if test_have_prereq SYMLINKS; then
		mkdir real && ln -s real to && git -C w checkout-index --prefix="$PWD/to/" a d/c && test_cmp expect real/d/c && rm -rf to real
	fi
'

test_expect_success SYMLINKS 'nothing is written through a link in the work tree, or to paths that no entry may have' '
	start && mkdir -p elsewhere && rm -rf w/d && ln -s ../elsewhere w/d && test_expect_code 1 git -C w checkout-index d/c 2>err &&
	test_path_is_missing elsewhere/c && git -C w checkout-index -f d/c && test ! -L w/d && test_path_is_missing elsewhere/c && echo c >expect &&
	test_cmp expect w/d/c && rm -rf w/d && echo file >w/d && test_must_fail git -C w checkout-index d/c && git -C w checkout-index -f d/c &&
	test_cmp expect w/d/c && mkdir -p w/a/b && echo x >w/a/b/c && test_expect_code 1 git -C w checkout-index a && git -C w checkout-index -f a &&
	test_path_is_file w/a
'

test_expect_success '-u: stat data; without it the index is not touched' '
	start && cksum w/.git/index >before && git -C w checkout-index -f d/c && cksum w/.git/index >after && test_cmp before after &&
	git -C w diff-files --name-only d >out && echo d/c >expect && test_cmp expect out &&
	git -C w checkout-index -f -u a d/c && git -C w diff-files --name-only a d >out && test_must_be_empty out &&
	start && git -C w checkout-index -f -u --prefix=../out/ a && cksum w/.git/index >after && test_cmp before after && rm -rf out &&
	>w/.git/index.lock && test_expect_code 128 git -C w checkout-index -u -f a && git -C w checkout-index -f a
'

test_expect_success 'content is converted, in temporary files as well' '
	start && echo "*.t text eol=crlf" >w/.gitattributes && echo line >w/f.t && git -C w add f.t && rm w/f.t && git -C w checkout-index f.t &&
	printf "line\r\n" >expect && test_cmp_bin expect w/f.t && git -C w checkout-index --temp f.t >out && read -r temp rest <out &&
	test_cmp_bin expect w/$temp
'

for what in EIO ENOSPC+ EINTR; do
	test_expect_success "every system call of -f -u fails: $what" '
		MIN_CALLS=5 && sweep template $what "git diff-files --quiet a d" checkout-index -f -u a d/c
	'
done

test_done
