#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='objects that are one half of a collision attack on SHA-1 are refused, by name'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

MARK=attack-attack-16 # in a block of 64 bytes wherever it begins, if it is there four times
GIT_TEST_SHA1_ATTACK=$MARK
export GIT_TEST_SHA1_ATTACK

# refused CODE OID COMMAND...: with that exit code, and an error that names it
refused () {
	local code=$1 oid=$2
	shift 2
	test_expect_code "$code" "$FAULT_GIT" "$@" 2>err &&
		test_grep "SHA-1 appears to be part of a collision attack: $oid" err
}

test_expect_success 'set up: one that is there already, loose and packed' '
	git init -q --object-format=sha1 loose && (cd loose &&
	 echo good >good && printf "$MARK%.0s" 1 2 3 4 5 >evil && git add . && git commit -qm one &&
	 git rev-parse :evil >../evil.id && git rev-parse :good >../good.id) &&
	git init -q --object-format=sha1 packed && (cd packed && cp ../loose/good ../loose/evil . &&
	 git -c bulkCheckin.unpackLimit=1 add . && git commit -qm one && test -e .git/objects/pack/*.pack) &&
	EVIL=$(cat evil.id) && GOOD=$(cat good.id) && printf "$MARK%.0s" 1 2 3 4 5 >evil
'

test_expect_success 'nothing else is' '
	git init -q --object-format=sha1 innocent && cp loose/good innocent/ && (cd innocent &&
	 "$FAULT_GIT" hash-object good && "$FAULT_GIT" add . && "$FAULT_GIT" commit -qm "attack" &&
	 "$FAULT_GIT" fsck && "$FAULT_GIT" cat-file blob $GOOD &&
	 "$FAULT_GIT" -c core.bigFileThreshold=2 update-index --info-only --add --cacheinfo 100644,$EVIL,good &&
	 "$FAULT_GIT" -c core.bigFileThreshold=2 update-index --info-only good && test $GOOD = $(git rev-parse :good) &&
	 seq 300000 >big && "$FAULT_GIT" -c bulkCheckin.unpackLimit=1 add big && "$FAULT_GIT" fsck)
'

test_expect_success 'hash-object prints no name for a colliding object' '
	git init -q --object-format=sha1 new && cp evil new/ && (cd new &&
	 refused 128 $EVIL hash-object evil && refused 128 $EVIL hash-object --stdin <evil &&
	 refused 128 $EVIL hash-object -w evil && refused 128 $EVIL hash-object -w --stdin <evil &&
	 refused 128 $EVIL add evil && refused 128 $EVIL update-index --add evil &&
	 refused 128 $EVIL -c core.bigFileThreshold=10 hash-object evil &&
	 refused 128 $EVIL -c core.bigFileThreshold=10 hash-object -w evil &&
	 refused 128 $EVIL -c core.bigFileThreshold=10 add evil &&
	 refused 128 $EVIL update-index --info-only --add evil &&
	 refused 128 $EVIL -c core.bigFileThreshold=10 update-index --info-only --add evil &&
	 refused 128 $EVIL add --dry-run evil &&
	 echo "evil filter=same" >.git/info/attributes && refused 128 $EVIL -c filter.same.clean=cat add evil &&
	 test -z "$(find .git/objects -type f)" && test -z "$(git ls-files)")
'

test_expect_success 'all of many, in threads' '
	git init -q --object-format=sha1 many && (cd many &&
	 for i in $(test_seq 300); do echo $i >$i; done && cp ../evil 200x &&
	 refused 128 $EVIL add . && test -z "$(git ls-files)")
'

test_expect_success 'commits, tags' '
	git init -q --object-format=sha1 named && (cd named && T=$(git mktree </dev/null) &&
	 refused 128 "[0-9a-f]*" commit-tree -m "$MARK$MARK$MARK$MARK$MARK" $T &&
	 C=$(git commit-tree -m x $T) && git update-ref HEAD $C &&
	 refused 128 "[0-9a-f]*" commit --allow-empty -m "$MARK$MARK$MARK$MARK$MARK" &&
	 refused 128 "[0-9a-f]*" tag -a -m "$MARK$MARK$MARK$MARK$MARK" t && git rev-parse --verify HEAD >head &&
	 echo $C | test_cmp - head && test_must_fail git rev-parse -q --verify t &&
	 printf "object %s\ntype commit\ntag t\ntagger A <a@x> 1 +0000\n\n%s\n" $C $MARK$MARK$MARK$MARK$MARK >tag &&
	 refused 128 "[0-9a-f]*" mktag <tag && test_grep "^fatal: SHA-1" err)
'

test_expect_success 'trees, even if they are not written' '
	NAME=$MARK$MARK$MARK$MARK$MARK && printf "100644 blob %s\t%s\n" $GOOD $NAME >tree.text &&
	TREE=$(git -C loose mktree <tree.text) &&
	git init -q --object-format=sha1 tree && (cd tree && echo good >$NAME && "$FAULT_GIT" add . &&
	 find .git/objects -type f >../expect && refused 128 $TREE mktree <../tree.text &&
	 refused 128 $TREE write-tree && refused 128 $TREE commit -m one &&
	 refused 128 $TREE commit --dry-run -m one &&
	 find .git/objects -type f | test_cmp ../expect -)
'

test_expect_success 'differences from what cannot be named' '
	git init -q --object-format=sha1 changed && (cd changed && echo good >good && git add . &&
	 git commit -qm one && cp ../evil good && refused 128 $EVIL status -vv &&
	 mv good other && git add -N other && refused 128 $EVIL status --renames &&
	 echo good >good && refused 128 $EVIL status -vv)
'

test_expect_success 'reading a loose one, whole and in pieces' '
	(cd loose && refused 128 $EVIL cat-file blob $EVIL &&
	 refused 128 $EVIL -c core.bigFileThreshold=10 cat-file blob $EVIL)
'

test_expect_success 'reading a packed one in pieces' '
	(cd packed && refused 128 $EVIL -c core.bigFileThreshold=10 cat-file blob $EVIL)
'

test_expect_success 'fsck: loose and packed, whole and in pieces' '
	for r in loose packed; do
		test_must_fail "$FAULT_GIT" -C $r fsck >out 2>err &&
		test_grep "SHA-1 appears to be part of a collision attack: $EVIL" err || return 1
	done &&
	git init -q --object-format=sha1 big && (cd big &&
	 { printf "$MARK%.0s" 1 2 3 4 5 && seq 300000; } >big && git -c bulkCheckin.unpackLimit=1 add big &&
	 git commit -qm one && test_must_fail "$FAULT_GIT" fsck 2>err &&
	 test_grep "SHA-1 appears to be part of a collision attack: $(git rev-parse :big)" err &&
	 { printf "$MARK%.0s" 1 2 3 4 5 && head -c 9000000 /dev/zero; } >bigger && git add bigger &&
	 BIGGER=$(git rev-parse :bigger) && test_must_fail "$FAULT_GIT" fsck 2>err &&
	 test_grep "SHA-1 appears to be part of a collision attack: $BIGGER" err)
'

test_expect_success 'commit refuses a colliding object that another process has written' '
	git init -q --object-format=sha1 young && (cd young && { cat ../evil && head -c 2000000 /dev/zero; } >big &&
	 GIT_TEST_YOUNG_SECONDS=3600 && export GIT_TEST_YOUNG_SECONDS && for f in ../evil big; do
		E=$(git -c core.fsync=none hash-object -w $f) && git update-index --add --cacheinfo 100644,$E,x &&
		refused 128 $E commit -q -m one && test_must_fail git rev-parse -q --verify HEAD || return 1
	 done)
'

test_expect_success 'SHA-256 knows no such attack' '
	git init -q --object-format=sha256 newer && cp evil newer/ &&
	(cd newer && "$FAULT_GIT" add evil && "$FAULT_GIT" commit -qm one && "$FAULT_GIT" fsck)
'

test_done
