#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git bundle: create, headers, verify, list-heads, unbundle'
. "$(dirname "$0")/test-lib.sh"

ID=$(echo "$ZERO_OID" | tr 0 3)
test "$TEST_HASH" = sha1 && FORMAT= || FORMAT='@object-format=sha256\n'
test "$TEST_HASH" = sha1 && V=2 || V=3

# bundle LINES: a header of them; $V and $FORMAT for the hash of the tests
bundle () {
	printf "# v$V git bundle\n$FORMAT$1" >b
}

test_expect_success 'a repository' '
	git init -q -b main r && cd r && mkdir d && echo one >d/f && git add d && git commit -q -m one && old=$(git rev-parse HEAD) &&
	echo two >d/f && git add d && git commit -q -m two && new=$(git rev-parse HEAD)
'

test_expect_success 'list-heads: all refs, or those with that name' '
	bundle "-$ID a comment\n$ID refs/heads/main\n$ID refs/tags/a tag\n$ID HEAD\n\nPACK" &&
	printf "$ID %s\n" refs/heads/main "refs/tags/a tag" HEAD >expect && git bundle list-heads b >actual && test_cmp expect actual &&
	git bundle list-heads - <b >actual && test_cmp expect actual && cat b | git bundle list-heads - >actual && test_cmp expect actual &&
	git bundle list-heads b HEAD main nope >actual && echo "$ID HEAD" >expect && test_cmp expect actual &&
	cp b r/d && cd r/d && git bundle list-heads b HEAD >actual && test_cmp ../../expect actual && rm b actual
'

test_expect_success 'verify: what it contains and needs' '
	cd r && bundle "$ID refs/heads/x\n\n" && git bundle verify b >actual 2>err && cat >expect <<-EOT &&
	The bundle contains this ref:
	$ID refs/heads/x
	The bundle records a complete history.
	The bundle uses this hash algorithm: $TEST_HASH
	EOT
	test_cmp expect actual && echo "b is okay" >expect && test_cmp expect err && git bundle verify -q b >actual 2>err &&
	test_must_be_empty actual && test_cmp expect err && git bundle verify - <b 2>err && test_grep "^<stdin> is okay$" err &&
	bundle "-$old one\n-$new\n$ID refs/heads/x\n$ID refs/heads/y\n\n" && git bundle verify b >actual && cat >expect <<-EOT &&
	The bundle contains these 2 refs:
	$ID refs/heads/x
	$ID refs/heads/y
	The bundle requires these 2 refs:
	$old$(printf " ")
	$new$(printf " ")
	The bundle uses this hash algorithm: $TEST_HASH
	EOT
	test_cmp expect actual && bundle "-$old\n\n" && git bundle verify b >actual && test_grep "^The bundle requires this ref:$" actual &&
	test_grep "^The bundle contains these 0 refs:$" actual && printf "# v3 git bundle\n@object-format=$TEST_HASH\n@filter=blob:none\n\n" >b &&
	git bundle verify b >actual && test_grep "^The bundle uses this filter: blob:none$" actual &&
	printf "# v3 git bundle\n@object-format=$TEST_HASH\n@filter=blob:limit=1k\n\n" >b &&
	git bundle verify b >actual && test_grep "^The bundle uses this filter: blob:limit=1k$" actual &&
	printf "# v3 git bundle\n@object-format=$TEST_HASH\n@filter=blob:none\n@filter=tree:0\n\n" >b &&
	git bundle verify b >actual && test_grep "^The bundle uses this filter: combine:blob:none+tree:0$" actual && rm b
'

test_expect_success 'verify: prerequisites that are missing' '
	cd r && bundle "-$ID x\n-$old y\n\n" && test_expect_code 1 git bundle verify b >out 2>err && test_must_be_empty out &&
	printf "error: Repository lacks these prerequisite commits:\nerror: $ID \n" >expect && test_cmp expect err &&
	test_expect_code 1 git bundle verify -q b 2>err && test_must_be_empty err
'

test_expect_success 'verify: prerequisites that nothing leads to must have everything below them' '
	cp -R r loose && cd loose && bundle "-$new x\n\n" && git bundle verify -q b && git update-ref refs/heads/main $old && git bundle verify -q b &&
	tree=$(git rev-parse $new:d) && rm -f .git/objects/$(echo $tree | sed "s|^..|&/|") && test_expect_code 1 git bundle verify b >out 2>err &&
	echo "error: some prerequisite commits exist in the object store, but are not connected to the repository${SQ:-'"'"'}s history" >expect &&
	test_cmp expect err && test_grep "requires this ref" out && git update-ref refs/heads/main $new && git bundle verify -q b &&
	cd .. && rm -rf loose && cp -R r loose && cd loose && git commit-graph write --reachable && bundle "-$new x\n\n" &&
	git symbolic-ref HEAD refs/heads/none && git update-ref -d refs/heads/main && rm -f .git/objects/$(echo $old | sed "s|^..|&/|") &&
	test_expect_code 1 git bundle verify -q b && cd .. && rm -rf loose && cp -R r loose && cd loose && bundle "-$new x\n\n" && blob=$(git rev-parse $new:d/f) && git update-ref refs/heads/main $old &&
	rm -f .git/objects/$(echo $blob | sed "s|^..|&/|") && test_expect_code 1 git bundle verify -q b &&
	cd .. && rm -rf loose && cp -R r loose && cd loose && bundle "-$new x\n\n" && git symbolic-ref HEAD refs/heads/none && git update-ref -d refs/heads/main &&
	git bundle verify -q b && rm -f .git/objects/$(echo $old | sed "s|^..|&/|") && test_expect_code 1 git bundle verify -q b &&
	f=.git/objects/$(echo $new | sed "s|^..|&/|") && chmod +w $f && echo junk >$f && test_must_fail git bundle verify -q b 2>err && test_grep $new err
'

test_expect_success 'verify needs a repository, list-heads does not' '
	bundle "$ID refs/x\n\n" && mkdir none && cd none && git bundle list-heads ../b >out &&
	test_line_count = 1 out && test_expect_code 1 git bundle verify ../b 2>err && test_grep "^error: need a repository to verify a bundle$" err
'

# bad MESSAGE HEADER: every reading of it fails like this
bad () {
	printf "$2" >b && test_expect_code 1 git bundle list-heads b >out 2>err && echo "error: $1" >expect && test_cmp expect err &&
	test_must_be_empty out && test_expect_code 1 git bundle list-heads - <b 2>err && sed "s/.b. \(does\|ends\)/'<stdin>' \1/" expect >want && test_cmp want err
}

q="'"
test_expect_success 'headers that are not understood' '
	other=sha256 && { test $TEST_HASH = sha1 || other=sha1; } &&
	for sig in "" "\n" "# v1 git bundle\n\n" "# v4 git bundle\n\n" "# v2 git bundl" "# v2 git bundle" "# v2 git bundlex\n\n" "# v2 git bundle \n\n" \
		"PACK" "# v2 git bundle\r\n\n"
	do
		bad "${q}b$q does not look like a v2 or v3 bundle file" "$sig" || return 1
	done &&
	bad "unknown capability ${q}foo=1$q" "# v3 git bundle\n@foo=1\n\n" && bad "unknown capability ${q}filter$q" "# v3 git bundle\n@filter\n\n" &&
	bad "invalid filter-spec ${q}x:y$q" "# v3 git bundle\n@filter=x:y\n\n" && bad "invalid filter-spec $q$q" "# v3 git bundle\n@filter=\n\n" &&
	bad "object-format behind refs" "# v3 git bundle\n@object-format=$TEST_HASH\n$ID x\n@object-format=$other\n\n" &&
	bad "unknown capability ${q}object-format$q" "# v3 git bundle\n@object-format\n\n" &&
	bad "unrecognized bundle hash algorithm: foo" "# v3 git bundle\n@object-format=foo\n\n" &&
	bad "unrecognized header: @object-format=sha1 (19)" "# v2 git bundle\n@object-format=sha1\n\n" &&
	sha1=1122334455667788990011223344556677889900 && bad "unrecognized header: $sha1 (40)" "# v2 git bundle\n$sha1\n\n" &&
	bad "unrecognized header: $sha1 (40)" "# v2 git bundle\n$sha1  \n\n" && bad "unrecognized header: ${sha1}0 refs/x (48)" "# v2 git bundle\n${sha1}0 refs/x\n\n" &&
	bad "unrecognized header: -zz (2)" "# v2 git bundle\n-zz\n\n" && bad "unrecognized header: abc (3)" "# v2 git bundle\nabc\n\n" &&
	bad "unrecognized header: $sha1 refs/x (47)" "# v3 git bundle\n@object-format=sha256\n$sha1 refs/x\n\n"
'

test_expect_success 'messages show control characters of a header as "?"' '
	bad "unrecognized header: -?[31mx (6)" "# v2 git bundle\n-\033[31mx\n\n" && bad "unknown capability ${q}a?[31m=1$q" "# v3 git bundle\n@a\033[31m=1\n\n" &&
	bad "unrecognized bundle hash algorithm: ?[31mo" "# v3 git bundle\n@object-format=\033[31mo\n\n"
'

test_expect_success 'a header cut at every byte, one with a NUL, a line without end' '
	bundle "-$ID a\n$ID refs/heads/x\n\n" && size=$(wc -c <b) && i=0 && mv b whole && while test $i -lt $size
	do
		head -c $i whole >b && test_expect_code 1 git bundle list-heads b >out 2>err && test_must_be_empty out &&
		test_grep "^error: .b. \(ends within its header\|does not look like\)" err || return 1
		i=$((i + 1))
	done &&
	git bundle list-heads whole && printf "# v2 git bundle\n$ID refs/heads/\0x\n\n" >b && test_expect_code 1 git bundle list-heads b 2>err &&
	test_grep "has a NUL" err && { printf "# v2 git bundle\n$ID refs/heads/" && head -c 70000 /dev/zero | tr "\0" x && printf "\n\n"; } >b &&
	test_expect_code 1 git bundle list-heads b 2>err && test_grep "a line of the header of .b. is too long" err
'

test_expect_success 'a header of many refs, through a pipe' '
	{ bundle "" && cat b && i=0 && while test $i -lt 3000; do echo "$ID refs/heads/number/$i" && i=$((i + 1)); done && echo && head -c 200000 /dev/zero; } >big &&
	git bundle list-heads big >out && test_line_count = 3000 out && cat big | git bundle list-heads - >piped && test_cmp out piped
'

test_expect_success 'files that cannot be read, wrong usage' '
	test_expect_code 1 git bundle list-heads nope 2>err && test_grep "^error: could not open .nope.$" err && test_expect_code 1 git bundle list-heads . 2>err &&
	for sub in list-heads verify
	do
		test_expect_code 129 git bundle $sub 2>err && test_grep "^fatal: need a <file> argument$" err || return 1
	done &&
	test_expect_code 129 git bundle 2>err && test_grep "^error: need a subcommand$" err && test_expect_code 129 git bundle foo 2>err &&
	test_grep "^error: unknown subcommand: .foo.$" err && test_expect_code 129 git bundle --foo 2>err && test_grep "unknown option" err
'

# make_bundle FILE HEADER REVISIONS: the header, and a thin pack of what these lines name
make_bundle () {
	bundle "$2" && printf "$3" | git -C work pack-objects -q --revs --thin --stdout --delta-base-offset >p && cat b p >"$1"
}

# refused REPO FILE PATTERN [OPTION...]: exit code 1, that message, and nothing is left
refused () {
	find "$1" | sort >before && test_expect_code 1 git -C "$1" bundle unbundle "../$2" >out 2>err && test_must_be_empty out &&
	test_grep "$3" err && find "$1" | sort >after && test_cmp before after
}

test_expect_success 'unbundle: objects arrive in one pack, refs are printed' '
	git init -q -b main work && for i in $(test_seq 200); do echo "line $i"; done >work/long && git -C work add long &&
	git -C work commit -qm three && echo "one more" >>work/long && git -C work commit -qam four &&
	four=$(git -C work rev-parse HEAD) && three=$(git -C work rev-parse HEAD~) &&
	make_bundle full.bundle "$four refs/heads/main\n$three refs/tags/old one\n\n" "$four\n" &&
	git init -q --bare full && git -C full bundle unbundle ../full.bundle >out 2>err &&
	printf "%s\n" "$four refs/heads/main" "$three refs/tags/old one" >expect && test_cmp expect out && test_must_be_empty err &&
	git -C work rev-list --objects $four | cut -d" " -f1 | sort >expect && git -C full rev-list --objects $four | cut -d" " -f1 | sort >actual &&
	test_cmp expect actual && ls full/objects/pack | sed "s/.*\.//" >files && printf "%s\n" idx pack rev >expect && test_cmp expect files &&
	git -C full for-each-ref >refs && test_must_be_empty refs && find full -name "tmp_*" >left && test_must_be_empty left &&
	git -C full bundle unbundle ../full.bundle refs/heads/main nope >out && echo "$four refs/heads/main" >expect && test_cmp expect out &&
	git init -q --bare by-pipe && cat full.bundle | git -C by-pipe bundle unbundle - >out && test_line_count = 2 out && git -C by-pipe cat-file -e $four &&
	git -C full bundle unbundle --progress ../full.bundle 2>err >out && test_grep "Unbundling objects: 100%" err
'

test_expect_success 'unbundle: a thin pack, whose bases are here' '
	make_bundle thin.bundle "-$three three\n$four refs/heads/main\n\n" "$four\n^$three\n" &&
	git init -q --bare thin && refused thin thin.bundle "^error: Repository lacks these prerequisite commits:" && test_grep "^error: $three" err &&
	make_bundle below.bundle "$three refs/heads/main\n\n" "$three\n" && git -C thin bundle unbundle ../below.bundle &&
	git -C thin update-ref refs/heads/main $three && git -C thin bundle unbundle ../thin.bundle >out &&
	echo "$four refs/heads/main" >expect && test_cmp expect out && git -C thin rev-list --objects $four >/dev/null &&
	(cd thin && for idx in objects/pack/*.idx; do git verify-pack $idx || exit 1; done)
'

test_expect_success 'unbundle: broken ones leave nothing' '
	git init -q --bare empty && make_bundle full.bundle "$four refs/heads/main\n\n" "$four\n" &&
	n=$(wc -c <full.bundle) && for len in $((n - $(wc -c <p))) $((n - $(wc -c <p) + 4)) $((n - 100)) $((n - 1)); do
		head -c $len full.bundle >cut && refused empty cut "early EOF" || return 1
	done &&
	{ cat full.bundle && echo junk; } >junk && refused empty junk "pack has junk at the end" &&
	sed "s/PACK/PUCK/" full.bundle >puck && refused empty puck "pack signature mismatch" &&
	bundle "$four refs/heads/main\n\n" && refused empty b "early EOF" && refused empty nope "could not open" &&
	{ test $TEST_HASH = sha1 && printf "# v3 git bundle\n@object-format=sha256\n%064d x\n\n" 5 || printf "# v2 git bundle\n%040d x\n\n" 5; } >b &&
	refused empty b "has objects named by" &&
	mkdir nowhere && (cd nowhere && GIT_CEILING_DIRECTORIES="$TRASH_DIRECTORY" test_expect_code 128 git bundle unbundle ../full.bundle 2>../err) &&
	test_grep "^fatal: Need a repository to unbundle.$" err && test_expect_code 129 git -C empty bundle unbundle 2>err &&
	test_expect_code 129 git -C empty bundle unbundle -q ../full.bundle 2>err
'

test_expect_success 'unbundle: with a filter the pack is a promisor pack' '
	printf "# v3 git bundle\n@object-format=$TEST_HASH\n@filter=blob:none\n$four refs/heads/main\n\n" >b &&
	echo $four | git -C work pack-objects -q --revs --stdout --filter=blob:none >p && cat b p >filtered.bundle &&
	git init -q --bare filtered && git -C filtered bundle unbundle ../filtered.bundle && echo from-bundle >expect &&
	test_cmp expect filtered/objects/pack/*.promisor && git -C filtered cat-file -e $four^{tree}
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'unbundle: one flush; refs are printed after it' '
	on_journal flush && git init -q --bare flush/r &&
	n=$(count_flushes git -C flush/r bundle unbundle "$PWD/full.bundle") && test $n = 1
'

# ---- create ----

# lines FILE: the header without signature and capabilities
lines () {
	sed -n '/^$/q; /^[#@]/!p' "$1"
}

# creates EXPECT ARG...: a bundle with these lines, each a "-" or "" and a revision, and the rest of the line
creates () {
	local word want=$1
	shift && git -C h bundle create -q "$TRASH_DIRECTORY/c" "$@" 2>err && lines c >actual && test_must_be_empty err || return
	while read -r word rest; do
		case $word in
		-*) echo "-$(git -C h rev-parse "${word#-}") $rest" ;;
		?*) echo "$(git -C h rev-parse "$word") $rest" ;;
		esac
	done >expect <<-EOT
	$want
	EOT
	test_cmp expect actual
}

# holds FILE REVISION...: unpacked upon what the revisions lead to, everything is there
holds () {
	local file=$1
	shift && rm -rf upon && git init -q --bare upon &&
	if test $# != 0; then
		for rev; do git -C h rev-parse "$rev"; done >want &&
		git -C h pack-objects -q --revs --stdout <want | git -C upon index-pack --stdin &&
		i=0 && for id in $(cat want); do i=$((i + 1)) && git -C upon update-ref refs/upon/$i $id || return; done
	fi &&
	git -C upon bundle unbundle "$TRASH_DIRECTORY/$file" >got && git -C upon rev-list --quiet --objects $(cut -d" " -f1 got)
}

test_expect_success 'a history for bundles' '
	git init -q -b main h && cd h && git config core.logAllRefUpdates true && for i in 1 2 3 4 5; do
		echo "line $i" >>f && echo $i >g$i && git add . && GIT_COMMITTER_DATE="17000000$i$i +0000" GIT_AUTHOR_DATE="17000000$i$i +0000" git commit -q -m "c$i" &&
		GIT_COMMITTER_DATE="17000000$i$i +0000" git tag -a -m "tag $i" t$i || return 1
	done && git branch side main~2 && git tag light main~1 && git tag blob main:f && git symbolic-ref refs/heads/sym refs/heads/main && cd ..
'

test_expect_success 'create: refs by their full names, each once' '
	creates "main refs/heads/main" main && holds c && git -C h bundle verify -q ../c && creates "main HEAD" HEAD &&
	creates "main refs/heads/main
	HEAD HEAD
	light refs/tags/light" main HEAD heads/main light main && creates "main refs/heads/main" @ && creates "main refs/heads/main" sym &&
	creates "main refs/heads/sym" refs/heads/sym && creates "t2 refs/tags/t2" t2 && creates "blob refs/tags/blob" blob &&
	creates "side refs/heads/side
	t1 refs/tags/t1
	t2 refs/tags/t2
	t3 refs/tags/t3
	t4 refs/tags/t4" side "--glob=refs/tags/t[1-4]" && holds c
'

test_expect_success 'create: --all, --branches, --tags, whatever else has such a name' '
	git -C h update-ref refs/tags/side t1 && git -C h for-each-ref --format="%(objectname) %(refname)" >expect &&
	git -C h bundle create ../c --all 2>err && lines c >actual && echo "$(git -C h rev-parse HEAD) HEAD" >>expect && test_cmp expect actual && holds c &&
	git -C h bundle create -q ../c --branches --tags 2>err && lines c >actual && sed /HEAD/d expect >want && test_cmp want actual &&
	test_expect_code 128 git -C h bundle create -q ../no side 2>err && test_grep "refname .side. is ambiguous" err && git -C h update-ref -d refs/tags/side &&
	creates "main refs/heads/main
	main refs/heads/sym
	main HEAD" --exclude=refs/heads/side --exclude="refs/tags/*" --all
'

test_expect_success 'create: an excluded commit is a prerequisite, with its subject' '
	creates "-main~2 c3
	main refs/heads/main" main~2..main && holds c main~2 && creates "-side c3
	main refs/heads/main" ^side main && holds c side && creates "-side c3
	main refs/heads/main" main --not side && creates "-main~1 c4
	main refs/heads/main" -1 main && holds c main~1 && creates "-side c3
	main refs/heads/main" side...main && creates "-main~3 c2
	main refs/heads/main" --since=1700000033 main && holds c main~3 &&
	printf "%s\n" main --not side >input && git -C h bundle create -q ../c --stdin <input && lines c >actual &&
	printf "%s\n" "-$(git -C h rev-parse side) c3" "$(git -C h rev-parse main) refs/heads/main" >expect && test_cmp expect actual
'

test_expect_success 'create: objects below the prerequisites are used as bases only' '
	git init -q -b main g && test_seq 1000 >g/long && git -C g add . && git -C g commit -q -m one && echo more >>g/long && git -C g add . && git -C g commit -q -m two &&
	git -C g bundle create -q ../c main~1..main && sed "1,/^$/d" c >p && test $(wc -c <p) -lt 1000 && git init -q --bare thin2 &&
	test_expect_code 128 git -C thin2 index-pack --stdin <p 2>err && test_grep "unresolved deltas\|fix-thin\|unresolved" err &&
	git -C g bundle create --progress ../c main~1..main 2>err && test_grep "^Total 3 " err
'

test_expect_success 'create: a tag of an excluded commit needs that commit, once' '
	creates "-main c5
	t5 refs/tags/t5" ^main t5 && holds c main && creates "-side c3
	main refs/heads/main
	t1 refs/tags/t1" ^side main t1 && holds c side
'

test_expect_success 'create: tags of another time are left out, with what only they lead to' '
	creates "-main~3 c2
	main refs/heads/main
	t4 refs/tags/t4" --since=1700000033 main t1 t3 t4 && git -C h rev-parse t3 t1 >ids && holds c main~3 &&
	for id in $(cat ids); do test_must_fail git -C upon cat-file -e $id || return 1; done &&
	creates "side refs/heads/side
	t2 refs/tags/t2" --until=1700000034 side t2 t4
'

test_expect_success 'create warns about refs that options leave out' '
	git -C h bundle create -q ../c --skip=1 main side 2>err && echo "warning: ref ${SQ:-'"'"'}main${SQ:-'"'"'} is excluded by the rev-list options" >expect && test_cmp expect err &&
	lines c >actual && echo "$(git -C h rev-parse side) refs/heads/side" >expect && test_cmp expect actual
'

# empty ARG...: refused, and an old file stays
empty () {
	echo old >c && test_expect_code 128 git -C h bundle create -q ../c "$@" 2>err && test_grep "^fatal: Refusing to create empty bundle.$" err &&
	test "$(cat c)" = old && test_path_is_missing c.lock
}
test_expect_success 'create: without a ref there is no bundle' '
	empty && empty main..main && empty $(git -C h rev-parse main) && empty main~1 && empty main:f && empty ^t1 t1 && empty t5^{commit} && empty --stdin </dev/null &&
	empty --remotes && empty main@{0} && empty -n0 main && git init -q none && test_expect_code 128 git -C none bundle create -q ../c --all 2>err && test_grep "empty bundle" err
'

test_expect_success 'create: versions, hashes, filters' '
	git -C h bundle create -q ../c main && head -n 2 c >actual && { test $TEST_HASH = sha1 && echo "# v2 git bundle" ||
	printf "# v3 git bundle\n@object-format=sha256\n"; } >expect && head -n $(wc -l <expect) actual >top && test_cmp expect top &&
	git -C h bundle create -q --version=3 ../c main && printf "# v3 git bundle\n@object-format=%s\n" $TEST_HASH >expect && head -n 2 c >actual && test_cmp expect actual && holds c &&
	git -C h bundle create -q ../c --filter=blob:none main && echo "@filter=blob:none" >>expect && head -n 3 c >actual && test_cmp expect actual &&
	rm -rf upon && git init -q --bare upon && git -C upon bundle unbundle ../c >/dev/null && ls upon/objects/pack >packs && test_grep "[.]promisor" packs &&
	git -C upon cat-file --batch-all-objects --batch-check="%(objecttype)" | sort -u >types && printf "commit\ntree\n" >expect && test_cmp expect types &&
	git -C h bundle create -q ../c --filter=blob:limit=3 --filter=tree:1 main && test_grep -a "^@filter=combine:blob:limit=3+tree:1$" c &&
	git -C h bundle create -q ../c --filter=blob:none main~2..main && git -C h bundle verify ../c >out && test_grep "uses this filter: blob:none" out &&
	for v in 1 4; do
		test_expect_code 128 git -C h bundle create --version=$v ../no main 2>err && test_grep "^fatal: unsupported bundle version $v$" err || return 1
	done &&
	test_expect_code 128 git -C h bundle create --version=2 ../no --filter=blob:none main 2>err && test_grep "cannot write bundle version 2" err &&
	test_expect_code 128 git -C h bundle create ../no --filter=x main 2>err && test_grep "invalid filter-spec .x." err && test_path_is_missing no &&
	if test $TEST_HASH = sha256; then test_expect_code 128 git -C h bundle create --version=2 ../no main 2>err && test_grep "version 2 with algorithm sha256" err; fi
'

test_expect_success 'create: to standard output, from a subdirectory, through a link, over an existing file' '
	git -C h bundle create -q - main >c && holds c && mkdir -p h/sub && rm -f h/sub/b && git -C h/sub bundle create -q b main && test_path_is_file h/sub/b && cmp h/sub/b c &&
	rm h/sub/b && echo old >target && ln -sf target link && git -C h bundle create -q ../link main && test_path_is_symlink link && cmp target c && rm link target
'

test_expect_success 'create: progress, and none' '
	git -C h bundle create ../c main 2>err && test_must_be_empty err && for o in --progress --all-progress; do
		git -C h bundle create $o ../c main 2>err && test_grep "Enumerating objects: .*done" err && test_grep "Writing objects: 100%" err && test_grep "^Total" err || return 1
	done && git -C h bundle create --progress -q ../c main 2>err && test_must_be_empty err && git -C h bundle create --all-progress-implied ../c main 2>err && test_must_be_empty err
'

test_expect_success 'create: a lock, directories that are missing, wrong usage' '
	: >c.lock && echo old >c && test_expect_code 128 git -C h bundle create -q ../c main 2>err && test_grep "nable to create .*c.lock.: File exists" err && test "$(cat c)" = old &&
	rm c.lock && test_expect_code 128 git -C h bundle create -q ../nope/c main 2>err && test_grep "nope/c.lock" err &&
	test_expect_code 129 git -C h bundle create 2>err && test_grep "^fatal: need a <file> argument$" err && test_expect_code 129 git -C h bundle create --foo ../c main 2>err &&
	test_expect_code 128 git -C h bundle create -q ../c --foo main 2>err && test_grep "unrecognized argument: --foo" err && test_expect_code 128 git -C h bundle create -q ../c nope 2>err &&
	test_grep "ambiguous argument .nope." err && test "$(cat c)" = old && mkdir -p outside &&
	(cd outside && GIT_CEILING_DIRECTORIES="$TRASH_DIRECTORY" test_expect_code 128 git bundle create c main 2>../err) && test_grep "^fatal: Need a repository to create a bundle.$" err
'

test_expect_success 'create: a missing object ends it, and the old file stays' '
	cp -R h broken && blob=$(git -C h rev-parse main:g4) && rm -f broken/.git/objects/$(echo $blob | sed "s|^..|&/|") && echo old >c &&
	test_expect_code 128 git -C broken bundle create -q ../c main 2>err && test_grep $blob err && test "$(cat c)" = old && test_path_is_missing c.lock && rm -rf broken
'

test_expect_success 'create: replaced objects are not what goes into it' '
	cp -R h replaced && git -C replaced update-ref refs/replace/$(git -C h rev-parse main) $(git -C h rev-parse side) && git -C replaced bundle create -q ../c main &&
	lines c >actual && echo "$(git -C h rev-parse main) refs/heads/main" >expect && test_cmp expect actual && holds c && rm -rf replaced
'

test_expect_success 'create: a shallow repository needs what lies below its boundary' '
	git init -q --bare shallow && git -C h pack-objects -q --revs --stdout >p <<-EOT && git -C shallow index-pack --stdin <p && git -C h rev-parse main~1 >shallow/shallow &&
	$(git -C h rev-parse main)
	^$(git -C h rev-parse main~2)
	EOT
	tree=$(git -C h rev-parse main~1^{tree}) && echo $tree | git -C h pack-objects -q --revs --stdout | git -C shallow index-pack --stdin &&
	echo $(git -C h rev-parse main^{tree}) | git -C h pack-objects -q --revs --stdout | git -C shallow index-pack --stdin &&
	git -C shallow update-ref refs/heads/main $(git -C h rev-parse main) && git -C shallow bundle create -q ../c --all && lines c >actual &&
	printf "%s\n" "-$(git -C h rev-parse main~2) " "$(git -C h rev-parse main) refs/heads/main" "$(git -C h rev-parse main) HEAD" >expect && sed /HEAD/d expect >want &&
	sed /HEAD/d actual >have && test_cmp want have && holds c main~2
'

test_expect_success 'create: from a bitmapped pack, whole or in part, and from loose objects' '
	cp -R h packed && git -C packed repack -adbq && git -C packed bundle create -q ../c --all && holds c && git -C packed bundle create -q ../c main~2..main && holds c main~2 &&
	git -C packed -c pack.useBitmaps=false bundle create -q ../c --all && holds c && rm -rf packed
'

test_expect_success JOURNAL,STRACE,FSYNC_BATCH 'create: one flush, however large' '
	on_journal large && n=$(count_flushes git -C h bundle create -q "$PWD/large/c" --all) && test $n = 1 &&
	n=$(count_flushes git -C h -c core.fsync=none bundle create -q "$PWD/large/c" --all) && test $n = 0 &&
	n=$(count_flushes sh -c "git -C h bundle create -q - --all >c") && test $n = 0
'

test_done
