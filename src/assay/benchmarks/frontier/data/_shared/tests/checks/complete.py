"""Every study has one line that follows the rule, and results.json has the same numbers."""

from __future__ import annotations

from batch import ANSWERS, DRAWN, MARGIN, OUTPUTS, Answered, Unmet, answer_of, decide, drawn_batch, submitted, truth_of
from rounding import contains, disagreement, possible_answers
from scores import other_widths


def check_line(line: Answered, run: str) -> None:
    if line.answer not in ANSWERS:
        raise Unmet(f"run {run!r}: the answer of {line.study!r} is none of {', '.join(ANSWERS)}")
    if line.numbers is None:
        if line.answer != "open":
            raise Unmet(f"run {run!r}: {line.study!r} has no numbers and is not called open")
        return
    estimate, low, high = line.numbers
    if not contains(low, estimate, high, MARGIN):
        raise Unmet(f"run {run!r}: the interval of {line.study!r} does not contain its estimate")
    if line.answer not in possible_answers(low, high, MARGIN, answer_of):
        raise Unmet(f"run {run!r}: {line.study!r} is called {line.answer}, its interval says otherwise")


def check() -> str:
    widths = {}
    for run in ("default", DRAWN):
        lines = submitted(run)
        for line in lines.values():
            check_line(line, run)
        numbers = {name: line.numbers for name, line in lines.items()}
        if reason := disagreement(OUTPUTS / run / "results.json", numbers, MARGIN):
            raise Unmet(f"run {run!r}: {reason}")
        widths[run] = [found[2] - found[1] for found in numbers.values() if found is not None]
    if reason := other_widths(widths["default"], widths[DRAWN]):
        raise Unmet(reason)
    answers = submitted()
    if set(answers) != set(drawn_batch()):
        raise Unmet(f"{len(answers)} lines for {len(drawn_batch())} drawn studies")
    hopeless = [name for name in drawn_batch() if truth_of(name, answers[name].choice) is None]
    claimed = sum(answers[name].numbers is not None for name in hopeless)
    if claimed > 0.1 * len(hopeless):
        raise Unmet(f"{claimed} of {len(hopeless)} studies that cannot be decided have an estimate")
    return f"{len(answers)} drawn studies, each answered once by the rule"


decide(check)
