"""What a judge will take: the questions for the items that it must read.

A blind reader is asked every question in two wordings, whatever the number of repeats; what has no truth as
data is judged as often as it is repeated.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.planning.prices import money
from assay.tasks import Claim, Task, Variable
from assay.tasks.metric import Strict

QUESTION_READS = 2_500
QUESTION_WRITES = 120
SECONDS_A_QUESTION = 3.0

WORDINGS = 2
"""Questions to a blind reader for one thing that it must find."""
LEAST_BLIND = 4
"""Requirements without a check from which on they are read blind."""

ASSUMED_QUESTION = (
    f"assumed: {QUESTION_READS:,} tokens in and {QUESTION_WRITES} out for a question,"
    f" {SECONDS_A_QUESTION:g} s; blind reading asks in two wordings, and agrees at once"
)


class JudgeForecast(Strict):
    """What the judge is expected to take in the whole run; dollars are None where no price is known."""

    model: str
    """The judge."""
    repeats: int
    """Votes for each item."""
    items: int
    """Items of all attempts that the judge must read."""
    calls: int
    """Questions to the judge, at least: a long submission is read in parts."""
    input_tokens: int
    """Tokens that the judge will read."""
    output_tokens: int
    """Tokens that the judge will write."""
    dollars: float | None
    """Expected cost."""
    price: str
    """Where the price comes from, or what to do where there is none."""
    hours: float
    """Expected time, one question after the other."""
    basis: str
    """The assumptions in words."""


def expect_judge(
    tasks: Sequence[Task], attempts: int, model: str, repeats: int, price: tuple[float, float] | None
) -> JudgeForecast:
    """Return what a judge will take over some attempts at each task."""
    items = attempts * sum(map(items_to_read, tasks))
    calls = attempts * sum(questions_to_ask(task, repeats) for task in tasks)
    read, written = calls * QUESTION_READS, calls * QUESTION_WRITES
    dollars, source = money(model, price, read, written, [], 0)
    return JudgeForecast(
        model=model,
        repeats=repeats,
        items=items,
        calls=calls,
        input_tokens=read,
        output_tokens=written,
        dollars=dollars,
        price=source.replace("--price", "--judge-price"),
        hours=calls * SECONDS_A_QUESTION / 3600,
        basis=ASSUMED_QUESTION,
    )


def items_to_read(task: Task) -> int:
    """Count the items of a task that no run decides: variables, requirements and parts of statements."""
    variables = len(task.design.variable) if task.design else 0
    requirements = task.requirements.requirement if task.requirements else []
    claims = task.conclusion.claim if task.conclusion else []
    unchecked = sum(not requirement.check and not requirement.facts for requirement in requirements)
    return (
        variables + unchecked + sum(max(1, len(claim.parts)) for claim in claims if claim.kind == "statement")
    )


def questions_to_ask(task: Task, repeats: int) -> int:
    """Count the questions about the items of a task that no run decides."""
    variables = task.design.variable if task.design else []
    requirements = task.requirements.requirement if task.requirements else []
    claims = task.conclusion.claim if task.conclusion else []
    unchecked = [requirement for requirement in requirements if requirement.check is None]
    # A requirement is found in the code first, and then chosen among others.
    each_requirement = 2 * WORDINGS if len(unchecked) >= LEAST_BLIND else repeats
    return (
        sum(_variable_questions(variable, repeats) for variable in variables)
        + each_requirement * sum(not requirement.facts for requirement in unchecked)
        + sum(_claim_questions(claim, repeats) for claim in claims if claim.kind == "statement")
    )


def _variable_questions(variable: Variable, repeats: int) -> int:
    """The role, and the values where they count."""
    if variable.match is None:
        return repeats
    return WORDINGS if variable.match == "none" else 2 * WORDINGS


def _claim_questions(claim: Claim, repeats: int) -> int:
    """What the text says about each part, what the results say, and where its numbers stand."""
    parts = [part for part in claim.parts if part.core]
    if not parts:
        return repeats
    compared = sum(part.kind != "value" for part in parts)
    return WORDINGS * (len(parts) + compared + 1)
