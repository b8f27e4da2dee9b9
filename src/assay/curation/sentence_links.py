"""Links the numbers of sentences to runs, in the same way as cells of tables: by value and by name.

A sentence has no rows that confirm each other, so one number must show more. It is linked by value if it has
four digits, one output alone has this value, and numbers near it are not among the outputs. It is linked by
name if its sentence names the output, too; then two digits are enough.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from assay.curation.labels import label_words
from assay.curation.matching import (
    ENOUGH_DIGITS,
    SHIFTS,
    Basis,
    LinkCandidate,
    NumberLink,
    agrees,
    candidates_of,
    information,
    link_of,
)
from assay.curation.paper import PaperSentence, PaperTable, PaperText, TableCell
from assay.curation.running import RunNumber, RunsStage

STATEMENTS = "sentences"
"""The id of the table of all stated numbers: a row for each number, a column for each sentence."""
CAPTION = "Numbers that the text states"
OWN_MARK, OTHER_MARK = "[this number]", "…"
_NAMED_DIGITS = 2
_LEAST_SHARED = 2
_NEAR_WORDS = 6


class _NamedOutput(NamedTuple):
    """An output with the words that name it."""

    number: RunNumber
    words: frozenset[str]


def statements_table(text: PaperText) -> PaperTable | None:
    """Return the numbers of all sentences as a table; None if no sentence states one."""
    if not text.sentences:
        return None
    cells: list[TableCell] = []
    rows: list[str] = []
    for column, sentence in enumerate(text.sentences):
        for stated in sentence.numbers:
            cells.append(
                TableCell(
                    row=len(rows),
                    column=column,
                    text=stated.number.text,
                    number=stated.number,
                    place=sentence.place,
                )
            )
            rows.append(sentence.text)
    columns = [f"statement {number}" for number in range(1, len(text.sentences) + 1)]
    place = text.sentences[0].place
    return PaperTable(id=STATEMENTS, caption=CAPTION, place=place, columns=columns, rows=rows, cells=cells)


def link_sentences(document: str, text: PaperText, runs: RunsStage) -> list[NumberLink]:
    """Return the links of all numbers that sentences of a document state."""
    table = statements_table(text)
    if table is None:
        return []
    outputs = {
        command.command.id: [
            _NamedOutput(number, label_words(f"{number.label} {number.key}")) for number in command.numbers
        ]
        for command in runs.with_numbers
    }
    links: list[NumberLink] = []
    for column, sentence in enumerate(text.sentences):
        cells = [cell for cell in table.cells if cell.column == column]
        best_outputs = {
            position: best_output
            for position, cell in enumerate(cells)
            if (best_output := _best_output(cell, sentence, runs, outputs)) is not None
        }
        for position, (candidate, basis) in best_outputs.items():
            link = link_of(document, table, candidate, [])
            label = masked_sentence(sentence, position, best_outputs)
            links.append(link.model_copy(update={"row_label": label, "basis": basis}))
    return links


def masked_sentence(sentence: PaperSentence, position: int, linked: Collection[int]) -> str:
    """Return what a number is: the words before it, and its sentence without results.

    Whole numbers stay if no run gives them, because most of them are settings.
    """
    text = sentence.text
    for index in range(len(sentence.numbers) - 1, -1, -1):
        stated = sentence.numbers[index]
        is_setting = stated.number.unit >= 1 and not stated.number.percent and index not in linked
        if not is_setting or index == position:
            mark = OWN_MARK if index == position else OTHER_MARK
            text = f"{text[: stated.start]}{mark}{text[stated.end :]}"
    before = re.findall(r"[^\W\d_][\w-]*", sentence.text[: sentence.numbers[position].start])
    name = " ".join(before[-_NEAR_WORDS:])
    return f"{name}: “{text}”" if name else f"“{text}”"


def _best_output(
    cell: TableCell,
    sentence: PaperSentence,
    runs: RunsStage,
    outputs: dict[str, list[_NamedOutput]],
) -> tuple[LinkCandidate, list[Basis]] | None:
    assert cell.number is not None
    if information(cell.number) < _NAMED_DIGITS:
        return None
    candidates = [candidate for command in runs.with_numbers for candidate in candidates_of(cell, command)]
    words = label_words(re.sub(r"\d[\d.,]*", " ", sentence.text))
    named = _by_name(cell, words, candidates, outputs)
    if named is not None:
        return named, ["value", "row name"]
    if (
        information(cell.number) >= ENOUGH_DIGITS
        and _is_alone(candidates)
        and not _has_neighbours(cell, outputs)
    ):
        return candidates[0], ["value"]
    return None


def _by_name(
    cell: TableCell,
    words: frozenset[str],
    candidates: Sequence[LinkCandidate],
    outputs: dict[str, list[_NamedOutput]],
) -> LinkCandidate | None:
    """The output that shares most words with the sentence; None if chance could explain it, too."""
    hits = [(len(words & _words_of(candidate, outputs)), candidate) for candidate in candidates]
    most = max((count for count, _ in hits), default=0)
    if most < _LEAST_SHARED:
        return None
    best = [candidate for count, candidate in hits if count == most]
    as_well_named = [
        output for group in outputs.values() for output in group if len(words & output.words) >= most
    ]
    assert cell.number is not None
    return best[0] if _is_alone(best) and not _any_shifted(cell, as_well_named) else None


def _words_of(candidate: LinkCandidate, outputs: dict[str, list[_NamedOutput]]) -> frozenset[str]:
    group = outputs[candidate.command.command.id]
    return next(output.words for output in group if output.number is candidate.number)


def _is_alone(candidates: Sequence[LinkCandidate]) -> bool:
    """Whether all candidates are one value: the same number in a file and on the screen is one."""
    values = {f"{candidate.number.values[0] * candidate.scale:.9g}" for candidate in candidates}
    return len(values) == 1


def _has_neighbours(cell: TableCell, outputs: dict[str, list[_NamedOutput]]) -> bool:
    return _any_shifted(cell, [output for group in outputs.values() for output in group])


def _any_shifted(cell: TableCell, outputs: Sequence[_NamedOutput]) -> bool:
    """Whether the outputs are so dense that a shifted number is among them, too."""
    printed = cell.number
    assert printed is not None
    return any(
        agrees(printed, output.number.values, scale, shift)
        for output in outputs
        for scale in ((1.0, 100.0) if printed.percent else (1.0,))
        for shift in SHIFTS
    )
