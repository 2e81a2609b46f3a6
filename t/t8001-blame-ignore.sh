#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='blame: ignored commits, and lines that are followed forward'
. "$(dirname "$0")/test-lib.sh"

# lines ARGUMENT...: the subject of the commit that each line belongs to
lines () {
	git blame --line-porcelain "$@" >out && sed -n "s/^summary //p" out | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'set up: a commit that only changes white space, and adds a line' '
	git init -q . && printf "%s\n" "int a = 1;" "int b = 2;" "int c = 3;" "int d = 4;" >f && git add f && git commit -qm one &&
	printf "%s\n" "int a = 1;" "int  b  = 2;" "something else" "int  c = 3;" "int d = 4;" >f && git commit -qam two &&
	git mv f g && echo last >>g && git commit -qam three
'

test_expect_success 'changes of an ignored commit are given to the lines that they are like' '
	test "$(lines g)" = "one two two two one three" &&
	test "$(lines --ignore-rev HEAD~1 g)" = "one one two one one three" &&
	git blame -s -n --ignore-rev HEAD~1 g >out && sed "s/^[^ ]* //" out >numbers &&
	printf "%s\n" "f 1 1) int a = 1;" "f 2 2) int  b  = 2;" "f 3 3) something else" "f 3 4) int  c = 3;" "f 4 5) int d = 4;" \
		"g 6 6) last" >expect && test_cmp expect numbers &&
	test "$(lines --ignore-rev HEAD~1 --no-ignore-rev g)" = "one two two two one three"
'

test_expect_success 'lines keep their order in a change, and a line may be like one elsewhere' '
	git init -q order && cd order && printf "%s\n" "first = call(1)" "second = call(2)" middle "the quick brown fox" >f && git add f &&
	git commit -qm one && printf "%s\n" "second = CALL(2)" "first = CALL(1)" "second = CALL(22)" middle "the quick brown fox" >f &&
	printf "%s\n" "zzz" "A quick brown fox!" >>f && git commit -qam two && git blame -s -n --ignore-rev HEAD f >out &&
	sed "s/^[^ ]* //; s/).*//" out | tr "\n" , >numbers && printf "1 1,1 2,2 3,3 4,4 5,6 6,4 7," >expect && test_cmp expect numbers && cd ..
'

test_expect_success 'several lines may come from one, and are followed on' '
	git init -q overlap && cd overlap && printf "%s\n" "line number one" "line number two" "some other text" "to be changed" "a fifth line" >f && git add f &&
	git commit -qm one && sed "s/^to be.*/X/; /^X/a Y" f >g && mv g f && git commit -qam two && echo "Some other text!" >>f && git commit -qam three &&
	git blame -s -n --ignore-rev HEAD f >out && sed "s/^[^ ]* //; s/).*//" out | tr "\n" , >numbers &&
	printf "1 1,2 2,3 3,4 4,5 5,5 6,3 7," >expect && test_cmp expect numbers && cd ..
'

test_expect_success 'lines on both sides of the surest match are matched, and a match takes what it matches' '
	git init -q sides && cd sides && printf "%s\n" "one a" "a very long line that is sure to be found" "two b" >f && git add f && git commit -qm one &&
	printf "%s\n" "ONE a" "ONE a" "a very long line that is SURE to be found" "TWO b" "TWO b" >f && git commit -qam two &&
	test "$(lines --ignore-rev HEAD f)" = "one two one one two" && cd ..
'

test_expect_success 'a short line is found near its place in proportion to the change only' '
	git init -q place && cd place && i=0 && { echo needle && echo socket && while test $i -lt 40; do echo "$i$i"; i=$((i+1)); done; } >f && git add f &&
	git commit -qm one && i=0 && while test $i -lt 40; do case $i in 8) echo Needle ;; 30) echo Socket ;; *) echo "{}" ;; esac; i=$((i+1)); done >f &&
	git commit -qam two && test "$(lines --ignore-rev HEAD -L9,9 f)" = one && test "$(lines --ignore-rev HEAD -L31,31 f)" = two && cd ..
'

test_expect_success 'marks say which lines an ignored commit had changed' '
	one=$(git rev-parse HEAD~2 | cut -c1-6) two=$(git rev-parse HEAD~1 | cut -c1-7) &&
	git -c blame.markIgnoredLines=true -c blame.markUnblamableLines=true blame -s -L2,4 --ignore-rev HEAD~1 g >out &&
	printf "%s\n" "^?$one f 2) int  b  = 2;" "*$two f 3) something else" "^?$one f 4) int  c = 3;" >expect && test_cmp expect out &&
	git -c blame.markIgnoredLines=true -c blame.markUnblamableLines=true blame -p --ignore-rev HEAD~1 g >out &&
	grep -A1 -e "^ignored" -e "^unblamable" out >marks &&
	printf "ignored\n\tint  b  = 2;\n--\nunblamable\n\tsomething else\n--\nignored\n\tint  c = 3;\n" >expect && test_cmp expect marks &&
	git -c blame.markIgnoredLines=true blame -b -s -L2,2 --ignore-rev HEAD~1 g >out && test_grep "^?        *f 2)" out &&
	git blame -s -L2,2 --ignore-rev HEAD~1 g >out && ! grep "?" out
'

test_expect_success 'files name ignored commits' '
	printf "# why\n\n  %s  # two\n%s\n" "$(git rev-parse HEAD~1)" "$(git rev-parse HEAD:g)" >revs && : >none &&
	test "$(lines --ignore-revs-file revs g)" = "one one two one one three" && git tag -a -m tag tag HEAD~1 && git rev-parse tag >tags &&
	test "$(lines --ignore-revs-file tags g)" = "one one two one one three" &&
	git config blame.ignoreRevsFile revs && test "$(lines g)" = "one one two one one three" &&
	test "$(lines --ignore-revs-file= g)" = "one two two two one three" && test "$(lines --no-ignore-revs-file g)" = "one two two two one three" &&
	git config blame.ignoreRevsFile none && git config --add blame.ignoreRevsFile revs && test "$(lines g)" = "one one two one one three" &&
	git config --unset-all blame.ignoreRevsFile
'

test_expect_success 'names of no commit to ignore are errors' '
	test_expect_code 128 git blame --ignore-rev HEAD:g g 2>err && test_grep "cannot find revision HEAD:g to ignore" err &&
	test_expect_code 128 git blame --ignore-revs-file missing g 2>err && test_grep "could not open object name list: missing" err &&
	echo garbage >bad && test_expect_code 128 git blame --ignore-revs-file bad g 2>err && test_grep "invalid object name: garbage" err
'

test_expect_success '--reverse shows the last commit that has a line' '
	sed 1d g >h && mv h g && git commit -qam four &&
	test "$(lines --reverse HEAD~3..HEAD f)" = "three one one four" && test "$(lines --reverse HEAD~3 f)" = "three one one four" &&
	test "$(lines --reverse HEAD~3..HEAD~1 f)" = "three one one three" && git blame -s --reverse HEAD~3.. f >out && test_grep "^^.*2) int b" out &&
	test "$(lines --reverse -L2,3 --ignore-rev HEAD~3 HEAD~3..HEAD f)" = "four four"
'

test_expect_success '--reverse --first-parent keeps to one line of history' '
	git checkout -qb side HEAD~1 && echo side >>g && git commit -qam side && git checkout -q - && git merge -qm merge side &&
	test "$(lines --reverse HEAD~2..HEAD -L5,5 g)" = merge && test "$(lines --reverse --first-parent HEAD~2..HEAD -L1,1 g)" = three &&
	test "$(lines --reverse HEAD~2..HEAD -L1,1 g)" = side &&
	test_expect_code 128 git blame --reverse --first-parent side..HEAD g 2>err && test_grep "require range along first-parent chain" err &&
	test_expect_code 128 git blame --reverse --first-parent ^HEAD g 2>err && test_grep "require specified latest commit" err
'

test_expect_success 'a merge with its own ancestor is one child of it with --first-parent, and older commits are looked at first' '
	git init -q links && cd links && printf "%s\n" x y >f && git add f && git commit -qm base && base=$(git rev-parse HEAD) && test_tick &&
	echo x >f && git commit -qam a && a=$(git rev-parse HEAD) && merge=$(git commit-tree -p $a -p $base -m merge $base^{tree}) &&
	test "$(lines --reverse $base..$merge -L2,2 f)" = merge && test "$(lines --reverse --first-parent $base..$merge -L2,2 f)" = base &&
	test_tick && git checkout -q $base && echo y >f && git commit -qam b && none=$(git commit-tree -p HEAD -p $a -m none $(git mktree </dev/null)) &&
	git blame --reverse --incremental $base..$none -- f >out && grep "^summary" out >actual && printf "summary %s\n" a b >expect && test_cmp expect actual && cd ..
'

test_expect_success 'ranges that --reverse cannot use are errors' '
	test_expect_code 128 git blame --reverse g 2>err && test_grep "No commit to dig up from" err &&
	test_expect_code 128 git blame --reverse HEAD ^HEAD~1 ^HEAD~2 -- g 2>err && test_grep "More than one commit to dig up from, HEAD~2 and HEAD~1" err &&
	test_expect_code 128 git blame --reverse --contents g HEAD~1.. -- g 2>err && test_grep "do not blend well" err &&
	test_expect_code 128 git blame --reverse HEAD~1.. -- nothing 2>err && test_grep "no such path nothing in HEAD~1" err
'

test_expect_success '--score-debug shows letters, and how often a file is referred to' '
	git init -q score && cd score && printf "%s\n" abc de >f && git add f && git commit -qm one && printf "%s\n" x abc fghijklmn de >f && git commit -qam two &&
	git blame -s --score-debug f >out && sed "s/^[^ ]* *//" out >scores &&
	printf "%s\n" "2 02 1) x" "4 03 2) abc" "10 02 3) fghijklmn" "3 03 4) de" >expect && test_cmp expect scores && cd ..
'

test_expect_success 'a file that was renamed in the index is followed, and copies from elsewhere are found' '
	git init -q staged && cd staged && printf "some line with the number %s\n" 1 2 3 4 5 6 7 8 >f && cp f x && echo x >>x && git add . && git commit -qm one &&
	git mv f g && echo more >>g && git blame -s g >out && test_line_count = 9 out && test $(grep -c " f *[1-8])" out) = 8 && test_grep "^0000.*more" out &&
	test_expect_code 128 git blame nothing 2>err && test_grep "no such path .nothing. in HEAD" err && echo a >untracked &&
	test_expect_code 128 git blame untracked 2>err && test_grep "no such path .untracked. in HEAD" err && sed 3q g >n && git add n &&
	git blame -s n >out && ! grep -v "^0000" out && git blame -s -C -C n >out && ! grep "^0000" out && cd ..
'

test_expect_success 'all that is merged is asked' '
	git init -q heads && cd heads && echo base >f && git add f && git commit -qm base && git branch b2 && git checkout -qb b1 && echo 1 >>f && git commit -qam b1 &&
	git checkout -q b2 && echo 2 >>f && git commit -qam b2 && git checkout -q --detach HEAD~1 && git rev-parse b1 b2 >.git/MERGE_HEAD &&
	printf "%s\n" base 1 2 new >f && test "$(lines f)" = "base b1 b2 Version of f from f" && cd ..
'

test_expect_success 'names and summaries are shown in the encoding of the output' '
	git init -q enc && cd enc && echo a >f && git add f && printf "sch\366n\n" >msg && git -c i18n.commitEncoding=ISO-8859-1 commit -q -F msg &&
	git blame -p f >out && printf "summary sch\303\266n\n" >expect && grep "^summary" out >actual && test_cmp expect actual &&
	git blame -p --encoding=ISO-8859-1 f | grep -a "^summary" >actual && printf "summary sch\366n\n" >expect && test_cmp expect actual &&
	git blame -p --encoding none f | grep -a "^summary" >actual && test_cmp expect actual &&
	git -c i18n.logOutputEncoding=ISO-8859-1 blame -p f | grep -a "^summary" >actual && test_cmp expect actual && cd ..
'

test_expect_success '--progress is for people only' '
	GIT_PROGRESS_DELAY=0 git blame --progress g >out 2>err && test_grep "Blaming lines: 100% (6/6), done" err &&
	git blame --no-progress g 2>err && test_must_be_empty err &&
	for o in -p --line-porcelain --incremental; do
		test_expect_code 128 git blame --progress $o g 2>err && test_grep "progress can.t be used with" err || return 1
	done
'

test_expect_success '--contents takes a file, and says what it cannot read' '
	git blame -s --contents none g >out && test_must_be_empty out && test_expect_code 128 git blame --contents missing g 2>err &&
	test_grep "Cannot stat .missing.: No such file" err && test_expect_code 128 git blame --contents . g 2>err && test_grep "unsupported file type" err
'

test_done
