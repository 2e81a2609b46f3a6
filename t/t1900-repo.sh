#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git repo'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository' '
	git init -q -b main --ref-format=files --object-format=sha1 r && cd r && mkdir d && test_seq 100 >d/a && echo b >b && git add . && git commit -q -m one && git commit -q --allow-empty -m two &&
	git tag -a -m tag v1 && git branch side && git update-ref refs/remotes/o/x main && git update-ref refs/notes/x main
'

test_expect_success 'info: values of keys, in their order; an unknown one is an error' '
	cd r && git repo info references.format layout.bare >out && printf "references.format=files\nlayout.bare=false\n" >want && test_cmp want out &&
	printf "layout.bare=false\nlayout.shallow=false\nobject.format=sha1\nreferences.format=files\n" >want && git repo info --all >out && test_cmp want out &&
	git repo info -z object.format >out && printf "object.format\nsha1\0" >want && cmp want out && git repo info >out && test_must_be_empty out &&
	git repo info --keys >out && test_line_count = 4 out && git repo info --keys -z >out && printf "layout.bare\0layout.shallow\0object.format\0references.format\0" >want && cmp want out &&
	test_expect_code 255 git repo info nonsense layout.bare >out 2>err && echo "layout.bare=false" >want && test_cmp want out && test_grep "key .nonsense. not found" err &&
	test_expect_code 128 git repo info --all layout.bare && test_expect_code 128 git repo info --keys --all && test_expect_code 128 git repo info --format=table && test_expect_code 129 git repo nonsense &&
	git clone -q --bare --depth=1 "file://$PWD" ../shallow && git -C ../shallow repo info layout.bare layout.shallow >out && printf "layout.bare=true\nlayout.shallow=true\n" >want && test_cmp want out
'

test_expect_success 'structure: refs by place, objects by type' '
	cd r && git repo structure --format=lines >out && for l in references.branches.count=2 references.tags.count=1 references.remotes.count=1 references.others.count=1 objects.commits.count=2 \
		objects.trees.count=2 objects.blobs.count=2 objects.tags.count=1 objects.blobs.inflated_size=294 objects.blobs.max_size=292 objects.blobs.max_size_oid=$(git rev-parse main:d/a) \
		objects.trees.max_entries=2 objects.trees.max_entries_oid=$(git rev-parse main^{tree}) objects.commits.max_parents=1 objects.commits.max_parents_oid=$(git rev-parse main) \
		objects.tags.max_size=$(git cat-file -s v1) objects.blobs.disk_size=$(git cat-file --batch-all-objects --batch-check="%(objecttype) %(objectsize:disk)" | awk "/^blob/ { n += \$2 } END { print n }"); do
		test_grep "^$l\$" out || return 1
	done && git repo structure -z >nul && tr "\n\0" "=\n" <nul | test_cmp out -
'

test_expect_success 'structure: a table' '
	cd r && git repo structure >out && test_grep "^| Repository structure      | Value *|$" out && test_grep "^|     \* Blobs               |  *2  *|$" out && test_grep "^|   \* Inflated size  *| .* |$" out &&
	test_grep "^|     \* Maximum parents \[2\] |  *1  *|$" out && test_grep "^\[2\] $(git rev-parse main)$" out && test_expect_code 129 git repo structure x && test_expect_code 128 git repo structure --format=x &&
	git init -q ../empty && git -C ../empty repo structure >out && test_grep ! "\[1\]" out
'

test_done
