#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random messages, mails and mailboxes by seed, read by two implementations: output, exit code and files are equal.

usage: OUR_GIT=… PEER_GIT=… mail.py [SEED [COUNT [KIND]]]

KIND: trailers, split, mailboxes, info, ids. Prints what differs, with the input that makes it; exit code 1 if anything does.
"""
import base64
import os
import quopri
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


NAMES = ["A U Thor", "Jörg", "日本 語", "a@b", "", '"Q. \\"x\\" Y"', "(c)", "A (com) B", "x" * 70, "<", "O'N, P"]
TEXTS = ["fix it", "[PATCH 1/2] x", "Re: [PATCH] y", "[x] [PATCH v2] z", "re:re: : a  b", "ä ö", "日本語", "=?bad", "[", "[a]b[PATCH]", "", "\tt", "RE: q",
         "Re:Re", "[PATCH][y]", "x =?utf-8?q?y?= z"]
CHARSETS = ["utf-8", "UTF-8", "iso-8859-1", "ISO-2022-JP", "euc-jp", "nonsense", "windows-1252", "us-ascii", ""]


def encoded_word(rng, text):
    charset = rng.choice(CHARSETS[:7])
    try:
        data = text.encode(charset if charset != "nonsense" else "utf-8")
    except UnicodeEncodeError:
        charset, data = "utf-8", text.encode()
    if rng.random() < 0.5:
        return "=?%s?%s?%s?=" % (charset, rng.choice("bB"), base64.b64encode(data).decode())
    return "=?%s?%s?%s?=" % (charset, rng.choice("qQ"), "".join("_" if b == 32 else "=%02X" % b if b > 126 or b in b"=?_" or rng.random() < 0.1
                                                            else chr(b) for b in data))


def header_text(rng, text):
    if rng.random() < 0.5:
        words = text.split(" ")
        text = rng.choice([" ", "\n ", "", "\n\t"]).join(encoded_word(rng, w) if rng.random() < 0.7 else w for w in words)
    elif rng.random() < 0.2:
        text = text.replace(" ", "\n  ", 1)
    return text.encode("iso-8859-1", "replace") if rng.random() < 0.1 else text.encode()


def header(rng):
    name = rng.choice(["From", "From", "Subject", "Subject", "Date", "Message-ID", "X-y", "subject", "To"])
    if name == "From":
        value = header_text(rng, rng.choice(NAMES)) + rng.choice([b" <a@b>", b" <c@d> (x)", b"<e@f", b" <local>", b"", b" g@h"])
    elif name == "Date":
        value = rng.choice([b"Thu, 1 Jan 1970 00:00:00 +0000", b"now", b"x  y"])
    elif name == "Message-ID":
        value = b"<1@2>"
    else:
        value = header_text(rng, rng.choice(TEXTS))
    return name.encode() + rng.choice([b": ", b": ", b": ", b":", b":  "]) + value


def body_lines(rng, charset):
    """In-body headers, a message and a patch; each may be missing."""
    out = []
    if rng.random() < 0.3:
        out += rng.choice([[b""], []]) + [header(rng) for _ in range(rng.randrange(3))] + [rng.choice([b"", b" cont", b"\tcont"])]
    if rng.random() < 0.1:
        out.append(rng.choice([b"[PATCH] in body", b">From " + b"1" * 40 + b" Mon Sep 17 00:00:00 2001", b">From x", b"From " + b"1" * 40 + b" Mon Sep 17 00:00:00 2001"]))
    for _ in range(rng.randrange(6)):
        out.append(rng.choice([b"text", b"", b"  ", "ä text".encode(), b"\xe4\xf6", b"-- >8 --", b"- - - >8 - - -", b"--- cut here ---8<---", b"-----",
                               b"-- ", b"--", b" stuffed", b"flows ", b"Subject: late", b"--- ", b"8< 8< 8<", b"a >8 --------", b"--b1", b"=3D=", b"a\0b",
                               b"x" * 90, "日本".encode("euc-jp"), b"-- >8 -- note", b"cr\r", b"----->8----- please cut here -----8<-----"]))
    if rng.random() < 0.7:
        out += [rng.choice([b"---", b"--- a/x", b"diff --git a/x b/x", b"Index: x", b"---\t", b"--- "]), b" x | 1 +", b"", b"--- a/x", b"+++ b/x",
                b"@@ -1 +1 @@", "+ä".encode(), b"+ = "]
    return out


def entity(rng, depth):
    """Headers of a part and its body."""
    lines = []
    boundary = None
    if depth < 4 and rng.random() < (0.3 if depth == 0 else 0.15):
        boundary = b"b%d" % rng.randrange(1, 4)
        lines.append(b"Content-Type: multipart/" + rng.choice([b"mixed; boundary=" + boundary, b'alternative;\n boundary="' + boundary + b'"',
                                                              b"mixed; BOUNDARY=" + boundary + b"; charset=utf-8"]))
    charset = rng.choice(CHARSETS)
    if not boundary and rng.random() < 0.5:
        lines.append(b"Content-Type: text/plain; " + rng.choice([b"charset=" + charset.encode(), b'charset="' + charset.encode() + b'"',
                                                                 b"charset=utf-8; format=flowed", b"format=flowed; delsp=yes"]))
    transfer = rng.choice(["", "", "8bit", "base64", "quoted-printable", "Base64", "junk"])
    if transfer:
        lines.append(b"Content-Transfer-Encoding: " + transfer.encode())
    if boundary:
        body = rng.choice([b"", b"preamble\n"])
        for _ in range(rng.randrange(3)):
            headers, inner = entity(rng, depth + 1)
            if rng.random() < 0.1:
                headers.append(header(rng))
            body += b"--" + boundary + b"\n" + b"".join(h + b"\n" for h in headers) + rng.choice([b"\n", b"\n", b"\n", b""]) + inner
        body += rng.choice([b"--" + boundary + b"--\n", b"--" + boundary + b"--", b"", b"--zz--\n"]) + rng.choice([b"", b"epilogue\n"])
        return lines, body
    body = rng.choice([b"\n", b"\n", b"\n", b"\r\n"]).join(body_lines(rng, charset)) + rng.choice([b"\n", b"\n", b""])
    if transfer.lower() == "base64":
        body = base64.encodebytes(body) if rng.random() < 0.9 else rng.choice([body, base64.b64encode(body)[:-3], base64.b64encode(body) + b"=x\n"])
    elif transfer == "quoted-printable" and rng.random() < 0.9:
        body = quopri.encodestring(body)
    return lines, body


def mail(rng):
    headers, body = entity(rng, 0)
    lines = [header(rng) for _ in range(rng.randrange(5))] + headers
    rng.shuffle(lines)
    if rng.random() < 0.3:
        lines.insert(0, rng.choice([b"From x Mon Sep 17 00:00:00 2001", b">From x", b"", b" x"]))
    if rng.random() < 0.05:
        lines.insert(rng.randrange(len(lines) + 1), rng.choice([b"no header", b"a b: c", b":", b"\xe4: x", b"x\0: y"]))
    out = b"".join(line + b"\n" for line in lines) + b"\n" + body
    if rng.random() < 0.1:
        out = out.replace(b"\n", b"\r\n")
    if rng.random() < 0.1:
        out = out[:rng.randrange(len(out) + 1)]
    return out


# Without --encoding: what stock does there is not what its manual says; see Documentation/Differences.
def info(rng, _top):
    args = []
    for setting in ("mailinfo.scissors=true", "mailinfo.quotedcr=strip", "i18n.commitEncoding=iso-8859-1"):
        if rng.random() < 0.1:
            args += ["-c", setting]
    args.append("mailinfo")
    for option in ("-k", "-b", "-m", "-u", "-n", "--scissors", "--no-scissors", "--quoted-cr=" + rng.choice(["warn", "nowarn", "strip", "x"])):
        if rng.random() < 0.15:
            args.append(option)
    return args + ["msg", "patch"], mail(rng)


def file_diff(rng):
    name = rng.choice(["a", "b c", "dir/x", "é"])
    lines = ["diff --git a/%s b/%s" % (name, name)]
    lines += rng.choice([[], ["new file mode 100644"], ["deleted file mode 100755"], ["similarity index 90%", "rename from x", "rename to y"],
                         ["old mode 100644", "new mode 100755"], ["  odd"]])
    if rng.random() < 0.8:
        lines.append("index %07x..%07x%s" % (rng.randrange(1 << 28), rng.randrange(1 << 28), rng.choice(["", " 100644"])))
    if rng.random() < 0.15:
        return lines + rng.choice([["Binary files a/x and b/x differ"], ["GIT binary patch", "literal 3", "Kcmxyz", "", "literal 0", "HcmV", ""]])
    if rng.random() < 0.1:
        return lines
    lines += ["--- a/" + name, "+++ b/" + name] if rng.random() < 0.9 else ["--- a/" + name]
    for _ in range(rng.randrange(3)):
        body = ["%s%s" % (rng.choice(" +-"), rng.choice(["x", " y  z", "", "\t", "diff --git", "\r"])) for _ in range(rng.randrange(1, 5))]
        old, new = sum(b[0] in " -" for b in body), sum(b[0] in " +" for b in body)
        if rng.random() < 0.1:
            old += rng.randrange(-1, 3)
        lines.append(rng.choice(["@@ -1,%d +2,%d @@ f", "@@ -1,%d +2,%d @@", "@@ -3,%d +1,%d @@"]) % (max(old, 0), new))
        lines += body + rng.choice([[], [], ["\\ No newline at end of file"], ["\\ x"]])
    return lines


def ids(rng, _top):
    lines = []
    for _ in range(rng.randrange(4)):
        oid = "%040x" % rng.randrange(1 << 160)
        lines += rng.choice([["commit " + oid, "Author: x", "", "    subject", "    diff x", ""], [oid], ["From %s Mon Sep 17 00:00:00 2001" % oid, "", "---"], [],
                             ["commit " + oid + " (HEAD)", "", "--"], [oid.upper(), "x"]])
        for _ in range(rng.randrange(4)):
            lines += file_diff(rng)
        lines += rng.choice([[], [], ["-- ", "2.55.0", ""], [""], ["junk"]])
    if rng.random() < 0.1 and lines:
        del lines[rng.randrange(len(lines))]
    args = [a for s in ("patchid.stable=true", "patchid.verbatim=true") if rng.random() < 0.1 for a in ("-c", s)] + ["patch-id"]
    args += [o for o in ("--stable", "--unstable", "--verbatim") if rng.random() < 0.3]
    return args, "\n".join(lines).encode() + rng.choice([b"\n", b"\n", b""])


KINDS = {"trailers": trailers, "split": split, "mailboxes": mailboxes, "info": info, "ids": ids}


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
