#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='push over http: what goes over the wire, and who we are'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-http-push.sh"

# ---- what goes over the wire -----------------------------------------------------

test_expect_success 'a small push: one request, with its length, as it is' '
	small && rules web && to && pushed && printf "%s\n" "$INFO 200" "$POST 200" >expect && requests web >actual && test_cmp expect actual &&
	test_grep "^POST .*Content-Type=application/x-git-receive-pack-request" web.log &&
	test_grep "^POST .*Content-Length=$(wc -c <sent | tr -d " ") " web.log &&
	test_grep "^POST .*Accept=application/x-git-receive-pack-result" web.log &&
	! grep "^POST .*\(Content-Encoding\|Transfer-Encoding\|Expect\)=" web.log && ! grep Git-Protocol= web.log &&
	body_is sent && test_grep -a "refs/heads/main.*report-status" advertised && ! grep -a "# service" advertised
'

test_expect_success 'nothing is compressed a second time' '
	small && rules web && to --pad 0 --caps "report-status side-band-64k agent=$(printf "%02000d" 0)" && pushed &&
	! grep "Content-Encoding=" web.log && body_is sent
'

test_expect_success 'a large push: a request without content, then chunks' '
	large && rules web && to && pushed && streamed &&
	grep "^POST" web.log >posts && sed -n 1p posts >first && sed -n 2p posts >second &&
	test_grep "Content-Length=4 " first && ! grep Transfer-Encoding= first &&
	test_grep "Transfer-Encoding=chunked" second && ! grep "Content-Length=\|Expect=\|Content-Encoding=" second &&
	body_is sent && rules web && to --pieces 1000 && pushed && body_is sent
'

test_expect_success 'http.postBuffer is the limit' '
	small && size=$(wc -c <sent | tr -d " ") && large && rules web &&
	test_when_finished "git config --global http.postBuffer 65536" && git config --global http.postBuffer 1m &&
	to && pushed && test_grep "^POST .*Content-Length=$(wc -c <sent | tr -d " ")" web.log && body_is sent
'

test_expect_success 'versions: there is no push in 2' '
	small && rules web && GIT_PROTOCOL=version=2 to && pushed && ! grep Git-Protocol= web.log &&
	GIT_PROTOCOL=version=1 to && pushed && test_grep "^GET .*Git-Protocol=version=1" web.log &&
	test_grep "^POST .*Git-Protocol=version=1" web.log && test_grep -a "^version 1" advertised
'

test_expect_success 'without bands, and without a report' '
	small && to --caps report-status && pushed && to --caps side-band-64k && test_must_be_empty out &&
	git -C srv/repo.git update-ref -d refs/heads/new $new && to --caps quiet && test_must_be_empty out &&
	git -C srv/repo.git update-ref -d refs/heads/new $new
'

test_expect_success 'only for a parent that frames its requests' '
	small && rules web && test_must_fail to --no-any && test_grep "the helper says: fallback" err && test_must_be_empty web.log &&
	refused "has a packet .0000. in its frame" --frame 0005x0000 &&
	refused "the remote end hung up unexpectedly" --frame 0010abc
'

test_expect_success 'a parent that ends in the middle of a body' '
	rules web && python3 - "$web_url/repo.git" <<-\EOF &&
	import subprocess, sys
	p = subprocess.Popen(["git", "remote-http", "origin", sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
	p.stdin.write(b"option stateless-rpc-any true\nstateless-connect git-receive-pack\n")
	old = open("refs").read().split()[0]
	line = b"%s %s refs/heads/main\0 report-status" % (old.encode(), b"0" * len(old))
	p.stdin.write(b"%04x%04x%s" % (len(line) + 8, len(line) + 4, line) + b"00080000" + (b"fff0" + bytes(65516)) * 3)
	p.stdin.close()
	assert b"hung up unexpectedly" in p.stderr.read()
	assert p.wait() != 0
	EOF
	git -C srv/repo.git for-each-ref >actual && test_cmp refs actual
'

test_expect_success !SANITIZE 'a body of any size is not held' '
	large && rules web && to --pad 32 --memory with && pushed && to --pad 1 --memory without && pushed &&
	test $(cat with) -lt $(($(cat without) + 8192))
'

# ---- credentials -------------------------------------------------------------------

test_expect_success '401 at the first request: the others have it from the beginning' '
	credential_helper "127.0.0.1:$web_port" me secret && test_when_finished "git config --global --unset credential.helper" &&
	rules web "* . basic me secret" && small && to && pushed &&
	printf "%s\n" "$INFO 401" "$INFO 200" "$POST 200" >expect && requests web >actual && test_cmp expect actual &&
	rules web "* . basic me secret" && large && to && pushed &&
	printf "%s\n" "$INFO 401" "$INFO 200" "$POST 200" "$POST 200" >expect && requests web >actual && test_cmp expect actual &&
	body_is sent && test_grep "^-- store" helper.log
'

test_expect_success '401 only where something is pushed: a small one is sent again, a large one has asked before' '
	credential_helper "127.0.0.1:$web_port" me secret && test_when_finished "git config --global --unset credential.helper" &&
	rules web "POST . basic me secret" && small && to && pushed &&
	printf "%s\n" "$INFO 200" "$POST 401" "$POST 200" >expect && requests web >actual && test_cmp expect actual && body_is sent &&
	rules web "POST . basic me secret" && large && to && pushed &&
	printf "%s\n" "$INFO 200" "$POST 401" "$POST 200" "$POST 200" >expect && requests web >actual && test_cmp expect actual &&
	body_is sent && grep -c Transfer-Encoding=chunked web.log >actual && echo 1 >expect && test_cmp expect actual
'

test_expect_success 'Digest, and a choice, for a large one' '
	credential_helper "127.0.0.1:$web_port" me secret && test_when_finished "git config --global --unset credential.helper" && large &&
	rules web "POST . digest me secret" && to && pushed && rules web "POST . choice me secret" && to && pushed &&
	rules web "* . digest me secret" && to && pushed
'

test_expect_success 'a credential of its own kind waits for the server before it streams' '
	write_script bearer-helper <<-\EOF && git config --global credential.helper "$PWD/bearer-helper" &&
	cat >/dev/null && test "$1" != get || printf "%s\n" "capability[]=authtype" authtype=Bearer credential=token
	EOF
	test_when_finished "git config --global --unset credential.helper" && rules web "* . bearer token" && large && to && pushed &&
	test_grep "^POST .*Transfer-Encoding=chunked .*Expect=100-continue" web.log && small && rules web "* . bearer token" && to && pushed &&
	! grep Expect= web.log
'

test_expect_success 'a wrong password, and none' '
	credential_helper "127.0.0.1:$web_port" me wrong && test_when_finished "git config --global --unset credential.helper" &&
	small && for rule in "* . basic me secret" "POST . basic me secret"; do
		rules web "$rule" && refused "Authentication failed for .$web_url/repo.git/." || return 1
	done && test_grep "^-- erase" helper.log && large && refused "Authentication failed" &&
	git config --global credential.helper "" && GIT_TERMINAL_PROMPT=0 GIT_ASKPASS= refused "could not read Username"
'

test_expect_success '401 when a body has been streamed: it cannot be sent again' '
	large && rules web "POST . after 1 401" && refused "Authentication failed" && requests web >actual &&
	printf "%s\n" "$INFO 200" "$POST 200" "$POST 401" >expect && test_cmp expect actual
'

test_expect_success 'cookies, headers, a proxy' '
	small && git config --global http.cookieFile "$PWD/cookies" && git config --global http.saveCookies true &&
	test_when_finished "URL=; git config --global --remove-section http; git config --global http.postBuffer 65536" &&
	: >cookies && rules web "GET . cookie a=b" && git config --global http.extraHeader "X-Test: yes" && to && pushed &&
	test_grep "^POST .*Cookie=a=b" web.log && test_grep "^POST .*X-Test=yes" web.log && test_grep "a.*b$" cookies &&
	git config --global http.proxy "$web_url" && rules web && URL=http://nowhere.example/repo.git && large && to && pushed &&
	test_grep "^POST http://nowhere.example/repo.git/git-receive-pack" web.log
'

test_done
