#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log --follow: one file under all its names'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-log.sh"

test_expect_success 'a file that is a copy, and was moved' '
	git init -q -b main && echo out >.git/info/exclude && seq 30 >a && mkdir d && git add . && test_tick && git commit -q -m a &&
	echo x >>a && test_tick && git commit -q -a -m a2 && cp a b && git add . && test_tick && git commit -q -m copy &&
	echo y >>b && test_tick && git commit -q -a -m b2 && mv b d/c && echo z >>d/c && git add -A && test_tick && git commit -q -m move &&
	echo q >>a && test_tick && git commit -q -a -m a3 && echo end >>d/c && test_tick && git commit -q -a -m end
'

test_expect_success 'through renames and copies' '
	logs "end|move|" d/c && logs "end|move|b2|copy|a2|a|" --follow d/c && logs "end|move|" --follow --no-follow d/c &&
	logs "end||M	d/c|move||R097	b	d/c|b2||M	b|copy||C100	a	b|a2||M	a|a||A	a|" --follow --name-status d/c &&
	logs "a3|a2|a|" --follow a && (cd d && logs "end|move|b2|" --follow -3 c)
'

test_expect_success 'with other options' '
	git log --format= --follow -p -U0 -1 --skip=1 d/c >out && test_grep "^rename from b" out && test_grep "^+z" out &&
	test_grep ! "^+y" out && logs "move||R097	b	d/c|" --follow --diff-filter=R --name-status d/c &&
	logs "copy||C100	a	b|" --follow --diff-filter=C --name-status d/c && logs "b2|" --follow -Sy d/c &&
	logs "move|" --follow --reverse d/c && logs "end|move|" --follow -R d/c &&
	logs "end|move|" --follow -M100% d/c
'

test_expect_success 'log.follow counts where there is one path' '
	git -c log.follow=true log --format=%s d/c >out && test_line_count = 6 out &&
	git -c log.follow=true log --format=%s --no-follow d/c >out && test_line_count = 2 out &&
	git -c log.follow=true log --format=%s d/c a >out && test_line_count = 5 out &&
	git -c log.follow=true log --format=%s >out && test_line_count = 7 out
'

test_expect_success 'one path it has to be' '
	for paths in "" "a b" ":!a"
	do
		test_expect_code 128 git log --follow -- $paths 2>err && test_grep "requires exactly one pathspec" err || return 1
	done
'

test_done
