# SPDX-License-Identifier: GPL-2.0-only
"""Programs that are nothing but calls of git. Outcomes are what they say, and each call with all that it said."""
import glob
import json
import os
import re
import shutil
import subprocess

from place import Absent, Compared

HERE = os.path.dirname(os.path.abspath(__file__))
# Names of packs, temporary names, sizes on disk, and indentation by the length of names
VOLATILE = ((r"(etckeeper-git[.])\w+", r"\1"), (r"\b(pack|tmp)[-_]\w+", r"\1"), (r"Git is not in .*", ""), (r"2[.]\d+[.]\d+\S*", "VERSION"),
            (r"\b(index|size-pack|packs|size|in-pack)([:\"]+) \d+", r"\1\2"))


def clean(text, top):
    text = text.replace(top, "TOP")
    for pattern, instead in VOLATILE:
        text = re.sub(pattern, instead, text)
    return text


class SimpleGit(Compared):
    name, package = "simple-git", "simple-git@4.0.2"

    def __init__(self, directory):
        self.at = os.path.join(directory, self.name)
        node, npm = shutil.which("node"), shutil.which("npm")
        if not node or not npm:
            raise Absent("no node here")
        self.module = self.at + "/node_modules/simple-git"
        if not os.path.isdir(self.module):
            os.makedirs(self.at, exist_ok=True)
            done = subprocess.run([npm, "install", "--no-audit", "--no-fund", "--prefix", self.at, self.package], capture_output=True,
                                  text=True, check=False)
            if done.returncode:
                raise Absent("npm cannot get %s: %s" % (self.package, done.stderr[-200:]))

    def outcomes(self, place):
        place.isolate(deep=True)
        done = place.run(["node", HERE + "/simple-git.js", self.module, place.top + "/work/tree", place.calls], place.top)
        self.found = {name: clean(text, place.top) for name, text in json.loads(done.stdout).items()}
        return self.found


class Calls(Compared):
    """Command lines, one after another."""

    def steps(self, place):
        """yield (name, argv, directory, environment)"""

    def outcomes(self, place):
        place.isolate(deep=True)
        self.found = {}
        for name, argv, cwd, env in self.steps(place):
            place.forget_calls()
            done = place.run(argv, cwd, env, check=False)
            self.found[name] = clean("exit code %d\n%s\n-- stderr\n%s\n-- calls\n%s" % (
                done.returncode, done.stdout, done.stderr, "\n".join(sorted(place.list_calls()))), place.top)
        return self.found


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, mode)


class Etckeeper(Calls):
    """Debian's package, unpacked: it keeps a directory that is not /etc."""
    name = "etckeeper"

    def __init__(self, directory):
        self.at = os.path.join(directory, self.name)
        if not os.path.exists(self.at + "/usr/bin/etckeeper"):
            if not shutil.which("apt-get"):
                raise Absent("no apt-get here")
            os.makedirs(self.at, exist_ok=True)
            done = subprocess.run(["apt-get", "download", "etckeeper"], cwd=self.at, capture_output=True, text=True, check=False)
            for package in glob.glob(self.at + "/*.deb"):
                subprocess.run(["dpkg", "-x", package, self.at], check=True)
            if not os.path.exists(self.at + "/usr/bin/etckeeper"):
                raise Absent("apt-get cannot get it: " + done.stderr[-200:])

    def steps(self, place):
        etc, conf = place.top + "/work/etc", place.top + "/home/etckeeper"
        shutil.copytree(self.at + "/etc/etckeeper", conf, symlinks=True)
        write(etc + "/hosts", "127.0.0.1 localhost\n")
        write(etc + "/conf.d/one", "one\n")
        write(etc + "/shadow", "secret\n", 0o600)
        os.symlink("hosts", etc + "/link")
        os.makedirs(etc + "/empty")
        remote = place.top + "/work/remote.git"
        place.git("init", "-q", "--bare", remote, cwd=etc)
        env = {"ETCKEEPER_CONF_DIR": conf, "HOSTNAME": "host", "LANG": "C.UTF-8", "SUDO_USER": ""}
        program = self.at + "/usr/bin/etckeeper"
        number = iter(range(1000))

        def keeper(*words):
            return "%d: %s" % (next(number), " ".join(words)), [program, words[0], "-d", etc, *words[1:]], etc, env

        yield keeper("unclean")
        yield keeper("init")
        yield keeper("unclean")
        yield keeper("vcs", "status", "--short")
        yield keeper("commit", "The first")
        yield keeper("commit", "Nothing to do")
        yield keeper("unclean")
        write(etc + "/hosts", "127.0.0.1 localhost\n::1 localhost\n")
        write(etc + "/new file", "new\n")
        os.chmod(etc + "/conf.d/one", 0o755)
        os.remove(etc + "/link")
        yield keeper("unclean")
        yield keeper("vcs", "diff")
        yield keeper("pre-install")
        yield keeper("post-install")
        write(etc + "/conf.d/two", "two\n")
        os.makedirs(etc + "/nested")
        place.git("init", "-q", "--template=", etc + "/nested", cwd=etc)
        yield keeper("commit", "With a repository in it")
        yield "remote", ["git", "remote", "add", "origin", remote], etc, env
        with open(conf + "/etckeeper.conf", "a") as out:
            out.write("PUSH_REMOTE=origin\n")
        write(etc + "/conf.d/three", "three\n")
        yield keeper("commit", "Three")
        for words in (("log", "--stat", "--format=%an %s"), ("show", "HEAD"), ("checkout", "HEAD~1", "--", "hosts"), ("ls-files",),
                      ("blame", "hosts"), ("gc", "--quiet"), ("checkout", "-q", "-b", "other"), ("rm", "-q", "conf.d/two")):
            yield keeper("vcs", *words)
        yield keeper("update-ignore")
        yield keeper("daily")
        yield keeper("pre-commit")
        yield keeper("vcs", "commit", "-m", "By hand")
        yield keeper("vcs", "worktree", "add", "../linked")
        yield "in a worktree", [program, "commit", "-d", place.top + "/work/linked", "In a worktree"], etc, env
        yield keeper("uninit", "-f")


class Gogs(Calls):
    """The calls by which gogs makes, checks and merges a pull request, in two styles."""
    name = "gogs"

    def __init__(self, directory):
        pass

    def steps(self, place):
        work = place.top + "/work"
        base, head, tree = work + "/base.git", work + "/head.git", work + "/tree"
        number = iter(range(1000))

        def git(*argv, cwd=None, env=None):
            return "%d: %s" % (next(number), " ".join(argv).replace(work, "")), ["git", *argv], cwd or base, env

        def lines(first, last, more=""):
            return "".join("%d\n" % i for i in range(first, last)) + more

        yield git("init", "--bare", base, cwd=work)
        yield git("clone", base, tree, cwd=work)
        write(tree + "/README.md", "# name\n")
        write(tree + "/numbers", lines(1, 50))
        yield git("add", "--all", cwd=tree)
        yield git("commit", "--author=Owner <owner@example.com>", "-m", "Initial commit", cwd=tree)
        yield git("push", base, "main", cwd=tree)
        yield git("clone", "--bare", base, head, cwd=work)
        yield git("update-server-info", cwd=head)
        for change, (name, text) in enumerate((("numbers", lines(1, 50, "end\n")), ("new file", "new\n"), ("numbers", lines(3, 50, "end\n")))):
            write(tree + "/" + name, text)
            yield git("checkout", "-B", "topic", cwd=tree)
            yield git("add", "--all", cwd=tree)
            yield git("commit", "-m", "Change %d" % change, cwd=tree)
        yield git("push", head, "topic", cwd=tree)
        yield git("remote", "add", "-f", "head_repo", head)
        yield git("merge-base", "main", "head_repo/topic")
        yield git("rev-list", "--count", "main...head_repo/topic")
        yield git("log", "--pretty=format:%H", "main...head_repo/topic")
        yield git("diff", "--name-only", "main...head_repo/topic")
        yield git("diff", "--shortstat", "main...head_repo/topic")
        yield git("diff", "--full-index", "-M", "main", "head_repo/topic")
        patch = git("format-patch", "--full-index", "--no-signoff", "--no-signature", "--stdout", "main...head_repo/topic")
        yield patch
        text = place.run(patch[1], base).stdout
        write(work + "/1.patch", text)
        write(work + "/bad.patch", text.replace("+end", "+end").replace(" 48\n", " 4x\n"))
        index = {"GIT_INDEX_FILE": work + "/index"}
        yield git("read-tree", "main", env=index)
        for name in ("1.patch", "bad.patch"):
            yield git("apply", "--check", work + "/" + name)
            yield git("apply", "--check", "--cached", work + "/" + name, env=index)
            yield git("apply", "--check", "--ignore-whitespace", "--cached", work + "/" + name, env=index)
            yield git("apply", "--check", work + "/" + name, cwd=tree)
        yield git("remote", "remove", "head_repo")
        yield git("push", base, "topic:refs/pull/1/head", cwd=tree)
        yield git("push", "--force", base, "topic:refs/pull/1/head", cwd=tree)

        def merge(at, *steps):
            yield git("clone", "-b", "main", base, at, cwd=work)
            yield git("remote", "add", "head_repo", head, cwd=at)
            yield git("fetch", "head_repo", cwd=at)
            for argv in steps:
                yield git(*argv, cwd=at)
            yield git("push", base, "main", cwd=at)
            yield git("log", "--graph", "--format=%an %s%n%b", cwd=at)

        yield from merge(work + "/merge1", ("merge", "--no-ff", "--no-commit", "head_repo/topic"), ("status",),
                         ("commit", "--author=Owner <owner@example.com>", "-m", "Merge branch 'topic' of head into main", "-m", "A description"))
        yield git("checkout", "main", cwd=tree)
        write(tree + "/other", "other\n")
        yield git("add", "--all", cwd=tree)
        yield git("commit", "-m", "Beside it", cwd=tree)
        yield git("push", base, "main", cwd=tree)                    # refused: not a fast-forward
        yield git("checkout", "-B", "topic2", cwd=tree)
        yield git("push", head, "topic2:topic", "--force", cwd=tree)
        yield from merge(work + "/merge2", ("rebase", "--quiet", "main", "head_repo/topic"), ("checkout", "-b", "tmp"), ("checkout", "main"),
                         ("merge", "--no-ff", "--no-commit", "tmp"), ("commit", "--author=Owner <owner@example.com>", "-m", "Merge after a rebase"))
        write(tree + "/numbers", lines(20, 50))
        yield git("commit", "-a", "-m", "Conflicts", cwd=tree)
        yield git("push", head, "topic2:topic", "--force", cwd=tree)
        yield from merge(work + "/merge3", ("merge", "--no-ff", "--no-commit", "head_repo/topic"), ("status", "--porcelain"), ("merge", "--abort"),
                         ("rebase", "--quiet", "main", "head_repo/topic"), ("status",), ("rebase", "--abort"))
        for argv in (("fsck",), ("gc", "--quiet"), ("archive", "--prefix=name/", "--format=tar", "-o", work + "/a.tar", "main"), ("count-objects", "-v"),
                     ("for-each-ref", "--format=%(objectname) %(refname)"), ("tag", "--list", "--sort=-creatordate"), ("log", "-1", "--format=%H", "main", "--", "numbers"),
                     ("rev-list", "--max-count=2", "--skip=1", "main", "--"), ("ls-tree", "-l", "main", ""), ("show", "--pretty=format:", "--full-index", "--no-color", "-M", "main"),
                     ("log", "--format=%H", "-i", "--grep=rebase", "--max-count=5", "main"), ("rev-parse", "main^{commit}"), ("show-ref", "--verify", "refs/pull/1/head"),
                     ("branch", "-D", "missing"), ("symbolic-ref", "HEAD", "refs/heads/topic"), ("shortlog", "-sne", "main"), ("remote", "update", "--prune"),
                     ("clone", "--mirror", base, work + "/mirror.git"), ("rev-list", "--count", "--all"), ("check-attr", "-a", "numbers"), ("config", "--get", "remote.origin.url")):
            yield git(*argv)
