#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of git config and git init fails in turn'
. "$(dirname "$0")/test-lib.sh"

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
if ! test -x "$FAULT_GIT" || test -n "$GIT_TEST_VALGRIND"; then
	skip_all='no fault-git, or too slow under valgrind'
	test_done
fi
GIT_TEST_SYSCALL_FLUSH=0
export GIT_TEST_SYSCALL_FLUSH
in_memory

# fault N:WHAT ARGS: run git; N is beyond the last call if 'missed' appears.
fault () {
	rm -f missed && code=0 &&
	GIT_TEST_SYSCALL_MISSED=$PWD/missed GIT_TEST_SYSCALL_FAIL=$1 &&
	export GIT_TEST_SYSCALL_MISSED GIT_TEST_SYSCALL_FAIL && shift &&
	{ "$FAULT_GIT" "$@" >out 2>err || code=$?; } &&
	unset GIT_TEST_SYSCALL_MISSED GIT_TEST_SYSCALL_FAIL
}

# Sweep WHAT over "git config -f d/f a.b new".
sweep_config () {
	local n=0
	while test ! -f missed || test $n = 0
	do
		n=$((n + 1)) && rm -rf d && mkdir d && printf '[a]\n\tb = old\n' >d/f &&
		fault $n:$1 config -f d/f a.b new || return 1
		test "$(ls d)" = f || { echo "litter at call $n:"; ls d; return 1; }
		if test $code = 0
		then
			test "$(git config -f d/f a.b)" = new || { echo "lost at $n"; return 1; }
		else
			{ test $code -lt 128 || test $code = 255; } && grep "d/f\|.d.: " err ||
				{ echo "code $code at call $n:"; cat err; return 1; }
			test "$(git config -f d/f a.b)" = old || grep -i "durab\|uncertain\|visible" err ||
				{ echo "changed at $n"; cat err; return 1; }
		fi
		test $n -lt 200 || return 1
	done
	echo "$1: $n calls"
}

test_expect_success 'config: an error of any call is reported, no file is left behind' '
	sweep_config EIO && sweep_config ENOSPC && sweep_config EACCES
'

test_expect_success 'config: a disk that stays full' '
	n=1 && rm -f missed && until test -f missed
	do
		rm -rf d && mkdir d && printf "[a]\n\tb = old\n" >d/f &&
		fault $n+:ENOSPC config -f d/f a.b new &&
		test "$(ls d)" = f && n=$((n + 1)) || return 1
	done
'

test_expect_success 'config: interrupted calls and short writes are continued' '
	for what in EINTR short
	do
		n=1 && rm -f missed && until test -f missed
		do
			rm -rf d && mkdir d && printf "[a]\n\tb = old\n" >d/f &&
			fault $n:$what config -f d/f a.b new && test $code = 0 &&
			test "$(git config -f d/f a.b)" = new && test "$(ls d)" = f &&
			n=$((n + 1)) || return 1
		done || return 1
	done
'

test_expect_success XATTR 'config: killed before any call, the next command works' '
	n=1 && rm -f missed && until test -f missed
	do
		rm -rf d && mkdir d && printf "[a]\n\tb = old\n" >d/f &&
		fault $n:KILL config -f d/f a.b new && v=$(git config -f d/f a.b) &&
		{ test "$v" = old || test "$v" = new; } &&
		git config -f d/f a.b next 2>err2 && test "$(git config -f d/f a.b)" = next &&
		test "$(ls d)" = f && n=$((n + 1)) || return 1
	done && test $n -gt 5
'

for format in files reftable
do
test_expect_success "init, refs in $format: an error of any call leaves no incomplete repository" '
	for what in EIO ENOSPC
	do
		n=1 && rm -f missed && until test -f missed
		do
			rm -rf new && fault $n:$what init -q -b main --ref-format=$format new || return 1
			if test $code = 0
			then
				git -C new count-objects >/dev/null || return 1
			elif test -e new && ! grep -i "durab\|uncertain\|visible" err
			then
				echo "left at call $n ($what):" && find new && cat err && return 1
			fi
			n=$((n + 1))
		done || return 1
	done && test $n -gt 20
'

test_expect_success XATTR "init, refs in $format: killed before any call, a second init completes it" '
	n=1 && rm -f missed && until test -f missed
	do
		rm -rf new && fault $n:KILL init -q -b main --ref-format=$format new &&
		git init -q -b main --ref-format=$format new && git -C new count-objects >/dev/null &&
		test "$(git -C new config core.bare)" = false && find new >files &&
		! grep "lock\|tmp\|probe" files && n=$((n + 1)) || return 1
	done
'
done

test_done
