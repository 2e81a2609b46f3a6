#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: its words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t4104

# patch LINE...: apply them with $options, then show the file f
patch () { lines "$@" >p && run git apply $options p && cat f; }

test_expect_success 'binary patches, whole and damaged, without a repository' 'answers binary'
test_expect_success 'names and dates of traditional patches' 'answers traditional'
test_expect_success 'names in the headers of Git' 'answers names'
test_expect_success 'the directory that is given is made simpler' 'answers directory'
test_expect_success 'places of hunks, with each option' 'answers hunks'
test_expect_success 'headers of hunks and files' 'answers headers'
test_expect_success 'white space of new lines' 'answers space'
test_expect_success 'lines that are looked for, with other white space' 'answers looks'
test_expect_success 'index, files and what has changed there' 'answers places'
test_expect_success 'creations and deletions that are only possible' 'answers summary'
test_expect_success 'new files that are there, quoted names, binary patches with odd ids' 'answers creations'
test_expect_success 'options and texts that are combined' 'answers combined'
test_expect_success 'subdirectories, deltas, ancestors, orders of headers' 'answers details'
test_expect_success 'dates behind names' 'answers dates'

test_expect_success 'patches that end anywhere' 'answers ends'

test_done
