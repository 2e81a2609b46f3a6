#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Our git and JGit write refs in tables in turns, by seed, to one repository; both, and PEER_GIT if it is set, read it.

    OUR_GIT=/path/git JGIT=/path/to/jars t/interop/jgit/refs.py [SEED [STEPS]]

JGIT is a directory with the jar files of org.eclipse.jgit and of what it needs (from Maven Central); javac and java
(17 or newer) are needed. JGit 7.2 or newer: older ones do not see what others write. Every 50 steps refs with their targets, and reflogs, must be what each program reads and what
the steps have asked for; `fsck` and `refs verify` find nothing. JGit has no SHA-256. Exit code 1 if anything differs.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

OURS, JARS, PEER = os.environ["OUR_GIT"], os.environ["JGIT"], os.environ.get("PEER_GIT")
HERE = os.path.dirname(os.path.abspath(__file__))
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_AUTHOR_NAME="A",
           GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="C O", GIT_COMMITTER_EMAIL="c@x", GIT_TEST_FSYNC="0",
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000", HOME="/nonexistent")
EVERY = 50
NULL = "0" * 40


def git(top, *args, stdin="", date=0, program=OURS, check=True):
    env = dict(ENV, GIT_COMMITTER_DATE="%d +0000" % (1700000000 + date))
    p = subprocess.run([program, *args], cwd=top, env=env, input=stdin, text=True, capture_output=True)
    if check and p.returncode:
        sys.exit("%s %s: %s" % (program, args, p.stderr))
    return p.stdout if check else p.returncode


class JGit:
    def __init__(self, top, classes):
        self.p = subprocess.Popen(["java", "-cp", classes + ":" + JARS + "/*", "Refs", os.path.join(top, ".git")], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENV)

    def ask(self, *words):
        self.p.stdin.write("\t".join(words) + "\n")
        self.p.stdin.flush()
        lines = []
        while True:
            line = self.p.stdout.readline()
            if not line:
                sys.exit("JGit ended")
            if line == ".\n":
                return lines
            lines.append(line.rstrip("\n"))


class History:
    """Draws steps, and knows what the refs must be."""

    def __init__(self, seed, ids):
        self.rng, self.ids = random.Random(seed), ids
        self.refs = {"refs/heads/main": ids[0]}
        self.links = {"HEAD": "refs/heads/main"}

    def name(self):
        rng = self.rng
        parts = [rng.choice(["refs/heads", "refs/heads", "refs/tags", "refs/remotes/o", "refs/changes"])]
        parts += [rng.choice("abcdAB") + "kxy"[n] for n in range(3)]
        if rng.random() < .5:
            parts[-1] += "%03d" % rng.randrange(200)
        if rng.random() < .02:
            parts[-1] += "\u00e4" * 60
        return "/".join(parts)

    def batch(self):
        rng, chosen = self.rng, {}
        for _ in range(rng.choice([1, 1, 2, 5, 30, 120])):
            known = [n for n in self.refs if n != "refs/heads/main"]
            name = rng.choice(known) if known and rng.random() < .5 else self.name()
            if name not in self.links:
                # fsck fails where a symbolic ref leads nowhere.
                gone = name in self.refs and name not in self.links.values() and rng.random() < .4
                chosen[name] = NULL if gone else rng.choice(self.ids)
        return chosen

    def apply(self, chosen):
        for name, value in chosen.items():
            if value == NULL:
                self.refs.pop(name, None)
            else:
                self.refs[name] = value


def by_ours(top, h, chosen, date, message):
    lines = ["%s %s\0%s%s\0" % ("delete" if v == NULL else "update", n, "" if v == NULL else v + "\0", h.refs.get(n, NULL))
             for n, v in chosen.items()]
    git(top, "update-ref", "-m", message, "-z", "--stdin", stdin="".join(lines), date=date)


def by_jgit(j, h, chosen, date, message):
    words = sum(([n, v, h.refs.get(n, NULL)] for n, v in chosen.items()), [])
    bad = [line for line in j.ask("transaction", str(1700000000 + date), message, *words) if line.split("\t")[-1] != "OK"]
    return sorted(bad, key=lambda line: "transaction aborted" in line)[:3]


def step(top, j, h, n):
    """One change by one of the two; what went wrong."""
    rng = h.rng
    ours, kind = rng.random() < .5, rng.random()
    if kind < .06:
        if ours:
            git(top, "pack-refs", *rng.choice([[], ["--auto"]]))
            return []
        return j.ask("compact")
    if kind < .12:
        name, target = "refs/heads/link%d" % rng.randrange(9), rng.choice(sorted(h.refs))
        h.links[name] = target
        if ours:
            git(top, "symbolic-ref", name, target, date=n)
            return []
        return [line for line in j.ask("link", name, target) if line not in ("NEW", "FORCED", "NO_CHANGE")]
    chosen, message = h.batch(), rng.choice(["m", "a longer message: %d" % n])
    if not chosen:
        return []
    if ours:
        by_ours(top, h, chosen, n, message)
        bad = []
    else:
        bad = by_jgit(j, h, chosen, n, message)
    h.apply(chosen)
    return bad


def compare(top, j, h):
    want = sorted("%s\t%s\t" % item for item in h.refs.items())
    want += sorted("%s\t%s\t%s" % (n, h.refs[t], t) for n, t in h.links.items() if n != "HEAD")
    wrong = []
    for program in filter(None, [OURS, PEER]):
        got = git(top, "for-each-ref", "--format=%(refname)%09%(objectname)%09%(symref)", program=program).splitlines()
        wrong += ["%s refs %s" % (program, line) for line in sorted({*got} ^ {*want})[:5]]
        if git(top, "fsck", "--no-dangling", "--connectivity-only", program=program, check=False):
            wrong.append("%s fsck fails" % program)
    got = [line for line in j.ask("refs") if line.split("\t")[1] and not line.startswith("HEAD\t")]
    wrong += ["JGit refs %s" % line for line in sorted({*got} ^ {*want})[:5]]
    if git(top, "refs", "verify", check=False):
        wrong.append("refs verify fails")
    for name in h.rng.sample(sorted(h.refs), min(12, len(h.refs))) + ["HEAD"]:
        # PEER_GIT is left out: 2.55 drops the last byte of JGit's messages, and finds no log in a large table of JGit.
        log = [line.split("\t") for line in git(top, "log", "-g", "--date=unix", "--format=%H%x09%gd%x09%gs", name, "--").splitlines()]
        ours = [(x[0], x[1].split("@{")[1].split("}")[0], x[2]) for x in log]
        # JGit notes a deletion in the log; log -g shows no entry without a value.
        theirs = [tuple(x.split("\t")[1:4]) for x in j.ask("log", name) if x.split("\t")[1] != NULL]
        if ours != theirs:
            wrong.append("log of %s: %s %s" % (name, ours[:3], theirs[:3]))
    return wrong


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    top = tempfile.mkdtemp(prefix="sluice-jgit-")
    classes = os.path.join(top, "classes")
    subprocess.run(["javac", "-cp", JARS + "/*", "-d", classes, os.path.join(HERE, "Refs.java")], check=True)
    repository = os.path.join(top, "r")
    git(top, "init", "-q", "-b", "main", "--ref-format=reftable", repository)
    git(repository, "config", "core.logAllRefUpdates", "always")
    tree, ids = git(repository, "write-tree").strip(), []
    for n in range(12):
        ids.append(git(repository, "commit-tree", tree, "-m", "c%d" % n, *sum((["-p", i] for i in ids[-1:]), [])).strip())
    git(repository, "update-ref", "refs/heads/main", ids[0])
    j, h, wrong, n = JGit(repository, classes), History(seed, ids), [], 0
    for n in range(1, steps + 1):
        wrong = step(repository, j, h, n)
        if not wrong and (n % EVERY == 0 or n == steps):
            wrong = compare(repository, j, h)
        if wrong:
            break
    print("seed %d: %d steps, %d refs, %s" % (seed, n, len(h.refs), "\n".join(["DIFFERENT", *wrong]) if wrong else "equal"))
    j.p.stdin.close()
    j.p.wait()
    if os.environ.get("KEEP"):
        print(repository)
    else:
        shutil.rmtree(top, ignore_errors=True)
    sys.exit(bool(wrong))


main()
