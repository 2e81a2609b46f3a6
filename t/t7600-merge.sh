#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge: fast-forward, true merge, conflicts, and how a merge is concluded or given up'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

# main: m, f with a fourth line changed; side: s, f with another one; both: a conflict in f
test_expect_success 'set up' '
	git init -q -b trunk r && cd r &&
	lines 1 2 3 4 5 6 7 8 9 >f && echo g >g && git add . && git commit -qm base && git branch base &&
	git checkout -q -b side && lines 1 2 3 4 5 6 7 8 nine >f && echo s >s && git add . && git commit -qm side &&
	git checkout -q -b clash base && lines 1 2 3 4 5 6 7 8 IX >f && git add . && git commit -qm clash &&
	git checkout -q trunk && echo m >m && git add . && git commit -qm main && git branch start &&
	cd ..
'

back() {
	git -C r reset -q --hard start && git -C r clean -fdq
}

test_expect_success 'an ancestor is up to date' '
	git -C r merge base >out && echo "Already up to date." >expect && test_cmp expect out &&
	git -C r merge --squash base >out && echo "Already up to date. (nothing to squash)" >expect && test_cmp expect out
'

test_expect_success 'fast-forward: files, HEAD, ORIG_HEAD, the log, a diffstat' '
	test_when_finished "git -C r checkout -q trunk && git -C r branch -q -D ff" &&
	git -C r checkout -q -b ff base && git -C r merge side >out &&
	cat >expect <<-END &&
	Updating $(git -C r rev-parse --short base)..$(git -C r rev-parse --short side)
	Fast-forward
	 f | 2 +-
	 s | 1 +
	 2 files changed, 2 insertions(+), 1 deletion(-)
	 create mode 100644 s
	END
	test_cmp expect out && test_path_is_file r/s &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse side)" &&
	test "$(git -C r rev-parse ORIG_HEAD)" = "$(git -C r rev-parse base)" &&
	git -C r log -1 -g --format=%gs >out && echo "merge side: Fast-forward" >expect && test_cmp expect out &&
	test -z "$(git -C r status --porcelain)"
'

test_expect_success 'true merge: a commit with two parents' '
	test_when_finished back && git -C r merge side >out &&
	cat >expect <<-\END &&
	Merge made by the '\''ort'\'' strategy.
	 f | 2 +-
	 s | 1 +
	 2 files changed, 2 insertions(+), 1 deletion(-)
	 create mode 100644 s
	END
	test_cmp expect out && git -C r log -1 --format="%P%n%B" >out &&
	{ echo "$(git -C r rev-parse start side | tr "\n" " " | sed "s/ $//")" &&
	  lines "Merge branch '\''side'\'' into trunk" ""; } >expect && test_cmp expect out &&
	test -z "$(git -C r status --porcelain)" && test_path_is_missing r/.git/MERGE_HEAD &&
	git -C r log -1 -g --format=%gs >out &&
	echo "merge side: Merge made by the '\''ort'\'' strategy." >expect && test_cmp expect out
'

start_clash() {
	git -C r checkout -q -B work side && test_expect_code 1 git -C r merge clash >out
}

test_expect_success 'a conflict: markers, stages, state files' '
	start_clash &&
	lines "Auto-merging f" "CONFLICT (content): Merge conflict in f" \
		"Automatic merge failed; fix conflicts and then commit the result." >expect && test_cmp expect out &&
	lines 1 2 3 4 5 6 7 8 "<<<<<<< HEAD" nine ======= IX ">>>>>>> clash" >expect && test_cmp expect r/f &&
	git -C r ls-files -s f | cut -d" " -f3 >out && lines "1	f" "2	f" "3	f" >expect && test_cmp expect out &&
	git -C r rev-parse clash >expect && test_cmp expect r/.git/MERGE_HEAD &&
	test_path_is_file r/.git/MERGE_MODE && test_must_be_empty r/.git/MERGE_MODE &&
	lines "Merge branch '\''clash'\'' into work" "" "# Conflicts:" "#	f" >expect && test_cmp expect r/.git/MERGE_MSG &&
	git -C r show "$(ref_value r AUTO_MERGE):f" >out && test_cmp out r/f &&
	test_path_is_missing r/.git/WORKTREE_UPDATE
'

test_expect_success 'no second merge before the first one is concluded' '
	test_expect_code 128 git -C r merge base 2>err && test_grep "you have unmerged files" err &&
	git -C r add f && test_expect_code 128 git -C r merge base 2>err && test_grep "MERGE_HEAD exists" err
'

test_expect_success '--continue makes the commit' '
	GIT_EDITOR=: git -C r merge --continue && test_path_is_missing r/.git/MERGE_HEAD &&
	git -C r log -1 --format=%P >out &&
	git -C r rev-parse side clash | tr "\n" " " | sed "s/ $//" >expect && echo >>expect && test_cmp expect out &&
	test_expect_code 128 git -C r merge --continue 2>err && test_grep "MERGE_HEAD missing" err
'

test_expect_success '--abort brings back the old state; --quit only forgets' '
	start_clash && git -C r merge --abort && test -z "$(git -C r status --porcelain)" &&
	test_path_is_missing r/.git/MERGE_HEAD && test_path_is_missing r/.git/MERGE_MSG &&
	test_expect_code 128 git -C r merge --abort 2>err && test_grep "no merge to abort" err &&
	start_clash && git -C r merge --quit && test_path_is_missing r/.git/MERGE_HEAD && test_grep IX r/f &&
	git -C r reset -q --hard && git -C r checkout -q trunk
'

test_expect_success 'local changes that would be overwritten: nothing changes' '
	test_when_finished back &&
	echo mine >>r/f && test_expect_code 2 git -C r merge side 2>err &&
	lines "error: Your local changes to the following files would be overwritten by merge:" "	f" \
		"Please commit your changes or stash them before you merge." Aborting \
		"Merge with strategy ort failed." >expect && test_cmp expect err &&
	test_path_is_missing r/s && test_path_is_missing r/.git/MERGE_HEAD && test_grep mine r/f &&
	git -C r add f && test_expect_code 2 git -C r merge side 2>err && test_grep "^  f" err && back &&
	echo mine >r/s && test_expect_code 2 git -C r merge side 2>err && test_grep "untracked working tree files" err &&
	echo mine >expect && test_cmp expect r/s && rm r/s &&
	echo mine >>r/g && git -C r merge -q side && test_grep mine r/g
'

test_expect_success 'the same before a fast-forward' '
	test_when_finished "git -C r checkout -q -f trunk && git -C r branch -q -D ff" &&
	git -C r checkout -q -b ff base && echo mine >>r/f && test_expect_code 1 git -C r merge side >out 2>err &&
	test_grep "^Updating" out && test_grep "overwritten by merge" err && test_grep mine r/f &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse base)"
'

test_expect_success '--no-commit, --squash, --no-ff, --ff-only' '
	test_when_finished back &&
	git -C r merge --no-commit side 2>err && test_grep "stopped before committing" err &&
	test_path_is_file r/.git/MERGE_HEAD && git -C r commit -qm done && test 2 = $(git -C r log -1 --format=%P | wc -w) && back &&
	git -C r merge --squash side >out 2>err && test_grep "^Squash commit -- not updating HEAD" out &&
	test_path_is_missing r/.git/MERGE_HEAD && test_grep "^Squashed commit" r/.git/SQUASH_MSG &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" && git -C r diff --cached --quiet HEAD -- g &&
	test_expect_code 1 git -C r diff --cached --quiet && back &&
	test_expect_code 128 git -C r merge --ff-only side 2>err && test_grep "Not possible to fast-forward" err &&
	git -C r checkout -q -B work base && git -C r merge -q --no-ff -m msg side &&
	test 2 = $(git -C r log -1 --format=%P | wc -w) && git -C r checkout -q trunk
'

test_expect_success 'an octopus, and one that fails' '
	test_when_finished back &&
	git -C r checkout -q -b other base && echo o >r/o && git -C r add o && git -C r commit -qm other && git -C r checkout -q trunk &&
	git -C r merge side other >out && test_grep "^Trying simple merge with other" out &&
	test_grep "Merge made by the .octopus. strategy" out && test 3 = $(git -C r log -1 --format=%P | wc -w) &&
	git -C r log -1 --format=%s >out && echo "Merge branches '\''side'\'' and '\''other'\'' into trunk" >expect && test_cmp expect out &&
	back && test_expect_code 2 git -C r merge side clash other 2>err && test_grep "strategy octopus failed" err &&
	test -z "$(git -C r status --porcelain)" && test_path_is_missing r/.git/MERGE_HEAD
'

test_expect_success 'an octopus stops at conflicts with its last head' '
	test_when_finished back &&
	test_expect_code 1 git -C r merge other side clash >out 2>err && git -C r rev-parse other side clash >expect &&
	test_cmp expect r/.git/MERGE_HEAD && sed -n "/clash$/,\$p" out >actual && test_path_is_missing r/.git/AUTO_MERGE &&
	lines "Trying simple merge with clash" "Simple merge did not work, trying automatic merge." "Auto-merging f" \
		"Automatic merge failed; fix conflicts and then commit the result." >expect && test_cmp expect actual &&
	lines "ERROR: content conflict in f" "fatal: merge program failed" >expect && test_cmp expect err &&
	lines 1 2 3 4 5 6 7 8 "<<<<<<< HEAD" nine ======= IX ">>>>>>> $(git -C r rev-parse clash)" >expect && test_cmp expect r/f &&
	git -C r status --porcelain >out && lines "UU f" "A  o" "A  s" >expect && test_cmp expect out &&
	git -C r add f && git -C r commit -q --no-edit && test 4 = $(git -C r log -1 --format=%P | wc -w)
'

test_expect_success 'the text for the editor follows --cleanup' '
	test_when_finished back &&
	GIT_EDITOR=cat git -C r merge --no-stat -e --no-ff --cleanup=scissors side >out && test_grep "^# An empty message aborts the commit" out &&
	! test_grep "Lines starting" out && back && GIT_EDITOR=cat git -C r merge --no-stat -e --no-ff side >out &&
	test_grep "^# Lines starting" out && ! test_grep "^# An empty message" out
'

# plain: the repository `plain`, where `theirs` and `new` branch off from `main`
plain () {
	git init -q -b main plain && (
		cd plain && lines 1 2 3 4 5 6 7 8 9 >f && echo x >x && git add . && git commit -qm base && git branch theirs && git branch new &&
		lines one 2 3 4 5 6 7 8 9 >f && git commit -qam main && git checkout -q theirs && lines 1 2 3 4 5 6 7 8 nine >f &&
		git rm -q x && git commit -qam theirs && git checkout -q new && echo n >n && git add n && git commit -qm new &&
		git checkout -q main && git tag start
	)
}

test_expect_success 'resolve and octopus merge in the index alone if they can' '
	plain && cd plain && for s in resolve octopus; do
		git merge -s $s --no-stat new >out && lines "Trying really trivial in-index merge..." Wonderful. "In-index merge" >expect &&
		test_cmp expect out && git log -1 -g --format=%gs >out && echo "merge new: In-index merge" >expect && test_cmp expect out &&
		test_path_is_file n && test 2 = $(git log -1 --format=%P | wc -w) && git reset -q --hard start || return 1
	done &&
	git merge -s resolve --no-commit new >out && echo "Trying simple merge." >expect && test_cmp expect out && git merge --abort &&
	git merge -s ort -s resolve new >out && ! test_grep trivial out && git reset -q --hard start &&
	echo mine >>f && git merge -q -s resolve new && test_grep mine f && git reset -q --hard start &&
	echo mine >n && test_expect_code 2 git merge -s resolve new 2>err && test_grep "Untracked working tree file .n. would be" err && rm n &&
	echo mine >x && git add x && test_expect_code 2 git merge -s resolve new >out 2>err && test_must_be_empty out &&
	test_line_count = 2 err && git reset -q --hard start
'

test_expect_success 'resolve and octopus tell which merges are not simple' '
	cd plain && git merge -s resolve --no-stat theirs >out 2>err && echo "error: Merge requires file-level merging" >expect &&
	lines "Trying really trivial in-index merge..." Nope. "Trying simple merge." "Simple merge failed, trying Automatic merge." \
		"Auto-merging f" "Merge made by the '\''resolve'\'' strategy." >want && test_cmp want out && test_cmp expect err &&
	test_path_is_missing x && git reset -q --hard start && test_expect_code 2 git merge -s octopus theirs 2>err &&
	test_grep "Merge with strategy octopus failed" err && git merge --no-stat new theirs >out &&
	lines "Trying simple merge with new" "Trying simple merge with theirs" "Simple merge did not work, trying automatic merge." \
		"Auto-merging f" "Merge made by the '\''octopus'\'' strategy." >want && test_cmp want out && git reset -q --hard start &&
	test_expect_code 2 git merge -s ort -s resolve new theirs >out 2>err && test_grep "Not handling anything other than two heads" err &&
	lines "Trying merge strategy ort..." "Rewinding the tree to pristine..." "Trying merge strategy resolve..." >want && test_cmp want out
'

test_expect_success 'resolve leaves no AUTO_MERGE, and tells of binary files and of files that both have added' '
	cd plain && git checkout -q -b ba start && printf "a\0" >b && echo a >n && git add b n && git commit -qm ba &&
	git checkout -q -b bb start && printf "b\0" >b && git add b && git commit -qm bb && git checkout -q ba &&
	test_expect_code 1 git merge -s resolve bb >out 2>err && test_grep "^error: Cannot merge binary files: b" err &&
	test_grep "^Added b in both, but differently.$" out && ref_missing . AUTO_MERGE && git merge --abort &&
	git checkout -q main && git merge -q --no-commit -s ours new && ref_missing . AUTO_MERGE && git merge --abort &&
	git merge -q --no-commit new && ref_exists . AUTO_MERGE && git merge --abort
'

test_expect_success 'ours and subtree never fast-forward' '
	cd plain && git checkout -q -B ff start~ && git merge -q -s ours new && git diff --quiet start~ && git reset -q --hard start~ &&
	git merge -q --ff-only -s ours new && git diff --quiet start~ && git reset -q --hard start~ &&
	git -c pull.twohead=ours merge -q new && git diff --quiet start~ && git reset -q --hard start~ &&
	git merge -q -s subtree new && test 2 = $(git log -1 --format=%P | wc -w) && git reset -q --hard start~ &&
	git merge -q -s resolve new && test $(git rev-parse HEAD) = $(git rev-parse new)
'

test_expect_success 'a merge that cannot be signed stays in progress' '
	cd plain && git checkout -q main && git config gpg.program false &&
	test_expect_code 128 git merge -S --no-stat theirs >out 2>err && lines "error: gpg failed to sign the data:" "(no gpg output)" \
		"fatal: failed to write commit object" >want && test_cmp want err && echo "Auto-merging f" >want && test_cmp want out &&
	test "$(git rev-parse theirs)" = "$(cat .git/MERGE_HEAD)" && test "$(git rev-parse start)" = "$(git rev-parse ORIG_HEAD)" &&
	echo "Merge branch '\''theirs'\''" >want && test_cmp want .git/MERGE_MSG && test_path_is_missing .git/WORKTREE_UPDATE &&
	git diff --quiet && git -c commit.gpgSign=false merge --continue && test 2 = $(git log -1 --format=%P | wc -w) &&
	git reset -q --hard start && mkdir -p .git/hooks && printf "#!/bin/sh\necho hooked >>\"\$1\"\n" >.git/hooks/commit-msg &&
	chmod +x .git/hooks/commit-msg && test_expect_code 128 git merge -S -m hi theirs && lines hi hooked >want && test_cmp want .git/MERGE_MSG &&
	git merge --abort && git diff --quiet HEAD && test_path_is_missing .git/MERGE_HEAD && rm .git/hooks/commit-msg
'

test_expect_success '--no-squash: as without it' '
	test_when_finished back &&
	git -C r merge -q --no-squash --no-commit side && git -C r rev-parse side >expect && test_cmp expect r/.git/MERGE_HEAD &&
	test_path_is_missing r/.git/SQUASH_MSG
'

test_expect_success 'titles of tags, remote-tracking branches and commits; a branch that is in progress' '
	test_when_finished back &&
	git -C r tag -a -m "words of the tag" v1 side && git -C r update-ref refs/remotes/o/x side &&
	for what in v1 o/x side^0 side~0; do git -C r merge -q $what && git -C r log -1 --format=%B && back || return 1; done >out &&
	lines "Merge tag '\''v1'\'' into trunk" "" "words of the tag" "" "Merge remote-tracking branch '\''o/x'\'' into trunk" "" \
		"Merge commit '\''side^0'\'' into trunk" "" "Merge branch '\''side'\'' into trunk" "" >expect && test_cmp expect out &&
	git -C r merge -q --log --into-name x side && git -C r log -1 --format=%B >out &&
	lines "Merge branch '\''side'\'' into x" "" "* side:" "  side" "" >expect && test_cmp expect out
'

test_expect_success 'fmt-merge-msg: kinds, repositories, subjects' '
	side=$(git -C r rev-parse side) clash=$(git -C r rev-parse clash) &&
	printf "$side\t\tbranch '\''a'\'' of url\n$clash\tnot-for-merge\tbranch '\''b'\'' of url\n$clash\t\ttag '\''t'\'' of two\n" >in &&
	git -C r fmt-merge-msg --into-name main -F ../in >out &&
	echo "Merge branch '\''a'\'' of url; tag '\''t'\'' of two" >expect && test_cmp expect out &&
	printf "$side\t\tbranch '\''a'\''\n" | git -C r fmt-merge-msg --log -m words >out &&
	lines words "" "* branch '\''a'\'':" "  side" >expect && test_cmp expect out &&
	echo odd >in && test_expect_code 128 git -C r fmt-merge-msg <in 2>err && test_grep "error in line 1: odd" err
'

# people AUTHOR:COMMITTER...: fmt-merge-msg names the people of a branch with these commits, by the user Me
people() {
	rm -rf people && git init -q people && (
		cd people && git config user.name Me && git config user.email me@example.com && unset GIT_AUTHOR_NAME GIT_COMMITTER_NAME &&
		git commit -q --allow-empty -m base && git branch base && for i
		do
			GIT_AUTHOR_NAME=${i%:*} GIT_COMMITTER_NAME=${i#*:} git commit -q --allow-empty -m "$i" || return 1
		done && tip=$(git rev-parse HEAD) && git reset -q --hard base && printf "$tip\t\tbranch 'top' of .\n" | git fmt-merge-msg --log=1
	) >out && { grep "^#" out >names || :; }
}

test_expect_success 'fmt-merge-msg: authors and committers' '
	people A:A && lines "# By A" "# Via A" >expect && test_cmp expect names && people A:Me && lines "# By A" >expect && test_cmp expect names &&
	people Me:A && lines "# Via A" >expect && test_cmp expect names && people Me:Me && test_must_be_empty names &&
	people B:B A:A && lines "# By A (1) and B (1)" "# Via A" >expect && test_cmp expect names &&
	people Me:Me A:Me && lines "# By A (1) and Me (1)" >expect && test_cmp expect names &&
	people Me:Me Me:Me A:Me && lines "# By Me (2) and A (1)" >expect && test_cmp expect names &&
	people D:X D:X C:X B:X B:X A:Y && lines "# By B (2) and others" "# Via Y" >expect && test_cmp expect names &&
	lines "Merge branch '\''top'\''" "" "# By B (2) and others" "# Via Y" "* top: (6 commits)" "  A:Y" "  ..." >expect && test_cmp expect out
'

test_expect_success 'fmt-merge-msg: committers of merges; no names where no editor removes them' '
	people A:X && (
		cd people && git checkout -q -b top && git commit -q --allow-empty -m other && git checkout -q -b m base && git commit -q --allow-empty -m m &&
		GIT_COMMITTER_NAME=M git merge -q --no-ff top && GIT_COMMITTER_NAME=T git commit -q --allow-empty -m tip && git checkout -q base &&
		printf "$(git rev-parse m)\t\tbranch m of .\n" | git fmt-merge-msg --log >../out && git merge -q --no-ff --log --no-edit m && git log -1 --format=%B >../message
	) && test_grep "^# Via M (1) and T (1)$" out && test_grep "^  tip" message && test_grep ! "^# " message
'

# title LINE...: the title for these lines of FETCH_HEAD
title() {
	printf "%b\n" "$@" | git -C people fmt-merge-msg --into-name main >title
}

test_expect_success 'fmt-merge-msg: lines that HEAD or another line leads to do not count' '
	people A:A B:B && git -C people branch top HEAD@{1} && tip=$(git -C people rev-parse top) && below=$(git -C people rev-parse top~) && git -C people tag -a -m words atag top &&
	title "$below\t\tbranch a of ." "$tip\t\tbranch b of ." && echo "Merge branch b" >expect && test_cmp expect title &&
	title "$tip\t\tbranch b of ." "$(git -C people rev-parse atag)\t\ttag t of ." && lines "Merge branch b, tag t" "" words >expect && test_cmp expect title &&
	title "$(git -C people rev-parse base)\t\tbranch b of ." && echo "Merge branch b" >expect && test_cmp expect title &&
	title "$(git -C people rev-parse top^{tree})\t\tbranch b of ." "$(echo $tip | tr 0-9a-f 1)\t\tbranch c of ." && test_must_be_empty title &&
	git -C people checkout -q top && title "$below\t\tbranch a of ." && test_must_be_empty title &&
	git init -q none && test_expect_code 128 git -C none fmt-merge-msg </dev/null 2>err && test_grep "^fatal: No current branch" err
'

test_expect_success 'merge.branchdesc puts the description before the subjects' '
	test_when_finished back && git -C r config branch.side.description "one

 two" && git -C r -c merge.branchdesc=true merge -q --log --no-ff --no-edit side && git -C r log -1 --format=%B >out &&
	lines "* side:" "  : one" "  :" "  :  two" >expect && sed -n "/^\* side/,/two/p" out >actual && test_cmp expect actual && back &&
	git -C r merge -q --log --no-ff --no-edit side && git -C r log -1 --format=%B >out && test_grep ! "one" out && back &&
	git -C r update-ref refs/remotes/o/side side && git -C r config branch.o/side.description far && git -C r -c merge.branchdesc=true merge -q --log --no-ff --no-edit o/side &&
	git -C r log -1 --format=%B >out && test_grep "^\* o/side:" out && test_grep ! far out && git -C r update-ref -d refs/remotes/o/side &&
	printf "$(git -C r rev-parse side)\t\tbranch '\''side'\'' of url\n" | git -C r -c merge.branchdesc=true fmt-merge-msg --log >out && test_grep ! one out
'

test_expect_success 'the editor gets its help directly below the message' '
	test_when_finished back && echo "cp \"\$1\" \"$PWD/edited\"" >editor && GIT_EDITOR="sh \"$PWD/editor\"" git -C r merge -q --edit --no-ff side &&
	sed -n 2p edited >line && test_grep "^# Please enter a commit message to explain" line && back &&
	GIT_EDITOR="sh \"$PWD/editor\"" git -C r merge -q --edit --no-ff --cleanup=scissors side && sed -n 2p edited >line && test_grep "^# -* >8 -*$" line &&
	sed -n 5p edited >line && echo "#" >expect && test_cmp expect line
'

# answers STATUS: `merge --verify-signatures` of a commit about which gpg prints that
answers() {
	write_script fake-gpg <<-EOF && git -C r config gpg.program "$PWD/fake-gpg"
	echo "[GNUPG:] NEWSIG"
	echo "[GNUPG:] $1 0123456789ABCDEF Bob <bob@example.com>"
	test -z "$2" || echo "[GNUPG:] $2 0 pgp"
	EOF
	case $TEST_HASH in sha1) header=gpgsig ;; *) header=gpgsig-$TEST_HASH ;; esac && git -C r cat-file commit side >commit && { sed "/^\$/,\$d" commit && echo "$header -----BEGIN PGP SIGNATURE-----" && echo " " && echo " x" && echo " -----END PGP SIGNATURE-----" && sed -n "/^\$/,\$p" commit; } >signed &&
	id=$(git -C r hash-object -t commit -w ../signed) && short=$(git -C r rev-parse --short $id)
}

test_expect_success 'verify-signatures: bad, untrusted and good ones' '
	test_when_finished "back && git -C r config --unset gpg.program" &&
	answers BADSIG && test_must_fail git -C r merge --verify-signatures $id 2>err && test_grep "^fatal: Commit $short has a bad GPG signature allegedly by Bob <bob@example.com>\.$" err &&
	answers GOODSIG TRUST_UNDEFINED && test_must_fail git -C r -c gpg.minTrustLevel=marginal merge --verify-signatures $id 2>err && test_grep "^fatal: Commit $short has an untrusted GPG signature, allegedly by Bob <bob@example.com>\.$" err &&
	test_must_fail git -C r merge --verify-signatures side 2>err && test_grep "does not have a GPG signature\.$" err &&
	answers GOODSIG TRUST_ULTIMATE && git -C r merge --no-edit --verify-signatures $id >out && test_grep "^Commit $short has a good GPG signature by Bob <bob@example.com>$" out && back &&
	git -C r merge -q --no-edit --verify-signatures $id >out && test_must_be_empty out
'

test_expect_success 'strategies: ours, several; unknown ones' '
	test_when_finished back &&
	git -C r merge -q -s ours side && git -C r diff --quiet start && back &&
	git -C r merge -s ours -s ort side >out && test_grep "^Trying merge strategy ours" out && back &&
	test_expect_code 1 git -C r merge -s nope side 2>err && test_grep "Could not find merge strategy .nope." err &&
	test_expect_code 128 git -C r merge -X nope side 2>err && test_grep "unknown strategy option: -Xnope" err &&
	test_expect_code 1 git -C r merge nope 2>err && test_grep "nope - not something we can merge" err
'

test_expect_success 'resolve follows no renames' '
	git init -q ren && test_commit -C ren base f 1 && git -C ren branch other && git -C ren mv f g && git -C ren commit -qm mv &&
	git -C ren checkout -q other && echo 2 >ren/f && git -C ren commit -qam edit && git -C ren checkout -q - &&
	test_expect_code 1 git -C ren merge -s resolve other 2>err && test_grep "^ERROR: f: Not handling case .* ->  -> " err &&
	git -C ren merge --abort && git -C ren merge -q other && echo 2 >expect && test_cmp expect ren/g &&
	git -C ren reset -q --hard HEAD^
'

test_expect_success 'unrelated histories; a branch without a commit' '
	git init -q u && git -C u commit -q --allow-empty -m u && git -C r fetch -q ../u HEAD:unrelated &&
	test_expect_code 128 git -C r merge unrelated 2>err && test_grep "refusing to merge unrelated histories" err &&
	git -C r merge -q --allow-unrelated-histories unrelated && back &&
	git init -q empty && git -C empty fetch -q ../r side:side && git -C empty merge side && test_path_is_file empty/s &&
	git -C empty log -1 -g --format=%gs >out && echo "initial pull" >expect && test_cmp expect out
'

test_expect_success 'hooks: order, arguments, and their vetoes' '
	test_when_finished "back; rm -rf r/.git/hooks" && mkdir -p r/.git/hooks &&
	for hook in pre-merge-commit prepare-commit-msg commit-msg post-merge; do
		write_script r/.git/hooks/$hook <<-END || return 1
		echo "$hook \$*" >>../hooks
		END
	done &&
	git -C r merge -q side &&
	lines "pre-merge-commit " "prepare-commit-msg .git/MERGE_MSG merge" "commit-msg .git/MERGE_MSG" "post-merge 0" >expect &&
	test_cmp expect hooks && back &&
	echo "exit 1" >>r/.git/hooks/pre-merge-commit && test_expect_code 1 git -C r merge side 2>err &&
	test_grep "Not committing merge" err && test_path_is_file r/.git/MERGE_HEAD && git -C r merge --abort &&
	test -z "$(git -C r status --porcelain)" && git -C r merge -q --no-verify side
'

test_expect_success 'a merge driver: a conflict, and a failure that changes nothing' '
	git init -q -b main drv && (cd drv && echo "f merge=p" >.gitattributes && echo 1 >f && git add . && git commit -qm base && git checkout -q -b two && echo 2 >f && git commit -qam two &&
	git checkout -q main && echo 3 >f && git commit -qam three && git config merge.p.driver "exit 129" && test_expect_code 2 git merge two >../said 2>../err) &&
	lines "error: failed to execute internal merge for f" "Merge with strategy ort failed." >expect && test_cmp expect err &&
	git -C drv status --porcelain -uall >out && test_must_be_empty out && test_path_is_missing drv/.git/MERGE_HEAD &&
	git -C drv config merge.p.driver "cat %B >>%A; exit 1" && test_expect_code 1 git -C drv merge two && lines 3 2 >expect && test_cmp expect drv/f &&
	git -C drv status --porcelain >out && test_grep "^UU f" out
'

test_expect_success '--abort, --quit and --continue are alone, the first of them counts, and --no- takes them back' '
	git init -q modes && (cd modes && git commit -q --allow-empty -m x &&
	 refused () { test_expect_code 129 git merge $2 2>err && test "$(head -n 1 err)" = "fatal: $1 expects no arguments" && test_grep "^usage: git merge" err; } &&
	 refused --abort "--continue --abort" && refused --abort "--quit --abort" && refused --quit "--continue --quit" && refused --continue "--continue HEAD" &&
	 refused --abort "--abort -q" && refused --quit "--quit --" &&
	 git merge --no-abort --no-quit --no-continue HEAD >out && echo "Already up to date." >expect && test_cmp expect out &&
	 git merge --abort --no-abort HEAD >out && test_cmp expect out)
'

test_done
