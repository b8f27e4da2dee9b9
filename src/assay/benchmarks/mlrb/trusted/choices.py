"""Questions with several answers, answered by likelihood."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from .models import Model

Item = TypeVar("Item")


@dataclass(frozen=True)
class Question:
    """A context, its possible continuations without the space before them, and which is right."""

    context: str
    answers: tuple[str, ...]
    right: int


def credits(model: Model, questions: Sequence[Question], by_length: bool = False) -> list[float]:
    """What each question earns: 1 for the right answer, a share where answers tie, 0 otherwise.

    `by_length` divides each log-likelihood by the answer's characters (lm-eval's acc_norm). Ties are shared,
    since a model that finds everything equally likely would otherwise be right wherever the right answer
    stands first, as in BLiMP.
    """
    pairs = [(each.context, f" {answer}") for each in questions for answer in each.answers]
    found = iter(model.loglikelihoods(pairs))
    earned = []
    for question in questions:
        scores = [next(found) / (max(len(answer), 1) if by_length else 1) for answer in question.answers]
        best = [number for number, score in enumerate(scores) if score == max(scores)]
        earned.append(1 / len(best) if question.right in best else 0.0)
    return earned


def sample(items: Sequence[Item], most: int | None, name: str) -> list[Item]:
    """At most so many items, always the same ones for the same name, in their order."""
    if most is None or most >= len(items):
        return list(items)
    return [items[at] for at in sorted(random.Random(name).sample(range(len(items)), most))]
