#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='every system call of a fetch fails in turn; a disk that is full

As in t0102. Whatever fails, the refs are those of before or those of after, all of them (if the exit code is 1, each of them);
and so is the boundary of a shallow clone, which moves with the objects.'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-sweep.sh"

refs () {
	git -C "$1" for-each-ref --format="%(refname) %(objectname)"
}
boundary () {
	test ! -f "$1/.git/shallow" || sort "$1/.git/shallow"
}
# Nothing else than the lines of before and after
is_mixed () {
	sort -u before after >both && sort now | comm -23 - both >strange && test ! -s strange
}
still_good () {
	refs copy >now && case $code in
	1) is_mixed ;;
	*) cmp -s now before || cmp -s now after ;;
	esac && boundary copy >now && { cmp -s now boundary.before || cmp -s now boundary.after; } &&
	test -z "$(find copy/.git/objects/pack -name "*.keep")" && git -C copy fsck --strict --no-dangling >fsck 2>&1
}
# fetching TEMPLATE WHAT CMD...: a sweep
fetching () {
	local template=$1 what=$2
	shift 2
	rm -rf done && cp -a "$template" done && git -C done "$@" && refs "$template" >before && refs done >after &&
	boundary "$template" >boundary.before && boundary done >boundary.after && ! cmp -s before after &&
	sweep "$template" $what "cd .. && refs copy | cmp - after && boundary copy | cmp - boundary.after" "$@"
}

test_expect_success 'a repository that has grown since it was fetched' '
	git init -q -b main src && for i in 1 2 3; do test_commit -C src c$i f$i || return 1; done && git -C src branch gone &&
	git init -q -b main few && git -C few config remote.origin.url "$PWD/src" &&
	git -C few config remote.origin.fetch "+refs/heads/*:refs/remotes/origin/*" && cp -a few shallow &&
	git -C few fetch -q && git -C shallow fetch -q --depth=1 && git -C src branch -D gone &&
	cp -a few many && git -C many config fetch.unpackLimit 1 &&
	test_commit -C src c4 f4 && git -C src tag -m tag v1 && for i in 1 2 3 4; do git -C src branch b$i HEAD~$((i % 3)) || return 1; done
'

for what in EIO ENOSPC+ EINTR; do
	sweep_step $what 12
	test_expect_success "loose objects, pruning: $what" '
		fetching few $what fetch -q --prune
	'
	test_expect_success "a pack: $what" '
		fetching many $what fetch -q
	'
	test_expect_success "a pack that no other process receives: $what" '
		SWEEP_STEP=12 && fetching many $what -c core.sandbox=false fetch -q
	'
	test_expect_success "a boundary that moves: $what" '
		fetching shallow $what fetch -q --deepen=1
	'
done

test_expect_success 'a remote helper that fetches by itself' '
	write_script git-remote-own <<-\EOT && PATH=$TRASH_DIRECTORY:$PATH && cp -a few helped && git -C helped config remote.origin.url "own::$PWD/src/.git"
	batch=
	while read -r line; do
		case $line in
		capabilities) printf "fetch\n\n" ;;
		list) git --git-dir="$2" show-ref && echo ;;
		fetch*) batch=1 ;;
		"")	test -n "$batch" || exit 0
			batch=
			git --git-dir="$2" pack-objects --all --stdout -q </dev/null | git -c core.fsync=none index-pack --stdin --keep >kept &&
			echo "lock $PWD/$GIT_DIR/objects/pack/pack-$(cut -f2 kept).keep" && rm kept && echo || exit ;;
		esac
	done
	EOT
'
for what in EIO ENOSPC+ EINTR; do
	case $what$GIT_TEST_LONG in *1) SWEEP_STEP=1 ;; EIO) SWEEP_STEP=2 ;; *) SWEEP_STEP=5 ;; esac
	test_expect_success "fetch keeps or removes objects of a remote helper: $what" '
		GIT_TEST_YOUNG_SECONDS=3600 fetching helped $what fetch -q --prune
	'
done

if test_have_prereq TMPFS && mount_tmpfs disk 3m >/dev/null 2>&1; then
	test_set_prereq SMALL_DISK
fi

test_expect_success SMALL_DISK 'a disk that is really full' '
	for i in $(test_seq 20); do head -c 30000 /dev/urandom >src/noise$i || return 1; done && git -C src add . && git -C src commit -q -m noise &&
	for kind in few many; do
		rm -rf done && cp -a $kind done && git -C done fetch -q && refs $kind >before && refs done >after && room=0 && failures=0 && while :; do
			rm -rf disk/* && cp -a $kind disk/copy && free=$(df -k --output=avail disk | tail -n 1) &&
			dd if=/dev/zero of=disk/ballast bs=1k count=$((free - room)) 2>/dev/null
			code=0 && { git -C disk/copy fetch -q 2>err || code=$?; }
			refs disk/copy >now && rm -f disk/ballast && find disk/copy/.git -name "*.lock" -o -name "tmp_*" >litter && test_must_be_empty litter &&
			git -C disk/copy fsck --strict --no-dangling || return 1
			if test $code = 0; then break; fi
			test_cmp before now && test_grep "No space left on device" err && failures=$((failures + 1)) && room=$((room + 40)) && test $room -lt 3000 || return 1
		done && test_cmp after now && test $failures -gt 3 || return 1
	done
'

test_done
