#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git describe, %(describe)'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-commits.sh"

short () {
	git rev-parse --short "$1"
}

# is EXPECTED ARGS: what git describe ARGS prints
is () {
	local expect="$1" actual
	shift
	actual=$(git describe "$@") || return
	test "$expect" = "$actual" || { echo "describe $*: $actual, not $expect"; return 1; }
}

#	a - b - c - d - m - e   main; A tags a, B tags c; light tags x
#	     \         /
#	      x - y - z         topic
test_expect_success 'a history' '
	git init -q -b main r && cd r && git hash-object -t tree -w /dev/null >/dev/null &&
	node a 0 && node b 1000 a && node c 2000 b && node d 3000 c &&
	node x 1500 b && node y 2500 x && node z 3500 y && node m 4000 d z && node e 5000 m &&
	git update-ref refs/heads/main $e && git update-ref refs/heads/topic $z &&
	test_expect_code 128 git describe 2>err && test_grep "^fatal: No names found, cannot describe anything.$" err &&
	is "$(short $e)" --always && annotate A 10 a && annotate B 20 c && git update-ref refs/tags/light $x
'

test_expect_success 'the nearest annotated tag, and how many commits it lacks' '
	cd r && is "B-6-g$(short $e)" && is "B-5-g$(short $m)" $m && is B B && is B $c && is "B-1-g$(short $d)" $d && is "A-4-g$(short $z)" topic && is A $a && is "A-1-g$(short $b)" $b
'

test_expect_success '--tags, --all' '
	cd r && is "light-2-g$(short $z)" --tags topic && is light --tags $x && is "B-6-g$(short $e)" --tags &&
	is heads/main --all && is tags/B --all $c && is tags/light --all $x && is "tags/light-1-g$(short $y)" --all $y &&
	git update-ref refs/remotes/o/main $d && is remotes/o/main --all $d && git update-ref -d refs/remotes/o/main &&
	git update-ref refs/other/here $d && is other/here --all $d && is tags/B-1-g$(short $d) --all --match "*" $d &&
	git update-ref -d refs/other/here
'

test_expect_success '--long, --abbrev' '
	cd r && is "B-0-g$(short $c)" --long B && is "light-0-g$(short $x)" --long --tags $x && is B --abbrev=0 &&
	is "B-6-g$(git rev-parse --short=12 $e)" --abbrev=12 && is "B-6-g$e" --abbrev=99 && is B --no-abbrev &&
	is "B-6-g$(git rev-parse --short=4 $e)" --abbrev=1 && is "B-6-g$e" --abbrev=0 --abbrev=$OID_HEXLEN &&
	is "B-6-g$(git rev-parse --short=9 $e)" --abbrev=12 --abbrev=9 && git -c core.abbrev=10 describe >actual &&
	echo "B-6-g$(git rev-parse --short=10 $e)" >expect && test_cmp expect actual &&
	test_expect_code 128 git describe --long --abbrev=0 2>err &&
	test_grep "options .--long. and .--abbrev=0. cannot be used together" err &&
	test_expect_code 129 git describe --abbrev=x 2>err && test_grep "option .abbrev. expects a numerical value" err
'

test_expect_success '--candidates, --exact-match' '
	cd r && is "B-6-g$(short $e)" --candidates=1 && is B --exact-match $c && is B --candidates=0 B &&
	for o in --exact-match --candidates=0 --candidates=-1
	do
		test_expect_code 128 git describe $o 2>err && test_grep "^fatal: no tag exactly matches .$e.$" err || return 1
	done &&
	annotate Z 30 z && is "Z-4-g$(short $e)" && is "Z-4-g$(short $e)" --candidates=1 &&
	is "B-3-g$(short $e)" --first-parent && is Z --abbrev=0 && git update-ref -d refs/tags/Z
'

test_expect_success 'more candidates can give a better answer' '
	cd r && node n1 6000 e && node o1 5500 e && node o2 5600 o1 && node o3 5700 o2 && node top 7000 n1 o3 &&
	annotate P 50 o3 && annotate N 40 n1 && is "N-4-g$(short $top)" --candidates=1 $top &&
	is "N-4-g$(short $top)" --candidates=2 $top && is "P-2-g$(short $top)" $top &&
	git update-ref -d refs/tags/N && git update-ref -d refs/tags/P
'

test_expect_success '--match, --exclude' '
	cd r && is "A-8-g$(short $e)" --match "A*" && is "A-8-g$(short $e)" --exclude "B" &&
	is "B-6-g$(short $e)" --match "A*" --match "[B]" && is "B-6-g$(short $e)" --match nope --no-match &&
	is "A-8-g$(short $e)" --match "*" --exclude B && is "B-6-g$(short $e)" --exclude "*" --no-exclude &&
	is heads/main --all --match "m*" && is tags/B --all --match B $c && git update-ref refs/other/B2 $e &&
	is tags/B-6-g$(short $e) --all --match "B*" && git update-ref -d refs/other/B2 &&
	test_expect_code 128 git describe --match nope 2>err && test_grep "No names found" err
'

test_expect_success 'nothing that could be used: what the message says' '
	cd r && test_expect_code 128 git describe --match B $b 2>err && cat >expect <<-EOT &&
	fatal: No tags can describe ${SQ:-'"'"'}$b${SQ:-'"'"'}.
	Try --always, or create some tags.
	EOT
	test_cmp expect err && git update-ref refs/tags/root $a && test_expect_code 128 git describe --match root --match light $y 2>err &&
	test_grep "^fatal: No annotated tags can describe .$y.\.$" err &&
	test_grep "^However, there were unannotated tags: try --tags.$" err && git update-ref -d refs/tags/root &&
	is "$(short $b)" --always --match B $b && test_expect_code 128 git describe nope 2>err &&
	test_grep "^fatal: Not a valid object name nope$" err && test_expect_code 128 git describe "HEAD^{tree}" 2>err &&
	test_grep "HEAD^{tree} is neither a commit nor blob" err
'

test_expect_success 'several tags on one commit: annotated first, then the youngest' '
	cd r && git update-ref refs/tags/B-light $c && annotate B-young 99 c && annotate B-old 5 c && is B-young $c &&
	is "B-young-6-g$(short $e)" --tags && is B-young-0-g$(short $c) --long B &&
	git update-ref -d refs/tags/B-young && is B $c && git update-ref -d refs/tags/B-old && git update-ref -d refs/tags/B-light
'

test_expect_success 'a tag that calls itself otherwise' '
	cd r && annotate mine 500 d theirs && git describe $d >actual 2>err && echo "theirs-0-g$(short $d)" >expect &&
	test_cmp expect actual && echo "warning: tag ${SQ:-'"'"'}mine${SQ:-'"'"'} is externally known as ${SQ:-'"'"'}theirs${SQ:-'"'"'}" >expect &&
	test_cmp expect err && test "$(git describe --abbrev=0 2>err)" = "theirs-5-g$e" &&
	git log -1 --format="%(describe)" $d >actual 2>err && echo "theirs-0-g$(short $d)" >expect && test_cmp expect actual &&
	test_must_be_empty err && git update-ref -d refs/tags/mine
'

test_expect_success 'a tag of a tag' '
	cd r && annotate AA 600 tag_A && annotate N 700 tag_B && is AA $a && is "N-6-g$(short $e)" &&
	is "N-0-g$(short $tag_B)" --long $c && git update-ref -d refs/tags/AA && git update-ref -d refs/tags/N
'

test_expect_success '--contains is name-rev' '
	cd r && is B~1 --contains $b && is "B^0" --contains $c && is A^0 --contains A &&
	is main~1 --contains --all $m && is topic --contains --all --exclude "m*" $z &&
	is "$(short $e)" --contains --always &&
	test_expect_code 128 git describe --contains 2>err && test_grep "^fatal: cannot describe .$e.$" err &&
	is light --contains --match "l*" $x && git describe --contains nope 2>err && test_grep "Could not get sha1 for nope. Skipping." err
'

test_expect_success '--debug tells how the search goes' '
	cd r && git describe --debug 2>err >out && cat >expect <<-EOT &&
	describe HEAD
	No exact match on refs or tags, searching to describe
	 annotated          6 B
	traversed 8 commits
	EOT
	sed "/finished search at/d" err >actual && test_cmp expect actual && test_grep "finished search at $b" err &&
	git describe --debug --candidates=1 2>err && test_grep "^found 1 tags; gave up search at $x$" err &&
	test_grep "^traversed 8 commits" err
'

test_expect_success 'counting ends where all that is left is below the tag' '
	cd r && node r0 1 && node r1 2 r0 && node r2 3 r1 && node low 30 r2 && node left2 40 low && node left1 50 left2 && node right 60 low &&
	node top2 70 left1 right && annotate L 80 left1 && is "L-2-g$(short $top2)" $top2 && git describe --debug --candidates=1 $top2 2>err &&
	test_grep "^traversed 5 commits$" err && git update-ref -d refs/tags/L
'

test_expect_success 'at most 28 candidates' '
	git init -q -b main many && cd many && git hash-object -t tree -w /dev/null >/dev/null && node root 0 && node b0 1 root && i=1 last=$root &&
	while test $i -le 30
	do
		node last $((i + 10)) last && annotate t$i $i last && i=$((i + 1)) || return 1
	done &&
	node tip 100 last b0 && git update-ref refs/heads/main $tip && git describe --debug --candidates=100 2>err >out && test_grep "^found 28 tags; gave up" err &&
	test $(grep -c "^ annotated" err) = 28 && git describe --debug --candidates=12 2>err >out && test_grep "^found 12 tags; gave up" err &&
	git describe --debug 2>err >out && test_grep "^found 10 tags; gave up" err && test $(grep -c "^ annotated" err) = 10
'

test_expect_success 'several arguments, one after the other' '
	cd r && git describe $c $a $e >actual && printf "B\nA\nB-6-g%s\n" $(short $e) >expect && test_cmp expect actual &&
	test_expect_code 128 git describe $c nope >actual 2>err && echo B >expect && test_cmp expect actual
'

test_expect_success 'a shallow boundary and replaced commits count' '
	cd r && echo $m >.git/shallow && test_expect_code 128 git describe 2>err && test_grep "No tags can describe" err &&
	rm .git/shallow && git update-ref refs/replace/$m $c && is "A-3-g$(short $e)" && git update-ref -d refs/replace/$m
'

# ---- blobs ----

test_expect_success 'a blob: the oldest commit with it, and its path' '
	git init -q -b main blobs && cd blobs && mkdir d && echo one >f && git add f && git commit -q -m 1 &&
	git tag -m x v1 && echo two >f && echo deep >d/g && git add . && git commit -q -m 2 && echo three >f && git add f &&
	git commit -q -m 3 && echo two >f && git add f && git commit -q -m 4 &&
	is "v1:f" v1:f && is "v1-1-g$(short HEAD~2):f" HEAD:f && is "v1-1-g$(short HEAD~2):d/g" HEAD:d/g &&
	blob=$(echo unused | git hash-object -w --stdin) && test_expect_code 128 git describe $blob 2>err &&
	test_grep "blob .$blob. not reachable from HEAD" err && git update-ref refs/heads/gone HEAD &&
	git symbolic-ref HEAD refs/heads/unborn && test_expect_code 128 git describe gone:f 2>err &&
	test_grep "cannot search for blob .* on an unborn branch" err && git symbolic-ref HEAD refs/heads/main
'

# ---- the work tree ----

test_expect_success '--dirty: staged, changed, missing; not untracked files' '
	cd blobs && at="v1-3-g$(short HEAD)" && echo new >untracked && is "$at" --dirty && touch f && is "$at" --dirty &&
	echo changed >f && is "$at-dirty" --dirty && is "$at+mod" --dirty=+mod && git add f && is "$at-dirty" --dirty &&
	git read-tree HEAD && echo two >f && is "$at" --dirty && rm d/g && is "$at-dirty" --dirty && echo deep >d/g &&
	cd d && is "$at" --dirty && is "$at" --dirty --broken &&
	test_expect_code 128 git describe --dirty HEAD 2>err && test_grep "option .--dirty. and commit-ishes cannot be used together" err &&
	test_expect_code 128 git describe --broken HEAD 2>err && test_grep "option .--broken. and commit-ishes cannot be used together" err
'

test_expect_success '--dirty: submodules count without their untracked files' '
	git init -q -b main super && cd super && git init -q -b main sub && test_commit -C sub one && git add sub 2>/dev/null && git commit -q -m 1 &&
	git tag -m x v1 && is v1 --dirty && echo u >sub/untracked && is v1 --dirty && echo c >>sub/one.t && is v1-dirty --dirty &&
	git -c diff.ignoreSubmodules=all describe --dirty >actual && echo v1-dirty >expect && test_cmp expect actual &&
	printf "one\n" >sub/one.t && is v1 --dirty && git -C sub commit -q --allow-empty -m 2 && is v1-dirty --dirty
'

test_expect_success '--broken: what cannot be compared is no failure' '
	cp -R blobs broken && cd broken && at="v1-3-g$(short HEAD)" && echo x >f && is "$at-dirty" --broken --dirty &&
	echo junk >.git/index && test_expect_code 128 git describe --dirty 2>err && is "$at-broken" --broken 2>err &&
	test_file_not_empty err && is "${at}!" --broken=! 2>err && rm .git/index
'

test_expect_success '--dirty in a bare repository is an error' '
	cp -R blobs/.git bare.git && cd bare.git && git config core.bare true && is "v1-3-g$(short HEAD)" &&
	test_expect_code 128 git describe --dirty 2>err && test_grep "must be run in a work tree" err
'

# ---- %(describe) ----

test_expect_success 'log --format=%(describe)' '
	cd r && git log --format="%(describe)" --first-parent >actual && printf "B-6-g%s\nB-5-g%s\nB-1-g%s\nB\nA-1-g%s\nA\n" \
		$(short $e) $(short $m) $(short $d) $(short $b) >expect && test_cmp expect actual &&
	for pair in "tags=light-2-g$(short $z)" "=A-4-g$(short $z)" "tags,abbrev=0=light" "abbrev=12=A-4-g$(git rev-parse --short=12 $z)" \
		"tags,exclude=li*=A-4-g$(short $z)" "match=B=" "tags=nonsense=A-4-g$(short $z)"
	do
		options=${pair%=*} && test "$(git log -1 --format="%(describe:$options)" $z)" = "${pair##*=}" || { echo "$pair"; return 1; }
	done &&
	for options in foo abbrev abbrev=x match match= tags,,abbrev=4
	do
		test "$(git log -1 --format="%(describe:$options)")" = "%(describe:$options)" || return 1
	done
'

test_expect_success 'log --format=%(describe) does not mind what the walk leaves out' '
	cd r && git log --format="%h %(describe)" >all && while read -r id text
	do
		git log -1 --format="%h %(describe)" $id || return 1
	done <all >single && test_cmp all single && git log --format="%h %(describe)" main -- nothing >out && test_must_be_empty out
'

test_expect_success 'for-each-ref --format=%(describe)' '
	cd r && git for-each-ref --format="%(refname) %(describe) %(*describe)" >actual && cat >expect <<-EOT &&
	refs/heads/main B-6-g$(short $e)$SP
	refs/heads/topic A-4-g$(short $z)$SP
	refs/tags/A A A
	refs/tags/B B B
	refs/tags/light A-2-g$(short $x)$SP
	EOT
	sed "s/ $//" actual >trimmed && sed "s/ $//" expect >want && test_cmp want trimmed &&
	test "$(git for-each-ref --format="%(describe:tags,abbrev=5)" refs/heads/topic)" = "light-2-g$(git rev-parse --short=5 $z)" &&
	git for-each-ref --format="%(describe:match=nope)" >actual && test_line_count = 5 actual && tr -d "\n" <actual >out && test_must_be_empty out &&
	for pair in "foo,tags|unrecognized %(describe) argument: foo,tags" "abbrev|argument expected for describe:abbrev" \
		"abbrev=x|cannot fully parse describe:abbrev=x" "abbrev=-1|positive value expected describe:abbrev=-1" \
		"match=|value expected describe:match=" "tags=foo|unrecognized %(describe) argument: tags=foo"
	do
		test_expect_code 128 git for-each-ref --format="%(describe:${pair%%|*})" 2>err &&
		echo "fatal: ${pair##*|}" >expect && test_cmp expect err || return 1
	done
'

test_expect_success 'damaged objects end in an error' '
	cd r && f=.git/objects/$(echo $tag_B | sed "s|^..|&/|") && chmod +w $f && cp $f keep && if test_have_prereq REFFILES; then
		echo junk >$f && is "A-8-g$(short $e)" 2>err && test_grep "^warning: ignoring broken ref refs/tags/B$" err && cp keep $f
	fi && git pack-refs --all && echo junk >$f && test_expect_code 128 git describe 2>err && test_grep "^fatal: annotated tag B not available$" err &&
	cp keep $f && f=.git/objects/$(echo $m | sed "s|^..|&/|") && chmod +w $f &&
	echo junk >$f && test_expect_code 128 git describe 2>err && test_grep $m err
'

test_expect_success '--broken looks for changes, as --dirty does' '
	git init -q brk && test_commit -C brk one && git -C brk tag -a -m v v1 &&
	test "$(git -C brk describe --broken)" = v1 &&
	echo more >>brk/one.t &&
	test "$(git -C brk describe --broken)" = v1-dirty &&
	test "$(git -C brk describe --broken=-B)" = v1-dirty &&
	test "$(git -C brk describe --broken=-B --dirty=-D)" = v1-D &&
	test "$(git -C brk describe --long --broken)" = "v1-0-g$(git -C brk rev-parse --short HEAD)-dirty" &&
	echo junk >brk/.git/index &&
	test "$(git -C brk describe --broken --dirty=-D 2>err)" = v1-broken &&
	test "$(git -C brk describe --broken=-B 2>err)" = v1-B
'

test_done
