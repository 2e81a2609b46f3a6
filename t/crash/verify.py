# SPDX-License-Identifier: GPL-2.0-only
"""The content of a repository, and what is allowed after a power cut."""
import hashlib
import glob
import os
import re

VERDICTS = ("ok", "not-mountable", "fs-damaged", "broken", "lost", "torn", "next-fails",
            "left-over", "unmarked-lock")


class Unreadable(Exception):
    """The repository does not open, or a part of it cannot be read."""


def read_logs(top):
    state = {}
    for where, _, names in os.walk(top):
        for name in names:
            path = os.path.join(where, name)
            if not name.endswith(".lock"):
                with open(path, errors="replace") as f:
                    state["log:" + os.path.relpath(path, top)] = f.read().splitlines(True)
    return state


UNFINISHED = "ref: refs/heads/.invalid\n" # HEAD of a worktree that was being made


def loose_refs(top):
    """Name and text of HEAD, of the HEADs of worktrees, and of every loose ref."""
    heads = [os.path.relpath(path, top) for path in glob.glob(os.path.join(top, "worktrees", "*", "HEAD"))]
    names = ["HEAD"] + heads + [
        os.path.relpath(os.path.join(where, name), top)
        for where, _, found in os.walk(os.path.join(top, "refs")) for name in found
        if not name.endswith(".lock")]
    for name in names:
        with open(os.path.join(top, name), errors="replace") as f:
            text = f.read()
        if text != UNFINISHED:
            yield name, text


def check_raw(top):
    """Check that any git can read the files of refs, and that no symbolic ref points to nothing."""
    refs = dict(loose_refs(top))
    packed = os.path.join(top, "packed-refs")
    known = set(refs)
    if os.path.exists(packed):
        with open(packed) as f:
            known |= {line.split()[1] for line in f if line[0] not in "#^"}
    for name, text in refs.items():
        if text.startswith("ref: "):
            if text[5:-1] not in known:
                raise Unreadable("'%s' leads to '%s', which is not there" % (name, text[5:-1]))
        elif not re.fullmatch("[0-9a-f]{40}([0-9a-f]{24})?\n", text):
            raise Unreadable("'%s' holds %r" % (name, text))


STATE_FILES = ("MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "CHERRY_PICK_HEAD", "ORIG_HEAD")
MARKER = "state:WORKTREE_UPDATE"


def read_tree(root):
    """Files of the working tree, state files of operations in progress, and whether a command was interrupted
    while it changed files."""
    state = {}
    for where, dirs, names in os.walk(root):
        dirs[:] = [d for d in dirs if d != ".git"]
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as f:
                state["file:" + os.path.relpath(path, root)] = hashlib.sha1(f.read()).hexdigest()
    for name in STATE_FILES + ("WORKTREE_UPDATE",):
        try:
            with open(os.path.join(root, ".git", name), errors="replace") as f:
                state["state:" + name] = f.read()
        except FileNotFoundError:
            pass
    return state


def ask(git, repo, *args):
    """The output of a command that tells of refs and must not find anything wrong with them."""
    code, out = git.run(repo, *args)
    if code or re.search("^(error|warning): ", out, re.M):
        raise Unreadable("%s: %s" % (args[0], out.strip()))
    return out


def read_tables(git, repo, top):
    """Symbolic refs, HEADs and reflogs of refs that are in tables: commands tell them."""
    state = {}
    trees = os.path.join(top, "worktrees")
    for name in ["HEAD"] + ["worktrees/%s/HEAD" % n for n in (os.listdir(trees) if os.path.isdir(trees) else ())]:
        code, out = git.run(repo, "symbolic-ref", "-q", name)
        value = "ref: " + out if not code else ask(git, repo, "rev-parse", "--verify", name)
        state[name if name == "HEAD" else "symref:" + name] = value
    for line in ask(git, repo, "for-each-ref", "--format=%(refname) %(symref)").splitlines():
        name, target = line.split(" ")
        if target:
            state["symref:" + name] = "ref: %s\n" % target
    for name in ask(git, repo, "reflog", "list").splitlines():
        state["log:" + name] = []
    if any(key.startswith("log:") for key in state):
        for line in ask(git, repo, "log", "-g", "--all", "--format=%gD %H %gs").splitlines():
            name, rest = line.split("@{", 1)
            state.setdefault("log:" + name, []).insert(0, "- %s\n" % rest.split("} ", 1)[1])
    return state


def check_symrefs(state):
    """No symbolic ref leads to a ref that is not there."""
    for key, value in state.items():
        if (key == "HEAD" or key.startswith("symref:")) and value.startswith("ref: ") and "ref:" + value[5:-1] not in state:
            raise Unreadable("'%s' leads to '%s', which is not there" % (key, value[5:-1]))


def read_state(git, repo, with_files=False, in_tables=False):
    """The state that commands acknowledge; None if there is no repository. in_tables: refs may be in tables."""
    top = git.path(repo, ".git")
    if not os.path.exists(os.path.join(top, "HEAD")):
        return None
    code, out = git.run(repo, "rev-parse", "--git-dir")
    if code:
        raise Unreadable("does not open: " + out.strip())
    state = read_tables(git, repo, top) if in_tables else read_logs(os.path.join(top, "logs"))
    for name, text in () if in_tables else loose_refs(top):
        if name.endswith("HEAD") or text.startswith("ref:"):
            state[name if name == "HEAD" else "symref:" + name] = text
    code, out = git.run(repo, "show-ref")
    if code > 1 or "error" in out or "warning" in out:
        raise Unreadable("show-ref: " + out.strip())
    for line in out.splitlines():
        oid, name = line.split(" ", 1)
        state["ref:" + name] = oid
    for key, args in (("config", ["config", "--list", "--local"]), ("index", ["ls-files", "-s"])):
        code, out = git.run(repo, *args)
        if code:
            raise Unreadable("%s: %s" % (args[0], out.strip()))
        state[key] = out
    state.update(read_midx(os.path.join(top, "objects", "pack")))
    state.update(read_kept(os.path.join(top, "objects", "pack")))
    if with_files:
        state.update(read_tree(git.path(repo)))
    return state


def read_kept(packs):
    """Packs that can be seen and have a .keep file, with its content."""
    state = {}
    for name in os.listdir(packs) if os.path.isdir(packs) else ():
        if name.endswith(".keep") and os.path.exists(os.path.join(packs, name[:-5] + ".idx")):
            with open(os.path.join(packs, name), errors="replace") as f:
                state["kept:" + name[:-5]] = f.read()
    return state


def read_midx(packs):
    """Which multi-pack-index is there: the checksum at the end of the file, the layers of a chain.
    What is in them is looked at by fsck."""
    state = {}
    for key, name in (("midx", "multi-pack-index"), ("midx chain", "multi-pack-index.d/multi-pack-index-chain")):
        try:
            with open(os.path.join(packs, name), "rb") as f:
                data = f.read()
        except FileNotFoundError:
            continue
        state[key] = data[-20:].hex() if key == "midx" else data.decode(errors="replace")
    return state


def check_reachable(git, repo):
    """The same where unflushed objects of another Git, on which nothing rests, may be damaged."""
    # lines about damage may come between
    oids = set(re.findall("^[0-9a-f]{40,64}$", git.must(repo, "log", "--all", "--format=%H"), re.M))
    for commit in sorted(oids):
        oids |= set(re.findall("^[0-7]{6} [a-z]+ ([0-9a-f]{40,64})\t",
                               git.must(repo, "ls-tree", "-r", "-t", commit), re.M))
    code, out = git.run(repo, "cat-file", "--batch", data="".join(o + "\n" for o in sorted(oids)))
    bad = re.findall("^(?:error|fatal): .*|^[0-9a-f]{40,64} missing$", out, re.M)
    if code or bad:
        raise Unreadable("reachable: " + " | ".join(bad[:4]))


def check_objects(git, repo, state, with_foreign=False):
    """P2: everything that is reachable exists and is undamaged."""
    if with_foreign:
        check_reachable(git, repo)
    else:
        code, out = git.run(repo, "fsck", "--full", "--strict", "--no-dangling")
        if code:
            raise Unreadable("fsck: " + " | ".join(out.strip().splitlines()[:4]))
    oids = {line.split()[1] for line in state["index"].splitlines()}
    oids |= {value for key, value in state.items() if key.startswith("ref:")}
    for key, lines in state.items():
        if key.startswith("log:"):
            oids |= {line.split()[1] for line in lines if len(line.split()) > 1}
    oids = {oid for oid in oids if set(oid) != {"0"}}
    out = git.must(repo, "cat-file", "--batch-check", data="".join(o + "\n" for o in sorted(oids)))
    missing = [line for line in out.splitlines() if line.endswith(" missing")]
    if missing:
        raise Unreadable("names what is not there: " + ", ".join(missing[:3]))


def read_files(top):
    """The same for a directory of plain files (the proofs)."""
    state = {}
    for name in sorted(os.listdir(top)):
        if not name.endswith(".tmp"):
            with open(os.path.join(top, name), errors="replace") as f:
                state["file:" + name] = f.read()
    return state


def is_incomplete(line):
    """Without its end, or without its beginning, which was on another page."""
    return not line.endswith("\n") or "\0" in line


def is_between(have, old, new):
    """A log to which the operation appends lines: some of them may be there, and an incomplete
    one at the end, which the next append removes."""
    if not isinstance(new, list) or not isinstance(have, list) or old == new:
        return False
    old = old or []
    have = have[:-1] if have and is_incomplete(have[-1]) else have
    return new[:len(old)] == old and have[:len(old)] == old and have == new[:len(have)]


LOG_LINE = re.compile(r"[0-9a-f]{40,64} [0-9a-f]{40,64} .*> \d+ [+-]\d{4}(\t.*)?\n")


def torn_lines(top):
    """Malformed lines of logs, except for an incomplete one at the end."""
    return [key for key, lines in read_logs(top).items() for i, line in enumerate(lines)
            if not LOG_LINE.fullmatch(line) and
            not (i == len(lines) - 1 and is_incomplete(line))]


def is_step(have, old, new):
    """Is HEAD detached at a commit that the operation appends to its log?"""
    added = new.get("log:HEAD", [])[len(old.get("log:HEAD", [])):]
    return have["HEAD"].strip() in [line.split()[1] for line in added]


def show(value):
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 90 else text[:40] + "..." + text[-40:]


def is_ref(key):
    return key.startswith(("ref:", "symref:", "HEAD"))


def refs_of(state):
    return {key: value for key, value in state.items() if is_ref(key)}


def judge(have, old, new, op):
    """(verdict, detail). old: the acknowledged state; new: the state that the operation `op`
    under way would have made of it (None: there was none)."""
    if old is None and new is None:
        return ("ok", "") if have is None else ("broken", "a repository before its init")
    if old is None: # init was going on: any part of it may be there; a clone with a branch has all of its refs
        if have is None or not (op and op["atomic"]) or refs_of(have) == refs_of(new) or not any(
                key.startswith("ref:refs/heads/") for key in have):
            return "ok", ""
        return "torn", "%d of %d refs of a clone" % (len(refs_of(have)), len(refs_of(new)))
    if have is None:
        return "lost", "the repository"
    after = old if new is None else new
    if op and (MARKER in have or op.get("loose")): # the next command has to bring these together again
        have = {key: value for key, value in have.items() if not key.startswith("file:") and key != MARKER}
        old, after = ({key: value for key, value in s.items() if not key.startswith("file:")} for s in (old, after))
    for key in sorted(set(have) | set(old) | set(after)):
        value, a, b = have.get(key), old.get(key), after.get(key)
        if key == "HEAD" and op and op.get("steps") and is_step(have, old, after):
            continue
        if value not in (a, b) and not is_between(value, a, b):
            return "lost", "%s: %s, acknowledged: %s, going on: %s" % (
                key, show(value), show(a), show(b) if new is not None else "nothing")
    if op and op["atomic"]:
        if refs_of(have) in (refs_of(old), refs_of(after)):
            return "ok", ""
        moved = sum(have.get(key) == after.get(key) for key in set(old) | set(after)
                    if is_ref(key) and old.get(key) != after.get(key))
        return "torn", "%d refs have their new values, others the old ones" % moved
    return "ok", ""


def left_overs(top):
    found = []
    for where, dirs, names in os.walk(top):
        found += [os.path.relpath(os.path.join(where, name), top) for name in dirs + names
                  if name.endswith(".lock") or name.startswith(("tmp_", "incoming-", ".git-owner-"))
                  or name == "packed-refs.new" or name.startswith("ref_migration") or os.path.basename(where) == "ref-journal"]
    return found


def stray_tables(top):
    """Files of tables that no list names, after all tables have become one."""
    found = []
    for where, _, names in os.walk(top):
        if os.path.basename(where) == "reftable" and "tables.list" in names:
            with open(os.path.join(where, "tables.list")) as f:
                listed = f.read().split()
            found += [os.path.relpath(os.path.join(where, n), top) for n in names if n not in listed + ["tables.list"]]
    return found
