#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# diff-options.py GIT STOCK DIRECTORY SEED [LINES]
#
# A random history in DIRECTORY, then as many random command lines of `log` with options of
# git-diff(1): GIT and STOCK have to print the same and end alike. The same SEED does the same.
# Exit code: how many lines differed (99 at most); each is printed with its seed.
import os, random, subprocess, sys

ours, stock, where, seed = sys.argv[1:5]
ours, where = os.path.abspath(ours), os.path.abspath(where)
lines = int(sys.argv[5]) if len(sys.argv) > 5 else 200
rng = random.Random(int(seed))
env = dict(os.environ, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1", HOME=where, GIT_PAGER="cat",
           GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.com",
           GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@example.com")

def run(*argv):
    r = subprocess.run(argv, cwd=where, env=env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr

CODE = ["int %s(int a)", "{", "\tif (a < 0)", "\t\treturn -a;", "\tfor (int i = 0; i < a; i++)",
        "\t\tprintf(\"%%d\", i);", "\treturn a;", "}", "", "/* about %s */", "static char *%s;",
        "  two blanks", "\t \ttab, blank, tab", "ends in blanks  ", "#define %s 1", "a.b c-d e_f",
        "x = y + 1;", "<<<<<<< one", "=======", "        eight blanks"]

def line():
    text = rng.choice(CODE)
    return (text % rng.choice("f g h go stop put get".split()) if "%s" in text
            else text.replace("%%", "%")) + "\n"

def change(text):
    text = list(text)
    for _ in range(rng.choice([1, 1, 2, 3, 6])):
        at, n = rng.randrange(len(text) + 1), rng.randrange(1, 6)
        what = rng.randrange(8)
        if what == 0: del text[at:at + n]
        elif what == 1: text[at:at] = [line() for _ in range(n)]
        elif what == 2:
            moved = text[at:at + 3 * n]; del text[at:at + 3 * n]
            to = rng.randrange(len(text) + 1); text[to:to] = moved
        elif what == 3: text[at:at + n] = ["\t" + l for l in text[at:at + n]]
        elif what == 4: text[at:at + 1] = [l.replace("a", "b", 1) for l in text[at:at + 1]]
        elif what == 5: text[at:at + n] = [" ".join(l.split(" ")[::-1]) + "\n" if l.strip() else l
                                           for l in map(lambda l: l.rstrip("\n"), text[at:at + n])]
        elif what == 6: text[at:at] = ["\n"] * n
        else: text[at:at + n] = [l.replace(" ", "  ") for l in text[at:at + n]]
    if rng.randrange(12) == 0 and text: text[-1] = text[-1].rstrip("\n")
    return [l if l.endswith("\n") or i == len(text) - 1 else l + "\n" for i, l in enumerate(text)]

PATHS = ["a.c", "dir/b.c", "dir/sub/c.txt", "dir/sub/d.py", "other/e", "z z", "bin", "empty"]

def history(commits):
    if os.path.exists(where):
        subprocess.run(["rm", "-rf", where])
    os.makedirs(where)
    run(stock, "init", "-q", "-b", "main")
    run(stock, "config", "core.autocrlf", "false")
    files = {p: [line() for _ in range(rng.randrange(5, 60))] for p in PATHS}
    files["empty"], files["bin"] = [], ["\0"] + files["bin"]
    for n in range(commits):
        for p in [p for p in files if rng.randrange(3) == 0 or n == 0]:
            what = rng.randrange(14) if n else 13
            if what == 0 and len(files) > 3: del files[p]
            elif what == 1: files["moved%d/%s" % (n, os.path.basename(p))] = change(files.pop(p))
            elif what == 2: files["copy%d" % n] = list(files[p])
            else: files[p] = change(files[p]) if n else files[p]
        run(stock, "rm", "-rq", "--cached", "--ignore-unmatch", ".")
        subprocess.run("find . -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +",
                       shell=True, cwd=where)
        for p, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(where, p)) or where, exist_ok=True)
            with open(os.path.join(where, p), "w", newline="") as f:
                f.write("".join(text))
        env["GIT_AUTHOR_DATE"] = env["GIT_COMMITTER_DATE"] = "%d +0000" % (1700000000 + n)
        run(stock, "add", "-A")
        run(stock, "commit", "-q", "--allow-empty", "-m", "commit %d" % n)
    with open(os.path.join(where, ".git", "order"), "w") as f:
        f.write("# first\n*.py\n\ndir/*\n")

SINGLE = [l.split() for l in open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                               "diff-options.txt")) if l.strip() and l[0] != "#"]

def command():
    options = []
    for _ in range(rng.choice([1, 2, 2, 3, 4, 5])):
        options += [o.replace("%20", " ") for o in rng.choice(SINGLE)]
    config = []
    while options and "=" in options[0] and not options[0].startswith("-"):
        config += ["-c", options.pop(0)]
    rest = []
    while options:
        o = options.pop(0)
        if "=" in o and not o.startswith("-"): config += ["-c", o]
        else: rest.append(o)
    return config + ["log", "--format=%s"] + rest

history(12)
bad = 0
for n in range(lines):
    argv = command()
    if not any(a.startswith(("-s", "--name", "--raw", "--stat", "--check", "--dirstat", "--summ"))
               for a in argv) or rng.randrange(2):
        argv.insert(argv.index("log") + 1, "-p")
    a, b = run(stock, *argv), run(ours, *argv)
    if a[:2] == b[:2] or (a[0] and a[0] == b[0]):
        continue
    bad += 1
    print("seed %s: git %s: exit codes %d, %d" % (seed, " ".join(argv), a[0], b[0]))
    if b[0] > 1: print("  " + b[2].decode(errors="replace").strip()[:200])
print("seed %s: %d of %d lines differ" % (seed, bad, lines))
sys.exit(min(bad, 99))
