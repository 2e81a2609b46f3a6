#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='fetch, ls-remote and push choose their default remote'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two remotes' '
	git init -q up && git -C up commit -q --allow-empty -m one && git -C up tag t1 &&
	git init -q other && git -C other commit -q --allow-empty -m two && git -C other branch only-there &&
	git init -q c && git -C c commit -q --allow-empty -m three && git -C c branch second &&
	branch=$(git -C c symbolic-ref --short HEAD) &&
	git -C c remote add origin ../up &&
	git -C c remote add other ../other
'

test_expect_success 'branch.<current>.remote comes before origin' '
	git -C c config branch.$branch.remote other &&
	git -C c fetch 2>err &&
	test_grep "^From ../other" err &&
	git -C c ls-remote >out 2>err &&
	test_grep "^From ../other" err && test_grep only-there out &&
	echo ../other >expect && git -C c ls-remote --get-url >out && test_cmp expect out
'

test_expect_success 'a branch that has none, and a detached HEAD, mean origin' '
	echo ../up >expect &&
	git -C c symbolic-ref HEAD refs/heads/second && git -C c ls-remote --get-url >out && test_cmp expect out &&
	git -C c update-ref --no-deref HEAD $branch && git -C c ls-remote --get-url >out && test_cmp expect out &&
	git -C c symbolic-ref HEAD refs/heads/$branch &&
	git init -q last && git -C last remote add first ../first && git -C last remote add origin ../up && git -C last ls-remote --get-url >out && test_cmp expect out
'

test_expect_success 'the remote of a branch can be this repository, a path, or nothing that exists' '
	git -C c config branch.$branch.remote . &&
	git -C c config branch.$branch.merge refs/heads/second &&
	git -C c fetch -q && test_grep "branch .second. of \.$" c/.git/FETCH_HEAD &&
	git -C c config branch.$branch.remote ../other &&
	echo ../other >expect && git -C c ls-remote --get-url >out && test_cmp expect out &&
	git -C c config branch.$branch.remote nosuch &&
	test_must_fail git -C c fetch 2>err && test_grep "nosuch. does not appear" err &&
	test_must_fail git -C c ls-remote 2>err && test_grep "nosuch. does not appear" err && test_grep ! From err
'

test_expect_success 'without any remote fetch has nothing to do, and ls-remote and push refuse' '
	git init -q none && git -C none commit -q --allow-empty -m x &&
	git init -q --bare none/origin && # a directory of that name is not meant
	for name in unset empty; do
		git -C none fetch >out 2>&1 && test_must_be_empty out &&
		test_must_fail git -C none ls-remote 2>err && test_grep "No remote configured" err &&
		test_must_fail git -C none push --all 2>err && test_grep "No configured push destination" err &&
		test_must_fail git -C none fetch --atomic 2>err && test_grep "only be used when fetching from one" err &&
		git -C none config branch.$branch.remote "" || return 1
	done
'

test_expect_success 'an empty name is no remote' '
	git -C c config branch.$branch.remote origin &&
	git -C c fetch "" >out 2>&1 && test_must_be_empty out &&
	test_must_fail git -C c ls-remote "" 2>err && test_grep "bad repository .." err &&
	test_must_fail git -C c push "" main 2>err && test_grep "bad repository .." err &&
	test_must_fail git -C c remote show "" 2>err && test_grep "No such remote" err
'

test_expect_success 'keys without a branch, or without a value, are refused' '
	printf "[branch \"\"]\n\tremote = origin\n" >bad &&
	test_must_fail git -C c -c include.path="$PWD/bad" fetch 2>err && test_grep "bad config variable .branch..remote" err &&
	for key in branch.x.remote branch.x.merge branch.x.pushRemote remote.pushDefault; do
		test_must_fail git -C c -c $key ls-remote 2>err && test_grep "unable to parse" err || return 1
	done
'

test_expect_success 'remote update default means all, if no configuration says more' '
	git -C c remote update default >out 2>/dev/null &&
	printf "Fetching origin\nFetching other\n" >expect && test_cmp expect out &&
	test_must_fail git -C c remote update default origin 2>err && test_grep "no such remote or remote group" err &&
	git -C c -c remotes.default=other remote update default >out 2>/dev/null &&
	echo "Fetching other" >expect && test_cmp expect out
'

test_done
