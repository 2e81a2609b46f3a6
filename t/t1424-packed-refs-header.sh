#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the header of a rewritten packed-refs'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq REFFILES || { skip_all="about refs in files, and packed-refs"; test_done; }

HEADER='# pack-refs with: peeled fully-peeled sorted '

test_expect_success 'setup' '
	git init -q repo && cd repo && test_commit one && for i in 1 2 3 4 5; do git branch b$i || return 1; done &&
	git tag -a -m t t1 && git tag -a -m t t2 && git update-ref refs/annotated t1 && git pack-refs --all &&
	sed 1d .git/packed-refs >../lines && grep -v "^^" ../lines >../unpeeled && grep -v "heads/b5$" ../lines >../want
'

test_expect_success 'many rewrites: the header stays as it is' '
	cd repo && echo "$HEADER" >expect && for i in 1 2 3 4; do git branch -q -D b$i && head -1 .git/packed-refs >actual &&
	test_cmp expect actual || return 1; done && git update-ref refs/heads/b1 HEAD && git pack-refs --all &&
	head -1 .git/packed-refs >actual && test_cmp expect actual
'

# FILE|FIRST LINE (-: none)
while IFS='|' read -r file first
do
	test_expect_success "$file, '$first': the new file is sorted and fully peeled" '
		{ test "$first" = "-" || echo "$first"; cat $file; } >repo/.git/packed-refs && git -C repo branch -q -D b5 &&
		{ echo "$HEADER" && cat want; } >expect && test_cmp expect repo/.git/packed-refs
	'
done <<\EOF
lines|-
unpeeled|-
lines|# pack-refs with: peeled fully-peeled sorted
lines|# pack-refs with: peeled fully-peeled sorted       
lines|# pack-refs with: peeled fully-peeled sorted frob  
lines|# pack-refs with: sorted 
unpeeled|# pack-refs with: sorted 
lines|# pack-refs with: peeled 
EOF

test_expect_success 'an unsorted file without a header' '
	sort -r unpeeled >repo/.git/packed-refs && git -C repo branch -q -D b5 && { echo "$HEADER" && cat want; } >expect &&
	test_cmp expect repo/.git/packed-refs
'

test_expect_success 'a ref of a missing object leads nowhere' '
	{ cat unpeeled && echo "$(echo no | git -C repo hash-object --stdin) refs/zzz"; } >repo/.git/packed-refs &&
	git -C repo branch -q -D b5 && head -1 repo/.git/packed-refs >actual && echo "$HEADER" >expect &&
	test_cmp expect actual && test $(grep -c "^^" repo/.git/packed-refs) = $(grep -c "^^" want)
'

test_expect_success 'a tag that cannot be read: no promise is made, and the others are peeled' '
	tag=$(git -C repo cat-file tag t1 | sed s/t1/t3/ | git -C repo mktag) &&
	file=repo/.git/objects/$(echo $tag | sed "s,^..,&/,") && chmod +w $file && echo junk >$file &&
	{ cat unpeeled && echo "$tag refs/zzz"; } >repo/.git/packed-refs &&
	git -C repo branch -q -D b5 && head -1 repo/.git/packed-refs >actual && echo "# pack-refs with: sorted " >expect &&
	test_cmp expect actual && test $(grep -c "^^" repo/.git/packed-refs) = $(grep -c "^^" want) && rm -f $file
'

test_expect_success 'files that replace each other quickly differ in their times' '
	cp want repo/.git/packed-refs && tree=$(git -C repo rev-parse HEAD^{tree}) && a=$(git -C repo rev-parse HEAD) &&
	b=$(git -C repo commit-tree -m x $tree) &&
	for i in 1 2 3 4 5 6
	do
		git -C repo update-ref refs/heads/b4 $(test $((i % 2)) = 0 && echo $a || echo $b) && git -C repo pack-refs --all &&
		stat -c "%s %Y" repo/.git/packed-refs || return 1
	done >times && test_line_count = 6 times && sort -u times >distinct && test_line_count = 6 distinct &&
	cut -d" " -f1 times | sort -u >sizes && test_line_count = 1 sizes
'

test_done
