#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: blobs that the client fetches from elsewhere (packfile-uris)'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

test_expect_success 'set up: two blobs in packs of their own' '
	git init -q -b main repo && (cd repo && for i in $(test_seq 500); do echo "line $i"; done >big && echo more >other &&
	 echo small >small && git add . && test_commit one && sed "s/line 7/LINE 7/" big >big2 && git add big2 && test_commit two) &&
	MAIN=$(git -C repo rev-parse main) && ONE=$(git -C repo rev-parse main~1) && BIG=$(git -C repo rev-parse main:big) &&
	OTHER=$(git -C repo rev-parse main:other) && BIG2=$(git -C repo rev-parse main:big2) && mkdir packs &&
	P=$(echo $BIG | git -C repo pack-objects ../packs/pack) && Q=$(echo $OTHER | git -C repo pack-objects ../packs/pack) &&
	git -C repo rev-list --objects main | cut -d" " -f1 >all
'

# asked CONFIGURATION...: the answer to lines on standard input
asked () {
	serve repo "$@"
}

test_expect_success 'the capability is offered if there are URIs' '
	GIT_PROTOCOL=version=2 git upload-pack --http-backend-info-refs repo >raw && "$PKT" decode <raw >answer &&
	test_grep ! packfile-uris answer &&
	GIT_PROTOCOL=version=2 git -c uploadpack.blobPackfileUri="$BIG $P https://x/" upload-pack --http-backend-info-refs repo >raw &&
	"$PKT" decode <raw >answer && test_grep "^fetch=.* packfile-uris$" answer &&
	fetch_request "packfile-uris https" "want $MAIN" done >lines && test_expect_code 128 asked <lines &&
	test_grep "^ERR upload-pack: unexpected line: .packfile-uris https" answer
'

for bitmaps in false true
do
	test_expect_success "the pack lacks the blobs that go by URI (bitmaps: $bitmaps)" '
		{ test $bitmaps = false || { git -C repo pack-objects -q --all --delta-base-offset .git/objects/pack/pack </dev/null >name &&
		  rm -rf repo/.git/objects/?? && git -C repo multi-pack-index write --bitmap; }; } &&
		fetch_request no-progress "packfile-uris http,https" "want $MAIN" done >lines &&
		asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" -c uploadpack.blobPackfileUri="$OTHER $Q http://host/b c" <lines &&
		{ echo packfile-uris && printf "%s\n" "$P https://host/a" "$Q http://host/b c" | sort && printf "%s\n" 0001 packfile; } >expect &&
		sed "/^packfile$/q" answer >actual && test_cmp expect actual &&
		grep -v -e $BIG$ -e $OTHER all >expect.objects && cp expect.objects wanted && pack_holds wanted &&
		fetch_request no-progress "packfile-uris http" "want $MAIN" done >lines &&
		asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" -c uploadpack.blobPackfileUri="$OTHER $Q http://host/b" <lines &&
		sed "/^packfile$/q" answer >actual && printf "%s\n" packfile-uris "$Q http://host/b" 0001 packfile >expect && test_cmp expect actual &&
		grep -v $OTHER all >wanted && pack_holds wanted &&
		for protocols in ftp h httpss ,, ""; do
			fetch_request no-progress "packfile-uris $protocols" "want $MAIN" done >lines &&
			asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" <lines &&
			test "$(head -n 1 answer)" = packfile && pack_holds all || return 1
		done
	'
done

test_expect_success 'only of what would be in the pack' '
	fetch_request no-progress "packfile-uris https" "want $MAIN" "have $ONE" done >lines &&
	asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" <lines && test "$(head -n 1 answer)" = packfile &&
	git -C repo rev-list --objects main ^main~1 | cut -d" " -f1 >wanted && pack_holds wanted &&
	fetch_request no-progress "filter blob:none" "packfile-uris https" "want $MAIN" done >lines &&
	asked -c uploadpack.allowFilter=true -c uploadpack.blobPackfileUri="$BIG $P https://host/a" <lines &&
	test "$(head -n 1 answer)" = packfile &&
	fetch_request no-progress "deepen 1" "packfile-uris https" "want $MAIN" done >lines &&
	asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" <lines &&
	printf "%s\n" shallow-info "shallow $MAIN" 0001 packfile-uris "$P https://host/a" 0001 packfile >expect &&
	sed "/^packfile$/q" answer >actual && test_cmp expect actual
'

test_expect_success 'blobs of one pack: it is named once; with all on bands' '
	fetch_request no-progress sideband-all "packfile-uris https" "want $MAIN" done >lines &&
	asked -c uploadpack.allowSidebandAll=true -c uploadpack.blobPackfileUri="$BIG $P https://host/a" \
		-c uploadpack.blobPackfileUri="$BIG2 $P https://host/a" <lines &&
	cat answer && test $(grep -ac "$P https://host/a" raw) = 1 && grep -v -e "$BIG\$" -e $BIG2 all >wanted && pack_holds wanted
'

test_expect_success 'a pack without these objects is not shared, and no shared one is given instead' '
	mkdir -m 700 cache && grep -v "$BIG\$" all >some && shared () {
		fetch_request no-progress "$@" "want $MAIN" done >lines && for i in 1 2 3; do
			asked -c uploadpack.shareIdentical=600 -c uploadpack.shareDirectory="$PWD/cache" \
				-c uploadpack.blobPackfileUri="$BIG $P https://host/a" <lines && pack_holds wanted || return 1
		done
	} &&
	cp some wanted && shared "packfile-uris https" && cp all wanted && shared &&
	cp some wanted && shared "packfile-uris https"
'

test_expect_success 'a command of the host makes the whole pack' '
	fetch_request no-progress "packfile-uris https" "want $MAIN" done >lines &&
	asked -c uploadpack.blobPackfileUri="$BIG $P https://host/a" -c uploadpack.packObjectsHook="cat >/dev/null; cat $PWD/packs/pack-$P.pack; :" <lines &&
	test "$(head -n 1 answer)" = packfile && cmp pack packs/pack-$P.pack
'

test_expect_success 'settings and requests that are none' '
	fetch_request "packfile-uris https" "want $MAIN" done >lines &&
	for value in "" x $BIG "$BIG x https://x" "$BIG $P" "$BIG $P " "$BIG  $P https://x"; do
		test_expect_code 128 asked -c uploadpack.blobPackfileUri="$value" <lines &&
		test_grep "^ERR upload-pack: value of uploadpack.blobpackfileuri must be of the form" answer || return 1
	done &&
	test_expect_code 128 asked -c uploadpack.blobPackfileUri="$BIG $P https://x" -c uploadpack.blobPackfileUri="$BIG $Q https://x" <lines &&
	test_grep "^ERR upload-pack: object already configured in another" answer &&
	fetch_request "packfile-uris https" "packfile-uris http" "want $MAIN" done >lines &&
	test_expect_code 128 asked -c uploadpack.blobPackfileUri="$BIG $P https://x" <lines && test_grep "^ERR multiple packfile-uris lines forbidden$" answer
'

test_lazy_prereq HTTP_SERVER 'python3 -c "import http.server"'

test_expect_success STOCK_GIT,SHA1,HTTP_SERVER 'stock Git fetches the pack and has all' '
	write_script server.py python3 <<-\EOF &&
	import http.server, os, sys
	os.chdir(sys.argv[1])
	s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
	print(s.server_port, flush=True)
	s.serve_forever()
	EOF
	{ python3 server.py packs >port 2>http.log & echo $! >server.pid; } && test_when_finished "kill \$(cat server.pid)" &&
	while ! test -s port && kill -0 $(cat server.pid); do sleep 0.1; done && port=$(cat port) &&
	write_script serve-uris <<-EOF &&
	exec env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=uploadpack.blobPackfileUri \
		GIT_CONFIG_VALUE_0="$BIG $P http://127.0.0.1:$port/pack-$P.pack" $(command -v git) upload-pack "\$@"
	EOF
	PATH=$T_ORIG_PATH "$STOCK_GIT" -c protocol.version=2 -c fetch.uriProtocols=http,https clone --bare -u "$PWD/serve-uris" \
		"file://$PWD/repo" clone.git && test_grep "GET /pack-$P.pack" http.log &&
	git -C clone.git fsck && git -C clone.git rev-list --objects --all | cut -d" " -f1 | sort >got && sort all >expect && test_cmp expect got
'

test_done
