#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random texts with moved lines: diff --color-moved of two implementations, byte for byte.

usage: diff-moved.py GIT OTHER-GIT [ROUNDS [SEED]]

Prints the command lines and texts for which they differ; exit code 1 if there are any.
"""
import os
import sys

sys.dont_write_bytecode = True
import rounds   # noqa: E402

MODES = ["plain", "blocks", "zebra", "dimmed-zebra"]
SPACES = ["no", "ignore-space-at-eol", "ignore-space-change", "ignore-all-space",
          "allow-indentation-change"]


def line(rng, kinds):
    kind = rng.randrange(kinds)
    words = ["alpha", "b", "gamma2", "return", "}", "{", "", "x", "if (longer_condition)", "ab\x01c"]
    text = rng.choice(["", "\t", "  ", "    ", "\t  ", "        "]) + words[kind % len(words)]
    if rng.random() < .3:
        text += rng.choice([" ", "\t", " y", "  y", "\r"])
    return text if text.endswith("\r") or rng.random() < .5 else text + str(kind)


def moved(rng, lines):
    """Some runs of lines go elsewhere, perhaps indented."""
    lines = list(lines)
    for _ in range(rng.randrange(1, 5)):
        if not lines:
            break
        at = rng.randrange(len(lines))
        nr = rng.randrange(1, 8)
        run = lines[at:at + nr]
        if rng.random() < .8:
            del lines[at:at + nr]
        shift = rng.choice(["", "", " ", "\t", "    "])
        run = [shift + x if x else x for x in run] if rng.random() < .7 else [x.strip() for x in run]
        if rng.random() < .2:
            run = [x + rng.choice(["", " ", "\t"]) for x in run]
        to = rng.randrange(len(lines) + 1)
        lines[to:to] = run
    return lines


def write(rng, path, lines):
    text = "\n".join(lines) + ("" if rng.random() < .1 else "\n" if lines else "")
    with open(path, "w", newline="") as f:
        f.write(text)


def one_round(rng, top):
    kinds = rng.choice([3, 6, 12, 30])
    files = rng.randrange(1, 4)
    texts = [[line(rng, kinds) for _ in range(rng.randrange(40))] for _ in range(files)]
    new = [moved(rng, t) for t in texts]
    if files > 1 and rng.random() < .6 and new[0]:  # from one file to another
        at = rng.randrange(len(new[0]))
        run = new[0][at:at + 6]
        del new[0][at:at + 6]
        to = rng.randrange(len(new[1]) + 1)
        new[1][to:to] = run
    for side, all_lines in (("a", texts), ("b", new)):
        os.makedirs(os.path.join(top, side), exist_ok=True)
        for old in os.listdir(os.path.join(top, side)):
            os.unlink(os.path.join(top, side, old))
        for n, lines in enumerate(all_lines):
            write(rng, os.path.join(top, side, "f%d" % n), lines)
    args = ["diff", "--no-index", "--color=always", "--color-moved=" + rng.choice(MODES)]
    if rng.random() < .7:
        args.append("--color-moved-ws=" + rng.choice(SPACES))
    for option in ("-w", "-U0", "-R", "--line-prefix=| ", "--ws-error-highlight=all", "-B", "--patience"):
        if rng.random() < .1:
            args.append(option)
    return args + ["a", "b"]


def tell(top, out):
    for a, b in zip(out[0].stdout.split(b"\n"), out[1].stdout.split(b"\n")):
        print("  " + ("  " if a == b else "! ") + repr(a) + ("" if a == b else "\n  ! " + repr(b)))


if __name__ == "__main__":
    sys.exit(rounds.compare(__doc__, one_round, tell, 5))
