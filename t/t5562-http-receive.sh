#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git http-backend takes pushes: requests as a web server hands them over, whole and broken; stock Git at either end'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

# cgi METHOD PATH QUERY [VARIABLE=VALUE...]: the reply, its CRs removed, in "head" and "body"; messages in "err"
cgi () {
	local method=$1 path=$2 query=$3 code=0
	shift 3
	env -u GIT_COMMITTER_NAME -u GIT_COMMITTER_EMAIL GIT_PROJECT_ROOT="$PWD/srv" GIT_HTTP_EXPORT_ALL=1 REMOTE_USER=me \
		SERVER_PROTOCOL=HTTP/1.1 REQUEST_METHOD="$method" PATH_INFO="$path" QUERY_STRING="$query" \
		REMOTE_ADDR=192.0.2.7 env "$@" "${BACKEND:-git}" http-backend <request >reply 2>err || code=$?
	sed "/^.$/,\$d" reply | tr -d "\r" >head &&
	tail -c +$(($(sed "/^.$/q" reply | wc -c) + 1)) reply >body
	return $code
}
post () {
	cgi POST /a.git/git-receive-pack "" CONTENT_TYPE=application/x-git-receive-pack-request "$@"
}
# wants OLD NEW NAME: a request without its pack
wants () {
	pkt "$1 $2 $3\\0 report-status object-format=$TEST_HASH" && printf 0000
}
length () {
	wc -c <"$1" | tr -d " "
}
# The branch is there, and is forgotten; or it is not, and nothing is left of the try.
pushed () {
	test_grep -a "unpack ok" body && test_grep -a "ok refs/heads/new" body &&
	test "$(git -C srv/a.git rev-parse "${1:-refs/heads/new}")" = "$two" && git -C srv/a.git update-ref -d "${1:-refs/heads/new}" &&
	rm -rf srv/a.git/objects && cp -r objects srv/a.git/objects
}
not_pushed () {
	! grep -a "^....ok " body && git -C srv/a.git for-each-ref >actual && test_cmp refs actual &&
	(cd srv/a.git/objects && find . -type f | sort) >actual && test_cmp files actual &&
	find srv/a.git -name "tmp_*" -o -name "*.lock" >actual && test_must_be_empty actual
}

test_expect_success 'a repository, and a request for it' '
	git init -q -b main work && test_commit -C work one && git clone -q --bare work srv/a.git &&
	git -C srv/a.git config core.logAllRefUpdates true && test_commit -C work two && two=$(git -C work rev-parse HEAD) &&
	printf "%s\n" $two ^$two~1 >revs && git -C work pack-objects -q --revs --stdout <revs >pack &&
	git -C srv/a.git for-each-ref >refs && cp -r srv/a.git/objects objects && (cd objects && find . -type f | sort) >files &&
	zero=$(echo $two | tr 0-9a-f 0) && { wants $zero $two refs/heads/new && cat pack; } >whole && cp whole request &&
	post && grep -xF "Content-Type: application/x-git-receive-pack-result" head && pushed
'

test_expect_success 'reflogs name the user whom the web server knows' '
	who () {
		post "$@" && git -C srv/a.git reflog -1 --format="%gn <%ge>" refs/heads/new >>actual && pushed
	} &&
	: >actual && cp whole request && who && git -C srv/a.git config http.receivepack true && who REMOTE_USER= &&
	who REMOTE_USER= REMOTE_ADDR= && who GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=y && git -C srv/a.git config --unset http.receivepack &&
	printf "%s\n" "me <me@http.192.0.2.7>" "anonymous <anonymous@http.192.0.2.7>" "anonymous <anonymous@http.(none)>" "x <y>" >expect &&
	test_cmp expect actual && post REMOTE_USER= && grep -xF "Status: 403 Forbidden" head && not_pushed
'

test_expect_success STOCK_GIT 'stock Git writes the same' '
	cp whole request && post && tail -n 1 srv/a.git/logs/refs/heads/new | sed "s/> [0-9]*/>/" >expect && pushed &&
	BACKEND=$STOCK_GIT post && tail -n 1 srv/a.git/logs/refs/heads/new | sed "s/> [0-9]*/>/" >actual && pushed && test_cmp expect actual
'

test_expect_success 'the advertisement: its line is there whatever version is asked for, as there is no push in 2' '
	for v in 0 2; do
		cgi GET /a.git/info/refs service=git-receive-pack HTTP_GIT_PROTOCOL=version=$v &&
		head -c 35 body >actual && printf "001f# service=git-receive-pack\n0000" >expect && test_cmp expect actual &&
		! grep -a "version [12]" body && test_grep -a "refs/heads/main.*report-status" body || return 1
	done &&
	cgi GET /a.git/info/refs service=git-receive-pack HTTP_GIT_PROTOCOL=version=1 &&
	head -c 49 body >actual && printf "001f# service=git-receive-pack\n0000000eversion 1\n" >expect && test_cmp expect actual
'

test_expect_success 'lengths that are said, and are not' '
	cp whole request && post CONTENT_LENGTH=$(length whole) && pushed && post CONTENT_LENGTH= && pushed && post CONTENT_LENGTH=-1 && pushed &&
	echo "belongs to the next" >>request && post CONTENT_LENGTH=$(length whole) && pushed
'

test_expect_success 'compressed' '
	gzip -c whole >request && post HTTP_CONTENT_ENCODING=gzip && pushed &&
	post HTTP_CONTENT_ENCODING=x-gzip CONTENT_LENGTH=$(length request) && pushed
'

test_expect_success 'a namespace' '
	cp whole request && post GIT_NAMESPACE=x && pushed refs/namespaces/x/refs/heads/new
'

test_expect_success 'a body that ends too early' '
	n=$(length whole) && for k in 1 3 50 100 $((n - $(length pack))) $((n - $(length pack) + 10)) $((n - 30)) $((n - 1)); do
		head -c $k whole >request && { test_expect_code 1 post CONTENT_LENGTH=$n; test_grep "fatal: the request ended $((n - k)) bytes too early" err; } &&
		not_pushed && { post || :; } && not_pushed || return 1
	done
'

test_expect_success 'a length that is too small' '
	cp whole request && for k in 0 40 $(($(length whole) - 1)); do
		{ post CONTENT_LENGTH=$k || :; } && not_pushed || return 1
	done && for k in x 1x -2 9999999999999999999999; do
		post CONTENT_LENGTH=$k && grep -xF "Status: 400 Bad Request" head && not_pushed || return 1
	done
'

test_expect_success 'compressed, and broken' '
	gzip -c whole >all && n=$(length all) && for k in 0 5 10 60 $((n / 2)) $((n - 30)); do
		head -c $k all >request && test_expect_code 1 post HTTP_CONTENT_ENCODING=gzip &&
		test_grep "request ended in the middle" err && not_pushed || return 1
	done &&
	{ head -c $((n / 2)) all && head -c 300 /dev/zero; } >request && test_expect_code 1 post HTTP_CONTENT_ENCODING=gzip &&
	test_grep "no valid gzip" err && not_pushed &&
	cp whole request && test_expect_code 1 post HTTP_CONTENT_ENCODING=gzip && test_grep "no valid gzip" err && not_pushed &&
	post HTTP_CONTENT_ENCODING=br && grep -xF "Status: 415 Unsupported Media Type" head && not_pushed
'

test_expect_success 'a small body that becomes a large one is for receive.maxInputSize' '
	git -C srv/a.git config receive.maxInputSize 1m && test_when_finished "git -C srv/a.git config --unset receive.maxInputSize" &&
	{ cat whole && head -c 30000000 /dev/zero; } | gzip -1 >request && { post HTTP_CONTENT_ENCODING=gzip || :; } && { pushed || not_pushed; }
'

# ---- memory ------------------------------------------------------------------------

test_expect_success !SANITIZE 'a body of any size passes through' '
	make_service && echo "wc -c" >srv/a.git/service && test_when_finished "rm srv/a.git/service" && rm request && mkfifo request &&
	{ head -c 300000000 /dev/zero >request & } &&
	(ulimit -v 150000 && post GIT_EXEC_PATH="$SERVICE_BIN" GIT_HTTP_MAX_REQUEST_BUFFER=1000) && test_grep "^300000000$" body && rm request
'

test_expect_success 'a service that ends before the body does' '
	head -c 3000000 /dev/zero >request && { post || :; } && not_pushed &&
	{ wants $zero $two refs/heads/new && cat pack && head -c 3000000 /dev/zero; } >request && { post || :; } && { pushed || not_pushed; }
'

# ---- stock Git at either end -------------------------------------------------------------

test_have_prereq PYTHON && . "$TEST_DIRECTORY/lib-httpd.sh"

stock_pushes () {
	stock -C work -c http.postBuffer=65536 "$@" 2>err || { cat err >&4; return 1; }
}
test_expect_success STOCK_GIT,PYTHON 'stock Git pushes: small and large, in each version, by name and atomically; and deletes' '
	git -C srv/a.git config http.receivepack true && start_httpd web && url=$web_url/a.git &&
	head -c 300000 /dev/urandom >work/big && git -C work add big && git -C work commit -q -m big && git -C work tag large &&
	for v in 0 1 2; do
		stock_pushes -c protocol.version=$v push -q "$url" $two:refs/heads/s$v large:refs/heads/l$v &&
		stock_pushes -c protocol.version=$v push -q --atomic "$url" large:refs/tags/a$v :refs/heads/s$v || return 1
	done &&
	test_grep "^POST .*Transfer-Encoding=chunked" web.log && git -C srv/a.git fsck --no-dangling &&
	git -C srv/a.git for-each-ref --format="%(refname)" refs/heads/l* refs/heads/s* refs/tags >actual &&
	printf "%s\n" refs/heads/l0 refs/heads/l1 refs/heads/l2 refs/tags/a0 refs/tags/a1 refs/tags/a2 >expect && test_cmp expect actual &&
	test_must_fail stock -C work push "$url" $two:refs/heads/l0 2>err && test_grep "rejected" err &&
	git -C srv/a.git config http.receivepack false && test_must_fail stock -C work push "$url" $two:refs/heads/x 2>err && test_grep 403 err
'

test_expect_success STOCK_GIT,PYTHON 'our helper pushes to stock Git' '
	git -C srv/a.git config http.receivepack true && HTTPD_PROGRAM=$STOCK_GIT start_httpd theirs && git config --global http.postBuffer 65536 &&
	printf "%s\n" large ^$two~1 >revs && git -C work pack-objects -q --revs --stdout <revs >large.pack &&
	for v in 0 1 2; do
		GIT_PROTOCOL=version=$v "$TEST_DIRECTORY/helper-push.py" "$theirs_url/a.git" refs/heads/small$v=$two <pack >out &&
		printf "%s\n" "unpack ok" "ok refs/heads/small$v" >expect && test_cmp expect out &&
		GIT_PROTOCOL=version=$v "$TEST_DIRECTORY/helper-push.py" "$theirs_url/a.git" refs/heads/large$v=$(git -C work rev-parse large) <large.pack >out &&
		printf "%s\n" "unpack ok" "ok refs/heads/large$v" >expect && test_cmp expect out || return 1
	done && test_grep "^POST .*Transfer-Encoding=chunked" theirs.log && git -C srv/a.git fsck --no-dangling
'

test_done
