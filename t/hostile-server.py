#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A git-upload-pack that sends any given answer. For --upload-pack.

HOSTILE_REFS   a file: each line is the text of a ref ("OID NAME", in version 2 with attributes), \\xNN for any byte
HOSTILE_PACK   a file: the pack that every fetch gets
HOSTILE_MODE   "": as above; "endless": refs without an end; "cut N": all ends after N bytes; "caps": capabilities
               without an end
"""
import codecs
import os
import sys

MODE = os.environ.get("HOSTILE_MODE", "").split()
left = int(MODE[1]) if MODE[:1] == ["cut"] else None
out = sys.stdout.buffer


def put(data):
    global left
    if left is not None:
        data = data[:left]
        left -= len(data)
    try:
        out.write(data)
        out.flush()
    except BrokenPipeError:
        os._exit(0)
    if left == 0:
        os._exit(0)


def line(data):
    put(b"%04x" % (len(data) + 4) + data)


def read_packet():
    head = os.read(0, 4)
    while 0 < len(head) < 4:
        head += os.read(0, 4 - len(head))
    if not head:
        os._exit(0)
    size = int(head, 16)
    data = b""
    while len(data) < size - 4:
        data += os.read(0, size - 4 - len(data))
    return data.rstrip(b"\n") if size >= 4 else None


def refs():
    with open(os.environ["HOSTILE_REFS"], encoding="ascii") as f:
        for text in f:
            yield codecs.decode(text.rstrip("\n"), "unicode_escape").encode("latin-1")


def endless(what):
    n = 0
    while True:
        put(b"".join(b"%04x" % (len(t) + 4) + t for t in (what % i for i in range(n, n + 1000))))
        n += 1000


def pack():
    with open(os.environ["HOSTILE_PACK"], "rb") as f:
        data = f.read()
    for at in range(0, len(data), 60000):
        line(b"\x01" + data[at:at + 60000])
    put(b"0000")


def version_2():
    line(b"version 2\n")
    if MODE[:1] == ["caps"]:
        endless(b"capability-%d\n")
    for text in (b"ls-refs=unborn\n", b"fetch=shallow\n", b"object-format=" + os.environ.get("HOSTILE_HASH", "sha1").encode() + b"\n"):
        line(text)
    put(b"0000")
    while True:
        words = []
        while (word := read_packet()) is not None or not words:
            if word is None:
                os._exit(0)
            words.append(word)
            if word.startswith(b"object-format") and read_packet() is not None:
                pass
        if words[0] == b"command=ls-refs":
            if MODE[:1] == ["endless"]:
                endless(b"1" * 40 + b" refs/heads/b%d\n")
            for ref in refs():
                line(ref + b"\n")
            put(b"0000")
        elif b"done" in words:
            line(b"packfile\n")
            pack()
        else:
            line(b"acknowledgments\n")
            line(b"NAK\n")
            put(b"0000")


def version_0():
    words = b"\0side-band-64k ofs-delta object-format=" + os.environ.get("HOSTILE_HASH", "sha1").encode()
    if MODE[:1] == ["endless"]:
        line(b"1" * 40 + b" refs/heads/a" + words)
        endless(b"1" * 40 + b" refs/heads/b%d\n")
    for ref in refs():
        line(ref + words + b"\n")
        words = b""
    put(b"0000")
    if read_packet() is None:
        return
    while read_packet() is not None:
        pass
    while read_packet() != b"done":
        pass
    line(b"NAK\n")
    pack()


version_2() if "version=2" in os.environ.get("GIT_PROTOCOL", "") else version_0()
