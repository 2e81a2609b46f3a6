#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='unpack-objects: through one batch, all or nothing'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-packs.sh"

# has REPO TEXT: a blob with that content
has () {
	printf "$2" >want && git -C "$1" cat-file blob "$(git hash-object want)" >got && cmp want got
}

test_expect_success 'objects of all kinds; few become loose files' '
	git init -q . && # so that commands on files know the hash
	git init -q src && (cd src && test_tick && echo 1 >f && git add f && git commit -qm one &&
	 git tag -a -m t v1 && git cat-file commit HEAD >../commit && git cat-file tree HEAD^{tree} >../tree &&
	 git cat-file tag v1 >../tag && git rev-parse v1 >../tagname) &&
	craft all.pack <<-\EOT &&
	file tag tag
	file commit commit
	file tree tree
	blob 1\n
	ofs 3 more
	ofs 4 and more
	EOT
	new r && git -C r unpack-objects <all.pack >out 2>err && test_must_be_empty out && test_must_be_empty err &&
	git -C r count-objects >count && test_grep "^6 objects" count && has r "1\nmoreand more" &&
	git -C r update-ref refs/tags/v1 $(cat tagname) && git -C r fsck && git -C r cat-file -t v1
'

test_expect_success 'existing objects are not written again' '
	find r/objects | sort >before && git -C r unpack-objects -q <all.pack && find r/objects | sort >after &&
	test_cmp before after
'

test_expect_success 'many become a pack' '
	{ seq -f "blob %.0f" 200; seq -f "ofs %.0f x" 0 199; } | craft many.pack && new m &&
	git -C m unpack-objects <many.pack && git -C m count-objects -v >count && test_grep "^in-pack: 400" count &&
	has m 77x && new m && git -C m -c bulkCheckin.unpackLimit=0 unpack-objects <many.pack &&
	git -C m count-objects -v >count && test_grep "^count: 400" count
'

test_expect_success 'bases that only the repository has' '
	printf "1\n" >base && printf "ref $(git hash-object base) 2 thin\nofs 0 ner\n" | craft thin.pack &&
	git -C r unpack-objects <thin.pack && has r "1\nthinner" && new e &&
	test_expect_code 128 git -C e unpack-objects <thin.pack 2>err &&
	test_grep "pack has 2 unresolved deltas" err && nothing_in e
'

test_expect_success 'a big blob is streamed' '
	for i in $(test_seq 600); do head -c 9000 /dev/urandom; done >big && printf "file blob big\nblob small\n" | craft big.pack &&
	new b && git -C b unpack-objects <big.pack && git -C b cat-file blob $(git hash-object big) >got && cmp big got &&
	has b small && git -C b unpack-objects <big.pack && git -C b fsck
'

test_expect_success 'a broken pack: nothing' '
	n=$(wc -c <all.pack) && new c && for i in 0 5 12 40 $((n / 2)) $((n - 21)) $((n - 1)); do
		head -c $i all.pack >cut && test_expect_code 128 git -C c unpack-objects -q <cut 2>err &&
		test_grep "early EOF" err && nothing_in c || return 1
	done &&
	cp all.pack bad && printf "\125" | dd of=bad bs=1 seek=$((n - 3)) conv=notrunc 2>/dev/null &&
	test_expect_code 128 git -C c unpack-objects -q <bad 2>err && nothing_in c
'

test_expect_success '-r: what can be read' '
	printf "blob one\nofs 0 two\nraw 5 3 xyz\nblob three\n" | craft bad && new k &&
	test_expect_code 1 git -C k unpack-objects -r <bad >out 2>err && test_grep "unknown object type 5" err &&
	test_must_be_empty out &&
	has k one && has k onetwo && git -C k count-objects >count && test_grep "^2 objects" count &&
	head -c $((n / 2)) all.pack >cut && new k && test_expect_code 1 git -C k unpack-objects -r -q <cut &&
	git -C k cat-file -e $(cat tagname) &&
	printf "blob one\nref $(echo no | git hash-object --stdin) 3 x\n" | craft bad && new k &&
	test_expect_code 1 git -C k unpack-objects -r <bad 2>err && test_grep "1 objects could not be unpacked" err && has k one
'

test_expect_success '-r: a big blob that cannot be compared with the existing one, and deltas upon it' '
	new k && W=$(git -C k hash-object -w --stdin <big) && loose=k/objects/$(echo $W | sed "s|^..|&/|") && chmod u+w $loose &&
	printf "damaged" | dd of=$loose bs=1 seek=100000 conv=notrunc 2>/dev/null &&
	printf "file blob big\nblob small\nofs 0 more\nofs 1 er\n" | craft bad &&
	test_expect_code 128 git -C k unpack-objects -q <bad 2>err && test_grep ! "could not be unpacked" err &&
	test_expect_code 1 git -C k unpack-objects -q -r <bad 2>err && test_grep "^error: .*$W" err &&
	test_grep "2 objects could not be unpacked" err && has k small && has k smaller
'

test_expect_success '-r: a pack that ends with an entry, or has another checksum or none' '
	head -c 5000000 /dev/urandom >big && printf "file blob big\nofs 0 more\ncount 3\n" | craft bad && new k &&
	test_expect_code 1 git -C k unpack-objects -r <bad >out 2>err && test_grep "early EOF" err &&
	test_must_be_empty out && printf more | cat big - >want && git -C k cat-file -e $(git hash-object want) &&
	printf "file blob big\nofs 0 more\n" | craft two && head -c $(($(wc -c <two) - 5)) two >bad && new k &&
	test_expect_code 1 git -C k unpack-objects -r <bad && git -C k cat-file -e $(git hash-object want) &&
	printf "blob one\nblob two\n" | craft two && len=$(($(wc -c <two) - 3)) &&
	head -c $len two >bad && new k && test_expect_code 1 git -C k unpack-objects -r <bad 2>err &&
	test_grep "early EOF" err && has k one && has k two &&
	printf xyz >>bad && new k && test_expect_code 1 git -C k unpack-objects -r <bad >out 2>err &&
	test_grep "pack is corrupted" err && test_must_be_empty out && has k one && has k two
'

test_expect_success PERL '-r --strict: a name of zeros is not that of an object that is missing' '
	raw=$((OID_HEXLEN / 2)) && perl -e "print qq(100644 .gitmodules\0), qq(\0) x $raw" >tree0 &&
	printf "blob one\nfile tree tree0\nref $(echo no | git hash-object --stdin) 3 x\n" | craft bad && new k &&
	test_expect_code 1 git -C k unpack-objects -r <bad &&
	new k && test_expect_code 128 git -C k unpack-objects -r --strict <bad 2>err && nothing_in k
'

test_expect_success '-n: nothing is written' '
	new d && git -C d unpack-objects -n <all.pack && nothing_in d &&
	git -C d unpack-objects -n --strict <all.pack && nothing_in d &&
	git -C d -c pack.threads=-1 unpack-objects -n <all.pack && nothing_in d &&
	head -c 50 all.pack >cut && test_expect_code 128 git -C d unpack-objects -n <cut
'

test_expect_success '--strict: nothing unless all is there and whole' '
	new s && git -C s unpack-objects --strict <all.pack && new s && printf "blob x\nfile commit commit\n" | craft part.pack &&
	test_expect_code 128 git -C s unpack-objects --strict <part.pack 2>err &&
	test_grep "did not receive expected object" err && nothing_in s && git -C s unpack-objects <part.pack &&
	sed "s/^author.*/author x/" commit >bad && printf "file commit bad\nfile tree tree\nblob 1\\\\n\n" | craft part.pack && new s &&
	test_expect_code 128 git -C s unpack-objects --strict <part.pack 2>err && test_grep "^error: object" err && nothing_in s
'

test_expect_success '--max-input-size, what follows, wrong usage' '
	new u && test_expect_code 128 git -C u unpack-objects --max-input-size=$((n - 1)) <all.pack 2>err &&
	test_grep "pack exceeds maximum allowed size" err && nothing_in u &&
	{ cat all.pack && echo rest; } >more && git -C u unpack-objects -q <more >out && echo rest >expect && test_cmp expect out &&
	test_expect_code 129 git -C u unpack-objects file && test_expect_code 129 git -C u unpack-objects --nonsense &&
	rm -rf nowhere && mkdir nowhere && test_expect_code 128 env GIT_CEILING_DIRECTORIES="$PWD" git -C nowhere unpack-objects <all.pack
'

test_done
