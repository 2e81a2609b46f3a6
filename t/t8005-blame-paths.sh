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

test_done
