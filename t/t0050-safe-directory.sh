#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='safe.directory'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'set up' '
	git init -q r && mkdir r/sub && git init -q --bare b.git &&
	GIT_TEST_ASSUME_DIFFERENT_OWNER=1 && export GIT_TEST_ASSUME_DIFFERENT_OWNER
'

refused () {
	test_expect_code 128 git -C "${1:-r}" count-objects 2>err &&
	test_grep "^fatal: detected dubious ownership in repository at '$PWD/${1:-r}'" err &&
	# quoted for the shell, where that is needed
	eval "told=$(sed -n "s/^	git config --global --add safe.directory //p" err)" &&
	test "$told" = "$PWD/${1:-r}"
}

test_expect_success 'refused, with advice' '
	refused && refused b.git &&
	test_expect_code 128 git -C r/sub count-objects 2>err && test_grep "$PWD/r.$" err
'

test_expect_success 'GIT_DIR is trusted' '
	git --git-dir=r/.git count-objects
'

test_expect_success 'git config works, without the repository' '
	test_expect_code 1 git -C r config core.bare
'

test_expect_success 'the configuration of a repository cannot make it safe' '
	(unset GIT_TEST_ASSUME_DIFFERENT_OWNER; git -C r config safe.directory "*") && refused
'

test_expect_success 'global configuration can' '
	git config --global safe.directory "$PWD/r" && git -C r count-objects && git -C r/sub count-objects &&
	refused b.git && git config --global --add safe.directory "$PWD/b.git/" &&
	git -C b.git count-objects
'

test_expect_success 'an empty value resets' '
	git config --global --add safe.directory "" && refused && refused b.git
'

test_expect_success 'everything, and everything below' '
	git config --global --replace-all safe.directory "*" && git -C r count-objects &&
	git config --global safe.directory "$PWD/*" && git -C r count-objects &&
	git config --global safe.directory "$PWD/x/*" && refused &&
	git config --global safe.directory "~/r" && git -C r count-objects &&
	git config --global safe.directory "$PWD" && refused &&
	git config --global safe.directory "$PWD/r/s" && refused
'

test_expect_success 'command line and environment are protected scopes too' '
	git config --global --unset safe.directory && git -c "safe.directory=$PWD/r" -C r count-objects
'

test_expect_success 'a relative value does not count, but for the current directory' '
	(cd r && git -c safe.directory=. count-objects) &&
	for v in ./ ../r ./. r; do
		(cd r && test_expect_code 128 git -c "safe.directory=$v" count-objects 2>../err) &&
		test_grep "^warning: safe.directory .$v. not absolute$" err &&
		test_grep "^fatal: detected dubious ownership" err || return 1
	done
'

test_expect_success 'safe.bareRepository: explicit, all, and nothing else' '
	(unset GIT_TEST_ASSUME_DIFFERENT_OWNER &&
	git -C b.git -c safe.bareRepository=all count-objects &&
	test_expect_code 128 git -C b.git -c safe.bareRepository=explicit count-objects 2>err &&
	test_grep "cannot use bare repository" err &&
	git --git-dir=b.git -c safe.bareRepository=explicit count-objects &&
	for v in Explicit true ""; do
		test_expect_code 128 git -C b.git -c safe.bareRepository="$v" count-objects 2>err &&
		test_grep "^fatal: unable to parse .safe.barerepository. from command-line config" err || exit 1
	done)
'

test_expect_success SYMLINKS 'through a symbolic link' '
	ln -s r l && git -c "safe.directory=$PWD/l" -C l count-objects
'

# A user who is root in a user namespace may have no other user there.
test_lazy_prereq CHOWN 'touch f && chown 12345 f'

test_expect_success ROOT,CHOWN 'a directory that really belongs to another user' '
	unset GIT_TEST_ASSUME_DIFFERENT_OWNER && git init -q other && chown 12345 other && refused other &&
	SUDO_UID=12345 git -C other count-objects && chown 0 other && chown 12345 other/.git &&
	refused other
'

test_done
