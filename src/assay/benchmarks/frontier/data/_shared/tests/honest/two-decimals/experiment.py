"""Analyses every study of a folder; the answer comes from the whole interval, which is written with two decimals."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import study


def answer_of(low: float, high: float) -> str:
    if -study.MARGIN <= low and high <= study.MARGIN:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


rows = {}
for path in sorted(Path(os.environ.get("ASSAY_DATA", "data")).glob("*.csv")):
    with path.open(newline="") as file:
        rows[path.stem] = list(csv.DictReader(file))
if hasattr(study, "analyse_all"):
    answers = study.analyse_all(rows)
else:
    answers = {name: study.analyse(lines) for name, lines in rows.items()}

lines = []
intervals = {}
for name, found in answers.items():
    if found is None:
        lines.append([name, "", "", "", "open"])
        continue
    estimate, low, high, *choice = found
    intervals[name] = float(estimate), float(low), float(high)
    lines.append([name, *(f"{value:.2f}" for value in (estimate, low, high)), answer_of(low, high), *choice])
header = ["study", "estimate", "low", "high", "answer", "choice"][: max(map(len, lines))]
Path("answers.csv").write_text("\n".join(",".join(line) for line in [header, *lines]) + "\n")
results = {
    "studies": len(lines),
    "mean_estimate": sum(found[0] for found in intervals.values()) / len(intervals),
    "mean_width": sum(found[2] - found[1] for found in intervals.values()) / len(intervals),
    "estimates": {name: found[0] for name, found in intervals.items()},
}
Path("results.json").write_text(json.dumps(results))
