#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='random command lines of name-rev, describe, shortlog and show-branch, beside stock git'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git to compare with, and python3'
	test_done
fi

# Older versions prefer names by older tags, however far away, and describe searches on longer.
version=$("$STOCK_GIT" version | sed 's/^git version \([0-9]*\)[.]\([0-9]*\).*/\1 \2/')
if test "${version%% *}" -lt 2 || { test "${version%% *}" = 2 && test "${version##* }" -lt 55; }
then
	skip_all='the stock git is older than 2.55'
	test_done
fi

lines=75
test -z "$GIT_TEST_LONG" || lines=2000

# One seed each time would find more, but not twice the same.
for command in name-rev describe shortlog show-branch
do
	test_expect_success "$command" '
		"$SOURCE_DIR/t/interop/naming.py" -n '$lines' -s t9002 -c '$command' "$(command -v git)" \
			"$STOCK_GIT" "$PWD/'$command'"
	'
done

test_done
