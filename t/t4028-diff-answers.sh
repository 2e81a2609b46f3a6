#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='exit codes of differences without lines, names of functions, old settings'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'two commits: a change of blanks, and one of a line' '
	git init -q r &&
	printf "a\nb\n" >r/f && printf "x y\n" >r/g && git -C r add . && git -C r commit -qm one &&
	printf "a\nB I\n" >r/f && printf "x  y\n" >r/g && git -C r commit -qam two
'

test_expect_success 'lines that are ignored make no exit code' '
	for o in -I. "-b -p" "-w --stat" "-b --raw" "-b --quiet" "-I. --quiet"; do
		git -C r diff $o --exit-code HEAD~1 HEAD -- g &&
		git -C r diff-tree $o --exit-code HEAD~1 HEAD -- g &&
		git -C r diff-index $o --exit-code HEAD~1 -- g &&
		git -C r diff-index --cached $o --exit-code HEAD~1 -- g &&
		git -C r log -1 $o --exit-code -- g &&
		git -C r show $o --exit-code HEAD -- g || return 1
	done
'

test_expect_success 'other lines do' '
	for o in -IB "-b -p" "-w --stat" "-b --raw" "-b --quiet"; do
		test_expect_code 1 git -C r diff $o --exit-code HEAD~1 HEAD &&
		test_expect_code 1 git -C r diff-tree $o --exit-code HEAD~1 HEAD &&
		test_expect_code 1 git -C r diff-index $o --exit-code HEAD~1 &&
		test_expect_code 1 git -C r show $o --exit-code HEAD || return 1
	done
'

test_expect_success 'neither does a change that conversion undoes' '
	printf "x  y\r\n" >r/g &&
	git -C r -c core.autocrlf=true diff --exit-code >out && test_must_be_empty out &&
	git -C r -c core.autocrlf=true diff --quiet &&
	git -C r -c core.autocrlf=true diff --raw --exit-code &&
	test_expect_code 1 git -C r diff --quiet &&
	printf "x  z  \r\n" >r/g &&
	test_expect_code 1 git -C r -c core.autocrlf=true diff --quiet &&
	git -C r checkout -q g
'

test_expect_success 'diff.<driver>.funcname is a basic expression, and the last pattern says yes' '
	printf "fo+ bar\n 1\n 2\n 3\n 4\n 5\n" >r/c.x && echo "*.x diff=x" >r/.gitattributes &&
	git -C r add . && git -C r commit -qm c && printf "fo+ bar\n 1\n 2\n 3\n 4\n 6\n" >r/c.x &&
	git -C r -c diff.x.funcname="^fo+" diff c.x >out && test_grep "@@ fo+\$" out &&
	git -C r -c diff.x.xfuncname="^fo+" diff c.x >out && test_grep "@@ fo\$" out &&
	git -C r -c diff.x.xfuncname=bar -c diff.x.funcname="\(fo\)" diff c.x >out && test_grep "@@ fo\$" out &&
	git -C r -c diff.x.funcname=fo -c diff.x.xfuncname="(bar)" diff c.x >out && test_grep "@@ bar\$" out &&
	test_must_fail git -C r -c diff.x.funcname="foo
!x" diff c.x 2>err &&
	test_grep "fatal: Last expression must not be negated: !x" err &&
	test_must_fail git -C r -c diff.x.xfuncname="!x" log -L:fo:c.x 2>err &&
	test_grep "Last expression must not be negated: !x" err &&
	git -C r -c diff.x.xfuncname="!x
^fo" diff c.x
'

test_expect_success 'GIT_DIFF_OPTS comes before options' '
	GIT_DIFF_OPTS=-u1 git -C r diff -U2 c.x >out && test_grep "^@@ -5,2 +5,2 @@" out &&
	GIT_DIFF_OPTS=--unified=0 git -C r diff-files -p >out && test_grep "^@@ -6 +6 @@" out &&
	GIT_DIFF_OPTS=1 git -C r diff c.x >out && test_grep "^@@ -3,4 +3,4 @@" out
'

test_expect_success 'old names of settings of colours' '
	git -C r -c diff.color.old="blue" diff --color c.x >out && test_grep "$(printf "\033\[34m")- 5" out &&
	git -C r -c diff.color.plain="blue" diff --color c.x >out && test_grep "$(printf "\033\[34m")  4" out &&
	git -C r -c color.diff.old=red -c diff.color.old=blue diff --color c.x >out && test_grep "$(printf "\033\[34m")- 5" out &&
	git -C r -c diff.color.old=blue -c color.diff.old=red diff --color c.x >out && test_grep "$(printf "\033\[31m")- 5" out &&
	git -C r -c diff.color.commit=blue log -1 --color >out && test_grep "$(printf "\033\[34m")commit" out &&
	git -C r -c diff.color=always diff c.x >out && test_grep "$(printf "\033\[31m")- 5" out &&
	test_must_fail git -C r -c diff.color.old=nothing diff
'

test_done
