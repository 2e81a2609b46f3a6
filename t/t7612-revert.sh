#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='revert: messages, merges, several as one operation, stops'
. "$(dirname "$0")/test-lib.sh"

lines() {
	printf '%s\n' "$@"
}

test_expect_success 'set up' '
	git init -q -b trunk r && cd r && lines a b c d e >f && git add . && git commit -qm base &&
	echo one >one && git add . && git commit -qm one && git tag v1 && echo two >two && git add . && git commit -qm two && git tag v2 &&
	lines a B c d e >f && git commit -qam change && git tag v3 && lines a BB c d e >f && git commit -qam again && git branch start && cd ..
'

back() {
	git -C r revert --quit && git -C r reset -q --hard start && git -C r clean -fdq
}

state() {
	{
		(cd r/.git && ls -d *_HEAD MERGE_MSG AUTO_MERGE sequencer 2>/dev/null)
		git -C r for-each-ref --include-root-refs --format="%(refname)" | grep -e "^[A-Z_]*_HEAD$" -e "^AUTO_MERGE$"
	} | sort -u | grep -v -e ORIG_HEAD; true
}

test_expect_success 'one commit: the message names it, the author is the user' '
	GIT_AUTHOR_NAME=User git -C r revert --no-edit v1 >out && test_grep "^\[trunk [0-9a-f]*\] Revert \"one\"$" out &&
	lines "User Revert \"one\"" "" "This reverts commit $(git -C r rev-parse v1)." "" >expect &&
	git -C r log -1 --format="%an %B" >actual && test_cmp expect actual && test_path_is_missing r/one &&
	test "$(git -C r log -g -1 --format=%gs)" = "revert: Revert \"one\"" && state >out && test_must_be_empty out
'

test_expect_success 'a revert is reverted' '
	git -C r revert --no-edit HEAD && test "$(git -C r log -1 --format=%s)" = "Reapply \"one\"" && test_path_is_file r/one &&
	git -C r revert --no-edit HEAD && test "$(git -C r log -1 --format=%s)" = "Revert \"Reapply \"one\"\"" && back
'

test_expect_success '--reference, -s, revert.reference' '
	git -C r revert --reference --no-edit -s v1 && git -C r log -1 --format=%B >actual &&
	test_grep "^# \*\*\* SAY WHY WE ARE REVERTING ON THE TITLE LINE \*\*\*$" actual && test_grep "^Signed-off-by: " actual &&
	test_grep "^This reverts commit $(git -C r rev-parse --short v1) (one, [0-9-]*)\.$" actual && back &&
	test_config -C r revert.reference true && git -C r revert --no-edit v1 && git -C r log -1 --format=%s >actual &&
	test_grep "SAY WHY" actual && back
'

test_expect_success 'a merge needs its mainline' '
	git -C r checkout -q -b topic v1 && echo t >r/t && git -C r add t && git -C r commit -qm topic && git -C r checkout -q trunk &&
	git -C r merge -q --no-ff -m Merge topic && test_expect_code 128 git -C r revert HEAD 2>err &&
	test_grep "^error: commit $(git -C r rev-parse HEAD) is a merge but no -m option was given.$" err &&
	git -C r revert --no-edit -m 1 HEAD && git -C r diff --quiet start HEAD && git -C r log -1 --format=%B >actual &&
	lines "Revert \"Merge\"" "" "This reverts commit $(git -C r rev-parse HEAD^), reversing" \
		"changes made to $(git -C r rev-parse start)." "" >expect && test_cmp expect actual && back
'

test_expect_success 'a range goes from the youngest one on; its log has a line each' '
	git -C r revert --no-edit v1~1..v2 && lines "Revert \"one\"" "Revert \"two\"" again >expect &&
	git -C r log -3 --format=%s >actual && test_cmp expect actual && lines "revert: Revert \"one\"" "revert: Revert \"two\"" >expect &&
	git -C r log -g -2 --format=%gs trunk >actual && test_cmp expect actual && back
'

test_expect_success 'a stop, --skip, --continue, --abort' '
	test_expect_code 1 git -C r revert --no-edit v2 v3 v1 2>err && test_grep "^error: could not revert [0-9a-f]*\.\.\. change$" err &&
	lines AUTO_MERGE MERGE_MSG REVERT_HEAD sequencer >expect && state >actual && test_cmp expect actual &&
	git -C r status >out && test_grep "You are currently reverting commit" out && test_grep "^>>>>>>> parent of [0-9a-f]* (change)$" r/f &&
	git -C r revert --skip && test "$(git -C r log -1 --format=%s)" = "Revert \"one\"" && state >out && test_must_be_empty out && back &&
	test_expect_code 1 git -C r revert --no-edit v3 v1 && lines a b c d e >r/f && git -C r add f && git -C r revert --continue </dev/null &&
	lines "Revert \"one\"" "Revert \"change\"" >expect && git -C r log -2 --format=%s >actual && test_cmp expect actual && back &&
	test_expect_code 1 git -C r revert --no-edit v2 v3 && git -C r revert --abort && git -C r diff --quiet start &&
	test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)"
'

test_expect_success '-n: REVERT_HEAD and MERGE_MSG are those of the last one' '
	git -C r revert -n v2 v1 && git -C r rev-parse v1 >expect && ref_value r REVERT_HEAD >value && test_cmp expect value &&
	test "$(head -n 1 r/.git/MERGE_MSG)" = "Revert \"one\"" && test "$(git -C r rev-parse HEAD)" = "$(git -C r rev-parse start)" && back
'

test_expect_success 'nothing left to undo: exit code 1, no commit' '
	git -C r revert --no-edit v1 && head=$(git -C r rev-parse HEAD) && test_expect_code 1 git -C r revert --no-edit v1 >out &&
	test_grep "nothing to commit" out && test $head = $(git -C r rev-parse HEAD) && ref_missing r REVERT_HEAD && back
'

test_expect_success '-n; wrong arguments' '
	git -C r revert -n v1 v2 && git -C r ls-files >actual && echo f >expect && test_cmp expect actual && back &&
	test_expect_code 129 git -C r revert && test_expect_code 129 git -C r revert --ff v1 &&
	test_expect_code 128 git -C r revert nosuch && test_expect_code 128 git -C r revert --skip 2>err &&
	test_grep "^error: no revert in progress$" err && test_grep "^fatal: revert failed$" err
'

test_done
