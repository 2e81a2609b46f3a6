#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='status looks into submodules, and never above or past them'
. "$(dirname "$0")/test-lib.sh"

# A repository "top" with one gitlink, "top/sub"; its own repository can be taken away.
start () {
	rm -rf top &&
	git init -q top && git init -q top/sub &&
	git -C top/sub commit -q --allow-empty -m inner &&
	git -C top add sub 2>/dev/null && git -C top commit -q -m outer
}

# Bounded: what this is about would start processes without end.
status () {
	(cd top && "$GIT_BUILD_DIR/t/helper/within" 20 git status --porcelain "$@" >../out 2>../err)
}

test_expect_success 'changes inside are seen' '
	start && status && test_must_be_empty out &&
	echo x >top/sub/new && status && echo " M sub" >expect && test_cmp expect out &&
	git -C top status --porcelain=2 >out && test_grep "^1 .M S..U .* sub$" out
'

test_expect_success 'a .git directory that is no repository is an error, not the repository above' '
	start && rm -rf top/sub/.git && mkdir top/sub/.git &&
	test_expect_code 128 status &&
	test_grep "^fatal: .sub/.git. not recognized as a git repository$" err
'

test_expect_success 'a .git file that leads nowhere or has no such text is an error' '
	start && rm -rf top/sub/.git && echo "gitdir: nowhere" >top/sub/.git &&
	test_expect_code 128 status && test_grep "^fatal: not a git repository: sub/nowhere$" err &&
	echo junk >top/sub/.git &&
	test_expect_code 128 status && test_grep "^fatal: invalid gitfile format: sub/.git$" err
'

test_expect_success 'a FIFO, a dangling link or nothing: not checked out' '
	start && rm -rf top/sub/.git &&
	status && test_must_be_empty out &&
	mkfifo top/sub/.git && status && test_must_be_empty out &&
	rm top/sub/.git && ln -s nowhere top/sub/.git && status && test_must_be_empty out
'

test_expect_success 'status ends with an error if submodules nest in a circle' '
	start && rm -rf top/sub/.git && echo "gitdir: ../.git" >top/sub/.git &&
	(cd top && git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),a/sub) &&
	ln -s . top/a && ln -s .. top/sub/a &&
	test_expect_code 128 status && test_grep "is more than 16 levels deep" err
'

test_expect_success ROOT 'the submodule of another owner is skipped, with a warning' '
	start && echo x >top/sub/new && chown -R 12345 top/sub && echo y >top/f &&
	status && echo "?? f" >expect && test_cmp expect out &&
	test_grep "^warning: not looking into submodule .sub.: detected dubious ownership" err &&
	test_grep "safe.directory .*/top/sub$" err &&
	git config --global safe.directory "$PWD/top/sub" && status &&
	printf " M sub\n?? f\n" >expect && test_cmp expect out
'

test_done
