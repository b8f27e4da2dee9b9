"""Chooses functions to mask together, with the dial and the data flow of the trace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from assay.errors import UsageError
from assay.masking.dial import Pair, SampleManifest, Selection, draw_sample


def choose_tasks(
    paper_id: str,
    functions: Sequence[str],
    flows: Iterable[tuple[str, str, int]],
    selection: Selection,
    groups: Sequence[frozenset[str]] = (),
) -> SampleManifest:
    """Draw choices of these functions; a function's id is its position in the list.

    Functions of a group are near twins of each other: a task masks all or none, and they count as one.
    """
    numbers = {name: str(number) for number, name in enumerate(functions)}
    ids: dict[str, str] = {}
    for name in functions:
        group = next((group for group in groups if name in group), frozenset({name}))
        ids[name] = ",".join(number for member, number in numbers.items() if member in group)
    pairs = _reaching_pairs(ids, {(first, second) for first, second, _ in flows})
    manifest = draw_sample({paper_id: list(dict.fromkeys(ids.values()))}, selection, {paper_id: pairs})
    if not manifest.tasks:
        counts = ", ".join(map(str, selection.n or (1,)))
        raise UsageError(
            f"n is {counts}, but {len(functions)} functions can be masked",
            hint="a smaller --n, or more candidates (--functions)",
        )
    return manifest


def _reaching_pairs(ids: Mapping[str, str], flows: Collection[Pair]) -> set[Pair]:
    """Return the pairs of ids whose values reach each other, also through other functions.

    A function without an id keeps its name, so that a single masked function has its neighbours too.
    """
    receivers: dict[str, set[str]] = {}
    for first, second in flows:
        receivers.setdefault(first, set()).add(second)
    pairs = {(ids.get(first, first), ids.get(second, second)) for first, second in flows}
    for name, own_id in ids.items():
        pending, visited = list(receivers.get(name, ())), set()
        while pending:
            receiver = pending.pop()
            if receiver in visited:
                continue
            visited.add(receiver)
            pairs.add((own_id, ids.get(receiver, receiver)))
            pending += receivers.get(receiver, ())
    return {(first, second) for first, second in pairs if first != second}


def function_ids(manifest: SampleManifest) -> list[list[int]]:
    """Return the positions of each task's functions."""
    return [[int(number) for number in task.id.rpartition("_")[2].split(",")] for task in manifest.tasks]
