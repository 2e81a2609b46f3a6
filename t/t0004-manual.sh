#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='each command has its page, and the page names its options'
. "$(dirname "$0")/test-lib.sh"

PAGES=$SOURCE_DIR/Documentation

test_expect_success 'each command has a page' '
	git --list-cmds=builtins | grep -v "^init-db$" >cmds &&
	while read -r cmd
	do
		test -f "$PAGES/git-$cmd.adoc" || echo "no page: $cmd"
	done <cmds >missing &&
	test_must_be_empty missing
'

test_expect_success 'each page has a command' '
	for page in "$PAGES"/git-*.adoc
	do
		cmd=${page##*/git-} &&
		grep -qx "${cmd%.adoc}" cmds || echo "no command: ${cmd%.adoc}"
	done >missing &&
	test_must_be_empty missing
'

# Lines of options begin with four spaces and a dash.
test_expect_success 'each page names each option that -h shows' '
	while read -r cmd
	do
		page=$PAGES/git-$cmd.adoc
		git "$cmd" -h >help 2>&1
		sed -n "s/^    \(-.*\)/\1/p" help | sed "s/   .*//" |
		grep -o -e "--[a-z0-9][a-z0-9-]*" -e "^-[a-zA-Z0-9]" | sort -u |
		while read -r option
		do
			test ! -f "$page" || grep -qF -e "$option" "$page" ||
			echo "$cmd: no word about $option"
		done
	done <cmds >missing &&
	cat missing &&
	test_must_be_empty missing
'

test_lazy_prereq ASCIIDOCTOR 'asciidoctor --version'

test_expect_success ASCIIDOCTOR 'every page can be made' '
	for page in "$PAGES"/*.adoc
	do
		type= &&
		case "$page" in */git*) type="-d manpage" ;; esac &&
		asciidoctor $type --failure-level WARN -b html5 -o out.html "$page" ||
		return 1
	done
'

test_done
