# SPDX-License-Identifier: GPL-2.0-only
"""Random comparison in rounds, by seed: what the programs beside it share."""
import os
import random
import shutil
import subprocess
import sys
import tempfile


def compare(usage, one_round, tell, most):
    """
    Called by: PROGRAM GIT OTHER-GIT [ROUNDS [SEED]]. one_round(rng, top) makes files in top and returns the arguments;
    tell(top, out) prints how the results of both differ, for so many rounds. Returns the exit code.
    """
    if len(sys.argv) < 3:
        sys.exit(usage)
    gits = [os.path.abspath(g) for g in sys.argv[1:3]]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 500
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    bad = 0
    with tempfile.TemporaryDirectory() as top:
        env = dict(os.environ, GIT_CONFIG_NOSYSTEM="1", HOME=top, GIT_CEILING_DIRECTORIES=top)
        for n in range(rounds):
            rng = random.Random(seed * 1000003 + n)
            args = one_round(rng, top)
            out = [subprocess.run([g] + args, cwd=top, env=env, capture_output=True) for g in gits]
            if (out[0].stdout, out[0].returncode) == (out[1].stdout, out[1].returncode):
                continue
            bad += 1
            if bad <= most:
                print("round %d: %s" % (n, " ".join(args)))
                tell(top, out)
    print("%d of %d rounds differ" % (bad, rounds))
    return bad != 0


def by_seed(one, keep=False):
    """
    Called by: PROGRAM [SEED [ROUNDS]]. one(seed, top) compares in the directory top, and is true if all is equal.
    Returns the exit code.
    """
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    name = os.path.basename(sys.argv[0])
    bad = 0
    for seed in range(first, first + rounds):
        top = tempfile.mkdtemp(prefix=name)
        try:
            bad += not one(seed, top)
        finally:
            if keep:
                print(top)
            else:
                shutil.rmtree(top)
    print("%s: seeds %d to %d: %d differ" % (name, first, first + rounds - 1, bad))
    return bad > 0
