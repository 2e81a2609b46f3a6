#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='traces show no password, unless GIT_TRACE_REDACT is 0'
. "$(dirname "$0")/test-lib.sh"

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

test_expect_success 'wherever a URL stands, of any scheme; up to the last @' '
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

test_done
