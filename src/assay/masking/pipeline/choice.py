"""Which functions are masked together: the dial, told by the trace which of them feed each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.errors import UsageError
from assay.masking.dial import Manifest, Selection, draw


def choose(
    paper_id: str, functions: Sequence[str], flows: Iterable[tuple[str, str, int]], selection: Selection
) -> Manifest:
    """The choices of these functions that are wanted; a function's id is its place in the list."""
    ids = {name: str(number) for number, name in enumerate(functions)}
    pairs = {(ids[first], ids[then]) for first, then, _ in flows if first in ids and then in ids}
    drawn = draw({paper_id: list(ids.values())}, selection, {paper_id: pairs})
    if not drawn.tasks:
        wanted = ", ".join(map(str, selection.n or (1,)))
        raise UsageError(
            f"n is {wanted}, but {len(functions)} functions can be masked",
            hint="a smaller --n, or more candidates (--functions)",
        )
    return drawn


def function_ids(manifest: Manifest) -> list[list[int]]:
    """The chosen functions of each task, by their places."""
    return [[int(each) for each in task.id.rpartition("_")[2].split(",")] for task in manifest.tasks]
