#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git daemon as a server: sockets, processes, limits, signals'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

test_expect_success 'a repository' '
	make_service && git init -q --bare srv/a.git && SRV=$PWD/srv &&
	pkt "git-upload-pack $SRV/a.git\0host=localhost\0" >request
'

# A service that goes on until there is a file "end", or this script has ended.
make_it_last () {
	echo "echo \$\$ >service-pid; echo begun
		while test -d $PWD/srv && test ! -f $PWD/end; do sleep 0.05; done
		echo ended" >srv/a.git/service
}
test_atexit ': >"$TRASH_DIRECTORY/end" || :'

# ask [HOST]: one request over TCP
ask () {
	"$ASK" "${1:-127.0.0.1}" "$daemon_port" <request >reply
}

# ask_slowly NAME [OPTION]: in the background, until the service has begun; pid in $asked
ask_slowly () {
	rm -f "reply.$1" &&
	{ "$ASK" $2 127.0.0.1 "$daemon_port" <request >"reply.$1" & asked=$!; } &&
	wait_for "reply.$1" "^begun"
}

test_expect_success 'requests over TCP' '
	start_daemon --export-all &&
	ask && test_grep "^args: upload-pack --strict [.]$" reply &&
	test_grep "^remote: 127.0.0.1 and a port$" reply &&
	wait_for daemon.log "Disconnected" &&
	test_grep "Connection from 127.0.0.1:[0-9]*$" daemon.log &&
	test_grep "Request upload-pack for .$SRV/a.git." daemon.log &&
	ask && ask && test_grep "^args" reply
'

test_expect_success 'the daemon logs a failure, and serves the next request' '
	echo "exit 3" >srv/a.git/service &&
	ask && wait_for daemon.log "Disconnected (with error)" && rm srv/a.git/service &&
	printf "zzzz" | "$ASK" 127.0.0.1 "$daemon_port" >reply && test_must_be_empty reply &&
	ask && test_grep "^args" reply
'

# The children of a process that have ended and nobody has waited for.
zombies () {
	cat /proc/[0-9]*/stat 2>/dev/null | sed "s/.*) //" | awk "\$1 == \"Z\" && \$2 == $1" | wc -l
}

test_expect_success 'no child that has ended remains' '
	for i in 1 2 3 4 5 6 7 8; do ask || return 1; done &&
	wait_for daemon.log "Disconnected" &&
	while test "$(zombies "$daemon_pid")" -gt 0; do sleep 0.05; done
'

test_expect_success 'SIGTERM ends it well' '
	sed -n "1s/^\[[0-9]*\] //p" daemon.log >first && echo "Ready to rumble" >expect && test_cmp expect first &&
	kill "$daemon_pid" && { wait "$daemon_pid"; test $? = 143; } && daemon_pid= &&
	test_grep "Ending by signal 15; 0 connections" daemon.log &&
	test_expect_code 1 ask
'

test_expect_success 'connections that are there go on' '
	rm -f end && make_it_last && start_daemon --export-all --pid-file=pid &&
	test "$(cat pid)" = "$daemon_pid" &&
	ask_slowly a && stop_daemon &&
	test_path_missing pid &&
	test_grep "1 connections go on" daemon.log &&
	>end && wait $asked && test_grep "^ended" reply.a && rm end srv/a.git/service
'

test_expect_success 'the port is free at once, with --reuseaddr' '
	start_daemon --export-all --reuseaddr && ask && port=$daemon_port && stop_daemon &&
	DAEMON_PORT=$port start_daemon --export-all --reuseaddr &&
	test "$daemon_port" = "$port" && stop_daemon
'

# The clients of this test have addresses of their own, which loopback allows on Linux.
test_expect_success '--max-connections: further clients get an error' '
	rm -f end && make_it_last && start_daemon --export-all --max-connections=2 &&
	ask_slowly a && a=$asked && ask_slowly b --from=127.0.0.2 && b=$asked &&
	"$ASK" --from=127.0.0.3 127.0.0.1 "$daemon_port" <request >reply &&
	pkt "ERR too many connections, try again later" >expect && test_cmp_bin expect reply &&
	test_grep "Too many children, dropping connection" daemon.log &&
	>end && wait $a && wait $b && test_grep "^ended" reply.a && test_grep "^ended" reply.b &&
	wait_for daemon.log "Disconnected" && ask && test_grep "^ended" reply && rm end &&
	stop_daemon
'

test_expect_success '--max-connections: one that has gone when it is turned away does no harm' '
	make_it_last && start_daemon --export-all --max-connections=1 && ask_slowly a && a=$asked &&
	kill -STOP $daemon_pid && { "$ASK" --reset 127.0.0.1 "$daemon_port"; code=$?; kill -CONT $daemon_pid; } &&
	test $code = 0 && wait_for daemon.log "Too many children, dropping connection" && ask &&
	test_grep "too many connections" reply &&
	>end && wait $a && test_grep "^ended" reply.a && rm end && stop_daemon
'

test_expect_success '--max-connections: one client cannot shut out others' '
	make_it_last && start_daemon --export-all --max-connections=3 &&
	ask_slowly a && a=$asked && ask_slowly b && b=$asked && ask_slowly c && c=$asked &&
	ask_slowly d --from=127.0.0.2 && d=$asked &&
	test_grep "ending connection \[[0-9]*\]: its client has 3" daemon.log &&
	{ wait $c; test_grep ! "^ended" reply.c; } &&
	"$ASK" --from=127.0.0.2 127.0.0.1 "$daemon_port" <request >reply &&
	test_grep "too many connections" reply &&
	>end && wait $a && wait $b && wait $d &&
	for r in a b d; do test_grep "^ended" reply.$r || return 1; done && rm end srv/a.git/service &&
	stop_daemon
'

test_expect_success 'ending a connection ends its service' '
	make_it_last && start_daemon --export-all --max-connections=2 &&
	ask_slowly a && a=$asked && ask_slowly b && pid=$(cat srv/a.git/service-pid) && kill -0 "$pid" &&
	ask_slowly c --from=127.0.0.2 && c=$asked &&
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done && >end && wait $a && wait $c && rm end srv/a.git/service && stop_daemon
'

test_expect_success 'no process of a connection that was ended is left' '
	for pid in $(sed -n "s/.*ending connection .\([0-9]*\).*/\1/p" daemon.log); do
		test_must_fail kill -0 "-$pid" || return 1
	done
'

test_expect_success '--init-timeout ends a client that says nothing' '
	start_daemon --export-all --init-timeout=1 &&
	mkfifo hold && { "$ASK" 127.0.0.1 "$daemon_port" <hold >reply & asked=$!; } &&
	exec 9>hold && printf 00 >&9 && wait $asked && exec 9>&- && rm hold &&
	test_must_be_empty reply && wait_for daemon.log "no request came in time" &&
	ask && test_grep "^args" reply && stop_daemon
'

# Each has an address of its own, so that none has a connection more than the newcomer.
test_expect_success PERL 'silent connections from many addresses give way' '
	start_daemon --export-all --init-timeout=1 --max-connections=3 && cat >silent.pl <<-\EOF &&
	use IO::Socket::INET;
	my @s = map { IO::Socket::INET->new(LocalAddr => "127.0.0.$_", PeerAddr => "127.0.0.1:$ARGV[0]") or die } 2 .. 4;
	sysread($_, my $byte, 1) && die "a byte" for @s;
	EOF
	perl silent.pl "$daemon_port" && i=0 &&
	while test "$(grep -c "Disconnected (with error)" daemon.log)" != 3 && test $i -lt 600; do i=$((i + 1)); sleep 0.05; done &&
	ask && test_grep "^args" reply && stop_daemon
'

test_expect_success 'a client that vanishes does no harm' '
	echo "sleep 0.2; i=0; while test \$i -lt 2000; do echo a line of some length; i=\$((i + 1)); done" >srv/a.git/service &&
	start_daemon --export-all &&
	for i in 1 2 3; do
		"$ASK" 127.0.0.1 "$daemon_port" <request >reply & asked=$!
		sleep 0.05 && kill $asked && { wait $asked || :; } || return 1
	done &&
	rm srv/a.git/service && ask && test_grep "^args" reply && stop_daemon
'

test_lazy_prereq IPV6 'grep -q "^0000000000000000000000000000000000000*1 " /proc/net/if_inet6'

test_expect_success IPV6 'several addresses, IPv6' '
	start_daemon --export-all --listen=::1 && wait_for daemon.log "Listening on .::1" &&
	six=$(sed -n "s/.*Listening on \[::1\]:\([0-9]*\)$/\1/p" daemon.log) &&
	ask && "$ASK" ::1 "$six" <request >reply &&
	test_grep "^remote: \[::1\] and a port$" reply && stop_daemon
'

test_expect_success 'an address that cannot be had' '
	test_expect_code 128 git daemon --listen=192.0.2.1 --port=0 2>err &&
	test_grep "Could not bind to 192.0.2.1:0" err &&
	test_grep "unable to allocate any listen sockets for host 192.0.2.1" err &&
	test_grep "fatal: unable to allocate any listen sockets on port 0" err &&
	start_daemon --export-all --listen=192.0.2.1 && test_grep "Could not bind to 192.0.2.1" daemon.log && ask &&
	test_grep "^args" reply && stop_daemon
'

test_expect_success '--detach' '
	port=$(start_daemon && echo "$daemon_port" && stop_daemon) &&
	git daemon --export-all --detach --listen=127.0.0.1 --port="$port" --reuseaddr --pid-file=pid \
		--log-destination=none &&
	wait_for pid "^[0-9]" && daemon_port=$port && pid=$(cat pid) &&
	test_atexit "kill $pid 2>/dev/null || :" &&
	printf zzzz | "$ASK" 127.0.0.1 "$port" && kill "$pid" &&
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done && test_path_missing pid
'

test_lazy_prereq NOBODY 'test "$(id -u)" = 0 && id nobody && id -g daemon'

test_expect_success NOBODY '--user: its user and groups, and no others' '
	start_daemon --export-all --user=nobody --pid-file=pid &&
	sed -n "s/^[UG]id:	//p" "/proc/$daemon_pid/status" >actual &&
	u=$(id -u nobody) && g=$(id -g nobody) &&
	printf "%s\t%s\t%s\t%s\n" $u $u $u $u $g $g $g $g >expect && test_cmp expect actual &&
	sed -n "s/^Groups:	//p" "/proc/$daemon_pid/status" | tr -s " " "\n" | sed "/^$/d" | sort >actual &&
	id -G nobody | tr " " "\n" | sort >expect && test_cmp expect actual &&
	stop_daemon && rm -f pid &&
	start_daemon --user=nobody --group=daemon &&
	test_grep "^Gid:	$(id -g daemon)	" "/proc/$daemon_pid/status" && stop_daemon
'

test_done
