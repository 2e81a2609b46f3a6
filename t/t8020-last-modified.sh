#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git last-modified'
. "$(dirname "$0")/test-lib.sh"

# subjects ARGUMENT...: "SUBJECT PATH", with "^" of an excluded commit, sorted by path
subjects () {
	git -C r last-modified "$@" >out && while IFS="	" read -r oid path; do
		case $oid in ^*) mark=^ ;; *) mark= ;; esac && echo "$mark$(git -C r log -1 --format=%s "${oid#^}") $path" || return 1
	done <out >lines && LC_ALL=C sort -k 2 lines
}

test_expect_success 'a history with a merge' '
	git init -q -b main r && cd r && mkdir -p d/e && for f in a b d/c d/e/f; do echo 1 >$f || return 1; done && git add . && git commit -q -m one && echo 2 >d/c && git commit -q -am two &&
	git checkout -q -b side && echo 3 >a && git commit -q -am side && git checkout -q main && echo 3 >d/e/f && git commit -q -am three && git merge -q -m merge side && git rm -q b && git commit -q -m gone
'

test_expect_success 'entries at the top, directories, a depth, paths' '
	subjects >got && printf "side a\nthree d\n" >want && test_cmp want got && subjects -r >got && printf "side a\ntwo d/c\nthree d/e/f\n" >want && test_cmp want got &&
	subjects -t -r >got && printf "side a\nthree d\ntwo d/c\nthree d/e\nthree d/e/f\n" >want && test_cmp want got &&
	subjects --max-depth=1 >got && printf "side a\ntwo d/c\nthree d/e\n" >want && test_cmp want got &&
	subjects -- d/c >got && echo "two d/c" >want && test_cmp want got && subjects main~2 >got && printf "one a\none b\nthree d\n" >want && test_cmp want got &&
	subjects -r HEAD -- d/e nothing >got && echo "three d/e/f" >want && test_cmp want got
'

test_expect_success 'a range: paths that it did not modify have the excluded commit' '
	subjects -r HEAD~3..HEAD >got && printf "side a\n^two d/c\nthree d/e/f\n" >want && test_cmp want got && subjects -r HEAD~1..HEAD -- a >got && echo "^merge a" >want && test_cmp want got
'

test_expect_success 'a merge that changes a file itself, and one that takes a side' '
	cd r && git checkout -q -b other main~1 && echo 9 >a && git commit -q -am nine && git checkout -q main && git merge -q -s ours -m ours other && cd .. && subjects -- a >got && echo "side a" >want && test_cmp want got &&
	cd r && echo 10 >a && git commit -q -a --amend --no-edit && cd .. && subjects -- a >got && echo "ours a" >want && test_cmp want got
'

test_expect_success 'changed-path filters do not change the answer' '
	subjects -r -t >want && git -C r commit-graph write --reachable --changed-paths && subjects -r -t >got && test_cmp want got
'

test_expect_success 'quotes, -z, and a wrong command line' '
	cd r && git checkout -q --orphan quoted && git rm -rfq . && echo x >"a\"b" && git add . && git commit -q -m q && git last-modified >out && printf "$(git rev-parse HEAD)\t\"a\\\\\"b\"\n" >want && test_cmp want out &&
	git last-modified -z >out && printf "$(git rev-parse HEAD)\ta\"b\0" >want && cmp want out &&
	test_expect_code 129 git last-modified --nonsense 2>err && test_grep "unknown last-modified argument: --nonsense" err && test_expect_code 255 git last-modified main side 2>err && test_grep "one commit at a time" err &&
	test_expect_code 128 git last-modified nonsense --
'

# shown OPTION...: the paths
shown () { git -C depth last-modified "$@" >out && cut -f2 out | sort | tr "\n" " " | sed "s/ $//"; }

test_expect_success '-r and --max-depth: the later one counts' '
	git init -q depth && mkdir -p depth/d/e/f && echo 1 >depth/a && cp depth/a depth/d/b && cp depth/a depth/d/e/c && cp depth/a depth/d/e/f/g && git -C depth add . && git -C depth commit -q -m one &&
	test "$(shown)" = "a d" && test "$(shown -r --max-depth=0)" = "a d" && test "$(shown --max-depth=1 -r)" = "a d/b d/e/c d/e/f/g" && test "$(shown -r --max-depth=1)" = "a d/b d/e" &&
	test "$(shown -r --no-recursive)" = "a d" && test "$(shown --max-depth=-1)" = "a d/b d/e/c d/e/f/g" && test "$(shown --max-depth=2)" = "a d/b d/e/c d/e/f"
'

test_expect_success 'the depth is that below the last path that has to do with a directory' '
	test "$(shown -- d)" = d && test "$(shown -- d/e/c)" = d/e/c && test "$(shown -- d/e/c d/e)" = d/e && test "$(shown -- d/e d/e/c)" = "d/e/c d/e/f" && test "$(shown -- d/e/f/g d)" = d &&
	test "$(shown --max-depth=1 -- d/e d)" = "d/b d/e" && test "$(shown --max-depth=1 -- d d/e)" = "d/b d/e/c d/e/f" && test "$(shown --max-depth=1 -- d/e/)" = "d/e/c d/e/f" &&
	test "$(shown --max-depth=9 -- ":(icase)D")" = d && test "$(shown --max-depth=9 -- .)" = "a d"
'

test_done
