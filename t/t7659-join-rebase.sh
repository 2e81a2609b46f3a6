#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='rebase: words and states of many commands'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-join.sh"

# Some of the words have ids in them.
GIT_DEFAULT_HASH=sha1
export GIT_DEFAULT_HASH

join_tables t7657 rebase
test_done
