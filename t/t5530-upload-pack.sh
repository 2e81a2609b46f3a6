#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: what clients of version 2 get, and what they do not'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

test_expect_success 'set up a history' '
	git init -q -b main repo && (cd repo &&
	 mkdir dir && echo deep >dir/deep && git add dir && test_commit one && test_commit two &&
	 git tag -a -m "annotated" v1 HEAD && git branch side && test_commit three &&
	 git commit-tree -p side -m "side" HEAD^{tree} >../side.id &&
	 git update-ref refs/heads/side $(cat ../side.id) && git update-ref refs/hidden/secret HEAD~2 &&
	 git rev-parse HEAD >../main.id && git rev-parse HEAD~1 >../two.id && git rev-parse HEAD~2 >../one.id &&
	 git rev-parse v1 >../tag.id) &&
	MAIN=$(cat main.id) && SIDE=$(cat side.id) && TWO=$(cat two.id) && ONE=$(cat one.id) && TAG=$(cat tag.id)
'

test_expect_success 'the advertisement' '
	GIT_PROTOCOL=version=2 git upload-pack --http-backend-info-refs repo >raw &&
	"$PKT" decode <raw >answer && sed "s/^agent=git.*/agent=X/" answer >actual &&
	cat >expect <<-EOF &&
	version 2
	agent=X
	ls-refs=unborn
	fetch=shallow wait-for-done
	server-option
	object-format=$TEST_HASH
	0000
	EOF
	test_cmp expect actual &&
	GIT_PROTOCOL=version=2 git -c uploadpack.allowFilter=true -c uploadpack.allowRefInWant=true \
		-c uploadpack.allowSidebandAll=true -c transfer.advertiseSID=true -c lsrefs.unborn=allow \
		-c transfer.advertiseObjectInfo=true -c uploadpack.advertiseBundleURIs=true \
		upload-pack --http-backend-info-refs repo/.git >raw &&
	"$PKT" decode <raw >answer && test_grep "^ls-refs$" answer &&
	test_grep "^fetch=shallow wait-for-done filter ref-in-want sideband-all$" answer &&
	test_grep "^session-id=." answer && test_grep "^object-info$" answer && test_grep "^bundle-uri$" answer &&
	GIT_PROTOCOL=version=2 GIT_USER_AGENT="my agent/1" git upload-pack --http-backend-info-refs repo >raw &&
	"$PKT" decode <raw >answer && test_grep "^agent=my.agent/1$" answer
'

test_expect_success 'ls-refs' '
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 peel symrefs 0000 >lines &&
	serve repo <lines && cat >expect <<-EOF &&
	$MAIN HEAD symref-target:refs/heads/main
	$MAIN refs/heads/main
	$SIDE refs/heads/side
	$ONE refs/hidden/secret
	$TAG refs/tags/v1 peeled:$TWO
	0000
	EOF
	test_cmp expect answer &&
	serve repo -c transfer.hideRefs=refs/hidden -c uploadpack.hideRefs=!refs/hidden/secret \
		-c transfer.hideRefs=refs/heads/side <lines &&
	grep -v side expect >e2 && test_cmp e2 answer &&
	serve repo -c transfer.hideRefs=refs/hid -c uploadpack.hideRefs=refs/hidden/ <lines &&
	grep -v hidden expect >e2 && test_cmp e2 answer &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix refs/heads/s" "ref-prefix HE" \
		"ref-prefix refs/tags/v" "ref-prefix refs/tags/" "ref-prefix main" 0000 >lines &&
	serve repo <lines && cat >expect <<-EOF &&
	$MAIN HEAD
	$SIDE refs/heads/side
	$TAG refs/tags/v1
	0000
	EOF
	test_cmp expect answer
'

test_expect_success 'ls-refs: with very many prefixes, in a namespace, of a branch not yet born' '
	{ printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix refs/heads/side" &&
	  for i in $(test_seq 200); do echo "ref-prefix refs/x$i/"; done && echo 0000; } >lines &&
	serve repo <lines && printf "%s\n" "$SIDE refs/heads/side" 0000 >expect && test_cmp expect answer &&
	git init -q --bare -b trunk empty.git &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 unborn symrefs 0000 >lines &&
	serve empty.git <lines &&
	printf "%s\n" "unborn HEAD symref-target:refs/heads/trunk" 0000 >expect && test_cmp expect answer &&
	serve empty.git -c lsrefs.unborn=ignore <lines && echo 0000 >expect && test_cmp expect answer &&
	git -C repo update-ref refs/namespaces/a/refs/namespaces/b/refs/heads/inner $ONE &&
	git -C repo symbolic-ref refs/namespaces/a/refs/namespaces/b/HEAD \
		refs/namespaces/a/refs/namespaces/b/refs/heads/inner &&
	(GIT_NAMESPACE=a/b && export GIT_NAMESPACE && serve repo <lines) &&
	printf "%s\n" "$ONE HEAD symref-target:refs/heads/inner" "$ONE refs/heads/inner" 0000 >expect &&
	test_cmp expect answer && git -C repo update-ref -d refs/namespaces/a/refs/namespaces/b/refs/heads/inner &&
	git -C repo update-ref --no-deref -d refs/namespaces/a/refs/namespaces/b/HEAD
'

test_expect_success 'a clone' '
	fetch_request "want $MAIN" "want $SIDE" "want $TAG" done | serve repo &&
	test "$(head -n 1 answer)" = packfile && test "$(tail -n 1 answer)" = 0000 &&
	git -C repo cat-file --batch-all-objects --batch-check="%(objectname)" >all && pack_holds all &&
	test_grep "^band 2: Enumerating objects: $(wc -l <all), done." answer &&
	test_grep "Counting objects: 100% ($(wc -l <all)/$(wc -l <all)), done." answer &&
	test_grep "^band 2: .*Total " answer &&
	fetch_request no-progress "want $MAIN" done | serve repo && ! grep "^band 2" answer
'

test_expect_success 'upload-pack does not send objects that the client has' '
	fetch_request "want $MAIN" "have $TWO" done | serve repo &&
	git -C repo rev-list --objects $TWO..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted &&
	fetch_request "want $MAIN" "have $ZERO_OID" "have $MAIN" done | serve repo &&
	: >none && pack_holds none
'

test_expect_success 'replaced objects are sent as they are, with what they lead to' '
	git -C repo update-ref refs/replace/$TWO $SIDE &&
	git -C repo update-ref refs/replace/$(git -C repo rev-parse $MAIN:three.t) $(git -C repo rev-parse $ONE:one.t) &&
	git -C repo --no-replace-objects rev-list --objects $MAIN | cut -d" " -f1 >wanted &&
	fetch_request "want $MAIN" done | serve repo && pack_holds wanted &&
	git -C repo update-ref -d refs/replace/$TWO &&
	git -C repo update-ref -d refs/replace/$(git -C repo rev-parse $MAIN:three.t)
'

test_expect_success 'include-tag sends tags of sent objects, and no others' '
	fetch_request include-tag "want $MAIN" "have $ONE" done | serve repo &&
	{ git -C repo rev-list --objects $ONE..$MAIN | cut -d" " -f1 && echo $TAG; } >wanted && pack_holds wanted &&
	fetch_request include-tag "want $MAIN" "have $TWO" done | serve repo &&
	git -C repo rev-list --objects $TWO..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success 'include-tag sends the tags between a tag and a sent object' '
	cp -R repo nested && (
		cd nested && git tag -a -m inner inner && git tag -a -m outer outer inner &&
		git rev-parse outer inner >../chain && git tag -d inner
	) &&
	make_bitmaps () {
		git -C nested rev-list --objects $MAIN | git -C nested pack-objects -q .git/objects/pack/pack &&
		git -C nested multi-pack-index write --bitmap
	} &&
	for bitmaps in false true
	do
		test $bitmaps = false || make_bitmaps || return 1
		fetch_request include-tag "want $MAIN" done >lines && serve nested -c pack.useBitmaps=$bitmaps <lines &&
		{ git -C repo rev-list --objects $MAIN | cut -d" " -f1 && echo $TAG && cat chain; } >wanted && pack_holds wanted || return 1
	done
'

test_expect_success 'negotiation: common commits, and when they suffice' '
	fetch_request "want $MAIN" "have $ZERO_OID" | serve repo &&
	printf "%s\n" acknowledgments NAK 0000 >expect && test_cmp expect answer &&
	fetch_request "want $MAIN" "have $ONE" "have $ONE" | serve repo &&
	printf "%s\n" acknowledgments "ACK $ONE" ready 0001 packfile >expect &&
	head -n 5 answer >actual && test_cmp expect actual &&
	: the side branch is not below the wanted one, but its parent is, and a tag is no commit &&
	fetch_request "want $MAIN" "have $SIDE" | serve repo && test_grep "^ready" answer &&
	fetch_request "want $MAIN" "have $TAG" | serve repo && ! grep ready answer &&
	fetch_request wait-for-done "want $MAIN" "have $ONE" | serve repo &&
	printf "%s\n" acknowledgments "ACK $ONE" 0000 >expect && test_cmp expect answer &&
	other=$(git -C repo commit-tree -m unrelated HEAD^{tree}) &&
	fetch_request "want $MAIN" "have $other" | serve repo &&
	printf "%s\n" acknowledgments "ACK $other" 0000 >expect && test_cmp expect answer &&
	: whatever the date of the wanted one says &&
	old=$(GIT_COMMITTER_DATE="1000000000 +0000" git -C repo commit-tree -m old -p $TWO HEAD^{tree}) &&
	fetch_request "want $old" "have $TWO" | serve repo && test_grep "^ready" answer &&
	for lines in "" done "have $ONE" "deepen 1"; do
		fetch_request ${lines:+"$lines"} | serve repo && test_must_be_empty answer || return 1
	done &&
	: who asks what is common, and is done, gets a pack of nothing &&
	for lines in "" done; do
		fetch_request no-progress wait-for-done ${lines:+"$lines" "have $ONE"} | serve repo && : >none && pack_holds none || return 1
	done
'

test_expect_success !SANITIZE,!VALGRIND 'grafts that go in a circle' '
	cp -R repo circle && mkdir -p circle/.git/info && echo "$ONE $MAIN" >circle/.git/info/grafts &&
	old=$(GIT_COMMITTER_DATE="1000000000 +0000" git -C circle commit-tree -m old HEAD^{tree}) &&
	fetch_request "want $MAIN" "have $old" >lines && (ulimit -v 1000000 && serve circle <lines) &&
	printf "%s\n" acknowledgments "ACK $old" 0000 >expect && test_cmp expect answer
'

test_expect_success 'a limit on what prefixes of refs take up' '
	prefix=refs/x$(printf "%060000d" 0) && long () {
		printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix refs/heads/side" &&
		for i in $(test_seq $1); do echo "ref-prefix $prefix$i"; done && echo 0000
	} &&
	long 270 >lines && serve repo <lines && test $(grep -c refs/ answer) = 1 &&
	long 290 >lines && serve repo <lines && grep "$MAIN refs/heads/main" answer
'

test_expect_success 'several requests on one connection' '
	{ printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 "ref-prefix refs/heads/main" 0000 &&
	  fetch_request no-progress "want $MAIN" done && printf "%s\n" command=ls-refs object-format=$TEST_HASH 0000 &&
	  echo 0000; } >lines && "$PKT" encode <lines >request &&
	GIT_PROTOCOL=version=2 git upload-pack repo <request >raw && "$PKT" decode pack <raw >answer &&
	test $(grep -c "refs/heads/main$" answer) = 2 && test $(grep -c "^0000$" answer) = 4 &&
	git init -q --bare several.git && git -C several.git index-pack --stdin <pack
'

test_expect_success 'depth' '
	fetch_request "want $MAIN" "deepen 1" done | serve repo &&
	printf "%s\n" shallow-info "shallow $MAIN" 0001 packfile >expect &&
	head -n 4 answer >actual && test_cmp expect actual &&
	{ echo $MAIN && git -C repo rev-parse $MAIN^{tree} && git -C repo ls-tree -rt --format="%(objectname)" $MAIN; } >wanted &&
	pack_holds wanted &&
	fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 2" done | serve repo &&
	printf "%s\n" shallow-info "shallow $TWO" "unshallow $MAIN" 0001 packfile >expect &&
	head -n 5 answer >actual && test_cmp expect actual &&
	git -C repo rev-parse $TWO $TWO^{tree} >wanted && pack_holds wanted &&
	fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 1" deepen-relative done | serve repo &&
	head -n 5 answer >actual && test_cmp expect actual &&
	fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 2147483647" done | serve repo &&
	printf "%s\n" shallow-info "unshallow $MAIN" 0001 packfile >expect && head -n 4 answer >actual &&
	test_cmp expect actual &&
	: "a commit without parents ends it, too" && fetch_request "want $ONE" "deepen 1" done | serve repo &&
	printf "%s\n" shallow-info "shallow $ONE" 0001 packfile >expect && head -n 4 answer >actual && test_cmp expect actual &&
	fetch_request "want $ONE" "deepen 2" done | serve repo &&
	printf "%s\n" shallow-info 0001 packfile >expect && head -n 3 answer >actual && test_cmp expect actual
'

test_expect_success 'deepening after rounds of haves, in the same request and in the same connection' '
	fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 2" done | serve repo && sed -n "/^shallow-info/,/^0001/p" answer >expect &&
	test_grep "^unshallow $MAIN" expect && fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 2" | serve repo && test_grep "^ready" answer &&
	sed -n "/^shallow-info/,/^0001/p" answer >actual && test_cmp expect actual &&
	{ fetch_request "want $MAIN" "have $ONE" "shallow $ONE" wait-for-done && fetch_request "want $MAIN" "have $MAIN" "shallow $MAIN" "deepen 2" done; } >lines &&
	STATELESS= serve repo <lines && sed -n "/^shallow-info/,/^0001/p" answer >actual && test_cmp expect actual
'

test_expect_success 'upload-pack acknowledges common commits without a want' '
	fetch_request "have $ONE" "have $ZERO_OID" wait-for-done | serve repo &&
	printf "%s\n" acknowledgments "ACK $ONE" 0000 >expect && test_cmp expect answer
'

test_expect_success 'a boundary by date or by a ref' '
	when=$(git -C repo log -1 --format=%ct $TWO) &&
	fetch_request "want $MAIN" "deepen-since $when" done | serve repo &&
	printf "%s\n" shallow-info "shallow $TWO" 0001 packfile >expect && head -n 4 answer >actual &&
	test_cmp expect actual &&
	fetch_request "want $MAIN" "deepen-not refs/tags/v1" done | serve repo &&
	printf "%s\n" shallow-info "shallow $MAIN" 0001 packfile >expect && head -n 4 answer >actual &&
	test_cmp expect actual &&
	fetch_request "want $MAIN" "deepen-not main" done >lines && test_expect_code 128 serve repo <lines &&
	test_grep "no commits selected for shallow requests" answer
'

test_expect_success 'the haves of a shallow client end at its boundary' '
	fetch_request "want $MAIN" "have $TWO" "shallow $TWO" done | serve repo &&
	git -C repo rev-list --objects $TWO..$MAIN | cut -d" " -f1 >wanted &&
	sed "/packfile/,\$d" answer >actual && printf "%s\n" shallow-info 0001 >expect && test_cmp expect actual &&
	pack_holds wanted &&
	: what lies below the boundary is not known to be there &&
	fetch_request "want $ONE" "have $MAIN" "shallow $TWO" done | serve repo &&
	git -C repo rev-list --objects $ONE | cut -d" " -f1 >below && git -C repo ls-tree -rt $TWO | cut -f1 |
	cut -d" " -f3 >above && grep -v -x -F -f above below >wanted && pack_holds wanted
'

test_expect_success 'filters' '
	for f in blob:none tree:0 blob:limit=3 object:type=commit combine:blob:none+tree:1
	do
		fetch_request "filter $f" "want $MAIN" done >lines &&
		serve repo -c uploadpack.allowFilter=true <lines &&
		git -C repo rev-list --objects --filter=$f $MAIN | cut -d" " -f1 >wanted && pack_holds wanted || return 1
	done &&
	fetch_request "filter blob:none" "want $MAIN" done >lines && test_expect_code 128 serve repo <lines &&
	test_grep "^ERR upload-pack: unexpected line: .filter blob:none.$" answer &&
	test_expect_code 128 serve repo -c uploadpack.allowFilter=true -c uploadpackfilter.blob:none.allow=false <lines &&
	test_grep "^ERR filter .blob:none. not supported$" answer &&
	fetch_request "filter tree:3" "want $MAIN" done >lines &&
	test_expect_code 128 serve repo -c uploadpack.allowFilter=true -c uploadpackfilter.tree.maxDepth=2 <lines &&
	test_grep "^ERR tree filter allows max depth 2, but got 3$" answer &&
	test_expect_code 128 git -C repo -c uploadpackfilter.tree.maxDepth=x upload-pack --advertise-refs . >out 2>err &&
	test_grep "bad numeric config value .x. for .uploadpackfilter.tree.maxdepth" err &&
	test_expect_code 128 git -C repo -c uploadpackfilter.tree.maxDepth upload-pack --advertise-refs . >out 2>err &&
	test_grep "uploadpackfilter.tree.maxdepth" err &&
	fetch_request "filter tree:3" "filter blob:none" "want $MAIN" done >twice &&
	test_expect_code 128 serve repo -c uploadpack.allowFilter=true <twice && test_grep "multiple filter-specs cannot be combined" answer &&
	test_expect_code 128 serve repo -c uploadpack.allowFilter=true -c uploadpackfilter.allow=false <lines &&
	serve repo -c uploadpack.allowFilter=true -c uploadpackfilter.allow=false -c uploadpackfilter.tree.allow=true <lines
'

test_expect_success 'refs by name, sizes, bundles' '
	fetch_request "want-ref refs/heads/main" "want-ref HEAD" no-progress done >lines &&
	serve repo -c uploadpack.allowRefInWant=true <lines &&
	printf "%s\n" wanted-refs "$MAIN HEAD" "$MAIN refs/heads/main" 0001 packfile >expect &&
	head -n 5 answer >actual && test_cmp expect actual &&
	fetch_request "want-ref refs/hidden/secret" done >lines &&
	test_expect_code 128 serve repo -c uploadpack.allowRefInWant=true -c transfer.hideRefs=refs/hidden <lines &&
	test_grep "unknown ref refs/hidden/secret" answer &&
	blob=$(git -C repo rev-parse main:dir/deep) &&
	printf "%s\n" command=object-info object-format=$TEST_HASH 0001 size "oid $blob" 0000 >lines &&
	serve repo -c transfer.advertiseObjectInfo=true <lines &&
	printf "%s\n" size "$blob 5" 0000 >expect && test_cmp expect answer &&
	printf "%s\n" command=object-info object-format=$TEST_HASH 0001 size "oid $blob" "oid $ONE" "oid $blob" 0000 >twice &&
	serve repo -c transfer.advertiseObjectInfo=true <twice && test_grep "^$ONE [0-9]" answer &&
	test $(grep -c "^$blob 5" answer) = 1 &&
	awk "{ print } /^size/ { for (i = 0; i < 99998; i++) print }" lines >many &&
	serve repo -c transfer.advertiseObjectInfo=true <many && test_cmp expect answer &&
	awk "{ print } /^size/ { for (i = 0; i < 99999; i++) print }" lines >many &&
	test_expect_code 128 serve repo -c transfer.advertiseObjectInfo=true <many &&
	test_grep "ERR object-info: a request of more than 100000 lines" answer &&
	test_expect_code 128 serve repo <lines && test_grep "invalid command .object-info." answer &&
	printf "%s\n" command=bundle-uri object-format=$TEST_HASH 0000 >lines &&
	serve repo -c uploadpack.advertiseBundleURIs=true -c bundle.version=1 -c bundle.a.uri=https://x/y <lines &&
	printf "%s\n" bundle.version=1 bundle.a.uri=https://x/y 0000 >expect && test_cmp expect answer
'

test_expect_success 'the whole answer on bands' '
	fetch_request sideband-all "want $MAIN" "have $ONE" done >lines &&
	serve repo -c uploadpack.allowSidebandAll=true <lines && test_grep "^.001packfile" answer &&
	git -C repo rev-list --objects $ONE..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success 'thin packs: bases that the client has are not sent' '
	git init -q thin && (cd thin && test_seq 3000 >f && git add f && git commit -qm a &&
	 echo more >>f && git commit -qam b) && A=$(git -C thin rev-parse HEAD~) && B=$(git -C thin rev-parse HEAD) &&
	fetch_request "want $B" "have $A" done | serve thin && whole=$(wc -c <pack) &&
	fetch_request thin-pack "want $B" "have $A" done | serve thin && test $(wc -c <pack) -lt $((whole / 4)) &&
	git -C thin rev-list --objects $A..$B | cut -d" " -f1 >wanted &&
	rm -rf base.git && git init -q --bare base.git && cp pack thin.pack &&
	fetch_request "want $A" done | serve thin && git -C base.git index-pack --stdin <pack >/dev/null &&
	git -C base.git index-pack --stdin --fix-thin <thin.pack >/dev/null && git -C base.git update-ref refs/heads/x $B &&
	git -C base.git fsck
'

test_expect_success 'settings of pack.* are those of the packs that are served' '
	fetch_request "want $B" done >lines && serve thin <lines && small=$(wc -c <pack) &&
	serve thin -c pack.window=0 <lines && test $(wc -c <pack) -gt $((small + 1000)) &&
	serve thin -c pack.compression=0 <lines && test $(wc -c <pack) -gt $((small + 1000)) &&
	test_expect_code 128 serve thin -c pack.threads=-1 <lines &&
	test_grep "^band 3: upload-pack: invalid number of threads specified (-1)" answer
'

test_expect_success 'bitmaps: the whole pack, unchanged; or just the wanted objects' '
	cp -r repo packed && (cd packed && git for-each-ref --format="%(objectname)" >../tips &&
	 git rev-list --objects --all | git pack-objects -q .git/objects/pack/pack >../name && rm -rf .git/objects/??) &&
	git -C packed multi-pack-index write --bitmap &&
	fetch_request include-tag $(sed "s/^/want /" tips | tr " " ,) >lines && sed -i "s/want,/want /" lines &&
	sed -i "s/^0000$/done/" lines && echo 0000 >>lines && serve packed <lines &&
	cmp packed/.git/objects/pack/pack-$(cat name).pack pack &&
	fetch_request "want $TWO" done | serve packed &&
	git -C repo rev-list --objects $TWO | cut -d" " -f1 >wanted && pack_holds wanted &&
	: bitmaps know no boundary &&
	fetch_request "want $MAIN" "deepen 1" done | serve packed &&
	{ echo $MAIN && git -C repo rev-parse $MAIN^{tree} && git -C repo ls-tree -rt --format="%(objectname)" $MAIN; } >wanted &&
	pack_holds wanted &&
	: hidden objects stay hidden &&
	git -C packed update-ref -d refs/heads/side && fetch_request "want $MAIN" "want $TAG" done | serve packed &&
	git -C repo rev-list --objects $MAIN $TAG | cut -d" " -f1 >wanted && pack_holds wanted &&
	fetch_request include-tag "want $MAIN" done | serve packed && pack_holds wanted
'

test_expect_success 'a whole pack with offsets of bases is not for a client that does not know them' '
	git -C thin rev-list --objects --all | git -C thin pack-objects -q --delta-base-offset .git/objects/pack/pack >name &&
	rm -rf thin/.git/objects/?? && git -C thin multi-pack-index write --bitmap && B=$(git -C thin rev-parse HEAD) &&
	fetch_request "want $B" done >lines && serve thin <lines &&
	cmp thin/.git/objects/pack/pack-$(cat name).pack pack &&
	grep -v ofs-delta lines >without && serve thin <without &&
	! cmp thin/.git/objects/pack/pack-$(cat name).pack pack &&
	git -C thin rev-list --objects $B | cut -d" " -f1 >wanted && pack_holds wanted
'

test_expect_success 'requests that are none' '
	while read -r lines message
	do
		printf "$lines\n" >request.lines && test_expect_code 128 serve repo <request.lines &&
		test_grep "^ERR upload-pack: $message" answer || return 1
	done <<-EOF
	command=nothing\n0001\n0000 invalid command .nothing.
	object-format=$TEST_HASH\n0000 no command requested
	nonsense\n0000 unknown capability .nonsense.
	command=fetch\ncommand=ls-refs\n0000 command .ls-refs. requested after
	command=fetch=x\n0000 invalid command .fetch=x.
	object-format=sha0\n0000 unknown object format .sha0.
	command=fetch\nobject-format=$TEST_HASH\n0001\nnonsense\n0000 unexpected line: .nonsense.
	command=fetch\nobject-format=$TEST_HASH\n0001\nwant\0401234\n0000 protocol error, expected to get object ID, not .want 1234.
	command=fetch\nobject-format=$TEST_HASH\n0001\nwant\040$ZERO_OID\n0000 not our ref $ZERO_OID
	command=fetch\nobject-format=$TEST_HASH\n0001\ndeepen\040-1\n0000 invalid deepen: deepen -1
	command=fetch\nobject-format=$TEST_HASH\n0001\ndeepen\0400\n0000 invalid deepen: deepen 0
	command=fetch\nobject-format=$TEST_HASH\n0001\ndeepen-since\040-1\n0000 invalid deepen-since
	command=fetch\nobject-format=$TEST_HASH\n0001\ndeepen-not\040nothing\n0000 deepen-not is not a ref
	command=fetch\nobject-format=$TEST_HASH\n0001\nwant\040$MAIN\ndeepen\0401\ndeepen-since\0401\n0000 deepen and deepen-since
	command=fetch\nobject-format=$TEST_HASH\n0001\nwant-ref\040HEAD\n0000 unexpected line
	command=fetch\nobject-format=$TEST_HASH\n0001\n0001 expected flush after fetch arguments
	command=ls-refs\nobject-format=$TEST_HASH\n0001\nnonsense\n0000 unexpected line: .nonsense.
	EOF
'

test_expect_success 'ls-refs sends an error for a ref whose name does not fit in a packet' '
	rm -rf long && cp -R repo long && git -C long pack-refs --all && name=refs/x/$(printf "%065480d" 0) &&
	if test_have_prereq REFFILES; then echo "$ONE $name" >>long/.git/packed-refs; else echo "create $name $ONE" | git -C long update-ref --stdin; fi &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0000 >lines &&
	test_expect_code 128 serve long <lines && tail -n 1 answer >last &&
	test_grep "^ERR upload-pack: line of 655[0-9]* bytes does not fit in a packet: .$ONE refs/x/000" last &&
	test_expect_code 128 git upload-pack long </dev/null >raw 2>err && "$PKT" decode <raw >answer && tail -n 1 answer >last &&
	test_grep "^ERR upload-pack: line of 655[0-9]* bytes does not fit" last && test_grep "^fatal: line of 655" err &&
	serve long -c transfer.hideRefs=refs/x <lines && test_grep "refs/heads/main" answer
'

test_expect_success 'a connection that is cut, at each byte: before a request it is a polite end' '
	fetch_request "want $MAIN" "have $ONE" | "$PKT" encode >whole && first=$((0x$(head -c 4 whole))) &&
	for n in $(test_seq $(($(wc -c <whole) - 1)))
	do
		head -c $n whole >cut && { GIT_PROTOCOL=version=2 git upload-pack --stateless-rpc repo <cut >raw 2>err
		test $? = $((n < first ? 0 : 128)); } && "$PKT" decode pack <raw >answer && ! grep packfile answer || return 1
	done &&
	: | GIT_PROTOCOL=version=2 git upload-pack --stateless-rpc repo >raw && test_must_be_empty raw
'

test_expect_success 'repositories: how they are found, whose they are' '
	GIT_PROTOCOL=version=2 && export GIT_PROTOCOL && git upload-pack --http-backend-info-refs repo >a &&
	git upload-pack --http-backend-info-refs repo/.git/ >b && test_cmp a b &&
	git upload-pack --http-backend-info-refs empty >b && test_cmp a b &&
	git upload-pack --strict --http-backend-info-refs empty.git >b && test_cmp a b &&
	echo "gitdir: $PWD/repo/.git" >file && git upload-pack --http-backend-info-refs file >b && test_cmp a b &&
	test_expect_code 128 git upload-pack --strict --http-backend-info-refs empty 2>err &&
	test_grep "^fatal: .empty. does not appear to be a git repository$" err &&
	test_expect_code 128 git upload-pack nothing 2>err && test_expect_code 129 git upload-pack 2>err &&
	test_expect_code 129 git upload-pack --nonsense repo &&
	(HOME=$PWD && export HOME && git upload-pack --http-backend-info-refs "~/repo" >b) && test_cmp a b
'

test_expect_success 'a repository of another owner is served, and only by upload-pack' '
	git upload-pack --http-backend-info-refs repo >a && export GIT_TEST_ASSUME_DIFFERENT_OWNER=1 && test_when_finished "unset GIT_TEST_ASSUME_DIFFERENT_OWNER" &&
	git upload-pack --http-backend-info-refs repo >b && test_cmp a b && git upload-pack --strict --http-backend-info-refs repo/.git >b && test_cmp a b &&
	git ls-remote repo >out && test_file_not_empty out &&
	test_expect_code 128 git receive-pack repo </dev/null 2>err >raw && test_grep "detected dubious ownership" err && test_must_be_empty raw &&
	test_expect_code 128 git upload-archive repo </dev/null >raw 2>err && grep -a "detected dubious ownership" raw &&
	test_must_fail git clone repo not-made 2>err && test_grep "detected dubious ownership" err
'

test_expect_success 'a repository of another owner starts no program and writes no file' '
	write_script hook <<-\EOF && rm -rf other && git clone -q --bare repo other && mkdir share && chmod 700 share &&
	: >"$HOME/hook-ran"
	exec "$@"
	EOF
	git -C other config uploadpack.packObjectsHook "$PWD/hook" && git -C other config uploadpack.shareIdentical 60 && git -C other config uploadpack.shareDirectory "$PWD/share" &&
	git -C other config core.alternateRefsCommand "$PWD/hook" && git -C other config core.fsmonitor "$PWD/hook" &&
	find other | sort >before && rm -rf got && git init -q got && GIT_TEST_ASSUME_DIFFERENT_OWNER=1 git -c protocol.version=2 ls-remote other >out &&
	write_script serve <<-\EOF && git -C got fetch -q --upload-pack="$PWD/serve" ../other "refs/heads/*:refs/heads/got-*" && git -C got for-each-ref >refs && test_file_not_empty refs &&
	GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git upload-pack "$@"
	EOF
	find other | sort >after && test_cmp before after && find share -type f >files && test_must_be_empty files && test_path_is_missing "$HOME/hook-ran"
'

test_expect_success 'a silent client is not waited for beyond --timeout' '
	mkfifo quiet && { sleep 30 >quiet & echo $! >pid; } &&
	test_expect_code 128 env GIT_PROTOCOL=version=2 git upload-pack --timeout=1 repo <quiet >raw 2>err &&
	test_grep "the client has been silent for 1 seconds" err && kill $(cat pid)
'

# held OPTIONS <request: a client that sends it and reads nothing. The server's exit code is in `code`; its end
# of the connection, which others may have as well, waits when it is written to as it did before.
held () {
	mkfifo held && exec 9<>held && {
		GIT_PROTOCOL=${PROTOCOL-version=2} git "$@" <request >&9 2>err
		echo $? >code
		! test -r /proc/$$/fdinfo/9 || ! grep "^flags:.*[4-7][0-7][0-7][0-7]$" /proc/$$/fdinfo/9
	} && exec 9>&- && rm held
}

test_expect_success 'a client that reads nothing is not waited for beyond --timeout' '
	rm -rf much && cp -R repo much && head -c 3000000 /dev/urandom >much/big && git -C much add big &&
	git -C much commit -qm big && B=$(git -C much rev-parse HEAD) && fetch_request "want $B" done | "$PKT" encode >request &&
	held upload-pack --timeout=1 --stateless-rpc much && test "$(cat code)" = 128 &&
	test_grep "^fatal: pack data: nothing has been read for 1 seconds" err &&
	write_script hook <<-\EOF &&
	cat >/dev/null; printf PACK; echo $$ >"$TRASH_DIRECTORY/hook.pid"; exec cat /dev/zero
	EOF
	held -c uploadpack.packObjectsHook="exec $PWD/hook" upload-pack --timeout=1 --stateless-rpc much &&
	test "$(cat code)" = 128 && test_grep "nothing has been read for 1 seconds" err &&
	test_must_fail kill -0 $(cat hook.pid)
'

test_expect_success 'a client that asks for refs and reads nothing is not waited for' '
	awk "BEGIN { for (i = 10000; i < 30000; i++) print \"create refs/x/\" i \" $ONE\" }" | git -C much update-ref --stdin &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0000 | "$PKT" encode >request &&
	held upload-pack --timeout=1 --stateless-rpc much && test "$(cat code)" = 128 &&
	test_grep "^fatal: packets: nothing has been read for 1 seconds" err &&
	PROTOCOL=version=0 && held upload-pack --timeout=1 much && unset PROTOCOL && test "$(cat code)" = 128 && test_grep "nothing has been read" err
'

test_expect_success 'upload-pack sends an error and no whole pack if an object is damaged' '
	cp -r repo broken && o=$(git -C repo rev-parse $MAIN:three.t) &&
	f=broken/.git/objects/$(echo $o | sed "s,^..,&/,") && chmod u+w $f && echo junk >$f &&
	fetch_request "want $MAIN" done >lines && test_expect_code 128 serve broken <lines &&
	test_grep "^band 3: upload-pack: .*$o" answer && ! grep "^0000" answer
'

test_expect_success 'a mutated request breaks nothing' '
	fetch_request "want $MAIN" "want $SIDE" "have $ONE" "shallow $ONE" "deepen 2" "filter blob:none" done |
	"$PKT" encode >whole && n=$(wc -c <whole) &&
	for i in $(test_seq 150)
	do
		at=$((i * 7919 % n)) && { head -c $at whole && printf "\\$(printf %03o $((i * 37 % 256)))" &&
		tail -c +$((at + 2)) whole; } >bad &&
		{ GIT_PROTOCOL=version=2 timeout 500 git -c uploadpack.allowFilter=true upload-pack --stateless-rpc repo \
			<bad >raw 2>err; code=$?; test $code = 0 || test $code = 128; } || return 1
	done
'

test_done
