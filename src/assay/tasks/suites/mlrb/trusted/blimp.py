"""BLiMP: is the grammatical sentence of a minimal pair more likely than the ungrammatical one?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import Question, credits, sample
from .estimates import Estimate, clustered

if TYPE_CHECKING:
    from .models import Model


def read_pairs(folder: Path, most: int | None = None) -> dict[str, list[Question]]:
    """The pairs of each paradigm in a folder of `*.jsonl`, at most so many of each."""
    paradigms = {}
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        chosen = [(row["sentence_good"], row["sentence_bad"]) for row in sample(rows, most, path.stem)]
        paradigms[path.stem] = [Question("", pair, 0) for pair in chosen]
    if not paradigms:
        raise FileNotFoundError(f"no *.jsonl in {folder}")
    return paradigms


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Accuracy over all pairs; the error is clustered by paradigm, whose pairs are made from one template."""
    paradigms = read_pairs(folder, most)
    earned = iter(credits(model, [pair for pairs in paradigms.values() for pair in pairs]))
    return clustered({name: [next(earned) for _ in pairs] for name, pairs in paradigms.items()})
