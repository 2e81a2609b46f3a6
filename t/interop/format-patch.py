#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random series as mails: what format-patch of two implementations prints and writes, byte for byte.

usage: OUR_GIT=GIT PEER_GIT=OTHER-GIT format-patch.py [SEED [COUNT]]

COUNT command lines with random options, in histories of their own for each 25. Prints what differs; exit code 1 if
anything does. Versions and the times in Message-IDs are made equal before.
"""
import importlib.util
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("email_format", os.path.join(HERE, "email-format.py"))
mails = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mails)

TRAILERS = [b"Signed-off-by: C O Mitter <c@x>", b"Acked-by: A <a@x>", b"Signed-off-by: B <b@x>", b"Cc: x"]
PEOPLE = ["C O Mitter <c@x>", "Ä Ö <ä@x>", "A. B <a@b>", "X <x@y> 1 +0000", "n@m", "<q@r>"]
DESCRIPTIONS = ["subject\n\nbody\nmore\n", "one line", "s" * 120 + "\n\nbody\n", "ä subject\nsecond\n\nbödy", "\n\nx\n", "From here\n\n  indented\n"]
FORMATS = ["shortlog", "modern", "log:%s", "log:%h %s (%an)", "%s %(count)", "[%(count)/%(total)] %w(20)%s", "nonsense"]


class History:
    def __init__(self, rng, path, git):
        self.rng, self.repo, self.files, self.commits, self.notes = rng, mails.Repository(path, git), {}, [], {}
        self.n = 0

    def blob(self, old=b""):
        rng = self.rng
        if rng.random() < 0.1:
            return bytes(rng.randrange(256) for _ in range(rng.randrange(80))) + b"\0"
        lines = old.split(b"\n") if old and b"\0" not in old else [b"line %d" % rng.randrange(30) for _ in range(rng.randrange(25))]
        for _ in range(rng.randrange(1, 4)):
            lines.insert(rng.randrange(len(lines) + 1), rng.choice([b"x %d" % rng.randrange(99), b"\tfunc() {", b"", b"From x", b"-- ", "ä".encode()]))
        return b"\n".join(lines) + (b"\n" if rng.random() < 0.9 else b"")

    def change(self):
        rng, name = self.rng, self.rng.choice(["a", "b", "c.txt", "dir/d", "dir/ä", "dir/sub/e f", 'q"x'])
        what = rng.random()
        if what < 0.08:
            return
        if what < 0.2 and self.files:
            self.files[name + "-%d" % self.n] = self.files.pop(rng.choice(sorted(self.files)))
        elif what < 0.25 and self.files:
            self.files.pop(rng.choice(sorted(self.files)))
        elif what < 0.3 and self.files:
            k = rng.choice(sorted(self.files))
            self.files[k] = (rng.choice(["100644", "100755"]), self.files[k][1])
        else:
            old = self.files.get(name, ("100644", b""))
            self.files[name] = (old[0], self.blob(old[1]))

    def tree(self, files):
        here, below = [], {}
        for path, value in files.items():
            top, slash, rest = path.partition("/")
            if slash:
                below.setdefault(top, {})[rest] = value
            else:
                here.append((top, value[0], self.repo.write(b"blob", value[1])))
        here += [(d, "40000", self.tree(f)) for d, f in below.items()]
        here.sort(key=lambda e: e[0].encode() + (b"/" if e[1] == "40000" else b""))
        return self.repo.write(b"tree", b"".join(b"%s %s\0" % (m.encode(), n.encode()) + bytes.fromhex(o) for n, m, o in here))

    def message(self):
        text = mails.message(self.rng)
        if self.rng.random() < 0.3:
            text = text.rstrip(b"\n") + b"\n\n" + b"\n".join(self.rng.sample(TRAILERS, self.rng.randrange(1, 4))) + b"\n"
        return text

    def commit(self, parents):
        rng = self.rng
        for _ in range(rng.randrange(1, 3)):
            self.change()
        self.n += 1
        encoding = rng.choice(mails.ENCODINGS)
        head = ["tree " + self.tree(self.files)] + ["parent " + p for p in parents]
        author = rng.choice(PEOPLE[:3]).encode() + b" %d +0200" % (1600000000 + self.n) if rng.random() < 0.5 else self.ident()
        body = "\n".join(head).encode() + b"\nauthor " + author + b"\ncommitter C <c@x> %d +0000\n" % (1700000000 + 60 * self.n)
        body += (b"encoding %s\n" % encoding.encode() if encoding else b"") + b"\n" + self.message()
        oid = self.repo.write(b"commit", body)
        if rng.random() < 0.3:
            self.notes[oid] = self.repo.write(b"blob", mails.message(rng))
        return oid

    def ident(self):
        while True:
            who = mails.ident(self.rng)
            if b"> " in who: # a date, at least
                return who

    def build(self):
        rng, main = self.rng, []
        for _ in range(rng.randrange(2, 9)):
            main.append(self.commit(main[-1:]))
        fork, base = dict(self.files), main[-1]
        topic = [base]
        for _ in range(rng.randrange(1, 7)):
            parents = topic[-1:]
            if len(main) > 2 and rng.random() < 0.1:
                parents.append(rng.choice(main[:-1]))
            topic.append(self.commit(parents))
        self.files = fork
        upstream = [base]
        for _ in range(rng.randrange(0, 4)):
            upstream.append(self.commit(upstream[-1:]))
        refs = {"main": topic[-1], "upstream": upstream[-1], "old": rng.choice(topic), "other": rng.choice(main)}
        for name, oid in refs.items():
            self.repo.set_ref("refs/heads/" + name, oid)
        self.repo.set_ref("refs/tags/v1", rng.choice(main))
        if self.notes:
            note = b"tree %s\nauthor C <c@x> 1 +0000\ncommitter C <c@x> 1 +0000\n\nnotes\n"
            for ref, part in [("commits", dict(list(self.notes.items())[::2])), ("review", dict(list(self.notes.items())[1::2]))]:
                if part:
                    self.repo.set_ref("refs/notes/" + ref, self.repo.write(b"commit", note % self.repo.tree(part).encode()))
        with open(os.path.join(self.repo.path, ".git/config"), "a") as f:
            f.write("[user]\n\tname = %s\n\temail = c@x\n" % rng.choice(["C O Mitter", "Ä Mitter", "C. Mitter"]))
            f.write('[branch "main"]\n\tremote = .\n\tmerge = refs/heads/upstream\n')
            for name in refs:
                if rng.random() < 0.7:
                    text = rng.choice(DESCRIPTIONS).replace("\n", "\\n")
                    f.write('[branch "%s"]\n\tdescription = "%s"\n' % (name, text))
        os.makedirs(os.path.join(self.repo.path, "dir"), exist_ok=True)
        with open(os.path.join(self.repo.path, "sig"), "w") as f:
            f.write(rng.choice(["text\n", "two\nlines", "", "ä\n\n"]))


def settings(rng):
    one = [lambda: "format.subjectPrefix=" + rng.choice(["", "P Q", "é", "p" * 90]), lambda: "format.suffix=" + rng.choice([".txt", "", "-x"]),
           lambda: "format.numbered=" + rng.choice(["auto", "true", "false"]), lambda: "format.headers=" + rng.choice(["X: y", "To: me", "Cc: you\n"]),
           lambda: "format.to=" + rng.choice(PEOPLE), lambda: "format.cc=" + rng.choice(PEOPLE), lambda: rng.choice(["format.attach", "format.attach=B", "format.attach="]),
           lambda: "format.thread=" + rng.choice(["deep", "shallow", "true", "false", "x"]), lambda: "format.signOff=" + rng.choice(["true", "false"]),
           lambda: "format.signature=" + rng.choice(["", "me", "ä\n"]), lambda: "format.signatureFile=sig",
           lambda: "format.coverLetter=" + rng.choice(["auto", "true", "false"]), lambda: "format.coverFromDescription=" + rng.choice(["auto", "subject", "none", "message", "default"]),
           lambda: "format.commitListFormat=" + rng.choice(FORMATS), lambda: "format.outputDirectory=" + rng.choice(["o1", "o2/o3"]),
           lambda: "format.filenameMaxLength=" + rng.choice(["5", "10", "30", "100"]), lambda: "format.useAutoBase=" + rng.choice(["true", "whenAble", "false"]),
           lambda: "format.from=" + rng.choice(["true", "false"] + PEOPLE[:3]), lambda: "format.forceInBodyFrom=true", lambda: "format.encodeEmailHeaders=false",
           lambda: "format.notes=" + rng.choice(["true", "false", "review"]), lambda: rng.choice(["format.noprefix", "format.noprefix=false", "format.noprefix=true"]),
           lambda: "format.mboxrd=true", lambda: "i18n.logOutputEncoding=ISO-8859-1", lambda: "diff.noprefix=true", lambda: "diff.mnemonicPrefix=true",
           lambda: "diff.renames=" + rng.choice(["false", "copies"]), lambda: "format.pretty=oneline", lambda: "color.ui=always", lambda: "diff.statNameWidth=5",
           lambda: "diff.context=1", lambda: "log.date=iso", lambda: "log.showSignature=false", lambda: "diff.colorMoved=zebra", lambda: "log.mailmap=true",
           lambda: "diff.srcPrefix=x/", lambda: "core.abbrev=12", lambda: "diff.algorithm=histogram"]
    return rng.choice(one)()


def option(rng):
    one = [lambda: "-n", lambda: "-N", lambda: "-k", lambda: "--start-number=%d" % rng.randrange(0, 120), lambda: "--numbered-files", lambda: "-s",
           lambda: "--signature=" + rng.choice(["", "sig", "ä"]), lambda: "--signature-file=sig", lambda: "--no-signature", lambda: "--suffix=" + rng.choice([".x", ""]),
           lambda: "--subject-prefix=" + rng.choice(["", "P Q", "é"]), lambda: rng.choice(["--rfc", "--rfc=WIP", "--rfc=-(WIP)", "--no-rfc"]),
           lambda: "-v" + rng.choice(["2", "4.4", "x/y", "1"]), lambda: "--cover-letter", lambda: "--cover-letter", lambda: "--no-cover-letter",
           lambda: "--cover-from-description=" + rng.choice(["auto", "subject", "none", "message", "default", "x"]), lambda: "--description-file=sig",
           lambda: "--commit-list-format=" + rng.choice(FORMATS), lambda: rng.choice(["--thread", "--thread=deep", "--thread=shallow", "--no-thread"]),
           lambda: "--in-reply-to=" + rng.choice(["<a@b>", "c@d", " <e> "]), lambda: rng.choice(["--attach", "--attach=B", "--inline", "--inline=C", "--no-attach"]),
           lambda: "--to=" + rng.choice(PEOPLE), lambda: "--cc=" + rng.choice(PEOPLE), lambda: rng.choice(["--no-to", "--no-cc", "--no-add-header"]),
           lambda: "--add-header=" + rng.choice(["X: y", "To: me", "cc: you", "Z: ä\n"]), lambda: rng.choice(["--from", "--no-from"]),
           lambda: "--from=" + rng.choice(PEOPLE), lambda: "--force-in-body-from", lambda: rng.choice(["--encode-email-headers", "--no-encode-email-headers"]),
           lambda: "--ignore-if-in-upstream", lambda: "--always", lambda: "--base=" + rng.choice(["auto", "upstream", "other", "v1", "main~2", "nonsense"]),
           lambda: "--no-base", lambda: "--interdiff=" + rng.choice(["old", "upstream", "v1"]),
           lambda: "--range-diff=" + rng.choice(["old", "upstream", "v1", "v1~2..v1"]), lambda: "--creation-factor=" + rng.choice(["10", "60", "999"]), lambda: "--zero-commit", lambda: "--progress",
           lambda: "--filename-max-length=%d" % rng.choice([1, 9, 12, 20, 80]), lambda: "-q", lambda: rng.choice(["--notes", "--notes=review", "--no-notes"]),
           lambda: rng.choice(["-p", "--no-stat", "--stat", "--numstat", "--shortstat", "--summary", "--raw", "--dirstat", "--compact-summary"]),
           lambda: rng.choice(["-M", "--no-renames", "-C", "-B", "-U1", "--full-index", "--no-binary", "--binary", "-W", "-w", "--patience", "--abbrev=5", "-D", "--no-prefix"]),
           lambda: rng.choice(["--root", "--merges", "--first-parent", "--reverse", "--topo-order", "--author=C", "--grep=a", "--max-count=2", "--skip=1", "--no-merges"]),
           lambda: rng.choice(["--stat=40", "--stat-width=100", "--relative=dir", "--ignore-blank-lines", "--name-only", "--check", "-R", "--text", "--encoding=ISO-8859-1"])]
    return rng.choice(one)()


def command(rng):
    out = []
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        out += ["-c", settings(rng)]
    out.append("format-patch")
    out += [option(rng) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
    if any(o.startswith("-v") for o in out): # else several mails could have the same file
        out = [o for o in out if "filename-max" not in o]
        if "format.filenameMaxLength=5" in out:
            out[out.index("format.filenameMaxLength=5")] = "format.filenameMaxLength=30"
    out += rng.choice([["--stdout"], ["--stdout"], [], ["-o", "out"], ["--output-directory=out/deep"], ["--output=file"]])
    out += rng.choice([["-1"], ["-2"], ["-3"], ["upstream"], ["upstream..main"], ["upstream...main"], ["main...upstream"], ["-2", "main"], ["v1"], ["-1", "old"],
                       ["--root", "old"], ["main~2..main"], ["v1..upstream"], ["main"], ["HEAD~1"], ["-4", "upstream"], [], ["HEAD"], ["--root", "HEAD"], ["nonsense"], ["upstream..", "--", "dir"],
                       ["-2", "--", "a", "dir"], ["HEAD~2..HEAD"], ["old..", "^v1"]])
    return out


def run(git, path, args, cwd):
    env = {"PATH": os.environ["PATH"], "HOME": path, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "GIT_COMMITTER_DATE": "1750000000 +0100"}
    before = set(os.listdir(path)) | {"dir"}
    p = subprocess.run([git] + args, cwd=os.path.join(path, cwd), env=env, capture_output=True)
    files = {}
    for top in os.listdir(path) + ["dir/" + n for n in os.listdir(os.path.join(path, "dir"))]:
        full = os.path.join(path, top)
        if top in before:
            continue
        if not os.path.isdir(full):
            files[top] = open(full, "rb").read()
            os.unlink(full)
            continue
        for d, _, names in os.walk(full):
            for n in names:
                files[os.path.relpath(os.path.join(d, n), path)] = open(os.path.join(d, n), "rb").read()
        shutil.rmtree(full)
    return p.returncode, p.stdout, p.stderr, files


def plain(data):
    data = re.sub(rb"\.\d{10}\.git\.", b".TIME.git.", data)
    return re.sub(rb"2\.(55\.0|39\.5\.sluice\.[0-9.]+)", b"VERSION", data)


def messages(code, err):
    """Usage texts differ in their words."""
    return err.split(b"\n")[0] if code == 129 else err


MIME = b"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
PREREQUISITE = b"prerequisite-patch-id: "


def is_equal(ours, peer):
    """But for the encoding of a cover letter, and for merges among the prerequisites."""
    ours, peer = plain(ours), plain(peer)
    ours = ours if MIME in peer else ours.replace(MIME, b"", 1)
    return ours == peer or ours == b"".join(x for x in peer.splitlines(True) if not x.startswith(PREREQUISITE) or x in ours.splitlines(True))


def is_listed(a, b):
    """A text of the cover letter that is not ASCII, merges that paths simplify, a range of the upstream's (Differences)."""
    if b[0] == 0 and b"could not parse log for" in b[2] and (a[0] == 0 or b"failed to infer range-diff origin" in a[2]):
        return True
    return a[:3] == b[:3] and set(a[3]) == set(b[3]) and \
        all(is_equal(a[3][k], b[3][k]) for k in a[3])


def same(a, b):
    """A command that fails has written parts of its output, or has not."""
    if a[0] == b[0] == 128:
        return a[2] == b[2]
    return a[0] == b[0] and plain(a[1]) == plain(b[1]) and messages(a[0], a[2]) == messages(b[0], b[2]) and \
        {k: plain(v) for k, v in a[3].items()} == {k: plain(v) for k, v in b[3].items()}


def report(n, args, a, b):
    print("%d: %s" % (n, args))
    for what, x, y in [("code", a[0], b[0]), ("err", a[2], b[2]), ("files", sorted(a[3]), sorted(b[3]))]:
        if x != y:
            print("  %s: ours %s\n  %s: peer %s" % (what, x, " " * len(what), y))
    for name in [None] + sorted(set(a[3]) & set(b[3])):
        x, y = (a[1], b[1]) if name is None else (a[3][name], b[3][name])
        x, y = plain(x).split(b"\n"), plain(y).split(b"\n")
        if x != y:
            at = next((i for i in range(min(len(x), len(y))) if x[i] != y[i]), min(len(x), len(y)))
            print("  %s line %d\n   ours %s\n   peer %s" % (name or "stdout", at + 1, x[max(at - 2, 0):at + 3], y[max(at - 2, 0):at + 3]))


def main():
    ours, peer = os.environ["OUR_GIT"], os.environ["PEER_GIT"]
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        for n in range(count):
            rng = random.Random("%d-%d" % (seed, n))
            if n % 25 == 0:
                path = os.path.join(top, "r%d" % n)
                History(random.Random("%d-h-%d" % (seed, n)), path, ours).build()
            args, cwd = command(rng), rng.choice(["", "", "", "dir"])
            a, b = run(ours, path, args, cwd), run(peer, path, args, cwd)
            if not same(a, b) and not is_listed(a, b):
                bad += 1
                report(n, (cwd + ": " if cwd else "") + " ".join(args), a, b)
    print("format-patch: %d command lines, %d differ (seed %d)" % (count, bad, seed))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
