#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random histories by seed, merged by two implementations with merge-tree --write-tree: equal to the byte.

usage: merges.py [-k] [-r] [-d] [-m] [-c] [-n] [-F | -T] [-v] GIT OTHER-GIT DIRECTORY [COUNT [SEED]]
       merges.py [-F | -T] [-v] -R GIT OTHER-GIT REPOSITORY

Trees, stages, messages and exit codes are compared. Three faults of Git 2.55 are listed, not counted: it aborts in some merges
with renamed directories; it loses a file that follows a renamed directory to a place below a file; and it loses files that no
side has changed, where a file follows a renamed directory into theirs. DIRECTORY gets one repository, which OTHER-GIT makes
(fast-import); it has COUNT histories with the branches o<n> and t<n>.

  -r  with renamed files          -d  with renamed directories
  -m  each edit begins with a renamed directory, or with new files in directories that were there
  -c  criss-cross histories       -n  renames are not detected
  -F, -T  merge.directoryRenames is false, true; default: conflict
  -R  merges the parents of each merge in the history of REPOSITORY anew; it gets new objects, and keeps its refs
  -k  go on after a difference, and count them
  -v  print all differences, not the first three alone

Prints what differs; exit code 1 if anything does.
"""
import os
import random
import subprocess
import sys

NAMES = ["a", "b", "c", "f", "g", "a.b", "f~o", "x y"]
DIRS = ["d", "e", "d/s", "e/s", "f", "a", "n", "n/m"]
FILE, EXEC, LINK, GITLINK = "100644", "100755", "120000", "160000"
VARIANTS = [[], ["-Xours"], ["-Xtheirs"], ["-Xno-renames"], ["-Xignore-space-change"], ["-Xdiff-algorithm=myers"],
            ["-Xfind-renames=80%"]]
STYLES = ["merge", "diff3", "zdiff3"]


class Maker:
    """The files of one commit: path to (mode, content)."""

    def __init__(self, rng, options):
        self.rng, self.options = rng, options

    def text(self):
        rng = self.rng
        base = rng.randrange(4)
        return b"".join(b"line %d of %d\n" % (i, base) if rng.random() < .9 else b"%d\n" % rng.randrange(9)
                        for i in range(rng.choice([0, 1, 3, 10, 14, 20, 20, 300])))

    def some_path(self):
        rng = self.rng
        d = rng.choice(DIRS) + "/" if rng.random() < .6 else ""
        return d + rng.choice(NAMES)

    def put(self, files, path, what):
        for p in list(files):
            if p.startswith(path + "/") or path.startswith(p + "/"):
                del files[p]
        files[path] = what

    def new_file(self, files):
        r = self.rng.random()
        if r < .06:
            what = (LINK, self.rng.choice([b"a", b"b", b"f"]))
        elif r < .1:
            what = (GITLINK, self.rng.choice([b"1", b"2", b"3"]) * 40)
        elif r < .15:
            what = (FILE, b"\0" + self.text())
        else:
            what = (EXEC if r > .9 else FILE, self.text())
        self.put(files, self.some_path(), what)

    def edited(self, what):
        rng, (mode, content) = self.rng, what
        if mode == LINK:
            return mode, rng.choice([b"a", b"b", b"f"])
        if mode == GITLINK:
            return mode, rng.choice([b"1", b"2", b"3"]) * 40
        if rng.random() < .15:
            return (EXEC if mode == FILE else FILE), content
        lines = content.splitlines(True)
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            at = rng.randrange(len(lines) + 1)
            r = rng.random()
            if r < .3:
                del lines[at:at + 1]
            elif r < .6 and lines:
                lines[at - 1] = b"changed %d\n" % rng.randrange(5)
            elif r < .7 and lines:
                lines[at - 1] = lines[at - 1].replace(b" ", b"  ")
            else:
                lines.insert(at, b"new %d\n" % rng.randrange(5))
        return mode, b"".join(lines)

    def edit(self, files):
        rng = self.rng
        if "m" in self.options:
            self.rename_dir(files) if rng.random() < .5 else self.fill_dirs(files)
        for _ in range(rng.choice([1, 2, 3, 5, 8])):
            paths = sorted(files)
            r = rng.random()
            if not paths or r < .2:
                self.new_file(files)
            elif r < .3:
                del files[rng.choice(paths)]
            elif "r" in self.options and r < .5:
                p = rng.choice(paths)
                what = files.pop(p)
                self.put(files, self.some_path(), self.edited(what) if rng.random() < .4 else what)
            elif "d" in self.options and r < .6:
                self.rename_dir(files)
            else:
                p = rng.choice(paths)
                files[p] = self.edited(files[p])

    def fill_dirs(self, files):
        rng = self.rng
        dirs = sorted({p.rsplit("/", 1)[0] for p in files if "/" in p})
        for _ in range(rng.choice([1, 2, 4]) if dirs else 0):
            p = rng.choice(dirs) + "/" + rng.choice(NAMES + ["new", "new/a"])
            if p not in files and rng.random() < .8:
                self.put(files, p, (FILE, self.text()))
            else:
                old = rng.choice(sorted(files))
                self.put(files, p, files.pop(old))

    def rename_dir(self, files):
        rng = self.rng
        dirs = sorted({p.rsplit("/", 1)[0] for p in files if "/" in p})
        if not dirs:
            return
        old, new = rng.choice(dirs), rng.choice(DIRS + ["new", "new/s"])
        for p in sorted(files):
            if p.startswith(old + "/") and not (new + "/").startswith(old + "/") and rng.random() < .9:
                self.put(files, new + p[len(old):], files.pop(p))


class Stream:
    """A fast-import stream."""

    def __init__(self):
        self.out, self.marks, self.time = [], 0, 1700000000

    def commit(self, branch, files, parents):
        self.marks += 1
        self.time += 60
        self.out.append(b"commit refs/heads/%s\nmark :%d\ncommitter C <c@x> %d +0000\ndata 1\nx\n"
                        % (branch.encode(), self.marks, self.time))
        for i, p in enumerate(parents):
            self.out.append(b"%s :%d\n" % (b"merge" if i else b"from", p))
        if not parents:
            self.out[-1] = b"reset refs/heads/%s\n" % branch.encode() + self.out[-1]
        self.out.append(b"deleteall\n")
        for path, (mode, content) in sorted(files.items()):
            if mode == GITLINK:
                self.out.append(b'M %s %s "%s"\n' % (mode.encode(), content, path.encode()))
            else:
                self.out.append(b'M %s inline "%s"\ndata %d\n%s\n' % (mode.encode(), path.encode(), len(content), content))
        self.out.append(b"\n")
        return self.marks


def history(rng, options, stream, n):
    m = Maker(rng, options)
    base = {}
    for _ in range(rng.choice([1, 4, 8, 15])):
        m.new_file(base)
    root = stream.commit("b%d" % n, base, [])
    sides = []
    for name in ("o", "t"):
        files = dict(base)
        m.edit(files)
        sides.append((files, stream.commit("%s%d" % (name, n), files, [root])))
    for _ in range(rng.choice([1, 1, 2]) if "c" in options else 0):
        new = []
        for i, name in enumerate(("o", "t")):
            files = dict(sides[i][0])
            for p in sides[1 - i][0]:
                if rng.random() < .5:
                    m.put(files, p, sides[1 - i][0][p])
            m.edit(files)
            new.append((files, stream.commit("%s%d" % (name, n), files, [sides[i][1], sides[1 - i][1]])))
        sides = new


def merge_all(git, repository, style, variant, pairs, directories="conflict"):
    records, at, faults = [], 0, ""
    while True:
        code, more, err = merge_from(git, repository, style, variant, pairs[at:], directories)
        records += more
        faults += err
        if code != -6:
            return code, records, faults
        records.append(["(aborted)"])  # by an assertion
        at = len(records)


def merge_from(git, repository, style, variant, pairs, directories):
    lines = "".join("%s %s\n" % pair for pair in pairs).encode()
    p = subprocess.run([git, "-C", repository, "-c", "core.abbrev=12", "-c", "merge.conflictStyle=" + style, "-c",
                        "merge.directoryRenames=" + directories, "merge-tree", "--write-tree",
                        "--stdin", "--messages"] + variant, input=lines, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, split(p.stdout), p.stderr.decode()


def split(out):
    """The records of --stdin, as lists of fields: "", at the end of the stages and of the messages."""
    fields, records, at = out.split(b"\0"), [], 0
    while at + 2 < len(fields):
        end = fields.index(b"", at)
        at_message = end + 1
        while fields[at_message] != b"":
            at_message += int(fields[at_message]) + 3
        records.append([f.decode(errors="replace") for f in fields[at:at_message]])
        at = at_message + 1
    return records


def is_listed(git, repository, pair, mine, theirs):
    """Faults of the other implementation that are known."""
    if theirs == ["(aborted)"]:
        return True
    files = files_of(git, repository, theirs[1])
    moved = [f.split("moved to ")[-1].split("moving it to ")[-1].rstrip("\n.") for f in theirs
             if f.startswith(("CONFLICT (file location)", "Path updated:"))]
    if any(p.count("/") and any(p[:i] in files for i, c in enumerate(p) if c == "/") for p in moved):
        return True
    lost = files_of(git, repository, mine[1]).items() - files.items()
    return mine[2:] == theirs[2:] and not files.items() - files_of(git, repository, mine[1]).items() and all(
        any(m.startswith(os.path.dirname(p) + "/") for m in moved) and
        all(files_of(git, repository, side).get(p) == what for side in pair) for p, what in lost)


def files_of(git, repository, tree):
    """Path to mode and id."""
    out = subprocess.run([git, "-C", repository, "ls-tree", "-r", "-z", tree], capture_output=True).stdout.decode(errors="replace")
    return dict(reversed(line.split("\t", 1)) for line in out.split("\0") if line)


def show(git, repository, n, pair, mine, theirs):
    def run(*args):
        return subprocess.run([git, "-C", repository] + list(args), capture_output=True).stdout.decode(errors="replace")
    print("---- history %d" % n)
    for b in run("merge-base", "--all", *pair).split() + list(pair):
        print(b)
        if pair[0].startswith("o"):
            print(run("ls-tree", "-r", "--abbrev=9", b), end="")
    for i in range(max(len(mine), len(theirs))):
        x = mine[i] if i < len(mine) else "(none)"
        y = theirs[i] if i < len(theirs) else "(none)"
        print("%s %s" % (" " if x == y else "-", x.rstrip()))
        if x != y:
            print("+ %s" % y.rstrip())
    if mine[1] != theirs[1]:
        print(run("diff", mine[1], theirs[1]))


def make_histories(git, repository, count, seed, options):
    rng = random.Random(seed)
    subprocess.run([git, "init", "-q", "--bare", repository], check=True)
    stream = Stream()
    for n in range(count):
        history(rng, options, stream, n)
    subprocess.run([git, "-C", repository, "fast-import", "--quiet", "--date-format=raw"], input=b"".join(stream.out), check=True)


def real_merges(git, repository):
    """The parents of each merge of two commits that have a common ancestor."""
    out = subprocess.run([git, "-C", repository, "rev-list", "--all", "--parents", "--min-parents=2", "--max-parents=2"],
                         capture_output=True, check=True).stdout.decode()
    pairs = [tuple(line.split()[1:]) for line in out.splitlines()]
    return [p for p in pairs if subprocess.run([git, "-C", repository, "merge-base", *p], capture_output=True).returncode == 0]


def compare(git, other, repository, pairs, variants, options):
    bad, listed, compared, conflicts = 0, 0, 0, 0
    for i, variant in enumerate(variants):
        style = STYLES[i % 3]
        if "n" in options:
            variant = variant + ["-Xno-renames"]
        directories = "false" if "F" in options else "true" if "T" in options else "conflict"
        results = [merge_all(g, repository, style, variant, pairs, directories) for g in (git, other)]
        if results[0][0] != results[1][0] or len(results[0][1]) != len(results[1][1]):
            bad += 1
            print("%s %s: exit codes %d, %d, records %d, %d: %s" % (style, variant, results[0][0], results[1][0],
                  len(results[0][1]), len(results[1][1]), results[0][2]))
        for n, (mine, theirs) in enumerate(zip(results[0][1], results[1][1])):
            compared += 1
            conflicts += theirs[0] == "0"
            if mine == theirs:
                continue
            if is_listed(other, repository, pairs[n], mine, theirs):
                listed += 1
                continue
            bad += 1
            if bad <= 3 or "v" in options:
                print(style, variant)
                show(other, repository, n, pairs[n], mine, theirs)
            if "k" not in options:
                return 1
    print("%d merges (%d with conflicts), %d differ, %d are listed" % (compared, conflicts, bad, listed))
    return bad != 0


def main():
    argv = sys.argv[1:]
    options = ""
    while argv and argv[0].startswith("-"):
        options += argv.pop(0)[1:]
    if len(argv) < 3:
        sys.exit(__doc__)
    if "R" in options:
        pairs = real_merges(*argv[1:3])
        return compare(argv[0], argv[1], argv[2], pairs, [[]], options + "k")
    git, other, top = argv[:3]
    count, seed = int(argv[3]) if len(argv) > 3 else 300, int(argv[4]) if len(argv) > 4 else 1
    repository = os.path.join(top, "merges-%d.git" % seed)
    make_histories(other, repository, count, seed, options)
    pairs = [("o%d" % n, "t%d" % n) for n in range(count)]
    return compare(git, other, repository, pairs, VARIANTS, options)


if __name__ == "__main__":
    sys.exit(main())
