#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='cherry-pick, revert, rebase, stash: options of the merge, unmerged entries, states of one another'
. "$(dirname "$0")/test-lib.sh"

# main: base, m (line 1 of f; .gitattributes); crlf, from base: CRLF in f, and line 5
test_expect_success 'set up' '
	git init -q -b main start && (
		cd start && printf "%s\n" 1 2 3 4 5 >f && git add f && git commit -q -m base && git checkout -q -b crlf &&
		printf "%s\r\n" 1 2 3 4 V >f && git add f && git commit -q -m crlf && git checkout -q main &&
		printf "%s\n" I 2 3 4 5 >f && echo "* text=auto" >.gitattributes && git add . && git commit -q -m m
	)
'
copy() { rm -rf r && cp -R start r; }
has_both() { printf "%s\n" I 2 3 4 V >expect && git -C r cat-file blob ${1:-HEAD:f} >actual && test_cmp_bin expect actual; }

test_expect_success '-X renormalize, merge.renormalize' '
	copy && test_expect_code 1 git -C r cherry-pick crlf && git -C r cherry-pick --abort &&
	git -C r cherry-pick -Xrenormalize crlf && has_both &&
	copy && test_expect_code 1 git -C r rebase main crlf && git -C r rebase --abort && git -C r rebase -Xrenormalize main crlf && has_both &&
	copy && test_expect_code 1 git -C r rebase main crlf && git -C r rebase --abort &&
	git -C r -c merge.renormalize=true rebase -i --exec true main crlf && has_both &&
	copy && git -C r checkout -q crlf && printf "%s\n" 1 2 3 4 5 >r/f && echo "* text=auto" >r/.gitattributes && git -C r add . &&
	git -C r commit -q -m back && printf "%s\n" I 2 3 4 5 >r/f && git -C r commit -qam one && git -C r tag one &&
	git -C r revert --no-edit -Xrenormalize one~1 && has_both &&
	copy && git -C r checkout -q crlf^ && git -C r restore -s crlf -W f && git -C r stash -q && git -C r checkout -q main &&
	test_expect_code 1 git -C r stash apply && git -C r reset -q --hard && git -C r -c merge.renormalize=true stash apply &&
	git -C r add f && has_both :f
'

test_expect_success 'picks ignore unknown options, and the path of subtree' '
	copy && echo g >r/g && git -C r add g && git -C r commit -q -m g && git -C r branch g && git -C r reset -q --hard HEAD^ &&
	for command in "cherry-pick -Xnope -Xsubtree=sub g" "rebase -f -Xnope -Xsubtree=sub main g" "revert --no-edit -Xnope -Xsubtree=sub g"
	do
		git -C r $command || return 1
	done &&
	git -C r ls-files >files && test_grep ! "^g$" files
'

test_expect_success 'revert -n that stops has REVERT_HEAD, cherry-pick -n has no such file' '
	copy && test_expect_code 1 git -C r revert -n HEAD^ && git -C r rev-parse HEAD^ >expect && git -C r rev-parse REVERT_HEAD >actual &&
	test_cmp expect actual && copy && test_expect_code 1 git -C r cherry-pick -n crlf && ref_missing r CHERRY_PICK_HEAD
'

test_expect_success '--continue of -n with nothing left makes no MERGE_MSG' '
	copy && test_expect_code 1 git -C r cherry-pick -n main..crlf && git -C r checkout -q --theirs f && git -C r add f &&
	git -C r commit -q --no-edit && git -C r cherry-pick --continue && test_path_is_missing r/.git/MERGE_MSG &&
	copy && test_expect_code 1 git -C r cherry-pick -n crlf
'

test_expect_success 'unmerged entries: -n, rebase' '
	git -C r ls-files -u | sed "s/^[0-9]* \([0-9a-f]*\) .*/f: unmerged (\1)/" >expect && echo "error: your index file is unmerged." >>expect &&
	cp expect expect-revert && echo "fatal: cherry-pick failed" >>expect && echo "fatal: revert failed" >>expect-revert &&
	test_expect_code 128 git -C r cherry-pick -n crlf 2>actual && test_cmp expect actual &&
	test_expect_code 128 git -C r revert -n HEAD 2>actual && test_cmp expect-revert actual &&
	echo "f: needs merge" >expect && test_expect_code 1 git -C r rebase crlf >actual 2>err && test_cmp expect actual &&
	test_grep "^error: cannot rebase: You have unstaged changes" err &&
	test_expect_code 1 git -C r merge -s nothere crlf 2>err && test_grep "^Could not find merge strategy .nothere.\.$" err &&
	test_expect_code 128 git -C r merge -s ours crlf 2>err && test_grep "^error: Merging is not possible because you have unm" err
'

test_expect_success 'a rebase that begins ends the pick that waits' '
	copy && test_expect_code 1 git -C r cherry-pick crlf && git -C r checkout -q --ours f && git -C r add f &&
	ref_exists r CHERRY_PICK_HEAD && test_expect_code 1 git -C r rebase crlf && ref_missing r CHERRY_PICK_HEAD
'

test_expect_success 'stash pop -q of untracked files alone' '
	copy && echo u >r/u && git -C r stash -q -u && git -C r stash pop -q >actual && echo "Already up to date." >expect &&
	test_cmp expect actual && test_path_is_file r/u
'

# fresh: main renames f to g; side changes f and adds s
fresh() {
	rm -rf st && git init -q -b main st && (
		cd st && for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done >f && git add f && git commit -qm base && git checkout -q -b side && echo more >>f && git commit -qam more && echo s >s && git add s && git commit -qm s &&
		git checkout -q main && git mv f g && git commit -qm renamed
	)
}

test_expect_success 'strategies of picks: ours, resolve, others' '
	fresh && git -C st cherry-pick --strategy=recursive side~1 && fresh && test_expect_code 1 git -C st cherry-pick --strategy=ours side 2>err && test_grep "previous cherry-pick is now empty" err && test_path_is_missing st/s && git -C st cherry-pick --skip &&
	test_expect_code 1 git -C st cherry-pick --strategy=resolve side~1 && git -C st status --short >out && echo "DU f" >expect && test_cmp expect out &&
	git -C st cherry-pick --abort && test_expect_code 128 git -C st cherry-pick --strategy=octopus side 2>err && test_grep "the merge strategy .octopus. is not available here" err
'

test_expect_success 'strategies of rebase: ours, resolve, others; they last over a stop' '
	fresh && git -C st checkout -q side && git -C st rebase -s ours main 2>err && test_grep "^.*dropping .* more -- patch contents already upstream" err && test "$(git -C st rev-parse HEAD)" = "$(git -C st rev-parse main)" &&
	fresh && git -C st checkout -q side && git -C st rebase -q -s recursive main && fresh && git -C st checkout -q side && test_expect_code 1 git -C st rebase -q -s resolve main && test resolve = "$(cat st/.git/rebase-merge/strategy)" && git -C st rebase --abort &&
	test_expect_code 128 git -C st rebase -s octopus main 2>err && test_grep "the merge strategy .octopus. is not available here" err &&
	GIT_SEQUENCE_EDITOR="sed -i 1ibreak" git -C st rebase -q -i -s ours main && test_must_fail git -C st rebase --continue && test_must_fail git -C st rebase --skip && git -C st rebase --skip &&
	test_path_is_missing st/.git/rebase-merge && test "$(git -C st rev-parse HEAD)" = "$(git -C st rev-parse main)"
'

# unsigned ARGS...: a pick that cannot be signed
unsigned () {
	test_expect_code 128 git -c gpg.program=false "$@" >out 2>err &&
	printf "%s\n" "error: gpg failed to sign the data:" "(no gpg output)" "error: failed to write commit object" "fatal: $1 failed" >expect &&
	test_cmp expect err
}

test_expect_success 'picks that cannot be signed stop; --continue makes the commit' '
	git init -q -b main sig && cd sig && echo a >a && echo b >b && git add . && git commit -qm base && git checkout -q -b side &&
	for i in 1 2 3; do echo $i >a$i && git add a$i && git commit -qm s$i || return 1; done && git checkout -q main && echo c >b &&
	git commit -qam main && unsigned cherry-pick -S side~2 && test $(git rev-parse side~2) = "$(ref_value . CHERRY_PICK_HEAD)" &&
	echo s1 >expect && test_cmp expect .git/MERGE_MSG && git diff --quiet && git diff --cached --quiet side~2 -- a1 &&
	test_path_is_missing .git/sequencer && git cherry-pick --continue && git diff --quiet HEAD &&
	test s1 = "$(git log -1 --format=%s)" && git reset -q --hard HEAD~ &&
	unsigned cherry-pick -S side~2 side~1 side && test_path_is_file .git/sequencer/todo && test_line_count = 3 .git/sequencer/todo &&
	git -c commit.gpgSign=false commit -q --no-edit && sed "/gpg-sign/d" .git/sequencer/opts >opts && cp opts .git/sequencer/opts && rm opts &&
	git cherry-pick --continue && git log --format=%s -4 >out &&
	printf "%s\n" s3 s2 s1 main >expect && test_cmp expect out && git reset -q --hard HEAD~3 &&
	unsigned cherry-pick -S side~2 side~1 && git cherry-pick --abort && git diff --quiet HEAD && test_path_is_missing a1 &&
	ref_missing . CHERRY_PICK_HEAD && unsigned revert -S --no-edit main && ref_exists . REVERT_HEAD &&
	git revert --continue && test b = "$(cat b)" && git reset -q --hard main
'

test_expect_success 'picks before one that cannot be signed stay' '
	cd sig && git reset -q --hard main && git checkout -q -B work side~3 && cat >../once <<-\EOS &&
	#!/bin/sh
	cat >/dev/null
	test ! -f "$ONCE" || exit 1
	>"$ONCE"; echo "[GNUPG:] SIG_CREATED " >&2; echo "-----BEGIN PGP SIGNATURE-----"
	EOS
	chmod +x ../once && rm -f ../done && before=$(git rev-parse HEAD) &&
	test_expect_code 128 env ONCE="$PWD/../done" git -c gpg.program="$PWD/../once" cherry-pick -S side~1 side &&
	test s2 = "$(git log -1 --format=%s)" && test $before = $(git rev-parse HEAD~) && git cat-file commit HEAD | grep -q ^gpgsig &&
	test $(git rev-parse side) = "$(ref_value . CHERRY_PICK_HEAD)" && git status --porcelain -uno >../out && echo "A  a3" >../expect &&
	test_cmp ../expect ../out && git cherry-pick --abort && test $before = $(git rev-parse HEAD) && git diff --quiet HEAD
'

# at: the repository at. topic has .gitattributes, then an edit of line 3 of f, which main has edited, too.
with_attributes () {
	rm -rf at && git init -q -b main at && (
		cd at && printf "%s\n" 1 2 3 4 5 >f && git add f && git commit -qm base && git checkout -q -b topic && echo "f merge=union" >.gitattributes &&
		git add . && git commit -qm attr && sed 3s/3/topic/ f >g && mv g f && git commit -qam edit && git checkout -q main &&
		sed 3s/3/main/ f >g && mv g f && git commit -qam main
	)
}
unites () { printf "%s\n" 1 2 main topic 4 5 >expect && test_cmp expect at/f; }

test_expect_success 'each pick has the attributes of the commit before it' '
	with_attributes && git -C at cherry-pick main..topic && unites && git -C at reset -q --hard HEAD~2 &&
	git -C at cherry-pick -n main..topic && unites && git -C at reset -q --hard &&
	git -C at checkout -q topic && git -C at rebase main && unites && with_attributes && git -C at checkout -q topic &&
	git -C at rebase -r main && unites
'

test_expect_success 'attributes that a pick takes away, and those of the branch, do not count' '
	with_attributes && git -C at checkout -q topic && git -C at rm -q .gitattributes && git -C at commit -qm rm && sed 3s/topic/again/ at/f >g && mv g at/f &&
	git -C at commit -qam again && git -C at checkout -q main && sed 3s/main/more/ at/f >g && mv g at/f && git -C at commit -qam more &&
	git -C at checkout -q topic && test_expect_code 1 git -C at rebase main 2>err && test_grep "could not apply .* again" err &&
	test_grep "^=======$" at/f && git -C at rebase --abort && git -C at checkout -q -b late main~2 && sed 3s/3/late/ at/f >g && mv g at/f &&
	git -C at commit -qam late && echo "f merge=union" >at/.gitattributes && git -C at add . && git -C at commit -qm attr &&
	test_expect_code 1 git -C at rebase main 2>err && test_grep "could not apply .* late" err &&
	git -C at rebase --abort && GIT_ATTR_SOURCE=late git -C at rebase main
'

test_done
