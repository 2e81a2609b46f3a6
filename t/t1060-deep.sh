#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='names and trees of any depth: an error, never an overflow of the stack'
. "$(dirname "$0")/test-lib.sh"

repeated () {
	printf "%0$1d" 0 | sed "s/0/$2/g"
}

test_expect_success 'many operators behind a name' '
	git init -q . && git commit -q --allow-empty -m one && git rev-parse HEAD >expect &&
	for op in "~0" "^0" "^{}" "^{commit}"; do
		git rev-parse "HEAD$(repeated 12000 "$op")" >actual && test_cmp expect actual || return 1
	done &&
	for op in "~" "^" "^{tree}^"; do
		test_expect_code 128 git rev-parse "HEAD$(repeated 15000 "$op")" || return 1
	done
'

test_expect_success PYTHON 'deep trees' '
	cat >deep.py <<-\EOF &&
	import hashlib, os, sys, zlib
	def write(kind, body):
	    data = b"%s %d\0" % (kind, len(body)) + body
	    oid = hashlib.new(sys.argv[1], data)
	    path = ".git/objects/%s/%s" % (oid.hexdigest()[:2], oid.hexdigest()[2:])
	    os.makedirs(os.path.dirname(path), exist_ok=True)
	    with open(path, "wb") as out:
	        out.write(zlib.compress(data, 1))
	    return oid
	tree = write(b"tree", b"100644 f\0" + write(b"blob", b"x").digest())
	for _ in range(5000):
	    tree = write(b"tree", b"40000 d\0" + tree.digest())
	print(tree.hexdigest())
	EOF
	T=$(python3 deep.py $TEST_HASH) && C=$(git commit-tree -m deep $T) && git update-ref HEAD $C &&
	for command in "ls-tree -r HEAD" "read-tree HEAD" "log --stat" "log -S x" "status"; do
		test_expect_code 128 git $command >/dev/null 2>err &&
		test_grep "^fatal: exceeded maximum allowed tree depth" err || return 1
	done &&
	git log --oneline -- d/d/d/none >out && test_must_be_empty out &&
	git rev-parse --verify HEAD:d/d/d && git fsck
'

test_expect_success 'core.maxTreeDepth' '
	git init -q shallow && mkdir -p shallow/a/b/c && echo 1 >shallow/a/b/c/f && git -C shallow add . &&
	git -C shallow commit -q -m one && echo 2 >shallow/a/b/c/f && git -C shallow commit -q -a -m two &&
	for command in "ls-tree -r HEAD" "read-tree HEAD" "log --stat" "log -S x" "log -- a/b/c" status; do
		case $command in status) rm shallow/.git/index ;; esac &&
		git -C shallow -c core.maxTreeDepth=3 $command >/dev/null &&
		test_expect_code 128 git -C shallow -c core.maxTreeDepth=2 $command 2>err &&
		test_grep "^fatal: exceeded maximum allowed tree depth" err || return 1
	done &&
	test_expect_code 128 git -C shallow -c core.maxTreeDepth=0 ls-tree -r HEAD &&
	git -C shallow -c core.maxTreeDepth=0 ls-tree HEAD
'

test_done
