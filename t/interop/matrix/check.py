# SPDX-License-Identifier: GPL-2.0-only
"""
What has arrived at a client, compared with what should have: refs and what tags lead to, the boundary of
a shallow repository, the names of all objects, and fsck by stock Git.
"""
import hashlib
import os
import struct
import subprocess


class Wrong(Exception):
    pass


class Checker:
    def __init__(self, git, place):
        self.git, self.place = git, place
        self.sound = set()
        self.strict = True

    def run(self, directory, *argv, check=True):
        env = dict(self.place.environment(), GIT_NO_LAZY_FETCH="1")
        done = subprocess.run([self.git, "-C", directory, *argv], env=env, capture_output=True,
                              stdin=subprocess.DEVNULL)
        if check and done.returncode:
            raise Wrong("%s: %s" % (argv[0], done.stderr.decode(errors="replace")[-1000:]))
        return done

    def state(self, directory):
        """What can be compared: everything but the bytes."""
        refs = self.run(directory, "for-each-ref",
                        "--format=%(objectname) %(*objectname) %(refname)", "refs/heads", "refs/tags")
        names = self.run(directory, "cat-file", "--batch-all-objects",
                         "--batch-check=%(objectname)").stdout
        try:
            with open(directory + "/shallow") as f:
                shallow = sorted(f.read().split())
        except FileNotFoundError:
            shallow = []
        return {"refs": refs.stdout.decode().splitlines(), "shallow": shallow,
                "objects": hashlib.sha256(names).hexdigest(),
                "number of objects": names.count(b"\n")}

    def compare(self, expected, found):
        for key in ("refs", "shallow", "number of objects", "objects"):
            if expected[key] == found[key]:
                continue
            if isinstance(found[key], list):
                more = sorted(set(found[key]) - set(expected[key]))
                less = sorted(set(expected[key]) - set(found[key]))
                raise Wrong("%s: %d too many %s, %d missing %s" % (
                    key, len(more), more[:2], len(less), less[:2]))
            raise Wrong("%s: %s, not %s" % (key, found[key], expected[key]))

    def digest(self, directory):
        """Of all that fsck reads."""
        whole = hashlib.sha1()
        for base, dirs, names in os.walk(directory):
            if base == directory:
                dirs[:] = [d for d in dirs if d in ("objects", "refs", "reftable")]
                names = [n for n in names if n in ("HEAD", "packed-refs", "shallow")]
            dirs.sort()
            for name in sorted(names):
                path = os.path.join(base, name)
                whole.update(os.path.relpath(path, directory).encode() + b"\0")
                with open(path, "rb") as f:
                    for part in iter(lambda: f.read(1 << 20), b""):
                        whole.update(part)
        return whole.hexdigest()

    def fsck(self, directory):
        """What has been found sound is not looked at again when the same bytes come once more."""
        key = self.digest(directory)
        if key in self.sound:
            return
        done = self.run(directory, "fsck", "--full", "--no-dangling", "--no-progress",
                        *(["--strict"] if self.strict else []), check=False)
        said = [line for line in (done.stderr + done.stdout).decode(errors="replace").splitlines()
                if not line.startswith("notice: ")]   # a HEAD that is unborn
        if done.returncode or said:
            raise Wrong("fsck: " + "; ".join(said)[:1000])
        self.sound.add(key)

    def objects_in_packs(self, directory):
        """{pack: how many objects}, by the last line of the index's first table."""
        found = {}
        place = directory + "/objects/pack"
        for name in os.listdir(place):
            if name.endswith(".idx"):
                with open(os.path.join(place, name), "rb") as f:
                    found[name] = struct.unpack(">I", f.read(8 + 1024)[-4:])[0]
        return found


def mark_as_partial(checker, directory):
    """For clients that leave objects out and do not tell stock Git so."""
    for key, value in (("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"),
                       ("remote.origin.promisor", "true"), ("remote.origin.url", "/nowhere")):
        checker.run(directory, "config", key, value)
    place = directory + "/objects/pack"
    for name in os.listdir(place):
        if name.endswith(".pack"):
            open(os.path.join(place, name[:-len("pack")] + "promisor"), "a").close()
