#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Usage: t/interop/workloads.py WORKLOAD OURS STOCK DIR

Each program does the workload of the power-failure laboratory (t/crash/workloads.py) in
a directory of its own below DIR. Then both read both: refs, HEAD, config, index and
reflogs have to be the same for either reader, and the objects sound. What the two
wrote has to be the same, too.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "crash"))
import verify      # noqa: E402
import workloads   # noqa: E402


def do(work, program, root):
    git = workloads.Git(program, "default", os.path.join(root, "home"), root)
    work.prepare(git)
    for op in work.ops(git, lambda repo: verify.read_state(git, repo)):
        op.run()
    return git


def look(git, program, work):
    """What `program` finds in the repositories that `git` wrote."""
    reader = workloads.Git(program, "default", git.home, git.root)
    found = {}
    for repo in work.repos:
        found[repo] = verify.read_state(reader, repo)
        verify.check_objects(reader, repo, found[repo])
    return found


def tell(title, one, other):
    """The first difference of two states, or nothing."""
    for repo in one:
        for key in sorted(set(one[repo]) | set(other[repo])):
            a, b = one[repo].get(key), other[repo].get(key)
            if a != b:
                sys.exit("%s: %s %s: %r and %r" % (title, repo, key, a, b))


def without_tabs(found):
    """Stock git ends an entry without a message in a tab when it writes it anew."""
    return {repo: {k: [line.replace("\t\n", "\n") for line in v] if k.startswith("log:") else v
                   for k, v in state.items()} for repo, state in found.items()}


def without_logs(found):
    return {repo: {k: v for k, v in state.items() if not k.startswith("log:")}
            for repo, state in found.items()}


def main(name, ours, stock, top):
    work = workloads.all_workloads("")[name]
    written = []
    for program in ours, stock:
        root = os.path.join(top, "by-stock" if program == stock else "by-us")
        os.makedirs(root)
        git = do(work, program, root)
        seen = [look(git, reader, work) for reader in (ours, stock)]
        tell("read by us and by stock", *seen)
        if any(key.startswith("ref:") for state in seen[0].values() for key in state):
            written.append(seen[0])
        for repo in work.repos:
            reader = workloads.Git(ours, "default", git.home, git.root)
            reader.must(repo, "refs", "verify", "--strict")
    if len(written) != 2:
        sys.exit("nothing was written")
    written = [without_tabs(found) for found in written]
    # One line less in HEAD's log for the branch that gets another name.
    if name == "branch-rename":
        written = [without_logs(found) for found in written]
    tell("written by us and by stock", *written)


main(*sys.argv[1:5])
