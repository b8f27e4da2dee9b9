"""What is learnt from one failed item: where it failed, whose doing it is, and in which words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from assay.grading.verdict import Owner
from assay.scoring.failures.rules import phase_of
from assay.scoring.failures.taxonomy import By, Phase
from assay.scoring.logs.attempts import Attempt
from assay.tasks.metric import Strict

LONGEST_QUOTE = 600
ShownBy = Literal["certificate", "gold run", "other agent", "harness"]
"""What shows whose fault a failure is."""


class Insight(Strict):
    """One failed item of one attempt."""

    suite: str
    """The suite."""
    task: str
    """The id of the task."""
    agent: str
    """The agent."""
    model: str
    """Its model."""
    epoch: int
    """Which of the attempts at this task it was."""
    phase: Phase
    """The phase of the item."""
    item: str
    """The item that is not met."""
    owner: Owner
    """The owner that the verdict names."""
    quote: str
    """The words of the verdict."""
    log: str
    """The file of the log, where the transcript is."""
    sample: str
    """Inspect's identifier of the sample in that log."""
    type: str = ""
    """The type of the failure; `follows` if it only follows from another failure of the same attempt."""
    by: By = "rule"
    """Who named the type."""
    fault: Owner | None = None
    """Whose fault it is; None if that is not known."""
    because: str = ""
    """The reason for `fault`, in words."""
    shown_by: ShownBy | None = None
    """What shows `fault`; None if that is not known."""

    @property
    def fingerprint(self) -> str:
        """The same for failures in the same phase that are said in the same words, but for numbers."""
        return fingerprint(self.phase, self.quote)

    @property
    def attempt(self) -> tuple[str, str, str, str, int]:
        """The key of the attempt."""
        return (self.suite, self.agent, self.model, self.task, self.epoch)


def failed_items(attempts: Iterable[Attempt]) -> Iterator[Insight]:
    """Every item that is not met, and every attempt that was lost; their types are not known yet."""
    for attempt in attempts:
        attempt_fields: dict[str, Any] = {
            "suite": attempt.suite,
            "task": attempt.task,
            "agent": attempt.agent,
            "model": attempt.model,
            "epoch": attempt.epoch,
            "log": attempt.log,
            "sample": attempt.sample,
        }
        if attempt.error is not None and not attempt.verdicts:
            owner = attempt.owner or "grader"
            yield _made(attempt_fields, "infrastructure", "attempt", owner, attempt.error)
        for verdict in attempt.verdicts:
            if verdict.status == "met":
                continue
            is_unknown = verdict.status == "unknown"
            phase: Phase = "infrastructure" if is_unknown else phase_of(verdict.item)
            owner = verdict.owner or ("grader" if is_unknown else "agent")
            yield _made(attempt_fields, phase, verdict.item, owner, verdict.evidence)


def _made(attempt_fields: dict[str, Any], phase: Phase, item: str, owner: Owner, quote: str) -> Insight:
    cut = quote if len(quote) <= LONGEST_QUOTE else quote[: LONGEST_QUOTE - 1] + "…"
    return Insight.model_construct(**attempt_fields, phase=phase, item=item, owner=owner, quote=cut)


def plain_words(quote: str) -> str:
    """A quote without what differs from attempt to attempt: numbers, addresses, places of a file."""
    text = re.sub(r"0x[0-9a-fA-F]+", "#", quote)
    text = re.sub(r"(?:/[\w.+-]+)+/([\w.+-]+)", r"\1", text)
    text = re.sub(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?", "#", text)
    return " ".join(text.split())


def fingerprint(phase: str, quote: str) -> str:
    """A short hash of a phase and plain words."""
    return hashlib.sha256(f"{phase}\0{plain_words(quote)}".encode()).hexdigest()[:12]
