#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='exit codes of differences without lines, names of functions, old settings'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

test_expect_success 'two commits: a change of blanks, and one of a line' '
	git init -q -b main r &&
	printf "a\nb\n" >r/f && printf "x y\n" >r/g && git -C r add . && git -C r commit -qm one &&
	printf "a\nB I\n" >r/f && printf "x  y\n" >r/g && git -C r commit -qam two
'

test_expect_success 'lines that are ignored make no exit code' '
	for o in -I. "-b -p" "-w --stat" "-b --raw" "-b --quiet" "-I. --quiet"; do
		git -C r diff $o --exit-code HEAD~1 HEAD -- g &&
		git -C r diff-tree $o --exit-code HEAD~1 HEAD -- g &&
		git -C r diff-index $o --exit-code HEAD~1 -- g &&
		git -C r diff-index --cached $o --exit-code HEAD~1 -- g &&
		git -C r log -1 $o --exit-code -- g &&
		git -C r show $o --exit-code HEAD -- g || return 1
	done
'

test_expect_success 'other lines do' '
	for o in -IB "-b -p" "-w --stat" "-b --raw" "-b --quiet"; do
		test_expect_code 1 git -C r diff $o --exit-code HEAD~1 HEAD &&
		test_expect_code 1 git -C r diff-tree $o --exit-code HEAD~1 HEAD &&
		test_expect_code 1 git -C r diff-index $o --exit-code HEAD~1 &&
		test_expect_code 1 git -C r show $o --exit-code HEAD || return 1
	done
'

test_expect_success 'a change that conversion undoes does not count' '
	printf "x  y\r\n" >r/g &&
	git -C r -c core.autocrlf=true diff --exit-code >out && test_must_be_empty out &&
	git -C r -c core.autocrlf=true diff --quiet &&
	git -C r -c core.autocrlf=true diff --raw --exit-code &&
	test_expect_code 1 git -C r diff --quiet &&
	printf "x  z  \r\n" >r/g &&
	test_expect_code 1 git -C r -c core.autocrlf=true diff --quiet &&
	git -C r checkout -q g
'

test_expect_success 'diff.<driver>.funcname is a basic expression, and the last pattern says yes' '
	printf "fo+ bar\n 1\n 2\n 3\n 4\n 5\n" >r/c.x && echo "*.x diff=x" >r/.gitattributes &&
	git -C r add . && git -C r commit -qm c && printf "fo+ bar\n 1\n 2\n 3\n 4\n 6\n" >r/c.x &&
	git -C r -c diff.x.funcname="^fo+" diff c.x >out && test_grep "@@ fo+\$" out &&
	git -C r -c diff.x.xfuncname="^fo+" diff c.x >out && test_grep "@@ fo\$" out &&
	git -C r -c diff.x.xfuncname=bar -c diff.x.funcname="\(fo\)" diff c.x >out && test_grep "@@ fo\$" out &&
	git -C r -c diff.x.funcname=fo -c diff.x.xfuncname="(bar)" diff c.x >out && test_grep "@@ bar\$" out &&
	test_must_fail git -C r -c diff.x.funcname="foo
!x" diff c.x 2>err &&
	test_grep "fatal: Last expression must not be negated: !x" err &&
	test_must_fail git -C r -c diff.x.xfuncname="!x" log -L:fo:c.x 2>err &&
	test_grep "Last expression must not be negated: !x" err &&
	git -C r -c diff.x.xfuncname="!x
^fo" diff c.x
'

test_expect_success 'GIT_DIFF_OPTS comes before options' '
	GIT_DIFF_OPTS=-u1 git -C r diff -U2 c.x >out && test_grep "^@@ -5,2 +5,2 @@" out &&
	GIT_DIFF_OPTS=--unified=0 git -C r diff-files -p >out && test_grep "^@@ -6 +6 @@" out &&
	GIT_DIFF_OPTS=1 git -C r diff c.x >out && test_grep "^@@ -3,4 +3,4 @@" out
'

test_expect_success 'old names of settings of colours' '
	git -C r -c diff.color.old="blue" diff --color c.x >out && test_grep "$(printf "\033\[34m")- 5" out &&
	git -C r -c diff.color.plain="blue" diff --color c.x >out && test_grep "$(printf "\033\[34m")  4" out &&
	git -C r -c color.diff.old=red -c diff.color.old=blue diff --color c.x >out && test_grep "$(printf "\033\[34m")- 5" out &&
	git -C r -c diff.color.old=blue -c color.diff.old=red diff --color c.x >out && test_grep "$(printf "\033\[31m")- 5" out &&
	git -C r -c diff.color.commit=blue log -1 --color >out && test_grep "$(printf "\033\[34m")commit" out &&
	git -C r -c diff.color=always diff c.x >out && test_grep "$(printf "\033\[31m")- 5" out &&
	test_must_fail git -C r -c diff.color.old=nothing diff
'

test_expect_success 'the names of "A:x..B:y", and no two ranges' '
	git -C r checkout -q -f && mv r/f r/h && git -C r add -A && git -C r commit -qm moved &&
	git -C r diff HEAD~3:f..HEAD:h >out &&
	test_grep "^diff --git a/f b/h\$" out &&
	for two in "HEAD~2..HEAD HEAD~1..HEAD" "HEAD HEAD~1..HEAD" "HEAD~2..HEAD ^HEAD~1" "HEAD~2..HEAD HEAD~1"; do
		test_expect_code 129 git -C r diff $two 2>err || return 1
	done
'

test_expect_success 'another program gets relative paths, and a change of type at once' '
	mkdir r/d && echo 1 >r/d/a && git -C r add . && git -C r commit -qm d &&
	printf "#!/bin/sh\necho \"\$# \$1 \$4 \$7\"\n" >ext && chmod +x ext && ext=$PWD/ext &&
	echo 2 >r/d/a && git -C r commit -qam 2 &&
	(cd r/d && GIT_EXTERNAL_DIFF=$ext git diff --relative HEAD~1 HEAD) >out &&
	echo "7 a 100644 100644" >expect && test_cmp expect out &&
	rm r/d/a && ln -s x r/d/a &&
	GIT_EXTERNAL_DIFF=$ext git -C r diff >out &&
	echo "7 d/a 100644 120000" >expect && test_cmp expect out &&
	git -C r diff >out && test_grep "^deleted file mode 100644" out && test_grep "^new file mode 120000" out &&
	git -C r checkout -q d
'

test_expect_success 'diff-tree -c -t shows trees of merges' '
	git -C r checkout -q -b side HEAD~1 && echo 3 >r/d/a && git -C r commit -qam side &&
	tree=$(git -C r write-tree) && echo 4 >r/d/a && git -C r add . &&
	m=$(git -C r commit-tree -p HEAD -p main -m m $(git -C r write-tree)) &&
	git -C r diff-tree -c -t --name-status $m >out &&
	printf "%s\nMM\td\nMM\td/a\n" $m >expect && test_cmp expect out &&
	git -C r diff-tree -c $m >out && test_grep ! "	d\$" out &&
	git -C r diff-tree -c --find-object=$(git -C r rev-parse $m:d) $m >out && test_grep "MM	d\$" out &&
	git -C r diff-tree -c -t -p $m >out && test_grep "^diff --combined d/a" out
'

test_expect_success 'diff-tree -c --find-object compares trees alone, as without it: a link in the place of a file is modified, -R does nothing' '
	git init -q links && (cd links && echo a >f && echo b >g && git add . && git commit -q -m base && git checkout -q -b side && echo c >g && git commit -q -a -m side &&
	 git checkout -q - && echo h >h && git add h && git commit -q -m other && git merge -q --no-commit side && rm f && ln -s x f && git add f && git commit -q -m merge &&
	 id=$(git rev-parse HEAD:f) && old=$(git rev-parse HEAD^:f) && printf "::100644 100644 120000 %s %s %s MM\tf\n" $old $old $id >expect &&
	 git diff-tree -c --no-commit-id HEAD >out && test_cmp expect out && git diff-tree -c -R --no-commit-id --find-object=$id HEAD >out && test_cmp expect out &&
	 git diff-tree -c --no-commit-id --find-object=$old HEAD >out && test_cmp expect out)
'

test_expect_success 'diff-tree -c -t: a directory in the place of a file' '
	(cd links && git mv g k && mkdir g && echo a >g/x && git add g && git commit -q --amend -m merge &&
	 git diff-tree -c -t --name-status --no-commit-id HEAD >out && printf "%s\t%s\n" MM f DD g AA g AA g/x AA k | sort >expect && sort out >actual && test_cmp expect actual)
'

test_expect_success '-S and -G search what textconv makes; a program that fails is an error' '
	git -C r checkout -q -f main && printf "#!/bin/sh\ntr a-z A-Z <\"\$1\"\n" >upper && chmod +x upper &&
	echo "*.u diff=up" >>r/.gitattributes && echo hello >r/t.u && git -C r add . && git -C r commit -qm t &&
	echo "hello world" >r/t.u && git -C r commit -qam t2 && echo t2 >expect &&
	git -C r config diff.up.textconv "\"$PWD/upper\"" &&
	for o in "-S WORLD" "-G WORLD" "-S WOR.D --pickaxe-regex" "-S world --no-textconv" "-S world -i"; do
		git -C r log --format=%s $o >out && test_cmp expect out &&
		git -C r diff --quiet $o HEAD~2 HEAD~1 &&
		test_expect_code 1 git -C r diff --quiet $o HEAD~1 HEAD || return 1
	done &&
	git -C r log --format=%s -S world >out && test_must_be_empty out &&
	git -C r diff-tree -S world HEAD~1 HEAD >out && test_line_count = 1 out &&
	git -C r config diff.up.textconv "$PWD/missing" &&
	test_expect_code 128 git -C r log -S world && test_expect_code 128 git -C r diff -G world HEAD~1 HEAD &&
	for c in "diff HEAD~1" "show --textconv HEAD:t.u" "cat-file --textconv HEAD:t.u"; do
		test_expect_code 128 git -C r $c 2>err && test_grep "^error: cannot run .*missing: No such file or directory\$" err &&
		test_grep "^fatal: unable to read files to diff\$" err || return 1
	done &&
	test_expect_code 128 git -C r -c diff.up.textconv=false diff HEAD~1 2>err && test_grep "^fatal: unable to read files to diff: .false." err
'

test_expect_success '"sub/" means a submodule, too' '
	sub=$(git -C r rev-parse HEAD) && git -C r update-index --add --cacheinfo 160000,$sub,sub &&
	git -C r commit -qm link && echo sub >expect &&
	git -C r log --format=%s -- sub/ >out && echo link >want && test_cmp want out &&
	git -C r log --format=%s -1 -- . ":!sub/" >out && echo t2 >want && test_cmp want out &&
	git -C r diff --name-only HEAD~1 HEAD -- sub/ >out && test_cmp expect out &&
	git -C r diff-index --cached --name-only HEAD~1 -- sub/ >out && test_cmp expect out &&
	git -C r log --format=%s -- c.x/ >out && test_must_be_empty out
'

# entry NAME: a tree with a file of that name, which need not be possible
entry () {
	{ printf "100644 $1\0" && echo hello | git -C r hash-object -w --stdin | perl -ne "chomp; print pack q(H*), \$_"; } |
		git -C r hash-object -t tree -w --literally --stdin
}

test_expect_success PERL 'names that lead out of the tree: quoted in headers; programs get a file of the last part in a directory of its own' '
	mkdir -p tmp/in && (TMPDIR=$PWD/tmp/in && export TMPDIR && for name in ../evil .git/config a/../../b /abs; do
		tree=$(entry "$name") && printf "new file mode 100644\n--- /dev/null\n+++ b/${name#/}\n" >expect &&
		git -C r diff $EMPTY_TREE $tree >diff && grep "^new\|^---\|^+++" diff >actual && test_cmp expect actual &&
		GIT_EXTERNAL_DIFF="sh -c \"echo \\\$4\"" git -C r diff $EMPTY_TREE $tree >given &&
		grep "^$TMPDIR/git-blob-[A-Za-z0-9]*/${name##*/}$" given && test "$(find "$TMPDIR/.." | wc -l)" = 2 || exit 1
	done &&
	for name in .. . a/..; do
		test_must_fail env GIT_EXTERNAL_DIFF="sh -c \"echo \\\$4\"" git -C r diff $EMPTY_TREE $(entry $name) && test "$(find "$TMPDIR/.." | wc -l)" = 2 || exit 1
	done) &&
	git -C r diff $EMPTY_TREE $(entry "esc\\033[31m") >out && test_grep "^+++ \"b/esc.033\[31m\"$" out && ! grep "$(printf "\033")" out
'

test_expect_success 'GIT_PRINT_SHA1_ELLIPSIS: dots after shortened names in raw lines, and where HEAD moves' '
	GIT_PRINT_SHA1_ELLIPSIS=Yes && export GIT_PRINT_SHA1_ELLIPSIS && test_when_finished "unset GIT_PRINT_SHA1_ELLIPSIS" &&
	git init -q -b main dots && cd dots && i=0 && while test $i -lt 1000; do echo line $i >f$i && i=$((i + 1)); done && git hash-object -w f* >ids &&
	twin=$(cut -c1-4 ids | sort | uniq -d | head -n 1) && twin=$(grep "^$twin" ids | head -n 1) && git update-index --add --cacheinfo 100644,$twin,t && rest=${twin#????} &&
	long=$(git rev-parse --short=4 $twin) && test ${#long} -gt 4 && case ${#long} in 5) dots=..;; 6) dots=.;; *) dots=;; esac &&
	raw () { git diff-index --cached "$@" $EMPTY_TREE >out && printf ":000000 100644 %s %s A\tt\n" "$zero" "$name" >expect && test_cmp expect out; } &&
	zero=0000... name=$long$dots && raw --abbrev=4 && zero=$(echo $ZERO_OID | cut -c1-36)... name=$(echo $twin | cut -c1-36)... &&
	if test ${#twin} = 40; then raw --abbrev=36; fi && zero=$ZERO_OID name=$twin && raw && raw --abbrev=$((${#twin} - 3)) &&
	git commit -q -m one && C=$(git rev-parse --short HEAD) && git checkout --detach 2>err && test_grep "^HEAD is now at $C\.\.\. one" err &&
	GIT_PRINT_SHA1_ELLIPSIS=no && git checkout HEAD^0 2>err && test_grep "^HEAD is now at $C one" err && zero=0000 name=$long && raw --abbrev=4
'

test_expect_success '--max-depth: levels of directories below each path' '
	git init -q -b main deep && cd deep && mkdir -p a/b/c d && for f in a/b/c/f a/g d/z top; do echo $f >$f || return 1; done && git add . && git commit -q -m one &&
	for f in a/b/c/f d/z top; do echo more >>$f || return 1; done && git rm -q -f a/g && git commit -q -a -m two &&
	shows () { local want=$1; shift; git diff-tree --name-only --no-commit-id "$@" | tr "\n" " " >../shown && test "$(cat ../shown)" = "$want "; } &&
	shows "a d top" --max-depth=0 HEAD && shows "a/b a/g d/z top" --max-depth=1 HEAD && shows "a/b/c a/g d/z top" --max-depth=2 HEAD &&
	shows "a/b/c/f a/g d/z top" --max-depth=3 HEAD && shows "a/b/c/f a/g d/z top" --max-depth=-1 HEAD && shows a --max-depth=0 HEAD -- a &&
	shows "a/b a/g" --max-depth=1 HEAD -- a/ && shows a/b/c --max-depth=1 HEAD -- a/b && shows "a/b/c a/g" --max-depth=1 HEAD -- a a/b &&
	shows "a/b/c/f d" --max-depth=0 HEAD -- a/b/c/f d && shows "a d top" --max-depth=1 HEAD -- . && shows "a d top" --max-depth=2 HEAD -- . &&
	shows a --max-depth=1 HEAD -- ":(icase)A" && shows "a a/b a/g d d/z top" -t --max-depth=1 HEAD &&
	git diff --max-depth=0 HEAD^ HEAD >out && grep "^diff" out >heads && test "$(cat heads)" = "diff --git a/top b/top" &&
	git log --format= --raw --max-depth=0 -1 -- a >out && test_grep "^:040000 040000 .* M	a$" out &&
	test_must_fail git diff --max-depth=0 HEAD 2>err && test_grep "^fatal: max-depth is not supported for index diffs" err &&
	test_must_fail git diff --max-depth=0 2>err && test_grep "not supported for worktree diffs" err && test_must_fail git diff-files --max-depth=0 2>err && test_grep worktree err &&
	test_must_fail git diff-index --max-depth=0 HEAD 2>err && test_grep index err && test_must_fail git diff --cached --max-depth=0 2>err && test_grep index err &&
	test_must_fail git diff-tree --max-depth=1 HEAD -- "a*" 2>err && test_grep "max-depth cannot be used with wildcard pathspecs" err &&
	test_must_fail git diff-tree --max-depth=x HEAD 2>err && test_grep "invalid value for .--max-depth.: .x." err &&
	git checkout -q -b side HEAD^ && echo side >>a/b/c/f && echo side >>top && git commit -q -a -m side && tree=$(git write-tree) && M=$(echo m | git commit-tree $tree -p main -p main^) &&
	git diff-tree -c --name-only --no-commit-id --max-depth=0 $M >out && printf "%s\n" a top >expect && test_cmp expect out && git diff-tree --cc --max-depth=0 $M >out && test_grep "^diff --cc top" out
'

test_expect_success 'a word ends at the end of its line, whatever the expression matches' '
	git init -q words && printf "a b\nc d\n" >words/w && git -C words add w && printf "a b\nc e\n" >words/w &&
	git -C words diff "--word-diff-regex=$(printf "[a-e \\n]+x*")" w >out && sed 1,5d out >actual && printf "a b\n[-c d-]{+c e+}\n" >expect && test_cmp expect actual
'

test_expect_success 'rev-list refuses bad values of options of diff as log does' '
	git init -q v && printf "a\nb\n" >v/f && echo x >v/g && git -C v add . && git -C v commit -q -m one &&
	printf "a\nB\n" >v/f && echo y >v/g && git -C v commit -q -a -m two &&
	for o in --color=junk --diff-filter=k -G -lx --unified=x; do
		test_expect_code 129 git -C v rev-list HEAD $o 2>err && test_grep "^error: " err || return 1
	done &&
	test_expect_code 128 git -C v rev-list --ignore-submodules=x HEAD 2>err && test_grep "^fatal: bad --ignore-submodules argument: x" err &&
	git -C v rev-list --ignore-submodules=all HEAD >out && test_line_count = 2 out
'

test_expect_success 'numbers of options of diff have a suffix and a range' '
	git -C v diff -l 1k --inter-hunk-context=0x1 HEAD~1 HEAD >out && test_grep "^diff --git a/g" out &&
	bad () { local text=$1; shift; test_expect_code 129 git -C v diff "$@" 2>err && echo "error: $text" >expect && test_cmp expect err; } &&
	bad "switch \`l${SQ} expects an integer value with an optional k/m/g suffix" -lx && bad "switch \`l${SQ} expects a numerical value" -l "" HEAD &&
	bad "value 2g for switch \`l${SQ} not in range [-2147483648,2147483647]" -l2g &&
	bad "option \`inter-hunk-context${SQ} expects a non-negative integer value with an optional k/m/g suffix" --inter-hunk-context=-1 &&
	bad "value 4g for option \`inter-hunk-context${SQ} not in range [0,4294967295]" --inter-hunk-context=4g &&
	bad "--unified expects a non-negative integer" -U-1 && bad "--unified expects a numerical value" -U1k && bad "stat-width expects a numerical value" --stat-width=x &&
	git -C v diff --stat-width= HEAD~1 >out && test_grep "f | 2" out &&
	git -C v diff --unified= HEAD~1 -- f >out && test_grep ! "^ a" out
'

test_expect_success '--abbrev takes any text, as log does' '
	id=$(git -C v rev-parse HEAD~1:g) && raw () { git -C v diff-tree -r HEAD~1 HEAD "$@" -- g | cut -d" " -f3; } &&
	tree () { git -C v diff HEAD~1 HEAD --raw "$@" -- g | cut -d" " -f3; } &&
	for o in x 0 1 "" 4; do
		test "$(tree --abbrev=$o)" = "$(echo $id | cut -c1-4)" || return 1
	done &&
	test "$(tree --abbrev=7k)" = "$(echo $id | cut -c1-7)" && test "$(tree --abbrev=-1)" = $id && test "$(tree --abbrev=99)" = $id &&
	git -C v diff-files --abbrev=x && test "$(git -C v diff-index --abbrev=x HEAD~1 -- g | cut -d" " -f3)" = "$(echo $id | cut -c1-4)"
'

test_expect_success 'diff of three blobs names the third, diff-tree of one blob is no failure' '
	test_expect_code 128 git -C v diff HEAD:f HEAD:g HEAD~1:f 2>err && echo "fatal: more than two blobs given: ${SQ}HEAD~1:f${SQ}" >expect && test_cmp expect err &&
	git -C v diff-tree HEAD:f 2>err && echo "error: object $(git -C v rev-parse HEAD:f) is a blob, not a commit" >expect && test_cmp expect err
'

test_expect_success 'diff -h: on standard output outside of a repository, on standard error inside' '
	mkdir outside && GIT_CEILING_DIRECTORIES=$PWD && export GIT_CEILING_DIRECTORIES &&
	(cd outside && test_expect_code 129 git diff -h >../out 2>../err) && test_must_be_empty err && test_grep "^usage: git diff --no-index " out &&
	test_expect_code 129 git -C v diff -h >out 2>err && test_must_be_empty out && test_grep "^usage: git diff " err
'

test_expect_success 'options about commits are accepted by what compares trees and files, and change nothing' '
	echo more >>v/f &&
	for c in "diff" "diff-files" "diff-index HEAD"; do
		git -C v $c >expect &&
		for o in --date=iso --pretty --format=%s --oneline --abbrev-commit --graph --show-signature --notes --no-notes \
			--expand-tabs=4 --log-size --full-diff -v --always --no-commit-id --unpacked --no-diff-merges "--encoding UTF-8"; do
			git -C v $c $o >out && test_cmp expect out || return 1
		done &&
		test_expect_code 128 git -C v $c --date=x 2>err && test_grep "^fatal: unknown date format x" err &&
		test_expect_code 128 git -C v $c --diff-merges=x 2>err && test_grep "^fatal: invalid value for .--diff-merges.: .x." err &&
		test_expect_code 129 git -C v $c --decorate 2>err && test_expect_code 129 git -C v $c --source 2>err &&
		test_expect_code 129 git -C v $c --full-index=x 2>err && echo "error: option \`full-index${SQ} takes no value" >expect && test_cmp expect err || return 1
	done &&
	git -C v diff-files -p >expect && git -C v diff-files --diff-merges=on >out && test_cmp expect out && git -C v diff-files --dd >out && test_cmp expect out &&
	git -C v diff-index --cc HEAD >expect && git -C v diff-index --diff-merges=cc HEAD >out && test_cmp expect out
'

test_expect_success 'bounds of history are usage errors of diff-files and diff-index' '
	git -C v diff --since=1 -n1 && git -C v diff-files -n3 && test_expect_code 129 git -C v diff-files -n4 2>err && test_grep "^usage: " err &&
	for o in --since=2000-01-01 --until=2000-01-01; do
		test_expect_code 129 git -C v diff-files $o 2>err && test_expect_code 129 git -C v diff-index HEAD $o 2>err || return 1
	done &&
	test_expect_code 129 git -C v diff-index -n1 HEAD 2>err
'

test_expect_success 'diff-tree and shortlog refuse --decorate, --mailmap and --source, and diff-tree prints its usage for what it does not know' '
	for o in --decorate --decorate=x --no-decorate --decorate-refs=x --mailmap --no-use-mailmap --source --early-output=x; do
		test_expect_code 129 git -C v diff-tree HEAD $o 2>err && test_grep "^usage: git diff-tree" err &&
		test_expect_code 129 git -C v shortlog HEAD $o 2>err && test_grep "^error: unknown option .$o" err || return 1
	done &&
	test_expect_code 129 git -C v rev-list --source HEAD 2>err &&
	git -C v diff-tree HEAD >expect && git -C v diff-tree --graph HEAD >out && test_cmp expect out
'

test_expect_success 'rev-list -v prints headers; options that change nothing' '
	git -C v rev-list --header HEAD >expect && git -C v rev-list -v HEAD >out && cmp expect out &&
	git -C v rev-list HEAD >expect &&
	for o in --show-signature --log-size --diff-merges=on --no-diff-merges --no-commit-id; do
		git -C v rev-list $o HEAD >out && test_cmp expect out || return 1
	done &&
	for o in -c --cc --dd --remerge-diff --full-diff; do
		test_expect_code 129 git -C v rev-list $o HEAD 2>err && test_grep "^usage: " err || return 1
	done &&
	git -C v log >expect && git -C v log -v --count --encoding UTF-8 >out && test_cmp expect out && git -C v log --stdin </dev/null >out && test_cmp expect out
'

test_expect_success 'words for a missing or a bad value' '
	for c in "log" "rev-list HEAD" "diff-tree HEAD" "show" "diff"; do
		test_expect_code 128 git -C v $c -n 2>err && echo "error: -n requires an argument" >expect && test_cmp expect err &&
		test_expect_code 128 git -C v $c --max-age=x 2>err && echo "fatal: ${SQ}x${SQ}: not a number of seconds since epoch" >expect && test_cmp expect err &&
		test_expect_code 129 git -C v $c --color-moved=x 2>err && test_grep "^error: color moved setting must be one of .no., .default., .blocks., .zebra., .dimmed-zebra., .plain.$" err || return 1
	done
'

test_expect_success 'diff warns of a coming change of line endings once for a patch, once for a stat' '
	git init -q -b main eol && cd eol && echo a >f && git add f && git commit -q -m 1 && echo bb >f &&
	for o in "" HEAD "--stat HEAD" --stat -p "-M --raw HEAD" --name-only; do
		git -c core.autocrlf=true diff $o 2>err && test_line_count = 1 err && test_grep "LF will be replaced by CRLF" err || return 1
	done && git -c core.autocrlf=true diff --patch-with-stat 2>err && test_line_count = 2 err
'

test_expect_success '-g leaves diff-index and diff-tree without a revision: wrong usage' '
	cd eol && test_expect_code 129 git diff-index -g HEAD 2>err && test_grep "^usage: git diff-index" err &&
	test_expect_code 129 git diff-tree -g HEAD 2>err && test_grep "^usage: git diff-tree" err && git diff-tree -g --stdin </dev/null && git diff -g HEAD
'

test_expect_success 'a notes ref that an option or a setting names and that is missing makes a warning' '
	git -C v log -1 --notes=none 2>err && echo "warning: notes ref refs/notes/none is invalid" >expect && test_cmp expect err &&
	git -C v -c notes.displayRef=refs/notes/q log -1 2>err && echo "warning: notes ref refs/notes/q is invalid" >expect && test_cmp expect err &&
	git -C v -c notes.displayRef="refs/notes/q*" -c core.notesRef=refs/notes/r log -1 --notes 2>err && test_must_be_empty err
'

test_done
