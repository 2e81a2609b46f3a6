# SPDX-License-Identifier: GPL-2.0-only
"""
The clients: stock Git of several versions, ours, and programs that take the options of clients/dulwich-client.

`fetch(directory, server, version, what)` makes the fetch that a dictionary describes: "depth",
"since", "unshallow" and "filter" as one expects; "fresh": there is no repository yet; "deepen": the
depth goes from what is there. It raises NotOffered, or FetchTrouble.
"""
import os
import subprocess

NO_SUCH_THING = 3
REFSPECS = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]


class NotOffered(Exception):
    pass


class FetchTrouble(Exception):
    pass


class Client:
    def __init__(self, name, path, place, timeout):
        self.name, self.path, self.place, self.timeout = name, path, place, timeout

    def run(self, argv, **more):
        env = dict(self.place.environment(), **more)
        try:
            done = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=self.timeout)
        except subprocess.TimeoutExpired:
            raise FetchTrouble("not done after %d s" % self.timeout)
        said = done.stderr.decode(errors="replace").strip()
        if done.returncode == NO_SUCH_THING and "not offered" in said:
            raise NotOffered(said.splitlines()[-1])
        if done.returncode:
            raise FetchTrouble("exit code %d: %s" % (done.returncode, said[-2000:]))


class Stock(Client):
    """Ours, too, which has the same command line."""
    def fetch(self, directory, server, version, what):
        argv = [self.path, "-c", "protocol.version=%d" % version]
        options = ["--filter=" + what["filter"]] if "filter" in what else []
        options += ["--shallow-since=%d" % what["since"]] if "since" in what else []
        options += ["--unshallow"] if "unshallow" in what else []
        if "deepen" in what:
            options += ["--deepen=%d" % what["deepen"]]
        elif "depth" in what:
            options += ["--depth=%d" % what["depth"]]
        if server.name == "file":
            options += ["--upload-pack=%s/git-upload-pack" % server.place.exec]
        url = server.url(what["repository"])
        if what.get("fresh"):
            argv += ["clone", "-q", "--mirror", "--no-single-branch", *options, url, directory]
        else:
            argv += ["-C", directory, "fetch", "-q", *options, url, *REFSPECS]
        more = {"GIT_SSL_CAINFO": server.authority} if hasattr(server, "authority") else {}
        self.run(argv, GIT_SSH_COMMAND="ssh -F '%s/config'" % server.place.ssh, **more)

    def push(self, directory, server, version, repository, refspecs, atomic):
        argv = [self.path, "-C", directory, "-c", "protocol.version=%d" % version, "push", "-q"]
        argv += ["--receive-pack=%s/git-receive-pack" % server.place.exec] if server.name == "file" else []
        argv += ["--atomic"] if atomic else []
        self.run([*argv, server.url(repository), *refspecs], GIT_SSH_COMMAND="ssh -F '%s/config'" % server.place.ssh)


class Other(Client):
    """`make_empty` makes the repository for it: a function of the directory."""
    make_empty = None

    def fetch(self, directory, server, version, what):
        options = ["--dir=" + directory, "--version=%d" % version]
        options += ["--%s=%s" % (key, what[key]) for key in ("depth", "since", "filter")
                    if key in what]
        options += ["--unshallow"] if "unshallow" in what else []
        if what.get("fresh"):
            self.make_empty(directory)
        self.run([self.path, *options, *server.client_options(), server.url(what["repository"])],
                 GIT_PROTOCOL="version=%d" % version)

    def push(self, directory, server, version, repository, refspecs, atomic):
        if atomic:
            raise NotOffered("atomic pushes")
        self.run([self.path, "--dir=" + directory, "--version=%d" % version, *server.client_options(),
                  *("--push=" + spec for spec in refspecs), server.url(repository)],
                 GIT_PROTOCOL="version=%d" % version)


def version_of(path):
    out = subprocess.run([path, "version"], capture_output=True, text=True).stdout.split()
    return out[2] if len(out) > 2 else "unknown"


def number_of(path):
    """For comparing versions."""
    return [int(n) for n in version_of(path).split(".")[:2] if n.isdigit()]


def find_others(directory):
    """{name: path} of what get-clients has put there."""
    if not directory:
        return {}
    return {name: os.path.join(directory, name) for name in sorted(os.listdir(directory))
            if os.path.isfile(os.path.join(directory, name))}
