#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='random upkeep beside stock git: the same objects stay, at the same places, of the same ages

A few command lines here; make compare-upkeep runs as many as one likes.'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON || ! test_have_prereq SHA1
then
	skip_all='needs a stock git to compare with, python3, and SHA-1'
	test_done
fi
# Its options and some of its answers were different before.
version=$("$STOCK_GIT" version | sed 's/^git version \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
if test "${version% *}" -lt 2 || { test "${version% *}" = 2 && test "${version#* }" -lt 55; }
then
	skip_all='needs a stock git of version 2.55 to compare with'
	test_done
fi
count=48
test -z "$GIT_TEST_LONG" || count=1200

test_expect_success 'command lines by chance' '
	"$SOURCE_DIR/t/interop/upkeep.py" "$(command -v git)" "$STOCK_GIT" "$PWD/repos" 1 $count
'

test_done
