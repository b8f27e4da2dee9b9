"""The published words of a task that an agent reads, with everything cut that states the outcome."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.benchmarks.expbench.outcome_words import TaskOutcome
from assay.benchmarks.expbench.records import Record
from assay.benchmarks.expbench.redaction import RedactedText, redact


@dataclass(frozen=True)
class RedactedPrompt:
    """Question, method and instructions of a task."""

    record: Record
    outcome: TaskOutcome
    parts: dict[str, RedactedText]
    """`question`, `method` and `instructions`, if it is not empty."""

    @property
    def cuts(self) -> int:
        """How many clauses and numbers were cut."""
        return sum(len(part.cuts) for part in self.parts.values())

    def notes(self) -> Iterator[str]:
        """Yield one line for each cut, with the published words."""
        for name, part in self.parts.items():
            yield from (f"{name}: {rule}: cut {' '.join(text.split())!r}" for rule, text in part.cuts)


def redact_prompt(record: Record) -> RedactedPrompt:
    """Redact the prompt of a record."""
    outcome = TaskOutcome.of(record)
    return RedactedPrompt(
        record,
        outcome,
        {
            name: redact(text.strip(), outcome, is_question=name == "question")
            for name, text in published_parts(record).items()
        },
    )


def published_parts(record: Record) -> dict[str, str]:
    """Return the published question, method and instructions; T3 tasks have no instructions."""
    parts = {"question": record.question, "method": record.method, "instructions": record.instructions}
    return {name: text for name, text in parts.items() if text.strip()}
