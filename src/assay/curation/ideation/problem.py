"""What the agent reads about a paper's problem: passages without its method and without its results."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from assay.curation.drafting.model import TaskDraft
from assay.curation.labels import label_words
from assay.curation.paper import PaperSection, PaperText

_PROBLEM = re.compile(r"problem|setting|setup|\btask\b|definition|notation", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:better|best|worse|worst|outperform\w*|improv\w+|superior|inferior|propos\w+|our method"
    r"|we introduce|beats?|wins?|reduces? the|novel)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
MOST_TEXT = 4000


def problem_text(document: PaperText, draft: TaskDraft, method_words: Collection[str]) -> str:
    """Return the table's caption, then what the paper says about its problem and the table's experiment."""
    numbers = [metric.printed for metric in draft.metrics]
    paragraphs = [draft.title.value]
    for section in _sections(document, draft):
        paragraphs += section.text.split("\n\n")
    kept_paragraphs: list[str] = []
    for paragraph in paragraphs:
        sentences = [
            sentence
            for sentence in _SENTENCE.split(" ".join(paragraph.split()))
            if sentence and not _tells(sentence, numbers, method_words)
        ]
        if sentences and sum(map(len, kept_paragraphs)) < MOST_TEXT:
            kept_paragraphs.append(" ".join(sentences))
    return "\n\n".join(dict.fromkeys(kept_paragraphs))


def _tells(sentence: str, numbers: Collection[str], method_words: Collection[str]) -> bool:
    """Whether a sentence names the method, states a result, or is a row of a table."""
    if set(method_words) & label_words(sentence) or _RESULT.search(sentence) or sentence.startswith("|"):
        return True
    return any(re.search(rf"(?<![\d.]){re.escape(number)}(?!\d|\.\d)", sentence) for number in numbers)


def _sections(document: PaperText, draft: TaskDraft) -> Iterator[PaperSection]:
    """The sections about the problem, and the one in which the table stands."""
    table = next(table for table in document.tables if table.id == draft.table)
    before = [
        section
        for section in document.sections
        if section.place.file == table.place.file and (section.place.line or 0) <= (table.place.line or 0)
    ]
    home = before[-1:] if table.place.line else []
    for section in document.sections:
        if _PROBLEM.search(section.title) or section in home:
            yield section
