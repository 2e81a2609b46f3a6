#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='options of git-diff(1) in git log: order, context, indicators, prefixes, objects'
. "$(dirname "$0")/test-lib.sh"

# lines EXPECTED ARGS: what log -1 --format= ARGS prints, lines joined by "|"
lines () {
	local expect="$1" && shift &&
	git "$@" >out && actual=$(tr '\n' '|' <out) &&
	test "$actual" = "$expect" && return
	echo "git $*: expected '$expect', got '$actual'" && return 1
}
log="log -1 --format="

test_expect_success 'a history' '
	git init -q -b main && printf "out\nerr\nactual\nexpect\next\n" >.git/info/exclude && mkdir d && printf "%s\n" "int f(void)" "{" "	a;" "	b;" "	c;" "	d;" "	e;" "}" "" \
		"/* g */" "int g(void)" "{" "	x;" "}" >d/f.c && seq 3 >a && seq 3 >z && : >empty && git add . && test_tick &&
	git commit -q -m one && git tag one && sed -i s/d\;/D\;/ d/f.c && seq 4 >a && seq 2 3 >z && git add . && test_tick &&
	git commit -q -m two && git tag two
'

test_expect_success '-O, diff.orderFile: by the first pattern that matches the path or a directory of it' '
	printf "#d\n\nz\nd*\n" >.git/order && lines "z|d/f.c|a|" $log --name-only -O.git/order &&
	lines "z|d/f.c|a|" -c diff.orderFile=.git/order $log --name-only &&
	lines "a|d/f.c|z|" -c diff.orderFile=.git/order $log --name-only -O/dev/null &&
	(cd d && lines "z|d/f.c|a|" $log --name-only -O../.git/order) &&
	test_expect_code 128 git log -p -O.git/none 2>err && test_grep "failed to read orderfile .*No such file" err
'

test_expect_success '--rotate-to, --skip-to: the last one counts; a place where the file would be' '
	lines "d/f.c|z|a|" $log --name-only --rotate-to=d/f.c && lines "d/f.c|z|" $log --name-only --skip-to=d/f.c &&
	lines "d/f.c|z|a|" $log --name-only --skip-to=z --rotate-to=b &&
	lines "a|d/f.c|z|" $log --name-only --rotate-to=zz
'

test_expect_success '-W: the whole function, with what stands above it' '
	git log -1 --format= -p -U0 -W d/f.c >out && test_grep "^@@ -1,10 +1,10 @@" out && test_grep "^ int f(void)" out &&
	test_grep ! "g(void)" out && git log -1 --format= -p -U0 -W --no-function-context d/f.c >out &&
	test_grep "^@@ -6 +6 @@ int f(void)" out &&
	sed -i s/x\;/X\;/ d/f.c && test_tick && git add . && git commit -q -m three &&
	git log -1 --format= -p -U0 -W d/f.c >out && test_grep "^@@ -10,5 +10,5 @@" out && test_grep "^ /\* g" out
'

test_expect_success '-I: changes of nothing but such lines' '
	lines "1	0	a|1	1	d/f.c|0	1	z|" log -1 --format= --numstat two &&
	lines "1	0	a|0	1	z|" log -1 --format= --numstat "-I[dD];" two &&
	lines "1	1	d/f.c|" log -1 --format= --numstat -I^4$ --ignore-matching-lines=1 two &&
	test_expect_code 129 git log "-I(" 2>err && test_grep "invalid regex given to -I: .(" err
'

test_expect_success 'indicators, prefixes' '
	git log -1 --format= -p --output-indicator-new="*" --output-indicator-old=/ --output-indicator-context=. two -- z >out &&
	tail -n 3 out >actual && printf "/1\n.2\n.3\n" >expect && test_cmp expect actual &&
	git log -1 --format= -p --output-indicator-new="*" two -- a >out && test_grep "^\*4" out &&
	test_expect_code 129 git log --output-indicator-old=ab 2>err && test_grep "expects a character, got .ab" err &&
	for o in "-c diff.srcPrefix=x/ -c diff.dstPrefix=y/ $log" "$log --src-prefix=x/ --dst-prefix=y/"
	do
		git $o -p two -- a >out && test_grep "^diff --git x/a y/a" out || return 1
	done &&
	git -c diff.noprefix=true $log -p two -- a >out && test_grep "^--- a$" out &&
	git -c diff.noprefix=true $log -p --default-prefix two -- a >out && test_grep "^--- a/a$" out
'

test_expect_success '--ws-error-highlight' '
	printf "a \n" >ws && git add . && git commit -q -m ws && printf "b \n" >ws && git add . && git commit -q -m ws2 &&
	count () { git log -1 --format= -p --color=always "$@" -- ws | grep -c "41m"; } &&
	test $(count) = 1 && test $(count --ws-error-highlight=all) = 2 && test $(count --ws-error-highlight=old) = 1 &&
	test $(count --ws-error-highlight=none) = 0 &&
	test $(git -c diff.wsErrorHighlight=old,new log -1 --format= -p --color=always | grep -c "41m") = 2 &&
	test_expect_code 129 git log --ws-error-highlight=some 2>err && test_grep "unknown value" err
'

test_expect_success '--find-object' '
	lines "two|" log --format=%s --find-object=two:a && lines "one|" log --format=%s --find-object=main:empty &&
	lines "two|one|" log --format=%s --find-object=one:z &&
	test_must_fail git log --find-object=none 2>err && test_grep "unable to resolve .none" err &&
	test_must_fail git log --find-object=two:z -Sx 2>err && test_grep "cannot be used together" err
'

test_expect_success '--check: kinds of errors, conflict markers, the exit code' '
	printf "a\n" >c && git add . && git commit -q -m c &&
	printf "a\nb \n \tc\n<<<<<<< ours\n<<<<<<<x\n========\n\n" >c && git add . && git commit -q -m c2 &&
	test_expect_code 2 git $log --check >out && printf "%s\n" "c:2: trailing whitespace." "+b " \
		"c:3: space before tab in indent." "+ 	c" "c:4: leftover conflict marker" "c:7: new blank line at EOF." >expect &&
	test_cmp expect out && git $log --check main~1 >out && test_must_be_empty out &&
	echo "c -whitespace conflict-marker-size=9" >.git/info/attributes && test_expect_code 0 git $log --check >out &&
	test_must_be_empty out && echo "c whitespace=tab-in-indent,-blank-at-eof,-blank-at-eol,-space-before-tab" >.git/info/attributes &&
	test_expect_code 2 git $log --check >out && test_grep "c:3: tab in indent" out && test_grep ! "c:2:" out &&
	rm .git/info/attributes && test_must_fail git log --check --name-only 2>err && test_grep "cannot be used together" err
'

test_expect_success '--dirstat' '
	mkdir -p p/q p/r && seq 100 >p/q/a && seq 10 >p/r/b && seq 10 >top && git add . && git commit -q -m dirs &&
	lines "  83.3% p/q/|   8.3% p/r/|" $log --dirstat=lines && lines "  83.3% p/q/|" $log -X10,lines &&
	lines "  83.3% p/q/|   8.3% p/r/|  91.6% p/|" $log --dirstat=lines --cumulative &&
	lines "  33.3% p/q/|  33.3% p/r/|" $log --dirstat-by-file && lines "  87.4% p/q/|   6.2% p/r/|" $log --dirstat &&
	lines "  33.3% p/q/|  33.3% p/r/|" -c diff.dirstat=files $log --dirstat &&
	mkdir -p s/t && echo x >s/t/f && git add . && git commit -q -m deep && lines " 100.0% s/t/|" $log --dirstat=lines,cumulative &&
	test_expect_code 128 git log --dirstat=odd 2>err && test_grep "Unknown dirstat parameter .odd" err
'

# words ARGS: the hunks of the last commit
words () {
	git "$@" -p >out && sed "1,/^@@/d" out >actual
}

test_expect_success '--word-diff: an empty line is not coloured, whatever ends it' '
	printf "a\r\n\r\n\nb\r\n" >cr.old && printf "a\r\n\r\n\nc\r\n" >cr.new &&
	test_expect_code 1 git diff --no-index --word-diff --color=always cr.old cr.new >out &&
	printf "\r\n\n" >expect && sed -n -e "/^.\$/p" -e "/^\$/p" out >actual && test_cmp expect actual
'

test_expect_success '--word-diff' '
	printf "one two three\nf(a, b);\nsame\n\nonly old\n" >v && git add . && git commit -q -m v &&
	printf "one 2 three four\nf(a, c);\nsame\nonly new\n\ntail" >v && git add . && git commit -q -m v2 &&
	words $log --word-diff && cat >expect <<-\EOF && test_cmp expect actual &&
	one [-two-]{+2+} three {+four+}
	f(a, [-b);-]{+c);+}
	same
	{+only new+}

	[-only old-]{+tail+}
	EOF
	words $log --word-diff=porcelain && cat >expect <<-\EOF && test_cmp expect actual &&
	 one 
	-two
	+2
	  three 
	+four
	~
	 f(a, 
	-b);
	+c);
	~
	 same
	~
	+only new
	~
	 
	~
	-only old
	+tail
	~
	EOF
	words $log --word-diff-regex="[a-z]+|[^[:space:]]" && test_grep "^f(a, \[-b-\]{+c+});" actual &&
	words -c diff.wordRegex=. $log --word-diff && test_grep "^f(a, \[-b-\]{+c+});" actual &&
	echo "v diff=v" >.git/info/attributes && git config diff.v.wordRegex "[a-z]+" &&
	words $log --word-diff && test_grep "^f(a, \[-b-\]{+c+});" actual && rm .git/info/attributes &&
	words $log --color-words="[a-z]+" && test_grep "[[]31mb.*[[]32mc" out && test_grep ! "f(a, \[-" out &&
	words $log --word-diff --word-diff=none && test_grep "^+only new" actual &&
	test_expect_code 129 git log --word-diff=odd 2>err && test_grep "bad --word-diff argument: odd" err &&
	test_must_fail git $log -p --word-diff-regex="(" 2>err && test_grep "invalid regular expression" err
'

test_expect_success 'textconv: patches compare what the program prints, counts do not' '
	printf "a\0b\n" >n.bin && printf "x\ny\n" >n.up && git add . && git commit -q -m n &&
	printf "a\0c\n" >n.bin && printf "x\nz\n" >n.up && git add . && git commit -q -m n2 &&
	printf "*.bin diff=bin\n*.up diff=up\n" >.git/info/attributes &&
	git config diff.bin.textconv "tr \"\\\\0\" _ <" && git config diff.up.textconv "tr a-z A-Z <" &&
	mkdir .git/tmp && TMPDIR=$PWD/.git/tmp git $log -p >out && rmdir .git/tmp && test_grep "^-a_b" out && test_grep "^+a_c" out && test_grep "^ X" out && test_grep "^+Z" out &&
	git $log -p --no-textconv >out && test_grep "^Binary files" out && test_grep "^+z" out &&
	lines "-	-	n.bin|1	1	n.up|" $log --numstat &&
	git config diff.up.textconv "false" && test_must_fail git $log -p 2>err && test_grep "could not convert .n.up" err &&
	git config --unset diff.up.textconv && git config --unset diff.bin.textconv
'

test_expect_success 'external diffs: arguments, who is asked, exit codes' '
	write_script ext <<-\EOF &&
	echo "$1 $3 $4 $6 $7 $(cat "$2" | wc -l) $(tail -n 1 "$5") $GIT_DIFF_PATH_COUNTER/$GIT_DIFF_PATH_TOTAL $8"
	test -z "$9" || printf "%s\n" "$9"
	exit ${EXIT:-0}
	EOF
	old=$(git rev-parse HEAD~1:n.up) new=$(git rev-parse HEAD:n.up) &&
	lines "n.up $old 100644 $new 100644 2 z 1/1 |" -c diff.external="$PWD/ext" $log -p --ext-diff -- n.up &&
	GIT_EXTERNAL_DIFF="$PWD/ext" && export GIT_EXTERNAL_DIFF && lines "n.up $old 100644 $new 100644 2 z 1/1 |" $log -p --ext-diff -- n.up &&
	git $log -p -- n.up >out && test_grep "^diff --git" out && git $log -p --ext-diff --no-ext-diff -- n.up >out && test_grep "^diff --git" out &&
	EXIT=1 && export EXIT && test_expect_code 128 git $log -p --ext-diff -- n.up >out 2>err && test_grep "external diff died, stopping at n.up" err &&
	GIT_EXTERNAL_DIFF_TRUST_EXIT_CODE=1 git $log -p --ext-diff -- n.up && unset GIT_EXTERNAL_DIFF EXIT &&
	mv n.up m.up && echo w >>m.up && git add -A && git commit -q -m mv && git config diff.up.command "$PWD/ext" &&
	git $log -p --ext-diff >out && test_grep "^n.up .* 1/1 m.up$" out && test_grep "^similarity index" out && test_grep "^rename to m.up" out &&
	git rm -q m.up && git commit -q -m rm && git $log -p --ext-diff >out && test_grep "^m.up .* 100644 \. \. 3" out &&
	rm .git/info/attributes && git config --unset diff.up.command
'

test_expect_success '--output, --exit-code' '
	git log -2 -p >out && git log -2 -p --output=.git/o >actual && test_must_be_empty actual && test_cmp out .git/o &&
	(cd d && git log -2 -p --output=../.git/p) && test_cmp out .git/p &&
	git log -1 -p --color=always --output=.git/o && test_grep "[[]m" .git/o &&
	test_expect_code 128 git log --output=none/o 2>err && test_grep "could not open .none/o. for writing" err &&
	test_expect_code 1 git log --exit-code -1 && git log -1 --exit-code --no-exit-code && test_expect_code 0 git log -1 --exit-code -- none &&
	git commit -q --allow-empty -m nothing && git log -1 --exit-code -p
'

test_expect_success 'with ignored changes, names are of files that have others' '
	printf "a  b\n" >w && git add . && git commit -q -m w && printf "a b\n" >w && echo >>z && git add . && git commit -q -m w2 &&
	lines "w|z|" $log --name-only && lines "z|" $log --name-only -b && lines "z|" $log --name-only -I^a
'

test_expect_success '--no-rename-empty' '
	mv empty hollow && git add -A && git commit -q -m moved && lines "R100	empty	hollow|" $log --name-status &&
	lines "D	empty|A	hollow|" $log --name-status --no-rename-empty
'

test_expect_success '-z does not concern the names of --stat and --summary' '
	git init -q names && cd names && echo 1 >"\"q" && git add . && git commit -q -m one && echo 2 >"\"q" && echo new >"n	t" && git add . &&
	git diff --cached --stat --summary >want && test_grep "^ \"..q\"  *| 2 +-$" want && git diff --cached -z --stat --summary >got && test_cmp want got && git diff --cached -z --name-only >got && printf "\"q\0n\tt\0" >want && cmp want got
'

test_expect_success 'diff.suppressBlankEmpty: an empty line of context has no colour' '
	git init -q blank && printf "1\n\n2\n" >blank/f && git -C blank add f && printf "1\n\n3\n" >blank/f && for o in "" --color-moved; do
		git -C blank -c diff.suppressBlankEmpty=true -c color.diff.context=blue diff --color $o >out && sed -n "6,7p" out >actual &&
		printf "\033[34m 1\033[m\n\n" >expect && test_cmp expect actual || return 1
	done
'

test_done
