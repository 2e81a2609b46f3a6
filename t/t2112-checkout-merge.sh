#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='checkout -m and --conflict with paths: conflicts made again'
. "$(dirname "$0")/test-lib.sh"

# f: a conflict of its second line, in the index of r, and in REUC once it is added
conflict () {
	rm -rf r && git init -q r && printf "%s\n" 1 2 3 >base && printf "%s\n" 1 X 3 >ours && printf "%s\n" 1 Y 3 >theirs && echo one >r/g && git -C r add g &&
	for f in base ours theirs; do git -C r hash-object -w ../$f || return 1; done >ids && set -- $(cat ids) &&
	printf "100644 %s %s\t%s\n" $1 1 f $2 2 f $3 3 f | git -C r update-index --index-info && git -C r ls-files -s >stages
}

test_expect_success 'a conflict again, in each style' '
	conflict && echo junk >r/f && git -C r checkout -m f 2>err && echo "Recreated 1 merge conflict" >expect && test_cmp expect err &&
	printf "%s\n" 1 "<<<<<<< ours" X ======= Y ">>>>>>> theirs" 3 >expect && test_cmp expect r/f && git -C r ls-files -s >out && test_cmp stages out &&
	git -C r checkout --conflict=diff3 -- f && printf "%s\n" 1 "<<<<<<< ours" X "||||||| base" 2 ======= Y ">>>>>>> theirs" 3 >expect && test_cmp expect r/f &&
	git -C r checkout --conflict=merge -- f && ! grep "|||" r/f && git -C r -c merge.conflictStyle=zdiff3 restore -m f && test_cmp expect r/f
'

test_expect_success 'resolved files become conflicts again; other files are restored beside them' '
	conflict && echo done >r/f && git -C r add f && test $(git -C r ls-files -s f | wc -l) = 1 && echo two >r/g && git -C r checkout -m . 2>err && git -C r ls-files -s >out && test_cmp stages out &&
	test_grep "^<<<<<<< ours" r/f && test "$(cat r/g)" = one && printf "%s\n" "Recreated 1 merge conflict" "Updated 1 path from the index" >expect && test_cmp expect err &&
	git -C r fsck >out 2>&1
'

test_expect_success 'attributes: binary, union, the size of markers; files that are converted' '
	conflict && echo "f merge=union" >r/.gitattributes && git -C r checkout -m f && printf "%s\n" 1 X Y 3 >expect && test_cmp expect r/f && echo "f -merge" >r/.gitattributes && git -C r checkout -m f 2>err &&
	test_cmp ours r/f && test_grep "Cannot merge binary files: f (ours vs. theirs)" err && echo "f conflict-marker-size=3" >r/.gitattributes && git -C r checkout -m f && test_grep "^<<< ours$" r/f &&
	echo "f merge=mine" >r/.gitattributes && git -C r checkout -m f && test_grep "^<<<<<<< ours$" r/f && git -C r -c merge.mine.driver="cat %B >>%A; exit 1" checkout -m f 2>err && printf "%s\n" 1 X 3 1 Y 3 >expect && test_cmp expect r/f &&
	test_expect_code 1 git -C r -c merge.mine.driver="exit 129" checkout -m f 2>err && test_grep "error: path .f.: cannot merge" err && test_cmp expect r/f &&
	rm r/.gitattributes && echo "f text eol=crlf" >r/.git/info/attributes && git -C r checkout -m f && printf "%s\r\n" 1 "<<<<<<< ours" X ======= Y ">>>>>>> theirs" 3 >expect && test_cmp_bin expect r/f
'

test_expect_success 'without a base; without one of the sides' '
	conflict && set -- $(cat ids) && git -C r rm -q --cached f && printf "100644 %s %s\t%s\n" $2 2 f $3 3 f | git -C r update-index --index-info && git -C r checkout -m f &&
	printf "%s\n" 1 "<<<<<<< ours" X ======= Y ">>>>>>> theirs" 3 >expect && test_cmp expect r/f && printf "100644 %s 1\tz\n100644 %s 3\tz\n" $1 $3 | git -C r update-index --index-info && echo junk >r/f &&
	test_expect_code 1 git -C r checkout -m . 2>err && echo "error: path '\''z'\'' does not have all necessary versions" >expect && test_cmp expect err &&
	printf "0 $ZERO_OID\tz\n100644 %s 1\tz\n100644 %s 2\tz\n" $1 $2 | git -C r update-index --index-info && test_expect_code 1 git -C r checkout -m . 2>err && test_cmp expect err && echo junk >expect && test_cmp expect r/f
'

test_expect_success 'options that exclude each other; one flush' '
	conflict && test_expect_code 128 git -C r checkout -m --ours f && test_expect_code 128 git -C r restore -m --theirs f 2>err && test_grep "git restore: .* incompatible" err &&
	test_expect_code 128 git -C r checkout --conflict=junk f && test_expect_code 128 git -C r -c merge.conflictStyle=junk checkout -m f
'

test_expect_success STRACE,JOURNAL 'one flush' '
	conflict && on_journal disk && cp -R r disk/r && n=$(count_flushes git -C disk/r -c core.fsyncMethod=batch checkout -m f) && test "$n" = 1
'

test_done
