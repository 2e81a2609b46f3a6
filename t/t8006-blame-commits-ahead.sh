#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git blame in a long history: a thread reads the next commits'
. "$(dirname "$0")/test-lib.sh"

test_lazy_prereq TWO_CPUS 'test "$(nproc)" -gt 1'

# by REV: "SUBJECT line" for each line of f
by () { git blame --line-porcelain "$1" -- f >lines && sed -n "s/^summary //p; s/^	//p" lines | paste -d" " - -; }
# on_one: the same on one processor, where there is no thread
on_one () { taskset -c "$(taskset -cp $$ | sed "s/.* //; s/[,-].*//")" "$@"; }

# commit BRANCH NUMBER
commit () {
	echo "commit refs/heads/$1" && echo "committer C <c@x> $((1000000000 + $2 * 10)) +0000" && printf "data 4\n%04d\n" "$2" &&
	printf "M 100644 inline other\ndata 4\n%04d\n" "$2"
}
# text NUMBER...: f, with these lines
text () { printf "M 100644 inline f\ndata $(($# * 5))\n" && printf "%04d\n" "$@"; }

# Each 50th of 600 commits adds a line.
test_expect_success 'set up' '
	git init -q -b main repo && cd repo && i=0 all= && while test $((i += 1)) -le 600
	do
		if test $((i % 50)) = 1; then all="$all $i"; fi
		commit main $i && text $all
	done >stream && git fast-import --quiet <stream && for n in $all; do printf "%04d %04d\n" $n $n; done >want
'

test_expect_success 'one chain' '
	cd repo && by main >got && test_cmp want got && git blame -p main -- f >porcelain && on_one git blame -p main -- f >alone && test_cmp porcelain alone &&
	git blame --show-stats main -- f >stats && on_one git blame --show-stats main -- f >alone && test_cmp stats alone
'

# threads REVISION: how many blame starts; a sanitizer adds one of its own to the first.
threads () {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -e trace=clone,clone3 -o trace git blame "$1" -- f >out && { grep -c "clone3*(" trace || :; }
}

test_expect_success STRACE,TWO_CPUS 'the thread is there for a long chain, and not for a short one' '
	cd repo && long=$(threads main) && test $long -ge 1 && test $long -le 2 && short=$(threads main~590) && test $short -eq 0
'

test_expect_success 'branches that go side by side, and a merge of each' '
	git init -q -b main sides && cd sides && i=0 && while test $((i += 1)) -le 480
	do
		b=$((i % 6))
		commit side$b $i && printf "M 100644 inline f\ndata 120\n" &&
		j=0 && while test $((j += 1)) -le 24
		do
			if test $((j % 6)) = $b; then printf "%04d\n" $((i - (i / 6 + j) % 4 * 6)); else echo base; fi
		done || return
	done >stream && git fast-import --quiet <stream && git checkout -q side0 && for b in 1 2 3 4 5; do git merge -q -m merge$b -s ours --allow-unrelated-histories side$b || return; done &&
	for b in 0 1 2 3 4 5; do git show side$b:f; done >f && git add f && git commit -q -m joined && git blame -p -C -C -C HEAD -- f >got && on_one git blame -p -C -C -C HEAD -- f >alone && test_cmp alone got &&
	git blame -p HEAD~ -- f >got && on_one git blame -p HEAD~ -- f >alone && test_cmp alone got && git blame -p --first-parent HEAD -- f >got && on_one git blame -p --first-parent HEAD -- f >alone && test_cmp alone got
'

test_expect_success 'grafts, replaced commits, and the boundary of a shallow clone' '
	cd repo && git replace main~300 main~500 && git blame -p main -- f >got && on_one git blame -p main -- f >alone && test_cmp alone got && ! cmp -s porcelain got &&
	git replace -d main~300 && git replace --graft main~200 && by main >got && on_one git blame -p main -- f >alone && git blame -p main -- f >got && test_cmp alone got &&
	git replace -d $(git rev-parse main~200) && git clone -q --depth=250 "file://$PWD" ../shallow && git -C ../shallow blame -p HEAD -- f >got && on_one git -C ../shallow blame -p HEAD -- f >alone && test_cmp alone got &&
	test "$(grep -c ^boundary got)" = 1
'

test_expect_success 'a commit of the chain that is missing is named' '
	cp -R repo broken && cd broken && for p in .git/objects/pack/*.pack; do mv $p ../p.pack && rm -f .git/objects/pack/* && git -c bulkCheckin.unpackLimit=0 unpack-objects -q <../p.pack || return; done &&
	c=$(git rev-parse main~400) && rm -f .git/objects/${c%"${c#??}"}/${c#??} && test_must_fail git blame main -- f 2>err && test_grep "^fatal: .*$c" err && git blame main~300..main -- f
'

test_expect_success 'with a commit-graph it is the paths that a thread looks up' '
	cd repo && git commit-graph write --reachable && git blame -p main -- f >got && test_cmp porcelain got && git commit-graph write --reachable --changed-paths && git blame -p main -- f >got && test_cmp porcelain got
'

test_done
