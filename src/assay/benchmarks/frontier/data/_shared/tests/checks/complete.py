"""Every study has one line that follows the rule, and results.json has the same numbers."""

from __future__ import annotations

from batch import DRAWN, GIVEN, MARGIN, OUTPUTS, Unmet, answer_of, decide, drawn_batch, submitted, truth_of
from rounding import contains, disagreement, possible_answers

ANSWERS = ("higher", "lower", "same", "open")
MOST_CLAIMED = 0.1
"""The share of undecidable studies that may have numbers."""


def check_rule(run: str) -> None:
    """The lines of a run follow the rule of the instruction, and results.json has their numbers."""
    lines = submitted(run)
    for line in lines.values():
        if line.answer not in ANSWERS:
            raise Unmet(f"run {run!r}: the answer of {line.study!r} is none of {', '.join(ANSWERS)}")
        if line.numbers is None:
            if line.answer != "open":
                raise Unmet(f"run {run!r}: {line.study!r} has no numbers and is not called open")
            continue
        estimate, low, high = line.numbers
        if not contains(low, estimate, high, MARGIN):
            raise Unmet(f"run {run!r}: the interval of {line.study!r} does not contain its estimate")
        if line.answer not in possible_answers(low, high, MARGIN, answer_of):
            raise Unmet(f"run {run!r}: {line.study!r} is called {line.answer}, its interval says otherwise")
    numbers = {name: line.numbers for name, line in lines.items()}
    if reason := disagreement(OUTPUTS / run / "results.json", numbers, MARGIN):
        raise Unmet(f"run {run!r}: {reason}")


def check() -> str:
    for run in (GIVEN, DRAWN):
        check_rule(run)
    answers, drawn = submitted(DRAWN), drawn_batch()
    if set(answers) != set(drawn):
        raise Unmet(f"answers.csv has {len(answers)} lines for {len(drawn)} drawn studies, or other names")
    hopeless = [name for name in drawn if truth_of(name, answers[name].choice) is None]
    claimed = sum(answers[name].numbers is not None for name in hopeless)
    if claimed > MOST_CLAIMED * len(hopeless):
        raise Unmet(f"{claimed} of {len(hopeless)} studies that cannot be decided have an estimate")
    return f"{len(answers)} drawn studies, each answered once by the rule"


decide(check)
