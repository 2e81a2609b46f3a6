#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an installed git: links for each command, found by name'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'install' '
	mkdir -p dest/usr/bin &&
	cp "$GIT_BUILD_DIR/git" dest/usr/bin/git &&
	DESTDIR=$PWD/dest "$SOURCE_DIR/tools/install-links" \
		/usr/bin /usr/libexec/git-core
'

test_expect_success 'there is a link for each built-in command, and it works' '
	git --list-cmds=builtins >cmds &&
	test_file_not_empty cmds &&
	while read -r cmd
	do
		test_path_is_symlink "dest/usr/libexec/git-core/git-$cmd" &&
		test dest/usr/libexec/git-core/git-$cmd -ef \
			dest/usr/libexec/git-core/git || return 1
	done <cmds
'

test_expect_success 'git-CMD is that command' '
	git version >expect &&
	dest/usr/libexec/git-core/git-version >actual &&
	test_cmp expect actual
'

test_expect_success 'the built-in commands work without the links' '
	dest/usr/bin/git version >actual &&
	test_cmp expect actual
'

test_done
