"""What a judge will take: one question for each item that must be read, as often as it is repeated."""

from __future__ import annotations

from collections.abc import Sequence

from assay.planning.prices import money
from assay.tasks import Task
from assay.tasks.metric import Strict

QUESTION_READS = 2_500
QUESTION_WRITES = 120
SECONDS_A_QUESTION = 3.0

ASSUMED_QUESTION = (
    f"assumed: a question for each item that no run decides, {QUESTION_READS:,} tokens in and"
    f" {QUESTION_WRITES} out, {SECONDS_A_QUESTION:g} s"
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
    """Questions to the judge."""
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
    calls = items * repeats
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
