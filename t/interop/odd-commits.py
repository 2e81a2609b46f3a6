#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random commits and tags with odd idents, dates, encodings and messages: how two implementations show them, byte for byte.

usage: odd-commits.py GIT OTHER-GIT [ROUNDS [SEED [KIND...]]]

KIND is "idents", "messages", "texts" (dates as people write them) or "given" (the same, as GIT_AUTHOR_DATE and as an
expiry date). A round is one object or one text. Prints what differs; exit code 1 if anything does.
"""
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
import zlib

PEOPLE = [b"A", b"Ann Doe", b"A  U", b" A", b"A ", b"", b"A<b", b"a>b", b"\xe4", "ä".encode(), b"A\tB", b"A\r", b"\x0b", b"."]
MAILS = [b"<a@x>", b"<A@X>", b"<>", b"< a@x >", b"<<a@x>>", b"<a@x", b"a@x>", b"", b"<a@x> <b@y>", b"<a<b@c>>", b"<a@x>>", b"><",
         b"<a@\r>", b"<a@x\x0b>", b"<@>", b"<a\tb@x>", b"<a@x> x", b"<a@x>\t", b"<a@\nb@x>", b"<a@x>\n>"]
STAMPS = [b"0", b"1", b"86399", b"1234567890", b"1282910542", b"1700000000", b"2147483647", b"2147483648", b"4294967296", b"99999999999",
          b"253402300799", b"253402300800", b"67767976233532799", b"67767976233532800", b"67768036191676799",
          b"9223372036854775808", b"18446744073709540000", b"18446744073709551615", b"18446744073709551616",
          b"99999999999999999999", b"-1", b"-1234567890", b"+1234567890", b"01234567890", b"00", b"-0", b"", b"12x", b"x", b"0x10",
          b"1e9", b"1234567890.5", b"1234567890 ", b" 1234567890", b"\t1234567890", b"\x0b1234567890"]
ZONES = [b"+0000", b"-0000", b"+0100", b"-0730", b"+1400", b"+9999", b"-9999", b"+2400", b"+0060", b"0100", b"+01", b"+1", b"+", b"-", b"",
         b"+01:00", b"Z", b"UTC", b"+10000", b"+99999", b"-100000", b"+2147483647", b"-99999999999999999999", b"+0x10", b" +0100",
         b"+ 100", b"+-100", b"--100", b"+01x0", b"+0100 ", b"+0100 x", b"+0100\r", b"+1441", b"-1201"]
GAPS = [b" "] * 12 + [b"", b"  ", b"\t", b"\x0b", b"\r", b" > ", b"> ", b" x "]
ENCODINGS = [b"UTF-8", b"utf-8", b"UTF8", b"utf8", b"ISO-8859-1", b"iso8859-1", b"latin1", b"ISO8859-15", b"nonesuch", b"ASCII",
             b"US-ASCII", b"windows-1252", b" UTF-8", b"UTF-8 ", b"CP1251", b"eucJP", b"Utf-8", b"UTF_8"]
WORDS = [b"one", b"two", b"\n", b"\n", b"\n\n", b"\0", b" ", b"  ", b"\t", b"\r\n", b"\r", b"\x0b", b"ab: c", b"Signed-off-by: A <a@x>", b"\xe4",
         "ä€".encode(), b"\xff", b"\x7f", b"\x01", b"\xc2", b"\xa0", b"#x", b"x" * 80, b"[PATCH] t", b"..", b".", b"-", b"ab: c\nd: e", b"\n\nab: c", b"(cherry picked from commit 1)",
         b"-----BEGIN PGP SIGNATURE-----", b"\n-----BEGIN PGP SIGNATURE-----\n", b"encoding UTF-8", b"commit"]
TEXTS = ["now", "today", "yesterday", "noon", "midnight", "tea", "never", "all", "false", "last", "week", "weeks", "ago", "1", "2", "3", "10", "31",
         "99", "day", "days", "month", "months", "year", "years", "hour", "hours", "minute", "second", "seconds", "monday", "friday", "tuesday",
         "jan", "January", "feb", "may", "dec", "2005", "1999", "2099", "2100", "1969", "1970", "at", "am", "pm", "12pm", "6am", "noon", "3:00",
         "15:04", "15:04:05", "24:00", "25:00", "2005-04-07", "04/07/2005", "7.4.2005", "2005/04/07", "1970-01-01", "1969-12-31", "2100-02-30",
         "@1234567890", "1234567890", "@0", "@99999999999", "1112911993", "+0100", "-0730", "+02:00", "PST", "CET", "Z", "UTC", "20050407T221313",
         "2005-04-07T22:13:13", "T22:13", "22:13:13.5", "one", "ten", "zero", "eleven", "of", ",", ".", "/", "-", "100000000", "99999999",
         "9223372036854775807", "18446744073709551615", "99999999999999999999", "-1", "@-1", "@1234567890 +0100", "@5 -0730", "1234567890 +0000",
         "days.ago", "2.weeks.ago", "last.monday", "yesterdays", "to", "tod", "todays", "tuesdayx", "sept", "mon", "sat", "sun", "fortnight"]
NOW = "1251660000"


def pick(rng, usual, odd, share=0.5):
    return usual if rng.random() < share else rng.choice(odd)


def ident(rng):
    name, mail = pick(rng, b"A U Thor", PEOPLE), pick(rng, b"<a@x>", MAILS)
    stamp, zone = pick(rng, b"1234567890", STAMPS, 0.3), pick(rng, b"+0100", ZONES)
    if b"-" in zone and len(stamp.strip(b"-0")) < 6:
        zone = b"+0000"  # 2.55 dies of a local time before 1970
    return name + pick(rng, b" ", GAPS, 0.9) + mail + rng.choice(GAPS) + stamp + pick(rng, b" ", GAPS, 0.8) + zone


def message(rng):
    return b"".join(rng.choice(WORDS) for _ in range(rng.randrange(0, 9)))


def person(rng, kind, key):
    if kind != "idents":
        return key + b" A <a@x> 1234567890 +0100\n"
    if rng.random() < 0.03:
        return b""
    return key + b" " + ident(rng) + b"\n"


def commit(rng, kind, n):
    text = b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n" + person(rng, kind, b"author")
    if kind == "idents" and rng.random() < 0.03:
        text += b"x y\n"
    text += person(rng, kind, b"committer")
    if kind == "messages" and rng.random() < 0.6:
        text += b"encoding " + rng.choice(ENCODINGS) + b"\n"
    if kind == "messages" and rng.random() < 0.1:
        text += b"x-n %d\n y\n" % n
    if kind == "messages" and rng.random() < 0.1:
        return text + rng.choice([b"\n", b"\n\n", b"\n\n\n", b"\n\0", b"\n\0x"])
    return text + b"\n" + (message(rng) if kind == "messages" else b"m\n")


def tag(rng, kind, n, oid):
    text = b"object %s\ntype commit\ntag t%d\n" % (oid, n) + person(rng, kind, b"tagger")
    return text + b"\n" + (message(rng) if kind == "messages" else b"m %d\n" % n)


class Scratch:
    """A repository whose objects are written directly: no program has an opinion about them."""

    def __init__(self, top):
        self.top, self.refs = top, []
        subprocess.run(["git", "init", "-q", "-b", "main", top], check=True)
        self.write(b"tree", b"")

    def write(self, kind, body):
        store = kind + b" %d\0" % len(body) + body
        oid = hashlib.sha1(store).hexdigest()
        path = os.path.join(self.top, ".git/objects", oid[:2], oid[2:])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(zlib.compress(store, 1))
        return oid

    def pack_refs(self):
        with open(os.path.join(self.top, ".git/packed-refs"), "w") as f:
            f.write("# pack-refs with: sorted \n")
            for name, oid in sorted(self.refs):
                f.write("%s %s\n" % (oid, name))


LATE = re.compile(rb"(?<!\d)(?:[5-9]\d|4[2-9])\d{8}(?!\d)|\d{11}")
# for-each-ref of 2.55 dies of these dates, if it shows more than their numbers.
DEADLY = re.compile(rb">\s*-\d|-1234567890|18446744073709540000|9223372036854775808|\+214748364|-9{9}")
MARK = "%x1e%H "
DATES = "".join("|%" + w + c for w in "ac" for c in "dDrtiIsh")
LOG = ["log", "--no-walk=unsorted", "--stdin"]
MODES = ["raw", "unix", "iso", "iso-strict", "rfc", "short", "default", "local", "iso-local", "raw-local", "relative", "human",
         "format:%Y-%m-%d %H:%M:%S %z %Z", "format:%s", "format-local:%c"]
REF = "\x1e%(objectname) %(refname)"
FIELDS = "".join("|%%(%s%s)" % (w, f) for w in ("author", "committer", "tagger", "creator", "*author")
                 for f in ("", "name", "email", "email:trim", "date") if w != "creator" or f in ("", "date"))
REFDATES = "".join("|%%(%s:%s)" % (w, m) for w in ("authordate", "committerdate", "taggerdate", "creatordate", "*committerdate")
                   for m in MODES if ")" not in m and "local" not in m and "%s" not in m)
PARTS = "".join("|%%(%s)" % f for f in ("subject", "subject:sanitize", "body", "contents", "contents:subject", "contents:body", "contents:size",
                                        "contents:lines=2", "contents:signature", "trailers", "*subject", "raw:size"))
VIEWS = {
    "idents": {
        "names": LOG + ["--format=" + MARK + "%an|%ae|%al|%aN|%aE|%aL|%cn|%ce|%cl|%cN|%cE|%cL"],
        "dates": LOG + ["--format=" + MARK + DATES],
        "fuller": LOG + ["--format=fuller"], "medium": LOG + ["--format=medium"], "raw": LOG + ["--format=raw"],
        "full": LOG + ["--format=full"], "short": LOG + ["--format=short"], "reference": LOG + ["--format=" + MARK + "%h (%s, %ad)"],
        "refs": ["for-each-ref", "--format=" + REF + FIELDS, "refs/heads", "refs/tags"],
        "ref dates": ["for-each-ref", "--format=" + REF + REFDATES, "refs/heads", "refs/tags"],
        "raw ref dates": ["for-each-ref", "--format=" + REF + "%(authordate:raw)|%(committerdate:unix)|%(taggerdate:raw)|%(*authordate:raw)"],
        "show": ["show", "-s", "--stdin"],
    },
    "messages": {
        "parts": LOG + ["--format=" + MARK + "%s|%f|%b|%B|%e"], "oneline": LOG + ["--oneline", "--no-abbrev"],
        "medium": LOG + ["--format=medium"], "short": LOG + ["--format=short"], "raw": LOG + ["--format=raw"],
        "latin1": LOG + ["--encoding=ISO-8859-1"], "latin1 raw": LOG + ["--encoding=ISO-8859-1", "--format=raw"],
        "no encoding": LOG + ["--encoding=", "--format=raw"], "utf8": LOG + ["--encoding=utf8", "--format=raw"],
        "latin1 user": LOG + ["--encoding=latin1", "--format=" + MARK + "%s|%B|%e"],
        "trailers": LOG + ["--format=" + MARK + "%(trailers)|%(trailers:key=Signed-off-by,valueonly)|%w(20,1,2)%s%n%b"],
        "refs": ["for-each-ref", "--format=" + REF + PARTS], "raws": ["for-each-ref", "--format=" + REF + "%(raw)"],
        "tags": ["tag", "-l", "-n3"], "branches": ["branch", "-v", "--no-abbrev"], "rev-list": ["rev-list", "--stdin", "--no-walk=unsorted", "--pretty=medium"],
        "rev-list header": ["rev-list", "--stdin", "--no-walk=unsorted", "--header"], "rev-list oneline": ["rev-list", "--stdin", "--no-walk=unsorted",
        "--oneline", "--no-abbrev-commit"], "-z": LOG + ["-z", "--format=%H %B"],
        "diff-tree": ["diff-tree", "--stdin", "--root", "-s", "--pretty"],
    },
}
WHOLE = {
    "idents": {"by " + k: ["for-each-ref", "--format=%(refname)", "--sort=" + k, "refs/heads", "refs/tags"] for k in
               ("authordate", "-committerdate", "creatordate", "taggerdate", "authorname", "authoremail", "*committerdate", "creatordate:short")},
    "messages": {"by " + k: ["for-each-ref", "--format=%(refname)", "--sort=" + k] for k in ("subject", "body", "contents:size")},
}
WHOLE["idents"].update({
    "by raw date": ["for-each-ref", "--format=%(refname)", "--sort=creatordate:raw", "refs/a", "refs/heads", "refs/tags"],
    "shortlog": ["shortlog", "-se", "--all"], "shortlog committers": ["shortlog", "-sec", "--all"], "walk": ["rev-list", "--all"],
    "author dates": ["rev-list", "--all", "--author-date-order"], "grep": ["rev-list", "--all", "--author=^A <", "--no-commit-header"],
    "grep committers": ["rev-list", "--all", "--committer=a@x>$"], "timestamps": ["rev-list", "--all", "--timestamp"],
})
WHOLE["messages"].update({"shortlog": ["shortlog", "--all"], "shortlog wide": ["shortlog", "-w30,2,4", "--all"],
                          "grep": ["rev-list", "--all", "--grep=two$"], "grep all": ["rev-list", "--all", "--grep=one", "--grep=two", "--all-match"]})
for limit in ("0", "@1", "@1234567890", "@2147483648", "@99999999999", "today"):
    WHOLE["idents"]["since " + limit] = ["rev-list", "--all", "--since-as-filter=" + limit]
    WHOLE["idents"]["until " + limit] = ["rev-list", "--all", "--until=" + limit]


def environment(top):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CEILING_DIRECTORIES"}
    env.update({"HOME": top, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "TZ": "Europe/Berlin", "GIT_TEST_DATE_NOW": NOW, "GIT_PAGER": "cat"})
    return env


def ask(git, top, args, text=None):
    out = subprocess.run([git, "-C", top] + args, input=text, env=environment(top), capture_output=True)
    return out.stdout, out.stderr, out.returncode


def pieces(out):
    """By object: the text from its name to that of the next."""
    starts = [m for m in re.finditer(rb"(?:^|\x1e|(?<=\n)|(?<=\0))(?:commit |tag |)([0-9a-f]{40})", out)]
    ends = [m.start() for m in starts[1:]] + [len(out)]
    return {m.group(1) + m.group(0)[:1]: out[m.end():e] for m, e in zip(starts, ends)}


def findings(err):
    found = {}
    for line in err.split(b"\n"):
        m = re.search(rb"[0-9a-f]{40}", line)
        if m:
            found.setdefault(m.group(0), []).append(line)
    return {k: b"\n".join(sorted(v)) for k, v in found.items()}


class Report:
    def __init__(self):
        self.count, self.rounds, self.show = {}, set(), int(os.environ.get("SHOW", "3"))

    def add(self, view, key, input_text, answers):
        self.count[view] = self.count.get(view, 0) + 1
        self.rounds.add(key)
        if self.count[view] <= self.show:
            print("%s: %r" % (view, input_text))
            for a in answers:
                print("  %r" % (a,))


def compare_objects(gits, kind, rounds, rng, report):
    with tempfile.TemporaryDirectory() as top:
        s, bodies, commits = Scratch(top), {}, []
        for n in range(rounds):
            body = commit(rng, kind, n)
            oid = s.write(b"commit", body)
            bodies[oid] = body
            commits.append(oid)
            deadly = DEADLY.search(body)
            s.refs.append(("refs/%s/b%05d" % ("deadly" if deadly else "heads", n), oid))
            if n % 3 == 0:
                body = tag(rng, kind, n, oid.encode())
                oid = s.write(b"tag", body)
                bodies[oid] = body
                deadly = deadly or DEADLY.search(body)
                s.refs.append(("refs/%s/t%05d" % ("deadly" if deadly else "tags", n), oid))
        plain = s.write(b"commit", b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n\nm\n")
        s.refs += [("refs/a/%d" % k, plain) for k in range(2)]  # listed: 2.55 compares the first two refs otherwise than the rest
        s.pack_refs()
        stdin = "\n".join(commits).encode() + b"\n"
        for view, args in VIEWS[kind].items():
            outs = [ask(g, top, args, stdin) for g in gits]
            both = [pieces(o[0]) for o in outs]
            compare_pieces(kind + ", " + view, both, outs, bodies, report)
        for mode in MODES if kind == "idents" else []:
            outs = [ask(g, top, LOG + ["--date=" + mode, "--format=" + MARK + "%ad|%cd"], stdin) for g in gits]
            both = [pieces(o[0]) for o in outs]
            if "local" in mode or "%s" in mode:  # 2.55 cannot do these after 2099
                both = [{k: v for k, v in x.items() if not LATE.search(bodies.get(k[:40].decode(), b""))} for x in both]
            compare_pieces("--date=" + mode, both, outs, bodies, report)
        outs = [ask(g, top, ["fsck", "--no-dangling"]) for g in gits]
        compare_pieces(kind + ", fsck", [findings(o[1]) for o in outs], [(0, 0, o[2]) for o in outs], bodies, report)
        for view, args in WHOLE[kind].items():
            a, b = [ask(g, top, args)[0].split(b"\n") for g in gits]
            first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            if a != b:
                report.add(kind + ", " + view, view, "line %d of %d, %d" % (first, len(a), len(b)), [x[first:first + 2] for x in (a, b)])


def compare_pieces(view, both, outs, bodies, report):
    for key in sorted(set(both[0]) | set(both[1])):
        a, b = [x.get(key) for x in both]
        if a != b:
            report.add(view, key[:40], bodies.get(key[:40].decode(), key), (a, b))
    if both[0] == both[1] and not view.startswith("--date") and (outs[0][0], outs[0][2]) != (outs[1][0], outs[1][2]):
        report.add(view, view, "the whole", [(o[2], o[1][-200:] if o[1] else "") for o in outs])


def text(rng):
    n = rng.randrange(1, 5)
    return rng.choice([" ", " ", " ", ".", "", "-"]).join(rng.choice(TEXTS) for _ in range(n))


def compare_texts(gits, rounds, rng, report):
    with tempfile.TemporaryDirectory() as top:
        Scratch(top)
        for start in range(0, rounds, 500):
            texts = [text(rng) for _ in range(min(500, rounds - start))]
            args = [rng.choice(["--since=", "--until=", "--after=", "--before="]) + t for t in texts]
            a, b = [ask(g, top, ["rev-parse"] + args)[0].split(b"\n") for g in gits]
            for t, x, y in zip(args, a, b):
                if x != y:
                    report.add("texts", t, t, (x, y))


def compare_given(gits, rounds, rng, report):
    script = ('while IFS= read -r d; do case $d in 1*) GIT_AUTHOR_DATE=${d#?} "$G" var GIT_AUTHOR_IDENT;; '
              '*) "$G" -c a.b="${d#?}" config --type=expiry-date a.b;; esac 2>/dev/null || echo "exit $?"; printf "\\036\\n"; done')
    with tempfile.TemporaryDirectory() as top:
        texts = [rng.choice("12") + text(rng) for _ in range(rounds)]
        outs = []
        for g in gits:
            env = environment(top)
            env.update({"G": g, "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a"})
            outs.append(subprocess.run(["sh", "-c", script], input="\n".join(texts).encode() + b"\n", env=env, cwd=top,
                                       capture_output=True).stdout.split(b"\x1e\n"))
        for t, x, y in zip(texts, *outs):
            if x != y:
                report.add("given", t, t, (x, y))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    report = Report()
    for kind in sys.argv[5:] or ["idents", "messages", "texts", "given"]:
        rng = random.Random("%d %s" % (seed, kind))
        if kind == "texts":
            compare_texts(gits, rounds, rng, report)
        elif kind == "given":
            compare_given(gits, rounds, rng, report)
        else:
            compare_objects(gits, kind, rounds, rng, report)
    print("%d rounds of each: %d objects, texts and lists differ: %s" % (rounds, len(report.rounds), report.count))
    return bool(report.rounds)


if __name__ == "__main__":
    sys.exit(main())
