"""The phase ladder as rows of text: each step adds one phase, beside the published ladder."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.phase_words import card_label, short_rate
from assay.scoring.published.totals import Published
from assay.scoring.scorecards.phase_ladder import RUNGS
from assay.scoring.scorecards.phases import PhaseCard

LADDER_NOTE = (
    "the ladder: attempts that meet every phase up to this step ÷ all attempts at experiments; a phase that a"
    " task does not ask for counts as met."
)


def ladder_table(cards: Sequence[PhaseCard], cited: Sequence[Published]) -> list[list[str]]:
    """Headings, then a row for each card and one for EXP-Bench."""
    rows = [[card_label(card, cards), *(short_rate(card.ladder[rung]) for rung in RUNGS)] for card in cards]
    values = {number.measure: number.value for number in cited if number.agent == "all"}
    published = [f"{values[rung] * 100:.1f}%" if rung in values else "–" for rung in RUNGS]
    return [
        ["the ladder", *RUNGS],
        *rows,
        ["published, all agents", *published],
    ]
