"""The numbers that a conclusion in words cites and that a run did not make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.rules.cited import cited_numbers
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
    given_numbers = set(known_numbers)
    all_cited = cited_numbers("\n".join(texts), frozenset(settings) | given_numbers)
    cited = [number for number in all_cited if not given_numbers & set(number.values)][:MOST_CITED]
    numbers = Numbers(results, noise)
    if not numbers.complete:
        return [], len(cited)
    return [number.text for number in cited if not numbers.has(number)], len(cited)
