#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of add -p, commit -p, stash -p, fast-import and fast-export fails in turn

As in t0102. Whatever fails: HEAD and its index can be read, no change of a file is lost, refs have their old or new
value, and the next command goes on.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"
sweep_step EIO 6

# The local changes are in the file or in the stash; a branch that the import makes has all of its commits.
still_good () {
	git -C copy ls-files -s >ls && test -s ls && git -C copy fsck --no-dangling >fsck 2>&1 &&
	grep -q "local twenty" copy/f && { grep -q "local three" copy/f || git -C copy show stash:f | grep -q "local three"; } &&
	{ ! git -C copy rev-parse -q --verify new >tip || test $(git -C copy rev-list --count new) = $commits; } &&
	git -C copy add f 2>add
}

test_expect_success 'set up' '
	git init -q -b main start && cd start && git config core.fsyncMethod batch && test_seq 30 >f && git add f && git commit -q -m one &&
	sed "s/^3\$/local three/; s/^20\$/local twenty/" f >g && mv g f && cd .. && commits=120 && who="committer C <c@x> 1700000000 +0000" && for i in $(test_seq $commits)
	do
		printf "commit refs/heads/new\n%s\ndata 1\nx\nM 644 inline f\ndata 3\n%03d\n" "$who" $i || return 1
	done >stream && printf "y\nn\n" >keys
'

for what in EIO ENOSPC
do
	test_expect_success "$what: add, commit and stash with chosen hunks" '
		SWEEP_STDIN=$TRASH_DIRECTORY/keys &&
		sweep start $what "git diff --cached | grep -q \"^+local three\" && ! git diff --cached | grep -q \"^+local twenty\"" add -p &&
		sweep start $what "git show HEAD | grep -q \"^+local three\"" commit -q -p -m two &&
		sweep start $what "grep -q \"local twenty\" f && ! grep -q \"local three\" f && git show stash:f | grep -q \"local three\"" stash push -q -p
	'

	test_expect_success "$what: fast-import" '
		SWEEP_STDIN=$TRASH_DIRECTORY/stream && sweep start $what "git rev-parse -q --verify new" fast-import --quiet &&
		sweep start $what "git rev-parse -q --verify new && grep pack: .git/edges" fast-import --quiet --export-pack-edges=.git/edges
	'

	test_expect_success "$what: the marks of fast-export" '
		git -C start fast-export --export-marks=$PWD/all HEAD >out && SWEEP_STDIN=/dev/null &&
		sweep start $what "cmp .git/marks ../all" fast-export --export-marks=.git/marks HEAD
	'
done

test_done
