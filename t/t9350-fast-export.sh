#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fast-export'

. "$(dirname "$0")/test-lib.sh"

# export ARGS: the stream, without people, into the file `out`
export_to_out () {
	git fast-export "$@" >stream && grep -v -e "^author " -e "^committer " -e "^tagger " stream >out
}

# tag_object NAME TEXT: a tag object of main and its ref
tag_object () {
	printf "object %s\ntype commit\ntag %s\n%b" $(git rev-parse main) "$1" "$2" >tag &&
	git update-ref refs/tags/$1 $(git hash-object -t tag --literally -w tag)
}

# commit_object HEADERS MESSAGE: a commit object of an empty tree; prints its name
commit_object () {
	printf "tree %s\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n%b\n%b" $(git hash-object -t tree -w /dev/null) "$1" "$2" >commit &&
	git hash-object -t commit --literally -w commit
}

same_refs () {
	git for-each-ref >expect && git -C "$1" for-each-ref >got && test_cmp expect got
}

test_expect_success 'blobs, then the commit; a ref of the same commit; a tag' '
	git init -q -b main . && printf "/%s\n" expect got want out stream err copy tag commit marks >.git/info/exclude && echo a >a && git add a && git commit -q -m one && echo b >>a && mkdir d && echo c >d/c &&
	git add . && git commit -q -m two && git tag light && git tag -a -m about v1 main~1 &&
	export_to_out main light v1 && cat >expect <<-\EOF &&
	blob
	mark :1
	data 2
	a

	reset refs/tags/v1
	commit refs/tags/v1
	mark :2
	data 4
	one
	M 100644 :1 a

	blob
	mark :3
	data 4
	a
	b

	blob
	mark :4
	data 2
	c

	commit refs/heads/main
	mark :5
	data 4
	two
	from :2
	M 100644 :3 a
	M 100644 :4 d/c

	reset refs/tags/light
	from :5

	tag v1
	from :2
	data 6
	about

	EOF
	test_cmp expect out && grep -q "^author Ada Author <ada@example.com> [0-9]* [-+][0-9]*$" stream && grep -q "^tagger " stream
'

test_expect_success 'an export is imported with the same refs' '
	git checkout -q -b side main~1 && echo x >d && ln -s a link && echo run >"sp ace" && chmod +x "sp ace" && printf "\0" >"q\"t" &&
	git add . && git update-index --add --cacheinfo 160000,$(git rev-parse main),sub && git commit -q -m side &&
	git checkout -q main && git merge -q -s ours -m merged side && git commit -q --allow-empty -m empty && git rm -q -r d && echo f >d &&
	git add d && git commit -q -m "file for directory" && git rm -q d && mkdir d && echo g >d/g && git add d && git commit -q -m back &&
	for o in "" -M -C --full-tree --mark-tags "--use-done-feature --progress=2" --show-original-ids
	do
		rm -rf copy && git init -q --bare copy && git fast-export --all $o >stream && git -C copy fast-import --quiet <stream &&
		same_refs copy || return 1
	done &&
	git fast-export --no-data --all >stream && ! grep -x blob stream && git fast-import --quiet --force <stream && same_refs .
'

test_expect_success 'files in a directory go before a file of its name comes' '
	git fast-export main >stream && sed -n "/^file for directory/,/^$/p" stream | sed -e "s/:[0-9]*/:N/" >got &&
	printf "file for directoryfrom :N\nD d/c\nM 100644 :N d\n\n" | sed "s/from/\nfrom/" >want && test_cmp want got
'

test_expect_success 'a file goes before files in a directory of its name come' '
	git fast-export main >stream && tail -3 stream | sed -e "s/:[0-9]*/:N/" >got && printf "D d\nM 100644 :N d/g\n\n" >want && test_cmp want got
'

test_expect_success 'renames and copies, unless their source has changed' '
	git init -q moves && ( cd moves && seq 20 >a && seq 30 50 >b && git add . && git commit -q -m one &&
	git mv a "new name" && cp b c && git add . && git commit -q -m two &&
	cp b d && echo more >>b && git add . && git commit -q -m three && printf "/%s\n" stream copy got want >.git/info/exclude &&
	git fast-export -M HEAD >stream && grep -x "R a \"new name\"" stream && ! grep "^C" stream &&
	git fast-export -C -C HEAD >stream && grep -x "C b c" stream && grep "^M .* b$" stream && grep "^M .* d$" stream && ! grep "^C.* d$" stream &&
	for o in -M "-C -C"
	do
		rm -rf copy && git init -q --bare copy && git fast-export --all $o | git -C copy fast-import --quiet && same_refs copy || return 1
	done )
'

test_expect_success 'renames between files and directories of the same name' '
	git init -q swap && ( cd swap && mkdir d && seq 20 >a && seq 40 60 >d/c && git add . && git commit -q -m one &&
	git mv d/c e && rm -rf d && git mv a d && git commit -q -m two && git mv d f && mkdir d && git mv f d/c && git commit -q -m three &&
	git init -q --bare copy && git fast-export -M --all >stream && git -C copy fast-import --quiet <stream && same_refs copy &&
	grep "^R" stream >got && printf "R a d\nR d d/c\n" >want && test_cmp want got )
'

test_expect_success 'a rename whose file changes as well is followed by the new content' '
	( cd moves && git mv c f && echo more >>f && git commit -q -a -m four && git fast-export -M HEAD~1..HEAD --reference-excluded-parents >stream &&
	grep -A1 "^R c f" stream >got && printf "R c f\nM 100644 :1 f\n" >want && test_cmp want got )
'

test_expect_success 'a range: parents that are not in it, by name or left out' '
	export_to_out main~1..main && ! grep "^from" out && grep -c "^M " out >n && test "$(cat n)" = 2 &&
	export_to_out --reference-excluded-parents main~1..main && grep -x "from $(git rev-parse main~1)" out &&
	grep "^[MD] " out >got && printf "D d\nM 100644 :1 d/g\n" >want && test_cmp want got
'

test_expect_success 'paths: other commits are left out, and refs go to their nearest ancestors' '
	export_to_out main light -- d/c && grep "^commit" out >got && test_line_count = 2 got && ! grep "M.* a$" out &&
	git branch early main~5 && export_to_out main early -- d/g && grep -A1 "^reset refs/heads/early" out >got &&
	printf "reset refs/heads/early\nfrom $ZERO_OID\n" >want && test_cmp want got && git branch -q -D early &&
	git fast-export main -- gone >got && sed -i "s/early/main/" want && echo >>want && test_cmp want got
'

test_expect_success '--tag-of-filtered-object' '
	test_must_fail git fast-export v1 main~1..main 2>err && test_grep "tags unexported object; use --tag-of-filtered-object=<mode>" err &&
	export_to_out --tag-of-filtered-object=drop v1 main~1..main && ! grep "^tag" out &&
	git tag -a -m t deep main && export_to_out --tag-of-filtered-object=rewrite deep main -- a && mark=$(sed -n "s/^mark //p" out | tail -1) &&
	grep -A1 "^tag deep" out >got && printf "tag deep\nfrom $mark\n" >want && test_cmp want got &&
	export_to_out --tag-of-filtered-object=rewrite v1 -- d/g && grep -x "reset refs/tags/v1" out && git tag -d deep
'

test_expect_success '--signed-tags' '
	tag_object signed "tagger A <a> 1 +0000\n\nabout\n-----BEGIN PGP SIGNATURE-----\nxyz\n" &&
	test_must_fail git fast-export signed 2>err && test_grep "encountered signed tag [0-9a-f]*; use --signed-tags=<mode>" err &&
	for mode in verbatim warn-verbatim warn
	do
		git fast-export --signed-tags=$mode signed >out 2>err && grep -x xyz out || return 1
		case $mode in verbatim) test_must_be_empty err ;; *) test_grep "exporting signed tag" err ;; esac || return 1
	done &&
	for mode in strip warn-strip
	do
		git fast-export --signed-tags=$mode signed >out 2>err && ! grep -e xyz -e BEGIN out && grep -x about out || return 1
		case $mode in strip) test_must_be_empty err ;; *) test_grep "stripping signature from tag" err ;; esac || return 1
	done &&
	test_expect_code 129 git fast-export --signed-tags=x signed
'

test_expect_success '--signed-commits' '
	c=$(commit_object "gpgsig -----BEGIN SSH SIGNATURE-----\n xyz\ngpgsig-sha256 who\n" "m\n") &&
	git fast-export $c >out && ! grep gpgsig out &&
	git fast-export --signed-commits=verbatim $c >out 2>err && test_must_be_empty err && sed -n "/^committer/,/^m/p" out | sed 1d >got &&
	printf "gpgsig sha1 ssh\ndata 33\n-----BEGIN SSH SIGNATURE-----\nxyz\ngpgsig sha256 unknown\ndata 3\nwho\ndata 2\nm\n" >want && test_cmp want got &&
	git fast-export --signed-commits=warn $c >out 2>err && test_grep "exporting 2 signature(s) for commit $c" err && grep gpgsig out &&
	git fast-export --signed-commits=warn-strip $c >out 2>err && test_grep "stripping signature(s) from commit $c" err && ! grep gpgsig out &&
	test_must_fail git fast-export --signed-commits=abort $c 2>err && test_grep "encountered signed commit $c" err
'

test_expect_success '--reencode' '
	c=$(commit_object "encoding ISO-8859-1\n" "\0374\n") && test_must_fail git fast-export $c 2>err &&
	test_grep "encountered commit-specific encoding ISO-8859-1 in commit $c; use --reencode=.yes|no. to handle it" err &&
	git fast-export --reencode=yes $c >out && ! grep "^encoding" out && printf "\303\274\n" >want && tail -2 out | head -1 >got && test_cmp want got &&
	git fast-export --reencode=no $c >out && grep -a -x "encoding ISO-8859-1" out && printf "\374\n" >want && tail -2 out | head -1 >got && test_cmp want got &&
	c=$(commit_object "encoding nonsense\n" "x\n") && git fast-export --reencode=yes $c >out && grep -x "encoding nonsense" out
'

test_expect_success 'nested tags need --mark-tags' '
	git tag -a -m outer outer v1 2>/dev/null && test_must_fail git fast-export --tag-of-filtered-object=rewrite outer 2>err &&
	test_grep "cannot export nested tags unless --mark-tags" err && export_to_out --mark-tags outer && sed -n "/^tag/,\$p" out >got &&
	cat >want <<-EOF &&
	tag outer
	mark :3
	from :2
	data 6
	about

	reset refs/tags/outer
	from $ZERO_OID

	tag outer
	mark :4
	from :3
	data 6
	outer

	EOF
	test_cmp want got && git tag -d outer
'

test_expect_success 'tags without a tagger, of blobs and of trees' '
	tag_object bare "\nno one\n" && git fast-export bare >out && ! grep tagger out &&
	git fast-export --fake-missing-tagger --anonymize bare >out && grep -x "tagger User [0-9]* <user[0-9]*@example.com> 0 +0000" out &&
	git fast-export --fake-missing-tagger bare >out && grep -x "tagger Unspecified Tagger <unspecified-tagger> 0 +0000" out &&
	git tag -a -m b blob main:a && git fast-export blob >out && printf "blob\nmark :1\n" >want && head -2 out >got && test_cmp want got && grep -A1 "^tag blob" out &&
	git tag -a -m t tree main^{tree} && git fast-export tree >out 2>err && test_must_be_empty out && test_grep "omitting tag $(git rev-parse tree)" err &&
	git tag plain main:a && git fast-export plain >out 2>err && test_must_be_empty out && test_grep "plain: unexpected object of type blob" err &&
	git tag -d tree plain blob
'

test_expect_success 'marks: the next export has only new commits' '
	git fast-export main~1 --export-marks=marks >stream && cut -d" " -f2 marks | sort >got && git rev-list main~1 | sort >want && test_cmp want got &&
	last=$(cut -d: -f2 marks | cut -d" " -f1 | sort -n | tail -1) && cp marks before &&
	export_to_out --import-marks=marks --export-marks=marks main && grep "^commit" out >got && test_line_count = 1 got && all=$(grep -c "^mark" stream) &&
	sed -n 2p out >got && grep "^mark :" got && test "$(sed "s/mark ://" got)" -gt "$last" && git rev-list main >want && test_line_count = $(wc -l <want) marks &&
	grep -x "from $(grep $(git rev-parse main~1) marks | cut -d" " -f1)" out && ! grep deleteall out &&
	git fast-export --import-marks=before main -- d >out && grep deleteall out &&
	rm marks && git fast-export --import-marks=before --export-marks=marks main~1 >out && test_path_is_missing marks &&
	printf "reset refs/heads/main\nfrom %s\n\n" $(grep $(git rev-parse main~1) before | cut -d" " -f1) >want &&
	git branch at main~1 && git fast-export --import-marks=before at | sed s/at/main/ >got && test_cmp want got && git branch -q -D at
'

test_expect_success 'marks files that are missing, corrupt, or name no object' '
	git fast-export --import-marks-if-exists=nope main >out && test_file_not_empty out &&
	test_must_fail git fast-export --import-marks=nope main 2>err && test_grep nope err &&
	test_must_fail git fast-export --import-marks=a --import-marks-if-exists=b main 2>err && test_grep "cannot be used together" err &&
	echo ":1 x" >bad && test_must_fail git fast-export --import-marks=bad main 2>err && test_grep "corrupt mark line: :1 x" err &&
	echo ":1 ${ZERO_OID%?}1" >bad && test_must_fail git fast-export --import-marks=bad main 2>err && test_grep "object not found: 0*1" err &&
	echo ":7 $(git rev-parse main:a)" >bad && git fast-export --import-marks=bad main >out && sed -n 2p out >got && echo "mark :8" >want && test_cmp want got
'

test_expect_success 'a marks file that cannot be written is an error' '
	mkdir dir && test_must_fail git fast-export main --export-marks=dir 2>err >out && test_grep "dir" err
'

test_expect_success '--progress, --use-done-feature, --show-original-ids' '
	git fast-export --progress=2 main~1 >out && grep -a "^progress" out >got && printf "progress 2 objects\nprogress 4 objects\n" >want && head -2 got >first && test_cmp want first &&
	git fast-export --use-done-feature main >out && head -1 out >got && tail -1 out >>got && printf "feature done\ndone\n" >want && test_cmp want got &&
	git fast-export --mark-tags --show-original-ids v1 >out && grep original-oid out | cut -d" " -f2 >got && git rev-parse v1~0:a v1^{commit} v1 >want && test_cmp want got
'

test_expect_success '--refspec' '
	git fast-export main v1 --refspec refs/heads/*:refs/x/* --refspec :refs/heads/gone >out && grep -a -x "commit refs/x/main" out && grep -a -x "tag v1" out &&
	tail -3 out >got && printf "reset refs/heads/gone\nfrom $ZERO_OID\n\n" >want && test_cmp want got
'

test_expect_success '--anonymize' '
	git fast-export --anonymize --all --signed-tags=abort >out && ! grep -e about -e Ada -e Carl -e main -e "sp ace" -e "^a$" -e "d/c" -e "refs/tags/v1" out &&
	grep -x "committer User 0 <user0@example.com> [0-9]* [-+0-9]*" out && grep -x "subject 0" out && grep "^anonymous blob 0" out && grep "^M 160000 0*1 path" out &&
	git init -q --bare anon && git -C anon fast-import --quiet <out && test "$(git -C anon rev-list --all --count)" = "$(git rev-list --all --count)" &&
	git fast-export --anonymize --anonymize-map=main:public --anonymize-map=d main >out && grep -x "commit refs/heads/public" out && grep "^M 100644 :[0-9]* d/path" out &&
	test_must_fail git fast-export --anonymize-map=main main 2>err && test_grep "requires .--anonymize." err &&
	for bad in "" :x x:
	do
		test_expect_code 129 git fast-export --anonymize --anonymize-map=$bad main 2>err && test_grep "token cannot be empty" err || return 1
	done &&
	! git fast-export --anonymize --no-data main | grep $(git rev-parse main:a)
'

test_expect_success 'a big blob is streamed' '
	git init -q big && ( cd big && test-tool genrandom x 300000 >f 2>/dev/null || seq 60000 >f && git add f && git commit -q -m f &&
	git -c core.bigFileThreshold=1000 fast-export HEAD >one && git fast-export HEAD >two && test_cmp two one )
'

test_expect_success 'a commit-graph changes nothing, and a full disk is an error' '
	git fast-export --all --signed-tags=strip >want && git commit-graph write --reachable && git fast-export --all --signed-tags=strip >got && test_cmp want got &&
	if test -c /dev/full; then test_must_fail git fast-export main >/dev/full; fi
'

test_expect_success 'usage' '
	test_expect_code 129 git fast-export 2>err && test_grep "usage: git fast-export" err && test_expect_code 129 git fast-export --bogus main 2>err && test_grep usage err &&
	test_must_fail git fast-export nope && git init -q empty && git -C empty fast-export --all >out && test_must_be_empty out
'

test_done
