#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only

test_description='commands fail if the disk could not write their data

The disk fails writes that contain a certain text, as one with bad blocks does. The command whose
contents these are has to say so: on each file system, with each way to make contents durable.
On overlayfs sync_file_range and syncfs return 0 all the same, which is why each file is flushed
there. (Documentation/Durability, the table of file systems.)'
. "$(dirname "$0")/test-lib.sh"

if ! test_have_prereq ROOT,LOOPMNT || ! test -x "$GIT_BUILD_DIR/t/crash/disk" || ! test -w /dev/fuse
then
	skip_all='needs root, and the disk of the laboratory (make crash-programs)'
	test_done
fi

unset GIT_TEST_FSYNC GIT_CONFIG_SYSTEM

# The text arrives as it is, but from objects only: the files of the work tree have another.
git config --global core.compression 0
git config --global core.attributesFile "$PWD/attributes"
git config --global filter.bad.clean "sed s/GOODBLOCK/BADBLOCK/"
echo "* filter=bad" >attributes

slow_disk () {
	CRASH_BIN="$GIT_BUILD_DIR/t/crash" "$SOURCE_DIR/t/perf/slow-disk" "$@"
}

# given: a file that is longer than what a file system keeps inside an inode
given () {
	{ echo "GOODBLOCK $*" && test_seq 2000; } >f
}

# works CMD...: perhaps at the second time, since the first syncfs tells what none has told (btrfs)
works () {
	git "$@" || git "$@"
}

# refuses CMD...: it fails and says that something could not be written
refuses () {
	slow_disk fail "$DISK" BADBLOCK && given "$@" &&
	test_must_fail git "$@" 2>err && slow_disk fail "$DISK" &&
	test_grep -i "input/output error\|read-only file system" err
}

fresh () {
	slow_disk umount "$DISK" 2>/dev/null
	slow_disk mount "$DISK" 0 "$1" "$2"
}

while read type size
do
	command -v "mkfs.$type" >/dev/null || continue
	DISK=$PWD/$type
	test_atexit "umount '$PWD/overlay-$type' 2>/dev/null; slow_disk umount '$DISK'"

	for method in batch fsync
	do
		test_expect_success "$type, $method: add" '
			fresh $type $size && git init -q $type/r && cd $type/r &&
			refuses -c core.fsyncMethod=$method add f && works -c core.fsyncMethod=$method add f &&
			git fsck --full
		'
	done

	test_expect_success "$type: a pack of new objects" '
		fresh $type $size && git init -q $type/r && cd $type/r &&
		for i in $(test_seq 40); do test_seq $i 300 >f$i || return 1; done &&
		refuses add . && works add . && git fsck --full
	'

	test_expect_success "overlayfs on $type" '
		fresh $type $size && mkdir $type/low $type/up $type/work overlay-$type &&
		mount -t overlay none -o lowerdir=$type/low,upperdir=$type/up,workdir=$type/work overlay-$type &&
		(
			git init -q overlay-$type/r && cd overlay-$type/r &&
			refuses add f && works add f && git fsck --full
		) &&
		umount overlay-$type
	'
done <<\EOF
ext4 64m
xfs 400m
btrfs 200m
EOF

test_done
