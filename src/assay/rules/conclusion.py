"""The conclusion, claim by claim: true of the world, and faithful to the numbers that its own run re-made."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping

from assay.rules.cited import MOST_NUMBERS
from assay.rules.cited_lookup import MOST_CITED, CitedLookup, look_up_cited, read_claims, said_of
from assay.rules.numbers import look_up
from assay.rules.remade import Numbers
from assay.rules.ruling import Ruling, Status, met, unmet, unread
from assay.rules.shapes import ClaimShape, ConclusionShape
from assay.rules.stated_size import SIZE_FORM, stated_size, without_approximation
from assay.rules.tables import numbers_of_outputs
from assay.rules.written_values import as_number, normal, text_of

Answer = object
ITEM = "conclusion.faithful"
DIRECTIONS = ("higher", "lower", "same")
LONGEST_SHOWN = 120
PERCENTAGES = {"percent", "percentage", "pct", "points", "pp", "ppt"}
REVERSED = {"lowest", "smallest", "worst", "reverse", "reversed", "ascending"}
"""Words of a list that goes from the lowest to the highest."""
ANSWERS = {"answer", "answers", "truth", "correct", "corrected", "actual", "actually", "instead", "or"}
"""Words that make it an answer to the same question, whatever else stands there."""
AGAIN = {
    *("other", "another", "second", "third", "alternative", "alternatively", "alt", "again", "also", "all"),
    *("final", "finally", "new", "revised", "value", "result", "the", "a", "an", "is", "not", "no", "and"),
}
"""Words that name nothing else: an entry whose name adds no other word answers the same question."""
MOST_WORDS = 6
"""A longer text beside a direction is a remark."""


def grade_conclusion(
    conclusion: ConclusionShape,
    handed_in: bytes | None,
    results: object | None,
    known_numbers: Iterable[float] = (),
    noise: Mapping[str, float] | None = None,
    settings: Iterable[float] = (),
    outputs: Mapping[str, bytes] | None = None,
    lookup: CitedLookup | None = None,
    known_names: Collection[str] = (),
) -> list[Ruling]:
    """One ruling for each claim against the truth, and one on all of them against the re-made numbers.

    `known_numbers` and `known_names` (names with digits) are those of the question and of the design,
    `settings` numbers of the submission's own design and code. `noise` is how far the number at a path may
    move from run to run. `outputs` are the other files that the task asks the run to write: a text may cite
    their numbers too. `lookup` is what `look_up_cited` found for the same arguments, if it was called before.
    """
    stated, summary, problem = read_claims(handed_in, conclusion.claim)
    if problem is not None:
        items = [f"conclusion.{claim.id}" for claim in conclusion.claim] + [ITEM]
        return [unmet(item, problem) for item in items]
    names = {claim.id for claim in conclusion.claim}
    rulings = [_grade(claim, stated, summary, names) for claim in conclusion.claim]
    statements = [said_of(claim, stated, summary) for claim in conclusion.claim if claim.kind == "statement"]
    faithful = _faithful(conclusion, stated, results)
    if faithful.status == "met" and (statements or summary.strip()):
        cited_lookup = lookup or look_up_cited(
            conclusion,
            handed_in,
            results,
            known_numbers,
            noise=noise,
            settings=settings,
            known_names=known_names,
        )
        output_numbers = Numbers(numbers_of_outputs(outputs or {}))
        faithful = _founded(cited_lookup, output_numbers, bool(statements))
        if faithful.status != "met" and cited_lookup.repeats_truth:
            # The oracle's case: the truth's numbers are of its authors' run, which need not be this one.
            evidence = f"the truth's own words: {faithful.evidence}"
            faithful = Ruling(ITEM, "unknown", evidence, owner="task")
    return [*rulings, faithful]


def _answered_again(
    claim: ClaimShape, stated: Mapping[str, Answer], other_claims: Collection[str]
) -> str | None:
    """Another entry that answers the same claim: under its name, or under a longer one and otherwise."""
    for name, answer in stated.items():
        if name == claim.id or name in other_claims:
            continue
        if normal(name) == normal(claim.id):
            return name
        if not normal(name).startswith(normal(claim.id)):
            continue
        added = _added_words(claim.id, name)
        if claim.kind == "magnitude" and added & PERCENTAGES and not added & ANSWERS:
            share = _any_size(answer)
            answer = answer if share is None else share / 100
        elif claim.kind == "ordering" and added & REVERSED and isinstance(answer, list):
            answer = answer[::-1]
        elif not added & ANSWERS and _names_something_else(added, _parts(claim)):
            continue
        if _differs(claim, answer, stated[claim.id]):
            return name
    return None


def _names_something_else(added: set[str], parts: set[str]) -> bool:
    """Whether added words name another study, another quantity, a remark, or one of two compared numbers."""
    return bool(added & parts) or not all(word in AGAIN or word.isdigit() for word in added)


def _parts(claim: ClaimShape) -> set[str]:
    """The words that name one of two compared numbers, and not the other: `a` in `accuracy.a`."""
    words = [set(_words_of(path)) for path in claim.paths]
    return words[0].union(*words) - words[0].intersection(*words) if words else set()


def _words_of(name: str) -> list[str]:
    return re.findall(r"[a-z]+|\d+", name.casefold())


def _added_words(name: str, longer: str) -> set[str]:
    """The words of a longer name that come after the shorter one."""
    start, words = "", _words_of(longer)
    for place, word in enumerate(words):
        if start == normal(name):
            return set(words[place:])
        start += word
    return set()


def _differs(claim: ClaimShape, answer: Answer, stated_answer: Answer) -> bool:
    """Whether an entry gives another answer of the same kind."""
    if claim.kind == "direction":
        if len(text_of(answer).split()) > MOST_WORDS:
            return False
        named = {word for word in DIRECTIONS if re.search(rf"\b{word}\b", text_of(answer).casefold())}
        return bool(named - {_direction(text_of(stated_answer))})
    if claim.kind == "magnitude":
        other_size, size = _any_size(answer), _any_size(stated_answer)
        return other_size is not None and (size is None or abs(other_size - size) > claim.tolerance)
    if not isinstance(answer, list):
        return False
    names = {normal(name) for name in claim.order}
    ordered = [name for name in answer if normal(text_of(name)) in names]
    return bool(ordered) and not agrees(claim, ordered, stated_answer)


def _grade(
    claim: ClaimShape, stated: dict[str, Answer], summary: str, other_claims: Collection[str]
) -> Ruling:
    item = f"conclusion.{claim.id}"
    if claim.kind == "statement":
        return _grade_statement(claim, said_of(claim, stated, summary))
    if claim.id not in stated:
        return unmet(item, "the conclusion does not say")
    answer = stated[claim.id]
    if (contradiction := _answered_again(claim, stated, other_claims)) is not None:
        return unmet(item, f"answers it again as {contradiction!r}")
    evidence = f"says {_shown(claim, answer)}, true is {claim.answer}"
    return (met if agrees(claim, answer, claim.answer) else unmet)(item, evidence)


def _shown(claim: ClaimShape, answer: Answer) -> str:
    """An answer for the evidence; of a size that cannot be read, also what is expected."""
    shown = text_of(answer)[:LONGEST_SHOWN]
    is_unread = claim.kind == "magnitude" and stated_size(claim, answer) is None
    return f"{shown} (which is no size: {SIZE_FORM})" if is_unread else shown


def _grade_statement(claim: ClaimShape, text: str) -> Ruling:
    item = f"conclusion.{claim.id}"
    if not text.strip():
        return unmet(item, "the conclusion does not say")
    if normal(text) == normal(str(claim.answer)):
        return met(item, "the truth's own words")
    if reason := getattr(claim, "undecidable", ""):
        return Ruling(item, "unknown", reason, owner="task")
    return unread(item, "other words")


def _faithful(conclusion: ConclusionShape, stated: dict[str, Answer], results: object | None) -> Ruling:
    if results is None:
        return _verdict("unmet", "no numbers were re-made to compare with")
    for claim in conclusion.claim:
        if claim.kind == "statement":
            continue
        if claim.id not in stated:
            return _verdict("unmet", f"says nothing of {claim.id}")
        try:
            remade = derive(claim, results)
        except KeyError as error:
            return _verdict("unmet", f"{claim.id}: {error.args[0]}")
        if not agrees(claim, stated[claim.id], remade):
            answer = _shown(claim, stated[claim.id])
            return _verdict("unmet", f"{claim.id}: says {answer}, its own run gives {remade}")
    return _verdict("met", "every claim follows from the re-made numbers")


def _founded(lookup: CitedLookup, output_numbers: Numbers, has_statements: bool) -> Ruling:
    """Whether every number of the statements was re-made; of a summary beside other claims, half of them.

    Only statements are compared with the re-made times, too.
    """
    if lookup.has_too_many:
        return _verdict("unmet", f"cites numbers in more than {MOST_NUMBERS:,} places, so none is read")
    if len(lookup.cited) > MOST_CITED:
        return _verdict("unmet", f"cites more than {MOST_CITED} different numbers, so none is looked up")
    if not has_statements:
        missing = [number for number in lookup.contrary if not output_numbers.has(number)]
        if lookup.rests_on_others and 2 * len(missing) > len(lookup.contrary):
            listing = ", ".join(number.text for number in missing[:10])
            return _verdict(
                "unmet", f"cites {listing}, which is not among the {lookup.count} re-made numbers"
            )
        return _verdict("met", "every claim follows from the re-made numbers")
    if lookup.missing and lookup.count == 0:
        return _verdict("unmet", f"cites {lookup.missing[0].text}, and the re-made results hold no number")
    times = lookup.times
    if times is not None and times.status == "unmet":
        return _verdict("unmet", times.evidence)
    if not_shown := [number.text for number in lookup.open if not output_numbers.shows(number)]:
        listing = ", ".join(not_shown[:10])
        evidence = f"cites {listing}: the {lookup.count} re-made numbers do not show it as it stands"
        return unread(ITEM, evidence)
    if times is not None:
        return _verdict(times.status, times.evidence)
    if not lookup.cited:
        return _verdict("met", "the text cites no number of its own")
    return _verdict("met", f"{len(lookup.cited)} cited numbers, all among the {lookup.count} re-made ones")


def _verdict(status: Status, evidence: str) -> Ruling:
    return Ruling(ITEM, status, evidence, owner=None if status == "met" else "agent")


def agrees(claim: ClaimShape, stated: Answer, expected: Answer) -> bool:
    """Whether a stated answer is the expected one, by the claim's kind."""
    if claim.kind == "magnitude":
        size, expected_size = stated_size(claim, stated), as_number(expected)
        if size is None or expected_size is None:
            return False
        return abs(size - expected_size) <= claim.tolerance
    if claim.kind == "ordering":
        if not isinstance(stated, list) or not isinstance(expected, list):
            return False
        return [normal(text_of(name)) for name in stated] == [normal(str(name)) for name in expected]
    return isinstance(stated, str) and _direction(stated) == _direction(str(expected))


def _direction(text: str) -> str:
    """An answer without its article: "the same" is "same"."""
    return normal(re.sub(r"^\s*the\s+", "", text, flags=re.IGNORECASE))


def _any_size(answer: Answer) -> float | None:
    """The number at the start of another answer, whatever is said of it."""
    return as_number(without_approximation(answer) if isinstance(answer, str) else answer)


def derive(claim: ClaimShape, results: object) -> Answer:
    """What the numbers of a run say to the claim's question."""
    numbers = [look_up(results, path) for path in claim.paths]
    if not all(map(math.isfinite, numbers)):
        raise KeyError(f"the results have no finite numbers at {', '.join(claim.paths)}")
    if claim.kind == "magnitude":
        return numbers[0] - numbers[1] if len(numbers) == 2 else numbers[0]
    if claim.kind == "direction":
        difference = numbers[0] - numbers[1]
        return "same" if abs(difference) <= claim.tolerance else "higher" if difference > 0 else "lower"
    ranked = sorted(zip(numbers, claim.order, strict=True), reverse=claim.best == "higher")
    return [name for _, name in ranked]
