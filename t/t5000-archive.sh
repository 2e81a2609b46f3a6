#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git archive: tar and zip, what goes in, and how it looks inside'
. "$(dirname "$0")/test-lib.sh"

test_lazy_prereq TAR 'tar --version'
test_lazy_prereq UNZIP 'unzip -v && zipinfo -h'

# field FILE OFFSET LENGTH: text in a record, up to a NUL
field () {
	dd if="$1" bs=1 skip="$2" count="$3" 2>/dev/null | tr "\0" "\n" | head -n 1
}
# headers FILE: "TYPE MODE SIZE PREFIX NAME LINK" of each record that is a header
headers () {
	local at=0 total size
	total=$(wc -c <"$1")
	while test $at -lt $total && test -n "$(field "$1" $at 100)"; do
		size=$(printf %d "0$(field "$1" $((at + 124)) 11)")
		echo "$(field "$1" $((at + 156)) 1) $(field "$1" $((at + 100)) 7) $size" \
			"$(field "$1" $((at + 345)) 155 | wc -c)" "$(field "$1" $at 100)" "$(field "$1" $((at + 157)) 100)"
		at=$((at + 512 + (size + 511) / 512 * 512))
	done
}

test_expect_success 'a tree with one of everything' '
	git init -q repo && (
		cd repo && mkdir -p a/b "sp ace" ignored &&
		echo text >f && echo deep >a/b/g && ln -s ../f a/link && : >empty &&
		echo "#!/bin/sh" >run && chmod +x run && echo name >"sp ace/na me" &&
		echo x >ignored/x && echo y >a/skip &&
		printf "id \$Format:%%H\$ by \$Format:%%an %%s\$ \$Format:open\n" >subst && cp subst plain &&
		printf "subst export-subst\nignored/ export-ignore\n" >.gitattributes &&
		echo "skip export-ignore" >a/.gitattributes &&
		git add . && git update-index --add --cacheinfo "160000,$EMPTY_TREE,sub" && test_tick &&
		git commit -q -m "the subject"
	) && commit=$(git -C repo rev-parse HEAD)
'

test_expect_success 'the headers of a tar' '
	git -C repo archive HEAD >out.tar && headers out.tar | sed "s/ *$//" >actual &&
	subst=$(echo "id $commit by $GIT_AUTHOR_NAME the subject \$Format:open" | wc -c) &&
	sed "s/ *$//" >expect <<-EOF &&
	g 0000666 $((OID_HEXLEN + 12)) 1 pax_global_header
	0 0000664 $(wc -c <repo/.gitattributes) 1 .gitattributes
	5 0000775 0 1 a/
	0 0000664 19 1 a/.gitattributes
	5 0000775 0 1 a/b/
	0 0000664 5 1 a/b/g
	2 0000777 0 1 a/link ../f
	0 0000664 0 1 empty
	0 0000664 5 1 f
	0 0000664 $(wc -c <repo/plain) 1 plain
	0 0000775 10 1 run
	5 0000775 0 1 sp ace/
	0 0000664 5 1 sp ace/na me
	5 0000775 0 1 sub/
	0 0000664 $subst 1 subst
	EOF
	test_cmp expect actual &&
	test $(($(wc -c <out.tar) % 10240)) = 0 &&
	test "$(field out.tar 257 6)" = ustar && test "$(field out.tar 263 2)" = 00 &&
	test "$(field out.tar 265 8)" = root && test "$(field out.tar 108 8)" = 0000000 &&
	test "$(printf %d "0$(field out.tar 136 11)")" = "$(git -C repo log -1 --format=%ct)" &&
	test_grep -a "$((OID_HEXLEN + 12)) comment=$commit$" out.tar
'

test_expect_success TAR 'tar unpacks it' '
	rm -rf got && mkdir got && tar -C got -xf out.tar && tar tf out.tar >list &&
	cat >expect <<-\EOF &&
	.gitattributes
	a/
	a/.gitattributes
	a/b/
	a/b/g
	a/link
	empty
	f
	plain
	run
	sp ace/
	sp ace/na me
	sub/
	subst
	EOF
	test_cmp expect list && rm -rf want && cp -R repo want && rm -rf want/.git want/ignored want/a/skip &&
	echo "id $commit by $GIT_AUTHOR_NAME the subject \$Format:open" >want/subst && mkdir want/sub &&
	diff -r want got && test -x got/run && ! test -x got/f && test "$(readlink got/a/link)" = ../f
'

test_expect_success UNZIP 'unzip unpacks it' '
	git -C repo archive --format=zip HEAD >out.zip && rm -rf zip && mkdir zip && (cd zip && unzip -q ../out.zip) &&
	diff -r want zip && test -x zip/run && test "$(readlink zip/a/link)" = ../f &&
	unzip -z out.zip | tail -n 1 >comment && echo "$commit" >expect && test_cmp expect comment
'

test_expect_success SHA1 'the very bytes' '
	cksum <out.tar >actual && echo "2596813465 20480" >expect && test_cmp expect actual &&
	git -C repo archive --prefix=p/ "HEAD^{tree}" --mtime=@1234567890 a >tree.tar &&
	cksum <tree.tar >actual && echo "4170865909 10240" >expect && test_cmp expect actual
'

test_expect_success 'export-subst describes the commit once in an archive' '
	git init -q describe && (
		cd describe && echo "[ab] export-subst" >.gitattributes &&
		printf "\$Format:%%(describe)\$ \$Format:%%h %%(describe:tags)\$\n" >a && cp a b &&
		git add . && git commit -q -m one && git tag -a -m x v1 && git commit -q --allow-empty -m two &&
		id=$(git rev-parse --short HEAD) && git archive HEAD >out.tar && mkdir got && tar -C got -xf out.tar &&
		echo "v1-1-g$id $id %(describe:tags)" >expect && test_cmp expect got/a &&
		echo "%(describe) $id %(describe:tags)" >expect && test_cmp expect got/b &&
		git log -1 --format="%(describe) %(describe)" >actual && echo "v1-1-g$id v1-1-g$id" >expect && test_cmp expect actual
	) && rm -rf describe
'

test_expect_success 'a tree has no commit' '
	git -C repo archive "HEAD^{tree}" >tree.tar && headers tree.tar >actual && test_grep ! "^g" actual &&
	test "$(field tree.tar 0 100)" = .gitattributes &&
	git -C repo archive --mtime=@1234567890 "HEAD^{tree}" >tree.tar && test "$(field tree.tar 136 11)" = 11145401322 &&
	cmp repo/subst repo/plain && grep -a "Format:%H.* by" tree.tar >found && test_line_count = 2 found
'

test_expect_success 'paths' '
	git -C repo archive HEAD f a/b >out && headers out | cut -d" " -f5- >actual &&
	printf "%s \n" pax_global_header a/ a/b/ a/b/g f >expect && test_cmp expect actual &&
	git -C repo archive HEAD ":(glob)**/g" >out && headers out | cut -d" " -f5- >actual &&
	printf "%s \n" pax_global_header a/ a/b/ a/b/g >expect && test_cmp expect actual &&
	git -C repo archive HEAD ":(glob)**/na*" >out && headers out | cut -d" " -f5- >actual &&
	printf "%s \n" pax_global_header "sp ace/" "sp ace/na me" >expect && test_cmp expect actual &&
	git -C repo archive HEAD ":!a" ":!sp*" >out && headers out >actual && test_grep ! " a/" actual &&
	test_grep " sub/" actual &&
	test_expect_code 128 git -C repo archive HEAD f none >out 2>err && test_grep "pathspec .none. did not match" err &&
	test_must_be_empty out && test_expect_code 128 git -C repo archive HEAD ../x 2>err && test_grep outside err
'

test_expect_success 'paths that are absolute, or counted from the top' '
	names () { git -C "$1" archive HEAD "$2" >out && headers out | cut -d" " -f5- | sed 1d >actual; } &&
	names repo "$PWD/repo/a/b" && printf "%s \n" a/ a/b/ a/b/g >expect && test_cmp expect actual &&
	printf "%s \n" b/ b/g >expect &&
	for path in "$PWD/repo/a/b" :/a/b ../a/b ":(top,glob)a/*/g" b; do
		names repo/a "$path" && test_cmp expect actual || return 1
	done &&
	names repo/a ":!b" && test_grep ! "^b" actual &&
	for path in "$PWD/repo/f" :/f :/ ..; do
		test_expect_code 128 git -C repo/a archive HEAD "$path" >out 2>err && test_must_be_empty out &&
		test_grep "pathspec .$path. matches files outside the current directory" err || return 1
	done &&
	test_expect_code 128 git -C repo archive HEAD "$PWD/none" 2>err && test_grep "is outside repository at" err &&
	test_expect_code 128 git -C repo/a archive HEAD "$PWD/repo/none" 2>err && test_grep "did not match any" err
'

test_expect_success 'a directory of the tree' '
	git -C repo archive HEAD:a >out && headers out | cut -d" " -f1,5 >actual &&
	printf "%s\n" "0 .gitattributes" "5 b/" "0 b/g" "2 link" >expect && test_cmp expect actual &&
	(cd repo/a && git archive HEAD b >../../out) && headers out | cut -d" " -f1,5 >actual &&
	printf "%s\n" "g pax_global_header" "5 b/" "0 b/g" >expect && test_cmp expect actual &&
	mkdir -p repo/new && (cd repo/new && test_expect_code 128 git archive HEAD 2>../../err) && test_grep untracked err
'

test_expect_success '--prefix' '
	git -C repo archive --prefix=x/y// HEAD f >out && headers out | cut -d" " -f5 >actual &&
	printf "%s\n" pax_global_header x/y/ x/y//f >expect && test_cmp expect actual &&
	git -C repo archive --prefix=x HEAD f >out && headers out | cut -d" " -f5 >actual &&
	printf "%s\n" pax_global_header xf >expect && test_cmp expect actual
'

test_expect_success '--add-file and --add-virtual-file' '
	echo extra >extra && chmod +x extra && git -C repo archive --prefix=p/ --add-file=../extra --prefix= \
		--add-virtual-file=v/w:one:two --add-virtual-file="\"q\\tr\":c" HEAD f >out &&
	headers out | cut -d" " -f1-3,5- >actual &&
	printf "%s \n" "g 0000666 $((OID_HEXLEN + 12)) pax_global_header" "0 0000664 5 f" "0 0000775 6 p/extra" \
		"0 0000664 7 v/w" "0 0000664 1 q	r" >expect && test_cmp expect actual && test_grep -a "one:two" out &&
	test_expect_code 128 git -C repo archive --add-file=none HEAD 2>err && test_grep "File not found" err &&
	test_expect_code 128 git -C repo archive --add-file=a HEAD 2>err && test_grep "Not a regular" err &&
	test_expect_code 128 git -C repo archive --add-virtual-file=x HEAD 2>err && test_grep "missing colon" err &&
	test_expect_code 128 git -C repo archive --add-virtual-file=":x" HEAD 2>err && test_grep "empty file name" err
'

test_expect_success 'attributes of the work tree, and of info/attributes' '
	cp repo/.gitattributes saved && echo "f export-ignore" >repo/.gitattributes &&
	git -C repo archive HEAD >out && headers out >actual && test_grep " f $" actual &&
	git -C repo archive --worktree-attributes HEAD >out && headers out >actual &&
	test_grep ! " f $" actual && test_grep " ignored/x" actual && cp saved repo/.gitattributes &&
	echo "run export-ignore" >repo/.git/info/attributes &&
	git -C repo archive HEAD >out && headers out >actual && test_grep ! " run" actual && test_grep " f $" actual &&
	rm repo/.git/info/attributes && cp -R repo/.git bare.git && git -C bare.git config core.bare true &&
	git -C bare.git archive HEAD >out2 && cmp out2 out.tar
'

test_expect_success 'content is converted as for a checkout' '
	printf "f text eol=crlf\nplain ident\nrun filter=up\n" >repo/.git/info/attributes &&
	test_when_finished "rm repo/.git/info/attributes" && git -C repo config filter.up.smudge "tr a-z A-Z" &&
	git -C repo archive HEAD f run >out && headers out | cut -d" " -f1,3 | tail -n 2 >actual &&
	printf "%s\n" "0 6" "0 10" >expect && test_cmp expect actual && test_grep -a "#!/BIN/SH" out
'

test_expect_success 'tar.umask' '
	for pair in 0:0000666 022:0000644 0077:0000600 user:0000640; do
		(umask 027 && git -C repo -c "tar.umask=${pair%:*}" archive HEAD:a b >out) &&
		headers out | sed -n "s/^0 \([0-7]*\) .*/\1/p" >actual && echo "${pair#*:}" >expect &&
		test_cmp expect actual || return 1
	done &&
	test_expect_code 128 git -C repo -c tar.umask=x archive HEAD 2>err && test_grep "bad numeric config value" err
'

test_expect_success 'long names and links' '
	git init -q long && (
		cd long && x=$(printf "%060d" 0) && mkdir -p $x/$x/$x && echo 1 >$x/${x#0} && echo 2 >$x/$x/$x/$x &&
		echo 3 >$x/$x/${x}0000000000000000000000000000000000000000x && ln -s $x/$x/$x link && ln -s ${x}0000000000000000000000000000000000000000 edge &&
		git add . && git commit -q -m long
	) && git -C long archive HEAD >long.tar && headers long.tar | cut -d" " -f1-4 >actual &&
	cat >expect <<-EOF && test_cmp expect actual &&
	g 0000666 $((OID_HEXLEN + 12)) 1
	5 0000775 0 1
	0 0000664 2 61
	5 0000775 0 61
	5 0000775 0 122
	x 0000666 253 1
	0 0000664 2 1
	x 0000666 233 1
	0 0000664 2 1
	2 0000777 0 1
	x 0000666 196 1
	2 0000777 0 1
	EOF
	if test_have_prereq TAR; then
		rm -rf got && mkdir got && tar -C got -xf long.tar && rm -rf want && cp -R long want && rm -rf want/.git && diff -r --no-dereference want got
	fi
'

test_expect_success 'times that no header can hold' '
	late=$(GIT_COMMITTER_DATE="@9999999999 +0000" git -C repo commit-tree -m x "HEAD^{tree}") &&
	git -C repo archive "$late" f >out && test_grep -a "^20 mtime=9999999999$" out &&
	test "$(field out 136 11)" = 77777777777
'

test_expect_success 'formats' '
	git archive --list >actual && printf "%s\n" tar tgz tar.gz zip >expect && test_cmp expect actual &&
	git -C repo config tar.up.command "tr a-z A-Z #" && git -C repo config tar.tar.x.command "cat; echo" &&
	git -C repo archive --list >actual && printf "%s\n" tar tgz tar.gz up tar.x zip >expect && test_cmp expect actual &&
	git -C repo archive --format=up HEAD f >out && test_grep -a PAX_GLOBAL out &&
	git -C repo archive -o ../o.tar.x HEAD && { cat out.tar; echo; } >expect && test_cmp_bin expect o.tar.x &&
	git -C repo config tar.up.command "cat >/dev/null; echo" && git -C repo archive --format=up -19 HEAD >out &&
	echo -19 >expect && test_cmp expect out &&
	test_expect_code 128 git -C repo archive --format=none HEAD 2>err && test_grep "Unknown archive format .none" err &&
	git -C repo config tar.up.command "cat >/dev/null; exit 3" &&
	test_expect_code 128 git -C repo archive --format=up HEAD 2>err && test_grep "filter reported error" err
'

test_expect_success 'compression' '
	git -C repo archive -o ../o.tar.gz HEAD && gzip -dc o.tar.gz >out && cmp out out.tar &&
	git -C repo archive --format=tgz -0 HEAD >o0 && git -C repo archive -9 --format=tar.gz HEAD >o9 &&
	gzip -dc <o0 >out && cmp out out.tar && gzip -dc <o9 >out && cmp out out.tar &&
	test $(wc -c <o0) -gt $(wc -c <out.tar) && test $(wc -c <o9) -lt $(wc -c <o0) &&
	for format in tar:-1 zip:-10 tgz:-12; do
		test_expect_code 128 git -C repo archive --format=${format%:*} ${format#*:} HEAD 2>err &&
		test_grep "Argument not supported for format .${format%:*}.: ${format#*:}" err || return 1
	done &&
	git -C repo archive --prefix -1/ HEAD f >out && headers out >actual && test_grep " -1/f" actual
'

test_expect_success 'large blobs are streamed' '
	git -C repo -c core.bigFileThreshold=3 archive HEAD >out && cmp out.tar out &&
	git init -q big && test_seq 200000 >big/large && echo small >big/small && git -C big add . && git -C big commit -q -m x &&
	git -C big archive HEAD >whole.tar && git -C big -c core.bigFileThreshold=1000 archive HEAD >out && cmp whole.tar out &&
	test_expect_code 128 git -C big -c tar.up.command="exit 0" archive --format=up HEAD 2>err &&
	git -C big -c core.bigFileThreshold=1000 archive --format=tar.gz HEAD | gzip -dc >out && cmp whole.tar out &&
	for level in "" -0; do
		git -C big -c core.bigFileThreshold=1000 archive --format=zip $level HEAD >out.zip &&
		if test_have_prereq UNZIP; then
			unzip -tq out.zip && unzip -p out.zip large >out && cmp big/large out || return 1
		fi
	done
'

test_expect_success UNZIP 'more entries than 16 bits count' '
	for i in 0 1 2 3 4 5 6 7; do
		test_seq 8192 | sed "s/.*/100644 blob $EMPTY_BLOB	f&/" | git -C big mktree --missing >tree &&
		printf "040000 tree %s\td$i\n" "$(cat tree)" || return 1
	done >dirs && git -C big hash-object -w /dev/null && git -C big mktree <dirs >tree &&
	git -C big archive --format=zip "$(cat tree)" >many.zip && zipinfo -1 many.zip >list && test_line_count = 65544 list
'

test_expect_success UNZIP 'names in UTF-8 and others' '
	git init -q names && (
		cd names && echo 1 >"$(printf "n\303\274")" && echo 2 >"$(printf "l\374")" && git add . && git commit -q -m x
	) && git -C names archive --format=zip HEAD >out.zip 2>err && test_grep "not valid UTF-8" err &&
	unzip -tq out.zip && git -C names archive --format=zip HEAD "$(printf "n\303\274")" >out.zip &&
	test "$(od -An -tx1 -j6 -N2 out.zip)" = " 00 08" &&
	git -C names archive --format=zip HEAD "l*" >out.zip && test "$(od -An -tx1 -j6 -N2 out.zip)" = " 00 00"
'

test_expect_success '--output and --verbose' '
	git -C repo archive -v -o ../o.tar HEAD >out 2>err && test_must_be_empty out && cmp o.tar out.tar &&
	test_grep "^a/b/g$" err && test_grep "^sub/$" err && test_grep ! skip err &&
	(cd repo/a && git archive -o here.tar HEAD b) && test_path_is_file repo/a/here.tar && rm repo/a/here.tar &&
	git -C repo archive -o ../o.zip HEAD && test "$(head -c 2 o.zip)" = PK &&
	git -C repo archive -o ../o.zip --format=tar HEAD && cmp o.zip out.tar &&
	test_expect_code 128 git -C repo archive -o none/x.tar HEAD 2>err && test_grep "could not create archive file" err
'

test_expect_success 'archive refuses unknown names, options and remotes' '
	test_expect_code 129 git -C repo archive && test_expect_code 128 git -C repo archive none 2>err &&
	test_grep "not a valid object name: none" err && test_expect_code 128 git -C repo archive HEAD:f 2>err &&
	test_grep "not a tree object" err && test_expect_code 128 git archive HEAD 2>err && test_grep "not a git repo" err &&
	for url in ssh://h/r git://h/r http://h/r host:r; do
		test_expect_code 128 git -C repo archive --remote=$url HEAD 2>err && test_grep "of .$url. is not available yet" err || return 1
	done && git -C repo archive HEAD >plain && git -C repo archive --exec=x HEAD >out && cmp plain out &&
	test_expect_code 129 git -C repo archive --none HEAD && test_expect_code 128 git archive --list x
'

test_expect_success 'a blob that is missing or damaged' '
	cp -R big broken && blob=$(git -C big rev-parse HEAD:small) && path=broken/.git/objects/$(echo "$blob" | sed "s,..,&/,") &&
	chmod u+w "$path" && echo garbage >"$path" && test_expect_code 128 git -C broken archive HEAD >out 2>err &&
	rm "$path" && test_expect_code 128 git -C broken archive --format=zip HEAD >out 2>err && test_grep "$blob" err
'

test_expect_success 'a full disk' '
	test -c /dev/full && for format in tar zip tgz; do
		test_expect_code 128 git -C big archive --format=$format HEAD >/dev/full 2>err && test_grep "No space" err || return 1
	done
'

# raw_tree NAME: a tree with this entry; mktree takes no slashes.
raw_tree () {
	{ printf "%s %s\0" "${2-100644}" "$1" && printf "%b" "$(echo "${3-$bad_blob}" |
		perl -ne "chomp; print map { sprintf qq(\\\\%04o), hex } /../g")"; } |
		git -C bad hash-object -t tree -w --stdin --literally
}

test_expect_success PERL 'names that a checkout refuses are refused, before the first byte' '
	git init -q bad && bad_blob=$(echo hi | git -C bad hash-object -w --stdin) && link=$(printf x | git -C bad hash-object -w --stdin) &&
	for name in .. . .git .GIT "git~1" ".git " ".git." ".git::\$INDEX_ALLOCATION" "a\\.git" ../evil /abs a/../../b
	do
		t=$(raw_tree "$name") && up=$(raw_tree sub 40000 $t) && for tree in $t $up
		do
			for how in --format=tar --format=tgz --format=zip --worktree-attributes
			do
				test_expect_code 128 git -C bad archive $how $tree >out 2>err && test_must_be_empty out &&
				test_grep "^error: invalid path .*" err && test_grep "^fatal: failed to unpack tree object $tree" err || return 1
			done
		done || return 1
	done &&
	test_expect_code 128 git -C bad archive $up nothing-else 2>err && test_grep "invalid path .sub/a/../../b." err &&
	t=$(raw_tree .gitmodules 120000 $link) && test_expect_code 128 git -C bad archive $t >out && test_must_be_empty out &&
	t=$(raw_tree .git 160000) && test_expect_code 128 git -C bad archive $t >out &&
	t=$(raw_tree .git 40000 $EMPTY_TREE) && test_expect_code 128 git -C bad archive $t >out
'

test_expect_success PERL 'core.protectNTFS and core.protectHFS decide as in a checkout' '
	t=$(raw_tree "git~1") && git -C bad -c core.protectNTFS=false archive $t >out && test "$(tar tf out)" = "git~1" &&
	t=$(raw_tree "$(printf ".g\342\200\214it")") && git -C bad archive $t >out &&
	test_expect_code 128 git -C bad -c core.protectHFS=true archive $t >out && test_must_be_empty out &&
	t=$(raw_tree ".git") && test_expect_code 128 git -C bad -c core.protectNTFS=false archive $t >out &&
	t=$(raw_tree "..git") && git -C bad archive $t >out && t=$(raw_tree ".gitmodules") && git -C bad archive $t >out
'

test_expect_success PERL 'upload-archive refuses them, too' '
	git -C bad update-ref --no-deref refs/heads/x $(git -C bad commit-tree -m x $(raw_tree ..)) &&
	test_must_fail git archive --remote=bad x >out 2>err && test_must_be_empty out && test_grep "invalid path" err
'

# ---- the stock git, if it is there ------------------------------------------------

same () {
	stock -C repo archive "$@" >expect && git -C repo archive "$@" >actual && cmp expect actual
}

test_expect_success STOCK_GIT 'tars equal those of stock Git' '
	same HEAD && same --prefix=x/y/ HEAD && same HEAD a f &&
	same --add-file=f --prefix=x/ --add-file=run HEAD && same --worktree-attributes HEAD && same HEAD ":!a" &&
	stock -C long archive HEAD >expect && cmp expect long.tar &&
	for n in 90 99 100 101 154 155 156 157 200; do
		p=$(printf "%0${n}d" 0) && same --prefix=$p/ HEAD f && same --prefix=$p/x/ HEAD f a || return 1
	done
'

test_done
