#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='submodule, --recurse-submodules and sparse-checkout, where there is nothing for them to do'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository without submodules, and one with' '
	git init -q -b main plain &&
	test_commit -C plain one &&
	test_commit -C plain two &&
	git -C plain branch other &&
	mkdir plain/d && echo x >plain/d/x &&
	git -C plain add d && git -C plain commit -q -m three &&
	git init -q --bare to.git &&
	git clone -q plain with &&
	git -C with update-index --add --cacheinfo 160000,$(git -C plain rev-parse HEAD),sub &&
	printf "[submodule \"sub\"]\n\tpath = sub\n\turl = ../plain\n" >with/.gitmodules &&
	git -C with add .gitmodules &&
	git -C with commit -q -m sub &&
	mkdir with/sub
'

# silent DIR ARGS: exit code 0, and not a word
silent () {
	dir=$1 && shift &&
	git -C $dir "$@" >out 2>err &&
	test_must_be_empty out && test_must_be_empty err
}

test_expect_success 'submodule has nothing to do' '
	for c in "" -q status "status --recursive one.t" "--quiet status" --cached init "update --init --recursive" \
		"update --init --recursive --depth 1 --jobs=4 -j2 --force --remote --no-fetch --filter=blob:none" \
		"foreach --recursive false" "foreach -q echo x" "sync --recursive" "deinit --all" "deinit -f ." \
		summary "summary HEAD" absorbgitdirs "update -- one.t"
	do
		silent plain submodule $c || return 1
	done &&
	silent plain/d submodule update --init x
'

test_expect_success 'submodule refuses wrong options and unknown paths' '
	for c in "update --bogus" bogus "init --all" "update --depth" "status --init" "-- status" --recursive
	do
		test_expect_code 1 git -C plain submodule $c 2>err && test_grep "^usage: git submodule" err || return 1
	done &&
	for c in status init update sync "deinit -f" absorbgitdirs
	do
		test_expect_code 1 git -C plain submodule $c nope 2>err &&
		test_grep "pathspec .nope. did not match any" err || return 1
	done &&
	test_expect_code 1 git -C plain/d submodule status one.t &&
	test_expect_code 128 git -C plain submodule deinit &&
	test_expect_code 128 git -C plain submodule set-url one.t x 2>err &&
	test_grep "no submodule mapping found in .gitmodules for path .one.t" err &&
	test_expect_code 128 git -C to.git submodule status &&
	test_expect_code 128 git -C plain submodule add ../to.git new 2>err &&
	test_grep "not available here yet" err
'

test_expect_success 'with a submodule, or a .gitmodules alone, it is not there' '
	git init -q only && >only/.gitmodules &&
	for c in status "update --init" "foreach true" sync
	do
		test_expect_code 128 git -C with submodule $c 2>err && test_grep "not available here yet" err &&
		test_expect_code 128 git -C only submodule $c 2>err && test_grep "not available here yet" err || return 1
	done &&
	mv with/.gitmodules aside &&
	test_expect_code 128 git -C with rm -q --cached .gitmodules sub/x &&
	git -C with rm -q --cached .gitmodules &&
	test_expect_code 128 git -C with submodule status &&
	git -C with reset -q --hard
'

test_expect_success 'GIT_FALLBACK gets it then, in the directory where it was called' '
	mkdir with/deep &&
	write_script fallback <<-\EOF &&
	echo "$PWD $* dir=$GIT_DIR prefix=$GIT_PREFIX"
	EOF
	GIT_FALLBACK=$PWD/fallback git -C with/deep submodule update --init >out &&
	echo "$PWD/with/deep submodule update --init dir= prefix=" >expect &&
	test_cmp expect out &&
	GIT_FALLBACK=$PWD/fallback git -C plain submodule update --init >out &&
	test_must_be_empty out &&
	GIT_FALLBACK=$PWD/fallback git -C plain sparse-checkout set d >out &&
	test_grep "sparse-checkout set d" out
'

test_expect_success 'clone --recurse-submodules of what has none' '
	git clone -q --recurse-submodules plain c1 &&
	test "$(git -C c1 config submodule.active)" = . &&
	git clone -q --recursive --shallow-submodules --remote-submodules -j4 --depth 1 "file://$PWD/plain" c2 &&
	git clone -q --recurse-submodules=a --recurse-submodules=b plain c3 &&
	git -C c3 config --get-all submodule.active >out && printf "a\nb\n" >expect && test_cmp expect out &&
	git clone -q --recurse-submodules --bare with c4.git &&
	git clone -q --recurse-submodules -n with c5 &&
	test_expect_code 128 git clone -q --also-filter-submodules plain no 2>err && test_grep "requires .--filter" err &&
	test_expect_code 128 git clone -q --recurse-submodules with c6 2>err &&
	test_grep "recurse-submodules is not available yet" err && test_path_is_file c6/one.t
'

test_expect_success '--recurse-submodules of what writes files' '
	for c in "checkout" "switch" "reset --hard HEAD" "read-tree -m -u other" "restore --source=other ." "checkout -b b1" "checkout other -- ."
	do
		case "$c" in
		re*|*--*.) set -- ${c%% *} --recurse-submodules ${c#* } ;;
		*) set -- $c --recurse-submodules other ;;
		esac &&
		git -C plain "$@" && git -C plain checkout -q -f main || return 1
	done &&
	git -C plain checkout -q --recurse-submodules=yes main &&
	git -C plain -c submodule.recurse=true checkout -q main &&
	test_expect_code 128 git -C plain checkout --recurse-submodules=bogus main 2>err &&
	test_grep "bad recurse-submodules argument: bogus" err &&
	git -C plain ls-files --recurse-submodules >out && test_line_count = 3 out
'

test_expect_success 'commands refuse where a submodule is present, also in the commit to check out' '
	git -C with branch old HEAD^ &&
	for c in "checkout old" "switch old" "reset --hard" "read-tree -m -u HEAD" "restore ." ls-files
	do
		set -- $c && cmd=$1 && shift &&
		test_expect_code 128 git -C with $cmd --recurse-submodules "$@" 2>err &&
		test_grep "recurse-submodules is not available yet" err || return 1
	done &&
	git -C with checkout -q old && rm -f with/.gitmodules &&
	for c in "checkout main" "switch main" "reset --hard main" "read-tree -m -u main"
	do
		set -- $c && cmd=$1 && shift &&
		test_expect_code 128 git -C with $cmd --recurse-submodules "$@" 2>err &&
		test_grep "recurse-submodules is not available yet" err || return 1
	done &&
	git -C with checkout -q main
'

test_expect_success 'fetch, push, branch' '
	for v in "" =yes =no =on-demand -default=yes
	do
		git -C c1 fetch -q --recurse-submodules$v origin || return 1
	done &&
	git -C c1 -c submodule.recurse=true fetch -q &&
	test_expect_code 128 git -C c1 fetch --recurse-submodules=bogus &&
	test_expect_code 128 git -C with fetch --recurse-submodules 2>err && test_grep "not available yet" err &&
	git -C plain push -q --recurse-submodules=on-demand ../to.git main &&
	git -C plain -c push.recurseSubmodules=on-demand push -q ../to.git main:m2 &&
	git -C plain push --recurse-submodules=only ../to.git main:m3 2>err && test_grep "Everything up-to-date" err &&
	test_must_fail git -C to.git rev-parse -q --verify m3 &&
	test_expect_code 128 git -C plain push --recurse-submodules=yes ../to.git main &&
	test_expect_code 128 git -C with push --recurse-submodules=on-demand ../to.git main:m4 2>err &&
	test_grep "not available yet" err &&
	git -C plain -c submodule.propagateBranches=true branch --recurse-submodules b2 other &&
	test_expect_code 128 git -C with -c submodule.propagateBranches=true branch --recurse-submodules b2
'

test_expect_success 'sparse-checkout where nothing is sparse' '
	silent plain sparse-checkout disable &&
	silent plain/d sparse-checkout disable &&
	for c in list reapply "add d" "set d" init
	do
		test_expect_code 128 git -C plain sparse-checkout $c || return 1
	done &&
	test_expect_code 128 git -C plain sparse-checkout list 2>err &&
	test_grep "fatal: this worktree is not sparse" err &&
	test_expect_code 129 git -C plain sparse-checkout &&
	test_expect_code 129 git -C plain sparse-checkout bogus &&
	git clone -q --sparse plain sparse &&
	test_expect_code 128 git -C sparse sparse-checkout disable 2>err && test_grep "not available here yet" err &&
	git -C sparse config --worktree core.sparseCheckout false &&
	test_expect_code 128 git -C sparse sparse-checkout disable
'

test_done
