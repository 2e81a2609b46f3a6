#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='names of revisions, grafts, prefixes and attributes as scripts use them'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a few commits' '
	git init -q r && mkdir r/sub && echo 1 >r/f && echo sub >r/sub/f &&
	git -C r add . && git -C r commit -qm one && echo 2 >r/f && git -C r commit -qam two &&
	git -C r branch "br{x"
'

test_expect_success 'lines of info/grafts may end in blanks' '
	head=$(git -C r rev-parse HEAD) &&
	for end in " " "  \t" "\r"; do
		printf "$head$end\n" >r/.git/info/grafts &&
		git -C r rev-list HEAD >out && test_line_count = 1 out || return 1
	done &&
	for bad in "$head x" " $head" "$head  $head" junk; do
		printf "$bad\n$head\n" >r/.git/info/grafts && git -C r rev-list HEAD >out 2>err && test_line_count = 1 out &&
		test_grep "^error: bad graft data: $bad\$" err || return 1
	done &&
	printf "$head $head\n$head\n" >r/.git/info/grafts && git -C r rev-parse HEAD^ >out 2>err && echo $head >expect && test_cmp expect out &&
	test_grep "^error: duplicate graft data: $head\$" err &&
	rm r/.git/info/grafts
'

test_expect_success 'a brace alone does not hide the colon of REV:path' '
	git -C r rev-parse "br{x:f" >out && git -C r rev-parse HEAD:f >expect && test_cmp expect out &&
	git -C r rev-parse "HEAD@{0}:f" "HEAD^{tree}:f" >out && cat expect expect >two && test_cmp two out &&
	test_must_fail git -C r rev-parse "foo{bar:path" 2>err &&
	test_grep "invalid object name .foo{bar." err
'

test_expect_success 'rev-parse --prefix: "--" stays, HEAD:./f begins there' '
	git -C r rev-parse --prefix sub/ HEAD:./f HEAD:../f -- f >out &&
	git -C r rev-parse HEAD:sub/f HEAD:f >expect && printf -- "--\nsub/f\n" >>expect &&
	test_cmp expect out
'

test_expect_success 'check-attr outside of the work tree' '
	echo "f text" >r/.gitattributes && echo "f foo" >r/sub/.gitattributes &&
	git --git-dir="$PWD/r/.git" --work-tree=r check-attr -a f sub/f >out &&
	printf "f: text: set\nsub/f: text: set\nsub/f: foo: set\n" >expect && test_cmp expect out &&
	(cd r/sub && git --git-dir=../.git --work-tree=.. check-attr foo f) >out &&
	echo "f: foo: set" >expect && test_cmp expect out
'

test_expect_success '--exclude-hidden hides what a server of the namespace hides' '
	git init -q hidden && tree=$(git -C hidden mktree </dev/null) &&
	for ref in refs/heads/a refs/hid/b refs/namespaces/ns/refs/heads/c refs/namespaces/ns/refs/hid/d refs/namespaces/other/refs/hid/e
	do
		git -C hidden update-ref $ref $(git -C hidden commit-tree -m ${ref##*/} $tree) || return 1
	done &&
	git -C hidden config transfer.hideRefs refs/hid &&
	git -C hidden config uploadpack.hideRefs ^refs/hid &&
	for case in " receive acde" "ns receive abce" "ns/x receive abcde" " uploadpack acde" "ns uploadpack ace" "ns/x uploadpack acde"
	do
		echo "${case##* }" | sed "s/./&\\n/g" | sed "/^\$/d" >expect && set -- ${case% *} &&
		test $# = 2 || set -- "" "$@" &&
		GIT_NAMESPACE=$1 git -C hidden log --format=%s --exclude-hidden=$2 --all >out && sort out >actual &&
		test_cmp expect actual &&
		GIT_NAMESPACE=$1 git -C hidden rev-parse --exclude-hidden=$2 --all >out && test_line_count = $(wc -l <expect) out || return 1
	done
'

test_expect_success '--ignore-missing holds for what comes from --stdin' '
	zeros=$(echo $ZERO_OID | tr 0 1) && git -C r rev-parse HEAD >expect &&
	for missing in nosuch ^nosuch HEAD..nosuch HEAD...nosuch HEAD:nosuch $zeros ^$zeros $zeros^; do
		printf "HEAD\n%s\n" $missing >in && rm -f new.bundle &&
		git -C r rev-list -1 --ignore-missing --stdin <in >out && test_cmp expect out &&
		git -C r bundle create ../new.bundle --ignore-missing --stdin <in 2>err &&
		git -C r bundle list-heads ../new.bundle >out && echo "$(cat expect) HEAD" | test_cmp - out &&
		test_expect_code 128 git -C r rev-list --stdin <in 2>err &&
		test_expect_code 128 git -C r bundle create ../none.bundle --stdin <in 2>err || return 1
	done &&
	test_path_is_missing none.bundle
'

test_expect_success '--merge: the commits of both sides that touch files with conflicts' '
	git init -q -b main conflict && conflict="git -C conflict" && test_expect_code 128 $conflict log --merge 2>err &&
	test_grep "^fatal: --merge requires one of the pseudorefs MERGE_HEAD, CHERRY_PICK_HEAD, REVERT_HEAD or REBASE_HEAD$" err &&
	blob=$($conflict hash-object -w --stdin </dev/null) && other=$(echo 1 | $conflict hash-object -w --stdin) && parent= &&
	for c in "base $blob $blob" "ours $other $blob" "ours-b $other $other"; do
		set -- $c && tree=$(printf "100644 blob %s\ta\n100644 blob %s\tb\n" $2 $3 | $conflict mktree) &&
		parent=$($conflict commit-tree -m $1 ${parent:+-p $parent} $tree) || return 1
	done && $conflict update-ref HEAD $parent && third=$(echo 2 | $conflict hash-object -w --stdin) &&
	side=$($conflict commit-tree -m theirs-b -p HEAD~2 $(printf "100644 blob $blob\ta\n100644 blob $third\tb\n" | $conflict mktree)) &&
	side=$($conflict commit-tree -m theirs -p $side $(printf "100644 blob $third\ta\n100644 blob $third\tb\n" | $conflict mktree)) &&
	{ printf "100644 $blob 1\ta\n100644 $other 2\ta\n100644 $third 3\ta\n"; printf "100644 $blob\tb\n"; } >in &&
	$conflict update-index --index-info <in &&
	for ref in REBASE_HEAD REVERT_HEAD CHERRY_PICK_HEAD MERGE_HEAD; do
		case $ref in MERGE_HEAD) $conflict rev-parse $side >conflict/.git/$ref ;; *) $conflict update-ref $ref $side ;; esac && $conflict log --merge --format=%s >out && sort out >actual &&
		printf "ours\ntheirs\n" >expect && test_cmp expect actual && side=$($conflict rev-parse $side) || return 1
	done &&
	$conflict log --merge --left-right --format="%m%s" -- a >out && sort out >actual && printf "<ours\n>theirs\n" >expect &&
	test_cmp expect actual && $conflict rev-list --count --merge -- b >out && echo 4 >expect && test_cmp expect out &&
	$conflict log --merge --format=%s --not $side >out && echo ours >expect && test_cmp expect out &&
	$conflict rev-parse HEAD >conflict/.git/MERGE_HEAD && $conflict rev-list --merge >out && test_must_be_empty out
'

test_expect_success 'merge-file --object-id: the empty blob need not be there' '
	empty=$(git -C r hash-object --stdin </dev/null) && two=$(git -C r rev-parse HEAD:f) &&
	git -C r merge-file -p --object-id $empty $empty $two >out && echo 2 >expect && test_cmp expect out
'

test_expect_success 'a tag of a missing object, or of one of another type' '
	git clone -q --bare r other.git &&
	for what in "$(git -C r hash-object --stdin </dev/null | tr 0-9 1) commit" "$(git -C r rev-parse HEAD:f) commit" \
		"$(git -C r rev-parse HEAD) blob" "$(git -C r rev-parse HEAD:) tag"; do
		printf "object %s\ntype %s\ntag bad\ntagger A <a@x> 1 +0000\n\nx\n" $what >tag &&
		bad=$(git -C r hash-object -t tag -w --stdin --literally <tag) && git -C r update-ref refs/tags/bad $bad &&
		git -C r for-each-ref --format="%(object) %(type)" refs/tags/bad >out && echo "$what" >expect && test_cmp expect out &&
		for format in "%(*objectname)" "%(*objecttype)" "%(*subject)"; do
			test_expect_code 128 git -C r for-each-ref --format="$format" 2>err && test_grep "fatal: bad tag" err || return 1
		done &&
		{
			echo "$bad refs/tags/bad" &&
			case $what in *tag) ;; *) echo "${what% *} refs/tags/bad^{}" ;; esac
		} >expect &&
		git -C r show-ref -d bad >out && test_cmp expect out &&
		git -C r show-ref -d --verify refs/tags/bad >out && test_cmp expect out &&
		for c in "rev-list --all" "rev-list --objects bad" "log bad" "rev-parse bad^{}" "cat-file -p bad^{}"; do
			test_expect_code 128 git -C r $c 2>err || return 1
		done &&
		test_must_fail git -C r push ../other.git $bad:refs/tags/bad 2>/dev/null &&
		test_must_fail git -C other.git rev-parse --verify -q refs/tags/bad || return 1
	done &&
	git -C r update-ref -d refs/tags/bad
'

test_expect_success 'receive-pack refuses such a tag that is there already' '
	printf "object %s\ntype commit\ntag bad\ntagger A <a@x> 1 +0000\n\nx\n" $(git -C r rev-parse HEAD:f) >tag &&
	bad=$(git -C other.git hash-object -t tag -w --stdin --literally <tag) &&
	words="report-status object-format=$TEST_HASH" &&
	{
		printf "%04x" $((4 + 2 * OID_HEXLEN + 2 + 13 + 1 + ${#words})) &&
		printf "%s %s refs/tags/bad\0%s0000" $ZERO_OID $bad "$words" && git -C r pack-objects --stdout -q </dev/null
	} >in &&
	git receive-pack other.git <in >out && test_grep "ng refs/tags/bad missing necessary objects" out
'

test_expect_success 'errors of pathspecs with attributes' '
	bad () {
		test_expect_code 128 git -C r ls-files ":(attr:$1)" 2>err && echo "fatal: $2" >expect && test_cmp expect err
	} &&
	bad "-!a" "invalid attribute name !a" && bad "--a" "invalid attribute name -a" && bad "a*" "invalid attribute name a*" &&
	bad "a b/c" "invalid attribute name b/c" && bad "-a=b" "invalid attribute name a=b" && bad "-" "invalid attribute name " &&
	bad "a=b*" "cannot use ${SQ-$(printf "\047")}*${SQ-$(printf "\047")} for value matching" &&
	bad "a=b\\)" "cannot use ${SQ-$(printf "\047")})${SQ-$(printf "\047")} for value matching" &&
	git -C r ls-files ":(attr:a=b-_\\,1)" ":(attr:!a -b .c)f" ":(attr:builtin_x)"
'

test_expect_success 'A...B of a blob or a tree is no range' '
	for range in HEAD:f...HEAD:f HEAD...HEAD:f "HEAD^{tree}...HEAD"; do
		for c in log rev-list diff show; do
			test_expect_code 128 git -C r $c $range 2>err &&
			test_grep "^fatal: Invalid symmetric difference expression" err || return 1
		done &&
		test_expect_code 128 git -C r rev-parse $range 2>err && test_grep "^fatal: " err || return 1
	done &&
	git -C r rev-parse HEAD~1...HEAD >out && git -C r rev-parse HEAD HEAD~1 ^HEAD~1 >expect && test_cmp expect out
'

test_expect_success 'diff-tree of more than two trees has no output' '
	for trees in HEAD~1...HEAD "HEAD HEAD~1 HEAD" "HEAD~1..HEAD HEAD"; do
		git -C r diff-tree $trees >out 2>err && test_must_be_empty out && test_must_be_empty err || return 1
	done &&
	test_expect_code 129 git -C r diff-tree
'

test_expect_success '"sub/" names a submodule for ls-tree, checkout and restore, and no file' '
	git init -q links && cd links && echo 1 >f && git add f && git commit -q -m one &&
	git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),sub" && git commit -q -m sub && mkdir sub &&
	git ls-tree --name-only HEAD sub/ >out && echo sub >expect && test_cmp expect out &&
	git ls-tree --name-only HEAD f/ su/ >out && test_must_be_empty out &&
	git checkout sub/ && git checkout HEAD -- sub/ && git checkout --no-overlay HEAD -- sub/ && git restore sub/ &&
	test_must_fail git checkout f/ && test_must_fail git restore f/
'

test_expect_success 'merge-file --object-id of an object that is no blob, or missing' '
	for id in $(git -C r rev-parse HEAD) $(git -C r rev-parse HEAD^{tree}) $(git -C r rev-parse HEAD:f | tr 0-9 7); do
		test_expect_code 128 git -C r merge-file --object-id -p HEAD:f HEAD:f $id 2>err &&
		echo "fatal: unable to read blob object $id" >expect && test_cmp expect err || return 1
	done
'

test_expect_success 'rev-parse --exclude-hidden with --branches' '
	for o in --branches --tags "--remotes=x"; do
		test_expect_code 255 git -C r rev-parse --exclude-hidden=fetch "$o" 2>err &&
		test_grep "^error: options .--exclude-hidden. and .${o%%=*}. cannot be used together" err || return 1
	done
'

test_done
