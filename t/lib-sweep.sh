# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts in which each system call of a command fails in turn.

. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
GIT_TEST_SYSCALL_FLUSH=0
export GIT_TEST_FS_KIND GIT_TEST_SYSCALL_FLUSH
SWEEP_STDIN=/dev/null # of the commands

litter () {
	find "$1/.git" -name "*.lock" -o -name "tmp_*" -o -name "*.lock.*"
}

# What else has to hold each time; scripts may have one of their own.
still_good () {
	:
}

# sweep TEMPLATE WHAT CHECK CMD...: the command with its first, second, …
# call failing, each time in a fresh copy of TEMPLATE, until it has no more
# calls; with SWEEP_STEP=3 every third of them. CHECK is run in the copy after a success.
sweep () {
	local template=$1 what=$2 check=$3 n=0 code plus= word
	shift 3
	case $what in *+) plus=+ what=${what%+} ;; esac
	rm -f missed
	while test ! -f missed; do
		n=$((n + ${SWEEP_STEP:-1}))
		rm -rf copy && cp -a "$template" copy && rm -f log || return
		code=0
		(
			cd copy &&
			GIT_TEST_SYSCALL_LOG=../log \
			GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed \
			GIT_TEST_SYSCALL_FAIL=$n$plus:$what "$FAULT_GIT" "$@" 2>../err >../out <"$SWEEP_STDIN"
		) || code=$?
		word="call $n, $what$plus, $*: $(grep injected log | head -n 1)"
		test -z "$(litter copy)" || {
			echo "$word: litter: $(litter copy)" >&4
			return 1
		}
		case "$code:$what" in
		0:*)
			(cd copy && eval "$check") >&4 2>&4 || {
				echo "$word: success, but '$check' fails" >&4
				return 1
			}
			;;
		1:E*|4:E*|128:E*|255:E*)
			case $what in
			EINTR)
				echo "$word: did not go on: $(cat err)" >&4
				return 1 ;;
			esac
			grep -q "/\|'" err || {
				echo "$word: names no path: $(cat err)" >&4
				return 1
			}
			;;
		*)
			echo "$word: exit code $code: $(cat err)" >&4
			return 1
			;;
		esac
		still_good || {
			echo "$word: exit code $code, something has been lost: $(cat err)" >&4
			return 1
		}
		stock_is_happy || {
			echo "$word: fsck complains" >&4
			return 1
		}
	done
	echo "$n calls" >&4
	# If there were fewer, the injector would not have worked.
	test $n -gt "${MIN_CALLS:-10}"
}

# fsck after every fourth only: it takes most of the time of this test.
stock_is_happy () {
	test $((n % 4)) = 0 || return 0
	test -n "$STOCK_GIT" || return 0
	stock -C copy fsck --strict --no-dangling >fsck.out 2>&1 && return
	cat fsck.out >&4
	return 1
}
