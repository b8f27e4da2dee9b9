"""The words of the tables about experiments: phases, agents, rates in a small cell."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.wording import percent
from assay.scoring import AgentCard, Rate, Scorecard, SuiteCard
from assay.scoring.scorecards.partial_credit import Credit
from assay.scoring.scorecards.phases import PhaseCard

NAMES = {
    "D": "design",
    "I": "implementation",
    "E": "execution",
    "C": "conclusion",
    "M": "integrity",
    "R": "recomputed numbers",
}
"""What the letters stand for."""

SHARES = ("D", "I")
"""Measures that EXP-Bench states as a mean share of items, not as a strict rate."""

LETTERS_NOTE = f"{', '.join(f'{letter} {name}' for letter, name in NAMES.items())}; x·y: both are met."


def agent_label(card: PhaseCard, cards: Sequence[PhaseCard]) -> str:
    """The agent with its model, and with its suite where the table has several."""
    label = card.agent if card.model == "none" else f"{card.agent} ({card.model})"
    has_many_suites = len({suite_card.suite for suite_card in cards}) > 1
    return f"{label} on {card.suite}" if has_many_suites else label


def card_label(card: PhaseCard, cards: Sequence[PhaseCard]) -> str:
    """The same, with the value of the label that the cards are grouped by."""
    label = agent_label(card, cards)
    return label if card.value is None else f"{label}, {card.value}"


def shown_cards(cards: Sequence[PhaseCard]) -> list[PhaseCard]:
    """Measured agents with the oracle and the idle agent; every card where no agent was measured."""
    if not any(card.role == "agent" for card in cards):
        return list(cards)
    return [card for card in cards if card.role in ("agent", "calibrator")]


def scorecard_phases(scorecard: Scorecard) -> list[PhaseCard]:
    """The experiments of a scorecard, one card for each agent and suite."""
    return [
        _phase_card(agent, suite)
        for agent in scorecard.agents
        for suite in agent.suites
        if suite.experiments is not None
    ]


def _phase_card(agent: AgentCard, suite: SuiteCard) -> PhaseCard:
    assert suite.experiments is not None
    return PhaseCard(
        suite=suite.suite,
        agent=agent.agent,
        model=agent.model,
        role=agent.role,
        label=None,
        value=None,
        **dict(suite.experiments),
    )


def short_rate(rate: Rate | None) -> str:
    """A rate for a small cell, with its bounds below where something is unknown."""
    if rate is None or not rate.attempts:
        return "–"
    text = f"{rate.passed}/{rate.attempts} {percent(rate.rate)}%"
    return f"{text}\n{percent(rate.bound_low)}–{percent(rate.bound_high)}%" if rate.unknown else text


def credit_range(credit: Credit) -> str:
    """The share of items met: one number, or from the lowest to the highest where items are unknown."""
    if credit.mean is None:
        return "–"
    lowest, highest = percent(credit.bound_low), percent(credit.bound_high)
    return f"{lowest}%" if credit.bound_low == credit.bound_high else f"{lowest}–{highest}%"


def unknown_items(credit: Credit) -> str:
    """How many items are unknown, or how many attempts where the number of their items is unknown too."""
    if credit.unknown:
        return f"{credit.unknown} of {credit.items} items unknown"
    lost_attempts = credit.attempts - credit.known
    return f"{lost_attempts} of {credit.attempts} attempts unknown" if lost_attempts else ""
