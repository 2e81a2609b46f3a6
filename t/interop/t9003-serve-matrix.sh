#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='serve-matrix: stock Git fetches over every way that is installed here

A small repository here; make interop takes a larger one, and other clients.'
. "$(dirname "$0")/../test-lib.sh"
. "$TEST_DIRECTORY/lib-matrix.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git as a client, and python3'
	test_done
fi

matrix () {
	"$SOURCE_DIR/t/interop/serve-matrix" --git "$GIT_BUILD_DIR/git" --stock "$STOCK_GIT" --dir "$PWD" "$@"
}

test_expect_success 'a repository with branches, tags and a merge' '
	make_matrix_repo repo "$TEST_HASH"
'

matrix_transports file git ssh nginx lighttpd apache

test_expect_success 'every way' '
	matrix --transports $TRANSPORTS --timeout 900 repo >table && test_grep " ok, 0 not offered, 0 failed" table
'

echo 24 >expect
for transport in file git ssh nginx lighttpd apache
do
	test_expect_success MATRIX_$transport "$transport" '
		matrix_cells $transport table >cells && test_cmp expect cells
	'
done

# A server that serves what it should not, and one that does not serve.
test_expect_success 'the checks of this matrix find planted faults' '
	write_script short <<-EOF &&
	case "\$1" in upload-pack) exec "$GIT_BUILD_DIR/git" -c transfer.hideRefs=refs/heads/side "\$@" ;; esac
	exec "$GIT_BUILD_DIR/git" "\$@"
	EOF
	test_expect_code 1 matrix --git "$PWD/short" --transports file --versions 2 --operations full repo >table &&
	test_grep "^FAILED: .*full: refs: 0 too many" table &&
	write_script dead <<-\EOF &&
	exit 1
	EOF
	test_expect_code 1 matrix --git "$PWD/dead" --transports file,git --versions 2 --operations full repo >table &&
	test_grep "^FAILED: git does not start" table && test_grep "0 ok" table
'

test_expect_success 'no program and no directory is left' '
	ls >list && test_grep ! "serve-matrix-" list && ! grep -lsF "$PWD/serve-matrix" /proc/[0-9]*/cmdline
'

test_done
