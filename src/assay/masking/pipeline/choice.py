"""Chooses functions to mask together, with the dial and the data flow of the trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import UsageError
from assay.masking.dial import SampleManifest, Selection, draw_sample


def choose_tasks(
    paper_id: str, functions: Sequence[str], flows: Iterable[tuple[str, str, int]], selection: Selection
) -> SampleManifest:
    """Draw choices of these functions; a function's id is its position in the list."""
    ids = {name: str(number) for number, name in enumerate(functions)}
    pairs = {(ids[first], ids[second]) for first, second, _ in flows if first in ids and second in ids}
    manifest = draw_sample({paper_id: list(ids.values())}, selection, {paper_id: pairs})
    if not manifest.tasks:
        counts = ", ".join(map(str, selection.n or (1,)))
        raise UsageError(
            f"n is {counts}, but {len(functions)} functions can be masked",
            hint="a smaller --n, or more candidates (--functions)",
        )
    return manifest


def function_ids(manifest: SampleManifest) -> list[list[int]]:
    """Return the positions of each task's functions."""
    return [[int(number) for number in task.id.rpartition("_")[2].split(",")] for task in manifest.tasks]
