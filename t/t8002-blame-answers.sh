#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git blame: its words, exit codes and output are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t8002

test_expect_success 'options, ranges and settings' 'answers options'

test_expect_success 'texts that a driver converts' 'answers textconv'

test_expect_success 'how often texts are read' 'answers stats'

test_expect_success 'lines that are like others, where a commit is ignored' 'answers likeness'

test_expect_success 'options that are combined' 'answers combined'
test_expect_success 'files that were moved or changed, ranges, a damaged index' 'answers corners'

test_expect_success 'copies of what several files have alike' 'answers equal-copies'

test_done
