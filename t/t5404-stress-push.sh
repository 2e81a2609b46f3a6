#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='many clients push at once: a few seconds of t/stress-push'
. "$(dirname "$0")/test-lib.sh"

test_expect_success PYTHON 'nobody fails who need not, and everybody is told the truth' '
	GIT="$GIT_BUILD_DIR/git" "$SOURCE_DIR/t/stress-push" "$PWD/stress" ${GIT_TEST_LONG:+6}3
'

test_done
