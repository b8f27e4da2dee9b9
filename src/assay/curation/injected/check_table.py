"""Checks that table.csv of every run has exactly the numbers of its results.json. Exit 0: met, 1: unmet."""

import csv
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any, Dict, Tuple


def end_broken(kind: Any, error: Any, trace: Any) -> None:
    """A traceback exits with 1, which would mean unmet: a broken check must not."""
    traceback.print_exception(kind, error, trace)
    sys.stderr.flush()
    os._exit(2)


def fail(message: str) -> None:
    """Say why the requirement is not met."""
    print(message)
    sys.exit(1)


def read_run(folder: Path) -> Tuple[Dict[Any, float], Dict[Any, float]]:
    """Return the numbers of results.json and those of table.csv."""
    numbers: Dict[Any, float] = {}
    table: Dict[Any, float] = {}
    try:
        results = json.loads((folder / "results.json").read_text())
        with (folder / "table.csv").open(newline="") as file:
            table = {(row["row"], row["column"]): float(row["value"]) for row in csv.DictReader(file)}
        numbers = {(row, column): float(value) for row in results for column, value in results[row].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as problem:
        fail("%s: %s: %s" % (folder, type(problem).__name__, str(problem)[:200]))
    return numbers, table


def main() -> None:
    """Compare the two files of every run."""
    runs = sorted(path for path in Path("outputs").iterdir() if path.is_dir())
    for run in runs:
        numbers, table = read_run(run)
        missing = sorted(set(numbers) - set(table))
        if missing or not table:
            fail("table.csv of run %r has no row for %s" % (run.name, missing[:3] or "anything"))
        for key, number in numbers.items():
            if abs(number - table[key]) > 0.001 + 1e-6 * abs(number):
                fail("table.csv of run %r says %r for %s, not %r" % (run.name, table[key], key, number))
    print("table.csv and results.json agree in %d runs" % len(runs))


if __name__ == "__main__":
    sys.excepthook = end_broken
    main()
