#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Small commands about the history of random repositories by seed, run by two implementations: output and exit code are equal.

usage: OUR_GIT=… PEER_GIT=… history-tools.py [SEED [COUNT [KIND...]]]

KIND: pairs, request, whatchanged, modified, repo. Prints what differs; exit code 1 if anything does. Each repository serves
for ten commands.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

OURS, PEER = os.environ["OUR_GIT"], os.environ["PEER_GIT"]
ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C", "GIT_TEST_FSYNC": "0", "TZ": "UTC",
       "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com", "GIT_COMMITTER_DATE": "1800000000 +0000",
       "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "1800000000 +0000"}
PATHS = ["a", "b", "dir/c", "dir/sub/d", "dir/sub/e", "other/f", "sp ace", "\"q", "x"]
REVISIONS = ["main", "side", "topic", "main~1", "side~2", "topic^", "v1", "light", "main^2"]


def run(git, args, cwd, stdin=b"", env=None):
    return subprocess.run([git] + args, cwd=cwd, env={**(env or ENV), "PATH": os.path.dirname(git) + ":" + ENV["PATH"]}, input=stdin, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


class Repository:
    def __init__(self, rng, top):
        self.rng, self.top, self.clock = rng, top, 1700000000
        self.git("init", "-q", "-b", "main", "--ref-format=" + rng.choice(["files", "files", "reftable"]))
        self.commit()
        for branch in ["side", "topic", "main"]:
            self.git("checkout", "-q", "-f", "-B", branch)
            for _ in range(rng.randrange(1, 6)):
                self.commit()
        for _ in range(rng.randrange(3)):
            self.git("merge", "-q", "-Xours", "--no-edit", rng.choice(["side", "topic"]))
            self.git("reset", "-q", "--hard")
            self.commit()
        self.git("tag", "light", "side")
        self.git("tag", "-a", "-m", "about\n\nv1", "v1", "topic")
        if rng.random() < 0.5:
            self.git("commit-graph", "write", "--reachable", "--changed-paths")
        if rng.random() < 0.3:
            self.git("repack", "-adq")

    def git(self, *args):
        self.clock += 60
        return run(PEER, list(args), self.top, env={**ENV, "GIT_COMMITTER_DATE": "%d +0000" % self.clock, "GIT_AUTHOR_DATE": "%d +0000" % self.clock})

    def commit(self):
        rng = self.rng
        for path in rng.sample(PATHS, rng.randrange(4)):
            full = os.path.join(self.top, path)
            if rng.random() < 0.2 and os.path.exists(full):
                os.unlink(full)
                continue
            os.makedirs(os.path.dirname(full), exist_ok=True)
            lines = open(full).read().splitlines() if os.path.exists(full) else ["line %d" % n for n in range(12)]
            lines[rng.randrange(len(lines))] = "changed %d" % rng.randrange(1000)
            with open(full, "w") as f:
                f.write("\n".join(lines) + "\n")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "commit %d\n\nbody" % rng.randrange(1000))


def pairs(rng, top):
    options = ["--stat", "--raw", "-p", "--name-only", "--numstat", "-U1", "-R", "--diff-filter=AM", "--exit-code", "--summary", "--abbrev=9", "--name-status",
               "--full-index", "-s", "--shortstat", "--src-prefix=x/", "-w", "-Schanged"]
    raw = b""
    for _ in range(rng.randrange(1, 3)):
        raw += rng.choice([b"", b"", b"\0"]) + run(PEER, ["diff-tree", "-z", "-r"] + rng.choice([[], ["-M"], ["-C", "--find-copies-harder"]]) +
                                                   rng.sample(REVISIONS, 2), top).stdout
    chosen = rng.sample(options, rng.randrange(4))
    if raw.count(b"\0\0") or raw.endswith(b"\0\0"):  # Git's exit code is that of the last part (listed)
        chosen = [o for o in chosen if o != "--exit-code"]
    if "--summary" in chosen and "--exit-code" in chosen:  # with -w Git's exit code is 0 (listed)
        chosen = [o for o in chosen if o != "-w"]
    return ["diff-pairs", "-z"] + chosen, raw


def request(rng, top):
    del top
    return ["request-pull"] + rng.choice([[], [], ["-p"]]) + [rng.choice(REVISIONS + ["nope"]), rng.choice([".", ".", "nowhere"])] + rng.choice(
        [[], [rng.choice(REVISIONS)], [rng.choice(REVISIONS) + ":" + rng.choice(["main", "side", "tags/v1", "nope"])]]), b""


def whatchanged(rng, top):
    del top
    options = ["--stat", "-p", "--oneline", "-m", "-3", "--reverse", "--first-parent", "-c", "--graph", "--name-only", "-s", "--root", "--no-merges", "--merges", "-Schanged",
               "--diff-filter=A", "--topo-order", "-2", "--parents", "--format=%s"]
    return (["whatchanged"] + rng.choice([["--i-still-use-this"]] * 19 + [[]]) + rng.sample(options, rng.randrange(4)) + rng.sample(REVISIONS, rng.randrange(3))
            + rng.choice([[], [], ["--"] + rng.sample(PATHS + ["dir"], 1)])), b""


def modified(rng, top):
    del top
    options = ["-r", "-t", "-z", "--recursive", "--show-trees", "--max-depth=1", "--max-depth=0", "--max-depth=-1"]
    return (["last-modified"] + rng.sample(options, rng.randrange(3)) + rng.choice([[], [rng.choice(REVISIONS)], ["side..main"], ["main", "^topic"], ["main~2..main"]])
            + rng.choice([[], [], ["--"] + rng.sample(PATHS + ["dir", "dir/sub", "*.c", "nothing", "dir/", ":(glob)**/d"], rng.randrange(1, 3))])), b""


def repo(rng, top):
    del top
    keys = ["layout.bare", "layout.shallow", "object.format", "references.format", "nope"]
    return ["repo"] + rng.choice([["structure"], ["structure"], ["structure", "--format=lines"], ["structure", "-z"], ["info", "--all"], ["info", "-z"] + rng.sample(keys, 2),
                                  ["info"] + rng.sample(keys, 3), ["info", "--keys"], ["info", "--keys", "--format=nul"]]), b""


KINDS = {"pairs": pairs, "request": request, "whatchanged": whatchanged, "modified": modified, "repo": repo}


def outcome(git, kind, args, stdin, top):
    p = run(git, args, top, stdin)
    if kind == "repo":  # Several objects may be the largest ones. An object that is there twice may have two sizes.
        text = re.sub(rb"(?s)\|   \* Disk size.*?\n\| {27}\|", b"", p.stdout)
        return p.returncode, [line for line in text.split(b"\n") if not re.match(rb"\[\d\] |[0-9a-f]{40}|.*_oid=|.*disk_size|\d+\0.*disk_size|\d+\0", line)]
    if kind == "modified":  # in the order in which the walk finds them
        return p.returncode, sorted(p.stdout.replace(b"\0", b"\n").split(b"\n"))
    return p.returncode, p.stdout if p.returncode != 129 else b""


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    kinds = sys.argv[3:] or sorted(KINDS)
    keep = os.environ.get("KEEP")
    bad = 0
    for number in range(0, count, 10):
        rng = random.Random("%s %d" % (seed, number))
        top = tempfile.mkdtemp()
        Repository(rng, top)
        kept = False
        for turn in range(number, min(number + 10, count)):
            for kind in kinds:
                args, stdin = KINDS[kind](random.Random("%s %s %d" % (seed, kind, turn)), top)
                results = [outcome(git, kind, args, stdin, top) for git in (OURS, PEER)]
                if results[0] != results[1]:
                    bad += 1
                    kept = True
                    print("%s %d: git %s%s\nours: %r\npeer: %r" % (kind, turn, args, " in " + top if keep else "", results[0], results[1]))
        if not (keep and kept):
            shutil.rmtree(top)
    print("history-tools.py: %d of each of %s, seed %s: %d differ" % (count, ", ".join(kinds), seed, bad))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
