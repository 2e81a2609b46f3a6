#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='how new objects are stored: loose files, one pack, streams'
. "$(dirname "$0")/test-lib.sh"

# objects LOOSE PACKS: what there is now; and no litter
objects () {
	find repo/.git/objects -type f -path "*/??/*" >loose && test_line_count = "$1" loose &&
	find repo/.git/objects -name "*.pack" >packs && test_line_count = "$2" packs &&
	find repo/.git/objects -name "tmp_*" >litter && test_must_be_empty litter
}

files () { # FIRST LAST
	i=$1
	while test $i -le $2; do echo "text $i" >repo/f$i && echo f$i; i=$((i+1)); done
}

in_pack_order () {
	git -C repo cat-file --batch-all-objects --unordered "--batch-check=%(objectname)"
}

# The numbers are those of the method batch: with fsync fewer objects make a pack.
unset GIT_CONFIG_SYSTEM
fresh () {
	rm -rf repo && git init -q repo && git -C repo config core.fsyncMethod batch
}

test_expect_success '99 new objects are loose, 100 a pack' '
	fresh && files 1 99 >list && git -C repo hash-object -w --stdin-paths <list >oids &&
	objects 99 0 &&
	fresh && files 1 100 >list && git -C repo hash-object -w --stdin-paths <list >oids &&
	objects 0 1 && ls repo/.git/objects/pack/*.rev repo/.git/objects/pack/*.idx
'

test_expect_success 'bulkCheckin.unpackLimit' '
	fresh && git -C repo config bulkCheckin.unpackLimit 3 &&
	files 1 2 >list && git -C repo hash-object -w --stdin-paths <list && objects 2 0 &&
	files 1 4 >list && git -C repo hash-object -w --stdin-paths <list && objects 4 0 &&
	files 1 7 >list && git -C repo hash-object -w --stdin-paths <list && objects 4 1
'

# So that a thousand of them do not make every command slow.
test_expect_success 'the more packs there are, the bigger a new one is' '
	fresh && for n in 1 2 3 4 5 6 7 8
	do
		files ${n}000 ${n}099 >list && git -C repo hash-object -w --stdin-paths <list >oids || return 1
	done &&
	objects 0 8 && files 20000 20198 >list && git -C repo hash-object -w --stdin-paths <list >oids &&
	objects 199 8 && files 30000 30199 >list && git -C repo hash-object -w --stdin-paths <list >oids &&
	objects 199 9
'

# What the directory's own time says counts once it is two seconds old.
packs_are_old () {
	until test $(($(date +%s) - $(stat -c %Z repo/.git/objects/pack))) -gt 2; do sleep 0.1; done
}

test_expect_success STRACE 'a miss does not read a directory of packs again that has not changed' '
	packs_are_old && for c in 1 2 3 4 5; do echo $ZERO_OID | tr 0 $c || return 1; done >missing &&
	trace_calls calls openat git -C repo cat-file --batch-check <missing &&
	grep "objects/pack\", .*O_DIRECTORY" calls >opened &&
	test_line_count = 1 opened
'

test_expect_success 'add: one pack, in the order of paths; a second time nothing' '
	fresh && files 100 250 >list && git -C repo add . && objects 0 1 &&
	git -C repo ls-files -s | sed "s/^[0-9]* \\([0-9a-f]*\\).*/\\1/" >expect &&
	in_pack_order >actual && test_cmp expect actual &&
	rm repo/.git/index && git -C repo add . && objects 0 1
'

test_expect_success STOCK_GIT 'stock git finds no fault in the pack' '
	stock -C repo fsck --strict && stock verify-pack --object-format=$TEST_HASH repo/.git/objects/pack/*.idx
'

test_lazy_prereq BINDMOUNT 'mkdir b && mount --bind b b && umount b'
test_expect_success ROOT,BINDMOUNT 'the directory of packs is a bind mount of the same disk' '
	fresh && files 1 100 >list && P=repo/.git/objects/pack && mount --bind $P $P &&
	test_when_finished "umount $P" && git -C repo hash-object -w --stdin-paths <list &&
	objects 0 1 && git -C repo add f1 && git -C repo commit -q -m f1 && git -C repo fsck
'

# A kill between the names leaves a .pack and a .rev without .idx.
test_expect_success 'the next pack removes parts of a killed writer that are two weeks old' '
	fresh && P=repo/.git/objects/pack && files 1 100 >list &&
	for name in old new keep promisor other odd
	do
		echo x >$P/pack-$name.pack && echo x >$P/pack-$name.rev || return 1
	done &&
	echo x >$P/pack-old.bitmap && echo x >$P/tmp_bitmap_old && echo x >$P/tmp_bitmap_xnew &&
	echo x >$P/other_tmp &&
	: >$P/pack-keep.keep && : >$P/pack-promisor.promisor && : >$P/pack-other.idx &&
	mkdir $P/pack-dir.pack && ln -s nowhere $P/pack-link.pack && echo x >$P/notes &&
	touch -d "13 days ago" $P/pack-new.pack && touch -h -d "15 days ago" $P/pack-[!n]* $P/notes &&
	touch -d "15 days ago" $P/pack-new.rev $P/tmp_bitmap_old $P/other_tmp && touch $P/pack-odd.rev &&
	ls $P | sed "/[-_]old/d" >expect && git -C repo hash-object -w --stdin-paths <list 2>err &&
	ls $P | grep -v "pack-[0-9a-f]\{40,\}" >out && test_cmp expect out
'

test_expect_success 'read-only, and as core.sharedRepository wants' '
	fresh && git -C repo config core.sharedRepository 0640 && echo x >repo/f &&
	(umask 077 && git -C repo add f) && objects 1 0 &&
	ls -l $(cat loose) >out && test_grep "^-r--r-----" out &&
	ls -ld repo/.git/objects/??/ >out && test_grep "^drwxr-s---" out
'

test_expect_success 'big files are streamed into a pack' '
	fresh && git -C repo config core.bigFileThreshold 100k &&
	seq 1 100000 >repo/big && echo small >repo/small &&
	git -C repo add big small && objects 1 1 &&
	git -C repo cat-file blob :big >actual && test_cmp repo/big actual &&
	cp repo/big repo/copy && git -C repo add copy && objects 1 1 &&
	oid=$(git -C repo hash-object -w big) && test "$oid" = $(git -C repo rev-parse :big) &&
	objects 1 1 && git -C repo fsck
'

if test_have_prereq TMPFS && mount_tmpfs elsewhere 4m >/dev/null 2>&1; then
	test_set_prereq ELSEWHERE
fi

test_expect_success SYMLINKS,ELSEWHERE 'objects/pack on another file system' '
	fresh && rmdir repo/.git/objects/pack && ln -s "$PWD/elsewhere" repo/.git/objects/pack &&
	files 1 120 >list && git -C repo add . && seq 1 100000 >repo/big && echo small >repo/small &&
	git -C repo -c core.bigFileThreshold=100k add big small && git -C repo commit -q -m one &&
	ls elsewhere/*.pack >packs && test_line_count = 2 packs && objects 3 0 && git -C repo fsck &&
	FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git && files 200 320 >list &&
	(cd repo && ! GIT_TEST_SYSCALL_FAIL=1:KILL:rename "$FAULT_GIT" add .) &&
	ls -d elsewhere/tmp_* && git -C repo add . 2>err && test_grep "removed .*/objects/pack/tmp_" err &&
	ls elsewhere >left && test_line_count = 9 left && git -C repo fsck
'

test_expect_success !SANITIZE,!VALGRIND 'a gigabyte of zeros in little memory' '
	fresh && truncate -s 1024M repo/big &&
	(ulimit -v 600000 && cd repo && git -c core.bigFileThreshold=10m hash-object -w big) >oid &&
	objects 0 1
'

test_expect_success 'loose objects are deflated as configured' '
	fresh && seq 1 5000 >repo/f &&
	git -C repo -c core.looseCompression=0 hash-object -w f && objects 1 0 &&
	size0=$(wc -c <$(cat loose)) && rm -f $(cat loose) &&
	git -C repo -c core.compression=9 hash-object -w f && objects 1 0 &&
	size9=$(wc -c <$(cat loose)) && rm -f $(cat loose) &&
	git -C repo hash-object -w f && objects 1 0 && size1=$(wc -c <$(cat loose)) &&
	test $size0 -gt $size1 && test $size1 -gt $size9
'

# The directory's own time says whether it has to be read again. It counts once it is two seconds
# old, and only where no other machine can have changed it.
for kind in journal each
do
	test_expect_success STRACE "missing objects: how often objects/pack is read ($kind)" '
		fresh && files 1 120 >list && git -C repo add . && packs_are_old && expect=1 &&
		if test $kind = each; then expect=2; fi &&
		! GIT_TEST_FS_KIND=$kind strace -f -e trace=openat -o trace \
			git -C repo cat-file -e $(echo $ZERO_OID | tr 0 1) &&
		grep "objects/pack\".*O_DIRECTORY" trace >reads && test_line_count = $expect reads
	'
done

test_expect_success 'pack.packSizeLimit: another pack begins before one gets larger' '
	fresh && for i in 1 2 3 4 5 6; do head -c 40000 /dev/urandom >repo/r$i || return 1; done &&
	git -C repo -c pack.packSizeLimit=100k -c bulkCheckin.unpackLimit=2 add . && objects 0 3 &&
	find repo/.git/objects -name "*.pack" -size +200 >large && test_must_be_empty large &&
	git -C repo fsck &&
	fresh && for i in 1 2 3; do head -c 40000 /dev/urandom >repo/r$i || return 1; done &&
	git -C repo -c pack.packSizeLimit=1 -c core.bigFileThreshold=1k add . && objects 0 3 &&
	git -C repo fsck &&
	test_expect_code 128 git -C repo -c pack.packSizeLimit=junk status 2>err &&
	test_grep "bad numeric config value .junk. for .pack.packsizelimit." err
'

test_done
