#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git am, mailinfo, mailsplit: their words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t4152

# mail LINE...: a mail with these headers and lines, in ../mail
mail () { { echo "From 1234567890123456789012345678901234567890 Mon Sep 17 00:00:00 2001" && lines "$@"; } >../mail; }
# state: what an am that goes on has left, and what the branch has
state () {
	for file in .git/rebase-apply/*
	do
		test ! -f "$file" || case "$file" in
		*/patch-merge-index) ;;
		*/0*|*/patch|*/info|*/msg*) echo "[${file##*/}]" ;;
		*) echo "[${file##*/}] $(cat "$file")" ;;
		esac
	done
	git status -sb && git log -3 --format="%h %an <%ae> %ad / %cn %cd %s%n%b" --date=raw
}

test_expect_success 'options, and the state that they leave' 'answers options'
test_expect_success 'ways to go on from a stop' 'answers stops'
test_expect_success 'mails of many shapes' 'answers mails'
test_expect_success 'settings, hooks, answers, and texts of many kinds' 'answers settings'

test_expect_success 'hooks, questions and stops in a series' 'answers hooks'
test_expect_success 'mails that are put together at random' 'answers combined'
test_expect_success 'files of the state, also damaged ones' 'answers damaged'
test_expect_success 'order of words, lines and dates that are almost right, rebases with patches' 'answers corners'

test_done
