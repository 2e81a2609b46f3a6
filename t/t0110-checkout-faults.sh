#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of commands that move HEAD and write files fails in turn

As in t0102. Whatever fails: HEAD is one of the two commits, its index can be read, and no file that
nobody tracks is touched.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

still_good () {
	test "$(cat copy/untracked)" = mine &&
	case "$(git -C copy rev-parse HEAD)" in $one|$two) ;; *) return 1 ;; esac &&
	git -C copy ls-files -s >ls && test -s ls
}

test_expect_success 'setup' '
	git init -q -b main two && (
		cd two && mkdir dir && echo 1 >dir/a && echo 1 >dir/file && echo 1 >dir/gone &&
		git add . && git commit -q -m one && git branch one &&
		echo 2 >dir/file && echo 2 >dir/a && rm dir/gone && mkdir new && echo 2 >new/b && ln -s file dir/link &&
		git add . && git commit -q -m two && git branch two && echo mine >untracked
	) && one=$(git -C two rev-parse one) && two=$(git -C two rev-parse two) &&
	cp -a two merging && git -C merging rev-parse one >merging/.git/MERGE_HEAD && echo text >merging/.git/MERGE_MSG &&
	cp -a two staged && echo 3 >staged/dir/file && echo 3 >staged/dir/a && git -C staged add -u &&
	cp -a staged edited && echo 4 >edited/dir/file && rm edited/dir/a
'

is_one='test $(git rev-parse HEAD main | sort -u) = $one && test -z "$(git status --porcelain -uno)" &&
	test "$(cat dir/file dir/a dir/gone)" = "$(printf "1\n1\n1")" && test ! -e new/b && test ! -e dir/link'

is_on_one='git symbolic-ref HEAD | grep -q heads/one && test -z "$(git status --porcelain -uno)" &&
	test "$(cat dir/file dir/a dir/gone)" = "$(printf "1\n1\n1")" && test ! -e new/b && test ! -e dir/link'

# Each call once; the other ways to fail at some of them, with GIT_TEST_LONG at all.
for what in EIO ENOSPC+ EINTR short; do
	case $what$GIT_TEST_LONG in EIO*|*1) SWEEP_STEP=1 ;; *) SWEEP_STEP=5 ;; esac
	test_expect_success "reset --hard: $what" '
		sweep two $what "$is_one && test \$(git rev-parse ORIG_HEAD) = $two" reset --hard one
	'
	test_expect_success "reset --hard in a merge: $what" '
		sweep merging $what "$is_one && test ! -e .git/MERGE_HEAD && test ! -e .git/MERGE_MSG" reset -q --hard one
	'
	test_expect_success "reset --keep: $what" '
		sweep two $what "$is_one" reset -q --keep one
	'
	test_expect_success "reset: $what" '
		sweep two $what "test \$(git rev-parse HEAD) = $one && git diff-index --cached --quiet HEAD 2>/dev/null ||
			test \"\$(git status --porcelain -uno)\" = \"$(printf " M dir/a\n M dir/file\n D dir/gone")\"" reset one
	'
	test_expect_success "checkout: $what" '
		sweep two $what "$is_on_one" checkout one
	'
	test_expect_success "checkout -f in a merge: $what" '
		sweep merging $what "$is_on_one && test ! -e .git/MERGE_HEAD && test ! -e .git/MERGE_MSG" checkout -q -f one
	'
	test_expect_success "switch -c: $what" '
		sweep two $what "git symbolic-ref HEAD | grep -q heads/new && test \$(git rev-parse new) = $one && test -z \"\$(git status --porcelain -uno)\"" \
			switch -q -c new one
	'
	test_expect_success "switch --detach: $what" '
		sweep two $what "! git symbolic-ref -q HEAD && test -z \"\$(git status --porcelain -uno)\"" switch -q --detach one
	'
	test_expect_success "restore of files and index: $what" '
		sweep two $what "test \"\$(cat dir/file dir/a dir/gone)\" = \"$(printf "1\n1\n1")\" && test ! -e new/b && git ls-files dir/gone | grep -q gone" \
			restore -q -s one -SW .
	'
	test_expect_success "checkout of paths: $what" '
		MIN_CALLS=8 && sweep edited $what "test \"\$(cat dir/file dir/a)\" = \"$(printf "3\n3")\"" checkout -q -- dir
	'
	test_expect_success "reset of paths: $what" '
		sweep staged $what "test \"\$(git status --porcelain -uno)\" = \"$(printf "M  dir/a\n M dir/file")\"" reset -q -- dir/file
	'
done

test_done
