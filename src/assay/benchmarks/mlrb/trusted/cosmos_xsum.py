"""CosmosQA and XSum, the merging competition's own validation sets: `cosmos_qa.csv` and `xsum.csv`."""

from __future__ import annotations

import ast
import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING

from .choices import ChoiceQuestion, credits, sample
from .estimates import Estimate, mean_of, ratio
from .overlap import rouge_l

if TYPE_CHECKING:
    from .models import Model

SUMMARY_TOKENS = 48


def _rows(path: Path, most: int | None) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return sample(list(csv.DictReader(stream)), most, path.stem)


def read_cosmos(folder: Path, most: int | None = None) -> list[ChoiceQuestion]:
    """Read the questions in their original form; answers are letters in some rows, words in others."""
    questions = []
    for row in _rows(folder / "cosmos_qa.csv", most):
        answers = ast.literal_eval(row["answer_choices"])
        questions.append(ChoiceQuestion(row["input"], tuple(map(str, answers)), int(row["target"])))
    return questions


def evaluate_cosmos(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return the accuracy by the likelihood per character of the answers, with a plain error."""
    return mean_of(credits(model, read_cosmos(folder, most), by_length=True))


def read_xsum(folder: Path, most: int | None = None) -> list[tuple[str, str]]:
    """Read the articles, each ending with the request for a summary, and their summaries."""
    return [(row["input"], row["target"]) for row in _rows(folder / "xsum.csv", most)]


def evaluate_xsum(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return ROUGE-L (F1) of greedy summaries against the references, with a plain error."""
    pairs = read_xsum(folder, most)
    return mean_of([rouge_l(model.generate(text, SUMMARY_TOKENS), summary) for text, summary in pairs])


def xsum_bits(model: Model, folder: Path, most: int | None = None) -> Estimate:
    """Return bits per byte of the reference summaries: much faster than writing summaries, and less noisy."""
    pairs = read_xsum(folder, most)
    scores = model.loglikelihoods([(text, f" {summary}") for text, summary in pairs])
    return ratio(
        [
            (-score / math.log(2), float(len(summary.encode()) + 1))
            for score, (_, summary) in zip(scores, pairs, strict=True)
        ]
    )
