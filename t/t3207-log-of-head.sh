#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='checkout -B, branch -m and the like write entries to the log of HEAD, as Git 2.55 does'
. "$(dirname "$0")/test-lib.sh"

SQ="'"

# start [OPTION-OF-INIT]: a repository with commits x and y, and no logs. W: a linked worktree on the branch w.
start () {
	rm -rf r w &&
	git init -q -b main $1 r && git -C r config core.logAllRefUpdates false && test_commit -C r --tag x x && test_commit -C r --tag y y &&
	X=$(git -C r rev-parse x) && Y=$(git -C r rev-parse y) &&
	git -C r tag -d x y >out && git -C r config --unset core.logAllRefUpdates && no_logs
}

add_worktree () {
	git -C r config core.logAllRefUpdates false && git -C r branch w && link_worktree r/.git w w w &&
	git -C r config --unset core.logAllRefUpdates && no_logs
}

# log_is DIR NAME: standard input has the whole log, as "OLD NEW MESSAGE"
log_is () {
	cat >expect && reflog_lines "$1" "$2" >log &&
	sed -e "s/$X/x/g;s/$Y/y/g;s/$ZERO_OID/0/g" -e "s/^\([^ ]* [^ ]*\) .*	/\1 /" log >actual &&
	test_cmp expect actual
}

no_log () {
	test_expect_code 1 git -C r reflog exists $1 && test_path_missing r/.git/logs/$1
}

no_logs () {
	reflog_lines r >log && test_must_be_empty log && test_path_missing r/.git/logs
}

test_expect_success '-B and -C of the current branch: the branch, then HEAD' '
	start &&
	git -C r checkout -q -B main &&
	git -C r switch -q -C main HEAD^ &&
	log_is r HEAD <<-\EOF &&
	y y branch: Reset to HEAD
	y y checkout: moving from main to main
	y x branch: Reset to HEAD^
	x x checkout: moving from main to main
	EOF
	log_is r refs/heads/main <<-\EOF &&
	y x branch: Reset to HEAD^
	EOF
	git -C r rev-parse --abbrev-ref @{-1} >out && echo main >expect && test_cmp expect out
'

test_expect_success '-B by way of a symbolic ref' '
	start && git -C r -c core.logAllRefUpdates=false symbolic-ref refs/heads/s refs/heads/main && no_logs &&
	git -C r checkout -q -B s HEAD^ &&
	log_is r HEAD <<-\EOF &&
	y x branch: Reset to HEAD^
	x x checkout: moving from main to s
	EOF
	test "$(ref_value r HEAD)" = "ref: refs/heads/s" &&
	git -C r checkout -q -B main $Y &&
	test "$(ref_value r HEAD)" = "ref: refs/heads/main" &&
	reflog_lines r HEAD >log && tail -n 1 log >out && test_grep "^$Y $Y .*	checkout: moving from main to main$" out
'

test_expect_success '-B: logs are switched off, always made, asked for' '
	start && git -C r config core.logAllRefUpdates false &&
	git -C r checkout -q -B main HEAD^ && no_logs &&
	git -C r checkout -q -l -B main $Y &&
	log_is r HEAD <<-\EOF &&
	x y branch: Reset to y
	y y checkout: moving from main to main
	EOF
	start && git -C r config core.logAllRefUpdates always && git -C r checkout -q -B main &&
	log_is r HEAD <<-\EOF
	y y branch: Reset to HEAD
	y y checkout: moving from main to main
	EOF
'

test_expect_success '-B of a branch without commits' '
	start && git -C r checkout -q --orphan o && git -C r checkout -q -B o main &&
	log_is r HEAD <<-\EOF &&
	0 y branch: Created from main
	y y checkout: moving from o to o
	EOF
	start && git -C r symbolic-ref HEAD refs/heads/o && git -C r checkout -B main 2>err &&
	echo "Switched to a new branch ${SQ}main${SQ}" >expect && test_cmp expect err &&
	log_is r HEAD <<-\EOF &&
	0 y checkout -b
	EOF
	git -C r checkout --orphan o 2>err && git -C r checkout --orphan o 2>err &&
	echo "Switched to a new branch ${SQ}o${SQ}" >expect && test_cmp expect err
'

test_expect_success 'branch -m: HEAD of the current worktree, and of others' '
	start && git -C r branch -m new &&
	log_is r HEAD <<-\EOF &&
	y 0 Branch: renamed refs/heads/main to refs/heads/new
	0 y Branch: renamed refs/heads/main to refs/heads/new
	EOF
	log_is r refs/heads/new <<-\EOF &&
	y y Branch: renamed refs/heads/main to refs/heads/new
	EOF
	start && add_worktree && git -C r branch -m w w2 && no_log HEAD &&
	log_is w HEAD <<-\EOF &&
	0 y Branch: renamed refs/heads/w to refs/heads/w2
	EOF
	git -C w branch -M main m2 &&
	log_is r HEAD <<-\EOF &&
	0 y Branch: renamed refs/heads/main to refs/heads/m2
	EOF
	git -C w branch -m w3 && reflog_lines w HEAD >log && tail -n 2 log >out && test_grep "^$Y $ZERO_OID .*w2 to refs/heads/w3$" out
'

test_expect_success 'branch -m: below the old name, to the same name, by a symbolic ref, switched off' '
	start && git -C r branch -m main/sub &&
	log_is r HEAD <<-\EOF &&
	y 0 Branch: renamed refs/heads/main to refs/heads/main/sub
	0 y Branch: renamed refs/heads/main to refs/heads/main/sub
	EOF
	start && add_worktree && git -C r branch -m main && git -C r branch -m w w &&
	log_is r HEAD <<-\EOF &&
	y 0 Branch: renamed refs/heads/main to refs/heads/main
	y y Branch: renamed refs/heads/main to refs/heads/main
	EOF
	log_is w HEAD <<-\EOF &&
	y y Branch: renamed refs/heads/w to refs/heads/w
	EOF
	start && git -C r -c core.logAllRefUpdates=false symbolic-ref refs/heads/s refs/heads/main &&
	git -C r -c core.logAllRefUpdates=false symbolic-ref HEAD refs/heads/s && no_logs && git -C r branch -m main new &&
	log_is r HEAD <<-\EOF &&
	0 y Branch: renamed refs/heads/main to refs/heads/new
	EOF
	start && git -C r config core.logAllRefUpdates false && git -C r branch -m new && no_logs
'

test_expect_success 'branch -c: HEAD only for a copy to the current branch itself' '
	start && git -C r branch -c copy && no_log HEAD && git -C r branch -C main main &&
	log_is r HEAD <<-\EOF
	y y Branch: copied refs/heads/main to refs/heads/main
	EOF
'

test_expect_success 'the null value in the log of HEAD: @{n}, log -g, expire, fsck' '
	start && git -C r branch -m new && git -C r checkout -q -B new HEAD^ &&
	git -C r log -g --format="%gd %gs" >out &&
	cat >expect <<-\EOF &&
	HEAD@{0} checkout: moving from new to new
	HEAD@{1} branch: Reset to HEAD^
	HEAD@{2} Branch: renamed refs/heads/main to refs/heads/new
	EOF
	test_cmp expect out &&
	git -C r rev-parse HEAD@{2} >out && echo $Y >expect && test_cmp expect out &&
	git -C r fsck >out 2>&1 && test_grep ! error out &&
	git -C r -c gc.reflogExpire=never -c gc.reflogExpireUnreachable=never gc -q --prune=now && git -C r cat-file -e $Y &&
	git -C r reflog expire --expire=all --all && git -C r reflog >out && test_must_be_empty out
'

test_expect_success 'an update of the current branch with --create-reflog makes the log of HEAD too' '
	start && git -C r config core.logAllRefUpdates false &&
	git -C r update-ref -m u --create-reflog refs/heads/main HEAD^ &&
	log_is r HEAD <<-\EOF &&
	y x u
	EOF
	log_is r refs/heads/main <<-\EOF
	y x u
	EOF
'

test_expect_success 'the log of ORIG_HEAD names the command' '
	start && git -C r config core.logAllRefUpdates always && git -C r reset -q --hard HEAD^ &&
	GIT_REFLOG_ACTION=act git -C r reset -q --hard $Y &&
	log_is r ORIG_HEAD <<-\EOF
	0 y reset: updating ORIG_HEAD
	y x act: updating ORIG_HEAD
	EOF
'

test_expect_success 'a rewritten entry without a message has a tab in a file' '
	start --ref-format=files && git -C r update-ref refs/heads/main HEAD^ && git -C r update-ref refs/heads/main $Y && git -C r update-ref -d refs/heads/x &&
	git -C r reflog delete main@{0} && tail -c 2 r/.git/logs/refs/heads/main >out && printf "\t\n" >expect && test_cmp expect out
'

test_done
