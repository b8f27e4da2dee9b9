"""Where the masked functions of a published benchmark can be read elsewhere in its own source trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.benchmarks.autoexperiment import Rows, read_source, source_tree
from assay.benchmarks.autoexperiment.making import PAPER
from assay.errors import TaskError
from assay.masking.dial import combined_id
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import Twin, find_twins


@dataclass(frozen=True)
class Copy:
    """A published function that is given away, and by what: one more finding of an audit."""

    place: str
    """The id of the task that masks it alone."""
    twin: Twin
    kind: str = "copy"

    @property
    def text(self) -> str:
        """In words."""
        return self.twin.description


def published_copies(rows: Rows) -> Iterator[Copy]:
    """Near twins and copies of every function that some task masks, for each paper whose code is here."""
    for paper in rows.functions:
        if not (rows.root / paper / "code").is_dir():
            continue
        try:
            source = read_source(rows, paper, source_tree(rows, paper))
        except TaskError:
            # The audit of the rows says what is wrong with this tree.
            continue
        files = {path: data for path, data in source.tree.items() if path != PAPER}
        ids = {
            FunctionPlace(found.published.file, found.function.name): number
            for number, found in source.found.items()
            if number in rows.usable(paper)
        }
        for twin in find_twins(ids, files):
            if twin.how != "unread":
                yield Copy(combined_id(paper, [ids[twin.place]]), twin)
