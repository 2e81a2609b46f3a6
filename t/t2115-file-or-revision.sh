#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an argument that is a revision, a path, or both'
. "$(dirname "$0")/test-lib.sh"

both="both revision and filename"

test_expect_success 'branches, a tag and a tree with the names of files' '
	git init -q -b main repo &&
	mkdir repo/docs repo/lib repo/sub &&
	for f in docs/a lib/b sub/x file tree blob rem tg; do echo $f >repo/$f || return 1; done &&
	git -C repo add . &&
	git -C repo commit -q -m one &&
	for b in docs lib x sub/x; do git -C repo branch $b || return 1; done &&
	git -C repo tag tg &&
	git -C repo tag tree HEAD^{tree} &&
	git -C repo tag blob HEAD:file &&
	git -C repo update-ref refs/remotes/origin/rem HEAD &&
	git -C repo config remote.origin.url x &&
	git -C repo config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*"
'

# goes BRANCH ARGS: from main, the command ends on that branch
goes () {
	git -C repo checkout -q -f main -- &&
	git -C repo $2 2>err &&
	echo "refs/heads/$1" >expect &&
	git -C repo symbolic-ref HEAD >actual &&
	test_cmp expect actual
}

test_expect_success 'a branch alone is checked out, whatever files there are' '
	for o in "" -q -f -m --guess --no-guess --ignore-other-worktrees
	do
		goes docs "checkout $o docs" || return 1
	done &&
	goes b1 "checkout -b b1 docs" &&
	goes b1 "checkout -B b1 lib" &&
	goes b2 "checkout -l -b b2 docs" &&
	goes b3 "checkout --no-track -b b3 docs" &&
	goes o1 "checkout --orphan o1 docs" &&
	goes x "-C sub checkout x" &&
	goes docs "switch docs" &&
	goes b4 "switch -c b4 docs"
'

test_expect_success '--detach, tags and text of a message are no paths either' '
	for arg in "--detach docs" "-d docs" tg :/one
	do
		git -C repo checkout -q -f main -- &&
		git -C repo checkout -q $arg &&
		test_must_fail git -C repo symbolic-ref -q HEAD || return 1
	done &&
	git -C repo checkout -q main
'

test_expect_success '- goes back to a branch that has the name of a directory' '
	git -C repo checkout -q docs &&
	git -C repo checkout -q main &&
	git -C repo checkout -q - &&
	test "$(git -C repo symbolic-ref --short HEAD)" = docs &&
	git -C repo checkout -q main
'

test_expect_success 'with further arguments the file name is looked at' '
	for args in "docs lib" "-f docs docs" "docs nofile" "tree file"
	do
		test_expect_code 128 git -C repo checkout $args 2>err &&
		test_grep "$both" err || return 1
	done &&
	git -C repo checkout :/one docs &&
	git -C repo checkout main docs &&
	git -C repo checkout docs -- lib
'

test_expect_success 'a branch of a remote is not guessed beside a file, but by switch' '
	test_expect_code 128 git -C repo checkout rem 2>err &&
	test_grep "could be both a local file and a tracking branch" err &&
	goes rem "switch rem" &&
	git -C repo checkout -q main
'

test_expect_success 'an object that is no commit cannot be switched to' '
	test_expect_code 128 git -C repo checkout tree 2>err &&
	test_grep "Cannot switch branch to a non-commit .tree" err &&
	for c in checkout "checkout -b n9" switch
	do
		test_expect_code 128 git -C repo $c blob 2>err &&
		test_grep "unable to read tree ($(git -C repo rev-parse HEAD:file))" err || return 1
	done
'

test_expect_success '@ is HEAD' '
	git -C repo checkout @ 2>err &&
	test_must_be_empty err &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/main &&
	git -C repo checkout -q -b at @ &&
	git -C repo reflog at >out &&
	test_grep "Created from HEAD" out &&
	git -C repo checkout -q main
'

test_expect_success '--detach tells which path it does not take' '
	test_expect_code 128 git -C repo checkout --detach nope 2>err &&
	test_grep "git checkout: --detach does not take a path argument .nope" err
'

test_expect_success 'reset takes no name that is both' '
	for args in docs tree blob "--hard docs" "docs lib" "--hard tree"
	do
		test_expect_code 128 git -C repo reset $args 2>err &&
		test_grep "$both" err || return 1
	done &&
	git -C repo reset -q main docs &&
	git -C repo reset -q docs -- &&
	test_expect_code 128 git -C repo reset :docs 2>err &&
	test_grep "path .docs. exists on disk, but not in the index" err &&
	test_expect_code 128 git -C repo reset HEAD:docs 2>err &&
	test_grep "Could not parse object .HEAD:docs" err
'

test_expect_success 'a negated revision is looked at, too' '
	for c in "log ^docs" "log ^docs main" "rev-list --not docs" "log docs^!" "log docs"
	do
		test_expect_code 128 git -C repo $c 2>err &&
		test_grep "ambiguous argument .docs.: $both" err || return 1
	done &&
	git -C repo log docs..main &&
	git -C repo log docs^0
'

# path ARG: log, rev-parse and reset take it for a path; no_path: none of them does
path () {
	git -C repo $2 log -1 "$1" >/dev/null &&
	git -C repo $2 rev-parse "$1" >/dev/null &&
	git -C repo $2 reset -q "$1"
}
no_path () {
	for c in log rev-parse reset
	do
		test_expect_code 128 git -C repo $2 $c "$1" 2>err &&
		test_grep "unknown revision or path" err || return 1
	done
}

test_expect_success 'short magic names a path only if it is there' '
	path :/docs &&
	path :/docs "-C sub" &&
	path ":!docs" &&
	path ":^x" "-C sub" &&
	path :/ &&
	path ":(exclude)zzz" &&
	path "zz*" &&
	no_path ":!zzz" &&
	no_path ":^zzz" &&
	no_path ":!(glob)docs" &&
	no_path ":/zzz" &&
	no_path ":!docs" "-C sub" &&
	no_path "zz\\*" &&
	no_path :
'

test_done
