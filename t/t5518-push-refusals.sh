#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='pushes of nothing, to mirrors and of broken refs; updateInstead with core.worktree'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

test_expect_success 'a repository' '
	git init -q c && (cd c && echo 1 >f && git add f && git commit -q -m one) &&
	branch=$(git -C c symbolic-ref --short HEAD)
'

test_expect_success 'a push of what the other side has as well is an error if it has nothing' '
	git init -q --bare empty &&
	for spec in : "refs/x/*:refs/x/*" --tags; do
		test_expect_code 1 git -C c push ../empty $spec 2>err &&
		test_grep "No refs in common and none specified" err && test_grep "failed to push" err || return 1
	done &&
	test_expect_code 1 git -C c push --porcelain ../empty : >out 2>err && test_must_be_empty out &&
	test_expect_code 128 git -C c send-pack ../empty 2>err && test_grep "No refs in common" err &&
	git -C c push -q ../empty HEAD && git -C c push ../empty : 2>err && test_grep "Everything up-to-date" err
'

test_expect_success 'without any remote a path needs an upstream, too' '
	test_expect_code 128 git -C c push ../empty 2>err && test_grep "has no upstream branch" err
'

test_expect_success 'no refspecs for a remote that is a mirror' '
	git -C c config remote.m.url ../mirror && git -C c config remote.m.mirror true && git init -q --bare mirror &&
	for args in "m $branch" "m :" "m tag x" "m --delete x" "--no-mirror m $branch"; do
		test_expect_code 128 git -C c push $args 2>err &&
		test_grep "mirror can.t be combined with refspecs" err || return 1
	done &&
	git -C c push -q m && git -C mirror rev-parse -q --verify $branch
'

test_expect_success 'a ref whose object is missing can be deleted' '
	lost_ref mirror refs/heads/broken && git -C c push ../mirror :broken 2>err && test_grep "deleted.*broken" err &&
	ref_missing mirror refs/heads/broken
'

test_expect_success 'the update hook sees deletions first' '
	git -C c push -q ../mirror HEAD:refs/heads/zz &&
	printf "#!/bin/sh\necho \$1 >>seen\n" >mirror/hooks/update && chmod +x mirror/hooks/update &&
	git -C c push -q ../mirror HEAD:refs/heads/aa :zz &&
	printf "refs/heads/zz\nrefs/heads/aa\n" >expect && test_cmp expect mirror/seen &&
	git -C c tag none $(echo none | git -C c commit-tree HEAD^{tree}) && git -C c push -q ../mirror HEAD:refs/heads/zz HEAD:refs/heads/yy && rm mirror/seen &&
	git -C c push -q ../mirror +none:refs/heads/yy HEAD:refs/heads/bb :zz :aa &&
	printf "refs/heads/%s\n" aa zz yy bb >expect && test_cmp expect mirror/seen
'

test_expect_success 'updateInstead writes where core.worktree says' '
	git clone -q c dst && git -C dst config receive.denyCurrentBranch updateInstead &&
	mkdir wt && cp c/f wt && git -C dst config core.worktree ../../wt &&
	echo 2 >c/f && git -C c commit -q -am two && git -C c push -q ../dst $branch &&
	echo 2 >expect && test_cmp expect wt/f && echo 1 >expect && test_cmp expect dst/f &&
	echo dirty >wt/f && echo 3 >c/f && git -C c commit -q -am three &&
	test_must_fail git -C c push ../dst $branch 2>err && test_grep "unstaged changes" err &&
	echo dirty >expect && test_cmp expect wt/f
'

# advises KEY LINES ARGUMENTS...: a push is refused with these hints, unless the key is false.
advises () {
	local key=$1
	printf "hint: %s\n" "$2" "See the ${SQ}Note about fast-forwards${SQ} in ${SQ}git push --help${SQ} for details." >expect &&
	shift 2 &&
	test_expect_code 1 git push "$@" 2>err && sed -n "/^hint/p" err >actual && test_cmp expect actual &&
	for off in $key pushUpdateRejected pushNonFastForward; do
		test_expect_code 1 git -c advice.$off=false push "$@" 2>err && test_grep ! "^hint" err || return 1
	done
}

test_expect_success 'hints of refused pushes lead to git pull' '
	SQ="'\''" N="
hint: " && git init -q --bare -b main up && git init -q -b main adv && cd adv && test_when_finished "cd .." &&
	git remote add up ../up && test_commit one && git push -q up main main:side && test_commit two && git push -q up main main:side &&
	git reset -q --hard HEAD^ && test_commit three &&
	advises pushNonFFCurrent "Updates were rejected because the tip of your current branch is behind${N}its remote counterpart. If you want to integrate the remote changes,${N}use ${SQ}git pull${SQ} before pushing again." up main &&
	advises pushNonFFMatching "Updates were rejected because a pushed branch tip is behind its remote${N}counterpart. If you want to integrate the remote changes, use ${SQ}git pull${SQ}${N}before pushing again." up main:side &&
	git -C ../up update-ref refs/heads/main $(git -C ../up commit-tree -m x main^{tree}) &&
	advises pushFetchFirst "Updates were rejected because the remote contains work that you do not${N}have locally. This is usually caused by another repository pushing to${N}the same ref. If you want to integrate the remote changes, use${N}${SQ}git pull${SQ} before pushing again." up main &&
	git fetch -q up &&
	advises pushRefNeedsUpdate "Updates were rejected because the tip of the remote-tracking branch has${N}been updated since the last checkout. If you want to integrate the${N}remote changes, use ${SQ}git pull${SQ} before pushing again." --force-with-lease --force-if-includes up main
'

test_expect_success '--atomic: the first refusal and its number' '
	cd adv && test_when_finished "cd .." &&
	test_expect_code 1 git push --atomic up main main:new 2>err && test_grep "^error: atomic push failed for ref refs/heads/main. status: 2" err &&
	test_expect_code 1 git send-pack --atomic ../up main main:new 2>err && test_grep "^error: atomic push failed for ref refs/heads/main. status: 2" err &&
	test_expect_code 1 git push --atomic --force-with-lease=main:HEAD up main 2>err && test_grep "status: 7" err &&
	test_expect_code 1 git push up main main:new 2>err && test_grep ! "atomic push" err
'

test_expect_success 'a destination that is not in full' '
	cd adv && test_when_finished "cd .." && tree=$(git rev-parse HEAD^{tree}) &&
	test_expect_code 1 git push up HEAD^0:foo $tree:bar 2>err &&
	test_grep "Neither worked, so we gave up. You must fully qualify the ref" err &&
	sed -n "/^hint/p" err >actual && cat >expect <<-EOF &&
	hint: The <src> part of the refspec is a commit object.
	hint: Did you mean to create a new branch by pushing to
	hint: ${SQ}HEAD^0:refs/heads/foo${SQ}?
	hint: The <src> part of the refspec is a tree object.
	hint: Did you mean to tag a new tree by pushing to
	hint: ${SQ}$tree:refs/tags/bar${SQ}?
	EOF
	test_cmp expect actual &&
	test_expect_code 1 git -c advice.pushUnqualifiedRefName=false push up HEAD^0:foo 2>err && test_grep ! "^hint" err &&
	test_expect_code 255 git send-pack ../up HEAD^0:foo 2>err && test_grep "^hint: Did you mean" err &&
	test_expect_code 1 git push up nosuch:x HEAD^0:foo 2>err && test_grep "src refspec nosuch does not match any" err && test_grep ! "full refname" err &&
	test_expect_code 128 git push up $(git rev-parse HEAD) 2>err && test_grep "^fatal: .* cannot be resolved to branch" err
'

test_expect_success 'an upstream of another name: how to choose for good' '
	cd adv && test_when_finished "cd .." && git branch -q --set-upstream-to=up/side &&
	test_expect_code 128 git push 2>err && test_grep "^To choose either option permanently, see push.default" err && test_grep "see option .simple. of branch.autoSetupMerge" err &&
	test_expect_code 128 git -c push.default=simple push 2>err && test_grep ! "either option permanently" err && test_grep "see option .simple." err &&
	test_expect_code 128 git -c branch.autoSetupMerge=simple push 2>err && test_grep "either option permanently" err && test_grep ! "see option .simple." err
'

test_expect_success 'several remotes, none of which is the default: no upstream is needed' '
	git init -q -b main several && cd several && test_when_finished "cd .." && test_commit one &&
	for i in 1 2 3; do git init -q --bare -b main ../s$i && git remote add s$i ../s$i || return 1; done &&
	git push s1 2>err && test_grep "main -> main" err && git push ../s2 2>err && test_grep "main -> main" err
'

test_expect_success 'a group of remotes' '
	cd several && test_when_finished "cd .." && git config remotes.g "s1 s2" && git config --add remotes.g "sub" && git config remotes.sub "s3 g" &&
	git push g main:a >out && printf "Pushing to %s\n" s1 s2 s3 >expect && test_cmp expect out &&
	for i in 1 2 3; do git -C ../s$i rev-parse -q --verify a || return 1; done &&
	git push -q --repo=g >out && test_must_be_empty out && git push -q --set-upstream g main && test "$(git config branch.main.remote)" = s3 &&
	git push --delete g a >out && test_cmp expect out && for i in 1 2 3; do test_must_fail git -C ../s$i rev-parse -q --verify a || return 1; done &&
	test_expect_code 128 git push --atomic g main 2>err && test_grep "^fatal: --atomic can only be used when pushing to one remote" err &&
	git config remotes.s1 "s1 s2" && git push -q s1 main:b && git -C ../s2 rev-parse -q --verify b &&
	rm -rf ../s2 && test_expect_code 1 git push g main:c 2>err && test_grep "^error: could not push to s2" err && git -C ../s3 rev-parse -q --verify c
'

test_expect_success 'a source that is missing or ambiguous is reported before a connection is made' '
	git -C c branch both && git -C c tag both &&
	for spec in nosuch +nosuch:x HEAD~99:x both:y "$branch nosuch"; do
		test_expect_code 1 git -C c push ../nowhere $spec 2>err && test_grep "^error: src refspec" err &&
		test_grep "^error: failed to push some refs to .../nowhere.\$" err && test_grep ! "^fatal" err || return 1
	done &&
	for spec in $branch :nosuch "refs/no/*:refs/no/*" "^$branch" : HEAD~0:refs/x refs/heads/both; do
		test_expect_code 128 git -C c push ../nowhere $spec 2>err && test_grep "Could not read from remote" err || return 1
	done
'

test_expect_success 'a lease with a value that is no object is refused before a connection is made' '
	test_expect_code 129 git -C c push --force-with-lease=other:nosuch ../nowhere $branch 2>err &&
	echo "error: cannot parse expected object name ${SQ}nosuch${SQ}" >expect && test_cmp expect err
'

test_done
