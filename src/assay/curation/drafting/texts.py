"""Title, question and method of a task, from the paper's own passages without what states a result.

What it does not cover: a passage that gives a result away without a number or a word of comparison. A person
reads every text before a task is published.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from assay.curation.drafting.model import DraftMetric, DraftText
from assay.curation.evidence import EvidencePlace, quoted
from assay.curation.paper import PaperSection, PaperTable, PaperText

_RESULT = re.compile(
    r"\b(?:(?:high|low|larg|small|fast|slow|strong|weak)(?:er|est)|outperform\w*|best|worst|better|worse"
    r"|increas\w+|decreas\w+|improv\w+|monoton\w+|beats?|exceed\w*|superior|inferior|significant(?:ly)?|uptick"
    r"|drops?|dropped|gains?|achiev\w+|reach(?:es|ed)|we (?:find|found|observe|see)|shows? that|reveal\w*"
    r"|confirm\w*|demonstrat\w+|conclud\w+|perfect(?:ly)?)\b",
    re.IGNORECASE,
)
_TABLE_LABEL = re.compile(r"^\s*(?:Table|Tab\.)\s*[A-Z]?[\d.]+[a-z]?\s*(?:[.:|–—-]\s*)*|^\s*:\s*")
_DESCRIBED = re.compile(r"\b[Tt]able\s+\w+\s*\(([^()]{8,})\)")
"""A sentence about a table that says in brackets what it shows."""
_LONGEST_TITLE = 120
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z$\[(])")
MOST_METHOD = 6000
"""Characters of the method."""
LEAST_METHOD = 80
"""A shorter method says too little: a person writes it."""


def draft_title(document: PaperText, table: PaperTable) -> DraftText:
    """Return the first sentence of the caption that states no result, or the title of the table's section."""
    described = _DESCRIBED.search(table.caption)
    caption = described.group(1) if described else _TABLE_LABEL.sub("", table.caption)
    sentences, cuts = keep_sentences(caption[:1].upper() + caption[1:], ())
    home = _home(document.sections, table.place)
    if not sentences and home is not None:
        sentences = keep_sentences(home.title, ())[0]
    return DraftText(
        value=_shortened(sentences[0]) if sentences else "",
        source="paper",
        evidence=[table.place],
        cuts=cuts,
    )


def _shortened(sentence: str) -> str:
    """A sentence as a title: without its full stop, and cut between two words."""
    title = sentence.rstrip(".: ")
    return title if len(title) <= _LONGEST_TITLE else f"{title[:_LONGEST_TITLE].rpartition(' ')[0]} …"


def draft_question(table: PaperTable, metrics: Sequence[DraftMetric], title: str) -> DraftText:
    """Return a question that the table answers."""
    rows = list(dict.fromkeys(metric.row_label for metric in metrics))
    columns = list(dict.fromkeys(metric.column_label or "the number" for metric in metrics))
    measured = " and ".join(columns) if len(columns) <= 3 else f"{', '.join(columns[:3])} and others"
    subject = title or table.caption or "the experiment"
    if len(rows) > 1:
        listing = "; ".join(rows[:12])
        value = f"{subject}: how large is {measured} for each of these, and how do they compare? {listing}."
    else:
        value = f"{subject}: how large is {measured} for {rows[0] if rows else 'it'}?"
    return DraftText(value=value, source="derived", evidence=[table.place])


def draft_method(
    document: PaperText,
    table: PaperTable,
    numbers: Collection[str],
    docstrings: Sequence[tuple[str, EvidencePlace]],
    places: Sequence[EvidencePlace] = (),
) -> DraftText:
    """Return the passages that describe the experiment, without sentences that state a result.

    `places` are those of the numbers: their sections describe the experiment, too.
    """
    passages: list[str] = []
    evidence: list[EvidencePlace] = []
    cuts: list[str] = []
    for section, paragraphs in _passages(document, table, places):
        for paragraph in paragraphs:
            sentences, dropped = keep_sentences(paragraph, numbers)
            cuts += dropped
            if sentences and sum(map(len, passages)) < MOST_METHOD:
                passages.append(" ".join(sentences))
                evidence.append(section.place.model_copy(update={"text": quoted(paragraph)}))
    for text, place in docstrings:
        sentences, dropped = keep_sentences(" ".join(text.split()), numbers)
        cuts += dropped
        if sentences and sum(map(len, passages)) < MOST_METHOD:
            passages.append(f"`{place.file}` says of itself: {' '.join(sentences)}")
            evidence.append(place)
    value = "\n\n".join(passages)
    return DraftText(
        value=value if len(value) >= LEAST_METHOD else "",
        source="paper",
        evidence=evidence[:20],
        cuts=cuts[:40],
    )


def keep_sentences(text: str, numbers: Collection[str]) -> tuple[list[str], list[str]]:
    """Split a text into the sentences that may stay and those that state a result."""
    kept_sentences: list[str] = []
    cuts: list[str] = []
    for sentence in _SENTENCE.split(text.strip()):
        states = _RESULT.search(sentence) or any(_contains(sentence, number) for number in numbers)
        (cuts if states else kept_sentences).append(sentence.strip())
    return [sentence for sentence in kept_sentences if sentence], [sentence for sentence in cuts if sentence]


def _contains(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)", text) is not None


def _passages(
    document: PaperText, table: PaperTable, places: Sequence[EvidencePlace]
) -> list[tuple[PaperSection, list[str]]]:
    """The sections in which the numbers stand, and then the paragraphs that refer to the table."""
    passages_by_section: list[tuple[PaperSection, list[str]]] = []
    homes: list[PaperSection] = []
    for place in (*places, *([] if places else [table.place])):
        home = _home(document.sections, place)
        if home is not None and home not in homes:
            homes.append(home)
            passages_by_section.append((home, home.text.split("\n\n")))
    mark = f"[{table.id.partition('#')[0]}]"
    for section in document.sections:
        paragraphs = [paragraph for paragraph in section.text.split("\n\n") if mark in paragraph]
        if section not in homes and paragraphs:
            passages_by_section.append((section, paragraphs))
    return passages_by_section


def _home(sections: Sequence[PaperSection], place: EvidencePlace) -> PaperSection | None:
    before = [
        section
        for section in sections
        if section.place.file == place.file and (section.place.line or 0) <= (place.line or 0)
    ]
    return before[-1] if before and place.line else None
