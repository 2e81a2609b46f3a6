#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git branch: create, rename, copy, delete, upstreams, descriptions

Beside stock git: exit codes, messages, refs, logs and configuration.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"
. "$TEST_DIRECTORY/lib-branch-peers.sh"

start_over () {
	peers_init -b main "$@" &&
	peers_do '
		stock commit -q --allow-empty -m one &&
		stock commit -q --allow-empty -m two
	'
}

# There is a remote that is tracked.
with_remote () {
	start_over &&
	peers_do '
		stock update-ref refs/remotes/origin/main HEAD &&
		stock update-ref refs/remotes/origin/feat HEAD~1 &&
		stock symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main &&
		stock config remote.origin.url /nowhere &&
		stock config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*"
	'
}

# ---- names and start points -----------------------------------------------

test_expect_success 'make branches' '
	start_over &&
	peers_do "stock tag -a -m ann v1 && stock tag twice && stock branch twice" &&
	peers_each <<-\EOF
	branch a
	branch a
	branch b HEAD~1
	branch -f a HEAD~1
	branch -f main
	branch c v1
	branch d twice
	-c core.warnAmbiguousRefs=false branch from-tag twice
	-c core.warnAmbiguousRefs=false branch --track from-branch twice
	branch e nosuch
	branch f HEAD^{tree}
	branch g 1111111111111111111111111111111111111111
	branch h main...HEAD~1
	branch i ...
	branch j HEAD~1...nosuch
	branch d1/d2 b
	branch d1
	branch d1/d2/d3
	branch --create-reflog k
	branch -q l
	branch -- -x
	branch HEAD
	branch -f HEAD
	branch @
	branch ""
	branch "a b"
	branch a..b
	branch a.lock
	branch refs/heads/x
	!branch a b c
	branch -a m
	branch -r m
	branch -v n
	branch @{u}
	-c core.logallrefupdates=false branch nolog
	-c core.logallrefupdates=false branch --create-reflog log
	EOF
'

test_expect_success 'the branch before the current one' '
	start_over &&
	peers_do "stock branch side && stock checkout -q side && stock checkout -q main" &&
	peers_each <<-\EOF
	branch -f @{-1} HEAD~1
	branch new @{-1}
	branch @{-1}
	branch -m @{-1} neu
	branch -d new @{-1}
	EOF
'

test_expect_success 'no commit yet' '
	peers_init -b main &&
	peers_each <<-\EOF
	branch
	branch -v
	branch --show-current
	branch x
	branch -c x
	branch -m other
	branch -m other third
	branch -d third
	branch -d fourth
	branch -u x
	branch --unset-upstream
	branch --edit-description
	branch --edit-description fourth
	EOF
'

test_expect_success 'HEAD is detached' '
	start_over &&
	peers_do "stock checkout -q --detach" &&
	peers_each <<-\EOF
	branch --show-current
	branch x
	branch -m y
	branch -c y
	branch -M y
	branch -m HEAD y
	branch --edit-description
	branch -u main
	branch --unset-upstream
	branch -d x
	EOF
'

# ---- upstreams -----------------------------------------------------------

test_expect_success 'tracking' '
	with_remote &&
	peers_do "stock tag v1" &&
	peers_each <<-\EOF
	branch t1 origin/main
	branch t2 origin/HEAD
	branch --track t3 nosuch
	branch --track t3 main
	branch -t t4 HEAD
	branch --no-track t5 origin/main
	branch --track=direct t6 t1
	branch --track=inherit t7 t1
	branch --track=inherit t8 main
	branch --track=inherit t9 origin/main
	branch --track=bad t10
	branch -t t10 HEAD~1
	branch -t t10 v1
	branch -q t11 origin/main
	branch -f t1 origin/main
	branch --set-upstream t1
	-c branch.autosetuprebase=always branch r1 origin/main
	-c branch.autosetuprebase=local branch r2 origin/main
	-c branch.autosetuprebase=local branch -t r3 t1
	-c branch.autosetuprebase=remote branch -t r4 t1
	-c branch.autosetuprebase=never branch r5 origin/main
	-c branch.autosetupmerge=simple branch feat origin/feat
	-c branch.autosetupmerge=simple branch feat2 origin/feat
	-c branch.autosetupmerge=always branch m1 t1
	-c branch.autosetupmerge=inherit branch m2 t1
	-c branch.autosetupmerge=false branch m3 origin/main
	-c branch.autosetupmerge=bad branch m4
	EOF
'

test_expect_success 'several upstreams, or an ambiguous one' '
	with_remote &&
	peers_do "
		stock branch x && stock config branch.x.remote origin &&
		stock config --add branch.x.merge refs/heads/a &&
		stock config --add branch.x.merge refs/heads/b &&
		stock branch y && stock config branch.y.remote origin
	" &&
	peers_each <<-\EOF &&
	branch --track=inherit multi x
	branch --track=inherit none y
	branch --unset-upstream multi
	EOF
	peers_do "stock config remote.o2.fetch \"+refs/heads/*:refs/remotes/origin/*\"" &&
	# stock git has made the branch by then
	peers_git branch ambiguous origin/main &&
	test_must_fail git -C ours rev-parse -q --verify refs/heads/ambiguous &&
	# and adds a third value here
	stock -C ours config --unset-all remote.o2.fetch &&
	git -C ours branch -u origin/main x &&
	stock -C ours config --get-all branch.x.merge >out &&
	echo refs/heads/main >expect &&
	test_cmp expect out
'

test_expect_success 'branches that a remote does not fetch cannot be tracked' '
	start_over &&
	peers_do "stock config --add remote.origin.fetch ^refs/heads/main" &&
	peers_each <<-\EOF
	branch x origin/main
	branch --track y origin/main
	branch -u origin/main main
	EOF
'

test_expect_success '--set-upstream-to and --unset-upstream' '
	with_remote &&
	peers_do "stock branch t && stock branch s" &&
	peers_each <<-\EOF
	branch -u origin/main
	branch -u origin/main t
	branch --set-upstream-to=HEAD t
	branch -u refs/heads/s t
	branch -q -u origin/feat t
	branch -u s~0 t
	branch -u nosuch t
	branch -u t t
	branch -u s nosuch
	branch -u s t x
	branch -u
	branch --unset-upstream t
	branch --unset-upstream t
	branch --unset-upstream nosuch
	branch --unset-upstream t s
	branch --unset-upstream
	EOF
'

# ---- rename and copy ------------------------------------------------------

test_expect_success 'rename and copy' '
	start_over &&
	peers_do "stock branch x && stock branch y HEAD~1 && stock pack-refs --all" &&
	peers_each <<-\EOF
	branch -m x x2
	branch -m x2 x
	branch -m x y
	branch -m nosuch z
	branch -c nosuch z
	branch -m main m2
	branch -m m3
	branch -m m3
	branch -M m3
	branch -c m3
	branch -c x x
	branch -c x cx
	branch -c x cx
	branch -C y cx
	branch -M y x
	branch -M x m3
	branch -m a..b c
	branch -m x a..b
	branch -m
	branch -c
	branch -m a b c
	branch -c a b c
	branch -m "" z
	branch -m x ""
	branch -r -m nosuch z
	branch -m -f cx x
	branch --copy x again
	branch --move again and
	EOF
'

test_expect_success 'sections of the configuration move, with comments' '
	start_over &&
	peers_do "
		stock config branch.main.remote . &&
		stock config branch.main.merge refs/heads/x &&
		printf \"# c1\\n[other]\\n\\tx = 1 # foo\\n[branch \\\"main\\\"]\\n\\trebase = true # hi\\n; tail\\n[z]\\n\\tq=1\\n\" >>.git/config &&
		stock config branch.a.b.remote . &&
		stock branch a.b
	" &&
	peers_each <<-\EOF
	branch -c copy
	branch -m new
	branch -m a.b b.a
	branch -C new b.a
	branch -D copy b.a
	EOF
'

test_expect_success 'a name that is a directory of the other' '
	start_over &&
	peers_do "stock branch a && stock branch b/c && stock config branch.a.remote ." &&
	peers_each <<-\EOF &&
	branch -m a a/b
	branch -m a/b a
	branch -m main main/main
	branch -m main
	branch d/e
	branch d/f
	EOF
	test_must_fail git -C ours branch -c a a/c &&
	test_must_fail git -C ours branch -m d/e d 2>err &&
	test_grep "refs/heads/d/f. exists; cannot create .refs/heads/d" err &&
	git -C ours branch --format="%(refname:short)" >out &&
	printf "%s\n" a b/c d/e d/f main >expect &&
	test_cmp expect out
'

test_expect_success 'an impossible name: the logs of others stay' '
	start_over &&
	git -C ours branch a/b && git -C ours branch c && ref_state ours >before &&
	for cmd in "-m c a/b/d" "-c c a/b/d" "-M c a/b/d" "-m c a" "-c c a" "-C c a"; do
		test_must_fail git -C ours branch $cmd 2>err &&
		test_grep ".refs/heads/a/b. exists; cannot create" err &&
		ref_state ours >after && test_cmp before after || return
	done
'

test_expect_success 'HEAD points to the branch through another symbolic ref' '
	start_over &&
	peers_do "stock symbolic-ref refs/heads/s refs/heads/main && stock symbolic-ref HEAD refs/heads/s" &&
	peers_each <<-\EOF
	branch -m new
	branch -m new main
	branch -M main/x
	EOF
'

test_expect_success 'logs: none, switched off' '
	start_over &&
	peers_do "stock branch x && stock config core.logallrefupdates false && stock branch q" &&
	peers_each <<-\EOF
	branch -m q q2
	branch -m x x2
	branch -c x2 x3
	branch -M q2 x2
	EOF
'

test_expect_success 'symbolic refs are not renamed' '
	start_over &&
	peers_do "stock branch x && stock symbolic-ref refs/heads/sym refs/heads/x" &&
	peers_each <<-\EOF
	branch -m sym s2
	branch -c sym s2
	branch -d sym
	EOF
'

test_expect_success 'a misnamed branch can be renamed away' '
	start_over &&
	peers_do "cp .git/refs/heads/main .git/refs/heads/-bad" &&
	peers_git branch -m -- -bad good &&
	peers_same_refs
'

# ---- delete ---------------------------------------------------------------

test_expect_success 'delete' '
	with_remote &&
	peers_do "
		stock branch old HEAD~1 && stock branch up && stock branch t3 &&
		stock checkout -q -b side HEAD~1 && stock commit -q --allow-empty -m s &&
		stock checkout -q main && stock branch -q -u side up &&
		stock branch -f t3 side && stock branch -q -u side t3 &&
		stock branch x && stock branch packed && stock pack-refs --all &&
		stock config branch.old.description text
	" &&
	peers_each <<-\EOF
	branch -d
	branch -d main
	branch -d side
	branch -d up
	branch -d t3
	branch -d nosuch old nosuch2
	branch -D nosuch side x
	branch -q -d packed
	branch -d -a up
	branch -d -r origin/feat
	branch -d -r nosuch/x
	branch -r -D origin/HEAD
	branch -d -f up
	branch -d ""
	branch -d HEAD
	branch -d a..b
	!branch -d -m
	!branch -d -l
	!branch -d --merged
	EOF
'

test_expect_success 'broken branches' '
	start_over &&
	peers_do "echo junk >.git/refs/heads/junk &&
		echo 1234567890123456789012345678901234567890 >.git/refs/heads/gone &&
		test \$TEST_HASH = sha1 ||
		echo 1234567890123456789012345678901234567890123456789012345678901234 >.git/refs/heads/gone" &&
	for args in "-d junk" "-D junk" "-d gone" "-D gone"; do
		peers_git branch $args || return 1
	done &&
	test_path_is_missing ours/.git/refs/heads/gone
'

test_expect_success 'a branch named twice is deleted once' '
	start_over &&
	git -C ours branch x &&
	git -C ours branch -d x x >out &&
	test_line_count = 1 out &&
	test_must_fail git -C ours rev-parse -q --verify refs/heads/x
'

# ---- work trees -----------------------------------------------------------

test_expect_success 'branches of other work trees' '
	rm -rf ours-wt theirs-wt ours theirs && start_over &&
	(cd ours && stock branch x && stock worktree add -q ../ours-wt x) &&
	(cd theirs && stock branch x && stock worktree add -q ../theirs-wt x) &&
	fix () { sed -i "s/theirs-wt/ours-wt/g" out.theirs err.theirs; } &&
	for args in "-d x" "-D x" "-f x HEAD~1" "-M main x" "-M x main" "-m x y"; do
		peers_git branch $args || {
			fix && test_cmp out.theirs out.ours && test_cmp err.theirs err.ours
		} || return 1
		for d in ours theirs; do
			echo $d && cat $d/.git/worktrees/*/HEAD &&
			tail -n 1 $d/.git/worktrees/*/logs/HEAD | sed "s/.*	//"
		done >heads || return 1
	done &&
	echo "ref: refs/heads/y" >expect &&
	test_cmp expect ours/.git/worktrees/ours-wt/HEAD &&
	stock -C ours-wt rev-parse --abbrev-ref HEAD >out && echo y >expect && test_cmp expect out &&
	(cd ours-wt && git branch -m z && git branch --show-current) >out &&
	echo z >expect && test_cmp expect out &&
	(cd ours-wt && git branch -m main new) &&
	echo "ref: refs/heads/new" >expect && test_cmp expect ours/.git/HEAD &&
	stock -C ours fsck --strict
'

# Git makes valid ids since 2.22; older ones are still around.
test_expect_success 'work trees with ids that are not valid names of refs' '
	for id in "w t" .w a..b w.lock; do
		rm -rf ours wt && start_over &&
		(cd ours && stock branch x && stock branch y && stock worktree add -q ../wt x) &&
		mv ours/.git/worktrees/wt "ours/.git/worktrees/$id" &&
		echo "gitdir: $PWD/ours/.git/worktrees/$id" >wt/.git && stock -C wt status >/dev/null &&
		test_must_fail git -C ours branch -D x 2>err &&
		test_grep "cannot delete branch .x. used by worktree at" err &&
		test_must_fail git -C ours branch -f x HEAD~1 &&
		git -C ours branch -m x z && git -C wt branch -m z x && git -C ours branch -m x y2 &&
		test "$(stock -C wt symbolic-ref HEAD)" = refs/heads/y2 &&
		git -C ours fsck 2>err && test_must_be_empty err &&
		git -C ours reflog expire --expire=now --all &&
		test_must_be_empty "ours/.git/worktrees/$id/logs/HEAD" || return
	done
'

test_expect_success 'branches that are being bisected or rebased are kept' '
	start_over &&
	peers_do "stock branch b && stock bisect start >/dev/null 2>&1 &&
		stock bisect bad HEAD >/dev/null && stock checkout -q --detach" &&
	peers_each <<-\EOF &&
	branch -m main x
	branch -d main
	branch -f main HEAD~1
	EOF
	peers_do "stock bisect reset >/dev/null 2>&1; stock checkout -q --detach;
		mkdir .git/rebase-merge && echo refs/heads/main >.git/rebase-merge/head-name" &&
	peers_each <<-\EOF
	branch -m main x
	branch -M b main
	branch -d main
	EOF
'

# ---- descriptions ---------------------------------------------------------

test_expect_success '--edit-description' '
	start_over &&
	write_script ed <<-\EOF &&
	cat "$1" >"$ED_SEEN"
	cat "$ED_TEXT" >"$1"
	EOF
	ED_SEEN=$PWD/seen ED_TEXT=$PWD/text GIT_EDITOR=\"$PWD/ed\" &&
	export ED_SEEN ED_TEXT GIT_EDITOR &&
	printf "\n\nhello\n\n\n# comment\nworld" >text &&
	peers_git branch --edit-description && peers_same_refs &&
	cp seen seen.theirs && git -C ours branch --edit-description main &&
	echo "# gone" >text &&
	peers_git branch --edit-description && peers_same_refs &&
	test_grep "Please edit the description for the branch" seen &&
	test_must_fail stock -C ours config branch.main.description &&
	peers_git branch --edit-description nosuch &&
	peers_git branch --edit-description a b &&
	GIT_EDITOR=false && peers_git branch --edit-description
'
unset GIT_EDITOR

test_expect_success '--recurse-submodules' '
	start_over &&
	peers_git branch --recurse-submodules x
'

test_expect_success 'a bare repository: HEAD names a branch, but no worktree has it checked out' '
	start_over &&
	for side in ours theirs; do
		mv $side/.git tmp && rm -rf $side && mv tmp $side &&
		stock -C $side config core.bare true && stock -C $side branch y HEAD~1 || return 1
	done &&
	for args in "-a" "-f main y" "-m y yy" "-m main foo" "-vv" "-d foo" ""; do
		peers_git branch $args || return 1
	done &&
	test_cmp theirs/HEAD ours/HEAD
'

test_expect_success 'a hook that refuses: nothing has changed, nothing is left behind' '
	start_over &&
	peers_do "stock branch x && stock config branch.main.remote ." &&
	write_script ours/.git/hooks/reference-transaction <<-\EOF &&
	test "$1" != prepared
	EOF
	test_must_fail git -C ours branch -m new 2>err &&
	test_grep "aborted by the reference-transaction hook" err &&
	test_must_fail git -C ours branch -c new &&
	test_must_fail git -C ours branch -t new main &&
	test_must_fail git -C ours branch -D x &&
	peers_same_refs
'

test_expect_success 'a locked configuration stops only commands that need it' '
	start_over &&
	git -C ours branch x && git -C ours branch y && git -C ours config branch.y.remote . &&
	>ours/.git/config.lock &&
	git -C ours branch -d x && git -C ours branch -m new && git -C ours branch -c w &&
	test_must_fail git -C ours branch -D y 2>err &&
	test_grep "could not lock config file" err &&
	test_must_fail git -C ours branch -t v y &&
	rm ours/.git/config.lock &&
	git -C ours branch --format="%(refname:short)" >out &&
	printf "%s\n" new w y >expect &&
	test_cmp expect out
'

# ---- durability -----------------------------------------------------------

many () {
	i=0
	while test $i -lt 100; do
		echo "create refs/heads/n$i HEAD"
		i=$((i + 1))
	done >input
	git -C "$1" update-ref --stdin <input &&
	i=0 &&
	while test $i -lt 100; do
		printf '[branch "n%d"]\n\tremote = .\n' $i >>"$1/.git/config" || return
		i=$((i + 1))
	done
}

test_expect_success STRACE 'each costs one flush' '
	start_over &&

	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
	test_when_finished "unset GIT_TEST_FS_KIND" &&
	once () { n=$(count_flushes git -C ours "$@") && test "$n" = 1 || { echo "git $*: $n"; return 1; }; } &&
	if test "${GIT_TEST_FSYNC:-1}" = 1 && test "${TEST_FSYNC_METHOD:-batch}" = batch; then
		once branch x && once branch -t y x && once branch -m x z && once branch -m main2 &&
		once branch -c main2 w && once branch -m w w/w && once branch -u z y &&
		once branch --unset-upstream y && once branch -d z y &&
		many ours && once branch -D $(seq -f n%g 0 99) &&
		test_must_fail grep "branch \"n" ours/.git/config &&
		git -C ours branch >out && test_line_count = 2 out
	fi
'

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
in_memory

# all_or_none STATE...: the copy is in one of these states
refs_of () {
	(cd "$1" && stock for-each-ref --format="%(refname) %(objectname)" &&
	 cat .git/HEAD && stock rev-parse HEAD)
}

# interrupted KIND ARGS: before each call in turn the command is killed, or the call fails. Nothing is flushed in fact.
interrupted () {
	local kind=$1 n=0 code
	shift
	rm -rf whole && cp -a model whole && git -C whole "$@" >/dev/null &&
	refs_of whole >after && refs_of model >before || return
	rm -f missed
	while test ! -f missed; do
		n=$((n + 1)) code=0
		rm -rf copy && cp -a model copy || return
		(
			cd copy &&
			GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed GIT_TEST_SYSCALL_FLUSH=0 \
			GIT_TEST_SYSCALL_FAIL=$n:$kind "$FAULT_GIT" "$@" >../out 2>&1
		) || code=$?
		# As it is, stock git reads all of it; the next command of ours finishes the rest (P6).
		stock -C copy for-each-ref >raw 2>&1 && ! grep "warning\|error" raw &&
		git -C copy rev-parse HEAD >/dev/null 2>&1 &&
		refs_of copy >now || { echo "call $n: $kind"; return 1; }
		case $code in
		0) test_cmp after now ;;
		*) test_cmp before now >/dev/null || test_cmp after now >/dev/null || in_between ;;
		esac || {
			echo "call $n: $kind: exit code $code"
			cat out now
			return 1
		}
		# what counts is there, with its log
		stock -C copy fsck --strict >fsck.out 2>&1 || { cat fsck.out; return 1; }
		case $kind in KILL) ;; *)
			find copy/.git -name "*.lock" >locks && test_must_be_empty locks || return 1 ;;
		esac
		git -C copy branch next >/dev/null 2>err || { cat err; return 1; }
	done
	test $n -gt 10
}

for kind in KILL EIO ${GIT_TEST_LONG:+ENOSPC}; do
	test_expect_success XATTR "deletion of several branches, $kind: all or none" '
		rm -rf model && git init -q -b main model && git -C model commit -q --allow-empty -m one &&
		git -C model branch a && git -C model branch b && stock -C model pack-refs --all &&
		git -C model branch c && git -C model config branch.b.remote . &&
		in_between () { return 1; } &&
		interrupted '$kind' branch -D a b c
	'

	test_expect_success XATTR "the current branch is renamed, $kind: old, both, or new" '
		rm -rf model && git init -q -b main model && git -C model commit -q --allow-empty -m one &&
		git -C model config branch.main.remote . &&
		in_between () {
			grep -q "refs/heads/main " now && grep -q "refs/heads/new " now &&
			test -s copy/.git/logs/refs/heads/main || return
			grep -q "ref: refs/heads/main" now || grep -q "ref: refs/heads/new" now
		} &&
		interrupted '$kind' branch -m new
	'

	test_expect_success XATTR "another branch is renamed, $kind: old or new" '
		rm -rf model && git init -q -b main model && git -C model commit -q --allow-empty -m one &&
		git -C model branch side && in_between () { return 1; } &&
		interrupted '$kind' branch -m side new
	'

	test_expect_success XATTR "a/b takes the place of a, $kind" '
		rm -rf model && git init -q -b main model && git -C model commit -q --allow-empty -m one &&
		git -C model branch -m a &&
		in_between () { grep -q "refs/heads/a\|refs/heads/renaming-" now; } &&
		interrupted '$kind' branch -m a a/b
	'
done

test_expect_success 'a bad value of branch.autoSetup* ends every branch command' '
	git init -q -b main bad && git -C bad commit -q --allow-empty -m one &&
	for key in branch.autoSetupRebase branch.autoSetupMerge
	do
		test_config -C bad $key junk &&
		for args in "" new "-d main" "-m main other" --show-current "--list main"
		do
			test_expect_code 128 git -C bad branch $args >out 2>err &&
			test_must_be_empty out && test_line_count = 1 err || return 1
		done &&
		git -C bad config --unset $key || return 1
	done &&
	test_expect_code 128 git -C bad -c branch.autoSetupRebase branch &&
	test_expect_code 128 git -C bad -c branch.autoSetupRebase=junk branch 2>err &&
	test_grep "unable to parse .branch.autosetuprebase. from command-line config" err &&
	test "$(git -C bad branch)" = "* main"
'

test_expect_success 'a bad value of branch.autoSetup* ends other commands, too' '
	for set in branch.autoSetupRebase branch.autoSetupRebase=junk branch.autoSetupMerge=junk
	do
		for args in status "status -s" "commit --allow-empty -m no" "add ." tag "tag no" log \
			"rev-parse HEAD" "ls-files" "for-each-ref" init
		do
			test_expect_code 128 git -C bad -c $set $args >out 2>err &&
			test_must_be_empty out && test_line_count = 1 err || return 1
		done &&
		git -C bad -c $set config list >out && test_grep "^branch.autosetup" out || return 1
	done &&
	test "$(git -C bad log --all --format=%s)" = one && test -z "$(git -C bad tag)"
'

test_expect_success 'a rename that cannot move the HEAD of a linked worktree moves nothing' '
	git init -q -b main linked && git -C linked commit -q --allow-empty -m one &&
	mkdir -p linked/.git/worktrees/w tree && echo ../.. >linked/.git/worktrees/w/commondir &&
	echo "$PWD/tree/.git" >linked/.git/worktrees/w/gitdir &&
	echo "gitdir: $PWD/linked/.git/worktrees/w" >tree/.git &&
	echo "ref: refs/heads/main" >linked/.git/worktrees/w/HEAD &&
	git -C linked config branch.main.description text &&
	cp linked/.git/config config && cp linked/.git/logs/HEAD log &&
	: >linked/.git/worktrees/w/HEAD.lock &&
	test_expect_code 128 git -C linked branch -M main new 2>err &&
	test_grep "cannot lock ref .worktrees/w/HEAD." err &&
	for head in linked/.git/HEAD linked/.git/worktrees/w/HEAD
	do
		echo "ref: refs/heads/main" >expect && test_cmp expect $head || return 1
	done &&
	test "$(git -C linked for-each-ref --format="%(refname)")" = refs/heads/main &&
	test_cmp config linked/.git/config && test_cmp log linked/.git/logs/HEAD &&
	rm linked/.git/worktrees/w/HEAD.lock && git -C linked branch -M main new &&
	test "$(git -C tree symbolic-ref HEAD) $(git -C linked symbolic-ref HEAD)" = "refs/heads/new refs/heads/new"
'

test_expect_success 'hints beside errors: advice.refSyntax, advice.forceDeleteBranch' '
	SQ=$(printf "\047") &&
	git init -q -b main hints && git -C hints commit -q --allow-empty -m one && git -C hints branch un &&
	U=$(git -C hints commit-tree HEAD^{tree} -p HEAD -m x) && git -C hints update-ref refs/heads/un $U &&
	how="hint: Disable this message with \"git config set advice" &&
	for args in "a..b" "-m a..b" "-c main a..b" "-f a..b" "HEAD"; do
		test_expect_code 128 git -C hints branch $args 2>err && test_grep "^fatal: .* is not a valid branch name$" err &&
		sed 1d err >out && test_cmp - out <<-EOF && test_line_count = 3 err &&
		hint: See ${SQ}git help check-ref-format${SQ}
		$how.refSyntax false"
		EOF
		test_expect_code 128 git -C hints -c advice.refSyntax=false branch $args 2>err && test_line_count = 1 err || return
	done &&
	test_expect_code 128 git -C hints branch -m a..b x 2>err && test_grep "^fatal: invalid branch name: .a..b.$" err &&
	test_line_count = 3 err &&
	test_expect_code 1 git -C hints branch -d un 2>err && test_cmp - err <<-EOF &&
	error: the branch ${SQ}un${SQ} is not fully merged
	hint: If you are sure you want to delete it, run ${SQ}git branch -D un${SQ}
	$how.forceDeleteBranch false"
	EOF
	test_expect_code 1 git -C hints -c advice.forceDeleteBranch=false branch -d un 2>err && test_line_count = 1 err
'

test_expect_success 'a bad push.default ends every command but config' '
	git init -q -b main pushed && git -C pushed commit -q --allow-empty -m one &&
	for bad in push.default=bad push.default= push.default push.default=Simple; do
		for args in "branch -vv" status "rev-parse HEAD" "for-each-ref --format=%(push)"; do
			test_expect_code 128 git -C pushed -c $bad $args >out 2>err && test_must_be_empty out &&
			test_grep "push.default" err || return
		done &&
		git -C pushed -c $bad config list >out || return
	done &&
	for good in nothing matching simple upstream tracking current; do
		git -C pushed -c push.default=$good branch -vv >out || return
	done
'

test_done
