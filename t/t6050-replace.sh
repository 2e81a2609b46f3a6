#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='objects that replace others (refs/replace/), compared with stock git'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq PEER; then
	skip_all='no stock git to compare with'
	test_done
fi

# The same output and exit code from both, in the same repository.
same () {
	local code=0 theirs=0
	stock -C repo "$@" >expect 2>expect.err || theirs=$?
	git -C repo "$@" >out 2>err || code=$?
	test $code = $theirs && test_cmp expect out && test_cmp expect.err err
}

test_expect_success 'set up' '
	stock init -q -b main repo && (
		cd repo &&
		for i in 1 2 3 4; do
			echo $i >f && stock add f && stock commit -q -m c$i || exit
		done &&
		stock tag -a -m words tag HEAD~1 &&
		stock replace --graft HEAD~1 HEAD~3 &&
		stock replace $(stock rev-parse HEAD:f) $(echo other | stock hash-object -w --stdin)
	)
'

for where in loose packed; do
	test_expect_success "the replacement is read: $where" '
		same log --oneline && same log -p -1 && same log --stat && same log --format=%H.%P%d --all &&
		same cat-file -p HEAD:f && same cat-file -s HEAD:f && same cat-file -p HEAD~1 &&
		same cat-file --batch-check --batch-all-objects && same ls-tree -l HEAD &&
		same rev-parse HEAD~2 HEAD~1^{tree} :f tag^{} && same status -s && same show-ref -d &&
		same branch --contains HEAD~2 && same for-each-ref --format="%(refname) %(parent) %(subject)" &&
		git -C repo log --oneline >out && ! grep " c2" out && git -C repo cat-file -p HEAD:f >out &&
		grep other out
	'

	test_expect_success "decorations: $where" '
		same log --decorate --oneline && grep "replaced" out && same log --decorate=full --oneline --all &&
		same log --clear-decorations --decorate --oneline --all &&
		same log --decorate-refs="refs/tags/*" --decorate --oneline &&
		same log --decorate-refs="refs/replace/*" --decorate --oneline &&
		same log --decorate-refs-exclude="refs/replace/*" --decorate --oneline
	'

	test_expect_success "not if it is switched off: $where" '
		same --no-replace-objects log --oneline --decorate && grep c2 out &&
		same -c core.useReplaceRefs=false log --oneline && grep c2 out &&
		(GIT_NO_REPLACE_OBJECTS=1 && export GIT_NO_REPLACE_OBJECTS && same cat-file -p HEAD:f) &&
		(GIT_REPLACE_REF_BASE=refs/none && export GIT_REPLACE_REF_BASE && same log --oneline) &&
		same fsck --strict
	'
	stock -C repo pack-refs --all
done

test_expect_success 'new objects are not replaced' '
	cp -r repo ours && cp -r repo theirs &&
	for side in ours theirs; do
		(cd $side && test $side = ours || git () { stock "$@"; } && test_tick &&
		echo 4 >f && git add f && echo 5 >g && git add g && git commit -q --date=@1700000000 -m new &&
		git commit -q --amend --date=@1700000001 -m amended) || return 1
	done &&
	stock -C ours cat-file -p HEAD >out && stock -C theirs cat-file -p HEAD >expect &&
	test_cmp expect out && stock -C ours fsck --strict
'

test_expect_success 'a replacement of a replacement, a circle, one that is missing' '
	new=$(echo third | stock -C repo hash-object -w --stdin) &&
	stock -C repo replace $(echo other | stock -C repo hash-object --stdin) $new &&
	same cat-file -p HEAD:f && grep third out &&
	stock -C repo update-ref refs/replace/$new $(stock -C repo rev-parse HEAD:f) &&
	test_must_fail git -C repo cat-file -p HEAD:f 2>err &&
	test_grep "replace depth too high for object" err &&
	lost_ref repo refs/replace/$new && test_must_fail git -C repo cat-file -p HEAD:f &&
	stock -C repo update-ref -d refs/replace/$new && same cat-file -p HEAD:f
'

test_expect_success 'names that are not object names are ignored' '
	if test_have_prereq REFFILES; then
		mkdir -p repo/.git/refs/replace/x && echo words >repo/.git/refs/replace/x/y
	else
		git -C repo update-ref refs/replace/x/y HEAD
	fi && git -C repo update-ref refs/replace/zzz $(stock -C repo rev-parse HEAD) &&
	git -C repo log --oneline >out && test_line_count = 3 out
'

test_done
