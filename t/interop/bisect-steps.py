#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Bisections by seed, by our git and by PEER_GIT, each in a copy of one repository with merges.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/bisect-steps.py [SEED [ROUNDS]]

Ranges of `skip` are not among the commands: Git takes the other commits of the range for good ones in that step. Compared after each command: output, exit code, state files, refs, HEAD, the reflog. After each step both copies are
exchanged: each git goes on with what the other has begun.
"""
import os
import random
import shutil
import subprocess
import sys

import rounds

OURS = os.environ.get("OUR_GIT", "git")
PEER = os.environ.get("PEER_GIT", "/usr/bin/git")
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_AUTHOR_NAME="A",
           GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@x", GIT_TEST_FSYNC="0",
           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="maintenance.auto", GIT_CONFIG_VALUE_0="false")
DATE = 1700000000
FILES = ["BISECT_LOG", "BISECT_TERMS", "BISECT_START", "BISECT_NAMES", "BISECT_EXPECTED_REV", "BISECT_HEAD",
         "BISECT_ANCESTORS_OK", "BISECT_FIRST_PARENT"]


def run(git, where, *args, date=DATE + 1000):
    env = dict(ENV, GIT_AUTHOR_DATE="%d +0000" % date, GIT_COMMITTER_DATE="%d +0000" % date)
    p = subprocess.run([git, *args], cwd=where, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    return p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")


def history(rng, where, size):
    """Tags c0, c1, ...: commits with one, two or three parents."""
    run(PEER, where, "init", "-q", "-b", "main")
    trees = []
    for i in range(size):
        name = rng.choice(["a", "b", "d/e"])
        path = os.path.join(where, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("%d\n" % i)
        run(PEER, where, "add", "-A")
        trees.append(run(PEER, where, "write-tree")[1].strip())
    for i in range(size):
        parents = []
        if i and rng.random() > .02:
            near = range(max(0, i - 6), i)
            parents = rng.sample(near, min(len(near), rng.choice([1, 1, 1, 1, 2, 2, 3])))
        args = [w for p in sorted(parents, reverse=True) for w in ("-p", "c%d" % p)]
        date = DATE + i * rng.choice([1, 1, 1, 0, 2])
        oid = run(PEER, where, "commit-tree", trees[i], *args, "-m", "c%d" % i, date=date)[1].strip()
        run(PEER, where, "tag", "c%d" % i, oid)
    run(PEER, where, "reset", "-q", "--hard", "c%d" % (size - 1))


def start(rng, size):
    some = lambda: "c%d" % rng.randrange(size)
    args = ["start"]
    terms = ("bad", "good")
    if rng.random() < .2:
        terms = rng.choice([("new", "old"), ("slow", "fast")])
        args += ["--term-new", terms[0], "--term-old=" + terms[1]]
    args += [a for a in ("--no-checkout", "--first-parent") if rng.random() < .15]
    if rng.random() < .8:
        args += ["c%d" % (size - 1 - rng.randrange(3)), *(some() for _ in range(rng.choice([0, 1, 1, 2])))]
    if rng.random() < .3:
        args += ["--", *rng.sample(["a", "d", "nowhere"], rng.randrange(1, 3))]
    return args, terms


def step(rng, size, terms):
    some = lambda: "c%d" % rng.randrange(size)
    sub = rng.choice(["bad", "bad", "good", "good", "skip", "skip", "named", "next", "log", "terms", "run", "view"])
    if sub in ("bad", "good"):
        return [terms[sub == "good"]]
    if sub == "named":
        return [rng.choice([terms[0], terms[1], "skip"]), some()]
    if sub == "terms":
        return [sub, rng.choice(["--term-new", "--term-good"])]
    if sub == "run":
        bound = rng.randrange(size * 3)
        return [sub, "sh", "-c", "n=$(cat a b d/e 2>&1 | cksum | cut -c1-3); test $((n %% 7)) != %d || exit 125; test $n -lt %d0" % (
            rng.randrange(10), bound)]
    if sub == "view":
        return [sub, "--oneline"]
    return [sub]


def listed_log(text):
    """With paths, Git leaves out commits that an older walk has met."""
    return "".join(line for line in text.splitlines(True) if "'--'" not in text or "# possible first" not in line)


def state(where):
    out = [run(PEER, where, "for-each-ref", "refs/bisect"), run(PEER, where, "rev-parse", "HEAD"),
           run(PEER, where, "symbolic-ref", "-q", "HEAD"), run(PEER, where, "status", "--porcelain"),
           run(PEER, where, "log", "-g", "--format=%H %gs", "-3")]
    for name in FILES:
        path = os.path.join(where, ".git", name)
        text = open(path).read() if os.path.exists(path) else None
        out.append((name, listed_log(text) if text and name == "BISECT_LOG" else text))
    return out


def is_listed(ours, peer):
    """A commit that is both; a merge base that is skipped (Differences)."""
    both = " was both " in ours[1] and "revs are not ancestors" in peer[2]
    return both or ("must be skipped." in ours[2] and ours[2] == peer[2] and ours[0] == peer[0] and ours[1] != peer[1])


def one(seed, top):
    rng = random.Random(seed)
    base = os.path.join(top, "base")
    os.makedirs(base)
    size = rng.randrange(5, 40)
    history(rng, base, size)
    dirs = [os.path.join(top, "ours"), os.path.join(top, "peer")]
    for d in dirs:
        shutil.copytree(base, d)
    args, terms = start(rng, size)
    trace = []
    for _ in range(12):
        trace.append(" ".join(args))
        results = [run(git, d, "bisect", *args) for git, d in zip((OURS, PEER), dirs)]
        if args == ["log"]:
            results = [(code, listed_log(out), err) for code, out, err in results]
        states = [state(d) for d in dirs]
        if is_listed(*results):
            break
        # Git writes BISECT_TERMS before it says this.
        if "You need to start" in results[0][2] and results[0] == results[1]:
            break
        if results[0] != results[1] or states[0] != states[1]:
            if "KEEP" in os.environ:
                print("\n".join(trace))
            print("seed %d: %s\nours: %s\npeer: %s" % (seed, " ".join(args), results[0], results[1]))
            for a, b in zip(states[0], states[1]):
                if a != b:
                    print("  ours %s\n  peer %s" % (a, b))
            return False
        if " was both " in results[0][1]:
            break  # from here on, it depends on leftovers of older walks
        for d in dirs:
            if os.path.exists(os.path.join(d, ".git", "BISECT_RUN")):
                os.unlink(os.path.join(d, ".git", "BISECT_RUN"))
        os.rename(dirs[0], os.path.join(top, "t"))
        os.rename(dirs[1], dirs[0])
        os.rename(os.path.join(top, "t"), dirs[1])
        args = step(rng, size, terms)
        if rng.random() < .03:
            args = ["reset"]
    return True


sys.exit(rounds.by_seed(one, bool(os.environ.get("KEEP"))))
