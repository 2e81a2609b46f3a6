#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git reset'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'set up' '
	git init -q -b main repo &&
	test_commit -C repo --tag one one file 1 &&
	test_commit -C repo --tag two two file 2
'

test_expect_success '--soft moves HEAD alone, and notes where it was' '
	git -C repo reset --soft one >out &&
	test_must_be_empty out &&
	test "$(git -C repo rev-parse HEAD)" = "$(git -C repo rev-parse one)" &&
	test "$(git -C repo rev-parse ORIG_HEAD)" = "$(git -C repo rev-parse two)" &&
	test "$(git -C repo status --porcelain)" = "M  file" &&
	git -C repo reflog -1 >log &&
	test_grep "reset: moving to one" log
'

test_expect_success '--mixed resets the index and lists what differs' '
	git -C repo reset one >out &&
	printf "Unstaged changes after reset:\nM\tfile\n" >expect &&
	test_cmp expect out &&
	test "$(git -C repo status --porcelain)" = " M file"
'

test_expect_success '--hard resets files, and says where HEAD is' '
	git -C repo reset --hard two >out &&
	test_grep "^HEAD is now at [0-9a-f]* two$" out &&
	test "$(cat repo/file)" = 2 &&
	test -z "$(git -C repo status --porcelain)"
'

test_expect_success '--hard gives up a merge and its messages' '
	git -C repo rev-parse one >repo/.git/MERGE_HEAD &&
	echo x >repo/.git/MERGE_MSG &&
	test_must_fail git -C repo reset --soft 2>err &&
	test_grep "Cannot do a soft reset in the middle of a merge" err &&
	git -C repo reset -q --hard &&
	test_path_is_missing repo/.git/MERGE_HEAD &&
	test_path_is_missing repo/.git/MERGE_MSG
'

test_expect_success '--keep and --merge never lose a local change' '
	echo mine >repo/file &&
	for mode in keep merge
	do
		test_expect_code 128 git -C repo reset --$mode one 2>err &&
		test_grep "Entry .file. not uptodate" err || return 1
	done &&
	test "$(cat repo/file)" = mine &&
	test "$(git -C repo rev-parse HEAD)" = "$(git -C repo rev-parse two)" &&
	test_path_is_missing repo/.git/index.lock &&
	git -C repo reset -q --hard
'

test_expect_success 'paths: only the index, only these' '
	echo new >repo/other && echo 3 >repo/file &&
	git -C repo add . &&
	git -C repo reset -q -- other &&
	git -C repo status --porcelain >out &&
	printf "M  file\n?? other\n" >expect &&
	test_cmp expect out &&
	test_must_fail git -C repo reset --hard -- file 2>err &&
	test_grep "Cannot do hard reset with paths" err &&
	git -C repo reset -q --hard && rm repo/other
'

test_expect_success 'names that attack a checkout are refused' '
	blob=$(echo evil | git -C repo hash-object -w --stdin) &&
	for name in .GIT .git. git~1 ".git " ".git::\$INDEX_ALLOCATION"
	do
		sub=$(printf "100644 blob %s\tconfig\n" $blob | git -C repo mktree) &&
		tree=$(printf "040000 tree %s\t%s\n" $sub "$name" | git -C repo mktree) &&
		commit=$(git -C repo commit-tree -m evil $tree) &&
		test_must_fail git -C repo -c core.protectNTFS=true reset --hard $commit 2>err &&
		test "$(git -C repo rev-parse HEAD)" = "$(git -C repo rev-parse two)" || return 1
	done &&
	test_must_fail grep -q evil repo/.git/config
'

test_expect_success SYMLINKS 'nothing is written through a link' '
	mkdir outside && git init -q -b main links &&
	mkdir links/d && echo in >links/d/f && git -C links add . && test_tick &&
	git -C links commit -q -m dir &&
	rm -r links/d && ln -s ../outside links/d &&
	git -C links reset -q --hard &&
	test_path_is_missing outside/f &&
	test "$(cat links/d/f)" = in
'

test_expect_success 'many files, in threads: all are there, and the index knows them' '
	git init -q -b main many && mkdir many/a many/b &&
	for i in $(test_seq 1 300)
	do
		echo $i >many/a/$i && echo $i >many/b/$i || return 1
	done &&
	git -C many add . && test_tick && git -C many commit -q -m all &&
	rm -r many/a many/b/1* && git -C many -c checkout.workers=4 reset -q --hard &&
	test -z "$(git -C many status --porcelain)" &&
	test "$(cat many/a/300)" = 300
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'one flush, however many files' '
	on_journal disk && cp -R many disk/many && rm -r disk/many/a &&
	n=$(count_flushes git -C disk/many reset -q --hard HEAD) &&
	test $n = 1
'

test_expect_success 'refusals: -N without --mixed, a mixed reset in a bare repository, a name that is a file, too, --keep with conflicts' '
	rm -rf a && git init -q -b main a && (
		cd a && echo 1 >f && git add f && git commit -q -m one && echo 2 >f && git commit -q -a -m two && echo x >main && git tag one HEAD~1 && head=$(git rev-parse HEAD) &&
		test_expect_code 128 git reset -N --hard one 2>err && test_grep "requires" err && test_expect_code 128 git reset -N --soft one && git clone -q --bare . b.git && test_expect_code 128 git -C b.git reset one 2>err && test_grep "not allowed in a bare repository" err &&
		test_expect_code 128 git reset main 2>err && test_grep "both revision and filename" err && git reset -q main -- && git reset -q -- main && test "$(cat f)" = 2 && test $(git rev-parse HEAD) = $head &&
		id=$(git rev-parse HEAD:f) && printf "0 $ZERO_OID\tf\n100644 %s 1\tf\n100644 %s 2\tf\n" $id $id | git update-index --index-info && test_expect_code 128 git reset --keep one 2>err && test_grep "middle of a merge" err && test $(git rev-parse HEAD) = $head
	)
'

test_expect_success 'before the first commit ORIG_HEAD, of whatever was there before, goes; a reset leaves cached trees; a file in the place of a directory' '
	rm -rf a && git init -q -b main a && (
		cd a && mkdir d && echo 1 >d/f && git add . && git commit -q -m one && git update-ref ORIG_HEAD HEAD && git symbolic-ref HEAD refs/heads/none && git reset -q --hard main && test_must_fail git rev-parse -q --verify ORIG_HEAD &&
		rm .git/index && git reset -q && grep -a -q TREE .git/index && rm -r d && echo file >d && test_might_fail git reset >out && printf "%s\n" "Unstaged changes after reset:" "M	d/f" >expect && test_cmp expect out
	)
'

test_done
