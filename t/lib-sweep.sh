# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts in which each system call of a command fails in turn.

. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
GIT_TEST_SYSCALL_FLUSH=0
export GIT_TEST_FS_KIND GIT_TEST_SYSCALL_FLUSH
in_memory
SWEEP_STDIN=/dev/null # of the commands

litter () {
	find "$1/.git" -name "*.lock" -o -name "tmp_*" -o -name "*.lock.*"
}

# What else has to hold each time; scripts may have one of their own.
still_good () {
	:
}

# names_a_path FILE: is there a path, something quoted, or standard output in the message?
names_a_path () {
	local line
	while IFS= read -r line; do
		case $line in */*|*\'*|*"standard output"*) return 0 ;; esac
	done <"$1"
	return 1
}

# fails WORDS...: says of what sweep it is
fails () {
	echo "call $n, $what$plus, $command: $(grep injected log | head -n 1): $*" >&4
	return 1
}

# MIN_CALLS: a command that has no more calls than this is an error; 10 if it is not set.
# sweep TEMPLATE WHAT CHECK CMD...: the command with one of its calls after the other failing (calls_of: which ones), each
# time in a fresh copy of TEMPLATE. CHECK is run in the copy after a success.
sweep () {
	local template=$1 what=$2 check=$3 n= i=0 code plus= command numbers
	shift 3
	command="$*"
	case $what in *+) plus=+ what=${what%+} ;; esac
	rm -rf missed copy && cp -a "$template" copy &&
	(cd copy && calls_of $what$plus "$@" 2>../err >../out <"$SWEEP_STDIN" && echo $CALLS $CHOSEN >../chosen) || {
		echo "$command: $(cat err)" >&4
		return 1
	}
	# Without a call of its own the command runs once.
	read -r n numbers <chosen
	for n in ${numbers:-1}; do
		i=$((i + 1)) code=0
		rm -rf copy log && cp -a "$template" copy || return
		(
			cd copy &&
			GIT_TEST_SYSCALL_LOG=../log \
			GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed \
			GIT_TEST_SYSCALL_FAIL=$n$plus:$what "$FAULT_GIT" "$@" 2>../err >../out <"$SWEEP_STDIN"
		) || code=$?
		litter copy >litter && test ! -s litter || { fails "litter: $(cat litter)"; return; }
		case "$code:$what" in
		0:*)
			(cd copy && eval "$check") >&4 2>&4 || { fails "success, but '$check' fails"; return; } ;;
		1:EINTR|4:EINTR|128:EINTR|255:EINTR)
			fails "did not go on: $(cat err)"
			return ;;
		1:E*|4:E*|128:E*|255:E*)
			names_a_path err || { fails "names no path: $(cat err)"; return; } ;;
		*)
			fails "exit code $code: $(cat err)"
			return ;;
		esac
		still_good || { fails "exit code $code, something has been lost: $(cat err)"; return; }
		stock_is_happy || { fails "fsck complains"; return; }
		test ! -f missed || break
	done
	read -r n numbers <chosen
	echo "$i of $n calls" >&4
	# If there were fewer, the injector would not have worked.
	test $n -gt "${MIN_CALLS:-10}" && { test -z "$GIT_TEST_LONG" || test -f missed; }
}

# fsck after every fourth only: it takes most of the time of this test.
stock_is_happy () {
	test $((i % 4)) = 0 || return 0
	test -n "$STOCK_GIT" || return 0
	stock -C copy fsck --strict --no-dangling >fsck.out 2>&1 && return
	cat fsck.out >&4
	return 1
}
