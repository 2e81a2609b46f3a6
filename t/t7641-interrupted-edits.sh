#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge --abort after an interruption keeps what a user has edited since'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

# An update of the files from main to side that was interrupted before its first file.
interrupt() {
	git init -q -b main "$1" && (
		cd "$1" && lines 1 2 3 4 >f && mkdir d && echo x >d/x && ln -s old link && git add . && git commit -q -m base &&
		git checkout -q -b side && lines one 2 3 4 >f && git rm -q d/x && echo new >new && mkdir -p e && echo y >e/y &&
		rm link && ln -s new link && git add . && git commit -q -m side && git checkout -q main &&
		printf "%s %s" "$(git rev-parse HEAD^{tree})" "$(git rev-parse side^{tree})" >.git/WORKTREE_UPDATE
	)
}

# refused FILE: nothing has changed, and the message names the file
refused() {
	test_expect_code 128 git merge --abort 2>../err &&
	test_grep "^fatal: .$1. has changed since a command was interrupted" ../err && test_path_is_file .git/WORKTREE_UPDATE
}

test_expect_success SYMLINKS 'old files, new files and incomplete ones are brought back' '
	interrupt mixed && (
		cd mixed && lines one 2 >f && echo new >new && rm -r d && mkdir e && : >e/y && rm link && ln -s new link &&
		git merge --abort && git status --porcelain >../out && test_must_be_empty ../out && test_path_is_missing new &&
		test_path_is_missing .git/WORKTREE_UPDATE
	)
'

test_expect_success SYMLINKS 'zeros in the place of lost blocks are no edit' '
	interrupt zeros && (
		cd zeros && printf "one\n\0\0\0\0" >f && git merge --abort && git status --porcelain >../out && test_must_be_empty ../out
	)
'

test_expect_success SYMLINKS 'where HEAD has moved, old files, missing ones and incomplete ones follow it' '
	interrupt moved && (
		cd moved && git update-ref refs/heads/main side && mkdir e && : >e/y && git merge --abort &&
		git status --porcelain >../out && test_must_be_empty ../out && lines one 2 3 4 >../expect && test_cmp ../expect f &&
		test_path_is_missing d && test "$(readlink link)" = new && test_path_is_missing .git/WORKTREE_UPDATE
	)
'

test_expect_success SYMLINKS 'a file that was edited then is a local change' '
	interrupt moved-edited && (
		cd moved-edited && git update-ref refs/heads/main side && lines mine >f && echo mine >d/x && git merge --abort &&
		git status --porcelain >../out && lines " M f" "?? d/" >../expect && test_cmp ../expect ../out && lines mine >../expect &&
		test_cmp ../expect f && test_cmp ../expect d/x && test_path_is_file new
	)
'

test_expect_success SYMLINKS 'an edited file stops it, before anything has changed' '
	interrupt edited && (
		cd edited && echo new >new && lines one 2 3 four >f && cp f ../f && refused f && test_cmp ../f f && test_path_is_file new &&
		lines 1 2 3 4 5 >f && refused f && lines 1 2 3 4 >f && git merge --abort && test_path_is_missing new
	)
'

test_expect_success SYMLINKS 'so do an edited new file, a link, and a link to a file' '
	interrupt others && (
		cd others && echo mine >new && refused new && echo mine >../expect && test_cmp ../expect new && rm new &&
		rm link && ln -s mine link && refused link && rm link && rm f && ln -s new f && refused f && rm f && git merge --abort
	)
'

test_expect_success SYMLINKS 'files in the place of directories, and in directories in the place of files, are kept' '
	interrupt places && (
		cd places && rm -r d && echo mine >d && refused d && rm d && rm f && mkdir -p f/sub && echo mine >f/sub/own &&
		refused f/sub/own && rm -r f && mkdir f && git merge --abort && git status --porcelain >../out && test_must_be_empty ../out
	)
'

test_expect_success SYMLINKS 'converted files are compared as they are in the working tree' '
	interrupt crlf && (
		cd crlf && echo "f text eol=crlf" >.git/info/attributes && printf "one\r\n2\r" >f && git merge --abort &&
		printf "1\r\n2\r\n3\r\n4\r\n" >../expect && test_cmp_bin ../expect f
	)
'

test_done
