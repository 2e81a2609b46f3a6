#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='the power-failure laboratory: it works, and it catches what it should

A few crash points of one file system; `make crash` runs the whole (t/crash/README).'
. "$(dirname "$0")/test-lib.sh"

unset GIT_TEST_FSYNC

lab () {
	"$SOURCE_DIR/t/crash/run" --bin="$GIT_BUILD_DIR/t/crash" --results="$PWD/results" \
		--git="$(command -v git)" --label=test "$@"
}

if ! test_have_prereq PYTHON; then
	skip_all='the power-failure laboratory needs python3'
	test_done
fi
if ! reason=$(lab --can 2>&1); then
	skip_all=$reason
	test_done
fi

test_expect_success 'a program that renames without flushing is caught' '
	test_expect_code 1 lab --fs=ext4 --workload=tiny-rename --points=12 >out &&
	test_grep "12 points, .*[1-9][0-9]* lost" out
'

test_expect_success 'a fault can be looked at by the command that is printed' '
	command=$(sed -n "s/.*\(--rebuild=.* --point=[^ ]*\).*/\1/p" out | head -n 1) &&
	test -n "$command" &&
	( cd "$SOURCE_DIR" && eval "lab $command --keep=\"\$OLDPWD/image\"" ) >rebuilt &&
	test_grep "[0-9]:.* lost repo: file:" rebuilt &&
	test_path_is_file image
'

test_expect_success 'a program that flushes file and directory passes' '
	lab --fs=ext4 --workload=tiny-flush --points=12 >out &&
	test_grep "12 points, 12 ok" out
'

test_expect_success 'on a disk that ignores flushes it is caught' '
	test_expect_code 1 lab --fs=ext4 --workload=tiny-flush --points=12 --ignore-flushes >out &&
	test_grep "12 points, " out
'

for workload in history refs-mixed multi-pack-index
do
	test_expect_success "$workload: nothing broken, lost or torn" '
		lab --fs=ext4 --workload=$workload --method=batch --beside --points=12 >out &&
		test_grep "12 points, 12 ok" out
	'
done

slow_disk () {
	CRASH_BIN="$GIT_BUILD_DIR/t/crash" "$SOURCE_DIR/t/perf/slow-disk" "$@"
}

# Prints "FLUSHES FUAS": what three fsyncs of new files cost on the disk below ./slow
cost_of_fsyncs () {
	sync -f slow && slow_disk stats slow >before || return
	for i in 1 2 3
	do
		echo content >slow/$i && sync slow/$i || return
	done
	slow_disk stats slow >after &&
	awk '{ n[$1] = $2 - n[$1] } END { print n["flushes"], n["fuas"] }' before after
}

test_atexit 'test ! -d slow || slow_disk umount slow 2>/dev/null'

for type in ext4 xfs
do
	test_lazy_prereq MKFS_$type "command -v mkfs.$type"
	test_expect_success MKFS_$type "the slow disk: an fsync on $type is two flushes" '
		slow_disk mount slow 0.1 $type 400m &&
		test_when_finished "slow_disk umount slow" &&
		test "$(cost_of_fsyncs)" = "6 0"
	'
	test_expect_success MKFS_$type "with FUA an fsync on $type is a flush and a write" '
		slow_disk mount --fua-us=10 slow 0.1 $type 400m &&
		test_when_finished "slow_disk umount slow" &&
		test "$(cost_of_fsyncs)" = "3 3"
	'
done

test_expect_success 'the recorded writes have no FUA' '
	truncate -s 1m backing && mkdir mnt &&
	test_expect_code 129 "$GIT_BUILD_DIR/t/crash/disk" --record=rec --fua-us=10 backing mnt \
		2>err &&
	test_grep "exclude each other" err &&
	test_path_is_missing rec
'

test_expect_success 'nothing stays mounted' '
	! grep " /[^ ]*/crash-[^ /]*/[a-z]* " /proc/self/mounts &&
	! grep " $PWD/slow " /proc/self/mounts
'

test_done
