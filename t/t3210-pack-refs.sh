#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git pack-refs, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq REFFILES || { skip_all="about refs in files, and packed-refs"; test_done; }
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_COMMITTER_DATE='1700000000 +0100'
GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE

start () {
	rm -rf ours theirs &&
	stock init -q -b main ${TEST_HASH:+--object-format=$TEST_HASH} theirs &&
	(cd theirs &&
	 stock commit -q --allow-empty -m one && stock commit -q --allow-empty -m two &&
	 stock tag light && stock tag -a -m x ann && stock tag -a -m y ann2 ann &&
	 stock branch topic && stock branch deep/er/one HEAD~1 &&
	 stock update-ref refs/bisect/bad HEAD && stock update-ref refs/other/x HEAD) &&
	cp -R theirs ours &&
	H=$(stock -C theirs rev-parse main) && P=$(stock -C theirs rev-parse main~1)
}

# Byte for byte, and the same directories are left.
same_refs () {
	find theirs/.git/refs | sed s/theirs/ours/ | sort >files.theirs &&
	find ours/.git/refs | sort >files.ours &&
	test_cmp files.theirs files.ours &&
	diff -r theirs/.git/refs ours/.git/refs &&
	if test -f theirs/.git/packed-refs; then
		# Ours varies the number of spaces at the end of the header.
		sed "s/ *$//" theirs/.git/packed-refs >packed.theirs &&
		sed "s/ *$//" ours/.git/packed-refs >packed.ours &&
		test_cmp packed.theirs packed.ours
	else
		test ! -e ours/.git/packed-refs
	fi &&
	test -z "$(find ours/.git -name "*.lock" -o -name "*.new")"
}

test_expect_success 'tags alone, then all, then what came later' '
	start &&
	peers_git pack-refs && same_refs &&
	peers_git pack-refs --all && same_refs &&
	peers_do "stock update-ref refs/heads/topic $P && stock update-ref -d refs/heads/deep/er/one" &&
	peers_git pack-refs --all --prune && same_refs &&
	peers_git for-each-ref
'

test_expect_success '--no-prune' '
	start &&
	peers_git pack-refs --all --no-prune && same_refs &&
	peers_git pack-refs --all && same_refs
'

test_expect_success 'refs that cannot be packed' '
	start &&
	missing=$(echo $H | tr 0-9a-f 1-9a-f0) &&
	peers_do "stock symbolic-ref refs/heads/s refs/heads/topic &&
		stock symbolic-ref refs/tags/dangling refs/heads/nowhere &&
		echo rubbish >.git/refs/heads/rubbish && : >.git/refs/tags/empty &&
		echo $missing >.git/refs/heads/missing && echo $missing >.git/refs/tags/missing &&
		echo $H >.git/refs/heads/bad..name && echo $ZERO_OID >.git/refs/heads/null" &&
	peers_git pack-refs && same_refs &&
	peers_git pack-refs --all && same_refs &&
	test_grep "error: refs/heads/missing does not point to a valid object!" err.ours
'

test_expect_success 'nothing to pack' '
	rm -rf ours theirs && peers_init -b main &&
	git -C ours pack-refs --all && test ! -s ours/.git/packed-refs
'

test_expect_success 'usage and unknown options' '
	start &&
	PEERS_STDERR=ignore && peers_git pack-refs extra && peers_git pack-refs --what &&
	PEERS_STDERR= && same_refs
'

test_expect_success 'a locked ref is named and left' '
	start &&
	peers_do ": >.git/refs/heads/topic.lock" &&
	PEERS_STDERR=ignore peers_git pack-refs --all &&
	test_grep "^error: cannot lock ref .refs/heads/topic.: Unable to create .*topic.lock.: File exists" \
		err.ours &&
	test_path_is_file ours/.git/refs/heads/topic &&
	rm ours/.git/refs/heads/topic.lock theirs/.git/refs/heads/topic.lock && same_refs
'

test_expect_success 'packed-refs is locked' '
	start &&
	peers_do ": >.git/packed-refs.lock && stock config core.packedRefsTimeout 10" &&
	PEERS_STDERR=ignore peers_git pack-refs --all &&
	test_grep "^fatal: Unable to create .*packed-refs.lock.: File exists" err.ours &&
	test ! -e ours/.git/packed-refs && test_path_is_file ours/.git/refs/heads/topic
'

test_expect_success 'a packed-refs that cannot be read' '
	start &&
	peers_do "echo rubbish >.git/packed-refs" &&
	PEERS_STDERR=ignore peers_git pack-refs --all &&
	rm ours/.git/packed-refs theirs/.git/packed-refs && same_refs
'

test_expect_success '--include and --exclude' '
	packed () {
		sed -n "s/^[0-9a-f]* //p" ours/.git/packed-refs 2>/dev/null | grep -v pack-refs | tr "\n" " "
	} &&
	start && git -C ours pack-refs --include "refs/heads/t*" &&
	test "$(packed)" = "refs/heads/topic " &&
	git -C ours pack-refs --include "refs/heads/*" --exclude refs/heads/main &&
	test "$(packed)" = "refs/heads/deep/er/one refs/heads/topic " &&
	test_path_is_file ours/.git/refs/heads/main &&
	start && git -C ours pack-refs --all --exclude "*er*" --exclude "refs/tags/ann*" &&
	test "$(packed)" = "refs/heads/main refs/heads/topic refs/tags/light " &&
	start && git -C ours pack-refs --exclude "refs/*/light" &&
	test "$(packed)" = "refs/tags/ann refs/tags/ann2 " &&
	start && git -C ours pack-refs --include "*/x" --no-include --exclude "*" --no-exclude &&
	test "$(packed)" = "refs/tags/ann refs/tags/ann2 refs/tags/light " &&
	start && git -C ours pack-refs --exclude topic --include topic && test -z "$(packed)" &&
	test -z "$(find ours/.git -name "*.lock")"
'

test_expect_success '--auto waits for many' '
	start &&
	git -C ours pack-refs --all --auto && test ! -e ours/.git/packed-refs &&
	for i in $(seq 24); do echo "create refs/heads/m$i $H"; done >input &&
	stock -C ours update-ref --stdin <input &&
	git -C ours pack-refs --all --auto && test_path_is_file ours/.git/packed-refs &&
	test -z "$(find ours/.git/refs/heads -type f)" &&
	for i in $(seq 24); do echo "update refs/heads/m$i $P"; done >input &&
	stock -C ours update-ref --stdin <input &&
	git -C ours pack-refs --all --auto && test -z "$(find ours/.git/refs/heads -type f)"
'

test_expect_success '--auto waits for more if much is packed' '
	start &&
	for i in $(seq 2000); do echo "create refs/heads/m$i $H"; done >input &&
	git -C ours update-ref --stdin <input &&
	for i in $(seq 20); do echo "create refs/heads/n$i $P"; done >input &&
	stock -C ours update-ref --stdin <input &&
	git -C ours pack-refs --all --auto && test_path_is_file ours/.git/refs/heads/n1 &&
	for i in $(seq 60); do echo "create refs/heads/o$i $P"; done >input &&
	stock -C ours update-ref --stdin <input &&
	git -C ours pack-refs --all --auto && test_path_is_missing ours/.git/refs/heads/n1
'

# auto_with PACKED LOOSE: what remains of so many loose refs. A line of packed-refs has
# 60 bytes beside the hash, which is what --auto takes it to have.
auto_with () {
	rm -rf auto/.git/refs/heads auto/.git/packed-refs && mkdir -p auto/.git/refs/heads &&
	{
		echo "# pack-refs with: peeled fully-peeled sorted " &&
		for i in $(test_seq $1); do printf "%s refs/heads/%047d\n" $id $i || return 1; done
	} >auto/.git/packed-refs &&
	for i in $(test_seq $2); do echo $id >auto/.git/refs/heads/l$i || return 1; done &&
	git -C auto pack-refs --all --auto && find auto/.git/refs/heads -type f | wc -l
}

test_expect_success '--auto: from sixteen on, and five more for each doubling' '
	git init -q auto && git -C auto commit -q --allow-empty -m one && id=$(git -C auto rev-parse HEAD) &&
	rm auto/.git/refs/heads/* &&
	while read packed limit
	do
		test "$(auto_with $packed $((limit - 1)))" -eq $((limit - 1)) &&
		test "$(auto_with $packed $limit)" -eq 0 || return 1
	done <<-\EOF
	0 16
	15 16
	16 20
	31 20
	32 25
	EOF
'

test_expect_success 'worktrees: only shared refs, from there too' '
	start &&
	peers_do "stock worktree add -q wt topic && stock -C wt update-ref refs/bisect/good HEAD &&
		stock -C wt update-ref refs/worktree/w HEAD" &&
	(cd ours/wt && git pack-refs --all) && (cd theirs/wt && stock pack-refs --all) &&
	same_refs && test_path_is_file ours/.git/worktrees/wt/refs/worktree/w
'

test_expect_success STRACE,FSYNC_BATCH 'one flush, whatever the number' '
	for n in 1 40; do
		start &&
		for i in $(seq $n); do echo "create refs/heads/m$i $H"; done >input &&
		stock -C ours update-ref --stdin <input &&
		(unset GIT_TEST_FSYNC; GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
		 t_strace fsync,fdatasync,syncfs git -C ours pack-refs --all) &&
		test "$(grep -c "sync(" "$T_PRIVATE/strace")" = 1 || return
	done &&
	(unset GIT_TEST_FSYNC; GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
	 t_strace fsync,fdatasync,syncfs git -C ours pack-refs --all) &&
	! grep "sync(" "$T_PRIVATE/strace"
'

test_expect_success 'stock git finds no fault in it' '
	start &&
	stock -C ours for-each-ref --format="%(refname) %(objectname) %(*objectname)" >before &&
	git -C ours pack-refs --all &&
	stock -C ours for-each-ref --format="%(refname) %(objectname) %(*objectname)" >after &&
	test_cmp before after && stock -C ours fsck --strict
'

test_expect_success 'refs are not packed where objects are in quarantine' '
	git init -q quarantine && (cd quarantine && git commit -q --allow-empty -m x && GIT_QUARANTINE_PATH=$PWD/.git/objects && export GIT_QUARANTINE_PATH &&
	 for c in pack-refs "pack-refs --all" "refs optimize"; do
		test_expect_code 128 git $c 2>err && echo "fatal: unable to write new packed-refs: ref updates forbidden inside quarantine environment" >expect && test_cmp expect err || return 1
	 done && git pack-refs --auto)
'

test_done
