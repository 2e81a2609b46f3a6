#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='how damaged idents, dates, encodings and messages of commits and tags are shown

All values are those of Git 2.55 (t/interop/odd-commits.py compares random ones with it).'
. "$(dirname "$0")/test-lib.sh"

# make KIND FORMAT: the object that printf(1) makes of FORMAT
make () {
	printf "$2" | git -C repo hash-object -t $1 -w --stdin --literally
}

# commit AUTHOR COMMITTER [MESSAGE [HEADERS]]
commit () {
	make commit "tree $EMPTY_TREE\nauthor $1\ncommitter $2\n$4\n${3-m}"
}

show () {
	git -C repo log --no-walk "$@"
}

test_expect_success 'setup' '
	git init -q repo && git -C repo mktree </dev/null && TZ=UTC && GIT_TEST_DATE_NOW=1251660000 &&
	export TZ GIT_TEST_DATE_NOW && good="A <a@x> 5 +0100"
'

# AUTHOR|name, mail, date, in several formats
while IFS='|' read -r author want
do
	test_expect_success "log: $author" '
		c=$(commit "$author" "$good") && show --format="%an|%ae|%at|%aI|%as|%ar" $c >actual &&
		echo "$want" >want && test_cmp want actual
	'
done <<\EOT
A <a@x> 99 +0100|A|a@x|99|1970-01-01T01:01:39+01:00|1970-01-01|40 years ago
A <a@x>\t99\t+0100 x|A|a@x|99|1970-01-01T01:01:39+01:00|1970-01-01|40 years ago
A <a@x> 99|A|a@x||%aI|%as|
A <a@x> 99 Z|A|a@x||%aI|%as|
A <a@x> 99 0100|A|a@x||%aI|%as|
A <a@x> 99 +|A|a@x||%aI|%as|
A <a@x> 99x +0100|A|a@x||%aI|%as|
A <a@x> -99 +0100|A|a@x||%aI|%as|
A<b <A<b@c>> 99 +0200|A|b <A<b@c|99|1970-01-01T02:01:39+02:00|1970-01-01|40 years ago
A <a@x> 9223372036854775808 +0100|A|a@x|9223372036854775808|1970-01-01T00:00:00Z|1970-01-01|40 years ago
A <a@x> 18446744073709548016 +0100|A|a@x|18446744073709548016|1970-01-01T00:00:00Z|1970-01-01|40 years ago
A <a@x> 99999999999999999999 +0100|A|a@x|99999999999999999999|1970-01-01T00:00:00Z|1970-01-01|40 years ago
A <a@x> 1251660000 +2147483647|A|a@x|1251660000|2009-08-30T19:20:00Z|2009-08-30|0 seconds ago
A <a@x> 1251660000 +99999|A|a@x|1251660000|2009-10-11T11:59:00+999:99|2009-10-11|0 seconds ago
EOT

test_expect_success 'VT is no blank, and %z is shown as it is written' '
	c=$(commit "\013 <a@x> 5 +9999" "$good") &&
	printf "\013 1970-01-05 04:39:05 +9999 \n" >want && show --date="format:%F %T %z %Z" --format="%an %ad" $c >actual &&
	test_cmp want actual
'

test_expect_success 'the committer below an unknown line is shown, and does not order the commit' '
	c=$(make commit "tree $EMPTY_TREE\nauthor $good\nx y\ncommitter C <c@x> 9 +0000\n\nm\n") &&
	echo "C 9" >want && show --format="%cn %ct" $c >actual && test_cmp want actual &&
	echo "0 $c" >want && git -C repo rev-list --no-walk --timestamp $c >actual && test_cmp want actual
'

# COMMITTER|the date that orders the commit
while IFS='|' read -r committer want
do
	test_expect_success "order by: $committer" '
		c=$(commit "$good" "$committer") && echo "$want $c" >want &&
		git -C repo rev-list --no-walk --timestamp $c >actual && test_cmp want actual
	'
done <<\EOT
A <a@x> 99|99
A <a@x>99x|99
a@x> 99 +0100|99
A <a@x> x > 99 +0100|99
A <a@x> x99 +0100|0
A <a@x> +99 +0100|0
A <a@x> 9223372036854775808 +0100|9223372036854775808
A <a@x> 99999999999999999999 +0100|18446744073709551615
A <a@x> -99 +0100|18446744073709551517
A <a@x 99 +0100|0
EOT

test_expect_success 'a commit-graph holds dates that cannot be counted up' '
	p=$(commit "$good" "A <a@x> 99999999999999999999 +0000") &&
	c=$(make commit "tree $EMPTY_TREE\nparent $p\nauthor $good\ncommitter $good\n\nm\n") &&
	git -C repo update-ref refs/heads/graph $c && git -C repo commit-graph write --reachable &&
	git -C repo merge-base --is-ancestor $p $c && git -C repo rev-list $p..$c >actual && echo $c >want &&
	test_cmp want actual && rm -r repo/.git/objects/info/commit-graph* && git -C repo update-ref -d refs/heads/graph
'

# COMMITTER|name, mail, date of for-each-ref
while IFS='|' read -r committer want
do
	test_expect_success "for-each-ref: $committer" '
		git -C repo update-ref refs/odd/x $(commit "$good" "$committer") && printf "$want\n" >want &&
		git -C repo for-each-ref --format="%(committername)|%(committeremail)|%(creatordate:raw)" refs/odd >actual &&
		test_cmp want actual && git -C repo update-ref -d refs/odd/x
	'
done <<\EOT
A<b <A<b@c>> 1282910542 +0200|A<b|<b <A<b@c>|1282910542 +0200
A <a@x>> 99 +0100|A|<a@x>|99 +0100
A <a@x>  99 +0100|A|<a@x>|99 +0100
A <a@x> x > 99 +0100|A|<a@x>|0 +0000
A <a@x> x99 +0100|A|<a@x>|0 +0000
A <a@x> 99x +0100|A|<a@x>|99 +0000
A <a@x>99 +0100|A|<a@x>|
A <a@x> -99 +0100|A|<a@x>|18446744073709551517 +0100
A <a@x> 9223372036854775808 +0100|A|<a@x>|9223372036854775808 +0100
A <a@x> 99999999999999999999 +0100|A|<a@x>|
A <a@x> 99 +99999999999999999999|A|<a@x>|
A <a@x> 99 +10000|A|<a@x>|99 +10000
a@x> 99 +0100|||99 +0100
EOT

test_expect_success 'for-each-ref: an address with a line break' '
	git -C repo update-ref refs/odd/x $(commit "A <a@\nb> 99 +0100" "$good") && printf "A|<a@\nb>|99 +0100\n" >want &&
	git -C repo for-each-ref --format="%(authorname)|%(authoremail)|%(authordate:raw)" refs/odd >actual && test_cmp want actual
'

test_expect_success 'a date with a format is sorted as text, a size as a number' '
	git -C repo update-ref refs/odd/x $(commit "$good" "A <a@x> 999999999 +0000" 0123456789) &&
	git -C repo update-ref refs/odd/y $(commit "$good" "A <a@x> 1000000000 +0000" 012345678) &&
	by () { git -C repo for-each-ref --format="%(refname:lstrip=2)" --sort=$1 refs/odd | tr -d "\n"; } &&
	test "$(by committerdate)" = xy && test "$(by committerdate:unix)" = yx && test "$(by contents:size)" = yx
'

test_expect_success '--author sees the line up to its last bracket' '
	c=$(commit "A  <a@x>> 5 +0000" "$good") && test "$(show --no-mailmap --format=%H --author="^A  <a@x>>\$" $c)" = $c
'

test_expect_success 'fsck: badDate for a date that is no number' '
	for d in -1 +1 x "" "99x"
	do
		c=$(commit "A <a@x> $d +0000" "$good") && git -C repo update-ref refs/heads/bad $c &&
		test_must_fail git -C repo fsck 2>err && test_grep "$c: badDate: " err || return 1
	done &&
	c=$(commit "A <a@x> 9223372036854775808 +0000" "$good") && test_must_fail git -C repo fsck 2>err &&
	test_grep "$c: badDateOverflow: " err && test_might_fail git -C repo -c fsck.badDate=ignore fsck 2>err && test_grep ! badDate: err && git -C repo update-ref -d refs/heads/bad
'

# ---- messages ----

test_expect_success 'a NUL ends a message' '
	c=$(commit "$good" "$good" "one\n\nb\000\nzz\001\n") && git -C repo update-ref refs/heads/nul $c &&
	printf "one|b|one\n\nb|\n" >want && show --format="%s|%b|%B|" $c >actual && test_cmp want actual &&
	printf "$c one\n\nb\0" >want && show -z --format="%H %B" $c >actual && test_cmp_bin want actual &&
	for f in medium raw short full; do show --format=$f $c >actual && test_grep ! zz actual || return 1; done &&
	c=$(commit "$good" "$good" "one\000two\n") && show --oneline $c >actual && test_grep "one\$" actual &&
	git -C repo shortlog $c >actual && test_grep "one\$" actual &&
	git -C repo rev-list --header $c | tr "\0" N >actual && test_grep ! two actual
'

test_expect_success 'a NUL ends the message of a tag, too' '
	t=$(make tag "object $c\ntype commit\ntag t\ntagger $good\n\none\000two\n") && git -C repo update-ref refs/tags/t $t &&
	git -C repo tag -l -n3 >actual && test_grep "one\$" actual && test_grep ! two actual &&
	git -C repo for-each-ref --format="%(contents)%(body)%(subject)" refs/tags >actual && test_grep ! two actual
'

test_expect_success 'the header encoding is not shown where the text is UTF-8' '
	for e in UTF-8 utf-8 UTF8 utf8 Utf-8 ""
	do
		c=$(commit "$good" "$good" m "encoding $e\n") && show --format=raw $c >actual && test_grep ! encoding actual &&
		show --format=raw --encoding=utf8 $c >actual && test_grep ! encoding actual &&
		show --format=raw --encoding= $c >actual && test_grep "^encoding $e\$" actual || return 1
	done &&
	c=$(commit "$good" "$good" m "encoding latin1\n") && show --format=raw $c >actual && test_grep ! encoding actual &&
	show --format=raw --encoding=LATIN1 $c >actual && test_grep "^encoding LATIN1\$" actual &&
	c=$(commit "$good" "$good" m "encoding nonesuch\n") && show --format=raw $c >actual && test_grep "^encoding nonesuch" actual
'

test_expect_success 'no tab is expanded behind a control character, and none by rev-list' '
	c=$(commit "$good" "$good" "a\tb\001\tc\n") && printf "    a       b\001\tc\n" >want &&
	show $c | tail -n 1 >actual && test_cmp want actual && printf "    a\tb\001\tc\n" >want &&
	git -C repo rev-list --pretty $c | sed -n "/^    /p" >actual && test_cmp want actual
'

test_expect_success 'a subject ends at two line ends of the same kind' '
	git -C repo update-ref refs/odd/x $(commit "$good" "$good" "\rone\n\r\ntwo\n\nb") && git -C repo update-ref -d refs/odd/y &&
	printf "\rone  two\n" >want && git -C repo for-each-ref --format="%(subject)" refs/odd >actual && test_cmp want actual
'

test_expect_success 'trailers end above comments, and their values without blanks' '
	c=$(commit "$good" "$good" "m\n\nab: c \n\n#x\n") && printf "ab: c \n|c\n|\n" >want &&
	show --format="%(trailers)|%(trailers:valueonly)|" $c >actual && test_cmp want actual
'

test_expect_success 'trailers: comments above them belong to them, and no line continues a comment' '
	show_trailers () { c=$(commit "$good" "$good" "$1") && show --format="%(trailers)|" $c; } &&
	printf "#c\n#d\nA: b\n|\n" >want && show_trailers "t\n\n#c\n#d\nA: b\n" >actual && test_cmp want actual &&
	printf "A: b\n|\n" >want && show_trailers "t\n\n#c\n\nA: b\n" >actual && test_cmp want actual &&
	echo "|" >want && show_trailers "t\n\nA: b\n#c\n x\n" >actual && test_cmp want actual &&
	show_trailers "t\n#c\nA: b\n" >actual && test_cmp want actual
'

test_expect_success 'trailers: not those in a signature, nor a subject below empty lines' '
	c=$(commit "$good" "$good" "\n\nab: c") && echo "||" >want && show --format="|%(trailers)|" $c >actual && test_cmp want actual &&
	t=$(make tag "object $c\ntype commit\ntag u\ntagger $good\n\nm\n-----BEGIN PGP SIGNATURE-----\n\nab: c\n") &&
	git -C repo update-ref refs/tags/u $t && git -C repo for-each-ref --format="|%(trailers)|" refs/tags/u >actual &&
	test_cmp want actual
'

# ---- today ----

# TEXT|date
while IFS='|' read -r text want
do
	test_expect_success "date: $text" '
		echo "--max-age=$(date -u -d "$want" +%s)" >want && git -C repo rev-parse --since="$text" >actual &&
		test_cmp want actual
	'
done <<\EOT
today|2009-08-30 00:00:00
3:00 today|2009-08-30 03:00:00
today tea|2009-08-30 17:00:00
tea today|2009-08-30 17:00:00
2 days ago today|2009-08-30 00:00:00
today 2 days ago|2009-08-28 00:00:00
2 hours ago today|2009-08-30 17:20:00
1 month ago today|2009-07-30 00:00:00
yesterday 3:00 noon|2009-08-29 12:00:00
3:00 noon|2009-08-29 12:00:00
1969-12-31|2012-12-31 19:20:00
noon yesterday|2009-08-29 12:00:00
2 days ago yesterday|2009-08-29 19:20:00
20050407T2213 +0000|2005-04-07 22:13:00
20050407T22 +0000|2005-04-07 22:00:00
20050407T221313.1970-01-01|2005-04-07 23:13:13
-0700 jan 7 2005 10:00|2005-01-07 17:00:00
-100000000|2009-08-30 19:20:00
2000000 days ago|1977-12-07 14:10:40
EOT

test_expect_success 'today: expiry dates and --until' '
	echo --min-age=1251590400 >want && git -C repo rev-parse --until=today >actual && test_cmp want actual &&
	git -C repo config a.b today && echo 1251590400 >want && git -C repo config --type=expiry-date a.b >actual &&
	test_cmp want actual && git -C repo config a.b zero && test_must_fail git -C repo config --type=expiry-date a.b &&
	for d in now all
	do
		git -C repo config a.b $d && echo 18446744073709551615 >want &&
		git -C repo config --type=expiry-date a.b >actual && test_cmp want actual || return 1
	done
'

test_done
