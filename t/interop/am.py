#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random series of patches: am of two programs taking turns at each stop, beside the same series by one.

    t/interop/am.py OURS PEER DIR [COUNT [FIRST-SEED]]

HEAD, refs, reflogs, index, files, rebase-apply/, output and exit code must be equal after each stop. AUTO_MERGE is compared
where the index has conflicts: Git leaves it behind elsewhere. An empty MERGE_RR is none. Not compared: patch-merge-index, and times.
A file with rejected hunks is written anew; if that was in another second, Git takes it for changed. So a series with --reject differs
only if it does so five times.
"""
import os
import random
import re
import shutil
import subprocess
import sys

ENV = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@x", "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@x",
       "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_NOSYSTEM": "1",
       "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false", "GIT_EDITOR": ":",
       "PATH": os.environ["PATH"], "GIT_TEST_FSYNC": "0", "LC_ALL": "C",
       "GIT_CEILING_DIRECTORIES": os.path.abspath(sys.argv[3])}
PEER = os.path.abspath(sys.argv[2])
OPTIONS = [["-3"], ["-3"], ["-3"], ["-s"], ["-k"], ["--keep-non-patch"], ["-m"], ["-c"], ["-q"], ["--keep-cr"], ["--no-utf8"],
           ["--reject"], ["-C1"], ["--ignore-whitespace"], ["--whitespace=fix"], ["--whitespace=error"], ["--exclude=b"],
           ["--include=a"], ["--directory=d"], ["--empty=drop"], ["--empty=keep"], ["--committer-date-is-author-date"],
           ["--rerere-autoupdate"], ["--patch-format=mboxrd"], ["--quoted-cr=strip"]]
SUBJECTS = ["change it", "[x] tagged", "Re: answer", "two\n lines", "ümlaut", "dots..."]
BODIES = ["", "body\n", "body\n\nSigned-off-by: C <c@x>\n", "lost\n-- >8 --\nkept\n", ">From here\nFrom: Other <o@x>\n", "x \n\n\n\ny\n"]


def call(repo, program, *args, data=None):
    p = subprocess.run([program, *args], cwd=repo, env={**ENV, "HOME": repo}, input=data or b"",
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def change(rng, repo):
    path = os.path.join(repo, rng.choice(["a", "a", "b", "c", "d/a", "e"]))
    if rng.random() < 0.1 and os.path.exists(path):
        os.unlink(path)
        return
    if rng.random() < 0.08 and os.path.exists(path):
        os.rename(path, path + "x")
        path += "x"
    lines = open(path, newline="").read().split("\n") if os.path.exists(path) else [str(i) for i in range(20)]
    for _ in range(rng.randint(0, 2)):
        lines[rng.randrange(len(lines))] = rng.choice(["%d", "%d", "%d ", "%d\r"]) % rng.randint(0, 99)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as f:
        f.write("\n".join(lines))
    if rng.random() < 0.1:
        os.chmod(path, 0o755)


def commit(repo, program, subject):
    call(repo, program, "add", "-A")
    call(repo, program, "commit", "-q", "--allow-empty", "-m", subject)


def make_repo(rng, program, repo):
    os.makedirs(os.path.join(repo, "d"))
    call(repo, program, "init", "-q", "-b", "main")
    for name in ("a", "b", "c", "d/a"):
        with open(os.path.join(repo, name), "w") as f:
            f.write("\n".join(str(i) for i in range(20)))
    commit(repo, program, "base")
    call(repo, program, "checkout", "-q", "-b", "topic")
    for _ in range(rng.randint(1, 5)):
        for _ in range(rng.randint(1, 3)):
            change(rng, repo)
        commit(repo, program, rng.choice(SUBJECTS) + "\n\n" + rng.choice(BODIES))
    call(repo, program, "checkout", "-q", "main")
    for _ in range(rng.randint(0, 2)):
        change(rng, repo)
        commit(repo, program, "m")
    if rng.random() < 0.2:
        call(repo, program, "config", "rerere.enabled", "true")


def spoil(rng, text):
    """Mails as they come, or damaged."""
    what = rng.randrange(12)
    if what == 0:
        return re.sub(rb"(?m)^Subject: .*", b"Subject: [PATCH] other", text, count=1)
    if what == 1:
        return re.sub(rb"(?m)^From: .*\n", b"", text, count=1)
    if what == 2:
        return re.sub(rb"(?m)^Date: .*", rng.choice([b"Date: garbage", b"Date: 7 Apr 2005 22:13 PST"]), text, count=1)
    if what == 3:
        return re.sub(rb"(?m)^index [0-9a-f]+", b"index 1234567", text, count=1)
    if what == 4:
        return re.sub(rb"(?ms)^diff --git.*?^-- $", b"-- ", text, count=1)
    if what == 5:
        return text[:rng.randrange(len(text))]
    if what == 6:
        return text + b"From a@b Mon Sep 17 00:00:00 2001\nFrom: No Patch <n@p>\nSubject: nothing\nDate: 1 May 2006 22:13 CET\nMessage-ID: <1@x>\n\ntext\n"
    return text


def lacks_date(text):
    """A commit of a mail without a date has the present one, which is not compared."""
    return any(b"\nDate: " not in mail for mail in re.split(rb"(?m)^From (?=\S+ Mon Sep 17)", text)[1:])


def make_mailbox(rng, peer, repo):
    words = ["-k"] if rng.random() < 0.2 else []
    if rng.random() < 0.2:
        words.append("-s")
    if rng.random() < 0.1:
        words += ["-M"]
    text = call(repo, peer, "format-patch", "--stdout", *words, "main..topic")[1]
    text = text.encode("utf-8", "replace")
    mails = spoil(rng, text)
    while lacks_date(mails):
        mails = spoil(rng, text)
    with open(os.path.join(repo, "..", "box"), "wb") as f:
        f.write(mails)


def state_of(program, repo):
    parts = []
    for args in (["for-each-ref"], ["rev-parse", "HEAD"], ["ls-files", "-s"], ["status"]):
        parts.append(" ".join(args) + "\n" + call(repo, program, *args)[1])
    top = os.path.join(repo, ".git")
    paths = [os.path.join(top, f) for f in ("ORIG_HEAD", "MERGE_MSG", "MERGE_RR")]
    if call(repo, program, "ls-files", "-u")[1]:
        paths.append(os.path.join(top, "AUTO_MERGE"))
    for d in ("logs", "rebase-apply", "rr-cache"):
        for base, _, files in sorted(os.walk(os.path.join(top, d))):
            paths += [os.path.join(base, f) for f in sorted(files) if f != "patch-merge-index"]
    for base, dirs, files in os.walk(repo):
        dirs[:] = sorted(d for d in dirs if d != ".git")
        paths += [os.path.join(base, f) for f in sorted(files)]
    for path in paths:
        if os.path.isfile(path) and (os.path.getsize(path) or not path.endswith("MERGE_RR")):
            parts.append("%s %o\n%s" % (os.path.relpath(path, repo), os.stat(path).st_mode, open(path, "rb").read().decode("utf-8", "replace")))
    return "\n== ".join(parts)


def resolve(rng, peer, repo):
    for path in call(repo, peer, "diff", "--name-only", "--diff-filter=U")[1].split():
        if call(repo, peer, "checkout", rng.choice(["--ours", "--theirs"]), "--", path)[0]:
            call(repo, peer, "rm", "-q", "-f", "--", path)
    if rng.random() < 0.4:
        change(rng, repo)
    call(repo, peer, "add", "-A")


def has_missing_file(repo):
    """With -3, Git takes one that it brings back for one with local changes. (Differences)"""
    return bool(call(repo, PEER, "ls-files", "--deleted")[1])


def begin(rng, repo):
    if rng.random() < 0.1:
        change(rng, repo)
    options = [w for o in OPTIONS if rng.random() < 0.08 for w in o]
    if rng.random() < 0.4:
        options.append("-3")
    if has_missing_file(repo):
        options = [o for o in options if o != "-3"]
    return ["am", *options, "../box"]


def play(seed, programs, peer, repo):
    """The states after each stop. programs: which takes which turn."""
    rng, states = random.Random(seed), []
    args = begin(rng, repo)
    for turn in range(30):
        code, out, err = call(repo, programs[turn % len(programs)], *args)
        states.append("%s: %d\n%s\n-- \n%s\n== " % (" ".join(args), code, out, err) + state_of(peer, repo))
        if not os.path.exists(os.path.join(repo, ".git", "rebase-apply")):
            break
        args = ["am", rng.choice(["--continue"] * 6 + ["--skip"] * 3 + ["--abort", "--quit", "--retry", "--allow-empty", "--show-current-patch=diff",
                                                                       "--show-current-patch"])]
        if args[1] == "--retry" and has_missing_file(repo):
            args[1] = "--skip"
        if args[1] == "--retry" and rng.random() < 0.5:
            args.append("-3")
        if args[1] == "--continue" and rng.random() < 0.9:
            resolve(rng, peer, repo)
            if rng.random() < 0.1:
                call(repo, peer, "commit", "-q", "--allow-empty", "-m", "moved")
    return states


def play_all(seed, ours, peer, base):
    got = {}
    for name, programs in (("peer", [peer]), ("ours", [ours]), ("ours-peer", [ours, peer]), ("peer-ours", [peer, ours])):
        shutil.rmtree(os.path.join(base, name), ignore_errors=True)
        shutil.copytree(os.path.join(base, "template"), os.path.join(base, name), symlinks=True)
        got[name] = play(seed, programs, peer, os.path.join(base, name, "repo"))
    return got


def main():
    ours, peer, top = [os.path.abspath(a) for a in sys.argv[1:4]]
    first = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    seeds = range(first, first + (int(sys.argv[4]) if len(sys.argv) > 4 else 100))
    bad = 0
    for seed in seeds:
        base = os.path.join(top, "seed%d" % seed)
        shutil.rmtree(base, ignore_errors=True)
        rng = random.Random(seed)
        make_repo(rng, peer, os.path.join(base, "template", "repo"))
        make_mailbox(rng, peer, os.path.join(base, "template", "repo"))
        for _ in range(5):
            got = play_all(seed, ours, peer, base)
            wrong = [n for n in got if got[n] != got["peer"]]
            if not wrong or " --reject " not in got["peer"][0].split("\n")[0]:
                break
            if any("error: Your local changes to the following files would be overwritten by merge" in s for s in got["peer"]):
                wrong = [] # of a file that Git has written anew (Differences)
                break
        for name in wrong:
            print("seed %d: %s differs" % (seed, name))
            for turn in range(max(len(got["peer"]), len(got[name]))):
                pair = [s[turn] if turn < len(s) else "" for s in (got["peer"], got[name])]
                if pair[0] != pair[1]:
                    for n, text in zip(("want", "have"), pair):
                        with open(os.path.join(base, name + "." + n), "w") as f:
                            f.write(text)
                    break
        bad += bool(wrong)
        if not wrong:
            shutil.rmtree(base)
    print("%d of %d seeds differ" % (bad, len(seeds)))
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
