#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='bundles: stock Git clones and fetches from ours, we unpack its, and both write the same headers'
. "$(dirname "$0")/../test-lib.sh"

if ! test_have_prereq STOCK_GIT
then
	skip_all='needs a stock git'
	test_done
fi

test_expect_success 'a history' '
	git init -q -b main repo && cd repo && for i in 1 2 3 4 5 6; do
		echo "line $i" >>f && echo $i >g$i && git add . && test_tick && git commit -q -m "c$i" && git tag -a -m "tag $i" t$i || return 1
	done && git branch side main~2 && git update-ref refs/notes/x main~1 && cd ..
'

# header FILE: its lines
header () {
	sed "/^$/q" "$1"
}

# The packs have as many objects, too: their contents are the same.
test_expect_success 'the same header and the same number of objects' '
	while read -r args; do
		git -C repo bundle create -q ../ours $args 2>our-words && stock -C repo bundle create -q ../theirs $args 2>their-words &&
		header ours >a && header theirs >b && test_cmp b a && test_cmp their-words our-words || return 1
		for b in ours theirs; do
			sed "1,/^$/d" $b >$b.pack && head -c 12 $b.pack >$b.head || return 1
		done
		test_cmp_bin theirs.head ours.head || return 1
	done <<-EOT
	main
	HEAD main side
	--all
	main~2..main
	side...main
	^side main t1
	-1 main
	-2 main side
	--since=1112912173 --all
	--max-parents=0 --all
	--first-parent t4..t6
	--filter=blob:none main
	--filter=tree:0 --filter=blob:limit=1 --all
	main -- f
	EOT
'

test_expect_success 'stock Git clones and fetches from our bundles' '
	git -C repo bundle create -q ../all --all && stock clone -q all clone &&
	stock -C clone fsck --strict && git -C repo rev-parse main >expect && stock -C clone rev-parse origin/main >actual && test_cmp expect actual &&
	stock ls-remote all >refs && test_grep "refs/notes/x" refs && echo more >>repo/f && git -C repo commit -qam more && git -C repo bundle create -q ../more t6..main &&
	stock -C clone bundle verify ../more && stock -C clone fetch -q ../more main && git -C repo rev-parse main >expect && stock -C clone rev-parse FETCH_HEAD >actual && test_cmp expect actual &&
	stock -C clone fsck --strict && stock init -q none && test_must_fail stock -C none fetch -q ../more main
'

test_expect_success 'bundles of stock Git are unpacked' '
	stock -C repo bundle create -q ../all --all && git init -q --bare unpacked && git -C unpacked bundle verify ../all && git -C unpacked bundle unbundle ../all >refs &&
	git -C unpacked rev-list --quiet --objects $(cut -d" " -f1 refs) && stock -C repo bundle create -q ../more t6..main && git -C unpacked update-ref refs/heads/main $(git -C repo rev-parse main~1) &&
	git -C unpacked bundle unbundle ../more
'

test_done
