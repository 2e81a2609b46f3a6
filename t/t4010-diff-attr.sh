#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='attributes for differences: diff, -diff, diff=NAME'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000000 +0100'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

logs () {
	for o in -p --stat --numstat --shortstat '-G x --oneline' '-p -w' '--stat -p --color=always'
	do
		peers_git log $o "$@" || return 1
	done
}

test_expect_success 'history' '
	peers_init -b main &&
	peers_do "seq 20 >a.gen && printf \"x\\0\\n\" >b.txt && seq 30 >c.foo && seq 9 >plain && stock add . && stock commit -q -m one" &&
	peers_do "seq 3 21 >a.gen && printf \"x\\0\\ny\\n\" >b.txt && seq 29 >c.foo && seq 3 9 >plain && stock add . && stock commit -q -m two"
'

test_expect_success 'no attributes' logs

test_expect_success 'diff and -diff' '
	peers_do "printf \"*.gen -diff\\n*.txt diff\\n\" >.gitattributes" && logs
'

test_expect_success 'drivers: binary, function names' '
	peers_do "echo \"*.foo diff=foo\" >>.gitattributes && echo \"*.gen diff=gen\" >>.gitattributes" &&
	peers_do "stock config diff.foo.xfuncname \"!^2[0-3]\$
^(2[0-9])\$\" && stock config diff.gen.binary true" &&
	logs && peers_do "stock config diff.gen.binary auto" && logs
'

test_expect_success 'the summary of a commit counts by them' '
	peers_do "seq 50 >a.gen && printf \"\\0\\0\\n\\n\" >b.txt && stock add -A && stock config diff.gen.binary true" &&
	peers_git commit -m three
'

test_expect_success 'an invalid pattern' '
	peers_do "stock config diff.foo.xfuncname \"(\"" &&
	(cd ours && test_must_fail git log -p 2>err && test_grep "hunk header" err)
'

test_done
