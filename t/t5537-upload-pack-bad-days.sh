#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: disks that fail, packs that end early, hostile packs and clients'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"
. "$TEST_DIRECTORY/lib-packs.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

CAPS="multi_ack_detailed side-band-64k ofs-delta object-format=$TEST_HASH"

# well_or_visibly CODE: the client got the whole pack, and the server says so; or it did not, and both know.
well_or_visibly () {
	if test "$1" = 0; then
		test "$(tail -n 1 answer)" = 0000 && pack_holds all
	else
		test "$1" = 128 && test_grep ! "^0000" answer && test_grep "^fatal: " err &&
		test_grep "^ERR upload-pack: \|^band 3: upload-pack: " answer
	fi
}

# Not confined: the missed step is a file that is made at the end.
# Three ways to a pack: sent unchanged, by bitmaps, by a walk.
test_expect_success 'set up' '
	git init -q -b main src && (cd src && for n in $(test_seq 30); do
		for i in $(test_seq 300); do echo "line $i of $((n / (i % 17 + 1)))"; done >file &&
		head -c 60000 /dev/urandom >noise && git add . && test_tick && git commit -qm $n || exit 1; done) &&
	MAIN=$(git -C src rev-parse main) && git -C src rev-list --objects main | cut -d" " -f1 >all && sort all >sorted &&
	git -C src pack-objects -q --all --delta-base-offset ../pack </dev/null >name && N=$(cat name) &&
	for r in walk bitmap whole; do
		git init -q --bare -b main $r && mv_to=$r/objects/pack && cp pack-$N.* $mv_to/ && chmod u+w $mv_to/* &&
		git -C $r update-ref refs/heads/main $MAIN || return 1
	done &&
	for r in bitmap whole; do git -C $r multi-pack-index write --bitmap || return 1; done &&
	echo extra | git -C bitmap hash-object -w --stdin >extra && git -C bitmap pack-objects objects/pack/pack <extra >/dev/null &&
	git -C bitmap multi-pack-index write --bitmap && rm -f bitmap/objects/??/* &&
	fetch_request no-progress "want $MAIN" done >lines && cp lines lines.whole && cp lines lines.bitmap && cp lines lines.walk &&
	for r in walk bitmap whole; do serve $r <lines && pack_holds all || return 1; done &&
	serve whole <lines && cmp pack pack-$N.pack
'

for r in walk bitmap whole
do
	test_expect_success "each read of a pack fails in turn: $r" '
		"$PKT" encode <lines >request && failures=0 && n=1 && while test $n -lt 400; do
			rm -f missed pack && code=0 &&
			{ GIT_PROTOCOL=version=2 GIT_TEST_SYSCALL_MISSED=$PWD/missed GIT_TEST_SYSCALL_FAIL=$n:EIO:pread \
				"$FAULT_GIT" -c core.sandbox=false upload-pack --stateless-rpc $r <request >raw 2>err || code=$?; } &&
			"$PKT" decode pack <raw >answer && { ! test -f missed || break; } &&
			well_or_visibly $code && failures=$((failures + (code != 0))) || return 1
			n=$((n + 1))
		done && test_path_is_file missed && test $n -gt 1 && test $failures -gt 0
	'

	test_expect_success "a pack that has become shorter: $r" '
		size=$(wc -c <pack-$N.pack) && rm -rf short && cp -R $r short &&
		for len in 0 4 12 13 100 $((size / 3)) $((size / 2)) $((size * 9 / 10)) $((size - OID_HEXLEN / 2)) $((size - 1)); do
			head -c $len pack-$N.pack >short/objects/pack/pack-$N.pack &&
			code=0 && { serve short <lines || code=$?; } && test $code = 128 && well_or_visibly $code || return 1
		done
	'
done

test_expect_success 'a chain of 100,000 deltas is served, and its end as well' '
	{ echo "blob x" && seq -f "ofs %.0f y" 0 99999; } | craft chain.pack && new deep && git -C deep index-pack --stdin <chain.pack &&
	git show-index --object-format=$TEST_HASH <$(ls deep/objects/pack/*.idx) | sort -n | cut -d" " -f2 >names && last=$(tail -n 1 names) &&
	fetch_request no-progress "want $last" done >lines && serve deep <lines && echo $last >one && pack_holds one &&
	test $(git -C got.git cat-file -s $last) = 100001 &&
	tree=$(printf "100644 blob $last\tfile\n100644 blob $(sed -n 50000p names)\tother\n" | git -C deep mktree) &&
	commit=$(git -C deep commit-tree -m deep $tree) && fetch_request no-progress "want $commit" done >lines &&
	serve deep <lines && printf "%s\n" $commit $tree $last $(sed -n 50000p names) >wanted && pack_holds wanted
'

# More than a packet of noise in front, so that it is the size of the request that counts.
test_expect_success !SANITIZE,!VALGRIND 'very many haves and shallow lines take no more memory than their names' '
	awk -v len=$OID_HEXLEN "BEGIN { for (i = 1; i <= 60000; i++) printf(\"%s %0*x\\n\", i % 2 ? \"have\" : \"shallow\", len, i) }" >noise &&
	{ fetch_request no-progress "want $MAIN" | sed "/^0000$/d" && cat noise && echo done && echo 0000; } >lines &&
	(ulimit -v 400000 && serve walk <lines) && pack_holds all &&
	{ echo "want $MAIN $CAPS" && echo 0000 && grep have noise && echo done; } >lines &&
	(ulimit -v 400000 && STATELESS= && PROTOCOL=version=0 && BANDS=1 && serve walk <lines) && pack_holds all
'

test_expect_success 'numbers that are none, or too large' '
	for d in -1 -2147483649 0 00 1x "" " 1" 99999999999999999999 2147483648 0x1 1.5; do
		fetch_request "want $MAIN" "deepen $d" done >lines && code=0 && { serve walk <lines || code=$?; } &&
		case "$d" in
		" 1" | 0x1) test $code = 0 ;; # as stock has it
		*) test $code = 128 && test_grep "^ERR upload-pack: invalid deepen" answer ;;
		esac || return 1
	done &&
	fetch_request no-progress "want $MAIN" "deepen 2147483647" done >lines && serve walk <lines && pack_holds all &&
	fetch_request no-progress "want $MAIN" "deepen-since 0" done >lines && serve walk <lines && pack_holds all &&
	for d in -1 -9223372036854775809 18446744073709551616 99999999999999999999999 yesterday ""; do
		fetch_request "want $MAIN" "deepen-since $d" done >lines && test_expect_code 128 serve walk <lines &&
		test_grep "^ERR upload-pack: invalid deepen-since" answer || return 1
	done
'

test_expect_success 'the connection is cut at each byte of the request: versions 0 and 1' '
	printf "%s\n" "want $MAIN $CAPS" "deepen 3" 0000 "have $(sed -n 40p all)" 0000 done | "$PKT" encode >whole.request &&
	for version in 0 1
	do
		n=1 && while test $n -lt $(wc -c <whole.request); do
			head -c $n whole.request >cut && code=0 && { GIT_PROTOCOL=version=$version git upload-pack walk <cut >raw 2>err || code=$?; } &&
			test $code = 128 && test_grep ! PACK raw || { echo "cut at $n: $code"; return 1; }
			n=$((n + 7))
		done || return 1
	done
'

# answer_cut REPO PROTOCOL OPTIONS: of the answer to `request`, which no pipe can hold, only the first bytes are read. The
# server ends and has noticed, and its repository is as it was: not a name, a size or a time has changed.
answer_cut () {
	ls -lR --full-time $1 >before || return
	for n in 0 1 4 9 50 100 150 300 1000 9000 65519 65520 65521 70000
	do
		rm -f code && { GIT_PROTOCOL=version=$2 git upload-pack $3 $1 <request 2>err; echo $? >code; } |
		head -c $n >got.bytes && test $(wc -c <got.bytes) = $n && case "$(cat code)" in 128|141) ;; *) false ;; esac &&
		ls -lR --full-time $1 >after && test_cmp before after || { echo "cut at $n: $(cat code)"; return 1; }
	done
}

test_expect_success 'the connection is cut at bytes of the answer' '
	fetch_request "want $MAIN" done | "$PKT" encode >request &&
	for r in walk bitmap whole; do answer_cut $r 2 --stateless-rpc || return 1; done
'

for bands in side-band-64k side-band no-progress
do
	test_expect_success "the connection is cut at bytes of the answer: version 0, $bands" '
		printf "%s\n" "want $MAIN ofs-delta $bands object-format=$TEST_HASH" 0000 done | "$PKT" encode >request &&
		for r in walk bitmap whole; do
			answer_cut $r 0 "" && answer_cut $r 0 --stateless-rpc && answer_cut $r 1 "" || return 1
		done
	'
done

test_expect_success 'repositories that are named like options' '
	mkdir like-options && for name in --strict -x --timeout=1 --help --upload-pack=x; do
		cp -R walk "like-options/$name" && (cd like-options && git upload-pack --http-backend-info-refs "./$name" >../raw) &&
		"$PKT" decode <raw >answer && test_grep "refs/heads/main" answer &&
		(cd like-options && git upload-pack --http-backend-info-refs -- "$name" >../raw2) && cmp raw raw2 || return 1
	done &&
	(cd like-options && test_expect_code 129 git upload-pack -x && test_expect_code 129 git upload-pack --strict &&
	 test_expect_code 129 git upload-pack --timeout=1 && test_expect_code 129 git upload-pack --upload-pack=x) </dev/null
'

test_done
