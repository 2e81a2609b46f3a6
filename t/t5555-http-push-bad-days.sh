#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='push over http: servers that refuse, lead elsewhere, put off, or hang up'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-http-push.sh"

# ---- elsewhere, later ----------------------------------------------------------------

test_expect_success 'a redirect of the first request leads the others' '
	test_when_finished "URL=; git config --global --unset http.followRedirects" && small && rules web && rules other "* ^/old/(.*) redirect 301 $web_url/\\1" && URL=$other_url/old/repo.git && to && pushed &&
	test_grep "redirecting to $web_url/repo.git/" err && large && to && pushed && grep -c "^POST" web.log >actual && echo 3 >expect && test_cmp expect actual &&
	! grep "^POST" other.log && git config --global http.followRedirects false && refused "returned error: 301"
'

test_expect_success 'another one is not followed' '
	for what in small large; do
		$what && rules web "POST . redirect 307 $other_url/repo.git/git-receive-pack" && rules other &&
		refused "RPC failed; HTTP 307" && test_must_be_empty other.log || return 1
	done
'

test_expect_success '429: later, as often as http.maxRetries says' '
	git config --global http.maxRetries 2 && test_when_finished "git config --global --unset http.maxRetries" && small &&
	rules web "GET . limit 2 -" && to && pushed && rules web "POST . limit 2 -" && to && pushed && body_is sent &&
	large && rules web "POST . limit 1 0" && to && pushed && body_is sent &&
	rules web "POST . limit 3 -" && refused "rate limited by" && rules web "POST . after 1 429" && refused "HTTP 429"
'

# ---- refusals, and servers that fail ---------------------------------------------------

test_expect_success 'not for everybody' '
	git -C srv/repo.git config http.receivepack false && small && rules web && refused "returned error: 403" &&
	git -C srv/repo.git config --unset http.receivepack && refused "returned error: 403" &&
	git -C srv/repo.git config http.receivepack true
'

test_expect_success 'status codes' '
	for what in small large; do
		$what && rules web "GET . status 404" && refused "repository .$web_url/repo.git/. not found" &&
		rules web "POST . status 413 too large" && refused "RPC failed; HTTP 413" && test_grep "^remote: too large" err &&
		rules web "POST . status 500" && refused "RPC failed; HTTP 500" || return 1
	done && rules web "POST . after 1 503" && refused "RPC failed; HTTP 503"
'

test_expect_success 'the server hangs up' '
	for what in small large; do
		$what && rules web "POST . hangup" && refused "RPC failed; curl" && rules web "GET . hangup" && refused "unable to access" || return 1
	done && large && rules web "POST . early 70000" && refused "RPC failed; curl\|the helper has gone"
'

test_expect_success 'answers that are none' '
	small && type=application/x-git-receive-pack-result && rules web "POST . text text/html hello" && refused "RPC failed; the answer is none of" &&
	rules web "POST . text $type hello" && refused "bad line length character: hell" &&
	rules web "POST . text $type 0030unp" && refused "RPC failed; the answer ends inside of a packet" &&
	rules web "POST . text $type 00" && refused "RPC failed; the answer ends inside of a packet" &&
	rules web "GET . text application/x-git-receive-pack-advertisement 001f# service=git-receive-pack\\n0000003f" && refused "the remote end hung up" &&
	rules web "GET . text application/x-git-receive-pack-advertisement 001e# service=git-upload-pack\\n0000" && refused "invalid server response" &&
	rules web "GET . text text/plain $new\\trefs/heads/main" && refused "the helper says: fallback"
'

test_expect_success 'an answer that is cut' '
	small && for n in 1 3 4 7 20 40; do
		rules web "POST . cut $n" && test_must_fail to && test_grep "RPC failed" err && ! grep "^ok" out &&
		rules web "POST . short $n" && test_must_fail to && ! grep "^ok" out &&
		test_might_fail git -C srv/repo.git update-ref -d refs/heads/new || return 1
	done
'

test_expect_success 'an answer that is compressed' '
	small && rules web "* . gzip" && to && pushed && large && to && pushed
'

test_done
