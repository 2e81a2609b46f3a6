#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='rev-list: which commits and objects, in which order, and how they are shown'
. "$(dirname "$0")/test-lib.sh"

# commit NAME TREE [PARENT-NAME...]: remember it, for `named`
commit () {
	local name=$1 tree=$2 parent args=
	shift 2
	for parent
	do
		args="$args -p $(cat "oid-$parent")"
	done
	test_tick
	# shellcheck disable=SC2086
	echo "$name" | git commit-tree "$tree" $args >"oid-$name" &&
	remember "$(cat "oid-$name")" "$name"
}
remember () {
	echo "s/$1/$2/g" >>names
}
# Output with names in place of object ids.
named () {
	sed -f names
}
blob () {
	printf '%s\n' "$1" | git hash-object -w --stdin
}
# rev ARGS: on one line
rev () {
	git rev-list "$@" >raw && named <raw | tr '\n' ' ' | sed 's/ $//' >actual && echo >>actual
}
shows () {
	echo "$1" >expect && test_cmp expect actual
}

#   A--B--C--M--N     main
#    \      /
#     D----E          side
test_expect_success 'a history' '
	git init -q -b main . && >names &&
	one=$(blob one) && two=$(blob two) && big=$(blob "a longer text than the others") &&
	remember $one one && remember $two two && remember $big big &&
	sub=$(printf "100644 blob %s\tf\n" $one | git mktree) &&
	sub2=$(printf "100644 blob %s\tf\n100644 blob %s\tg.c\n" $one $two | git mktree) &&
	ta=$(printf "040000 tree %s\td\n100644 blob %s\tx\n" $sub $one | git mktree) &&
	tb=$(printf "040000 tree %s\td\n100644 blob %s\tx\n" $sub2 $one | git mktree) &&
	td=$(printf "040000 tree %s\td\n100644 blob %s\tx\n" $sub $big | git mktree) &&
	tm=$(printf "040000 tree %s\td\n100644 blob %s\tx\n" $sub2 $big | git mktree) &&
	remember $sub sub && remember $sub2 sub2 && remember $ta ta && remember $tb tb &&
	remember $td td && remember $tm tm &&
	commit A $ta && commit B $tb A && commit D $td A && commit C $tb B && commit E $td D &&
	commit M $tm C E && commit N $tm M &&
	git update-ref refs/heads/main $(cat oid-N) && git update-ref refs/heads/side $(cat oid-E) &&
	git tag -a -m tag v1 $(cat oid-C) && v1=$(git rev-parse v1) && remember $v1 v1
'

test_expect_success 'order' '
	rev main && shows "N M E C D B A" &&
	rev --topo-order main && shows "N M E D C B A" &&
	rev --date-order main && shows "N M E C D B A" &&
	rev --reverse -3 main && shows "E M N" &&
	rev --first-parent main && shows "N M C B A" &&
	rev --skip=2 -n2 main && shows "E C"
'

test_expect_success 'ranges, their sides and their boundary' '
	rev side..main && shows "N M C B" &&
	rev main ^side ^v1 && shows "N M" &&
	rev --boundary side..v1 && shows "C B -A" &&
	rev --left-right v1...side && shows ">E <C >D <B" &&
	rev --left-only v1...side && shows "C B" &&
	rev --merges main && shows "M" &&
	rev --ancestry-path side..main && shows "N M" &&
	rev --not side --not main && shows "N M C B"
'

test_expect_success '--parents, --children, --timestamp' '
	rev --parents side..main && shows "N M M C E C B B A" &&
	rev --children side..main && shows "N M N C M B C" &&
	test_must_fail git rev-list --parents --children main 2>err &&
	test_grep "cannot be used together" err &&
	git rev-list --timestamp -1 side >raw && test_grep "^17[0-9]* $(cat oid-E)$" raw
'

test_expect_success 'formats' '
	git rev-list --format="%s %P" -2 main >raw && named <raw >actual &&
	printf "commit N\nN M\ncommit M\nM C E\n" >expect && test_cmp expect actual &&
	git rev-list --no-commit-header --format=%s -2 main >actual &&
	printf "N\nM\n" >expect && test_cmp expect actual &&
	git rev-list --header -1 main | tr "\\0" "@" >raw && named <raw >actual &&
	test_grep "^tree tm$" actual && test_grep "^@" actual &&
	git rev-list --graph --oneline side..main >actual && test_grep "^[*] [0-9a-f]* M$" actual &&
	git rev-list --graph --format=%s -1 main >raw && named <raw >actual &&
	printf "* commit N\n| N\n" >expect && test_cmp expect actual &&
	git rev-list --oneline --abbrev=5 -1 main >actual && test_grep -E "^[0-9a-f]{5} N$" actual
'

test_expect_success '--count' '
	rev --count main && shows 7 &&
	rev --count --left-right v1...side && shows "2	2" &&
	rev --count --objects main && shows 16 &&
	test_must_fail git rev-list --count --left-right --objects main 2>err &&
	test_grep "marked counting and .--objects. cannot be used together" err
'

test_expect_success '--objects: each once, with a path' '
	rev --objects main &&
	shows "N M E C D B A tm  sub2 d one d/f two d/g.c big x td  sub d tb  ta " &&
	rev --objects --no-object-names -1 side && shows "E td sub one big" &&
	rev --objects v1^! && shows "C v1 v1" &&
	rev --objects v1 ^v1^0 && shows "v1 v1"
'

test_expect_success '--objects: without what the boundary has' '
	rev --objects side..main && shows "N M C B tm  sub2 d two d/g.c tb " &&
	rev --objects-edge side..main && shows "-E -A N M C B tm  sub2 d two d/g.c tb " &&
	rev --objects-edge-aggressive main..side && shows "-N -E" &&
	rev --objects-edge main..side && shows "" &&
	up=$(printf "100644 blob %s\tup\n" $two | git mktree) && remember $up up && commit moved $up N &&
	rev --objects $(cat oid-moved) ^main && shows "moved up " &&
	rev --objects main ^$sub && shows "N M E C D B A tm  sub2 d two d/g.c big x td  tb  ta "
'

test_expect_success 'for thin packs: what lies at the boundary where something is delivered' '
	"$GIT_BUILD_DIR/t/helper/walk-objects" side..main >raw && named <raw >actual &&
	cat >expect <<-\EOF &&
	edge-commit E
	edge-commit A
	commit N
	commit M
	commit C
	commit B
	tree tm 
	tree sub2 d
	blob two d/g.c
	tree tb 
	base tree td 
	base tree sub d
	base tree ta 
	EOF
	test_cmp expect actual &&
	commit later $td N &&
	"$GIT_BUILD_DIR/t/helper/walk-objects" $(cat oid-later) ^main >raw && named <raw >actual &&
	printf "%s\n" "edge-commit N" "commit later" "tree td " "tree sub d" \
		"base tree tm " "base tree sub2 d" >expect && test_cmp expect actual
'

test_expect_success '--objects: trees, blobs and tags as starts; --in-commit-order' '
	rev --objects side:d && shows "sub d one d/f" &&
	rev --objects side:x && shows "big x" &&
	rev --objects v1 --max-count=1 && shows "C v1 v1 tb  sub2 d one d/f two d/g.c" &&
	rev --objects --in-commit-order side &&
	shows "E td  sub d one d/f big x D A ta " &&
	git rev-list side:d >actual && test_must_be_empty actual
'

test_expect_success '--objects with paths' '
	rev --objects side -- x && shows "D A td  big x ta  one x"
'

test_expect_success '-z' '
	git rev-list -z --boundary --objects side..main | tr "\0" "\n" >raw && named <raw >actual &&
	printf "%s\n" N M C B A boundary=yes E boundary=yes tm sub2 path=d two path=d/g.c tb >expect &&
	test_cmp expect actual &&
	for option in --graph --left-right --timestamp --header --pretty --disk-usage --objects-edge \
		--bisect --cherry-mark
	do
		test_must_fail git rev-list -z $option side..main 2>err &&
		test_grep "^fatal: -z option used with unsupported option$" err || return 1
	done
'

test_expect_success '--filter' '
	rev --objects --filter=blob:none side && shows "E D A td  sub d ta " &&
	rev --objects --filter=blob:limit=10 side && shows "E D A td  sub d one d/f ta " &&
	rev --objects --filter=blob:limit=4 side && shows "E D A td  sub d ta " &&
	rev --objects --filter=blob:limit=5 side && shows "E D A td  sub d one d/f ta " &&
	rev --objects --filter=blob:limit=0 side && shows "E D A td  sub d ta " &&
	rev --objects --filter=tree:0 side && shows "E D A" &&
	rev --objects --filter=tree:1 side && shows "E D A td  ta " &&
	rev --objects --filter=tree:2 side && shows "E D A td  sub d big x ta  one x" &&
	rev --objects --filter=tree:3 side && shows "E D A td  sub d one d/f big x ta " &&
	rev --objects --filter=object:type=blob side && shows "E one d/f big x" &&
	rev --objects --filter=object:type=tree side^{commit} && shows "E td  sub d ta " &&
	rev --objects --filter=tree:2 --filter=blob:none side && shows "E D A td  sub d ta " &&
	rev --objects --filter=combine:tree:2+blob:none side && shows "E D A td  sub d ta " &&
	rev --objects --filter=blob:none --no-filter -1 side && shows "E td  sub d one d/f big x"
'

test_expect_success '--filter: named objects stay, unless --filter-provided-objects is given' '
	rev --objects --filter=blob:none side:x && shows "big x" &&
	rev --objects --filter=blob:none --filter-provided-objects side:x && shows "" &&
	rev --objects --filter=tree:1 side:d && shows "sub d one d/f" &&
	rev --objects --filter=object:type=tag v1 && shows "C v1 v1" &&
	rev --objects --filter=object:type=tag --filter-provided-objects v1 && shows "v1 v1"
'

test_expect_success '--filter-print-omitted' '
	git rev-list --objects --filter=tree:1 --filter-print-omitted side >raw &&
	named <raw | sed -n "/~/p" | sort >actual &&
	printf "%s\n" "~big" "~one" "~sub" >expect && test_cmp expect actual &&
	git rev-list --objects --filter=blob:limit=10 --filter-print-omitted main >raw &&
	named <raw | sed -n "/~/p" | sort >actual && echo "~big" >expect && test_cmp expect actual
'

test_expect_success '--filter=sparse:oid: by paths, wherever the blob lies' '
	spec=$(printf "/x\n*.c\n!/d/f\n" | git hash-object -w --stdin) &&
	rev --objects --filter=sparse:oid=$spec main &&
	shows "N M E C D B A tm  sub2 d two d/g.c big x td  sub d tb  one x ta " &&
	spec=$(printf "d\n" | git hash-object -w --stdin) &&
	rev --objects --filter=sparse:oid=$spec side && shows "E D A td  sub d one d/f ta " &&
	test_must_fail git rev-list --objects --filter=sparse:oid=nothing main 2>err &&
	test_grep "unable to access sparse blob in .nothing." err &&
	test_must_fail git rev-list --objects --filter=sparse:oid=main^{tree} main 2>err &&
	test_grep "unable to parse sparse filter data in" err
'

test_expect_success 'a tree at several depths: the least one counts' '
	deep=$(printf "040000 tree %s\tdeep\n" $sub | git mktree) &&
	t=$(printf "040000 tree %s\ta\n040000 tree %s\tb\n" $deep $sub | git mktree) &&
	remember $deep deep && remember $t t && commit X $t &&
	rev --objects --filter=tree:2 $(cat oid-X) && shows "X t  deep a sub b" &&
	rev --objects --filter=tree:3 $(cat oid-X) && shows "X t  deep a sub a/deep one b/f" &&
	wrap=$(printf "040000 tree %s\tT\n" $deep | git mktree) &&
	u=$(printf "040000 tree %s\ta\n040000 tree %s\tz\n" $wrap $deep | git mktree) &&
	remember $wrap wrap && remember $u u && commit U $u &&
	rev --objects --filter=tree:4 $(cat oid-U) &&
	shows "U u  wrap a deep a/T sub a/T/deep one z/deep/f"
'

test_expect_success 'wrong filters' '
	test_must_fail git rev-list --filter=blob:none main 2>err &&
	test_grep "object filtering requires --objects" err &&
	test_must_fail git rev-list --objects --filter=foo main 2>err &&
	test_grep "^fatal: invalid filter-spec .foo." err
'

test_expect_success '--disk-usage, --quiet' '
	git rev-list --objects --no-object-names main |
	git cat-file --batch-check="%(objectsize:disk)" >sizes &&
	sum=0 && while read -r n; do sum=$((sum + n)); done <sizes &&
	rev --objects --disk-usage main && shows $sum &&
	git rev-list --objects --disk-usage=human main >actual && test_grep "bytes$\|KiB$" actual &&
	test_must_fail git rev-list --disk-usage=x main &&
	rev --objects --quiet main && shows ""
'

test_expect_success '--unpacked, --indexed-objects, --reflog' '
	rev --objects --unpacked -1 side && shows "E td  sub d one d/f big x" &&
	git read-tree side^{tree} &&
	rev --objects --indexed-objects && shows "one d/f big x td  sub d" &&
	rm -f .git/index &&
	commit Z $ta E && git update-ref --create-reflog refs/heads/topic $(cat oid-Z) &&
	rev --reflog --not main && shows Z &&
	git update-ref refs/heads/topic $(cat oid-B) &&
	rev --reflog --not main && shows Z && git update-ref -d refs/heads/topic
'

test_expect_success '--alternate-refs' '
	git init -q -b main borrower && echo "$PWD/.git/objects" >borrower/.git/objects/info/alternates &&
	git -C borrower rev-list --alternate-refs >raw && named <raw | tr "\n" " " >actual &&
	echo "N M E C D B A " | tr -d "\n" >expect && test_cmp expect actual &&
	git -C borrower config core.alternateRefsPrefixes refs/heads/side &&
	git -C borrower rev-list --alternate-refs >raw && named <raw | tr "\n" " " >actual &&
	echo "E D A " | tr -d "\n" >expect && test_cmp expect actual &&
	git -C borrower config core.alternateRefsPrefixes "refs/nothing  refs/heads/side	" &&
	git -C borrower rev-list --alternate-refs >raw && named <raw | tr "\n" " " >actual && test_cmp expect actual &&
	git -C borrower config core.alternateRefsCommand "echo $(cat oid-B); echo \"\$1\" >asked; :" &&
	git -C borrower rev-list --alternate-refs >raw && named <raw | tr "\n" " " >actual &&
	echo "B A " | tr -d "\n" >expect && test_cmp expect actual &&
	test_grep "/.git$" borrower/asked
'

test_expect_success '--stdin' '
	printf "%s\n" main ^side >in &&
	rev --stdin <in && shows "N M C B" &&
	printf "%s\n" --not side >in && rev --stdin main <in && shows "N M C B" &&
	printf "%s\n" side >in && rev --not --stdin main <in && shows "" &&
	printf "%s\n" --branches "" nothing >in && rev --stdin <in && shows "N M E C D B A" &&
	printf "%s\n" main -- x >in && rev --stdin <in && shows "D A" &&
	printf "%s\n" --max-count=3 >in && test_must_fail git rev-list --stdin <in 2>err &&
	test_grep "invalid option .--max-count=3. in --stdin mode" err &&
	printf "%s\n" nothing >in && test_must_fail git rev-list --stdin <in 2>err &&
	test_grep "bad revision .nothing." err &&
	rev --stdin </dev/null && shows ""
'

test_expect_success '--cherry-pick, --cherry-mark, --cherry' '
	commit P $tb E && t2=$(printf "040000 tree %s\td\n100644 blob %s\tx\n100644 blob %s\ty\n" \
		$sub2 $one $two | git mktree) &&
	commit Q $t2 B && t3=$(printf "040000 tree %s\td\n100644 blob %s\tx\n100644 blob %s\ty\n" \
		$sub $one $two | git mktree) && commit R $t3 A && commit S $t3 R &&
	q=$(cat oid-Q) && s=$(cat oid-S) &&
	rev --left-right --cherry-mark $q...$s && shows ">S =R =Q <B" &&
	rev --left-right --cherry-pick $q...$s && shows ">S <B" &&
	rev --cherry $q...$s && shows "+S =R" &&
	rev --count --cherry-mark $q...$s && shows "2	2" &&
	rev --cherry-pick --no-merges side..main && shows "N C B" &&
	test_must_fail git rev-list --cherry-pick --cherry-mark $q...$s
'

test_expect_success '--maximal-only, --max-count-oldest' '
	rev --maximal-only main side v1 && shows N &&
	rev --maximal-only side v1 && shows "E C" &&
	rev --max-count-oldest=2 main && shows "B A" &&
	rev --max-count-oldest=2 --reverse main && shows "A B" &&
	rev --max-count-oldest=1 --boundary side..main && shows "B -A" &&
	test_must_fail git rev-list --max-count-oldest=1 --max-count=1 main
'

test_expect_success '--bisect' '
	rev --bisect main && shows C &&
	rev --bisect side..main && shows C &&
	git rev-list --bisect-vars main >raw && named <raw >actual &&
	cat >expect <<-\EOF &&
	bisect_rev='"'C'"'
	bisect_nr=3
	bisect_good=3
	bisect_bad=2
	bisect_all=7
	bisect_steps=2
	EOF
	test_cmp expect actual &&
	git rev-list --bisect-all side..main | named >actual &&
	grep -c dist=2 actual >count && echo 1 >expect && test_cmp expect count &&
	head -n 1 actual >first && test_grep "^C .*dist=2" first &&
	test_expect_code 1 git rev-list --bisect-vars main..main &&
	git update-ref refs/bisect/bad $(cat oid-M) && git update-ref refs/bisect/good-1 $(cat oid-E) &&
	rev --bisect && shows C && git update-ref -d refs/bisect/bad && git update-ref -d refs/bisect/good-1
'

test_expect_success 'missing objects' '
	cp -R .git broken.git && rm -rf broken.git/index &&
	gone () { rm -f broken.git/objects/$(echo $1 | sed "s,^..,&/,"); } &&
	gone $two && gone $sub &&
	test_must_fail git -C broken.git rev-list --objects main 2>err &&
	test_grep "missing blob object .$two." err &&
	test_must_fail git -C broken.git rev-list --objects --quiet side 2>err &&
	test_grep "bad tree object $sub" err &&
	git -C broken.git rev-list --objects --missing=allow-any side >raw && named <raw >actual &&
	printf "%s\n" E D A "td " "big x" "ta " "one x" >expect && test_cmp expect actual &&
	git -C broken.git rev-list --objects --missing=print main >raw &&
	named <raw | sed -n "/?/p" | sort >actual && printf "?sub\n?two\n" >expect && test_cmp expect actual &&
	git -C broken.git rev-list --objects --missing=print-info main >raw &&
	named <raw | sed -n "/?/p" | sort >actual &&
	printf "?sub path=d type=tree\n?two path=d/g.c type=blob\n" >expect && test_cmp expect actual &&
	test_must_fail git -C broken.git rev-list --objects --missing=allow-promisor main 2>err &&
	test_grep "unexpected missing" err &&
	git -C broken.git rev-list --objects --filter=tree:1 main >/dev/null &&
	test_expect_code 129 git rev-list --missing=sometimes main 2>err
'

test_expect_success '--missing=allow-promisor: what packs of a promisor remote mention' '
	git init -q -b main partial && (
		cd partial && git config bulkCheckin.unpackLimit 1 &&
		echo content >file && git add file && blobs=$(echo .git/objects/pack/*.pack) &&
		git commit -q -m one && rm -f ${blobs%.pack}.* &&
		test_must_fail git rev-list --objects --missing=allow-promisor main 2>err &&
		test_grep "unexpected missing blob object" err &&
		packs=$(echo .git/objects/pack/*.pack) && for p in $packs
		do
			>"${p%.pack}.promisor" || exit 1
		done &&
		git rev-list --objects --missing=allow-promisor main >actual && test_line_count = 2 actual &&
		test_must_fail git rev-list --objects main 2>err
	)
'

test_expect_success 'missing commits' '
	gone $(cat oid-D) &&
	test_must_fail git -C broken.git rev-list main &&
	git -C broken.git rev-list --missing=print main >raw && named <raw >actual &&
	printf "%s\n" N M E C B A "?D" >expect && test_cmp expect actual &&
	git -C broken.git rev-list --missing=print-info $(cat oid-D) >raw && named <raw >actual &&
	echo "?D" >expect && test_cmp expect actual &&
	test_must_fail git -C broken.git rev-list $(cat oid-D) 2>err && test_grep "bad object" err
'

test_expect_success 'deep trees end in an error, and need no stack' '
	t=$sub && for i in 1 2 3 4 5 6
	do
		t=$(printf "040000 tree %s\td\n" $t | git mktree) || return 1
	done &&
	commit deep $t &&
	test_must_fail git -c core.maxTreeDepth=5 rev-list --objects $(cat oid-deep) 2>err &&
	test_grep "exceeded maximum allowed tree depth at .d/d/d/d/d/d." err &&
	git -c core.maxTreeDepth=6 rev-list --objects $(cat oid-deep) >/dev/null
'

# reads COMMAND: how often it opens a loose object
reads () {
	trace_calls calls openat git -C chain "$@" >out && grep -c "objects/[0-9a-f][0-9a-f]/" calls
}

# Each tag is a ref, and leads to the one before it.
test_expect_success STRACE 'a chain of tags with a ref each: reads grow as the tags do' '
	git init -q chain && oid=$(git -C chain commit-tree -m x $(git -C chain mktree </dev/null)) && type=commit &&
	git -C chain update-ref refs/heads/main $oid && for nr in 20 40 60
	do
		for i in $(test_seq 20)
		do
			oid=$(printf "object %s\ntype %s\ntag t\ntagger A <a@e> 1 +0000\n\nm\n" $oid $type |
				git -C chain hash-object -w -t tag --stdin) && type=tag &&
			git -C chain update-ref refs/tags/$nr-$i $oid || return 1
		done &&
		reads rev-list --objects --all >all-$nr && reads rev-list --objects main --not --all >not-$nr &&
		reads pack-objects -q --all --revs --stdout >pack-$nr || return 1
	done &&
	for what in all not pack
	do
		test $(($(cat $what-40) - $(cat $what-20))) = $(($(cat $what-60) - $(cat $what-40))) || return 1
	done &&
	for args in "20-9 ^20-9" "^20-9 20-9" "--all --not --all"
	do
		git -C chain rev-list --objects $args >actual && test_must_be_empty actual || return 1
	done &&
	git -C chain rev-list --objects 20-9 ^20-4 >actual && test_line_count = 5 actual &&
	git -C chain rev-list --objects ^20-4 20-9 >actual && test_line_count = 5 actual
'

test_expect_success 'wrong usage' '
	test_expect_code 129 git rev-list 2>err && test_grep "^usage: git rev-list" err &&
	test_expect_code 129 git rev-list --nonsense main 2>err &&
	test_must_fail git rev-list nothing 2>err && test_grep "ambiguous argument .nothing." err &&
	test_must_fail git rev-list --notes main 2>err && test_grep "does not support display of notes" err &&
	git rev-list --branches=nothing >actual && test_must_be_empty actual &&
	git rev-list --ignore-missing nothing --objects >actual && test_must_be_empty actual
'

test_done
