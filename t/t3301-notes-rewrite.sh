#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='notes go with a commit that commit --amend rewrites'
. "$(dirname "$0")/test-lib.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
GIT_TEST_FS_KIND=journal
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE GIT_TEST_FS_KIND
SQ="'"
unset GIT_NOTES_REWRITE_REF GIT_NOTES_REWRITE_MODE

# note REF OBJECT TEXT...: the notes of REF are this one, and the older ones.
note () {
	local ref=refs/notes/$1 oid blob tree parent
	oid=$(git rev-parse "$2") && blob=$(printf "%s\n" "$3" | git hash-object -w --stdin) || return
	parent=$(git rev-parse -q --verify $ref)
	tree=$({ test -z "$parent" || git ls-tree $ref | grep -v "$oid"
		printf "100644 blob %s\t%s\n" $blob $oid; } | git mktree) &&
	git update-ref $ref $(git commit-tree ${parent:+-p $parent} -m "by hand" $tree)
}

# show REF [COMMIT]: the text of the note
show () {
	git log --no-walk --notes=$1 --format=%N ${2:-HEAD} | sed '$d'
}

# will_be ARGS...: the name that `amend ARGS` is going to give
will_be () {
	rm -rf guess && cp -a .git guess &&
	GIT_NOTES_REWRITE_REF= git --git-dir=guess --work-tree=. amend "$@" &&
	git --git-dir=guess rev-parse HEAD
}

notes_are () {
	show "$1" >shown && shift && if test $# -gt 0; then printf "%s\n" "$@"; fi >expect &&
	test_cmp expect shown
}

test_expect_success 'set up' '
	git init -q -b main && echo 1 >a && git add a && git commit -q -m one &&
	git config alias.amend "commit -q --allow-empty --amend" &&
	git config bulkCheckin.unpackLimit 100000
'

test_expect_success 'none are copied unless notes.rewriteRef names them' '
	note commits HEAD old && note other HEAD other &&
	git amend -m two && notes_are commits && notes_are other &&
	note commits HEAD old && note other HEAD other &&
	git -c notes.rewriteRef=refs/notes/commits amend -m three &&
	notes_are commits old && notes_are other
'

test_expect_success 'the commit of notes, its message, author and reflog' '
	git log -1 --format="%s|%an <%ae> %at|%cn <%ce> %ct|%b" refs/notes/commits >out &&
	echo "Notes added by ${SQ}git commit --amend${SQ}|Ada Author <ada@example.com> 1700000000|Carl Committer <carl@example.com> 1700000100|" \
		>expect && test_cmp expect out &&
	git cat-file commit refs/notes/commits | sed -n "/^$/,\$p" >out &&
	printf "\nNotes added by %s\n" "${SQ}git commit --amend${SQ}" >expect &&
	test_cmp expect out &&
	git log -g -1 --format=%gs refs/notes/commits >out &&
	echo "notes: Notes added by ${SQ}git commit --amend${SQ}" >expect &&
	test_cmp expect out && test "$(git log --format=%s refs/notes/commits^ -1)" = "by hand" &&
	git amend -m x --author "Other <o@x>" && note commits HEAD old &&
	git -c notes.rewriteRef=refs/notes/commits amend -m y &&
	test "$(git log -1 --format=%an refs/notes/commits)" = Other &&
	git amend -m z --reset-author
'

test_expect_success 'patterns, several values, one ref by two ways' '
	note commits HEAD old && note other HEAD other &&
	git -c "notes.rewriteRef=refs/notes/*" amend -m four &&
	notes_are commits old && notes_are other other &&
	git symbolic-ref refs/notes/sym refs/notes/commits && test_when_finished "
		git symbolic-ref -d refs/notes/sym" &&
	test_config notes.rewriteRef refs/notes/other && test_config notes.rewriteMode cat_sort_uniq &&
	git config --add notes.rewriteRef refs/notes/sym &&
	git config --add notes.rewriteRef "refs/notes/c*" &&
	note commits $(will_be -m five) new &&
	git amend -m five && notes_are commits new old && notes_are other other &&
	git symbolic-ref refs/notes/sym
'

test_expect_success 'not with notes.rewrite.amend=false, --no-post-rewrite, or a new commit' '
	test_config notes.rewriteRef "refs/notes/*" &&
	git -c notes.rewrite.amend=false amend -m six && notes_are commits &&
	note commits HEAD old && git -c notes.rewrite.amend amend -m seven &&
	notes_are commits old &&
	git amend --no-post-rewrite -m eight && notes_are commits &&
	note commits HEAD old && git commit -q --allow-empty -m nine && notes_are commits
'

test_expect_success 'a bad boolean, or no value, is fatal before anything is changed' '
	note commits HEAD old && git rev-parse HEAD refs/notes/commits >before &&
	for bad in notes.rewrite.amend=junk notes.rewriteRef notes.rewriteMode
	do
		test_expect_code 128 git -c "notes.rewriteRef=refs/notes/*" -c $bad amend \
			-m ten 2>err &&
		git rev-parse HEAD refs/notes/commits >after && test_cmp before after ||
		return 1
	done &&
	test_expect_code 128 git -c notes.rewrite.amend=junk amend -m ten 2>err &&
	echo "fatal: bad boolean config value ${SQ}junk${SQ} for ${SQ}notes.rewrite.amend${SQ}" >expect &&
	test_cmp expect err &&
	for bad in notes.rewrite.amend=junk notes.rewriteRef notes.rewriteMode
	do
		git -c $bad amend --no-post-rewrite -m ten &&
		git -c $bad commit -q --allow-empty -m eleven || return 1
	done
'

test_expect_success 'refs that are refused, or not there' '
	note commits HEAD old && git update-ref refs/heads/notes refs/notes/commits &&
	git -c "notes.rewriteRef=refs/heads/*" -c notes.rewriteRef=commits -c notes.rewriteRef= \
		-c notes.rewriteRef=refs/notes/none -c "notes.rewriteRef=refs/notes/none*" \
		amend -m ten 2>err &&
	cat >expect <<-\EOF &&
	warning: Refusing to rewrite notes in refs/heads/* (outside of refs/notes/)
	warning: Refusing to rewrite notes in commits (outside of refs/notes/)
	warning: Refusing to rewrite notes in  (outside of refs/notes/)
	warning: notes ref refs/notes/none is invalid
	EOF
	test_cmp expect err && notes_are commits &&
	test "$(git rev-parse notes)" = "$(git rev-parse refs/notes/commits)"
'

test_expect_success 'the modes' '
	test_config notes.rewriteRef refs/notes/commits && i=0 &&
	while IFS="|" read -r mode expect
	do
		i=$((i + 1)) && new=$(will_be -m "mode $i") &&
		note commits HEAD "$(printf "old\n\nc\na")" && note commits $new "$(printf "new\nc")" &&
		git ${mode:+-c notes.rewriteMode=$mode} amend -m "mode $i" 2>err &&
		test $new = $(git rev-parse HEAD) && show commits | tr "\n" . >shown &&
		test "$expect" = "$(cat shown)" && cat err || return 1
	done >out <<-\EOF &&
	|new.c..old..c.a.
	concatenate|new.c..old..c.a.
	Overwrite|old..c.a.
	cat_sort_uniq|a.c.new.old.
	ignore|new.c.
	junk|new.c.
	EOF
	echo "error: Bad notes.rewriteMode value: ${SQ}junk${SQ}" >expect &&
	test_cmp expect out
'

test_expect_success 'one note alone, or the same twice' '
	test_config notes.rewriteRef refs/notes/commits &&
	for mode in concatenate overwrite cat_sort_uniq ignore
	do
		test_config notes.rewriteMode $mode && note commits HEAD "$(printf "b\n\na")" &&
		git amend -m "alone $mode" && notes_are commits b "" a &&
		git amend -m "alone $mode" && notes_are commits b "" a &&
		git amend --no-post-rewrite -m "other $mode" &&
		note commits $(will_be -m "target $mode") "$(printf "d\n\nc")" &&
		git amend -m "target $mode" &&
		if test $mode = overwrite
		then
			notes_are commits
		elif test $mode = cat_sort_uniq
		then
			notes_are commits c d
		else
			notes_are commits d "" c
		fi || return 1
	done
'

test_expect_success 'a note without a newline at its end, and an empty one' '
	test_config notes.rewriteRef refs/notes/bytes &&
	a=$(printf a | git hash-object -w --stdin) && b=$(printf b | git hash-object -w --stdin) &&
	e=$(git hash-object -w --stdin </dev/null) &&
	for pair in $a:$b $e:$b $a:$e
	do
		new=$(will_be -m "pair $pair") &&
		tree=$(printf "100644 blob %s\t%s\n" ${pair#*:} $(git rev-parse HEAD) ${pair%:*} $new |
			git mktree) &&
		git update-ref refs/notes/bytes $(git commit-tree -m x $tree) &&
		git amend -m "pair $pair" &&
		git cat-file blob refs/notes/bytes:$(git rev-parse HEAD) && echo . || return 1
	done >out &&
	printf "a\n\nb.\nb.\na.\n" >expect && test_cmp expect out &&
	git update-ref -d refs/notes/bytes
'

test_expect_success 'the environment comes before the configuration' '
	test_config notes.rewriteRef refs/notes/commits && test_config notes.rewriteMode junk &&
	note commits HEAD old && note other HEAD other &&
	GIT_NOTES_REWRITE_MODE=concatenate GIT_NOTES_REWRITE_REF=refs/notes/other:refs/notes/none \
		git amend -m env1 2>err &&
	echo "warning: notes ref refs/notes/none is invalid" >expect && test_cmp expect err &&
	notes_are commits && notes_are other other &&
	GIT_NOTES_REWRITE_MODE=concatenate GIT_NOTES_REWRITE_REF= git amend -m env2 2>err &&
	test_must_be_empty err && notes_are other &&
	note commits HEAD old && note other HEAD other &&
	GIT_NOTES_REWRITE_MODE=bad GIT_NOTES_REWRITE_REF="::refs/notes/o*:refs/notes/commits" \
		git amend -m env3 2>err &&
	echo "error: Bad GIT_NOTES_REWRITE_MODE value: ${SQ}bad${SQ}" >expect &&
	test_cmp expect err && notes_are commits old && notes_are other other &&
	test_must_fail env GIT_NOTES_REWRITE_MODE=ignore GIT_NOTES_REWRITE_REF=notes/commits \
		git amend -m env4 2>err &&
	echo "fatal: Cannot use notes ref notes/commits" >expect && test_cmp expect err &&
	test "$(git log -1 --format=%s)" = env3
'

# ---- trees ----

# fill N SUFFIX DIR...: N notes, with first digits in turn, in directories of so many pairs of digits
fill () {
	git rev-parse HEAD >head && perl -e "$FILL" "$1" "$2" $BLOB $OID_HEXLEN $(cat head) |
	git update-index --index-info
}
FILL='
	my ($n, $dirs, $blob, $len, $head) = @ARGV;
	for my $i (0 .. $n - 1, -1) {
		my $name = $i < 0 ? $head : sprintf("%x%x%0*x", $i % 16, int($i / 16) % 16, $len - 2, $i + 1);
		my $path = "";
		$path .= substr($name, 0, 2, "") . "/" for 1 .. $dirs;
		print "100644 $blob\t$path$name\n";
	}
'
# notes_tree: what the index of notes-index holds becomes the notes of refs/notes/big
notes_tree () {
	git update-ref refs/notes/big $(git commit-tree -m big $(git write-tree))
}
with_notes_index () {
	rm -f notes-index && GIT_INDEX_FILE=notes-index && export GIT_INDEX_FILE && "$@" &&
	unset GIT_INDEX_FILE
}
fill_big () {
	BLOB=$(git hash-object -w a) && with_notes_index fill_and_more "$@"
}
fill_and_more () {
	fill "$1" "$2" && if test $# -gt 2; then
		printf "$3" | sed "s/BLOB/$BLOB/" | git update-index --index-info
	fi && notes_tree
}
shape () {
	git ls-tree -r --name-only refs/notes/big >names &&
	grep -c "^[0-9a-f]\{$OID_HEXLEN\}$" names
	grep -c "^../[0-9a-f]*$" names
	grep -c "^../../[0-9a-f]*$" names
}
shape_is () {
	printf "%s\n" "$@" >expect && shape >out
	test_cmp expect out
}

test_lazy_prereq PERL 'perl -e 1'

test_expect_success PERL 'many notes in one tree get directories' '
	test_config notes.rewriteRef refs/notes/big &&
	fill_big 700 0 && shape_is 701 0 0 && git amend -m big1 && shape_is 0 702 0 &&
	git fsck --no-dangling && test "$(show big)" = 1 &&
	test "$(git log -1 --format=%N --notes=big $(cat head))" = 1
'

test_expect_success PERL 'few notes in directories lose them' '
	test_config notes.rewriteRef refs/notes/big &&
	for dirs in 1 2
	do
		fill_big 15 $dirs && git amend -m "few $dirs" && shape_is 17 0 0 &&
		git ls-tree refs/notes/big >out && test_line_count = 17 out || return 1
	done
'

test_expect_success PERL 'two notes for each first digit, or a directory that was not read' '
	test_config notes.rewriteRef refs/notes/big &&
	fill_big 16 0 && git amend -m "one each" && shape_is 18 0 0 &&
	fill_big 32 0 && git amend -m "two each" && shape_is 0 34 0 &&
	fill_big 16 1 && git amend -m "a directory each" && shape_is 0 18 0
'

test_expect_success PERL 'each directory that was read is looked at by itself' '
	test_config notes.rewriteRef refs/notes/big &&
	fill_big 700 2 && git amend -m "two levels" && shape >out &&
	for oid in $(cat head) $(git rev-parse HEAD)
	do
		test_grep "^$(echo $oid | sed "s/^../&\//")$" names || return 1
	done &&
	test_grep "^../../" names && git fsck --no-dangling
'

test_expect_success PERL 'only directories on the way are read and written' '
	test_config notes.rewriteRef refs/notes/big &&
	fill_big 2000 1 && git ls-tree refs/notes/big >before &&
	new=$(will_be -m big4) && old=$(git rev-parse HEAD) &&
	unused=$(git ls-tree refs/notes/big | grep -v -e "	$(echo $old | cut -c1-2)$" \
		-e "	$(echo $new | cut -c1-2)$" | sed -n "5s/.* \(.*\)	.*/\1/p") &&
	file=.git/objects/$(echo $unused | sed "s/^../&\//") && mv $file kept &&
	git amend -m big4 && mv kept $file && git fsck --no-dangling &&
	git ls-tree refs/notes/big >after && test $new = $(git rev-parse HEAD) &&
	grep -v -x -F -f before after >out && test_line_count = 1 out && shape_is 0 2002 0
'

test_expect_success PERL 'a file that is no note stays where it is' '
	test_config notes.rewriteRef refs/notes/big &&
	more="100644 BLOB\tREADME\n100644 BLOB\t12/x\n120000 BLOB\t$ZERO_OID\n100644 BLOB\tabc/def\n" &&
	for dirs in 0 1
	do
		for n in 10 500
		do
			fill_big $n $dirs "$more" && git amend -m "more $dirs $n" &&
			git ls-tree -r --name-only refs/notes/big | grep -e "[^0-9a-f/]" -e abc -e $ZERO_OID >out &&
			printf "%s\n" $ZERO_OID 12/x README abc/def >expect &&
			test_cmp expect out && git fsck --no-dangling || return 1
		done
	done &&
	git ls-tree refs/notes/big $ZERO_OID >out && test_grep "^120000" out
'

test_expect_success PERL 'a file with the name of a directory for notes' '
	test_config notes.rewriteRef refs/notes/big &&
	for n in 1 700
	do
		fill_big $n 0 "100644 BLOB\t$(git rev-parse HEAD | cut -c1-2)\n" &&
		git amend -m "file $n" && shape_is $((n + 2)) 0 0 && git fsck --no-dangling || return 1
	done
'

# "ab.txt" comes before the directory "ab", and before its name in no other order.
test_expect_success 'a tree of notes is in the order of trees' '
	note commits HEAD text && blob=$(git rev-parse HEAD:a) && sub=$(printf "100644 blob $blob\tx\n" | git mktree) &&
	tree=$({
		git ls-tree refs/notes/commits && printf "040000 tree $sub\tzz\n" && printf "100644 blob $blob\tzz.txt\n"
	} | git mktree) && git update-ref refs/notes/commits $(git commit-tree -m by-hand $tree) &&
	git -c notes.rewriteRef=refs/notes/commits amend -m ordered && notes_are commits text &&
	git ls-tree --name-only refs/notes/commits | tail -n 2 >out && printf "zz.txt\nzz\n" >expect &&
	test_cmp expect out && git fsck --strict 2>err && test_grep ! treeNotSorted err
'

test_expect_success 'a note in two places becomes one' '
	test_config notes.rewriteRef refs/notes/twice && head=$(git rev-parse HEAD) &&
	a=$(echo A | git hash-object -w --stdin) && b=$(echo B | git hash-object -w --stdin) &&
	sub=$(printf "100644 blob $a\t%s\n" $(echo $head | cut -c3-) | git mktree) &&
	tree=$(printf "040000 tree $sub\t%s\n100644 blob $b\t$head\n" $(echo $head | cut -c1-2) | git mktree) &&
	git update-ref refs/notes/twice $(git commit-tree -m x $tree) &&
	git amend -m twice && notes_are twice A "" B &&
	git ls-tree -r --name-only refs/notes/twice >out && test_line_count = 2 out &&
	test_grep $head out && git update-ref -d refs/notes/twice
'

# ---- failures ----

# refused MESSAGE: amending fails so, and neither branch nor notes have changed
refused () {
	git rev-parse HEAD refs/notes/commits >before &&
	test_expect_code 128 git amend -m "never seen" 2>err &&
	test_grep "$1" err && git rev-parse HEAD refs/notes/commits >after &&
	test_cmp before after && test_path_missing .git/index.lock &&
	test_path_missing .git/refs/heads/main.lock
}

test_expect_success 'notes refs that hold no notes' '
	test_config notes.rewriteRef "refs/notes/*" && note commits HEAD old &&
	blob=$(git rev-parse HEAD:a) && git update-ref refs/notes/zz $blob &&
	refused "^fatal: Failed to read notes tree referenced by refs/notes/zz ($blob)$" &&
	git update-ref refs/notes/zz refs/notes/commits^{tree} &&
	refused "^fatal: Failed to find/parse commit refs/notes/zz$" &&
	git update-ref refs/notes/zz HEAD^{tree} && git amend -m "no note of it there" &&
	notes_are commits old && git update-ref -d refs/notes/zz
'

test_expect_success 'a tree of notes that is damaged or missing' '
	test_config notes.rewriteRef "refs/notes/*" && note commits HEAD old && git fsck --no-dangling &&
	tree=$(git rev-parse refs/notes/commits^{tree}) &&
	file=.git/objects/$(echo $tree | sed "s/^../&\//") && mv $file kept &&
	refused "^error: .*$tree" && refused "^fatal: Failed to read notes tree" &&
	(echo junk >$file && refused "^error: .*$tree") && rm -f $file && mv kept $file &&
	git amend -m whole && notes_are commits old
'

test_expect_success 'something else has the name of the note' '
	test_config notes.rewriteRef refs/notes/way && head=$(git rev-parse HEAD) &&
	new=$(will_be -m "never seen") && blob=$(git rev-parse HEAD:a) &&
	sub=$(printf "100644 blob $blob\t%s\n" $(echo $new | cut -c3-) | git mktree) &&
	for entry in "120000 blob $blob\t$new" "040000 tree $sub\t$(echo $new | cut -c1-2)\n120000 blob $blob\t$new"
	do
		tree=$(printf "100644 blob $blob\t$head\n$entry\n" | git mktree) &&
		git update-ref refs/notes/way $(git commit-tree -m x $tree) &&
		refused "cannot [a-z]* notes in .refs/notes/way.: .$new. is in the way of a note" || return 1
	done &&
	git update-ref -d refs/notes/way
'

test_expect_success 'notes that cannot be put together' '
	test_config notes.rewriteRef refs/notes/commits && note commits HEAD old &&
	note commits $(will_be -m "never seen") "on its way" &&
	blob=$(echo "on its way" | git hash-object --stdin) &&
	file=.git/objects/$(echo $blob | sed "s/^../&\//") && mv $file kept &&
	refused "cannot copy notes in .refs/notes/commits.: .*$blob" &&
	git -c notes.rewriteMode=ignore amend -m "never seen" && mv kept $file &&
	notes_are commits "on its way"
'

test_expect_success 'a notes ref that is locked' '
	test_config notes.rewriteRef refs/notes/commits && note commits HEAD old &&
	lock=refs/notes/commits.lock && locked="cannot lock ref .refs/notes/commits." &&
	{ test_have_prereq REFFILES || { lock=reftable/tables.list.lock && locked="cannot lock references"; }; } &&
	mkdir -p .git/${lock%/*} && >.git/$lock && test_when_finished "rm -f .git/$lock" &&
	refused "$locked"
'

test_expect_success 'one transaction for the branch and the notes, which hooks see at once' '
	test_config notes.rewriteRef "refs/notes/*" && git amend -m "to be seen" &&
	git for-each-ref --format="delete %(refname)" refs/notes | git update-ref --stdin &&
	note commits HEAD old && note other HEAD other && : >told &&
	write_script .git/hooks/reference-transaction <<-\EOF &&
	test "$1" != prepared || sed "s/.* /ref /" >>told
	EOF
	write_script .git/hooks/post-commit <<-\EOF &&
	echo "post-commit $(git log -1 --format="%s %N" --notes=other)" >>told
	EOF
	write_script .git/hooks/post-rewrite <<-\EOF &&
	echo "post-rewrite $(git log -1 --format="%s %N" --notes=other)" >>told
	EOF
	test_when_finished "rm -f .git/hooks/*" && git amend -m seen &&
	sort told >out && cat >expect <<-\EOF && test_cmp expect out &&
	post-commit seen other
	post-rewrite seen other
	ref HEAD
	ref refs/heads/main
	ref refs/notes/commits
	ref refs/notes/other
	EOF
	write_script .git/hooks/reference-transaction <<-\EOF &&
	test "$1" != prepared || ! grep -q notes/other
	EOF
	git rev-parse HEAD refs/notes/commits refs/notes/other >before &&
	test_must_fail git amend -m vetoed &&
	git rev-parse HEAD refs/notes/commits refs/notes/other >after && test_cmp before after
'

test_expect_success STRACE,FSYNC_BATCH 'one flush, with however many notes refs' '
	test_config notes.rewriteRef "refs/notes/*" && git amend -m "to be counted" &&
	for i in 1 2 3 4 5
	do
		note r$i HEAD "note $i" || return 1
	done &&
	test "$(count_flushes git amend -m counted)" = 1 && notes_are r5 "note 5"
'

test_expect_success 'copy: the commit of the notes has the author and the committer of now' '
	git init -q -b main who && cd who && git commit -q --allow-empty -m one && git notes add -m note && old=$(git rev-parse HEAD) && git commit -q --amend --allow-empty -m two &&
	echo "$old $(git rev-parse HEAD)" >../pairs && GIT_AUTHOR_NAME=Other git -c notes.rewriteref="refs/notes/*" notes copy --for-rewrite=amend <../pairs && git notes show &&
	test "$(git log -1 --format="%an %cn" refs/notes/commits)" = "Other $GIT_COMMITTER_NAME"
'

test_expect_success 'a ref that is not there is named, and the others are copied all the same' '
	git init -q -b main some && cd some && git commit -q --allow-empty -m one && git notes add -m note &&
	git -c notes.rewriteref=refs/notes/none -c notes.rewriteref=refs/notes/commits commit -q --amend --allow-empty -m two 2>err &&
	test_grep "^warning: notes ref refs/notes/none is invalid$" err && test "$(git notes show)" = note
'

test_done
