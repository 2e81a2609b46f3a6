#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Commands of git notes by seed, by our git and by PEER_GIT, each in a copy of one repository.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/notes.py [SEED [ROUNDS]]

Compared after each command: output, exit code, all refs (so, trees and commits of notes), files of a merge. After each
round both copies are exchanged: each git goes on with a merge that the other has begun.
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
           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="maintenance.auto", GIT_CONFIG_VALUE_0="false")
TEXTS = ["one", "two\nlines", "  white  \n\n\nspace\n", "", "# comment", "b\na\nc\na\n", "x\n", "one"]
KEEP = "KEEP" in os.environ
REFS = ["commits", "x", "y"]


def run(git, where, *args, stdin=b"", env=None):
    p = subprocess.run([git, *args], cwd=where, env=dict(ENV, **(env or {})), input=stdin, capture_output=True)
    # "error: " lines that explain a fatal one are worded otherwise.
    err = [line for line in p.stderr.decode("latin-1").split("\n") if not line.startswith("error: object ")]
    return p.returncode, p.stdout.decode("latin-1"), err


def source(rng, objects):
    """Options for a text, and standard input."""
    args, stdin = [], b""
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3])):
        how = rng.randrange(5)
        text = rng.choice(TEXTS)
        if how == 0:
            args += ["-C", "HEAD:f%d" % rng.randrange(3)]
        elif how == 1 and "-" not in args:
            args, stdin = args + ["-F", "-"], text.encode()
        else:
            args += ["-m", text]
    for option in ("-e", "--allow-empty", "--no-stripspace", "--stripspace", "--no-separator", "--separator=--", "--separator"):
        if rng.random() < .1:
            args.append(option)
    return args, stdin


def command(rng, objects):
    """Arguments, standard input, environment."""
    ref = ["--ref", rng.choice(REFS)] if rng.random() < .5 else []
    env = {"GIT_EDITOR": rng.choice([":", "cat", "false", "printf 'words\\n# no\\n\\n\\n' >>", "echo edited >"])}
    sub = rng.choice(["add", "add", "add", "append", "edit", "copy", "copy", "remove", "show", "list", "merge", "merge", "end",
                      "prune", "stdin"])
    stdin = b""
    some = lambda: rng.choice(objects)
    if sub in ("add", "append"):
        args, stdin = source(rng, objects)
        args = [sub, *(["-f"] if sub == "add" and rng.random() < .5 else []), *args, some()]
    elif sub == "edit":
        args = [sub, some()]
    elif sub == "copy":
        args = [sub, *(["-f"] if rng.random() < .4 else []), some(), some()]
    elif sub == "stdin":
        args = ["copy", "--stdin", *(["-f"] if rng.random() < .6 else [])]
        if rng.random() < .4:
            args, env = ["copy", "--for-rewrite=amend"], {"GIT_NOTES_REWRITE_REF": "refs/notes/*", "GIT_NOTES_REWRITE_MODE":
                         rng.choice(["concatenate", "overwrite", "ignore", "cat_sort_uniq"])}
        stdin = "".join("%s %s\n" % (some(), some()) for _ in range(rng.randrange(1, 5))).encode()
    elif sub == "remove":
        args = [sub, *(["--ignore-missing"] if rng.random() < .5 else []), *(some() for _ in range(rng.randrange(3)))]
    elif sub == "merge":
        args = [sub, *(["-s", rng.choice(["manual", "ours", "theirs", "union", "cat_sort_uniq"])] if rng.random() < .6 else []),
                *rng.choice([[], ["-v"], ["-q"], ["-v", "-v", "-v"]]), rng.choice(REFS)]
    elif sub == "end":
        args = ["merge", rng.choice(["--commit", "--commit", "--abort"])]
    elif sub == "prune":
        args = [sub, rng.choice(["-n", "-v"])]
    else:
        args = [sub, some()] if rng.random() < .7 else ["list"]
    return ["notes", *ref, *args], stdin, env


def state(where):
    out = [run(PEER, where, "for-each-ref"), run(PEER, where, "rev-parse", "-q", "--verify", "NOTES_MERGE_PARTIAL"),
           run(PEER, where, "symbolic-ref", "-q", "NOTES_MERGE_REF")]
    for ref in REFS:
        out.append(run(PEER, where, "log", "-g", "--format=%H %gs", "refs/notes/" + ref, "--"))
    top = os.path.join(where, ".git", "NOTES_MERGE_WORKTREE")
    names = sorted(os.listdir(top)) if os.path.isdir(top) else []
    return out + [(name, open(os.path.join(top, name), "rb").read()) for name in names]


def one(seed, top):
    rng = random.Random(seed)
    base = os.path.join(top, "base")
    os.makedirs(base)
    run(PEER, base, "init", "-q", "-b", "main")
    for i in range(5):
        with open(os.path.join(base, "f%d" % (i % 3)), "w") as f:
            f.write("text %d  \n\n\nend" % i)
        run(PEER, base, "add", ".")
        run(PEER, base, "commit", "-q", "-m", "c%d" % i)
    objects = ["HEAD~%d" % i for i in range(5)]
    if rng.random() < .3:
        # so many that trees get directories
        many = [run(PEER, base, "hash-object", "-w", "--stdin", stdin=b"%d" % i)[1].strip() for i in range(rng.randrange(20, 150))]
        for ref in REFS[:rng.randrange(1, 4)]:
            run(PEER, base, "notes", "add", "-m", "first", many[0])
            run(PEER, base, "notes", "--ref", ref, "copy", "--stdin", stdin="".join("%s %s\n" % (many[0], o) for o in many).encode())
        objects += rng.sample(many, 5)
    dirs = [os.path.join(top, "ours"), os.path.join(top, "peer")]
    for d in dirs:
        shutil.copytree(base, d)
    for step in range(12):
        args, stdin, env = command(rng, objects)
        results = [run(git, d, *args, stdin=stdin, env=env) for git, d in zip((OURS, PEER), dirs)]
        # The editor's file is named with its directory.
        results = [str(r).replace(d, "DIR") for r, d in zip(results, dirs)]
        states = [state(d) for d in dirs]
        # Git refuses to end a merge before there has been one.
        if "--abort" in args and "failed to remove 'git notes merge' worktree" in results[1]:
            results[1] = results[0]
        if results[0] != results[1] or states[0] != states[1]:
            print(stdin, env) if KEEP else None
            print("seed %d, step %d: %s\nours: %s\npeer: %s" % (seed, step, " ".join(args), results[0], results[1]))
            for a, b in zip(states[0], states[1]):
                if a != b:
                    print("  ours %s\n  peer %s" % (a, b))
            return False
        dirs.reverse()
        os.rename(dirs[0], os.path.join(top, "t"))
        os.rename(dirs[1], dirs[0])
        os.rename(os.path.join(top, "t"), dirs[1])
        dirs.reverse()
    return True


sys.exit(rounds.by_seed(one, KEEP))
