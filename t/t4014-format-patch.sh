#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='format-patch: a series of mails, its files, numbers, threads and cover letter'
. "$(dirname "$0")/test-lib.sh"

# field NAME FILE: the header, with its continuation lines
field () {
	awk -v name="$1: " '/^$/ { exit } index($0, name) == 1 { on = 1; print; next } /^[ \t]/ && on { print; next } { on = 0 }' "$2"
}

subjects () {
	git format-patch --stdout "$@" >mails && sed -n "s/^Subject: //p" mails
}

test_expect_success 'set up' '
	git init -q -b main . && test_tick && echo one >a && git add a && git commit -qm "root" && git branch base &&
	test_tick && echo two >>a && git commit -qam "Second: a/b

Body of it." &&
	test_tick && git mv a b && git commit -qm "third..thing" &&
	test_tick && printf "\000\001" >bin && git add bin && git commit -qm "bin" &&
	id2=$(git rev-parse HEAD~2) && id3=$(git rev-parse HEAD~1) && id4=$(git rev-parse HEAD)
'

test_expect_success 'a mail has headers, message, diffstat, patch and signature' '
	git format-patch --stdout --signature=me -1 $id2 >out &&
	cat >expect <<-EOF &&
	From $id2 Mon Sep 17 00:00:00 2001
	From: $GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL>
	$(git log -1 --format="Date: %aD" $id2)
	Subject: [PATCH] Second: a/b

	Body of it.
	---
	 a | 1 +
	 1 file changed, 1 insertion(+)

	diff --git a/a b/a
	index $(git rev-parse --short HEAD~3:a)..$(git rev-parse --short HEAD~2:a) 100644
	--- a/a
	+++ b/a
	@@ -1 +1,2 @@
	 one
	+two
	-- 
	me

	EOF
	test_cmp expect out
'

test_expect_success 'files are named by number and subject, and printed' '
	git format-patch base >out && printf "%s\n" 0001-Second-a-b.patch 0002-third.thing.patch 0003-bin.patch >expect && test_cmp expect out &&
	for f in $(cat out); do test -f $f || return 1; done &&
	test_grep "^Subject: .PATCH 2/3. third..thing$" 0002-third.thing.patch && rm 000* &&
	git format-patch -q -o x/y --suffix=.txt --start-number=9 -2 >out && test_must_be_empty out &&
	ls x/y >out && printf "%s\n" 0009-third.thing.txt 0010-bin.txt >expect && test_cmp expect out && rm -r x &&
	git -c format.outputDirectory=z format-patch --numbered-files -v2 -1 >out && test "$(cat out)" = z/1 && test -f z/1 && rm -r z &&
	git format-patch -v2/x --filename-max-length=15 -1 $id2 >out && test "$(cat out)" = v2-x-000.patch && rm v2*
'

test_expect_success 'names are relative to the place where the command starts' '
	mkdir sub && (cd sub && git format-patch -1 && git format-patch -o in -1) >out &&
	printf "%s\n" 0001-bin.patch in/0001-bin.patch >expect && test_cmp expect out &&
	test_cmp sub/0001-bin.patch sub/in/0001-bin.patch && rm -r sub
'

test_expect_success 'one revision is where the series begins, with a number or --root where it ends' '
	test "$(subjects base | wc -l)" -eq 3 && test "$(subjects HEAD)" = "" && test "$(subjects)" = "" &&
	test "$(subjects --root base)" = "[PATCH] root" && test "$(subjects -1 base)" = "[PATCH] root" &&
	test "$(subjects base..main~2)" = "[PATCH] Second: a/b" && test "$(subjects main~2...main -- bin)" = "[PATCH] bin"
'

test_expect_success 'numbers, prefixes and versions of subjects' '
	test "$(subjects -n -1)" = "[PATCH 1/1] bin" && test "$(subjects -N -2 | tail -n 1)" = "[PATCH] bin" &&
	test "$(subjects --rfc -v3 -1)" = "[RFC PATCH v3] bin" && test "$(subjects --rfc="-(WIP)" -v3 -1)" = "[PATCH (WIP) v3] bin" &&
	test "$(subjects --subject-prefix=X --start-number=9 -2 | tail -n 1)" = "[X 10/10] bin" &&
	test "$(subjects --subject-prefix= -1)" = bin && test "$(subjects -k -1)" = bin && test "$(git -c format.numbered=true format-patch -k --stdout -1 | grep ^Subject)" = "Subject: bin" &&
	test "$(git -c format.numbered=true -c format.subjectPrefix=Y format-patch --stdout -1 | grep ^Subject)" = "Subject: [Y 1/1] bin" &&
	test_expect_code 128 git format-patch -k -n -1 2>err && test_grep "options .-n. and .-k. cannot be used together" err &&
	test_expect_code 128 git format-patch -k --rfc -1 2>err && test_grep "options .--subject-prefix/--rfc. and .-k." err
'

test_expect_success 'headers and recipients' '
	git -c format.to=t0 -c format.headers="Cc: c0" format-patch --stdout -1 --to=t1 --cc=c1 --add-header="X: y" >out &&
	sed -n "/^Subject/,/^$/p" out >got && printf "%s\n" "Subject: [PATCH] bin" "X: y" "To: t0," "    t1" "Cc: c0," "    c1" "" >expect && test_cmp expect got &&
	git -c format.to=t0 format-patch --stdout -1 --no-to --cc=c >out && ! grep ^To: out && test_grep "^Cc: c$" out &&
	git format-patch --stdout -1 --to=x --add-header="X: y" --no-add-header >out && ! grep -E "^(To|X):" out &&
	git format-patch --stdout -1 --zero-commit >out && test_grep "^From 0*0 Mon Sep 17 00:00:00 2001$" out
'

test_expect_success 'another sender names the author in the body' '
	git format-patch --stdout -1 --from="Z <z@z>" >out && test "$(field From out)" = "From: Z <z@z>" &&
	sed "1,/^$/d" out | head -n 2 >got && printf "From: $GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL>\n\n" >expect && test_cmp expect got &&
	git format-patch --stdout -1 --from="$GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL>" >out && test "$(grep -c ^From: out)" -eq 1 &&
	git format-patch --stdout -1 --from="$GIT_AUTHOR_NAME <$GIT_AUTHOR_EMAIL>" --force-in-body-from >out && test "$(grep -c ^From: out)" -eq 2 &&
	git -c format.from=true format-patch --stdout -1 >out && test_grep "^From: $GIT_COMMITTER_NAME" out &&
	git -c format.from=true format-patch --no-from --stdout -1 >out && test "$(grep -c ^From: out)" -eq 1 &&
	git commit-tree -m s -p HEAD HEAD: >id && git format-patch --stdout -1 --from="$(printf "\303\204") <a@b>" $(cat id) >out &&
	test_grep "^From: =?UTF-8?q?=C3=84?= <a@b>$" out && git format-patch --no-encode-email-headers --stdout -1 --from="$(printf "\303\204") <a@b>" >out &&
	test_grep "^From: $(printf "\303\204") <a@b>$" out && test_expect_code 128 git format-patch -1 --from=x 2>err && test_grep "invalid ident line: x" err
'

test_expect_success 'a trailer of the committer, unless the message has it' '
	sob="Signed-off-by: $GIT_COMMITTER_NAME <$GIT_COMMITTER_EMAIL>" &&
	git format-patch --stdout -s -1 $id2 >out && sed -n "/^Body/,/^---/p" out >got && printf "%s\n" "Body of it." "" "$sob" --- >expect && test_cmp expect got &&
	c=$(git commit-tree -m "s

Acked-by: x
$sob
Cc: y" -p $id3 $id4:) && git format-patch --stdout -s -1 $c >out && test "$(grep -c "^Signed" out)" -eq 1 &&
	c=$(git commit-tree -m "s" -p $id3 $id4:) && git -c format.signOff=true format-patch --stdout -1 $c >out &&
	sed -n "/^Subject/,/^---/p" out >got && printf "%s\n" "Subject: [PATCH] s" "" "$sob" --- >expect && test_cmp expect got
'

test_expect_success 'the signature: an option, a file, settings' '
	end () { git "$@" --stdout -1 >out && sed "1,/^-- $/d" out; } &&
	test "$(end format-patch)" = "$(git version | sed "s/git version //")" &&
	printf "a\nb\n" >sig && printf "a\nb\n\n" >expect && end format-patch --signature-file=sig >got && test_cmp expect got &&
	test "$(end -c format.signature=c format-patch)" = c && test "$(end -c format.signature=c format-patch --signature-file=sig | head -n 1)" = a &&
	test "$(end -c format.signatureFile=sig format-patch | head -n 1)" = a && git format-patch --no-signature --stdout -1 >out && ! grep "^-- $" out &&
	test_expect_code 128 git format-patch --signature-file=none -1 2>err && test_grep "unable to read signature file .none." err && rm sig
'

test_expect_success 'two parts, attached or inline' '
	git format-patch --stdout --attach=B -1 $id2 >out && test_grep "^Content-Type: multipart/mixed; boundary=.------------B.$" out &&
	test_grep "^Content-Disposition: attachment; filename=.0001-Second-a-b.patch.$" out && test_grep "^--------------B--$" out && ! grep "^-- $" out &&
	test "$(grep -c "^--------------B$" out)" -eq 2 &&
	git -c format.attach=C format-patch --stdout --inline -1 $id2 >out && test_grep "^Content-Disposition: inline" out && ! grep "^--------------C$" out &&
	git -c format.attach format-patch --no-attach --stdout -1 >out && ! grep multipart out
'

test_expect_success 'threads: all reply to the first, each replies to the one before, or to a given one' '
	ids () { git format-patch "$@" >mails && sed -n "s/^\(Message-ID\|In-Reply-To\|References\): *//p; s/^	<\(.*\)/+<\1/p" mails | sed "s/[.][0-9]*[.]git[.].*>/>/; s/$id2/2/; s/$id3/3/; s/$id4/4/" | tr "\n" " "; } &&
	test "$(ids --stdout --thread -3)" = "<2> <3> <2> <2> <4> <2> <2> " &&
	test "$(ids --stdout --thread=deep -3)" = "<2> <3> <2> <2> <4> <3> <2> +<3> " &&
	test "$(ids --stdout --thread --cover-letter --in-reply-to="<x@y>" -1)" = "<cover> <x@y> <x@y> <4> <cover> <x@y> +<cover> " &&
	test "$(ids --stdout --in-reply-to=x -2)" = "<x> <x> <x> <x> " && test "$(ids --stdout -2)" = "" &&
	test "$(git -c format.thread=deep format-patch --stdout -2 | grep -c ^Message-ID)" -eq 2
'

test_expect_success 'a cover letter: subject and body, commits, a diffstat' '
	git format-patch --cover-letter --signature=me -2 >out && test "$(head -n 1 out)" = 0000-cover-letter.patch &&
	sed "1,/^Subject/d" 0000-cover-letter.patch >got && cat >expect <<-EOF &&

	*** BLURB HERE ***

	$GIT_AUTHOR_NAME (2):
	  third..thing
	  bin

	 a => b |   0
	 bin    | Bin 0 -> 2 bytes
	 2 files changed, 0 insertions(+), 0 deletions(-)
	 rename a => b (100%)
	 create mode 100644 bin

	-- 
	me

	EOF
	test_cmp expect got && test_grep "^Subject: .PATCH 0/2. [*][*][*] SUBJECT HERE" 0000-cover-letter.patch && rm 0*.patch &&
	git -c format.coverLetter=auto format-patch --stdout -1 >out && ! grep BLURB out &&
	git -c format.coverLetter=auto format-patch --stdout -2 >out && test_grep BLURB out &&
	git -c format.coverLetter=true format-patch --no-cover-letter --stdout -2 >out && ! grep BLURB out &&
	git checkout -q -b side base && echo s >s && git add s && git commit -qm side && git checkout -q main &&
	git format-patch --stdout --cover-letter main side ^main~1 ^base >out && sed "/^-- $/,\$d" out >got && ! grep "changed" got
'

test_expect_success 'the description of the branch is body or subject of the letter' '
	git config branch.main.description "the
subject

the body" && letter () { git format-patch --stdout --cover-letter "$@" >out && sed -n "/^Subject/,/^$GIT_AUTHOR_NAME/p" out; } &&
	letter -1 >got && test_grep "SUBJECT HERE" got && test_grep "^the body$" got &&
	letter -1 --cover-from-description=subject >got && test_grep "0/1. the subject$" got && ! grep "^the$" got && test_grep "^the body$" got &&
	git config branch.main.description "$(printf "%0101d" 0)" && letter -1 --cover-from-description=auto >got && test_grep "SUBJECT HERE" got && test_grep "^0000" got &&
	letter -1 --cover-from-description=none >got && test_grep "BLURB" got && letter base..main >got && test_grep "^0000" got &&
	echo file >desc && letter -1 --description-file=desc >got && test_grep "^file$" got && letter -1 $id3 >got && test_grep BLURB got &&
	printf "\n\nx\n" >desc && letter -1 --description-file=desc --cover-from-description=subject >got && test_grep "0/1. $" got && test_grep "^x$" got &&
	test_expect_code 128 git format-patch --cover-from-description=x -1 2>err && test_grep "x: invalid cover from description mode" err
'

test_expect_success 'formats of the list of commits' '
	git format-patch --stdout --commit-list-format=modern -2 >out && test_grep "^.1/2. third..thing$" out && test_grep "^.2/2. bin$" out &&
	git format-patch --stdout --commit-list-format="log:%s-%an" -1 >out && test_grep "^bin-$GIT_AUTHOR_NAME$" out &&
	git -c format.commitListFormat=modern format-patch --stdout -1 >out && ! grep BLURB out &&
	test_expect_code 128 git format-patch --stdout --commit-list-format=x -1 2>err && test_grep ".x. is not a valid format string" err
'

test_expect_success 'the base of the series, and the patches between' '
	case $TEST_HASH in
	sha1) one=cbbc4f13f5f9f4580a1f65c5738a394cfb396f92 two=3f597fbd42d953db1b9fa880efd79ffb38413498 ;;
	*)
		one=26eccfbedf30a0d470c095c3695305320c111a7e52adc7dc7c70371b2bcd03d4
		two=4d9211f185ad98ea044b2d54adb1aef0b45451e9a5dda54e4f43d817f092c21d ;;
	esac &&
	git format-patch --stdout --base=base -1 >out && sed -n "/^base-commit/,/^-- /p" out >got &&
	printf "%s\n" "base-commit: $(git rev-parse base)" "prerequisite-patch-id: $one" "prerequisite-patch-id: $two" "-- " >expect && test_cmp expect got &&
	git branch --set-upstream-to=base && git format-patch --stdout --base=auto base >out && test_grep "^base-commit: $(git rev-parse base)$" out &&
	git -c format.useAutoBase=true format-patch --stdout -1 >out && test_grep "^base-commit" out &&
	git -c format.useAutoBase=true format-patch --no-base --stdout -1 >out && ! grep "^base-commit" out && git branch --unset-upstream &&
	test_expect_code 128 git format-patch --base=auto -1 2>err && test_grep "failed to get upstream" err && git -c format.useAutoBase=whenAble format-patch --stdout -1 >out &&
	test_expect_code 128 git format-patch --base=$id4 -1 2>err && test_grep "base commit should be the ancestor\|shouldn.t be in revision list" err &&
	test_expect_code 128 git format-patch --base=nope -1 2>err && test_grep "unknown commit nope" err
'

test_expect_success 'changes that the other side has are left out' '
	git checkout -q -b other base && git cherry-pick $id2 >/dev/null && git checkout -q main &&
	test "$(subjects --ignore-if-in-upstream other | wc -l)" -eq 2 && test "$(subjects other | wc -l)" -eq 3 &&
	test_expect_code 128 git format-patch --ignore-if-in-upstream -1 2>err && test_grep "need exactly one range" err
'

test_expect_success 'differences to an earlier version' '
	git format-patch --stdout -v2 --interdiff=$id3 -1 >out && sed -n "/^Interdiff/,/^  Binary\|^  GIT binary/p" out >got && test_grep "^Interdiff against v1:$" got && test_grep "^  diff --git a/bin b/bin$" got &&
	git format-patch --stdout --cover-letter --interdiff=$id2 -2 >out && test_grep "^Interdiff:$" out && test_grep "^rename from a$" out &&
	test_expect_code 128 git format-patch --stdout --interdiff=$id2 -2 --no-cover-letter 2>err && test_grep "requires --cover-letter or single patch" err
'

test_expect_success 'patches: binary ones can be applied, -p has no diffstat, notes are below the dashes' '
	git format-patch --stdout -1 >out && test_grep "^GIT binary patch$" out && git format-patch --stdout --no-binary -1 >out && test_grep "^Binary files" out &&
	git format-patch --stdout -p -1 $id2 >out && ! grep "^---$" out && git format-patch --stdout --stat -1 $id2 >out && test_grep "^---$" out &&
	printf "a note\n" >note && blob=$(git hash-object -w note) && tree=$(printf "100644 blob $blob\t$id4\n" | git mktree) &&
	git update-ref refs/notes/commits $(git commit-tree -m n $tree) && git format-patch --stdout --notes -1 >out &&
	sed -n "/^---$/,/^ bin/p" out >got && printf "%s\n" --- "" Notes: "    a note" "" " bin | Bin 0 -> 2 bytes" >expect && test_cmp expect got &&
	git format-patch --stdout -1 >out && ! grep Notes out && git -c format.notes=true format-patch --stdout -1 >out && test_grep Notes out &&
	git -c diff.noprefix=true -c color.ui=always format-patch --stdout -1 $id2 >out && test_grep "^--- a/a$" out &&
	git -c format.noprefix=true format-patch --stdout -1 $id2 >out && test_grep "^--- a$" out
'

test_expect_success 'the mails of a merge request can be applied in another repository' '
	git format-patch --full-index --no-signoff --no-signature --stdout base...main~2 >out && git init -q there && git -C there fetch -q .. base && git -C there checkout -q FETCH_HEAD &&
	git -C there apply --index ../out && test "$(git -C there write-tree)" = "$(git rev-parse main~2:)"
'

test_expect_success 'merges are left out, empty commits are not' '
	m=$(git commit-tree -p main -p other -m merge main:) && test "$(subjects main..$m | grep -c merge)" -eq 0 &&
	e=$(git commit-tree -p main -m empty main:) && git format-patch --signature=x --stdout main..$e >out && tail -n 5 out >got &&
	printf "%s\n" "Subject: [PATCH] empty" "" "-- " x "" >expect && test_cmp expect got
'

test_expect_success 'wrong options, and output that cannot be written' '
	for o in --name-only --name-status --check; do test_expect_code 128 git format-patch $o -1 2>err && test_grep "fatal: $o does not make sense" err || return 1; done &&
	test_expect_code 128 git format-patch --creation-factor=9 -1 2>err && test_grep "requires .--range-diff" err &&
	test_expect_code 128 git format-patch --stdout --output=x -1 2>err && test_grep "options .--stdout. and .--output. cannot" err &&
	test_expect_code 128 git format-patch --stdout -o zz -1 2>err && test_grep "options .--stdout. and .--output-directory. cannot" err &&
	test_expect_code 128 git format-patch --output=y -o zz -1 2>err && test_grep "options .--output. and .--output-directory. cannot" err && test_path_is_missing zz &&
	git -c format.outputDirectory=zz format-patch --output=y -1 && test_path_is_file y && rm y && test_path_is_missing zz &&
	test_expect_code 128 git format-patch --no-such -1 2>err && test_grep "unrecognized argument: --no-such" err &&
	mkdir 0001-bin.patch && test_expect_code 128 git format-patch -1 2>err && test_grep "cannot open patch file ./0001-bin.patch" err && rmdir 0001-bin.patch &&
	git format-patch --output=one -2 >out && test_must_be_empty out && test "$(grep -c "^Subject" one)" -eq 2
'

test_expect_success 'mails on standard output are quoted if format.mboxrd is set' '
	c=$(git commit-tree -p main -m "s

From x" main:) && git -c format.mboxrd=true format-patch --stdout -1 $c >out && test_grep "^>From x$" out &&
	git -c format.mboxrd=true format-patch --output=f -1 $c && test_grep "^From x$" f
'

test_expect_success 'the numbers of patches count modes and all files; only the first mail has them' '
	git init -q -b main modes && (cd modes && seq 30 >a && seq 40 >b && git add . && git commit -qm 1 && chmod +x a && seq 41 >b && seq 9 >c && git add . &&
	git commit -qm 2 && seq 3 >a && git commit -qam 3 && seq 4 >a && git commit -qam 4 && git format-patch --stdout --base=HEAD~3 -2) >out &&
	case $TEST_HASH in
	sha1) id=eb09b0b2f778449c15cb7800bbfc23a59d8dd171 ;;
	*) id=8ee5b4ca0bba57a05f9b8a8eec0d1ccc5b614410f28ef930a80c5814cb44733a ;;
	esac &&
	grep "^prereq" out >got && echo "prerequisite-patch-id: $id" >expect && test_cmp expect got && test "$(grep -c "^base-commit" out)" -eq 1
'

test_expect_success 'texts that are not ASCII, or not UTF-8' '
	latin=$(printf "tree %s\nparent %s\nauthor \344 <a@x> 1 +0000\ncommitter C <c@x> 1 +0000\nencoding ISO-8859-1\n\ns\344\n" $(git rev-parse main:) $id3 |
		git hash-object -t commit -w --stdin) &&
	git -c i18n.logOutputEncoding=ISO-8859-1 format-patch --stdout --cover-letter --commit-list-format=modern -1 $latin >out &&
	test_grep "^Content-Type: text/plain; charset=UTF-8$" out && printf "[1/1] s\344\n" >expect && grep -a "^.1/1. s" out >got && test_cmp expect got &&
	c=$(GIT_AUTHOR_NAME=$(printf "\303\204") git commit-tree -p main -m s main~:) && git format-patch --stdout -1 $c >out && ! grep 8bit out &&
	git format-patch --stdout -1 --from $c >out && test_grep "^Content-Transfer-Encoding: 8bit$" out && test_grep "^From: $(printf "\303\204") <" out &&
	GIT_COMMITTER_NAME=$(printf "\303\204") git format-patch --stdout -s -1 >out && test_grep "^Content-Transfer-Encoding: 8bit$" out &&
	c=$(git commit-tree -p main -m "one
two" main~:) && git format-patch --stdout -k -1 $c >out && test_grep "^Subject: =?UTF-8?q?one=0Atwo?=$" out
'

test_expect_success 'settings that are for people do not count' '
	echo "bin diff=x" >.gitattributes && git -c diff.x.textconv="echo text" format-patch --stdout -1 >out && test_grep "^GIT binary patch$" out && rm .gitattributes &&
	git format-patch --stdout --text -1 >out && ! grep -a "GIT binary patch" out && test_grep "^index $(git rev-parse --short $EMPTY_TREE | sed "s/./0/g")[.][.][0-9a-f]*$" out &&
	git -c diff.mnemonicPrefix=true -c diff.srcPrefix=x/ format-patch --stdout -1 $id2 >out && test_grep "^--- a/a$" out &&
	git -c diff.srcPrefix=x/ format-patch --stdout -1 $id2 >out && test_grep "^--- x/a$" out &&
	n=$(printf "%090d" 0) && c=$(printf "100644 blob %s\t$n\n" $(git rev-parse main:b) | git mktree) && git format-patch --stdout -1 $(git commit-tree -p main -m s $c) >out &&
	sed -n "/^---$/,/^$/p" out | grep "|" >got && test_grep "^ [.][.][.]0" got && ! grep "^.\{73\}" got &&
	git format-patch --suffix=.long --filename-max-length=1 -1 >out && test "$(cat out)" = 0001.long && rm 0001.long
'

test_done
