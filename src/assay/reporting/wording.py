"""How numbers are said: shares with their counts, tokens, money, time."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.scoring import Attempt, Method, Rate

METHODS: dict[Method, str] = {
    "wilson": "Wilson",
    "exact": "exact: Clopper and Pearson",
    "jeffreys": "Bayesian: Jeffreys’ prior",
    "uniform": "Bayesian: flat prior",
}
"""How an interval was made, in words."""


def percent(share: float | None) -> str:
    """Whole percents, which say 0 and 100 only for exactly none and all."""
    if share is None:
        return "–"
    rounded = round(share * 100)
    if rounded == 0 and share > 0:
        return "<1"
    return ">99" if rounded == 100 and share < 1 else str(rounded)


def rate_text(rate: Rate | None) -> str:
    """A rate in one line: `11/12 92% [65, 99]`, with what is unknown behind it."""
    if rate is None or rate.attempts == 0:
        return "–"
    text = f"{rate.passed}/{rate.attempts} {percent(rate.rate)}% {interval_text(rate)}"
    return f"{text} ({unknown_text(rate)})" if rate.unknown else text


def behind(**parts: object) -> str:
    """The address, within the page, of the attempts that a number counts."""
    return "#of?" + _query(parts)


def paired(**parts: object) -> str:
    """The address, within the page, of the tasks that a difference of two agents is made of."""
    return "#pair?" + _query(parts)


def _query(parts: Mapping[str, object]) -> str:
    from urllib.parse import urlencode

    return urlencode({name: str(value) for name, value in parts.items() if value is not None})


def interval_text(rate: Rate) -> str:
    """The interval in percents."""
    return f"[{percent(rate.low)}, {percent(rate.high)}]"


def unknown_text(rate: Rate) -> str:
    """How many attempts are unknown, and whose doing that is."""
    owners = ", ".join(f"{owner} {count}" for owner, count in rate.missing.items())
    return f"{rate.unknown} unknown: {owners}"


def count(number: int, noun: str) -> str:
    """A counted noun: `1 attempt`, `12 attempts`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


LINE_BREAK = " ⏎ "
"""How graders write a line break of a program's output into one line of evidence."""


def gist(evidence: str) -> str:
    """Evidence in one line: of a traceback how it begins and its last line, which names the error."""
    lines = [line.strip() for line in evidence.replace(LINE_BREAK, "\n").splitlines() if line.strip()]
    if len(lines) < 2:
        return "".join(lines)
    start = lines[0].partition("Traceback")[0].strip().rstrip(":")
    return f"{start}: {lines[-1]}" if start else lines[-1]


def score_text(score: float | None, *, signed: bool = False) -> str:
    """A normalised score: baseline 0, reference 1."""
    if score is None:
        return "–"
    rounded = round(score, 3) + 0.0
    return f"{rounded:{'+' if signed and rounded else ''}.3f}".replace("-", "−")


def tokens_text(tokens: int) -> str:
    """Tokens to three digits: 2,560, 31.4k, 1.26M."""
    if tokens < 10_000:
        return f"{tokens:,}"
    return f"{tokens / 1000:.1f}k" if tokens < 1_000_000 else f"{tokens / 1_000_000:.2f}M"


def money_text(cost: float | None) -> str:
    """Dollars, or a dash where no price is known."""
    if cost is None:
        return "–"
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def time_text(seconds: float | None) -> str:
    """A duration as people say it."""
    if seconds is None:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest_seconds:02d} s"


def commands(attempts: Sequence[Attempt], method: Method = "wilson") -> dict[str, str]:
    """What re-makes the scorecard, the figures, … from the logs that were read, and their one folder."""
    folders = sorted({str(Path(attempt.log).parent) for attempt in attempts if attempt.log}) or ["LOGS"]
    # Folders within folders are found from the outermost one.
    outer = [
        folder
        for folder in folders
        if not any(
            Path(folder).is_relative_to(outer_folder) for outer_folder in folders if outer_folder != folder
        )
    ]
    names = {"jeffreys": "bayes"}
    logs = shlex.join(outer) + ("" if method == "wilson" else f" --interval {names.get(method, method)}")
    return {
        "report": f"assay report {logs} --json",
        "figures": f"assay report {logs} --figures",
        "failures": f"assay failures {logs} --json",
        "phases": f"assay report {logs} --table phases --json",
        "challenges": f"assay report {logs} --table challenges --json",
        "items": f"assay report {logs} --table items --json",
        "compare": f"assay compare {logs}",
        "view": f"assay view {shlex.quote(outer[0])}",
        "folder": outer[0] if len(outer) == 1 else "",
    }
