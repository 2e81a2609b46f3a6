#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='refs in tables: extensions.refStorage=reftable'
. "$(dirname "$0")/test-lib.sh"
# The variant of the suite chooses no format here.
unset GIT_DEFAULT_REF_FORMAT

SQ="'"

# expect_refs "NAME NAME ..." [GIT OPTIONS]
expect_refs () {
	want=$1 && shift &&
	git "$@" for-each-ref --format="%(refname)" >out && echo $want | tr " " "\n" >expect && test_cmp expect out
}

# tagged REPO NAME: a commit, and a tag of that name
tagged () {
	test_commit -C "$1" "$2" && git -C "$1" tag "$2"
}

test_expect_success 'init makes tables, and a stub for each Git that does not know them' '
	git init -q -b main --ref-format=reftable repo &&
	test "$(git -C repo rev-parse --show-ref-format)" = reftable &&
	test "$(git -C repo config core.repositoryFormatVersion)" = 1 &&
	echo "ref: refs/heads/.invalid" >expect && test_cmp expect repo/.git/HEAD &&
	echo "this repository uses the reftable format" >expect && test_cmp expect repo/.git/refs/heads &&
	test "$(git -C repo symbolic-ref HEAD)" = refs/heads/main &&
	test_line_count = 1 repo/.git/reftable/tables.list &&
	git init -q repo && git init -q --ref-format=reftable repo &&
	test_expect_code 128 git init -q --ref-format=files repo 2>err &&
	test_grep "attempt to reinitialize repository with different reference storage format" err
'

test_expect_success 'the environment and the configuration choose the format of a new repository' '
	format () { rm -rf new && "$@" -q new && git -C new rev-parse --show-ref-format; } &&
	test "$(format git init)" = files &&
	test "$(GIT_DEFAULT_REF_FORMAT=reftable format git init)" = reftable &&
	test "$(format git -c init.defaultRefFormat=reftable init)" = reftable &&
	test "$(format git -c feature.experimental=true init)" = files &&
	test "$(format git -c feature.experimental=true -c init.defaultRefFormat=files init)" = files &&
	test "$(GIT_DEFAULT_REF_FORMAT=files format git -c init.defaultRefFormat=reftable init)" = files &&
	test "$(GIT_DEFAULT_REF_FORMAT=files format git init --ref-format=reftable)" = reftable &&
	test "$(format git init --ref-format=reftable --object-format=sha256)" = reftable &&
	git -c init.defaultRefFormat=x init -q none 2>err && test "$(git -C none rev-parse --show-ref-format)" = files &&
	test_grep "unknown ref storage format .x." err
'

test_expect_success 'commits, branches, tags, merges' '
	tagged repo one && tagged repo two && git -C repo tag -a -m t annotated &&
	git -C repo branch side HEAD~1 && git -C repo branch -m side other && git -C repo checkout -q other &&
	tagged repo three && git -C repo checkout -q main && git -C repo merge -q -m m other &&
	expect_refs "refs/heads/main refs/heads/other refs/tags/annotated refs/tags/one refs/tags/three refs/tags/two" -C repo &&
	test "$(git -C repo rev-parse annotated^{})" = "$(git -C repo rev-parse main^1)" &&
	git -C repo for-each-ref --format="%(*objectname)" refs/tags/annotated >out &&
	git -C repo rev-parse main^1 >expect && test_cmp expect out &&
	git -C repo fsck && test_path_is_missing repo/.git/packed-refs && test_path_is_missing repo/.git/logs
'

test_expect_success 'reflogs are in the tables, and go with their branch to its new name' '
	git -C repo reflog show --format=%gs other >out &&
	cat >expect <<-\EOF &&
	commit: three
	Branch: renamed refs/heads/side to refs/heads/other
	branch: Created from HEAD~1
	EOF
	test_cmp expect out &&
	git -C repo reflog list >out && printf "%s\n" HEAD refs/heads/main refs/heads/other >expect && test_cmp expect out &&
	test "$(git -C repo rev-parse HEAD@{1})" = "$(git -C repo rev-parse two)" &&
	test "$(git -C repo rev-parse @{-1})" = "$(git -C repo rev-parse other)"
'

test_expect_success 'later tables hide a deleted ref and its log' '
	git -C repo branch -q -D other && test_must_fail git -C repo rev-parse -q --verify refs/heads/other &&
	test_must_fail git -C repo reflog exists refs/heads/other &&
	git -C repo branch other one && git -C repo reflog show --format=%gs other >out &&
	echo "branch: Created from one" >expect && test_cmp expect out &&
	git -C repo branch -q -D other
'

test_expect_success 'names conflict as they do in files; the message is that of Git for tables' '
	git -C repo update-ref refs/heads/a/b HEAD &&
	test_expect_code 128 git -C repo update-ref refs/heads/a HEAD 2>err &&
	echo "fatal: update_ref failed for ref ${SQ}refs/heads/a${SQ}: ${SQ}refs/heads/a/b${SQ} exists; cannot create ${SQ}refs/heads/a${SQ}" >expect &&
	test_cmp expect err &&
	test_must_fail git -C repo update-ref refs/heads/a/b/c HEAD &&
	git -C repo update-ref refs/heads/ab HEAD && git -C repo update-ref refs/heads/A/B HEAD &&
	git -C repo update-ref -d refs/heads/a/b && git -C repo update-ref refs/heads/a HEAD &&
	expect_refs "refs/heads/A/B refs/heads/a refs/heads/ab refs/heads/main refs/tags/annotated refs/tags/one refs/tags/three refs/tags/two" -C repo
'

test_expect_success 'a missing ref is verified and deleted only where it could be' '
	test_must_fail git -C repo update-ref -d refs/heads/main/x 2>err && test_grep "refs/heads/main. exists; cannot create" err &&
	test_must_fail git -C repo update-ref -d refs/heads &&
	echo "verify refs/heads/main/x" >input && test_must_fail git -C repo update-ref --stdin <input &&
	git -C repo update-ref -d refs/heads/missing/x && echo "verify refs/heads/missing/x" | git -C repo update-ref --stdin
'

test_expect_success 'FETCH_HEAD and MERGE_HEAD are files' '
	git clone -q --ref-format=reftable repo clone && test_commit -C repo four && git -C clone fetch -q &&
	test_path_is_file clone/.git/FETCH_HEAD && git -C clone rev-parse FETCH_HEAD >out && git -C repo rev-parse HEAD >expect &&
	test_cmp expect out &&
	test_expect_code 128 git -C clone update-ref FETCH_HEAD HEAD 2>err &&
	test_grep "refusing to update pseudoref .FETCH_HEAD." err &&
	git -C repo checkout -q -b left one && echo x >repo/three.t && git -C repo add three.t && git -C repo commit -qm left &&
	test_must_fail git -C repo merge main >out 2>&1 && test_path_is_file repo/.git/MERGE_HEAD &&
	git -C repo rev-parse MERGE_HEAD >out && git -C repo rev-parse main >expect && test_cmp expect out &&
	git -C repo merge --abort && git -C repo checkout -q main
'

test_expect_success 'root refs are listed, and keep their objects' '
	git init -q --ref-format=reftable roots && test_commit -C roots one && test_commit -C roots two &&
	git -C roots update-ref ORIG_HEAD HEAD && two=$(git -C roots rev-parse HEAD) &&
	git -C roots reset -q --hard HEAD~1 &&
	git -C roots for-each-ref --include-root-refs --format="%(refname) %(objectname)" >out &&
	{ echo HEAD $(git -C roots rev-parse HEAD) && echo ORIG_HEAD $two && echo refs/heads/$(git -C roots branch --show-current) $(git -C roots rev-parse HEAD); } >expect &&
	test_cmp expect out && test_path_is_missing roots/.git/ORIG_HEAD &&
	o=$(git -C roots commit-tree -m held HEAD^{tree}) && git -C roots update-ref CHERRY_PICK_HEAD $o &&
	git -C roots prune --expire=now && git -C roots cat-file -e $o &&
	git -C roots update-ref -d CHERRY_PICK_HEAD && git -C roots prune --expire=now && test_must_fail git -C roots cat-file -e $o
'

test_expect_success 'a pick, a revert and a merge in progress keep their refs in tables' '
	git init -q -b main --ref-format=reftable picks && test_commit -C picks one f && git -C picks checkout -q -b side &&
	test_commit -C picks two f && git -C picks checkout -q main && test_commit -C picks three f && cd picks &&
	for act in "cherry-pick side:CHERRY_PICK_HEAD" "revert HEAD~1:REVERT_HEAD" "merge side:"; do
		test_must_fail git ${act%:*} && test_path_is_missing .git/AUTO_MERGE && git rev-parse AUTO_MERGE^{tree} || return 1
		ref=${act#*:} && if test -n "$ref"; then
			test_path_is_missing .git/$ref && git rev-parse -q --verify $ref && git status >out && test_grep "You are currently" out || return 1
		fi
		git ${act%% *} --abort && git for-each-ref --include-root-refs --format="%(refname)" >out &&
		printf "%s\n" HEAD ORIG_HEAD refs/heads/main refs/heads/side >expect && { grep -q ORIG_HEAD out || sed -i /ORIG_HEAD/d expect; } &&
		test_cmp expect out || return 1
	done &&
	test_must_fail git cherry-pick side && echo x >f && git commit -qam picked --author="Another <a@x>" && git commit --amend -q -m again &&
	test_must_fail git rev-parse -q --verify CHERRY_PICK_HEAD && test_must_fail git rev-parse -q --verify AUTO_MERGE &&
	echo y >f && test_must_fail git merge --autostash side 2>err && git rev-parse MERGE_AUTOSTASH
'

test_expect_success 'a transaction is one table: all of it or nothing' '
	wc -l <repo/.git/reftable/tables.list >before &&
	test_must_fail git -C repo update-ref --stdin <<-EOF &&
	create refs/heads/t1 HEAD
	create refs/heads/t2 HEAD
	create refs/heads/main HEAD
	EOF
	test_must_fail git -C repo rev-parse -q --verify refs/heads/t1 &&
	i=0 && while test $i -lt 300; do echo "create refs/heads/many/$i HEAD" && i=$(($i + 1)); done >input &&
	git -C repo update-ref --stdin <input && git -C repo for-each-ref refs/heads/many >out && test_line_count = 300 out &&
	sed "s/create \([^ ]*\) .*/delete \1/" input | git -C repo update-ref --stdin &&
	git -C repo for-each-ref refs/heads/many >out && test_must_be_empty out
'

test_expect_success 'tables are merged as they come: there are few, and no file is left over' '
	git init -q --ref-format=reftable few && test_commit -C few x &&
	i=0 && while test $i -lt 60; do git -C few update-ref refs/heads/b$i HEAD || return 1; i=$(($i + 1)); done &&
	test $(wc -l <few/.git/reftable/tables.list) -le 6 &&
	(cd few/.git/reftable && ls *.ref && echo tables.list) >out && { cat few/.git/reftable/tables.list && echo tables.list; } >expect &&
	test_cmp expect out && ls few/.git/reftable >all && test_line_count = $(wc -l <expect) all &&
	git -C few for-each-ref refs/heads/b\* >out && test_line_count = 60 out
'

test_expect_success 'pack-refs makes one table, without deleted refs' '
	git -C few update-ref -d refs/heads/b7 && git -C few for-each-ref >expect && git -C few reflog --all >logs &&
	git -C few pack-refs && test_line_count = 1 few/.git/reftable/tables.list && ls few/.git/reftable/*.ref >tables &&
	test_line_count = 1 tables && git -C few for-each-ref >out && test_cmp expect out && git -C few reflog --all >out &&
	test_cmp logs out && test_must_fail grep -q b7 few/.git/reftable/*.ref
'

test_expect_success 'a transaction flushes once' '
	GIT_TEST_FSYNC=1 GIT_TEST_FS_KIND=journal GIT_TRACE2_EVENT="$PWD/trace" git -C few -c core.fsyncMethod=batch update-ref refs/heads/flush HEAD &&
	test_grep "\"hardware-flush\"" trace && grep "\"hardware-flush\"" trace >flushes &&
	test_grep "\"count\":1[,}]" flushes
'

test_expect_success 'a damaged or missing table is named' '
	cp -R few bad && table=$(ls bad/.git/reftable/*.ref | head -n 1) && printf x >>$table &&
	test_must_fail git -C bad for-each-ref 2>err && test_grep "reftable .*$(basename $table).*" err &&
	rm $table && test_must_fail git -C bad for-each-ref 2>err && test_grep "tables.list. names a missing table" err
'

test_expect_success 'another process that holds the lock of the list is waited for, and named' '
	>few/.git/reftable/tables.list.lock &&
	test_must_fail git -C few update-ref refs/heads/locked HEAD 2>err && test_grep "cannot lock references" err &&
	test_grep "tables.list.lock" err && rm few/.git/reftable/tables.list.lock &&
	git -C few update-ref refs/heads/locked HEAD
'

test_expect_success 'pushed to, fetched from, cloned' '
	git clone -q --bare --ref-format=reftable repo bare.git && git clone -q bare.git work && test_commit -C work pushed &&
	git -C work push -q origin HEAD:refs/heads/new HEAD:main && git -C work push -q origin :refs/heads/a &&
	git -C bare.git fsck && test "$(git -C bare.git rev-parse new)" = "$(git -C work rev-parse HEAD)" &&
	git ls-remote bare.git >remote && test_grep "refs/heads/new" remote && test_grep ! "refs/heads/a$" remote &&
	git -C work fetch -q --prune && git -C work rev-parse origin/new
'

test_expect_success 'for-each-ref reports a branch whose object is missing, if it asks for the object below a tag' '
	rm -rf missing && git init -q -b main --ref-format=reftable missing && git -C missing commit -q --allow-empty -m one &&
	H=$(git -C missing rev-parse HEAD) && rm -f missing/.git/objects/$(echo $H | sed "s,..,&/,") &&
	git -C missing for-each-ref --format="%(refname)" >out && echo refs/heads/main >expect && test_cmp expect out &&
	test_expect_code 128 git -C missing for-each-ref --format="%(*objectname)" 2>err &&
	test_grep "^fatal: missing object $H for refs/heads/main$" err
'

test_expect_success STRACE 'for-each-ref opens the list and each table once, with objects too' '
	cd "$TRASH_DIRECTORY" && rm -rf once && git init -q --ref-format=reftable once && cd once && test_commit -C . one && git branch other && git pack-refs --all &&
	trace_calls ../opened openat git for-each-ref --format="%(objectname) %(subject)" && test $(grep -c "tables.list\"" ../opened) = 1 &&
	test $(grep -c "[.]ref\"" ../opened) = 1
'

test_done
