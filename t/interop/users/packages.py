# SPDX-License-Identifier: GPL-2.0-only
"""
Package managers, hook managers and CI scripts that fetch by git. The outcome of a step is its exit code, what it has
made, and each call of git with its exit code: a tool that falls back to another call after a failure does not pass.
"""
import os
import re
import shutil
import sys

import pythons
from place import Absent, Compared, say

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "matrix"))
import servers   # noqa: E402

# Names that are different each time, and those of packs, which are different with each implementation.
VOLATILE = ((re.compile(r"TOP/(?:tmp|home)\S*|(?<=[-_])[0-9a-f]{32,40}\b"), "VOLATILE"),
            (re.compile(r"(?m)^\S*\.sample\n"), ""))
OBJECT = re.compile(r"\b[0-9a-f]{40}\b")


class Fetcher(Compared):
    """A tool that gets repositories `names` from `url`, once by file:// and once by HTTP."""
    names, program = (), ""
    failing = ()   # steps that end with an exit code that is not 0, by the end of their names

    def __init__(self, directory):
        self.directory = directory
        self.at = shutil.which(self.program)
        if not self.at:
            raise Absent("no %s here" % self.program)

    def make(self, place, tree, name, version):
        """Write the files of a version of repository `name`."""

    def steps(self, place, url, way):
        """yield (name, argv, directory, files and directories to show)"""

    def environment(self, place):
        return {}

    def repository(self, place, name):
        """srv/NAME.git: two versions with tags, a branch, and HEAD behind the last tag."""
        tree = place.top + "/work/" + name
        os.makedirs(tree)
        place.git("init", "-q", cwd=tree)
        for version in ("1.0.0", "1.1.0"):
            self.make(place, tree, name, version)
            place.git("add", "-A", cwd=tree)
            place.git("commit", "-q", "-m", "Version " + version, cwd=tree)
            place.git("tag", "-a", "-m", version, "v" + version, cwd=tree)
        place.git("branch", "topic", "v1.0.0", cwd=tree)
        self.make(place, tree, name, "2.0.0")
        place.git("commit", "-q", "-a", "-m", "Version 2.0.0", cwd=tree)
        bare = "%s/%s.git" % (self.served.srv, name)
        place.git("clone", "-q", "--bare", tree, bare, cwd=tree)
        place.git("config", "http.receivepack", "true", cwd=bare)

    def outcomes(self, place):
        place.isolate()
        self.served = servers.Place(place.top + "/served", self.served_by)
        for name in self.names:
            self.repository(place, name)
        self.found = {}
        for way, kind in (("file", servers.File), ("http", servers.Lighttpd)):
            server = kind(self.served)
            if server.missing():
                raise Absent(server.missing())
            server.start()
            try:
                for name, argv, cwd, files in self.steps(place, server.url(""), way):
                    self.found["%s: %s" % (way, name)] = self.step(place, name, argv, cwd, files, server.url(""))
            finally:
                server.stop()
        return self.found

    def step(self, place, name, argv, cwd, files, url):
        place.forget_calls()
        done = place.run(argv, cwd, self.environment(place), check=False)
        said = done.stdout + done.stderr if done.returncode else ""
        calls = OBJECT.sub("OBJECT", "\n".join(sorted(place.list_calls())))
        text = "exit code %d\n%s%s\n-- calls\n%s" % (done.returncode, said, self.show(cwd, files), calls)
        text = text.replace(url, "URL/").replace(place.top, "TOP")
        for pattern, instead in VOLATILE:
            text = pattern.sub(instead, text)
        if done.returncode and not name.endswith(self.failing or "\0") and place.is_stock:
            say("%s: %s: fails with stock: %s" % (self.name, name, text))
            return "failed"
        return text

    @staticmethod
    def show(cwd, files):
        text = ""
        for name in files:
            path = os.path.join(cwd, name)
            text += "-- %s\n" % name
            if os.path.isdir(path):
                text += "\n".join(sorted(os.path.join(d[len(path):], n) for d, _, names in os.walk(path)
                                         for n in names if not re.search("/[.]git/|/objects/", d + "/")))
            elif os.path.exists(path):
                with open(path) as f:
                    text += f.read()
            else:
                text += "missing"
        return text


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    os.chmod(path, mode)


class Npm(Fetcher):
    name, program, names = "npm", "npm", ("dep", "built")

    def make(self, place, tree, name, version):
        scripts = ', "scripts": {"prepare": "node -e \\"require(\'fs\').writeFileSync(\'made.js\', \'1\')\\""}' if name == "built" else ""
        write(tree + "/package.json", '{"name": "%s", "version": "%s", "main": "index.js"%s}\n' % (name, version, scripts))
        write(tree + "/index.js", "module.exports = '%s'\n" % version)

    def environment(self, place):
        return {"npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false",
                "npm_config_allow_git": "all", "npm_config_cache": place.top + "/home/npm"}

    def steps(self, place, url, way):
        show = ("package.json", "package-lock.json", "node_modules")
        for n, (what, spec) in enumerate({"branch": "dep.git", "tag": "dep.git#v1.0.0", "range": "dep.git#semver:^1.0.0",
                                          "other branch": "dep.git#topic", "with prepare": "built.git"}.items()):
            work = "%s/work/npm-%s-%d" % (place.top, way, n)
            write(work + "/package.json", '{"name": "user", "version": "1.0.0"}\n')
            yield "install a " + what, [self.at, "install", "--allow-git=all", "git+%s%s" % (url, spec)], work, show
        shutil.rmtree(work + "/node_modules", ignore_errors=True)
        yield "ci", [self.at, "ci", "--allow-git=all"], work, show
        yield "update", [self.at, "update", "--allow-git=all"], work, show


class Bundler(Fetcher):
    name, program, names = "bundler", "bundle", ("dep",)

    def make(self, place, tree, name, version):
        write(tree + "/dep.gemspec", "Gem::Specification.new do |s|\n s.name = 'dep'\n s.version = '%s'\n s.summary = 's'\n"
              " s.authors = ['A']\n s.files = `git ls-files -z`.split(\"\\0\")\nend\n" % version)
        write(tree + "/lib/dep.rb", "puts '%s'\n" % version)

    def environment(self, place):
        return {"BUNDLE_PATH": "vendor", "BUNDLE_DISABLE_VERSION_CHECK": "true", "GEM_HOME": place.top + "/home/gems",
                "BUNDLE_SILENCE_ROOT_WARNING": "true", "BUNDLE_ALLOW_OFFLINE_INSTALL": "true"}

    def steps(self, place, url, way):
        show = ("Gemfile.lock", "vendor/ruby")
        for n, (what, more) in enumerate({"branch": "", "tag": ", tag: 'v1.0.0'", "other branch": ", branch: 'topic'",
                                          "submodules": ", submodules: true", "ref": ", ref: 'v1.1.0'"}.items()):
            work = "%s/work/bundle-%s-%d" % (place.top, way, n)
            write(work + "/Gemfile", "gem 'dep', git: '%sdep.git'%s\n" % (url, more))
            yield "install a " + what, [self.at, "install"], work, show
            yield "run with a " + what, [self.at, "exec", "ruby", "-e", "require 'dep'"], work, ()
        write(work + "/Gemfile", "gem 'dep', git: '%sdep.git'\n" % url)
        yield "update", [self.at, "update", "dep"], work, show


class Pip(Fetcher):
    name, program, names = "pip", "python3", ("dep",)

    def __init__(self, directory):
        self.at = pythons.get(directory, self.name, "setuptools", "wheel", "pip>=24") + "/bin/python"

    def make(self, place, tree, name, version):
        write(tree + "/setup.py", "from setuptools import setup\nsetup(name='dep', version='%s', py_modules=['dep'])\n" % version)
        write(tree + "/dep.py", "version = '%s'\n" % version)

    def steps(self, place, url, way):
        pip = [self.at, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        offline = ["--no-index", "--no-build-isolation", "--no-deps", "--no-cache-dir"]
        work = "%s/work/pip-%s" % (place.top, way)
        os.makedirs(work)
        for n, (what, ref) in enumerate({"branch": "", "tag": "@v1.0.0", "other branch": "@topic"}.items()):
            yield "install a " + what, pip + ["install", *offline, "--target", "t%d" % n, "dep @ git+%sdep.git%s" % (url, ref)], work, (
                "t%d/dep.py" % n,)
        yield "wheel", pip + ["wheel", *offline, "-w", "w", "git+%sdep.git@v1.1.0" % url], work, ("w",)
        yield "editable", pip + ["install", *offline, "--prefix", "p", "--src", "src", "-e", "git+%sdep.git@v1.1.0#egg=dep" % url], work, (
            "src/dep/dep.py",)


class Cargo(Fetcher):
    name, program, names = "cargo", "cargo", ("dep",)

    def make(self, place, tree, name, version):
        write(tree + "/Cargo.toml", '[package]\nname = "dep"\nversion = "%s"\nedition = "2021"\n' % version)
        write(tree + "/src/lib.rs", 'pub fn version() -> &\'static str { "%s" }\n' % version)

    def environment(self, place):
        home = os.path.expanduser("~")
        return {"CARGO_NET_GIT_FETCH_WITH_CLI": "true", "CARGO_HOME": place.top + "/home/cargo", "CARGO_TERM_COLOR": "never",
                "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", home + "/.rustup"), "RUSTUP_TOOLCHAIN": os.environ.get("RUSTUP_TOOLCHAIN", "")}

    def steps(self, place, url, way):
        for n, (what, more) in enumerate({"branch": "", "tag": ', tag = "v1.0.0"', "other branch": ', branch = "topic"'}.items()):
            work = "%s/work/cargo-%s-%d" % (place.top, way, n)
            write(work + "/Cargo.toml", '[package]\nname = "user"\nversion = "1.0.0"\nedition = "2021"\n[dependencies]\n'
                  'dep = { git = "%sdep.git"%s }\n' % (url, more))
            write(work + "/src/main.rs", 'fn main() { println!("{}", dep::version()); }\n')
            yield "fetch a " + what, [self.at, "fetch"], work, ("Cargo.lock",)
        yield "update", [self.at, "update"], work, ("Cargo.lock",)
        yield "vendor", [self.at, "vendor", "-q"], work, ("vendor",)


class Go(Fetcher):
    name, program, names = "go", "go", ("dep",)

    def make(self, place, tree, name, version):
        write(tree + "/go.mod", "module example.com/dep.git%s\n\ngo 1.16\n" % ("/v2" if version[0] == "2" else ""))
        write(tree + "/dep.go", 'package dep\n\nconst Version = "%s"\n' % version)

    def environment(self, place):
        return {"GOPATH": place.top + "/home/go", "GOCACHE": place.top + "/home/gocache", "GOPROXY": "direct", "GOSUMDB": "off",
                "GOFLAGS": "-modcacherw", "GIT_ALLOW_PROTOCOL": "file:http:https", "GOTOOLCHAIN": "local", "GOMODCACHE": self.cache}

    def steps(self, place, url, way):
        self.cache = "%s/home/gomod-%s" % (place.top, way)
        place.git("config", "--global", "url.%s.insteadOf" % url, "https://example.com/", cwd=place.top)
        try:
            for n, version in enumerate(("v1.0.0", "latest", "topic")):
                work = "%s/work/go-%s-%d" % (place.top, way, n)
                write(work + "/go.mod", "module example.org/user\n\ngo 1.16\n")
                write(work + "/main.go", 'package main\n\nimport dep "example.com/dep.git"\n\nfunc main() { println(dep.Version) }\n')
                yield "get " + version, [self.at, "get", "example.com/dep.git@" + version], work, ("go.mod", "go.sum")
            yield "list", [self.at, "list", "-m", "-versions", "example.com/dep.git"], work, ()
        finally:
            place.git("config", "--global", "--unset-all", "url.%s.insteadOf" % url, cwd=place.top)


class HookRepository(Fetcher):
    """pre-commit with hooks from a repository, on a clean work tree and on one that is not."""
    name, names, failing = "pre-commit-hooks", ("hooks",), ("commit",)

    def __init__(self, directory):
        self.at = pythons.get(directory, "pre-commit", "pre-commit==3.7.1") + "/bin/pre-commit"

    def make(self, place, tree, name, version):
        write(tree + "/.pre-commit-hooks.yaml", "- {id: tidy, name: tidy, entry: tidy, language: script}\n"
              "- {id: read, name: read, entry: 'cat', language: system}\n")
        write(tree + "/tidy", "#!/bin/sh\n# %s\nsed -i 's/ *$//' \"$@\"\n" % version, 0o755)

    def environment(self, place):
        return {"PRE_COMMIT_HOME": place.top + "/home/pre-commit", "PRE_COMMIT_COLOR": "never"}

    def steps(self, place, url, way):
        work = "%s/work/pre-commit-%s" % (place.top, way)
        write(work + "/.pre-commit-config.yaml", "repos:\n- repo: %shooks.git\n  rev: v1.0.0\n  hooks: [{id: tidy}, {id: read}]\n" % url)
        write(work + "/a.txt", "text\n")
        place.git("init", "-q", cwd=work)
        place.git("add", ".", cwd=work)
        place.git("commit", "-q", "-m", "one", cwd=work)
        yield "install", [self.at, "install", "--install-hooks"], work, ()
        yield "clean", [self.at, "run", "--all-files"], work, ("a.txt",)
        yield "range", [self.at, "run", "--from-ref", "HEAD", "--to-ref", "HEAD"], work, ()
        yield "autoupdate", [self.at, "autoupdate"], work, (".pre-commit-config.yaml",)
        yield "try-repo", [self.at, "try-repo", url + "hooks.git", "tidy", "--ref", "v1.1.0", "--all-files"], work, ()
        yield "updated", [self.at, "run", "--all-files"], work, ()
        write(work + "/a.txt", "text  \n")
        place.git("add", "-A", cwd=work)
        write(work + "/a.txt", "text  \nmore\n")
        yield "commit", [place.top + "/bin/git", "commit", "-q", "-m", "two"], work, ("a.txt",)
        yield "gc", [self.at, "gc"], work, ()


class Ci(Fetcher):
    """
    What a CI service runs to check out a repository, call by call (actions/checkout, and GitLab's runner). Some calls are
    questions whose exit code is 1. `sparse-checkout disable` of stock Git sets extensions.worktreeConfig and writes a
    config.worktree also where nothing is sparse, and the action unsets it at once; ours changes no configuration.
    """
    name, program, names = "ci", "sh", ("project",)
    failing = ("action 5", "action 7")
    action = """git version
git init TREE
git config --global --add safe.directory TREE
git remote add origin URLproject.git
git config --local gc.auto 0
git config --local --name-only --get-regexp core\\.sshCommand
git submodule foreach --recursive sh -c "git config --local --name-only --get-regexp 'core\\.sshCommand' && git config --local --unset-all 'core.sshCommand' || :"
git config --local --name-only --get-regexp http\\.https\\:\\/\\/example\\.com\\/\\.extraheader
git submodule foreach --recursive sh -c "git config --local --name-only --get-regexp 'http.*.extraheader' || :"
git config --local http.https://example.com/.extraheader AUTHORIZATION
git -c protocol.version=2 fetch --no-tags --prune --no-recurse-submodules --depth=1 origin +OBJECT:refs/remotes/origin/main
git sparse-checkout disable
git checkout --progress --force -B main refs/remotes/origin/main
git log -1 --format=%H
git submodule sync --recursive
git -c protocol.version=2 submodule update --init --force --depth=1 --recursive
git submodule foreach --recursive git config --local gc.auto 0
git submodule status
git clean -ffdx
git reset --hard HEAD
git rev-parse --symbolic-full-name --verify --quiet HEAD
git branch --list --remote origin/main
git rev-parse refs/remotes/origin/main
git status --porcelain
git config --local --unset-all http.https://example.com/.extraheader"""
    again = """git config --local --get remote.origin.url
git rev-parse --is-shallow-repository
git rev-parse --symbolic-full-name --verify --quiet HEAD
git checkout --detach
git branch --delete --force main
git clean -ffdx
git reset --hard HEAD
git -c protocol.version=2 fetch --prune --no-recurse-submodules --unshallow origin +refs/heads/*:refs/remotes/origin/* +refs/tags/*:refs/tags/*
git sparse-checkout disable
git checkout --progress --force refs/tags/v1.1.0
git submodule foreach git reset --hard
git submodule summary
git submodule deinit --all --force
git submodule init
git submodule absorbgitdirs
git describe --tags --always --dirty
git log --oneline --all"""
    runner = """git init --template TEMPLATE TREE2
git config fetch.recurseSubmodules false
git remote add origin URLproject.git
git fetch origin +refs/heads/*:refs/origin/heads/* +refs/tags/*:refs/tags/* --depth 20 --prune --quiet
git checkout -f -q OBJECT
git clean -ffdx
git submodule init
git submodule sync
git submodule update --init
git submodule foreach --recursive git clean -ffdx
git submodule foreach --recursive git reset --hard
git clone --recurse-submodules --shallow-submodules --depth 1 -j 4 URLproject.git recursed
git clone --recursive URLproject.git recursive
git -C recursive fetch --recurse-submodules=on-demand
git -C recursive checkout --recurse-submodules topic
git -C recursive reset --recurse-submodules --hard HEAD
git -C recursive push --recurse-submodules=check --dry-run origin topic"""

    def make(self, place, tree, name, version):
        write(tree + "/file", version + "\n")
        write(tree + "/dir/script", "#!/bin/sh\n", 0o755)

    def steps(self, place, url, way):
        base = "%s/work/ci-%s" % (place.top, way)
        os.makedirs(base + "/template")
        os.makedirs(base + "/home")
        head = place.git("rev-parse", "main", cwd=place.top + "/work/project").strip()
        for part, tree in (("action", "tree"), ("again", "tree"), ("runner", "tree2")):
            for n, line in enumerate(getattr(self, part).splitlines()):
                for word, value in (("URL", url), ("OBJECT", head), ("TREE", base + "/tree"), ("TEMPLATE", base + "/template")):
                    line = line.replace(word, value)
                cwd = base + "/" + tree
                os.makedirs(cwd, exist_ok=True)
                if line.startswith("git clean"):
                    write(cwd + "/new/untracked", "x\n")
                yield "%s %d" % (part, n), ["sh", "-c", line], cwd, (".",)
