#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of receive-pack fails in turn; flushes; a full disk

Whatever fails, the repository is as before or has the whole push, and the client hears so. Calls of the child that reads the
pack count as well: each process counts its own.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"
. "$TEST_DIRECTORY/lib-receive.sh"

litter () {
	find "$1" -name "*.lock" -o -name "tmp_*"
}
unset GIT_TEST_SYSCALL_FLUSH
told_ok () {
	grep -a -o "[0-9a-f]ok refs/" out >told || :
	test $(wc -l <told) = "$1"
}
# Each ref has its old or its new value; the client has heard "ok" of exactly those that have changed, or nothing could be said any more.
honest () {
	git -C copy fsck --strict --no-dangling >fsck 2>&1 || { cat fsck; return 1; }
	refs copy >now && sort -u before after >both && sort now | comm -23 - both >strange && test ! -s strange || return
	NR=$(sort before | comm -13 - now | wc -l)
	cmp -s now before || cmp -s now after || test -z "$ATOMIC" || { echo "half of an atomic push"; return 1; }
	told_ok $NR || told_ok 0
}
# receiving WHAT SERVER ARG...: a push to a copy of the server, with the first, second, … call of each process failing, until none has
# so many; with SWEEP_STEP=4 every fourth of them
receiving () {
	local what=$1 template=$2 n=0 plus=
	shift 2
	case $what in *+) plus=+ what=${what%+} ;; esac
	record $template "$@" && refs $template >before && refs recorded >after && ! cmp -s before after || return
	while :; do
		n=$((n + SWEEP_STEP))
		rm -rf copy && cp -a "$template" copy && rm -f log && (
			GIT_TEST_SYSCALL_LOG=$PWD/log GIT_TEST_SYSCALL_FAIL=$n$plus:$what
			export GIT_TEST_SYSCALL_LOG GIT_TEST_SYSCALL_FAIL && "$FAULT_GIT" receive-pack copy <request >out 2>err
		)
		case $? in 0|1|128) ;; *) echo "call $n: crashed" >&4; return 1 ;; esac
		grep -q injected log || break
		test -z "$(litter copy)" && honest >&4 || {
			echo "call $n: $(grep -a injected log | head -n 2) $(litter copy) $(cat err)" >&4
			return 1
		}
		case $what in EINTR) cmp now after >&4 || { echo "call $n: did not go on: $(grep injected log)" >&4; return 1; } ;; esac
	done
	echo "$n calls" >&4 && test $n -gt 40
}

test_expect_success 'a client and servers' '
	client_work && server few && git -C few update-ref refs/heads/old main && cp -a few many && git -C many config receive.unpackLimit 1 &&
	test_commit -C work new && git -C work tag -m tag v1 &&
	git config --global core.sandbox false
'

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 12
	test_expect_success "loose objects: $what" '
		receiving $what few main:refs/heads/a main:refs/heads/b v1
	'
	test_expect_success "a pack, atomic: $what" '
		ATOMIC=1 && receiving $what many --atomic main main:refs/heads/b v1; code=$?; ATOMIC=; return $code
	'
done

test_expect_success 'confined, too' '
	git config --global --unset core.sandbox && SWEEP_STEP=7 && receiving EIO few main:refs/heads/a main:refs/heads/b
'

# A push of 100 refs to "full/s", with so little room left as can be: KiB by KiB more until it succeeds
test_expect_success TMPFS 'a disk that is full: each ref has its reason, and nothing is left' '
	mount_tmpfs full 1m && cp -a few full/s && refs full/s >before &&
	head -c 100000 /dev/urandom >work/big && git -C work add big && git -C work commit -q -m big &&
	record few $(seq -f "main:refs/heads/x/n%g" 100) && refs recorded >after && failures=0 && room=0 && while :; do
		dd if=/dev/zero of=full/fill bs=1k count=$(($(df -k --output=avail full | tail -n 1) - room)) 2>/dev/null && code=0 && git receive-pack full/s <request >out 2>err || code=$?
		rm -f full/fill && refs full/s >now && test -z "$(litter full/s)" && git -C full/s fsck --strict --no-dangling >fsck 2>&1 || return 1
		cmp -s now after && break
		cmp now before >&4 && failures=$((failures + 1)) && room=$((room + 8)) || return 1
		case $code in 0) test $(grep -a -o "ng refs/heads/x/n[0-9]* [^ ]" out | wc -l) = 100 || return 1 ;; esac
		test $room -lt 900 || return 1
	done && test $failures -gt 5
'

# flushes EXPECTED SERVER ARG...
flushes () {
	local want=$1 template=$2
	shift 2
	record $template "$@" && rm -rf copy && cp -a $template copy &&
	test "$(count_flushes git receive-pack copy <request)" = "$want" &&
	refs copy >now && refs recorded >after && test_cmp after now
}

test_expect_success STRACE 'one flush for a push, whatever is in it' '
	for lim in 1 100; do
		git -C few config receive.unpackLimit $lim && for n in 1 100; do
			flushes 1 few $(seq -f "main:refs/heads/n%g" $n) && flushes 1 few --atomic $(seq -f "main:refs/heads/n%g" $n) || return 1
		done
	done && flushes 1 few :old
'

test_expect_success STRACE 'none without' '
	git -C few config core.fsync none && flushes 0 few main:refs/heads/a && git -C few config --unset core.fsync &&
	GIT_TEST_FSYNC=0 && export GIT_TEST_FSYNC && flushes 0 few main:refs/heads/a && unset GIT_TEST_FSYNC
'

test_done
