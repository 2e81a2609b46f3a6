#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every fuzzing target, for a moment

Inputs made by chance, and by changing files that are good. Most of what there is to find needs
a fuzzer (t/fuzz/README); this keeps the targets working, and says what is plain.'
. "$(dirname "$0")/test-lib.sh"

FUZZ=$GIT_BUILD_DIR/t/fuzz
test -x "$FUZZ/fuzz-config" || {
	skip_all='the fuzzing targets are not built'
	test_done
}
rounds=200
test -z "$GIT_TEST_LONG" || rounds=20000

# with BYTE FILE: the content of FILE behind a byte that chooses the parser
with () {
	printf "$1" >"in-$2" && cat "$2" >>"in-$2"
}

test_expect_success 'files to begin with' '
	git init -q --ref-format=files repo && (
		cd repo &&
		test_commit one && test_commit two && git tag -a -m message v1 &&
		git pack-refs --all && cp .git/packed-refs .git/index .git/config .. &&
		git commit-graph write --reachable --changed-paths &&
		cp .git/objects/info/commit-graph .. &&
		cp .git/logs/HEAD ../reflog && git cat-file commit HEAD >../commit &&
		git cat-file tag v1 >../tag && git log -1 --format=%B >../message
	) &&
	printf "update refs/heads/x HEAD\ndelete refs/heads/topic\n" >stdin &&
	printf "%%(refname:short) %%(if)%%(HEAD)%%(then)x%%(end) %%(trailers:key=a)" >format &&
	printf "git-upload-pack /a.git\\0host=h.example:9418\\0\\0version=2\\0" >daemon &&
	printf "\\0\\26O\\1%020d\\0\\12Fblob:none\\0\\2R\\25" 0 >broker &&
	printf "a/b.c\\0*.c text diff=x\n/a/** -z\n" >rules &&
	printf "blob:none\ncombine:tree%%3a3+combine:blob:limit=1k\nsparse:oid=a+b%%\n" >filters &&
	id=$(git -C repo rev-parse HEAD) && printf "# v2 git bundle\n-%s x\n%s refs/heads/x\n\nPACK" $id $id >bundle &&
	printf "# v3 git bundle\n@filter=blob:none\n@object-format=%s\n%s HEAD\n\n" "$TEST_HASH" $id >bundle3 &&
	with "\3" bundle && with "\7" bundle3 && with "\0" commit && with "\1" tag && with "\1" reflog && with "\1" message &&
	printf "\3command=fetch\nobject-format=sha1\n0001\nthin-pack\nwant %%0\nhave %%1\nwant-ref HEAD\nshallow %%0\ndeepen 2\ndone\n0000\n" >in-fetch &&
	printf "\0want %%0 multi_ack_detailed side-band-64k\nshallow %%1\ndeepen 2\n0000\nhave %%5\nhave %%1\n0000\ndone\n" >in-v0 &&
	printf "\10version 2\nfetch=shallow filter\nls-refs\nobject-format=sha1\n0000\n%%0 HEAD symref-target:refs/heads/x peeled:%%4\n0000\nshallow-info\nshallow %%0\n0001\nacknowledgments\nACK %%0\nready\n0001\npackfile\n\2word\nPACK\n0000\n" >in-answer &&
	printf "\10%%0 HEAD\0multi_ack_detailed side-band-64k shallow object-format=sha1 symref=HEAD:refs/heads/main\n%%2 refs/tags/v1\n%%0 refs/tags/v1^{}\nshallow %%0\n0000\nACK %%0 common\nACK %%0 ready\nNAK\nACK %%0\nPACK\n0000\n" >in-answer-v0 &&
	printf "capability[]=authtype\nprotocol=https\nhost=h.example:80\npath=a/b\nusername=u\npassword=p\nurl=https://u%%40:p@h/x?y\nwwwauth[]=Basic\nwwwauth[]=\nstate[]=a\npassword_expiry_utc=5\nephemeral=1\nquit=0\n\n" >in-credential &&
	printf "https://us%%40r:pa%%2fss@h.example:80/a/b%%20c" >in-url &&
	printf "\11fetch\noption\nobject-format\n\nok\n:object-format $TEST_HASH\n%%0 refs/heads/x\n@refs/heads/x HEAD\n? refs/heads/y\n\nok\nok\nlock .git/objects/pack/x.keep\n\n" >in-helper &&
	printf "\0[bundle]\nversion = 1\nmode = all\nheuristic = creationToken\n[bundle \"a\"]\nuri = ../x.bundle\ncreationToken = 7\n" >in-bundles &&
	printf "\1bundle.version=1\nbundle.mode=any\nbundle.a.uri=x.bundle\n" >in-lines && printf "\2%%040d https://h.example/p.pack\n" 7 >in-uris &&
	printf "\6name=a,url=file:///x,partialCloneFilter=blob:limit=1k,token=a%%%%3b;name=b,url=y" >in-promisors &&
	printf "\4HTTP/1.1 401 x\nWWW-Authenticate: Basic realm=a\n b\nwww-authenticate: Digest x\n" >in-headers &&
	printf "001e# service=git-upload-pack\n0000000eversion 2\n000cls-refs\n0000" >in-http &&
	printf "\0p blob\na\n~\np tree\n100644 file%%n%%r0\n~\no tag\nobject %%1\ntype tree\ntag x\n\nx\n~\nf info/packs\nP pack-%%p.pack\n\n~\nf info/refs\n%%2\trefs/tags/x\n\n~\nf HEAD\n%%2\n~\nf info/http-alternates\n/b\nhttp://o.example/c\n" >in-walk &&
	printf "\13HTTP/1.1 401 x\nWWW-Authenticate: Basic realm=x\nContent-Length: 0\n\n\n~\nHTTP/1.1 302 x\nLocation: http://o.example/info/refs?service=git-upload-pack\n\n\n~\nHTTP/1.1 200 OK\n\n" >in-redirect &&
	: a header that goes on where none has begun: libcurl 7.88 used memory of the transfer before, which it had freed &&
	printf "\12HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=x\r\n\r\n\n~\nHTTP/1.1 200 OK\r\nConten\n~\nHTTP/1.1 200 OK\r\n http://x\r\n\r\n" >in-goes-on &&
	: a table, and a stack with one: flags, how it is written again, three bytes of length &&
	git init -q --ref-format=reftable tables && git -C tables fetch -q ../repo HEAD:refs/heads/x &&
	cat tables/.git/reftable/*.ref >table && flags=$(test "$TEST_HASH" = sha1 && echo 0 || echo 1) &&
	with "\\$flags\1" table && mv in-table in-table-1 && with "\\$((flags + 4))\1\0\377\377" table &&
	with "\0" format && with "\0" stdin && with "\1" rules
'

test_expect_success PYTHON 'a split and a sparse index' '
	export TEST_HASH && git init -q split && (
		cd split && for i in $(test_seq 10 69); do echo $i >f$i || exit 1; done && for i in 0 1 2 3 4 5 6 7 8 9; do echo $i >f0$i || exit 1; done &&
		git add . && cp .git/index ../base && echo new >f03 && echo new >f70 && git rm -q --cached f05 f64 && git add f03 f70 && cp .git/index ../new &&
		git rm -q -r --cached . && mkdir d && echo a >a && echo d >d/d && echo z >z && git add a d z && cp .git/index ../whole
	) &&
	python3 "$TEST_DIRECTORY/craft-index.py" split base new . whole-split && python3 "$TEST_DIRECTORY/craft-index.py" sparse whole whole-sparse d/ 02${ZERO_OID#00} &&
	for kind in split sparse; do head -c $(($(wc -c <whole-$kind) - ${#ZERO_OID} / 2)) whole-$kind >in-$kind || return 1; done
'

# update-ref relies on exit() to free what a command holds when it calls die().
for path in "$FUZZ"/fuzz-*
do
	name=${path##*/}
	case "$name" in *.*) continue ;; esac
	test_expect_success "$name" '
		ASAN_OPTIONS="$ASAN_OPTIONS${ASAN_OPTIONS:+:}detect_leaks=$(
			case $name in *update-ref) echo 0 ;; *) echo "${GIT_TEST_LEAKS:-0}" ;; esac)" \
		"$path" -r $rounds config index packed-refs filters commit-graph daemon broker in-*
	'
done

test_done
