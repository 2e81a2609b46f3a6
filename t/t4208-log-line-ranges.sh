#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log -L: the history of lines'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-log.sh"

# fresh NAME: an empty repository, in which the test goes on; at NAME: one that is there
fresh () {
	cd "$TRASH_DIRECTORY" && git init -q -b main "$1" && cd "$1" &&
	printf "/%s\n" out expect actual err list >.git/info/exclude
}

at () {
	cd "$TRASH_DIRECTORY/$1"
}

# commit MESSAGE: all that is there
commit () {
	git add -A && test_tick && git commit -q -m "$1"
}

# lines FROM TO: "line FROM" and so on
lines () {
	seq -f "line %g" "$1" "$2"
}

# means RANGES SPEC...: the lines that -L SPEC... stand for in the first commit of a file
means () {
	local want="$1" spec && shift &&
	for spec
	do
		set -- "$@" -L "$spec" && shift
	done &&
	git log --format= "$@" >out && got=$(sed -n "s/^@@ -0,0 +\(.*\) @@\$/\1/p" out | tr "\n" " ") &&
	test "$got" = "$want " || { echo "$*: expected '$want', got '$got'"; return 1; }
}

# hunks ARGS: the patches of log ARGS without their file headers, to be compared with standard input
hunks () {
	cat >expect && git log --format=%s "$@" >out &&
	sed -e "/^diff --git/d" -e "/^index /d" -e "/^--- /d" -e "/^+++ /d" -e "/^new file/d" -e "/^\$/d" out >actual &&
	test_cmp expect actual
}

test_expect_success 'a file with functions' '
	fresh forms &&
	cat >f.c <<-\EOF && commit first &&
	#include <x.h>

	int alpha(int a)
	{
	  a = 1;
	  return a;
	}

	int beta(int a)
	{
	  a = 1;
	  a = 2;
	  return a;
	}
	EOF
	lines 1 9 >n && commit n && mkdir d
'

test_expect_success 'numbers, and their defaults' '
	at forms && means 3,5 3,7:f.c && means 3,1 3,3:f.c && means 3,5 7,3:f.c && means 3,3 3,+3:f.c && means 3,3 5,-3:f.c &&
	means 1,3 3,-9:f.c && means 5,1 5,-1:f.c && means 9,6 9:f.c && means 9,6 9,:f.c && means 1,3 ,3:f.c &&
	means 1,14 ,:f.c && means 13,2 13,99:f.c && means 14,1 99,14:f.c && means 14,1 14,+9:f.c && means 2,3 +2,4:f.c && means 3,4 5,6:f.c 3,4:f.c &&
	means 3,5 "3, 7:f.c" && means 3,5 3,7:./f.c && means 3,5 "3,7:$PWD/f.c" && (cd d && means 3,5 3,7:../f.c)
'

test_expect_success 'patterns' '
	at forms && means 3,2 "/alpha/,+2:f.c" && means 3,3 "/alpha/,/a = 1/:f.c" && means 5,2 "/a = 1/,/return/:f.c" &&
	means 11,4 "/a = 2/,-2:f.c" "12,14:f.c" && means 3,1 "/^int/,+1:f.c" && means 9,6 "/beta/:f.c" &&
	means 9,6 "/beta/,:f.c" && refuses 128 "fatal: -L parameter '\''a = [1]'\'' starting at line 12: No match" "-L11,/a = [1]/:f.c" &&
	printf "a/b\nc:d\n" >odd && commit odd && means 1,1 "/a\/b/,+1:odd" && means 2,1 "/c:d/,+1:odd" && means 2,1 "/x\|:/,+1:odd"
'

test_expect_success 'searches begin behind the range before, or at the top' '
	at forms && means "5,1 11,1" "/a = 1/,+1:f.c" "/a = 1/,+1:f.c" && means 5,1 "/a = 1/,+1:f.c" "^/a = 1/,+1:f.c" &&
	means "3,5 9,3" 9,11:f.c 3,3:f.c "/{/,/}/:f.c" && means "3,1 9,1" 9,9:f.c 3,3:f.c "/int/,+1:f.c" &&
	refuses 128 "fatal: -L parameter '\''alpha'\'' starting at line 5: No match" -L4,4:f.c -L/alpha/,+1:f.c &&
	refuses 128 "fatal: -L parameter '\''alpha'\'' starting at line 4: No match" -L/alpha/,/alpha/:f.c &&
	refuses 128 "fatal: -L parameter '\''alpha'\'' starting at line 15: No match" -L13,99:f.c -L/alpha/,+1:f.c &&
	means "1,1 5,1" 5,5:f.c "/line/,+1:n"
'

test_expect_success 'functions: up to the next one' '
	at forms && means 3,6 :alpha:f.c && means 9,6 :beta:f.c && means 3,6 :int:f.c && means 3,12 :int:f.c :int:f.c &&
	means 9,6 :beta:f.c ^:beta:f.c && means 9,6 ":beta(int:f.c" && means 3,6 ":^int .l\(p\|q\)ha:f.c" &&
	refuses 128 "fatal: -L parameter '\''beta'\'' starting at line 15: no match" -L:beta:f.c -L:beta:f.c &&
	refuses 128 "fatal: -L parameter '\''return'\'' starting at line 1: no match" -L:return:f.c &&
	test_expect_code 128 git log "-L:a\\(:f.c" 2>err && test_grep "^fatal: -L parameter .a\\\\(.: " err
'

test_expect_success 'functions: as the driver finds them' '
	at forms && printf "%s\n" "  section one" text intro "  section two" more >doc && commit doc &&
	refuses 128 "fatal: -L parameter '\''two'\'' starting at line 1: no match" -L:two:doc &&
	echo "doc diff=sections" >.git/info/attributes && git config diff.sections.xfuncname "^ *section (.*)\$" &&
	means 4,2 :two:doc && means 1,3 :section:doc && logs "doc|" -s -L:two:doc && rm .git/info/attributes
'

test_expect_success 'arguments that are no range' '
	at forms && for l in 5 f.c :f.c :: :alpha "" 5,: /alpha "/alpha:f.c" 1x:f.c 5,x:f.c 5,+:f.c 5,+-2:f.c "5,^/a/:f.c" "^5,6:f.c" "1,2,3:f.c" "\$:f.c"
	do
		refuses 128 "fatal: -L argument not '\''start,end:file'\'' or '\'':funcname:file'\'': $l" -L "$l" || return 1
	done &&
	refuses 129 "error: switch \`L'\'' requires a value" -L &&
	refuses 128 "fatal: -L invalid line number: 0" -L0,3:f.c && refuses 128 "fatal: -L invalid line number: -3" -L-3,3:f.c &&
	refuses 128 "fatal: -L invalid line number: 0" -L3,0:f.c && refuses 128 "fatal: -L invalid empty range" -L3,+0:f.c &&
	refuses 128 "fatal: -L invalid empty range" -L3,-0:f.c &&
	refuses 128 "fatal: file f.c has only 14 lines" -L15,:f.c && refuses 128 "fatal: file f.c has only 14 lines" -L20,30:f.c &&
	refuses 128 "fatal: There is no path g in the commit" -L1,2:g && refuses 128 "fatal: There is no path f in the commit" -L1,2:f HEAD &&
	(cd d && refuses 128 "fatal: There is no path d/f.c in the commit" -L1,2:f.c) &&
	: >void && commit void && refuses 128 "fatal: file void has only 0 lines" -L1,1:void && logs "" -L,:void
'

test_expect_success 'one commit to begin with, and no paths' '
	at forms && c=$(git rev-list --max-parents=0 HEAD) &&
	refuses 128 "fatal: More than one commit to dig from: $c and HEAD?" -L1,2:f.c HEAD $c &&
	refuses 128 "fatal: More than one commit to dig from: HEAD and refs/heads/main?" -L1,2:f.c --all &&
	refuses 128 "fatal: No commit specified?" -L1,2:f.c ^HEAD && refuses 128 "fatal: Non commit HEAD:f.c?" -L1,2:f.c HEAD:f.c &&
	refuses 128 "fatal: There is no path n in the commit" -L1,2:n $c &&
	refuses 128 "fatal: -L<range>:<file> cannot be used with pathspec" -L1,2:f.c -- f.c &&
	refuses 128 "fatal: -L<range>:<file> cannot be used with pathspec" --follow -L1,2:f.c f.c &&
	refuses 128 "fatal: cannot combine --walk-reflogs with history-limiting options" -g -L1,2:f.c &&
	refuses 128 "fatal: options '\''-L'\'' and '\''-R'\'' cannot be used together" -R -L1,2:f.c &&
	logs "" -s -L1,2:f.c $c..HEAD && logs "" -s -L1,2:f.c $c...HEAD && logs "first|" -s -L1,2:f.c
'

# One change after the other. Only the lines in the range are shown.
test_expect_success 'a history of lines' '
	fresh story && lines 1 30 >f && commit one &&
	sed -i "s/line 10\$/TEN/" f && commit ten && sed -i 1d f && commit gone && sed -i "s/line 20/TWENTY/" f && commit twenty &&
	sed -i "s/TEN/ten/;s/line 28/28/" f && commit both && mv f g && sed -i "s/line 12/twelve/" g && commit moved
'

test_expect_success 'ranges move with changes above them; other commits are not shown' '
	at story && hunks -L8,12:g <<-\EOF && logs "twenty|one|" -s -L19,19:g && logs "both|one|" -s -L27,28:g && logs "one|" -s -L1,1:g
	moved
	@@ -8,5 +8,5 @@ line 6
	 line 9
	 ten
	 line 11
	-line 12
	+twelve
	 line 13
	both
	@@ -8,5 +8,5 @@ line 4
	 line 9
	-TEN
	+ten
	 line 11
	 line 12
	 line 13
	ten
	@@ -9,5 +9,5 @@ line 4
	 line 9
	-line 10
	+TEN
	 line 11
	 line 12
	 line 13
	one
	@@ -0,0 +9,5 @@
	+line 9
	+line 10
	+line 11
	+line 12
	+line 13
	EOF
'

test_expect_success 'the whole of it' '
	at story && m=$(git rev-parse --short HEAD) && old=$(git rev-parse --short HEAD~1:f) && new=$(git rev-parse --short HEAD:g) &&
	cat >expect <<-EOF && git log --oneline -1 -L11,12:g >actual && test_cmp expect actual
	$m moved
	diff --git a/f b/g
	index $old..$new 100644
	--- a/f
	+++ b/g
	@@ -11,2 +11,2 @@ line 8
	-line 12
	+twelve
	 line 13
	EOF
'

test_expect_success 'several ranges: adjoining ones become one' '
	at story && hunks -1 -L12,13:g -L11,11:g <<-\EOF && hunks -1 -L9,9:f -L27,27:f -L1,2:f HEAD~1 <<-\EOF2
	moved
	@@ -11,3 +11,3 @@ line 8
	-line 12
	+twelve
	 line 13
	 line 14
	EOF
	both
	@@ -9,1 +9,1 @@ line 6
	-TEN
	+ten
	@@ -27,1 +27,1 @@ line 24
	-line 28
	+28
	EOF2
'

test_expect_success 'renames: from a file that is gone, similar enough; or a new file' '
	at story && logs "moved|both|ten|one|" -s -M50% -L8,12:g && logs "moved|" -s -M100% -L8,12:g && logs "moved|" -s --no-renames -L8,12:g &&
	git -c diff.renames=false log --format=%s -s -L8,12:g >out && test_line_count = 1 out && logs "twenty|one|" -s -L19,19:g &&
	logs "moved|" --no-renames -s -L1,1:g &&
	mv g h && commit same && logs "moved|both|ten|one|" -s -L8,12:h && cp h copy && commit copy && logs "copy|" -s -C -C -L8,12:copy &&
	git log --format= -M100% -L29,29:h >out && test_grep "^new file mode 100644" out && test_grep "^+++ b/g" out
'

# Three files are gone, one of them into another new file, whose content is the same.
test_expect_success 'renames: what else is new takes nothing away' '
	fresh renames && lines 1 20 >a && lines 40 60 >b && commit one && mv a twin && lines 1 20 >c && echo more >>c && commit two &&
	git diff-tree -M --name-status HEAD~1 HEAD >out && test_grep "^R100.*twin" out && logs "two|one|" -s -L20,21:c && logs "one|" -s -L1,5:c
'

# Only what is removed: at a border of the range it is no change of it, but shown beside one.
test_expect_success 'removed lines at the borders' '
	fresh borders && lines 1 12 >f && commit one && sed -i "/line 5\$/d" f && commit gone &&
	logs "gone|one|" -s -L4,5:f && logs "one|" -s -L1,4:f && logs "one|" -s -L5,9:f && logs "gone|one|" -s -L1,9:f &&
	lines 1 12 | sed -e "s/line 3\$/three/" -e /line.5/d -e "s/line 9/nine/" >f && git reset -q --soft HEAD~1 && commit more &&
	hunks -1 -L2,4:f <<-\EOF && hunks -1 -L5,8:f <<-\EOF2 && hunks -1 -L2,3:f <<-\EOF3 && hunks -1 -L6,8:f <<-\EOF4
	more
	@@ -2,4 +2,3 @@
	 line 2
	-line 3
	+three
	 line 4
	-line 5
	EOF
	more
	@@ -5,5 +5,4 @@
	-line 5
	 line 6
	 line 7
	 line 8
	-line 9
	+nine
	EOF2
	more
	@@ -2,2 +2,2 @@
	 line 2
	-line 3
	+three
	EOF3
	more
	@@ -7,3 +6,3 @@
	 line 7
	 line 8
	-line 9
	+nine
	EOF4
'

test_expect_success 'a change that begins above the range, or ends below it' '
	at borders && lines 1 12 >f && commit again && lines 1 12 | sed -e "s/line 6/six/" -e "s/line 7/seven/" -e "s/line 8/eight\\nand more/" >f && commit sixes &&
	hunks -1 -L7,7:f <<-\EOF && hunks -1 -L4,6:f <<-\EOF2 && hunks -1 -L9,11:f <<-\EOF3 && hunks -2 -L7,7:f <<-\EOF4
	sixes
	@@ -9,0 +7,1 @@ line 2
	+seven
	EOF
	sixes
	@@ -4,5 +4,3 @@ line 2
	 line 4
	 line 5
	-line 6
	-line 7
	-line 8
	+six
	EOF2
	sixes
	@@ -9,2 +9,3 @@ line 2
	+and more
	 line 9
	 line 10
	EOF3
	sixes
	@@ -9,0 +7,1 @@ line 2
	+seven
	one
	@@ -0,0 +6,3 @@
	+line 6
	+line 7
	+line 8
	EOF4
'

test_expect_success 'a file without a newline at its end; lines added at its end' '
	at borders && printf "a\nb\nc" >e && commit e1 && printf "a\nb\nC" >e && commit e2 && printf "a\nb\nC\nd\n" >e && commit e3 &&
	hunks -L3,4:e <<-\EOF && logs "e3|e2|e1|" -s -L4,4:e
	e3
	@@ -3,1 +3,2 @@
	-C
	\ No newline at end of file
	+C
	+d
	e2
	@@ -3,1 +3,1 @@
	-c
	\ No newline at end of file
	+C
	\ No newline at end of file
	e1
	@@ -0,0 +3,1 @@
	+c
	\ No newline at end of file
	EOF
'

test_expect_success 'context, white space options and algorithm do not change which commits are shown' '
	at story && git log -L8,12:h >expect &&
	for o in -U0 -U5 --inter-hunk-context=9 --patience "-c -m --cc" --diff-merges=off -p --minimal
	do
		git log -L8,12:h $o >actual && test_cmp expect actual || { echo "$o"; return 1; }
	done &&
	sed -i "s/^line/  line/" h && commit indent && logs "indent|moved|both|ten|one|" -s -L8,12:h &&
	hunks -1 -w -L9,12:h <<-\EOF && hunks -1 -b -L9,10:h <<-\EOF2 && git log -1 -w --raw --format=%s -L9,12:h >actual && printf "indent\n\n" >expect && test_cmp expect actual
	indent
	EOF
	indent
	@@ -9,2 +9,2 @@
	 ten
	-line 11
	+  line 11
	EOF2
'

test_expect_success 'changes hidden by white space options or outside of the range are not shown' '
	fresh spaces && lines 1 20 >f && commit one && sed -i -e "s/line 3\$/  line 3/" -e "s/line 15/15/" f && commit two &&
	git log -1 -w --format=%s -L2,4:f >actual && printf "two\n\n" >expect && test_cmp expect actual &&
	hunks -1 -w -L2,4:f -L14,15:f <<-\EOF
	two
	@@ -14,2 +14,2 @@ line 11
	 line 14
	-line 15
	+15
	EOF
'

test_expect_success 'colours: empty lines at the end' '
	at spaces && printf "a\n" >x && commit x && printf "a\nb\n\n" >x && commit y && git log -1 --format= --color -L3,3:x >out && tail -1 out >actual &&
	printf "\033[41m+\033[m\n" >expect && test_cmp expect actual &&
	printf "\n\n" >n && commit n && git log --format= --color -L1,2:n >out && tail -1 out >actual && printf "\033[32m+\033[m\n" >expect && test_cmp expect actual
'

test_expect_success 'other forms' '
	at story && i=$(git rev-parse --short HEAD:h) j=$(git rev-parse --short HEAD~1:h) && logs "indent||:100644 100644 $j $i M	h|" -1 --raw -L8,12:h &&
	logs "moved||g|both||f|" -2 --name-only -L9,11:g HEAD~3 && logs "both||M	f|" -1 --name-status -L9,9:g HEAD~3 &&
	logs "one|| create mode 100644 f|" --summary --skip=2 -L9,9:g HEAD~3 && logs "both|ten|one|" --no-patch -L9,9:g HEAD~3 &&
	logs "both|ten|one|" -q -L9,9:g HEAD~3 && git log -1 --format= --raw -p -L9,9:g HEAD~3 >out && test_grep ^:100644 out && test_grep "^+ten" out &&
	git log -1 --format= --word-diff -L9,9:g HEAD~3 >out && test_grep "^\[-TEN-\]{+ten+}" out && test_grep "^@@ -9,1 +9,1 @@ line 6" out &&
	git log -1 --format= --color -L9,9:g HEAD~3 >out && test_grep "\[36m@@ -9,1 +9,1 @@.\[m .\[mline 6" out && test_grep "\[32mten" out &&
	for o in --stat --numstat --shortstat --dirstat --check --compact-summary --patch-with-stat --full-diff "-s --stat"
	do
		refuses 128 "fatal: -L does not yet support the requested diff format" $o -L8,12:h || return 1
	done &&
	logs "indent|" -1 --stat -s -L8,12:h && test_expect_code 1 git log -s --exit-code -L8,12:h >out
'

test_expect_success 'pickaxe and --diff-filter look at the whole files in which lines change' '
	at story && logs "both|" -s -Sten -L27,27:g HEAD~3 && logs "both|ten|" -s -Gten -i -L9,9:g HEAD~3 && logs "one|" -s --diff-filter=A -L9,9:g HEAD~3 &&
	logs "moved|both|ten|" -s --diff-filter=M -L8,12:g HEAD~3 && logs "moved|both|" -n2 -s --diff-filter=M -L8,12:g HEAD~3
'

test_expect_success 'log -L follows ranges through commits that counts, order, dates and messages leave out' '
	at story && logs "moved|both|" -s -n2 -L8,12:g HEAD~3 && logs "both|ten|" -s -n2 --skip=1 -L8,12:g HEAD~3 && logs "both|moved|" -s -n2 --reverse -L8,12:g HEAD~3 &&
	logs "ten|one|" -s --max-count-oldest=2 -L8,12:g HEAD~3 && logs "one|ten|both|moved|" -s --reverse -L8,12:g HEAD~3 &&
	git log --reverse --format= -L8,12:g HEAD~3 >out && grep "^[-+][^-+]" out | tail -2 >actual && printf -- "-line 12\n+twelve\n" >expect && test_cmp expect actual &&
	logs "ten|" -s --grep=ten -L8,12:g HEAD~3 && logs "ten|one|" -s --until=$(git log -1 --format=%ct HEAD~7) -L8,12:g HEAD~3 &&
	logs "moved|both|" -s -L8,12:g HEAD~3 ^HEAD~5 && logs "moved|both|" -s --since=$(git log -1 --format=%ct HEAD~5) -L8,12:g HEAD~3 &&
	logs "moved|" -s -L8,12:g HEAD~4..HEAD~3
'

# b changes line 7, c line 9; m has both as they are, evil changes line 8 of it.
test_expect_success 'a history with merges' '
	fresh merges && lines 1 20 >f && commit a &&
	sed -i "s/line 7/b7/" f && commit b && b=$(git rev-parse HEAD) && git reset -q --hard HEAD~1 && sed -i "s/line 9/c9/" f && commit c && c=$(git rev-parse HEAD) &&
	a=$(git rev-parse HEAD~1) && sed -i "s/line 7/b7/" f && git add f && test_tick && m=$(echo m | git commit-tree $(git write-tree) -p $b -p $c) &&
	sed -i "s/line 8/e8/" f && git add f && test_tick && evil=$(echo evil | git commit-tree $(git write-tree) -p $b -p $c) &&
	git reset -q --soft $m && sed -i "s/e8/line 8/;s/b7/d7/" f && commit d && d=$(git rev-parse HEAD)
'

test_expect_success 'a merge is shown, without changes, if no parent has the lines as they are' '
	at merges && logs "m|c|b|a|" -s -L7,9:f $m && logs "evil|c|b|a|" -s -L7,9:f $evil && logs "evil|a|" -s -L8,8:f $evil && logs "a|" -s -L8,8:f $m &&
	logs "b|a|" -s -L7,7:f $m && logs "c|a|" -s -L9,9:f $m && logs "a|" -s -L15,15:f $m &&
	hunks -2 -m -L7,9:f $m <<-\EOF
	m
	c
	@@ -7,3 +7,3 @@ line 5
	 line 7
	 line 8
	-line 9
	+c9
	EOF
'

test_expect_success 'merges and other options' '
	at merges && logs "evil|b|a|" -s --first-parent -L7,9:f $evil && logs "m|a|" -s --first-parent -L9,9:f $m &&
	logs "c|b|a|" -s --no-merges -L7,9:f $m && logs "m|" -s --merges -L7,9:f $m && logs "m|c|" -s -L7,9:f $m ^$b && logs "d|m|" -s -L7,9:f $d ^$b ^$c &&
	logs "" -S7 -s --merges -L7,9:f $m && logs "d|m|c|b|a|" -s --date-order -L7,9:f $d
'

# The other parent has changed the line, but the merge has it as its second parent has.
test_expect_success 'log -L shows no merge that took the range from a parent' '
	at merges && git checkout -q -b other $b && sed -i "s/line 9/b9/" f && commit b9 && b9=$(git rev-parse HEAD) &&
	m2=$(echo m2 | git commit-tree $m^{tree} -p $b9 -p $c) && logs "c|a|" -s -L9,9:f $m2 && logs "m2|c|b9|b|a|" -s -L7,9:f $m2 &&
	echo new >z && commit z && merged=$(echo merged | git commit-tree $(git rev-parse HEAD^{tree}) -p $m2 -p $b) && git checkout -q main
'

test_expect_success 'parents, where nothing is left to be followed' '
	at merges && new=$(git rev-parse other) && from=$(echo from | git commit-tree other^{tree} -p $m2) &&
	echo "$from " >expect && git log --parents --format="%H %P" -s -L1,1:z $from >actual && test_cmp expect actual
'

test_expect_success 'with --first-parent a merge has no patch, and is the same as that parent' '
	at merges && echo evil >expect && git log -1 --format=%s --first-parent -L7,9:f $evil >actual && test_cmp expect actual &&
	git log --first-parent --boundary --format="%s %m %P" -s -L7,7:f $d ^$a >actual && printf "%s\n" "d > $m" "b > $a" "a - " "m - $b" >expect && test_cmp expect actual
'

# Two lines of history whose dates take turns.
test_expect_success 'line by line of history, unless another order is asked for' '
	fresh turns && lines 1 20 >f && commit a && for n in 1 2
	do
		git checkout -q -B x $(git rev-parse -q --verify x || echo main) && sed -i "s/line 7.*/line 7 x$n/" f && commit x$n &&
		git checkout -q -B y $(git rev-parse -q --verify y || echo main) && sed -i "s/line 9.*/line 9 y$n/" f && commit y$n || return 1
	done && sed -i "s/line 7/line 7 x2/" f && git add f && test_tick && both=$(echo both | git commit-tree $(git write-tree) -p x -p y) &&
	logs "both|y2|y1|x2|x1|a|" -s -L7,9:f $both && logs "both|y2|x2|y1|x1|a|" -s --date-order -L7,9:f $both
'

test_expect_success '--graph and --parents join the shown commits' '
	at merges && cat >expect <<-\EOF && git log --graph --format=%s -s -L7,9:f $d >actual && test_cmp expect actual &&
	* d
	*   m
	|\  
	| * c
	* | b
	|/  
	* a
	EOF
	printf "%s\n" "* d" "* b" "* a" >expect && git log --graph --format=%s -s -L7,7:f $d >actual && test_cmp expect actual &&
	git log --graph --format=%s -1 -L7,7:f $d >out && test_grep "^| -b7" out && test_grep "^| @@ -7,1 +7,1 @@ line 3" out &&
	printf "%s\n" "$d $b" "$b $a" "$a" >expect && git log --parents --format=%H%x20%P -s -L7,7:f $d | sed "s/ \$//" >actual && test_cmp expect actual &&
	printf "%s\n" "commit $d" "commit $b $d" "commit $a $b" >expect && git log --children --pretty=short -s -L7,7:f $d >out && grep ^commit out >actual && test_cmp expect actual &&
	git log --format="%s %m" -s --boundary -L7,9:f $d ^$b >actual && printf "%s\n" "d >" "m >" "c >" "b -" "a -" >expect && test_cmp expect actual
'

test_expect_success 'the same with a commit-graph, and with its filters' '
	at merges && git branch -f m $m && git branch -f evil $evil && git commit-graph write --reachable && logs "d|m|c|b|a|" -s -L7,9:f $d && logs "d|b|a|" -s -L7,7:f $d &&
	git log --graph --format=%s -s -L7,9:f $d >graph && test_line_count = 7 graph && printf "%s\n" "* d" "* b" "* a" >expect &&
	git log --graph --format=%s -s -L7,7:f $d >actual && test_cmp expect actual && git commit-graph write --reachable --changed-paths &&
	logs "d|m|c|b|a|" -s -L7,9:f $d && logs "d|b|a|" -s -L7,7:f $d && git log --graph --format=%s -s -L7,9:f $d >out && test_cmp graph out
'

# Objects that are not there cannot have been read.
test_expect_success 'trees are not read where filters tell, contents not where objects are the same' '
	fresh read && lines 1 9 >f && mkdir d && echo x >d/x && commit one && echo y >d/x && commit two && echo z >d/x && commit three &&
	sed -i "s/line 3/3/" f && commit four && blob=$(git rev-parse HEAD~1:d/x) tree=$(git rev-parse HEAD~2:) &&
	git commit-graph write --reachable --changed-paths && rm .git/objects/$(echo $blob | sed "s,..,&/,") && logs "four|one|" -s -L2,4:f &&
	rm .git/objects/$(echo $tree | sed "s,..,&/,") && logs "four|one|" -s -L2,4:f && test_must_fail git -c core.commitGraph=false log -s -L2,4:f >out 2>err &&
	git show --format=%s -s -L2,4:f HEAD~1 >out && echo three >expect && test_cmp expect out
'

test_expect_success 'several files' '
	fresh files && lines 1 9 >f && lines 1 9 >g && commit one && sed -i "s/line 2/f2/" f && commit f2 &&
	sed -i "s/line 2/g2/" g && commit g2 && sed -i "s/line 8/8/" f g && commit both && sed -i "s/f2/F2/" f && sed -i "s/line 9/nine/" g && chmod +x g && commit last &&
	logs "last||f|g2||g|f2||f|one||f|g|" --name-only -L1,2:f -L1,2:g && logs "both||f|g|one||f|g|" --name-only -L7,8:g -L7,8:f &&
	logs "last||g|both||g|one||g|" --name-only -L8,9:g && logs "last|f2|one|" -s -L1,2:f
'

test_expect_success '--relative' '
	at files && mkdir d && cp f d/f && commit sub && (cd d && logs "sub||f|" --relative --name-only -L1,2:f && logs "" --relative -L1,2:../g && logs "sub||d/f|" --name-only -L1,2:f)
'

test_expect_success 'show -L: the lines as they are in that commit' '
	at files && cat >expect <<-\EOF && git show --format=%s -L2,3:f >out && grep -v -e ^index out >actual && test_cmp expect actual &&
	sub

	diff --git a/f b/f
	new file mode 100644
	--- /dev/null
	+++ b/f
	@@ -0,0 +2,2 @@
	+F2
	+line 3
	EOF
	git show --format=%s -s -L2,3:f HEAD~2..HEAD >out && echo last >expect && test_cmp expect out &&
	test_expect_code 128 git show -L2,3:f HEAD HEAD~1 2>err && test_grep "More than one commit to dig from" err &&
	git tag -m message v1 && git show --format=%s -L2,3:f v1 >out && test_grep "^tag v1" out && test_grep "^sub" out && test_grep "^+F2" out
'

test_expect_success 'others do not have it' '
	at files && test_expect_code 129 git shortlog -L2,3:f HEAD 2>err && test_must_fail git rev-list -L2,3:f HEAD 2>err && test_must_fail git diff-tree -L2,3:f HEAD 2>err &&
	test_must_fail git diff -L2,3:f 2>err
'

test_expect_success 'a file that is no text, and a link' '
	at files && printf "a\0b\nc\n" >bin && ln -s f link && commit kinds && printf "a\0B\nc\n" >bin && ln -sf g link && commit kinds2 &&
	git log --format= -1 -L1,1:bin >out && test_grep "^Binary files a/bin and b/bin differ" out && logs "kinds|" -s -L2,2:bin &&
	git log --format= -1 -L1,1:link >out && test_grep "^-f\$" out && test_grep "^+g\$" out && test_grep "^@@ -1,1 +1,1 @@\$" out
'

test_lazy_prereq STOCK_255 '
	test -n "$STOCK_GIT" && "$STOCK_GIT" version >version && sed -n "s/^git version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p" version >numbers &&
	read -r major minor <numbers && { test $major -gt 2 || test $minor -ge 55; }
'

# As stock Git prints it: no line of these is left out, or another one.
test_expect_success STOCK_255 'log -L prints the same as stock Git' '
	cd "$TRASH_DIRECTORY" && for r in story borders merges files renames
	do
		tip=HEAD && test $r != story || tip=HEAD~3 &&
		path=$(git -C $r ls-tree --name-only $tip | sed -n "/^[cfg]\$/{p;q}") &&
		for l in 1,3 4,5 5,8 7,9 2,20 8,12 1,1 /line/,+4
		do
			for o in -p "-s --graph" "--raw --parents" --word-diff "-W -w" "--reverse --name-only" "--color -U9" --first-parent "--no-renames --summary" "-L1,3:$path --format=%h"
			do
				stock -C $r -c core.commitGraph=false log $o -L$l:$path $tip >expect 2>&1 || return 1
				git -C $r log $o -L$l:$path $tip >actual 2>&1 && test_cmp expect actual || { echo "$r: log $o -L$l:$path"; return 1; }
			done || return 1
		done || return 1
	done
'

test_done
