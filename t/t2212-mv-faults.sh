#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of mv fails in turn: files and index are as before, or all has moved'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

# Index and contents. An overwritten file may be left, but only after all has moved.
state () {
	(cd "$1" && git ls-files -s && find . -name .git -prune -o -type f ! -name "*.replaced-*" -print -exec cat {} + | LC_ALL=C sort)
}

still_good () {
	state copy >now
	cmp -s new now && return
	cmp -s old now && test -z "$(find copy -name "*.replaced-*")"
}

test_expect_success 'setup' '
	git init -q w && (
		cd w && mkdir -p d/e x && echo a >a && echo b >b && echo c >d/c && echo e >d/e/f && echo xx >x/y && git add . &&
		git commit -q -m one && echo untracked >x/b && echo lost >x/a
	) &&
	state w >old && cp -a w moved && git -C moved mv -f a b d x && state moved >new && ! cmp -s old new
'

for what in EIO ENOSPC+ EINTR; do
	test_expect_success "files over others, and a directory: $what" '
		MIN_CALLS=8 && sweep w $what "test \"\$(git ls-files x/a d)\" = x/a" mv -f a b d x
	'
done

test_done
