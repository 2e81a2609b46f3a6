#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='file systems for which different names are the same

Trees with "A" and "a" on a file system that ignores case: nothing is written through another
name, and the result is the same each time. Such file systems are made by fold-fs, which needs
FUSE and root.'
. "$(dirname "$0")/test-lib.sh"

FOLD=$GIT_BUILD_DIR/t/crash/fold-fs
test_lazy_prereq FOLD 'test -x "$FOLD" && mkdir back m && "$FOLD" back m && echo x >m/A && echo x >expect &&
	cmp expect m/a && umount m'
if ! test_have_prereq FOLD; then
	skip_all='no FUSE, or not root'
	test_done
fi
GIT_TEST_FSYNC=0
export GIT_TEST_FSYNC
git config --global init.defaultBranch main
git config --global advice.detachedHead false

# mount_fold DIR [OPTION...]
mount_fold () {
	local dir=$1
	shift
	mkdir "$dir" "$dir.back" && "$FOLD" "$@" "$dir.back" "$dir" >/dev/null 2>&1 3>&- 4>&- && t_mounted "$dir"
}
mount_fold icase && mount_fold hfs --hfs && mount_fold fat --fat && mount_fold odd --unstable || t_misuse 'no mount'

# branch NAME: a commit of src with the entries of standard input, "MODE CONTENT PATH", as printf makes them
branch () {
	rm -f src/.git/index &&
	while read -r mode text path; do
		printf "$mode $(printf "$text" | git -C src hash-object -w --stdin)\t$path\n"
	done >info && git -C src update-index --index-info <info && git -C src update-ref refs/heads/$1 $(git -C src commit-tree -m $1 -p main $(git -C src write-tree))
}

# files: what there is, with its content
files () {
	find . -path ./.git -prune -o -type f -printf "%P: " -exec cat {} \; -printf "\n" -o -type l -printf "%P -> %l\n" | sort
}

COLLIDED="warning: the following paths have collided (e.g. case-sensitive paths
on a case-insensitive filesystem) and only one from the same
colliding group is in the working tree:
"

test_expect_success 'setup' '
	git init -q src && git -C src commit -q --allow-empty -m zero &&
	printf "100644 upper A\n100644 lower a\n100644 other b\n" | branch twins &&
	printf "120000 .git A\n100755 evil a/hooks/x\n100644 evil a/config\n" | branch link &&
	printf "100644 file A\n100644 x a/x\n100644 y a/y\n" | branch before &&
	printf "100644 x A/x\n100644 y A/y\n100644 file a\n" | branch after &&
	printf "100644 x D/x\n100644 y d/y\n100644 X d/X\n" | branch dirs &&
	printf "120000 elsewhere L\n100644 file l\n100644 file M\n120000 elsewhere m\n" | branch links &&
	printf "100644 one \\\\303\\\\244\n100644 two a\\\\314\\\\210\n" | branch umlaut &&
	printf "100644 evil .g\\\\342\\\\200\\\\214it/config\n" | branch dotgit
'

# clones FS BRANCH FILES COLLIDED STATUS: a clone of it has these
clones () {
	rm -rf $1/c && git clone -q -b $2 src $1/c 2>err || return 1
	if test -n "$4"; then printf "$COLLIDED\n$4" >expect; else : >expect; fi
	test_cmp expect err && (cd $1/c && files) >actual && printf "$3" >expect && test_cmp expect actual &&
	git -C $1/c status --porcelain >actual && printf "$5" >expect && test_cmp expect actual &&
	test_path_is_missing $1/c/.git/hooks/x && ! grep evil $1/c/.git/config
}

test_expect_success 'two files: the later one is there, and clone warns' '
	for fs in icase hfs fat odd; do clones $fs twins "a: lower\nb: other\n" "  '\''A'\''\n  '\''a'\''\n" " M A\n" || return 1; done &&
	for fs in icase hfs fat odd; do clones $fs dirs "D/X: X\nD/y: y\n" "  '\''D/x'\''\n  '\''d/X'\''\n" " M D/x\n" || return 1; done
'

test_expect_success 'inode numbers that differ by name: checkout and reset go on, too' '
	rm -rf odd/c && git clone -q -n -b twins src odd/c && git -C odd/c checkout -q -f && (cd odd/c && files) >actual &&
	printf "a: lower\nb: other\n" >expect && test_cmp expect actual && git -C odd/c status --porcelain >actual && echo " M A" >expect &&
	test_cmp expect actual && git -C odd/c checkout -q -f --detach origin/main && git -C odd/c checkout -q twins && git -C odd/c reset -q --hard &&
	(cd odd/c && files) >actual && test_line_count = 2 actual && test_grep "^b: other" actual
'

test_expect_success 'the entry of the other is not taken for unchanged, even if only sizes and seconds are compared' '
	rm -rf icase/c && git clone -q -c core.checkStat=minimal -b twins src icase/c 2>err && touch -d "10 seconds" icase/c/.git/index &&
	git -C icase/c status --porcelain >actual && echo " M A" >expect && test_cmp expect actual
'

test_expect_success 'however many threads write' '
	{ for i in $(test_seq 40); do printf "100644 upper F%d\n100644 lower f%d\n" $i $i; done; } | branch many &&
	for workers in 1 2 8
	do
		rm -rf icase/c && git -c checkout.workers=$workers -c checkout.thresholdForParallelism=0 clone -q -b many src icase/c 2>err &&
		test_line_count = 84 err && (cd icase/c && files) >actual && test_line_count = 40 actual &&
		! grep upper actual && git -C icase/c status --porcelain >actual && grep -c "^ M F" actual >count && echo 40 >expect &&
		test_cmp expect count || return 1
	done
'

test_expect_success 'a link is not followed: a directory that comes later takes its place' '
	for fs in icase hfs odd; do clones $fs link "a/config: evil\na/hooks/x: evil\n" "  '\''A'\''\n" " D A\n" || return 1; done
'

test_expect_success 'a file and a directory, a file and a link' '
	for fs in icase odd; do
		clones $fs before "a/x: x\na/y: y\n" "  '\''A'\''\n" " D A\n" &&
		clones $fs links "l: file\nm -> elsewhere\n" "  '\''L'\''\n  '\''l'\''\n  '\''M'\''\n  '\''m'\''\n" " T L\n T M\n" || return 1
	done && clones icase after "a: file\n" "  '\''A/x'\''\n  '\''A/y'\''\n" " D A/x\n D A/y\n"
'

test_expect_success 'names that differ in how they are composed' '
	clones hfs umlaut "\303\244: one\n" "  '\''a\314\210'\''\n  '\''\303\244'\''\n" " M \"a\\\\314\\\\210\"\n" &&
	clones icase umlaut "a\314\210: two\n\303\244: one\n" "" ""
'

test_expect_success 'a name of .git that only HFS+ sees is refused by core.protectHFS' '
	rm -rf hfs/c && test_must_fail git -c core.protectHFS=true clone -q -b dotgit src hfs/c 2>err && test_grep "invalid path" err &&
	! grep evil hfs/c/.git/config && git init -q hfs/d && git -C hfs/d config core.protectHFS true &&
	git -C hfs/d fetch -q ../../src dotgit && test_must_fail git -C hfs/d read-tree -m -u FETCH_HEAD && ! grep evil hfs/d/.git/config &&
	oid=$(git -C hfs/d rev-parse FETCH_HEAD:$(printf ".g\342\200\214it")/config) &&
	test_must_fail git -C hfs/d update-index --add --cacheinfo 100644,$oid,$(printf ".g\342\200\214it")/config &&
	test_must_fail git -C hfs/d checkout FETCH_HEAD -- . && ! grep evil hfs/d/.git/config && { git -C src fsck >err 2>&1 || :; } && test_grep hasDotgit err
'

test_expect_success 'init and clone find out what the file system can do' '
	for case in "icase true  true" "hfs true  true" "fat false false true" "plain true  "
	do
		set -- $case && mkdir -p $1 && rm -rf $1/i && git init -q $1/i && git clone -q src $1/i/c &&
		for r in $1/i $1/i/c
		do
			{ git -C $r config core.filemode; git -C $r config core.symlinks; git -C $r config core.ignorecase; } >actual
			case $1 in
			fat) printf "false\nfalse\ntrue\n" ;;
			plain) printf "true\n" ;;
			*) printf "true\ntrue\n" ;;
			esac >expect && test_cmp expect actual || return 1
		done || return 1
	done
'

test_expect_success 'a filter that delays does not write through a link or over a later file' '
	printf "120000 .git A\n100755 Content a/hooks/x.d1\n100644 Content B.d1\n100644 plain b.d1\n" | branch delay &&
	rm -rf icase/c && git init -q icase/c && printf "x* filter=f\nB* filter=f\n" >icase/c/.git/info/attributes &&
	git -C icase/c config core.ignorecase false &&
	git -C icase/c config filter.f.process "perl \"$TEST_DIRECTORY/delay-filter.pl\" \"$TRASH_DIRECTORY/log\"" &&
	git -C icase/c fetch -q ../../src delay && git -C icase/c checkout -q FETCH_HEAD &&
	(cd icase/c && files) >actual && printf "a/hooks/x.d1: Pbagrag\nb.d1: plain\n" >expect && test_cmp expect actual &&
	test_path_is_missing icase/c/.git/hooks/x.d1
'

test_expect_success 'a file that a thread writes while the filter of its twin works' '
	printf "100644 Content B.wait\n100644 plain b.wait\n" | branch meanwhile &&
	rm -rf icase/c && git init -q icase/c && echo "B* filter=f" >icase/c/.git/info/attributes &&
	git -C icase/c config core.ignorecase false && git -C icase/c config filter.f.process \
		"perl \"$TEST_DIRECTORY/delay-filter.pl\" --await=b.wait \"$TRASH_DIRECTORY/log\"" &&
	git -C icase/c fetch -q ../../src meanwhile && git -C icase/c checkout -q FETCH_HEAD 2>err && test_must_be_empty err &&
	(cd icase/c && files) >actual && echo "b.wait: plain" >expect && test_cmp expect actual && ! grep vain log
'

test_expect_success 'renames that change only the case' '
	mkdir src/D && printf 1 >src/D/f && printf 1 >src/File && git -C src read-tree main && git -C src add D File && git -C src commit -q -m one &&
	git -C src rm -q -r D File && mkdir src/d && printf 2 >src/d/f && printf 1 >src/file && git -C src add d file && git -C src commit -q -m two &&
	rm -rf icase/c && git clone -q src icase/c && cd icase/c &&
	clean () { files >../actual && printf "$1" >../expect && test_cmp ../expect ../actual && git status --porcelain >../actual && test_must_be_empty ../actual; } &&
	git checkout -q HEAD~1 && clean "D/f: 1\nFile: 1\n" && git checkout -q main && clean "d/f: 2\nfile: 1\n" &&
	git reset -q --hard HEAD~1 && clean "D/f: 1\nFile: 1\n" && git read-tree -m -u HEAD origin/main &&
	files >../actual && printf "d/f: 2\nfile: 1\n" >../expect && test_cmp ../expect ../actual &&
	git reset -q --hard origin/main && echo changed >file && test_must_fail git checkout -q HEAD~1 2>../err && test_grep "local changes" ../err &&
	echo changed >../expect && test_cmp ../expect file
'

test_expect_success 'a local change under another case is not lost to a new file' '
	git -C src checkout -q -f --detach main~1 &&
	oid=$(echo new | git -C src hash-object -w --stdin) && git -C src update-index --add --cacheinfo 100644,$oid,FILE &&
	git -C src commit -q -m twin && git -C src branch twin && rm -rf icase/c && git clone -q src icase/c && cd icase/c &&
	git checkout -q -f origin/main~1 && echo mine >File && test_must_fail git checkout -q origin/twin 2>err && echo mine >expect &&
	test_cmp expect File
'

# The same commands by stock Git leave the same files, index and messages.
test_expect_success PEER 'stock Git does the same with all these trees' '
	for fs in icase hfs fat
	do
		for b in twins dirs link before umlaut
		do
			rm -rf $fs/c $fs/s && git clone -q -b $b src $fs/c 2>err && stock clone -q -b $b src $fs/s 2>err.stock &&
			touch -d 2001-01-01 $fs/c/.git/index $fs/s/.git/index && # else stock takes A for a, which has the same size and perhaps the same time
			(cd $fs/c && files && git status --porcelain) >ours && (cd $fs/s && files && stock status --porcelain) >theirs &&
			test_cmp theirs ours && { ! test -s err.stock || test_cmp err.stock err; } || return 1
			(cd $fs/c && git config core.filemode; git config core.symlinks; git config core.ignorecase) >ours
			(cd $fs/s && stock config core.filemode; stock config core.symlinks; stock config core.ignorecase) >theirs
			test_cmp theirs ours || return 1
		done
	done
'

test_done
