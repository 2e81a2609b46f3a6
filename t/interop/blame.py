#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""git blame by seed, by our git and by PEER_GIT: ranges of lines of files in a made history with renames, moves and merges.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/blame.py [SEED [RANGES [REPOSITORY]]]

Compared: output and exit code. A history serves 30 ranges. REPOSITORY: they are ranges of its files in any of its commits, half of them without its
commit-graph; it is not changed.
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
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_TEST_FSYNC="0",
           GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@x", GIT_AUTHOR_EMAIL="a@x")
PER_HISTORY = 30
# Text that is in no commit has the time of the run.
NOW = re.compile(r"\b(17[5-9]|1[89]\d)\d{7}\b|\b202[6-9]-\d\d-\d\d( \d\d:\d\d:\d\d)?")
NAMES = ["a", "b", "d/c", "d/e/f"]


def run(git, where, *args, nr=0):
    env = dict(ENV, GIT_AUTHOR_NAME="Author %d" % (nr % 4), GIT_AUTHOR_DATE="%d +0100" % (1600000000 + nr * 2000000),
               GIT_COMMITTER_DATE="%d +0000" % (1600000000 + nr * 2000000))
    p = subprocess.run([git, *args], cwd=where, env=env, stdin=subprocess.DEVNULL, capture_output=True)
    return p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")


def change(rng, lines, nr):
    """Lines are changed, added, taken away or moved."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(lines) + 1)
        how = rng.randrange(4)
        if how == 0 and at < len(lines):
            lines[at] = "changed by %d in %d" % (nr, rng.randrange(100))
            if rng.random() < .5:
                lines[at] = lines[at].replace("changed", "Changed  it").replace("i", "j", 1)
        elif how == 1:
            lines[at:at] = ["new line %d of commit %d, %d" % (i, nr, rng.randrange(100)) for i in range(rng.randrange(1, 5))]
        elif how == 2 and len(lines) > 10:
            del lines[at:at + rng.randrange(1, 4)]
        elif len(lines) > 10:
            part = lines[at:at + 3]
            del lines[at:at + 3]
            to = rng.randrange(len(lines) + 1)
            lines[to:to] = part


def commit(rng, where, nr):
    for name in NAMES:
        path = os.path.join(where, name)
        if rng.random() < .6 or not os.path.exists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            lines = open(path).read().splitlines() if os.path.exists(path) else ["line %d of %s" % (i, name) for i in range(15)]
            change(rng, lines, nr)
            with open(path, "w") as f:
                f.write("\n".join(lines) + "\n")
    run(PEER, where, "add", "-A")
    run(PEER, where, "commit", "-q", "-m", "c%d" % nr, nr=nr)


def history(rng, where):
    run(PEER, where, "init", "-q", "-b", "main")
    for nr in range(rng.randrange(4, 16)):
        if nr > 2 and rng.random() < .2:
            run(PEER, where, "checkout", "-q", "-b", "s%d" % nr, "HEAD~1")
            commit(rng, where, nr)
            run(PEER, where, "checkout", "-q", "main")
            run(PEER, where, "merge", "-q", "-X", "ours", "--no-edit", "s%d" % nr, nr=nr)
        else:
            commit(rng, where, nr)
        if rng.random() < .1:
            run(PEER, where, "mv", "b", "b.new")
            run(PEER, where, "mv", "b.new", "b")
    names = run(PEER, where, "rev-list", "--all")[1].split()
    with open(os.path.join(where, "ignored"), "w") as f:
        f.write("# some\n\n" + "".join("  %s  # it\n" % n for n in names if rng.random() < .3))
    if rng.random() < .5:
        with open(os.path.join(where, "a"), "a") as f:
            f.write("not committed\n")


def arguments(rng, where):
    name = rng.choice(NAMES)
    total = len(open(os.path.join(where, name)).read().splitlines())
    args = []
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        first = rng.randrange(1, total + 1)
        args.append("-L%d,%s" % (first, rng.choice(["%d" % rng.randrange(first, total + 2), "+%d" % rng.randrange(1, 9), "-%d" % rng.randrange(1, 9),
                                                    "/new/", ""])))
    args += [o for o in ("-w", "-l", "-s", "-e", "-n", "-f", "-t", "-b", "--root", "-c", "--color-lines", "--color-by-age",
                         "--first-parent", "--date=short", "--abbrev=12", "--score-debug", "--show-stats") if rng.random() < .1]
    args += rng.choice([[]] * 5 + [["-M"], ["-M3"], ["-C"], ["-C5"], ["-C", "-C"], ["-C", "-C", "-C"], ["-M", "-C", "-w"]])
    form = rng.random()
    args += ["-p"] if form < .15 else ["--line-porcelain"] if form < .3 else []
    config = [o for k in ("markIgnoredLines", "markUnblamableLines") if rng.random() < .5 for o in ("-c", "blame.%s=true" % k)]
    args += ["--ignore-rev=HEAD~%d" % rng.randrange(5) for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 4]))]
    if rng.random() < .2:
        args.append("--ignore-revs-file=ignored")
    if rng.random() < .1:
        args.append(rng.choice(["--contents=a", "--contents=b", "--contents=ignored"]))
    if rng.random() < .3:
        args.append("--reverse")
        rev = rng.choice(["HEAD~%d" % rng.randrange(5), "HEAD~3..HEAD", "HEAD~4..HEAD~1", "HEAD~2.."])
    else:
        rev = rng.choice(["HEAD", "HEAD", "HEAD~1", "HEAD~3..HEAD", "HEAD~2", ""])
    if not rev or "--contents" in " ".join(args):
        args = [a for a in args if a != "--show-stats"]  # Git reads a text that is in no commit once more
    return [*config, "blame", *args, *([rev] if rev else []), "--", name]


def arguments_in(rng, where, commits):
    """A range of any file of any commit."""
    at = rng.randrange(len(commits) - 1)
    files = [line.split("\t") for line in run(PEER, where, "ls-tree", "-r", commits[at])[1].splitlines()]
    info, name = rng.choice([f for f in files if f[0].startswith("100")])
    lines = max(1, run(PEER, where, "cat-file", "blob", info.split()[2])[1].count("\n"))
    args = []
    if rng.random() < .8:
        first = rng.randrange(1, lines + 1)
        args.append("-L%d,%s" % (first, rng.choice(["%d" % rng.randrange(first, lines + 1), "+%d" % rng.randrange(1, 30), ""])))
    args += [o for o in ("-w", "-l", "-s", "-e", "-n", "-f", "--root", "--first-parent", "--show-stats", "-M", "-M", "-C", "--minimal") if rng.random() < .1]
    args += rng.choice([["-p"], ["--line-porcelain"], ["--incremental"], [], [], []])
    args += ["--ignore-rev=" + rng.choice(commits[at:at + 300]) for _ in range(rng.choice([0, 0, 0, 1, 5]))]
    older = rng.choice(commits[at + 1:])
    kind = rng.random()
    if kind < .15:
        args += ["--reverse", older + ".." + commits[at]]
    elif kind < .3:
        args.append(older + ".." + commits[at])
    else:
        args += ["--since=%d" % rng.randrange(1000000000, 1700000000)] * (rng.random() < .1) + [commits[at]]
    return [*rng.choice([[], ["-c", "core.commitGraph=false"]]), "blame", *args, "--", name]


def differ(where, seed, args):
    ours, peer = ((rc, NOW.sub("now", out), err) for rc, out, err in (run(git, where, *args) for git in (OURS, PEER)))
    # Messages name what is wrong in other words.
    if ours[:2] == peer[:2] or peer[0] < 0:  # with -L A,/RE/ Git 2.55 may crash
        return False
    print("seed %d: %s\nours: %s\npeer: %s" % (seed, " ".join(args), ours, peer))
    return True


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    ranges = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    bad = 0
    if len(sys.argv) > 3:
        rng = random.Random(first)
        commits = run(PEER, sys.argv[3], "rev-list", "HEAD")[1].split()
        bad = sum(differ(sys.argv[3], first, arguments_in(rng, sys.argv[3], commits)) for _ in range(ranges))
        print("blame.py: seed %d, %d ranges of %s: %d differ" % (first, ranges, sys.argv[3], bad))
        return bad > 0
    for seed in range(first, first + (ranges + PER_HISTORY - 1) // PER_HISTORY):
        rng = random.Random(seed)
        top = tempfile.mkdtemp(prefix="blame-")
        try:
            history(rng, top)
            if seed % 2:
                run(PEER, top, "commit-graph", "write", "--reachable", "--changed-paths")
            for _ in range(PER_HISTORY):
                args = arguments(rng, top)
                bad += differ(top, seed, args)
        finally:
            shutil.rmtree(top)
    print("blame.py: seed %d, %d ranges: %d differ" % (first, ranges, bad))
    return bad > 0


sys.exit(main())
