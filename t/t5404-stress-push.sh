#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='many clients push at once: a few seconds of t/stress-push'
. "$(dirname "$0")/test-lib.sh"

test_expect_success PYTHON 'pushes that do not conflict succeed, and each client gets a true report' '
	GIT="$GIT_BUILD_DIR/git" "$SOURCE_DIR/t/stress-push" "$PWD/stress" ${GIT_TEST_LONG:+6}3
'

test_expect_success XATTR 'a living owner of the lock of a ref is waited for' '
	git init -q --bare server.git &&
	git init -q client &&
	(
		cd client &&
		test_commit first &&
		git push -q ../server.git HEAD:refs/heads/held &&
		test_commit second &&
		mkfifo words &&
		{ git -C ../server.git update-ref --stdin <words >answers & } &&
		exec 9>words &&
		printf "%s\n" start "verify refs/heads/held $(git rev-parse HEAD^)" prepare >&9 &&
		until grep "prepare: ok" answers; do sleep 0.1; done &&
		{ { sleep 1; echo abort >&9; } & } &&
		git push -q ../server.git HEAD:refs/heads/held &&
		exec 9>&- &&
		test "$(git -C ../server.git rev-parse held)" = "$(git rev-parse HEAD)"
	)
'

test_done
