"""Grades imported hand-ins and puts our verdicts beside the published judge's scores, phase by phase.

The published judge gave a percentage for design and implementation, not a verdict on each item. So each phase
is compared: the share that it found right, beside our items of that phase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.benchmarks import load_suite
from assay.benchmarks.hand_ins import HandIn, ImportedHandIns
from assay.evaluation.folder_grading import GradedFolder, grade_folder
from assay.grading import GradingRules
from assay.tasks.selection import Selection

PHASES = {
    "design": "design",
    "implementation": "requirement",
    "execution": "execution",
    "conclusion": "conclusion",
}
"""The published phase → the phase of our items."""


@dataclass(frozen=True)
class ComparedPhase:
    """One phase of one hand-in."""

    phase: str
    published: float | None
    """The share that the published judge found right; None if it did not say."""
    met: int
    unmet: int
    unknown: int

    @property
    def lowest(self) -> float | None:
        """Our share if every unknown item were unmet; None without items."""
        total = self.met + self.unmet + self.unknown
        return self.met / total if total else None

    @property
    def highest(self) -> float | None:
        """Our share if every unknown item were met; None without items."""
        total = self.met + self.unmet + self.unknown
        return (self.met + self.unknown) / total if total else None

    @property
    def range(self) -> str:
        """Our share, or from the lowest to the highest where items are unknown."""
        if self.lowest is None or self.highest is None:
            return "no items"
        highest = f"–{100 * self.highest:.0f}" if self.unknown else ""
        return f"{100 * self.lowest:.0f}{highest}%"

    def to_json(self) -> dict[str, Any]:
        """Return both sides."""
        counts = {"met": self.met, "unmet": self.unmet, "unknown": self.unknown}
        bounds = {"lowest": self.lowest, "highest": self.highest}
        return {"phase": self.phase, "published": self.published, **counts, **bounds}


@dataclass(frozen=True)
class ComparedHandIn:
    """One hand-in with our grade."""

    hand_in: HandIn
    graded: GradedFolder
    phases: Sequence[ComparedPhase]


@dataclass(frozen=True)
class JudgeComparison:
    """All hand-ins of one import."""

    imported: ImportedHandIns
    rows: Sequence[ComparedHandIn]

    def lines(self) -> Iterator[str]:
        """Yield each hand-in with its phases, then how to read them."""
        for row in self.rows:
            yield f"{row.hand_in.task}  {row.hand_in.agent or 'agent unknown'}  {row.hand_in.folder}"
            for phase in row.phases:
                share = "not judged" if phase.published is None else f"{phase.published:.0%}"
                own_text = f"{phase.met} met, {phase.unmet} unmet, {phase.unknown} unknown"
                yield f"  {phase.phase:<15} published judge {share:>10}   ours {phase.range}: {own_text}"
        yield f"{len(self.rows)} hand-ins graded; the published judge states a share of each phase, no items"

    def to_json(self) -> dict[str, Any]:
        """Return every hand-in with its phases and our grade."""
        return {
            "suite": self.imported.suite,
            "hand_ins": [
                {
                    **row.hand_in.to_json(),
                    "phases": [phase.to_json() for phase in row.phases],
                    "graded": row.graded.to_json(),
                }
                for row in self.rows
            ],
        }


def compare_hand_ins(imported: ImportedHandIns, rules: GradingRules) -> JudgeComparison:
    """Grade every imported hand-in."""
    rows = []
    for hand_in in imported.hand_ins:
        [task] = load_suite(imported.suite, Selection(ids=(hand_in.task,))).tasks
        graded = grade_folder(task, hand_in.folder, rules)
        rows.append(ComparedHandIn(hand_in, graded, _phases(hand_in, graded)))
    return JudgeComparison(imported, rows)


def _phases(hand_in: HandIn, graded: GradedFolder) -> list[ComparedPhase]:
    compared = []
    for published, own_phase in PHASES.items():
        statuses = [verdict.status for verdict in graded.grade.verdicts if verdict.phase == own_phase]
        published_share = getattr(hand_in.judged, published) if hand_in.judged else None
        counts = [statuses.count(status) for status in ("met", "unmet", "unknown")]
        compared.append(ComparedPhase(published, published_share, *counts))
    return compared
