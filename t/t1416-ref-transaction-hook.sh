#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the reference-transaction hook, compared with stock git

The hook of each side records its arguments and its input: the state and the lines. Where stock git of
the same version calls it more than once for one transaction, only once is
expected of ours; that is said where it is so.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_COMMITTER_DATE='1700000000 +0100'
GIT_AUTHOR_DATE='1700000000 +0100'
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE
Z=$ZERO_OID

# write_hook DIR BODY: it writes its arguments and input to DIR/told, then runs BODY.
write_hook () {
	mkdir -p "$1/.git/hooks" &&
	write_script "$1/.git/hooks/reference-transaction" <<-EOF
	test "\$1" != preparing || exit 0 # older ones are not called so
	echo "\$1" >>told
	cat >>told
	$2
	EOF
}

both_hooks () {
	write_hook ours "$1" && write_hook theirs "$1"
}

same_told () {
	touch ours/told theirs/told &&
	test_cmp theirs/told ours/told &&
	rm -f ours/told theirs/told
}

# input TEXT: for the next update-ref --stdin
input () {
	printf "$1" >input && PEERS_STDIN=input
}

test_expect_success 'setup' '
	peers_init -b main &&
	peers_do "stock commit -q --allow-empty -m one && stock commit -q --allow-empty -m two" &&
	H=$(stock -C theirs rev-parse main) && P=$(stock -C theirs rev-parse main~1) &&
	both_hooks ""
'

test_expect_success 'single refs' '
	peers_git update-ref refs/heads/a $H && same_told &&
	peers_git update-ref refs/heads/a $P $H && same_told &&
	peers_git update-ref refs/heads/a $P && same_told &&
	peers_git update-ref refs/heads/b $P $Z && same_told &&
	peers_git update-ref refs/heads/main $P && same_told &&
	peers_git update-ref HEAD $H $P && same_told
'

test_expect_success 'a deletion: the hook is called once (stock git: once for loose and packed refs each)' '
	git -C ours update-ref -d refs/heads/b $P &&
	cat >expect <<-EOF &&
	prepared
	$P $Z refs/heads/b
	committed
	$P $Z refs/heads/b
	EOF
	test_cmp expect ours/told && rm ours/told &&
	stock -C theirs update-ref -d refs/heads/b && rm theirs/told
'

test_expect_success 'commit' '
	peers_do "echo 1 >f" &&
	(cd ours && git add f && git commit -q -m three) &&
	(cd theirs && stock add f && stock commit -q -m three) &&
	same_told
'

test_expect_success 'a commit may look at the new objects and at the old refs' '
	write_hook ours "test \$1 != prepared || {
		git log -1 --format=%%s \$(git rev-parse HEAD) && git rev-list -1 HEAD
		read_new=\$(sed -n \"s/^[0-9a-f]* \\\\([0-9a-f]*\\\\) HEAD/\\\\1/p\" told)
		git cat-file commit \$read_new >seen && git rev-parse HEAD >head
	}" &&
	old=$(git -C ours rev-parse HEAD) &&
	(cd ours && git commit -q --allow-empty -m four && grep four seen && test "$(cat head)" = $old) &&
	both_hooks "" && rm -f ours/told ours/seen ours/head &&
	(cd theirs && stock commit -q --allow-empty -m four) && rm -f theirs/told
'

test_expect_success '--stdin: several refs, once' '
	input "create refs/heads/x $H\nupdate refs/heads/a $H $P\nverify refs/heads/main $Z\n" &&
	test_must_fail git -C ours update-ref --stdin <input && same_told &&
	input "create refs/heads/x $H\nupdate refs/heads/a $H $P\nverify refs/heads/a2\n" &&
	peers_git update-ref --stdin && same_told &&
	input "" && peers_git update-ref --stdin && same_told &&
	input "verify refs/heads/x $H\n" && peers_git update-ref --stdin && same_told
'

test_expect_success '--stdin: sessions' '
	input "start\ncreate refs/heads/y $H\nabort\n" &&
	peers_git update-ref --stdin && same_told &&
	input "start\ncreate refs/heads/y $H\nprepare\nabort\nstart\ncreate refs/heads/z $H\ncommit\n" &&
	peers_git update-ref --stdin && same_told &&
	input "start\ncreate refs/heads/y $H\n" &&
	peers_git update-ref --stdin && same_told &&
	input "start\ncreate refs/heads/y $H\nprepare\n" &&
	peers_git update-ref --stdin && same_told &&
	input "start\ncreate refs/heads/y $H\ncreate refs/heads/y2 $H\nprepare\ncommit\n" &&
	peers_git update-ref --stdin && same_told &&
	input "start\ncreate refs/heads/y $H\nprepare\ncommit\n" &&
	PEERS_STDERR=ignore peers_git update-ref --stdin && same_told &&
	PEERS_STDIN=
'

test_expect_success 'after "prepare" the hook has run and the refs are locked' '
	mkfifo in out &&
	{ git -C ours update-ref --stdin <in >out & } &&
	pid=$! &&
	exec 8>in 9<out && test_when_finished "exec 8>&- 9<&-; rm -f in out ours/told" &&
	printf "start\ncreate refs/heads/p1 $H\ncreate refs/heads/p2 $H\nprepare\n" >&8 &&
	read -r line <&9 && read -r line <&9 && test "$line" = "prepare: ok" &&
	test "$(sed -n 1p ours/told)" = prepared &&
	test_must_fail stock -C ours -c core.filesRefLockTimeout=0 update-ref refs/heads/p1 $P 2>err &&
	test_grep "refs/heads/p1.lock.: File exists" err &&
	test_must_fail git -C ours rev-parse -q --verify refs/heads/p1 &&
	printf "abort\nstart\ncreate refs/heads/p2 $H\ncommit\n" >&8 &&
	read -r line <&9 && test "$line" = "abort: ok" &&
	read -r line <&9 && read -r line <&9 && test "$line" = "commit: ok" &&
	exec 8>&- && wait $pid &&
	test_must_fail git -C ours rev-parse -q --verify refs/heads/p1 &&
	git -C ours rev-parse -q --verify refs/heads/p2 &&
	test -z "$(find ours/.git -name "*.lock" -o -name "*.new")"
'

test_expect_success 'the hook forbids it: nothing has changed, no lock is left' '
	both_hooks "test \$1 != prepared" &&
	peers_do "stock for-each-ref >before; stock rev-parse HEAD >>before" &&
	PEERS_STDERR=ignore && input "create refs/heads/v $H\nupdate refs/heads/x $P\n" &&
	for cmd in "update-ref refs/heads/v $H" "update-ref HEAD $P" "update-ref --stdin" \
		"commit -q --allow-empty -m no"
	do
		peers_git $cmd && same_told &&
		test_grep "^fatal: in .prepared. phase, update aborted by the reference-transaction hook" err.ours ||
		return 1
	done &&
	PEERS_STDIN= PEERS_STDERR= &&
	peers_do "stock for-each-ref >after; stock rev-parse HEAD >>after; diff before after" &&
	test -z "$(find ours/.git -name "*.lock" -o -name "*.new" -o -name "tmp_*")"
'

test_expect_success 'empty directories that appear in the place of a ref' '
	both_hooks "test \$1 != prepared || mkdir -p .git/refs/heads/late/x/y .git/refs/heads/too/x" &&
	peers_git update-ref refs/heads/late HEAD && peers_git rev-parse late && both_hooks : &&
	peers_git update-ref -d refs/heads/late &&
	write_hook ours "test \$1 != prepared || mkdir -p .git/refs/heads/late/x .git/refs/heads/too/x" &&
	printf "%s\n" "update refs/heads/late $H" "symref-create refs/heads/too refs/heads/late" >input &&
	git -C ours update-ref --stdin <input && git -C ours rev-parse late too &&
	write_hook ours "mkdir -p .git/refs/heads/full && >.git/refs/heads/full/x.lock" &&
	test_must_fail git -C ours update-ref refs/heads/full HEAD 2>err &&
	test_grep "refs/heads/full.: Is a directory" err &&
	rm -r ours/.git/refs/heads/full && both_hooks : &&
	git -C ours update-ref --no-deref -d refs/heads/too && git -C ours update-ref -d refs/heads/late &&
	rm -f ours/told theirs/told
'

test_expect_success 'after the transaction its exit code changes nothing' '
	both_hooks "test \$1 = prepared" &&
	peers_git update-ref refs/heads/w $H && same_told
'

test_expect_success 'symbolic refs: what they name' '
	both_hooks "" &&
	rm -f ours/told && git -C ours symbolic-ref refs/heads/s refs/heads/a &&
	printf "symref-update refs/heads/s refs/heads/x ref refs/heads/a\n" >input &&
	git -C ours update-ref --no-deref --stdin <input &&
	cat >expect <<-EOF &&
	prepared
	$Z ref:refs/heads/a refs/heads/s
	committed
	$Z ref:refs/heads/a refs/heads/s
	prepared
	ref:refs/heads/a ref:refs/heads/x refs/heads/s
	committed
	ref:refs/heads/a ref:refs/heads/x refs/heads/s
	EOF
	test_cmp expect ours/told
'

test_expect_success 'update-ref warns once about a hook reference-transaction that is not executable' '
	git init -q -b main ignored && git -C ignored commit -q --allow-empty -m one &&
	mkdir -p ignored/.git/hooks && echo exit 1 >ignored/.git/hooks/reference-transaction &&
	cat >expect <<-\EOF && git -C ignored update-ref refs/heads/x HEAD 2>err && test_cmp expect err &&
	hint: The '\''.git/hooks/reference-transaction'\'' hook was ignored because it'\''s not set as executable.
	hint: You can disable this warning with `git config set advice.ignoredHook false`.
	EOF
	git -C ignored -c advice.ignoredHook=false update-ref refs/heads/y HEAD 2>err && test_must_be_empty err
'

test_expect_success 'preparing: before the locks, by the names that were asked for; it may refuse' '
	git init -q -b main early && test_commit -C early one && test_commit -C early two && H=$(git -C early rev-parse HEAD) && P=$(git -C early rev-parse HEAD~1) &&
	write_script early/.git/hooks/reference-transaction <<-\EOF &&
	{ echo "$1"; cat; ls .git/refs/heads/*.lock .git/HEAD.lock 2>/dev/null; } >>told
	test "$1" != "$(cat refuse 2>/dev/null)"
	EOF
	git -C early update-ref HEAD $P $H && cat >expect <<-EOF && test_cmp expect early/told &&
	preparing
	$H $P HEAD
	prepared
	$H $P HEAD
	$H $P refs/heads/main
	.git/HEAD.lock
	.git/refs/heads/main.lock
	committed
	$H $P HEAD
	$H $P refs/heads/main
	EOF
	echo preparing >early/refuse && rm early/told && test_must_fail git -C early update-ref refs/heads/main $H 2>err &&
	grep "^fatal: in .preparing. phase, update aborted by the reference-transaction hook" err && grep -v " " early/told >actual && echo preparing | test_cmp - actual &&
	test "$(git -C early rev-parse main)" = $P
'

test_done
