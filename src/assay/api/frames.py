"""Attempts and verdicts as pandas data frames; pandas is an optional extra."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, overload

from assay.errors import UsageError
from assay.scoring import Attempt, ItemRow

if TYPE_CHECKING:
    import pandas

COLUMNS = (
    "suite",
    "agent",
    "model",
    "task",
    "epoch",
    "role",
    "kind",
    "n",
    "outcome",
    "passed",
    "share",
    "score",
    "normalised",
    "caught_by",
    "owner",
    "error",
    "limit",
    "tokens",
    "output_tokens",
    "cost",
    "seconds",
    "working_seconds",
    "grading_seconds",
    "gpu_hours",
    "certified",
    "completed",
    "submission",
    "log",
    "sample",
)
"""Columns of the frame of attempts, in order; a column for each label of the tasks follows."""


class VerdictTable(Sequence[ItemRow]):
    """Every verdict of every attempt, one row each."""

    def __init__(self, rows: Sequence[ItemRow]) -> None:
        self._rows = list(rows)

    @overload
    def __getitem__(self, index: int) -> ItemRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[ItemRow]: ...
    def __getitem__(self, index: int | slice) -> ItemRow | list[ItemRow]:
        """Return one row, or a list of rows."""
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        counts = {status: sum(row.status == status for row in self._rows) for status in _STATUSES}
        return f"<{len(self)} verdicts: {', '.join(f'{count} {name}' for name, count in counts.items())}>"

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with one row for each verdict."""
        frames = import_pandas()
        return frames.DataFrame([row.model_dump() for row in self._rows], columns=list(ItemRow.model_fields))


_STATUSES = ("met", "unmet", "unknown")


def attempt_frame(attempts: Sequence[Attempt]) -> pandas.DataFrame:
    """Return a data frame with one row for each attempt; what is unknown is missing, never zero."""
    frames = import_pandas()
    labels = sorted({label for attempt in attempts for label in attempt.labels})
    rows = [
        {name: getattr(attempt, name) for name in COLUMNS}
        | {f"label_{label}": attempt.labels.get(label) for label in labels}
        for attempt in attempts
    ]
    frame = frames.DataFrame(rows, columns=[*COLUMNS, *(f"label_{label}" for label in labels)])
    numbers = ("share", "score", "normalised", "cost", "seconds", "working_seconds", "grading_seconds")
    return frame.astype(
        {"passed": "boolean", "n": "Int64", "gpu_hours": "float64"} | dict.fromkeys(numbers, "float64")
    ).assign(completed=frames.to_datetime(frame["completed"].replace("", None), utc=True, format="ISO8601"))


def import_pandas() -> ModuleType:
    """Return pandas, or say how to install it."""
    try:
        import pandas
    except ImportError:
        raise UsageError(
            "pandas is not installed, and data frames need it", hint="pip install 'assay[notebook]'"
        ) from None
    module: ModuleType = pandas
    return module
