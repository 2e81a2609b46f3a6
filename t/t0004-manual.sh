#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='manual pages: one for each command, complete, and true to the program'
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
		cmd=${cmd%.adoc} &&
		grep -qx "$cmd" cmds || test -x "$GIT_BUILD_DIR/git-$cmd" || echo "no command: $cmd"
	done >missing &&
	test_must_be_empty missing
'

test_expect_success 'each page has its sections, with something in them' '
	for page in "$PAGES"/git*.adoc
	do
		for section in NAME SYNOPSIS DESCRIPTION EXAMPLES "EXIT STATUS"
		do
			awk -v want="== $section" "
				/^== / { inside = \$0 == want; next }
				inside && NF { found = 1 }
				END { exit !found }
			" "$page" || echo "${page##*/}: no $section"
		done
	done >missing &&
	cat missing &&
	test_must_be_empty missing
'

# The options that a command or subcommand shows: lines with four spaces and a dash.
options_of () {
	git -C repo "$@" -h 2>&1 | sed -n "s/^    \(-.*\)/\1/p" | sed "s/   .*//" |
	grep -o -e "--[a-z0-9][a-z0-9-]*" -e "^-[a-zA-Z0-9]"
}

# The same with those of subcommands.
all_options_of () {
	options_of "$1"
	case "$1" in
	config)	subs="list get set unset rename-section remove-section edit" ;;
	bundle)	subs="create verify list-heads unbundle" ;;
	reflog)	subs="list expire delete drop exists" ;;
	refs)	subs="verify migrate exists" ;;
	multi-pack-index)	subs="write verify expire repack" ;;
	*)	subs= ;;
	esac
	for sub in $subs
	do
		options_of "$1" "$sub"
	done
}

# Subcommands want a repository.
test_expect_success 'each page names each option that -h shows' '
	git init -q repo &&
	while read -r cmd
	do
		all_options_of "$cmd" | sort -u >"options-$cmd"
		while read -r option
		do
			grep -qE -e "(^|[^a-z0-9-])$option([^a-z0-9-]|$)" "$PAGES/git-$cmd.adoc" ||
			echo "$cmd: no word about $option"
		done <"options-$cmd"
	done <cmds >missing &&
	cat missing &&
	test_must_be_empty missing
'

# Commands without a list in -h (log, rev-parse, var) cannot be compared.
test_expect_success 'each page describes only options that -h shows, and their opposites' '
	while read -r cmd
	do
		test -s "options-$cmd" || continue
		sed -n "/^== SYNOPSIS/,/^== EXAMPLES/p" "$PAGES/git-$cmd.adoc" |
		grep "^[*]-.*::" | sed "s/::.*//" |
		grep -o -e "[*]--[a-z0-9][a-z0-9-]*" -e "[*]-[a-zA-Z0-9]" | tr -d "*" |
		while read -r option
		do
			case "$cmd:$option" in
			# known, but not shown by -h
			commit:--allow-empty|commit:--allow-empty-message) continue ;;
			esac
			plain=$(echo "$option" | sed "s/^--no-/--/")
			grep -qxF -e "$option" -e "$plain" "options-$cmd" ||
			grep -qxF -e "--no-${option#--}" "options-$cmd" ||
			echo "$cmd: has no $option"
		done
	done <cmds >wrong &&
	cat wrong &&
	test_must_be_empty wrong
'

# ---- git-config(1) lists the keys that the sources read ----

# Strings like "core.bare" and "branch.%s.merge", and names of hints. What is left out: files
# and words that look like keys.
keys_in_sources () {
	find "$SOURCE_DIR" -type d \( -name t -o -name "build*" -o -name ".git" \) -prune -o \
		-name "*.[ch]" -print0 >files &&
	xargs -0 cat <files | sed "/^#include/d; s|/[*].*||; s|^[ 	]*[*] .*||" >lines &&
	{
		grep -oE "\"[a-z][a-z0-9]*([.](%s|[a-zA-Z][a-zA-Z-]*))+\"" lines | tr -d "\"" |
		grep -vE "[.](lock|pack|idx|rev|pid|h|c|d|gz|keep|bitmap|worktree|log|gitmodules|new)$"
		grep -oE "(advice_enabled|advise_if_enabled)\([^\"]*\"[a-zA-Z]*" lines | sed "s/.*\"/advice./"
	} | tr "A-Z" "a-z" | grep -vx "a[.]b" | sort -u
}

# Words of keys whose names are put together: "branch.%s.%s" and the like.
is_general () {
	case "$1" in
	*.%s) case "${1%.%s}" in alias|advice|color|column|pager|pretty|color.*) return ;; esac ;;
	esac
	case "$1" in
	branch.%s|branch.%s.%s|remote.%s.%s|diff.%s.%s|%s.*) return ;;
	esac
	return 1
}

test_expect_success 'git-config(1) lists each key that the sources read' '
	keys_in_sources >keys &&
	test_line_count -gt 100 keys &&
	sed -n "/^== VARIABLES/,\$p" "$PAGES/git-config.adoc" | tr "A-Z" "a-z" >page &&
	while read -r key
	do
		is_general "$key" && continue
		pattern=$(echo "$key" | sed "s/[.]/[.]/g; s/%s/<[^>]*>/g")
		grep -qE "\`$pattern\`" page || echo "git-config(1) lacks $key"
	done <keys >missing &&
	cat missing &&
	test_must_be_empty missing
'

test_expect_success 'git-config(1) lists no key that the sources do not read' '
	tr "A-Z" "a-z" <lines >lower &&
	grep -oE "^\`[^:]*\`::|^\`.*\`::" page | sed "s/::.*//" | tr "," "\n" | tr -d "\` " |
	while read -r key
	do
		last=${key##*.} &&
		case "$last" in "<"*) last=${key%.*} ;; esac &&
		grep -qE "[\".]$last[\".]" lower || echo "nobody reads $key"
	done >wrong &&
	cat wrong &&
	test_must_be_empty wrong
'

test_lazy_prereq ASCIIDOCTOR 'asciidoctor --version'

test_expect_success ASCIIDOCTOR 'every page can be made' '
	mkdir -p pages notes &&
	asciidoctor -d manpage --failure-level WARN -b html5 -D pages "$PAGES"/git*.adoc &&
	rm -f notes/* &&
	for page in "$PAGES"/*.adoc
	do
		case "$page" in */git*) continue ;; esac
		asciidoctor --failure-level WARN -b html5 -D notes "$page" || return 1
	done
'

# "*--name=*_value_" is not what it seems: asciidoctor leaves the asterisks.
test_expect_success ASCIIDOCTOR 'no mark-up is left in the pages' '
	cat pages/*.html | sed "/<style>/,/<\/style>/d; s|<pre.*</pre>||; /<pre/,/<\/pre>/d" >text &&
	test_might_fail grep -nE "[*]-|=[*]|[*]<em>|</em>[*]|\`" text >left &&
	cat left &&
	test_must_be_empty left
'

test_done
