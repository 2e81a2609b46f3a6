#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='counts of flushes of commands that join histories, of stash, worktree, notes, replace and bisect

One for the result, and one before it where local changes are put aside first. The table of
Documentation/Durability has the same numbers.'
. "$(dirname "$0")/test-lib.sh"

unset GIT_TEST_FSYNC GIT_TEST_FSYNC_METHOD GIT_TEST_FS_KIND
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM

test_have_prereq STRACE || {
	skip_all='strace is missing or not allowed to trace'
	test_done
}

# A journalling file system: a new one if we may mount it, else the current directory,
# which is treated as one.
if test_have_prereq LOOPMNT && mount_loop journal 300M >/dev/null 2>&1; then
	:
else
	mkdir journal
	GIT_TEST_FS_KIND=journal
	export GIT_TEST_FS_KIND
fi

# fresh [N]: journal/repo, with main, which is N commits (1) ahead of base; side, and a local change of g
fresh () {
	rm -rf journal/repo && git init -q -b main journal/repo && (
		cd journal/repo && git config maintenance.auto false && echo f >f && echo g >g && git add . && git commit -qm base && git tag base &&
		git checkout -q -b side && echo s >s && git add s && git commit -qm side && git checkout -q main &&
		for i in $(test_seq ${1:-1})
		do
			echo $i >n$i && git add n$i && git commit -qm "commit $i" || return 1
		done
	) && echo local >>journal/repo/g
}

# costs N COMMAND...: git COMMAND in journal/repo flushes N times
costs () {
	want=$1 && shift && have=$(count_flushes git -C journal/repo "$@") && echo "$*: $have" && test "$have" = "$want"
}

# clean [N]: the same repository without the local change
clean () {
	fresh "$@" && git -C journal/repo checkout -q g
}

test_expect_success 'merge: one flush, for a commit, a fast-forward, a squash, conflicts' '
	clean && costs 1 merge -q side && clean && git -C journal/repo checkout -q base && costs 1 merge -q side &&
	clean && costs 1 merge -q --squash side && clean && costs 1 merge -q --no-commit side && costs 1 commit -qm merged &&
	clean && echo other >journal/repo/s && git -C journal/repo add s && git -C journal/repo commit -qm other &&
	n=$(count_flushes sh -c "git -C journal/repo merge -q side || test -f journal/repo/.git/MERGE_HEAD") && test "$n" = 1
'

test_expect_success 'apply: one flush with an index, none without' '
	clean && git -C journal/repo diff --binary base side >patch && git -C journal/repo checkout -q base && costs 1 apply --index "$PWD/patch" && costs 1 apply --index -R "$PWD/patch" &&
	costs 1 apply --cached "$PWD/patch" && git -C journal/repo reset -q && costs 0 apply "$PWD/patch" && rm journal/repo/s && costs 1 apply --3way "$PWD/patch" && costs 0 apply --check -R "$PWD/patch" &&
	git -C journal/repo reset -q --hard && costs 1 apply -N "$PWD/patch"
'

test_expect_success 'merge --autostash: two flushes' '
	fresh && costs 2 merge -q --autostash side && test_grep local journal/repo/g && ref_missing journal/repo MERGE_AUTOSTASH &&
	fresh && git -C journal/repo stash -q && git -C journal/repo checkout -q base && git -C journal/repo stash pop -q && costs 2 merge -q --autostash side && test_grep local journal/repo/g &&
	clean && costs 1 merge -q --autostash side && costs 0 merge -q --autostash side
'

test_expect_success 'merge --autostash: two flushes with hooks, and with conflicts' '
	fresh && for hook in commit-msg post-merge; do write_script journal/repo/.git/hooks/$hook <<-\EOS || return 1; done && costs 2 merge -q --autostash side && test_grep local journal/repo/g &&
	:
	EOS
	fresh && echo other >journal/repo/s && git -C journal/repo add s && git -C journal/repo commit -qm other -- s &&
	n=$(count_flushes sh -c "git -C journal/repo merge -q --autostash side || git -C journal/repo show-ref --exists MERGE_AUTOSTASH") && test "$n" = 2
'

# stopped: a merge of side has conflicts, and an autostash waits
stopped () {
	fresh && echo other >journal/repo/s && git -C journal/repo add s && git -C journal/repo commit -qm other -- s &&
	test_expect_code 1 git -C journal/repo merge -q --autostash side && ! test_grep local journal/repo/g
}

test_expect_success 'the end of a merge with an autostash: one flush' '
	stopped && git -C journal/repo add s && costs 1 commit -q --no-edit && test_grep local journal/repo/g &&
	ref_missing journal/repo MERGE_AUTOSTASH && test 2 = $(git -C journal/repo log -1 --format=%P | wc -w) &&
	stopped && costs 1 merge --abort && test_grep local journal/repo/g && test_path_is_missing journal/repo/.git/MERGE_HEAD &&
	ref_missing journal/repo MERGE_AUTOSTASH && git -C journal/repo diff --quiet HEAD -- s
'

test_expect_success 'pull: one flush more for the fetch' '
	clean && costs 2 pull -q --no-rebase . side && fresh && costs 3 pull -q --no-rebase --autostash . side && test_grep local journal/repo/g &&
	clean && costs 2 pull -q --rebase . side && fresh && costs 3 pull -q --rebase --autostash . side && test_grep local journal/repo/g
'

test_expect_success 'rebase: as many flushes for 100 commits as for 10' '
	clean 10 && costs 1 rebase -q side && clean 100 && costs 1 rebase -q side && test 101 = "$(git -C journal/repo rev-list --count base..)"
'

test_expect_success 'rebase --apply: the same' '
	clean 10 && costs 1 rebase -q --apply side && clean 100 && costs 1 rebase -q --apply side && test 101 = "$(git -C journal/repo rev-list --count base..)" &&
	fresh 10 && costs 2 rebase -q --apply --autostash side && test_grep local journal/repo/g && test_path_is_missing journal/repo/.git/rebase-apply
'

test_expect_success 'rebase --autostash: two flushes' '
	fresh 10 && costs 2 rebase -q --autostash side && test_grep local journal/repo/g && test_path_is_missing journal/repo/.git/rebase-merge &&
	clean && costs 1 rebase -q --autostash side && costs 0 rebase -q --autostash side
'

test_expect_success 'rebase: commands of exec, an edited list and new roots need no flush of their own' '
	clean 3 && costs 1 rebase -q -x true side && ls -a journal/repo/.git >files && test_grep ! owner files &&
	clean 3 && GIT_SEQUENCE_EDITOR=: costs 1 rebase -q -i side && fresh 3 && GIT_SEQUENCE_EDITOR=: costs 2 rebase -q -i -x true --autostash side &&
	test_grep local journal/repo/g && clean 3 && costs 1 rebase -q --root
'

test_expect_success 'a rebase that gives up seals the local changes when they are back' '
	fresh && have=$(count_flushes sh -c "GIT_SEQUENCE_EDITOR=false git -C journal/repo rebase -q -i --autostash side || :") && test "$have" = 2 && test_grep local journal/repo/g &&
	test_path_is_missing journal/repo/.git/rebase-merge && fresh && echo u >journal/repo/s &&
	have=$(count_flushes sh -c "git -C journal/repo rebase -q --autostash side || :") && test "$have" = 2 && test_grep local journal/repo/g &&
	have=$(count_flushes sh -c "git -C journal/repo rebase -q --apply --autostash side || :") && test "$have" = 2 && test_grep local journal/repo/g
'

test_expect_success 'replay and history: one flush, for several commits and refs' '
	clean 20 && git -C journal/repo branch half main~10 && costs 1 replay --contained --onto side base..main && costs 1 replay --advance side base..main~18 &&
	(GIT_COMMITTER_DATE="1700000000 +0000" && export GIT_COMMITTER_DATE && costs 1 replay --ref-action=print --onto side~1 base..main) && clean 20 && git -C journal/repo branch half main~10 && GIT_EDITOR="echo new >" && export GIT_EDITOR &&
	costs 1 history reword main~12 && echo more >>journal/repo/g && git -C journal/repo add g && costs 1 history fixup --dry-run main~12 && costs 1 history fixup main~11 &&
	echo a >journal/repo/a && echo b >journal/repo/b && git -C journal/repo add a b && git -C journal/repo commit -qm ab && printf "y\nn\n" >answers &&
	n=$(count_flushes sh -c "git -C journal/repo history split HEAD <answers") && test "$n" = 1
'

test_expect_success 'cherry-pick and revert: one flush' '
	clean 20 && costs 1 cherry-pick side && costs 1 revert --no-edit HEAD && git -C journal/repo checkout -q side && costs 1 cherry-pick base..main~2
'

test_expect_success 'am: one flush, for 10 patches and for 100, to the end and to a stop' '
	fresh 100 && git -C journal/repo checkout -q g && git -C journal/repo format-patch -q --stdout base >box && git -C journal/repo format-patch -q --stdout base..main~90 >few &&
	clean && git -C journal/repo checkout -q base && costs 1 am -q "$PWD/few" && git -C journal/repo checkout -q base && costs 1 am -q "$PWD/box" && test_path_is_file journal/repo/n100 &&
	git -C journal/repo checkout -q base && echo other >journal/repo/n7 && git -C journal/repo add n7 && git -C journal/repo commit -qm other &&
	n=$(count_flushes sh -c "git -C journal/repo am -q \"$PWD/box\" || test -f journal/repo/.git/rebase-apply/next") && test "$n" = 1 && test_path_is_file journal/repo/n6 &&
	costs 1 am -q --skip && test_path_is_file journal/repo/n100
'

test_expect_success 'stash push: two flushes; apply, pop, drop, clear, create, store, import, export: one' '
	fresh && costs 1 stash create && costs 2 stash push -q && costs 1 stash apply -q && git -C journal/repo checkout -q g && costs 1 stash pop -q && costs 2 stash push -q &&
	costs 1 stash export --to-ref refs/stashes && costs 1 stash clear && costs 1 stash import refs/stashes && costs 1 stash drop -q &&
	c=$(git -C journal/repo rev-parse refs/stashes^2) && costs 1 stash store $c
'

test_expect_success 'stash branch: two flushes, for the branch and for the changes' '
	fresh && git -C journal/repo stash -q && costs 2 stash branch new && test_grep local journal/repo/g && test -z "$(git -C journal/repo stash list)"
'

test_expect_success 'worktree: one flush for a new one with its branch, index and files, and for each change' '
	clean && costs 1 worktree add -q ../w && costs 1 worktree lock w && costs 1 worktree unlock w && costs 1 worktree move w ../x && costs 0 worktree repair &&
	costs 1 worktree remove x && costs 1 worktree add -q --lock -d ../y && rm -rf journal/y && costs 0 worktree prune && costs 1 worktree unlock journal/y && costs 1 worktree prune
'

test_expect_success 'notes and replace: one flush' '
	clean 4 && costs 1 notes add -m a && costs 1 notes append -m b && costs 1 notes --ref=x add -m x && costs 1 notes copy HEAD HEAD~1 &&
	git -C journal/repo rev-list HEAD >lines && sed "s/^/HEAD /" lines >pairs && n=$(count_flushes git -C journal/repo notes copy -f --stdin <pairs) && test "$n" = 1 &&
	costs 1 notes merge -q -s union x && costs 1 notes remove HEAD HEAD~1 && costs 0 notes list && costs 1 replace HEAD HEAD~1 && costs 1 replace -d HEAD
'

test_expect_success 'bisect: one flush for each step' '
	clean 9 && costs 1 bisect start && costs 1 bisect bad && costs 1 bisect good base && costs 1 bisect good && costs 1 bisect skip && costs 1 bisect bad &&
	costs 0 bisect log && costs 1 bisect reset && costs 1 bisect start main base && costs 2 bisect start main~1 base && costs 1 bisect reset
'

# keys KEYS N CMD...: the answers are lines
keys () {
	answers=$1 && want=$2 && shift 2 && have=$(printf "$answers" | count_flushes git -C journal/repo "$@") && echo "$*: $have" && test "$have" = "$want"
}

test_expect_success 'chosen hunks: as many flushes as without a choice' '
	fresh && keys "y\n" 1 add -p && keys "y\n" 1 reset -p && keys "n\n" 0 add -p && keys "y\n" 1 commit -qpm chosen && keys "y\n" 1 checkout -p base g &&
	echo more >>journal/repo/f && keys "y\n" 0 checkout -p -- f && echo more >>journal/repo/f && keys "y\ny\n" 1 stash push -qp
'

test_expect_success 'fast-import: one flush at the end, and one for each checkpoint' '
	clean && who="committer C <c@x> 1700000000 +0000" && for i in $(test_seq 120)
	do
		printf "commit refs/heads/new\n%s\ndata 1\nx\nM 644 inline f\ndata 3\n%03d\n" "$who" $i || return 1
	done >stream && n=$(count_flushes git -C journal/repo fast-import --quiet <stream) && test "$n" = 1 && git -C journal/repo rev-parse -q --verify new &&
	{ sed "s|heads/new|heads/other|" stream && printf "checkpoint\n" && sed "s|heads/new|heads/third|" stream; } >two &&
	n=$(count_flushes git -C journal/repo fast-import --quiet <two) && test "$n" = 2 && git -C journal/repo rev-parse -q --verify third &&
	sed "s|heads/new|heads/edge|" stream >edge && n=$(count_flushes git -C journal/repo fast-import --quiet --export-pack-edges=.git/edges <edge) && test "$n" = 1 &&
	test_path_is_file journal/repo/.git/edges
'

test_expect_success 'fast-export: one flush for the file of marks' '
	n=$(count_flushes git -C journal/repo fast-export new --export-marks=.git/marks) && test "$n" = 1 && test_line_count = 120 journal/repo/.git/marks &&
	n=$(count_flushes git -C journal/repo fast-export new --import-marks=.git/marks --export-marks=.git/marks) && test "$n" = 0 &&
	n=$(count_flushes git -C journal/repo fast-export new) && test "$n" = 0
'

test_done
