#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='fetch and clone: packs that the server names by URI (packfile-uris)'
. "$(dirname "$0")/test-lib.sh"

# serve NAME=VALUE...: settings of the server for the next commands
settings () {
	git -C src config --unset-all uploadpack.blobPackfileUri
	for value; do
		git -C src config --add uploadpack.blobPackfileUri "$value" || return 1
	done
}

# a clone fails with these words and leaves nothing; so does a fetch
refused () {
	rm -rf no && test_must_fail git -c fetch.uriProtocols=file,test clone "file://$PWD/src" no 2>err && test_grep "$1" err && test ! -e no &&
	rm -rf e && git init -q e && find e | sort >before && test_must_fail git -C e -c fetch.uriProtocols=file,test fetch "file://$PWD/src" main:main 2>err && test_grep "$1" err &&
	find e | grep -v FETCH_HEAD | sort >after && test_cmp before after
}

test_expect_success 'set up: two blobs in packs of their own' '
	git init -q -b main src && (cd src && for i in $(test_seq 500); do echo "line $i"; done >big && echo more >other && echo small >small && git add . && test_commit one) &&
	BIG=$(git -C src rev-parse main:big) && OTHER=$(git -C src rev-parse main:other) && mkdir packs &&
	P=$(echo $BIG | git -C src pack-objects ../packs/p) && Q=$(echo $OTHER | git -C src pack-objects ../packs/p) && PP="file://$PWD/packs/p-$P.pack" && QQ="file://$PWD/packs/p-$Q.pack"
'

test_expect_success 'packs come from their URIs, if fetch.uriProtocols has the scheme' '
	settings "$BIG $P $PP" "$OTHER $Q $QQ" && git clone -q "file://$PWD/src" c1 && find c1/.git/objects/pack -name "*.pack" >packs.list && test_line_count = 1 packs.list &&
	git -c fetch.uriProtocols=file clone -q "file://$PWD/src" c2 && git -C c2 fsck && git -C c2 diff --exit-code HEAD && for x in pack idx rev; do
		test -f c2/.git/objects/pack/pack-$P.$x && test -f c2/.git/objects/pack/pack-$Q.$x || return 1
	done && find c2/.git/objects/pack -name "*.pack" | grep -v -e $P -e $Q >own && git verify-pack --object-format=$TEST_HASH -v $(cat own) >have && test_must_fail grep -e $BIG -e $OTHER have &&
	git -c fetch.uriProtocols=https clone -q "file://$PWD/src" c3 && test ! -e c3/.git/objects/pack/pack-$P.pack &&
	git -c core.sandbox=false -c fetch.uriProtocols=file clone -q "file://$PWD/src" c4 && git -C c4 fsck && find c2/.git/objects/pack -printf "%f\n" | sort >expect &&
	find c4/.git/objects/pack -printf "%f\n" | sort >actual && test_cmp expect actual &&
	git init -q f && git -C f -c fetch.uriProtocols=file fetch -q "file://$PWD/src" main:got && git -C f fsck && test -f f/.git/objects/pack/pack-$P.pack
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush call' '
	on_journal j && n=$(count_flushes git -c fetch.uriProtocols=file clone -q "file://$PWD/src" j/c) && test "$n" = 1
'

test_expect_success 'another pack than was said, a damaged one, one with more behind it, none at all' '
	settings "$BIG $Q $PP" && refused "as the server has said" && cp packs/p-$P.pack cut && settings "$BIG $P file://$PWD/cut" &&
	size=$(wc -c <cut) && for n in 0 5 12 40 $((size - 1)); do
		head -c $n packs/p-$P.pack >cut && refused fatal || return 1
	done && cp packs/p-$P.pack cut && echo x >>cut && refused "junk at the end" && cp packs/p-$P.pack cut && chmod +w cut && printf "\377" | dd of=cut bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null && refused fatal &&
	settings "$BIG $P file://$PWD/nothere" && refused "cannot read"
'

test_expect_success 'a pack without the object that was left out for it' '
	settings "$BIG $Q $QQ" && refused "did not send all necessary objects: $BIG is missing"
'

test_expect_success 'a thin pack' '
	git -C src cat-file blob $BIG | sed "s/line 7/LINE/" >new && N=$(git -C src hash-object -w ../new) && cp new src/new && git -C src add new && git -C src commit -q -m two &&
	printf "%s\n" "$(git -C src rev-parse main)" "^$(git -C src rev-parse main^)" | git -C src pack-objects --thin --revs --stdout -q >thin && T=$(tail -c $((OID_HEXLEN / 2)) thin | od -An -tx1 | tr -d " \n") &&
	settings "$N $T file://$PWD/thin" && refused fatal
'

test_expect_success PYTHON 'the answer has objects that were not requested' '
	cat >filter <<-\EOT &&
	import os, sys
	while True:
	    data = os.read(0, 65536)
	    if not data:
	        break
	    os.write(1, data.replace(b"file://", b"test://"))
	EOT
	write_script server <<-EOT &&
	git upload-pack "\$@" | python3 "$PWD/filter"
	EOT
	settings "$BIG $P $PP" && test_must_fail git -c fetch.uriProtocols=file clone -u "$PWD/server" "file://$PWD/src" no 2>err && test_grep "which was not asked for" err && test ! -e no
'

test_expect_success 'a server elsewhere names no file of this machine' '
	write_script ssh <<-\EOT &&
	for word; do
		command=$word
	done
	eval "$command"
	EOT
	test_must_fail env GIT_SSH_COMMAND="$PWD/ssh" GIT_SSH_VARIANT=ssh git -c fetch.uriProtocols=file clone -q -u "git upload-pack" "host:$PWD/src" no 2>err && test_grep "names a file of this machine" err && test ! -e no
'

test_expect_success 'other schemes: git-remote-<scheme>' '
	write_script git-remote-test <<-EOT &&
	while read -r word uri path; do
		case \$word in
		capabilities) printf "get\n\n" ;;
		get) cp "$PWD/packs/\${uri#test://h/}" "\$path" || exit 1; echo ;;
		"") exit 0 ;;
		esac
	done
	EOT
	PATH=$PWD:$PATH && settings "$BIG $P test://h/p-$P.pack" && git -c protocol.test.allow=always -c fetch.uriProtocols=test clone -q "file://$PWD/src" c9 && git -C c9 fsck &&
	test -f c9/.git/objects/pack/pack-$P.pack && test_must_fail env GIT_SSH_COMMAND="$PWD/ssh" GIT_SSH_VARIANT=ssh git -c protocol.test.allow=user -c fetch.uriProtocols=test clone -q -u "git upload-pack" "host:$PWD/src" no 2>err && test_grep "transport .test. not allowed" err && test ! -e no
'

# The blob comes in its own pack, before or after the tree; the contents decide. checked WHAT EXPECTED-CODE [GIT-OPTION...]
checked () {
	local code=$2 options="-c fetch.uriProtocols=file -c $1.fsckObjects=true"
	shift 2
	for sandbox in auto false; do
		rm -rf no && test_expect_code $code git -c core.sandbox=$sandbox $options "$@" clone -q "file://$PWD/src" no 2>err &&
		{ test $code = 0 || test_grep "gitmodulesUrl: disallowed submodule url: -u./payload" err; } &&
		rm -rf e && git init -q e && test_expect_code $code git -C e -c core.sandbox=$sandbox -c fetch.unpackLimit=1000 $options "$@" \
			fetch -q "file://$PWD/src" main 2>err || return 1
	done
}

test_expect_success 'fsck: .gitmodules in another pack than the tree' '
	printf "[submodule \"x\"]\n\tpath = x\n\turl = https://host/x\n" >src/.gitmodules && echo "* text" >src/.gitattributes &&
	git -C src add .gitmodules .gitattributes && git -C src commit -q -m good && M=$(git -C src rev-parse main:.gitmodules) &&
	A=$(git -C src rev-parse main:.gitattributes) && S=$(echo $M | git -C src pack-objects ../packs/p) && R=$(echo $A | git -C src pack-objects ../packs/p) &&
	settings "$M $S file://$PWD/packs/p-$S.pack" "$A $R file://$PWD/packs/p-$R.pack" && checked fetch 0 && checked transfer 0 &&
	test -f no/.git/objects/pack/pack-$S.pack && test -f e/.git/objects/pack/pack-$R.pack
'

test_expect_success 'fsck: a bad .gitmodules there; one that no server sends' '
	printf "[submodule \"x\"]\n\tpath = x\n\turl = -u./payload\n" >src/.gitmodules && git -C src add .gitmodules && git -C src commit -q -m bad &&
	M=$(git -C src rev-parse main:.gitmodules) && S=$(echo $M | git -C src pack-objects ../packs/p) &&
	settings "$M $S file://$PWD/packs/p-$S.pack" && checked fetch 128 && checked transfer 128 &&
	settings "$M $P $PP" && test_must_fail git -c fetch.fsckObjects=true -c fetch.uriProtocols=file clone -q "file://$PWD/src" no 2>err &&
	test_grep "gitmodulesMissing" err && test ! -e no && git -C src reset -q --hard main~1
'

# pack OBJECT...: its hash, in $hash; its URI, in $uri
pack () {
	hash=$(printf "%s\n" "$@" | git -C src pack-objects -q ../packs/p) && uri="file://$PWD/packs/p-$hash.pack"
}

test_expect_success 'fsck: the tree comes after the blob, in a pack of a URI' '
	X=$M && T=$(printf "100644 blob $X\t.gitmodules\n" | git -C src mktree) &&
	git -C src cat-file blob $X >src/plain && git -C src add plain && git -C src commit -q -m plain &&
	pack $BIG $T && settings "$BIG $hash $uri" && checked fetch 128 && git -C src reset -q --hard main~1 &&
	pack $BIG $X && first="$BIG $hash $uri" && pack $OTHER $T && settings "$first" "$OTHER $hash $uri" && checked fetch 128 &&
	pack $BIG $T && first="$BIG $hash $uri" && pack $OTHER $X && settings "$first" "$OTHER $hash $uri" && checked fetch 128
'

test_expect_success 'fetch.fsckObjects is heeded; a promisor' '
	printf "[submodule \"x\"]\n\turl = -u./payload\n" >src/.gitmodules && git -C src add .gitmodules && git -C src commit -q -m mod && M=$(git -C src rev-parse main:.gitmodules) &&
	S=$(echo $M | git -C src pack-objects ../packs/p) && settings "$M $S file://$PWD/packs/p-$S.pack" && test_must_fail git -c fetch.fsckObjects=true -c fetch.uriProtocols=file clone "file://$PWD/src" no 2>err &&
	test_grep gitmodules err && test ! -e no && git -C src config uploadpack.allowFilter true && git -c fetch.uriProtocols=file clone -q --filter=blob:limit=1m --no-checkout "file://$PWD/src" c10 && test -f c10/.git/objects/pack/pack-$S.promisor
'

test_done
