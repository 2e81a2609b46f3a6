#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Usage: t/perf/plot.py FIGURES.tsv PICTURE.(png|svg)

Draws times of two programs side by side: a row for each benchmark, a point for each
program, on a logarithmic axis, so that 0.03 s and 14 s can both be read. t/perf/run makes
such a file; those of the README are Documentation/images/*.tsv.

FIGURES.tsv: lines that begin with '#' set a word of the picture ("# title: ..."; also
subtitle, sluice, stock) or are comments. The others have tab-separated fields:
group, benchmark, program (sluice or stock), seconds, flush calls; the last may be '-'.
"""
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"sluice": "#0b5fa5", "stock": "#8a8a8a"}
MARKERS = {"sluice": "o", "stock": "D"}


def read(source):
    """The words of the picture, and {group: {benchmark: {program: (seconds, flushes)}}}."""
    words = {"title": "", "subtitle": "", "sluice": "Sluice", "stock": "stock Git"}
    groups = {}
    with open(source) as f:
        for line in f.read().splitlines():
            if line.startswith("#"):
                key, colon, value = line[1:].partition(":")
                if colon and key.strip() in words:
                    words[key.strip()] = value.strip()
            elif line:
                group, name, program, seconds, flushes = line.split("\t")
                rows = groups.setdefault(group, {})
                rows.setdefault(name, {})[program] = (float(seconds), flushes)
    return words, groups


def time_text(seconds):
    if seconds < 0.1:
        return "%.3g ms" % (1000 * seconds)
    return ("%.2f s" if seconds < 10 else "%.1f s") % seconds


def text_of(seconds, flushes):
    if flushes == "-":
        return time_text(seconds)
    return "%s, %s flush%s" % (time_text(seconds), "{:,}".format(int(flushes)),
                               "" if flushes == "1" else "es")


def factor_text(found):
    if len(found) < 2:
        return ""
    ratio = found["stock"][0] / found["sluice"][0]
    if ratio >= 1:
        return ("%.0f× faster" if ratio >= 10 else "%.1f× faster") % ratio
    return "%.1f× slower" % (1 / ratio)


def draw_row(axis, y, found):
    times = [t for t, _ in found.values()]
    axis.plot([min(times), max(times)], [y, y], color="#d0d0d0", lw=3, zorder=1,
              solid_capstyle="round")
    for program, (seconds, flushes) in found.items():
        axis.plot([seconds], [y], MARKERS[program], color=COLOURS[program], ms=8, zorder=2)
        left = seconds == min(times) and len(times) > 1
        axis.annotate(text_of(seconds, flushes), (seconds, y),
                      xytext=(-9 if left else 9, 0), textcoords="offset points",
                      ha="right" if left else "left", va="center", fontsize=9,
                      color=COLOURS[program])
    axis.annotate(factor_text(found), (1.01, y), xycoords=("axes fraction", "data"),
                  va="center", fontsize=10, fontweight="bold", color=COLOURS["sluice"])


def draw(axis, groups):
    y, ticks, names = 0, [], []
    times = [t for rows in groups.values() for found in rows.values()
             for t, _ in found.values()]
    for group, rows in groups.items():
        axis.annotate(group, (0.02, y), xycoords=("figure fraction", "data"), va="center",
                      fontsize=10, fontweight="bold",
                      bbox={"fc": "white", "ec": "none", "pad": 1.5})
        axis.axhline(y, color="#e0e0e0", lw=0.8, zorder=0)
        y += 1
        for name, found in rows.items():
            draw_row(axis, y, found)
            ticks.append(y)
            names.append(name)
            y += 1
        y += 0.3
    axis.set_yticks(ticks, names, fontsize=10)
    axis.set_ylim(y - 0.3, -0.7)
    axis.set_xscale("log")
    axis.set_xlim(min(times) / 14, max(times) * 20)
    axis.xaxis.set_major_formatter(lambda x, _: "%g ms" % (1000 * x) if x < 1 else "%g s" % x)
    axis.tick_params(axis="y", length=0)
    axis.grid(axis="x", color="#eeeeee", zorder=0)
    axis.set_axisbelow(True)
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.set_xlabel("time, on a logarithmic scale: lower is better")


def main(source, target):
    words, groups = read(source)
    rows = sum(len(r) + 1.3 for r in groups.values())
    height = 1.5 + 0.31 * rows
    figure, axis = plt.subplots(figsize=(10.5, height))
    draw(axis, groups)
    figure.subplots_adjust(left=0.235, right=0.875, top=1 - 0.88 / height, bottom=0.55 / height)
    figure.text(0.02, 1 - 0.12 / height, words["title"], fontsize=13, fontweight="bold", va="top")
    figure.text(0.02, 1 - 0.42 / height, words["subtitle"], fontsize=9.5, color="#444444", va="top")
    handles = [plt.Line2D([], [], color=COLOURS[p], marker=MARKERS[p], ms=8, ls="",
                          label=words[p]) for p in COLOURS]
    axis.legend(handles=handles, loc="lower right", bbox_to_anchor=(1.19, 1.0), ncols=2,
                frameon=False, fontsize=10, borderaxespad=0.1)
    figure.savefig(target, dpi=120)


if len(sys.argv) != 3:
    sys.exit(__doc__.strip())
main(*sys.argv[1:3])
