#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git log with differences: merges, prefixes, --relative, pickaxe, submodules'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-log.sh"

# topic changes dir/b, main changes top; the merge has both, and a line of its own.
test_expect_success 'a history with a merge' '
	git init -q -b main && mkdir dir && echo one >dir/a && echo b >dir/b && echo top >top &&
	git add . && test_tick && git commit -q -m root &&
	echo needle >>dir/b && git add . && test_tick && git commit -q -m topic &&
	git branch topic && git update-ref refs/heads/main main~1 && git read-tree main &&
	echo b >dir/b && echo NEEDLE >>top && git add . && test_tick && git commit -q -m top &&
	printf "b\nneedle\n" >dir/b && echo more >>top && git add . && test_tick &&
	merge=$(echo merge | git commit-tree $(git write-tree) -p main -p topic) &&
	git update-ref -m merged refs/heads/main $merge &&
	m=$(git rev-parse --short main) && t=$(git rev-parse --short topic) &&
	p=$(git rev-parse --short main~1) && r=$(git rev-parse --short main~2)
'

# patches ARGS: the headers of log --oneline ARGS, and which files have a patch
patches () {
	git log --oneline "$@" >out && sed -n "s/^diff --git a.* b/ /p; /^[0-9a-f]\{6\}/p" out
}

test_expect_success '--diff-merges: a patch for merges alone' '
	logs "merge|top|topic|root|" -m &&
	printf "%s\n" "$m merge" " /dir/b" " /top" "$p top" "$t topic" "$r root" >first &&
	printf "%s\n" "$m (from $p) merge" " /dir/b" " /top" "$m (from $t) merge" " /top" "$p top" \
		"$t topic" "$r root" >each &&
	for o in --diff-merges=first-parent --diff-merges=1 "--diff-merges 1"
	do
		patches $o >actual && test_cmp first actual || { echo "$o"; return 1; }
	done &&
	for o in --diff-merges=on --diff-merges=m --diff-merges=separate
	do
		patches $o >actual && test_cmp each actual || { echo "$o"; return 1; }
	done
'

test_expect_success '--diff-merges with a format, without a diff, refused' '
	logs "merge||dir/b|top|top||top|topic||dir/b|" --diff-merges=1 --name-only -3 &&
	logs "merge|top|topic|root|" --diff-merges=1 -s &&
	logs "merge|top|topic|root|" --diff-merges=on --no-diff-merges &&
	logs "merge|top|topic|root|" --diff-merges=on -m &&
	refuses 128 "fatal: invalid value for '\''--diff-merges'\'': '\''bogus'\''" --diff-merges=bogus &&
	test_must_fail git log --diff-merges 2>err && test_grep "requires a value" err
'

test_expect_success 'log.diffMerges is what -m and --diff-merges=on mean' '
	git -c log.diffMerges=1 log --name-only --format=%s -1 >actual && echo merge >expect && test_cmp expect actual &&
	git -c log.diffMerges=1 log -m --name-only --format=%s -1 >actual &&
	printf "merge\n\ndir/b\ntop\n" >expect && test_cmp expect actual &&
	test_config log.diffMerges first-parent && patches --diff-merges=on >actual && test_cmp first actual &&
	git config log.diffMerges off && patches --diff-merges=on -m >actual &&
	printf "%s\n" "$m merge" "$p top" "$t topic" "$r root" >expect && test_cmp expect actual &&
	logs "merge|" -m -p -1 && logs "topic|root|" -m -- dir/b &&
	git config log.diffMerges bogus && test_must_fail git log 2>err && test_grep "log.diffmerges" err
'

test_expect_success '-m with paths lists merges that equal one parent there' '
	logs "topic|root|" -- dir/b && logs "merge|topic|root|" -m -- dir/b &&
	logs "merge|topic|root|" --diff-merges=1 -s -- dir/b && logs "topic|root|" --diff-merges=off -- dir/b &&
	logs "merge|topic|root|" -m --no-diff-merges -- dir/b && logs "topic|root|" -m --no-merges -- dir/b
'

test_expect_success '--merges -1 counts merges, with a diff or without' '
	logs "merge|" --merges -1 && logs "merge|" --merges -1 -p && logs "merge|" --merges -1 --raw &&
	logs "merge||dir/b|top|" --merges -1 --first-parent --name-only
'

test_expect_success '--dd: a patch of each commit, of merges beside the first parent' '
	patches --dd >actual && printf "%s\n" "$m merge" " /dir/b" " /top" "$p top" " /top" "$t topic" " /dir/b" "$r root" " /dir/a" " /dir/b" " /top" >expect && test_cmp expect actual &&
	logs "merge||dir/b|top|" --merges -1 --dd --name-only && patches --dd --no-diff-merges -1 >actual && echo "$m merge" >expect && test_cmp expect actual
'

test_expect_success '--first-parent compares merges with that parent, whatever -m says' '
	patches --first-parent -m -p >actual &&
	printf "%s\n" "$m merge" " /dir/b" " /top" "$p top" " /top" "$r root" " /dir/a" " /dir/b" " /top" >expect &&
	test_cmp expect actual
'

test_expect_success '--line-prefix stands before every line' '
	for o in "" -p "--stat --patch" "--graph -p --stat" --graph "--oneline --raw" --log-size "--format=%s%n%n%b" \
		"--notes --name-only" "-z --format=%s"
	do
		git log $o -3 >plain && git log --line-prefix="> " $o -3 >actual &&
		case "$o" in
		-z*)	sed "s/^/> /; s/\\x00\\(.\\)/\\x00> \\1/g" plain ;;
		*)	sed "s/^/> /" plain ;;
		esac >expect && test_cmp_bin expect actual || { echo "log $o"; return 1; }
	done &&
	git log --line-prefix="> " --format=format:%s -2 >actual && printf "> merge\n> top" >expect &&
	test_cmp_bin expect actual
'

test_expect_success '--relative: only files below the current directory' '
	(cd dir && logs "merge|top|topic||b|root||a|b|" --relative --name-only &&
	git log -1 --format= --relative -p topic >actual && test_grep "^+++ b/b" actual &&
	logs "topic||dir/b|" --relative --no-relative --name-only -1 topic &&
	git -c diff.relative=true log --format=%s --name-only -1 topic >actual &&
	printf "topic\n\nb\n" >expect && test_cmp expect actual &&
	logs "topic||dir/b|" --name-only -1 topic) &&
	logs "topic||dir/b|" --relative --name-only -1 topic
'

test_expect_success '--relative=TEXT: what paths begin with' '
	logs "topic||b|root||a|b|" --relative=dir --name-only topic &&
	logs "topic||b|root||a|b|" --relative=dir/ --name-only topic &&
	logs "topic||r/b|root||r/a|r/b|" --relative=di --name-only topic &&
	logs "root|| create mode 100644 dir/a| create mode 100644 dir/b|" --relative=dir --summary topic~1
'

test_expect_success 'pathspecs with attributes' '
	printf "dir/b mine diff=x\ntop -mine\n" >.git/info/attributes &&
	logs "topic|root|" -- ":(attr:mine)" && logs "topic|root|" -- ":(attr:diff=x)" &&
	logs "merge|top|root|" -- ":(attr:-mine)" &&
	logs "topic||dir/b|root||dir/b|" --name-only -- ":(attr:mine)" &&
	logs "root||dir/a|top|" --name-only main~2 -- ":(exclude,attr:mine)" &&
	rm .git/info/attributes
'

test_expect_success '--no-walk with dates' '
	logs "merge|top|topic|root|" --no-walk main main~1 topic main~2 &&
	logs "merge|top|" --no-walk --since="1700000180 +0000" main main~1 topic main~2 &&
	logs "top|topic|" --no-walk --since="1700000120 +0000" --until="1700000180 +0000" main main~1 topic main~2
'

test_expect_success '-G looks at all lines that change, whatever is shown of them' '
	git init -q -b main indented && cd indented && printf "a\nneedle\n" >f && git add f && test_tick && git commit -q -m first &&
	printf "a\n  needle\n" >f && git add f && test_tick && git commit -q -m indent &&
	logs "indent|first|" -G needle -w && logs "indent|first|" -G "^ *n" -b --patience && cd ..
'

test_expect_success '-i reaches -S and -G' '
	logs "topic|" -S needle && logs "top|topic|" -S needle -i && logs "top|topic|" -i -S NEEDLE &&
	logs "top|topic|" -G needle -i && logs "" -S "n..dle" -i && logs "top|topic|" -S "n..dle" -i --pickaxe-regex
'

test_expect_success 'log refuses options that exclude each other' '
	names="fatal: options '\''--name-only'\'', '\''--name-status'\'', '\''--check'\'', and '\''-s'\'' cannot be used together" &&
	for o in "-s --name-only" "-s --raw -s --name-status" "-q --name-only" "--name-only -q" "--name-only --name-status"
	do
		refuses 128 "$names" $o || { echo "$o"; return 1; }
	done &&
	logs "merge|" --name-only -s -1 && logs "top||top|" -s -p --name-only -1 main~1 &&
	git log -1 -p -q main~1 >actual && test_grep "^+NEEDLE" actual &&
	for o in "-S x -G y" "-G y -S x"
	do
		refuses 128 "fatal: options '\''-G'\'', '\''-S'\'', and '\''--find-object'\'' cannot be used together" $o || return 1
	done &&
	refuses 128 "fatal: options '\''-G'\'' and '\''--pickaxe-regex'\'' cannot be used together, use '\''--pickaxe-regex'\'' with '\''-S'\''" \
		-G x --pickaxe-regex &&
	refuses 129 "error: -S requires a non-empty argument" -S "" && refuses 129 "error: -G requires a non-empty argument" -G ""
'

test_expect_success 'options of diff with a bad value' '
	refuses 129 "error: unknown change class '\''q'\'' in --diff-filter=q" --diff-filter=q &&
	refuses 129 "error: --unified expects a numerical value" -Ux &&
	refuses 129 "error: invalid argument to find-renames" -M5x &&
	git log -p -1 main~1 >expect && git log -U -1 main~1 >actual && test_cmp expect actual
'

test_expect_success '-g with names that stand for others' '
	test_config branch.topic.remote . && test_config branch.topic.merge refs/heads/main &&
	git log -g --format=%gd "topic@{u}" >actual && git log -g --format=%gd main >expect && test_cmp expect actual &&
	test_grep "^main@{1}" actual &&
	sed 1d expect >expect1 && git log -g --format=%gd "topic@{upstream}@{1}" >actual && test_cmp expect1 actual &&
	git symbolic-ref HEAD refs/heads/topic &&
	git update-ref -m "checkout: moving from topic to main" HEAD topic && git symbolic-ref HEAD refs/heads/main &&
	git log -g --format=%gd topic >expect && git log -g --format=%gd "@{-1}" >actual && test_cmp expect actual &&
	git log -g --format=%gd "@{-1}@{0}" >actual && test_cmp expect actual &&
	test_must_fail git log -g "main@{u}" 2>err && test_grep "no upstream" err
'

test_expect_success '--no-walk shows the named commits, whatever they change' '
	logs "merge|topic|" --no-walk main topic -- dir/b && logs "top||top|topic|" --no-walk --name-only topic main~1 -- top &&
	logs "topic|" --no-walk main~1.. --no-merges -- dir/b
'

test_expect_success '--ancestry-path with paths: merges differ from commits on the way only' '
	logs "merge|topic|" --full-history main~2..main -- dir/b &&
	logs "merge|" --ancestry-path main~1..main -- dir/b && logs "merge|" --ancestry-path topic..main -- top &&
	logs "" --full-history --ancestry-path topic..main -- dir/b
'

test_expect_success '--grep looks at the notes that are shown' '
	echo "ref: refs/heads/main" | git hash-object -w --stdin >blob && printf "100644 blob %s\t%s\n" $(cat blob) $(git rev-parse main~1) >tree &&
	git update-ref refs/notes/commits $(git mktree <tree | xargs git commit-tree -m notes) &&
	git log --oneline -1 --notes main~1 >out && test_grep "ref: refs/heads/main" out &&
	git log --grep="^ref: refs" >out && test_grep "    top$" out && test_line_count = 8 out &&
	logs "" --grep="^ref: refs" && logs "top|" --notes --grep="^ref: refs" --grep=top --all-match -s --format=tformat:%s &&
	git log --no-notes --grep="^ref: refs" >out && test_must_be_empty out &&
	git update-ref -d refs/notes/commits
'

test_expect_success '--diff-filter adds up; a small letter leaves out' '
	git rm -q --cached top && echo x >added && git add added && echo needle >>dir/a && git add dir/a &&
	git update-ref refs/test/filter $(git commit-tree -p main -m filter $(git write-tree)) && git read-tree main && rm added &&
	while read -r expect o
	do
		git log -1 --format= --name-only $o refs/test/filter >out && test "$(tr "\n" "," <out)" = "$expect," ||
			{ cat out; echo "$o"; return 1; }
	done <<-\EOF
	added,top --diff-filter=A --diff-filter=D
	dir/a,top --diff-filter=a
	top --diff-filter=aD
	top --diff-filter=Da
	added,dir/a,top --diff-filter=A*
	added,dir/a,top --diff-filter=*M
	EOF
'

test_expect_success '--diff-filter=* alone selects nothing; B is a rewrite, not M' '
	git log -1 --format=%s --diff-filter="*" refs/test/filter >out && test_must_be_empty out &&
	seq 200 >big && git add big && tree=$(git write-tree) && old=$(git commit-tree -m old $tree) &&
	seq 1000 1200 >big && git add big && tree=$(git write-tree) && new=$(git commit-tree -p $old -m new $tree) &&
	logs "" --diff-filter=M -B $new && logs "new||big|" -1 --diff-filter=B -B --name-only $new &&
	logs "old|" --diff-filter=b -B $new && rm big && git read-tree main
'

test_expect_success '-t: trees have no statistics' '
	git log -1 --format= -t --numstat topic >actual && printf "1\t0\tdir/b\n" >expect && test_cmp expect actual &&
	git log -1 --format= -t --shortstat topic >actual && echo " 1 file changed, 1 insertion(+)" >expect &&
	test_cmp expect actual && git log -1 --format= -t --name-only topic >actual &&
	printf "dir\ndir/b\n" >expect && test_cmp expect actual &&
	git log --oneline -t -m -1 main >actual && printf "%s\n" "$m (from $p) merge" "$m (from $t) merge" >expect && test_cmp expect actual
'

test_expect_success '-a is for patches and -G: elsewhere binary files stay what they are' '
	printf "x\0y\n" >bin && git add bin && git update-ref refs/test/bin $(git commit-tree -p main -m bin $(git write-tree)) &&
	git log -1 --format= -a --stat refs/test/bin >actual && test_grep "^ bin | Bin 0 -> 4 bytes" actual &&
	git log -1 --format= -a --numstat refs/test/bin >actual && printf -- "-\t-\tbin\n" >expect && test_cmp expect actual &&
	git log -1 --format= -a --binary refs/test/bin >actual && test_grep "^@@" actual &&
	test_grep "^index $ZERO_OID[.][.]" actual &&
	logs "" -1 -G y refs/test/bin && logs "bin|" -1 -G y -a refs/test/bin && rm bin && git read-tree main
'

test_expect_success 'core.abbrev shortens names in differences' '
	for n in 4 12 40
	do
		git -c core.abbrev=$n log -1 --format= --raw -p topic >out &&
		sed -n "s/^:100644 100644 \([0-9a-f]*\) .*/\1/p; s/^index \([0-9a-f]*\)[.].*/\1/p" out |
			awk "{ print length }" >actual && printf "%s\n" $n $n >expect && test_cmp expect actual || return 1
	done &&
	git -c core.abbrev=12 log -1 --abbrev --format= --raw topic >out &&
	test_grep "^:100644 100644 [0-9a-f]\{12\} [0-9a-f]\{12\} M" out
'

test_expect_success '-g has no sources; what does not go with --graph' '
	git log -g --source --oneline -1 >actual && git log -g --oneline -1 >expect && test_cmp expect actual &&
	refuses 128 "fatal: options '\''--no-walk'\'' and '\''--graph'\'' cannot be used together" --graph --no-walk &&
	refuses 128 "fatal: cannot combine --walk-reflogs with history-limiting options" --graph -g
'

test_expect_success 'submodules that are ignored' '
	git config -f .gitmodules submodule.s.path mod && git add .gitmodules &&
	git update-index --add --cacheinfo 160000,$(git rev-parse topic),mod && git commit -q -m added &&
	git update-index --cacheinfo 160000,$(git rev-parse main),mod && git commit -q -m moved &&
	logs "moved||mod|added||.gitmodules|mod|" --name-only -2 &&
	for o in diff.ignoreSubmodules submodule.s.ignore
	do
		git -c $o=all log --format=%s --name-only -2 >actual &&
		printf "moved\nadded\n\n.gitmodules\n" >expect && test_cmp expect actual &&
		git -c $o=all log --format= -p -1 >actual && test_must_be_empty actual &&
		for v in none untracked dirty
		do
			git -c $o=$v log --format=%s --name-only -1 >actual &&
			printf "moved\n\nmod\n" >expect && test_cmp expect actual || return 1
		done
	done &&
	git -c diff.ignoreSubmodules=all -c submodule.s.ignore=none log --format=%s --name-only -1 >actual &&
	test_cmp expect actual &&
	test_must_fail git -c diff.ignoreSubmodules=junk log -p 2>err &&
	echo "fatal: bad --ignore-submodules argument: junk" >expect && test_cmp expect err
'

test_done
