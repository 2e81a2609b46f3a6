#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack with bitmaps: thin packs for clients that have something'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

HELPER=$GIT_BUILD_DIR/t/helper

# one_pack REPO: everything in one pack with deltas, and bitmaps
one_pack () {
	(cd "$1" && rm -rf ../new && mkdir ../new && git rev-parse --all >../new/tips &&
	 git pack-objects -q --revs ../new/pack <../new/tips >/dev/null && rm ../new/tips &&
	 rm -rf .git/objects/pack .git/objects/?? && mv ../new .git/objects/pack && "$HELPER/bitmap-build")
}

# arrives_at REPO WANT HAVES: a repository that has only what the haves reach becomes whole by `pack`
arrives_at () {
	local t_repo=$1 t_want=$2
	shift 2
	rm -rf client.git && git init -q --bare client.git &&
	printf "%s\n" "$@" | git -C "$t_repo" pack-objects -q --revs --stdout >had &&
	git -C client.git index-pack --stdin <had >/dev/null &&
	git -C client.git index-pack --stdin --fix-thin <pack >/dev/null &&
	git -C client.git update-ref refs/heads/got $t_want &&
	git -C client.git fsck --full >fsck.out 2>&1 &&
	! grep -E "missing|broken|error" fsck.out
}

# thin_request ARGUMENT...: as a client that takes thin packs
thin_request () {
	fetch_request thin-pack no-progress "$@"
}

# needs_bases: the pack is no complete one
needs_bases () {
	rm -rf alone.git && git init -q --bare alone.git &&
	test_must_fail git -C alone.git index-pack --stdin <pack 2>/dev/null
}

# Content that has nothing in common with itself.
noise () {
	awk "BEGIN { srand($1); for (i = 0; i < 3000; i++) print rand() }"
}

test_expect_success 'set up: a stored delta whose base only an old commit has' '
	git init -q -b main repo && noise 1 >old && sed "\$d" old >young &&
	(cd repo && cp ../old file && git add file && test_commit one && git rm -q file && test_commit two &&
	 cp ../young file && git add file && test_commit three) &&
	TWO=$(git -C repo rev-parse HEAD~1) && THREE=$(git -C repo rev-parse HEAD) &&
	OLD=$(git -C repo rev-parse HEAD~2:file) && YOUNG=$(git -C repo rev-parse HEAD:file) &&
	one_pack repo &&
	(cd repo && git verify-pack -v .git/objects/pack/*.idx) >entries &&
	test_grep "^$YOUNG .* $OLD$" entries
'

test_expect_success 'a delta whose base the client has is sent as it is' '
	thin_request "want $THREE" "have $TWO" done | serve repo && test "$(wc -c <pack)" -lt 3000 &&
	needs_bases && arrives_at repo $THREE $TWO &&
	: not for a client that takes none, lacks the base, or has nothing &&
	fetch_request no-progress "want $THREE" "have $TWO" done | serve repo &&
	git -C repo rev-list --objects $TWO..$THREE | cut -d" " -f1 >wanted && pack_holds wanted &&
	thin_request "want $THREE" "have $(git -C repo rev-parse $TWO^{tree})" done | serve repo &&
	! needs_bases && thin_request "want $THREE" done | serve repo && ! needs_bases
'

test_expect_success 'a client without blobs gets no deltas upon them' '
	thin_request "filter blob:none" "want $THREE" "want $YOUNG" "have $TWO" done |
	serve repo -c uploadpack.allowFilter=true && test "$(wc -c <pack)" -gt 3000 &&
	: but upon trees, perhaps &&
	rm -rf client.git && git init -q --bare client.git &&
	{ echo $TWO && echo; } | git -C repo pack-objects -q --revs --stdout --filter=blob:none >had &&
	git -C client.git index-pack --stdin <had >/dev/null &&
	git -C client.git index-pack --stdin --fix-thin <pack >/dev/null &&
	git -C client.git cat-file blob $YOUNG >actual && test_cmp young actual
'

test_expect_success 'upload-pack walks commits newer than the bitmaps, and finds their bases' '
	cp -R repo later && (cd later && sed 1d ../young >file && git add file && test_commit four) &&
	FOUR=$(git -C later rev-parse HEAD) &&
	thin_request "want $FOUR" "have $THREE" done | serve later && test "$(wc -c <pack)" -lt 3000 &&
	needs_bases && arrives_at later $FOUR $THREE &&
	: the client may be the one that has more &&
	thin_request "want $THREE" "have $FOUR" done | serve later &&
	: >none && pack_holds none
'

# All have one size, so that nothing but their names brings two versions together.
test_expect_success 'deltas of what came after the bitmaps are found by names' '
	git init -q -b main named && (cd named && echo 1 >file && git add file && test_commit first) &&
	one_pack named && for v in 1 2
	do
		for i in $(test_seq 30)
		do
			awk -v i=$i -v v=$v "BEGIN { srand(i); printf \"version %d\n\", v
				for (k = 0; k < 200; k++) printf \"%08d\n\", rand() * 1e8 }" >named/f$i.c || return 1
		done && git -C named add . && test_commit -C named "v$v" file $v || return 1
	done &&
	fetch_request no-progress "want $(git -C named rev-parse HEAD)" done | serve named -c pack.window=3 &&
	git -C named rev-list --objects HEAD | cut -d" " -f1 >wanted && pack_holds wanted &&
	git -C named pack-objects --all --stdout --window=0 </dev/null >whole &&
	test $(($(wc -c <pack) * 10)) -lt $(($(wc -c <whole) * 7))
'

test_expect_success 'random histories: all arrives, and nothing twice' '
	git init -q random && (cd random && "$HELPER/random-history" 9 80 &&
	 for i in $(test_seq 30)
	 do
		sed "$((i * 90)),$((i * 90 + 5))d" ../old >"f$((i * 7 % 4))" && git add . &&
		if test $((i % 5)) = 3; then git rm -q -f "f$((i * 7 % 4))"; fi && test_commit "r$i" || return 1
	 done) && one_pack random &&
	git -C random rev-list --all >commits && test_line_count -gt 100 commits && : >thin &&
	for i in $(test_seq 14)
	do
		want=$(sed -n "$((i * 2))p" commits) && have=$(sed -n "$((i * 3 + 3))p" commits) &&
		other=$(sed -n "$((100 - i * 2))p" commits) &&
		git -C random rev-list --objects $want | cut -d" " -f1 | sort >all &&
		git -C random rev-list --objects $have $other | cut -d" " -f1 | sort >had &&
		comm -23 all had >expect &&
		thin_request "want $want" "have $have" "have $other" done | serve random &&
		{ ! needs_bases || echo $i >>thin; } && arrives_at random $want $have $other &&
		test "$(od -An -tu1 -j8 -N4 pack | awk "{ print ((\$1 * 256 + \$2) * 256 + \$3) * 256 + \$4 }")" \
			= $(wc -l <expect) || return 1
	done && test_line_count -gt 5 thin
'

test_done
