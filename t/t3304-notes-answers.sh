#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git notes, replace, worktree, repo: their words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t3304

test_expect_success 'notes: add, append, edit, copy, remove, merge, settings' 'answers notes'
test_expect_success 'replace and repo' 'answers replace'
test_expect_success 'worktree' 'answers worktree'

test_expect_success 'commands that are chosen at random' 'answers combined'
test_expect_success 'logs, merges, texts, pairs, settings' 'answers details'
test_expect_success 'worktrees that are damaged, used or guessed' 'answers linked'
test_expect_success 'trees that are read: mktree, replace' 'answers trees'

test_done
