#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git merge-tree --write-tree: merges in memory'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }
# BASE OURS THEIRS: commands that change the files of a new repository; one commit after each
sides () {
	cd "$TRASH" && rm -rf r && git init -q -b base r && cd r && eval "$1" && git add -A && git commit -q --allow-empty -m base &&
	git checkout -q -b ours && eval "$2" && git add -A && git commit -q --allow-empty -m ours && git checkout -q -b theirs base && eval "$3" && git add -A && git commit -q --allow-empty -m theirs
}
# CODE, options: the merge must print the text on standard input, without the names of objects, and then the files of the tree
gives () {
	code=$1 && shift && cat >../expect && test_expect_code $code git merge-tree --write-tree "$@" ours theirs >../raw && tree=$(sed 1q ../raw) &&
	sed -e 1d -e "s/^\(10*[0-9]*\) [0-9a-f]\{$OID_HEXLEN\} /\1 /" ../raw >../out && git ls-tree -r $tree | sed "s/^\([0-9]*\) [a-z]* [0-9a-f]*/\1/" >>../out && test_cmp ../expect ../out
}
text () { git cat-file blob "$tree:$1"; }
SQ="'"
TRASH=$PWD

test_expect_success 'changes of both sides' '
	sides "lines 1 2 3 4 5 >f && lines x >g && mkdir d e && lines 1 >d/f && lines 1 >e/f" "lines ONE 2 3 4 5 >f && rm g && lines 2 >d/f && lines n >new" "lines 1 2 3 4 FIVE >f && chmod +x d/f && lines 2 >e/f && lines m >e/new" &&
	printf "100755\td/f\n100644\te/f\n100644\te/new\n100644\tf\n100644\tnew\n" >clean && gives 0 <clean && lines ONE 2 3 4 FIVE >want && text f >got && test_cmp want got && test "$(text d/f)" = 2 && test "$(text e/f)" = 2 &&
	{ echo && echo "Auto-merging f" && cat clean; } | gives 0 --messages && gives 0 --no-messages <clean && test "$(git merge-tree ours theirs)" = $tree && test "$(git merge-tree --quiet ours theirs)" = "" &&
	test "$(git merge-tree --merge-base=base: ours: theirs:)" = $tree && test "$(git merge-tree ours ours)" = $(git rev-parse ours:) && test "$(git merge-tree base ours)" = $(git rev-parse ours:)
'

test_expect_success 'texts, modes and new files that conflict' '
	sides "lines 1 2 3 >f" "lines 1 A 3 >f && lines a >new && lines s >same && chmod +x same" "lines 1 B 3 >f && lines b >new && lines s >same" && {
		printf "100644 %s\tf\n" 1 2 3 && printf "100644 %s\tnew\n" 2 3 && printf "100755 2\tsame\n100644 3\tsame\n\n" && echo "Auto-merging f" && echo "CONFLICT (content): Merge conflict in f" && echo "Auto-merging new" &&
		echo "CONFLICT (add/add): Merge conflict in new" && echo "CONFLICT (add/add): Merge conflict in same" && printf "100644\tf\n100644\tnew\n100755\tsame\n"; } >want && gives 1 <want &&
	lines 1 "<<<<<<< ours" A ======= B ">>>>>>> theirs" 3 >want && text f >got && test_cmp want got && lines "<<<<<<< ours" a ======= b ">>>>>>> theirs" >want && text new >got && test_cmp want got &&
	tree=$(git -c merge.conflictStyle=diff3 merge-tree ours theirs | sed 1q) && test_grep "^||||||| $(git rev-parse --short base)$" "$(text f >got && echo got)" && tree=$(git -c merge.conflictStyle=diff3 merge-tree --merge-base=base ours theirs | sed 1q) &&
	text f >got && test_grep "^||||||| base$" got && tree=$(git merge-tree -Xtheirs ours theirs | sed 1q) && test "$(text new)" = b && test_expect_code 128 git -c merge.conflictStyle=no merge-tree ours theirs
'

test_expect_success 'changed and deleted; binary files; symbolic links' '
	sides "lines 1 >f && lines 1 >g && printf \"1\0\" >b && ln -s 1 l" "rm f && lines 2 >g && printf \"2\0\" >b && ln -sfn 2 l" "lines 3 >f && rm g && printf \"3\0\" >b && ln -sfn 3 l" && {
		printf "100644 %s\tb\n" 1 2 3 && printf "100644 %s\tf\n" 1 3 && printf "100644 %s\tg\n" 1 2 && printf "120000 %s\tl\n" 1 2 3 && echo && echo "warning: Cannot merge binary files: b (ours vs. theirs)" && echo "Auto-merging b" && echo "CONFLICT (content): Merge conflict in b" &&
		echo "CONFLICT (modify/delete): f deleted in ours and modified in theirs.  Version theirs of f left in tree." && echo "CONFLICT (modify/delete): g deleted in theirs and modified in ours.  Version ours of g left in tree." &&
		echo "CONFLICT (content): Merge conflict in l" && printf "100644\tb\n100644\tf\n100644\tg\n120000\tl\n"; } >want && gives 1 <want && test "$(text l)" = 2 && test "$(text b | tr "\0" .)" = 2. &&
	tree=$(git merge-tree -Xtheirs ours theirs | sed 1q) && test "$(text b | tr "\0" .)" = 3. && test "$(text l)" = 3
'

test_expect_success 'a directory is in the way of a file' '
	sides "lines F >f && lines G >g && lines 1 >z" "rm f && mkdir f && lines x >f/x && lines GG >g && lines d >d && lines 2 >z" "lines FF >f && lines a >f~ours && rm g && mkdir g d && lines y >g/x && lines b >g~ours && lines c >d/x" && {
		printf "100644 2\td~ours\n100644 1\tf~theirs\n100644 3\tf~theirs\n100644 1\tg~ours_0\n100644 2\tg~ours_0\n\n" && echo "CONFLICT (file/directory): directory in the way of d from ours; moving it to d~ours instead." &&
		echo "CONFLICT (file/directory): directory in the way of f from theirs; moving it to f~theirs instead." && echo "CONFLICT (modify/delete): f~theirs deleted in ours and modified in theirs.  Version theirs of f~theirs left in tree." &&
		echo "CONFLICT (file/directory): directory in the way of g from ours; moving it to g~ours_0 instead." && echo "CONFLICT (modify/delete): g~ours_0 deleted in theirs and modified in ours.  Version ours of g~ours_0 left in tree." &&
		printf "100644\t%s\n" d/x d~ours f/x f~ours f~theirs g/x g~ours g~ours_0 z; } >want && gives 1 <want &&
	sides "lines 1 >f && mkdir d && lines 2 >d/x" "rm f && mkdir f && lines 3 >f/x && rm -r d && lines 4 >d" "lines 5 >g" && printf "100644\t%s\n" d f/x g | gives 0
'

test_expect_success 'a file and a symbolic link, and submodules' '
	sides "lines 1 >f && lines 1 >k" "ln -sfn 1 f" "lines 2 >f" && { printf "120000 2\tf\n100644 1\tf~theirs\n100644 3\tf~theirs\n\n" &&
		echo "CONFLICT (distinct types): f had different types on each side; renamed one of them so each can be recorded somewhere." && printf "120000\tf\n100644\tf~theirs\n100644\tk\n"; } >want && gives 1 <want &&
	sub () { git update-index --add --cacheinfo 160000,$(printf "%0${OID_HEXLEN}d" $1),$2 && git commit -q -m sub; } && sides "lines 1 >k" : : && git checkout -q ours && sub 1 s && ln -s 1 t && git add t && sub 1 u && git checkout -q theirs && rm -rf t && sub 2 s && sub 1 t && sub 1 u && {
		printf "160000 2\ts\n160000 3\ts\n120000 2\tt~ours\n160000 3\tt~theirs\n\n" && echo "Failed to merge submodule s (not checked out)" && echo "CONFLICT (submodule): Merge conflict in s" &&
		echo "CONFLICT (distinct types): t had different types on each side; renamed both of them so each can be recorded somewhere." && printf "100644\tk\n160000\ts\n120000\tt~ours\n160000\tt~theirs\n160000\tu\n"; } >want && gives 1 <want
'

all () { lines 1 2 3 4 5 6 7 8; }
but () { all | sed "s/^$1$/$2/"; }

test_expect_success 'changes follow a renamed file' '
	sides "all >f && all | tac >k" "mv f g && but 1 x >g" "but 8 y >f && but 8 y >>k" && printf "100644\tg\n100644\tk\n" >want && gives 0 <want && but 1 x | sed "s/^8$/y/" >want && text g >got && test_cmp want got &&
	test_expect_code 1 git merge-tree -Xno-renames ours theirs >out && test_grep "modify/delete): f deleted in ours" out && test_expect_code 1 git -c merge.renames=false merge-tree ours theirs && git -c diff.renames=copies merge-tree ours theirs &&
	test_expect_code 1 git merge-tree -Xfind-renames=90% ours theirs && sides "all >f" "mv f g && but 1 x >g" "but 1 y >f" && { printf "100644 %s\tg\n" 1 2 3 && echo && echo "Auto-merging g" && echo "CONFLICT (content): Merge conflict in g" && printf "100644\tg\n"; } >want &&
	gives 1 <want && text g >got && sed -n 1,5p got >out && lines "<<<<<<< ours:g" x ======= y ">>>>>>> theirs:f" >want && test_cmp want out
'

test_expect_success 'both rename a file' '
	sides "all >f" "mv f g && but 1 x >g" "mv f g && but 1 y >g" && { printf "100644 %s\tg\n" 1 2 3 && echo && echo "Auto-merging g" && echo "CONFLICT (content): Merge conflict in g" && printf "100644\tg\n"; } >want && gives 1 <want && text g >got && test_grep "^<<<<<<< ours$" got &&
	sides "all >f" "mv f g && but 1 x >g" "mv f h && but 1 y >h" && { printf "100644 1\tf\n100644 2\tg\n100644 3\th\n\n" && echo "Auto-merging f" && echo "CONFLICT (rename/rename): f renamed to g in ours and to h in theirs." && printf "100644\tg\n100644\th\n"; } >want && gives 1 <want &&
	text g >got && test_grep "^<<<<<<<< ours:g$" got && text h >other && test_cmp got other && sides "printf \"\0\" >f && all >>f" "mv f g && lines x >>g" "mv f h && lines y >>h" && test_expect_code 1 git merge-tree ours theirs >out && tree=$(sed 1q out) && text g | tail -n 1 >got && text h | tail -n 1 >>got && lines x y >want && test_cmp want got
'

test_expect_success 'renamed and deleted; renamed to a name that is taken' '
	sides "all >f && all | tac >k" "mv f g && mv k l && lines n >>l" "rm f k" && { printf "100644 1\tg\n100644 2\tg\n100644 1\tl\n100644 2\tl\n\n" && echo "CONFLICT (rename/delete): f renamed to g in ours, but deleted in theirs." && echo "CONFLICT (rename/delete): k renamed to l in ours, but deleted in theirs." &&
		echo "CONFLICT (modify/delete): l deleted in theirs and modified in ours.  Version ours of l left in tree." && printf "100644\tg\n100644\tl\n"; } >want && gives 1 <want &&
	sides "all >f" "mv f g && but 1 x >g" "but 1 y >f && lines z >g" && { printf "100644 2\tg\n100644 3\tg\n\n" && echo "Auto-merging f" && echo "CONFLICT (rename involved in collision): rename of f -> g has content conflicts AND collides with another path; this may result in nested conflict markers." &&
		echo "Auto-merging g" && echo "CONFLICT (add/add): Merge conflict in g" && printf "100644\tg\n"; } >want && gives 1 <want && text g >got && test_grep "^<<<<<<<< ours:g$" got && test_grep "^>>>>>>> theirs$" got &&
	sides "all >f" "mv f g" "rm f && lines z >g" && { printf "100644 2\tg\n100644 3\tg\n\n" && echo "CONFLICT (rename/delete): f renamed to g in ours, but deleted in theirs." && echo "Auto-merging g" && echo "CONFLICT (add/add): Merge conflict in g" && printf "100644\tg\n"; } >want && gives 1 <want
'

test_expect_success 'renamed, and replaced by a link; renamed to the name of a directory' '
	sides "all >f && all | tac >k" "mv f g" "ln -sfn x f" && { printf "100644 1\tg\n100644 2\tg\n\n" && echo "CONFLICT (modify/delete): g deleted in theirs and modified in ours.  Version ours of g left in tree." && printf "120000\tf\n100644\tg\n100644\tk\n"; } >want && gives 1 <want &&
	sides "all >f && lines k >k" "mv f d" "but 1 y >f && mkdir d && lines x >d/x" && { printf "100644 2\td~ours\n\n" && echo "CONFLICT (file/directory): directory in the way of d from ours; moving it to d~ours instead." &&
		printf "100644\td/x\n100644\td~ours\n100644\tk\n"; } >want && gives 1 <want && test "$(text d~ours | sed 1q)" = y
'

# BASE O1 T1 O2 T2: both branches merge the other one's first commit; O2 and T2 make the results
crossed () {
	sides "$1" "$2" "$3" && git branch o1 ours && git branch t1 theirs && for b in ours theirs; do
		git checkout -q $b && if test $b = ours; then eval "$4" && p=t1; else eval "$5" && p=o1; fi && git add -A && c=$(git commit-tree -p $b -p $p -m $b $(git write-tree)) && git reset -q --hard $c || return 1
	done
}

test_expect_success 'several merge bases' '
	crossed "all >f" "but 1 x >f" "but 8 y >f" "but 1 x | sed s/8/y/ >f && lines a >a" "but 1 x | sed s/8/Y/ >f" && test $(git merge-base --all ours theirs | wc -l) = 2 && printf "100644\ta\n100644\tf\n" >want && gives 0 <want && but 1 x | sed s/8/Y/ >want && text f >got && test_cmp want got &&
	crossed "lines 1 >f" "lines x >f" "lines y >f" "lines A >f" "lines B >f" && test_expect_code 1 git -c merge.conflictStyle=diff3 merge-tree ours theirs >out && tree=$(sed 1q out) && text f >got && b=$(git rev-parse --short base) &&
	lines "<<<<<<< ours" A "||||||| merged common ancestors" "<<<<<<<<< Temporary merge branch 1" x "||||||||| $b" 1 ========= y ">>>>>>>>> Temporary merge branch 2" ======= B ">>>>>>> theirs" >want && { test_cmp want got || { sed -e "s/^x$/z/" -e "s/^y$/x/" -e "s/^z$/y/" want >other && test_cmp other got; }; }
'

test_expect_success 'conflicts in a merge base: a file that one side has deleted is there, a link is as it was' '
	crossed "lines 1 >f && ln -s 1 l" "lines 2 >f && ln -sfn 2 l" "rm f && ln -sfn 3 l" "lines 4 >f && ln -sfn 4 l" "lines 5 >f && ln -sfn 3 l" && { printf "100644 %s\tf\n" 1 2 3 && printf "120000 %s\tl\n" 1 2 3 && echo && echo "Auto-merging f" && echo "CONFLICT (content): Merge conflict in f" &&
		echo "CONFLICT (content): Merge conflict in l" && printf "100644\tf\n120000\tl\n"; } >want && gives 1 <want && git cat-file blob $(sed -n "s/^100644 \([0-9a-f]*\) 1.*/\1/p" ../raw) >got && lines 1 >want && test_cmp want got && git cat-file blob $(sed -n "s/^120000 \([0-9a-f]*\) 1.*/\1/p" ../raw) >got && test "$(cat got)" = 1
'

test_expect_success 'directories that renames do not lead into are not read' '
	sides "mkdir a b c && all >a/f && lines 1 >b/1 && lines 1 >c/1" "lines 2 >b/1 && but 1 x >a/f" "lines 2 >c/1 && but 8 y >a/f" && dir=$(git rev-parse ours:b) && rm .git/objects/$(echo $dir | sed "s,^..,&/,") && tree=$(git merge-tree ours theirs) && test $(git rev-parse $tree:b) = $dir
'

test_expect_success 'output: -z, --name-only, --stdin' '
	sides "lines 1 >f" "lines 2 >f" "rm f" && t=$(git rev-parse ours:) && b=$(git rev-parse base:f) && o=$(git rev-parse ours:f) && test_expect_code 1 git merge-tree -z ours theirs >raw && tr "\0" "|" <raw >out && m="CONFLICT (modify/delete): f deleted in theirs and modified in ours.  Version ours of f left in tree." &&
	printf "%s|100644 %s 1\tf|100644 %s 2\tf||1|f|CONFLICT (modify/delete)|%s\n|" $t $b $o "$m" >want && test_cmp want out && test_expect_code 1 git merge-tree --name-only ours theirs >out && printf "%s\nf\n\n%s\n" $t "$m" >want && test_cmp want out &&
	test_expect_code 1 git merge-tree --no-messages --name-only ours theirs >out && printf "%s\nf\n" $t >want && test_cmp want out && printf "ours theirs\nbase -- base ours\n" | git merge-tree --stdin --name-only >raw && tr "\0" "|" <raw >out &&
	printf "0|%s|f||1|f|CONFLICT (modify/delete)|%s\n||1|%s||" $t "$m" $t >want && test_cmp want out && git mktree </dev/null >empty && test_expect_code 1 git merge-tree --quiet ours theirs >out && test_must_be_empty out
'

test_expect_success '--quiet leaves nothing behind; --stdin answers each line at once' '
	sides "lines 1 2 3 >f" "lines 0 2 3 >f" "lines 1 2 4 >f" && git count-objects >before && git merge-tree --quiet ours theirs && git count-objects >after && test_cmp before after && tree=$(git merge-tree ours theirs) && git cat-file -e $tree &&
	mkfifo in out && { git merge-tree --stdin <in >out & } && exec 8>in 9<out && echo "ours theirs" >&8 && dd bs=1 count=$((OID_HEXLEN + 4)) <&9 2>/dev/null | tr "\0" "\n" >got && exec 8>&- && cat <&9 >rest && exec 9<&- && wait && printf "1\n%s\n\n" $tree >want && test_cmp want got && test_must_be_empty rest
'

test_expect_success 'attributes: union, binary, the size of markers' '
	sides "lines 1 >u && lines 1 >b && lines 1 >m && lines \"u merge=union\" \"b -merge\" \"m conflict-marker-size=9\" >.gitattributes" "lines 1 2 | tee u b >m" "lines 1 3 | tee u b >m" &&
	{ printf "100644 %s\tb\n" 1 2 3 && printf "100644 %s\tm\n" 1 2 3 && echo && echo "warning: Cannot merge binary files: b (ours vs. theirs)" && echo "Auto-merging b" && echo "CONFLICT (content): Merge conflict in b" && echo "Auto-merging m" && echo "CONFLICT (content): Merge conflict in m" && echo "Auto-merging u" &&
	printf "100644\t%s\n" .gitattributes b m u; } >want && gives 1 <want && lines 1 2 3 >want && text u >got && test_cmp want got && text m >got && test_grep "^<<<<<<<<< ours$" got && printf "1\0\n" >u && git add u && git commit -qm u && git checkout -q ours && printf "2\0\n" >u && git add u && git commit -qm u &&
	test_expect_code 1 git merge-tree ours theirs >out && test_grep "Cannot merge binary files: u" out
'

test_expect_success 'a merge driver: its command line, its temporary files, its result' '
	sides "mkdir d && lines 1 >\"d/f o\" && lines \"* merge=p\" \".g* -merge\" >.gitattributes" "lines 2 >\"d/f o\"" "lines 3 >\"d/f o\"" && write_script ../show <<-\END &&
	cat "$1" "$2" "$3" >text && shift 3 && printf "[%s]" "$@" >args && echo merged >"$RESULT"
	END
	git config merge.p.driver "RESULT=%A ../show %O %A %B %L %P %S %X %Y %% %z" && printf "100644\t.gitattributes\n100644\td/f o\n" >want && gives 0 <want && test "$(text "d/f o")" = merged && lines 1 2 3 >want && test_cmp want text &&
	test "$(cat args)" = "[7][d/f o][$(git rev-parse --short base)][ours][theirs][%][%z]" && ls -A >list && ! grep merge_file list && git config merge.p.name "A name"
'

test_expect_success 'a merge driver: conflicts and failures' '
	sides "lines 1 >f && lines \"f merge=p\" >.gitattributes" "lines 2 >f" "lines 3 >f" && printf "100644 %s\tf\n" 1 2 3 >want && lines "" "Auto-merging f" "CONFLICT (content): Merge conflict in f" >>want && printf "100644\t.gitattributes\n100644\tf\n" >>want &&
	for code in 1 128; do git config merge.p.driver "cat %B >>%A; exit $code" && gives 1 <want && lines 2 3 >expect2 && text f >got && test_cmp expect2 got || return 1; done && git config merge.p.driver no-such-program && gives 1 <want 2>err && test_grep "no-such-program" err && test "$(text f)" = 2 &&
	git config merge.p.driver "" && gives 1 <want && for command in "exit 129" "kill -9 \$\$" "rm %A" "rm %A; exit 1" "ln -sf f %A"; do git config merge.p.driver "$command" && test_expect_code 128 git merge-tree ours theirs >out 2>err && test_must_be_empty out && echo "fatal: failure to merge" >want2 && tail -n 1 err >err2 && test_cmp want2 err2 &&
		ls -A >list && ! grep merge_file list || return 1; done && git config --unset merge.p.driver && test_expect_code 1 git merge-tree ours theirs >out && git config merge.p.name x && test_expect_code 128 git merge-tree ours theirs 2>err && test_grep "fatal: custom merge driver p lacks command line." err &&
	rm .gitattributes && git config merge.p.driver "cat %B >>%A" && git -c merge.default=p merge-tree ours theirs >out && tree=$(cat out) && lines 2 3 >expect2 && text f >got && test_cmp expect2 got
'

test_expect_success 'a merge driver in merges of merge bases' '
	crossed "lines 1 >f" "lines 2 >f" "lines 3 >f" "lines 4 >f" "lines 5 >f" && echo "f merge=p" >.git/info/attributes && git config merge.p.driver "echo %L %X >>log; cat %O %A %B >>log; cat %B >>%A" && rm -f log && git merge-tree ours theirs && test_grep "^9 Temporary merge branch 1$" log && test_grep "^7 ours$" log &&
	rm log && git -c merge.p.recursive=text merge-tree ours theirs && test_grep "^7 ours$" log && ! grep "^9 " log && test_grep "^<<<<<<<<< Temporary merge branch 1" log && rm log && git -c merge.p.recursive=p merge-tree ours theirs && test_grep "^9 Temp" log
'

test_expect_success 'too many files for renames: a warning, with the messages' '
	sides "all >a && all | tac >b" "git mv a A && git mv b B && lines x | tee -a A >>B" "but 1 y >a && all | tac | sed s/1/y/ >b" && lines "warning: exhaustive rename detection was skipped due to too many files." "warning: you may want to set your merge.renamelimit variable to at least 2 and retry the command." >want &&
	for key in merge diff; do test_expect_code 1 git -c $key.renameLimit=1 merge-tree ours theirs 2>err >out && test_cmp want err || return 1; done && test_expect_code 1 git -c merge.renameLimit=1 merge-tree --no-messages ours theirs 2>err && test_must_be_empty err &&
	test_expect_code 1 git -c merge.renameLimit=1 merge-tree --quiet ours theirs 2>err && test_must_be_empty err && test_expect_code 1 git -c merge.renameLimit=2 merge-tree ours theirs 2>err && test_must_be_empty err && echo ours theirs | git -c merge.renameLimit=1 merge-tree --stdin 2>err >out && test_cmp want err &&
	git checkout -q ours && test_expect_code 1 git -c merge.renameLimit=1 merge theirs >out 2>&1 && tail -n 3 out >got && echo "Automatic merge failed; fix conflicts and then commit the result." >>want && test_cmp want got
'

test_expect_success 'whitespace that does not count: the other side is taken whole' '
	sides "lines a\\ 1 b c >f" "lines a\\ \\ 1 b c >f" "lines a\\ 1 b c d >f" && printf "100644\tf\n" >want && gives 0 -Xignore-space-change <want && lines "a 1" b c d >want && text f >got && test_cmp want got
'

test_expect_success 'a branch with a slash; a file that both have, and one seems to have renamed; a type in conflict in a merge base' '
	sides "lines 1 >k" "lines 2 >d" "mkdir d && lines 3 >d/x" && git branch a/b ours && test_expect_code 1 git merge-tree --name-only a/b theirs >out && test_grep "^d~a_b$" out &&
	sides "all >f" "but 1 x >f && but 8 y >g" "rm f && but 8 y >g" && printf "100644\tg\n" >want && gives 0 <want && text g >got && but 8 y >want && test_cmp want got &&
	crossed "lines k >k" "lines 1 >f" "ln -s 1 f" "lines 2 >f" "ln -sfn 3 f" && { printf "120000 3\tf\n100644 2\tf~ours\n\n" && echo "CONFLICT (distinct types): f had different types on each side; renamed one of them so each can be recorded somewhere." &&
		printf "120000\tf\n100644\tf~ours\n100644\tk\n"; } >want && gives 1 <want
'

test_expect_success 'two equal targets of a rename: a directory is met before a file whose name begins with its name' '
	sides "mkdir a && all >a/s" "cp a/s a.b && mv a/s a/z" "but 1 x >a/s" && printf "100644\ta.b\n100644\ta/z\n" >want && gives 0 <want &&
	text a/z >got && but 1 x >want && test_cmp want got
'

test_expect_success 'empty trees' '
	sides : : : && gives 0 </dev/null && test $tree = $(git mktree </dev/null) && sides "lines 1 >f" "rm f" "rm f" && gives 0 </dev/null
'

test_expect_success 'merge-tree refuses unknown names, options and unrelated histories' '
	sides "lines 1 >f" "lines 2 >f" "lines 3 >f" && test_expect_code 1 git merge-tree ours nope 2>err && echo "merge-tree: nope - not something we can merge" >want && test_cmp want err && test_expect_code 128 git merge-tree --merge-base=nope ours theirs 2>err &&
	echo "fatal: could not parse as tree ${SQ}nope${SQ}" >want && test_cmp want err && test_expect_code 128 git merge-tree -Xnope ours theirs 2>err && test_grep "unknown strategy option: -Xnope" err && test_expect_code 129 git merge-tree ours && test_expect_code 128 git merge-tree --quiet --messages ours theirs &&
	test_expect_code 128 git merge-tree --stdin --merge-base=base && echo base | test_expect_code 128 git merge-tree --stdin 2>err && test_grep "malformed input line: ${SQ}base${SQ}" err && git checkout -q --orphan other && git commit -qm other && test_expect_code 128 git merge-tree other ours 2>err &&
	test_grep "refusing to merge unrelated histories" err && test_expect_code 1 git -c merge.conflictStyle=diff3 merge-tree --allow-unrelated-histories other ours >out && tree=$(sed 1q out) && text f >got && test_grep "^||||||| empty tree$" got
'

test_expect_success 'calls of forges: merge-tree in a bare repository, merge --no-ff --no-commit in a clone of it' '
	sides "lines 1 2 3 >f" "lines 0 1 2 3 >f" "lines 1 2 3 4 >f" && tree=$(git merge-tree ours theirs) && git clone -q --bare . ../forge.git &&
	git -C ../forge.git merge-tree --write-tree refs/heads/ours refs/heads/theirs >out && echo $tree >want && test_cmp want out &&
	git clone -q ../forge.git ../forge && git -C ../forge checkout -q -B work origin/ours &&
	git -C ../forge merge -q --no-ff --no-commit origin/theirs && git -C ../forge write-tree >out && test_cmp want out &&
	git -C ../forge rev-parse origin/theirs >want && test_cmp want ../forge/.git/MERGE_HEAD
'

# The names of objects are left out.
trivial () { git merge-tree "$@" >raw && sed "s/ [0-9a-f]\{$OID_HEXLEN\} / /" raw; }

test_expect_success '--trivial-merge prints each path that theirs has changed, and the change' '
	sides "lines 1 2 3 4 5 6 7 8 9 >f && lines 1 2 >g && lines x >gone && lines y >kept && lines z >z && printf \"a\\0\" >b && chmod +x y; true" \
		"lines 1 2 3 4 5 6 7 8 nine >f && lines 1 3 >z && lines n >both && rm kept && printf \"b\\0\" >b && lines o >only" \
		"lines one 2 3 4 5 6 7 8 9 >f && chmod +x g && rm gone && lines m >both && lines k >kept && printf \"c\\0\" >b && lines t >zz" &&
	cat >../want <<-\EOS &&
	changed in both
	  base   100644 b
	  our    100644 b
	  their  100644 b
	added in both
	  our    100644 both
	  their  100644 both
	@@ -1 +1,5 @@
	+<<<<<<< .our
	 n
	+=======
	+m
	+>>>>>>> .their
	changed in both
	  base   100644 f
	  our    100644 f
	  their  100644 f
	@@ -1,4 +1,4 @@
	-1
	+one
	 2
	 3
	 4
	merged
	  result 100755 g
	  our    100644 g
	removed in remote
	  base   100644 gone
	  our    100644 gone
	@@ -1 +0,0 @@
	-x
	removed in local
	  base   100644 kept
	  their  100644 kept
	added in remote
	  their  100644 zz
	@@ -0,0 +1 @@
	+t
	EOS
	trivial base ours theirs >../out 2>../err && test_cmp ../want ../out && test_grep "Cannot merge binary files: b (.our vs. .their)" ../err &&
	trivial --trivial-merge base: ours: theirs: >../out && test_cmp ../want ../out && trivial --trivial-merge base ours ours >../out &&
	test_must_be_empty ../out && test_expect_code 128 git merge-tree --trivial-merge nope ours theirs 2>../err &&
	echo "fatal: unknown rev nope" >../want && test_cmp ../want ../err && test_expect_code 129 git merge-tree --trivial-merge ours theirs &&
	test_expect_code 128 git merge-tree --trivial-merge -z base ours theirs
'

test_expect_success '--trivial-merge prints changes that are far apart in several hunks' '
	sides "seq 30 >f" "lines other >g" "seq 30 | sed -e 3s/.*/three/ -e 10s/.*/ten/ -e 11d -e 20s/.*/twenty/ >f; printf end >>f" &&
	git merge-tree base ours theirs >../raw && sed 1,3d ../raw >../out && git diff ours theirs -- f >../patch &&
	sed -e 1,4d -e "s/^\(@@.*@@\).*/\1/" ../patch >../want && test_cmp ../want ../out && test_grep "^ No newline\|No newline at end" ../out &&
	test 3 = $(grep -c ^@@ ../out)
'

test_expect_success '--stdin answers the lines before a bad one' '
	sides "lines 1 >f" "lines 2 >g" "lines 3 >h" && tree=$(git merge-tree ours theirs) &&
	for bad in "nope ours" ours; do
		printf "%s\n" "ours theirs" "$bad" >../in && test_must_fail git merge-tree --stdin <../in >../raw && tr "\0" @ <../raw >../out &&
		printf "1@%s@@" $tree >../want && test_cmp ../want ../out || return 1
	done
'

test_done
