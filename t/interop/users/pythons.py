# SPDX-License-Identifier: GPL-2.0-only
"""Tools written in Python: the tests of their own, or a day with them."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile

from place import Absent, Compared, Trouble, say

OUTCOME = re.compile(r"^(PASSED|FAILED|ERROR) (\S+)", re.M)


def get(directory, name, *packages):
    """A virtual environment with packages, made once; packages are what pip takes."""
    venv = os.path.join(directory, name)
    if not os.path.exists(venv + "/complete"):
        say("gets " + name)
        shutil.rmtree(venv, ignore_errors=True)
        for argv in ([sys.executable, "-m", "venv", venv],
                     [venv + "/bin/pip", "install", "-q", "--disable-pip-version-check", *packages]):
            done = subprocess.run(argv, capture_output=True, text=True)
            if done.returncode:
                raise Absent("cannot get %s: %s" % (name, done.stderr[-400:]))
        open(venv + "/complete", "w").close()
    return venv


def get_source(venv, package):
    """The unpacked source of package==version, beside its environment."""
    at = os.path.join(venv, "source")
    if not os.path.isdir(at):
        done = subprocess.run([venv + "/bin/pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d",
                               venv + "/archive", package], capture_output=True, text=True)
        archives = glob.glob(venv + "/archive/*.tar.gz")
        if not archives:
            raise Absent("cannot get the source of %s: %s" % (package, done.stderr[-400:]))
        with tarfile.open(archives[0]) as archive:
            archive.extractall(at)
    return glob.glob(at + "/*")[0]


class Pytests:
    """A tool whose own tests are run with pytest, in a copy of its source."""
    tests, options, packages = "", (), ()

    def __init__(self, directory):
        self.venv = get(directory, self.name, "pytest", *self.packages)
        self.source = get_source(self.venv, self.package)

    def prepare(self, place, copy):
        pass

    def pytest(self, place, tests):
        copy = place.top + "/work/source"
        if not os.path.isdir(copy):
            shutil.copytree(self.source, copy)
            self.prepare(place, copy)
        return place.run([self.venv + "/bin/python", "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider",
                          *self.options, *tests], copy, check=False)

    def outcomes(self, place):
        said = self.pytest(place, [self.tests]).stdout
        found = {name: word.lower() if word == "PASSED" else "failed" for word, name in OUTCOME.findall(said)}
        if not found:
            raise Trouble("no test ran: " + said[-600:])
        return found

    def needs(self, place, name):
        place.forget_calls()
        self.pytest(place, [name])
        return place.missing()

    @staticmethod
    def reason(wanted, found):
        return found or "did not run"


class GitPython(Pytests):
    name, package = "gitpython", "GitPython==3.1.2"
    packages = ("gitdb>=4,<5", "ddt==1.1.1")
    tests, options = "git/test", ("--ignore", "git/test/performance")
    tags = ("0.1.5", "0.1.6", "0.2.0", "0.3.0", "0.3.1", "0.3.2", "0.3.2.1", "0.3.3", "0.5.0")

    def prepare(self, place, copy):
        """The tests want to be in a repository with these tags, and a remote."""
        place.git("init", "-q", "-b", "master", cwd=copy)
        for tag in self.tags:
            with open(copy + "/VERSIONS", "a") as out:
                out.write(tag + "\n")
            place.git("add", "-A", cwd=copy)
            place.git("commit", "-q", "-m", "Version %s\n\nWhat is new in %s\n" % (tag, tag), cwd=copy)
            place.git("tag", "-a", "-m", "tag " + tag, tag, cwd=copy)
        place.git("branch", "0.1.x", "0.3.1", cwd=copy)
        place.git("clone", "-q", "--bare", copy, copy + ".git", cwd=copy)
        place.git("remote", "add", "origin", copy + ".git", cwd=copy)
        place.git("fetch", "-q", "origin", cwd=copy)
        place.git("gc", "-q", cwd=copy)


class SetuptoolsScm(Pytests):
    name, package = "setuptools-scm", "setuptools-scm==8.1.0"
    packages = ("setuptools-scm==8.1.0", "build", "wheel", "setuptools", "rich")
    tests = "testing"


class PreCommit(Compared):
    """Hooks that are programs of the system, so that nothing is downloaded."""
    name = "pre-commit"
    hooks = """repos:
- repo: local
  hooks:
  - {id: tidy, name: tidy, entry: sed -i "s/ *$//", language: system, types: [text]}
  - {id: read, name: read, entry: cat, language: system}
  - {id: refuse, name: refuse, entry: forbidden, language: pygrep, files: "[.]txt$"}
"""

    def __init__(self, directory):
        self.program = get(directory, self.name, "pre-commit==3.7.1") + "/bin/pre-commit"

    def steps(self, place):
        """(name, what it says and what it leaves), one after another"""
        work = place.top + "/work"

        def write(name, text):
            with open(os.path.join(work, name), "w") as out:
                out.write(text)

        def call(name, *argv):
            place.forget_calls()
            done = place.run(argv, work, check=False)
            calls = re.sub(r"\S*/patch\d\S*", "PATCH", "\n".join(place.list_calls()))
            state = place.run([place.real, "status", "--porcelain"], work).stdout
            said = re.sub(r"(?m)^\[.*(WARNING|INFO).*\n|[0-9.]+s\b", "", done.stdout + done.stderr)
            return name, ("%d\n%s\n%s\n-- calls\n%s" % (done.returncode, said, state, calls)).replace(place.top, "")

        git = place.top + "/bin/git"
        place.isolate()
        place.git("init", "-q", cwd=work)
        write(".pre-commit-config.yaml", self.hooks)
        write("a.txt", "good\n")
        place.git("add", ".", cwd=work)
        yield call("install", self.program, "install")
        yield call("commit", git, "commit", "-q", "-m", "one")
        write("a.txt", "forbidden\n")
        place.git("add", ".", cwd=work)
        yield call("refused", git, "commit", "-q", "-m", "two")
        write("a.txt", "spaces   \n")
        place.git("add", ".", cwd=work)
        yield call("changes", git, "commit", "-q", "-m", "three")
        place.git("add", ".", cwd=work)
        yield call("changed", git, "commit", "-q", "-m", "four")
        yield call("all-files", self.program, "run", "--all-files")
        yield call("range", self.program, "run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
        yield call("commit-a", git, "commit", "-q", "--allow-empty", "-a", "-m", "five")
        write("b.txt", "staged\n")
        place.git("add", ".", cwd=work)
        write("b.txt", "staged\nnot staged\n")
        yield call("unstaged", git, "commit", "-q", "-m", "six")
        yield call("left", place.real, "diff")
        # A hook changes the lines that also have changes that are not staged: its changes are taken back.
        write("c.txt", "spaces   \n")
        place.git("add", ".", cwd=work)
        write("c.txt", "spaces and more   \n")
        yield call("conflict", git, "commit", "-q", "-m", "seven")
        yield call("left after a conflict", place.real, "diff")
        write("c.txt", "staged\n" + "line\n" * 20)
        write("run.sh", "#!/bin/sh\n")
        write("gone.txt", "gone\n")
        write("binary", "\0\1\2" * 100)
        place.git("add", ".", cwd=work)
        yield call("clean again", git, "commit", "-q", "-m", "eight")
        write("d.txt", "staged  \n")
        place.git("add", "d.txt", cwd=work)
        write("c.txt", "staged\r\n" + "line\n" * 19 + "not staged, no newline")
        write("binary", "\0\3" * 150)
        write("umläut", "new\n")
        os.chmod(work + "/run.sh", 0o755)
        os.remove(work + "/gone.txt")
        place.git("add", "-N", "umläut", cwd=work)
        yield call("all kinds", git, "commit", "-q", "-m", "nine")
        yield call("left of all kinds", place.real, "diff", "--binary")
        place.git("add", "d.txt", cwd=work)
        yield call("all kinds, changed", git, "commit", "-q", "-m", "ten")
        for key, value in (("core.autocrlf", "true"), ("diff.noprefix", "true"), ("apply.whitespace", "error"), ("core.quotePath", "false"), ("color.ui", "always")):
            place.git("config", key, value, cwd=work)
            write("d.txt", "staged for %s\r\n" % key)
            place.git("add", "d.txt", cwd=work)
            write("d.txt", "staged for %s\r\nand more  \r\n" % key)
            yield call("run with " + key, self.program, "run")
            yield call("with " + key, git, "commit", "-q", "-m", "with " + key)
            yield call("left with " + key, place.real, "diff", "--binary", "--color=never")
        yield call("history", place.real, "log", "--stat", "--format=%s", "--color=never")

    def outcomes(self, place):
        self.found = dict(self.steps(place))
        return self.found
