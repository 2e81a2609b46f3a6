#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='differences between trees, in all formats, compared with stock git'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PEER; then
	skip_all='no stock git to compare with'
	test_done
fi
diff_trees=$GIT_BUILD_DIR/t/helper/diff-trees

# same ARGS: what we print for the trees $A and $B equals what stock git prints,
# in both directions.
same () {
	stock diff-tree -r "$@" $A $B >expect 2>/dev/null &&
	stock diff-tree -r "$@" $B $A >>expect 2>/dev/null &&
	"$diff_trees" "$@" $A $B >actual &&
	"$diff_trees" "$@" $B $A >>actual || return 1
	cmp -s expect actual && return
	echo "diff-tree $*:" && test_cmp expect actual
}

# snapshot: the tree of the files here
snapshot () {
	stock add -A && stock write-tree
}

all_formats () {
	same && same -p && same --stat --summary && same --numstat && same --shortstat &&
	same --raw --numstat --stat --shortstat --summary -p && same --name-only &&
	same --name-status && same --abbrev --raw -p && same --compact-summary &&
	same -z --raw && same -z --name-status && same -z --numstat && same -z --raw -p &&
	same -p -U0 && same -p -U1 && same -p -U20 && same -p --inter-hunk-context=4 &&
	same -p -R && same -p --full-index && same -p --no-prefix &&
	same -p --src-prefix=x/ --dst-prefix=y/ && same -a -p && same -D -p &&
	same --name-only -p --stat && same --raw --name-status -U1 --numstat &&
	same --stat-width=40 && same --stat-graph-width=5 --stat-name-width=9 && same --stat-count=1 &&
	same --line-prefix="| " -p --stat && same --color=always -p --stat
}

renames () {
	for opts in -M -M40% -M100% -M9 -C '-C -C' -B '-B -M' '-B20%/70% -M' '-M -l1' \
		'-M --diff-filter=R' '-M --diff-filter=ad'
	do
		same $opts && same $opts --summary --stat --numstat && same $opts -p || return 1
	done
}

test_expect_success 'setup' '
	stock init -q && stock config core.safecrlf false && stock config core.autocrlf false
'

test_expect_success 'modes, types, binary files, names, missing newlines' '
	printf "a\nb\nc\nd\ne\nf\ng\nh\n" >t && printf "int main(void)\n{\n\tfoo();\n\tx\n\ty\n\tz\n}\n" >m.c &&
	printf "x\0y" >bin && echo l >"sp ace" && echo q >"tab	name" && ln -s t link &&
	printf nonl >nn && mkdir -p a/b/c d && seq 30 >a/b/c/x && seq 5 >d/f && echo x >gone && seq 9 >"\"q" &&
	A=$(snapshot) &&
	sed -i "s/c/C/;\$d" t && sed -i "s/\tz/\tz \n \tq/;s/x/x\t/" m.c && printf "x\0yz" >bin && echo m >>"sp ace" &&
	echo r >>"tab	name" && rm -r link gone d && echo file >link && printf nonl2 >nn && : >empty &&
	echo d >d && chmod +x t && printf "\n\n" >>a/b/c/x && echo ü >ü &&
	B=$(snapshot) &&
	all_formats && renames &&
	same --relative=a/b/ -p --stat && same -S foo --raw && same -G "^a|x" --raw &&
	stock config core.quotePath false && all_formats && stock config --unset core.quotePath
'

test_expect_success 'against the empty tree, submodules' '
	A=$(stock hash-object -t tree -w --stdin </dev/null) &&
	stock update-index --add --cacheinfo 160000,$(stock hash-object -t tree --stdin </dev/null),sub &&
	B=$(stock write-tree) && all_formats &&
	stock update-index --cacheinfo 160000,$B,sub && A=$(stock write-tree) && all_formats &&
	stock rm -q --cached sub
'

test_expect_success 'whitespace' '
	printf "a b\n\tc\n  d  \n\ne\r\nf\nx\fy\n\n\n" >ws && A=$(snapshot) &&
	printf "a  b\n\n        c\nd\ne\nf \nxy\n \t z\n\n\n\n" >ws && B=$(snapshot) &&
	for o in "" -w -b --ignore-space-at-eol --ignore-cr-at-eol --ignore-blank-lines "-w --ignore-blank-lines"
	do
		same -p $o && same --numstat $o && same --color=always -p $o || return 1
	done &&
	stock config core.whitespace indent-with-non-tab,cr-at-eol,-blank-at-eof,tabwidth=4 &&
	same --color=always -p && stock config --unset core.whitespace
'

# Files of the machine, changed at random (the same each time).
test_expect_success PYTHON 'real files' '
	rm -rf * && cat >mutate <<-\EOF &&
	import glob, os, random, sys
	random.seed(7)
	names = sorted(glob.glob("/usr/include/*.h"))[:120]
	texts = [open(n, "rb").read().splitlines(True)[:900] for n in names]
	def write(path, lines):
	    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
	    open(path, "wb").write(b"".join(lines))
	for name, lines in zip(names, texts):
	    base, lines = os.path.basename(name), list(lines)
	    if sys.argv[1] == "new":
	        for i in range(random.choice([0, 1, 2, 5, 30])):
	            if not lines: break
	            at, n = random.randrange(len(lines)), random.randrange(1, 12)
	            what = random.randrange(6)
	            if what == 0: del lines[at:at + n]
	            elif what == 1: lines[at:at] = lines[at:at + n]
	            elif what == 2: lines[at:at] = random.choice(texts)[:n]
	            elif what == 3: lines[at:at] = [b"\n"] * 2
	            elif what == 4: lines[at:at + n] = [b"    " + l for l in lines[at:at + n]]
	            else: random.shuffle(lines[at:at + n]); lines[at:at + n] = reversed(lines[at:at + n])
	        where = random.randrange(12)
	        if where == 0: continue
	        if where == 1: base = "moved/" + base
	        if where == 2: base = "renamed-" + base
	        if where == 3: write("copy/" + base, lines)
	    write("inc/" + base, lines)
	EOF
	python3 mutate old && A=$(snapshot) && rm -r inc &&
	python3 mutate new && B=$(snapshot) &&
	same -p && same --stat && same --numstat -M && same -p --no-indent-heuristic &&
	same -w -p && same --ignore-blank-lines -p && same --color=always -p && renames &&
	same --stat=40 -M && same --stat=60,20 -M && same --stat-graph-width=5 --stat && same --stat-count=3 --stat
'

test_expect_success 'a binary patch can be applied' '
	rm -rf * && printf "a\0b" >bin && seq 9 >text && A=$(snapshot) &&
	printf "a\0bcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw" >bin &&
	printf "\0" >new && rm text && B=$(snapshot) &&
	"$diff_trees" --binary -M $A $B >patch &&
	stock read-tree $A && stock apply --cached patch && test $(stock write-tree) = $B &&
	stock apply --cached -R patch && test $(stock write-tree) = $A
'

test_expect_success 'bad options' '
	test_must_fail "$diff_trees" --diff-filter=q $A $B 2>err && test_grep "unknown change class" err &&
	test_must_fail "$diff_trees" -Ux $A $B 2>err && test_grep "expects a numerical value" err &&
	test_must_fail "$diff_trees" -G "(" $A $B 2>err && test_grep "invalid regex" err &&
	test_must_fail "$diff_trees" --diff-algorithm=best $A $B 2>err && test_grep "accepts .*histogram" err
'

test_expect_success 'a missing tree, a corrupt one' '
	test_must_fail "$diff_trees" $A 1234567890123456789012345678901234567890 2>err &&
	test_grep 1234567890123456789012345678901234567890 err &&
	bad=$(printf "100644 a\0short" | stock hash-object -t tree -w --literally --stdin) &&
	test_must_fail "$diff_trees" $A $bad 2>err && test_grep "$bad" err
'

test_done
