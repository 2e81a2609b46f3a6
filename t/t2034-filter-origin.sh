#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='filter processes get the origin of the blob (ref, treeish, blob), as in Git 2.55'
. "$(dirname "$0")/test-lib.sh"

git config --global init.defaultBranch main
LOG=$TRASH_DIRECTORY/log
git config --global filter.f.process "perl '$TEST_DIRECTORY/delay-filter.pl' --no-delay '$LOG'"

# main has three commits and the branch br the second one, which the tags t1 (annotated) and light name too
test_expect_success 'set up' '
	git init -q proto && cd proto && echo "*.r filter=f" >.gitattributes && git add . && git commit -q -m zero &&
	for n in 1 2 3
	do
		echo $n >a.r && git add . && git commit -q -m $n || return 1
	done &&
	git branch br HEAD~1 && git tag -a -m t t1 br && git tag light br && git update-ref refs/remotes/origin/rb br &&
	M=$(git rev-parse main) && B=$(git rev-parse br) && O=$(git rev-parse br~1) && T=$(git rev-parse br^{tree})
'

# told EXPECTED GIT-COMMAND...: in a new copy, after $before; the requests for a.r, short
told () {
	local expect="$1"
	shift
	cd "$TRASH_DIRECTORY" && rm -rf r && cp -R proto r && cd r && eval "$before" && rm -f "$LOG" &&
	git update-index -q --refresh
	"$@" >"$TRASH_DIRECTORY/out" 2>&1 || { cat "$TRASH_DIRECTORY/out"; return 1; }
	grep "^smudge a.r" "$LOG" | sed -e "s/^smudge a.r [0-9]*//;s/blob=[0-9a-f]*/blob/;s/$M/main/;s/$B/br/;s/$O/old/;s/$T/tree/" >"$TRASH_DIRECTORY/actual"
	echo " $expect" | sed "s/^ $//" >"$TRASH_DIRECTORY/expect"
	test_cmp "$TRASH_DIRECTORY/expect" "$TRASH_DIRECTORY/actual" || { echo "$*"; return 1; }
}

test_expect_success PERL 'checkout and switch: the ref, if it is one, and the commit' '
	before= &&
	told "ref=refs/heads/br treeish=br blob" git checkout br &&
	told "ref=refs/heads/br treeish=br blob" git switch -d br &&
	told "ref=refs/heads/br treeish=br blob" git checkout -b n heads/br &&
	told "ref=refs/tags/t1 treeish=br blob" git checkout t1 &&
	told "ref=refs/tags/light treeish=br blob" git switch --detach light &&
	told "ref=refs/remotes/origin/rb treeish=br blob" git checkout origin/rb &&
	told "treeish=br blob" git checkout HEAD~1 &&
	told "treeish=br blob" git checkout br~0 &&
	before="echo 5 >other && git add other" && told "ref=refs/heads/br treeish=br blob" git checkout -m br &&
	before="rm a.r" &&
	told "treeish=main blob" git checkout -f &&
	told "ref=refs/heads/main treeish=main blob" git checkout -f HEAD &&
	before="git checkout -q HEAD~1" && told "ref=refs/heads/main treeish=main blob" git checkout - &&
	before="git checkout -q HEAD~1 && rm a.r" && told "ref=HEAD treeish=br blob" git checkout -f HEAD
'

test_expect_success PERL 'paths: the tree-ish, and nothing for the index' '
	before="rm a.r" &&
	told "blob" git checkout -- a.r &&
	told "blob" git restore a.r &&
	told "blob" git checkout-index -a &&
	told "ref=refs/heads/main treeish=main blob" git checkout HEAD -- a.r &&
	told "ref=refs/heads/br treeish=br blob" git restore -s br a.r &&
	told "treeish=old blob" git checkout br~1 a.r &&
	told "treeish=br blob" git restore -s HEAD~1 -S -W a.r &&
	told "treeish=tree blob" git checkout br^{tree} -- a.r &&
	told "treeish=tree blob" git restore -s br^{tree} a.r
'

test_expect_success PERL 'reset, read-tree, cat-file' '
	before="rm a.r" &&
	told "ref=refs/heads/main treeish=main blob" git reset --hard &&
	told "ref=refs/heads/br treeish=br blob" git reset --hard br &&
	told "ref=refs/tags/t1 treeish=br blob" git reset --hard t1 &&
	told "treeish=br blob" git reset --hard HEAD~1 &&
	told "blob" git read-tree -u --reset br &&
	told "blob" git cat-file --filters HEAD:a.r &&
	before= && told "ref=refs/heads/br treeish=br blob" git reset --merge br &&
	told "ref=refs/heads/br treeish=br blob" git reset --keep br &&
	before="git checkout -q HEAD~1 && rm a.r" && told "treeish=br blob" git reset --hard
'

test_expect_success PERL 'archive' '
	before= &&
	told "ref=refs/heads/main treeish=main blob" git archive HEAD &&
	told "ref=refs/tags/t1 treeish=br blob" git archive t1 &&
	told "treeish=br blob" git archive HEAD~1 &&
	told "treeish=tree blob" git archive br: &&
	before="git checkout -q HEAD~1" && told "ref=HEAD treeish=br blob" git archive HEAD
'

test_expect_success PERL 'clone: the branch of HEAD, but no tag' '
	before= &&
	told "ref=refs/heads/main treeish=main blob" git clone . c &&
	told "ref=refs/heads/br treeish=br blob" git clone -b br . c &&
	told "treeish=br blob" git clone -b t1 . c &&
	told "treeish=br blob" git clone --revision=refs/heads/br . c
'

test_expect_success PERL 'a delayed file: the same twice, and can-delay comes last' '
	rm -rf r "$LOG" && git init -q r && cd r && echo "* filter=f" >.gitattributes && echo 1 >b.d1 &&
	git -c filter.f.clean=cat -c filter.f.process= add b.d1 && git commit -q -m one && B=$(git rev-parse HEAD) &&
	git config filter.f.process "perl \"$TEST_DIRECTORY/delay-filter.pl\" \"$LOG\"" && rm -f b.d1 "$LOG" &&
	git checkout -q -f main && grep "^smudge b" "$LOG" | sed "s/$B/one/;s/blob=[0-9a-f]*/blob/" >actual &&
	printf "smudge b.d1 2 %s\nsmudge b.d1 0 %s\n" "ref=refs/heads/main treeish=one blob can-delay=1" \
		"ref=refs/heads/main treeish=one blob" >expect && test_cmp expect actual
'

test_done
