#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Commands of git replace by seed, by our git and by PEER_GIT, each in a copy of one repository.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/replace.py [SEED [ROUNDS]]

Compared after each command: exit code, output and all refs.
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
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000",
           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="advice.graftFileDeprecated", GIT_CONFIG_VALUE_0="false")


def run(git, where, *args, env=None):
    p = subprocess.run([git, *args], cwd=where, env=dict(ENV, **(env or {})), stdin=subprocess.DEVNULL, capture_output=True)
    # Reasons above a message are worded otherwise; the order of errors and results is that of the pipes. Git reads grafts
    # also where no commit is walked.
    err = sorted(line for line in p.stderr.decode("latin-1").split("\n")
                 if not line.startswith(("error: object ", "error: duplicate graft data: ")))
    return p.returncode, p.stdout.decode("latin-1"), err


def command(rng, names):
    some = lambda: rng.choice(names)
    force = ["-f"] if rng.random() < .5 else []
    env = {"GIT_EDITOR": rng.choice([":", "false", "sed -i s/c1/other/", "sed -i '$d'", "echo x >>", "echo x >", "sed -i s/f0$/g/"])}
    sub = rng.randrange(9)
    if sub < 2:
        args = [*force, some(), some()]
    elif sub == 2:
        args = [*force, "--graft", some(), *(some() for _ in range(rng.randrange(3)))]
    elif sub == 3:
        args = [*force, "--edit", *(["--raw"] if rng.random() < .1 else []), some()]
    elif sub == 4:
        args = ["-d", *(some() for _ in range(rng.randrange(1, 3)))]
    elif sub == 5:
        args = ["-l", rng.choice(["*", "[0-8]*", "a*"])]
    elif sub == 6:
        args = ["--format=" + rng.choice(["short", "medium", "long", "odd"])]
    elif sub == 7:
        args = [*force, "--convert-graft-file"]
    else:
        args = [some()] * rng.randrange(3)
    return ["replace", *args], env


def one(seed, top):
    rng = random.Random(seed)
    base = os.path.join(top, "base")
    os.makedirs(base)
    run(PEER, base, "init", "-q", "-b", "main")
    for i in range(5):
        with open(os.path.join(base, "f%d" % (i % 2)), "w") as f:
            f.write("text c%d\n" % i)
        run(PEER, base, "add", ".")
        run(PEER, base, "commit", "-q", "-m", "c%d" % i)
        run(PEER, base, "tag", "-m", "t", "t%d" % i)
    ids = run(PEER, base, "rev-parse", *("HEAD~%d" % i for i in range(5)), "HEAD:f0", "HEAD~2:f0", "HEAD^{tree}", "HEAD~1^{tree}", "t1", "t2")[1].split()
    names = ids[:5] * 3 + ids[5:] + ["main", "missing"]
    if rng.random() < .3:
        with open(os.path.join(base, ".git", "info", "grafts"), "w") as f:
            f.write("".join(" ".join(rng.sample(ids[:5], rng.randrange(1, 4))) + "\n" for _ in range(rng.randrange(1, 3))))
    dirs = [os.path.join(top, "ours"), os.path.join(top, "peer")]
    for d in dirs:
        shutil.copytree(base, d)
    for step in range(10):
        args, env = command(rng, names)
        results = [run(git, d, *args, env=env) for git, d in zip((OURS, PEER), dirs)]
        # The usage; and the words about a listing of a tree that cannot be used, which Git has from another command.
        if results[0][0] == 129 == results[1][0] or "mktree reported failure" in str(results[1]):
            continue
        states = [run(PEER, d, "for-each-ref") for d in dirs]
        if results[0] != results[1] or states[0] != states[1]:
            print("seed %d, step %d: %s %s\nours: %s\npeer: %s" % (seed, step, env["GIT_EDITOR"], " ".join(args), results[0], results[1]))
            return False
    return True


sys.exit(rounds.by_seed(one))
