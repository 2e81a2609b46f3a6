#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='push to repositories that are only files, by WebDAV: git http-push, and git push'
. "$(dirname "$0")/test-lib.sh"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
command -v setsid >/dev/null || { skip_all='no setsid' && test_done; }
. "$TEST_DIRECTORY/lib-dav.sh"

rules () {
	: >dav.log && : >dav.log.headers && if test $# -gt 0; then printf '%s\n' "$@"; fi >dav.rules
}
# fresh NAME [FORMAT]: an empty repository srv/NAME.git, whose refs are files, and $R, its URL
fresh () {
	rm -rf "srv/$1.git" && git init -q --bare -b main --ref-format=${2-files} "srv/$1.git" && git -C "srv/$1.git" update-server-info &&
	chmod -R a+rwX "srv/$1.git" && R=$URL/$1.git && S=srv/$1.git && rules
}
# whole: nothing is missing, and info/refs is what it ought to be
whole () {
	git -C $S fsck --strict >&4 2>&1 && cp $S/info/refs has && git -C $S update-server-info && test_cmp $S/info/refs has
}
unlocked () {
	locked=$(grep -c "^LOCK .* 20" dav.log) && given=$(grep -c "^UNLOCK .* 204" dav.log) && gone=$(grep -c "^DELETE .*refs/.* 204" dav.log)
	refreshed=$(grep -c "^LOCK .* 20.* If=" dav.log.headers)
	test $((locked - refreshed)) = $((given + gone)) || { cat dav.log; return 1; }
}
at () {
	test "$(git -C $S rev-parse -q --verify "$1")" = "$(git -C work rev-parse "$2")"
}
# state: what the server's refs are
state () {
	git -C $S for-each-ref && cat $S/info/refs
}
# fails PATTERN ARG...: a push fails, says so, and no ref has changed; locks are given back; the same push goes through afterwards
fails () {
	local pattern=$1
	shift
	state >before && test_expect_code 1 git -C work http-push "$R" "$@" 2>err && test_grep "$pattern" err && ! grep -i "BUG\|signal" err &&
	state >after && test_cmp before after && git -C $S fsck --strict >&4 2>&1 && rules && git -C work http-push "$R" "$@" 2>&4 && whole && unlocked
}

test_expect_success 'a server and a history' '
	start_dav_ours && git init -q -b main work && test_commit -C work one && test_commit -C work two && git -C work branch old main~1 &&
	git -C work tag -a -m annotated v1 old && git -C work checkout -q -b side old && test_commit -C work three && git -C work checkout -q main
'

# life KIND: the usual steps, with a server of that kind
life () {
	fresh "$1" && git -C work http-push "$R" main:refs/heads/main v1 2>err && grep "new branch.*main -> main" err && at main main && at v1 v1 && whole &&
	git clone -q "$R" "clone.$1" && git -C "clone.$1" fsck && test "$(git -C "clone.$1" rev-parse HEAD)" = "$(git -C work rev-parse main)" &&
	test_commit -C work more$1 && git -C work push "$R" main 2>err && grep "main -> main" err && at main main && whole &&
	git -C "clone.$1" pull -q 2>/dev/null || git -C "clone.$1" fetch -q && git -C work push "$R" main:refs/heads/a/b side:refs/heads/odd+name 2>err && at a/b main && at "odd+name" side && whole &&
	test_must_fail git -C work push "$R" side:a/b 2>err && grep "non-fast-forward" err && at a/b main && git -C work push -q -f "$R" side:a/b && at a/b side &&
	git -C work push -q "$R" :a/b :refs/tags/v1 && test_must_fail git -C $S rev-parse -q --verify a/b && test_must_fail git -C $S rev-parse -q --verify v1 && whole &&
	git -C work push "$R" main 2>err && grep "Everything up-to-date" err && rm -rf "again.$1" && git clone -q "$R" "again.$1" && git -C "again.$1" fsck
}

test_expect_success 'new branches, tags, updates, force, deletion, and what others see' '
	life ours && unlocked
'

test_expect_success APACHE_DAV 'the same with apache' '
	start_dav_apache && life apache
'

test_lazy_prereq STOCK_DAV 'test_have_prereq APACHE_DAV,STOCK_GIT && test -x "$("$STOCK_GIT" --exec-path)/git-http-push"'

test_expect_success STOCK_DAV 'stock Git and ours push to one repository in turns' '
	fresh turns && git -C work http-push "$R" old:main v1 2>&4 && stock clone -q "$R" theirs && stock -C theirs fsck &&
	test_commit -C theirs from-stock && stock -C theirs http-push "$R/" main:main >&4 2>&1 && test "$(git -C $S rev-parse main)" = "$(git -C theirs rev-parse main)" &&
	git -C work fetch -q "$R" main && git -C work branch -f turn FETCH_HEAD && test "$(git -C work rev-parse turn)" = "$(git -C theirs rev-parse main)" &&
	git -C work checkout -q turn && test_commit -C work after-stock && git -C work push -q "$R" turn:main && git -C work checkout -q main && whole &&
	stock -C theirs pull -q --ff-only && test "$(git -C work rev-parse turn)" = "$(git -C theirs rev-parse main)"
'

test_expect_success LIGHTTPD_DAV 'and with lighttpd' '
	start_dav_lighttpd && life lighttpd
'

test_expect_success 'ours again' '
	start_dav_ours && rules && fresh repo && git -C work http-push "$R" main 2>&4
'

test_expect_success 'objects come before names, under other names first; the index comes last' '
	fresh order && git -C work http-push "$R" main && grep -v "^GET\|^PROPFIND\|^OPTIONS" dav.log | sed "s/[0-9a-f]\{$OID_HEXLEN\}/H/; s/ 20.$//; s/packs\.[0-9a-f]*\.lock/packs.TMP/" >actual &&
	cat >expect <<-\EOF && test_cmp expect actual &&
	MKCOL /order.git/objects/pack/ 405
	PUT /order.git/objects/pack/tmp_pack-H.pack
	MOVE /order.git/objects/pack/tmp_pack-H.pack
	PUT /order.git/objects/pack/tmp_pack-H.idx
	MOVE /order.git/objects/pack/tmp_pack-H.idx
	LOCK /order.git/info/refs
	PUT /order.git/objects/info/packs.TMP
	MOVE /order.git/objects/info/packs.TMP
	MKCOL /order.git/refs/heads/ 405
	PUT /order.git/refs/heads/main
	PUT /order.git/info/refs
	UNLOCK /order.git/info/refs
	EOF
	test_commit -C work another && rules && git -C work http-push "$R" main && grep "^LOCK .*/refs/heads/main 200" dav.log &&
	grep "^PUT .*/refs/heads/main 204 If=" dav.log.headers && grep "^PUT .*/info/refs 204 If=" dav.log.headers && unlocked
'

test_expect_success 'only missing objects are sent; with --all every object' '
	test_commit -C work small && rules && git -C work http-push "$R" main && ls $S/objects/pack/*.pack >packs && git -C work http-push --all "$R" main:whole &&
	ls $S/objects/pack/*.pack | comm -13 packs - >new && test_line_count = 1 new && git -C work rev-list --objects main >all &&
	git -C $S show-index <$(sed "s/pack$/idx/" new) >idx && test_line_count = $(wc -l <all) idx &&
	rules && git -C work http-push "$R" main:third && ! grep "^PUT.*objects" dav.log && at third main && whole
'

test_expect_success 'packed refs: one that is deleted does not come back, one that changes gets a file' '
	git -C $S pack-refs --all && git -C $S update-server-info && git -C work push -q "$R" :third && test_must_fail git -C $S rev-parse -q --verify third &&
	whole && test_commit -C work onpacked && git -C work push -q "$R" main && at main main && whole && git -C $S pack-refs --all && at main main &&
	git -C work push -q "$R" v1 && git -C $S pack-refs --all && git -C work push -q "$R" :v1 && ! grep -B1 "^\^" $S/packed-refs && whole
'

test_expect_success 'a damaged packed-refs on the server is refused, not read in part' '
	fresh damaged && git -C work push -q "$R" main:one && git -C $S pack-refs --all && echo garbage >>$S/packed-refs &&
	{ ls -R $S/refs && cat $S/packed-refs; } >before &&
	test_must_fail git -C work push "$R" main:two 2>err && test_grep "server.s refs: unexpected line in packed-refs: garbage" err &&
	{ ls -R $S/refs && cat $S/packed-refs; } >after && test_cmp before after
'

test_expect_success '--dry-run changes nothing' '
	fresh dry && git -C work http-push --dry-run "$R" main 2>err && grep "new branch" err && git -C work push --dry-run "$R" main 2>err && grep "new branch" err &&
	! grep "^PUT\|^MOVE\|^LOCK" dav.log && state >actual && test_must_be_empty actual
'

test_expect_success 'unknown remote commits must be fetched first; conflicting ref names' '
	fresh other && git init -q foreign && test_commit -C foreign x && git -C foreign push -q "$PWD/$S" HEAD:refs/heads/main && git -C $S update-server-info &&
	test_must_fail git -C work push "$R" main 2>err && grep "fetch first" err && test_must_fail git -C work push "$R" main:refs/heads/main/x 2>err &&
	grep "refname conflict" err && test_must_fail git -C work push --atomic "$R" main:y 2>err && grep "atomic" err
'

test_expect_success '-d and -D' '
	fresh del && git -C work push -q "$R" main old side && git -C work http-push -d "$R" old 2>err && test_must_fail git -C $S rev-parse -q --verify old &&
	test_expect_code 1 git -C work http-push -d "$R" side 2>err && grep "not an ancestor of your current HEAD" err && at side side &&
	git -C work http-push -D "$R" side && test_must_fail git -C $S rev-parse -q --verify side && whole &&
	test_expect_code 1 git -C work http-push -D "$R" main 2>err && grep "is the current HEAD" err && test_expect_code 1 git -C work http-push -D "$R" nothing 2>err &&
	grep "No remote ref matching" err && test_expect_code 128 git -C work http-push -d "$R" a b 2>err
'

test_expect_success 'SHA-256' '
	git init -q --object-format=sha256 -b main w256 && test_commit -C w256 one && rm -rf srv/s256.git && git init -q --bare --object-format=sha256 --ref-format=files srv/s256.git &&
	git -C srv/s256.git update-server-info && git -C w256 http-push "$URL/s256.git" main && git -C srv/s256.git fsck --strict && test "$(git -C srv/s256.git rev-parse main)" = "$(git -C w256 rev-parse main)"
'

test_expect_success 'a repository whose refs are in tables is refused' '
	fresh tables reftable && git -C work push -q "$PWD/$S" old && git -C $S update-server-info && state >before && test_expect_code 1 git -C work http-push "$R" main 2>err &&
	test_grep "the server.s refs are in tables, and cannot be changed as files" err && ! grep "^PUT\|^MOVE\|^LOCK" dav.log && state >after && test_cmp before after
'

test_expect_success 'user and password' '
	fresh auth && rules "* . basic me:secret" && git -C work http-push "http://me:secret@127.0.0.1:$PORT/auth.git" main && at main main && whole &&
	rules "* . basic me:secret" && GIT_TERMINAL_PROMPT=0 test_expect_code 1 git -C work http-push "http://me:wrong@127.0.0.1:$PORT/auth.git" main:x 2>err &&
	grep "Authentication failed" err && ! grep wrong err
'

# ---- bad days ----------------------------------------------------------------------

test_expect_success 'no DAV: a clear error' '
	fresh bad && git -C work http-push "$R" old && rules "* . nodav" && fails "no DAV locking support on $R/" main &&
	rules "* . nodav" && test_must_fail git -C work push "$R" side 2>err && grep "no DAV locking support on $R/" err && rules "OPTIONS . class1" &&
	test_expect_code 1 git -C work http-push "$R" side 2>err && grep "no DAV locking support on $R/" err && rules "OPTIONS . status 405" &&
	test_expect_code 1 git -C work http-push "$R" side 2>err && grep "no DAV locking support on $R/" err
'

test_expect_success 'no info/refs: it says what to do' '
	rm $S/info/refs && rules && test_expect_code 1 git -C work http-push "$R" side 2>err && grep "cannot lock existing info/refs on $R/: it is not there; run git update-server-info" err &&
	git -C $S update-server-info
'

n=0
for step in "PUT tmp_pack" "MOVE tmp_pack" "PUT tmp_.*idx" "MOVE tmp_.*idx" "LOCK info/refs" "PUT info/packs" "MOVE info/packs" "LOCK refs/heads/main" "PUT refs/heads/main" "PROPFIND refs/"; do
	for how in "status 507" "status 423" "hangup"; do
		n=$((n + 1))
		test_expect_success "$step: $how; then it goes through" '
			fresh bad$n && git -C work http-push "$R" old:main && rules "$step $how" && fails "failed\|rejected\|unable" main
		'
	done
done

test_expect_success 'done, but the answer is lost: the next push puts it right' '
	for step in "PUT refs/heads/main" "PUT info/refs" "UNLOCK info/refs" "LOCK info/refs"; do
		fresh lost && git -C work http-push "$R" old:main && rules "$step lost" && { git -C work http-push "$R" main 2>err || :; } &&
		git -C $S fsck --strict && rules || return 1
		case "$step" in *LOCK*) continue ;; esac
		git -C work http-push "$R" main && at main main && whole || return 1
	done
'

test_expect_success 'http-push says that refs have changed if it cannot write info/refs; the next push does' '
	fresh stale && git -C work http-push "$R" old:main && rules "PUT info/refs status 507" && test_expect_code 1 git -C work http-push "$R" main 2>err &&
	grep "refs have changed, but the server.s info/refs, by which others fetch, has not" err && at main main && rules && git -C work http-push "$R" main && whole && unlocked
'

test_expect_success 'a ref that changes meanwhile is not overwritten' '
	fresh race && git -C work http-push "$R" old:main && git -C work rev-parse side >srv/value &&
	cp -r work/.git/objects/?? srv/race.git/objects/ && rules "LOCK refs/heads/main run cp value race.git/refs/heads/main" &&
	test_expect_code 1 git -C work http-push "$R" main 2>err && grep "stale info" err && at main side && unlocked &&
	fresh race2 && rules "LOCK info/refs run mkdir -p race2.git/refs/heads; cp value race2.git/refs/heads/main" &&
	test_expect_code 1 git -C work http-push "$R" main 2>err && grep "stale info" err && test "$(cat $S/refs/heads/main)" = "$(cat srv/value)"
'

test_expect_success 'two at once: the second is turned away, not the work of the first' '
	fresh twice && git -C work http-push "$R" old:main && python3 -c "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], method=\"LOCK\"))" "$R/info/refs" &&
	test_expect_code 1 git -C work http-push "$R" main 2>err && grep "cannot lock existing info/refs on $R/: LOCK of .* failed: .*423" err && at main old
'

test_expect_success 'locks of a short time are refreshed' '
	fresh short && git -C work http-push "$R" old:main && rules "LOCK . seconds 0" && git -C work http-push "$R" main && rules "LOCK . seconds 1" "PUT info/packs run sleep 0.7" &&
	test_commit -C work refreshed && rules "LOCK . seconds 1" "PUT info/packs run sleep 0.7" && git -C work http-push "$R" main &&
	grep "^LOCK .*info/refs 200 If=" dav.log.headers && at main main && whole &&
	test_commit -C work refreshed2 && rules "LOCK . seconds 1" "PUT refs/heads/main run sleep 0.7" && git -C work http-push "$R" main &&
	grep "^LOCK .*info/refs 200 If=" dav.log.headers && at main main && whole
'

test_expect_success 'answers that are none: damaged XML, bombs, names elsewhere, locks without a token' '
	fresh xml && git -C work http-push "$R" old:main && state >before &&
	printf "<D:multistatus xmlns:D=\"DAV:\"><D:response>" >cut && printf "hello" >text && : >empty &&
	printf "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>&b;</D:href></D:response></D:multistatus>" >bomb &&
	python3 -c "print(\"<a>\" * 1000 + \"</a>\" * 1000)" >deep && python3 -c "print(\"<a>\" + \"x\" * 100000 + \"</a>\")" >long &&
	printf "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:propstat/></D:response></D:multistatus>" >nohref &&
	for f in cut text empty bomb deep long nohref; do
		rules "PROPFIND . body $PWD/$f" && test_expect_code 1 git -C work http-push "$R" main 2>err && test_grep "the server.s XML" err || return 1
	done &&
	printf "<D:multistatus xmlns:D=\"DAV:\"><D:response><D:href>/etc/</D:href></D:response><D:response><D:href>/xml.git/refs/../config</D:href></D:response><D:response><D:href>/xml.git/refs/heads/%%2e%%2e/x</D:href></D:response></D:multistatus>" >away &&
	rules "PROPFIND . body $PWD/away" && git -C work http-push --dry-run "$R" main 2>err && ! grep "etc\|config" dav.log &&
	printf "<D:prop xmlns:D=\"DAV:\"/>" >notoken && printf "<D:prop xmlns:D=\"DAV:\"><D:activelock><D:locktoken><D:href>a&gt;&#10;b</D:href></D:locktoken></D:activelock></D:prop>" >oddtoken &&
	for f in notoken oddtoken; do
		fresh $f && git -C work http-push "$R" old:main && rules "LOCK . body $PWD/$f" && test_expect_code 1 git -C work http-push "$R" main 2>err && test_grep "a lock without a token" err && at main old || return 1
	done &&
	R=$URL/xml.git && S=srv/xml.git && rules "GET refs/heads/main body $PWD/text" && test_expect_code 1 git -C work http-push "$R" main 2>err && grep "the server.s ref .refs/heads/main. is damaged" err &&
	state >after && test_cmp before after
'

test_expect_success 'SIGINT and SIGTERM give back the locks' '
	for sig in INT TERM; do
		fresh sig$sig && git -C work http-push "$R" old:main && rules "PUT refs/heads/main signal $sig" &&
		{ sh -c "echo \$\$ >pid; cd work && exec \"$GIT_BUILD_DIR/git-http-push\" \"\$@\"" x --verbose "$R" main 2>err; code=$?; } && test $code -gt 128 && at main old && unlocked || return 1
	done
'

test_expect_success 'wrong usage' '
	test_expect_code 129 git -C work http-push 2>err && test_expect_code 129 git -C work http-push "$R" 2>err && test_expect_code 129 git -C work http-push --what "$R" x 2>err &&
	test_expect_code 1 git -C work http-push "$R" nosuch 2>err && grep "src refspec nosuch does not match any" err
'

test_done
