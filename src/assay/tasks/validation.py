"""What must hold across the parts of a task; each refusal names the file, the place and what was expected."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import TaskError
from assay.masking.engine import Unparsable, find_functions
from assay.rules.ruling import DEFAULT
from assay.tasks.kinds import RULES
from assay.tasks.model import Task

TABLE = "task.toml [metadata.assay"


def validate(task: Task) -> Task:
    """The task itself, if its parts fit together."""
    if not task.workspace:
        raise TaskError("environment/workspace", "is missing or empty, expected what the agent gets")
    if not task.gold_files:
        raise TaskError("solution/files", "is missing or empty, expected the oracle's files")
    _check_paths(task)
    _check_masks(task)
    _check_gold(task)
    _check_truth(task)
    return task


def _check_paths(task: Task) -> None:
    table = task.assay
    if table.paper is not None:
        _expect(table.paper, task.workspace, f"{TABLE}] paper", "environment/workspace")
    for path in table.submission.editable or []:
        _expect(path, task.workspace, f"{TABLE}.submission] editable", "environment/workspace")
    handed_in = {**task.workspace, **task.gold_files}
    for path in [] if task.unproved else table.submission.required:
        _expect(path, handed_in, f"{TABLE}.submission] required", "solution/files")
    for variation in table.variations:
        if variation.data is not None:
            known_paths = {*task.tests, *_folders(task.tests)}
            _expect(variation.data, known_paths, f"{TABLE}.variations] data of {variation.name!r}", "tests")
        if variation.draw is not None:
            _expect(variation.draw, task.tests, f"{TABLE}.variations] draw of {variation.name!r}", "tests")
    if table.challenge is not None:
        _expect(table.challenge.evaluate, task.tests, f"{TABLE}.challenge] evaluate", "tests")
        if table.challenge.draw is not None:
            _expect(table.challenge.draw, task.tests, f"{TABLE}.challenge] draw", "tests")


def _check_masks(task: Task) -> None:
    for number, mask in enumerate(task.assay.masks):
        place = f"{TABLE}.masks.{number}]"
        for part, files in (("environment/workspace", task.workspace), ("solution/files", task.gold_files)):
            _expect(mask.file, files, f"{place} file", part)
            try:
                names = [function.name for function in find_functions(files[mask.file])]
            except Unparsable as error:
                raise TaskError(f"{part}/{mask.file}", f"cannot be parsed: {error}") from None
            if mask.function not in names:
                defined = ", ".join(names) or "none"
                raise TaskError(
                    f"{place} function",
                    f"{mask.function!r} names no function of {part}/{mask.file}, which has: {defined}",
                )


def _check_gold(task: Task) -> None:
    if not task.assay.metrics:
        return
    names = [metric.name for metric in task.assay.metrics]
    if len(set(names)) != len(names):
        raise TaskError(f"{TABLE}.metrics]", f"two metrics have one name: {', '.join(sorted(names))}")
    for variation in [DEFAULT, *(declared.name for declared in task.assay.variations if not declared.fresh)]:
        for name in names:
            if not task.gold.get(variation, {}).get(name):
                raise TaskError(
                    "tests/results.json",
                    f"metric {name!r} has no gold for the run {variation!r}",
                    hint="run the solution at least three times and write its numbers there: "
                    f'{{"{variation}": {{"{name}": [NUMBER, NUMBER, NUMBER]}}}}',
                )


def _check_truth(task: Task) -> None:
    rules = RULES[task.kind]
    # Of an experiment whose numbers nobody knows, the design or the code may be unknown too.
    for name in (*rules.needs_truth, *(rules.needs_known_truth if task.assay.metrics else ())):
        _expect(name, task.tests, "tests", "tests")
    for requirement in task.requirements.requirement if task.requirements else []:
        place = f"tests/requirements.toml {{}} of {requirement.id!r}"
        if requirement.check is not None:
            _expect(requirement.check, task.tests, place.format("check"), "tests")
        for path in requirement.gold:
            _expect(path, {**task.workspace, **task.gold_files}, place.format("gold"), "the solution")
    for truth, items in (
        ("design", [variable.name for variable in task.design.variable] if task.design else []),
        (
            "requirements",
            [requirement.id for requirement in task.requirements.requirement] if task.requirements else [],
        ),
        ("conclusion", [claim.id for claim in task.conclusion.claim] if task.conclusion else []),
    ):
        if len(set(items)) != len(items):
            raise TaskError(f"tests/{truth}.toml", f"two entries have one name: {', '.join(sorted(items))}")


def _expect(path: str, files: Iterable[str], place: str, part: str) -> None:
    if path not in files:
        raise TaskError(place, f"names {path!r}, which is not in {part}")


def _folders(files: Iterable[str]) -> set[str]:
    return {path.rsplit("/", depth)[0] for path in files for depth in range(1, path.count("/") + 1)}
