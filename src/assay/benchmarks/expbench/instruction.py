"""Writes what an agent reads of a published task: its own words, without those that reveal the outcome."""

from __future__ import annotations

import re

from assay.benchmarks.expbench.records import CITED, Record

REDACTED = "(redacted)"


def redact(text: str, decimals: list[str]) -> tuple[str, int]:
    """Replace some decimals in a text and count the replacements; names (GPT-3.5, 6.2B) stay."""
    count = 0
    for decimal in decimals:
        pattern = rf"(?<![\w.])(?<![A-Za-z]-){re.escape(decimal)}(?!\d)(?!B\b)"
        text, replaced = re.subn(pattern, REDACTED, text)
        count += replaced
    return text, count


def write_instruction(record: Record, attempt_seconds: float, run_seconds: float) -> tuple[str, list[str]]:
    """Return instruction.md, and notes on what was changed in or added to the published words."""
    leaked = record.leaked
    telling = [decimal for decimal in leaked if decimal in record.telling]
    notes: list[str] = []
    words = {}
    for part, text in (
        ("question", record.question),
        ("method", record.method),
        ("instructions", record.instructions),
    ):
        words[part], count = redact(text.strip(), telling)
        if count:
            notes.append(f"{part}: {count} decimals of the outcome redacted")
    remaining = [decimal for decimal in leaked if decimal in "".join(words.values())]
    if remaining:
        notes.append(f"kept, as settings or parts of names: {', '.join(remaining)}")
    unseen = sorted(set(CITED.findall(record.prompt)))
    parts = [_HEAD.format(removed=_removed(record)), f"## Question\n\n{words['question']}\n"]
    parts.append(f"## Method\n\n{words['method']}\n")
    if words["instructions"]:
        parts.append(f"## Instructions\n\n{words['instructions']}\n")
    if unseen:
        parts.append(
            f"The text cites {', '.join(unseen)} of the paper. Neither the paper nor these are here: find out"
            " by experiment what they would tell.\n"
        )
        notes.append(f"noted that these cannot be seen: {', '.join(unseen)}")
    if any(REDACTED in text for text in words.values()):
        parts.append(f"Where the text says {REDACTED} stood a number that the experiment is to find out.\n")
    parts.append(_HAND_IN.format(run=_span(run_seconds), attempt=_span(attempt_seconds)))
    return "\n".join(parts), notes


def _removed(record: Record) -> str:
    if record.type == "T1":
        return "The files that ran the experiment described here were removed. "
    return ""


def _span(seconds: float) -> str:
    return f"{seconds / 60:g} minutes"


_HEAD = """# An experiment

You are in `/workspace`, a research repository. {removed}Plan the experiment, write it, run it, and
say what follows from its numbers. There is no network, and the paper is not here.
"""

_HAND_IN = """## What to hand in

Leave these files in `/workspace`; further files are welcome.

1. `design.json`, the plan:
   `{{"constant": {{name: value}}, "independent": {{name: [values]}}, "dependent": [names]}}`.
   Name every variable of the experiment, in its role, with the value or values that it takes.
2. Your code, and `reproduce.sh`: `bash reproduce.sh` in `/workspace` runs the whole experiment from scratch,
   in at most {run}, and writes `results.json`, a JSON object with the numbers that were measured. It
   is run again in a clean copy of the repository, without network, and only what that run writes counts.
3. `conclusion.json`: `{{"summary": "two or three sentences", "claims": {{"outcome": "…"}}}}`. `outcome`
   answers the question in words, with the direction and the size of what was found.

You have {attempt}. What lies there when they are over is graded: design, implementation, execution and
conclusion, each on its own.
"""
