#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a command that deletes or copies objects sees every root, or stops

The table of Documentation/Durability.adoc, "Roots that cannot be read": each command in a repository in which
only one ref keeps a commit, and that ref is damaged.'
. "$(dirname "$0")/test-lib.sh"
in_memory

# Each kind of damage is done to files; for tables see the end.
GIT_DEFAULT_REF_FORMAT=files
export GIT_DEFAULT_REF_FORMAT

missing=$(echo "$ZERO_OID" | tr 0 1)

test_expect_success 'a repository in which only refs/heads/x keeps a commit, with a linked worktree' '
	git init -q -b main packed && cd packed && git config core.logAllRefUpdates false &&
	test_commit one && git branch y && git checkout -q --detach && test_commit two &&
	X=$(git rev-parse HEAD) && git checkout -q main && echo "$X" >.git/refs/heads/x &&
	mkdir -p .git/worktrees/wt ../wt && echo ../.. >.git/worktrees/wt/commondir &&
	echo "$PWD/../wt/.git" >.git/worktrees/wt/gitdir && echo "ref: refs/heads/y" >.git/worktrees/wt/HEAD &&
	cd .. && cp -r packed loose && git -C packed repack -a -d -q 
'

# Damage in the current directory; refs/heads/x is never left as it was.
break_root () {
	case $1 in
	empty) : >.git/refs/heads/x ;;
	junk) echo junk >.git/refs/heads/x ;;
	zero) echo $ZERO_OID >.git/refs/heads/x ;;
	bad-name) mv .git/refs/heads/x .git/refs/heads/a..b ;;
	packed-bad-name) rm .git/refs/heads/x && echo "$X refs/heads/a..b" >.git/packed-refs ;;
	packed-zero) rm .git/refs/heads/x && echo "$ZERO_OID refs/heads/x" >.git/packed-refs ;;
	packed-dangerous) rm .git/refs/heads/x && echo "$X refs/heads/../../HEAD" >.git/packed-refs ;;
	missing-object) echo "$missing" >.git/refs/heads/x ;;
	zero-head) rm .git/refs/heads/x && echo $ZERO_OID >.git/HEAD ;;
	head-to-empty) : >.git/refs/heads/x && echo "ref: refs/heads/x" >.git/HEAD ;;
	worktree-head) rm .git/refs/heads/x && : >.git/worktrees/wt/HEAD ;;
	worktree-ref) rm .git/refs/heads/x && mkdir -p .git/worktrees/wt/refs/bisect && : >.git/worktrees/wt/refs/bisect/bad ;;
	bad-head-target) rm .git/refs/heads/x && echo "ref: refs/heads/a..b" >.git/HEAD ;;
	esac
}

# How the message names it.
root_name () {
	case $1 in
	bad-name|packed-bad-name|bad-head-target) echo refs/heads/a..b ;;
	zero-head) echo HEAD ;;
	worktree-head) echo worktrees/wt/HEAD ;;
	worktree-ref) echo worktrees/wt/refs/bisect/bad ;;
	*) echo refs/heads/x ;;
	esac
}

message () {
	case $1 in
	packed-dangerous) echo "fatal: packed refname is dangerous: refs/heads/../../HEAD" ;;
	*) echo "fatal: bad object $(root_name $1)" ;;
	esac
}

seen_by_all="empty junk zero bad-name packed-bad-name packed-zero packed-dangerous missing-object zero-head head-to-empty
	worktree-head"
all_kinds="$seen_by_all worktree-ref bad-head-target"

setup () {
	rm -rf $2 && cp -r $1 $2 && cd $2 && break_root $3
}

# "store|kinds|command": the store in which X is, the kinds of damage that the command must notice.
rows () {
	cat <<\END
packed|all|repack -a -d
packed|all|repack -a -d -l
packed|all|repack -a -d -k
packed|all|repack -a -d -b
packed|all|repack -A -d
packed|all|repack -A -d --unpack-unreachable=now
packed|all|repack --cruft -d
packed|all|repack --cruft -d --cruft-expiration=now
packed|all|repack -a -d --filter=blob:none
packed|all|gc --prune=now
packed|all|gc --no-cruft
packed|all|maintenance run --task=gc
loose|all|prune --expire=now
loose|all|prune -n --expire=now
loose|all|repack -a -d
loose|seen|repack -d
packed|seen|rev-list --all
packed|seen|rev-list main --not --all
packed|seen|rev-list --objects --all
packed|seen|rev-list --use-bitmap-index --objects --all
packed|seen|log --all
packed|seen|shortlog --all
packed|seen|bundle create -q ../b --all
packed|seen|pack-objects -q --all ../p
packed|seen|pack-objects -q --all --keep-unreachable ../p
packed|seen|pack-objects -q --revs --all ../p
END
}

check_row () {
	local code=128
	case $3 in maintenance*) code=1 ;; esac
	(
		setup $1 copy $2 && test_expect_code $code git $3 </dev/null >out 2>err &&
		sed "s/^error: /fatal: /; s/^fatal: missing reachable object .$missing.\$/fatal: bad object refs\/heads\/x/" err |
			grep -Fx "$(message $2)" && test_must_be_empty out &&
		echo "ref: refs/heads/main" >.git/HEAD && rm -f .git/packed-refs && git cat-file -e $X
	)
}

rows >table
while IFS='|' read -r store kinds command
do
	list=$seen_by_all
	[ $kinds = all ] && list=$all_kinds
	for kind in $list
	do
		test_expect_success "$command stops: $kind ($store)" "check_row $store $kind '$command'"
	done
done <table

# ---- branches: short names, as --branches gives them ----

for option in --branches --glob=heads "--branches --not --tags"
do
	for kind in empty junk zero bad-name packed-zero
	do
		test_expect_success "log, rev-list and bundle $option stop: $kind" '
			name=$(root_name $kind) && case $option in --branches*) name=${name#refs/heads/} ;; esac &&
			echo "fatal: bad object $name" >expect && (
				setup packed copy $kind && test_expect_code 128 git log $option 2>../err &&
				test_cmp ../expect ../err && test_expect_code 128 git rev-list $option 2>../err &&
				test_cmp ../expect ../err && test_expect_code 128 git bundle create -q ../b $option 2>../err &&
				test_cmp ../expect ../err && git rev-list --exclude=refs/heads/* --exclude=$name $option &&
				git rev-list --ignore-missing $option
			)
		'
	done
done

test_expect_success 'rev-list --all in a linked worktree stops at the HEAD of the main one' '
	for value in "" junk $ZERO_OID
	do
		(
			setup packed copy none && echo "$value" >.git/HEAD && cd .git/worktrees/wt &&
			echo "fatal: bad object main-worktree/HEAD" >expect &&
			test_expect_code 128 env GIT_DIR="$PWD" git rev-list --all 2>err && test_cmp expect err
		) || return 1
	done
'

test_expect_success 'rev-list --bisect stops at a bad commit that cannot be read' '
	for value in "" junk $ZERO_OID
	do
		(
			setup packed copy none && mkdir .git/refs/bisect && echo "$value" >.git/refs/bisect/bad &&
			echo "fatal: bad object refs/bisect/bad" >expect &&
			test_expect_code 128 git rev-list --bisect 2>err && test_cmp expect err
		) || return 1
	done
'

test_expect_success 'rev-parse --all and --branches show a null value for a broken ref' '
	(
		setup packed copy empty && git rev-parse --all >all && git rev-parse --branches >branches &&
		grep $ZERO_OID all && grep $ZERO_OID branches && git rev-parse --symbolic --branches >names && grep "^x$" names
	)
'

test_expect_success 'a symbolic ref that leads nowhere holds nothing: walks go on' '
	(
		setup packed copy none && for target in refs/heads/none refs/heads/a..b refs/heads/s
		do
			echo "ref: $target" >.git/refs/heads/s && git rev-list --all >out && grep $X out &&
			git gc --prune=now -q && git prune --expire=now && git cat-file -e $X || exit 1
		done && rm .git/refs/heads/s && echo "ref: refs/heads/a..b" >.git/HEAD && git rev-list --all >out && grep $X out
	)
'

# ---- roots that can be read, at places where few look ----

keeps_x () {
	for command in "repack -a -d -q" "repack -A -d -q --unpack-unreachable=now" "repack --cruft -d -q --cruft-expiration=now" \
		"gc -q --prune=now" "prune --expire=now"
	do
		for store in packed loose
		do
			rm -rf copy && cp -r $store copy && (
				cd copy && rm .git/refs/heads/x && eval "$1" && git $command && git cat-file -e $X &&
				git cat-file -e $X^{tree}
			) || { echo "$store: $command"; return 1; }
		done
	done
}

test_expect_success 'gc keeps objects that only refs/bisect/ of another worktree names' '
	keeps_x "mkdir -p .git/worktrees/wt/refs/bisect && echo $X >.git/worktrees/wt/refs/bisect/bad"
'

test_expect_success 'refs and logs below a symbolic link to a directory are kept' '
	keeps_x "mkdir .git/d && echo $X >.git/d/x && ln -s ../../d .git/refs/heads/dir" &&
	keeps_x "mkdir .git/d && echo $X >.git/d/x && ln -s ../../d/x .git/refs/heads/x" &&
	keeps_x "mkdir -p .git/d .git/logs && echo \"$X $X A <a@e> \$(date +%s) +0000	m\" >.git/d/HEAD && ln -s ../d .git/logs/refs"
'

test_expect_success 'a link to a directory above it is not followed' '
	rm -rf copy && cp -r packed copy && ln -s . copy/.git/refs/heads/self && ln -s ../.. copy/.git/refs/heads/up &&
	git -C copy for-each-ref --format="%(refname)" >actual && printf "refs/heads/%s\n" main x y >expect &&
	test_cmp expect actual
'

test_expect_success 'a name without a slash in packed-refs is a ref' '
	keeps_x "echo $X foo >.git/packed-refs" &&
	git -C copy show-ref >out && grep "^$X foo$" out
'

# ---- MERGE_HEAD and the like, and operations in progress: in no list of refs ----

pseudo="MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD AUTO_MERGE ORIG_HEAD FETCH_HEAD REBASE_HEAD BISECT_EXPECTED_REV MERGE_AUTOSTASH
	NOTES_MERGE_PARTIAL ANY_HEAD rebase-merge/autostash rebase-merge/git-rebase-todo rebase-apply/orig-head sequencer/todo"

# In packed-noted and loose-noted each file, in both worktrees, is all that keeps one object (AUTO_MERGE: a tree).
test_expect_success 'a repository in which files such as MERGE_HEAD keep objects' '
	cp -r loose loose-noted && cd loose-noted && : >../noted && for dir in .git .git/worktrees/wt
	do
		mkdir -p $dir/rebase-merge $dir/rebase-apply $dir/sequencer &&
		for name in $pseudo
		do
			tree=$(printf "100644 blob %s\tf\n" $(echo $dir/$name | git hash-object -w --stdin) | git mktree) &&
			oid=$(git commit-tree -m $name -p y $tree) || return 1
			case $name in
			AUTO_MERGE) oid=$tree && echo $tree >$dir/$name ;;
			FETCH_HEAD) printf "%s\t\tbranch x of y\n" $oid >$dir/$name ;;
			*todo) echo "pick $oid # $name" >$dir/$name ;;
			*) echo $oid >$dir/$name ;;
			esac
			echo $oid >>../noted && git rev-parse "$oid^{tree}:f" >>../noted || return 1
		done || return 1
	done && git update-ref --stdin <<-EOF && cd .. && cp -r loose-noted packed-noted && git -C packed-noted repack -a -d -q &&
	$(awk "NR % 2 { print \"create refs/t/\" NR, \$1 }" ../noted)
	EOF
	for r in loose-noted packed-noted
	do
		awk "NR % 2 { print \"delete refs/t/\" NR }" noted | git -C $r update-ref --stdin || return 1
	done
'

all_there () {
	git cat-file --batch-check <../noted >../there && ! grep missing ../there
}

for command in "repack -a -d -q" "repack -a -d -q -l -b" "repack -A -d -q --unpack-unreachable=now" \
	"repack --cruft -d -q --cruft-expiration=now" "repack -a -d -q --filter=blob:none" "gc -q --prune=now" \
	"gc -q --no-cruft --prune=now" "prune --expire=now"
do
	test_expect_success "$command keeps what MERGE_HEAD and the like name" '
		for store in packed loose
		do
			rm -rf copy && cp -r $store-noted copy && (
				cd copy && git $command && all_there && git prune --expire=now && all_there
			) || return 1
		done
	'
done

test_expect_success 'gc keeps objects that MERGE_HEAD and the index of a borrower name' '
	for command in "repack -a -d -q" "repack -A -d -q --unpack-unreachable=now" "gc -q --prune=now" "prune --expire=now"
	do
		rm -rf copy fork && cp -r packed copy && git init -q fork && (
			cd copy && rm .git/refs/heads/x && blob=$(echo indexed | git hash-object -w --stdin) &&
			echo "$PWD/.git/objects" >../fork/.git/objects/info/alternates &&
			echo "$PWD/../fork/.git/objects" >.git/objects/info/alternates && echo $X >../fork/.git/MERGE_HEAD &&
			git -C ../fork update-index --add --cacheinfo 100644,$blob,f && git $command && git cat-file -e $X^{tree} &&
			git cat-file -e $blob
		) || return 1
	done
'

test_expect_success 'gc keeps the commit in MERGE_HEAD with the history that exists' '
	rm -rf copy && cp -r packed copy && cd copy && blob=$(echo b | git hash-object -w --stdin) &&
	tree=$(printf "100644 blob $blob\tf\n100644 blob $missing\tg\n" | git mktree --missing) &&
	echo "tree $tree" >c && echo "parent $missing" >>c && git cat-file commit y | sed "/^tree/d; /^parent/d" >>c &&
	oid=$(git hash-object --literally -w -t commit c) && echo $oid >.git/MERGE_HEAD && echo $missing >.git/ORIG_HEAD &&
	for command in "repack -a -d -q -b" "repack --cruft -d -q --cruft-expiration=now" "gc -q --prune=now" "prune --expire=now"
	do
		git $command && printf "%s\n" $oid $tree $blob | git cat-file --batch-check >there && ! grep missing there || return 1
	done
'

test_expect_success 'a file such as MERGE_HEAD that cannot be read stops commands that delete' '
	rm -rf copy && cp -r loose copy && cd copy && rm .git/refs/heads/x && ln -s MERGE_HEAD .git/worktrees/wt/MERGE_HEAD &&
	for command in "repack -a -d -q" "gc -q --prune=now" "prune --expire=now"
	do
		test_expect_code 128 git $command 2>err && test_grep "unable to stat .*/worktrees/wt/MERGE_HEAD" err &&
		git cat-file -e $X || return 1
	done
'

# ---- copies of a repository ----

for kind in empty junk zero packed-zero head-to-empty
do
	test_expect_success "ls-remote shows a broken ref, clone and fetch stop: $kind" '
		printf "%s\trefs/heads/x\n" $ZERO_OID >expect && (
			setup packed copy $kind && git ls-remote . >out && grep "refs/heads/x$" out >../actual &&
			git receive-pack --http-backend-info-refs . >out && grep -a "$ZERO_OID refs/heads/x" out &&
			for options in "--no-local ." ". --mirror" "--shared ." "--bare file://$PWD"
			do
				test_expect_code 128 git clone -q $options ../clone 2>err && test_grep "^fatal: .refs/.*/x. has neither" err &&
				test_path_is_missing ../clone || exit 1
			done &&
			git init -q --bare up && test_expect_code 128 git -C up fetch -q .. "refs/heads/*:refs/heads/*" 2>err &&
			test_grep "^fatal: .*not our ref $ZERO_OID" err && test_expect_code 128 git -C up fetch -q .. x 2>err &&
			test_grep "^fatal: .*not our ref $ZERO_OID" err &&
			git -C up fetch -q .. refs/heads/y:refs/heads/y && git -C up rev-parse --verify -q y
		) && test_cmp expect actual
	'
done

for kind in $seen_by_all
do
	test_expect_success "fetch into a repository, and a push into it, stop: $kind" '
		case $kind in packed-dangerous) code=128 ;; *) code=1 ;; esac && (
			setup packed copy $kind && cp -r ../packed other && git -C other commit -q --allow-empty -m new &&
			test_expect_code $code git fetch -q other main:new 2>err &&
			sed "s/^error: /fatal: /" err | grep -Fx "$(message $kind)" && test_path_is_missing .git/refs/heads/new &&
			test_must_fail git -C other push -q .. main:new 2>err &&
			{ test $code = 128 || sed "s/^remote: //; s/ *$//" err | grep -Fx "$(message $kind)"; } &&
			test_path_is_missing .git/refs/heads/new
		)
	'
done

test_expect_success 'a broken ref that is hidden does not stop them' '
	(
		setup packed copy empty && cp -r ../packed other && git config transfer.hideRefs refs/heads/x &&
		git fetch -q other main:new && git -C other push -q .. main:new2
	)
'

test_expect_success 'a push of all refs, or of a pattern, stops at a broken one and does not delete its copy' '
	for kind in empty junk zero packed-zero
	do
		(
			setup packed copy $kind && git init -q --bare up && git -C ../packed push -q "$PWD/up" x y main &&
			for args in "--mirror up" "--all up" "--prune up refs/heads/*" "up refs/heads/*:refs/heads/*" "up :"
			do
				test_expect_code 128 git push -q $args 2>err && test_grep "^fatal: bad object refs/heads/x$" err || exit 1
			done &&
			git push -q up main y "refs/tags/*" && git push -q up "refs/heads/*" ^refs/heads/x &&
			test_must_fail git push -q up x && test "$(git -C up rev-parse x)" = $X
		) || return 1
	done
'

test_expect_success 'a push does not delete or replace a broken ref; it deletes one that leads to nothing' '
	(
		setup packed copy empty && git init -q --bare other && git push -q other main && : >other/refs/heads/z &&
		: >other/refs/heads/w && test_must_fail git push -q other :z 2>err &&
		test_grep "unable to resolve reference .refs/heads/z.: reference broken" err && test_path_is_file other/refs/heads/z &&
		test_must_fail git push -q other main:w && echo $missing >other/refs/heads/z && rm other/refs/heads/w &&
		git push -q other :z && test_path_is_missing other/refs/heads/z
	)
'

for kind in empty junk zero bad-name packed-bad-name packed-zero missing-object
do
	test_expect_success "no bitmap of several packs and no info/refs is made: $kind" '
		name=$(root_name $kind) && echo "fatal: unable to parse object: $name" >expect.err && (
			setup packed copy $kind && test_expect_code 128 git multi-pack-index write --bitmap 2>../err &&
			echo old >.git/info/refs && test_expect_code 1 git update-server-info 2>err &&
			test_grep "^error: unable to update .*/info/refs: bad object $name$" err && grep old .git/info/refs &&
			grep "^P pack-" .git/objects/info/packs && rm .git/objects/info/packs &&
			git repack --geometric=2 -d 2>err && test_grep "^warning: unable to update .*: bad object $name$" err &&
			grep "^P pack-" .git/objects/info/packs
		) && test_cmp expect.err err
	'
done

test_expect_success 'show-ref stops at each broken ref' '
	for kind in empty junk zero bad-name packed-bad-name packed-zero missing-object
	do
		oid=$ZERO_OID && case $kind in missing-object) oid=$missing ;; esac &&
		echo "fatal: git show-ref: bad ref $(root_name $kind) ($oid)" >expect && (
			setup packed copy $kind && git show-ref main y && for args in "" --branches -d
			do
				test_expect_code 128 git show-ref $args 2>../err && test_cmp ../expect ../err || exit 1
			done
		) || return 1
	done
'

test_expect_success 'show-ref --head and a HEAD of zeros' '
	(
		setup packed copy zero-head && test_expect_code 128 git show-ref --head 2>err &&
		test_grep "^fatal: git show-ref: bad ref HEAD ($ZERO_OID)$" err
	)
'

# ---- logs ----

log_x () {
	git config core.logAllRefUpdates true && git update-ref -m m refs/heads/x main && git update-ref -m m refs/heads/x $X &&
	git update-ref -m m refs/heads/x main && git log -g --format=%H refs/heads/x >log
}

test_expect_success 'the log of a ref that cannot be read keeps entries that may be reachable' '
	for kind in empty junk zero missing-object
	do
		(
			setup packed copy none && log_x && test_line_count = 3 log && break_root $kind &&
			git reflog expire --expire=never --expire-unreachable=now --all &&
			test $(wc -l <.git/logs/refs/heads/x) = 3
		) || return 1
	done
'

test_expect_success 'a ref that cannot be read spares the log of HEAD, which may have been on it' '
	(
		setup packed copy none && git config core.logAllRefUpdates true && git checkout -q x && git checkout -q main &&
		break_root empty && git reflog expire --expire=never --expire-unreachable=now HEAD &&
		test $(grep -c $X .git/logs/HEAD) = 2
	)
'

# left HOW: a repository with the branches main and other, whose HEAD is broken in that way
left () {
	rm -rf left && git init -q -b main left && test_commit -C left f && git -C left branch other && case $1 in
	zeros) echo $ZERO_OID >left/.git/HEAD ;;
	junk) echo junk >left/.git/refs/heads/main ;;
	empty) : >left/.git/refs/heads/main ;;
	esac
}

test_expect_success 'one can leave a broken HEAD, and get files back' '
	for how in zeros junk empty; do
		for command in "checkout other --" "checkout -f other" "switch other" "checkout -m other" "checkout -B other other"; do
			left $how && git -C left $command && echo "ref: refs/heads/other" >expect && test_cmp expect left/.git/HEAD &&
			tail -n 1 left/.git/logs/HEAD >log && test_grep "^$ZERO_OID .*	checkout: moving from (invalid) to other$" log || return 1
		done &&
		left $how && git -C left switch -c new other && test "$(git -C left symbolic-ref HEAD)" = refs/heads/new &&
		git -C left checkout -q other && for command in "checkout -- f.t" "restore f.t" "checkout other -- f.t" "restore -s other f.t"; do
			left $how && rm left/f.t && git -C left $command && test_path_is_file left/f.t || return 1
		done &&
		for command in "checkout" "checkout -b new" "checkout --orphan new" "switch -c new"; do
			test_expect_code 128 git -C left $command 2>err && test_grep "fatal: You are on a branch yet to be born" err || return 1
		done || return 1
	done
'

test_expect_success 'reset: HEAD of zeros goes elsewhere, but is no empty tree' '
	for command in "reset --hard" "reset -- f.t" "reset"; do
		left zeros && test_expect_code 128 git -C left $command 2>err && test_grep "Could not parse object .HEAD.\." err &&
		test_path_is_file left/f.t && test "$(git -C left ls-files)" = f.t || return 1
	done &&
	git -C left reset --hard other && git -C left rev-parse other >expect && test_cmp expect left/.git/HEAD &&
	left zeros && git -C left branch >out && test_grep "^  other$" out
'

# ---- tables: a stack that cannot be read, a ref to an object that is missing ----

# A linked worktree, the branches main and y, and x, the only one that keeps a commit; in tables.
test_expect_success 'a repository with refs in tables, with a linked worktree' '
	git init -q -b main --ref-format=reftable t-loose && cd t-loose && git config core.logAllRefUpdates false &&
	test_commit one && git branch y && git checkout -q --detach && test_commit two && X=$(git rev-parse HEAD) &&
	git checkout -q main && git branch x $X && cd .. && link_worktree t-loose/.git wt t-wt y &&
	cp -R t-loose other && cd other && C=$(git commit-tree -m missing HEAD^{tree}) && git branch -f x $C && git pack-refs &&
	mv .git/reftable ../missing-object && mkdir .git/reftable && cp -R ../t-loose/.git/worktrees/wt/reftable ../missing-head && cd .. &&
	git -C t-wt rev-parse HEAD && cp -R t-loose t-packed && git -C t-packed repack -a -d -q
'

# Damage in the current directory.
break_table () {
	local table=.git/reftable/$(tail -n 1 .git/reftable/tables.list)
	case $1 in
	truncated) truncate -s -10 "$table" ;;
	lost) rm "$table" ;;
	malformed) echo ../x >>.git/reftable/tables.list ;;
	pipe) rm .git/reftable/tables.list && mkfifo .git/reftable/tables.list ;;
	missing-object) rm -r .git/reftable && cp -R ../missing-object .git/reftable ;;
	worktree) echo ../x >>.git/worktrees/wt/reftable/tables.list ;;
	esac
}

check_table () {
	local code=128
	case $3 in maintenance*) code=1 ;; esac
	(
		rm -rf copy && cp -R $1 copy && cd copy && break_table $2 && test_expect_code $code git $3 </dev/null >out 2>err &&
		test_grep "^\(fatal\|error\): \(.*reftable/\|bad object \(refs/heads/x\|HEAD\|worktrees/wt/HEAD\)\$\|missing reachable object\)" err &&
		test_must_be_empty out && git cat-file -e $X
	)
}

rows | grep -v "rev-list main\|prune -n\| -k$\|shortlog\|keep-unreachable\|--revs" >table
while IFS='|' read -r store kinds command
do
	for kind in truncated lost malformed pipe missing-object worktree
	do
		test_expect_success "$command stops, refs in tables: $kind ($store)" "check_table t-$store $kind '$command'"
	done
done <table

test_done
