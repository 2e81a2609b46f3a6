#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='hooks and signatures of git commit, beside stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000100 +0200'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

start () {
	rm -rf ours theirs && stock init -q -b main theirs &&
	(cd theirs && rm -f .git/hooks/* && echo 1 >a && echo 2 >b && mkdir d &&
	stock add . && stock commit -q -m base) && cp -a theirs ours
}

# hook NAMES: each tells its name, arguments, place and environment.
hook () {
	for side in ours theirs; do
		for name in "$@"; do
			write_script $side/.git/hooks/$name <<-\EOS || return 1
			echo "[$0 $*] $(pwd | sed "s#.*/##")"
			env | grep "^GIT_INDEX_FILE\|^GIT_EDITOR\|^GIT_DIR\|^GIT_PREFIX" | sort
			case $0 in *post-rewrite) cat ;; esac
			exit ${HOOK_CODE:-0}
			EOS
		done
	done
}

# The same but for ids of processes and the name of the directory.
same_told () {
	peers_git commit "$@" >/dev/null || true
	sed "s/next-index-[0-9]*/next-index-N/; s/theirs/ours/g" err.ours >told.ours &&
	sed "s/next-index-[0-9]*/next-index-N/; s/theirs/ours/g" err.theirs >told.theirs &&
	test_cmp told.theirs told.ours && test_cmp out.theirs out.ours
}

ALL='pre-commit prepare-commit-msg commit-msg post-commit post-rewrite'

test_expect_success 'all of them, as it stands' '
	start && hook $ALL && peers_do "echo x >>a && stock add a" &&
	same_told -m one && test_grep "hooks/post-commit" err.ours &&
	same_told --amend -m two && test_grep "hooks/post-rewrite" err.ours &&
	same_told --amend --no-edit --no-post-rewrite && same_told -n --allow-empty -m three &&
	peers_do "cd d" && PEERS_DIR=d same_told --allow-empty -m four
'

test_expect_success 'with -a, paths and an editor' '
	start && hook $ALL && EDITOR="echo words >" && export EDITOR &&
	test_when_finished "EDITOR=:" && peers_do "echo x >>a" && same_told -a &&
	peers_do "echo x >>a && echo y >>b" && same_told a && same_told -i b -m more &&
	same_told --amend --allow-empty
'

test_expect_success 'one that fails stops the commit, the index stays' '
	for name in pre-commit prepare-commit-msg commit-msg
	do
		start && hook $name && peers_do "echo x >>a" &&
		(HOOK_CODE=3 && export HOOK_CODE && same_told -a -m one) &&
		peers_git -C . rev-parse HEAD && peers_git status --porcelain &&
		test_path_missing ours/.git/index.lock || return 1
	done &&
	start && hook post-commit && (HOOK_CODE=3 && export HOOK_CODE &&
		same_told --allow-empty -m one)
'

test_expect_success 'killed, not executable, without interpreter' '
	start && for side in ours theirs; do
		write_script $side/.git/hooks/pre-commit <<-\EOS || return 1
		kill -9 $$
		EOS
	done && same_told --allow-empty -m one &&
	peers_do "chmod -x .git/hooks/pre-commit" && same_told --allow-empty -m two &&
	test_grep "was ignored because it.s not set as executable" err.ours &&
	same_told --allow-empty -n -m three &&
	(cd ours && test_config advice.ignoredHook false && git commit --allow-empty -m four 2>err &&
		test_must_be_empty err)
'

test_expect_success 'core.hooksPath' '
	start && hook pre-commit && peers_do "mv .git/hooks hk" &&
	peers_git -c core.hooksPath=hk -C . config core.hooksPath &&
	(GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=hk &&
		export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
		same_told --allow-empty -m one && test_grep "hk/pre-commit" err.ours) &&
	same_told --allow-empty -m two && test_must_be_empty err.ours
'

test_expect_success 'hooks that change the index and the words' '
	start && for side in ours theirs; do
		write_script $side/.git/hooks/pre-commit <<-\EOS &&
		echo new >added && git add added
		EOS
		write_script $side/.git/hooks/commit-msg <<-\EOS || return 1
		echo "changed by $(basename "$0")" >"$1"
		EOS
	done && peers_do "echo x >>a" && same_told -m words a && peers_git status --porcelain &&
	peers_do "echo y >>a" && same_told -a -m words && peers_git status --porcelain &&
	(cd ours && stock log --format="%T %B") >l1 && (cd theirs && stock log --format="%T %B") >l2 &&
	test_cmp l2 l1
'

test_expect_success STRACE,FSYNC_BATCH,EXT4 'hooks cost no flush' '
	start && hook pre-commit commit-msg && cd ours && echo z >>a &&
	test "$(count_flushes git commit -q -a -m one)" = 1
'

test_expect_success 'signed' '
	start && write_script fakegpg <<-\EOF &&
	echo "$@" >&2
	cat >/dev/null
	echo "[GNUPG:] SIG_CREATED D 1 8 00 1 X" >&2
	printf -- "-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n"
	EOF
	peers_do "stock config gpg.program \"$PWD/fakegpg\"" &&
	same_told -S --allow-empty -m one && same_told -Skey --allow-empty -m two &&
	peers_do "stock config commit.gpgSign true" && same_told --allow-empty -m three &&
	same_told --no-gpg-sign --allow-empty -m four &&
	(cd ours && stock rev-parse HEAD) >h1 && (cd theirs && stock rev-parse HEAD) >h2 && test_cmp h2 h1 &&
	peers_do "stock config gpg.program false" && same_told --allow-empty -m five
'

test_done
