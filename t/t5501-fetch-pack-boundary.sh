#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fetch-pack: shallow servers, boundaries that move, and what has to be there'
. "$(dirname "$0")/test-lib.sh"

# everything_of REPO: all that is in it, with content
everything_of () {
	(cd "$1" && find . -type f | sort | xargs cksum)
}

# crafted PACK LINES...: an answer of version 2 to ls-refs, then to a fetch: LINES of shallow-info, and PACK
crafted () {
	local pack="$1" &&
	shift &&
	GIT_PROTOCOL=version=2 git upload-pack src </dev/null &&
	printf "%s refs/heads/main\n0000\nshallow-info\n" "$c9" | pkt encode &&
	printf "%s\n" "$@" "0001" "packfile" | pkt encode &&
	printf "%04x\001" $(($(wc -c <"$pack") + 5)) &&
	cat "$pack" &&
	printf "0000"
}

test_expect_success 'a repository, and a shallow one' '
	PATH=$GIT_BUILD_DIR/t/helper:$PATH &&
	git init -q -b main src &&
	for i in 1 2 3 4 5 6 7 8 9
	do
		test_commit -C src "c$i" "file$i" || return 1
	done &&
	git -C src tag -a -m annotated v1 &&
	for i in 7 8 9
	do
		eval "c$i=\$(git -C src rev-parse main~$((9 - i)))" || return 1
	done &&
	git -C src rev-parse main~8 >root &&
	git -C src branch old "$(cat root)" &&
	git -C src branch eight "$c8" &&
	git -C src cat-file commit "$(cat root)" >other &&
	echo other >>other &&
	side=$(git -C src hash-object -t commit -w --stdin <other) &&
	git -C src branch side "$side" &&
	v1=$(git -C src rev-parse v1) &&
	git init -q --bare server &&
	git -C server fetch-pack -q --depth=2 ../src refs/heads/main refs/tags/v1 &&
	git -C server fetch-pack -q ../src refs/heads/side &&
	git -C server update-ref refs/heads/main "$c9" &&
	git -C server update-ref refs/tags/v1 "$v1" &&
	git -C server update-ref refs/heads/side "$side" &&
	echo "$c8" >expect &&
	test_cmp expect server/shallow &&
	write_script play <<-\EOF
	cat "$ANSWER"
	cat >/dev/null
	EOF
'

test_expect_success 'fetch-pack rejects refs whose history ends at the boundary of the server' '
	git init -q --bare plain &&
	test_expect_code 1 git -C plain fetch-pack -q ../server refs/heads/main refs/heads/side refs/tags/v1 \
		>out 2>err &&
	echo "$side refs/heads/side" >expect &&
	test_cmp expect out &&
	cat >expect <<-\EOF &&
	warning: rejected refs/heads/main because shallow roots are not allowed to be updated
	warning: rejected refs/tags/v1 because shallow roots are not allowed to be updated
	EOF
	test_cmp expect err &&
	test_path_is_missing plain/shallow &&
	git -C plain update-ref refs/heads/side "$side" &&
	git -C plain fsck --strict
'

test_expect_success '--update-shallow and --cloning take that boundary up' '
	for how in --update-shallow --cloning "-k --update-shallow" "-c protocol.version=2"
	do
		rm -rf taken &&
		git init -q --bare taken &&
		case "$how" in
		-c*) git -C taken fetch-pack -q --depth=2 ../server refs/heads/main ;;
		*)   git -C taken fetch-pack -q $how ../server refs/heads/main ;;
		esac >out &&
		echo "$c9 refs/heads/main" >expect &&
		sed /^keep/d out >real &&
		test_cmp expect real &&
		echo "$c8" >expect &&
		test_cmp expect taken/shallow &&
		git -C taken update-ref refs/heads/main "$c9" &&
		git -C taken fsck --strict || return 1
	done
'

test_expect_success 'a boundary that nothing ends at is not taken up' '
	git init -q --bare aside &&
	git -C aside fetch-pack -q --update-shallow ../server refs/heads/side &&
	test_path_is_missing aside/shallow
'

test_expect_success 'a client that has the history needs no boundary' '
	git init -q --bare whole &&
	git -C whole fetch-pack -q ../src refs/heads/eight &&
	git -C whole update-ref refs/heads/main "$c8" &&
	git -C whole fetch-pack -q --update-shallow ../server refs/heads/main refs/heads/side >out &&
	test_line_count = 2 out &&
	test_path_is_missing whole/shallow
'

test_expect_success 'objects that no ref leads to are not told: they may not be whole' '
	git init -q --bare scraps &&
	git -C src cat-file commit "$c9" >commit &&
	git -C scraps hash-object -t commit -w --stdin <commit &&
	git -C scraps fetch-pack -q ../src refs/heads/main >out &&
	git -C scraps update-ref refs/heads/main "$c9" &&
	git -C scraps fsck --strict
'

test_expect_success 'a boundary moves back only together with the commits behind it' '
	git init -q --bare shallow &&
	git -C shallow fetch-pack -q --depth=1 ../src refs/heads/main &&
	git -C shallow update-ref refs/heads/main "$c9" &&
	git -C src pack-objects --stdout </dev/null >empty.pack &&
	crafted empty.pack "unshallow $c9" >answer &&
	ANSWER=$PWD/answer && export ANSWER &&
	everything_of shallow >before &&
	test_must_fail git -C shallow fetch-pack -q --depth=2147483647 --upload-pack=../play ../src \
		refs/heads/main >out 2>err &&
	test_grep "did not send all necessary objects: $c8 is missing" err &&
	test_must_be_empty out &&
	everything_of shallow >after &&
	test_cmp before after
'

test_expect_success 'and with the commits behind these' '
	git -C src rev-list --objects "$c8" "^$c7" >names &&
	sed "s/ .*//" names | git -C src pack-objects --stdout >part.pack &&
	git -C shallow unpack-objects -q <part.pack &&
	everything_of shallow >before &&
	test_must_fail git -C shallow fetch-pack -q --depth=2147483647 --upload-pack=../play ../src \
		refs/heads/main >out 2>err &&
	test_grep "did not send all necessary objects: $c7 is missing" err &&
	everything_of shallow >after &&
	test_cmp before after &&
	echo "$c7" | git -C src pack-objects --revs --stdout >rest.pack &&
	crafted rest.pack "unshallow $c9" >answer &&
	git -C shallow fetch-pack -q --depth=2147483647 --upload-pack=../play ../src refs/heads/main >out &&
	echo "$c9 refs/heads/main" >expect &&
	test_cmp expect out &&
	test_path_is_missing shallow/shallow &&
	git -C shallow fsck --strict
'

test_expect_success 'only commits of our boundary can leave it' '
	git init -q --bare wrong &&
	git -C wrong fetch-pack -q --depth=1 ../src refs/heads/main &&
	git -C wrong update-ref refs/heads/main "$c9" &&
	crafted rest.pack "unshallow $c8" >answer &&
	everything_of wrong >before &&
	test_must_fail git -C wrong fetch-pack -q --depth=3 --upload-pack=../play ../src refs/heads/main 2>err &&
	test_grep "no shallow found: unshallow $c8" err &&
	everything_of wrong >after &&
	test_cmp before after
'

test_expect_success 'a commit that leaves the boundary and comes anew needs its parents' '
	git init -q --bare stale &&
	echo "$c8" >stale/shallow &&
	git -C src rev-list --objects "$c9" >names &&
	sed -e "/^$c7/d" -e "s/ .*//" names | git -C src pack-objects --stdout >gap.pack &&
	crafted gap.pack "unshallow $c8" >answer &&
	test_must_fail git -C stale fetch-pack -q --depth=2147483647 --upload-pack=../play ../src refs/heads/main \
		2>err &&
	test_grep "did not receive expected object $c7" err
'

test_expect_success 'a pack of nothing at all' '
	git init -q --bare nothing &&
	everything_of nothing >before &&
	{
		GIT_PROTOCOL=version=2 git upload-pack src </dev/null &&
		printf "%s refs/heads/main\n0000\npackfile\n0000\n" "$c9" | pkt encode
	} >answer &&
	test_must_fail git -C nothing fetch-pack -q --upload-pack=../play ../src refs/heads/main 2>err &&
	test_grep "early EOF" err &&
	everything_of nothing >after &&
	test_cmp before after
'

test_expect_success 'a server that fails after its pack has given nothing' '
	write_script fails-at-last <<-\EOF &&
	git upload-pack "$1"
	exit 7
	EOF
	everything_of nothing >before &&
	test_must_fail git -C nothing fetch-pack -q --upload-pack=../fails-at-last ../src refs/heads/main \
		>out 2>err &&
	test_must_be_empty out &&
	test_grep "exit code 7" err &&
	everything_of nothing >after &&
	test_cmp before after
'

test_expect_success STRACE 'the local history is walked once for all refs' '
	git init -q --bare many &&
	git -C many fetch-pack -q --all ../src &&
	for n in 1 2 3 4 5 6 7 8 9
	do
		git -C src update-ref "refs/heads/b$n" "main~$((n - 1))" || return 1
	done &&
	git -C many fetch-pack -q --all ../src >out &&
	test_line_count = 15 out &&
	trace_calls calls openat,open git -C many fetch-pack -q --all ../src &&
	grep "\"shallow\"" calls >out &&
	test_line_count = 1 out
'

test_done
