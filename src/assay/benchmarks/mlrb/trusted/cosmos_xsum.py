"""CosmosQA and XSum, the merging competition's own validation sets: `cosmos_qa.csv` and `xsum.csv`."""

from __future__ import annotations

import ast
import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import Question, credits, sample
from .estimates import Estimate, mean_of, ratio
from .overlap import rouge_l

if TYPE_CHECKING:
    from .models import Model

SUMMARY_TOKENS = 48


def _rows(path: Path, most: int | None) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return sample(list(csv.DictReader(stream)), most, path.stem)


def read_cosmos(folder: Path, most: int | None = None) -> list[Question]:
    """The questions as they were put; their answers are letters in some rows, words in others."""
    questions = []
    for row in _rows(folder / "cosmos_qa.csv", most):
        answers = ast.literal_eval(row["answer_choices"])
        questions.append(Question(row["input"], tuple(map(str, answers)), int(row["target"])))
    return questions


def evaluate_cosmos(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Accuracy by the answers' likelihood for each character; a plain error."""
    return mean_of(credits(model, read_cosmos(folder, most), by_length=True))


def read_xsum(folder: Path, most: int | None = None) -> list[tuple[str, str]]:
    """Articles, each ending with the request for a summary, and their summaries."""
    return [(row["input"], row["target"]) for row in _rows(folder / "xsum.csv", most)]


def evaluate_xsum(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """ROUGE-L (F1) of the greedily made summary with the reference; a plain error."""
    pairs = read_xsum(folder, most)
    return mean_of([rouge_l(model.generate(text, SUMMARY_TOKENS), summary) for text, summary in pairs])


def xsum_bits(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Bits for each byte of the reference summaries: much faster than making summaries, and less noisy."""
    pairs = read_xsum(folder, most)
    found = model.loglikelihoods([(text, f" {summary}") for text, summary in pairs])
    return ratio(
        [
            (-each / math.log(2), float(len(summary.encode()) + 1))
            for each, (_, summary) in zip(found, pairs, strict=True)
        ]
    )
