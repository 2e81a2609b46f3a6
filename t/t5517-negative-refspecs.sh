#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='negative refspecs: what they keep from fetch, push, pruning and mirrors; whose "+" counts'
. "$(dirname "$0")/test-lib.sh"

refs_of() {
	git -C "$1" for-each-ref --format='%(refname)' | tr '\n' ' '
}

# new_peer NAME...: a bare repository with these refs
new_peer() {
	rm -rf peer &&
	git init -q --bare peer &&
	for ref
	do
		git -C here push -q ../peer main:"$ref" || return 1
	done
}

# push_leaves "REFS" ARGS...: the refs of peer after a push
push_leaves() {
	local want="$1" &&
	shift &&
	git -C here push "$@" &&
	echo "$want " >expect &&
	{ refs_of peer; echo; } >actual &&
	test_cmp expect actual
}

test_expect_success 'a repository with branches' '
	git init -q -b main here &&
	test_commit -C here one &&
	git -C here branch o/a &&
	git -C here branch o/b &&
	git -C here branch p/b
'

test_expect_success 'push: the destination is excluded, not the source' '
	new_peer refs/heads/main &&
	push_leaves "refs/heads/main refs/heads/t/a" ../peer "refs/heads/o/*:refs/heads/t/*" ^refs/heads/t/b &&
	push_leaves "refs/heads/main refs/heads/t/a refs/heads/t/b" ../peer "refs/heads/o/*:refs/heads/t/*" \
		^refs/heads/o/b &&
	push_leaves "refs/heads/main refs/heads/t/a refs/heads/t/b" ../peer main:refs/heads/new ^refs/heads/new &&
	push_leaves "refs/heads/main refs/heads/t/a refs/heads/t/b" ../peer :t/a ^refs/heads/t/a
'

test_expect_success 'push --prune keeps excluded refs of the remote' '
	new_peer refs/heads/t/a refs/heads/t/b refs/heads/t/c refs/heads/t/d &&
	push_leaves "refs/heads/t/a refs/heads/t/b refs/heads/t/c" \
		--prune ../peer "refs/heads/o/*:refs/heads/t/*" ^refs/heads/t/c
'

test_expect_success 'push --prune: an excluded source keeps nothing' '
	new_peer refs/heads/t/a refs/heads/t/b refs/heads/t/c &&
	push_leaves "refs/heads/t/a refs/heads/t/b" --prune ../peer "refs/heads/o/*:refs/heads/t/*" ^refs/heads/o/c
'

test_expect_success 'push --prune: a pattern without destination prunes' '
	new_peer refs/heads/p/a refs/heads/p/b refs/heads/q &&
	push_leaves "refs/heads/p/b refs/heads/q" --prune ../peer "refs/heads/p/*" ^refs/heads/p/b &&
	new_peer refs/heads/p/a refs/heads/q &&
	push_leaves "refs/heads/main refs/heads/o/a refs/heads/o/b refs/heads/p/b" --prune --all ../peer
'

test_expect_success 'push --prune with ":"' '
	new_peer refs/heads/p/a refs/heads/p/b refs/heads/q &&
	push_leaves "refs/heads/p/b refs/heads/q" --prune ../peer : ^refs/heads/q
'

test_expect_success 'a mirror neither pushes nor deletes what its remote excludes' '
	new_peer refs/heads/o/x refs/heads/q refs/tags/v &&
	test_config -C here remote.m.url ../peer &&
	test_config -C here remote.m.mirror true &&
	test_config -C here remote.m.push "^refs/heads/o/*" &&
	push_leaves "refs/heads/main refs/heads/o/x refs/heads/p/b" m
'

test_expect_success 'a mirror with refspecs has only what they say' '
	new_peer refs/heads/o/a refs/heads/q refs/tags/v &&
	test_config -C here remote.m.url ../peer &&
	test_config -C here remote.m.mirror true &&
	test_config -C here remote.m.push "refs/heads/o/*:refs/heads/t/*" &&
	push_leaves "refs/heads/t/a refs/heads/t/b" m
'

test_expect_success 'remote show lists pushes without excluded refs' '
	new_peer refs/heads/main &&
	test_config -C here remote.m.url ../peer &&
	git -C here config remote.m.push "refs/heads/o/*:refs/heads/t/*" &&
	git -C here config --add remote.m.push ^refs/heads/t/a &&
	git -C here config --add remote.m.push ^refs/heads/o/b &&
	test_when_finished "git -C here config --unset-all remote.m.push" &&
	git -C here remote show m >out &&
	test_grep "o/b pushes to t/b" out &&
	test_grep ! "o/a" out
'

# new_clone CONFIGURED...: of here, with more refspecs and two refs that are stale
new_clone() {
	rm -rf clone &&
	git clone -q here clone &&
	git -C clone update-ref refs/remotes/origin/stale HEAD &&
	git -C clone update-ref refs/remotes/origin/p/stale HEAD &&
	for spec
	do
		git -C clone config --add remote.origin.fetch "$spec" || return 1
	done
}

for how in 'fetch --prune' 'remote prune origin' 'remote update --prune' 'fetch --all --prune'
do
	test_expect_success "$how keeps refs that the configuration excludes" '
		new_clone ^refs/heads/main "^refs/heads/p/*" &&
		git -C clone $how &&
		git -C clone rev-parse origin/main origin/p/b origin/p/stale origin/HEAD &&
		test_must_fail git -C clone rev-parse -q --verify origin/stale
	'
done

test_expect_success 'remote show does not call it stale' '
	new_clone ^refs/heads/main &&
	git -C clone remote show origin >out &&
	test_grep "origin/stale  *stale" out &&
	test_grep ! "origin/main .*stale" out
'

test_expect_success 'fetch --prune with a negative refspec on the command line' '
	new_clone &&
	git -C clone fetch --prune origin "refs/heads/*:refs/remotes/origin/*" ^refs/heads/stale &&
	git -C clone rev-parse origin/stale &&
	test_must_fail git -C clone rev-parse -q --verify origin/p/stale
'

test_expect_success 'excluded refs come neither for the merge nor by --tags' '
	new_clone ^refs/heads/main "^refs/tags/v1" &&
	test_when_finished "git -C here tag -d v1 v2" &&
	git -C here tag v1 &&
	git -C here tag v2 &&
	git -C clone fetch --tags &&
	test_grep ! "branch .main." clone/.git/FETCH_HEAD &&
	git -C clone rev-parse v2 &&
	test_must_fail git -C clone rev-parse -q --verify v1
'

test_expect_success 'a name on the command line is put in its place also where the remote excludes it' '
	new_clone ^refs/heads/o/a &&
	git -C here update-ref refs/heads/o/a $(git -C here commit-tree -p main -m next main^{tree}) &&
	git -C clone fetch origin o/a &&
	test_cmp_rev() { test "$(git -C clone rev-parse "$1")" = "$(git -C here rev-parse "$2")"; } &&
	test_cmp_rev origin/o/a o/a
'

# ---- forced, or not ----

# turn: o/b of here becomes another history
turn() {
	git -C here update-ref refs/heads/o/b $(git -C here commit-tree -m "root $1" main^{tree})
}

test_expect_success 'a configured "+" does not force what the command line gives without one' '
	for spec in "refs/heads/*:refs/remotes/origin/*" refs/heads/o/b:refs/remotes/origin/o/b
	do
		new_clone &&
		turn "$spec" &&
		git -C clone rev-parse origin/o/b >expect &&
		test_expect_code 1 git -C clone fetch origin "$spec" 2>err &&
		test_grep "rejected.*o/b .*non-fast-forward" err &&
		git -C clone rev-parse origin/o/b >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'a "+" of --refmap, or of a later refspec, does not count' '
	new_clone &&
	turn 2 &&
	test_expect_code 1 git -C clone fetch --refmap="+refs/heads/*:refs/remotes/origin/*" origin \
		o/b:refs/remotes/origin/o/b &&
	test_expect_code 1 git -C clone fetch origin "refs/heads/*:refs/remotes/origin/*" \
		+refs/heads/o/b:refs/remotes/origin/o/b &&
	git -C clone config remote.origin.fetch "refs/heads/*:refs/remotes/origin/*" &&
	git -C clone config --add remote.origin.fetch +refs/heads/o/b:refs/remotes/origin/o/b &&
	test_expect_code 1 git -C clone fetch
'

test_expect_success 'the first one counts; each replacement has its own "+"' '
	new_clone &&
	turn 3 &&
	git -C clone fetch origin o/b &&
	git -C here rev-parse o/b >expect &&
	git -C clone rev-parse origin/o/b >actual &&
	test_cmp expect actual &&
	turn 4 &&
	git -C clone fetch origin +o/b:refs/remotes/origin/o/b "refs/heads/*:refs/remotes/origin/*" &&
	turn 5 &&
	test_expect_code 1 git -C clone fetch --refmap="refs/heads/*:refs/remotes/origin/*" origin o/b
'

test_expect_success 'each --refmap counts, an empty one alone says nowhere' '
	new_clone &&
	turn 6 &&
	git -C clone fetch --refmap="refs/heads/*:refs/a/*" --refmap="refs/heads/*:refs/b/*" --refmap= origin o/b &&
	git -C clone rev-parse refs/a/o/b refs/b/o/b
'

test_done
