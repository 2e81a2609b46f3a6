#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='each kind of root keeps its object, in each command that deletes or lists'
. "$(dirname "$0")/test-lib.sh"

blob () {
	printf '%s' "$1" | git hash-object -w --stdin
}
# commit_of TEXT: a commit that nothing names, and its file
commit_of () {
	local b && b=$(blob "$1") && tree=$(printf '100644 blob %s\tfile\n' $b | git mktree) &&
	printf 'tree %s\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\n%s\n' $tree "$1" |
	git hash-object -w -t commit --stdin
}
# begin: a copy of the first repository, which is then the current directory; $stray is an object that nothing names
begin () {
	unset GIT_INDEX_FILE
	cd "$TRASH_DIRECTORY" && rm -rf r w && cp -R source r && mkdir w && cd r && stray=$(blob stray) && c=$(commit_of held)
}
pack_all () {
	git cat-file --batch-all-objects --batch-check='%(objectname)' | git pack-objects -q .git/objects/pack/pack >/dev/null &&
	git prune-packed
}

# Each prints nothing if the object $1 counts as reachable and $stray does not.
prune_keeps () {
	git prune && git cat-file -e $1 && test_must_fail git cat-file -e $stray
}
repack_keeps () {
	pack_all && git repack -a -d -q && git cat-file -e $1 && test_must_fail git cat-file -e $stray
}
fsck_keeps () {
	git fsck --unreachable >../found 2>&1 && grep " $stray\$" ../found >/dev/null && test_must_fail grep " $1\$" ../found
}
rev_list_keeps () {
	git rev-list --objects --no-object-names --all --reflog --indexed-objects >../found && grep "^$1" ../found >/dev/null &&
	test_must_fail grep "^$stray" ../found
}

# holds WHAT COMMANDS [COMMAND...]: COMMANDS make a root that names the object $o. The commands of Git that honour it
# are all four, unless they are listed.
holds () {
	what=$1 make=$2 && shift 2
	for command in ${*:-fsck prune repack rev_list}; do
		test_expect_success "$what: $command" "
			begin && o=\$c && $make && ${command}_keeps \$o
		"
	done
}

# leaves_out WHAT COMMANDS: prune and repack honour that root alone. fsck calls the object unreachable, and rev-list does not list it.
leaves_out () {
	test_expect_success "$1 does not count: fsck and rev-list" "
		begin && o=\$c && $2 && git fsck --unreachable >../found 2>&1 && grep \" \$o\\\$\" ../found >list && test -s list &&
		git rev-list --objects --no-object-names --all --reflog --indexed-objects >../found && test_must_fail grep \"^\$o\" ../found
	"
}

# without logs
detached='update-ref --no-deref HEAD $c && git reflog drop --all'
worktree='link_worktree .git w ../w none'

test_expect_success 'a repository' '
	git init -q -b main source && cd source && git config gc.auto 0 && echo 1 >one && git add one && git commit -q -m one
'

holds 'a ref' 'git update-ref refs/x/y $c'
holds 'HEAD' "git $detached"
holds 'HEAD of another worktree' "$worktree && git -C ../w $detached"
holds 'HEAD of the main worktree, seen from another' "$worktree && git $detached && cd ../w &&
	export GIT_INDEX_FILE=none" fsck rev_list
holds 'the new value of a log' 'git update-ref --create-reflog refs/x/y $c && git update-ref refs/x/y HEAD'
holds 'the old value of a log' 'git reflog write refs/heads/main $c $(git rev-parse HEAD) x'
holds 'the log of another worktree' "$worktree && git -C ../w reflog write HEAD $ZERO_OID \$c x"
holds 'a ref of another worktree' "$worktree && git -C ../w update-ref refs/bisect/bad \$c" prune repack
for name in bisect/bad worktree/x rewritten/x; do
	leaves_out "refs/$name of another worktree" "$worktree && git -C ../w update-ref refs/$name \$c"
done
holds 'an entry of the index' 'o=$(blob entry) && git update-index --add --cacheinfo 100644,$o,new'
holds 'a cached tree' 'git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:one),dir/new && o=$(git write-tree)'
for stage in 1 2 3; do
	holds "stage $stage of a resolved conflict" 'o=$(blob side) && printf "0 %s\tone\n100644 %s '$stage'\tone\n" $ZERO_OID $o |
		git update-index --index-info && git add one'
done
holds 'the index of another worktree' "$worktree && o=\$(blob entry) &&
	GIT_INDEX_FILE=.git/worktrees/w/index git update-index --add --cacheinfo 100644,\$o,new"
holds 'the index, while GIT_INDEX_FILE names another' 'o=$(blob entry) && git update-index --add --cacheinfo 100644,$o,new &&
	export GIT_INDEX_FILE=none' prune
for name in MERGE_HEAD FETCH_HEAD; do
	holds "$name" 'echo $c >.git/'$name prune
done
for name in CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD ORIG_HEAD AUTO_MERGE MERGE_AUTOSTASH BISECT_EXPECTED_REV; do
	holds "$name" "git update-ref $name \$c" prune
done
holds 'a root ref' 'git update-ref ORIG_HEAD $c' repack
holds 'a root ref of another worktree' "$worktree && git -C ../w update-ref CHERRY_PICK_HEAD \$c" prune repack
for name in rebase-merge/autostash rebase-merge/orig-head rebase-merge/onto rebase-merge/stopped-sha rebase-merge/squash-onto \
	rebase-merge/amend rebase-merge/git-rebase-todo rebase-merge/git-rebase-todo.backup rebase-merge/done \
	rebase-merge/rewritten-list rebase-merge/rewritten-pending rebase-merge/update-refs rebase-apply/autostash \
	rebase-apply/orig-head rebase-apply/onto rebase-apply/abort-safety rebase-apply/original-commit rebase-apply/rewritten \
	sequencer/head sequencer/todo sequencer/abort-safety; do
	holds "$name" 'mkdir .git/'${name%/*}' && echo "pick $c x" >.git/'$name prune
done
leaves_out 'a root ref' 'git update-ref ORIG_HEAD $c'
leaves_out 'a root ref of another worktree' "$worktree && git -C ../w update-ref CHERRY_PICK_HEAD \$c"
leaves_out 'a file of an operation' 'mkdir .git/sequencer && echo "pick $c x" >.git/sequencer/todo'
holds 'a file of an operation' 'mkdir .git/sequencer && echo "pick $c x" >.git/sequencer/todo' repack

test_expect_success 'a directory in worktrees/ without "gitdir" is no worktree' '
	begin && eval "$worktree && git -C ../w $detached" && rm .git/worktrees/w/gitdir &&
	git rev-list --all --reflog >../found && test_must_fail grep $c ../found && git prune && test_must_fail git cat-file -e $c
'

# Reading its first byte fails with EIO.
if test -r /proc/self/mem; then
	test_expect_success REFFILES 'a log that cannot be read: fsck reports it and goes on, others stop' '
		begin && log=.git/logs/refs/heads/main && ln -sf /proc/self/mem $log && test_expect_code 8 git fsck >err 2>&1 && test_grep $log err &&
		test_grep "dangling commit $c" err && test_expect_code 128 git prune && git cat-file -e $stray &&
		test_expect_code 128 git rev-list --reflog
	'
fi

test_done
