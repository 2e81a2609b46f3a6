#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random files with working-tree-encoding (and ends of lines): what two implementations add, check out and say, byte for byte.

usage: encodings.py GIT OTHER-GIT [ROUNDS [SEED]]

A round is one file: hashed by both, then the blobs that one implementation made are checked out by both. Prints what differs;
exit code 1 if anything does. A difference that is meant to be, and is not counted: text in ISO-2022-JP that ends in Japanese
gets its last shift back to ASCII when it is checked out; 2.55 leaves it out, so the file is not as it was.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ENCODINGS = ["UTF-16", "UTF-16LE", "UTF-16BE", "UTF-16LE-BOM", "UTF-32", "UTF-32LE", "UTF-32BE", "utf-16", "utf16", "UTF-16BE-BOM", "SHIFT-JIS", "ISO-8859-1",
             "windows-1252", "EUC-KR", "UTF-8", "utf8", "ISO-2022-JP", "KOI8-R", "nonesuch", "EUC-JP", "GB18030", "Big5", "latin1", "ASCII"]
MORE = ["", "", "", " text eol=crlf", " text", " eol=lf", " -text", " text=auto", " ident"]
CODECS = {"UTF-16LE-BOM": "utf-16-le", "UTF-16BE-BOM": "utf-16-be", "nonesuch": "utf-8", "SHIFT-JIS": "shift_jis", "Big5": "big5"}
PIECES = ["a", "b", "\n", "\r\n", "\r", " ", "\u00e4", "\u20ac", "\u3042", "\u6f22", "\u0416", "\ud55c", "\U0001f600", "\x00", "\ufeff", "$Id$", "text", "\x1a", "\u00a5", "~", "\\",
          "\ufffe", "\u2028"]


def content(rng, encoding):
    text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(0, 12)))
    codec = CODECS.get(encoding, encoding)
    if rng.random() < 0.15:
        codec = rng.choice(["utf-8", "utf-16-le", "utf-16-be", "utf-16", "utf-32", "latin1"])
    data = text.encode(codec, "ignore")
    if rng.random() < 0.3:
        data = rng.choice([b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\0\0\xfe\xff", b"\xef\xbb\xbf"]) + data
    if rng.random() < 0.15:
        data += bytes(rng.randrange(256) for _ in range(rng.randrange(1, 4)))
    return data[:-1] if rng.random() < 0.05 else data


def ask(git, work, env, *args):
    done = subprocess.run([git, "-C", work, *args], env=env, capture_output=True)
    return done.returncode, done.stdout, done.stderr


def by_file(err):
    found, last = {}, None
    for line in err.splitlines():
        m = re.search(rb"f\d+\.e\d+\.\d+", line)
        last = m.group(0) if m else last
        found.setdefault(last, []).append(line)
    return found


def batch(gits, top, rng, first, nr, report):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CEILING_DIRECTORIES"}
    env.update({"HOME": top, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "GIT_TEST_FSYNC": "0"})
    files = {}
    for n in range(first, first + nr):
        e, m = rng.randrange(len(ENCODINGS)), rng.randrange(len(MORE))
        files["f%d.e%d.%d" % (n, e, m)] = content(rng, ENCODINGS[e])
    rules = "".join("*.e%d.%d working-tree-encoding=%s%s\n" % (e, m, name, more) for e, name in enumerate(ENCODINGS) for m, more in enumerate(MORE))
    crlf = rng.choice(["false", "false", "true", "input"])
    added, works = [], []
    for k, git in enumerate(gits):
        work = "%s/w%d" % (top, k)
        works.append(work)
        ask(git, top, env, "init", "-q", work)
        for key, value in (("core.autocrlf", crlf), ("core.fsync", "none"), ("core.safecrlf", "false")):
            ask(git, work, env, "config", key, value)
        with open(work + "/.gitattributes", "w") as f:
            f.write(rules)
        for name, data in files.items():
            with open(work + "/" + name, "wb") as f:
                f.write(data)
        found = {}
        for name in files:
            code, out, err = ask(git, work, env, "hash-object", "-w", name)
            found[name] = code, out, err
        added.append(found)
    for name, data in files.items():
        a, b = [x[name] for x in added]
        if a != b:
            report(name, "add", data, crlf, a, b)
    info = "".join("100644 %s\t%s\n" % (x[1].decode().strip(), name) for name, x in added[1].items() if x[1])
    subprocess.run([gits[1], "-C", works[1], "update-index", "--index-info"], input=info.encode(), env=env, check=True)
    shutil.rmtree(works[0] + "/.git")
    shutil.copytree(works[1] + "/.git", works[0] + "/.git")
    out = []
    for git, work in zip(gits, works):
        for name in files:
            os.unlink(work + "/" + name)
        err = ask(git, work, env, "checkout-index", "-f", "-a")[2]
        out.append({name: (open(work + "/" + name, "rb").read() if os.path.exists(work + "/" + name) else None, by_file(err).get(name.encode())) for name in files})
    for name, data in files.items():
        ours, theirs = out[0][name], out[1][name]
        if "ISO-2022-JP" in ENCODINGS[int(name.split(".")[1][1:])] and ours[0] and ours[0].endswith(b"\x1b(B"):
            ours = ours[0] if theirs[0] == ours[0] else ours[0][:-3], ours[1]
        if ours != theirs:
            report(name, "checkout", data, crlf, out[0][name], out[1][name])
    for work in works:
        shutil.rmtree(work)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    bad, show = {}, int(os.environ.get("SHOW", "5"))

    def report(name, what, data, crlf, ours, theirs):
        bad.setdefault(what, set()).add(name)
        if len(bad[what]) <= show:
            e, m = [int(x.lstrip("e")) for x in name.split(".")[1:]]
            print("%s: %s%s, autocrlf=%s: %r\n  %r\n  %r" % (what, ENCODINGS[e], MORE[m], crlf, data, ours, theirs))

    with tempfile.TemporaryDirectory() as top:
        for first in range(0, rounds, 500):
            batch(gits, top, rng, first, min(500, rounds - first), report)
    print("%d of %d files differ: %s" % (len(set().union(*bad.values())), rounds, {k: len(v) for k, v in bad.items()}))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
