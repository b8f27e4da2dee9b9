"""The three kinds of task, and all that differs between them.

A new kind is a name here, a row of `RULES`, and a step of grading. Code elsewhere asks for a rule; only what
is about one kind alone (a curve over n, a score over time) compares with its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

Kind = Literal["masked", "experiment", "challenge"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""In the order in which tables list them."""

MASKED: Final = "masked"
EXPERIMENT: Final = "experiment"
CHALLENGE: Final = "challenge"


@dataclass(frozen=True)
class KindRules:
    """What a kind of task has and needs."""

    needs_run: bool
    """A task needs a run command."""
    needs_metrics: bool
    """A task needs metrics: numbers that its run must give."""
    has_masks: bool
    """A task has masked functions."""
    has_score: bool
    """A task has a continuous score and the table `challenge`."""
    needs_truth: tuple[str, ...]
    """Files that must be in tests/, whatever is known about the experiment."""
    needs_known_truth: tuple[str, ...]
    """Files that must be in tests/ too, where the task has metrics."""
    has_contract: bool
    """An agent can check the form of its files before it ends."""
    is_traced: bool
    """Grading follows which code the plain run executes."""


RULES: Final[dict[Kind, KindRules]] = {
    "masked": KindRules(
        needs_run=True,
        needs_metrics=True,
        has_masks=True,
        has_score=False,
        needs_truth=(),
        needs_known_truth=(),
        has_contract=False,
        is_traced=False,
    ),
    "experiment": KindRules(
        needs_run=True,
        needs_metrics=False,
        has_masks=False,
        has_score=False,
        needs_truth=("conclusion.toml",),
        needs_known_truth=("design.toml", "requirements.toml"),
        has_contract=True,
        is_traced=True,
    ),
    "challenge": KindRules(
        needs_run=False,
        needs_metrics=False,
        has_masks=False,
        has_score=True,
        needs_truth=(),
        needs_known_truth=(),
        has_contract=True,
        is_traced=False,
    ),
}


def rank(kind: str) -> int:
    """The place of a kind in tables; a kind that is not known comes last."""
    return KINDS.index(kind) if kind in KINDS else len(KINDS)
