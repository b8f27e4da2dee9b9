"""Finds tasks of different packages that mask almost the same functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.harvesting.records import HarvestedTask
from assay.masking.leaks.near_twins import near_twins
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace, all_definitions
from assay.tasks import Task


def mark_duplicates(tasks: Sequence[HarvestedTask], loaded: Mapping[str, Task]) -> list[HarvestedTask]:
    """Return the tasks; one that is almost the same as an earlier one of another package names that one.

    A task is a duplicate if one of its functions is: an agent that has seen the other knows that part.
    """
    originals: list[tuple[HarvestedTask, list[DefinedFunction]]] = []
    marked = []
    for task in tasks:
        own_functions = _masked_functions(loaded[task.id])
        original = _original(task, own_functions, originals)
        if original is None:
            originals.append((task, own_functions))
            marked.append(task)
        else:
            marked.append(task.model_copy(update={"duplicate_of": original}))
    return marked


def _original(
    task: HarvestedTask,
    own_functions: Sequence[DefinedFunction],
    originals: Sequence[tuple[HarvestedTask, list[DefinedFunction]]],
) -> str | None:
    for earlier, functions in originals:
        if earlier.package != task.package and any(
            near_twins(function, functions) for function in own_functions
        ):
            return earlier.id
    return None


def _masked_functions(task: Task) -> list[DefinedFunction]:
    """Return the masked functions with their true bodies; the task's id is part of their place."""
    masked = {(mask.file, mask.function) for mask in task.assay.masks}
    return [
        DefinedFunction(
            FunctionPlace(f"{task.id}/{defined.place.file}", defined.place.function),
            defined.node,
            defined.kind,
        )
        for defined in all_definitions(task.gold_files)
        if (defined.place.file, defined.place.function) in masked
    ]
