"""Experiments below a scorecard: phases, All✓ with each denominator, the ladder, what decided the items."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.decided_table import DECIDED_NOTE, decided_table, undecided_lines
from assay.reporting.ladder_table import LADDER_NOTE, ladder_table
from assay.reporting.phase_words import (
    LETTERS_NOTE,
    NAMES,
    SHARES,
    agent_label,
    credit_range,
    scorecard_phases,
    short_rate,
    shown_cards,
)
from assay.reporting.printed_table import PrintedTable
from assay.reporting.wording import count
from assay.scoring import Scorecard
from assay.scoring.published.totals import published
from assay.scoring.scorecards.phases import DENOMINATORS, VERIFIED, PhaseCard

SINGLE = ("D", "I", "E", "C")
ALL, ALL_EXECUTED = "All✓", "All·E✓"


def experiment_summary(scorecard: Scorecard) -> PrintedTable | None:
    """The tables of the experiments; None where there are none."""
    cards = shown_cards(scorecard_phases(scorecard))
    if not cards:
        return None
    return PrintedTable(
        headings=["phases", *(f"{letter} {NAMES[letter]}" for letter in SINGLE)],
        rows=[_row(card, cards) for card in cards],
        numbers=[],
        shape={},
        notes=[
            LETTERS_NOTE,
            f"{ALL}: design, implementation and conclusion of one attempt are all met."
            f" all = {DENOMINATORS['attempts']}. judged = {DENOMINATORS['judged']}."
            f" executed = {DENOMINATORS['executed']}.",
            "items: mean share of a phase's items that are met; an unknown item makes it a range.",
            *truth_lines(cards),
            LADDER_NOTE,
            DECIDED_NOTE,
            *undecided_lines(cards),
            "--table phases has the intervals and the published numbers.",
        ],
        other_tables=[
            _conjunctions(cards),
            ladder_table(cards, published("expbench")),
            decided_table(cards),
        ],
    )


def truth_lines(cards: Sequence[PhaseCard]) -> list[str]:
    """How many tasks have a published outcome that a run confirmed, for each suite."""
    widest: dict[str, PhaseCard] = {}
    for card in cards:
        if card.truth and card.value is None and card.tasks > getattr(widest.get(card.suite), "tasks", 0):
            widest[card.suite] = card
    lines = []
    for suite, card in widest.items():
        unconfirmed = [f"{number} {word}" for word, number in card.truth.items() if word != VERIFIED]
        left_out = f"; left out: {', '.join(unconfirmed)}" if unconfirmed else ""
        verified = f"{card.truth.get(VERIFIED, 0)} of {count(card.tasks, 'task')}"
        lines.append(f"{suite}, verified = {DENOMINATORS['verified']}: {verified}{left_out}.")
    return lines


def _row(card: PhaseCard, cards: Sequence[PhaseCard]) -> list[str]:
    cells = []
    for letter in SINGLE:
        cell = short_rate(card.measures[letter].rate)
        has_share = letter in SHARES and card.measures[letter].rate.attempts
        cells.append(f"{cell}\nitems {credit_range(card.credit[letter])}" if has_share else cell)
    return [agent_label(card, cards), *cells]


def _conjunctions(cards: Sequence[PhaseCard]) -> list[list[str]]:
    """All✓ with each denominator, and All·E✓ as EXP-Bench divides it."""
    has_truth = any(card.truth for card in cards)
    headings = ["together", f"{ALL} of all", f"{ALL} of judged", f"{ALL_EXECUTED} of executed"]
    rows = [
        [
            agent_label(card, cards),
            short_rate(card.measures[ALL].rate),
            short_rate(card.measures[ALL].judged),
            short_rate(card.measures[ALL_EXECUTED].executed),
            *([short_rate(card.measures[ALL].verified)] if has_truth else []),
        ]
        for card in cards
    ]
    return [[*headings, *([f"{ALL} of verified"] if has_truth else [])], *rows]
