#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pushes of nothing, to mirrors and of broken refs; updateInstead with core.worktree'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository' '
	git init -q c && (cd c && echo 1 >f && git add f && git commit -q -m one) &&
	branch=$(git -C c symbolic-ref --short HEAD)
'

test_expect_success 'a push of what the other side has as well is an error if it has nothing' '
	git init -q --bare empty &&
	for spec in : "refs/x/*:refs/x/*" --tags; do
		test_expect_code 1 git -C c push ../empty $spec 2>err &&
		test_grep "No refs in common and none specified" err && test_grep "failed to push" err || return 1
	done &&
	test_expect_code 1 git -C c push --porcelain ../empty : >out 2>err && test_must_be_empty out &&
	test_expect_code 128 git -C c send-pack ../empty 2>err && test_grep "No refs in common" err &&
	git -C c push -q ../empty HEAD && git -C c push ../empty : 2>err && test_grep "Everything up-to-date" err
'

test_expect_success 'without any remote a path needs an upstream, too' '
	test_expect_code 128 git -C c push ../empty 2>err && test_grep "has no upstream branch" err
'

test_expect_success 'no refspecs for a remote that is a mirror' '
	git -C c config remote.m.url ../mirror && git -C c config remote.m.mirror true && git init -q --bare mirror &&
	for args in "m $branch" "m :" "m tag x" "m --delete x" "--no-mirror m $branch"; do
		test_expect_code 128 git -C c push $args 2>err &&
		test_grep "mirror can.t be combined with refspecs" err || return 1
	done &&
	git -C c push -q m && git -C mirror rev-parse -q --verify $branch
'

test_expect_success 'a ref whose object is missing can be deleted' '
	git -C c push -q ../mirror HEAD:refs/heads/broken &&
	git -C c hash-object --stdin <c/f >id && echo $(cat id | tr 0-9 9) >mirror/refs/heads/broken &&
	git -C c push ../mirror :broken 2>err && test_grep "deleted.*broken" err &&
	test_path_is_missing mirror/refs/heads/broken
'

test_expect_success 'the update hook sees deletions first' '
	git -C c push -q ../mirror HEAD:refs/heads/zz &&
	printf "#!/bin/sh\necho \$1 >>seen\n" >mirror/hooks/update && chmod +x mirror/hooks/update &&
	git -C c push -q ../mirror HEAD:refs/heads/aa :zz &&
	printf "refs/heads/zz\nrefs/heads/aa\n" >expect && test_cmp expect mirror/seen
'

test_expect_success 'updateInstead writes where core.worktree says' '
	git clone -q c dst && git -C dst config receive.denyCurrentBranch updateInstead &&
	mkdir wt && cp c/f wt && git -C dst config core.worktree ../../wt &&
	echo 2 >c/f && git -C c commit -q -am two && git -C c push -q ../dst $branch &&
	echo 2 >expect && test_cmp expect wt/f && echo 1 >expect && test_cmp expect dst/f &&
	echo dirty >wt/f && echo 3 >c/f && git -C c commit -q -am three &&
	test_must_fail git -C c push ../dst $branch 2>err && test_grep "unstaged changes" err &&
	echo dirty >expect && test_cmp expect wt/f
'

test_done
