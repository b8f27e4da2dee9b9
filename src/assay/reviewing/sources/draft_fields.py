"""The fields of a drafted task, and a draft with what reviewers decided about them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from assay.curation.drafting.model import (
    DraftClaim,
    DraftMetric,
    DraftRequirement,
    DraftText,
    DraftVariable,
    RemovedFile,
    TaskDraft,
)
from assay.tasks.model import explain
from assay.tasks.review_items import FieldOutcome, ReviewField
from assay.tasks.truth import Claim

TEXTS = {"title": "Title", "question": "Question", "method": "Method"}
NEW_CLAIM = "claim:+"
_TAKEN_OUT = "it is taken out of the task"
_BLOCKED = "the task cannot be certified until a person solves the problem"
_REMOVED = TypeAdapter(list[RemovedFile])
Item = TypeVar("Item")


def fields_of(draft: TaskDraft) -> Iterator[ReviewField]:
    """Yield the fields of a draft: texts, numbers, design, requirements, claims, workspace, problems."""
    for name, label in TEXTS.items():
        yield _text_field(name, label, getattr(draft, name))
    for metric in draft.metrics:
        yield _number_field(metric)
    for variable in draft.design:
        yield _variable_field(variable)
    for requirement in draft.requirements:
        yield ReviewField(
            id=f"requirement:{requirement.id}",
            kind="requirement",
            label=f"Requirement {requirement.id}",
            value=requirement.text,
            facts=[("fact", f"{fact.kind} {fact.name}") for fact in requirement.facts],
            rejected=_TAKEN_OUT,
        )
    for entry in draft.claims:
        yield _claim_field(entry)
    if not draft.claims:
        yield ReviewField(
            id=NEW_CLAIM,
            kind="claim",
            label="A claim",
            value="",
            form="json",
            note="No comparison of the table is true in every run. Write one claim as JSON: id, question, "
            "kind, paths, answer, tolerance.",
            rejected=_BLOCKED,
        )
    yield _workspace_field(draft)
    for command in draft.commands:
        facts = [("folder", command.folder or "."), ("script", command.script or "none")]
        yield ReviewField(
            id=f"command:{command.id}",
            kind="command",
            label=f"Command {command.id}",
            value=command.command,
            form="fixed",
            facts=[("command", command.command), *facts],
            note="The numbers were measured with this command, so it cannot be edited.",
            rejected=_BLOCKED,
        )
    for number, problem in enumerate(draft.problems, 1):
        yield ReviewField(
            id=f"problem:{number}",
            kind="problem",
            label=f"Problem {number}",
            value=problem,
            note="Accept it if it is a problem: the task stays uncertified. Reject it if it is none.",
            rejected="it is no problem, and the task can be certified",
        )


def _text_field(name: str, label: str, text: DraftText) -> ReviewField:
    origin = {
        "derived": "Made from the table by rules.",
        "paper": "Passages of the paper, copied by rules: no person has read them.",
        "model": "Written by a model.",
        "person": "Written by a person.",
    }[text.source]
    note = "Empty: nothing in the paper or the code says it. Write it." if not text.value.strip() else origin
    form = "text" if name == "method" or len(text.value) > 120 else "line"
    return ReviewField(
        id=name,
        kind="text",
        label=label,
        value=text.value,
        form="line" if form == "line" else "text",
        note=note,
        rejected="it becomes empty, and a person has to write it",
    )


def _number_field(metric: DraftMetric) -> ReviewField:
    gold = metric.gold.get("default", [])
    facts = [
        ("row", f"{metric.row_label} ({metric.row})"),
        ("column", f"{metric.column_label} ({metric.column})"),
        ("printed in the paper", metric.printed),
        ("in the runs", ", ".join(f"{value:.6g}" for value in gold) or "not measured"),
        ("tolerance", f"{metric.absolute:.6g}"),
    ]
    return ReviewField(
        id=f"number:{metric.path}",
        kind="number",
        label=f"Number {metric.path}",
        value=repr(metric.absolute),
        form="line",
        facts=facts,
        note="Is it the same quantity in the paper and in the run? You can edit the tolerance.",
        rejected=_TAKEN_OUT,
    )


_VARIABLE_SHAPE = (
    'An object: "name", a text; "role", one of "independent", "dependent" and "constant"; "values", a list '
    'of numbers and texts; "synonyms", a list of texts.'
)
_CLAIM_SHAPE = (
    'An object: "id" and "question", texts; "kind" and "answer": "higher", "lower" or "same", a number, '
    'or a list of rows from first to last; "paths", the numbers that it is about; "tolerance", a number.'
)
_WORKSPACE_SHAPE = (
    'A list of objects: "path", a file of the repository; "reason", a text; "lines", the numbers of the '
    "lines that are taken out, or an empty list for the whole file."
)


def _variable_field(variable: DraftVariable) -> ReviewField:
    data = variable.model_dump(mode="json", exclude={"evidence"})
    facts = [
        ("name", variable.name),
        ("role", variable.role),
        ("values", ", ".join(map(str, variable.values)) or "measured"),
        ("other names", ", ".join(variable.synonyms) or "none"),
    ]
    return ReviewField(
        id=f"variable:{variable.name}",
        kind="design",
        label=f"Variable {variable.name}",
        value=_json(data),
        form="json",
        facts=facts,
        shape=_VARIABLE_SHAPE,
        rejected=_TAKEN_OUT,
    )


def _claim_field(entry: DraftClaim) -> ReviewField:
    claim = entry.claim
    answer = claim.answer
    facts = [
        ("question", claim.question),
        ("answer", " > ".join(answer) if isinstance(answer, list) else str(answer)),
        ("kind", claim.kind),
        ("numbers", ", ".join(claim.paths) or "none"),
        ("tolerance", f"{claim.tolerance:.6g}"),
    ]
    return ReviewField(
        id=f"claim:{claim.id}",
        kind="claim",
        label=f"Claim {claim.id}",
        value=_json(claim.model_dump(mode="json", exclude_defaults=True)),
        form="json",
        facts=facts,
        shape=_CLAIM_SHAPE,
        rejected=_TAKEN_OUT,
    )


def _workspace_field(draft: TaskDraft) -> ReviewField:
    return ReviewField(
        id="workspace",
        kind="workspace",
        label="Files that the agent does not get",
        value=_json([entry.model_dump(mode="json") for entry in draft.removed]),
        form="json",
        facts=[(entry.path, entry.reason) for entry in draft.removed],
        shape=_WORKSPACE_SHAPE,
        note="Does any other file of the repository show the answer? Then add it.",
        rejected=_BLOCKED,
    )


def _json(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def problem_of(field: str, value: str) -> str | None:
    """Say why a value of a field cannot be; None if it can."""
    kind = field.partition(":")[0]
    if not value.strip():
        return "the field is empty; write its text"
    if kind == "number":
        return _tolerance_problem(value)
    forms: dict[str, Callable[[Any], Any]] = {
        "variable": DraftVariable.model_validate_json,
        "claim": Claim.model_validate_json,
        "workspace": _REMOVED.validate_json,
    }
    if kind not in forms:
        return None
    try:
        forms[kind](value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole text"
        return f"{place}: {explain(error)}"
    return None


def _tolerance_problem(value: str) -> str | None:
    try:
        tolerance = float(value)
    except ValueError:
        return f"{value[:40]!r} is not a number; the edited value is the tolerance"
    return None if math.isfinite(tolerance) and tolerance >= 0 else "a tolerance is a number from 0 on"


def changed_draft(draft: TaskDraft, outcomes: Mapping[str, FieldOutcome]) -> TaskDraft:
    """Return a draft with the outcomes of its fields: edits written, rejected items taken out."""
    changes: dict[str, Any] = {}
    for name in TEXTS:
        outcome = outcomes.get(name)
        if outcome is not None and outcome.choice != "accept":
            text: DraftText = getattr(draft, name)
            value = outcome.value if outcome.choice == "edit" else ""
            changes[name] = text.model_copy(update={"value": value, "source": "person"})
    changes["metrics"] = _items(draft.metrics, lambda item: f"number:{item.path}", outcomes, _with_tolerance)
    changes["design"] = _items(draft.design, lambda item: f"variable:{item.name}", outcomes, _with_json)
    changes["requirements"] = _items(
        draft.requirements, lambda item: f"requirement:{item.id}", outcomes, _with_text
    )
    changes["claims"] = _items(draft.claims, lambda item: f"claim:{item.claim.id}", outcomes, _with_claim)
    new_claim = outcomes.get(NEW_CLAIM)
    if new_claim is not None and new_claim.choice == "edit":
        changes["claims"] = [DraftClaim(claim=Claim.model_validate_json(new_claim.value))]
    workspace = outcomes.get("workspace")
    if workspace is not None and workspace.choice == "edit":
        changes["removed"] = _REMOVED.validate_json(workspace.value)
    changes["problems"] = [*_kept_problems(draft, outcomes), *_new_problems(outcomes)]
    return draft.model_copy(update=changes)


def _items(
    items: Sequence[Item],
    field_id: Callable[[Item], str],
    outcomes: Mapping[str, FieldOutcome],
    edit: Callable[[Item, str], Item],
) -> list[Item]:
    kept_items = []
    for item in items:
        outcome = outcomes.get(field_id(item))
        if outcome is None or outcome.choice == "accept":
            kept_items.append(item)
        elif outcome.choice == "edit":
            kept_items.append(edit(item, outcome.value))
    return kept_items


def _with_tolerance(metric: DraftMetric, value: str) -> DraftMetric:
    return metric.model_copy(update={"absolute": float(value)})


def _with_json(variable: DraftVariable, value: str) -> DraftVariable:
    return DraftVariable.model_validate_json(value).model_copy(update={"evidence": variable.evidence})


def _with_text(requirement: DraftRequirement, value: str) -> DraftRequirement:
    return requirement.model_copy(update={"text": value})


def _with_claim(entry: DraftClaim, value: str) -> DraftClaim:
    return entry.model_copy(update={"claim": Claim.model_validate_json(value)})


def _kept_problems(draft: TaskDraft, outcomes: Mapping[str, FieldOutcome]) -> Iterator[str]:
    for number, problem in enumerate(draft.problems, 1):
        outcome = outcomes.get(f"problem:{number}")
        if outcome is None or outcome.choice != "reject":
            yield outcome.value if outcome is not None and outcome.choice == "edit" else problem


def _new_problems(outcomes: Mapping[str, FieldOutcome]) -> Iterator[str]:
    for field, outcome in outcomes.items():
        if outcome.choice == "reject" and field.partition(":")[0] in ("workspace", "command"):
            yield f"review: {field}: {outcome.reason}"


def model_json(model: BaseModel) -> bytes:
    """Return a stage file as `assay curate` writes it."""
    return model.model_dump_json(indent=2).encode() + b"\n"
