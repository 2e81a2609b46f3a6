#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='locks across containers

Owner files (fs/owner.h) prove in any pid namespace that an owner is gone, and that it lives.'
. "$(dirname "$0")/test-lib.sh"

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git
test_lazy_prereq NAMESPACES 'unshare --pid --fork --mount-proc true'
test_lazy_prereq OVERLAY 'mkdir l u w m && unshare --mount sh -c "
	mount -t overlay none -o lowerdir=l,upperdir=u,workdir=w m && cd m &&
	echo x >f && setfattr -n user.sluice -v 1 f"'
test_have_prereq XATTR || {
	skip_all='this file system has no extended attributes'
	test_done
}

HERE=$PWD
in_namespace () {
	unshare --pid --fork --mount-proc "$@"
}

# hold DIR [CMD...]: a git that holds DIR/.git/index.lock until fifo 9 is closed; $holder
hold () {
	local dir=$1
	shift
	rm -f "$HERE/fifo" && mkfifo "$HERE/fifo" || return
	{ "$@" git -C "$dir" update-index --stdin <"$HERE/fifo" 2>"$HERE/held.err" 9>&- & }
	holder=$!
	exec 9>"$HERE/fifo"
	wait_for "$dir/.git/index.lock"
}

wait_for () {
	while test ! -e "$1"; do sleep 0.05; done
}

let_go () {
	exec 9>&-
	wait $holder
}

owner_files () {
	find "$@" -name ".git-owner-*"
}

no_litter () {
	find "$@" -name "*.lock" -o -name "tmp_*" -o -name ".git-owner-*" >litter &&
	test_must_be_empty litter
}

test_expect_success 'setup' '
	git init -q repo && echo 1 >repo/f && git -C repo add f && git -C repo commit -q -m 1 &&
	no_litter repo
'

test_expect_success 'one owner file, as long as the command lives' '
	hold repo &&
	owner_files repo/.git >files && test_line_count = 1 files &&
	let_go && no_litter repo
'

# The shell that is the first process of the namespace lives on.
if test -x "$FAULT_GIT"; then
	test_expect_success NAMESPACES 'killed in a namespace that lives on' '
		cat >kill.sh <<-\EOS &&
		cd repo && n=0
		while n=$((n + 1)) && test $n -lt 300; do
			GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" add . >/dev/null 2>&1
			test -e .git/index.lock && ls .git/objects | grep -q tmp_objdir- && break
		done
		: >../killed
		exec cat ../end
		EOS
		export FAULT_GIT &&
		for i in 1 2 3 4 5; do echo $i >repo/g$i || return; done &&
		mkfifo end && { in_namespace sh kill.sh >/dev/null 2>&1 & } && space=$! &&
		wait_for killed &&
		test_when_finished "timeout 20 sh -c \": >end\"; wait $space" &&
		test_path_is_file repo/.git/index.lock &&
		in_namespace git -C repo add . 2>err &&
		test_grep "removed stale lock .*index.lock" err &&
		test_grep "removed .*tmp_objdir-" err &&
		no_litter repo &&
		git -C repo ls-files --error-unmatch g1 g5 &&
		git -C repo fsck &&
		kill -0 $space
	'
fi

test_expect_success NAMESPACES 'a living owner in another namespace keeps its lock' '
	echo 2 >repo/f &&
	hold repo in_namespace &&
	inode=$(stat -c %i repo/.git/index.lock) &&
	test_must_fail git -C repo add f 2>err &&
	test_grep "index.lock.: File exists" err &&
	test_must_fail in_namespace git -C repo add f &&
	# what clears up after the dead leaves its file alone
	git -C repo update-ref refs/heads/other HEAD &&
	owner_files repo/.git >files && test_line_count = 1 files &&
	test_must_fail git -C repo add f &&
	test $inode = $(stat -c %i repo/.git/index.lock) &&
	let_go &&
	test_must_be_empty held.err && no_litter repo
'

test_expect_success NAMESPACES 'a hook that runs git add in a namespace of its own, in commit -a' '
	test_when_finished "rm -f repo/.git/hooks/pre-commit" &&
	write_script repo/.git/hooks/pre-commit <<-\EOS &&
	unshare --pid --fork --mount-proc git add hooked || exit
	# the lock has another inode now, and still is that of commit
	unset GIT_INDEX_FILE
	! git add f 2>../hook.err
	EOS
	echo 3 >repo/f && echo h >repo/hooked &&
	git -C repo commit -q -a -m 3 2>err &&
	! grep stale err && test_grep "index.lock.: File exists" hook.err &&
	git -C repo ls-files --error-unmatch hooked &&
	git -C repo ls-tree --name-only HEAD hooked >names && test_line_count = 1 names &&
	test -z "$(git -C repo status --porcelain -uno)" &&
	no_litter repo
'

test_expect_success STOCK_GIT 'stock Git beside an owner file' '
	hold repo &&
	owner_files repo/.git >before &&
	stock -C repo gc -q && stock -C repo fsck --strict --no-dangling &&
	stock -C repo worktree prune &&
	stock clone -q --local --no-hardlinks repo copy &&
	owner_files repo/.git >after && test_cmp before after &&
	owner_files copy >files && test_must_be_empty files &&
	let_go && no_litter repo
'

test_expect_success 'a lock in no repository has its owner file beside it' '
	mkdir home && cp repo/f home/gitconfig && : >home/gitconfig &&
	GIT_CONFIG_GLOBAL=$PWD/home/gitconfig && export GIT_CONFIG_GLOBAL &&
	test_when_finished "unset GIT_CONFIG_GLOBAL" &&
	git config --global x.y 1 && no_litter home &&
	if test -x "$FAULT_GIT"; then
		n=0 &&
		while n=$((n + 1)) && test ! -e home/gitconfig.lock; do
			GIT_TEST_SYSCALL_FAIL=$n:KILL "$FAULT_GIT" config --global x.y 2 2>out
			test $? = 137 || return
		done &&
		git config --global x.y 3 2>err && test_grep "stale lock" err &&
		test "$(git config --global x.y)" = 3
	fi &&
	no_litter home
'

test_expect_success 'a copy made beside a living owner can be used' '
	hold repo &&
	cp -a repo mirror &&
	let_go &&
	rm -f mirror/.git/index.lock &&
	git -C mirror add . && no_litter mirror
'

test_expect_success NAMESPACES,PYTHON 'killed at random moments in several namespaces' '
	python3 "$TEST_DIRECTORY/stress-kill" --seconds 3 --git "$GIT_BUILD_DIR/git" --dir "$PWD"
'

test_expect_success ROOT,OVERLAY 'overlay: known inside, never judged from its upper directory' '
	mkdir lower upper work merged &&
	cat >overlay.sh <<-\EOS &&
	mount -t overlay none -o lowerdir=lower,upperdir=upper,workdir=work merged &&
	git init -q merged/r && echo 1 >merged/r/f && mkfifo hold || exit
	git -C merged/r update-index --stdin <hold 9>&- &
	holder=$!
	exec 9>hold
	while test ! -e merged/r/.git/index.lock; do sleep 0.05; done
	git -C merged/r add f 2>alive-inside && exit 1
	git -C upper/r add f 2>alive-outside && exit 1
	git -C upper/r update-ref refs/heads/x "" 2>/dev/null
	find upper -name ".git-owner-*" >owners && kill -9 $holder
	exec 9>&-
	wait $holder
	git -C upper/r add f 2>dead-outside && exit 1
	git -C merged/r add f 2>dead-inside || exit
	find merged -name "*.lock" -o -name ".git-owner-*" >left
	EOS
	unshare --mount sh overlay.sh &&
	test_line_count = 1 owners && test_must_be_empty left &&
	test_grep "Process [0-9]* holds it" alive-inside &&
	test_grep "cannot be told" alive-outside && test_grep "cannot be told" dead-outside &&
	test_grep "stale lock" dead-inside
'

test_done
