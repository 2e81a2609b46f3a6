#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fast-import'

. "$(dirname "$0")/test-lib.sh"

who='committer C <c@d> 3 +0000'

# commit BRANCH MESSAGE: the head of a commit
commit () {
	printf 'commit refs/heads/%s\n%s\ndata %s\n%s\n' "$1" "$who" "${#2}" "$2"
}

# broken MESSAGE: the stream in the file `input` is refused, and no ref has changed
broken () {
	git for-each-ref >before && test_expect_code 128 git fast-import --quiet <input 2>err &&
	grep "$1" err && git for-each-ref >after && test_cmp before after
}

test_expect_success 'a commit with files in directories' '
	git init -q . &&
	{ printf "blob\nmark :1\ndata 4\nabc\n\n" && commit m one &&
	printf "M 644 :1 a/b\nM 755 :1 \"a/c d\"\nM 120000 inline z\ndata 1\nb\n"; } >input &&
	git fast-import --quiet --export-marks=marks <input &&
	git ls-tree -r m >out && cut -d" " -f1 out >modes && printf "100644\n100755\n120000\n" >expect && test_cmp expect modes &&
	git cat-file blob m:a/b >got && echo abc >want && test_cmp want got &&
	test "$(cat marks)" = ":1 $(git rev-parse m:a/b)" && git fsck
'

test_expect_success 'C, R and D change paths, and empty directories go' '
	{ commit m two && printf "from refs/heads/m^0\nC a q/r\nR \"a/c d\" x\nD a/b\n"; } >input &&
	git fast-import --quiet <input && git ls-tree -r --name-only m >got &&
	printf "q/r/b\nq/r/c d\nx\nz\n" >want && test_cmp want got
'

test_expect_success 'a ref that would lose commits stays, and --force moves it' '
	old=$(git rev-parse m) && commit m other >input &&
	test_expect_code 1 git fast-import --quiet <input 2>err && grep "not updating refs/heads/m" err &&
	test "$(git rev-parse m)" = $old &&
	git fast-import --quiet --force <input && test "$(git rev-parse m)" != $old && git update-ref refs/heads/m $old
'

test_expect_success 'malformed streams change no ref, and leave a crash report' '
	{ commit new x && printf "M 644 :9 a\n"; } >input && broken "mark :9 not declared" &&
	printf "blob\ndata 99999999999\nx" >input && broken "EOF in data (99999999998 bytes remaining)" &&
	{ commit new x && printf "M 644 inline a/../b\ndata 0\n"; } >input && broken "invalid path .a/../b." &&
	{ commit new x && printf "\ncommit refs/heads/a..b\n"; } >input && broken "Git standards: refs/heads/a..b" &&
	{ echo "feature export-marks=m2" && commit new x; } >input && broken "forbidden in input" && test_path_is_missing m2 &&
	{ echo "feature done" && commit new x; } >input && broken "stream ends early" &&
	ls .git/fast_import_crash_* >reports && test_line_count = 6 reports
'

test_expect_success 'answers to ls, cat-blob and get-mark' '
	{ printf "blob\nmark :5\ndata 2\nhi\n" && commit n ls && printf "M 644 :5 d/e\nls \"d/e\"\nls \"nope\"\ncat-blob :5\n" &&
	printf "\nget-mark :5\nprogress on\n"; } >input &&
	git fast-import --quiet <input >got && blob=$(printf hi | git hash-object --stdin) &&
	printf "100644 blob $blob\td/e\nmissing nope\n$blob blob 2\nhi\n$blob\nprogress on\n" >want && test_cmp want got
'

test_expect_success 'notes move into directories when there are 256 of them' '
	{ i=0 && while test $i -lt 256; do commit many $i && i=$((i + 1)) || return 1; done; } >input &&
	git fast-import --quiet <input && git rev-list many >list &&
	{ printf "commit refs/notes/n\n$who\ndata 0\n" && sed "s/.*/N inline &\ndata 1\nx/" list; } >input &&
	git fast-import --quiet <input && git ls-tree -r --name-only refs/notes/n >names && test_line_count = 256 names &&
	! grep -v "^../" names
'

test_expect_success 'versions of a file become deltas in one pack, and can be read' '
	git init -q big && cd big && base=$(seq 1 300) && i=0 &&
	while test $i -lt 120; do printf "blob\nmark :%d\ndata <<EOF\n%s\n%d\nEOF\n" $((i + 1)) "$base" $i && i=$((i + 1)); done >input &&
	{ cat input && commit m x && printf "M 644 :120 f\n" && printf "cat-blob :120\n"; } >stream &&
	git fast-import --quiet <stream >answer && tail -n 2 answer | grep 119 &&
	ls .git/objects/pack/*.pack >packs && test_line_count = 1 packs &&
	git verify-pack -v .git/objects/pack/*.idx >list && grep "chain length = 5" list && git fsck
'

test_expect_success 'a tag wins against commits that carry its name' '
	{ printf "commit refs/tags/both\n$who\ndata 2\nx\ntag both\nfrom refs/tags/both\ntagger C <c@d> 3 +0000\ndata 6\nabout\n"; } >input &&
	git fast-import --quiet <input && test "$(git cat-file -t both)" = tag && test "$(git rev-list --count both)" = 1
'

test_expect_success 'one blank line may follow data and commands, two may not' '
	{ printf "blob\nmark :1\ndata 2\nx\n\nprogress on\n\n" && commit blank b && printf "M 644 :1 f\n\nalias\nmark :2\nto refs/heads/blank\n\nalias\nmark :3\nto :2"; } >input &&
	git fast-import --quiet --export-marks=marks <input && test "$(sed -n "s/:3 //p" marks)" = $(git rev-parse blank) &&
	for text in "blob\ndata 2\nx\n\n\nblob\ndata 1\ny\n" "progress x\n\n\n" "\nblob\ndata 0\n" "option x\n\n"
	do
		printf "$text" >input && broken "unsupported command: $" || return 1
	done
'

test_expect_success 'a mark of an object that is missing is an error' '
	echo ":1 ${ZERO_OID%?}7" >marks && : >input && test_expect_code 128 git fast-import --quiet --import-marks=marks <input 2>err &&
	test_grep "object not found: 0*7" err && echo ":1 $(git rev-parse m)" >marks && printf "reset refs/heads/marked\nfrom :1\n" >input &&
	git fast-import --quiet --import-marks=marks <input && test "$(git rev-parse marked)" = $(git rev-parse m)
'

# texts: a stream of blobs that have parts of lines in common
texts () {
	awk 'function pick(n) { x = (x * 16807) % 2147483647; return 1 + x % n }
	function words(n, line) { for (line = ""; n > 0; n--) line = line w[pick(10)] " "; return line }
	BEGIN { x = 5; split("alpha beta gamma delta epsilon zeta eta theta iota kappa", w); for (i = 1; i <= 40; i++) l[i] = substr(words(8), 1, 30);
		for (i = 0; i < 20; i++) { t = ""; for (j = 0; j < 100; j++) t = t words(6) "\n" l[pick(40)] "\n"; printf "blob\ndata %d\n%s", length(t), t } }'
}

# size_of NAME [KEY=VALUE]: of the pack of the stream `input` in a new repository
size_of () {
	git init -q --bare $1 && git -C $1 ${2:+-c $2} -c fastimport.unpackLimit=1 fast-import <input 2>$1/stats && cat $1/objects/pack/*.pack | wc -c
}

test_expect_success 'packs are compressed as by a repack, unless a level is configured' '
	texts >input && size_of plain >n && size_of fast pack.compression=1 >m && size_of none core.compression=0 >k &&
	test $(cat n) -lt $(cat m) && test $(($(cat m) * 2)) -lt $(cat k)
'

test_expect_success 'a delta that is no gain is not made' '
	grep "blobs  :  *20 .* 0 deltas of  *19 attempts" plain/stats && ! grep "blobs  :.* 0 deltas of" none/stats
'

# one_commit BRANCH LINE...: a commit with further lines below the committer
one_commit () {
	printf "commit refs/heads/%s\n%s\n" "$1" "$who" && shift && { test $# = 0 || printf "%b\n" "$@"; } && printf "data 2\nx\n"
}

test_expect_success 'values of options' '
	: >input &&
	for o in --depth=x --depth=-1 --depth=5x --depth= --depth=4096 --active-branches=x --date-format=iso --signed-tags=x --signed-commits=sign --nope
	do
		test_expect_code 128 git fast-import --quiet $o <input 2>err && test_grep -e "argument must be" -e "cannot exceed" -e "unknown" err || return 1
	done &&
	git fast-import --quiet --max-pack-size=9 <input 2>err && test_grep "assuming --max-pack-size=9m" err &&
	git fast-import --quiet --max-pack-size=9000 <input 2>err && test_grep "minimum max-pack-size is 1 MiB" err &&
	git fast-import --quiet --max-pack-size=2m <input 2>err && test_must_be_empty err &&
	printf "feature import-marks=marks\nfeature import-marks=marks\n" >input &&
	test_expect_code 128 git fast-import --allow-unsafe-features <input 2>err && test_grep "only one import-marks command" err &&
	printf "feature import-marks-if-exists=nothing\nfeature export-marks=out2\n" >input && git fast-import --quiet --allow-unsafe-features <input && test_path_is_file out2
'

test_expect_success 'the root moves into a directory of itself' '
	printf "commit refs/heads/root\n$who\ndata 0\nM 644 inline f\ndata 2\nx\n\nM 644 inline d/g\ndata 2\ny\n\nR \"\" sub\nM 644 inline sub/h\ndata 2\nz\n\nM 644 inline top\ndata 2\nt\n\n" >input &&
	git fast-import --quiet <input && git ls-tree -r --name-only root >out && printf "%s\n" sub/d/g sub/f sub/h top >expect && test_cmp expect out && git fsck --strict
'

test_expect_success 'forms of dates' '
	who="committer C <c@d> Fri, 13 Feb 2009 23:31:30 +0100" && one_commit dates >input && git fast-import --quiet --date-format=rfc2822 <input &&
	test "$(git log -1 --format=%cd --date=raw dates)" = "1234564290 +0100" &&
	who="committer C <c@d> now" && one_commit now >input && git fast-import --quiet --date-format=now <input && test "$(git log -1 --format=%ct now)" -gt 1234564290 &&
	who="committer C <c@d> 5 +9999" && one_commit raw >input && test_expect_code 128 git fast-import --quiet <input &&
	git fast-import --quiet --date-format=raw-permissive <input && test "$(git log -1 --format=%ct raw)" = 5 && who="committer C <c@d> 3 +0000"
'

test_expect_success 'signatures of commits are kept, taken away, or end the import' '
	for mode in verbatim warn-verbatim warn strip warn-strip
	do
		one_commit $mode "gpgsig sha1 openpgp\ndata 3\na\nb" "gpgsig sha256 ssh\ndata 1\nc" "gpgsig sha1 x509\ndata 1\nd" "encoding latin1" >input &&
		git fast-import --quiet --signed-commits=$mode <input 2>err && git cat-file commit $mode | sed "1,3d" >got || return 1
		case $mode in
		*strip) printf "encoding latin1\n\nx\n" >want ;;
		*) printf "encoding latin1\ngpgsig a\n b\ngpgsig-sha256 c\n\nx\n" >want && test_grep "multiple SHA-1 signatures found" err ;;
		esac && test_cmp want got || return 1
		case $mode in warn-strip) test_grep "stripping a commit signature" err ;; warn*) test_grep "importing a commit signature verbatim" err ;; esac || return 1
	done &&
	one_commit sig "gpgsig sha1 unknown\ndata 1\nc" >input && git fast-import --quiet <input 2>err && test_grep "unknown. signature format" err &&
	one_commit new "gpgsig sha1 openpgp\ndata 1\nc" >input && test_expect_code 128 git fast-import --quiet --signed-commits=abort <input 2>err && test_grep "encountered signed commit" err &&
	one_commit new "gpgsig sha1 pgp\ndata 1\nc" >input && broken "invalid signature format in gpgsig: .pgp." &&
	one_commit new "gpgsig md5 ssh\ndata 1\nc" >input && broken "unknown git hash algorithm in gpgsig: .md5." &&
	one_commit new "gpgsig sha1\ndata 1\nc" >input && broken "expected gpgsig format"
'

test_expect_success 'signatures of tags are kept, taken away, or end the import' '
	for mode in verbatim warn-verbatim strip warn-strip abort
	do
		printf "tag $mode\nfrom refs/heads/m^0\ndata 46\nabout\n-----BEGIN PGP SIGNATURE-----\nabc\ndefgh\n" >input &&
		if test $mode = abort
		then
			test_expect_code 128 git fast-import --quiet --signed-tags=$mode <input 2>err && test_grep "encountered signed tag" err
		else
			git fast-import --quiet --signed-tags=$mode <input 2>err && git cat-file tag $mode | sed "1,/^$/d" >got
		fi || return 1
		case $mode in
		strip) echo about >want && test_must_be_empty err ;;
		warn-strip) echo about >want && test_grep "stripping a tag signature for tag .$mode." err ;;
		*verbatim) printf "about\n-----BEGIN PGP SIGNATURE-----\nabc\ndefgh\n" >want ;;
		esac && { test $mode = abort || test_cmp want got; } || return 1
		case $mode in warn-verbatim) test_grep "importing a tag signature verbatim for tag .$mode." err ;; esac || return 1
	done
'

if ssh-keygen -q -t ed25519 -N "" -f key </dev/null >/dev/null 2>&1 && ssh-keygen -Y sign -n git -f key marks >/dev/null 2>&1
then
	test_set_prereq SSH_SIGNS
fi

test_expect_success SSH_SIGNS 'signatures that are not good any more are taken away, or made anew' '
	git init -q -b main signed && echo "c@d $(cat key.pub)" >allowed &&
	for r in signed .
	do
		git -C $r config gpg.format ssh && git -C $r config user.signingKey "$PWD/key.pub" && git -C $r config gpg.ssh.allowedSignersFile "$PWD/allowed" || return 1
	done &&
	git -C signed commit -q --allow-empty -S -m good && git -C signed tag -s -m "tag good" v9 && c=$(git -C signed rev-parse main) && t=$(git -C signed rev-parse v9) &&
	git -C signed fast-export --all --signed-commits=verbatim --signed-tags=verbatim >good && sed "s/good$/bxxd/" good >bad &&
	for mode in strip-if-invalid sign-if-invalid "sign-if-invalid=$PWD/key.pub" abort-if-invalid
	do
		git fast-import --force --quiet --signed-commits=$mode --signed-tags=$mode <good 2>err && test_must_be_empty err && test "$(git rev-parse main v9)" = "$c
$t" || return 1
		case $mode in
		abort*) test_expect_code 128 git fast-import --force --quiet --signed-commits=$mode <bad 2>err && test_grep "aborting due to invalid signature" err &&
			test_expect_code 128 git fast-import --force --quiet --signed-tags=$mode <bad 2>err && test_grep "aborting due to invalid signature" err ;;
		strip*) git fast-import --force --quiet --signed-commits=$mode --signed-tags=$mode <bad 2>err && test_grep "stripping invalid signature for commit" err &&
			test_grep "stripping invalid signature for tag" err && ! git cat-file commit main | grep gpgsig && ! git cat-file tag v9 | grep BEGIN && git cat-file tag v9 | grep "tag bxxd" ;;
		*) git fast-import --force --quiet --signed-commits=$mode --signed-tags=$mode <bad 2>err && test_grep "replacing invalid signature for commit" err &&
			git log -1 --format=%s main | grep bxxd && git verify-commit main && git verify-tag v9 ;;
		esac || return 1
	done &&
	one_commit unknown "gpgsig sha1 unknown\ndata 1\nc" >input && git fast-import --quiet --signed-commits=strip-if-invalid <input 2>err && ! git cat-file commit unknown | grep gpgsig
'

test_expect_success 'marks of tags, and objects by their names' '
	blob=$(git rev-parse m:z) && { printf "tag t1\nmark :9\nfrom refs/heads/m^0\ndata 0\n\nget-mark :9\ntag t2\nfrom :9\ndata 0\n\ncat-blob $blob\n" && printf "ls $(git rev-parse m) z\n"; } >input &&
	git fast-import --quiet <input >got && printf "%s\n%s blob 1\nb\n120000 blob %s\tz\n" $(git rev-parse t1) $blob $blob >want && test_cmp want got &&
	test "$(git cat-file tag t2 | head -1)" = "object $(git rev-parse t1)" &&
	echo "cat-blob x" >input && broken "invalid dataref: cat-blob x" && echo "cat-blob ${blob}x" >input && broken "garbage after SHA1" &&
	printf "blob\nmark :9\ndata 0\n\ntag t3\nfrom refs/heads/nope\ndata 0\n" >input && broken "invalid ref name or SHA1 expression: refs/heads/nope" &&
	printf "commit refs/heads/fromblob\n$who\ndata 0\nfrom $blob\n" >input && broken "not a valid commit: $blob"
'

test_expect_success 'one empty line may follow checkpoint, progress, reset and alias' '
	git init -q blank && for c in checkpoint "progress x" "reset refs/heads/none"; do
		printf "$c\n\nblob\ndata 1\nx\n" >input && git -C blank fast-import --quiet <input && printf "$c\nblob\ndata 1\nx\n" >input && git -C blank fast-import --quiet <input &&
		printf "$c\n\n\nblob\ndata 1\nx\n" >input && test_expect_code 128 git -C blank fast-import --quiet <input 2>err && test_grep "^fatal: unsupported command: $" err || return 1
	done
'

test_expect_success 'marks whose places in the table are the same' '
	git init -q slots && i=1 && while test $i -le 700
	do
		printf "blob\nmark :%d\ndata <<E\n%d\nE\n" $((i * 1073741824)) $i && i=$((i + 1)) || exit 1
	done >input && printf "get-mark :%d\n" $((700 * 1073741824)) $((1073741824)) $((350 * 1073741824)) >>input &&
	git -C slots fast-import --quiet --export-marks=marks <input >got && for i in 700 1 350; do echo $i | git hash-object --stdin || return 1; done >want &&
	test_cmp want got && test_line_count = 700 slots/marks
'

test_expect_success 'a last line without LF; a branch is loaded once' '
	git init -q last && printf "blob\nmark :1\ndata 1\na\nget-mark :1" >input && git -C last fast-import --quiet <input >got && printf a | git hash-object --stdin >want &&
	test_cmp want got && for i in 1 2 3; do printf "commit refs/heads/m\ncommitter a <b> %d +0000\ndata 0\n\n" $i || return 1; done >input &&
	git -C last fast-import --stats <input 2>err && test_grep "^Total branches: *1 ( *1 loads *)$" err
'

test_expect_success '--export-pack-edges: a line for each pack, with its tips' '
	git init -q edges && mkdir edges/d && { one_commit a && printf "\n" && one_commit b && printf "from refs/heads/a\n\ntag t\nfrom refs/heads/a\ndata 0\n\ncheckpoint\n" &&
	one_commit b && printf "M 644 inline f\ndata 1\nz\n\n" && one_commit c && printf "M 644 inline c\ndata 0\n"; } >input && (cd edges/d && echo before >file &&
	git -c fastimport.unpackLimit=1 fast-import --quiet --export-pack-edges=file --export-marks=marks <../../input) &&
	sed "s/pack-[0-9a-f]*[.]/P./" edges/d/file >got && git -C edges rev-parse a b~1 t b c >ids && test_path_is_file edges/d/marks &&
	printf "before\n.git/objects/pack/P.pack: %s %s %s\n.git/objects/pack/P.pack: %s %s\n" $(cat ids) >want && test_cmp want got &&
	sed -n "s/^\(.*pack\): .*/\1/p" edges/d/file >packs && while read -r pack; do test_path_is_file edges/$pack || return 1; done <packs &&
	git -C edges fast-import --quiet --force --export-pack-edges=none <input && test_must_be_empty edges/none &&
	git init -q edges2 && test_expect_code 128 git -C edges2 fast-import --quiet --export-pack-edges=no/file <input 2>err &&
	test_grep "^fatal: could not open .*no/file. for writing: No such file or directory$" err && test_path_is_missing edges2/no && test_must_fail git -C edges2 rev-parse -q --verify a
'

test_expect_success 'ls names what it does not know' '
	says () { printf "$1" >input && test_expect_code 128 git fast-import --quiet <input 2>err && echo "fatal: $2" >want && head -n 1 err >got && test_cmp want got; } &&
	head="commit refs/heads/asked\n$who\ndata 0\n" &&
	says "ls \"a\" b\n" "not in a commit: ls \"a\" b" && says "ls a\n" "invalid dataref: ls a" && says "ls :1 a\n" "mark :1 not declared" &&
	says "${head}ls \"a\" b\n" "garbage after path: ls \"a\" b" && says "${head}ls \"a\n" "invalid path: ls \"a" && says "${head}\nreset refs/heads/y\nls \"a\"\n" "not in a commit: ls \"a\""
'

test_expect_success 'fast-import makes the directory of its marks, fast-export does not' '
	printf "blob\nmark :1\ndata 1\nx\n" | git fast-import --quiet --export-marks=made/below/marks && test_path_is_file made/below/marks &&
	git init -q marked && test_commit -C marked one && test_expect_code 128 git -C marked fast-export --export-marks=no/dir/marks HEAD >out 2>err &&
	test_grep "unable to write marks file no/dir/marks" err && test_path_is_missing marked/no
'

test_done
