#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the workloads of the power-failure laboratory, run by ours and by stock git: each reads both'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git to compare with, and python3'
	test_done
fi

for workload in few many history refs-create refs-update refs-delete refs-mixed \
	pack-refs branch-rename config reflog-expire
do
	test_expect_success "$workload" '
		"$SOURCE_DIR/t/interop/workloads.py" '$workload' "$(command -v git)" \
			"$STOCK_GIT" "$PWD/'$workload'"
	'
done

test_done
