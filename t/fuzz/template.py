# SPDX-License-Identifier: GPL-2.0-only
"""
The repository that t/fuzz/commands changes. Our own git makes it, apart from what it cannot make
yet: packs with deltas, .rev files, a multi-pack-index, a linked worktree.

    TOP/repo      two packs with a multi-pack-index, loose objects, packed and loose refs, an
                  index with conflicts and extensions, further ones in .git/index.NAME
    TOP/wt        a linked worktree of it
    TOP/alt       its alternate; nobody may write there, nor to
    TOP/outside, TOP/home
"""
import binascii
import hashlib
import os
import struct
import subprocess
import zlib

from mutate import read, with_hash, write

TYPES = {b"commit": 1, b"tree": 2, b"blob": 3, b"tag": 4}
OFS_DELTA, REF_DELTA = 6, 7

CONFIG = b"""[include]
	path = included
[includeIf "gitdir:**/repo/"]
	path = included-if
[core]
	abbrev = 9
	bigFileThreshold = 100k
	compression = 3
	packedGitWindowSize = 1m
	packedGitLimit = 16m
	deltaBaseCacheLimit = 1m
	preloadIndex = true
	attributesFile = more-attributes
	excludesFile = more-excludes
	autocrlf = input
	untrackedCache = keep
[index]
	version = 2
	threads = 2
[pack]
	threads = 2
	windowMemory = 10m
[bulkCheckin]
	unpackLimit = 3
[diff]
	renameLimit = 40
	algorithm = histogram
[status]
	relativePaths = false
	showUntrackedFiles = all
	aheadBehind = true
[color]
	status = always
[color "status"]
	added = bold red reverse
[log]
	date = format:%Y-%m-%d %H
	decorate = short
	showSignature = false
[gc]
	reflogExpire = 90.days
[gc "refs/heads/*"]
	reflogExpireUnreachable = never
[remote "origin"]
	url = https://example.com/r.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
[alias]
	l = log --oneline
[user]
	name = "A \\"U\\" Thor" ; comment
	email = a@example.com
[fsck]
	missingEmail = ignore
	skipList = .git/skip
[submodule "sub"]
	url = ./sub
	ignore = dirty
[notes]
	displayRef = refs/notes/*
[extensions]
	worktreeConfig = true
"""

FILES = {
    ".gitattributes": b"*.txt text eol=lf diff=x whitespace=trail\n[attr]m -text -diff\n*.bin m\n"
                      b"dir/** ident\n\"a b\" filter=f\n*.utf16 working-tree-encoding=UTF-16\n",
    ".gitignore": b"*.o\n!keep.o\n/build/\ndoc/**/x\n[a-c]?.tmp\n\\#hash\ntrail\\ \n",
    ".mailmap": b"A U Thor <a@example.com> <b@example.com>\nX <x@example.com> Y <y@example.com>\n",
    ".gitmodules": b"[submodule \"sub\"]\n\tpath = sub\n\turl = ./sub\n",
    "a.txt": b"one\ntwo\n", "a b": b"x\n", "x.bin": bytes(range(256)) * 8,
    "w.utf16": "\ufefftext\n".encode("utf-16-le"),
    "dir/b.txt": b"b\n", "dir/sub/c": b"c\n", "dir/sub.d": b"d\n", "exec": b"#!/bin/sh\n",
}


class Maker:
    def __init__(self, git, top):
        self.git, self.repo, self.top = git, os.path.join(top, "repo"), top
        self.clock = 1600000000

    def run(self, *args, text=None, repo=None):
        self.clock += 60
        env = dict(environment(self.top), GIT_AUTHOR_DATE="%d +0130" % self.clock,
                   GIT_COMMITTER_DATE="%d -0800" % self.clock)
        return subprocess.run([self.git] + list(args), cwd=repo or self.repo, input=text, env=env,
                              stdout=subprocess.PIPE, check=True).stdout

    def oid(self, what):
        return self.run("rev-parse", what).strip()

    def path(self, name):
        return os.path.join(self.repo, ".git", name)

    def commit(self, n):
        lines = b"".join(b"line %d\n" % (i if i != n else -i) for i in range(200))
        write(os.path.join(self.repo, "big.txt"), lines)
        self.run("add", "-A")
        self.run("commit", "-q", "-m", "commit %d\n\nBody.\n\nSigned-off-by: X <x@example.com>" % n)


def environment(top):
    """Of every command: nothing of the user's, and nothing above TOP is ever searched."""
    converters = {k: os.environ[k] for k in ("GCONV_PATH",) if k in os.environ} # of another architecture
    return {**converters, "HOME": top + "/home", "PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1", "GIT_ADVICE": "0", "GIT_CEILING_DIRECTORIES": top,
            "GIT_TEST_FSYNC": "0", "GIT_TEST_AUTO_MAINTENANCE": "0",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_EDITOR": ":",
            "GIT_COMMITTER_NAME": "C", "GIT_COMMITTER_EMAIL": "c@example.com"}


# ---- packs ----------------------------------------------------------------

class Entry:
    """An object of a pack; `base`: the entry that `data`, a delta, is to be applied to."""
    def __init__(self, name, kind, data, base=None, ofs=True):
        self.name, self.kind, self.data, self.base, self.ofs = name, kind, data, base, ofs
        self.size = self.back = self.base_name = None # instead of the right ones


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def make_delta(old, new):
    """What both begin with is copied, the rest inserted."""
    same = len(os.path.commonprefix([old, new]))
    out = varint(len(old)) + varint(len(new))
    for at in range(0, same, 0xffff):
        n = min(0xffff, same - at)
        out += b"\xbf" + struct.pack("<IH", at, n)
    for at in range(same, len(new), 127):
        out += bytes([len(new[at:at + 127])]) + new[at:at + 127]
    return out


def entry_header(kind, size):
    first, size = kind << 4 | size & 15, size >> 4
    if not size:
        return bytes([first])
    return bytes([first | 128]) + varint(size)


def back_distance(n):
    out = bytes([n & 127])
    n >>= 7
    while n:
        n -= 1
        out = bytes([n & 127 | 128]) + out
        n >>= 7
    return out


def pack_bytes(entries):
    """The pack, and (name, offset, crc) of each object."""
    out, found, at = b"PACK" + struct.pack(">II", 2, len(entries)), [], {}
    for e in entries:
        kind = e.kind if not e.base else OFS_DELTA if e.ofs else REF_DELTA
        raw = entry_header(kind, len(e.data) if e.size is None else e.size)
        if kind == OFS_DELTA:
            distance = len(out) - at.get(e.base, 0)
            raw += back_distance(distance if e.back is None else e.back)
        elif kind == REF_DELTA:
            raw += e.base_name or e.base.name
        raw += zlib.compress(e.data)
        at[e] = len(out)
        found.append((e.name, len(out), binascii.crc32(raw)))
        out += raw
    return with_hash(out + bytes(20)), sorted(found)


def fanout(names):
    return b"".join(struct.pack(">I", sum(n[0] <= i for n in names)) for i in range(256))


def idx_bytes(found, pack):
    out = b"\xfftOc" + struct.pack(">I", 2) + fanout([n for n, _, _ in found])
    out += b"".join(n for n, _, _ in found)
    out += b"".join(struct.pack(">I", crc) for _, _, crc in found)
    out += b"".join(struct.pack(">I", at) for _, at, _ in found)
    return with_hash(out + pack[-20:] + bytes(20))


def rev_bytes(found, pack):
    order = sorted(range(len(found)), key=lambda i: found[i][1])
    out = b"RIDX" + struct.pack(">II", 1, 1) + b"".join(struct.pack(">I", i) for i in order)
    return with_hash(out + pack[-20:] + bytes(20))


def midx_bytes(packs):
    """packs: {name of the idx: found}."""
    names = sorted(packs)
    where = {}
    for i, name in enumerate(names):
        for oid, at, _ in packs[name]:
            where.setdefault(oid, (i, at))
    oids = sorted(where)
    pnam = b"".join(n.encode() + b"\0" for n in names)
    chunks = [(b"PNAM", pnam + bytes(-len(pnam) % 4)), (b"OIDF", fanout(oids)),
              (b"OIDL", b"".join(oids)), (b"OOFF", b"".join(struct.pack(">II", *where[o]) for o in oids))]
    at = 12 + 12 * (len(chunks) + 1)
    out = b"MIDX" + struct.pack(">BBBBI", 1, 1, len(chunks), 0, len(names))
    for name, data in chunks:
        out += name + struct.pack(">Q", at)
        at += len(data)
    return with_hash(out + bytes(4) + struct.pack(">Q", at) + b"".join(d for _, d in chunks) + bytes(20))


def write_pack(where, name, entries):
    pack, found = pack_bytes(entries)
    write("%s/%s.pack" % (where, name), pack)
    write("%s/%s.rev" % (where, name), rev_bytes(found, pack))
    write("%s/%s.idx" % (where, name), idx_bytes(found, pack))
    return found


def all_objects(git, top):
    """[(name, type, content)]"""
    out = Maker(git, top).run("cat-file", "--batch-all-objects", "--batch", "--unordered")
    objects, at = [], 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, kind, size = out[at:end].split()
        at = end + 1 + int(size) + 1
        objects.append((bytes.fromhex(name.decode()), kind, out[end + 1:at - 1]))
    return sorted(objects)


def entries_of(objects, ofs):
    """Chains of deltas of up to four, among objects of one type."""
    entries, last, content = [], {}, {}
    for name, kind, data in objects:
        base, depth = last.get(kind, (None, 0))
        e = Entry(name, TYPES[kind], data)
        if base and depth < 4 and kind != b"commit":
            e = Entry(name, TYPES[kind], make_delta(content[base], data), base, ofs)
        entries.append(e)
        content[e] = data
        last[kind] = (e, depth + 1 if e.base else 0)
    return entries


def pack_all(m):
    """Every object so far goes into one of two packs; {name: entries}."""
    objects = all_objects(m.git, m.top)
    half = len(objects) // 2
    packs = {"pack-" + c * 40: entries_of(part, c == "1")
             for c, part in (("1", objects[:half]), ("2", objects[half:]))}
    write_packs(m.path("objects/pack"), packs)
    for name, _, _ in objects:
        path = m.path("objects/%s/%s" % (name.hex()[:2], name.hex()[2:]))
        if os.path.exists(path):
            os.unlink(path)
    return packs


def write_packs(where, packs):
    found = {name + ".idx": write_pack(where, name, packs[name]) for name in packs}
    write(where + "/multi-pack-index", midx_bytes(found))


# ---- the rest -------------------------------------------------------------

def add_extensions(data, blob):
    """REUC, and extensions that we only keep, behind the entries of an index."""
    reuc = b"dir/b.txt\0" + b"100644\0" * 3 + bytes.fromhex(blob.decode()) * 3
    more = b"".join(name + struct.pack(">I", len(d)) + d for name, d in (
        (b"REUC", reuc), (b"UNTR", b"\x10" + b"ident of a host\0" + bytes(140)),
        (b"FSMN", struct.pack(">I", 2) + b"token\0" + struct.pack(">I", 0)), (b"ZZZZ", b"unknown")))
    return with_hash(data[:-20] + more + bytes(20))


def make_indexes(m):
    def variant(name, *args, text=None):
        m.run("update-index", *args, text=text)
        write(m.path("index." + name), read(m.path("index")))

    blob = m.oid("HEAD:a.txt")
    write(m.path("index.tree"), add_extensions(read(m.path("index")), blob))
    write(os.path.join(m.repo, "new file"), b"new\n")
    m.run("add", "-N", "new file")
    variant("v3", "--skip-worktree", "exec")
    variant("v4", "--index-version", "4")
    stages = b"".join(b"100644 %s %d\tdir/conflict\n" % (blob, i) for i in (1, 2, 3))
    variant("conflict", "--index-version", "2", "--index-info", text=stages)
    write(m.path("index"), add_extensions(read(m.path("index")), blob))


def make_refs(m):
    m.run("update-ref", "refs/heads/topic", "HEAD~2")
    m.run("tag", "-a", "-m", "tag of a commit", "v1")
    m.run("tag", "-a", "-m", "tag of a tag", "v2", "v1")
    m.run("update-ref", "refs/remotes/origin/main", "HEAD~1")
    m.run("pack-refs", "--all")
    m.run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    m.run("update-ref", "refs/heads/loose/deep", "HEAD")
    m.run("update-ref", "refs/heads/main", "HEAD~1")
    m.run("update-ref", "refs/heads/main", "HEAD@{1}")
    head = m.oid("HEAD")
    for name in ("ORIG_HEAD", "MERGE_HEAD"):
        write(m.path(name), head + b"\n")
    write(m.path("FETCH_HEAD"), head + b"\tnot-for-merge\tbranch 'main' of /x\n")
    write(m.path("MERGE_MSG"), b"a message\n")


def make_worktree(m):
    head = m.oid("HEAD")
    write(m.path("worktrees/wt/HEAD"), b"ref: refs/heads/topic\n")
    write(m.path("worktrees/wt/commondir"), b"../..\n")
    write(m.path("worktrees/wt/gitdir"), m.top.encode() + b"/wt/.git\n")
    write(m.path("worktrees/wt/locked"), b"why\n")
    write(m.path("worktrees/wt/logs/HEAD"),
          head + b" " + head + b" C <c@example.com> 1600000000 +0000\tcheckout: moving\n")
    write(m.top + "/wt/.git", b"gitdir: ../repo/.git/worktrees/wt\n")
    write(m.top + "/wt/a.txt", b"changed\n")
    m.run("read-tree", "HEAD", repo=m.top + "/wt")


def make(git, top):
    """Make all of it; returns the entries of the packs."""
    for name in ("repo", "alt", "outside/dir", "home"):
        os.makedirs(os.path.join(top, name))
    write(top + "/outside/victim", b"untouched\n")
    write(top + "/outside/dir/victim", b"untouched\n")
    m = Maker(git, top)
    for repo in (top + "/alt", m.repo):
        m.run("init", "-q", "-b", "main", repo=repo)
    m.run("hash-object", "-w", "--stdin", text=b"in the alternate\n", repo=top + "/alt")
    for name, data in FILES.items():
        write(os.path.join(m.repo, name), data)
    os.symlink("a.txt", os.path.join(m.repo, "link"))
    for n in range(5):
        m.commit(n)
    packs = pack_all(m)
    for n in (5, 6):
        m.commit(n)
    m.run("update-index", "--add", "--cacheinfo", "160000,%s,sub" % m.oid("HEAD").decode())
    m.run("commit", "-q", "-m", "submodule")
    make_refs(m)
    make_worktree(m)
    make_indexes(m)
    write(os.path.join(m.repo, "untracked/file"), b"u\n")
    write(os.path.join(m.repo, "a.txt"), b"changed\n")
    os.makedirs(os.path.join(m.repo, "sub"), exist_ok=True)
    write(m.path("objects/info/alternates"), b"../../../alt/.git/objects\n")
    write(m.path("info/attributes"), FILES[".gitattributes"])
    write(m.path("info/exclude"), FILES[".gitignore"])
    write(m.path("included"), b"[user]\n\tname = included\n")
    write(m.path("included-if"), b"[advice]\n\tstatusHints = false\n")
    write(m.path("skip"), b"# names\n" + b"1" * 40 + b"\n")
    write(m.path("config.worktree"), b"[core]\n\tabbrev = 8\n")
    write(m.path("config"), read(m.path("config")) + CONFIG)
    return packs


def loose_path(repo, name):
    return "%s/.git/objects/%s/%s" % (repo, name[:2], name[2:])


def write_object(repo, kind, data):
    """A loose object; its name in hex."""
    raw = kind + b" %d\0" % len(data) + data
    name = hashlib.sha1(raw).hexdigest()
    write(loose_path(repo, name), zlib.compress(raw, 1))
    return name
