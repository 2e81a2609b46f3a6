#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""git replay and git history by seed, by our git and by PEER_GIT, in copies of a made repository.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/replay.py [SEED [ROUNDS]]

Compared: output, exit code, refs, reflogs, index and files, and the text that the editor gets. 2.55 is needed.
"""
import os
import random
import re
import shutil
import subprocess
import sys

import rounds

OURS = os.environ.get("OUR_GIT", "git")
PEER = os.environ.get("PEER_GIT", "/usr/bin/git")
NAMES = ["a", "b", "d/c"]
# The prompts of 2.55 name five letters only, whatever it takes.
LETTERS = re.compile(r"\[y,n,q,a,d[^]]*\?\]|^[a-zA-Z/?] - .*\n|^go to which hunk.*\n", re.M)
EDITORS = ["sed -i 's/^c/reworded c/'", "cat >>seen <", ":", "false", "sed -i 1,2d", "printf 'new\\n\\nbody\\n#c\\n\\n' >"]


def call(git, where, *args, stdin="", editor=":", nr=0):
    env = {"PATH": os.environ["PATH"], "HOME": where, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_TEST_FSYNC": "0",
           "GIT_AUTHOR_NAME": "A%d" % (nr % 3), "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x",
           "GIT_AUTHOR_DATE": "%d +0100" % (1700000000 + nr * 1000), "GIT_COMMITTER_DATE": "%d +0000" % (1700000000 + nr * 1000),
           "GIT_EDITOR": editor, "GIT_CEILING_DIRECTORIES": os.path.dirname(where), "TERM": "dumb"}
    p = subprocess.run([git, *args], cwd=where, env=env, input=stdin.encode(), capture_output=True, check=False)
    return p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")


def change(rng, where, nr):
    name = rng.choice(NAMES)
    path = os.path.join(where, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if rng.random() < .08 and os.path.exists(path):
        os.unlink(path)
        return
    lines = open(path).read().splitlines() if os.path.exists(path) else ["%s %d" % (name, i) for i in range(24)]
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines) + 1)
        if rng.random() < .5 and at < len(lines):
            lines[at] = "%d" % rng.randrange(5)
        else:
            lines[at:at] = ["new %d" % rng.randrange(5)]
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def make(rng, where):
    os.makedirs(where)
    call(PEER, where, "init", "-q", "-b", "main")
    for nr in range(rng.randrange(5, 14)):
        if nr > 1 and rng.random() < .35:
            at = rng.choice(["HEAD", "HEAD~1", "main"])
            call(PEER, where, "checkout", "-q", *(["-b", "t%d" % nr] if rng.random() < .7 else []), at)
        if nr > 3 and rng.random() < .08:
            call(PEER, where, "merge", "-q", "-X", "ours", "--no-edit", "main", nr=nr)
        for _ in range(rng.randrange(3)):
            change(rng, where, nr)
        if rng.random() < .1:
            call(PEER, where, "cherry-pick", "main", nr=nr)
            call(PEER, where, "cherry-pick", "--abort")
        call(PEER, where, "add", "-A")
        call(PEER, where, "commit", "-q", "--allow-empty", "-m", "c%d%s" % (nr, rng.choice(["", "\n\nbody", "\n\n#x"])), nr=nr)
        if rng.random() < .1:
            call(PEER, where, "revert", "--no-edit", "HEAD", nr=nr)
    for branch in ("main", "topic"):
        if call(PEER, where, "rev-parse", "-q", "--verify", branch)[0]:
            call(PEER, where, "branch", branch)
    call(PEER, where, "checkout", "-q", *rng.choice([["main"], ["topic"], ["--detach"]]))


def replay(rng, branches):
    a, b, c = (rng.choice(branches) for _ in range(3))
    args = [rng.choice(["--onto", "--onto", "--advance", "--revert"]) + "=" + rng.choice([a, a, a, "refs/heads/" + a, a + "~1", "HEAD"])]
    args += [o for o, p in (("--contained", .2), ("--ref=refs/heads/" + rng.choice(["new", c]), .15), ("--ref-action=print", .5),
                            ("--ref-action=update", .1), ("-n%d" % rng.randrange(1, 4), .1), ("--first-parent", .05),
                            ("--no-merges", .1), ("--grep=c[1-5]", .05)) if rng.random() < p]
    config = ["-c", "replay.refAction=" + rng.choice(["print", "update", "odd"])] if rng.random() < .1 else []
    return [*config, "replay", *args, *rng.choice([[c + ".." + b], [c + ".." + b], ["^" + c, a, b], [b + "~2.." + b], [b + "~3.." + b],
                                                   [c + "..." + b], [b], ["--branches", "^" + c], [b + "~1.." + b + "^0"], ["HEAD~2..HEAD"]])]


def history(rng, branches):
    rev = rng.choice([rng.choice(branches) + rng.choice(["", "~1", "~1", "~2", "~3"]), "HEAD~1", "HEAD", "HEAD~2", "nope"])
    how = rng.choice(["reword", "fixup", "split", "split"])
    args = [o for o, p in (("--dry-run", .4), ("--update-refs=head", .2), ("--update-refs=branches", .1)) if rng.random() < p]
    if how == "fixup":
        args += [o for o, p in (("--reedit-message", .3), ("--empty=" + rng.choice(["drop", "keep", "abort"]), .4)) if rng.random() < p]
    paths = rng.choice([[], [], ["a"], ["--", "d"], ["b", "d"]]) if how == "split" else []
    return ["history", how, *args, rev, *paths]


def state(where):
    files = []
    for name in [*NAMES, "seen"]:
        path = os.path.join(where, name)
        files.append(open(path, errors="replace").read() if os.path.exists(path) else None)
    return (call(PEER, where, "for-each-ref")[1], call(PEER, where, "reflog", "--all")[1], call(PEER, where, "rev-parse", "HEAD")[1],
            call(PEER, where, "diff", "--cached")[1], files)


def one(seed, top):
    rng = random.Random(seed)
    base = os.path.join(top, "base")
    make(rng, base)
    branches = call(PEER, base, "for-each-ref", "--format=%(refname:short)", "refs/heads")[1].split()
    good = True
    for turn in range(8):
        args = (replay if rng.random() < .5 else history)(rng, branches)
        editor, stdin = rng.choice(EDITORS), "".join(rng.choice("yynnnsadqjk/e?") + "\n" for _ in range(rng.randrange(2, 14)))
        stdin = stdin.replace("/", "/b 1") # in Git, letters of the prompt match, too (Documentation/Differences)
        if args[1] == "fixup" and rng.random() < .9:
            change(rng, base, 99)
            call(PEER, base, "add", "-A")
        results = []
        for git, name in ((OURS, "ours"), (PEER, "peer")):
            where = os.path.join(top, name)
            shutil.copytree(base, where)
            rc, out, err = call(git, where, *args, stdin=stdin, editor=editor, nr=50 + turn)
            results.append((rc, LETTERS.sub("", out), state(where), err))
            shutil.rmtree(where)
        ours, peer = results
        stops = ours[0] == 255 and peer[0] == 0 and "merge conflict while replaying" in ours[3]  # Git says nothing
        if (ours[:3] != peer[:3] and peer[0] not in (139, -11) and not stops) or (stops and ours[1:3] != peer[1:3]):
            good = False
            print("seed %d turn %d: %s (%s)" % (seed, turn, " ".join(args), editor))
            for a, b in zip((ours[0], ours[1], *ours[2]), (peer[0], peer[1], *peer[2])):
                if a != b:
                    print("  ours: %r\n  peer: %r" % (a, b))
            print("  messages: %r | %r" % (ours[3][-300:], peer[3][-300:]))
        call(PEER, base, "reset", "-q", "--hard")
    return good


sys.exit(rounds.by_seed(one))
