#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='counts of flushes and awaited writeouts of each command

On a journalling file system one flush is enough for any command, elsewhere two
are. The numbers are those that strace sees, and those that trace2 tells.'
. "$(dirname "$0")/test-lib.sh"

# The method is chosen here, whatever variant of the suite runs.
unset GIT_TEST_FSYNC GIT_TEST_FS_KIND
GIT_CONFIG_NOSYSTEM=1
export GIT_CONFIG_NOSYSTEM

test_have_prereq STRACE || {
	skip_all='strace is missing or not allowed to trace'
	test_done
}

# A journalling file system: a new one if we may mount it, else the current directory,
# which is treated as one.
if test_have_prereq LOOPMNT && mount_loop journal 300M >/dev/null 2>&1; then
	:
else
	mkdir journal
	GIT_TEST_FS_KIND=journal
	export GIT_TEST_FS_KIND
fi
LARGE=${GIT_TEST_LARGE:-2000}

# count CMD...: sets $flushes and $writeouts
count () {
	t_strace fsync,fdatasync,syncfs,sync,msync,sync_file_range "$@" || return
	flushes=$(grep -c -E '(fsync|fdatasync|syncfs|sync|msync)\(' "$T_PRIVATE/strace" || :)
	writeouts=$(grep -c 'sync_file_range(.*SYNC_FILE_RANGE_WAIT' "$T_PRIVATE/strace" || :)
}

# new_repo NAME [CONFIG...]
new_repo () {
	rm -rf "$1" && git init -q "$1" || return
	repo=$1
	shift
	for setting; do
		git config --file "$repo/.git/config" "${setting%%=*}" "${setting#*=}" ||
		return
	done
}

# make_files DIR N: N small files in directories of a hundred
make_files () {
	mkdir -p "$1" && (
		cd "$1" &&
		i=0 &&
		while test $i -lt "$2"; do
			d=d$((i / 100))
			test -d $d || mkdir $d || exit
			echo "content $i" >$d/f$i || exit
			i=$((i + 1))
		done
	)
}

# ---- the default ----------------------------------------------------------

test_expect_success 'init costs one flush' '
	count git init -q journal/init &&
	test "$flushes" = 1
'

for n in 1 50 500 $LARGE; do
	test_expect_success "add of $n files costs one flush" '
		new_repo journal/repo &&
		make_files journal/repo/files $n &&
		count git -C journal/repo add . &&
		test "$flushes" = 1 &&
		git -C journal/repo ls-files >out &&
		test_line_count = $n out
	'
done

for how in --bare -q -s --no-hardlinks --no-local; do
	test_expect_success "clone $how costs one flush" '
		new_repo journal/many bulkCheckin.unpackLimit=10000 && make_files journal/many/files 300 &&
		git -C journal/many add . && git -C journal/many commit -q -m many &&
		for i in $(seq 50); do echo "create refs/tags/t$i HEAD"; done | git -C journal/many update-ref --stdin &&
		rm -rf journal/clone && count git clone $how journal/many journal/clone &&
		test "$flushes" = 1 && git -C journal/clone rev-parse -q --verify refs/tags/t50 &&
		case $how in -q|--no-hardlinks) test "$writeouts" -ge 300 ;; esac
	'
done

test_expect_success 'add of files that have been added already costs none' '
	count git -C journal/repo add . &&
	test "$flushes $writeouts" = "0 0"
'

test_expect_success 'first commit costs one flush' '
	count git -C journal/repo commit -q -m first &&
	test "$flushes" = 1
'

test_expect_success 'commit -a costs one flush' '
	echo more >>journal/repo/files/d0/f1 &&
	rm journal/repo/files/d0/f2 &&
	count git -C journal/repo commit -q -a -m second &&
	test "$flushes" = 1
'

test_expect_success 'config costs one flush' '
	count git -C journal/repo config x.y z &&
	test "$flushes $writeouts" = "1 1"
'

test_expect_success 'update-ref and symbolic-ref cost one flush' '
	count git -C journal/repo update-ref refs/heads/a/b/c HEAD &&
	test "$flushes" = 1 &&
	count git -C journal/repo symbolic-ref refs/heads/s refs/heads/a/b/c &&
	test "$flushes" = 1 &&
	count git -C journal/repo update-ref -d refs/heads/a/b/c &&
	test "$flushes" = 1
'

test_expect_success 'changes of a remote cost one flush, with its refs' '
	git -C journal/repo remote add rem . &&
	git -C journal/repo update-ref refs/remotes/rem/a HEAD &&
	git -C journal/repo update-ref refs/remotes/rem/b HEAD &&
	count git -C journal/repo remote rename rem other &&
	test "$flushes" = 1 &&
	count git -C journal/repo remote set-head other a &&
	test "$flushes" = 1 &&
	count git -C journal/repo remote rm other &&
	test "$flushes" = 1
'

test_expect_success 'update-server-info costs one flush' '
	count git -C journal/repo update-server-info &&
	test "$flushes" = 1 &&
	count git -C journal/repo update-server-info &&
	test "$flushes $writeouts" = "0 0"
'

test_expect_success 'bundle create costs one flush and one awaited writeout, however large' '
	count git -C journal/repo bundle create -q one.bundle HEAD &&
	test "$flushes $writeouts" = "1 1" &&
	count git -C journal/repo bundle create -q all.bundle --all &&
	test "$flushes $writeouts" = "1 1" &&
	count git -C journal/repo -c core.fsync=all,-pack bundle create -q all.bundle --all && test "$flushes $writeouts" = "0 0"
'

test_expect_success 'reflog expire, delete and drop cost one flush, however many logs' '
	i=0 &&
	while test $i -lt 30; do
		git -C journal/repo update-ref --create-reflog refs/heads/l$i HEAD || return 1
		i=$((i + 1))
	done &&
	count git -C journal/repo reflog delete l1@{0} l2@{0} l3@{0} &&
	test "$flushes $writeouts" = "1 $(if test_have_prereq REFFILES; then echo 3; else echo 2; fi)" &&
	count git -C journal/repo reflog expire --expire=now --all &&
	test "$flushes" = 1 &&
	count git -C journal/repo reflog expire --expire=now --all &&
	test "$flushes" = 0 &&
	count git -C journal/repo reflog drop --all &&
	test "$flushes" = 1
'

for n in 1 100 $LARGE; do
	for where in loose packed; do
		test_expect_success "transactions of $n refs that are $where cost one flush each" '
			c=$(git -C journal/repo rev-parse HEAD) p=$(git -C journal/repo rev-parse HEAD~1) &&
			seq -f "create refs/heads/n%.0f $c" $n >input &&
			count git -C journal/repo update-ref --stdin <input && test "$flushes" = 1 &&
			if test $where = loose; then
				seq -f "update refs/heads/n%.0f $p $c" $n >input &&
				"${STOCK_GIT:-git}" -C journal/repo -c core.fsync=none update-ref --stdin <input &&
				seq -f "update refs/heads/n%.0f $c $p" $n >input
			else
				seq -f "update refs/heads/n%.0f $p $c" $n >input
			fi &&
			count git -C journal/repo update-ref --stdin <input && test "$flushes" = 1 &&
			seq -f "delete refs/heads/n%.0f" $n >input &&
			count git -C journal/repo update-ref --stdin <input && test "$flushes" = 1 &&
			test -z "$(git -C journal/repo for-each-ref "refs/heads/n*")"
		'
	done
done

# once FLUSHES CMD...: in the repository; its output is not checked
once () {
	local want=$1
	shift
	count git -C journal/repo "$@" && test "$flushes" = "$want" && return
	echo "$flushes flushes: $*" >&4
	return 1
}

test_expect_success 'other writing commands cost one flush' '
	echo another >journal/repo/another &&
	tree=$(git -C journal/repo rev-parse "HEAD^{tree}") &&
	once 1 update-index --add another &&
	once 1 write-tree &&
	once 1 hash-object -w ../../out &&
	once 1 commit-tree -m message $tree &&
	once 1 read-tree HEAD &&
	once 1 add another &&
	once 1 rm -q --cached another &&
	once 1 config --unset x.y
'

test_expect_success 'reading commands cost none' '
	count git -C journal/repo ls-files &&
	test "$flushes $writeouts" = "0 0" &&
	# The first may update times in the index, which is not made durable.
	count git -C journal/repo status &&
	test "$flushes" = 0 &&
	count git -C journal/repo status &&
	test "$flushes $writeouts" = "0 0"
'

# ---- every command that writes, with one thing and with many ----------------

# Each line is a cost, a colon and a command. Costs: 0 changes nothing; else it is one flush call on a
# journal, and two numbers say what it is elsewhere. The first: on a local file system without an
# order among names, 2 and one for each further phase (fsync/order.h), each of them a syncfs and an
# fsync that flushes what the syncfs has written last: objects, the record of a
# transaction, refs, deletions; twice as much for what publishes something before the rest is
# staged (a third name on the way; new objects for hooks and editors). The second: on an overlay, one
# for each file with new content, and for each directory whose names change. Lines
# with "!" prepare something and are not counted. The third: as the first, where refs are in tables and that
# costs another number: the table and the list are two phases.
every_command () {
	cat <<-\EOF
	4 9 6: init
	4 9 6: init --bare ../bare
	6 11 8: init --separate-git-dir ../sep ../apart
	! echo one >a && mkdir -p d && for i in $(seq 300); do echo $i >d/$i; done
	6 5: add a
	6 6: add .
	0: add .
	! touch -d @1000000000 d/*
	4 2: update-index --refresh
	0: update-index --refresh
	! echo later >e
	6 5: add -N e
	4 2: add --chmod=+x a
	6 5: add --renormalize .
	8 17 10: commit -m first
	8 9 10: commit --allow-empty --amend -m again
	! git config notes.rewriteRef "refs/notes/*" && printf "100644 blob %s\t%s\n" $(git rev-parse HEAD:a) $(git rev-parse HEAD) | git mktree >input
	! git commit-tree -m notes $(cat input) >output && for i in 1 2 3; do git update-ref refs/notes/n$i $(cat output) || exit; done
	10 20: commit --allow-empty --amend -m noted
	! git for-each-ref --format="delete %(refname)" refs/notes | git update-ref --stdin
	! for i in $(seq 200); do echo more >>d/$i; done
	8 10 10: commit -a -m many
	! echo x >>a && echo y >>d/1
	8 13 10: commit -m path a
	8 14 10: commit -m more -i d/1
	8 9 10: -c core.editor=words commit --allow-empty
	! git rev-parse HEAD >.git/MERGE_HEAD && echo m >.git/MERGE_MSG
	8 9 10: commit -m merge
	4 2: rm -q e
	4 2: rm -rq d
	0: commit --dry-run
	4 2: read-tree HEAD
	4 2: read-tree --prefix=pre/ HEAD
	4 2: read-tree -m HEAD~1
	4 3: commit-tree -m x HEAD^{tree}
	4 2: update-index --force-remove a
	4 2: update-index --index-version=4
	! echo new >new
	6 5: update-index --add new
	6 5: write-tree
	0: write-tree
	! git ls-files -s | sed s/100644/100755/ >input
	4 2: update-index --index-info <input
	4 3: hash-object -w --stdin <input
	! for i in $(seq 150); do echo h $i >h$i; echo h$i; done >input
	4 4: hash-object -w --stdin-paths <input
	! git ls-tree HEAD:d >input && echo >>input && git ls-tree HEAD:d | tail -n +2 >>input
	4 3: mktree --batch <input
	! printf "object %s\ntype commit\ntag t\ntagger a <b> 1 +0000\n\nm\n" $(git rev-parse HEAD) >input
	4 3: mktag <input
	4 4 6: update-ref refs/heads/one HEAD
	4 3 6: update-ref refs/heads/one HEAD~1
	0: update-ref refs/heads/one HEAD~1
	4 4 6: update-ref -m HEAD HEAD HEAD~1
	! git rev-parse HEAD >c && seq -f "update refs/heads/m%.0f $(cat c)" 150 >input
	3 153 6: update-ref --stdin <input
	! echo "update HEAD $(git rev-parse HEAD~1)" >>input && sed -i "s/$(cat c)/$(git rev-parse HEAD~1)/" input
	8 159 6: update-ref --stdin <input
	! echo "update refs/heads/m1/bad $(cat c)" >>input && sed -i "/HEAD/d; s/m\([0-9]\)/n\1/" input
	3 155 6: update-ref --stdin --batch-updates <input
	4 4 6: symbolic-ref refs/heads/sym refs/heads/one
	3 2 6: symbolic-ref -d refs/heads/sym
	2 2 6: update-ref -d refs/heads/one
	! for i in $(seq 40); do loose refs/heads/m$i HEAD~1; done
	5 3 6: pack-refs --all
	0: pack-refs --all
	! loose refs/heads/m1 HEAD
	5 3 6: refs optimize --all
	4 6 6: branch -t b1 m1
	4 3 6: branch -f b1 HEAD~1
	9 11 8: branch -m b1 b2
	11 11 10: branch -m b2 b2/x
	4 6 6: branch -c b2/x b3
	4 2: branch --unset-upstream b3
	4 2: branch -u m1 b3
	4 2: -c core.editor=words branch --edit-description b3
	11 13 6: branch -m trunk
	9 9 8: branch -D b3 $(seq -f n%.0f 2 100)
	4 2 6: tag t1
	6 5 8: tag -a -m x t2
	6 5 8: -c core.editor=words tag -a t3
	4 2 6: tag -f t1 HEAD~1
	2 1 6: tag -d t1
	! seq -f "create refs/tags/v%.0f $(cat c)" 50 | git update-ref --stdin
	3 2 6: tag -d $(seq -f v%.0f 50)
	! for i in 1 2 3 4; do git branch --create-reflog l$i && git branch -f l$i HEAD~1; done
	4 2 5: reflog delete l1@{0}
	4 5 5: reflog delete --updateref l1@{0} l2@{0}
	4 211 5: reflog expire --expire=now --all
	0: reflog expire --expire=now --all
	2 1 5: reflog drop l1
	2 4 5: reflog drop --all
	4 3: commit-graph write --reachable --changed-paths
	6 6: commit-graph write --reachable --split=replace
	0: commit-graph write --reachable --split
	6 5: commit-graph write --reachable
	4 2: config a.b c
	4 2: config --add a.b d
	4 2: config --unset-all a.b
	4 2: config --rename-section branch.b2/x branch.x
	4 2: config --remove-section branch.x
	4 2: config --file ../other a.b c
	4 2: -c core.editor=append config -e
	4 158: fsck --lost-found
	! { seq -f "blob object %.0f" 300; seq -f "ofs %.0f more" 0 299; } | craft >input
	4 4: index-pack --stdin <input
	4 5: index-pack --stdin --keep <input
	4 3: index-pack .git/objects/pack/pack-$(craft_name).pack
	! echo "ref $(git rev-parse HEAD:a) $(git cat-file -s HEAD:a) more" | craft >input
	4 5: index-pack --stdin --fix-thin --promisor <input
	! { seq -f "blob another %.0f" 300; seq -f "ofs %.0f more" 0 299; } | craft >input
	4 4: unpack-objects -q <input
	0: unpack-objects -q <input
	! echo "blob alone" | craft >input
	4 3: unpack-objects -q <input
	0: index-pack --verify .git/objects/pack/pack-$(craft_name).pack
	! git ls-files -s | cut -d" " -f2 | sort -u >input
	! for i in $(seq 60); do echo stray $i | git -c core.fsync=none hash-object -w --stdin; done
	6 4: prune
	0: prune
	4 4: pack-objects .git/objects/pack/pack <input
	4 5: pack-objects --cruft .git/objects/pack/pack </dev/null
	0: pack-objects --stdout <input
	! for h in pre-commit prepare-commit-msg commit-msg reference-transaction; do write_script .git/hooks/$h </dev/null; done
	! for i in $(seq 150); do mkdir -p d && echo hooks $i >d/$i; done && git add -N d
	16 19: -c core.editor=words commit -a
	! echo hook >>a && git add -N a
	14 14 16: commit -m path a
	8 5 10: tag -a -m x t9
	10 12 6: branch -m hooked
	4 4 6: update-ref HEAD HEAD~1
	4 3: multi-pack-index write
	0: multi-pack-index write
	! cd .git/objects/pack && f=$(ls *.idx | head -n 1) && for e in pack idx rev; do cp -p ${f%.idx}.$e pack-$ZERO_OID.$e; done
	! touch -d @1000000000 pack-$ZERO_OID.pack && cd ../../..
	4 3: multi-pack-index write
	8 20: multi-pack-index expire
	0: multi-pack-index expire
	0: multi-pack-index write --incremental
	8 9: multi-pack-index repack
	8 11: multi-pack-index expire
	! for i in $(seq 120); do echo maint $i >m$i; done && ls m* | git -c bulkCheckin.unpackLimit=0 hash-object -w --stdin-paths && rm m*
	6 24: maintenance run --task=loose-objects
	6 110: maintenance run --task=loose-objects
	0: maintenance run --task=loose-objects
	4 2: maintenance run --task=incremental-repack
	0: maintenance run --auto --task=incremental-repack
	! for i in $(seq 30); do loose refs/heads/maint$i HEAD; done
	5 4 0: maintenance run --auto --task=pack-refs
	0 0 6: maintenance run --task=pack-refs
	! c=$(git rev-parse HEAD) && for i in 1 2 3; do GIT_COMMITTER_DATE="1000000001 +0000" git reflog write HEAD $c $c old || exit; done
	4 2 5: maintenance run --task=reflog-expire
	6 5: maintenance run --task=commit-graph
	0: maintenance run --task=commit-graph
	! mkdir -p .git/worktrees/gone && echo /nowhere/.git >.git/worktrees/gone/gitdir && touch -d @1000000000 .git/worktrees/gone/gitdir .git/worktrees/gone
	2 2: maintenance run --task=worktree-prune
	0: maintenance run --task=worktree-prune
	4 4: repack -d
	! test -f .git/objects/pack/*.promisor
	12 13: repack -adb
	4 8: repack --cruft -d
	10 17: repack -ad --filter=blob:none
	10 19: repack -ad --filter=blob:none --filter-to=.git/objects/pack/apart
	! test -f .git/objects/pack/*.promisor && test -f .git/objects/pack/apart-*.idx
	0: prune-packed
	! git repack -adq
	10 10 12: gc --prune=now
	4 4: maintenance register --config-file=../list
	4 2: maintenance unregister --config-file=../list
	! for i in 1 2 3; do echo $i >layer && git add layer && git commit -q -m layer; test $i = 3 || git repack -dq; done
	14 16: repack -dbq --write-midx=incremental
	! echo 4 >layer && git commit -q -a -m layer && git repack -dq
	4 8: multi-pack-index write --incremental --bitmap
	! echo 5 >layer && git commit -q -a -m layer && git repack -dq
	4 8: multi-pack-index write --incremental --bitmap --no-write-chain-file
	4 8: multi-pack-index write --incremental --bitmap
	4 8: multi-pack-index compact --incremental --bitmap $(tail -n 2 .git/objects/pack/multi-pack-index.d/multi-pack-index-chain)
	! echo 6 >layer && git commit -q -a -m layer
	14 16: repack -dbq --geometric=2 --write-midx=incremental
	12 22: repack -A -d
	! rm -r .git/hooks && git checkout -q -f -B left && git clean -fdq && for i in $(seq 120); do echo left >w$i; done && git add . && git commit -q -m left
	! git checkout -q -B right && for i in $(seq 120); do echo right >w$i; done && git commit -q -a -m right && git checkout -q left
	14 14: merge -q right
	! git reset -q --hard HEAD^ && echo other >other && git add other && git commit -q -m other
	18 19: merge -q right
	12 8 14: checkout -q HEAD^
	12 8 14: switch -q left
	8 11: reset -q --hard right
	4 2: restore -q -SW -s HEAD^ .
	! git reset -q --hard left && echo clash >w1 && git commit -q -a -m clash && git checkout -q right && echo Clash >w1 && git commit -q -a -m Clash
	! ! git merge -q left
	12 6 14: merge --abort
	EOF
}

# craft <lines: a pack; t/helper/craft-pack
craft () {
	"$GIT_BUILD_DIR/t/helper/craft-pack" $(test "$TEST_HASH" = sha1 || echo sha256)
}

# The checksum of the pack that index-pack made last.
craft_name () {
	ls -t .git/objects/pack/*.promisor .git/objects/pack/*.keep | head -n 1 | sed "s/.*pack-//; s/[.].*//"
}

# cost LOCAL [OVERLAY [LOCAL-IN-TABLES]]
cost () {
	if test -z "$3" || test_have_prereq REFFILES; then echo $1; else echo $3; fi
}

# At most: objects may share directories, or not, as their names change with the time; on a slow machine, commits of
# different seconds may leave unreachable objects, which get a pack. In tables: two directories, a table, a list.
overlay_cost () {
	echo $(($2 + 2 + $2 / 20 + $(if test_have_prereq REFFILES; then echo 0; else echo 4; fi)))
}

# cost_of_all DIR journal|local|overlay
cost_of_all () {
	local want cmd least bad=
	rm -rf "$1/all" && mkdir "$1/all" && mkdir -p bin && every_command >commands &&
	write_script bin/words <<-\EOS && write_script bin/append <<-\EOS && write_script bin/loose <<-\EOS || return
	echo words >"$1"
	EOS
	printf "[z]\n\ty = 1\n" >>"$1"
	EOS
	if test -d .git/reftable; then
		git -c core.fsync=none -c core.logAllRefUpdates=false update-ref "$1" "$2"
	else
		git rev-parse "$2" >.git/"$1"
	fi
	EOS
	(
		PATH=$PWD/bin:$PATH && export PATH && cd "$1/all" && mkdir r && cd r || exit
		while IFS=: read -r want cmd <&8; do
			case $want in
			!*)	eval "${want#!}${cmd:+:$cmd}" >&4 2>&4 || { echo "$want"; exit 1; }
				continue ;;
			esac
			case $(cost $want),$2 in
			0,*)	want=0 least=0 ;;
			*,journal)	want=1 least=1 ;;
			*,local)	want=$(cost $want) least=$want ;;
			*)	want=$(overlay_cost $want) least=1 ;;
			esac
			eval "count git $cmd" >&4 2>&4 || echo "exit $?: $cmd"
			test "$flushes" -ge $least && test "$flushes" -le $want ||
			echo "$flushes, not $least to $want: $cmd"
		done 8<"$TRASH_DIRECTORY/commands"
	) >wrong
	cat wrong >&4 && test_must_be_empty wrong
}

test_expect_success 'every command that writes: one flush on a journal, or none' '
	cost_of_all journal journal
'

test_lazy_prereq MKFS_XFS 'command -v mkfs.xfs'
test_expect_success LOOPMNT,MKFS_XFS 'the same on XFS' '
	mount_loop xfs 400M xfs && cost_of_all xfs journal
'

test_expect_success 'every command that writes: few flushes where names have no order' '
	(GIT_TEST_FS_KIND=local && export GIT_TEST_FS_KIND && mkdir local && cost_of_all local local)
'

test_expect_success ROOT,LOOPMNT 'the same on overlayfs' '
	mkdir overlay journal/low journal/up journal/work &&
	(cd journal && mount -t overlay -o lowerdir=low,upperdir=up,workdir=work none ../overlay) &&
	t_mounted overlay && cost_of_all overlay overlay &&
	# It would return 0 although the upper layer has failed.
	git init -q overlay/r && echo x >overlay/r/f && count git -C overlay/r add f &&
	test "$flushes" = 5 && ! grep "syncfs(" "$T_PRIVATE/strace"
'

# ---- other kinds ---------------------------------------------------------

# kind, add, commit, config. local: contents; objects; for the commit, the branch, or a table and the list; the index
commit=$(test_have_prereq REFFILES && echo 8 || echo 10)
for costs in "btrfs 1 1 1" "local 6 $commit 4" "full 2 2 2"; do
	test_expect_success "cost of add, commit and config: $costs" '
		(
			set -- $costs &&
			GIT_TEST_FS_KIND=$1 && export GIT_TEST_FS_KIND &&
			new_repo repo && make_files repo/files 20 &&
			count git -C repo add . && test "$flushes" = $2 &&
			count git -C repo commit -q -m message && test "$flushes" = $3 &&
			count git -C repo config x.y z && test "$flushes" = $4
		)
	'
done

test_expect_success 'a small constant where the tests run' '
	new_repo repo &&
	make_files repo/files 20 &&
	count env -u GIT_TEST_FS_KIND git -C repo add . &&
	test "$flushes" -ge 1 &&
	test "$flushes" -le 8
'

# ---- settings ------------------------------------------------------------

test_expect_success 'core.fsync=none costs nothing at all' '
	new_repo journal/none core.fsync=none &&
	make_files journal/none/files 150 &&
	count git -C journal/none add . &&
	test "$flushes $writeouts" = "0 0" &&
	count git -C journal/none commit -q -m message &&
	test "$flushes $writeouts" = "0 0" &&
	count git -C journal/none config x.y z &&
	test "$flushes $writeouts" = "0 0"
'

test_expect_success 'GIT_TEST_FSYNC=0 costs nothing at all' '
	new_repo journal/off &&
	make_files journal/off/files 5 &&
	count env GIT_TEST_FSYNC=0 git -C journal/off add . &&
	test "$flushes $writeouts" = "0 0"
'

# An add of n files that stay loose: n objects and the index; objects itself,
# a directory for each new prefix, and .git.
test_expect_success 'fsyncMethod=fsync: one for each file and directory' '
	for n in 1 7; do
		new_repo journal/each core.fsyncMethod=fsync &&
		make_files journal/each/files $n &&
		count git -C journal/each add . &&
		find journal/each/.git/objects -type f >files &&
		test_line_count = $n files &&
		find journal/each/.git/objects -mindepth 1 -type d -not -empty >dirs &&
		expect=$(($n + 1 + $(wc -l <dirs) + 2)) &&
		test "$flushes $writeouts" = "$expect 0" || return
	done
'

# From 8 objects on: a pack, its index and its reverse index, in objects/pack; the index in .git.
test_expect_success 'fsyncMethod=fsync: a pack costs little' '
	for n in 8 300; do
		new_repo journal/each core.fsyncMethod=fsync &&
		make_files journal/each/files $n &&
		count git -C journal/each add . &&
		test "$flushes $writeouts" = "6 0" || return
	done
'

# Two trees and a commit; the branch, two reflogs, and the index (its cached
# trees are new). Directories: one for each object, objects, refs/heads; logs,
# logs/refs and logs/refs/heads are new, in .git, which has the index, too. In tables: a table and the list in reftable.
test_expect_success 'fsyncMethod=fsync: commit' '
	new_repo journal/each core.fsyncMethod=fsync &&
	make_files journal/each/files 1 &&
	git -C journal/each add . &&
	find journal/each/.git -type f | sort >before &&
	find journal/each/.git/objects -type d | sort >dirs-before &&
	count git -C journal/each commit -q -m message &&
	find journal/each/.git/objects -type d | sort >dirs-after &&
	find journal/each/.git -type f | sort >after &&
	comm -13 before after | grep -v COMMIT_EDITMSG >new &&
	comm -13 dirs-before dirs-after >new-dirs &&
	cat new new-dirs >&4 &&
	# new files and the index
	files=$(($(wc -l <new) + 1)) && dirs=5 &&
	if ! test_have_prereq REFFILES; then files=$((files + 1)) dirs=2; fi &&
	grep objects/ new | sed "s|/[^/]*\$||" | sort -u >object-dirs &&
	# .git, logs, logs/refs, logs/refs/heads, refs/heads; .git, reftable
	dirs=$(($(wc -l <object-dirs) + dirs)) &&
	if test -s new-dirs; then dirs=$((dirs + 1)); fi &&
	test "$flushes $writeouts" = "$((files + dirs)) 0"
'

test_expect_success 'fsyncMethod=writeout-only: one writeout for each file' '
	new_repo journal/wo core.fsyncMethod=writeout-only &&
	make_files journal/wo/files 60 &&
	count git -C journal/wo add . &&
	test "$flushes $writeouts" = "0 61" &&
	make_files journal/wo/more 300 &&
	count git -C journal/wo add . &&
	test "$flushes $writeouts" = "0 4" &&
	count git -C journal/wo config x.y z &&
	test "$flushes $writeouts" = "0 1"
'

test_expect_success 'a component that is left out costs nothing' '
	new_repo journal/some core.fsync=none,index &&
	make_files journal/some/files 10 &&
	count git -C journal/some add . &&
	test "$flushes $writeouts" = "1 1" &&
	new_repo journal/some core.fsync=all,-index &&
	make_files journal/some/files 10 &&
	count git -C journal/some add . &&
	test "$flushes $writeouts" = "1 10"
'

# ---- the working tree ----------------------------------------------------

# Files outside of .git are awaited and not flushed: so many files cost as many flushes as one.
test_expect_success 'reset --hard: one flush, whatever has been written; each file is awaited' '
	new_repo journal/tree && echo one >journal/tree/one && git -C journal/tree add . &&
	git -C journal/tree commit -q -m one && make_files journal/tree/files $LARGE &&
	git -C journal/tree add . && git -C journal/tree commit -q -m two &&
	echo two >journal/tree/one && git -C journal/tree commit -q -a -m three &&
	count git -C journal/tree reset -q --hard HEAD^ && test $flushes = 1 && few=$((writeouts - 1)) &&
	count git -C journal/tree reset -q --hard HEAD^ && test "$flushes $writeouts" = "1 $few" &&
	test_path_is_missing journal/tree/files &&
	count git -C journal/tree reset -q --hard ORIG_HEAD && test "$flushes $writeouts" = "1 $((few + LARGE))" &&
	test "$(find journal/tree/files -type f | wc -l)" = $LARGE
'

test_expect_success 'checkout, switch, restore: the same' '
	git -C journal/tree branch b-two && git -C journal/tree branch b-one HEAD^ && git -C journal/tree checkout -q b-one &&
	count git -C journal/tree checkout -q -b few && test $flushes = 1 && test "$writeouts" -le 8 &&
	count git -C journal/tree checkout -q b-two && test $flushes = 1 && few=$((writeouts - LARGE)) && test $few -ge 2 && test $few -le 8 &&
	test "$(find journal/tree/files -type f | wc -l)" = $LARGE &&
	count git -C journal/tree switch -q -c b-three b-one && test "$flushes" = 1 && test "$writeouts" -le 8 &&
	test_path_is_missing journal/tree/files && count git -C journal/tree restore -q -SW -s b-two . &&
	test "$flushes $writeouts" = "1 $((LARGE + 1))" &&
	test "$(find journal/tree/files -type f | wc -l)" = $LARGE && rm -r journal/tree/files &&
	count git -C journal/tree checkout -q -- . && test "$flushes $writeouts" = "1 $((LARGE + 1))" &&
	count git -C journal/tree checkout -q -f b-one && test "$flushes" = 1 && test "$writeouts" -le 8
'

test_expect_success 'merge of many files: one flush with each method; fast-forward, merge commit' '
	git -C journal/tree checkout -q -b side b-two && for f in journal/tree/files/*/*; do echo more >>$f; done &&
	git -C journal/tree commit -q -a -m side && git -C journal/tree checkout -q -b ff b-two &&
	count git -C journal/tree merge -q side && test $flushes = 1 && few=$((writeouts - LARGE)) && test $few -ge 2 && test $few -le 10 &&
	git -C journal/tree checkout -q -b other b-two && echo other >journal/tree/one && git -C journal/tree commit -q -a -m other &&
	count git -C journal/tree merge -q side && test $flushes = 1 && test $((writeouts - LARGE)) -le 20 && test "$writeouts" -ge $LARGE &&
	git -C journal/tree reset -q --hard HEAD^ && count git -C journal/tree -c core.fsyncMethod=fsync merge -q side && test $flushes -le 20 &&
	git -C journal/tree reset -q --hard HEAD^ && count git -C journal/tree -c core.fsyncMethod=writeout-only merge -q side &&
	test $flushes = 0 && test "$writeouts" -ge $LARGE &&
	git -C journal/tree reset -q --hard HEAD^ && count git -C journal/tree -c core.fsync=none merge -q side && test "$flushes $writeouts" = "0 0"
'

test_expect_success 'refs migrate: 4 flushes to tables, 3 to files, however many refs there are' '
	git init -q --ref-format=files journal/migrate && git -C journal/migrate commit -q --allow-empty -m one &&
	H=$(git -C journal/migrate rev-parse HEAD) &&
	seq -f "create refs/tags/v%.0f $H" 500 | git -C journal/migrate update-ref --stdin &&
	count git -C journal/migrate refs migrate --ref-format=reftable && test $flushes = 4 &&
	count git -C journal/migrate refs migrate --ref-format=files && test $flushes = 3 &&
	git -C journal/migrate tag >out && test_line_count = 500 out
'

test_expect_success 'stash pop awaits the contents of each file once' '
	new_repo journal/stash maintenance.auto=false && make_files journal/stash/files 200 &&
	git -C journal/stash add . && git -C journal/stash commit -q -m files &&
	for file in journal/stash/files/*/*; do echo changed >>$file || return; done &&
	git -C journal/stash stash push -q &&
	count git -C journal/stash stash pop -q && test $flushes = 1 &&
	test "$writeouts" -ge 200 && test "$writeouts" -le 220 &&
	grep -q changed journal/stash/files/d1/f199
'

# ---- refs in tables ------------------------------------------------------

# The table and the list, once more for a merge beside others.
test_expect_success 'refs in tables: 1 flush for each command, whatever it merges' '
	git init -q -b main --ref-format=reftable journal/tables && git -C journal/tables commit -q --allow-empty -m one &&
	H=$(git -C journal/tables rev-parse HEAD) && (cd journal/tables &&
	seq -f "create refs/tags/v%.0f $H" 20000 >many && seq -f "create refs/tags/w%.0f $H" 20000 >large &&
	while read -r line; do
		count sh -c "git $line" && echo "$flushes $writeouts: $line" || return 1
	done >../../out <<-\EOF
	update-ref refs/heads/x HEAD
	update-ref -d refs/heads/x
	update-ref --stdin <many
	update-ref --stdin <large
	reflog expire --expire=all --all
	pack-refs
	pack-refs
	branch -m main moved
	EOF
	) && cat >expect <<-\EOF &&
	1 2: update-ref refs/heads/x HEAD
	1 2: update-ref -d refs/heads/x
	1 4: update-ref --stdin <many
	1 4: update-ref --stdin <large
	1 2: reflog expire --expire=all --all
	1 2: pack-refs
	0 0: pack-refs
	1 2: branch -m main moved
	EOF
	test_cmp expect out
'

# Each of the two names is flushed before the next one; a merge after the transaction has two names of its own.
test_expect_success 'refs in tables, where names have no order: as few flushes for many refs as for one' '
	(
		GIT_TEST_FS_KIND=local && export GIT_TEST_FS_KIND &&
		git init -q -b main --ref-format=reftable journal/plain && cd journal/plain && git commit -q --allow-empty -m one &&
		H=$(git rev-parse HEAD) && seq -f "create refs/tags/v%.0f $H" 20000 >many &&
		seq -f "create refs/tags/w%.0f $H" 20000 >large &&
		while read -r line; do
			count sh -c "git $line" && echo "$flushes: $line" || return 1
		done
	) >out <<-\EOF &&
	update-ref refs/heads/x HEAD
	update-ref -d refs/heads/x
	update-ref --stdin <many
	update-ref --stdin <large
	reflog expire --expire=all --all
	pack-refs
	commit -q --allow-empty -m two
	refs migrate --ref-format=files
	refs migrate --ref-format=reftable
	EOF
	cat >expect <<-\EOF &&
	6: update-ref refs/heads/x HEAD
	6: update-ref -d refs/heads/x
	10: update-ref --stdin <many
	10: update-ref --stdin <large
	5: reflog expire --expire=all --all
	6: pack-refs
	10: commit -q --allow-empty -m two
	11: refs migrate --ref-format=files
	18: refs migrate --ref-format=reftable
	EOF
	test_cmp expect out
'

# ---- trace2 --------------------------------------------------------------

test_expect_success 'trace2 counts the same' '
	new_repo journal/trace &&
	make_files journal/trace/files 10 &&
	GIT_TRACE2_EVENT="$PWD/events" git -C journal/trace add . &&
	grep "\"category\":\"fsync\"" events >counters &&
	grep "\"name\":\"writeout-only\".*\"count\":11[,}]" counters &&
	grep "\"name\":\"hardware-flush\".*\"count\":1[,}]" counters
'

# There blocks of a replaced file are used again before the journal forgets the file.
test_expect_success LOOPMNT,STRACE 'ext4 with data=writeback has no order among names' '
	truncate -s 300M writeback.img && mkfs.ext4 -q -b 4096 writeback.img && mkdir writeback &&
	mount -o loop,data=writeback writeback.img writeback && t_mounted writeback &&
	git init -q writeback/r && echo x >writeback/r/f &&
	n=$(count_flushes git -C writeback/r add f) && m=$(count_flushes env GIT_TEST_FS_KIND=local git -C writeback/r rm -q --cached f) &&
	test "$n" = 6 && test "$m" = 4
'

# The commit of such a journal does not flush the disk of the data.
test_expect_success LOOPMNT,STRACE 'ext4 whose journal is on another disk has no journal of its own' '
	truncate -s 64M log.img && truncate -s 300M far.img &&
	log=$(losetup -f --show log.img) && test_when_finished "umount far; losetup -d $log" &&
	mke2fs -q -O journal_dev -b 4096 $log && mkfs.ext4 -q -b 4096 -J device=$log far.img &&
	mkdir far && mount -o loop far.img far &&
	git init -q far/r && echo x >far/r/f &&
	n=$(count_flushes git -C far/r add f) && m=$(count_flushes env GIT_TEST_FS_KIND=local git -C far/r rm -q --cached f) &&
	test "$n" = 6 && test "$m" = 4
'

# The entry names the empty blob: both are flushed, by one call.
test_expect_success STRACE 'add -N, reset -N, apply -N: one flush, with the empty blob' '
	GIT_TEST_FS_KIND=journal && export GIT_TEST_FS_KIND && test_when_finished "unset GIT_TEST_FS_KIND" &&
	git init -q intend && echo x >intend/f && git -C intend commit -q --allow-empty -m one && blob=intend/.git/objects/$(echo $EMPTY_BLOB | sed "s,..,&/,") &&
	printf -- "--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n" >intend/p &&
	n=$(count_flushes git -C intend add -N f) && test "$n" = 1 && test_path_is_file $blob && git -C intend add f && rm -f $blob &&
	n=$(count_flushes git -C intend reset -q -N) && test "$n" = 1 && test_path_is_file $blob && rm -f $blob &&
	n=$(count_flushes git -C intend apply -N p) && test "$n" = 1 && test_path_is_file $blob
'

test_done
