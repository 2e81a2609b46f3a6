#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='upload-pack: when enough is known, and what it costs to find out'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-serve.sh"

HELPER=$GIT_BUILD_DIR/t/helper
CAPS="multi_ack_detailed side-band-64k ofs-delta no-progress object-format=$TEST_HASH"

# rounds WANTS HAVE...: one round for each have; in `ready` the number of the first one that is enough, 0: none
rounds () {
	local wants=$1 have caps=" $CAPS"
	shift
	{
		for have in $wants; do echo "want $have$caps" && caps=; done && echo 0000 &&
		for have; do echo "have $have" && echo 0000 || return 1; done && echo done
	} | "$PKT" encode >request && git upload-pack random <request >raw 2>err &&
	"$PKT" decode pack --bands <raw >answer &&
	sed "1,/^0000/d" answer |
	awk '/^NAK/ { n++ } / ready$/ && !ready { ready = n + 1 } END { print ready + 0 }' >ready
}

# expected WANTS HAVE...: the same by the plainest means. Parents of what the client has are had, too
expected () {
	awk -v wants="$1" '
		NR == FNR { date[$2] = $1; for (i = 3; i <= NF; i++) parent[$2, i - 2] = $i; nr[$2] = NF - 2; next }
		{ have[$1] = 1; for (j = 1; j <= nr[$1]; j++) have[parent[$1, j]] = 1
		  if (oldest == "" || date[$1] < oldest) oldest = date[$1]
		  ready = 1; n = split(wants, w, " ")
		  for (i = 1; i <= n; i++) {
			split("", seen); top = 1; stack[1] = w[i]; found = 0
			while (top && !found) {
				c = stack[top--]
				if (c in have) found = 1
				else if (!(c in seen) && (c == w[i] || date[c] >= oldest))
					for (j = 1; j <= nr[c]; j++) stack[++top] = parent[c, j]
				seen[c] = 1
			}
			if (!found) ready = 0
		  }
		  if (ready && !first) first = FNR }
		END { print first + 0 }' graph haves >expect
}

test_expect_success 'random histories, with clocks that go wrong' '
	git init -q random && (cd random && "$HELPER/random-history" 7 150) &&
	git -C random rev-list --all --parents --timestamp >graph && cut -d" " -f2 graph >commits &&
	git -C random for-each-ref --format="%(objectname)" refs/heads >tips &&
	nr=$(wc -l <commits) && nr_tips=$(wc -l <tips) && : >all &&
	for i in $(test_seq 60)
	do
		wants=$(sed -n "$((i * 7 % nr_tips + 1))p;$((i * 11 % nr_tips + 1))p" tips) && wants=$(echo $wants) &&
		for j in 1 2 3 4 5 6 7 8; do sed -n "$(((i * 31 + j * j * 17 + j * i) % nr + 1))p" commits; done >haves &&
		rounds "$wants" $(cat haves) && expected "$wants" && test_cmp expect ready && cat ready >>all || return 1
	done && sort -u all >kinds && test_line_count -gt 4 kinds && test_grep "^0$" kinds
'

# dialogue NR: so many rounds, each with another have that is not enough; sets `steps`
dialogue () {
	{
		echo "want $(git -C chains rev-parse wanted) $CAPS" && echo 0000 &&
		git -C chains rev-list -n $1 had | sed "s/^/have /; s/\$/\n0000/" && echo done
	} | "$PKT" encode >request &&
	GIT_TRACE2_EVENT="$PWD/trace" git upload-pack chains <request >raw && "$PKT" decode pack --bands <raw >answer &&
	test $(grep -c " common" answer) = $1 && test_grep ! " ready" answer &&
	steps=$(sed -n "s/.*\"negotiation\",\"key\":\"steps\",\"value\":\"*\([0-9]*\).*/\1/p" trace) && rm trace
}

test_expect_success 'many rounds cost no more than one: each commit is looked at once' '
	git init -q chains && (cd chains && tree=$(git mktree </dev/null) &&
	 make () {
		c= && for i in $(test_seq $3); do
			c=$(GIT_AUTHOR_DATE="$(($2 + i)) +0000" GIT_COMMITTER_DATE="$(($2 + i)) +0000" \
				git commit-tree ${c:+-p $c} -m "$1 $i" $tree) || return 1
		done && git update-ref refs/heads/$1 $c
	 } && make wanted 1600000000 300 && make had 1500000000 300) &&
	dialogue 20 && test $steps -ge 320 && test $steps -le 321 && dialogue 300 && test $steps -ge 600 && test $steps -le 601
'

test_expect_success 'upload-pack forgets the haves of an earlier request' '
	W=$(git -C chains rev-parse wanted) && P=$(git -C chains rev-parse wanted~5) && O=$(git -C chains rev-parse had) &&
	{ fetch_request "want $W" "have $O" && fetch_request "want $W" "have $P" && fetch_request "want $W" "have $O"; } >lines && STATELESS= && serve chains <lines && unset STATELESS &&
	grep -E "^(ACK|ready|packfile)" answer >actual &&
	printf "%s\n" "ACK $O" "ACK $P" ready packfile "ACK $O" >expect && test_cmp expect actual
'

test_done
