#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git refs: verify of refs in files, and its messages; exists; fsck --references'
. "$(dirname "$0")/test-lib.sh"

Z=$ZERO_OID

test_expect_success 'setup' '
	git init -q -b main any && test_commit -C any one &&
	git init -q -b main --ref-format=files repo &&
	test_commit -C repo one &&
	H=$(git -C repo rev-parse HEAD) &&
	cp -R repo clean &&
	heads=repo/.git/refs/heads
'

# finds LINE...: what verify says, in order, and the exit code for it.
finds () {
	local code=0
	printf "%s\n" "$@" >expect &&
	! grep -q "^error" expect || code=255
	test_expect_code $code git -C repo refs verify 2>err >out &&
	test_must_be_empty out &&
	test_cmp expect err &&
	rm -rf repo && cp -R clean repo
}

test_expect_success 'no findings' '
	git -C repo refs verify 2>err &&
	test_must_be_empty err &&
	git -C repo update-ref refs/heads/a/b/c HEAD &&
	git -C repo symbolic-ref refs/heads/s refs/heads/main &&
	git -C repo symbolic-ref refs/heads/dangling refs/heads/nope &&
	: >$heads/locked.lock &&
	git -C repo refs verify --strict 2>err &&
	test_must_be_empty err &&
	rm -rf repo && cp -R clean repo
'

test_expect_success 'badRefName' '
	mkdir $heads/.hidden "$heads/a b" &&
	for name in .hidden/x "a b/x" x.. @{ .x.lock
	do
		echo $H >"$heads/$name" || return 1
	done &&
	echo $H >"$heads/fine" &&
	finds "error: refs/heads/.hidden/x: badRefName: invalid refname format" \
		"error: refs/heads/.x.lock: badRefName: invalid refname format" \
		"error: refs/heads/@{: badRefName: invalid refname format" \
		"error: refs/heads/a b/x: badRefName: invalid refname format" \
		"error: refs/heads/x..: badRefName: invalid refname format"
'

test_expect_success 'badRefContent' '
	: >$heads/empty &&
	echo xyz >$heads/text &&
	echo ${H}x >$heads/longer &&
	echo "${H%?}" >$heads/shorter &&
	printf "%s\0more\n" $H >$heads/nul &&
	head -c 100000 /dev/zero | tr "\0" "a" >$heads/huge &&
	finds "error: refs/heads/empty: badRefContent: " \
		"error: refs/heads/huge: badRefContent: longer than any ref" \
		"error: refs/heads/longer: badRefContent: ${H}x" \
		"error: refs/heads/nul: badRefContent: $H" \
		"error: refs/heads/shorter: badRefContent: ${H%?}" \
		"error: refs/heads/text: badRefContent: xyz"
'

test_expect_success 'refMissingNewline, trailingRefContent, badRefOid' '
	printf $H >$heads/a &&
	echo "$H garbage" >$heads/b &&
	printf "%s\n\n" $H >$heads/c &&
	echo $Z >$heads/d &&
	finds "warning: refs/heads/a: refMissingNewline: misses LF at the end" \
		"warning: refs/heads/b: trailingRefContent: has trailing garbage: '\'' garbage" \
		"'\''" \
		"warning: refs/heads/c: trailingRefContent: has trailing garbage: '\''" \
		"" "'\''" \
		"error: refs/heads/d: badRefOid: points to invalid object ID '\''$Z'\''"
'

test_expect_success 'symbolic refs' '
	printf "ref: refs/heads/main" >$heads/a &&
	printf "ref: refs/heads/main \n" >$heads/b &&
	printf "ref: refs/heads/main\n\n" >$heads/c &&
	printf "ref: refs/heads/.main\n" >$heads/d &&
	printf "ref: nowhere\n" >$heads/e &&
	printf "ref: HEAD\n" >$heads/f &&
	printf "ref: logs/x\n" >$heads/g &&
	printf "ref: \n" >$heads/h &&
	finds "warning: refs/heads/a: refMissingNewline: misses LF at the end" \
		"warning: refs/heads/b: trailingRefContent: has trailing whitespaces or newlines" \
		"warning: refs/heads/c: trailingRefContent: has trailing whitespaces or newlines" \
		"error: refs/heads/d: badReferentName: points to invalid refname '\''refs/heads/.main'\''" \
		"error: refs/heads/e: badReferentName: points to invalid refname '\''nowhere'\''" \
		"warning: refs/heads/g: symrefTargetIsNotARef: points to non-ref target '\''logs/x'\''" \
		"warning: refs/heads/h: refMissingNewline: misses LF at the end" \
		"error: refs/heads/h: badReferentName: points to invalid refname '\'''\''"
'

test_expect_success SYMLINKS 'symbolic links' '
	ln -s ./main $heads/a &&
	ln -s ../../config $heads/b &&
	finds "warning: refs/heads/a: symlinkRef: use deprecated symbolic link for symref" \
		"warning: refs/heads/b: symlinkRef: use deprecated symbolic link for symref" \
		"error: refs/heads/b: badReferentName: points to invalid refname '\''config'\''"
'

test_expect_success 'badRefFiletype' '
	mkfifo $heads/fifo &&
	finds "error: refs/heads/fifo: badRefFiletype: unexpected file type"
'

test_expect_success 'HEAD and other refs beside refs/; other files there' '
	echo "ref: refs/tags/one" >repo/.git/HEAD &&
	echo bad >repo/.git/ORIG_HEAD &&
	echo "not a ref" >repo/.git/FETCH_HEAD &&
	echo "not a ref" >repo/.git/COMMIT_EDITMSG &&
	finds "error: HEAD: badHeadTarget: HEAD points to non-branch '\''refs/tags/one'\''" \
		"error: ORIG_HEAD: badRefContent: bad"
'

packed () {
	cat >repo/.git/packed-refs
}

test_expect_success 'packed-refs: no findings' '
	git -C repo pack-refs --all &&
	git -C repo refs verify 2>err &&
	test_must_be_empty err &&
	rm -rf repo && cp -R clean repo
'

test_expect_success 'packed-refs: header, entries' '
	packed <<-EOF &&
	# pack-refs wit: peeled
	$H refs/heads/b
	^$H
	^$H x
	^xyz
	$H
	${H}x refs/heads/c
	xyz refs/heads/d
	$H refs/heads/..e
	$Z refs/heads/f
	$H refs/heads/a
	EOF
	finds "error: packed-refs.header: badPackedRefHeader: '\''# pack-refs wit: peeled'\'' does not start with '\''# pack-refs with: '\''" \
		"error: packed-refs line 4: badPackedRefEntry: has trailing garbage after peeled oid '\'' x'\''" \
		"error: packed-refs line 5: badPackedRefEntry: '\''xyz'\'' has invalid peeled oid" \
		"error: packed-refs line 6: badPackedRefEntry: has no space after oid '\''$H'\'' but with '\'''\''" \
		"error: packed-refs line 7: badPackedRefEntry: has no space after oid '\''$H'\'' but with '\''x refs/heads/c'\''" \
		"error: packed-refs line 8: badPackedRefEntry: '\''xyz refs/heads/d'\'' has invalid oid" \
		"error: packed-refs line 9: badRefName: has bad refname '\''refs/heads/..e'\''" \
		"error: packed-refs line 10: badRefOid: '\''refs/heads/f'\'' points to invalid object ID '\''$Z'\''"
'

test_expect_success 'packed-refs: order' '
	packed <<-EOF &&
	# pack-refs with: peeled fully-peeled sorted 
	$H refs/heads/a
	$H refs/heads/c
	$H refs/heads/b
	EOF
	finds "error: packed-refs line 4: packedRefUnsorted: refname '\''refs/heads/b'\'' is less than previous refname '\''refs/heads/c'\''" &&
	packed <<-EOF &&
	# pack-refs with: sorted 
	$H refs/heads/ab
	$H refs/heads/a
	EOF
	finds "error: packed-refs line 3: packedRefUnsorted: refname '\''refs/heads/a'\'' is less than previous refname '\''refs/heads/ab'\''" &&
	packed <<-EOF &&
	# pack-refs with: sorted 
	$H refs/heads/a
	$H refs/heads/a
	EOF
	finds "error: packed-refs line 3: packedRefUnsorted: refname '\''refs/heads/a'\'' is less than previous refname '\''refs/heads/a'\''"
'

test_expect_success 'packed-refs: end, nothing, no file' '
	printf "$H refs/heads/a\n$H refs/heads/b" | packed &&
	finds "error: packed-refs line 2: packedRefEntryNotTerminated: '\''$H refs/heads/b'\'' is not terminated with a newline" &&
	packed </dev/null &&
	finds "warning: packed-refs: emptyPackedRefsFile: file is empty" &&
	ln -s nowhere repo/.git/packed-refs &&
	finds "error: packed-refs: badRefFiletype: not a regular file but a symlink" &&
	mkdir repo/.git/packed-refs &&
	finds "error: packed-refs: badRefFiletype: not a regular file"
'

test_expect_success 'fsck.<msg-id>' '
	printf $H >$heads/a &&
	echo xyz >$heads/b &&
	git -C repo -c fsck.badRefContent=ignore refs verify 2>err &&
	test_grep "^warning: refs/heads/a: refMissingNewline" err &&
	test_line_count = 1 err &&
	test_expect_code 255 git -C repo -c fsck.badRefContent=ignore \
		-c fsck.refMissingNewline=error refs verify 2>err &&
	test_grep "^error: refs/heads/a: refMissingNewline" err &&
	git -C repo -c fsck.badRefContent=warn refs verify &&
	: what is set to be a warning stays one &&
	git -C repo -c fsck.badRefContent=warn refs verify --strict &&
	test_expect_code 255 git -C repo refs verify --strict &&
	test_expect_code 128 git -C repo -c fsck.badRefContent=xyz refs verify
'

test_expect_success 'fsck checks refs too, except with --no-references' '
	rm $heads/b &&
	git -C repo fsck 2>err &&
	test_grep "^warning: refs/heads/a: refMissingNewline" err &&
	test_expect_code 8 git -C repo -c fsck.refMissingNewline=error fsck 2>err &&
	test_grep "^error: refs/heads/a: refMissingNewline" err &&
	git -C repo -c fsck.refMissingNewline=error fsck --no-references 2>err &&
	test_grep ! refMissingNewline err &&
	rm -rf repo && cp -R clean repo
'

test_expect_success '--verbose' '
	echo "$H refs/heads/p" | packed &&
	git -C repo refs verify --verbose 2>err && sed "s# [^ ]*/[.]git/# .git/#" err >actual &&
	cat >expect <<-\EOF &&
	Checking references consistency
	Checking refs/heads/main
	Checking HEAD
	Checking packed-refs file .git/packed-refs
	EOF
	test_cmp expect actual &&
	rm -rf repo && cp -R clean repo
'

test_expect_success STOCK_GIT 'worktrees, each once' '
	stock -C repo worktree add -q ../wt &&
	W=repo/.git/worktrees/wt &&
	mkdir -p $W/refs/bisect repo/.git/refs/bisect &&
	echo bad >$W/refs/bisect/x &&
	echo bad >repo/.git/refs/bisect/y &&
	echo bad >repo/.git/refs/heads/z &&
	echo bad >$W/HEAD &&
	test_expect_code 255 git -C repo refs verify 2>err &&
	cat >expect <<-\EOF &&
	error: refs/bisect/y: badRefContent: bad
	error: refs/heads/z: badRefContent: bad
	error: worktrees/wt/refs/bisect/x: badRefContent: bad
	error: worktrees/wt/HEAD: badRefContent: bad
	EOF
	test_cmp expect err &&
	echo "ref: refs/heads/wt" >$W/HEAD &&
	test_expect_code 255 git -C wt refs verify 2>err &&
	cat >expect <<-\EOF &&
	error: refs/bisect/x: badRefContent: bad
	error: refs/heads/z: badRefContent: bad
	error: main-worktree/refs/bisect/y: badRefContent: bad
	EOF
	test_cmp expect err &&
	rm -rf repo && cp -R clean repo
'

test_expect_success 'exists' '
	git -C any refs exists refs/heads/main &&
	git -C any refs exists HEAD &&
	test_expect_code 2 git -C any refs exists refs/heads/nope 2>err &&
	test_grep "reference does not exist" err &&
	test_expect_code 2 git -C any refs exists main &&
	test_expect_code 128 git -C any refs exists
'

test_expect_success 'list and optimize are for-each-ref and pack-refs' '
	git -C any for-each-ref --format="%(refname)" refs/heads/ >expect &&
	git -C any refs list --format="%(refname)" refs/heads/ >out &&
	test_file_not_empty out &&
	test_cmp expect out && git -C any refs optimize --all --no-prune && git -C any refs list --format="%(refname)" refs/heads/ >out &&
	test_cmp expect out &&
	git -C repo refs optimize --all --no-prune &&
	test_grep " refs/heads/main$" repo/.git/packed-refs &&
	test_path_is_file repo/.git/refs/heads/main
'

test_expect_success 'wrong usage' '
	test_expect_code 129 git -C repo refs &&
	test_expect_code 129 git -C repo refs bogus
'

test_done
