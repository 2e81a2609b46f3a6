#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='repositories of submodules are found as Git 2.55 finds them'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t4029

test_expect_success 'diff --submodule and merge-tree: by name, in linked worktrees' 'answers submodule-places'

test_expect_success 'patches, stashes and worktrees with submodules' 'answers patches'

test_done
