#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='GIT_REFERENCE_BACKEND and extensions.refStorage=FORMAT://DIR'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

test_expect_success 'setup' '
	git init -q -b main --ref-format=files repo && test_commit -C repo one && mkdir tables files && oid=$(git -C repo rev-parse HEAD)
'

for format in files reftable; do
	test_expect_success "$format: the environment chooses another place" '
		GIT_REFERENCE_BACKEND=$format://$PWD/there-$format && export GIT_REFERENCE_BACKEND && mkdir there-$format &&
		git -C repo for-each-ref >out && test_must_be_empty out && git -C repo symbolic-ref HEAD refs/heads/other &&
		git -C repo update-ref refs/heads/other $oid && git -C repo rev-parse HEAD refs/heads/other && git -C repo pack-refs --all &&
		git -C repo reflog exists refs/heads/other && git -C repo fsck && git clone -q repo clone-$format && git -C clone-$format rev-parse --show-ref-format &&
		unset GIT_REFERENCE_BACKEND && test_must_fail git -C repo rev-parse -q --verify refs/heads/other && git -C repo symbolic-ref HEAD >out &&
		echo refs/heads/main >expect && test_cmp expect out
	'

	test_expect_success "$format: the configuration does, from the repository on if the path is relative" '
		rm -rf copy && cp -R repo copy && mkdir copy/.git/refs-of-it && git -C copy config core.repositoryFormatVersion 1 &&
		git -C copy config extensions.refStorage $format://refs-of-it && git -C copy symbolic-ref HEAD refs/heads/x &&
		git -C copy update-ref refs/heads/x $oid && (cd copy/.git/refs && test_path_is_missing heads/x) &&
		if test $format = files; then test_path_is_file copy/.git/refs-of-it/refs/heads/x; else test_path_is_file copy/.git/refs-of-it/reftable/tables.list; fi &&
		git -C copy rev-parse --show-ref-format >out && echo $format >expect && test_cmp expect out &&
		test_expect_code 255 git -C copy refs migrate --ref-format=$(test $format = files && echo reftable || echo files) 2>err && test_grep "cannot be migrated" err &&
		git ls-remote copy >out && test_grep refs/heads/x out
	'
done

test_expect_success 'unknown formats' '
	for value in foo foo://x ""; do
		test_expect_code 128 env GIT_REFERENCE_BACKEND="$value" git -C repo for-each-ref 2>err &&
		echo "fatal: unknown ref storage format: ${SQ}$value$SQ" >expect && test_cmp expect err || return 1
	done &&
	GIT_REFERENCE_BACKEND=files:// git -C repo rev-parse refs/heads/main
'

test_expect_success 'a linked worktree has its own refs there' '
	rm -rf copy && cp -R repo copy && git -C copy config core.repositoryFormatVersion 1 && mkdir -p place/worktrees/w copy/.git/worktrees/w wt &&
	git -C copy config extensions.refStorage reftable://$PWD/place && git -C copy update-ref refs/heads/x $oid && echo ../.. >copy/.git/worktrees/w/commondir &&
	echo "$PWD/wt/.git" >copy/.git/worktrees/w/gitdir && echo "ref: refs/heads/.invalid" >copy/.git/worktrees/w/HEAD &&
	echo "gitdir: $PWD/copy/.git/worktrees/w" >wt/.git && git -C wt symbolic-ref HEAD refs/heads/x && test_path_is_file place/worktrees/w/reftable/tables.list &&
	git -C wt rev-parse HEAD && git -C copy rev-parse worktrees/w/HEAD
'

test_done
