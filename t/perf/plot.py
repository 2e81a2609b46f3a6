#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Usage: t/perf/plot.py RESULTS.json PICTURE.(png|svg)"""
import json
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"sluice": "#1f77b4", "stock": "#b0b0b0"}


def main(source, target):
    with open(source) as f:
        document = json.load(f)
    results = document["results"]
    names = list(dict.fromkeys(r["benchmark"] for r in results))
    policies = list(dict.fromkeys(r["policy"] for r in results))
    programs = list(document["programs"])
    figure, axes = plt.subplots(1, len(names), squeeze=False,
                                figsize=(3.2 * len(names), 3.6))
    width = 0.8 / len(programs)
    for axis, name in zip(axes[0], names):
        for i, program in enumerate(programs):
            found = {r["policy"]: r for r in results
                     if r["benchmark"] == name and r["program"] == program}
            heights = [found[p]["median"] for p in policies]
            low = [found[p]["median"] - min(found[p]["times"]) for p in policies]
            high = [max(found[p]["times"]) - found[p]["median"] for p in policies]
            places = [x + (i - (len(programs) - 1) / 2) * width
                      for x in range(len(policies))]
            bars = axis.bar(places, heights, width, yerr=[low, high],
                            capsize=2, label=document["programs"][program],
                            color=COLOURS.get(program))
            axis.bar_label(bars, labels=[
                "" if found[p]["flushes"] is None else str(found[p]["flushes"])
                for p in policies], fontsize=7, padding=2)
        axis.set_title(name, fontsize=10)
        axis.set_xticks(range(len(policies)), policies)
        axis.margins(y=0.15)
        axis.set_ylim(bottom=0)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("seconds (median; number: flush calls)")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, frameon=False)
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(target, dpi=130)


main(*sys.argv[1:3])
