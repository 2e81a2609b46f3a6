#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='GIT_TRACE_SETUP: which places were found; GIT_TRACE_PACKFILE'
. "$(dirname "$0")/test-lib.sh"

# traces GIT-DIR COMMON-DIR WORKTREE CWD PREFIX ARGUMENTS...
traces () {
	printf "%s\n" "git_dir: $1" "git_common_dir: $2" "worktree: $3" "cwd: $4" "prefix: $5" >expect &&
	shift 5 && rm -f setup && GIT_TRACE_SETUP=$PWD/setup git "$@" log -1 >/dev/null && sed "s/^.* setup: //" setup >actual &&
	test_cmp expect actual
}

test_expect_success 'repositories of all kinds' '
	H=$(pwd -P) N="(null)" && git init -q a && test_commit -C a one && mkdir a/d sub other && git clone -q --bare a b.git &&
	mv a/.git sep && echo "gitdir: ../sep" >a/.git && cp -R sep plain.git && mkdir p && mv plain.git p/.git && mkdir p/d &&
	cp -R p cw && git -C cw config core.worktree ../../other
'

test_expect_success 'the repository is found' '
	traces .git .git "$H/p" "$H/p" "$N" -C p && traces .git .git "$H/p" "$H/p" d/ -C p/d &&
	traces . . "$N" "$H/p/.git" "$N" -C p/.git && traces "$H/p/.git" "$H/p/.git" "$N" "$H/p/.git/refs" "$N" -C p/.git/refs &&
	traces . . "$N" "$H/b.git" "$N" -C b.git && traces "$H/sep" "$H/sep" "$H/a" "$H/a" d/ -C a/d &&
	traces .git .git "$H/other" "$H/cw" "$N" -C cw && traces . . "$H/other" "$H/cw/.git" "$N" -C cw/.git &&
	traces "$H/cw/.git" "$H/cw/.git" "$H/other" "$H/cw/d" "$N" -C cw/d
'

test_expect_success 'the repository is given' '
	traces p/.git p/.git "$H" "$H" "$N" --git-dir=p/.git && traces ../.git ../.git "$H/p/d" "$H/p/d" "$N" -C p/d --git-dir=../.git &&
	traces b.git b.git "$N" "$H" "$N" --git-dir=b.git && traces cw/.git cw/.git "$H/other" "$H" "$N" --git-dir=cw/.git &&
	traces p/.git p/.git "$H/p" "$H" "$N" --git-dir=p/.git --work-tree=p &&
	traces "$H/p/.git" "$H/p/.git" "$H/p" "$H/p" d/ -C p/d --git-dir=../.git --work-tree=.. &&
	traces . . "$H/other" "$H/b.git" "$N" -C b.git --work-tree=../other &&
	traces .git .git "$H/p/d" "$H/p" "$N" -C p --work-tree=d
'

test_expect_success 'commands that look for it in another way; that need a work tree; without a repository' '
	rm -f setup && GIT_TRACE_SETUP=$PWD/setup git -C p rev-parse HEAD && test_path_is_missing setup &&
	GIT_TRACE_SETUP=$PWD/setup git -C / ls-remote "$H/p" && test_path_is_missing setup &&
	GIT_TRACE_SETUP=$PWD/setup git -C p/d status && test_grep "setup: chdir from .$H/p. to .$H/p." setup && test_line_count = 6 setup
'

test_expect_success 'GIT_TRACE_PACKFILE: the pack that has come' '
	GIT_TRACE_PACKFILE=$PWD/got.pack git clone -q --no-local --bare p copy.git 2>err && test_must_be_empty err &&
	git index-pack --object-format=$TEST_HASH got.pack >id && test_cmp_bin got.pack copy.git/objects/pack/pack-$(cat id).pack
'

test_expect_success 'GIT_TEST_PROTOCOL_VERSION stands in for the default' '
	for v in 1 2; do
		rm -f packets && GIT_TEST_PROTOCOL_VERSION=$v GIT_TRACE_PACKET=$PWD/packets git ls-remote p && test_grep "< version $v" packets || return 1
	done && rm -f packets && GIT_TEST_PROTOCOL_VERSION=0 GIT_TRACE_PACKET=$PWD/packets git ls-remote p && test_grep ! "< version" packets &&
	test_grep "ls-remote< .*[\\]0.*agent=" packets &&
	rm -f packets && GIT_TEST_PROTOCOL_VERSION=0 GIT_TRACE_PACKET=$PWD/packets git -c protocol.version=2 ls-remote p && test_grep "< version 2" packets &&
	test_expect_code 128 env GIT_TEST_PROTOCOL_VERSION=x git ls-remote p 2>err && test_grep "unknown value for GIT_TEST_PROTOCOL_VERSION: x" err
'

test_expect_success 'GIT_TRACE_PACKET: the report of a push, that a sideband carries, line by line' '
	git init -q --bare to.git && GIT_TRACE_PACKET=$PWD/packets.push git -C p push -q ../to.git HEAD:refs/heads/x &&
	sed -n "s/.*packet: *push< //p" packets.push | tail -n 3 >actual && printf "%s\n" "unpack ok" "ok refs/heads/x" 0000 >expect && test_cmp expect actual
'

test_done
