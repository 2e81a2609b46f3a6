#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git stash: push, pop, apply, list, show, drop, branch, create, store, export, import'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

lines() {
	printf '%s\n' "$@"
}

# tracked: f, g, d/h; ignored: *.o
fresh() {
	rm -rf repo && git init -q -b main repo && (
		cd repo && lines 1 2 3 4 5 >f && echo g >g && mkdir d && echo h >d/h && echo "*.o" >.gitignore && git add . &&
		git commit -qm one
	)
}

# say CODE ARGS: run git stash, with its output in out and err
say() {
	local code=$1
	shift
	test_expect_code $code git -C repo stash "$@" >out 2>err
}

# tells LINE...: nothing else is on standard output
tells() {
	lines "$@" >expect && test_cmp expect out && test_must_be_empty err
}

# fails_with LINE...: nothing else is on standard error
fails_with() {
	lines "$@" >expect && test_cmp expect err
}

# has LINE...: the short status
has() {
	git -C repo status --short >status && lines "$@" | sed '/^$/d' >expect && test_cmp expect status
}

change() {
	echo x >>repo/f && echo s >>repo/g && git -C repo add g
}

test_expect_success 'without commits, without changes, without stashes' '
	git init -q -b main empty && test_expect_code 1 git -C empty stash 2>err && fails_with "You do not have the initial commit yet" &&
	fresh && say 0 && tells "No local changes to save" && say 0 -q && test_must_be_empty out && say 0 list && test_must_be_empty out &&
	for command in pop drop show apply "branch b"
	do
		say 1 $command && fails_with "No stash entries found." || return 1
	done &&
	say 0 create && test_must_be_empty out && say 0 clear
'

test_expect_success 'push saves index and files, and goes back to HEAD' '
	fresh && change && head=$(git -C repo rev-parse --short HEAD) && echo u >repo/u &&
	say 0 && tells "Saved working directory and index state WIP on main: $head one" && has "?? u" &&
	say 0 list && tells "stash@{0}: WIP on main: $head one" &&
	git -C repo rev-parse HEAD HEAD^{tree} ORIG_HEAD >expect && git -C repo rev-parse stash^ stash^2^ >ids && test 1 = $(sort -u ids | wc -l) &&
	printf "WIP on main: $head one" >expect && git -C repo cat-file commit stash | sed 1,/^$/d >actual && test_cmp_bin expect actual &&
	echo "index on main: $head one" >expect && git -C repo cat-file commit stash^2 | sed 1,/^$/d >actual && test_cmp expect actual &&
	git -C repo diff --name-only HEAD stash >actual && lines f g >expect && test_cmp expect actual &&
	git -C repo diff --name-only HEAD stash^2 >actual && lines g >expect && test_cmp expect actual &&
	git -C repo reflog -1 HEAD >actual && test_grep "reset: moving to HEAD" actual && git -C repo fsck
'

test_expect_success 'pop brings the changes back, not staged, and drops the entry' '
	stash=$(git -C repo rev-parse stash) && say 0 pop && test_grep "^Dropped refs/stash@{0} ($stash)" out && test "$(git -C repo rev-parse AUTO_MERGE)" = "$(git -C repo rev-parse $stash^{tree})" && test_grep "^On branch main" out &&
	has " M f" " M g" "?? u" && test_must_fail git -C repo rev-parse -q --verify refs/stash && test_path_is_missing repo/.git/logs/refs/stash &&
	change && say 0 -q && test_must_be_empty out && say 0 pop --index -q && test_must_be_empty out && has " M f" "M  g" "?? u" &&
	say 0 push -q -m "a message" && say 0 list && tells "stash@{0}: On main: a message" && git -C repo config stash.index true && say 0 apply -q &&
	has " M f" "M  g" "?? u" && git -C repo config --unset stash.index && git -C repo reset -q --hard && say 0 drop && test_grep "^Dropped refs/stash@{0}" out
'

test_expect_success 'new, removed and retyped files; files of HEAD alone, or of the index alone' '
	fresh && (cd repo && echo n >n && git add n && rm f && git rm -q --cached g && echo G >g && rm d/h && ln -s ../f d/h) && say 0 -q && has "" &&
	git -C repo diff --name-status HEAD stash >actual && printf "%s\t%s\n" T d/h D f M g A n >expect && test_cmp expect actual &&
	say 0 pop -q && has " T d/h" " D f" " M g" "A  n" && say 0 push -q && say 0 pop --index -q && has " T d/h" " D f" " M g" "A  n"
'

test_expect_success 'a new file that is staged and missing: the stash has it' '
	fresh && echo n >repo/n && git -C repo add n && rm repo/n repo/f && say 0 -q && has "" && test_path_is_missing repo/n &&
	git -C repo diff --name-status HEAD stash >actual && printf "%s\t%s\n" D f A n >expect && test_cmp expect actual &&
	say 0 pop --index -q && has " D f" "A  n" && test_grep n repo/n && rm repo/n && say 0 -q -k && has "A  n" && test_grep n repo/n
'

test_expect_success 'untracked and ignored files' '
	fresh && (cd repo && echo u >u && mkdir -p dd/e && echo q >dd/e/q && echo o >x.o) && say 0 && tells "No local changes to save" &&
	say 0 -u && has "" && test_path_is_missing repo/dd && test_path_is_file repo/x.o &&
	git -C repo ls-tree -r --name-only stash^3 >actual && lines dd/e/q u >expect && test_cmp expect actual &&
	git -C repo log -1 --format=%P%s stash^3 >actual && echo "untracked files on main: $(git -C repo log -1 --format="%h %s")" >expect && test_cmp expect actual &&
	say 0 show --only-untracked --name-only && tells dd/e/q u && say 0 show && test_must_be_empty out &&
	say 0 pop && test_grep "^Already up to date" out && has "?? dd/" "?? u" && say 0 push -q -a && test_path_is_missing repo/x.o &&
	echo other >repo/u && say 1 pop && fails_with "u already exists, no checkout" "error: could not restore untracked files from stash" &&
	test_grep "^The stash entry is kept" out && test_path_is_file repo/x.o && test other = "$(cat repo/u)" && say 0 drop -q
'

test_expect_success '--keep-index, --staged, pathspecs' '
	fresh && (cd repo && lines 1 2 3 4 5 a >f && git add f && lines 0 1 2 3 4 5 a >f && echo b >>g) && say 0 push -q -k && has "M  f" && lines 1 2 3 4 5 a >expect &&
	test_cmp expect repo/f && say 0 pop -q && has "MM f" " M g" && git -C repo checkout -q g && lines 0 1 2 3 4 5 a >repo/f && echo b >>repo/g &&
	say 1 push -S -u && fails_with "Can${SQ}t use --staged and --include-untracked or --all at the same time" &&
	say 0 push -q -S && has " M f" " M g" && lines 0 1 2 3 4 5 >expect && test_cmp expect repo/f && say 0 show --name-only && tells f &&
	say 1 push -S && fails_with "No staged changes" && say 0 drop -q && git -C repo add g && echo u >repo/u &&
	say 0 push -q -m ps f && has "M  g" "?? u" && say 0 show --name-only && tells f g && say 1 push nosuch &&
	fails_with "error: pathspec ${SQ}:(prefix:0)nosuch${SQ} did not match any file(s) known to git" "Did you forget to ${SQ}git add${SQ}?" &&
	say 1 push -- :/nosuch ":(icase)none" && fails_with "error: pathspec ${SQ}:(top,prefix:0)nosuch${SQ} did not match any file(s) known to git" \
		"error: pathspec ${SQ}:(icase,prefix:0)none${SQ} did not match any file(s) known to git" "Did you forget to ${SQ}git add${SQ}?" &&
	say 0 push -q -u -- u && has "M  g" && echo f >ps && echo x >>repo/f && say 0 push -q --pathspec-from-file=../ps && has "M  g" &&
	say 128 foo && fails_with "fatal: subcommand wasn${SQ}t specified; ${SQ}push${SQ} can${SQ}t be assumed due to unexpected token ${SQ}foo${SQ}" &&
	say 1 -p </dev/null && fails_with "No changes selected" && say 0 -- g && has "" && say 0 save -q some words && say 0 clear
'

test_expect_success '--staged keeps all where staged and other changes touch' '
	fresh && (cd repo && echo b >>f && git add f && echo c >>f) && say 1 push -S && fails_with "Cannot remove worktree changes" && has "MM f" &&
	say 0 list && test_line_count = 1 out
'

conflict() {
	fresh && (cd repo && lines 1 2 3 4 5 mine >f && git add f && echo n >n && git add n && echo wt >>g && git stash -q && lines 1 2 3 4 5 theirs >f && git commit -qam two)
}

test_expect_success 'a conflict: stages, markers, and a kept entry' '
	conflict && say 1 pop && test_grep "^CONFLICT (content): Merge conflict in f" out && test_grep "^The stash entry is kept in case you need it again" out &&
	test_must_be_empty err && has "UU f" "M  g" "A  n" && lines 1 2 3 4 5 "<<<<<<< Updated upstream" theirs ======= mine ">>>>>>> Stashed changes" >expect &&
	test_cmp expect repo/f && test 3 = $(git -C repo ls-files -u | wc -l) && git -C repo diff --exit-code AUTO_MERGE &&
	say 1 apply && lines "f: needs merge" >expect && test_cmp expect out && fails_with "error: could not write index" && say 1 push && fails_with "error: could not write index" &&
	git -C repo reset -q --hard && say 1 apply -q --label-ours=OO --label-theirs=TT && test_must_be_empty out && test_grep "^<<<<<<< OO" repo/f && test_grep "^>>>>>>> TT" repo/f &&
	git -C repo reset -q --hard && test_must_fail git -C repo -c merge.conflictStyle=diff3 stash apply -q && test_grep "^[|]* Stash base" repo/f &&
	git -C repo reset -q --hard && say 1 apply --index && fails_with "error: conflicts in index. Try without --index." && has "" && say 0 list && test_line_count = 1 out
'

test_expect_success 'files in the way stay, and nothing changes' '
	git -C repo reset -q --hard && echo local >>repo/f && say 1 pop && test_grep "^The stash entry is kept" out && test_grep "^On branch main" out &&
	fails_with "error: Your local changes to the following files would be overwritten by merge:" "	f" "Please commit your changes or stash them before you merge." "Aborting" &&
	has " M f" && git -C repo checkout -q f && echo mine >repo/n && say 1 pop && test_grep "untracked working tree files would be overwritten by merge" err && test mine = "$(cat repo/n)" &&
	rm repo/n && rm repo/f && mkdir repo/f && echo precious >repo/f/x && say 1 push && test_grep "would lose untracked files" err && test precious = "$(cat repo/f/x)" &&
	say 0 push -q -u && has "" && say 0 pop -q && has " D f" && test precious = "$(cat repo/f/x)"
'

test_expect_success '--index, and a conflict in a file' '
	fresh && (cd repo && echo s >>g && git add g && lines 1 2 3 4 5 mine >f && git stash -q && lines 1 2 3 4 5 theirs >f && git commit -qam two) &&
	say 1 apply -q --index && fails_with "Index was not unstashed." && git -C repo reset -q --hard && echo x >>repo/f && say 1 apply -q --index && test_grep "^Index was not unstashed" err
'

test_expect_success 'entries that are only intended to be added' '
	fresh && echo i >repo/i && git -C repo add -N i && say 1 && fails_with "error: Entry ${SQ}i${SQ} not uptodate. Cannot merge." "Cannot save the current worktree state" && has " A i" && say 0 list && test_must_be_empty out
'

test_expect_success 'pop keeps entries that are only intended to be added' '
	fresh && echo x >>repo/f && git -C repo stash -q && echo i >repo/i && git -C repo add -N i && say 0 pop -q && has " M f" " A i" &&
	git -C repo diff --cached --name-only >actual && test_must_be_empty actual
'

test_expect_success 'pop: a file out of the sparse checkout stays out; --index takes a file out of the index again' '
	fresh && echo x >>repo/f && say 0 -q && git -C repo update-index --skip-worktree f && say 0 pop -q && git -C repo ls-files -t f >actual && echo "S f" >expect && test_cmp expect actual &&
	fresh && git -C repo rm -q --cached g && echo G >repo/g && say 0 -q && say 0 pop -q --index && has "D  g" "?? g"
'

test_expect_success 'pop: a new file that needs the place of a file or directory takes it in the index' '
	fresh && (cd repo && rm g && mkdir g && echo x >g/x && rm -r d && echo d >d && git add -A) && say 0 -q && say 0 pop -q &&
	git -C repo ls-files >actual && lines .gitignore d f g/x >expect && test_cmp expect actual && say 0 -q && say 0 pop -q --index && git -C repo ls-files >actual && test_cmp expect actual
'

test_expect_success 'branch' '
	conflict && stash=$(git -C repo rev-parse stash) && say 1 branch && fails_with "No branch name specified" && say 1 branch main && test_grep "already exists" err && say 0 branch b && fails_with "Switched to a new branch ${SQ}b${SQ}" &&
	test_grep "^Dropped refs/stash@{0} ($stash)" out && has "M  f" " M g" "A  n" && test "$(git -C repo rev-parse main~1)" = "$(git -C repo rev-parse HEAD)" &&
	fresh && for i in 0 1; do echo $i >>repo/f && git -C repo stash push -q -m $i || return 1; done &&
	say 0 branch older stash@{1} && test "$(tail -n 1 repo/f)" = 0 && say 0 list && tells "stash@{0}: On main: 1"
'

test_expect_success '--staged keeps the version of the index' '
	fresh && git -C repo update-index --index-version 4 && echo x >>repo/f && git -C repo add f && say 0 push -S &&
	echo 4 >expect && git -C repo update-index --show-index-version >actual && test_cmp expect actual
'

test_expect_success 'entries of the list, their names, and drop' '
	fresh && for i in 0 1 2 3; do echo $i >>repo/f && git -C repo stash push -q -m $i || return 1; done && say 0 drop 1 && test_grep "^Dropped refs/stash@{1} " out &&
	say 0 list && tells "stash@{0}: On main: 3" "stash@{1}: On main: 1" "stash@{2}: On main: 0" && say 0 drop -q stash@{0} && say 0 list && tells "stash@{0}: On main: 1" "stash@{1}: On main: 0" &&
	test "On main: 1" = "$(git -C repo log -1 --format=%s refs/stash)" && say 128 show 7 && test_grep "only has 2 entries" err && say 1 drop foo && fails_with "error: foo is not a valid reference" &&
	say 128 apply HEAD && fails_with "fatal: ${SQ}HEAD${SQ} is not a stash-like commit" && say 1 drop a b && fails_with "Too many revisions specified: ${SQ}a${SQ} ${SQ}b${SQ}" &&
	id=$(git -C repo rev-parse stash@{1}) && say 1 pop $id && fails_with "error: ${SQ}$id${SQ} is not a stash reference" && say 0 apply -q $id && has " M f" && say 1 clear x && say 0 clear && say 0 list && test_must_be_empty out
'

test_expect_success 'show: formats, stash.showStat, stash.showPatch, stash.showIncludeUntracked' '
	fresh && change && echo u >repo/u && say 0 -q -u && say 0 show && tells " f | 1 +" " g | 1 +" " 2 files changed, 2 insertions(+)" && say 0 show -- && test_grep "^+x" out && say 0 show -p && test_grep "^+x" out && test_grep ! "^ f |" out &&
	say 0 show --name-status -u && tells "M	f" "M	g" "A	u" && say 1 show --exit-code && test_grep "^+s" out &&
	git -C repo -c stash.showStat=false stash show >out && test_must_be_empty out && git -C repo -c stash.showPatch=true stash show >out && test_grep "^ f |" out && test_grep "^+x" out &&
	git -C repo -c stash.showIncludeUntracked=true stash show >out && test_grep "^ u |" out
'

test_expect_success 'create, push in a merge with conflicts: the words of Git, nothing saved' '
	git init -q -b main torn && (cd torn && echo 1 >f && git add f && git commit -qm one && git checkout -q -b side && echo 2 >f && git commit -qam two &&
		git checkout -q main && echo 3 >f && git commit -qam three && ! git merge -q side && test_expect_code 1 git stash create >out 2>err &&
		echo "f: needs merge" >expect && test_cmp expect out && git ls-files -u | while read mode id rest; do echo "f: unmerged ($id)"; done >expect &&
		echo "Cannot save the current index state" >>expect && test_cmp expect err && test_line_count = 4 err &&
		test_expect_code 1 git stash >out 2>err && echo "f: needs merge" >expect && test_cmp expect out && echo "error: could not write index" >expect &&
		test_cmp expect err && git stash list >out && test_must_be_empty out)
'

test_expect_success 'create, store' '
	fresh && change && say 0 create some words && id=$(cat out) && has " M f" "M  g" && say 0 list && test_must_be_empty out && test "On main: some words" = "$(git -C repo log -1 --format=%s $id)" &&
	say 1 store && fails_with "\"git stash store\" requires one <commit> argument" && say 128 store HEAD && test_grep "is not a stash-like commit" err && say 1 store nosuch && fails_with "Cannot update refs/stash with nosuch" &&
	say 0 store -m mm $id && say 0 list && tells "stash@{0}: mm" && git -C repo reset -q --hard && say 0 pop -q && say 0 store $id && say 0 list && tells "stash@{0}: Created via \"git stash store\"."
'

test_expect_success SHA1 'export, import' '
	say 0 clear && git -C repo reset -q --hard && for i in a b; do echo $i >>repo/f && git -C repo stash push -q -m $i || return 1; done && git -C repo log -g --format="%H %gs" refs/stash >before &&
	say 1 export && fails_with "error: exactly one of --print and --to-ref is required" && say 0 export --to-ref refs/x && test_must_be_empty out && say 0 export --print && git -C repo rev-parse refs/x >expect && test_cmp expect out &&
	git -C repo log --first-parent --format="%T %s" refs/x >out && t=$EMPTY_TREE && tells "$t git stash: On main: b" "$t git stash: On main: a" "$t " &&
	test 73c9bab443d1f88ac61aa533d2eeaaa15451239c = $(git -C repo rev-parse refs/x~2) && say 0 clear && say 0 import refs/x && git -C repo log -g --format="%H %gs" refs/stash >after && test_cmp before after &&
	say 0 export --to-ref refs/y 1 && test "$(git -C repo rev-parse refs/y^2)" = "$(git -C repo rev-parse stash@{1})" && say 1 import HEAD && test_grep "is not a valid exported stash commit" err && say 1 import nosuch && say 129 import && say 1 export --print foo && fails_with "error: unable to find stash entry foo"
'

test_expect_success 'submodules and sparse checkouts stay as they are' '
	fresh && (cd repo && git init -q s && git -C s commit -q --allow-empty -m s1 && git add s 2>/dev/null && git commit -qm sub && git -C s commit -q --allow-empty -m s2) && say 0 && tells "No local changes to save" &&
	echo x >>repo/f && say 0 push -q && has " M s" && say 0 pop -q && has " M f" " M s" && git -C repo add s && say 0 push -q && has " M s" && say 0 pop -q --index && has " M f" "M  s" &&
	fresh && (cd repo && git config core.sparseCheckout true && lines "/*" "!/d/" >.git/info/sparse-checkout && git read-tree -mu HEAD && echo x >>f && git stash -q && test_path_is_missing d && git stash pop -q) && has " M f" && test_path_is_missing repo/d
'

test_expect_success 'a subdirectory; a merge that is ready' '
	fresh && change && (cd repo/d && echo x >>h && git stash push -q . && git status --short >../../out) && tells " M ../f" "M  ../g" && (cd repo/d && git stash pop -q) && has " M d/h" " M f" "M  g" &&
	fresh && (cd repo && git checkout -q -b o && echo o >o && git add o && git commit -qm o && git checkout -q main && echo m >m && git add m && git commit -qm m && git merge -q --no-commit o 2>/dev/null && git stash -q) && has "" &&
	test_path_is_missing repo/.git/MERGE_HEAD && say 0 pop -q && has "A  o"
'

# lookups COMMAND...: prints how often a command looks up the files of the directory "many"
lookups () {
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -o ../trace -e trace=%file git "$@" >/dev/null && grep "stat" ../trace | grep -c "\"\(many/\)\?file[0-9]*\"\|\"many\""
}

test_expect_success STRACE,!SANITIZE 'a search for changes looks each unchanged file up once' '
	fresh && cd repo && mkdir many && for i in $(test_seq 200); do echo $i >many/file$i || return 1; done && touch -d 2020-01-01 many/* && git add . && git commit -q -m many && git update-index -q --refresh &&
	for command in "stash push -q" "add -u" "commit -q -a -m more"
	do
		echo more >>many/file7 && nr=$(lookups $command) && echo "$command: $nr" && test $nr -ge 200 && test $nr -lt 300 || return 1
	done && cd ..
'

# opens OBJECT COMMAND...: prints how often a command opens the file of an object
opens () {
	local object=$(git rev-parse $1 | sed "s,^..,&/,")
	shift
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -o ../trace -e trace=openat git "$@" && grep -c "objects/$object" ../trace || :
}

test_expect_success STRACE,!SANITIZE 'pop does not read the trees of HEAD, and leaves the trees of HEAD cached in the index' '
	fresh && cd repo && echo x >>d/h && git stash -q && test 0 = $(opens HEAD:d stash pop -q) && test 0 = $(opens HEAD:d diff --cached --quiet) &&
	echo n >d/n && git add d/n && git stash -q && git stash pop -q && git diff --cached --name-status >actual && printf "A\td/n\n" >expect && test_cmp expect actual && cd ..
'

test_expect_success 'numbers of context lines need --patch' '
	fresh && for command in "stash -U3" "stash push --unified=3" "stash save -U 3 x"
	do
		test_expect_code 128 git -C repo $command 2>err && echo "fatal: the option '\''--unified'\'' requires '\''--patch'\''" >expect && test_cmp expect err || return 1
	done && test_expect_code 128 git -C repo stash --inter-hunk-context=0 2>err && test_grep "option .--inter-hunk-context. requires" err &&
	test_expect_code 128 git -C repo stash push --no-auto-advance 2>err && test_grep "option .--no-auto-advance. requires .--patch." err &&
	test_expect_code 129 git -C repo stash push --no-unified 2>err && test_grep "unknown option .no-unified" err &&
	echo x >>repo/f && git -C repo stash push -q -U-1 && git -C repo diff --quiet &&
	for command in "commit -U3 -am x" "commit -U0 --dry-run"
	do
		test_expect_code 128 git -C repo $command 2>err && echo "fatal: the option '\''--unified'\'' requires '\''--interactive/--patch'\''" >expect && test_cmp expect err || return 1
	done && test_expect_code 128 git -C repo commit --inter-hunk-context=-2 2>err && test_grep ".--inter-hunk-context. cannot be negative" err &&
	test_expect_code 128 git -C repo commit --inter-hunk-context=2 2>err && test_grep "option .--inter-hunk-context. requires" err &&
	test_expect_code 128 git -C repo commit -U-2 2>err && test_grep ".--unified. cannot be negative" err && git -C repo commit -q --allow-empty -m x -U-1
'

test_expect_success STRACE,JOURNAL,FSYNC_BATCH 'push: two flushes, the first before any file changes; apply and pop: one' '
	fresh && on_journal journal && cp -a repo journal/r && (
		cd journal/r && for i in 1 2 3 4 5 6 7 8 9; do echo $i >u$i || return 1; done && echo x >>f && echo x >>g && echo x >>d/h &&
		test 2 = $(count_flushes git stash push -q -u) && test 1 = $(count_flushes git stash apply -q) && git reset -q --hard && git clean -fdq &&
		test 1 = $(count_flushes git stash pop -q) && echo y >>f && git add f && test 2 = $(count_flushes git stash push -q -k) && git reset -q --hard && test 1 = $(count_flushes git stash drop -q) &&
		echo x >>f && test 1 = $(count_flushes git stash create) && git stash -q && echo y >>f && git stash -q && test 1 = $(count_flushes git stash export --to-ref refs/x) && git stash clear &&
		test 1 = $(count_flushes git stash import refs/x) && test 1 = $(count_flushes git stash clear)
	)
'

test_expect_success 'show -h and list -h print their usage' '
	git init -q u && test_expect_code 129 git -C u stash show -h >out && test_grep "^usage: git stash show \[-u" out &&
	test_grep "^    -u, .*include-untracked" out && test_grep "^    --only-untracked  *only show untracked files" out &&
	test_expect_code 129 git -C u stash list -h >out && test_grep "^usage: git stash list" out &&
	git init -q v && test_commit -C v one && echo x >v/one.t && git -C v stash -q && test_expect_code 129 git -C v stash show --foo >out 2>err && test_must_be_empty out &&
	test_grep "^usage: git stash show \[-u" err && test_grep "^    --only-untracked  *only show" err && test_grep ! "^error" err
'

test_done
