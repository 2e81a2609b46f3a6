#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random fetches: FETCH_HEAD, refs, configuration and messages of two implementations, byte for byte.

usage: fetch-head.py GIT OTHER-GIT [ROUNDS [SEED]]

A round is three repositories with random branches and tags, a client with random remotes, branches and refs, and one command,
from file:// or a path. Prints what differs; exit code 1 if anything does. ONLY=N runs round N alone, FIRST=N is the first of
ROUNDS, CAUSE=TEXT shows the rounds of a listed cause as well. TMPDIR is best in memory.

Differences that Documentation/Differences.adoc lists are counted apart, by their cause: see LISTED.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

BRANCHES = ["main", "topic", "a/b", "a/c", "x", "HEAD2", "v1"]
TAGS = ["v1", "v2", "light", "a/b", "deep"]
SPECS = ["main", "topic", "refs/heads/main", "refs/tags/v1", "tag v1", "+main:refs/remotes/o1/main", "main:x", "topic:topic", "HEAD", "HEAD:got",
         "refs/heads/*:refs/remotes/o2/*", "+refs/heads/a/*:refs/remotes/z/*", "refs/tags/*:refs/tags/*", "v1", "heads/v1", "tags/v1", ":", "a/b",
         "refs/heads/main:", ":x", "^refs/heads/topic", "refs/*:refs/copy/*", "missing", "refs/heads/mis*:refs/x/*", "main:refs/tags/new",
         "light", "+topic:main", "main:refs/heads/a", "refs/heads/x:refs/remotes/o1/a/b", "@", "x:"]
FETCHES = ["+refs/heads/*:refs/remotes/%s/*", "refs/heads/main:refs/remotes/%s/main", "+refs/heads/*:refs/remotes/%s/*", "refs/heads/a/*:refs/remotes/%s/a/*",
           "^refs/heads/topic", "+refs/heads/*:refs/remotes/%s/*", "refs/heads/main", "HEAD", "+refs/tags/*:refs/tags/*", "+refs/*:refs/*", "refs/heads/gone:refs/remotes/%s/gone"]
OPTIONS = ["--append", "-a", "--tags", "--no-tags", "--prune", "--prune-tags", "--dry-run", "-f", "--refmap=", "--refmap=+refs/heads/*:refs/remotes/r/*", "-v",
           "--porcelain", "--no-write-fetch-head", "--atomic", "-q", "--set-upstream", "--no-auto-gc", "-k", "--update-head-ok", "--no-prune", "--force"]


def git(path, *args, stdin=None, env=None):
    return subprocess.run([path, *args], input=stdin, env=env, capture_output=True, check=True).stdout.decode().strip()


class Ground:
    """Commits and annotated tags in one store; repositories are a copy of it, with their refs in packed-refs."""

    def __init__(self, top, stock):
        self.top, self.stock = top, stock
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CEILING_DIRECTORIES"}
        self.env.update({"HOME": top, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "A",
                         "GIT_COMMITTER_EMAIL": "a@x", "GIT_AUTHOR_DATE": "1234567890 +0000", "GIT_COMMITTER_DATE": "1234567890 +0000", "GIT_TERMINAL_PROMPT": "0", "GIT_TEST_FSYNC": "0"})
        self.store = top + "/store"
        run = lambda *a, **k: git(stock, "-C", self.store, *a, env=self.env, **k)   # noqa: E731
        git(stock, "init", "-q", "-b", "main", self.store, env=self.env)
        tree = run("mktree", stdin=b"")
        self.commits = [run("commit-tree", "-m", "root", tree)]
        for n in range(1, 9):
            parent = self.commits[-1 if n % 3 else n // 2]
            self.commits.append(run("commit-tree", "-p", parent, "-m", "c%d" % n, tree))
        self.tags = []
        for n in range(4):
            run("tag", "-a", "-m", "t", "t%d" % n, self.commits[2 * n + 1])
            self.tags.append(run("rev-parse", "t%d" % n))
        run("tag", "-a", "-m", "tt", "tt", "t1")
        self.tags.append(run("rev-parse", "tt"))
        self.peeled = {t: run("rev-parse", t + "^{}") for t in self.tags}
        run("bundle", "create", "-q", "base.bundle", "t1", "t0")
        self.base = top + "/base"
        git(stock, "init", "-q", "-b", "main", self.base, env=self.env)
        git(stock, "-C", self.base, "fetch", "-q", self.store + "/base.bundle", "refs/tags/*:refs/tags/*", env=self.env)
        for place in (self.store, self.base):
            for name in ("refs/tags", "hooks", "FETCH_HEAD", "packed-refs", "logs"):
                path = os.path.join(place, ".git", name)
                shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)
            os.makedirs(place + "/.git/refs/tags")
        self.known = [c for c in self.commits if subprocess.run([stock, "-C", self.base, "cat-file", "-e", c], env=self.env, capture_output=True).returncode == 0]

    def packed(self, place, refs, head):
        names = sorted(refs)
        names = [n for n in names if not any(o != n and o.startswith(n + "/") for o in names)]
        with open(place + "/packed-refs", "w") as f:
            f.write("# pack-refs with: peeled fully-peeled sorted \n")
            for name in names:
                f.write("%s %s\n" % (refs[name], name))
                if refs[name] in self.peeled:
                    f.write("^%s\n" % self.peeled[refs[name]])
        with open(place + "/HEAD", "w") as f:
            f.write(head + "\n")


def make_server(rng, ground, path):
    shutil.copytree(ground.store + "/.git", path)
    refs = {"refs/heads/" + b: rng.choice(ground.commits) for b in rng.sample(BRANCHES, rng.randrange(0, 6))}
    refs.update({"refs/tags/" + t: rng.choice(ground.commits + ground.tags * 2) for t in rng.sample(TAGS, rng.randrange(0, 4))})
    if rng.random() < 0.2:
        refs["refs/notes/n"] = rng.choice(ground.commits)
    ground.packed(path, refs, rng.choice(["ref: refs/heads/main"] * 5 + ["ref: refs/heads/topic", ground.commits[3]]))


def make_client(rng, ground, path, servers):
    shutil.copytree(ground.base, path)
    place = path + "/.git"
    refs = {"refs/heads/" + b: rng.choice(ground.known) for b in rng.sample(BRANCHES, rng.randrange(0, 3))}
    refs.update({"refs/tags/" + t: rng.choice(ground.known) for t in rng.sample(TAGS, rng.randrange(0, 2))})
    refs.update({"refs/remotes/o%d/%s" % (rng.randrange(1, 4), b): rng.choice(ground.known) for b in rng.sample(BRANCHES + ["gone"], rng.randrange(0, 4))})
    ground.packed(place, refs, rng.choice(["ref: refs/heads/main"] * 4 + ["ref: refs/heads/topic", ground.known[0]]))
    lines = ["[core]\n\trepositoryformatversion = 0\n\tbare = %s\n\tfsync = none\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n" % rng.choice(["false"] * 3 + ["true"])]
    for n, url in enumerate(servers, 1):
        lines.append('[remote "o%d"]\n\turl = %s\n' % (n, url))
        for spec in [rng.choice(FETCHES) for _ in range(rng.choice([1, 1, 1, 2, 2, 0]))]:
            lines.append("\tfetch = %s\n" % (spec % ("o%d" % n) if "%s" in spec else spec))
        for key, values in {"tagOpt": ["--tags", "--no-tags"], "prune": ["true"], "pruneTags": ["true"], "mirror": ["true"], "skipDefaultUpdate": ["true"],
                            "followRemoteHEAD": ["never", "create", "always", "warn", "warn-if-not-topic"]}.items():
            if rng.random() < 0.08:
                lines.append("\t%s = %s\n" % (key, rng.choice(values)))
    if rng.random() < 0.7:
        lines.append('[branch "main"]\n\tremote = %s\n' % rng.choice(["o1", "o1", "o2", ".", servers[0]]))
        for _ in range(rng.choice([1, 1, 1, 2, 3, 0])):
            lines.append("\tmerge = %s\n" % rng.choice(["refs/heads/main", "refs/heads/topic", "main", "refs/tags/v1", "HEAD", "refs/heads/gone", "v1"]))
    if rng.random() < 0.5:
        lines.append("[remotes]\n\tgrp = %s\n\tdefault = o1 o3\n" % rng.choice(["o1 o2", "o2", "o3 o1 o3"]))
    if rng.random() < 0.2:
        lines.append("[fetch]\n\t%s\n" % rng.choice(["prune = true", "pruneTags = true", "all = true", "output = compact", "parallel = 1"]))
    with open(place + "/config", "w") as f:
        f.write("".join(lines))
    if rng.random() < 0.3:
        with open(place + "/FETCH_HEAD", "w") as f:
            f.write("%s\t\tbranch 'old' of nowhere\n" % ground.known[0])


def command(rng, servers):
    args = ["fetch"] + [rng.choice(OPTIONS) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
    kind = rng.random()
    if kind < 0.15:
        return args
    if kind < 0.25:
        return args + [rng.choice(["--all", "--all", "grp", "default"])]
    if kind < 0.32:
        return args + ["--multiple"] + [rng.choice(["o1", "o2", "o3", "grp"]) for _ in range(rng.randrange(1, 4))]
    args.append(rng.choice(["o1", "o1", "o2", "o3", "."] + servers))
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        args += rng.choice(SPECS).split(" ")
    return args


def state(client):
    refs = {}
    with open(client + "/.git/packed-refs") as f:
        refs.update(reversed(line.split()) for line in f if line[0] not in "#^")
    for d, _, files in os.walk(client + "/.git/refs"):
        for name in files:
            with open(os.path.join(d, name)) as f:
                refs[os.path.relpath(os.path.join(d, name), client + "/.git")] = f.read().strip()
    found = {"refs": "".join("%s %s\n" % (oid, name) for name, oid in sorted(refs.items())).encode()}
    for name in ("FETCH_HEAD", "config", "HEAD"):
        path = client + "/.git/" + name
        found[name] = open(path, "rb").read() if os.path.exists(path) else None
    return found


def lines(text):
    return (text or b"").splitlines(keepends=True)


def only(differ, *allowed):
    return set(differ) <= set(allowed)


def fails(answer):
    return bool(answer["exit code"])


def fewer(ours, theirs, pattern):
    """Theirs has some more lines, and each of them matches."""
    a, b = lines(ours), lines(theirs)
    return all(line in b for line in a) and all(re.search(pattern, line) for line in b if line not in a or b.count(line) != a.count(line))


def without_heads(text):
    return [line for line in lines(text) if not re.match(rb"ref: .*/HEAD$", line)]


# By cause: what differs, and how. Each is in Documentation/Differences.adoc.
LISTED = {
    "a fetch that fails leaves FETCH_HEAD": lambda d, a, b, args, config: only(d, "FETCH_HEAD") and fails(a) and fails(b) and not b["FETCH_HEAD"]
    and a["FETCH_HEAD"] == a["before"]["FETCH_HEAD"],
    "a group of one remote": lambda d, a, b, args, config: fails(b) and re.search(rb"'(grp|default)' does not appear", b["stderr"])
    and args[-1] == "grp" and re.search(r"\tgrp = \S+\n", config),
    "--refmap= is a refspec of HEAD": lambda d, a, b, args, config: "--refmap=" in args and only(d, "stderr", "stdout", "config")
    and fewer(a["stderr"], b["stderr"], rb" HEAD +-> FETCH_HEAD$|^warning: multiple branches detected" + (rb"|\[new tag\]" if "--dry-run" in args else b"")) and fewer(a["stdout"], b["stdout"], rb" FETCH_HEAD$"),
    "--set-upstream over several values": lambda d, a, b, args, config: "--set-upstream" in args and only(d, "stderr", "config") and b"has multiple values" in b["stderr"]
    and a["config"].count(b"\tmerge = ") == 1 and b["config"].count(b"\tmerge = ") == a["before"]["config"].count(b"\tmerge = ") + 1,
    "a dry run leaves the upstream": lambda d, a, b, args, config: "--set-upstream" in args and "--dry-run" in args and a["config"] == a["before"]["config"]
    and all(k in ("config", "stderr") or LISTED["a dry run leaves HEAD"]([k], a, b, args, config) for k in d)
    and "config" in d and (("stderr" not in d) or b"has multiple values" in b["stderr"] or LISTED["a dry run has a row for each tag"](["stderr"], a, b, args, config)),
    "a dry run leaves HEAD": lambda d, a, b, args, config: "--dry-run" in args and only(d, "refs", "stderr", "stdout", "HEAD") and without_heads(a["refs"]) == without_heads(b["refs"])
    and all(a[k] == b[k] or LISTED["a dry run has a row for each tag"]([k], a, b, args, config) for k in ("stderr", "stdout")),
    "a dry run has a row for each tag": lambda d, a, b, args, config: "--dry-run" in args and only(d, "stderr", "stdout")
    and all(line in lines(a["stderr"]) + lines(a["stdout"]) for line in lines(b["stderr"]) + lines(b["stdout"]))
    and fewer(a["stderr"], b["stderr"], rb"\[new tag\]") and fewer(a["stdout"], b["stdout"], rb" refs/tags/"),
    "HEAD of a bare mirror becomes a branch that is there": lambda d, a, b, args, config: only(d, "HEAD") and "mirror = true" in config and "bare = true" in config
    and a["HEAD"] == a["before"]["HEAD"] and b["HEAD"].startswith(b"ref: refs/heads/") and b" " + b["HEAD"][5:] not in b["refs"],
    "-v -v tells the negotiation": lambda d, a, b, args, config: only(d, "stderr") and args.count("-v") > 1
    and fewer(a["stderr"], b["stderr"], rb"^(Marking [0-9a-f]+ as complete|want [0-9a-f]+ \(.*\)|already have [0-9a-f]+ \(.*\))$"),
}


def cause(differ, ours, theirs, args, config):
    return next((name for name, holds in LISTED.items() if holds(differ, ours, theirs, args, config)), None)


def one_round(n, seed, ground, gits):
    answers = []
    work = ground.top + "/round"
    for path in gits:
        rng = random.Random("%d fetch %d" % (seed, n))
        os.makedirs(work)
        servers = []
        for k in (1, 2, 3):
            where = "%s/%s" % (work, rng.choice(["s%d.git", "s%d", "s%d.git/"]) % k)
            make_server(rng, ground, where.rstrip("/"))
            servers.append(rng.choice(["", "file://"]) + where)
        make_client(rng, ground, work + "/client", servers)
        args = command(rng, servers)
        before = state(work + "/client")
        done = subprocess.run([path, "-C", work + "/client", *args], env=ground.env, capture_output=True)
        found = state(work + "/client")
        config = open(work + "/client/.git/config").read() if path == gits[0] else ""
        found.update({"exit code": done.returncode, "stdout": done.stdout, "stderr": re.sub(rb"(?m)^hint: .*\n", b"", done.stderr)})
        answers.append({**found, "before": before})
        if not (os.environ.get("KEEP") and path == gits[1]):
            shutil.rmtree(work)
        answers.append(config) if config else None
    return args, answers[1], answers[0], answers[2]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    first = int(os.environ.get("FIRST", "0"))
    wanted = os.environ.get("CAUSE")
    show, count, bad, listed = int(os.environ.get("SHOW", "5")), {}, 0, {}
    with tempfile.TemporaryDirectory() as top:
        ground = Ground(top, gits[1])
        for n in [int(os.environ["ONLY"])] if "ONLY" in os.environ else range(first, first + rounds):
            args, config, ours, theirs = one_round(n, seed, ground, gits)
            differ = [k for k in ours if k != "before" and ours[k] != theirs[k]]
            why = cause(differ, ours, theirs, args, config) if differ else None
            if why:
                listed[why] = listed.get(why, 0) + 1
            if why and not (wanted and wanted in why):
                continue
            bad += bool(differ)
            for key in differ:
                count[key] = count.get(key, 0) + 1
            if differ and bad <= show:
                print("round %d: %s\n%s" % (n, " ".join(args).replace(top, ""), "\n".join(
                    "  " + line for line in config.split("auto = false\n")[-1].replace(top, "").splitlines())))
                for key in differ:
                    print("  -- %s\n    %s\n    %s" % (key, str(ours[key]).replace(top, ""), str(theirs[key]).replace(top, "")), flush=True)
    print("%d of %d rounds differ: %s; listed: %s" % (bad, rounds, count, listed))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
