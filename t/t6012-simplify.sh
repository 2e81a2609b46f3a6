#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='history simplification: the example of git-rev-list(1), and its variations'
. "$(dirname "$0")/test-lib.sh"

# commit NAME CONTENT PARENT...: of file.txt; every commit changes another file, too
commit () {
	local name=$1 content=$2 parent args=
	shift 2
	for parent
	do
		args="$args -p $(cat "oid-$parent")"
	done
	test_tick
	local other blob tree
	other=$(echo "$name" | git hash-object -w --stdin) &&
	if test -n "$content"
	then
		blob=$(echo "$content" | git hash-object -w --stdin) &&
		tree=$(printf '100644 blob %s\tfile.txt\n100644 blob %s\tother\n' "$blob" "$other" | git mktree)
	else
		tree=$(printf '100644 blob %s\tother\n' "$other" | git mktree)
	fi &&
	# shellcheck disable=SC2086
	echo "$name" | git commit-tree "$tree" $args >"oid-$name" &&
	echo "s/$(cat "oid-$name")/$name/g" >>names
}
# shows EXPECTED ARGS
shows () {
	echo "$1" >expect
	shift
	git rev-list "$@" -- file.txt >raw && sed -f names raw | tr '\n' ' ' | sed 's/ $//' >actual &&
	echo >>actual && test_cmp expect actual
}

#     .-A---M-----C--N---O---P
#    /     / \  \  \/   /   /
#   I     B   \  R-'`-Z'   /
#    \   /     \/         /
#     \ /      /\        /
#      `---X--'  `---Y--'
test_expect_success 'the example' '
	git init -q -b main . && >names &&
	commit I i && commit A a I && commit B b I && commit X x I && commit M m A B &&
	commit Y m M && commit C m M && commit R x M X && commit Z m C && commit N x C R &&
	commit O x N Z && commit P x O Y && git update-ref refs/heads/main $(cat oid-P)
'

test_expect_success 'by default: one way that explains the content' '
	shows "X I" main
'

test_expect_success '--full-history: every way' '
	shows "P O N R M X B A I" --full-history main &&
	shows "P O M O N M N M R R M X M A B X I B I A I I" --full-history --parents main
'

test_expect_success '--simplify-merges: without merges that bring nothing' '
	shows "R M X B A I" --simplify-merges --date-order main &&
	shows "R M X M A B X I B I A I I" --simplify-merges --date-order --parents main
'

test_expect_success '--show-pulls: merges that took a later parent' '
	shows "N R X I" --show-pulls main &&
	shows "N R M X B A I" --show-pulls --simplify-merges --date-order main
'

test_expect_success '--sparse, --dense, --first-parent' '
	shows "P O N R X I" --sparse main &&
	shows "X I" --sparse --dense main &&
	shows "N M A I" --first-parent main
'

test_expect_success '--simplify-by-decoration' '
	git update-ref refs/tags/c $(cat oid-C) && git update-ref refs/heads/y $(cat oid-Y) &&
	git rev-list --simplify-by-decoration --parents main >raw && sed -f names raw >actual &&
	printf "%s\n" "P C Y" "Y I" "C I" I >expect && test_cmp expect actual &&
	git log --simplify-by-decoration --format=%s main >actual &&
	printf "%s\n" P Y C I >expect && test_cmp expect actual
'

test_expect_success '--remove-empty: not beyond where the path begins' '
	commit E1 old && commit E2 "" E1 && commit E3 new E2 && commit E4 newer E3 &&
	shows "E4 E3 E2 E1" $(cat oid-E4) && shows "E4 E3" --remove-empty $(cat oid-E4)
'

test_expect_success 'a merge that only its excluded parents differ from' '
	shows "X" main ^$(cat oid-M) && shows "P O N R X" --full-history main ^$(cat oid-M)
'

test_expect_success '--simplify-merges: a merge of roots that have nothing within the paths brought it' '
	git init -q -b main roots && cd roots && echo x >x && git add x && git commit -q -m one && git checkout -q --orphan other && git rm -q -f x && echo y >y && git add y && git commit -q -m two &&
	git checkout -q main && git merge -q --no-commit --allow-unrelated-histories other && echo new >a && git add a && git commit -q -m merge && echo more >>a && git commit -q -a -m more && echo z >x && git commit -q -a -m rest &&
	git log --simplify-merges --format=%s -- a >got && printf "%s\n" more merge >want && test_cmp want got && git rev-list --simplify-merges --parents HEAD~ -- a >got && printf "%s\n" "$(git rev-parse HEAD~) $(git rev-parse HEAD~2)" "$(git rev-parse HEAD~2)" >want && test_cmp want got &&
	git log --simplify-merges --format=%s -- x >got && printf "%s\n" rest one >want && test_cmp want got &&
	git log --simplify-merges --sparse --format=%s -- x >got && printf "%s\n" rest more merge two one >want && test_cmp want got
'

test_done
