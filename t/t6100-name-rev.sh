#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git name-rev'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-commits.sh"

#	a - b - c - d - m - e   main
#	     \         /
#	      x - y - z         topic
test_expect_success 'a history' '
	git init -q -b main r && cd r && git hash-object -t tree -w /dev/null >/dev/null &&
	node a 0 && node b 100000 a && node c 200000 b && node d 300000 c &&
	node x 150000 b && node y 250000 x && node z 350000 y && node m 400000 d z && node e 500000 m &&
	git update-ref refs/heads/main $e && git update-ref refs/heads/topic $z
'

# names OPTIONS: each commit of $which and its name, by letters.
names () {
	for n in ${which:-a b c d x y z m e}
	do
		eval "printf \"%s \" $n; git name-rev --name-only $* \$$n" || return 1
	done
}

test_expect_success 'a branch names its first parents, then the others' '
	cd r && git update-ref -d refs/heads/topic &&
	cat >expect <<-\EOT &&
	a main~5
	b main~4
	c main~3
	d main~2
	x main~1^2~2
	y main~1^2~1
	z main~1^2
	m main~1
	e main
	EOT
	names >actual && test_cmp expect actual
'

test_expect_success 'the shorter way wins, and of equal ones the older commit' '
	cd r && git update-ref refs/heads/topic $z &&
	which="x y z b a" names >actual &&
	printf "x topic~2\ny topic~1\nz topic\nb topic~3\na topic~4\n" >expect && test_cmp expect actual &&
	git update-ref refs/heads/also $d && which="b c" names >actual &&
	printf "b also~2\nc also~1\n" >expect && test_cmp expect actual &&
	git update-ref refs/heads/same $x && git update-ref refs/heads/older $c &&
	which="a b" names >actual && printf "a same~2\nb same~1\n" >expect && test_cmp expect actual &&
	for gone in topic also same older; do git update-ref -d refs/heads/$gone || return 1; done
'

test_expect_success 'a way along another parent is longer than 65,535 first parents' '
	cd r && git update-ref refs/heads/late $e && which=y names >actual && echo "y late~1^2~1" >expect &&
	test_cmp expect actual && git update-ref refs/heads/side $y &&
	which=x names >actual && echo "x side~1" >expect && test_cmp expect actual &&
	node y1 700000 y && node y2 700001 y1 && node y3 700002 y2 && node y4 700003 y3 && git update-ref refs/heads/side $y4 &&
	which="z y" names >actual && printf "z late~1^2\ny side~4\n" >expect && test_cmp expect actual && git update-ref -d refs/heads/late && git update-ref -d refs/heads/side
'

test_expect_success 'tags are better than branches, annotated ones end in ^0' '
	cd r && git update-ref refs/tags/light $m && annotate v1 900 d &&
	cat >expect <<-\EOT &&
	a tags/v1~3
	b tags/v1~2
	c tags/v1~1
	d tags/v1^0
	x tags/light^2~2
	z tags/light^2
	m tags/light
	e main
	EOT
	which="a b c d x z m e" names >actual && test_cmp expect actual &&
	git update-ref refs/heads/near $b && which=b names >actual && echo "b tags/v1~2" >expect && test_cmp expect actual &&
	git update-ref -d refs/heads/near
'

test_expect_success 'several tags: the nearest one names, of equal ones the older' '
	cd r && annotate v0 800 d && annotate v2 950 e &&
	which="c d e" names >actual && printf "c tags/v0~1\nd tags/v0^0\ne tags/v2^0\n" >expect &&
	test_cmp expect actual && annotate near 99999 c && which="c b" names >actual &&
	printf "c tags/near^0\nb tags/near~1\n" >expect && test_cmp expect actual &&
	git update-ref -d refs/tags/near && git update-ref -d refs/tags/v0
'

test_expect_success '--tags, --refs, --exclude' '
	cd r && git update-ref -d refs/tags/v2 &&
	printf "e undefined\nd v1^0\na v1~3\n" >expect && which="e d a" names --tags >actual &&
	test_cmp expect actual &&
	for refs in "heads/*" "refs/heads/main" "ma*n"
	do
		test "$(git name-rev --name-only --refs="$refs" $d)" = main~2 || return 1
	done &&
	test "$(git name-rev --name-only --refs="tags/v*" $d)" = "v1^0" &&
	test "$(git name-rev --name-only --refs="refs/tags/v*" $d)" = "tags/v1^0" &&
	test "$(git name-rev --name-only --refs=nope --refs=v1 $d)" = "v1^0" &&
	test "$(git name-rev --name-only --refs=nope --no-refs $d)" = "tags/v1^0" &&
	test "$(git name-rev --name-only --exclude=v1 $d)" = "tags/light~1" &&
	test "$(git name-rev --name-only --exclude="tags/*" $d)" = main~2 &&
	test "$(git name-rev --name-only --exclude="tags/*" --no-exclude $d)" = "tags/v1^0" &&
	test "$(git name-rev --name-only --refs="*" --exclude=light $m)" = "main~1"
'

test_expect_success 'arguments: commits, tag objects, other objects, nonsense' '
	cd r && git update-ref refs/tags/tree $EMPTY_TREE && annotate nested 1000 tag_v1 &&
	git name-rev HEAD HEAD~9 v1 nested "v1^{}" HEAD^{tree} >actual 2>err &&
	cat >expect <<-\EOT &&
	HEAD main
	v1 tags/v1
	nested tags/nested
	v1^{} tags/nested^0
	HEAD^{tree} tags/tree
	EOT
	test_cmp expect actual && echo "Could not get sha1 for HEAD~9. Skipping." >expect && test_cmp expect err &&
	git name-rev --peel-tag nested HEAD^{tree} >actual 2>err && echo "nested tags/nested^0" >expect &&
	test_cmp expect actual && test_grep "Could not get commit for HEAD^{tree}. Skipping." err &&
	missing=$(echo $a | tr 0-9a-f 1-9a-f0) && git name-rev $missing >actual 2>err && test_must_be_empty actual &&
	test_grep "Could not get object for $missing. Skipping." err &&
	git update-ref -d refs/tags/nested && lost_ref . refs/tags/none && git name-rev --name-only $c >actual 2>err && echo "tags/v1~1" >expect &&
	test_cmp expect actual && test_grep "^warning: ignoring broken ref refs/tags/none$" err && git update-ref -d refs/tags/none
'

test_expect_success 'without a name: undefined, --no-undefined, --always' '
	cd r && echo "HEAD undefined" >expect && git name-rev --tags --refs=v1 HEAD >actual &&
	test_cmp expect actual && git name-rev --always --tags HEAD >actual && test_cmp expect actual &&
	test_expect_code 128 git name-rev --tags --no-undefined HEAD 2>err &&
	test_grep "^fatal: cannot describe .$e.$" err &&
	test "$(git name-rev --tags --no-undefined --always --name-only HEAD)" = "$(git rev-parse --short HEAD)"
'

test_expect_success '--annotate-stdin' '
	cd r && printf "%s, x%s. %s\n%s0\n\nend" $e $d $EMPTY_BLOB $a >in &&
	git name-rev --annotate-stdin <in >actual &&
	printf "%s (main), x%s (tags/v1^0). %s\n%s0\n\nend\n" $e $d $EMPTY_BLOB $a >expect &&
	test_cmp expect actual && git name-rev --annotate-stdin --name-only --tags <in >actual &&
	printf "%s, xv1^0. %s\n%s0\n\nend\n" $e $EMPTY_BLOB $a >expect && test_cmp expect actual &&
	echo $tag_v1 | git name-rev --annotate-stdin >actual && echo "$tag_v1 (tags/v1)" >expect &&
	test_cmp expect actual && echo $e | tr a-f A-F >in && git name-rev --annotate-stdin <in >actual &&
	test_cmp in actual && echo $e | git name-rev --stdin >actual 2>err && echo "$e (main)" >expect &&
	test_cmp expect actual && test_grep "^warning: --stdin is deprecated" err
'

test_expect_success '--all names every commit, once' '
	cd r && git name-rev --all >out && sort out >actual &&
	for n in a b c d x y z m e
	do
		eval "git name-rev \$$n"
	done | sort >expect && test_cmp expect actual &&
	git name-rev --all --refs=v1 --name-only >actual && printf "v1^0\nv1~1\nv1~2\nv1~3\n" >expect && test_cmp expect actual
'

test_expect_success 'one of: commits, --all, --annotate-stdin' '
	cd r && for args in "--all HEAD" "--all --annotate-stdin" "--annotate-stdin HEAD"
	do
		test_expect_code 129 git name-rev $args </dev/null 2>err &&
		test_grep "^error: Specify either a list, or --all, not both!$" err || return 1
	done &&
	git name-rev >out && test_must_be_empty out && test_expect_code 129 git name-rev --nope
'

test_expect_success 'names end a day before the oldest commit that is asked for' '
	git init -q -b main skew && cd skew && git hash-object -t tree -w /dev/null >/dev/null &&
	node old 1000000 && node slow 900000 old && node late 2000000 slow &&
	git update-ref refs/heads/main $late && test "$(git name-rev --name-only $old)" = undefined &&
	test "$(git name-rev --name-only $slow $old | tail -1)" = main~2 &&
	git commit-graph write --reachable && test "$(git name-rev --name-only $old)" = main~2 && rm -r .git/objects/info/commit-graph* &&
	git name-rev --all --name-only >actual && printf "main\nmain~1\nmain~2\n" >expect && test_cmp expect actual
'

test_expect_success 'a shallow boundary and replaced commits count' '
	cp -R r shallow && cd shallow && echo $c >.git/shallow && test "$(git name-rev --name-only $b)" = "tags/light^2~3" &&
	rm .git/shallow && git update-ref refs/replace/$d $b && test "$(git name-rev --name-only $a)" = "tags/v1~1"
'

test_expect_success 'a history deeper than any stack' '
	git init -q -b main deep && cd deep && git hash-object -t tree -w /dev/null >/dev/null && node first 0 &&
	prev=$first i=0 && while test $i -lt 200
	do
		i=$((i + 1)) && node p $i prev && node q $i prev && node prev $i q p || return 1
	done &&
	git update-ref refs/heads/main $prev && git name-rev --name-only $first >actual && echo "main~400" >expect &&
	test_cmp expect actual && git name-rev --name-only $p >actual && echo "main^2" >expect && test_cmp expect actual
'

test_expect_success 'damaged history ends in an error' '
	cd r && git update-ref refs/heads/bad $e && f=.git/objects/$(echo $c | sed "s|^..|&/|") && chmod +w $f && echo junk >$f &&
	test_expect_code 128 git name-rev $a 2>err && test_grep "$c" err
'

test_done
