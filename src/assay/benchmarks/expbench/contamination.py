"""Finds tasks that contain another paper's text, by comparing passages and vocabularies across papers.

Passages (lines and sentences) of a task that also stand in tasks of other papers are collected. If they have
20 words or more, they belong to the paper whose title, abstract and repository they resemble most (cosine of
TF-IDF). If that is one of the other papers, by a wide margin, the task is contaminated. Phrases that any task
may use, such as "accept command line arguments for", resemble no paper. A text that was rewritten for the
wrong paper is not found.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

LEAST_WORDS = 5
"""Shorter passages are ignored."""
LEAST_SHARED = 20
"""Fewer shared words are ignored: they may be a phrase that any task may use."""
LEAST_SIMILARITY = 0.1
MARGIN = 2.0
"""The other paper must be this many times as similar as the task's own."""

Vector = Mapping[str, float]


class TaskText(NamedTuple):
    """All text of a task, and the paper it was published for."""

    id: str
    paper: str
    text: str


class ForeignText(NamedTuple):
    """Text of another paper in a task."""

    paper: str
    """The paper that it belongs to."""
    words: int
    similarity: float
    own_similarity: float


def find_contaminated(tasks: Sequence[TaskText], papers: Mapping[str, str]) -> dict[str, ForeignText]:
    """Return task id → what another paper's text it contains; `papers` describes each paper in words."""
    papers_by_passage: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        for passage in _passages(task.text):
            papers_by_passage[passage].add(task.paper)
    vectors = _Vectors(papers)
    contaminated = {}
    for task in tasks:
        shared = [passage for passage in _passages(task.text) if len(papers_by_passage[passage]) > 1]
        others = set().union(*(papers_by_passage[passage] for passage in shared)) - {task.paper}
        foreign = vectors.closest(shared, task.paper, sorted(others))
        if foreign is not None:
            contaminated[task.id] = foreign
    return contaminated


def _passages(text: str) -> Iterator[str]:
    for part in re.split(r"\n|(?<=[.!?])\s+", text.casefold()):
        words = re.findall(r"\w+", part)
        if len(words) >= LEAST_WORDS:
            yield " ".join(words)


class _Vectors:
    """The vocabularies of the papers, weighted by how few papers use a word."""

    def __init__(self, papers: Mapping[str, str]) -> None:
        words = {name: _terms(text) for name, text in papers.items()}
        counts = Counter(word for terms in words.values() for word in set(terms))
        self._weights = {word: math.log(len(papers) / count) for word, count in counts.items()}
        self._by_paper = {name: self._vector(terms) for name, terms in words.items()}

    def closest(self, passages: Sequence[str], own: str, others: Sequence[str]) -> ForeignText | None:
        """Return the other paper to which passages belong; None if they may be the task's own."""
        words = sum(len(passage.split()) for passage in passages)
        if words < LEAST_SHARED:
            return None
        vector = self._vector(_terms(" ".join(passages)))
        similar = {name: _product(vector, self._by_paper[name]) for name in (own, *others)}
        best = max(others, key=lambda name: similar[name], default=own)
        if similar[best] < max(LEAST_SIMILARITY, MARGIN * similar[own]):
            return None
        return ForeignText(best, words, similar[best], similar[own])

    def _vector(self, terms: Sequence[str]) -> Vector:
        counts = Counter(term for term in terms if term in self._weights)
        weighted = {term: (1 + math.log(count)) * self._weights[term] for term, count in counts.items()}
        length = math.sqrt(sum(weight**2 for weight in weighted.values()))
        return {term: weight / length for term, weight in weighted.items()} if length else {}


def _terms(text: str) -> list[str]:
    return re.findall(r"[a-z][a-z0-9]{2,}", text.casefold())


def _product(first: Vector, second: Vector) -> float:
    return sum(weight * second.get(term, 0.0) for term, weight in first.items())
