#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Usage: t/interop/naming.py [-n LINES] [-s SEED] [-c COMMAND] OURS STOCK DIR

Random command lines of name-rev, describe (and %(describe)), shortlog and show-branch, run by both programs
over random histories: merges, octopuses, several roots, clocks that go backwards or stand
still, tags that are annotated, lightweight, nested, of blobs and trees, or known by another
name; shallow boundaries, replaced commits, packed refs. Exit codes and outputs have to be the same.
The same SEED gives the same lines. What may differ is said in normalise(), with the reason.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

NAMES = ["A U Thor <author@example.com>", "Zoë Ünï <zoe@example.com>", "a lower <low@x.org>",
         "A U Thor <other@example.com>", "Mapped Away <old@example.com>", "J. R. <jr@x>"]
MAILMAP = "New Name <new@example.com> <old@example.com>\nA Proper <author@example.com>\n"
SUBJECTS = ["fix the thing", "[PATCH] add a\n feature", "  leading blanks", "Merge branch 'x'",
            "[PATCH 3/4] do it", "a subject that is very long, so that it has to be wrapped "
            "somewhere in the middle of it when shortlog -w is asked for", "äöü ß 日本語",
            "[PATCH no end", "", "tab\there", "two\nlines of subject\n\nand a body"]
TRAILERS = ["", "", "\n\nReviewed-by: Some One <some@example.com>",
            "\n\nReviewed-by: Mapped Away <old@example.com>\nReviewed-by: Mapped Away <old@example.com>",
            "\n\nFixes: #12\nReviewed-by: no mail here",
            "\n\nCo-authored-by: Zoë Ünï <zoe@example.com>\nreviewed-BY: X <x@y>"]


NAMELESS = re.compile(r"undefined$|^([0-9a-f]{40} )?[0-9a-f]{7}$")


class History:
    """A repository made by stock git's fast-import from random numbers."""

    def __init__(self, stock, path, rnd):
        self.stock, self.path, self.rnd = stock, path, rnd
        self.refs = []

    def git(self, *args, data=None):
        env = dict(ENV, GIT_COMMITTER_DATE="1600000000 +0000", GIT_AUTHOR_DATE="1600000000 +0000")
        done = subprocess.run([self.stock, *args], cwd=self.path, env=env, input=data,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit("stock git %s: %s" % (args, done.stderr.decode()))
        return done.stdout.decode().strip()

    def make(self):
        rnd = self.rnd
        subprocess.run([self.stock, "init", "-q", "-b", "main", self.path], env=ENV, check=True)
        self.nr = rnd.randint(1, 60)
        self.linear = rnd.random() * 0.9
        self.git("fast-import", "--quiet", data=self.stream().encode())
        self.ids = self.git("log", "--all", "--format=%H").split()
        self.branches()
        self.tags()
        self.odd_things()
        with open(os.path.join(self.path, ".mailmap"), "w") as f:
            f.write(MAILMAP)
        self.git("reset", "-q", "--hard")

    def stream(self):
        """Commits :1 to :nr, each on a branch of its own below refs/heads/c/."""
        rnd, out, now = self.rnd, [], 1500000000
        step = rnd.choice([0, 1, 3600, 40000, 200000])
        skew = self.skew = rnd.choice([0, 0, 0.1, 0.5])
        for i in range(1, self.nr + 1):
            now += rnd.choice([0, step, step])
            date = now - rnd.choice([10, 100000, 5000000]) if rnd.random() < skew else now
            text = rnd.choice(SUBJECTS) + ("\n\nbody" if rnd.random() < .3 else "")
            text = (text + rnd.choice(TRAILERS)).encode()
            out.append("commit refs/heads/c/%d\nmark :%d\nauthor %s %d +0100\ncommitter %s %d +0000\n"
                       "data %d\n%s\n" % (i, i, rnd.choice(NAMES), max(date - 50, 0),
                                          rnd.choice(NAMES), max(date, 0), len(text), text.decode()))
            parents = self.parents(i)
            for n, p in enumerate(parents):
                out.append("%s :%d\n" % ("merge" if n else "from", p))
            out.append("M 644 inline f%d\ndata 3\n%03d\n" % (rnd.randint(0, 6), rnd.randint(0, 40)))
            if rnd.random() < .2:
                out.append("M 644 inline d/e%d\ndata 3\n%03d\n" % (rnd.randint(0, 3), rnd.randint(0, 40)))
        return "".join(out)

    def parents(self, i):
        rnd = self.rnd
        if i == 1 or rnd.random() < .02:
            return []
        back = lambda: rnd.randint(max(1, i - rnd.choice([2, 5, 20])), i - 1)
        first = i - 1 if rnd.random() < self.linear else back()
        wanted = rnd.choice([1, 1, 1, 1, 2, 2, 3]) if rnd.random() < .7 else 1
        return [first] + [p for p in dict.fromkeys(back() for _ in range(wanted - 1)) if p != first]

    def branches(self):
        rnd = self.rnd
        mine = [rnd.choice(self.ids) for _ in range(rnd.randint(0, 4))]
        lines = ["create refs/heads/%s %s" % (n, c) for n, c in
                 zip(["topic", "fix/one", "fix/two", "zz"], mine)]
        lines.append("create refs/heads/main " + rnd.choice(self.ids[:5]))
        keep = rnd.choice([0, 0, 1])
        tips = self.git("for-each-ref", "--format=%(refname)", "refs/heads/c").split()
        lines += ["delete " + t for t in tips if not keep]
        if rnd.random() < .4:
            lines.append("create refs/remotes/origin/main " + rnd.choice(self.ids))
            lines.append("create refs/remotes/origin/topic " + rnd.choice(self.ids))
        if rnd.random() < .3:
            lines.append("create refs/notes/x " + rnd.choice(self.ids))
        self.git("update-ref", "--stdin", data=("\n".join(lines) + "\n").encode())
        for _ in range(rnd.choice([0, 0, 6])):  # for reflogs
            self.git("update-ref", "-m", rnd.choice(["moved", "[PATCH] x"]),
                     rnd.choice(["refs/heads/main", "refs/heads/topic", "HEAD"]), rnd.choice(self.ids))

    def tag_object(self, target, kind, name, date):
        text = "object %s\ntype %s\ntag %s\ntagger T <t@x> %d +0000\n\nmsg\n" % (target, kind, name, date)
        return self.git("hash-object", "-t", "tag", "-w", "--stdin", data=text.encode())

    def tags(self):
        rnd = self.rnd
        for i in range(rnd.choice([0, 1, 3, 8, 20])):
            target, kind = rnd.choice(self.ids), rnd.random()
            name = rnd.choice(["v%d", "t%d", "rel/%d"]) % i
            date = 1500000000 + rnd.choice([0, 0, rnd.randint(0, 3000000)])
            if kind < .6:
                called = name if rnd.random() < .93 else "other%d" % i
                target = self.tag_object(target, "commit", called, date)
                if kind < .1:
                    target = self.tag_object(target, "tag", name, date + rnd.choice([0, 50, 900000]))
            elif kind < .65:
                target = self.git("rev-parse", target + "^{tree}")
            elif kind < .7:
                target = self.git("rev-parse", target + ":" + self.git("ls-tree", "-r", "--name-only", target).split()[0])
            self.git("update-ref", "refs/tags/" + name, target)

    def odd_things(self):
        rnd = self.rnd
        if rnd.random() < .15:
            self.git("replace", "-f", *rnd.sample(self.ids, 2)) if len(self.ids) > 1 else None
        shallow = rnd.random() < .15
        if shallow:
            with open(os.path.join(self.path, ".git", "shallow"), "w") as f:
                f.write("".join(c + "\n" for c in set(rnd.choices(self.ids, k=2))))
        if rnd.random() < .4:
            self.git("pack-refs", "--all")
        if rnd.random() < .3:
            self.git("repack", "-adq")
        if rnd.random() < .3 and not shallow:
            self.git("commit-graph", "write", "--reachable")
        self.refs = self.git("for-each-ref", "--format=%(refname)").split()

    # ---- words for command lines ----

    def rev(self):
        rnd = self.rnd
        base = rnd.choice(["HEAD", "HEAD", "main", rnd.choice(self.ids), rnd.choice(self.refs or ["HEAD"])])
        return base + rnd.choice(["", "", "", "~1", "~3", "^2", "^", "~2^2"])

    def pattern(self):
        rnd = self.rnd
        return rnd.choice(["*", "v*", "t[0-9]*", "refs/tags/*", "main", "heads/*", "c/*", "fix/*", "o*",
                           "rel/*", "*/*", "refs/heads/*", "zz", "nothing"])


def some(rnd, table, most=3):
    """A few of the options in the table, which is a list of words or functions."""
    picked = rnd.sample(table, rnd.randint(0, min(most, len(table))))
    return [w for o in picked for w in (o() if callable(o) else [o])]


def name_rev(h, rnd):
    opts = some(rnd, ["--tags", "--name-only", "--always", "--no-undefined", "--peel-tag",
                      lambda: ["--refs=" + h.pattern()], lambda: ["--exclude=" + h.pattern()],
                      lambda: ["--refs", h.pattern()], "--no-refs"], 3)
    how = rnd.random()
    if how < .2:
        return ["name-rev", *opts, "--all"], None
    if how < .45:
        words = [rnd.choice([h.rnd.choice(h.ids), "x", " ", "a", "g", "(", h.ids[0][:12], "\n"])
                 for _ in range(rnd.randint(1, 12))]
        return ["name-rev", *opts, "--annotate-stdin"], "".join(words).encode()
    return ["name-rev", *opts, *[h.rev() for _ in range(rnd.randint(1, 4))]], None


def describe(h, rnd):
    opts = some(rnd, ["--all", "--tags", "--tags", "--contains", "--long", "--always", "--first-parent",
                      "--debug", "--exact-match", "--no-match",
                      lambda: ["--abbrev=%d" % rnd.choice([0, 1, 4, 9, 40, 99])],
                      lambda: ["--candidates=%d" % rnd.choice([0, 1, 2, 5, 30])],
                      lambda: ["--match", h.pattern()], lambda: ["--exclude", h.pattern()]], 4)
    how = rnd.random()
    if how < .1:
        return ["describe", *opts, rnd.choice(["--dirty", "--dirty=-mod", "--broken"])], None
    if how < .18:
        return ["describe", *opts, rnd.choice(["HEAD", "main~1"]) + ":f%d" % rnd.randint(0, 6)], None
    return ["describe", *opts, *[h.rev() for _ in range(rnd.choice([0, 1, 1, 1, 3]))]], None


def shortlog(h, rnd):
    opts = some(rnd, ["-n", "-s", "-e", "-c", "-sn", "-sne", "-w", "-w0", "-w40,3,5", "-w30,,4", "-w50,1", "-w10",
                      "--group=author", "--group=committer", "--group=trailer:reviewed-by", "--no-group",
                      "--group=trailer:Co-authored-by", "--group=trailer:fixes", "--group=format:%cn %s",
                      "--group=%ad", "--date=short", "--date=format:%Y",
                      lambda: ["--format=" + rnd.choice(["%h %s", "[PATCH] %s%n%b", "", "* [%h] %s", "oneline",
                                                         "%an%n", "format:%b", "reference"])]], 4)
    if rnd.random() < .3:
        log = h.git("log", "--format=" + rnd.choice(["medium", "short", "raw", "fuller", "full"]), "--all")
        if rnd.random() < .3:
            # Of whole lines: from an unfinished last one stock makes a subject.
            log = log[rnd.randint(0, len(log) // 2):][:rnd.randint(0, 2000)].rpartition("\n")[0]
        return ["shortlog", *opts], log.encode() + b"\n"
    walk = some(rnd, ["--all", "--no-merges", "--first-parent", "-3", "--author=Thor", "--since=1500100000",
                      "--reverse", "--grep=PATCH", "--skip=2",
                      # With wrong clocks, what is excluded depends in Git on which commits it has met
                      # while it looked up names such as HEAD~3.
                      lambda: [] if h.skew else ["^" + h.rev()],
                      lambda: ["--", "f%d" % rnd.randint(0, 6)]], 3)
    return ["shortlog", *opts, h.rev(), *walk], None


def show_branch(h, rnd):
    if rnd.random() < .15:
        ref = rnd.choice([[], ["main"], ["topic"], ["fix/one"], ["refs/heads/main"], ["nope"]])
        return ["show-branch", *some(rnd, ["--list", "--no-name", "--sha1-name", "--topics"], 1),
                rnd.choice(["-g", "-g2", "--reflog=3", "--reflog=9", "--reflog=2,1", "--reflog=3,2",
                            "--reflog=5,2020-09-13 12:26:45 +0000", "--reflog=2,2001-01-01"]), *ref], None
    opts = some(rnd, ["-a", "-r", "--current", "--topo-order", "--date-order", "--sparse", "--more=2", "--more",
                      "--more=9", "--list", "--no-name", "--sha1-name", "--topics", "--color", "--no-color",
                      "--merge-base", "--independent"], 3)
    revs = [rnd.choice([h.rev, h.rev, h.pattern])() for _ in range(rnd.choice([0, 1, 2, 2, 3, 6]))]
    return ["show-branch", *opts, *revs], None


def placeholder(h, rnd):
    """%(describe) in log and for-each-ref."""
    options = some(rnd, ["tags", "tags=no", "tags=true", "abbrev=0", "abbrev=9", "abbrev=3", "foo", "abbrev",
                         lambda: ["match=" + h.pattern()], lambda: ["exclude=" + h.pattern()]], 3)
    text = "%(describe" + (":" if options else "") + ",".join(options) + ")"
    if rnd.random() < .5:
        return ["log", "-%d" % rnd.randint(1, 9), "--format=%h " + text + " %s", h.rev(), *some(rnd, ["--", "f1"], 2)], None
    return ["for-each-ref", "--format=%(refname) " + text + " " + text.replace("(", "(*")], None


COMMANDS = {"name-rev": name_rev, "describe": describe, "shortlog": shortlog, "show-branch": show_branch,
            "placeholder": placeholder}


def normalise(args, side):
    code, out, err = side
    lines = err.split("\n")
    if args[0] == "name-rev" and "--all" in args:
        # Stock lists what it has in memory, in the order of a hash table: also some of the
        # commits that no ref names which was asked for. They have no name, or make it fail.
        out = "\n".join(sorted(x for x in out.split("\n") if not NAMELESS.search(x)))
        if "--no-undefined" in args:
            code, out, lines = 0, "", []
    # Older versions begin messages with capital letters and end them with full stops.
    lines = [re.sub(r"^(fatal|error|warning): (.)", lambda m: m[1] + ": " + m[2].lower(), x).rstrip(".")
             for x in lines
             # the reason why the name means nothing, which we leave out
             if not re.match("hint:|error: object [0-9a-f]* is a [a-z]*, not a commit", x)]
    if code == 129:
        lines = lines[:1]  # usage has other words
    return code, out, "\n".join(lines)


def run(program, path, args, data):
    done = subprocess.run([program, *args], cwd=path, env=ENV, input=data or b"",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=60)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def compare(seed, opts, counts):
    rnd = random.Random(seed)
    path = os.path.join(opts.dir, "r%s" % seed)
    shutil.rmtree(path, ignore_errors=True)
    h = History(opts.stock, path, rnd)
    h.make()
    failed = 0
    for _ in range(opts.per_history):
        name = opts.command or rnd.choice(sorted(COMMANDS))
        args, data = COMMANDS[name](h, rnd)
        ours = normalise(args, run(opts.ours, path, args, data))
        theirs = normalise(args, run(opts.stock, path, args, data))
        counts[0] += 1
        counts[1] += theirs[0] == 0
        if ours != theirs:
            failed += 1
            print("# seed %s: git %s  (in %s)" % (seed, " ".join(repr(a) for a in args), path))
            if data:
                print("#   stdin: %r" % data)
            for what, a, b in zip(("exit code", "stdout", "stderr"), ours, theirs):
                if a != b:
                    print("#   %s\n#     ours  %s\n#     stock %s" % (what, repr(a)[:500], repr(b)[:500]))
    if not failed or not opts.keep:
        shutil.rmtree(path)
    return failed


ENV = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
       "GIT_CEILING_DIRECTORIES": tempfile.gettempdir(),
       "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x",
       "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x", "TZ": "UTC", "GIT_PAGER": "cat"}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-n", "--lines", type=int, default=400)
    p.add_argument("-p", "--per-history", type=int, default=25)
    p.add_argument("-s", "--seed", default="1")
    p.add_argument("-c", "--command", choices=sorted(COMMANDS))
    p.add_argument("-k", "--keep", action="store_true", help="keep histories with differences")
    p.add_argument("ours")
    p.add_argument("stock")
    p.add_argument("dir")
    opts = p.parse_args()
    os.makedirs(opts.dir, exist_ok=True)
    opts.dir = os.path.abspath(opts.dir)
    counts, failed, i = [0, 0], 0, 0
    while counts[0] < opts.lines:
        failed += compare("%s.%d" % (opts.seed, i), opts, counts)
        i += 1
    print("# %d command lines (%d of them succeed), %d differences" % (counts[0], counts[1], failed))
    return failed > 0


sys.exit(main())
