#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='diff --submodule: the commits of a submodule, or its differences'
. "$(dirname "$0")/test-lib.sh"

id () { git -C r/sub rev-parse --short=7 "$1"; }

test_expect_success 'set up' '
	git init -q -b main r && git init -q -b main r/sub && for i in 1 2 3; do test_commit -C r/sub "sub $i" f$i || return 1; done && git -C r/sub checkout -q -b other HEAD~1 && test_commit -C r/sub "sub other" o &&
	git -C r/sub checkout -q main && for c in main~2 main other; do git -C r/sub checkout -q $c && git -C r add sub && test_tick && git -C r commit -qm $c || return 1; done &&
	git -C r rm -q --cached sub && git -C r commit -qm gone && git -C r update-index --add --cacheinfo 160000,$(git -C r rev-parse HEAD),sub && git -C r commit -qm strange
'

test_expect_success 'log: new, forward, to another line, backward, deleted, unknown' '
	git -C r log -p --submodule=log --reverse --format=%s >out && cat >expect <<-EOF && test_cmp expect out && git -C r log -p --submodule --reverse --format=%s >out && test_cmp expect out &&
	main~2

	Submodule sub 0000000...$(id main~2) (new submodule)
	main

	Submodule sub $(id main~2)..$(id main):
	  > sub 3
	  > sub 2
	other

	Submodule sub $(id main)...$(id other):
	  > sub other
	  < sub 3
	gone

	Submodule sub $(id other)...0000000 (submodule deleted)
	strange

	Submodule sub 0000000...$(git -C r rev-parse --short=7 HEAD~1) (new submodule)
	EOF
	printf "%s\n" "> Submodule sub $(id main)..$(id main~2) (rewind):" ">   < sub 3" ">   < sub 2" >expect && git -C r diff --line-prefix="> " --submodule main~3 main~4 >out && test_cmp expect out &&
	echo "Submodule sub $(id other)...$(git -C r rev-parse --short=7 HEAD~1) (commits not present)" >expect && git -C r diff --submodule main~2 main >out && test_cmp expect out
'

test_expect_success 'diff: the differences between the commits' '
	git -C r diff --submodule=diff main~3 main~2 >out && cat >expect <<-EOF && test_cmp expect out && git -C r diff --submodule=short main~3 main~2 >out && test_grep "^+Subproject commit" out && git -C r diff main~3 main~2 >out2 && test_cmp out out2
	Submodule sub $(id main)...$(id other):
	diff --git a/sub/f3 b/sub/f3
	deleted file mode 100644
	index $(git -C r/sub rev-parse --short=7 main:f3)..0000000
	--- a/sub/f3
	+++ /dev/null
	@@ -1 +0,0 @@
	-$(git -C r/sub cat-file blob main:f3)
	diff --git a/sub/o b/sub/o
	new file mode 100644
	index 0000000..$(git -C r/sub rev-parse --short=7 other:o)
	--- /dev/null
	+++ b/sub/o
	@@ -0,0 +1 @@
	+$(git -C r/sub cat-file blob other:o)
	EOF
'

test_expect_success 'diff --submodule reports untracked and modified content' '
	git -C r/sub checkout -q main && git -C r add sub && git -C r diff --submodule >out && test_must_be_empty out && echo new >r/sub/new && git -C r diff --submodule >out && test_must_be_empty out &&
	git -C r diff --submodule --ignore-submodules=none >out && echo "Submodule sub contains untracked content" >expect && test_cmp expect out && echo more >>r/sub/f1 &&
	git -C r diff --submodule >out && echo "Submodule sub contains modified content" >expect && test_cmp expect out && git -C r diff --submodule=diff >out && sed 2q out >two && printf "%s\n" "diff --git a/sub/f1 b/sub/f1" >>expect &&
	test_cmp expect two && test_grep "^+more$" out && git -C r diff --submodule --ignore-submodules=dirty >out && test_must_be_empty out
'

test_expect_success 'the same commit as that of a tree, but not of the index, with changed files' '
	git -C r commit -q --allow-empty -m now && git -C r/sub checkout -q -f other && git -C r add sub && git -C r commit -qm later && git -C r/sub checkout -q main && echo more >>r/sub/f1 &&
	git -C r diff HEAD~1 >out && test_grep "^-Subproject commit [0-9a-f]*$" out && test_grep "^+Subproject commit [0-9a-f]*-dirty$" out && git -C r diff -R HEAD~1 >out && test_grep "^-Subproject commit [0-9a-f]*-dirty$" out &&
	git -C r/sub checkout -q -f main && git -C r diff HEAD~1 >out && test_must_be_empty out && git -C r reset -q HEAD~2
'

test_expect_success 'a file in its place; --stat and --raw do not change; settings' '
	git -C r/sub checkout -q -f main && git -C r diff --submodule --stat main~3 main~2 >out && test_grep "sub | 2 +-" out && blob=$(echo file | git -C r hash-object -w --stdin) && git -C r update-index --add --cacheinfo 100644,$blob,sub &&
	git -C r diff --submodule --cached main~2 >out && test_grep "^Submodule sub .* (submodule deleted)$" out && test_grep "^+file$" out && git -C r reset -q &&
	git -C r -c diff.submodule=log diff main~3 main~2 >out && test_grep "^  > sub other$" out && git -C r -c diff.submodule=log diff-tree -p main~3 main~2 >out && test_grep "^+Subproject" out &&
	git -C r -c diff.submodule=junk diff main~3 main~2 2>err >out && test_grep "Unknown value for .diff.submodule. config variable: .junk." err && test_expect_code 129 git -C r diff --submodule=junk 2>err && test_grep "failed to parse --submodule option" err &&
	git -C r diff --color=always --submodule main~3 main~2 >out && printf "\033[31m  < sub 3\033[m\n" >expect && sed -n 3p out >line && test_cmp expect line
'

test_done
