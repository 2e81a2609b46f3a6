#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sessions that choose hunks, by seed, with our git and with PEER_GIT, each in a copy of one working tree.

    PEER_GIT=/path/git OUR_GIT=/path/git t/interop/add-patch.py [SEED [ROUNDS]]

Each round has three sessions of add, commit, reset, checkout, restore and stash with -p, or of add -i, with keys typed by
chance. Compared after each: exit code, both streams, index, files, and the commit.
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
ENV = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C", GIT_AUTHOR_NAME="A",
           GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@x", GIT_TEST_FSYNC="0",
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000",
           GIT_CONFIG_COUNT="1", GIT_CONFIG_KEY_0="maintenance.auto", GIT_CONFIG_VALUE_0="false")
# What an editor does to a hunk: nothing, empties it, keeps an added line out, breaks it.
EDITORS = [":", "true", "sed -i '/^[-+]/d'", "sed -i 's/^-/ /'", "sed -i '0,/^+/{/^+/d}'", "sed -i 's/^+/+edited /'", "false",
           "echo junk >"]


def run(git, where, *args, data=b"", env=None):
    p = subprocess.run([git, *args], cwd=where, env=dict(ENV, **(env or {})), input=data, capture_output=True, timeout=60)
    return p.returncode, p.stdout.decode("latin-1"), p.stderr.decode("latin-1")


# ---- a working tree ---------------------------------------------------------

def lines(rng, count):
    return ["%s %d\n" % (rng.choice(["line", "word", "", "{", "}", "x"]), rng.randrange(30)) for _ in range(count)]


def changed(rng, text):
    """Some lines replaced, added and removed, in places that are near each other or not."""
    out = []
    rate = rng.choice([.03, .08, .3])
    for line in text:
        if rng.random() < rate:
            how = rng.randrange(4)
            out += [[], ["new %d\n" % rng.randrange(99)], [line, "more %d\n" % rng.randrange(99)], [line.rstrip("\n") + "  \n"]][how]
        else:
            out.append(line)
    if out and rng.random() < .15:
        out[-1] = out[-1].rstrip("\n")
    return out


def save(top, name, text):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as f:
        f.write("".join(text))


def edit(rng, top, files):
    for name, text in files.items():
        path = os.path.join(top, name)
        how = rng.random()
        if how < .55:
            save(top, name, changed(rng, text))
        elif how < .62 and os.path.exists(path):
            os.unlink(path)
        elif how < .70 and os.path.exists(path):
            os.chmod(path, 0o755)
        elif how < .74:
            save(top, name, [])
        elif how < .77:
            save(top, name, ["bin\0ary\n"] + changed(rng, text))


def make(rng, top):
    run(PEER, ".", "init", "-q", "-b", "main", top)
    files = {name: lines(rng, rng.choice([0, 1, 3, 20, 60])) for name in ["a", "b c", "d/e", "f\u00e9"][:rng.randrange(1, 5)]}
    for name, text in files.items():
        save(top, name, text)
    run(PEER, top, "add", "-A")
    run(PEER, top, "commit", "-q", "-m", "base")
    if rng.random() < .4: # something is staged already
        edit(rng, top, files)
        run(PEER, top, "add", "-A")
        if rng.random() < .5:
            run(PEER, top, "commit", "-q", "-m", "second")
    edit(rng, top, files)
    if rng.random() < .3:
        save(top, "untracked", lines(rng, 3))
        if rng.random() < .6:
            run(PEER, top, "add", "-N", "untracked")


# ---- a session --------------------------------------------------------------

def keys(rng):
    out = []
    for _ in range(rng.randrange(1, 25)):
        key = rng.choice(["y"] * 6 + ["n"] * 4 + ["s", "s", "e", "k", "j", "K", "J", "g", "g1", "g 2", "g99", "/", "/new", "/x 1", "/[",
                                                 "?", "", "p", "P", "a", "d", "z", "yy", "Y", "q", "\x1b[A", "r", "@", "\u00e9"])
        out.append(key)
        # Git's search finds the letters of the prompt, too (listed): none is searched for.
        if key == "/" or (key == "g" and rng.random() < .7):
            out.append(rng.choice(["1", "2", "new", ""]))
        if key == "e" and rng.random() < .5:
            out.append(rng.choice(["y", "n"]))
    return "".join(k + "\n" for k in out).encode("utf-8") + rng.choice([b"", b"", b"q\n", b"y"])


def menu_keys(rng):
    out = []
    for _ in range(rng.randrange(1, 8)):
        out.append(rng.choice(["s", "status", "1", "u", "2", "update", "r", "3", "a", "4", "p", "5", "d", "6", "h", "8", "", "x", "9", "?", "st"]))
        for _ in range(rng.randrange(3)):
            out.append(rng.choice(["1", "1-2", "*", "-1", "a", "", "", "2 1", "1,2", "?", "9", "d", "y", "n"]))
    return "".join(k + "\n" for k in out).encode()


def command(rng):
    """Arguments, and what is typed."""
    if rng.random() < .15:
        return ["add", "-i"], menu_keys(rng)
    args = rng.choice([["add", "-p"]] * 4 + [["commit", "-q", "-m", "chosen", "-p"], ["reset", "-q", "-p"], ["reset", "-p", "HEAD~1"],
                                            ["reset", "-p", "HEAD"], ["checkout", "-p"], ["checkout", "-p", "HEAD"], ["checkout", "-p", "HEAD~1"],
                                            ["restore", "-p"], ["restore", "-p", "--staged"], ["restore", "-p", "-s", "HEAD"],
                                            ["restore", "-p", "-s", "HEAD", "--staged", "--worktree"],
                                            ["stash", "push", "-p"], ["stash", "-p", "-k"], ["commit", "-m", "x", "--interactive"]])
    if "--interactive" in args:
        return args, menu_keys(rng)
    options = []
    if rng.random() < .25: # Git takes no hunk without context (listed)
        options.append("-U%d" % rng.randrange(1, 5))
    if rng.random() < .15:
        options.append("--inter-hunk-context=%d" % rng.randrange(9))
    if rng.random() < .1:
        options.append("--no-auto-advance")
    at = args.index("-p") + 1
    args = args[:at] + options + args[at:]
    if rng.random() < .2:
        args += ["--", rng.choice(["a", "d", "nothing", ":/"])]
    config = []
    for key, values in (("interactive.diffFilter", ["cat", "sed s/^/x/", "head -2"]), ("color.ui", ["always"]),
                        ("diff.algorithm", ["histogram", "patience"]), ("diff.context", ["1"]), ("diff.suppressBlankEmpty", ["true"])):
        if rng.random() < .06:
            config += ["-c", "%s=%s" % (key, rng.choice(values))]
    return config + args, keys(rng)


def settled(text, args):
    """
    Without the list of options, in which ours has no --no- forms; without colours of hints, and what Git says of edited
    lines that do not fit those before them, and of undecided hunks in a summary (listed). A stash: without Git's warnings of lines and modes that it brings back.
    """
    text = re.sub(r"(?:\x1b\[[0-9;]*m)?HUNKS SUMMARY - Hunks: (\d+), USE: (\d+), SKIP: (\d+)\n(?:\x1b\[m)?\n",
                  lambda m: m[0] if int(m[1]) == int(m[2]) + int(m[3]) else "", text)
    text = re.sub(r"(?m)^error: expected context line #\d+ in\n(?s:.*?)\n\n", "", text)
    text = re.sub(r"(?m)^\x1b\[33m(hint: .*)\x1b\[m$", r"\1", text)
    if "stash" in args:
        text = re.sub(r"<stdin>:\d+: .*\n.*\n|warning: .* whitespace errors?\.?\n|warning: .* has type \d+, expected \d+\n", "", text)
    return text.partition("usage: ")[0]


def state(top):
    shown = []
    for args in (("ls-files", "-s", "-v"), ("status", "--porcelain"), ("log", "--format=%H %s", "-3"), ("stash", "list", "--format=%gd %T"),
                 ("stash", "show", "-p")):
        shown.append(run(PEER, top, *args)[:2])
    for where, dirs, names in os.walk(top):
        if ".git" in dirs:
            dirs.remove(".git")
        for name in sorted(names):
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                shown.append((os.path.relpath(path, top), os.stat(path).st_mode & 0o111, f.read()))
    return shown


def has_binary(top):
    return any("-\t-\t" in run(PEER, top, *args)[1] for args in (("log", "--numstat"), ("diff", "--numstat"), ("diff", "--numstat", "HEAD")))


def spoils_binary(top):
    """Deletions of binary files and changes of their modes: Git offers them, and cannot apply them (listed)."""
    for args in ((), ("--cached",), ("HEAD",), ("HEAD~1",), ("-R", "HEAD"), ("-R", "--cached"), ("-R",)):
        out = run(PEER, top, "diff", "--no-renames", "--numstat", "--summary", *args)[1].splitlines()
        binary = [line[4:] for line in out if line.startswith("-\t-\t")]
        if any(line.startswith((" delete mode", " mode change")) and line.endswith(tuple(" " + name for name in binary)) for line in out):
            return True
    return False


def lacks_first_lines(typed, out, err):
    """The first part of a split hunk removes the first lines of a file: Git cannot apply it with the next one (listed)."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    return b"s\n" in typed and "patch does not apply" in err and re.search(r"@@ -1,\d+ \+1(,\d+)? @@.*\n-.*\n([- ].*\n)*\(1/", plain)


def session(seed, top):
    rng = random.Random(seed)
    first = os.path.join(top, "ours")
    make(rng, first)
    shutil.copytree(first, os.path.join(top, "peer"), symlinks=True)
    for nr in range(3):
        args, typed = command(rng)
        if "--no-auto-advance" in args and has_binary(first):
            args.remove("--no-auto-advance") # Git loses its way there (listed)
        if "--interactive" in args and run(PEER, first, "diff", "--cached", "--no-renames", "--diff-filter=D", "--name-only")[1]:
            args = ["add", "-i"] # Git lists no deletion that looks like a rename there (listed)
        env = {"GIT_EDITOR": rng.choice(EDITORS)}
        if spoils_binary(first):
            return True
        got = []
        for name, git in (("ours", OURS), ("peer", PEER)):
            where = os.path.join(top, name)
            run(PEER, where, "update-index", "-q", "--refresh")
            code, out, err = run(git, where, *args, data=typed, env=env)
            got.append((code, settled(out, args), settled(err, args).replace(where, "TOP"), state(where)))
        if got[0] != got[1] and lacks_first_lines(typed, *got[1][1:3]):
            return True
        if got[0] != got[1]:
            print("seed %d, session %d: %s, editor %s, keys %r" % (seed, nr, " ".join(args), env["GIT_EDITOR"], typed))
            for what, ours, peer in zip(("exit code", "output", "errors", "state"), *got):
                if ours != peer:
                    tell(what, ours, peer)
            return False
    return True


def tell(what, ours, peer):
    if "VERBOSE" in os.environ and isinstance(ours, str):
        import difflib
        print("\n".join(difflib.unified_diff(peer.split("\n"), ours.split("\n"), "peer " + what, "our " + what, lineterm="", n=4)))
    else:
        print("  %s: ours %.300r" % (what, ours))
        print("  %s: peer %.300r" % (what, peer))


sys.exit(rounds.by_seed(session, "KEEP" in os.environ))
