#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='git refs migrate: refs and reflogs from files to tables and back'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-fault.sh"

GIT_TEST_FS_KIND=journal
GIT_TEST_SYSCALL_FLUSH=0
export GIT_TEST_FS_KIND GIT_TEST_SYSCALL_FLUSH
in_memory

SQ="'"

# state REPO: every ref, and every entry of every reflog
state () {
	git -C "$1" for-each-ref --include-root-refs --format="%(refname) %(objectname) %(symref) %(*objectname)" &&
	git -C "$1" symbolic-ref HEAD &&
	for log in $(git -C "$1" reflog list); do
		echo "$log" && git -C "$1" log -g --date=raw --format="%H %gd %gs %gn %ge" "$log" -- || return
	done
}

# format REPO
format () {
	git -C "$1" rev-parse --show-ref-format
}

# files REPO: names of files that hold refs
files () {
	(cd "$1/.git" && find HEAD *_HEAD packed-refs refs logs reftable ref_migration* ref-journal \( -type f -o -name "ref[-_]*" \) \
		! -name "*.ref" 2>/dev/null | sort)
}

# repo_with_refs DIR [INIT OPTIONS]: refs of each kind
repo_with_refs () {
	git init -q -b main "$@" && (
		cd "$1" && test_commit one && test_commit two && git branch side HEAD~1 && git branch -m side d/side &&
		git tag -a -m t annotated && git update-ref refs/remotes/origin/none HEAD && git symbolic-ref refs/heads/alias refs/heads/main &&
		git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/none && git update-ref ORIG_HEAD HEAD~1 &&
		git update-ref refs/bisect/bad HEAD && git fetch -q . && git pack-refs && git checkout -q d/side && git checkout -q main
	)
}

test_expect_success 'from files to tables: refs and reflogs are the same' '
	repo_with_refs repo --ref-format=files && state repo >before && files repo >files-before && cp repo/.git/config config-before &&
	git -C repo refs migrate --ref-format=reftable >out && test_must_be_empty out && test "$(format repo)" = reftable &&
	state repo >after && test_cmp before after && git -C repo fsck &&
	printf "%s\n" FETCH_HEAD HEAD refs/heads reftable/tables.list >expect && files repo >out && test_cmp expect out &&
	echo "ref: refs/heads/.invalid" >expect && test_cmp expect repo/.git/HEAD && test_line_count = 1 repo/.git/reftable/tables.list &&
	test "$(git -C repo config core.repositoryFormatVersion)" = 1 && test "$(git -C repo config extensions.refStorage)" = reftable
'

test_expect_success 'the tables are used from then on' '
	test_commit -C repo three && git -C repo reflog show --format=%gs -1 >out && echo "commit: three" >expect && test_cmp expect out &&
	git -C repo reset -q --hard HEAD~1 && git -C repo update-ref ORIG_HEAD main~1 && git -C repo fsck
'

test_expect_success 'and back' '
	state repo >before && git -C repo refs migrate --ref-format=files && test "$(format repo)" = files && state repo >after &&
	test_cmp before after && test_cmp config-before repo/.git/config && git -C repo fsck &&
	test_path_is_missing repo/.git/reftable && echo "ref: refs/heads/main" >expect && test_cmp expect repo/.git/HEAD &&
	test_path_is_file repo/.git/ORIG_HEAD && files repo >out && test_grep ! ref_migration out && test_grep logs/refs/heads/main out
'

test_expect_success 'many refs go into packed-refs' '
	git init -q --ref-format=reftable many && test_commit -C many x &&
	i=0 && while test $i -lt 300; do echo "create refs/heads/many/$i HEAD" && i=$(($i + 1)); done >input &&
	git -C many update-ref --stdin <input && git -C many symbolic-ref refs/heads/dangling refs/heads/none && state many >before && git -C many refs migrate --ref-format=files &&
	state many >after && test_cmp before after && grep -c refs/heads/many many/.git/packed-refs >out && echo 300 >expect &&
	test_cmp expect out && git -C many refs migrate --ref-format=reftable && state many >after && test_cmp before after
'

test_expect_success '--no-reflog drops reflogs' '
	rm -rf copy && cp -R repo copy && git -C copy for-each-ref >before && git -C copy refs migrate --ref-format=reftable --no-reflog &&
	git -C copy for-each-ref >after && test_cmp before after && git -C copy reflog list >out && test_must_be_empty out &&
	git -C copy refs migrate --ref-format=files && test_path_is_missing copy/.git/logs
'

test_expect_success '--dry-run writes the new format to a directory, and changes nothing' '
	rm -rf copy && cp -R repo copy && state copy >before && files copy >files-before &&
	git -C copy refs migrate --ref-format=reftable --dry-run >out &&
	dir=$(sed -n "s/^Finished dry-run migration of refs, the result can be found at .\(.*\).$/\1/p" out) &&
	test_path_is_file copy/$dir/reftable/tables.list && state copy >after && test_cmp before after && rm -r copy/$dir &&
	files copy >out && test_cmp files-before out && test "$(format copy)" = files
'

test_expect_success 'an empty reflog stays' '
	rm -rf copy && cp -R repo copy && >copy/.git/logs/refs/heads/alias && git -C copy refs migrate --ref-format=reftable &&
	git -C copy reflog exists refs/heads/alias && git -C copy refs migrate --ref-format=files &&
	test_path_is_file copy/.git/logs/refs/heads/alias && test_must_be_empty copy/.git/logs/refs/heads/alias
'

test_expect_success 'other extensions, and ids of SHA-256, keep version 1' '
	repo_with_refs wide --object-format=sha256 --ref-format=files && state wide >before && git -C wide refs migrate --ref-format=reftable && state wide >after &&
	test_cmp before after && git -C wide refs migrate --ref-format=files && state wide >after && test_cmp before after &&
	test "$(git -C wide config core.repositoryFormatVersion)" = 1 && test "$(git -C wide config extensions.objectFormat)" = sha256
'

test_expect_success 'wrong requests' '
	refused () { test_expect_code 255 git -C copy refs migrate "$1" 2>err && echo "error: $2" >expect && test_cmp expect err; } &&
	rm -rf copy && cp -R repo copy && refused --ref-format=files "repository already uses ${SQ}files${SQ} format" &&
	refused --ref-format=x "unknown ref storage format ${SQ}x${SQ}" && test_expect_code 129 git -C copy refs migrate &&
	test_expect_code 129 git -C copy refs migrate --ref-format=reftable more && mkdir -p copy/.git/worktrees/w &&
	refused --ref-format=reftable "migrating repositories with worktrees is not supported yet" &&
	files copy >out && files repo >expect && test_cmp expect out
'

test_expect_success 'a broken ref is named, and nothing changes' '
	rm -rf copy && cp -R repo copy && echo junk >copy/.git/refs/heads/broken && files copy >expect &&
	test_expect_code 255 git -C copy refs migrate --ref-format=reftable 2>err && test_grep "refs/heads/broken. is broken" err &&
	files copy >out && test_cmp expect out && test "$(format copy)" = files
'

test_expect_success 'one migration at a time' '
	rm -rf copy && cp -R repo copy && >copy/.git/ref_migration.lock && test_expect_code 255 git -C copy refs migrate --ref-format=reftable 2>err &&
	test_grep ref_migration.lock err && rm copy/.git/ref_migration.lock && git -C copy refs migrate --ref-format=reftable
'

test_expect_success 'HEAD as a file does not choose the branch beside tables' '
	rm -rf copy && cp -R repo copy && git -C copy refs migrate --ref-format=reftable && git -C copy checkout -q d/side &&
	echo "ref: refs/heads/main" >copy/.git/HEAD && printf "[x]\n\ty = side\n" >copy/.git/side && printf "[x]\n\ty = main\n" >copy/.git/main &&
	git -C copy config includeIf.onbranch:d/side.path side && git -C copy config includeIf.onbranch:main.path main &&
	test "$(git -C copy config x.y)" = side
'

# ---- faults ----

# other FORMAT
other () {
	case $1 in files) echo reftable ;; *) echo files ;; esac
}

# interrupted FORMAT WHAT: at each chosen call of a migration to FORMAT: all is as before, in one format or the other; then the next
# migration works and leaves nothing
interrupted () {
	local to=$1 what=$2 n= code= from=$(other $1) SWEEP_STEP=4
	rm -rf template && cp -R small template && { test $from = files || git -C template refs migrate --ref-format=$from; } &&
	state template >before && rm -rf copy && cp -R template copy &&
	(cd copy && calls_of $what refs migrate --ref-format=$to && echo "$CHOSEN" >../chosen) && state copy >after && test_cmp before after &&
	files copy >files-after && test $(wc -l <chosen) -gt 10 || return
	for n in $(cat chosen); do
		rm -rf copy log && cp -R template copy && code=0
		(cd copy && GIT_TEST_SYSCALL_LOG=../log GIT_TEST_SYSCALL_FAIL=$n:$what "$FAULT_GIT" refs migrate --ref-format=$to 2>../err) || code=$?
		case $what:$code in
		KILL:137) ;;
		EIO:255)
			test_grep ! uncertain err || : ;;
		EIO:0) ;;
		*) echo "call $n: exit code $code: $(cat err)" >&4 && return 1 ;;
		esac
		state copy >now 2>err && test_cmp before now || { echo "call $n: $(tail -n 1 log)" >&4 && return 1; }
		test ! -f copy/.git/config.lock || test $what = KILL || { echo "call $n: litter" >&4 && return 1; }
		{
			if test "$(format copy)" = $to; then
				git -C copy refs migrate --ref-format=$from && git -C copy refs migrate --ref-format=$to
			else
				git -C copy refs migrate --ref-format=$to
			fi
		} 2>err || { echo "call $n: the next one fails: $(cat err)" >&4 && return 1; }
		state copy >now && test_cmp before now && files copy >out && test_cmp files-after out ||
			{ echo "call $n: not as before: $(tail -n 1 log)" >&4 && return 1; }
	done
}

test_expect_success 'setup: a small repository' '
	git init -q -b main --ref-format=files small && test_commit -C small one && git -C small symbolic-ref refs/heads/alias refs/heads/main &&
	git -C small update-ref ORIG_HEAD HEAD
'

for to in reftable files; do
	for what in KILL EIO; do
		test_expect_success "to $to: $what at every call leaves refs that can be used, and the next migration works" '
			interrupted $to $what
		'
	done
done

test_expect_success 'the new format is sealed before the configuration names it, and that before the old one goes' '
	rm -rf copy log && cp -R small copy &&
	(cd copy && GIT_TEST_SYSCALL_LOG=../log "$FAULT_GIT" refs migrate --ref-format=reftable) &&
	sed -n "s/^rename .*ref_migration\/reftable .*/place/p; s/^rename .*config.lock.*/switch/p; s/^rename .*HEAD.lock.*/stub/p; s/^unlink .*refs\/heads\/main.*/sweep/p; s/^fsync .*/seal/p" log |
		uniq >out && printf "%s\n" seal place seal switch stub seal sweep stub seal >expect && test_cmp expect out
'

# killed_migration N FORMAT: to FORMAT, killed right before its N-th call; 1 if it ended before
killed_migration () {
	local code=0
	GIT_TEST_FS_KIND=journal GIT_TEST_SYSCALL_FAIL=$1:KILL "$FAULT_GIT" -C killed refs migrate --ref-format=$2 >out 2>&1 || code=$?
	test $code = 137
}

for from in files reftable; do
	if test $from = files; then to=reftable; else to=files; fi
	test_expect_success XATTR "gc removes what a killed migration from $from to $to has left" '
		rm -rf start && git init -q -b main --ref-format=$from start && test_commit -C start one && git -C start branch b &&
		git -C start for-each-ref >expect && n=0 &&
		while n=$((n + 4)) && rm -rf killed && cp -R start killed && killed_migration $n $to; do
			git -C killed -c gc.auto=0 gc -q 2>out || return 1
			git -C killed for-each-ref >actual && test_cmp expect actual && git -C killed fsck --strict &&
			find killed/.git -name "ref_migration*" -o -name ".git-owner-*" >left && test_must_be_empty left &&
			if test "$(git -C killed rev-parse --show-ref-format)" = files
			then test_path_is_missing killed/.git/reftable
			else test ! -d killed/.git/refs/heads && test_path_is_missing killed/.git/packed-refs; fi || return 1
		done && test $n -gt 40
	'
done

test_done
