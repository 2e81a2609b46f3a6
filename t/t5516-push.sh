#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='push: refspecs, local refusals, its output and its records'
. "$(dirname "$0")/test-lib.sh"

refs () {
	git -C "$1" for-each-ref --format="%(refname) %(objectname)" $2
}
# there REF REVISION: that it is in the repository "s" what it is in "l"
there () {
	test "$(git -C s rev-parse "$1")" = "$(git -C l rev-parse "$2")"
}
push () {
	git -C l push "$@" >out 2>err
}
fresh () {
	rm -rf s && git init -q --bare -b main s && git -C l for-each-ref --format="delete %(refname)" refs/remotes | git -C l update-ref --no-deref --stdin &&
	git -C l push -q origin main
}

test_expect_success 'a repository' '
	git init -q -b main l && for i in 1 2 3; do test_commit -C l c$i f$i || return 1; done && git -C l branch side main~1 &&
	git -C l tag -m one v1 main~1 && git -C l tag light && git -C l remote add origin ../s
'

test_expect_success 'names on both sides' '
	fresh && push origin side main~1:refs/heads/old HEAD:refs/heads/head v1:refs/tags/x light:other && there side side && there old main~1 &&
	there head main && there refs/tags/x refs/tags/v1 && there refs/tags/other light && push origin main:side && there side main &&
	push origin HEAD && push origin tag light && there refs/tags/light light && push origin +main~2:refs/heads/head && there head main~2
'

test_expect_success 'names that mean nothing' '
	fresh && refs s >before && test_must_fail push origin nothing && test_grep "src refspec nothing does not match any" err &&
	test_must_fail push origin main~1:new && test_grep "not a full refname" err &&
	test_must_fail push origin main:x side:x && test_grep "dst ref refs/heads/x receives from more than one src" err &&
	test_must_fail push origin :gone && test_grep "unable to delete .gone.: remote ref does not exist" err &&
	git -C l tag main && test_must_fail push origin main && test_grep "src refspec main matches more than one" err && git -C l tag -d main &&
	git -C l checkout -q --detach && test_must_fail push && test_grep "not currently on a branch" err && git -C l checkout -q main &&
	refs s >after && test_cmp before after
'

test_expect_success 'patterns, all but some, what both have, deletion' '
	fresh && push origin "refs/heads/*:refs/heads/copy/*" "^refs/heads/copy/side" && there copy/main main && ! git -C s rev-parse -q --verify copy/side &&
	test_commit -C l c4 f4 && push origin : && there main main && ! git -C s rev-parse -q --verify side && there copy/main main~1 &&
	push --all && there side side && push origin --delete side copy/main && refs s >now && test_line_count = 1 now &&
	push --tags && there refs/tags/v1 refs/tags/v1 && push origin :v1 :light && refs s >now && test_line_count = 1 now
'

test_expect_success '--mirror, --prune' '
	fresh && git -C s update-ref refs/heads/stranger main && push --prune origin "refs/heads/*:refs/heads/*" && there side side &&
	! git -C s rev-parse -q --verify stranger && git -C s update-ref refs/other/x main && push --mirror && ! git -C s rev-parse -q --verify refs/other/x &&
	there refs/remotes/origin/main refs/remotes/origin/main && there refs/tags/v1 refs/tags/v1
'

test_expect_success '--follow-tags' '
	fresh && push --follow-tags origin main && there refs/tags/v1 refs/tags/v1 && ! git -C s rev-parse -q --verify refs/tags/light &&
	fresh && git -C l config push.followTags true && push origin main~3:refs/heads/first && ! git -C s rev-parse -q --verify refs/tags/v1 &&
	push --no-follow-tags origin main && ! git -C s rev-parse -q --verify refs/tags/v1 && git -C l config --unset push.followTags
'

test_expect_success 'only forward, unless it is forced' '
	fresh && test_must_fail push origin main~1:main && test_grep "non-fast-forward" err && there main main && push -f origin main~1:main && there main main~1 &&
	test_grep "forced update" err && push origin main v1 && git -C l tag -f -m two v1 main && test_must_fail push origin v1 && test_grep "already exists" err &&
	push origin +v1 && there refs/tags/v1 refs/tags/v1 &&
	git clone -q s other && test_commit -C other elsewhere g && git -C other push -q origin main && test_must_fail push origin +main~1:refs/heads/z main~2:main &&
	test_grep "fetch first" err && there z main~1
'

test_expect_success 'leases' '
	fresh && git -C l commit -q --amend -m amended && push --force-with-lease origin main && there main main && git -C s update-ref refs/heads/main main~1 &&
	git -C l commit -q --amend -m again && test_must_fail push --force-with-lease origin main && test_grep "stale info" err &&
	test_must_fail push --force-with-lease=main origin main && push --force-with-lease=main:$(git -C s rev-parse main) origin main && there main main &&
	test_must_fail push --force-with-lease=main: origin main~1:main && push --force-with-lease=new: origin main:new && there new main
'

test_expect_success '--force-if-includes' '
	fresh && git clone -q s mate && test_commit -C mate mate h && git -C mate push -q origin main && git -C l fetch -q origin &&
	git -C l commit -q --amend -m blind && test_must_fail push --force-with-lease --force-if-includes origin main && test_grep "remote ref updated since checkout" err &&
	git -C l reset -q --hard origin/main && git -C l commit -q --amend -m seen && push --force-with-lease --force-if-includes origin main && there main main
'

test_expect_success 'atomic: nothing is sent if one is refused here' '
	fresh && refs s >before && test_must_fail push --atomic origin main~1:main main:new && test_grep "new (atomic push failed)" err && refs s >after && test_cmp before after
'

test_expect_success 'push.default' '
	fresh && git -C l checkout -q -b feature && test_must_fail push && test_grep "has no upstream branch" err &&
	git -C l config push.autoSetupRemote true && push && there feature feature && test "$(git -C l config branch.feature.merge)" = refs/heads/feature &&
	git -C l config push.default nothing && test_must_fail push && git -C l config push.default upstream && git -C l config branch.feature.merge refs/heads/up &&
	push && there up feature && git -C l config push.default simple && test_must_fail push && test_grep "does not match" err &&
	git -C l config push.default current && test_commit -C l c5 f5 && push && there feature feature && git -C l config push.default matching && push && there main main &&
	git -C l checkout -q main && git -C l config --unset push.default
'

test_expect_success 'push follows pushurl, pushDefault and pushRemote' '
	git init -q --bare t && git init -q --bare u && git -C l remote add other ../t && git -C l config remote.pushDefault other && push origin main &&
	push && test "$(git -C t rev-parse main)" = "$(git -C l rev-parse main)" && git -C l config branch.main.pushRemote third && git -C l config remote.third.url nowhere &&
	git -C l config remote.third.pushurl ../u && push && git -C u rev-parse -q --verify main && git -C l config --unset branch.main.pushRemote &&
	git -C l config --unset remote.pushDefault && git -C l config url.../u.pushInsteadOf elsewhere: && push elsewhere: main:x && git -C u rev-parse -q --verify x
'

test_expect_success 'remote-tracking refs and upstreams follow' '
	fresh && push -u origin main side && test_grep "branch .side. set up to track .origin/side." out && test "$(git -C l config branch.side.remote)" = origin &&
	test "$(git -C l rev-parse origin/side)" = "$(git -C l rev-parse side)" && push origin :side && ! git -C l rev-parse -q --verify origin/side
'

test_expect_success 'the table' '
	fresh && git -C s update-ref refs/heads/gone main && git -C s update-ref refs/heads/back main && push --porcelain origin main side :gone +main~1:back v1 &&
	old=$(git -C l rev-parse --short main) new=$(git -C l rev-parse --short main~1) && tab=$(printf "\t") && cat >expect <<-EOF && test_cmp expect out &&
	To ../s
	=${tab}refs/heads/main:refs/heads/main${tab}[up to date]
	+${tab}main~1:refs/heads/back${tab}$old...$new (forced update)
	-${tab}:refs/heads/gone${tab}[deleted]
	*${tab}refs/heads/side:refs/heads/side${tab}[new branch]
	*${tab}refs/tags/v1:refs/tags/v1${tab}[new tag]
	Done
	EOF
	push origin main && test_grep "Everything up-to-date" err && push -q origin main && test_must_be_empty err && push --dry-run origin main~1:refs/heads/dry &&
	test_grep "new branch.*dry" err && ! git -C s rev-parse -q --verify dry
'

test_expect_success 'pre-push' '
	fresh && write_script l/.git/hooks/pre-push <<-EOF && zero=$(git -C l rev-parse main | tr 0-9a-f 0) &&
	echo "\$*" >"$PWD/hooked"; cat >>"$PWD/hooked"; test ! -f "$PWD/refuse"
	EOF
	push origin main:new :refs/heads/none && cat >expect <<-EOF && test_cmp expect hooked &&
	origin ../s
	refs/heads/main $(git -C l rev-parse main) refs/heads/new $zero
	(delete) $zero refs/heads/none $zero
	EOF
	: >refuse && test_must_fail push origin main:no && ! git -C s rev-parse -q --verify no && push --no-verify origin main:no && rm l/.git/hooks/pre-push
'

test_expect_success 'commits of submodules have to be there' '
	git init -q sub && test_commit -C sub s1 s && git clone -q sub l/sub && git -C l add sub 2>/dev/null && git -C l commit -q -m sub && fresh &&
	push --recurse-submodules=check origin main && test_commit -C l/sub s2 s2 && git -C l add sub && git -C l commit -q -m sub2 &&
	test_must_fail push --recurse-submodules=check origin main && test_grep "^  sub" err && git -C l/sub push -q origin HEAD:refs/heads/x &&
	push --recurse-submodules=check origin main
'

test_expect_success STRACE,FSYNC_BATCH 'one flush here for all that is recorded' '
	fresh && on_journal disk && cp -a l disk/l && unset GIT_TEST_FSYNC && git -C disk/l config remote.origin.url "$PWD/s" &&
	git -C s config core.fsync none && test "$(count_flushes git -C disk/l push -q -u origin main:a main:b side)" = 1
'

test_expect_success 'push sends the replaced objects, not their replacements' '
	git init -q -b main replaced && for i in 1 2 3; do test_commit -C replaced r$i f $i || return 1; done &&
	c=$(git -C replaced commit-tree -p main~2 -m other main^{tree}) && blob=$(echo other | git -C replaced hash-object -w --stdin) &&
	git -C replaced update-ref refs/replace/$(git -C replaced rev-parse main:f) $blob &&
	git -C replaced update-ref refs/replace/$(git -C replaced rev-parse main) $c &&
	for cmd in push send-pack; do rm -rf whole && git init -q --bare -b main whole && git -C replaced $cmd ../whole main 2>err &&
		git -C whole fsck && GIT_NO_REPLACE_OBJECTS=1 git -C replaced rev-list --objects main | sort >expect &&
		git -C whole rev-list --objects main | sort >actual && test_cmp expect actual || return 1; done
'

test_expect_success 'pre-push prints to standard output' '
	git init -q --bare hk.git && git init -q -b main hk && test_commit -C hk one &&
	write_script hk/.git/hooks/pre-push <<-\EOF &&
	echo out
	cat
	echo err >&2
	EOF
	git -C hk push -q ../hk.git main >out 2>err &&
	echo out >expect && echo "refs/heads/main $(git -C hk rev-parse HEAD) refs/heads/main $ZERO_OID" >>expect &&
	test_cmp expect out && echo err >expect && test_cmp expect err &&
	git -C hk push --porcelain ../hk.git main:two >out 2>err &&
	sed -n 1p out >first && echo out >expect && test_cmp expect first && rm hk/.git/hooks/pre-push
'

test_expect_success '--porcelain ends with Done once the table is there, whatever was refused' '
	write_script hk.git/hooks/update <<-\EOF &&
	test $1 != refs/heads/no
	EOF
	ends_with_done () {
		test_expect_code 1 git -C hk push --porcelain "$@" >out 2>err && tail -n 1 out >last &&
		echo Done >expect && test_cmp expect last
	} &&
	ends_with_done ../hk.git main:no && ends_with_done ../hk.git main:yes main:no &&
	ends_with_done --atomic ../hk.git main:yes2 main:no &&
	git -C hk commit -q --amend --allow-empty -m other &&
	ends_with_done ../hk.git main && ends_with_done --atomic ../hk.git main main:yes3 &&
	write_script hk.git/hooks/pre-receive <<-\EOF &&
	exit 1
	EOF
	ends_with_done ../hk.git main:yes4 &&
	test_must_fail git -C hk push --porcelain ../hk.git :gone >out && test_grep ! Done out &&
	test_must_fail git -C hk push --porcelain ../nowhere.git main >out && test_grep ! Done out
'

# meters: the last line of each meter of a push, without what changes from run to run
meters () {
	tr "\r" "\n" <$1 | sed -n "s/(delta [01]), reused/(delta D), reused/; s/, [0-9.]* [a-zA-Z]* | .*, done/, SIZE | RATE, done/; s/up to [0-9]* threads/up to N threads/
		/done\.\$/p; /^Delta/p; /^Total/p; /^remote/p"
}

test_expect_success 'progress of a push: each phase, and the size and rate at its end; the server shows none while it unpacks' '
	git init -q -b main meter && for i in $(test_seq 1 40); do echo "$i $i $i"; done >meter/f && git -C meter add f &&
	git -C meter commit -q -m 1 && git init -q --bare meter.git && git -C meter push -q ../meter.git main &&
	echo more >>meter/f && git -C meter commit -q -a -m 2 &&
	git -C meter -c pack.threads=2 push --progress ../meter.git main 2>err && meters err >actual &&
	cat >expect <<-\EOF &&
	Enumerating objects: 5, done.
	Counting objects: 100% (5/5), done.
	Delta compression using up to N threads
	Compressing objects: 100% (2/2), done.
	Writing objects: 100% (3/3), SIZE | RATE, done.
	Total 3 (delta D), reused 0 (delta 0), pack-reused 0 (from 0)
	EOF
	test_cmp expect actual &&
	git -C meter -c pack.threads=1 push --progress ../meter.git main:one 2>err && test_grep ! Delta err
'

test_expect_success TTY 'on a terminal the meters of a push show without a delay; -q: nothing shows' '
	echo again >>meter/f && git -C meter commit -q -a -m 3 &&
	script -qec "git -C meter push ../meter.git main" /dev/null </dev/null >out && test_grep "Writing objects: 100% (3/3), " out &&
	echo again >>meter/f && git -C meter commit -q -a -m 4 &&
	script -qec "git -C meter push -q ../meter.git main" /dev/null </dev/null >out && test_must_be_empty out
'

test_done
