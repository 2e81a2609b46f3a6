#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an empty directory in the place of a file that a command writes: it stays'
. "$(dirname "$0")/test-lib.sh"

# stays DIR CODE CMD...: the command fails with this code, and the directory is still there
stays() {
	local dir="$1" code="$2" &&
	shift 2 &&
	mkdir "$dir" &&
	test_expect_code "$code" "$@" 2>err &&
	test_path_is_dir "$dir" &&
	rmdir "$dir"
}

test_expect_success 'a repository' '
	git init -q -b main repo &&
	test_commit -C repo one &&
	(
		cd repo &&
		git pack-objects -q --all ../pk </dev/null >../name
	)
'

test_expect_success 'bundle create' '
	stays repo/D 128 git -C repo bundle create D --all &&
	test_grep "^fatal: cannot create .D.: Is a directory" err &&
	stays repo/D 128 git -C repo bundle create D/ --all &&
	test_grep "^fatal: cannot create .D/.: Not a directory" err
'

test_expect_success 'archive, config, credential store' '
	stays repo/D 128 git -C repo archive -o D HEAD &&
	stays repo/D 4 git -C repo config --file D a.b c &&
	stays repo/D 128 sh -c "printf \"protocol=https\nhost=h\nusername=u\npassword=p\n\n\" |
		git credential-store --file repo/D store"
'

test_expect_success 'packs and their indexes' '
	cd repo &&
	stays E-$(cat ../name).pack 128 git pack-objects -q --all E </dev/null &&
	stays E-$(cat ../name).idx 128 git pack-objects -q --all E </dev/null &&
	stays E.idx 128 git index-pack -o E.idx ../pk-$(cat ../name).pack &&
	cd ..
'

test_expect_success 'commit-graph, multi-pack-index, lists for dumb clients' '
	git -C repo repack -q -a -d &&
	stays repo/.git/objects/info/commit-graph 128 git -C repo commit-graph write --reachable &&
	stays repo/.git/objects/pack/multi-pack-index 255 git -C repo multi-pack-index write &&
	rm -f repo/.git/info/refs repo/.git/objects/info/packs &&
	stays repo/.git/info/refs 128 git -C repo update-server-info &&
	stays repo/.git/objects/info/packs 128 git -C repo update-server-info
'

test_expect_success 'index, FETCH_HEAD, message of a commit' '
	(
		GIT_INDEX_FILE=repo/D &&
		export GIT_INDEX_FILE &&
		stays repo/D 128 git --git-dir=repo/.git read-tree HEAD
	) &&
	stays repo/.git/FETCH_HEAD 128 git -C repo fetch . main &&
	rm -f repo/.git/COMMIT_EDITMSG &&
	stays repo/.git/COMMIT_EDITMSG 128 git -C repo commit --allow-empty -m two
'

test_expect_success 'empty directories give way to a ref in a file and its log' '
	git init -q -b main --ref-format=files files && test_commit -C files one &&
	mkdir -p files/.git/refs/heads/a/b files/.git/logs/refs/heads/a/b &&
	git -C files branch a &&
	git -C files rev-parse a a@{0}
'

test_done
