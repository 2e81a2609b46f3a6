#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='packs of stock git: the same index, reverse index and statistics; it accepts ours'
. "$(dirname "$0")/test-lib.sh"

test_have_prereq STOCK_GIT || {
	skip_all='no stock git to make packs'
	test_done
}

# A history in which files, directories and the order of commits make chains of all kinds.
test_expect_success 'set up' '
	"$STOCK_GIT" init -q --object-format=$TEST_HASH src && (cd src && mkdir -p d/e &&
	 for i in $(test_seq 300); do echo "line $i"; done >f && cp f d/g && cp f d/e/h &&
	 for i in $(test_seq 60); do
		sed -i "$((i * 4))s/.*/changed $i/" f d/e/h && echo $i >>d/g && echo $i >d/e/$((i % 7)) &&
		"$STOCK_GIT" add . && test_tick && "$STOCK_GIT" commit -qm $i || return 1
	 done && "$STOCK_GIT" tag -a -m tag v1)
'

# same NAME: index and reverse index of NAME.pack, in both versions, and what verify-pack says
same () {
	rm -f "$1".*.idx && chmod u+w "$1.pack" &&
	"$STOCK_GIT" index-pack --rev-index --object-format=$TEST_HASH -o "$1.idx" "$1.pack" >theirs &&
	mv "$1.idx" "$1.theirs.idx" && mv "$1.rev" theirs.rev &&
	git index-pack --rev-index --object-format=$TEST_HASH -o "$1.idx" "$1.pack" >ours &&
	test "$(cat theirs)" = "$(cat ours)" && cmp "$1.theirs.idx" "$1.idx" && cmp theirs.rev "$1.rev" &&
	for v in 1 2,100; do
		"$STOCK_GIT" index-pack --object-format=$TEST_HASH --index-version=$v -o "$1.theirs.idx" "$1.pack" >theirs &&
		git index-pack --object-format=$TEST_HASH --index-version=$v -o "$1.ours.idx" "$1.pack" >ours &&
		cmp "$1.theirs.idx" "$1.ours.idx" &&
		"$STOCK_GIT" show-index --object-format=$TEST_HASH <"$1.idx" >theirs &&
		git show-index --object-format=$TEST_HASH <"$1.idx" >ours && test_cmp theirs ours || return 1
	done &&
	for o in -v -s; do
		"$STOCK_GIT" verify-pack --object-format=$TEST_HASH $o "$1.idx" >theirs &&
		git verify-pack --object-format=$TEST_HASH $o "$1.idx" >ours && test_cmp theirs ours || return 1
	done
}

for o in "" --delta-base-offset "--depth=3 --window=50" "--depth=250 --delta-base-offset" --window=0; do
	test_expect_success "pack-objects $o" '
		"$STOCK_GIT" -C src rev-list --objects --all | "$STOCK_GIT" -C src pack-objects -q --no-reuse-delta $o --stdout >p.pack &&
		same p
	'
done

test_expect_success 'in any number of threads, with little memory for bases' '
	for t in 1 2 8; do
		git index-pack --object-format=$TEST_HASH --threads=$t -o t.idx p.pack && cmp t.idx p.idx || return 1
	done
'

for o in "" --delta-base-offset; do
	test_expect_success "thin packs $o: stock git accepts what we complete" '
		for new in ours theirs; do
			rm -rf $new && "$STOCK_GIT" init -q --bare --object-format=$TEST_HASH $new &&
			"$STOCK_GIT" -C src rev-list --objects HEAD~20 | "$STOCK_GIT" -C src pack-objects -q --stdout >base &&
			"$STOCK_GIT" -C $new index-pack --stdin <base >/dev/null || return 1
		done &&
		printf "%s\n" HEAD ^HEAD~20 | "$STOCK_GIT" -C src pack-objects -q --revs --thin $o --stdout >thin.pack &&
		git -C ours index-pack --stdin --fix-thin --strict <thin.pack >o &&
		"$STOCK_GIT" -C theirs index-pack --stdin --fix-thin --strict <thin.pack >t &&
		O=ours/objects/pack/pack-$(sed "s/^pack.//" o) T=theirs/objects/pack/pack-$(sed "s/^pack.//" t) &&
		"$STOCK_GIT" -C ours verify-pack ${O#ours/}.idx &&
		"$STOCK_GIT" show-index --object-format=$TEST_HASH <$O.idx | cut -d" " -f2 >o &&
		"$STOCK_GIT" show-index --object-format=$TEST_HASH <$T.idx | cut -d" " -f2 >t && test_cmp t o &&
		"$STOCK_GIT" -C ours update-ref refs/heads/main $("$STOCK_GIT" -C src rev-parse HEAD) &&
		"$STOCK_GIT" -C ours fsck --strict --no-dangling
	'
done

test_expect_success 'unpack-objects: the same objects' '
	for new in ours theirs; do rm -rf $new && "$STOCK_GIT" init -q --bare --object-format=$TEST_HASH $new || return 1; done &&
	git -C ours unpack-objects -q <p.pack && "$STOCK_GIT" -C theirs unpack-objects -q <p.pack &&
	for new in ours theirs; do
		"$STOCK_GIT" -C $new cat-file --batch-all-objects --batch-check | sort >$new.list || return 1
	done &&
	test_cmp theirs.list ours.list && "$STOCK_GIT" -C ours fsck --no-dangling
'

# What scripts see: exit codes and messages.
same_answer () {
	local code=0 theirs=0
	git "$@" <"${IN:-/dev/null}" >ours.out 2>ours.err || code=$?
	"$STOCK_GIT" "$@" <"${IN:-/dev/null}" >theirs.out 2>theirs.err || theirs=$?
	test $code = $theirs && test_cmp theirs.out ours.out && test_cmp theirs.err ours.err
}

test_expect_success 'the same answers to broken packs' '
	F=--object-format=$TEST_HASH && cp p.pack b.pack && chmod u+w b.pack && echo junk >>b.pack && same_answer index-pack $F b.pack &&
	head -c 1000 p.pack >b.pack && same_answer index-pack $F b.pack &&
	same_answer index-pack $F --max-input-size=500 p.pack && same_answer index-pack $F --max-input-size=5000 p.pack &&
	same_answer index-pack --fix-thin p.pack && same_answer index-pack nothing &&
	IN=thin.pack && "$STOCK_GIT" init -q --bare --object-format=$TEST_HASH empty &&
	same_answer -C empty index-pack --stdin && same_answer -C empty index-pack --stdin --fix-thin
'

# In the words of newer versions.
test_lazy_prereq NEW_STOCK '"$STOCK_GIT" index-pack -h | grep -F "strict[="'
test_expect_success NEW_STOCK 'the same answers to wrong options' '
	for o in --pack_header=2 --object-format=x --strict=x=y --strict=missingEmail=y --index-version=5 --promisor; do
		same_answer index-pack $o p.pack || return 1
	done
'

test_done
