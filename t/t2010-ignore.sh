#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='gitignore in all its sources, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# Every path of the work tree, as check-ignore takes them.
all_paths () {
	(cd theirs && find . -mindepth 1 -path ./.git -prune -o -print | sed 's#^\./##' | sort) >paths
}

check_all () {
	all_paths &&
	PEERS_STDIN=paths peers_git check-ignore --no-index -v -n --stdin
}

make_tree () {
	mkdir -p a/b/c doc/frotz build/out "sp ace" &&
	for f in f.o a/f.o a/b/f.o a/b/c/f.c a/b/c/keep.o doc/frotz/x doc/x.txt build/out/r \
		"sp ace/file" "trail " a/x1 a/x2 a/x10 top.txt a/top.txt "#hash" "!bang" a/b/a-b.log
	do
		echo "$f" >"$f" || return 1
	done
}

test_expect_success 'no pattern at all' '
	peers_init &&
	peers_do make_tree &&
	check_all
'

for pattern in '*.o' '/f.o' 'f.o' 'a/f.o' 'a/*/f.o' 'a/**/f.o' '**/f.o' '**/b' 'a/**' 'doc/frotz/' \
	'frotz/' '/doc' 'build' '*/out' '\#hash' '\!bang' 'x[0-9]' 'x?' '[!a-t]*' 'sp\ ace' 'trail\ ' \
	'trail ' 'a-b*' '*-b.*' 'a/b/' 'b/c' '/a/b/c/f.c' '**' '*' '/*' 'a//b' '[[:alpha:]]*' 'TOP.txt' \
	'\*.o' '[x]1' 'x[' '/' '**/' 'a/**/' '/**/b' 'b/**/f.c'
do
	test_expect_success "one pattern: $pattern" '
		peers_init &&
		peers_do make_tree &&
		printf "%s\n" "$pattern" >ours/.gitignore &&
		cp ours/.gitignore theirs/ &&
		check_all
	'
done

test_expect_success 'negation, order, parents that are ignored' '
	peers_init &&
	peers_do make_tree &&
	peers_do "printf \"%s\\n\" \"*.o\" \"!keep.o\" \"# comment\" \"\" build \"!build/out/r\" >.gitignore" &&
	peers_do "printf \"%s\\n\" \"!f.o\" \"*.log\" >a/b/.gitignore" &&
	check_all
'

test_expect_success 'info/exclude and core.excludesFile' '
	peers_init &&
	peers_do make_tree &&
	printf "%s\n" "*.txt" "!top.txt" >global &&
	peers_do "echo \"*.c\" >.git/info/exclude" &&
	peers_do "stock config core.excludesFile \"$PWD/global\"" &&
	check_all
'

test_expect_success 'CRLF, a byte order mark, no newline at the end' '
	peers_init &&
	peers_do make_tree &&
	peers_do "printf \"\\357\\273\\277*.o\\r\\n*.txt\\r\\ndoc/frotz/\" >.gitignore" &&
	check_all
'

test_expect_success 'core.ignoreCase' '
	peers_init &&
	peers_do make_tree &&
	peers_do "stock config core.ignoreCase true && echo TOP.TXT >.gitignore" &&
	check_all
'

test_expect_success 'a .gitignore that is a symlink is ignored' '
	peers_init &&
	peers_do make_tree &&
	peers_do "echo \"*.o\" >patterns && ln -s patterns .gitignore" &&
	PEERS_STDERR=ignore check_all
'

test_expect_success 'tracked paths are not ignored, errors are told' '
	peers_init &&
	peers_do "echo \"*.o\" >.gitignore && echo x >t.o && echo y >u.o && stock add -f t.o" &&
	peers_git check-ignore t.o &&
	peers_git check-ignore t.o u.o &&
	peers_git check-ignore -q u.o &&
	peers_git check-ignore -v u.o &&
	peers_git check-ignore &&
	peers_git check-ignore --stdin x &&
	peers_git check-ignore -q a b &&
	peers_git check-ignore -q -v a &&
	peers_git check-ignore -n a &&
	peers_git check-ignore -z a &&
	peers_git check-ignore ../x &&
	printf "t.o\\0u.o\\0" >list &&
	PEERS_STDIN=list peers_git check-ignore -z --stdin &&
	PEERS_STDIN=list peers_git check-ignore -z -v -n --stdin
'

test_expect_success 'paths from a subdirectory' '
	peers_init &&
	peers_do "mkdir -p d/e && echo \"/d/e/x\" >.gitignore && echo \"y\" >d/.gitignore" &&
	PEERS_DIR=d/e peers_git check-ignore -v x y ../y ../../y
'

test_done
