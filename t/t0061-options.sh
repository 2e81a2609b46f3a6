#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every command: -h, unknown options, invalid values'
. "$(dirname "$0")/test-lib.sh"
SQ="'"

ALL='add cat-file check-attr check-ignore check-ref-format commit commit-tree config
	count-objects for-each-ref fsck hash-object init ls-files ls-tree mktag mktree read-tree
	rev-parse rm show-ref status symbolic-ref update-index update-ref var write-tree'

test_expect_success 'a repository' '
	git init -q repo &&
	test_commit -C repo one
'

for cmd in $ALL; do
	test_expect_success "$cmd -h: the usage, exit code 129" '
		test_expect_code 129 git -C repo $cmd -h >out 2>err &&
		test_grep "^usage: git $cmd" out &&
		test_must_be_empty err
	'
done

# For some commands words that look like options are revisions or refs.
for cmd in $ALL; do
	case $cmd in
	rev-parse|check-ref-format|var) continue ;;
	esac
	test_expect_success "$cmd --nope: an error, exit code 129" '
		test_expect_code 129 git -C repo $cmd --nope >out 2>err &&
		test_grep "nope" err &&
		test_must_be_empty out
	'
done

test_expect_success 'nothing is left behind by any of them' '
	find repo/.git -name "*.lock" -o -name "tmp_*" >left &&
	test_must_be_empty left
'

test_expect_success 'invalid values are refused' '
	cd repo &&
	test_expect_code 128 git commit --allow-empty -uzzz -m x 2>err &&
	test_grep "Invalid untracked files mode .zzz." err &&
	test_expect_code 128 git status -uzzz 2>err &&
	test_expect_code 128 git init --separate-git-dir= sub 2>err &&
	test_expect_code 128 git read-tree --exclude-per-directory=x HEAD 2>err &&
	test_expect_code 129 git read-tree --no-prefix HEAD 2>err &&
	test_expect_code 129 git config --no-bool a.b c 2>err &&
	test_path_is_missing sub && git fsck
'

test_expect_success 'hints say how to turn them off, unless that is configured; advice.* turns them off' - <<\EOT
	git init -q -b main hints && cd hints && test_when_finished "cd .." &&
	off='hint: Disable this message with "git config set advice' &&
	git add 2>../err && printf "%s\n" "Nothing specified, nothing added." \
		"hint: Maybe you wanted to say 'git add .'?" "$off.addEmptyPathspec false\"" >../expect &&
	test_cmp ../expect ../err &&
	git -c advice.addEmptyPathspec=true add 2>../err && sed -i '$d' ../expect && test_cmp ../expect ../err &&
	git -c advice.addEmptyPathspec=false add 2>../err && sed -i '$d' ../expect && test_cmp ../expect ../err &&
	E=$(echo x | git hash-object -w --stdin) &&
	printf "100644 $E 1\tu\n100644 $E 2\tu\n" | git update-index --index-info &&
	test_must_fail git commit -m x 2>../err && test_grep "^hint: as appropriate to mark" ../err && test_grep ! Disable ../err &&
	test_must_fail git -c advice.resolveConflict=false commit -m x 2>../err && test_grep ! "^hint" ../err &&
	git rm -q -f --cached u && echo y >f && git add f &&
	test_must_fail git rm f 2>../err && test_grep "^(use --cached to keep" ../err &&
	test_must_fail git -c advice.rmHints=false rm f 2>../err && test_grep ! "^(use" ../err
EOT

test_expect_success 'two options that choose what a command does: both are named as they were given' '
	git init -q modes && (cd modes && git commit -q --allow-empty -m x &&
	 both () { test_expect_code 129 git $3 2>err && echo "error: options ${SQ}$1$SQ and ${SQ}$2$SQ cannot be used together" >expect && head -n 1 err >actual && test_cmp expect actual; } &&
	 both --continue --abort "cherry-pick --abort --continue" && both -l -d "tag -d -l" && both --list --delete "tag --delete --list" &&
	 both -s -t "cat-file -t -s HEAD" && both --add --get "config --get --add x y" && both -l --get "config --get -l" && both --abort --skip "rebase --skip --abort" &&
	 git config --add a.b c && git config --get --get a.b)
'

test_expect_success 'an editor that cannot be started, and one that fails' '
	(cd modes && GIT_EDITOR=nonesuch && export GIT_EDITOR &&
	 printf "error: %s\n" "cannot run nonesuch: No such file or directory" "unable to start editor ${SQ}nonesuch$SQ" >expect &&
	 test_expect_code 1 git commit --allow-empty 2>err && head -n 2 err >actual && test_cmp expect actual && test_expect_code 1 git rebase -i --root 2>err && head -n 2 err >actual && test_cmp expect actual &&
	 GIT_EDITOR=false && test_expect_code 1 git tag -a x 2>err && test "$(head -n 1 err)" = "error: there was a problem with the editor ${SQ}false$SQ" &&
	 test_must_fail git commit --allow-empty --squash=nope 2>err && echo "fatal: could not lookup commit ${SQ}nope$SQ" >expect && test_cmp expect err &&
	 test_must_fail git commit --allow-empty -C nope 2>err && test_cmp expect err)
'

test_expect_success 'words for arguments of atoms, an empty alias, and a lock' '
	(cd modes && bad () { test_expect_code 128 git for-each-ref --format="%($1)" 2>err && echo "fatal: unrecognized %($2) argument: $3" >expect && test_cmp expect err; } &&
	 bad upstream:foo upstream foo && bad objectname:foo objectname foo && bad authoremail:trim,x authoremail x && bad authorname:mailmap,x authorname mailmap,x &&
	 test_expect_code 1 git -c alias.x= x 2>err && echo "expansion of alias ${SQ}x$SQ failed; $SQ$SQ is not a git command" >expect && test_cmp expect err &&
	 touch .git/index.lock && test_expect_code 128 git add . 2>err && test_grep "^fatal: Unable to create $SQ$PWD/.git/index.lock$SQ: File exists[.]" err)
'

test_expect_success 'commands that pass options on take whole names only; those with a list of their own take the beginning, too' '
	(cd modes && rm -f .git/index.lock && git branch -f other && whole () { test_must_fail git "$@" >out 2>&1 && cat out && test_grep ! ambiguous out; } &&
	 whole cherry-pick --allow-em other && whole format-patch --stdo -1 && whole last-modified --recur && whole fast-export --refs=x HEAD && whole replay --ont HEAD HEAD &&
	 git commit -q --allow-empty -m y && git cherry-pick -n --all && git shortlog --summ HEAD && git range-diff --creation=3 HEAD~1..HEAD HEAD~1..HEAD)
'

test_done
