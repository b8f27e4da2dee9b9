"""The command line knows no benchmark by name: another package's benchmark works the same."""

from __future__ import annotations

import re
from pathlib import Path

import assay.cli
from assay.benchmarks import DEFAULT_SUITE, benchmark_names

FOLDER = Path(assay.cli.__file__).parent
SPELLINGS = ("exp-bench", "ml research benchmark")


def test_no_verb_names_a_benchmark() -> None:
    names = [name for name in benchmark_names() if name != DEFAULT_SUITE]
    assert len(names) >= 4
    pattern = re.compile("|".join(map(re.escape, [*names, *SPELLINGS])), re.IGNORECASE)
    naming = [
        f"{path.name}:{number}: {line.strip()}"
        for path in sorted(FOLDER.glob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if pattern.search(line) or re.search(r"benchmarks[. ]+(import )?demo\b", line)
    ]
    assert naming == []
