#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge-base and cherry'
. "$(dirname "$0")/test-lib.sh"

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
	echo "s/$(cat "oid-$name")/$name/g" >>names &&
	git update-ref "refs/heads/$name" "$(cat "oid-$name")"
}
blob () {
	printf '%s\n' "$@" | git hash-object -w --stdin
}
tree () {
	printf '100644 blob %s\tf\n' "$1" | git mktree
}
# base EXPECTED ARGS: sorted, on one line
base () {
	echo "$1" >expect
	shift
	git merge-base "$@" >raw || return
	sed -f names raw | sort | tr '\n' ' ' | sed 's/ $//' >actual && echo >>actual
	test_cmp expect actual
}

#   A--B--C--X--Y
#    \  \   /
#     \  `-/--.        criss-cross: X has C and E, Z has E and C
#      D--E----Z
#   R                  another root
test_expect_success 'a history' '
	git init -q -b none . && >names &&
	t=$(tree $(blob 1)) &&
	commit A $t && commit B $t A && commit D $t A && commit C $t B && commit E $t D &&
	commit X $t C E && commit Z $t E C && commit Y $t X && commit R $t
'

test_expect_success 'two commits' '
	base A B D && base B X B && base B B B && base A C E && base C Y C &&
	test_expect_code 1 git merge-base R A >actual && test_must_be_empty actual
'

test_expect_success 'several bases' '
	base "C E" --all Y Z && git merge-base Y Z >actual && test_line_count = 1 actual
'

test_expect_success 'more than two: the others as if merged' '
	base C Y C R && base "C E" --all X C E && base A B D R &&
	test_expect_code 1 git merge-base R A B
'

test_expect_success '--octopus' '
	base A --octopus C E B && base B --octopus X B C && base R --octopus R R &&
	base "C E" --octopus --all X Z Y &&
	test_expect_code 1 git merge-base --octopus A R
'

test_expect_success '--independent' '
	base "R X Z" --independent A X B R Z Z C && base A --independent A A
'

test_expect_success '--is-ancestor' '
	git merge-base --is-ancestor A Y && git merge-base --is-ancestor A A &&
	test_expect_code 1 git merge-base --is-ancestor Y A &&
	test_expect_code 1 git merge-base --is-ancestor R Y &&
	test_expect_code 128 git merge-base --is-ancestor nothing A
'

test_expect_success '--fork-point: where the branch was, not where it is' '
	git update-ref --create-reflog refs/heads/up $(cat oid-B) &&
	git update-ref refs/heads/up $(cat oid-C) && git update-ref refs/heads/up $(cat oid-D) &&
	commit topic $t C && base C --fork-point up topic &&
	git update-ref -d refs/heads/up && git update-ref refs/heads/up $(cat oid-D) &&
	test_expect_code 1 git merge-base --fork-point up topic &&
	base D --fork-point up E &&
	test_expect_code 128 git merge-base --fork-point nothing topic 2>err &&
	test_grep "No such ref: .nothing." err
'

test_expect_success 'wrong usage' '
	for args in "" A "--is-ancestor A" --fork-point "--fork-point A B C"
	do
		test_expect_code 129 git merge-base $args 2>err || return 1
	done &&
	test_expect_code 128 git merge-base --is-ancestor A B C 2>err &&
	test_grep "takes exactly two commits" err &&
	test_expect_code 128 git merge-base --all --independent A B 2>err &&
	test_grep "cannot be used together" err &&
	test_expect_code 128 git merge-base A $t 2>err && test_grep "Not a valid commit name" err
'

# main: base - p1 - p2 - p3; up: base - an additional line - p1 again - p2 with more white space
test_expect_success 'cherry: commits whose change is upstream' '
	line () { seq 1 20 | sed "s/^$1\$/$2/"; } &&
	b0=$(line 99 x | git hash-object -w --stdin) &&
	b1=$(line 3 three | git hash-object -w --stdin) &&
	b2=$(line 3 three | sed "s/^15\$/fif teen/" | git hash-object -w --stdin) &&
	b3=$(line 3 three | sed "s/^15\$/fif teen/;s/^9\$/nine/" | git hash-object -w --stdin) &&
	longer () { seq 1 20 | sed "s/^9\$/9 and/;s/and/&\n9/" | sed "$1"; } &&
	u0=$(longer "" | git hash-object -w --stdin) &&
	u1=$(longer "s/^3\$/three/" | git hash-object -w --stdin) &&
	u2=$(longer "s/^3\$/three/;s/^15\$/fif	teen/" | git hash-object -w --stdin) &&
	commit base $(tree $b0) && commit p1 $(tree $b1) base && commit p2 $(tree $b2) p1 &&
	commit p3 $(tree $b3) p2 && commit u0 $(tree $u0) base && commit u1 $(tree $u1) u0 &&
	commit u2 $(tree $u2) u1 &&
	git cherry u2 p3 >raw && sed -f names raw >actual &&
	printf "%s\n" "- p1" "- p2" "+ p3" >expect && test_cmp expect actual &&
	git cherry p3 u2 >raw && sed -f names raw >actual &&
	printf "%s\n" "+ u0" "- u1" "- u2" >expect && test_cmp expect actual &&
	git cherry -v u2 p3 p1 >raw && sed -f names raw >actual &&
	printf "%s\n" "- p2 p2" "+ p3 p3" >expect && test_cmp expect actual &&
	git cherry u2 u2 >actual && test_must_be_empty actual &&
	git cherry --abbrev=6 u1 u2 >actual && test_grep -E "^[+] [0-9a-f]{6}\$" actual
'

test_expect_success 'cherry: the branch that is followed' '
	test_expect_code 129 git cherry 2>err && test_grep "Could not find a tracked remote branch" err &&
	git config branch.p3.remote . && git config branch.p3.merge refs/heads/u2 &&
	git symbolic-ref HEAD refs/heads/p3 && git cherry >raw && sed -f names raw >actual &&
	printf "%s\n" "- p1" "- p2" "+ p3" >expect && test_cmp expect actual &&
	test_expect_code 128 git cherry nothing 2>err && test_grep "unknown commit nothing" err
'

# Whole answers about all pairs of commits; one on a side branch, 40 below the tip, too
answers () {
	local a b
	for a in $all
	do
		for b in $all
		do
			git "$@" merge-base --is-ancestor $a $b && echo "$a $b"
			git "$@" merge-base --all $a $b
			git "$@" merge-base --independent $a $b Y s1 l40 || return
		done
		for b in contains no-contains merged no-merged
		do
			git "$@" for-each-ref --$b=$a || return
		done
	done
	git "$@" merge-base --independent $all && git "$@" merge-base --independent l3 l40 s0 A l0
}

test_expect_success 'with a commit-graph the answers are the same' '
	t=$(tree $(blob 1)) && commit l0 $t A && commit s0 $t A && commit s1 $t s0 &&
	for i in $(test_seq 1 40)
	do
		more= && if test $i = 20; then more=s0; fi &&
		commit l$i $t l$((i - 1)) $more || return 1
	done &&
	all="A C E X Y Z R l0 l3 l20 l39 l40 s0 s1" &&
	answers >expect && test_grep "^s0 l40$" expect && ! grep "^s1 l40$" expect &&
	git for-each-ref --format="%(refname:short)" --contains=s0 >actual &&
	{ test_seq 20 40 | sed s/^/l/ && echo s0 && echo s1; } >those && test_cmp those actual &&
	git commit-graph write --reachable && answers >actual && test_cmp expect actual &&
	answers -c commitGraph.generationVersion=1 >actual && test_cmp expect actual
'

test_done
