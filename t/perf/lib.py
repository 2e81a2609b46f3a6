# SPDX-License-Identifier: GPL-2.0-only
"""Shared by the benchmarks: programs, policies, timing, tables."""
import json
import os
import platform
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOP = os.path.abspath(os.environ.get("BENCH_DIR", ROOT + "/build/bench"))
ROUNDS = os.environ.get("BENCH_ROUNDS")

POLICIES = {
    "none": {"core.fsync": "none"},
    "fsync": {"core.fsync": "all", "core.fsyncMethod": "fsync"},
    "batch": {"core.fsync": "all", "core.fsyncMethod": "batch"},
}


def die(text):
    sys.exit("bench: " + text)


def say(text):
    print("bench: " + text, file=sys.stderr, flush=True)


# ---- programs ---------------------------------------------------------------

def version_of(program):
    out = subprocess.run([program, "version", "--build-options"],
                         capture_output=True, text=True)
    return out.stdout


def find_stock(ours):
    given = os.environ.get("STOCK_GIT")
    paths = [given] if given else [
        os.path.join(d, "git") for d in os.environ["PATH"].split(":")]
    for path in paths:
        if not os.access(path, os.X_OK) or os.path.samefile(path, ours):
            continue
        if "sluice" not in version_of(path).lower():
            return path
    return None


def environment(home):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k == "GIT_CEILING_DIRECTORIES"}
    env.update(
        HOME=home, LC_ALL="C", GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL="/dev/null",
        GIT_AUTHOR_NAME="Bench", GIT_AUTHOR_EMAIL="bench@example.com",
        GIT_COMMITTER_NAME="Bench", GIT_COMMITTER_EMAIL="bench@example.com")
    return env


def run(args, **more):
    done = subprocess.run(args, env=environment(TOP), capture_output=True, text=True, **more)
    if done.returncode:
        die("%s failed:\n%s" % (" ".join(args), done.stderr))
    return done.stdout


def find_programs():
    """The programs to compare: ours and, if it is installed, stock Git."""
    ours = os.environ.get("GIT", ROOT + "/build/git")
    if not os.access(ours, os.X_OK):
        die("'%s' is not built" % ours)
    if not shutil.which("hyperfine"):
        die("hyperfine is not installed")
    programs = {"sluice": ours}
    stock = find_stock(ours)
    if stock:
        programs["stock"] = stock
    else:
        say("no stock git here: ours alone")
    return programs


# ---- measuring --------------------------------------------------------------

def time_once(command, prepare="true", stdin=None):
    """Return the seconds of one run, by hyperfine; the shell command `prepare` is not timed."""
    out = TOP + "/hyperfine.json"
    timed = " ".join(command)
    if stdin:
        timed = "sh -c \"exec %s <%s\"" % (timed, stdin)
    run(["hyperfine", "--style=none", "--shell=none", "--runs=1",
         "--prepare=sh -c \"%s\"" % prepare, "--export-json=" + out, timed])
    with open(out) as f:
        result = json.load(f)["results"][0]
    return result["times"][0]


def count_flushes(command, prepare="true", stdin=None):
    """Return the number of flush calls of one run, by strace; None if it cannot trace."""
    if not shutil.which("strace"):
        return None
    run(["sh", "-c", prepare])
    trace = TOP + "/strace"
    with open(stdin or os.devnull) as given:
        done = subprocess.run(
            ["strace", "-f", "-qq", "-o", trace, "-e",
             "trace=fsync,fdatasync,syncfs,sync"] + command,
            env=environment(TOP), stdin=given, capture_output=True)
    if done.returncode:
        return None
    with open(trace) as f:
        return sum("sync(" in l or "syncfs(" in l for l in f)


# ---- report -----------------------------------------------------------------

def pick(results, name, policy, program):
    for r in results:
        if (r["benchmark"], r["policy"], r["program"]) == (name, policy, program):
            return r
    return None


def cell(result, key, form):
    return "-" if result is None or result[key] is None else form % result[key]


def table(results, programs):
    """Rows in order of the results; seconds with their ratio, flushes; "-": not measured."""
    head = ["benchmark", "policy"]
    head += [p + " s" for p in programs] + ["ratio"]
    head += [p + " flushes" for p in programs]
    rows = [head, ["---"] * 2 + ["---:"] * (len(head) - 2)]
    for name, policy in dict.fromkeys((r["benchmark"], r["policy"]) for r in results):
        found = [pick(results, name, policy, p) for p in programs]
        ratio = "-"
        if len(found) == 2 and all(found):
            ratio = "%.2f" % (found[0]["median"] / found[1]["median"])
        rows.append(
            [name, policy] + [cell(r, "median", "%.3f") for r in found] + [ratio]
            + [cell(r, "flushes", "%d") for r in found])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    return "".join("| " + " | ".join(
        text.ljust(w) if i < 2 else text.rjust(w)
        for i, (text, w) in enumerate(zip(row, widths))) + " |\n" for row in rows)


def machine(where=TOP):
    cpu = "unknown"
    try:
        with open("/proc/cpuinfo") as f:
            cpu = next(l.split(":")[1].strip() for l in f
                       if l.startswith("model name"))
    except (OSError, StopIteration):
        pass
    fs = run(["findmnt", "-n", "-o", "FSTYPE", "-T", where]).strip()
    return {"cpu": cpu, "cores": os.cpu_count(), "kernel": platform.release(),
            "filesystem": fs}


def report(results, programs, **more):
    """Write results.json and results.md in TOP; return the text of the latter."""
    document = {
        "machine": dict(machine(), **more),
        "programs": {p: run([path, "version"]).strip()
                     for p, path in programs.items()},
        "results": results,
    }
    with open(TOP + "/results.json", "w") as out:
        json.dump(document, out, indent=1)
    m = document["machine"]
    text = "%s, %d cores, Linux %s, %s; medians; %s\n\n%s" % (
        m["cpu"], m["cores"], m["kernel"], m["filesystem"],
        ", ".join("%s: %s" % i for i in document["programs"].items()),
        table(results, programs))
    with open(TOP + "/results.md", "w") as out:
        out.write(text)
    return text
