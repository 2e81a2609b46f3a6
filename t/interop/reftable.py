#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random histories of ref transactions by seed. Our git and PEER_GIT write them in turns to one repository with refs in tables.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/reftable.py [SEED [STEPS [HASH]]]

PEER_GIT repeats each step alone in a second repository. Both programs read both: exit codes of the steps, refs with
their fields, HEAD, root refs, reflogs, show-ref --exists and fsck must be equal. At the end PEER_GIT migrates copies to
files, and the files of the reflogs are compared. Between two worktrees, writers change. REFLOG=0 leaves out changes of reflogs. KEEP=1 keeps the repositories.
Exit code 1 if anything differs.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

OURS = os.environ.get("OUR_GIT", "git")
PEER = os.environ.get("PEER_GIT", "/usr/bin/git")
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_AUTHOR_NAME="A",
           GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="C O", GIT_COMMITTER_EMAIL="c@x", GIT_TEST_FSYNC="0",
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_CONFIG_COUNT="2", GIT_CONFIG_KEY_0="maintenance.auto",
           GIT_CONFIG_VALUE_0="false", GIT_CONFIG_KEY_1="core.fsync", GIT_CONFIG_VALUE_1="none")
# Steps between two comparisons.
EVERY = 50
COMMITS = 12
ROOTS = ["HEAD", "ORIG_HEAD", "BISECT_HEAD", "refs/bisect/bad", "refs/bisect/good/1", "refs/worktree/x"]
FIELDS = "%(refname) %(objectname) %(objecttype) %(symref) %(*objectname) %(*objecttype) %(upstream) %(HEAD) %(contents:subject)"
MESSAGES = ["", "one word", "  spaces \t around ", "a\nline", "\u00fcml\u00e4ut", "x" * 300, "commit: y"]


def run(git, where, args, date, stdin=None):
    env = dict(ENV, GIT_COMMITTER_DATE="%d %s" % (1700000000 + date, ["+0000", "-0730", "+1300"][date % 3]))
    p = subprocess.run([git, *args], cwd=where, env=env, input=stdin if stdin is not None else b"", capture_output=True)
    return p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")


def must(git, where, *args, stdin=None):
    code, out, err = run(git, where, args, 0, stdin)
    if code:
        sys.exit("%s %s: %s" % (git, " ".join(args), err))
    return out


class History:
    """The steps of one seed: arguments and standard input, the same for both repositories."""

    def __init__(self, seed, ids, tags):
        self.rng, self.ids, self.tags = random.Random(seed), ids, tags

    def name(self, top=None):
        rng = self.rng
        if top is None and rng.random() < .06:
            return rng.choice(ROOTS)
        parts = [top or rng.choice(["refs/heads", "refs/heads", "refs/heads", "refs/tags", "refs/remotes/o", "refs/x"])]
        depth = rng.choice([2, 2, 2, 3]) if rng.random() < .85 else rng.choice([1, 2, 3])
        parts += [(rng.choice("abcAB") if rng.random() < .2 else rng.choice("abcAB") + "kxy"[depth - 1]) for n in range(depth)]
        if rng.random() < .02:
            parts.append(rng.choice(["n" * 180, "\u00e4", "a\u0308", "b.c", "z@"]))
        if rng.random() < .25:
            parts[-1] += "%02d" % rng.randrange(40)
        return "/".join(parts)

    def branch(self):
        return self.name("refs/heads")[len("refs/heads/"):]

    def value(self, name):
        """Annotated tags only where no log is: log -g of Git ends where a tag was."""
        rng = self.rng
        return rng.choice(self.tags) if name.startswith("refs/tags/") and rng.random() < .4 else rng.choice(self.ids)

    def message(self):
        return ["-m", self.rng.choice(MESSAGES)] if self.rng.random() < .6 else []

    def line(self, used, targets, batched):
        """One line of update-ref --stdin."""
        rng = self.rng
        name = self.name()
        # A symref logs the value of its target after the transaction; in Git's tables it is the one before.
        if name in targets or name in used and rng.random() < .98:
            return []
        # Of two names that cannot both be, --batch-updates refuses the shorter one. Git's tables go by the order.
        if batched and any((u + "/").startswith(name + "/") or (name + "/").startswith(u + "/") for u in used):
            return []
        used.add(name)
        # %(symref) of refs/worktree/x is that of another ref in Git where root refs are listed.
        if name in ROOTS:
            return ["update %s\0%s\0\0" % (name, self.value(name))]
        kind = rng.choice(["create", "create", "update", "update", "update", "delete", "symref-update", "verify", "symref-create"])
        option = ["option no-deref\0"] if rng.random() < .1 else []
        # Annotated tags go to refs/tags. Through a symref there one would go to a branch: ours refuses it, Git's tables do not.
        if kind.startswith("symref") and name.startswith("refs/tags/"):
            return []
        if kind == "create":
            return option + ["create %s\0%s\0" % (name, self.value(name))]
        if kind == "update":
            return option + ["update %s\0%s\0%s\0" % (name, self.value(name), "" if rng.random() < .9 else self.value(name))]
        if kind == "delete":
            return option + ["delete %s\0\0" % name]
        if kind == "verify":
            return ["verify %s\0\0" % name]
        target = self.name("refs/heads")
        if target in used:
            return []
        targets.add(target)
        if kind == "symref-create":
            return ["symref-create %s\0%s\0" % (name, target)]
        return ["option no-deref\0symref-update %s\0%s\0" % (name, target)]

    def batch(self):
        rng, used, targets, lines = self.rng, set(), set(), []
        # Which of two updates by symrefs is refused where both cannot be is not compared.
        batched = ["--batch-updates"] if rng.random() < .5 else []
        for _ in range(rng.choice([1, 2, 3, 5, 20, 60])):
            line = self.line(used, targets, batched)
            if batched and line and line[0].startswith(("update", "create", "delete")):
                lines.append("option no-deref\0")
            lines += line
        args = ["update-ref", "--stdin", "-z"] + self.message() + batched
        if rng.random() < .1:
            lines = ["start\0"] + lines + [rng.choice(["prepare\0commit\0", "abort\0", "commit\0"])]
        return args, "".join(lines).encode()

    def one(self):
        rng = self.rng
        old = [rng.choice(self.ids)] if rng.random() < .1 else []
        no_deref = ["--no-deref"] if rng.random() < .15 else []
        kinds = [
            (20, lambda n=self.name(): ["update-ref", *self.message(), *no_deref, *(["--create-reflog"] if rng.random() < .3 and
                                        "tags" not in n else []), n, self.value(n), *old]),
            (10, lambda: ["update-ref", "-d", *self.message(), *no_deref, self.name(), *old]),
            (5, lambda: ["symbolic-ref", *self.message(), rng.choice([self.name(rng.choice(["refs/heads", "refs/x"])), "HEAD", "HEAD"]), self.name("refs/heads")]),
            (2, lambda: ["symbolic-ref", "-d", self.name()]),
            (6, lambda: ["branch", rng.choice(["-m", "-M"]), self.branch(), self.branch()]),
            (2, lambda: ["branch", rng.choice(["-c", "-C"]), self.branch(), self.branch()]),
            (3, lambda: ["branch", "-f", "--no-track", self.branch(), rng.choice(self.ids)]),
            (2, lambda: ["branch", "-D", self.branch(), self.branch()]),
            (3, lambda: ["tag", "-f", "-m", "t", self.name("refs/tags")[10:], rng.choice(self.ids)]),
            (2, lambda: ["tag", "-d", self.name("refs/tags")[10:]]),
            (3, lambda: ["commit", "-q", "--allow-empty", "-m", "step"]),
            (2, lambda: ["pack-refs"] + rng.choice([[], ["--all"], ["--auto"]])),
            (1, lambda: ["refs", "optimize"]),
        ]
        if os.environ.get("REFLOG", "1") != "0":
            kinds += [(2, lambda: ["reflog", "delete", "%s@{%d}" % (self.name(), rng.randrange(3))] +
                       rng.choice([[], ["--rewrite"], ["--updateref"]])),
                      (1, lambda: ["reflog", "expire", "--expire=%d" % (1700000000 + rng.randrange(2000)),
                                   "--expire-unreachable=never", *rng.choice([["--all"], [self.name()]])]),
                      (1, lambda: ["reflog", "drop", self.name()])]
        return rng.choices([k[1] for k in kinds], [k[0] for k in kinds])[0]()

    def step(self):
        """Which program, in which worktree, its arguments and input."""
        ours, where = self.rng.random() < .5, "wt" if self.rng.random() < .2 else "."
        args, stdin = self.batch() if self.rng.random() < .25 else (self.one(), None)
        # An unborn branch of another worktree, which Git renames: ours does not.
        if args[0] in ("branch", "symbolic-ref"):
            where = "."
        return ours, where, args, stdin


def state(git, top, names):
    """Everything that a program reads in a repository."""
    out = {}
    for where in (".", "wt"):
        at = os.path.join(top, where)
        for args in (["for-each-ref", "--include-root-refs", "--format=" + FIELDS], ["symbolic-ref", "-q", "HEAD"],
                     ["for-each-ref", "--sort=-refname", "--format=%(refname)", "refs/heads/a", "refs/tags/"],
                     ["rev-parse", "-q", "--verify", "HEAD"], ["reflog", "list"], ["show-ref", "-d", "--head"],
                     ["for-each-ref", "--points-at=" + names[0], "--format=%(refname)"]):
            out[where, " ".join(args)] = run(git, at, args, 0)[:2]
        for name in names[1:]:
            for args in (["show-ref", "--exists", name], ["rev-parse", "-q", "--verify", name + "@{1}"]):
                out[where, " ".join(args)] = run(git, at, args, 0)[:2]
        # Where a symref leads nowhere, Git leaves logs without entries.
        symrefs = run(git, at, ["for-each-ref", "--format=%(if)%(symref)%(then)%(refname)%(end)"], 0)[1].split()
        for name in sorted({*out.pop((where, "reflog list"))[1].split()} - {*symrefs}):
            entries = run(git, at, ["log", "-g", "--date=raw", "--format=%gD %H %gn %ge %gd %gs", name, "--"], 0)[:2]
            if entries[1]:
                out[where, "reflog of " + name] = entries
                out[where, "reflog exists " + name] = run(git, at, ["reflog", "exists", name], 0)[:2]
    out["fsck"] = run(git, top, ["fsck", "--no-dangling", "--connectivity-only"], 0)[:2]
    return out


def differences(title, a, b):
    lines = []
    for key in sorted({*a, *b}, key=str):
        one, other = a.get(key, (-1, "")), b.get(key, (-1, ""))
        if one != other:
            x, y = one[1].split("\n"), other[1].split("\n")
            lines.append("%s: %s: exit codes %s %s" % (title, key, one[0], other[0]))
            lines += ["  - " + line for line in x if line not in y][:6] + ["  + " + line for line in y if line not in x][:6]
            if sorted(x) == sorted(y):
                lines.append("  (the order)")
    return lines


def make(top, algo):
    """A repository with commits and tags; returns their ids."""
    must(PEER, ".", "init", "-q", "-b", "main", "--ref-format=reftable", "--object-format=" + algo, top)
    for key, value in (("core.logAllRefUpdates", "true"), ("reftable.blockSize", "1024")):
        must(PEER, top, "config", key, value)
    tree = must(PEER, top, "write-tree").strip()
    ids, tags = [], []
    for n in range(COMMITS):
        ids.append(must(PEER, top, "commit-tree", tree, "-m", "commit %d" % n, *sum((["-p", i] for i in ids[-1:]), [])).strip())
    for n in range(4):
        text = "object %s\ntype commit\ntag t%d\ntagger T <t@x> 1700000000 +0000\n\nt\n" % (ids[n], n)
        tags.append(must(PEER, top, "mktag", stdin=text.encode()).strip())
    must(PEER, top, "update-ref", "refs/heads/main", ids[0])
    must(PEER, top, "worktree", "add", "-q", "--detach", "wt", ids[1])
    return ids, tags


def normalized(lines):
    """A branch that gets another name, or is copied: Git's tables have a line without a new value, or an old one."""
    for line in lines:
        if "\tBranch: renamed" in line or "\tBranch: copied" in line:
            old, new, rest = line.split(" ", 2)
            if not new.strip("0"):
                continue
            line = "%s %s %s" % (new, new, rest)
        yield line


def logs_as_files(top, copy):
    """The reflogs of the main worktree, as PEER_GIT writes them to files."""
    shutil.copytree(top, copy, symlinks=True)
    shutil.rmtree(os.path.join(copy, ".git", "worktrees"))
    must(PEER, copy, "refs", "migrate", "--ref-format=files")
    found = {}
    for base, _, files in os.walk(os.path.join(copy, ".git", "logs")):
        for name in files:
            path = os.path.join(base, name)
            with open(path, encoding="latin-1") as f:
                found[os.path.relpath(path, copy)] = 0, "".join(normalized(f))
    return found


def removed_by(args, stdin):
    """The refs that a step removes, if it does not fail."""
    if args[0] == "update-ref" and "-d" in args or args[:2] == ["symbolic-ref", "-d"]:
        return [a for a in args if a.startswith("refs/")]
    if args[0] == "branch":
        return ["refs/heads/" + a for a in args[1:] if not a.startswith("-")]
    if args[:2] == ["tag", "-d"]:
        return ["refs/tags/" + args[2]]
    return [w[7:].decode() for w in (stdin or b"").split(b"\0") if w.startswith(b"delete ")]


def drop_logs(repository, where, names, value):
    """Git's tables keep the log of a removed symbolic ref; ours, and Git with refs in files, do not.

    `reflog drop` finds no log without a ref: a ref of that name is made and removed.
    """
    at = os.path.join(repository, where)
    for name in names:
        if run(PEER, at, ["show-ref", "--exists", name], 0)[0] and not run(PEER, at, ["reflog", "exists", name], 0)[0]:
            run(PEER, at, ["update-ref", name, value], 0)
            run(PEER, at, ["update-ref", "-d", name], 0)


def compare(mixed, alone, names):
    reads = {(g, r): state(g, r, names) for g in (OURS, PEER) for r in (mixed, alone)}
    want = reads[PEER, alone]
    return sum((differences("%s reads what %s" % (who, what), reads[who, top], want) for who, top, what in
                ((OURS, alone, PEER + " wrote"), (PEER, mixed, "both wrote"), (OURS, mixed, "both wrote"))), [])


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    algo = sys.argv[3] if len(sys.argv) > 3 else "sha1"
    top = tempfile.mkdtemp(prefix="sluice-reftable-")
    mixed, alone = os.path.join(top, "mixed"), os.path.join(top, "alone")
    ids, tags = make(mixed, algo)
    make(alone, algo)
    history, wrong, failed, last = History(seed, ids, tags), [], 0, []
    for n in range(1, steps + 1):
        ours, where, args, stdin = history.step()
        # The log of a branch that is overwritten: Git's tables keep it under the one that comes.
        if args[0] == "branch" and args[1] in ("-m", "-M", "-c", "-C"):
            for r in (mixed, alone):
                run(PEER, r, ["update-ref", "--no-deref", "-d", "refs/heads/" + args[3]], n)
                drop_logs(r, ".", ["refs/heads/" + args[3]], ids[0])
        results = [run(OURS if ours and r == mixed else PEER, os.path.join(r, where), args, n, stdin) for r in (mixed, alone)]
        failed += results[1][0] != 0
        for r in (mixed, alone):
            drop_logs(r, where, removed_by(args, stdin), ids[0])
        last.append("%d %s %s %s%s" % (n, "ours" if ours else "peer", where, args, stdin or ""))
        if results[0] != results[1]:
            last.append("  - %s\n  + %s" % (results[0][1:], results[1][1:]))
        if results[0][:1] != results[1][:1]:
            wrong.append("exit codes %d %d: %s\n  - %s\n  + %s" % (results[0][0], results[1][0], last[-1], results[0][2], results[1][2]))
        elif os.environ.get("WORDS") and ours and results[0] != results[1]:
            print("words: %s\n  - %s\n  + %s" % (args, results[0][1:], results[1][1:]))
        if not wrong and (n % int(os.environ.get("EVERY", EVERY)) == 0 or n == steps):
            wrong = compare(mixed, alone, [ids[0]] + [History(n, ids, tags).name() for n in range(n, n + 5)])
            if not wrong:
                last = []
        if wrong:
            break
    if not wrong:
        wrong = differences("reflogs", *(logs_as_files(r, r + "-files") for r in (mixed, alone)))
    if wrong:
        print("seed %d, %s, step %d of %d\n%s" % (seed, algo, n, steps, "\n".join(wrong[:30])))
        print("steps since the last comparison:\n" + "\n".join(last[-60:]) if os.environ.get("KEEP") else "")
    else:
        print("seed %d, %s: %d steps, %d of them refused, equal" % (seed, algo, steps, failed))
    if os.environ.get("KEEP"):
        print(top)
    else:
        shutil.rmtree(top, ignore_errors=True)
    sys.exit(bool(wrong))


main()
