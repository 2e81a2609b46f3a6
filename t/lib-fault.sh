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

# sweep_step WHAT N: sets SWEEP_STEP, the distance between the calls that fail. EIO comes at each call, the
# other ways to fail at every Nth; with GIT_TEST_LONG at each.
sweep_step () {
	SWEEP_STEP=$2
	case $1 in EIO*) SWEEP_STEP=1 ;; esac
	test -z "$GIT_TEST_LONG" || SWEEP_STEP=1
}
