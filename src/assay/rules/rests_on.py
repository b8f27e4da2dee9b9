"""The numbers that a conclusion in words cites: those that a run did not make, or made by chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.rules.cited import Cited, measured_numbers
from assay.rules.conclusion import MOST_CITED, read_claims, said_of
from assay.rules.remade import Numbers
from assay.rules.shapes import ConclusionShape
from assay.rules.written_values import normal


def numbers_not_made(
    conclusion: ConclusionShape,
    handed_in: bytes | None,
    results: object,
    known_numbers: Iterable[float],
    noise: Mapping[str, float] | None,
    settings: Iterable[float],
) -> tuple[list[str], int]:
    """Return the cited numbers that the results do not contain, and how many numbers are cited in all.

    The truth's own words count as citing nothing: their numbers are of the authors' run. Results with too
    many numbers to look at contain everything.
    """
    stated, summary, problem = read_claims(handed_in)
    statements = [said_of(claim, stated, summary) for claim in conclusion.claim if claim.kind == "statement"]
    texts = [text for text in (*statements, summary) if text.strip()]
    if problem is not None or {normal(text) for text in texts} <= {
        normal(str(claim.answer)) for claim in conclusion.claim
    }:
        return [], 0
    cited = measured_numbers("\n".join(texts), known_numbers, settings)[:MOST_CITED]
    numbers = Numbers(results, noise)
    if not numbers.complete:
        return [], len(cited)
    return [number.text for number in cited if not numbers.has(number)], len(cited)


def doubtful_numbers(
    conclusion: ConclusionShape,
    handed_in: bytes | None,
    results: object,
    known_numbers: Iterable[float],
    noise: Mapping[str, float] | None,
    settings: Iterable[float],
) -> tuple[str, list[Cited], list[Cited]]:
    """Return the text of a conclusion, its numbers that were not found, and those found by chance alone."""
    stated, summary, _ = read_claims(handed_in)
    statements = [said_of(claim, stated, summary) for claim in conclusion.claim if claim.kind == "statement"]
    text = "\n".join(dict.fromkeys(part for part in (*statements, summary) if part.strip()))
    numbers = Numbers(results, noise)
    found = [
        (number, numbers.find(number))
        for number in measured_numbers(text, known_numbers, settings)[:MOST_CITED]
    ]
    missing = [number for number, place in found if not place.was_remade]
    return text, missing, [number for number, place in found if place.by_chance]
