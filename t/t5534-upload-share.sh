#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: identical requests share one computation'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"
. "$TEST_DIRECTORY/lib-share.sh"

# OFD locks and boot ids are Linux's.
test -r /proc/sys/kernel/random/boot_id || {
	skip_all='no boot id here'
	test_done
}

# Each client: N [OPTIONS...]
share () {
	local n=$1
	shift
	client $n -c uploadpack.shareIdentical=${AGE:-600} -c uploadpack.shareDirectory="$PWD/cache" "$@"
}
start_share () {
	local n=$1
	shift
	start_client $n -c uploadpack.shareIdentical=${AGE:-600} -c uploadpack.shareDirectory="$PWD/cache" "$@"
}
# One whose client reads from the pipe "slow".
start_slow () {
	rm -f slow slow.code && mkfifo slow && "$PKT" encode <lines >request || return 1
	(
		GIT_PROTOCOL=version=2 git -c uploadpack.shareIdentical=600 -c uploadpack.shareDirectory="$PWD/cache" \
			upload-pack --stateless-rpc repo <request >slow
		echo $? >slow.code
	) &
}
# Client 1, of a server whose files may have 2,048,000 bytes
start_limited () {
	rm -f raw.1 code.1 && "$PKT" encode <lines >request || return 1
	(
		(
			ulimit -f 4000 && export HEAD=1900000
			GIT_PROTOCOL=version=2 GIT_TRACE2_EVENT=$PWD/trace.1 git -c uploadpack.shareIdentical=600 -c "$HALT" \
				-c uploadpack.shareDirectory="$PWD/cache" upload-pack --stateless-rpc repo <request
			echo $? >code.1
		) | cat >raw.1
	) &
}
new_cache () {
	rm -rf cache runs go trace.* && mkdir -m 700 cache && : >runs
}

test_expect_success 'set up' '
	git init -q -b main repo && (cd repo && test_commit one && test_commit two &&
	 git tag -a -m annotated v1 && test_commit three &&
	 head -c 3000000 /dev/urandom >big && git add big && git commit -q -m big) &&
	MAIN=$(git -C repo rev-parse HEAD) && TWO=$(git -C repo rev-parse HEAD~2) && ONE=$(git -C repo rev-parse HEAD~3) &&
	git -C repo rev-list --objects $MAIN | cut -d" " -f1 >all &&
	TRASH_DIRECTORY=$PWD && export TRASH_DIRECTORY &&
	counting_hook count && halting_hook halt && COUNT="uploadpack.packObjectsHook=$PWD/count" &&
	HALT="uploadpack.packObjectsHook=$PWD/halt" && fetch_request "want $MAIN" done >clone &&
	fetch_request "want $TWO" done >small && cp clone lines && client 0 && mv pack.0 whole
'

test_expect_success 'the first is alone, the second has a file made, the others follow it' '
	new_cache && cp clone lines && share 1 && share 2 && share 3 &&
	for i in 1 2 3; do cp pack.$i pack && pack_holds all || return 1; done &&
	cmp pack.2 pack.3 && test "$(traced 1 request)" = new && test "$(traced 2 request)" = again &&
	test "$(traced 3 request)" = found && test "$(counted 1 hits)$(counted 2 hits)" = "" && test "$(counted 3 hits)" = 1 &&
	test -z "$(counted 1 bytes)" && test "$(counted 3 bytes)" = $(wc -c <pack.3) &&
	test "$(counted 2 bytes)" = $(wc -c <pack.2) && test "$(counted 2 waits)" -ge 1 &&
	ls cache >names && test_line_count = 2 names
'

test_expect_success 'confined servers share, with a hook and without' '
	state () { sed -n "s/.*\"key\":\"state\",\"value\":\"\([^\"]*\).*/\1/p" trace.$1; } &&
	cp clone lines && client 0 && usual=$(state 0) && case "$usual" in *"no "*) on=auto ;; *) on=true ;; esac &&
	for hook in "" "$COUNT"
	do
		new_cache && for i in 1 2 3 4
		do
			share $i -c core.sandbox=$on -c "${hook:-a.b=c}" && cp pack.$i pack && pack_holds all &&
			test "$(state $i)" = "$usual" || return 1
		done && test "$(traced 2 request)" = again && test "$(traced 4 request)" = found &&
		cmp pack.2 pack.4 && test "$(counted 2 bytes)" = $(wc -c <pack.2) &&
		test $(runs) = $(test -n "$hook" && echo 2 || echo 0) || return 1
	done
'

test_expect_success 'ten in a row are two computations' '
	new_cache && cp clone lines && for i in 1 2 3 4 5 6 7 8 9 10; do share $i -c "$COUNT" || return 1; done &&
	test $(runs) = 2 && cp pack.10 pack && pack_holds all && for i in 3 4 5 6 7 8 9 10
	do
		cmp pack.2 pack.$i && test "$(traced $i request)" = found || return 1
	done
'

test_expect_success 'ten at once follow one that grows' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	for i in 1 2 3 4 5 6 7 8 9 10; do HEAD=1500000 start_share $i -c "$HALT" || return 1; done &&
	for i in 1 2 3 4 5 6 7 8 9 10; do wait_until received_some $i 1000000 || return 1; done &&
	for i in 1 2 3 4 5 6 7 8 9 10; do test ! -e code.$i || return 1; done &&
	>go && for i in 1 2 3 4 5 6 7 8 9 10; do end_client $i && cmp pack.0 pack.$i || return 1; done &&
	test $(runs) = 2
'

test_expect_success 'only off, or without a directory: nothing is shared' '
	new_cache && cp small lines && AGE=0 share 1 -c "$COUNT" && AGE=0 share 2 -c "$COUNT" && AGE=0 share 3 -c "$COUNT" &&
	test $(runs) = 3 && ls cache >names && test_must_be_empty names &&
	for i in 1 2 3; do client $i -c uploadpack.shareIdentical=600 -c "$COUNT" || return 1; done &&
	test $(runs) = 6 && test "$(traced 3 off)" = "uploadpack.shareDirectory is not set" &&
	git -C repo config uploadpack.shareDirectory "$PWD/cache" && client 1 -c uploadpack.shareIdentical=600 &&
	ls cache >names && test_must_be_empty names && git -C repo config --unset uploadpack.shareDirectory &&
	test_must_fail client 1 -c uploadpack.shareIdentical=-1 && test_must_fail client 1 -c uploadpack.shareLimit=x
'

kind () {
	share k "$@" >/dev/null && traced k kind
}

test_expect_success 'requests that get different packs are of different kinds' '
	new_cache && cp small lines && base=$(kind) && test -n "$base" && echo "$base base" >kinds &&
	vary () { local what=$1; shift; k=$(kind "$@") && test -n "$k" && echo "$k $what" >>kinds; } &&
	lines () { fetch_request "$@" done >lines; } &&
	lines "want $ONE" && vary "wants" &&
	lines "want $TWO" "want $ONE" && vary "more wants" &&
	lines "want $TWO" "have $ONE" && vary haves &&
	lines "want $TWO" thin-pack && vary thin &&
	fetch_request "want $TWO" done | grep -v ofs-delta >lines && vary ofs-delta &&
	lines "want $TWO" "deepen 1" && vary depth &&
	lines "want $TWO" "shallow $ONE" && vary "the boundary of the client" &&
	lines "want $TWO" "shallow $TWO" "deepen 2" && vary "what the client deepens" &&
	lines "want $TWO" "filter blob:none" && vary filter -c uploadpack.allowFilter=true &&
	lines "want $TWO" "filter tree:1" && vary "another filter" -c uploadpack.allowFilter=true &&
	cp small lines && vary "the hook" -c "$COUNT" && vary "settings of packs" -c pack.window=3 &&
	vary "compression" -c core.compression=1 &&
	lines "want $TWO" include-tag && vary include-tag &&
	vary "include-tag with a hidden tag" -c transfer.hideRefs=refs/tags/v1 &&
	git -C repo tag -a -m new new $TWO && vary "include-tag with a new tag" && git -C repo tag -d new &&
	cp small lines && cp -R repo other && REPO=other vary "another repository" &&
	(GIT_NAMESPACE=ns && export GIT_NAMESPACE && vary "another namespace") &&
	git -C repo update-ref refs/replace/$ONE $TWO && vary "a replacement" && git -C repo update-ref -d refs/replace/$ONE &&
	mkdir -p repo/.git/info && echo $TWO >repo/.git/info/grafts && vary "grafts" && rm repo/.git/info/grafts &&
	echo $TWO >repo/.git/shallow && vary "the boundary of the server" && rm repo/.git/shallow &&
	test_line_count = 22 kinds && sort kinds | uniq -w 64 -D >same && test_must_be_empty same
'

test_expect_success 'requests that get the same pack are of one kind' '
	new_cache && fetch_request "want $TWO" "want $ONE" done >lines && base=$(kind) &&
	fetch_request "want $ONE" "want $TWO" "want $ONE" done no-progress >lines && test "$(kind)" = "$base" &&
	fetch_request "want $ONE" "want $TWO" "have $ZERO_OID" done >lines && test "$(kind)" = "$base" &&
	test "$(kind -c uploadpack.keepAlive=1 -c transfer.advertiseSID=true)" = "$base" &&
	git -C repo tag -a -m new new $TWO && test "$(kind)" = "$base" && git -C repo tag -d new &&
	git -C repo update-ref refs/heads/other $ONE && test "$(kind)" = "$base" && git -C repo update-ref -d refs/heads/other
'

test_expect_success 'each gets what it has asked for' '
	new_cache && check () { for i in 1 2 3; do share $i -c uploadpack.allowFilter=true && cp pack.$i pack && pack_holds wanted || return 1; done; } &&
	cp small lines && git -C repo rev-list --objects $TWO | cut -d" " -f1 >wanted && check &&
	fetch_request "want $TWO" "filter blob:none" done >lines &&
	git -C repo rev-list --objects --filter=blob:none $TWO | cut -d" " -f1 >wanted && check &&
	fetch_request "want $TWO" "have $ONE" done >lines &&
	git -C repo rev-list --objects $ONE..$TWO | cut -d" " -f1 >wanted && check &&
	fetch_request "want $TWO" "deepen 1" done >lines &&
	{ echo $TWO && git -C repo ls-tree -r -t $TWO | cut -d" " -f3 | cut -f1 && git -C repo rev-parse $TWO^{tree}; } >wanted && check &&
	fetch_request "want $TWO" include-tag done >lines &&
	{ git -C repo rev-list --objects $TWO | cut -d" " -f1 && git -C repo rev-parse v1; } >wanted && check &&
	for i in 1 2 3; do share $i -c transfer.hideRefs=refs/tags/v1 || return 1; done && cp pack.3 pack &&
	git -C repo rev-list --objects $TWO | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success 'a filter that names a blob by a ref is not shared' '
	new_cache && (cd repo && echo "/*" >sparse && git add sparse && git commit -q -m sparse) &&
	fetch_request "want $TWO" "filter sparse:oid=main:sparse" done >lines &&
	for i in 1 2 3; do share $i -c uploadpack.allowFilter=true -c "$COUNT" || return 1; done && test $(runs) = 3 &&
	test_grep "the filter names" trace.3 &&
	fetch_request "want $TWO" "filter sparse:oid=$(git -C repo rev-parse main:sparse)" done >lines &&
	for i in 1 2 3; do share $i -c uploadpack.allowFilter=true -c "$COUNT" || return 1; done && test $(runs) = 5
'

test_expect_success 'rights are checked before' '
	new_cache && git -C repo commit-tree -m secret $TWO^{tree} >secret && SECRET=$(cat secret) &&
	git -C repo update-ref refs/hidden/secret $SECRET && fetch_request "want $SECRET" done >lines &&
	share 1 && share 2 && share 3 && test "$(traced 3 request)" = found &&
	printf "%s\n" "want $SECRET side-band-64k ofs-delta" 0000 done >lines && BANDS=1 && PROTOCOL= &&
	test_must_fail share 4 -c transfer.hideRefs=refs/hidden && BANDS= && unset PROTOCOL &&
	test_grep "not our ref" answer.4 && test_must_be_empty pack.4 && git -C repo update-ref -d refs/hidden/secret
'

test_expect_success 'all versions of the protocol share, with bands and without' '
	new_cache && cp clone lines && >go && share 1 -c "$COUNT" && share 2 -c "$COUNT" && BANDS=1 &&
	printf "%s\n" "want $MAIN side-band-64k ofs-delta" 0000 done >lines &&
	PROTOCOL= share 3 -c "$COUNT" && PROTOCOL=version=1 share 4 -c "$COUNT" &&
	printf "%s\n" "want $MAIN side-band ofs-delta" 0000 done >lines && PROTOCOL= share 5 -c "$COUNT" && BANDS= &&
	for i in 3 4 5; do cmp pack.2 pack.$i && test "$(traced $i request)" = found || return 1; done &&
	printf "%s\n" "want $MAIN ofs-delta" 0000 done >lines && PROTOCOL= start_share 6 -c "$COUNT" &&
	wait_until test -s code.6 && test $(cat code.6) = 0 && test "$(traced 6 request)" = found &&
	printf "0008NAK\n" >raw && cat pack.2 >>raw && cmp raw raw.6 && test $(runs) = 2
'

# ---- the filler ----

# wakes PID: how often that process has waited for something
wakes () {
	sed -n "s/^voluntary_ctxt_switches:[^0-9]*//p" /proc/$1/status
}

test_expect_success 'the filler holds nothing of its client, and is no child of its server' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	start_share 1 -c "$HALT" && wait_until test -e cache/pack-* && wait_until test "\$(filler)" != 0 && pid=$(filler) &&
	wait_until test "\$(runs)" = 2 && for fd in 0 1 2; do test "$(readlink /proc/$pid/fd/$fd)" = /dev/null || return 1; done &&
	ls -l /proc/$pid/fd >fds && ! grep -e "raw[.]1" -e "request[.]1" -e "trace[.]1" fds &&
	set -- $(sed "s/.*) //" /proc/$pid/stat) && test $4 != $$ && test $3 != $(sed "s/.*) //" /proc/$$/stat | cut -d" " -f3) &&
	>go && end_client 1 && wait_until is_gone $pid
'

test_expect_success 'killed before anything was sent: those who wait start over' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	for i in 1 2 3; do start_share $i -c "$HALT" || return 1; done &&
	for i in 1 2 3; do wait_until "traced $i request | grep -q ." || return 1; done &&
	wait_until test "\$(runs)" = 2 && pid=$(filler) && kill -9 $pid && >go &&
	for i in 1 2 3; do end_client $i && cmp pack.0 pack.$i || return 1; done && test $(runs) = 3
'

test_expect_success 'killed in the middle: those who have got some see it' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	for i in 1 2; do HEAD=2000000 start_share $i -c "$HALT" || return 1; done &&
	for i in 1 2; do wait_until received_some $i 1500000 || return 1; done &&
	kill -9 $(filler) && for i in 1 2
	do
		test_expect_code 128 end_client $i && test_grep "^band 3: upload-pack: the process that made this pack has died" answer.$i &&
		! grep "^0000" answer.$i || return 1
	done && >go && share 3 -c "$HALT" && cmp pack.0 pack.3
'

test_expect_success 'without its client a filler goes on as long as other requests follow' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	start_share 1 -c "$HALT" && wait_until test "\$(runs)" = 2 && start_share 2 -c "$HALT" &&
	wait_until test "\$(traced 2 request)" = found && pid=$(filler) && kill $(cat pid.1) && wait_until test -s code.1 &&
	: it wakes up to look whether anybody follows, and for nothing else &&
	looks=$(wakes $pid) && wait_until "is_gone $pid || test \$(wakes $pid) -ge $((looks + 4))" && kill -0 $pid && >go && end_client 2 && cmp pack.0 pack.2 && test $(runs) = 2 &&
	rm -rf cache/pack-* go && start_share 3 -c "$HALT" && wait_until test "\$(runs)" = 3 &&
	wait_until test "\$(filler)" != 0 && pid=$(filler) && kill $(cat pid.3) && wait_until is_gone $pid && wait_until "test \$(ls cache) = seen" && >go
'

test_expect_success 'each client gets the error if the shared pack cannot be made' '
	new_cache && cp clone lines && write_script broken <<-\EOF &&
	echo run >>"$TRASH_DIRECTORY/runs"; sleep 1; exit 3
	EOF
	for i in 1 2 3
	do
		test_expect_code 128 share $i -c "uploadpack.packObjectsHook=$PWD/broken" &&
		test_grep "^band 3: upload-pack: uploadpack.packObjectsHook failed with exit code 3" answer.$i || return 1
	done && wait_until "test \$(ls cache) = seen" &&
	write_script broken <<-\EOF &&
	printf PACK; head -c 2000000 /dev/zero; until test -e "$TRASH_DIRECTORY/go"; do sleep 0.1; done; exit 3
	EOF
	start_share 4 -c "uploadpack.packObjectsHook=$PWD/broken" && wait_until received_some 4 1500000 && >go &&
	test_expect_code 128 end_client 4 && test_grep "^band 3: upload-pack: uploadpack.packObjectsHook failed with exit code 3" answer.4
'

test_expect_success 'a client that does not read delays no other' '
	new_cache && cp clone lines && share 0 && start_slow && exec 8<slow && head -c 100 <&8 >slow.head &&
	wait_until test -e cache/pack-* && share 1 && share 2 && cmp pack.1 pack.2 && test "$(traced 1 request)" = found &&
	test ! -e slow.code && cat slow.head - <&8 >slow.raw && exec 8<&- && wait_until test -s slow.code && test "$(cat slow.code)" = 0 && "$PKT" decode slow.pack <slow.raw >/dev/null && cmp slow.pack pack.1
'

test_expect_success 'silence is bridged for those who follow' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	HEAD=1000 start_share 1 -c "$HALT" -c uploadpack.keepAlive=1 && wait_until test -e cache/pack-* &&
	HEAD=1000 start_share 2 -c "$HALT" -c uploadpack.keepAlive=1 &&
	for i in 1 2; do wait_until "test \$(\"$PKT\" decode <raw.$i 2>/dev/null | grep -c \"^band 1: 0$\") -ge 2" || return 1; done &&
	>go && end_client 1 && end_client 2 && cmp pack.0 pack.1 && cmp pack.0 pack.2 &&
	test_grep "^band 1: 998$" answer.2
'

# ---- the disk ----

test_expect_success 'a file that may not grow: what has begun is ended, without a mistake' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go && start_limited &&
	wait_until received_some 1 1500000 && >go &&
	end_client 1 && cmp pack.0 pack.1 && test "$(traced 1 alone-after)" -gt 1000000 && test $(runs) = 3 &&
	share 2 -c "$HALT" && test "$(traced 2 request)" = unfit && cmp pack.0 pack.2 && ls cache >names && ! grep pack- names
'

test_expect_success 'a pack larger than the limit likewise; one that is not the same again is broken visibly' '
	new_cache && cp clone lines && >go && share 0 -c "$HALT" && rm go &&
	for i in 1 2; do HEAD=1400000 start_share $i -c "$HALT" -c uploadpack.shareLimit=2m || return 1; done &&
	for i in 1 2; do wait_until received_some $i 1000000 || return 1; done && >go &&
	for i in 1 2; do end_client $i && cmp pack.0 pack.$i && grep alone-after trace.$i || return 1; done && test $(runs) = 4 &&
	new_cache && write_script fickle <<-\EOF &&
	cd "$TRASH_DIRECTORY" && echo run >>runs && printf PACK && head -c 1500000 /dev/zero | tr "\\0" $(wc -l <runs | tr -d " ") &&
	until test -e go; do sleep 0.1; done && head -c 1500000 /dev/zero
	EOF
	>go && share 0 -c "uploadpack.packObjectsHook=$PWD/fickle;:" && rm go &&
	start_share 1 -c "uploadpack.packObjectsHook=$PWD/fickle;:" -c uploadpack.shareLimit=2m &&
	wait_until received_some 1 1000000 && >go && test_expect_code 128 end_client 1 &&
	test_grep "^band 3: upload-pack: a shared pack has not been finished, and another one is not the same" answer.1
'

test_expect_success 'no room at all: served alone' '
	new_cache && cp clone lines && for i in 1 2 3; do share $i -c uploadpack.shareLimit=0 -c "$COUNT" && cp pack.$i pack &&
		pack_holds all || return 1; done && test $(runs) = 3 && test "$(traced 3 no-filler)" = "no room for shared packs"
'

test_expect_success TMPFS 'a full disk' '
	mkdir -p full && mount_tmpfs full 2m && mkdir -m 700 full/cache && cp clone lines && >runs && rm -f trace.* &&
	tiny () { local n=$1; shift; client $n -c uploadpack.shareIdentical=600 -c uploadpack.shareDirectory="$PWD/full/cache" "$@"; } &&
	for i in 1 2 3 4; do tiny $i -c "$COUNT" && cp pack.$i pack && pack_holds all || return 1; done &&
	test "$(traced 3 request)" = unfit && { head -c 3000000 /dev/zero >full/all 2>/dev/null || test -s full/all; } &&
	for i in 1 2 3; do tiny $i -c "$COUNT" && cp pack.$i pack && pack_holds all || return 1; done
'

test_expect_success 'a directory that is not ours alone is not used' '
	cp small lines && refused () { local reason=$1 i; shift; : >runs && rm -f trace.* && for i in 1 2 3
		do client $i -c uploadpack.shareIdentical=600 -c "$COUNT" "$@" && cmp pack.1 pack.$i || return 1; done &&
		test $(runs) = 3 && traced 3 off >reason && test_grep "$reason" reason; } &&
	new_cache && for mode in 755 770 702 1777; do chmod $mode cache && refused "is not private" -c uploadpack.shareDirectory="$PWD/cache" || return 1; done &&
	chmod 700 cache && ls cache >names && test_must_be_empty names &&
	ln -s cache link && refused "is not a directory" -c uploadpack.shareDirectory="$PWD/link" &&
	refused "is not a directory" -c uploadpack.shareDirectory="$PWD/lines" &&
	refused "cannot open" -c uploadpack.shareDirectory="$PWD/missing" &&
	refused "no absolute path" -c uploadpack.shareDirectory=cache && ls cache >names && test_must_be_empty names
'

test_expect_success ROOT 'a directory of another user is not used' '
	new_cache && chown 12345 cache && : >runs && for i in 1 2 3; do share $i -c "$COUNT" || return 1; done &&
	test $(runs) = 3 && test_grep "is not private" trace.3 && ls cache >names && test_must_be_empty names
'

test_expect_success 'files that are not what they should be are not served' '
	new_cache && cp small lines && share 1 && share 2 && cp pack.2 good && name=$(ls cache/pack-*) &&
	check () { : >runs && share 3 && cmp good pack.3 && test "$(traced 3 request | tail -n 1)" = again && share 4 && cmp good pack.4; } &&
	head -c 300000 /dev/zero >$name && check &&
	printf 0 | dd of=$name bs=1 seek=17 conv=notrunc 2>/dev/null && printf 1 | dd of=$name bs=1 seek=18 conv=notrunc 2>/dev/null &&
	printf g | dd of=$name bs=1 seek=19 conv=notrunc 2>/dev/null && check &&
	cp $name away && mv away $name && chmod 644 $name && share 3 && cmp good pack.3 && test "$(traced 3 request | tail -n 1)" = again &&
	rm -f $name && cp -R cache copy && ln -s ../copy/seen $name && share 3 && cmp good pack.3 && rm -f $name && check &&
	printf "growing " | dd of=$name bs=1 seek=128 conv=notrunc 2>/dev/null && check
'

# at FILE made|used DATE: that time in its first page, as if it had been then
at () {
	local seek=144
	test $2 = made || seek=164
	printf "%020d" "$(date -d "$3" +%s)000000000" | dd of="$1" bs=1 seek=$seek conv=notrunc 2>/dev/null
}

test_expect_success 'old ones are not served, and go' '
	new_cache && cp small lines && share 1 && share 2 && share 3 && test "$(traced 3 request)" = found &&
	at cache/pack-* made 2000-01-01 && share 4 && test "$(traced 4 request)" = again && share 5 && test "$(traced 5 request)" = found &&
	ls cache >names && test_line_count = 2 names && old=$(ls cache/pack-*) && at $old made 2000-01-01 &&
	fetch_request "want $ONE" done >lines && share 1 && share 2 && test_path_is_missing $old &&
	AGE=1 && sleep 2.1 && share 6 && test "$(traced 6 request)" = new && AGE=
'

test_expect_success 'the one used longest ago makes room' '
	new_cache && for i in 1 2 3 4 5; do
		git -C repo commit-tree -m "version $i" -p $ONE $(git -C repo rev-parse main^{tree}) >c.$i &&
		fetch_request "want $(cat c.$i)" done >lines.$i || return 1
	done && limited () { local n=$1; shift; cp lines.$n lines && share $n -c uploadpack.shareLimit=7m "$@"; } &&
	held () { test "$(od -An -c -j128 -N4 cache/pack-$(traced $1 kind | tail -n 1) | tr -d " ")" = done; } &&
	limited 1 && limited 1 && limited 2 && limited 2 && held 1 && held 2 &&
	at cache/pack-$(traced 1 kind | tail -n 1) used 2001-01-01 && at cache/pack-$(traced 2 kind | tail -n 1) used 2000-01-01 &&
	limited 3 && limited 3 && held 1 && held 3 && ! held 2 &&
	for p in cache/pack-*; do at $p used 2001-01-01 || return 1; done && limited 1 && test "$(traced 1 request | tail -n 1)" = found &&
	limited 4 && limited 4 && held 1 && held 4 && ! held 3
'

test_expect_success 'one that is still read counts until that ends, and stays whole' '
	new_cache && cp clone lines && share 0 && share 1 && start_slow && exec 8<slow && head -c 100 <&8 >slow.head &&
	at cache/pack-* made 2000-01-01 && share 2 -c uploadpack.shareLimit=4m &&
	cmp pack.1 pack.2 && ls cache >names && test_grep "^gone-" names && ! grep "^pack-" names &&
	cat slow.head - <&8 >slow.raw && exec 8<&- && wait_until test -s slow.code && test "$(cat slow.code)" = 0 && "$PKT" decode slow.pack <slow.raw >/dev/null && cmp slow.pack pack.1 &&
	fetch_request "want $ONE" done >lines && share 3 && share 3 && ls cache >names && ! grep "^gone-" names
'

test_expect_success STOCK_GIT 'stock Git clones and fetches' '
	new_cache && OUR_GIT=$(command -v git) && export OUR_GIT && write_script served <<-\EOF &&
	exec "$OUR_GIT" -c uploadpack.shareIdentical=600 -c uploadpack.shareDirectory="$TRASH_DIRECTORY/cache" upload-pack "$@"
	EOF
	for i in 1 2 3 4 5 6
	do
		rm -f trace.$i && GIT_TRACE2_EVENT=$PWD/trace.$i stock -c protocol.version=$((i / 4 * 2)) clone -q --mirror -u "$PWD/served" "file://$PWD/repo" stock.$i.git &&
		stock -C stock.$i.git fsck 2>/dev/null && stock -C stock.$i.git rev-parse refs/heads/main >id && git -C repo rev-parse main >expect &&
		test_cmp expect id || return 1
	done &&
	test "$(counted 3 hits)$(counted 6 hits)" = 11 && test -z "$(counted 1 hits)" && (cd repo && test_commit four) &&
	for i in 1 2 3
	do
		rm -f trace.$i && GIT_TRACE2_EVENT=$PWD/trace.$i stock -C stock.$i.git fetch -q --upload-pack="$PWD/served" &&
		stock -C stock.$i.git fsck 2>/dev/null || return 1
	done && test "$(counted 3 hits)" = 1
'

test_expect_success 'nothing is flushed' '
	new_cache && cp clone lines && share 1 && "$PKT" encode <lines >request &&
	GIT_PROTOCOL=version=2 && export GIT_PROTOCOL && n=$(count_flushes git -c uploadpack.shareIdentical=600 \
		-c uploadpack.shareDirectory="$PWD/cache" upload-pack --stateless-rpc repo <request) && unset GIT_PROTOCOL &&
	test "$n" = 0 && ls cache/pack-*
'

test_done
