#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git whatchanged'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a history' '
	git init -q -b main . && for i in 1 2 3; do echo $i >a && git add a && git commit -q -m $i || return 1; done && git commit -q --allow-empty -m empty &&
	git checkout -q -b side HEAD~2 && echo s >s && git add s && git commit -q -m side && git merge -q -m merge main
'

test_expect_success 'the command asks for an option that says that it is still used' '
	test_expect_code 128 git whatchanged 2>err && test_grep "^fatal: refusing to run without --i-still-use-this$" err && test_grep "git log <opts> --raw --no-merges" err &&
	test_expect_code 128 git whatchanged -- --i-still-use-this 2>err && git whatchanged --i-still-use-this >out && test -s out
'

test_expect_success 'it is log --raw --no-merges without commits that change nothing' '
	git whatchanged --i-still-use-this >out && git log --raw --no-merges --invert-grep --grep=empty >want && test_cmp want out &&
	git whatchanged --i-still-use-this --stat -2 >out && git log --stat --no-merges -2 --invert-grep --grep=empty >want && test_cmp want out &&
	git whatchanged --i-still-use-this --oneline -m -1 >out && test_grep "merge" out && git whatchanged --i-still-use-this --format=%s -s -- s >out && echo side >want && test_cmp want out
'

test_done
