#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='fetch: the commits it sends in negotiation, and --negotiate-only'
. "$(dirname "$0")/test-lib.sh"

# told ARGS: the commits that a fetch with these tells the server, by their subjects, in their order, each once
told () {
	git -C c "$@" >out 2>err && grep -ao "have [0-9a-f]\{$OID_HEXLEN\}" request | while read -r word oid; do
		git -C c log -1 --format=%s $oid
	done | awk "!seen[\$0]++" | tr "\n" " " | sed "s/ $//"
}

test_expect_success 'a server that notes what it is asked, and a clone of it with commits of its own' '
	git init -q -b main src && test_commit -C src one && test_commit --tag two -C src two && git -C src branch side main^ &&
	write_script listen <<-EOT &&
	tee -a "$PWD/request" | git upload-pack "\$@"
	EOT
	git clone -q src c && git -C c config remote.origin.uploadpack "$PWD/listen" && git -C c config user.name x && git -C c config user.email x@y &&
	test_commit -C c local && git -C c branch other && git -C c checkout -q --orphan lone && test_commit -C c lone && git -C c checkout -q main
'

# a new commit there, so that something is asked for
more () {
	rm -f request && test_commit -C src "$1" >/dev/null
}

test_expect_success '--negotiation-restrict: commits, refs, patterns; --negotiation-tip is the same' '
	more m1 && test "$(told fetch --negotiation-restrict=origin/side origin)" = one &&
	more m2 && test "$(told fetch --negotiation-tip=$(git -C c rev-parse --short origin/side) origin)" = one &&
	more m3 && test "$(told fetch --negotiation-restrict="refs/remotes/origin/si*" origin)" = one &&
	more m4 && test "$(told fetch --negotiation-restrict="heads/lon*" --negotiation-restrict=origin/side origin)" = "lone one" &&
	test_must_be_empty out
'

test_expect_success 'a pattern that matches nothing has a warning, a name has none' '
	more m5 && git -C c fetch -q --negotiation-restrict="refs/no/*" --negotiation-include=nope origin 2>err &&
	test_grep "ignoring --negotiation-restrict=refs/no/\* because it does not match any refs" err &&
	test_line_count = 1 err && test_must_fail grep have request
'

test_expect_success '--negotiation-include: told in any case, first' '
	more m6 && test "$(told fetch --negotiation-restrict=origin/side --negotiation-include=lone origin)" = "lone one" &&
	more m7 && test "$(told -c fetch.negotiationAlgorithm=noop fetch --negotiation-include="refs/heads/lon*" origin)" = lone &&
	more m8 && test "$(told fetch --refetch --negotiation-include=lone origin)" = ""
'

test_expect_success 'version 0' '
	more m9 && test "$(told -c protocol.version=0 fetch --negotiation-restrict=origin/side --negotiation-include=lone origin)" = "lone one"
'

test_expect_success 'remote.<name>.negotiationRestrict, .negotiationInclude; an empty value begins anew' '
	git -C c config --add remote.origin.negotiationRestrict main && git -C c config --add remote.origin.negotiationRestrict "" &&
	git -C c config --add remote.origin.negotiationRestrict refs/remotes/origin/side && git -C c config remote.origin.negotiationInclude "refs/heads/lo*" &&
	more m10 && test "$(told fetch origin)" = "lone one" &&
	more m11 && test "$(told fetch --negotiation-restrict=lone --negotiation-include=origin/side origin)" = "one lone" &&
	git -C c config --unset-all remote.origin.negotiationRestrict && git -C c config --unset-all remote.origin.negotiationInclude
'

# borrows ARGS: what a new repository with a commit "own", which borrows from "lender", tells the server in a fetch with these
borrows () {
	rm -rf borrower request && git init -q -b main borrower && git -C borrower config user.name x && git -C borrower config user.email x@y && test_commit -C borrower own >/dev/null &&
	echo "$PWD/lender/objects" >borrower/.git/objects/info/alternates && git -C borrower "$@" >out 2>err &&
	grep -ao "have [0-9a-f]\{$OID_HEXLEN\}" request | while read -r word oid; do git -C borrower log -1 --format=%s $oid; done | sort -u | tr "\n" " "
}

# The lender has m20 and its ancestors; its branch "second" is the commit before.
test_expect_success 'a fetch names the commits of alternates, and they do not come again' '
	more m20 && git clone -q --bare src lender && git -C lender branch second main^ && more m21 &&
	for args in "-c protocol.version=2 fetch" "-c protocol.version=0 fetch" "-c protocol.version=2 fetch-pack" "-c protocol.version=0 fetch-pack"; do
		borrows $args --upload-pack="$PWD/listen" ../src refs/heads/main >actual && test_grep "own " actual && test_grep "m20 " actual &&
		git -C borrower count-objects -v >count && test_grep "^count: 6\$" count && test_grep "^in-pack: 0\$" count || return 1
	done &&
	borrows -c core.alternateRefsPrefixes=refs/heads/second fetch --upload-pack="$PWD/listen" ../src main >actual && ! grep "m20 " actual &&
	borrows -c core.alternateRefsCommand=false fetch --upload-pack="$PWD/listen" ../src main >actual && printf "own " >expect && test_cmp expect actual &&
	borrows fetch --refetch --upload-pack="$PWD/listen" ../src main >actual && test_must_be_empty actual
'

test_expect_success '--negotiate-only: what both have, and nothing comes' '
	more m12 && cp -R c before && git -C c fetch --negotiate-only --negotiation-restrict=main origin >out 2>err && test_must_be_empty err &&
	sort out >actual && git -C src rev-list two | sort >expect && test_cmp expect actual && test_must_fail grep want request &&
	test_grep wait-for-done request && rm request && diff -r before c && git -C c fetch --negotiate-only --negotiation-restrict=lone origin >out && test_must_be_empty out
'

test_expect_success '--negotiate-only: what it needs' '
	test_must_fail git -C c fetch --negotiate-only origin 2>err && test_grep "needs one or more --negotiation-restrict" err &&
	test_must_fail git -C c -c protocol.version=0 fetch --negotiate-only --negotiation-tip=main origin 2>err && test_grep "requires protocol v2" err &&
	test_must_fail git -C c fetch --negotiate-only --negotiation-tip=main --multiple origin 2>err && test_grep "must supply remote" err &&
	test_must_fail git -C c fetch --negotiate-only --negotiation-tip=main --recurse-submodules origin 2>err && test_grep "cannot be used together" err &&
	test_must_fail git -C c fetch --negotiate-only --negotiation-tip=nope origin 2>err && test_grep "no commit to negotiate with" err &&
	git -C src bundle create -q ../b --all && test_must_fail git -C c fetch --negotiate-only --negotiation-tip=main ../b 2>err &&
	test_grep "does not support --negotiate-only" err && diff -r before/.git/refs c/.git/refs
'

test_expect_success 'remote.*.serverOption does not hold up protocol version 0; --server-option does' '
	git -C c config remote.origin.serverOption x && test_when_finished "git -C c config --unset-all remote.origin.serverOption" &&
	git -C c -c protocol.version=0 fetch -q origin && git -C c -c protocol.version=0 ls-remote -q origin >out && test_grep HEAD out &&
	test_expect_code 128 git -C c -c protocol.version=0 fetch -q -o y origin 2>err && test_grep "server options require protocol version 2 or later" err &&
	test_expect_code 128 git -C c -c protocol.version=0 ls-remote -o y origin 2>err && test_grep "server options require protocol version 2 or later" err &&
	GIT_TRACE_PACKET=1 git -C c fetch origin 2>err && test_grep "server-option=x" err
'

test_done
