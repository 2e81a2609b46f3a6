#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git daemon: which requests lead to which service, and which to none

The service here is a script that says what it was started with.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

test_expect_success 'repositories' '
	make_service &&
	git init -q --bare srv/a.git && git init -q srv/work && git init -q --bare srv/hidden.git &&
	for r in srv/a.git srv/work/.git; do : >$r/git-daemon-export-ok || return 1; done &&
	SRV=$PWD/srv
'

# refused WORDS...: the reply is an error packet of these words
refused () {
	pkt "ERR %s" "$*" >expect && test_cmp_bin expect reply
}
denied="access denied or repository not exported"

# ---- the service ------------------------------------------------------------

test_expect_success 'the service is started in the repository' '
	ask_inetd "git-upload-pack $SRV/a.git\0host=example.org\0" &&
	cat >expect <<-EOF &&
	args: upload-pack --strict .
	cwd: $(cd srv/a.git && pwd -P)
	protocol: ; dir: none
	EOF
	head -n 3 reply >actual && test_cmp expect actual &&
	test_grep "^\[[0-9]*\] a word for the log$" log
'

test_expect_success '--timeout is handed on' '
	ask_inetd "git-upload-pack $SRV/a.git\0host=example.org\0" --timeout=77 &&
	test_grep "^args: upload-pack --strict --timeout=77 [.]$" reply
'

test_expect_success 'extra parameters become GIT_PROTOCOL, and nothing else does' '
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0\0version=2\0x=y\0" --verbose &&
	test_grep "^protocol: version=2:x=y;" reply &&
	test_grep "Extended attribute .protocol.: version=2:x=y" log &&
	ask_inetd "git-upload-pack $SRV/a.git\0\0version=1\0" &&
	test_grep "^protocol: version=1;" reply &&
	GIT_PROTOCOL=version=2 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" &&
	test_grep "^protocol: ;" reply
'

test_expect_success 'variables of the starting user do not reach the service' '
	(
		GIT_DIR=$SRV/hidden.git GIT_OBJECT_DIRECTORY=$SRV REMOTE_ADDR=10.1.1.1 &&
		export GIT_DIR GIT_OBJECT_DIRECTORY REMOTE_ADDR &&
		ask_inetd "git-upload-pack $SRV/a.git\0host=h\0"
	) &&
	test_grep "^cwd: .*/a.git$" reply && test_grep "^remote: $" reply &&
	test_grep "^objects: none; config: none$" reply &&
	pkt "git-upload-pack $SRV/a.git\0host=h\0" >request &&
	GIT_EXEC_PATH=$SERVICE_BIN git -c x.y=z daemon --inetd --log-destination=stderr <request >reply 2>log &&
	test_grep "config: .x.y.=.z.$" reply
'

test_expect_success 'short names, line ends, trailing slashes' '
	for name in a a.git/ a/ "a.git\n" work work/.git; do
		ask_inetd "git-upload-pack $SRV/$name" && test_grep "^args:" reply || return 1
	done
'

test_expect_success 'the exit code is that of the service' '
	echo "exit 7" >srv/a.git/service && test_when_finished "rm srv/a.git/service" &&
	test_expect_code 7 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0"
'

# ---- what may be served -------------------------------------------------------

test_expect_success 'only exported repositories' '
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/hidden.git\0host=h\0" &&
	refused "$denied: $SRV/hidden.git" &&
	test_grep "hidden.git.: repository not exported" log &&
	ask_inetd "git-upload-pack $SRV/hidden.git\0host=h\0" --export-all &&
	test_grep "^cwd: .*/hidden.git$" reply
'

test_expect_success 'informative errors' '
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/hidden.git\0host=h\0" --informative-errors &&
	refused "repository not exported: $SRV/hidden.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/none\0host=h\0" --informative-errors &&
	refused "no such repository: $SRV/none" &&
	test_expect_code 255 ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" --informative-errors &&
	refused "service not enabled: $SRV/a.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/none\0host=h\0" &&
	refused "$denied: $SRV/none"
'

test_expect_success 'names with other meanings are refused' '
	for name in "$SRV/../srv/a.git" "$SRV/./a.git" "$SRV//a.git" "$SRV/a.git/." "$SRV/a.git/.." \
		"srv/a.git" "../srv/a.git" "-a" "--upload-pack=x" ".."
	do
		pkt "git-upload-pack %s\0host=h\0" "$name" >request &&
		test_expect_code 255 env GIT_EXEC_PATH="$SERVICE_BIN" git daemon --inetd --export-all \
			--log-destination=stderr <request >reply 2>log &&
		refused "$denied: $name" && test_grep "aliased" log || return 1
	done
'

test_expect_success 'the list of directories' '
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" "$SRV" &&
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" /nowhere "$SRV/" &&
	ask_inetd "git-upload-pack $SRV/a\0host=h\0" "$SRV/a.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" "$SRV/a" &&
	refused "$denied: $SRV/a.git" && test_grep "not in directory list" log &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" "$SRV/work"
'

test_expect_success '--strict-paths' '
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --strict-paths "$SRV/a.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a\0host=h\0" --strict-paths "$SRV/a.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --strict-paths "$SRV" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/work\0host=h\0" --strict-paths "$SRV/work" &&
	ask_inetd "git-upload-pack $SRV/a.git/\0host=h\0" --strict-paths "$SRV/a.git/" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --strict-paths "$SRV/a.git/" &&
	test_grep "not in directory list" log &&
	test_expect_code 128 ask_inetd "" --strict-paths && test_grep "requires .<directory>. arguments" log
'

test_expect_success '--base-path, relaxed or not' '
	ask_inetd "git-upload-pack /a.git\0host=h\0" --base-path="$SRV" &&
	test_grep "^cwd: .*/srv/a.git$" reply &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --base-path="$SRV" &&
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --base-path="$SRV" --base-path-relaxed &&
	test_expect_code 255 ask_inetd "git-upload-pack /a.git/../a.git\0host=h\0" --base-path="$SRV" &&
	test_expect_code 128 ask_inetd "" --base-path="$SRV/none" && test_grep "base-path.*does not exist" log
'

test_expect_success '--interpolated-path' '
	mkdir -p hosts/www.example.org/9999 &&
	git init -q --bare hosts/www.example.org/9999/a.git &&
	ask_inetd "git-upload-pack /a.git\0host=WWW.Example.Org:9999\0" --export-all \
		--interpolated-path="$PWD/hosts/%H/%P%D" &&
	test_grep "^cwd: .*/hosts/www.example.org/9999/a.git$" reply &&
	ask_inetd "git-upload-pack /a.git\0host=www.example.org.:9999\0" --export-all --interpolated-path="$PWD/hosts/%H/%P%D" &&
	test_grep "^cwd: .*/hosts/www.example.org/9999/a.git$" reply &&
	mkdir "hosts/%" && git init -q --bare "hosts/%/a.git" &&
	ask_inetd "git-upload-pack /a.git\0host=x\0" --export-all --interpolated-path="$PWD/hosts/%%%D" &&
	test_expect_code 255 ask_inetd "git-upload-pack /a.git\0host=y\0" --export-all \
		--interpolated-path="$PWD/hosts/%H%D" "$PWD/hosts/x"
'

test_expect_success '--interpolated-path: not for a client that names no host' '
	ask_inetd "git-upload-pack /a.git" --interpolated-path="$PWD/hosts/%H%D" --base-path="$SRV" &&
	test_grep "^cwd: .*/srv/a.git$" reply &&
	test_expect_code 255 ask_inetd "git-upload-pack /a.git\0host=\0" --interpolated-path="$PWD/hosts/%H%D" \
		--base-path="$SRV" --verbose && test_grep "Interpolated dir .$PWD/hosts//a.git.$" log
'

test_expect_success 'a host and a port are one part of a path each' '
	while IFS="|" read -r said host port; do
		test_expect_code 255 ask_inetd "git-upload-pack /a.git\0host=$said\0" --interpolated-path="/none/<%H><%P>%D" --verbose &&
		test_grep -F "Extended attribute \"host\": $said" log &&
		test_grep -F "Interpolated dir '\''/none/<$host><$port>/a.git'\''" log || return 1
	done <<-\EOF
	../x|x|
	a/b|ab|
	a..b|a.b|
	..||
	..:1||1
	A.Example.:9|a.example|9
	[::1]:9418|::1|9418
	[Fe80::1]|fe80::1|
	::1|::1|
	a@b:x|a@b|x
	h:../../x|h|x
	h:99999|h|99999
	EOF
'

test_expect_success 'a canonical name that is none' '
	test_expect_code 255 ask_inetd "git-upload-pack /a.git\0host=no-such-host.invalid\0" \
		--interpolated-path="/none/<%CH>%D" --verbose && test_grep "Interpolated dir ./none/<>/a.git.$" log
'

test_lazy_prereq USER_NAME 'eval "ls -d ~$(id -un)/."'

# The directory is that of whoever runs the server: it may lead anywhere.
test_expect_success USER_NAME '--user-path' '
	user=$(id -un) && mkdir -p home/pub && git init -q --bare home/b.git && git init -q --bare home/pub/c.git &&
	home=$(eval "cd ~$user && pwd -P" | sed "s,[^/]*,..,g; s,^..,,")$PWD/home && home=${home#/} &&
	ask_inetd "git-upload-pack ~$user/b.git\0host=h\0" --export-all --user-path="$home" &&
	test_grep "^cwd: .*/home/b.git$" reply &&
	ask_inetd "git-upload-pack ~$user/c.git\0host=h\0" --export-all --user-path="$home/pub/" &&
	test_grep "^cwd: .*/home/pub/c.git$" reply &&
	test_expect_code 255 ask_inetd "git-upload-pack ~$user/b.git\0host=h\0" --export-all --user-path="$home/pub" &&
	test_expect_code 255 ask_inetd "git-upload-pack ~$user/$home/b.git\0host=h\0" --export-all --user-path &&
	test_grep "aliased" log &&
	test_expect_code 255 ask_inetd "git-upload-pack ~$user/b.git\0host=h\0" --export-all &&
	test_grep "User-path not allowed" log
'

test_expect_success 'clients cannot reach the home of the user who runs the server' '
	for o in --export-all --user-path --user-path=pub --strict-paths; do
		test_expect_code 255 env HOME="$PWD/home" GIT_EXEC_PATH="$SERVICE_BIN" git daemon --inetd --export-all \
			--log-destination=stderr $o "$PWD" <request >reply 2>log || return 1
	done &&
	for name in "~/b.git" "~/" "~//b.git"; do
		test_expect_code 255 ask_inetd "git-upload-pack $name\0host=h\0" --export-all --user-path &&
		refused "$denied: $name" && test_grep "aliased" log || return 1
	done
'

test_expect_success 'services are enabled for all, or by a repository' '
	test_expect_code 255 ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" &&
	ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" --enable=upload-archive &&
	test_grep "^args: upload-archive [.]$" reply &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --disable=upload-pack &&
	git -C srv/a.git config daemon.uploadarch true &&
	git -C srv/a.git config daemon.uploadpack false &&
	test_when_finished "git -C srv/a.git config --remove-section daemon" &&
	ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" &&
	test_expect_code 255 ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" --forbid-override=upload-archive &&
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" --forbid-override=upload-pack &&
	ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" --forbid-override=upload-archive \
		--allow-override=upload-archive &&
	git -C srv/a.git config daemon.uploadarch nonsense &&
	test_expect_code 255 ask_inetd "git-upload-archive $SRV/a.git\0host=h\0" --enable=upload-archive &&
	test_grep "bad boolean" log &&
	test_expect_code 128 git daemon --enable=nonsense 2>err && test_grep "No such service nonsense" err
'

test_expect_success 'pushing, if it is enabled' '
	ask_inetd "git-receive-pack $SRV/a.git\0host=h\0" --enable=receive-pack && grep -aq "args: receive-pack" reply &&
	test_expect_code 255 ask_inetd "git-receive-pack $SRV/a.git\0host=h\0" && refused "$denied: $SRV/a.git"
'

test_expect_success '--access-hook' '
	write_script hook <<-\EOF &&
	printf "<%s>" "$@" >hook-args
	echo no, not you
	echo more
	exit 3
	EOF
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a\0host=127.0.0.1:99\0" \
		--access-hook="$PWD/hook" --informative-errors &&
	refused "no, not you: $SRV/a" &&
	printf "<upload-pack><$SRV/a.git><127.0.0.1><127.0.0.1><><99>" >expect &&
	test_cmp expect srv/a.git/hook-args &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a\0host=h\0" --access-hook="$PWD/hook" &&
	refused "$denied: $SRV/a" &&
	write_script hook </dev/null &&
	ask_inetd "git-upload-pack $SRV/a\0host=h\0" --access-hook="$PWD/hook" &&
	test_grep "^args" reply &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a\0host=h\0" --access-hook="$PWD/nothing"
'

test_expect_success 'with inetd, whose standard error is the client, nothing goes there' '
	write_script hook <<-\EOF &&
	echo >&2 noise
	EOF
	for to in none syslog; do
		pkt "git-upload-pack $SRV/a.git\0host=h\0" >request &&
		GIT_EXEC_PATH=$SERVICE_BIN git daemon --inetd --verbose --log-destination=$to \
			--access-hook="$PWD/hook" <request >reply 2>err &&
		test_grep "^args" reply && test_must_be_empty err || return 1
	done
'

test_expect_success ROOT 'repositories of another owner are refused' '
	chown -R 12345 srv/a.git && test_when_finished "chown -R 0 srv/a.git" &&
	test_expect_code 255 ask_inetd "git-upload-pack $SRV/a.git\0host=h\0" &&
	refused "$denied: $SRV/a.git" && test_grep "dubious ownership in repository at .*a.git.$" log &&
	git config --global safe.directory "$SRV/a.git" &&
	test_when_finished "git config --global --unset safe.directory" &&
	ask_inetd "git-upload-pack $SRV/a.git\0host=h\0"
'

# ---- hostile requests -----------------------------------------------------------

# malformed CODE WORDS BYTES: no service is started, the client gets nothing, and the log has the words
malformed () {
	printf "$3" >request &&
	test_expect_code $1 env GIT_EXEC_PATH="$SERVICE_BIN" git daemon --inetd --export-all \
		--log-destination=stderr <request >reply 2>log &&
	test_must_be_empty reply && test_grep "$2" log
}

test_expect_success 'requests of wrong lengths' '
	for bytes in "" "0" "000" "0020git-upload-pack /x"; do
		malformed 1 "the remote end hung up unexpectedly" "$bytes" || return 1
	done &&
	for bytes in 0003 fff5 ffff zzzz "00-1" "+010" "0x10"; do
		malformed 1 "protocol error: bad line length" "$bytes" || return 1
	done &&
	for bytes in 0000 0001 0002 0004 0005x; do malformed 255 "Protocol error: " "$bytes" || return 1; done
'

escaped () { od -An -v -b "$1" | tr -d "\n" | sed "s/ /\\\\/g"; }

test_expect_success 'requests of wrong words' '
	for payload in "git-upload-pack" "git-upload-pack\t$SRV/a.git" \
		"git upload-pack $SRV/a.git" "upload-pack $SRV/a.git" "git- $SRV/a.git" \
		"git-UPLOAD-pack $SRV/a.git" "git-daemon $SRV/a.git" "git-upload-pack/../x $SRV/a.git" \
		"git-upload-packx $SRV/a.git" "\0\0" "GET / HTTP/1.1\r\n\r\n" "\377\376\0"
	do
		pkt "$payload" >one && malformed 255 "Protocol error: " "$(escaped one)" ||
		{ echo "accepted: $payload" >&4; return 1; }
	done &&
	for payload in "git-upload-pack\0 $SRV/a.git" "git-upload-pack $SRV/a.git\0junk\0" \
		"git-upload-pack $SRV/a.git\0host=h\0junk\0" "git-upload-pack $SRV/a.git\0host=h\0version=2\0" \
		"git-upload-pack $SRV/a.git\0host=[::1\0" "git-upload-pack $SRV/a.git\0host=a\nb\0" \
		"git-upload-pack $SRV/a.git\0host=h\0\0version=2\nX=y\0"
	do
		pkt "$payload" >one && malformed 128 "Invalid request" "$(escaped one)" ||
		{ echo "accepted: $payload" >&4; return 1; }
	done &&
	pkt "git-upload-pack $SRV/a.git\0host=[::1]x\0" >one &&
	malformed 128 "Garbage after end of host part" "$(escaped one)" &&
	test_expect_code 255 ask_inetd "git-upload-pack \0host=h\0" && refused "$denied: "
'

test_expect_success 'requests of right ones, to be sure' '
	for payload in "git-upload-pack $SRV/a.git" "git-upload-pack $SRV/a.git\0" \
		"git-upload-pack $SRV/a.git\0host=\0" "git-upload-pack $SRV/a.git\0host=h:\0" \
		"git-upload-pack $SRV/a.git\0host=../x\0" "git-upload-pack $SRV/a.git\0host=me@h:0\0" \
		"git-upload-pack $SRV/a.git\0\0a:b\0" "git-upload-pack $SRV/a.git\0\0a b\0" \
		"git-upload-pack $SRV/a.git\0HOST=[::1]:9418\0" "git-upload-pack $SRV/a.git\0host=::1\0" \
		"git-upload-pack $SRV/a.git\0host=h_1.example.org.:1\0\0" \
		"git-upload-pack $SRV/a.git\0host=h"
	do
		ask_inetd "$payload" && test_grep "^args" reply || return 1
	done
'

test_expect_success 'a long request, and lines that clients put into the log' '
	long=$(printf "%060000d" 0) &&
	test_expect_code 255 ask_inetd "git-upload-pack /$long\0host=h\0" &&
	pkt "ERR %s: /%s" "$denied" "$long" >expect && test_cmp_bin expect reply &&
	test_expect_code 255 ask_inetd "git-upload-pack /x\n[1] root logged in\0host=h\0" --verbose &&
	test_grep ! "^\[1\] root" log && test_grep "/x?\[1\] root logged in" log
'

test_expect_success STRACE '--init-timeout is 30 unless it is given' '
	for option in "" --init-timeout=7 --init-timeout=0; do
		pkt "git-upload-pack $SRV/a.git\0host=example.org\0" >request &&
		GIT_EXEC_PATH=$SERVICE_BIN trace_calls calls alarm,setitimer git daemon --inetd --log-destination=stderr $option <request >reply 2>log &&
		sed -n "s/.*alarm(\([1-9][0-9]*\)).*/\1/p" calls >>seconds || return 1
	done &&
	printf "%s\n" 30 7 >expect && test_cmp expect seconds
'

test_expect_success 'options that do not go together' '
	for o in --detach --user=x --group=x --listen=127.0.0.1 --port=1 --port=-1; do
		test_expect_code 128 git daemon --inetd --log-destination=none $o </dev/null 2>err &&
		test_grep "incompatible with --inetd" err || return 1
	done &&
	test_expect_code 1 git daemon --inetd --port=1 </dev/null >out 2>&1 && test_must_be_empty out &&
	test_expect_code 1 git daemon --inetd --log-destination=none --syslog --port=1 </dev/null >out 2>&1 &&
	test_must_be_empty out &&
	for o in --timeout --init-timeout; do
		for n in x -1 "" 1s; do
			test_expect_code 128 git daemon --inetd $o="$n" </dev/null 2>err &&
			test_grep "invalid ${o#--} .$n., expecting a non-negative integer" err || return 1
		done
	done &&
	test_expect_code 128 git daemon --inetd --max-connections=x </dev/null 2>err &&
	test_grep "invalid max-connections .x., expecting an integer" err &&
	test_expect_code 128 git daemon --port=-1 2>err && test_grep "bad port -1" err &&
	test_expect_code 128 git daemon --group=x 2>err && test_grep "without --user" err &&
	test_expect_code 128 git daemon --port=65536 2>err && test_grep "bad port" err &&
	test_expect_code 128 git daemon --log-destination=x 2>err && test_grep "unknown log" err &&
	test_expect_code 128 git daemon --user=no-such-user-here --port=0 --listen=127.0.0.1 2>err &&
	test_grep "user not found" err
'

test_done
