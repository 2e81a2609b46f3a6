#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='fetch from servers that know only files: what comes, what does not, and git http-fetch'
. "$(dirname "$0")/test-lib.sh"
SQ="'"
test_have_prereq PYTHON || { skip_all='no python3' && test_done; }
. "$TEST_DIRECTORY/lib-httpd.sh"

dumb () {
	rules web "$@" "* . static"
}
# serve NAME: srv/NAME.git has what work has, in one pack; the server knows its files alone, so its refs are files
serve () {
	rm -rf "srv/$1.git" && git clone -q --bare --no-local --ref-format=files work "srv/$1.git" && git -C "srv/$1.git" update-server-info && dumb
}
loosen () {
	rm -rf packs && mv "srv/$1.git/objects/pack" packs && mkdir "srv/$1.git/objects/pack" &&
	for p in packs/*.pack; do git -C "srv/$1.git" unpack-objects -q <"$p" || return 1; done &&
	git -C "srv/$1.git" update-server-info
}
# same DIR: its refs/remotes/origin and tags are those of work, and nothing is missing
same () {
	git -C "$1" fsck --strict >&4 2>&1 &&
	git -C work for-each-ref --format="%(objectname) %(refname:lstrip=2)" refs/heads refs/tags | sort >expect &&
	git -C "$1" for-each-ref --format="%(objectname) %(refname:lstrip=3)" refs/remotes/origin | grep -v " HEAD$" >actual &&
	git -C "$1" for-each-ref --format="%(objectname) %(refname:lstrip=2)" refs/tags >>actual &&
	sort actual | test_cmp expect -
}
object () {
	git -C "$1" rev-parse "$2" | sed "s|^..|&/|"
}
# fails PATTERN [OPTION...]: a fetch into "clone" fails, says why, and changes nothing
fails () {
	local pattern=$1
	shift
	find clone -type f ! -name FETCH_HEAD | sort >before && git -C clone for-each-ref >refs_before &&
	test_must_fail git "$@" -C clone fetch -q 2>err && test_grep "$pattern" err && ! grep -i "signal\|BUG" err &&
	find clone -type f ! -name FETCH_HEAD | sort >after && test_cmp before after &&
	git -C clone for-each-ref >refs_after && test_cmp refs_before refs_after
}

test_expect_success 'a history' '
	git init -q -b main work && for i in 1 2 3 4 5; do
		mkdir -p work/dir/$i && echo $i >work/dir/$i/file && git -C work add dir && test_commit -C work c$i || return 1
	done &&
	git -C work update-index --add --cacheinfo 160000,$(git -C work rev-parse HEAD | tr 0-9a-f 1-9a-f0),sub && git -C work commit -q -m sub &&
	git -C work branch side main~2 && git -C work tag -a -m annotated v1 main~1 &&
	git -C work tag -a -m "of a tag" v2 v1 && git -C work tag blob "main:dir/1/file" && git -C work branch odd/a+b=c &&
	start_httpd web
'

test_expect_success 'all of it in a pack: its index, then the pack' '
	serve one && git clone -q "$web_url/one.git" packed && same packed && test "$(git -C packed symbolic-ref HEAD)" = refs/heads/main &&
	requests web | grep -c "\.pack 200" >count && echo 1 | test_cmp - count &&
	git -C packed rev-parse -q --verify v2^{commit}
'

test_expect_success 'GIT_SMART_HTTP=0 asks no server for a service' '
	serve plain && rules web "* service= status 500" "* . static" && test_must_fail git ls-remote "$web_url/plain.git" 2>err &&
	GIT_SMART_HTTP=0 git clone -q "$web_url/plain.git" plain && same plain &&
	GIT_SMART_HTTP=false git -C plain fetch -q && test_must_fail env GIT_SMART_HTTP=1 git -C plain fetch -q 2>err
'

test_expect_success 'where refs are in tables, the branches come, and HEAD is not known' '
	git clone -q --bare --no-local --ref-format=reftable work srv/tables.git && git -C srv/tables.git update-server-info && dumb && git clone -q "$web_url/tables.git" tables 2>err &&
	echo "warning: remote HEAD refers to nonexistent ref, unable to checkout" | test_cmp - err && same tables && rm -r srv/tables.git
'

test_expect_success 'all of it loose, in one connection and no object twice' '
	serve loose && loosen loose && dumb && git clone -q "$web_url/loose.git" loose && same loose &&
	requests web | grep "/objects/../.* 200" | sort >got && sort -u got | test_cmp got - &&
	git -C srv/loose.git count-objects | sed "s/ .*//" >count && test_line_count = $(cat count) got &&
	! requests web | grep "/objects/pack"
'

test_expect_success 'a fetch downloads new objects, and reads nothing else' '
	git clone -q "$web_url/loose.git" clone && test_commit -C work new && git -C work push -q ../srv/loose.git main &&
	git -C srv/loose.git update-server-info && dumb && git -C clone fetch -q && same clone &&
	requests web | grep -c "/objects/../.* 200" >count && echo 3 | test_cmp - count && dumb && git -C clone fetch -q &&
	! requests web | grep /objects/
'

test_expect_success 'objects that are here, and that no ref leads to, are looked behind' '
	test_commit -C work gap && test_commit -C work top && git -C work push -q ../srv/loose.git main --tags &&
	git -C srv/loose.git update-server-info && git -C work cat-file commit main >raw &&
	git -C clone hash-object -t commit -w --stdin <raw >oid && test "$(cat oid)" = "$(git -C work rev-parse main)" &&
	dumb && git -C clone fetch -q && same clone
'

test_expect_success 'a pack that is old, and loose objects on top' '
	serve mixed && test_commit -C work --tag onto onto && git -C work push -q ../srv/mixed.git main onto && git -C srv/mixed.git update-server-info &&
	dumb && git clone -q "$web_url/mixed.git" mixed && same mixed && requests web >log && grep "\.pack 200" log && grep "/objects/../.* 200" log
'

test_expect_success 'only packs that have a wanted object are downloaded' '
	serve many && git init -q --bare noise && echo noise | git -C noise hash-object -w --stdin >blob &&
	git -C noise pack-objects -q pack <blob >name && cp noise/pack-*.pack noise.pack && cp name noise.name && mv noise/pack-* srv/many.git/objects/pack/ &&
	git -C srv/many.git update-server-info && dumb && git clone -q "$web_url/many.git" many && same many &&
	requests web >log && ! grep "pack-$(cat name).pack " log && grep "pack-$(cat name).idx 200" log
'

test_expect_success 'an object of a pack that nothing leads to may lack what it leads to' '
	serve lost && git init -q other && test_commit -C other stray && git -C other commit-tree -p HEAD -m lost HEAD^{tree} >lost &&
	{ git -C work rev-list --objects --all | sed "s/ .*//"; cat lost; } >list && cp -r work both &&
	cp -r other/.git/objects/?? both/.git/objects/ && git -C both pack-objects -q pack <list >name &&
	rm srv/lost.git/objects/pack/* && mv both/pack-$(cat name).* srv/lost.git/objects/pack/ && git -C srv/lost.git update-server-info &&
	dumb && git clone -q "$web_url/lost.git" lost.clone && git -C lost.clone rev-list --objects --all >/dev/null &&
	git -C lost.clone rev-parse main >actual 2>&4 && git -C work rev-parse main | test_cmp - actual &&
	git -c core.sandbox=false clone -q "$web_url/lost.git" lost.here && git -C lost.here rev-list --objects --all >expect &&
	git -C lost.clone rev-list --objects --all >actual && test_cmp expect actual
'

test_expect_success 'a detached HEAD, no HEAD, and nothing at all' '
	serve head && git -C work rev-parse side >srv/head.git/HEAD && dumb && git ls-remote "$web_url/head.git" >refs &&
	grep "^$(git -C work rev-parse side)	HEAD$" refs && rm srv/head.git/HEAD && git ls-remote "$web_url/head.git" >refs &&
	! grep HEAD refs && git init -q --bare --ref-format=files srv/empty.git && git -C srv/empty.git update-server-info && git ls-remote "$web_url/empty.git" >refs &&
	test_must_be_empty refs && git clone -q "$web_url/empty.git" empty 2>err && grep "empty repository" err
'

test_expect_success 'peeled lines and odd names are no refs' '
	serve odd && oid=$(git -C work rev-parse main) && printf "%s\t%s\n" $oid "refs/heads/../../x" $oid refs/heads/good $oid "refs/heads/a b" \
		>srv/odd.git/info/refs && git ls-remote "$web_url/odd.git" "refs/*" >actual && echo "$oid	refs/heads/good" | test_cmp - actual &&
	serve loose && git ls-remote "$web_url/loose.git" >actual && ! grep "{}" actual && grep "refs/tags/v2$" actual
'

test_expect_success 'SHA-256' '
	git init -q --object-format=sha256 -b main w256 && test_commit -C w256 one && test_commit -C w256 two &&
	git clone -q --bare --no-local --ref-format=files w256 srv/s256.git && git -C srv/s256.git update-server-info && dumb && git clone -q "$web_url/s256.git" c256 &&
	git -C c256 fsck --strict && test "$(git -C c256 rev-parse HEAD)" = "$(git -C w256 rev-parse HEAD)"
'

test_expect_success 'objects of repositories that it borrows from' '
	serve base && git clone -q --bare --shared --ref-format=files srv/base.git srv/borrows.git && test_commit -C work --tag borrowed borrowed &&
	git -C work push -q ../srv/borrows.git main borrowed && git -C srv/borrows.git update-server-info &&
	echo ../../base.git/objects >srv/borrows.git/objects/info/alternates &&
	echo ../../borrows.git/objects >srv/base.git/objects/info/alternates && dumb && git clone -q "$web_url/borrows.git" borrows && same borrows &&
	rm srv/borrows.git/objects/info/alternates && echo /base.git/objects >srv/borrows.git/objects/info/http-alternates &&
	git clone -q "$web_url/borrows.git" absolute && same absolute &&
	start_httpd other && rules other "* . static" && echo "$other_url/base.git/objects" >srv/borrows.git/objects/info/http-alternates &&
	test_must_fail git clone -q "$web_url/borrows.git" far 2>err && grep "alternate disabled by http.followRedirects" err &&
	test_must_fail test -d far && git -c http.followRedirects=true clone -q "$web_url/borrows.git" far && same far &&
	echo "file://$PWD/srv/base.git/objects" >srv/borrows.git/objects/info/http-alternates &&
	test_must_fail git clone -q "$web_url/borrows.git" file 2>err && grep "neither http nor https" err
'

test_expect_success 'a blob that is too big for memory comes as the file that it is' '
	git init -q -b main large && python3 -c "import random; print(random.randbytes(30000).hex())" >large/big && git -C large add big &&
	mkdir large/many && for i in $(test_seq 400); do : >large/many/a-name-that-is-not-short-$i; done && git -C large add many &&
	git -C large commit -q -m big && git clone -q --bare --no-local --ref-format=files large srv/large.git && loosen large && dumb &&
	git -c core.bigFileThreshold=10k clone -q "$web_url/large.git" lc && git -C lc fsck --strict && cmp large/big lc/big &&
	f=srv/large.git/objects/$(object large main:big) && chmod u+w $f && printf x | dd of=$f bs=1 seek=20000 conv=notrunc 2>&4 &&
	test_must_fail git -c core.bigFileThreshold=10k clone -q "$web_url/large.git" lc2 2>err && grep "Unable to find" err && test_path_is_missing lc2
'

test_expect_success 'user and password, for every request' '
	serve one && rules web "* . basicstatic me secret" && git clone -q "http://me:secret@127.0.0.1:$web_port/one.git" auth && same auth
'

test_expect_success 'a clone asks for the password once' '
	rules web "* . basicstatic me secret" && write_script ask <<-EOF && rm -rf auth ask.log && GIT_ASKPASS="$PWD/ask" git clone -q "$web_url/one.git" auth && same auth &&
	echo "\$1" >>"$PWD/ask.log"
	case "\$1" in Username*) echo me ;; *) echo secret ;; esac
	EOF
	printf "%s\n" "Username for ${SQ}$web_url${SQ}: " "Password for ${SQ}http://me@127.0.0.1:$web_port${SQ}: " >expect && test_cmp expect ask.log &&
	requests web | grep " 401\$" >refused && test_line_count = 1 refused
'

test_expect_success 'a redirect leads all requests' '
	serve one && dumb "GET /old.git/info/refs(.*) redirect 301 /one.git/info/refs\\1" && git clone -q "$web_url/old.git" moved && same moved
'

# other: another server with the same files. Its requests: requests other
test_expect_success 'objects, packs and alternates are not fetched from where a redirect leads' '
	start_httpd other && serve one && serve loose && loosen loose && for what in objects/info/packs objects/pack/ objects/info/http-alternates objects/../
	do
		for repo in one loose
		do
			dumb "GET ^/$repo.git/$what redirect 302 $other_url/$repo.git/x" && rules other "* . static" && rm -rf led &&
			test_might_fail git clone -q "$web_url/$repo.git" led && requests other >log && test_must_be_empty log || return 1
		done
	done &&
	dumb "GET ^/one.git/objects/(.*) redirect 302 $other_url/one.git/objects/\\1" && rm -rf led &&
	test_must_fail git clone -q "$web_url/one.git" led 2>err && test_grep "returned error: 302" err &&
	dumb "GET ^/one.git/objects/(.*) redirect 302 /two.git/objects/\\1" && serve two && dumb "GET ^/one.git/objects/(.*) redirect 302 /two.git/objects/\\1" &&
	test_must_fail git clone -q "$web_url/one.git" led &&
	git -c http.followRedirects=true clone -q "$web_url/one.git" led && same led &&
	test_must_fail git -c http.followRedirects=false clone -q "$web_url/one.git" led2
'

test_expect_success 'redirects of HEAD, of objects of an alternate, and of a bundle are not followed' '
	serve one && oid=$(git -C work rev-parse main) && rules other "* . static" &&
	dumb "GET ^/one.git/HEAD redirect 302 $other_url/one.git/HEAD" && test_might_fail git ls-remote "$web_url/one.git" && requests other >log && test_must_be_empty log &&
	git init -q --bare --ref-format=files srv/borrows.git && cp srv/one.git/info/refs srv/borrows.git/info && cp srv/one.git/HEAD srv/borrows.git &&
	echo /lender.git/objects >srv/borrows.git/objects/info/http-alternates && rules other "* . static" &&
	dumb "GET ^/lender.git/(.*) redirect 302 $other_url/one.git/\\1" && test_must_fail git clone -q "$web_url/borrows.git" led3 2>err &&
	requests other >log && test_must_be_empty log && git -C work bundle create -q ../srv/one.bundle main && rules other "* . static" &&
	dumb "GET ^/moved.bundle redirect 302 $other_url/one.bundle" &&
	git clone -q --bundle-uri="$web_url/moved.bundle" "$web_url/one.git" led4 2>err && requests other >log && test_must_be_empty log &&
	git -C led4 for-each-ref refs/bundles >refs && test_must_be_empty refs && dumb "GET ^/moved.bundle redirect 302 $other_url/one.bundle" && rm -rf led4 &&
	git -c http.followRedirects=true clone -q --bundle-uri="$web_url/moved.bundle" "$web_url/one.git" led4 &&
	git -C led4 for-each-ref refs/bundles >refs && test_file_not_empty refs
'

test_expect_success 'an index is not uncompressed, and all together have a limit' '
	serve one && idx=$(echo srv/one.git/objects/pack/*.idx) && dumb "GET [.]idx gzipfile $PWD/$idx" &&
	test_must_fail git clone -q "$web_url/one.git" zipped 2>err && test_grep "Unable to find" err &&
	dumb && test_must_fail git -c http.maxIndexSize=1000 clone -q "$web_url/one.git" zipped 2>err && test_grep "has more than 1000 bytes" err &&
	size=$(wc -c <$idx) && dumb && git -c http.maxIndexSize=$size clone -q "$web_url/one.git" zipped && same zipped &&
	serve two && cp noise.pack srv/two.git/objects/pack/pack-$(cat noise.name).pack && git -C srv/two.git index-pack objects/pack/pack-$(cat noise.name).pack >&4 &&
	git -C srv/two.git update-server-info && cat srv/two.git/objects/pack/*.idx | wc -c >total && echo "P pack-$(cat noise.name).pack" >list &&
	grep -v "$(cat noise.name)" srv/two.git/objects/info/packs >>list && cp list srv/two.git/objects/info/packs && dumb && rm -rf zipped &&
	test_must_fail git -c http.maxIndexSize=$(($(cat total) - 1)) clone -q "$web_url/two.git" zipped 2>err && test_grep "more than" err &&
	dumb && git -c http.maxIndexSize=$(($(cat total))) clone -q "$web_url/two.git" zipped && same zipped
'

# ---- bad days --------------------------------------------------------------------

test_expect_success 'an object that is nowhere' '
	serve loose && loosen loose && rm -rf clone && git clone -q "$web_url/loose.git" clone && test_commit -C work bad &&
	git -C work push -q ../srv/loose.git main && git -C srv/loose.git update-server-info && o=$(object work HEAD^{tree}) &&
	mv srv/loose.git/objects/$o kept && dumb && fails "Unable to find $(git -C work rev-parse HEAD^{tree}) under $web_url/loose.git/objects/" &&
	rm -rf c2 && test_must_fail git clone -q "$web_url/loose.git" c2 2>err && test_path_is_missing c2
'

test_expect_success 'one that is damaged, another one, a page, or has no end' '
	chmod -R u+w srv/loose.git && f=srv/loose.git/objects/$o && head -c 20 kept >$f && fails "Unable to find .*: .*$(git -C work rev-parse HEAD^{tree})" &&
	cat srv/loose.git/objects/$(object work HEAD) >$f && fails "Unable to find .*hash" && echo "<html>not here</html>" >$f && fails "Unable to find" &&
	{ cat kept; echo more; } >$f && fails "Unable to find" &&
	python3 -c "import sys,zlib; sys.stdout.buffer.write(zlib.compress(b\"tree 99999999999999\\0\" + b\"x\" * 99))" >$f && fails "Unable to find" &&
	python3 -c "import sys,zlib; sys.stdout.buffer.write(zlib.compress(b\"tree 99\\0\" + b\"x\" * 50000000))" >$f && fails "Unable to find" &&
	cat kept >$f && dumb "GET $o status 500" && fails "The requested URL returned error: 500" && dumb "GET $o hangup" && fails "unable to access" &&
	dumb && git -C clone fetch -q && same clone
'

test_expect_success 'a damaged copy does no harm where there is another one' '
	serve mixed && chmod -R u+w srv/mixed.git && o=$(object work HEAD^{tree}) && mkdir -p srv/mixed.git/objects/${o%/*} &&
	echo junk >srv/mixed.git/objects/$o && dumb && git clone -q "$web_url/mixed.git" whole && same whole
'

test_expect_success 'packs that are cut, have other objects, or junk behind' '
	serve packs && p=$(echo srv/packs.git/objects/pack/*.pack) && chmod u+w srv/packs.git/objects/pack/* && cp $p whole.pack &&
	for bad in "head -c 300 whole.pack" "cat whole.pack whole.pack" "cat noise.pack" "echo page"; do
		$bad >$p && rm -rf c3 && test_must_fail git clone -q "$web_url/packs.git" c3 2>err && test_path_is_missing c3 &&
		grep "Unable to find .* under .*: pack .pack-" err && ! grep -i "signal\|BUG" err || return 1
	done
'

test_expect_success 'an index that is damaged, or promises what its pack has not' '
	serve idx && i=$(echo srv/idx.git/objects/pack/*.idx) && chmod u+w $i && cp $i whole.idx && head -c 500 whole.idx >$i &&
	test_must_fail git clone -q "$web_url/idx.git" c4 2>err && grep "Unable to find" err && : >$i && test_must_fail git clone -q "$web_url/idx.git" c4 2>err &&
	cp whole.idx $i && git init -q --bare n2 && echo n2 | git -C n2 hash-object -w --stdin >blob && git -C n2 pack-objects -q pack <blob >n2name &&
	cat n2/pack-$(cat n2name).pack >whole2 && chmod u+w ${i%.idx}.pack && cat whole2 >${i%.idx}.pack &&
	test_must_fail git clone -q "$web_url/idx.git" c4 2>err && grep "its index has an object that it does not have" err && test_path_is_missing c4
'

test_expect_success 'info/refs that is damaged' '
	serve bad && oid=$(git -C work rev-parse main) && printf "%s\t%s\n" $oid refs/heads/a $oid refs/heads/a >srv/bad.git/info/refs &&
	git ls-remote "$web_url/bad.git" >actual && grep -c refs/heads/a actual >count && echo 1 | test_cmp - count &&
	printf "%s\t%s\n" $oid refs/heads/a $(git -C work rev-parse main~1) refs/heads/a >srv/bad.git/info/refs && test_must_fail git ls-remote "$web_url/bad.git" 2>err && grep "twice" err &&
	printf "%s\trefs/heads/a\n%s refs/heads/b\n" $oid $oid >srv/bad.git/info/refs && test_must_fail git ls-remote "$web_url/bad.git" 2>err &&
	grep "invalid line in info/refs" err && echo "<html>hello</html>" >srv/bad.git/info/refs && test_must_fail git ls-remote "$web_url/bad.git" 2>err &&
	grep "info/refs not valid: is this a git repository?" err && rm srv/bad.git/info/refs &&
	test_must_fail git ls-remote "$web_url/bad.git" 2>err && grep "repository .* not found" err
'

test_expect_success 'no shallow clones; filters are left out with a word' '
	serve one && test_must_fail git clone -q --depth 1 "$web_url/one.git" shallow 2>err &&
	grep "dumb http transport does not support shallow capabilities" err && test_path_is_missing shallow
'

test_expect_success STRACE,JOURNAL,FSYNC_BATCH 'a clone and a fetch make one flush each' '
	on_journal disk && serve loose && loosen loose && n=$(count_flushes git clone -q "$web_url/loose.git" disk/clone) && test "$n" = 1 &&
	test_commit -C work flushed && git -C work push -q ../srv/loose.git main && git -C srv/loose.git update-server-info &&
	n=$(count_flushes git -C disk/clone fetch -q) && test "$n" = 1 && same disk/clone
'

# ---- git http-fetch ----------------------------------------------------------------

test_expect_success 'git http-fetch: a commit, a ref of the server, a ref of ours' '
	serve loose && loosen loose && dumb && git init -q --bare hf && git -C hf http-fetch -a -w heads/got $(git -C work rev-parse side) "$web_url/loose.git/" &&
	test "$(git -C hf rev-parse got)" = "$(git -C work rev-parse side)" && git -C hf fsck --strict &&
	mkdir -p srv/loose.git/refs/heads && git -C work rev-parse main >srv/loose.git/refs/heads/main &&
	git -C hf http-fetch -v -w heads/main heads/main "$web_url/loose.git" 2>err && grep "^walk $(git -C work rev-parse main)" err &&
	test "$(git -C hf rev-parse main)" = "$(git -C work rev-parse main)"
'

test_expect_success 'names on standard input; one flush, or nothing' '
	git init -q --bare hf2 && printf "%s\t%s\n" $(git -C work rev-parse side) heads/a $(git -C work rev-parse v2) tags/t |
		git -C hf2 http-fetch --stdin "$web_url/loose.git" && git -C hf2 fsck --strict && git -C hf2 rev-parse a t &&
	test_must_fail git -C hf2 http-fetch -w heads/b $(git -C work rev-parse main | tr 0-9a-f 1-9a-f0) "$web_url/loose.git" 2>err &&
	grep "Unable to find" err && test_must_fail git -C hf2 rev-parse -q --verify b
'

test_expect_success 'git http-fetch: a tag in a pack, which a confined process reads or none' '
	serve packs && for on in auto false; do
		git init -q --bare hf.$on && git -C hf.$on -c core.sandbox=$on http-fetch -w tags/v2 $(git -C work rev-parse v2) "$web_url/packs.git" &&
		git -C hf.$on rev-parse v2^{} >actual && git -C work rev-parse v2^{} | test_cmp - actual && git -C hf.$on fsck --strict || return 1
	done
'

test_expect_success '--recover looks behind refs, too' '
	rm -rf hf3 && git clone -q --bare --no-local work hf3 && rm -rf packs && mv hf3/objects/pack packs && mkdir hf3/objects/pack &&
	for p in packs/*.pack; do git -C hf3 unpack-objects -q <$p || return 1; done && rm -f hf3/objects/$(object work main:dir/1/file) &&
	git -C hf3 http-fetch $(git -C work rev-parse main) "$web_url/loose.git" && test_must_fail git -C hf3 cat-file -e main:dir/1/file &&
	git -C hf3 http-fetch --recover $(git -C work rev-parse main) "$web_url/loose.git" && git -C hf3 cat-file -e main:dir/1/file
'

test_expect_success 'wrong usage' '
	test_expect_code 129 git -C hf http-fetch 2>err && test_expect_code 129 git -C hf http-fetch --what x y 2>err &&
	test_expect_code 1 git -C hf http-fetch ../x "$web_url/loose.git" 2>err
'

test_expect_success 'http-fetch and http-push print their usage on standard error' '
	for cmd in http-fetch http-push; do
		test_expect_code 129 git $cmd -h >out 2>err && test_must_be_empty out && test_grep "^usage: git $cmd " err || return 1
	done
'

test_done
