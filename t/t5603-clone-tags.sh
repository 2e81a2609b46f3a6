#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='clone --single-branch and --depth: tags of what comes'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a history with tags, some of another branch' '
	git init -q -b main up &&
	for i in 1 2 3
	do
		test_commit -C up "$i" f "$i" &&
		git -C up tag "l$i" &&
		git -C up tag -m "a$i" "a$i" || return 1
	done &&
	git -C up checkout -q -b side HEAD~2 &&
	test_commit -C up side &&
	git -C up tag -m as as &&
	git -C up checkout -q main
'

# brings "TAGS" URL OPTION...
brings() {
	local want="$1" url="$2" &&
	shift 2 &&
	rm -rf dn &&
	git clone -q "$@" "$url" dn &&
	echo $want >expect &&
	echo $(git -C dn tag) >actual &&
	test_cmp expect actual &&
	git -C dn fsck
}

test_expect_success 'tags of one branch' '
	url="file://$PWD/up" &&
	brings "a1 a2 a3 l1 l2 l3" "$url" --single-branch &&
	brings "a1 as l1" "$url" --single-branch -b side &&
	brings "a1 a2 l1 l2" "$url" --single-branch -b a2 &&
	brings "a1 a2 a3 l1 l2 l3" "$url" --single-branch --bare &&
	brings "a1 a2 a3 l1 l2 l3" "$url" --single-branch -c protocol.version=0
'

test_expect_success 'a local clone has all objects, and so all tags' '
	brings "a1 a2 a3 as l1 l2 l3" up --single-branch
'

test_expect_success 'none with --no-tags or --mirror' '
	for url in up "file://$PWD/up"
	do
		brings "" "$url" --single-branch --no-tags &&
		brings "" "$url" --single-branch --mirror || return 1
	done
'

test_expect_success 'a shallow clone has the tags of what it has' '
	url="file://$PWD/up" &&
	brings "a3 l3" "$url" --depth=1 &&
	brings "a2 a3 l2 l3" "$url" --depth=2 &&
	brings "a2 l2" "$url" --depth=1 -b l2 &&
	brings "a3 l3" "$url" --depth=1 -c protocol.version=0 &&
	brings "" "$url" --depth=1 --no-tags
'

test_done
