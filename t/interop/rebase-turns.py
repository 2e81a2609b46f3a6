#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random rebases in which two programs take turns at each stop, beside the same rebase by one of them alone.

    t/interop/rebase-turns.py [--apply] OURS PEER DIR [COUNT [FIRST-SEED]]

Exit code, output, HEAD, branches, reflogs, index, files and what is left in the repository must be equal after each stop.
Git 2.55 leaves AUTO_MERGE, REBASE_HEAD and message-squash behind in places where we do not, and an empty current-fixups
where the only fixup of a chain brought nothing; these are not compared, nor are rewritten-list and rewritten-pending after
--skip: there they also have the commit that was skipped. A label that is set twice may be in refs-to-delete once.

--apply: of `git rebase --apply`, without a list. Not compared are the mails, of which we write only the line that names the
commit, and patch-merge-index, which we do not write.
"""
import os
import random
import shutil
import subprocess
import sys

APPLY = "--apply" in sys.argv
if APPLY:
    sys.argv.remove("--apply")
ENV = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x",
       "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_EDITOR": ":",
       "PATH": os.environ["PATH"], "GIT_TEST_FSYNC": "0", "LC_ALL": "C",
       "GIT_CEILING_DIRECTORIES": os.path.abspath(sys.argv[3])}
NOT_COMPARED = ["author-script"] if not APPLY else ["patch-merge-index"] + ["%04d" % i for i in range(20)]
OPTIONS = [["--signoff"], ["--update-refs"], ["--empty=keep"], ["-f"]] if not APPLY else [
    ["--signoff"], ["-f"], ["-q"], ["-v"], ["-C1"], ["--whitespace=fix"], ["--ignore-whitespace"], ["--onto", "low"],
    ["--committer-date-is-author-date"], ["--rerere-autoupdate"], ["--keep-base"], ["--autostash"]]
COMMANDS = ["pick"] * 6 + ["squash", "fixup", "fixup -C", "reword", "edit", "drop"]


def call(repo, program, *args, **env):
    p = subprocess.run([program, *args], cwd=repo, env={**ENV, "HOME": repo, **env}, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, check=False)
    return p.returncode, p.stdout.decode("utf-8", "replace")


def make_repo(rng, program, repo):
    def commit(subject):
        call(repo, program, "add", "-A")
        call(repo, program, "commit", "-q", "--allow-empty", "-m", subject)

    def change():
        name = rng.choice("abc")
        path = os.path.join(repo, name)
        lines = open(path).read().split("\n") if os.path.exists(path) else []
        lines = lines or [str(i) for i in range(12)]
        for _ in range(rng.randint(0, 2)):
            lines[rng.randrange(len(lines))] = str(rng.randint(0, 99))
        if rng.random() < 0.1:
            if os.path.exists(path):
                os.unlink(path)
            return
        with open(path, "w") as f:
            f.write("\n".join(lines))

    os.makedirs(repo)
    call(repo, program, "init", "-q", "-b", "main")
    for name in "abc":
        with open(os.path.join(repo, name), "w") as f:
            f.write("\n".join(str(i) for i in range(12)))
    commit("base")
    call(repo, program, "checkout", "-q", "-b", "topic")
    for i in range(rng.randint(2, 6)):
        change()
        commit(rng.choice(["t%d", "t%d", "t%d\n\nbody of %d", "fixup! t%d", "squash! t%d\n\nmore %d", "amend! t%d\n\nt%d anew"])
               .replace("%d", str(rng.randrange(i + 1))))
    call(repo, program, "branch", "low", "topic~1")
    call(repo, program, "checkout", "-q", "main")
    for i in range(rng.randint(1, 2)):
        change()
        commit("m%d" % i)
    call(repo, program, "checkout", "-q", "topic")


def make_list(rng, program, repo):
    _, out = call(repo, program, "log", "--reverse", "--format=%h %s", "main..topic")
    lines = out.splitlines()
    if rng.random() < 0.3:
        rng.shuffle(lines)
    todo = []
    for i, line in enumerate(lines):
        todo.append("%s %s" % (rng.choice(COMMANDS) if i else rng.choice(["pick", "edit", "reword"]), line))
        if rng.random() < 0.15:
            todo.append(rng.choice(["break", "exec true", "exec false", "label x", "update-ref refs/heads/low"]))
    return "\n".join(todo) + "\n"


def state(program, repo, skipped):
    parts = []
    for args in (["for-each-ref"], ["ls-files", "-s"], ["status", "--porcelain"], ["symbolic-ref", "-q", "HEAD"]):
        parts.append(" ".join(args) + "\n" + call(repo, program, *args)[1])
    top = os.path.join(repo, ".git")
    for d in ("logs", "rebase-merge", "rebase-apply"):
        for base, _, files in sorted(os.walk(os.path.join(top, d))):
            for f in sorted(files):
                path = os.path.join(top, "rebase-merge", "current-fixups")
                chain = os.path.exists(path) and os.path.getsize(path)
                if (f in ("rewritten-list", "rewritten-pending") and skipped) or (f == "current-fixups" and not chain):
                    continue
                if f not in NOT_COMPARED and (chain or f not in ("message-squash", "message-fixup")):
                    text = open(os.path.join(base, f), errors="replace").read()
                    if f == "refs-to-delete":
                        text = "\n".join(dict.fromkeys(text.split("\n")))
                    parts.append("%s\n%s" % (os.path.relpath(os.path.join(base, f), top), text.rstrip("\n")))
    for f in sorted(os.listdir(repo)):
        if f != ".git" and os.path.isfile(os.path.join(repo, f)):
            parts.append(f + "\n" + open(os.path.join(repo, f), errors="replace").read())
    return "\n== ".join(parts)


def said(out):
    """The lines of both streams, in no order, since one of them may be buffered."""
    return "\n".join(sorted(out.replace("\r\x1b[K", "\n").replace("\r", "\n").split("\n")))


def rebase(seed, programs, peer, repo, todo):
    """The states after each stop. programs: who takes which turn."""
    rng = random.Random(seed)
    options = [o for o in OPTIONS if rng.random() < 0.2]
    if ["--keep-base"] in options and ["--onto", "low"] in options:
        options.remove(["--keep-base"])
    if ["--autostash"] in options:
        with open(os.path.join(repo, rng.choice("abc")), "a") as f:
            f.write("local\n")
    args = ["rebase", "--apply" if APPLY else "-i", *[w for o in options for w in o], "main"]
    states, skipped = [], False
    for turn in range(30):
        program = programs[turn % len(programs)]
        code, out = call(repo, program, *args, GIT_SEQUENCE_EDITOR="cp '%s'" % todo)
        skipped = skipped or args[-1] == "--skip"
        states.append("%s: %d\n%s\n== " % (" ".join(args), code, said(out)) + state(peer, repo, skipped))
        if not os.path.isdir(os.path.join(repo, ".git", "rebase-apply" if APPLY else "rebase-merge")):
            break
        args = ["rebase", rng.choice(["--continue"] * 5 + ["--skip", "--abort"])]
        if APPLY and rng.random() < 0.05:
            args = ["rebase", "--quit"]
        if args[1] == "--continue":
            for path in call(repo, peer, "diff", "--name-only", "--diff-filter=U")[1].split():
                if call(repo, peer, "checkout", rng.choice(["--ours", "--theirs"]), "--", path)[0]:
                    call(repo, peer, "rm", "-q", "-f", "--", path)
            call(repo, peer, "add", "-A")
    return states


def main():
    ours, peer, top = [os.path.abspath(a) for a in sys.argv[1:4]]
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    seeds = range(first, first + (int(sys.argv[4]) if len(sys.argv) > 4 else 100))
    bad = 0
    for seed in seeds:
        rng = random.Random(seed)
        dirs = [os.path.join(top, n, "r") for n in ("peer", "turns")]
        for d in ("peer", "turns"):
            shutil.rmtree(os.path.join(top, d), ignore_errors=True)
        make_repo(rng, peer, dirs[0])
        todo = os.path.join(top, "todo")
        with open(todo, "w") as f:
            f.write(make_list(rng, peer, dirs[0]))
        shutil.copytree(dirs[0], dirs[1], symlinks=True)
        turns = [[ours], [ours, peer], [peer, ours]][seed % 3]
        want = rebase(seed, [peer], peer, dirs[0], todo)
        got = rebase(seed, turns, peer, dirs[1], todo)
        for i, (w, g) in enumerate(zip(want, got)):
            if w != g:
                bad += 1
                print("seed %d, stop %d differs" % (seed, i))
                for name, text in (("want", w), ("got", g)):
                    with open(os.path.join(top, "%s.%d" % (name, seed)), "w") as f:
                        f.write(text)
                break
    print("%d rebases, %d differ" % (len(seeds), bad))
    return bad > 0


sys.exit(main())
