#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random commits as mails: what --pretty=email and mboxrd of two implementations print, byte for byte.

usage: email-format.py GIT OTHER-GIT [COMMITS [SEED]]

Prints what differs; exit code 1 if anything does.
"""
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import zlib

WORDS = ["a", "the", "subject", "x" * 30, "y" * 80, "wörd", "ä", "日本語", "日本語" * 9, "é" * 40, "=?", "?=", "=", "_", "?", "a=?b", "tab\t",
         "From ", ">From x", "From:", "[PATCH]", "(", ")", "<", ":", ";", "@", ",", ".", '"', "\\", "[", "~", "'", "#", "%s", "\x01", "\x1b",
         "\x7f", "\u00a0", "e\u0301", "\U0001f600", "-- ", "---", " ", "  ", "diff --git a/b b/b"]
BAD_BYTES = [b"\xff", b"\xe9", b"\xc3", b"\x80\x80", b"\xe3\x81"]
ENCODINGS = [None, None, None, None, "UTF-8", "ISO-8859-1", "latin1", "EUC-JP", "nonsense"]
FORMATS = ["email", "mboxrd"]
OPTIONS = ["-p", "--stat", "--raw", "--name-only", "--notes", "--graph", "--abbrev-commit", "--date=iso", "--decorate", "--parents", "-g",
           "-m", "-c", "--cc", "--first-parent", "--reverse", "-z", "--log-size", "--line-prefix=| ", "--expand-tabs=3", "--color", "-s",
           "--shortstat", "--summary", "--numstat", "--encoding=ISO-8859-1", "--encoding=EUC-JP", "--encoding=utf8", "--encoding=",
           "--boundary", "--left-right", "--source", "--no-notes", "--patch-with-stat", "--dirstat", "--check", "--use-mailmap",
           "--full-history", "--simplify-merges", "--children"]
SETTINGS = ["format.subjectPrefix=", "format.subjectPrefix=RFC PATCH", "format.subjectPrefix=" + "p" * 90, "format.subjectPrefix=é",
            "format.encodeEmailHeaders=false", "format.from=true", "format.headers=X: y", "log.date=iso", "i18n.logOutputEncoding=ISO-8859-1",
            "i18n.commitEncoding=EUC-JP", "log.abbrevCommit=true", "format.notes=true", "log.showSignature=false"]


class Repository:
    """Objects are written here, so that commits can hold anything."""

    def __init__(self, path, git):
        self.path = path
        subprocess.run([git, "init", "-q", "-b", "main", path], check=True)

    def write(self, kind, data):
        raw = b"%s %d\0" % (kind, len(data)) + data
        oid = hashlib.sha1(raw).hexdigest()
        name = os.path.join(self.path, ".git/objects", oid[:2], oid[2:])
        os.makedirs(os.path.dirname(name), exist_ok=True)
        if not os.path.exists(name):
            with open(name, "wb") as f:
                f.write(zlib.compress(raw, 1))
        return oid

    def tree(self, files):
        return self.write(b"tree", b"".join(b"100644 %s\0" % n.encode() + bytes.fromhex(o) for n, o in sorted(files.items())))

    def set_ref(self, name, oid):
        path = os.path.join(self.path, ".git", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(oid + "\n")


def text(rng, most):
    out = b""
    for _ in range(rng.randrange(most)):
        out += rng.choice(BAD_BYTES) if rng.random() < 0.02 else rng.choice(WORDS).encode()
        out += rng.choice([b" ", b" ", b" ", b"", b"  "])
    return out


def message(rng):
    lines = [text(rng, rng.choice([2, 6, 30])) for _ in range(rng.randrange(1, 3))]
    if rng.random() < 0.7:
        lines += [b""] * rng.randrange(1, 3) + [text(rng, 8) for _ in range(rng.randrange(6))]
    if rng.random() < 0.1:
        lines.insert(0, b"")
    return b"\n".join(lines) + b"\n" * rng.randrange(3)


def ident(rng):
    if rng.random() < 0.03:
        return rng.choice([b"", b"x", b"x <y", b"x <y>", b"x <y> z"])
    name = text(rng, rng.choice([3, 6, 20])).strip().translate(None, b"<>\n")
    mail = rng.choice([b"a@x", b"", b"m" * 60 + b"@x", "ä@x".encode(), b"a b", b"x" * 90])
    return name + b" <" + mail + b"> %d %s" % (rng.choice([86400, 1234567890, 4102444800, rng.randrange(86400, 1 << 31)]),
                                             rng.choice([b"+0000", b"-0730", b"+0100", b"+1400", b"-0000"]))


def build(rng, path, git, count):
    r = Repository(path, git)
    commits, notes, files, log = [], {}, {}, []
    for n in range(count):
        files[rng.choice("abc")] = r.write(b"blob", b"".join(b"line %d\n" % rng.randrange(9) for _ in range(rng.randrange(9))))
        parents = commits[-1:]
        if len(commits) > 3 and rng.random() < 0.15:
            parents.append(rng.choice(commits[:-1]))
        head = ["tree " + r.tree(files)] + ["parent " + p for p in parents]
        encoding = rng.choice(ENCODINGS)
        body = "\n".join(head).encode() + b"\nauthor " + ident(rng) + b"\ncommitter C <c@x> %d +0000\n" % (1700000000 + n)
        body += (b"encoding %s\n" % encoding.encode() if encoding else b"") + b"\n" + message(rng)
        commits.append(r.write(b"commit", body))
        old = commits[-2] if n else "0" * 40
        log.append("%s %s C <c@x> %d +0000\tcommit: x\n" % (old, commits[-1], 1700000000 + n))
        if rng.random() < 0.3:
            notes[commits[-1]] = r.write(b"blob", message(rng))
    r.set_ref("refs/heads/main", commits[-1])
    if notes:
        note = b"tree %s\nauthor C <c@x> 1 +0000\ncommitter C <c@x> 1 +0000\n\nnotes\n" % r.tree(notes).encode()
        r.set_ref("refs/notes/commits", r.write(b"commit", note))
    for name in ["HEAD", "refs/heads/main"]:
        os.makedirs(os.path.dirname(os.path.join(path, ".git/logs", name)), exist_ok=True)
        with open(os.path.join(path, ".git/logs", name), "w") as f:
            f.writelines(log)


def command(rng):
    out = []
    for s in rng.sample(SETTINGS, rng.choice([0, 0, 1, 1, 2, 3])):
        out += ["-c", s]
    form = rng.choice(FORMATS)
    which = rng.choice(["log", "log", "log", "log", "show", "rev-list", "diff-tree"])
    options = rng.sample(OPTIONS, rng.choice([0, 0, 1, 2, 3]))
    if which == "show":
        options = [o for o in options if o != "-g"]
    if form == "mboxrd": # and it does not quote lines whose tabs it expands
        options = [o for o in options if not o.startswith("--expand")]
    if which == "rev-list":
        options = [o for o in options if o in ("--graph", "--abbrev-commit", "--parents", "--reverse", "--left-right", "--boundary", "--date=iso")]
    if which == "diff-tree":
        options = [o for o in options if o in ("-p", "--stat", "--raw", "-m", "-c", "--cc", "-s", "--patch-with-stat", "--notes")] + ["--root"]
    alone = ["-1"] + ([] if "-g" in options else ["HEAD~%d" % rng.randrange(9)])
    # Stock prints "---" above the notes of the first commit only, unless there are diffs (Documentation/Differences.adoc).
    if which == "log" and rng.random() < 0.2:
        return out + ["-c", "format.pretty=" + form, which] + options + alone
    if "--notes" in options:
        options += alone
    return out + [which, "--pretty=" + form] + options + (["HEAD"] if which in ("rev-list", "diff-tree") else [])


def run(git, path, args):
    env = {"PATH": os.environ["PATH"], "HOME": path, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
    p = subprocess.run([git] + args, cwd=path, env=env, capture_output=True)
    return p.returncode, p.stdout, p.stderr


def first_difference(a, b):
    lines = [x.split(b"\n") for x in (a, b)]
    n = next((i for i, (x, y) in enumerate(zip(*lines)) if x != y), min(len(lines[0]), len(lines[1])))
    return ["  %s" % b"\n    ".join(x[max(0, n - 3):n + 3]).decode("utf-8", "backslashreplace") for x in lines]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    per_repo, commands, bad = 25, 0, 0
    for n in range((count + per_repo - 1) // per_repo):
        rng = random.Random(seed * 1000003 + n)
        with tempfile.TemporaryDirectory() as top:
            path = os.path.join(top, "r")
            build(rng, path, gits[1], per_repo)
            for _ in range(20):
                args = command(rng)
                a, b = (run(g, path, args) for g in gits)
                commands += 1
                if a == b or (a[0] and a[0] == b[0]):
                    continue
                bad += 1
                print("repository %d: %s: exit %d, %d" % (n, " ".join(args), a[0], b[0]), a[2], b[2])
                print("\n".join(first_difference(a[1], b[1])))
    print("%d of %d commands over %d commits differ" % (bad, commands, count))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
