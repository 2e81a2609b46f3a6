#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='http: credentials, TLS, proxies, headers, cookies, traces, and the helper itself'
. "$(dirname "$0")/test-lib.sh"
SQ="'"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"
GIT_TERMINAL_PROMPT=0 && export GIT_TERMINAL_PROMPT

test_expect_success 'a server' '
	git init -q -b main work && test_commit -C work one && git clone -q --bare work srv/repo.git && start_httpd web &&
	git ls-remote srv/repo.git >refs
'

# ---- credentials ------------------------------------------------------------------

test_expect_success 'user and password in the URL' '
	rules web "* . basic me se@cret" && URL="http://me:se%40cret@127.0.0.1:$web_port/repo.git" lists &&
	URL="http://me:wrong@127.0.0.1:$web_port/repo.git" fails "^fatal: Authentication failed for .$web_url/repo.git/.$" &&
	! grep wrong err
'

test_expect_success 'password of a helper: asked once, told the outcome, and not asked by later requests' '
	credential_helper "127.0.0.1:$web_port" me secret && rules web "* . basic me secret" && lists &&
	grep "^--\|^host\|^user\|^pass\|^wwwauth" helper.log >actual &&
	printf "%s\n" "-- get" "host=127.0.0.1:$web_port" "wwwauth[]=Basic realm=\"test\"" \
		"-- store" "host=127.0.0.1:$web_port" "username=me" "password=secret" >expect &&
	grep -v "^capability" actual | grep -v "store-extra" >actual2 &&
	sed "/^-- store/,\$d" actual2 >a && sed "/^-- store/,\$d" expect >e && test_cmp e a &&
	sed -n "/^-- store/,\$p" actual2 | grep -v wwwauth | sort >a && sed -n "/^-- store/,\$p" expect | sort >e && test_cmp e a &&
	requests web >actual && printf "%s\n" "GET /repo.git/info/refs?service=git-upload-pack 401" \
		"GET /repo.git/info/refs?service=git-upload-pack 200" "POST /repo.git/git-upload-pack 200" >expect &&
	test_cmp expect actual
'

test_expect_success 'a wrong one is taken back' '
	credential_helper "127.0.0.1:$web_port" me wrong && fails "Authentication failed" && grep "^-- erase" helper.log &&
	! grep "^-- store" helper.log
'

test_expect_success 'a challenge in the middle is answered, too' '
	credential_helper "127.0.0.1:$web_port" me secret && rules web "POST . basic me secret" && lists &&
	rm -rf clone && rules web "POST . basic me secret" && git -c http.postBuffer=1 clone -q --bare "$web_url/repo.git" clone
'

test_expect_success 'tokens of a helper that knows more than passwords' '
	write_script bearer <<-\EOF &&
	cat >bearer.in
	test "$1" = get || exit 0
	printf "%s\n" "capability[]=authtype" authtype=Bearer credential=token-1
	EOF
	rules web "* . bearer token-1" && git config --global credential.helper "$PWD/bearer" && lists &&
	grep "^POST.*Authorization=Bearer token-1" web.log &&
	rules web "* . bearer token-2" && fails "Authentication failed" && rules web "* . bearer token-1" &&
	write_script bearer <<-EOF && lists && grep "^wwwauth\[\]=Bearer realm=\"a b\"$" bearer.in &&
	test "\$1" = get || exit 0
	cat >"$PWD/bearer.in"
	printf "%s\n" "capability[]=authtype" authtype=Bearer credential=token-1
	EOF
	grep "^wwwauth\[\]=FooBar param1=\"x\", param2=\"y\"$" bearer.in
'

test_expect_success '"store" has neither challenges nor capabilities that the helper does not have; "erase" has the challenges' '
	write_script fields <<-EOF && git config --global credential.helper "$PWD/fields" && rules web "* . basic me secret" &&
	{ echo "-- \$1"; cat; } >>"$PWD/fields.log"
	cat "$PWD/answer"
	EOF
	: >answer && fails "could not read Username" && printf "username=me\npassword=secret\n" >answer && rm -f fields.log && lists &&
	get="-- get
	capability[]=authtype
	capability[]=state
	protocol=http
	host=127.0.0.1:$web_port
	wwwauth[]=Basic realm=\"test\"" && printf "%s\n" "$get" "-- store" "protocol=http" "host=127.0.0.1:$web_port" username=me password=secret |
	sed "s/^	*//" >expect && test_cmp expect fields.log &&
	printf "capability[]=state\nusername=me\npassword=bad\nstate[]=own.x\n" >answer && rm -f fields.log && fails "Authentication failed" &&
	printf "%s\n" "$get" "-- erase" "capability[]=state" "protocol=http" "host=127.0.0.1:$web_port" username=me password=bad \
		"wwwauth[]=Basic realm=\"test\"" "state[]=own.x" | sed "s/^	*//" >expect && test_cmp expect fields.log
'

test_expect_success 'after a redirect the new path is in prompts and in questions to helpers, and a name alone does not go there' '
	cp -R srv/repo.git srv/moved.git && rules web "* ^/old(.*) redirect 302 /moved\\1" "* . basic me secret" && printf "username=me\npassword=secret\n" >answer &&
	rm -f fields.log && URL=$web_url/old.git lists -c credential.useHttpPath=true && grep -c "^path=moved.git" fields.log >count && test "$(cat count)" = 2 &&
	rm -f fields.log && URL=http://me:bad@127.0.0.1:$web_port/old.git fails "Authentication failed" -c credential.useHttpPath=true && test_grep "^-- erase" fields.log && test_grep "^path=old.git" fields.log &&
	rm -f fields.log && lists -c http.proactiveAuth=basic && sed -n "/^-- get/,/^-- store/{ /^-- store/!p; }" fields.log >asked &&
	printf "%s\n" "-- get" "capability[]=authtype" "capability[]=state" protocol=http "host=127.0.0.1:$web_port" "wwwauth[]=Basic" >expect && test_cmp expect asked &&
	git config --global --unset credential.helper && write_script ask <<-EOF && rm -f ask.log &&
	echo "\$1" >>"$PWD/ask.log"
	case "\$1" in Username*) echo me ;; *) echo secret ;; esac
	EOF
	(GIT_ASKPASS=$PWD/ask && export GIT_ASKPASS && URL=$web_url/old.git lists -c credential.useHttpPath=true && URL=http://you@127.0.0.1:$web_port/old.git lists) &&
	printf "%s: \n" "Username for ${SQ}$web_url/moved.git${SQ}" "Password for ${SQ}http://me@127.0.0.1:$web_port/moved.git${SQ}" \
		"Username for ${SQ}$web_url${SQ}" "Password for ${SQ}http://me@127.0.0.1:$web_port${SQ}" >expect && test_cmp expect ask.log &&
	URL=http://me:secret@127.0.0.1:$web_port/old.git lists
'

test_expect_success 'http.proactiveAuth: before anybody asks' '
	credential_helper "127.0.0.1:$web_port" me secret && rules web "* . basic me secret" &&
	lists -c http.proactiveAuth=basic && ! grep " 401 " web.log && fails "Unknown value" -c http.proactiveAuth=often
'

test_expect_success 'an unknown host' '
	git config --global --unset credential.helper && rules web "* . basic me secret" &&
	fails "could not read Username for .$web_url.: terminal prompts disabled" && rules web
'

# ---- headers ----------------------------------------------------------------------

test_expect_success 'http.extraHeader, http.<url>.extraHeader' '
	lists -c http.extraHeader="X-Test: a" && grep "^GET.*X-Test=a" web.log && grep "^POST.*X-Test=a" web.log && rules web &&
	lists -c "http.$web_url/.extraHeader=X-Test: b" && grep X-Test=b web.log && rules web &&
	lists -c "http.$web_url/other.extraHeader=X-Test: c" && ! grep X-Test web.log &&
	lists -c http.extraHeader="X-Test: a" -c http.extraHeader= && ! grep X-Test web.log &&
	lists -c "http.$web_url.extraHeader=X-Test: d" -c http.extraHeader="X-Test: e" && ! grep X-Test=e web.log
'

test_expect_success 'user agent, languages, protocol' '
	rules web && LANGUAGE=de_DE.UTF-8:fr lists && grep "User-Agent=git/" web.log &&
	grep "Accept-Language=de-DE, fr;q=0.9, \*;q=0.8" web.log && rules web && LANG=C lists && ! grep Accept-Language web.log &&
	rules web && GIT_HTTP_USER_AGENT=mine lists -c http.userAgent=other && grep "User-Agent=mine " web.log && rules web &&
	lists -c http.userAgent=other && grep "User-Agent=other " web.log && grep "Accept-Encoding=.*gzip" web.log
'

test_expect_success 'answers that are compressed' '
	rules web "* . gzip" && lists && rm -rf clone && git clone -q --bare "$web_url/repo.git" clone && git -C clone fsck
'

test_expect_success 'cookies' '
	rules web && printf "127.0.0.1\tFALSE\t/\tFALSE\t0\tname\tvalue\n" >cookies && lists -c http.cookieFile="$PWD/cookies" &&
	grep "Cookie=name=value" web.log && rules web "* . cookie other=new" && cp cookies before &&
	lists -c http.cookieFile="$PWD/cookies" && test_cmp before cookies && grep "^POST.*Cookie=.*other=new" web.log &&
	lists -c http.cookieFile="$PWD/cookies" -c http.saveCookies && grep "other.new" cookies &&
	rules web "* . cookie other=new" && lists -c http.cookieFile= && grep "^POST.*Cookie=other=new" web.log && rules web
'

# ---- connections ------------------------------------------------------------------

test_expect_success 'http.curloptResolve, http.version' '
	URL="http://nowhere.example:$web_port/repo.git" lists -c http.curloptResolve="nowhere.example:$web_port:127.0.0.1" &&
	grep "Host=nowhere.example" web.log && lists -c http.version=HTTP/1.1 &&
	lists -c http.version=HTTP/9 && test_grep "warning: unknown value given to http.version: .HTTP/9." err
'

test_expect_success 'a proxy' '
	start_httpd proxy && URL=http://far.example/repo.git && export URL &&
	lists -c http.proxy="$proxy_url" && grep "^GET http://far.example/repo.git/info/refs" proxy.log &&
	rules proxy && http_proxy=$proxy_url lists && grep "^POST http://far.example/" proxy.log &&
	test_must_fail env http_proxy="$proxy_url" git -c http.proxy= ls-remote "$URL" 2>err &&
	rules proxy "* . proxy me secret" &&
	fails "error: 407" -c http.proxy="$proxy_url" && lists -c http.proxy="http://me:secret@127.0.0.1:$proxy_port" &&
	credential_helper "127.0.0.1:$proxy_port" me secret && lists -c http.proxy="http://me@127.0.0.1:$proxy_port" &&
	grep "^-- store" helper.log && credential_helper "127.0.0.1:$proxy_port" me wrong &&
	fails "error: 407" -c http.proxy="http://me@127.0.0.1:$proxy_port" && grep "^-- erase" helper.log &&
	git config --global --unset credential.helper && rules proxy && git init -q named &&
	git -C named config remote.origin.url "$URL" && git -C named config remote.origin.proxy "$proxy_url" &&
	git -C named ls-remote origin >actual && test_cmp refs actual && unset URL
'

# ---- TLS ----------------------------------------------------------------------------

test_lazy_prereq OPENSSL 'openssl version'

test_expect_success OPENSSL 'a certificate of an own authority' '
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -subj "/CN=Test CA" -days 2 2>/dev/null &&
	for who in server client; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $who.key -out $who.csr -subj "/CN=$who" 2>/dev/null &&
		printf "subjectAltName=IP:127.0.0.1\n" >ext &&
		openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $who.pem -days 2 -extfile ext 2>/dev/null ||
		return 1
	done && start_httpd tls --tls server.pem server.key && URL=$tls_url/repo.git && export URL &&
	fails "^fatal: unable to access .$tls_url/repo.git/.: .*certificate" &&
	lists -c http.sslCAInfo="$PWD/ca.pem" && GIT_SSL_CAINFO="$PWD/ca.pem" lists &&
	lists -c "http.$tls_url/.sslVerify=false" && GIT_SSL_NO_VERIFY=1 lists &&
	fails certificate -c "http.https://other.example/.sslVerify=false" &&
	rm -rf clone && git -c http.sslCAInfo="$PWD/ca.pem" clone -q --bare "$URL" clone && git -C clone fsck
'

test_expect_success OPENSSL 'http.pinnedPubkey, http.sslVersion, http.sslCipherList' '
	key=$(openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64) &&
	lists -c http.sslCAInfo="$PWD/ca.pem" -c http.pinnedPubkey="sha256//$key" &&
	fails "^fatal: unable to access .* with http.pinnedPubkey configuration: " -c http.sslCAInfo="$PWD/ca.pem" \
		-c http.pinnedPubkey="sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" &&
	lists -c http.sslCAInfo="$PWD/ca.pem" -c http.sslVersion=tlsv1.2 &&
	lists -c http.sslCAInfo="$PWD/ca.pem" -c http.sslVersion=tlsv9 && test_grep "unsupported ssl version tlsv9" err &&
	fails "unable to access" -c http.sslCAInfo="$PWD/ca.pem" -c http.sslCipherList=NONSENSE
'

test_expect_success OPENSSL 'client certificates' '
	start_httpd strict --tls server.pem server.key --client-ca ca.pem && URL=$strict_url/repo.git &&
	fails "unable to access\|RPC failed" -c http.sslCAInfo="$PWD/ca.pem" &&
	lists -c http.sslCAInfo="$PWD/ca.pem" -c http.sslCert="$PWD/client.pem" -c http.sslKey="$PWD/client.key" &&
	openssl pkey -aes128 -passout pass:opens -in client.key -out locked.key 2>/dev/null &&
	write_script helper <<-\EOF &&
	cat >>helper.in
	test "$1" = get && echo password=opens
	EOF
	git config --global credential.helper "$PWD/helper" &&
	lists -c http.sslCAInfo="$PWD/ca.pem" -c http.sslCert="$PWD/client.pem" -c http.sslKey="$PWD/locked.key" \
		-c http.sslCertPasswordProtected=true && grep "^protocol=cert" helper.in &&
	git config --global --unset credential.helper && unset URL
'

# ---- traces -------------------------------------------------------------------------

test_expect_success 'GIT_TRACE_CURL hides secrets' '
	rules web "* . basic me secret" && secret=$(printf me:secret | base64) && URL="http://me:secret@127.0.0.1:$web_port/repo.git" &&
	export URL && GIT_TRACE_CURL="$PWD/trace" lists -c http.extraHeader="Cookie: a=b; c=d" &&
	grep "=> Send header: GET /repo.git/info/refs" trace && grep "=> Send header: Authorization: Basic <redacted>" trace &&
	grep "=> Send header: Cookie: a=<redacted>; c=<redacted>" trace && grep "<= Recv header: HTTP/1.1 200" trace &&
	grep "=> Send data" trace && ! grep "$secret" trace && rm trace &&
	GIT_TRACE_CURL="$PWD/trace" GIT_TRACE_CURL_NO_DATA=1 lists && ! grep "Send data" trace && rm trace &&
	GIT_TRACE_REDACT=0 GIT_TRACE_CURL="$PWD/trace" lists && grep "$secret" trace && rm trace &&
	GIT_CURL_VERBOSE=1 git ls-remote "$URL" 2>err >actual && test_cmp refs actual && grep "=> Send header" err &&
	! grep "Send data" err && ! grep "$secret" err &&
	rules web "* ^/old redirect 302 http://me:sesame@127.0.0.1:$web_port/repo.git/info/refs?service=git-upload-pack" &&
	URL=$web_url/old && GIT_TRACE_CURL="$PWD/trace" lists && test_grep "Location: http://me:<REDACTED>@" trace &&
	test_grep ! sesame trace && unset URL && rules web
'

# ---- settings that are wrong ----------------------------------------------------------

test_expect_success 'values that cannot be' '
	fails "bad boolean config value .perhaps. for .http.sslverify." -c http.sslVerify=perhaps &&
	fails "bad numeric config value .x. for .http.lowspeedlimit." -c http.lowSpeedLimit=x &&
	fails "http.extraheader" -c http.extraHeader="X-Test: a
	X-Other: b" &&
	fails "bad boolean config value" -c http.emptyAuth=often &&
	fails "Unsupported SSL backend .strange." -c http.sslBackend=strange
'

# ---- the helper, as others drive it -------------------------------------------------------

test_expect_success 'capabilities, option, list, get' '
	printf "%s\n" capabilities "option verbosity 0" "option strange yes" "option object-format true" list "" |
	git remote-http "$web_url/repo.git" >out && oid=$(git -C work rev-parse HEAD) &&
	printf "%s\n" stateless-connect fetch push get option object-format "" ok unsupported ok ":object-format $TEST_HASH" \
		"@refs/heads/main HEAD" "$oid refs/heads/main" "" >expect &&
	grep -v "^$oid HEAD" out >actual && test_cmp expect actual &&
	echo 0123456789 >whole && printf 01234 >got.temp && rules web "GET /file file $PWD/whole" &&
	printf "%s\n" "get $web_url/file $PWD/got" "" | git remote-http "$web_url/file" >out && test_cmp whole got &&
	test_path_missing got.temp && grep "Range=bytes=5-" web.log &&
	printf 01234 >got.temp && rules web "GET /file noranges $PWD/whole" && rm got &&
	test_must_fail git remote-http "$web_url/file" <<-EOF 2>err && test_path_missing got &&
	get $web_url/file $PWD/got

	EOF
	test_grep "unable to access" err && rm got.temp &&
	test_must_fail git remote-http "$web_url/none" <<-EOF 2>err && rules web
	get $web_url/none $PWD/got

	EOF
'

test_expect_success 'a request that comes with its command, and a parent that goes away' '
	{ echo "stateless-connect git-upload-pack" && printf "0014command=ls-refs\n" && printf "%04xobject-format=$TEST_HASH\n0000" $((19 + ${#TEST_HASH})); } >input &&
	GIT_PROTOCOL=version=2 git remote-http "$web_url/repo.git" <input >out && grep -a "refs/heads/main$" out &&
	tail -c 8 out >actual && printf 00000002 >expect && test_cmp expect actual &&
	rules web "POST . stall 0" && rm -f code &&
	{ cat input; until test -s code; do sleep 0.1; done; } | { GIT_PROTOCOL=version=2 timeout 500 git remote-http "$web_url/repo.git" 2>err; echo $? >code; } |
	head -n 1 >actual && test "$(cat code)" != 124 && rules web
'

test_expect_success 'the helper without arguments, and with one that is no URL' '
	test_expect_code 1 git remote-http 2>err && test_grep "^error: remote-curl: usage: git remote-curl <remote>" err &&
	for arg in -h some/path; do
		printf "%s\n" "warning: url has no scheme: $arg/" "fatal: credential url cannot be parsed: $arg/" >expect &&
		test_expect_code 128 git remote-http $arg 2>err </dev/null && test_cmp expect err || return 1
	done
'

test_expect_success 'a parent that does not know stateless-connect' '
	git init -q parent && printf "%s\n" "option progress false" "fetch $(git -C work rev-parse HEAD) refs/heads/main" "" "" |
	git -C parent remote-http origin "$web_url/repo.git" >out && printf "ok\n" >expect && head -n 1 out | test_cmp expect - &&
	git -C parent cat-file -e "$(git -C work rev-parse HEAD)" &&
	{ printf "stateless-connect git-receive-pack\n\n" | git -C parent remote-http origin "$web_url/repo.git" >out; } &&
	echo fallback >expect && test_cmp expect out &&
	{ printf "stateless-connect git-upload-pack\n\n" | GIT_PROTOCOL= git -C parent remote-http origin "$web_url/repo.git" >out; } &&
	test_cmp expect out && test_must_fail git -C parent remote-http origin "$web_url/repo.git" <<-\EOF 2>err &&
	strange
	EOF
	test_grep "unknown command .strange. from git" err
'

test_expect_success 'input that ends without an empty line: exit code 1, and the last batch does not run' '
	rm -rf batch && git init -q batch && oid=$(git -C work rev-parse HEAD) && cd batch &&
	for input in "" "capabilities\n" "option progress false\n" "option progress false" "list\n" "fetch $oid refs/heads/main\n" "push HEAD:refs/heads/x\n"; do
		printf "$input" >../input && test_expect_code 1 git remote-http "$web_url/repo.git" <../input >out 2>err &&
		test_must_be_empty err || return 1
	done &&
	test_must_fail git cat-file -e $oid && printf "list\n\n" >../input && git remote-http "$web_url/repo.git" <../input >out
'

test_done
