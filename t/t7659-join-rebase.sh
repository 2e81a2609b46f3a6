#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='rebase: words and states of many commands'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-join.sh"

join_tables t7657 rebase
test_done
