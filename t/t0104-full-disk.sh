#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='a full disk at any point of add, commit and upkeep

A small file system with less and less room: either the command succeeds, or it says
what it could not write, exits with an error and leaves nothing behind; the
repository stays whole.'
. "$(dirname "$0")/test-lib.sh"

if test_have_prereq TMPFS && mount_tmpfs disk 4m >/dev/null 2>&1; then
	:
else
	skip_all='needs root to mount a small file system'
	test_done
fi

no_litter () {
	test -z "$(find disk/repo/.git -name "*.lock" -o -name "tmp_*")" && return
	find disk/repo/.git -name "*.lock" -o -name "tmp_*" >&4
	return 1
}

# leave_room KIB: fill the disk, except for so much
leave_room () {
	rm -f disk/ballast &&
	free=$(df -k --output=avail disk | tail -n 1) &&
	if test "$free" -gt "$1"; then
		dd if=/dev/zero of=disk/ballast bs=1k count=$((free - $1)) 2>/dev/null
	fi
}

test_expect_success 'setup' '
	git init -q disk/repo &&
	git -C disk/repo config core.logAllRefUpdates true &&
	mkdir src &&
	for i in $(seq 60); do
		head -c 20000 /dev/urandom >src/f$i || return
	done
'

# files: all of the repository, but for directories of objects, which may stay empty
files () {
	find disk/repo/.git -type f | sort
}

# squeeze SETUP CMD...: run CMD with more and more free space until it succeeds; with UNCHANGED set, failures add no file
squeeze () {
	local setup=$1 room=0 code failures=0
	shift
	while :; do
		rm -f disk/ballast
		eval "$setup" || return
		git -C disk/repo ls-files -s >before && files >files.before &&
		leave_room $room || return
		code=0
		git -C disk/repo "$@" >out 2>err <"${SQUEEZE_STDIN:-/dev/null}" || code=$?
		no_litter || { echo "room $room" >&4; return 1; }
		rm -f disk/ballast
		test $code = 0 || git -C disk/repo ls-files -s | cmp before - || return
		test $code = 0 || test -z "$UNCHANGED" || files | cmp files.before - || { cat err >&4; return 1; }
		git -C disk/repo fsck --no-dangling >fsck 2>&1 || { cat err fsck >&4; return 1; }
		test $code = 0 && break
		failures=$((failures + 1))
		case $code in 1|128|255) ;; *) cat err >&4; echo "code $code" >&4; return 1 ;; esac
		grep -q "No space left on device" err || { cat err >&4; return 1; }
		grep -q "\.git/\|objects\|x\.bundle" err || { cat err >&4; return 1; }
		room=$((room + ${STEP:-40}))
		test $room -lt 4000 || return
	done
	echo "$failures failures, done with $room KiB" >&4
	test $failures -gt 1
}

test_expect_success 'add of many files' '
	STEP=100 &&
	squeeze "cp -R src/. disk/src 2>/dev/null || cp -R src disk/src;
		rm -rf disk/repo/work; ln -sfn ../src disk/repo/link; mkdir -p disk/repo/work;
		mv disk/src disk/repo/work/src" add work &&
	test "$(git -C disk/repo ls-files | wc -l)" = 60
'

test_expect_success 'add of a few files' '
	STEP=8 &&
	squeeze "for i in 1 2 3; do head -c 9000 /dev/urandom >disk/repo/new\$i; done" \
		add new1 new2 new3 &&
	test "$(git -C disk/repo ls-files new1 new2 new3 | wc -l)" = 3
'

test_expect_success 'commit' '
	STEP=4 &&
	squeeze "echo \$room >disk/repo/small && git -C disk/repo add small" \
		commit -q -m message &&
	git -C disk/repo rev-parse -q --verify HEAD
'

test_expect_success 'commit -a' '
	STEP=4 &&
	squeeze "echo \$room.2 >disk/repo/small" commit -q -a -m message &&
	git -C disk/repo rev-parse -q --verify HEAD^
'

test_expect_success 'index-pack and unpack-objects' '
	CRAFT="$GIT_BUILD_DIR/t/helper/craft-pack $(test "$TEST_HASH" = sha1 || echo sha256)" &&
	for i in $(seq 20); do echo "file blob src/f$i" && echo "ofs $((2 * i - 2)) more"; done | $CRAFT >in.pack &&
	STEP=60 && UNCHANGED=1 && SQUEEZE_STDIN=in.pack && packs=$(find disk/repo -name "*.pack" | wc -l) &&
	squeeze : index-pack --stdin --keep &&
	test $(find disk/repo -name "*.pack" | wc -l) = $((packs + 1)) &&
	for i in $(seq 21 30); do echo "file blob src/f$i" && echo "ofs $((2 * i - 42)) more"; done | $CRAFT >in.pack &&
	squeeze : unpack-objects -q && SQUEEZE_STDIN= UNCHANGED=
'

# all: each object that there is, wherever it is; loose and packed twice counts once
all () {
	git -C disk/repo -c core.multiPackIndex=false cat-file --batch-all-objects --batch-check --unordered | sort -u &&
	git -C disk/repo for-each-ref
}

# Three packs, loose objects, what nothing leads to, and refs that are loose; as large as a third of the disk.
test_expect_success 'a repository that wants upkeep' '
	git init -q upkeep && (
		cd upkeep && git config gc.auto 0 && "$GIT_BUILD_DIR/t/helper/random-history" 3 120 x &&
		for i in 1 2 3; do
			head -c 150000 ../src/f$i >noise && cat ../src/f1$i ../src/f2$i ../src/f3$i >>noise && git add noise &&
			git commit -qm $i && git repack -dq && git tag -m t v$i || exit
		done && git hash-object -w --stdin <../src/f40 && git commit -qm top --allow-empty && git update-ref refs/heads/top HEAD &&
		test $(ls .git/objects/pack/*.pack | wc -l) -ge 3
	)
'

# upkeep CMD...: a command of upkeep in it, with more and more room: it has lost nothing, whether it fails or not
upkeep () {
	rm -rf disk/* && cp -R upkeep disk/repo && all >all.before &&
	squeeze "all | cmp all.before - && rm -rf disk/repo disk/x.bundle && cp -R upkeep disk/repo" "$@" && all >all.after && test_cmp all.before all.after
}

# One operation each: nothing has changed. The others have several, one after the other.
for cmd in "repack -adq" "repack -adbq"
do
	test_expect_success "$cmd" '
		STEP=40 && UNCHANGED=1 && upkeep $cmd
	'
done

for cmd in "repack -dq --cruft" "repack -dq --geometric=2 --write-midx" "gc -q" \
	"maintenance run --quiet --task=incremental-repack"
do
	test_expect_success "$cmd" '
		STEP=40 && UNCHANGED= && upkeep $cmd
	'
done

for cmd in "maintenance run --quiet --task=loose-objects" "commit-graph write --reachable --changed-paths" "multi-pack-index write" "multi-pack-index write --bitmap"
do
	test_expect_success "$cmd" '
		STEP=4 && UNCHANGED=1 && upkeep $cmd
	'
done

test_expect_success 'bundle create' '
	STEP=40 && UNCHANGED=1 && upkeep bundle create -q ../x.bundle --all && git -C disk/repo bundle verify -q ../x.bundle
'

test_expect_success 'config' '
	STEP=4 &&
	git -C disk/repo config a.before yes &&
	leave_room 0 &&
	test_must_fail git -C disk/repo config x.y z 2>err &&
	test_grep "config" err &&
	no_litter &&
	rm -f disk/ballast &&
	git -C disk/repo config x.y z &&
	test "$(git -C disk/repo config a.before)" = yes
'

test_done
