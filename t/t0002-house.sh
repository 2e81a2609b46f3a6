#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the sources follow the rules of the project'
test_without_git=1
. "$(dirname "$0")/test-lib.sh"

test_expect_success PERL 'includes and calls go downward, without circles' '
	"$SOURCE_DIR/tools/check-layers" "$SOURCE_DIR"
'

test_expect_success PERL 'calls that change the disk are made through the table' '
	"$SOURCE_DIR/tools/check-calls" "$SOURCE_DIR"
'

test_expect_success 'every header compiles alone' '
	(cd "$SOURCE_DIR" && tools/check-headers "$GIT_BUILD_DIR")
'

test_expect_success 'every script can be parsed, every source names its licence' '
	"$SOURCE_DIR/tools/check-shell" "$SOURCE_DIR"
'

test_expect_success 'a number of a test is used once' '
	ls "$SOURCE_DIR"/t | sed -n "s/^\(t[0-9]*\)-.*[.]sh$/\1/p" | sort | uniq -d >twice && test_must_be_empty twice
'

# The files that a reader of Git looks for there, the entry, and pages; all other code has a folder.
test_expect_success 'the root holds the files of this list, and Architecture names those of code' '
	cat >expect <<-\EOF &&
	CONTRIBUTING.md
	COPYING
	Makefile
	README.md
	SECURITY.md
	VERSION
	bulk-checkin.c
	bulk-checkin.h
	csum-file.c
	csum-file.h
	dev
	git-main.c
	git-remote-http.c
	git.c
	meson.build
	meson_options.txt
	object-file.c
	object-file.h
	receive-pack.c
	receive-pack.h
	serve.c
	serve.h
	sideband.c
	sideband.h
	upload-pack.c
	upload-pack.h
	write-or-die.c
	write-or-die.h
	EOF
	(cd "$SOURCE_DIR" && for f in *; do test ! -f "$f" || echo "$f"; done) | LC_ALL=C sort >actual &&
	test_cmp expect actual &&
	for f in $(grep "[.][ch]$" expect); do
		grep -qF "\`${f%.*}.c\`" "$SOURCE_DIR/Documentation/Architecture.adoc" || { echo "Architecture does not name $f"; return 1; }
	done
'

test_expect_success 'the layers of Architecture are those of check-layers' '
	sed -n "/^my @table/,/^);/s/^	'\''\(.*\)'\'',$/\1/p" "$SOURCE_DIR/tools/check-layers" | tr -s "| " "\n" | sed "s#.*/##" >expect &&
	sed -n "/^| Layer/,/^|===/p" "$SOURCE_DIR/Documentation/Architecture.adoc" | sed -n "s/^| [0-9]* | //; /^| Layer/d; /^|/d; p" |
		sed "s/builtin, and below builtin\//builtin/" | tr -s "\\\\|,: \n" "\n" | sed "/^$/d; s#.*/##" >actual &&
	test_cmp expect actual
'

test_done
