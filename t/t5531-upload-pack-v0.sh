#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: versions 0 and 1 of the protocol'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

PROTOCOL=version=0

test_expect_success 'set up a history' '
	git init -q -b main repo && (cd repo && test_commit one && test_commit two &&
	 git tag -a -m "annotated" v1 HEAD && git branch side && test_commit three &&
	 git update-ref refs/hidden/secret $(git commit-tree -m secret -p $(git commit-tree -m below HEAD^{tree}) HEAD^{tree}) &&
	 git rev-parse HEAD >../main.id && git rev-parse HEAD~1 >../two.id && git rev-parse HEAD~2 >../one.id &&
	 git rev-parse v1 >../tag.id && git rev-parse refs/hidden/secret >../secret.id) &&
	MAIN=$(cat main.id) && TWO=$(cat two.id) && ONE=$(cat one.id) && TAG=$(cat tag.id) && SECRET=$(cat secret.id) &&
	CAPS="multi_ack_detailed side-band-64k ofs-delta object-format=$TEST_HASH"
'

advertised () {
	GIT_PROTOCOL=$1 git $2 upload-pack --http-backend-info-refs $3 >raw && "$PKT" decode <raw >answer
}

test_expect_success 'the advertisement' '
	advertised "" "-c transfer.hideRefs=refs/hidden" repo && sed "1s/ agent=git.*//" answer >actual &&
	cat >expect <<-EOF &&
	$MAIN HEAD\000multi_ack thin-pack side-band side-band-64k ofs-delta shallow deepen-since deepen-not deepen-relative no-progress include-tag multi_ack_detailed no-done symref=HEAD:refs/heads/main object-format=$TEST_HASH
	$MAIN refs/heads/main
	$TWO refs/heads/side
	$TAG refs/tags/v1
	$TWO refs/tags/v1^{}
	0000
	EOF
	test_cmp expect actual &&
	advertised version=1 "-c uploadpack.allowAnySHA1InWant=true -c uploadpack.allowFilter=true" repo &&
	test "$(head -n 1 answer)" = "version 1" &&
	test_grep "allow-tip-sha1-in-want allow-reachable-sha1-in-want no-done symref=HEAD:refs/heads/main filter" answer &&
	git init -q --bare empty.git && advertised "" "" empty.git &&
	test_grep "^$ZERO_OID capabilities^{}.000multi_ack" answer && test $(wc -l <answer) = 2
'

test_expect_success 'a clone, on bands' '
	printf "%s\n" "want $MAIN $CAPS" "want $TAG" 0000 done | serve repo &&
	test "$(head -n 1 answer)" = NAK && test "$(tail -n 1 answer)" = 0000 && git -C repo rev-list --objects $MAIN $TAG | cut -d" " -f1 >wanted &&
	BANDS=1 && printf "%s\n" "want $MAIN $CAPS" "want $TAG" 0000 done | serve repo && BANDS= &&
	pack_holds wanted
'

test_expect_success 'without bands, with small ones' '
	printf "%s\n" "want $MAIN multi_ack ofs-delta" 0000 done | "$PKT" encode >request &&
	git upload-pack --stateless-rpc repo <request >raw &&
	head -c 8 raw >actual && echo "0008NAK" >expect && test_cmp expect actual &&
	tail -c +9 raw >pack && git -C repo rev-list --objects $MAIN | cut -d" " -f1 >wanted && pack_holds wanted &&
	test_seq 20000 >big && cp big repo/big && git -C repo add big && git -C repo commit -qm big &&
	BIG=$(git -C repo rev-parse HEAD) && BANDS=1 &&
	printf "%s\n" "want $BIG side-band no-progress" 0000 done | serve repo && BANDS= &&
	git -C repo rev-list --objects $BIG | cut -d" " -f1 >wanted && pack_holds wanted &&
	grep "^band 1" answer | sed \$d | sort -u >sizes && echo "band 1: 995" >expect && test_cmp expect sizes &&
	git -C repo update-ref refs/heads/main $MAIN
'

# rounds CAPABILITIES LINES...: the answers before the pack
rounds () {
	local caps=$1
	shift
	BANDS=1 && printf "%s\n" "want $MAIN $caps side-band-64k no-progress" 0000 "$@" | serve repo
	local code=$?
	BANDS=
	sed "/^band/,\$d" answer >actual
	return $code
}

test_expect_success 'negotiation: multi_ack_detailed, multi_ack, neither' '
	rounds multi_ack_detailed "have $ONE" "have $ZERO_OID" done &&
	printf "%s\n" "ACK $ONE common" "ACK $ZERO_OID ready" "ACK $ONE" >expect && test_cmp expect actual &&
	rounds multi_ack "have $ONE" done && printf "%s\n" "ACK $ONE continue" "ACK $ONE" >expect && test_cmp expect actual &&
	rounds "" "have $ONE" "have $TWO" done && printf "%s\n" "ACK $ONE" >expect && test_cmp expect actual &&
	rounds "" "have $ZERO_OID" done && printf "%s\n" NAK >expect && test_cmp expect actual &&
	rounds multi_ack_detailed "have $ONE" 0000 &&
	printf "%s\n" "ACK $ONE common" "ACK $ONE ready" NAK >expect && test_cmp expect actual &&
	! grep band answer &&
	rounds "multi_ack_detailed no-done" "have $ONE" 0000 &&
	printf "%s\n" "ACK $ONE common" "ACK $ONE ready" NAK "ACK $ONE" >expect && test_cmp expect actual &&
	git -C repo rev-list --objects $ONE..$MAIN | cut -d" " -f1 >wanted && pack_holds wanted &&
	rounds multi_ack_detailed "have $ZERO_OID" 0000 && printf "%s\n" NAK >expect && test_cmp expect actual
'

test_expect_success 'a dialogue: rounds on one connection' '
	{ printf "%s\n" "want $MAIN $CAPS no-progress" 0000 "have $ZERO_OID" 0000 "have $ONE" 0000 done; } |
	"$PKT" encode >request && git upload-pack repo <request >raw && "$PKT" decode pack --bands <raw >answer &&
	sed "1,/^0000/d; /^band/,\$d" answer >actual &&
	printf "%s\n" NAK "ACK $ONE common" "ACK $ONE ready" NAK "ACK $ONE" >expect && test_cmp expect actual &&
	echo 0000 | "$PKT" encode >request && git upload-pack repo <request >raw && "$PKT" decode <raw >answer &&
	test $(grep -c 0000 answer) = 1
'

test_expect_success 'depth' '
	BANDS=1 && printf "%s\n" "want $MAIN $CAPS" "deepen 2" 0000 done | serve repo && BANDS= &&
	sed "/^band/,\$d" answer >actual && printf "%s\n" "shallow $TWO" 0000 NAK >expect && test_cmp expect actual &&
	cp -r repo server && echo $TWO >server/.git/shallow && advertised "" "" server &&
	test_grep "^shallow $TWO" answer
'

test_expect_success 'a former boundary is no answer to a have' '
	for caps in "" multi_ack multi_ack_detailed
	do
		BANDS=1 && printf "%s\n" "want $MAIN $caps side-band-64k" "shallow $MAIN" "deepen 2" 0000 done |
		serve repo && BANDS= && sed "/^band/,\$d" answer >actual &&
		printf "%s\n" "shallow $TWO" "unshallow $MAIN" 0000 NAK >expect && test_cmp expect actual &&
		git -C repo rev-parse $TWO $TWO^{tree} >wanted && pack_holds wanted &&
		BANDS=1 && printf "%s\n" "want $MAIN $caps side-band-64k" "shallow $MAIN" "deepen 2" 0000 "have $ZERO_OID" 0000 |
		serve repo && BANDS= && test_cmp expect answer || return 1
	done
'

wanted_anyway () {
	BANDS=1 && printf "%s\n" "want $1 $CAPS" 0000 done | serve repo -c transfer.hideRefs=refs/hidden $2 $3 $4
	local code=$?
	BANDS=
	return $code
}

test_expect_success 'upload-pack serves only objects that its settings allow' '
	loose=$(git -C repo commit-tree -m loose HEAD^{tree}) && below=$(git -C repo rev-parse $SECRET^) && tree=$(git -C repo rev-parse HEAD^{tree}) &&
	STATELESS= && for o in $ONE $SECRET $loose $tree $ZERO_OID
	do
		test_expect_code 128 wanted_anyway $o && test_grep "^ERR upload-pack: not our ref $o" answer || return 1
	done &&
	wanted_anyway $MAIN && wanted_anyway $TAG && wanted_anyway $TWO &&
	wanted_anyway $SECRET -c uploadpack.allowTipSHA1InWant=true &&
	test_expect_code 128 wanted_anyway $ONE -c uploadpack.allowTipSHA1InWant=true &&
	STATELESS=--stateless-rpc && wanted_anyway $ONE && test_expect_code 128 wanted_anyway $SECRET && test_expect_code 128 wanted_anyway $below &&
	test_expect_code 128 wanted_anyway $loose && STATELESS= &&
	wanted_anyway $ONE -c uploadpack.allowReachableSHA1InWant=true &&
	wanted_anyway $SECRET -c uploadpack.allowReachableSHA1InWant=true &&
	wanted_anyway $below -c uploadpack.allowReachableSHA1InWant=true &&
	test_expect_code 128 wanted_anyway $loose -c uploadpack.allowReachableSHA1InWant=true &&
	test_expect_code 128 wanted_anyway $tree -c uploadpack.allowReachableSHA1InWant=true &&
	wanted_anyway $loose -c uploadpack.allowAnySHA1InWant=true &&
	wanted_anyway $tree -c uploadpack.allowAnySHA1InWant=true && unset STATELESS
'

test_expect_success 'a damaged commit that HEAD names is an error, not a HEAD that is not there' '
	rm -rf torn && cp -R repo torn && torn=$(git -C torn commit-tree -m torn HEAD^{tree}) &&
	git -C torn update-ref --no-deref HEAD $torn && loose=torn/.git/objects/$(echo $torn | sed "s|^..|&/|") && chmod u+w $loose &&
	printf "damaged" >$loose && printf "want $ONE $CAPS\n0000\ndone\n" >lines &&
	test_expect_code 128 serve torn -c uploadpack.allowReachableSHA1InWant=true <lines &&
	test_grep "^ERR upload-pack: .*$torn" answer
'

test_expect_success REFFILES 'a HEAD that is damaged is not shown' '
	git -C repo update-ref refs/namespaces/n/refs/heads/x $ONE && git -C repo pack-refs --all &&
	mkdir -p repo/.git/refs/namespaces/n && echo nonsense >repo/.git/refs/namespaces/n/HEAD &&
	(GIT_NAMESPACE=n && export GIT_NAMESPACE && advertised "" "" repo 2>err) && test_grep ! HEAD answer &&
	test_grep "^$ONE refs/heads/x" answer && test_grep "warning: ignoring refs/namespaces/n/HEAD" err &&
	rm repo/.git/refs/namespaces/n/HEAD && git -C repo update-ref -d refs/namespaces/n/refs/heads/x
'

test_expect_success 'reachability does not depend on dates' '
	new=$(git -C repo commit-tree -m new -p HEAD HEAD^{tree}) &&
	old=$(GIT_COMMITTER_DATE="1000000000 +0000" git -C repo commit-tree -m old -p $new HEAD^{tree}) &&
	git -C repo update-ref refs/heads/skew $(GIT_COMMITTER_DATE="1000000001 +0000" git -C repo commit-tree -m top -p $old HEAD^{tree}) &&
	wanted_anyway $new -c uploadpack.allowReachableSHA1InWant=true && wanted_anyway $old
'

test_expect_success 'requests that are none' '
	while read -r lines message
	do
		printf "$lines\n" >request.lines && test_expect_code 128 serve repo <request.lines &&
		test_grep "^ERR upload-pack: $message" answer || return 1
	done <<-EOF
	nonsense\n0000 protocol error, expected to get object ID, not .nonsense.
	want\040123\n0000 protocol error, expected to get object ID
	want\040$MAIN\040object-format=sha0\n0000 mismatched object format: server $TEST_HASH; client sha0
	want\040$MAIN\ndeepen\040-5\n0000 invalid deepen
	want\040$MAIN\ndeepen\0405x\n0000 invalid deepen
	want\040$MAIN\nfilter\040blob:none\n0000 filtering capability not negotiated
	want\040$MAIN\n0000\nnonsense expected SHA1 list, got .nonsense.
	want\040$MAIN\n0000\nhave\040x protocol error, expected to get object ID
	EOF
'

test_done
