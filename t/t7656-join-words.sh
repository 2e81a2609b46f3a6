#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, pull, rerere, cherry-pick, revert, rebase: the words of many commands, and what they leave'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-join.sh"

join_tables t7656 merge pick rebase
test_done
