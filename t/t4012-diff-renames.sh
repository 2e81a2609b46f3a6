#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='renames: which source a file has where several are as good'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'set up' '
	git init -q -b main
'

# before, after: commit the present files
before () {
	git add -A && git commit -q -m before
}

# renames EXPECTED OPTIONS: the pairs of this commit, "R100 old new|…"
renames () {
	local expect="$1" && shift &&
	git add -A && git commit -q -m after && git log -1 --format= --name-status "$@" >out &&
	actual=$(tr '\t\n' ' |' <out) && rm -rf * &&
	test "$actual" = "$expect" && return
	echo "$*: expected '$expect', got '$actual'" && return 1
}

# text FROM TO: that many lines, of the same length
text () {
	seq -f "line %04g" $1 $2
}

test_expect_success 'the same content: the first source' '
	text 1 9 | tee s1 s2 >s3 && before && mv s2 t && rm s1 s3 &&
	renames "D s2|D s3|R100 s1 t|"
'

test_expect_success 'the same content: the source of the same base name' '
	mkdir a b c && text 1 9 | tee a/w a/x >b/y && before && rm -r a && mv b/y c/y &&
	renames "D a/w|D a/x|R100 b/y c/y|"
'

test_expect_success 'the same content: every source once, in order' '
	text 1 9 | tee s1 s2 >s3 && before && mv s1 t1 && mv s2 t2 && rm s3 &&
	renames "D s3|R100 s1 t1|R100 s2 t2|"
'

test_expect_success 'the same content: no source twice' '
	text 1 9 >s && before && rm s && text 1 9 | tee t1 >t2 &&
	renames "R100 s t1|A t2|"
'

test_expect_success 'the same content, copies: a source that is not in use, then the first' '
	text 1 9 | tee m >z && before && echo more >>m && mv z t &&
	renames "M m|R100 z t|" -C &&
	text 1 9 | tee s1 >s2 && before && mv s1 t1 && mv s2 t2 && cp t1 t3 && cp t1 t4 &&
	renames "C100 s1 t1|R100 s2 t2|C100 s1 t3|R100 s1 t4|" -C
'

test_expect_success 'similar: the first source' '
	text 1 40 | tee s1 s2 s3 s4 s5 s6 >s7 && before && rm s? && text 1 30 >t &&
	renames "D s2|D s3|D s4|D s5|D s6|D s7|R075 s1 t|"
'

test_expect_success 'similar: the source of the same base name' '
	mkdir a b c && text 1 40 | tee a/w a/y b/w >b/y && before && rm -r a b && text 1 25 >c/y &&
	renames "D a/w|D b/w|D b/y|R062 a/y c/y|"
'

test_expect_success 'similar: the first target' '
	text 1 40 >s && before && rm s && text 1 30 >t1 && (text 1 15 && text 26 40) >t2 &&
	renames "R075 s t1|A t2|"
'

test_expect_success 'similar: the most similar pair first, whatever their order' '
	text 1 40 >s1 && text 1 38 >s2 && before && rm s? && text 1 36 >t1 && text 1 37 >t2 &&
	renames "R090 s1 t1|R097 s2 t2|"
'

test_expect_success 'similar: four candidates for each target' '
	text 1 40 | tee s1 s2 s3 >s4 && text 3 40 >s5 && before && rm s? && (text 5 40; echo other) >t1 && text 4 40 >t2 &&
	renames "D s1|D s3|D s4|R090 s2 t1|R097 s5 t2|"
'

test_expect_success 'a unique base name goes before a better source' '
	mkdir a b && text 1 40 >a/x && text 1 36 >a/y && before && rm -r a && text 1 35 >b/x &&
	renames "D a/y|R087 a/x b/x|"
'

test_expect_success 'a base name that several have does not count' '
	mkdir a b c && text 1 40 >a/x && text 1 37 >b/x && before && rm -r a b && text 1 36 >c/x &&
	renames "D a/x|R097 b/x c/x|" &&
	mkdir a b c && text 1 40 >a/x && before && rm -r a && text 1 36 >b/x && text 1 37 >c/x &&
	renames "A b/x|R092 a/x c/x|"
'

test_expect_success 'exactly at the limit of a base name, and below it' '
	mkdir a b && text 1 40 >a/x && text 1 31 >a/y && before && rm -r a && text 1 30 >b/x &&
	renames "D a/y|R075 a/x b/x|" &&
	mkdir a b && text 1 40 >a/x && text 1 31 >a/y && before && rm -r a && text 1 29 >b/x &&
	renames "D a/x|R093 a/y b/x|"
'

test_expect_success 'exactly as similar as asked for, and less' '
	text 1 40 >s && before && rm s && text 1 20 >t && renames "R050 s t|" &&
	text 1 40 >s && before && rm s && text 1 19 >t && renames "D s|A t|" &&
	text 1 40 >s && before && rm s && text 1 32 >t && renames "R080 s t|" -M80% &&
	text 1 40 >s && before && rm s && text 1 31 >t && renames "D s|A t|" -M80%
'

test_expect_success 'a last line without its newline counts as the others do' '
	{ text 1 4 && printf "line 0005"; } >old && before && { text 2 4 && printf "line 0005"; } >new && rm old &&
	renames "R079 old new|"
'

test_expect_success 'a warning where a limit may have hidden renames' '
	git checkout -q --orphan limits && git rm -rqf --ignore-unmatch . &&
	for i in 1 2 3; do text ${i}00 ${i}50 >a$i || return 1; done && before &&
	for i in 1 2 3; do git mv a$i b$i && echo x >>b$i || return 1; done && echo new >z && git add z && git commit -qam renames &&
	echo 1 >c && git add c && git commit -qm c && echo 2 >>c && cp c d && git add . && git commit -qm copies &&
	limited () {
		local needed="$1" words="$2" && shift 2 && git "$@" >out 2>err && test_line_count = 2 err &&
		test_grep "^warning: $words due to too many files.\$" err &&
		test_grep "your diff.renameLimit variable to at least $needed and retry" err
	} &&
	exhaustive="exhaustive rename detection was skipped" &&
	limited 6 "$exhaustive" -c diff.renameLimit=1 diff HEAD~3 &&
	limited 6 "$exhaustive" diff -l2 HEAD~3 HEAD &&
	limited 4 "$exhaustive" log -l1 --stat HEAD~1 &&
	limited 4 "$exhaustive" show -l3 HEAD~2 &&
	limited 4 "$exhaustive" diff-tree -l1 -M HEAD~2 &&
	limited 6 "$exhaustive" diff-index -l1 -M HEAD~3 &&
	limited 5 "only found copies from modified paths" diff -l2 -C -C HEAD~1 HEAD &&
	limited 5 "only found copies from modified paths" log -l2 -C -C --raw -1 &&
	for none in "diff -l6 HEAD~3" "diff -l1 --quiet HEAD~3 HEAD~3" "diff -l1 --no-renames HEAD~3" "diff -l0 HEAD~3" \
		"log -l1" "status" "log --follow -l1 -p c"; do
		git $none >out 2>err && test_must_be_empty err || return 1
	done
'

test_done
