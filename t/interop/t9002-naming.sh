#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='random command lines of name-rev, describe, shortlog and show-branch, beside stock git'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git to compare with, and python3'
	test_done
fi

# Older versions prefer names by older tags, however far away, search on longer in describe, and
# show 26 branches.
test_lazy_prereq GIT_2_55 '
	version=$("$STOCK_GIT" version | sed "s/^git version \([0-9]*\)[.]\([0-9]*\).*/\1 \2/") &&
	{ test "${version%% *}" -gt 2 || { test "${version%% *}" = 2 && test "${version##* }" -ge 55; }; }
'

lines=75
test -z "$GIT_TEST_LONG" || lines=2000

# The seeds are fixed, so that a fault that was found is found again.
compare () {
	"$SOURCE_DIR/t/interop/naming.py" -n $lines -s t9002 -c "$1" "$(command -v git)" "$STOCK_GIT" "$PWD/$1"
}

test_expect_success shortlog 'compare shortlog'

for command in name-rev describe show-branch placeholder
do
	test_expect_success GIT_2_55 "$command" "compare $command"
done

test_done
