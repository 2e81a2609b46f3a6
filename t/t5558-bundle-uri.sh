#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='bundles at URIs, and lists of them: clone --bundle-uri, fetch.bundleURI, what a server has of them'
. "$(dirname "$0")/test-lib.sh"

# list MODE NAME=TOKEN...: a list with items NAME at NAME.bundle; TOKEN may be empty
list () {
	printf "[bundle]\n\tversion = 1\n\tmode = $1\n" && shift &&
	for item; do
		test -z "${item#*=}" || printf "[bundle]\n\theuristic = creationToken\n"
		printf "[bundle \"${item%=*}\"]\n\turi = ${item%=*}.bundle\n"
		test -z "${item#*=}" || printf "\tcreationToken = ${item#*=}\n"
	done
}

# a clone with these arguments is whole, and its files are there
clone () {
	rm -rf c && git clone "$@" "file://$PWD/src" c 2>err && git -C c fsck 2>/dev/null && git -C c diff --exit-code HEAD &&
	git -C c for-each-ref --format="%(objectname) %(refname:lstrip=3)" refs/remotes/origin/b* >actual &&
	git -C src for-each-ref --format="%(objectname) %(refname:lstrip=2)" refs/heads/b* >expect && test_cmp expect actual
}

bundles () {
	git -C c for-each-ref --format="%(refname:lstrip=3)" refs/bundles/heads | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'a history in four bundles' '
	git init -q -b main src && for i in 1 2 3 4 5; do
		test_commit -C src c$i && git -C src branch b$i || return 1
	done && git -C src bundle create -q ../one.bundle b1 && git -C src bundle create -q ../two.bundle b1..b2 &&
	git -C src bundle create -q ../three.bundle b2..b3 && git -C src bundle create -q ../four.bundle b3..b4
'

test_expect_success 'one bundle: what it has does not come from the server' '
	clone --bundle-uri=one.bundle && test_must_fail grep warning err && test "$(bundles)" = b1 &&
	clone -q --bundle-uri="file://$PWD/one.bundle" && test_must_be_empty err && test "$(bundles)" = b1 &&
	write_script server <<-EOT &&
	tee -a "$PWD/request" | git upload-pack "\$@"
	EOT
	rm -f request && clone -q -u "$PWD/server" --bundle-uri=one.bundle && test_grep "have $(git -C src rev-parse b1)" request &&
	git -C src bundle create -q ../all.bundle --all && rm -f request && clone -q -u "$PWD/server" --bundle-uri=all.bundle &&
	test_must_fail grep want request && test -z "$(git -C c config --get-regexp "^fetch[.]")"
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'one flush call, however many bundles' '
	list all one= two= three= four= >all && on_journal j && n=$(count_flushes git clone -q --bundle-uri=all "file://$PWD/src" j/c) && test "$n" = 1
'

test_expect_success 'clone warns about bundles that it cannot use, and goes on without them' '
	clone --bundle-uri=nothere && test_grep "failed to fetch objects from bundle URI .*nothere" err && test -z "$(bundles)" &&
	clone --bundle-uri=two.bundle && test_grep "what it needs is not here" err && test -z "$(bundles)" &&
	clone --bundle-uri="file://$PWD" && test_grep "is not a file" err && echo "[x" >broken && clone --bundle-uri=broken && test_grep "bad config line 1" err &&
	echo hello >broken && clone --bundle-uri=broken && test_grep warning err &&
	size=$(wc -c <one.bundle) && for n in 0 10 60 100 $((size - 30)) $((size - 1)); do
		head -c $n one.bundle >cut && clone --bundle-uri=cut && test_grep "failed to fetch objects from bundle URI" err && test -z "$(bundles)" || return 1
	done && test -z "$(find c/.git/objects -name "*tmp*")"
'

test_expect_success 'a bundle that is damaged within its pack' '
	git -C src bundle create -q ../good.bundle --all && n=$(($(wc -c <good.bundle) / 2)) && cp good.bundle bad.bundle &&
	printf "\377\377\377" | dd of=bad.bundle bs=1 seek=$n conv=notrunc 2>/dev/null && clone --bundle-uri=bad.bundle && test_grep "failed to fetch objects" err && test -z "$(bundles)"
'

test_expect_success 'lists: all, in whatever order; any' '
	list all four= two= one= three= >all && clone --bundle-uri=all && test_must_fail grep warning err && test "$(bundles)" = "b1 b2 b3 b4" &&
	list all four= one= three= >all && clone --bundle-uri=all && test_grep "four.bundle.*what it needs is not here" err && test "$(bundles)" = b1 &&
	list any two= no= one= three= >any && clone --bundle-uri=any && test "$(bundles)" = b1 && test_grep "no.bundle" err &&
	test_must_fail grep three.bundle err && test -z "$(git -C c config --get-regexp "^fetch[.]")"
'

test_expect_success 'lists that are none' '
	for text in "version = 2\nmode = all" "mode = all" "version = 1" "version = 1\nmode = some" "version = 1\nmode = all\n[bundle \"x\"]\ncreationToken = -1"; do
		printf "[bundle]\n$text\n[bundle \"one\"]\nuri = one.bundle\n" >bad && clone --bundle-uri=bad && test_grep "warning: failed to fetch objects from bundle URI .*bad.:" err &&
		test -z "$(bundles)" || return 1
	done && (list all one= && echo "[include]" && echo "path = $PWD/more") >inc && list all no= >more && clone --bundle-uri=inc && test_must_fail grep no.bundle err &&
	test "$(bundles)" = b1
'

test_expect_success 'lists in lists, relative to themselves; in a loop, and too deep' '
	mkdir -p d/e && list all one= >d/e/inner && cp one.bundle d/e && printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = e/../e/inner\n[bundle \"t\"]\nuri = ../two.bundle\n" >d/outer &&
	clone --bundle-uri=d/outer && test "$(bundles)" = "b1 b2" &&
	printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = loop\n[bundle \"t\"]\nuri = one.bundle\n" >loop &&
	clone --bundle-uri=loop && test_grep "a list that leads to itself" err && test "$(bundles)" = b1 &&
	for i in 1 2 3 4 5 6; do
		printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = l$((i + 1))\n" >l$i || return 1
	done && clone --bundle-uri=l1 && test_grep "too many lists of bundles in each other" err && test_must_fail grep l6 err
'

test_expect_success 'a list that is too long' '
	(list all one= && awk "BEGIN { for (i = 0; i < 1001; i++) printf \"[bundle \\\"x%d\\\"]\\nuri = y%d\\n\", i, i }" </dev/null) >long && clone --bundle-uri=long && test_grep "too many bundles in a list" err &&
	(list all one= && awk "BEGIN { for (i = 0; i < 40000; i++) print \"# a line that says nothing at all\" }" </dev/null) >big && clone --bundle-uri=big && test_grep "too long" err && test -z "$(bundles)"
'

test_expect_success 'creationToken: newest first, as far back as is needed' '
	list all three=30 one=10 two=20 >tok && clone --bundle-uri=tok && test_must_fail grep warning err && test "$(bundles)" = "b1 b2 b3" &&
	test "$(git -C c config fetch.bundleCreationToken)" = 30 && test "$(git -C c config fetch.bundleURI)" = "$PWD/tok" &&
	git -C src bundle create -q ../whole.bundle b3 && list all three=30 no=10 whole=40 >tok2 && clone --bundle-uri=tok2 && test_must_fail grep warning err &&
	test "$(bundles)" = b3 && test "$(git -C c config fetch.bundleCreationToken)" = 40 &&
	list all three=30 no=20 one=10 >tok3 && clone --bundle-uri=tok3 && test_grep "no.bundle" err && test_grep "three.bundle" err && test "$(bundles)" = b1 &&
	test "$(git -C c config fetch.bundleCreationToken)" = 10
'

test_expect_success 'fetch.bundleURI: only bundles with a greater token' '
	list all one=1 two=2 >inc && clone --bundle-uri=inc && test "$(bundles)" = "b1 b2" && git clone -q --bare "file://$PWD/src" old.git && git -C c config remote.origin.url "file://$PWD/src" &&
	list all one=1 two=2 three=3 four=4 >inc && rm one.bundle two.bundle && git -C c fetch 2>err && test_must_fail grep warning err && test "$(bundles)" = "b1 b2 b4" &&
	test "$(git -C c config fetch.bundleCreationToken)" = 4 && git -C c fsck && rm three.bundle four.bundle && git -C c fetch 2>err && test_must_be_empty err &&
	git -C src bundle create -q ../one.bundle b1 && git -C src bundle create -q ../two.bundle b1..b2 && git -C src bundle create -q ../three.bundle b2..b3 && git -C src bundle create -q ../four.bundle b3..b4
'

test_expect_success 'a fetch.bundleCreationToken that is no number stands for none' '
	for token in junk "" 0x2; do
		rm -rf tok && git init -q tok && git -C tok remote add origin "file://$PWD/src" && list all one=1 two=2 >inc && git -C tok config fetch.bundleURI "$PWD/inc" &&
		git -C tok config fetch.bundleCreationToken "$token" && git -C tok fetch -q 2>err && test_must_be_empty err &&
		test "$(git -C tok config fetch.bundleCreationToken)" = 2 && git -C tok rev-parse -q --verify refs/bundles/heads/b2 || return 1
	done &&
	printf "[fetch]\n\tbundleCreationToken\n" >>tok/.git/config && git -C tok fetch -q && git -C tok config fetch.bundleCreationToken 1k && list all two=1 >inc &&
	git -C tok fetch -q && test "$(git -C tok config fetch.bundleCreationToken)" = 1k
'

test_expect_success 'a fetch asks the server for what the bundles do not have; in one flush' '
	git init -q f && git -C f remote add origin "file://$PWD/src" && list all one=1 two=2 >inc && git -C f config fetch.bundleURI "$PWD/inc" && rm -f request &&
	git -C f fetch -q --upload-pack="$PWD/server" && test_grep "have $(git -C src rev-parse b2)" request && git -C f fsck &&
	test "$(git -C f config fetch.bundleCreationToken)" = 2 && git -C f rev-parse -q --verify refs/bundles/heads/b2 &&
	git -C f for-each-ref --format="%(refname)" refs/remotes >actual && test_line_count = 7 actual
'

test_expect_success 'with --atomic their refs are not kept, and they do not count as fetched' '
	rm -rf at && git init -q at && git -C at remote add origin "file://$PWD/src" && git -C at config fetch.bundleURI "$PWD/inc" && git -C at fetch -q --atomic && git -C at fsck &&
	test -z "$(git -C at config fetch.bundleCreationToken)" && test -z "$(git -C at for-each-ref refs/bundles)" && git -C at fetch -q &&
	test "$(git -C at config fetch.bundleCreationToken)" = 2 && git -C at rev-parse -q --verify refs/bundles/heads/b2
'

test_expect_success 'refs of bundles that exclude each other do no harm' '
	git init -q -b x df && test_commit -C df one && git -C df bundle create -q ../df1.bundle x && git -C df branch -m x/y && git -C df bundle create -q ../df2.bundle x/y &&
	list all one= df1= df2= >dflist && clone --bundle-uri=dflist && git -C c rev-parse -q --verify refs/bundles/heads/b1
'

test_expect_success '--mirror of a clone that has such refs' '
	clone -q --bundle-uri=one.bundle && git clone -q --mirror --bundle-uri=one.bundle "file://$PWD/c" m.git && git -C m.git fsck &&
	git -C m.git for-each-ref --format="%(objectname) %(refname)" >actual && git -C c for-each-ref --format="%(objectname) %(refname)" >expect && test_cmp expect actual
'

test_expect_success 'fetch.fsckObjects is heeded' '
	git init -q badsrc && printf "tree %s\nauthor x <x> bad\ncommitter x <x> 0 +0000\n\nm\n" $EMPTY_TREE >commit && git -C badsrc hash-object -w -t tree /dev/null &&
	o=$(git -C badsrc hash-object -w -t commit --literally ../commit) && git -C badsrc update-ref refs/heads/bad $o && git -C badsrc bundle create -q ../fsck.bundle bad &&
	rm -rf c && git clone -q --bundle-uri=fsck.bundle "file://$PWD/src" c && test "$(bundles)" = bad && clone -c fetch.fsckObjects=true --bundle-uri=fsck.bundle && test_grep warning err && test -z "$(bundles)"
'

test_expect_success 'with parts of a history, and bundles that leave something out' '
	test_must_fail git clone --depth=1 --bundle-uri=one.bundle "file://$PWD/src" no 2>err && test_grep "cannot be used together" err && test ! -e no &&
	git -C src bundle create -q ../filt.bundle --filter=blob:none b1 && clone --bundle-uri=filt.bundle && test_grep warning err && test -z "$(bundles)"
'

test_expect_success 'clone uses bundles of the server only if transfer.bundleURI is set' '
	cp -R src serv && git -C serv config uploadpack.advertiseBundleURIs true && git -C serv config bundle.version 1 && git -C serv config bundle.mode all &&
	git -C serv config bundle.one.uri ../one.bundle && git -C serv config bundle.two.uri "file://$PWD/two.bundle" &&
	git clone -q "file://$PWD/serv" c1 && test -z "$(git -C c1 for-each-ref refs/bundles)" &&
	git -c transfer.bundleURI=true clone -q "file://$PWD/serv" c2 2>err && test_must_be_empty err && git -C c2 fsck && test "$(git -C c2 for-each-ref refs/bundles | wc -l)" = 2 &&
	git -c transfer.bundleURI=true -c protocol.version=0 clone -q "file://$PWD/serv" c3 && test -z "$(git -C c3 for-each-ref refs/bundles)" &&
	git -C serv config bundle.version 7 && git -c transfer.bundleURI=true clone -q "file://$PWD/serv" c4 2>err && test_grep "list of bundles: a bundle list of version" err && git -C c4 fsck
'

test_expect_success 'a server elsewhere names no file of this machine' '
	git -C serv config bundle.version 1 && write_script ssh <<-\EOT &&
	for word; do
		command=$word
	done
	eval "$command"
	EOT
	GIT_SSH_COMMAND="$PWD/ssh" GIT_SSH_VARIANT=ssh git -c transfer.bundleURI=true clone -q -u "git upload-pack" "host:$PWD/serv" c5 2>err && test_grep "two.bundle. names a file of this machine" err &&
	test -z "$(git -C c5 for-each-ref refs/bundles)" && git -C c5 fsck
'

test_expect_success 'other schemes: git-remote-<scheme> gets the file' '
	write_script git-remote-test <<-\EOT &&
	while read -r word uri path; do
		case $word in
		capabilities) printf "get\n\n" ;;
		get) echo "$uri" >>"$LOG"; f=${uri#test://host/}; test -f "$f" || exit 1; cp "$f" "$path"; echo ;;
		"") exit 0 ;;
		esac
	done
	EOT
	LOG=$PWD/log && export LOG && PATH=$PWD:$PATH && list all one= two= >remote && clone -c protocol.test.allow=always --bundle-uri=test://host/remote && test_must_fail grep warning err &&
	test "$(bundles)" = "b1 b2" && printf "test://host/%s\n" remote one.bundle two.bundle >expect && test_cmp expect log && test -z "$(find c/.git -name "*download*")" &&
	clone -c protocol.test.allow=always --bundle-uri=test://host/nothere && test_grep "aborted session" err &&
	clone -c protocol.test.allow=never --bundle-uri=test://host/remote && test_grep "transport .test. not allowed" err &&
	clone --bundle-uri=ssh://host/x && test_grep "no files can be downloaded by" err && clone -c protocol.nosuch.allow=always --bundle-uri=nosuch://host/x && test_grep "bundle URI .nosuch:" err &&
	printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = file://$PWD/one.bundle\n" >remote && clone -c protocol.test.allow=always --bundle-uri=test://host/remote && test_grep "names a file of this machine" err &&
	printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = test://host/one.bundle\n" >mine && clone -c protocol.test.allow=user --bundle-uri=mine && test "$(bundles)" = b1 &&
	printf "[bundle]\nversion = 1\nmode = all\n[bundle \"i\"]\nuri = ext::true\n" >remote && clone -c protocol.test.allow=always --bundle-uri=test://host/remote && test -z "$(bundles)"
'

test_expect_success 'a clone that fails afterwards leaves nothing' '
	test_must_fail git clone -u "git -c uploadpack.packObjectsHook=false upload-pack" --bundle-uri=one.bundle "file://$PWD/src" no 2>err && test ! -e no
'

# The helper reads a line "get URI PATH": a blank would let a list choose the file that is written.
test_expect_success 'a URI with a blank or a line end is no URI' '
	mkdir -p "x $PWD" && for uri in "http://127.0.0.1:1/b $PWD/planted" "http://127.0.0.1:1/b	c"
	do
		clone --bundle-uri="$uri" && test_grep "URI is malformed" err && test_grep ! "aborted session" err &&
		printf "[bundle]\n\tversion = 1\n\tmode = all\n[bundle \"x\"]\n\turi = \"%s\"\n" "$uri" >odd-list && clone --bundle-uri=odd-list &&
		test_grep "URI is malformed\|is not allowed\|from user" err && test_grep ! "aborted session" err || return 1
	done &&
	clone --bundle-uri="http://127.0.0.1:1/b
planted" && test_grep "line end" err && find . -name "planted*" >found && test_must_be_empty found &&
	cp one.bundle "with blank.bundle" && clone --bundle-uri="with blank.bundle" && test_must_fail grep warning err && test "$(bundles)" = b1
'

test_done
