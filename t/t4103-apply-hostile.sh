#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git apply: patches that name what they must not touch'
. "$(dirname "$0")/test-lib.sh"

lines () { printf "%s\n" "$@"; }
# creates NAME: a patch that creates this file
creates () { lines "diff --git a/$1 b/$1" "new file mode 100644" "--- /dev/null" "+++ b/$1" "@@ -0,0 +1 @@" +evil; }

test_expect_success 'unsafe names are refused, and nothing is written' '
	mkdir top && cd top && git init -q . && lines f >f && git add f && git commit -qm base && for name in ../evil .git/evil .GIT/evil a/../../evil a/.git/evil /evil; do
		(lines "--- a/f" "+++ b/f" "@@ -1 +1 @@" -f +changed && creates "$name") >p && test_must_fail git apply p 2>err && test_grep "invalid path" err && test_must_fail git apply --index p && test_must_fail git apply --cached p && git diff --exit-code HEAD || return 1
	done && ! test -e ../evil && ! test -e .git/evil && ! test -e a && creates ../evil | git apply --unsafe-paths && test_grep evil ../evil && creates ../x | test_must_fail git apply --index --unsafe-paths
'

test_expect_success 'files beyond symbolic links are not changed, nor read' '
	cd top && mkdir "$T_PRIVATE/target" && lines t >"$T_PRIVATE/target/t" && ln -s "$T_PRIVATE/target" link && creates link/evil | test_expect_code 1 git apply 2>err && test_grep "^error: affected file .link/evil. is beyond a symbolic link$" err &&
	lines "--- a/link/t" "+++ b/link/t" "@@ -1 +1 @@" -t +evil | test_expect_code 1 git apply 2>err && test_grep "beyond a symbolic link$" err && lines "diff --git a/link/t b/link/t" "deleted file mode 100644" "--- a/link/t" "+++ /dev/null" "@@ -1 +0,0 @@" -t | test_expect_code 1 git apply && test_grep t "$T_PRIVATE/target/t" && rm link
'

test_expect_success 'nor beyond a link that the same patch makes' '
	cd top && (lines "diff --git a/link b/link" "new file mode 120000" "--- /dev/null" "+++ b/link" "@@ -0,0 +1 @@" "+$T_PRIVATE/target" "\\ No newline at end of file" && creates link/evil) >p && test_expect_code 1 git apply p 2>err && test_grep "beyond a symbolic link$" err && ! test -e link && ! test -e "$T_PRIVATE/target/evil" && test_expect_code 1 git apply --index p
'

test_expect_success 'a link that the patch removes may become a directory' '
	cd top && ln -s "$T_PRIVATE/target" link && git add link && git commit -qm link && git rm -q link && mkdir link && lines x >link/x && git add link && git diff --cached HEAD >p && git reset -q --hard && git apply --index p && test -f link/x && ! test -h link && ! test -e "$T_PRIVATE/target/x" && git reset -q --hard
'

test_expect_success 'headers that contradict each other or lack names are refused' '
	cd top && lines "diff --git a/f b/f" "deleted file mode 100644" "new file mode 100644" | test_expect_code 128 git apply 2>err && test_grep "^error: inconsistent header lines 2 and 3$" err && lines "diff --git a/f b/g" "--- a/f" "@@ -1 +1 @@" -f +g | test_expect_code 128 git apply 2>err && test_grep "^error: git diff header lacks filename information" err &&
	lines "diff --git a/f b/f" "old mode 1x" "new mode 100755" | test_expect_code 128 git apply 2>err && test_grep "^error: invalid mode at <stdin>:2: 1x$" err && lines "@@ -1 +1 @@" -f +g | test_expect_code 128 git apply 2>err && test_grep "^error: patch fragment without header at <stdin>:1: @@ -1 +1 @@$" err && git diff --exit-code
'

test_expect_success !SANITIZE,!VALGRIND 'binary data that claim gigabytes cost nothing' '
	cd top && zero=0000000000000000000000000000000000000000 && lines "diff --git a/b b/b" "new file mode 100644" "index $zero..1111111111111111111111111111111111111111" "GIT binary patch" "literal 4000000000" "IcmZQzWMT#Y01f~L" "" >p && (ulimit -v 4000000 && test_must_fail git apply p 2>err) && test_grep "^error: corrupt binary patch at p:" err && ! test -e b
'

test_expect_success 'a file that cannot be written leaves all others as they were' '
	cd top && (lines "--- a/f" "+++ b/f" "@@ -1 +1 @@" -f +changed && creates d/n) >p && (trap "" XFSZ && ulimit -f 0 && test_expect_code 128 git apply p 2>/dev/null) && git diff --exit-code && ls -a >out && ! grep git-apply- out && ! test -e d && git apply p && test -e d/n
'

test_done
