"""One look-up of the numbers that a conclusion in words cites: what it finds serves every rule about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.rules.check_submission import read
from assay.rules.cited import LONGEST_TEXT, cited_in_plain, has_too_many
from assay.rules.cited_number import ANY_SCALE, Cited
from assay.rules.derivable import without_derivable
from assay.rules.expectations import reported
from assay.rules.remade import Numbers
from assay.rules.shapes import ClaimShape, ConclusionShape
from assay.rules.sorted_numbers import RemadeCheck
from assay.rules.stated_times import TimeDoubt, doubt_times
from assay.rules.written_values import normal, text_of

MOST_CITED = 500
"""Numbers of one text that are looked up."""


@dataclass(frozen=True)
class CitedLookup:
    """The numbers that a conclusion cites, and where each was found in the re-made results."""

    text: str = ""
    """What the conclusion says in words."""
    cited: tuple[Cited, ...] = ()
    """The numbers of the text that are results, all of them."""
    undecided: tuple[Cited, ...] = ()
    """Numbers that nothing shows, and that may be settings, counts, spreads or ends of intervals, or only
    expected."""
    places: tuple[RemadeCheck, ...] = ()
    """Whether the results contain each, for the first `MOST_CITED`."""
    has_too_many: bool = False
    """Whether the text has more numbers than are read."""
    count: int = 0
    """How many numbers the results have."""
    complete: bool = True
    """Whether all of them were looked at."""
    repeats_truth: bool = False
    """Whether the text is the truth's own words, whose numbers are of the authors' run."""
    times: TimeDoubt | None = None
    """What speaks against the times that the text states."""

    @property
    def missing(self) -> list[Cited]:
        """The cited numbers that the results do not contain."""
        return [number for number, place in self._found if not place.was_remade]

    @property
    def not_shown(self) -> list[Cited]:
        """The cited numbers that the results do not contain, and the undecided ones."""
        return [*self.missing, *self.undecided]

    @property
    def by_chance(self) -> list[Cited]:
        """The cited numbers that almost any results would contain, and the undecided ones."""
        return [*(number for number, place in self._found if place.by_chance), *self.undecided]

    @property
    def not_made(self) -> list[str]:
        """The cited numbers on which a conclusion cannot rest; none where not all results were looked at."""
        if self.repeats_truth or not self.complete:
            return []
        return [number.text for number in self.missing]

    @property
    def _found(self) -> list[tuple[Cited, RemadeCheck]]:
        return list(zip(self.cited, self.places, strict=False))


def look_up_cited(
    conclusion: ConclusionShape,
    handed_in: bytes | None,
    results: object,
    known_numbers: Iterable[float] = (),
    noise: Mapping[str, float] | None = None,
    settings: Iterable[float] = (),
    run_seconds: float | None = None,
) -> CitedLookup:
    """Look up every number that the conclusion cites, once."""
    stated, summary, problem = read_claims(handed_in, conclusion.claim)
    if problem is not None:
        return CitedLookup()
    statements = [said_of(claim, stated, summary) for claim in conclusion.claim if claim.kind == "statement"]
    texts = list(dict.fromkeys(text for text in (*statements, summary) if text.strip()))
    text = "\n".join(texts)
    repeats_truth = {normal(part) for part in texts} <= {
        normal(str(claim.answer)) for claim in conclusion.claim
    }
    known, own = frozenset(known_numbers), frozenset(settings)
    numbers = Numbers(results, noise)
    plain, strict = without_derivable(text, numbers, known | own)
    if has_too_many(plain):
        return CitedLookup(text=text, has_too_many=True)
    certain = set(cited_in_plain(strict)) if strict != plain else None
    reports = reported(plain)
    in_reports = set(cited_in_plain(reports)) if reports != plain else None
    cited: list[Cited] = []
    places: list[RemadeCheck] = []
    undecided: list[Cited] = []
    for number in cited_in_plain(plain):
        number = number if certain is None or number in certain else replace(number, context="open")
        is_claim = number.context in ("result", "plain")
        is_set_up = number.context == "set-up"
        if number.context != "result" and number.values[0] in (own | known if is_set_up else known):
            continue
        if len(cited) + len(undecided) >= MOST_CITED:
            undecided.append(number)
            continue
        place = numbers.find(number)
        is_reported = in_reports is None or number in in_reports
        may_be_shown = not is_reported or _may_be_shown(number, numbers, own | known)
        if is_claim and (place.was_remade or not may_be_shown):
            cited.append(number)
            places.append(place)
        elif not numbers.shows(number) and (is_reported or not repeats_truth):
            undecided.append(number)
    return CitedLookup(
        text=text,
        cited=tuple(cited),
        places=tuple(places),
        undecided=tuple(undecided),
        count=numbers.count,
        complete=numbers.complete,
        repeats_truth=repeats_truth,
        times=doubt_times(text, results, known | own, run_seconds),
    )


def _may_be_shown(number: Cited, numbers: Numbers, stated: frozenset[float]) -> bool:
    """Whether a number that is not shown may be a setting, or a result beside a bound or of another scale."""
    if number.may_count or (not number.is_in_words and stated & set(number.values)):
        return True
    return numbers.has(replace(number, side=0, scales=ANY_SCALE))


def read_claims(
    data: bytes | None, claims: Sequence[ClaimShape]
) -> tuple[dict[str, object], str, str | None]:
    """Claim id → answer as handed in, the summary, and what is wrong with it, if anything."""
    table, problem = read("conclusion.json", data)
    if problem is not None:
        return {}, "", problem
    answers = _by_id(table["claims"], [claim.id for claim in claims])
    summary = text_of(table.get("summary", ""))
    length = len(summary) + sum(len(text_of(answer)) for answer in answers.values())
    if length > LONGEST_TEXT:
        return {}, "", f"conclusion.json has {length:,} characters of text, at most {LONGEST_TEXT:,} are read"
    return answers, summary, None


def _by_id(answers: Mapping[str, object], ids: Sequence[str]) -> dict[str, object]:
    """The answers by the ids of the claims: `a_b` is `a-b`, if nothing else is spelled like it."""
    entries, claims = Counter(map(normal, answers)), Counter(map(normal, ids))
    missing = {normal(name): name for name in ids if name not in answers and claims[normal(name)] == 1}
    return {
        missing.get(normal(name), name) if entries[normal(name)] == 1 else name: answer
        for name, answer in answers.items()
    }


def said_of(claim: ClaimShape, stated: Mapping[str, object], summary: str) -> str:
    """What the conclusion says of a statement: its answer, else the summary."""
    return text_of(stated[claim.id]) if claim.id in stated else summary
