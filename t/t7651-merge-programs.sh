#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git merge -s NAME: strategies that are programs'
. "$(dirname "$0")/test-lib.sh"

lines () {
	printf "%s\n" "$@"
}

mkdir bin
cat >bin/git-merge-foo <<'EOS'
#!/bin/sh
{ echo "$*"; env | grep -E "^(GITHEAD_|GIT_REFLOG_ACTION)" | sort; } >>"$LOG"
case $FOO in
clean)		git read-tree --reset -u $4 ;;
conflicts)	git read-tree -m -u $1 HEAD $4; exit 1 ;;
untidy)		echo untidy >f; echo new >new; git add f new; exit 2 ;;
*)		exit $FOO ;;
esac
EOS
chmod +x bin/git-merge-foo
LOG=$PWD/log PATH=$PWD/bin:$PATH
export LOG PATH FOO

git init -q -b main r && (
	cd r && lines 1 2 3 4 5 >f && echo g >g && git add . && git commit -qm base && git branch side && git branch clash &&
	lines 1 2 3 4 main >f && git commit -qam main && git checkout -q side && lines side 2 3 4 5 >f &&
	git commit -qam side && git checkout -q clash && lines 1 2 3 4 clash >f && git commit -qam clash &&
	git checkout -q main && git tag start
)

# merges CODE ARGS...: from the start; output to `out`, errors to `err`
merges () {
	code=$1 && shift && rm -f log && git -C r reset -q --hard start && { test -z "$dirty" || echo "$dirty" >r/g; } &&
	test_expect_code $code git -C r merge "$@" >out 2>err
}
dirty=

test_expect_success 'the program gets options, bases, HEAD and commits' '
	FOO=0 && merges 0 -s foo -Xa -Xb=1 side && id=$(git -C r rev-parse side) &&
	lines "--a --b=1 $(git -C r rev-parse start~) -- HEAD $id" "GITHEAD_$id=side" "GIT_REFLOG_ACTION=merge side" >expect &&
	test_cmp expect log && echo "Merge made by the '\''foo'\'' strategy." >expect && test_cmp expect out
'

test_expect_success 'several commits: what all of them come from' '
	FOO=2 && merges 2 -s foo clash side &&
	test_grep "^$(git -C r rev-parse start~) -- HEAD $(git -C r rev-parse clash) $(git -C r rev-parse side)$" log &&
	git -C r checkout -q --detach start && echo h >r/h && git -C r add h && git -C r commit -qm h && git -C r branch late &&
	git -C r checkout -q main && git -C r reset -q --hard start && echo k >r/k && git -C r add k && git -C r commit -qm k &&
	test_expect_code 2 git -C r merge -s foo late side && tail -n 4 log | test_grep "^$(git -C r rev-parse start~) -- HEAD" /dev/stdin
'

test_expect_success '0: what it leaves in the index is committed' '
	FOO=clean && merges 0 -s foo side && git -C r diff --quiet HEAD side && git -C r diff --quiet HEAD &&
	test "$(git -C r log -1 --format=%P)" = "$(git -C r rev-parse start side | tr "\n" " " | sed "s/ $//")" &&
	merges 0 -s foo --no-commit side && git -C r diff --cached --quiet side && test_path_is_file r/.git/MERGE_HEAD &&
	ref_missing r AUTO_MERGE && git -C r merge --abort &&
	git -C r config pull.twohead foo && merges 0 side && git -C r config --unset pull.twohead && test_grep "the .foo. strategy" out
'

test_expect_success '1: the merge stops' '
	FOO=conflicts && merges 1 -s foo clash && git -C r ls-files -u >u && test_line_count = 3 u &&
	echo "Automatic merge failed; fix conflicts and then commit the result." >expect && test_cmp expect out &&
	test_grep "^#	f$" r/.git/MERGE_MSG && git -C r merge --abort && git -C r diff --quiet start
'

test_expect_success '2: nothing has changed, whatever the program did' '
	FOO=untidy && dirty=mine && merges 2 -s foo side && echo "Merge with strategy foo failed." >expect && test_cmp expect err &&
	git -C r diff --cached --quiet start && echo mine >expect && test_cmp expect r/g && test_path_is_missing r/new &&
	echo " M g" >expect && git -C r status --porcelain >out && test_cmp expect out && dirty= &&
	FOO=99 && merges 2 -s foo side
'

test_expect_success 'several: one after the other, from the same files' '
	FOO=untidy && dirty=mine && merges 0 -s foo -s ort side &&
	lines "Trying merge strategy foo..." "Rewinding the tree to pristine..." "Trying merge strategy ort..." >expect &&
	head -n 3 out >got && test_cmp expect got && echo mine >expect && test_cmp expect r/g && git -C r diff --quiet HEAD -- f &&
	lines side 2 3 4 main >expect && test_cmp expect r/f && test_path_is_missing r/new && dirty= &&
	FOO=2 && merges 2 -s foo -s foo side && test_grep "^No merge strategy handled the merge.$" err
'

test_expect_success 'several: the one with the fewest conflicts stays' '
	FOO=2 && merges 1 -s ort -s foo clash && test_grep "^CONFLICT (content)" out &&
	test_grep "^Using the ort strategy to prepare resolving by hand.$" out && test_grep "^<<<<<<< HEAD$" r/f &&
	FOO=conflicts && merges 1 -s ort -s foo clash && ! test_grep "^Using" out && ! test_grep "^<<<<<<<" r/f &&
	git -C r ls-files -u >u && test_line_count = 3 u
'

test_expect_success 'nothing may be staged' '
	FOO=clean && merges 0 -s foo side && git -C r reset -q --hard start && echo staged >r/g && git -C r add g && rm -f log &&
	test_expect_code 2 git -C r merge -s foo side 2>err && test_grep "local changes to the following files" err &&
	test_path_is_missing log && git -C r reset -q --hard
'

test_expect_success 'strategies that do not exist' '
	merges 1 -s nope side &&
	lines "Could not find merge strategy '\''nope'\''." "Available strategies are: octopus ours recursive resolve subtree." >expect &&
	head -n 2 err >got && test_cmp expect got && test_grep "^Available custom strategies are: .*foo" err &&
	! test_grep "one-file" err && merges 1 -s file side && merges 1 -s ../merge-foo side
'

test_done
