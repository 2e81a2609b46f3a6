#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff.trustExitCode: the exit code of an external diff decides the exit code of diff'
. "$(dirname "$0")/test-lib.sh"

# exits N ARGS: with the configuration in $conf; the program has been called for the files in $called
exits() {
	rm -f calls && : >calls &&
	test_expect_code "$@" >out 2>err &&
	printf "%s\n" $called | sed "/^\$/d" >expect &&
	test_cmp expect calls
}

test_expect_success 'a program that finds b different, and everything else equal' '
	git init -q repo &&
	for f in a b c
	do
		echo 1 >repo/$f || return 1
	done &&
	git -C repo add . &&
	git -C repo commit -q -m 1 &&
	for f in a b c
	do
		echo " 1 " >repo/$f || return 1
	done &&
	git -C repo commit -q -a -m 2 &&
	write_script program <<-EOF &&
	echo "\$1" >>"$PWD/calls"
	echo "compared \$1"
	test "\$1" != b
	EOF
	write_script broken <<-EOF
	echo "\$1" >>"$PWD/calls"
	exit 2
	EOF
'

for how in "diff HEAD~1" "diff HEAD~1 HEAD" "diff-index -p --ext-diff HEAD~1" "diff-tree -p --ext-diff HEAD~1 HEAD" "log -1 -p --ext-diff" \
	"diff -w HEAD~1" "diff -I . HEAD~1"
do
	test_expect_success "$how --exit-code" '
		git="env GIT_EXTERNAL_DIFF=$PWD/program GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE=1 git -C repo" &&
		called="a b c" exits 1 $git $how --exit-code &&
		test_grep "compared b" out &&
		called="a c" exits 0 $git $how --exit-code a c &&
		called="a b c" exits 0 $git $how
	'

	test_expect_success "$how --quiet" '
		git="env GIT_EXTERNAL_DIFF=$PWD/program GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE=1 git -C repo" &&
		case $how in log*) set -- --exit-code -s ;; *) set -- --quiet ;; esac &&
		called="a b" exits 1 $git $how "$@" &&
		test_grep ! compared out &&
		called="a c" exits 0 $git $how "$@" a c
	'
done

test_expect_success 'another exit code is an error' '
	git="git -C repo -c diff.external=$PWD/broken -c diff.trustExitCode" &&
	for option in --exit-code --quiet --patch
	do
		called=a exits 128 $git diff $option HEAD~1 &&
		test_grep "^fatal: external diff died, stopping at a$" err || return 1
	done
'

test_expect_success 'the setting of a driver, and of the environment, counts for it alone' '
	test_when_finished "rm -f repo/.git/info/attributes" &&
	mkdir -p repo/.git/info &&
	echo "a diff=own" >repo/.git/info/attributes &&
	git="git -C repo -c diff.own.command=$PWD/program" &&
	called=a exits 0 $git -c diff.own.trustExitCode=true diff --exit-code HEAD~1 a &&
	called=a exits 1 $git -c diff.trustExitCode=true diff --exit-code HEAD~1 a &&
	git="git -C repo" &&
	called=c exits 0 env GIT_EXTERNAL_DIFF="$PWD/program" GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE=1 \
		$git diff --exit-code HEAD~1 c &&
	called=c exits 1 env GIT_EXTERNAL_DIFF="$PWD/program" $git -c diff.trustExitCode=true diff --exit-code HEAD~1 c
'

test_expect_success 'without trust each file that differs counts, and the program runs once' '
	git="git -C repo -c diff.external=$PWD/program" &&
	called="a c" exits 1 $git diff -w --exit-code HEAD~1 a c &&
	called= exits 1 $git diff --quiet HEAD~1 a c &&
	called= exits 1 $git diff -w --quiet HEAD~1 a c &&
	called= exits 1 $git -c diff.trustExitCode=true diff --stat --exit-code HEAD~1 a c &&
	called="a c" exits 1 $git -c diff.trustExitCode=true diff --stat -p --exit-code HEAD~1 a c &&
	called= exits 0 $git -c diff.trustExitCode=true diff --no-ext-diff -w --exit-code HEAD~1 a b
'

test_done
