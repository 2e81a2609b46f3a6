# SPDX-License-Identifier: GPL-2.0-only
"""Index files that stock Git writes and we do not, from whole ones of version 2: gitformat-index(5).

  craft-index.py split BASE NEW GITDIR OUT [FAULT]   OUT is NEW, as changes to GITDIR/sharedindex.HASH, made of BASE
  craft-index.py sparse INDEX OUT DIR/ TREE [FAULT]  OUT has one entry for all below DIR/
"""
import hashlib, os, struct, sys

ALGO = os.environ.get("TEST_HASH", "sha1")
RAW = 20 if ALGO == "sha1" else 32


def with_hash(data):
    return data + hashlib.new(ALGO, data).digest()


def entries(path):
    """(name and stage, fixed part, flags) of each entry."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[4:8] == b"\0\0\0\2"
    at, out = 12, []
    for _ in range(struct.unpack(">I", data[8:12])[0]):
        fixed, flags = data[at:at + 40 + RAW], struct.unpack(">H", data[at + 40 + RAW:at + 42 + RAW])[0]
        end = data.index(b"\0", at + 42 + RAW)
        name = data[at + 42 + RAW:end]
        out.append(((name, flags >> 12 & 3), fixed, flags & 0xf000))
        at += (end - at + 8) // 8 * 8
    return out


def entry(key, fixed, flags, more=b""):
    body = fixed + struct.pack(">H", flags | min(len(key[0]), 0xfff)) + more + key[0]
    return body + b"\0" * (8 - len(body) % 8)


def index(version, items, extensions):
    data = b"DIRC" + struct.pack(">II", version, len(items)) + b"".join(items)
    return with_hash(data + b"".join(n + struct.pack(">I", len(d)) + d for n, d in extensions))


def ewah(bits, size):
    words = [sum(1 << b - w * 64 for b in bits if b // 64 == w) for w in range((size + 63) // 64)]
    return struct.pack(">II", size, len(words) + 1) + struct.pack(">Q", len(words) << 33) + \
        b"".join(struct.pack(">Q", w) for w in words) + struct.pack(">I", 0)


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def split(base_path, new_path, gitdir, out, fault=""):
    base, new = entries(base_path), entries(new_path)
    at, keep = {e[0]: i for i, e in enumerate(base)}, {e[0] for e in new}
    deleted = [i for i, e in enumerate(base) if e[0] not in keep]
    changed = [e for e in new if e[0] in at and base[at[e[0]]] != e]
    replaced = [at[e[0]] for e in changed]
    added = [e for e in new if e[0] not in at]
    size = len(base)
    if fault == "beyond":
        deleted, size = deleted + [size + 5], size + 64
    if fault == "too-many-replaced":
        replaced = list(range(len(base)))
    if fault == "unsorted":
        added.reverse()
    shared = index(2, [entry(*e) for e in base], [(b"link", bytes(RAW) + ewah([], 1) * 2)] if fault == "split-base" else [])
    link = shared[-RAW:] + ewah(deleted, size) + ewah(replaced, size)
    if fault == "cut":
        link = link[:RAW + 9]
    if fault == "short":
        link = link[:7]
    if fault == "garbage":
        link += b"x"
    if fault == "huge":
        link = shared[-RAW:] + struct.pack(">IIQI", 1 << 31, 1, (1 << 32) - 2 | 1, 0) * 2
    if fault == "no-base":
        link, changed, added, fault = bytes(RAW) + ewah([], 0) * 2, [], new, "whole"
    else:
        write(os.path.join(gitdir, "sharedindex." + shared[-RAW:].hex()), shared)
    nameless = [((b"other" if fault == "other-name" else b"", e[0][1]), e[1], e[2]) for e in changed]
    write(out, index(2, [entry(*e) for e in nameless + added], [(b"link", link)]))


def sparse(path, out, directory, tree, fault=""):
    name, items, done = directory.encode(), [], False
    for e in entries(path):
        if not e[0][0].startswith(name):
            items.append(entry(*e))
        elif not done:
            fixed = bytes(24) + struct.pack(">I", 0o040000) + bytes(12) + bytes.fromhex(tree)
            flags = 0 if fault == "checked-out" else 0x4000
            shown = name.rstrip(b"/") if fault == "no-slash" else name
            items.append(entry((shown, 0), fixed, 0x4000, struct.pack(">H", flags)))
            done = True
        if fault == "both" and e[0][0].startswith(name):
            items.append(entry(*e))
    write(out, index(3, items, [] if fault == "no-extension" else [(b"sdir", b"")]))


{"split": split, "sparse": sparse}[sys.argv[1]](*sys.argv[2:])
