#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git bisect: start, marks, skip, run, reset, replay'
. "$(dirname "$0")/test-lib.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND
SQ="'"

# c N: the name of the N-th commit
c () {
	git rev-parse c$1
}

no_state () {
	ls .git >names && ! grep BISECT names && git for-each-ref refs/bisect >refs_left && test ! -s refs_left
}

again () {
	git bisect reset && git checkout -q main
}

test_expect_success 'set up' '
	git init -q -b main && git config core.fsyncMethod batch && for i in $(seq 10)
	do
		echo $i >f && git add f && git commit -q -m c$i && git tag c$i || return 1
	done &&
	git checkout -q -b side c4 && echo s >s && git add s && git commit -q -m s1 && git tag s1 && git checkout -q main
'

test_expect_success 'without a bisection there is nothing to do' '
	for cmd in next bad good skip new
	do
		test_expect_code 1 git bisect $cmd 2>err && grep "You need to start by" err || return 1
	done &&
	test_expect_code 1 git bisect log 2>err && grep "We are not bisecting" err && git bisect reset &&
	test_expect_code 1 git bisect terms 2>err && grep "no terms defined" err &&
	test_expect_code 1 git bisect run true && test_expect_code 1 git bisect view &&
	test_expect_code 129 git bisect && test_expect_code 129 git bisect odd && test_expect_code 129 git bisect help && no_state
'

test_expect_success 'marks one after the other, until the first bad commit is found' '
	git bisect start >out && echo "status: waiting for both ${SQ}good${SQ} and ${SQ}bad${SQ} commits" >expect && test_cmp expect out &&
	git bisect bad >out && echo "status: waiting for ${SQ}good${SQ} commit(s), ${SQ}bad${SQ} commit known" >expect && test_cmp expect out &&
	git bisect good c1 >out && printf "%s\n" "Bisecting: 4 revisions left to test after this (roughly 2 steps)" "[$(c 5)] c5" >expect &&
	test_cmp expect out && test $(git rev-parse HEAD) = $(c 5) && test_must_fail git symbolic-ref -q HEAD && test "$(cat f)" = 5 &&
	git bisect good && git bisect bad >out && printf "%s\n" "Bisecting: 0 revisions left to test after this (roughly 0 steps)" "[$(c 6)] c6" >expect &&
	test_cmp expect out && git bisect good >out && head -n 2 out >first &&
	printf "%s\n" "$(c 7) is the first ${SQ}bad${SQ} commit" "commit $(c 7)" >expect && test_cmp expect first && grep "^ f | 2 +-" out &&
	tail -n 1 .git/BISECT_LOG >out && echo "# first ${SQ}bad${SQ} commit: [$(c 7)] c7" >expect && test_cmp expect out
'

test_expect_success 'the state is that of Git' '
	echo main >expect && test_cmp expect .git/BISECT_START && printf "%s\n" bad good >expect && test_cmp expect .git/BISECT_TERMS &&
	echo >expect && test_cmp expect .git/BISECT_NAMES && test "$(ref_value . BISECT_EXPECTED_REV)" = $(c 6) &&
	test_path_exists .git/BISECT_ANCESTORS_OK && test $(git rev-parse refs/bisect/bad) = $(c 7) &&
	git for-each-ref --format="%(refname)" refs/bisect/good-* >out && printf "refs/bisect/good-%s\n" $(c 1) $(c 5) $(c 6) | sort >expect &&
	test_cmp expect out && git bisect log >out && test_cmp .git/BISECT_LOG out && head -n 4 out >first &&
	printf "%s\n" "git bisect start" "# status: waiting for both ${SQ}good${SQ} and ${SQ}bad${SQ} commits" "# bad: [$(c 10)] c10" "git bisect bad $(c 10)" >expect &&
	test_cmp expect first && git log -g -1 --format=%gs >out && echo "checkout: moving from $(c 7) to $(c 6)" >expect && test_cmp expect out &&
	git status >out && grep "You are currently bisecting, started from branch .main." out
'

test_expect_success 'reset goes back, or elsewhere' '
	git bisect reset 2>err && test "$(git symbolic-ref HEAD)" = refs/heads/main && no_state && git bisect reset &&
	git bisect start c10 c2 && git bisect reset c3 && test $(git rev-parse HEAD) = $(c 3) && no_state &&
	test_expect_code 1 git bisect reset missing 2>err && grep "error: ${SQ}missing${SQ} is not a valid commit" err && git checkout -q main
'

test_expect_success 'start with commits and paths' '
	git bisect start c10 c3 c2 -- f >out && grep "^Bisecting: 3 revisions" out && printf " %s--%s %sf%s\n" $SQ $SQ $SQ $SQ >expect &&
	test_cmp expect .git/BISECT_NAMES && grep "git bisect start ${SQ}c10${SQ} ${SQ}c3${SQ} ${SQ}c2${SQ} ${SQ}--${SQ} ${SQ}f${SQ}" .git/BISECT_LOG &&
	test_expect_code 128 git bisect start missing -- f 2>err && grep "does not appear to be a valid revision" err &&
	test_expect_code 1 git bisect start --odd 2>err && grep "unrecognized option: ${SQ}--odd${SQ}" err && again &&
	test_expect_code 4 git bisect start c10 c2 -- nowhere 2>err && grep "No testable commit found" err && no_state &&
	test_expect_code 1 git bisect start c10 c10 >out && grep "was both .good. and .bad." out && no_state
'

test_expect_success 'a second start ends the first bisection' '
	git bisect start c10 c2 && git bisect start c5 c1 && test "$(cat .git/BISECT_START)" = main && test $(git rev-parse refs/bisect/bad) = $(c 5) &&
	git for-each-ref refs/bisect >out && test_line_count = 2 out && again
'

test_expect_success 'terms' '
	git bisect start --term-new fixed --term-old=broken && git bisect terms >out &&
	printf "%s\n" "Your current terms are ${SQ}broken${SQ} for the old state" "and ${SQ}fixed${SQ} for the new state." >expect && test_cmp expect out &&
	for o in good old; do git bisect terms --term-$o >out && echo broken >expect && test_cmp expect out || return 1; done &&
	for o in bad new; do git bisect terms --term-$o >out && echo fixed >expect && test_cmp expect out || return 1; done &&
	test_expect_code 1 git bisect terms --odd && test_expect_code 129 git bisect bad 2>err && grep "currently in a fixed/broken bisect" err &&
	git bisect fixed && git bisect broken c8 >out && test $(git rev-parse refs/bisect/fixed) = $(c 10) && git bisect broken >out &&
	grep "is the first ${SQ}fixed${SQ} commit" out && again &&
	for terms in "--term-new=good --term-old=b" "--term-new=x --term-old=x" "--term-new=run" "--term-new=a..b" "--term-new"
	do
		test_expect_code 1 git bisect start $terms || return 1
	done && no_state &&
	git bisect start && git bisect new && test "$(cat .git/BISECT_TERMS)" = "new
old" && test_expect_code 129 git bisect good && again
'

test_expect_success 'marks that are no commits' '
	git bisect start c10 c1 && git for-each-ref refs/bisect >before && test_expect_code 1 git bisect bad missing 2>err && grep "error: Bad rev input: missing" err &&
	test_expect_code 128 git bisect good c3 HEAD:f 2>err && grep "Bad rev input (not a commit): HEAD:f" err &&
	test_expect_code 1 git bisect bad c3 c4 2>err && grep "can take only one argument" err && git for-each-ref refs/bisect >after && test_cmp before after && again
'

test_expect_success 'skip: another commit, a range, and nothing left' '
	git bisect start c10 c5 && git bisect skip >out && test $(git rev-parse HEAD) != $(c 7) && test $(git rev-parse --verify refs/bisect/skip-$(c 7)) = $(c 7) &&
	git bisect skip c5..c7 && git rev-parse --verify refs/bisect/skip-$(c 6) && test_must_fail git rev-parse --verify refs/bisect/skip-$(c 5) &&
	test_expect_code 2 git bisect bad c7 >out && printf "%s\n" "There are only ${SQ}skip${SQ}ped commits left to test." \
		"The first ${SQ}bad${SQ} commit could be any of:" >expect && head -n 2 out >first && test_cmp expect first && tail -n 1 out >last &&
	echo "We cannot bisect more!" >expect && test_cmp expect last && grep "# only skipped commits left to test" .git/BISECT_LOG &&
	grep "# possible first ${SQ}bad${SQ} commit: .$(c 6). c6" .git/BISECT_LOG && again
'

# The numbers are the same that Git 2.55 chooses.
test_expect_success 'skip chooses the same commit each time' '
	git init -q -b main many && cd many && for i in $(seq 40)
	do
		GIT_AUTHOR_DATE="@$((1700000000 + i)) +0000" GIT_COMMITTER_DATE="@$((1700000000 + i)) +0000" git commit -q --allow-empty -m c$i && git tag c$i || return 1
	done && git bisect start c40 c1 && for i in 1 2 3 4 5 6; do git log -1 --format=%s && git bisect skip >../out || return 1; done >../chosen &&
	cd .. && head=$(git rev-parse HEAD) && printf "%s\n" c20 c28 c21 c14 c39 c27 >expect &&
	if test ${#head} = 40; then test_cmp expect chosen; fi
'

test_expect_success 'merge bases are tested first' '
	git bisect start main s1 >out && printf "%s\n" "Bisecting: a merge base must be tested" "[$(c 4)] c4" >expect && test_cmp expect out &&
	test_path_is_missing .git/BISECT_ANCESTORS_OK && git bisect good >out && grep "^Bisecting: 2 revisions" out && test_path_exists .git/BISECT_ANCESTORS_OK && again &&
	git bisect start main s1 && test_expect_code 3 git bisect bad 2>err &&
	printf "%s\n" "The merge base $(c 4) is bad." "This means the bug has been fixed between $(c 4) and [$(git rev-parse s1)]." >expect && test_cmp expect err && again &&
	git bisect start main s1 c1 c2 c3 && test_expect_code 3 git bisect bad 2>err && grep "^The merge base $(c 4) is bad" err && again &&
	git bisect start main s1 && git bisect skip 2>err >out && grep "must be skipped." err && grep "^Bisecting: 2 revisions" out && again &&
	test_expect_code 1 git bisect start c2 c5 2>err && grep "Some ${SQ}good${SQ} revs are not ancestors of the ${SQ}bad${SQ} rev." err && no_state
'

test_expect_success '--no-checkout and --first-parent' '
	git bisect start --no-checkout c10 c1 && test "$(git symbolic-ref HEAD)" = refs/heads/main && test $(git rev-parse BISECT_HEAD) = $(c 5) &&
	git bisect bad && test $(git rev-parse refs/bisect/bad) = $(c 5) && git bisect reset && no_state &&
	git checkout -q -b merged c5 && git merge -q --no-edit side && git commit -q --allow-empty -m after && git bisect start --first-parent HEAD c3 >out &&
	test_path_exists .git/BISECT_FIRST_PARENT && grep "^Bisecting: 1 revision left" out && again && git branch -q -D merged
'

test_expect_success 'run: good, bad and skip by the exit code' '
	write_script test.sh <<-\EOF &&
	n=$(cat f)
	test $n != 6 || exit 125
	test $n -lt 8
	EOF
	git bisect start c10 c1 && git bisect run ./test.sh >out && head -n 1 out >first && echo "running ${SQ}./test.sh${SQ}" >expect &&
	test_cmp expect first && grep "$(c 8) is the first ${SQ}bad${SQ} commit" out && tail -n 1 out >last &&
	echo "bisect found first ${SQ}bad${SQ} commit" >expect && test_cmp expect last && again
'

test_expect_success 'run: other exit codes' '
	git bisect start c10 c1 && test_expect_code 1 git bisect run sh -c "exit 255" 2>err && grep "exit code 255 from .sh. .-c. .exit 255. is < 0 or >= 128" err &&
	test_expect_code 128 git bisect run sh -c "exit 128" && test $(git rev-parse HEAD) = $(c 5) &&
	test_expect_code 1 git bisect run ./missing >out 2>err && grep "bogus exit code 127 for ${SQ}good${SQ} revision" err && test $(git rev-parse HEAD) = $(c 5) &&
	test_expect_code 2 git bisect run sh -c "exit 125" 2>err && grep "bisect run cannot continue any more" err && again &&
	git bisect start c10 c1 && git bisect run sh -c "test \$(cat f) -lt 5 || exit 126" >out && grep "$(c 5) is the first" out &&
	test_expect_code 1 git bisect run 2>err && grep "no command provided" err && again
'

test_expect_success 'replay does the same again' '
	git bisect start c10 c1 && git bisect good && git bisect skip c8 && cp .git/BISECT_LOG log && git rev-parse HEAD >head && git for-each-ref refs/bisect >refs &&
	again && git bisect replay log && git rev-parse HEAD >out && test_cmp head out && git for-each-ref refs/bisect >out && test_cmp refs out &&
	test_cmp log .git/BISECT_LOG && again && test_expect_code 1 git bisect replay missing 2>err && grep "cannot read file ${SQ}missing${SQ} for replaying" err &&
	test_expect_code 1 git bisect replay
'

test_expect_success 'replay of lines that a user has written' '
	again && echo "git bisect bad c10" >lines && test_expect_code 1 git bisect replay lines 2>err && grep "need to start" err &&
	test_path_is_missing .git/BISECT_LOG && git for-each-ref refs/bisect >out && test_must_be_empty out &&
	echo "git bisect start ${SQ}c10" >lines && test_expect_code 1 git bisect replay lines 2>err && grep "badly quoted words: ${SQ}c10$" err &&
	echo "git bisect start ${SQ}c10${SQ}c1" >lines && test_expect_code 1 git bisect replay lines 2>err && grep "badly quoted words" err &&
	echo "git bisect start c10 c1" >lines && git bisect replay lines && git rev-parse HEAD >out && again && git bisect start c10 c1 && git rev-parse HEAD >expect &&
	test_cmp expect out && printf "git bisect start\ngit bisect bad HEAD\ngit bisect good HEAD~3\n" >lines && git bisect replay lines &&
	git bisect log >out && grep "^git bisect good $(git rev-parse main~3)$" out && again &&
	printf "git bisect start\ngit bisect bad HEAD^{tree}\n" >lines && test_expect_code 1 git bisect replay lines 2>err && grep "oid of the rev" err && again
'

test_expect_success 'view shows the commits that are left' '
	git bisect start c10 c7 && git bisect view --format=%s >out && printf "%s\n" c10 c9 c8 >expect && test_cmp expect out && again
'

test_expect_success 'local changes keep the commit away, the mark stays' '
	git bisect start c10 c1 && echo mine >f && test_expect_code 1 git bisect good 2>err && grep "would be overwritten by checkout" err &&
	test $(git rev-parse HEAD) = $(c 5) && test "$(cat f)" = mine && git rev-parse --verify refs/bisect/good-$(c 5) && git checkout -q f && git bisect next &&
	test $(git rev-parse HEAD) = $(c 7) && again
'

test_expect_success 'next without a good commit' '
	git bisect start && git bisect bad c10 && git bisect next 2>err >out && grep "warning: bisecting only with a bad commit" err && grep "^Bisecting: 4 rev" out && again &&
	git bisect start && git bisect good c1 && test_expect_code 1 git bisect next 2>err && grep "You need to give me at least one bad|new and good|old revision" err && again
'

test_expect_success 'the branch of a bisection is in use' '
	git checkout -q -b busy && git bisect start && git checkout -q main && test_must_fail git branch -D busy && git bisect reset &&
	git checkout -q main && git branch -q -D busy
'

test_expect_success 'each step is one flush' '
	test "$(count_flushes git bisect start c10 c1)" = 1 && test "$(count_flushes git bisect good)" = 1 && test "$(count_flushes git bisect skip)" = 1 &&
	test "$(count_flushes git bisect bad)" = 1 && test "$(count_flushes git bisect reset)" = 1 && no_state
'

test_expect_success 'refs in tables, and a bare repository' '
	git clone -q --ref-format=reftable . tables && cd tables && git bisect start c10 c1 && git rev-parse --verify BISECT_EXPECTED_REV && git bisect good &&
	git bisect reset && no_state && test_must_fail git rev-parse --verify BISECT_EXPECTED_REV && cd - &&
	git clone -q --bare . bare && cd bare && git bisect start c10 c1 && git rev-parse BISECT_HEAD >out && git rev-parse c5 >expect && test_cmp expect out &&
	git bisect bad && git bisect reset && cd -
'

test_done
