#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='split and sparse indexes, as stock git writes them, are read; a whole index is written'
. "$(dirname "$0")/test-lib.sh"

CRAFT="python3 $TEST_DIRECTORY/craft-index.py"
export TEST_HASH
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
GIT_INDEX_VERSION=2
export GIT_INDEX_VERSION

# split_index [FAULT]: the index of repo becomes a split one
split_index () {
	rm -f repo/.git/sharedindex.* && $CRAFT split base new repo/.git repo/.git/index "$@"
}

sparse_index () {
	$CRAFT sparse whole sparse/.git/index d/ $(git -C sparse rev-parse HEAD:d) "$@"
}

whole_now () {
	! grep -qa "link\|sdir" "$1"
}

test_expect_success 'set up' '
	git init -q -b main repo && git init -q -b main sparse &&
	(cd repo && for i in $(test_seq 1 70); do echo $i >f$i || exit 1; done && git add . && git commit -qm one && cp .git/index ../base &&
	 echo new >f3 && echo mode >f70 && echo a >a && echo z >z && git rm -q f7 f68 && git add . && git ls-files -s >../expect.split &&
	 git write-tree >../expect.tree && git status --porcelain >../expect.status) &&
	cp repo/.git/index new &&
	(cd sparse && mkdir -p d/e x && for f in a d/c d/e/g x/y d.txt z; do echo $f >$f || exit 1; done && git add . && git commit -qm one &&
	 git ls-files -s >../expect.sparse && git write-tree >../expect.sparse-tree) && cp sparse/.git/index whole
'

test_expect_success 'a split index: deleted, replaced and added entries' '
	split_index && grep -qa link repo/.git/index && git -C repo ls-files -s >out && test_cmp expect.split out &&
	split_index && git -C repo status --porcelain >out && test_cmp expect.status out &&
	split_index && git -C repo diff --exit-code && git -C repo write-tree >out && test_cmp expect.tree out &&
	git -C repo diff --cached --name-status >out && test_line_count = 6 out && git -C repo fsck
'

test_expect_success 'rev-parse --shared-index-path' '
	split_index && mkdir -p repo/sub && (cd repo/sub && git rev-parse --shared-index-path && git rev-parse --path-format=absolute --shared-index-path) >out &&
	shared=$(basename repo/.git/sharedindex.*) && printf "%s\n" "../.git/$shared" "$PWD/repo/.git/$shared" | test_cmp - out &&
	rmdir repo/sub && cp new repo/.git/index && git -C repo rev-parse --shared-index-path >out && test_must_be_empty out
'

test_expect_success 'a split index whose link has no bitmaps, and no shared index' '
	split_index no-base && git -C repo ls-files -s >out && test_cmp expect.split out
'

test_expect_success 'the next command writes a whole index, and leaves the shared one' '
	split_index && git -C repo update-index --force-write-index && whole_now repo/.git/index && test -f repo/.git/sharedindex.* &&
	git -C repo ls-files -s >out && test_cmp expect.split out &&
	for c in "add f1" "commit -qm two" "checkout -q --detach HEAD" "reset -q --hard HEAD" "read-tree HEAD"; do
		split_index && (cd repo && echo more >>f1 && git $c) && whole_now repo/.git/index && git -C repo fsck || return 1
	done
'

test_expect_success 'a shared index is renewed when it is used' '
	split_index && shared=$(echo repo/.git/sharedindex.*) && touch -d "2001-02-03" $shared && git -C repo ls-files >out &&
	find $shared -newer base >out && test_line_count = 1 out
'

test_expect_success 'gc and fsck know what only the shared index names; worktrees have their own' '
	rm -f repo/.git/sharedindex.* && cp new repo/.git/index && gitdir=repo/.git/worktrees/linked &&
	link_worktree repo/.git linked linked none && git -C linked update-ref --no-deref HEAD $(git -C repo rev-parse HEAD) && git -C linked reset -q --hard &&
	echo precious >linked/staged && git -C linked add staged && cp $gitdir/index one && echo other >linked/f1 && git -C linked add f1 &&
	$CRAFT split one $gitdir/index $gitdir $gitdir/index && grep -qa link $gitdir/index && ID=$(git -C linked rev-parse :staged) &&
	git -C repo gc -q --prune=now && git -C repo cat-file -e $ID && git -C repo fsck >out 2>&1 && ! grep "dangling blob $ID" out &&
	git -C repo rev-list --objects --indexed-objects HEAD >out && grep "$ID staged" out && git -C linked diff --exit-code
'

# refused PATTERN: by each command, which leaves the index as it is
refused () {
	cp repo/.git/index before &&
	for t_command in "ls-files" "status" "add a" "write-tree" "commit -m x" "fsck" "gc -q"; do
		test_expect_code 128 git -C repo $t_command 2>err && test_grep "$1" err || { echo "$t_command" && cat err && return 1; }
		test_path_is_missing repo/.git/index.lock && cmp before repo/.git/index || return 1
	done
}

test_expect_success 'a shared index that is gone or damaged' '
	split_index && shared=$(echo repo/.git/sharedindex.*) && name=$(basename $shared) && cp $shared saved &&
	rm $shared && refused "$name.*: No such file or directory" &&
	: >$shared && refused "index file corrupt: .*$name.: smaller than expected" &&
	head -c 700 saved >$shared && refused "index file corrupt: .*$name" &&
	cp base $shared && refused "broken index, expect .* in .*$name, got " &&
	rm $shared && mkdir $shared && refused "$name" && rmdir $shared && mkfifo $shared && refused "$name" &&
	split_index split-base && refused "is split itself"
' 

test_expect_success 'a link extension that is malformed' '
	for fault in cut short garbage beyond too-many-replaced huge unsorted other-name; do
		split_index $fault && refused "index file corrupt" || return 1
	done
'

test_expect_success 'a sparse index: its files are entries that are not checked out' '
	sparse_index && git -C sparse ls-files -s >out && test_cmp expect.sparse out &&
	git -C sparse config core.sparseCheckout true && git -C sparse config core.sparseCheckoutCone true && mkdir -p sparse/.git/info &&
	printf "/*\n!/*/\n/x/\n" >sparse/.git/info/sparse-checkout && rm -r sparse/d &&
	sparse_index && git -C sparse ls-files -t >out && printf "%s\n" "H a" "H d.txt" "S d/c" "S d/e/g" "H x/y" "H z" >expect && test_cmp expect out &&
	git -C sparse status --porcelain >out && test_must_be_empty out && git -C sparse diff --exit-code HEAD &&
	sparse_index && git -C sparse write-tree >out && test_cmp expect.sparse-tree out && git -C sparse fsck && sparse_index &&
	git -C sparse rev-list --objects --indexed-objects --all >out && grep -c . out >n && echo 11 | test_cmp - n && git -C sparse gc -q --prune=now && git -C sparse fsck
'

test_expect_success 'commands work, and write a whole index' '
	for c in "add x/y" "commit -qam two" "checkout -q --detach HEAD" "reset -q --hard HEAD" "read-tree HEAD"; do
		git -C sparse reset -q --hard && git -C sparse read-tree HEAD && echo more >>sparse/x/y &&
		sparse_index && (cd sparse && git $c) && whole_now sparse/.git/index && git -C sparse ls-files d >out && test_line_count = 2 out &&
		test_path_is_missing sparse/d || return 1
	done
'

test_expect_success 'a file of a sparse directory that is there counts as checked out' '
	mkdir -p sparse/d && echo changed >sparse/d/c && sparse_index && git -C sparse status --porcelain >out && grep " M d/c" out &&
	rm -r sparse/d
'

test_expect_success 'entries of sparse directories that are malformed' '
	for fault in no-extension no-slash checked-out both; do
		sparse_index $fault && test_expect_code 128 git -C sparse status 2>err && test_grep "index file corrupt" err || return 1
	done &&
	$CRAFT sparse whole sparse/.git/index d/ $(echo "not there" | git hash-object --stdin) && test_expect_code 128 git -C sparse ls-files 2>err &&
	test_expect_code 128 git -C sparse add a && test_path_is_missing sparse/.git/index.lock
'

test_expect_success 'a tree with a name that no work tree may have' '
	git -C sparse rev-parse HEAD:a >id && python3 -c "import sys; sys.stdout.buffer.write(b'100644 .git' + bytes(1) + bytes.fromhex(open('id').read()))" >tree &&
	tree=$(git -C sparse hash-object --literally -w -t tree ../tree) && $CRAFT sparse whole sparse/.git/index d/ $tree &&
	test_expect_code 128 git -C sparse ls-files 2>err && test_grep "invalid path .d/.git." err
'

test_done
