"""Every study has one line, and its answer is the one that the rule gives for its interval."""

from __future__ import annotations

from batch import ANSWERS, DRAWN, Unmet, answer_of, decide, drawn_batch, submitted, truth_of


def check() -> str:
    for run in ("default", DRAWN):
        for line in submitted(run).values():
            if line.answer not in ANSWERS:
                raise Unmet(f"run {run!r}: the answer of {line.study!r} is none of {', '.join(ANSWERS)}")
            if line.numbers is None:
                if line.answer != "open":
                    raise Unmet(f"run {run!r}: {line.study!r} has no numbers and is not called open")
                continue
            estimate, low, high = line.numbers
            if not low <= estimate <= high:
                raise Unmet(f"run {run!r}: the interval of {line.study!r} does not contain its estimate")
            if line.answer != answer_of(low, high) and line.answer != answer_of(round(low, 3), round(high, 3)):
                raise Unmet(f"run {run!r}: {line.study!r} is called {line.answer}, its interval says otherwise")
    answers = submitted()
    if set(answers) != set(drawn_batch()):
        raise Unmet(f"{len(answers)} lines for {len(drawn_batch())} drawn studies")
    hopeless = [name for name in drawn_batch() if truth_of(name, answers[name].choice) is None]
    claimed = sum(answers[name].numbers is not None for name in hopeless)
    if claimed > 0.1 * len(hopeless):
        raise Unmet(f"{claimed} of {len(hopeless)} studies that cannot be decided have an estimate")
    return f"{len(answers)} drawn studies, each answered once by the rule"


decide(check)
