#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git worktree

Messages, exit codes and files are those of Git 2.55, but a failed "add" leaves nothing behind, not even its branch.'
. "$(dirname "$0")/test-lib.sh"

here=$(pwd -P)
SQ="'"

# refuses CODE ARGS...: git worktree ARGS in m exits CODE; its messages are in err
refuses () {
	want=$1 && shift && test_expect_code "$want" git -C m worktree "$@" >out 2>err
}

# hook REPOSITORY: standard input becomes its post-checkout
hook () {
	mkdir -p "$1/.git/hooks" && { echo "#!/bin/sh" && cat; } >"$1/.git/hooks/post-checkout" && chmod +x "$1/.git/hooks/post-checkout"
}

test_expect_success 'setup' '
	git init -q -b main m && cd m && echo 1 >f && mkdir d && echo 2 >d/g && git add . && git commit -qm one &&
	git commit -q --allow-empty -m two && git branch topic && git tag v1 && cd .. && one=$(git -C m rev-parse main~1) && two=$(git -C m rev-parse main)
'

test_expect_success 'add makes a branch that is named after the path, its files, index, HEAD and links' '
	git -C m worktree add ../a >out 2>err && echo "Preparing worktree (new branch '\''a'\'')" >expect && test_cmp expect err &&
	echo "HEAD is now at $(git -C m rev-parse --short main) two" >expect && test_cmp expect out &&
	test "$(cat a/f a/d/g)" = "$(printf "1\n2")" && test "$(git -C a status --porcelain -b)" = "## a" &&
	test "$(git -C a rev-parse HEAD ORIG_HEAD)" = "$two
$two" && test "$(cat m/.git/worktrees/a/gitdir)" = "$here/a/.git" &&
	test "$(cat a/.git)" = "gitdir: $here/m/.git/worktrees/a" && test "$(cat m/.git/worktrees/a/commondir)" = ../.. &&
	test_path_is_missing m/.git/worktrees/a/locked && git -C m fsck --strict && git -C a fsck
'

test_expect_success 'the log of the new HEAD has the lines of Git' '
	git -C a reflog --format="%gd %gs" >out && printf "HEAD@{0} reset: moving to HEAD\nHEAD@{1} \n" >expect && test_cmp expect out &&
	git -C m worktree add -q -d ../det topic~1 && git -C det log -g --format="%H %gs" >out && echo "$one " >expect && test_cmp expect out &&
	git -C m reflog --format=%gs a >out && echo "branch: Created from HEAD" >expect && test_cmp expect out
'

test_expect_success 'add checks out a branch, a commit or an unborn branch' '
	git -C m worktree add ../b topic 2>err && test_grep "Preparing worktree (checking out .topic.)" err && test "$(git -C b symbolic-ref HEAD)" = refs/heads/topic &&
	git -C m worktree add ../c v1 2>err && test_grep "Preparing worktree (detached HEAD " err && test "$(git -C c rev-parse HEAD)" = $two &&
	test_must_fail git -C c symbolic-ref -q HEAD &&
	git -C m worktree add --orphan -b zero ../z 2>err && test_must_fail git -C z rev-parse -q --verify HEAD && test "$(ls -A z)" = .git &&
	git -C m worktree add --no-checkout ../n 2>err && test "$(ls -A n)" = .git && test_path_is_missing m/.git/worktrees/n/index &&
	(cd m && git switch -q -c sw && git switch -q main) && git -C m worktree add -q ../prev - && test "$(git -C prev symbolic-ref HEAD)" = refs/heads/sw
'

test_expect_success '-b makes a branch, -B resets one, --track follows' '
	git -C m worktree add -b new ../new HEAD~1 2>err && test "$(git -C new rev-parse HEAD)" = $one &&
	refuses 255 add -b new ../no && test_grep "fatal: a branch named .new. already exists" err &&
	refuses 128 add -B new ../no && test_grep "fatal: .new. is already used by worktree at .$here/new." err &&
	git -C m worktree remove new && git -C m worktree add -B new ../new 2>err && test_grep "(resetting branch .new.; was at $(git -C m rev-parse --short $one))" err &&
	test "$(git -C new rev-parse HEAD)" = $two &&
	git -C m worktree add --track -b t1 ../t1 main >out && test_grep "branch .t1. set up to track .main." out && test "$(git -C m config branch.t1.merge)" = refs/heads/main
'

test_expect_success 'a failure leaves nothing behind' '
	git -C m for-each-ref >refs && ls m/.git/worktrees >ids && mkdir full && echo x >full/x &&
	refuses 128 add ../no topic && test_grep "fatal: .topic. is already used by worktree at .$here/b." err &&
	refuses 128 add ../full && test_grep "fatal: .../full. already exists" err && refuses 128 add ../no nosuch && test_grep "fatal: invalid reference: nosuch" err &&
	refuses 255 add -b bad..name ../no && refuses 128 add -b x -B y ../no && refuses 128 add --orphan --detach ../no && refuses 128 add --reason r ../no &&
	refuses 129 add && refuses 129 add ../no a b && test_path_is_missing no &&
	git -C m update-ref refs/heads/pre/fix main && refuses 128 add -b pre ../no && git -C m update-ref -d refs/heads/pre/fix &&
	test_path_is_missing no && git -C m for-each-ref >now && test_cmp refs now && ls m/.git/worktrees >now && test_cmp ids now && test "$(ls full)" = x
'

test_expect_success 'a branch of the only remote that has it is made, and --guess-remote looks for one' '
	git clone -q m cl && git -C cl worktree add ../w1 new 2>err && test "$(git -C cl rev-parse --symbolic-full-name new@{u})" = refs/remotes/origin/new &&
	git -C cl worktree add -q --guess-remote ../sw && test "$(git -C cl config branch.sw.remote)" = origin &&
	git -C cl worktree add -q --no-guess-remote ../topic && test_must_fail git -C cl config branch.topic.remote &&
	git -C cl -c worktree.guessRemote=true worktree add -q ../t1x -b t1x && git -C cl remote add up ../m && git -C cl fetch -q up && test_expect_code 128 git -C cl worktree add ../w9 zero2 2>err && test_expect_code 128 git -C cl worktree add ../w9 a 2>err &&
	test_grep "invalid reference: a" err && git -C cl -c checkout.defaultRemote=up worktree add -q ../w9 a && test "$(git -C cl config branch.a.remote)" = up
'

test_expect_success 'without a commit the branch is unborn' '
	git init -q -b main e && git -C e worktree add ../e1 2>err && test_grep "No possible source branch, inferring .--orphan." err &&
	test "$(git -C e1 symbolic-ref HEAD)" = refs/heads/e1 && test_expect_code 128 git -C e worktree add -d ../e2 2>err &&
	test_grep "git worktree add --orphan ../e2" err && test_path_is_missing e2
'

test_expect_success 'list: a line or a record for each, the main one first, then by path' '
	git init -q -b main l && git -C l commit -q --allow-empty -m x && h=$(git -C l rev-parse HEAD) s=$(git -C l rev-parse --short HEAD) &&
	git -C l worktree add -q ../l2 && git -C l worktree add -q -d ../l1 && git -C l worktree add -q --lock --reason "usb
stick" ../l3 && rm -rf l1 && git -C l worktree list >out &&
	cat >expect <<-EOF && test_cmp expect out && git -C l worktree list -v >out &&
	$here/l  $s [main]
	$here/l1 $s (detached HEAD) prunable
	$here/l2 $s [l2]
	$here/l3 $s [l3] locked
	EOF
	test_grep "^	locked: usb" out && test_grep "^	prunable: gitdir file points to non-existent location" out &&
	git -C l worktree list --porcelain >out && cat >expect <<-EOF && test_cmp expect out && git -C l worktree list --porcelain -z >out.z && test "$(tr -dc "\000" <out.z | wc -c)" -eq 18 &&
	worktree $here/l
	HEAD $h
	branch refs/heads/main

	worktree $here/l1
	HEAD $h
	detached
	prunable gitdir file points to non-existent location

	worktree $here/l2
	HEAD $h
	branch refs/heads/l2

	worktree $here/l3
	HEAD $h
	branch refs/heads/l3
	locked "usb\nstick"

	EOF
	git -C l worktree list --expire=never >out && test_must_fail grep prunable out && git clone -q --bare l lb && git -C lb worktree list >out && echo "$here/lb (bare)" >expect && test_cmp expect out &&
	test_expect_code 128 git -C l worktree list -z && test_expect_code 128 git -C l worktree list -v --porcelain
'

test_expect_success 'prune removes what the repository has of missing worktrees, but of locked ones' '
	git -C l worktree prune -n 2>err && echo "Removing worktrees/l1: gitdir file points to non-existent location" >expect && test_cmp expect err && test_path_is_dir l/.git/worktrees/l1 &&
	git -C l worktree prune --expire=1.day && test_path_is_dir l/.git/worktrees/l1 && rm -rf l3 && mkdir l/.git/worktrees/junk && : >l/.git/worktrees/l2/gitdir &&
	git -C l worktree prune -v 2>err && test_grep "worktrees/junk: gitdir file does not exist" err && test_grep "worktrees/l2: invalid gitdir file" err &&
	test "$(ls l/.git/worktrees)" = l3 && test_expect_code 128 git -C l worktree prune --expire=junk
'

test_expect_success 'lock keeps a worktree, by a part of its path; unlock frees it' '
	git -C m worktree lock a && refuses 128 lock ../a && test_grep "fatal: .../a. is already locked$" err && git -C m worktree lock --reason why b &&
	refuses 128 lock b && test_grep "already locked, reason: why" err && refuses 128 lock nosuch && test_grep "fatal: .nosuch. is not a working tree" err &&
	refuses 128 lock . && test_grep "The main working tree cannot be locked or unlocked" err &&
	refuses 128 remove b && test_grep "cannot remove a locked working tree, lock reason: why" err && refuses 128 remove -f b && refuses 128 move b ../bb && refuses 128 move -f b ../bb &&
	git -C m worktree unlock a && refuses 128 unlock a && test_grep "fatal: .a. is not locked" err && git -C m worktree move -f -f b ../bb && test_path_is_file bb/f && git -C m worktree unlock bb
'

test_expect_success 'the end of a path names a worktree only if no other one has it' '
	git -C m worktree add -q -d ../e1/same && git -C m worktree add -q -d ../e2/same && refuses 128 lock same && test_grep "fatal: .same. is not a working tree" err &&
	git -C m worktree lock e1/same && refuses 128 lock ../e1/same && git -C m worktree unlock ../e1/same && git -C m worktree remove e2/same && git -C m worktree remove same && test_path_is_missing e1/same
'

test_expect_success 'a missing worktree that is registered for the path is in the way, unless -f says so' '
	rm -rf n && refuses 128 add ../n && test_grep "use .add -f. to override" err && git -C m worktree lock c && rm -rf c && refuses 128 add -f -d ../c && test_grep "use .add -f -f. to override" err &&
	git -C m worktree add -q -f ../n n && git -C m worktree add -q -f -f -d ../c && test_path_is_missing m/.git/worktrees/c/locked && test_path_is_missing m/.git/worktrees/n1
'

test_expect_success 'move: to a new path, or into a directory' '
	git -C m worktree move a ../a2 && test "$(cat m/.git/worktrees/a/gitdir)" = "$here/a2/.git" && git -C a2 status --porcelain >out && test_must_be_empty out &&
	mkdir into && git -C m worktree move a2 ../into && test_path_is_file into/a2/f && git -C into/a2 rev-parse HEAD && refuses 128 move . ../x && test_grep "is a main working tree" err &&
	echo file >afile && refuses 128 move a2 ../afile && refuses 128 move a2 ../none/there && test_grep "failed to move .$here/into/a2. to .../none/there.: No such file" err && test_path_is_file into/a2/f
'

test_expect_success 'remove: not with changes or untracked files, unless -f; ignored files go' '
	echo x >bb/new && refuses 128 remove bb && test_grep "contains modified or untracked files, use --force to delete it" err && rm bb/new && echo x >>bb/f && refuses 128 remove bb && test_path_is_file bb/f &&
	git -C bb checkout -q f && echo ign >m/.git/info/exclude && echo x >bb/ign && git -C m worktree remove bb && test_path_is_missing bb && test_path_is_missing m/.git/worktrees/b && git -C m rev-parse topic &&
	echo x >>into/a2/f && git -C m worktree remove -f a2 && test_path_is_missing into/a2 && refuses 128 remove . && test_grep "fatal: .\.. is a main working tree" err &&
	rm det/.git && refuses 128 remove -f det && test_grep "validation failed, cannot remove working tree: .$here/det/.git. does not exist" err && test_path_is_file det/f &&
	echo "gitdir: $here/m/.git/worktrees/n" >det/.git && refuses 128 remove -f det && test_grep "does not point back" err &&
	rm -rf det && git -C m worktree remove det && test_path_is_missing m/.git/worktrees/det
'

test_expect_success 'worktrees with submodules are neither moved nor removed' '
	git -C m worktree add -q ../s && git init -q s/nested && git -C s/nested commit -q --allow-empty -m n && git -C s add nested 2>/dev/null && git -C s commit -qm sub &&
	refuses 128 remove s && test_grep "working trees containing submodules cannot be moved or removed" err && refuses 128 move s ../s2 && test_path_is_file s/f && git -C m worktree remove -f s
'

test_expect_success 'repair mends both links' '
	git init -q r && git -C r commit -q --allow-empty -m x && git -C r worktree add -q ../r1 && git -C r worktree add -q ../r2 && git -C r worktree repair 2>err && test_must_be_empty err &&
	echo junk >r1/.git && git -C r worktree repair 2>err && echo "repair: .git file broken: $here/r1" >expect && test_cmp expect err && test "$(cat r1/.git)" = "gitdir: $here/r/.git/worktrees/r1" &&
	cp r2/.git r1/.git && git -C r worktree repair 2>err && test_grep "repair: .git file incorrect: $here/r1" err && git -C r1 symbolic-ref HEAD && mv r1 r3 && (cd r3 && git worktree repair 2>err && test_grep "repair: gitdir incorrect: $here/r/.git/worktrees/r1/gitdir" err) &&
	git -C r worktree list >out && test_grep "^$here/r3 " out && mv r rr && mv r2 r4 && git -C rr worktree repair ../r3 ../r4 2>err && git -C r3 rev-parse HEAD && git -C r4 rev-parse HEAD && git -C rr worktree list >out && test_grep "^$here/r4 " out &&
	test_expect_code 1 git -C rr worktree repair ../full 2>err && test_grep "error: unable to locate repository; .git file broken: $here/full/.git" err && test_expect_code 1 git -C rr worktree repair nosuch 2>err && test_grep "error: not a valid path: nosuch" err &&
	rm r3/.git && mkdir r3/.git && test_expect_code 1 git -C rr worktree repair 2>err && test_grep "error: .git is not a file: $here/r3" err
'

test_expect_success 'relative links, and the extension that tells of them' '
	git init -q p && git -C p commit -q --allow-empty -m x && git -C p worktree add -q --relative-paths ../p1 && test "$(cat p1/.git p/.git/worktrees/p1/gitdir)" = "gitdir: ../p/.git/worktrees/p1
../../../../p1/.git" && test "$(git -C p config core.repositoryFormatVersion)$(git -C p config extensions.relativeWorktrees)" = 1true &&
	git -C p worktree move --relative-paths p1 ../into && test "$(cat into/p1/.git)" = "gitdir: ../../p/.git/worktrees/p1" && git -C p worktree move into/p1 ../p1 && test "$(cat p1/.git)" = "gitdir: $here/p/.git/worktrees/p1" &&
	git -C p -c worktree.useRelativePaths=true worktree repair 2>err && echo "repair: .git file absolute/relative path mismatch: $here/p1" >expect && test_cmp expect err && git -C p1 rev-parse HEAD && git -C p worktree list >out && test_grep "^$here/p1 " out
'

test_expect_success 'names of entries are parts of refnames' '
	mkdir q && for n in "we ird~n.lock" ".hid" "a..b" "x.lock" "x.lock.lock" "a@{b" "[x]" "..."; do git -C p worktree add -q -d "../q/$n" || return 1; done &&
	(cd p/.git/worktrees && ls | LC_ALL=C sort) >out && printf "%s\n" - -hid -x] a.b a@-b p1 we-ird-n x x1 >expect && test_cmp expect out && git -C p rev-parse worktrees/we-ird-n/HEAD
'

test_expect_success 'settings and patterns of the worktree come along, but for core.worktree and core.bare' '
	git init -q k && mkdir k/in k/out && echo i >k/in/i && echo o >k/out/o && git -C k add . && git -C k commit -qm x && git -C k config extensions.worktreeConfig true && git -C k config --worktree user.note here &&
	git -C k config --worktree core.bare false && git -C k config --worktree core.sparseCheckout true && mkdir -p k/.git/info && echo /in/ >k/.git/info/sparse-checkout && git -C k worktree add -q ../k1 &&
	test "$(git -C k1 config --worktree user.note)" = here && test_must_fail git -C k1 config --worktree core.bare && test_path_is_file k1/in/i && test_path_is_missing k1/out
'

test_expect_success 'post-checkout runs in the new worktree; its failure is the exit code' '
	hook p <<-\EOF && git -C p worktree add ../h1 2>err && echo "$(printf "%0${#two}d" 0) $(git -C p rev-parse HEAD) 1 $here/h1" >expect && test_cmp expect p/said &&
	echo "$@ $(pwd -P)" >"$(git rev-parse --git-common-dir)/../said"
	EOF
	rm p/said && git -C p worktree add -q --no-checkout ../h2 && test_path_is_missing p/said && hook p <<-\EOF && test_expect_code 1 git -C p worktree add -q ../h3 && git -C h3 rev-parse HEAD
	exit 7
	EOF
'

test_expect_success 'fsck: what an interrupted add has left is no error, but only while it is locked' '
	git init -q --ref-format=files broken && git -C broken commit -q --allow-empty -m a && W=broken/.git/worktrees/w && mkdir -p $W && echo initializing >$W/locked &&
	echo ../.. >$W/commondir && echo "$here/w/.git" >$W/gitdir && git -C broken fsck 2>err && test_must_be_empty err &&
	echo "ref: refs/heads/.invalid" >$W/HEAD && git -C broken fsck 2>err && test_must_be_empty err && git -C broken refs verify &&
	rm $W/locked && test_must_fail git -C broken fsck 2>err && test_grep "worktrees/w/HEAD: badReferentName" err &&
	echo kept >$W/locked && echo "ref: refs/heads/..x" >$W/HEAD && test_must_fail git -C broken refs verify
'

test_expect_success 'a start that is not there, and a HEAD without commits' '
	git init -q -b main unborn && cd unborn && git commit -q --allow-empty -m one && git checkout -q --orphan o &&
	for args in "../no nosuch" "-b n ../no nosuch" "-B n ../no nosuch" "-d ../no nosuch"
	do
		test_expect_code 128 git worktree add $args 2>err && test "$(cat err)" = "fatal: invalid reference: nosuch" || return 1
	done &&
	word="warning: HEAD points to an invalid (or orphaned) reference." bad="fatal: invalid reference: HEAD" &&
	hint="hint: If you meant to create a worktree containing a new unborn branch
hint: (branch with no commits) for this repository, you can do so
hint: using the --orphan flag:
hint:
hint:     git worktree add --orphan" off="hint:
hint: Disable this message with \"git config set advice.worktreeAddOrphan false\"" &&
	says () { want=$1 && shift && test_expect_code 128 git worktree add "$@" 2>err && printf "%s\n" "$want" >expect && test_cmp expect err; } &&
	says "$word

$bad" ../no HEAD && says "$word

$bad" -b n ../no HEAD && says "$word

$hint ../no
$off
$bad" ../no && says "$word

$hint ../no
$off
$bad" -d ../no && says "$word

$hint -b n ../no
$off
$bad" -b n ../no && says "$word

$hint -b n ../no
$off
$bad" -B n ../no && says "$bad" -q ../no && says "$bad" -q ../no HEAD && git config advice.worktreeAddOrphan false && says "$word

$bad" ../no && git config --unset advice.worktreeAddOrphan && git update-ref -d refs/heads/main && says "$hint ../no
$off
$bad" -d ../no && says "$bad" -b n ../no HEAD && test_path_is_missing ../no && test -z "$(git branch)"
'

test_expect_success 'without a branch a new one is unborn, but not beside a remote from which one may come' '
	git init -q nothing && cd nothing && git worktree add ../n1 2>err &&
	printf "%s\n" "No possible source branch, inferring ${SQ}--orphan${SQ}" "Preparing worktree (new branch ${SQ}n1${SQ})" >expect && test_cmp expect err &&
	test "$(git -C ../n1 symbolic-ref HEAD)" = refs/heads/n1 && git remote add o x && git worktree add ../n2 && test "$(git -C ../n2 symbolic-ref HEAD)" = refs/heads/n2 &&
	test_expect_code 128 git worktree add --guess-remote ../n3 2>err && test_path_is_missing ../n3 &&
	printf "fatal: No local or remote refs exist despite at least one remote\npresent, stopping; use ${SQ}add -f${SQ} to override or fetch a remote first\n" >expect && test_cmp expect err &&
	git worktree add -f --guess-remote -b new ../n3 2>err && test "$(git -C ../n3 symbolic-ref HEAD)" = refs/heads/new &&
	git worktree add -f --guess-remote -B other ../n4 && test "$(git -C ../n4 symbolic-ref HEAD)" = refs/heads/other
'

test_done
