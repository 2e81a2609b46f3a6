#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Stashes by seed: random edits, then push, apply and pop by our git and by PEER_GIT, in copies of one repository.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/stash.py [SEED [ROUNDS]]

Compared: output, exit code, index, files, list. KNOWN has the differences that git-stash(1) names.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

OURS = os.environ.get("OUR_GIT", "git")
PEER = os.environ.get("PEER_GIT", "/usr/bin/git")
NAMES = ["a", "b", "c", "dir/x", "dir/y", "dir/sub/z", "e.txt", "i.o"]
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_AUTHOR_NAME="A",
           GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@x",
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000", GIT_TEST_FSYNC="0",
           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="maintenance.auto", GIT_CONFIG_VALUE_0="false")
# --index and --staged: Git applies patches where we merge.
KNOWN = [r"^error: patch failed: .*\n", r"^warning: .* has type \d+, expected \d+\n",
         r"^error: .*: (patch does not apply|does not exist in index|already exists in index)\n"]
# --index where something is staged already: Git refuses, or patches; ours merges. A pathspec of a file that is staged and
# missing, or whose removal is staged, or, with --keep-index, untracked: Git makes the stash, and fails. The round ends there.
ENDS = ["would be overwritten by merge:\n  ", "Try without --index", "No valid patches in input", "did not match any files\n"]
LAST_WORDS = "known to git\n"
# push -u and -a: Git saves a file that is in HEAD, not in the index, and there, as untracked, too. After a difference the
# round ends.
def is_saved_twice(before):
    lines = before[1][2][1].split("\n")
    untracked = [line[3:] for line in lines if line.startswith("?? ")]
    gone = [line[3:].partition(" -> ")[0] for line in lines if line[:1] in ("D", "R") and line[1:2] == " "]
    return any(old == name or name.endswith("/") and old.startswith(name) for old in gone for name in untracked)


# Where files are in the way Git brings untracked files back all the same; ours changes nothing.
REFUSED = "Please commit your changes or stash them before you merge.\nAborting\n", "Please move or remove them before you merge.\nAborting\n"


def run(git, where, *args):
    p = subprocess.run([git, *args], cwd=where, env=ENV, stdin=subprocess.DEVNULL, capture_output=True)
    err = p.stderr.decode("latin-1")
    for pattern in KNOWN:
        err = re.sub(pattern, "", err, flags=re.M)
    return p.returncode, p.stdout.decode("latin-1"), err


def text(rng, lines=12):
    return "".join("line %d\n" % rng.randrange(4) if rng.random() < .1 else "line %d of all\n" % i for i in range(lines))


def write(where, name, content):
    path = os.path.join(where, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.islink(path):
        os.unlink(path)
    with open(path, "w") as f:
        f.write(content)


def edit(rng, where, name, deletes):
    """Change one file in one way."""
    path = os.path.join(where, name)
    there = os.path.isfile(path) and not os.path.islink(path)
    if not there or rng.random() < .15:
        write(where, name, text(rng))
        return
    how = rng.randrange(0 if deletes else 1, 6)
    lines = open(path).read().split("\n")
    if how == 0:
        os.unlink(path)
    elif how == 1:
        os.chmod(path, 0o755 if not os.access(path, os.X_OK) else 0o644)
    else:
        at = rng.randrange(len(lines))
        lines[at:at + (how > 3)] = ["edit %d" % rng.randrange(3)]
        write(where, name, "\n".join(lines))


def edits(rng, where, staged, deletes=True):
    for _ in range(rng.randrange(1, 5)):
        name = rng.choice(NAMES)
        edit(rng, where, name, deletes)
        if rng.random() < staged:
            run(PEER, where, "add", "-A", "--", name)


def push_args(rng):
    args = [a for a in ("-k", "-u", "-q") if rng.random() < .2]
    if rng.random() < .1:
        args.append("-a")
    if rng.random() < .2:
        args += ["-m", "some words"]
    if rng.random() < .25:
        args += ["--", rng.choice(["a", "dir", "dir/sub", "*.txt", ":!a", "b"])]
    return ["stash", "push", *args]


def steps(rng):
    """What happens in both copies: functions of (git, directory) to outputs."""
    plan = []
    for _ in range(rng.randrange(1, 3)):
        seed = rng.randrange(1 << 30)
        plan.append(lambda g, d, s=seed: edits(random.Random(s), d, .4))
        plan.append(lambda g, d, a=push_args(rng): run(g, d, *a))
    plan.append(lambda g, d: run(g, d, "stash", "list"))
    plan.append(lambda g, d, a=rng.choice([[], ["-u"], ["--name-status"], ["-p"], ["-p", "1"]]): run(g, d, "stash", "show", *a))
    if rng.random() < .6:
        seed = rng.randrange(1 << 30)
        commits = rng.random() < .7
        # A file that is only missing comes back with a conflict in Git; ours leaves it.
        plan.append(lambda g, d, s=seed: edits(random.Random(s), d, .9, commits))
        if commits:
            plan.append(lambda g, d: run(PEER, d, "commit", "-q", "-a", "-m", "other"))
    last = rng.choice(["apply", "pop", "pop", "pop"])
    args = [a for a in ("--index", "-q") if rng.random() < .2]
    plan.append(lambda g, d: run(g, d, "stash", last, *args))
    plan.append(lambda g, d: run(g, d, "stash", "drop"))
    return plan


def files(where):
    out = []
    for base, dirs, names in os.walk(where):
        dirs[:] = [d for d in dirs if d != ".git"]
        for n in names:
            p = os.path.join(base, n)
            out.append((os.path.relpath(p, where), os.access(p, os.X_OK), open(p).read()))
    return sorted(out)


def state(where):
    return [files(where)] + [run(PEER, where, *a) for a in (["ls-files", "-s"], ["status", "--porcelain"], ["stash", "list"],
            ["log", "-g", "--format=%H %gs", "refs/stash", "--"], ["rev-parse", "HEAD", "AUTO_MERGE"])]


def one(seed, top):
    rng = random.Random(seed)
    base = os.path.join(top, "base")
    os.makedirs(base)
    run(PEER, base, "init", "-q", "-b", "main")
    write(base, ".gitignore", "*.o\n")
    for name in NAMES[:-1]:
        if rng.random() < .8:
            write(base, name, text(rng))
    run(PEER, base, "add", ".")
    run(PEER, base, "commit", "-q", "-m", "one")
    plan, results = steps(rng), []
    for git in (PEER, OURS):
        copy = os.path.join(top, "r")
        shutil.copytree(base, copy, symlinks=True)
        run(PEER, copy, "update-index", "-q", "--refresh")
        seen = []
        for step in plan:
            out = step(git, copy)
            seen.append((out, state(copy)))
        results.append(seen)
        shutil.rmtree(copy)
    for i, (peer, ours) in enumerate(zip(*results)):
        if any(side[0] and end in side[0][2] for side in (peer, ours) for end in ENDS):
            break
        if any(side[0] and side[0][2].endswith(LAST_WORDS) for side in (peer, ours)):
            break
        if peer != ours and i and is_saved_twice(results[0][i - 1]):
            break
        if peer != ours and all(side[0] and side[0][2] and any(r in side[0][2] for r in REFUSED) for side in (peer, ours)):
            break
        if peer != ours:
            return "step %d\n  peer %r\n  ours %r" % (i, *first_difference(peer, ours))
    return None


def first_difference(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)) and len(a) == len(b):
        for x, y in zip(a, b):
            if x != y:
                return first_difference(x, y)
    return a, b


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    different = 0
    for seed in range(first, first + rounds):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as top:
            found = one(seed, top)
        if found:
            different += 1
            print("seed %d: %s" % (seed, found), flush=True)
    print("%d rounds from seed %d, %d different" % (rounds, first, different))
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
