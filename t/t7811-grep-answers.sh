#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git grep: its words, exit codes and output are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t7811

test_expect_success 'options, places and settings' 'answers options'

test_expect_success 'options and patterns that are combined' 'answers combined'
test_expect_success 'arguments that name nothing, functions, patterns that join, pagers' 'answers corners'

test_expect_success 'submodules, in the work tree, the index and trees' 'answers submodules'

git grep -P . --no-index x 2>&1 | grep -q "cannot use" || test_set_prereq PCRE

test_expect_success PCRE 'expressions of Perl' 'answers perl'

test_done
