"""Options that several verbs share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from assay.benchmarks import Suite
    from assay.grading import GradingRules, Tolerance
    from assay.protocols import BenchmarkReport
    from assay.scoring import Method

IntervalName = Literal["wilson", "exact", "bayes"]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; its shape is in docs/json.md.")]
SuiteName = Annotated[
    str, typer.Argument(help="A suite's name, a folder of task folders, or one task folder.")
]
BenchmarkName = Annotated[str, typer.Argument(help="A benchmark's name; `assay suites` lists them.")]
Logs = Annotated[Path, typer.Option("--logs", help="The folder of logs.")]
TaskIds = Annotated[list[str] | None, typer.Option("--task", help="Only this task; may be given again.")]
Dial = Annotated[str | None, typer.Option("--n", help="How many functions are taken out at once: 2, 1-5.")]
Sample = Annotated[
    int | None,
    typer.Option("--sample", min=1, help="At most this many tasks for each n, spread over papers."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The seed of the sample.")]
ToleranceName = Annotated[
    str | None,
    typer.Option("--tolerance", help="default, or published: the original rule, with its gaps."),
]
Interval = Annotated[
    IntervalName,
    typer.Option("--interval", help="Of rates: Wilson's, the exact one (wider), or Jeffreys' posterior."),
]
JudgeModel = Annotated[
    str | None,
    typer.Option("--judge-model", help="Who reads what cannot be run: openai/…, assay/scripted-judge."),
]
JudgeRepeats = Annotated[
    int | None, typer.Option("--judge-repeats", min=1, help="Votes for each item; 3 if left out.")
]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first N tasks.")]


def print_json(value: object) -> None:
    """A value as JSON on standard output."""
    import json

    # Half a character cannot be printed as it is; as an escape it is the same JSON.
    text = json.dumps(value, indent=2, ensure_ascii=False)
    print(text.encode(errors="backslashreplace").decode())


def print_report(report: BenchmarkReport, *, as_json: bool) -> None:
    """A report on standard output, as text or as JSON; its names and titles may be a stranger's."""
    from assay.printable import spelled_out

    if as_json:
        print_json(report.to_json())
        return
    for line in report.lines():
        print(spelled_out(line, kept="\n\t"))


def parse_price(text: str | None) -> tuple[float, float] | None:
    """The price that `--price` states, in dollars per million tokens."""
    from assay.errors import UsageError

    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
        if not 0 <= min(first, second) <= max(first, second) < math.inf:
            raise ValueError
    except ValueError:
        raise UsageError(f"--price is {text!r}, expected INPUT,OUTPUT such as 0.15,0.60") from None
    return first, second


def read_interval(name: IntervalName) -> Method:
    """What `--interval` asks for."""
    return "jeffreys" if name == "bayes" else name


def choose(
    suite: str,
    *,
    tasks: Sequence[str] = (),
    limit: int | None = None,
    n: str | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> Suite:
    """The tasks of a suite that the options ask for."""
    from assay.benchmarks import load_suite
    from assay.masking.dial import Selection, parse_n

    selection = Selection(n=parse_n(n) if n else None, sample=sample, seed=seed, ids=tuple(tasks))
    loaded = load_suite(suite, selection if selection != Selection() else None)
    return loaded.only(limit=limit)


def read_tolerance(text: str | None) -> Tolerance | None:
    """A tolerance by its name."""
    from assay.errors import UsageError

    tolerances: dict[str | None, Tolerance | None] = {
        None: None,
        "default": "default",
        "published": "published",
    }
    if text in tolerances:
        return tolerances[text]
    raise UsageError(f"--tolerance is {text!r}", hint="expected default or published")


def read_rules(tolerance: str | None, judge_model: str | None, judge_repeats: int | None) -> GradingRules:
    """How to grade, by the options that state it."""
    from assay.grading import GradingRules

    return GradingRules(read_tolerance(tolerance) or "default", judge_model, judge_repeats or 3)
