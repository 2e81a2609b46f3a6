#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git mailinfo'
. "$(dirname "$0")/test-lib.sh"

# reads MAIL INFO MESSAGE PATCH ARGUMENT...: mailinfo takes MAIL apart; all four for printf
reads () {
	printf -- "$1" >in && printf -- "$2" >info && printf -- "$3" >msg.want && printf -- "$4" >patch.want && shift 4 &&
	git "$@" msg patch <in >out && test_cmp info out && test_cmp msg.want msg && test_cmp patch.want patch
}

test_expect_success 'author, subject, date, message and patch' '
	reads "From: A B <a@b>\nX: y\nsubject: [PATCH 1/2] Re: x\n  y   z\nDate: now\n\nbody\n\n---\n d\ndiff --git a b\n" \
		"Author: A B\nEmail: a@b\nSubject: x y z\nDate: now\n\n" "body\n\n" "---\n d\ndiff --git a b\n" mailinfo &&
	for line in "diff -r" "Index: x" "--- a/x" "---  "
	do
		reads "Subject: x\n\nm\n$line\n" "Subject: x\n\n" "m\n" "$line\n" mailinfo || return 1
	done &&
	reads "Subject: x\nSubject: y\n\nm\n--- \n---x\n" "Subject: y\n\n" "m\n" "--- \n---x\n" mailinfo &&
	reads "Not a header\nx: y\n" "\n" "Not a header\nx: y\n" "" mailinfo
'

test_expect_success 'authors in all forms' '
	reads "From: \"A \\\\\"q\\\\\" B\" <a@b>\n\nx\n" "Author: A \"q\" B\nEmail: a@b\n\n" "x\n" "" mailinfo &&
	reads "From: a@b (A B)\n\nx\n" "Author: A B\nEmail: a@b\n\n" "x\n" "" mailinfo &&
	reads "From: A <local>\n\nx\n" "Author: A\nEmail: local\n\n" "x\n" "" mailinfo &&
	reads "From: <a@b>\n\nx\n" "Author: a@b\nEmail: a@b\n\n" "x\n" "" mailinfo &&
	reads "From: nothing\n\nx\n" "Author: \nEmail: \n\n" "x\n" "" mailinfo
'

test_expect_success '-k and -b keep more of the subject' '
	in="Subject: Re: [x] [PATCH v2] [y] z\n\nm\n" &&
	reads "$in" "Subject: z\n\n" "m\n" "" mailinfo &&
	reads "$in" "Subject: [x] [y] z\n\n" "m\n" "" mailinfo -b &&
	reads "$in" "Subject: Re: [x] [PATCH v2] [y] z\n\n" "m\n" "" mailinfo -k
'

test_expect_success 'encoded words, joined and converted; -n leaves the bytes' '
	reads "Subject: =?utf-8?q?a=C3=A4_b?=\n =?iso-8859-1?b?5A==?= x\n\nm\n" "Subject: a\303\244 b\303\244 x\n\n" "m\n" "" mailinfo &&
	reads "Subject: =?iso-8859-1?q?=E4?=\n\nm\n" "Subject: \344\n\n" "m\n" "" mailinfo -n &&
	reads "Subject: =?utf-8?q?=C3=A4?=\n\nm\n" "Subject: \344\n\n" "m\n" "" -c i18n.commitEncoding=iso-8859-1 mailinfo &&
	reads "Subject: =?utf-8?q?=C3=A4?=\n\nm\n" "Subject: \344\n\n" "m\n" "" mailinfo --encoding=iso-8859-1 &&
	printf "Subject: =?nonsense?q?x?=\n\nm\n" | test_expect_code 1 git mailinfo msg patch >out 2>err &&
	test_grep "cannot convert from nonsense to UTF-8" err && test_grep "^Subject: =?nonsense" out
'

test_expect_success 'the character set of the body counts for the message, not for the patch' '
	reads "Subject: x\nContent-Type: text/plain; charset=iso-8859-1\n\n\344\n---\n\344\n" "Subject: x\n\n" "\303\244\n" "---\n\344\n" mailinfo &&
	reads "Subject: x\n\n\344\n" "Subject: x\n\n" "\344\n" "" mailinfo -u
'

test_expect_success 'base64 and quoted-printable' '
	reads "Content-Transfer-Encoding: base64\n\neAot\nLS0KZA==\n" "\n" "x\n" "---\nd" mailinfo &&
	reads "Content-Transfer-Encoding: quoted-printable\n\na=3D=\nb\n" "\n" "a=b\n" "" mailinfo &&
	printf "Content-Transfer-Encoding: base64\n\neA0KeQo=\n" >in && git mailinfo msg patch <in 2>err >out &&
	echo "warning: quoted CRLF detected" >expect && test_cmp expect err && printf "x\r\ny\n" >expect && test_cmp expect msg &&
	git mailinfo --quoted-cr=strip msg patch <in 2>err >out && test_must_be_empty err && printf "x\ny\n" >expect && test_cmp expect msg &&
	git -c mailinfo.quotedcr=nowarn mailinfo msg patch <in 2>err >out && test_must_be_empty err &&
	test_expect_code 129 git mailinfo --quoted-cr=x msg patch <in 2>err
'

test_expect_success 'parts in parts' '
	reads "Subject: s\nContent-Type: multipart/mixed; boundary=\"A\"\n\npre\n--A\nContent-Type: text/plain; charset=iso-8859-1\n\n\344\n--A\n\
Content-Type: multipart/x;\n boundary=B\n\n\n--B\n\n---\nd\n--B--\nno\n--A--\nno\n" "Subject: s\n\n" "\303\244\n\n" "---\nd\n\n" mailinfo &&
	for i in 1 2 3 4 5 6; do printf "Content-Type: multipart/x; boundary=$i\n"; done >in && printf "\n--1\n\nx\n" >>in &&
	test_expect_code 1 git mailinfo msg patch <in 2>err && test_grep "Too many boundaries" err
'

test_expect_success 'headers in the body count if there is a patch' '
	in="From: A <a@b>\nSubject: s\n\nFrom: C <c@d>\nSubject: t\n u\n\nm\n" &&
	reads "$in---\n" "Author: C\nEmail: c@d\nSubject: t u\n\n" "m\n" "---\n" mailinfo &&
	reads "$in" "Author: A\nEmail: a@b\nSubject: s\n\n" "m\n" "" mailinfo &&
	oid=1111111111111111111111111111111111111111 &&
	reads "\n>From $oid Mon Sep 17 00:00:00 2001\n[PATCH] p\nm\n---\n" "Subject: p\n\n" "m\n" "---\n" mailinfo
'

test_expect_success 'scissors drop the text above them' '
	in="Subject: s\n\nhi\n-- >8 --\nSubject: t\n\nm\n---\n" &&
	reads "$in" "Subject: t\n\n" "m\n" "---\n" mailinfo --scissors &&
	reads "$in" "Subject: t\n\n" "m\n" "---\n" -c mailinfo.scissors=true mailinfo &&
	reads "$in" "Subject: s\n\n" "hi\n-- >8 --\nSubject: t\n\nm\n" "---\n" -c mailinfo.scissors=true mailinfo --no-scissors &&
	reads "S: s\n\nhi\n>8      --\n>8 >8 >8\n- text that is long >8\nm\n" "\n" "hi\n>8      --\n>8 >8 >8\n- text that is long >8\nm\n" "" mailinfo --scissors
'

test_expect_success '-m, and format=flowed' '
	reads "Message-ID: <1@2>\n\nm\n---\n" "\n" "m\nMessage-ID: <1@2>\n" "---\n" mailinfo -m &&
	reads "Content-Type: text/plain; format=flowed; delsp=yes\n\na \n b\n-- \nc\n" "\n" "ab\n-- \nc\n" "" mailinfo
'

test_expect_success 'no mail, no names, NULs' '
	printf " \n" | test_expect_code 1 git mailinfo msg patch 2>err && test_grep "empty patch: .patch." err &&
	test_expect_code 129 git mailinfo msg </dev/null 2>err &&
	reads "Subject: a\000b\n\nm\000n\n" "Subject: a\n\n" "m\000n\n" "" mailinfo
'

test_done
