#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='receive-pack: what it takes, what it refuses, what it leaves'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-receive.sh"

test_expect_success 'a client' '
	client_work && git -C work branch side main~1 && git -C work tag -m tag v1
'

test_expect_success 'create, update, delete' '
	server s && push s main~1:refs/heads/a v1 && push s main:refs/heads/a main~2:refs/heads/b && push s :b &&
	refs s >actual && cat >expect <<-EOF && test_cmp expect actual && clean s
	refs/heads/a $(git -C work rev-parse main)
	refs/heads/main $(git -C work rev-parse main)
	refs/tags/v1 $(git -C work rev-parse v1)
	EOF
'

test_expect_success 'few objects go loose, many are kept as a pack' '
	rm -rf s && git init -q --bare s && push s main && ls s/objects/pack >packs && test_must_be_empty packs &&
	rm -rf s && git init -q --bare s && git -C s config receive.unpackLimit 3 && push s main &&
	ls s/objects/pack | sed "s/.*\.//" | sort >actual && printf "idx\npack\nrev\n" >expect && test_cmp expect actual &&
	rm -rf s && git init -q --bare s && git -C s config transfer.unpackLimit 1000 && git -C s config receive.unpackLimit 1 &&
	push s main && ls s/objects/pack >packs && test_line_count = 3 packs && clean s
'

test_expect_success 'a thin pack is made whole' '
	rm -rf s && git init -q --bare s && git -C s config receive.unpackLimit 1 && seq 3000 >work/long && git -C work add long &&
	git -C work commit -q -m long && push s main && echo more >>work/long && git -C work commit -q -a -m more && push s main && clean s
'

test_expect_success 'atomic: all or none; else each for itself' '
	server s && refs s >before && git -C s config receive.hideRefs refs/hidden &&
	test_must_fail push s --atomic main:refs/hidden/x main:ok && unchanged s &&
	grep "deny updating a hidden ref" out && grep "ok (atomic push failure)" out &&
	test_must_fail push s main:refs/hidden/x main:ok && git -C s rev-parse -q --verify ok && clean s
'

# refused REASON ARG...
refused () {
	local why=$1
	shift
	test_must_fail push s "$@" && test_grep "$why" out && unchanged s
}

test_expect_success 'updates that are refused' '
	server s && refs s >before &&
	git -C s config receive.denyDeletes true && git -C s config receive.denyDeleteCurrent ignore &&
	refused "main (deletion prohibited)" :main && git -C s config --unset receive.denyDeletes &&
	git -C s config receive.denyDeleteCurrent refuse && refused "deletion of the current branch prohibited" :main &&
	git -C s config receive.denyNonFastForwards true && refused "(non-fast-forward)" +main~1:main &&
	git -C s config --unset receive.denyNonFastForwards &&
	refused "(refname conflict)" main:refs/heads/main/x &&
	refused "(invalid new value provided)" main^{tree}:refs/heads/tree
'

test_expect_success 'a branch that is checked out' '
	server s && git -C s config core.bare false && refs s >before &&
	refused "branch is currently checked out" +main~1:main &&
	git -C s config receive.denyCurrentBranch warn && push s +main~1:main && test_grep "updating the current branch" out
'

test_expect_success 'reflogs are written where there is a work tree' '
	reflog_lines s refs/heads/main >log && test_grep "push$" log
'

test_expect_success 'names in a request are checked' '
	server s && refs s >before && zero=$(echo "$(git -C work rev-parse main)" | tr 0-9a-f 0) && new=$(git -C work rev-parse main) &&
	for name in HEAD refs/x refs/heads/a..b refs/heads/.. ../x refs//heads/x refs/heads/x.lock; do
		printf "%s\n" "$zero $new $name" 0000 | "$GIT_BUILD_DIR/t/helper/pkt" encode >req &&
		printf "PACK\000\000\000\002\000\000\000\000" >pack && openssl dgst -sha1 -binary pack >sum && cat pack sum >>req || return 1
		test_might_fail say s req && unchanged s || { echo "$name" >&4; return 1; }
	done
'

test_expect_success 'bad requests end in a word for the client' '
	for line in "x" "$zero" "$zero $new" "$zero $new " "$zero xyz refs/heads/a" "shallow x"; do
		printf "%s\n" "$line" 0000 | "$GIT_BUILD_DIR/t/helper/pkt" encode >req && test_must_fail say s req &&
		tail -n 1 answer >last && test_grep "^ERR " last && unchanged s || { echo "$line" >&4; return 1; }
	done &&
	printf "%s\n" "$zero $new refs/heads/a" "$zero $new refs/heads/a" 0000 | "$GIT_BUILD_DIR/t/helper/pkt" encode >req && cat pack sum >>req &&
	test_might_fail say s req && unchanged s
'

test_expect_success 'a client that hangs up anywhere changes nothing, or all' '
	server s && refs s >before && test_commit -C work hang && record s main:refs/heads/hang1 main:refs/heads/hang2 &&
	refs recorded >after && size=$(wc -c <request) && for n in $(seq 0 23 $size) $((size - 1)); do
		head -c $n request >part && rm -rf copy && cp -a s copy && say copy part
		refs copy >now && { cmp -s now before || cmp -s now after; } && clean copy || { echo "$n of $size" >&4; return 1; }
	done && cmp -s now before
'

test_expect_success 'a pack that is damaged anywhere changes nothing, or nothing of it is lost' '
	start=$(grep -abo PACK request | head -n 1 | cut -d: -f1) && for n in $(seq $start 17 $((size - 1))); do
		cp request part && printf "\377" | dd of=part bs=1 seek=$n conv=notrunc 2>/dev/null && rm -rf copy && cp -a s copy && say copy part
		refs copy >now && { cmp -s now before || cmp -s now after; } && clean copy || { echo "$n of $size" >&4; return 1; }
	done
'

test_expect_success 'receive-pack refuses a pack whose objects name missing ones' '
	server s && refs s >before && tree=$(git -C work mktree --missing <<-EOF
	100644 blob $(echo $zero | tr 0 1)	gone
	EOF
	) && bad=$(echo bad | git -C work commit-tree -p main $tree) && echo $bad >list && echo $tree >>list &&
	printf "%s\n" "$zero $bad refs/heads/bad" "$zero $new refs/heads/good" 0000 | "$GIT_BUILD_DIR/t/helper/pkt" encode >req &&
	sed "s/0000$//" req >/dev/null && git -C work pack-objects --stdout -q <list >bad.pack && cat bad.pack >>req &&
	say s req && refs s >now && test_grep "^refs/heads/good" now && test_grep ! "refs/heads/bad" now
'

test_expect_success 'a limit for the size of a push' '
	server s && head -c 5000 /dev/urandom | od -x >work/noise && git -C work add noise && git -C work commit -q -m noise && refs s >before && git -C s config receive.maxInputSize 100 && refused "pack exceeds maximum allowed size" main~1:refs/heads/small main:big
'

test_expect_success 'contents are checked if that is wanted' '
	server s && refs s >before && bad=$(git -C work cat-file commit main | sed "s/^author .*/author bad/" |
		git -C work hash-object -t commit -w --literally --stdin) &&
	git -C s config transfer.fsckObjects true && refused "unpacker error" $bad:refs/heads/bad &&
	git -C s config receive.fsckObjects false && push s $bad:refs/heads/bad
'

test_expect_success 'a quarantine of the dead is removed' '
	server s && dead=s/objects/tmp_objdir-incoming-2.d000000000000.1.1.99999-00000000 && mkdir $dead && >$dead/x &&
	git -C work commit -q --allow-empty -m 5 && push s main && { test ! -d $dead || ls -d s/objects/tmp_objdir*; }
'

test_expect_success 'a shallow client' '
	git clone -q --depth=1 "file://$PWD/work" shallow && rm -rf s && git init -q --bare s && refs s >before &&
	test_must_fail git -C shallow push ../s main >out 2>&1 && test_grep "shallow update not allowed" out && unchanged s &&
	git -C s config receive.shallowUpdate true && git -C shallow push -q ../s main && clean s && test_path_is_file s/shallow &&
	git -C work push -q ../s main:full && clean s
'

test_expect_success 'the boundary of a shallow client does not cut off a history that is whole' '
	server s && git -C s config receive.shallowUpdate true && git -C shallow push -q ../s main:again && test_path_is_missing s/shallow && clean s
'

test_expect_success 'namespaces' '
	server s && GIT_NAMESPACE=one git receive-pack --http-backend-info-refs s >raw && "$GIT_BUILD_DIR/t/helper/pkt" decode <raw >answer &&
	grep -a " \.have" answer && ! grep -a refs/heads/main answer &&
	write_script ns <<-\EOF && git -C work push -q --receive-pack="$PWD/ns" ../s main &&
	GIT_NAMESPACE=one exec git receive-pack "$@"
	EOF
	git -C s rev-parse -q --verify refs/namespaces/one/refs/heads/main
'

test_expect_success 'a branch of a namespace with the name of the current branch is denied, other ones are not' '
	rm -rf tree && git clone -q work tree && test_must_fail git -C work push --receive-pack="$PWD/ns" ../tree main 2>err &&
	test_grep "remote rejected. main -> main (branch is currently checked out)" err && git -C work push -q --receive-pack="$PWD/ns" ../tree main:other &&
	test_must_fail git -C work push -q --receive-pack="$PWD/ns" ../tree :main && git -C work push -q --receive-pack="$PWD/ns" ../tree :other &&
	git -C tree config receive.denyCurrentBranch ignore && git -C work push -q --receive-pack="$PWD/ns" ../tree main && rm -rf tree
'

test_expect_success 'objects of an alternate need not be sent' '
	server s && rm -rf t && git init -q --bare t && echo "$PWD/s/objects" >t/objects/info/alternates &&
	git receive-pack --http-backend-info-refs t >raw && grep -a "$(git -C s rev-parse main) \.have" raw &&
	git -C work push -q ../t main && find t/objects -type f ! -path "*/info/*" >new && test_must_be_empty new && clean t
'

test_expect_success 'a name goes, and one below it or above it comes' '
	server s && push s main:refs/heads/a main:refs/heads/c/d && push s :a main~1:refs/heads/a/b main:refs/heads/a-b :c/d main~2:refs/heads/c && clean s &&
	test "$(git -C s rev-parse a/b c a-b)" = "$(git -C work rev-parse main~1 main~2 main)" && refs s >before &&
	test_must_fail push s --atomic :c main:refs/heads/c/e && unchanged s
'

test_expect_success 'a symbolic ref and its target in one push have to agree' '
	server s && git -C s symbolic-ref refs/heads/alias refs/heads/main && refs s >before &&
	refused "inconsistent aliased update" +main~1:alias +main~2:main
'

# alias CONFIG...: a server whose refs/alias/x leads to refs/heads/main, with these settings
alias_to () {
	local target=$1
	shift
	server s && git -C s update-ref "$target" main && git -C s symbolic-ref refs/alias/x "$target" && while test $# -gt 0; do git -C s config "$1" "$2" && shift 2 || return; done && refs s >before
}

test_expect_success 'a symbolic ref is judged by what it leads to' '
	alias_to refs/heads/main receive.denyNonFastForwards true && refused non-fast-forward +main~2:refs/alias/x &&
	alias_to refs/heads/main receive.denyDeletes true receive.denyDeleteCurrent ignore && refused "deletion prohibited" :refs/alias/x &&
	alias_to refs/heads/main receive.denyDeleteCurrent refuse && git -C s symbolic-ref HEAD refs/heads/main && refused "deletion of the current branch prohibited" :refs/alias/x &&
	for key in receive transfer; do
		alias_to refs/hidden/y $key.hideRefs refs/hidden && refused "deny updating a hidden ref" +main~1:refs/alias/x && refused "deny deleting a hidden ref" :refs/alias/x || return 1
	done &&
	git -C s update-ref -d refs/hidden/y && test_must_fail push s main:refs/alias/x && grep "deny updating a hidden ref" out &&
	test_must_fail git -C s rev-parse -q --verify refs/hidden/y
'

test_expect_success 'a symbolic ref to a symbolic ref, and one that leads out of refs/' '
	alias_to refs/alias/z receive.denyNonFastForwards true && git -C s symbolic-ref refs/alias/z refs/heads/main && refs s >before &&
	refused non-fast-forward +main~2:refs/alias/x &&
	alias_to ORIG_HEAD && refused "funny refname" +main~1:refs/alias/x && test "$(git -C s rev-parse ORIG_HEAD)" = "$(git -C work rev-parse main)"
'

# denied TEXT REFSPEC: the server s refuses it and keeps its refs
denied () {
	refs s >before && test_must_fail push s "$2" && grep "$1" out && refs s >now && test_cmp before now
}

test_expect_success 'a symbolic ref to a branch that is checked out' '
	rm -rf s && git clone -q work s 2>/dev/null && git -C s symbolic-ref refs/alias/x refs/heads/main &&
	denied "branch is currently checked out" +main~1:refs/alias/x && git -C s config receive.denyCurrentBranch updateInstead &&
	push s +main~1:refs/alias/x && test "$(git -C s rev-parse HEAD)" = "$(git -C work rev-parse main~1)" && git -C s diff --quiet HEAD
'

test_expect_success 'a client that goes after the advertisement is an error, one that wants nothing is none' '
	server s && test_expect_code 128 git receive-pack s </dev/null >raw 2>err && test_grep "^fatal: the remote end hung up unexpectedly$" err &&
	printf 0000 | git receive-pack s >raw 2>err && test_must_be_empty err && push s main && test_grep "up-to-date" out && test_grep ! fatal out
'

test_done
