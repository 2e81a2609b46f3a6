#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='commands make durable the objects they depend on that others have just written

Another Git writes loose objects without a flush. What we acknowledge must not rest on them
before they are durable, nor on damaged ones. (Documentation/Durability, "Objects of others".)'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq STRACE || ! test_have_prereq FSYNC_BATCH
then
	skip_all='needs strace, and counts what the method batch does'
	test_done
fi

unset GIT_TEST_FSYNC
: "${GIT_TEST_YOUNG_SECONDS:=3600}"
export GIT_TEST_YOUNG_SECONDS

# Objects as another Git leaves them: without our mark, not flushed.
foreign () {
	git -c core.fsync=none "$@"
}

# start KIND: a repository whose one commit is ours; g and d/h are foreign blobs, $T a foreign
# tree of them, $C a foreign commit
start () {
	GIT_TEST_FS_KIND=$1 && export GIT_TEST_FS_KIND && rm -rf r && git init -q r &&
	echo one >r/f && git -C r add f && git -C r commit -q -m one &&
	(cd r && mkdir d && echo two >g && echo three >d/h &&
	 G=$(foreign hash-object -w g) && H=$(foreign hash-object -w d/h) &&
	 D=$(printf "100644 blob %s\th\n" $H | foreign mktree) &&
	 T=$(printf "040000 tree %s\td\n100644 blob %s\tg\n" $D $G | foreign mktree) &&
	 C=$(foreign commit-tree -m foreign -p HEAD $T) &&
	 echo "G=$G H=$H D=$D T=$T C=$C") >vars && . ./vars
}

file_of () {
	echo ".git/objects/$(echo $1 | sed "s,^..,&/,")"
}

# awaited CMD...: the objects whose content the command waits for, sorted by the names above
awaited () {
	(cd r && trace_calls ../calls openat,close,sync_file_range,fsync,syncfs git "$@") &&
	sed -n -e "s,^[0-9]* *openat([^\"]*\"\([^\"]*\)\".* = \([0-9]*\)$,open \2 \1,p" \
		-e "s,^[0-9]* *sync_file_range(\([0-9]*\)\,.*WAIT_AFTER.*,wait \1,p" calls |
	awk "\$1 == \"open\" { file[\$2] = \$3 } \$1 == \"wait\" { print file[\$2] }" >waited &&
	for v in G H D T C
	do
		eval "o=\$$v" && if grep -q "$(file_of $o | sed "s,.git/,,")" waited; then printf "%s" $v; fi
	done
	echo " $(grep -c -E " (fsync|syncfs)\(" calls)"
}

# CMD | adopted objects, and the number of flushes
while IFS='|' read cmd expect
do
	test_expect_success "journal: $cmd" '
		start journal && eval "awaited $cmd" >out && echo "$expect" >expect && test_cmp expect out
	'
done <<\EOF
update-ref refs/heads/x $C|GHDTC 1
update-ref refs/tags/g $G|G 1
add g|G 1
hash-object -w g|G 1
update-index --add --cacheinfo 100644,$H,h|H 1
read-tree $T|GH 1
commit-tree -m ours $T|GHDT 1
tag -m ours t $D|HD 1
branch x $C|GHDTC 1
EOF

test_expect_success 'objects that the operation does not need, our own, packed and old objects are not adopted' '
	start journal && awaited update-ref refs/heads/x HEAD >out && echo " 1" >expect &&
	test_cmp expect out && foreign -C r add g && git -C r commit -q -m two &&
	awaited update-ref refs/heads/y HEAD >out && test_cmp expect out &&
	start journal && (GIT_TEST_YOUNG_SECONDS=-10 && awaited update-ref refs/heads/x $C) >out &&
	test_cmp expect out
'

test_expect_success 'objects are not adopted with core.fsync=none, or where objects are not covered' '
	for f in none reference
	do
		start journal && awaited -c core.fsync=$f update-ref refs/heads/x $C >out &&
		! grep [GHDTC] out || return 1
	done
'

# No object of ours is opened again by a command that rests on it.
test_expect_success 'objects of ours bear a mark, which a copy does not' '
	start journal && echo mine >r/m && git -C r add m && M=$(git -C r hash-object m) && G=$M &&
	awaited update-index --add --cacheinfo 100644,$M,n >out && ! grep G out &&
	path=r/$(file_of $M) && cp -p $path copy && mv copy $path &&
	awaited update-index --add --cacheinfo 100644,$M,o >out && grep G out
'

# To use an object gives its file a new time: with the mark if it is durable, or it would be young.
test_expect_success 'the mark comes with the use of an old object, not of one that is adopted' '
	start journal && GIT_TEST_YOUNG_SECONDS=-10 git -C r add g && cp r/g r/g2 &&
	awaited add g2 >out && ! grep G out && start journal &&
	(cd r && ! GIT_TEST_SYSCALL_FAIL=1:KILL:rename $GIT_BUILD_DIR/t/helper/fault-git add g) &&
	awaited add g >out && grep G out
'

for damage in ": >\$path" "truncate -s -3 \$path" "printf x | dd of=\$path bs=1 seek=10 conv=notrunc"
do
	test_expect_success "damaged ($damage): written anew where the content is known" '
		start journal && path=r/$(file_of $G) && chmod u+w $path && eval "$damage" &&
		git -C r add g && git -C r cat-file blob $G >out && test_cmp r/g out && git -C r fsck
	'

	test_expect_success "damaged ($damage): an error where it is not" '
		start journal && path=r/$(file_of $H) && chmod u+w $path && eval "$damage" &&
		for cmd in "update-ref refs/heads/x $C" "read-tree $T" "commit-tree -m x $T" \
			"update-index --add --cacheinfo 100644,$H,h"
		do
			test_must_fail git -C r $cmd 2>err && test_grep "$H\|$(file_of $H)" err || return 1
		done &&
		test_must_fail git -C r rev-parse --verify -q refs/heads/x &&
		git -C r status --porcelain >out && test_grep ! "h$" out
	'
done

# Trees that are known to the index, or are made from it once more.
test_expect_success 'a damaged tree is written anew' '
	start journal && (cd r && git read-tree $T && foreign write-tree) &&
	for o in $T $D
	do
		path=r/$(file_of $o) && chmod u+w $path && truncate -s -3 $path || return 1
	done &&
	git -C r write-tree >out && echo $T >expect && test_cmp expect out && git -C r fsck &&
	path=r/$(file_of $D) && chmod u+w $path && truncate -s -3 $path && touch $path &&
	rm r/.git/index && printf "100644 $G\tg\n100644 $H\td/h\n" | git -C r update-index --index-info &&
	git -C r write-tree >out && test_cmp expect out && git -C r fsck
'

test_expect_success 'an old empty file is no object' '
	start journal && path=r/$(file_of $G) && chmod u+w $path && : >$path &&
	GIT_TEST_YOUNG_SECONDS=-10 git -C r add g && git -C r cat-file blob $G >out && test_cmp r/g out &&
	chmod u+w $path && : >$path && test_must_fail git -C r write-tree 2>err && test_grep $G err
'

test_expect_success 'an object that cannot be parsed leads nowhere' '
	start journal && bad=$(echo no commit | git -C r hash-object -w --stdin --literally -t commit) && git -C r cat-file -e $bad
'

# Packs that another process has read: the objects that they bring and that are there, and those that they name.
test_expect_success 'a pack that brings an object that is there: unpack-objects, fetch, receive-pack' '
	start journal && echo $G | git -C r pack-objects -q --stdout >g.pack && awaited unpack-objects <g.pack >out && echo "G 1" >expect &&
	test_cmp expect out && start journal && rm -rf o && git init -q o && cp r/g o/ && git -C o add g && git -C o commit -q -m o &&
	awaited fetch -q ../o HEAD:refs/heads/o >out && test_cmp expect out && start journal && awaited -C ../o push -q ../r HEAD:refs/heads/o >out && test_cmp expect out
'

test_expect_success 'a pack that names objects that are there: unpack-objects, fetch, receive-pack' '
	start journal && N=$(echo new | foreign -C r commit-tree -p $C $(git -C r mktree </dev/null)) && echo $N | git -C r pack-objects -q --stdout >n.pack &&
	rm -rf o && cp -R r o && rm r/$(file_of $N) && cp -R r again && awaited unpack-objects <n.pack >out && echo "GHDTC 1" >expect && test_cmp expect out &&
	git -C o update-ref refs/heads/n $N && rm -rf r && mv again r && foreign -C r update-ref refs/heads/c $C && cp -R r again &&
	awaited fetch -q ../o n:n >out && test_cmp expect out && rm -rf r && mv again r && awaited -C ../o push -q ../r n:refs/heads/n >out && test_cmp expect out
'

# Without an order of names the objects are sealed before the ref.
test_expect_success 'no journal: contents, the names of objects, then the ref' '
	start local && rm -f calls && FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git &&
	(cd r && GIT_TEST_SYSCALL_LOG=../calls "$FAULT_GIT" update-ref refs/heads/x $C) &&
	sed -n -e "s/^syncfs .*/syncfs/p" -e "s/^writeout_wait .*objects.*/object/p" \
		-e "s,^rename .*/heads/x\$,ref,p" -e "s,^rename .*/0x[^/]*[.]ref\$,table,p" -e "s,^rename .*/tables.list\$,list,p" calls >out &&
	ref=$(test_have_prereq REFFILES && echo ref || echo table syncfs list) &&
	printf "%s\n" object object object object object syncfs syncfs $ref syncfs >expect && test_cmp expect out
'

test_expect_success 'file by file: each object and directory, from 200 on by one flush' '
	start each && (cd r && count_flushes git update-ref refs/heads/x $C) &&
	grep "fsync(" "$T_PRIVATE/strace" >out && test_line_count -ge 10 out &&
	! grep "syncfs(" "$T_PRIVATE/strace" &&
	rm -rf r/many && mkdir r/many && for i in $(test_seq 400); do echo $i >r/many/$i || return 1; done &&
	(cd r && ls many/* | foreign -c bulkCheckin.unpackLimit=0 hash-object -w --stdin-paths >oids &&
	 awk "{ printf \"100644 blob %s\t%d\n\", \$1, NR }" oids | sort -k2 | foreign mktree >tree &&
	 count_flushes git commit-tree -m many $(cat tree)) &&
	grep "syncfs(" "$T_PRIVATE/strace" >out && test_line_count = 1 out &&
	grep " fsync(" "$T_PRIVATE/strace" >out && test_line_count -le 500 out
'

test_done
