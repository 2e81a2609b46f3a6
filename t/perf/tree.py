# SPDX-License-Identifier: GPL-2.0-only
"""Shared by benchmarks of commands that work on a tree of 20,000 files: the repositories, and how a program is run."""
import os
import random
import shutil
import subprocess

from lib import TOP, die, environment

FILES = 20000


def settings(*words):
    return [w for word in words for w in ("-c", word)]


def run(git, repo, *args, data=None):
    done = subprocess.run(git + (["-C", repo] if repo else []) + list(args), env=environment(TOP), input=data,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        die("%s failed: %s" % (" ".join(args), done.stderr.decode(errors="replace")))
    return done.stdout.decode(errors="surrogateescape")


def knows(git, command):
    done = subprocess.run(git + [command, "-h"], env=environment(TOP), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return b"is not a git command" not in done.stdout and b"is not available here" not in done.stdout and done.returncode != 1


# ---- repositories -----------------------------------------------------------

def text(nr, edits=()):
    rng = random.Random(nr)
    lines = ["line %d %012x\n" % (k, rng.getrandbits(48)) for k in range(40)]
    for at, word in edits:
        lines[at] = "%s of %d\n" % (word, nr)
    return "".join(lines)


def path(nr):
    return "d%d/s%d/file%d" % (nr // 1000, nr // 50 % 20, nr)


class Import:
    """A stream for fast-import."""
    def __init__(self):
        self.out, self.clock = [], 1700000000

    def commit(self, branch, parent, changes):
        self.clock += 60
        who = "Bench <bench@example.com> %d +0000" % self.clock
        self.out.append("commit refs/heads/%s\ncommitter %s\ndata %d\n%s\n" % (branch, who, len(branch), branch))
        if parent and parent != branch: # else it goes on by itself
            self.out.append("from refs/heads/%s\n" % parent)
        self.out += changes

    def write(self, git, repo):
        subprocess.run(git + ["-C", repo, "fast-import", "--quiet"], input="".join(self.out).encode(),
                       env=environment(TOP), check=True)


def put(nr, edits=()):
    data = text(nr, edits)
    return "M 100644 inline %s\ndata %d\n%s\n" % (path(nr), len(data), data)


def move(nr):
    return "R %s moved/%s\n" % (path(nr), path(nr))


def make(git, name, build):
    repo = os.path.join(TOP, name)
    shutil.rmtree(repo, ignore_errors=True)
    run(git, None, "init", "-q", "-b", "main", repo)
    stream = Import()
    stream.commit("main", None, [put(nr) for nr in range(FILES)])
    build(stream)
    stream.write(git, repo)
    run(git, repo, "repack", "-adq")
    run(git, repo, "config", "gc.auto", "0")
    run(git, repo, "config", "core.logAllRefUpdates", "true")
    run(git, repo, "reset", "-q", "--hard")
    return repo
