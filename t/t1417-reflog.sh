#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git reflog: show, expire, delete, drop, list, exists, write, compared with stock git'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-peers.sh"

NOW=1700000000
DAY=86400
GIT_COMMITTER_DATE="$NOW +0100"
GIT_AUTHOR_DATE="$NOW +0100"
export GIT_COMMITTER_DATE GIT_AUTHOR_DATE

# days_ago N CMD...: of one moment, so that both repositories get the same dates
NOW=$(date +%s)
days_ago () {
	local date="$((NOW - $1 * DAY)) +0200"
	shift
	GIT_COMMITTER_DATE=$date GIT_AUTHOR_DATE=$date "$@"
}

# Entries of all ages, reachable (a ...) and not (x ...), a branch, a tag's log, a stash.
make_template () {
	stock init -q -b main ${TEST_HASH:+--object-format=$TEST_HASH} template &&
	(cd template &&
	 for age in 100 80 40 20 1
	 do
		days_ago $age stock commit -q --allow-empty -m a$age &&
		tip=$(stock rev-parse HEAD) &&
		x=$(days_ago $age stock commit-tree -p HEAD -m x$age "$EMPTY_TREE") &&
		days_ago $age stock update-ref -m "to x$age" refs/heads/main $x &&
		days_ago $age stock update-ref -m "back from x$age" refs/heads/main $tip || exit
	 done &&
	 days_ago 95 stock update-ref -m made --create-reflog refs/heads/side main~2 &&
	 days_ago 35 stock update-ref -m moved refs/heads/side main &&
	 days_ago 33 stock update-ref -m "moved back" refs/heads/side main~3 &&
	 days_ago 95 stock update-ref -m stashed --create-reflog refs/stash main~1 &&
	 days_ago 94 stock update-ref -m stashed2 --create-reflog refs/stash main &&
	 days_ago 93 stock update-ref --create-reflog refs/tags/t main~4)
}

start () {
	rm -rf ours theirs &&
	if ! test -d template
	then
		make_template
	fi &&
	cp -R template theirs && cp -R template ours
}

# Refs and logs are equal; nothing else is left. (On a rewrite stock git puts a tab behind
# an entry without message.)
same_logs () {
	find theirs/.git/refs/heads -mindepth 1 -type d -empty -delete &&
	diff -r ours/.git/refs theirs/.git/refs &&
	find theirs/.git/logs ours/.git/logs -type f -exec sed -i "s/	$//" {} + &&
	diff -r ours/.git/logs theirs/.git/logs &&
	test -z "$(find ours/.git -name "*.lock")"
}

each_line () {
	while read -r line
	do
		eval "peers_git $line" && same_logs || return 1
	done
}

# For what stock git prints in the order of directories.
unsorted () {
	local ours=0 theirs=0
	(cd ours && git "$@" | sort >../out.ours) || ours=$?
	(cd theirs && stock "$@" | sort >../out.theirs) || theirs=$?
	test $ours = $theirs && test_cmp out.theirs out.ours && same_logs
}

test_expect_success 'show' '
	start &&
	each_line <<-\EOS
	reflog
	reflog show
	reflog show -n2
	reflog -3 main
	reflog side
	reflog show side
	reflog show refs/heads/side
	reflog main@{2}
	reflog --date=iso main -2
	reflog --pretty=%gd:%gs:%h main
	reflog --no-abbrev-commit -1
	reflog --no-abbrev -1
	reflog --pretty=raw -1
	reflog --pretty=raw --abbrev-commit -1
	-c log.decorate=short reflog --pretty=raw -1
	reflog --stat -2 main
	reflog main side
	reflog nope
	reflog bogus -1
	-c format.pretty=short reflog -1
	-c log.abbrevCommit=false reflog -1
	-c log.date=iso reflog -1
	EOS
'

test_expect_success 'exists' '
	each_line <<-\EOS &&
	reflog exists refs/heads/main
	reflog exists main
	reflog exists HEAD
	reflog exists refs/heads/nope
	reflog exists "a b"
	EOS
	test_expect_code 129 git -C ours reflog exists
'

test_expect_success 'list: the refs that have a log, sorted' '
	cat >expect <<-\EOS &&
	HEAD
	refs/heads/main
	refs/heads/side
	refs/stash
	refs/tags/t
	EOS
	git -C ours reflog list >out &&
	test_cmp expect out &&
	test_expect_code 255 git -C ours reflog list main
'

test_expect_success 'expire by configuration and default' '
	start &&
	unsorted reflog expire --all --verbose &&
	each_line <<-\EOS
	reflog expire --verbose main
	reflog expire --verbose main side
	reflog expire --verbose HEAD
	reflog expire
	reflog expire nope
	reflog expire nope side
	EOS
'

test_expect_success 'expire: dates given' '
	for when in never now all 50.days.ago 10.days.ago "30 days" 12.hours.ago
	do
		for other in never now all 30.days.ago 90.days.ago
		do
			start &&
			git -C ours reflog expire --dry-run --verbose --expire="$when" \
				--expire-unreachable=$other main >dry &&
			sed -i "s/^would //" dry &&
			peers_git reflog expire --verbose --expire="$when" \
				--expire-unreachable=$other main &&
			test_cmp dry out.ours &&
			peers_git reflog expire --verbose --expire="$when" \
				--expire-unreachable=$other side &&
			peers_git reflog expire --verbose --expire="$when" \
				--expire-unreachable=$other HEAD &&
			same_logs || { echo "expire=$when unreachable=$other"; return 1; }
		done
	done &&
	peers_git reflog expire --expire=xyzzy main &&
	peers_git reflog expire --expire-unreachable=xyzzy main &&
	peers_git reflog expire --expire
'

test_expect_success 'expire --all, and one of them named too' '
	start &&
	unsorted reflog expire --expire=now --all main HEAD &&
	start &&
	stock -C ours worktree add -q ../wt side &&
	git -C wt reflog expire --expire=now --all HEAD side &&
	test_must_be_empty ours/.git/worktrees/wt/logs/HEAD &&
	stock -C ours worktree remove wt
'

test_expect_success 'expire: gc.<pattern>.reflogExpire' '
	for config in \
		"-c gc.reflogExpire=now" \
		"-c gc.reflogExpire=never -c gc.reflogExpireUnreachable=now" \
		"-c gc.refs/heads/s*.reflogExpire=now -c gc.refs/heads/s*.reflogExpireUnreachable=now" \
		"-c gc.refs/heads/s*.reflogExpire=50.days" \
		"-c gc.refs/heads/s*.reflogExpireUnreachable=now" \
		"-c gc.refs/*.reflogExpire=never -c gc.refs/heads/*.reflogExpire=now" \
		"-c gc.refs/stash.reflogExpire=now" \
		"-c gc.refs/stash.reflogExpire=now -c gc.reflogExpire=now"
	do
		start &&
		unsorted $config reflog expire --all --verbose &&
		start &&
		unsorted $config reflog expire --all --expire=90.days.ago --verbose || return 1
	done &&
	PEERS_STDERR=ignore peers_git -c gc.reflogExpire=xyzzy reflog expire main &&
	test_grep "not a valid timestamp" err.ours
'

# In stock git it depends on the objects that it met before, in the order of directories.
test_expect_success 'expire: nothing is reachable from an object that is no commit' '
	start &&
	(cd ours && days_ago 50 stock update-ref -m one --create-reflog refs/tags/tree HEAD^{tree} &&
	 days_ago 20 stock update-ref -m two refs/tags/tree $(echo blob | stock hash-object -w --stdin)) &&
	printf "%s one\nkeep two\n" "would prune" >expect &&
	git -C ours reflog expire --verbose --dry-run refs/tags/tree >out && test_cmp expect out &&
	git -C ours reflog expire --verbose --dry-run --all >out && grep " one\$\| two\$" out >actual &&
	test_cmp expect actual
'

test_expect_success 'expire: --rewrite, --updateref' '
	for options in --rewrite --updateref "--rewrite --updateref"
	do
		for when in now 10.days.ago 30.days.ago 90.days.ago
		do
			start &&
			peers_git reflog expire $options --verbose --expire=$when main &&
			same_logs &&
			peers_git reflog expire $options --verbose --expire=never \
				--expire-unreachable=$when side &&
			same_logs || return 1
		done
	done
'

test_expect_success 'expire: commits reachable only beyond the limit of the first walk' '
	start &&
	old=$(stock -C theirs rev-parse main~4) &&
	for d in ours theirs
	do
		(cd $d && days_ago 40 stock update-ref -m "far back" refs/heads/side $old &&
		 days_ago 39 stock update-ref -m "and forth" refs/heads/side main) || return 1
	done &&
	peers_git reflog expire --verbose side &&
	test_grep "keep far back" out.ours &&
	same_logs
'

test_expect_success 'expire --stale-fix' '
	start &&
	for d in ours theirs
	do
		(cd $d &&
		 blob=$(echo lost | stock hash-object -w --stdin) &&
		 tree=$(printf "100644 blob $blob\tf\n" | stock mktree) &&
		 c1=$(stock commit-tree -m lost $tree) &&
		 c2=$(stock commit-tree -m child -p $c1 "$EMPTY_TREE") &&
		 good=$(stock commit-tree -m fine -p main "$EMPTY_TREE") &&
		 stock update-ref -m "to good" refs/heads/side $good &&
		 stock update-ref -m "to lost" refs/heads/side $c1 &&
		 stock update-ref -m "to child" refs/heads/side $c2 &&
		 stock update-ref -m "to main" refs/heads/side main &&
		 stock update-ref -m "to side" refs/heads/side main~1 &&
		 rm .git/objects/$(echo $blob | sed "s,^..,&/,")) || return 1
	done &&
	peers_git reflog expire --stale-fix --verbose --expire=never --expire-unreachable=never \
		side &&
	test_grep "^keep to good" out.ours &&
	test_grep "^prune to child" out.ours &&
	test_grep "^keep to side" out.ours &&
	same_logs
'

test_expect_success 'delete' '
	start &&
	each_line <<-\EOS
	reflog delete --dry-run --verbose main@{1}
	reflog delete --verbose main@{1}
	reflog delete --verbose main@{0}
	reflog delete --verbose --rewrite main@{2}
	reflog delete --verbose --updateref main@{0}
	reflog delete --verbose --updateref --rewrite side@{0}
	reflog delete --verbose --updateref HEAD@{0}
	reflog delete --verbose main@{99}
	reflog delete --verbose main@{30.days.ago}
	reflog delete --verbose main@{200.days.ago}
	reflog delete --verbose main@{1} main@{1} HEAD@{0} main@{0}
	reflog delete --verbose --dry-run main@{1} main@{1}
	reflog delete
	reflog delete main
	reflog delete nope@{0}
	reflog delete nope@{0} main main@{0}
	reflog delete --verbose refs/stash@{1}
	reflog delete --verbose --rewrite --updateref stash@{0}
	EOS
'

test_expect_success 'delete all: an empty log stays' '
	each_line <<-\EOS &&
	reflog delete side@{0}
	reflog delete side@{0}
	reflog exists refs/heads/side
	reflog delete side@{0}
	EOS
	git -C ours reflog drop side &&
	test_path_is_missing ours/.git/logs/refs/heads/side
'

test_expect_success '--updateref of a packed ref' '
	start &&
	(cd theirs && stock pack-refs --all) &&
	rm -rf ours && cp -R theirs ours &&
	peers_git reflog delete --updateref --rewrite side@{0} &&
	same_logs &&
	peers_git reflog delete --verbose main@{0} &&
	same_logs
'

test_expect_success 'malformed lines are dropped, other bytes stay' '
	start &&
	log=.git/logs/refs/heads/side &&
	H=$(stock -C theirs rev-parse main) &&
	for d in ours theirs
	do
		(cd $d && printf "garbage\n%s %s A <a@b> $NOW -0530\tfoo\n\n%s %s half a line" \
			$H $H $H $H >>$log) || return 1
	done &&
	peers_git reflog expire --verbose --expire=95.days.ago --expire-unreachable=never side &&
	same_logs
'

test_expect_success 'a message without a tab before it' '
	start &&
	H=$(stock -C theirs rev-parse main) &&
	for d in ours theirs
	do
		printf "%s %s A <a@b> $NOW -0530 no tab\n%s %s A <a@b> $NOW +0100none\tat all\n%s %s A <a@b> $NOW +01\tx\n" \
			$H $H $H $H $H $H >>$d/.git/logs/refs/heads/side &&
		echo $H >$d/.git/refs/heads/side || return 1
	done &&
	peers_git rev-parse side@{0} &&
	peers_git reflog show --date=iso side &&
	peers_git log -g --format="%gd %gs" side
'

test_expect_success 'reflogs that do not change are not locked, and cost nothing' '
	start &&
	: >ours/.git/refs/heads/side.lock &&
	git -C ours reflog expire --expire=never --expire-unreachable=never --all &&
	test_path_is_file ours/.git/refs/heads/side.lock
'

test_expect_success 'a locked reflog is reported, and the others are expired' '
	start &&
	: >ours/.git/refs/heads/side.lock &&
	test_expect_code 255 git -C ours reflog expire --expire=now --all 2>err &&
	test_grep "cannot lock ref .refs/heads/side.*File exists" err &&
	test_file_not_empty ours/.git/logs/refs/heads/side &&
	test_must_be_empty ours/.git/logs/refs/heads/main &&
	rm ours/.git/refs/heads/side.lock &&
	: >ours/.git/logs/refs/heads/side.lock &&
	test_expect_code 255 git -C ours reflog expire --expire=now side 2>err &&
	test_grep "Unable to create.*logs/refs/heads/side.lock" err &&
	rm ours/.git/logs/refs/heads/side.lock &&
	git -C ours reflog expire --expire=now side &&
	test_must_be_empty ours/.git/logs/refs/heads/side &&
	test -z "$(find ours/.git -name "*.lock")"
'

test_expect_success 'a log without a ref' '
	start &&
	for d in ours theirs
	do
		mkdir -p $d/.git/logs/refs/heads/gone && cp $d/.git/logs/HEAD \
			$d/.git/logs/refs/heads/gone/it || return 1
	done &&
	unsorted reflog expire --all --verbose &&
	each_line <<-\EOS
	reflog expire gone/it
	reflog delete gone/it@{0}
	EOS
'

test_expect_success 'worktrees' '
	start &&
	for d in ours theirs
	do
		stock -C $d worktree add -q ../wt-$d side &&
		stock -C wt-$d commit -q --allow-empty -m new &&
		stock -C wt-$d update-ref refs/bisect/bad HEAD --create-reflog -m bad || return 1
	done &&
	W=.git/worktrees/wt-ours/logs &&
	git -C ours reflog expire --expire=now --all --single-worktree &&
	test_must_be_empty ours/.git/logs/HEAD &&
	test_file_not_empty ours/$W/HEAD &&
	git -C ours reflog expire --expire=now --all &&
	test_must_be_empty ours/$W/HEAD &&
	test_must_be_empty ours/$W/refs/bisect/bad &&
	stock -C wt-ours commit -q --allow-empty -m newer &&
	stock -C ours commit -q --allow-empty -m newer &&
	git -C wt-ours reflog >out &&
	test_line_count = 1 out &&
	git -C wt-ours reflog expire --expire=now --all --single-worktree &&
	test_must_be_empty ours/$W/HEAD &&
	test_file_not_empty ours/.git/logs/HEAD &&
	git -C wt-ours reflog expire --expire=now --all &&
	test_must_be_empty ours/.git/logs/HEAD
'

test_expect_success 'drop' '
	start &&
	git -C ours reflog drop side refs/tags/t &&
	git -C ours reflog list >out &&
	printf "HEAD\nrefs/heads/main\nrefs/stash\n" >expect &&
	test_cmp expect out &&
	test_expect_code 255 git -C ours reflog drop nope main 2>err &&
	test_grep "reflog could not be found: .nope." err &&
	test_path_is_missing ours/.git/logs/refs/heads/main &&
	test_expect_code 129 git -C ours reflog drop --all main &&
	git -C ours reflog drop --all &&
	git -C ours reflog list >out &&
	test_must_be_empty out &&
	stock -C ours fsck &&
	test -z "$(find ours/.git -name "*.lock")"
'

FAULT_GIT=$GIT_BUILD_DIR/t/helper/fault-git

# D1, D5, D2: contents before names, the logs before the ref, the seal at the end.
test_expect_success 'order: awaited, logs renamed, the ref, locks, one flush' '
	start &&
	unset GIT_TEST_FSYNC &&
	rm -f calls &&
	(cd ours && GIT_CONFIG_NOSYSTEM=1 GIT_TEST_FS_KIND=journal \
		GIT_TEST_SYSCALL_LOG=../calls "$FAULT_GIT" \
		reflog delete --updateref main@{0} HEAD@{0}) &&
	sed -n -e "s,\.git/,,g" -e "s/^writeout_wait //p" -e "s/^rename .* //p" \
		-e "s/^unlink /- /p" -e "s/^fsync .*/flush/p" calls >out &&
	cat >expect <<-\EOF &&
	logs/refs/heads/main.lock
	refs/heads/main.lock
	logs/HEAD.lock
	logs/refs/heads/main
	logs/HEAD
	refs/heads/main
	- HEAD.lock
	flush
	EOF
	test_cmp expect out
'

# EEXIST: the other process has made the directory, and removes it before anyone looks.
for error in ENOENT EEXIST; do
	test_expect_success "a directory that another process removes while a log is made in it: $error" '
		rm -rf gone && git init -q -b main gone && cd gone && git commit -q --allow-empty -m one && n=0 &&
		while rm -rf .git/refs/heads/p .git/logs/refs/heads/p calls && n=$((n + 1)) &&
			GIT_TEST_SYSCALL_LOG=calls GIT_TEST_SYSCALL_FAIL=$n:$error:mkdir "$FAULT_GIT" update-ref --create-reflog refs/heads/p/q/r HEAD || exit 1 &&
			git reflog exists refs/heads/p/q/r && grep injected calls; do :; done &&
		test $n -gt 4
	'
done

test_expect_success 'write: an entry, also of a ref that does not exist, with one flush' '
	git init -q -b main w && git -C w commit -q --allow-empty -m one && H=$(git -C w rev-parse HEAD) && cp w/.git/logs/refs/heads/main log &&
	n=$(GIT_TEST_FS_KIND=journal count_flushes git -C w reflog write refs/heads/none $ZERO_OID $H "$(printf "a  b\n\nc ")") && { ! test_have_prereq STRACE,FSYNC_BATCH || test "$n" = 1; } &&
	git -C w -c core.logAllRefUpdates=false reflog write refs/heads/main $H $ZERO_OID "" &&
	git -C w reflog write HEAD $H $H x && git -C w reflog write heads/d/e $H $H x &&
	ident="$(git -C w var GIT_COMMITTER_IDENT | sed "s/>.*/>/")" &&
	sed "s/> [0-9]*/> DATE/" w/.git/logs/refs/heads/none >out && printf "%s\ta b c\n" "$ZERO_OID $H $ident DATE +0100" >expect && test_cmp expect out &&
	tail -n 1 w/.git/logs/refs/heads/main | sed "s/> [0-9]*/> DATE/" >out && echo "$H $ZERO_OID $ident DATE +0100" >expect && test_cmp expect out &&
	test_line_count = 2 w/.git/logs/refs/heads/main && test_line_count = 2 w/.git/logs/HEAD && test_line_count = 1 w/.git/logs/heads/d/e &&
	test_must_fail git -C w rev-parse -q --verify refs/heads/none && test "$(git -C w rev-parse main HEAD | uniq)" = $H &&
	find w/.git -name "*.lock" >out && test_must_be_empty out && test_path_is_missing w/.git/refs/heads/d
'

test_expect_success 'write: bad names, objects and locks' '
	refused () { printf "fatal: $1\n" >expect && shift && test_expect_code 128 git -C w reflog write "$@" 2>err && test_cmp expect err; } &&
	none=$(echo $H | tr 0-9a-f 1-9a-f0) && cp -r w/.git/logs before &&
	for name in main FOO refs/heads/a..b MERGE_HEAD; do refused "invalid reference name: $name" $name $H $H m || return 1; done &&
	refused "invalid old object ID: \047main\047" refs/heads/main main $H m && refused "old object \047$none\047 does not exist" refs/heads/main $none $H m &&
	refused "invalid new object ID: \047${H%??}\047" refs/heads/main $H ${H%??} m && refused "new object \047$none\047 does not exist" refs/heads/main $H $none m &&
	test_expect_code 129 git -C w reflog write refs/heads/main $H $H && test_expect_code 129 git -C w reflog write refs/heads/main $H $H a b &&
	>w/.git/refs/heads/main.lock && test_expect_code 128 git -C w -c core.filesRefLockTimeout=0 reflog write refs/heads/main $H $H m && diff -r before w/.git/logs
'

test_done
