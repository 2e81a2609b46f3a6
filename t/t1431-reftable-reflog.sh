#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='reflogs in tables: entries that leave, logs that go, entries that are added alone'
. "$(dirname "$0")/test-lib.sh"

# logged REPO LOG: "{N} SUBJECT: MESSAGE" for each entry
logged () {
	git -C "$1" log -g --format="%gd %s: %gs" "$2" | sed "s/^[^{]*//"
}

expect_log () {
	logged "$1" "$2" >out && cat >expect && test_cmp expect out
}

# linked REPO NAME BRANCH: a linked worktree of that name beside REPO
linked () {
	mkdir -p "$2" "$1/.git/worktrees/$2" && echo "gitdir: ../$1/.git/worktrees/$2" >"$2/.git" &&
	echo ../.. >"$1/.git/worktrees/$2/commondir" && echo "$PWD/$2/.git" >"$1/.git/worktrees/$2/gitdir" &&
	echo "ref: refs/heads/.invalid" >"$1/.git/worktrees/$2/HEAD" && git -C "$2" symbolic-ref HEAD "refs/heads/$3"
}

# strays REPO: what the directory holds beside tables of the list and the list itself
strays () {
	(cd "$1/reftable" && ls | grep -v -x -F -e tables.list -f tables.list)
}

test_expect_success 'set up' '
	git init -q -b main --ref-format=reftable repo &&
	for i in 1 2 3 4 5; do
		GIT_COMMITTER_DATE="170000000$i +0000" git -C repo commit -q --allow-empty -m c$i || return 1
	done && git -C repo branch side HEAD~1 && linked repo tree side &&
	git -C tree commit -q --allow-empty -m t1 && git -C tree commit -q --allow-empty -m t2 &&
	cp -R repo start && cp -R tree start.tree
'

test_expect_success 'delete takes entries out, by number, of one log in one table' '
	git -C repo rev-parse HEAD HEAD~1 >ids && git -C repo reflog delete main@{1} main@{2} main@{0} &&
	expect_log repo main <<-\EOF &&
	{0} c3: commit: c3
	{1} c1: commit (initial): c1
	EOF
	test "$(git -C repo rev-parse main)" = "$(head -n 1 ids)" &&
	git -C repo reflog show --format=%gs HEAD >out && test_line_count = 5 out && test -z "$(strays repo/.git)"
'

test_expect_success 'delete --rewrite repairs old values; --updateref moves the ref' '
	git -C repo reflog delete --rewrite --updateref main@{0} && expect_log repo main <<-\EOF &&
	{0} c1: commit (initial): c1
	EOF
	test "$(git -C repo log -1 --format=%s main)" = c1 && git -C repo update-ref -m back refs/heads/main $(head -n 1 ids) &&
	git -C repo update-ref -m two refs/heads/main $(tail -n 1 ids) &&
	git -C repo reflog delete --rewrite main@{1} && git -C repo rev-parse main@{1} >out &&
	git -C repo rev-parse main~3 >expect && test_cmp expect out &&
	git -C repo reflog delete --rewrite main@{1} && test_must_fail git -C repo rev-parse -q --verify main@{1} &&
	expect_log repo main <<-\EOF
	{0} c4: two
	EOF
'

test_expect_success 'delete --rewrite keeps an entry that tells of a deleted ref, though it is the first one now' '
	git init -q -b main --ref-format=reftable deleted && git -C deleted commit -q --allow-empty -m one &&
	git -C deleted rev-parse HEAD >head && git -C deleted branch gone &&
	git -C deleted reflog write refs/heads/gone $(cat head) $ZERO_OID deleted &&
	git -C deleted reflog delete --rewrite gone@{1} && git -C deleted reflog expire --expire=never --rewrite gone &&
	git -C deleted refs migrate --ref-format=files && cut -d" " -f1,2 deleted/.git/logs/refs/heads/gone >out &&
	echo "$(cat head) $ZERO_OID" >expect && test_cmp expect out
'

test_expect_success 'HEAD is symbolic: --updateref does not move it' '
	git -C repo rev-parse HEAD >expect && git -C repo reflog delete --updateref HEAD@{0} && git -C repo rev-parse HEAD >out &&
	test_cmp expect out && test "$(git -C repo symbolic-ref HEAD)" = refs/heads/main
'

test_expect_success 'a log without entries is there, and goes on; expire --dry-run changes nothing' '
	cp repo/.git/reftable/tables.list before && git -C repo reflog expire --expire=all --dry-run refs/heads/main &&
	test_cmp before repo/.git/reftable/tables.list &&
	git -C repo reflog expire --expire=all refs/heads/main && git -C repo reflog exists refs/heads/main &&
	git -C repo log -g main >out && test_must_be_empty out && git -C repo reflog list >out && grep refs/heads/main out &&
	git -C repo reflog expire --expire=all refs/heads/main && git -C repo pack-refs && git -C repo reflog exists refs/heads/main &&
	git -C repo -c core.logAllRefUpdates=false commit -q --allow-empty -m c6 && expect_log repo main <<-\EOF
	{0} c6: commit: c6
	EOF
'

test_expect_success 'expire by date and by reachability' '
	rm -rf repo tree && cp -R start repo && cp -R start.tree tree && tip=$(git -C repo rev-parse main) &&
	x=$(git -C repo commit-tree -p main -m x main^{tree}) && git -C repo update-ref -m away refs/heads/main $x &&
	git -C repo update-ref -m back refs/heads/main $tip && logged repo main >out && test_line_count = 7 out &&
	git -C repo reflog expire --expire=never --expire-unreachable=now refs/heads/main && logged repo main >out &&
	test_line_count = 5 out &&
	git -C repo reflog expire --expire=1700000003 refs/heads/main && expect_log repo main <<-\EOF
	{0} c5: commit: c5
	{1} c4: commit: c4
	{2} c3: commit: c3
	EOF
'

test_expect_success 'expire --all reaches the logs of every worktree, from every worktree' '
	for where in repo tree; do
		rm -rf repo tree && cp -R start repo && cp -R start.tree tree &&
		git -C $where reflog expire --expire=now --all && logged repo HEAD >out && test_must_be_empty out &&
		logged repo main >out && test_must_be_empty out && logged tree HEAD >out && test_must_be_empty out &&
		git -C tree reflog exists HEAD && test -z "$(strays repo/.git)" && test -z "$(strays repo/.git/worktrees/tree)" ||
		return 1
	done &&
	rm -rf repo tree && cp -R start repo && cp -R start.tree tree &&
	git -C repo reflog expire --expire=now --all --single-worktree && logged repo HEAD >out && test_must_be_empty out &&
	logged tree HEAD >out && test_line_count = 3 out
'

test_expect_success 'drop removes logs' '
	git -C repo reflog drop refs/heads/side && test_must_fail git -C repo reflog exists refs/heads/side &&
	git -C repo rev-parse -q --verify side && git -C repo pack-refs && test_must_fail git -C repo reflog exists refs/heads/side &&
	test_must_fail git -C repo reflog drop nonsense 2>err && test_grep "reflog could not be found: .nonsense." err &&
	git -C repo reflog drop --all && git -C repo reflog list >out && test_must_be_empty out &&
	test_must_fail git -C tree reflog exists HEAD && git -C repo fsck
'

test_expect_success 'write adds an entry, and a log that is missing' '
	git -C repo reflog write refs/heads/none $(git -C repo rev-parse main~1 main) "one
	line" && git -C repo reflog list >out && echo refs/heads/none >expect && test_cmp expect out &&
	git -C repo reflog write refs/heads/main $(git -C repo rev-parse main~1 main) x &&
	git -C repo reflog write refs/heads/main $(git -C repo rev-parse main main~1) y && expect_log repo main <<-\EOF &&
	{0} c4: y
	{1} c5: x
	EOF
	git -C repo reflog delete --updateref main@{1} && test "$(git -C repo log -1 --format=%s main)" = c5 &&
	test_must_fail git -C repo rev-parse -q --verify refs/heads/none && git -C repo reflog drop --all
'

test_expect_success 'one stash of several can be dropped, and popped' '
	git -C repo config core.logAllRefUpdates true && echo 0 >repo/f && git -C repo add f && git -C repo commit -qm f &&
	for i in 1 2 3; do echo $i >repo/f && git -C repo stash push -q -m s$i || return 1; done &&
	git -C repo stash drop -q stash@{1} && git -C repo stash list --format="%gs" >out && printf "On main: %s\n" s3 s1 >expect &&
	test_cmp expect out && git -C repo stash pop -q && test "$(cat repo/f)" = 3 && git -C repo reset -q --hard &&
	git -C repo stash pop -q && test "$(cat repo/f)" = 1 && test_must_fail git -C repo rev-parse -q --verify refs/stash
'

test_expect_success 'gc and maintenance run in every worktree' '
	rm -rf repo tree && cp -R start repo && cp -R start.tree tree &&
	git -C repo config gc.reflogExpire 1700000003 &&
	git -C repo gc -q && logged repo main >out && test_line_count = 3 out && test_line_count -le 2 repo/.git/reftable/tables.list &&
	git -C tree gc -q && git -C repo maintenance run --quiet && git -C tree maintenance run --quiet --task=reflog-expire &&
	git -C repo fsck && test -z "$(strays repo/.git)" && test -z "$(strays repo/.git/worktrees/tree)"
'

test_expect_success FSYNC_BATCH 'all rewrites of a command flush once' '
	rm -rf repo tree && cp -R start repo && cp -R start.tree tree &&
	GIT_TEST_FSYNC=1 GIT_TEST_FS_KIND=journal GIT_TRACE2_EVENT="$PWD/trace" git -C repo reflog expire --expire=all --all &&
	grep "\"hardware-flush\"" trace >flushes && test_grep "\"count\":1[,}]" flushes && test_line_count = 1 flushes
'

test_expect_success 'another process that holds the lock of the list is named, and nothing changes' '
	rm -rf repo tree && cp -R start repo && cp -R start.tree tree && >repo/.git/reftable/tables.list.lock &&
	test_must_fail git -C repo -c core.filesRefLockTimeout=10 reflog expire --expire=all --all 2>err &&
	test_grep "tables.list.lock" err && rm repo/.git/reftable/tables.list.lock && logged repo main >out && test_line_count = 5 out &&
	git -C repo reflog expire --expire=all --all && logged repo main >out && test_must_be_empty out
'

test_done
