#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git bisect: its words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t6031

# state: what a bisection has left
state () {
	for file in .git/BISECT_*
	do
		case "$file" in
		*_RUN|*\*) ;;
		*) echo "[${file##*/}] $(cat "$file")" ;;
		esac
	done
	git for-each-ref --format="%(refname) %(objectname:short)" refs/bisect && git log -1 --format="at %s" && git status -s -b
}

# history: a line of nine commits with tags c1 to c9, and a side that was merged as c10
history () {
	for i in 1 2 3 4 5 6 7 8 9
	do
		echo $i >f && git add f && git commit -q -m "number $i" && git tag c$i || exit
		GIT_COMMITTER_DATE="17000001$i""0 +0200"
	done
	git checkout -q -b side c5 && echo s >s && git add s && git commit -q -m side && git tag s &&
	git checkout -q main && git merge -q -m merged side && git tag c10
}

test_expect_success 'starts of a bisection' 'answers start'
test_expect_success 'marks, run, replay, reset' 'answers marks'

test_expect_success 'sessions whose commands are combined at random' 'answers combined'
test_expect_success 'files of the state, replays, runs' 'answers state'

test_expect_success 'replay: lines of each kind; damaged files' 'answers replay'

test_done
