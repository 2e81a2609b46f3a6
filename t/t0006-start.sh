#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='how a short command starts: the calls that it makes before it does its work

Scripts call git thousands of times. Counts, no times.'
. "$(dirname "$0")/test-lib.sh"

git=$GIT_BUILD_DIR/git
test_lazy_prereq NM 'nm "$git" >nm.out && grep " T git_main" nm.out'
test_lazy_prereq X86 'readelf -h "$git" | grep "Machine:.*X86-64"'
test_lazy_prereq CALLGRIND 'valgrind --tool=callgrind --callgrind-out-file=/dev/null "$git" version 2>err && grep "Collected : [0-9]" err'
# Instructions of the installed program are counted.
test_lazy_prereq OPTIMIZED 'grep -e " -O2" "$GIT_BUILD_DIR/flags"'

test_expect_success 'a repository' '
	git init -q -b main repo && echo 1 >repo/f && git -C repo add f && test_tick && git -C repo commit -q -m one
'

test_expect_success X86,NM,!SANITIZE 'the processor is not asked for its features before main()' '
	nm "$git" >names && test_grep ! "__cpu_indicator_init" names &&
	if grep -e -DLATE_CPUID "$GIT_BUILD_DIR/flags"; then
		test_grep "__wrap_OPENSSL_cpuid_setup" names && objdump -d -j .init "$git" >init && test_grep ! "<OPENSSL_cpuid_setup>" init
	fi
'

test_expect_success X86,!SANITIZE 'tables hold few functions of the C library, which are looked up by name' '
	readelf -rW "$git" >all && grep "R_X86_64_64 " all | grep -o "[a-z0-9_]*@GLIBC" | sort -u >actual &&
	printf "%s@GLIBC\n" free malloc >expect && test_cmp expect actual
'

# opens COMMAND: how often it opens .git/config and ~/.gitconfig
opens () {
	trace_calls calls openat "$git" -C repo "$@" && echo $(grep -c "\.git/config\"" calls) $(grep -c "\.gitconfig\"" calls)
}

test_expect_success STRACE 'the files of the configuration are read once, after the format of the repository' '
	git config --global user.x y && for c in "rev-parse HEAD" "config --get user.x" "config --list" status; do
		test "$(opens $c)" = "2 1" || return 1
	done
'

test_expect_success STRACE 'config reads them again where it has to' '
	echo y >expect && opens config --no-includes --get user.x && test "$(opens config --no-includes --get user.x)" = "3 2" &&
	git -C repo config --get user.x >actual && test_cmp expect actual
'

test_expect_success STRACE 'status starts a thread only beside many files' '
	trace_calls calls clone,clone3 "$git" -C repo status -s && ! grep clone calls &&
	if test $(getconf _NPROCESSORS_ONLN) -gt 1; then
		git init -q many && for i in $(test_seq 600); do : >many/$i || return 1; done && git -C many add . && >many/x &&
		trace_calls calls clone,clone3 "$git" -C many status -s && grep clone calls
	fi
'

# costs LIMIT COMMAND: executes at most so many instructions
costs () {
	local limit=$1 n
	shift
	test_have_prereq SHA1,REFFILES || limit=$((limit + limit / 10)) # headers and tables of their own
	valgrind --tool=callgrind --callgrind-out-file=cg.out "$git" -C repo "$@" >out 2>err &&
	n=$(sed -n "s/.*Collected : \([0-9]*\)$/\1/p" err) && echo "$*: $n of $limit" && test "$n" -gt 10000 && test "$n" -le "$limit"
}

test_expect_success X86,CALLGRIND,OPTIMIZED,!SANITIZE 'instructions' '
	costs 300000 version && costs 460000 rev-parse HEAD && costs 430000 config --get user.x &&
	git init -q empty && costs 512000 -C ../empty status
'

test_done
