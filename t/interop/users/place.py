# SPDX-License-Identifier: GPL-2.0-only
"""A home with one Git first on PATH, which writes down what it was called with."""
import difflib
import os
import re
import subprocess
import sys

CONFIG = """[user]
	name = Tester
	email = tester@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
"""
DATES = {"GIT_AUTHOR_DATE": "1500000000 +0000", "GIT_COMMITTER_DATE": "1500000000 +0000"}


HERE = os.path.dirname(os.path.abspath(__file__))
NOT_THERE = re.compile(r"git: '([a-z-]+)' is a Git command that is not available here yet")

class Trouble(Exception):
    pass


class Absent(Trouble):
    """A tool that cannot be had here: it is skipped."""


class Compared:
    """A tool whose outcomes are texts, which say themselves what is not there."""

    def needs(self, place, name):
        return sorted(set(NOT_THERE.findall(self.found[name])))

    @staticmethod
    def reason(wanted, found):
        lines = difflib.unified_diff(wanted.splitlines(), (found or "").splitlines(), "stock", "ours", lineterm="", n=1)
        return "\n" + "\n".join(lines)


def say(text):
    print("tools: " + text, file=sys.stderr, flush=True)


class Place:
    def __init__(self, top, git, timeout):
        self.top, self.timeout = top, timeout
        self.real = os.path.abspath(git)
        self.calls, self.is_stock = top + "/calls", False
        for directory in ("/home", "/bin", "/tmp", "/work"):
            os.makedirs(top + directory)
        with open(top + "/home/.gitconfig", "w") as out:
            out.write(CONFIG)
        with open(top + "/bin/git", "w") as out:
            out.write("#!/bin/sh\nprintf '%%s\\n' \"$*\" >>'%s'\nexec '%s' \"$@\"\n" % (self.calls, self.real))
        os.chmod(top + "/bin/git", 0o755)
        keep = {key: os.environ[key] for key in ("LANG", "TERM", "USER") if key in os.environ}
        self.env = dict(keep, HOME=top + "/home", TMPDIR=top + "/tmp", XDG_CONFIG_HOME=top + "/home/.config",
                        XDG_STATE_HOME=top + "/home/state", PATH=top + "/bin:" + os.environ["PATH"],
                        GIT_CEILING_DIRECTORIES=top, **DATES)
        self.has = set(self.git("--list-cmds=main", cwd=top).split())

    def run(self, argv, cwd, env=None, check=True):
        done = subprocess.run(argv, cwd=cwd, env=dict(self.env, **(env or {})), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=self.timeout)
        if check and done.returncode:
            raise Trouble("%s: exit code %d: %s" % (" ".join(argv)[:200], done.returncode,
                                                    (done.stdout + done.stderr)[-600:]))
        return done

    def git(self, *argv, cwd):
        return self.run([self.real, *argv], cwd).stdout

    def isolate(self, deep=False):
        """From now on no other Git can be found on PATH, and calls are noted with their exit codes, or by record-git."""
        os.makedirs(self.top + "/system")
        for directory in os.environ["PATH"].split(":"):
            for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
                there = self.top + "/system/" + name
                if not name.startswith("git") and not os.path.lexists(there):
                    os.symlink(os.path.join(directory, name), there)
        self.env["PATH"] = self.top + "/bin:" + self.top + "/system"
        with open(self.top + "/bin/git", "w") as out:
            out.write("#!/bin/sh\nexec '%s/record-git' '%s' '%s' \"$@\"\n" % (HERE, self.real, self.top) if deep else
                      "#!/bin/sh\n'%s' \"$@\"\nrc=$?\nprintf '%%s: %%s\\n' $rc \"$*\" >>'%s'\nexit $rc\n" % (self.real, self.calls))

    def list_calls(self):
        with open(self.calls, errors="replace") as calls:
            return calls.read().splitlines()

    def forget_calls(self):
        open(self.calls, "w").close()

    def missing(self):
        """What was called since forget_calls() and is not there: commands, and options that say so."""
        found = set()
        with open(self.calls, errors="replace") as calls:
            for line in calls:
                command = first_command(line.split())
                if command and command not in self.has:
                    found.add(command)
                if "--recurse-submodules" in line:
                    found.add("--recurse-submodules")
        return sorted(found)


def first_command(words):
    """The command among the words of a call, after Git's own options; None if there is none."""
    while words and words[0].startswith("-"):
        words = words[2 if words[0] in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") else 1:]
    return words[0] if words else None
