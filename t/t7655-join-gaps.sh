#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='merge, pull, rebase, cherry-pick, stash: branches that other scripts leave out'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

# main and side change line 3 of f; new adds n, in two commits
test_expect_success 'set up' '
	git init -q -b main r && (
		cd r && lines 1 2 3 4 5 6 7 8 9 >f && git add f && git commit -qm base && git tag base && git branch new && git checkout -q -b side &&
		lines 1 2 side 4 5 6 7 8 9 >f && git commit -qam side && git checkout -q new && echo n >n && git add n && git commit -qm new &&
		echo m >n && git commit -qam newer && git checkout -q main && lines 1 2 main 4 5 6 7 8 9 >f && git commit -qam main && git tag start
	)
'
back () {
	if test -d r/.git/rebase-merge; then git -C r rebase --abort || return 1; fi && git -C r checkout -q -f main && git -C r reset -q --hard start
}

# ---- merge ----

test_expect_success 'merge of one branch named twice has two parents' '
	git -C r merge -q -m two new new && git -C r rev-parse -q --verify HEAD^2 && test_must_fail git -C r rev-parse -q --verify HEAD^3 && back
'

test_expect_success 'a strategy that writes no tree: the merge writes it' '
	mkdir -p bin && cat >bin/git-merge-plain <<-\EOF && chmod +x bin/git-merge-plain &&
	#!/bin/sh
	echo new content >plain && git add plain f && git reset -q --soft HEAD
	EOF
	(PATH=$PWD/bin:$PATH && cd r && git merge -q -m m -s plain new) && git -C r show HEAD:plain >out && echo "new content" >expect && test_cmp expect out &&
	git -C r fsck && back
'

test_expect_success 'merge --autostash: a merge that is refused brings the changes back' '
	echo mine >>r/f && echo untracked >r/n && test_must_fail git -C r merge --autostash new >out 2>err && test_grep "^Applied autostash" err &&
	test_must_fail git -C r rev-parse -q --verify refs/stash && git -C r diff --name-only >out && echo f >expect && test_cmp expect out && rm r/n && back
'

test_expect_success 'merge-one-file: a locked index is left alone, and the file, too' '
	git -C r rev-parse base:f main:f side:f >ids && : >r/.git/index.lock &&
	(cd r && test_must_fail git merge-one-file $(git rev-parse base:f) "" $(git rev-parse base:f) f 100644 "" 100644) 2>err &&
	rm r/.git/index.lock && (cd r && git read-tree -m -u HEAD && echo x >x && b=$(git hash-object -w x) && rm x && : >.git/index.lock && test_must_fail git merge-one-file "" "" $b x "" "" 100644) 2>err &&
	test_grep "index.lock" err && test_path_is_missing r/x && rm r/.git/index.lock && back
'

# COMMANDS of base, ours and theirs: each makes one commit of a repository t
sides () {
	rm -rf t && git init -q -b base t && (
		cd t && eval "$1" && git add -A && git commit -q -m base && git checkout -q -b ours && eval "$2" && git add -A && git commit -q -m ours &&
		git checkout -q -b theirs base && eval "$3" && git add -A && git commit -q -m theirs
	)
}
# PATH...: files that differ from each other
mk () {
	for p
	do
		mkdir -p "$(dirname "$p")" && printf "%s\n" "$p" 1 2 3 4 5 6 7 8 9 >"$p" || return 1
	done
}

test_expect_success 'a split directory below one that matters is reported' '
	sides "mk d/a d/sub/x d/sub/y" "mkdir e p q && mv d/a e/a && mv d/sub/x p/x && mv d/sub/y q/y" "mk d/new" &&
	test_expect_code 1 git -C t merge-tree ours theirs >out && test_grep "directory rename split): Unclear where to rename d/sub to" out &&
	test_grep "should perhaps be moved to e/new" out
'

test_expect_success 'a directory that went to one of another name tells nothing about those above it' '
	sides "mk a/b/x a/b/y a/b/z" "mkdir -p c/d e/b && mv a/b/x c/d/x && echo more >>c/d/x && mv a/b/y a/b/z e/b && echo more >>e/b/y && echo more >>e/b/z" "mk a/new" &&
	test_expect_code 1 git -C t merge-tree ours theirs >out && test_grep "should perhaps be moved to e/new" out
'

test_expect_success 'a renamed file that is moved aside keeps the names of both sides in its conflict' '
	sides "mk a" "mv a b && sed -i s/^3/ours/ b" "sed -i s/^3/theirs/ a && mkdir b && echo x >b/x" && test_expect_code 1 git -C t merge-tree ours theirs >out &&
	git -C t show "$(sed 1q out):b~ours" >got && test_grep "^<<<<<<< ours:b$" got && test_grep "^>>>>>>> theirs:a$" got
'

test_expect_success '-X find-renames finds them, whatever merge.renames is' '
	sides "mk a" "mv a b" "echo more >>a" && test_expect_code 1 git -C t -c merge.renames=false merge-tree ours theirs && git -C t -c merge.renames=false merge-tree -X find-renames=50% ours theirs
'

test_expect_success 'merge-one-file in a partial clone fetches the three versions at once' '
	git -C r config uploadpack.allowFilter true && git clone -q --no-checkout --filter=blob:none "file://$PWD/r" part && (
		cd part && b=$(git rev-parse origin/main~1:f) && o=$(git rev-parse origin/main:f) && t=$(git rev-parse origin/side:f) && git read-tree origin/main &&
		{ GIT_TRACE_PACKET=$PWD/../packets git merge-one-file $b $o $t f 100644 100644 100644 || :; } && grep -c "fetch> .*command=fetch" ../packets >../out
	) && echo 1 >expect && test_cmp expect out && git -C r config --unset uploadpack.allowFilter
'

test_expect_success 'subtree: the guess looks two directories deep' '
	sides "mk a/b/one a/b/two" "mk a/b/three" "git rm -rq . && mk a/b/one a/b/two && mv a/b/* . && rm -r a && echo more >>one" && git -C t checkout -q ours &&
	git -C t merge -q -s subtree --allow-unrelated-histories -m m theirs && git -C t ls-files >out && lines a/b/one a/b/three a/b/two >expect && test_cmp expect out &&
	test_grep more t/a/b/one &&
	sides "mk a/b/c/one a/b/c/two" "mk a/b/c/three" "git rm -rq . && mk a/b/c/one a/b/c/two && mv a/b/c/* . && rm -r a && echo more >>one" && git -C t checkout -q ours &&
	{ git -C t merge -q -s subtree --allow-unrelated-histories -m m theirs || :; } && git -C t ls-files >out && test_grep "^one$" out
'

# ---- pull ----

test_expect_success 'pull --rebase goes forward, whatever merge.ff is' '
	git clone -q r p && git -C p checkout -q -b work base && git -C p -c merge.ff=false pull -q --rebase origin new && git -C p rev-parse origin/new >expect &&
	git -C p rev-parse HEAD >out && test_cmp expect out
'

# ---- cherry-pick ----

test_expect_success 'cherry-pick --ff: the list that is kept remembers it' '
	git -C r checkout -q -B picks main && test_expect_code 1 git -C r cherry-pick --ff side new &&
	git config -f r/.git/sequencer/opts options.allow-ff >out && echo true >expect && test_cmp expect out && git -C r cherry-pick --abort &&
	test_expect_code 1 git -C r cherry-pick side new && test_must_fail git config -f r/.git/sequencer/opts options.allow-ff && git -C r cherry-pick --abort && back
'

test_expect_success 'cherry-pick: a name of a key with a line feed comes back as it was' '
	git -C r checkout -q -B picks main && key=$(printf "a\\nb #") && test_expect_code 1 git -C r cherry-pick -S"$key" side new && git config -f r/.git/sequencer/opts options.gpg-sign >out &&
	echo "$key" >expect && test_cmp expect out && git -C r cherry-pick --abort && back && git -C r branch -q -D picks
'

test_expect_success TTY 'revert asks for a message where there is a terminal, but not with --no-edit' '
	git -C r checkout -q -B picks main && (cd r && GIT_EDITOR="echo >../asked #" && export GIT_EDITOR && script -qec "git revert --no-edit HEAD" /dev/null) >out &&
	test_path_is_missing asked && (cd r && GIT_EDITOR="echo >../asked #" && export GIT_EDITOR && script -qec "git revert HEAD" /dev/null) >out && test_path_is_file asked && back && git -C r branch -q -D picks
'

# ---- rebase ----

test_expect_success 'rebase obeys commit.gpgSign' '
	write_script gpg-ok <<-\EOF &&
	cat >/dev/null
	echo "[GNUPG:] SIG_CREATED " >&2
	printf "%s\n" "-----BEGIN PGP SIGNATURE-----" x "-----END PGP SIGNATURE-----"
	EOF
	git -C r checkout -q -b signs new && git -C r -c gpg.program="$PWD/gpg-ok" -c commit.gpgSign=true rebase -q main && git -C r cat-file commit HEAD >out && test_grep "^gpgsig" out &&
	git -C r -c gpg.program="$PWD/gpg-ok" rebase -q -f main && git -C r cat-file commit HEAD >out && test_grep ! "^gpgsig" out && back && git -C r branch -q -D signs
'

test_expect_success 'rebase: an author without a date is no end of it' '
	git -C r cat-file commit side >c && sed "s/^\(author .*>\).*/\1/" c >d && odd=$(git -C r hash-object -t commit -w --literally ../d) && git -C r checkout -q --detach $odd &&
	test_expect_code 1 git -C r rebase -q main 2>err && test_grep "^GIT_AUTHOR_DATE=.@.$" r/.git/rebase-merge/author-script && git -C r rebase --abort && back
'

test_expect_success 'rebase -r=rebase-cousins takes along what does not come from upstream' '
	git -C r checkout -q -b far base && lines 1 2 3 4 5 6 7 8 far >r/f && git -C r commit -qam far && git -C r checkout -q -b family new && git -C r merge -q --no-ff -m family far &&
	git -C r rebase -q --rebase-merges --onto main new && git -C r rev-parse HEAD^2 >out && git -C r rev-parse far >expect && test_cmp expect out && git -C r reset -q --hard ORIG_HEAD &&
	git -C r checkout -q -B family new && git -C r merge -q --no-ff -m family far &&
	git -C r rebase -q --rebase-merges=rebase-cousins --onto main new && git -C r rev-parse HEAD^2^ >out && git -C r rev-parse main >expect && test_cmp expect out && back && git -C r branch -q -D far family
'

test_expect_success 'rebase: the label # is refused' '
	git -C r checkout -q -b label new && test_must_fail env GIT_SEQUENCE_EDITOR="echo label \"#\" >" git -C r rebase -i main 2>err && test_grep ".#. is not a valid label" err &&
	back && git -C r branch -q -D label
'


test_expect_success 'rebase --update-refs lists refs by name' '
	git -C r checkout -q -b stack new && git -C r branch z-first new^ && git -C r branch a-second new && test_must_fail env GIT_SEQUENCE_EDITOR=cat git -C r rebase --update-refs -i -x false main >list 2>err &&
	test_grep "^update-ref refs/heads/z-first" list && grep "^refs" r/.git/rebase-merge/update-refs >out && lines refs/heads/a-second refs/heads/new refs/heads/z-first >expect && test_cmp expect out &&
	git -C r rebase --abort && back && git -C r branch -q -D stack z-first a-second
'

test_expect_success 'rebase: what a command of the list does to HEAD and to the list counts' '
	git -C r checkout -q -b execs new && git -C r rebase -q -x "git commit -q --allow-empty -m between" main && git -C r log --format=%s -4 >out &&
	lines between newer between new >expect && test_cmp expect out && git -C r reset -q --hard new &&
	git -C r rebase -q -x "echo break >.git/rebase-merge/git-rebase-todo" main && test_path_is_dir r/.git/rebase-merge && git -C r log --format=%s -1 >out && echo new >expect && test_cmp expect out &&
	git -C r rebase --abort && back && git -C r branch -q -D execs
'

test_expect_success 'rebase -r keeps a merge as it is, but not with --no-ff' '
	git -C r checkout -q -b merges base && git -C r merge -q --no-ff -m merged new && git -C r rev-parse HEAD >expect && test_tick && git -C r rebase -q -r -i -x true base &&
	git -C r rev-parse HEAD >out && test_cmp expect out && test_tick && git -C r rebase -q -r --no-ff base && git -C r rev-parse HEAD >out && ! test_cmp expect out && git -C r rev-parse -q --verify HEAD^2 && back && git -C r branch -q -D merges
'

test_expect_success 'rebase -r --abort removes the labels' '
	git -C r checkout -q -b labels base && git -C r merge -q --no-ff -m merged new && lines 1 2 other 4 5 6 7 8 9 >r/f && git -C r commit -qam other && test_must_fail git -C r rebase -q -r main &&
	git -C r for-each-ref refs/rewritten >out && test_file_not_empty out && git -C r rebase --abort && git -C r for-each-ref refs/rewritten >out && test_must_be_empty out && back && git -C r branch -q -D labels
'

test_expect_success 'rebase --edit-todo names the line that is wrong' '
	git -C r checkout -q -b todo side && test_must_fail git -C r rebase -q main && echo "frobnicate x" >bad && test_must_fail env GIT_SEQUENCE_EDITOR="cp ../bad" GIT_EDITOR="cp $PWD/bad" git -C r rebase --edit-todo 2>err &&
	test_grep "frobnicate x" err && git -C r rebase --abort && back && git -C r branch -q -D todo
'

# base's f, then A (line 1), squash B (line 9), squash C (line 3 as in side: a conflict with main)
test_expect_success 'rebase --skip of the last squash of a chain asks for the message of the others' '
	git -C r checkout -q -b chain base && lines A 2 3 4 5 6 7 8 9 >r/f && git -C r commit -qam A && lines A 2 3 4 5 6 7 8 B >r/f && git -C r commit -qam "squash! A" -m B &&
	lines A 2 C 4 5 6 7 8 B >r/f && git -C r commit -qam "squash! A" -m C && GIT_EDITOR=: test_must_fail git -C r rebase -q -i --autosquash main && cat >edit <<-\EOF && chmod +x edit &&
	#!/bin/sh
	cp "$1" "$1.seen" && echo edited >"$1" && cp "$1.seen" ../seen
	EOF
	GIT_EDITOR="$PWD/edit" git -C r rebase --skip && git -C r log -1 --format=%s >out && echo edited >expect && test_cmp expect out && test_grep "^B$" seen && test_grep ! "^C$" seen &&
	git -C r log --format=%s main.. >out && test_cmp expect out && back && git -C r branch -q -D chain
'

# ---- stash ----

test_expect_success 'stash create without changes leaves no lock; show prints nothing if nothing is wanted' '
	git -C r stash create >out && test_must_be_empty out && test_path_is_missing r/.git/index.lock && echo x >>r/f && git -C r stash -q &&
	git -C r -c stash.showStat=false stash show >out && test_must_be_empty out && git -C r stash drop -q && back
'

test_done
