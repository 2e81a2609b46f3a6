#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git init, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
SQ="'"
. "$TEST_DIRECTORY/lib-peers.sh"
test_stock_template=

# Runs both in empty directories with names of the same length, and compares output,
# config, and files, except those of templates.
start () {
	rm -rf ours theirs && mkdir ours theirs
}
# Sample hooks and the texts of templates differ between the programs.
listing () {
	(cd "$1" && find . \( -name "*.sample" -o -name branches \) -prune -o -printf "%M %p\n" |
		sort -k2)
}
same_layout () {
	listing ours >l1 && listing theirs >l2 && test_cmp l2 l1
}
same_file () {
	test_cmp "theirs/$1" "ours/$1"
}

test_expect_success 'plain' '
	start && peers_git init && same_layout && same_file .git/config && same_file .git/HEAD &&
	peers_git init && same_file .git/config && peers_git init -q &&
	(cd ours && stock fsck) && (cd ours && stock status)
'

test_expect_success 'a directory that does not exist is created' '
	start && peers_git init a/b && same_layout && peers_git init a/b &&
	peers_git -C a/b config core.bare
'

test_expect_success 'bare' '
	start && peers_git init --bare r.git && same_file r.git/config && same_layout &&
	peers_git init --bare r.git && peers_git --bare init s && same_file s/config
'

test_expect_success 'the first branch' '
	start && peers_git init -b foo r && same_file r/.git/HEAD &&
	peers_git init -b bar r && same_file r/.git/HEAD &&
	peers_git init -b a..b q && peers_git init --initial-branch= q &&
	peers_git -c init.defaultBranch=trunk init s && same_file s/.git/HEAD &&
	peers_git -c init.defaultBranch=a..b init t
'

test_expect_success 'hashes' '
	start && peers_git init --object-format=sha256 r && same_file r/.git/config &&
	peers_git init --object-format=sha1 r && peers_git init --object-format=foo s &&
	(GIT_DEFAULT_HASH=sha256 && export GIT_DEFAULT_HASH && peers_git init t) &&
	same_file t/.git/config &&
	(GIT_DEFAULT_HASH=foo && export GIT_DEFAULT_HASH && peers_git init u)
'

test_expect_success 'shared' '
	for s in group all 0640 0660 umask true 1 2
	do
		start && peers_git init --shared=$s r && same_file r/.git/config &&
		same_layout || return 1
	done &&
	peers_git init --shared=0444 s
'

test_expect_success 'templates' '
	start && mkdir -p tp/a/b tp/.d && echo x >tp/a/b/c && chmod +x tp/a/b/c &&
	printf "[x]\n\ty = 1\n" >tp/config && ln -s foo tp/sl &&
	peers_git init --template="$PWD/tp" r && same_layout && same_file r/.git/config &&
	peers_git init --template= s && same_layout &&
	peers_git init --template="$PWD/none" t && same_layout &&
	(GIT_TEMPLATE_DIR=$PWD/tp && export GIT_TEMPLATE_DIR && peers_git init u) && same_layout &&
	peers_git -c "init.templateDir=$PWD/tp" init v && same_layout &&
	printf "[core]\n\trepositoryformatversion = 5\n" >tp/config &&
	peers_git init --template="$PWD/tp" w && same_layout
'

test_expect_success 'a template does not replace existing files' '
	git init -q own && echo mine >own/.git/info/exclude && echo hook >own/.git/description &&
	git init -q own && test "$(cat own/.git/info/exclude)" = mine &&
	test "$(cat own/.git/description)" = hook
'

test_expect_success '--separate-git-dir' '
	start && peers_git init --separate-git-dir=sep w &&
	sed s/theirs/ours/ theirs/w/.git >expect && test_cmp expect ours/w/.git &&
	same_file sep/config && peers_git init --separate-git-dir=sep2 w &&
	sed s/theirs/ours/ theirs/w/.git >expect && test_cmp expect ours/w/.git && same_layout &&
	peers_git -C w rev-parse --git-dir && peers_git init --bare --separate-git-dir=x y
'

test_expect_success 'GIT_DIR and GIT_WORK_TREE' '
	start && peers_do "mkdir wt" &&
	(GIT_DIR=gd && export GIT_DIR && peers_git init) && same_file gd/config &&
	(GIT_DIR=gd2 && export GIT_DIR && peers_git init foo) && same_layout &&
	(GIT_WORK_TREE=wt && export GIT_WORK_TREE && peers_git init) &&
	(GIT_DIR=gd3 GIT_WORK_TREE=wt && export GIT_DIR GIT_WORK_TREE && peers_git init) &&
	sed s/theirs/ours/ theirs/gd3/config >expect && test_cmp expect ours/gd3/config
'

test_expect_success 'a format that is not known is refused' '
	start && peers_git init r && peers_do "stock config -f r/.git/config core.repositoryformatversion 2" &&
	peers_git init r
'

test_expect_success 'a file in the way; nothing is left behind' '
	start && peers_do "echo x >f" && peers_git init f && peers_git init f/x &&
	mkdir -p half/.git && : >half/.git/objects &&
	test_must_fail git init half/.git/../ 2>err && ls -A half/.git >actual &&
	echo objects >expect && test_cmp expect actual
'

test_expect_success STRACE,FSYNC_BATCH,JOURNAL 'one flush, however many files' '
	on_journal journal && test "$(count_flushes git init -q journal/one)" = 1 &&
	test "$(count_flushes git -c core.fsync=none init -q journal/none)" = 0
'

test_expect_success STRACE,XATTR "the locks of a new repository have one owner file, which the next command finds" '
	trace_calls calls linkat,open,openat git init -q one-owner &&
	grep "exclude.lock" calls &&
	grep -o "[^\"]*/\.git-owner-[^\"]*" calls | sort -u >owners && test_line_count = 1 owners &&
	grep "^.*/one-owner/\.git/\.git-owner-" owners
'

test_expect_success SYMLINKS "the configuration of an existing repository chooses neither the template nor its destination" '
	mkdir -p private/hooks elsewhere && echo secret >private/hooks/key &&
	git init -q --template= theirs && git -C theirs config init.templateDir "$PWD/private" &&
	git init -q theirs && test_path_is_missing theirs/.git/hooks/key &&
	git -C theirs config --unset init.templateDir && rm -rf theirs/.git/hooks theirs/.git/info &&
	ln -s "$PWD/elsewhere" theirs/.git/hooks && ln -s "$PWD/elsewhere" theirs/.git/info &&
	git init -q --template="$PWD/private" theirs && git init -q theirs &&
	test -z "$(ls -A elsewhere)" &&
	git config --global init.templateDir "$PWD/private" && git init -q ours &&
	test_cmp private/hooks/key ours/.git/hooks/key
'

test_expect_success 'the directory of a shared repository has the mode of one' '
	(umask 002 && git init -q --bare --shared=0660 shared && git init -q --shared=group shared2 &&
	 mkdir there && chmod 700 there && git init -q --bare --shared=group there) &&
	ls -ld shared | cut -c1-10 >out && ls -ld shared2/.git there | cut -c1-10 >>out &&
	printf "%s\n" drwxrws--- drwxrwsr-x drwxrws--- >expect && test_cmp expect out
'

# A repository "main" with a linked worktree "tree" (of branch "side").
with_linked () {
	rm -rf main tree sep sep2 &&
	git init -q -b one main && git -C main commit -q --allow-empty -m one &&
	git -C main branch side && mkdir -p main/.git/worktrees/w tree &&
	echo ../.. >main/.git/worktrees/w/commondir &&
	echo "$PWD/tree/.git" >main/.git/worktrees/w/gitdir &&
	echo "gitdir: $PWD/main/.git/worktrees/w" >tree/.git &&
	echo "ref: refs/heads/side" >main/.git/worktrees/w/HEAD
}

test_expect_success 'in a linked worktree: the repository that it belongs to' '
	with_linked && rmdir main/.git/refs/tags &&
	git -C tree init --shared=group -b zz >out 2>err &&
	echo "Reinitialized existing shared Git repository in $PWD/main/.git/worktrees/w/" >expect &&
	test_cmp expect out &&
	test_grep "re-init: ignored --initial-branch=zz" err &&
	(cd main/.git/worktrees/w && ls) >out &&
	printf "%s\n" HEAD commondir gitdir >expect && test_cmp expect out &&
	test "$(git -C main config core.sharedRepository)" = 1 &&
	test_path_is_dir main/.git/refs/tags &&
	test "$(git -C tree symbolic-ref HEAD) $(git -C main symbolic-ref HEAD)" = "refs/heads/side refs/heads/one"
'

test_expect_success '--separate-git-dir keeps linked worktrees' '
	for where in main tree
	do
		with_linked && git init --separate-git-dir=sep $where >out &&
		echo "Reinitialized existing Git repository in $PWD/sep/" >expect &&
		test_cmp expect out &&
		echo "gitdir: $PWD/sep" >expect && test_cmp expect main/.git &&
		echo "gitdir: $PWD/sep/worktrees/w" >expect && test_cmp expect tree/.git &&
		echo "$PWD/tree/.git" >expect && test_cmp expect sep/worktrees/w/gitdir &&
		test "$(git -C tree rev-parse HEAD)" = "$(git -C main rev-parse side)" || return 1
	done &&
	git init -q --separate-git-dir=sep2 main &&
	test "$(git -C tree rev-parse --git-dir)" = "$PWD/sep2/worktrees/w" &&
	test_expect_code 128 git init --separate-git-dir=sep3 tree 2>err &&
	test_grep "incompatible with bare repository" err &&
	test_path_missing sep3 && git -C tree rev-parse -q --verify HEAD
'

test_expect_success '--separate-git-dir: relative links stay relative, missing worktrees are left' '
	with_linked && echo "gitdir: ../main/.git/worktrees/w" >tree/.git &&
	echo ../../../../tree/.git >main/.git/worktrees/w/gitdir &&
	mkdir main/.git/worktrees/gone && echo "$PWD/gone/.git" >main/.git/worktrees/gone/gitdir &&
	git init -q --separate-git-dir=sep main &&
	echo "gitdir: ../sep/worktrees/w" >expect && test_cmp expect tree/.git &&
	echo ../../../tree/.git >expect && test_cmp expect sep/worktrees/w/gitdir &&
	echo "$PWD/gone/.git" >expect && test_cmp expect sep/worktrees/gone/gitdir &&
	test_path_missing gone &&
	test "$(git -C tree rev-parse HEAD)" = "$(git -C main rev-parse side)"
'

test_expect_success 'the hint about the name of the first branch' '
	git init hinted 2>err && cat >expect <<-\EOF && test_cmp expect err &&
	hint: Using '\''master'\'' as the name for the initial branch. This default branch name
	hint: will change to "main" in Git 3.0. To configure the initial branch name
	hint: to use in all of your new repositories, which will suppress this warning,
	hint: call:
	hint:
	hint: 	git config --global init.defaultBranch <name>
	hint:
	hint: Names commonly chosen instead of '\''master'\'' are '\''main'\'', '\''trunk'\'' and
	hint: '\''development'\''. The just-created branch can be renamed via this command:
	hint:
	hint: 	git branch -m <name>
	hint:
	hint: Disable this message with "git config set advice.defaultBranchName false"
	EOF
	git -c advice.defaultBranchName=false init hinted2 2>err && test_must_be_empty err
'

test_expect_success 'git --bare init with a work tree is refused' '
	GIT_WORK_TREE=. test_expect_code 128 git --bare init bare-wt 2>err && test_grep "not allowed without specifying GIT_DIR" err &&
	test_path_is_missing bare-wt/HEAD
'

test_expect_success 'a setting of an unknown format makes a warning' '
	(unset GIT_DEFAULT_HASH GIT_DEFAULT_REF_FORMAT && git -c init.defaultRefFormat=junk init -q odd1 2>err && echo "warning: unknown ref storage format ${SQ}junk$SQ" >expect && test_cmp expect err &&
	git -c init.defaultObjectFormat=junk init -q odd2 2>err && echo "warning: unknown hash algorithm ${SQ}junk$SQ" >expect && test_cmp expect err) &&
	test_expect_code 128 env GIT_DEFAULT_HASH=junk git init -q odd3 2>err && test_expect_code 128 env GIT_DEFAULT_REF_FORMAT=junk git init -q odd3 2>err && test_path_is_missing odd3/.git/HEAD
'

test_done
