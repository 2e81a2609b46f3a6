#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git http-backend, driven as a web server drives it: environment and standard input

The service here is a script that says what it was started with.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-daemon.sh"

# cgi METHOD PATH QUERY [VARIABLE=VALUE...]: the reply, its CRs removed, in "head" and "body";
# messages in "err". The request's body is the file "request".
cgi () {
	local method=$1 path=$2 query=$3 code=0
	shift 3
	env -u REMOTE_USER -u GIT_COMMITTER_NAME -u GIT_COMMITTER_EMAIL GIT_EXEC_PATH="$SERVICE_BIN" GIT_PROJECT_ROOT="$PWD/srv" GIT_HTTP_EXPORT_ALL=1 \
		SERVER_PROTOCOL=HTTP/1.1 REQUEST_METHOD="$method" PATH_INFO="$path" QUERY_STRING="$query" \
		REMOTE_ADDR=192.0.2.7 env "$@" git http-backend <request >reply 2>err || code=$?
	sed "/^.$/,\$d" reply | tr -d "\r" >head &&
	tail -c +$(($(sed "/^.$/q" reply | wc -c) + 1)) reply >body
	return $code
}

# header NAME VALUE, status TEXT
header () {
	grep -qxF "$1: $2" head || { echo "no '$1: $2' in:" >&4; cat head >&4; return 1; }
}
refused () {
	refused_in_words "$1" && test_must_be_empty body && { test -z "$2" || test_grep "$2" err; }
}
# The same, with a body that has the words
refused_in_words () {
	header Status "$1" && header Cache-Control "no-cache, max-age=0, must-revalidate" &&
	{ test -z "$2" || { test_grep "$2" body && test_cmp body err; }; }
}
not_cached () {
	header Expires "Fri, 01 Jan 1980 00:00:00 GMT" && header Pragma no-cache &&
	header Cache-Control "no-cache, max-age=0, must-revalidate"
}
cached () {
	header Cache-Control "public, max-age=31536000" && test_grep "^Date: .* GMT$" head &&
	test_grep "^Last-Modified: .* GMT$" head
}

test_expect_success 'a repository' '
	make_service && : >request &&
	cat >>"$SERVICE_BIN/git-upload-pack" <<-\EOF &&
	echo "who: $GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>"
	printf "input: "; cksum
	EOF
	cp "$SERVICE_BIN/git-upload-pack" "$SERVICE_BIN/git-upload-archive" &&
	git init -q --bare srv/a.git && git init -q work && (
		cd work && test_commit one && git tag -a -m "a tag" v1 &&
		cp -r .git/objects/?? ../srv/a.git/objects/ &&
		git -C ../srv/a.git update-ref refs/tags/v1 $(git rev-parse v1) &&
		git -C ../srv/a.git update-ref $(git symbolic-ref HEAD) $(git rev-parse HEAD)
	) && git -C srv/a.git symbolic-ref HEAD >branch && branch=$(cat branch) &&
	git -C work rev-parse HEAD >one && one=$(cat one) && tag=$(git -C work rev-parse v1)
'

# ---- files --------------------------------------------------------------------

test_expect_success 'HEAD' '
	cgi GET /a.git/HEAD "" && header Content-Type text/plain &&
	echo "ref: $branch" >expect && test_cmp expect body &&
	header Content-Length $(wc -c <expect) &&
	cgi HEAD /a.git/HEAD "" && header Content-Length $(wc -c <expect) && test_must_be_empty body &&
	git -C srv/a.git update-ref --no-deref HEAD "$one" &&
	cgi GET /a.git/HEAD "" && test_cmp one body && git -C srv/a.git symbolic-ref HEAD "$branch"
'

test_expect_success 'info/refs is made when it is asked for' '
	printf "%s\t%s\n" "$one" "$branch" "$tag" refs/tags/v1 "$one" "refs/tags/v1^{}" >expect &&
	cgi GET /a.git/info/refs "" && test_cmp expect body && not_cached &&
	header Content-Type text/plain && test_path_missing srv/a.git/info/refs &&
	lost_ref srv/a.git refs/heads/missing &&
	cgi GET /a.git/info/refs "" && test_cmp expect body && git -C srv/a.git update-ref -d refs/heads/missing
'

test_expect_success 'loose objects' '
	path=objects/$(echo "$one" | sed "s,..,&/,") &&
	cgi GET /a.git/$path "" && test_cmp_bin srv/a.git/$path body && cached &&
	header Content-Type application/x-git-loose-object &&
	cgi GET /a.git/objects/00/$(echo "$one" | sed "s/..//") "" && refused "404 Not Found" "Cannot open"
'

test_expect_success 'packs' '
	name=pack-$one && mkdir -p srv/a.git/objects/pack &&
	echo content of a pack >srv/a.git/objects/pack/$name.pack &&
	cgi GET /a.git/objects/pack/$name.pack "" && test_cmp srv/a.git/objects/pack/$name.pack body && cached &&
	header Content-Type application/x-git-packed-objects &&
	cgi GET /a.git/objects/pack/$name.idx "" && refused "404 Not Found" "Cannot open" &&
	mv srv/a.git/objects/pack/$name.pack srv/a.git/objects/pack/$name.idx &&
	cgi GET /a.git/objects/pack/$name.idx "" && cached &&
	header Content-Type application/x-git-packed-objects-toc &&
	rm srv/a.git/objects/pack/$name.idx
'

test_expect_success 'objects/info' '
	cgi GET /a.git/objects/info/packs "" && echo >expect && test_cmp expect body && not_cached &&
	header Content-Type "text/plain; charset=utf-8" &&
	cgi GET /a.git/objects/info/alternates "" && refused "404 Not Found" &&
	echo /nowhere/objects >srv/a.git/objects/info/http-alternates &&
	cgi GET /a.git/objects/info/http-alternates "" && test_grep nowhere body && not_cached &&
	test_grep "^Last-Modified: .* GMT$" head && rm srv/a.git/objects/info/http-alternates
'

test_expect_success 'nothing else' '
	for path in config description hooks/update objects/info/commit-graphs objects/pack/pack-x.pack \
		objects/info/ objects/0/1 "objects/pack/pack-$one.pack~" "objects/pack/pack-$one.rev" \
		"objects/pack/pack-$(echo "$one" | tr a-f A-F)A.pack" refs/heads/main packed-refs HEAD/ xHEAD ""
	do
		cgi GET "/a.git/$path" "" && refused "404 Not Found" "Request not supported" || return 1
	done &&
	cgi GET / "" && refused "404 Not Found" && cgi GET /HEAD "" && refused "404 Not Found" "Not a git"
'

test_expect_success 'a file that is no file' '
	path=objects/$(echo "$one" | sed "s,..,&/,") && mv srv/a.git/$path kept &&
	mkfifo srv/a.git/$path && cgi GET /a.git/$path "" && refused "404 Not Found" "Cannot read" &&
	rm srv/a.git/$path && mkdir srv/a.git/$path && cgi GET /a.git/$path "" &&
	refused "404 Not Found" "Cannot read" && rmdir srv/a.git/$path && mv kept srv/a.git/$path
'

test_expect_success 'http.getanyfile' '
	test_config -C srv/a.git http.getanyfile false &&
	for path in HEAD info/refs objects/info/packs objects/$(echo "$one" | sed "s,..,&/,"); do
		cgi GET /a.git/$path "" && refused "403 Forbidden" "getanyfile" || return 1
	done &&
	cgi GET /a.git/info/refs service=git-upload-pack && test_grep "args:" body
'

test_expect_success 'a namespace: its refs, its HEAD' '
	ns=refs/namespaces/x && git -C srv/a.git update-ref $ns/refs/heads/theirs $one &&
	git -C srv/a.git symbolic-ref $ns/HEAD $ns/refs/heads/theirs &&
	git -C srv/a.git update-ref refs/namespaces/xy/refs/heads/other $one &&
	cgi GET /a.git/info/refs "" GIT_NAMESPACE=x && printf "$one\trefs/heads/theirs\n" >expect && test_cmp expect body && not_cached &&
	cgi GET /a.git/HEAD "" GIT_NAMESPACE=x && echo "ref: refs/heads/theirs" >expect && test_cmp expect body &&
	git -C srv/a.git update-ref --no-deref $ns/HEAD $one && cgi GET /a.git/HEAD "" GIT_NAMESPACE=x && echo $one >expect && test_cmp expect body &&
	git -C srv/a.git symbolic-ref $ns/HEAD refs/heads/main && cgi GET /a.git/HEAD "" GIT_NAMESPACE=x && refused "404 Not Found" "out of the namespace" &&
	cgi GET /a.git/HEAD "" GIT_NAMESPACE=none && refused "404 Not Found" &&
	cgi GET /a.git/info/refs "" GIT_NAMESPACE=none && test_must_be_empty body && header Content-Length 0 &&
	cgi GET /a.git/info/refs "" GIT_NAMESPACE=a..b && refused "500 Internal Server Error" "bad git namespace" &&
	cgi GET /a.git/HEAD "" GIT_NAMESPACE=a..b && refused "500 Internal Server Error" "bad git namespace" &&
	git -C srv/a.git symbolic-ref -d $ns/HEAD && git -C srv/a.git update-ref -d $ns/refs/heads/theirs &&
	git -C srv/a.git update-ref -d refs/namespaces/xy/refs/heads/other
'

# ---- which repository ------------------------------------------------------------

test_expect_success 'only exported repositories' '
	cgi GET /a.git/HEAD "" -u GIT_HTTP_EXPORT_ALL && refused "404 Not Found" "not exported" &&
	: >srv/a.git/git-daemon-export-ok && cgi GET /a.git/HEAD "" -u GIT_HTTP_EXPORT_ALL &&
	test_grep "^ref:" body && rm srv/a.git/git-daemon-export-ok &&
	cgi GET /none.git/HEAD "" && refused "404 Not Found" "Not a git repository"
'

test_expect_success 'names with other meanings' '
	for path in /../srv/a.git/HEAD /a.git/../a.git/HEAD /./a.git/HEAD //a.git/HEAD a.git/HEAD \
		/a.git//HEAD /a.git/./HEAD
	do
		cgi GET "$path" "" && refused "500 Internal Server Error" "^fatal: .$path.: aliased$" &&
		test_line_count = 1 err || return 1
	done &&
	cgi GET /a/HEAD "" && test_grep "^ref:" body
'

test_expect_success 'PATH_TRANSLATED' '
	cgi GET /x "" GIT_PROJECT_ROOT= PATH_TRANSLATED="$PWD//srv/a.git/HEAD" && test_grep "^ref:" body &&
	cgi GET /x "" GIT_PROJECT_ROOT= PATH_TRANSLATED="$PWD/srv/../srv/a.git/HEAD" &&
	refused "500 Internal Server Error" aliased
'

test_expect_success 'a server that does not say what it should' '
	cgi GET /x "" -u GIT_PROJECT_ROOT && refused "500 Internal Server Error" "No GIT_PROJECT_ROOT" &&
	cgi GET "" "" && refused "500 Internal Server Error" "PATH_INFO is not" &&
	cgi GET /a.git/HEAD "" -u REQUEST_METHOD && refused "500 Internal Server Error" REQUEST_METHOD
'

test_expect_success ROOT 'repositories of another owner' '
	chown 12345 srv/a.git && test_when_finished "chown 0 srv/a.git" &&
	cgi GET /a.git/HEAD "" && refused "500 Internal Server Error" "dubious ownership"
'

test_expect_success 'other methods' '
	cgi POST /a.git/HEAD "" && refused "405 Method Not Allowed" && header Allow "GET, HEAD" &&
	cgi DELETE /a.git/HEAD "" && refused "405 Method Not Allowed" &&
	cgi GET /a.git/git-upload-pack "" && refused "405 Method Not Allowed" && header Allow POST &&
	cgi POST /a.git/HEAD "" SERVER_PROTOCOL=HTTP/1.0 && refused "400 Bad Request"
'

# ---- services: the advertisement ------------------------------------------------

test_expect_success 'the advertisement' '
	cgi GET /a.git/info/refs service=git-upload-pack && not_cached &&
	header Content-Type application/x-git-upload-pack-advertisement &&
	{ printf "001e# service=git-upload-pack\n0000"; echo "args: upload-pack --http-backend-info-refs ."; } >expect &&
	head -n 2 body >actual && test_cmp expect actual &&
	test_grep "^cwd: .*/srv/a.git$" body && test_grep "; dir: none$" body &&
	test_grep "^who: anonymous <anonymous@http.192.0.2.7>$" body && test_grep "a word for the log" err
'

test_expect_success 'versions of the protocol' '
	for v in version=2 version=1:version=2 x:version=2:y; do
		cgi GET /a.git/info/refs service=git-upload-pack HTTP_GIT_PROTOCOL=$v &&
		test_grep "^args: " body && test_grep "^protocol: $v;" body || return 1
	done &&
	for v in version=1 version=20 xversion=2 version=; do
		cgi GET /a.git/info/refs service=git-upload-pack HTTP_GIT_PROTOCOL=$v &&
		test_grep -a "service=git-upload-pack" body || return 1
	done &&
	cgi GET /a.git/info/refs service=git-upload-pack HTTP_GIT_PROTOCOL=version=2 GIT_PROTOCOL=version=1 &&
	test_grep "^protocol: version=1;" body
'

test_expect_success 'the query' '
	for query in "a=b&service=git-upload-pack" "service=git-upload-pack&a=b"; do
		cgi GET /a.git/info/refs "$query" && test_grep "args: upload-pack" body || return 1
	done &&
	for query in service=git-foo service=upload-pack service= service=git- service=git-upload-pack%00 \
		service=git%2 "service=git-upload-pack+"
	do
		cgi GET /a.git/info/refs "$query" && refused "403 Forbidden" "Unsupported service" || return 1
	done &&
	for query in service "service&a=b" "service=git%2dupload%2Dpack" "service=git%252dupload-pack"; do
		cgi GET /a.git/info/refs "$query" && refused "403 Forbidden" "Unsupported service" || return 1
	done &&
	cgi GET /a.git/info/refs "xservice=git-upload-pack" && test_grep refs/tags body
'

# A web server may have read such a query in another way, and have asked for no password.
test_expect_success 'a query that two programs could read in two ways' '
	a=service=git-upload-pack b=service=git-receive-pack &&
	for query in "$a&$b" "$b&$a" "$a&$a" "$a&service" "SERVICE=git-upload-pack&$b" "$b&Service=git-upload-pack" "SERVICE=git-upload-pack" \
		"%73ervice=git-receive-pack" "$a&%73ervice=git-receive-pack" "x&$b&y&servic%65=git-upload-pack" "%53ERVICE=git-receive-pack&$a"
	do
		cgi GET /a.git/info/refs "$query" REMOTE_USER=me && refused "400 Bad Request" "more than one way" || return 1
	done &&
	cgi GET /a.git/info/refs "$a&%2573ervice=git-receive-pack" && test_grep "args: upload-pack" body &&
	cgi GET /a.git/info/refs "service=%67it-receive-pack" REMOTE_USER=me && refused "403 Forbidden" "Unsupported service: .%67it"
'

test_expect_success 'HEAD has no body' '
	cgi HEAD /a.git/info/refs service=git-upload-pack && test_must_be_empty body &&
	header Content-Type application/x-git-upload-pack-advertisement
'

test_expect_success 'services are enabled by the repository' '
	test_config -C srv/a.git http.uploadpack false &&
	cgi GET /a.git/info/refs service=git-upload-pack && refused "403 Forbidden" "not enabled" &&
	cgi POST /a.git/git-upload-pack "" CONTENT_TYPE=application/x-git-upload-pack-request &&
	refused "403 Forbidden" "not enabled" &&
	cgi GET /a.git/info/refs service=git-receive-pack && refused "403 Forbidden" "not enabled"
'

test_expect_success 'pushing is allowed to authenticated users, to all, or not at all' '
	cgi GET /a.git/info/refs service=git-receive-pack REMOTE_USER=me && grep -aq "args: receive-pack --http-backend-info-refs" body &&
	cgi GET /a.git/info/refs service=git-receive-pack REMOTE_USER= && refused "403 Forbidden" "not enabled" &&
	: >request && cgi POST /a.git/git-receive-pack "" CONTENT_TYPE=application/x-git-receive-pack-request REMOTE_USER=me &&
	test_grep "Content-Type: application/x-git-receive-pack-result" head &&
	git -C srv/a.git config http.receivepack true &&
	cgi GET /a.git/info/refs service=git-receive-pack && grep -aq "args: receive-pack --http-backend-info-refs" body &&
	git -C srv/a.git config http.receivepack false &&
	cgi GET /a.git/info/refs service=git-receive-pack REMOTE_USER=me && refused "403 Forbidden" &&
	git -C srv/a.git config http.receivepack nonsense &&
	cgi GET /a.git/info/refs service=git-receive-pack REMOTE_USER=me &&
	refused "500 Internal Server Error" "bad boolean" && git -C srv/a.git config --unset http.receivepack
'

test_expect_success 'archives are refused, also to authenticated users, unless the repository allows them' '
	: >request && cgi POST /a.git/git-upload-archive "" CONTENT_TYPE=application/x-git-upload-archive-request REMOTE_USER=me &&
	refused "403 Forbidden" "Service not enabled: .upload-archive" &&
	git -C srv/a.git config http.uploadarchive true &&
	cgi POST /a.git/git-upload-archive "" CONTENT_TYPE=application/x-git-upload-archive-request &&
	header Content-Type application/x-git-upload-archive-result
'

# ---- services: requests ------------------------------------------------------------

# post SERVICE [VARIABLE...]
post () {
	local service=$1
	shift
	cgi POST "/a.git/git-$service" "" CONTENT_TYPE="application/x-git-$service-request" "$@"
}
# The service has got the content of the file.
got () {
	cksum <"$1" | sed "s/^/input: /" >expect && grep "^input" body >actual && test_cmp expect actual
}

test_expect_success 'requests' '
	printf "0000some bytes\n\0and more" >request && post upload-pack && not_cached &&
	header Content-Type application/x-git-upload-pack-result &&
	test_grep "^args: upload-pack --stateless-rpc [.]$" body && got request &&
	cp request whole && echo "belongs to the next" >>request &&
	post upload-pack CONTENT_LENGTH=$(wc -c <whole | tr -d " ") && got whole &&
	post upload-pack CONTENT_LENGTH=0 && got /dev/null && post upload-pack CONTENT_LENGTH= && got request &&
	post upload-pack REMOTE_USER=me && test_grep "^who: me <me@http.192.0.2.7>$" body &&
	post upload-pack REMOTE_USER=me GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=y && test_grep "^who: x <y>$" body
'

test_expect_success 'requests that are compressed' '
	test_seq 30000 >whole && gzip -c whole >request &&
	post upload-pack HTTP_CONTENT_ENCODING=gzip && got whole &&
	post upload-pack HTTP_CONTENT_ENCODING=x-gzip CONTENT_LENGTH=$(wc -c <request | tr -d " ") && got whole &&
	post upload-archive HTTP_CONTENT_ENCODING=gzip REMOTE_USER=me && got whole &&
	test_grep "^args: upload-archive [.]$" body &&
	post upload-pack HTTP_CONTENT_ENCODING=br && refused "415 Unsupported Media Type" "encoding .br."
'

test_expect_success 'the type of a request' '
	for type in "" text/plain application/x-git-receive-pack-request application/x-git-upload-pack-result; do
		post upload-pack CONTENT_TYPE="$type" &&
		refused_in_words "415 Unsupported Media Type" "received .$type. instead" || return 1
	done
'

test_expect_success 'lengths that cannot be' '
	for length in -2 x 12x " 3" 0x10 99999999999999999999 9223372036854775808; do
		post upload-pack CONTENT_LENGTH="$length" && refused "400 Bad Request" "CONTENT_LENGTH" || return 1
	done &&
	echo short >request && post upload-pack CONTENT_LENGTH=100 && refused "400 Bad Request" "too early" &&
	post upload-pack CONTENT_LENGTH=-1 && got request
'

test_expect_success 'http.maxRequestBuffer' '
	head -c 100000 /dev/zero >request &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=99999 && refused "413 Content Too Large" "larger than" &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=99999 CONTENT_LENGTH=100000 &&
	refused "413 Content Too Large" "99999): 100000" &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=100000 && got request &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=100000 CONTENT_LENGTH=100000 && got request &&
	post upload-pack CONTENT_LENGTH=4611686018427387904 && refused "413 Content Too Large" &&
	test_config -C srv/a.git http.maxRequestBuffer 90k &&
	post upload-pack && refused "413 Content Too Large" &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=1m && got request &&
	post upload-archive REMOTE_USER=me && got request &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER=x && refused "500 Internal Server Error" "failed to parse GIT_HTTP_MAX_REQUEST_BUFFER" &&
	post upload-pack GIT_HTTP_MAX_REQUEST_BUFFER= && refused "500 Internal Server Error" MAX_REQUEST
'

test_expect_success 'compressed requests that are broken' '
	test_seq 30000 | gzip >whole &&
	for n in 0 1 9 10 100 $(($(wc -c <whole) - 1)); do
		head -c "$n" whole >request &&
		test_expect_code 1 post upload-pack HTTP_CONTENT_ENCODING=gzip &&
		test_grep "fatal: request ended in the middle" err || return 1
	done &&
	{ head -c 500 whole; head -c 5000 /dev/zero; } >request &&
	test_expect_code 1 post upload-pack HTTP_CONTENT_ENCODING=gzip && test_grep "no valid gzip" err &&
	echo hello >request &&
	test_expect_code 1 post upload-pack HTTP_CONTENT_ENCODING=gzip && test_grep "no valid gzip" err
'

test_expect_success 'a service that fails, and one that does not read' '
	: >request && echo "exit 9" >srv/a.git/service && test_expect_code 1 post upload-pack &&
	head -c 1000000 /dev/zero >request && echo "exit 0" >srv/a.git/service && post upload-pack &&
	test_grep "^args" body && rm srv/a.git/service
'

test_expect_success 'a web server that has gone' '
	test_expect_code 1 sh -c "exec >&-; exec 1</dev/null; exec \"\$@\"" - env GIT_PROJECT_ROOT="$PWD/srv" \
		GIT_HTTP_EXPORT_ALL=1 REQUEST_METHOD=GET PATH_INFO=/a.git/HEAD git http-backend
'

# 300,000 bytes do not fit into a pipe.
test_expect_success PYTHON 'the body of a request that is refused is read: the web server can get rid of it' '
	git init -q --bare srv/closed.git && cat >sends <<-\EOF &&
	import os, subprocess, sys
	p = subprocess.Popen(["git", "http-backend"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
	reply = p.stdout.readline()
	assert reply.startswith(b"Status: 403"), reply
	try:
	    p.stdin.write(b"x" * 300000)
	    p.stdin.close()
	except BrokenPipeError:
	    sys.exit("broken pipe")
	sys.exit(p.wait())
	EOF
	GIT_PROJECT_ROOT="$PWD/srv" GIT_HTTP_EXPORT_ALL=1 SERVER_PROTOCOL=HTTP/1.1 REQUEST_METHOD=POST CONTENT_LENGTH=300000 \
		PATH_INFO=/closed.git/git-upload-archive CONTENT_TYPE=application/x-git-upload-archive-request python3 sends
'

test_done
