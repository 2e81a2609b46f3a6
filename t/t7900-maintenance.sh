#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git maintenance: tasks, when they are due, schedules; for-each-repo'
. "$(dirname "$0")/test-lib.sh"
unset GIT_TEST_AUTO_MAINTENANCE

HELPER=$GIT_BUILD_DIR/t/helper
PACKS=.git/objects/pack
MIDX=$PACKS/multi-pack-index

# regions CMD: the tasks that CMD runs, in order; those in the foreground with a "!"
regions () {
	rm -f "$TRASH_DIRECTORY/events" &&
	GIT_TRACE2_EVENT="$TRASH_DIRECTORY/events" git "$@" &&
	sed -n "/\"region_enter\"/s/.*\"category\":\"maintenance\( *[a-z]*\)\",\"label\":\"\([a-z-]*\)\".*/\1 \2/p" \
		"$TRASH_DIRECTORY/events" | sed "s/^ foreground /!/; s/^ *//" | tr "\n" " " | sed "s/ $//"
}

# loose N: writes N new loose blobs
loose () {
	i=0 && while test $i -lt "$1"
	do
		nr=$((${nr:-0} + 1)) && i=$((i + 1)) && echo "$nr" >blob-$nr || return 1
	done &&
	ls blob-* | git -c bulkCheckin.unpackLimit=0 hash-object -w --stdin-paths >oids && rm -f blob-*
}

nr_loose () {
	git count-objects | sed "s/ .*//"
}

nr_packs () {
	ls $PACKS/*.pack 2>/dev/null | wc -l | tr -d " "
}

# in_17 N: N loose objects with names that begin with 17
in_17 () {
	mkdir -p .git/objects/17 && for i in $(seq "$1")
	do
		cp .git/objects/[0-9a-f][0-9a-f]/* .git/objects/17/ 2>/dev/null
		break
	done &&
	one=$(ls .git/objects/17 | head -n 1) && for i in $(seq "$1")
	do
		cp .git/objects/17/$one .git/objects/17/$(printf "%0$((OID_HEXLEN - 2))d" "$i") || return 1
	done &&
	for f in .git/objects/17/*
	do
		case $f in */0*) ;; *) rm -f "$f" || return 1 ;; esac
	done
}

needed () {
	test_expect_code 0 git "$@" maintenance is-needed --auto
}

not_needed () {
	test_expect_code 1 git "$@" maintenance is-needed --auto
}

# is_due TASK CONFIG...
is_due () {
	task=$1 && shift &&
	test_expect_code 0 git "$@" maintenance is-needed --auto --task=$task
}

is_not_due () {
	task=$1 && shift &&
	test_expect_code 1 git "$@" maintenance is-needed --auto --task=$task
}

HOME=$PWD/home && mkdir home && export HOME
unset XDG_CONFIG_HOME GIT_CONFIG_GLOBAL

test_expect_success 'usage' '
	git init -q empty &&
	(
		cd empty &&
		for args in "" nothing "run x" "run --task=x" "run --task=gc --task=gc" "is-needed x" "register x" \
			"unregister x" "start x" "stop x" "stop --scheduler=auto" "run --unknown"
		do
			test_expect_code 129 git maintenance $args 2>err && test_file_not_empty err || exit 1
		done &&
		for args in "run --auto --schedule=daily" "run --task=pack-refs --schedule=daily" \
			"run --schedule=monthly" "-c maintenance.strategy=x"
		do
			set -- $args &&
			case $1 in
			-c)	set -- "$1" "$2" maintenance run ;;
			*)	set -- maintenance "$@" ;;
			esac &&
			test_expect_code 128 git "$@" 2>err && test_grep "^fatal: " err || exit 1
		done &&
		test_expect_code 129 git maintenance -h >out && test_grep "^usage: git maintenance" out
	) &&
	test_expect_code 128 git maintenance run 2>err && test_grep "not a git repository" err
'

# able TASKS: those of them that this git can do; the others are left out of strategies
able () {
	out= &&
	for task in $1
	do
		case " $missing " in
		*" ${task#!} "*) ;;
		*) out="$out${out:+ }$task" ;;
		esac
	done &&
	echo "$out"
}

test_expect_success 'maintenance runs the tasks of its strategy' '
	(
		cd empty &&
		missing= && for t in gc geometric-repack commit-graph worktree-prune rerere-gc pack-refs reflog-expire
		do
			git maintenance run --task=$t 2>err ||
			{ test_grep "^fatal: task .$t. is not available" err && missing="$missing $t"; } || exit 1
		done &&
		is () { test "$1" = "$(able "$2")" || { echo "$1 instead of $(able "$2")"; return 1; }; } &&
		G="!pack-refs !reflog-expire geometric-repack commit-graph worktree-prune rerere-gc" &&
		is "$(regions maintenance run)" "$G" &&
		is "$(regions -c maintenance.strategy=geometric maintenance run)" "$G" &&
		is "$(regions -c maintenance.strategy=none maintenance run)" "" &&
		is "$(regions -c maintenance.strategy=gc maintenance run)" gc &&
		is "$(regions -c maintenance.strategy=INCREMENTAL maintenance run)" gc &&
		is "$(regions maintenance run --auto)" "" &&
		# by schedule: the default is nothing
		is "$(regions maintenance run --schedule=weekly)" "" &&
		s () { regions -c maintenance.strategy=$1 maintenance run --schedule=$2; } &&
		is "$(s gc hourly)" "" && is "$(s gc daily)" gc && is "$(s gc weekly)" gc &&
		is "$(s geometric hourly)" commit-graph &&
		is "$(s geometric daily)" "!pack-refs geometric-repack commit-graph" &&
		is "$(s geometric weekly)" "$G" &&
		is "$(s incremental hourly)" "prefetch commit-graph" &&
		is "$(s incremental daily)" "prefetch loose-objects incremental-repack commit-graph" &&
		is "$(s incremental weekly)" "!pack-refs prefetch loose-objects incremental-repack commit-graph"
	)
'

test_expect_success 'maintenance runs tasks by their own settings and by --task' '
	(
		cd empty &&
		r () { regions -c maintenance.strategy=none "$@"; } &&
		test "$(r -c maintenance.pack-refs.enabled=true maintenance run)" = "!pack-refs" &&
		test "$(regions -c maintenance.strategy=gc -c maintenance.gc.enabled=false \
			-c maintenance.commit-graph.enabled maintenance run)" = commit-graph &&
		# a schedule alone does not enable a task, and one that is enabled needs a schedule
		test "$(r -c maintenance.pack-refs.schedule=daily maintenance run --schedule=daily)" = "" &&
		test "$(r -c maintenance.pack-refs.enabled=true maintenance run --schedule=daily)" = "" &&
		e="-c maintenance.pack-refs.enabled=true" &&
		test "$(r $e -c maintenance.pack-refs.schedule=daily maintenance run --schedule=hourly)" = "" &&
		test "$(r $e -c maintenance.pack-refs.schedule=Daily maintenance run --schedule=weekly)" = "!pack-refs" &&
		test "$(r $e -c maintenance.pack-refs.schedule=never maintenance run --schedule=weekly)" = "" &&
		test "$(regions -c maintenance.strategy=incremental -c maintenance.pack-refs.schedule=hourly \
			-c maintenance.prefetch.enabled=no maintenance run --schedule=hourly)" = "!pack-refs commit-graph" &&
		# named ones in the order in which they are named
		test "$(regions -c maintenance.commit-graph.enabled=false maintenance run --task=commit-graph \
			--task=reflog-expire --task=loose-objects --task=pack-refs)" = \
			"!reflog-expire !pack-refs commit-graph loose-objects"
	)
'

# ---- tasks ----

test_expect_success 'commit-graph: a layer for new commits' '
	git init -q graph &&
	(
		cd graph && test_commit one && test_commit two &&
		git maintenance run --task=commit-graph && git commit-graph verify &&
		test_line_count = 1 .git/objects/info/commit-graphs/commit-graph-chain &&
		is_not_due commit-graph -c maintenance.commit-graph.auto=1 &&
		test_commit three && is_due commit-graph -c maintenance.commit-graph.auto=1 &&
		is_not_due commit-graph -c maintenance.commit-graph.auto=2 &&
		git update-ref refs/heads/other $(git commit-tree -p HEAD~1 -m side HEAD^{tree}) &&
		is_due commit-graph -c maintenance.commit-graph.auto=2 &&
		is_not_due commit-graph -c maintenance.commit-graph.auto=3 &&
		is_not_due commit-graph && is_not_due commit-graph -c maintenance.commit-graph.auto=0 &&
		is_due commit-graph -c maintenance.commit-graph.auto=-1 &&
		is_not_due commit-graph -c maintenance.commit-graph.auto=1 -c core.commitGraph=false &&
		git -c core.commitGraph=false maintenance run --task=commit-graph &&
		is_due commit-graph -c maintenance.commit-graph.auto=1 &&
		git maintenance run --task=commit-graph && is_not_due commit-graph -c maintenance.commit-graph.auto=1 &&
		# where no graph is used, none is ever due
		git replace -h >/dev/null 2>&1 || test $? != 129 ||
		git update-ref refs/replace/$(git rev-parse HEAD) $(git rev-parse HEAD~1) &&
		git update-ref refs/replace/$(git rev-parse HEAD) $(git rev-parse HEAD~1) && test_commit four &&
		is_not_due commit-graph -c maintenance.commit-graph.auto=1
	)
'

test_expect_success 'loose-objects: into a pack, and then away' '
	git init -q loose &&
	(
		cd loose && test_commit one && loose 120 &&
		git cat-file --batch-all-objects --batch-check >../loose.all && n=$(nr_loose) && test $n = 123 &&
		is_due loose-objects && is_due loose-objects -c maintenance.loose-objects.auto=$n &&
		is_not_due loose-objects -c maintenance.loose-objects.auto=$((n + 1)) &&
		is_not_due loose-objects -c maintenance.loose-objects.auto=0 &&
		git -c maintenance.loose-objects.batchSize=50 maintenance run --task=loose-objects &&
		pack=$(ls $PACKS/loose-*.idx) && git show-index <$pack >list && test_line_count = 50 list &&
		git maintenance run --task=loose-objects && test "$(nr_loose)" = $((n - 50)) &&
		test "$(nr_packs)" = 2 && git maintenance run --task=loose-objects && test "$(nr_loose)" = 0 &&
		test "$(nr_packs)" = 2 && git cat-file --batch-all-objects --batch-check >actual &&
		test_cmp ../loose.all actual && git fsck && is_not_due loose-objects
	)
'

test_expect_success 'loose-objects: an object that is corrupt in its pack stays loose; precious objects stay' '
	git init -q keep &&
	(
		cd keep && loose 20 && git maintenance run --task=loose-objects && cp oids all &&
		git config extensions.preciousObjects true &&
		test_expect_code 1 git maintenance run --task=loose-objects 2>err && test_grep precious err &&
		test "$(nr_loose)" = 20 && git config --unset extensions.preciousObjects &&
		pack=$(ls $PACKS/loose-*.pack) && chmod u+w $pack &&
		printf "x" | dd of=$pack bs=1 seek=$(($(wc -c <$pack) / 2)) conv=notrunc 2>/dev/null &&
		git maintenance run --task=loose-objects 2>err && test "$(nr_loose)" -gt 0 &&
		git cat-file --batch <all >out 2>err && test_grep ! missing out &&
		rm -f $PACKS/loose-* && git cat-file --batch-check <all >out && grep -v missing out >left &&
		test_line_count = "$(nr_loose)" left
	)
'

test_expect_success 'loose-objects: a damaged one is an error that names it' '
	git init -q bad &&
	(
		cd bad && loose 3 && oid=$(head -n 1 oids) && f=.git/objects/$(echo $oid | sed "s|^..|&/|") &&
		chmod u+w $f && echo garbage >$f &&
		test_expect_code 1 git maintenance run --task=loose-objects 2>err && test_grep $oid err &&
		test_grep "^error: task .loose-objects. failed$" err && test "$(nr_packs)" = 0 &&
		# what comes after it is done all the same
		test_expect_code 1 git maintenance run --task=loose-objects --task=pack-refs --task=commit-graph
	)
'

test_expect_success 'incremental-repack: index, expire, repack' '
	git init -q inc && git -C inc config bulkCheckin.unpackLimit 1 &&
	(
		cd inc && git maintenance run --task=incremental-repack && test_path_is_missing $MIDX &&
		for i in 1 2 3 4 5; do "$HELPER/random-history" $i $((i * 10)) b$i || exit 1; done &&
		git cat-file --batch-all-objects --batch-check >../inc.all &&
		is_not_due incremental-repack && is_due incremental-repack -c maintenance.incremental-repack.auto=5 &&
		is_not_due incremental-repack -c maintenance.incremental-repack.auto=6 &&
		is_not_due incremental-repack -c maintenance.incremental-repack.auto=5 -c core.multiPackIndex=false &&
		git maintenance run --task=incremental-repack && test_path_is_file $MIDX &&
		is_not_due incremental-repack -c maintenance.incremental-repack.auto=1 &&
		# some have been combined, and go with the next run, when others are
		test "$(nr_packs)" = 6 && git maintenance run --task=incremental-repack && test "$(nr_packs)" -lt 6 &&
		for i in 1 2 3 4; do git maintenance run --task=incremental-repack || exit 1; done &&
		test "$(nr_packs)" = 2 &&
		git multi-pack-index verify && git cat-file --batch-all-objects --batch-check >actual &&
		test_cmp ../inc.all actual && git fsck &&
		git -c core.multiPackIndex=false maintenance run --task=incremental-repack 2>err &&
		test_grep "^warning: skipping incremental-repack task because core.multiPackIndex is disabled$" err
	)
'

test_expect_success 'pack-refs: all; with --auto many' '
	git init -q --ref-format=files refs &&
	(
		cd refs && test_commit --tag one one && git maintenance run --task=pack-refs &&
		test_path_is_missing .git/refs/tags/one && test_grep refs/tags/one .git/packed-refs &&
		git branch b && is_not_due pack-refs && git maintenance run --auto --task=pack-refs &&
		test_path_is_file .git/refs/heads/b &&
		for i in $(seq 14); do echo "create refs/tags/t$i HEAD"; done | git update-ref --stdin &&
		for i in $(seq 14); do git rev-parse HEAD >.git/refs/heads/l$i; done && is_not_due pack-refs &&
		git branch c && is_due pack-refs && needed &&
		git maintenance run --auto --task=pack-refs && test_path_is_missing .git/refs/heads/b &&
		is_not_due pack-refs && git fsck
	)
'

# Each table is less than half as long as the one before it: a write merges none of them.
test_expect_success 'pack-refs of tables: all; with --auto many' '
	git init -q --ref-format=reftable tables &&
	(
		cd tables && test_commit --tag one one && git config reftable.geometricFactor 1 && list=.git/reftable/tables.list &&
		test_line_count -gt 1 $list && is_not_due pack-refs && git maintenance run --auto --task=pack-refs && test_line_count -gt 1 $list &&
		git maintenance run --task=pack-refs && test_line_count = 1 $list &&
		for n in 560 260 120 56 26 12 5 2 1; do
			for i in $(seq $n); do echo "create refs/tags/$n-$i HEAD"; done | git update-ref --stdin || exit 1
		done &&
		test_line_count -gt 8 $list && is_due pack-refs && needed && git for-each-ref >before &&
		git maintenance run --auto --task=pack-refs && test_line_count = 1 $list && is_not_due pack-refs &&
		git for-each-ref >after && test_cmp before after && git fsck
	)
'

test_expect_success 'reflog-expire: due when HEAD has many old entries' '
	git init -q logs &&
	(
		cd logs && test_commit one && git branch b && c=$(git rev-parse HEAD) &&
		for i in 1 2 3; do GIT_COMMITTER_DATE="100000000$i +0000" git reflog write HEAD $c $c old || exit 1; done &&
		# with that of the commit, whose date is old, too
		is_due reflog-expire -c maintenance.reflog-expire.auto=4 &&
		is_not_due reflog-expire -c maintenance.reflog-expire.auto=5 && is_not_due reflog-expire &&
		is_not_due reflog-expire -c maintenance.reflog-expire.auto=3 -c gc.reflogExpire=never \
			-c gc.reflogExpireUnreachable=never &&
		git maintenance run --task=reflog-expire && reflog_lines . HEAD >log && test_must_be_empty log &&
		is_not_due reflog-expire -c maintenance.reflog-expire.auto=1 && git reflog drop HEAD &&
		is_not_due reflog-expire -c maintenance.reflog-expire.auto=1
	)
'

test_expect_success 'worktree-prune, rerere-gc' '
	git init -q left &&
	(
		cd left && test_commit one && mkdir -p .git/worktrees/gone .git/rr-cache &&
		echo "$PWD/gone/.git" >.git/worktrees/gone/gitdir && echo ../.. >.git/worktrees/gone/commondir &&
		echo "ref: refs/heads/x" >.git/worktrees/gone/HEAD && : >.git/worktrees/gone/index &&
		is_not_due worktree-prune && is_due worktree-prune -c gc.worktreePruneExpire=now &&
		is_not_due worktree-prune -c gc.worktreePruneExpire=now -c maintenance.worktree-prune.auto=2 &&
		git maintenance run --task=worktree-prune && test_path_is_dir .git/worktrees/gone &&
		touch -d "2020-01-01" .git/worktrees/gone/* .git/worktrees/gone && is_due worktree-prune &&
		git maintenance run --task=worktree-prune && test_path_is_missing .git/worktrees/gone &&
		is_not_due rerere-gc && mkdir .git/rr-cache/$(git rev-parse HEAD) && is_due rerere-gc &&
		: >.git/rr-cache/$(git rev-parse HEAD)/preimage && git maintenance run --task=rerere-gc &&
		test_path_is_file .git/rr-cache/$(git rev-parse HEAD)/preimage &&
		touch -d "2020-01-01" .git/rr-cache/*/preimage && git maintenance run --task=rerere-gc &&
		test_path_is_missing .git/rr-cache/$(git rev-parse HEAD) && is_not_due rerere-gc
	)
'

test_expect_success 'prefetch: each remote, below refs/prefetch/, without tags and FETCH_HEAD' '
	git init -q -b main there && test_commit --tag t1 -C there one && git -C there branch gone && git init -q pre &&
	(
		cd pre && git maintenance run --task=prefetch && git config remote.empty.prune true && git maintenance run --task=prefetch && git config remote.a.url /nowhere && git config remote.a.skipFetchAll true &&
		git remote add b ../there && GIT_TRACE2_EVENT=$PWD/trace git -c maintenance.loose-objects.enabled=true -c maintenance.loose-objects.auto=-1 maintenance run --task=pack-refs --task=prefetch 2>err &&
		test_grep "\"fetch\".*prefetch" trace && ! grep "\"maintenance\",\"run\",\"--auto\"" trace &&
		git for-each-ref --format="%(refname)" >refs && printf "refs/prefetch/remotes/b/%s\n" gone main >expect && test_cmp expect refs &&
		test_path_is_missing .git/FETCH_HEAD && git -C ../there branch -q -D gone && git update-ref refs/remotes/b/gone refs/prefetch/remotes/b/main && git maintenance run --quiet --task=prefetch >out 2>&1 &&
		test_must_be_empty out && git for-each-ref --format="%(refname)" >refs && printf "refs/%s\n" prefetch/remotes/b/main remotes/b/gone >expect &&
		test_cmp expect refs && git config remote.a.skipFetchAll false && git -C ../there branch new && test_expect_code 1 git maintenance run --task=prefetch 2>err &&
		test_grep "nowhere. does not appear to be a git repository" err && test_grep "^error: failed to prefetch remotes" err &&
		test_grep "^error: task .prefetch. failed" err && git rev-parse -q --verify refs/prefetch/remotes/b/new &&
		git remote remove a && test "$(regions -c maintenance.strategy=incremental maintenance run --schedule=hourly)" = "prefetch commit-graph"
	)
'

# ---- the lock ----

# refs_packed: all refs are packed, or in one table
refs_packed () {
	if test_have_prereq REFFILES; then
		test -z "$(find .git/refs -type f)"
	else
		test "$(wc -l <.git/reftable/tables.list)" = 1
	fi
}

test_expect_success 'one at a time' '
	git init -q lock && git -C lock config maintenance.strategy gc &&
	(
		cd lock && test_commit --tag one one && : >.git/objects/maintenance.lock &&
		git maintenance run --task=pack-refs --no-quiet 2>err &&
		test_grep "^warning: lock file .*objects/maintenance.lock. exists, skipping maintenance$" err &&
		! refs_packed &&
		git maintenance run --task=pack-refs 2>err && test_must_be_empty err &&
		git maintenance run --auto --no-quiet 2>err && test_must_be_empty err &&
		rm .git/objects/maintenance.lock && git maintenance run --task=pack-refs &&
		refs_packed && test_path_is_missing .git/objects/maintenance.lock
	)
'

# ---- after commands ----

# children CMD: the commands that CMD starts
children () {
	rm -f "$TRASH_DIRECTORY/trace" &&
	GIT_TRACE="$TRASH_DIRECTORY/trace" git "$@" >/dev/null 2>&1 &&
	sed -n "s/.*trace: run_command: *//p" "$TRASH_DIRECTORY/trace" | sed "s/.*git maintenance/maintenance/"
}

# many_refs NAME: loose ones. A commit writes to a table so much that it merges the short ones itself.
many_refs () {
	for i in $(seq 20); do git rev-parse HEAD >.git/refs/heads/$1$i || return 1; done
}

test_expect_success 'commit starts nothing while nothing is due' '
	git init -q --ref-format=files auto &&
	(
		cd auto && test_commit one && loose 50 && children commit --allow-empty -m x >out &&
		if test -d .git/objects/17 && test "$(ls .git/objects/17 | wc -l)" -gt 1; then :; else test_must_be_empty out; fi &&
		rm -rf .git/objects/17 && test "$(children commit --allow-empty -m y)" = ""
	)
'

test_expect_success 'commit packs refs when there are many' '
	(
		cd auto && many_refs a && test_path_is_missing .git/packed-refs &&
		test "$(children commit -q --allow-empty -m x)" = "maintenance run --auto --quiet --detach" &&
		test_grep refs/heads/a20 .git/packed-refs && test_path_is_missing .git/refs/heads/a1 &&
		test "$(children commit -q --allow-empty -m x)" = "" &&
		many_refs b && many_refs c &&
		for c in maintenance.auto=false gc.auto=0 maintenance.pack-refs.enabled=false maintenance.strategy=none
		do
			test "$(children -c $c commit -q --allow-empty -m x)" = "" || exit 1
		done &&
		test "$(children -c maintenance.autoDetach=false commit --allow-empty -m x)" = \
			"maintenance run --auto --no-quiet --no-detach" && test_path_is_missing .git/refs/heads/c1 &&
		many_refs d && many_refs e &&
		test "$(children -c gc.auto=0 -c maintenance.auto=true -c gc.autoDetach=false commit --allow-empty -m x)" = \
			"maintenance run --auto --no-quiet --no-detach" && test_path_is_missing .git/refs/heads/d1
	)
'

test_expect_success 'commit succeeds and reports a bad maintenance setting' '
	(
		cd auto && git -c maintenance.auto=x commit -q --allow-empty -m stays 2>err &&
		test_grep "^warning: automatic maintenance: " err && git log -1 --format=%s >out &&
		test_grep "^stays$" out &&
		git -c maintenance.strategy=x commit -q --allow-empty -m stays-too 2>err &&
		test_grep "^warning: automatic maintenance: unknown maintenance strategy" err
	)
'

test_expect_success STRACE,FSYNC_BATCH 'automatic maintenance does not change the cost of a commit' '
	(
		cd auto && many_refs f && count_flushes git -c maintenance.auto=false commit -q --allow-empty -m x >one &&
		git commit -q --allow-empty -m y && count_flushes git commit -q --allow-empty -m z >two &&
		test_cmp one two
	)
'

# wait_for CMD: until it succeeds
wait_for () {
	until "$@"; do sleep 0.1; done
}

has_loose_pack () {
	ls $PACKS/loose-*.idx >/dev/null 2>&1
}

# A git that waits, in the background, until the file go is there, and notes what it has open.
test_expect_success 'a git that waits in the background' '
	mkdir exec && git=$(command -v git) && write_script exec/git <<-EOF
	case "\$*" in
	*--skip-foreground-tasks*)
		ls -l /proc/\$\$/fd >"$PWD/fds" && cut -d" " -f6 /proc/\$\$/stat >"$PWD/session"
		echo "\$\$" >"$PWD/pid"
		until test -f "$PWD/go"; do sleep 0.1; done ;;
	esac
	exec "$git" "\$@"
	EOF
'

test_lazy_prereq PROC 'test -r /proc/$$/fd && test -r /proc/$$/stat'
test_expect_success PROC 'refs in the foreground, objects in the background, which holds nothing of ours' '
	git init -q --ref-format=files back && rm -f go &&
	(
		cd back && test_commit one && git config maintenance.loose-objects.enabled true &&
		git config maintenance.loose-objects.auto -1 && git config maintenance.geometric-repack.enabled false &&
		many_refs a &&
		# this would wait for a process that has the pipe open
		out=$(GIT_EXEC_PATH=$TRASH_DIRECTORY/exec git commit -q --allow-empty -m x 7>&1 8>&1 2>&1) &&
		test "$out" = "" && test_path_is_missing .git/refs/heads/a1 && test "$(nr_packs)" = 0 &&
		wait_for test -s ../pid && test_cmp ../pid ../session &&
		test_grep ! "pipe:" ../fds && test $(grep -c "/dev/null" ../fds) -ge 3 &&
		: >../go && wait_for has_loose_pack && wait_for test ! -f .git/objects/maintenance.lock
	)
'

test_expect_success 'the next command prints the failure of background maintenance' '
	(
		cd back && loose 3 && oid=$(head -n 1 oids) && f=.git/objects/$(echo $oid | sed "s|^..|&/|") &&
		cp $f whole && chmod u+w $f && echo garbage >$f && rm -f .git/gc.log &&
		git maintenance run --auto --quiet --detach && wait_for test -s .git/gc.log &&
		wait_for test ! -f .git/objects/maintenance.lock &&
		test_grep "^error: loose object $oid" .git/gc.log && test_grep "task .loose-objects. failed" .git/gc.log &&
		children commit -q --allow-empty -m x >out && echo "maintenance run --auto --quiet --detach" >expect &&
		test_cmp expect out &&
		git commit -q --allow-empty -m y 2>err && test_grep "the last maintenance in the background failed" err &&
		test_grep "$oid" err &&
		# an old one is not heeded, and one that succeeds takes it away
		touch -d "3 days ago" .git/gc.log && cat whole >$f && git commit -q --allow-empty -m z 2>err &&
		test_must_be_empty err && wait_for test ! -f .git/gc.log && git fsck &&
		wait_for test ! -f .git/objects/maintenance.lock
	)
'

# ---- register, unregister ----

test_expect_success 'register and unregister' '
	git init -q reg &&
	(
		cd reg && top=$(pwd -P) && mkdir sub && git -C sub maintenance register &&
		echo "$top" >expect && git config --global --get-all maintenance.repo >actual && test_cmp expect actual &&
		test "$(git config --local maintenance.auto)" = false &&
		test "$(git config --local maintenance.strategy)" = incremental &&
		git maintenance register && git config --global --get-all maintenance.repo >actual &&
		test_cmp expect actual &&
		git config --global --add maintenance.repo /else/where && git maintenance unregister &&
		git config --global --get-all maintenance.repo >actual && echo /else/where >expect && test_cmp expect actual &&
		test_expect_code 128 git maintenance unregister 2>err &&
		test_grep "^fatal: repository .$top. is not registered" err && git maintenance unregister --force &&
		git config maintenance.strategy gc && git maintenance register --config-file ../list &&
		test "$(git config --local maintenance.strategy)" = gc &&
		git config --global --get-all maintenance.repo >actual && test_cmp expect actual &&
		git -C sub maintenance register --config-file=../../list &&
		test "$(git config --file ../list --get-all maintenance.repo)" = "$top" &&
		git maintenance unregister --config-file=../list &&
		test_expect_code 1 git config --file ../list maintenance.repo &&
		test_expect_code 128 git maintenance unregister --config-file=../list 2>err &&
		# characters that mean something in patterns
		git init -q "../a+b.[c]*" && cd "../a+b.[c]*" && git maintenance register && git maintenance unregister &&
		git config --global --get-all maintenance.repo >actual && test_cmp ../reg/expect actual
	) &&
	git init -q --bare reg.git && git -C reg.git maintenance register &&
	test "$(git config --global --get-all maintenance.repo | tail -n 1)" = "$(pwd -P)/reg.git" &&
	rm home/.gitconfig
'

# ---- start, stop ----

test_expect_success 'programs that stand for schedulers' '
	mkdir bin && write_script bin/crontab <<-\EOF &&
	dir=$(dirname "$0")
	echo "crontab $*" | sed "s| /.*| FILE|" >>"$dir/log"
	case $1 in
	-l)	if test -f "$dir/table"; then cat "$dir/table"; else echo >&2 "no crontab"; exit 1; fi ;;
	*)	cat "$1" >"$dir/table" ;;
	esac
	EOF
	write_script bin/systemctl <<-\EOF
	dir=$(dirname "$0")
	echo "systemctl $*" >>"$dir/log"
	test ! -f "$dir/broken" || case $* in *weekly*) exit 1 ;; esac
	EOF
'

CRON="crontab:$PWD/bin/crontab" SYSTEMD="systemctl:$PWD/bin/systemctl"
UNITS=$HOME/.config/systemd/user

test_expect_success 'start --scheduler=crontab' '
	git init -q start &&
	(
		cd start && GIT_TEST_MAINT_SCHEDULER=$CRON && export GIT_TEST_MAINT_SCHEDULER &&
		echo "1 2 3 4 5 mine" >../bin/table && git maintenance start --scheduler=crontab &&
		test "$(git config --global maintenance.repo)" = "$(pwd -P)" &&
		head -n 1 ../bin/table >first && echo "1 2 3 4 5 mine" >expect && test_cmp expect first &&
		sed -n 2p ../bin/table >second && test_grep "^# BEGIN GIT MAINTENANCE SCHEDULE$" second &&
		tail -n 1 ../bin/table >last && test_grep "^# END GIT MAINTENANCE SCHEDULE$" last &&
		grep -v "^#" ../bin/table | grep " run --schedule=" >lines && test_line_count = 3 lines &&
		minute=$(sed -n "s/ 1-23 .*//p" lines) && test "$minute" -ge 0 && test "$minute" -lt 60 &&
		test_grep "^$minute 1-23 [*] [*] [*] .*git\" --exec-path=.* for-each-repo --keep-going --config=maintenance.repo maintenance run --schedule=hourly$" lines &&
		test_grep "^$minute 0 [*] [*] 1-6 .* --schedule=daily$" lines &&
		test_grep "^$minute 0 [*] [*] 0 .* --schedule=weekly$" lines &&
		# again: one region; and stop: as it was
		git maintenance start && grep -c "BEGIN GIT" ../bin/table >count && echo 1 >expect && test_cmp expect count &&
		git maintenance stop && echo "1 2 3 4 5 mine" >expect && test_cmp expect ../bin/table &&
		rm ../bin/table && git maintenance start && test_grep "schedule=weekly" ../bin/table
	)
'

test_expect_success 'the lines of the crontab do what they should' '
	(
		cd start && git config maintenance.strategy none && git config maintenance.pack-refs.enabled true &&
		git config maintenance.pack-refs.schedule daily && test_commit --tag one one &&
		line=$(sed -n "/=hourly/s/^[^\"]*//p" ../bin/table) && (cd / && sh -c "$line") &&
		! refs_packed &&
		line=$(sed -n "/=daily/s/^[^\"]*//p" ../bin/table) && (cd / && sh -c "$line") &&
		refs_packed
	)
'

test_expect_success 'a crontab with half a region is not touched' '
	(
		cd start && GIT_TEST_MAINT_SCHEDULER=$CRON && export GIT_TEST_MAINT_SCHEDULER &&
		printf "%s\n" "# BEGIN GIT MAINTENANCE SCHEDULE" "my own" >../bin/table && cp ../bin/table before &&
		test_expect_code 128 git maintenance stop 2>err && test_grep "BEGIN GIT MAINTENANCE" err &&
		test_cmp before ../bin/table && rm ../bin/table
	)
'

test_expect_success 'start --scheduler=systemd-timer' '
	(
		cd start && GIT_TEST_MAINT_SCHEDULER=$CRON,$SYSTEMD && export GIT_TEST_MAINT_SCHEDULER &&
		git maintenance start --scheduler=crontab && test_grep schedule=hourly ../bin/table && rm ../bin/log &&
		git maintenance start && test_grep ! schedule=hourly ../bin/table &&
		for f in hourly daily weekly; do echo "systemctl --user enable --now git-maintenance@$f.timer"; done >expect &&
		grep "enable" ../bin/log >actual && test_cmp expect actual &&
		(cd "$UNITS" && ls) >actual && printf "%s\n" git-maintenance@.service git-maintenance@daily.timer \
			git-maintenance@hourly.timer git-maintenance@weekly.timer >expect && test_cmp expect actual &&
		test_grep "^OnCalendar=[*]-[*]-[*] 1..23:[0-5][0-9]:00$" "$UNITS/git-maintenance@hourly.timer" &&
		test_grep "^OnCalendar=Tue..Sun [*]-[*]-[*] 0:[0-5][0-9]:00$" "$UNITS/git-maintenance@daily.timer" &&
		test_grep "^OnCalendar=Mon [*]-[*]-[*] 0:[0-5][0-9]:00$" "$UNITS/git-maintenance@weekly.timer" &&
		test_grep "^ExecStart=\".*git\" \"--exec-path=.*for-each-repo.* --schedule=%i$" "$UNITS/git-maintenance@.service" &&
		rm ../bin/log && git maintenance stop &&
		for f in hourly daily weekly; do echo "systemctl --user disable --now git-maintenance@$f.timer"; done >expect &&
		grep "able" ../bin/log >actual && test_cmp expect actual && (cd "$UNITS" && ls) >actual &&
		test_must_be_empty actual && test "$(git config --global maintenance.repo)" = "$(pwd -P)"
	)
'

test_expect_success 'start: XDG_CONFIG_HOME; a timer that cannot be started leaves nothing' '
	(
		cd start && GIT_TEST_MAINT_SCHEDULER=$SYSTEMD && XDG_CONFIG_HOME=$PWD/xdg &&
		export GIT_TEST_MAINT_SCHEDULER XDG_CONFIG_HOME && git maintenance start &&
		test_path_is_file "xdg/systemd/user/git-maintenance@.service" && : >../bin/broken &&
		test_expect_code 128 git maintenance start 2>err && test_grep "weekly.timer. failed$" err &&
		(cd xdg/systemd/user && ls) >actual && test_must_be_empty actual && rm ../bin/broken
	)
'

test_expect_success 'schedulers that are not there' '
	git init -q none &&
	(
		cd none && GIT_TEST_MAINT_SCHEDULER=systemctl:false && export GIT_TEST_MAINT_SCHEDULER &&
		for s in auto systemd-timer crontab launchctl schtasks
		do
			test_expect_code 128 git maintenance start --scheduler=$s 2>err && test_grep "^fatal: " err || exit 1
		done &&
		test_expect_code 129 git maintenance start --scheduler=nothing 2>err && test_grep "unrecognized --scheduler argument .nothing." err &&
		test_expect_code 128 git maintenance start 2>err &&
		test_grep "^fatal: neither systemd timers nor crontab are available$" err &&
		# nothing has been changed by then
		test_expect_code 1 git config --local maintenance.auto && git maintenance stop
	)
'

test_expect_success STOCK_GIT 'stock Git removes what we have entered, and the other way round' '
	(
		cd start && GIT_TEST_MAINT_SCHEDULER=$CRON && export GIT_TEST_MAINT_SCHEDULER &&
		echo "1 2 3 4 5 mine" >../bin/table && cp ../bin/table before &&
		git maintenance start && stock maintenance stop && test_cmp before ../bin/table &&
		stock maintenance unregister && test_expect_code 1 git config --global maintenance.repo &&
		stock maintenance start --scheduler=crontab && git maintenance stop && test_cmp before ../bin/table &&
		git maintenance unregister && test_expect_code 1 git config --global maintenance.repo
	)
'

# ---- for-each-repo ----

test_expect_success 'for-each-repo' '
	git init -q each-1 && git init -q "each 2" &&
	git config --global --add each.repo "$PWD/each-1" && git config --global --add each.repo "$PWD/each 2" &&
	git for-each-repo --config=each.repo rev-parse --absolute-git-dir >actual &&
	printf "%s\n" "$PWD/each-1/.git" "$PWD/each 2/.git" >expect && test_cmp expect actual &&
	GIT_DIR=$PWD/start/.git git for-each-repo --config=Each.Repo -- rev-parse --absolute-git-dir >actual &&
	test_cmp expect actual &&
	git -c a.b=c for-each-repo --config=each.repo config a.b >actual && printf "c\nc\n" >expect && test_cmp expect actual &&
	git for-each-repo --config=nothing.there rev-parse && test_expect_code 128 git for-each-repo 2>err &&
	test_grep "^fatal: missing --config=<config>" err && test_expect_code 129 git for-each-repo --config=x rev-parse &&
	rm -rf each-1 && test_expect_code 128 git for-each-repo --config=each.repo rev-parse --git-dir >actual 2>err &&
	test_must_be_empty actual &&
	test_expect_code 1 git for-each-repo --keep-going --config=each.repo rev-parse --git-dir >actual 2>err &&
	echo .git >expect && test_cmp expect actual
'

test_expect_success 'geometric-repack: a large pack stays where the small ones are' '
	git init -q sizes && (
		cd sizes && "$GIT_BUILD_DIR/t/helper/random-history" 1 200 large && git repack -adq && large=$(echo .git/objects/pack/*.pack) &&
		for i in 2 3; do "$GIT_BUILD_DIR/t/helper/random-history" $i 5 small$i && git repack -dq || exit 1; done &&
		test $(ls .git/objects/pack/*.pack | wc -l) = 3 && git maintenance run --task=geometric-repack &&
		test_path_is_file $large && test $(ls .git/objects/pack/*.pack | wc -l) = 2
	)
'

test_expect_success '--no-quiet: no progress, where there is no terminal' '
	rm -rf loud && git init -q loud && test_commit -C loud one && test_commit -C loud two &&
	for task in gc geometric-repack incremental-repack; do
		git -C loud maintenance run --task=$task --no-quiet 2>err && test_grep ! "objects" err || return
	done
'

test_done
