#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random histories by seed (merges.py), merged in a working tree by `merge` of two implementations.

usage: merge-command.py [-k] [-r] [-d] [-c] GIT OTHER-GIT DIRECTORY [COUNT [SEED]]

Exit code, output, index with stages, files, state files, message and parents are compared. OTHER-GIT makes the
histories and checks out the branch. Options as in merges.py. Exit code 1 if anything differs.
"""
import os
import random
import shutil
import subprocess
import sys

from merges import Stream, history

STATE = ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG"]
VARIANTS = [[], [], [], ["--no-commit"], ["--squash"], ["-Xours"], ["-s", "ours"], ["--log"], ["--signoff"], ["--stat"]]
DIRTY = ["", "", "", "file", "untracked", "staged"]


def run(git, repository, *args):
    env = dict(os.environ, GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000", GIT_CONFIG_NOSYSTEM="1",
               GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@x",
               GIT_CONFIG_GLOBAL="/dev/null")
    p = subprocess.run([git, "-C", repository, "-c", "maintenance.auto=false", "-c", "gc.auto=0"] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace")


def content(path):
    if os.path.islink(path):
        return "-> " + os.readlink(path)
    with open(path, "rb") as f:
        return "%o %r" % (os.stat(path).st_mode & 0o100, f.read())


def files(repository):
    found = {}
    for top, dirs, names in os.walk(repository):
        if ".git" in dirs:
            dirs.remove(".git")
        for name in names + [d for d in dirs if os.path.islink(os.path.join(top, d))]:
            path = os.path.join(top, name)
            found[os.path.relpath(path, repository)] = content(path)
    return found


def make_dirty(kind, rng, repository, other, theirs):
    tracked = [p for p in run(other, repository, "ls-files")[1].split("\n") if p and
               os.path.isfile(os.path.join(repository, p))]
    if kind in ("file", "staged") and tracked:
        path = rng.choice(tracked)
        with open(os.path.join(repository, path), "a") as f:
            f.write("mine\n")
        if kind == "staged":
            run(other, repository, "add", path)
    if kind == "untracked":
        new = run(other, repository, "diff", "--name-only", "--diff-filter=A", "HEAD", theirs)[1].split("\n")
        new = [p for p in new if p and not p.startswith('"')]
        path = os.path.join(repository, rng.choice(new)) if new else None
        if path and not os.path.exists(path) and os.path.isdir(os.path.dirname(path)):
            with open(path, "w") as f:
                f.write("mine\n")


def merge(git, other, repository, n, variant, dirty, seed):
    run(other, repository, "reset", "-q", "--hard")
    run(other, repository, "clean", "-qfdx")
    for name in STATE:
        if os.path.exists(os.path.join(repository, ".git", name)):
            os.unlink(os.path.join(repository, ".git", name))
    run(other, repository, "checkout", "-q", "-f", "-B", "work", "o%d" % n)
    make_dirty(dirty, random.Random(seed), repository, other, "t%d" % n)
    code, out, err = run(git, repository, "merge", "--no-edit", *variant, "t%d" % n)
    state = {s: open(os.path.join(repository, ".git", s), errors="replace").read() for s in STATE
             if os.path.exists(os.path.join(repository, ".git", s))}
    if code == 2:
        state.pop("AUTO_MERGE", None)
    return {"code": code, "out": out, "err": err, "state": state,
            "index": run(other, repository, "ls-files", "-s")[1], "files": files(repository),
            "commit": run(other, repository, "log", "-1", "--format=%T %P%n%B")[1],
            "reflog": run(other, repository, "log", "-1", "-g", "--format=%gs")[1] if code == 0 else ""}


def main():
    args, options = sys.argv[1:], ""
    while args and args[0].startswith("-"):
        options += args.pop(0)[1:]
    git, other, directory = args[:3]
    count, seed = int(args[3]) if len(args) > 3 else 100, int(args[4]) if len(args) > 4 else 1
    rng, stream = random.Random(seed), Stream()
    for n in range(count):
        history(rng, options, stream, n)
    ours, theirs = os.path.join(directory, "ours"), os.path.join(directory, "theirs")
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    subprocess.run([other, "init", "-q", theirs], check=True)
    subprocess.run([other, "-C", theirs, "fast-import", "--quiet"], input=b"".join(stream.out), check=True)
    shutil.copytree(theirs, ours, symlinks=True)
    differing = 0
    for n in range(count):
        variant, dirty = rng.choice(VARIANTS), rng.choice(DIRTY)
        a = merge(git, other, ours, n, variant, dirty, seed + n)
        b = merge(other, other, theirs, n, variant, dirty, seed + n)
        if a == b:
            continue
        differing += 1
        print("---- history %d, merge %s, %s" % (n, " ".join(variant), dirty or "clean"))
        for key in a:
            if a[key] != b[key]:
                print("%s:\n- %s\n+ %s" % (key, a[key], b[key]))
        if "k" not in options:
            break
    print("%d of %d differ" % (differing, count))
    sys.exit(differing > 0)


main()
