#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git show-ref, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

test_expect_success 'set up: loose, packed, tags, symbolic refs' '
	stock init -q -b main theirs &&
	stock -C theirs commit -q --allow-empty -m one &&
	stock -C theirs tag -a -m v1 v1 && stock -C theirs tag light &&
	stock -C theirs tag -a -m nested nested v1 2>/dev/null &&
	stock -C theirs branch packed && stock -C theirs update-ref refs/remotes/o/main HEAD &&
	stock -C theirs symbolic-ref refs/remotes/o/HEAD refs/remotes/o/main &&
	stock -C theirs pack-refs --all &&
	stock -C theirs tag -a -m v2 v2 && stock -C theirs branch a/b/c &&
	stock -C theirs branch a-b && stock -C theirs commit -q --allow-empty -m two &&
	cp -R theirs ours
'

test_expect_success 'listing' '
	for o in "" --head "-d --head" --heads --tags "--heads --tags" "-d --tags" --hash --hash=6 \
		"-s --tags" --abbrev --abbrev=8 "-s -d" "--head HEAD" HEAD main heads/main ain \
		"v1 v2" "--tags v1" "-d nested" o/main -q "-q nope" --no-hash --no-abbrev \
		--abbrev=2 --abbrev=-1 --abbrev=0 --abbrev=100 --abbrev=x --hash=x --hash=100 \
		"--hash=6 --abbrev=8" "--abbrev=8 --hash" "-d -s6 v1" "main -- v1" "-dq main" \
		"--head nope" "--head --heads v1"
	do
		peers_git show-ref $o || return 1
	done &&
	for abbrev in 12 no auto
	do
		peers_git -c core.abbrev=$abbrev show-ref --abbrev &&
		peers_git -c core.abbrev=$abbrev show-ref -d -s --abbrev &&
		peers_git -c core.abbrev=$abbrev show-ref --abbrev=6 || return 1
	done
'

test_expect_success '--verify' '
	for o in "" main refs/heads/main HEAD "refs/heads/main refs/tags/v1" refs/heads/nope \
		"-q refs/heads/nope" "-q refs/heads/main" "-d refs/tags/nested" "-s refs/tags/v1" \
		"-d -s refs/tags/v1" FOO "refs/heads/main refs/heads/nope"
	do
		peers_git show-ref --verify $o || return 1
	done &&
	peers_git show-ref --verify ""
'

test_expect_success '--exclude-existing' '
	cat >input <<-EOS &&
	refs/heads/main
	x refs/heads/new^{}
	refs/tags/..
	refs/tags/v1
	foo
	abc	refs/heads/new2
	EOS
	PEERS_STDIN=$PWD/input && export PEERS_STDIN &&
	peers_git show-ref --exclude-existing && peers_git show-ref --exclude-existing=refs/heads &&
	unset PEERS_STDIN
'

test_expect_success '--exists' '
	git -C ours show-ref --exists refs/heads/main &&
	git -C ours show-ref --exists refs/heads/packed &&
	test_expect_code 2 git -C ours show-ref --exists refs/heads/nope 2>err &&
	test_grep "reference does not exist" err &&
	test_must_fail git -C ours show-ref --exists &&
	test_must_fail git -C ours show-ref --exists --verify refs/heads/main
'

test_expect_success 'dangling and broken refs' '
	for d in ours theirs
	do
		stock -C $d symbolic-ref refs/heads/dangling refs/heads/nowhere || return 1
	done &&
	peers_git show-ref && peers_git show-ref --verify refs/heads/dangling &&
	for d in ours theirs
	do
		echo junk >$d/.git/refs/heads/broken || return 1
	done &&
	peers_git show-ref main && peers_git show-ref broken &&
	rm ours/.git/refs/heads/broken theirs/.git/refs/heads/broken
'

test_expect_success 'packed-refs: without a header, unsorted, damaged' '
	H=$(stock -C theirs rev-parse packed) &&
	for d in ours theirs
	do
		printf "%s refs/tags/z\n%s refs/heads/y\n%s refs/heads/x\n" $H $H $H \
			>$d/.git/packed-refs || return 1
	done &&
	peers_git show-ref && peers_git show-ref --verify refs/heads/x refs/tags/z &&
	printf "%s refs/heads/x" $H >ours/.git/packed-refs &&
	test_must_fail git -C ours show-ref 2>err && test_grep "unterminated line in .*packed-refs" err &&
	printf "garbage\n" >ours/.git/packed-refs &&
	test_must_fail git -C ours show-ref 2>err && test_grep "unexpected line in .*packed-refs: garbage" err &&
	printf "%s refs/he\0ads/x\n" $H >ours/.git/packed-refs &&
	test_must_fail git -C ours show-ref 2>err && test_grep "unexpected line" err
'

test_expect_success '--verify takes any name of capitals' '
	git init -q capitals && (cd capitals && git commit -q --allow-empty -m x && for name in FETCH_HEAD MERGE_HEAD FOO AUTO_MERGE; do
		git rev-parse HEAD >.git/$name && echo "$(git rev-parse HEAD) $name" >expect && git show-ref --verify $name >out && test_cmp expect out || return 1
	done && for name in foo_HEAD F-O ""; do
		cp .git/FOO .git/foo_HEAD && cp .git/FOO .git/F-O && test_expect_code 1 git show-ref --verify -q "$name" || return 1
	done)
'

test_done
