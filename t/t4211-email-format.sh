#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log --pretty=email and --pretty=mboxrd: commits as mails'
. "$(dirname "$0")/test-lib.sh"

# mail_commit NAME MESSAGE: a commit without a parent. NAME and MESSAGE are formats of printf.
mail_commit() {
	printf "tree $EMPTY_TREE\nauthor $1 <a@x> 1234567890 +0100\ncommitter C <c@x> 1234567899 +0000\n\n$2" |
		git hash-object -t commit -w --stdin
}

# mail OPTIONS... COMMIT: the mail, without its first line
mail() {
	git log -1 "$@" >all && sed 1d all >out
}

# headers NAME SUBJECT-LINES: what stands above the body, and the empty line
headers() {
	printf "From: $1\nDate: Sat, 14 Feb 2009 00:31:30 +0100\nSubject: $2\n\n"
}

mime="MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit"

test_expect_success 'set up' '
	git init -q . && git commit -q --allow-empty -m root
'

test_expect_success 'email: the whole id, a date as mails have it, no decoration and no Merge:' '
	a=$(mail_commit "A U Thor" "one\nline\n\nbody  \n\nFrom me\n>From you\n\n") &&
	m=$(git commit-tree -p HEAD -p $a -m merge $EMPTY_TREE) &&
	git log -1 --pretty=email --abbrev-commit --date=iso --decorate --parents --source $a >out &&
	{ echo "From $a Mon Sep 17 00:00:00 2001" && headers "A U Thor <a@x>" "[PATCH] one line" &&
	  printf "body\n\nFrom me\n>From you\n"; } >expect && test_cmp expect out &&
	git -c format.pretty=email -c log.date=iso -c log.abbrevCommit=true log -1 $a >out && test_cmp expect out &&
	git show --format=emai -s $a >out && test_cmp expect out &&
	git log --no-walk --pretty=email -g -1 >out && ! grep Reflog out &&
	git log -1 --pretty=email $m >out && test_grep ! Merge: out && test_grep "^Subject: .PATCH. merge$" out
'

test_expect_success 'mboxrd puts > before lines that begin with From' '
	mail --pretty=mboxrd $a &&
	{ headers "A U Thor <a@x>" "[PATCH] one line" && printf "body\n\n>From me\n>>From you\n"; } >expect && test_cmp expect out
'

test_expect_success 'a mail without a body ends with the empty line; another commit follows one more' '
	b=$(mail_commit B "s\n\n \n") && mail --pretty=email $b && headers "B <a@x>" "[PATCH] s" >expect && test_cmp expect out &&
	b=$(mail_commit B "") && mail --pretty=email $b && headers "B <a@x>" "[PATCH]" >expect && test_cmp expect out &&
	git log --no-walk=unsorted --pretty=email $b $a >out && sed -n 6,7p out >two && printf "\nFrom $a Mon Sep 17 00:00:00 2001\n" >expect &&
	test_cmp expect two
'

test_expect_success 'encoded words, and MIME headers if the message is not ASCII' '
	c=$(mail_commit "\303\204. X" "s\303\274b_a?\n\nx\n") && mail --pretty=email $c &&
	{ headers "=?UTF-8?q?=C3=84=2E=20X?= <a@x>" "[PATCH] =?UTF-8?q?s=C3=BCb=5Fa=3F?=\n$mime" && echo x; } >expect &&
	test_cmp expect out &&
	c=$(mail_commit "\303\204" "s\n\nx\n") && mail --pretty=email $c &&
	{ headers "=?UTF-8?q?=C3=84?= <a@x>" "[PATCH] s" && echo x; } >expect && test_cmp expect out &&
	c=$(mail_commit A "s\n\n\303\244\n") && mail --pretty=email $c &&
	{ headers "A <a@x>" "[PATCH] s\n$mime" && printf "\303\244\n"; } >expect && test_cmp expect out &&
	c=$(mail_commit A "a =?x?= b\n\n\033\n") && mail --pretty=email $c &&
	{ headers "A <a@x>" "[PATCH] =?UTF-8?q?a=20=3D=3Fx=3F=3D=20b?=\n$mime" && printf "\033\n"; } >expect && test_cmp expect out &&
	c=$(mail_commit A "\303\274\n") && mail --pretty=email --encoding=ISO-8859-1 $c &&
	headers "A <a@x>" "[PATCH] =?ISO-8859-1?q?=FC?=\n$(echo "$mime" | sed s/UTF-8/ISO-8859-1/)" >expect && test_cmp expect out
'

test_expect_success 'names with a meaning in addresses are quoted' '
	c=$(mail_commit "A \042x\134y\042 (T)." "s\n") && mail --pretty=email $c &&
	headers "\042A \134\042x\134\134y\134\042 (T).\042 <a@x>" "[PATCH] s" >expect && test_cmp expect out
'

test_expect_success 'long headers are folded, but not within words or characters' '
	w="0123456789 0123456789 0123456789 0123456789 0123456789" && c=$(mail_commit "$w $w" "$w $w\n") &&
	mail --pretty=email $c &&
	headers "$w 0123456789\n 0123456789 0123456789 0123456789 0123456789 <a@x>" \
		"[PATCH] $w\n $w" >expect && test_cmp expect out &&
	c=$(mail_commit A "$w 012345\n") && mail --pretty=email $c && headers "A <a@x>" "[PATCH] $w 012345" >expect && test_cmp expect out &&
	x=0123456789012345678901234567890123456789 && c=$(mail_commit "$x$x" "$x$x$x\n") && mail --pretty=email $c &&
	headers "\n $x$x\n <a@x>" "[PATCH] \n $x$x$x" >expect && test_cmp expect out &&
	e="\303\244\303\244\303\244\303\244" && q="=C3=A4=C3=A4=C3=A4=C3=A4" && c=$(mail_commit A "$e$e$e$e$e\n") &&
	mail --pretty=email $c &&
	headers "A <a@x>" "[PATCH] =?UTF-8?q?$q=C3=A4=C3=A4=C3=A4?=\n =?UTF-8?q?$q$q=C3=A4=C3=A4?=\n =?UTF-8?q?=C3=A4=C3=A4=C3=A4?=\n$mime" >expect &&
	test_cmp expect out &&
	c=$(mail_commit "$e$e$e" "s\n") && mail --pretty=email $c &&
	headers "=?UTF-8?q?$q$q=C3=A4?=\n =?UTF-8?q?=C3=A4=C3=A4=C3=A4?= <a@x>" "[PATCH] s" >expect && test_cmp expect out &&
	c=$(mail_commit "$e$e\303\244" "s\n") && mail --pretty=email $c &&
	headers "=?UTF-8?q?$q$q=C3=A4?=\n <a@x>" "[PATCH] s" >expect && test_cmp expect out &&
	c=$(mail_commit A " s\n") && git -c format.subjectPrefix=$x$x log -1 --pretty=email $c >all && sed 1d all >out &&
	headers "A <a@x>" "[$x$x] \n s" >expect && test_cmp expect out
'

test_expect_success 'format.subjectPrefix and format.encodeEmailHeaders count, format.from and format.headers do not' '
	c=$(mail_commit "\303\204" "\303\274\n") &&
	git -c format.subjectPrefix="RFC P" -c format.encodeEmailHeaders=false -c format.from=true -c format.headers="X: y" \
		log -1 --pretty=email $c >all && sed 1d all >out &&
	headers "\303\204 <a@x>" "[RFC P] \303\274\n$mime" >expect && test_cmp expect out &&
	git -c format.subjectPrefix= log -1 --pretty=email $a >out && test_grep "^Subject: one line$" out &&
	test_must_fail git -c format.encodeEmailHeaders=junk log -1 2>err &&
	test_grep "bad boolean config value .junk. for .format.encodeemailheaders." err
'

test_expect_success 'rev-list and diff-tree: no prefix, nothing encoded' '
	git -c format.subjectPrefix=X rev-list -1 --pretty=email $c >out &&
	{ echo "commit $c" && headers "\303\204 <a@x>" "\303\274\n$mime" && echo; } >expect && test_cmp expect out &&
	git diff-tree --root --always --no-commit-id --pretty=mboxrd $c >out &&
	{ echo "From $c Mon Sep 17 00:00:00 2001" && headers "\303\204 <a@x>" "\303\274\n$mime"; } >expect && test_cmp expect out
'

test_expect_success 'notes follow ---, and a diff needs no second one' '
	echo f >f && git add f && git commit -q -m f && one=$(git rev-parse HEAD) && echo g >f && git commit -q -a -m "g

	body" && two=$(git rev-parse HEAD) && note=$(printf "n\303\244\n\n\n" | git hash-object -w --stdin) &&
	printf "100644 blob $note\t%s\n" $one $two | git mktree >tree &&
	git update-ref refs/notes/commits $(git commit-tree -m n $(cat tree)) &&
	git log -1 --pretty=email --notes --stat -p --format=email >all && sed -n "/^---$/,/^diff/p" all >out &&
	printf -- "---\n\nNotes:\n    n\303\244\n    \n\n f | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\ndiff --git a/f b/f\n" >expect &&
	test_cmp expect out &&
	git log -2 --pretty=email --notes >out && grep -c "^---$" out >count && echo 2 >expect && test_cmp expect count &&
	git log -1 --pretty=email --stat -p --no-notes >out && test_grep "^---$" out
'

test_expect_success 'notes: an empty one has its heading, NUL ends a line, they have the encoding of the output' '
	encoding=--encoding=ISO-8859-1 &&
	for text in "\303\244" "" "a\0b\n"; do
		note=$(printf "$text" | git hash-object -w --stdin) &&
		printf "100644 blob $note\t%s\n" $two | git mktree >tree &&
		git update-ref refs/notes/commits $(git commit-tree -m n $(cat tree)) &&
		git log -1 --oneline $encoding --notes && encoding= || return 1
	done | sed "s/^.* g$/g/" >out &&
	printf "g\nNotes:\n    \344\n\ng\nNotes:\n\ng\nNotes:\n    a\n    b\n\n" >expect && test_cmp_bin expect out
'

test_expect_success 'a tag that show prints' '
	git tag -a -m msg t && git show -s --pretty=email t >out && sed -n 2,3p out >two &&
	test_grep "^From: " two && test_grep "^Date: ..., .*000" two
'

test_expect_success '--walk-reflogs is refused with options that limit the history' '
	for o in --simplify-merges --children --ancestry-path --cherry-pick --cherry-mark --left-only --simplify-by-decoration; do
		test_expect_code 128 git log -g $o 2>err && test_grep "cannot combine --walk-reflogs with history-limiting options" err || return 1
	done
'

test_done
