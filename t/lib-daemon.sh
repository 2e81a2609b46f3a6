# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC3043
#
# git daemon for tests. It listens on 127.0.0.1 at a port that the kernel chooses, and is ended by
# its process id at the end of the script at the latest.

ASK=$GIT_BUILD_DIR/t/helper/tcp-ask

# A service that says what it was started with, instead of git upload-pack. $SERVICE_BIN is for
# GIT_EXEC_PATH; a file "service" in the current directory is run first.
SERVICE_BIN=$PWD/service-bin
make_service () {
	mkdir -p "$SERVICE_BIN" &&
	write_script "$SERVICE_BIN/git" <<-EOS &&
	case "\$1" in
	upload-pack|upload-archive|receive-pack)
		exec "$SERVICE_BIN/git-\$1" "\$@" ;;
	esac
	unset GIT_EXEC_PATH
	exec "$GIT_BUILD_DIR/git" "\$@"
	EOS
	write_script "$SERVICE_BIN/git-upload-pack" <<-\EOS &&
	echo "args: $*"
	echo "cwd: $(pwd -P)"
	echo "protocol: $GIT_PROTOCOL; dir: ${GIT_DIR-none}"
	echo "objects: ${GIT_OBJECT_DIRECTORY-none}; config: ${GIT_CONFIG_PARAMETERS-none}"
	echo "remote: $REMOTE_ADDR${REMOTE_PORT:+ and a port}"
	echo "id: $(id -u) $(id -g) $(id -G)"
	echo >&2 "a word for the log"
	test ! -f service || . ./service
	EOS
	cp "$SERVICE_BIN/git-upload-pack" "$SERVICE_BIN/git-upload-archive" &&
	cp "$SERVICE_BIN/git-upload-pack" "$SERVICE_BIN/git-receive-pack"
}

# pkt FORMAT [ARG...]: a packet of what printf makes of it.
pkt () {
	printf "$@" >pkt.payload &&
	printf '%04x' $(($(wc -c <pkt.payload) + 4)) &&
	cat pkt.payload
}

# ask_inetd FORMAT [OPTION...]: the request; output in "reply", the log in "log".
ask_inetd () {
	local format=$1
	shift
	pkt "$format" >request &&
	GIT_EXEC_PATH=$SERVICE_BIN git daemon --inetd --log-destination=stderr "$@" \
		<request >reply 2>log
}

# wait_for FILE PATTERN: until a line of the file matches, or the daemon has ended without it.
wait_for () {
	local alive=1
	while ! grep -q "$2" "$1" 2>/dev/null; do
		test -n "$alive" || { echo >&2 "no '$2' in $1:"; cat >&2 "$1"; return 1; }
		test -z "$daemon_pid" || kill -0 "$daemon_pid" 2>/dev/null || alive=
		sleep 0.05
	done
}

# start_daemon [OPTION...]: sets daemon_pid and daemon_port. Its log is the file "daemon.log".
# DAEMON_PORT: the port, if it matters.
daemon_pid=
start_daemon () {
	stop_daemon # of a test that has failed
	rm -f daemon.log
	GIT_EXEC_PATH=${DAEMON_EXEC_PATH-$SERVICE_BIN} "$GIT_BUILD_DIR/git" daemon --verbose \
		--listen=127.0.0.1 --port="${DAEMON_PORT:-0}" "$@" >/dev/null 2>daemon.log </dev/null &
	daemon_pid=$!
	wait_for daemon.log "Listening on" || return
	daemon_port=$(sed -n "s/.*Listening on 127[.]0[.]0[.]1:\([0-9]*\)$/\1/p" daemon.log | head -n 1)
	test -n "$daemon_port"
}

# End it; $? is its exit code, 0 if SIGTERM ended it.
stop_daemon () {
	local code=0
	test -n "$daemon_pid" || return 0
	kill "$daemon_pid" 2>/dev/null
	wait "$daemon_pid" || code=$?
	test $code != 143 || code=0
	daemon_pid=
	return $code
}
test_atexit 'stop_daemon || :'
