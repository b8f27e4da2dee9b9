"""What a reader could make of the numbers of a conclusion that the results do not show as they stand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from itertools import combinations

from pydantic import BaseModel

from assay.grading import Judge
from assay.grading.judge.reader import ReaderAnswer
from assay.grading.reading.blank_questions import KINDS, LEVEL
from assay.grading.reading.hidden_numbers import find_hidden
from assay.grading.reading.listed_results import list_results
from assay.rules.cited_lookup import CitedLookup, look_up_cited
from assay.rules.cited_number import Cited
from assay.tasks import Conclusion


class EntryReader:
    """Answers every question for blanks with the same entries, and keeps what it was shown."""

    def __init__(
        self,
        paths: Mapping[int, list[str]],
        settings: Collection[int] = (),
        kind: str | Mapping[int, str] = "",
    ) -> None:
        self.paths, self.settings, self.kind, self.shown = paths, settings, kind, ""

    def kind_of(self, blank: int) -> str:
        return self.kind if isinstance(self.kind, str) else self.kind.get(blank, "")

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.shown = user
        blanks = [
            {"blank": blank, "paths": paths, "kind": self.kind_of(blank), "setting": blank in self.settings}
            for blank, paths in self.paths.items()
        ]
        return ReaderAnswer(json.dumps({"blanks": blanks}))


def looked_up(
    conclusion: Conclusion,
    text: str,
    results: object,
    known: Collection[float] = (),
    settings: Collection[float] = (),
    names: Collection[str] = (),
) -> CitedLookup:
    """The numbers of a text that states the claim `outcome`."""
    handed_in = json.dumps({"summary": "", "claims": {"outcome": text}}).encode()
    return look_up_cited(conclusion, handed_in, results, known, settings=settings, known_names=names)


def kinds_of(count: int) -> list[str]:
    """The ways in which a number can follow from so many entries."""
    if count == 1:
        return ["value", "rest"]
    of_repeats = ("sum", "standard deviation", "standard error")
    return [kind for kind in KINDS if kind not in ("value", "rest") and (count > 2 or kind not in of_repeats)]


def not_placed(lookup: CitedLookup, results: object, *, as_settings: bool = True, most: int = 2) -> list[str]:
    """The numbers for which no answer of a reader is right: no setting, and not `most` entries or fewer."""
    entries = list(list_results(results).numbers)
    choices = [list(some) for count in range(1, most + 1) for some in combinations(entries, count)]

    def passes(number: Cited, paths: list[str], kind: str, settings: Collection[int] = ()) -> bool:
        judge = Judge("file/reader", reader=EntryReader({1: paths}, settings, kind))
        hidden = find_hidden(
            judge, lookup.text, [number], results, settings=lookup.settings, levels=lookup.levels
        )
        decision = asyncio.run(hidden)
        return decision is not None and decision.status == "met"

    return [
        number.text
        for number in lookup.open
        if not (as_settings and any(passes(number, [], kind, (1,)) for kind in ("", LEVEL)))
        and not any(passes(number, choice, kind) for choice in choices for kind in kinds_of(len(choice)))
    ]
