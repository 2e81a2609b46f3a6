#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git blame: the path in older commits, by trees and by changed-path filters'
. "$(dirname "$0")/test-lib.sh"

# save SUBJECT: a commit of everything
save () {
	git add -A && test_tick && git commit -q -m "$1"
}

# by OPTION...: "SUBJECT line" for each line
by () {
	git blame -s --root "$@" >lines && sed "s/^\^*\([0-9a-f]*\) .*) /\1 /; s/ [^ ]*  *[0-9]*) / /" lines >pairs &&
	while read -r id line; do echo "$(git log -1 --format=%s $id) $line"; done <pairs
}

# Each commit changes something else: beside the directories, in one of them, the file; then merges, and a rename.
test_expect_success 'set up' '
	git init -q -b main repo && cd repo && mkdir -p d/e && printf "%s\n" 1 2 3 4 5 6 >d/e/f && echo t >top && save first &&
	echo tt >top && save top && echo x >d/x && save in-d && echo y >d/e/y && save in-e && sed "s/2/two/" d/e/f >g && mv g d/e/f && save second &&
	git checkout -q -b side && echo s >s && save side-top && sed "s/5/five/" d/e/f >g && mv g d/e/f && save side-f && echo z >d/e/z && save side-e &&
	git checkout -q main && sed "s/1/one/" d/e/f >g && mv g d/e/f && save main-f && echo x2 >d/x && save main-d && git merge -q --no-ff -m merge side &&
	git mv d/e c && save renamed && echo c >c/y && save in-c && sed "s/3/three/" c/f >g && mv g c/f && save third && echo ttt >top && save last
'

cat >expect <<'EOF'
main-f one
second two
third three
first 4
side-f five
first 6
EOF

test_expect_success 'lines, whatever is known of paths' '
	cd repo && mv ../expect .git/expect && by HEAD -- c/f >got && test_cmp .git/expect got && git blame -p HEAD -- c/f >porcelain && git blame --reverse HEAD~2..HEAD -- c/f >reverse &&
	git blame --reverse -p side~3..main~4 -- d/e/f >reverse-merge && git blame -C -C -C HEAD -- c/f >copies && git blame --first-parent HEAD -- c/f >first &&
	git blame HEAD -- top >top-level && by HEAD -- top >got && echo "last ttt" >want && test_cmp want got
'

test_expect_success 'the same with filters of changed paths, of the whole history and of a part' '
	cd repo && for from in --reachable --stdin-commits
	do
		rm -rf .git/objects/info/commit-graph* && git rev-parse main~5 side~1 | git commit-graph write $from --changed-paths && by HEAD -- c/f >got && test_cmp .git/expect got &&
		git blame -p HEAD -- c/f >got && test_cmp porcelain got && git blame --reverse HEAD~2..HEAD -- c/f >got && test_cmp reverse got &&
		git blame --reverse -p side~3..main~4 -- d/e/f >got && test_cmp reverse-merge got && git blame -C -C -C HEAD -- c/f >got && test_cmp copies got &&
		git blame --first-parent HEAD -- c/f >got && test_cmp first got && git blame HEAD -- top >got && test_cmp top-level got || return
	done
'

test_expect_success 'a file that becomes a directory, a link, and comes back' '
	git init -q -b main kinds && cd kinds && mkdir d && echo 1 >d/f && save one && rm -r d && echo d >d && save file && rm d && ln -s x d && save link &&
	rm d && mkdir -p d/f && echo 3 >d/f/g && save deeper && rm -r d && mkdir d && printf "%s\n" 1 2 >d/f && save back && by HEAD -- d/f >got && printf "%s\n" "back 1" "back 2" >want && test_cmp want got &&
	git commit-graph write --reachable --changed-paths && by HEAD -- d/f >got && test_cmp want got
'

test_expect_success 'a changed file in the work tree, with filters' '
	cd repo && rm -rf .git/objects/info/commit-graph* && sed "s/6/six/" c/f >g && mv g c/f && git blame -s c/f >want && test_grep "^0* c/f  *6) six$" want &&
	git commit-graph write --reachable --changed-paths && git blame -s c/f >got && test_cmp want got && git checkout -q c/f
'

test_expect_success '-S gives a commit other parents than its filter compares with' '
	cd repo && rm -rf .git/objects/info/commit-graph* && echo "$(git rev-parse HEAD) $(git rev-parse :/second)" >.git/revs && git blame -s -S .git/revs HEAD -- c/f >plain &&
	git blame -s HEAD -- c/f >without && ! test_cmp without plain >/dev/null 2>&1 &&
	git commit-graph write --reachable --changed-paths && git blame -s -S .git/revs HEAD -- c/f >got && test_cmp plain got
'

# Line n is of commit 3n. Another file changes in each commit. A directory becomes a file for three commits, another one is renamed.
test_expect_success 'a long history, whose paths are looked up ahead' '
	git init -q -b main long && cd long && i=0 && for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
	do
		for step in 1 2 3
		do
			i=$((i + 1)) dir=d && test $n -gt 10 && dir=c
			echo "commit refs/heads/main" && echo "committer C <c@x> $((1000000000 + i * 100)) +0000" && printf "data 3\n%03d\n" $i
			test $i = 31 && echo "R d c"
			test $i = 13 && echo "D k" && printf "M 100644 inline k\ndata 2\nk\n"
			test $i = 16 && echo "D k"
			case $i in 13|14|15) ;; *) printf "M 100644 inline k/e/f\ndata 4\nk%02d\n\n" $i;; esac
			printf "M 100644 inline $dir/other\ndata 3\n%03d\n" $i
			test $step != 3 && continue
			printf "M 100644 inline $dir/e/f\ndata $((n * 3))\n" && j=0 && while test $((j += 1)) -le $n; do printf "%02d\n" $j; done
		done
	done >stream && git fast-import --quiet <stream && n=0 && while test $((n += 1)) -le 20; do printf "%03d %02d\n" $((n * 3)) $n; done >want &&
	by HEAD -- c/e/f >got && test_cmp want got && echo "060 k60" >want-k && by HEAD -- k/e/f >got && test_cmp want-k got &&
	git blame -s HEAD~50..HEAD -- c/e/f >part && test "$(grep -c "^\^" part)" = 3 && git commit-graph write --reachable --changed-paths &&
	by HEAD -- c/e/f >got && test_cmp want got && git blame -s HEAD~50..HEAD -- c/e/f >got && test_cmp part got
'

# Look-ups ahead for d/a find the same directory as those for d/b, where the lines are from.
test_expect_success 'lines of another file, in a long history' '
	git init -q -b main moved && cd moved && i=0 && while test $((i += 1)) -le 60
	do
		echo "commit refs/heads/main" && echo "committer C <c@x> $((1000000000 + i * 100)) +0000" && printf "data 3\n%03d\n" $i
		test $i = 1 && printf "M 100644 inline d/a\ndata 4\nold\n\nM 100644 inline d/b\ndata <<END\nsome lines that move together\nto another file\nend of b\nEND\n"
		test $i = 30 && printf "M 100644 inline d/a\ndata <<END\nnew\nsome lines that move together\nto another file\nEND\n\nM 100644 inline d/b\ndata <<END\nend of b\nEND\n"
		printf "M 100644 inline top\ndata 3\n%03d\n" $i
	done >stream && git fast-import --quiet <stream && git blame -s --root -f -C20 HEAD -- d/a >lines && test_grep "d/a  *1) new" lines && first=$(git rev-parse --short=8 HEAD~59) &&
	test_grep "^$first d/b  *2) some lines" lines && test_grep "^$first d/b  *3) to another" lines
'

test_done
