"""What is true of a submission, item by item, and who owns each failure."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Any

from pydantic import AfterValidator, PrivateAttr

from assay.grading.execution_trace.records import ExecutionTrace
from assay.printable import spelled_out
from assay.rules.ruling import By, Ruling, passed
from assay.rules.ruling import Owner as Owner
from assay.rules.ruling import Status as Status
from assay.tasks.metric import Strict

LONGEST_EVIDENCE = 20_000


def showable(text: str) -> str:
    """Text that any log, terminal or page can hold: half characters and control codes are spelled out."""
    if len(text) > LONGEST_EVIDENCE:
        text = text[: LONGEST_EVIDENCE - 1] + "…"
    return spelled_out(text, kept="\n\t")


Evidence = Annotated[str, AfterValidator(showable)]


@lru_cache(maxsize=10_000)
def phase_of_item(item: str) -> str:
    """The first part of an item's name; kept, because reports ask for it many times for each verdict."""
    return item.partition(".")[0]


class Verdict(Strict):
    """One named item, with its evidence; unknown is never zero and never dropped."""

    item: str
    """`phase.name`: result.default.accuracy, design.optimizer, requirement.seeds, execution.run,
    conclusion.winner, rule.parameters, score.reference, integrity.links."""
    status: Status
    """Whether the item is met."""
    evidence: Evidence
    """What was compared, and what was found."""
    owner: Owner | None = None
    """Who owns it when it is not met."""
    by: By = "run"
    """Who decided, or who would have to: `judge` with `unknown` is what no judge could tell."""

    @property
    def phase(self) -> str:
        """The first part of the item's name."""
        return phase_of_item(self.item)

    @classmethod
    def of(cls, ruling: Ruling) -> Verdict:
        """The verdict that a rule gave."""
        return cls(**ruling._asdict())

    @property
    def ruling(self) -> Ruling:
        """The verdict as the rules write it."""
        return Ruling(self.item, self.status, self.evidence, self.owner, self.by)


def verdicts_of(rulings: Iterable[Ruling]) -> list[Verdict]:
    """The verdicts that some rules gave."""
    return [Verdict.of(ruling) for ruling in rulings]


REMARKS = ("extra-variables", "equivalent-design", "cut-off", "size")
"""Flags of notices that tell of a submission and say nothing against it."""


class Notice(Strict):
    """Something the monitor saw that does not decide the grade by itself."""

    flag: str
    """history, truth, installed-copy, clock, disk, judge, …"""
    evidence: Evidence
    """What was seen."""


class Vote(Strict):
    """One reading of one item by a judge."""

    verdict: Status
    """What the judge says."""
    quote: Evidence = ""
    """The words of the submission that prove it."""
    reason: Evidence = ""
    """Why, in the judge's words."""
    void: str | None = None
    """Why it does not count: no answer, or a quote that proves nothing."""


class Judging(Strict):
    """Who judged, every vote, and what that cost, apart from what the agent cost."""

    model: str
    """The judge."""
    repeats: int
    """Votes for each item."""
    calls: int = 0
    """Calls of the model."""
    failed: int = 0
    """Questions without an answer of the asked form, after one repetition."""
    input_tokens: int = 0
    """Tokens that the judge read."""
    output_tokens: int = 0
    """Tokens that the judge wrote."""
    cost: float | None = None
    """Dollars; None when the model has no known price."""
    votes: dict[str, list[Vote]] = {}
    """Item → its votes, as many as there are repeats."""


def share_met(verdicts: Iterable[Verdict]) -> float | None:
    """The share of items that are met, with unknown ones in the denominator: the lowest that it can be.

    None where nothing is known. Integrity is left out: it is owed, not earned.
    """
    statuses = [verdict.status for verdict in verdicts if verdict.phase != "integrity"]
    if not set(statuses) - {"unknown"}:
        return None
    return statuses.count("met") / len(statuses)


class _Unlogged:
    """A value that no log has: grades that differ in it alone are equal."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, compared: object) -> bool:
        return isinstance(compared, _Unlogged)

    def __hash__(self) -> int:
        return 0


class Grade(Strict):
    """All verdicts on one submission."""

    task: str
    """The id of the task."""
    kind: str
    """The kind of task."""
    verdicts: list[Verdict]
    """Every item with its verdict."""
    notices: list[Notice] = []
    """What the monitor saw; a notice decides nothing."""
    score: float | None = None
    """A challenge's raw metric."""
    standard_error: float | None = None
    """The standard error of the score."""
    normalised: float | None = None
    """A challenge's score with the baseline at 0 and the reference at 1."""
    submission: str = ""
    """SHA-256 of the archived submission."""
    seconds: float = 0.0
    """How long grading took."""
    gpu: dict[str, Any] | None = None
    """What grading used of GPUs: which, for how many GPU hours, and the peak of memory; None without any."""
    judge: Judging | None = None
    """None where no judge was asked for."""
    trace: ExecutionTrace | None = None
    """What the re-made run of an experiment executed; None for other tasks and older grades."""
    _results: _Unlogged = PrivateAttr(default_factory=lambda: _Unlogged(None))

    @property
    def results(self) -> object:
        """The numbers of the re-made run, for a reader; None where there are none. No log has them."""
        return self._results.value

    def with_results(self, results: object) -> Grade:
        """The same grade with the numbers of the re-made run."""
        copy = self.model_copy()
        copy._results = _Unlogged(results)
        return copy

    @property
    def passed(self) -> bool | None:
        """True when every item is met, False when one is unmet, None when it cannot be known."""
        return passed(verdict.status for verdict in self.verdicts)

    @property
    def share_met(self) -> float | None:
        """The share of items that are met; an unknown item counts as not met."""
        return share_met(self.verdicts)

    @property
    def caught_by(self) -> Verdict | None:
        """The verdict that speaks first against the submission: integrity before numbers."""
        unmet = [verdict for verdict in self.verdicts if verdict.status == "unmet"]
        return min(unmet, key=lambda verdict: verdict.phase != "integrity", default=None)
