#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# diff-merges.py GIT STOCK DIRECTORY SEED [LINES]
#
# A random history with merges of two and three parents in DIRECTORY, then as many random command
# lines of `log`, `show`, `diff` and `diff-tree` about them: GIT and STOCK have to print the same and
# end alike. The same SEED does the same. Exit code: how many lines differed (99 at most); each is
# printed with its seed, and with SHOW=1 in the environment how the outputs differ.
import difflib, os, random, shutil, subprocess, sys

ours, stock, where, seed = sys.argv[1:5]
ours, where = os.path.abspath(ours), os.path.abspath(where)
lines = int(sys.argv[5]) if len(sys.argv) > 5 else 100
rng = random.Random(int(seed))
env = dict(os.environ, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1", HOME=where, GIT_PAGER="cat",
           GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.com",
           GIT_COMMITTER_NAME="C", GIT_COMMITTER_EMAIL="c@example.com")

def run(*argv, text=b""):
    r = subprocess.run(argv, cwd=where, env=env, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr

def git(*argv, **more):
    return run(stock, *argv, **more)[1].decode().strip()

WORDS = ["int f(int a)", "{", "\tif (a)", "\t\treturn;", "}", "", "alpha", "beta  gamma", "$x", "_y", "z\r", "# c"]

def line(): return rng.choice(WORDS) + "\n"

def edit(data):
    l = data.splitlines(True)
    for _ in range(rng.choice([1, 1, 2, 3])):
        k, n = rng.randrange(len(l) + 1), rng.randrange(1, 4)
        what = rng.randrange(5)
        if what == 0: del l[k:k + n]
        elif what == 1: l[k:k] = [line() for _ in range(n)]
        elif what == 2: l[k:k + n] = [x.replace("a", "b", 1) for x in l[k:k + n]]
        elif what == 3: l[k:k + n] = [x.rstrip("\n") + " \n" for x in l[k:k + n]]
        else: l[k:k + n] = [line() for _ in range(n)]
    out = "".join(l)
    return out.rstrip("\n") if rng.randrange(20) == 0 else out

def mix(a, b):
    """Lines of both, as somebody might merge them."""
    out = []
    for tag, i, k, j, m in difflib.SequenceMatcher(None, a.splitlines(True), b.splitlines(True)).get_opcodes():
        x, y = a.splitlines(True)[i:k], b.splitlines(True)[j:m]
        out += x if tag == "equal" or rng.randrange(2) else rng.choice([y, y + x, x + y])
    return "".join(out)

PATHS = ["a.c", "b", "dir/c", "dir/d", "z z", "e"]

def change(files):
    files = dict(files)
    for p in rng.sample(list(files), min(len(files), rng.choice([1, 2, 3]))):
        mode, data = files[p]
        what = rng.randrange(14)
        if what == 0 and len(files) > 2: del files[p]
        elif what == 1: files["moved/" + os.path.basename(p)] = files.pop(p)
        elif what == 2: files[p] = ("100755" if mode == "100644" else "100644", data)
        elif what == 3: files[p] = ("120000", "target")
        elif what == 4: files["new%d" % rng.randrange(4)] = ("100644", edit(data))
        elif what == 5: files[p] = (mode, data + "\0")
        else: files[p] = (mode, edit(data))
    return files

def merged(sides):
    out = {}
    for p in sorted(set().union(*sides)):
        have = [s[p] for s in sides if p in s]
        if len(have) < len(sides) and rng.randrange(2): continue
        data = have[0][1]
        for h in have[1:]: data = mix(data, h[1]) if h[1] != data else data
        out[p] = (rng.choice(have)[0], edit(data) if rng.randrange(4) == 0 else data)
    return out or dict(sides[0])

clock = 1700000000

def commit(files, parents):
    global clock
    clock += 1
    env["GIT_AUTHOR_DATE"] = env["GIT_COMMITTER_DATE"] = "%d +0000" % clock
    git("read-tree", "--empty")
    info = "".join("%s %s\t%s\n" % (m, git("hash-object", "-w", "--stdin", text=d.encode()), p)
                   for p, (m, d) in files.items())
    git("update-index", "--index-info", text=info.encode())
    args = [x for p in parents for x in ("-p", p)]
    return git("commit-tree", "-m", "commit %d" % (clock - 1700000000), *args, git("write-tree"))

if os.path.exists(where): shutil.rmtree(where)
os.makedirs(where)
git("init", "-q", "-b", "main")
tips = [{p: ("100644", "".join(line() for _ in range(rng.randrange(3, 25)))) for p in PATHS}]
names = [commit(tips[0], [])]
commits = []
for _ in range(14):
    if len(tips) > 1 and rng.randrange(2) == 0:
        n = min(len(tips), rng.choice([2, 2, 2, 3]))
        pick = rng.sample(range(len(tips)), n)
        files = merged([tips[i] for i in pick])
        name = commit(files, [names[i] for i in pick])
        tips[pick[0]], names[pick[0]] = files, name
    else:
        i = rng.randrange(len(tips))
        files = change(tips[i])
        name = commit(files, [names[i]])
        if len(tips) < 4 and rng.randrange(2): tips.append(files); names.append(name)
        else: tips[i], names[i] = files, name
    commits.append(name)
files = merged(tips)
commits.append(commit(files, names))
git("update-ref", "refs/heads/main", commits[-1])
merges = git("rev-list", "--min-parents=2", "main").split()

SINGLE = ["-c", "--cc", "--cc", "-m", "-p", "--raw", "--stat", "--numstat", "--shortstat", "--summary",
          "--name-only", "--name-status", "-M", "--no-renames", "-C", "-B", "-w", "-b", "-U0", "-U1", "-U7",
          "--full-index", "--abbrev=9", "--color=always", "-z", "--diff-filter=M", "--diff-filter=AD", "-Salpha", "-Gbeta",
          "--patience", "--histogram", "--ignore-blank-lines", "-a", "--no-prefix", "-R", "-W",
          "--line-prefix=|", "--first-parent", "--diff-merges=separate", "--diff-merges=1",
          "--diff-merges=cc", "--diff-merges=c", "--no-diff-merges", "-s", "--dirstat=lines,0", "--src-prefix=x/"]

def command():
    options = rng.sample(SINGLE, rng.choice([0, 1, 1, 2, 3]))
    if set(options) & {"-c", "--cc"} and rng.randrange(4) == 0: options.append("--combined-all-paths")
    kind = rng.randrange(6)
    if kind == 0: argv = ["log"] + options + rng.choice([[], ["--format=%s"], ["--oneline"], ["--graph"]])
    elif kind < 3: argv = ["show"] + options + rng.choice([[], ["--format=%h"], ["--oneline"]]) + [rng.choice(merges)]
    elif kind < 5:
        argv = ["diff-tree"] + options + rng.choice([[], ["-r"], ["--pretty"], ["--no-commit-id"], ["-v"], ["--root", "-r"]])
        argv += [rng.choice(commits + merges)] if rng.randrange(4) else rng.sample(commits, 2)
    else:
        m = rng.choice(merges)
        options = [o for o in options if "merges" not in o and o != "--first-parent"]
        argv = ["diff"] + options + rng.choice([[m + "^", m], [m] + git("rev-parse", m + "^@").split(), ["%s...%s" % tuple(rng.sample(commits, 2))]])
    if argv[0] != "diff-tree" and rng.randrange(4) == 0: argv += ["--"] + rng.sample(["a.c", "dir", "moved", "*c"], 1)
    return argv

bad = 0
for n in range(lines):
    argv = command()
    a, b = run(stock, *argv), run(ours, *argv)
    if a[:2] == b[:2] or (a[0] > 1 and a[0] == b[0]) or a[0] < 0:
        continue
    bad += 1
    print("seed %s: git %s: exit codes %d, %d" % (seed, " ".join(argv), a[0], b[0]))
    if b[0] > 1: print("  " + b[2].decode(errors="replace").strip()[:200])
    if os.environ.get("SHOW"):
        print("\n".join(difflib.unified_diff(*[[repr(l) for l in x[1].split(b"\n")] for x in (a, b)],
                                             "stock", "ours", lineterm="")))
print("seed %s: %d of %d lines differ" % (seed, bad, lines))
sys.exit(min(bad, 99))
