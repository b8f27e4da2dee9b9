"""What decided the items behind each score, as rows of text: by running, by text, by reading, or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.reporting.phase_words import NAMES, card_label
from assay.reporting.wording import count
from assay.scoring.scorecards.decided_items import WAYS, DecidedItems
from assay.scoring.scorecards.phases import PhaseCard

DECIDED_NOTE = (
    "items decided by: running (a run in the clean sandbox), text (equal words, a missing file), reading (a"
    " model that reads), none (unknown)."
)
MOST_REASONS = 8
"""Reasons that a terminal shows; --json has all."""


def decided_letters(cards: Sequence[PhaseCard]) -> list[str]:
    """The phases of which any card has items, in the order of the names."""
    return [
        letter
        for letter in NAMES
        if any(letter in card.decided and card.decided[letter].total for card in cards)
    ]


def decided_table(cards: Sequence[PhaseCard]) -> list[list[str]]:
    """Headings, then a row for each card."""
    letters = decided_letters(cards)
    return [
        ["items decided by", *(NAMES[letter] for letter in letters)],
        *(
            [card_label(card, cards), *(decided_text(card.decided[letter]) for letter in letters)]
            for card in cards
        ),
    ]


def decided_text(items: DecidedItems) -> str:
    """The counts of one phase: `12 running, 3 none`."""
    counts = {decided_by: getattr(items, decided_by) for decided_by in WAYS}
    parts = [f"{number} {decided_by}" for decided_by, number in counts.items() if number]
    return "\n".join(parts) or "–"


def undecided_reasons(cards: Sequence[PhaseCard]) -> Iterator[str]:
    """Yield why items were not decided, added up over the cards, the most frequent first."""
    reasons: Counter[tuple[str, str]] = Counter()
    for card in cards:
        for letter, items in card.decided.items():
            for why, number in items.reasons.items():
                reasons[NAMES[letter], why] += number
    for (phase, why), number in reasons.most_common(MOST_REASONS):
        yield f"{count(number, 'item')} of {phase}: {why}"
    if len(reasons) > MOST_REASONS:
        yield f"{len(reasons) - MOST_REASONS} more reasons; --json has all"


def undecided_lines(cards: Sequence[PhaseCard]) -> Iterator[str]:
    """Yield the reasons as lines of a terminal."""
    yield from (f"not decided: {line}" for line in undecided_reasons(cards))
