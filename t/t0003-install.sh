#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='an installed git: a link for each command, and the manual pages'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'install' '
	mkdir -p dest/usr/bin &&
	cp "$GIT_BUILD_DIR/git" dest/usr/bin/git &&
	DESTDIR=$PWD/dest "$SOURCE_DIR/tools/install-links" /usr/bin /usr/libexec/git-core "$GIT_BUILD_DIR/links"
'

test_expect_success 'the list of links has each command; no program was run for it' '
	git --list-cmds=builtins >expect && "$SOURCE_DIR/tools/list-links" git-remote-https >links &&
	sed -n "s/^exec git git-//p" links >actual && test_cmp expect actual && test_grep "^exec git-remote-http git-remote-https$" links &&
	grep "^bin" links >actual && printf "bin git git-%s\n" receive-pack shell upload-archive upload-pack >expect && test_cmp expect actual
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

# What make install has made, by its own rules, and nothing else; "made" has a build that need not be made.
test_expect_success MAKE 'uninstall removes what install has made, and nothing of others' '
	rm -rf dest made && mkdir -p made/man dest/usr/bin dest/usr/libexec/git-core dest/usr/share/man/man1 &&
	cp "$GIT_BUILD_DIR/git" made && cp "$GIT_BUILD_DIR/git" made/git-remote-http && "$SOURCE_DIR/tools/list-links" git-remote-https >made/links &&
	for page in "$SOURCE_DIR"/Documentation/git*.adoc; do
		page=${page##*/} && : >"made/man/${page%.adoc}.1" || return 1
	done && touch made/man/made &&
	>dest/usr/bin/git-mine && >dest/usr/libexec/git-core/git-own && >dest/usr/share/man/man1/git-own.1 && find dest | sort >expect &&
	make -s -C "$SOURCE_DIR" install -o all -o "$PWD/made/man/made" B="$PWD/made" DESTDIR="$PWD/dest" prefix=/usr &&
	test_path_is_symlink dest/usr/libexec/git-core/git-status && test_path_is_symlink dest/usr/libexec/git-core/git-remote-https &&
	rm dest/usr/libexec/git-core/git-tag && >dest/usr/libexec/git-core/git-tag && echo dest/usr/libexec/git-core/git-tag >>expect && sort -o expect expect &&
	make -s -C "$SOURCE_DIR" uninstall -o "$PWD/made/links" B="$PWD/made" DESTDIR="$PWD/dest" prefix=/usr && find dest | sort >actual && test_cmp expect actual &&
	rm -rf dest && mkdir dest && make -s -C "$SOURCE_DIR" install -o all -o "$PWD/made/man/made" B="$PWD/made" DESTDIR="$PWD/dest" prefix=/usr &&
	make -s -C "$SOURCE_DIR" uninstall -o "$PWD/made/links" B="$PWD/made" DESTDIR="$PWD/dest" prefix=/usr && find dest ! -type d >actual &&
	test_must_be_empty actual && test_path_is_missing dest/usr/libexec/git-core
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
