"""Analyses every study of a folder; the answer comes from the whole interval, which is written with two decimals."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

from study import MARGIN, analyse


def answer_of(low: float, high: float) -> str:
    if -MARGIN <= low and high <= MARGIN:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


lines = []
intervals = {}
for path in sorted(Path(os.environ.get("ASSAY_DATA", "data")).glob("*.csv")):
    with path.open(newline="") as file:
        found = analyse(list(csv.DictReader(file)))
    if found is None:
        lines.append([path.stem, "", "", "", "open"])
        continue
    estimate, low, high, *choice = found
    intervals[path.stem] = estimate, low, high
    lines.append([path.stem, *(f"{value:.2f}" for value in (estimate, low, high)), answer_of(low, high), *choice])
header = ["study", "estimate", "low", "high", "answer", "choice"][: max(map(len, lines))]
Path("answers.csv").write_text("\n".join(",".join(line) for line in [header, *lines]) + "\n")
results = {
    "studies": len(lines),
    "mean_estimate": sum(found[0] for found in intervals.values()) / len(intervals),
    "mean_width": sum(found[2] - found[1] for found in intervals.values()) / len(intervals),
    "estimates": {name: found[0] for name, found in intervals.items()},
}
Path("results.json").write_text(json.dumps(results))
