#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff, diff-index, diff-files, diff-tree, show and log print what stock git prints

A few command lines by chance here, in random work trees, about random merges and histories of lines; diff-worktree.py,
diff-merges.py and log-lines.py run as many as one likes.'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git to compare with, and python3'
	test_done
fi
version=$("$STOCK_GIT" version | sed 's/^git version \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
if test "${version% *}" -lt 2 || { test "${version% *}" = 2 && test "${version#* }" -lt 55; }
then
	skip_all='needs a stock git of version 2.55 to compare with'
	test_done
fi
lines=40
test -z "$GIT_TEST_LONG" || lines=400

for seed in 3 6 12 22 23 27
do
	test_expect_success "command lines by chance, work tree $seed" '
		"$SOURCE_DIR/t/interop/diff-worktree.py" "$(command -v git)" "$STOCK_GIT" "$PWD/tree" $seed $lines
	'
done

for seed in 3 6 7 12 15 20
do
	test_expect_success "merges by chance, history $seed" '
		"$SOURCE_DIR/t/interop/diff-merges.py" "$(command -v git)" "$STOCK_GIT" "$PWD/merges" $seed $lines
	'
done

for seed in 1 2 3 4
do
	test_expect_success "lines by chance, history $seed" '
		"$SOURCE_DIR/t/interop/log-lines.py" "$(command -v git)" "$STOCK_GIT" "$PWD/lines" $seed $lines
	'
done

test_done
