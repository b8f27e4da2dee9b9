"""What the agent reads: question, method, settings, and the files to hand in."""

from __future__ import annotations

import math

from assay.curation.drafting.model import TaskDraft
from assay.curation.settings import FAR
from assay.tasks.truth import Claim

LEAST_SECONDS = 20.0
_INTRODUCTION = (
    "You are in `/workspace`, the code of a research project. The script that ran the experiment described "
    "here was removed. Plan the experiment, write it, run it, and say what follows from its numbers."
)
_SETTINGS = (
    "If the environment variable `ASSAY_DATA` is set, it names a JSON file with other values for some of "
    "these settings; use them."
)
_FRESH = (
    "If `ASSAY_SEED` is set to an integer s, use {value} · (180 − s mod 60) / {divisor}{rounded} "
    "for `{name}`, unless `ASSAY_DATA` gives it a value."
)
_SEED = "Add the integer in `ASSAY_SEED`, if that is set, to every seed that you use."
_DESIGN = (
    '1. `design.json`, the plan: `{{"constant": {{name: value}}, "independent": {{name: [values]}}, '
    '"dependent": [names]}}`. Give each of these variables its role and its values: {names}.'
)
_CODE = (
    "2. Your code, and `reproduce.sh`: `bash reproduce.sh` runs the whole experiment in at most "
    "{seconds:.0f} seconds, without network and without files of yours that are no text or are longer than "
    "40,000 bytes and no code (it has to make those itself), and writes two files:"
)
_CONCLUSION = (
    '3. `conclusion.json`: `{"summary": "two or three sentences", "claims": {…}}`, with an answer to each of '
    "these, for the plain run:"
)


def run_seconds(draft: TaskDraft) -> float:
    """Return how long one run may take: six times the slowest run of the solution."""
    return float(max(LEAST_SECONDS, math.ceil(6 * draft.seconds)))


def instruction_of(draft: TaskDraft) -> str:
    """Return the instruction of a task, in Markdown."""
    return "\n".join(
        [
            *(f"# {draft.title.value}", "", _INTRODUCTION, "", "## Question", "", draft.question.value, ""),
            *("## Method", "", draft.method.value, "", *_settings(draft), "", "## What to hand in", ""),
            *_files(draft),
            "",
            _CONCLUSION,
            *(
                f"   - `{entry.claim.id}`: {entry.claim.question}{_form(entry.claim)}"
                for entry in draft.claims
            ),
            "",
            "Design, requirements, numbers and claims are each checked on their own.",
            "",
        ]
    )


def _settings(draft: TaskDraft) -> list[str]:
    listing = ", ".join(f"`{probe.setting.name}` = {probe.setting.value}" for probe in draft.settings)
    lines = [f"The settings are {listing}."] if listing else []
    lines += [_SETTINGS] if draft.varied else []
    lines += [_SEED] if draft.seeded else []
    lines += [
        _FRESH.format(
            name=probe.setting.name,
            value=probe.setting.value,
            divisor=200 // FAR if probe.setting.is_far else 200,
            rounded=", rounded down," if isinstance(probe.setting.value, int) else "",
        )
        for probe in draft.settings
        if probe.setting.name == draft.fresh_setting
    ]
    return lines + [entry.text for entry in draft.requirements if entry.facts]


def _files(draft: TaskDraft) -> list[str]:
    names = ", ".join(f"`{entry.name}`" for entry in draft.design)
    rows = dict.fromkeys((metric.row, metric.row_label) for metric in draft.metrics)
    columns = dict.fromkeys((metric.column, metric.column_label) for metric in draft.metrics)
    power = f" Give every number times 10^{draft.power}." if draft.power else ""
    return [
        _DESIGN.format(names=names),
        _CODE.format(seconds=run_seconds(draft)),
        f"   - `results.json`: `{{row: {{column: number}}}}`, with the rows and columns below.{power}",
        "   - `table.csv`: the same numbers, with the header `row,column,value`.",
        "",
        *(f"   row `{row}`: {label}" for row, label in rows),
        *(f"   column `{column}`: {label}" for column, label in columns),
        "",
        f"   Only these numbers: {', '.join(f'`{metric.path}`' for metric in draft.metrics)}.",
    ]


def _form(claim: Claim) -> str:
    if claim.kind == "direction":
        return f' Answer "higher", "lower" or "same"; differences up to {claim.tolerance:.3g} are the same.'
    return " Answer with a list." if claim.kind == "ordering" else ""
