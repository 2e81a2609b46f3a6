#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fsck: findings and exit codes, compared with stock git'
. "$(dirname "$0")/test-lib.sh"

test_have_prereq PEER || {
	skip_all='needs stock git to compare with'
	test_done
}

# repo/: two commits, a tag, a directory; all loose.
fresh_repo () {
	rm -rf repo &&
	stock init -q -b main --object-format=$TEST_HASH repo &&
	(
		cd repo &&
		echo 1 >a && mkdir d && echo 2 >d/b && stock add . &&
		stock commit -qm one &&
		echo 3 >a && stock commit -qam two &&
		stock tag -a -m tag v1
	)
}

# object_file REV: its loose file, made writable
object_file () {
	t_oid=$(stock -C repo rev-parse "$1") &&
	t_file=repo/.git/objects/$(echo "$t_oid" | sed 's#^..#&/#') &&
	chmod u+w "$t_file" &&
	echo "$t_file"
}

# Sorted, because the order of findings is ours; code and lines are the same.
same_as_stock () {
	local theirs=0 ours=0
	stock -C repo fsck "$@" >out.theirs 2>err.theirs || theirs=$?
	# Stock git of that version does not check the files of refs: see t1421.
	git -C repo fsck --no-references "$@" >out.ours 2>err.ours || ours=$?
	sort out.theirs >expect && sort out.ours >actual && test_cmp expect actual &&
	# 2.55 is silent about unborn branches.
	grep -v "^notice: .* points to an unborn branch" err.theirs | sort >expect && sort err.ours >actual && test_cmp expect actual &&
	echo "exit code $theirs" >expect && echo "exit code $ours" >actual &&
	test_cmp expect actual
}

in_every_form () {
	same_as_stock && same_as_stock --connectivity-only && same_as_stock --name-objects &&
	same_as_stock --no-reflogs --unreachable && same_as_stock --no-dangling
}

test_expect_success 'an empty repository' '
	stock init -q -b main repo &&
	same_as_stock && same_as_stock --full --strict &&
	test_grep ! unborn err.ours
'

test_expect_success 'nothing wrong' '
	fresh_repo &&
	in_every_form && same_as_stock --strict --full &&
	same_as_stock --root --tags &&
	test_grep "^tagged commit .* (v1) in " out.ours
'

test_expect_success 'packed, nothing wrong' '
	stock -C repo repack -adq &&
	in_every_form && same_as_stock --root --tags &&
	git -C repo fsck --no-full >out 2>&1 && test_must_be_empty out
'

test_expect_success 'dangling and unreachable objects' '
	fresh_repo &&
	echo lost | stock -C repo hash-object -w --stdin &&
	stock -C repo reset -q --hard HEAD^ && stock -C repo tag -d v1 &&
	in_every_form &&
	stock -C repo reflog expire --expire=now --all &&
	in_every_form && same_as_stock && test_grep "dangling blob" out.ours &&
	test_grep "dangling tag" out.ours
'

test_expect_success '--lost-found' '
	git -C repo fsck --lost-found >out &&
	test_grep "dangling blob" out &&
	blob=$(sed -n "s/dangling blob //p" out) && tag=$(sed -n "s/dangling tag //p" out) &&
	echo lost >expect && test_cmp expect repo/.git/lost-found/other/$blob &&
	echo $tag >expect && test_cmp expect repo/.git/lost-found/other/$tag &&
	ls repo/.git/lost-found/other >files && test_line_count = 2 files
'

test_expect_success 'missing blob, tree, parent, tip' '
	for rev in HEAD:a HEAD:d HEAD^ HEAD v1; do
		fresh_repo && rm "$(object_file $rev)" && in_every_form || return 1
	done
'

test_expect_success 'arguments in place of refs' '
	fresh_repo &&
	stock -C repo reset -q --hard HEAD^ && stock -C repo tag -d v1 &&
	same_as_stock HEAD && same_as_stock --unreachable HEAD && same_as_stock HEAD:a &&
	same_as_stock nosuch && same_as_stock --cache HEAD &&
	echo new >repo/n && stock -C repo add n && rm "$(object_file :n)" &&
	same_as_stock && same_as_stock HEAD && same_as_stock --cache HEAD
'

test_expect_success 'refs and HEADs that are wrong' '
	none=$(echo "$ZERO_OID" | sed "s/0/5/g") &&
	fresh_repo && stock -C repo symbolic-ref HEAD refs/heads/other && in_every_form &&
	fresh_repo && echo $none >repo/.git/HEAD && in_every_form &&
	fresh_repo && echo $ZERO_OID >repo/.git/HEAD && in_every_form &&
	fresh_repo && echo ref: refs/tags/v1 >repo/.git/HEAD && in_every_form &&
	fresh_repo && echo garbage >repo/.git/refs/heads/z && in_every_form &&
	fresh_repo && echo $none >repo/.git/refs/heads/z && in_every_form &&
	fresh_repo && echo $ZERO_OID >repo/.git/refs/heads/z && in_every_form &&
	fresh_repo && stock -C repo rev-parse HEAD:a >repo/.git/refs/heads/z && in_every_form &&
	fresh_repo && stock -C repo symbolic-ref refs/heads/y refs/heads/none && in_every_form
'

test_expect_success 'other worktrees' '
	fresh_repo && stock -C repo worktree add -q ../wt -b other &&
	in_every_form &&
	echo ref: refs/heads/none >repo/.git/worktrees/wt/HEAD && same_as_stock &&
	echo "$ZERO_OID" | sed "s/0/5/g" >repo/.git/worktrees/wt/HEAD && same_as_stock &&
	stock -C repo worktree remove --force wt
'

test_expect_success 'shallow history' '
	fresh_repo && stock -C repo rev-parse HEAD >repo/.git/shallow &&
	rm -r repo/.git/logs && rm repo/.git/objects/$(
		stock -C repo cat-file commit HEAD | sed -n "s#^parent \(..\)#\1/#p") &&
	same_as_stock
'

test_expect_success 'a corrupt loose object is reported, the others are still checked' '
	for how in ": >f" "echo garbage >f" "head -c 5 f >g && cat g >f" "echo x >>f"; do
		fresh_repo && f=$(object_file HEAD:d) && cp "$f" f && eval "$how" && cat f >"$f" &&
		t_oid=$(stock -C repo rev-parse HEAD:d) &&
		test_expect_code 11 git -C repo fsck >out 2>err &&
		test_grep "^error: $t_oid: object corrupt or missing: ${f#repo/}" err &&
		test_grep "^missing tree $t_oid" out &&
		test_grep "^broken link from  *tree" out || return 1
	done
'

test_expect_success 'a loose object under a wrong name' '
	fresh_repo && f=$(object_file HEAD:a) && wrong=$(object_file HEAD:d/b) &&
	b=$(stock -C repo rev-parse HEAD:d/b) && cat "$wrong" >"$f" &&
	same_as_stock && test_grep "^error: $b: hash-path mismatch, found at: ${f#repo/}" err.ours
'

test_expect_success 'a damaged pack' '
	fresh_repo && stock -C repo repack -adq && pack=$(ls repo/.git/objects/pack/*.pack) &&
	chmod u+w repo/.git/objects/pack/* && cp $pack good &&
	size=$(wc -c <good) &&
	{ head -c $((size / 2)) good && printf "\377\377\377" &&
	  tail -c +$((size / 2 + 4)) good; } >$pack &&
	test_must_fail git -C repo fsck >out 2>err && test_grep "pack checksum mismatch" err &&
	test_grep "index CRC mismatch for object" err &&
	head -c 60 good >$pack &&
	test_must_fail git -C repo fsck >out 2>err && test_grep "does not match index" err &&
	cat good >$pack && idx=${pack%.pack}.idx && cp $idx good &&
	head -c 1000 good >$idx &&
	test_must_fail git -C repo fsck >out 2>err && test_grep "idx" err &&
	cat good >$idx && git -C repo fsck
'

test_expect_success 'a corrupt packed object of which there is a loose copy' '
	rm -rf repo && stock init -q -b main --object-format=$TEST_HASH repo &&
	seq 1 2000 >repo/f && stock -C repo add f && stock -C repo commit -qm 1 &&
	base=$(stock -C repo rev-parse HEAD:f) &&
	echo 2 >>repo/f && stock -C repo commit -qam 2 && stock -C repo repack -adfq &&
	pack=$(ls repo/.git/objects/pack/*.pack) && chmod u+w $pack &&
	at=$(stock -C repo verify-pack -v ${pack#repo/} | sed -n "s/^$(stock -C repo rev-parse \
		HEAD:f) blob *[0-9]* [0-9]* \([0-9]*\).*/\1/p") && cp $pack good &&
	{ head -c $((at + 40)) good && printf "\377\377\377" && tail -c +$((at + 44)) good; } >$pack &&
	newer=$(stock -C repo rev-parse HEAD:f) &&
	test_expect_code 6 git -C repo fsck >out 2>err && test_grep "missing blob $newer" out &&
	rm -rf other && stock init -q --object-format=$TEST_HASH other &&
	(cd other && stock hash-object -w ../repo/f) &&
	cp -R other/.git/objects/?? repo/.git/objects/ && git -C repo cat-file blob HEAD:f >actual 2>err &&
	test_cmp repo/f actual &&
	git -C repo cat-file blob $base >actual && seq 1 2000 >expect && test_cmp expect actual &&
	test_expect_code 4 git -C repo fsck >out 2>err && test_must_be_empty out &&
	test_grep "cannot unpack $newer" err && ! grep "cannot unpack $base" err
'

test_expect_success 'a big blob in a pack, read in pieces' '
	rm -rf repo && git init -q --object-format=$TEST_HASH repo && seq 400000 >repo/big &&
	(cd repo && git -c bulkCheckin.unpackLimit=1 add big && git commit -qm 1 && git fsck &&
	 pack=$(ls .git/objects/pack/*.pack) && test -n "$pack" &&
	 head -c 200000 $pack >damaged && printf "\377\377\377" >>damaged &&
	 tail -c +200004 $pack >>damaged && chmod u+w $pack && cat damaged >$pack &&
	 test_must_fail git fsck 2>err && test_grep "$(git rev-parse :big)" err)
'

test_expect_success 'a damaged multi-pack-index' '
	fresh_repo && stock -C repo repack -adq &&
	stock -C repo multi-pack-index write && git -C repo fsck &&
	midx=repo/.git/objects/pack/multi-pack-index && chmod u+w $midx && echo >>$midx &&
	test_expect_code 32 git -C repo fsck 2>err && test_grep "incorrect checksum" err
'

test_expect_success 'objects in alternates' '
	fresh_repo && mv repo main && stock clone -q -s main repo && same_as_stock &&
	t_oid=$(stock -C repo rev-parse HEAD:d) &&
	rm -f main/.git/objects/$(echo $t_oid | sed "s#^..#&/#") &&
	same_as_stock && test_grep "missing tree" out.ours && rm -rf main
'

# ---- content ---------------------------------------------------------------

# make_object TYPE <content
make_object () {
	stock -C repo hash-object -t $1 -w --literally --stdin
}
raw () {
	stock -C repo rev-parse "$1" | perl -ne "chomp; print pack q(H*), \$_"
}

test_expect_success PERL 'malformed commits' '
	fresh_repo && tree=$(stock -C repo rev-parse HEAD^{tree}) &&
	printf "tree %s\nauthor a <a> 1 +0000\n\nmsg\n" $tree | make_object commit &&
	printf "tree %s\nauthor a a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\n" $tree |
		make_object commit &&
	same_as_stock && test_grep "missingCommitter" err.ours && same_as_stock --strict &&
	c=$(printf garbage | make_object commit) && echo $c >repo/.git/refs/heads/z &&
	test_expect_code 3 git -C repo fsck 2>err &&
	test_grep "$c: object could not be parsed" err &&
	test_grep "refs/heads/z: invalid sha1 pointer $c" err
'

test_expect_success PERL 'malformed trees' '
	fresh_repo &&
	{ printf "0100644 a\0" && raw HEAD:a && printf "100644 .git\0" && raw HEAD:a; } |
		make_object tree &&
	{ printf "100664 a\0" && raw HEAD:a; } | make_object tree &&
	same_as_stock && test_grep "hasDotgit" err.ours && same_as_stock --strict &&
	stock -C repo update-ref refs/heads/z $(stock -C repo commit-tree -m z \
		$({ printf "100644 .git\0" && raw HEAD:a; } | make_object tree)) &&
	stock -C repo repack -adq && same_as_stock && same_as_stock --strict &&
	printf garbage | make_object tree &&
	test_expect_code 1 git -C repo fsck 2>err && test_grep "broken links" err
'

test_expect_success PERL 'an object of another type than is expected of it' '
	fresh_repo && t=$({ printf "40000 a\0" && raw HEAD:a; } | make_object tree) &&
	stock -C repo update-ref refs/heads/z $(stock -C repo commit-tree $t -m x) &&
	test_expect_code 3 git -C repo fsck >out 2>err &&
	test_grep "error: object .* is a blob, not a tree" err &&
	test_grep "broken link from  *tree $t" out
'

test_expect_success 'fsck checks .gitmodules' '
	fresh_repo && git -C repo fsck --strict &&
	printf "[submodule \"a\"]\n\tpath = ../x\n\turl = -foo\n" >repo/.gitmodules &&
	stock -C repo add . && stock -C repo commit -qm modules &&
	same_as_stock && test_grep gitmodulesUrl err.ours &&
	stock -C repo repack -adq && same_as_stock --strict
'

test_expect_success '--progress' '
	fresh_repo && git -C repo fsck --progress 2>err &&
	test_grep "Checking object directories: 100% (256/256), done" err && test_grep ! "Checking connectivity" err &&
	GIT_PROGRESS_DELAY=0 git -C repo fsck --progress 2>err && test_grep "Checking connectivity: [0-9]*, done" err &&
	git -C repo fsck 2>err && test_must_be_empty err
'

test_expect_success 'fsck.<msg-id> and fsck.skipList' '
	fresh_repo && tree=$(stock -C repo rev-parse HEAD^{tree}) &&
	c=$(printf "tree %s\nauthor a <a> 1 +0000\n\nmsg\n" $tree | make_object commit) &&
	test_expect_code 1 git -C repo fsck 2>err &&
	git -C repo -c fsck.missingCommitter=warn fsck 2>err && test_grep "warning in commit $c" err &&
	git -C repo -c fsck.missingCommitter=ignore fsck 2>err && test_must_be_empty err &&
	{ echo "# known" && echo && echo "$c # why"; } >list &&
	git -C repo -c fsck.skipList="$PWD/list" fsck 2>err && test_must_be_empty err &&
	test_must_fail git -C repo -c fsck.nosuch=warn fsck 2>err && test_grep nosuch err
'

test_expect_success 'fsck.skipList: blanks in front of a name, empty lines and comments' '
	git init -q skip && T=$(git -C skip write-tree) &&
	bad=$(printf "tree $T\nauthor a <a@b> 1 +0000\ncommitter a b> 1 +0000\n\nx\n" |
		git -C skip hash-object -t commit -w --stdin --literally) &&
	test_must_fail git -C skip fsck &&
	printf "  # a comment\n   \n\n\t $bad \n" >list &&
	git -C skip -c fsck.skipList="$PWD/list" fsck
'

# Bits 64 and 128 of the exit code, as git fsck has them.
test_expect_success 'files beside packs: reverse index, bitmaps of packs and of multi-pack-indexes' '
	git init -q beside && (
		cd beside && "$GIT_BUILD_DIR/t/helper/random-history" 1 30 && git repack -adbq && git fsck --no-dangling &&
		p=$(echo .git/objects/pack/pack-*.pack) && p=${p%.pack} && chmod u+w .git/objects/pack/* &&
		damage () {
			printf "\\377\\376" | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - $2)) conv=notrunc 2>/dev/null
		} &&
		cp $p.rev ok && damage $p.rev 3 && test_expect_code 64 git fsck 2>err && test_grep "pack hash mismatch" err &&
		cp ok $p.rev && damage $p.rev $((OID_HEXLEN + 8)) && test_expect_code 64 git fsck 2>err &&
		test_grep "invalid rev-index position" err &&
		: >$p.rev && test_expect_code 64 git fsck && cp ok $p.rev && git fsck --no-dangling &&
		cp $p.bitmap ok && damage $p.bitmap 3 && test_expect_code 128 git fsck 2>err &&
		test_grep "bitmap file .$p.bitmap. has invalid checksum" err &&
		: >$p.bitmap && test_expect_code 128 git fsck && rm $p.bitmap && git fsck --no-dangling &&
		git multi-pack-index write --bitmap && git fsck --no-dangling && m=$(echo .git/objects/pack/multi-pack-index-*.bitmap) &&
		chmod u+w $m && damage $m 40 && test_expect_code 128 git fsck 2>err && test_grep "bitmap file .$m. has invalid checksum" err
	)
'

test_expect_success '--lost-found: what only a reflog has is lost as well' '
	git init -q forgotten && test_commit -C forgotten one && test_commit -C forgotten two && two=$(git -C forgotten rev-parse HEAD) &&
	git -C forgotten update-ref HEAD HEAD~1 && git -C forgotten fsck >out && test_must_be_empty out &&
	git -C forgotten fsck --lost-found >out && echo "dangling commit $two" >want && test_cmp want out && test_path_is_file forgotten/.git/lost-found/commit/$two
'

test_done
