# SPDX-License-Identifier: GPL-2.0-only
"""Tools that fill a terminal: driven by keys in tmux. Outcomes are the screens, and what the repository has at last."""
import os
import re
import shutil
import time

import pythons
from place import Absent, Compared

SIZE = ("-x", "160", "-y", "50")
QUIET, BETWEEN_KEYS = 1, 0.4   # seconds in which a screen stays as it is: then it is done
LONGEST = 20                     # seconds that it may take


class Terminal:
    def __init__(self, place, command):
        self.place = place
        self.tmux = ["tmux", "-S", place.top + "/tmux"]
        place.run(self.tmux + ["-f", "/dev/null", "new-session", "-d", *SIZE, command], place.top + "/work/tree")

    def screen(self, quiet=QUIET):
        """What is there when nothing has moved for so long."""
        seen, since, begin = None, 0, time.monotonic()
        while time.monotonic() - begin < LONGEST:
            now = self.place.run(self.tmux + ["capture-pane", "-p"], "/").stdout
            if now != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > quiet:
                break
            time.sleep(0.1)
        return "\n".join(line.rstrip() for line in seen.splitlines())

    def press(self, *keys):
        """Keys by their names in tmux; a text that begins with = is typed."""
        for key in keys:
            if len(key) > 2 and key[0] == "=":
                self.screen(QUIET)   # the box in which it is typed takes its time
            self.place.run(self.tmux + ["send-keys", *(["-l", key[1:]] if key.startswith("=") else [key])], "/")
            self.screen(BETWEEN_KEYS)

    def close(self):
        self.place.run(self.tmux + ["kill-server"], "/", check=False)


def make_tree(place):
    """Two branches, a remote, a tag; changes staged and not, and a file that is not tracked."""
    tree = place.top + "/work/tree"
    os.makedirs(tree + "/dir")

    def write(name, text):
        with open(os.path.join(tree, name), "w") as out:
            out.write(text)

    def numbers(first, last):
        return "".join("%d\n" % i for i in range(first, last))

    def git(*argv):
        place.git(*argv, cwd=tree)

    git("init", "-q")
    for i in (1, 2, 3):
        write("dir/f%d" % i, numbers(i, 30))
        write("a%d" % i, "line %d\n" % i)
    git("add", ".")
    git("commit", "-q", "-m", "first")
    write("dir/f1", numbers(5, 40))
    git("commit", "-q", "-a", "-m", "second")
    git("checkout", "-q", "-b", "other")
    write("theirs", "o\n")
    git("add", ".")
    git("commit", "-q", "-m", "on other")
    git("checkout", "-q", "main")
    git("tag", "v1")
    git("clone", "-q", "--bare", ".", "../origin.git")
    git("remote", "add", "origin", "../origin.git")
    git("fetch", "-q", "origin")
    git("branch", "-q", "-u", "origin/main")
    write("a2", "line 2\nchanged\n")
    write("dir/f2", numbers(7, 33))
    git("add", "dir/f2")
    write("untracked", "new\n")
    return tree


class Screens(Compared):
    steps = ()   # (name of the screen, keys that lead to it)

    def prepare(self, place):
        pass

    def clean(self, screen):
        return screen

    def outcomes(self, place):
        if not shutil.which("tmux"):
            raise Absent("no tmux here")
        tree = make_tree(place)
        self.prepare(place)
        terminal = Terminal(place, self.program)
        found = {}
        try:
            for name, keys in self.steps:
                terminal.press(*keys)
                found[name] = self.clean(terminal.screen()).replace(place.top, "")
        finally:
            terminal.close()
        for name, argv in {"refs": ("for-each-ref",), "history": ("log", "--all", "--graph", "--format=%H %s"),
                           "state": ("status", "--porcelain", "-b"), "index": ("ls-files", "-s")}.items():
            found["at last: " + name] = place.git(*argv, cwd=tree)
        return found

    def needs(self, place, name):
        return []   # a step is not one of those that need what is not there


class Lazygit(Screens):
    name = "lazygit"
    config = """disableStartupPopups: true
git: {autoFetch: false, autoRefresh: false}
update: {method: never}
gui: {showRandomTip: false, showCommandLog: false}
"""
    steps = (
        ("start", ()), ("files", ("2",)), ("staged", ("Space",)), ("all staged", ("a",)), ("unstaged", ("a",)),
        ("commit", ("c", "=a commit", "Enter")),
        ("branches", ("3",)), ("checked out", ("Down", "Space")), ("commits of a branch", ("Enter",)),
        ("new branch", ("Escape", "n", "=topic", "Enter")),
        ("commits", ("4",)), ("next", ("Down",)), ("files of a commit", ("Enter",)), ("patch", ("Enter",)),
        ("remotes", ("Escape", "Escape", "3", "=]")), ("tags", ("=]",)),
        ("fetched", ("=[", "=[", "2", "f")), ("reflog", ("4", "=]")),
        ("reset", ("=[", "g", "m")), ("discarded", ("2", "d", "x")),
        ("tagged", ("4", "T", "=a-tag", "Enter")), ("branch deleted", ("3", "Down", "d", "c")),
        ("renamed", ("3", "R", "=two", "Enter")), ("reworded", ("4", "r", "= again", "Enter")),
    )

    def __init__(self, directory):
        self.program = pythons.get(directory, self.name, "lazygit-py==0.66.2") + "/bin/lazygit"

    def prepare(self, place):
        os.makedirs(place.top + "/home/.config/lazygit")
        with open(place.top + "/home/.config/lazygit/config.yml", "w") as out:
            out.write(self.config)


class LazygitWork(Lazygit):
    """Work on commits: parts of files, stashes, rebases, picks, merges, a bisection and worktrees."""
    name = "lazygit-work"
    steps = (
        ("hunk", ("2", "Down", "Enter")), ("hunk staged", ("Space",)), ("file with hunks", ("Escape", "Down", "Down", "Enter")),
        ("line unstaged", ("a", "Down", "d")), ("amended", ("Escape", "2", "A", "Enter")), ("stash menu", ("S",)),
        ("stashed", ("Escape", "Up", "Up", "Up", "Up", "a", "s", "=kept", "Enter")), ("stash", ("5",)), ("files of the stash", ("Enter",)),
        ("applied", ("Escape", "Space", "Enter")), ("thrown away", ("2", "D", "h")), ("stash again", ("5",)), ("popped", ("g", "Enter")),
        ("committed", ("2", "a", "c", "=third", "Enter")), ("edit", ("4", "Down", "e")), ("rebase menu", ("m",)), ("continued", ("c",)),
        ("squash", ("4", "Up", "Up", "Up", "s", "Enter")), ("picked", ("3", "Down", "Enter", "C", "Escape", "4", "V", "Enter")),
        ("rebase onto", ("3", "Down", "r")), ("rebased", ("s",)), ("merge menu", ("3", "Down", "M")), ("merged", ("m",)),
        ("moved", ("4", "C-j")), ("reverted", ("t", "Enter")), ("undone", ("z", "Enter")), ("redone", ("Z", "Enter")),
        ("patch of a file", ("4", "Enter", "Space")), ("patch menu", ("C-p",)), ("patch removed", ("=d",)), ("out of it", ("Escape", "Escape")),
        ("new branch", ("3", "n", "=clash", "Enter")), ("reset", ("4", "Down", "Down", "g", "h")),
        ("file changed", ("2", ":", "=echo mine >theirs", "Enter", "Enter")), ("added", ("2", "a", "c", "=mine", "Enter")),
        ("conflicts", ("3", "Down", "Down", "M", "m", "Enter")), ("merge options", ("m",)), ("aborted", ("a", "Enter")),
        ("back", ("3", "Up", "Up", "Down", "Space")),
        ("bisect", ("4", "Up", "Up", "Up", "Up", "b", "b")), ("bisect good", ("Down", "Down", "Down", "Down", "b", "g")), ("bisect menu", ("b",)),
        ("bisect reset", ("r", "Enter")), ("dropped", ("4", "Up", "Up", "Up", "Up", "d", "Enter")),
        ("worktrees", ("2", "=]")), ("new worktree", ("n", "=other", "Enter")), ("made", ("Enter",)), ("selected", ("2", "Down")),
        ("removed", ("d", "Enter")), ("log", ("Escape", "1", "a")), ("reflog", ("4", "=]")),
    )


class Tig(Screens):
    """What is not committed has the time of day; it is left out."""
    name = "tig"
    steps = (
        ("start", ()), ("commit", ("Enter",)), ("next", ("Down",)), ("log", ("l",)), ("tree", ("t",)),
        ("file", ("Down", "Down", "Enter")), ("refs", ("r",)), ("history of a ref", ("Down", "Enter")),
        ("status", ("s",)), ("staged", ("Down", "Down", "Down", "u")), ("diff", ("Enter",)),
        ("main", ("m",)), ("help", ("h",)),
    )

    def __init__(self, directory):
        self.program = shutil.which("tig")
        if not self.program:
            raise Absent("no tig here")

    def clean(self, screen):
        return re.sub(r"(?m)^20\S+ \S+ \S+ (?=Unknown )|(?<=Not Committed Yet )20\S+ \S+", "", screen)


class TigWork(Tig):
    """Parts of files, blame, and the views that are for one thing each."""
    name = "tig-work"
    steps = (
        ("status", ("s",)), ("unstaged", ("Down", "Down", "Down", "Enter")), ("line", ("Down", "Down", "Down", "Down", "Down", "Down", "Down")),
        ("line staged", ("1",)), ("status after it", ("s",)), ("staged", ("Up", "Up", "Enter")), ("next hunk", ("=@",)), ("hunk unstaged", ("u",)),
        ("status again", ("s",)), ("unstaged again", ("Down", "Down", "Enter")), ("hunk staged", ("=@", "u")), ("hunk split", ("=@", "=\\")),
        ("all of it", ("s", "Up", "Up", "Up", "u")), ("back", ("s", "q",)),
        ("tree", ("m", "t")), ("blame", ("Down", "Down", "b")), ("commit of a line", ("Enter",)), ("blame alone", ("q",)), ("blame of the parent", ("=,",)),
        ("of a directory", ("q", "t", "Down", "Enter")), ("file in it", ("Down", "Enter")), ("blame of it", ("b",)),
        ("no stashes", ("y",)), ("grep", ("q", "g", "=line", "Enter")), ("log of all", ("q", "l")), ("diff of HEAD", ("d",)),
        ("search", ("m", "/", "=first", "Enter")), ("reflog", ("L",)), ("refreshed", ("q", "m", "R")),
        ("refs", ("r",)), ("other checked out", ("Down", "Down", "C", "Enter")), ("after it", ("m",)),
    )
