"""Finds copies of masked functions elsewhere in the published source trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.benchmarks.autoexperiment import Rows, read_source, source_tree
from assay.benchmarks.autoexperiment.making import PAPER
from assay.errors import TaskError
from assay.masking.dial import combined_id
from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins


@dataclass(frozen=True)
class Copy:
    """A published function that the agent can read elsewhere, and where: one kind of audit finding."""

    place: str
    """The id of the task that masks only this function."""
    twin: Twin
    kind: str = "copy"

    @property
    def text(self) -> str:
        """The copy, described in words."""
        return self.twin.description


def published_copies(rows: Rows, tell: Callable[[str], None]) -> Iterator[Copy]:
    """Yield copies and near copies of every function that a task masks, for each paper with a source tree."""
    for paper in rows.functions:
        if not (rows.root / paper / "code").is_dir():
            continue
        try:
            source = read_source(rows, paper, source_tree(rows, paper))
        except TaskError:
            # The audit of the rows reports what is wrong with this tree.
            continue
        files = {path: data for path, data in source.tree.items() if path != PAPER}
        ids = {
            FunctionPlace(definition.published.file, definition.function.name): number
            for number, definition in source.definitions.items()
            if number in rows.usable(paper)
        }
        tell(f"searching {len(files):,} files of {paper} for copies of {len(ids)} functions")
        for twin in find_twins(ids, files):
            if twin.how != "unread":
                yield Copy(combined_id(paper, [ids[twin.place]]), twin)
