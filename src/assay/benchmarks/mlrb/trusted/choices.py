"""Multiple-choice questions, answered by likelihood."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .models import Model

Item = TypeVar("Item")


@dataclass(frozen=True)
class ChoiceQuestion:
    """A context, its possible continuations without the space before them, and the right one's number."""

    context: str
    answers: tuple[str, ...]
    right: int


def credits(model: Model, questions: Sequence[ChoiceQuestion], by_length: bool = False) -> list[float]:
    """Return the credit of each question: 1 for the right answer, a share for a tie, 0 otherwise.

    `by_length` divides each log-likelihood by the answer's characters (lm-eval's acc_norm). Ties are shared:
    otherwise a model that finds everything equally likely would be right whenever the right answer is the
    first, as in BLiMP.
    """
    pairs = [(question.context, f" {answer}") for question in questions for answer in question.answers]
    likelihoods = iter(model.loglikelihoods(pairs))
    earned = []
    for question in questions:
        scores = [
            next(likelihoods) / (max(len(answer), 1) if by_length else 1) for answer in question.answers
        ]
        best = [number for number, score in enumerate(scores) if score == max(scores)]
        earned.append(1 / len(best) if question.right in best else 0.0)
    return earned


def sample(items: Sequence[Item], most: int | None, name: str) -> list[Item]:
    """Return at most `most` items in their order, always the same ones for the same name."""
    if most is None or most >= len(items):
        return list(items)
    return [items[at] for at in sorted(random.Random(name).sample(range(len(items)), most))]
