#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='cherry-pick: one commit, several as one operation, stops, and how a sequence goes on or is given up'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

# side: conflict (in f), g (adds g), h (adds h), d (a line at the end of f)
test_expect_success 'set up' '
	git init -q -b trunk r && cd r && lines a b c d e >f && git add . && git commit -qm base && git branch side &&
	lines a B c d e >f && git commit -qam ours && git branch start && git checkout -q side &&
	lines a X c d e >f && test_tick && git commit -qam conflict && git tag conflict &&
	echo g >g && git add . && test_tick && git commit -qm "add g" && git tag g &&
	echo h >h && git add . && test_tick && git commit -qm "add h" && git tag h &&
	lines a X c d e f >f && test_tick && git commit -qam "line f" && git tag d && git checkout -q trunk && cd ..
'

back() {
	git -C r cherry-pick --quit && git -C r reset -q --hard start && git -C r clean -fdq
}

state() {
	{
		(cd r/.git && ls -d *_HEAD MERGE_MSG AUTO_MERGE sequencer 2>/dev/null)
		git -C r for-each-ref --include-root-refs --format="%(refname)" | grep -e "^[A-Z_]*_HEAD$" -e "^AUTO_MERGE$"
	} | sort -u | grep -v -e ORIG_HEAD; true
}

test_expect_success 'one commit: change, message, author and date are kept' '
	git -C r cherry-pick g >out && test_grep "^\[trunk [0-9a-f]*\] add g$" out && test_grep "create mode 100644 g" out &&
	git -C r log -1 --format="%an %ae %ad %B" tags/g >expect && git -C r log -1 --format="%an %ae %ad %B" >actual &&
	test_cmp expect actual && git -C r diff --quiet HEAD && test "$(git -C r rev-parse HEAD^)" = "$(git -C r rev-parse start)" &&
	test "$(git -C r log -g -1 --format=%gs)" = "cherry-pick: add g" && state >out && test_must_be_empty out && back
'

test_expect_success 'a conflict stops: state, stages, hints' '
	test_expect_code 1 git -C r cherry-pick conflict >out 2>err && test_grep "CONFLICT (content): Merge conflict in f" out &&
	test_grep "^error: could not apply [0-9a-f]*\.\.\. conflict$" err && test_grep "hint: run \"git cherry-pick --abort\"" err &&
	lines AUTO_MERGE CHERRY_PICK_HEAD MERGE_MSG >expect && state >actual && test_cmp expect actual &&
	test "$(ref_value r CHERRY_PICK_HEAD)" = "$(git -C r rev-parse conflict)" &&
	lines conflict "" "# Conflicts:" "#	f" >expect && test_cmp expect r/.git/MERGE_MSG &&
	test_grep "^>>>>>>> [0-9a-f]* (conflict)$" r/f && test 3 = $(git -C r ls-files -u | wc -l) &&
	test_expect_code 128 git -C r cherry-pick g 2>err && test_grep "Cherry-picking is not possible because you have unmerged" err
'

test_expect_success '--abort, --skip and --continue of one pick' '
	git -C r cherry-pick --abort && git -C r diff --quiet HEAD && state >out && test_must_be_empty out &&
	test_expect_code 1 git -C r cherry-pick conflict && git -C r cherry-pick --skip && git -C r diff --quiet HEAD &&
	state >out && test_must_be_empty out && test_expect_code 1 git -C r cherry-pick conflict && lines a BX c d e >r/f &&
	git -C r add f && git -C r cherry-pick --continue </dev/null && test "$(git -C r log -1 --format=%s)" = conflict &&
	test "$(git -C r log -1 --format=%ad)" = "$(git -C r log -1 --format=%ad conflict)" && state >out && test_must_be_empty out &&
	test "$(git -C r log -g -1 --format=%gs)" = "commit (cherry-pick): conflict" && back
'

test_expect_success 'several: one line of the log each, no state at the end' '
	git -C r cherry-pick conflict..side >out && test 3 = $(grep -c "^\[trunk" out) &&
	lines "line f" "add h" "add g" ours >expect && git -C r log -4 --format=%s >actual && test_cmp expect actual &&
	lines "cherry-pick: line f" "cherry-pick: add h" "cherry-pick: add g" >expect &&
	for log in HEAD trunk; do git -C r log -g -3 --format=%gs $log >actual && test_cmp expect actual || return 1; done &&
	git -C r log -g -4 --format=%H trunk >actual && git -C r log -4 --format=%H >expect && test_cmp expect actual &&
	git -C r diff --quiet HEAD && git -C r fsck && state >out && test_must_be_empty out && back
'

test_expect_success 'a stop among several: earlier picks stay, later ones are listed' '
	test_expect_code 1 git -C r cherry-pick -x g conflict h && test "$(git -C r log -1 --format=%s)" = "add g" &&
	test "$(git -C r rev-parse start)" = "$(cat r/.git/sequencer/head)" &&
	test "$(git -C r rev-parse HEAD)" = "$(cat r/.git/sequencer/abort-safety)" &&
	lines "[options]" "	record-origin = true" >expect && test_cmp expect r/.git/sequencer/opts &&
	lines "pick $(git -C r rev-parse --short conflict) conflict" "pick $(git -C r rev-parse --short tags/h) add h" >expect &&
	test_cmp expect r/.git/sequencer/todo && git -C r status >out && test_grep "You are currently cherry-picking commit" out &&
	lines a BX c d e >r/f && git -C r add f && git -C r cherry-pick --continue </dev/null &&
	lines "add h" conflict "add g" >expect && git -C r log -3 --format=%s >actual && test_cmp expect actual &&
	git -C r log -1 --format=%B >out && test_grep "(cherry picked from commit $(git -C r rev-parse tags/h))" out &&
	state >out && test_must_be_empty out && back
'

test_expect_success '--skip and --abort among several' '
	test_expect_code 1 git -C r cherry-pick g conflict h && git -C r cherry-pick --skip &&
	lines "add h" "add g" ours >expect && git -C r log -3 --format=%s >actual && test_cmp expect actual &&
	back && test_expect_code 1 git -C r cherry-pick g conflict h && git -C r cherry-pick --abort &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" && test_path_is_missing r/g && state >out && test_must_be_empty out &&
	test_expect_code 1 git -C r cherry-pick g conflict h && git -C r reset -q --hard HEAD^ && git -C r cherry-pick --abort 2>err &&
	test_grep "^warning: You seem to have moved HEAD. Not rewinding, check your HEAD!$" err && back
'

test_expect_success 'the last one is committed, or given up by reset: the list goes, too' '
	test_expect_code 1 git -C r cherry-pick g conflict && git -C r commit -qam resolved && state >out && test_must_be_empty out &&
	back && test_expect_code 1 git -C r cherry-pick g conflict && git -C r reset -q --hard && state >out && test_must_be_empty out &&
	back && test_expect_code 1 git -C r cherry-pick conflict g && git -C r commit -qam resolved && state >out &&
	test_grep sequencer out && back
'

test_expect_success 'a second sequence, and another command, are refused' '
	test_expect_code 1 git -C r cherry-pick conflict g && git -C r commit -qam resolved &&
	test_expect_code 128 git -C r cherry-pick h d 2>err && test_grep "^error: cherry-pick is already in progress$" err &&
	test_expect_code 128 git -C r revert --continue 2>err && test_grep "^error: cannot revert during a cherry-pick.$" err &&
	git -C r cherry-pick h && git -C r cherry-pick --abort && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" &&
	back
'

test_expect_success 'a file in the way: the picks before it stay' '
	echo mine >r/h && test_expect_code 128 git -C r cherry-pick g h d 2>err && test_grep "would be overwritten by merge" err &&
	test "$(git -C r log -1 --format=%s)" = "add g" && echo mine >expect && test_cmp expect r/h &&
	lines "pick $(git -C r rev-parse --short tags/h) add h" "pick $(git -C r rev-parse --short d) line f" >expect &&
	test_cmp expect r/.git/sequencer/todo && git -C r diff --quiet HEAD && back &&
	echo mine >r/g && test_expect_code 128 git -C r cherry-pick g && state >out && test_must_be_empty out && rm r/g &&
	echo x >>r/f && git -C r add f && test_expect_code 128 git -C r cherry-pick g 2>err &&
	test_grep "^error: your local changes would be overwritten by cherry-pick.$" err && back
'

test_expect_success 'empty commits: stop, drop, keep' '
	git -C r cherry-pick g && git -C r branch -f with-g && test_expect_code 1 git -C r cherry-pick g >err 2>&1 &&
	test "$(sed -n "/^On branch/=; /^The previous/=" err | head -n 1)" = "$(sed -n "/^On branch/=" err)" &&
	test_grep "^The previous cherry-pick is now empty" err && git -C r cherry-pick --skip &&
	git -C r cherry-pick --empty=drop g h 2>err && test_grep "^dropping $(git -C r rev-parse tags/g) add g -- patch contents" err &&
	test "$(git -C r rev-parse HEAD^)" = "$(git -C r rev-parse with-g)" &&
	git -C r cherry-pick --empty=keep g && test "$(git -C r rev-parse HEAD^{tree})" = "$(git -C r rev-parse HEAD^^{tree})" &&
	git -C r commit -q --allow-empty -m void && git -C r tag void && test_expect_code 1 git -C r cherry-pick void &&
	git -C r cherry-pick --skip && test_expect_code 1 git -C r cherry-pick --empty=drop void && git -C r cherry-pick --skip && git -C r cherry-pick --allow-empty void && test "$(git -C r log -1 --format=%s)" = void && back
'

test_expect_success '-n: index and files alone, on top of staged changes' '
	echo s >r/s && git -C r add s && git -C r cherry-pick -n g h && lines f g h s >expect && git -C r ls-files >actual &&
	test_cmp expect actual && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" &&
	lines MERGE_MSG >expect && state | grep -v AUTO >actual && test_cmp expect actual && back
'

test_expect_success '-n: a file in the way keeps the picks before it' '
	echo mine >r/h && test_expect_code 128 git -C r cherry-pick -n g h d 2>err && test_grep "would be overwritten by merge" err &&
	echo mine >expect && test_cmp expect r/h && git -C r diff --cached --name-only >actual && echo g >expect && test_cmp expect actual &&
	echo "add g" >expect && test_cmp expect r/.git/MERGE_MSG && git -C r rev-parse --short tags/h >expect &&
	cut -d" " -f2 r/.git/sequencer/todo | head -n 1 >actual && test_cmp expect actual &&
	rm r/h && test_expect_code 128 git -C r cherry-pick --continue 2>err && test_grep "would be overwritten by cherry-pick" err &&
	git -C r cherry-pick --quit && back
'

test_expect_success '--continue that is refused for a staged change loses no command' '
	test_expect_code 1 git -C r cherry-pick conflict g h && git -C r checkout -q --theirs . && git -C r add -A &&
	git -C r commit -q --no-edit && cp r/.git/sequencer/todo expect && echo x >r/new && git -C r add new &&
	test_expect_code 128 git -C r cherry-pick --continue 2>err && test_grep "would be overwritten by cherry-pick" err &&
	test_cmp expect r/.git/sequencer/todo && git -C r rm -q -f new && git -C r cherry-pick --continue &&
	lines "add h" "add g" >expect && git -C r log -2 --format=%s >actual && test_cmp expect actual && back
'

test_expect_success 'commit says that the pick became empty' '
	test_expect_code 1 git -C r cherry-pick conflict && git -C r checkout -q --ours . && git -C r add -A &&
	test_expect_code 1 git -C r commit --no-edit 2>err && test_grep "^The previous cherry-pick is now empty" err &&
	test_grep "^Otherwise, please use .git cherry-pick --skip.$" err && back
'

test_expect_success '--ff, -s, -, a root on an unborn branch' '
	git -C r checkout -q conflict && git -C r cherry-pick --ff g h && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse tags/h)" &&
	git -C r checkout -q trunk && git -C r cherry-pick -s g && git -C r log -1 --format=%B >out && test_grep "^Signed-off-by: " out &&
	back && git -C r checkout -q side && git -C r checkout -q trunk && git -C r cherry-pick - &&
	test "$(git -C r log -1 --format=%s)" = "line f" && back && git -C r checkout -q --orphan new && git -C r rm -rfq . &&
	git -C r cherry-pick g && test 1 = $(git -C r rev-list --count HEAD) && git -C r checkout -q trunk
'

test_expect_success 'wrong arguments' '
	test_expect_code 129 git -C r cherry-pick && test_expect_code 129 git -C r cherry-pick --nosuch g &&
	test_expect_code 129 git -C r cherry-pick --continue g && test_expect_code 128 git -C r cherry-pick nosuch 2>err &&
	test_grep "^fatal: bad revision .nosuch.$" err && test_expect_code 128 git -C r cherry-pick trunk..trunk 2>err &&
	test_grep "^error: empty commit set passed$" err && test_expect_code 128 git -C r cherry-pick --continue 2>err &&
	test_grep "^error: no cherry-pick or revert in progress$" err && test_expect_code 128 git -C r cherry-pick --ff -x g 2>err &&
	test_grep "^fatal: cherry-pick: -x cannot be used with --ff$" err && test_expect_code 128 git -C r cherry-pick -m 2 g 2>err &&
	test_grep "does not have parent 2" err && test_expect_code 128 git -C r cherry-pick --abort -n
'

test_expect_success 'a list that is damaged is refused, and stays' '
	test_expect_code 1 git -C r cherry-pick conflict g && git -C r add f && lines "pick nosuch x" foo >r/.git/sequencer/todo &&
	cp r/.git/sequencer/todo todo && test_expect_code 128 git -C r cherry-pick --continue 2>err &&
	test_grep "^error: could not parse .nosuch.$" err && test_grep "^error: invalid line 2: foo$" err &&
	test_grep "^error: unusable instruction sheet: " err && test_cmp todo r/.git/sequencer/todo && back
'

test_expect_success 'hooks see each pick, an editor changes its message' '
	write_script r/.git/hooks/prepare-commit-msg <<-\EOF &&
	echo "from the hook $2" >>"$1"
	EOF
	git -C r cherry-pick g h && lines "add h" "from the hook message" "" >expect && git -C r log -1 --format=%B >actual &&
	test_cmp expect actual && test "$(git -C r log -2 --format=%ad | tail -1)" = "$(git -C r log -1 --format=%ad tags/g)" &&
	rm r/.git/hooks/prepare-commit-msg && back &&
	GIT_EDITOR="echo edited >" git -C r cherry-pick -e g h && lines edited edited ours >expect &&
	git -C r log -3 --format=%s >actual && test_cmp expect actual && state >out && test_must_be_empty out && back
'

test_done
