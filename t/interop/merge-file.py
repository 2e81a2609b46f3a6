#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random texts and two changed versions of each: merge-file of two implementations, byte for byte.

usage: merge-file.py GIT OTHER-GIT [ROUNDS [SEED]]

Prints what differs; exit code 1 if anything does.
"""
import os
import sys

sys.dont_write_bytecode = True
import rounds   # noqa: E402

OPTIONS = [[], [], ["--diff3"], ["--zdiff3"], ["--ours"], ["--theirs"], ["--union"], ["--marker-size=9"],
           ["--diff-algorithm=histogram"], ["--diff-algorithm=patience"], ["--diff-algorithm=minimal"],
           ["-L", "one"], ["-L", "one", "-L", "two", "-L", "three"]]


def some_line(rng, kinds):
    return rng.choice(["", "}", "\t", "line", "other words", "- -"]) + \
        (str(rng.randrange(kinds)) if rng.random() < .7 else "")


def changed(rng, lines, pool, rate):
    out = []
    for line in lines:
        r = rng.random()
        if r < rate / 3:
            continue
        if r < rate * 2 / 3:
            out.append(rng.choice(pool))
        else:
            out.append(line)
        if rng.random() < rate / 3:
            out += [rng.choice(pool) for _ in range(rng.randrange(1, 4))]
    return out


def write(rng, path, lines, crlf):
    text = "".join(line + ("\r\n" if crlf else "\n") for line in lines)
    if rng.random() < .15:
        text = text[:-1]
    with open(path, "w", newline="") as f:
        f.write(text)


def one_round(rng, top):
    kinds = rng.choice([2, 5, 40])
    base = [some_line(rng, kinds) for _ in range(rng.randrange(0, 30))]
    rate = rng.choice([.1, .3, .6])
    # both choose from few new lines, so that some of their changes are the same
    pool = [some_line(rng, kinds) for _ in range(rng.choice([2, 6, 20]))]
    crlf = rng.random() < .15
    for name, lines in (("ours", changed(rng, base, pool, rate)), ("base", base),
                        ("theirs", changed(rng, base, pool, rate))):
        write(rng, os.path.join(top, name), lines, crlf != (rng.random() < .03))
    return ["merge-file", "-p"] + rng.choice(OPTIONS) + rng.choice(OPTIONS[:4]) + ["ours", "base", "theirs"]


def tell(top, out):
    for name in ("ours", "base", "theirs"):
        print(" ", name, open(os.path.join(top, name), "rb").read().split(b"\n"))
    for o in out:
        print("  %d %r" % (o.returncode, o.stdout.split(b"\n")))


if __name__ == "__main__":
    sys.exit(rounds.compare(__doc__, one_round, tell, 3))
