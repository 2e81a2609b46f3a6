#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='push-matrix: stock Git pushes to us, and we to it, over every way that is installed here

A small repository here; make interop takes a larger one, and clients that are not Git.'
. "$(dirname "$0")/../test-lib.sh"
. "$TEST_DIRECTORY/lib-matrix.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git, and python3'
	test_done
fi

matrix () {
	"$SOURCE_DIR/t/interop/push-matrix" --git "$GIT_BUILD_DIR/git" --stock "$STOCK_GIT" --dir "$PWD" "$@"
}

test_expect_success 'repositories with branches, tags and a merge' '
	make_matrix_repo sha1 sha1 && make_matrix_repo sha256 sha256
'

matrix_transports file git ssh nginx lighttpd apache

test_expect_success 'every way' '
	matrix --transports $TRANSPORTS --versions 0 --timeout 900 sha1 >table && test_grep " ok, 0 not offered, 0 failed" table
'

test_expect_success 'every way, SHA-256' '
	matrix --transports $TRANSPORTS --versions 1 --timeout 900 sha256 >table.sha256 &&
	test_grep " ok, 0 not offered, 0 failed" table.sha256
'

for transport in file git ssh nginx lighttpd apache
do
	# With the web servers that are not tried with stock Git behind them, one line less.
	case $transport in lighttpd|apache) ok=14 ;; *) ok=21 ;; esac
	echo $ok >cells.$transport
	test_expect_success MATRIX_$transport "$transport" '
		matrix_cells $transport table >cells && test_cmp cells.$transport cells
	'
	test_expect_success MATRIX_$transport "$transport, SHA-256" '
		matrix_cells $transport table.sha256 >cells && test_cmp cells.$transport cells
	'
done

"$STOCK_GIT" init -q --bare --ref-format=reftable tables.git 2>/dev/null && test_set_prereq STOCK_TABLES

test_expect_success STOCK_TABLES 'refs in tables on both sides' '
	matrix --transports file --versions 0 --ref-format reftable --keep sha1 >table &&
	test_grep " ok, 0 not offered, 0 failed" table &&
	find push-matrix-* -name tables.list >tables && test_file_not_empty tables &&
	find push-matrix-* -name packed-refs >files && test_must_be_empty files && rm -rf push-matrix-*
'

# A client that leaves something out, one that does nothing, and one that takes no refusal.
test_expect_success 'the checks of this matrix find planted faults' '
	write_script short <<-EOF &&
	case "\$*" in *" push "*) set -- "\$@" "HEAD:refs/heads/more" ;; esac
	exec "$GIT_BUILD_DIR/git" "\$@"
	EOF
	test_expect_code 1 matrix --git "$PWD/short" --clients sluice --transports file --versions 0 --operations create sha1 >table &&
	test_grep "^FAILED: .*create: 1 refs are wrong: .*refs/heads/more" table &&
	write_script dead <<-\EOF &&
	exit 1
	EOF
	test_expect_code 1 matrix --git "$PWD/dead" --clients sluice --transports file --versions 0 --operations create sha1 >table &&
	test_grep "^FAILED: .*create: exit code 1" table && test_grep "^0 ok" table &&
	write_script force <<-EOF &&
	case "\$*" in *" push "*) set -- "\$@" -f ;; esac
	exec "$GIT_BUILD_DIR/git" "\$@"
	EOF
	test_expect_code 1 matrix --git "$PWD/force" --clients sluice --transports file --versions 0 --operations refuse sha1 >table &&
	test_grep "^FAILED: .*refuse: it has not been refused" table
'

test_expect_success 'no program and no directory is left' '
	ls >list && test_grep ! "push-matrix-" list && ! grep -lsF "$PWD/push-matrix" /proc/[0-9]*/cmdline
'

test_done
