#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a file never takes the place of a repository; Git 2.55 removes it'
. "$(dirname "$0")/test-lib.sh"

# r has the commits one (sub is a submodule), two (another file changed) and file (sub is a file), from one.
test_expect_success 'set up' '
	git init -q -b main s && test_commit -C s first && git init -q -b main r && cp -R s r/sub && echo a >r/a && git -C r add a &&
	git -C r update-index --add --cacheinfo 160000,$(git -C s rev-parse HEAD),sub && git -C r commit -q -m one && git -C r tag one &&
	echo b >r/a && git -C r commit -q -a -m two && git -C r tag two && git -C r checkout -q one && rm -rf r/sub && git -C r rm -q --cached sub &&
	echo file >r/sub && git -C r add sub && git -C r commit -q -m file && git -C r tag file && git -C r format-patch -q -o ../p one..file &&
	rm r/sub && git -C r reset -q --hard one && rm -rf r/sub
'

# again REVISION: the submodule is there as after a clone, with a file that is in no commit
again () {
	for op in merge rebase cherry-pick am; do git -C r $op --abort >/dev/null 2>&1; done
	rm -rf r/sub && mkdir r/sub && git -C r checkout -q -f "$1" && rmdir r/sub && cp -R s r/sub && echo precious >r/sub/precious && git -C r rev-parse HEAD >head
}
# refuses COMMAND...: it fails, and nothing of the submodule has changed
refuses () {
	test_must_fail git -C r "$@" >out 2>err && test_grep "lose untracked files in\|a repository in its place\|Directory not empty" err &&
	test "$(cat r/sub/precious)" = precious && git --git-dir=r/sub/.git cat-file -e HEAD^{commit}
}

for c in "checkout file" "checkout -m file" "switch --detach file" "reset --merge file" "reset --keep file" "merge file" "read-tree -m -u HEAD file"; do
	test_expect_success "a submodule stays: $c" '
		again one && refuses $c && git -C r rev-parse HEAD >out && test_cmp head out && git -C r diff --cached --exit-code
	'
done
for c in "checkout -f file" "reset --hard file" "read-tree -u --reset file"; do
	test_expect_success "a submodule stays, and no other file changes: $c" '
		again two && refuses $c && git -C r rev-parse HEAD >out && test_cmp head out && echo b >expect && test_cmp expect r/a && git -C r diff --cached --exit-code
	'
done
for c in "checkout file -- sub" "restore -s file -SW ." "merge --no-edit file" "merge -s resolve --no-edit file" "cherry-pick file" "rebase file" "rebase --apply file" "apply ../p/0001-file.patch" "apply --index ../p/0001-file.patch" "am ../p/0001-file.patch" "am -3 ../p/0001-file.patch"; do
	test_expect_success "a submodule stays: $c" 'again two && refuses $c'
done

test_expect_success 'am and rebase that are refused leave nothing behind' '
	for c in "am ../p/0001-file.patch" "rebase file" "rebase --apply file"; do
		again two && refuses $c && git -C r rev-parse HEAD >out && test_cmp head out && test_path_is_missing r/.git/rebase-apply &&
		test_path_is_missing r/.git/rebase-merge && git -C r status --porcelain --untracked-files=no >out && test_must_be_empty out || return 1
	done
'

test_expect_success 'an empty directory of a submodule makes way' '
	for c in "checkout file" "reset --keep file" "merge file" "cherry-pick file" "am ../p/0001-file.patch"; do
		again one && rm -rf r/sub && mkdir r/sub && git -C r $c && echo file >expect && test_cmp expect r/sub || return 1
	done
'

test_expect_success 'a work tree whose repository is elsewhere makes way by force' '
	for c in "checkout file" "merge file"; do
		again one && mv r/sub/.git kept && echo "gitdir: $PWD/kept" >r/sub/.git && test_must_fail git -C r $c && test_path_is_file r/sub/precious &&
		rm r/sub/.git && mv kept r/sub/.git || return 1
	done &&
	again one && mv r/sub/.git kept && echo "gitdir: $PWD/kept" >r/sub/.git && git -C r checkout -f file && echo file >expect && test_cmp expect r/sub && rm -rf kept
'

test_expect_success 'a repository among untracked files stays, bare or not' '
	for c in "checkout -f file" "reset --hard file" "checkout file -- sub" "restore -s file sub"; do
		again one && rm -rf r/sub && git -C r rm -q --cached sub && git -C r commit -q -m gone && mkdir -p r/sub/deep && cp -R s r/sub/deep/er &&
		test_must_fail git -C r $c 2>err && test_grep "a repository in its place" err && git --git-dir=r/sub/deep/er/.git cat-file -e HEAD^{commit} &&
		rm -rf r/sub && cp -R s/.git r/sub && test_must_fail git -C r $c 2>err && test_grep "a repository in its place" err && git --git-dir=r/sub cat-file -e HEAD^{commit} &&
		rm -rf r/sub && mkdir r/sub && echo x >r/sub/x && git -C r $c && test_path_is_file r/sub || return 1
	done
'

test_expect_success 'an ignored repository, and a damaged one, stay; no other file changes' '
	again one && rm -rf r/sub && git -C r rm -q --cached sub && mkdir r/sub && echo t >r/sub/t && git -C r add sub && git -C r commit -q -m dir && echo /sub/n >r/.git/info/exclude &&
	for c in "checkout file" "reset --keep file" "read-tree -m -u HEAD file"; do
		cp -R s r/sub/n && test_must_fail git -C r $c 2>err && test_grep "lose untracked files in" err && git --git-dir=r/sub/n/.git cat-file -e HEAD^{commit} &&
		git -C r status --porcelain >out && test_must_be_empty out && rm r/sub/n/.git/HEAD && test_must_fail git -C r $c && test_path_is_dir r/sub/n/.git/objects &&
		git -C r status --porcelain >out && test_must_be_empty out && rm -rf r/sub/n || return 1
	done &&
	cp -R s r/sub/n && rm r/sub/n/.git/HEAD && test_must_fail git -C r checkout -f file 2>err && test_grep "a repository in its place" err && test_path_is_dir r/sub/n/.git/objects &&
	rm -rf r/sub/n && echo x >r/sub/n && git -C r checkout -f file && rm r/.git/info/exclude
'

test_expect_success 'checkout-index and merge-one-file' '
	again one && rm -rf r/sub && git -C r read-tree file && mkdir r/sub && cp -R s r/sub/x && test_must_fail git -C r checkout-index -f sub 2>err &&
	test_grep "a repository in its place" err && git --git-dir=r/sub/x/.git cat-file -e HEAD^{commit} &&
	test_must_fail git -C r merge-one-file "" "" $(git -C r rev-parse file:sub) sub "" "" 100644 && git --git-dir=r/sub/x/.git cat-file -e HEAD^{commit} && rm -rf r/sub/x && git -C r checkout-index -f sub && test_path_is_file r/sub
'

test_done
