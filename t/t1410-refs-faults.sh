#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of update-ref --stdin and pack-refs fails in turn, or is the last

Refs that are missing, loose, packed, or both are made, changed and removed in one
transaction: whatever happens, all have their old values or all have the new ones (P6), nothing
is left behind (P4), and the next command works (P5). The same with HEAD, symbolic refs and
those of worktrees. Ref by ref, it is the next command that finishes it.'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq REFFILES || { skip_all="about refs in files, and packed-refs"; test_done; }
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
GIT_TEST_SYSCALL_FLUSH=0
export GIT_TEST_SYSCALL_FLUSH
in_memory
# The objects that stock git has made are none of its business.
GIT_TEST_YOUNG_SECONDS=-10
export GIT_TEST_YOUNG_SECONDS
export GIT_TEST_FS_KIND

litter () {
	find copy/.git -name "*.lock" -o -name "tmp_*" -o -name "*.new" -o -path "*/ref-journal/*"
}

values () {
	git -C "$1" for-each-ref --format="%(refname) %(objectname) %(symref)" 2>/dev/null &&
	cat "$1/.git/HEAD" "$1/.git/worktrees/wt/HEAD"
}

# Checks the state before a command of ours runs: stock git reads all refs, none points to nothing.
readable () {
	test -z "$STOCK_GIT" || {
		stock -C copy for-each-ref >/dev/null 2>raw.err && test ! -s raw.err &&
		stock -C copy rev-parse HEAD worktrees/wt/HEAD >/dev/null 2>raw.err
	} && return
	fails "not readable: $(cat raw.err)"
}

# A command that reads all objects, after every fourth only.
sound () {
	test $((i % 4)) = 0 && test -n "$STOCK_GIT" || return 0
	stock -C copy fsck --strict --no-dangling >fsck.out 2>&1 && return
	cat fsck.out >&4
	return 1
}

# Checks that all refs are as before, or all as after.
whole () {
	values copy >now &&
	{ cmp -s now before || cmp -s now after; } && sound && return
	diff before now >&4
	fails torn
}

# calls CMD...: sets CALLS and CHOSEN (calls_of)
calls () {
	rm -rf missed copy && cp -a template copy &&
	(cd copy && calls_of $what$plus "$@" <../input >../out 2>&1 && echo "$CALLS $CHOSEN" >../chosen) &&
	CHOSEN=$(tr "\n" " " <chosen) && CALLS=${CHOSEN%% *} && CHOSEN=${CHOSEN#* } && test $CALLS -gt 10
}

# one_fault CMD...: sets $code
one_fault () {
	rm -rf copy log && cp -a template copy || return
	code=0 i=$((i + 1))
	(
		cd copy &&
		GIT_TEST_SYSCALL_LOG=../log GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed \
		GIT_TEST_SYSCALL_FAIL=$n$plus:$what "$FAULT_GIT" "$@" <../input 2>../err >../out
	) || code=$?
}

# fails WORDS...
fails () {
	echo "call $n, $what$plus: $(grep injected log | head -n 1): $*" >&4
	return 1
}

names_a_ref () {
	local line
	while IFS= read -r line; do
		case $line in *refs/*|*packed-refs*|*ref-journal*|*HEAD*|*"directory '.git':"*) return 0 ;; esac
	done <err
	return 1
}

# sweep WHAT CMD...
sweep () {
	local what=$1 n= i=0 plus=
	shift
	sweep_step $what 12
	case $what in *+) plus=+ what=${what%+} ;; esac
	calls "$@" || return
	for n in $CHOSEN; do
		one_fault "$@" && readable && whole || return
		litter >litter && test ! -s litter || { fails "litter: $(cat litter)"; return; }
		case "$code:$what" in
		0:*)
			cmp -s now after || { fails "success without a change"; return; } ;;
		1:EINTR|128:EINTR)
			fails "did not go on: $(cat err)"
			return ;;
		1:*|128:*)
			names_a_ref || { fails "names no ref: $(cat err)"; return; } ;;
		*)
			fails "exit code $code: $(cat err)"
			return ;;
		esac
		test ! -f missed || break
	done
	echo "$i of $CALLS calls" >&4
	test -z "$GIT_TEST_LONG" || test -f missed
}

# at_every_call TITLE WHATS CMD...: a test for each of WHATS
at_every_call () {
	local title=$1 fault faults=$2
	shift 2
	for fault in $faults; do
		test_expect_success "$title: $fault at every call" "sweep $fault $*"
	done
}

# killed AGAIN CMD...: before the calls; AGAIN then works and leaves nothing
killed () {
	local again=$1 what=KILL n= i=0 plus= SWEEP_STEP=4
	shift
	calls "$@" || return
	for n in $CHOSEN; do
		one_fault "$@" || return
		test $code = 137 || break
		readable && whole || return
		(cd copy && eval "$again") >out 2>&1 || { fails "the next command fails: $(cat out)"; return; }
		values copy >now && cmp now after >&4 || { fails "not all of it is there"; return; }
		litter >litter && test ! -s litter || { fails "litter: $(cat litter)"; return; }
	done
	echo "$i of $CALLS calls" >&4
	case $code:$GIT_TEST_LONG in 0:?*|137:) ;; *) fails "exit code $code" ;; esac
}

test_expect_success 'setup' '
	git init -q -b main template && (
		cd template &&
		git config core.logAllRefUpdates true &&
		git commit -q --allow-empty -m one && git commit -q --allow-empty -m two &&
		H=$(git rev-parse main) && P=$(git rev-parse main~1) &&
		for r in packed packed-goes both both-goes; do
			git update-ref refs/heads/$r $P || exit
		done &&
		git pack-refs --all &&
		for r in main both both-goes d/loose d/loose-goes stays; do
			git update-ref refs/heads/$r $P && git update-ref refs/heads/$r $H || exit
		done &&
		mkdir -p .git/worktrees/wt && echo "$H" >.git/worktrees/wt/HEAD &&
		echo ../.. >.git/worktrees/wt/commondir && echo /none/.git >.git/worktrees/wt/gitdir &&
		cat >../transaction <<-EOF &&
		create refs/heads/new/deep $H
		create refs/tags/new $P
		update refs/heads/both $P $H
		update refs/heads/d/loose $P $H
		update refs/heads/packed $H $P
		update HEAD $P
		delete refs/heads/both-goes $H
		delete refs/heads/d/loose-goes $H
		delete refs/heads/packed-goes $P
		verify refs/heads/stays $H
		EOF
		sed "s/^create/update/; s/\(update [^ ]* [^ ]*\) .*/\1/; s/\(delete [^ ]*\) .*/\1/" \
			../transaction >../again
	)
'

test_expect_success 'a transaction: what it does' '
	cp transaction input && values template >before &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >after && ! cmp -s before after
'

at_every_call "a transaction" "EIO ENOSPC ENOSPC+ EINTR short" update-ref --stdin

test_expect_success 'a transaction: killed before every call' '
	killed "git update-ref --stdin <../again" update-ref --stdin
'

test_expect_success 'a transaction by one rename of packed-refs: what it does' '
	grep "new\|packed" transaction >input && grep "new\|packed" again >again-packed &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >after && ! cmp -s before after && test_path_is_missing copy/.git/refs/heads/new
'

at_every_call "by one rename" "EIO ENOSPC+" update-ref --stdin

test_expect_success 'by one rename: killed before every call' '
	killed "git update-ref --stdin <../again-packed" update-ref --stdin &&
	test_path_is_missing copy/.git/ref-journal
'

# Refs of every kind: the next command finishes the interrupted transaction.
mixed () {
	sed "s/^update HEAD .*/option no-deref\nsymref-update HEAD refs\/heads\/stays/" "$1" &&
	cat <<-EOF
	option no-deref
	symref-update worktrees/wt/HEAD refs/heads/new/deep
	option no-deref
	symref-update refs/heads/sym refs/heads/d/loose
	update refs/bisect/bad $(git -C template rev-parse main)
	EOF
}

test_expect_success 'a transaction with HEAD and the like: what it does' '
	mixed transaction >input && mixed again >again-mixed &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >after && grep "refs/heads/new/deep\$" after && git -C template rev-parse --verify HEAD
'

at_every_call "a transaction with HEAD and the like" "EIO ENOSPC+ short" update-ref --stdin

test_expect_success 'a transaction with HEAD and the like: killed before every call' '
	killed "git update-ref --stdin <../again-mixed" update-ref --stdin
'

# Killed when the record has its name, and one ref its value.
interrupted () {
	local n=10
	while n=$((n + 1)) && test $n -lt 1000; do
		rm -rf copy && cp -a template copy || return
		(cd copy && GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" update-ref --stdin) <input >out 2>&1
		test ! -e copy/.git/refs/heads/new/deep || break
	done
	test -n "$(records)"
}

records () {
	find copy/.git/ref-journal -type f ! -name "*.*" 2>/dev/null
}

test_expect_success 'a command that only reads finishes an interrupted transaction, once' '
	interrupted &&
	git -C copy rev-parse HEAD 2>err &&
	test_grep "^warning: finished a ref transaction that had been interrupted" err &&
	values copy >now && test_cmp after now &&
	git -C copy rev-parse HEAD 2>err && test_must_be_empty err &&
	test -z "$(find copy/.git/ref-journal -type f)"
'

test_expect_success 'a command with another object directory leaves the record to others' '
	mkdir -p nothing &&
	interrupted && rec=$(records) && cp "$rec" record &&
	GIT_OBJECT_DIRECTORY=$PWD/nothing git -C copy symbolic-ref HEAD >out &&
	test_cmp record "$rec" &&
	test_must_fail env GIT_OBJECT_DIRECTORY="$PWD/nothing" git -C copy branch -m packed x 2>err &&
	test_cmp record "$rec" &&
	git -C copy rev-parse HEAD && values copy >now && test_cmp after now
'

# A person removes the locks, and something else moves on: nothing of the record may happen later.
for change in "another value" "the same value again"
do
	test_expect_success "a ref of the record has got $change since: the record is set aside" '
		other=$(git -C template commit-tree -m other HEAD^{tree}) && interrupted && rec=$(records) &&
		find copy/.git -name "*.lock" -exec rm {} + &&
		ref=$(cd copy/.git && tr "\0" "\n" <../../"$rec" | sed -n "s,^main-worktree/,,; /^refs.heads/p" |
			while read r; do ! cmp -s "$r" "../../template/.git/$r" || echo "copy/.git/$r"; done |
			head -n 1) &&
		test -f "$ref" &&
		if test "$change" = "another value"; then echo $other; else cat "$ref"; fi >value &&
		rm "$ref" && sleep 0.02 && cp value "$ref" && rm -rf refs.then &&
		cp -R copy/.git/refs refs.then &&
		cp copy/.git/packed-refs packed.then && cp copy/.git/HEAD head.then &&
		git -C copy rev-parse HEAD 2>err &&
		test_grep "^warning: a ref transaction .* is not finished: .*set-aside" err &&
		diff -r refs.then copy/.git/refs && test_cmp packed.then copy/.git/packed-refs &&
		test_cmp head.then copy/.git/HEAD && test_path_is_missing "$rec" &&
		test_path_is_file "$rec.set-aside" && git -C copy rev-parse HEAD 2>err && test_must_be_empty err &&
		git -C copy refs verify 2>err && test_grep "set-aside: refTransactionSetAside" err
	'
done

test_expect_success STOCK_GIT 'stock git ignores the record: fsck, gc, worktree prune' '
	interrupted && rm copy/.git/packed-refs.new && rec=$(records) &&
	find copy/.git -name "*.lock" ! -path "*/ref-journal/*" -exec rm {} + &&
	stock -C copy fsck --strict 2>err && ! grep journal err &&
	stock -C copy gc -q && stock -C copy worktree prune --expire=now &&
	stock -C copy pack-refs --all && stock -C copy status -s &&
	test_path_is_file "$rec" &&
	git -C copy for-each-ref --format="%(refname) %(objectname) %(symref)" >now &&
	grep "^refs/" after >expect && test_cmp expect now &&
	test "$(git -C copy symbolic-ref HEAD)" = refs/heads/stays &&
	test_path_is_missing copy/.git/worktrees && test_path_is_missing "$rec"
'

test_expect_success 'the current branch gets another name: killed before every call' '
	: >input && rm -rf copy && cp -a template copy && git -C copy branch -m main moved &&
	values copy >after && grep "^ref: refs/heads/moved" after &&
	killed "if git show-ref -q --verify refs/heads/main; then git branch -m main moved; fi &&
		git branch -m moved main && git branch -m main moved" branch -m main moved
'

test_expect_success 'pack-refs: what it does' '
	whole () {
		values copy >now && cmp now before && sound
	} &&
	cp before after && : >input &&
	rm -rf copy && cp -a template copy && git -C copy pack-refs --all &&
	values copy >now && cmp now before && test -z "$(find copy/.git/refs -type f)"
'

at_every_call pack-refs "EIO ENOSPC+ EINTR short" pack-refs --all

test_expect_success 'pack-refs: killed before every call' '
	killed "git pack-refs --all" pack-refs --all
'

test_expect_success 'a single deletion: killed before every call' '
	whole () {
		values copy >now && { cmp -s now before || cmp -s now after; } && sound
	} &&
	grep -v refs/heads/both-goes before >after &&
	echo "delete refs/heads/both-goes" >input &&
	killed "git update-ref -d refs/heads/both-goes" update-ref --stdin &&
	sweep EIO update-ref --stdin && sweep ENOSPC+ update-ref --stdin
'

test_expect_success 'the rests of a killed deletion do not conflict with other names' '
	git -C template for-each-ref --format="delete %(refname)" refs/heads/d/ >input &&
	rm -rf copy && cp -a template copy && git -C copy update-ref --stdin <input &&
	values copy >gone && git -C copy update-ref refs/heads/d HEAD && values copy >after &&
	whole () {
		values copy >now && { cmp -s now before || cmp -s now gone; } && sound
	} &&
	killed "git update-ref --stdin <../input && git update-ref refs/heads/d HEAD &&
		test -f .git/logs/refs/heads/d" update-ref --stdin
'

test_expect_success 'a session that is killed after "prepare"' '
	rm -rf copy && cp -a template copy && cp before now &&
	{ echo start && cat transaction && echo prepare; } >session &&
	rm -f fifo && mkfifo fifo &&
	{ git -C copy update-ref --stdin <fifo >out & } && pid=$! &&
	exec 7>fifo && cat session >&7 &&
	while ! grep -q "prepare: ok" out && kill -0 $pid; do sleep 0.1; done &&
	test_path_is_file copy/.git/refs/heads/packed.lock &&
	kill -9 $pid && exec 7>&- && { wait $pid || :; } &&
	values copy >now && cmp now before &&
	git -C copy update-ref --stdin <transaction 2>err &&
	test_grep "removed stale lock .*refs/heads/packed.lock" err &&
	test -z "$(litter)"
'

test_done
