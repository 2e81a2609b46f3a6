#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: packs of uploadpack.packObjectsHook'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

test_expect_success 'set up' '
	git init -q -b main repo && (cd repo && test_commit one && test_commit two) &&
	MAIN=$(git -C repo rev-parse HEAD) && ONE=$(git -C repo rev-parse HEAD~) &&
	write_script hook <<-\EOF &&
	printf "%s\n" "$@" >"$TRASH_DIRECTORY/args" && pwd >"$TRASH_DIRECTORY/cwd" &&
	tee "$TRASH_DIRECTORY/input" | "$@"
	EOF
	TRASH_DIRECTORY=$PWD && export TRASH_DIRECTORY
'

hooked () {
	local hook=$1
	shift
	fetch_request "$@" done | serve repo -c uploadpack.packObjectsHook="$hook"
}

test_expect_success 'the hook gets the command, its input, and makes the pack' '
	hooked "$PWD/hook" "want $MAIN" "have $ONE" thin-pack include-tag &&
	printf "%s\n" git pack-objects --revs --thin --stdout --progress --delta-base-offset --include-tag >expect &&
	test_cmp expect args && printf "%s\n" $MAIN --not $ONE "" >expect && test_cmp expect input &&
	test "$(cat cwd)" = "$PWD/repo/.git" &&
	git -C repo rev-list --objects $ONE..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted &&
	hooked "$PWD/hook" "want $MAIN" no-progress && ! grep "^band 2" answer &&
	write_script words <<-\EOF &&
	test "$1" = a && shift && exec "$@"
	EOF
	hooked "$PWD/words a" "want $MAIN" "have $ONE" && pack_holds wanted
'

test_expect_success 'shallow requests and filters reach it' '
	write_script note <<-\EOF &&
	printf "%s\n" "$@" >"$TRASH_DIRECTORY/args" && cat >"$TRASH_DIRECTORY/input" && printf PACK-
	EOF
	fetch_request "want $MAIN" "deepen 1" "filter blob:none" done |
	serve repo -c uploadpack.packObjectsHook="$PWD/note" -c uploadpack.allowFilter=true &&
	printf "%s\n" git --shallow-file "" pack-objects --revs --stdout --shallow --progress --delta-base-offset \
		--filter=blob:none >expect && test_cmp expect args &&
	printf "%s\n" "--shallow $MAIN" $MAIN --not "" >expect && test_cmp expect input
'

test_expect_success 'the repository cannot name a hook' '
	git -C repo config uploadpack.packObjectsHook "touch $PWD/evil;" &&
	fetch_request "want $MAIN" done | serve repo && test_path_is_missing evil &&
	git -C repo config --unset uploadpack.packObjectsHook
'

test_expect_success 'the packets of a hook are full, its messages have their band' '
	write_script big <<-\EOF &&
	cat >/dev/null; echo "to the user" >&2; printf PACK; head -c 999996 /dev/zero
	EOF
	hooked "$PWD/big;:" "want $MAIN" && test_grep "^band 2: to the user" answer &&
	test $(wc -c <pack) = 1000000 && grep "^band 1" answer | sed \$d | sort -u >sizes &&
	echo "band 1: 65515" >expect && test_cmp expect sizes && test $(grep -c "^band 1" answer) = 16
'

test_expect_success 'upload-pack sends an error if the hook fails or prints no pack' '
	hooks_fail () { fetch_request "want $MAIN" done >lines &&
		test_expect_code 128 serve repo -c uploadpack.packObjectsHook="$1" <lines && ! grep "^0000" answer &&
		test_grep "^band 3: upload-pack: uploadpack.packObjectsHook $2" answer; } &&
	hooks_fail "exit 3;" "failed with exit code 3" &&
	hooks_fail "printf PACKxxx; exit 1;" "failed with exit code 1" &&
	hooks_fail "kill -9 \$\$;" "was ended by signal 9" &&
	hooks_fail "echo Welcome; exit 0;" "printed something that is no pack" &&
	hooks_fail ":;exit 0;" "printed no pack" &&
	fetch_request "want $MAIN" done >lines &&
	test_expect_code 128 serve repo -c uploadpack.packObjectsHook=/no/such/hook <lines &&
	test_grep "^band 3: upload-pack: .*/no/such/hook" answer
'

# What the client has got by now tells a hook when to go on. (The pack has no byte 1, so each is a packet of band 1.) The loops end
# at last where nothing comes.
test_expect_success 'silence before the pack and within it is bridged' '
	write_script slow <<-\EOF &&
	silent_until () {
		i=0; until test $((i += 1)) -gt 600 || grep -a -q "$1" "$TRASH_DIRECTORY/raw"; do sleep 0.1; done
	}
	cat >/dev/null; silent_until "^0005"; printf PACKab; silent_until "000aPACKa0005"; printf c
	EOF
	sed "s/000aPACKa0005/$(printf "000a\001PACKa0005")/" slow >slow.1 && cat slow.1 >slow &&
	fetch_request "want $MAIN" done |
	serve repo -c uploadpack.keepAlive=1 -c uploadpack.packObjectsHook="$PWD/slow;:" &&
	printf PACKabc >expect && test_cmp expect pack && sed -n "s/^band 1: //p" answer >sizes &&
	: empty packets, then what is held but for its last byte, then empty ones again, at last the rest &&
	tr "\n" " " <sizes >line && grep -E "^(0 )+5 (0 )+(2|1 1) $" line &&
	write_script slow <<-\EOF &&
	cat >/dev/null; sleep 1; printf PACKab; sleep 1; printf c
	EOF
	fetch_request "want $MAIN" done |
	serve repo -c uploadpack.keepAlive=0 -c uploadpack.packObjectsHook="$PWD/slow;:" &&
	printf PACKabc >expect && test_cmp expect pack && ! grep "^band 1: 0" answer
'

test_expect_success 'each interval has a packet, however often a byte comes' '
	write_script dribble <<-\EOF &&
	cat >/dev/null; printf PACK; i=0
	until test $((i += 1)) -gt 600 || test $(tr -cd "\001" <"$TRASH_DIRECTORY/raw" | wc -c) -ge 4; do
		printf x; sleep 0.1
	done
	EOF
	fetch_request "want $MAIN" done |
	serve repo -c uploadpack.keepAlive=1 -c uploadpack.packObjectsHook="$PWD/dribble;:" &&
	test_grep "^PACKxxx*$" pack && test $(grep -c "^band 1" answer) -ge 4
'

# The connection stays open in version 2: what follows the request waits until the pack has gone.
test_expect_success 'garbage behind the request does not touch the pack' '
	{ fetch_request "want $MAIN" done | "$PKT" encode && printf "zzzz\000garbage"; } >request &&
	test_expect_code 128 env GIT_PROTOCOL=version=2 git -c uploadpack.packObjectsHook="$PWD/hook" upload-pack repo \
		<request >raw 2>err && test_grep "^fatal: " err &&
	"$PKT" decode pack <raw >answer && : all of it, and an end &&
	git -C repo rev-list --objects $MAIN | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success 'a client that hangs up ends the hook' '
	write_script forever <<-\EOF &&
	cat >/dev/null; echo $$ >"$TRASH_DIRECTORY/pid"; exec sleep 60
	EOF
	fetch_request "want $MAIN" done | "$PKT" encode >request &&
	{ GIT_PROTOCOL=version=2 git -c uploadpack.packObjectsHook="exec $PWD/forever" upload-pack --stateless-rpc repo \
		<request 2>err; echo $? >code; } | { while ! test -s pid; do sleep 0.1; done; } &&
	test "$(cat code)" = 128 && ! kill -0 $(cat pid) 2>/dev/null
'

test_done
