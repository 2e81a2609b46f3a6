#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the directory in which a command was started stays when its files go'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'commits with and without a directory, and with a file in its place' '
	git init -q -b main repo &&
	test_commit -C repo --tag base base &&
	mkdir -p repo/d/sub &&
	test_commit -C repo --tag dirs dirs d/sub/f &&
	git -C repo checkout -q base &&
	test_commit -C repo --tag file file d &&
	git -C repo checkout -q dirs
'

fresh() {
	git -C repo checkout -q -f dirs
}

for cmd in 'checkout base' 'checkout -f base' 'switch --detach base' 'reset --hard base' 'reset --keep base' \
	'reset --merge base' 'read-tree -m -u dirs base' 'read-tree -u --reset base' 'restore --source=base :/' \
	'checkout --no-overlay base -- :/' 'rm -r .' 'rm -r :/d'
do
	test_expect_success "$cmd" '
		fresh &&
		(
			cd repo/d/sub &&
			git $cmd &&
			test_path_is_dir ../../d/sub
		) &&
		test_path_is_dir repo/d/sub &&
		rmdir repo/d/sub repo/d
	'
done

test_expect_success 'also when -C or --work-tree lead elsewhere; -C alone keeps nothing' '
	fresh &&
	top=$PWD/repo &&
	(cd repo/d/sub && git -C "$top" checkout -q base && test_path_is_dir "$top/d/sub") &&
	rmdir repo/d/sub &&
	fresh &&
	(cd repo/d/sub && git --git-dir="$top/.git" --work-tree="$top" checkout -q base) &&
	test_path_is_dir repo/d/sub &&
	fresh &&
	git -C repo/d/sub checkout -q base &&
	test_path_is_missing repo/d
'

test_expect_success 'a file does not take its place' '
	fresh &&
	for cmd in "checkout" "switch --detach"
	do
		(cd repo/d && test_expect_code 1 git $cmd file 2>../../err) &&
		printf "error: Refusing to remove the current working directory:\n\td\n\nAborting\n" >expect &&
		test_cmp expect err || return 1
	done &&
	for cmd in "checkout -f file" "reset --hard file" "reset --keep file" "reset --merge file" \
		"read-tree -u --reset file" "read-tree -m -u dirs file"
	do
		(cd repo/d && test_expect_code 128 git $cmd 2>../../err) &&
		test_grep "^error: Refusing to remove .d. since it is the current working directory\." err || return 1
	done &&
	git -C repo diff --exit-code dirs &&
	git -C repo rev-parse HEAD dirs^{commit} >heads &&
	test "$(sort -u heads | wc -l)" -eq 1
'

test_expect_success 'elsewhere it does' '
	fresh &&
	mkdir -p repo/other &&
	(cd repo/other && git checkout -q file) &&
	test_path_is_file repo/d
'

test_done
