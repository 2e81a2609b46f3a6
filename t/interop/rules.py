#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random ignore and attribute files: what two implementations make of them, byte for byte.

usage: rules.py GIT OTHER-GIT [ROUNDS [SEED [KIND...]]]

KIND is "ignore" or "attributes". A round is one set of files with rules (in several directories, in info/, in a file of the
user), asked about all paths. Prints what differs; exit code 1 if anything does. Differences that are meant to be, and are not
counted:

- a message about a line of an attribute file comes once, when the file is read; 2.55 repeats it when it reads the file again,
  and reads files in another order
- `clean` says "Would skip repository" for other ignored repositories than 2.55: neither removes one
- `builtin_objectmode` is not there yet
"""
import os
import random
import re
import subprocess
import sys
import tempfile

DIRS = ["a", "a/b", "a/b/c", "d", "d/a", "A", "foo", "foo/bar", "d/foo", "sp ace", "a/[x]", "-d", "#d", "!d", "e.f"]
NAMES = ["a", "b", "foo", "bar", "foo.o", "a.txt", "A.TXT", "x y", "#x", "!x", "[x]", "x*", "back\\slash", "-", "trail ", "tab\tx", "q\"q",
         "\u00e4", "x", ".x", "foobar", "1", "a-b", "^", "]"]
PIECES = ["a", "b", "c", "foo", "bar", "*", "*", "**", "?", "[a-c]", "[!a]", "[^b]", "[[:alpha:]]", "[x]", "\\*", "\\", "\\a", "\\[x\\]", "[", "]", "x",
          "*.o", "*.txt", "a.txt", ".", "..", "#", "!", " ", "\\ ", "[]]", "[]-a]", "[a-]", "[[:nope:]]", "[\\]]", "\u00e4", "[\u00e4]", "-", "*a", "a*",
          "f*o", "*b*", "e.f", "sp ace", "**a", "a**", "[A-Z]", "[[:upper:]]", "[!/]", "[z-a]", "***", "?oo", "d"]
ENDS = ["\n"] * 14 + ["\r\n", " \n", "\t\n", "\\ \n", "\\\n", "  \r\n", ""]
NAMES_OF_ATTRIBUTES = ["a1", "b2", "text", "diff", "binary", "eol", "m1", "m2", "merge", "A1", "x.y", "x-y", "x_y", "-x", "!x", "x/y", "", "x,y", "\u00e4",
                       "builtin_objectmode", "builtin_x", "filter", "crlf"]
VALUES = ["=v", "=w", "=", "=v=w", "=\"q\"", "=v,w", "=\u00e4", "=true", "=false", "=auto", "=lf", "=unset", "=unspecified", "=set"]


def pattern(rng):
    parts = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        parts.append("".join(rng.choice(PIECES) for _ in range(rng.choice([1, 1, 1, 1, 2, 2, 3]))))
    if rng.random() < 0.3:
        parts = (rng.choice(DIRS) + "/" + rng.choice(NAMES)).split("/")[-rng.randrange(1, 4):]
    text = "/".join(parts)
    if rng.random() < 0.2:
        text = "/" + text
    if rng.random() < 0.25:
        text += rng.choice(["/", "/", "/**", "/*", "//", "/."])
    return text


def ignore_line(rng):
    kind = rng.random()
    if kind < 0.04:
        return rng.choice(["# comment", "", " ", "!", "/", "//", "\\", "!/", "#", "\\#x", "\\!x", "**/", "/**", "/*", "!*", "!*/", "*", "\0a", "a\0b"])
    return ("!" if rng.random() < 0.25 else "") + pattern(rng)


def attribute_words(rng):
    words = []
    for _ in range(rng.randrange(0, 4)):
        word = rng.choice(["", "", "", "", "-", "!", "--", "!-", "-!"]) + rng.choice(NAMES_OF_ATTRIBUTES[:9] if rng.random() < 0.85 else NAMES_OF_ATTRIBUTES)
        if rng.random() < 0.4:
            word += rng.choice(VALUES)
        words.append(word)
    return rng.choice([" ", " ", "\t", "  ", " \t", "\r", "\x0b"] if rng.random() < 0.1 else [" "]).join(words)


def quoted(rng, text):
    text = text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\t", "\\t")
    if rng.random() < 0.3:
        text = "".join("\\%03o" % b if rng.random() < 0.3 else chr(b) for b in text.encode() if b < 128)
    return rng.choice(["\"%s\"", "\"%s\"", "\"%s\"", "\"%s\"", "\"%s\"", "\"%s", "\"%s\"x", " \"%s\""]) % text


def attribute_line(rng):
    kind = rng.random()
    if kind < 0.05:
        return rng.choice(["# comment", "", " ", "!a text", "[attr]", "[attr]m3", "[attr] m3 a1", "[attr]m1 m2 a1", "[attr]-x a1", "\\#x a1", "\"", "\"\" a1",
                           "[attr]builtin_m a1", "* a1\0b2", "[attr]m1\ta1"])
    if kind < 0.15:
        return "[attr]" + rng.choice(["m1", "m2", "binary", "a1", "m-3"]) + " " + attribute_words(rng)
    text = ("!" if kind < 0.18 else "") + pattern(rng)
    if kind > 0.8 and rng.random() < 0.7:
        text = quoted(rng, text)
    return rng.choice(["", "", "", "", "", "", " ", "\t"]) + text + rng.choice([" ", " ", " ", "\t", "  "]) + attribute_words(rng)


def rules(rng, line, most):
    lines = "".join(line(rng) + rng.choice(ENDS) for _ in range(rng.randrange(0, most)))
    return (rng.choice(["", "", "", "", "", "", "", "\ufeff"]) + lines).encode()


class Tree:
    """Files in all directories, some of them in the index; rules are written anew in each round."""

    def __init__(self, top, git, rng):
        self.top, self.git, self.rules = top, git, []
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CEILING_DIRECTORIES"}
        self.env.update({"HOME": top + "/home", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"})
        os.makedirs(top + "/home")
        self.work = top + "/work"
        self.ask(["init", "-q", "-b", "main", self.work], at=top)
        self.paths = []
        for d in DIRS:
            os.makedirs(os.path.join(self.work, d), exist_ok=True)
        for d in [""] + DIRS:
            for name in rng.sample(NAMES, 6 if d else 12):
                path = os.path.join(d, name)
                if os.path.lexists(os.path.join(self.work, path)):
                    continue
                with open(os.path.join(self.work, path), "w"):
                    pass
                self.paths.append(path)
        os.makedirs(self.work + "/empty/dir")
        self.ask(["init", "-q", self.work + "/nested/repo"])
        os.symlink("a", self.work + "/link")
        tracked = rng.sample(self.paths, 12)
        self.ask(["add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"], "\0".join(":(literal)" + p for p in tracked).encode())
        self.asked = ([p for p in self.paths] + DIRS + [d + "/" for d in DIRS[:6]] + ["missing", "missing/a", "a/missing.o", "link", "empty", "empty/dir/x",
                      "./a", "a//b", "a/./b", "d/../a", "foo/"])

    def ask(self, args, text=None, at=None):
        done = subprocess.run([self.git, "-C", at or self.work] + args, input=text, env=self.env, capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def write(self, path, text):
        path = os.path.join(self.top, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text)
        self.rules.append(path)

    def forget(self):
        for path in self.rules:
            os.unlink(path)
        self.rules = []


def write_ignores(rng, tree):
    files = {"work/.gitignore": rules(rng, ignore_line, 7)}
    for d in rng.sample(DIRS[:9], rng.randrange(0, 3)):
        files["work/%s/.gitignore" % d] = rules(rng, ignore_line, 4)
    if rng.random() < 0.3:
        files["work/.git/info/exclude"] = rules(rng, ignore_line, 4)
    if rng.random() < 0.3:
        files["home/.config/git/ignore"] = rules(rng, ignore_line, 4)
    for path, text in files.items():
        tree.write(path, text)
    return files


def ask_ignores(rng, tree):
    fold = ["-c", "core.ignoreCase=true"] if rng.random() < 0.1 else []
    paths = "\0".join(tree.asked).encode() + b"\0"
    yield fold + ["check-ignore", "-v", "-n", "--stdin", "-z"], paths
    yield fold + ["check-ignore", "--no-index", "--stdin", "-z"], paths
    more = [["ls-files", "-o", "--exclude-standard"], ["ls-files", "-o", "-i", "--exclude-standard"], ["ls-files", "-c", "-i", "--exclude-standard"],
            ["ls-files", "-o", "-i", "--exclude-standard", "--directory"], ["ls-files", "-o", "--exclude-standard", "--directory"],
            ["ls-files", "-o", "--exclude-standard", "--directory", "--no-empty-directory"], ["status", "--porcelain", "--ignored"],
            ["status", "--porcelain", "-uall", "--ignored"], ["status", "--porcelain", "--ignored=matching"], ["status", "--porcelain", "-uall",
            "--ignored=matching"], ["status", "--porcelain", "-unormal"], ["clean", "-nd"], ["clean", "-ndX"], ["clean", "-ndx"], ["clean", "-nX"],
            ["status", "--porcelain", "--ignored", "a", "foo"], ["ls-files", "-o", "--exclude-standard", "a/*", "d"], ["add", "-n", "."],
            ["ls-files", "-o", "-i", "--exclude-per-directory=.gitignore"], ["ls-files", "-o", "-X", ".gitignore"],
            ["ls-files", "-o", "-x", pattern(rng), "-x", "!" + pattern(rng)], ["add", "-n", "-A", "-v", "--ignore-errors", "a"]]
    for args in rng.sample(more, 4):
        yield fold + args, None


def write_attributes(rng, tree):
    files = {"work/.gitattributes": rules(rng, attribute_line, 7)}
    for d in rng.sample(DIRS[:9], rng.randrange(0, 3)):
        files["work/%s/.gitattributes" % d] = rules(rng, attribute_line, 4)
    if rng.random() < 0.3:
        files["work/.git/info/attributes"] = rules(rng, attribute_line, 4)
    if rng.random() < 0.3:
        files["home/.config/git/attributes"] = rules(rng, attribute_line, 4)
    for path, text in files.items():
        tree.write(path, text)
    return files


def ask_attributes(rng, tree):
    fold = ["-c", "core.ignoreCase=true"] if rng.random() < 0.1 else []
    paths = "\0".join(tree.asked).encode() + b"\0"
    names = rng.sample(NAMES_OF_ATTRIBUTES[:13], 4)
    yield fold + ["check-attr", "-a", "--stdin", "-z"], paths
    yield fold + ["check-attr", *names, "--stdin", "-z"], paths
    yield fold + ["check-attr", "--stdin", *names[:2]], "\n".join(p for p in tree.asked if '"' not in p).encode() + b"\n"
    yield ["check-attr", rng.choice([n for n in NAMES_OF_ATTRIBUTES if n[:1] != "-" and n != "builtin_objectmode"] + ["a1=x", "!a1"]), "a"], None
    yield fold + ["ls-files", ":(attr:%s)" % rng.choice(["a1", "-a1", "!a1", "a1=v", "a1 b2", "m1", "text", "-text a1=w", "binary"])], None
    yield ["ls-files", "--eol"], None


KINDS = {"ignore": (write_ignores, ask_ignores), "attributes": (write_attributes, ask_attributes)}


def without_listed(answer):
    """Without differences that are meant to be: see the top."""
    code, out, err = answer
    return code, re.sub(rb"(?m)^Would skip repository .*\n", b"", out), b"\n".join(sorted(set(err.split(b"\n"))))


def compare(gits, kind, rounds, seed, show):
    differ, count, total = 0, {}, 0
    write, asks = KINDS[kind]
    with tempfile.TemporaryDirectory() as top:
        rng = random.Random("%d %s" % (seed, kind))
        tree = Tree(top, gits[1], rng)
        for n in range(rounds):
            rng = random.Random("%d %s %d" % (seed, kind, n))
            files, bad = write(rng, tree), False
            for args, text in asks(rng, tree):
                answers = []
                for git in gits:
                    tree.git = git
                    answers.append(tree.ask(args, text))
                total += 1
                answers = [without_listed(a) for a in answers]
                if answers[0] == answers[1]:
                    continue
                bad, name, command = True, " ".join(args), args[2 if args[0] == "-c" else 0]
                count[command] = count.get(command, 0) + 1
                if differ < show:
                    print("round %d: %s: %s" % (n, kind, name))
                    for path, text in files.items():
                        print("  %s: %r" % (path, text))
                    for x, y in zip(*answers):
                        if x != y:
                            print_difference(x, y)
            differ += bad
            tree.forget()
            if n % 500 == 499:
                sys.stdout.flush()
    print("%s: %d of %d rounds differ (%d commands): %s" % (kind, differ, rounds, total, count))
    return bool(differ)


def print_difference(x, y):
    if isinstance(x, int):
        print("  exit codes %d, %d" % (x, y))
        return
    sep = b"\0" if b"\0" in x + y else b"\n"
    a, b = x.split(sep), y.split(sep)
    at = next((i for i, (p, q) in enumerate(zip(a, b)) if p != q), min(len(a), len(b)))
    print("  %r\n  %r" % (a[max(at - 3, 0):at + 4], b[max(at - 3, 0):at + 4]))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    bad = [compare(gits, kind, rounds, seed, int(os.environ.get("SHOW", "3"))) for kind in sys.argv[5:] or KINDS]
    return any(bad)


if __name__ == "__main__":
    sys.exit(main())
