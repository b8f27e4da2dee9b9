"""Rows that are kept for later stages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Kept:
    """Kept rows of one class, most typical first, with the scores they had when they were stored."""

    values: np.ndarray
    logits: np.ndarray
    known: np.ndarray

    def __len__(self) -> int:
        return len(self.values)

    def first(self, count: int) -> Kept:
        """The first rows alone."""
        return Kept(self.values[:count], self.logits[:count], self.known[:count])


def herded(features: np.ndarray, count: int) -> list[int]:
    """Rows whose mean features follow the mean of all rows, one after the other."""
    target = features.mean(axis=0)
    total = np.zeros_like(target)
    chosen: list[int] = []
    for size in range(1, min(count, len(features)) + 1):
        distance = ((target - (total + features) / size) ** 2).sum(axis=1)
        distance[chosen] = np.inf
        best = int(np.argmin(distance))
        chosen.append(best)
        total = total + features[best]
    return chosen


def quotas(labels: list[int], capacity: int) -> dict[int, int]:
    """How many rows each class may keep."""
    share, rest = divmod(capacity, len(labels))
    return {label: share + (place < rest) for place, label in enumerate(sorted(labels))}


class Buffer:
    """Kept rows by class."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.kept: dict[int, Kept] = {}

    def __len__(self) -> int:
        return sum(len(kept) for kept in self.kept.values())

    def remember(
        self,
        values: np.ndarray,
        labels: np.ndarray,
        features: np.ndarray,
        logits: np.ndarray,
        known: np.ndarray,
    ) -> None:
        """Keep rows of a stage; rows of its classes replace those that were kept before."""
        present = [int(label) for label in np.unique(labels)]
        allowed = quotas(sorted({*self.kept, *present}), self.capacity)
        for label, kept in list(self.kept.items()):
            self.kept[label] = kept.first(allowed[label])
        for label in present:
            rows = np.flatnonzero(labels == label)
            chosen = rows[herded(features[rows], allowed[label])]
            self.kept[label] = Kept(values[chosen], logits[chosen], np.tile(known, (len(chosen), 1)))

    def everything(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Values, labels, stored scores and classes known at storing, in ascending order of classes."""
        order = sorted(self.kept)
        values = np.vstack([self.kept[label].values for label in order])
        labels = np.concatenate([np.full(len(self.kept[label]), label) for label in order])
        logits = np.vstack([self.kept[label].logits for label in order])
        known = np.vstack([self.kept[label].known for label in order])
        return values, labels, logits, known
