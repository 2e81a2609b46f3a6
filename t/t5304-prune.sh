#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='prune: what goes, what stays, and beside others

Each root of reachability has a test that holds one object by it alone.'
. "$(dirname "$0")/test-lib.sh"

# where OID: its loose file
where () {
	echo ".git/objects/$(echo "$1" | sed "s|^..|&/|")"
}

# age SECONDS OID...
age () {
	local s=$1
	shift
	for oid; do
		touch -d "@$(($(date +%s) - s))" "$(where "$oid")" || return
	done
}

blob () {
	echo "$*" | git hash-object -w --stdin
}

# A commit of its own file that nothing names.
commit_of () {
	local b t
	b=$(blob "in commit $1") && t=$(printf "100644 blob $b\tfile\n" | git mktree) &&
	echo "$1" | git commit-tree $t
}

has () {
	for oid; do test_path_is_file "$(where "$oid")" || return; done
}

has_not () {
	for oid; do test_path_is_missing "$(where "$oid")" || return; done
}

test_expect_success 'setup' '
	git init -q repo && cd repo &&
	test_commit -C . one && test_commit -C . two &&
	find .git/objects -type f | sort >../kept && cd .. &&
	cp -a repo template
'

# begin: a fresh copy as the current directory; `stray` is an object that nothing names
begin () {
	cd "$TRASH_DIRECTORY" && rm -rf repo && cp -a template repo && cd repo && stray=$(blob stray)
}

test_expect_success 'prune removes unreachable objects and keeps all others' '
	begin && git prune && has_not $stray &&
	find .git/objects -type f | sort >../after && test_cmp ../kept ../after &&
	test_path_is_missing .git/objects/$(echo $stray | cut -c1-2)
'

test_expect_success '-n tells and removes nothing; -v tells and removes' '
	begin && c=$(commit_of x) && t=$(git rev-parse $c^{tree}) && f=$(git rev-parse $c:file) &&
	printf "%s\n" "$stray blob" "$c commit" "$t tree" "$f blob" | sort >want &&
	git prune -n >out && test_cmp want out && has $stray $c $t $f &&
	git prune -v >out && test_cmp want out && has_not $stray $c $t $f &&
	git prune -v >out && test_must_be_empty out
'

test_expect_success '-n tells of loose objects that are packed, too' '
	begin && f=$(git rev-parse HEAD^{tree}) && echo $f | git pack-objects -q .git/objects/pack/pack && git prune -n >out && test_path_is_file "$(where $f)" &&
	{ echo "$stray blob" && echo "rm -f $(where $f)"; } >want && test_cmp want out && git prune && test_path_is_missing "$(where $f)" && git cat-file -e $f
'

test_expect_success '--expire: the age of the file counts; never and now' '
	begin && old=$(blob old) && age 200000 $old && age 50000 $stray &&
	git prune --expire=never && has $old $stray &&
	git prune --expire=1.day.ago && has $stray && has_not $old &&
	git prune --expire=now && has_not $stray &&
	test_expect_code 128 git prune --expire=nonsense 2>err && test_grep "malformed expiration date .nonsense." err
'

test_expect_success 'prune keeps old objects that a recent object names' '
	begin && c=$(commit_of x) && t=$(git rev-parse $c^{tree}) && f=$(git rev-parse $c:file) &&
	age 200000 $t $f $stray && git prune --expire=1.day.ago && has $c $t $f && has_not $stray &&
	age 200000 $c && git prune --expire=1.day.ago && has_not $c $t $f
'

test_expect_success '... also from a pack that is recent, with holes in its history' '
	begin && c=$(commit_of x) && t=$(git rev-parse $c^{tree}) && f=$(git rev-parse $c:file) &&
	p=$(echo $c | git pack-objects .git/objects/pack/pack) && rm -f "$(where $c)" &&
	age 200000 $t $f && git prune --expire=1.day.ago && has $t $f &&
	rm -f "$(where $f)" && git prune --expire=1.day.ago && has $t &&
	touch -d "2 days ago" .git/objects/pack/pack-$p.pack && git prune --expire=1.day.ago && has_not $t
'

test_expect_success 'heads that are named are kept with what they lead to' '
	begin && c=$(commit_of x) && f=$(git rev-parse $c:file) &&
	git prune -- $c && has $c $f && has_not $stray &&
	test_expect_code 128 git prune nonsense 2>err && test_grep "unrecognized argument: nonsense" err && has $c &&
	test_expect_code 129 git prune --no-such-option 2>err
'

# holds WHAT COMMANDS: after the commands, which can use $c, prune keeps the commit $c and its file
holds () {
	test_expect_success "held by $1" "
		begin && c=\$(commit_of x) && f=\$(git rev-parse \$c:file) && $2 &&
		git prune && has \$c \$f && has_not \$stray
	"
}

holds 'a branch' 'git update-ref refs/heads/b $c'
holds 'a packed ref' 'git update-ref refs/heads/b $c && git pack-refs --all'
holds 'a ref anywhere' 'git update-ref refs/x/y $c'
holds 'HEAD alone' 'git update-ref --no-deref HEAD $c && git reflog drop --all'
holds 'a tag object' 't=$(printf "object $c\ntype commit\ntag t\ntagger a <a> 1 +0000\n\n" | git mktag) &&
	git update-ref refs/tags/t $t && has $t'
holds 'a reflog, as the new value' 'git update-ref --create-reflog refs/x/y $c && git update-ref refs/x/y HEAD'
holds 'the log of a ref that is gone' 'git reflog write refs/z/z $ZERO_OID $c x && ref_missing . refs/z/z'
holds 'MERGE_HEAD' 'echo $c >.git/MERGE_HEAD'
holds 'ORIG_HEAD' 'git update-ref ORIG_HEAD $c'
holds 'FETCH_HEAD' 'printf "$c\tnot-for-merge\tbranch x of y\n" >.git/FETCH_HEAD'
holds 'AUTO_MERGE' 'git update-ref AUTO_MERGE $c'
holds 'the autostash of a rebase' 'mkdir .git/rebase-merge && echo $c >.git/rebase-merge/autostash'
holds 'the plan of a rebase' 'mkdir .git/rebase-merge && echo "pick $c x" >.git/rebase-merge/git-rebase-todo'
holds 'a series of cherry-picks' 'mkdir .git/sequencer && echo "pick $c x" >.git/sequencer/todo'
holds 'a bisection' 'git update-ref refs/bisect/bad $c'
holds 'the hook for recent objects' 'git config --add gc.recentObjectsHook "echo $ZERO_OID" &&
	git config --add gc.recentObjectsHook "echo $c"'

worktree='link_worktree .git w ../w none'

holds 'the HEAD of another worktree' "$worktree && git -C ../w update-ref --no-deref HEAD \$c && git reflog drop --all"
holds 'the reflog of another worktree' "$worktree && git -C ../w reflog write HEAD $ZERO_OID \$c x"
holds 'a bisection in another worktree' "$worktree && git -C ../w update-ref refs/bisect/bad \$c"
holds 'CHERRY_PICK_HEAD of another worktree' "$worktree && git -C ../w update-ref CHERRY_PICK_HEAD \$c"

test_expect_success 'held by the index: an entry, a cached tree, the stages of a resolved conflict' '
	begin && echo staged >staged && git add staged && b=$(git rev-parse :staged) &&
	git prune && has $b &&
	t=$(git write-tree) && has $t && git prune && has $t $b &&
	m=$(blob mine) && y=$(blob yours) && a=$(blob ancestor) && r=$(blob resolution) &&
	printf "%s\n" "100644 $a 1	file" "100644 $m 2	file" "100644 $y 3	file" | git update-index --index-info &&
	git prune && has $a $m $y && has_not $r &&
	echo resolved >file && git add file && git prune && has $a $m $y
'

test_expect_success 'held by the index of another worktree' '
	begin && eval "$worktree" && b=$(blob elsewhere) &&
	GIT_INDEX_FILE=.git/worktrees/w/index git update-index --add --cacheinfo 100644,$b,there &&
	git prune && has $b && has_not $stray &&
	rm .git/worktrees/w/index && git prune && has_not $b
'

test_expect_success 'an entry of the index whose object is missing does no harm' '
	begin && echo x >new && git add -N new &&
	git update-index --add --cacheinfo 100644,$(echo nowhere | git hash-object --stdin),x &&
	git prune && has_not $stray
'

# ---- nothing is deleted ----------------------------------------------------

# refuses PATTERN: prune fails and says so, and the stray object is there
refuses () {
	age 200000 $stray && test_expect_code 128 git prune 2>err && test_grep "$1" err && has $stray
}

test_expect_success 'a missing commit, tree or blob that is reachable stops it' '
	for what in HEAD~ HEAD^{tree} HEAD:two.t; do
		begin && oid=$(git rev-parse $what) && rm -f "$(where $oid)" "$PWD/.git/index" && refuses $oid || return
	done
'

test_expect_success 'a damaged one, too' '
	for what in HEAD~ HEAD^{tree}; do
		begin && oid=$(git rev-parse $what) && rm -f "$PWD/.git/index" && chmod u+w "$(where $oid)" &&
		echo garbage >"$(where $oid)" && refuses $oid || return
	done
'

test_expect_success 'refs, HEADs and indexes that cannot be read' '
	if test_have_prereq REFFILES; then
		begin && echo garbage >.git/refs/heads/bad && refuses refs/heads/bad &&
		begin && echo $ZERO_OID >.git/refs/heads/bad && refuses refs/heads/bad
	else
		begin && table=$(echo .git/reftable/*.ref) && echo garbage >"$table" && refuses "$table"
	fi &&
	begin && lost=$(lost_ref . refs/heads/bad) && refuses $lost &&
	begin && echo garbage >.git/index && refuses index &&
	begin && eval "$worktree" && echo garbage >.git/worktrees/w/index && refuses worktrees/w/index
'

test_expect_success 'a symbolic ref to nothing and an unborn branch do no harm' '
	begin && git symbolic-ref refs/remotes/o/HEAD refs/remotes/o/none && git prune && has_not $stray &&
	git symbolic-ref HEAD refs/heads/unborn && git prune && git rev-parse main~ master~ 2>/dev/null | grep . &&
	rm -rf ../fresh && git init -q ../fresh && git -C ../fresh prune
'

test_expect_success 'extensions.preciousObjects' '
	begin && git config extensions.preciousObjects true && refuses "cannot prune in a precious-objects repo"
'

test_expect_success 'a hook for recent objects that fails, or prints something else' '
	begin && git config gc.recentObjectsHook false && refuses "has failed" &&
	git config gc.recentObjectsHook "echo words" && refuses "invalid extra cruft tip"
'

# ---- others ----------------------------------------------------------------

# The hook of refs waits as long as there is a file "wait".
slow_hook () {
	write_script .git/hooks/reference-transaction <<-\EOS &&
	test "$1" = prepared || exit 0
	exec <&-
	>../asked
	while test -f ../wait; do sleep 0.05; done
	EOS
	rm -f ../asked && >../wait
}

await_hook () {
	while ! test -f ../asked; do sleep 0.05; done
}

test_expect_success 'prune keeps objects that a running commit has written or found' '
	begin && found=$(blob found) && age 200000 $found $stray && slow_hook &&
	echo found >two.t && echo written >one.t && { git commit -q -a -m both & pid=$!; } && await_hook &&
	test_must_fail git cat-file -e HEAD:nothing && git prune --expire=now && has_not $stray &&
	rm ../wait && wait $pid && git fsck --strict &&
	test "$(git cat-file blob HEAD:two.t)" = found && test "$(git cat-file blob HEAD:one.t)" = written
'

test_expect_success 'one that is touched meanwhile comes back' '
	begin && other=$(blob other) && age 200000 $stray $other &&
	git config gc.recentObjectsHook "touch $(where $stray); true" && git prune && has $stray && has_not $other &&
	test "$(git cat-file blob $stray)" = stray && find .git -name "*tmp_*" >left && test_must_be_empty left
'

test_expect_success 'one that is named meanwhile stays' '
	begin && c=$(commit_of x) && f=$(git rev-parse $c:file) && d=$(commit_of y) && age 200000 $c $f $d &&
	git config gc.recentObjectsHook "git update-ref refs/heads/late $c; echo $d >.git/MERGE_HEAD" &&
	git prune && has $c $f $d && has_not $stray
'

test_expect_success 'temporary files that are younger than a running process stay' '
	begin && slow_hook && { git update-ref refs/heads/slow HEAD & pid=$!; } && await_hook &&
	>.git/objects/tmp_obj_AAAAAA && >.git/objects/pack/tmp_pack_AAAAAA &&
	git prune && test_path_is_file .git/objects/tmp_obj_AAAAAA &&
	test_path_is_file .git/objects/pack/tmp_pack_AAAAAA &&
	rm ../wait && wait $pid
'

test_expect_success 'temporary files of dead processes, and old ones, go' '
	begin && mkdir -p .git/objects/ab .git/objects/tmp_objdir-incoming-abcdef/ab &&
	echo x >.git/objects/tmp_objdir-incoming-abcdef/ab/cd && echo x >.git/objects/tmp_1.pack &&
	echo x >.git/objects/pack/tmp_idx_x && echo x >.git/objects/ab/tmp_obj_x && echo x >.git/objects/pack/tmp_young &&
	find .git/objects -name "*tmp_*" ! -name tmp_young -exec touch -d "2 days ago" {} + &&
	touch -d "2 days ago" .git/objects/tmp_objdir-incoming-abcdef/ab &&
	git prune >out && test_must_be_empty out &&
	test_path_is_file .git/objects/tmp_objdir-incoming-abcdef/ab/cd &&
	touch -d "2 days ago" .git/objects/tmp_objdir-incoming-abcdef/ab/cd .git/objects/tmp_objdir-incoming-abcdef/ab &&
	touch -d "2 days ago" .git/objects/tmp_objdir-incoming-abcdef &&
	git prune -n >out && test_grep "stale temporary directory .*tmp_objdir-incoming-abcdef" out &&
	git prune && find .git -name "*tmp_*" >left && echo .git/objects/pack/tmp_young >want && test_cmp want left
'

test_expect_success 'prune reports foreign files and leaves them' '
	begin && mkdir -p .git/objects/ab && echo x >.git/objects/ab/odd && git prune 2>err &&
	test_grep "bad sha1 file: .*ab/odd" err && test_path_is_file .git/objects/ab/odd
'

# ---- shallow ---------------------------------------------------------------

test_expect_success 'shallow loses lines of commits that are not reachable; without a line it goes' '
	begin && git reflog drop --all && c=$(commit_of old) && d=$(echo cut | git commit-tree -p $c "$c^{tree}") &&
	git rev-parse HEAD >.git/shallow && echo $d >>.git/shallow && cp .git/shallow ../both &&
	git prune -n >out && test_grep "Removing $d from .git/shallow" out && test_cmp ../both .git/shallow &&
	git prune && git rev-parse HEAD >want && test_cmp want .git/shallow && has_not $d $c &&
	test_must_fail git cat-file -e HEAD~ && git log --oneline &&
	begin && c=$(commit_of old) && echo $c >.git/shallow && git prune && test_path_is_missing .git/shallow
'

# ---- borrowers -------------------------------------------------------------

test_expect_success 'prune keeps the objects of a borrower that is one of our alternates' '
	begin && c=$(commit_of x) && f=$(git rev-parse $c:file) && s=$(blob "staged there") &&
	rm -rf ../fork && git init -q ../fork && echo "$PWD/.git/objects" >../fork/.git/objects/info/alternates &&
	git -C ../fork update-ref refs/heads/b $c &&
	git -C ../fork update-index --add --cacheinfo 100644,$s,there &&
	git prune -n >out && test_grep "^$c " out &&
	echo "$TRASH_DIRECTORY/fork/.git/objects" >.git/objects/info/alternates &&
	git config core.alternateRefsPrefixes refs/tags/ &&
	git prune && has $c $f $s && has_not $stray &&
	git -C ../fork fsck
'

test_expect_success '... and what core.alternateRefsCommand says that it holds; one that fails stops it' '
	begin && c=$(commit_of x) && f=$(git rev-parse $c:file) &&
	rm -rf ../fork && git init -q ../fork && echo "$PWD/.git/objects" >../fork/.git/objects/info/alternates &&
	echo "$TRASH_DIRECTORY/fork/.git/objects" >.git/objects/info/alternates &&
	git config core.alternateRefsCommand "false" && refuses "core.alternateRefsCommand has failed" &&
	git config core.alternateRefsCommand "echo $c; :" && git prune && has $c $f && has_not $stray &&
	git config core.alternateRefsCommand true && git prune && has_not $c $f
'

test_expect_success 'an alternate that does not borrow is not asked' '
	begin && rm -rf ../fork && git init -q ../fork &&
	echo "$TRASH_DIRECTORY/fork/.git/objects" >.git/objects/info/alternates &&
	git config core.alternateRefsCommand "false" && git prune && has_not $stray
'

# ---- with bitmaps ----------------------------------------------------------

test_expect_success 'the same by bitmaps, with objects that no bitmap knows' '
	begin && git rev-parse HEAD | git pack-objects --revs --write-bitmap-index .git/objects/pack/pack >/dev/null &&
	git rev-list --objects HEAD | cut -d" " -f1 | while read -r oid; do rm -f "$(where $oid)"; done &&
	c=$(echo above | git commit-tree -p HEAD "HEAD^{tree}") && git update-ref refs/heads/above $c &&
	d=$(commit_of x) && f=$(git rev-parse $d:file) && git prune && has $c && has_not $d $f $stray && git fsck
'

test_expect_success 'loose objects that are in packs go as well' '
	rm -rf twice && git init -q twice && cd twice && echo x >f && git add f && git commit -q -m x && git repack -q -a && git count-objects >out && test_grep "^3 objects" out &&
	git prune && test "$(git count-objects)" = "0 objects, 0 kilobytes" && git fsck --strict
'

test_done
