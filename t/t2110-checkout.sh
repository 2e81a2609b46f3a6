#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git checkout and git switch, from one commit to another'
. "$(dirname "$0")/test-lib.sh"

SQ=\'

head_of () {
	git -C "${2:-repo}" rev-parse "$1"
}
on_branch () {
	test "$(git -C repo symbolic-ref HEAD)" = "refs/heads/$1"
}

test_expect_success 'set up' '
	git init -q -b main repo && (
		cd repo && echo 1 >file && mkdir dir && echo 1 >dir/gone && echo same >same && git add . && test_tick &&
		git commit -q -m one && git tag one && git branch topic &&
		echo 2 >file && rm dir/gone && echo 2 >new && git add . && test_tick && git commit -q -m two && git tag two
	)
'

test_expect_success 'files, index, HEAD and its log change together' '
	git -C repo checkout topic >out 2>err && on_branch topic && test_must_be_empty out &&
	test "$(cat err)" = "Switched to branch ${SQ}topic${SQ}" && test -z "$(git -C repo status --porcelain)" &&
	test "$(cat repo/file repo/dir/gone)" = "$(printf "1\n1")" && test_path_is_missing repo/new &&
	git -C repo reflog -1 >log && test_grep "checkout: moving from main to topic" log &&
	git -C repo switch -q - && on_branch main && test_path_is_missing repo/dir &&
	git -C repo checkout -q @{-1} && on_branch topic && git -C repo checkout main 2>err && git -C repo checkout main 2>err &&
	test "$(cat err)" = "Already on ${SQ}main${SQ}"
'

test_expect_success 'the index has a cache-tree afterwards, if nothing else is staged' '
	git -C repo checkout -q topic && grep -a -q TREE repo/.git/index && echo x >repo/same && git -C repo add same &&
	git -C repo checkout -q main && test_must_fail grep -a -q TREE repo/.git/index && git -C repo reset -q --hard
'

test_expect_success 'local changes stay, and are listed' '
	echo mine >repo/same && echo add >repo/added && git -C repo add added &&
	git -C repo checkout topic >out 2>err && printf "A\tadded\nM\tsame\n" >expect && test_cmp expect out &&
	test "$(cat repo/same)" = mine && git -C repo switch -q main && test "$(cat repo/same)" = mine &&
	git -C repo reset -q --hard
'

test_expect_success 'checkout names all files that it would overwrite, and changes nothing' '
	echo mine >repo/file && echo mine >repo/dir && cp repo/.git/index index.before &&
	test_expect_code 1 git -C repo checkout topic 2>err &&
	cat >expect <<-\EOF &&
	error: Your local changes to the following files would be overwritten by checkout:
	 file
	Please commit your changes or stash them before you switch branches.
	error: The following untracked working tree files would be removed by checkout:
	 dir
	Please move or remove them before you switch branches.
	Aborting
	EOF
	tr "\t" " " <err >actual && test_cmp expect actual && on_branch main && test "$(cat repo/file repo/dir)" = "$(printf "mine\nmine")" &&
	test_cmp_bin index.before repo/.git/index && test_path_is_missing repo/.git/index.lock &&
	rm repo/dir && git -C repo reset -q --hard
'

test_expect_success 'an untracked file is in the way, an ignored one is not, unless it is asked for' '
	git -C repo switch -q topic && echo mine >repo/new &&
	test_expect_code 1 git -C repo switch main 2>err && test_grep "untracked working tree files would be overwritten" err &&
	test "$(cat repo/new)" = mine && echo new >repo/.git/info/exclude &&
	test_expect_code 1 git -C repo switch --no-overwrite-ignore main && test "$(cat repo/new)" = mine &&
	git -C repo switch -q main && test "$(cat repo/new)" = 2 && rm repo/.git/info/exclude
'

test_expect_success '-f and --discard-changes throw local changes away' '
	echo mine >repo/file && git -C repo checkout -q -f topic && test "$(cat repo/file)" = 1 &&
	echo mine >repo/same && git -C repo switch -q --discard-changes main && test "$(cat repo/same)" = same &&
	test -z "$(git -C repo status --porcelain)"
'

test_expect_success '-m: without local changes it is a switch; -p has nothing to ask for' '
	git -C repo checkout -q -m topic && git -C repo switch -q main && echo "No changes." >expect &&
	for o in "checkout -p" "restore -p file"
	do
		git -C repo $o >out 2>&1 </dev/null && test_cmp expect out || return 1
	done
'

test_expect_success 'a detached HEAD: advice, and commits that are left behind' '
	git -C repo checkout one 2>err && test_grep "^Note: switching to .one.\.$" err && test_grep "^HEAD is now at [0-9a-f]* one$" err &&
	test_must_fail git -C repo symbolic-ref -q HEAD && git -C repo commit -q --allow-empty -m lost &&
	git -C repo checkout main 2>err && test_grep "leaving 1 commit behind" err && test_grep "^  [0-9a-f]* lost$" err &&
	git -C repo -c advice.detachedHead=false checkout one 2>err && test_grep ! Note err &&
	git -C repo switch main 2>err && test_grep "^Previous HEAD position was [0-9a-f]* one$" err &&
	test_expect_code 128 git -C repo switch one 2>err && test_grep "a branch is expected, got tag .one." err &&
	git -C repo switch -q --detach one && test "$(head_of HEAD)" = "$(head_of one)" && git -C repo switch -q main
'

test_expect_success 'new branches' '
	git -C repo checkout -b b1 2>err && test "$(cat err)" = "Switched to a new branch ${SQ}b1${SQ}" && on_branch b1 &&
	git -C repo switch -q -c b2 one && test "$(cat repo/file)" = 1 && test "$(head_of b2)" = "$(head_of one)" &&
	git -C repo reflog -1 b2 >log && test_grep "branch: Created from one" log &&
	test_expect_code 128 git -C repo checkout -b b1 2>err && test_grep "a branch named .b1. already exists" err &&
	git -C repo checkout -B b1 two 2>err && test "$(cat err)" = "Switched to and reset branch ${SQ}b1${SQ}" &&
	git -C repo switch -q -C b1 one && test "$(head_of b1)" = "$(head_of one)" && test "$(cat repo/file)" = 1 &&
	test_expect_code 128 git -C repo checkout -b bad..name 2>err && test_grep "not a valid branch name" err &&
	test_expect_code 128 git -C repo checkout -b x nosuch 2>err && test_grep "is not a commit and a branch .x. cannot be created" err &&
	test_must_fail git -C repo rev-parse -q --verify refs/heads/x && git -C repo switch -q main
'

test_expect_success '--orphan: checkout keeps files, switch starts without' '
	git -C repo checkout -q --orphan o1 && on_branch o1 && test "$(cat repo/file)" = 2 && git -C repo ls-files >ls && test -s ls &&
	git -C repo checkout -q -f main && git -C repo switch -q --orphan o2 && on_branch o2 && test_path_is_missing repo/file &&
	test -z "$(git -C repo ls-files)" && git -C repo switch -q main && test "$(cat repo/file)" = 2
'

test_expect_success 'a branch that only a remote has is made, and follows it' '
	git -C repo config remote.origin.url /nowhere && git -C repo config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*" &&
	git -C repo update-ref refs/remotes/origin/far one &&
	test_expect_code 128 git -C repo switch --no-guess far && git -C repo checkout far >out 2>err && on_branch far &&
	test "$(git -C repo config branch.far.merge)" = refs/heads/far && test "$(git -C repo config branch.far.remote)" = origin &&
	git -C repo commit -q --allow-empty -m more && git -C repo switch -q main && git -C repo switch far >out &&
	test_grep "Your branch is ahead of .origin/far. by 1 commit" out &&
	git -C repo switch -q main && git -C repo branch -q -D far && git -C repo checkout -q -t origin/far && on_branch far &&
	git -C repo switch -q main && git -C repo branch -q -D far &&
	git -C repo config remote.two.fetch "+refs/heads/*:refs/remotes/two/*" && git -C repo update-ref refs/remotes/two/far two &&
	test_expect_code 128 git -C repo checkout far 2>err && test_grep "matched multiple (2) remote tracking branches" err &&
	git -C repo -c checkout.defaultRemote=two checkout -q far && test "$(git -C repo config branch.far.remote)" = two &&
	git -C repo switch -q main && git -C repo branch -q -D far && git -C repo config checkout.guess false &&
	test_expect_code 1 git -C repo checkout far && git -C repo config --unset checkout.guess
'

test_expect_success 'checkout distinguishes revisions from paths' '
	git -C repo branch same && test_expect_code 128 git -C repo checkout same same 2>err && test_grep "both revision and filename" err &&
	git -C repo checkout -q same && on_branch same && git -C repo switch -q main && git -C repo branch -q -d same &&
	test_expect_code 1 git -C repo checkout nosuch 2>err && test_grep "pathspec .nosuch. did not match any file" err &&
	test_expect_code 128 git -C repo checkout nosuch -- 2>err && test_grep "invalid reference: nosuch" err &&
	test_expect_code 128 git -C repo switch nosuch 2>err && test_grep "invalid reference: nosuch" err
'

test_expect_success 'checkout ends an operation in progress; switch refuses' '
	head_of one >repo/.git/MERGE_HEAD && echo text >repo/.git/MERGE_MSG &&
	test_expect_code 128 git -C repo switch topic 2>err && test_grep "cannot switch branch while merging" err &&
	git -C repo checkout -q topic && test_path_is_missing repo/.git/MERGE_HEAD && test_path_is_missing repo/.git/MERGE_MSG &&
	git -C repo switch -q main
'

test_expect_success 'unmerged paths are in the way' '
	cp repo/.git/index saved.index && blob=$(head_of one:file) &&
	printf "100644 %s 2\tfile\n100644 %s 3\tfile\n" $blob $blob >info && printf "0 $ZERO_OID\tfile\n" | git -C repo update-index --index-info &&
	git -C repo update-index --index-info <info && test_expect_code 1 git -C repo checkout topic >out 2>err &&
	test_grep "file: needs merge" out && test_grep "you need to resolve your current index first" err && cp saved.index repo/.git/index &&
	git -C repo reset -q --hard
'

test_expect_success 'a branch that another worktree uses' '
	link_worktree repo/.git wt wt topic &&
	for o in "checkout topic" "switch topic" "checkout -B topic"
	do
		test_expect_code 128 git -C repo $o 2>err && test_grep "already used by worktree at" err || return 1
	done &&
	git -C repo checkout -q --ignore-other-worktrees topic && on_branch topic && rm -r repo/.git/worktrees && git -C repo switch -q main
'

test_expect_success 'the hook post-checkout: old, new, 1; its exit code' '
	mkdir -p repo/.git/hooks && write_script repo/.git/hooks/post-checkout <<-\EOF &&
	echo "$@" >.git/hooked
	test ! -e .git/fail
	EOF
	git -C repo checkout -q topic && test "$(cat repo/.git/hooked)" = "$(head_of two) $(head_of one) 1" &&
	git -C repo checkout -q -- file && test "$(cat repo/.git/hooked)" = "$(head_of one) $(head_of one) 0" &&
	>repo/.git/fail && test_expect_code 1 git -C repo checkout -q main && on_branch main && rm repo/.git/fail repo/.git/hooks/post-checkout
'

test_expect_success 'a branch without commits' '
	git init -q -b main unborn && test_expect_code 128 git -C unborn checkout 2>err && test_grep "yet to be born" err &&
	git -C unborn checkout -q -b other && test "$(git -C unborn symbolic-ref HEAD)" = refs/heads/other &&
	git -C unborn switch -q -c third && test "$(git -C unborn symbolic-ref HEAD)" = refs/heads/third
'

test_expect_success 'a sparse checkout stays sparse' '
	git init -q -b main sparse && (
		cd sparse && mkdir -p in out/in && echo 1 >in/a && echo 1 >out/a && echo 1 >top && git add . && git commit -q -m one && git branch one &&
		echo 2 >in/b && echo 2 >out/b && echo 2 >out/a && git add . && git commit -q -m two && git checkout -q one &&
		git config core.sparseCheckout true && printf "/*\n!/*/\n/in/\n" >.git/info/sparse-checkout &&
		git update-index --skip-worktree out/a && rm out/a && git checkout -q main &&
		test_path_is_missing out/a && test_path_is_missing out/b && test "$(cat in/b)" = 2 && test -z "$(git status --porcelain)" &&
		git ls-files -t >ls && test_grep "^S out/a" ls && test_grep "^S out/b" ls && test_grep "^H in/b" ls
	)
'

test_expect_success 'names that attack a checkout are refused' '
	blob=$(echo evil | git -C repo hash-object -w --stdin) &&
	for name in .git .GIT .git. git~1 ".git " ".git::\$INDEX_ALLOCATION" .. . "$(printf ".g\342\200\214it")"
	do
		sub=$(printf "100644 blob %s\tconfig\n" $blob | git -C repo mktree) &&
		tree=$(printf "040000 tree %s\t%s\n" $sub "$name" | git -C repo mktree) &&
		commit=$(git -C repo commit-tree -m evil $tree) || return 1
		for o in "checkout" "checkout -f" "switch --detach" "restore -s"
		do
			test_must_fail git -C repo -c core.protectNTFS=true -c core.protectHFS=true $o $commit $(case "$o" in r*) echo .;; esac) &&
			test "$(head_of HEAD)" = "$(head_of two)" || return 1
		done
	done &&
	test_must_fail grep -q evil repo/.git/config && test -z "$(git -C repo status --porcelain)"
'

test_expect_success SYMLINKS 'nothing is written or removed through a link' '
	mkdir outside && git init -q -b main links && (
		cd links && mkdir d && echo in >d/f && git add . && git commit -q -m dir && git branch dir &&
		git rm -q -r d && ln -s ../outside d && git add d && git commit -q -m link && git branch link && echo keep >../outside/f &&
		git checkout -q dir && test "$(cat d/f)" = in && test "$(cat ../outside/f)" = keep &&
		git checkout -q link && test -L d && test "$(cat ../outside/f)" = keep &&
		git checkout -q dir && rm -r d && ln -s ../outside d && git checkout -q -f link && test "$(cat ../outside/f)" = keep &&
		git checkout -q -f dir && rm -r d && ln -s ../outside d && git restore d && test "$(cat d/f ../outside/f)" = "$(printf "in\nkeep")"
	)
'

test_expect_success 'conversion by the attributes of the new commit; filters run' '
	git init -q -b main conv && (
		cd conv && echo text >a.txt && git add . && git commit -q -m one && git branch one &&
		printf "*.txt text eol=crlf\n*.up filter=up\n" >.gitattributes && echo low >x.up && echo more >a.txt && git add . && git commit -q -m two &&
		git config filter.up.smudge "tr a-z A-Z" && git config filter.up.clean "tr A-Z a-z" && git checkout -q one && git checkout -q main &&
		test "$(cat x.up)" = LOW && test "$(tr "\r" R <a.txt)" = moreR && test -z "$(git status --porcelain)"
	)
'

test_expect_success 'many files, in threads' '
	git init -q -b main many && (
		cd many && git commit -q --allow-empty -m none && git branch none && mkdir a b &&
		for i in $(test_seq 1 300)
		do
			echo $i >a/$i && echo $i >b/$i || exit 1
		done &&
		git add . && git commit -q -m all && git checkout -q none && test_path_is_missing a &&
		git -c checkout.workers=4 checkout -q main && test -z "$(git status --porcelain)" && test "$(cat b/300)" = 300 &&
		test_expect_code 128 git -c checkout.workers=x checkout none 2>../err
	)
'

test_expect_success 'checkout -b reads neither index nor files if only the name of HEAD changes' '
	rm -rf a && git init -q -b main a && (
		cd a && echo 1 >f && git add f && git commit -q -m one && echo mine >f && echo "M	f" >expect &&
		for c in "checkout -b n1" "switch -c n2" "switch -q -C n2" "switch --detach" "switch -c n3 --force"; do git $c >out && test_must_be_empty out && test "$(cat f)" = mine || return 1; done &&
		for c in "checkout -B n1" "checkout --detach" "checkout -b n4 -l" "switch -C n2 HEAD" "checkout --orphan o" ; do git $c >out && test_cmp expect out && test "$(cat f)" = mine || return 1; done
	)
'

test_expect_success 'a start that cannot be followed: refused before any file changes' '
	rm -rf a && git init -q -b main a && (
		cd a && echo 1 >f && git add f && git commit -q -m one && git switch -q -c topic && echo 2 >f && git commit -q -a -m two && test_expect_code 128 git switch -C topic -t topic~1 2>err &&
		test_grep "cannot set up tracking information" err && test "$(cat f)" = 2 && test -z "$(git status --porcelain -uno)"
	)
'

# Changes of a file that the index marks as not to be looked at.
test_expect_success 'files that are assumed to be unchanged, or are not checked out, and have changes: kept' '
	for bit in assume-unchanged skip-worktree; do
		rm -rf a && git init -q a && (
			cd a && echo 1 >f && git add f && git commit -q -m one && git branch one && echo 2 >f && git commit -q -a -m two &&
			echo mine >f && git update-index --$bit f && head=$(git rev-parse HEAD) &&
			for c in 1:"checkout one" 1:"checkout -m one" 1:"switch one" 128:"checkout -f one" 128:"read-tree -m -u HEAD one" 128:"read-tree --reset -u one" \
				128:"reset --hard one" 128:"reset --keep one" 128:"reset --merge one"; do
				test_expect_code ${c%%:*} git ${c#*:} 2>err && test "$(cat f)" = mine && test $(git rev-parse HEAD) = $head || return 1
			done && git reset -q --hard && case $bit in a*) test "$(cat f)" = 2 ;; *) test "$(cat f)" = mine ;; esac &&
			rm f && git checkout -q one
		) || return 1
	done
'

test_expect_success 'the files of a submodule stay when another of its commits is checked out' '
	rm -rf super && git init -q super && cd super && git init -q sub && git -C sub commit -q --allow-empty -m 1 && git add sub &&
	git commit -q -m one && git branch one && git -C sub commit -q --allow-empty -m 2 && git add sub && git commit -q -m two && git branch two &&
	echo precious >sub/file && echo precious >expect &&
	git checkout -q one && test_cmp expect sub/file && git reset -q --hard two && test_cmp expect sub/file &&
	git read-tree --reset -u one && test_cmp expect sub/file && git checkout -q -f two && test_cmp expect sub/file &&
	git checkout -q one -- sub && test_cmp expect sub/file && git ls-tree one >tree && git ls-files -s >files && cut -d" " -f3 <tree | cut -f1 >oid &&
	test_grep "$(cat oid)" files
'

test_expect_success 'files that went behind a symbolic link: nothing is removed there' '
	rm -rf behind outside && git init -q behind && mkdir -p outside/e && cd behind && git commit -q --allow-empty -m none && git branch none &&
	mkdir -p d/e && echo 1 >d/e/f && echo 1 >d/e/g && echo 1 >d/e/h && git add d && git commit -q -m files && git branch files && rm -r d && ln -s ../outside d &&
	git reset -q --hard none && test_path_is_dir ../outside/e && test_path_is_symlink d &&
	rm d && git reset -q --hard files && rm -r d && ln -s ../outside d && git checkout -q -f none && test_path_is_dir ../outside/e
'

# (ulimit -d: what a process has for itself; not pages of files)
test_expect_success !SANITIZE 'a file above core.bigFileThreshold is not held in memory' '
	rm -rf big && git init -q big && cd big && head -c 60000000 /dev/zero >f && git add f && git commit -q -m big && cp f ../f && rm f &&
	git config core.bigFileThreshold 1m && (
		ulimit -d 30000 && git checkout -q -- f && cmp f ../f && rm f && : by the main thread, since there is something in its place && mkdir f && >f/x &&
		git checkout -q -f -- f && cmp f ../f && rm f && : nor one that memory does not suffice for && git -c core.bigFileThreshold=1g checkout -q -- f && cmp f ../f
	)
'

test_expect_success !SANITIZE 'a streamed file is converted, if it has to be' '
	cd big && printf "line\n%.0s" $(test_seq 1000) >lf && echo "lf eol=crlf" >.gitattributes && git -c core.bigFileThreshold=1 add lf && rm lf &&
	git -c core.bigFileThreshold=1 checkout -q -- lf && test $(tr -dc "\r" <lf | wc -c) = 1000
'

test_expect_success 'a damaged file that is streamed leaves nothing behind' '
	rm -rf damaged && git init -q damaged && cd damaged && head -c 100000 /dev/urandom >f && git add f && git commit -q -m f && oid=$(git rev-parse HEAD:f) &&
	rm f && file=.git/objects/$(echo $oid | sed "s,..,&/,") && if test -f $file; then chmod +w $file; else file=$(echo .git/objects/pack/*.pack) && chmod +w $file; fi &&
	printf "XXXX" | dd of=$file bs=1 seek=50000 conv=notrunc 2>/dev/null && test_must_fail git -c core.bigFileThreshold=1 checkout -- f 2>err &&
	test_grep "unable to read sha1 file of f" err && test_path_is_missing f
'

test_done
