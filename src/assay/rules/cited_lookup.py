"""One look-up of the numbers that a conclusion in words cites: what it finds serves every rule about them.

Code accepts a number only if the results contain it as it stands. A reader decides about every other one: it
may follow from several results, or be a setting, a count or the level of an interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.rules.check_submission import read
from assay.rules.cited import LONGEST_TEXT, cited_in_plain, has_too_many, without_places
from assay.rules.cited_number import ERROR_SCALE, Cited
from assay.rules.intervals import interval_ends
from assay.rules.named_statistics import reported_statistics
from assay.rules.plain_text import plain_text
from assay.rules.remade import Numbers
from assay.rules.shapes import ClaimShape, ConclusionShape
from assay.rules.stated_times import TimeDoubt, doubt_times
from assay.rules.written_values import normal, text_of

MOST_CITED = 500
"""Numbers of one text that are looked up."""
LEVELS = frozenset((0.1, 1.0, 5.0, 10.0, 50.0, 68.0, 75.0, 80.0, 90.0, 95.0, 97.5, 98.0, 99.0, 99.5, 99.9))
"""Levels of intervals and tests, in percent."""


@dataclass(frozen=True)
class CitedLookup:
    """The numbers that a conclusion cites, and which of them the re-made results contain."""

    text: str = ""
    """What the conclusion says in words."""
    cited: tuple[Cited, ...] = ()
    """The numbers of the text."""
    open: tuple[Cited, ...] = ()
    """Those of the first `MOST_CITED` that the results do not contain as they stand."""
    settings: frozenset[Cited] = frozenset()
    """Those of them that may be chosen before the run: a reader has to say so."""
    levels: frozenset[Cited] = frozenset()
    """Those of these that may only be the level of an interval or a test."""
    missing: tuple[Cited, ...] = ()
    """Those of them that are no settings, follow from no two results, end no interval around one, and are no
    statistics of a test."""
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
    def contrary(self) -> list[Cited]:
        """The missing numbers that are exact: another one may be a level, a count or a step."""
        return [number for number in self.missing if number.is_exact and not number.is_joined]

    @property
    def rests_on_others(self) -> bool:
        """Whether more than half of the exact numbers that are no settings are not in the results.

        That shows a text about another run; not where not all results were looked at, and not for one number,
        which may be a result that no rule can compute.
        """
        if self.repeats_truth or not self.complete:
            return False
        exact = [number for number in self.cited if number.is_exact and not number.is_joined]
        results = [number for number in exact if number not in self.settings]
        return len(self.contrary) > 1 and 2 * len(self.contrary) > len(results)


def look_up_cited(
    conclusion: ConclusionShape,
    handed_in: bytes | None,
    results: object,
    known_numbers: Iterable[float] = (),
    noise: Mapping[str, float] | None = None,
    settings: Iterable[float] = (),
    run_seconds: float | None = None,
    known_names: Collection[str] = (),
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
    chosen = frozenset(known_numbers) | frozenset(settings)
    numbers = Numbers(results, noise)
    plain = plain_text(text[:LONGEST_TEXT])
    if has_too_many(plain):
        return CitedLookup(text=text, has_too_many=True)
    cited = [number for number in cited_in_plain(plain) if normal(number.name) not in known_names]
    not_shown = [number for number in cited[:MOST_CITED] if not numbers.shows(number)]
    analysed = [*interval_ends(plain, numbers), *reported_statistics(plain, numbers.words())]
    of_results = set(cited_in_plain(without_places(plain, analysed)))
    levels = frozenset(number for number in cited if _may_be_level(number, chosen))
    may_be_set = levels | frozenset(number for number in cited if _may_be_set(number, chosen))
    return CitedLookup(
        text=text,
        cited=tuple(cited),
        open=tuple(not_shown),
        settings=may_be_set,
        levels=levels,
        missing=tuple(
            number
            for number in not_shown
            if number in of_results
            and number not in may_be_set
            and not numbers.has(replace(number, side=0, scales=ERROR_SCALE))
        ),
        count=numbers.count,
        complete=numbers.complete,
        repeats_truth=repeats_truth,
        times=doubt_times(text, results, chosen, run_seconds),
    )


def _may_be_set(number: Cited, chosen: frozenset[float]) -> bool:
    """Whether it may be chosen before the run: the task or the code has it, or it is a count or a year."""
    return number.may_name or bool(chosen & set(number.values))


def _may_be_level(number: Cited, chosen: frozenset[float]) -> bool:
    """Whether it may be the level of an interval or a test, and no other setting."""
    has_sign = number.text.endswith(("%", "percent"))
    return has_sign and bool(LEVELS & set(number.values)) and not _may_be_set(number, chosen)


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
