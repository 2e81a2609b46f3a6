# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For scripts about git log. Sourced after test-lib.sh.

# logs EXPECTED ARGS: the lines that log --format=%s ARGS prints, joined by "|"
logs () {
	local expect="$1" && shift &&
	git log --format=%s "$@" >out && actual=$(tr '\n' '|' <out) &&
	test "$actual" = "$expect" && return
	echo "log $*: expected '$expect', got '$actual'" && return 1
}
