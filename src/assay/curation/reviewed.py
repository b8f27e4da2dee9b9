"""What a review by people says about itself, as the data card states it."""

from __future__ import annotations

import json
from pathlib import Path

from assay.tasks.metric import Strict

REVIEW_FILE = "review/summary.json"
"""`assay review` writes it into the curation's folder before it certifies."""


class ReviewRecord(Strict):
    """How far people have reviewed the drafts."""

    reviewers: int
    fields: int
    final: int
    """Fields with a final outcome."""
    choices: dict[str, int]
    agreed: int | None = None
    """Fields on which two reviewers decided the same; None for one reviewer."""
    of: int | None = None
    """Fields that both decided."""
    kappa: float | None = None
    minutes_per_task: float | None = None

    def in_words(self) -> str:
        """Return one line for the data card."""
        people = "one person" if self.reviewers == 1 else f"{self.reviewers} people"
        choices = ", ".join(f"{count} {choice}" for choice, count in self.choices.items())
        words = f"by {people}: {self.final} of {self.fields} fields ({choices})"
        if self.of:
            kappa = "unknown" if self.kappa is None else f"{self.kappa:.2f}"
            words += f"; the same decision on {self.agreed} of {self.of}, κ {kappa}"
        if self.minutes_per_task is not None:
            words += f"; {self.minutes_per_task:.1f} minutes a task and person"
        return words


def read_review(folder: Path) -> ReviewRecord | None:
    """Read the record of a curation's folder; None if nobody has reviewed it."""
    try:
        summary = json.loads((folder / REVIEW_FILE).read_bytes())
        overall = summary["agreement"][-1] if summary["agreement"] else {"same_decisions": {}}
        record = ReviewRecord(
            reviewers=len(summary["reviewers"]),
            fields=summary["fields"],
            final=summary["final"],
            choices=summary["choices"],
            agreed=overall["same_decisions"].get("count"),
            of=overall["same_decisions"].get("of"),
            kappa=overall.get("kappa"),
            minutes_per_task=summary["minutes_per_task"],
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if record.final else None
