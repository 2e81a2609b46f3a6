#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git remote: the configuration and refs of a remote change together'
. "$(dirname "$0")/test-lib.sh"

test_expect_success 'a repository with three branches' '
	git init -q -b main src &&
	test_commit -C src one &&
	git -C src branch side &&
	git -C src branch other &&
	git init -q -b main r
'

test_expect_success 'add: the order of the keys' '
	git -C r remote add -t main -t side --no-tags -m main a ../src &&
	git -C r config --get-regexp "^remote" >actual &&
	cat >expect <<-\EOT &&
	remote.a.url ../src
	remote.a.fetch +refs/heads/main:refs/remotes/a/main
	remote.a.fetch +refs/heads/side:refs/remotes/a/side
	remote.a.tagopt --no-tags
	EOT
	test_cmp expect actual &&
	test "$(git -C r symbolic-ref refs/remotes/a/HEAD)" = refs/remotes/a/main &&
	git -C r remote rm a &&
	test_must_fail git -C r symbolic-ref refs/remotes/a/HEAD
'

test_expect_success 'exit codes' '
	git -C r remote add one ../src &&
	test_expect_code 3 git -C r remote add one ../src &&
	test_expect_code 2 git -C r remote rm none &&
	test_expect_code 2 git -C r remote rename none x &&
	test_expect_code 2 git -C r remote get-url none &&
	test_expect_code 129 git -C r remote rename one &&
	test_expect_code 129 git -C r remote bogus &&
	test_expect_code 128 git -C r remote add one/x ../src 2>err &&
	test_grep "is a subset of existing remote .one." err
'

test_expect_success 'a name that no refspec can have is refused, nothing is written' '
	cp r/.git/config before &&
	test_must_fail git -C r remote add -t "bad name" bad ../src &&
	test_must_fail git -C r remote set-branches --add one "bad name" &&
	test_cmp before r/.git/config
'

test_expect_success 'rename: refs, logs, HEAD, refspecs, branches' '
	git -C r fetch -q one &&
	git -C r config branch.x.remote one &&
	git -C r config branch.x.pushRemote one &&
	git -C r config remote.pushDefault one &&
	git -C r config --add remote.one.fetch +refs/odd/*:refs/odd/* &&
	git -C r remote rename one two 2>err &&
	test_grep "Not updating non-default fetch refspec" err &&
	git -C r for-each-ref --format="%(refname)" refs/remotes >actual &&
	printf "refs/remotes/two/%s\n" HEAD main other side >expect &&
	test_cmp expect actual &&
	test "$(git -C r symbolic-ref refs/remotes/two/HEAD)" = refs/remotes/two/main &&
	reflog_lines r refs/remotes/two/main >log &&
	test_grep "renamed refs/remotes/one/main to refs/remotes/two/main" log &&
	test_line_count = 2 log &&
	reflog_lines r >logs && test_grep ! "^== refs/remotes/one/" logs &&
	git -C r config --get-all remote.two.fetch >actual &&
	printf "%s\n" "+refs/heads/*:refs/remotes/two/*" "+refs/odd/*:refs/odd/*" >expect &&
	test_cmp expect actual &&
	test "$(git -C r config branch.x.remote)" = two &&
	test "$(git -C r config branch.x.pushRemote)" = two &&
	test "$(git -C r config remote.pushDefault)" = two
'

test_expect_success 'rename: a ref that is in the way, and nothing has changed' '
	git -C r update-ref refs/remotes/three/side refs/remotes/two/main &&
	cp r/.git/config before && git -C r for-each-ref >refs-before &&
	test_expect_code 128 git -C r remote rename two three &&
	test_cmp before r/.git/config &&
	git -C r for-each-ref >refs-after && test_cmp refs-before refs-after &&
	git -C r update-ref -d refs/remotes/three/side
'

test_expect_success 'set-head: from there, by hand, away' '
	git -C r remote set-head two side &&
	git -C r remote set-head two -a >actual &&
	echo "'\''two/HEAD'\'' has changed from '\''side'\'' and now points to '\''main'\''" >expect &&
	test_cmp expect actual &&
	git -C r remote set-head two -d &&
	git -C r remote set-head two -a >actual &&
	test_grep "is now created and points to" actual &&
	test_expect_code 1 git -C r remote set-head two none
'

test_expect_success 'set-url and get-url' '
	git -C r remote set-url --add two second &&
	test_must_fail git -C r remote set-url two x &&
	git -C r remote set-url two third "^sec" &&
	git -C r remote get-url --all two >actual &&
	printf "%s\n" ../src third >expect && test_cmp expect actual &&
	test_must_fail git -C r remote set-url --delete two ".*" &&
	git -C r remote set-url --delete two third &&
	git -C r remote get-url --all two >actual &&
	echo ../src >expect && test_cmp expect actual
'

test_expect_success 'show and prune: refs that the remote has deleted' '
	git -C r symbolic-ref refs/remotes/two/sym refs/remotes/two/other &&
	git -C src branch -D -q other && git -C src branch new &&
	git -C r remote show two >actual &&
	cat >expect <<-\EOT &&
	* remote two
	  Fetch URL: ../src
	  Push  URL: ../src
	  HEAD branch: main
	  Remote branches:
	    main                   tracked
	    new                    new (next fetch will store in remotes/two)
	    refs/remotes/two/other stale (use SQgit remote pruneSQ to remove)
	    side                   tracked
	EOT
	sed "s/SQ/'\''/g" expect >expect2 && test_cmp expect2 actual &&
	git -C r remote prune -n two >actual &&
	test_grep "would prune. two/other" actual &&
	git -C r rev-parse -q --verify refs/remotes/two/other &&
	git -C r remote prune two >actual &&
	cat >expect <<-\EOT &&
	Pruning two
	URL: ../src
	 * [pruned] two/other
	 refs/remotes/two/sym has become dangling after refs/remotes/two/other was deleted
	EOT
	test_cmp expect actual &&
	test_must_fail git -C r rev-parse -q --verify refs/remotes/two/other
'

test_expect_success 'update fetches all, or a group' '
	git -C r remote add four ../src &&
	git -C r config remote.four.skipDefaultUpdate true &&
	git -C r remote update &&
	test_must_fail git -C r rev-parse -q --verify refs/remotes/four/main &&
	git -C r config remotes.grp "two four" &&
	git -C r remote update grp &&
	git -C r rev-parse -q --verify refs/remotes/four/main &&
	test_expect_code 1 git -C r remote update nothing
'

test_expect_success 'remove: refs, branches, and the note about other refs' '
	git -C r config --add remote.two.fetch "+refs/heads/*:refs/heads/from/*" &&
	git -C r fetch -q two &&
	git -C r remote rm two 2>err &&
	test_grep "Some branches outside the refs/remotes/ hierarchy were not removed" err &&
	test_grep "git branch -d from/side" err &&
	git -C r for-each-ref refs/remotes/two >actual && test_must_be_empty actual &&
	test_must_fail git -C r config branch.x.remote &&
	test_must_fail git -C r config branch.x.pushRemote &&
	test_must_fail git -C r config remote.pushDefault &&
	git -C r remote >actual && echo four >expect && test_cmp expect actual
'

test_expect_success 'a file of an old repository becomes configuration' '
	mkdir -p r/.git/remotes &&
	printf "URL: ../src\nPush: refs/heads/*:refs/heads/*\nPull: refs/heads/*:refs/remotes/old/*\n" >r/.git/remotes/old &&
	git -C r remote rename old old &&
	test_path_missing r/.git/remotes/old &&
	git -C r config --get-regexp "^remote.old" >actual &&
	cat >expect <<-\EOT &&
	remote.old.url ../src
	remote.old.push refs/heads/*:refs/heads/*
	remote.old.fetch refs/heads/*:refs/remotes/old/*
	EOT
	test_cmp expect actual
'

test_expect_success STRACE,FSYNC_BATCH 'rename and remove of many refs: one operation' '
	for i in 1 2 3 4 5 6 7 8 9; do git -C src branch b$i || return; done &&
	git -C r fetch -q four &&
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND &&
	test "$(count_flushes git -C r remote rename four five)" = 1 &&
	test "$(count_flushes git -C r remote add six ../src)" = 1 &&
	test "$(count_flushes git -C r remote set-head five side)" = 1 &&
	test "$(count_flushes git -C r remote rm five)" = 1
'

test_expect_success 'remote.pushDefault of other files stays as it is: rename, remove' '
	rm -rf own && git init -q own && git -C own remote add one /nowhere && echo "[remote] pushDefault = one" >mine && git -C own config include.path ../../none && cp own/.git/config before &&
	GIT_CONFIG_GLOBAL=$PWD/mine git -C own remote rename one two && sed "s/\"one\"/\"two\"/; s#/one/#/two/#" before >expect && test_cmp expect own/.git/config &&
	echo "[remote] pushDefault = two" >mine && GIT_CONFIG_GLOBAL=$PWD/mine git -C own remote remove two && test "$(cat mine)" = "[remote] pushDefault = two" && ! grep -i pushdefault own/.git/config
'

test_expect_success 'remove: what another remote has fetched stays' '
	rm -rf own && git init -q own && git -C own commit -q --allow-empty -m one && git -C own remote add one /nowhere && git -C own remote add two /nowhere && git -C own config remote.two.fetch "+refs/heads/*:refs/remotes/one/*" &&
	git -C own update-ref refs/remotes/one/main HEAD && git -C own remote remove two && git -C own rev-parse -q --verify refs/remotes/one/main && git -C own remote remove one && test_must_fail git -C own rev-parse -q --verify refs/remotes/one/main
'

# No connection is made: only the scheme "file" is allowed.
test_expect_success 'transfer.credentialsInUrl: a password in the URL of a remote' '
	rm -rf own && git init -q own && git -C own commit -q --allow-empty -m one &&
	url=https://me:secret@127.0.0.1:1/x words="URL .https://me:<redacted>@127.0.0.1:1/x. uses plaintext credentials" &&
	git -C own remote add up $url && git -C own config remote.late.url late:x && git -C own config url.https://me:secret@127.0.0.1:1/.insteadOf late: &&
	for args in "fetch up" "fetch $url" "push up HEAD" "push $url HEAD" "ls-remote up" "ls-remote $url" "ls-remote late" \
		"ls-remote --get-url up" "remote get-url up" "remote show -n up" "remote prune up" "clone $url ../to"
	do
		GIT_ALLOW_PROTOCOL=file test_must_fail git -C own -c transfer.credentialsInUrl=die $args >out 2>err &&
		test_grep "^fatal: $words" err && test_must_be_empty out &&
		GIT_ALLOW_PROTOCOL=file test_must_fail git -C own -c transfer.credentialsInUrl=Warn $args 2>err &&
		test_grep "unrecognized value transfer.credentialsInUrl: .Warn." err &&
		test_might_fail env GIT_ALLOW_PROTOCOL=file git -C own -c transfer.credentialsInUrl=warn $args 2>err &&
		test_grep "^warning: $words" err && test_grep ! secret err &&
		test_might_fail env GIT_ALLOW_PROTOCOL=file git -C own -c transfer.credentialsInUrl=allow $args 2>err &&
		test_grep ! credentials err || { echo "$args"; return 1; }
	done &&
	git -C own -c transfer.credentialsInUrl=die remote -v &&
	git -C own -c transfer.credentialsInUrl=die ls-remote .
'

test_done
