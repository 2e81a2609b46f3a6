#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git range-diff'
. "$(dirname "$0")/test-lib.sh"

# say SUBJECT: a commit
say () {
	git add . && git commit -q -m "$1"
}

# note TEXT: on HEAD
note () {
	blob=$(echo "$1" | git hash-object -w --stdin) && tree=$(printf "100644 blob $blob\t$(git rev-parse HEAD)\n" | git mktree) &&
	git update-ref refs/notes/commits $(git commit-tree -m note -p "${2:-main}" $tree)
}

# pairs ARGUMENT...: the lines of pairs, without names of commits
pairs () {
	git range-diff -s "$@" >out && sed "s/^\( *[-0-9]*\):  [-0-9a-f]* \(.\)  *\([-0-9]*\):  [-0-9a-f]* /\1 \2 \3 /" out
}

test_expect_success 'two versions of a series' '
	git init -q -b main . && printf "%s\n" out got expect want err file tree m >.git/info/exclude && test_seq 30 >a && say base && git checkout -q -b old && sed -i "s/^5$/five/" a && say five &&
	test_seq 7 >gone && say gone && test_seq 5 >z && say twenty-five &&
	git checkout -q -b new main && test_seq 5 >z && say twenty-five && sed -i "s/^5$/FIVE/" a && say five &&
	test_seq 101 107 >come && say come
'

test_expect_success 'pairs stand in the new order; a commit without counterpart stands below its ancestors' '
	pairs main old new >got && cat >expect <<-\EOF &&
	3 = 1 twenty-five
	1 ! 2 five
	2 < - gone
	- > 3 come
	EOF
	test_cmp expect got && pairs main..old main..new >got && test_cmp expect got && pairs old...new >got && test_cmp expect got &&
	pairs --left-only old...new >got && grep -v ">" expect >want && test_cmp want got &&
	pairs --right-only old...new >got && grep -v "<" expect >want && test_cmp want got &&
	test_expect_code 255 git range-diff --left-only --right-only old...new
'

test_expect_success 'the difference between two patches, without line numbers' '
	git range-diff old~2^! new~1^! >out && sed 1d out >got && cat >expect <<-\EOF &&
	    @@ a
	      3
	      4
	     -5
	    -+five
	    ++FIVE
	      6
	      7
	      8
	EOF
	test_cmp expect got
'

test_expect_success 'sections: author, message, notes, files that are new, deleted, renamed or change their mode' '
	git checkout -q -b sections main && git mv a b && say move && git rm -q b && test_seq 3 >c && say more && chmod +x c && say mode &&
	printf "x\n\nbody  \n" >m && git commit -q --allow-empty --author="Zoe <z@x>" -F m &&
	git range-diff --creation-factor=0 HEAD~4..HEAD HEAD^!  >/dev/null && git range-diff --creation-factor=9999 HEAD~3^! HEAD~2^! >out &&
	test_grep "^    - ## a => b ##$" out && test_grep "^    + ## b (deleted) ##$" out && test_grep "^    + ## c (new) ##$" out &&
	git range-diff --creation-factor=99999 HEAD~1^! HEAD~3^! >out && test_grep "^    - ## c (mode change 100644 => 100755) ##$" out &&
	git commit -q --allow-empty -m y && git range-diff --creation-factor=99999 HEAD~3^! HEAD~1^! >out &&
	git range-diff --creation-factor=0 HEAD^! HEAD~1^! >out && test_grep "^1: .* < -:" out &&
	git checkout -q -B noted new && note one && tree1=$tree && git commit -q --amend --no-edit --author="Zoe <z@x>" && blob2=$(echo two | git hash-object -w --stdin) && { git ls-tree $tree1 && printf "100644 blob $blob2\t$(git rev-parse HEAD)\n"; } | git mktree >tree && git update-ref refs/notes/commits $(git commit-tree -m two $(cat tree)) &&
	git range-diff new^! noted^! >out && test_grep "^    -    one$" out && test_grep "^    +    two$" out && test_grep "^      ## Notes ##$" out && test_grep "^    +Author: Zoe <z@x>$" out &&
	git range-diff --no-notes new^! noted^! >out && test_grep ! "Notes" out && git update-ref refs/notes/x refs/notes/commits &&
	git range-diff --no-notes --notes=x new^! noted^! >out && test_grep "## Notes (x) ##" out
'

test_expect_success '--creation-factor: the price of a commit without counterpart' '
	pairs main old new >out && test_grep "< - gone" out && pairs --creation-factor=200 main old new >out && test_grep "^2 ! 3 gone" out &&
	pairs --creation-factor=0 old~2^! new~1^! >out && test_grep "< - five" out
'

test_expect_success 'paths limit both ranges' '
	pairs main old new -- gone >got && echo "1 < - gone" >expect && test_cmp expect got && pairs main..old main..new -- come >got && echo "- > 1 come" >expect && test_cmp expect got
'

test_expect_success 'merges are left out, unless an option says how to compare them' '
	git checkout -q -b merged old && git merge -q -s ours -m merge new && pairs main old merged >out && test_grep ! merge out &&
	for o in --diff-merges=first-parent --remerge-diff; do pairs $o main old merged >out && test_grep "merge$" out || return 1; done &&
	test_expect_code 255 git range-diff --diff-merges=nonsense main old new 2>err && test_grep "could not parse log" err
'

test_expect_success 'colours of the patches stay, signs are reversed' '
	git range-diff --color old~2^! new~1^! >out && e=$(printf "\033") &&
	test_grep -F "    $e[31m -5$e[m" out && test_grep -F "    $e[7m$e[31m-$e[m$e[2;32m+five$e[m" out && test_grep -F "    $e[7m$e[32m+$e[m$e[1;32m+FIVE$e[m" out &&
	test_grep -F "    $e[7m$e[36m@@$e[m $e[ma$e[m" out && test_grep -F "$e[31m1:  " out &&
	git -c color.diff.newBold=blue range-diff --dual-color old~2^! new~1^! >out && test_grep -F "$e[34m+FIVE$e[m" out &&
	git range-diff --no-dual-color --color old~2^! new~1^! >out && test_grep -F "    $e[31m-+five$e[m" out && git range-diff old~2^! new~1^! >out && test_grep ! "$e" out
'

test_expect_success 'options of diff are about the difference between the patches' '
	git range-diff --stat old~2^! new~1^! >out && test_grep "^     a => b | 2 +-$" out && git range-diff -U0 old~2^! new~1^! >out && test_line_count = 4 out &&
	git range-diff --abbrev=12 old~2^! new~1^! >out && test_grep "^1:  [0-9a-f]\{12\} ! 1:  [0-9a-f]\{12\} five" out &&
	git range-diff --output=file old~2^! new~1^! >out && test_must_be_empty out && test_grep "FIVE" file
'

test_expect_success 'errors in whitespace are marked in the dual colours of old lines; moved lines have no other colours' '
	git checkout -q -b spaced main && sed "s/^5$/five /" a >x && mv x a && say spaced && git checkout -q -b spaced-2 main && sed "s/^5$/FIVE /" a >x && mv x a && say spaced &&
	git range-diff --creation-factor=1000 --color --ws-error-highlight=old,new spaced^! spaced-2^! >out &&
	test_grep -F "    $e[7m$e[31m-$e[m$e[2;32m+five$e[m$e[41m $e[m" out && test_grep -F "    $e[7m$e[32m+$e[m$e[1;32m+FIVE $e[m" out &&
	git range-diff --creation-factor=1000 --color --color-moved spaced^! spaced-2^! >got && git range-diff --creation-factor=1000 --color spaced^! spaced-2^! >want && test_cmp want got
'

test_expect_success '--stat has 80 columns beside the indent, whatever terminal and configuration say' '
	for x in one two; do git checkout -q -b wide-$x main && test_seq 200 | sed "s/$/ $x/" >w && say wide || return 1; done &&
	COLUMNS=40 git -c diff.statGraphWidth=5 -c diff.statNameWidth=3 range-diff --creation-factor=1000 --stat wide-one^! wide-two^! >out &&
	test_grep "^     a => b | 400 +*-*$" out && test "$(sed -n 2p out | wc -c)" = 84 &&
	git range-diff --creation-factor=1000 --stat --stat-graph-width=10 wide-one^! wide-two^! >out && test_grep "| 400 +++++-----$" out
'

test_expect_success 'a wrong command line, and a matrix that is too large' '
	for a in "" "old" "main old" "main..old new" "main old nonsense"; do test_expect_code 129 git range-diff $a 2>err && test_grep "need two commit ranges" err || return 1; done &&
	test_expect_code 129 git range-diff main old -- new 2>err && test_grep "not a commit range: .main" err &&
	test_expect_code 129 git range-diff main old nonsense -- a 2>err && test_grep "not a revision: .nonsense" err &&
	test_expect_code 129 git range-diff old -- a 2>err && test_grep "not a symmetric range: .old" err &&
	test_expect_code 128 git range-diff nonsense old new 2>err && test_grep "bad revision .nonsense" err &&
	test_expect_code 129 git range-diff --nonsense old...new 2>err && test_expect_code 128 git range-diff --max-memory=144 old...new 2>err && test_grep "144 bytes (144 bytes) needed, limited to 144" err &&
	git range-diff --max-memory=145 old...new >out
'

test_expect_success 'format-patch --range-diff: in the cover letter, or below the only patch' '
	git format-patch --stdout --cover-letter --range-diff=old main..new >out && sed -n "/^Range-diff:/,/^-- /p" out >got &&
	git range-diff --no-notes --creation-factor=999 main old new >want && sed "1d;\$d" got | test_cmp want - &&
	git format-patch --stdout -v2 --range-diff=old~3..old~2 --creation-factor=50 new~2..new~1 >out && test_grep "^Range-diff against v1:$" out && test_grep "^1: .* ! 1: .* five$" out &&
	test_expect_code 128 git format-patch --no-cover-letter --range-diff=old main..new 2>err && test_grep "requires --cover-letter or single patch" err &&
	test_expect_code 128 git format-patch --cover-letter --range-diff=main..old --root new 2>err && test_grep "failed to infer range-diff origin" err
'

test_expect_success 'no space for an empty subject; no empty line behind an interdiff in the cover letter' '
	git init -q subjects && test_commit -C subjects one && git -C subjects commit -q --allow-empty --allow-empty-message -m "" && git -C subjects range-diff HEAD~1 HEAD~1 HEAD >actual &&
	echo "-:  ------- > 1:  $(git -C subjects rev-parse --short HEAD)" >expect && test_cmp expect actual && test_commit -C subjects two &&
	git -C subjects format-patch --stdout --cover-letter --interdiff=HEAD~2 --range-diff=HEAD~2 -1 >out && grep -B1 "^Range-diff:" out >actual && printf "%s\n" +two Range-diff: >expect && test_cmp expect actual
'

test_done
