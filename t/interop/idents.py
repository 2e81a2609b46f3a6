#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random names and addresses, in every way that Git takes them: what two implementations write, byte for byte.

usage: idents.py GIT OTHER-GIT [ROUNDS [SEED]]

Prints what differs; exit code 1 if anything does.
"""
import os
import random
import subprocess
import sys
import tempfile

PIECES = [b".", b".", b",", b":", b";", b"<", b">", b'"', b"\\", b"'", b" ", b"  ", b"\t", b"\n", b"\r", b"\x01", b"\x1f", b"\x7f",
          b"\x80", b"\xa0", b"\xff", "\u00a0".encode(), "ä".encode(), b"@", b"-", b"(", b"#", b"&", b"%", b"$", b"`", b"/", b"=", b"[",
          b"A", b"Jr", b"Ann", b"NET", b"x@y", b"0", b"+0100"]

# Of the variables N and M; $G is the program, the current directory a repository of its own.
WAYS = {
    "env": 'GIT_AUTHOR_NAME=$N GIT_AUTHOR_EMAIL=$M $G var GIT_AUTHOR_IDENT',
    "env committer": 'GIT_COMMITTER_NAME=$N GIT_COMMITTER_EMAIL=$M $G var GIT_COMMITTER_IDENT',
    "-c": 'unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL; $G -c user.name="$N" -c user.email="$M" var GIT_AUTHOR_IDENT',
    "author.name": 'unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL; $G -c author.name="$N" -c author.email="$M" var GIT_AUTHOR_IDENT',
    "config": 'unset GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL; $G config user.name "$N"; $G config user.email "$M"; '
              '$G var GIT_COMMITTER_IDENT; cat .git/config',
    "EMAIL": 'unset GIT_AUTHOR_EMAIL; EMAIL=$M GIT_AUTHOR_NAME=$N $G var GIT_AUTHOR_IDENT',
    "commit-tree": 'GIT_AUTHOR_NAME=$N GIT_AUTHOR_EMAIL=$M GIT_COMMITTER_NAME=$M GIT_COMMITTER_EMAIL=$N '
                   '$G commit-tree -m x $($G mktree </dev/null)',
    "commit": 'GIT_AUTHOR_NAME=$N GIT_AUTHOR_EMAIL=$M $G commit -q --allow-empty -m x; $G cat-file commit HEAD',
    "--author": '$G commit -q --allow-empty -m x --author="$N <$M>"; $G cat-file commit HEAD',
    "--author alone": '$G commit -q --allow-empty -m x --author="$N$M"; $G cat-file commit HEAD',
    "amend": 'GIT_AUTHOR_NAME=$N GIT_AUTHOR_EMAIL=$M $G commit -q --allow-empty -m x; '
             '$G commit -q --amend --allow-empty -m y --date=@1234567899; $G cat-file commit HEAD',
    "signoff": 'GIT_COMMITTER_NAME=$N GIT_COMMITTER_EMAIL=$M $G commit -q -s --allow-empty -m x; $G cat-file commit HEAD',
    "tag": '$G commit -q --allow-empty -m x; GIT_COMMITTER_NAME=$N GIT_COMMITTER_EMAIL=$M $G tag -a -m t t; $G cat-file tag t',
    "reflog": '$G commit -q --allow-empty -m x; GIT_COMMITTER_NAME=$N GIT_COMMITTER_EMAIL=$M $G update-ref -m m --create-reflog '
              'refs/heads/b HEAD; cat .git/logs/refs/heads/b; $G log -g --format="%gn|%ge" b --',
    "mailmap": 'printf "%s\\n" "$N <$M> <a@x>" >.mailmap; $G commit -q --allow-empty -m x; '
               '$G log -1 --format="%aN|%aE|%aL|%an"; $G shortlog -s HEAD',
    "show": 'GIT_AUTHOR_NAME=$N GIT_AUTHOR_EMAIL=$M $G commit -q --allow-empty -m x; '
            '$G log -1 --format="%an|%ae|%al|%aN|%aE"; $G log -1 --format=fuller; '
            '$G for-each-ref --format="%(author)|%(authorname)|%(authoremail)|%(authoremail:trim)"; $G shortlog -se HEAD',
}


def text(rng):
    return b"".join(rng.choice(PIECES) for _ in range(rng.randrange(0, 7)))


def run(git, way, name, mail):
    with tempfile.TemporaryDirectory() as top:
        env = {b"PATH": os.environb[b"PATH"], b"HOME": top.encode(), b"GIT_CONFIG_NOSYSTEM": b"1", b"G": git.encode(),
               b"N": name, b"M": mail, b"GIT_AUTHOR_NAME": b"A", b"GIT_AUTHOR_EMAIL": b"a@x", b"GIT_COMMITTER_NAME": b"C",
               b"GIT_COMMITTER_EMAIL": b"c@x", b"GIT_AUTHOR_DATE": b"1234567890 +0100", b"GIT_COMMITTER_DATE": b"1234567890 +0100",
               b"LC_ALL": b"C", b"GIT_CEILING_DIRECTORIES": os.path.dirname(top).encode()}
        script = "$G init -q -b main .; " + WAYS[way]
        return subprocess.run(["sh", "-c", script], env=env, cwd=top, capture_output=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    only = sys.argv[5:] or list(WAYS)
    bad = {}
    for n in range(rounds):
        rng = random.Random(seed * 1000003 + n)
        way, name, mail = rng.choice(only), text(rng), text(rng)
        out = [run(g, way, name, mail) for g in gits]
        if (out[0].stdout, out[0].returncode) == (out[1].stdout, out[1].returncode):
            continue
        bad[way] = bad.get(way, 0) + 1
        if bad[way] <= 3:
            print("round %d: %s %r %r" % (n, way, name, mail))
            for o in out:
                print("  %d %r %r" % (o.returncode, o.stdout, o.stderr))
    print("%d of %d rounds differ: %s" % (sum(bad.values()), rounds, bad))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
