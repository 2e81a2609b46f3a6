#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: uploadpack.maxConcurrent'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"
. "$TEST_DIRECTORY/lib-share.sh"

test -r /proc/sys/kernel/random/boot_id || {
	skip_all='locks of open files are Linux'\''s'
	test_done
}

# Without bands; its exit code.
plain_client () {
	start_client $1 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 && wait_until test -s code.$1 && return $(cat code.$1)
}
no_runs () {
	: >runs && rm -f go
}
ONE_AT_ONCE="-c uploadpack.maxConcurrent=1"

test_expect_success 'set up' '
	git init -q -b main repo && (cd repo && test_commit one && test_commit two &&
	 head -c 300000 /dev/urandom >big && git add big && git commit -q -m big) && MAIN=$(git -C repo rev-parse HEAD) &&
	TRASH_DIRECTORY=$PWD && export TRASH_DIRECTORY && halting_hook halt && HALT="uploadpack.packObjectsHook=$PWD/halt" &&
	fetch_request "want $MAIN" done >lines && client 0 $ONE_AT_ONCE && cp pack.0 whole && mkdir -m 700 cache
'

test_expect_success 'one waits, with keepalives, until the other has its pack' '
	no_runs && start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 1" &&
	start_client 2 $ONE_AT_ONCE -c "$HALT" -c uploadpack.keepAlive=1 &&
	wait_until "test \$(\"$PKT\" decode <raw.2 2>/dev/null | grep -c \"^band 1: 0$\") -ge 2" && test $(runs) = 1 &&
	>go && end_client 1 && end_client 2 && cmp whole pack.1 && cmp whole pack.2 && test $(runs) = 2
'

test_expect_success 'upload-pack sends an error to a client that has waited too long' '
	no_runs && start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 1" &&
	test_expect_code 128 client 2 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=1 -c "$HALT" &&
	test_grep "^band 3: upload-pack: too many clients fetch from this repository at the moment; waited 1 seconds, try again later" answer.2 &&
	! grep "^0000" answer.2 && test_expect_code 128 client 3 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 &&
	test_grep "^band 3: .*try again later" answer.3 && cp lines v2 &&
	printf "%s\n" "want $MAIN ofs-delta" 0000 done >lines && PROTOCOL= && test_expect_code 128 plain_client 4 &&
	unset PROTOCOL && cp v2 lines && test_grep "^fatal: .*try again later" err.4 && printf "0008NAK\n" >expect && cmp expect raw.4 &&
	test $(runs) = 1 && >go && end_client 1 && cmp whole pack.1 && client 5 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 &&
	cmp whole pack.5
'

test_expect_success 'each repository has its own, and so many as are said' '
	no_runs && cp -R repo other && start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 1" &&
	REPO=other client 2 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 && cmp whole pack.2 &&
	client 3 -c uploadpack.maxConcurrent=2 -c uploadpack.maxConcurrentWait=0 && cmp whole pack.3 &&
	start_client 4 -c uploadpack.maxConcurrent=2 -c "$HALT" && wait_until "test \$(runs) = 2" &&
	test_expect_code 128 client 5 -c uploadpack.maxConcurrent=2 -c uploadpack.maxConcurrentWait=0 &&
	client 6 && client 7 -c uploadpack.maxConcurrent=3 -c uploadpack.maxConcurrentWait=0 && >go && end_client 1 && end_client 4
'

test_expect_success 'the place is free again before the connection ends' '
	{ fetch_request "want $MAIN" done && fetch_request "want $MAIN" done; } >two &&
	STATELESS= && serve repo $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 <two && unset STATELESS &&
	test $(wc -c <pack) = $((2 * $(wc -c <whole))) && ! grep "^band 3" answer
'

test_expect_success 'a dozen at once: never more than two compute' '
	: >log && write_script timed <<-\EOF &&
	cat >/dev/null; echo + >>"$TRASH_DIRECTORY/log"; sleep 0.1; echo - >>"$TRASH_DIRECTORY/log"; cat "$TRASH_DIRECTORY/whole"
	EOF
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		start_client $i -c uploadpack.maxConcurrent=2 -c "uploadpack.packObjectsHook=$PWD/timed" || return 1
	done &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do end_client $i && cmp whole pack.$i || return 1; done &&
	test_line_count = 24 log && awk "/[+]/ { n++; if (n > max) max = n } /-/ { n-- } END { exit max > 2 }" log
'

test_expect_success 'a server that is killed leaves no place taken' '
	no_runs && start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 1" && kill -9 $(cat pid.1) &&
	wait_until test -s code.1 && client 2 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 && cmp whole pack.2 && >go
'

test_expect_success 'requests that need no computed pack do not wait' '
	no_runs && git -C repo rev-parse HEAD~1 >two && start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 1" &&
	"$PKT" encode >request <<-EOF && GIT_PROTOCOL=version=2 git $ONE_AT_ONCE upload-pack --stateless-rpc repo <request >out &&
	command=ls-refs
	object-format=$TEST_HASH
	0000
	EOF
	grep -a refs/heads/main out && >go && end_client 1
'

share () {
	local n=$1
	shift
	start_client $n $ONE_AT_ONCE -c uploadpack.shareIdentical=600 -c uploadpack.shareDirectory="$PWD/cache" "$@"
}

test_expect_success 'followers do not count, fillers do' '
	no_runs && share 0 && end_client 0 && rm -f go && share 1 -c "$HALT" && wait_until "test \$(runs) = 1" && >go && end_client 1 && rm go &&
	for i in 2 3 4 5; do share $i -c "$HALT" || return 1; done && wait_until "test \$(runs) = 2" &&
	for i in 2 3 4 5; do wait_until "traced $i request | grep -q ." || return 1; done &&
	test_expect_code 128 client 6 $ONE_AT_ONCE -c uploadpack.maxConcurrentWait=0 && test_grep "^band 3: .*try again later" answer.6 &&
	>go && for i in 2 3 4 5; do end_client $i && cmp whole pack.$i || return 1; done && test $(runs) = 2
'

test_expect_success 'all clients get the error if the process that makes the pack finds no slot' '
	rm -rf cache && mkdir -m 700 cache && no_runs && >go && share 0 -c "$HALT" && end_client 0 && rm go &&
	start_client 1 $ONE_AT_ONCE -c "$HALT" && wait_until "test \$(runs) = 2" &&
	share 2 -c "$HALT" -c uploadpack.maxConcurrentWait=6 && wait_until "traced 2 request | grep -q ." && share 3 -c "$HALT" &&
	: the third does not begin to wait by itself when the filler gives up &&
	for i in 2 3; do test_expect_code 128 end_client $i && test_grep "^band 3: upload-pack: too many .* waited 6 seconds, try again later" answer.$i || return 1; done &&
	test "$(traced 3 request)" = found &&
	test $(runs) = 2 && >go && end_client 1 && share 4 -c "$HALT" && end_client 4 && cmp whole pack.4
'

test_done
