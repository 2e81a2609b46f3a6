#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git am: formats of mails, options, stops, and how a series goes on'
. "$(dirname "$0")/test-lib.sh"
SQ="'"

# side: one, two (clashes with mine, if merged), three; mine: trunk with another line 10
test_expect_success 'set up' '
	git init -q -b trunk r && cd r && test_seq 20 >f && echo g >g && git add . && git commit -qm base && git branch side &&
	git checkout -q side && sed "s/^5$/five/" f >x && mv x f && test_tick && git commit -qam "one" -m "The body." --author="A U <a@u>" &&
	sed "s/^10$/ten/" f >x && mv x f && test_tick && git commit -qam two && echo n >n && git add n && test_tick && git commit -qm three &&
	git format-patch -q -o ../p trunk && cat ../p/* >../mbox && git checkout -q trunk && git branch start &&
	sed "s/^10$/TEN/" f >x && mv x f && git commit -qam mine && git branch mine && cd .. && s=$PWD/r/.git/rebase-apply p1=$PWD/p/0001-one.patch p2=$PWD/p/0002-two.patch p3=$PWD/p/0003-three.patch
'

# back [BRANCH]: trunk at `start`, no am
back() {
	rm -rf r/.git/rebase-apply && git -C r reset -q --hard ${1:-start} && git -C r clean -fdq
}

subjects() {
	git -C r log --reverse --format=%s start.. >actual && printf "%s\n" "$@" >expect && test_cmp expect actual
}

test_expect_success 'a mailbox becomes the commits that it was made of' '
	back && git -C r am ../mbox >out && printf "Applying: %s\n" one two three >expect && test_cmp expect out &&
	git -C r log --format="%an %ae %ad%n%B" start..side >expect && git -C r log --format="%an %ae %ad%n%B" start.. >actual && test_cmp expect actual &&
	git -C r diff --quiet side && git -C r diff --quiet && git -C r diff --cached --quiet && test_path_is_missing r/.git/rebase-apply &&
	test "$(git -C r rev-parse ORIG_HEAD)" = "$(git -C r rev-parse start)" && git -C r log -g -3 --format=%gs >actual &&
	printf "am: %s\n" three two one >expect && test_cmp expect actual
'

test_expect_success 'from standard input, from several files, in a subdirectory, from a maildir' '
	back && git -C r am -q <mbox >out && test_must_be_empty out && subjects one two three &&
	back && mkdir r/sub && (cd r/sub && git am -q "$p1" "$p2") && subjects one two &&
	back && mkdir -p md/cur md/new && cp p/0001* md/cur/2 && cp p/0003* md/new/10 && git -C r am -q ../md && subjects one three &&
	back && git -C r am </dev/null && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)"
'

test_expect_success 'patches of StGit and Mercurial' '
	mkdir -p st && printf "# This series applies on GIT commit x\n# comment\none\n" >st/series &&
	{ printf "Subject\n\nFrom: S T <s@t>\nDate: Fri, 8 Apr 2005 00:13:20 +0200\n\nbody\n---\n" && sed -n "/^diff/,\$p" p/0001*; } >st/one &&
	printf "Subject S T <s@t> 1112912000 +0200 body\n" >expect &&
	for o in st/series st/one "--patch-format=stgit st/one" "--patch-format=stgit-series st/series"; do
		back && git -C r am -q $(echo "$o" | sed "s,st/,../st/,") && git -C r log -1 --date=raw --format="%s %an <%ae> %ad %b" | grep . >actual && test_cmp expect actual || return 1
	done &&
	{ printf "# HG changeset patch\n# User H G <h@g>\n# Date 1112912000 -7200\n# Node ID x\nSubject\n\nbody\n" && sed -n "/^diff/,\$p" p/0001*; } >hg &&
	printf "Subject H G <h@g> 1112912000 +0200 body\n" >expect && back && git -C r am -q ../hg &&
	git -C r log -1 --date=raw --format="%s %an <%ae> %ad %b" | grep . >actual && test_cmp expect actual &&
	back && test_expect_code 128 git -C r am ../st/series ../st/series 2>err && test_grep "Only one StGIT patch series" err && test_grep "Failed to split patches" err &&
	sed "s/^# Date.*/# Date 1112912000 x/" hg >bad && test_expect_code 128 git -C r am ../bad 2>err && test_grep "invalid Date line" err
'

test_expect_success 'a file of no known format, and a missing one' '
	back && echo hello >text && test_expect_code 128 git -C r am ../text 2>err && test_grep "Patch format detection failed" err &&
	test_expect_code 128 git -C r am nofile 2>err && test_grep "could not open .nofile. for reading" err &&
	test_expect_code 128 git -C r am ../mbox nofile 2>err && test_grep "cannot stat nofile" err && test_path_is_missing r/.git/rebase-apply
'

test_expect_success 'a patch that does not apply stops the series, and the ones before it stay' '
	back mine && test_expect_code 128 git -C r am -s ../mbox >out 2>err && printf "%s\n" "Applying: one" "Applying: two" "Patch failed at 0002 two" >expect &&
	test_cmp expect out && test_grep "error: patch failed: f:7" err && test_grep "error: f: patch does not apply" err &&
	test_grep "^hint: Use .git am --show-current-patch=diff. to see the failed patch" err && test_grep "^hint: When you have resolved this problem, run \"git am --continue\"" err &&
	subjects mine one && git -C r diff --quiet HEAD && git -C r status >out && test_grep "You are in the middle of an am session" out
'

test_expect_success 'rebase-apply/ has the files of Git' '
	ls $s >actual && printf "%s\n" 0001 0002 0003 abort-safety applying apply-opt author-script final-commit info keep last messageid msg next patch quiet quoted-cr \
		scissors sign threeway utf8 | sort >expect && sort actual >x && test_cmp expect x &&
	for f in next:2 last:3 sign:t keep:f quiet:f threeway:f utf8:t scissors: apply-opt: abort-safety:$(git -C r rev-parse HEAD); do
		printf "%s" "${f#*:}" >expect && printf "%s" "$(cat $s/${f%%:*})" >actual && test_cmp expect actual || return 1
	done && printf "two\n\nSigned-off-by: %s <%s>\n" "$GIT_COMMITTER_NAME" "$GIT_COMMITTER_EMAIL" >expect && test_cmp expect $s/final-commit &&
	test_grep "^GIT_AUTHOR_DATE=.*[0-9]" $s/author-script && git -C r am --show-current-patch=diff >out && test_cmp $s/patch out &&
	git -C r am --show-current-patch >out && test_cmp $s/0002 out && git -C r am --show-current-patch=raw >out && test_cmp $s/0002 out
'

test_expect_success 'in progress: no new mailbox; nothing resolved: no commit' '
	test_expect_code 128 git -C r am ../mbox 2>err && test_grep "previous rebase directory .*rebase-apply still exists but mbox given" err &&
	test_expect_code 128 git -C r am <mbox 2>err && test_grep "mbox given" err &&
	test_expect_code 128 git -C r am --continue >out 2>err && test_grep "No changes - did you forget to use .git add.?" out && subjects mine one
'

test_expect_success '--continue commits the index with author, date and message of the mail' '
	sed "s/^TEN$/ten/" r/f >x && mv x r/f && git -C r add f && git -C r am --continue >out && printf "Applying: %s\n" two three >expect && test_cmp expect out &&
	subjects mine one two three && test_path_is_missing r/.git/rebase-apply && git -C r log --format="%an %ad" -2 side >expect && git -C r log --format="%an %ad" -2 >actual && test_cmp expect actual &&
	git -C r log -1 --format=%B >out && test_grep "Signed-off-by: " out
'

test_expect_success '--retry tries again, with other options for this patch alone' '
	back mine && test_must_fail git -C r am ../mbox && test_must_fail git -C r am --retry >out && printf "%s\n" "Applying: two" "Patch failed at 0002 two" >expect && test_cmp expect out &&
	git -C r checkout -q start -- f && sed "s/^5$/five/" r/f >x && mv x r/f && git -C r commit -qam resolved && git -C r am --retry >out &&
	printf "Applying: %s\n" two three >expect && test_cmp expect out && subjects mine one resolved two three &&
	back && sed "s/^7$/seven/" r/f >x && mv x r/f && git -C r commit -qam seven && test_must_fail git -C r am ../mbox && test_must_fail git -C r am --retry -3 >out &&
	test_grep "Falling back to patching base" out && test_grep "Patch failed at 0002 two" out && subjects seven one
'

test_expect_success '--skip leaves the patch out; --quit and --abort' '
	back mine && test_must_fail git -C r am ../mbox && git -C r am --skip >out && echo "Applying: three" >expect && test_cmp expect out && subjects mine one three &&
	back mine && test_must_fail git -C r am ../mbox && git -C r am --quit && subjects mine one && test_path_is_missing r/.git/rebase-apply &&
	back mine && test_must_fail git -C r am -3 ../mbox && echo x >>r/g && git -C r add g && git -C r am --skip && subjects mine one three && git -C r diff --quiet HEAD
'

test_expect_success 'no am in progress' '
	back && for o in --continue --resolved -r --skip --abort --quit --retry --show-current-patch --allow-empty; do
		test_expect_code 128 git -C r am $o 2>err && test_grep "Resolve operation not in progress, we are not resuming" err || return 1
	done && test_expect_code 129 git -C r am --skip --abort 2>err && test_grep "cannot be used together" err &&
	test_expect_code 129 git -C r am --show-current-patch=x 2>err && test_expect_code 129 git -C r am --abort --show-current-patch=diff 2>err &&
	test_grep "options .--abort. and .--show-current-patch=diff. cannot be used together" err
'

test_expect_success '-3 merges with the blobs of the index lines' '
	back && sed "s/^7$/seven/" r/f >x && mv x r/f && git -C r commit -qam seven && git -C r am -3 ../mbox >out 2>err && test_must_be_empty err &&
	printf "%s\n" "Applying: one" "Using index info to reconstruct a base tree..." "M	f" "Falling back to patching base and 3-way merge..." "Auto-merging f" >expect &&
	head -n 5 out >actual && test_cmp expect actual && subjects seven one two three && test_path_is_missing r/.git/rebase-apply && test_path_is_missing r/.git/AUTO_MERGE &&
	test five-seven-ten = "$(grep "[a-z]" r/f | tr "\n" - | sed "s/-$//")" && git -C r diff --quiet HEAD
'

test_expect_success '-3 stops at a conflict, with markers and stages' '
	back mine && test_expect_code 128 git -C r am -3 ../mbox >out 2>err && test_grep "^CONFLICT (content): Merge conflict in f" out && test_grep "Patch failed at 0002 two" out &&
	test_grep "error: Failed to merge in the changes" err && test 3 = $(git -C r ls-files -u | wc -l) && test_grep "^<<<<<<< HEAD" r/f && test_grep "^>>>>>>> two" r/f && subjects mine one &&
	test_expect_code 128 git -C r am --continue >out && test_grep "You still have unmerged paths in your index" out &&
	sed "/^[<=>|]/d; /TEN/d" r/f >x && mv x r/f && git -C r add f && git -C r am --continue && subjects mine one two three
'

test_expect_success '-3: a patch that is there already; blobs that are not; a patch that was edited' '
	back side && git -C r branch -f start side && git -C r am -3 "$p2" >out && test_grep "^No changes -- Patch already applied" out && test side = "$(git -C r name-rev --name-only --refs=side HEAD)" &&
	git -C r branch -f start mine~1 && back mine && sed "s/^index [0-9a-f]*/index 1234567/" p/0002* >q && test_must_fail git -C r am -3 ../q 2>err &&
	test_grep "sha1 information is lacking or useless (f)" err && test_grep "could not build fake ancestor" err &&
	back mine && sed "s/^-10/-11/" p/0002* >q && test_must_fail git -C r am -3 ../q 2>err && test_grep "Did you hand edit your patch?" err
'

test_expect_success 'am.threeWay, am.messageId, am.keepcr; the options against them' '
	back mine && test_must_fail git -C r -c am.threeWay=true am "$p2" >out && test_grep "3-way merge" out && echo t >expect && test_cmp expect $s/threeway &&
	back mine && test_must_fail git -C r -c am.threeWay=true am --no-3way "$p2" >out && test_grep ! "3-way merge" out &&
	sed "2i Message-ID: <1@x>" p/0001* >q && back && git -C r -c am.messageId=true am -q ../q && git -C r log -1 --format=%B >out && test_grep "^Message-ID: <1@x>" out &&
	back && git -C r -c am.messageId=true am -q --no-message-id ../q && git -C r log -1 --format=%B >out && test_grep ! Message-ID out &&
	printf "a\r\n" >r/cr && git -C r add cr && git -C r commit -qm cr && git -C r format-patch -q --stdout -1 >q && back && git -C r -c am.keepcr=true am -q ../q && printf "a\r\n" >expect && test_cmp expect r/cr &&
	back && git -C r am -q --keep-cr ../q && test_cmp expect r/cr && back && git -C r -c am.keepcr=true am -q --no-keep-cr ../q && echo a >expect && test_cmp expect r/cr
'

test_expect_success 'subjects: --keep, --keep-non-patch; --scissors, --quoted-cr, --no-utf8' '
	subject() { back && git -C r am -q "$@" && git -C r log -1 --format=%s >actual; } &&
	sed "s/^Subject:.*/Subject: [x] [PATCH] one/" p/0001* >q && subject ../q && echo one >expect && test_cmp expect actual && subject --keep ../q && echo "[x] [PATCH] one" >expect && test_cmp expect actual &&
	subject --keep-non-patch ../q && echo "[x] one" >expect && test_cmp expect actual &&
	sed "s/^The body.*/lost\n-- >8 --\nThe body/" p/0001* >q && back && git -C r am -q -c ../q && git -C r log -1 --format=%B >out && test_grep ! lost out &&
	back && git -C r -c mailinfo.scissors=true am -q ../q && git -C r log -1 --format=%B >out && test_grep ! lost out && back && git -C r -c mailinfo.scissors=true am -q --no-scissors ../q && git -C r log -1 --format=%B >out && test_grep lost out &&
	back && test_expect_code 129 git -C r am --quoted-cr=x ../q 2>err && test_grep "bad action .x. for .--quoted-cr." err && test_must_fail git -C r am --quoted-cr=strip "$p2" "$p2" && echo strip >expect && test_cmp expect $s/quoted-cr
'

test_expect_success 'dates: --committer-date-is-author-date, --ignore-date' '
	back && git -C r am -q --committer-date-is-author-date "$p1" && git -C r log -1 --format=%ad >expect && git -C r log -1 --format=%cd >actual && test_cmp expect actual &&
	back && GIT_COMMITTER_DATE="1200000000 +0000" git -C r am -q "$p1" && test 1200000000 = $(git -C r log -1 --format=%ct) &&
	back && git -C r am -q --ignore-date "$p1" && git -C r log -1 --format=%ad side~2 >expect && git -C r log -1 --format=%ad >actual && ! test_cmp expect actual
'

test_expect_success 'options for git apply are kept, and used' '
	back && git -C r am -q --exclude=f ../mbox && test_path_is_file r/n && git -C r diff --quiet start -- f && back && mkdir r/d && cp r/f r/d && git -C r add d && git -C r commit -qm d &&
	git -C r am -q --directory=d "$p1" && test_grep five r/d/f && back && test_expect_code 129 git -C r am --whitespace=x "$p1" 2>err && test_grep "unrecognized whitespace option .x." err && test_path_is_dir $s &&
	printf "%s\n" " '"'"'--whitespace=x'"'"'" >expect && test_cmp expect $s/apply-opt && back && test_expect_code 129 git -C r am -Cx "$p1" 2>err && back && test_expect_code 128 git -C r am -px "$p1" &&
	back mine && test_must_fail git -C r am -C1 --ignore-whitespace "--exclude=a b" "$p2" && test_grep "^ .-C1. .--ignore-whitespace. .--exclude=a b.$" $s/apply-opt &&
	back && git -C r am -q --include=n "$p3" && git -C r diff --quiet start -- f && sed "s/^+five/+five /" p/0001* >q && back && git -C r am -q --whitespace=fix ../q 2>err && test_grep "^five$" r/f && test_grep "rebase-apply/patch:" err
'

test_expect_success '--reject leaves rejected hunks in a file' '
	back mine && test_must_fail git -C r am --reject ../mbox 2>err && test_grep "Rejected hunk #1" err && test_path_is_file r/f.rej && subjects mine one && git -C r am --abort && subjects mine
'

test_expect_success '-3 with --reject tells of the patches that it applies to what they were made for' '
	back mine && test_must_fail git -C r am -3 --reject "$p2" >out 2>err && test_grep "CONFLICT (content)" out && sed 2q err >actual &&
	printf "%s\n" "Checking patch f..." "Applied patch f cleanly." >expect && test_cmp expect actual && back mine &&
	{ cat "$p2" && printf "diff --git a/g b/g\nindex 1234567..89abcde 100644\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n"; } >q &&
	test_must_fail git -C r am -3 --reject --include=g ../q 2>err && sed 2q err >actual &&
	printf "%s\n" "Skipped patch ${SQ}f${SQ}." "error: sha1 information is lacking or useless (g)." >expect && test_cmp expect actual && git -C r am --abort
'

test_expect_success 'a mail without a patch: stop, drop, keep, --allow-empty' '
	printf "From x Mon Sep 17 00:00:00 2001\nFrom: A <a@b>\nSubject: [PATCH] text\n\nmore\n" >q && back && test_expect_code 128 git -C r am ../q >out 2>err && echo "Patch is empty." >expect && test_cmp expect out &&
	test_grep "run \"git am --allow-empty\"" err && test_must_fail git -C r am --continue && git -C r am --allow-empty >out && test_grep "No changes - recorded it as an empty commit" out && subjects text &&
	back && git -C r am --empty=drop ../q >out && echo "Skipping: text" >expect && test_cmp expect out && test start = "$(git -C r name-rev --name-only --refs=start HEAD)" &&
	git -C r am --empty=keep ../q >out && echo "Creating an empty commit: text" >expect && test_cmp expect out && subjects text && test_expect_code 129 git -C r am --empty=x ../q
'

test_expect_success 'authors and dates that make no commit stop with the patch in the index' '
	sed "/^From: /d" p/0001* >q && back && test_expect_code 128 git -C r am ../q 2>err && test_grep "empty ident name (for <>) not allowed" err && git -C r diff --cached --name-only >out && echo f >expect && test_cmp expect out && git -C r am --abort &&
	sed "s/^Date: .*/Date: garbage/" p/0001* >q && test_expect_code 128 git -C r am ../q 2>err && test_grep "invalid date format: garbage" err && git -C r am --abort && git -C r diff --quiet start
'

test_expect_success 'a mail that cannot be read stops the series, and the patches before it stay' '
	printf "From a@b Mon Sep 17 00:00:00 2001\nFrom: N <n@p>\nSubject: =?U" >bad &&
	back && test_expect_code 128 git -C r am "$p1" ../bad 2>err && test_grep "could not parse patch" err && subjects one && test "$(cat $s/next)" = 2 &&
	test_path_is_missing $s/final-commit && test_must_be_empty $s/patch && test_must_be_empty $s/msg && test_grep "Subject: =?U" $s/info && git -C r am --abort &&
	test start = "$(git -C r name-rev --name-only --refs=start HEAD)" && test_expect_code 128 git -C r am ../bad && test "$(cat $s/next)" = 1 && git -C r am --abort &&
	back mine && test_must_fail git -C r am ../mbox && echo >$s/0003 && test_expect_code 128 git -C r am --skip 2>err && test_grep "^error: empty patch: .*/patch" err &&
	test "$(cat $s/next)" = 3 && subjects mine one && git -C r am --skip && subjects mine one
'

test_expect_success 'counts that are no numbers are an error' '
	back mine && test_must_fail git -C r am ../mbox && n=$(cat $s/next) && l=$(cat $s/last) &&
	for x in "" x 1x -1 2147483647; do
		echo "$x" >$s/next && test_expect_code 128 git -C r am --skip 2>err && test_grep "Corrupt rebase-apply/next file" err && echo $n >$s/next &&
		echo "$x" >$s/last && test_expect_code 128 git -C r am --skip 2>err && test_grep "Corrupt rebase-apply/last file" err && echo $l >$s/last || return 1
	done && git -C r am --abort
'

test_expect_success '--quit leaves the series if the resolutions cannot be cleared' '
	back mine && test_must_fail git -C r am ../mbox && mkdir r/.git/MERGE_RR && test_expect_code 128 git -C r -c rerere.enabled am --quit 2>err && test_grep "MERGE_RR" err && test_path_is_file $s/next &&
	rmdir r/.git/MERGE_RR && git -C r -c rerere.enabled am --quit && test_path_is_missing $s
'

# order WORDS...: lines of the file both that begin like this come in this order
order () {
	for w; do grep -n "^$w" both | sed "s/:.*//;q"; done >at && test_line_count = $# at && sort -n at | test_cmp at -
}

test_expect_success 'standard output comes in order with the messages' '
	back mine && test_must_fail git -C r am ../mbox >both 2>&1 && order "Applying: one" "Applying: two" "error: " "Patch failed at 0002" "hint: " &&
	test_must_fail git -C r am --resolved >both 2>&1 && order "No changes - did" "hint: " && test_must_fail git -C r am -3 --retry >both 2>&1 && order "Applying: two" "Using index info" "error: Failed to merge" "Patch failed at" "hint: " &&
	test_must_fail git -C r am --continue >both 2>&1 && order "You still have unmerged" "hint: " && git -C r am --abort
'

test_expect_success 'a dirty index that was found stays noted until patches are applied again' '
	back && sed "s/^Date: .*/Date: garbage/" p/0001* >q && test_must_fail git -C r am ../q && test_path_is_missing $s/dirtyindex &&
	test_expect_code 128 git -C r am --retry 2>err && test_grep "Dirty index: cannot apply patches (dirty: f)" err && test_path_is_file $s/dirtyindex &&
	test_expect_code 128 git -C r am --continue 2>err && test_grep "invalid date format: garbage" err && test_path_is_file $s/dirtyindex &&
	git -C r am --abort && git -C r diff --cached --name-only >actual && echo f >expect && test_cmp expect actual &&
	back && test_must_fail git -C r am ../q && test_must_fail git -C r am --retry && git -C r reset -q --hard && test_must_fail git -C r am --retry && test_path_is_missing $s/dirtyindex && git -C r am --abort
'

test_expect_success 'a dirty index; local changes in files, in the way or not' '
	back && echo x >>r/g && git -C r add g && test_expect_code 128 git -C r am ../mbox 2>err && test_grep "Dirty index: cannot apply patches (dirty: g)" err && test_path_is_file $s/dirtyindex && git -C r am --abort && git -C r diff --cached --name-only >out && echo g >expect && test_cmp expect out &&
	git -C r reset -q && git -C r am -q ../mbox && test_grep x r/g && back && echo x >>r/f && test_must_fail git -C r am ../mbox 2>err && test_grep "f: does not match index" err && back && echo x >r/n && test_must_fail git -C r am ../mbox 2>err && test_grep "n: already exists in working directory" err && subjects one two &&
	back mine && sed "s/^1$/local/" r/f >x && mv x r/f && test_must_fail git -C r am -3 "$p2" >out 2>err && test_grep "local changes to the following files would be overwritten by merge" err && test_grep ! CONFLICT out && test_grep local r/f
'

test_expect_success 'hooks see each patch, and can refuse' '
	back && mkdir -p r/.git/hooks && for h in applypatch-msg pre-applypatch post-applypatch; do
		write_script r/.git/hooks/$h <<-EOF
		echo $h \$(git log -1 --format=%s) \$(git diff --cached --name-only) \$(cat .git/rebase-apply/next) >>../seen
		EOF
	done && rm -f seen && git -C r am -q "$p1" "$p3" && printf "%s\n" "applypatch-msg base 1" "pre-applypatch base f 1" "post-applypatch one 1" "applypatch-msg one 2" "pre-applypatch one n 2" "post-applypatch three 2" >expect &&
	test_cmp expect seen && rm seen && back && git -C r am -q -n "$p1" && echo "post-applypatch one 1" >expect && test_cmp expect seen && rm r/.git/hooks/* &&
	write_script r/.git/hooks/applypatch-msg <<-\EOF &&
	echo "by the hook" >>"$1"
	EOF
	back && git -C r am -q "$p1" && git -C r log -1 --format=%b >out && test_grep "by the hook" out && echo "exit 3" >>r/.git/hooks/applypatch-msg && back && test_expect_code 1 git -C r am "$p1" && git -C r diff --quiet start && git -C r am --abort && rm r/.git/hooks/* &&
	write_script r/.git/hooks/pre-applypatch <<-\EOF &&
	exit 3
	EOF
	test_expect_code 1 git -C r am "$p1" && git -C r diff --cached --name-only >out && echo f >expect && test_cmp expect out && rm r/.git/hooks/* && git -C r am --continue && subjects one
'

test_expect_success '-i asks about each patch' '
	back && printf "n\ny\ny\n" | git -C r am -i "$p1" "$p2" "$p3" >out && test_grep "^Apply? \[y\]es" out && subjects two three && back && echo a | git -C r am -i "$p1" "$p2" && subjects one two &&
	back && printf "v\ne\ny\n" | GIT_PAGER=cat GIT_EDITOR="echo edited >" git -C r am -i "$p1" >out && test_grep "^+five" out && subjects edited && back && test_expect_code 128 git -C r am -i "$p1" </dev/null 2>err && test_grep "unable to read from stdin; aborting" err && echo 1 >expect && test_cmp expect $s/next &&
	back && test_expect_code 128 git -C r am -i <mbox 2>err && test_grep "interactive mode requires patches on the command line" err
'

test_expect_success '--resolvemsg, advice' '
	back mine && test_must_fail git -C r am --resolvemsg=XYZ "$p2" 2>err && test_grep "^hint: XYZ" err && test_grep ! "git am --skip" err && back mine && test_must_fail git -C r -c advice.mergeConflict=false -c advice.amWorkDir=false am "$p2" 2>err && test_grep ! hint: err
'

test_expect_success 'rerere records a resolution, and uses it' '
	back mine && git -C r config rerere.enabled true && test_must_fail git -C r am -3 "$p2" && sed "/^[<=>|]/d; /TEN/d" r/f >x && mv x r/f && cp r/f want && git -C r add f && git -C r am --continue 2>err && test_grep "Recorded resolution for" err &&
	back mine && test_must_fail git -C r am -3 --rerere-autoupdate "$p2" 2>err && test_grep "using previous resolution" err && test_cmp want r/f && git -C r diff --name-only --diff-filter=U >out && test_must_be_empty out && echo t >expect && test_cmp expect $s/rerere-autoupdate && git -C r am --continue && git -C r config --unset rerere.enabled
'

# unborn: r is on a branch without a commit
unborn() {
	back && git -C r checkout -q --orphan new && git -C r rm -qrf .
}

test_expect_success 'a branch without a commit, a detached HEAD' '
	unborn && git -C r am --exclude=f "$p3" 2>err && test_grep "applying to an empty history" err && test 1 = $(git -C r rev-list --count HEAD) && test_path_is_file r/n &&
	git -C r checkout -qf --detach start && git -C r branch -qD new && git -C r am -q "$p1" && test HEAD = "$(git -C r rev-parse --abbrev-ref HEAD)" &&
	test "$(git -C r rev-parse HEAD^)" = "$(git -C r rev-parse start)" && git -C r checkout -qf trunk
'

test_expect_success '--abort of a series on a branch without a commit deletes it' '
	unborn && sed "s,a/f b/f,a/g b/g,; s,^\([-+]* .\)/f$,\1/g," p/0001* >q && test_must_fail git -C r am --exclude=f "$p3" ../q && git -C r rev-parse -q --verify HEAD &&
	git -C r am --abort && test_must_fail git -C r rev-parse -q --verify HEAD && git -C r status --porcelain >out && test_must_be_empty out && git -C r checkout -qf trunk
'

test_expect_success '-3: a merge that would change a file with other changes stops, and the file stays' '
	git init -q -b main dirty && cd dirty && test_seq 20 >f && git add f && git commit -qm base && git branch side && sed "s/^5$/five/" f >x && mv x f && git commit -qam mine &&
	git checkout -q side && sed "s/^6$/six/" f >x && mv x f && git commit -qam theirs && git format-patch -q -1 --stdout >../p3 && git checkout -q main &&
	sed "s/^15$/dirty/" f >x && mv x f && test_expect_code 128 git am -3 ../p3 2>err && test_grep "^error: Your local changes to the following files would be overwritten by merge:$" err &&
	test_grep "^error: Failed to merge in the changes.$" err && test_path_is_file .git/rebase-apply/next && test_grep dirty f && git am --abort && test_grep dirty f &&
	test "$(git log -1 --format=%s)" = mine
'

test_done
