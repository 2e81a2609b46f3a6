#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pack-objects: which objects, how they are stored, several packs, bad input'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-pack-objects.sh"

no_litter () {
	find . -name "tmp_*" >litter && test_must_be_empty litter
}

# packs [OPTIONS] <list: into out/, whose packs make the repository `new`
packs () {
	rm -rf out && mkdir out &&
	git -C repo pack-objects "$@" "$PWD/out/pack" >names && no_litter &&
	if test -s names; then repo_of out/pack new; fi
}

in_new () {
	git -C new cat-file --batch-all-objects --batch-check="%(objectname)" | sort
}

test_expect_success 'setup' '
	make_history repo 40 &&
	all_of repo >all &&
	git -C repo cat-file --batch-all-objects --batch-check="%(objectname)" | sort >oids &&
	test_line_count -gt 200 oids
'

test_expect_success 'all objects, as files that are named by the checksum' '
	packs --all --delta-base-offset </dev/null && test_line_count = 1 names &&
	for ext in pack idx rev; do test_path_is_file out/pack-$(cat names).$ext || return 1; done &&
	tail -c $((OID_HEXLEN / 2)) out/pack-$(cat names).pack | od -An -tx1 | tr -d " \n" >sum &&
	test "$(cat sum)" = "$(cat names)" &&
	all_of new >actual && test_cmp_bin all actual &&
	git -C repo for-each-ref --format="create %(refname) %(objectname)" >refs &&
	git -C new update-ref --stdin <refs && git -C new fsck --strict
'

test_expect_success 'most objects are deltas' '
	loose=$(cat $(find repo/.git/objects -path "*/??/*" -type f) | wc -c) &&
	test $(wc -c <out/pack-$(cat names).pack) -lt $((loose / 3)) &&
	test $(chain_depth new) -gt 3
'

test_expect_success 'a list of names, with paths and without; twice counts once' '
	packs <oids && all_of new >actual && test_cmp_bin all actual &&
	(cat oids && sed "s/\$/ some path/" oids) >twice &&
	packs <twice && all_of new >actual && test_cmp_bin all actual
'

test_expect_success 'the pack does not depend on the number of threads' '
	for n in 1 2 5; do
		packs --all --threads=$n </dev/null && cat names || return 1
	done >out.threads &&
	sort -u out.threads >unique && test_line_count = 1 unique
'

test_expect_success '--window=0 makes no deltas, --depth limits chains' '
	packs --all --window=0 </dev/null && test $(chain_depth new) = 0 &&
	for depth in 1 2 3; do
		packs --all --depth=$depth </dev/null && test $(chain_depth new) = $depth || return 1
	done &&
	packs --all --depth=0 </dev/null && test $(chain_depth new) = 0 &&
	packs --all --depth=5000 </dev/null 2>err && test_grep "too deep, forcing 4095" err
'

test_expect_success '--window-memory' '
	packs --all --window-memory=20k </dev/null && all_of new >actual && test_cmp_bin all actual &&
	test $(chain_depth new) -gt 1
'

test_expect_success 'deltas of packs are used again' '
	packs --all --delta-base-offset </dev/null && rm -rf packed && mv new packed &&
	git -C repo for-each-ref --format="create %(refname) %(objectname)" >refs &&
	git -C packed update-ref --stdin <refs &&
	git -C packed pack-objects --all --delta-base-offset --stdout --progress --all-progress \
		</dev/null >again.pack 2>err &&
	test_cmp_bin out/pack-*.pack again.pack &&
	test_grep "^Total \([0-9]*\) (delta \([0-9]*\)), reused \1 (delta \2)" err &&
	git -C packed pack-objects --all --stdout --progress --no-reuse-object </dev/null 2>err >x.pack &&
	test_grep "reused 0 (delta 0)" err &&
	git -C packed pack-objects --all --stdout --progress --depth=2 </dev/null 2>err >x.pack &&
	test_grep "reused [1-9][0-9]* (delta [1-9]" err
'

test_expect_success 'deltas by offset take less than by name' '
	git -C packed pack-objects --all --stdout </dev/null >by-name.pack &&
	test $(wc -c <again.pack) -lt $(wc -c <by-name.pack)
'

test_expect_success 'a packed delta whose chain is too deep now is computed anew' '
	rm -rf out && mkdir out &&
	git -C packed pack-objects --all --depth=2 "$PWD/out/pack" </dev/null >names && repo_of out/pack new &&
	test $(chain_depth new) -le 2 && all_of new >actual && test_cmp_bin all actual
'

test_expect_success '--revs, exclusions, --thin' '
	printf "HEAD\n--not\nHEAD~5\n" >revs &&
	packs --revs <revs && in_new >some &&
	git -C repo cat-file --batch-check="%(objecttype)" <some | sort | uniq -c | tr -s " " >types &&
	test_grep "^ 5 commit" types &&
	git -C repo pack-objects --revs --stdout <revs >full.pack &&
	git -C repo pack-objects --revs --stdout --thin <revs >thin.pack &&
	test $(pack_count full.pack) = $(pack_count thin.pack) &&
	test $(wc -c <thin.pack) -lt $(wc -c <full.pack) &&
	test_must_fail git -C repo pack-objects --revs --thin "$PWD/out/pack" <revs 2>err &&
	test_grep "thin cannot be used to build an indexable pack" err &&
	echo "--objects" | test_must_fail git -C repo pack-objects --revs --stdout 2>err >x.pack &&
	test_grep "not a rev .--objects." err
'

test_expect_success 'a preferred base by name: "-COMMIT", on standard output' '
	git -C repo rev-parse HEAD:text | sed "s/\$/ text/" >one &&
	git -C repo pack-objects --stdout <one >full.pack &&
	(git -C repo rev-parse HEAD~1 | sed "s/^/-/" && cat one) >edge &&
	git -C repo pack-objects --stdout <edge >thin.pack &&
	test $(pack_count thin.pack) = 1 &&
	test $(wc -c <thin.pack) -lt $(($(wc -c <full.pack) / 4)) &&
	packs <edge && cat out/*.pack >thick.pack && test $(wc -c <thick.pack) = $(wc -c <full.pack) &&
	git -C new verify-pack .git/objects/pack/$(basename out/*.idx)
'

test_expect_success 'a preferred base that is not there, or is no tree, is none' '
	(echo "-$(echo $ZERO_OID | tr 0 1)" && echo "-$(git -C repo rev-parse HEAD:small)" && cat one) >odd &&
	git -C repo pack-objects --stdout <odd >odd.pack && test_cmp_bin full.pack odd.pack &&
	git -C repo pack-objects --stdout <edge >thin.pack && cat odd edge >both &&
	git -C repo pack-objects --stdout <both >both.pack && test_cmp_bin thin.pack both.pack
'

test_expect_success '--thin reads revisions, as --revs does' '
	printf "HEAD\n--not\nHEAD~5\n" >revs && git -C repo pack-objects --revs --stdout --thin <revs >expect.pack &&
	git -C repo pack-objects --stdout --thin <revs >thin.pack && test_cmp_bin expect.pack thin.pack &&
	test_must_fail git -C repo pack-objects --stdout --thin <edge 2>err >x.pack && test_grep "not a rev .-" err &&
	test_must_fail git -C repo pack-objects --stdout --thin --stdin-packs </dev/null 2>err >x.pack &&
	test_grep "cannot use internal rev list with --stdin-packs" err
'

test_expect_success !SANITIZE,!VALGRIND 'a window larger than all that there is takes no room' '
	echo HEAD | git -C repo pack-objects --revs --stdout --threads=1 --window=100000 >some.pack &&
	(ulimit -v 1000000 && echo HEAD |
	 git -C repo pack-objects --revs --stdout --threads=1 --window=2000000000 >all.pack) &&
	test_cmp_bin some.pack all.pack
'

test_expect_success 'in files a preferred base is none, for deltas of packs as well' '
	git -C packed rev-parse HEAD~1:text | sed "s/\$/ text/" >one &&
	test "$(git -C packed rev-parse HEAD~1:text | git -C packed cat-file --batch-check="%(deltabase)")" = \
		$(git -C packed rev-parse HEAD:text) &&
	(git -C packed rev-parse HEAD | sed "s/^/-/" && cat one) >edge &&
	rm -rf out && mkdir out && git -C packed pack-objects "$PWD/out/pack" <edge && rm -rf in && git init -q in &&
	cat out/*.pack >thick.pack && git -C in index-pack --stdin <thick.pack &&
	git -C packed pack-objects --stdout <edge >thin.pack && test $(wc -c <thin.pack) -lt $(wc -c <thick.pack) &&
	test_must_fail git -C in index-pack --stdin <thin.pack
'

test_expect_success '--shallow: a commit that the other side has without its parents' '
	(git -C repo rev-parse HEAD~2 | sed "s/^/--shallow /" && echo HEAD) >revs &&
	packs --revs <revs && in_new >some &&
	git -C repo cat-file --batch-check="%(objecttype)" <some | grep -c commit >nr && echo 3 >want &&
	test_cmp want nr
'

test_expect_success '--keep-true-parents: what grafts hide goes along, but not behind a shallow boundary' '
	rm -rf grafted && cp -R packed grafted && tree=$(git -C repo rev-parse HEAD^{tree}) && mkdir -p grafted/.git/info &&
	given=$(git -C grafted commit-tree -m given $tree) && echo HEAD >revs && rm -f grafted/.git/objects/info/commit-graph &&
	commits () { git -C grafted pack-objects --revs --stdout "$@" <revs >x.pack && rm -rf new && git init -q new && git -C new index-pack --stdin <x.pack >/dev/null &&
		git -C new cat-file --batch-all-objects --batch-check="%(objecttype)" | grep -c commit; } &&
	echo $(git -C repo rev-parse HEAD~4) $given >grafted/.git/info/grafts &&
	test $(commits) = 6 && test $(commits --keep-true-parents) = 41 &&
	git -C grafted repack -q -a -d && rm grafted/.git/info/grafts && git -C grafted fsck && test $(commits) = 40 &&
	git -C repo rev-parse HEAD~2 >grafted/.git/shallow && test $(commits --keep-true-parents) = 3
'

test_expect_success '--filter, --include-tag' '
	echo HEAD >revs &&
	packs --revs --filter=blob:none <revs && in_new >some &&
	git -C repo cat-file --batch-check="%(objecttype)" <some >types && test_grep ! blob types &&
	test_grep tree types && test_grep ! tag types &&
	packs --revs --include-tag <revs && in_new >some &&
	git -C repo cat-file --batch-check="%(objecttype)" <some | grep -c tag >nr && echo 2 >want &&
	test_cmp want nr
'

test_expect_success '--reflog, --indexed-objects, --unpacked, unreachable objects' '
	rm -rf loose && cp -R repo loose && cd loose &&
	lost=$(echo lost | git hash-object -w --stdin) && staged=$(echo staged | git hash-object -w --stdin) &&
	git update-index --add --cacheinfo 100644,$staged,staged &&
	git branch side HEAD~4 && cd .. &&
	count () { git -C loose pack-objects --stdout "$@" </dev/null >x.pack && pack_count x.pack; } &&
	n=$(count --all) && test $(count --all --indexed-objects) = $((n + 1)) &&
	test $(count --all --pack-loose-unreachable) = $((n + 2)) &&
	tree=$(git -C loose rev-parse HEAD^{tree}) &&
	c=$(echo gone | git -C loose commit-tree $tree -p HEAD) &&
	git -C loose update-ref -m x HEAD $c && git -C loose update-ref -m y HEAD $c^ &&
	test $(count --all) = $n && test $(count --all --reflog) = $((n + 1)) &&
	git -C loose pack-objects --all .git/objects/pack/pack </dev/null &&
	test $(count --all --unpacked) = 0 && test $(count --all) = $n &&
	echo $lost | git -C loose pack-objects .git/objects/pack/pack &&
	test $(count --all --keep-unreachable) = $((n + 1))
'

test_expect_success '--local, --incremental, --honor-pack-keep, --keep-pack, --non-empty' '
	n=$(wc -l <oids) &&
	rm -rf borrower && git init -q borrower &&
	echo "$PWD/packed/.git/objects" >borrower/.git/objects/info/alternates &&
	own=$(echo own | git -C borrower hash-object -w --stdin) &&
	(cat oids && echo $own) >list &&
	count () { git -C $1 pack-objects --stdout $2 <list >x.pack && pack_count x.pack; } &&
	test $(count borrower) = $((n + 1)) && test $(count borrower --local) = 1 &&
	test $(count borrower --incremental) = 1 &&
	cp oids list && test $(count packed --incremental) = 0 &&
	test $(count packed --honor-pack-keep) = $n &&
	name=$(ls packed/.git/objects/pack/*.pack) && test $(count packed --keep-pack=$(basename $name)) = 0 &&
	test $(count packed --keep-pack=pack-x.pack) = $n &&
	>"${name%.pack}.keep" && test $(count packed --honor-pack-keep) = 0 && rm "${name%.pack}.keep" &&
	git -C packed pack-objects --incremental --non-empty --stdout <list >x.pack && test_must_be_empty x.pack
'

test_expect_success '--stdin-packs' '
	rm -rf two && git init -q two && sed 20q oids >first && sed 1,10d oids | sed 30q >second &&
	a=$(git -C repo pack-objects "$PWD/two/.git/objects/pack/pack" <first) &&
	b=$(git -C repo pack-objects "$PWD/two/.git/objects/pack/pack" <second) &&
	count () { git -C two pack-objects --stdin-packs --stdout <list >x.pack && pack_count x.pack; } &&
	printf "pack-$a.pack\npack-$b.pack\n" >list && test $(count) = 40 &&
	printf "pack-$a.pack\n^pack-$b.pack\n" >list && test $(count) = 10 &&
	echo pack-none.pack >list && test_must_fail git -C two pack-objects --stdin-packs --stdout <list 2>err >x &&
	test_grep "could not find pack .pack-none.pack." err
'

test_expect_success 'an empty pack' '
	git -C repo pack-objects --stdout </dev/null >empty.pack && test $(pack_count empty.pack) = 0 &&
	packs </dev/null && test_line_count = 1 names
'

test_expect_success '--max-pack-size: several packs, each complete by itself' '
	rm -rf noise && git init -q noise &&
	for i in 1 2 3 4 5 6 7 8 9; do head -c 300000 /dev/urandom >noise/f$i || return 1; done &&
	lines 1 90000 >noise/t1 && lines 2 90000 >noise/t2 &&
	git -C noise add . && git -C noise commit -qm noise && all_of noise >noise.all &&
	rm -rf out && mkdir out && git -C noise pack-objects --all --max-pack-size=1m "$PWD/out/pack" </dev/null >names &&
	test_line_count -gt 3 names &&
	for name in $(cat names); do
		test $(wc -c <out/pack-$name.pack) -le 1048576 && repo_of out/pack-$name new &&
		all_of new >one && test -s one || return 1
	done &&
	repo_of out/pack new && all_of new >actual && test_cmp_bin noise.all actual && no_litter &&
	test_must_fail git -C noise pack-objects --all --max-pack-size=1m --stdout </dev/null 2>err >x &&
	test_grep "cannot be used to build a pack for transfer" err &&
	git -C noise pack-objects --all --max-pack-size=5 "$PWD/out/x" </dev/null 2>err &&
	test_grep "minimum pack size limit is 1 MiB" err
'

test_expect_success 'a delta whose base has gone into another pack becomes whole' '
	rm -rf family && git init -q family && head -c 500000 /dev/urandom >family/base &&
	for i in 1 2 3 4; do
		(cat family/base && head -c 300000 /dev/urandom) >family/f$i || return 1
	done &&
	git -C family add . && git -C family commit -qm x && all_of family >family.all &&
	rm -rf out && mkdir out &&
	git -C family pack-objects --all --max-pack-size=1m "$PWD/out/pack" </dev/null >names &&
	test_line_count -gt 1 names && rm -rf in && git init -q in &&
	for name in $(cat names); do git init -q in.$name && git -C in.$name index-pack --stdin <out/pack-$name.pack || return 1; done &&
	git -C family pack-objects --all --stdout --progress </dev/null 2>err >x.pack && test_grep "^Total 7 (delta [34])" err &&
	repo_of out/pack new && all_of new >actual && test_cmp_bin family.all actual
'

test_expect_success 'large blobs are streamed' '
	rm -rf out && mkdir out &&
	git -C noise -c core.bigFileThreshold=200k pack-objects --all "$PWD/out/pack" </dev/null >names &&
	repo_of out/pack new && all_of new >actual && test_cmp_bin noise.all actual
'

test_expect_success 'the attribute -delta' '
	rm -rf attr && git init -q attr && lines 1 500 >attr/a.bin && lines 2 500 >attr/b.bin &&
	git -C attr add . && git -C attr commit -qm x &&
	git -C attr pack-objects --all --stdout --progress </dev/null 2>err >x.pack && test_grep "^Total 4 (delta 1)" err &&
	echo "*.bin -delta" >attr/.gitattributes &&
	git -C attr pack-objects --all --stdout --progress </dev/null 2>err >x.pack && test_grep "^Total 4 (delta 0)" err
'

# Files whose names end alike: by the usual hash they are all mixed.
test_expect_success '--path-walk' '
	packs --all --path-walk </dev/null && all_of new >actual && test_cmp_bin all actual &&
	for depth in 1 2 4; do
		packs --all --path-walk --depth=$depth </dev/null && test $(chain_depth new) -le $depth || return 1
	done &&
	rm -rf alike && git init -q alike && for n in 1 2 3 4; do
		for d in a b c d e f g h i j k l; do
			mkdir -p alike/$d && (lines 1 40 | sed "s/line/$d$d$d$d/g; s/little/$d/" && echo $n) >alike/$d/a-very-long-common-name.c
		done && git -C alike add . && git -C alike commit -qm $n || return 1
	done && all_of alike >alike.all &&
	git -C alike pack-objects --all --stdout --window=3 </dev/null >mixed.pack &&
	git -C alike pack-objects --all --stdout --window=3 --path-walk </dev/null >by-path.pack &&
	test $(wc -c <by-path.pack) -lt $(wc -c <mixed.pack) &&
	rm -rf in && git init -q in && git -C in index-pack --stdin <by-path.pack && all_of in >actual &&
	test_cmp_bin alike.all actual
'

test_expect_success '--name-hash-version, --compression' '
	packs --all --name-hash-version=2 </dev/null && all_of new >actual && test_cmp_bin all actual &&
	packs --all --compression=0 --no-reuse-object </dev/null && all_of new >actual && test_cmp_bin all actual &&
	test_must_fail git -C repo pack-objects --stdout --compression=10 </dev/null 2>err &&
	test_grep "bad pack compression level 10" err &&
	test_must_fail git -C repo pack-objects --stdout --name-hash-version=3 </dev/null
'

# ---- bad input ----

test_expect_success 'wrong usage' '
	test_expect_code 129 git -C repo pack-objects </dev/null 2>err &&
	test_expect_code 129 git -C repo pack-objects --stdout x </dev/null 2>err &&
	test_expect_code 129 git -C repo pack-objects --stdout --no-such </dev/null 2>err
'

test_expect_success 'garbage and missing objects in the list' '
	echo garbage | test_must_fail git -C repo pack-objects --stdout 2>err >x.pack && test_grep garbage err &&
	echo -garbage | test_must_fail git -C repo pack-objects --stdout 2>err >x.pack &&
	test_grep "edge object ID" err &&
	missing=$(echo $ZERO_OID | tr 0 1) && mkdir -p out2 &&
	echo $missing | test_must_fail git -C repo pack-objects "$PWD/out2/pack" 2>err &&
	test_grep $missing err && find out2 -type f >left && test_must_be_empty left
'

# damage REPO OFFSET: change a byte of its pack
damage () {
	local pack=$(ls $1/.git/objects/pack/*.pack)
	chmod u+w "$pack" &&
	printf "\377" | dd of="$pack" bs=1 seek=$2 conv=notrunc 2>/dev/null
}

test_expect_success 'damage does not spread: another copy is used' '
	rm -rf bad && cp -R packed bad && size=$(wc -c <$(ls bad/.git/objects/pack/*.pack)) &&
	for at in $((size / 5)) $((size / 2)) $((size - 100)); do damage bad $at || return 1; done &&
	echo "$PWD/repo/.git/objects" >bad/.git/objects/info/alternates &&
	rm -rf out && mkdir out && git -C bad pack-objects --all "$PWD/out/pack" </dev/null >names 2>err &&
	repo_of out/pack new && all_of new >actual && test_cmp_bin all actual &&
	# In the order of the pack, where whole stretches are copied.
	for opts in "" --delta-base-offset; do
		git -C bad pack-objects --stdout $opts <oids >x.pack && rm -rf in && git init -q in &&
		git -C in index-pack --stdin <x.pack && all_of in >actual && test_cmp_bin all actual || return 1
	done
'

# The delta names the other blob as its base now, of the same size: it inflates, to something that it is not. What is
# made as a delta upon it has to rest on the true content, of which the alternate has a copy.
test_expect_success PERL 'damage that inflates: no new delta rests on it' '
	rm -rf odd && mkdir odd && cd odd &&
	lines 1 300 >b1 && sed "s/changes/CHANGED/" b1 >b2 && printf "%s" "and more of it" | cat b2 - >b3 &&
	lines 1 301 | sed "s/changes/CHANGED/" >b4 && git init -q src && git init -q dst &&
	B1=$(git -C src hash-object ../b1) && B2=$(git -C src hash-object ../b2) && B3=$(git -C src hash-object ../b3) &&
	{ echo "file blob b1" && echo "file blob b2" && echo "ref $B2 $(wc -c <b2) and more of it"; } >entries &&
	"$GIT_BUILD_DIR/t/helper/craft-pack" $(test $TEST_HASH = sha1 || echo $TEST_HASH) <entries >p &&
	git -C src index-pack --stdin <p && git -C dst index-pack --stdin <p && git -C src cat-file -e $B3 &&
	B4=$(git -C dst hash-object -w ../b4) && pack=$(ls dst/.git/objects/pack/*.pack) && chmod u+w "$pack" &&
	at=$(git show-index --object-format=$TEST_HASH <"${pack%.pack}.idx" | grep $B3 | cut -d" " -f1) &&
	perl -e "print pack q(H*), shift" $B1 | dd of="$pack" bs=1 seek=$((at + 2)) conv=notrunc 2>/dev/null &&
	git -C dst cat-file blob $B3 >content && test_must_fail cmp -s content b3 &&
	echo "$PWD/src/.git/objects" >dst/.git/objects/info/alternates && printf "%s b\n" $B3 $B4 >list &&
	git -C dst pack-objects --stdout <list >new.pack && git init -q in && git -C in index-pack --stdin <new.pack &&
	git -C in cat-file blob $B4 >content && cmp content b4 && git -C in cat-file blob $B3 >content && cmp content b3 &&
	test $(chain_depth in) = 1 && cd ..
'

test_expect_success 'damage without another copy is an error, and leaves no pack' '
	rm bad/.git/objects/info/alternates && rm -rf out && mkdir out &&
	test_must_fail git -C bad pack-objects "$PWD/out/pack" <oids 2>err && test_grep corrupt err &&
	find out -type f >left && test_must_be_empty left && no_litter
'

test_expect_success 'a pack that is cut short' '
	rm -rf cut && cp -R packed cut && pack=$(ls cut/.git/objects/pack/*.pack) && chmod u+w "$pack" &&
	size=$(wc -c <"$pack") && head -c $((size * 2 / 3)) "$pack" >short && cat short >"$pack" &&
	test_must_fail git -C cut pack-objects --stdout <oids >x.pack 2>err && test_file_not_empty err
'

# Loose, and then from a pack with all deltas made anew: each is read, not copied.
test_expect_success 'replaced objects are packed as they are, and so is what they lead to' '
	rm -rf rep && cp -R repo rep && blob=$(git -C rep rev-parse HEAD:text) &&
	other=$(lines 777 210 | git -C rep hash-object -w --stdin) && old=$(git -C rep rev-parse HEAD~2) &&
	tree=$(git -C rep rev-parse HEAD~30^{tree}) &&
	commit=$(git -C rep commit-tree -m other $tree) &&
	git -C rep update-ref refs/replace/$blob $other &&
	git -C rep update-ref refs/replace/$old $commit &&
	for where in loose packed; do
		for opts in "" "--no-reuse-object" "--path-walk"; do
			rm -rf out && mkdir out && echo HEAD >revs &&
			git -C rep pack-objects --revs $opts "$PWD/out/pack" <revs >names && repo_of out/pack new &&
			in_new >actual && git -C repo rev-list --objects HEAD >reach &&
			cut -d" " -f1 reach | sort >want && test_cmp want actual && git -C new fsck || return 1
		done &&
		rm -rf rep/.git/objects/pack && cp -R packed/.git/objects/pack rep/.git/objects/pack || return 1
	done
'

test_done
