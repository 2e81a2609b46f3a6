#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two versions of random series by seed, compared by two implementations of git range-diff: output and exit code are equal.

usage: OUR_GIT=… PEER_GIT=… range-diff.py [SEED [COUNT]]

Prints what differs, with the command; exit code 1 if anything does. Each repository serves for ten commands. Git's solver
sometimes misses the pairs of the least cost (t/unit/test-assignment.c has one such matrix): where the peer has other pairs,
and they cost no less than ours, the command is passed over, and counted.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

OURS, PEER = [os.environ["OUR_GIT"]], os.environ["PEER_GIT"].split()
ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C", "GIT_TEST_FSYNC": "0", "TZ": "UTC",
       "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com"}
NAMES = ["a", "b", "dir/c", "sp ace", "qu\"ote", "bin"]
OPTIONS = ["--no-dual-color", "--left-only", "--right-only", "--notes", "--no-notes", "--notes=other", "--diff-merges=first-parent",
           "--diff-merges=separate", "--diff-merges=cc", "--remerge-diff", "--creation-factor=0", "--creation-factor=30", "--creation-factor=200",
           "--creation-factor=1000", "--color", "--color", "--color=always", "--no-color", "-U1", "-U0", "-s", "--stat", "--raw", "--numstat",
           "--abbrev=10", "--no-abbrev", "--patience", "-w", "-b", "--no-patch", "--name-only", "--shortstat", "-W", "--ws-error-highlight=all",
           "--dual-color", "--patch-with-stat", "--function-context", "--inter-hunk-context=2", "--no-creation-factor"]


class Repository:
    def __init__(self, rng, top):
        self.rng, self.top, self.clock = rng, top, 1700000000
        self.git("init", "-q", "-b", "main")
        self.text = [["%s line %d" % (rng.choice(["int f", "  x", "y", "\tz"]), n) for n in range(rng.randrange(5, 40))] for _ in NAMES]
        self.write()
        self.commit("base")

    def git(self, *args, check=True):
        self.clock += 60
        env = {**ENV, "GIT_COMMITTER_DATE": "%d +0000" % self.clock, "GIT_AUTHOR_DATE": "%d +0000" % (self.clock - self.rng.randrange(1000))}
        return subprocess.run(PEER + list(args), cwd=self.top, env=env, check=check, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout

    def write(self):
        for name, lines in zip(NAMES, self.text):
            path = os.path.join(self.top, name)
            if os.path.lexists(path):
                os.unlink(path)
            if lines is None:
                continue
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write((b"\0" if name == "bin" else b"") + "\n".join(lines).encode() + self.rng.choice([b"\n"] * 9 + [b""]))
            if self.rng.random() < 0.05:
                os.chmod(path, 0o755)

    def commit(self, subject):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", subject)

    def edit(self, change):
        """Applies a change: (file, place, text)."""
        name, place, what = change
        lines = self.text[name]
        if what is None:
            self.text[name] = ["new %d" % n for n in range(place % 7)] if lines is None else None
        elif lines is not None:
            place %= len(lines) + 1
            lines[place:place + len(what) % 3] = what

    def message(self):
        rng = self.rng
        lines = [rng.choice(["fix", "add", "long subject\nin two lines", "more", "ü"]) + " %d" % rng.randrange(100), ""]
        lines += [rng.choice(["text", "", "  indented", "Notes:", "diff --git a/x b/x", "trailing  ", "@@ x", "commit x"]) for _ in range(rng.randrange(5))]
        return "\n".join(lines) + "\n"

    def series(self, changes, name):
        self.git("checkout", "-q", "-f", "-B", name, "main")
        saved = [None if t is None else list(t) for t in self.text]
        for edits, message in changes:
            for e in edits:
                self.edit(e)
            self.write()
            self.commit(message)
            if self.rng.random() < 0.2:
                self.git("notes", *self.rng.choice([[], ["--ref=other"]]), "add", "-f", "-m", "note %d" % self.rng.randrange(3), check=False)
        self.text = saved
        self.write()

    def change(self):
        rng = self.rng
        if rng.random() < 0.1:
            return rng.randrange(len(NAMES)), rng.randrange(50), None
        return rng.randrange(len(NAMES)), rng.randrange(50), ["%schanged %d" % (rng.choice(["", "int g", "\t", "-", "+", "@@", "  "]), rng.randrange(1000))
                                                              + rng.choice(["", "", " "]) for _ in range(rng.randrange(1, 8))]

    def two_series(self):
        rng = self.rng
        changes = [([self.change() for _ in range(rng.randrange(4))], self.message()) for _ in range(rng.randrange(1, 7))]
        self.series(changes, "one")
        for _ in range(rng.randrange(4)):
            what = rng.randrange(5)
            at = rng.randrange(len(changes) + 1)
            if what == 0:
                changes.insert(at, ([self.change()], self.message()))
            elif changes and what == 1:
                del changes[at % len(changes)]
            elif changes and what == 2:
                edits, message = changes[at % len(changes)]
                changes[at % len(changes)] = (edits + [self.change()], message)
            elif changes and what == 3:
                changes[at % len(changes)] = (changes[at % len(changes)][0], self.message())
            else:
                rng.shuffle(changes)
        self.series(changes, "two")
        if rng.random() < 0.3:
            self.git("merge", "-q", "-Xours", "-m", "merged", "one", check=False)
        self.git("reset", "-q", "--hard", check=False)


def command(rng):
    args = [o for s in ("diff.renames=copies", "diff.suppressBlankEmpty=true", "core.quotePath=false", "diff.context=1", "color.diff.oldbold=blue", "core.abbrev=9")
            if rng.random() < 0.08 for o in ("-c", s)] + ["range-diff"]
    args += rng.sample(OPTIONS, rng.choice([0, 1, 1, 2, 3]))
    args += rng.choice([["main..one", "main..two"], ["one...two"], ["main", "one", "two"], ["main", "two", "one"], ["one~2..one", "two~1..two"], ["one^!", "two^!"]])
    if rng.random() < 0.15:
        args += ["--"] + rng.sample(NAMES, 2)
    return args


# ---- what the pairs of an answer cost: git-range-diff(1), "Algorithm" ----

LINE_OF_PAIR = re.compile(r" *(?:\d+|-+): +(\w+|-+) [=!<>] +(?:\d+|-+): +(\w+|-+)(?: |$)")
NO_FILE = re.compile(r" ## (Metadata|Commit message|Notes( \(.*\))?) ##\n")


class Costs:
    def __init__(self, args, top):
        at = args.index("range-diff")
        words, paths = args[at + 1:], []
        if "--" in words:
            paths = words[words.index("--"):]
            words = words[:words.index("--")]
        factors = [w for w in words if "creation-factor" in w]
        self.factor = int(factors[-1].partition("=")[2] or 0) if factors else 60
        self.top, self.paths, self.ranges = top, paths, [w for w in words if not w.startswith("-")]
        self.start = args[:at] + ["-c", "diff.suppressBlankEmpty=false", "range-diff", "--no-color"] + [w for w in words if "-merges" in w or w == "--remerge-diff"]

    def run(self, git, *args):
        return subprocess.run(git + list(args), cwd=self.top, env=ENV, stdout=subprocess.PIPE, check=False, timeout=60).stdout.decode("utf-8", "replace")

    def pairs(self, git):
        """Commits of both ranges; dashes: none."""
        text = self.run(git, *self.start, "-s", "--no-abbrev", "--creation-factor=%d" % self.factor, *self.ranges, *self.paths)
        return [m.groups() for m in map(LINE_OF_PAIR.match, text.split("\n")) if m]

    def changes(self, pair):
        """The texts that are compared, from a difference with all of its context. Empty: they are the same."""
        text = self.run(PEER, *self.start, "-U1000000", "--creation-factor=9999", *[c + "^!" for c in pair], *self.paths)
        lines = [line[4:] for line in text.split("\n")[1:] if line[4:6] not in ("", "@@")]
        for sign in "-+":
            parts = re.split("(?m)^(?= ## )", "".join(line[1:] + "\n" for line in lines if line[0] in " " + sign))
            yield "".join([part for part in parts[1:] if not NO_FILE.match(part)])

    def of_pair(self, pair):
        with tempfile.TemporaryDirectory() as d:
            for name, text in zip("ab", self.changes(pair)):
                with open(os.path.join(d, name), "w", newline="") as f:
                    f.write(text)
            return len(self.run(PEER, "diff", "--no-index", "--text", "--no-indent-heuristic", d + "/a", d + "/b").split("\n")[4:-1])

    def alone(self, commit, others):
        """The text is in a difference with one that is not the same."""
        text = max((next(self.changes((commit, c))) for c in others), default="")
        return len([line for line in text.split("\n") if line]) * self.factor // 100

    def total(self, pairs):
        ranges = [[p[side] for p in pairs if not p[side].startswith("-")] for side in (0, 1)]
        cost = 0
        for pair in pairs:
            if pair[0].startswith("-"):
                cost += self.alone(pair[1], ranges[0])
            elif pair[1].startswith("-"):
                cost += self.alone(pair[0], ranges[1])
            else:
                cost += self.of_pair(pair)
        return cost


def extra_cost(args, top):
    """What the pairs of the peer cost more. -1: they are ours."""
    costs = Costs(args, top)
    ours, peer = [costs.pairs(git) for git in (OURS, PEER)]
    return -1 if ours == peer else costs.total(peer) - costs.total(ours)


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    keep = os.environ.get("KEEP")
    bad, passed_over = 0, [0, 0]
    for number in range(0, count, 10):
        rng = random.Random("%s %d" % (seed, number))
        top = tempfile.mkdtemp()
        Repository(rng, top).two_series()
        kept = False
        for turn in range(number, min(number + 10, count)):
            args = command(rng)
            results = []
            for git in (OURS, PEER):
                p = subprocess.run(git + args, cwd=top, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
                results.append((p.returncode, p.stdout, p.stderr if p.returncode == 0 else b""))
            if results[0] != results[1]:
                extra = extra_cost(args, top) if results[0][0] == results[1][0] == 0 else -1
                if extra >= 0:
                    passed_over[extra > 0] += 1
                    continue
                bad += 1
                kept = True
                print("%d: git %s%s\nours: %r\npeer: %r" % (turn, args, " in " + top if keep else "", results[0], results[1]))
        if not (keep and kept):
            shutil.rmtree(top)
    print("range-diff.py: %d commands, seed %s: %d differ; other pairs of the same cost: %d, of more cost: %d" % (count, seed, bad, *passed_over))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
