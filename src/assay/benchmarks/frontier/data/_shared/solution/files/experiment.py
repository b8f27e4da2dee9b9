"""Analyses the studies of a folder and writes answers.csv and results.json."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import study


def read_studies(folder: Path) -> dict[str, list[dict[str, str]]]:
    """The rows of each study, by the name of its file."""
    studies = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="") as file:
            studies[path.stem] = list(csv.DictReader(file))
    return studies


def analyse_all(studies: dict[str, list[dict[str, str]]]) -> dict[str, Any]:
    """What the analysis says of each study, seen together with the others if the analysis can do that."""
    if hasattr(study, "analyse_all"):
        found: dict[str, Any] = study.analyse_all(studies)
        return found
    return {name: study.analyse(rows) for name, rows in studies.items()}


def answer_of(low: float, high: float) -> str:
    if -study.MARGIN <= low and high <= study.MARGIN:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def main() -> None:
    folder = Path(os.environ.get("ASSAY_DATA", "data"))
    lines, estimates, widths = [], {}, []
    for name, found in analyse_all(read_studies(folder)).items():
        if found is None:
            lines.append([name, "", "", "", "open"])
            continue
        estimate, low, high, *choice = found
        lines.append([name, f"{estimate:.6f}", f"{low:.6f}", f"{high:.6f}", answer_of(low, high), *choice])
        estimates[name] = float(estimate)
        widths.append(float(high - low))
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
