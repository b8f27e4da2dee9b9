"""Judges the answers to the battery that grading drew: complete, covering in every kind, sharp, true, from the data.

Nothing that a submission wrote is trusted: whatever is wrong with it is Unmet, in one line.
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import correlation, mean
from types import TracebackType
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "drawing"))

import battery  # noqa: E402
import reference  # noqa: E402
from rounding import contains, disagreement, possible_answers  # noqa: E402
from scores import error_ratio, interval_score, other_widths, score_ratios  # noqa: E402

OUTPUTS = Path("outputs")
SIZE_LIMIT = 4 * 2**20
DRAWN = "drawn-studies"
FEWEST = 10
"""Studies of one kind below which its coverage is not judged."""
MARGIN = float(battery.SETTINGS["margin"])
LIMITS = {"coverage": 0.9, "kind": 0.8, "true": 0.9, "definite": 0.7, "correlation": 0.5, "error": 1.2}
LIMITS |= battery.SETTINGS["limits"]
LEFT_OUT = 4.0
"""What a study without numbers counts as, in widths of the best known analysis, if the number could be found."""
ANSWERS = ("higher", "lower", "same", "open")


class Unmet(Exception):
    """The requirement does not hold; the message says what was found."""


@dataclass(frozen=True)
class Line:
    """One line of answers.csv; `numbers` are estimate, low and high, or None for a study called undecidable."""

    study: str
    numbers: tuple[float, float, float] | None
    answer: str


def _exit_as_broken(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`; a broken check must not."""
    traceback.print_exception(kind, error, trace)
    sys.stderr.flush()
    os._exit(2)


def answer_of(low: float, high: float) -> str:
    """The answer that the instruction's rule gives for an interval."""
    if -MARGIN <= low and high <= MARGIN:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def read_lines(run: str) -> dict[str, Line]:
    """answers.csv of one run, by study."""
    path, place = OUTPUTS / run / "answers.csv", f"answers.csv of run {run!r}"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
        raise Unmet(f"{place} is missing or too large")
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(), skipinitialspace=True))
    except (UnicodeDecodeError, csv.Error):
        raise Unmet(f"{place} is not CSV") from None
    lines: dict[str, Line] = {}
    for row in rows:
        line = read_line({str(name).strip(): str(cell or "").strip() for name, cell in row.items()}, place)
        if line.study in lines:
            raise Unmet(f"{place} answers {line.study[:20]!r} twice")
        lines[line.study] = line
    return lines


def read_line(cells: dict[str, str], place: str) -> Line:
    """One line, with its answer checked against its interval."""
    missing = [name for name in ("study", "estimate", "low", "high", "answer") if name not in cells]
    if missing:
        raise Unmet(f"{place} has no column {missing[0]}")
    study, answer = cells["study"].removesuffix(".csv")[:40], cells["answer"].lower()
    values = [read_number(cells[column], f"{column} of {study!r} in {place}") for column in ("estimate", "low", "high")]
    known = [value for value in values if value is not None]
    if answer not in ANSWERS:
        raise Unmet(f"the answer of {study!r} in {place} is none of {', '.join(ANSWERS)}")
    if not known:
        if answer != "open":
            raise Unmet(f"{study!r} has no numbers in {place} and is not called open")
        return Line(study, None, answer)
    if len(known) < 3:
        raise Unmet(f"{place} gives {study!r} some of its three numbers, expected all or none")
    estimate, low, high = known
    if not contains(low, estimate, high, MARGIN):
        raise Unmet(f"the interval of {study!r} in {place} does not contain its estimate")
    if answer not in possible_answers(low, high, MARGIN, answer_of):
        raise Unmet(f"{study!r} is called {answer} in {place}, its interval says otherwise")
    return Line(study, (estimate, low, high), answer)


def read_number(text: str, place: str) -> float | None:
    """A finite number, or None for an empty cell."""
    if text.lower() in ("", "nan", "none", "na"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Unmet(f"{place} is {ascii(text)[:40]}, expected a finite number")
    return value


def analyse_all(rows: dict[str, list[dict[str, str]]]) -> dict[str, tuple[float, float, float] | None]:
    """What the best known analysis says of each study, seen together with the others if it can do that."""
    if hasattr(reference, "analyse_all"):
        found: dict[str, tuple[float, float, float] | None] = reference.analyse_all(rows)
        return found
    return {name: reference.analyse(lines) for name, lines in rows.items()}


class Judge:
    """The battery that grading drew, the submitted lines, and the reference analysis of the same files."""

    def __init__(self) -> None:
        given, self.lines = read_lines("default"), read_lines(DRAWN)
        widths = []
        for run, lines in (("default", given), (DRAWN, self.lines)):
            numbers = {name: line.numbers for name, line in lines.items()}
            if reason := disagreement(OUTPUTS / run / "results.json", numbers, MARGIN):
                raise Unmet(f"run {run!r}: {reason}")
            widths.append([found[2] - found[1] for found in numbers.values() if found is not None])
        if reason := other_widths(*widths):
            raise Unmet(reason)
        seed = json.loads((OUTPUTS / "seeds.json").read_text())[DRAWN]
        drawn = battery.draw_battery(seed, battery.SETTINGS["count"])
        if set(self.lines) != set(drawn):
            raise Unmet(f"answers.csv has {len(self.lines)} lines for {len(drawn)} drawn studies, or other names")
        self.truths: dict[str, dict[str, Any]] = {name: truth for name, (_, truth) in drawn.items()}
        self.reference = analyse_all({name: battery.as_read(rows) for name, (rows, _) in drawn.items()})
        solvable = [name for name, truth in self.truths.items() if not truth.get("undecidable")]
        self.solvable = [name for name in solvable if self.lines[name].numbers is not None]
        self.left_out = len(solvable) - len(self.solvable)

    def effect(self, name: str) -> float:
        return float(self.truths[name]["effect"])

    def numbers(self, name: str) -> tuple[float, float, float]:
        numbers = self.lines[name].numbers
        assert numbers is not None
        return numbers

    def judge_empty(self) -> str:
        """Studies without numbers are those that cannot be decided."""
        hopeless = [name for name, truth in self.truths.items() if truth.get("undecidable")]
        claimed = sum(self.lines[name].numbers is not None for name in hopeless)
        evidence = f"{claimed} of {len(hopeless)} undecidable studies have numbers, {self.left_out} others have none"
        if claimed > 0.1 * len(hopeless) or self.left_out > 0.05 * (len(self.solvable) + self.left_out):
            raise Unmet(evidence)
        return evidence

    def judge_coverage(self) -> str:
        """The intervals contain the true numbers, also in the kind of study where they do so least often."""
        inside: dict[str, list[bool]] = {}
        for name in self.solvable:
            _, low, high = self.numbers(name)
            inside.setdefault(self.truths[name]["kind"], []).append(low <= self.effect(name) <= high)
        total = mean(hit for hits in inside.values() for hit in hits)
        worst = min(mean(hits) for hits in inside.values() if len(hits) >= FEWEST)
        evidence = f"intervals contain the true number in {total:.1%} of the studies, in the worst kind {worst:.1%}"
        if total < LIMITS["coverage"] or worst < LIMITS["kind"]:
            raise Unmet(evidence)
        return evidence

    def judge_score(self) -> str:
        """The interval score is nearly that of the best known analysis, also in the kind where it is least so."""
        scores = []
        for name, truth in self.truths.items():
            found, numbers = self.reference[name], self.lines[name].numbers
            if found is None or truth.get("undecidable"):
                continue
            effect, unit = self.effect(name), found[2] - found[1]
            own = LEFT_OUT if numbers is None else interval_score(numbers[1], numbers[2], effect, unit)
            scores.append((truth["kind"], own, interval_score(found[1], found[2], effect, unit)))
        total, worst = score_ratios(scores)
        evidence = f"intervals score {total:.3f} times as much as those of the best known analysis, in the worst kind {worst:.3f}"
        if total > LIMITS["score"] or worst > LIMITS["kind_score"]:
            raise Unmet(evidence)
        return evidence

    def judge_answers(self) -> str:
        """Definite answers are true, and there are enough of them."""
        right = definite = possible = 0
        for name in self.solvable:
            answer, effect, found = self.lines[name].answer, self.effect(name), self.reference[name]
            possible += found is not None and answer_of(found[1], found[2]) != "open"
            if answer != "open":
                definite += 1
                right += abs(effect) <= MARGIN if answer == "same" else (effect > 0) == (answer == "higher")
        evidence = f"{right} of {definite} definite answers are true, a good analysis gives {possible}"
        if right < LIMITS["true"] * definite or definite < LIMITS["definite"] * possible:
            raise Unmet(evidence)
        return evidence

    def judge_errors(self) -> str:
        """Estimates are nearly as near as those of the best known analysis, and stray from the truth as the data do."""
        own, expected = [], []
        for name in self.solvable:
            found = self.reference[name]
            if found is not None and found[2] > found[1]:
                spread = found[2] - found[1]
                own.append((self.numbers(name)[0] - self.effect(name)) / spread)
                expected.append((found[0] - self.effect(name)) / spread)
        size = error_ratio(zip(own, expected, strict=True))
        own = [max(-2.0, min(2.0, error)) for error in own]
        together = correlation(own, expected) if len(set(own)) > 1 else 0.0
        evidence = f"errors are {size:.3f} times those of the best known analysis and correlate by {together:.2f} with them"
        if size > LIMITS["error"] or together < LIMITS["correlation"]:
            raise Unmet(evidence)
        return evidence


def main() -> None:
    """Print the evidence of every rule; exit 0 if all hold, 1 if not."""
    sys.excepthook = _exit_as_broken
    evidence, holds = [], True
    try:
        judge = Judge()
        rules: tuple[Callable[[], str], ...] = (
            judge.judge_empty,
            judge.judge_coverage,
            judge.judge_score,
            judge.judge_answers,
            judge.judge_errors,
        )
        if not judge.solvable:
            raise Unmet("no study that can be decided has numbers")
    except Unmet as reason:
        print(reason)
        sys.exit(1)
    for rule in rules:
        try:
            evidence.append(rule())
        except Unmet as reason:
            holds = False
            evidence.insert(0, f"not met: {reason}")
    print("; ".join(evidence))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
