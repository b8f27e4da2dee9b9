"""Claims that one passage supports or refutes: comparisons of rows of a table, and stated numbers."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from assay.curation.literature.corpus import Passage, plain
from assay.curation.literature.other_places import SENTENCE_END, StatedPlaces
from assay.curation.paper import PaperTable, TableCell

MOST_CLAIMS = 12
LEAST_CLAIMS = 4
_NUMBER = re.compile(r"(?<![\w.,$])\d+(?:\.\d+)?(?![\w%]|[.,]\d)")
_NOT_STATED = re.compile(r"\[|\b(?:19|20)\d\d\b|\bed\.|\barXiv\b|\bpp?\.|\bdoi\b|\bvol\b", re.IGNORECASE)
"""A sentence with a citation, a year or the words of a reference states no number of the paper."""
_NOT_EXACT = re.compile(
    r"\b(?:fewer|less|more|greater|larger|smaller|higher|lower|longer|shorter|faster|slower|better|worse|than"
    r"|above|below|over|under|beyond|within|exceed\w*|surpass\w*|least|most|minim\w+|maxim\w+|bound\w*|limit\w*"
    r"|up to|until|between|from \d|rang\w+|about|around|roughly|circa|approx\w*|nearly|almost|close to|any"
    r"|several|reach\w*|caps?|capped|ceiling|floor|threshold|or so)\b"
    r"|[<>\u2264\u2265~\u2248\u223c\u00b1+\u2013\u2014]|\\(?:[gl]eq?|approx|sim|pm)\b|\d\s?-\s?\d",
    re.IGNORECASE,
)
"""A sentence with a bound or an approximate number: with another number it may be true as well."""
_REFERENCES = re.compile(r"references|bibliography|acknowledg", re.IGNORECASE)
Verdict = Literal["supports", "refutes"]


class LiteratureClaim(NamedTuple):
    """A claim with its answer."""

    text: str
    passage: str
    verdict: Verdict


def make_claims(passages: Sequence[Passage], seed: str) -> list[LiteratureClaim]:
    """Return claims in a mixed order, about half of them refuted; the same seed gives the same claims."""
    source = random.Random(seed)
    tables = [passage.table for passage in passages if passage.table]
    compared = [
        claim for passage in passages if passage.table for claim in _table_claims(passage, tables, source)
    ]
    places = StatedPlaces(passages)
    stated = [
        claim
        for passage in passages
        if not passage.table and not _REFERENCES.search(passage.title)
        for claim in _number_claims(passage, places, source)
    ]
    counts = Counter(claim.text for claim in [*compared, *stated])
    compared = [claim for claim in compared if counts[claim.text] == 1]
    stated = [claim for claim in stated if counts[claim.text] == 1]
    source.shuffle(compared)
    source.shuffle(stated)
    # Comparisons first: no sentence of the paper has their words.
    claims = [*compared[: MOST_CLAIMS * 2 // 3], *stated]
    supported = [claim for claim in claims if claim.verdict == "supports"][: MOST_CLAIMS // 2]
    refuted = [claim for claim in claims if claim.verdict == "refutes"][: MOST_CLAIMS // 2]
    chosen_claims = [*supported, *refuted]
    source.shuffle(chosen_claims)
    return chosen_claims


def _table_claims(
    passage: Passage, tables: Sequence[PaperTable], source: random.Random
) -> Iterator[LiteratureClaim]:
    """Two rows of a table compared in one column; only this table may have numbers for the comparison."""
    table = passage.table
    assert table is not None
    pairs = [
        (first, second)
        for first, second in combinations(table.numbers, 2)
        if first.column == second.column and _is_comparable(table, first, second, tables)
    ]
    for first, second in source.sample(pairs, min(4, len(pairs))):
        assert first.number is not None
        assert second.number is not None
        says_higher = source.random() < 0.5
        is_higher = first.number.value > second.number.value
        measure = table.columns[first.column]
        word = "higher" if says_higher else "lower"
        row, other = table.rows[first.row], table.rows[second.row]
        text = f"In the column “{measure}”, “{row}” has a {word} number than “{other}”."
        yield LiteratureClaim(text, passage.id, "supports" if says_higher == is_higher else "refutes")


def _is_comparable(
    table: PaperTable, first: TableCell, second: TableCell, tables: Sequence[PaperTable]
) -> bool:
    rows = {plain(table.rows[first.row]), plain(table.rows[second.row])}
    column = plain(table.columns[first.column])
    if len(rows) < 2 or "" in {*rows, column} or first.column == 0:
        return False
    row_names, column_names = map(plain, table.rows), [plain(name) for name in table.columns]
    if sum(name in rows for name in row_names) > 2 or column_names.count(column) > 1:
        return False
    if any(_has_labels(second_table, rows, column) for second_table in tables if second_table is not table):
        return False
    assert first.number is not None
    assert second.number is not None
    return abs(first.number.value - second.number.value) > max(first.number.unit, second.number.unit)


def _has_labels(table: PaperTable, rows: set[str], column: str) -> bool:
    return rows <= {plain(name) for name in table.rows} and column in map(plain, table.columns)


def _number_claims(
    passage: Passage, places: StatedPlaces, source: random.Random
) -> Iterator[LiteratureClaim]:
    """Sentences with one exact number, which no other passage states; half of them with another number."""
    for sentence in SENTENCE_END.split(passage.text):
        numbers = _NUMBER.findall(sentence)
        if len(numbers) != 1 or not 8 <= len(sentence.split()) <= 40 or _NOT_STATED.search(sentence):
            continue
        if _NOT_EXACT.search(sentence) or places.stated_in(sentence, numbers[0]) != {passage.id}:
            continue
        if source.random() < 0.5:
            yield LiteratureClaim(sentence, passage.id, "supports")
        else:
            changed_number = _other_number(numbers[0], source)
            if not places.stated_in(sentence, changed_number):
                yield LiteratureClaim(_NUMBER.sub(changed_number, sentence), passage.id, "refutes")


def _other_number(text: str, source: random.Random) -> str:
    """A number of the same form that is clearly another one."""
    decimals = len(text.partition(".")[2])
    value = float(text)
    other = value * source.choice((0.5, 1.5, 2.0)) if value else 1.0
    changed = f"{other:.{decimals}f}"
    return changed if float(changed) != value else f"{value + 1:.{decimals}f}"
