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
	for section in NAME SYNOPSIS DESCRIPTION EXAMPLES "EXIT STATUS"
	do
		awk -v section="$section" "
			function finish() {
				if (page && !found)
					print page \": no \" section
			}
			FNR == 1 { finish(); page = FILENAME; sub(/.*\\//, \"\", page); found = inside = 0 }
			/^== / { inside = \$0 == \"== \" section; next }
			inside && NF { found = 1 }
			END { finish() }
		" "$PAGES"/git*.adoc || return 1
	done >missing &&
	cat missing &&
	test_must_be_empty missing
'

# The options that a command or subcommand shows: lines with four spaces and a dash.
options_of () {
	git -C repo "$@" -h 2>&1 | sed -n "/^    -/ { s/^    //; s/   .*//; p; }" |
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
	notes)	subs="list add copy append edit show merge remove prune get-ref" ;;
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
		all_options_of "$cmd" | sort -u | sed "s/^/$cmd /"
	done <cmds >options &&
	test_line_count -gt 1000 options &&
	sed "s|.*|$PAGES/git-&.adoc|" cmds >names &&
	cat >words.awk <<-\EOF &&
	function finish(	n, i, option, all) {
		n = split(options[cmd], all, " ")
		for (i = 1; i <= n; i++) {
			option = all[i]
			if (option in word)
				continue
			# No letter of these counts as one of a word.
			if (option ~ /[A-Z]/ && text ~ ("[^a-z0-9-]" option "[^a-z0-9-]"))
				continue
			print cmd ": no word about " option
		}
	}
	NR == FNR { options[$1] = options[$1] " " $2; next }
	FNR == 1 {
		finish()
		cmd = FILENAME
		sub(/.*\/git-/, "", cmd)
		sub(/[.]adoc$/, "", cmd)
		split("", word)
		text = "\n"
	}
	{
		text = text $0 "\n"
		gsub(/[^a-z0-9-]+/, " ")
		for (i = 1; i <= NF; i++)
			word[$i]
	}
	END { finish() }
	EOF
	tr "\n" "\0" <names | xargs -0 awk -f words.awk options >missing &&
	cat missing &&
	test_must_be_empty missing
'

# Commands without a list in -h (log, rev-parse, var) cannot be compared.
test_expect_success 'each page describes only options that -h shows, and their opposites' '
	cat >opposites.awk <<-\EOF &&
	NR == FNR { shown[$1, $2]; has_list[$1]; next }
	FNR == 1 {
		inside = 0
		cmd = FILENAME
		sub(/.*\/git-/, "", cmd)
		sub(/[.]adoc$/, "", cmd)
	}
	/^== SYNOPSIS/ { inside = 1 }
	inside && cmd in has_list && /^[*]-.*::/ {
		sub(/::.*/, "")
		while (match($0, /[*]--[a-z0-9][a-z0-9-]*|[*]-[a-zA-Z0-9]/)) {
			option = plain = bare = substr($0, RSTART + 1, RLENGTH - 1)
			$0 = substr($0, RSTART + RLENGTH)
			sub(/^--no-/, "--", plain)
			sub(/^--/, "", bare)
			# known, but not shown by -h
			if (cmd == "commit" && option ~ /^--allow-empty(-message)?$/)
				continue
			if (!((cmd, option) in shown) && !((cmd, plain) in shown) && !((cmd, "--no-" bare) in shown))
				print cmd ": has no " option
		}
	}
	/^== EXAMPLES/ { inside = 0 }
	EOF
	tr "\n" "\0" <names | xargs -0 awk -f opposites.awk options >wrong &&
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

# Words of keys whose names are put together: "branch.%s.%s" and the like; keys of git repo info.
is_general () {
	case "$1" in
	*.%s) case "${1%.%s}" in alias|advice|color|column|pager|pretty|color.*) return ;; esac ;;
	esac
	case "$1" in
	layout.bare|layout.shallow|object.format|references.format) return ;;
	branch.%s|branch.%s.%s|remote.%s.%s|diff.%s.%s|merge.%s.%s|%s.*) return ;;
	esac
	return 1
}

test_expect_success 'git-config(1) lists each key that the sources read' '
	keys_in_sources >keys &&
	test_line_count -gt 100 keys &&
	sed -n "/^== VARIABLES/,\$p" "$PAGES/git-config.adoc" | tr "A-Z" "a-z" >page &&
	while read -r key
	do
		is_general "$key" || echo "$key"
	done <keys >documented &&
	awk -F "\`" "
		NR == FNR { for (i = 2; i < NF; i++) { gsub(/<[^>]*>/, \"%s\", \$i); quoted[\$i] } next }
		!(\$0 in quoted) { print \"git-config(1) lacks \" \$0 }
	" page documented >missing &&
	cat missing &&
	test_must_be_empty missing
'

# Words of the sources that have a quote or a dot on each side.
test_expect_success 'git-config(1) lists no key that the sources do not read' '
	tr "A-Z" "a-z" <lines >lower &&
	sed "s/^/ /; s/\$/ /" lower | tr "\"." "\n\n" | sort -u >words &&
	grep -oE "^\`[^:]*\`::|^\`.*\`::" page | sed "s/::.*//" | tr "," "\n" | tr -d "\` " >listed &&
	test_line_count -gt 100 listed &&
	while read -r key
	do
		last=${key##*.} &&
		case "$last" in "<"*) last=${key%.*} ;; esac &&
		echo "$last $key"
	done <listed | awk "NR == FNR { word[\$0]; next } !(\$1 in word)" words - |
	while read -r last key
	do
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
	set -- && for page in "$PAGES"/*.adoc
	do
		case "$page" in */git*) ;; *) set -- "$@" "$page" ;; esac
	done &&
	asciidoctor --failure-level WARN -b html5 -D notes "$@"
'

# "*--name=*_value_" is not what it seems: asciidoctor leaves the asterisks.
test_expect_success ASCIIDOCTOR 'no mark-up is left in the pages' '
	cat pages/*.html | sed "/<style>/,/<\/style>/d; s|<pre.*</pre>||; /<pre/,/<\/pre>/d" >text &&
	test_might_fail grep -nE "[*]-|=[*]|[*]<em>|</em>[*]|\`" text >left &&
	cat left &&
	test_must_be_empty left
'

test_done
