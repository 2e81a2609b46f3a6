#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='client-matrix: our client fetches from stock Git and from us over every way that is installed here

A small repository here; make interop takes a larger one, and servers that are not Git.'
. "$(dirname "$0")/../test-lib.sh"
. "$TEST_DIRECTORY/lib-matrix.sh"

if ! test_have_prereq STOCK_GIT || ! test_have_prereq PYTHON
then
	skip_all='needs a stock git as a server, and python3'
	test_done
fi

matrix () {
	"$SOURCE_DIR/t/interop/client-matrix" --git "$GIT_BUILD_DIR/git" --stock "$STOCK_GIT" --dir "$PWD" "$@"
}

test_expect_success 'repositories with branches, tags and a merge' '
	make_matrix_repo sha1 sha1 && make_matrix_repo sha256 sha256
'

matrix_transports file git ssh nginx https

# Servers and expectations are made once for all ways; each way has a test of its own, too.
test_expect_success 'every way' '
	matrix --transports $TRANSPORTS --timeout 900 sha1 >table && test_grep " ok, 0 not offered, 0 failed" table
'

# SHA-256: one version of the protocol for each way; with GIT_TEST_LONG all.
version_of () {
	case $1 in file) echo 0 ;; git) echo 1 ;; *) echo 2 ;; esac
}

test_expect_success 'every way, SHA-256' '
	for version in ${GIT_TEST_LONG:+0,1,2} 0 1 2; do
		some= && for transport in $(echo $TRANSPORTS | tr , " "); do
			test "$GIT_TEST_LONG" || test $version = $(version_of $transport) || continue
			some=$some${some:+,}$transport
		done && test -n "$some" || continue
		matrix --transports $some --versions $version --timeout 900 sha256 >table.one &&
		test_grep " ok, 0 not offered, 0 failed" table.one || return
		cat table.one
		test -z "$GIT_TEST_LONG" || break
	done >table.sha256
'

for transport in file git ssh nginx https
do
	test_expect_success MATRIX_$transport "$transport" '
		matrix_cells $transport table >cells && echo 48 >expect && test_cmp expect cells
	'
	test_expect_success MATRIX_$transport "$transport, SHA-256" '
		matrix_cells $transport table.sha256 >cells &&
		echo $((16 * ${GIT_TEST_LONG:+3*}1)) >expect && test_cmp expect cells
	'
done

# A client that leaves something out, and one that does nothing.
test_expect_success 'the checks of this matrix find planted faults' '
	write_script short <<-EOF &&
	"$GIT_BUILD_DIR/git" "\$@" || exit
	for last; do :; done
	case "\$*" in *clone*) rm -r "\$last/refs/heads" && sed -i /side/d "\$last/packed-refs" && mkdir "\$last/refs/heads" ;; esac
	EOF
	test_expect_code 1 matrix --git "$PWD/short" --servers git --transports file --versions 2 --operations full sha1 >table &&
	test_grep "^FAILED: .*full: refs: 0 too many" table &&
	write_script dead <<-\EOF &&
	exit 1
	EOF
	test_expect_code 1 matrix --git "$PWD/dead" --servers git --transports file,git --versions 2 --operations full sha1 >table &&
	test_grep "^FAILED: .*full: exit code 1" table && test_grep "^0 ok" table
'

test_expect_success 'no program and no directory is left' '
	ls >list && test_grep ! "client-matrix-" list && ! grep -lsF "$PWD/client-matrix" /proc/[0-9]*/cmdline
'

test_done
