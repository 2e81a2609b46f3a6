#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git merge-index, git merge-one-file: one program, or one merge, for each file with conflicts'
. "$(dirname "$0")/test-lib.sh"

R=100644 X=100755

blob () {
	printf "$1" | git hash-object -w --stdin
}

# stages PATH BASE OURS THEIRS: "MODE BLOB", "" is a missing version; nothing else is in the index
stages () {
	rm -rf "$1" && rm -f .git/index && path=$1 && shift && stage=1 &&
	for version; do
		test -z "$version" || printf "%s %s\t%s\n" "$version" $stage $path
		stage=$((stage + 1))
	done >info && git update-index --index-info <info
}

# merge_stages CODE: of the versions of the last `stages`; stdout and stderr to `out`
merge_stages () {
	code=$1 && shift &&
	test_expect_code $code git merge-one-file "${1#* }" "${2#* }" "${3#* }" $path "${1% *}" "${2% *}" "${3% *}" >out 2>&1
}

# case CODE BASE OURS THEIRS: expected output on stdin
merges () {
	cat >expect && code=$1 && shift && stages f "$@" && { test -z "$file" || echo "$file" >f; } &&
	merge_stages $code "$@" && test_cmp expect out
}

git init -q -b main .
A=$(blob "1\n2\n3\n4\n5\n") B=$(blob "x\n2\n3\n4\n5\n") C=$(blob "1\n2\n3\n4\ny\n") D=$(blob "z\n2\n3\n4\n5\n")
L=$(blob target) M=$(blob other) BIN=$(blob "a\0b") file=
echo "Auto-merging f" >auto

test_expect_success 'merge-index: arguments of the program' '
	stages f "$R $A" "$R $B" "$X $C" && printf "$R $A 1\tg\n$R $B 2\tg\n$R $B 0\tclean\n" >info &&
	git update-index --index-info <info &&
	echo "$A $B $C f $R $R $X" >expect && git merge-index echo f >out && test_cmp expect out &&
	git merge-index echo clean >out && test_must_be_empty out &&
	echo "$A $B  g $R $R " >>expect && git merge-index echo -a >out && test_cmp expect out &&
	git merge-index echo f -- g >out && test_cmp expect out &&
	mkdir -p sub && (cd sub && git merge-index echo f g) >out && test_cmp expect out
'

test_expect_success 'merge-index: failures, -o and -q' '
	printf "#!/bin/sh\necho \$4\nexit 3\n" >fail && chmod +x fail && echo f >one && printf "f\ng\n" >both &&
	test_expect_code 128 git merge-index ./fail -a >out 2>err && test_cmp one out &&
	echo "fatal: merge program failed" >expect && test_cmp expect err &&
	test_expect_code 128 git merge-index -o ./fail -a >out 2>err && test_cmp both out && test_cmp expect err &&
	test_expect_code 1 git merge-index -q ./fail -a >out 2>err && test_cmp one out && test_must_be_empty err &&
	test_expect_code 2 git merge-index -o -q ./fail -a >out 2>err && test_cmp both out && test_must_be_empty err &&
	test_expect_code 128 git merge-index ./nope f 2>err && test_grep "merge program failed" err &&
	echo "fatal: git merge-index: nope not in the cache" >expect &&
	test_expect_code 128 git merge-index echo nope 2>err && test_cmp expect err &&
	test_expect_code 128 git merge-index echo -- -a 2>err && test_grep "merge-index: -a not in the cache" err &&
	echo "fatal: git merge-index: unknown option -x" >expect &&
	test_expect_code 128 git merge-index echo -x 2>err && test_cmp expect err &&
	test_expect_code 129 git merge-index echo && test_expect_code 129 git merge-index -h >out && test_grep "merge-program" out
'

test_expect_success 'merge-one-file: deletions' '
	merges 0 "$R $A" "$R $A" "" <<-EOF && test_path_is_missing f && git ls-files -s >out && test_must_be_empty out &&
	Removing f
	EOF
	merges 0 "$R $A" "" "$R $A" </dev/null && git ls-files -s >out && test_must_be_empty out &&
	cat >want <<-EOF &&
	ERROR: File f deleted on one branch but had its
	ERROR: permissions changed on the other.
	EOF
	for versions in "$X $A," ",$X $A" ","; do
		merges 1 "$R $A" "${versions%,*}" "${versions#*,}" <want || return 1
	done &&
	merges 1 "$R $A" "" "$R $B" <<-EOF && git ls-files -u >out && test_line_count = 2 out
	ERROR: f: Not handling case $A ->  -> $B
	EOF
'

test_expect_success 'merge-one-file: additions' '
	merges 0 "" "$R $A" "" </dev/null && test_path_is_missing f &&
	echo "$R $A 0	f" >want && git ls-files -s >out && test_cmp want out &&
	echo "Adding f" >add &&
	merges 0 "" "" "$X $A" <add && test -x f && git diff --quiet && echo "$X $A 0	f" >want && git ls-files -s >out &&
	test_cmp want out &&
	merges 0 "" "$R $A" "$R $A" <add && git diff --quiet &&
	merges 1 "" "$R $A" "$X $A" <<-EOF && test_path_is_missing f
	ERROR: File f added identically in both branches,
	ERROR: but permissions conflict $R->$X.
	EOF
'

test_expect_success 'merge-one-file: files in the way stay' '
	file=mine &&
	merges 1 "" "" "$R $A" <<-EOF && echo mine >want && test_cmp want f &&
	Adding f
	ERROR: untracked f is overwritten by the merge.
	EOF
	file= && stages f "" "" "$R $A" && mkdir f && echo mine >f/g && merge_stages 1 "" "" "$R $A" && test_cmp want f/g &&
	git ls-files -u >out && test_line_count = 1 out && rm -r f && mkdir f && merge_stages 0 "" "" "$R $A" && test -f f &&
	mkdir -p outside && ln -s outside link && stages link/f "" "" "$R $A" && merge_stages 1 "" "" "$R $A" &&
	test_path_is_missing outside/f &&
	for path in ../up .git/x; do merge_stages 1 "" "" "$R $A" && test_grep "Invalid path .$path." out || return 1; done &&
	test_path_is_missing ../up && test_path_is_missing .git/x
'

test_expect_success 'merge-one-file: texts' '
	merges 0 "$R $A" "$X $B" "$X $C" <auto && printf "x\n2\n3\n4\ny\n" >want && test_cmp want f && test -x f &&
	echo "$X $(git hash-object f) 0	f" >want && git ls-files -s >out && test_cmp want out && git diff --quiet &&
	merges 1 "$R $A" "$R $B" "$R $D" <<-EOF && printf "<<<<<<< ours\nx\n=======\nz\n>>>>>>> theirs\n2\n3\n4\n5\n" >want &&
	Auto-merging f
	ERROR: content conflict in f
	EOF
	test_cmp want f && git ls-files -u >out && test_line_count = 3 out &&
	merges 1 "$R $A" "$R $B" "$X $C" <<-EOF && git ls-files -u >out && test_line_count = 3 out &&
	Auto-merging f
	ERROR: permissions conflict: $R->$R,$X in f
	EOF
	printf "x\n2\n3\n4\ny\n" >want && test_cmp want f &&
	merges 1 "" "$R $A" "$X $D" <<-EOF && test_grep "^=======$" f &&
	Added f in both, but differently.
	ERROR: content conflict, permissions conflict: ->$R,$X in f
	EOF
	stages f "" "$R $(blob "")" "$R $A" && merge_stages 1 "" "$R $(blob "")" "$R $A" && git ls-files -u >out && test_line_count = 2 out &&
	merges 1 "$R $A" "$R $BIN" "$R $B" <<-EOF && git cat-file blob $BIN >want && cmp want f
	Auto-merging f
	error: Cannot merge binary files: f
	ERROR: content conflict in f
	EOF
'

test_expect_success 'merge-one-file: links and submodules are not merged' '
	merges 1 "$R $A" "120000 $L" "120000 $M" <<-EOF && merges 1 "$R $A" "160000 $A" "160000 $B" <<-EOF
	ERROR: f: Not merging symbolic link changes.
	EOF
	ERROR: f: Not merging conflicting submodule changes.
	EOF
'

test_expect_success 'merge-one-file: the file has the line endings of the working tree' '
	echo "f eol=crlf" >.gitattributes && merges 0 "$R $A" "$R $B" "$R $C" <auto &&
	printf "x\r\n2\r\n3\r\n4\r\ny\r\n" >want && test_cmp want f && git diff --quiet && rm .gitattributes
'

test_expect_success 'merge-one-file: usage' '
	test_expect_code 1 git merge-one-file a b c 2>err && test_grep "^usage: git merge-one-file <orig blob>" err &&
	git merge-one-file -h >out && test_grep "^Blob ids and modes should be empty" out
'

test_expect_success 'merge-one-file leaves a locked index alone' '
	stages f "$R $A" "$R $B" "$R $C" && git ls-files -s >before && : >.git/index.lock && test_when_finished "rm -f .git/index.lock" &&
	test_expect_code 1 git merge-one-file $A $B $C f $R $R $R 2>err && test_grep "index.lock" err && git ls-files -s >after && test_cmp before after && test_path_is_missing f
'

test_expect_success STRACE 'merge-one-file: as many flushes as an add' '
	echo new >g && n=$(count_flushes git add g) &&
	stages f "$R $A" "$R $B" "$R $C" && m=$(count_flushes git merge-one-file $A $B $C f $R $R $R) && test $m -le $n
'

test_expect_success 'merge-index runs merge-one-file for all files' '
	printf "#!/bin/sh\nexec git merge-one-file \"\$@\"\n" >one-file && chmod +x one-file && rm -f g &&
	stages f "$R $A" "$R $B" "$R $C" && printf "$R $A 1\tg\n$R $A 2\tg\n$R $B 1\th\n$R $B 2\th\n$R $C 3\th\n" >info &&
	git update-index --index-info <info && git merge-index -o ./one-file -a >out 2>&1 &&
	printf "Auto-merging f\nRemoving g\nAuto-merging h\n" >want && test_cmp want out && git ls-files -u >out &&
	test_must_be_empty out
'

test_done
