#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='trace2 tells which phases of a command cost time'
. "$(dirname "$0")/test-lib.sh"

# The file system decides how a seal is made; here it is the one of ext4 and XFS.
GIT_TEST_FSYNC=1 && GIT_TEST_FS_KIND=journal && export GIT_TEST_FSYNC GIT_TEST_FS_KIND

# regions COMMAND...: the regions that it enters, in order, "category/label" on a line
regions () {
	GIT_TRACE2_EVENT=$HOME/events git "$@" >/dev/null &&
	sed -n 's/.*"event":"region_enter".*"category":"\([^"]*\)","label":"\([^"]*\)".*/\1\/\2/p' \
		events >actual && grep -c region_enter events >entered && grep -c region_leave events >left &&
	test_cmp entered left && cp events last && rm events
}

test_expect_success 'add' '
	git init -q && echo 1 >one && echo 2 >two &&
	regions add one two &&
	cat >expect <<-\EOF &&
	index/read
	add/files
	objects/stage
	index/write
	fsync/settle
	fsync/publish
	fsync/seal
	EOF
	test_cmp expect actual &&
	grep "\"category\":\"fsync\",\"key\":\"files\",\"value\":\"3\"" last &&
	{ ! test_have_prereq FSYNC_BATCH ||
	  grep "\"key\":\"seal\",\"value\":\"fsync of one directory\"" last; }
'

test_expect_success 'status' '
	regions --no-optional-locks status && # or racily clean entries may be written back
	printf "%s\n" index/read status/refresh status/untracked >expect &&
	test_cmp expect actual
'

test_expect_success 'commit' '
	regions commit -q -m one &&
	for r in index/read objects/stage refs/lock refs/stage fsync/settle fsync/publish fsync/seal; do
		grep "^$r\$" actual || return 1
	done
'

test_expect_success 'update-ref --stdin' '
	echo "create refs/heads/x HEAD" >input &&
	regions update-ref --stdin <input &&
	printf "%s\n" refs/lock refs/stage fsync/settle fsync/publish fsync/seal >expect &&
	test_cmp expect actual
'

test_expect_success 'a phase that fails is left, too' '
	echo "create refs/heads/x HEAD" >input &&
	test_must_fail env GIT_TRACE2_EVENT="$HOME/events" git update-ref --stdin <input &&
	grep -c region_enter events >entered && grep -c region_leave events >left &&
	test_cmp entered left
'

test_done
