"""What the runs on given and on drawn studies answered, beside the truth and the best known analysis.

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
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "drawing"))

import reference  # noqa: E402
import studies  # noqa: E402

OUTPUTS = Path("outputs")
SIZE_LIMIT = 4 * 2**20
GIVEN, DRAWN = "default", "drawn-studies"
"""Names of the two runs."""
MARGIN = float(studies.SETTINGS["margin"])
LIMITS = {
    "coverage": 0.9,
    "kind": 0.0,
    "true": 0.9,
    "definite": 0.7,
    "correlation": 0.5,
    "error": 1.2,
    "bias": 0.05,
    "choice": 0.6,
    "given": 0.25,
}
MOST_EMPTY = 0.05
"""The share of decidable studies that may have no numbers, where others cannot be decided."""
LIMITS |= studies.SETTINGS.get("limits", {})
Rows = list[dict[str, str]]
Found = tuple[Any, ...]
"""What the best known analysis says of a study: estimate, low, high, and a choice if there is one."""


class Unmet(Exception):
    """The requirement does not hold; the message says what was found."""


def _broken_check(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Python exits with 1 after a traceback, which would read as `unmet`; a broken check must not."""
    traceback.print_exception(kind, error, trace)
    sys.stderr.flush()
    os._exit(2)


sys.excepthook = _broken_check


def decide(check: Callable[[], str]) -> None:
    """Print the evidence; exit 0 if the requirement is met, 1 if not."""
    try:
        evidence = check()
    except Unmet as reason:
        print(reason)
        sys.exit(1)
    print(evidence)


@dataclass(frozen=True)
class Answered:
    """One line of answers.csv; without numbers the study was called undecidable."""

    study: str
    estimate: float | None
    low: float | None
    high: float | None
    answer: str
    choice: str = ""

    @property
    def numbers(self) -> tuple[float, float, float] | None:
        if self.estimate is None or self.low is None or self.high is None:
            return None
        return self.estimate, self.low, self.high


@cache
def drawn_batch() -> dict[str, tuple[list[dict[str, Any]], dict[str, Any]]]:
    """The studies that this grading drew, with their truth."""
    seeds = json.loads((OUTPUTS / "seeds.json").read_text())
    return studies.draw_batch(seeds[DRAWN])


def analyse_all(rows: dict[str, Rows]) -> dict[str, Found | None]:
    """What the best known analysis says of each study, seen together with the others if it can do that."""
    if hasattr(reference, "analyse_all"):
        found: dict[str, Found | None] = reference.analyse_all(rows)
        return found
    return {name: reference.analyse(lines) for name, lines in rows.items()}


@cache
def best_answers() -> dict[str, Found | None]:
    """What the best known analysis says of the drawn studies."""
    return analyse_all({name: studies.as_read(lines) for name, (lines, _) in drawn_batch().items()})


def answer_of(low: float, high: float) -> str:
    """The answer that the instruction's rule gives for an interval."""
    if -MARGIN <= low and high <= MARGIN:
        return "same"
    return "higher" if low > 0 else "lower" if high < 0 else "open"


def submitted(run: str) -> dict[str, Answered]:
    """answers.csv of one run, by study."""
    lines = {}
    for line in _lines(run):
        found = _answered(line, f"answers.csv of run {run!r}")
        if found.study in lines:
            raise Unmet(f"answers.csv of run {run!r} answers {found.study[:20]!r} twice")
        lines[found.study] = found
    return lines


def _lines(run: str) -> list[dict[str, str]]:
    path = OUTPUTS / run / "answers.csv"
    if path.is_symlink() or not path.is_file() or path.stat().st_size > SIZE_LIMIT:
        raise Unmet(f"answers.csv of run {run!r} is missing or too large")
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(text.splitlines(), skipinitialspace=True))
    except (UnicodeDecodeError, csv.Error):
        raise Unmet(f"answers.csv of run {run!r} is not CSV") from None
    cleaned = [{str(name).strip(): str(cell or "").strip() for name, cell in row.items()} for row in rows]
    missing = [name for name in ("study", "estimate", "low", "high", "answer") if cleaned and name not in cleaned[0]]
    if missing or not cleaned:
        raise Unmet(f"answers.csv of run {run!r} has no {f'column {missing[0]}' if missing else 'lines'}")
    return cleaned


def _answered(line: dict[str, str], place: str) -> Answered:
    name = line["study"].removesuffix(".csv")[:40]
    values = [_number(line[column], f"{column} of {name!r} in {place}") for column in ("estimate", "low", "high")]
    if any(value is None for value in values) and values != [None, None, None]:
        raise Unmet(f"{place} gives {name!r} some of its three numbers, expected all or none")
    return Answered(name, *values, line["answer"].lower(), line.get("choice", ""))


def _number(text: str, place: str) -> float | None:
    if text.lower() in ("", "nan", "none", "na"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Unmet(f"{place} is {ascii(text)[:40]}, expected a finite number")
    return value


def truth_of(name: str, choice: str = "") -> float | None:
    """The true number; None where no analysis of the study could find it."""
    truth = drawn_batch()[name][1]
    if "choices" in truth:
        if choice not in truth["choices"]:
            raise Unmet(f"{name!r} chooses {choice[:20]!r}, which is not in the study")
        return float(truth["choices"][choice])
    return None if truth.get("undecidable") else float(truth["effect"])


def kind_of(name: str) -> str:
    """The group of a study in which its intervals are judged; all are one group if the task has no kinds."""
    return str(drawn_batch()[name][1].get("kind", ""))


def decidable() -> list[Answered]:
    """The answers to the studies that can be decided; Unmet if too many of them were called undecidable.

    Where every study can be decided, each has numbers.
    """
    answers = submitted(DRAWN)
    missing = [name for name in drawn_batch() if name not in answers]
    if missing:
        raise Unmet(f"{len(missing)} of {len(drawn_batch())} drawn studies have no line in answers.csv")
    wanted = [answers[name] for name in drawn_batch() if truth_of(name, answers[name].choice) is not None]
    empty = sum(line.numbers is None for line in wanted)
    if empty > (MOST_EMPTY * len(wanted) if len(wanted) < len(drawn_batch()) else 0):
        raise Unmet(f"{empty} of {len(wanted)} studies that can be decided have no numbers")
    return [line for line in wanted if line.numbers is not None]
