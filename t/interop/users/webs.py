# SPDX-License-Identifier: GPL-2.0-only
"""Pages that show repositories. The outcome of a page is its text, and each call of git with all that it said."""
import html
import json
import os
import re
import subprocess
import time

import pythons
from place import Absent, Compared, HERE, Trouble, say

BINARY = bytes(range(256)) * 40
ZONES = ("+0000", "+0530", "-0800")


class Sample:
    """A repository with everything that a page can show."""

    def __init__(self, place, at):
        self.place, self.at, self.clock = place, at, 1400000000
        os.makedirs(at)
        self.git("init", "-q")

    def git(self, *argv, author="A U Thor <author@example.com>"):
        self.clock += 86400
        name, mail = author[:-1].split(" <")
        when = "%d %s" % (self.clock, ZONES[self.clock // 86400 % 3])
        env = {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": mail, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        return self.place.run([self.place.real, *argv], self.at, env).stdout.strip()

    def write(self, name, content, mode=0o644):
        path = os.path.join(self.at, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(content if isinstance(content, bytes) else content.encode())
        os.chmod(path, mode)

    def commit(self, message, **more):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--allow-empty-message", "--cleanup=verbatim", "-m", message, **more)

    def fill(self):
        def lines(first, last):
            return "".join("line %d\n" % i for i in range(first, last))

        self.write("README.md", "# Sample\n\nsee `dir/code.c`\n")
        self.write("dir/code.c", "#include <stdio.h>\n\nint main(void)\n{\n\tputs(\"<hello> & 'bye'\");\n\treturn 0;\n}\n")
        self.write("long.txt", lines(1, 60))
        self.write("dir/sub/deep.txt", lines(1, 9))
        self.commit("First commit\n\nwith a body,\nand <markup> & more.\n\nSigned-off-by: A U Thor <author@example.com>\n")
        self.write("picture.png", BINARY)
        self.write("run.sh", "#!/bin/sh\n", 0o755)
        os.symlink("dir/code.c", self.at + "/link")
        os.symlink("../README.md", self.at + "/dir/up")
        self.commit("Add a binary, a script and links", author="Jörg Ä <joerg@example.com>")
        self.git("tag", "light")
        self.git("tag", "-a", "-m", "Version one\n\nwith a body\n", "v1.0")
        self.write("ünïcode/näme.txt", "grüße\n")
        self.write("with space/a+b&c?.txt", "odd name\n")
        self.write("empty", "")
        self.commit("Ümläute in names")
        self.git("mv", "long.txt", "moved.txt")
        self.write("moved.txt", lines(1, 30) + "changed <here>\n" + lines(31, 60))
        self.commit("Rename, and change a line")
        self.write("copy.txt", lines(1, 30) + "changed <here>\n" + lines(31, 60) + "end\n")
        self.git("add", "-A")
        os.remove(self.at + "/link")
        self.write("link", "a file now\n")
        self.write("run.sh", "#!/bin/sh\nexit 1\n", 0o644)
        self.commit("Copy; change types and modes")
        self.write("crlf.txt", "one\r\ntwo\r\n")
        self.write("tabs.txt", "\tone\n    two\n\t\tthree  \n" + "x" * 300 + "\n")
        self.write("latin1.txt", "gr\xfc\xdfe\n".encode("latin-1"))
        self.git("add", "-A")
        self.write(".git/message", "caf\xe9 in latin-1\n".encode("latin-1"))
        self.git("-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "-F", ".git/message")
        self.git("rm", "-q", "empty")
        self.commit("")
        self.write("moved.txt", lines(1, 20) + lines(25, 60) + "no newline")
        self.commit("Remove lines " + "of a very long subject " * 8, author="Very Long Name Of A Person Indeed <x@y.z>")
        self.git("checkout", "-q", "-b", "side/topic", "HEAD~3")
        self.write("side.txt", "side\n")
        self.write("moved.txt", "first\n" + lines(1, 30) + "changed <here>\n" + lines(31, 60))
        self.commit("On the side (#123, see deadbeef)")
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "Merge branch 'side/topic'", "side/topic")
        for branch in ("one", "two"):
            self.git("checkout", "-q", "-b", branch, "main")
            self.write(branch + ".txt", branch + "\n")
            self.commit("Branch " + branch)
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "-m", "An octopus", "one", "two")
        self.git("branch", "-q", "-D", "two")
        self.git("update-index", "--add", "--cacheinfo", "160000,%s,module" % self.git("rev-parse", "HEAD"))
        self.git("commit", "-q", "-m", "Add a submodule")
        self.git("revert", "--no-edit", "HEAD~1", "-m", "1")
        self.git("tag", "-a", "-m", "a tree", "tree-tag", "HEAD^{tree}")
        self.git("tag", "-a", "-m", "a blob", "blob-tag", "HEAD:README.md")
        self.git("tag", "-a", "-m", "a tag", "tag-tag", "v1.0")
        self.git("tag", "v2.0-blob", "HEAD:README.md")
        self.git("notes", "add", "-m", "A note", "HEAD")
        for i in range(1, 25):
            self.write("moved.txt", lines(1, 20) + lines(25, 60) + "no newline" if i % 2 else lines(i, 60))
            self.commit("Number %d" % i, author="Author %d <a%d@example.com>" % (i % 4, i % 4))
        self.git("checkout", "-q", "--orphan", "other-root")
        self.git("rm", "-q", "-r", "-f", ".")
        self.write("root", "another\n")
        self.commit("Another root")
        self.git("checkout", "-q", "main")


class Pages(Compared):
    """The addresses of `first` are asked for, and of all that pages link to a few of each kind."""
    first, each = (), 3
    volatile = ()   # (pattern, instead)

    def prepare(self, place):
        """Make what is shown."""

    def page(self, place, address):
        """Its text"""

    def links(self, text):
        """Addresses that a page links to, in order"""

    def kind(self, address):
        """What kind of page is at an address"""

    def outcomes(self, place):
        place.isolate(deep=True)
        self.prepare(place)
        self.found, kinds, wait, begin = {}, {}, list(self.first), time.monotonic()
        while wait:
            address = wait.pop(0)
            kind = self.kind(address)
            if address in self.found or kinds.get(kind, 0) >= self.each and address not in self.first:
                continue
            kinds[kind] = kinds.get(kind, 0) + 1
            place.forget_calls()
            text = self.page(place, address)
            wait += self.links(text)
            text = text.replace(place.top, "TOP") + "\n-- calls\n" + "\n".join(sorted(place.list_calls()))
            for pattern, instead in self.volatile:
                text = re.sub(pattern, instead, text)
            self.found[address] = text
        say("%s: %d pages in %d s" % (self.name, len(self.found), time.monotonic() - begin))
        return self.found


class Gitweb(Pages):
    """gitweb as a CGI program; the one of the stock Git if it has one."""
    name = "gitweb"
    config = """our $GIT = 'TOP/bin/git';
our $projectroot = 'TOP/work/pub';
our $version_control = 1;
our @git_base_url_list = ('https://example.com');
our $prevent_xss = 0;
our $maxload = undef;
$feature{$_}{'override'} = 1 for qw(blame snapshot grep pickaxe show-sizes patches avatar highlight remote_heads);
$feature{$_}{'default'} = [1] for qw(blame search grep pickaxe show-sizes forks remote_heads javascript-actions);
$feature{'snapshot'}{'default'} = ['tgz', 'tbz2', 'txz', 'zip'];
$feature{'highlight'}{'default'} = [0];
$feature{'ctags'}{'default'} = ['1'];
$feature{'extra-branch-refs'}{'default'} = ['extra'];
$feature{'pathinfo'}{'default'} = [PATHINFO];
"""
    searches = ["p=all.git;a=search;s=%s;st=%s%s" % found for found in (
        ("Number", "commit", ""), ("Number", "commit", ";pg=1"), ("Author 1", "author", ""), ("A U", "committer", ""),
        ("line 7", "pickaxe", ""), ("li.e 7$", "pickaxe", ";sr=1"), ("hello", "grep", ""), ("li.*7$", "grep", ";sr=1"),
        ("nothing here", "commit", ""), ("nothing here", "grep", ""), ("nothing here", "pickaxe", ""), ("N[um]*ber 1.", "commit", ";sr=1"),
        ("a", "commit", ""), ("%C3%BC", "commit", ""), ("gr%C3%BC", "grep", ""), ("-x", "commit", ""), ("*", "grep", ";sr=1"))]
    first = ["", "a=project_index", "a=opml", "s=all", "s=all;sr=1", "o=age", "o=descr", "t=word", "p=all.git", "p=empty.git", "p=detached.git",
             "p=missing.git", "p=all.git;a=nonsense", "p=all/fork.git", "p=all.git;a=forks"] + searches + [
             "p=all.git;a=%s" % rest for rest in (
                 "log;pg=1", "shortlog;pg=1", "shortlog;hp=HEAD~5", "shortlog;h=side/topic", "log;h=v1.0", "commit;h=light",
                 "commit;h=tag-tag",
                 "commit;h=HEAD~24", "commitdiff;h=HEAD~27", "commitdiff;h=HEAD~27;ds=sidebyside", "commitdiff;h=HEAD~26;hp=-c",
                 "commitdiff;h=HEAD~28;hp=--cc", "commitdiff;h=HEAD~28", "commitdiff;h=HEAD~30;hp=HEAD~34", "commitdiff;h=light",
                 "commitdiff_plain;h=HEAD~30;hp=HEAD~34",
                 "commitdiff_plain;h=light", "patch;h=HEAD~3", "patches;h=HEAD~3;hp=HEAD~8", "patches;h=HEAD;hp=HEAD~30",
                 "patch;h=HEAD~31", "blob;f=README.md", "blob;f=picture.png",
                 "blob_plain;f=picture.png", "blob_plain;f=latin1.txt", "blob;f=latin1.txt", "blob;f=tabs.txt", "blob;f=crlf.txt",
                 "blob;f=link;hb=light", "blob;f=missing",
                 "blob;h=v2.0-blob", "blobdiff;f=moved.txt;hb=HEAD;hpb=HEAD~2",
                 "blobdiff;f=moved.txt;fp=long.txt;hb=HEAD;hpb=light", "blobdiff_plain;f=moved.txt;hb=HEAD;hpb=HEAD~2",
                 "blobdiff_plain;f=moved.txt;fp=long.txt;hb=HEAD;hpb=light", "blame;f=moved.txt;hb=HEAD",
                 "blame;f=README.md;hb=HEAD", "blame;f=latin1.txt;hb=HEAD", "blame;f=dir;hb=HEAD",
                 "blame_incremental;f=moved.txt;hb=HEAD", "blame_data;f=moved.txt;hb=HEAD", "blame_data;f=copy.txt;hb=HEAD",
                 "blame_data;f=latin1.txt;hb=HEAD",
                 "tree", "tree;f=dir", "tree;f=dir/sub;hb=light", "tree;h=tree-tag", "tree;f=missing", "history;f=moved.txt",
                 "history;f=moved.txt;pg=1", "history;f=dir", "history;f=long.txt",
                 "history;f=missing", "snapshot;sf=tgz", "snapshot;h=light;sf=zip", "snapshot;h=HEAD;f=dir;sf=tgz",
                 "snapshot;h=side/topic;sf=tbz2", "snapshot;h=v1.0;sf=txz", "snapshot;h=nothing;sf=tgz",
                 "rss", "atom", "rss;h=side/topic", "atom;f=moved.txt", "rss;f=dir", "rss;opt=--no-merges",
                 "atom;opt=--no-merges", "object;h=HEAD", "object;h=v1.0", "object;f=README.md;hb=HEAD",
                 "object;f=dir;hb=HEAD", "object;h=light^{tree}", "object;h=nothing", "object;f=module;hb=HEAD~24", "tag;h=v1.0",
                 "tag;h=light", "tags", "heads", "remotes", "remotes;h=origin", "remotes;h=none", "search_help",
                 "log;opt=--no-merges", "shortlog;opt=--no-merges", "history;f=moved.txt;opt=--no-merges", "commit;h=nothing",
                 "commit;h=HEAD:README.md")]
    volatile = ((r"(?m)^(Last-Modified|Date|Expires): .*", r"\1: TIME"), (r"\b2[.]\d+[.]\d+[0-9a-z.]*", "VERSION"))
    pathinfo = "0"

    def __init__(self, directory):
        self.directory = directory
        if subprocess.run(["perl", "-MCGI", "-e1"], capture_output=True, check=False).returncode:
            raise Absent("perl has no module CGI here (Debian: libcgi-pm-perl)")

    def find(self, place):
        """The program, of the stock Git or of the system."""
        core = place.run([self.stock, "--exec-path"], "/").stdout.strip()
        for share in (os.path.join(core, "../../share"), "/usr/share"):
            if os.path.exists(share + "/gitweb/gitweb.cgi"):
                return share + "/gitweb/gitweb.cgi"
        raise Absent("no gitweb here (Debian: gitweb)")

    def prepare(self, place):
        self.program = self.find(place)
        sample = Sample(place, place.top + "/work/all")
        sample.fill()
        pub = place.top + "/work/pub"
        sample.git("clone", "-q", "--mirror", ".", pub + "/all.git")
        sample.git("clone", "-q", "--bare", ".", pub + "/all/fork.git")
        sample.git("clone", "-q", "--bare", ".", pub + "/detached.git")
        sample.git("init", "-q", "--bare", pub + "/empty.git")
        for name in ("all", "all/fork", "detached", "empty"):
            with open("%s/%s.git/description" % (pub, name), "w") as out:
                out.write("The ünïcode & <description> of %s\n" % name)

        def git(name, *argv):
            place.git("-C", "%s/%s.git" % (pub, name), *argv, cwd="/")

        git("detached", "update-ref", "--no-deref", "HEAD", "HEAD~3")
        git("all", "update-ref", "refs/extra/more", "HEAD~4")
        git("all", "config", "--unset", "remote.origin.mirror")
        git("all", "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        git("all", "update-ref", "refs/remotes/origin/main", "HEAD~1")
        for key, value in {"owner": "An Öwner", "category": "Things", "url": "https://example.com/all", "snapshot": "tgz, zip,txz,tbz2", "patches": "30",
                           "showsizes": "true", "avatar": "none", "blame": "yes"}.items():
            git("all", "config", "gitweb." + key, value)
        git("detached", "config", "gitweb.blame", "0")
        with open(pub + "/all.git/README.html", "w") as out:
            out.write("<p>read me</p>\n")
        os.makedirs(pub + "/all.git/ctags")
        with open(pub + "/all.git/ctags/word", "w") as out:
            out.write("3")
        with open(place.top + "/gitweb.conf", "w") as out:
            out.write(self.config.replace("TOP", place.top).replace("PATHINFO", self.pathinfo))

    def page(self, place, address):
        info, query = address.split("?", 1) if "?" in address else ("", address)
        env = {"GATEWAY_INTERFACE": "CGI/1.1", "REQUEST_METHOD": "GET", "HTTP_ACCEPT": "*/*", "QUERY_STRING": query, "PATH_INFO": info,
               "SCRIPT_NAME": "/gitweb.cgi", "SERVER_NAME": "example.com", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
               "GITWEB_CONFIG": place.top + "/gitweb.conf", "GITWEB_CONFIG_SYSTEM": "/nonexistent", "GITWEB_CONFIG_COMMON": "/nonexistent",
               "REQUEST_URI": "/gitweb.cgi%s?%s" % (info, query)}
        done = place.run(["perl", self.program], place.top, env, check=False)
        return "exit code %d\n%s\n-- stderr\n%s" % (done.returncode, done.stdout, re.sub(r"(?m)^\[.*?\] ", "", done.stderr))

    def links(self, text):
        found = re.findall(r'(?:href|src|action)="(?:http://example[.]com)?/gitweb[.]cgi([^"#]*)', text)
        return [html.unescape(link).lstrip("?") if link[:1] == "?" else html.unescape(link) + ("" if "?" in link else "?")
                for link in found if link and "/static" not in link]

    def kind(self, address):
        query = dict(part.split("=", 1) for part in address.split("?")[-1].split(";") if "=" in part)
        return query.get("p") == "all.git", query.get("a"), "f" in query, "hp" in query or "hpb" in query, query.get("sf"), query.get("opt")


class GitwebPaths(Gitweb):
    """The same where addresses are paths."""
    name, pathinfo, each = "gitweb-pathinfo", "1", 1
    first = ["", "/all.git?", "/all.git/log?", "/all.git/shortlog/v1.0?", "/all.git/tree/side/topic:/dir?", "/all.git/blob/HEAD:/README.md?",
             "/all.git/blob_plain/light:/dir/code.c?", "/all.git/commitdiff/HEAD~3..HEAD?",
             "/all.git/blobdiff/HEAD~3:/moved.txt..HEAD:/moved.txt?",
             "/all.git/side/topic:/side.txt?", "/all.git/side/topic?", "/all.git/HEAD:/dir/?", "/all.git/snapshot/v1.0.tar.gz?",
             "/all.git/snapshot/side/topic.zip?",
             "/all.git/history/HEAD:/dir?", "/all.git/blame/HEAD:/dir/code.c?", "/all.git/tag/v1.0?", "/all.git/missing/HEAD:/x?",
             "/missing?"]

    def kind(self, address):
        words = address.split("?")[0].strip("/").split("/")
        return words[0], words[1] if len(words) > 1 else "", ":/" in address, ".." in address


class Klaus(Pages):
    """klaus reads most by dulwich; histories and blame come from git. Its own tests are not whole in the package."""
    name, each, volatile = "klaus", 6, ((r"TOP/tmp/tmp\w+", "TEMPORARY"),)
    first = ["/", "/?by-last-update=yep", "/all/", "/all/commit/main/", "/all/tree/light/", "/all/tree/main/moved.txt", "/all/blame/main/moved.txt",
             "/all/tree/main/dir?page=1", "/all/blame/main/latin1.txt", "/all/blob/main/picture.png", "/all/raw/main/latin1.txt",
             "/all/tarball/v1.0/",
             "/all/blame/main/with%20space/a+b&c%3F.txt", "/all/blame/light/link", "/all/tree/main/?page=0",
             "/all/blame/main/dir",
             "/all/light", "/all/tree/nothing/", "/all/blame/main/picture.png", "/all/commit/light.patch", "/empty/",
             "/all/tree/main/?page=1",
             "/all/submodule/main/module/", "/all/blame/main/missing", "/all/tree/main/long.txt", "/all/commit/main.diff",
             "/fork/blame/main/copy.txt",
             "/all/blame/main/run.sh", "/all/blame/main/copy.txt", "/all/blame/other-root/root", "/all/tree/other-root/",
             "/all/tree/main/%C3%BCn%C3%AFcode"]

    def __init__(self, directory):
        self.python = pythons.get(directory, self.name, "klaus==3.0.1", "dulwich==0.22.1", "python-ctags3", "setuptools<80") + "/bin/python"

    def prepare(self, place):
        self.server = None
        sample = Sample(place, place.top + "/work/all")
        sample.fill()
        sample.git("tag", "-d", "v2.0-blob", "blob-tag", "tree-tag")   # klaus takes each tag for a commit
        sample.git("clone", "-q", "--bare", ".", place.top + "/work/fork")
        sample.git("init", "-q", "--bare", place.top + "/work/empty")
        self.server = subprocess.Popen([self.python, HERE + "/klaus-pages.py", *(place.top + "/work/" + name for name in ("all", "fork", "empty"))],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=place.env, cwd=place.top)

    def outcomes(self, place):
        try:
            return super().outcomes(place)
        finally:
            if self.server:
                self.server.communicate(timeout=60)

    def page(self, place, address):
        self.server.stdin.write(address + "\n")
        self.server.stdin.flush()
        answer = self.server.stdout.readline()
        if not answer:
            raise Trouble("klaus has ended at " + address)
        return json.loads(answer)

    def links(self, text):
        return [html.unescape(link) for link in re.findall(r'href="?(/[^">\s#]*)', text) if not link.startswith("/static")]

    def kind(self, address):
        return tuple(address.split("/")[1:3])
