"""Analyses every study of a folder and writes answers.csv and results.json."""

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


def main() -> None:
    folder = Path(os.environ.get("ASSAY_DATA", "data"))
    lines, estimates, widths = [], {}, []
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="") as file:
            found = analyse(list(csv.DictReader(file)))
        if found is None:
            lines.append([path.stem, "", "", "", "open"])
            continue
        estimate, low, high, *choice = found
        lines.append([path.stem, f"{estimate:.6f}", f"{low:.6f}", f"{high:.6f}", answer_of(low, high), *choice])
        estimates[path.stem] = estimate
        widths.append(high - low)
    with open("answers.csv", "w", newline="") as file:
        writer = csv.writer(file)
        header = ["study", "estimate", "low", "high", "answer", "choice"]
        writer.writerow(header[: max(map(len, lines))])
        writer.writerows(lines)
    results = {
        "studies": len(lines),
        "mean_estimate": sum(estimates.values()) / len(estimates),
        "mean_width": sum(widths) / len(widths),
        "estimates": estimates,
    }
    Path("results.json").write_text(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
