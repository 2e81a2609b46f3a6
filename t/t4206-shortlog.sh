#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git shortlog'
. "$(dirname "$0")/test-lib.sh"

# say AUTHOR COMMITTER MESSAGE: a commit; names like "A U Thor <a@x>"
day=0
say () {
	day=$((day + 1)) &&
	tree=$EMPTY_TREE && test -z "$head" || set -- "$1" "$2" "$3" "parent $head
" &&
	head=$(printf 'tree %s\n%sauthor %s %d +0000\ncommitter %s %d +0000\n\n%s' "$tree" "$4" "$1" \
		$((1500000000 + day * 86400)) "$2" $((1500000000 + day * 86400)) "$3" |
		git hash-object -t commit -w --stdin)
}

test_expect_success 'a history' '
	git init -q -b main r && cd r && git hash-object -t tree -w /dev/null >/dev/null && head= &&
	say "Zoe <z@x>" "Carl <c@x>" "first" && say "Adam <a@x>" "Carl <c@x>" "[PATCH 2/3] second
 line

body

Reviewed-by: Rita <r@x>
Reviewed-by: Rita <r@x>
Acked-by: nobody
" && say "Old Zoe <oz@x>" "Adam <a@x>" "   third, a subject that is so long that it does not fit into one line of seventy-six" &&
	say "Adam <other@x>" "Adam <a@x>" "[PATCH fourth

see [1]

reviewed-by: Adam <a@x>
Reviewed-by: Rita <r2@x>
" && say "adam <low@x>" "Adam <a@x>" "" && git update-ref refs/heads/main $head
'

test_expect_success 'by author, by name; the oldest commit of each first' '
	cd r && cat >expect <<-\EOT &&
	Adam (2):
	      second  line
	      [PATCH fourth

	Old Zoe (1):
	      third, a subject that is so long that it does not fit into one line of seventy-six

	Zoe (1):
	      first

	adam (1):
	      <none>

	EOT
	git shortlog HEAD >actual && test_cmp expect actual
'

# counts ARGS, compared with standard input: lines "NUMBER NAME"
counts () {
	sed "s/^\([0-9]*\) /     \1	/" >expect && git shortlog "$@" >actual && test_cmp expect actual
}

test_expect_success '-s, -n, -e' '
	cd r && printf "2 Adam\n1 Old Zoe\n1 Zoe\n1 adam\n" | counts -s HEAD &&
	printf "1 Adam <a@x>\n1 Adam <other@x>\n1 Old Zoe <oz@x>\n1 Zoe <z@x>\n1 adam <low@x>\n" | counts -se HEAD &&
	printf "3 Adam\n2 Carl\n" | counts -sc HEAD && printf "3 Adam\n2 Carl\n" | counts --summary --committer HEAD &&
	printf "2 Zoe\n1 adam\n" >.mailmap && printf "B <b@x> <z@x>\nB <b@x> <oz@x>\nC <c@x>\n" >.mailmap &&
	printf "2 Adam\n2 B\n1 adam\n" | counts -s HEAD && printf "2 B <b@x>\n1 Adam <a@x>\n1 Adam <other@x>\n1 adam <low@x>\n" | counts -nse HEAD &&
	printf "3 Adam\n2 C\n" | counts -sn --group=committer HEAD && rm .mailmap
'

test_expect_success '-n sorts whole groups, equal ones by name' '
	cd r && git shortlog -n --committer HEAD >actual && sed -n "s/ (.*//p" actual >names && printf "Adam\nCarl\n" >expect && test_cmp expect names &&
	printf "2 Adam\n1 Old Zoe\n1 Zoe\n1 adam\n" | counts -sn HEAD &&
	printf "Author: %s\n\n    m\n\n" "Q <q@x>" "Zoe <z@x>" "Zoe <z@x>" >log && git shortlog -sn <log >actual &&
	printf "     2	Zoe\n     1	Q\n" >expect && test_cmp expect actual
'

test_expect_success '--group: trailers, formats, several' '
	cd r && printf "1 Adam\n2 Rita\n" | counts -s --group=trailer:reviewed-BY HEAD &&
	printf "1 Adam <a@x>\n1 Rita <r2@x>\n1 Rita <r@x>\n" | counts -se --group=trailer:Reviewed-by HEAD &&
	printf "1 nobody\n" | counts -s --group=trailer:acked-by HEAD && printf "1 Adam\n2 Rita\n1 nobody\n" |
	counts -s --group=trailer:acked-by --group=trailer:reviewed-by HEAD &&
	printf "4 Adam\n2 Carl\n1 Old Zoe\n1 Zoe\n1 adam\n" | counts -s --group=author --group=committer HEAD &&
	printf "2 Adam\n1 Old Zoe\n2 Rita\n1 Zoe\n1 adam\n" | counts -s --group=trailer:reviewed-by --group=author HEAD &&
	printf "3 Adam\n2 Carl\n" | counts -s --group=format:%cn HEAD && printf "5 2017\n" | counts -s --group=%ad --date=format:%Y HEAD &&
	printf "2 Adam\n1 Old Zoe\n1 Zoe\n1 adam\n" | counts -s -c --no-group HEAD &&
	printf "2 Adam\n1 Old Zoe\n1 Zoe\n1 adam\n" | counts -s -c --no-committer HEAD &&
	test_expect_code 129 git shortlog --group=nope HEAD 2>err && test_grep "^error: unknown group type: nope$" err
'

test_expect_success '-w' '
	cd r && git shortlog -w HEAD~2 >out && cat >expect <<-\EOT &&
	Adam (1):
	      second  line

	Old Zoe (1):
	      third, a subject that is so long that it does not fit into one line of
	         seventy-six

	Zoe (1):
	      first

	EOT
	test_cmp expect out && git shortlog -w30,2,4 HEAD~2 ^HEAD~3 >out && cat >expect <<-\EOT &&
	Old Zoe (1):
	  third, a subject that is so
	    long that it does not fit
	    into one line of
	    seventy-six

	EOT
	test_cmp expect out && git shortlog -w0,1,2 HEAD~4 >out && printf "Zoe (1):\n first\n\n" >expect && test_cmp expect out &&
	git shortlog -w40,,3 HEAD~4 >out && printf "Zoe (1):\n      first\n\n" >expect && test_cmp expect out &&
	for w in 5 20,20 20,1,20 x 1,x 40,1,2,3 -4 40,-1
	do
		test_expect_code 129 git shortlog -w$w HEAD 2>err &&
		test_grep "^error: -w\[<width>\[,<indent1>\[,<indent2>\]\]\]$" err || return 1
	done
'

test_expect_success '--format, and options that choose commits' '
	cd r && git shortlog --format="%h %s%n%b" HEAD~3 ^HEAD~4 >out &&
	printf "Adam (1):\n      %s [PATCH 2/3] second  line body\n\n" $(git rev-parse --short HEAD~3) >expect && test_cmp expect out &&
	git shortlog --format="%s%n%b" HEAD~1 ^HEAD~2 >out && test_grep "^      \[PATCH fourth see \[1\]$" out &&
	git shortlog --format="[PATCH] %s" HEAD~4 >out && printf "Zoe (1):\n      first\n\n" >expect && test_cmp expect out &&
	git shortlog --format= HEAD~4 >out && printf "Zoe (1):\n      <none>\n\n" >expect && test_cmp expect out &&
	git shortlog --format=oneline HEAD~4 >out && printf "Zoe (1):\n      first\n\n" >expect && test_cmp expect out &&
	git -c format.pretty=%h shortlog HEAD~4 >out && test_cmp expect out &&
	git shortlog --format=reference HEAD~4 >out && test_grep "(first, 2017-07-15)" out &&
	printf "1 Adam\n1 adam\n" | counts -s -2 HEAD && printf "1 Old Zoe\n1 Zoe\n" | counts -s --author=Zoe HEAD &&
	printf "1 Zoe\n" | counts -s --reverse --until="2017-07-15 12:00 +0000" HEAD && git shortlog HEAD -- nothing >out && test_must_be_empty out
'

test_expect_success 'a log from standard input gives the same' '
	cd r && git shortlog HEAD~1 | sed "s/second  line/second/" >expect && for format in medium short raw full
	do
		git log --format=$format HEAD~1 >log && git shortlog <log >actual && test_cmp expect actual || return 1
	done &&
	git log --format=full HEAD | git shortlog -s -c >actual && git shortlog -sc HEAD >expect && test_cmp expect actual
'

test_expect_success 'a log from standard input: odd ones' '
	printf "junk\nAuthor: A B <a@b>\n\n\n    [PATCH] x\n\nauthor C <d@e> 123 +0\nhead: er\n\n    y  y\n    z\nAuthor: nomail\n\n   q\nAuthor:   P <p>\n\n\n  r\nAuthor: last <l>\n" >log &&
	cat >expect <<-EOT &&
	  P (1):
	      r

	A B (1):
	      x

	C (1):
	      y  y

	last (1):
	     $(printf " ")

	EOT
	git shortlog <log >actual && test_cmp expect actual && printf "B <b@b> <a@b>\n" >.mailmap && git shortlog -s -e <log >actual &&
	test_grep "1	B <b@b>$" actual && rm .mailmap && git shortlog </dev/null >actual && test_must_be_empty actual &&
	for group in "trailer:x|trailer" "%an|format" "format:x|format"
	do
		test_expect_code 128 git shortlog --group="${group%|*}" <log 2>err &&
		test_grep "^fatal: using --group=${group#*|} with stdin is not supported$" err || return 1
	done &&
	test_expect_code 128 git shortlog --group=author --group=committer <log 2>err &&
	test_grep "^fatal: using multiple --group options with stdin is not supported$" err &&
	test_expect_code 129 git shortlog HEAD <log 2>err && test_grep "^error: too many arguments given outside repository$" err
'

test_expect_success 'without revisions standard input is read, even if paths are given' '
	cd r && git shortlog -- nothing </dev/null >out && test_must_be_empty out && echo "Author: A <a@x>" >log && git shortlog -s <log >out &&
	echo "     1	A" >expect && test_cmp expect out
'

test_expect_success 'wrong usage and bad revisions' '
	cd r && test_expect_code 129 git shortlog --foo HEAD 2>err && test_grep "^error: unknown option .--foo.$" err &&
	test_expect_code 129 git shortlog -c --committer=x HEAD 2>err && test_grep "takes no value" err &&
	test_expect_code 129 git shortlog HEAD --stdin </dev/null 2>err && test_grep "^error: unknown option .--stdin.$" err && git shortlog -- --stdin </dev/null &&
	test_expect_code 128 git shortlog nope 2>err && test_grep "ambiguous argument .nope." err
'

test_expect_success 'other encodings' '
	cd r && c=$(printf "tree %s\nauthor J\366rg <j@x> 1500000000 +0000\ncommitter J <j@x> 1500000000 +0000\nencoding ISO-8859-1\n\n\374ber\n" $EMPTY_TREE |
		git hash-object -t commit -w --stdin) && git shortlog $c >out && printf "J\303\266rg (1):\n      \303\274ber\n\n" >expect && test_cmp expect out &&
	git -c i18n.logOutputEncoding=ISO-8859-1 shortlog $c >out && printf "J\366rg (1):\n      \374ber\n\n" >expect && test_cmp expect out
'

test_done
