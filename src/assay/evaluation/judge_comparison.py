"""Grades imported hand-ins and puts our verdicts beside the published judge's scores, phase by phase.

The published judge gave a percentage for design and implementation and a free text for each phase. It gave no
verdict on each item. So each phase is compared: the share that it found right, and how many items that is,
beside our items of that phase. If its text names an item, our verdict on this item stands beside the text.
What the text says about the item is for a person to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.benchmarks import load_suite
from assay.benchmarks.hand_ins import HandIn, ImportedHandIns
from assay.evaluation.folder_grading import GradedFolder, grade_folder
from assay.grading import GradingRules
from assay.grading.verdict import Status
from assay.tasks.selection import Selection

PHASES = {
    "design": "design",
    "implementation": "requirement",
    "execution": "execution",
    "conclusion": "conclusion",
}
"""The published phase → the phase of our items."""
STATUSES: tuple[Status, ...] = ("met", "unmet", "unknown")
LONGEST_TEXT = 300
"""Characters of the judge's text that are printed; the JSON has all."""


@dataclass(frozen=True)
class ComparedPhase:
    """One phase of one hand-in."""

    phase: str
    published: float | None
    """The share that the published judge found right; None if it did not say."""
    met: int
    unmet: int
    unknown: int
    text: str = ""
    """What the published judge wrote about it."""
    named: Mapping[str, str] = field(default_factory=dict)
    """The items that this text names → our verdict."""

    @property
    def found_right(self) -> int | None:
        """How many items the published share is; None if there is no share or no item."""
        total = self.met + self.unmet + self.unknown
        return None if self.published is None or not total else round(self.published * total)

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
        texts = {"found_right": self.found_right, "text": self.text, "named": dict(self.named)}
        return {"phase": self.phase, "published": self.published, **counts, **bounds, **texts}

    def lines(self) -> Iterator[str]:
        """Yield both sides, what the published judge wrote, and our verdicts on the items that it names."""
        share = "not judged" if self.published is None else f"{self.published:.0%}"
        share += "" if self.found_right is None else f" (about {self.found_right} items)"
        own_text = f"{self.met} met, {self.unmet} unmet, {self.unknown} unknown"
        yield f"  {self.phase:<15} published judge {share:>10}   ours {self.range}: {own_text}"
        if self.text:
            text = " ".join(self.text.split())
            yield f"    it wrote: {text if len(text) <= LONGEST_TEXT else text[:LONGEST_TEXT] + '…'}"
        if self.named:
            verdicts = [f"{item} (ours: {status})" for item, status in self.named.items()]
            yield f"    it names: {', '.join(verdicts)}"


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
                yield from phase.lines()
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
        statuses = {
            verdict.item: verdict.status for verdict in graded.grade.verdicts if verdict.phase == own_phase
        }
        published_share = getattr(hand_in.judged, published) if hand_in.judged else None
        text = hand_in.judged.texts.get(published, "") if hand_in.judged else ""
        met, unmet, unknown = (list(statuses.values()).count(status) for status in STATUSES)
        named = {item: status for item, status in statuses.items() if _is_named(item, text)}
        compared.append(ComparedPhase(published, published_share, met, unmet, unknown, text, named))
    return compared


def _is_named(item: str, text: str) -> bool:
    """Whether a text names an item: a variable by its name, a requirement by the number of its step."""
    name = item.partition(".")[2]
    if name.isdigit():
        return re.search(rf"\b(?:step|requirement)s?\s*#?0*{int(name)}\b", text, re.IGNORECASE) is not None
    words = r"[\W_]+".join(map(re.escape, re.findall(r"[^\W_]+", name)))
    return bool(words) and re.search(rf"(?<![^\W_]){words}(?![^\W_])", text, re.IGNORECASE) is not None
