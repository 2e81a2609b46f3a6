#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fast-import and fast-export: their words, exit codes and objects are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t9301

test_expect_success 'fast-import: commands, whole and damaged' 'answers import'
test_expect_success 'fast-export, and the import of its streams' 'answers export'

test_expect_success 'fast-import: options, settings, files of marks' 'answers settings'
test_expect_success 'submodules that are rewritten, trees at the root, few active branches' 'answers submodules'
test_expect_success 'streams that are put together at random' 'answers combined'

test_done
