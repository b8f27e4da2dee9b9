"""Trains every configuration of a folder, and writes curves.csv and results.json."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

from training import train


def main() -> None:
    """Train each configuration, in the order of the file names."""
    folder = Path(os.environ.get("ASSAY_DATA", "configurations"))
    totals: dict[str, list[float]] = {}
    lines = []
    for path in sorted(folder.glob("*.json")):
        numbers, curve = train(json.loads(path.read_text()))
        lines += [{"configuration": path.stem, **line} for line in curve]
        lines[-1]["test"] = numbers["test_loss"]
        for name, value in numbers.items():
            totals.setdefault(name, []).append(value)
    with open("curves.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["configuration", "epoch", "train", "valid", "test"])
        writer.writeheader()
        writer.writerows(lines)
    means = {name: sum(values) / len(values) for name, values in totals.items()}
    recorded = json.loads(Path("recorded.json").read_text())
    Path("results.json").write_text(json.dumps({"means": means, "recorded": recorded}, indent=2))


if __name__ == "__main__":
    main()
