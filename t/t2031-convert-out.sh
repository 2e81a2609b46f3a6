#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='line ends, ident, encodings and filters on the way out of the repository

What is written into the working tree by read-tree -u, and printed by cat-file --filters.'
. "$(dirname "$0")/test-lib.sh"

# entry PATH TEXT: an entry of the index whose object has that text, as printf makes it
entry () {
	local oid
	oid=$(printf "$2" | git hash-object -w --stdin) && git update-index --add --cacheinfo 100644,$oid,"$1"
}

# start ATTRIBUTES: a repository whose index has these, as printf makes them, and no other file yet
start () {
	cd "$TRASH_DIRECTORY" && rm -rf r && git init -q r && cd r && entry .gitattributes "$1"
}

# out: HEAD's files, written anew
out () {
	git commit -q -m "$1" && git read-tree -u --reset HEAD
}

# shows PATH TEXT: both ways give that text, as printf makes it
shows () {
	printf "$2" >expect && test_cmp_bin expect "$1" &&
	git cat-file --filters ":$1" >actual && test_cmp_bin expect actual
}

test_expect_success 'ident: the name of the blob' '
	start "*.i ident\n" && entry a.i "x \$Id\$ y \$Id: old \$\n\$Id\n" && entry b "\$Id\$\n" && out one &&
	oid=$(git rev-parse :a.i) &&
	shows a.i "x \$Id: $oid \$ y \$Id: $oid \$\n\$Id\n" && shows b "\$Id\$\n"
'

test_expect_success 'line ends: eol, text=auto, autocrlf, and files that stay unchanged' '
	start "*.c text eol=crlf\n*.l text eol=lf\n*.auto text=auto eol=crlf\n*.b -text\n" &&
	entry a.c "1\n2\r\n3\n" && entry a.l "1\n2\r\n" && entry a.auto "1\n2\n" && entry b.auto "1\n\0\n" &&
	entry c.auto "1\r\n2\n" && entry a.b "1\n" && entry plain "1\n" && out one &&
	shows a.c "1\r\n2\r\n3\r\n" && shows a.l "1\n2\r\n" && shows a.auto "1\r\n2\r\n" &&
	shows b.auto "1\n\0\n" && shows c.auto "1\r\n2\n" && shows a.b "1\n" && shows plain "1\n" &&
	git config core.autocrlf true && rm plain && git read-tree -u --reset HEAD &&
	shows plain "1\r\n" && shows a.l "1\n2\r\n" && shows a.b "1\n"
'

test_expect_success 'encodings' '
	start "*.le text working-tree-encoding=UTF-16LE\n*.be text eol=crlf working-tree-encoding=UTF-16BE\n*.l1 working-tree-encoding=ISO-8859-1\n" &&
	entry a.le "\303\244\n" && entry a.be "\303\244\n" && entry a.l1 "\303\244\n" && entry empty.le "" &&
	out one && shows a.le "\344\0\n\0" && shows a.be "\0\344\0\r\0\n" && shows a.l1 "\344\n" && shows empty.le ""
'

test_expect_success 'read-tree writes text that an encoding lacks unchanged, with an error' '
	start "*.l1 working-tree-encoding=ISO-8859-1\n" && entry a.l1 "\342\202\254\n" && git commit -q -m one &&
	{ git read-tree -u --reset HEAD 2>err || :; } && test_grep "a.l1" err && printf "\342\202\254\n" >expect &&
	test_cmp_bin expect a.l1
'

test_expect_success 'ident, line ends, encoding, then the smudge filter' '
	start "* ident text eol=crlf filter=show\n*.le working-tree-encoding=UTF-16LE\n.gitattributes !ident !text !eol !filter\n" &&
	git config filter.show.smudge "od -An -c | tr -d \" \\n\"" &&
	git config filter.show.clean cat &&
	entry a "\$Id\$\n" && entry b.le "x\n" && out one && oid=$(git rev-parse :a | sed "s/./&/g") &&
	shows a "\$Id:$oid\$\\\\r\\\\n" && shows b.le "x\\\\0\\\\r\\\\0\\\\n\\\\0"
'

test_expect_success 'a smudge filter gets the path; its failure is an error only if it is required' '
	start "*.p filter=path\n*.f filter=fails\n*.r filter=required\n" &&
	git config filter.path.smudge "sed s,x,%f," && git config filter.fails.smudge "exit 3" &&
	git config filter.required.smudge "exit 3" && git config filter.required.required true &&
	mkdir d && entry d/a.p "x\n" && entry a.f "x\n" && out one &&
	shows d/a.p "d/a.p\n" && shows a.f "x\n" &&
	entry a.r "x\n" && git commit -q -m two && test_must_fail git read-tree -u --reset HEAD &&
	test_path_is_missing a.r
'

test_expect_success 'the attributes of the new tree decide, wherever their file sorts' '
	start "* eol=lf\n" && entry "!first" "1\n" && entry d/.gitattributes "* eol=lf\n" && entry "d/!x" "1\n" &&
	entry d/x "1\n" && out one && shows d/x "1\n" && shows "!first" "1\n" &&
	entry .gitattributes "* text eol=crlf\n" && entry "!first" "2\n" && entry d/.gitattributes "x text eol=lf\n" &&
	entry "d/!x" "2\n" && entry d/x "2\n" && tree=$(git write-tree) && git read-tree HEAD &&
	git read-tree -m -u HEAD $tree &&
	shows "!first" "2\r\n" && shows "d/!x" "2\r\n" && shows d/x "2\n"
'

test_done
