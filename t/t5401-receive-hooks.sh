#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='receive-pack: hooks, what they see, and what the client hears of them'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-receive.sh"

# hook NAME: of the server "s"; its text is standard input
hook () {
	write_script "s/hooks/$1"
}
fresh () {
	server s && refs s >before && mkdir -p s/hooks
}

test_expect_success 'a client' '
	client_work && test_commit -C work new && new=$(git -C work rev-parse main) && old=$(git -C work rev-parse main~1)
'

test_expect_success 'arguments and input' '
	fresh && git -C s update-ref refs/heads/main $old && git -C s update-ref refs/heads/gone $old &&
	for h in pre-receive post-receive; do
		hook $h <<-EOF || return 1
		echo "$h \$#" >>"$PWD/log"; cat >>"$PWD/log"
		EOF
	done &&
	for h in update post-update; do
		hook $h <<-EOF || return 1
		echo "$h \$*" >>"$PWD/log"
		EOF
	done &&
	rm -f log && push s main :gone && zero=$(echo $old | tr 0-9a-f 0) && cat >expect <<-EOF && test_cmp expect log
	pre-receive 0
	$old $zero refs/heads/gone
	$old $new refs/heads/main
	update refs/heads/gone $old $zero
	update refs/heads/main $old $new
	post-receive 0
	$old $zero refs/heads/gone
	$old $new refs/heads/main
	post-update refs/heads/gone refs/heads/main
	EOF
'

test_expect_success 'hooks print to the client, and nothing else does' '
	fresh && for h in pre-receive update post-receive post-update; do
		hook $h <<-EOF || return 1
		echo "$h says"; echo "$h complains" >&2
		EOF
	done &&
	push s main:a && for h in pre-receive update post-receive post-update; do
		grep "^remote: $h says *\$" out && grep "^remote: $h complains *\$" out || return 1
	done
'

test_expect_success 'push --quiet shows their words, too' '
	fresh && echo "echo from the hook" | hook pre-receive &&
	git -C work push -q "$PWD/s" main:quiet 2>err && grep "^remote: from the hook" err && test_line_count = 1 err
'

test_expect_success 'pre-receive sees the quarantine; one that refuses leaves nothing' '
	test_commit -C work more && fresh && git -C s update-ref refs/heads/main $old && git -C s update-ref -d refs/heads/main &&
	rm -rf s && git init -q --bare s && refs s >before && hook pre-receive <<-\EOF &&
	read old new name && git cat-file -e $new && test -n "$GIT_QUARANTINE_PATH" && echo seen
	git update-ref refs/heads/mine $new
	exit 1
	EOF
	test_must_fail push s main && grep "remote: seen" out && grep "ref updates forbidden inside quarantine environment" out &&
	grep "main (pre-receive hook declined)" out && unchanged s && find s/objects -type f >objects && test_must_be_empty objects
'

test_expect_success 'update refuses one ref; objects are there when it runs; no ref has changed then' '
	rm -rf s && git init -q --bare s && hook update <<-\EOF &&
	test -z "$GIT_QUARANTINE_PATH" && git cat-file -e $3 && git for-each-ref && test $1 != refs/heads/no
	EOF
	test_must_fail push s main:refs/heads/a main:no main:yes && grep "no (hook declined)" out && grep "hook declined to update refs/heads/no" out &&
	! grep "remote:.*commit" out && refs s >now && test_line_count = 2 now && clean s &&
	rm -rf s/refs/heads/* && refs s >before && test_must_fail push s --atomic main:refs/heads/a main:no main:yes && unchanged s
'

test_expect_success 'reference-transaction may refuse all of them, and speaks to the client' '
	fresh && hook reference-transaction <<-\EOF &&
	echo "state $1"; test $1 != prepared
	EOF
	test_must_fail push s main:x main:y && grep "remote: state prepared" out && grep "x (reference-transaction hook declined)" out &&
	grep "y (reference-transaction hook declined)" out && unchanged s
'

test_expect_success 'hooks that fail after the report change nothing' '
	fresh && hook post-receive <<-\EOF && push s main:x && git -C s rev-parse -q --verify x
	exit 3
	EOF
'

test_expect_success 'a hook that reads nothing, and one that prints very much' '
	fresh && seq -f "main:refs/heads/many/a-rather-long-name-%g" 3000 >specs && hook pre-receive <<-\EOF &&
	exec <&-
	seq 20000
	EOF
	push s $(cat specs) && grep -c "^remote: [0-9]* *$" out >lines && echo 20000 >expect && test_cmp expect lines &&
	refs s >now && test_line_count = 3001 now
'

test_expect_success 'a hook that leaves a daemon behind does not hold the client' '
	fresh && hook post-receive <<-EOF && push s main:x && test -f daemon.pid && kill $(cat daemon.pid)
	sleep 300 & echo \$! >"$PWD/daemon.pid"
	EOF
'

test_expect_success 'a hook that kills its parent: nothing is published' '
	test_commit -C work kill && fresh && hook pre-receive <<-\EOF &&
	kill -KILL $PPID
	EOF
	test_must_fail push s main:x && refs s >now && test_cmp before now && git -C s fsck --strict &&
	rm s/hooks/pre-receive && push s main:x && clean s
'

test_expect_success 'the client is kept waiting while a hook is silent' '
	fresh && git -C s config receive.keepAlive 1 && record s main:x && rm -f go raw && hook pre-receive <<-EOF &&
	while test ! -f "$PWD/go"; do sleep 0.1; done
	EOF
	: >raw && { git receive-pack s <request >raw & } && pid=$! &&
	while ! printf "0005\002" | grep -aqf - raw && kill -0 $pid; do sleep 0.1; done && : >go && wait $pid &&
	printf "0005\002" | grep -aqf - raw && git -C s rev-parse -q --verify x
'

test_expect_success 'one that dies of a signal: the client hears of it' '
	fresh && echo "kill -9 \$\$" | hook pre-receive && test_must_fail push s main:x && grep "^remote: error: .*hooks/pre-receive died of signal 9" out &&
	grep "pre-receive hook declined" out && fresh && echo "kill -2 \$\$" | hook post-update && push s main:x && ! grep "died" out
'

test_expect_success 'push options' '
	fresh && git -C s config receive.advertisePushOptions true && hook pre-receive <<-\EOF &&
	echo "count $GIT_PUSH_OPTION_COUNT: $GIT_PUSH_OPTION_0, $GIT_PUSH_OPTION_1"
	EOF
	push s -o one -o "two words" main:x && grep "remote: count 2: one, two words" out &&
	push s main:y && grep "remote: count 0: , " out &&
	git -C s config receive.advertisePushOptions false && test_must_fail push s -o one main:z && grep "does not support push options" out
'

test_expect_success 'upkeep after a push: loose refs do not pile up' '
	fresh && GIT_TEST_AUTO_MAINTENANCE=1 && export GIT_TEST_AUTO_MAINTENANCE && i=0 && while test $i -lt 40; do
		push s main:refs/heads/r$i main:refs/heads/q$i || return 1
		i=$((i + 1))
	done && find s/refs -type f >loose && test $(wc -l <loose) -lt 60 && clean s &&
	git -C s config receive.updateServerInfo true && push s main:refs/heads/last && grep refs/heads/last s/info/refs
'

test_done
