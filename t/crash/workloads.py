# SPDX-License-Identifier: GPL-2.0-only
"""What runs on the disk while the power may fail.

A workload prepares a file system (not recorded), yields operations (recorded, each with
a mark before and after), and knows the next command of the same kind, which must
work after every power cut.

What must hold after operation N is not written down by hand: the driver reads the
whole state of the repository (refs, HEAD, config, index, reflogs) after each
operation and compares.
"""
import hashlib
import os
import shutil
import subprocess
import zlib

TIMEOUT = 60


class CommandFailed(Exception):
    pass


class Git:
    """One git program with one configuration, and the directory of its repositories."""
    def __init__(self, program, method, home, root, refs="files"):
        self.program = program
        self.in_tables = refs == "reftable"
        self.root = root
        self.home = home
        self.env = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home, "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.path.join(home, "gitconfig"),
            "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
            "GIT_CEILING_DIRECTORIES": root, "GIT_DEFAULT_REF_FORMAT": refs,
        }
        self.env.update({k: v for k, v in os.environ.items()
                         if (k.startswith("GIT_TEST_") and k != "GIT_TEST_DEFAULT_REF_FORMAT") or k == "GIT_DEFAULT_HASH"})
        os.makedirs(home, exist_ok=True)
        with open(self.env["GIT_CONFIG_GLOBAL"], "w") as f:
            f.write("[user]\n\tname = Crash\n\temail = crash@example.com\n"
                    "[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n"
                    "[maintenance]\n\tauto = false\n[safe]\n\tdirectory = *\n"
                    "[advice]\n\tdetachedHead = false\n")
            f.write(METHODS[method])

    def run(self, repo, *args, data=None):
        """(exit code, stdout and stderr)"""
        cwd = os.path.join(self.root, repo)
        data = data if isinstance(data, bytes) else (data or "").encode()
        try:
            done = subprocess.run([self.program, *args], cwd=cwd, env=self.env,
                                  input=data, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TIMEOUT)
        except subprocess.TimeoutExpired:
            return 124, "timed out"
        return done.returncode, done.stdout.decode(errors="replace")

    def must(self, repo, *args, data=None):
        code, out = self.run(repo, *args, data=data)
        if code:
            raise CommandFailed("git %s: exit %d: %s" % (" ".join(args), code, out.strip()))
        return out

    def path(self, *names):
        return os.path.join(self.root, *names)

    def knows(self, command):
        code, out = self.run("", command, "-h")
        return "is not a git command" not in out and code != 1


METHODS = {
    "default": "",
    "batch": "[core]\n\tfsync = all\n\tfsyncMethod = batch\n",
    "fsync": "[core]\n\tfsync = all\n\tfsyncMethod = fsync\n",
    "writeout-only": "[core]\n\tfsync = all\n\tfsyncMethod = writeout-only\n",
    "none": "[core]\n\tfsync = none\n",
}


class Op:
    """One acknowledged step. atomic: its refs change together or not at all (P6). loose: it undoes
    something, and is given again if it was interrupted; until then files may be anything. steps: HEAD may stop
    at each line that its log gets, and --continue and --abort go on from there (P7)."""
    def __init__(self, repo, what, run, atomic=False, commands=1, loose=False, steps=False):
        self.repo = repo
        self.what = what
        self.run = run
        self.atomic = atomic
        self.loose = loose
        self.steps = steps
        self.commands = commands # flush calls are reported for steps of one command


def write_file(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)


def noise(seed, size):
    """Text that does not compress well, the same every time."""
    words, n, state = [], 0, zlib.crc32(seed.encode())
    while n < size:
        state = (state * 1103515245 + 12345) & 0xffffffff
        words.append("%08x\n" % state)
        n += 9
    return "".join(words)[:size]


SIZES = [40, 700, 4096, 20000, 70000]


def make_files(git, repo, count, round_nr):
    for i in range(count):
        size = SIZES[i % 5] if count < 50 else SIZES[i % 3]
        write_file(git.path(repo, "dir%d" % (i % 7), "file%d" % i),
                   noise("%s %d %d" % (repo, i, round_nr), size))


class Workload:
    name = ""
    needs = ()   # commands
    repos = ()
    raw = False  # the files of refs are looked at before any command runs, too
    with_files = False    # files of the working tree are looked at, too
    keeps_files = True    # on this file system files of the working tree are part of the promise
    with_foreign = False  # there are objects that another Git has not flushed
    changes_format = False # of refs: commands tell them, wherever they are
    ops_nr = 0

    def prepare(self, git):
        pass

    def ops(self, git, read):
        """read(repo): the state as it is now"""
        raise NotImplementedError

    def again(self, git, repo, states):
        """The next command of the same kind in `repo`; raises CommandFailed.
        states: what it holds if nothing was lost; then what it would hold with the step that
        was going on, and what it held before the last one."""
        raise NotImplementedError


class Commits(Workload):
    """init, then add and commit."""
    needs = ("init", "add", "commit")

    def __init__(self, name, repos, files):
        self.name = name
        self.repos = ["repo%d" % i for i in range(repos)]
        self.files = files

    def prepare(self, git):
        for repo in self.repos:
            make_files(git, repo, self.files, 0)

    def ops(self, git, read):
        for repo in self.repos:
            yield Op(repo, "init", lambda r=repo: git.must(r, "init", "-q"))
            yield Op(repo, "add", lambda r=repo: git.must(r, "add", "."))
            yield Op(repo, "commit", lambda r=repo: git.must(r, "commit", "-q", "-m", "one"))

    def again(self, git, repo, states):
        git.must(repo, "init", "-q")
        git.must(repo, "add", ".")
        git.must(repo, "commit", "-q", "--allow-empty", "-m", "again")


def first_commits(git, repo, files, commits):
    os.makedirs(git.path(repo), exist_ok=True)
    git.must(repo, "init", "-q")
    git.must(repo, "config", "core.logAllRefUpdates", "true")
    for i in range(commits):
        make_files(git, repo, files, i)
        git.must(repo, "add", ".")
        git.must(repo, "commit", "-q", "-m", "commit %d" % i)


class History(Workload):
    """commit -a on a growing history."""
    name = "history"
    needs = ("commit",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 24, 3)

    def ops(self, git, read):
        for i in range(16):
            for k in range(1 + i % 4):
                write_file(git.path("repo", "dir%d" % ((i + k) % 7), "file%d" % ((i + k) % 7)),
                           noise("change %d %d" % (i, k), SIZES[(i + k) % 5]))
            yield Op("repo", "commit -a",
                     lambda n=i: git.must("repo", "commit", "-q", "-a", "-m", "change %d" % n))

    def again(self, git, repo, states):
        write_file(git.path(repo, "dir0", "file0"), "again\n")
        git.must(repo, "commit", "-q", "-a", "-m", "again")


HOOK = """#!/bin/sh
git ls-files -s | while read mode oid stage path
do
	git cat-file -e $oid || exit
done || exit
test -z "$(git config hook.makes)" ||
git update-ref refs/heads/hook $(git commit-tree -m "$$" -p HEAD $(git write-tree))
"""


class Hooks(History):
    """commit -a with a pre-commit hook that reads what is staged and, every other time,
    makes a ref to it; every fourth commit fails after that."""
    name = "hooks"
    needs = ("commit", "update-ref", "commit-tree", "write-tree")

    def prepare(self, git):
        super().prepare(git)
        hook = git.path("repo", ".git", "hooks", "pre-commit")
        write_file(hook, HOOK)
        os.chmod(hook, 0o755)

    @staticmethod
    def commit(git, nr):
        makes = ["-c", "hook.makes=1"] if nr % 2 else []
        message = "change %d" % nr if nr % 4 < 3 else ""
        code, out = git.run("repo", *makes, "commit", "-q", "-a", "-m", message)
        if bool(code) != (not message):
            raise CommandFailed("git commit: exit %d: %s" % (code, out.strip()))

    def ops(self, git, read):
        for nr, op in enumerate(super().ops(git, read)):
            yield Op("repo", op.what, lambda n=nr: self.commit(git, n), commands=1 + nr % 2)

    def again(self, git, repo, states):
        """Also with the commands of the hook, which may have left locks too."""
        write_file(git.path(repo, "dir0", "file0"), "again\n")
        self.commit(git, 1)


class Adopt(History):
    """Steps that rest on loose objects which another Git has written, and not flushed: blobs
    that `commit -a` finds there, and whole commits that get a branch."""
    name = "adopt"
    needs = ("commit", "update-ref", "commit-tree", "write-tree", "hash-object")
    with_foreign = True

    def commit_found(self, git, nr):
        paths = ["dir%d/file%d" % (k, k) for k in range(1 + nr % 5)]
        for path in paths:
            write_file(git.path("repo", path), noise("found %d %s" % (nr, path), SIZES[nr % 5]))
        git.must("repo", "-c", "core.fsync=none", "hash-object", "-w", *paths)
        git.must("repo", "commit", "-q", "-a", "-m", "found %d" % nr)

    def name_commit(self, git, nr):
        """The other Git's index is not ours."""
        mine, other = git.path("repo", ".git", "index"), git.path("other-index")
        shutil.copyfile(mine, other)
        git.env["GIT_INDEX_FILE"] = other
        try:
            for i in range(nr % 7):
                path = "dir%d/file%d" % (i, i)
                write_file(git.path("repo", path), noise("named %d %d" % (nr, i), SIZES[i % 5]))
                git.must("repo", "-c", "core.fsync=none", "update-index", path)
            tree = git.must("repo", "-c", "core.fsync=none", "write-tree").strip()
        finally:
            del git.env["GIT_INDEX_FILE"]
        commit = git.must("repo", "-c", "core.fsync=none", "commit-tree", "-p", "HEAD", "-m",
                          "named %d" % nr, tree).strip()
        git.must("repo", "update-ref", "refs/heads/named%d" % nr, commit)

    def ops(self, git, read):
        for nr in range(16):
            step = self.name_commit if nr % 2 else self.commit_found
            yield Op("repo", "rest on what is there", lambda n=nr, s=step: s(git, n))

    def again(self, git, repo, states):
        super().again(git, repo, states)
        for nr in range(1, 16, 2):
            git.must(repo, "update-ref", "refs/heads/named%d" % nr, "HEAD")


class Already(History):
    """Commands that are killed at one of their flush calls, or to which it fails, and are given
    once more: what the second finds there must be durable before it says so."""
    name = "already"
    needs = ("commit", "update-ref", "tag", "branch")
    ends = [(what, call, n) for n in (1, 2) for call in ("fsync", "syncfs") for what in ("KILL", "EIO")]

    def __init__(self, faulty):
        self.faulty = faulty # the same git, in which calls can be made to fail

    def command(self, git, nr):
        if nr % 4 == 3:
            write_file(git.path("repo", "new%d" % nr), noise("new %d" % nr, SIZES[nr % 5]))
        return [("update-ref", "refs/heads/already%d" % nr, "HEAD"),
                ("tag", "-f", "t%d" % nr, "HEAD~1"),
                ("branch", "-f", "b%d" % nr, "HEAD"),
                ("add", "new%d" % nr)][nr % 4]

    def step(self, git, nr):
        command = self.command(git, nr)
        what, call, n = self.ends[nr // 4 % len(self.ends)]
        own, git.program = git.program, self.faulty
        git.env["GIT_TEST_SYSCALL_FAIL"] = "%d:%s:%s" % (n, what, call)
        try:
            git.run("repo", *command)
        finally:
            del git.env["GIT_TEST_SYSCALL_FAIL"]
            git.program = own
        git.must("repo", *command)

    def ops(self, git, read):
        for nr in range(4 * len(self.ends)):
            yield Op("repo", "once more", lambda n=nr: self.step(git, n), commands=2)

    def again(self, git, repo, states):
        super().again(git, repo, states)
        for nr in range(4 * len(self.ends)):
            git.must(repo, *self.command(git, nr))


def commit_ids(git, repo):
    """Except that of main, which no workload uses, but the checks after the power cut."""
    return git.must(repo, "log", "--format=%H").split()[1:]


def branch(i):
    return "refs/heads/group%d/branch-%d" % (i % 5, i)


def grouped(state):
    """The branches of a state that a workload of refs changes: name to value."""
    return {key[4:]: value for key, value in state.items()
            if key.startswith("ref:refs/heads/") and "/" in key[15:]}


def transaction(git, repo, lines):
    git.must(repo, "update-ref", "--stdin", data="".join(line + "\n" for line in lines))


class Refs(Workload):
    """Transactions of 100 refs, through update-ref --stdin."""
    needs = ("update-ref", "show-ref", "log")
    repos = ("repo",)

    def __init__(self, kind):
        self.name = "refs-" + kind
        self.kind = kind

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        a, _, c = commit_ids(git, "repo")
        loose, packed = {
            "create": (range(0), range(0)), "update": (range(100), range(0)),
            "delete": (range(0, 500), range(250, 600)),
            "mixed": (range(0, 100), range(50, 300)),
        }[self.kind]
        if packed:
            with open(git.path("repo", ".git", "packed-refs"), "w") as f:
                f.write("# pack-refs with: peeled fully-peeled sorted \n")
                f.writelines("%s %s\n" % (c, name) for name in sorted(map(branch, packed)))
        if loose:
            transaction(git, "repo", ("update %s %s" % (branch(i), a) for i in loose))

    def lines(self, nr, ids, refs):
        """The nr-th transaction on `refs` (name to value, ours alone)."""
        new = ids[(nr + 1) % 3]
        names = sorted(refs, key=lambda n: zlib.crc32(n.encode()))
        if self.kind == "create":
            return ["create refs/heads/op%d/%s-%d %s" % (nr, "dir%d/b" % (i % 3), i, new)
                    for i in range(100)]
        if self.kind == "update":
            return ["update %s %s %s" % (n, new, refs[n]) for n in names]
        if self.kind == "delete":
            return ["delete %s %s" % (n, refs[n]) for n in names[:100]]
        return (["create refs/heads/op%d/b-%d %s" % (nr, i, new) for i in range(30)] +
                ["update %s %s" % (n, new) for n in names[:40]] +
                ["delete %s" % n for n in names[40:70]])

    def make_some_loose(self, git, nr, value, refs):
        """Each by its own command, so that the transaction has loose and packed refs."""
        for name in sorted(refs)[nr::8][:12]:
            git.must("repo", "update-ref", name, value)

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        for nr in range({"create": 6, "update": 8, "delete": 6, "mixed": 8}[self.kind]):
            refs = grouped(read("repo"))
            if nr and self.kind in ("update", "mixed"):
                yield Op("repo", "single updates", commands=12,
                         run=lambda n=nr, r=refs: self.make_some_loose(git, n, ids[n % 3 - 1], r))
                refs = grouped(read("repo"))
            yield Op("repo", "transaction", atomic=True,
                     run=lambda lines=self.lines(nr, ids, refs): transaction(git, "repo", lines))

    def again(self, git, repo, states):
        """Change the same refs again, whatever their values: no lock must be in the way."""
        names = sorted(set().union(*map(grouped, states)))
        first = states[0]["ref:refs/heads/main"]
        transaction(git, repo, ("update %s %s" % (name, first) for name in names))
        if self.kind in ("delete", "mixed"):
            transaction(git, repo, ("delete " + name for name in names))


class Mixed(Workload):
    """Transactions of branches with what cannot be packed: HEAD, another symbolic ref, HEAD of
    a linked worktree, refs/bisect/. The next command finishes what was interrupted (P6); before
    it has run, nothing dangles."""
    name = "mixed"
    needs = Refs.needs
    repos = ("repo",)
    raw = True
    SYMREFS = ("HEAD", "worktrees/wt/HEAD", "refs/remotes/origin/HEAD")

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        ids = commit_ids(git, "repo")
        if not git.in_tables: # they cannot be migrated with a worktree
            self.make_worktree(git, "refs/heads/group0/branch-0")
        transaction(git, "repo", ("update %s %s" % (branch(i), ids[0]) for i in range(30)))
        for i in range(0, 30, 3):
            git.must("repo", "update-ref", branch(i), ids[1])

    @staticmethod
    def make_worktree(git, head):
        wt = git.path("repo", ".git", "worktrees", "wt")
        write_file(os.path.join(wt, "HEAD"), "ref: %s\n" % head)
        write_file(os.path.join(wt, "commondir"), "../..\n")
        write_file(os.path.join(wt, "gitdir"), git.path("wt", ".git") + "\n")

    def symrefs(self, git):
        """HEAD of a worktree is in another list of tables than its branch: both cannot change as one."""
        return self.SYMREFS[::2] if git.in_tables else self.SYMREFS

    def lines(self, nr, ids, refs, symrefs):
        """Branches change, some come and go, and what is symbolic leads to a new one."""
        new, came = ids[nr % 3], "refs/heads/op%d/b" % nr
        lines = ["create %s-%d %s" % (came, i, new) for i in range(10)]
        lines += ["delete " + n if "/op" in n else "update %s %s" % (n, new) for n in sorted(refs)]
        lines += ["option no-deref\nsymref-update %s %s-%d" % (s, came, i) for i, s in enumerate(symrefs)]
        if nr % 3 == 1: # detached
            lines[-len(symrefs)] = "option no-deref\nupdate HEAD " + new
        return lines + ["update refs/bisect/bad " + new]

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        for nr in range(12):
            state = read("repo")
            refs = grouped(state)
            refs.pop(state["HEAD"][5:-1], None) # it cannot change together with HEAD
            yield Op("repo", "transaction", atomic=True,
                     run=lambda lines=self.lines(nr, ids, refs, self.symrefs(git)): transaction(git, "repo", lines))

    def again(self, git, repo, states):
        names = sorted(set().union(*map(grouped, states))) + ["refs/bisect/bad"]
        first = states[0]["ref:refs/heads/main"]
        transaction(git, repo, ("option no-deref\nsymref-update %s refs/heads/main" % s for s in self.symrefs(git)))
        transaction(git, repo, ("update %s %s" % (name, first) for name in names))
        transaction(git, repo, ("delete " + name for name in names))


class PackRefs(Refs):
    """pack-refs --all, with updates of some refs in between."""
    needs = Refs.needs + ("pack-refs",)

    def __init__(self):
        super().__init__("update")
        self.name = "pack-refs"

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        for nr in range(8):
            refs = grouped(read("repo"))
            yield Op("repo", "single updates", commands=12,
                     run=lambda n=nr, r=refs: self.make_some_loose(git, n, ids[1 + n % 2], r))
            yield Op("repo", "pack-refs", run=lambda: git.must("repo", "pack-refs", "--all"))

    def again(self, git, repo, states):
        git.must(repo, "pack-refs", "--all")
        super().again(git, repo, states)


class RefsLarge(Workload):
    """Transactions of so many refs that tables are too large to be merged with them: they are merged afterwards, and
    nothing is flushed for that."""
    name = "refs-large"
    needs = Refs.needs
    repos = ("repo",)
    REFS = 5000

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        git.must("repo", "config", "core.logAllRefUpdates", "false")

    def lines(self, nr, ids):
        """Each ref has another value than before."""
        new = ids[(nr + nr // 3) % 3]
        return ["update refs/heads/large%d/%05d %s" % (nr % 3, i * 7919 % 100003, new) for i in range(self.REFS)]

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        for nr in range(8):
            yield Op("repo", "transaction", atomic=True,
                     run=lambda lines=self.lines(nr, ids): transaction(git, "repo", lines))
            yield Op("repo", "update", lambda i=ids[nr % 3]: git.must("repo", "update-ref", "refs/heads/group/one", i))

    def again(self, git, repo, states):
        ids = commit_ids(git, repo)
        for nr in 7, 8, 9:
            transaction(git, repo, self.lines(nr, ids))


class BranchRename(Workload):
    """branch -m, of the current branch and of others, with their logs and settings."""
    name = "branch-rename"
    needs = ("branch",)
    repos = ("repo",)
    raw = True

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        a, b, _ = commit_ids(git, "repo")
        for i in range(3):
            git.must("repo", "update-ref", "refs/heads/side%d" % i, a)
            git.must("repo", "update-ref", "refs/heads/side%d" % i, b)
            git.must("repo", "config", "branch.side%d.description" % i, "side %d" % i)
        git.must("repo", "config", "branch.main.description", "the main one")

    def ops(self, git, read):
        names = {"side%d" % i: "side%d" % i for i in range(3)}
        names["main"] = "main"
        for nr in range(12):
            who = ("main", "side0", "side1", "main", "side2")[nr % 5]
            old, new = names[who], ("%s-%d" if nr % 2 else "deep/%s-%d") % (who, nr)
            names[who] = new
            yield Op("repo", "branch -m", atomic=True,
                     run=lambda o=old, n=new: git.must("repo", "branch", "-m", o, n))

    def again(self, git, repo, states):
        """The same branch once more, to and fro: both names, wherever it is now, and also
        where the cut came between them, so that both are there."""
        head = git.must(repo, "symbolic-ref", "HEAD").strip()
        if git.run(repo, "show-ref", "-q", "--verify", head)[0]:
            raise CommandFailed("HEAD points to '%s', which is not there" % head)
        for state in states[1:]:
            names = [key[4:] for key in sorted(set(states[0]) ^ set(state))
                     if key.startswith("ref:refs/heads/")]
            there = [n for n in names if not git.run(repo, "show-ref", "-q", "--verify", n)[0]]
            old = head if head in there else there[0] if there else None
            for new in names:
                if old and new != old:
                    git.must(repo, "branch", "-M", old[11:], new[11:])
                    git.must(repo, "branch", "-M", new[11:], old[11:])


class CommitGraph(Workload):
    """commit-graph write: one file, chains, and what replaces them; fsck verifies what is there."""
    name = "commit-graph"
    needs = ("commit", "commit-graph")
    repos = ("repo",)
    WAYS = (("--changed-paths",), ("--split",), ("--split=no-merge",), ("--split=replace", "--changed-paths"))

    def prepare(self, git):
        first_commits(git, "repo", 6, 4)

    def ops(self, git, read):
        for nr in range(12):
            write_file(git.path("repo", "more"), "%d\n" % nr)
            yield Op("repo", "commit", commands=2, run=lambda n=nr: (
                git.must("repo", "add", "more"), git.must("repo", "commit", "-q", "-m", "more %d" % n)))
            yield Op("repo", "commit-graph write", run=lambda n=nr: git.must(
                "repo", "commit-graph", "write", "--reachable", *self.WAYS[n % 4]))

    def again(self, git, repo, states):
        write_file(git.path(repo, "more"), "again\n")
        git.must(repo, "commit", "-q", "-a", "-m", "again")
        for way in self.WAYS:
            git.must(repo, "commit-graph", "write", "--reachable", *way)
            git.must(repo, "commit-graph", "verify")


class Config(Workload):
    """config: set, add, unset, rename a section."""
    name = "config"
    needs = ("config",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 3, 1)
        with open(git.path("repo", ".git", "config"), "a") as f:
            for i in range(300):
                f.write("[branch \"b%d\"]\n\tremote = origin\n\tmerge = refs/heads/b%d\n" % (i, i))

    def ops(self, git, read):
        for i in range(20):
            args = (["set.key", "value %d" % i], ["--add", "list.entry", "entry %d" % i],
                    ["branch.b%d.rebase" % i, "true"], ["--unset", "branch.b%d.remote" % i],
                    ["--rename-section", "branch.b%d" % i, "branch.new%d" % i])[i % 5]
            yield Op("repo", "config", lambda a=args: git.must("repo", "config", *a))

    def again(self, git, repo, states):
        git.must(repo, "config", "again.key", "value")


class ReflogExpire(Refs):
    """reflog expire, with updates in between."""
    needs = ("reflog", "update-ref", "log")

    def __init__(self):
        super().__init__("expire")
        self.name = "reflog-expire"

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        ids = commit_ids(git, "repo")
        for i in range(8):
            git.must("repo", "update-ref", branch(i), ids[0])
            with open(git.path("repo", ".git", "logs", branch(i)), "w") as f:
                for k in range(60):
                    f.write("%s %s Crash <crash@example.com> %d +0000\tentry %d\n" % (
                        ids[(k + 2) % 3] if k else "0" * len(ids[0]), ids[k % 3],
                        1500000000 + k * 1000, k))
                f.write("%s %s Crash <crash@example.com> 1600000000 +0000\tlast\n" % (
                    ids[59 % 3], ids[0]))

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        for nr in range(6):
            data = "".join("update %s %s\n" % (branch(i), ids[(nr + 1) % 3]) for i in range(8))
            yield Op("repo", "transaction", atomic=True,
                     run=lambda d=data: git.must("repo", "update-ref", "--stdin", data=d))
            when = 1500000000 + (nr + 1) * 8000
            yield Op("repo", "reflog expire", run=lambda w=when: git.must(
                "repo", "reflog", "expire", "--expire=@%d" % w, "--expire-unreachable=@%d" % w,
                "--all"))

    def again(self, git, repo, states):
        git.must(repo, "reflog", "expire", "--expire=now", "--all")
        super().again(git, repo, states)


class Migrate(ReflogExpire):
    """refs migrate, to and fro, with updates in between."""
    needs = ("reflog", "update-ref", "log", "refs")
    changes_format = True

    def __init__(self):
        super().__init__()
        self.name = "refs-migrate"

    def ops(self, git, read):
        ids = commit_ids(git, "repo")
        to = ("files", "reftable") if git.in_tables else ("reftable", "files")
        for nr in range(8):
            data = "".join("update %s %s\n" % (branch(i), ids[(nr + 1) % 3]) for i in range(8))
            yield Op("repo", "refs migrate", run=lambda f=to[nr % 2]: git.must(
                "repo", "refs", "migrate", "--ref-format=" + f), atomic=True)
            yield Op("repo", "transaction", atomic=True,
                     run=lambda d=data: git.must("repo", "update-ref", "--stdin", data=d))

    def again(self, git, repo, states):
        """Where it is now; then to the other format and back."""
        own = git.must(repo, "rev-parse", "--show-ref-format").strip()
        other = "files" if own == "reftable" else "reftable"
        for to in other, own:
            git.must(repo, "refs", "migrate", "--ref-format=" + to)
        super().again(git, repo, states)


class MultiPackIndex(Workload):
    """multi-pack-index write, with bitmaps and in layers, and expire. What replaces the expired
    pack is a copy that nobody has flushed."""
    name = "multi-pack-index"
    needs = ("commit", "multi-pack-index")
    repos = ("repo",)
    with_foreign = True

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "bulkCheckin.unpackLimit", "1")
        first_commits(git, "repo", 12, 2)

    def commit(self, git, nr):
        make_files(git, "repo", 12, 10 + nr)
        git.must("repo", "commit", "-q", "-a", "-m", "commit %d" % nr)

    @staticmethod
    def copy_oldest(git, nr):
        """The oldest pack gets a younger copy, so that it is the one to go."""
        packs = git.path("repo", ".git", "objects", "pack")
        names = [os.path.join(packs, name) for name in sorted(os.listdir(packs)) if name.endswith(".pack")]
        for i, name in enumerate(names):
            os.utime(name, (1600000000 + i, 1600000000 + i))
        for extension in ".pack", ".idx":
            with open(names[0][:-5] + extension, "rb") as f:
                write = f.read()
            with open(os.path.join(packs, "pack-%040d%s" % (10 ** 39 * 9 + nr, extension)), "wb") as f:
                f.write(write)

    def ops(self, git, read):
        def midx(*args):
            return lambda: git.must("repo", "multi-pack-index", *args)
        for nr in range(5):
            yield Op("repo", "commit", lambda n=nr: self.commit(git, n), commands=2)
            yield Op("repo", "write --bitmap", midx("write", "--bitmap"))
            yield Op("repo", "commit", lambda n=nr: self.commit(git, 10 + n), commands=2)
            yield Op("repo", "write --incremental", midx("write", "--bitmap", "--incremental"))
            self.copy_oldest(git, nr)
            yield Op("repo", "write", midx("write"))
            yield Op("repo", "expire", midx("expire"))

    def again(self, git, repo, states):
        self.commit(git, 99)
        git.must(repo, "multi-pack-index", "write", "--incremental")
        git.must(repo, "multi-pack-index", "write", "--bitmap")
        git.must(repo, "multi-pack-index", "verify")
        git.must(repo, "multi-pack-index", "expire")


class MidxLayers(Workload):
    """Layers of a multi-pack-index with bitmaps and pseudo-merges: written by multi-pack-index and by repack, left out
    of the chain, combined."""
    name = "midx-layers"
    needs = ("commit", "multi-pack-index", "repack")
    repos = ("repo",)
    CHAIN = (".git", "objects", "pack", "multi-pack-index.d", "multi-pack-index-chain")

    def prepare(self, git):
        first_commits(git, "repo", 12, 2)
        for key, value in (("gc.auto", "0"), ("repack.midxNewLayerThreshold", "2"), ("bitmapPseudoMerge.all.pattern", "refs/"),
                           ("bitmapPseudoMerge.all.stableThreshold", "now")):
            git.must("repo", "config", key, value)
        git.must("repo", "repack", "-dbq", "--write-midx=incremental")

    def commit(self, git, repo, nr):
        make_files(git, repo, 12, 10 + nr)
        git.must(repo, "commit", "-q", "-a", "-m", "commit %d" % nr)

    def layers(self, git, repo):
        with open(git.path(repo, *self.CHAIN)) as f:
            return f.read().split()

    def compact(self, git, repo, *args):
        git.must(repo, "multi-pack-index", "compact", "--incremental", "--bitmap", *args, *self.layers(git, repo)[-2:])

    def ops(self, git, read):
        steps = (("repack", "-dbq", "--write-midx=incremental"),
                 ("repack", "-dq"),
                 ("multi-pack-index", "write", "--incremental", "--bitmap", "--no-write-chain-file"),
                 ("multi-pack-index", "write", "--incremental", "--bitmap"))
        for nr in range(3):
            for k, step in enumerate(steps):
                if k < 2:
                    yield Op("repo", "commit", lambda n=2 * nr + k: self.commit(git, "repo", n), commands=1)
                yield Op("repo", " ".join(step), lambda s=step: git.must("repo", *s))
            yield Op("repo", "compact", lambda: self.compact(git, "repo"))
            yield Op("repo", "commit", lambda n=20 + nr: self.commit(git, "repo", n), commands=1)
            yield Op("repo", "geometric", lambda: git.must("repo", "repack", "-dbq", "--geometric=2", "--write-midx=incremental"))

    def again(self, git, repo, states):
        self.commit(git, repo, 99)
        git.must(repo, "repack", "-dbq", "--write-midx=incremental")
        git.must(repo, "multi-pack-index", "verify")
        self.commit(git, repo, 98)
        git.must(repo, "repack", "-dbq", "--write-midx=incremental")
        self.compact(git, repo)
        git.must(repo, "multi-pack-index", "verify")
        if git.must(repo, "rev-list", "--objects", "--all", "--count") != git.must(
                repo, "rev-list", "--objects", "--all", "--count", "--use-bitmap-index"):
            raise CommandFailed("the bitmaps of the multi-pack-index lack objects")


class Prune(Workload):
    """prune, after commits that branches and reflogs have let go. Without the rules, what is pruned
    would be gone before that is."""
    name = "prune"
    needs = ("commit", "update-ref", "reflog", "prune")
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 6, 4)

    def make(self, git, repo, nr):
        """A commit of a branch of its own; main and the index have it, too."""
        make_files(git, repo, 12, 20 + nr)
        write_file(git.path(repo, "more%d" % nr), noise("more %d" % nr, 5000))
        git.must(repo, "add", ".")
        git.must(repo, "commit", "-q", "-m", "more %d" % nr)
        git.must(repo, "update-ref", "refs/heads/side", "HEAD")

    def drop(self, git, repo):
        git.must(repo, "update-ref", "refs/heads/main", "HEAD~1")
        git.must(repo, "read-tree", "HEAD")
        git.must(repo, "update-ref", "-d", "refs/heads/side")

    def clear(self, git, repo):
        git.must(repo, "reflog", "expire", "--expire=now", "--all")
        git.must(repo, "prune")

    def ops(self, git, read):
        for nr in range(8):
            yield Op("repo", "commit", commands=3, run=lambda n=nr: self.make(git, "repo", n))
            yield Op("repo", "drop", commands=3, run=lambda: self.drop(git, "repo"))
            yield Op("repo", self.name, commands=2, run=lambda: self.clear(git, "repo"))

    def again(self, git, repo, states):
        self.make(git, repo, 99)
        self.drop(git, repo)
        self.clear(git, repo)


class Gc(Prune):
    """gc --prune=now with reflogs that expire: refs, logs, packs, loose objects and the commit-graph in
    one operation."""
    name = "gc"
    needs = ("commit", "update-ref", "gc")

    def prepare(self, git):
        super().prepare(git)
        git.must("repo", "config", "gc.reflogExpire", "now")
        git.must("repo", "config", "gc.reflogExpireUnreachable", "now")

    def clear(self, git, repo):
        git.must(repo, "gc", "-q", "--prune=now")


class Repack(Workload):
    """repack: everything into one pack with bitmaps, what is unreachable into another, the small ones
    into one; what is replaced goes."""
    name = "repack"
    needs = ("commit", "update-ref", "repack")
    repos = ("repo",)
    WAYS = (("-d",), ("-adb",), ("--cruft", "-d"), ("-d", "-g2", "-m", "-b"))

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "bulkCheckin.unpackLimit", "0")
        git.must("repo", "config", "gc.auto", "0")
        first_commits(git, "repo", 6, 3)

    def commit(self, git, repo, nr):
        make_files(git, repo, 10, 30 + nr)
        git.must(repo, "commit", "-q", "-a", "-m", "commit %d" % nr)
        git.must(repo, "update-ref", "refs/tags/t%d" % nr, "HEAD")

    def ops(self, git, read):
        for nr in range(8):
            yield Op("repo", "commit", commands=2, run=lambda n=nr: self.commit(git, "repo", n))
            yield Op("repo", "repack", lambda w=self.WAYS[nr % 4]: git.must("repo", "repack", "-q", *w))

    def again(self, git, repo, states):
        self.commit(git, repo, 99)
        for way in self.WAYS:
            git.must(repo, "repack", "-q", *way)
        git.must(repo, "pack-refs", "--all")  # which meets the lock of a ref that was being made
        git.must(repo, "fsck", "--strict")


class RepackParts(Repack):
    """repack into several packs at once: what a filter leaves out, what came from a promisor remote, what is
    unreachable, and the rest."""
    name = "repack-parts"
    needs = ("commit", "update-ref", "repack", "index-pack", "pack-objects")
    WAYS = (("-adf", "--filter=blob:none"), ("--cruft", "-d", "--filter=blob:limit=2k"), ("-Ad",),
            ("-d", "-g2", "-m"))

    def prepare(self, git):
        """A partial clone: without the .promisor of its packs, its history would not be complete."""
        super().prepare(git)
        os.rename(git.path("repo"), git.path("source"))
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "bulkCheckin.unpackLimit", "0")
        self.send(git, "repo", "HEAD~1")
        self.send(git, "repo", "HEAD")
        git.must("repo", "update-ref", "refs/heads/main", git.must("source", "rev-parse", "HEAD").strip())

    def send(self, git, repo, revision):
        """What leads to it, without blobs, comes as a pack from elsewhere."""
        pack = subprocess.run([git.program, "pack-objects", "--revs", "--stdout", "-q", "--filter=blob:none"],
                              cwd=git.path("source"), env=git.env, input=revision.encode() + b"\n",
                              stdout=subprocess.PIPE, check=True).stdout
        git.must(repo, "index-pack", "--stdin", "--promisor=" + revision, data=pack)

    def commit(self, git, repo, nr):
        make_files(git, repo, 10, 30 + nr)
        git.must(repo, "add", ".")
        git.must(repo, "commit", "-q", "-m", "commit %d" % nr)
        git.must(repo, "update-ref", "refs/tags/t%d" % nr, "HEAD")


class Maintenance(Workload):
    """maintenance run: loose objects into packs and away, an index of the packs, small packs combined,
    refs packed, a layer of the commit-graph."""
    name = "maintenance"
    needs = ("commit", "update-ref", "maintenance")
    repos = ("repo",)
    TASKS = ("loose-objects", "incremental-repack", "pack-refs", "commit-graph", "reflog-expire")

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "bulkCheckin.unpackLimit", "0")
        git.must("repo", "config", "gc.reflogExpire", "never")
        git.must("repo", "config", "gc.reflogExpireUnreachable", "never")
        first_commits(git, "repo", 6, 3)

    def commit(self, git, repo, nr):
        make_files(git, repo, 10, 30 + nr)
        git.must(repo, "commit", "-q", "-a", "-m", "commit %d" % nr)
        git.must(repo, "update-ref", "refs/tags/t%d" % nr, "HEAD")

    def age(self, git, repo):
        """As if days had passed: what counts as the youngest pack is not left to the second."""
        packs = git.path(repo, ".git", "objects", "pack")
        for name in os.listdir(packs):
            path = os.path.join(packs, name)
            then = os.stat(path).st_mtime - 1000
            os.utime(path, (then, then))

    def ops(self, git, read):
        for nr in range(6):
            yield Op("repo", "commit", commands=2, run=lambda n=nr: self.commit(git, "repo", n))
            self.age(git, "repo")
            for task in self.TASKS:
                # the steps of a task can be seen one by one; so the index is written before it
                if task == "incremental-repack":
                    yield Op("repo", "write", lambda: git.must("repo", "multi-pack-index", "write"))
                    yield Op("repo", "expire", lambda: git.must("repo", "multi-pack-index", "expire"))
                yield Op("repo", task, lambda t=task: git.must("repo", "maintenance", "run", "--task=" + t))

    def again(self, git, repo, states):
        self.commit(git, repo, 99)
        for task in self.TASKS:
            git.must(repo, "maintenance", "run", "--task=" + task)
        git.must(repo, "multi-pack-index", "verify")


class Receive(Workload):
    """index-pack --stdin of thin packs, kept, and unpack-objects: what others have sent, and a ref
    that names it."""
    name = "receive"
    needs = ("commit", "index-pack", "unpack-objects", "update-ref", "pack-objects")
    repos = ("repo",)
    SENT = 12

    @staticmethod
    def start(git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        first_commits(git, "repo", 6, 2)

    def prepare(self, git):
        self.start(git)
        self.sent(git, 0)

    def sent(self, git, nr):
        """(a file with a pack, its tip). A repository that begins in the same way, outside of the
        disk, has what is sent; it is made when it is first asked for."""
        sender = Git(git.program, "none", os.path.join(git.home, "sender-home"),
                     os.path.join(git.home, "sender"))
        if not os.path.exists(sender.path("tips")):
            self.start(sender)
            tips = [sender.must("repo", "rev-parse", "HEAD").strip()]
            for i in range(self.SENT + 1):
                tips.append(self.make_pack(sender, i, tips[-1]))
            write_file(sender.path("tips"), " ".join(tips[1:]))
        with open(sender.path("tips")) as f:
            return sender.path("pack-%d" % nr), f.read().split()[nr]

    @staticmethod
    def make_pack(sender, nr, parent):
        tree = sender.must("repo", "ls-tree", parent)
        for i, size in enumerate(SIZES):
            text = noise("sent %d %d" % (nr, i), size)
            oid = sender.must("repo", "hash-object", "-w", "--stdin", data=text).strip()
            tree += "100644 blob %s\tsent%d-%d\n" % (oid, nr, i)
        tip = sender.must("repo", "commit-tree", "-m", "sent", "-p", parent,
                          sender.must("repo", "mktree", data=tree).strip()).strip()
        with open(sender.path("pack-%d" % nr), "wb") as out:
            subprocess.run([sender.program, "pack-objects", "--revs", "--thin", "--stdout", "-q"], check=True,
                           cwd=sender.path("repo"), env=sender.env, stdout=out,
                           input=("%s\n^%s\n" % (tip, parent)).encode())
        return tip

    def receive(self, git, repo, nr, *command):
        with open(self.sent(git, nr)[0], "rb") as f:
            git.must(repo, *command, data=f.read())

    def name_it(self, git, repo, nr):
        git.must(repo, "update-ref", "refs/heads/sent", self.sent(git, nr)[1])

    def unpack(self, git, repo, nr):
        self.receive(git, repo, nr, "unpack-objects", "-q")
        self.name_it(git, repo, nr)

    def ops(self, git, read):
        for nr in range(0, self.SENT, 2):
            yield Op("repo", "index-pack", lambda n=nr: self.receive(
                git, "repo", n, "index-pack", "--stdin", "--fix-thin", "--keep=%d" % n))
            yield Op("repo", "name", lambda n=nr: self.name_it(git, "repo", n))
            yield Op("repo", "unpack", commands=2, run=lambda n=nr + 1: self.unpack(git, "repo", n))

    def again(self, git, repo, states):
        for nr in range(self.SENT):
            self.receive(git, repo, nr, "unpack-objects", "-q")
        self.receive(git, repo, self.SENT, "index-pack", "--stdin", "--fix-thin", "--keep")
        self.name_it(git, repo, self.SENT)
        git.must(repo, "fsck", "--strict")


class OtherSide(Workload):
    """A repository outside of the disk, from which the steps get commits."""
    tip = None  # of the other side, after all steps

    def other(self, git):
        other = Git(git.program, "none", os.path.join(git.home, "other-home"), os.path.join(git.home, "other"))
        if not os.path.exists(other.path("there", ".git")):
            os.makedirs(other.path("there"))
            other.must("there", "init", "-q")
            first_commits(other, "there", 6, 2)
            self.tip = None
        return other

    def commit(self, git, files, seed):
        other = self.other(git)
        make_files(other, "there", files, seed)
        other.must("there", "add", ".")
        other.must("there", "commit", "-q", "-m", "commit %d" % seed)
        return other

    def rewind(self, git):
        """Back to the end of the steps: the other side does not grow with each image."""
        other = self.other(git)
        if not self.tip:
            self.tip = other.must("there", "rev-parse", "HEAD").strip()
        other.must("there", "reset", "-q", "--hard", self.tip)
        return other


class Clone(OtherSide):
    """clone: through the protocol, by copies, by hard links of a clone on the disk itself; shallow, without files. One
    that was going on has no branch yet, or all refs; it is made anew."""
    name = "clone"
    needs = ("commit", "clone", "update-ref", "upload-pack")
    repos = tuple("c%d" % i for i in range(10))

    def prepare(self, git):
        other = self.commit(git, 60, 3)
        other.must("there", "tag", "-a", "-m", "tag", "v1")
        other.must("there", "update-ref", "--stdin",
                   data="".join("create refs/heads/b%d HEAD\n" % i for i in range(40)))

    def clone(self, git, repo, kind):
        there = self.other(git).path("there")
        git.must("", "clone", "-q", *[
            ("file://" + there, repo), (there, repo), ("c0", repo),
            ("--depth=1", "--no-single-branch", "file://" + there, repo), ("--no-checkout", "file://" + there, repo),
        ][kind])

    def ops(self, git, read):
        for nr, repo in enumerate(self.repos):
            yield Op(repo, "clone", lambda r=repo, n=nr: self.clone(git, r, n % 5), atomic=True)

    def again(self, git, repo, states):
        nr = self.repos.index(repo)
        if not os.path.exists(git.path(repo, ".git", "HEAD")) or not git.run(repo, "show-ref", "--heads")[1]:
            shutil.rmtree(git.path(repo), ignore_errors=True)
            self.clone(git, repo, nr % 5 if nr % 5 != 2 else 0)
        self.rewind(git)
        self.commit(git, 5, int.from_bytes(os.urandom(4), "big"))
        git.must(repo, "fetch", "-q", "file://" + self.other(git).path("there"))
        git.must(repo, "read-tree", "HEAD")  # takes over the lock of the index, if clone left it
        git.must(repo, "fsck", "--strict")


class Fetch(OtherSide):
    """fetch: few objects, and a pack; 100 tags at once; branches that have gone. The other side is outside of the
    disk."""
    name = "fetch"
    needs = ("commit", "fetch", "update-ref", "upload-pack")
    repos = ("repo",)
    TAGS = 100

    def prepare(self, git):
        other = self.other(git)
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "remote.origin.url", other.path("there"))
        git.must("repo", "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        git.must("repo", "fetch", "-q")

    def change(self, git, nr):
        """A commit, tags and branches; those of the round before are gone."""
        other = self.commit(git, 120 if nr % 2 else 5, 20 + nr)
        lines = "".join("create refs/tags/t%d-%d HEAD\n" % (nr, i) for i in range(self.TAGS if nr % 3 == 0 else 2))
        lines += "".join("create refs/heads/b%d-%d HEAD\n" % (nr, i) for i in range(10))
        if nr:
            lines += "".join("delete refs/heads/b%d-%d\n" % (nr - 1, i) for i in range(10))
        other.must("there", "update-ref", "--stdin", data=lines)

    def fetch(self, git, nr):
        self.change(git, nr)
        git.must("repo", "fetch", "-q", "--prune")

    def ops(self, git, read):
        for nr in range(9):
            yield Op("repo", "fetch", lambda n=nr: self.fetch(git, n), atomic=True)

    def again(self, git, repo, states):
        lines = "".join("update refs/heads/b%d-%d HEAD\n" % (nr, i) for nr in range(9) for i in range(10))
        self.rewind(git).must("there", "update-ref", "--stdin", data=lines)
        for files in 5, 120:
            self.commit(git, files, int.from_bytes(os.urandom(4), "big"))
            git.must(repo, "fetch", "-q", "--prune")
        git.must(repo, "fsck", "--strict")


class Push(OtherSide):
    """push of 1 and of 50 branches, which are created, updated and deleted, loose and packed. The client is outside of
    the disk. few: the objects go loose; many: a pack is kept. Without --atomic one ref is refused each time."""
    needs = ("commit", "push", "receive-pack", "pack-refs", "update-ref")
    repos = ("repo",)
    ROUNDS = 4
    REFUSED = "refs/hidden/x"

    def __init__(self, kind, atomic):
        self.name = "push-" + kind + ("-atomic" if atomic else "")
        self.files = {"few": 5, "many": 120}[kind]
        self.atomic = atomic

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "core.logAllRefUpdates", "true")
        git.must("repo", "config", "receive.hideRefs", "refs/hidden")
        git.must("repo", "config", "receive.denyCurrentBranch", "ignore")
        self.push(git, ["HEAD:refs/heads/main"], refused=False)

    def push(self, git, refspecs, refused=True):
        there = self.other(git).path("there")
        options = ["--atomic"] if self.atomic else []
        refused = refused and not self.atomic
        code, out = git.run(there, "push", *options, git.path("repo"), *refspecs,
                            *["HEAD:" + self.REFUSED] * refused)
        if code != refused or out.count("[remote rejected]") != refused or out.count("deny updating") != refused:
            raise CommandFailed("git push: exit %d: %s" % (code, out.strip()))

    @staticmethod
    def names(nr):
        return ["refs/heads/push%d/b%d" % (nr, i) for i in range(50 if nr % 2 else 1)]

    def step(self, git, nr, what):
        if what != "delete":
            self.commit(git, self.files, 100 + 2 * nr + (what == "update"))
        self.push(git, [("" if what == "delete" else "+HEAD") + ":" + name for name in self.names(nr)])

    def ops(self, git, read):
        for nr in range(self.ROUNDS):
            for what in "create", "update", "delete":
                if what == "delete" and nr >= 2:
                    yield Op("repo", "pack-refs", lambda: git.must("repo", "pack-refs", "--all"))
                yield Op("repo", what, lambda n=nr, w=what: self.step(git, n, w), atomic=True)

    def again(self, git, repo, states):
        """The same once more, whatever had been done of it."""
        there = sum(([n for n in self.names(nr) if "ref:" + n in states[0]] for nr in range(self.ROUNDS)), [])
        self.rewind(git)
        for files in 5, 120:
            self.commit(git, files, int.from_bytes(os.urandom(4), "big"))
            self.push(git, ["+HEAD:" + n for nr in range(self.ROUNDS) for n in self.names(nr)])
        if there:
            self.push(git, [":" + n for n in there])
        git.must(repo, "fsck", "--strict")


class Reset(Workload):
    """reset --hard to commits with other files, --soft and paths in between. Files of the working tree
    are not flushed; HEAD, the branch, ORIG_HEAD and the index are."""
    name = "reset"
    needs = ("reset",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 24, 4)
        self.ids = git.must("repo", "log", "--format=%H").split()

    def command(self, nr):
        commit = self.ids[nr % 4]
        return [("reset", "-q", "--hard", commit), ("reset", "-q", "--soft", commit),
                ("reset", "-q", "--hard", commit), ("reset", "-q", commit, "--", "dir1")][nr % 4]

    def ops(self, git, read):
        for nr in range(18):
            yield Op("repo", "reset", lambda n=nr: git.must("repo", *self.command(n * 3 + n // 4)))

    def again(self, git, repo, states):
        git.must(repo, "reset", "-q", "--hard", self.ids[0])
        git.must(repo, "reset", "-q", "--hard", self.ids[3])
        if git.must(repo, "status", "--porcelain", "-uno"):
            raise CommandFailed("git reset --hard has left changes")


class Checkout(Workload):
    """checkout between commits with other files, new branches, a detached HEAD, and restored paths."""
    name = "checkout"
    needs = ("checkout", "switch", "restore")
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 24, 4)
        self.ids = git.must("repo", "log", "--format=%H").split()
        for nr, commit in enumerate(self.ids):
            git.must("repo", "update-ref", "refs/heads/b%d" % nr, commit)

    def command(self, nr):
        to = "b%d" % (nr * 3 % 4)
        return [("checkout", "-q", to), ("switch", "-q", "-c", "new%d" % nr, to),
                ("checkout", "-q", "--detach", to), ("restore", "-SW", "-s", self.ids[nr % 4], "dir1"),
                ("checkout", "-q", "-f", to)][nr % 5]

    def ops(self, git, read):
        for nr in range(20):
            yield Op("repo", "checkout", lambda n=nr: git.must("repo", *self.command(n)))

    def again(self, git, repo, states):
        for nr in range(1, 20, 5):
            git.must(repo, "checkout", "-q", "-f", "-B", "new%d" % nr, "b0")
        git.must(repo, "checkout", "-q", "-f", "b0")
        git.must(repo, "checkout", "-q", "b3")
        if git.must(repo, "status", "--porcelain", "-uno"):
            raise CommandFailed("git checkout has left changes")


# ---- commands that join histories ----

def blob_name(data):
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Join(Workload):
    """The base of commands that change files of the working tree from one tree to another. Files are
    looked at, too: after an acknowledgement each has its new content; before it its old or its new one,
    or a marker tells the next command what was being written. To add a command: a subclass with its
    branches and steps, how it goes on and how it is aborted."""
    repos = ("repo",)
    with_files = True
    FILES = 24
    ROUNDS = 6
    NEXT = "own"   # a branch for the next command; own-clash is in conflict with what that does
    LOCAL = True   # there is a local change to a file that no command touches

    def file(self, git, nr, repo="repo"):
        return git.path(repo, "dir%d" % (nr % 7), "file%d" % nr)

    def change(self, git, branch, nr, files, start, clash=False, repo="repo"):
        """A commit on a new branch at `start`: some files changed, one new, one gone."""
        git.must(repo, "checkout", "-q", "-f", "-B", branch, start)
        for k in files:
            write_file(self.file(git, k, repo), noise("%s %d" % (branch, k), SIZES[(k + nr) % 5]))
        write_file(git.path(repo, "new", branch.replace("/", "-")), noise(branch, SIZES[nr % 5]))
        if not clash:
            os.unlink(git.path(repo, "old", "gone%d" % nr))
        git.must(repo, "add", "-A", "dir0", "dir1", "dir2", "dir3", "dir4", "dir5", "dir6", "new", "old")
        git.must(repo, "commit", "-q", "-m", branch)

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        git.must("repo", "init", "-q")
        git.must("repo", "config", "core.logAllRefUpdates", "true")
        make_files(git, "repo", self.FILES, 0)
        for nr in range(self.ROUNDS * 2):
            write_file(git.path("repo", "old", "gone%d" % nr), "gone %d\n" % nr)
        write_file(git.path("repo", "keep"), "kept\n")
        git.must("repo", "add", ".")
        git.must("repo", "commit", "-q", "-m", "base")
        self.change(git, self.NEXT, self.ROUNDS, [], "main", clash=True)
        self.change(git, "own-clash", self.ROUNDS, [0], "main", clash=True)
        git.must("repo", "checkout", "-q", "-f", "main")
        self.branches(git)
        git.must("repo", "checkout", "-q", "-f", "main")
        if self.LOCAL:
            write_file(git.path("repo", "keep"), "a local change\n")
        write_file(git.path("repo", "untracked"), "untracked\n")

    def branches(self, git):
        for nr in range(self.ROUNDS):
            self.change(git, "side%d" % nr, nr, [k for k in range(self.FILES) if k % self.ROUNDS == nr], "main")

    def resolve(self, git, repo):
        """Conflicts: each file gets a content at once, as a careful editor does it."""
        for path in git.must(repo, "diff", "--name-only", "--diff-filter=U").splitlines():
            if path.startswith("warning: "):
                continue
            replace_durably(git.path(repo, path), noise("resolved " + path, 700), git.path(repo, ".git", "resolved"))

    def again(self, git, repo, states):
        """P7: what was interrupted is undone or goes on; then files, index and HEAD belong together."""
        top = git.path(repo, ".git")
        there = lambda name: os.path.exists(os.path.join(top, name))
        if there("WORKTREE_UPDATE"):
            out = git.must(repo, "status")
            if "A command was interrupted" not in out:
                raise CommandFailed("status is silent about the interruption: " + out)
        if not self.keeps_files:
            self.give_files_up(git, repo)
        if there("WORKTREE_UPDATE"):
            self.abort(git, repo)
        elif self.in_progress(top):
            if len(str(states[0])) % 2 or not self.keeps_files:
                self.abort(git, repo)
            else:
                self.resolve(git, repo)
                git.must(repo, "add", "-u", "dir0", "dir1", "dir2", "dir3", "dir4", "dir5", "dir6")
                self.proceed(git, repo)
        self.check_whole(git, repo)
        git.must(repo, "checkout", "-q", "main")
        self.next(git, repo)
        self.check_whole(git, repo)

    def give_files_up(self, git, repo):
        """Files may be empty, which status shows. What the user does then."""
        git.must(repo, "status")
        git.must(repo, "reset", "-q", "--hard")
        git.must(repo, "clean", "-fdq")
        if self.LOCAL:
            write_file(git.path(repo, "keep"), "a local change\n")
        write_file(git.path(repo, "untracked"), "untracked\n")

    def in_progress(self, top):
        return os.path.exists(os.path.join(top, "MERGE_HEAD"))

    def abort(self, git, repo):
        git.must(repo, "merge", "--abort")

    def proceed(self, git, repo):
        git.must(repo, "-c", "core.editor=true", "merge", "--continue")

    def next(self, git, repo):
        git.must(repo, "-c", "core.editor=true", "merge", "-q", self.NEXT)
        write_file(self.file(git, 0, repo), "again\n")
        git.must(repo, "commit", "-q", "-m", "again", "dir0")
        code, out = git.run(repo, "merge", "-q", "own-clash")
        if code != 1 or "CONFLICT" not in out:
            raise CommandFailed("git merge own-clash: exit %d: %s" % (code, out.strip()))
        git.must(repo, "merge", "--abort")

    def check_whole(self, git, repo):
        found = [line for line in git.must(repo, "status", "--porcelain").splitlines() if not line.startswith("warning: ")]
        if found != [" M keep"] * self.LOCAL + ["?? untracked"]:
            raise CommandFailed("HEAD, index and files do not belong together: %r" % found[:6])
        for line in git.must(repo, "ls-files", "-s").splitlines():
            meta, path = line.split("\t")
            with open(git.path(repo, path), "rb") as f:
                if blob_name(f.read()) != meta.split()[1] and (path != "keep" or not self.LOCAL):
                    raise CommandFailed("'%s' is not the file of the index" % path)
        for path, text in ("keep", "a local change\n" if self.LOCAL else "kept\n"), ("untracked", "untracked\n"):
            with open(git.path(repo, path)) as f:
                if f.read() != text:
                    raise CommandFailed("'%s' has lost its local change" % path)


def replace_durably(path, text, temporary):
    with open(temporary, "w") as f:
        f.write(text)
        f.flush()
        os.fsync(f.fileno())
    os.rename(temporary, path)
    fd = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


class Merge(Join):
    """merge of branches that have changed other files than HEAD."""
    name = "merge"
    needs = ("merge",)

    def ops(self, git, read):
        for nr in range(self.ROUNDS):
            yield Op("repo", "merge", lambda n=nr: git.must("repo", "merge", "-q", "--no-ff", "-m", "m", "side%d" % n))


class MergeFastForward(Join):
    name = "merge-ff"
    needs = ("merge",)

    def branches(self, git):
        for nr in range(self.ROUNDS):
            self.change(git, "side%d" % nr, nr, range(nr, self.FILES, 3), "side%d" % (nr - 1) if nr else "main")

    def ops(self, git, read):
        for nr in range(self.ROUNDS):
            yield Op("repo", "fast-forward", lambda n=nr: git.must("repo", "merge", "-q", "--ff-only", "side%d" % n))


class MergeConflict(Join):
    """merge that stops at conflicts; files are resolved and added; merge --continue or commit."""
    name = "merge-conflict"
    needs = ("merge",)

    def branches(self, git):
        files = lambda nr: [k for k in range(self.FILES) if k % self.ROUNDS == nr]
        for nr in range(self.ROUNDS):
            self.change(git, "clash%d" % nr, nr, files(nr), "main", clash=True)
        git.must("repo", "checkout", "-q", "-f", "main")
        for k in range(self.FILES):
            write_file(self.file(git, k), noise("ours %d" % k, SIZES[k % 5]))
        git.must("repo", "commit", "-q", "-a", "-m", "ours")

    def conflict(self, git, nr):
        code, out = git.run("repo", "merge", "-q", "clash%d" % nr)
        if code != 1 or "CONFLICT" not in out:
            raise CommandFailed("git merge: exit %d: %s" % (code, out.strip()))

    def ops(self, git, read):
        add = lambda: git.must("repo", "add", "-u", "dir0", "dir1", "dir2", "dir3", "dir4", "dir5", "dir6")
        for nr in range(self.ROUNDS):
            yield Op("repo", "merge with conflicts", lambda n=nr: self.conflict(git, n), commands=2)
            if nr % 3 == 2:
                yield Op("repo", "abort", lambda: self.abort(git, "repo"), loose=True)
                continue
            yield Op("repo", "resolve", lambda: self.resolve(git, "repo"), commands=2)
            yield Op("repo", "add", add)
            yield Op("repo", "continue", lambda: self.proceed(git, "repo"))


class Pull(Join):
    """pull: fetch and merge. The other repository is not on the disk that loses power."""
    name = "pull"
    needs = ("pull",)

    def branches(self, git):
        other = self.other(git)
        shutil.rmtree(other.path("there"), ignore_errors=True)
        shutil.copytree(git.path("repo"), other.path("there"))
        for nr in range(self.ROUNDS):
            self.change(other, "side%d" % nr, nr, [k for k in range(self.FILES) if k % self.ROUNDS == nr],
                        "main", repo="there")
        git.must("repo", "remote", "add", "origin", other.path("there"))

    @staticmethod
    def other(git):
        return Git(git.program, "none", git.home, git.home)

    def ops(self, git, read):
        for nr in range(self.ROUNDS):
            yield Op("repo", "pull", lambda n=nr: git.must(
                "repo", "pull", "-q", "--no-rebase", "--no-ff", "origin", "side%d" % n))

    def next(self, git, repo):
        for nr in range(self.ROUNDS):
            git.must(repo, "pull", "-q", "--no-rebase", "origin", "side%d" % nr)
        super().next(git, repo)


class Switch(Join):
    """checkout and switch between branches with other files."""
    name = "switch-files"
    needs = ("switch", "merge")

    def ops(self, git, read):
        for nr in range(self.ROUNDS * 2):
            command = ("checkout", "switch")[nr % 2]
            yield Op("repo", command, lambda c=command, n=nr: git.must("repo", c, "-q", "side%d" % (n % self.ROUNDS)))


class CherryPick(Join):
    """cherry-pick of five commits at once."""
    name = "cherry-pick"
    needs = ("cherry-pick",)
    COMMITS = 5
    COMMAND = "cherry-pick"
    ROUNDS = 4

    def chain(self, git, topic, start, commits, clash=None):
        """A branch of so many commits, which change files of their own; the one with the number `clash` changes a
        file that the base changes, too."""
        for nr in range(commits):
            files = [(topic * commits + nr) % (self.FILES - 1)] if nr != clash else [self.FILES - 1]
            self.change(git, "topic%d" % topic, topic * commits + nr, files, start if not nr else "topic%d" % topic, clash=True)

    def branches(self, git):
        for topic in range(self.ROUNDS):
            self.chain(git, topic, "main", self.COMMITS)

    def ops(self, git, read):
        base = git.must("repo", "rev-parse", "HEAD").strip()
        for topic in range(self.ROUNDS):
            yield Op("repo", self.name, lambda t=topic: git.must("repo", self.COMMAND, base + "..topic%d" % t))

    def in_progress(self, top):
        return any(os.path.exists(os.path.join(top, name)) for name in ("CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer"))

    def abort(self, git, repo):
        if os.path.exists(git.path(repo, ".git", "WORKTREE_UPDATE")):
            git.must(repo, "merge", "--abort")
        if self.in_progress(git.path(repo, ".git")):
            git.must(repo, self.COMMAND, "--abort")

    def proceed(self, git, repo):
        git.must(repo, "-c", "core.editor=true", self.COMMAND, "--continue")


class Am(CherryPick):
    """am of ten patches at once."""
    name = "am"
    needs = ("am", "format-patch")
    COMMITS = 10
    ROUNDS = 2
    COMMAND = "am"

    def mailbox(self, git, topic):
        return git.path("repo", ".git", "series%d" % topic)

    def branches(self, git):
        super().branches(git)
        for topic in range(self.ROUNDS):
            write_file(self.mailbox(git, topic), git.must("repo", "format-patch", "--stdout", "main..topic%d" % topic))

    def ops(self, git, read):
        for topic in range(self.ROUNDS):
            yield Op("repo", self.name, lambda t=topic: git.must("repo", "am", "-q", self.mailbox(git, t)))

    def in_progress(self, top):
        return os.path.exists(os.path.join(top, "rebase-apply"))

    def proceed(self, git, repo):
        git.must(repo, "am", "--skip")


class Rebase(CherryPick):
    """rebase of ten commits, with or without a stop at a conflict."""
    needs = ("rebase",)
    COMMITS = 10
    COMMAND = "rebase"
    LOCAL = False

    def __init__(self, stop, backend="merge"):
        self.name = "rebase" + ("-apply" if backend == "apply" else "") + ("-stop" if stop else "")
        self.stop = stop
        self.backend = "--" + backend

    def branches(self, git):
        for topic in range(self.ROUNDS):
            self.chain(git, topic, "main", self.COMMITS, 4 if self.stop else None)
        git.must("repo", "checkout", "-q", "-f", "main")
        write_file(self.file(git, self.FILES - 1), noise("main", 700))
        git.must("repo", "commit", "-q", "-a", "-m", "main")

    def conflict(self, git, topic):
        code, out = git.run("repo", "rebase", self.backend, "main", "topic%d" % topic)
        if code != 1 or "CONFLICT" not in out:
            raise CommandFailed("git rebase: exit %d: %s" % (code, out.strip()))

    def ops(self, git, read):
        for topic in range(self.ROUNDS):
            if not self.stop:
                yield Op("repo", "rebase", lambda t=topic: git.must("repo", "rebase", "-q", self.backend, "main", "topic%d" % t))
                continue
            yield Op("repo", "rebase with a conflict", lambda t=topic: self.conflict(git, t), commands=2)
            if topic % 2:
                yield Op("repo", "abort", lambda: self.abort(git, "repo"), loose=True)
                continue
            yield Op("repo", "resolve", lambda: self.resolve(git, "repo"), commands=2)
            yield Op("repo", "add", lambda: git.must("repo", "add", "-u"))
            yield Op("repo", "continue", lambda: self.proceed(git, "repo"), steps=True)

    def in_progress(self, top):
        return any(os.path.exists(os.path.join(top, d)) for d in ("rebase-merge", "rebase-apply"))

    def proceed(self, git, repo):
        """An interrupted rebase may not have come to its conflict, or may not have begun: then it says so. An interrupted
        abort (of every second topic) has put some files back; with them, another commit may conflict."""
        head_name = git.path(repo, ".git", self.backend.replace("--", "rebase-"), "head-name")
        aborts = False
        if os.path.exists(head_name):
            with open(head_name) as f:
                aborts = f.read().strip()[-1:] in tuple("13579")
        code, out = git.run(repo, "-c", "core.editor=true", "rebase", "--continue")
        if code == 1 and self.stop and "CONFLICT" in out:
            self.resolve(git, repo)
            git.must(repo, "add", "-u")
            code, out = git.run(repo, "-c", "core.editor=true", "rebase", "--continue")
            if aborts and code == 1 and "CONFLICT" in out:
                return self.abort(git, repo)
        if code and ("interrupted while HEAD moved" in out or "cannot resume" in out):
            self.abort(git, repo)
        elif code:
            raise CommandFailed("git rebase --continue: exit %d: %s" % (code, out.strip()))

    def next(self, git, repo):
        """Also a rebase of each branch, whose lock may have been left. Those that stop write all files of the state."""
        for topic in range(self.ROUNDS):
            code, out = git.run(repo, "rebase", self.backend, "--force-rebase", "main", "topic%d" % topic)
            if code == 1 and self.stop and "CONFLICT" in out:
                self.resolve(git, repo)
                git.must(repo, "add", "-u")
                self.proceed(git, repo)
            elif code:
                raise CommandFailed("git rebase: exit %d: %s" % (code, out.strip()))
        git.must(repo, "checkout", "-q", "main")
        super().next(git, repo)


class Stash(Join):
    """stash push and pop. Whatever happens: each change is in its file, or in the newest stash."""
    name = "stash"
    needs = ("stash",)
    LOCAL = False

    def edited(self, nr):
        return {"dir%d/file%d" % (k % 7, k): noise("stashed %d %d" % (nr, k), SIZES[(nr + k) % 5])
                for k in range(nr, self.FILES, 5)}

    def edit(self, git, nr):
        for path, text in self.edited(nr).items():
            replace_durably(git.path("repo", path), text, git.path("repo", ".git", "edited"))

    def ops(self, git, read):
        for nr in range(self.ROUNDS):
            yield Op("repo", "edit", lambda n=nr: self.edit(git, n), commands=2)
            yield Op("repo", "stash push", lambda: git.must("repo", "stash", "push", "-q"))
            yield Op("repo", "stash pop", lambda: git.must("repo", "stash", "pop", "-q"))
            yield Op("repo", "reset", lambda: git.must("repo", "reset", "-q", "--hard"), loose=True)

    def again(self, git, repo, states):
        if os.path.exists(git.path(repo, ".git", "WORKTREE_UPDATE")):
            git.must(repo, "merge", "--abort")
        if "stash@{0}" in git.must(repo, "stash", "list"):
            git.must(repo, "reset", "-q", "--hard")
            git.must(repo, "stash", "pop", "-q")
        self.check_edited(git, repo, states)
        git.must(repo, "reset", "-q", "--hard")
        self.check_whole(git, repo)
        self.next(git, repo)
        self.check_whole(git, repo)

    def check_edited(self, git, repo, states):
        """Changes are all in the files, or none is. Not while they were made or thrown away (there is no stash then)."""
        if not any("ref:refs/stash" in state for state in states[:2]):
            return
        for nr in range(self.ROUNDS):
            new = {path for path, text in self.edited(nr).items() if self.has(git, repo, path, text)}
            if new and new != set(self.edited(nr)):
                left = [path for path in self.edited(nr) if path not in new]
                if any(git.must(repo, "diff", "--name-only", "--", path) for path in left):
                    raise CommandFailed("a part of the local changes is lost: %s" % ", ".join(left))

    def next(self, git, repo):
        """Also a stash, whose lock may have been left."""
        self.edit(git, 0)
        git.must(repo, "stash", "push", "-q")
        self.check_whole(git, repo)
        git.must(repo, "stash", "pop", "-q")
        git.must(repo, "reset", "-q", "--hard")
        super().next(git, repo)

    @staticmethod
    def has(git, repo, path, text):
        try:
            with open(git.path(repo, path)) as f:
                return f.read() == text
        except FileNotFoundError:
            return False


class Notes(Workload):
    """notes add, append, copy, merge and remove. Commits of notes, and the state of a merge that has stopped."""
    name = "notes"
    needs = ("notes",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 8, 6)
        self.ids = git.must("repo", "log", "--format=%H").split()
        git.must("repo", "notes", "add", "-m", "base", self.ids[0])
        git.must("repo", "notes", "--ref=side", "merge", "-q", "commits")

    def stop(self, git, repo, nr):
        """Both refs change one note: the merge stops."""
        git.must(repo, "notes", "--ref=side", "add", "-f", "-m", "side %d" % nr, self.ids[0])
        git.must(repo, "notes", "add", "-f", "-m", "main %d" % nr, self.ids[0])
        code, out = git.run(repo, "notes", "merge", "side")
        if code != 1 or "CONFLICT" not in out:
            raise CommandFailed("git notes merge: exit %d: %s" % (code, out.strip()))

    def ops(self, git, read):
        for nr in range(5):
            commit = self.ids[nr + 1]
            yield Op("repo", "notes add", lambda n=nr, c=commit: git.must("repo", "notes", "add", "-m", "note %d" % n, c))
            yield Op("repo", "notes append", lambda n=nr, c=commit: git.must("repo", "notes", "append", "-m", "more", c))
            yield Op("repo", "notes copy", lambda n=nr, c=commit: git.must("repo", "notes", "copy", "-f", c, self.ids[0]))
            yield Op("repo", "notes merge with a conflict", lambda n=nr: self.stop(git, "repo", n), commands=3)
            yield Op("repo", "notes merge --commit", lambda: git.must("repo", "notes", "merge", "--commit"))
            yield Op("repo", "notes remove", lambda c=commit: git.must("repo", "notes", "remove", c))

    def again(self, git, repo, states):
        git.must(repo, "notes", "list")
        git.must(repo, "notes", "merge", "--abort")
        self.stop(git, repo, 9)
        git.must(repo, "notes", "merge", "--commit")
        git.must(repo, "notes", "append", "-m", "again", self.ids[0])


class Bisect(Workload):
    """bisect start, steps and reset: refs, state files, HEAD and the index."""
    name = "bisect"
    needs = ("bisect",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 12, 9)
        self.ids = git.must("repo", "log", "--format=%H").split()

    def ops(self, git, read):
        for nr in range(4):
            yield Op("repo", "bisect start", lambda n=nr: git.must("repo", "bisect", "start", self.ids[n % 2], self.ids[-1]))
            for state in ("good", "skip", "bad")[nr % 2:]:
                yield Op("repo", "bisect " + state, lambda s=state: git.must("repo", "bisect", s))
            yield Op("repo", "bisect reset", lambda: git.must("repo", "bisect", "reset"))

    def again(self, git, repo, states):
        """Files may be empty, which status shows: the user gives them up. The bisection goes on, or ends."""
        git.must(repo, "status")
        git.must(repo, "reset", "-q", "--hard")
        git.must(repo, "bisect", "reset")
        git.must(repo, "checkout", "-q", "-f", "main")
        git.must(repo, "bisect", "start", self.ids[0], self.ids[-1])
        git.must(repo, "bisect", "good")
        code, out = git.run(repo, "bisect", "skip", *self.ids[1:-1]) # the ref of each may be locked
        if code not in (0, 2):
            raise CommandFailed("git bisect skip: exit %d: %s" % (code, out.strip()))
        git.must(repo, "bisect", "reset")
        if git.must(repo, "status", "--porcelain", "-uno"):
            raise CommandFailed("git bisect has left changes")


class FastImport(Workload):
    """fast-import: a pack and refs, at the end and at checkpoints."""
    name = "fast-import"
    needs = ("fast-import",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)

    def stream(self, nr, message="next"):
        """Six commits of six new branches and a tag; in every second stream there is a checkpoint after three."""
        out = ["feature done\n"]
        for i in range(6):
            name = "refs/heads/import%d-%d" % (nr, i)
            data = noise("%d %d" % (nr, i), SIZES[i % 5])
            out.append("commit %s\nmark :%d\ncommitter Crash <crash@example.com> %d +0000\ndata 4\n%s\n%s"
                       "M 100644 inline dir/file%d\ndata %d\n%s\n" % (
                           name, i + 1, 1700000000 + nr * 100 + i, message, "from :%d\n" % (i - 2) if i > 2 else "", i, len(data), data))
            if nr % 2 and i == 2:
                out.append("checkpoint\n")
        return "".join(out) + "reset refs/tags/import%d\nfrom :6\n\ndone\n" % nr

    def ops(self, git, read):
        for nr in range(8):
            yield Op("repo", "fast-import", lambda n=nr: git.must("repo", "fast-import", "--quiet", data=self.stream(n)))

    def again(self, git, repo, states):
        for nr in range(9):
            git.must(repo, "fast-import", "--quiet", "--force", data=self.stream(nr, "more"))


class Worktrees(Workload):
    """worktree add, lock, move and remove."""
    name = "worktree"
    needs = ("worktree",)
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 12, 4)

    def ops(self, git, read):
        for nr in range(6):
            def step(*words):
                return lambda: git.must("repo", "worktree", *words)
            first, second = "../first%d" % nr, "../second%d" % nr
            yield Op("repo", "worktree add", step("add", "-q", "-b", "work%d" % nr, first))
            yield Op("repo", "worktree lock", step("lock", "--reason=kept", first))
            yield Op("repo", "worktree unlock", step("unlock", first))
            yield Op("repo", "worktree move", step("move", first, second))
            if nr % 2:
                yield Op("repo", "worktree remove", step("remove", "--force", second))

    def again(self, git, repo, states):
        """What there is of a worktree that was being made is removed; each other one that is there can be used; so can
        a new one."""
        git.must(repo, "worktree", "prune")
        for entry in git.must(repo, "worktree", "list", "--porcelain").split("\n\n"):
            path = entry.partition("\n")[0][len("worktree "):]
            if "\nlocked initializing" in entry:
                git.must(repo, "worktree", "remove", "-f", "-f", path)
            elif os.path.isdir(path):
                if "\nlocked" in entry:
                    git.must(repo, "worktree", "unlock", path)
                if path != git.path(repo):
                    git.must(repo, "worktree", "lock", path)
                    git.must(repo, "worktree", "unlock", path)
                git.must(path, "reset", "-q", "--hard")
                git.must(path, "commit", "-q", "--allow-empty", "-m", "again")
        for nr in range(6): # the refs may be locked
            git.must(repo, "update-ref", "refs/heads/work%d" % nr, "main")
        git.must(repo, "worktree", "add", "-q", "--detach", "../again")
        git.must(repo, "worktree", "remove", "../again")


class AddPatch(Workload):
    """add -p and commit -p, a hunk at a time."""
    name = "add-patch"
    needs = ("add", "commit")
    repos = ("repo",)

    def prepare(self, git):
        first_commits(git, "repo", 5, 4)
        self.change(git, "repo", 0)
        git.must("repo", "add", ".")
        git.must("repo", "commit", "-q", "-m", "lines")

    def change(self, git, repo, nr):
        write_file(git.path(repo, "lines"), "".join("line %d\n" % i if i % 10 else "changed %d %d\n" % (i, nr) for i in range(40)))

    def ops(self, git, read):
        for nr in range(1, 9):
            self.change(git, "repo", nr)
            yield Op("repo", "add -p", lambda: git.must("repo", "add", "-p", data="y\nn\ny\nq\n"))
            yield Op("repo", "commit -p", lambda n=nr: git.must("repo", "commit", "-q", "-p", "-m", "hunks %d" % n, data="y\nn\nq\n"))

    def again(self, git, repo, states):
        self.change(git, repo, 99)
        git.must(repo, "add", "-p", data="y\nq\n")
        git.must(repo, "commit", "-q", "-p", "-m", "again", data="y\nq\n")


class Tiny(Workload):
    """To check the laboratory: a small program that flushes, or does not."""
    repos = ("repo",)

    def __init__(self, how, program):
        self.name = "tiny-" + how
        self.how = how
        self.program = program

    def prepare(self, git):
        os.makedirs(git.path("repo"))
        self.step(git, 0)

    def step(self, git, nr):
        subprocess.run([self.program, self.how, git.path("repo"), str(nr)], check=True)

    def ops(self, git, read):
        for nr in range(1, 31):
            yield Op("repo", "replace", lambda n=nr: self.step(git, n))

    def again(self, git, repo, states):
        self.step(git, 99)


def all_workloads(bin_dir):
    tiny = os.path.join(bin_dir, "tiny")
    faulty = os.path.join(os.path.dirname(bin_dir), "helper", "fault-git")
    found = [Commits("few", 4, 6), Commits("many", 2, 300), History(), Hooks(), Adopt(), Already(faulty),
             Refs("create"), Refs("update"), Refs("delete"), Refs("mixed"), Mixed(), PackRefs(), BranchRename(), RefsLarge(), Migrate(),
             Config(), ReflogExpire(), MultiPackIndex(), MidxLayers(), CommitGraph(), Prune(),
             Gc(), Repack(), RepackParts(), Maintenance(), Receive(), Clone(), Fetch(), Push("few", False), Push("few", True),
             Push("many", False), Push("many", True), Reset(), Checkout(),
             Merge(), MergeFastForward(), MergeConflict(), Pull(), Switch(),
             CherryPick(), Am(), Rebase(False), Rebase(True), Rebase(False, "apply"), Rebase(True, "apply"),
             Stash(), Notes(), Bisect(), FastImport(), Worktrees(), AddPatch(),
             Tiny("flush", tiny), Tiny("rename", tiny)]
    return {w.name: w for w in found}
