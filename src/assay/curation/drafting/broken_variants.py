"""Wrong experiments that grading must reject: settings, rows and answers that are not those of the paper."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from assay.curation.drafting.model import TaskDraft
from assay.curation.drafting.solution import (
    as_json,
    experiment_program,
    main_program,
    solution_code,
    without_settings,
)
from assay.curation.settings import ExperimentSetting
from assay.tasks import DEFAULT, centre
from assay.tasks.truth import Claim, Conclusion, Design

MOST_WRONG = 3
SUMMARY = "The runs answer every question."


def design_document(design: Design) -> dict[str, object]:
    """Return the design in the form in which an agent hands it in."""
    constants = {entry.name: entry.values[0] for entry in design.variable if entry.role == "constant"}
    independent = {entry.name: entry.values for entry in design.variable if entry.role == "independent"}
    dependent = [entry.name for entry in design.variable if entry.role == "dependent"]
    return {"constant": constants, "independent": independent, "dependent": dependent}


def broken_variants(
    draft: TaskDraft,
    scripts: Mapping[str, bytes],
    settings: Collection[ExperimentSetting],
    code: Mapping[str, bytes],
    design: Design,
    conclusion: Conclusion,
) -> dict[str, dict[str, bytes]]:
    """Return the variants by name, each as the files that differ from the solution."""
    variants: dict[str, dict[str, bytes]] = {}
    main = main_program(scripts)
    moving = sorted((probe for probe in draft.settings if probe.moves), key=lambda probe: -probe.moves)
    for probe in moving[:MOST_WRONG]:
        setting = probe.setting
        changed = solution_code(
            draft.commands,
            draft.metrics,
            draft.power,
            scripts,
            settings,
            {setting.name: probe.tried_value},
            draft.fresh_setting or None,
        )
        name = f"wrong-{setting.name.lower().replace('_', '-')}"
        variants[name] = {setting.file: changed[setting.file]}
    if draft.varied:
        variants["ignores-settings"] = without_settings(code)
    pair = _different_rows(draft)
    if pair is not None:
        variants["swapped-methods"] = {
            main: experiment_program(draft.commands, draft.metrics, draft.power, pair)
        }
    if len(draft.metrics) > 1:
        variants["missing-condition"] = {
            main: experiment_program(draft.commands, draft.metrics[:-1], draft.power)
        }
    variants["wrong-role"] = {"design.json": as_json(_wrong_design(design))}
    variants["wrong-conclusion"] = {"conclusion.json": as_json(_wrong_conclusion(conclusion))}
    return variants


def _different_rows(draft: TaskDraft) -> tuple[int, int] | None:
    """Two numbers of one column and one output that differ by far more than their tolerance."""
    for first, one_metric in enumerate(draft.metrics):
        for second in range(first + 1, len(draft.metrics)):
            metric = draft.metrics[second]
            if (metric.column, metric.command, metric.scale) != (
                one_metric.column,
                one_metric.command,
                one_metric.scale,
            ):
                continue
            distance = abs(centre(metric.gold[DEFAULT]) - centre(one_metric.gold[DEFAULT]))
            if distance > 3 * max(metric.absolute, one_metric.absolute):
                return first, second
    return None


def _wrong_design(design: Design) -> dict[str, object]:
    """The design with its first measured variable among the constants."""
    document = design_document(design)
    dependent = [entry.name for entry in design.variable if entry.role == "dependent"]
    constants = {entry.name: entry.values[0] for entry in design.variable if entry.role == "constant"}
    return {**document, "constant": {**constants, dependent[0]: 1}, "dependent": dependent[1:]}


def _wrong_conclusion(conclusion: Conclusion) -> dict[str, object]:
    answers = {claim.id: claim.answer for claim in conclusion.claim}
    first = conclusion.claim[0]
    return {
        "summary": SUMMARY,
        "claims": {**answers, first.id: _wrong_answer(first)},
    }


def _wrong_answer(claim: Claim) -> str | float | list[str]:
    if isinstance(claim.answer, list):
        return list(reversed(claim.answer))
    if isinstance(claim.answer, float | int):
        return claim.answer + 10 * claim.tolerance + 1.0
    return "lower" if claim.answer == "higher" else "higher"
