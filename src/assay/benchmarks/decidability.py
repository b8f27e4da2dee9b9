"""What decides each item of a benchmark: a run, its text, a reader, or nothing, and then why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

Way = Literal["running", "text", "reading", "none"]
WAYS: tuple[Way, ...] = ("running", "text", "reading", "none")


class ItemDecision(NamedTuple):
    """One item, and what decides it."""

    task: str
    type: str
    """The type of the task, such as T1."""
    phase: str
    way: Way
    why: str = ""
    """Why nothing decides it, or why a reader must; empty if there is nothing to say."""


@dataclass(frozen=True)
class Decidability:
    """What decides the items of a benchmark, as a table that can stand beside any score."""

    suite: str
    items: Sequence[ItemDecision]

    def only(self, tasks: Iterable[str]) -> Decidability:
        """Return the table for some tasks."""
        task_ids = set(tasks)
        return Decidability(self.suite, [item for item in self.items if item.task in task_ids])

    def counts(self, phase: str | None = None, task_type: str | None = None) -> dict[Way, int]:
        """Count items by what decides them: of one phase, of one type, or of all."""
        counted = Counter(
            item.way for item in self.items if phase in (None, item.phase) and task_type in (None, item.type)
        )
        return {way: counted[way] for way in WAYS}

    def reasons(self, phase: str, way: Way) -> dict[str, int]:
        """Count the reasons in a phase, the most frequent first."""
        counted = Counter(
            item.why for item in self.items if (item.phase, item.way) == (phase, way) and item.why
        )
        return dict(counted.most_common())

    @property
    def phases(self) -> list[str]:
        """The phases, in their order."""
        return list(dict.fromkeys(item.phase for item in self.items))

    @property
    def types(self) -> list[str]:
        """The types of tasks."""
        return sorted({item.type for item in self.items})

    def lines(self) -> Iterator[str]:
        """Yield a row for each phase and type, then why items are not decided, then the totals."""
        yield f"{'items decided by':<24}" + "".join(f"{way:>10}" for way in WAYS) + f"{'all':>10}"
        for phase in self.phases:
            yield _row(phase, self.counts(phase))
            yield from (_row(f"  {name}", self.counts(phase, name)) for name in self.types)
        yield _row("all", self.counts())
        for phase in self.phases:
            for why, count in self.reasons(phase, "none").items():
                yield f"{phase}, not decided: {count:,} items: {why}"
            for why, count in self.reasons(phase, "reading").items():
                yield f"{phase}, read: {count:,} items: {why}"
        counts = self.counts()
        total = sum(counts.values())
        decided = total - counts["none"]
        by_run = counts["running"]
        yield (
            f"{decided:,} of {total:,} items ({_share(decided, total)}) can be decided with a reader,"
            f" {by_run:,} ({_share(by_run, total)}) by running alone"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the same counts and reasons."""
        return {
            "suite": self.suite,
            "all": self.counts(),
            "phases": {
                phase: {
                    "all": self.counts(phase),
                    "types": {name: self.counts(phase, name) for name in self.types},
                    "reasons": {way: self.reasons(phase, way) for way in WAYS},
                }
                for phase in self.phases
            },
        }


def _row(name: str, counts: dict[Way, int]) -> str:
    numbers = [*counts.values(), sum(counts.values())]
    return f"{name:<24}" + "".join(f"{number:>10,}" for number in numbers)


def _share(part: int, total: int) -> str:
    return f"{part / total:.1%}" if total else "none"


@runtime_checkable
class DecidabilitySource(Protocol):
    """A benchmark that can say what decides its items."""

    def decidability(self, source: Path | None) -> Decidability:
        """Return the table; `source` is a folder to read instead of the cache."""
        ...
