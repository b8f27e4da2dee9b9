"""Published numbers in the page: each opens its citation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from assay.scoring.failures import FailureType
from assay.scoring.published.totals import Published


class Citations:
    """The published numbers that the page shows, each with its address within it."""

    def __init__(self, published: Iterable[Published], types: Iterable[FailureType]) -> None:
        self._types = {
            failure_type.id: cited for failure_type in types if (cited := _of_type(failure_type)) is not None
        }
        self.rows = [*published, *self._types.values()]

    @cached_property
    def _places(self) -> dict[int, int]:
        return {id(number): place for place, number in enumerate(self.rows)}

    def address(self, number: Published) -> str:
        """Where a number's citation opens."""
        return f"#cited?at={self._places[id(number)]}"

    def of_type(self, kind: FailureType) -> Published | None:
        """What was published of a type of failure."""
        return self._types.get(kind.id)

    def table(self) -> list[list[object]]:
        """The rows as the page's data holds them."""
        return [list(dict(number).values()) for number in self.rows]


def _of_type(kind: FailureType) -> Published | None:
    published = kind.published
    if published is None:
        return None
    return Published(
        benchmark="expbench",
        agent="all",
        model="all",
        measure=f"{published.name}, share of the failures of its phase",
        setting=kind.phase,
        value=published.percent / 100,
        unit="share",
        denominator=None,
        source=f"{published.source}, Table {published.table}",
    )
