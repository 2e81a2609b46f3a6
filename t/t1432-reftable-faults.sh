#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='refs in tables: every system call of a command fails in turn, or is the last, or meets other tables

Refs are made, changed and removed in one transaction, tables are merged, reflogs are rewritten: whatever happens, all refs
have their old values or all have the new ones (P6), no lock is left behind (P4), the next command works, and what a
killed one left is swept (P5). A reader that is held still at any call gives the answer it would have given alone.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
GIT_TEST_SYSCALL_FLUSH=0
# Objects of the set-up are none of its business.
GIT_TEST_YOUNG_SECONDS=-10
# Runs of a command are compared, with their reflogs.
GIT_COMMITTER_DATE="1700000000 +0000"
export GIT_TEST_SYSCALL_FLUSH GIT_TEST_YOUNG_SECONDS GIT_TEST_FS_KIND GIT_COMMITTER_DATE
in_memory

values () {
	git -C "$1" for-each-ref --include-root-refs --format="%(refname) %(objectname) %(symref)" &&
	git -C "$1" log -g --all --format="%gd %H %gs"
}

locks () {
	local lock
	for lock in copy/.git/*.lock copy/.git/*/*.lock copy/.git/*/*/*.lock copy/.git/*/*/*/*.lock; do
		test ! -f "$lock" || echo "$lock"
	done
}

# Files that belong to no list.
strays () {
	(cd copy/.git/reftable && ls | grep -v -x -F -e tables.list -f tables.list)
}

# fails WORDS...
fails () {
	echo "call $n, $what$plus: $(grep injected log | head -n 1): $*" >&4
	return 1
}

# whole: all is as before, or all as after
whole () {
	values copy >now 2>err.values || { fails "not readable: $(cat err.values)"; return; }
	cmp -s now before || cmp -s now after || { diff before now >&4; fails torn; }
}

# calls CMD...: sets CALLS and CHOSEN (calls_of)
calls () {
	rm -rf missed copy && cp -a template copy &&
	(cd copy && calls_of $what$plus "$@" <../input >../out 2>&1 && echo "$CALLS $CHOSEN" >../chosen) &&
	CHOSEN=$(tr "\n" " " <chosen) && CALLS=${CHOSEN%% *} && CHOSEN=${CHOSEN#* } && test $CALLS -gt 8
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

# sweep WHAT CMD...
sweep () {
	local what=$1 n= i=0 plus=
	shift
	sweep_step $what 12
	case $what in *+) plus=+ what=${what%+} ;; esac
	calls "$@" || return
	for n in $CHOSEN; do
		one_fault "$@" && whole || return
		test -z "$(locks)" || { fails "locks: $(locks)"; return; }
		case "$code:$what" in
		0:*) cmp -s now after || { fails "success without a change"; return; } ;;
		*:EINTR) fails "did not go on: $(cat err)"; return ;;
		1:*|128:*|255:*) grep -q "reftable\|refs/\|directory" err || { fails "names no path: $(cat err)"; return; } ;;
		*) fails "exit code $code: $(cat err)"; return ;;
		esac
		test ! -f missed || break
	done
	echo "$i of $CALLS calls" >&4
	test -z "$GIT_TEST_LONG" || test -f missed
}

# killed AGAIN CMD...: before the calls; AGAIN then works, and pack-refs leaves nothing that no list names
killed () {
	local again=$1 what=KILL n= i=0 plus= SWEEP_STEP=4
	shift
	calls "$@" || return
	for n in $CHOSEN; do
		one_fault "$@" || return
		test $code = 137 || break
		whole || return
		(cd copy && eval "$again") >out 2>&1 || { fails "the next command fails: $(cat out)"; return; }
		git -C copy pack-refs 2>>out || { fails "pack-refs fails: $(cat out)"; return; }
		values copy >now && cmp now again.values >&4 || { fails "not all of it is there"; return; }
		test -z "$(locks)$(strays)" || { fails "left: $(locks) $(strays)"; return; }
	done
	echo "$i of $CALLS calls" >&4
	case $code:$GIT_TEST_LONG in 0:?*|137:) ;; *) fails "exit code $code" ;; esac
}

# does CMD...: the files before and after hold the values
does () {
	values template >before && rm -rf copy && cp -a template copy && git -C copy "$@" <input && values copy >after
}

test_expect_success 'setup' '
	git init -q -b main --ref-format=reftable template && (
		cd template && git config gc.auto 0 &&
		git commit -q --allow-empty -m one && git commit -q --allow-empty -m two &&
		H=$(git rev-parse main) && P=$(git rev-parse main~1) &&
		for i in 1 2 3 4 5 6 7 8 9; do
			echo "create refs/heads/old/$i $H" && echo "create refs/tags/v$i $P"
		done | git update-ref --stdin &&
		git update-ref refs/heads/goes $P && git update-ref refs/heads/goes $H && git branch side &&
		for i in 1 2; do git update-ref -m "step $i" refs/heads/old/$i $P || exit; done &&
		cat >../transaction <<-EOF &&
		create refs/heads/new/deep $H
		create refs/tags/new $P
		update refs/heads/side $P $H
		update refs/heads/old/9 $P $H
		delete refs/heads/goes $H
		delete refs/tags/v3
		verify refs/heads/old/4 $H
		EOF
		sed "s/^create/update/; s/\(update [^ ]* [^ ]*\) .*/\1/; s/\(delete [^ ]*\) .*/\1/" ../transaction >../again
	) && test_line_count -gt 1 template/.git/reftable/tables.list && : >input
'

test_expect_success 'a transaction, and the merge of tables with it: what it does' '
	cp transaction input && does update-ref --stdin && ! cmp -s before after && cp after again.values
'

# A single ENOSPC differs little from EIO: only with GIT_TEST_LONG.
for fault in EIO ${GIT_TEST_LONG:+ENOSPC} ENOSPC+ EINTR short
do
	test_expect_success "a transaction: $fault at every call" "sweep $fault update-ref --stdin"
done

# Values that are there already are not logged again.
test_expect_success 'a transaction: killed before every call' '
	killed "git update-ref --stdin <../again" update-ref --stdin
'

test_expect_success 'a transaction sweeps what a killed one left, even if it merges no tables (P5)' '
	rm -rf copy && cp -r template copy && git -C copy pack-refs &&
	cp copy/.git/reftable/*.ref copy/.git/reftable/0x000000000001-0x000000000001-0bad0bad.ref && test -n "$(strays)" &&
	git -C copy update-ref refs/heads/one-more HEAD && test_line_count = 2 copy/.git/reftable/tables.list && test -z "$(strays)"
'

test_expect_success 'pack-refs changes no value' '
	: >input && does pack-refs && test_cmp before after && test_line_count = 1 copy/.git/reftable/tables.list && cp after again.values
'

for fault in EIO ${GIT_TEST_LONG:+ENOSPC} ENOSPC+ EINTR short
do
	test_expect_success "pack-refs: $fault at every call" "sweep $fault pack-refs"
done

# steps CMD...: what the command does to names of files, by the kind of file
steps () {
	rm -f log && (cd copy && GIT_TEST_SYSCALL_LOG=../log "$FAULT_GIT" "$@" <../input) &&
	sed -n "/^rename\|^fsync\|^unlink/ { s, .*/reftable\$, directory,; s, .*0x000000000001-0x000000000001-0bad0bad, stray,
		s, .*0x[-0-9a-fx]*, table,; s, .*tables, tables,; p }" log | uniq
}

test_expect_success 'pack-refs locks the list twice for a moment; tables go after the seal (D8), and what nothing names with them' '
	rm -rf copy && cp -a template copy && table=$(head -n 1 copy/.git/reftable/tables.list) &&
	cp copy/.git/reftable/$table copy/.git/reftable/0x000000000001-0x000000000001-0bad0bad.ref && steps pack-refs >out &&
	cat >expect <<-\EOF &&
	unlink tables.list.lock
	rename table.ref
	rename tables.list
	unlink table.ref.lock
	fsync directory
	unlink table.ref
	unlink stray.ref
	EOF
	test_cmp expect out
'

test_expect_success 'HEAD of a worktree gets its new branch after the branch (D5)' '
	rm -rf copy log && cp -a template copy && wt=copy/.git/worktrees/wt && mkdir -p $wt/refs $wt/reftable &&
	echo "ref: refs/heads/.invalid" >$wt/HEAD && echo ../.. >$wt/commondir && echo "$PWD/wt/.git" >$wt/gitdir && : >$wt/reftable/tables.list &&
	git -C copy symbolic-ref worktrees/wt/HEAD refs/heads/side && H=$(git -C template rev-parse main) &&
	printf "%s\n" "option no-deref" "symref-update HEAD refs/heads/fresh" "create refs/heads/fresh $H" >input &&
	(cd copy && GIT_TEST_SYSCALL_LOG=../log "$FAULT_GIT" --git-dir=.git/worktrees/wt update-ref --stdin <../input) &&
	sed -n "s,^rename.*copy/.git/\(.*\)reftable/tables.list\$,\1list,p; s,^rename .* \.git/\(.*\)reftable/tables.list\$,\1list,p" log >out &&
	printf "%s\n" list worktrees/wt/list >expect && test_cmp expect out && : >input
'

test_expect_success 'pack-refs: killed before every call' '
	killed "git pack-refs" pack-refs
'

test_expect_success 'reflogs are rewritten: what it does' '
	does reflog expire --expire=all --all && ! cmp -s before after && cp after again.values
'

for fault in EIO ENOSPC+ EINTR short
do
	test_expect_success "reflog expire: $fault at every call" "sweep $fault reflog expire --expire=all --all"
done

test_expect_success 'reflog expire: killed before every call' '
	killed "git reflog expire --expire=all --all" reflog expire --expire=all --all
'

# Tables that are too large to be merged with a transaction.
large () {
	awk -v h=$1 -v k=$2 "BEGIN { for (i = 0; i < 6000; i++) printf \"create refs/k%d/%d-%07.0f %s\\n\", k, i, i * 7919 % 1000003, h }"
}

test_expect_success 'a transaction that leaves large tables uneven merges them: what it does' '
	H=$(git -C template rev-parse main) && git init -q -b none --ref-format=reftable large &&
	git -C large fetch -q ../template main:other && git -C large symbolic-ref HEAD refs/heads/other && large $H 1 | git -C large update-ref --stdin &&
	git -C large pack-refs && mv copy old && mv large copy && test -z "$(strays)" && mv copy large && mv old copy &&
	test $(cat large/.git/reftable/*.ref | wc -c) -gt 131072 && mv template small && mv large template &&
	large $H 2 >input && does update-ref --stdin && test_line_count = 1 copy/.git/reftable/tables.list &&
	large $H 3 | git -C copy update-ref --stdin && large $H 4 | git -C copy update-ref --stdin &&
	test $(strays | wc -l) -le 2 && git -C copy pack-refs && test -z "$(strays)" && sed "s/create/update/" input >again &&
	cp after again.values
'

test_expect_success 'it merges them after the seal, and removes none: no seal follows (D8)' '
	rm -rf copy && cp -a template copy && (cd copy/.git/reftable && ls *.ref | grep -v -x -F -f tables.list | xargs rm -f) &&
	steps update-ref --stdin >out && cat >expect <<-\EOF &&
	rename table.ref
	rename tables.list
	fsync directory
	unlink tables.list.lock
	rename table.ref
	rename tables.list
	unlink table.ref.lock
	EOF
	test_cmp expect out && test $(strays | wc -l) = 2
'

for fault in EIO ENOSPC+
do
	test_expect_success "a transaction with large tables: $fault at every call" "sweep $fault update-ref --stdin"
done

test_expect_success 'a transaction with large tables: killed before every call' '
	killed "git update-ref --stdin <../again" update-ref --stdin
'

test_expect_success 'pack-refs waits for a process that merges tables' '
	rm -rf template copy && mv small template && cp -a template copy &&
	table=$(head -n 1 copy/.git/reftable/tables.list) &&
	{ (cd copy && exec env GIT_TEST_SYSCALL_DELAY=200000 "$FAULT_GIT" pack-refs) & } && other=$! &&
	while test ! -e copy/.git/reftable/$table.lock && kill -0 $other 2>/dev/null; do sleep 0.02; done &&
	git -C copy pack-refs && wait $other && test_line_count = 1 copy/.git/reftable/tables.list && test -z "$(strays)"
'

test_expect_success 'pack-refs leaves the lock of a table that another Git holds' '
	rm -rf copy && cp -a template copy && table=$(head -n 1 copy/.git/reftable/tables.list) &&
	>copy/.git/reftable/$table.lock && test_must_fail git -C copy pack-refs 2>err &&
	test_grep "being compacted by another process" err && test_path_is_file copy/.git/reftable/$table.lock
'

test_done
