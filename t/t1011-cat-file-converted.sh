#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git cat-file: mailmap, textconv, filters, --filter, -Z, modes and unknown types'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository' '
	git init -q r && echo hello >r/f && mkdir r/sub && echo s >r/sub/g.up && ln -s sub/g.up r/l.up &&
	printf "*.up diff=up filter=dash\n*.txt eol=crlf\n" >r/.gitattributes && printf "a\nb\n" >r/c.txt &&
	git -C r config diff.up.textconv "tr a-z A-Z <" && git -C r config filter.dash.smudge "tr s -" &&
	printf "New Name <new@x> <old@x>\nTagger T <t@x> <carl@example.com>\n" >r/.mailmap &&
	git -C r add . && git -C r update-index --add --cacheinfo 160000,$(git -C r hash-object f),module &&
	GIT_AUTHOR_NAME=Old GIT_AUTHOR_EMAIL=old@x \
		git -C r commit -q -m one -m "author Old <old@x> 1 +0000" &&
	git -C r tag -a -m tag v1
'

test_expect_success '--use-mailmap replaces idents of headers, and sizes follow' '
	git -C r cat-file commit HEAD >plain &&
	git -C r cat-file --use-mailmap -p HEAD >mapped &&
	test_grep "^author New Name <new@x> [0-9]* " mapped && test_grep "^committer Tagger T <t@x> " mapped &&
	test_grep "^author Old <old@x> 1 +0000" mapped &&
	git -C r cat-file --mailmap commit HEAD >out && test_cmp mapped out &&
	git -C r cat-file --mailmap --no-mailmap commit HEAD >out && test_cmp plain out &&
	size=$(wc -c <mapped | tr -d " ") && echo $size >expect &&
	git -C r cat-file --use-mailmap -s HEAD >out && test_cmp expect out &&
	echo HEAD | git -C r cat-file --use-mailmap --batch-check="%(objectsize)" >out && test_cmp expect out &&
	echo HEAD | git -C r cat-file --use-mailmap --batch="%(objectsize)" >out &&
	{ cat expect mapped && echo; } >all && test_cmp all out &&
	git -C r cat-file --use-mailmap -p v1 >out && test_grep "^tagger Tagger T <t@x> " out &&
	git -C r cat-file --use-mailmap -t HEAD >out && echo commit >expect && test_cmp expect out &&
	test_must_fail git -C r cat-file --use-mailmap tag HEAD &&
	git -C r cat-file --batch-all-objects --batch-check="%(objectname) %(objectsize)" --use-mailmap >out &&
	test_grep "^$(git -C r rev-parse HEAD) $size\$" out
'

test_expect_success 'the command mailmap' '
	printf "info HEAD\nmailmap 1\ninfo HEAD\nmailmap off\ninfo HEAD\n" >in &&
	for o in "" --buffer; do
		git -C r cat-file --batch-command="%(objectsize)" $o <in >out &&
		for f in plain mapped plain; do wc -c <$f | tr -d " "; done >expect && test_cmp expect out || return 1
	done &&
	echo "mailmap foo" | test_must_fail git -C r cat-file --batch-command 2>err &&
	test_grep "mailmap: invalid boolean .foo." err &&
	echo "mailmap" | test_must_fail git -C r cat-file --batch-command
'

test_expect_success '--textconv, after the filters of a checkout' '
	echo - >expect && git -C r cat-file --textconv HEAD:sub/g.up >out && test_cmp expect out &&
	echo HELLO >expect && git -C r cat-file --textconv --path=x.up HEAD:f >out && test_cmp expect out &&
	echo hello >expect && git -C r cat-file --textconv HEAD:f >out && test_cmp expect out &&
	printf sub/g.up >expect && git -C r cat-file --textconv HEAD:l.up >out && test_cmp expect out &&
	git -C r ls-tree HEAD sub/ >expect && git -C r cat-file --textconv HEAD:sub >out &&
	sed "s,sub/,," expect >x && test_cmp x out &&
	git -C r ls-tree HEAD >expect && git -C r cat-file --textconv HEAD: >out && test_cmp expect out &&
	test_must_fail git -C r cat-file --textconv HEAD 2>err && test_grep "<object>:<path> required" err &&
	test_must_fail git -C r -c diff.up.textconv="false <" cat-file --textconv HEAD:sub/g.up 2>err &&
	test_grep "fatal: unable to read files to diff" err
'

test_expect_success 'a batch of --textconv and of --filters' '
	printf "HEAD:f x.up\nHEAD:f c.txt\nHEAD:\nnope x.up\n" >in && oid=$(git -C r rev-parse HEAD:f) &&
	git -C r cat-file --batch="%(objectname)" --textconv <in | sed "/$(git -C r rev-parse HEAD:)/,\$d" >out &&
	printf "$oid\nHELLO\n\n$oid\nhello\n\n" >expect && test_cmp expect out &&
	git -C r cat-file --batch="%(objectname)" --filters <in | sed "/$(git -C r rev-parse HEAD:)/,\$d" >out &&
	printf "$oid\nhello\n\n$oid\nhello\r\n\n" >expect && test_cmp expect out &&
	for o in --textconv --filters; do
		echo HEAD:f | test_must_fail git -C r cat-file --batch $o >out 2>err &&
		test_grep "missing path for .$oid" err && test_line_count = 1 out || return 1
	done
'

test_expect_success 'show --textconv REV:path, log -p' '
	echo - >expect && git -C r show --textconv HEAD:sub/g.up >out && test_cmp expect out &&
	echo s >expect && git -C r show HEAD:sub/g.up >out && test_cmp expect out &&
	git -C r show --textconv --no-textconv HEAD:sub/g.up >out && test_cmp expect out &&
	printf sub/g.up >expect && git -C r show --textconv HEAD:l.up >out && test_cmp expect out &&
	git -C r show --textconv v1 >out && test_grep "^+-\$" out &&
	git -C r log -p >out && test_grep "^+-\$" out && git -C r log -p --no-textconv >out && test_grep "^+s\$" out
'

test_expect_success 'the map is not for taggers of show' '
	git -C r show v1 >out && test_grep "^Tagger: Carl Committer <carl@example.com>" out &&
	test_grep "^Author: New Name <new@x>" out
'

test_expect_success 'modes of entries, and submodules' '
	printf "HEAD:f\nHEAD:l.up\nHEAD:sub\nHEAD\nHEAD:\n:f\n" >in &&
	git -C r cat-file --batch-check="[%(objectmode)]" <in >out &&
	printf "[100644]\n[120000]\n[040000]\n[]\n[]\n[100644]\n" >expect && test_cmp expect out &&
	git -C r cat-file --batch-check="[%(objectmode)]" --follow-symlinks <in >out &&
	sed s/120000/100644/ expect >x && test_cmp x out &&
	git init -q other && git -C other commit -q --allow-empty -m x &&
	git -C r update-index --cacheinfo 160000,$(git -C other rev-parse HEAD),module &&
	printf ":module\n$(git -C other rev-parse HEAD)\n" | git -C r cat-file --batch-check >out &&
	printf "%s submodule\n%s missing\n" $(git -C other rev-parse HEAD HEAD) >expect && test_cmp expect out
'

test_expect_success '-Z ends lines of input and output' '
	printf "HEAD:f\0nope\0" | git -C r cat-file --batch="%(objecttype)" -Z >out &&
	printf "blob\0hello\n\0nope missing\0" >expect && test_cmp_bin expect out &&
	printf "info HEAD:f\0" | git -C r cat-file --batch-command="%(objecttype)" -Z >out &&
	printf "blob\0" >expect && test_cmp_bin expect out &&
	printf "HEAD:f/x\0" | git -C r cat-file --batch-check --follow-symlinks -Z >out &&
	printf "notdir 8\0HEAD:f/x\0" >expect && test_cmp_bin expect out &&
	test_expect_code 129 git -C r cat-file -Z HEAD
'

test_expect_success '--filter leaves objects out of batches' '
	printf "HEAD\nHEAD:f\nHEAD:sub/g.up\nv1\nHEAD:\nnope\n" >in &&
	expect () {
		git -C r cat-file --batch-check="%(objecttype)" "$1" <in >out &&
		printf "$2" >expect && test_cmp expect out
	} &&
	expect --filter=blob:none "commit\nHEAD:f excluded\nHEAD:sub/g.up excluded\ntag\ntree\nnope missing\n" &&
	expect --filter=blob:limit=6 "commit\nHEAD:f excluded\nblob\ntag\ntree\nnope missing\n" &&
	expect --filter=blob:limit=7 "commit\nblob\nblob\ntag\ntree\nnope missing\n" &&
	expect --filter=object:type=tag "HEAD excluded\nHEAD:f excluded\nHEAD:sub/g.up excluded\ntag\nHEAD: excluded\nnope missing\n" &&
	git -C r cat-file --batch-all-objects --batch-check="%(objectname)" --filter=object:type=tag >out &&
	git -C r rev-parse v1 >expect && test_cmp expect out &&
	echo HEAD | git -C r cat-file --batch-check="%(objecttype)" --filter=object:type=tag --no-filter >out &&
	echo commit >expect && test_cmp expect out &&
	for f in tree:0 sparse:oid=HEAD:f combine:blob:none+tree:0; do
		test_expect_code 129 git -C r cat-file --batch-check --filter=$f <in 2>err &&
		test_grep "^usage: objects filter not supported: .$(echo $f | sed "s/:[0bH].*//;s/=.*//")" err || return 1
	done &&
	test_expect_code 129 git -C r cat-file --filter=blob:none -p HEAD 2>err && test_grep "only supported in batch" err
'

test_lazy_prereq PERL_ZLIB 'perl -MCompress::Zlib -e 1'

test_expect_success PERL_ZLIB 'an object of an unknown type ends a batch' '
	oid=$(git -C r hash-object f | tr 0-9 1) && dir=r/.git/objects/$(echo $oid | cut -c1-2) && mkdir -p $dir &&
	perl -MCompress::Zlib -e "binmode STDOUT; print compress(qq{bogus 1\0x})" >$dir/$(echo $oid | cut -c3-) &&
	for o in --batch --batch-check "--batch-check=%(objectsize)"; do
		printf "$oid\nHEAD:f\n" >in && test_expect_code 128 git -C r cat-file "$o" <in >out 2>err &&
		test_must_be_empty out && test_grep "invalid object type" err || return 1
	done &&
	git -C r cat-file --batch-check="%(objectname)" <in >out && test_line_count = 2 out
'

test_done
