#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='blame: lines go to the commits that brought them'
. "$(dirname "$0")/test-lib.sh"

# lines ARGUMENT...: the subject of the commit that each line belongs to
lines () {
	git blame --line-porcelain "$@" >out && sed -n "s/^summary //p" out | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'each line belongs to the commit that brought it' '
	git init -q . && printf "%s\n" a b c d >f && git add f && git commit -qm one &&
	printf "%s\n" a B c d >f && git commit -qam two && printf "%s\n" x a B c >f && git commit -qam three &&
	test "$(lines HEAD -- f)" = "three one two one" && test "$(lines HEAD~ f)" = "one two one one"
'

test_expect_success 'ranges of lines and of commits limit the result' '
	test "$(lines -L 2,3 HEAD f)" = "one two" && test "$(lines -L /B/,+1 HEAD f)" = "two" &&
	test "$(lines HEAD~.. -- f)" = "three two two two" && git blame HEAD~.. -- f >out && test_grep "^^" out
'

test_expect_success 'a renamed file is followed' '
	git mv f g && git commit -qm rename && test "$(lines HEAD g)" = "three one two one" &&
	git blame HEAD g >out && test_grep "^[0-9a-f^]* f " out
'

test_expect_success 'both sides of a merge are asked' '
	git checkout -qb side && echo side >>g && git commit -qam side && git checkout -q - &&
	sed 1s/x/y/ g >h && mv h g && git commit -qam main && git merge -qm merge side &&
	test "$(lines HEAD g)" = "main one two one side"
'

test_expect_success 'changes of the work tree are not committed yet' '
	echo new >>g && git blame g >out && test_grep "^00000* g* *(Not Committed Yet .*new$" out &&
	echo other | git blame --contents - g >out && test_grep "External file (--contents)" out && git checkout -q g
'

test_expect_success 'moved and copied blocks are found by -M and -C' '
	i=0 && while test $i -lt 12; do echo "some line with the number $i"; i=$((i+1)); done >long &&
	git add long && git commit -qm long && { sed 1,8d long && sed 8q long; } >t && mv t long && git commit -qam moved &&
	git blame -s HEAD long >out && git blame -s -M HEAD long >moved && ! test_cmp out moved &&
	test "$(lines -M HEAD long | tr " " "\n" | sort -u)" = long &&
	sed 6q long >copy && git rm -q --cached long && rm long && git add copy && git commit -qm copy &&
	sed 3q copy >part && echo more >>copy && git add . && git commit -qm part &&
	test "$(lines HEAD part | tr " " "\n" | sort -u)" = part &&
	test "$(lines -C HEAD part | tr " " "\n" | sort -u)" = "long"
'

test_expect_success 'annotate prints its own format; --incremental prints no text' '
	git annotate HEAD g >out && test_grep "	(" out && git blame --incremental HEAD g >out && test_grep "^filename g$" out &&
	! grep "	" out
'

# prints ARGUMENT...: git blame prints standard input; ONE and TWO stand for the names of the two commits
prints () {
	sed "s/ONE/$one/; s/TWO/$two/" >expect && git blame "$@" >out && test_cmp expect out
}

test_expect_success 'options choose the columns' '
	git init -q cols && cd cols && printf "a\n  b\n" >f && git add f && GIT_AUTHOR_DATE="1700000000 +0100" git commit -qm one &&
	printf "a\nb\n" >f && GIT_AUTHOR_NAME="Somebody Else" GIT_AUTHOR_EMAIL=else@example.com GIT_AUTHOR_DATE="1700000060 -0200" git commit -qam two &&
	one=$(git rev-parse HEAD~ | cut -c1-7) && two=$(git rev-parse HEAD | cut -c1-8) && me=$(git log -1 --format=%an HEAD~) mail=$(git log -1 --format=%ae HEAD~) w=13 &&
	pad=$(printf "%-${w}s" "$me") && test ${#me} -le $w &&
	printf "%s\n" "^ONE ($pad 2023-11-14 23:13:20 +0100 1) a" "TWO (Somebody Else 2023-11-14 20:14:20 -0200 2) b" >want && prints HEAD f <want &&
	sed "s/ (.* \([12]\))/ \1)/" want >short && prints -s HEAD f <short &&
	sed "s/^^ONE/$(git rev-parse HEAD~ | cut -c1-8)/" want >all && prints --root HEAD f <all && sed "s/^^ONE/        /" want >blank && prints -b HEAD f <blank &&
	sed "s/ (/ f (/" want >name && prints -f HEAD f <name && sed "s/ONE (/ONE 1 (/; s/TWO (/TWO 2 (/" want >number && prints -n HEAD f <number &&
	git blame -t HEAD f >out && test_grep "(Somebody Else 1700000060 -0200 2) b" out && git blame -e HEAD f >out && test_grep "(<else@example.com> 2023" out &&
	git blame -l HEAD f >out && test_grep "^$(git rev-parse HEAD) (Some" out && git blame --date=unix HEAD f >out && test_grep "Else 1700000060 2) b" out &&
	git -c blame.showEmail=true -c blame.date=short blame HEAD f >out && test_grep "(<else@example.com> 2023-11-14 2) b" out &&
	prints -w HEAD f <<-EOF && cd ..
	^ONE ($me 2023-11-14 23:13:20 +0100 1) a
	^ONE ($me 2023-11-14 23:13:20 +0100 2) b
	EOF
'

test_expect_success 'columns are coloured where a line repeats a commit, or by its age' '
	git init -q colours && cd colours && printf "%s\n" a b >f && git add f && GIT_AUTHOR_DATE="@1000000000 +0000" git commit -q -m old &&
	echo c >>f && GIT_AUTHOR_DATE="$(date +%s) +0000" git commit -q -a -m new && ESC=$(printf "\033") &&
	git blame -s --color-lines f | sed "s/$ESC/E/g" >out && old=$(git rev-parse --short=7 HEAD~1) new=$(git rev-parse --short=8 HEAD) &&
	printf "%s\n" "^$old 1) a" "E[36m^$old 2) E[mb" "$new 3) c" >expect && test_cmp expect out &&
	git -c blame.coloring=repeatedLines -c color.blame.repeatedLines=red blame -s f | sed "s/$ESC/E/g" >out && test_grep "E.31m^$old 2) E.mb" out &&
	git blame -s --color-by-age f | sed "s/$ESC/E/g" >out && printf "%s\n" "E[34m^$old 1) E[ma" "E[34m^$old 2) E[mb" "E[31m$new 3) E[mc" >expect &&
	test_cmp expect out && git -c color.blame.highlightRecent="green,2 days ago,red" blame -s --color-by-age f | sed "s/$ESC/E/g" >out &&
	test_grep "E.32m^$old 1" out && test_grep "E.31m$new" out && git blame -c --color-by-age f >out && ! grep "$ESC" out &&
	test_must_fail git -c color.blame.highlightRecent="red,2 days ago" blame f 2>err && test_grep "must end with a color" err &&
	git -c blame.coloring=odd blame f 2>err && test_grep "invalid value for .blame.coloring.: .odd." err && cd ..
'

test_expect_success 'a line repeats the commit of the line above, wherever it was in the file' '
	git init -q apart && cd apart && printf "%s\n" a x b >f && git add f && git commit -q -m old && printf "%s\n" a b >f && git commit -q -a -m new &&
	git blame -s --color-lines f >out && test_grep "36m.* 2) .*b" out && ! grep "36m.*a$" out && cd ..
'

test_expect_success '-S gives commits other parents' '
	cd colours && git rev-parse HEAD >revs && git blame -s -S revs f >out && sed "s/ .*//" out | sort -u >ids && echo "^$(git rev-parse --short=7 HEAD)" >expect &&
	test_cmp expect ids && test_must_fail git blame -S missing f 2>err && test_grep "reading graft file .missing. failed: No such file" err &&
	echo odd >revs && git blame -S revs f >out 2>err && test_grep "error: bad graft data: odd" err && test_line_count = 3 out && cd ..
'

test_expect_success 'a file or a line that is not there is an error' '
	test_expect_code 128 git blame HEAD nothing 2>err && test_grep "no such path nothing in" err &&
	test_expect_code 128 git blame -L 99,100 HEAD g 2>err && test_grep "has only 5 lines" err
'

test_expect_success 'the summary is the first line that is not blank, as the commit has it' '
	git init -q summaries && cd summaries && for m in "plain" "\n \n  blanks around  \nmore" "" "tab\t\n\nbody"; do
		echo "$m" >>f && git add f && printf "$m" >.git/m && git commit -q --cleanup=verbatim --allow-empty-message -F .git/m || return 1
	done &&
	git blame -p f >out && grep "^summary" out >actual &&
	printf "summary %s\n" plain "  blanks around  " "($(git rev-parse HEAD~1))" "tab	" >expect && test_cmp expect actual && cd ..
'

test_expect_success '-C finds lines of at least that many letters and digits' '
	mkdir least && cd least && git init -q && test_seq 30 | tr -d "\n" | cut -c1-20 >old && git add . && git commit -qm old &&
	{ cat old && echo added; } >new && echo more >>old && git add . && git commit -qm new &&
	test "$(lines -C19 new)" = "old new" && test "$(lines -C20 new)" = "old new" && test "$(lines -C21 new)" = "new new"
'

test_expect_success 'a file that was renamed and changed, without a commit' '
	mkdir uncommitted && cd uncommitted && git init -q && test_seq 9 >a && git add a && git commit -qm old && git mv a b && sed "s/^3/three/" b >x && mv x b &&
	git blame -s b >out && sed "s/^00000000/-/; s/^^[0-9a-f]*/^/" out >actual && test_seq 9 | sed "s/.*/^ a &) &/; s/^^ a 3) 3/- b 3) three/" >expect && test_cmp expect actual &&
	git add b && git blame -s b >again && test_cmp out again && { test_seq 9 && echo ten; } >../text && git blame -s --contents ../text b >out &&
	test "$(grep -c "^00000000 b 10) ten$" out)" = 1 && test "$(grep -c "^^[0-9a-f]* a  [0-9]) [0-9]$" out)" = 9
'

test_expect_success '--no-indent-heuristic' '
	git init -q slide && cd slide && test_when_finished "cd .." && printf "a\n\n# c\nx\n\n# c\ny\n" >f && git add f && git commit -q -m one &&
	printf "a\n\n# c\nx\n\n# c\nz\n\n# c\ny\n" >f && git commit -q -a -m two &&
	old () { git "$@" f | sed -n "s/^^.* \([0-9]*\)) .*/\1/p" | tr "\n" " "; } &&
	test "$(old blame -s)" = "1 2 3 4 5 9 10 " && test "$(old blame -s --no-indent-heuristic)" = "1 2 3 4 5 6 10 " &&
	test "$(old -c diff.indentHeuristic=false blame -s)" = "1 2 3 4 5 6 10 " &&
	test "$(old -c diff.indentHeuristic=false blame -s --indent-heuristic)" = "1 2 3 4 5 9 10 "
'

test_done
