#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='remote helpers that make no connection: they list refs, and put objects into our repository by themselves

gitremote-helpers(7), capabilities fetch, option and object-format; remote.<name>.vcs.'
. "$(dirname "$0")/test-lib.sh"

# A helper whose conversation is in the file "log". CAPS: its capabilities, _ for blanks; LIST: a file with its refs;
# REFUSE: options that it does not know; PUT: how objects get here (pack, loose, nothing); SAY: run before its answer.
write_script git-remote-own <<-\EOT
log=$TRASH_DIRECTORY/log source=${2#own://}
list () {
	git --git-dir="$source" show-ref -d && echo "@$(git --git-dir="$source" symbolic-ref HEAD) HEAD"
}
pack () {
	cut -d" " -f2 "$log.batch" | git --git-dir="$source" pack-objects --revs --stdout -q | git -c core.fsync=none index-pack --stdin >/dev/null
}
loose () {
	cut -d" " -f2 "$log.batch" | git --git-dir="$source" pack-objects --revs --stdout -q | git -c core.fsync=none unpack-objects -q
}
nothing () { :; }
echo "start $1 ${GIT_DIR-none}" >>"$log"
while read -r line; do
	echo "$line" >>"$log"
	case $line in
	capabilities) printf '%s\n' ${CAPS:-fetch option} | tr _ ' ' && echo ;;
	option*) case " $REFUSE " in *" $(echo $line | cut -d' ' -f2) "*) echo unsupported ;; *) echo ok ;; esac ;;
	list) test "$TEST_HASH" = sha1 || echo ":object-format $TEST_HASH"
	    if test -n "$LIST"; then cat "$LIST"; else list; fi; echo ;;
	fetch*) echo "$line" >>"$log.batch" ;;
	"") test -s "$log.batch" || exit 0
	    { eval "$SAY" && ${PUT:-pack} && rm "$log.batch" && echo; } || exit ;;
	*) exit 1 ;;
	esac
done
EOT
PATH=$TRASH_DIRECTORY:$PATH
export PATH TRASH_DIRECTORY TEST_HASH CAPS LIST REFUSE PUT SAY
# asked CMD...: run it with an empty log
asked () {
	rm -f log log.batch && git "$@"
}
fresh () {
	rm -rf r && git init -q -b main r && git -C r config remote.origin.url "own::$PWD/source/.git" &&
	git -C r config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*"
}
# untouched: r has neither refs nor FETCH_HEAD
untouched () {
	git -C r for-each-ref >refs && test_must_be_empty refs && test_path_missing r/.git/FETCH_HEAD
}

test_expect_success 'a repository to fetch from' '
	git init -q -b main source && test_commit -C source one f && git -C source branch side && git -C source tag -m tag v1 &&
	test_commit -C source two f && M=$(git -C source rev-parse main) && S=$(git -C source rev-parse side) && V=$(git -C source rev-parse v1)
'

test_expect_success 'ls-remote, also without a repository' '
	asked ls-remote "own::$PWD/source/.git" >out && { git -C source show-ref -d && echo "$M HEAD"; } | tr " " "\t" >expect && test_cmp expect out &&
	cat >expect <<-EOT && test_cmp expect log &&
	start $PWD/source/.git none
	capabilities
	option verbosity 1
	list

	EOT
	asked ls-remote --symref "own://$PWD/source/.git" HEAD >out && printf "ref: refs/heads/main\tHEAD\n$M\tHEAD\n" >expect && test_cmp expect out
'

test_expect_success 'clone: listed without a repository, then fetched into it' '
	asked clone -q "own::$PWD/source/.git" c && git -C c status --porcelain >out && test_must_be_empty out && git -C c fsck &&
	git -C c rev-parse main origin/HEAD origin/side v1 >out && printf "%s\n" $M $M $S $V >expect && test_cmp expect out &&
	sed "/^fetch/d" log >rest && cat >expect <<-EOT && test_cmp expect rest &&
	start origin none
	capabilities
	option verbosity 0
	list

	start origin $PWD/c/.git
	capabilities
	option verbosity 0
	list
	option progress false
	option cloning true


	EOT
	grep "^fetch" log | sort >out && printf "%s\n" "fetch $M refs/heads/main" "fetch $S refs/heads/side" "fetch $V refs/tags/v1" | sort >expect &&
	test_cmp expect out
'

test_expect_success 'fetch requests missing objects, each once, and nothing if none is missing' '
	fresh && asked -C r fetch -q && git -C r rev-parse origin/main origin/side v1 >out && printf "%s\n" $M $S $V >expect && test_cmp expect out &&
	grep "^fetch" log >out && test_line_count = 3 out && grep "^option followtags true" log && git -C r fsck &&
	asked -C r fetch -q && ! grep "^fetch" log
'

test_expect_success 'fetch passes options of shallow and partial clones, and warns about unknown ones' '
	asked clone -q --no-checkout --bare --depth=2 --filter=blob:none "own::$PWD/source/.git" o &&
	grep "^option" log | sed 1,2d >out && cat >expect <<-EOT && test_cmp expect out &&
	option progress false
	option depth 2
	option cloning true
	option followtags true
	option from-promisor true
	option filter blob:none
	EOT
	REFUSE="depth filter" asked clone --bare --depth=2 --filter=blob:none "own::$PWD/source/.git" o2 2>err &&
	test_grep "option \"depth\" is ignored by remote helper .own." err && test_grep "option \"filter\" is ignored" err &&
	fresh && CAPS=fetch asked -C r fetch --depth=1 2>err && test_grep "option \"depth\" is ignored" err && ! grep "^option" log &&
	fresh && asked -C r fetch -q --shallow-since=2000-01-01T00:00:00Z --shallow-exclude=v1 && grep "^option deepen-since 946684800" log && grep "^option deepen-not v1" log &&
	asked -C r fetch -q --deepen=3 && grep "^option depth 3" log && grep "^option deepen-relative true" log &&
	fresh && asked -C r fetch -v && grep "^option verbosity 2" log
'

test_expect_success 'a shallow file that the helper has written counts' '
	fresh && PUT=nothing SAY="git --git-dir=\$source pack-objects --stdout -q <<-X | git index-pack --stdin >/dev/null
	$M
	$(git -C source rev-parse main^{tree})
	$(git -C source rev-parse main:f)
	X
	echo $M >\$GIT_DIR/shallow" asked -C r fetch -q --depth=1 origin main && git -C r fsck && git -C r rev-list --count FETCH_HEAD >out && echo 1 >expect && test_cmp expect out
'

test_expect_success 'the list: unknown values, keywords, attributes, names that could harm' '
	printf "%s\n" "? refs/heads/main" "@refs/heads/main HEAD" "$M refs/heads/other unchanged strange" ":strange word" >list &&
	LIST=$PWD/list asked ls-remote "own::$PWD/source/.git" >out && Z=$(echo $M | tr 0-9a-f 0) &&
	printf "%s\t%s\n" $Z refs/heads/main $Z HEAD $M refs/heads/other >expect && test_cmp expect out &&
	fresh && LIST=$PWD/list && test_must_fail asked -C r fetch 2>err && test_grep "does not know the value of .refs/heads/main" err && untouched &&
	printf "%s\n" "$M refs/heads/ok" "$M refs/heads/../x" "$M refs/tags/v.lock" "@refs/heads/none HEAD" "$M strange" >list && asked -C r fetch -q && git -C r for-each-ref --format="%(refname)" >out &&
	echo refs/remotes/origin/ok >expect && test_cmp expect out && fresh &&
	for line in "$M" "xyz refs/heads/main" "${M%?} refs/heads/main" " refs/heads/main"; do
		echo "$line" >list && test_must_fail asked -C r fetch 2>err && test_grep "malformed response in ref list" err && untouched || return 1
	done && LIST=
'

test_expect_success 'ls-remote shows peeled tags, but takes them for no refs' '
	printf "%s\n" "$M refs/heads/main" "$V refs/tags/v1" "$S refs/tags/v1^{}" >list && LIST=$PWD/list asked ls-remote "own::$PWD/source/.git" >out &&
	sed "s/ /	/" list >expect && test_cmp expect out
'

test_expect_success SHA1 'object formats' '
	git init -q -b main --object-format=sha256 source256 && test_commit -C source256 one && git -C source256 for-each-ref --format="%(objectname) %(refname)" >refs256 &&
	{ echo ":object-format sha256" && cat refs256; } >list && CAPS="fetch option object-format" && LIST=$PWD/list && asked clone -q "own::$PWD/source256/.git" c256 && git -C c256 fsck &&
	grep "^option object-format true" log && test "$(git -C c256 rev-parse --show-object-format)" = sha256 &&
	fresh && test_must_fail asked -C r fetch 2>err && test_grep "mismatched algorithms: client sha1; server sha256" err &&
	echo ":object-format sha512" >list && test_must_fail asked -C r fetch 2>err && test_grep "unsupported object format .sha512." err && CAPS= LIST=
'

test_expect_success 'capabilities: one that is mandatory and strange; import alone; none' '
	fresh && for c in "*fetch *option" "fetch *refspec_refs/heads/*:refs/own/*" "*fetch *check-connectivity strange"; do
		CAPS=$c asked -C r fetch -q || return 1
	done &&
	fresh && CAPS="fetch *strange" && test_must_fail asked -C r fetch 2>err && test_grep "unknown mandatory capability strange" err &&
	CAPS="import refspec_refs/heads/*:refs/own/*" && test_expect_code 128 asked -C r fetch 2>err && test_grep "can only import" err &&
	asked ls-remote "own::$PWD/source/.git" >out && test_line_count = 5 out &&
	test_expect_code 128 asked clone "own::$PWD/source/.git" i 2>err && test_grep "can only import" err && test_path_missing i &&
	CAPS="export push" && test_expect_code 128 asked -C r fetch 2>err && test_grep "operation not supported by protocol .own." err && untouched && CAPS=
'

test_expect_success 'lock: the file .keep goes with the end of the fetch, whatever that is; others stay' '
	fresh && keep="for i in 1 2; do echo >.git/objects/pack/pack-\$i.keep && echo lock .git/objects/pack/pack-\$i.keep; done" &&
	SAY="$keep && ls .git/objects/pack >\$log.there" asked -C r fetch -q && grep keep log.there && ls r/.git/objects/pack >out && ! grep keep out &&
	fresh && SAY=$keep PUT=nothing && test_must_fail asked -C r fetch -q && ls r/.git/objects/pack >out && ! grep keep out && untouched && PUT= &&
	for file in x.keep .git/objects/pack/x .git/config .git/objects/pack/../x.keep; do
		fresh && : >r/x.keep && SAY="test -f $file || echo >$file; echo lock $file" && asked -C r fetch 2>err && test_path_exists r/$file && test_grep "own unexpectedly said: .lock $file" err || return 1
	done && SAY=
'

test_expect_success 'fetch prints other answers without control characters, and checks connectivity itself' '
	fresh && SAY="printf \"error \\033[2Jx\\n\"" asked -C r fetch 2>err && test_grep "own unexpectedly said: .error ^\[\[2Jx." err &&
	fresh && SAY="echo connectivity-ok" PUT=nothing && test_must_fail asked -C r fetch 2>err && test_grep "remote did not send all necessary objects: \($M\|$S\) is missing" err && untouched && SAY= PUT=
'

test_expect_success 'a helper that ends, is killed, or has an empty answer to everything' '
	fresh && SAY="echo oops >&2; exit 3" && test_expect_code 128 asked -C r fetch -q 2>err && echo oops >expect && test_cmp expect err && untouched &&
	SAY="exit 0" && test_expect_code 128 asked -C r fetch -q 2>err && test_grep "remote helper .own. aborted session" err && untouched &&
	SAY="kill -9 \$\$" && test_expect_code 128 asked -C r fetch -q 2>err && test_grep "remote helper .own. died of signal 9" err && untouched &&
	test_expect_code 128 asked clone -q "own::$PWD/source/.git" dead 2>err && test_path_missing dead && SAY= &&
	write_script git-remote-empty <<-\EOT && test_expect_code 128 git ls-remote empty::x 2>err && test_grep "aborted session" err
	exit 0
	EOT
'

test_expect_success 'a part is missing: a blob, a tree behind a commit that is there' '
	for part in main:f main^{tree}; do fresh &&
		SAY="git --git-dir=\$source rev-list --objects --no-object-names main side v1 | grep -v $(git -C source rev-parse $part) | git --git-dir=\$source pack-objects --stdout -q | git index-pack --stdin >/dev/null" PUT=nothing &&
		test_must_fail asked -C r fetch 2>err && test_grep "$(git -C source rev-parse $part) is missing" err && untouched || return 1
	done && SAY= PUT=
'

test_expect_success 'damaged objects: in a pack, behind its index; the next fetch does not take them either' '
	fresh && damage="p=\$(ls .git/objects/pack/*.pack) && chmod u+w \$p && printf x | dd of=\$p bs=1 seek=60 conv=notrunc 2>/dev/null" &&
	SAY="pack && $damage" PUT=nothing && test_must_fail asked -C r fetch 2>err && untouched && SAY= && test_must_fail asked -C r fetch 2>err && untouched &&
	fresh && damage="p=\$(ls .git/objects/pack/*.idx) && chmod u+w \$p && printf x | dd of=\$p bs=1 seek=1100 conv=notrunc 2>/dev/null" &&
	SAY="pack && $damage" && test_must_fail asked -C r fetch 2>err && untouched && SAY= && test_must_fail asked -C r fetch 2>err && untouched && PUT=
'

test_expect_success 'fetch.fsckObjects: in packs and in loose objects, as often as it is tried' '
	git init -q -b main bad && git -C bad commit -q --allow-empty -m x && git -C bad cat-file commit HEAD | sed "s/ <ada@example.com>/ada@example.com>/" >commit &&
	B=$(git -C bad hash-object -t commit -w --stdin --literally <commit) && git -C bad update-ref refs/heads/main $B &&
	for PUT in pack loose; do
		fresh && git -C r config remote.origin.url "own::$PWD/bad/.git" && for again in 1 2; do
			test_must_fail asked -C r -c fetch.fsckObjects fetch 2>err && test_grep "badName" err && untouched || return 1
		done || return 1
	done && PUT= && asked -C r fetch -q
'

test_expect_success 'an object whose content is another one: loose' '
	fresh && F=$(git -C source rev-parse main:f | sed "s,..,&/,") && G=$(git -C source rev-parse side:f | sed "s,..,&/,") && o=.git/objects &&
	SAY="loose && rm -f $o/$F && cp $PWD/source/$o/$G $o/$F" PUT=nothing &&
	test_must_fail asked -C r fetch 2>err && test_grep "hash-path mismatch, found at: .git/objects/$F" err && untouched && SAY= && test_must_fail asked -C r fetch 2>err && untouched && PUT=
'

test_expect_success PYTHON,SHA1 '... and in a pack whose index leads from each name to the next object' '
	write_script swap "$(command -v python3)" <<-\EOT && fresh &&
	import os, sys
	name, = [n for n in os.listdir(".git/objects/pack") if n.endswith(".idx")]
	path = ".git/objects/pack/" + name
	data = bytearray(open(path, "rb").read())
	nr = int.from_bytes(data[1028:1032], "big")
	at = len(data) - 40 - 4 * nr
	blobs = [i for i in range(nr) if data[1032 + 20 * i:1052 + 20 * i].hex() in sys.argv[1:]]
	a, b = [at + 4 * i for i in blobs]
	data[a:a + 4], data[b:b + 4] = data[b:b + 4], data[a:a + 4]
	os.chmod(path, 0o644)
	open(path, "wb").write(data)
	EOT
	F=$(git -C source rev-parse main:f) && G=$(git -C source rev-parse side:f) && SAY="pack && swap $F $G" PUT=nothing &&
	test_must_fail asked -C r fetch 2>err && test_grep "is damaged: its content is that of" err && untouched && SAY= PUT=
'

# awaited CMD...: the files below .git whose content the command itself waits for, and its flushes
awaited () {
	trace_calls calls openat,sync_file_range,fsync,syncfs git "$@" || return
	main=$(sed -n "1s/ .*//p" calls)
	sed -n -e "s,^$main *openat([^\"]*\"\([^\"]*\)\".* = \([0-9]*\)$,open \2 \1,p" -e "s,^$main *sync_file_range(\([0-9]*\)\,.*WAIT_AFTER.*,wait \1,p" calls |
	awk "\$1 == \"open\" { file[\$2] = \$3 } \$1 == \"wait\" { print file[\$2] }" | sed "s,.*\.git/,," | sort >waited &&
	flushes=$(grep -c "^$main *fsync(\|^$main *syncfs(" calls)
}

test_expect_success STRACE,FSYNC_BATCH 'fetch makes durable what the helper wrote without a flush, with one flush' '
	unset GIT_TEST_FSYNC && GIT_TEST_FS_KIND=journal && GIT_TEST_YOUNG_SECONDS=3600 && export GIT_TEST_FS_KIND GIT_TEST_YOUNG_SECONDS &&
	F=$(git -C source rev-parse main:f) &&
	for put in pack loose mixed; do
		case $put in
		mixed) PUT=nothing SAY="git --git-dir=\$source cat-file blob $F | git -c core.fsync=none hash-object -w --stdin >/dev/null && git --git-dir=\$source rev-list --objects --no-object-names main side v1 | grep -v $F | git --git-dir=\$source pack-objects --stdout -q | git -c core.fsync=none index-pack --stdin >/dev/null && echo $M >\$GIT_DIR/shallow" ;;
		*) PUT=$put ;;
		esac
		fresh && rm -f log log.batch && awaited -C r fetch -q && (cd r/.git && find objects shallow -type f 2>/dev/null | sort) >files && test -s files &&
		comm -23 files waited >left && test_must_be_empty left && test $flushes = 1 || return 1
	done && PUT= SAY=
'

test_expect_success 'remote.<name>.vcs chooses the helper' '
	fresh && git -C r config remote.origin.url "$PWD/source/.git" && git -C r config remote.origin.vcs own && asked -C r fetch -q && grep "^start origin .git" log && test "$(git -C r rev-parse origin/main)" = $M &&
	asked -C r ls-remote origin >out && grep "^start origin .git" log && test_line_count = 5 out && asked -C r remote show origin >out && grep "^start origin" log &&
	git -C r config protocol.own.allow never && test_must_fail git -C r fetch 2>err && test_grep "transport .own. not allowed" err &&
	fresh && git -C r config --unset remote.origin.url && git -C r config remote.origin.vcs own && LIST=/dev/null asked -C r ls-remote origin && grep "^start origin" log
'

test_expect_success 'a helper that connects, but not now ("fallback"), fetches by itself' '
	write_script git-remote-back <<-\EOT && fresh && git -C r config remote.origin.url "back::$PWD/source/.git" && asked -C r fetch -q && test "$(git -C r rev-parse origin/main)" = $M
	read -r line && printf "connect\nfetch\n\n" && read -r line && echo fallback && exec git remote-own "$1" "$2"
	EOT
'

test_expect_success 'to a promisor: single objects' '
	fresh && git -C r config core.repositoryFormatVersion 1 && git -C r config extensions.partialClone origin && git -C r config remote.origin.promisor true &&
	F=$(git -C source rev-parse main:f) && asked -C r cat-file -p $F >out && git -C source cat-file -p $F >expect && test_cmp expect out &&
	grep "^option no-dependents true" log && grep "^fetch $F $F" log
'

test_expect_success STOCK_GIT 'stock Git reads what came, and is asked the same by a helper' '
	stock -C c fsck --strict && PATH="$TRASH_DIRECTORY:$T_ORIG_PATH" "$STOCK_GIT" clone -q "own::$PWD/source/.git" s && git -C s rev-parse main origin/side v1 >expect && git -C c rev-parse main origin/side v1 >out && test_cmp expect out
'

test_done
