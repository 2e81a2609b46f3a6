# SPDX-License-Identifier: GPL-2.0-only
"""
What scripts of answers (lib-answers.sh) share that combine options and texts at random, always in the same way:

    from combined import pick, below, some, git, show
"""
import subprocess
import sys

_state = 1


def seed(n):
    global _state
    _state = n


def below(n):
    """A number from 0 to n - 1. The random numbers of Python differ between its versions."""
    global _state
    _state = (_state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (_state >> 33) % n


def pick(things):
    """One of a list, or of the words of a string."""
    things = things.split() if isinstance(things, str) else things
    return things[below(len(things))]


def some(things, most):
    """Up to `most` of a list, or of the words of a string."""
    return [pick(things) for _ in range(below(most + 1))]


def say(text):
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")


def git(*words, data=b"", env=None):
    """(exit code, what it has written: output and messages)"""
    p = subprocess.run(["git", *words], input=data, capture_output=True, env=env)
    err = p.stderr.decode("latin-1").split("usage:")[0]
    return p.returncode, visible(p.stdout) + "".join("! %s\n" % visible(l.encode("latin-1")) for l in err.splitlines())


def visible(data):
    """Bytes as text in which each of them can be seen."""
    return "".join(chr(b) if 32 <= b < 127 or b == 10 else "\\%03o" % b for b in data)


def show(*words, data=b"", env=None):
    code, out = git(*words, data=data, env=env)
    say("$ git " + " ".join(words))
    say(out)
    say("= %d" % code)
    return code
