#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
#
# log-lines.py GIT STOCK DIRECTORY SEED [LINES [COMMITS]]
#
# A random history of files with functions in DIRECTORY: changes, renames, merges of what both sides have changed. Then
# as many random command lines of `log -L`: GIT and STOCK have to print the same and end alike. The same SEED
# does the same. Exit code: how many lines differed (99 at most); each is printed, and with SHOW=1 in the environment
# how the outputs differ.
#
# Where several files are followed through renames, Git 2.55 can lose lines: they are compared without renames. With a
# commit-graph it rewrites parents in another way: it gets none. It draws no graph beside some lines of --word-diff.
import copy, difflib, os, random, re, shutil, subprocess, sys

ours, stock, where, seed = sys.argv[1:5]
ours, where = os.path.abspath(ours), os.path.abspath(where)
lines = int(sys.argv[5]) if len(sys.argv) > 5 else 100
commits = int(sys.argv[6]) if len(sys.argv) > 6 else 120
rng = random.Random(int(seed))
env = dict(os.environ, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1", HOME=where, GIT_PAGER="cat")

def run(*argv, text=b""):
    r = subprocess.run(argv, cwd=where, env=env, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr

def git(*argv, **more):
    code, out, err = run(stock, *argv, **more)
    if code:
        sys.exit("%s: %s" % (" ".join(argv), err.decode()))
    return out.decode()

# ---- files: lists of functions, which are lists of lines ----

WORDS = "alpha beta gamma delta eps zeta eta theta iota kappa".split()
count = 0

def number():
    global count
    count += 1
    return count

def statement():
    kind = rng.random()
    if kind < .12: return ""
    if kind < .3: return rng.choice(["\t}", "\tbreak;"])
    if kind < .36: return "\treturn 0;"
    return "\t%s = %s(%d);" % (rng.choice(WORDS), rng.choice(WORDS), number() if rng.random() < .6 else rng.randrange(5))

def statements(most): return [statement() for _ in range(rng.randrange(1, most))]

def function():
    name = "%s_%d" % (rng.choice(WORDS), number())
    head = rng.choice(["static int ", "int ", "struct x *"]) + name + "(int a)"
    return [name, [head, "{"] + statements(13) + ["}", ""]]

def new_file():
    head = ["head", ["#include <%s.h>" % rng.choice(WORDS) for _ in range(rng.randrange(1, 5))] + [""]]
    return {"parts": [head] + [function() for _ in range(rng.randrange(2, 8))], "newline": rng.random() < .9,
            "mode": "100644", "end": "\r\n" if rng.random() < .05 else "\n"}

def text_of(f):
    return (f["end"].join(l for part in f["parts"] for l in part[1]) + (f["end"] if f["newline"] else "")).encode()

def edit_lines(l):
    k, n = rng.randrange(len(l) + 1), rng.randrange(1, 4)
    what = rng.randrange(6)
    if what == 0: l[k:k] = statements(4)
    elif what == 1: del l[k:k + n]
    elif what == 2: l[k:k + n] = statements(5)
    elif what == 3: l[:] = ["\t" + x if x else x for x in l]
    else: l[k:k + 1] = [statement()]

def edit(f):
    parts = f["parts"]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        what = rng.randrange(20)
        if what == 0 or not parts: parts.insert(rng.randrange(len(parts) + 1), function())
        elif what == 1: del parts[rng.randrange(len(parts))]
        elif what == 2: parts.insert(0, parts.pop(rng.randrange(len(parts))))
        elif what == 3: f["newline"] = not f["newline"]
        elif what == 4: f["mode"] = "100755" if f["mode"] == "100644" else "100644"
        elif what == 5: f["parts"] = parts = [function() for _ in range(4)]
        else: edit_lines(parts[rng.randrange(len(parts))][1])

# ---- a history ----

def new_name(): return rng.choice(["", "", "lib/", "src/a/", "doc d/"]) + rng.choice(WORDS) + rng.choice([".c", ".h", ".py"])

history, stream, date = [], [], 1500000000

def commit(files, parents):
    global date
    date += rng.choice([60, 60, 60, 0, -300, 3600])
    mark, message = len(history) + 1, b"c%d\n" % (len(history) + 1)
    out = b"commit refs/heads/main\nmark :%d\ncommitter A <a@b> %d +0000\ndata %d\n%s" % (mark, date, len(message), message)
    out += b"".join(b"%s :%d\n" % (b"merge" if n else b"from", p) for n, p in enumerate(parents)) + b"deleteall\n"
    for path, f in sorted(files.items()):
        text = text_of(f)
        out += b'M %s inline "%s"\ndata %d\n%s\n' % (f["mode"].encode(), path.encode(), len(text), text)
    stream.append(out)
    history.append((files, parents))
    return mark

def ancestors(c):
    seen, todo = set(), [c]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += history[at - 1][1]
    return seen

def merge_parts(base, a, b):
    """By function: b's, where a has not changed it."""
    base, theirs, out, names = dict(base), dict(b), [], set()
    for name, l in a:
        if name not in names and (name in theirs or name not in base):
            out.append([name, list(theirs[name] if name in theirs and base.get(name) == l else l)])
        names.add(name)
    for name, l in b:
        if name not in names and name not in base:
            out.append([name, list(l)])
        names.add(name)
    return out

def merge(a, b):
    one, two = history[a - 1][0], history[b - 1][0]
    common = ancestors(a) & ancestors(b)
    base = history[max(common) - 1][0] if common else {}
    out = {}
    for path in sorted(set(one) | set(two)):
        if path in one and path in two:
            out[path] = copy.deepcopy(one[path])
            out[path]["parts"] = merge_parts(base[path]["parts"] if path in base else [], one[path]["parts"], two[path]["parts"])
        elif path not in base or rng.random() < .3:
            out[path] = copy.deepcopy(one[path] if path in one else two[path])
    if out and rng.random() < .25:
        edit(out[rng.choice(sorted(out))])
    return out

def change(files):
    files = copy.deepcopy(files)
    if not files or rng.random() < .08: files[new_name()] = new_file()
    if rng.random() < .08: files[new_name()] = files.pop(rng.choice(sorted(files)))
    if rng.random() < .04: files[new_name()] = copy.deepcopy(files[rng.choice(sorted(files))])
    if rng.random() < .03 and len(files) > 1: del files[rng.choice(sorted(files))]
    if rng.random() < .03 and len(files) > 1:
        p, q = rng.sample(sorted(files), 2)
        files[p], files[q] = files[q], files[p]
    for _ in range(rng.choice([0, 1, 1, 1, 2])): edit(files[rng.choice(sorted(files))])
    return files

def make_history():
    heads = [commit({new_name(): new_file() for _ in range(3)}, [])]
    while len(history) < commits or len(heads) > 1:
        if len(heads) > 1 and (rng.random() < .14 or len(history) >= commits):
            parents = rng.sample(heads, min(len(heads), rng.choice([2, 2, 2, 3])))
            heads = [h for h in heads if h not in parents] + [commit(merge(parents[0], parents[1]), parents)]
            continue
        h = rng.choice(heads)
        new = commit(change(history[h - 1][0]), [h])
        if len(heads) >= 4 or rng.random() < .8: heads.remove(h)
        heads.append(new)
    shutil.rmtree(where, ignore_errors=True)
    os.makedirs(where)
    git("init", "-q", "-b", "main")
    git("fast-import", "--quiet", "--force", text=b"".join(stream))
    with open(os.path.join(where, ".git/info/attributes"), "w") as f:
        f.write("*.c diff=cpp\n*.py diff=python\n")

# ---- command lines ----

OPTIONS = """--oneline|-s|--raw|--name-only|--name-status|--summary|-p|--graph|--parents|--children|-n3|-n1|--skip=2|--reverse|-U0|-U10
-w|-b|--ignore-blank-lines|--word-diff|--color-words|--color|--color-moved|-W|--patience|--histogram|--minimal|--no-renames|-M80%
-M100%|-C|-B|--full-index|--date-order|--author-date-order|--first-parent|--no-merges|--merges|--grep=c1|--diff-filter=M
--diff-filter=A|-Sbreak|-Gbreak|--full-history|--simplify-merges|--left-right|--source|-z|--inter-hunk-context=5
--no-prefix|--line-prefix=>|--ws-error-highlight=all|--no-indent-heuristic|-Ibreak|--cc|-m|--diff-merges=first-parent
--output-indicator-new=!|--since=2017-07-14T04:00:00|--until=2017-07-14T06:00:00|--show-pulls|--max-count-oldest=2
--max-parents=1|--log-size|--format=%h %p %s|--quiet|--patch-with-raw|--stat|--relative|--topo-order""".replace("\n", "|").split("|")

def pattern(l): return re.sub(r"([\\/.\[\]*^$])", r"\\\1", l.strip("\r")) or "int"

def lines_of(text):
    n = max(1, text.count("\n") + (not text.endswith("\n")))
    l, a = text.split("\n"), rng.randint(1, n)
    b = rng.randint(a, min(n, a + rng.choice([0, 1, 3, 8, 20, 200])))
    names = re.findall(r"^[a-z].*?(\w+)\(", text, re.M) or ["nix"]
    return rng.choice(["%d,%d" % (a, b)] * 5 + ["%d,+%d" % (a, b - a + 1), "%d,-%d" % (b, b - a + 1), "%d" % a, ",%d" % b, "%d," % a,
        "%s/%s/,+%d" % (rng.choice(["", "^"]), pattern(l[a - 1]), rng.randint(1, 9)), "^/%s/,/^}/" % pattern(l[a - 1])] +
        ["%s:%s" % (rng.choice(["", "^"]), rng.choice(names))] * 4)

def command():
    rev = rng.choice(revs) if rng.random() < .4 else "HEAD"
    paths = git("ls-tree", "-r", "-z", "--name-only", rev).strip("\0").split("\0")
    files = [rng.choice(paths)] * rng.choice([1, 1, 1, 2, 3])
    several = len(files) > 1 and rng.random() < .2
    if several: files[1] = rng.choice(paths)
    argv = ["log"] + rng.sample(OPTIONS, rng.choice([0, 1, 1, 2, 2, 3, 4]))
    if several: argv += ["--no-renames"]
    if "--graph" in argv: argv = [o for o in argv if o not in ("--reverse", "--word-diff", "--color-words")]
    if "--color" in argv or "--color-words" in argv or "--color-moved" in argv: argv = [o for o in argv if not o.startswith("--grep")]
    argv += ["-L%s:%s" % (lines_of(run(stock, "cat-file", "blob", "%s:%s" % (rev, f))[1].decode("latin1")), f) for f in files]
    return argv + [rev] + (["^" + rng.choice(revs)] if rng.random() < .2 else [])

make_history()
revs = git("rev-list", "HEAD").split()
bad = 0
for _ in range(lines):
    argv = command()
    theirs, mine = run(stock, *argv), run(ours, *argv)
    if theirs == mine:
        continue
    bad += 1
    print("differs (seed %s): git %s" % (seed, " ".join("'%s'" % a if re.search(r"[^\w=:,./-]", a) else a for a in argv)))
    if os.environ.get("SHOW"):
        for a, b in ((theirs, mine),):
            text = [x[1].decode("latin1").split("\n") + x[2].decode("latin1").split("\n") + ["exit code %d" % x[0]] for x in (a, b)]
            print("\n".join(list(difflib.unified_diff(text[0], text[1], "stock", "ours", lineterm=""))[:40]))
print("seed %s: %d of %d differ" % (seed, bad, lines))
sys.exit(min(bad, 99))
