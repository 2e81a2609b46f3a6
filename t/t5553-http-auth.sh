#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='http: Digest, several schemes, credentials in stages, https through proxies, HTTP/2'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"
SQ="'" && GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT

test_expect_success 'a server' '
	git init -q -b main work && test_commit -C work one && test_seq 3000 >work/big && git -C work add big && git -C work commit -q -m two &&
	git clone -q --bare work srv/repo.git && start_httpd web && git ls-remote srv/repo.git >refs
'

# ---- schemes ------------------------------------------------------------------------

test_expect_success 'Digest, with each hash: by a helper, by the URL; a clone; the password does not go out' '
	credential_helper "127.0.0.1:$web_port" me secret && for hash in MD5 SHA-256; do
		rules web "* . digest me secret $hash" && lists && grep "^POST.* 200 .*Authorization=Digest username=\"me\"" web.log && ! grep Basic web.log || return 1
	done && grep "^wwwauth\[\]=Digest realm=\"test\"" helper.log && grep "^-- store" helper.log &&
	rm -rf clone && git -c http.postBuffer=1 clone -q "$web_url/repo.git" clone && test_cmp work/big clone/big && ! grep Basic web.log &&
	git config --global --unset credential.helper && URL="http://me:secret@127.0.0.1:$web_port/repo.git" lists &&
	URL="http://me:wrong@127.0.0.1:$web_port/repo.git" fails "Authentication failed"
'

test_expect_success 'several schemes: the best known one is used; a helper gets all, in order' '
	credential_helper "127.0.0.1:$web_port" me secret && rules web "* . choice me secret" && lists && grep "^GET.* 200 .*Authorization=Digest" web.log && ! grep Basic web.log &&
	sed -n "/^-- get/,/^--/s/^wwwauth\[\]=\([A-Za-z]*\).*/\1/p" helper.log | head -n 3 >actual && printf "%s\n" Strange Digest Basic >expect && test_cmp expect actual
'

test_expect_success 'NTLM and Negotiate alone: a clear refusal, and no loop' '
	for scheme in NTLM Negotiate "Negotiate NTLM" Strange; do
		rules web "* . only $scheme" && fails "Authentication failed\|unable to access" && test "$(wc -l <web.log)" -lt 7 || return 1
	done && git config --global --unset credential.helper && rules web "* . only Negotiate NTLM" && fails "Authentication failed\|could not read Username\|unable to access"
'

test_expect_success 'credentials in stages: state[] and "continue" go to and fro' '
	write_script stages <<-EOF && git config --global credential.helper "$PWD/stages" && rules web "* . stages 3" && rm -f stage.log && lists &&
	cat >"$PWD/stage.in" && { echo "-- \$1" && cat "$PWD/stage.in"; } >>"$PWD/stage.log"
	test "\$1" = get || exit 0
	n=\$(sed -n "s/^state\[\]=own\.step=//p" "$PWD/stage.in") && n=\$((\${n:-0} + 1))
	printf "%s\n" "capability[]=authtype" "capability[]=state" authtype=Stage credential=STEP-\$n "state[]=own.step=\$n"
	test \$n -ge 3 || echo continue=1
	EOF
	grep "^--\|^state\|^wwwauth" stage.log | sed "/^-- store/,\$d" >actual && cat >expect <<-\EOF && test_cmp expect actual &&
	-- get
	wwwauth[]=Stage next="1"
	-- get
	wwwauth[]=Stage next="2"
	state[]=own.step=1
	-- get
	wwwauth[]=Stage next="3"
	state[]=own.step=2
	EOF
	sed -n "/^-- store/,\$p" stage.log >stored && grep "^credential=STEP-3" stored && grep "^POST.* 200 .*Authorization=Stage STEP-3" web.log &&
	rules web "* . stages 9" && fails "Authentication failed" && git config --global --unset credential.helper
'

# ---- a name in the URL, no password: http://TOKEN@host ------------------------------

test_expect_success 'a name alone in the URL goes with an empty password: Basic, Digest, a clone' '
	URL="http://tok@127.0.0.1:$web_port/repo.git" && rules web "* . basic tok" && lists && rules web "* . digest tok" && lists &&
	rules web "* . basic tok" && rm -rf clone && git -c http.postBuffer=1 clone -q "$URL" clone && test_cmp work/big clone/big &&
	lists -c http.emptyAuth=false && rules web "* . basic tok" && printf "0000" | test_must_fail git ls-remote "$web_url/repo.git" && unset URL
'

test_expect_success '... or with that of ~/.netrc; if the server wants another, a helper is asked' '
	URL="http://tok@127.0.0.1:$web_port/repo.git" && rules web "* . basic tok np" && fails "could not read Password" &&
	echo "machine 127.0.0.1 login tok password np" >"$HOME/.netrc" && rules web "* . basic tok np" && lists && rm "$HOME/.netrc" &&
	credential_helper "127.0.0.1:$web_port" tok secret && rules web "* . basic tok secret" && lists &&
	grep "^username=tok" helper.log && grep "^-- store" helper.log && ! grep "^-- erase" helper.log && unset URL
'

test_expect_success '... with http.emptyAuth=true a helper is asked at once; a name that is empty is none' '
	rules web "* . basic tok secret" && URL="http://tok@127.0.0.1:$web_port/repo.git" lists -c http.emptyAuth=true && ! grep " 401" web.log &&
	rules web "* . basic tok secret" && URL="http://@127.0.0.1:$web_port/repo.git" lists && git config --global --unset credential.helper &&
	rules web "* . basic tok secret" && URL="http://@127.0.0.1:$web_port/repo.git" fails "could not read Username"
'

test_expect_success '... and not to another host' '
	rules web "GET ^/r/ redirect 302 http://localhost:$web_port/repo.git/info/refs?service=git-upload-pack" "* . basic tok" &&
	URL="http://tok@127.0.0.1:$web_port/r" fails "could not read Username" -c http.followRedirects=true && ! grep Authorization web.log
'

test_expect_success 'after a redirect the user is asked for where it leads; with credential.useHttpPath for that path, once' '
	start_httpd far && write_script ask <<-EOF &&
	echo "\$1" >>"$PWD/ask.log"
	case "\$1" in Username*) echo me ;; *) echo secret ;; esac
	EOF
	for path in false true; do
		p= && { test $path = false || p=/repo.git; } &&
		rules web "GET ^/r/ redirect 302 $far_url/repo.git/info/refs?service=git-upload-pack" && rules far "* . basic me secret" &&
		rm -rf ask.log clone && GIT_ASKPASS="$PWD/ask" git -c credential.useHttpPath=$path clone -q "$web_url/r" clone && test_cmp work/big clone/big &&
		printf "%s\n" "Username for ${SQ}$far_url$p${SQ}: " "Password for ${SQ}http://me@127.0.0.1:$far_port$p${SQ}: " >expect && test_cmp expect ask.log || return 1
	done &&
	rules far "* . basic me secret" && URL="http://me:secret@127.0.0.1:$web_port/r" fails "could not read Username for ${SQ}$far_url" && ! grep Authorization far.log
'

# ---- https through a proxy ----------------------------------------------------------

test_lazy_prereq OPENSSL 'openssl version'

test_expect_success OPENSSL 'https through a proxy: http.proxy, https_proxy, no_proxy' '
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out pem -subj "/CN=far.example" -days 2 -addext "subjectAltName=DNS:far.example,IP:127.0.0.1" 2>/dev/null &&
	start_httpd tls --tls pem key && start_httpd proxy && git config --global http.sslCAInfo "$PWD/pem" && URL=https://far.example/repo.git && export URL &&
	rules proxy "CONNECT ^far.example:443\$ to $tls_port" && lists -c http.proxy="$proxy_url" && grep "^CONNECT far.example:443 200" proxy.log && ! grep repo.git proxy.log && ! grep "Proxy-" tls.log &&
	rules proxy "CONNECT ^far.example:443\$ to $tls_port" && https_proxy=$proxy_url lists && grep "^CONNECT" proxy.log &&
	rm -rf clone && git -c http.proxy="$proxy_url" clone -q "$URL" clone && test_cmp work/big clone/big &&
	rules proxy && URL=https://127.0.0.1:$tls_port/repo.git && lists -c http.proxy="$proxy_url" && grep "^CONNECT 127.0.0.1:$tls_port" proxy.log &&
	rules proxy && https_proxy=$proxy_url no_proxy=127.0.0.1 lists && test_must_be_empty proxy.log && no_proxy=127.0.0.1 lists -c http.proxy="$proxy_url" && test_must_be_empty proxy.log &&
	https_proxy=$proxy_url lists -c http.proxy= && test_must_be_empty proxy.log && http_proxy=$proxy_url lists && test_must_be_empty proxy.log &&
	fails "unable to access" -c http.proxy=http://127.0.0.1:1
'

test_expect_success OPENSSL '... that wants a password: in its URL, of a helper, with each method' '
	rules proxy "CONNECT . proxy me secret" && fails "407" -c http.proxy="$proxy_url" && ! grep repo.git proxy.log &&
	lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" && ! grep Authorization tls.log && https_proxy="http://me:secret@127.0.0.1:$proxy_port" lists &&
	credential_helper "127.0.0.1:$proxy_port" me secret && lists -c http.proxy="http://me@127.0.0.1:$proxy_port" && grep "^-- store" helper.log &&
	credential_helper "127.0.0.1:$proxy_port" me wrong && fails "407" -c http.proxy="http://me@127.0.0.1:$proxy_port" && grep "^-- erase" helper.log &&
	git config --global --unset credential.helper && rules proxy "CONNECT . proxydigest me secret" && lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" &&
	rules proxy "CONNECT . proxydigest me secret" && lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" -c http.proxyAuthMethod=digest && grep "^CONNECT.* 200 .*Proxy-Authorization=Digest" proxy.log && ! grep Basic proxy.log &&
	fails 407 -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" -c http.proxyAuthMethod=basic && fails 407 -c http.proxy="http://me:wrong@127.0.0.1:$proxy_port" &&
	rules proxy "CONNECT . proxy me secret" && fails 407 -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" -c http.proxyAuthMethod=digest &&
	GIT_HTTP_PROXY_AUTHMETHOD=basic lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" -c http.proxyAuthMethod=digest
'

test_expect_success OPENSSL 'a server behind it that wants another password: each gets its own' '
	rules tls "* . digest you other" && rules proxy "CONNECT . proxy me secret" && URL="https://you:other@127.0.0.1:$tls_port/repo.git" lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" &&
	grep "^POST.* 200 .*Authorization=Digest username=\"you\"" tls.log && ! grep "Proxy-" tls.log && rules tls && unset URL
'

# ---- HTTP/2 -------------------------------------------------------------------------

test_lazy_prereq NGINX_HTTP2 'nginx -V 2>&1 | grep -q http_v2_module && curl --version | grep -q HTTP2'

test_expect_success OPENSSL,NGINX_HTTP2 'http.version: HTTP/2 over TLS, and HTTP/1.1' '
	rules web && port=$(free_port) && mkdir -p ngx && cat >ngx/conf <<-EOF &&
	daemon off; pid $PWD/ngx/pid; error_log $PWD/ngx/errors; worker_processes 1;
	events {}
	http {
		log_format version "\$server_protocol \$request_method \$status"; access_log $PWD/ngx/log version;
		client_body_temp_path $PWD/ngx/a; proxy_temp_path $PWD/ngx/b; fastcgi_temp_path $PWD/ngx/c; uwsgi_temp_path $PWD/ngx/d; scgi_temp_path $PWD/ngx/e;
		server {
			listen 127.0.0.1:$port ssl http2; ssl_certificate $PWD/pem; ssl_certificate_key $PWD/key;
			location / { proxy_pass $web_url; proxy_http_version 1.1; }
		}
	}
	EOF
	{ nginx -p "$PWD/ngx" -c "$PWD/ngx/conf" 2>ngx/err & } && test_atexit "kill $! 2>/dev/null || :" &&
	while test ! -s ngx/pid; do kill -0 $! && sleep 0.05 || return 1; done &&
	URL=https://127.0.0.1:$port/repo.git && lists && grep "^HTTP/2.0 POST 200" ngx/log && ! grep "HTTP/1" ngx/log && : >ngx/log &&
	lists -c http.version=HTTP/2 && grep "^HTTP/2.0 POST 200" ngx/log && : >ngx/log &&
	rm -rf clone && git -c http.postBuffer=1 clone -q "$URL" clone && test_cmp work/big clone/big && grep "^HTTP/2.0 POST 200" ngx/log && : >ngx/log &&
	lists -c http.version=HTTP/1.1 && grep "^HTTP/1.1 POST 200" ngx/log && ! grep "HTTP/2" ngx/log && unset URL
'

test_done
