"""An attempt as it is counted: who tried what, how it ended, and on which evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from pydantic import Field

from assay.grading.checkpoint import Checkpoint
from assay.grading.runs import Runs
from assay.grading.verdict import Notice, Owner, Verdict, share_met
from assay.printable import Printable
from assay.tasks.kinds import MASKED
from assay.tasks.metric import Strict

Outcome = Literal["passed", "failed", "unknown"]

Role = Literal["agent", "calibrator", "honest", "cheat"]
"""Agents are measured; the others are of known worth and measure the tasks and the grader."""


NOT_RECORDED = "not recorded"
"""The kind of sandbox where the log does not say: versions before 0.3 did not record it."""
_EACH_PROCESS = re.compile(r"\b(?:memory|processes): rlimit")
"""Limits that hold for each process alone, so that an agent may use more."""


class Attempt(Strict):
    """One agent on one task once."""

    suite: Printable
    agent: Printable
    model: Printable
    task: Printable
    epoch: int
    source: str = ""
    """What the suite was loaded by: its name, or its folder."""
    role: Role = "agent"
    description: str = ""
    """What the agent tries, in one line."""
    agent_code: str = ""
    """Digest of the agent's program; empty for an agent with a model, or where the log does not say."""
    recorded: str = ""
    """The day on which a recorded agent worked; empty for an agent that worked in this run."""
    title: str = ""
    kind: Printable = MASKED
    n: int | None = None
    """How many functions were removed, for a masked task."""
    labels: dict[str, str] = Field(default_factory=dict)
    """What the task is counted under beside its kind: type, category, difficulty."""
    certified: bool = False
    digest: str = ""
    asked: str = ""
    """The instruction that the agent read."""
    passed: bool | None = None
    """None when it cannot be known; the owner says whose doing that is."""
    owner: Owner | None = None
    """Who owns it when it did not pass."""
    caught_by: str | None = None
    """The item that speaks first against the submission."""
    verdicts: list[Verdict] = Field(default_factory=list)
    notices: list[Notice] = Field(default_factory=list)
    score: float | None = None
    standard_error: float | None = None
    normalised: float | None = None
    checkpoints: list[Checkpoint] = Field(default_factory=list)
    """Scores on the way, in the order of time; empty where the log has none."""
    seconds_allowed: float | None = None
    """The time that the attempt had; None where the log does not say."""
    lacking: str = ""
    """What the task declares and the machine of the run did not have: then a failure is the task's."""
    error: str | None = None
    """What halted an attempt that has no grade."""
    limit: str | None = None
    """Which limit ended the agent's work: time, tokens, cost, …"""
    runs: Runs | None = None
    """The agent's own runs of the experiment; None where the log does not say."""
    tokens: int = 0
    output_tokens: int = 0
    """Those of the tokens that the model wrote."""
    cost: float | None = None
    """Dollars; None when the model has no known price."""
    seconds: float | None = None
    working_seconds: float | None = None
    """Without the waiting for rate limits, retries and people."""
    grading_seconds: float | None = None
    gpu_hours: float | None = None
    """GPU hours of the attempt, from when it got its GPUs to when it was over; None without a GPU."""
    grading_gpu_hours: float | None = None
    gpu_peak_mb: float | None = None
    """The most GPU memory that attempt or grading used at once; None where it was not read."""
    machine: dict[str, str] = Field(default_factory=dict)
    """What made the attempt: node, processor, gpu, `alone` if no other attempt ran there, and the sandbox,
    its version and what holds each limit; empty where the log does not say."""
    made_with: str = ""
    """Packages and GPUs of the attempt, where they are not those that the task asks for."""
    load: float | None = None
    """Load of that machine over one minute when the agent ended; None where the log does not say."""
    submission: str = ""
    """SHA-256 of the archive in `submissions/` beside the log."""
    transcript: str = ""
    """SHA-256 of the archive in `transcripts/` beside the log; empty where none was kept."""
    log: str = ""
    sample: str = ""
    """Inspect's identifier of the sample."""
    completed: str = ""
    """When it ended, as an ISO date."""

    @property
    def outcome(self) -> Outcome:
        """The one word that is shown."""
        return "unknown" if self.passed is None else "passed" if self.passed else "failed"

    @property
    def sandbox(self) -> str:
        """The kind of sandbox that the agent worked in; `not recorded` where the log does not say."""
        kind = self.machine.get("sandbox", NOT_RECORDED)
        limits = self.machine.get("limits", "")
        return f"{kind} without control groups" if _EACH_PROCESS.search(limits) else kind

    @property
    def share(self) -> float | None:
        """The share of items that are met; an unknown item counts as not met."""
        return share_met(self.verdicts)

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What makes two samples the same attempt."""
        return (self.suite, self.agent, self.model, self.task, self.epoch)


class ItemRow(Strict):
    """One line of the long table: an attempt and one of its verdicts."""

    suite: str
    agent: str
    model: str
    task: str
    kind: str
    epoch: int
    item: str
    phase: str
    status: str
    owner: Owner | None
    evidence: str
    sample: str


def long_table(attempts: Iterable[Attempt]) -> Iterator[ItemRow]:
    """Every verdict of every attempt, one row each; an attempt without a grade has none."""
    for attempt in attempts:
        for verdict in attempt.verdicts:
            yield ItemRow(
                suite=attempt.suite,
                agent=attempt.agent,
                model=attempt.model,
                task=attempt.task,
                kind=attempt.kind,
                epoch=attempt.epoch,
                item=verdict.item,
                phase=verdict.phase,
                status=verdict.status,
                owner=verdict.owner,
                evidence=verdict.evidence,
                sample=attempt.sample,
            )
