#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='traces show no password, unless GIT_TRACE_REDACT is 0'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-httpd.sh"

# traced URL ARGUMENT...: the three kinds of trace2 of git ARGUMENT... URL, one file
traced () {
	local url=$1
	shift
	rm -f normal perf event && { GIT_TRACE2=$PWD/normal GIT_TRACE2_PERF=$PWD/perf GIT_TRACE2_EVENT=$PWD/event \
		git "$@" "$url" >/dev/null 2>&1 || :; } && cat normal perf event >trace
}

test_expect_success 'set up' '
	git init -q
'

test_expect_success 'arguments of the command' '
	traced https://me:sesame@host/x rev-parse -- && test_grep ! sesame trace &&
	for file in normal perf; do test_grep "rev-parse -- .https://me:<REDACTED>@host/x.$" $file || return 1; done &&
	test_grep "\"https://me:<REDACTED>@host/x\"" event
'

test_expect_success 'arguments of children' '
	traced https://me:sesame@host/x -c "alias.say=!echo" say && test_grep ! sesame trace &&
	test_grep "child_start.*https://me:<REDACTED>@host/x" normal &&
	test_grep "child_start.*https://me:<REDACTED>@host/x" perf &&
	test_grep "child_start.*https://me:<REDACTED>@host/x" event
'

test_expect_success 'URLs anywhere in a line, of any scheme; up to the last @' '
	for url in ssh://me:sesame@host/x HTTP://me:sesame@host/x http://:sesame@host http://me:se@sesame@host/x \
		http://me:sesame?@host/ http://me:sesame#@host/ "http://a:sesame@b/ http://c:sesame@d/" ext::http://me:sesame@host \
		--url=http://me:sesame@host http://host/http://me:sesame@host; do
		traced "$url" rev-parse -- && test_grep ! sesame trace && test_grep "<REDACTED>@" trace || return 1
	done &&
	traced . -c remote.x.url=http://me:sesame@host/ -c http.proxy=http://me:sesame@host/ rev-parse -- &&
	test_grep ! sesame trace && test_grep "remote.x.url=http://me:<REDACTED>@host/" trace
'

test_expect_success 'nothing else is changed' '
	for url in http://host/x http://me@host/x http://host/a:b@c http://host:80/x host:80/x@y me:b@host "http://host:1 a@b" ://; do
		traced "$url" rev-parse -- && test_grep ! REDACTED trace && grep -F "\"$url\"" event || return 1
	done &&
	for value in 0 false no off ""; do
		GIT_TRACE_REDACT=$value && export GIT_TRACE_REDACT && traced http://me:sesame@host rev-parse -- &&
		unset GIT_TRACE_REDACT && for file in normal perf event; do test_grep "http://me:sesame@host" $file || return 1; done || return 1
	done &&
	GIT_TRACE_REDACT=1 && export GIT_TRACE_REDACT && traced http://me:sesame@host rev-parse -- && unset GIT_TRACE_REDACT &&
	test_grep ! sesame trace
'

test_expect_success 'messages of errors' '
	traced http://me:sesame@host/x checkout && test_grep ! sesame trace && test_grep "^[^\"]*error .*http://me:<REDACTED>@host/x" normal &&
	test_grep "\"event\":\"error\".*http://me:<REDACTED>@host/x" event &&
	traced http://me:sesame@127.0.0.1:1/x ls-remote && test_grep ! sesame trace
'

test_expect_success 'packfile URIs in packets, on both sides' '
	git init -q -b main served && test_commit -C served one && blob=$(git -C served rev-parse main:one.t) &&
	hash=$(echo $blob | git -C served pack-objects -q "$PWD/pack") && uri="http://me:sesame@host/pack?key=sesame" &&
	git -C served config uploadpack.blobPackfileUri "$blob $hash $uri" &&
	rm -rf copy && { GIT_TRACE_PACKET=$PWD/packets git -c fetch.uriProtocols=foo,http clone -q "file://$PWD/served" copy 2>err || :; } &&
	test_grep ! sesame packets && test_grep "upload-pack> .*$hash http://me:<REDACTED>@host/<redacted>$" packets &&
	test_grep "clone< .*$hash http://me:<REDACTED>@host/<redacted>$" packets && test_grep "upload-pack> .*packfile$" packets &&
	rm -rf copy packets && { GIT_TRACE_REDACT=0 GIT_TRACE_PACKET=$PWD/packets \
		git -c fetch.uriProtocols=http clone -q "file://$PWD/served" copy 2>err || :; } &&
	test_grep "upload-pack> .*$hash $uri$" packets && test_grep "clone< .*$hash $uri$" packets
'

test_expect_success 'GIT_TRACE: the command and its children' '
	{ GIT_TRACE=$PWD/trace git ls-remote http://me:sesame@127.0.0.1:1/x 2>err || :; } && test_grep ! sesame trace &&
	for line in "built-in: git ls-remote" "run_command: git remote-http" "exec: git remote-http"; do
		test_grep "$line http://me:<REDACTED>@127.0.0.1:1/x" trace || return 1
	done &&
	{ GIT_TRACE_REDACT=0 GIT_TRACE=$PWD/shown git ls-remote http://me:sesame@127.0.0.1:1/x 2>err || :; } && test_grep "git ls-remote http://me:sesame@" shown
'

test_expect_success 'other URLs in packets: bundles, promisor remotes; and in trace2' '
	url=http://me:sesame@127.0.0.1:1 && git -C served config uploadpack.advertiseBundleURIs true && git -C served config bundle.version 1 &&
	git -C served config bundle.mode all && git -C served config bundle.one.uri $url/one.bundle && git -C served config promisor.advertise true &&
	git -C served config remote.lop.promisor true && git -C served config remote.lop.url $url/lop && rm -rf copy packets &&
	{ GIT_TRACE_PACKET=$PWD/packets GIT_TRACE2_EVENT=$PWD/event git -c transfer.bundleURI=true -c promisor.acceptFromServer=all -c remote.lop.promisor=true \
		-c remote.lop.url=$url/lop clone -q "file://$PWD/served" copy 2>err || :; } && test_grep ! sesame packets && test_grep ! sesame event &&
	test_grep "upload-pack> .*bundle.one.uri=http://me:<REDACTED>@127" packets && test_grep "clone< .*bundle.one.uri=http://me:<REDACTED>@127" packets &&
	test_grep "clone< .*promisor-remote=name=lop,url=http.*me:<REDACTED>@127" packets &&
	{ printf "0014command=ls-refs\n" && printf "%04xobject-format=$TEST_HASH" $((18 + ${#TEST_HASH})) && printf "%04xpromisor-remote=$url/" $((21 + ${#url})) && printf 00010000; } >request &&
	{ GIT_TRACE2_EVENT=$PWD/data GIT_TRACE2_PERF=$PWD/perf GIT_PROTOCOL=version=2 git upload-pack --stateless-rpc served <request >out || :; } &&
	test_grep "\"key\":\"promisor-remotes\",\"value\":\"http://me:<REDACTED>@" data && test_grep "promisor-remotes:http://me:<REDACTED>@" perf
'

# longest: a name of a host after which the password begins in one line of the trace and ends in another
test_expect_success PYTHON 'GIT_TRACE_CURL shows the headers and data of an answer' '
	start_httpd web && mkdir -p srv/a.git/objects/info srv/a.git/info && printf "%s\trefs/heads/x\n" $(git -C served rev-parse main) >srv/a.git/info/refs &&
	for pad in 0 20 30; do
		{ printf "%0${pad}d\nhttp://and.a.friend:sesame-open-the-door@127.0.0.1:1/b\n" 0; } >srv/a.git/objects/info/http-alternates && rules web "* . static" &&
		rm -f curl && { GIT_TRACE_CURL=$PWD/curl git clone -q "$web_url/a.git" fromweb 2>err || :; } && sed -n "s/.*Recv data: //p" curl | tr -d "\n" >text &&
		test_grep ! sesame text && test_grep "and.a.friend:<REDACTED>@127.0.0.1:1/b" text || return 1
	done &&
	{ GIT_TRACE_REDACT=0 GIT_TRACE_CURL=$PWD/shown2 git clone -q "$web_url/a.git" fromweb 2>err || :; } &&
	sed -n "s/.*Recv data: //p" shown2 | tr -d "\n" >text && test_grep "friend:sesame-open-the-door@" text
'

# A body of 200 URLs, nearly all of which is passwords: libcurl, which hands over 128,000 bytes at once, ends a piece in one.
test_expect_success PYTHON 'GIT_TRACE_CURL shows an answer that comes in pieces' '
	password=$(printf "%0999d" 0 | sed s/000/sesame/g) && for i in 1 2 3 4 5 6 7 8 9 10; do echo "http://me:$password@h/b"; done >ten &&
	for i in 1 2 3 4 5 6 7 8 9 10; do cat ten ten; done >long && rules web "* . file $PWD/long" && rm -f curl &&
	{ GIT_TRACE_CURL=$PWD/curl git ls-remote "$web_url/a.git" 2>err || :; } && grep -c "Recv data, " curl >pieces && test "$(cat pieces)" -ge 2 &&
	sed -n "s/.*Recv data: //p" curl | tr -d "\n" >text && test_grep ! sesa text && tr / "\n" <text | grep -c "^me:<REDACTED>@h" >actual &&
	echo 200 >expect && test_cmp expect actual
'

test_done
