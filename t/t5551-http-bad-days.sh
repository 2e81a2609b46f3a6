#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='http servers that fail, lie, or redirect: the repository stays unchanged, and a message gives the reason'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"

test_expect_success 'two servers and a clone' '
	git init -q -b main work && test_commit -C work one && git clone -q --bare work srv/repo.git &&
	start_httpd web && start_httpd other && git clone -q --bare "$web_url/repo.git" clone &&
	test_commit -C work two && git -C srv/repo.git fetch -q "$PWD/work" main:main &&
	find clone -type f | sort >files && git -C clone for-each-ref >refs
'

# fetch_fails PATTERN [GIT-OPTION...]: a fetch fails, says PATTERN, and leaves the clone as it was; nothing crashes
fetch_fails () {
	local pattern=$1
	shift
	test_must_fail git "$@" -C clone fetch -q origin "+refs/heads/*:refs/heads/*" 2>err &&
	test_grep "$pattern" err && ! grep -i "signal\|BUG" err &&
	find clone -type f ! -name FETCH_HEAD | sort >actual && test_cmp files actual &&
	git -C clone for-each-ref >actual && test_cmp refs actual
}

# ---- failures -------------------------------------------------------------------

test_expect_success 'status codes, and the words of the server without control characters' '
	rules web "* . status 404" && fetch_fails "^fatal: repository .$web_url/repo.git/. not found" &&
	rules web "* . status 500 oh\\e[31m$(printf "\\302\\233")2J\\nno" &&
	fetch_fails "^fatal: unable to access .$web_url/repo.git/.: The requested URL returned error: 500" &&
	test_grep "^remote: oh\[31m2J$" err && test_grep "^remote: no$" err && ! grep "$(printf "\\033")" err &&
	rules web "POST . status 503" && fetch_fails "^error: RPC failed; HTTP 503 curl 22 The requested URL returned error: 503"
'

test_expect_success 'no server listens' '
	fetch_fails "^fatal: unable to access .http://127.0.0.1:1/repo.git/.: Failed to connect" \
		-c url.http://127.0.0.1:1/.insteadOf="$web_url/" && test_line_count = 1 err
'

test_expect_success 'content types and lines that are not those of the protocol' '
	rules web "GET . type text/html" && fetch_fails "info/refs not valid: is this a git repository?" &&
	rules web "GET . text text/plain $(git -C work rev-parse HEAD)\\trefs/heads/main" && fetch_fails "Unable to find $(git -C work rev-parse HEAD) under" &&
	rules web "POST . type text/html" && fetch_fails "RPC failed; the answer is none of" &&
	type=application/x-git-upload-pack-advertisement &&
	rules web "GET . text $type 001e# service=git-receive-pac\\n0000" &&
	fetch_fails "invalid server response; got .# service=git-receive-pac" &&
	rules web "GET . text $type 0000" && fetch_fails "expected service, got flush packet" &&
	rules web "GET . text $type" && fetch_fails "invalid server response" &&
	rules web "GET . text $type zzzz" && fetch_fails "bad line length character: zzzz" &&
	rules web "GET . text $type 001e# service=git-upload-pack\\n" && fetch_fails "unexpected end of the service line" &&
	rules web "GET . text $type 001e# service=git-upload-pack\\n000" && fetch_fails "unexpected end of the service line"
'

test_expect_success !SANITIZE 'an advertisement without an end' '
	rules web "GET . endless" && (ulimit -v 2000000 && fetch_fails "the server.s advertisement is too large")
'

test_expect_success 'an advertisement that is cut at any byte' '
	rules web && echo "stateless-connect git-upload-pack" >input &&
	GIT_PROTOCOL=version=2 git remote-http "$web_url/repo.git" <input >whole && size=$(($(wc -c <whole) - 1)) && test "$size" -gt 50 && n=0 && while test "$n" -lt "$size"; do
		rules web "GET . short $n" && fetch_fails "^fatal: " || return 1
		n=$((n + 7))
	done && rules web "GET . cut 40" && fetch_fails "transfer closed with outstanding read data remaining"
'

test_expect_success 'answers that are cut at any byte' '
	for n in 1 3 4 5 20 60 61 62 63 64 65 66; do
		for how in cut short; do
			rules web "POST . $how $n" && fetch_fails "^error: RPC failed; \|^fatal: " || return 1
		done
	done
'

test_expect_success 'a pack that is cut' '
	head -c 300000 /dev/urandom >work/big && git -C work add big && git -C work commit -q -m big &&
	git -C srv/repo.git fetch -q "$PWD/work" main:main &&
	for v in 0 2; do
		for n in 100 5000 100000 300000; do
			rules web "POST . cut $n" && fetch_fails "RPC failed; curl 18" -c protocol.version=$v &&
			rules web "POST . short $n" && fetch_fails "RPC failed; \|early EOF\|hung up" -c protocol.version=$v || return 1
		done
	done
'

test_expect_success 'nothing is left of a clone that fails' '
	for rule in "GET . status 500" "POST . cut 100000" "POST . status 500"; do
		rules web "$rule" && test_must_fail git clone -q "$web_url/repo.git" new 2>err && test_path_missing new || return 1
	done
'

test_expect_success 'a server that stalls' '
	rules web "POST . stall 1000" &&
	fetch_fails "Operation too slow" -c http.lowSpeedLimit=1000 -c http.lowSpeedTime=1
'

test_expect_success 'too many requests' '
	rules web "GET . limit 1000 7" && fetch_fails "The requested URL returned error: 429" && requests web >actual &&
	test_line_count = 1 actual &&
	rules web "GET . limit 1000 0" && fetch_fails "rate limited by .$web_url/repo.git/., please try again later" -c http.maxRetries=2 &&
	requests web >actual && test_line_count = 3 actual &&
	rules web "GET . limit 1000 700" && fetch_fails "greater than http.maxRetryTime (700 > 300 seconds)" -c http.maxRetries=2 &&
	rules web "GET . limit 1000 -" && fetch_fails "http.retryAfter exceeds http.maxRetryTime (9 > 3 seconds)" \
		-c http.maxRetries=2 -c http.retryAfter=9 -c http.maxRetryTime=3 &&
	rules web "GET . limit 1 1" "POST . limit 1 0" && git -c http.maxRetries=1 ls-remote "$web_url/repo.git" >actual 2>err &&
	test_grep "rate limited, waiting 1 seconds before retry" err && git ls-remote srv/repo.git >expect && test_cmp expect actual
'

# ---- redirects ------------------------------------------------------------------

test_expect_success 'a redirect of the first request is followed, and is the base of the others' '
	rules web "GET ^/repo(.*) redirect 301 $other_url/repo\\1" && rules other &&
	git ls-remote "$web_url/repo.git" >actual 2>err && git ls-remote srv/repo.git >expect && test_cmp expect actual &&
	test_grep "^warning: redirecting to $other_url/repo.git/$" err &&
	requests other >actual && echo "POST /repo.git/git-upload-pack 200" >expect && tail -n 1 actual | test_cmp expect - &&
	requests web >actual && test_line_count = 1 actual
'

test_expect_success 'http.followRedirects' '
	fetch_fails "The requested URL returned error: 301" -c http.followRedirects=false &&
	rules web "POST ^/repo(.*) redirect 307 $other_url/repo\\1" && rules other && fetch_fails "HTTP 307" &&
	requests other >actual && test_must_be_empty actual &&
	git -c http.followRedirects=true ls-remote "$web_url/repo.git" >actual && git ls-remote srv/repo.git >expect &&
	test_cmp expect actual && fetch_fails "bad boolean config value .often. for .http.followredirects." -c http.followRedirects=often
'

test_expect_success 'redirects to other protocols are not followed' '
	for to in file:///etc/passwd ftp://127.0.0.1/x dict://127.0.0.1/x scp://127.0.0.1/x ssh://127.0.0.1/x; do
		rules web "GET . redirect 302 $to" &&
		fetch_fails "^fatal: unable to access .$web_url/repo.git/.: .*\(Protocol\|Unsupported URL scheme\)" -c http.followRedirects=true || return 1
	done &&
	rules web "GET . redirect 302 $other_url/repo.git/info/refs?service=git-upload-pack" && rules other &&
	fetch_fails "Protocol .http. not supported or disabled" -c protocol.http.allow=user &&
	GIT_ALLOW_PROTOCOL=file fetch_fails "transport .http. not allowed" &&
	fetch_fails "Protocol .http. not supported or disabled\|transport .http. not allowed" -c protocol.http.allow=never &&
	requests other >actual && test_must_be_empty actual
'

test_expect_success 'a redirect that leads round in a circle, or nowhere' '
	rules web "GET ^/(.*) redirect 302 $web_url/\\1" && fetch_fails "Maximum (20) redirects followed" &&
	rules web "GET . redirect 302 $other_url/elsewhere" && rules other "GET elsewhere text text/plain x" &&
	fetch_fails "unable to update url base from redirection" &&
	rules web "GET . redirect 302 $other_url/missing/info/refs?service=git-upload-pack" && rules other &&
	fetch_fails "repository .$web_url/repo.git/. not found"
'

test_expect_success 'no credential goes to where a redirect leads' '
	credential_helper "127.0.0.1:$web_port" user secret &&
	rules web "GET ^/repo(.*) redirect 302 $other_url/repo\\1" && rules other "* . basic user secret" &&
	test_must_fail env GIT_TERMINAL_PROMPT=0 GIT_ASKPASS= git -c http.extraHeader="Authorization: Basic abc" \
		-c http.extraHeader="Cookie: a=b" -c http.extraHeader="X-Test: yes" \
		ls-remote "http://user:secret@127.0.0.1:$web_port/repo.git" 2>err &&
	test_grep "could not read Username for .$other_url.: terminal prompts disabled" err &&
	grep "^host=" helper.log >actual && echo "host=127.0.0.1:$other_port" >expect && test_cmp expect actual &&
	! grep -i "authorization\|cookie\|X-Test" other.log && grep "X-Test=yes" web.log &&
	rules web "GET ^/repo(.*) redirect 302 $other_url/repo\\1" && rules other &&
	git -c http.extraHeader="Authorization: Basic abc" -c http.extraHeader="X-Test: yes" ls-remote "http://user:secret@127.0.0.1:$web_port/repo.git" >actual &&
	git ls-remote srv/repo.git >expect && test_cmp expect actual && ! grep -i authorization other.log &&
	grep "^POST" other.log && ! grep X-Test other.log
'

test_expect_success 'headers of the user go along with redirects of their own host, and to no other host of a chain' '
	rules web "GET ^/old(.*) redirect 302 /repo\\1" && git -c http.extraHeader="X-Test: yes" ls-remote "$web_url/old.git" >actual && test_cmp expect actual &&
	test "$(grep -c "X-Test=yes" web.log)" = 3 &&
	rules web "GET ^/old(.*) redirect 302 $other_url/back\\1" && rules other "GET ^/back(.*) redirect 302 $other_url/next\\1" "GET ^/next(.*) redirect 302 $web_url/repo\\1" &&
	git -c http.extraHeader="X-Test: yes" ls-remote "$web_url/old.git" >actual && test_cmp expect actual && test_file_not_empty other.log && ! grep X-Test other.log &&
	rules web "POST ^/repo(.*) redirect 307 $other_url/repo\\1" && rules other && git -c http.followRedirects=true -c http.extraHeader="X-Test: yes" ls-remote "$web_url/repo.git" >actual &&
	test_cmp expect actual && grep "^POST" other.log && ! grep X-Test other.log
'

test_expect_success TMPFS 'a file without end does not fill the disk' '
	mount_tmpfs small 24m && rules web "GET /endless endless" && rm -rf small/* &&
	printf "%s\n" "get $web_url/endless $PWD/small/file" "" | test_must_fail git remote-http "$web_url/endless" 2>err && test_grep "endless. has more than [0-9]* bytes" err && test "$(wc -c <small/file.temp)" -lt 13000000 && test_path_missing small/file &&
	rm -f small/* && git clone -q --bare --bundle-uri="$web_url/endless" "file://$HTTPD_ROOT/$(ls "$HTTPD_ROOT" | head -n 1)" small/c 2>err && test_grep "endless. has more than [0-9]* bytes" err && test -z "$(find small -name "*download*")"
'

test_done
