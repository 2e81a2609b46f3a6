#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: the list of refs, as stock Git has it: broken, symbolic, hidden, in namespaces, many'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

GIT_USER_AGENT=same
export GIT_USER_AGENT

# lists GIT REPO [OPTION...]: what both kinds of lists have, in version 2 for the lines in ls.request. A namespace's HEAD is
# in stock Git's list twice; versions before 2.41 say nothing of capabilities where there are no refs.
lists () {
	local t_git=$1 t_repo=$2
	shift 2
	GIT_PROTOCOL=version=2 $t_git "$@" upload-pack --stateless-rpc $t_repo <ls.request >raw &&
	"$PKT" decode <raw | uniq &&
	$t_git "$@" upload-pack --http-backend-info-refs $t_repo </dev/null >raw && "$PKT" decode <raw | sed "/capabilities^{}/d"
}

# same_lists REPO [OPTION...]: ours is in `actual`, and if there is a stock Git, it has the same
same_lists () {
	lists git "$@" >actual && { ! test_have_prereq STOCK_GIT || { lists stock "$@" >expect 2>/dev/null && test_cmp expect actual; }; }
}

test_expect_success 'set up a history' '
	git init -q -b main repo && (cd repo && test_commit one && git tag -a -m annotated v1 && test_commit two &&
	 git tag -a -m "of a tag" v2 v1 && git branch old HEAD~1 && git rev-parse HEAD >../main.id) &&
	MAIN=$(cat main.id) && LOST=$(echo $MAIN | tr 0-9a-f 1-9a-f0) &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 symrefs peel unborn 0000 | "$PKT" encode >ls.request
'

test_expect_success 'set up broken and symbolic refs' '
	git init -q -b main --ref-format=files bad && cp -R repo/.git/objects bad/.git/ &&
	git -C repo for-each-ref --format="%(refname) %(objectname)" >list && while read -r name oid; do
		echo $oid >bad/.git/$name || return 1
	done <list && refs=bad/.git/refs/heads && echo garbage >$refs/garbage && : >$refs/empty &&
	echo $ZERO_OID >$refs/zero && echo $LOST >$refs/lost && echo $MAIN >$refs/bad..name && echo $MAIN >$refs/x.lock &&
	echo "$MAIN more" >$refs/more && echo $LOST >bad/.git/refs/tags/lost &&
	for to in main sym nowhere loop garbage zero lost ../../climb; do echo "ref: refs/heads/$to" >$refs/to-$(basename $to) || return 1; done &&
	echo "ref: refs/heads/main" >$refs/sym && echo "ref: refs/heads/to-loop" >$refs/loop &&
	{ echo "# pack-refs with: peeled fully-peeled sorted " && echo "$LOST refs/heads/packed-lost" &&
	  echo "$ZERO_OID refs/heads/packed-zero" && echo "$MAIN refs/heads/packed..name" &&
	  echo "$LOST refs/tags/packed-lost" && echo "^$MAIN"; } >bad/.git/packed-refs
'

test_expect_success 'broken refs are shown, symbolic ones that lead nowhere are not' '
	OLD=$(git -C repo rev-parse old) && lists git bad/.git >all && sed -n "1,/refs.tags.v2/p" all >actual &&
	cat >expect <<-EOF &&
	$MAIN HEAD symref-target:refs/heads/main
	$ZERO_OID refs/heads/bad..name
	$ZERO_OID refs/heads/empty
	$ZERO_OID refs/heads/garbage
	$LOST refs/heads/lost
	$MAIN refs/heads/main
	$MAIN refs/heads/more
	$OLD refs/heads/old
	$LOST refs/heads/packed-lost
	$ZERO_OID refs/heads/packed-zero
	$ZERO_OID refs/heads/packed..name
	$MAIN refs/heads/sym symref-target:refs/heads/main
	$LOST refs/heads/to-lost symref-target:refs/heads/lost
	$MAIN refs/heads/to-main symref-target:refs/heads/main
	$MAIN refs/heads/to-sym symref-target:refs/heads/main
	$ZERO_OID refs/heads/zero
	$LOST refs/tags/lost
	$LOST refs/tags/packed-lost peeled:$MAIN
	$(git -C repo rev-parse v1) refs/tags/v1 peeled:$OLD
	$(git -C repo rev-parse v2) refs/tags/v2 peeled:$OLD
	EOF
	test_cmp expect actual && grep -c "^$ZERO_OID" all >count && echo 12 >expect && test_cmp expect count
'

test_expect_success STOCK_GIT 'broken refs are listed as by stock Git' '
	same_lists bad/.git &&
	for head in refs/heads/nowhere refs/heads/lost refs/heads/garbage refs/heads/to-sym $MAIN $LOST; do
		case $head in refs/*) echo "ref: $head" ;; *) echo $head ;; esac >bad/.git/HEAD &&
		same_lists bad/.git && same_lists bad/.git -c transfer.hideRefs=HEAD -c transfer.hideRefs=refs/heads/main || return 1
	done
'

test_expect_success 'of refs in tables, those to missing objects are shown, symbolic ones that lead nowhere are not' '
	cp -R repo tables && { ! test_have_prereq REFFILES || git -C tables refs migrate --ref-format=reftable; } && gone=$(lost_ref tables refs/heads/lost) &&
	for to in main sym nowhere loop lost; do git -C tables symbolic-ref refs/heads/to-$to refs/heads/$to || return 1; done &&
	git -C tables symbolic-ref refs/heads/sym refs/heads/main && git -C tables symbolic-ref refs/heads/loop refs/heads/to-loop &&
	lists git tables/.git >all && sed -n "1,/refs.heads.to-sym/p" all >actual &&
	cat >expect <<-EOF && test_cmp expect actual
	$MAIN HEAD symref-target:refs/heads/main
	$gone refs/heads/lost
	$MAIN refs/heads/main
	$OLD refs/heads/old
	$MAIN refs/heads/sym symref-target:refs/heads/main
	$gone refs/heads/to-lost symref-target:refs/heads/lost
	$MAIN refs/heads/to-main symref-target:refs/heads/main
	$MAIN refs/heads/to-sym symref-target:refs/heads/main
	EOF
'

test_expect_success 'a branch that is not born yet comes first, and only with its name' '
	echo "ref: refs/heads/nowhere" >bad/.git/HEAD && same_lists bad/.git && test "$(head -n 1 actual)" = "unborn HEAD symref-target:refs/heads/nowhere" &&
	cp ls.request all.request && printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 unborn 0000 | "$PKT" encode >ls.request &&
	same_lists bad/.git && test_grep ! unborn actual &&
	printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 unborn symrefs "ref-prefix HEA" "ref-prefix refs/heads/l" 0000 | "$PKT" encode >ls.request &&
	same_lists bad/.git && test_grep unborn actual && cp all.request ls.request
'

test_expect_success 'broken refs do not stop a fetch of others' '
	fetch_request "want $MAIN" include-tag done | serve bad/.git && git -C bad rev-list --objects main v2 >all 2>/dev/null &&
	cut -d" " -f1 all >wanted && pack_holds wanted &&
	printf "%s\n" "want $(git -C repo rev-parse main~1) side-band-64k no-progress" 0000 done >lines &&
	BANDS=1 PROTOCOL=version=0 && serve bad/.git -c transfer.hideRefs=refs/heads/old -c transfer.hideRefs=refs/tags <lines && BANDS= &&
	git -C repo rev-list --objects main~1 | cut -d" " -f1 >wanted && pack_holds wanted && unset PROTOCOL
'

# many SEED: refs in directories whose names begin alike, packed and some loose ones, or in a table
many () {
	git init -q -b main --bare many.git && cp -R repo/.git/objects many.git/ &&
	awk -v seed=$1 -v oid=$MAIN -v tag=$(git -C repo rev-parse v1) -v to=$(git -C repo rev-parse v1^{}) "BEGIN {
		srand(seed)
		split(\"heads tags pull pull-x pulls pull/a pull/a-b namespaces/n/refs/heads namespaces/n/refs/pull\", dirs, \" \")
		for (i = 0; i < 1500; i++) {
			name = \"refs/\" dirs[1 + int(rand() * 9)] \"/\" substr(\"abcdefgh\", 1 + int(rand() * 8), 1) int(rand() * 300)
			print name \" \" (rand() < 0.2 && name !~ \"^refs/heads/\" ? tag : oid)
		}
	}" </dev/null | sort -u -k1,1 >list &&
	if test_have_prereq REFFILES; then many_files; else sed "s/^/create /" list | git -C many.git update-ref --stdin; fi
}

many_files () {
	awk "NR % 10" list | awk -v tag=$(git -C repo rev-parse v1) -v to=$(git -C repo rev-parse v1^{}) "
		BEGIN { print \"# pack-refs with: peeled fully-peeled sorted \" }
		{ print \$2 \" \" \$1 }
		\$2 == tag { print \"^\" to }" >many.git/packed-refs &&
	awk "NR % 10 == 0" list | while read -r name oid; do
		mkdir -p many.git/$(dirname $name) && echo $oid >many.git/$name || return 1
	done
}

test_expect_success 'set up many refs' 'many 1'

test_expect_success STOCK_GIT 'many refs, hidden in many ways' '
	same_lists many.git && test $(wc -l <actual) -gt 2000 &&
	hide="-c transfer.hideRefs=" && for rules in refs/pull refs/pull/a refs/pull-x/ "refs/pull $hide!refs/pull/a" \
		"!refs/pull/a ${hide}refs/pull" "refs $hide!refs/heads $hide!refs/tags" "refs $hide!refs/pull ${hide}refs/pull/a" \
		"refs/pull/a ${hide}refs/pull/a-b $hide!refs/pull/a/a1" "refs/heads/a1 ${hide}refs/namespaces/n ${hide}refs/pulls" \
		^refs/pull "refs/pull/a ${hide}refs/pull $hide^refs/heads" refs/pul refs/; do
		same_lists many.git $hide$rules && same_lists many.git --namespace=n $hide$rules &&
		same_lists many.git --namespace=n $hide^refs/namespaces/n/$rules || return 1
	done
'

test_expect_success STOCK_GIT 'with prefixes' '
	for prefixes in refs/pull refs/pull/ "refs/heads/a refs/tags/b1" "refs/ HEAD" refs/pull/a/ "refs/heads/ refs/heads/a" none; do
		{ printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 symrefs peel &&
		  for prefix in $prefixes; do echo "ref-prefix $prefix" || return 1; done && echo 0000; } | "$PKT" encode >ls.request &&
		same_lists many.git && same_lists many.git -c transfer.hideRefs=refs/pull/a -c transfer.hideRefs=refs/heads/ &&
		same_lists many.git --namespace=n -c transfer.hideRefs=refs/pull || return 1
	done && cp all.request ls.request
'

test_expect_success REFFILES 'an unsorted packed-refs' '
	cp -R many.git unsorted.git && { sed -n "2,\$p" many.git/packed-refs | sed "/^^/d" | awk "{ a[NR] = \$0 } END { for (i = NR; i; i--) print a[i] }"; } \
		>unsorted.git/packed-refs &&
	lists git many.git -c transfer.hideRefs=refs/pull >expect && lists git unsorted.git -c transfer.hideRefs=refs/pull >actual && test_cmp expect actual
'

test_expect_success REFFILES 'directories that are hidden are not read, but for the first line that shows where they begin' '
	cp -R many.git damaged.git && awk "/ refs\/pull\/a\// && n++ { sub(/./, \"x\") } { print }" many.git/packed-refs \
		>damaged.git/packed-refs && lists git many.git -c transfer.hideRefs=refs/pull/a >expect &&
	lists git damaged.git -c transfer.hideRefs=refs/pull/a >actual && test_cmp expect actual &&
	test_must_fail lists git damaged.git && test_must_fail lists git damaged.git -c transfer.hideRefs=refs/pull/a -c transfer.hideRefs=!refs/pull/a/x
'

test_expect_success STRACE,REFFILES 'files of hidden refs are not read' '
	trace_calls calls openat git -c transfer.hideRefs=refs/pull upload-pack --http-backend-info-refs many.git >/dev/null &&
	test_grep "refs/heads" calls && test_grep "refs/pull-x/" calls && test_grep ! "[.]/refs/pull/" calls
'

test_expect_success STRACE 'objects are not read for refs that are hidden, or if peeled values are not asked for' '
	git -C repo update-ref refs/tags/tree main^{tree} && printf "%s\n" command=ls-refs object-format=$TEST_HASH 0001 symrefs 0000 | "$PKT" encode >request &&
	GIT_PROTOCOL=version=2 trace_calls calls openat git upload-pack --stateless-rpc repo <request && test_grep ! "objects/[0-9a-f][0-9a-f]/" calls &&
	trace_calls calls openat git -c transfer.hideRefs=refs -c transfer.hideRefs=!refs/heads/main upload-pack --http-backend-info-refs repo &&
	for name in v1 v2 tree; do
		test_grep ! "objects/$(git -C repo rev-parse $name | sed "s|^..|&/|")" calls || return 1
	done
'

test_expect_success 'clients may want advertised objects after their refs have moved' '
	git -C repo update-ref refs/heads/moves $MAIN && git -C repo update-ref refs/heads/gone \
		$(git -C repo commit-tree -m gone -p $MAIN main^{tree}) && GONE=$(git -C repo rev-parse gone) &&
	printf "%s\n" "want $GONE side-band-64k no-progress" 0000 done | "$PKT" encode >wants && rm -f raw &&
	{ while ! test -s raw; do sleep 0.1; done && git -C repo update-ref -d refs/heads/gone && cat wants; } |
		git upload-pack repo >raw && "$PKT" decode pack --bands <raw >answer && test_grep "^NAK" answer &&
	git -C repo rev-list --objects $GONE | cut -d" " -f1 >wanted && pack_holds wanted &&
	test_must_fail git upload-pack repo <wants >raw && "$PKT" decode <raw >answer && test_grep "not our ref $GONE" answer
'

test_done
