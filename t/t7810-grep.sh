#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git grep: patterns, operators, places, context'
. "$(dirname "$0")/test-lib.sh"

# prints ARG...: `git grep ARG...` prints the lines on standard input, and exits with 0.
prints () {
	cat >expect && git -C r grep "$@" >out && test_cmp expect out
}

# finds_nothing ARG...
finds_nothing () {
	test_expect_code 1 git -C r grep "$@" >out && test_must_be_empty out
}

test_expect_success 'files with words, functions, other bytes' '
	git init -q -b main r && mkdir -p r/d/e &&
	cat >r/a.c <<-\EOF &&
	#include <x.h>

	int first(void)
	{
	  return one + two;
	}

	/* second */
	int second(void)
	{
	  int foo_bar = 1;

	  return foo;
	}
	EOF
	printf "foo bar\nFOO\nfoobar a.b\n[x] a*b aab (q)\n" >r/d/t &&
	printf "foo\0bar\n" >r/d/bin &&
	printf "deep foo\nlast line without end" >r/d/e/t &&
	git -C r add . && git -C r commit -qm one
'

test_expect_success 'basic expressions' '
	prints "foo" <<-\EOF &&
	a.c:  int foo_bar = 1;
	a.c:  return foo;
	Binary file d/bin matches
	d/e/t:deep foo
	d/t:foo bar
	d/t:foobar a.b
	EOF
	prints "^foo*b" <<-\EOF &&
	d/t:foobar a.b
	EOF
	prints "a\{2\}b" <<-\EOF &&
	d/t:[x] a*b aab (q)
	EOF
	prints "a.b" d/t <<-\EOF &&
	d/t:foobar a.b
	d/t:[x] a*b aab (q)
	EOF
	prints "one\|second" <<-\EOF &&
	a.c:  return one + two;
	a.c:/* second */
	a.c:int second(void)
	EOF
	prints "[[]x]" <<-\EOF &&
	d/t:[x] a*b aab (q)
	EOF
	prints "(q)$" <<-\EOF
	d/t:[x] a*b aab (q)
	EOF
'

test_expect_success 'extended expressions' '
	prints -E "fo{2}b|F+O" <<-\EOF &&
	d/t:FOO
	d/t:foobar a.b
	EOF
	prints -E "x?[*]ba? aab" <<-\EOF &&
	d/t:[x] a*b aab (q)
	EOF
	prints -E "\(q+\)z*" <<-\EOF
	d/t:[x] a*b aab (q)
	EOF
'

test_expect_success 'a character that is repeated may be missing' '
	finds_nothing "firstz\{1,\}(" &&
	prints "firstz*(" <<-\EOF &&
	a.c:int first(void)
	EOF
	prints "firstz\?(v" <<-\EOF &&
	a.c:int first(void)
	EOF
	prints "firstz\{0,2\}(v" <<-\EOF &&
	a.c:int first(void)
	EOF
	prints -E "firstz?\(v" <<-\EOF &&
	a.c:int first(void)
	EOF
	prints -E "firstz{0,2}\(v" <<-\EOF &&
	a.c:int first(void)
	EOF
	prints -E "firs[[:digit:]]*t[]q]*\(" <<-\EOF
	a.c:int first(void)
	EOF
'

test_expect_success 'strings' '
	prints -F "a*b" <<-\EOF &&
	d/t:[x] a*b aab (q)
	EOF
	prints -F -i "A*B" <<-\EOF &&
	d/t:[x] a*b aab (q)
	EOF
	finds_nothing -F "fo*" &&
	prints "" d/e <<-\EOF
	d/e/t:deep foo
	d/e/t:last line without end
	EOF
'

test_expect_success 'capital letters do not matter with -i' '
	prints -i foo -- d/t <<-\EOF &&
	d/t:foo bar
	d/t:FOO
	d/t:foobar a.b
	EOF
	prints -i "^fo*$" <<-\EOF &&
	d/t:FOO
	EOF
	finds_nothing -i --no-ignore-case Foo
'

test_expect_success 'with -i an expression finds both cases, and letters beyond ASCII that are equal' '
	git init -q fold && cd fold && printf "%s\n" F1x f1x xF1 "abCD 9" "ABcd 8" none >t && printf "\305\277%s\n" 1 >>t && git add t &&
	for p in "f[0-9]x" "F[0-9]X" "f1[x]$"; do git grep -h -i "$p" >out && printf "%s\n" F1x f1x >want && test_cmp want out || return; done &&
	git grep -h -i "BcD [89]$" >out && printf "%s\n" "abCD 9" "ABcd 8" >want && test_cmp want out && git grep -h -i "[x]F1*$" >out && echo xF1 >want && test_cmp want out &&
	if test "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8; then LC_ALL=C.UTF-8 git grep -h -i "s[0-9]" >out && printf "\305\277%s\n" 1 >want && test_cmp want out; fi
'

if git -C . grep -P . --no-index /dev/null 2>&1 | grep -q "cannot use"; then
	:
else
	test_set_prereq PCRE
fi

test_expect_success PCRE 'expressions of Perl' '
	prints -P "foo(?=b)" <<-\EOF &&
	d/t:foobar a.b
	EOF
	prints -P -o "\bsec\w+" <<-\EOF &&
	a.c:second
	a.c:second
	EOF
	test_expect_code 128 git -C r grep -P "(x" 2>err && test_grep "^fatal: command line, .(x.: " err
'

test_expect_success PCRE 'an expression with too many ways to match is an error' '
	printf "%s\n" aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa >r/blow &&
	test_expect_code 128 git -C r grep --untracked -P "^(a?){40}(a+)+(a+)+b?$(printf "\\\\d")$" blow 2>err &&
	test_grep "^fatal: pcre2_.*match failed with error code -47" err &&
	rm r/blow
'

test_expect_success 'an expression that is not valid is an error' '
	test_expect_code 128 git -C r grep -E "(x" 2>err && test_grep "^fatal: command line, .(x.: " err &&
	test_expect_code 128 git -C r grep -e "[" 2>err && test_grep "^fatal: -e option, .\[.: " err &&
	printf "a\n[\n" >list &&
	test_expect_code 128 git -C r grep -f ../list 2>err && test_grep "^fatal: In .../list. at 2, .\[.: " err
'

test_expect_success 'the kind of the patterns is configured' '
	git -C r config grep.patternType fixed && finds_nothing "fo*" &&
	prints -i -G "^fo*$" <<-\EOF &&
	d/t:FOO
	EOF
	git -C r config grep.patternType extended &&
	prints "F+O" <<-\EOF &&
	d/t:FOO
	EOF
	git -C r config grep.patternType default && finds_nothing "F+O" &&
	git -C r config grep.extendedRegexp true &&
	prints "F+O" <<-\EOF &&
	d/t:FOO
	EOF
	git -C r config grep.patternType basic && finds_nothing "F+O" &&
	git -C r config grep.patternType odd &&
	test_expect_code 128 git -C r grep a 2>err && test_grep "bad grep.patterntype argument: odd" err &&
	git -C r config --unset grep.patternType && git -C r config --unset grep.extendedRegexp
'

test_expect_success 'whole words' '
	prints -w foo -- a.c d/t <<-\EOF &&
	a.c:  return foo;
	d/t:foo bar
	EOF
	prints -w "fo*" -- d/t <<-\EOF &&
	d/t:foo bar
	EOF
	printf "xab ab\nabab\nab_\n_ab\n-ab-\n" >r/w && git -C r add w &&
	prints -n -w -o ab w <<-\EOF &&
	w:1:ab
	w:5:ab
	EOF
	prints -n -w --column -E "a|ab" w <<-\EOF &&
	w:1:5:xab ab
	w:5:2:-ab-
	EOF
	git -C r rm -q -f w
'

test_expect_success 'lines that do not match' '
	prints -v -n o -- d/e d/t <<-\EOF &&
	d/t:2:FOO
	d/t:4:[x] a*b aab (q)
	EOF
	prints -v -c o <<-\EOF
	a.c:8
	d/t:2
	EOF
'

test_expect_success 'operators combine patterns' '
	prints -e foo --and -e bar -- d/t <<-\EOF &&
	d/t:foo bar
	d/t:foobar a.b
	EOF
	finds_nothing -e foo --and --not -e " " -- a.c &&
	prints -e one --or -e second --and -e int <<-\EOF &&
	a.c:  return one + two;
	a.c:int second(void)
	EOF
	prints \( -e one --or -e second \) --and -e int <<-\EOF &&
	a.c:int second(void)
	EOF
	prints --not \( -e o -e i \) -- d <<-\EOF &&
	d/t:FOO
	d/t:[x] a*b aab (q)
	EOF
	printf "one\nsecond\n" >list &&
	prints -f ../list --and -e int <<-\EOF &&
	a.c:  return one + two;
	a.c:int second(void)
	EOF
	for bad in "-e a --and" "--not" "( -e a" "-e a )" "( )"; do
		test_expect_code 128 git -C r grep $bad 2>err && test_grep "^fatal: " err || return 1
	done
'

test_expect_success 'all alternatives must match some line with --all-match' '
	prints -l --all-match -e FOO -e bar <<-\EOF &&
	d/t
	EOF
	prints --all-match -e deep -e last <<-\EOF &&
	d/e/t:deep foo
	d/e/t:last line without end
	EOF
	finds_nothing --all-match -e deep -e last -e bar
'

test_expect_success 'names, counts, the exit code' '
	prints -l foo <<-\EOF &&
	a.c
	d/bin
	d/e/t
	d/t
	EOF
	prints -L foo. <<-\EOF &&
	d/bin
	d/e/t
	EOF
	prints -c foo <<-\EOF &&
	a.c:2
	d/bin:1
	d/e/t:1
	d/t:2
	EOF
	prints -h -c foo -- d/t <<-\EOF &&
	2
	EOF
	git -C r grep -z -l foo -- d >out && printf "d/bin\0d/e/t\0d/t\0" >expect && test_cmp_bin expect out &&
	git -C r grep -q foo >out && test_must_be_empty out &&
	finds_nothing -q nothing &&
	finds_nothing -L "" &&
	finds_nothing -m 0 foo &&
	prints -m 1 -n foo -- a.c d/t <<-\EOF &&
	a.c:11:  int foo_bar = 1;
	d/t:1:foo bar
	EOF
	prints -m 1 -c foo -- d/t <<-\EOF
	d/t:1
	EOF
'

test_expect_success 'binary files' '
	finds_nothing -I foo d/bin &&
	git -C r grep -a foo d/bin >out && printf "d/bin:foo\0bar\n" >expect && test_cmp_bin expect out &&
	git -C r grep -a bar d/bin >out && test_cmp_bin expect out &&
	finds_nothing -a "^bar" d/bin &&
	echo "d/t -diff" >r/.gitattributes && echo "d/bin diff" >>r/.gitattributes &&
	prints FOO <<-\EOF &&
	Binary file d/t matches
	EOF
	git -C r grep "bar$" d/bin >out && printf "d/bin:foo\0bar\n" >expect && test_cmp_bin expect out &&
	rm r/.gitattributes
'

test_expect_success 'textconv makes the text' '
	echo "d/bin diff=b" >r/.gitattributes && git -C r config diff.b.textconv "echo converted foo; :" &&
	prints --textconv converted <<-\EOF &&
	d/bin:converted foo
	EOF
	finds_nothing converted -- d &&
	prints --textconv foo -- d <<-\EOF &&
	d/bin:converted foo
	d/e/t:deep foo
	d/t:foo bar
	d/t:foobar a.b
	EOF
	rm r/.gitattributes
'

test_expect_success 'lines and columns' '
	prints -n --column "o.*b" -- d/t <<-\EOF &&
	d/t:1:2:foo bar
	d/t:3:2:foobar a.b
	EOF
	git -C r config grep.lineNumber true && git -C r config grep.column true &&
	prints bar -- d/t <<-\EOF &&
	d/t:1:5:foo bar
	d/t:3:4:foobar a.b
	EOF
	prints --no-line-number --no-column bar -- d/t <<-\EOF &&
	d/t:foo bar
	d/t:foobar a.b
	EOF
	git -C r config --unset grep.lineNumber && git -C r config --unset grep.column &&
	prints --column --not -e foo --or -e bar -- d/t <<-\EOF &&
	d/t:5:foo bar
	d/t:1:FOO
	d/t:4:foobar a.b
	d/t:1:[x] a*b aab (q)
	EOF
	prints -o -n --column "[ab][.b]" -- d/t <<-\EOF
	d/t:3:8:a.
	d/t:4:10:ab
	EOF
'

test_expect_success 'columns, words and marks are those of Git in odd cases' '
	printf "x y\nab ba\nabx\n\t\nint f(void)\n" >r/w && git -C r add w &&
	prints --column -e y --and -e nothing --or -e y w <<-\EOF &&
	w:3:x y
	EOF
	prints --column -e nothing --and -e x --or -e y w <<-\EOF &&
	w:1:x y
	EOF
	prints -o -w -E "abx?|.ba|a" w <<-\EOF &&
	w:ab
	w: ba
	w:abx
	EOF
	prints --column -n -m1 -A2 b w <<-\EOF &&
	w:2:2:ab ba
	w-3-2-abx
	w-4-	
	EOF
	printf "\nabx\n" >list && prints -f ../list w <<-\EOF &&
	w:abx
	EOF
	git -C r rm -q -f w
'

test_expect_success 'lines of context' '
	prints -n -C1 foo_bar <<-\EOF &&
	a.c-10-{
	a.c:11:  int foo_bar = 1;
	a.c-12-
	EOF
	prints -n -A1 -B2 second <<-\EOF &&
	a.c-6-}
	a.c-7-
	a.c:8:/* second */
	a.c:9:int second(void)
	a.c-10-{
	EOF
	prints -1 -e first -e foo_bar <<-\EOF &&
	a.c-
	a.c:int first(void)
	a.c-{
	--
	a.c-{
	a.c:  int foo_bar = 1;
	a.c-
	EOF
	prints -h -B1 -e FOO -e deep <<-\EOF &&
	deep foo
	--
	foo bar
	FOO
	EOF
	test_expect_code 129 git -C r grep -C x foo 2>err && test_grep "expects a numerical value" err
'

test_expect_success 'names of functions, and whole functions' '
	prints -p -n return <<-\EOF &&
	a.c=3=int first(void)
	a.c:5:  return one + two;
	a.c=9=int second(void)
	a.c:13:  return foo;
	EOF
	prints -W -n two <<-\EOF &&
	a.c=3=int first(void)
	a.c-4-{
	a.c:5:  return one + two;
	a.c-6-}
	a.c-7-
	a.c-8-/* second */
	EOF
	prints -W -n foo_bar <<-\EOF &&
	a.c-8-/* second */
	a.c=9=int second(void)
	a.c-10-{
	a.c:11:  int foo_bar = 1;
	a.c-12-
	a.c-13-  return foo;
	a.c-14-}
	EOF
	printf "a.c diff=own\n" >r/.gitattributes && git -C r config diff.own.xfuncname "^#.*" &&
	prints -p -n return -- a.c <<-\EOF &&
	a.c=1=#include <x.h>
	a.c:5:  return one + two;
	a.c:13:  return foo;
	EOF
	rm r/.gitattributes
'

test_expect_success 'headings, empty lines, colors' '
	prints --heading --break -n -e one -e deep <<-\EOF &&
	a.c
	5:  return one + two;

	d/e/t
	1:deep foo
	EOF
	git -C r grep --color=always -n "o\{2\}b" d/t >out &&
	printf "\033[35md/t\033[m\033[36m:\033[m\033[32m3\033[m\033[36m:\033[mf\033[1;31moob\033[mar a.b\n" >expect && test_cmp expect out &&
	git -C r -c color.grep.match=blue -c color.grep.filename=red -c color.grep.separator=normal -c color.grep.selected=green \
		-c color.grep=always grep oob d/t >out &&
	printf "\033[31md/t\033[m:\033[32mf\033[m\033[34moob\033[m\033[32mar a.b\033[m\n" >expect && test_cmp expect out &&
	test_expect_code 128 git -C r -c color.grep.match=odd grep oob 2>err && test_grep odd err
'

test_expect_success 'the index, commits, trees, blobs' '
	cp r/d/t t.keep && echo "only here" >r/d/t &&
	prints "only here" <<-\EOF &&
	d/t:only here
	EOF
	finds_nothing --cached "only here" &&
	prints --cached FOO <<-\EOF &&
	d/t:FOO
	EOF
	git -C r add d/t && prints --cached -l only <<-\EOF &&
	d/t
	EOF
	prints FOO HEAD main:d HEAD:d/t <<-\EOF &&
	HEAD:d/t:FOO
	main:d:t:FOO
	HEAD:d/t:FOO
	EOF
	finds_nothing "only here" HEAD &&
	finds_nothing FOO HEAD -- a.c &&
	mv t.keep r/d/t && git -C r add d/t &&
	test_expect_code 128 git -C r grep --cached foo HEAD 2>err && test_grep "both --cached and trees" err &&
	test_expect_code 128 git -C r grep foo nothing 2>err && test_grep "nothing" err &&
	test_expect_code 128 git -C r grep foo nothing -- 2>err && test_grep "unable to resolve revision: nothing" err
'

test_expect_success 'a tree or blob that is missing is an error' '
	git init -q -b main gone && echo FOO >gone/f && echo FOO >gone/g && git -C gone add . && git -C gone commit -qm one &&
	blob=$(git -C gone rev-parse HEAD:f) && echo other >gone/g && git -C gone add g && git -C gone commit -qm two &&
	rm -f gone/.git/objects/$(echo $blob | sed "s|^..|&/|") &&
	git -C gone grep -c o HEAD >out 2>err && echo "HEAD:g:1" >expect && test_cmp expect out &&
	test_grep "^error: .HEAD:f.: unable to read $blob" err &&
	tree=$(git -C gone rev-parse "HEAD^{tree}") && rm -f gone/.git/objects/$(echo $tree | sed "s|^..|&/|") &&
	test_expect_code 128 git -C gone grep FOO HEAD 2>err && test_grep "^fatal: unable to read tree ($(git -C gone rev-parse HEAD))" err
'

test_expect_success 'files that are gone, links, entries without content' '
	rm r/d/t && finds_nothing FOO && git -C r checkout -q d/t &&
	ln -s d/t r/link && git -C r add link && prints FOO <<-\EOF &&
	d/t:FOO
	EOF
	git -C r rm -q -f link &&
	echo FOO >r/new && git -C r add -N new && finds_nothing --cached FOO new &&
	prints FOO new <<-\EOF &&
	new:FOO
	EOF
	git -C r rm -q -f new &&
	git -C r update-index --skip-worktree d/t && finds_nothing FOO && prints --cached FOO <<-\EOF &&
	d/t:FOO
	EOF
	git -C r update-index --no-skip-worktree d/t && git -C r update-index --assume-unchanged d/t && echo x >r/d/t &&
	prints FOO <<-\EOF &&
	d/t:FOO
	EOF
	git -C r update-index --no-assume-unchanged d/t && git -C r checkout -q d/t
'

test_expect_success 'untracked and ignored files' '
	echo "/ig" >r/.gitignore && echo FOO >r/ig && echo FOO >r/un &&
	prints -l FOO <<-\EOF &&
	d/t
	EOF
	prints -l --untracked FOO <<-\EOF &&
	d/t
	un
	EOF
	prints -l --untracked --no-exclude-standard FOO <<-\EOF &&
	d/t
	ig
	un
	EOF
	prints -l --no-index FOO <<-\EOF &&
	d/t
	ig
	un
	EOF
	prints -l --no-index --exclude-standard FOO <<-\EOF &&
	d/t
	un
	EOF
	test_expect_code 128 git -C r grep --exclude-standard FOO 2>err && test_grep "cannot be used for tracked contents" err &&
	test_expect_code 128 git -C r grep --untracked --cached FOO 2>err && test_grep "cannot be used together" err &&
	test_expect_code 128 git -C r grep --no-index FOO HEAD -- 2>err && test_grep "cannot be used with revs" err &&
	rm r/.gitignore r/ig r/un
'

test_expect_success 'paths, levels, the current directory' '
	prints -l foo -- ":!d" <<-\EOF &&
	a.c
	EOF
	prints -l foo "d/*t" <<-\EOF &&
	d/e/t
	d/t
	EOF
	prints -l --max-depth 0 foo <<-\EOF &&
	a.c
	EOF
	prints -l --max-depth 0 foo d <<-\EOF &&
	d/bin
	d/t
	EOF
	prints -l --no-recursive foo <<-\EOF &&
	a.c
	EOF
	prints -l --max-depth 1 foo <<-\EOF &&
	a.c
	d/bin
	d/t
	EOF
	(cd r/d && git grep -l foo && git grep --full-name -l foo && git grep -l one .. && git grep -l one :/) >out &&
	printf "%s\n" bin e/t t d/bin d/e/t d/t ../a.c ../a.c >expect && test_cmp expect out
'

test_expect_success 'names with odd bytes are quoted, but not with -z' '
	printf "odd\n" >"r/x	y" && git -C r add . &&
	prints odd <<-\EOF &&
	"x\ty":odd
	EOF
	git -C r grep -z odd >out && printf "x\ty\0odd\n" >expect && test_cmp_bin expect out &&
	git -C r rm -q -f "x	y"
'

test_expect_success 'outside of a repository' '
	mkdir -p outside/sub && echo hit >outside/sub/f && GIT_CEILING_DIRECTORIES=$PWD && export GIT_CEILING_DIRECTORIES &&
	(cd outside && git grep --no-index hit) >got && echo "sub/f:hit" >expect && test_cmp expect got &&
	(cd outside && test_expect_code 128 git grep hit 2>../err) && test_grep "not a git repository" err &&
	(cd outside && git -c grep.fallbackToNoIndex=true grep hit) >got && test_cmp expect got &&
	unset GIT_CEILING_DIRECTORIES
'

test_expect_success 'a bare repository has trees only' '
	git clone -q --bare r bare.git && git -C bare.git grep FOO HEAD >got && echo "HEAD:d/t:FOO" >expect && test_cmp expect got &&
	test_expect_code 128 git -C bare.git grep FOO 2>err && test_grep "must be run in a work tree" err
'

test_expect_success 'the pager gets the files' '
	prints -O"echo with" foo <<-\EOF &&
	with a.c d/bin d/e/t d/t
	EOF
	mkdir bin && printf "#!/bin/sh\necho \"\$@\"\n" >bin/less && chmod +x bin/less &&
	prints -i -O"$PWD/bin/less" foo d/e <<-\EOF &&
	-I +/*foo d/e/t
	EOF
	test_expect_code 128 git -C r grep -Oless --cached foo 2>err && test_grep "only works on the worktree" err
'

test_expect_success 'a symbolic link is no file to be searched' '
	mkdir links && echo foo >links/f && ln -s f links/l && mkdir links/d && ln -s ../f links/d/m && ln -s d links/e && echo f >expect &&
	(cd links && git grep --no-index -l foo) >out && test_cmp expect out && (cd links && git grep --no-index -l foo -- "*") >out && test_cmp expect out &&
	test_expect_code 1 git -C links grep --no-index foo -- l d e && git init -q links && git -C links grep --untracked --no-exclude-standard -l foo >out && test_cmp expect out
'

test_expect_success 'paths with an attribute' '
	test_expect_code 1 git -C r grep foo -- ":(attr:lang=c)" &&
	echo "*.c lang=c" >r/.gitattributes && prints -l foo -- ":(attr:lang=c)" <<-\EOF &&
	a.c
	EOF
	prints -l foo HEAD -- ":(attr:lang=c)" <<-\EOF && rm r/.gitattributes &&
	HEAD:a.c
	EOF
	test_expect_code 1 git grep --no-index foo -- ":(attr:lang=c)"
'

test_expect_success 'threads print in the order of the files' '
	git init -q many && (
		cd many &&
		i=100 &&
		while test $i -lt 400
		do
			echo "line $i" >f$i && i=$((i + 1)) || exit 1
		done &&
		git add . && ls f* | sed "s/.*/&:line &/; s/line f/line /" >../expect
	) &&
	for n in 1 2 7; do
		git -C many grep --threads $n line >out && test_cmp expect out &&
		git -C many -c grep.threads=$n grep --cached line >out && test_cmp expect out || return 1
	done &&
	git -C many grep -C1 -h line >out && sed "s/.*://; 2,\$i--" expect >expect.c && test_cmp expect.c out &&
	test_expect_code 128 git -C many grep --threads -2 line 2>err && test_grep "invalid number of threads" err
'

test_expect_success 'a file that is named as a binary one has no mark; the first mark is left out' '
	git init -q marks && cd marks && printf "foo\0\n" >a && printf "%s\n" foo x >b && cp b c && cp a d && git add . &&
	printf "%s\n" "Binary file a matches" b:foo "" c:foo "Binary file d matches" >expect && git grep --break foo >actual && test_cmp expect actual &&
	printf "%s\n" "Binary file a matches" b:foo b-x -- c:foo c-x "Binary file d matches" >expect && git grep -A1 foo >actual && test_cmp expect actual
'

test_expect_success 'a file is searched as it is, whatever size the index has of it' '
	git init -q sizes && cd sizes && test_when_finished "cd .." && for f in grown shrunk same empty pipe link directory gone; do printf "one\ntwo\n" >$f || return; done && git add . &&
	printf "one\ntwo\nnew\n" >grown && echo new >shrunk && printf "new\nnew\n" >same && : >empty && rm pipe link directory gone && mkfifo pipe && ln -s grown link && mkdir directory &&
	echo new >directory/f && git grep -c new >out && printf "%s\n" grown:1 same:2 shrunk:1 >want && test_cmp want out && git grep -L new >out && echo empty >want && test_cmp want out
'

test_expect_success STRACE 'a file of the size that the index has is opened, read and closed, and no more' '
	git init -q plain && cd plain && test_when_finished "cd .." && echo one >f && git add f && ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -o trace -P f git grep one && grep -v "+++" trace >calls && test_line_count = 3 calls
'

test_done
