#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='status: sub-repositories that are ignored, directories that cannot be read'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

# a: another commit, changed and untracked files; b: changed; c: a commit that is staged and
# another one in the work tree. .gitmodules says "dirty" for a.
test_expect_success 'set up' '
	stock init -q -b main lib &&
	(cd lib && echo 1 >f && stock add f && stock commit -q -m 1 && echo 2 >f &&
	 stock commit -q -a -m 2) &&
	stock init -q -b main theirs &&
	(cd theirs &&
	 for n in a b c
	 do
		stock -c protocol.file.allow=always submodule --quiet add "$PWD/../lib" $n || exit
	 done &&
	 stock config -f .gitmodules submodule.a.ignore dirty &&
	 stock add . && stock commit -q -m x &&
	 stock -C a checkout -q -f HEAD~1 && echo y >a/f && echo u >a/u &&
	 echo z >b/untracked && echo q >b/f &&
	 stock -C c checkout -q HEAD~1 && stock add c && stock -C c checkout -q main) &&
	cp -a theirs ours
'

test_expect_success 'submodule.<name>.ignore, diff.ignoreSubmodules, --ignore-submodules' '
	while read -r line
	do
		eval "peers_git $line" || return 1
	done <<-\EOS
	status
	status -s
	status --porcelain=2
	status --ignore-submodules
	status --ignore-submodules=dirty
	status --ignore-submodules=untracked
	status --ignore-submodules=none
	status --ignore-submodules=bogus
	-c diff.ignoreSubmodules=all status -s
	-c diff.ignoreSubmodules=dirty status -s
	-c diff.ignoreSubmodules=all -c submodule.b.ignore=none status -s
	-c submodule.a.ignore=all status -s
	-c submodule.a.ignore=none status -s
	-c submodule.a.ignore=untracked status --porcelain=2
	-c submodule.b.ignore=untracked status --porcelain=2
	-c submodule.b.ignore=dirty status --porcelain=2
	-c submodule.b.ignore=all status -s
	-c submodule.c.ignore=all status
	-c submodule.a.ignore=all -c submodule.b.ignore=all -c submodule.c.ignore=all status
	-c submodule.a.ignore=all -c submodule.b.ignore=all status --ignore-submodules=none -s
	-c submodule.a.ignore=bogus status -s
	commit --dry-run
	EOS
'

# A user for whom permissions matter: ourselves, or the user nobody if we are root.
test_lazy_prereq NOBODY '
	test "$(id -u)" != 0 || setpriv --reuid=65534 --clear-groups true
'

as_nobody () {
	if test "$(id -u)" = 0
	then
		setpriv --reuid=65534 --clear-groups env HOME=/nonexistent "$@"
	else
		"$@"
	fi
}

test_expect_success NOBODY 'directories that cannot be read are reported' '
	mkdir open && chmod 777 open &&
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0="*" &&
	export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
	stock init -q open/repo && (cd open/repo && mkdir -p d/x e && : >d/f && : >e/f && stock add d/f) &&
	chmod 0 open/repo/d/x open/repo/e &&
	test_when_finished "chmod -R 755 open" &&
	if test "$(id -u)" = 0
	then
		chown -R 65534 open
	fi &&
	if ! as_nobody git -C open/repo rev-parse --git-dir >/dev/null 2>&1
	then
		echo "nobody cannot reach this place" >&4
		return 0
	fi &&
	for args in "status" "status -s" "status -uall --ignored" "status -uno" "ls-files -o" \
		"add --dry-run ." "add d"
	do
		as_nobody git -C open/repo $args >out.ours 2>err.ours
		ours=$?
		as_nobody "$STOCK_GIT" -C open/repo $args >out.theirs 2>err.theirs
		theirs=$?
		sort err.ours >err.o && sort err.theirs >err.t &&
		echo "$args" >&4 &&
		test $ours = $theirs && test_cmp out.theirs out.ours && test_cmp err.t err.o ||
		return 1
	done &&
	as_nobody git -C open/repo status 2>err &&
	test_grep "^warning: could not open directory .e/.: Permission denied" err &&
	chmod -R 755 open
'

test_done
