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

# refuses CODE MESSAGE ARGS: what log ARGS ends with, and all that it says
refuses () {
	local code="$1" message="$2" && shift 2 &&
	test_expect_code $code git log "$@" 2>err && printf "%s\n" "$message" >expect && test_cmp expect err
}
