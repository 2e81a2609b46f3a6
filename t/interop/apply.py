#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random patches by seed, applied by two implementations: output, exit code, files and index are equal.

usage: OUR_GIT=… PEER_GIT=… apply.py [SEED [TURNS [ONLY]]]

Both begin with copies of the same repository. Patches have renames, modes, binary files, links, CRLF, no newline at the
end, damaged counts and lines, and other white space than the files; they are made by PEER_GIT. Prints what differs; exit
code 1 if anything does. ONLY: a single turn, whose directory is kept.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

OURS, PEER = os.environ["OUR_GIT"], os.environ["PEER_GIT"].split()
ENV = {**os.environ, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "A",
       "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com",
       "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "LC_ALL": "C",
       "GIT_TEST_FSYNC": "0"}
NAMES = ["a", "b.c", "dir/x", "dir/y", "dir/sub/z", "with space", "t\tab", "é", "q\"uote", "deep/er/f"]
WORDS = ["", "\t", "}", "int x;", "  two", "\tif (a)", "    four", "        eight", " \tmixed", "word word", "end "]


def run(git, args, cwd, stdin=None):
    return subprocess.run((git if isinstance(git, list) else [git]) + args, cwd=cwd, env=ENV, input=stdin, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def peer(args, cwd, stdin=None):
    p = run(PEER, args, cwd, stdin)
    if p.returncode:
        raise RuntimeError("%s: %s" % (args, p.stderr))
    return p.stdout


def text(rng, lines):
    end = b"\r\n" if rng.random() < .12 else b"\n"
    data = end.join(line.encode() for line in lines) + (end if lines else b"")
    return data[:-len(end)] if rng.random() < .12 else data


def lines(rng):
    return [rng.choice(WORDS) + (str(rng.randrange(30)) if rng.random() < .7 else "")
            for _ in range(rng.choice([0, 1, 3, 12, 30, 60]))]


def content(rng):
    if rng.random() < .12:
        return bytes(rng.randrange(256) for _ in range(rng.choice([3, 200, 3000]))) + b"\0"
    return text(rng, lines(rng))


def put(path, data, mode=0o644):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        return
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, mode)


def edit(rng, data):
    """The file, changed in some lines."""
    if b"\0" in data:
        at = rng.randrange(len(data))
        return data[:at] + bytes([rng.randrange(256)]) + data[at + rng.randrange(3):]
    out = []
    for line in data.splitlines(True):
        r = rng.random()
        if r < .06:
            continue
        if r < .12:
            line = rng.choice(WORDS).encode() + b"new" + line[-1:] * line.endswith(b"\n")
        out.append(line)
        if r > .93:
            out += [rng.choice(WORDS).encode() + b"\n" for _ in range(rng.randrange(1, 4))]
    data = b"".join(out)
    if rng.random() < .08:
        data = data + rng.choice([b"\n", b"\n\n", b"tail", b"  \n"])
    return data


def files(top):
    out = []
    for base, dirs, names in os.walk(top):
        if base == top:
            dirs.remove(".git")
        out += [os.path.relpath(os.path.join(base, n), top) for n in names]
        out += [os.path.relpath(os.path.join(base, n), top) for n in dirs if os.path.islink(os.path.join(base, n))]
    return sorted(out)


def change(rng, top, rate):
    for name in files(top):
        path, r = os.path.join(top, name), rng.random()
        if r > rate:
            continue
        if os.path.islink(path):
            os.unlink(path)
            if rng.random() < .5:
                os.symlink("other" + str(rng.randrange(9)), path)
            continue
        with open(path, "rb") as f:
            data = f.read()
        what = rng.random()
        if what < .1:
            os.unlink(path)
        elif what < .25:
            new = os.path.join(top, rng.choice(NAMES) + rng.choice(["", "2"]))
            os.unlink(path)
            put(new, edit(rng, data) if rng.random() < .5 else data)
        elif what < .33:
            os.chmod(path, 0o755 if not os.access(path, os.X_OK) else 0o644)
        elif what < .37:
            os.unlink(path)
            os.symlink("target", path)
        elif what < .42:
            put(os.path.join(top, rng.choice(NAMES) + "3"), edit(rng, data))
        else:
            put(path, edit(rng, data), os.stat(path).st_mode & 0o777)
    if rng.random() < .3:
        put(os.path.join(top, rng.choice(NAMES) + "-new"), content(rng))


def make_repository(rng, top):
    os.mkdir(top)
    peer(["init", "-q", "."], top)
    for name in rng.sample(NAMES, rng.randrange(2, 7)):
        put(os.path.join(top, name), content(rng), rng.choice([0o644, 0o644, 0o755]))
    if rng.random() < .2:
        os.symlink("somewhere", os.path.join(top, "link"))
    if rng.random() < .1:
        put(os.path.join(top, ".gitattributes"),
            rng.choice([b"* text=auto\n", b"*.c whitespace=tab-in-indent\n", b"* -whitespace\n", b"a eol=crlf\n"]))
    peer(["add", "."], top)
    peer(["commit", "-qm", "base", "--allow-empty"], top)
    for key, values, rate in (("core.whitespace", ["tab-in-indent", "indent-with-non-tab", "cr-at-eol", "-blank-at-eol"], .2),
                              ("core.autocrlf", ["true", "input"], .05), ("apply.whitespace", ["fix", "error", "nowarn"], .1),
                              ("apply.ignoreWhitespace", ["change"], .05)):
        if rng.random() < rate:
            peer(["config", key, rng.choice(values)], top)


def make_patch(rng, top):
    change(rng, top, rng.choice([.3, .6, 1]))
    peer(["add", "-A"], top)
    options = [o for o, rate in (("--binary", .8), ("-M", .5), ("-C", .2), ("--no-prefix", .05), ("--full-index", .3),
                                 ("-B", .1), ("-R", .05), ("-w", .03), ("--find-copies-harder", .1)) if rng.random() < rate]
    if rng.random() < .3:
        options.append("-U%d" % rng.choice([0, 1, 2, 10]))
    patch = peer(["diff", "--cached", "HEAD"] + options, top)
    peer(["reset", "-q", "--hard"], top)
    peer(["clean", "-qfdx"], top)
    if rng.random() < .12:
        patch = traditional(rng, patch)
    if rng.random() < .15:
        change(rng, top, .3)
        peer(["add", "-A"], top)
        patch += peer(["diff", "--cached", "HEAD", "--binary"], top)
        peer(["reset", "-q", "--hard"], top)
        peer(["clean", "-qfdx"], top)
    return patch


def traditional(rng, patch):
    time = rng.choice([b"", b"\t2020-01-02 03:04:05.123456789 +0100", b"\t1970-01-01 00:00:00.000000000 +0000",
                       b" 2020-01-02 03:04:05", b"\tMon Jan  1 00:00:00 2020"])
    out = []
    for line in patch.splitlines(True):
        if line.startswith((b"diff --git", b"index ", b"old mode", b"new mode", b"new file", b"deleted file")):
            continue
        if line.startswith((b"--- ", b"+++ ")) and rng.random() < .9:
            line = line.rstrip(b"\t\n") + time + b"\n"
        out.append(line)
    return b"".join(out)


def damage(rng, patch):
    all_lines = patch.splitlines(True)
    for _ in range(rng.choice([1, 1, 3])):
        if not all_lines:
            return patch
        at = rng.randrange(len(all_lines))
        line = all_lines[at]
        what = rng.randrange(9)
        if what == 0:
            del all_lines[at]
        elif what == 1:
            all_lines.insert(at, rng.choice([b"\n", b" context\n", b"+added\n", b"-gone\n", b"garbage\n", b"\\ No newline at end of file\n"]))
        elif what == 2:
            all_lines[at] = line.replace(b"1", b"2")
        elif what == 3 and len(line) > 1:
            k = rng.randrange(len(line) - 1)
            all_lines[at] = line[:k] + bytes([rng.choice(b" +-\\@/x09")]) + line[k + 1:]
        elif what == 4:
            all_lines[at] = line.rstrip(b"\n")[:-1] + b"\n"
        elif what == 5:
            heads = [i for i, x in enumerate(all_lines) if x.startswith(b"@@ ")]
            if heads:
                i = rng.choice(heads)
                all_lines[i] = all_lines[i].replace(b",", rng.choice([b",1", b",", b"", b",99999999999"]), 1)
        elif what == 6:
            all_lines[at:] = all_lines[at:at + 1]
        elif what == 7:
            names = [i for i, x in enumerate(all_lines) if x.startswith((b"--- ", b"+++ ", b"rename ", b"diff --git"))]
            if names:
                i = rng.choice(names)
                all_lines[i] = all_lines[i].replace(b"dir/", rng.choice([b"../", b".git/", b"link/", b"//", b"a/"])).replace(
                    b"b/", rng.choice([b"b/", b"/", b"c/", b"b/../", b"b/.git/"]))
        else:
            all_lines[at] = line.replace(b"\n", b"\r\n")
    return b"".join(all_lines)


def other_space(rng, top):
    """The files get other white space than the patch was made for, or other lines."""
    for name in files(top):
        path = os.path.join(top, name)
        if os.path.islink(path) or rng.random() < .5:
            continue
        with open(path, "rb") as f:
            data = f.read()
        what = rng.randrange(5)
        if what == 0:
            data = data.replace(b"\n", b" \n", rng.randrange(5))
        elif what == 1:
            data = data.replace(b"\t", b"        ")
        elif what == 2:
            data = b"first\n" * rng.randrange(1, 5) + data
        elif what == 3:
            data = data.rstrip(b"\n") + rng.choice([b"", b"\n\n", b"\n \n"])
        else:
            data = edit(rng, data)
        put(path, data, os.stat(path).st_mode & 0o777)


def options(rng):
    out = []
    for choices, rate in (
            ([["--index"], ["--cached"], ["-3"], ["-3", "--cached"], ["--index", "--cached"], ["-N"]], .45),
            ([["-R"]], .12), ([["--reject"]], .15), ([["-v"], ["-q"]], .25), ([["--check"], ["--stat"], ["--numstat"], ["--summary"],
                                                                          ["--stat", "--summary", "--apply"], ["--numstat", "-z"]], .2),
            ([["--whitespace=fix"], ["--whitespace=error"], ["--whitespace=error-all"], ["--whitespace=warn"],
              ["--whitespace=nowarn"], ["--whitespace=strip"]], .4),
            ([["--ignore-whitespace"], ["--ignore-space-change"]], .15), ([["-p0"], ["-p2"], ["-p1"]], .08),
            ([["-C0"], ["-C1"], ["-C2"]], .15), ([["--unidiff-zero"]], .25), ([["--recount"]], .15), ([["--inaccurate-eof"]], .05),
            ([["--no-add"]], .04), ([["--allow-overlap"]], .06), ([["--allow-empty"]], .1), ([["--unsafe-paths"]], .05),
            ([["--directory=dir"], ["--directory=new/"]], .05), ([["--include=dir/*"], ["--exclude=*.c"],
                                                                  ["--exclude=dir/*", "--include=*"]], .1),
            ([["--ours"], ["--theirs"], ["--union"]], .04)):
        if rng.random() < rate:
            out += rng.choice(choices)
    return out


def state(top):
    out = {}
    for name in files(top):
        path = os.path.join(top, name)
        if os.path.islink(path):
            out[name] = ("link", os.readlink(path))
        else:
            with open(path, "rb") as f:
                out[name] = (oct(os.stat(path).st_mode & 0o777), f.read())
    index = run(PEER, ["ls-files", "-s"], top).stdout
    dirs = sorted(os.path.relpath(b, top) for b, _, _ in os.walk(top) if ".git" not in b)
    return out, index, dirs


# Git prints all of the patch that follows a bad mode, and the words of its zlib. Our entries that are racy are compared
# when the index is written, by attributes as they are then. Git reads .gitattributes once for white space, once for contents.
# Where a file is in the way of a submodule, Git leaves a directory with another name. (Differences)
def plain(text):
    text = re.sub(rb"(?m)(^warning: unable to access '\.gitattributes': .*\n)\1+", rb"\1", text)
    text = re.sub(rb"(error: invalid mode at .*\n)(?s:.*)", rb"\1", text)
    text = re.sub(rb"warning: unable to unlink '.*~\d+': Is a directory\n(error: unable to write file .* mode 160000: )Is a directory\n",
                  rb"\1File exists\n", text)
    return b"".join(x for x in text.splitlines(True) if not x.startswith((b"error: inflate: ", b"error: invalid base85 alphabet")) and
                    b"is not a valid attribute name" not in x)


HEADER = re.compile(rb"(?:index [0-9a-f]+\.\.[0-9a-f]+|(?:old|new|new file|deleted file) mode \d|(?:dis)?similarity index \d|(?:rename|copy) (?:from|to) |--- |\+\+\+ )")


def has_lonely_header(patch):
    """Git counts a "diff --git" that no header follows twice, and holds its names against the next file. (Differences)"""
    rows = patch.splitlines()
    return any(row.startswith(b"diff --git ") and not HEADER.match(after) for row, after in zip(rows, rows[1:] + [b""]))


def is_listed(args, patch, theirs):
    """Git 2.55 ends by an assertion where a patch creates what a failed one has left; with --directory it finds no names without a slash."""
    return theirs[0] < 0 or has_lonely_header(patch) or \
        ("--directory" in " ".join(args) and b"unable to find filename in patch" in theirs[2])


def cut(text, patch):
    """In a warning, Git leaves out the last letter of a patch that ends without a newline. (Differences)"""
    last = patch[patch.rfind(b"\n") + 2:]
    return text.replace(b"\n" + last + b"\n", b"\n" + last[:-1] + b"\n") if last else text


def one_turn(seed, turn, keep):
    rng = random.Random("%s/%d" % (seed, turn))
    top = tempfile.mkdtemp(prefix="apply-")
    first, results = os.path.join(top, "repo"), []
    args = []
    try:
        make_repository(rng, first)
        patch = make_patch(rng, first)
        if rng.random() < .25:
            patch = damage(rng, patch)
        args = options(rng)
        if rng.random() < .35:
            other_space(rng, first)
            if rng.random() < .6:
                peer(["add", "-A"], first)
        if "-R" in args and rng.random() < .8:
            run(PEER, ["apply", "-q", "--index", "--unidiff-zero", "--whitespace=nowarn"], first, patch)
        sub = "dir" if rng.random() < .08 and os.path.isdir(os.path.join(first, "dir")) else "."
        with open(os.path.join(top, "patch"), "wb") as f:
            f.write(patch)
        outside = rng.random() < .04
        if outside:
            shutil.move(os.path.join(first, ".git"), os.path.join(top, "git"))
        for git in (OURS, PEER):
            here = os.path.join(top, "work")
            subprocess.run(["cp", "-a", first, here], check=True)
            if not outside:
                run(PEER, ["update-index", "-q", "--refresh"], here)
            p = run(git, ["apply"] + args, os.path.join(here, sub), patch)
            if outside:
                shutil.copytree(os.path.join(top, "git"), os.path.join(here, ".git"))
            results.append((p.returncode, p.stdout, plain(p.stderr)) + state(here))
            shutil.rmtree(here)
    finally:
        if not keep:
            shutil.rmtree(top)
    results[0] = results[0][:2] + (cut(results[0][2], patch),) + results[0][3:]
    # Git has removed all old files before it finds that one cannot be written; ours are still there.
    stopped = all(b"error: unable to write file" in r[2] or ("-q" in args and r[0] == 128) for r in results)
    both = 3 if stopped else 6
    if results[0][:both] == results[1][:both] or is_listed(args, patch, results[1]):
        return True
    print("turn %d: apply %s%s" % (turn, " ".join(args), " (in %s)" % top if keep else ""))
    for what, ours, theirs in zip(("exit code", "stdout", "stderr", "files", "index", "directories"), *results):
        if ours != theirs and what == "files":
            for name in sorted(set(ours) | set(theirs)):
                if ours.get(name) != theirs.get(name):
                    print("  %s\n    %r\n    %r" % (name, ours.get(name), theirs.get(name)))
        elif ours != theirs:
            print("  %s\n    %r\n    %r" % (what, ours, theirs))
    return False


def main():
    seed = sys.argv[1] if len(sys.argv) > 1 else "1"
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    wanted = [int(sys.argv[3])] if len(sys.argv) > 3 else range(turns)
    bad = [t for t in wanted if not one_turn(seed, t, len(sys.argv) > 3)]
    print("apply.py: %d turns, %d differences" % (len(wanted), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
