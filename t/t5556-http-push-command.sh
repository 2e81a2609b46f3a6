#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git push over http, from one end to the other'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"

there () {
	git -C srv/repo.git rev-parse -q --verify "$1" >actual && git -C work rev-parse "$2^{}" >expect && test_cmp expect actual
}
# fails PATTERN REFSPEC...: nothing changes, there or here
push_fails () {
	local pattern=$1
	shift
	git -C srv/repo.git for-each-ref >theirs && git -C work for-each-ref >ours &&
	test_must_fail git -C work push origin "$@" 2>err && test_grep "$pattern" err && ! grep -i "signal\|BUG" err &&
	git -C srv/repo.git for-each-ref >actual && test_cmp theirs actual && git -C work for-each-ref >actual && test_cmp ours actual
}

test_expect_success 'a repository and its clone' '
	git config --global http.postBuffer 65536 && git init -q -b main first && test_commit -C first one &&
	git clone -q --bare first srv/repo.git && git -C srv/repo.git config http.receivepack true && start_httpd web &&
	git clone -q "$web_url/repo.git" work && test_commit -C work two && git -C work branch small &&
	head -c 300000 /dev/urandom >work/big && git -C work add big && git -C work commit -q -m large && git -C work branch large
'

test_expect_success 'small ones, large ones, deletions, in each version' '
	for v in 0 1 2; do
		rules web && git -C work -c protocol.version=$v push -q origin small:refs/heads/s$v && there refs/heads/s$v small &&
		! grep Transfer-Encoding= web.log && ! grep "version=2" web.log &&
		git -C work -c protocol.version=$v push -q --atomic origin large:refs/heads/l$v :s$v && there refs/heads/l$v large &&
		test_must_fail git -C srv/repo.git rev-parse -q --verify refs/heads/s$v || return 1
	done && git -C srv/repo.git fsck --no-dangling && git -C work push -q origin --delete l0 l1 l2 &&
	git -C srv/repo.git for-each-ref --format="%(refname)" >actual && echo refs/heads/main >expect && test_cmp expect actual
'

test_expect_success 'a large pack is streamed' '
	head -c 300000 /dev/urandom >work/other && git -C work add other && git -C work commit -q -m other && rules web &&
	git -C work push -q origin HEAD:refs/heads/other && there refs/heads/other HEAD &&
	test_grep "^POST .*Content-Length=4 " web.log && test_grep "^POST .*Transfer-Encoding=chunked" web.log
'

test_expect_success 'hooks of the server speak, and refuse' '
	write_script srv/repo.git/hooks/update <<-\EOF && test_when_finished "rm srv/repo.git/hooks/update" &&
	echo "I see $1" && test "$1" != refs/heads/bad
	EOF
	test_must_fail git -C work push origin small:good small:bad 2>err && test_grep "^remote: I see refs/heads/good" err &&
	test_grep "remote rejected.*small -> bad (hook declined)" err && there refs/heads/good small && push_fails "hook declined" small:bad
'

test_expect_success 'credentials are asked for once' '
	credential_helper "127.0.0.1:$web_port" me secret && test_when_finished "git config --global --unset credential.helper" &&
	rules web "POST . basic me secret" && git -C work push -q origin small:refs/heads/c1 && rules web "* . basic me secret" &&
	git -C work push -q origin small:refs/heads/c2 && grep -c "^-- get" helper.log >actual && echo 2 >expect && test_cmp expect actual &&
	credential_helper "127.0.0.1:$web_port" me wrong && push_fails "Authentication failed for" small:refs/heads/c3
'

test_expect_success 'servers that refuse, or fail' '
	git -C srv/repo.git config http.receivepack false && rules web && push_fails "returned error: 403" small:x &&
	git -C srv/repo.git config http.receivepack true && rules web "POST . status 500" && push_fails "HTTP 500" small:x && push_fails "HTTP 500" HEAD:x &&
	rules web "POST . hangup" && push_fails "RPC failed; curl" small:x && rules web "POST . early 70000" &&
	head -c 3000000 /dev/urandom >work/huge && git -C work add huge && git -C work commit -q -m huge && push_fails "RPC failed; curl" HEAD:x &&
	type=application/x-git-receive-pack-result && rules web "POST . text $type 0000" && push_fails "" small:x && rules web "POST . text $type hello" && push_fails "" small:x
'

test_expect_success 'an answer that is cut: the push is none that has gone well' '
	for n in 0 4 12 30; do
		rules web "POST . short $n" && test_must_fail git -C work push origin small:refs/heads/cut$n 2>err && ! grep "signal\|BUG" err &&
		test_must_fail git -C work rev-parse -q --verify refs/remotes/origin/cut$n || return 1
	done
'

test_expect_success '429: it waits for its turn' '
	git -C work commit -q --allow-empty -m turn && rules web "GET . limit 1 1" "POST . limit 1 1" &&
	git -C work -c http.maxRetries=3 push -q origin HEAD:refs/heads/turn 2>err && there refs/heads/turn HEAD && requests web >log &&
	grep "^GET .* 429" log && grep "^POST .* 429" log && rules web "POST . limit 9 1" && git -C work commit -q --allow-empty -m turned &&
	push_fails "rate limited\|429" HEAD:refs/heads/turn
'

test_lazy_prereq OPENSSL 'openssl version'

test_expect_success OPENSSL 'https, where the client has to show a certificate' '
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -subj "/CN=Test CA" -days 2 2>/dev/null &&
	for who in server client; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $who.key -out $who.csr -subj "/CN=$who" 2>/dev/null &&
		printf "subjectAltName=IP:127.0.0.1\n" >ext &&
		openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $who.pem -days 2 -extfile ext 2>/dev/null ||
		return 1
	done && start_httpd strict --tls server.pem server.key --client-ca ca.pem && git -C work config http.sslCAInfo "$PWD/ca.pem" &&
	git -C work remote set-url origin "$strict_url/repo.git" && push_fails "unable to access" HEAD:refs/heads/tls &&
	git -C work config http.sslCert "$PWD/client.pem" && git -C work config http.sslKey "$PWD/client.key" &&
	head -c 300000 /dev/urandom >work/secret && git -C work add secret && git -C work commit -q -m secret &&
	git -C work push -q origin HEAD:refs/heads/tls && there refs/heads/tls HEAD && grep Transfer-Encoding=chunked strict.log
'

test_lazy_prereq NGINX_HTTP2 'PATH=$PATH:/usr/sbin && nginx -V 2>&1 | grep http_v2 && command -v fcgiwrap && command -v openssl'

start_nginx () {
	port=$(free_port) && mkdir run && cat >nginx.main <<-EOF &&
	daemon off;
	pid $PWD/run/pid;
	error_log stderr;
	$(test "$(id -u)" != 0 || echo "user root;")
	events { }
	http {
	access_log $PWD/nginx.log;
	$(for t in client_body proxy fastcgi uwsgi scgi; do echo "${t}_temp_path $PWD/run/$t;"; done)
	server {
		listen 127.0.0.1:$port ssl http2;
		ssl_certificate $PWD/server.pem;
		ssl_certificate_key $PWD/server.key;
		client_max_body_size 0;
		location / {
			fastcgi_param SCRIPT_FILENAME $PWD/backend;
			fastcgi_param PATH_INFO \$uri;
			fastcgi_param QUERY_STRING \$query_string;
			fastcgi_param REQUEST_METHOD \$request_method;
			fastcgi_param CONTENT_TYPE \$content_type;
			fastcgi_param CONTENT_LENGTH \$content_length;
			fastcgi_param HTTP_CONTENT_ENCODING \$http_content_encoding;
			fastcgi_pass unix:$PWD/fcgi;
		}
	}
	}
	EOF
	write_script backend <<-EOF || return
	GIT_PROJECT_ROOT="$HTTPD_ROOT" GIT_HTTP_EXPORT_ALL=1 HOME="$HOME" exec "$GIT_BUILD_DIR/git" http-backend
	EOF
	fcgiwrap -s "unix:$PWD/fcgi" >>nginx.out 2>&1 &
	test_atexit "kill $! 2>/dev/null || :"
	await_socket fcgi $! || return
	nginx -p "$PWD/run" -c "$PWD/nginx.main" >>nginx.out 2>&1 &
	test_atexit "kill $! 2>/dev/null || :"
	until python3 -c "import socket; socket.create_connection(('127.0.0.1', $port))" 2>/dev/null; do
		kill -0 $! && sleep 0.05 || return
	done
}

test_expect_success NGINX_HTTP2 'HTTP/2' '
	PATH=$PATH:/usr/sbin && start_nginx && git -C work remote set-url origin "https://127.0.0.1:$port/repo.git" &&
	git -C work commit -q --allow-empty -m h2 && git -C work -c http.version=HTTP/2 push -q origin HEAD:refs/heads/h2 small:refs/heads/h2small &&
	there refs/heads/h2 HEAD && head -c 3000000 /dev/urandom >work/secret && git -C work commit -q -a -m h2large &&
	git -C work -c http.version=HTTP/2 push -q origin HEAD:refs/heads/h2 && there refs/heads/h2 HEAD && cat nginx.log &&
	grep "POST .*receive-pack HTTP/2.0. 200" nginx.log && ! grep "HTTP/1" nginx.log
'

test_done
