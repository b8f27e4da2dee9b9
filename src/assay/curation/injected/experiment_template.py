"""Runs the experiment, and writes its numbers to results.json and table.csv."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

from output_numbers import values_at  # type: ignore[import-not-found]

COMMANDS: List[Any] = "@COMMANDS@"  # type: ignore[assignment]
NUMBERS: List[Any] = "@NUMBERS@"  # type: ignore[assignment]


def run_command(command: Dict[str, Any], sources: List[Any]) -> Dict[str, Any]:
    """Run one command; return what it printed and the files that are read."""
    completed = subprocess.run(
        ["bash", "-c", command["command"]],
        cwd=command["folder"] or ".",
        stdout=subprocess.PIPE,
        universal_newlines=True,
    )
    sys.stdout.write(completed.stdout)
    texts = {path: Path(path).read_text() for path in sources if path != "stdout" and Path(path).is_file()}
    return dict(texts, stdout=completed.stdout, returncode=completed.returncode)


def measure() -> Dict[str, Any]:
    """Run every command, and return row → column → number."""
    results: Dict[str, Any] = {}
    for command in COMMANDS:
        numbers = [number for number in NUMBERS if number["command"] == command["id"]]
        outputs = run_command(command, sorted({number["address"]["source"] for number in numbers}))
        values = values_at([number["address"] for number in numbers], outputs)
        # A script that compares its numbers with those of the paper ends badly if a setting is another one.
        for number, value in zip(numbers, values):
            if value is None and outputs["returncode"] != 0:
                sys.exit(outputs["returncode"])
            if value is None:
                sys.exit("the run gave no number for %s, %s" % (number["row"], number["column"]))
            results.setdefault(number["row"], {})[number["column"]] = value * number["factor"]
    return results


def write(results: Dict[str, Any]) -> None:
    """Write the numbers as JSON and as a table."""
    Path("results.json").write_text(json.dumps(results, indent=2))
    with Path("table.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["row", "column", "value"])
        for row, columns in results.items():
            for column, value in columns.items():
                table.writerow([row, column, repr(value)])


if __name__ == "__main__":
    write(measure())
