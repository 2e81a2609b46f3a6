#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of commands that move HEAD and write files fails in turn

As in t0102. Whatever fails: HEAD is one of the two commits, its index can be read, and no file that
nobody tracks is touched. Of local changes that are merged (switch -m) the old file is there, or the
merged one, or CHECKOUT_AUTOSTASH_HEAD has it; and so if the command is killed.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

still_good () {
	test "$(cat copy/untracked)" = mine &&
	case "$(git -C copy rev-parse HEAD)" in $one|$two) ;; *) return 1 ;; esac &&
	git -C copy ls-files -s >ls && test -s ls && { test ! -f copy/mine || work_is_there; }
}

# The lines of the user's file in it; in the merged one; or in the saved one, then it can be brought back.
work_is_there () {
	(
		cd copy && if git rev-parse -q --verify CHECKOUT_AUTOSTASH_HEAD >/dev/null; then
			git show CHECKOUT_AUTOSTASH_HEAD:dir/file >../saved && cmp ../saved mine && git show CHECKOUT_AUTOSTASH_HEAD:dir/added >/dev/null
		else
			grep -q "^mine$" dir/file && test "$(cat dir/added)" = added
		fi
	)
}

test_expect_success 'setup' '
	git init -q -b main two && (
		cd two && mkdir dir && echo 1 >dir/a && echo 1 >dir/file && echo 1 >dir/gone &&
		git add . && git commit -q -m one && git branch one &&
		echo 2 >dir/file && echo 2 >dir/a && rm dir/gone && mkdir new && echo 2 >new/b && ln -s file dir/link &&
		git add . && git commit -q -m two && git branch two && echo mine >untracked
	) && one=$(git -C two rev-parse one) && two=$(git -C two rev-parse two) &&
	cp -a two merging && git -C merging rev-parse one >merging/.git/MERGE_HEAD && echo text >merging/.git/MERGE_MSG &&
	cp -a two staged && echo 3 >staged/dir/file && echo 3 >staged/dir/a && git -C staged add -u &&
	cp -a two clean && (
		cd clean && git config core.abbrev 7 && printf "%s\n" 1 2 3 4 5 6 7 >dir/file && git commit -q -a -m base && git branch -f one && git switch -q one &&
		printf "%s\n" one 2 3 4 5 6 7 >dir/file && git commit -q -a -m "one more" && git switch -q main &&
		printf "%s\n" 1 2 3 4 5 6 mine >dir/file && cp dir/file mine && echo added >dir/added && git add dir/added
	) && cp -a clean conflict && printf "%s\n" mine 2 3 4 5 6 7 >conflict/mine && cp conflict/mine conflict/dir/file &&
	cp -a staged edited && echo 4 >edited/dir/file && rm edited/dir/a
'

is_one='test $(git rev-parse HEAD main | sort -u) = $one && test -z "$(git status --porcelain -uno)" &&
	test "$(cat dir/file dir/a dir/gone)" = "$(printf "1\n1\n1")" && test ! -e new/b && test ! -e dir/link'

is_on_one='git symbolic-ref HEAD | grep -q heads/one && test -z "$(git status --porcelain -uno)" &&
	test "$(cat dir/file dir/a dir/gone)" = "$(printf "1\n1\n1")" && test ! -e new/b && test ! -e dir/link'

is_carried='git symbolic-ref HEAD | grep -q heads/one && test "$(cat dir/file)" = "$(printf "%s\n" one 2 3 4 5 6 mine)" &&
	test "$(git status --porcelain -uno)" = "$(printf "A  dir/added\n M dir/file")" && test -z "$(git for-each-ref refs/stash)" && test ! -e .git/CHECKOUT_AUTOSTASH_HEAD'
is_conflict='git symbolic-ref HEAD | grep -q heads/one && test "$(git status --porcelain -uno)" = "$(printf "A  dir/added\nUU dir/file")" &&
	git show refs/stash:dir/file | cmp - mine && test ! -e .git/CHECKOUT_AUTOSTASH_HEAD'

# Some 190 calls each: with GIT_TEST_LONG all of them.
long_step () {
	test -n "$GIT_TEST_LONG" && echo 1 || echo $(($1 * SWEEP_STEP))
}

for what in EIO ENOSPC+ EINTR short; do
	sweep_step $what 12
	test_expect_success "reset --hard: $what" '
		sweep two $what "$is_one && test \$(git rev-parse ORIG_HEAD) = $two" reset --hard one
	'
	test_expect_success "reset --hard in a merge: $what" '
		sweep merging $what "$is_one && test ! -e .git/MERGE_HEAD && test ! -e .git/MERGE_MSG" reset -q --hard one
	'
	test_expect_success "reset --keep: $what" '
		sweep two $what "$is_one" reset -q --keep one
	'
	test_expect_success "reset: $what" '
		sweep two $what "test \$(git rev-parse HEAD) = $one && git diff-index --cached --quiet HEAD 2>/dev/null ||
			test \"\$(git status --porcelain -uno)\" = \"$(printf " M dir/a\n M dir/file\n D dir/gone")\"" reset one
	'
	test_expect_success "checkout: $what" '
		sweep two $what "$is_on_one" checkout one
	'
	test_expect_success "checkout -f in a merge: $what" '
		sweep merging $what "$is_on_one && test ! -e .git/MERGE_HEAD && test ! -e .git/MERGE_MSG" checkout -q -f one
	'
	test_expect_success "switch -c: $what" '
		sweep two $what "git symbolic-ref HEAD | grep -q heads/new && test \$(git rev-parse new) = $one && test -z \"\$(git status --porcelain -uno)\"" \
			switch -q -c new one
	'
	test_expect_success "switch --detach: $what" '
		sweep two $what "! git symbolic-ref -q HEAD && test -z \"\$(git status --porcelain -uno)\"" switch -q --detach one
	'
	test_expect_success "switch -m: $what" '
		one=$(git -C clean rev-parse one) && two=$(git -C clean rev-parse main) && step=$SWEEP_STEP && SWEEP_STEP=$(long_step 3) &&
		sweep clean $what "$is_carried" switch -q -m one && SWEEP_STEP=$step
	'
	test_expect_success "switch -m with a conflict: $what" '
		SWEEP_STEP=$(long_step 7) && sweep conflict $what "$is_conflict" switch -q -m one && SWEEP_STEP=$step &&
		one=$(git -C two rev-parse one) && two=$(git -C two rev-parse two)
	'
	test_expect_success "restore of files and index: $what" '
		sweep two $what "test \"\$(cat dir/file dir/a dir/gone)\" = \"$(printf "1\n1\n1")\" && test ! -e new/b && git ls-files dir/gone | grep -q gone" \
			restore -q -s one -SW .
	'
	test_expect_success "checkout of paths: $what" '
		MIN_CALLS=8 && sweep edited $what "test \"\$(cat dir/file dir/a)\" = \"$(printf "3\n3")\"" checkout -q -- dir
	'
	test_expect_success "reset of paths: $what" '
		sweep staged $what "test \"\$(git status --porcelain -uno)\" = \"$(printf "M  dir/a\n M dir/file")\"" reset -q -- dir/file
	'
done

# Killed at each call: all files are of one state or the other, and the next command goes on.
killed () {
	local template=$1 step=$2 n=0
	rm -f missed
	while test ! -f missed; do
		n=$((n + step))
		rm -rf copy && cp -a $template copy && rm -f log || return
		(cd copy && GIT_TEST_SYSCALL_LOG=../log GIT_TEST_SYSCALL_MISSED=$TRASH_DIRECTORY/missed GIT_TEST_SYSCALL_FAIL=$n:KILL \
			"$FAULT_GIT" switch -q -m one) >/dev/null 2>&1
		still_good && stock_is_happy && git -C copy reset -q --hard 2>err && { test -f missed || ! git -C copy rev-parse -q --verify CHECKOUT_AUTOSTASH_HEAD >/dev/null ||
			(cd copy && git restore --source=CHECKOUT_AUTOSTASH_HEAD . && cmp dir/file mine); } || {
			echo "killed at call $n: $(tail -n 1 log)" >&4
			return 1
		}
	done
	test $n -gt 20
}
test_expect_success 'switch -m: the saved work is sealed before a file changes, and the merged file is settled before HEAD moves' '
	rm -rf copy log && cp -a clean copy && (cd copy && GIT_TEST_SYSCALL_LOG=../log "$FAULT_GIT" switch -q -m one) &&
	awk "/^rename .*(CHECKOUT_AUTOSTASH_HEAD|tables.list)\$/ { saved = 1 } /^fsync/ && saved { sealed = 1 } /^unlink dir.file/ { changed = sealed } /^writeout_wait .*dir.file/ { settled = changed }
		/^rename .*(HEAD.lock .git.HEAD|tables.list)\$/ { moved = settled } /^unlink .git.CHECKOUT_AUTOSTASH_HEAD\$|tables.list\$/ { gone = moved } END { exit !gone }" log &&
	ref_missing copy CHECKOUT_AUTOSTASH_HEAD
'
test_expect_success 'switch -m, killed' '
	one=$(git -C clean rev-parse one) && two=$(git -C clean rev-parse main) && killed clean ${GIT_TEST_LONG:-2} && killed conflict ${GIT_TEST_LONG:-7}
'

test_done
