#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='hunks that are chosen, split and edited: words, exit codes and files are those of Git 2.55'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-answers.sh"
T_ANSWERS=$TEST_DIRECTORY/t3702

# with KEYS COMMAND...: answers as lines, without the words of Git about hunks that overlap. Shows the changes that are in the
# index then, and the ones that are only in files; the index is reset.
with () {
	printf "%b" "$1" >keys
	shift
	show git -c diff.noPrefix "$@" <keys | sed "/^! error: \(hunks do not overlap\|expected context\)/,/^! error: patch/{/^! error: patch/!d;}"
	say index && git diff --cached --no-color HEAD && say files && git diff --no-color --stat && git reset -q && rm -rf .git/addp-hunk-edit.diff
}
# edited SCRIPT KEYS COMMAND...: where e changes the hunk with sed
edited () {
	say "edit: $1" && GIT_EDITOR="sed -i -e '$1'" && export GIT_EDITOR && shift && with "$@" && unset GIT_EDITOR
}

test_expect_success 'hunks that are split' 'answers split'
test_expect_success 'hunks that are edited' 'answers edit'
test_expect_success 'hunks of other commands, in both directions' 'answers reverse'
test_expect_success 'headers of files: modes, new, deleted and binary files' 'answers files'

test_done
