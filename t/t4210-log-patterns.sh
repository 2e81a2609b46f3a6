#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='how log reads patterns and formats, and which refs --exclude leaves out'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'three commits' '
	git init -q -b main r &&
	for m in "one (a|b) x+" two "three a+"; do
		git -C r commit -q --allow-empty -m "$m" || return 1
	done &&
	git -C r branch a/b HEAD~1
'

# subjects_of "<settings>" <arguments> <expected>
subjects_of () {
	git -C r $1 log --format=%s $2 >out && printf "$3" >expect && test_cmp expect out
}

test_expect_success 'grep.patternType and grep.extendedRegexp' '
	subjects_of "" "--grep=a|t" "" &&
	subjects_of "-c grep.patternType=extended" "--grep=a|t" "three a+\ntwo\none (a|b) x+\n" &&
	subjects_of "-c grep.extendedRegexp=true" "--grep=x+|wo" "two\none (a|b) x+\n" &&
	subjects_of "-c grep.extendedRegexp=true -c grep.patternType=default" "--grep=x+|wo" "two\none (a|b) x+\n" &&
	subjects_of "-c grep.extendedRegexp=true -c grep.patternType=basic" "--grep=x+|wo" "" &&
	subjects_of "-c grep.patternType=fixed" "--grep=t.o" "" &&
	subjects_of "-c grep.patternType=fixed" "--basic-regexp --grep=t.o" "two\n" &&
	git -C r -c grep.patternType=extended reflog --grep="two|one" >out && test_line_count = 2 out
'

if git -C r log --perl-regexp --grep=x 2>&1 | grep -q "cannot use Perl"; then
	:
else
	test_set_prereq PCRE
fi

test_expect_success PCRE 'expressions of Perl' '
	subjects_of "" "-P --grep=t(?=w)" "two\n" &&
	subjects_of "" "--perl-regexp -i --grep=^THREE\\s" "three a+\n" &&
	subjects_of "-c grep.patternType=perl" "--grep=^\\w{3}$" "two\n" &&
	subjects_of "-c grep.patternType=perl" "-F --grep=t(?=w)" "" &&
	subjects_of "" "-P --author=\\w>$ --committer=(?!x) --grep=wo" "two\n" &&
	test_expect_code 128 git -C r log -P --grep="(x" 2>err && test_grep "^fatal: command line, .(x.: " err &&
	test_expect_code 128 git -C r log -P --author="(x" 2>err && test_grep "^fatal: header, .(x.: " err
'

test_expect_success PCRE 'an expression with too many ways to match is an error' '
	m=$(printf "%0300d" 0) && git -C r commit -q --allow-empty -m "${m}b1" &&
	test_expect_code 128 git -C r log -P --grep="(0+)+(0+)+(0+)+1" 2>err &&
	test_grep "^fatal: pcre2_.*match failed with error code" err && git -C r reset -q --hard HEAD~1
'

test_expect_success 'a match stays in one line' '
	git -C r commit -q --allow-empty -m "one line" -m "and another" &&
	subjects_of "" "--grep=line[[:space:]]*and" "" &&
	subjects_of "" "--grep=^and" "one line\n" &&
	subjects_of "" "-1 --grep=line$" "one line\n" && git -C r reset -q --hard HEAD~1
'

test_expect_success 'wrong settings are refused, and plumbing does not read them' '
	test_must_fail git -C r -c grep.patternType=odd log 2>err &&
	test_grep "fatal: bad grep.patterntype argument: odd" err &&
	test_must_fail git -C r -c grep.extendedRegexp=odd show 2>err &&
	test_grep "bad boolean config value .odd. for .grep.extendedregexp." err &&
	git -C r -c grep.patternType=odd rev-list HEAD &&
	git -C r -c grep.patternType=extended rev-list --grep="a|t" HEAD >out && test_must_be_empty out
'

test_expect_success '--exclude: "*" matches "/", and HEAD as well' '
	git -C r rev-list --exclude="*" --all >out && test_must_be_empty out &&
	git -C r rev-list --exclude="*" --branches >out && test_must_be_empty out &&
	git -C r rev-list --exclude=HEAD --exclude="refs/h*" --all >out && test_must_be_empty out &&
	git -C r rev-list --no-walk --exclude="refs/*" --all >out && git -C r rev-parse HEAD >expect &&
	test_cmp expect out &&
	git -C r rev-list --no-walk --exclude="*" --all --branches >out && test_line_count = 2 out
'

# shown_by "<command>" <format> <expected>
shown_by () {
	git -C r $1 --format="$2" >out && printf "%s\n" "$3" | sed "s/@/\\
/g" >expect && test_cmp expect out
}

test_expect_success '%w() with empty numbers' '
	shown_by "log -1" "%w(,1,2)%s%n%s" " three a+@  three a+" &&
	shown_by "log -1" "%w(6,,2)%s" "three@  a+" &&
	shown_by "log -1" "%w(,,)%s" "three a+" &&
	shown_by "log -1" "%w(x)%s" "%w(x)three a+"
'

test_expect_success '%N and %S where there are neither notes nor sources' '
	note=$(echo note | git -C r hash-object -w --stdin) &&
	tree=$(printf "100644 blob $note\t$(git -C r rev-parse HEAD)\n" | git -C r mktree) &&
	git -C r update-ref refs/notes/commits $(git -C r commit-tree -m n $tree) &&
	shown_by "diff-tree -s --always HEAD" "%s|%N|%S" "three a+|note@|%S" &&
	shown_by "diff-tree -s --always --no-notes HEAD" "%s|%N" "three a+|%N" &&
	shown_by "log -1 --no-notes" "%s|%N|%S" "three a+|%N|HEAD" &&
	shown_by "rev-list --no-commit-header -1 HEAD" "%s|%N|%S" "three a+|%N|%S"
'

test_expect_success 'rev-list heeds --color' '
	red=$(printf "\033[31m") &&
	shown_by "rev-list --no-commit-header -1 --color HEAD" "%Cred%s" "${red}three a+" &&
	shown_by "rev-list --no-commit-header -1 --no-color HEAD" "%Cred%s" "three a+" &&
	shown_by "-c color.ui=always rev-list --no-commit-header -1 HEAD" "%Cred%s" "three a+"
'

test_done
