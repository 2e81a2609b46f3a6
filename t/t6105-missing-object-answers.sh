#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an argument that names an object that is not there: the words are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t6105

test_expect_success 'names of the commit of a submodule, and of nothing' 'answers missing'

test_done
