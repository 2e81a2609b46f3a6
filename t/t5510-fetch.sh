#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git fetch: refspecs, tags, pruning, its output, and the state after a failure'
. "$(dirname "$0")/test-lib.sh"
SQ="'"

ZERO=$(test_oid zero 2>/dev/null || printf "%0${OID_HEXLEN}d" 0)

# fresh: a new repository `d` with the remote `origin`
fresh () {
	rm -rf d && git init -q -b main d && git -C d config remote.origin.url ../s &&
	git -C d config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*"
}
# short NAME: as the table has it
short () {
	git -C s rev-parse --short "$1"
}
refs () {
	git -C d for-each-ref --format="%(refname) %(objectname)" "$@"
}

test_expect_success 'a repository to fetch from' '
	git init -q -b main s && for i in 1 2 3; do test_commit -C s "c$i" f || return 1; done &&
	git -C s branch topic HEAD~1 && git -C s tag -m annotated v1 HEAD~1 && git -C s tag light HEAD~2 &&

	git -C s update-ref refs/other/x HEAD && MAIN=$(git -C s rev-parse main) && TOPIC=$(git -C s rev-parse topic) &&
	V1=$(git -C s rev-parse v1) && LIGHT=$(git -C s rev-parse light)
'

test_expect_success 'the first fetch: branches, tags that follow, HEAD, FETCH_HEAD, logs, the table' '
	fresh && git -C d fetch >out 2>err && test_must_be_empty out &&
	cat >expect <<-EOF &&
	From ../s
	 * [new branch]      main       -> origin/main
	 * [new branch]      topic      -> origin/topic
	 * [new tag]         v1         -> v1
	 * [new tag]         light      -> light
	EOF
	test_cmp expect err &&
	printf "%s\n" "refs/remotes/origin/HEAD $MAIN" "refs/remotes/origin/main $MAIN" "refs/remotes/origin/topic $TOPIC" \
		"refs/tags/light $LIGHT" "refs/tags/v1 $V1" >expect && refs >actual && test_cmp expect actual &&
	test "$(git -C d symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/main &&
	printf "%s\tnot-for-merge\t%s of ../s\n" $MAIN "branch ${SQ}main$SQ" $TOPIC "branch ${SQ}topic$SQ" \
		$V1 "tag ${SQ}v1$SQ" $LIGHT "tag ${SQ}light$SQ" >expect && test_cmp expect d/.git/FETCH_HEAD &&
	test "$(git -C d reflog show --format=%gs origin/main)" = "fetch: storing head" &&
	test "$(git -C d reflog show --format=%gs origin/HEAD)" = "fetch" && git -C d fsck --strict
'

test_expect_success 'fetch of nothing new prints nothing without -v' '
	git -C d fetch >out 2>err && test_must_be_empty out && test_must_be_empty err &&
	git -C d fetch -v 2>err && test_grep "^ = \[up to date\]      main       -> origin/main\$" err &&
	find d/.git -newer d/.git/FETCH_HEAD -name "*.pack" >packs && test_must_be_empty packs
'

test_expect_success 'forward, forced, refused' '
	old=$(short topic) && test_commit -C s c4 f &&
	new=$(git -C s commit-tree -m other topic^{tree} -p topic~1) && git -C s update-ref refs/heads/topic $new &&
	git -C d fetch 2>err &&
	test_grep "^   $(git -C d rev-parse --short $MAIN)..$(short main)  *main       -> origin/main\$" err &&
	test_grep "^ + $old...$(short topic)  *topic      -> origin/topic  (forced update)\$" err &&
	test "$(git -C d reflog show --format=%gs origin/topic | head -n 1)" = "fetch: forced-update" &&
	test "$(git -C d reflog show --format=%gs origin/main | head -n 1)" = "fetch: fast-forward" &&
	git -C d update-ref refs/heads/mine $TOPIC && test_expect_code 1 git -C d fetch origin topic:mine main:also 2>err &&
	test_grep "^ ! \[rejected\] topic      -> mine  (non-fast-forward)\$" err && test_grep "\[new branch\] main  *-> also" err &&
	test "$(git -C d rev-parse mine)" = $TOPIC && test "$(git -C d rev-parse also)" = "$(git -C s rev-parse main)" &&
	git -C d fetch -q --force origin topic:mine && test "$(git -C d rev-parse mine)" = $new &&
	git -C d update-ref refs/heads/mine $TOPIC && git -C d fetch -q origin +topic:mine && test "$(git -C d rev-parse mine)" = $new
'

test_expect_success '--atomic: all or none' '
	git -C d update-ref refs/heads/mine $TOPIC && refs >before && cp d/.git/FETCH_HEAD head.before &&
	test_expect_code 1 git -C d fetch --atomic origin topic:mine main:more 2>err && refs >after && test_cmp before after &&
	test_cmp head.before d/.git/FETCH_HEAD && git -C d fetch -q --atomic origin +topic:mine main:more &&
	test "$(git -C d rev-parse more)" = "$(git -C s rev-parse main)" && git -C d update-ref -d refs/heads/mine $(git -C d rev-parse mine) &&
	git -C d update-ref refs/remotes/origin/way $MAIN && git -C s branch way/long && git -C s branch other && refs >before &&
	test_must_fail git -C d fetch --atomic 2>err && refs >after && test_cmp before after && git -C s branch -D way/long other
'

test_expect_success 'tags: refused, forced, all, none, by name' '
	git -C s tag -f light main && git -C d fetch && test "$(git -C d rev-parse light)" = $LIGHT &&
	test_expect_code 1 git -C d fetch --tags 2>err && test_grep "light *-> light  (would clobber existing tag)" err &&
	git -C d fetch --tags --force 2>err && test_grep "^ t \[tag update\]      light      -> light\$" err &&
	test "$(git -C d rev-parse light)" = "$(git -C s rev-parse main)" &&
	fresh && git -C d fetch -q --no-tags && refs refs/tags/ >out && test_must_be_empty out &&
	git -C d fetch -q origin main && refs refs/tags/ >out && test_must_be_empty out &&
	git -C d fetch -q --no-tags origin tag v1 && test "$(git -C d rev-parse v1)" = $V1 && test_must_fail git -C d rev-parse -q --verify light &&
	git -C d config remote.origin.tagOpt --tags && git -C d fetch -q && git -C d rev-parse -q --verify light
'

test_expect_success 'a tag of a commit that comes later, and one that nothing leads to' '
	fresh && git -C s tag -m far far $(git -C s commit-tree -m far main^{tree}) &&
	git -C d fetch -q origin topic:refs/remotes/origin/topic && test_must_fail git -C d rev-parse -q --verify far &&
	git -C d fetch && test_must_fail git -C d rev-parse -q --verify far &&
	test "$(git -C d rev-parse v1)" = $V1 && git -C d fetch -q --tags && git -C d rev-parse -q --verify far &&
	git -C s tag -d far
'

test_expect_success 'tags come with what they follow; a server that fails at last has given nothing' '
	printf "#!/bin/sh\necho run >>\"$PWD/runs\"\ngit upload-pack \"\$@\"\nexit \$FAIL\n" >counting && chmod +x counting && rm -f runs &&
	fresh && FAIL=0 git -C d fetch -q --upload-pack="$PWD/counting" && test_line_count = 1 runs && git -C d rev-parse -q --verify light &&
	fresh && test_expect_code 128 env FAIL=3 git -C d fetch -q --upload-pack="$PWD/counting" && refs >actual && test_must_be_empty actual &&
	test_path_is_missing d/.git/FETCH_HEAD
'

test_expect_success 'one branch for FETCH_HEAD, with its place beside' '
	fresh && git -C d fetch origin main >out 2>err &&
	cat >expect <<-EOF &&
	From ../s
	 * branch            main       -> FETCH_HEAD
	 * [new branch]      main       -> origin/main
	EOF
	test_cmp expect err && printf "%s\t\tbranch ${SQ}main$SQ of ../s\n" $(git -C s rev-parse main) >expect &&
	test_cmp expect d/.git/FETCH_HEAD && git -C d fetch -q --append ../s/.git topic other/x &&
	printf "%s\t\t%s of ../s/\n" $(git -C s rev-parse topic) "branch ${SQ}topic$SQ" $MAIN "${SQ}refs/other/x$SQ" >>expect &&
	test_cmp expect d/.git/FETCH_HEAD &&
	git -C d fetch -q --refmap= origin topic && test_must_fail git -C d rev-parse -q --verify origin/topic &&
	git -C d fetch -q --refmap="refs/heads/*:refs/else/*" origin topic && git -C d rev-parse -q --verify refs/else/topic
'

test_expect_success 'fetch marks the branch to merge in FETCH_HEAD' '
	fresh && git -C d config branch.main.remote origin && git -C d config branch.main.merge refs/heads/topic && git -C d fetch -q &&
	head -n 1 d/.git/FETCH_HEAD >first && test_grep "		branch ${SQ}topic$SQ" first &&
	test $(grep -c not-for-merge d/.git/FETCH_HEAD) = $(($(wc -l <d/.git/FETCH_HEAD) - 1)) &&
	fresh && git -C d fetch -q --set-upstream origin topic && test "$(git -C d config branch.main.remote)" = origin &&
	test "$(git -C d config branch.main.merge)" = refs/heads/topic
'

test_expect_success 'refspecs: patterns, negatives, an object, from standard input, bad ones' '
	fresh && git -C d config --add remote.origin.fetch "^refs/heads/topic" && git -C d fetch -q &&
	test_must_fail git -C d rev-parse -q --verify origin/topic && git -C d rev-parse -q --verify origin/main &&
	echo "refs/heads/t*:refs/by-line/*" | git -C d fetch -q --stdin origin && git -C d rev-parse -q --verify refs/by-line/opic &&
	git -C d fetch -q origin $MAIN:refs/heads/by-name && test "$(git -C d rev-parse by-name)" = $MAIN &&
	refs >before && for bad in "a..b" "nothing" "main:a..b" "*:x" "main:x topic:x" "tag"; do
		test_expect_code 128 git -C d fetch origin $bad 2>err && test_grep "^fatal: " err || { echo "$bad"; return 1; }
	done && refs >after && test_cmp before after &&
	test_expect_code 128 git -C d fetch nowhere 2>err && test_expect_code 129 git -C d fetch --no-such-option
'

test_expect_success 'a branch that is checked out is left alone' '
	fresh && git -C d fetch -q && git -C d update-ref refs/heads/main $MAIN && refs >before &&
	test_expect_code 128 git -C d fetch origin main:main 2>err && test_grep "refusing to fetch into branch ${SQ}refs/heads/main$SQ checked out at" err &&
	refs >after && test_cmp before after && git -C d fetch -q --update-head-ok origin main:main &&
	test "$(git -C d rev-parse main)" = "$(git -C s rev-parse main)"
'

test_expect_success 'pruning: only refs that the remote has deleted' '
	fresh && git -C s branch gone && git -C s branch dir && git -C d fetch -q && git -C d update-ref refs/remotes/other/gone $MAIN &&
	git -C s branch -D gone && git -C s branch -D dir && git -C s branch dir/file &&
	test_expect_code 1 git -C d fetch 2>err && test_grep "git remote prune origin" err && git -C d rev-parse -q --verify origin/gone &&
	git -C d fetch --prune --dry-run 2>err && test_grep "^ - \[deleted\]         (none)     -> origin/gone" err &&
	git -C d rev-parse -q --verify origin/gone && git -C d fetch --prune --porcelain >out &&
	test_grep "^- [0-9a-f]* $ZERO refs/remotes/origin/gone\$" out && test_must_fail git -C d rev-parse -q --verify origin/gone &&
	git -C d rev-parse -q --verify origin/dir/file && git -C d rev-parse -q --verify other/gone &&
	git -C d tag kept $MAIN && git -C d fetch -q -p --tags && git -C d rev-parse -q --verify kept &&
	git -C d fetch -q --prune --prune-tags && test_must_fail git -C d rev-parse -q --verify kept && git -C d rev-parse -q --verify v1 &&
	git -C s branch -D dir/file && git -C d config fetch.prune true && git -C d fetch -q --no-prune &&
	git -C d rev-parse -q --verify origin/dir/file && git -C d fetch -q && test_must_fail git -C d rev-parse -q --verify origin/dir/file
'

test_expect_success 'the HEAD of the remote: made once, followed or told as the configuration says' '
	fresh && git -C d fetch -q && git -C s symbolic-ref HEAD refs/heads/topic &&
	git -C d fetch -q && test "$(git -C d symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/main &&
	git -C d config remote.origin.followRemoteHEAD warn && git -C d fetch >out &&
	test_grep "${SQ}HEAD$SQ at ${SQ}origin$SQ is ${SQ}topic$SQ, but we have ${SQ}main$SQ locally" out &&
	git -C d config remote.origin.followRemoteHEAD always && git -C d fetch &&
	test "$(git -C d symbolic-ref refs/remotes/origin/HEAD)" = refs/remotes/origin/topic &&
	git -C s symbolic-ref HEAD refs/heads/main && fresh && git -C d config remote.origin.followRemoteHEAD never && git -C d fetch -q &&
	test_must_fail git -C d symbolic-ref -q refs/remotes/origin/HEAD
'

test_expect_success 'HEAD of a bare mirror follows the one of the remote' '
	head_is () { echo "ref: refs/heads/$1" >expect && ref_value mirror HEAD >value && test_cmp expect value; } && new_mirror () { rm -rf mirror && git init -q --bare -b other mirror; } &&
	new_mirror && git -C mirror remote add --mirror -f origin "file://$PWD/s" && head_is main &&
	git -C s symbolic-ref HEAD refs/heads/topic && git -C mirror fetch -q --dry-run && head_is main &&
	git -C mirror -c remote.origin.followRemoteHEAD=never fetch -q && head_is main && git -C mirror fetch -q && head_is topic &&
	git -C s symbolic-ref HEAD refs/heads/main && git -C mirror -c remote.origin.followRemoteHEAD=warn fetch >out && head_is main && test_must_be_empty out &&
	git -C mirror update-ref --no-deref HEAD $MAIN && git -C mirror fetch -q && head_is main && rm -rf mirror && git clone -q --mirror s mirror &&
	git -C s symbolic-ref HEAD refs/heads/topic && git -C mirror fetch -q && head_is topic && git -C s symbolic-ref HEAD refs/heads/main &&
	git -C mirror fetch -q origin main && head_is topic && new_mirror && git -C mirror remote add --mirror=fetch -f origin "file://$PWD/s" && head_is other &&
	new_mirror && git -C mirror config remote.origin.mirror true && git -C mirror config remote.origin.url "file://$PWD/s" &&
	git -C mirror config remote.origin.fetch refs/heads/topic:refs/heads/topic && git -C mirror fetch -q && head_is other &&
	rm -rf mirror && git init -q -b other mirror && git -C mirror remote add --mirror origin "file://$PWD/s" && git -C mirror fetch -q -u &&
	test "$(git -C mirror symbolic-ref HEAD)" = refs/heads/other && rm -rf mirror
'

test_expect_success 'shallow: depth, deeper, all of it' '
	fresh && git -C d fetch -q --depth 1 && test "$(git -C d rev-list --count origin/main)" = 1 && refs refs/tags/ >out &&
	git -C d fetch -q --deepen 1 && test "$(git -C d rev-list --count origin/main)" = 2 &&
	git -C d fetch -q --shallow-exclude=v1 && test "$(git -C d rev-list --count origin/main)" = 2 &&
	git -C d fetch -q --unshallow && test_path_is_missing d/.git/shallow &&
	test "$(git -C d rev-list --count origin/main)" = "$(git -C s rev-list --count main)" && git -C d fsck &&
	test_expect_code 128 git -C d fetch --unshallow && test_expect_code 128 git -C d fetch --depth 0 && test_expect_code 128 git -C d fetch --depth x
'

test_expect_success 'a filter: the remote becomes a promisor' '
	git -C s config uploadpack.allowFilter true && fresh && git -C d fetch -q --filter=blob:none &&
	test "$(git -C d config remote.origin.promisor)" = true && test "$(git -C d config remote.origin.partialclonefilter)" = blob:none &&
	ls d/.git/objects/pack/*.promisor && git -C d rev-list --objects --all --missing=print >out && test_grep "^?" out &&
	test_commit -C s c5 f5 && git -C d fetch -q && git -C d rev-list --objects --missing=print origin/main >out &&
	test_grep "^?$(git -C s rev-parse main:f5)\$" out
'

test_expect_success 'several remotes: all, groups, beside each other' '
	fresh && git -C d config remote.two.url ../s && git -C d config remote.two.fetch "+refs/heads/*:refs/remotes/two/*" &&
	git -C d config remotes.both "origin two" && git -C d fetch --all >out 2>err && printf "Fetching %s\n" origin two >expect && test_cmp expect out &&
	git -C d rev-parse -q --verify two/topic && n=$(wc -l <d/.git/FETCH_HEAD) && test $n -gt 3 &&
	git -C d fetch both >out && test_cmp expect out && git -C d fetch -j2 --multiple origin two >out && sort out >actual && test_cmp expect actual &&
	test $(grep -c "branch ${SQ}main$SQ" d/.git/FETCH_HEAD) = 2 && git -C d config remote.two.skipFetchAll true &&
	git -C d fetch --all >out && test_must_be_empty out && test_expect_code 128 git -C d fetch --multiple nowhere &&
	test_expect_code 128 git -C d fetch both main 2>err && test_grep "a group and specifying refspecs" err &&
	git -C d config remote.two.url ../none && test_must_fail git -C d fetch both 2>err && test_grep "could not fetch two" err
'

test_expect_success '--prefetch, --no-write-fetch-head, --dry-run' '
	fresh && git -C d fetch -q --prefetch --no-tags --no-write-fetch-head && refs >actual &&
	printf "refs/prefetch/remotes/origin/%s\n" main topic >expect && cut -d" " -f1 actual >names && test_cmp expect names &&
	test_path_is_missing d/.git/FETCH_HEAD && fresh && git -C d fetch --dry-run 2>err && test_grep "new branch" err &&
	refs >actual && test_must_be_empty actual && test_path_is_missing d/.git/FETCH_HEAD
'

test_expect_success 'a mirror' '
	rm -rf m && git init -q --bare m && git -C m config remote.origin.url ../s && git -C m config remote.origin.mirror true &&
	git -C m config remote.origin.fetch "+refs/*:refs/*" && git -C m fetch -q &&
	git -C s for-each-ref >expect && git -C m for-each-ref >actual && test_cmp expect actual
'

# A server that says what another one has said, up to some byte.
test_expect_success PYTHON 'an answer that is cut: the refs, FETCH_HEAD and the boundary are as before' '
	fresh && git -C d fetch -q origin topic && git -C d fetch -q --depth=1 ../s topic:refs/heads/shallow && refs >before &&
	cp d/.git/FETCH_HEAD head.before && cp d/.git/shallow shallow.before && test_commit -C s c6 f &&
	cat >cutting <<-\EOF &&
	#!/usr/bin/env python3
	import os, subprocess, sys
	p = subprocess.Popen(["git", "upload-pack"] + sys.argv[1:], stdout=subprocess.PIPE)
	left = int(os.environ["CUT"])
	while left:
	    got = os.read(p.stdout.fileno(), left)
	    if not got:
	        sys.exit(p.wait())
	    os.write(1, got)
	    left -= len(got)
	p.kill()
	EOF
	chmod +x cutting && cp -R d kept && all=$(CUT=100000; export CUT; git -C kept fetch --upload-pack="$PWD/cutting" 2>/dev/null && echo well) && test "$all" = well &&
	for CUT in 1 30 200 300 400 500 600 700 800 900 1000 1100 1200; do
		export CUT && rm -rf e && cp -R d e && if git -C e fetch --upload-pack="$PWD/cutting" 2>err; then break; fi
		git -C e for-each-ref --format="%(refname) %(objectname)" >after && test_cmp before after && test_cmp head.before e/.git/FETCH_HEAD &&
		test_cmp shallow.before e/.git/shallow && find e/.git -name "*.lock" -o -name "tmp_*" >litter && test_must_be_empty litter &&
		test_grep "^fatal: " err || { echo "cut at $CUT"; return 1; }
	done && test $CUT -gt 500
'

test_expect_success STRACE,JOURNAL,FSYNC_BATCH 'a fetch of 1,000 refs: one flush' '
	git init -q -b main many && test_commit -C many c f && MANY=$(git -C many rev-parse HEAD) &&
	for i in $(test_seq 1000); do echo "create refs/heads/b$i $MANY" || return 1; done | git -C many update-ref --stdin &&
	on_journal journal && git init -q -b main journal/d && git -C journal/d config remote.origin.url "$PWD/many" &&
	git -C journal/d config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*" &&
	n=$(count_flushes git -C journal/d fetch -q) && test $n = 1 && test $(git -C journal/d for-each-ref refs/remotes/origin/ | wc -l) = 1002 &&
	git -C many update-ref -d refs/heads/b7 && git -C many update-ref refs/heads/new $MANY &&
	n=$(count_flushes git -C journal/d fetch -q --prune) && test $n = 1 && n=$(count_flushes git -C journal/d fetch -q) && test $n = 1 &&
	git -C journal/d config core.fsync none && git -C many update-ref refs/heads/newer $MANY && n=$(count_flushes git -C journal/d fetch -q) && test $n = 0
'

test_expect_success 'progress ends before the table, and says what happens to the pack' '
	git init -q -b main far && git -C far commit -q --allow-empty -m 1 && git clone -q far near &&
	echo x >far/f && git -C far add f && git -C far commit -q -m 2 &&
	git -C near fetch --progress 2>err &&
	tr "\r" "\n" <err | sed -n "s/, [0-9]* bytes | .*, done/, SIZE | RATE, done/; /^Unpacking objects.*done/p; /^Resolving/p; /^From/p" >actual &&
	printf "%s\n" "Unpacking objects: 100% (3/3), SIZE | RATE, done." "From $PWD/far" >expect && test_cmp expect actual &&
	echo y >far/f && git -C far commit -q -a -m 3 &&
	git -C near -c fetch.unpackLimit=1 fetch --progress 2>err && tr "\r" "\n" <err | sed -n "/^Receiving objects: 100%/p; /^From/p" >actual &&
	printf "%s\n" "Receiving objects: 100% (3/3), done." "From $PWD/far" >expect && test_cmp expect actual
'

test_expect_success 'progress of deltas ends when all of them are objects' '
	git init -q deltas && (
		cd deltas && for i in 1 2 3 4 5 6 7 8 9; do
			test_seq $i $((i + 200)) >file && git add file && git commit -q -m $i || exit 1
		done && git repack -q -a -d
	) &&
	git clone --bare --progress "file://$PWD/deltas" deltas.git 2>err &&
	tr "\r" "\n" <err | sed -n "s/^Resolving deltas: 100% (\([1-9][0-9]*\)\/\1), done\.$/all/p" >actual &&
	echo all >expect && test_cmp expect actual
'

test_expect_success 'groups in groups, each once' '
	git init -q groups && for n in one two three; do git -C groups remote add $n ../s || return 1; done &&
	git -C groups config remotes.default "grp two" && git -C groups config remotes.grp "one three default grp" &&
	git -C groups fetch --multiple default >out 2>err && printf "Fetching %s\n" one three two >expect && test_cmp expect out &&
	git -C groups config remotes.bad "one nothere" && test_must_fail git -C groups fetch --multiple bad 2>err && test_grep "nothere" err
'

test_expect_success 'a file .git/branches/NAME without a branch: the branch of a new repository' '
	git init -q old && mkdir -p old/.git/branches && echo ../s >old/.git/branches/x && git -C s branch -f other HEAD &&
	git -C old -c init.defaultBranch=other fetch x 2>err && test "$(git -C old rev-parse refs/heads/x)" = "$(git -C s rev-parse other)" &&
	test_must_fail git -C old -c init.defaultBranch=nope fetch x 2>err && test_grep "remote ref refs/heads/nope" err
'

test_expect_success 'not into a branch of a linked worktree of a bare repository, also while a rebase or bisection holds it' '
	git init -q -b main linked-up && test_commit -C linked-up one && git clone -q --bare linked-up linked.git && test_commit -C linked-up two &&
	w=linked.git/worktrees/w && link_worktree linked.git w wt main && git -C wt read-tree HEAD && git -C linked.git rev-parse main >before &&
	refused () { test_expect_code 128 git -C linked.git fetch ../linked-up "$@" 2>err &&
		test_grep "^fatal: refusing to fetch into branch .refs/heads/main. checked out at .*/wt" err &&
		git -C linked.git rev-parse main >after && test_cmp before after; } &&
	refused main:main && refused "+refs/heads/*:refs/heads/*" && git -C wt update-ref --no-deref HEAD $(cat before) && mkdir "$w/rebase-merge" && echo refs/heads/main >"$w/rebase-merge/head-name" &&
	refused main:main && rm -r "$w/rebase-merge" && echo main >"$w/BISECT_START" && refused main:main && rm "$w/BISECT_START" &&
	git -C linked.git fetch -q ../linked-up main:main && git -C wt symbolic-ref HEAD refs/heads/main &&
	git -C linked.git fetch -q -u ../linked-up +main:main
'

test_expect_success 'a remote named twice in a row is fetched once' '
	git init -q -b main twice.src && test_commit -C twice.src one && git init -q -b main twice &&
	for r in o1 o2; do git -C twice remote add $r ../twice.src || return 1; done && git -C twice config remotes.grp "o1 o1 o2 o1" &&
	for jobs in 1 2; do
		git -C twice fetch -j$jobs --multiple o1 o1 o2 2>/dev/null >out && printf "Fetching %s\n" o1 o2 >expect &&
		grep Fetching out | sort >actual && test_cmp expect actual &&
		git -C twice fetch -j$jobs grp 2>/dev/null >out && grep Fetching out | sort >actual &&
		printf "Fetching %s\n" o1 o1 o2 >expect && test_cmp expect actual || return 1
	done
'

test_expect_success 'FETCH_HEAD: the first refspec is not for merge if the branch merges from another remote' '
	git init -q -b main merging.src && test_commit -C merging.src one && git init -q -b main merging &&
	git -C merging config remote.o1.url ../merging.src && git -C merging config remote.o1.fetch refs/heads/main:refs/remotes/o1/main &&
	for set in "a.b c" "branch.main.remote o2" "branch.main.merge refs/heads/main"; do
		git -C merging config $set && git -C merging fetch -q o1 && cut -f 2 merging/.git/FETCH_HEAD || return 1
	done >actual && printf "%s\n" "" "" not-for-merge >expect && test_cmp expect actual &&
	git -C merging config branch.main.remote o1 && git -C merging fetch -q o1 && cut -f 2 merging/.git/FETCH_HEAD >actual &&
	echo >expect && test_cmp expect actual
'

test_done
