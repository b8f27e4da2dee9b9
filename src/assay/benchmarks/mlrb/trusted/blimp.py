"""BLiMP: is the grammatical sentence of a minimal pair more likely than the ungrammatical one?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import ChoiceQuestion, credits, sample
from .estimates import Estimate, average, clustered, mean_of

if TYPE_CHECKING:
    from .models import Model


def read_pairs(folder: Path, most: int | None = None) -> dict[str, list[ChoiceQuestion]]:
    """Read the pairs of each paradigm in a folder of `*.jsonl`, at most `most` of each."""
    paradigms = {}
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        pairs = [(row["sentence_good"], row["sentence_bad"]) for row in sample(rows, most, path.stem)]
        paradigms[path.stem] = [ChoiceQuestion("", pair, 0) for pair in pairs]
    if not paradigms:
        raise FileNotFoundError(f"no *.jsonl in {folder}")
    return paradigms


def evaluate(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return the accuracy over all pairs, with an error clustered by paradigm: one template each."""
    return clustered(_credits(model, read_pairs(folder, most)))


def evaluate_equally(model: Model, folder: Path) -> Estimate:
    """Return the mean accuracy of the paradigms, with the error of their pairs and not of other paradigms."""
    credits_of = _credits(model, read_pairs(folder))
    return average({name: mean_of(earned) for name, earned in credits_of.items()})


def _credits(model: Model, paradigms: dict[str, list[ChoiceQuestion]]) -> dict[str, list[float]]:
    earned = iter(credits(model, [pair for pairs in paradigms.values() for pair in pairs]))
    return {name: [next(earned) for _ in pairs] for name, pairs in paradigms.items()}
