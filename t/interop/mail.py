#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random messages, mails and mailboxes by seed, read by two implementations: output, exit code and files are equal.

usage: OUR_GIT=… PEER_GIT=… mail.py [SEED [COUNT [KIND]]]

KIND: trailers, split. Prints what differs, with the input that makes it; exit code 1 if anything does.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

OURS, PEER = [os.environ["OUR_GIT"]], os.environ["PEER_GIT"].split()
ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C", "GIT_TEST_FSYNC": "0",
       "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com", "GIT_COMMITTER_DATE": "1700000000 +0000",
       "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_AUTHOR_DATE": "1700000000 +0000", "TZ": "UTC"}


def run(git, args, cwd, stdin=b""):
    return subprocess.run(git + args, cwd=cwd, env=ENV, input=stdin, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)


def files_of(path):
    out = {}
    for top, _, names in os.walk(path):
        for name in names:
            full = os.path.join(top, name)
            with open(full, "rb") as f:
                out[os.path.relpath(full, path)] = f.read()
    return out


def commit_text(rng):
    """The message of a commit, perhaps with trailers, comments, a divider and a patch."""
    keys = ["Acked-by", "Signed-off-by", "Bug", "bug", "Fixes", "Reviewed-by", "x", "Cc", "not a key", "k1-2", "(cherry picked from commit"]
    lines = ["subject"] if rng.random() < 0.9 else []
    for _ in range(rng.randrange(4)):
        lines.append("")
        for _ in range(rng.randrange(4)):
            key = rng.choice(keys)
            lines.append(rng.choice(["text", "%s: v%d" % (key, rng.randrange(3)), "%s: v%d" % (key, rng.randrange(3)), key + ":", key + " : x ",
                                     "%s=%d" % (key, rng.randrange(3)), " continued", "\tmore", "# comment", "%s#7" % key, key + "# 8",
                                     "Signed-off-by: A <a@example.com>", "(cherry picked from commit 1234)", "  ", "", ": empty", "-- "]))
    if rng.random() < 0.3:
        lines += [rng.choice(["---", "--- ", "---x", "--- a/x"]), " a | 1 +", "diff --git a/a b/a", "Acked-by: z"]
    if rng.random() < 0.1:
        lines += ["# ------------------------ >8 ------------------------", "# more", "Cc: n"]
    if rng.random() < 0.1:
        lines += ["", "Conflicts:", "\ta", "\tb"]
    return "\n".join(lines).encode() + b"\n" * rng.randrange(3)


def trailer_config(rng):
    out = []
    for alias, key in (("ack", "Acked-by"), ("bug", "Bug #"), ("fix", "Fixes= "), ("s", "Signed-off-by: "), ("x", None)):
        if rng.random() < 0.7:
            continue
        if key:
            out += ["trailer.%s.key=%s" % (alias, key)]
        if rng.random() < 0.3:
            out.append("trailer.%s.where=%s" % (alias, rng.choice(["end", "after", "before", "START"])))
        if rng.random() < 0.3:
            out.append("trailer.%s.ifexists=%s" % (alias, rng.choice(["add", "replace", "addIfDifferent", "doNothing", "addIfDifferentNeighbor"])))
        if rng.random() < 0.2:
            out.append("trailer.%s.ifmissing=%s" % (alias, rng.choice(["add", "doNothing"])))
        if rng.random() < 0.2:
            out.append("trailer.%s.%s=%s" % (alias, rng.choice(["cmd", "command"]), rng.choice(["echo $1-$ARG-$ARG", "echo $#", "printf ' a\\n'"])))
    if rng.random() < 0.2:
        out.append("trailer.separators=%s" % rng.choice([":=#", "=", "#:", "%"]))
    if rng.random() < 0.1:
        out.append("trailer.where=" + rng.choice(["before", "start"]))
    if rng.random() < 0.1:
        out.append("trailer.ifexists=" + rng.choice(["add", "replace", "doNothing"]))
    if rng.random() < 0.1:
        out.append("core.commentChar=;")
    return [a for c in out for a in ("-c", c)]


def trailer_args(rng):
    out = []
    for _ in range(rng.randrange(4)):
        out.append(rng.choice(["--trailer=%s%s%s" % (rng.choice(["ack", "Acked-by", "bug", "Bug", "fix", "s", "Signed-off-by", "x", "new", ""]),
                                                     rng.choice([":", "=", ": ", " : ", "#", ""]), rng.choice(["", "v0", "v1", "v2 ", "A <a@example.com>"]))] * 6 +
                              ["--where=" + rng.choice(["end", "start", "after", "before", "x"]), "--no-where", "--no-trailer", "--no-if-exists",
                               "--if-exists=" + rng.choice(["add", "replace", "addIfDifferent", "doNothing", "addIfDifferentNeighbor"]),
                               "--if-missing=doNothing"]))
    for option in ("--trim-empty", "--only-trailers", "--unfold", "--no-divider", "--only-input", "--parse"):
        if rng.random() < 0.12:
            out.append(option)
    return out


def trailers(rng, _top):
    return trailer_config(rng) + ["interpret-trailers"] + trailer_args(rng), commit_text(rng)


def mailbox(rng):
    out = b""
    for _ in range(rng.randrange(6)):
        out += rng.choice([b"From a@b Mon Sep 17 00:00:00 2001", b"From 1234 Mon Sep 17 00:00:00 2001", b"From x 1:22 3001", b"From x y 10:11:12 85",
                           b"From x z 10:11:1 1992", b"From x yy 1a:11:12 1992 +01:00", b"From x x10:11:12 1992 MET", b"From x 10:11:12  91",
                           b"From MAILER@x Thu Jan  1 10:11:12 190", b"From:", b" ", b"", b"From x 99:99:99 9 99 1991", b">From x"])
        out += rng.choice([b"\n", b"\n", b"\n", b"\r\n"])
        for _ in range(rng.randrange(6)):
            out += rng.choice([b"", b"Subject: x", b">From x", b">>From ", b">From", b"From ", b"body\r", b"a\0b", b"\xe4", b"\r", b"x" * 3000])
            out += rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\n\n"])
    return out if rng.random() < 0.8 else out.rstrip()


def split(rng, _top):
    args = ["mailsplit", "-o" + rng.choice([".", ".", ".", "nowhere"])]
    for option in ("-b", "--keep-cr", "--mboxrd", "-f%d" % rng.randrange(20), "-d%d" % rng.randrange(2, 11), "--x", "-fx"):
        if rng.random() < 0.2:
            args.append(option)
    return args, mailbox(rng)


def mailboxes(rng, _top):
    files = {}
    for name in ("m1", "m2", "d/cur/10.a", "d/cur/9.b", "d/new/x2y", "d/new/x10y", "d/cur/.hidden", "d/tmp/1"):
        if rng.random() < 0.6:
            files[name] = mailbox(rng)
    return ["mailsplit", "-oo"] + rng.choice([[], ["-b"]]) + ["--"] + rng.sample(["m1", "m2", "d", "-"], rng.randrange(4)), mailbox(rng), {**files, "o/x": b""}


KINDS = {"trailers": trailers, "split": split, "mailboxes": mailboxes}


def turn(kind, seed, number):
    """Returns the texts that differ."""
    rng = random.Random("%s %s %d" % (seed, kind, number))
    top = tempfile.mkdtemp()
    try:
        places = [os.path.join(top, n) for n in ("ours", "peer")]
        args, stdin, *files = KINDS[kind](rng, top)
        results = []
        for git, place in zip((OURS, PEER), places):
            os.mkdir(place)
            for name, data in (files[0] if files else {}).items():
                os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
                with open(os.path.join(place, name), "wb") as f:
                    f.write(data)
            p = run(git, args, place, stdin)
            # Errors are equal as far as there are some: the words of usages may differ.
            results.append((p.returncode, p.stdout if p.returncode != 129 else b"", p.stderr if p.returncode == 0 else b"", files_of(place)))
        if results[0] == results[1]:
            return []
        return ["%s %d: git %s" % (kind, number, args), "input: %r" % stdin, "ours: %r" % (results[0],), "peer: %r" % (results[1],)]
    finally:
        shutil.rmtree(top)


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    kinds = sys.argv[3:] or sorted(KINDS)
    bad = 0
    for kind in kinds:
        for number in range(count):
            lines = turn(kind, seed, number)
            if lines:
                bad += 1
                print("\n".join(lines))
    print("mail.py: %d of each of %s, seed %s: %d differ" % (count, ", ".join(kinds), seed, bad))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
