#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git update-ref: single refs, --stdin, reflogs, compared with stock git'
. "$(dirname "$0")/test-lib.sh"

SQ="'"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_COMMITTER_DATE='1700000000 +0100'
GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE
Z=$ZERO_OID SQ="'"

start () {
	rm -rf ours theirs &&
	stock init -q -b main ${TEST_HASH:+--object-format=$TEST_HASH} theirs &&
	(cd theirs &&
	 for i in 1 2 3; do
		echo $i >f && stock add f && stock commit -q -m c$i || exit
	 done &&
	 stock tag -a -m x ann) &&
	cp -R theirs ours &&
	H=$(stock -C theirs rev-parse main) &&
	P=$(stock -C theirs rev-parse main~1) &&
	T=$(stock -C theirs rev-parse "main^{tree}")
}

all_refs () {
	stock -C "$1" for-each-ref --format="%(refname) %(objectname) %(*objectname) %(symref)"
}

# Refs and logs are equal, the latter and loose refs that both have byte for byte; nothing
# else is left. (Stock git leaves empty directories behind when it refuses; ours packs the
# refs of one transaction.)
same_refs () {
	find theirs/.git/refs theirs/.git/logs -mindepth 2 -type d -empty -delete &&
	find ours/.git/refs ours/.git/logs -mindepth 2 -type d -empty -delete &&
	all_refs theirs >refs.theirs && all_refs ours >refs.ours &&
	test_cmp refs.theirs refs.ours &&
	(diff -r ours/.git/refs theirs/.git/refs || :) >refs.diff &&
	! grep -v "^Only in " refs.diff &&
	diff -r ours/.git/logs theirs/.git/logs &&
	test_cmp theirs/.git/HEAD ours/.git/HEAD &&
	test -z "$(find ours/.git -name '*.lock')"
}

# each_line: every line of standard input is a command line for both.
each_line () {
	while read -r line
	do
		eval "peers_git $line" || return 1
	done
}

test_expect_success 'create, update, delete; old values' '
	start &&
	each_line <<-EOS &&
	update-ref refs/heads/x $H $P
	update-ref refs/heads/x $H $Z
	update-ref refs/heads/x $H
	update-ref refs/heads/x $P $P
	update-ref refs/heads/x $P $Z
	update-ref -m "a message" refs/heads/x $P $H
	update-ref refs/heads/y/z $P ""
	update-ref -d refs/heads/nope
	update-ref -d refs/heads/nope $P
	update-ref -d refs/heads/x $H
	update-ref -d refs/heads/x $P
	update-ref -d refs/heads/y/z
	update-ref refs/heads/z nonsense
	update-ref refs/heads/z $H nonsense
	update-ref -m "" refs/heads/z $H
	EOS
	same_refs
'

test_expect_success 'names that are refused, or conflict' '
	start &&
	each_line <<-EOS &&
	update-ref refs/heads/..x $H
	update-ref "refs/heads/a b" $H
	update-ref refs/heads/x.lock $H
	update-ref foo $H
	update-ref FOO $H
	update-ref -d FOO
	update-ref refs/heads/main/x $H
	update-ref refs/heads/a/b/c $H
	update-ref refs/heads/a/b $H
	update-ref refs/heads/a $H
	update-ref refs/heads/a/b/c/d $H
	EOS
	same_refs
'

# As in Git 2.55; 2.39 names the ref that it cannot lock here, too.
test_expect_success 'names that conflict with packed refs' '
	git init -q names && git -C names fetch -q ../ours "$H:refs/heads/main" "$H:refs/heads/a/b/c" -u && git -C names pack-refs --all &&
	while read -r name exists; do
		echo "fatal: update_ref failed for ref ${SQ}refs/heads/$name$SQ: ${SQ}refs/heads/$exists$SQ exists; cannot create ${SQ}refs/heads/$name$SQ" >expect &&
		test_expect_code 128 git -C names update-ref refs/heads/$name $H 2>err && test_cmp expect err || return 1
	done <<-EOS &&
	main/x main
	a/b a/b/c
	a/b/c/d a/b/c
	EOS
	git -C names update-ref refs/heads/a/x $H && printf "%s\n" "create refs/heads/a/b $H" "update refs/heads/main $H $ZERO_OID" >in &&
	git -C names update-ref --stdin --batch-updates <in 2>err >out &&
	test_grep "^error: .refs/heads/a/b/c. exists; cannot create .refs/heads/a/b.$" err &&
	test_grep "^error: cannot lock ref .refs/heads/main.: reference already exists" err
'

test_expect_success 'files that are not refs are not removed' '
	start &&
	peers_do "echo $H >.git/shallow" &&
	each_line <<-EOS &&
	update-ref -d shallow
	update-ref -d shallow $H
	update-ref -d logs/HEAD
	update-ref --no-deref -d logs/refs/heads/main
	update-ref -d nosuch
	EOS
	echo "delete shallow" >input && PEERS_STDIN=$PWD/input peers_git update-ref --stdin &&
	echo "verify shallow $H" >input && PEERS_STDIN=$PWD/input peers_git update-ref --stdin &&
	same_refs && test_path_is_file ours/.git/shallow
'

test_expect_success 'FETCH_HEAD and MERGE_HEAD are no refs to update, delete or verify' '
	git init -q pseudo && git -C pseudo commit -q --allow-empty -m one && id=$(git -C pseudo rev-parse HEAD) &&
	for name in FETCH_HEAD MERGE_HEAD; do
		echo $id >pseudo/.git/$name && cp pseudo/.git/$name before && why="refusing to update pseudoref .$name." &&
		test_expect_code 128 git -C pseudo update-ref $name HEAD 2>err && test_grep "$why" err &&
		test_expect_code 1 git -C pseudo update-ref -d $name 2>err && test_grep "^error: $why" err &&
		test_expect_code 1 git -C pseudo symbolic-ref $name refs/heads/x 2>err && test_grep "^error: $why" err &&
		for line in "create $name $id" "update $name $id" "delete $name" "verify $name $id" "symref-update $name refs/heads/x"; do
			echo "$line" >input && test_expect_code 128 git -C pseudo update-ref --stdin <input 2>err && test_grep "^fatal: $why" err &&
			test_expect_code 128 git -C pseudo update-ref --stdin --batch-updates <input 2>err || return 1
		done && test_cmp before pseudo/.git/$name || return 1
	done && git -C pseudo update-ref CHERRY_PICK_HEAD HEAD
'

test_expect_success 'objects that do not fit' '
	start &&
	each_line <<-EOS &&
	update-ref refs/heads/x $T
	update-ref refs/tags/x $T
	update-ref refs/foo/y $(echo "$H" | tr 0-9a-f 1-9a-f0)
	update-ref HEAD $T
	EOS
	same_refs
'

test_expect_success 'HEAD and its branch: both logs' '
	start &&
	each_line <<-EOS &&
	update-ref -m one HEAD $P
	update-ref -m "no change" HEAD $P
	update-ref -m two refs/heads/main $H
	update-ref -m three --no-deref HEAD $P
	update-ref -m four refs/heads/main $P
	symbolic-ref -m back HEAD refs/heads/main
	update-ref -m gone -d refs/heads/main
	update-ref -m "born  again with	blanks " HEAD $H
	update-ref -d HEAD
	update-ref HEAD $P
	EOS
	same_refs
'

test_expect_success 'reflogs that are not kept by default' '
	start &&
	each_line <<-EOS &&
	update-ref -m a refs/foo/x $P
	update-ref -m b --create-reflog refs/foo/x $H
	update-ref -m c refs/foo/x $P
	update-ref -m d --create-reflog refs/foo/y $P
	-c core.logAllRefUpdates=always update-ref -m e refs/foo/z $P
	-c core.logAllRefUpdates=false update-ref -m f refs/heads/quiet $P
	-c core.logAllRefUpdates=false update-ref -m g refs/heads/main $P
	update-ref -d refs/foo/x
	EOS
	same_refs
'

test_expect_success 'packed refs: the loose one wins, deletion rewrites' '
	start &&
	(cd theirs && for i in 1 2 3 4 5; do stock update-ref refs/heads/p$i $P || exit; done &&
	 stock pack-refs --all && stock update-ref refs/heads/p2 main) &&
	rm -rf ours && cp -R theirs ours &&
	each_line <<-EOS &&
	update-ref -d refs/heads/p1
	update-ref -d refs/heads/p2 $H
	update-ref refs/heads/p3 $H $P
	update-ref -d refs/heads/p3 $P
	update-ref -d refs/tags/ann
	update-ref refs/heads/p4 $P $Z
	show-ref
	EOS
	same_refs
'

test_expect_success 'through symbolic refs' '
	start &&
	each_line <<-EOS &&
	symbolic-ref refs/heads/alias refs/heads/main
	symbolic-ref refs/heads/alias2 refs/heads/alias
	update-ref -m a refs/heads/alias2 $P
	update-ref refs/heads/alias2 $P $H
	update-ref -d --no-deref refs/heads/alias
	symbolic-ref refs/heads/loop1 refs/heads/loop2
	symbolic-ref refs/heads/loop2 refs/heads/loop1
	update-ref refs/heads/loop1 $P
	update-ref -d --no-deref refs/heads/loop1
	symbolic-ref refs/heads/dangling refs/heads/nowhere
	update-ref refs/heads/dangling $H
	EOS
	same_refs
'

test_expect_success 'broken refs are reported' '
	start &&
	for d in ours theirs
	do
		echo junk >$d/.git/refs/heads/junk && : >$d/.git/refs/heads/empty &&
		mkdir -p $d/.git/refs/heads/dir/x && mkdir -p $d/.git/refs/heads/full/x &&
		: >$d/.git/refs/heads/full/.keep || return 1
	done &&
	each_line <<-EOS
	update-ref -d refs/heads/junk
	update-ref refs/heads/empty $H
	update-ref refs/heads/dir $H
	update-ref refs/heads/full $H
	EOS
'

test_expect_success 'the lock of another process is respected' '
	start &&
	: >ours/.git/refs/heads/main.lock &&
	test_must_fail git -C ours update-ref refs/heads/main $P 2>err &&
	test_grep "update_ref failed for ref .refs/heads/main.: cannot lock ref .refs/heads/main.: Unable to create" err &&
	test_path_exists ours/.git/refs/heads/main.lock &&
	test "$(git -C ours rev-parse main)" = $H
'

# stdin_case 'lines': for both, from a fresh start
stdin_case () {
	printf "$1" >input &&
	PEERS_STDIN=$PWD/input PEERS_STDERR=ignore peers_git update-ref -m msg --stdin $2 &&
	# Stock git 2.39 has other words for values, and a prefix where the outer name comes first.
	sed "s/<newvalue>/<new-oid>/; s/<oldvalue>/<old-oid>/; s/cannot lock ref .*: \(cannot process\)/\1/" err.theirs >want && test_cmp want err.ours &&
	same_refs
}

test_expect_success '--stdin: one transaction' '
	start &&
	stdin_case "create refs/heads/a $H\ncreate refs/heads/b $P\n" &&
	stdin_case "update refs/heads/a $P $H\ndelete refs/heads/b $P\ncreate refs/heads/c/d $H\n" &&
	stdin_case "update refs/heads/a $H $P\nverify refs/heads/main $P\n" &&
	stdin_case "create refs/heads/x $H\ncreate refs/heads/y $H\nverify refs/heads/main $Z\n" &&
	stdin_case "create refs/heads/n $H\ncreate refs/heads/n $H\n" &&
	stdin_case "create refs/heads/n $H\ncreate refs/heads/n/m $H\n" &&
	stdin_case "update HEAD $P\nupdate refs/heads/main $H\n" &&
	stdin_case "option no-deref\nupdate HEAD $P\nupdate refs/heads/main $P\n" &&
	stdin_case "update refs/heads/a \n" &&
	stdin_case "update \"refs/heads/a\" \"main~1\"\n"
'

test_expect_success '--stdin: malformed input' '
	start &&
	for s in "foo\n" "update\n" "update \n" "update refs/heads/q\n" "create refs/heads/q $Z\n" \
		"delete refs/heads/q $Z\n" "delete\n" "update refs/heads/q nonsense\n" \
		"update refs/heads/q $H nonsense\n" "option foo\n" "update  refs/heads/q $H\n" \
		" update\n" "\n" "update \"refs/heads/q\"x $H\n" "update \"refs/heads/q $H\n" \
		"update refs/heads/../x $H\n" "start foo\n" "create refs/heads/q $H $H\n" \
		"verify refs/heads/main $P x\n"
	do
		stdin_case "$s" || return 1
	done &&
	printf "update refs/heads/q $H" >input &&
	test_must_fail git -C ours update-ref --stdin <input &&
	test_must_fail git -C ours rev-parse --verify -q refs/heads/q
'

test_expect_success '--stdin -z' '
	start &&
	for s in "update refs/heads/q\0\0" "update refs/heads/q\0$H" "update refs/heads/q\0$H\0\0" \
		"update refs/heads/q\0\0\0" "create refs/heads/q2\0\0" "delete refs/heads/q\0\0" \
		"create refs/heads/z\0$H\0create refs/heads/y\0$P\0" "verify refs/heads/z\0$H\0"
	do
		stdin_case "$s" -z || return 1
	done
'

test_expect_success '--stdin: start, prepare, commit, abort' '
	start &&
	for s in "start\ncommit\n" "start\n" "start\nstart\n" "prepare\n" "prepare\nprepare\n" \
		"prepare\nupdate refs/heads/q $H\n" "commit\n" "commit\nupdate refs/heads/q $H\n" \
		"commit\nstart\nabort\n" "abort\n" \
		"start\ncreate refs/heads/aa $H\nprepare\nabort\n" \
		"start\ncreate refs/heads/ab $H\nprepare\ncommit\nstart\ncreate refs/heads/ac $P\ncommit\n" \
		"start\ncreate refs/heads/ad $H\n"
	do
		stdin_case "$s" || return 1
	done
'

test_expect_success '--stdin: symbolic refs' '
	start &&
	git -C ours update-ref --stdin <<-EOS &&
	create refs/heads/a $H
	symref-create refs/heads/s refs/heads/a
	option no-deref
	symref-update HEAD refs/heads/a ref refs/heads/main
	EOS
	test "$(git -C ours symbolic-ref HEAD)" = refs/heads/a &&
	test "$(git -C ours symbolic-ref refs/heads/s)" = refs/heads/a &&
	echo "symref-create refs/heads/s refs/heads/main" >input &&
	test_must_fail git -C ours update-ref --stdin <input 2>err &&
	test_grep "reference already exists" err &&
	echo "symref-update HEAD refs/heads/x ref refs/heads/main" >input &&
	test_must_fail git -C ours update-ref --no-deref --stdin <input 2>err &&
	test_grep "is at refs/heads/a but expected refs/heads/main" err &&
	echo "symref-update HEAD refs/heads/x oid $P" >input &&
	test_must_fail git -C ours update-ref --no-deref --stdin <input 2>err &&
	test_grep "is at $H but expected $P" err &&
	echo "symref-update HEAD refs/heads/x oid junk" >input &&
	test_must_fail git -C ours update-ref --no-deref --stdin <input 2>err &&
	test_grep "^fatal: symref-update HEAD: invalid oid: junk\$" err &&
	echo "symref-update HEAD refs/heads/a oid $H" >input &&
	git -C ours update-ref --no-deref --stdin <input &&
	git -C ours update-ref --stdin <<-EOS &&
	option no-deref
	symref-verify HEAD refs/heads/a
	option no-deref
	symref-delete refs/heads/s refs/heads/a
	EOS
	test_path_missing ours/.git/refs/heads/s &&
	test_path_exists ours/.git/refs/heads/a
'

test_expect_success '--stdin: symbolic refs are followed, unless no-deref' '
	start &&
	git -C ours update-ref refs/heads/a HEAD &&
	git -C ours symbolic-ref refs/heads/s refs/heads/a &&
	git -C ours symbolic-ref refs/heads/s2 refs/heads/s &&
	git -C ours symbolic-ref refs/heads/dangling refs/heads/none &&
	cat >input <<-EOF &&
	symref-update refs/heads/s2 refs/heads/main oid $H
	symref-create refs/heads/dangling refs/heads/main
	EOF
	git -C ours update-ref --stdin <input &&
	printf "ref: %s\n" refs/heads/s refs/heads/a refs/heads/main refs/heads/none refs/heads/main >expect &&
	(cd ours/.git/refs/heads && cat s2 s a dangling none) >out &&
	test_cmp expect out &&
	echo "symref-update refs/heads/s2 refs/heads/x ref refs/heads/s" |
	test_must_fail git -C ours update-ref --stdin 2>err &&
	test_grep "cannot lock ref .refs/heads/s2.: expected symref with target .refs/heads/s.: but is a regular ref" err &&
	git -C ours update-ref --no-deref -d refs/heads/none &&
	echo "symref-update refs/heads/dangling refs/heads/x ref refs/heads/none" |
	test_must_fail git -C ours update-ref --stdin 2>err &&
	test_grep "cannot lock ref .refs/heads/dangling.: unable to resolve reference .refs/heads/none." err &&
	for l in "create refs/heads/dangling $H" "update refs/heads/dangling $H $Z"
	do
		echo "$l" | test_must_fail git -C ours update-ref --no-deref --stdin 2>err &&
		test_grep "cannot lock ref .refs/heads/dangling.: dangling symref already exists" err || return 1
	done
'

test_expect_success '--stdin -z: the end of input ends commands about symbolic refs' '
	start &&
	printf "symref-update refs/heads/s\0refs/heads/main\0" | git -C ours update-ref -z --stdin &&
	test "$(git -C ours symbolic-ref refs/heads/s)" = refs/heads/main &&
	printf "symref-update refs/heads/s3\0refs/heads/s\0\0" | git -C ours update-ref -z --stdin &&
	printf "symref-update refs/heads/s4\0refs/heads/s\0ref\0" >input &&
	test_expect_code 128 git -C ours update-ref -z --stdin <input 2>err &&
	test_grep "symref-update refs/heads/s4: expected old value" err &&
	printf "symref-verify refs/heads/s4\0" | git -C ours update-ref --no-deref -z --stdin &&
	printf "symref-delete refs/heads/s\0" | git -C ours update-ref --no-deref -z --stdin &&
	test_path_missing ours/.git/refs/heads/s &&
	printf "update refs/heads/s4\0$H\0" >input &&
	test_expect_code 128 git -C ours update-ref -z --stdin <input
'

# As on a file system with an ordered journal, wherever the tests run.
test_expect_success STRACE,FSYNC_BATCH 'one flush, whatever is in the transaction' '
	start &&
	(cd ours && GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
	 n=$(count_flushes git update-ref refs/heads/x $H) && test "$n" = 1 &&
	 for i in $(seq 100); do echo "create refs/heads/many/$i $H"; done >../input &&
	 n=$(count_flushes git update-ref --stdin <../input) && test "$n" = 1 &&
	 stock pack-refs --all &&
	 sed "s/create/delete/; s/ $H//" ../input >../input2 &&
	 n=$(count_flushes git update-ref --stdin <../input2) && test "$n" = 1 &&
	 test -z "$(stock for-each-ref refs/heads/many)" &&
	 n=$(count_flushes git -c core.fsync=none update-ref refs/heads/y $H) && test "$n" = 0)
'

test_expect_success 'linked worktrees: their own refs and the shared ones' '
	start && rm -rf wt-ours wt-theirs &&
	stock -C ours worktree add -q ../wt-ours -b wt && stock -C theirs worktree add -q ../wt-theirs -b wt &&
	git -C wt-ours update-ref -m a HEAD $P && stock -C wt-theirs update-ref -m a HEAD $P &&
	git -C wt-ours update-ref refs/bisect/bad $P &&
	test_path_is_file ours/.git/worktrees/wt-ours/refs/bisect/bad &&
	test_path_missing ours/.git/refs/bisect/bad &&
	test "$(git -C wt-ours rev-parse main-worktree/HEAD)" = $H &&
	test "$(git -C ours rev-parse worktrees/wt-ours/HEAD)" = $P &&
	test "$(git -C ours rev-parse worktrees/wt-ours/refs/bisect/bad)" = $P &&
	test_cmp theirs/.git/logs/refs/heads/wt ours/.git/logs/refs/heads/wt &&
	test_cmp theirs/.git/worktrees/wt-theirs/logs/HEAD ours/.git/worktrees/wt-ours/logs/HEAD
'

test_expect_success '--batch-updates: the updates that are possible are made' '
	start &&
	none=$(echo $H | tr 0-9a-f 1-9a-f0) &&
	cat >input <<-EOF &&
	create refs/heads/good1 $H
	create refs/heads/main $H
	update refs/heads/good2 $P
	update refs/heads/main $P $P
	update refs/heads/nope $P $H
	delete refs/heads/gone $H
	create refs/heads/main/sub $H
	create refs/heads/tree $T
	create refs/tags/none $none
	verify refs/heads/good3 $H
	symref-update refs/heads/main refs/heads/x ref refs/heads/y
	create refs/tags/good4 $T
	EOF
	cat >expect <<-EOF &&
	rejected refs/heads/main $P $P incorrect old value provided
	rejected refs/heads/nope $P $H reference does not exist
	rejected refs/heads/gone $Z $H reference does not exist
	rejected refs/heads/main/sub $H $Z refname conflict
	rejected refs/heads/tree $T $Z invalid new value provided
	rejected refs/tags/none $none $Z invalid new value provided
	rejected refs/heads/good3 $Z $H reference does not exist
	EOF
	grep -v "create refs/heads/main \|symref" input >one &&
	git -C ours update-ref --stdin --batch-updates <one >out 2>err &&
	test_cmp expect out &&
	test_line_count = 7 err &&
	test_grep "^error: cannot lock ref .refs/heads/nope.: unable to resolve reference .refs/heads/nope." err &&
	test "$(git -C ours rev-parse good1 good2 refs/tags/good4 main)" = "$(printf "%s\n" $H $P $T $H)" &&
	echo "create refs/heads/main $P" |
	git -C ours update-ref --stdin -0 >out &&
	echo "rejected refs/heads/main $P $Z reference already exists" >expect &&
	test_cmp expect out &&
	grep symref input | git -C ours update-ref --no-deref --stdin --batch-updates >out &&
	echo "rejected refs/heads/main refs/heads/x refs/heads/y expected symref but found regular ref" >expect &&
	test_cmp expect out &&
	test -z "$(find ours/.git -name "*.lock")"
'

test_expect_success '--batch-updates: sessions, locks, mistakes' '
	start &&
	printf "%s\n" start "create refs/heads/a $H" "create refs/heads/main $P" prepare commit \
		start "create refs/heads/b $H" commit |
	git -C ours update-ref --stdin --batch-updates >out &&
	cat >expect <<-EOF &&
	start: ok
	prepare: ok
	rejected refs/heads/main $P $Z reference already exists
	commit: ok
	start: ok
	commit: ok
	EOF
	test_cmp expect out &&
	git -C ours rev-parse --verify -q a && git -C ours rev-parse --verify -q b &&
	: >ours/.git/refs/heads/locked.lock &&
	printf "%s\n" "create refs/heads/locked $H" "create refs/heads/c $H" |
	git -C ours update-ref --stdin --batch-updates >out 2>err &&
	echo "rejected refs/heads/locked $H $Z unknown failure" >expect &&
	test_cmp expect out &&
	test_grep "^error: cannot lock ref .refs/heads/locked" err &&
	git -C ours rev-parse --verify -q c &&
	echo "create refs/heads/d" >input &&
	test_expect_code 128 git -C ours update-ref --stdin --batch-updates <input &&
	test_expect_code 128 git -C ours update-ref --batch-updates refs/heads/e $H
'

test_expect_success STRACE '--batch-updates: one flush all the same' '
	start &&
	unset GIT_TEST_FSYNC &&
	for i in 1 2 3 4 5 6 7 8 9
	do
		echo "create refs/heads/n$i $H" && echo "create refs/heads/n$i/x $H" || return 1
	done >input &&
	n=$(GIT_TEST_FS_KIND=journal count_flushes git -C ours -c core.fsync=all \
		-c core.fsyncMethod=batch update-ref --stdin --batch-updates <input) &&
	test "$n" = 1 &&
	git -C ours show-ref | grep -c "refs/heads/n./x$" >out &&
	echo 9 >expect &&
	test_cmp expect out
'

# loose NR: makes so many loose refs, and orders to change them
loose () {
	rm -rf ours/.git/refs/heads/l ours/.git/packed-refs && mkdir -p ours/.git/refs/heads/l &&
	for i in $(test_seq $1)
	do
		echo $H >ours/.git/refs/heads/l/$i && echo "update refs/heads/l/$i $K $H" || return 1
	done >input
}

# they_are VALUE NR_LOOSE NR_PACKED
they_are () {
	git -C ours for-each-ref refs/heads/l --format="%(objectname)" | sort -u >out &&
	echo $1 >expect && test_cmp expect out &&
	test "$(ls ours/.git/refs/heads/l 2>/dev/null | wc -l)" -eq $2 &&
	test "$(grep -c " refs/heads/l/" ours/.git/packed-refs)" -eq $3
}

test_expect_success STRACE "many loose refs are changed by few flushes, whatever the method" '
	(start && unset GIT_TEST_FSYNC GIT_TEST_REF_COMMIT && GIT_TEST_FS_KIND=journal &&
	export GIT_TEST_FS_KIND && T=$(git -C ours -c core.fsyncMethod=batch mktree </dev/null) &&
	K=$(git -C ours -c core.fsyncMethod=batch commit-tree -m k $T) && git -C ours config core.logAllRefUpdates false &&
	loose 40 && echo "# pack-refs with: peeled fully-peeled sorted " >ours/.git/packed-refs &&
	n=$(count_flushes git -C ours -c core.fsync=all -c core.fsyncMethod=batch \
		update-ref --stdin <input) &&
	test "$n" = 1 && they_are $K 40 0 &&
	loose 40 && n=$(count_flushes git -C ours -c core.fsync=all -c core.fsyncMethod=fsync \
		update-ref --stdin <input) &&
	test "$n" -le 8 && they_are $K 0 40 &&
	loose 256 && n=$(count_flushes git -C ours -c core.fsync=all -c core.fsyncMethod=batch \
		update-ref --stdin <input) &&
	test "$n" = 1 && they_are $K 0 256)
'

test_expect_success "no ref has the name of another file of the repository" '
	git init -q --bare files && (cd files &&
	T=$(git mktree </dev/null) && C=$(git commit-tree -m x $T) && find . | sort >../before &&
	for name in commondir config Config config.worktree gc.pid refs gitdir index shallow packed-refs objects/x hooks/post-commit \
		info/exclude worktrees/x/commondir worktrees/x/gitdir worktrees/x/locked \
		main-worktree/commondir main-worktree/config; do
		test_expect_code 128 git update-ref $name $C 2>err &&
		test_grep "refusing to update ref with bad name .$name." err &&
		test_must_fail git symbolic-ref $name refs/heads/main || exit 1
	done &&
	rm -f err && find . | sort >../after && test_cmp ../before ../after &&
	git update-ref foo $C && git update-ref worktrees/x/ORIG_HEAD $C)
'

test_expect_success "objects in quarantine may be thrown away: no ref moves" '
	git init -q -b main q && (cd q && T=$(git mktree </dev/null) && C=$(git commit-tree -m x $T) &&
	git update-ref refs/heads/main $C && git for-each-ref >../before && ref_value . HEAD >../head &&
	GIT_QUARANTINE_PATH=$PWD/q && export GIT_QUARANTINE_PATH &&
	for cmd in "update-ref refs/heads/q $C" "update-ref -d refs/heads/main" "tag q" "branch q" \
		   "commit --allow-empty -m q" "symbolic-ref HEAD refs/heads/q" "branch -m q"; do
		test_must_fail git $cmd 2>err &&
		test_grep "ref updates forbidden inside quarantine environment" err || exit 1
	done && git for-each-ref >../after) && test_cmp before after && ref_value q HEAD >after && test_cmp head after
'

# Git 2.55's words, which 2.39 does not have.
says () {
	printf "$1" | test_must_fail git -C words update-ref --stdin 2>err && echo "fatal: $2" >expect && sed "/^\$/d" err >actual &&
	test_cmp expect actual
}

test_expect_success 'a command that is cut off, invalid targets: messages of 2.55' '
	git init -q -b main words && test_commit -C words w && W=$(git -C words rev-parse HEAD) &&
	git -C words symbolic-ref refs/heads/sym refs/heads/x &&
	says "update refs/heads/q" "update refs/heads/q: unexpected end of input when reading <new-oid>" &&
	says "update refs/heads/q $W" "update refs/heads/q: unexpected end of input when reading <old-oid>" &&
	says "delete refs/heads/main" "delete refs/heads/main: unexpected end of input when reading <old-oid>" &&
	says "create refs/heads/q $W" "create refs/heads/q: extra input: " &&
	says "symref-create refs/heads/q" "symref-create refs/heads/q: missing <new-target>" &&
	says "symref-create refs/heads/q refs/heads/x" "symref-create refs/heads/q: extra input: " &&
	says "option no-deref" "option unknown: no-deref" && says "start" "unknown command: start" &&
	for c in "symref-update refs/heads/sym" "symref-create refs/heads/q" "option no-deref\nsymref-verify refs/heads/sym"; do
		says "$c refs/..\n" "invalid ref format: refs/.." || return 1
	done &&
	says "symref-update refs/heads/sym refs/heads/y ref a/\n" "symref-update refs/heads/sym: invalid ref: a/" &&
	says "symref-update refs/heads/sym refs/heads/y b\n" "symref-update refs/heads/sym: expected old value" &&
	says "option no-deref\nsymref-verify refs/heads/sym HEAD\n" \
		"verifying symref target: ${SQ}refs/heads/sym${SQ}: is at refs/heads/x but expected HEAD" &&
	for c in prepare commit; do
		says "update refs/heads/main $W $Z\n$c\n" "$c: cannot lock ref ${SQ}refs/heads/main${SQ}: reference already exists" || return 1
	done &&
	says "update refs/heads/main $W $Z\n" "cannot lock ref ${SQ}refs/heads/main${SQ}: reference already exists" &&
	says "update refs/heads/q $EMPTY_TREE\n" \
		"trying to write non-commit object $EMPTY_TREE to branch ${SQ}refs/heads/q${SQ}" &&
	missing=$(echo $W | tr 0-9a-f 1-9a-f0) && for name in HEAD refs/heads/sym; do
		says "update $name $EMPTY_TREE\n" "trying to write non-commit object $EMPTY_TREE to branch $SQ$name$SQ" &&
		says "update $name $missing\n" "trying to write ref $SQ$name$SQ with nonexistent object $missing" || return 1
	done &&
	test_expect_code 1 git -C words rev-parse --verify -q refs/heads/q
'

test_expect_success 'a missing ref beside a directory or below a ref is neither verified nor deleted' '
	git init -q beside && (cd beside && git commit -q --allow-empty -m one &&
		main=$(git symbolic-ref HEAD) && for packed in no yes; do
			test_expect_code 1 git update-ref -d refs/heads 2>err && test_grep "$SQ$main$SQ exists; cannot create ${SQ}refs/heads$SQ" err &&
			test_expect_code 1 git update-ref -d $main/x 2>err && test_grep "$SQ$main$SQ exists; cannot create $SQ$main/x$SQ" err &&
			echo "verify refs/heads" | test_expect_code 128 git update-ref --stdin 2>err && test_grep "exists; cannot create ${SQ}refs/heads$SQ" err &&
			echo "verify $main/x $ZERO_OID" | test_expect_code 128 git update-ref --stdin 2>err && test_grep "exists; cannot create $SQ$main/x$SQ" err &&
			echo "verify refs/heads/other" | git update-ref --stdin && git update-ref -d refs/heads/other && git update-ref -d refs/tags/a/b &&
			git pack-refs --all || exit
		done && git rev-parse -q --verify $main)
'

test_done
