#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='index-pack, verify-pack, show-index: good packs, thin ones, broken and hostile ones'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"
. "$TEST_DIRECTORY/lib-packs.sh"

# refused REPO PATTERN ARGS <pack: fails with code 128 and that message, and leaves nothing
refused () {
	local repo=$1 pattern=$2
	shift 2
	find "$repo" | sort >before &&
	test_expect_code 128 git -C "$repo" index-pack "$@" >out 2>err &&
	test_grep "$pattern" err && test_must_be_empty out &&
	find "$repo" | sort >after && test_cmp before after
}

# A history: blob b1, tree t1 of it, commit c1; a second blob, tree and commit as deltas.
test_expect_success 'set up' '
	git init -q . && # so that commands on files know the hash
	git init -q src && (cd src &&
	 for i in $(test_seq 300); do echo "line $i"; done >file && git add file && test_tick &&
	 git commit -qm one && git rev-parse HEAD HEAD^{tree} HEAD:file >../names &&
	 git cat-file blob HEAD:file >../blob && git cat-file tree HEAD^{tree} >../tree &&
	 git cat-file commit HEAD >../commit) &&
	size=$(wc -c <blob) && B=$(sed -n 3p names) && T=$(sed -n 2p names) && C=$(sed -n 1p names) &&
	craft whole.pack <<-EOT &&
	file commit commit
	file tree tree
	file blob blob
	ofs 2 one more line\n
	ofs 3 and another\n
	blob alone
	ofs 4 a third\n
	EOT
	new r && git -C r index-pack --stdin <whole.pack >out && P=$(sed "s/^pack	//" out) &&
	test_grep "^pack	" out
'

test_expect_success 'pack, index and reverse index; nothing else; readable by all' '
	(cd r/objects && find . -type f | sort) >files &&
	printf "./pack/pack-$P.%s\n" idx pack rev >expect && test_cmp expect files &&
	cmp whole.pack r/objects/pack/pack-$P.pack &&
	test -z "$(find r/objects/pack -type f ! -perm 444)" &&
	git -C r cat-file -e $C && git -C r cat-file -e $T && git -C r cat-file blob $B >b &&
	cmp blob b && git -C r fsck && git -C r verify-pack objects/pack/pack-$P.idx
'

test_expect_success 'a file: its index beside it, or as -o says; the name alone is printed' '
	cp whole.pack w.pack && git index-pack w.pack >out && echo $P >expect && test_cmp expect out &&
	cmp w.idx r/objects/pack/pack-$P.idx && cmp w.rev r/objects/pack/pack-$P.rev &&
	git index-pack -o other.idx --no-rev-index w.pack && cmp other.idx w.idx &&
	cp whole.pack noname && git index-pack -o n.idx noname && cmp n.idx w.idx && cmp n.rev w.rev &&
	test_expect_code 128 git index-pack noname 2>err &&
	test_grep "packfile name .noname. does not end with .\.pack." err &&
	rm -f w.rev && git -c pack.writeReverseIndex=false index-pack w.pack && test_path_is_missing w.rev &&
	git -c pack.writeReverseIndex=false index-pack --rev-index w.pack && test_path_is_file w.rev
'

test_expect_success 'a stream into a file that is named' '
	rm -rf named && mkdir named && git -C r index-pack --stdin "$PWD/named/n.pack" <whole.pack >out &&
	echo "pack	$P" >expect && test_cmp expect out && ls named >files &&
	printf "n.%s\n" idx pack rev >expect && test_cmp expect files && cmp named/n.idx w.idx
'

test_expect_success 'the reverse index is beside the index' '
	rm -rf beside && mkdir beside && cp whole.pack beside/w.pack &&
	git index-pack -o beside/x.idx beside/w.pack && git -C r index-pack -o "$PWD/beside/y.idx" --stdin <whole.pack &&
	git -C r index-pack -o "$PWD/beside/z.idx" --stdin "$PWD/beside/v.pack" <whole.pack && ls beside >files &&
	printf "%s\n" v.pack w.pack x.idx x.rev y.idx y.rev z.idx z.rev >expect && test_cmp expect files &&
	for f in x y z; do cmp beside/$f.rev r/objects/pack/pack-$P.rev || return 1; done &&
	printf "\377" >beside/x.rev && test_expect_code 128 git index-pack --verify -o beside/x.idx beside/w.pack 2>err &&
	test_grep "beside/x.rev" err && git index-pack --verify -o beside/y.idx beside/w.pack
'

test_expect_success 'names are checked before anything is read' '
	new names &&
	for o in "noname" "-o noname" "-o noname x.pack" "--keep -o x.idx noname" ".pack"; do
		test_expect_code 128 git -C names index-pack --stdin $o </dev/null 2>err &&
		test_grep "packfile name .*. does not end with .\.[a-z]*." err && nothing_in names || return 1
	done &&
	git -C names index-pack --no-rev-index -o noname --stdin <whole.pack && cmp names/noname w.idx
'

test_expect_success 'any number of threads gives the same' '
	for n in 1 2 3 16; do
		rm -f t.idx && git index-pack --threads=$n -o t.idx w.pack && cmp t.idx w.idx || return 1
	done &&
	git -c pack.threads=1 index-pack -o t.idx w.pack &&
	test_expect_code 128 git -c pack.threads=-1 index-pack w.pack
'

test_expect_success 'index versions, and offsets of 8 bytes' '
	git index-pack --index-version=1 -o v1.idx w.pack && git show-index <v1.idx >one &&
	git show-index <w.idx | sed "s/ (.*//" >two && test_cmp two one &&
	git index-pack --index-version=2,20 -o wide.idx w.pack && ! cmp -s wide.idx w.idx &&
	git show-index <wide.idx >one && git show-index <w.idx >two && test_cmp two one &&
	git -c pack.indexVersion=1 index-pack -o cfg.idx w.pack && cmp cfg.idx v1.idx &&
	for v in 0 3 x 2x 2, 2,y; do
		test_expect_code 128 git index-pack --index-version=$v -o bad.idx w.pack 2>err &&
		test_grep "bad --index-version=$v" err || return 1
	done &&
	test_path_is_missing bad.idx
'

test_expect_success '--verify' '
	git index-pack --verify w.pack && git index-pack --verify -o v1.idx w.pack &&
	git index-pack --verify -o wide.idx w.pack && git index-pack --rev-index w.pack &&
	git index-pack --verify --rev-index w.pack &&
	for at in 20 1032 1100 1250; do
		cp w.idx bad.idx && chmod u+w bad.idx &&
		printf "\377" | dd of=bad.idx bs=1 seek=$at conv=notrunc 2>/dev/null &&
		test_expect_code 128 git index-pack --verify -o bad.idx w.pack 2>err || return 1
	done &&
	chmod u+w w.rev && printf "\377" | dd of=w.rev bs=1 seek=14 conv=notrunc 2>/dev/null &&
	test_expect_code 128 git index-pack --verify --rev-index w.pack 2>err &&
	test_grep "w.rev. validation error" err && rm w.rev && git index-pack --verify --rev-index w.pack &&
	mv w.idx away && test_expect_code 128 git index-pack --verify w.pack 2>err && mv away w.idx &&
	test_grep "Cannot open existing pack idx file" err
'

test_expect_success PERL 'a reverse index with another header, with a right checksum' '
	cat >head.pl <<-\EOT &&
	use strict; use Digest::SHA;
	my ($hash, $file, $at, $byte) = @ARGV; my $n = $hash eq "sha256" ? 32 : 20;
	open F, "<", $file; local $/; my $x = <F>; close F; substr($x, $at, 1) = chr $byte; $x = substr $x, 0, -$n;
	print $x, $n == 32 ? Digest::SHA::sha256($x) : Digest::SHA::sha1($x);
	EOT
	git index-pack --rev-index w.pack && cp w.rev good.rev && chmod u+w w.rev &&
	perl head.pl $TEST_HASH good.rev 0 82 >w.rev && cmp w.rev good.rev && git index-pack --verify w.pack &&
	for change in "0 83 header" "7 2 version" "11 7 hash"; do
		perl head.pl $TEST_HASH good.rev ${change% *} >w.rev &&
		test_expect_code 128 git index-pack --verify w.pack 2>err && test_grep "${change##* }" err || return 1
	done && rm w.rev
'

test_expect_success 'an index of another pack, with a right checksum' '
	printf "blob x\n" | craft x.pack && git index-pack x.pack && cp x.idx y.idx && cp w.pack y.pack &&
	test_expect_code 128 git index-pack --verify y.pack && test_expect_code 1 git verify-pack y.pack &&
	cp whole.pack z.pack && chmod u+w z.pack && git index-pack z.pack &&
	printf "blob xx\n" | craft z.pack && test_expect_code 1 git verify-pack z
'

test_expect_success 'verify-pack shows objects, chains and bases' '
	git verify-pack -v w.idx >out &&
	test $(sed -n "/^[0-9a-f]\{40,\}/p" out | wc -l) = 7 &&
	grep "^$B blob   $size [0-9]* [0-9]*$" out && grep " 1 $B$" out &&
	sed -n "/^[0-9a-f]\{40,\}/!p" out >tail && cat >expect <<-\EOT &&
	non delta: 4 objects
	chain length = 1: 1 object
	chain length = 2: 1 object
	chain length = 3: 1 object
	w.pack: ok
	EOT
	test_cmp expect tail &&
	git verify-pack -s w.idx >out && sed \$d expect >stat && test_cmp stat out &&
	git verify-pack w.idx w.pack w >out && test_must_be_empty out &&
	test_expect_code 1 git verify-pack -v none.idx w.idx >out 2>err && test_grep "none.pack: bad" out &&
	test_grep "w.pack: ok" out && test_expect_code 129 git verify-pack
'

test_expect_success 'show-index: offsets, names, checksums; other files are refused' '
	git show-index <w.idx >out && test_line_count = 7 out && sort -n out | head -1 >first &&
	test_grep "^12 $C ([0-9a-f]\{8\})$" first &&
	test_expect_code 128 git show-index </dev/null && head -c 1200 w.idx >cut &&
	test_expect_code 128 git show-index <cut && test_expect_code 128 git show-index --object-format=x <w.idx
'

test_expect_success '--keep and --promisor' '
	new k && git -C k index-pack --stdin --keep=why <whole.pack >out && echo "keep	$P" >expect &&
	test_cmp expect out && echo why >expect && test_cmp expect k/objects/pack/pack-$P.keep &&
	git -C k index-pack --stdin --keep=other <whole.pack >out && echo "pack	$P" >expect2 &&
	test_cmp expect2 out && test_cmp expect k/objects/pack/pack-$P.keep &&
	new k && git -C k index-pack --stdin --keep --promisor <whole.pack &&
	test_must_be_empty k/objects/pack/pack-$P.keep && test_must_be_empty k/objects/pack/pack-$P.promisor &&
	new k && git -C k index-pack --stdin --promisor=m <whole.pack >out && test_grep "^pack	" out &&
	echo m >expect && test_cmp expect k/objects/pack/pack-$P.promisor &&
	git index-pack --keep=x w.pack && echo x >expect && test_cmp expect w.keep &&
	test_expect_code 128 git index-pack --keep -o none/w.idx w.pack 2>err && test_grep "none/tmp_" err &&
	test_cmp expect w.keep && rm w.keep &&
	test_expect_code 128 git index-pack --promisor w.pack
'

# objects_of PACK: names of what a pack has, sorted
objects_of () {
	git show-index <"${1%.pack}.idx" | cut -d" " -f2 | sort
}

test_expect_success '--promisor: what the pack leads to, and is here, is promised, too' '
	git init -q giver && (
		cd giver && for i in 1 2 3; do echo $i >f$i && git add . && git commit -qm $i || exit 1; done &&
		printf "%s\n^%s\n" HEAD HEAD~1 | git pack-objects --revs --stdout -q >../given.pack &&
		git rev-list --objects HEAD~1 | cut -d" " -f1 | sort >../old &&
		git rev-list --objects HEAD~1..HEAD | cut -d" " -f1 | sort >../new &&
		git pack-objects --stdout -q <../old >../old.pack &&
		git commit -q --allow-empty -m next && git rev-parse HEAD | git pack-objects --stdout -q >../next.pack
	) &&
	for here in loose packed; do
		rm -rf taker && git init -q taker && (
			cd taker && stray=$(echo stray | git hash-object -w --stdin) &&
			if test $here = loose; then git unpack-objects -q <../old.pack; else git index-pack --stdin <../old.pack; fi &&
			ls .git/objects/pack/*.idx >../before 2>/dev/null; : &&
			n=$(GIT_TEST_FS_KIND=journal count_flushes git index-pack --stdin --promisor <../given.pack) && test "$n" = 1 &&
			ls .git/objects/pack/*.promisor | wc -l | tr -d " " >../nr && test "$(cat ../nr)" = 2 &&
			for p in .git/objects/pack/*.promisor; do objects_of ${p%.promisor}.pack || exit 1; done | sort >../promised &&
			sort ../old ../new >../all && test_cmp ../all ../promised && git fsck --no-dangling &&
			: nothing is done twice, and without a link to what is here nothing at all &&
			git index-pack --stdin --promisor <../given.pack && test $(ls .git/objects/pack/*.promisor | wc -l) = 2 &&
			git index-pack --stdin --promisor <../next.pack && test $(ls .git/objects/pack/*.promisor | wc -l) = 3 &&
			git cat-file -e $stray
		) || return 1
	done &&
	rm -rf taker && git init -q taker && git -C taker index-pack --stdin --promisor <given.pack &&
	test $(ls taker/.git/objects/pack/*.promisor | wc -l) = 1 &&
	: a blob that a tree of the pack names stays as it is, as in stock Git &&
	rm -rf taker && git init -q taker && blob=$(echo blob | git -C taker hash-object -w --stdin) &&
	tree=$(printf "100644 blob $blob\tx\n" | git -C giver mktree --missing) && echo $tree | git -C giver pack-objects --stdout -q >tree.pack &&
	git -C taker index-pack --stdin --promisor <tree.pack && test $(ls taker/.git/objects/pack/*.promisor | wc -l) = 1
'

test_expect_success 'a failure leaves no .keep' '
	new k && refused k "pack signature mismatch" --stdin --keep=why --promisor <v1.idx
'

# ---- thin packs ----

test_expect_success 'thin packs need --fix-thin, and their bases' '
	printf "ref $B $size more\nofs 0 again\n" | craft thin.pack &&
	refused r "pack has 2 unresolved deltas" --stdin <thin.pack &&
	new e && refused e "pack has 2 unresolved deltas" --stdin --fix-thin <thin.pack &&
	git -C r index-pack --stdin --fix-thin -v <thin.pack >out 2>err &&
	test_grep "completed with 1 local object$" err && F=$(sed "s/^pack	//" out) &&
	cp r/objects/pack/pack-$F.pack f.pack && git index-pack f.pack && git verify-pack -v f.pack >out &&
	test_grep "^$B blob" out && test $(grep -c " blob " out) = 3 &&
	test_expect_code 128 git index-pack --fix-thin f.pack
'

test_expect_success 'replaced objects are no bases' '
	new rep && git -C rep index-pack --stdin <whole.pack && echo other | git -C rep hash-object -w --stdin >o &&
	git -C rep update-ref refs/replace/$B $(cat o) &&
	git -C rep index-pack --stdin --fix-thin <thin.pack >out && cmp out - <<-EOT
	pack	$F
	EOT
'

test_expect_success 'a big blob that is there already, and is replaced' '
	head -c 5000000 /dev/urandom >big && new rep && W=$(git -C rep hash-object -w --stdin <big) &&
	git -C rep update-ref refs/replace/$W $(echo other | git -C rep hash-object -w --stdin) &&
	echo "file blob big" | craft big.pack && git -C rep index-pack --stdin <big.pack
'

# ---- broken packs ----

test_expect_success 'cut at every length' '
	printf "blob some text\nofs 0 more\n" | craft small.pack && n=$(wc -c <small.pack) && new cut &&
	i=0 && while test $i -lt $n; do
		head -c $i small.pack >c.pack &&
		refused cut "early EOF" --stdin <c.pack &&
		test_expect_code 128 git index-pack c.pack 2>err && test_path_is_missing c.idx || return 1
		i=$((i + 1))
	done
'

test_expect_success 'changed bytes, and junk after the end' '
	new b && for at in 0 7 11 13 25 40 $((n - 1)); do
		cp small.pack c.pack && printf "\125" | dd of=c.pack bs=1 seek=$at conv=notrunc 2>/dev/null &&
		test_expect_code 128 git -C b index-pack --stdin <c.pack 2>err && nothing_in b || return 1
	done &&
	(cat small.pack && echo junk) >c.pack && refused b "pack has junk at the end" --stdin <c.pack &&
	test_expect_code 128 git index-pack c.pack 2>err && test_grep "pack has junk at the end" err &&
	cat c.pack | git -C b index-pack --stdin >out && sed -n 2p out >rest && echo junk >expect &&
	test_cmp expect rest
'

test_expect_success 'hostile ones' '
	new h && O=$(echo never | git hash-object --stdin) &&
	printf "blob x\nref $O 6 y\n" | craft c.pack && refused h "pack has 1 unresolved delta$" --stdin <c.pack &&
	printf "raw 5 4 text\n" | craft c.pack && refused h "unknown object type 5" --stdin <c.pack &&
	printf "raw 0 4 text\n" | craft c.pack && refused h "unknown object type 0" --stdin <c.pack &&
	printf "raw 3 4398046511104 text\n" | craft c.pack && refused h "bad object at offset 12" --stdin <c.pack &&
	printf "raw 1 4398046511104 text\n" | craft c.pack && refused h "bad object at offset 12" --stdin <c.pack &&
	printf "raw 3 3 text\n" | craft c.pack && refused h "bad object at offset 12" --stdin <c.pack &&
	printf "blob x\ncount 4294967290\n" | craft c.pack && refused h "." --stdin <c.pack &&
	printf "blob x\ncount 2\n" | craft c.pack && refused h "." --stdin <c.pack &&
	printf "blob x\nblob y\ncount 1\n" | craft c.pack && refused h "pack is corrupted" --stdin <c.pack
'

# Their objects have up to 10 kB: 500 MB together.
test_expect_success 'a chain of 100,000 deltas' '
	awk "BEGIN { print \"blob 1234567\"; for (i = 0; i < 100000; i++) printf(\"tail %d %d %06d\n\", i, i / 10, i) }" | craft c.pack && new h &&
	git -C h index-pack --stdin <c.pack >out && git verify-pack -s h/objects/pack/*.pack >out &&
	test_grep "chain length = 100000: 1 object" out
'

test_expect_success '--max-input-size' '
	refused cut "pack exceeds maximum allowed size ($((n - 1)) bytes)" --stdin --max-input-size=$((n - 1)) <small.pack &&
	git -C cut index-pack --stdin --max-input-size=$n <small.pack && new cut &&
	git -C cut index-pack --stdin --max-input-size=1k <small.pack
'

test_expect_success PERL 'an object of another content is there by that name' '
	V=$(printf victim | git hash-object --stdin) && new p && printf "blob victin\n" | craft v.pack &&
	git index-pack v.pack && W=$(git show-index <v.idx | cut -d" " -f2) &&
	cat >forge.pl <<-\EOT &&
	# The same index with another name, and a new checksum.
	use strict; use Digest::SHA;
	my ($name, $raw, $alg) = @ARGV; local $/; binmode STDIN; binmode STDOUT; my $x = <STDIN>;
	substr($x, 8 + 1024, $raw) = pack("H*", $name);
	for my $i (0 .. 255) { substr($x, 8 + 4 * $i, 4) = pack("N", $i >= hex(substr($name, 0, 2)) ? 1 : 0); }
	$x = substr($x, 0, -$raw); print $x, $alg eq "sha1" ? Digest::SHA::sha1($x) : Digest::SHA::sha256($x);
	EOT
	mkdir -p p/objects/pack && cp v.pack p/objects/pack/pack-1.pack &&
	perl forge.pl $V $((OID_HEXLEN / 2)) $TEST_HASH <v.idx >p/objects/pack/pack-1.idx &&
	printf "blob victim\n" | craft c.pack && refused p "SHA1 COLLISION FOUND WITH $V !" --stdin <c.pack &&
	printf "blob vic\nofs 0 tim\n" | craft c.pack && refused p "SHA1 COLLISION FOUND WITH $V !" --stdin <c.pack &&
	test_expect_code 128 git -C p unpack-objects <c.pack 2>err && test_grep "COLLISION FOUND WITH $V" err
'

test_expect_success SHA1 'objects of a collision attack are refused by name' '
	MARK=attack-attack-16 && evil=$MARK$MARK$MARK$MARK$MARK && new a &&
	E=$(printf "$evil" | git hash-object --stdin) &&
	printf "blob good\nblob $evil\n" | craft c.pack && printf "blob att\nofs 0 ${evil#att}\n" | craft d.pack &&
	{ printf "$evil" && head -c 5000000 /dev/zero; } >bigevil && echo "file blob bigevil" | craft e.pack &&
	(cd a && GIT_TEST_SHA1_ATTACK=$MARK test_expect_code 128 "$FAULT_GIT" index-pack --stdin <../e.pack 2>../err) &&
	test_grep "SHA-1 appears to be part of a collision attack: $(git hash-object bigevil)" err && nothing_in a &&
	for pack in c d; do
		(cd a && GIT_TEST_SHA1_ATTACK=$MARK test_expect_code 128 "$FAULT_GIT" index-pack --stdin <../$pack.pack 2>../err) &&
		test_grep "SHA-1 appears to be part of a collision attack: $E" err && nothing_in a &&
		(cd a && GIT_TEST_SHA1_ATTACK=$MARK test_expect_code 128 "$FAULT_GIT" unpack-objects <../$pack.pack 2>../err) &&
		test_grep "SHA-1 appears to be part of a collision attack: $E" err && nothing_in a || return 1
	done &&
	git -C a index-pack --stdin <c.pack
'

# ---- checks of content ----

test_expect_success '--strict: links, broken objects, duplicates' '
	new s && git -C s index-pack --stdin --strict <whole.pack && new s &&
	printf "file commit commit\n" | craft c.pack &&
	refused s "did not receive expected object $T" --stdin --strict <c.pack &&
	git -C s index-pack --stdin --fsck-objects <c.pack && new s &&
	printf "file commit commit\nfile blob tree\n" | craft c.pack && git -C s index-pack --stdin <c.pack && new s &&
	printf "blob x\nblob x\n" | craft c.pack && git -C s index-pack --stdin <c.pack && new s &&
	refused s "appears twice in the pack" --stdin --strict <c.pack &&
	sed "s/^author.*/author A U Thor 1 +0000/" commit >bad && printf "file commit bad\n" | craft c.pack &&
	refused s "fsck error in packed object" --stdin --fsck-objects <c.pack &&
	test_grep "^error: object [0-9a-f]*: missingEmail: " err &&
	git -C s index-pack --stdin --fsck-objects=missingEmail=ignore <c.pack && new s &&
	git -C s index-pack --stdin --fsck-objects=missingEmail=warn <c.pack 2>err && test_grep "^warning:.*missingEmail" err &&
	new s && git -C r cat-file -p $C >/dev/null && git hash-object -t commit --literally bad >skip &&
	git -C s index-pack --stdin --fsck-objects=skipList=../skip <c.pack &&
	test_expect_code 128 git -C s index-pack --stdin --strict=nonsense=error <c.pack &&
	test_expect_code 128 git -C s index-pack --stdin --strict=missingEmail=nonsense <c.pack
'

test_expect_success 'an object of the wrong type behind a link' '
	new s && sed "s/^tree .*/tree $B/" commit >wrong && printf "file commit wrong\nfile blob blob\n" | craft c.pack &&
	refused s "object $B: expected type tree, found blob" --stdin --strict <c.pack
'

test_expect_success '--check-self-contained-and-connected' '
	new s && git -C s index-pack --stdin --check-self-contained-and-connected <whole.pack &&
	printf "parent $C\n" >line && sed "1r line" commit >child && printf "file commit child\n" | craft c.pack &&
	test_expect_code 1 git -C s index-pack --stdin --check-self-contained-and-connected <c.pack &&
	new s && refused s "did not receive expected object" --stdin --check-self-contained-and-connected <c.pack
'

test_expect_success PERL 'names of .gitmodules that are missing come after the name of the pack' '
	M=$(echo modules | git hash-object --stdin) && perl -e "print pack(q(H*), q($M))" >raw &&
	{ printf "100644 .gitmodules\0" && cat raw; } >modtree && printf "file tree modtree\n" | craft c.pack &&
	new s && git -C s index-pack --stdin --fsck-objects <c.pack >out && sed 1d out >rest &&
	echo $M >expect && test_cmp expect rest
'

# ---- the rest ----

test_expect_success '--pack_header, --report-end-of-input, --object-format' '
	new s && tail -c +13 small.pack | git -C s index-pack --stdin --pack_header=2,2 --report-end-of-input 2>err >out &&
	test_grep "^pack	" out && printf "\0" >expect && cmp expect err &&
	test_expect_code 128 git index-pack --pack_header=2 w.pack &&
	test_expect_code 128 git index-pack --object-format=md5 w.pack &&
	test_expect_code 128 git -C s index-pack --stdin --object-format=sha1 <small.pack &&
	test_expect_code 129 git index-pack && test_expect_code 129 git index-pack a b &&
	test_expect_code 129 git index-pack --nonsense w.pack &&
	test_expect_code 128 git index-pack missing.pack
'

test_expect_success 'SHA-256' '
	printf "blob x\nofs 0 y\n" | "$GIT_BUILD_DIR/t/helper/craft-pack" sha256 >s256.pack &&
	git index-pack --object-format=sha256 s256.pack && git verify-pack --object-format=sha256 s256.pack &&
	git show-index --object-format=sha256 <s256.idx >out && test_line_count = 2 out &&
	sed -e "s/^tree.*/tree $(printf "%064d" 1)/" -e "s/^author.*/author A U Thor 1 +0000/" commit >bad256 &&
	printf "file commit bad256\n" | "$GIT_BUILD_DIR/t/helper/craft-pack" sha256 >b256.pack &&
	test_expect_code 128 git index-pack --object-format=sha256 --fsck-objects b256.pack &&
	git index-pack --object-format=sha256 b256.pack && git show-index --object-format=sha256 <b256.idx | cut -d" " -f2 >skip &&
	git index-pack --object-format=sha256 --fsck-objects=skipList=skip b256.pack &&
	git index-pack --fsck-objects=skipList=skip --object-format=sha256 b256.pack &&
	git init -q --object-format=sha256 --bare s256 && git -C s256 index-pack --stdin <s256.pack && git -C s256 fsck
'

test_expect_success 'the names appear in order: .pack and .rev before .idx' '
	new o && rm -f log && (cd o && GIT_TEST_SYSCALL_LOG=../log "$FAULT_GIT" index-pack --stdin <../whole.pack) &&
	: names in a quarantine are none yet && grep -o "rename.* [^ ]*objects/pack/pack-[0-9a-f]*\.[a-z]*" log | grep -v " [^ ]*tmp_objdir[^ ]*$" | sed "s/.*\.//" >order && tail -n 1 order >last &&
	echo idx >expect && test_cmp expect last && test_line_count = 3 order
'

test_done
