#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an object that is written again becomes fresh, wherever it is

Each way to write an object, for each kind of store that has it already, unreachable and old: the next
gc that prunes by age must leave it. (Documentation/Durability, "Objects that are written again".)'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

if test -n "$skip_all"
then
	test_done
fi

GIT_AUTHOR_DATE='1234567890 +0000' GIT_COMMITTER_DATE='1234567890 +0000'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

WAYS="hash-object hash-object-stdin hash-object-paths hash-object-big add add-pack update-index write-tree write-tree-cached
	mktree commit-tree commit mktag tag unpack-objects index-pack fetch-loose fetch-pack push-loose push-pack merge-file"

# Each way has objects of its own. A line "WAY BLOB TREE COMMIT TAG"; sets w b t c g.
ids_of () {
	set -- $(grep "^$1 " "$HERE/ids") &&
	w=$1 b=$2 t=$3 c=$4 g=$5
}

tag_of () {
	printf 'object %s\ntype commit\ntag %s\ntagger %s <%s> 1234567890 +0000\n\n%s\n' \
		$1 $2 "$GIT_COMMITTER_NAME" "$GIT_COMMITTER_EMAIL" $2
}

make_old () {
	find "$1" -type f \( -path "*/objects/??/*" -o -name "pack-*" \) -exec touch -d "10 days ago" {} +
}

one_pack_each () {
	while read w b t c g
	do
		printf "%s\n" $b $t $c $g | git -C $1 pack-objects -q .git/objects/pack/pack >name || return 1
		! test "$2" = keep || : >$1/.git/objects/pack/pack-$(cat name).keep || return 1
	done <ids &&
	git -C $1 prune-packed
}

# make_store KIND: the repository r, or the alternate alt that it borrows from, has all of seed's objects
make_store () {
	d=r && rm -rf r alt && git init -q r && git -C r commit -q --allow-empty -m base &&
	case $1 in
	alt-*)
		d=alt && git init -q alt && git -C alt commit -q --allow-empty -m other &&
		echo "$HERE/alt/.git/objects" >r/.git/objects/info/alternates
	esac &&
	(cd seed && find .git/objects -path "*/??/*" -type f | tar cf - -T -) | (cd $d && tar xf -) &&
	make_old $d &&
	case ${1#alt-} in
	pack) one_pack_each $d ;;
	keep) one_pack_each $d keep ;;
	midx) one_pack_each $d && git -C $d multi-pack-index write ;;
	cruft) git -C $d repack -q --cruft -d ;;
	midx-cruft) git -C $d repack -q --cruft -d && git -C $d multi-pack-index write ;;
	esac &&
	make_old $d
}

# Written again in the repository that is the current directory.
write_again () {
	ids_of $1 &&
	case $w in
	hash-object) echo $w >x && git hash-object -w x ;;
	hash-object-stdin) echo $w | git hash-object -w --stdin ;;
	hash-object-paths) echo $w >x && echo x | git hash-object -w --stdin-paths ;;
	hash-object-big) echo $w >x && git -c core.bigFileThreshold=3 hash-object -w x ;;
	add) echo $w >x && git add x ;;
	add-pack) echo $w >x && git -c bulkCheckin.unpackLimit=1 add x ;;
	update-index) echo $w >y && git update-index --add y ;;
	write-tree) rm -f .git/index && git update-index --add --cacheinfo 100644,$b,f && git write-tree ;;
	write-tree-cached) git read-tree $t && git write-tree ;;
	mktree) printf "100644 blob $b\tf\n" | git mktree ;;
	commit-tree) echo $w | git commit-tree $t ;;
	commit)
		git symbolic-ref HEAD refs/heads/orphan && rm -f .git/index && echo $w >f && git add f &&
		git commit -q -m $w && test $(git rev-parse HEAD) = $c && git update-ref -d HEAD &&
		git symbolic-ref HEAD refs/heads/main ;;
	mktag) tag_of $c $w | git mktag ;;
	tag) git tag -a -m $w $w $c && test $(git rev-parse $w) = $g && git tag -d $w ;;
	unpack-objects) echo $b | git pack-objects -q --stdout | git unpack-objects -q ;;
	index-pack) printf "%s\n" $b $t $c $g | git pack-objects -q --stdout | git index-pack --stdin ;;
	fetch-loose) git -c fetch.unpackLimit=100 fetch -q ../seed refs/heads/$w ;;
	fetch-pack) git -c fetch.unpackLimit=1 fetch -q ../seed refs/heads/$w ;;
	push-loose | push-pack)
		git config receive.unpackLimit $(test $w = push-pack && echo 1 || echo 100) &&
		git -C ../seed push -q ../r refs/heads/$w:refs/heads/tmp && git update-ref -d refs/heads/tmp ;;
	merge-file) : >empty && e=$(git hash-object -w empty) && git merge-file --object-id $e $e $b ;;
	esac
}

# The objects that it has written.
written () {
	ids_of $1 &&
	case $1 in
	write-tree* | mktree) echo $t ;;
	commit-tree) echo $c ;;
	commit | fetch* | push*) echo $b $t $c ;;
	mktag | tag) echo $g ;;
	*) echo $b ;;
	esac
}

# What the gc of all repositories has pruned: "WAY OBJECT".
prune_all () {
	rm -rf r/.git/index r/.git/logs r/.git/FETCH_HEAD &&
	{ ! test -d alt || git -C alt gc -q --prune=1.day.ago; } && git -C r gc -q --prune=1.day.ago &&
	for w in $WAYS
	do
		for o in $(written $w)
		do
			git -C r cat-file -e $o 2>/dev/null || echo $w $o
		done
	done
}

test_expect_success 'setup: for each way a blob, a tree, a commit and a tag' '
	HERE=$PWD && git init -q seed && git config --global protocol.file.allow always &&
	git config --global init.defaultBranch main &&
	for w in $WAYS untouched
	do
		b=$(echo $w | git -C seed hash-object -w --stdin) &&
		t=$(printf "100644 blob $b\tf\n" | git -C seed mktree) &&
		c=$(echo $w | git -C seed commit-tree $t) &&
		g=$(tag_of $c $w | git -C seed mktag) &&
		git -C seed update-ref refs/heads/$w $c && echo $w $b $t $c $g >>ids || return 1
	done
'

for kind in loose pack keep midx cruft midx-cruft alt-loose alt-pack alt-cruft
do
	test_expect_success "$kind: each way makes it fresh" '
		make_store $kind &&
		for w in $WAYS
		do
			(cd r && write_again $w) >log 2>&1 || { echo "$w failed" && cat log && return 1; }
		done &&
		prune_all >lost && test_must_be_empty lost
	'
	test "$kind" = keep || test_expect_success "$kind: what nobody has written again is pruned" '
		ids_of untouched && test_must_fail git -C r cat-file -e $b
	'
done

# once KIND COMMAND: of the object $b of hash-object alone
for kind in loose pack cruft alt-loose alt-pack alt-cruft
do
	test_expect_success "$kind: a time that cannot be set, so the object is written" '
		make_store $kind && ids_of hash-object && echo $w >r/x &&
		(cd r && GIT_TEST_SYSCALL_FAIL=1:EACCES:utimens "$FAULT_GIT" hash-object -w x) &&
		path=r/.git/objects/$(echo $b | sed "s,^..,&/,") && test_path_is_file $path &&
		test -n "$(find $path -mmin -60)"
	'
done

test_expect_success 'the same object twice in one command is written once' '
	make_store cruft && ids_of hash-object && echo $w >r/x && echo $w >r/y &&
	printf "x\ny\n" | git -C r hash-object -w --stdin-paths >out && test_line_count = 2 out &&
	git -C r count-objects >count && test_grep "^1 objects" count
'

test_expect_success 'in a cruft pack and in another one: that is enough' '
	make_store cruft && ids_of hash-object && echo $b | git -C r pack-objects -q .git/objects/pack/pack >name &&
	make_old r && echo $w | git -C r hash-object -w --stdin && git -C r count-objects >count &&
	test_grep "^0 objects" count && p=r/.git/objects/pack/pack-$(cat name).pack && test -n "$(find $p -mmin -60)" &&
	git -C r multi-pack-index write && make_old r && echo $w | git -C r hash-object -w --stdin &&
	git -C r count-objects >count && test_grep "^0 objects" count && test -n "$(find $p -mmin -60)"
'

test_expect_success 'prune-packed leaves a loose object that is younger than its cruft pack says' '
	make_store cruft && ids_of hash-object && echo $w | git -C r hash-object -w --stdin &&
	touch r/.git/objects/pack/*.pack && git -C r prune-packed -n >out && test_must_be_empty out &&
	git -C r prune-packed && git -C r count-objects >count && test_grep "^1 objects" count &&
	git -C r repack -q --cruft -d && git -C r count-objects >count && test_grep "^0 objects" count &&
	git -C r gc -q --prune=1.day.ago && git -C r cat-file -e $b
'

# A cruft pack of the objects of hash-object alone; `pack` has the same bytes.
make_same_pack () {
	rm -rf r && git init -q r && git -C r commit -q --allow-empty -m base && ids_of hash-object &&
	printf "%s\n" $b $t $c $g | git -C seed pack-objects -q --stdout | git -C r unpack-objects -q &&
	make_old r && git -C r repack -q --cruft -d && make_old r && m=$(find r -name "pack-*.mtimes") &&
	p=${m%.mtimes}.pack && cp $p pack
}

# bring WAY: that pack comes again, from elsewhere
bring () {
	case $1 in
	index-pack) git -C r index-pack --stdin <pack ;;
	receive-pack)
		line="$ZERO_OID $g refs/tags/same" &&
		{ printf "%04x%s\0 report-status object-format=$TEST_HASH" $((5 + ${#line} + 29 + ${#TEST_HASH})) "$line" &&
		  printf 0000 && cat pack; } >request &&
		git -c receive.unpackLimit=1 receive-pack r <request >answer && git -C r update-ref -d refs/tags/same ;;
	fetch)
		{ printf "# v3 git bundle\n@object-format=$TEST_HASH\n$g refs/tags/same\n\n" && cat pack; } >same.bundle &&
		git -C r -c fetch.unpackLimit=1 fetch -q ../same.bundle refs/tags/same ;;
	esac
}

for way in index-pack receive-pack fetch
do
	test_expect_success "a cruft pack that comes again by $way is cruft no more" '
		make_same_pack && bring $way && test_path_missing $m && test -n "$(find $p -mmin -60)" &&
		rm -rf r/.git/logs r/.git/FETCH_HEAD && git -C r gc -q --prune=1.day.ago &&
		for o in $b $t $c $g
		do
			git -C r cat-file -e $o || return 1
		done
	'
done

test_expect_success 'a pack that is pushed again keeps its file, and becomes young' '
	make_same_pack && rm -f $m && make_old r && i=$(stat -c %i $p) && bring receive-pack &&
	test $i = $(stat -c %i $p) && test -n "$(find $p -mmin -60)"
'

test_expect_success 'a cruft pack that a batch of new objects makes again is cruft no more' '
	rm -rf r && git init -q r && git -C r commit -q --allow-empty -m base && echo big >r/x &&
	b=$(git -C r -c bulkCheckin.unpackLimit=1 hash-object -w x) && old=$(cd r && echo .git/objects/pack/*.pack) &&
	git -C r repack -q --cruft -d && m=$(cd r && echo .git/objects/pack/*.mtimes) && make_old r &&
	test "${m%.mtimes}.pack" = "$old" && test_path_is_file r/$m &&
	git -C r -c bulkCheckin.unpackLimit=1 hash-object -w x && test_path_missing r/$m &&
	git -C r gc -q --prune=1.day.ago && git -C r cat-file -e $b
'

test_done
