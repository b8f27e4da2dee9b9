"""Writes the measures of all cases of a folder: per_case.csv, and their means in results.json."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import measures
from cases import Case, read_case


def measure(case: Case) -> dict[str, float]:
    """All measures of one case."""
    return {
        "area": measures.area(case.score, case.label),
        "average_precision": measures.average_precision(case.score, case.label),
        "calibration_error": measures.calibration_error(case.score, case.label),
        "macro_f1": measures.macro_f1(case.guess, case.truth),
        "discounted_gain": measures.discounted_gain(case.score, case.relevance),
        "rank_agreement": measures.rank_agreement(case.score, case.relevance),
        "median_value": measures.weighted_quantile(case.value, case.weight, 0.5),
        "trimmed_mean": measures.trimmed_mean(case.value),
        "interval_width": measures.interval_width(case.value, case.group, seed=7),
    }


def main() -> None:
    """Measure every case of the folder."""
    folder = Path(os.environ.get("ASSAY_DATA", "data"))
    lines = [{"case": path.stem, **measure(read_case(path))} for path in sorted(folder.glob("*.csv"))]
    with open("per_case.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    names = [name for name in lines[0] if name != "case"]
    means = {name: sum(float(line[name]) for line in lines) / len(lines) for name in names}
    reported = json.loads(Path("reported.json").read_text())
    Path("results.json").write_text(json.dumps({"measures": means, "reported": reported}, indent=2))


if __name__ == "__main__":
    main()
