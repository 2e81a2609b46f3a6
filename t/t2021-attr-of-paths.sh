#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='whose .gitattributes convert what checkout and restore write: of the work tree for paths, of the index for a branch'
. "$(dirname "$0")/test-lib.sh"

# has FILE crlf|lf|utf16: how the text of FILE is written
has() {
	case $2 in
	lf) printf 'a\nb\n' ;;
	crlf) printf 'a\r\nb\r\n' ;;
	utf16) printf 'a\0\n\0b\0\n\0' ;;
	esac >expect &&
	test_cmp_bin expect "repo/$1"
}

# state COMMIT WORKTREE: the index has COMMIT, the work tree these attributes (none: no file), and no other files
state() {
	rm -rf repo/.git/index repo/*.txt repo/d repo/.gitattributes &&
	git -C repo reset -q --hard "$1" &&
	rm -rf repo/*.txt repo/d repo/.gitattributes &&
	case $2 in
	none) ;;
	utf16) echo "*.txt working-tree-encoding=UTF-16LE" >repo/.gitattributes ;;
	*) echo "*.txt eol=$2" >repo/.gitattributes ;;
	esac
}

test_expect_success 'three commits, each with other attributes' '
	git init -q -b main repo &&
	mkdir repo/d &&
	printf "a\nb\n" >repo/t.txt &&
	cp repo/t.txt repo/d/t.txt &&
	for eol in crlf lf
	do
		echo "*.txt eol=$eol" >repo/.gitattributes &&
		git -C repo add . 2>err &&
		git -C repo commit -q -m "$eol" &&
		git -C repo tag "$eol" || return 1
	done &&
	echo "*.txt working-tree-encoding=UTF-16LE" >repo/.gitattributes &&
	git -C repo commit -q -m utf16 .gitattributes &&
	git -C repo tag utf16 &&
	git -C repo rm -q --cached .gitattributes &&
	git -C repo commit -q -m none &&
	git -C repo tag none
'

for cmd in 'checkout --' 'checkout HEAD --' 'checkout lf --' 'restore' 'restore --source=utf16' \
	'restore --source=lf --staged --worktree'
do
	test_expect_success "$cmd PATH: the work tree comes first" '
		state crlf utf16 &&
		git -C repo $cmd t.txt d &&
		has t.txt utf16 &&
		has d/t.txt utf16 &&
		state utf16 crlf &&
		git -C repo $cmd t.txt d &&
		has t.txt crlf
	'

	test_expect_success "$cmd PATH: then comes the index" '
		state crlf none &&
		git -C repo $cmd t.txt &&
		has t.txt crlf &&
		state utf16 none &&
		git -C repo $cmd t.txt &&
		has t.txt utf16
	'
done

test_expect_success 'attributes that are written themselves hold for the other files' '
	state crlf lf &&
	git -C repo checkout -- . &&
	has t.txt crlf &&
	state crlf lf &&
	git -C repo checkout utf16 -- . &&
	has d/t.txt utf16 &&
	state crlf lf &&
	git -C repo restore --source=utf16 . &&
	has t.txt utf16 &&
	state crlf none &&
	git -C repo restore --source=utf16 --staged --worktree . &&
	has t.txt utf16
'

test_expect_success 'attributes of a directory' '
	state lf none &&
	echo "*.txt eol=crlf" >repo/.gitattributes &&
	mkdir repo/d &&
	echo "*.txt eol=lf" >repo/d/.gitattributes &&
	git -C repo restore t.txt d/t.txt &&
	has t.txt crlf &&
	has d/t.txt lf
'

test_expect_success '.gitattributes itself is written as its new content says' '
	state lf crlf &&
	printf "* text eol=crlf\n" >repo/.gitattributes &&
	git -C repo add .gitattributes 2>err &&
	git -C repo commit -q -m own &&
	git -C repo tag own &&
	printf "* text eol=lf\n" >repo/.gitattributes &&
	git -C repo add .gitattributes 2>err &&
	git -C repo restore --source=own .gitattributes &&
	printf "* text eol=crlf\r\n" >expect &&
	test_cmp_bin expect repo/.gitattributes
'

test_expect_success 'without overlay the attributes that go count to the end' '
	state crlf none &&
	git -C repo checkout --no-overlay none -- . &&
	has t.txt crlf &&
	git -C repo ls-files .gitattributes >out &&
	test_must_be_empty out
'

test_expect_success 'a branch, a reset: the index comes first' '
	for cmd in "checkout -f" "reset -q --hard" "switch -f --detach" "read-tree -u --reset"
	do
		state crlf lf &&
		git -C repo $cmd utf16 &&
		has t.txt utf16 || return 1
	done &&
	state crlf lf &&
	git -C repo reset -q --hard &&
	has t.txt crlf
'

test_expect_success 'directories with names of the same length, and other attributes of the same path' '
	git init -q near && mkdir near/aa near/bb && echo "f one" >near/aa/.gitattributes && echo "f two" >near/bb/.gitattributes && echo "g three" >near/.gitattributes &&
	(cd near && git check-attr one two three -- aa/f bb/f aa/f aa/g g f) >actual && cat >expect <<-\EOF && test_cmp expect actual &&
	aa/f: one: set
	aa/f: two: unspecified
	aa/f: three: unspecified
	bb/f: one: unspecified
	bb/f: two: set
	bb/f: three: unspecified
	aa/f: one: set
	aa/f: two: unspecified
	aa/f: three: unspecified
	aa/g: one: unspecified
	aa/g: two: unspecified
	aa/g: three: set
	g: one: unspecified
	g: two: unspecified
	g: three: set
	f: one: unspecified
	f: two: unspecified
	f: three: unspecified
	EOF
	echo "* text diff=up" >near/.gitattributes && printf "a\r\n" >near/x && printf "a\n" >near/y && git -C near add x y 2>err && printf "b\r\n" >near/x && printf "b\n" >near/y &&
	git -C near -c diff.up.textconv="tr a-z A-Z <" diff x y >out 2>err && grep "^[-+][a-zA-Z]" out | tr -d "\r" >actual && printf "%s\n" -A +B -A +B >expect && test_cmp expect actual
'

test_done
