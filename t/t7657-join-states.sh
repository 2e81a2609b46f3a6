#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='stash, merge-base, merge-tree, merge-file, merge-one-file, merge-index, fmt-merge-msg, rerere: words and states of many commands'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-join.sh"

join_tables t7657 stash plumbing texts
test_done
