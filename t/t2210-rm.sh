#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git rm, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

start () {
	peers_init &&
	(cd theirs && mkdir -p d/e f && echo 1 >a && echo 2 >b && echo 3 >d/c && echo 4 >d/e/x && echo 5 >f/g &&
	stock add . && stock commit -q -m one) &&
	rm -rf ours && cp -a theirs ours
}

same_tree () {
	(cd ours && find . -path ./.git -prune -o -print | sort) >t1 &&
	(cd theirs && find . -path ./.git -prune -o -print | sort) >t2 &&
	test_cmp t2 t1 && peers_same_index
}

test_expect_success 'files, quiet, dry run, cached' '
	start &&
	peers_git rm -n a d/c && same_tree &&
	peers_git rm a d/c && same_tree &&
	peers_git rm -q b && same_tree &&
	peers_git rm --cached f/g && same_tree
'

test_expect_success 'directories' '
	start &&
	peers_git rm d && same_tree &&
	peers_git rm -r d && same_tree &&
	peers_git rm -r . && same_tree
'

test_expect_success 'directories that become empty are removed' '
	start &&
	peers_git rm d/e/x && same_tree &&
	PEERS_DIR=f peers_git rm ../d/c
'

test_expect_success 'rm refuses files whose content would be lost' '
	start &&
	peers_do "echo x >>a && echo y >>b && stock add b && echo z >>d/c && stock add d/c && echo zz >>d/c" &&
	peers_git rm a b d/c && same_tree &&
	peers_git rm --cached a && same_tree &&
	peers_git rm --cached d/c && same_tree &&
	peers_git rm -f b d/c && same_tree
'

test_expect_success 'nothing matches, nothing given' '
	start &&
	peers_git rm nope &&
	peers_git rm --ignore-unmatch nope &&
	peers_git rm &&
	peers_git rm "*.nope" &&
	peers_git rm a nope && same_tree &&
	PEERS_STDERR=ignore peers_git rm --no-such
'

test_expect_success 'deleted already, new in the index, before the first commit' '
	start &&
	peers_do "rm a && echo n >n && stock add n" &&
	peers_git rm a && same_tree &&
	peers_git rm n && same_tree &&
	peers_git rm -f n && same_tree &&
	peers_init && peers_do "echo 1 >x && stock add x" &&
	peers_git rm x &&
	peers_git rm --cached x && same_tree
'

test_expect_success 'globs and a pathspec file' '
	start &&
	peers_git rm "d/*" && same_tree &&
	echo a >list &&
	PEERS_STDIN=list peers_git rm --pathspec-from-file=- && same_tree
'

# ---- without a peer ----

SQ="'"

# conflict REPO PATH: stages 1 to 3
conflict () {
	local blob
	blob=$(echo base | git -C "$1" hash-object -w --stdin) &&
	for stage in 1 2 3
	do
		printf "100644 %s %s\t%s\n" "$blob" "$stage" "$2" || return 1
	done | git -C "$1" update-index --index-info
}

test_expect_success 'a directory in place of the file is not removed, nor is the entry' '
	git init -q dirs && echo 1 >dirs/f && echo 2 >dirs/g && git -C dirs add . &&
	git -C dirs commit -qm one && rm dirs/f && mkdir dirs/f &&
	for args in f "-f f" "-r ."
	do
		test_expect_code 128 git -C dirs rm $args 2>err >out || return 1
		test_grep "^fatal: git rm: .f.: Is a directory$" err &&
		test_path_is_dir dirs/f && test_path_is_file dirs/g &&
		git -C dirs ls-files >out && printf "f\ng\n" >expect &&
		test_cmp expect out || return 1
	done &&
	conflict dirs u && mkdir dirs/u && echo x >dirs/u/x &&
	test_expect_code 128 git -C dirs rm u && git -C dirs ls-files -u >out &&
	test_line_count = 3 out && test_path_is_file dirs/u/x &&
	git -C dirs rm -n f >out && echo "rm ${SQ}f${SQ}" >expect && test_cmp expect out &&
	git -C dirs rm -q --cached f u && git -C dirs ls-files >out && echo g >expect &&
	test_cmp expect out
'

test_expect_success 'once a file has been removed, a directory only stays' '
	git init -q later && echo 1 >later/a && echo 2 >later/b && git -C later add . &&
	git -C later commit -qm one && rm later/b && mkdir later/b &&
	git -C later rm -q a b && git -C later ls-files >out && test_must_be_empty out &&
	test_path_is_missing later/a && test_path_is_dir later/b
'

test_expect_success SYMLINKS 'a symlink to a directory is removed, the directory is not' '
	git init -q links && mkdir links/d && echo 1 >links/d/x && ln -s d links/l &&
	git -C links add . && git -C links commit -qm one && git -C links rm -q l &&
	! test -h links/l && test_path_is_file links/d/x
'

test_expect_success 'rm names a conflict once if its path was given, else for each stage' '
	git init -q told && conflict told p && echo "rm ${SQ}p${SQ}" >once &&
	cat once once once >thrice &&
	git -C told rm -n p >out && test_cmp once out &&
	git -C told rm -n -r . >out && test_cmp thrice out &&
	git -C told rm -n "p*" >out && test_cmp thrice out &&
	git -C told rm p >out && test_cmp once out &&
	git -C told ls-files -u >out && test_must_be_empty out
'

test_expect_success 'a submodule that is there, or that .gitmodules describes, is refused' '
	git init -q -b main m && git init -q -b main m/s && test_commit -C m/s one && git -C m update-index --add --cacheinfo 160000,$(git -C m/s rev-parse HEAD),s &&
	echo a >m/a && git -C m add a && git -C m commit -q -m one && test_expect_code 128 git -C m rm -r -f . 2>err && test_grep "removing submodule .s. is not available yet" err &&
	git -C m diff --exit-code --cached && test_path_is_file m/a && mv m/s kept && mkdir m/s && git -C m config -f .gitmodules submodule.x.path s && git -C m add .gitmodules &&
	test_expect_code 128 git -C m rm s 2>err && test_grep "removing submodule" err && git -C m rm -q --cached s && git -C m reset -q --hard && mkdir -p m/s &&
	git -C m rm -q s && test_path_is_missing m/s
'

test_done
