# SPDX-License-Identifier: GPL-2.0-only
"""
The table that serve-matrix and client-matrix print: operations by clients from servers, in each version
of the protocol, and what came of them compared with what the stock client gets from its own server.

`Matrix` has what both share. They say in `pairs()` who fetches from whom.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import check
import clients
import servers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.path.basename(sys.argv[0])
DEPTH = 5
# name: (what is fetched, the operation whose repository it goes on with)
OPERATIONS = {
    "full": ({}, None),
    "increment": ({}, "part"),
    "depth": ({"depth": DEPTH}, None),
    "deepen": ({"depth": 2 * DEPTH, "deepen": DEPTH}, "depth"),
    "unshallow": ({"unshallow": True}, "deepen"),
    "since": ({"since": None}, None),
    "blob:none": ({"filter": "blob:none"}, None),
    "tree:0": ({"filter": "tree:0"}, None),
}
# An increment brings less than this part of the objects.
INCREMENT_MAX = 0.6


def say(text):
    print(PROGRAM + ": " + text, file=sys.stderr, flush=True)


def die(text):
    sys.exit(PROGRAM + ": " + text)


def copy_tree(source, target):
    """By hard links where that can be: packs are never changed."""
    def copy(a, b):
        if a.startswith(os.path.join(source, "objects")):
            try:
                return os.link(a, b)
            except OSError:
                pass
        return shutil.copy2(a, b)
    shutil.copytree(source, target, symlinks=True, copy_function=copy)


def chosen(names, name):
    return names is None or any(name == n or name.startswith(n + " ") for n in names)


class Matrix:
    """
    args: stock, others, operations, versions, timeout (see `arguments`). place: the scratch directory, and the
    program that serves in it, which is the caller's choice.
    """
    head_words = ("client", "transport")

    def __init__(self, args, place, stocks):
        self.args, self.place, self.stocks = args, place, stocks
        newest = max(self.stocks.values(), key=clients.number_of)
        self.checker = check.Checker(newest, place)
        self.expected = {}
        self.results = {}
        self.failures = []
        self.reasons = {}   # why something is not offered

    def name_pair(self, client, server):
        """The first two words of a line."""
        return client.name, server.name

    def pairs(self):
        """(server, [client...]): who fetches from whom. Each server is started for its clients, and ended."""
        raise NotImplementedError

    def make_empty(self, directory):
        algo = self.checker.run(self.source, "rev-parse", "--show-object-format").stdout.decode().strip()
        self.checker.run("/", "init", "-q", "--bare", "--object-format=" + algo, directory)

    # ---- the repository, and what is expected of clients ----

    def take(self, source):
        """A copy of the repository, with its refs in the format that was asked for."""
        copy_tree(source, self.source)
        wanted = servers.Place.ref_format
        if os.path.isdir(self.source + "/reftable") != (wanted == "reftable"):
            self.checker.run(self.source, "refs", "migrate", "--ref-format=" + wanted)

    def prepare(self, source):
        self.source = self.place.srv + "/repo.git"
        self.take(source)
        run = self.checker.run
        for ref in run(self.source, "for-each-ref", "--format=%(refname)").stdout.decode().split():
            if not ref.startswith(("refs/heads/", "refs/tags/")):
                run(self.source, "update-ref", "--no-deref", "-d", ref)
        for key, value in (("core.bare", "true"), ("uploadpack.allowFilter", "true"),
                           ("uploadpack.allowAnySHA1InWant", "true")):
            run(self.source, "config", key, value)
        subprocess.run(["chmod", "-R", "a+rX", self.source], check=True)
        try:
            self.checker.fsck(self.source)
        except check.Wrong:
            say("fsck --strict complains about the repository itself: fsck without it is used")
            self.checker.strict = False
        line = run(self.source, "rev-list", "--first-parent", "HEAD").stdout.decode().split()
        OPERATIONS["since"][0]["since"] = int(run(
            self.source, "log", "-1", "--format=%ct", line[len(line) // 5]).stdout)
        self.make_part(line[len(line) // 10])
        self.expect()

    def make_part(self, commit):
        """A client's repository from before the newest commits."""
        self.part = self.place.path("part")
        self.make_empty(self.part)
        self.checker.run(self.part, "fetch", "-q", "--no-tags", "--no-auto-maintenance",
                         "file://" + self.source, commit + ":refs/heads/" + self.head())

    def head(self):
        return self.checker.run(self.source, "symbolic-ref", "HEAD").stdout.decode().strip()[11:]

    def expect(self, program=None, *from_there):
        """By the newest stock client from its own server, or from another program."""
        expected = self.expected[program] = {}
        for name in self.wanted():
            what, before = OPERATIONS[name]
            try:
                directory = self.directory(name, before, "expected-", fresh=before is None)
                self.stock_fetch(what, before, directory, from_there)
                expected[name] = self.checker.state(directory)
                say("%s: %d objects" % (name, expected[name]["number of objects"]))
            except (check.Wrong, FileNotFoundError) as e:
                if program is None:
                    raise
                expected[name] = str(e).strip().splitlines()[-1]
        self.forget("expected-")

    def stock_fetch(self, what, before, directory, more):
        options = ["--%s=%s" % (key, what[key]) for key in ("depth", "filter") if key in what]
        if "deepen" in what:
            options[0] = "--deepen=%d" % what["deepen"]
        options += ["--shallow-since=%d" % what["since"]] if "since" in what else []
        options += ["--unshallow"] if "unshallow" in what else []
        options += [*more, "file://" + self.source]
        if before is None:
            self.checker.run("/", "clone", "-q", "--mirror", "--no-single-branch", *options, directory)
        else:
            self.checker.run(directory, "fetch", "-q", *options, *clients.REFSPECS)

    def expected_from(self, server, name):
        return self.expected[None][name]

    # ---- one cell ----

    def wanted(self):
        """The operations, and those that they go on with."""
        names = [n for n in OPERATIONS if chosen(self.args.operations, n)]
        for name in reversed(OPERATIONS):
            before = OPERATIONS[name][1]
            if name in names and before in OPERATIONS and before not in names:
                names.append(before)
        return [n for n in OPERATIONS if n in names]

    def directory(self, name, before, prefix, fresh):
        """Where an operation happens. One that goes on with another's repository takes it."""
        path = self.place.path(prefix + name.replace(":", "-"))
        if fresh:
            return path
        if before == "part":
            copy_tree(self.part, path)
        else:
            os.rename(self.place.path(prefix + before), path)
        return path

    def forget(self, prefix):
        for name in os.listdir(self.place.top):
            if name.startswith(prefix):
                shutil.rmtree(self.place.path(name))

    @staticmethod
    def asked_versions(place):
        with open(place.versions, "r+") as f:
            lines = f.read().split()
            f.truncate(0)
        return lines

    def cell(self, client, server, version, name):
        what, before = OPERATIONS[name]
        what = dict(what, repository="repo.git", fresh=before is None)
        expected = self.expected_from(server, name)
        directory = self.directory(name, before, "client-", what["fresh"])
        packs = {} if what["fresh"] else self.checker.objects_in_packs(directory)
        self.asked_versions(server.place)
        client.fetch(directory, server, version, what)
        asked = set(self.asked_versions(server.place))
        if server.tells_version and asked != {"version=%d" % version}:
            raise check.Wrong("the server was asked for %s" % (", ".join(sorted(asked)) or "nothing"))
        if "filter" in what and isinstance(client, clients.Other):
            check.mark_as_partial(self.checker, directory)
        self.checker.compare(expected, self.checker.state(directory))
        if name == "increment":
            self.check_increment(directory, packs)
        self.checker.fsck(directory)

    def check_increment(self, directory, before):
        after = self.checker.objects_in_packs(directory)
        brought = sum(n for pack, n in after.items() if pack not in before)
        total = self.expected[None]["increment"]["number of objects"]
        if brought > total * INCREMENT_MAX:
            raise check.Wrong("%d of %d objects came again" % (brought, total))

    def line(self, client, server, version):
        """All operations of one client, one way and one version."""
        key = *self.name_pair(client, server), version
        outcome = self.results[key] = {}
        for name in self.wanted():
            before = OPERATIONS[name][1]
            begin = time.monotonic()
            if before in outcome and outcome[before] != "ok":
                outcome[name] = outcome[before]
                continue
            try:
                self.cell(client, server, version, name)
                outcome[name] = "ok"
            except clients.NotOffered as e:
                outcome[name] = "-"
                self.reasons.setdefault((key[0], str(e)), None)
            except (clients.FetchTrouble, check.Wrong, OSError) as e:
                outcome[name] = "FAILED"
                self.failures.append("%s, %s, version %d, %s: %s" % (*key, name, e))
            say("%s, %s, version %d, %s: %s (%.1f s)" % (*key, name, outcome[name],
                                                         time.monotonic() - begin))
        self.forget("client-")

    def run(self):
        for server, those in self.pairs():
            try:
                server.start()
            except (servers.ServerTrouble, OSError, subprocess.CalledProcessError) as e:
                self.failures.append(str(e))
                continue
            try:
                for client in those:
                    for version in (0, 1, 2):
                        if chosen(self.args.versions, str(version)):
                            self.line(client, server, version)
            finally:
                server.stop()
        return self.report()

    # ---- report ----

    def report(self):
        head = [*self.head_words, "version", *self.wanted()]
        rows = [head, ["---"] * len(head)]
        for (first, second, version), outcome in sorted(self.results.items()):
            cells = [outcome.get(name, "?") for name in self.wanted()]
            if set(cells) != {"-"}:
                rows.append([first, second, str(version), *cells])
        widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
        for row in rows:
            print("| " + " | ".join(text.ljust(w) for text, w in zip(row, widths)) + " |")
        counts = [sum(cell == word for row in rows[2:] for cell in row[3:])
                  for word in ("ok", "-", "FAILED")]
        print("\n%d ok, %d not offered, %d failed" % tuple(counts))
        for who, reason in sorted(self.reasons):
            print("%s: %s" % (who, reason))
        for text in self.failures:
            print("FAILED: " + text[:1000])
        return 1 if self.failures or not counts[0] else 0




def names(text):
    return text.split(",")


def arguments(usage, *more):
    """more: other options that take names."""
    p = argparse.ArgumentParser(usage=usage)
    p.add_argument("--git", default=ROOT + "/build/git")
    p.add_argument("--stock", action="append")
    p.add_argument("--others")
    p.add_argument("--commits", type=int, default=1000)
    p.add_argument("--object-format", default="sha1")
    p.add_argument("--ref-format", default="files", choices=("files", "reftable"))
    for what in ("transports", "versions", "operations", *more):
        p.add_argument("--" + what, type=names)
    p.add_argument("--dir")
    p.add_argument("--timeout", type=int, default=900)
    p.add_argument("--keep", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("repository", nargs="?")
    args = p.parse_args()
    servers.Place.ref_format = args.ref_format
    return args


def find_objects(path):
    """The repository's directory: of a bare one, or .git."""
    for name in (path, path + "/.git"):
        if os.path.isdir(name + "/objects"):
            return os.path.abspath(name)
    die("'%s' is no repository" % path)


def make_repository(args, place, git):
    path = place.path("made.git")
    subprocess.run([ROOT + "/t/perf/make-history", "--commits", str(args.commits),
                    "--object-format", args.object_format, path], check=True,
                   env=dict(place.environment(), STOCK_GIT=git), stdout=subprocess.DEVNULL)
    return path


def remove(top):
    """A program that a client has started may still be writing there."""
    for _ in range(50):
        shutil.rmtree(top, ignore_errors=True)
        if not os.path.exists(top):
            return
        time.sleep(0.1)
    say("cannot remove %s" % top)


def find_stocks(args):
    """{name: path}"""
    paths = args.stock or [os.environ.get("STOCK_GIT") or shutil.which("git")]
    found = {}
    for path in paths:
        if not path or not os.access(path, os.X_OK):
            die("'%s' is no stock git" % path)
        found["git " + clients.version_of(path)] = os.path.abspath(path)
    return found


def installed(kinds, place, wanted):
    """The servers among these classes that can run here; others are named."""
    made = []
    for kind in kinds:
        server = kind(place)
        if not chosen(wanted, server.name):
            continue
        why = server.missing()
        if why:
            say("%s is left out: %s" % (server.name, why))
        else:
            made.append(server)
    return made


def main(args, make):
    """make(top): the matrix. Returns the exit code."""
    if not os.access(args.git, os.X_OK):
        die("'%s' is not built" % args.git)
    signal.signal(signal.SIGTERM, lambda *ignored: sys.exit(143))   # servers are ended then, too
    top = tempfile.mkdtemp(prefix=PROGRAM + "-", dir=args.dir)
    try:
        matrix = make(os.path.realpath(top))
        if args.list:
            return matrix.tell_names()
        matrix.prepare(find_objects(args.repository) if args.repository
                       else make_repository(args, matrix.place, matrix.checker.git))
        return matrix.run()
    finally:
        if args.keep:
            say("kept: " + top)
        else:
            remove(top)
