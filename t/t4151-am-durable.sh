#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='am: its flush, however many patches; --abort; kill -9 and failing calls at any moment

After an interruption --continue, --skip or --abort goes on, and --abort brings back the state before (P7).'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
export GIT_TEST_FS_KIND

# box N: a series of N patches that add files, then one that clashes in f, then one that adds b
make_repo() {
	git init -q -b trunk $1 && (
		cd $1 && git config maintenance.auto false && lines 1 2 3 >f && echo old >old && git add . && git commit -qm base && git checkout -q -b side &&
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20
		do
			echo $i >n$i && git add . && git commit -qm "add $i" || return 1
		done &&
		git format-patch -q --stdout trunk >../box20 && git format-patch -q --stdout trunk..side~15 >../box5 &&
		git checkout -q -b clash trunk && echo a >a && git rm -q old && git add . && git commit -qm a && lines 1 two 3 >f && git commit -qam two &&
		echo b >b && git add . && git commit -qm b && git format-patch -q --stdout trunk >../clash && git checkout -q trunk &&
		lines 1 zwei 3 >f && git commit -qam zwei && git tag start
	)
}

test_expect_success JOURNAL,STRACE 'one flush, for 5 patches and for 20, for a stop, for each command that goes on' '
	unset GIT_TEST_FS_KIND &&
	on_journal journal && make_repo journal/r && mv journal/box* journal/clash . && (
		cd journal/r && test 1 = $(count_flushes git am -q ../../box5) && git reset -q --hard start && test 1 = $(count_flushes git am -q ../../box20) &&
		git reset -q --hard start && test 1 = $(count_flushes sh -c "git am -3 -q ../../clash || test -f .git/rebase-apply/next") &&
		test a = "$(git log -1 --format=%s)" && echo x >f && git add f && test 1 = $(count_flushes git am --continue) && git reset -q --hard start &&
		! git am -q ../../clash && test 1 = $(count_flushes git am --skip) && git reset -q --hard start &&
		! git am -q ../../clash && test 1 = $(count_flushes git am --abort) && git diff --quiet start &&
		! git am -q ../../clash && test 1 = $(count_flushes git am --quit) && git reset -q --hard start &&
		printf "#!/bin/sh\n" >.git/hooks/pre-applypatch && chmod +x .git/hooks/pre-applypatch && test 1 = $(count_flushes git am -q ../../box5)
	) &&
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND
'

test_expect_success '--abort restores HEAD, index and files, also staged ones; not if HEAD has moved' '
	make_repo repo && ( cd repo && test_must_fail git am -3 ../clash && test_path_is_missing old && git am --abort && test "$(git rev-parse HEAD)" = "$(git rev-parse start)" &&
	git status --porcelain >../out && test_must_be_empty ../out && test "$(git log -g -1 --format=%gs)" = "am --abort" &&
	test_must_fail git am ../clash && lines 1 x 3 >f && git add f && git am --abort && git status --porcelain >../out && test_must_be_empty ../out &&
	test_must_fail git am ../clash && git commit -q --allow-empty -m moved && git am --abort 2>../err && test_grep "You seem to have moved HEAD since the last .am. failure" ../err &&
	test moved = "$(git log -1 --format=%s)" && test_path_is_missing .git/rebase-apply && git reset -q --hard start )
'

test_expect_success '--abort leaves local changes alone, and refuses to lose them' '
	( cd repo && echo x >local && git add local && git commit -qm local && echo y >>local && test_must_fail git am ../clash && git am --abort && test_grep y local && git diff --cached --quiet && git reset -q --hard &&
	test_must_fail git am -3 ../clash && git checkout -qf HEAD && echo mine >>a && test_must_fail git am --abort 2>../err && test_grep "failed to clean index" ../err && test_path_is_dir .git/rebase-apply && test_grep mine a &&
	git checkout -q a && git am --abort && git reset -q --hard start )
'

test_expect_success 'a directory that a kill has left: --abort removes it' '
	( cd repo && mkdir .git/rebase-apply && : >.git/rebase-apply/0001 && test_expect_code 128 git am ../box5 2>../err && test_grep "Stray .*rebase-apply directory found" ../err && git am --abort && test_path_is_missing .git/rebase-apply )
'

test_expect_success 'after an interruption only --abort goes on' '
	( cd repo && test_must_fail git am ../clash && printf "%s %s" $(git rev-parse HEAD^{tree} side^{tree}) >../marker &&
	for command in --continue --skip; do
		cp ../marker .git/WORKTREE_UPDATE && test_expect_code 128 git am $command 2>../err && test_grep "interrupted while it changed files" ../err || return 1
	done && : >n1 && git am --abort && test_path_is_missing .git/WORKTREE_UPDATE && git status --porcelain >../out && test_must_be_empty ../out && test "$(git rev-parse HEAD)" = "$(git rev-parse start)" &&
	printf "%s %s" $(git rev-parse HEAD^{tree} side^{tree}) >.git/WORKTREE_UPDATE && : >n1 && test_expect_code 128 git am ../box5 && git am --abort && git status --porcelain >../out && test_must_be_empty ../out )
'

test_expect_success 'a stop is a success for calls_of' '
	write_script tolerant <<-END
	"$FAULT_GIT" "\$@"
	case \$? in 0|128) ;; *) exit 1 ;; esac
	END
'

# whole ENDS: --abort brings HEAD, index and files back to the start; without state the subject of HEAD is one of ENDS
whole() {
	if test -e .git/WORKTREE_UPDATE || test -e .git/rebase-apply; then
		git am --abort >../out2 2>&1 || { cat ../out2 >&4; return 1; }
		if grep "have moved" ../out2; then return 1; fi
	fi &&
	git status --porcelain >../status && test_must_be_empty ../status && test -z "$(git ls-files -u)" &&
	test -z "$(ls -d .git/WORKTREE_UPDATE .git/rebase-apply 2>/dev/null)" &&
	case "$1" in *"|$(git log -1 --format=%s)|"*) ;; *) return 1 ;; esac
}

# sweep WHAT STEP ENDS COMMAND...: call after call of COMMAND fails with WHAT, or is where it is killed
sweep() {
	local n=0 runs=0 what=$1 ends=$3 code
	sweep_step $1 $2
	shift 3
	begin && cp -a . ../copy && (
		cd ../copy && FAULT_GIT=$TRASH_DIRECTORY/tolerant && calls_of $what "$@" >../out 2>&1 &&
		lines $CHOSEN >../chosen
	) && rm -rf ../copy || return
	for n in $(cat ../chosen); do
		runs=$((runs + 1)) code=0
		begin || return
		GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" "$@" >../out 2>&1 || code=$?
		whole "$ends" || { echo "broken after $what at call $n, exit code $code:" >&4; cat ../out >&4; return 1; }
	done
	git fsck --no-dangling >../out 2>&1 || { cat ../out >&4; return 1; }
	echo "$runs calls" >&4
	test $runs -gt 10
}

begin() {
	rm -rf .git/rebase-apply && git reset -q --hard start && git clean -fdq
}

test_expect_success XATTR 'killed at any call of a series: none of it, or all' '
	( cd repo && sweep KILL 4 "|zwei|add 5|" am -q ../box5 )
'

test_expect_success XATTR 'killed at any call of a series that stops: --abort leads back' '
	( cd repo && sweep KILL 6 "|zwei|" am -q ../clash && sweep KILL 8 "|zwei|" am -q -3 ../clash )
'

test_expect_success 'each call of a series fails' '
	( cd repo && sweep EIO 8 "|zwei|add 5|" am -q ../box5 && sweep EIO 8 "|zwei|" am -q -3 ../clash )
'

test_expect_success 'each call of a series fails for want of space' '
	( cd repo && sweep ENOSPC 8 "|zwei|add 5|" am -q ../box5 )
'

begin() {
	rm -rf .git/rebase-apply && git reset -q --hard start && git clean -fdq && ! git am -q ../clash >/dev/null 2>&1 && test -d .git/rebase-apply
}

test_expect_success XATTR 'killed at any call of --skip: --abort leads back, or it is done' '
	( cd repo && sweep KILL 8 "|zwei|b|" am --skip )
'

test_expect_success XATTR 'killed at any call of --abort: it can be given again' '
	( cd repo && sweep KILL 6 "|zwei|" am --abort )
'

test_done
