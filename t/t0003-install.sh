#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an installed git: a link for each command, and the manual pages'
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

# The rules of the Makefile alone: nothing is compiled here.
install_man () {
	make -s -C "$SOURCE_DIR" install-man B="$PWD/made" DESTDIR="$PWD/dest" prefix=/usr "$@"
}

test_lazy_prereq MAKE 'make --version'
test_lazy_prereq ASCIIDOCTOR 'asciidoctor --version'
test_lazy_prereq MAN 'man --version'

test_expect_success MAKE,ASCIIDOCTOR 'every manual page is installed' '
	install_man &&
	for page in "$SOURCE_DIR"/Documentation/git*.adoc
	do
		page=${page##*/} &&
		test_file_not_empty "dest/usr/share/man/man1/${page%.adoc}.1" || return 1
	done
'

test_expect_success MAKE,ASCIIDOCTOR,MAN 'man shows an installed page' '
	MANPATH=$PWD/dest/usr/share/man man -P cat git-update-ref >page &&
	test_grep "^NAME" page &&
	test_grep Sluice page
'

# The program that is tested was not built for the directory of this test.
test_expect_success 'help CMD and CMD --help start man on the page, in our directory first' '
	mkdir bin &&
	write_script bin/man <<-\EOF &&
	echo "$MANPATH $*"
	EOF
	echo "$(git --man-path):/elsewhere git-add" >expect &&
	PATH=$PWD/bin:$PATH MANPATH=/elsewhere git help add >actual &&
	test_cmp expect actual &&
	PATH=$PWD/bin:$PATH MANPATH=/elsewhere git add --help >actual &&
	test_cmp expect actual &&
	# A trailing colon: the directories of the system after ours.
	echo "$(git --man-path): git" >expect &&
	( unset MANPATH; PATH=$PWD/bin:$PATH git help git ) >actual &&
	test_cmp expect actual
'

test_expect_success MAKE 'without asciidoctor the installation says that there are no manual pages' '
	rm -rf dest/usr/share/man &&
	install_man ASCIIDOCTOR=no-such-program 2>err &&
	test_grep "^manual pages not installed: asciidoctor is missing$" err &&
	test_path_is_missing dest/usr/share/man
'

test_expect_success "the configuration of the system is /etc/gitconfig, but for a prefix of its own" '
	for want in /usr=/etc /usr/local=/etc /opt/git=/opt/git/etc; do
		rm -rf made && mkdir made &&
		make -s -C "$SOURCE_DIR" "$PWD/made/build-info.h" B="$PWD/made" prefix="${want%=*}" &&
		grep -F "SYSCONF_DIR \"${want#*=}\"" made/build-info.h || return 1
	done
'

test_done
