#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git show-branch'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-commits.sh"

#	a - b - c - m - e     main
#	     \     /
#	      x - y - z       topic; side is at y
test_expect_success 'a history' '
	git init -q -b main r && cd r && git hash-object -t tree -w /dev/null >/dev/null &&
	node a 0 && node b 100 a && node c 200 b && node x 150 b && node y 250 x && node z 500 y && node m 300 c y && node e 400 m &&
	git update-ref refs/heads/main $e && git update-ref refs/heads/topic $z && git update-ref refs/heads/side $y
'

# shows ARGS, compared with standard input
shows () {
	cat >want && git show-branch "$@" >actual && test_cmp want actual
}

test_expect_success 'down to the first commit that all have' '
	cd r && shows main topic <<-\EOT &&
	* [main] e
	 ! [topic] z
	--
	 + [topic] z
	*  [main] e
	*+ [topic^] y
	EOT
	shows topic side main <<-\EOT
	! [topic] z
	 ! [side] y
	  * [main] e
	---
	+   [topic] z
	  * [main] e
	++* [side] y
	EOT
'

test_expect_success 'all branches; one alone has no columns' '
	cd r && git show-branch main side topic >expect && shows <expect && shows "heads/*" <expect &&
	shows main <<-\EOT &&
	[main] e
	EOT
	shows main main <actual && shows --more=2 main <<-\EOT
	[main] e
	[main^] m
	[main^^2] y
	EOT
'

test_expect_success '--sparse shows merges of one branch, --more goes on' '
	cd r && shows --sparse main topic <<-\EOT &&
	* [main] e
	 ! [topic] z
	--
	 + [topic] z
	*  [main] e
	-  [main^] m
	*+ [topic^] y
	EOT
	shows --more=1 main side <<-\EOT &&
	* [main] e
	 ! [side] y
	--
	*  [main] e
	*+ [side] y
	*+ [side^] x
	EOT
	git show-branch --more main side >expect && test_line_count = 6 expect && shows --more=1 main side <expect &&
	shows --more=20 main side <<-\EOT
	* [main] e
	 ! [side] y
	--
	*  [main] e
	*+ [side] y
	*+ [side^] x
	*  [main~2] c
	*+ [main~3] b
	*+ [main~4] a
	EOT
'

test_expect_success 'merges are marked, names follow parents' '
	cd r && node n 600 e z && git update-ref refs/heads/both $n && shows both topic <<-\EOT &&
	! [both] n
	 ! [topic] z
	--
	-  [both] n
	++ [topic] z
	EOT
	shows --sparse both $b <<-EOT &&
	! [both] n
	 ! [$b] b
	--
	-  [both] n
	+  [both^2] z
	+  [both^] e
	-  [both~2] m
	+  [both^2^] y
	+  [both^2~2] x
	+  [both~3] c
	++ [$b] b
	EOT
	git update-ref -d refs/heads/both
'

test_expect_success '--topo-order, --date-order' '
	cd r && git show-branch --topo-order --sparse main topic >expect && shows --sparse main topic <expect &&
	node u1 100 a && node u2 400 u1 && node w1 200 a && node w2 300 w1 && for n in u w
	do
		eval "git update-ref refs/heads/$n \$${n}2" || return 1
	done &&
	printf "%s\n" "! [u] u2" " ! [w] w2" -- "+  [u] u2" " + [w] w2" " + [w^] w1" "+  [u^] u1" "++ [u~2] a" | shows --date-order u w &&
	printf "%s\n" "! [u] u2" " ! [w] w2" -- "+  [u] u2" "+  [u^] u1" " + [w] w2" " + [w^] w1" "++ [u~2] a" | shows --topo-order u w &&
	git update-ref -d refs/heads/u && git update-ref -d refs/heads/w
'

test_expect_success '--topics leaves out what the first one has' '
	cd r && shows --topics main topic <<-\EOT &&
	* [main] e
	 ! [topic] z
	--
	 + [topic] z
	*+ [topic^] y
	EOT
	git show-branch --topics main side topic >expect && shows --topics main <expect
'

test_expect_success '--list, --no-name, --sha1-name, --current' '
	cd r && shows --list main topic <<-\EOT &&
	* [main] e
	  [topic] z
	EOT
	git show-branch --list main topic >expect && shows --more=-1 main topic <expect && shows --no-name main topic <<-\EOT &&
	* [main] e
	 ! [topic] z
	--
	 + z
	*  e
	*+ y
	EOT
	shows --sha1-name main topic <<-EOT &&
	* [main] e
	 ! [topic] z
	--
	 + [$(git rev-parse --short $z)] z
	*  [$(git rev-parse --short $e)] e
	*+ [$(git rev-parse --short $y)] y
	EOT
	git show-branch side main >expect && shows --current side <expect && git show-branch main side >expect &&
	shows --current main side <expect && git show-branch --no-name main side >expect && git show-branch --no-name --name main >actual &&
	test_grep "\[main\]" actual
'

test_expect_success '--merge-base, --independent' '
	cd r && echo $y | shows --merge-base main topic && echo $b | shows --merge-base $c topic side && echo $y | shows --merge-base side topic main &&
	node other 10 && test_expect_code 1 git show-branch --merge-base main $other >out && test_must_be_empty out &&
	printf "%s\n" $e $z | shows --independent main side topic && echo $z | shows --independent topic side $y && echo $e | shows --independent main $e &&
	node l 1000 c y && node k 1001 y c && printf "%s\n" $y $c | shows --merge-base $l $k &&
	node far 500 && node mid 50 far && node near 100 mid && node t1 1000 far near && node t2 1001 near far &&
	echo $near | shows --merge-base $t1 $t2 && git show-branch --merge-base $t2 $t1 >actual && test_cmp want actual &&
	for args in "--merge-base --list" "--independent --more" "--merge-base -g" "--independent --reflog=2"
	do
		test_expect_code 129 git show-branch $args main 2>err && test_grep "^usage: git show-branch" err || return 1
	done
'

test_expect_success 'patterns' '
	cd r && git update-ref refs/heads/fix/one $c && git update-ref refs/tags/fix/two $y && git update-ref refs/tags/v10 $e &&
	git update-ref refs/tags/v9 $e && git update-ref refs/remotes/o/fix $c && git update-ref refs/other/x/y $c &&
	git show-branch --list "fix/*" >actual && printf "  [fix/one] c\n  [tags/fix/two] y\n" >expect && test_cmp expect actual &&
	git show-branch --list "v*" >actual && printf "  [tags/v9] e\n  [tags/v10] e\n" >expect && test_cmp expect actual &&
	git show-branch --list "x/*" >actual && printf "  [refs/other/x/y] c\n" >expect && test_cmp expect actual &&
	git show-branch --list "nope*" >actual 2>err && test_must_be_empty actual &&
	printf "error: no matching refs with nope*\nNo revs to be shown.\n" >expect && test_cmp expect err &&
	git show-branch --list -r >actual && printf "  [o/fix] c\n" >expect && test_cmp expect actual &&
	git show-branch --list -a >actual && printf "  [fix/one] c\n* [main] e\n  [side] y\n  [topic] z\n  [o/fix] c\n" >expect && test_cmp expect actual &&
	git update-ref refs/tags/side $c && git show-branch --list "sid?" 2>/dev/null >actual &&
	printf "  [heads/side] y\n  [tags/side] c\n" >expect && test_cmp expect actual && git update-ref -d refs/tags/side &&
	test_expect_code 128 git show-branch nope 2>err && echo "fatal: bad sha1 reference nope" >expect && test_cmp expect err &&
	git show-branch "HEAD^{tree}" 2>err && test_grep "^No revs to be shown.$" err
'

test_expect_success 'at most 27' '
	cd r && for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28
	do
		git update-ref refs/tags/n/$i $a || return 1
	done &&
	git show-branch --list "n/*" >out 2>err && test_line_count = 27 out && echo "warning: ignoring n/9; cannot handle more than 27 refs" >expect &&
	sed "s|tags/||" err >actual && test_cmp expect actual && git show-branch "n/*" 2>/dev/null >out && tail -1 out >actual &&
	echo "+++++++++++++++++++++++++++ [tags/n/1] a" >expect && test_cmp expect actual
'

test_expect_success '--reflog' '
	cd r && GIT_COMMITTER_DATE="1600100000 +0000" && export GIT_COMMITTER_DATE && for n in x y z
	do
		eval "git update-ref -m \"to $n\" refs/heads/log \$$n" || return 1
	done &&
	GIT_TEST_DATE_NOW=1600100060 && export GIT_TEST_DATE_NOW && shows --reflog=2 log <<-\EOT &&
	! [log@{0}] (60 seconds ago) to z
	 ! [log@{1}] (60 seconds ago) to y
	--
	+  [log@{0}] z
	++ [log@{1}] y
	EOT
	printf "  [log@{%s}] (60 seconds ago) to %s\n" 0 z 1 y 2 x >expect && git show-branch -g --list log >actual && test_cmp expect actual &&
	sed 1d expect >from && git show-branch --reflog=3,1 --list log >actual && test_cmp from actual &&
	git show-branch --reflog=3,2020-09-30 --list log >actual && test_cmp expect actual && git symbolic-ref HEAD refs/heads/log &&
	git show-branch -g1 --list >actual && echo "  [refs/heads/log@{0}] (60 seconds ago) to z" >expect && test_cmp expect actual &&
	git symbolic-ref HEAD refs/heads/main && unset GIT_TEST_DATE_NOW GIT_COMMITTER_DATE &&
	test_expect_code 128 git show-branch -g log main 2>err && test_grep "^fatal: --reflog option needs one branch name$" err &&
	test_expect_code 128 git show-branch -g nope 2>err && test_grep "^fatal: no such ref nope$" err &&
	test_expect_code 128 git show-branch -g28 log 2>err && test_grep "^fatal: only 27 entries can be shown at one time.$" err &&
	test_expect_code 129 git show-branch --reflog=x log 2>err && test_grep "^error: unrecognized reflog param .x.$" err &&
	test_expect_code 128 git show-branch -g --all 2>err && test_grep "options .--reflog. and .--all/--remotes/--independent/--merge-base. cannot be used together" err &&
	git update-ref -d refs/heads/log
'

test_expect_success 'colours' '
	cd r && esc=$(printf "\033") && git show-branch --color main topic >out && sed "s/$esc/E/g" out >actual && cat >expect <<-\EOT &&
	E[31m*E[m [main] e
	 E[32m!E[m [topic] z
	--
	 E[32m+E[m [topic] z
	E[31m*E[m  [main] e
	E[31m*E[mE[32m+E[m [topic^] y
	EOT
	test_cmp expect actual && git -c color.showBranch=always show-branch main topic >actual && test_cmp out actual &&
	git -c color.ui=always show-branch --no-color main topic >actual && git show-branch main topic >expect && test_cmp expect actual &&
	test_expect_code 129 git show-branch --color=foo 2>err && test_grep "option .color. expects" err
'

test_expect_success 'showBranch.default' '
	cd r && git config showBranch.default --topo-order && git config --add showBranch.default main && git config --add showBranch.default topic &&
	git show-branch main topic >expect && shows <expect && git show-branch --list >out && test_grep "fix/one" out &&
	git config --unset-all showBranch.default
'

test_expect_success 'commits of the same second: the one found last comes first' '
	cd r && node s0 0 && node s1 0 s0 && node s2 0 s0 && node s3 0 s0 && for n in 1 2 3
	do
		eval "git update-ref refs/tags/s$n \$s$n" || return 1
	done &&
	for order in --topo-order --date-order
	do
		printf "%s\n" "! [s1] s1" " ! [s2] s2" "  ! [s3] s3" --- "  + [s3] s3" " +  [s2] s2" "+   [s1] s1" "+++ [s3^] s0" |
		shows $order s1 s2 s3 || return 1
	done
'

test_expect_success 'nothing is read beyond the last commit that is shown' '
	cd r && f=.git/objects/$(echo $a | sed "s|^..|&/|") && mv $f keep && git show-branch main side >out &&
	test_expect_code 128 git show-branch --more=9 main side 2>err && test_grep $a err && mv keep $f && node w0 1 && node w1 2 w0 && node w2 3 w1 &&
	node w3 4 w2 && node w4 5 w3 && node w5 6 w4 && f=.git/objects/$(echo $w1 | sed "s|^..|&/|") && mv $f keep &&
	git show-branch --more=1 $w4 $w5 >out && test_line_count = 6 out && mv keep $f
'

test_expect_success 'subjects without [PATCH], a damaged commit' '
	cd r && node_id=$(printf "[PATCH] sub\nject\n\nbody\n" | GIT_AUTHOR_DATE="1600000000 +0000" GIT_COMMITTER_DATE="1600000000 +0000" git commit-tree $EMPTY_TREE) &&
	echo "[$node_id] sub ject" | shows $node_id && f=.git/objects/$(echo $y | sed "s|^..|&/|") && chmod +w $f && echo junk >$f &&
	test_expect_code 128 git show-branch main topic 2>err && test_grep $y err
'

test_done
