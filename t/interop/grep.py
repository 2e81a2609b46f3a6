#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# OUR_GIT=.. PEER_GIT=.. grep.py SEED COUNT
#
# COUNT random command lines of `git grep` for each kind of patterns (basic, extended, fixed, perl), in a repository of
# random files: texts in ASCII, UTF-8 and other bytes, with functions, long lines, NULs, ends of lines of both kinds; with submodules.
# OUR_GIT and PEER_GIT have to print the same and end alike, in the locales C and C.UTF-8. The same SEED does the same.
# Exit code: 1 if some differed; each is printed, with SHOW=1 in the environment also the outputs.
#
# Not drawn, as answers differ (Documentation/Differences): -o with context or --break; paths below a submodule in a tree; marks
# between the files of submodules, where PEER_GIT leaves some out if it has one thread. PEER_GIT gets one thread: with several it
# leaves out the first line if it says that a binary file matches. PEER_GIT may find an empty line behind the last one: a
# difference does not count if there is none in the same files without their last ends of lines. An error of an expression is compared by its
# beginning: the libraries may be others. With -P a difference does not count if PCRE_GIT answers as OUR_GIT: a git whose PCRE2 is OUR_GIT's
# (/usr/bin/git by default). PCRE2 10.42 finds no "a" by "(?=a)(?>b|\(?+)a", 10.46 does.
import os, random, shutil, subprocess, sys, tempfile

ours, peer = os.environ["OUR_GIT"], os.environ["PEER_GIT"]
rng = random.Random(int(sys.argv[1]))
count = int(sys.argv[2])
where = tempfile.mkdtemp()
repo, cut = where + "/repo", where + "/cut"
base = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", GIT_CONFIG_GLOBAL=os.devnull, HOME=where, GIT_PAGER="cat", LANG="C")
SECONDS = 20

def chance(p): return rng.random() < p
def some(*choices): return rng.choice(choices)

# ---- texts ----

WORDS = ["a", "b", "ab", "aba", "foo", "foo_bar", "x1", "int", "return", "A", "FOO", "aab", "bb", "12", "7", "_", "a.b", "a*b", "(a)", "[b]", "\\d", "$x"]
ODD = ["é".encode(), "É".encode(), "ß".encode(), "日本".encode(), b"\xe9", b"\xff\xfe", "ſk".encode(), "K".encode(), b"\t", b"  "]

def word():
    return rng.choice(ODD) if chance(.1) else rng.choice(WORDS).encode()

def line():
    if chance(.12): return b""
    if chance(.08): return b"int " + rng.choice(WORDS).encode() + b"(void)"
    if chance(.02): return b" ".join(word() for _ in range(400))
    return some(b"", b"\t", b"  ") + some(b" ", b" ", b"", b"-").join(word() for _ in range(rng.randrange(1, 8)))

def make_text():
    end = b"\r\n" if chance(.1) else b"\n"
    body = end.join(line() for _ in range(rng.randrange(0, 40)))
    if chance(.1): body = body.replace(b" ", b"\0", 2)
    return body + (end if chance(.85) else b"")

def make_repository(repo, ends):
    os.mkdir(repo)
    def text(): return make_text() if ends else make_text().rstrip(b"\r\n")
    for i in range(60):
        path = "%s/%sf%d%s" % (repo, some("", "d/", "d/e/", "a b/"), i, some(".c", ".txt", ".py", ""))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f: f.write(text())
    with open(repo + "/.gitattributes", "wb") as f: f.write(b"*.py diff=python\n*3.txt -diff\n*4.txt diff" + (b"\n" if ends else b""))
    def git(*args, dir=repo): subprocess.run((peer, "-c", "user.name=a", "-c", "user.email=a@b") + args, cwd=dir, env=base, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    git("init", "-q", "-b", "main")
    for outer, path in (("/d/sub", "in ner"), ("", "d/sub"), ("", "zsub")): # the innermost one first
        dir = "%s%s/%s" % (repo, outer, path)
        os.makedirs(dir + "/d", exist_ok=True)
        if outer: git("init", "-q", "-b", "main", dir=repo + outer)
        for i in range(6):
            with open("%s/%sg%d.c" % (dir, some("", "d/"), i), "wb") as f: f.write(text())
        if not os.path.exists(dir + "/.git"): git("init", "-q", "-b", "main", dir=dir)
        git("add", ".", dir=dir)
        git("commit", "-q", "-m", "one", dir=dir)
        with open(dir + "/changed.c", "wb") as f: f.write(text())
        git("add", "changed.c", dir=dir)
        with open(dir + "/changed.c", "wb") as f: f.write(text())
        for setting in ("path", path), ("url", "x"): git("config", "-f", ".gitmodules", "submodule.%s.%s" % (path, setting[0]), setting[1], dir=repo + outer)
        git("config", "submodule.%s.url" % path, "x", dir=repo + outer)
        if not ends:
            with open(repo + outer + "/.gitmodules", "rb+") as f: f.truncate(os.path.getsize(f.name) - 1)
    git("add", ".")
    git("commit", "-q", "-m", "one")
    for i in range(4):
        with open("%s/untracked%d" % (repo, i), "wb") as f: f.write(text())
        with open("%s/f_changed%d" % (repo, i), "wb") as f: f.write(text())
        git("add", "f_changed%d" % i)
        with open("%s/f_changed%d" % (repo, i), "wb") as f: f.write(text())

# ---- expressions ----

def literal(kind):
    w = rng.choice(WORDS)
    if chance(.07): w = some("é", "É", "ß", "日", "k", "s")
    if chance(.3): w = w[:1]
    return w if chance(.15) else "".join("\\" + c if c in ".*[]^$\\" + ("()|+?{}" if kind != "basic" else "") else c for c in w)

def bracket(kind):
    inner = "".join(some("a", "b", "x", "a-c", "0-9", "A-Z", "[:alpha:]", "[:digit:]", "[:space:]", "[:upper:]", "_", ".", "*", "é") for _ in range(rng.randrange(1, 4)))
    return "[" + some("", "", "^") + some("", "", "]") + inner + "]"

def element(kind, depth):
    r = rng.random()
    if r < .5: return literal(kind)
    if r < .62: return bracket(kind)
    if r < .7: return "."
    if r < .8: return some("\\w", "\\W", "\\b", "\\<", "\\>", "\\s", "\\S", "\\B") if kind != "perl" else \
        some("\\w", "\\d", "\\s", "\\W", "\\D", "\\b", "\\B", "\\S", "\\x61", "\\p{L}", "\\h")
    if depth > 2: return literal(kind)
    inner = expression(kind, depth + 1)
    if kind == "basic": return "\\(" + inner + "\\)"
    return (some("(", "(", "(?:", "(?i:", "(?>") if kind == "perl" else "(") + inner + ")"

def around(): return some("(?=a)", "(?!b)", "(?<=o)", "(?<!a)")

def repetition(kind):
    if chance(.7): return ""
    n, m = rng.randrange(3), rng.randrange(4)
    many = some("%d" % n, "%d," % n, "%d,%d" % (n, max(n, m)), ",%d" % m)
    if kind == "perl" and many[0] == ",": many = "0" + many # another meaning before PCRE2 10.43
    if kind == "basic": return some("*", "\\+", "\\?", "\\{%s\\}" % many)
    return some("*", "+", "?", "{%s}" % many) + (some("", "", "?", "+") if kind == "perl" else "")

def branch(kind, depth):
    s = "".join(element(kind, depth) + repetition(kind) for _ in range(rng.randrange(1, 5)))
    if kind == "perl" and chance(.15): s = around() + s if chance(.5) else s + around()
    if chance(.08): s = "^" + s
    if chance(.08): s += "$"
    if depth == 0 and chance(.04) and "(" in s: s += "\\1"
    return s

def expression(kind, depth=0):
    bar = "\\|" if kind == "basic" else "|"
    return bar.join(branch(kind, depth) for _ in range(1 if chance(.75) else 2))

def pattern(kind):
    if chance(.03): return "".join(chr(rng.randrange(32, 127)) for _ in range(rng.randrange(1, 6))) # not valid, as a rule
    if kind != "fixed": return expression(kind)
    if chance(.03): return ""
    return some(" ", "", "").join(rng.choice(WORDS + ["é", "É"]) for _ in range(rng.randrange(1, 3)))

# ---- command lines ----

MARKS = ["-C1", "-C2", "-A1", "-B1", "-A3", "-B2", "-4", "-W", "-p", "--break"]
KIND = {"basic": ["-G"], "extended": ["-E"], "fixed": ["-F"], "perl": ["-P"]}

def operators(kind, n):
    if n == 1: return (["--not"] if chance(.15) else []) + ["-e", pattern(kind)]
    k = rng.randrange(1, n)
    both = operators(kind, k) + some(["--and"], ["--or"], [], []) + operators(kind, n - k)
    return ["("] + both + [")"] if chance(.3) else both

def patterns(kind):
    if chance(.65): return ["-e", pattern(kind)]
    if chance(.2):
        with open(where + "/list", "w") as f: f.write("".join(pattern(kind) + "\n" for _ in range(rng.randrange(1, 4))))
        return ["-f", where + "/list"]
    return operators(kind, rng.randrange(2, 5))

def output():
    o = []
    def maybe(p, *options):
        if chance(p): o.append(rng.choice(options))
    maybe(.3, "-i"); maybe(.2, "-w"); maybe(.1, "-v"); maybe(.4, "-n"); maybe(.15, "--column"); maybe(.1, "-h")
    maybe(.12, "-c", "-l", "-L", "-q"); maybe(.08, "--all-match"); maybe(.1, "-m1", "-m2", "-m3"); maybe(.15, "--color=always")
    maybe(.06, "--heading"); maybe(.06, "--break"); maybe(.05, "-z"); maybe(.15, "-a", "-I"); maybe(.1, "-p"); maybe(.07, "-W")
    if chance(.15): o.append("-o")
    else: maybe(.2, "-C1", "-C2", "-A1", "-B1", "-A3", "-B2", "-4")
    if "-o" in o: o = [x for x in o if x not in ("-p", "-W", "--break")]
    return o

def places():
    r = rng.random()
    before = ["--cached"] if r < .1 else ["--untracked"] if r < .2 else ["--max-depth", "1"] if r < .25 else []
    after = ["HEAD"] if .3 < r < .45 else []
    return before, after + (["--", some("d", "*.c", ":!d", "d/e", "*.py")] if chance(.25) else [])

def command_line(kind):
    before, after = places()
    shown = output()
    if "--untracked" not in before and chance(.25):
        before = before + ["--recurse-submodules"]
        shown = [o for o in shown if o not in MARKS]
        if "HEAD" in after and after[-1] in ("*.c", "d/e", "*.py"): after = ["HEAD"]
    return ["grep"] + KIND[kind] + shown + before + patterns(kind) + after

# ---- both ----

def run(git, argv, env, repo):
    try:
        r = subprocess.run([git] + argv, cwd=repo, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
        failed = b"failed with error" in r.stderr # after more or less output
        return r.returncode, b"" if failed else r.stdout, r.stderr.split(b"'")[0].split(b" code ")[0]
    except subprocess.TimeoutExpired:
        return "time", b"", b""

before = rng.getstate()
make_repository(cut, False)
rng.setstate(before)
make_repository(repo, True)

def both(argv, env, repo):
    return run(peer, ["grep", "--threads=1"] + argv[1:], env, repo), run(ours, argv, env, repo)

def is_of_library(argv, env, b):
    return "-P" in argv and run(os.environ.get("PCRE_GIT", "/usr/bin/git"), ["grep", "--threads=1"] + argv[1:], env, repo) == b

differ = slow = behind = library = 0
for kind in KIND:
    for _ in range(count):
        argv = command_line(kind)
        env = dict(base, LC_ALL=some("C", "C.UTF-8"))
        a, b = both(argv, env, repo)
        if "time" in (a[0], b[0]):
            slow += 1
        elif a != b and len(set(both(argv, env, cut))) == 1:
            behind += 1
        elif a != b and is_of_library(argv, env, b):
            library += 1
        elif a != b:
            differ += 1
            print("LC_ALL=%s %s" % (env["LC_ALL"], argv))
            if os.environ.get("SHOW"):
                for name, r in (("peer", a), ("ours", b)): print("  %s: %s %s" % (name, r[0], r[2])); sys.stdout.flush(); open("%s/%s" % (where, name), "wb").write(r[1])
                subprocess.run("diff -a %s/peer %s/ours | head -8" % (where, where), shell=True)
print("grep.py: seed %s, %d command lines, %d differ, %d only behind the last line, %d by another PCRE2, %d took more than %d seconds" %
    (sys.argv[1], 4 * count, differ, behind, library, slow, SECONDS))
if os.environ.get("KEEP"): print(where)
else: shutil.rmtree(where)
sys.exit(differ != 0)
