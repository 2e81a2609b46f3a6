#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git restore, and git checkout of paths'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'set up' '
	git init -q -b main repo && (
		cd repo && mkdir d && echo 1 >a && echo 1 >d/b && echo 1 >d/old && git add . && git commit -q -m one && git tag one &&
		echo 2 >a && echo 2 >d/b && git rm -q d/old && echo 2 >d/new && git add . && git commit -q -m two && git tag two
	)
'

test_expect_success 'from the index' '
	echo mine >repo/a && echo mine >repo/d/b && git -C repo restore a && test "$(cat repo/a repo/d/b)" = "$(printf "2\nmine")" &&
	rm repo/a && git -C repo checkout -- . && test "$(cat repo/a repo/d/b)" = "$(printf "2\n2")" &&
	echo mine >repo/a && git -C repo checkout a 2>err && test "$(cat err)" = "Updated 1 path from the index" &&
	test -z "$(git -C repo status --porcelain)"
'

test_expect_success '--staged: the index alone, from HEAD' '
	echo mine >repo/a && git -C repo add a && git -C repo restore --staged a && test "$(git -C repo status --porcelain)" = " M a" &&
	git -C repo add a && git -C repo restore --staged --worktree a && test -z "$(git -C repo status --porcelain)" && test "$(cat repo/a)" = 2
'

test_expect_success '--source: the files alone; with --staged both' '
	git -C repo restore --source=one a && test "$(cat repo/a)" = 1 && test "$(git -C repo status --porcelain)" = " M a" &&
	git -C repo restore -s one -SW . && test "$(cat repo/a repo/d/b repo/d/old)" = "$(printf "1\n1\n1")" &&
	test_path_is_missing repo/d/new && git -C repo restore -s two -SW . &&
	test_path_is_missing repo/d/old && test -z "$(git -C repo status --porcelain)"
'

test_expect_success 'overlay: nothing is removed' '
	git -C repo checkout -q one -- d && test_path_is_file repo/d/new && test_path_is_file repo/d/old &&
	git -C repo checkout -q --no-overlay one -- d && test_path_is_missing repo/d/new &&
	git -C repo checkout -q --no-overlay two -- d && test_path_is_missing repo/d/old && test -z "$(git -C repo status --porcelain)" &&
	git -C repo restore --overlay -s one d && test_path_is_file repo/d/new && test_path_is_file repo/d/old && rm repo/d/old && git -C repo restore .
'

test_expect_success 'a path that is not there: told, and nothing is done' '
	echo mine >repo/a && test_expect_code 1 git -C repo restore a nosuch 2>err &&
	test_grep "error: pathspec .nosuch. did not match any file(s) known to git" err && test "$(cat repo/a)" = mine && git -C repo restore a &&
	test_expect_code 128 git -C repo restore 2>err && test_grep "you must specify path(s) to restore" err &&
	test_expect_code 128 git -C repo restore -s nosuch a 2>err && test_grep "could not resolve .nosuch." err
'

test_expect_success 'paths from a file, and below a directory' '
	echo mine >repo/a && echo mine >repo/d/b && echo b >list && git -C repo/d restore --pathspec-from-file=- <list &&
	test "$(cat repo/a repo/d/b)" = "$(printf "mine\n2")" && printf "a\0d\0" | git -C repo checkout --pathspec-from-file=- --pathspec-file-nul 2>err &&
	test -z "$(git -C repo status --porcelain)"
'

test_expect_success 'files that are right keep their times' '
	touch -d "2001-01-01 00:00" repo/a && git -C repo update-index --refresh && git -C repo restore . &&
	test "$(stat -c %Y repo/a)" = "$(date -d "2001-01-01 00:00" +%s)"
'

test_expect_success 'unmerged paths: one side, or none' '
	(
		cd repo && for i in 1 2 3; do echo side $i | git hash-object -w --stdin || exit; done >../blobs &&
		printf "0 $ZERO_OID\ta\n" | git update-index --index-info &&
		awk "{ printf \"100644 %s %d\\ta\\n\", \$1, NR }" ../blobs | git update-index --index-info &&
		test_expect_code 1 git restore a 2>../err && test_grep "path .a. is unmerged" ../err &&
		git checkout --ours -- a && test "$(cat a)" = "side 2" && git restore --theirs a && test "$(cat a)" = "side 3" &&
		git ls-files -u >../ls && test_line_count = 3 ../ls &&
		echo mine >d/b && git restore --ignore-unmerged . 2>../err && test "$(cat d/b)" = 2 && test_grep "path .a. is unmerged" ../err &&
		git checkout -q HEAD -- a && test -z "$(git status --porcelain)"
	)
'

test_expect_success 'checkout and restore refuse options that exclude each other' '
	while read -r args
	do
		test_expect_code 128 git -C repo $args 2>err || { echo "$args"; cat err; return 1; }
	done <<-\EOF
	checkout --detach -- a
	checkout -b new -- a
	checkout -t -b new -- a
	checkout --ours one -- a
	restore --ours -s one a
	restore --no-worktree a
	checkout --overlay main
	checkout --ours main
	checkout --detach -b x
	checkout -f -m main
	checkout -b x -B y
	checkout --orphan x -t one
	switch --orphan x one
	switch --discard-changes -m main
	checkout -U3 main
	EOF
'

test_done
