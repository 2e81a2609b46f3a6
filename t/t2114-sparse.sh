#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='sparse checkouts: files follow the patterns, whichever command updates them'
. "$(dirname "$0")/test-lib.sh"

SQ=\'

test_expect_success 'set up' '
	git init -q -b main base && (
		cd base && mkdir in out && for f in a in/x out/x out/y; do echo 1 >$f; done && git add . && git commit -q -m one && git switch -q -c other &&
		echo 2 >in/x && echo 2 >out/x && echo n >out/n && git rm -q out/y && git add . && git commit -q -m two && git switch -q main && git config core.sparseCheckout true
	)
'

# fresh PATTERN...: a copy with these patterns, to which files do not correspond yet
fresh () {
	rm -rf r && cp -R base r && patterns "$@"
}
patterns () {
	printf "%s\n" "$@" >r/.git/info/sparse-checkout
}
# state "H a" "S out/x" …: the index; and that just the files of the H are there
state () {
	printf "%s\n" "$@" >expect && git -C r ls-files -t >actual && test_cmp expect actual && sed -n "s/^H //p" expect >there &&
	(cd r && git ls-files) | while read -r f; do test ! -e "r/$f" || echo "$f"; done >actual && test_cmp there actual
}

# What the index itself has, whatever files are there
kept () {
	test "$(git -C r -c core.sparseCheckout=false ls-files -t "${1#* }")" = "$1"
}
state_out () { state "H a" "H in/x" "S out/x" "S out/y"; }
state_in () { state "H a" "H in/x" "H out/x" "H out/y"; }

test_expect_success 'files go and come: read-tree, checkout, reset' '
	for c in "read-tree -m -u HEAD" checkout "checkout -q main" "checkout -q --detach" "checkout -q -B new HEAD" "checkout -q -f" "switch -q main" "reset -q --hard" "reset -q --merge" "reset -q --keep" "read-tree --reset -u HEAD"; do
		fresh "/*" "!/out/" && git -C r $c && state_out && test_path_is_missing r/out && test -z "$(git -C r status --porcelain)" &&
		patterns "/*" && git -C r $c && state_in && test "$(cat r/out/y)" = 1 || { echo "$c" && return 1; }
	done
'

test_expect_success 'commands that update no files leave them alone; so does --no-sparse-checkout, and no file of patterns' '
	for c in "read-tree -m HEAD" "reset -q" "switch -q -c new" "status" "checkout -q -- ." "read-tree -m -u --no-sparse-checkout HEAD"; do
		fresh "/*" "!/out/" && git -C r $c && state_in || { echo "$c" && return 1; }
	done && fresh "/*" "!/out/" && git -C r checkout && state_out && rm r/.git/info/sparse-checkout && git -C r checkout && state_out &&
	patterns "/*" && git -C r -c core.sparseCheckout=false checkout && state_out
'

test_expect_success 'reset without files: what comes into the index is out by the patterns, unless its file is there' '
	fresh "/*" "!/out/" && git -C r checkout -q && git -C r update-index --force-remove out/x && git -C r reset >out && test_must_be_empty out && state_out && git -C r update-index --force-remove out/x &&
	git -C r reset -q -- out && state_out && git -C r reset -q other -- out && state "H a" "H in/x" "S out/n" "S out/x" && git -C r reset -q && state_out && git -C r update-index --force-remove out/x && mkdir r/out && echo 1 >r/out/x && git -C r reset -q && state "H a" "H in/x" "H out/x" "S out/y" && kept "H out/x"
'

test_expect_success 'to another commit: what it changes is in or out by the patterns' '
	fresh "/*" "!/out/" && git -C r switch -q other && state "H a" "H in/x" "S out/n" "S out/x" && test "$(cat r/in/x)" = 2 && test_path_is_missing r/out &&
	git -C r switch -q main && state_out && patterns "/*" "!/in/" && git -C r reset -q --hard other && state "H a" "S in/x" "H out/n" "H out/x" && test "$(cat r/out/n r/out/x)" = "n
2" && patterns "/*" "!/*/" "/in/" && git -C r -c core.sparseCheckoutCone=true read-tree -m -u HEAD HEAD~1 && state "H a" "H in/x" "S out/x" "S out/y" &&
	patterns nothing && git -C r checkout -q && state "S a" "S in/x" "S out/x" "S out/y"
'

test_expect_success 'files with changes stay, with a warning; --hard removes them' '
	fresh "/*" "!/out/" && echo mine >r/out/x && git -C r checkout >out 2>err && state "H a" "H in/x" "H out/x" "S out/y" && test "$(cat r/out/x)" = mine && echo "M	out/x" >expect && test_cmp expect out &&
	printf "warning: %s\n\t%s\n\n%s\n" "The following paths are not up to date and were left despite sparse patterns:" out/x "After fixing the above paths, you may want to run \`git sparse-checkout reapply\`." >expect && test_cmp expect err &&
	fresh "/*" "!/out/" && echo mine >r/out/x && git -C r read-tree -m -u HEAD 2>err && state "H a" "H in/x" "H out/x" "S out/y" && echo "error: Path ${SQ}out/x${SQ} not uptodate; will not remove from working tree." >expect && test_cmp expect err &&
	test_expect_code 1 git -C r switch other 2>err && test_grep "local changes.*would be overwritten" err && test "$(cat r/out/x)" = mine && git -C r reset -q --hard && state_out &&
	fresh "/*" "!/out/" && echo staged >r/out/x && git -C r add out/x && echo u >r/out/u && git -C r checkout -q && state_out && test "$(git -C r diff --cached --name-only)" = out/x && test "$(cat r/out/u)" = u
'

test_expect_success 'a file that is there counts as checked out, whatever the index says' '
	fresh "/*" "!/out/" && git -C r checkout -q && mkdir r/out && echo 1 >r/out/x && git -C r -c sparse.expectFilesOutsideOfPatterns=true status --porcelain >out && test_must_be_empty out &&
	echo mine >r/out/x && git -C r -c sparse.expectFilesOutsideOfPatterns=true status --porcelain >out && test_must_be_empty out && git -C r status --porcelain >out && echo " M out/x" >expect && test_cmp expect out &&
	test_expect_code 1 git -C r checkout other && git -C r checkout -q 2>err && test_grep "left despite" err && patterns "/*" && git -C r checkout -q 2>err && test_must_be_empty err && state_in && test "$(cat r/out/x)" = mine &&
	fresh "/*" "!/out/" && git -C r checkout -q && mkdir r/out && echo 1 >r/out/x && kept "S out/x" && git -C r checkout -q -- a && kept "H out/x" && fresh "/*" "!/out/" && git -C r checkout -q && mkdir r/out && echo mine >r/out/n &&
	git -C r switch -q other && test "$(cat r/out/n)" = mine && test "$(git -C r status --porcelain)" = " M out/n" &&
	fresh "/*" "!/out/" "!/oz" && echo 1 >r/oz && git -C r add --sparse oz && git -C r checkout -q && test_path_is_missing r/oz && echo mine >r/oz && test "$(git -C r status --porcelain)" = "AM oz"
'

test_expect_success 'something in the place of files that come' '
	fresh "/*" "!/out/" && git -C r checkout -q && echo mine >r/out && patterns "/*" && git -C r checkout -q 2>err && test "$(cat r/out)" = mine && test_grep "already present and thus not updated" err &&
	git -C r ls-files -t >actual && printf "%s\n" "H a" "H in/x" "S out/x" "S out/y" >expect && test_cmp expect actual
'

test_expect_success 'local changes are merged there, too' '
	fresh "/*" "!/out/" && echo new >r/in/new && git -C r add in/new && git -C r switch -q -m other && state "H a" "H in/new" "H in/x" "S out/n" "S out/x" && git -C r switch -q -f main &&
	printf "%s\n" 0 1 >r/in/x && git -C r switch -q -m other && git -C r ls-files -t out >actual && printf "%s\n" "S out/n" "S out/x" >expect && test_cmp expect actual && test_path_is_missing r/out && test_grep "^<<<<<<< other" r/in/x
'

test_expect_success 'without patterns, a file that is marked and gone comes with the commit that changes it' '
	fresh "/*" && git -C r config core.sparseCheckout false && git -C r update-index --skip-worktree out/x && rm r/out/x && git -C r switch -q other && test "$(cat r/out/x)" = 2 && git -C r ls-files -t out/x >out && echo "S out/x" >expect && test_cmp expect out
'

test_done
