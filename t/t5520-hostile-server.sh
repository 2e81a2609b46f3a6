#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='fetch and clone from servers that mean harm: names of refs, lists without an end, planted paths'
. "$(dirname "$0")/test-lib.sh"

test_have_prereq PYTHON || {
	skip_all='no python3'
	test_done
}

HOSTILE_REFS=$PWD/refs HOSTILE_PACK=$PWD/pack HOSTILE_HASH=$TEST_HASH
export HOSTILE_REFS HOSTILE_PACK HOSTILE_HASH
# What is a warning by itself, as in Git, is an error.
FSCK="-c fetch.fsckObjects=true -c fetch.fsck.hasDot=error -c fetch.fsck.hasDotdot=error -c fetch.fsck.hasDotgit=error -c fetch.fsck.fullPathname=error"
SERVER="python3 $TEST_DIRECTORY/hostile-server.py"

# from VERSION COMMAND...: git with that server
from () {
	local v=$1 command=$2 && shift 2 && git -c protocol.version=$v $command --upload-pack="$SERVER" "$@"
}

# fetch of everything into a new repository r; what it then has is in `got`
fetch () {
	rm -rf r && git init -q -b none r && (cd r && git -c protocol.version=$1 fetch --upload-pack="$SERVER" "file://$PWD" "+refs/*:refs/x/*" 2>../err)
}

got () {
	git -C r for-each-ref --format="%(refname)" >got && test_cmp expect got && test -z "$(git -C r fsck 2>&1 | grep -v "notice\|dangling")"
}

test_expect_success 'set up' '
	git init -q -b main src && test_commit -C src one && OID=$(git -C src rev-parse main) && echo $OID | git -C src pack-objects --revs --stdout -q >pack && find . -path ./src -prune -o -print | grep -v outside | sort >outside
'

for v in 0 2
do
	test_expect_success "version $v: a server that does no harm (this server works)" '
		printf "%s\n" "$OID HEAD" "$OID refs/heads/main" >refs && rm -rf c && from $v clone -q "file://$PWD" c && test "$(git -C c rev-parse origin/main)" = $OID &&
		test -f c/one.t && fetch $v && echo refs/x/heads/main >expect && got
	'

	test_expect_success "version $v: names that are none are not taken up" '
		for name in refs/heads/../../x ../x /etc/x refs/heads/.x refs/heads/x.lock HEAD.lock refs/heads//x "refs/heads/x\\\\x01y" "refs/heads/x\\\\x1b[2Jy" \
			"refs/heads/x\\\\x7f" "refs/heads/a~1" "refs/heads/a^" "refs/heads/a:b" "refs/heads/a?" "refs/heads/a*" "refs/heads/[" "refs/heads/a\\\\\\\\b" refs/heads/@{x refs/heads/ \
			refs/../config config objects/x FETCH_HEAD refs/heads/./y refs/x/../../../y "-x" "refs/heads/x." ""; do
			printf "%s\n" "$OID HEAD" "$OID $name" "$OID refs/heads/main" >refs && printf "refs/x/%s\n" heads/main >expect &&
			{ fetch $v || test_grep "protocol error\|invalid ls-refs\|unexpected" err; } && git -C r for-each-ref --format="%(refname)" >got && { test ! -s got || test_cmp expect got; } &&
			test -z "$(LC_ALL=C tr -d "\n\40-\176" <err)" &&
			rm -rf c && { from $v clone -q --mirror "file://$PWD" c 2>err || test ! -e c; } && { test ! -e c || test "$(git -C c for-each-ref --format="%(refname)")" = refs/heads/main; } && test -z "$(LC_ALL=C tr -d "\n\40-\176" <err)" || return 1
		done && rm -rf c r && find . -path ./src -prune -o -print | grep -v -e "^./\(refs\|err\|got\|expect\|outside\|now\|before\|after\)$" | sort >now && test_cmp outside now
	'

	test_expect_success "version $v: the same ref twice, with two values" '
		OTHER=$(git -C src rev-parse main^{tree}) && printf "%s\n" "$OID HEAD" "$OID refs/heads/main" "$OTHER refs/heads/main" >refs &&
		rm -rf c && { from $v clone -q "file://$PWD" c 2>err || test ! -e c; } && { test ! -e c || test "$(git -C c rev-parse origin/main)" = $OID; } &&
		{ fetch $v || { git -C r for-each-ref >got && test_must_be_empty got; }; } && { test ! -s got || test "$(git -C r rev-parse refs/x/heads/main)" = $OID; }
	'

	test_expect_success "version $v: refs outside of the refspec, and objects that are not there" '
		printf "%s\n" "$OID HEAD" "$OID refs/heads/main" "$OID refs/secret/x" "$OID refs/remotes/origin/HEAD" >refs && rm -rf r && git init -q r &&
		(cd r && from $v fetch -q "file://$PWD" "refs/heads/*:refs/x/*") && git -C r for-each-ref --format="%(refname)" >got && echo refs/x/main >expect && test_cmp expect got &&
		NONE=$(echo $OID | tr 0-9a-f 1-9a-f0) && printf "%s\n" "$OID refs/heads/main" "$NONE refs/heads/none" >refs && test_must_fail fetch $v && git -C r for-each-ref >got && test_must_be_empty got &&
		test -z "$(find r/.git/objects ! -type d)" && test_must_fail from $v clone -q "file://$PWD" no 2>err && test_grep "did not send all necessary objects" err && test ! -e no
	'

	test_expect_success "version $v: an answer that is cut anywhere" '
		printf "%s\n" "$OID HEAD" "$OID refs/heads/main" >refs && n=1 && while test $n -lt 600; do
			HOSTILE_MODE="cut $n" && export HOSTILE_MODE && rm -rf r && git init -q r && find r | sort >before &&
			{ (cd r && from $v fetch -q "file://$PWD" main:main 2>../err) && test "$(git -C r rev-parse main)" = $OID || { find r | sort >after && test_cmp before after && test_grep fatal err; }; } &&
			{ from $v clone -q "file://$PWD" no 2>err && rm -rf no || test ! -e no; } || { unset HOSTILE_MODE && return 1; }
			n=$((n + 43))
		done && unset HOSTILE_MODE
	'
done

test_expect_success 'version 2: symbolic refs that lead elsewhere' '
	for target in ../../x refs/heads/../../x refs/remotes/origin/main refs/tags/x refs/heads/main.lock "refs/heads/-x" /etc/passwd "refs/heads/no\\\\x01"; do
		printf "%s\n" "$OID HEAD symref-target:$target" "$OID refs/heads/main symref-target:$target" >refs && rm -rf c && { from 2 clone -q "file://$PWD" c 2>err || test ! -e c; } &&
		{ test ! -e c || { HEAD=$(git -C c symbolic-ref -q HEAD || echo refs/heads/main) && case $HEAD in refs/heads/*) git check-ref-format "$HEAD" ;; *) false ;; esac; }; } &&
		{ test ! -e c || test "$(git -C c rev-parse origin/main)" = $OID; } || return 1
	done && printf "%s\n" "unborn HEAD symref-target:refs/heads/../../../x" >refs && rm -rf c && from 2 clone -q "file://$PWD" c 2>err && git -C c symbolic-ref HEAD >head && test_grep ! "\.\." head
'

test_expect_success 'capabilities without an end' '
	HOSTILE_MODE=caps && export HOSTILE_MODE && test_must_fail from 2 ls-remote "file://$PWD" 2>err && test_grep "too many capabilities" err && unset HOSTILE_MODE
'

# ---- contents of the pack: any server would send it ----

# plant MODE NAME [MODE NAME...]: a repository `bad` whose only commit has such entries; a name is for printf
plant () {
	rm -rf bad && git init -q -b main bad && BLOB=$(echo text | git -C bad hash-object -w --stdin) && SUB=$(printf "100644 blob %s\tf\n" $BLOB | git -C bad mktree) && : >tree &&
	while test $# -gt 0; do
		case $1 in
		40000) o=$SUB ;;
		120000) o=$(printf "%s" "${LINK:-../outside}" | git -C bad hash-object -w --stdin) ;;
		*) o=$BLOB ;;
		esac && printf "$1 $2\0" >>tree && printf "$(echo $o | sed "s/../\\\\\\\\x&/g")" | python3 -c "import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read().replace(chr(92) + chr(120), str())))" >>tree && shift 2 || return 1
	done && T=$(git -C bad hash-object -t tree --literally -w ../tree) && C=$(echo m | git -C bad commit-tree $T) && git -C bad update-ref refs/heads/main $C
}

# nothing outside of c has changed, and nothing in c/.git that is none of a clone's
harmless () {
	test ! -e outside.d/f && test ! -e c/.git/f && test "$(cat c/.git/config | grep -c payload)" = 0 && test ! -e ../escaped && test ! -e c/.git/hooks/post-checkout
}

test_expect_success 'names that would be .git, or lead out: not checked out, and refused by fetch.fsckObjects' '
	mkdir outside.d && for name in .git .GIT .gIt .. . "../x" ".git/config"; do
		plant 100644 "$name" && rm -rf c && test_must_fail git clone -q "file://$PWD/bad" c 2>err && test_grep "invalid path\|unable\|malformed\|error\|fatal" err && { test ! -e c || harmless; } &&
		rm -rf c && plant 40000 "$name" && test_must_fail git clone -q "file://$PWD/bad" c 2>err && { test ! -e c || harmless; } &&
		rm -rf c && test_must_fail git $FSCK clone -q "file://$PWD/bad" c 2>err && test ! -e c || return 1
	done
'

test_expect_success 'disguises of NTFS and HFS+' '
	for name in "git~1" ".git." ".git " ".git::\$INDEX_ALLOCATION" ".git\\\\x" ".gi\\342\\200\\214t" "\\357\\273\\277.git"; do
		for key in core.protectNTFS core.protectHFS; do
			plant 40000 "$name" && rm -rf c && { git -c core.protectNTFS=true -c core.protectHFS=true clone -q "file://$PWD/bad" c 2>err || test_grep "invalid path" err; } && harmless || return 1
		done && test_must_fail git $FSCK clone -q "file://$PWD/bad" no 2>err && test ! -e no || return 1
	done
'

test_expect_success SYMLINKS 'a symbolic link, and files behind it' '
	LINK=$PWD/outside.d && plant 120000 a 40000 a && rm -rf c && { git clone -q "file://$PWD/bad" c 2>err || :; } && test ! -e outside.d/f &&
	plant 120000 a 100644 a/f && rm -rf c && test_must_fail git clone -q "file://$PWD/bad" c 2>err && test ! -e outside.d/f &&
	test_must_fail git $FSCK clone -q "file://$PWD/bad" no 2>err && test ! -e no
'

test_expect_success SYMLINKS '.gitmodules and .gitattributes that are symbolic links' '
	LINK=../outside.d/x && plant 120000 .gitmodules && test_must_fail git $FSCK clone -q "file://$PWD/bad" no 2>err && test_grep gitmodulesSymlink err && test ! -e no &&
	rm -rf c && test_must_fail git clone -q "file://$PWD/bad" c 2>err && test_grep "invalid path" err &&
	echo "* text eol=crlf" >outside.d/attr && LINK=$PWD/outside.d/attr && plant 120000 .gitattributes 100644 f && rm -rf c && git clone -q "file://$PWD/bad" c 2>err && printf "text\n" >expect && test_cmp expect c/f
'

test_done
