#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git status in all formats, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

GIT_AUTHOR_DATE='1700000000 +0100' GIT_COMMITTER_DATE='1700000000 +0100'
export GIT_AUTHOR_DATE GIT_COMMITTER_DATE

all_formats () {
	for opts in '' '-s' '-sb' '--porcelain' '--porcelain -b' '--porcelain=v2' '--porcelain=v2 -b' '-z' \
		'--porcelain=v2 -z' '-uno' '-uall' '-s -unormal' '--ignored' '-s --ignored' \
		'-s --ignored=matching -uall' '--no-renames' '-s --no-renames' '--show-stash' '-M90' \
		-v -vv '--long -v'
	do
		peers_git status $opts "$@" || return 1
	done
}

with_config () {
	peers_git -c "$1" status || return 1
	peers_git -c "$1" status -s
}

test_expect_success 'before the first commit' '
	peers_init -b main &&
	all_formats &&
	peers_do "echo 1 >a && mkdir -p d/e && echo 2 >d/e/f" &&
	all_formats &&
	peers_do "stock add a" &&
	all_formats &&
	peers_do "stock add -N d/e/f" &&
	all_formats
'

base () {
	stock init -q -b main && mkdir -p d/e x/y && echo 1 >a && echo 2 >b && echo 3 >d/c && echo 4 >d/e/f && seq 50 >x/y/z &&
	ln -s a link && echo "*.o" >.gitignore && echo t >"sp ace" && stock add . && stock commit -q -m base
}

start () {
	rm -rf ours theirs && mkdir theirs && (cd theirs && base) && cp -a theirs ours
}

test_expect_success 'clean' '
	start &&
	all_formats
'

test_expect_success 'all kinds of changes' '
	start &&
	peers_do "echo more >>a && stock add a && echo even more >>a && echo x >b && rm d/c && stock rm -q d/e/f" &&
	peers_do "chmod +x x/y/z && rm link && echo file >link && echo new >n && stock add n && echo u >u && mkdir un && echo v >un/v && touch x.o un/y.o" &&
	peers_do "echo changed >\"sp ace\"" &&
	all_formats
'

test_expect_success 'the same from a subdirectory' '
	PEERS_DIR=x all_formats &&
	PEERS_DIR=x/y all_formats &&
	PEERS_DIR=x peers_git -c status.relativePaths=false status
'

test_expect_success 'pathspecs' '
	# here the patches of -v are limited by the pathspec, in stock git they are not
	for opts in "" -s --porcelain=v2 "-s --ignored" -uall
	do
		peers_git status $opts -- a d &&
		peers_git status $opts -- "*.o" "u*" &&
		peers_git status $opts -- ":!a" || return 1
	done
'

test_expect_success 'configuration' '
	with_config status.short=true &&
	with_config status.branch=true &&
	with_config status.showUntrackedFiles=no &&
	with_config status.showUntrackedFiles=all &&
	with_config advice.statusHints=false &&
	with_config status.displayCommentPrefix=true &&
	peers_git -c status.displayCommentPrefix=true -c core.commentChar=% -c color.status=always status -v &&
	with_config status.renames=false &&
	with_config status.relativePaths=false &&
	with_config core.quotePath=false &&
	with_config color.status=always &&
	peers_git -c color.status=always -c color.status.changed="bold blue" status
'

test_expect_success 'staged renames' '
	start &&
	peers_do "stock mv x/y/z x/moved && stock mv a d/a2 && seq 51 >x/moved && stock add x/moved" &&
	all_formats &&
	peers_do "cp x/moved x/copy && stock add x/copy && echo more >>d/a2" &&
	all_formats &&
	peers_git -c status.renames=copies status &&
	peers_git -c status.renames=copies status --porcelain=v2
'

test_expect_success 'renames of files to be added later' '
	start &&
	peers_do "mv x/y/z x/y/w && stock add -N x/y/w" &&
	all_formats
'

test_expect_success 'touched files are clean, and the index remembers' '
	start &&
	peers_do "touch -d 2010-01-01 a b d/c" &&
	all_formats &&
	stock -C ours diff-files --quiet
'

test_expect_success 'odd names' '
	start &&
	peers_do "echo x >\"qu\\\"ote\" && echo y >\"new
line\" && echo z >\"tab	x\" && echo u >\"$(printf "\\303\\244")\" && echo \" \" >\" lead\" && mkdir \"d ir\" && echo >\"d ir/x\"" &&
	all_formats &&
	peers_do "stock add ." &&
	all_formats
'

test_expect_success 'ahead, behind, diverged, gone' '
	start && rm -rf up &&
	cp -a theirs up &&
	for d in ours theirs; do stock -C $d remote add origin ../up && stock -C $d fetch -q && stock -C $d branch -q -u origin/main || return 1; done &&
	all_formats &&
	peers_do "stock commit -q --allow-empty -m 1 && stock commit -q --allow-empty -m 2" &&
	all_formats &&
	stock -C up commit -q --allow-empty -m 3 &&
	for d in ours theirs; do stock -C $d fetch -q; done &&
	all_formats &&
	peers_git status --no-ahead-behind && peers_git status -sb --no-ahead-behind && peers_git status --porcelain=v2 -b --no-ahead-behind &&
	peers_do "stock reset -q --hard HEAD~2" &&
	all_formats &&
	peers_do "stock update-ref -d refs/remotes/origin/main" &&
	all_formats
'

test_expect_success 'detached HEAD' '
	start &&
	peers_do "stock commit -q --allow-empty -m 2 && stock tag v1 && stock checkout -q HEAD^" &&
	all_formats &&
	peers_do "stock checkout -q v1" && all_formats &&
	peers_do "stock commit -q --allow-empty -m 3" && all_formats
'

conflict () {
	stock checkout -q -b side && echo side >a && rm b && echo new-side >n && mkdir q && stock rm -q d/c && stock add -A && stock commit -q -m side &&
	stock checkout -q main && echo main >a && echo changed >b && echo new-main >n && stock add -A && echo changed >d/c && stock commit -q -a -m main &&
	! stock "$@" >/dev/null 2>&1
}

test_expect_success 'merge with conflicts' '
	start &&
	peers_do "conflict merge side" &&
	all_formats &&
	peers_do "stock add a b n; stock rm -q --cached d/c" &&
	all_formats
'

test_expect_success 'cherry-pick, revert, bisect' '
	start &&
	peers_do "conflict cherry-pick side" &&
	all_formats &&
	peers_do "stock add -A" && all_formats &&
	start &&
	peers_do "conflict merge side; stock merge --abort; echo z >a; stock commit -qam z; stock revert HEAD~1 >/dev/null 2>&1; true" &&
	all_formats &&
	start &&
	peers_do "stock commit -q --allow-empty -m x && stock bisect start >/dev/null 2>&1" &&
	all_formats
'

test_expect_success 'ignored files and directories' '
	start &&
	peers_do "printf \"*.o\\nbuild/\\n!keep.o\\n\" >.gitignore && mkdir -p build/a w/b && echo >build/a/x && echo >w/b/1.o && echo >w/b/keep.o && echo >w/2.o && mkdir all && echo >all/1.o" &&
	all_formats &&
	peers_git status --ignored -- w && peers_git status -s --ignored -uall -- w
'

test_expect_success 'a repository inside' '
	start &&
	peers_do "stock init -q sub && stock -C sub commit -q --allow-empty -m s" &&
	all_formats &&
	peers_do "stock add sub 2>/dev/null && stock commit -q -m sub" &&
	all_formats &&
	peers_do "stock -C sub commit -q --allow-empty -m t" &&
	all_formats && all_formats --ignore-submodules &&
	peers_do "echo u >sub/u" && all_formats &&
	peers_do "echo f >sub/f && stock -C sub add f" && all_formats &&
	peers_git status --ignore-submodules=untracked && peers_git status -s --ignore-submodules=dirty &&
	peers_git status --ignore-submodules=none && peers_git status --ignore-submodules=foo &&
	peers_do "stock add sub" && peers_git status && peers_git status -s && peers_git status --porcelain=v2
'

test_expect_success 'file and directory change places' '
	start &&
	peers_do "rm a && mkdir a && echo x >a/x && rm -r d && echo d >d" &&
	all_formats &&
	peers_do "stock add -A" && all_formats
'

test_expect_success 'values that are not known' '
	peers_git status -ufoo &&
	peers_git status --ignored=foo &&
	peers_git status --porcelain=v3 &&
	PEERS_STDERR=ignore peers_git status --nope
'

test_expect_success 'without a commit there is no word about the upstream' '
	git init -q --bare nothing.git && git clone -q nothing.git of-nothing &&
	for c in "status" "commit --dry-run"
	do
		test_might_fail git -C of-nothing $c >out && test_grep ! gone out && test_grep ! upstream out &&
		sed -n 2p out >second && echo >empty && test_cmp empty second || return 1
	done &&
	git -C of-nothing status -sb >out && test_grep "gone\]" out &&
	git -C of-nothing commit -q --allow-empty -m x &&
	git -C of-nothing status >out && test_grep "the upstream is gone" out
'

test_done
