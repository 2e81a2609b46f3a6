# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts in which system calls fail, or the program is killed at one (t/helper/fault-git).
# Flushes are on, whatever the environment says, and the machine's configuration is not read.

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
test -x "$FAULT_GIT" || {
	skip_all='fault-git is not built'
	test_done
}
unset GIT_TEST_FSYNC
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM

# sweep_step WHAT N: sets SWEEP_STEP, the distance between the calls that fail: 6 for EIO, N for the other ways to
# fail. Calls of a kind that has not failed so far come in addition (calls_of).
sweep_step () {
	SWEEP_STEP=$2
	case $1 in EIO*) SWEEP_STEP=6 ;; esac
}

# kinds_of_calls WHAT: the calls in $TRASH_DIRECTORY/calls without what is random or only a number: "NUMBER NAME FILES".
# What ends the command meets other code for each file; for the other faults the extensions of the files are enough.
kinds_of_calls () {
	local extensions=1
	case $1 in EIO|KILL) extensions=0 ;; esac
	sed "s,$TRASH_DIRECTORY/,,g; s/ @[0-9]* / /; s/ [0-9]*\$//; s/tmp_objdir-[^/ ]*/tmp_objdir/g; s/\(tmp_[a-z]*\)_[A-Za-z0-9]*/\1/g
		s,objects/[0-9a-f][0-9a-f]\([/ ]\),objects/X\1,g; s,objects/[0-9a-f][0-9a-f]\$,objects/X,; s/[0-9a-f]\{9,\}/X/g" \
		"$TRASH_DIRECTORY/calls" |
	awk -v extensions=$extensions '{
		for (i = 3; extensions && i <= NF; i++)
			if ($i !~ /\/tmp_[a-z]*$/ && !sub(/.*[^\/]\./, ".", $i))
				$i = "-"
		print
	}'
}

# calls_of WHAT CMD...: run fault-git CMD without a fault, in the current directory. Sets CALLS, the number of its counted
# calls, and CHOSEN, the numbers of those at which WHAT is to come: each SWEEP_STEPth, and each whose kind (the name of the
# call, and those of the files) has not failed so in this script before. With GIT_TEST_LONG: all, and more than there were.
calls_of () {
	local what=$1
	shift
	rm -f "$TRASH_DIRECTORY/calls" &&
	GIT_TEST_SYSCALL_CALLS=$TRASH_DIRECTORY/calls "$FAULT_GIT" "$@" || return
	CALLS=$(grep -c "" "$TRASH_DIRECTORY/calls")
	if test -n "$GIT_TEST_LONG"; then
		CHOSEN=$(seq $((CALLS * 2 + 20)))
		return
	fi
	CHOSEN=$(kinds_of_calls $what | awk -v step="${SWEEP_STEP:-1}" -v seen="$TRASH_DIRECTORY/.seen-$what" '
		BEGIN {
			while ((getline kind <seen) > 0)
				old[kind] = 1
			close(seen)
		}
		{
			n = $1
			sub(/^[0-9]+ /, "")
			if (!($0 in old))
				print $0 >>seen
			if (!($0 in old) || n % step == 0)
				print n
			old[$0] = 1
		}')
}

# lines WORD...: each on a line of its own
lines() {
	printf '%s\n' "$@"
}
