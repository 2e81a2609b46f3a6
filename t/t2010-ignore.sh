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

test_expect_success 'check-ignore prints no tracked paths, and reports errors' '
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

# ---- without a peer ----

test_expect_success 'files of a directory that is not ignored may be ignored' '
	git init -q negated && mkdir -p negated/dir/sub && (
		cd negated && printf "%s\n" "*.o" "!dir/" "!sub" >.gitignore &&
		echo 1 >dir/x.o && echo 1 >dir/sub/y.o && echo 1 >dir/z &&
		printf ".gitignore:1:*.o\t%s\n" dir/x.o dir/sub/y.o >expect &&
		git check-ignore -v dir/x.o dir/sub/y.o >out && test_cmp expect out &&
		git check-ignore dir/x.o dir/z >out && echo dir/x.o >expect && test_cmp expect out &&
		git add -f . && git ls-files -i -c --exclude-standard >out &&
		printf "dir/sub/y.o\ndir/x.o\n" >expect && test_cmp expect out
	)
'

test_expect_success 'a slash at the end is compared with the patterns, too' '
	git init -q slash && mkdir -p slash/logs/keep && (
		cd slash && printf "%s\n" "logs/**" "!logs/keep/" >.gitignore &&
		printf ".gitignore:1:logs/**\tlogs/keep/\n" >expect &&
		git check-ignore -v logs/keep/ >out && test_cmp expect out &&
		printf ".gitignore:2:!logs/keep/\tlogs/keep\n" >expect &&
		git check-ignore -v logs/keep >out && test_cmp expect out &&
		test_expect_code 1 git check-ignore logs
	)
'

test_expect_success 'a path in a submodule is refused' '
	git init -q super && git init -q super/sub && echo 1 >super/sub/x &&
	git -C super/sub add x && git -C super/sub commit -qm one && (
		cd super && git add sub 2>err && printf "x\n" >.gitignore &&
		for args in "sub/x" "-v sub/y" "x sub/a/b"
		do
			test_expect_code 128 git check-ignore $args 2>err || exit 1
			test_grep "^fatal: Pathspec .sub/.*. is in submodule .sub.$" err || exit 1
		done &&
		echo sub/x | test_expect_code 128 git check-ignore --stdin &&
		test_expect_code 1 git check-ignore sub && test_expect_code 1 git check-ignore sub/ &&
		git check-ignore --no-index sub/x
	)
'

test_expect_success 'core.quotePath' '
	git init -q quoted && name=$(printf "\303\244.txt") && (
		cd quoted && echo "*.txt" >.gitignore &&
		git check-ignore "$name" >out && printf "%s\n" "\"\\303\\244.txt\"" >expect &&
		test_cmp expect out &&
		git -c core.quotePath=false check-ignore "$name" >out && echo "$name" >expect &&
		test_cmp expect out
	)
'

test_expect_success 'a CR at the end of the last line, too' '
	git init -q cr && mkdir cr/d && : >cr/d/f && : >cr/x && : >cr/y &&
	printf "d/\r\nx\r" >cr/.gitignore && printf "x\r\ny\r" >excludes &&
	(cd cr && git check-ignore -v d d/f x >../out) &&
	printf ".gitignore:1:d/\t%s\n" d d/f >expect && printf ".gitignore:2:x\tx\n" >>expect && test_cmp expect out &&
	mv cr/.gitignore cr/.git/info/exclude && (cd cr && git check-ignore d x >../out) && printf "d\nx\n" | test_cmp - out &&
	rm cr/.git/info/exclude && (cd cr && git -c core.excludesFile=../excludes check-ignore x y >../out) && printf "x\ny\n" | test_cmp - out &&
	(cd cr && git ls-files -o -X ../excludes >../out) && echo d/f | test_cmp - out
'

test_expect_success 'white space at the end of lines of other files' '
	git init -q ends && test_commit -C ends one && test_commit -C ends two && test_commit -C ends three &&
	git -C ends rev-parse HEAD~1 >id && ID=$(cat id) &&
	for end in "\r\n" " \n" "\r" "x\n"; do
		printf "$ID$end" >ends/.git/shallow && git -C ends rev-list --count HEAD >out && echo 2 | test_cmp - out || return 1
	done && rm ends/.git/shallow &&
	for end in "\r\n" " \n" "\t\n\r\n" "\r"; do
		printf "$ID$end" >ends/.git/info/grafts && git -C ends rev-list --count HEAD >out 2>err && echo 2 | test_cmp - out || return 1
	done && rm ends/.git/info/grafts &&
	printf "a foo\r\n[attr]mac foo\r\nb mac\r" >ends/.gitattributes &&
	(cd ends && git check-attr foo a b >../out) && printf "%s: foo: set\n" a b | test_cmp - out
'

test_expect_success 'check-ignore of the top, and of a directory from inside' '
	git init -q dots && mkdir -p dots/d/e && : >dots/d/f &&
	(cd dots && echo "*" >.gitignore && git check-ignore -v . ./ d/.. "$PWD" && cd d && git check-ignore ..) >out &&
	printf ".gitignore:1:*\t%s\n" . ./ d/.. "$PWD/dots" >expect && echo .. >>expect && test_cmp expect out &&
	for p in "/*" "**/*" / "?*" "*/"; do
		echo "$p" >dots/.gitignore && (cd dots && test_expect_code 1 git check-ignore .) || return 1
	done && rm dots/.gitignore && echo "*" >dots/d/.gitignore &&
	(cd dots && git check-ignore -v d/ d/. d/e/.. && test_expect_code 1 git check-ignore d && cd d && git check-ignore -v . ../d/ &&
	 test_expect_code 1 git check-ignore ..) >out &&
	printf "d/.gitignore:1:*\t%s\n" d/ d/. d/e/.. . ../d/ >expect && test_cmp expect out &&
	(cd dots && mv d/.gitignore . && : >t && git add -f t && test_expect_code 1 git check-ignore . && git check-ignore --no-index .)
'

test_expect_success 'check-ignore: a directory with a slash at its end' '
	git init -q slash && mkdir -p slash/a/b slash/d && : >slash/a/b/f && echo "*b*" >slash/.gitignore && git -C slash add -f a/b/f &&
	test_expect_code 1 git -C slash check-ignore a/b a/b/ && git -C slash check-ignore --no-index a/b/ &&
	for p in "/*" "/**" "**/" " " " \r" "\r"; do
		printf "$p\n" >slash/d/.gitignore && git -C slash check-ignore d/ && test_expect_code 1 git -C slash check-ignore d || return 1
	done && printf "d\0x\n" >slash/.gitignore && git -C slash check-ignore d
'

test_expect_success 'core.ignoreCase: a directory that is tracked by another name is not new' '
	git init -q icase && mkdir icase/a icase/A && : >icase/a/f && : >icase/A/g && git -C icase add a && git -C icase config core.ignoreCase true &&
	echo "A/g" >expect && git -C icase ls-files -o --directory >out && test_cmp expect out &&
	git -C icase rm -q --cached a/f && git -C icase ls-files -o --directory >out && printf "%s/\n" A a >expect && test_cmp expect out
'

test_done
