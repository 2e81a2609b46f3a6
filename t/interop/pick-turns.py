#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random cherry-picks and reverts of several commits, in which two programs take turns at each stop, beside the same picks by one.

    t/interop/pick-turns.py OURS PEER DIR [COUNT [FIRST-SEED]]

HEAD, refs, reflogs, index, files, the files by which a later command goes on, output and exit code must be equal after each
stop. AUTO_MERGE is compared where the index has conflicts; Git 2.55 leaves it behind elsewhere,
and MERGE_MSG where `revert --continue` goes past a commit that changes nothing and ends. One difference is listed, not
counted: a local change is no obstacle to us if the last pick leaves the file as the first one has found it.
"""
import os
import random
import shutil
import subprocess
import sys

ENV = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x",
       "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_EDITOR": ":",
       "PATH": os.environ["PATH"], "GIT_TEST_FSYNC": "0", "LC_ALL": "C",
       "GIT_CEILING_DIRECTORIES": os.path.abspath(sys.argv[3])}
STATE_FILES = ["CHERRY_PICK_HEAD", "REVERT_HEAD", "ORIG_HEAD"]
OPTIONS = [["-x"], ["--signoff"], ["--ff"], ["--allow-empty"], ["--empty=drop"], ["--empty=keep"], ["-Xours"], ["-n"]]


def call(repo, program, *args):
    p = subprocess.run([program, *args], cwd=repo, env={**ENV, "HOME": repo}, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def change(rng, repo):
    path = os.path.join(repo, rng.choice("abc"))
    if rng.random() < 0.1 and os.path.exists(path):
        os.unlink(path)
        return
    lines = open(path).read().split("\n") if os.path.exists(path) else [str(i) for i in range(12)]
    for _ in range(rng.randint(0, 2)):
        lines[rng.randrange(len(lines))] = str(rng.randint(0, 99))
    with open(path, "w") as f:
        f.write("\n".join(lines))


def make_repo(rng, program, repo):
    def commit(subject):
        call(repo, program, "add", "-A")
        call(repo, program, "commit", "-q", "--allow-empty", "-m", subject)

    os.makedirs(repo)
    call(repo, program, "init", "-q", "-b", "main")
    for name in "abc":
        with open(os.path.join(repo, name), "w") as f:
            f.write("\n".join(str(i) for i in range(12)))
    commit("base")
    call(repo, program, "checkout", "-q", "-b", "topic")
    for i in range(rng.randint(2, 6)):
        change(rng, repo)
        commit("t%d%s" % (i, "\n\nbody" if rng.random() < 0.3 else ""))
    call(repo, program, "checkout", "-q", "main")
    for i in range(rng.randint(0, 2)):
        change(rng, repo)
        commit("m%d" % i)


def in_progress(repo):
    return any(os.path.exists(os.path.join(repo, ".git", f)) for f in ("sequencer", "CHERRY_PICK_HEAD", "REVERT_HEAD"))


def state(program, repo, command):
    parts = []
    for args in (["for-each-ref"], ["rev-parse", "HEAD"], ["ls-files", "-s"], ["status", "--porcelain"]):
        parts.append(" ".join(args) + "\n" + call(repo, program, *args)[1])
    top = os.path.join(repo, ".git")
    paths = [os.path.join(top, f) for f in STATE_FILES]
    if call(repo, program, "ls-files", "-u")[1]:
        paths.append(os.path.join(top, "AUTO_MERGE"))
    if in_progress(repo) or command != ["revert", "--continue"]:
        paths.append(os.path.join(top, "MERGE_MSG"))
    for d in ("logs", "sequencer"):
        for base, _, files in sorted(os.walk(os.path.join(top, d))):
            paths += [os.path.join(base, f) for f in sorted(files)]
    paths += [os.path.join(repo, f) for f in sorted(os.listdir(repo)) if f != ".git"]
    for path in paths:
        if os.path.isfile(path):
            parts.append("%s\n%s" % (os.path.relpath(path, repo), open(path, errors="replace").read()))
    return "\n== ".join(parts)


def resolve(rng, peer, repo):
    for path in call(repo, peer, "diff", "--name-only", "--diff-filter=U")[1].split():
        if call(repo, peer, "checkout", rng.choice(["--ours", "--theirs"]), "--", path)[0]:
            call(repo, peer, "rm", "-q", "-f", "--", path)
    call(repo, peer, "add", "-A")


def begin(rng, peer, repo):
    """The command that begins, and what is edited before."""
    command = rng.choice(["cherry-pick", "cherry-pick", "revert"])
    options = [w for o in OPTIONS if rng.random() < 0.15 and (command == "cherry-pick" or o[0] in ("--signoff", "-n")) for w in o]
    if "-n" in options:
        options = ["-n"]
    if "--ff" in options:
        options = ["--ff"]
    commits = call(repo, peer, "rev-list", "--reverse", "main..topic")[1].split()
    if rng.random() < 0.3:
        rng.shuffle(commits)
    what = ["main..topic"] if rng.random() < 0.4 else commits[:rng.randint(1, len(commits))]
    if command == "revert":
        call(repo, peer, "checkout", "-q", "topic")
    if rng.random() < 0.15:
        change(rng, repo)
    return [command, *options, *what]


def pick(seed, programs, peer, repo):
    """The states after each stop. programs: which takes which turn."""
    rng, states = random.Random(seed), []
    args = begin(rng, peer, repo)
    command = args[0]
    for turn in range(30):
        code, out, err = call(repo, programs[turn % len(programs)], *args)
        states.append("%s: %d\n%s\n-- \n%s\n== " % (" ".join(args), code, out, err) + state(peer, repo, args))
        if not in_progress(repo):
            break
        args = [command, rng.choice(["--continue"] * 5 + ["--skip"] * 2 + ["--abort", "--quit"])]
        if args[1] == "--continue" and rng.random() < 0.9:
            resolve(rng, peer, repo)
            if rng.random() < 0.2:
                call(repo, peer, "commit", "-q", "--allow-empty", "--no-edit")
    return states


def is_listed(want, got):
    """Git refuses for files that all picks together do not change."""
    words = "error: Your local changes to the following files would be overwritten by merge:\n"
    if words not in want or ": 128\n" not in want.split("\n-- \n")[0] + "\n" or ": 0\n" not in got:
        return False
    lines = want.split(words)[1].split("\n")
    paths = [line[1:] for line in lines[:next(i for i, line in enumerate(lines) if not line.startswith("\t"))]]
    entries = [[line for line in text.split("\n") if line.endswith(" 0\t" + p)] for p in paths for text in (want, got)]
    return all(len(e) == 1 for e in entries) and entries[0::2] == entries[1::2]


def main():
    ours, peer, top = [os.path.abspath(a) for a in sys.argv[1:4]]
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    seeds = range(first, first + (int(sys.argv[4]) if len(sys.argv) > 4 else 100))
    bad = listed = 0
    for seed in seeds:
        dirs = [os.path.join(top, n, "r") for n in ("peer", "turns")]
        for d in ("peer", "turns"):
            shutil.rmtree(os.path.join(top, d), ignore_errors=True)
        make_repo(random.Random(seed), peer, dirs[0])
        shutil.copytree(dirs[0], dirs[1], symlinks=True)
        turns = [[ours], [ours, peer], [peer, ours]][seed % 3]
        want = pick(seed, [peer], peer, dirs[0])
        got = pick(seed, turns, peer, dirs[1])
        for i, (w, g) in enumerate(zip(want, got)):
            if w != g and is_listed(w, g):
                listed += 1
                break
            if w != g:
                bad += 1
                print("seed %d, stop %d differs" % (seed, i))
                for name, text in (("want", w), ("got", g)):
                    with open(os.path.join(top, "%s.%d" % (name, seed)), "w") as f:
                        f.write(text)
                break
    print("%d sequences, %d differ, %d are listed" % (len(seeds), bad, listed))
    return bad > 0


sys.exit(main())
