#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='what git status says: colours, patches, and operations in progress'
. "$(dirname "$0")/test-lib.sh"

start () {
	rm -rf repo && git init -q -b main repo && cd repo && test_when_finished "cd .." &&
	echo 1 >a && git add a && git commit -q -m one
}

test_expect_success 'color.status.SLOT and status.color.SLOT: the last one counts, a bad one is an error' '
	start && echo 2 >a && : >u &&
	git -c color.ui=always -c color.status.changed=blue -c status.color.changed=yellow \
		-c status.color.untracked=blue status -s >../out &&
	printf " \033[33mM\033[m a\n\033[34m??\033[m u\n" >../expect && test_cmp ../expect ../out &&
	git -c status.color=always -c status.color.changed=yellow -c color.status.changed=blue status -s >../out &&
	printf " \033[34mM\033[m a\n\033[31m??\033[m u\n" >../expect && test_cmp ../expect ../out &&
	test_expect_code 128 git -c color.ui=never -c color.status.changed=junk status -s 2>../err &&
	test_grep "unable to parse .color.status.changed. from command-line config" ../err &&
	test_expect_code 128 git -c status.color.changed status -s 2>../err && test_grep "missing value" ../err
'

test_done
