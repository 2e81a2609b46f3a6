#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='ours and stock git write refs to the same tables in turns, and read the same

Short histories here; t/interop/reftable.py runs longer ones (make differential).'
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
steps=150
test -z "$GIT_TEST_LONG" || steps=2000

for hash in sha1 sha256
do
	test_expect_success "a history of $steps transactions, $hash" "
		OUR_GIT=\$(command -v git) PEER_GIT=\$STOCK_GIT TMPDIR=\$PWD \"\$SOURCE_DIR/t/interop/reftable.py\" 1 $steps $hash
	"
done

test_done
