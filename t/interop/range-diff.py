#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two versions of random series by seed, compared by two implementations of git range-diff: output and exit code are equal.

usage: OUR_GIT=… PEER_GIT=… range-diff.py [SEED [COUNT]]

Prints what differs, with the command; exit code 1 if anything does. Each repository serves for ten commands.
"""
import os
import random
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


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    keep = os.environ.get("KEEP")
    bad = 0
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
                bad += 1
                kept = True
                print("%d: git %s%s\nours: %r\npeer: %r" % (turn, args, " in " + top if keep else "", results[0], results[1]))
        if not (keep and kept):
            shutil.rmtree(top)
    print("range-diff.py: %d commands, seed %s: %d differ" % (count, seed, bad))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
