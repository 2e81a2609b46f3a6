#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='clean-up of names and addresses

What Git 2.55 makes of them (t/interop/idents.py compares random ones with it).'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'setup' '
	git init -q repo && tree=$(git -C repo mktree </dev/null) && unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL &&
	unset GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL && git config --global user.name N && git config --global user.email m
'

# NAME|MAIL|what is written; \n and the like as printf has them
while IFS='|' read -r name mail want
do
	test_expect_success "'$name' <$mail>" '
		n=$(printf "$name.") && n=${n%.} && m=$(printf "$mail.") && m=${m%.} && printf "$want 1234567890 +0000\n" >want &&
		GIT_COMMITTER_NAME=$n GIT_COMMITTER_EMAIL=$m GIT_COMMITTER_DATE="1234567890 +0000" \
			git -C repo var GIT_COMMITTER_IDENT >actual && test_cmp want actual
	'
done <<\EOF
Ann Doe Jr.|a.@x.|Ann Doe Jr. <a.@x.>
.NET Team|.a@x|.NET Team <.a@x>
...|...|... <...>
 . , | .; |. <.>
,:;<>"\\'A'"\\><;:,|,:;<>"\\'a@x'"\\><;:,|A <a@x>
A,:;"\\'.B|a,:;"\\'.b|A,:;"\\'.B <a,:;"\\'.b>
A<B>C\nD|a<b>c\nd|ABCD <abcd>
\001\t\037\r A \n\001\037|\001\t\037\r a \n\001\037|A <a>
A\001\tB|a\001\tb|A\001\tB <a\001\tb>
\177A\177|\177a\177|\177A\177 <\177a\177>
\200\240A\377|\303\244|\200\240A\377 <\303\244>
(A)#&-_/=[@|(a)#&-_/=[|(A)#&-_/=[@ <(a)#&-_/=[>
A  B|a  b|A  B <a  b>
.,|.|. <.>
,.|<.>|. <.>
A||A <>
A| <>,|A <>
EOF

for name in ',' ' ;:' '"' '<>' '\001'
do
	test_expect_success "'$name' is no name" '
		n=$(printf "$name.") && n=${n%.} &&
		test_must_fail env GIT_AUTHOR_NAME="$n" git -C repo var GIT_AUTHOR_IDENT 2>err &&
		test_grep "^fatal: name consists only of disallowed characters: " err
	'
done

last () {
	git -C repo cat-file "${2:-commit}" "${3:-HEAD}" | sed -n "s/^$1 \(.*>\) [0-9]* [-+0-9]*$/\1/p"
}

signer () {
	git -C repo cat-file commit HEAD | grep Signed
}

counted () {
	git -C repo shortlog -s HEAD | sed -n "s/^ *[0-9]*	\(B.*\)/\1/p"
}

# Each way in: TITLE|what is run in repo|what is asked|answer
while IFS='|' read -r title run ask want
do
	test_expect_success "$title" '
		(cd repo && eval "$run") && eval "$ask" >actual && echo "$want" >want && test_cmp want actual
	'
done <<\EOF
GIT_AUTHOR_NAME|GIT_AUTHOR_NAME="Ann Jr." git commit -q --allow-empty -m x|last author|Ann Jr. <m>
GIT_COMMITTER_NAME|GIT_COMMITTER_NAME=".C." git commit -q --allow-empty -m x|last committer|.C. <m>
GIT_AUTHOR_EMAIL|GIT_AUTHOR_EMAIL=".a." git commit -q --allow-empty -m x|last author|N <.a.>
EMAIL|git config --global --unset user.email; EMAIL=e@x. git commit -q --allow-empty -m x; git config --global user.email m|last author|N <e@x.>
user.name of a file|git config user.name "F Jr."; git commit -q --allow-empty -m x; git config --unset user.name|last author|F Jr. <m>
author.name of a file|git config author.name ".A"; git commit -q --allow-empty -m x; git config --unset author.name|last author|.A <m>
-c user.name|git -c user.name="D Jr." -c user.email=d. commit -q --allow-empty -m x|last committer|D Jr. <d.>
--author|git commit -q --allow-empty -m x --author="B Jr. <b@x.>"|last author|B Jr. <b@x.>
--author of a known one|git commit -q --allow-empty -m x --author="B Jr"|last author|B Jr. <b@x.>
--amend --date|git commit -q --amend --allow-empty -m y --date=@1234567899|last author|B Jr. <b@x.>
-C|git commit -q --allow-empty -C HEAD|last author|B Jr. <b@x.>
-s|GIT_COMMITTER_NAME="S Jr." git commit -q -s --allow-empty -m x|signer|Signed-off-by: S Jr. <m>
commit-tree|git update-ref HEAD $(GIT_AUTHOR_NAME=.T GIT_COMMITTER_NAME=T. git commit-tree -p HEAD -m x $tree)|last committer|T. <m>
tag|GIT_COMMITTER_NAME="T Jr." git tag -a -f -m t t|last tagger tag t|T Jr. <m>
the reflog|GIT_COMMITTER_NAME="L Jr." git update-ref -m l --create-reflog refs/heads/l HEAD|git -C repo log -g -1 --format="%gn <%ge>" l|L Jr. <m>
.mailmap|echo "M Jr. <.m@x> <m>" >.mailmap|git -C repo log -1 --format="%cN <%cE>"|M Jr. <.m@x>
shortlog|:|counted|B Jr.
EOF

test_expect_success 'commit --date beyond all dates is refused' '
	git init -q beyond && test_expect_code 128 git -C beyond commit -q --allow-empty -m x --date=253402300799 2>err &&
	test_grep "^fatal: invalid date format: @1844674" err && git -C beyond commit -q --allow-empty -m x --date=2099-01-01
'

test_done
