"""Writes what an agent reads of a published task: its own words, without those that reveal the outcome."""

from __future__ import annotations

from assay.benchmarks.expbench.prompt import published_parts, redact_prompt
from assay.benchmarks.expbench.records import CITED, Record
from assay.benchmarks.expbench.redaction import MARK
from assay.tasks.selection import Prompts

_HEADINGS = {"question": "Question", "method": "Method", "instructions": "Instructions"}


def write_instruction(
    record: Record, attempt_seconds: float, run_seconds: float, prompts: Prompts = "redacted"
) -> tuple[str, list[str]]:
    """Return instruction.md, and notes on what was changed in or added to the published words.

    With `published` prompts the words of the question, the method and the instructions stay as they are.
    """
    notes: list[str] = []
    texts = {name: text.strip() for name, text in published_parts(record).items()}
    if prompts == "redacted":
        prompt = redact_prompt(record)
        texts = {name: part.text for name, part in prompt.parts.items()}
        notes += prompt.notes()
        if kept := [decimal for decimal in record.leaked if decimal in "\n".join(texts.values())]:
            notes.append(f"kept, as settings or parts of names: {', '.join(kept)}")
    else:
        notes.append("nothing redacted, as ?prompts=published asks")
    parts = [_HEAD.format(removed=_removed(record))]
    for name, text in texts.items():
        parts.append(f"## {_HEADINGS[name]}\n\n{text}\n")
        if name == "question" and prompts == "redacted" and "?" not in text:
            parts.append(_HYPOTHESIS)
            notes.append("noted that the question is a statement")
    if unseen := sorted(set(CITED.findall(record.prompt))):
        parts.append(
            f"The text cites {', '.join(unseen)} of the paper. Neither the paper nor these are here: find out"
            " by experiment what they would tell.\n"
        )
        notes.append(f"noted that these cannot be seen: {', '.join(unseen)}")
    if prompts == "redacted" and any(MARK in text for text in texts.values()):
        parts.append(_CUT)
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

_HYPOTHESIS = "The question is written as a statement. It is a hypothesis, and it may be false.\n"
_CUT = "Where the text says (redacted) stood a result that the experiment is to find out.\n"

_HAND_IN = """## What to hand in

Leave these files in `/workspace`; further files are welcome.

1. `design.json`, the plan:
   `{{"constant": {{name: value}}, "independent": {{name: [values]}}, "dependent": [names]}}`.
   Name every variable of the experiment, in its role, with the value or values that it takes.
2. Your code, and `reproduce.sh`: `bash reproduce.sh` in `/workspace` runs the whole experiment from scratch,
   in at most {run}, and writes `results.json`, a JSON object with the numbers that were measured and
   with every outcome that your conclusion states. It is run again in a clean copy of the repository,
   without network, and only what that run writes counts. Files that are no text, or longer than 40,000
   bytes and no code, take no part in that run unless it makes them: a reader must be able to see all of it.
3. `conclusion.json`: `{{"summary": "two or three sentences", "claims": {{"outcome": "…"}}}}`. `outcome`
   answers the question in words, with the direction and the size of what was found.

You have {attempt}. What lies there when they are over is graded: design, implementation, execution and
conclusion, each on its own.
"""
