#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git format-patch, range-diff, request-pull: their words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t4016

test_expect_success 'format-patch, range-diff, request-pull' 'answers series'

test_expect_success 'range-diff: ranges, titles, headings, messages, prices' 'answers ranges'

test_expect_success 'options that are combined' 'answers combined'
test_expect_success 'wrong values, encodings, descriptions' 'answers values'

test_done
