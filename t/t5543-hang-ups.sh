#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='servers: exit code and message at each stage at which a client may hang up'
. "$(dirname "$0")/test-lib.sh"

HUNG_UP="fatal: the remote end hung up unexpectedly"

test_expect_success 'set up' '
	git init -q -b main src && test_commit -C src one && git clone -q --bare src dst &&
	git -C src config transfer.advertiseObjectInfo true && git -C src config uploadpack.advertiseBundleURIs true &&
	git -C src config uploadpack.advertiseObjectInfo true && git -C src config uploadpack.allowFilter true &&
	git -C dst config receive.certNonceSeed seed && git -C dst config receive.advertisePushOptions true &&
	git -C src rev-parse HEAD | git -C src pack-objects --revs --stdout -q >pack &&
	H=$(git -C src rev-parse HEAD) && NEW="$ZERO_OID $H refs/heads/n"
'

# pkts WORD...: each word is one packet, but for 0000 to 0002, "raw:BYTES" and "pack:N" (the first N bytes of a pack).
# In words "_" stands for a blank and "^" for a NUL.
pkts () {
	for t_word; do
		case $t_word in
		000[0-2]) printf "%s" "$t_word" ;;
		raw:*) printf "%s" "${t_word#raw:}" ;;
		pack:*) head -c "${t_word#pack:}" pack ;;
		*)
			t_word=$(printf "%s" "$t_word" | tr _ " ")
			printf "%04x" $((${#t_word} + 4)) && printf "%s" "$t_word" | tr "^" "\\000"
			;;
		esac
	done
}

# hangs_up CODE PACKET...: the server of $SERVER ends with it and, if it is 128, says that the client has hung up, which is not
# told to the client.
hangs_up () {
	local t_code=$1 t_got=0
	shift
	pkts "$@" >request || return 1
	git $SERVER <request >answer 2>err || t_got=$?
	if test $t_got != $t_code
	then
		echo "$SERVER: $*: exit $t_got, not $t_code" >&2
		return 1
	fi
	test $t_code = 0 || test "$(cat err)" = "$HUNG_UP" || { echo "$SERVER: $*: $(cat err)" >&2 && return 1; }
	! grep -a "ERR " answer
}

C=report-status
test_expect_success 'receive-pack: at each stage' '
	new=$(echo "$NEW" | tr " " _) &&
	for SERVER in "receive-pack dst" "receive-pack --stateless-rpc dst"; do
		hangs_up 128 && hangs_up 128 raw:00 && hangs_up 128 raw:0032 && hangs_up 128 raw:0032abc &&
		hangs_up 0 0000 &&
		hangs_up 128 "$new^$C" && hangs_up 128 "$new^$C" raw:00a && hangs_up 128 "$new^$C" raw:0062$ZERO_OID &&
		hangs_up 128 shallow_$H && hangs_up 0 shallow_$H 0000 &&
		hangs_up 128 "$new^${C}_push-options" 0000 && hangs_up 128 "$new^${C}_push-options" 0000 a &&
		hangs_up 128 "$new^${C}_push-options" 0000 a raw:001 &&
		hangs_up 128 "push-cert^$C" && hangs_up 128 "push-cert^$C" raw:00 &&
		hangs_up 128 "push-cert^$C" certificate_version_0.1 || return 1
	done
'

test_expect_success 'receive-pack: in the pack, which the report says' '
	new=$(echo "$NEW" | tr " " _) && SERVER="receive-pack dst" &&
	for n in 0 6 $(($(wc -c <pack) / 2)) $(($(wc -c <pack) - 20)); do
		hangs_up 0 "$new^$C" 0000 pack:$n && grep -a "^[0-9a-f]*unpack " answer && ! grep -a "unpack ok" answer &&
		grep -a "ng refs/heads/n unpacker error" answer && test_must_fail git -C dst rev-parse -q --verify refs/heads/n || return 1
	done
'

test_expect_success 'upload-pack, version 0 and 1: at each stage' '
	want=want_${H}_multi_ack_detailed_side-band-64k &&
	for GIT_PROTOCOL in "" version=1; do
		export GIT_PROTOCOL && SERVER="upload-pack src" &&
		hangs_up 128 && hangs_up 128 raw:00 && hangs_up 128 raw:0032want && hangs_up 0 0000 &&
		hangs_up 128 $want && hangs_up 128 $want raw:00 && hangs_up 128 $want deepen_1 && hangs_up 128 shallow_$H &&
		hangs_up 0 shallow_$H 0000 && hangs_up 128 $want 0000 && hangs_up 128 $want 0000 raw:003 &&
		hangs_up 128 $want deepen_1 0000 && hangs_up 128 $want 0000 have_$H && hangs_up 128 $want 0000 have_$H raw:0032have &&
		hangs_up 128 $want 0000 have_$H 0000 && hangs_up 128 $want 0000 0000 || return 1
	done && unset GIT_PROTOCOL
'

test_expect_success 'upload-pack --stateless-rpc, version 0: a round is a request' '
	want=want_${H}_multi_ack_detailed_side-band-64k && SERVER="upload-pack --stateless-rpc src" &&
	hangs_up 128 && hangs_up 128 raw:00 && hangs_up 0 0000 && hangs_up 128 $want && hangs_up 128 $want raw:00 &&
	hangs_up 0 $want 0000 && hangs_up 0 $want deepen_1 0000 && hangs_up 0 $want 0000 raw:003 &&
	hangs_up 128 $want 0000 have_$H && hangs_up 128 $want 0000 have_$H raw:0032have && hangs_up 0 $want 0000 have_$H 0000
'

test_expect_success 'upload-pack, version 2: only before a request' '
	GIT_PROTOCOL=version=2 && export GIT_PROTOCOL && f=object-format=$TEST_HASH &&
	for SERVER in "upload-pack src" "upload-pack --stateless-rpc src"; do
		hangs_up 0 && hangs_up 0 raw:00 && hangs_up 0 raw:0032comm && hangs_up 0 0000 && hangs_up 128 $f &&
		for c in ls-refs fetch object-info bundle-uri; do
			hangs_up 128 command=$c && hangs_up 128 command=$c $f && hangs_up 128 command=$c raw:00 &&
			hangs_up 128 command=$c $f 0001 && hangs_up 128 command=$c $f 0001 raw:0032 || return 1
		done &&
		hangs_up 128 command=ls-refs $f 0001 peel && hangs_up 0 command=ls-refs $f 0001 peel 0000 &&
		hangs_up 128 command=object-info $f 0001 size && hangs_up 128 command=fetch $f 0001 want_$H &&
		hangs_up 128 command=fetch $f 0001 want_$H have_$H raw:00 && hangs_up 0 command=fetch $f 0001 want_$H have_$H 0000 || return 1
	done &&
	SERVER="upload-pack src" && hangs_up 0 command=ls-refs $f 0001 peel 0000 raw:00 && unset GIT_PROTOCOL
'

test_expect_success 'an advertisement alone needs no client' '
	for SERVER in "receive-pack --advertise-refs dst" "upload-pack --advertise-refs src"; do
		hangs_up 0 && hangs_up 0 raw:00 || return 1
	done
'

test_expect_success 'upload-archive: in its arguments' '
	for bytes in "" raw:00 raw:0032arg "argument_HEAD" "argument_HEAD raw:00"; do
		pkts $bytes >request && test_expect_code 128 git upload-archive src <request >answer 2>err &&
		echo "$HUNG_UP" | test_cmp - err || return 1
	done
'

test_expect_success 'daemon --inetd: no request, and the exit code of the service' '
	SRC=$PWD/src && SERVER="daemon --inetd --export-all" &&
	for bytes in "" raw:00 raw:0032git-; do
		pkts $bytes >request && test_expect_code 1 git $SERVER <request >answer 2>err && test_must_be_empty answer || return 1
	done &&
	req="git-upload-pack_$SRC^host=h^" && pkts "$req" >request && test_expect_code 128 git $SERVER <request &&
	pkts "$req" raw:00 >request && test_expect_code 128 git $SERVER <request &&
	pkts "$req" 0000 >request && git $SERVER <request
'

test_expect_success 'a bad line is answered, whatever follows' '
	pkts want_$H filter_blob:none >request && test_expect_code 128 git upload-pack src <request >answer 2>err &&
	grep -a "ERR upload-pack: filtering capability not negotiated" answer &&
	pkts command=none >request && test_expect_code 128 env GIT_PROTOCOL=version=2 git upload-pack src <request >answer 2>err &&
	grep -a "ERR upload-pack: invalid command" answer
'

test_done
