# SPDX-License-Identifier: GPL-2.0-only
"""
Changes of bytes, texts and files for t/fuzz/commands. Every choice is made by the random.Random
that is handed in, so that a seed repeats it.
"""
import hashlib
import os
import shutil
import socket
import stat

NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffffff, 0x1000000,
           0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff]
WIDE = [0, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 64) - 8, (1 << 64) - 1]
TOKENS = [
    b"ref: ", b"refs/heads/main", b"refs/heads/loop", b"ref: refs/heads/loop\n", b"../", b"/", b"//",
    b"./", b".git/", b"\0", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b"^", b"^{}", b"@{-1}", b"~", b":",
    b"0" * 40, b"f" * 40, b"0" * 64, b"gitdir: ", b"[include]\n\tpath = config\n",
    b"[includeIf \"gitdir:**\"]\n\tpath = ../.git/config\n", b"[core]\n", b"[core", b"\"", b"\\",
    b"\\\n", b"[", b"]", b"[]", b"[z-a]", b"[[:alpha:]", b"[[:none:]]", b"= ", b"**/", b"/**", b"!", b"#",
    b"*", b"?", b"binary", b"-text", b"[attr]a a=b\n", b"a/" * 100, b"a" * 300, b"a" * 5000,
    b"*" * 200 + b"x", b"\xff\xfe", b"\xef\xbb\xbf", b"\x7f", b"\x1b[31m", b"%(", b"%", b"<", b">",
    b"parent ", b"tree ", b"encoding UTF-16\n", b"author a <a> 99999999999999999999 +9999\n",
    b"100644 .git\0", b"40000 ..\0", b"peeled", b"# pack-refs with: ",
]
NUMERALS = [b"0", b"-1", b"1", b"007", b"99", b"2147483647", b"2147483648", b"-2147483648",
            b"4294967296", b"9223372036854775807", b"9223372036854775808", b"99999999999999999999",
            b"1k", b"4g", b"-1g", b"9999999999g", b"0x10", b"1e9", b""]


def place(rng, data):
    """A position, often near one of the ends, where headers and trailers are."""
    if not data:
        return 0
    kind = rng.randrange(4)
    if kind == 0:
        return rng.randrange(min(len(data), 64))
    if kind == 1:
        return len(data) - 1 - rng.randrange(min(len(data), 64))
    return rng.randrange(len(data))


def block(rng, data):
    at = place(rng, data)
    return at, min(len(data), at + rng.choice([1, 2, 4, 8, 20, 62, 64, 72, 200, 1000]))


def change_bytes(rng, data):
    """One change that knows nothing of the content."""
    at, end = block(rng, data)
    kind = rng.randrange(10)
    if kind == 0 and data:
        return data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
    if kind == 1:
        return data[:at] + bytes([rng.choice([0, 0xff, rng.randrange(256)])]) + data[at + 1:]
    if kind == 2:
        return data[:at]
    if kind == 3:
        return data[:at] + bytes(rng.randrange(256) for _ in range(rng.choice([1, 4, 20, 100]))) + data[at:]
    if kind == 4:
        return data[:at] + data[at:end] * rng.choice([2, 3, 100]) + data[end:]
    if kind == 5:
        return data[:at] + data[end:]
    if kind == 6:
        at &= ~3
        return data[:at] + rng.choice(NUMBERS).to_bytes(4, "big") + data[at + 4:]
    if kind == 7:
        at &= ~3
        return data[:at] + rng.choice(WIDE).to_bytes(8, "big") + data[at + 8:]
    if kind == 8:
        to = place(rng, data)
        rest = data[:at] + data[end:]
        return rest[:to] + data[at:end] + rest[to:]
    return data[:at] + rng.choice(NUMBERS).to_bytes(4, "big") + data[at + 4:]


def change_numeral(rng, data):
    """Another number in place of one of those that are written in digits."""
    starts = [i for i in range(len(data)) if data[i:i + 1].isdigit()
              and not (i and data[i - 1:i].isalnum())]
    if not starts:
        return data
    at = end = rng.choice(starts)
    while data[end:end + 1].isdigit():
        end += 1
    return data[:at] + rng.choice(NUMERALS) + data[end:]


def at_most(times, line):
    """A line is repeated more than once in a while: not beyond a megabyte."""
    return min(times, (1 << 20) // (len(line) + 1))


def change_text(rng, data):
    """One change of lines or words."""
    lines = data.splitlines(keepends=True)
    kind = rng.randrange(9)
    if kind == 8 or not lines:
        return change_numeral(rng, data)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind == 0:
        lines[i:i] = [lines[j]] * at_most(rng.choice([1, 1, 2, 50, 3000]), lines[j])
    elif kind == 1:
        del lines[i]
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 3:
        lines[i] = lines[i].rstrip(b"\n") + lines[j]
    elif kind == 4:
        lines[i] = lines[i].rstrip(b"\n") + lines[i] * at_most(rng.choice([2, 2000]), lines[i])
    elif kind < 7:
        at = rng.randrange(len(lines[i]) + 1)
        lines[i] = lines[i][:at] + rng.choice(TOKENS) + lines[i][at:]
    else:
        at = rng.randrange(len(lines[i]) + 1)
        lines[i] = lines[i][:at] + rng.choice([b"", b"\n"])
    return b"".join(lines)


def change(rng, data, text):
    """Several changes; `text`: mostly of lines and words."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        if rng.randrange(10) < (8 if text else 1):
            data = change_text(rng, data)
        else:
            data = change_bytes(rng, data)
    return data[:8 << 20]


def with_hash(data):
    """`data` with the 20 bytes at its end made its SHA-1 again."""
    body = data[:-20] if len(data) >= 20 else data
    return body + hashlib.sha1(body).digest()


def write(path, data):
    """Files of Git are often read-only, and may be links: always a new one."""
    if os.path.lexists(path):
        remove(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def remove(path):
    if stat.S_ISDIR(os.lstat(path).st_mode):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def replace_by_other(rng, path, links):
    """Something that is no such file: a directory, a pipe, a link … `links`: where it may lead."""
    kind = rng.randrange(8)
    old = read(path) if os.path.isfile(path) and not os.path.islink(path) else b""
    remove(path)
    if kind == 0:
        os.mkdir(path)
    elif kind == 1:
        os.mkdir(path)
        write(os.path.join(path, "file"), old)
    elif kind == 2:
        os.mkfifo(path)
    elif kind == 3:
        here = os.getcwd()
        os.chdir(os.path.dirname(path)) # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(os.path.basename(path)[:90])
        os.chdir(here)
    elif kind == 4:
        write(path, b"")
    elif kind == 5:
        with open(path, "wb") as f:
            f.write(old)
            f.truncate(64 << 20)
    elif kind == 6:
        os.symlink(rng.choice(links + [os.path.basename(path)]), path)
    # 7: nothing is there
