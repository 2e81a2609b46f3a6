#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='gitattributes in all its sources, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

attr_lines () {
	cat >.gitattributes <<-\EOT
	# comment
	*.c		diff=cpp text
	*.txt		text eol=lf
	*.bin		binary
	/top		only-top
	dir/		never
	dir/*		in-dir=value
	"with space"	quoted
	[attr]mine	-text other=1 !diff
	*.m		mine
	*.n		-mine
	*.c		!text
	a/b/**		deep
	!*.x		negative
	*.y		-a b !c d=e f=
	*.bad		=x ok - !
	EOT
	mkdir -p a/b dir/sub &&
	echo "x.c -diff foo" >a/.gitattributes &&
	echo "[attr]inner foo" >>a/.gitattributes &&
	echo "* !foo bar=a/b" >a/b/.gitattributes
}

paths='x.c a/x.c a/b/x.c y.txt top a/top dir/f dir/sub/f z.bin q.m q.n a/b/d/e with\ space p.x r.y s.bad a/inner'

test_expect_success 'all attributes of many paths' '
	peers_init &&
	peers_do attr_lines &&
	eval "set -- $paths" &&
	PEERS_STDERR=ignore peers_git check-attr text diff foo bar binary mine other deep eol \
		only-top in-dir never quoted a b c d f ok negative inner -- "$@"
'

test_expect_success '--all names the same attributes' '
	eval "set -- $paths" &&
	for p
	do
		(cd ours && git check-attr -a -- "$p" 2>/dev/null) | sort >a.ours &&
		(cd theirs && stock check-attr -a -- "$p" 2>/dev/null) | sort >a.theirs &&
		test_cmp a.theirs a.ours || return 1
	done
'

test_expect_success 'info/attributes above, core.attributesFile below' '
	peers_init &&
	peers_do "echo \"*.c -text a b=1\" >.git/info/attributes" &&
	peers_do "echo \"*.c text b=2 c=2\" >.gitattributes" &&
	echo "*.c text=auto c=3 d=3" >global &&
	peers_do "stock config core.attributesFile \"$PWD/global\"" &&
	peers_git check-attr text a b c d -- x.c sub/x.c
'

test_expect_success '--cached reads the index' '
	peers_init &&
	peers_do "echo \"* one\" >.gitattributes && stock add .gitattributes && echo \"* two\" >.gitattributes" &&
	peers_git check-attr one two -- x &&
	peers_git check-attr --cached one two -- x &&
	peers_do "rm .gitattributes" &&
	peers_git check-attr one two -- x
'

test_expect_success 'standard input, NULs, odd names, errors' '
	peers_init &&
	peers_do "echo \"* one\" >.gitattributes" &&
	printf "a\\nb c\\n\"\\\\303\\\\244\"\\n" >list &&
	PEERS_STDIN=list peers_git check-attr --stdin one two &&
	printf "a\\0b c\\0" >list &&
	PEERS_STDIN=list peers_git check-attr -z --stdin one two &&
	peers_git check-attr one -- "$(printf "\\303\\244")" "tab	x" &&
	PEERS_STDERR=ignore peers_git check-attr &&
	PEERS_STDERR=ignore peers_git check-attr one &&
	PEERS_STDERR=ignore peers_git check-attr --stdin one -- x &&
	peers_git check-attr one "bad^name" -- x &&
	peers_git check-attr one -- ../x &&
	peers_git check-attr one -- "" ./x .
'
# names the paths to be named absolutely on either side
absolute () {
	(cd ours && git check-attr "$@" "$PWD/d/x" "$PWD") >out.ours 2>&1
	(cd theirs && stock check-attr "$@" "$PWD/d/x" "$PWD") >out.theirs 2>&1
	sed -i "s#/theirs\\b#/ours#g" out.theirs && test_cmp out.theirs out.ours
}

test_expect_success 'absolute paths' '
	peers_init &&
	peers_do "mkdir d && echo \"* one\" >.gitattributes" &&
	absolute one -- && absolute -a &&
	GIT_ICASE_PATHSPECS=1 absolute one -- && GIT_GLOB_PATHSPECS=1 absolute one --
'

test_expect_success 'overlong lines are skipped' '
	peers_init &&
	long=$(printf "%3000s" x | tr " " y) &&
	peers_do "printf \"%s\\n\" \"* first\" \"* long=$long\" \"* last\" >.gitattributes" &&
	PEERS_STDERR=ignore peers_git check-attr first long last -- f &&
	printf "%s\n" "f: first: set" "f: long: unspecified" "f: last: set" >expect &&
	test_cmp expect out.ours
'

test_expect_success 'from a subdirectory' '
	peers_init &&
	peers_do attr_lines &&
	PEERS_STDERR=ignore PEERS_DIR=a/b peers_git check-attr foo bar diff -- x.c ../x.c ../../x.c
'

test_expect_success 'lines of 2,048 bytes and negative patterns: a warning, and they are skipped' '
	git init -q odd && { printf "f a=%02043d\n\n  f b=%02042d\n# %03000d\n" 1 2 3 && echo "!f c" && echo "f d"; } >odd/.gitattributes &&
	git -C odd check-attr -a f 2>err | sed "s/0*\([0-9]\)$/\1/" >out &&
	printf "f: a: 1\nf: d: set\n" >expect && test_cmp expect out &&
	test_grep "^warning: ignoring overly long attributes line 3$" err &&
	test_grep "^warning: Negative patterns are ignored in git attributes$" err && test $(grep -c overly err) = 1
'

test_expect_success SYMLINKS 'attribute and ignore files in the work tree that are symlinks: a warning' '
	git init -q links && echo "f a" >links/rules && ln -s rules links/.gitattributes && : >links/f.o &&
	git -C links check-attr -a f >out 2>err && test_must_be_empty out &&
	test_grep "^warning: unable to access .\.gitattributes.: Too many levels of symbolic links$" err &&
	echo "*.o" >links/ign && ln -s ign links/.gitignore && git -C links status -s >out 2>err &&
	test_grep "f.o" out && test_grep "^warning: unable to access .\.gitignore.: Too many" err
'

test_expect_success 'macros of macros, however deep' '
	git init -q deep && awk "BEGIN { for (i = 1; i <= 30000; i++) print \"[attr]m\" i \" m\" i + 1; print \"f m1\" }" \
		>deep/.gitattributes &&
	(ulimit -s 512 && git -C deep check-attr m30001 f >out) && echo "f: m30001: set" >expect && test_cmp expect out
'

test_expect_success 'core.quotePath' '
	git init -q quoted && name=$(printf "\303\244.txt") && (
		cd quoted && git check-attr foo "$name" >out &&
		printf "%s\n" "\"\\303\\244.txt\": foo: unspecified" >expect && test_cmp expect out &&
		git -c core.quotePath=false check-attr foo "$name" >out &&
		echo "$name: foo: unspecified" >expect && test_cmp expect out
	)
'

test_expect_success 'check-attr warns about invalid attribute names, and ignores their lines' '
	git init -q badnames && cd badnames && test_when_finished "cd .." && mkdir d &&
	printf "%s\n" "f x^y good" "[attr]a\$b x" "* -builtin_z" "f !=v" "[attr]-m x" "f fine" >.gitattributes &&
	echo "f q^" >d/.gitattributes && echo "f /" >.git/info/attributes &&
	printf "%s is not a valid attribute name: %s\n" / .git/info/attributes:1 "x^y" .gitattributes:1 \
		"a\$b" .gitattributes:2 builtin_z .gitattributes:3 "" .gitattributes:4 -m .gitattributes:5 \
		"q^" d/.gitattributes:1 | sort >../expect &&
	git check-attr -a f d/f f >../out 2>../err && sort ../err >../sorted && test_cmp ../expect ../sorted &&
	printf "%s: fine: set\n" f d/f f >../expect && test_cmp ../expect ../out &&
	echo x >f && git add f 2>../err && test_grep "^x^y is not a valid attribute name: .gitattributes:1$" ../err
'

test_expect_success 'a directory is compared without its slash' '
	git init -q slash && cd slash && test_when_finished "cd .." && mkdir d && printf "%s\n" "[d] x" "?/ y" "*d z" >.gitattributes &&
	printf "d/: %s: set\n" x y z >../expect && git check-attr -a d/ >../out && test_cmp ../expect ../out
'

test_expect_success 'a line ends at NUL; macros below the top are not allowed' '
	git init -q lines && cd lines && test_when_finished "cd .." && mkdir d &&
	printf "f x\0 y\nf z\r\n" >.gitattributes && printf "f: %s: set\n" x z >../expect && git check-attr -a f >../out &&
	test_cmp ../expect ../out && printf " [attr]m x\r\nf m\n" >d/.gitattributes && git check-attr -a d/f >../out 2>../err &&
	echo "[attr]m x not allowed: d/.gitattributes:1" >../expect && test_cmp ../expect ../err &&
	printf "d/f: %s: set\n" x z m >../expect && test_cmp ../expect ../out
'

test_expect_success 'a malformed line is none, be its pattern negative or not' '
	git init -q negative && cd negative && test_when_finished "cd .." && echo "!f x^" >.gitattributes && git check-attr -a f 2>../err &&
	echo "x^ is not a valid attribute name: .gitattributes:1" >../expect && test_cmp ../expect ../err &&
	echo "\"!f\" x" >.gitattributes && git check-attr -a f 2>../err && test_grep "^warning: Negative patterns are ignored" ../err
'

test_expect_success 'all attributes: a macro before those it sets, names of malformed lines do not count' '
	git init -q order && cd order && test_when_finished "cd .." &&
	printf "%s\n" "f y1 x^" "[attr]m y1 y2 x^" "[attr]n y3" "f n y2 y1" >.gitattributes &&
	printf "f: %s: set\n" n y3 y2 y1 >../expect && git check-attr -a f 2>/dev/null >../out && test_cmp ../expect ../out
'

test_expect_success 'macros: info/attributes has the last word' '
	git init -q info && cd info && test_when_finished "cd .." && printf "%s\n" "[attr]m x=top" "f m" >.gitattributes &&
	echo "[attr]m x=info" >.git/info/attributes && echo "f: x: info" >../expect && git check-attr x f >../out && test_cmp ../expect ../out
'

test_done
