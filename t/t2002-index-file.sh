#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the index file: versions, extensions, racy entries, bad files'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PEER; then
	skip_all='no stock git to compare with'
	test_done
fi

version () {
	od -An -tx1 -j7 -N1 "$1" | tr -d ' '
}

same_listing () {
	git -C "$1" ls-files -s -v >ours.ls && stock -C "$1" ls-files -s -v >theirs.ls &&
	test_cmp theirs.ls ours.ls
}

test_expect_success 'set up' '
	git init -q repo &&
	mkdir -p repo/a/b/c repo/d &&
	for i in 1 2 3 4 5 6 7 8 9; do
		echo $i >repo/a/b/c/file$i && echo $i >repo/a/file-$i && echo $i >repo/d/$i || return 1
	done &&
	git -C repo add . &&
	git -C repo commit -q -m one
'

test_expect_success 'version 2 unless a flag needs 3; stock git reads both' '
	test "$(version repo/.git/index)" = 02 &&
	git -C repo update-index --skip-worktree d/1 &&
	test "$(version repo/.git/index)" = 03 &&
	same_listing repo &&
	git -C repo update-index --no-skip-worktree d/1 &&
	test "$(version repo/.git/index)" = 02
'

test_expect_success 'a new index has the version that is asked for' '
	for how in "-c index.version=4" "-c feature.manyFiles=true"
	do
		rm -f repo/.git/index &&
		git -C repo $how update-index --add d/1 &&
		test "$(version repo/.git/index)" = 04 &&
		same_listing repo || return 1
	done &&
	rm repo/.git/index &&
	GIT_INDEX_VERSION=4 git -C repo add . &&
	test "$(version repo/.git/index)" = 04 &&
	same_listing repo &&
	git -C repo -c index.version=2 update-index --chmod=+x d/1 --chmod=-x d/1 &&
	test "$(version repo/.git/index)" = 04 &&
	git -C repo update-index --index-version 2
'

test_expect_success 'we read an index that stock git wrote in threads, with offset tables' '
	stock -C repo -c index.threads=4 -c index.recordEndOfIndexEntries=true \
		-c index.recordOffsetTable=true update-index --force-write-index --index-version 4 &&
	grep -a -q IEOT repo/.git/index &&
	grep -a -q EOIE repo/.git/index &&
	same_listing repo &&
	git -C repo update-index --force-write-index &&
	stock -C repo status --porcelain >out &&
	test_must_be_empty out
'

test_expect_success 'untracked cache and fsmonitor data do not stay' '
	stock -C repo update-index --untracked-cache &&
	stock -C repo status >/dev/null &&
	grep -a -q UNTR repo/.git/index &&
	git -C repo ls-files >/dev/null &&
	git -C repo update-index --force-write-index &&
	! grep -a -q UNTR repo/.git/index &&
	: >repo/new && test_when_finished "rm repo/new" &&
	stock -C repo status --porcelain >out &&
	echo "?? new" >expect &&
	test_cmp expect out
'

test_expect_success 'no split index is written (t2004 reads them)' '
	cp repo/.git/index saved && test_must_fail git -C repo update-index --split-index && cmp saved repo/.git/index &&
	git -C repo rev-parse --shared-index-path >out && test_must_be_empty out
'

test_expect_success 'index.skipHash' '
	git -C repo -c index.skipHash=true update-index --force-write-index &&
	tail -c 20 repo/.git/index | od -An -tx1 | tr -d " \n0" >sum &&
	test_must_be_empty sum &&
	git -C repo status --porcelain >out &&
	test_must_be_empty out &&
	git -C repo update-index --force-write-index &&
	stock -C repo fsck
'

# ---- bad files ----

# bad NAME 'command that spoils $f'
bad () {
	cp repo/.git/index saved
	f=repo/.git/index
	eval "$2"
	cp $f spoiled
	for cmd in "ls-files" "status" "add d/1" "update-index --refresh" "write-tree" \
		"commit -m x" "rm -q --cached d/1" "read-tree -m HEAD"
	do
		if git -C repo $cmd >out 2>err; then
			echo "$1: $cmd succeeds" && cp saved $f && return 1
		fi
		test_grep "index" err && cmp spoiled $f && test_path_missing $f.lock ||
			{ cp saved $f; return 1; }
	done
	cp saved $f
}

test_expect_success 'bad checksum, signature, version; truncated; empty' '
	bad checksum "printf X | dd of=\$f bs=1 seek=100 conv=notrunc 2>/dev/null" &&
	bad signature "printf X | dd of=\$f bs=1 seek=1 conv=notrunc 2>/dev/null" &&
	bad truncated "head -c 300 saved >\$f" &&
	bad short "head -c 11 saved >\$f" &&
	bad empty ": >\$f"
'

test_expect_success 'read-tree makes a new one without looking at the old' '
	cp repo/.git/index saved &&
	: >repo/.git/index &&
	git -C repo read-tree HEAD &&
	git -C repo update-index --refresh &&
	git -C repo status --porcelain >out &&
	test_must_be_empty out
'

# ---- racy entries ----

test_expect_success 'a change in the tick of the index is seen' '
	for i in 1 2 3 4 5 6 7 8 9 10
	do
		echo one >repo/d/racy && git -C repo add d/racy && echo two >repo/d/racy &&
		git -C repo ls-files -m >out &&
		grep racy out >/dev/null || return 1
	done
'

test_expect_success 'an entry whose time is that of the index is compared by content' '
	echo one >repo/d/racy && git -C repo add d/racy &&
	touch -d @1600000000 repo/d/racy && git -C repo update-index --refresh &&
	echo two >repo/d/racy && touch -d @1600000000 repo/d/racy repo/.git/index &&
	git -C repo -c core.trustctime=false ls-files -m >out &&
	echo d/racy >expect &&
	test_cmp expect out
'

test_expect_success 'and still is after a newer index has replaced it' '
	git -C repo -c core.trustctime=false update-index --chmod=+x d/2 --chmod=-x d/2 &&
	git -C repo -c core.trustctime=false ls-files -m >out &&
	test_cmp expect out &&
	stock -C repo -c core.trustctime=false diff-files --name-only >out &&
	test_grep d/racy out
'

test_expect_success 'a change that only fractions of a second show is kept for readers of whole seconds' '
	git init -q seconds &&
	git -C seconds config core.trustctime false &&
	for f in changed same
	do
		echo one >seconds/$f && touch -d @1600000000.1 seconds/$f && git -C seconds add $f || return 1
	done &&
	echo two >seconds/changed && touch -d @1600000000.5 seconds/changed seconds/same &&
	touch -d @1600000000.9 seconds/.git/index &&
	echo other >seconds/other &&
	git -C seconds update-index --add other &&
	git -C seconds ls-files --debug changed same >dbg &&
	sed -n "s/^  *size: \([0-9]*\).*/\1/p" dbg >actual &&
	printf "%s\n" 0 4 >expect &&
	test_cmp expect actual &&
	git -C seconds diff-files --name-only -G. >actual &&
	echo changed >expect &&
	test_cmp expect actual
'

test_expect_success 'status resolves entries that are only racy' '
	git -C repo add d/racy &&
	touch -r repo/d/racy repo/.git/index &&
	git -C repo status --porcelain -uno >/dev/null &&
	git -C repo ls-files --debug d/racy >dbg &&
	test_grep ! "size: 0" dbg &&
	stock -C repo diff-files --exit-code
'

# file and index get the same time; ctime must not tell more than that
same_time () {
	touch -d @1600000000 "$@" raced/.git/index
}

test_expect_success 'setup: entries as old as the index' '
	git init -q raced && git -C raced config core.trustctime false &&
	printf "*.txt text\n*.up filter=up\n" >raced/.gitattributes &&
	git -C raced config filter.up.clean "tr a-z A-Z" &&
	echo one >raced/same && echo one >raced/changed && echo one >raced/loud.up &&
	echo one >raced/late && printf "one\r\n" >raced/crlf.txt && echo x >raced/other &&
	git -C raced add . && git -C raced commit -qm one &&
	( cd raced && touch -d @1600000000 same changed late loud.up crlf.txt ) &&
	git -C raced update-index --refresh
'

# An index that another git reads must not call them changed: it goes by the size.
test_expect_success 'only entries whose files have changed get size 0, by each command that writes the index' '
	for cmd in "add other" "update-index other" "rm -q -f --cached other" write-tree \
		   "read-tree -m HEAD" "commit -qm again -- other"
	do
		echo "$cmd" >>raced/other && echo one >raced/changed &&
		git -C raced add other changed && touch -d @1600000000 raced/changed &&
		git -C raced update-index --refresh && touch raced/late &&
		echo two >raced/changed && same_time raced/changed &&
		if test "${cmd%other}" != "$cmd"; then echo more >>raced/other; fi &&
		git -C raced $cmd >/dev/null && git -C raced ls-files --debug >dbg &&
		awk "/^[^ ]/ { name = \$1 } \$1 == \"size:\" && !\$2 && name != \"other\" { print name }" dbg >empty &&
		echo changed >expect && test_cmp expect empty || { echo "$cmd"; return 1; }
	done
'

test_expect_success 'size 0 alone makes no change' '
	git -C raced ls-files -m >out && test_grep "^changed$" out &&
	echo one >raced/changed && touch -d @1600000000 raced/changed &&
	git -C raced ls-files --debug changed >dbg && test_grep "size: 0" dbg &&
	git -C raced status --porcelain changed >out && test_must_be_empty out &&
	git -C raced ls-files -m changed >out && test_must_be_empty out
'

test_expect_success 'another size than the known one is a change, even with the same blob' '
	printf "one\n" >raced/crlf.txt && touch -d @1600000000 raced/crlf.txt &&
	git -C raced ls-files -m crlf.txt >out && echo crlf.txt >expect && test_cmp expect out
'

# ---- refreshing by other commands ----

test_expect_success 'status writes the index only if that saves work later' '
	git -C repo status >/dev/null && cp repo/.git/index before &&
	touch -d @1600000001 repo/d/3 &&
	GIT_OPTIONAL_LOCKS=0 git -C repo status >/dev/null &&
	cmp before repo/.git/index &&
	: >repo/.git/index.lock &&
	git -C repo status >/dev/null &&
	cmp before repo/.git/index &&
	rm repo/.git/index.lock &&
	git -C repo status >/dev/null &&
	! cmp -s before repo/.git/index &&
	ls -i repo/.git/index >before &&
	git -C repo status &&
	ls -i repo/.git/index >after &&
	test_cmp before after
'

test_expect_success STRACE 'the content of the index comes before its name; no flush for changes of others' '
	touch -d @1600000002 repo/d/3 &&
	trace_calls calls fsync,fdatasync,syncfs,sync_file_range,rename git -C repo status &&
	grep -n "rename(.*index.lock" calls >rename &&
	test_line_count = 1 rename &&
	head -n "$(cut -d: -f1 rename)" calls >before &&
	grep -E "sync_file_range\(.*WAIT_AFTER|fsync\(" before &&
	! grep syncfs calls
'

test_expect_success STRACE,LOOPMNT 'where the journal is ordered, without any' '
	mkdir mnt && mount_loop mnt 16M && git init -q mnt/repo &&
	echo x >mnt/repo/x && git -C mnt/repo add . && touch -d @1600000000 mnt/repo/x &&
	n=$(count_flushes git -C mnt/repo -c core.fsyncMethod=batch status) &&
	test "$n" = 0
'

test_expect_success STRACE 'GIT_TEST_FS_KIND has an effect here, too' '
	for kind in journal:0 local:2 each:1
	do
		touch -d @160000001${kind#*:} repo/d/3 &&
		n=$(GIT_TEST_FS_KIND=${kind%:*} count_flushes env -u GIT_TEST_FSYNC \
			git -C repo -c core.fsyncMethod=batch status) &&
		test "$n" = ${kind#*:} || return 1
	done
'

# every_fault ERROR CODES CMD...: CMD, which makes a/file-1 executable if it writes the
# index at all, with its first, second, … call failing, each in a copy of repo: an exit
# code of CODES, no lock left, an index that stock git reads; after a failure it is the
# old one, or, if the seal is what failed, the new one.
every_fault () {
	local error=$1 codes=$2 n=0 code
	shift 2
	rm -f missed
	while test ! -f missed; do
		n=$((n + 1)) code=0
		rm -rf copy && cp -a repo copy && touch -d @1700000000 copy/d/3 &&
		cp copy/.git/index before || return
		(cd copy && GIT_TEST_SYSCALL_FAIL=$n:$error \
			GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed \
			"$GIT_BUILD_DIR/t/helper/fault-git" "$@" >../out 2>../err) || code=$?
		case " $codes " in
		*" $code "*) ;;
		*) echo "call $n: exit code $code: $(cat err)" && return 1 ;;
		esac
		test_path_missing copy/.git/index.lock &&
		stock -C copy ls-files -s >listing &&
		stock -C copy fsck --no-dangling >/dev/null 2>&1 || return 1
		test $code = 0 && continue
		grep "[.]git" err || return 1
		if grep "durability is uncertain" err; then
			grep "^100755 .*a/file-1" listing
		else
			cmp before copy/.git/index
		fi || return 1
	done
	test $n -gt 4
}

if test -x "$GIT_BUILD_DIR/t/helper/fault-git"; then
	test_set_prereq FAULT
fi

test_expect_success FAULT 'no failing call spoils the index or leaves its lock' '
	for error in EIO ENOSPC
	do
		every_fault $error "0 128" update-index --chmod=+x a/file-1 &&
		every_fault $error 0 status || return 1
	done &&
	every_fault EINTR 0 update-index --chmod=+x a/file-1 &&
	every_fault short 0 update-index --chmod=+x a/file-1
'

test_expect_success 'one lock for all: a held lock fails a command, names it, changes nothing' '
	cp repo/.git/index before &&
	: >repo/.git/index.lock && test_when_finished "rm -f repo/.git/index.lock" &&
	for cmd in "add ." "rm -q --cached d/1" "commit -q -a -m x" "read-tree HEAD" \
		"update-index --add d/racy --chmod=+x d/1"
	do
		test_must_fail git -C repo $cmd 2>err &&
		test_grep "index.lock" err &&
		cmp before repo/.git/index || return 1
	done &&
	git -C repo status >/dev/null &&
	git -C repo write-tree
'

test_done
