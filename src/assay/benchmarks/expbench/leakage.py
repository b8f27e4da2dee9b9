"""Measures how much of a task's outcome its prompt contains, as published and after the redaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.benchmarks.expbench.clauses import split_lines, split_sentences
from assay.benchmarks.expbench.outcome_words import TaskOutcome, quantities, shared_runs, words
from assay.benchmarks.expbench.prompt import RedactedPrompt
from assay.benchmarks.expbench.redaction import asks
from assay.benchmarks.expbench.result_words import DIRECTION

LONG_RUN = 8
"""This many words of the outcome in a row count as a long run."""

RunKind = Literal["none", "named", "asked", "claimed"]
"""What a long run is. none: there is none. named: it points in no direction, so it names a method, a metric,
a setting or the file to hand in. asked: a question, or behind words such as whether. claimed: a statement."""


@dataclass(frozen=True)
class PromptLeak:
    """What one prompt contains of the outcome."""

    longest_run: int
    """Words of the longest run that both texts share."""
    run: str
    kind: RunKind
    """The kind of the worst long run."""
    cover: float
    """The share of the outcome's groups of three words that the prompt contains."""
    numbers: tuple[str, ...]
    """The numbers of the outcome, other than settings, that the prompt contains."""


@dataclass(frozen=True)
class TaskLeakage:
    """One task's prompt before and after the redaction."""

    id: str
    published: PromptLeak
    redacted: PromptLeak
    cuts: int


def measure_leak(prompt: str, outcome: TaskOutcome) -> PromptLeak:
    """Compare a prompt with the outcome."""
    runs = shared_runs(outcome.text, prompt)
    longest = max(runs, key=len, default=[])
    sentences = list(_sentences(prompt))
    kinds = [_kind_of(" ".join(run), sentences) for run in runs if len(run) >= LONG_RUN]
    groups = _groups(words(outcome.text))
    in_prompt = groups & _groups(words(prompt))
    numbers = sorted({number.span.of(prompt) for number in quantities(prompt) if outcome.tells(number)})
    return PromptLeak(
        longest_run=len(longest),
        run=" ".join(longest),
        kind=max(kinds, key=_KINDS.index, default="none"),
        cover=len(in_prompt) / len(groups) if groups else 0.0,
        numbers=tuple(numbers),
    )


_KINDS: tuple[RunKind, ...] = ("none", "named", "asked", "claimed")


def _sentences(prompt: str) -> Iterator[str]:
    for line in split_lines(prompt):
        yield from (sentence.of(prompt) for sentence in split_sentences(prompt, line.span))


def _kind_of(run: str, sentences: Sequence[str]) -> RunKind:
    if not DIRECTION.search(run):
        return "named"
    around = [sentence for sentence in sentences if run in " ".join(words(sentence))]
    return "asked" if around and all(map(asks, around)) else "claimed"


def measure_task(prompt: RedactedPrompt) -> TaskLeakage:
    """Measure one task before and after the redaction."""
    record, outcome = prompt.record, prompt.outcome
    redacted = "\n".join(part.text for part in prompt.parts.values())
    return TaskLeakage(
        record.id, measure_leak(record.prompt, outcome), measure_leak(redacted, outcome), prompt.cuts
    )


@dataclass(frozen=True)
class LeakTotals:
    """How many prompts reveal something, over all tasks."""

    long_runs: int
    """Prompts with a long run."""
    claimed: int
    """Prompts with a long run that states a direction."""
    half_covered: int
    """Prompts with at least half of the outcome's groups of three words."""
    with_numbers: int
    """Prompts with a number of the outcome."""
    numbers: int
    mean_cover: float


def total_leaks(leaks: Sequence[PromptLeak]) -> LeakTotals:
    """Count prompts that reveal something."""
    return LeakTotals(
        sum(leak.longest_run >= LONG_RUN for leak in leaks),
        sum(leak.kind == "claimed" for leak in leaks),
        sum(leak.cover >= 0.5 for leak in leaks),
        sum(bool(leak.numbers) for leak in leaks),
        sum(len(leak.numbers) for leak in leaks),
        sum(leak.cover for leak in leaks) / len(leaks) if leaks else 0.0,
    )


def _groups(sequence: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(sequence[at : at + 3]) for at in range(len(sequence) - 2)}
