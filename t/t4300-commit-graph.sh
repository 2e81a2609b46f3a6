#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='commit-graphs: what they are used for, and files that are damaged'
. "$(dirname "$0")/test-lib.sh"

GRAPH=.git/objects/info/commit-graph
CHAINS=.git/objects/info/commit-graphs

# make NAME FILE [PARENT...]: a commit, and the tag NAME, that changes FILE of the first parent
make () {
	local name=$1 file=$2 p= parents=
	shift 2
	for p; do
		parents="$parents -p $p"
	done
	now=$((now + 60)) &&
	if test $# = 0; then
		GIT_INDEX_FILE=ix git read-tree --empty
	else
		GIT_INDEX_FILE=ix git read-tree "$1"
	fi &&
	blob=$(echo "$name" | git hash-object -w --stdin) &&
	GIT_INDEX_FILE=ix git update-index --add --cacheinfo "100644,$blob,$file" &&
	tree=$(GIT_INDEX_FILE=ix git write-tree) &&
	commit=$(echo "$name" | GIT_COMMITTER_DATE="@$now +0000" GIT_AUTHOR_DATE="@$now +0000" \
		git commit-tree $parents "$tree") &&
	git tag "$name" "$commit"
}

# A line of twelve, a side branch, an octopus, a second root.
make_repo () {
	git init -q -b main "$1" && cd "$1" && now=1500000000 &&
	make c0 file &&
	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		make c$i $(test $((i % 3)) = 0 && echo dir/sub/x || echo file) c$((i - 1)) || return 1
	done &&
	make s1 dir/y c4 && make s2 file s1 && make root2 other && make s3 dir/sub/x c7 &&
	make octo file c11 s2 s3 root2 && make top dir/y octo &&
	git update-ref refs/heads/main top && cd ..
}

# poke FILE OFFSET OCTAL...: change bytes
poke () {
	chmod u+w "$1" && printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# be NUMBER-OF-BYTES FILE OFFSET: an unsigned number
be () {
	od -An -v -tu1 -j "$3" -N "$1" "$2" | awk '{ for (i = 1; i <= NF; i++) n = n * 256 + $i } END { printf "%d", n }'
}

# chunk FILE ID: the offset of a chunk
chunk () {
	local i=0 n
	n=$(be 1 "$1" 6)
	while test $i -lt $n; do
		if test "$(dd if="$1" bs=1 skip=$((8 + 12 * i)) count=4 2>/dev/null)" = "$2"; then
			be 8 "$1" $((8 + 12 * i + 4))
			return
		fi
		i=$((i + 1))
	done
	return 1
}

# same ARGS: the same with the graph and without it
same () {
	git "$@" >with && git -c core.commitGraph=false "$@" >without && test_cmp without with
}

test_expect_success 'set-up' '
	make_repo r && cp -R r plain && cd r && git commit-graph write --reachable --changed-paths &&
	test_path_is_file $GRAPH && git commit-graph verify && test "$(be 4 $GRAPH 0)" = 1128747080
'

test_expect_success 'the file has the chunks that it should' '
	for id in OIDF OIDL CDAT GDA2 EDGE BIDX BDAT; do
		chunk r/$GRAPH $id >/dev/null || return 1
	done &&
	! chunk r/$GRAPH GDO2 && ! chunk r/$GRAPH BASE &&
	cd r && rm -f $GRAPH && git -c commitGraph.generationVersion=1 commit-graph write --reachable &&
	! chunk $GRAPH GDA2 && ! chunk $GRAPH BIDX && git commit-graph verify &&
	rm -f $GRAPH && git commit-graph write --reachable --changed-paths
'

test_expect_success 'walks are the same with and without' '
	cd r && for o in "" --topo-order --date-order --author-date-order --graph --first-parent \
		"--graph -3" "c3..top --topo-order" "c3..top --graph --boundary" "--left-right s2...c9" \
		"-- dir" "-- dir/sub/x" "-- dir/sub" "-- other" "-- nothing" "--graph -- file" \
		"--full-history -- dir/y" "--first-parent -- dir" "--topo-order -- dir/sub dir/y" \
		"-- :(icase)DIR/Y" "-- :(exclude)file" "-- d*/y" "-- dir/*/x" "-- :(literal)d*/y" \
		"-- other :!nothing" "--topo-order s2 c11 root2" "--graph s3 root2 c11 s1" "--graph -- dir/y" \
		"--parents --topo-order -- dir/sub/x" "--graph --full-history -- dir/sub other" \
		"--graph --since=1500000300" "--topo-order --until=1500000500" "--topo-order --reverse"
	do
		same log --format="%m %H %P" $o || return 1
	done &&
	for o in --bisect --bisect-vars --bisect-all "--bisect-all --graph"; do
		same rev-list --topo-order $o top ^c3 || return 1
	done &&
	for rev in top~1 top~4 top~5 top~12 octo^2~5 octo^3~4 s3~8; do
		same rev-parse $rev || return 1
	done &&
	test_must_fail git rev-parse --verify -q top~40 && same rev-parse c9...s2 s3...s2 &&
	same for-each-ref --format="%(refname) %(ahead-behind:c8)" &&
	same for-each-ref --merged=c9 && same for-each-ref --contains=c5
'

test_expect_success 'a merged commit is found in its descendants' '
	cp -R r merged && cd merged && git branch in c5 && git branch side s1 && git branch -d in side &&
	git update-ref refs/heads/main c9 && git branch out octo && test_must_fail git branch -d out &&
	git branch beside s2 && test_must_fail git branch -d beside && git branch same c9 && git branch -d same
'

# HEAD~4 and so on lead through a commit that is not there.
test_expect_success 'commits need not be read' '
	cp -R r missing && cd missing && gone=$(git rev-parse c9) &&
	rm -f .git/objects/$(echo $gone | sed "s|..|&/|") &&
	test "$(git rev-parse main~6)" = "$(git rev-parse c7)" &&
	test_must_fail git -c core.commitGraph=false rev-parse --verify main~6 &&
	git log --format="%H %h %T %P%%" >out && test_line_count = 18 out && test_must_fail git log --format=%s &&
	git tag -d c9 && git branch tip c8 && git branch --no-track other top &&
	git for-each-ref --merged=top --format="%(refname)" refs/heads >out && test_line_count = 3 out &&
	test_must_fail git -c core.commitGraph=false for-each-ref --merged=top refs/heads
'

# Only who goes all the way down meets the parent that is wrong.
test_expect_success 'an ordered walk begins before the history has been read' '
	cp -R r lazy && cd lazy &&
	n=$(be 4 $GRAPH $(($(chunk $GRAPH OIDF) + 1020))) && names=$(chunk $GRAPH OIDL) &&
	raw=$((OID_HEXLEN / 2)) && c=$(git rev-parse c1) && i=0 &&
	while test "$(od -An -v -tx1 -j $((names + raw * i)) -N $raw $GRAPH | tr -d " \n")" != $c; do
		i=$((i + 1)) && test $i -lt $n || return 1
	done &&
	poke $GRAPH $(($(chunk $GRAPH CDAT) + (raw + 16) * i + raw)) "\\0\\1\\0\\0" &&
	for order in --topo-order --date-order --author-date-order --graph; do
		git log $order -2 --format=%s >out && test_line_count -ge 2 out &&
		test_must_fail git log $order --format=%s 2>err &&
		test_grep "invalid commit position. commit-graph is likely corrupt" err || return 1
	done &&
	test_must_fail git rev-parse --verify top~13 && git rev-parse --verify top~12 &&
	test_expect_code 1 git commit-graph verify 2>err &&
	test_grep "failed to parse commit $c from commit-graph" err
'

# Filters without a bit say that nothing has ever changed.
test_expect_success 'log -- path asks the filters' '
	cp -R r filters && cd filters && git log --format=%s -- dir/y >expect &&
	test_line_count = 1 expect &&
	at=$(($(chunk $GRAPH BDAT) + 12)) && len=$(be 4 $GRAPH $(($(chunk $GRAPH BDAT) - 4))) &&
	chmod u+w $GRAPH && dd if=/dev/zero of=$GRAPH bs=1 seek=$at count=$len conv=notrunc 2>/dev/null &&
	git log --format=%s -- dir/y >out && test_must_be_empty out &&
	git log --format=%s -- "*y" >out && test_cmp expect out &&
	git log --format=%s -- dir/y ":(icase)DIR/Y" >out && test_cmp expect out &&
	for off in commitGraph.changedPathsVersion=0 commitGraph.changedPathsVersion=2 \
		commitGraph.readChangedPaths=false core.commitGraph=false; do
		git -c $off log --format=%s -- dir/y >out && test_cmp expect out || return 1
	done &&
	git -c commitGraph.readChangedPaths=false -c commitGraph.changedPathsVersion=1 \
		log --format=%s -- dir/y >out && test_must_be_empty out
'

test_expect_success 'names beyond ASCII: only filters of version 2 are asked' '
	git init -q -b main utf && cd utf && now=1500000000 && n=$(printf "\303\244") &&
	make u0 file && make u1 "$n/$n" u0 && make u2 file u1 && git update-ref refs/heads/main u2 &&
	for v in 1 2; do
		rm -f $GRAPH && git -c commitGraph.changedPathsVersion=$v commit-graph write --reachable \
			--changed-paths && test "$(be 4 $GRAPH $(chunk $GRAPH BDAT))" = $v &&
		at=$(($(chunk $GRAPH BDAT) + 12)) &&
		{ test $TEST_HASH != sha1 || od -An -v -tx1 -j $at -N 9 $GRAPH >bits$v; } &&
		echo u1 >expect && git log --format=%s -- "$n/$n" >out && test_cmp expect out &&
		at=$(($(chunk $GRAPH BDAT) + 12)) && len=$(be 4 $GRAPH $(($(chunk $GRAPH BDAT) - 4))) &&
		chmod u+w $GRAPH && dd if=/dev/zero of=$GRAPH bs=1 seek=$at count=$len conv=notrunc 2>/dev/null &&
		git log --format=%s -- "$n/$n" >out && test_line_count = $((2 - v)) out || return 1
	done
'

# ---- where it must not be used ----

test_expect_success 'replaced objects, grafts and shallow clones: neither used nor written' '
	cd r && cp -R . ../odd && cd ../odd && git update-ref refs/replace/$(git rev-parse c9) c5 &&
	git log --format=%s >out && ! grep -x c9 out && ! grep -x c8 out &&
	git --no-replace-objects log --format=%s >out && grep -x c8 out && git commit-graph verify &&
	rm $GRAPH && git commit-graph write --reachable && test_path_is_missing $GRAPH &&
	git update-ref -d refs/replace/$(git rev-parse c9) &&
	git commit-graph write --reachable && test_path_is_file $GRAPH &&
	mkdir -p .git/info && git rev-parse c9 >.git/info/grafts &&
	git log --format=%s c11 >out && test_line_count = 3 out && test_must_fail git rev-parse -q --verify c11~6 &&
	rm .git/info/grafts && git rev-parse c9 >.git/shallow &&
	git log --graph --format=%s c11 >out && test_line_count = 3 out &&
	rm $GRAPH && git commit-graph write --reachable && test_path_is_missing $GRAPH
'

test_expect_success 'core.commitGraph=false' '
	cp -R plain off && cd off && git -c core.commitGraph=false commit-graph write --reachable 2>err &&
	test_grep "core.commitGraph. is disabled" err && test_path_is_missing $GRAPH &&
	git -c commitGraph.changedPathsVersion=3 commit-graph write --reachable 2>err &&
	test_grep "(3) is not supported" err && test_path_is_missing $GRAPH
'

# ---- damaged files ----

# damaged MESSAGE: told once, and all works without the graph
damaged () {
	git log --graph --format=%s >out 2>err && test_cmp ../whole out &&
	test_grep "^error: $1" err && test_line_count = 1 err &&
	test_expect_code 1 git commit-graph verify 2>err && test_grep "$1" err
}

# with OFFSET BYTES MESSAGE
with () {
	cp whole.graph $GRAPH && poke $GRAPH "$1" "$2" && damaged "$3"
}

test_expect_success 'headers and tables that are wrong' '
	cp -R r bad && cd bad && cp $GRAPH whole.graph && git log --graph --format=%s >../whole &&
	with 0 X "commit-graph signature 58475048 does not match signature 43475048" &&
	with 4 "\\2" "commit-graph version 2 does not match version 1" &&
	with 5 "\\7" "commit-graph hash version 7 does not match" &&
	with 6 "\\377" "commit-graph file is too small to hold 255 chunks\|improper chunk" &&
	with 6 "\\1" "final chunk has non-zero id" &&
	with 7 "\\1" "commit-graph has no base graphs chunk" &&
	with 8 XXXX "commit-graph required OID fanout chunk missing" &&
	with 20 XXXX "commit-graph required OID lookup chunk missing" &&
	with 32 XXXX "commit-graph required commit data chunk missing" &&
	with 8 "OIDL" "duplicate chunk ID 4f49444c found" &&
	with 8 "\\0\\0\\0\\0" "terminating chunk id appears earlier" &&
	with 12 "\\377" "improper chunk offset" && with 26 "\\377" "improper chunk offset" &&
	with 31 "\\377" "commit-graph oid fanout chunk is wrong size\|improper" &&
	with 43 "\\377" "commit-graph OID lookup chunk is the wrong size" &&
	with 55 "\\0" "commit-graph commit data chunk is wrong size" &&
	with 67 "$(printf "\\\\%o" $(($(chunk whole.graph EDGE) % 256 + 1)))" "commit-graph generations chunk is wrong size" &&
	with "$(chunk whole.graph OIDF)" "\\177" "commit-graph fanout values out of order"
'

test_expect_success 'files that are cut off' '
	cd bad && size=$(wc -c <whole.graph) && rm -f $GRAPH && at=0 &&
	while test $at -lt $size; do
		chmod u+w $GRAPH 2>/dev/null
		dd if=whole.graph of=$GRAPH bs=$at count=1 2>/dev/null || : >$GRAPH
		git log --graph --format=%s >out 2>err && test_cmp ../whole out && test_file_not_empty err || return 1
		at=$((at + 131))
	done
'

test_expect_success 'a directory, a link into nothing, no permission' '
	cd bad && rm -f $GRAPH && mkdir $GRAPH && git log --graph --format=%s >out 2>err &&
	test_cmp ../whole out && rmdir $GRAPH && ln -s nowhere $GRAPH &&
	git log --graph --format=%s >out 2>err && test_cmp ../whole out && rm $GRAPH
'

test_expect_success 'tables that do not fit are no reason for a crash' '
	cd bad && cp whole.graph $GRAPH && poke $GRAPH $(chunk whole.graph EDGE) "\\0\\377" &&
	test_must_fail git log --topo-order --format=%s 2>err && test_grep "commit-graph is likely corrupt" err &&
	cp whole.graph $GRAPH && poke $GRAPH $(($(chunk whole.graph BDAT) - 4)) "\\377" &&
	git log --format=%s -- file >out && git -c core.commitGraph=false log --format=%s -- file | test_cmp - out &&
	cp whole.graph $GRAPH && poke $GRAPH $(chunk whole.graph GDA2) "\\377" &&
	test_must_fail git log --topo-order --format=%s 2>err &&
	test_grep "commit-graph requires overflow generation data but has none" err
'

# finds OFFSET BYTES MESSAGE: verify does, though the checksum is right
finds () {
	cp whole.graph $GRAPH && poke $GRAPH "$1" "$2" &&
	test_expect_code ${4:-1} git commit-graph verify 2>err && test_grep "incorrect checksum" err &&
	test_grep "$3" err
}

test_expect_success 'verify finds wrong data' '
	cd bad && raw=$((OID_HEXLEN / 2)) && cdat=$(chunk whole.graph CDAT) &&
	finds $((cdat + 1)) "\\1\\2\\3" "root tree OID for commit" &&
	finds $((cdat + raw)) "\\0\\0\\0\\0" "commit-graph parent " &&
	finds $(chunk whole.graph EDGE) "\\200" "parent list for commit .* terminates early" &&
	finds $(chunk whole.graph EDGE) "\\0\\0\\0\\0\\0\\0\\0\\0" "commit-graph parent for .* is" &&
	sed -n "s/.*commit-graph parent for \([0-9a-f]*\) is.*/\1/p" err >names && test_line_count -gt 1 names &&
	sort -u names >one && test_line_count = 1 one &&
	finds $((cdat + raw + 12)) "\\0\\0\\0\\1" "commit date for commit .* in commit-graph is 1 != 15000" &&
	finds $((cdat + raw + 8)) "\\0\\0\\0\\0" "both zero and non-zero generations" &&
	finds $(chunk whole.graph OIDL) "\\377" "commit-graph has incorrect OID order" &&
	first=$(be 1 whole.graph $(chunk whole.graph OIDL)) &&
	finds $(($(chunk whole.graph OIDF) + 4 * first + 3)) "\\0" "incorrect fanout value: fanout.$first. = 0 != " &&
	finds $(($(wc -c <whole.graph) - 2)) "\\1\\2" "incorrect checksum" 2 &&
	cp whole.graph $GRAPH && git commit-graph verify
'

test_expect_success 'fsck verifies it, too' '
	cd bad && cp whole.graph $GRAPH && git fsck && git fsck --connectivity-only &&
	poke $GRAPH $(($(chunk whole.graph CDAT) + raw + 12)) "\\0\\0\\0\\1" && test_expect_code 16 git fsck 2>err &&
	test_grep "^the commit-graph file has incorrect checksum" err && test_grep "^commit date for commit" err &&
	git -c core.commitGraph=false fsck && poke $GRAPH 0 X && test_expect_code 16 git fsck --connectivity-only 2>err &&
	test_grep "^error: commit-graph signature" err && cp whole.graph $GRAPH
'

test_expect_success 'verify finds commits that are gone' '
	cd missing && test_expect_code 1 git commit-graph verify 2>err &&
	test_grep "failed to parse commit $gone from object database" err
'

# ---- choosing commits ----

# count: commits in the graph
count () {
	be 4 $GRAPH $(($(chunk $GRAPH OIDF) + 1020))
}

test_expect_success 'from refs, standard input, packs; append' '
	cp -R plain choose && cd choose && git commit-graph write && test_path_is_missing $GRAPH &&
	git rev-parse c3 | git commit-graph write --stdin-commits && test "$(count)" = 4 &&
	git rev-parse s1 | git commit-graph write --stdin-commits && test "$(count)" = 6 &&
	git rev-parse c6 | git commit-graph write --stdin-commits --append && test "$(count)" = 8 &&
	git tag -a -m tagged annotated c1 && git rev-parse annotated c0^{tree} >in &&
	git commit-graph write --stdin-commits <in && test "$(count)" = 2 &&
	git commit-graph write --reachable && test "$(count)" = 18 && git commit-graph verify
'

test_expect_success 'input that is wrong' '
	cd choose && echo nonsense | test_expect_code 1 git commit-graph write --stdin-commits 2>err &&
	test_grep "unexpected non-hex object ID: nonsense" err &&
	echo $EMPTY_BLOB | tr 0-9a-f 1-9a-f0 | test_expect_code 1 git commit-graph write --stdin-commits 2>err &&
	test_grep "invalid object: " err &&
	echo pack-none.idx | test_expect_code 128 git commit-graph write --stdin-packs 2>err &&
	test_grep "error adding pack .*pack-none.idx" err &&
	test_expect_code 128 git commit-graph write --reachable --stdin-commits 2>err &&
	test_grep "use at most one of" err &&
	test_expect_code 129 git commit-graph && test_expect_code 129 git commit-graph nonsense &&
	test_expect_code 129 git commit-graph write --nonsense && test_expect_code 129 git commit-graph write x &&
	test_expect_code 129 git commit-graph verify --reachable &&
	test_expect_code 129 git commit-graph write --max-new-filters=x &&
	test_expect_code 128 git commit-graph write --split=nonsense 2>err &&
	test_grep "unrecognized --split argument, nonsense" err &&
	test_expect_code 128 git commit-graph write --expire-time=nonsense 2>err &&
	test_grep "^fatal: malformed expiration date .nonsense.$" err &&
	test_expect_code 128 git commit-graph write --object-dir=/ 2>err &&
	test_grep "could not find object directory matching /" err && git commit-graph verify
'

test_expect_success 'a commit that cannot be read: nothing is written' '
	cp -R missing gone && cd gone && rm $GRAPH && test_must_fail git commit-graph write --reachable 2>err &&
	test_grep "failed to parse commit" err && test_path_is_missing $GRAPH && test_path_is_missing $GRAPH.lock
'

test_expect_success 'a lock is respected, and stays' '
	cd choose && >$GRAPH.lock && cp $GRAPH before && test_must_fail git commit-graph write --reachable 2>err &&
	test_grep "commit-graph.lock.: File exists" err && test_cmp_bin before $GRAPH && rm $GRAPH.lock &&
	mkdir -p $CHAINS && >$CHAINS/commit-graph-chain.lock &&
	test_must_fail git commit-graph write --reachable --split=replace && rm $CHAINS/commit-graph-chain.lock
'

test_expect_success 'packed commits' '
	cp -R plain packed && cd packed && git rev-parse c5 >c5 &&
	git -c bulkCheckin.unpackLimit=1 commit-tree -p c11 -m packed "c11^{tree}" >new &&
	ls .git/objects/pack | grep idx >idx && test_line_count = 1 idx && git commit-graph write && test "$(count)" = 13 &&
	rm $GRAPH && git commit-graph write --stdin-packs <idx && test "$(count)" = 13 && git commit-graph verify
'

test_expect_success 'dates before their parents, and beyond 32 and 34 bits' '
	git init -q -b main dates && cd dates && now=16000000000 && make d0 file && now=1 && make d1 file d0 &&
	now=20000000000 && make d2 file d1 && now=0 && make d3 file d2 && git update-ref refs/heads/main d3 &&
	git commit-graph write --reachable && git commit-graph verify && chunk $GRAPH GDO2 >/dev/null &&
	test "$(git log --topo-order --format=%s | tr "\n" " ")" = "d3 d2 d1 d0 " &&
	now=15000000000 && make e1 file d0 && now=5 && make e2 file d1 e1 && git update-ref refs/heads/e e2 &&
	git commit-graph write --reachable && same log --first-parent --date-order --format=%s e2 e1 &&
	git branch --contains d0 >out && test_line_count = 2 out && same for-each-ref --format="%(ahead-behind:d0)"
'

# Without generations, ancestors can be met before common descendants that lead to them.
test_expect_success 'commits of the same second' '
	git init -q -b main second && cd second && i=0 &&
	while read -r parents; do
		now=1499999940 && make q$i file $parents && i=$((i + 1)) || return 1
	done <<-\EOF &&

	q0
	q1
	q2
	q0 q2
	q3
	q4 q3
	q3 q5
	q4
	q8
	q6 q7
	q8 q6
	q11
	EOF
	git for-each-ref --format="%(refname:short) %(ahead-behind:q3)" >out && grep "^q12 5 0$" out &&
	git commit-graph write --reachable && git commit-graph verify &&
	for q in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
		same for-each-ref --format="%(refname) %(ahead-behind:q$q)" &&
		same for-each-ref --merged=q$q && same for-each-ref --contains=q$q &&
		same log --graph --format=%s q$q q10 q9 || return 1
	done
'

# ---- filters ----

test_expect_success 'filters: kept, left out, limited' '
	cp -R plain bloom && cd bloom && git commit-graph write --reachable && ! chunk $GRAPH BIDX &&
	git -c commitGraph.changedPaths=true commit-graph write --reachable && chunk $GRAPH BIDX >at &&
	cp $GRAPH full && git commit-graph write --reachable && test_cmp_bin full $GRAPH &&
	git commit-graph write --reachable --no-changed-paths && ! chunk $GRAPH BIDX &&
	git commit-graph write --reachable --changed-paths --max-new-filters=3 && ! cmp -s full $GRAPH &&
	for i in 1 2 3 4; do
		git -c commitGraph.maxNewFilters=4 commit-graph write --reachable --changed-paths || return 1
	done &&
	test_cmp_bin full $GRAPH && git commit-graph write --reachable --no-changed-paths &&
	git -c commitGraph.maxNewFilters=0 commit-graph write --reachable --changed-paths --no-max-new-filters &&
	test_cmp_bin full $GRAPH && same log --format=%s -- dir
'

test_expect_success 'a commit that changes very much' '
	git init -q -b main many && cd many && i=0 &&
	blob=$(echo x | git hash-object -w --stdin) &&
	while test $i -lt 600; do echo "100644 blob $blob	f$i" && i=$((i + 1)); done >list &&
	t600=$(git mktree <list) && t512=$(head -n 512 list | git mktree) && t0=$(git mktree </dev/null) &&
	c0=$(git commit-tree -m c0 $t0) && c1=$(git commit-tree -m c1 -p $c0 $t600) &&
	c2=$(git commit-tree -m c2 -p $c1 $t600) && c3=$(git commit-tree -m c3 -p $c0 $t512) &&
	for c in $c1 $c2 $c3; do git update-ref refs/heads/$c $c || return 1; done &&
	git commit-graph write --reachable --changed-paths && bidx=$(chunk $GRAPH BIDX) &&
	for i in 0 1 2 3; do be 4 $GRAPH $((bidx + 4 * i)) && echo; done |
	awk "{ print \$1 - last; last = \$1 }" | sort -n | tr "\n" " " >sizes && test "$(cat sizes)" = "1 1 1 640 " &&
	same log --format=%s --all -- f599 && same log --format=%s --all -- f5 nothing
'

# ---- chains ----

layers () {
	wc -l <$CHAINS/commit-graph-chain | tr -d " "
}

add () {
	git rev-parse "$1" | git commit-graph write --stdin-commits ${2:+"$2"} $3 && git commit-graph verify
}

test_expect_success 'layers' '
	cp -R plain chain && cd chain && add c3 --split=no-merge && test_path_is_missing $GRAPH && test "$(layers)" = 1 &&
	add c4 --split=no-merge && test "$(layers)" = 2 && cp $CHAINS/commit-graph-chain before &&
	add c4 --split=no-merge && test_cmp before $CHAINS/commit-graph-chain &&
	add c6 --split=no-merge --changed-paths && add main --split=no-merge && test "$(layers)" = 4 &&
	ls $CHAINS/graph-*.graph >files && test_line_count = 4 files && test_path_is_missing $GRAPH &&
	same log --graph --format="%H %P" && same log --format=%s -- dir && same rev-parse top~9 &&
	same for-each-ref --format="%(refname) %(ahead-behind:c8)"
'

test_expect_success 'a single file becomes the lowest layer, and layers a single file' '
	cp -R plain there && cd there && add c9 && cp $GRAPH c9.graph && add main --split=no-merge &&
	test_path_is_missing $GRAPH && test "$(layers)" = 2 &&
	test_cmp_bin c9.graph $CHAINS/graph-$(head -n 1 $CHAINS/commit-graph-chain).graph &&
	git commit-graph write --reachable && test_path_is_file $GRAPH &&
	ls $CHAINS >files && test_must_be_empty files && git commit-graph verify
'

test_expect_success 'small layers are taken in' '
	cp -R plain merge && cd merge && add c9 --split && test "$(layers)" = 1 && add c10 --split && test "$(layers)" = 2 &&
	add c11 --split && test "$(layers)" = 2 && add s2 --split && test "$(layers)" = 2 &&
	add main --split=replace && test "$(layers)" = 1 && ls $CHAINS/graph-*.graph >files && test_line_count = 1 files &&
	rm -r $CHAINS && add c9 --split && add c10 --split --size-multiple=20 && test "$(layers)" = 1 &&
	add c11 --split "--max-commits=1 --size-multiple=1" && test "$(layers)" = 2 &&
	add s1 --split --size-multiple=0 && test "$(layers)" = 2 &&
	add main --split "--max-commits=1 --size-multiple=1" && test "$(layers)" = 1
'

test_expect_success 'unused layers expire' '
	cp -R plain expire && cd expire && add c3 --split && add c5 --split=replace --expire-time=1.day.ago &&
	ls $CHAINS/graph-*.graph >files && test_line_count = 2 files &&
	touch -t 202001010000 $(grep -v $(cat $CHAINS/commit-graph-chain) files) &&
	add c7 --split=no-merge --expire-time=1.day.ago && ls $CHAINS/graph-*.graph >files && test_line_count = 2 files &&
	add c9 --split=replace && ls $CHAINS/graph-*.graph >files && test_line_count = 1 files
'

test_expect_success 'chains that are damaged' '
	cp -R chain broken && cd broken && git -c core.commitGraph=false log --graph --format=%s >../whole &&
	mv $CHAINS/graph-$(sed -n 2p $CHAINS/commit-graph-chain).graph away && damaged "unable to find all commit-graph files" &&
	mv away $CHAINS/graph-$(sed -n 2p $CHAINS/commit-graph-chain).graph && git commit-graph verify &&
	cp $CHAINS/commit-graph-chain chain && chmod u+w $CHAINS/commit-graph-chain &&
	sed "2s/.*/nonsense/" chain >$CHAINS/commit-graph-chain && damaged "invalid commit-graph chain: line .nonsense. not a hash" &&
	echo short >$CHAINS/commit-graph-chain && damaged "commit-graph chain file too small" &&
	sed 1d chain >$CHAINS/commit-graph-chain && damaged "commit-graph \(chain does not match\|base graphs\)" &&
	sed "1h;2{p;x}" chain | sed 1d >$CHAINS/commit-graph-chain && damaged "commit-graph" &&
	cp chain $CHAINS/commit-graph-chain && f=$CHAINS/graph-$(sed -n 1p chain).graph &&
	poke $f $(($(wc -c <$f) - 1)) "\\1" && damaged "commit-graph chain does not match"
'

test_expect_success 'verify --shallow looks at the tip alone' '
	cp -R chain tip && cd tip && f=$CHAINS/graph-$(sed -n 1p $CHAINS/commit-graph-chain).graph &&
	poke $f $(($(chunk $f CDAT) + 1)) "\\1\\2" && test_expect_code 1 git commit-graph verify && git commit-graph verify --shallow
'

test_expect_success 'alternates' '
	git init -q borrower && echo "$PWD/chain/.git/objects" >borrower/.git/objects/info/alternates && cd borrower &&
	git update-ref refs/heads/main $(git -C ../chain rev-parse main) && same log --graph --format="%H" main &&
	git commit-graph verify --object-dir="$PWD/../chain/.git/objects" && now=1600000000 && make mine file main &&
	git commit-graph write --reachable --split=no-merge && test "$(layers)" = 5 && git commit-graph verify &&
	ls $CHAINS/graph-* >files && test_line_count = 1 files && same log --graph --format="%H" mine &&
	git commit-graph write --reachable && test "$(count)" = 19
'

test_expect_success 'SHA-256' '
	git init -q --object-format=sha256 -b main long && cd long && now=1500000000 && make l0 a && make l1 dir/b l0 &&
	make l2 c l1 l0 && git update-ref refs/heads/main l2 && git commit-graph write --reachable --changed-paths --split &&
	git commit-graph verify && test "$(be 1 $CHAINS/graph-*.graph 5)" = 2 && same log --graph --format=%H && same log --format=%s -- dir
'

test_expect_success 'permissions of the files of a commit-graph' '
	for set in "022 umask -r--r--r-- drwxr-xr-x" "077 umask -r-------- drwx------" \
		"077 group -r--r----- drwxrws---" "077 all -r--r--r-- drwxrwsr-x"; do
		rm -rf modes && cp -R plain modes && set -- $set && umask $1 &&
		git -C modes config core.sharedRepository $2 && (cd modes && git commit-graph write --reachable &&
			ls -ld $GRAPH && git commit-graph write --reachable --split=replace && ls -ld $CHAINS/*) >ls &&
		umask 022 && ls -ld modes/$CHAINS >dir && test_grep "^$4" dir &&
		test_line_count = 3 ls && ! grep -v "^$3" ls || return 1
	done
'

test_expect_success 'progress' '
	cp -R plain progress && cd progress && git commit-graph write --reachable --changed-paths --progress 2>err && test_must_be_empty err && rm $GRAPH &&
	GIT_PROGRESS_DELAY=0 git commit-graph write --reachable --changed-paths --progress 2>err &&
	test_grep "Collecting referenced commits" err && test_grep "Computing commit changed paths" err &&
	git commit-graph verify --progress 2>err && test_grep "Verifying commits in commit graph" err &&
	git commit-graph write --reachable 2>err && test_must_be_empty err
'

test_expect_success 'a chain is replaced, also by one without commits' '
	cp -R plain none && cd none && add c5 --split && test_expect_code 129 git commit-graph write --reachable --no-split 2>err &&
	git commit-graph write --stdin-commits --split </dev/null && test "$(layers)" = 1 && cp $CHAINS/commit-graph-chain before &&
	git commit-graph write --stdin-commits --split=replace </dev/null && test "$(layers)" = 1 && test_must_fail test_cmp before $CHAINS/commit-graph-chain &&
	ls $CHAINS/graph-*.graph >files && test_line_count = 1 files && f=$(cat files) && test "$(be 4 $f $(($(chunk $f OIDF) + 1020)))" = 0 &&
	chunk $f GDA2 && git commit-graph verify && same log --graph --format=%H && add c7 --split && same log --graph --format=%H &&
	f=$CHAINS/graph-$(tail -n 1 $CHAINS/commit-graph-chain).graph && chunk $f GDA2
'

test_expect_success 'filters stay although commitGraph.changedPaths is false, until --no-changed-paths' '
	cp -R plain stay && cd stay && git config commitGraph.changedPaths false && add c9 && test_must_fail chunk $GRAPH BIDX && add c9 --changed-paths && add main && chunk $GRAPH BIDX &&
	add main --no-changed-paths && test_must_fail chunk $GRAPH BIDX
'

test_expect_success 'a chain with filters of two kinds: told, and those of the lower layers are not asked' '
	cp -R plain kinds && cd kinds && add c9 --split=no-merge --changed-paths && one=$(cat $CHAINS/commit-graph-chain) &&
	git -c commitGraph.changedPathsVersion=2 commit-graph write --reachable --split=no-merge --changed-paths 2>err && test_must_be_empty err && test "$(layers)" = 2 &&
	for cmd in "commit-graph verify" "log --format=%s -- dir" "rev-parse top~9"; do
		git $cmd >out 2>err && test_line_count = 1 err && test_grep "^warning: disabling Bloom filters for commit-graph layer .$one. due to incompatible settings$" err || return 1
	done && same log --format=%s -- dir &&
	git commit-graph write --reachable --split=replace --no-changed-paths && git rev-parse c9 | git commit-graph write --stdin-commits --split=replace --changed-paths && add main --split=no-merge && f=$CHAINS/graph-$(head -n 1 $CHAINS/commit-graph-chain).graph &&
	poke $f $(($(chunk $f BDAT) + 7)) "\\31" && same log --format=%s -- dir && git log --format=%s -- dir 2>err >out && test_grep "disabling Bloom filters" err && test_grep c9 out
'

# ---- stock git ----

test_expect_success STOCK_GIT 'the same files as stock git writes, and each accepts the other' '
	for args in "" --changed-paths --split=replace "--split=replace --changed-paths"; do
		rm -rf ours theirs && cp -R plain ours && cp -R plain theirs &&
		git -C ours commit-graph write --reachable $args && stock -C theirs commit-graph write --reachable $args &&
		(cd ours/.git/objects/info && find . -type f | sort | xargs cat) >a &&
		(cd theirs/.git/objects/info && find . -type f | sort | xargs cat) >b && test_cmp_bin a b &&
		stock -C ours commit-graph verify && git -C theirs commit-graph verify || return 1
	done &&
	cd chain && stock commit-graph verify && stock log --format="%H" >a && git log --format="%H" >b && test_cmp a b
'

test_expect_success STOCK_GIT 'the same files, step by step: layers, versions of generations, a few filters' '
	rm -rf ours theirs && cp -R plain ours && git -C ours repack -adq && git -C ours rev-list --objects c4 | cut -d" " -f1 | git -C ours pack-objects -q .git/objects/pack/pack >c4.pack && cp -R ours theirs &&
	while read -r from config args; do
		case $from in packs) echo "pack-$(cat c4.pack).idx" ;; *) git -C ours rev-parse $from ;; esac >in &&
		git -C ours -c $config commit-graph write $args <in && stock -C theirs -c $config commit-graph write $args <in &&
		(cd ours/$CHAINS/.. && find . -type f ! -name packs | sort | xargs cksum) >a && (cd theirs/$CHAINS/.. && find . -type f ! -name packs | sort | xargs cksum) >b && test_cmp b a &&
		git -C theirs commit-graph verify && stock -C ours commit-graph verify || { echo "$from $config $args"; return 1; }
	done <<-\EOF
	c2 commitGraph.generationVersion=1 --stdin-commits --split=no-merge
	c4 commitGraph.generationVersion=2 --stdin-commits --split=no-merge
	c7 commitGraph.generationVersion=2 --stdin-commits --split=replace
	s1 commitGraph.generationVersion=1 --stdin-commits --split=no-merge --changed-paths
	s2 commitGraph.changedPaths=false --stdin-commits --split=no-merge
	c9 commitGraph.changedPaths=false --stdin-commits --split --max-commits=1 --size-multiple=3
	main commitGraph.maxNewFilters=2 --stdin-commits --split --append
	packs commitGraph.maxNewFilters=2 --stdin-packs --changed-paths
	packs commitGraph.changedPaths=true --stdin-packs --append --max-new-filters=3
	c3 commitGraph.changedPaths=true --stdin-commits --split=replace --append --max-new-filters=0
	main commitGraph.changedPaths=true --stdin-commits --split --size-multiple=1 --expire-time=1.day.ago
	main commitGraph.changedPaths=true --stdin-commits --no-changed-paths
	packs commitGraph.maxNewFilters=2 --stdin-packs --changed-paths
	EOF
'

test_expect_success 'a reader meets one chain or the next, never a layer that is gone' '
	git init -q race && (
		cd race && d=.git/objects/info/commit-graphs &&
		for i in 1 2 3; do
			test_commit race$i && git commit-graph write --reachable --split=no-merge || exit 1
		done && cp -R $d one &&
		git commit-graph write --reachable --split=replace && cp -R $d other &&
		"$GIT_BUILD_DIR/t/helper/chain-race" commit-graph 20000 $d commit-graph-chain one other
	) >out && test_grep done out
'

test_expect_success '--split without a strategy does not take back one that has been named' '
	git init -q strategy && for i in 1 2 3; do test_commit -C strategy $i || return; done && git -C strategy commit-graph write --reachable --no-progress &&
	info=strategy/.git/objects/info && git -C strategy rev-parse HEAD >newest && git -C strategy commit-graph write --stdin-commits --split=replace --split <newest &&
	test_path_is_missing $info/commit-graph && test_line_count = 1 $info/commit-graphs/commit-graph-chain &&
	git -C strategy commit-graph write --reachable --split=replace --split --no-progress && git -C strategy commit-graph verify && test_line_count = 1 $info/commit-graphs/commit-graph-chain
'

test_done
