# SPDX-License-Identifier: GPL-2.0-only
"""Disks, loop devices and mounts for the laboratory.

All mounts are made in a mount namespace of the driver's own (run re-executes itself
under unshare), and every loop device clears itself with its last user: whatever
happens to the driver, nothing of it stays.
"""
import ctypes
import fcntl
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import time

MiB = 1 << 20

LOOP_CTL_GET_FREE = 0x4C82
LOOP_CONFIGURE = 0x4C0A
LO_FLAGS_AUTOCLEAR = 4
LO_FLAGS_DIRECT_IO = 16
MS_NOATIME = 1024
MNT_DETACH = 2

libc = ctypes.CDLL(None, use_errno=True)


class LabError(Exception):
    """The laboratory itself has failed; there is no verdict."""


def end_with_parent(number):
    """Called in a child: it gets this signal when the parent ends, however that ends."""
    libc.prctl(1, number)


def run(argv, **kw):
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **kw)
    if done.returncode:
        raise LabError("%s: %s" % (" ".join(argv), done.stdout.decode(errors="replace")))


def mount(source, target, fstype, flags=0, options=""):
    if libc.mount(source.encode(), target.encode(), fstype.encode(), flags, options.encode()):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), target)


def umount(target):
    for _ in range(100):
        if not libc.umount2(target.encode(), 0):
            return
        time.sleep(0.01)
    libc.umount2(target.encode(), MNT_DETACH)


def leave_foreign_mounts(needed):
    """A new mount namespace has copies of all mounts; as long as these exist, an unmount elsewhere
    does not free the device. Unmount all that none of the `needed` paths is on."""
    with open("/proc/self/mountinfo") as f:
        places = [line.split()[4].encode().decode("unicode_escape") for line in f]
    needed = [os.path.realpath(path) + "/" for path in needed]
    for place in reversed(places):
        if not place.startswith(("/proc", "/sys", "/dev/pts")) and \
           not any(path.startswith(place.rstrip("/") + "/") for path in needed):
            libc.umount2(place.encode(), MNT_DETACH)


def loop_attach(path, direct=False):
    """(name, descriptor) of a loop device; it is freed with its last user."""
    flags = LO_FLAGS_AUTOCLEAR | (LO_FLAGS_DIRECT_IO if direct else 0)
    info = struct.pack("=5Q4I", 0, 0, 0, 0, 0, 0, 0, 0, flags) + bytes(64 + 64 + 32 + 16)
    file = os.open(path, os.O_RDWR)
    try:
        for _ in range(50):
            with open("/dev/loop-control") as control:
                number = fcntl.ioctl(control, LOOP_CTL_GET_FREE)
            name = "/dev/loop%d" % number
            try:
                device = os.open(name, os.O_RDWR)
            except FileNotFoundError:
                time.sleep(0.01)
                continue
            try:
                fcntl.ioctl(device, LOOP_CONFIGURE, struct.pack("=2I", file, 0) + info + bytes(64))
                return name, device
            except OSError: # somebody else was quicker
                os.close(device)
                time.sleep(0.01)
        raise LabError("no loop device is free")
    finally:
        os.close(file)


class FileSystem:
    def __init__(self, name, fstype, size, mkfs, options, overlay=False, repair=None):
        self.name = name
        self.fstype = fstype
        self.size = size
        self.mkfs = mkfs
        self.options = options
        self.overlay = overlay
        self.repair = repair # what a system without a journal does before it mounts such a disk

    def make(self, image):
        with open(image, "wb") as f:
            f.truncate(self.size)
        run(self.mkfs + [image])

    def prepare(self, image):
        if self.repair:
            subprocess.run(self.repair + [image], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

    def damage(self, image):
        """What the file system's own checker finds in an image that has been mounted, or None."""
        done = subprocess.run(CHECKERS[self.fstype] + [image], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout.decode(errors="replace") if done.returncode else None


# They change nothing, and exit with 0 if everything fits together.
CHECKERS = {
    "ext4": ["e2fsck", "-f", "-n"],
    "xfs": ["xfs_repair", "-n", "-f"],
    "btrfs": ["btrfs", "check", "--readonly"],
}


EXT4 = ["mkfs.ext4", "-q", "-F", "-b", "4096", "-E",
        "lazy_itable_init=0,lazy_journal_init=0,nodiscard"]
XFS = ["mkfs.xfs", "-q", "-f", "-K"]
BTRFS = ["mkfs.btrfs", "-q", "-f", "-K"]
FILE_SYSTEMS = {fs.name: fs for fs in (
    FileSystem("ext4", "ext4", 128 * MiB, EXT4, "commit=1"),
    FileSystem("ext4-noauto", "ext4", 128 * MiB, EXT4, "commit=1,noauto_da_alloc"),
    FileSystem("ext4-writeback", "ext4", 128 * MiB, EXT4, "commit=1,data=writeback"),
    FileSystem("ext4-fastcommit", "ext4", 128 * MiB, EXT4 + ["-O", "fast_commit"], "commit=1"),
    FileSystem("ext4-nojournal", "ext4", 128 * MiB, EXT4 + ["-O", "^has_journal"], "",
               repair=["e2fsck", "-f", "-y"]),
    FileSystem("xfs", "xfs", 320 * MiB, XFS, ""),
    FileSystem("btrfs", "btrfs", 256 * MiB, BTRFS, "commit=1"),
    FileSystem("btrfs-zstd", "btrfs", 256 * MiB, BTRFS, "commit=1,compress=zstd"),
    FileSystem("overlay", "ext4", 128 * MiB, EXT4, "commit=1", overlay=True),
)}


class Mounted:
    """A file system on a loop device over `file`; .root is the directory to work in.

    Overlay: the work is done in an overlay, whose lower directory is what had been
    prepared, and whose upper directory is on the same disk.
    """
    def __init__(self, fs, file, where, direct=False, overlay=None):
        self.disk = os.path.join(where, "fs")
        self.root = self.disk
        self.mounts = []
        os.makedirs(self.disk, exist_ok=True)
        device, fd = loop_attach(file, direct)
        try:
            mount(device, self.disk, fs.fstype, MS_NOATIME, fs.options)
            self.mounts.append(self.disk)
            if fs.overlay and overlay is not False:
                self.mount_overlay(where)
            elif fs.overlay:
                for name in "lower", "upper", "work":
                    os.makedirs(os.path.join(self.disk, name), exist_ok=True)
                self.root = os.path.join(self.disk, "lower")
        except OSError:
            self.close()
            raise
        finally:
            os.close(fd)

    def mount_overlay(self, where):
        self.root = os.path.join(where, "overlay")
        os.makedirs(self.root, exist_ok=True)
        mount("overlay", self.root, "overlay", MS_NOATIME,
              "lowerdir=%(d)s/lower,upperdir=%(d)s/upper,workdir=%(d)s/work" % {"d": self.disk})
        self.mounts.append(self.root)

    def close(self):
        while self.mounts:
            umount(self.mounts.pop())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Disk:
    """The FUSE disk: .file is for a loop device; mark() writes into the record."""
    def __init__(self, bin_dir, backing, where, record=None, flush_ms=0, write_us=0):
        self.where = os.path.join(where, "disk")
        os.makedirs(self.where, exist_ok=True)
        argv = [os.path.join(bin_dir, "disk"), "--foreground", "--flush-ms=%g" % flush_ms,
                "--write-us=%d" % write_us]
        if record:
            argv.append("--record=" + record)
        self.process = subprocess.Popen(
            argv + [backing, self.where], preexec_fn=lambda: end_with_parent(signal.SIGTERM))
        self.file = os.path.join(self.where, "disk")
        for _ in range(500):
            if os.path.exists(self.file):
                break
            if self.process.poll() is not None:
                raise LabError("the disk does not start (is there /dev/fuse?)")
            time.sleep(0.01)
        else:
            raise LabError("the disk does not appear")
        self.marks = os.open(os.path.join(self.where, "mark"), os.O_WRONLY)

    def mark(self, text):
        os.write(self.marks, text.encode())

    def close(self):
        os.close(self.marks)
        umount(self.where)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.terminate()
            self.process.wait()


class Entry:
    __slots__ = ("number", "type", "offset", "len", "ref", "time_us", "text")

    def __init__(self, line):
        words = line.rstrip("\n").split("\t")
        self.number, self.offset, self.len, self.ref, self.time_us = (
            int(words[i]) for i in (0, 2, 3, 4, 5))
        self.type = words[1]
        self.text = words[6]


def read_record(bin_dir, record):
    done = subprocess.run([os.path.join(bin_dir, "replay"), "list", record],
                          capture_output=True, text=True, check=True)
    return [Entry(line) for line in done.stdout.splitlines()]


class Replayer:
    """Builds images; fast as long as crash points do not go backwards."""
    def __init__(self, bin_dir, base, record):
        self.process = subprocess.Popen([os.path.join(bin_dir, "replay"), "serve", base, record],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def build(self, point, out):
        self.process.stdin.write("%d %s %d %s %d %s\n" % (
            point.k, point.mode, point.percent, point.unit, point.seed, out))
        self.process.stdin.flush()
        if self.process.stdout.readline() != "ok\n":
            raise LabError("cannot build the image of " + str(point))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def work_directory():
    """The directory for images in use: in memory, if there is enough."""
    where = "/dev/shm" if os.path.isdir("/dev/shm") and \
        shutil.disk_usage("/dev/shm").free > 2048 * MiB else None
    return tempfile.mkdtemp(prefix="crash-", dir=where)
