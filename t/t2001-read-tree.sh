#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='read-tree and write-tree, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# rt ARGS: read-tree on both sides; compares output, index and work tree. Stock git regards
# racy entries as changed here, so stat data are refreshed first.
rt () {
	peers_do "stock update-index -q --refresh >/dev/null || :" &&
	peers_git read-tree "$@" && peers_same_index && same_files
}

same_files () {
	(cd theirs && find . -name .git -prune -o -type f -exec head {} + ) >files.theirs &&
	(cd ours && find . -name .git -prune -o -type f -exec head {} + ) >files.ours &&
	test_cmp files.theirs files.ours
}

# tree 'script': its id; both sides get it.
tree () {
	peers_do "export GIT_INDEX_FILE=.git/scratch; rm -f \$GIT_INDEX_FILE; $1
		stock write-tree >.git/out" >/dev/null &&
	cat ours/.git/out
}

entry () {
	echo "stock update-index --add --cacheinfo 100644,$(printf '%s\n' "$2" |
		stock -C ours hash-object --stdin),$1;"
}

test_expect_success 'set up' '
	peers_init &&
	peers_do "for i in 1 2 3 4; do echo \$i | stock hash-object -w --stdin; done >/dev/null" &&
	BASE=$(tree "$(entry same 1)$(entry ours 1)$(entry theirs 1)$(entry both 1)$(entry d/gone 1)$(entry d/x 1)") &&
	OURS=$(tree "$(entry same 1)$(entry ours 2)$(entry theirs 1)$(entry both 2)$(entry d/x 1)$(entry new 2)") &&
	THEIRS=$(tree "$(entry same 1)$(entry ours 1)$(entry theirs 3)$(entry both 3)$(entry d/gone 1)$(entry e 3)") &&
	DF=$(tree "$(entry same/sub 1)$(entry d 4)")
'

test_expect_success 'a single tree' '
	rt $OURS &&
	rt --empty &&
	rt $OURS $THEIRS &&
	rt -m $OURS &&
	rt nope &&
	rt $OURS:same
'

test_expect_success 'write-tree gives the tree back' '
	rt $OURS &&
	test "$(git -C ours write-tree)" = $OURS &&
	peers_git write-tree --prefix=d/ &&
	peers_git write-tree --prefix=d &&
	peers_git write-tree --prefix=nope &&
	rt --prefix=p/q $THEIRS &&
	peers_git write-tree &&
	peers_git write-tree --prefix=p/q/
'

test_expect_success 'write-tree remembers: it writes nothing the second time' '
	rt $OURS &&
	git -C ours update-index --add --cacheinfo 100644,$EMPTY_BLOB,d/new &&
	>ours/empty && git -C ours hash-object -w empty && rm ours/empty &&
	git -C ours write-tree >one &&
	trace_calls calls openat,rename git -C ours write-tree >two &&
	test_grep ! "O_CREAT.*objects" calls &&
	stock -C ours fsck --strict --no-dangling
'

test_expect_success 'write-tree refuses unmerged and missing' '
	peers_do "stock read-tree --empty" &&
	peers_git update-index --add --cacheinfo 100644,$EMPTY_BLOB,d/missing &&
	peers_do "find .git/objects -name \"${EMPTY_BLOB#??}\" -exec rm -f {} +" &&
	peers_git write-tree &&
	peers_git write-tree --missing-ok &&
	rt --empty &&
	rt -m $BASE $OURS $THEIRS &&
	peers_git write-tree
'

test_expect_success 'options that do not go together' '
	rt --empty &&
	rt -m && rt -u $OURS && rt -i $OURS && rt -m -u -i $OURS && rt --empty $OURS &&
	rt -m --reset $OURS && rt -m --prefix=x/ $OURS && rt --prefix=/x $OURS
'

test_expect_success '--prefix, and what it does not overwrite' '
	rt $OURS &&
	rt --prefix=foo $THEIRS &&
	rt --prefix=foo/ $THEIRS &&
	rt --prefix=bar/baz/ $THEIRS
'

test_expect_success '--index-output, -n' '
	rt $OURS &&
	rt -n $THEIRS &&
	rt -n -m $THEIRS &&
	git -C ours read-tree --index-output=.git/other $THEIRS &&
	GIT_INDEX_FILE=.git/other stock -C ours write-tree >actual &&
	echo $THEIRS >expect &&
	test_cmp expect actual &&
	peers_same_index
'

test_expect_success '-u writes, updates and removes files' '
	rt --reset -u $OURS &&
	rt -m -u $THEIRS &&
	stock -C ours status --porcelain -uno >st &&
	rt -m -u $DF &&
	rt -m -u $OURS &&
	stock -C ours diff-files --exit-code
'

test_expect_success 'local changes are not lost' '
	rt --reset -u $OURS &&
	peers_do "echo dirty >ours" &&
	rt -m -u $THEIRS &&
	rt -m $THEIRS &&
	rt -m -i $THEIRS &&
	rt --reset $OURS &&
	rt --reset -u $OURS &&
	peers_do "echo mine >e" &&
	rt -m -u $THEIRS &&
	peers_do "rm e; mkdir e; echo mine >e/f" &&
	rt -m -u $THEIRS &&
	rt --reset -u $THEIRS
'

test_expect_success 'a file where a directory is needed' '
	rt --reset -u $OURS &&
	peers_do "rm -rf d same; echo x >d; mkdir same; touch same/untracked" &&
	rt -m -u $DF &&
	rt --reset -u $OURS
'

test_expect_success 'two trees: carry forward or refuse' '
	rt --reset -u $OURS &&
	rt -m -u $OURS $THEIRS &&
	rt --reset -u $OURS &&
	peers_do "stock update-index --cacheinfo 100644,$EMPTY_BLOB,theirs" &&
	rt -m $OURS $THEIRS &&
	rt --reset $OURS $THEIRS &&
	rt --reset $OURS &&
	peers_do "stock update-index --force-remove same" &&
	rt -m -u $OURS $THEIRS &&
	rt --empty &&
	rt -m -u $OURS $THEIRS &&
	peers_do "rm -rf .git/index [a-z]*" &&
	rt -m -u $OURS $THEIRS
'

test_expect_success 'three trees' '
	for o in "" --aggressive --trivial -u -i
	do
		rt --reset -u $OURS &&
		rt -m $o $BASE $OURS $THEIRS &&
		peers_do "rm -rf e d/gone" || return 1
	done &&
	rt -m $OURS &&
	rt --reset $OURS &&
	rt -m $BASE $OURS $DF &&
	rt --reset $OURS &&
	rt -m $BASE $BASE $OURS $THEIRS
'

# Files in place of directories, and the reverse: what would be lost is reported, and nothing
# changes. Stock git loses staged changes below a directory that is removed; we refuse.
test_expect_success 'untracked files where directories and files change places' '
	rm -rf saved.ours saved.theirs base && mv ours saved.ours && mv theirs saved.theirs &&
	stock init -q -b main base && (
		cd base && mkdir -p d/e f && echo 1 >d/a && echo 1 >d/e/b && echo 1 >f/x &&
		stock add . && stock commit -q -m dirs && stock tag dirs &&
		stock rm -r -q d f && echo file >d && echo file >f && stock add . &&
		stock commit -q -m files && stock tag files
	) &&
	while read -r start script
	do
		rm -rf ours theirs && cp -a base theirs && cp -a base ours &&
		eval "peers_do \"stock checkout -q $start && $script\"" &&
		case $start in
		dirs) peers_git read-tree -m -u dirs files ;;
		*) peers_git read-tree -m -u files dirs ;;
		esac && peers_same_index &&
		(cd ours && find . -path ./.git -prune -o -print | sort) >list.ours &&
		(cd theirs && find . -path ./.git -prune -o -print | sort) >list.theirs &&
		test_cmp list.theirs list.ours || { echo "$start: $script"; return 1; }
	done <<-\EOF &&
	dirs :
	files :
	dirs echo u >d/untracked
	dirs echo mod >d/a
	dirs rm -rf d
	dirs rm -rf d && echo x >d
	files echo mod >d
	files echo mod >d && stock add d
	files rm d
	files rm d && mkdir d
	files rm d && mkdir -p d/q
	files stock rm -q --cached d
	EOF
	rm -rf ours theirs && cp -a base ours && stock -C ours checkout -q dirs &&
	echo new >ours/d/new && stock -C ours add d/new &&
	test_expect_code 128 git -C ours read-tree -m -u dirs files 2>err &&
	test_grep "Entry .d/new. would be overwritten by merge" err &&
	test_path_is_file ours/d/new &&
	rm -rf ours && mv saved.ours ours && mv saved.theirs theirs
'

test_expect_success 'cache tree: stock git trusts what we wrote' '
	rt --reset -u $OURS &&
	git -C ours read-tree $OURS &&
	stock -C ours write-tree >actual &&
	echo $OURS >expect &&
	test_cmp expect actual &&
	stock -C ours fsck --no-dangling
'

test_done
