"""The precision of a sample of `recovery.py`: `python benchmarks/recovery_labels.py A.jsonl [B.jsonl]`.

Each line of a label file is JSON: `id` of the item and `right`, which is true, false, or null if the reader
cannot say. For two readers it also gives their agreement.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from assay.scoring.statistics.agreement import kappa, kappa_interval
from assay.scoring.statistics.rates import interval


def main() -> None:
    """Print the precision by kind."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("labels", type=Path, nargs="+", help="label files of one or two readers")
    print_precision(parser.parse_args().labels, Console(width=140))


def share(part: int, whole: int) -> str:
    """Return a share in percent with its interval."""
    low, high = interval(part, whole)
    if low is None or high is None:
        return "unknown"
    return f"{part / whole:.0%} ({low:.0%} to {high:.0%})"


def print_precision(files: Sequence[Path], console: Console) -> None:
    """Print the precision by kind for each reader, and the agreement of two readers."""
    labels = [read_labels(file) for file in files]
    table = Table("kind", *(f"right: {file.name}" for file in files))
    kinds = sorted({item.rpartition("-")[0] for reader in labels for item in reader})
    for kind in [*kinds, ""]:
        cells = []
        for reader in labels:
            decided = [right for item, right in reader.items() if item.startswith(kind) and right is not None]
            cells.append(f"{sum(decided)} of {len(decided)}: {share(sum(decided), len(decided))}")
        table.add_row(kind or "all", *cells)
    console.print(table)
    if len(labels) == 2:
        both = sorted(labels[0].keys() & labels[1].keys())
        pairs = [(str(labels[0][item]), str(labels[1][item])) for item in both]
        low, high = kappa_interval(pairs)
        same = sum(first == second for first, second in pairs)
        console.print(f"same label: {same} of {len(pairs)}; kappa {kappa(pairs)} ({low} to {high})")


def read_labels(file: Path) -> dict[str, bool | None]:
    """Return item → whether it is right."""
    rows = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    return {str(row["id"]): row["right"] for row in rows}


if __name__ == "__main__":
    main()
