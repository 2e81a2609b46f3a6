#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random histories by seed, exported by two implementations with random options, and imported again by both.

usage: OUR_GIT=… PEER_GIT=… fast-export.py [SEED [COUNT]]

Equal: the streams, warnings, exit codes and marks files of six exports of each history; the refs that both make of such a
stream. KEEP=1 keeps the repositories.
"""
import os
import random
import re
import subprocess
import sys

import rounds

OURS, PEER = os.environ["OUR_GIT"], os.environ["PEER_GIT"]
ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C", "GIT_TEST_FSYNC": "0", "TZ": "UTC"}
PATHS = [b"a", b"b", b"dir/c", b"dir/sub/d", b"dir/sub/e", b"dir", b"dir/sub", b"sp ace", b"\"q", b"tab\t", b"\xc3\xa9", b"other/f", b"a/x"]
PEOPLE = [b"A <a@x> 100 +0000", b"B B <b@x> 200 -0130", b"C <c@x> 300 +1400", b"<d@x> 400 +0000", b"A <a@x> 500 +0000"]
SIGNATURES = [(b"openpgp", b"-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----"), (b"ssh", b"-----BEGIN SSH SIGNATURE-----\nxyz"),
              (b"x509", b"-----BEGIN SIGNED MESSAGE-----\n1\n2"), (b"unknown", b"who knows")]
BRANCHES = ["main", "side", "topic"]


def run(git, args, cwd, stdin=b""):
    return subprocess.run([git] + args, cwd=cwd, env=ENV, input=stdin, timeout=60, capture_output=True, check=False)


def quoted(path):
    special = {0x22: b"\\\"", 0x5c: b"\\\\", 0x09: b"\\t"}
    return b'"' + b"".join(special.get(c, bytes([c])) for c in path) + b'"'


def data(text):
    return b"data %d\n%s\n" % (len(text), text)


class History:
    """A stream for fast-import."""

    def __init__(self, rng):
        self.rng, self.out, self.mark = rng, [], 0
        self.tips = {}
        self.texts = [b"".join(b"line %d\n" % rng.randrange(90) for _ in range(rng.randrange(12))) for _ in range(6)] + [b"", b"no end", b"\0\n"]
        for _ in range(rng.randrange(2, 14)):
            self.commit()
        self.tags()

    def text(self):
        rng = self.rng
        lines = rng.choice(self.texts).split(b"\n")
        if rng.random() < 0.6:
            lines[rng.randrange(len(lines))] = b"changed %d" % rng.randrange(50)
            self.texts.append(b"\n".join(lines))
        return b"\n".join(lines)

    def entry(self):
        rng = self.rng
        mode = rng.choice([b"100644"] * 5 + [b"100755", b"120000", b"160000"])
        if mode == b"160000":
            return mode, b"%040x" % rng.randrange(1, 5)
        return mode, self.text()

    def changes(self, files):
        rng = self.rng
        for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5])):
            path = rng.choice(PATHS)
            if files and rng.random() < 0.35:
                old = rng.choice(sorted(files))
                entry = files[old]
                if entry[0] != b"160000" and rng.random() < 0.4:
                    entry = entry[0], entry[1] + b"more\n"
                if rng.random() < 0.6:
                    del files[old]
                self.put(files, path, entry)
            elif files and rng.random() < 0.25:
                del files[rng.choice(sorted(files))]
            else:
                self.put(files, path, self.entry())

    @staticmethod
    def put(files, path, entry):
        for other in list(files):
            if other.startswith(path + b"/") or path.startswith(other + b"/"):
                del files[other]
        files[path] = entry

    def message(self):
        rng = self.rng
        return rng.choice([b"subject %d\n\nbody\n" % rng.randrange(9), b"one", b"", b"\n\nx\n", b"subject\n\ngr\xc3\xbcn\n"])

    def commit(self):
        rng = self.rng
        branch = rng.choice(BRANCHES)
        old = self.tips.get(branch)
        if old is None and self.tips and rng.random() < 0.8:
            old = self.tips[rng.choice(sorted(self.tips))]
        files = dict(old[1]) if old else {}
        self.changes(files)
        self.mark += 1
        head = [b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), self.mark)]
        head.append(b"author %s\ncommitter %s\n" % (rng.choice(PEOPLE), rng.choice(PEOPLE).replace(b"00 ", b"%02d " % self.mark)))
        if rng.random() < 0.15:
            form, sig = rng.choice(SIGNATURES)
            head.append(b"gpgsig %s %s\n" % (rng.choice([b"sha1", b"sha256"]), form) + data(sig))
        text = self.message()
        if rng.random() < 0.15:
            encoding = rng.choice([b"ISO-8859-1", b"UTF-8", b"nonsense", b"latin1"])
            text = text.replace(b"\xc3\xbc", rng.choice([b"\xfc", b"\xc3\xbc"]))
            head.append(b"encoding %s\n" % encoding)
        head.append(data(text))
        if old:
            head.append(b"from :%d\n" % old[0])
        others = [t for t in self.tips.values() if old and t[0] != old[0]]
        for other in rng.sample(others, rng.choice([0, 0, 1, 1, 2]) if len(others) > 1 else min(len(others), rng.randrange(2))):
            head.append(b"merge :%d\n" % other[0])
        head.append(b"deleteall\n")
        for path in sorted(files):
            mode, content = files[path]
            head.append(b"M %s %s %s\n" % (mode, content if mode == b"160000" else b"inline", quoted(path)))
            if mode != b"160000":
                head.append(data(content))
        self.out += head
        self.tips[branch] = self.mark, files

    def tags(self):
        rng = self.rng
        nr = self.mark
        self.out.append(b"blob\nmark :900\n" + data(b"tagged"))
        named = []
        for name in [b"v1", b"v2", b"signed", b"bare", b"nested", b"blob"]:
            if rng.random() < (0.7 if name in (b"v1", b"v2") else 0.3):
                self.mark += 1
                target = b":900" if name == b"blob" else b":%d" % (rng.choice(named) if name == b"nested" and named else rng.randrange(1, nr + 1))
                text = self.message()
                if name == b"signed" or name == b"nested" and rng.random() < 0.2:
                    text = b"about\n" + rng.choice(SIGNATURES[:3])[1] + b"\n"
                tagger = b"" if name == b"bare" else b"tagger %s\n" % rng.choice(PEOPLE)
                self.out.append(b"tag %s\nmark :%d\nfrom %s\n%s%s" % (name, self.mark + 1000, target, tagger, data(text)))
                named.append(self.mark + 1000)
        for name in [b"refs/tags/light", b"refs/heads/same", b"refs/heads/x/y", b"refs/notes/n", b"refs/tags/v3"]:
            if rng.random() < 0.4:
                self.out.append(b"reset %s\nfrom :%d\n\n" % (name, rng.choice([t[0] for t in self.tips.values()] + [rng.randrange(1, nr + 1)])))

    def stream(self):
        return b"".join(self.out)


def revisions(rng, refs, has_paths):
    # With paths, stock Git has other words for a revision that is not there.
    one = lambda: rng.choice(refs) + ("" if has_paths else rng.choice(["", "", "", "~1", "^2", "~2"]))
    return rng.choice([["--all"], ["--all"], ["--all"], ["--branches"], ["--tags"], [one()], [one(), one()], [one() + ".." + one()], [one(), "^" + one()],
                       [one() + "..." + one()], ["--all", "--not", one()], ["HEAD"], ["refs/heads/main", "HEAD"]])


def options(rng):
    out = []
    for o in rng.sample(["--progress=3", "--mark-tags", "--fake-missing-tagger", "--use-done-feature", "--no-data", "--full-tree", "--anonymize",
                         "--reference-excluded-parents", "--show-original-ids", "-M", "-C", "-M90%", "--find-copies-harder", "-B", "--first-parent",
                         "--refspec=refs/heads/*:refs/heads/to/*", "--refspec=:refs/heads/gone", "--date-order", "--no-merges", "-n3",
                         "--diff-filter=AM", "--full-history", rng.choice(["--sparse", "--simplify-merges"]), "--ancestry-path", "--left-right", "--boundary", "--data",
                         "--anonymize-map=a:b", "--import-marks-if-exists=marks"], rng.choice([0, 1, 1, 2, 3, 4])):
        out.append(o)
    modes = ["verbatim", "warn-verbatim", "warn", "warn-strip", "strip", "abort"]
    out.append("--signed-tags=" + rng.choice(modes) if rng.random() < 0.9 else "--progress=0")
    if rng.random() < 0.7:
        out.append("--signed-commits=" + rng.choice(modes))
    if rng.random() < 0.9:
        out.append("--reencode=" + rng.choice(["yes", "no", "no", "abort"]))
    if rng.random() < 0.8:
        out.append("--tag-of-filtered-object=" + rng.choice(["abort", "drop", "rewrite", "rewrite"]))
    return out


def deletions_first(stream):
    """
    Stock Git prints "M a/b" before "D a" if the file becomes a directory; the importer deletes that again. Each such
    deletion comes first here, as we print it.
    """
    out, group, at = [], [], 0
    while at < len(stream):
        end = stream.find(b"\n", at) + 1 or len(stream)
        line = stream[at:end]
        at = end
        if line.startswith(b"data "):
            at += int(line[5:])
            line += stream[end:at]
        if re.match(rb"[MDRC] ", line):
            group.append(line)
            continue
        new = [re.sub(rb'.* (?="?)', b"", g) if b'"' not in g else g[g.rindex(b' "') + 1:] for g in group if g[:1] != b"D"]
        new = [n.strip(b'"\n') for n in new]
        early = [g for g in group if g[:1] == b"D" and any(n.startswith(g[2:].strip(b'"\n') + b"/") for n in new)]
        out += early + [g for g in group if g not in early] + [line]
        group = []
    return b"".join(out)


def same_trees(args, ours, top, turn):
    """
    Stock Git renames what is not there any more, if files and directories take each other's names. Then our stream has to
    make what its stream without renames makes.
    """
    plain = [a for a in args if not re.match("-[MCB]|--find-copies", a)]
    peer = outcome(PEER, plain, top, "m2")
    return plain != args and imported(PEER, ours[1], top, "s%d" % turn) == imported(PEER, deletions_first(peer[1]), top, "t%d" % turn)


def outcome(git, args, top, name):
    path = os.path.join(top, name)
    # A commit-graph does not change the order in which we meet commits.
    p = run(git, ["-c", "core.commitGraph=%s" % ("true" if git == OURS else "false"), "fast-export", "--export-marks=" + path] + args, os.path.join(top, "r"))
    marks = None
    if os.path.exists(path):
        with open(path) as f:
            marks = sorted(f.read().splitlines())
        os.unlink(path)
    # After a failure the rest does not matter. "refs/tags/blob~1" is no commit, which Git tells twice.
    told = [line for line in p.stderr.split(b"\n") if p.returncode != 129 and not line.startswith(b"error: object ")]
    return p.returncode, b"" if p.returncode else p.stdout, told, marks


def imported(git, stream, top, name):
    path = os.path.join(top, name)
    run(PEER, ["init", "-q", "--bare", path], top)
    p = run(git, ["fast-import", "--quiet", "--force"], path, stream)
    return p.returncode, run(PEER, ["for-each-ref"], path).stdout


def one(seed, top):
    rng = random.Random(seed)
    r = os.path.join(top, "r")
    run(PEER, ["init", "-q", "-b", "main", r], top)
    p = run(PEER, ["fast-import", "--quiet"], r, History(rng).stream())
    if p.returncode:
        print("seed %d: %s" % (seed, p.stderr.decode()))
        return False
    run(PEER, ["reset", "-q", "--hard"], r)
    refs = [line for line in run(PEER, ["for-each-ref", "--format=%(refname)"], r).stdout.decode().split()]
    here = [f for f in run(PEER, ["ls-files", "-z"], r).stdout.split(b"\0") if f]
    with open(os.path.join(r, "marks"), "w") as f:
        for n, line in enumerate(run(PEER, ["rev-list", "--all"], r).stdout.decode().split()):
            if rng.random() < 0.3:
                f.write(":%d %s\n" % (n + 7, line))
    if rng.random() < 0.3:
        run(PEER, ["commit-graph", "write", "--reachable", "--changed-paths"], r)
    same = True
    for turn in range(6):
        paths = here and rng.random() < 0.3
        args = options(rng) + revisions(rng, refs, paths)
        if paths:
            args += ["--"] + [os.fsdecode(f) for f in rng.sample(here, rng.randrange(1, min(len(here), 2) + 1))]
        ours, peer = [outcome(git, args, top, "m%d" % n) for n, git in enumerate((OURS, PEER))]
        peer = peer[0], deletions_first(peer[1]), *peer[2:]
        if peer[0] < 0:  # --boundary with --first-parent
            continue
        if ours != peer and not (ours[0] == peer[0] == 0 and same_trees(args, ours, top, turn)):
            same = False
            print("seed %d, turn %d: git fast-export %s\nours: %r\npeer: %r" % (seed, turn, args, ours, peer))
        if turn < 2 and not ours[0]:
            ours, peer = [imported(git, ours[1], top, "i%d%d" % (turn, n)) for n, git in enumerate((OURS, PEER))]
            if ours != peer:
                same = False
                print("seed %d, turn %d: import of git fast-export %s\nours: %r\npeer: %r" % (seed, turn, args, ours, peer))
    return same


if __name__ == "__main__":
    sys.exit(rounds.by_seed(one, bool(os.environ.get("KEEP"))))
