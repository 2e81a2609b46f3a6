#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# diff-worktree.py GIT STOCK DIRECTORY SEED [LINES]
#
# A random work tree in DIRECTORY (changed, staged, deleted and conflicting files, links, modes,
# types, intended additions, submodules, filters, line ends), then as many random command lines of
# `diff`, `diff-index` and `diff-files`: GIT and STOCK have to print the same and end alike. The
# index is put back after each. The same SEED does the same.
# About one line in 300 differs from Git 2.55, and stays:
# - `diff -c TREE` and `diff --cc TREE` of stock do not refresh the index first, and show files of which
#   nothing but the time has changed, with an empty patch; `diff --raw TREE` shows such a file with a
#   null name. With diff.autoRefreshIndex=false both do the same.
# - A file that only core.autocrlf makes equal to the index is modified in stock, if its size differs.
# - `diff --exit-code --summary` (or --dirstat with -w) and files that differ: 0 in stock, 1 here.
# - --relative with combined diffs by --name-status: stock heeds it no more than in patches.
# Exit code: how many lines differed (99 at most); each is printed with its seed, and with SHOW=1
# in the environment how the outputs differ.
import difflib, os, random, shutil, subprocess, sys

ours, stock, where, seed = sys.argv[1:5]
ours, where = os.path.abspath(ours), os.path.abspath(where)
lines = int(sys.argv[5]) if len(sys.argv) > 5 else 100
rng = random.Random(int(seed))
env = dict(os.environ, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1", HOME=where, GIT_PAGER="cat",
           GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.com",
           GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@example.com",
           GIT_AUTHOR_DATE="1700000000 +0000", GIT_COMMITTER_DATE="1700000000 +0000")

def run(*argv, cwd=where, text=b""):
    r = subprocess.run(argv, cwd=cwd, env=env, input=text, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr

def git(*argv, **more):
    return run(stock, *argv, **more)[1].decode().strip()

# ---- files ----

WORDS = ["int f(int a)", "{", "\tif (a < 0)", "\t\treturn -a;", "}", "", "alpha beta", "x = y + 1;",
         "trailing  ", "        eight", "\ttab", "static char *g;", "<<<<<<< ours", "# about"]

def at(path):
    return os.path.join(where, path)

def text(n=None):
    return "".join(rng.choice(WORDS) + "\n" for _ in range(n or rng.randrange(1, 25)))

def clear(path):
    if os.path.islink(at(path)) or os.path.isfile(at(path)): os.unlink(at(path))
    elif os.path.isdir(at(path)): shutil.rmtree(at(path))

clock = 1500000000

def write(path, data):
    global clock
    same = os.path.isfile(at(path)) and read(path) == data
    clear(path)
    up = os.path.dirname(path)
    while up:
        if os.path.islink(at(up)) or os.path.isfile(at(up)): os.unlink(at(up))
        up = os.path.dirname(up)
    os.makedirs(os.path.dirname(at(path)) or where, exist_ok=True)
    with open(at(path), "w", newline="") as f:
        f.write(data)
    if same: # stock Git may be built without nanoseconds: let a new file show
        clock += 1
        os.utime(at(path), (clock, clock))

def read(path):
    try:
        with open(at(path), newline="") as f: return f.read()
    except (OSError, UnicodeDecodeError):
        return text()

def edit(data):
    l = data.splitlines(True)
    for _ in range(rng.choice([1, 1, 2, 4])):
        k, n = rng.randrange(len(l) + 1), rng.randrange(1, 4)
        what = rng.randrange(5)
        if what == 0: del l[k:k + n]
        elif what == 1: l[k:k] = [text(1) for _ in range(n)]
        elif what == 2: l[k:k + n] = [x.replace("a", "b", 1) for x in l[k:k + n]]
        elif what == 3: l[k:k + n] = [x.rstrip("\n") + " \n" for x in l[k:k + n]]
        else: l[k:k + n] = [x.rstrip("\r\n") + "\r\n" for x in l[k:k + n]]
    out = "".join(l)
    return out.rstrip("\n") if rng.randrange(15) == 0 else out

PATHS = ["a.c", "b.txt", "c", "dir/a.c", "dir/b", "dir/sub/c.txt", "dir/sub/d", "lf.lf", "crlf.crlf",
         "low.up", "z z", "q\"t", "\u00e9", "bin.bin", "empty", "exec.sh", "link", "dir/link",
         "ident.id", "t1/t2/t3", "x[1]", "dir.x", "dir-x"]

def link(path, to):
    clear(path)
    os.makedirs(os.path.dirname(at(path)) or where, exist_ok=True)
    os.symlink(to, at(path))

def submodule(path):
    os.makedirs(at(path))
    git("init", "-q", "-b", "main", cwd=at(path))
    for n in range(3):
        write(path + "/s", text())
        git("add", "s", cwd=at(path))
        git("commit", "-q", "-m", "s%d" % n, cwd=at(path))

def begin():
    if os.path.exists(where): shutil.rmtree(where)
    os.makedirs(where)
    git("init", "-q", "-b", "main")
    for key, value in [("filter.up.clean", "tr A-Z a-z"), ("filter.up.smudge", "tr a-z A-Z"),
                       ("diff.conv.textconv", "sed s/^/conv:/"), ("advice.x", "x")]:
        git("config", key, value)
    if rng.randrange(6) == 0: git("config", "core.filemode", "false")
    crlf = rng.randrange(6) == 0
    if crlf: git("config", "core.autocrlf", rng.choice(["input", "true"]))
    if rng.randrange(6) == 0: git("config", "core.ignorestat", "true")
    if rng.randrange(4) == 0: git("config", "diff.ignoreSubmodules",
                                  rng.choice(["all", "dirty", "untracked", "none"]))
    write(".gitattributes", "*.lf text eol=lf\n*.crlf text eol=crlf\n*.up filter=up\n"
          "*.bin -diff\n*.id ident\n" + rng.choice(["", "*.txt diff=conv\n" * (not crlf), "*.txt diff\n"]))
    for p in PATHS:
        if p.endswith("link"): link(p, rng.choice(["a.c", "nowhere", "../b.txt"]))
        elif rng.randrange(8): write(p, "" if p == "empty" else text() + ("\0" if p == "bin.bin" else ""))
    if os.path.exists(at("exec.sh")): os.chmod(at("exec.sh"), 0o755)
    if rng.randrange(2):
        submodule("m")
        if rng.randrange(2):
            write(".gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ./m\n" + rng.choice(
                ["", "\tignore = all\n", "\tignore = dirty\n", "\tignore = untracked\n"]))
    git("add", "-A")
    git("commit", "-q", "-m", "one")
    for n in range(2):
        for p in rng.sample(PATHS, 5): change(p)
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "more %d" % n)
        if n == 0:
            git("branch", "other")

def change(p):
    what = rng.randrange(14)
    if what < 5: write(p, edit(read(p)))
    elif what == 5: clear(p)
    elif what == 6: link(p, rng.choice(["a.c", "b.txt", "elsewhere"]))
    elif what == 7 and os.path.isfile(at(p)) and not os.path.islink(at(p)):
        os.chmod(at(p), os.stat(at(p)).st_mode ^ 0o111)
        os.utime(at(p), (1600000001, 1600000001))
    elif what == 8: clear(p); write(p + "/below", text())
    elif what == 9 and os.path.isfile(at(p)): os.utime(at(p), (1600000000, 1600000000))
    elif what == 10 and os.path.isfile(at(p)): # the same size, the same time
        s, d = os.stat(at(p)), read(p)
        write(p, d.replace("a", "b"))
        if "a" in d: os.utime(at(p), ns=(s.st_atime_ns, s.st_mtime_ns))
    elif what == 11 and os.path.isfile(at(p)): # a rename, perhaps with changes
        d = read(p); clear(p); write("new/" + os.path.basename(p), rng.choice([d, edit(d)]))
    elif what == 12 and os.path.isfile(at(p)): write("copy/" + os.path.basename(p), read(p))
    elif what == 13: write(p, text(40))

def conflict(p):
    blobs = [git("hash-object", "-w", "--stdin", text=text().encode()) for _ in range(3)]
    stages = rng.choice([(1, 2, 3), (2, 3), (1, 2), (1, 3), (1,), (2,), (3,)])
    info = "0 %s\t%s\n" % ("0" * len(blobs[0]), p)
    mode = lambda: rng.choice(["100644", "100644", "100755"] + ["120000"] * (not p.endswith(".txt")))
    info += "".join("%s %s %d\t%s\n" % (mode(), blobs[s - 1], s, p) for s in stages)
    git("update-index", "--index-info", text=info.encode())

def disturb():
    for p in rng.sample(PATHS, rng.randrange(1, 9)): change(p)
    git("add", "-A", *(rng.sample(["a.c", "dir", "*.txt", "new", "copy", "link", "m", "t1"], 3)))
    for p in rng.sample(PATHS, rng.randrange(0, 8)): change(p)
    if rng.randrange(2):
        write("ita", text()); write("new/ita", "")
        git("add", "-N", "ita", "new/ita")
        if rng.randrange(3) == 0: clear("ita")
    if rng.randrange(3) == 0:
        for p in rng.sample(PATHS + ["nofile"], 2):
            if not os.path.isdir(at(p)): conflict(p)
    if rng.randrange(5) == 0: git("rm", "-q", "--cached", rng.choice(PATHS[:6]))
    if rng.randrange(6) == 0: git("update-index", "--assume-unchanged", rng.choice(PATHS[:6]))
    if rng.randrange(6) == 0: git("update-index", "--skip-worktree", rng.choice(PATHS[:6]))
    if rng.randrange(6) == 0: git("update-index", "--chmod=" + rng.choice("+-") + "x", rng.choice(PATHS[:6]))
    if rng.randrange(5) == 0 and os.path.isdir(at("dir")): # behind a link
        os.rename(at("dir"), at("aside")); os.symlink("aside", at("dir"))
    if os.path.isdir(at("m/.git")):
        what = rng.randrange(7)
        if what == 0: git("checkout", "-q", "HEAD~1", cwd=at("m"))
        elif what == 1: write("m/s", text())
        elif what == 2: write("m/untracked", "x")
        elif what == 3: write("m/s", text()); git("add", "s", cwd=at("m"))
        elif what == 4: clear("m"); os.makedirs(at("m"))
        elif what == 5: clear("m")
    if rng.randrange(4) == 0: git("update-index", "-q", "--refresh")

# ---- command lines ----

SINGLE = [l.split() for l in open(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                               "diff-worktree.txt")) if l.strip() and l[0] != "#"]
TREES = ["HEAD", "HEAD~1", "HEAD~2", "HEAD^{tree}", "other", "HEAD:dir"]
SPECS = ["a.c", "dir", "dir/", "*.txt", ":(glob)**/c*", ":!dir", ":(icase)A.C", ":(top)b.txt", "m", "ita",
         ":(exclude)*.c", "x[1]", ":(literal)x[1]", ":(attr:diff)", "new", "link", "nowhere/x", "."]

def command():
    options, config = [], []
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        for o in rng.choice(SINGLE):
            o = o.replace("%20", " ")
            if "=" in o and not o.startswith("-"): config += ["-c", o]
            else: options.append(o)
    if "--quiet" in options: # it may stop at the first change, and then choose
        options = [o for o in options if not o.startswith(("-S", "-G", "--diff-filter"))]
    kind = rng.randrange(10)
    # stock Git has no unchanged files as sources after it has refreshed the index
    if kind < 3 or kind == 5: options = [o for o in options if "hard" not in o and o != "-C"]
    if kind < 3: argv = ["diff"] + options
    elif kind < 5: argv = ["diff"] + options + [rng.choice(["--cached", "--staged"])] + rng.choice([[], [], ["HEAD~1"], ["other"]])
    elif kind < 6: argv = ["diff"] + options + [rng.choice(TREES)]
    elif kind < 7: argv = ["diff-files"] + options + rng.choice([[], [], [], ["-0"], ["-1"], ["-2"], ["-3"], ["-q"]])
    elif kind < 8: argv = ["diff-index", "--cached"] + options + [rng.choice(TREES)]
    elif kind < 9: argv = ["diff-index"] + rng.choice([[], [], ["-m"]]) + options + [rng.choice(TREES)]
    else:
        argv = ["diff"] + options + rng.choice([["HEAD~1", "HEAD"], ["HEAD~2..HEAD"], ["other...HEAD"],
            ["--merge-base", "other"], ["--cached", "--merge-base", "other"], ["HEAD:a.c", "HEAD~1:a.c"],
            ["HEAD~1:a.c", "b.txt"], ["--merge-base", "other", "HEAD"], ["^HEAD~1", "HEAD"], ["HEAD", "^HEAD~1"],
            ["--base"], ["--ours"], ["--theirs"], ["-1"], ["-0"]])
    if rng.randrange(3) == 0: argv += ["--"] + rng.sample(SPECS, rng.choice([1, 1, 2]))
    return config + argv

def keep_index():
    with open(at(".git/index"), "rb") as f: data = f.read()
    s = os.stat(at(".git/index"))
    def back():
        with open(at(".git/index"), "wb") as f: f.write(data)
        os.utime(at(".git/index"), ns=(s.st_atime_ns, s.st_mtime_ns))
    return back

begin()
disturb()
bad = 0
back = keep_index()
for n in range(lines):
    argv = command()
    cwd = rng.choice([where] * 4 + [at(d) for d in ("dir", "t1", "new") if os.path.isdir(at(d)) and not os.path.islink(at(d))])
    a = run(stock, *argv, cwd=cwd); back()
    b = run(ours, *argv, cwd=cwd); back()
    if a[:2] == b[:2] or (a[0] > 1 and a[0] == b[0]) or a[0] < 0: # stock Git may crash
        continue
    if "relative" in " ".join(argv) and any(c in a[1] for c in (b"diff --c", b"\n::", b"\x00::")):
        continue # in combined diffs it heeds no --relative
    bad += 1
    print("seed %s: (%s) git %s: exit codes %d, %d" % (seed, os.path.relpath(cwd, where),
                                                     " ".join(argv), a[0], b[0]))
    if b[0] > 1: print("  " + b[2].decode(errors="replace").strip()[:200])
    if os.environ.get("SHOW"):
        print("\n".join(difflib.unified_diff(*[[repr(l) for l in x[1].split(b"\n")] for x in (a, b)],
                                             "stock", "ours", lineterm="")))
print("seed %s: %d of %d lines differ" % (seed, bad, lines))
sys.exit(min(bad, 99))
