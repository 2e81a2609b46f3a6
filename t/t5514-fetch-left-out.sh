#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='clone heeds branch.autoSetupRebase; fetch --no-filter; names and filters of fetch-pack'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository' '
	git init -q up && git -C up config uploadpack.allowFilter true && git -C up config uploadpack.allowAnySHA1InWant true &&
	(cd up && for i in 1 2; do echo $i >f && git add f && git commit -q -m $i || exit 1; done) &&
	branch=$(git -C up symbolic-ref --short HEAD)
'

test_expect_success 'clone heeds branch.autoSetupRebase' '
	for value in always remote; do
		git -c branch.autoSetupRebase=$value clone -q up c-$value &&
		test "$(git -C c-$value config branch.$branch.rebase)" = true || return 1
	done &&
	git clone -q -c branch.autoSetupRebase=always up c-own && test "$(git -C c-own config branch.$branch.rebase)" = true &&
	for value in local never; do
		git -c branch.autoSetupRebase=$value clone -q up c-$value &&
		test_must_fail git -C c-$value config branch.$branch.rebase || return 1
	done
'

missing () {
	git -C "$1" rev-list --objects --missing=print --all | grep -c "^?"
}

test_expect_success 'fetch --no-filter leaves nothing out, once' '
	git clone -q --no-local --filter=blob:none up partial && test "$(missing partial)" = 1 &&
	echo 3 >up/g && git -C up add g && git -C up commit -q -m 3 &&
	git -C partial fetch -q --no-filter && test "$(missing partial)" = 1 &&
	test "$(git -C partial config remote.origin.partialCloneFilter)" = blob:none &&
	echo 4 >up/g && git -C up commit -q -am 4 &&
	git -C partial fetch -q && test "$(missing partial)" = 2 &&
	git -C partial fetch -q --refetch --no-filter && test "$(missing partial)" = 0
'

test_expect_success 'fetch-pack with a filter takes what comes' '
	git init -q filtered &&
	git -C filtered fetch-pack -q --filter=blob:limit=0 ../up HEAD >out &&
	echo "$(git -C up rev-parse HEAD) HEAD" >expect && test_cmp expect out &&
	git -C filtered update-ref refs/heads/x $(git -C up rev-parse HEAD) &&
	test "$(missing filtered)" = 4 &&
	git -C filtered fsck
'

test_expect_success 'fetch-pack tells of each name once' '
	git init -q named &&
	id=$(git -C up rev-parse HEAD) &&
	printf "%s HEAD\n%s refs/heads/$branch\n" $id $id >expect &&
	printf "HEAD\nrefs/heads/$branch\nHEAD\n" | git -C named fetch-pack -q --stdin ../up refs/heads/$branch >out &&
	test_cmp expect out &&
	git -C named fetch-pack -q --all ../up HEAD >out && test_cmp expect out &&
	echo "$id $id" >expect && git -C named fetch-pack -q ../up $id $id >out && test_cmp expect out &&
	echo "$id refs/heads/$branch" >expect &&
	git -C named fetch-pack -q ../up "$id refs/heads/$branch" >out && test_cmp expect out &&
	test_expect_code 1 git -C named fetch-pack -q ../up gone HEAD gone 2>err && test_line_count = 1 err &&
	test_expect_code 1 git -C named fetch-pack -q --stdin ../up </dev/null
'

test_expect_success 'fetch-pack without any name has nothing to do' '
	test_expect_code 1 git -C named fetch-pack ../up >out 2>err && test_must_be_empty out && test_must_be_empty err
'

test_done
