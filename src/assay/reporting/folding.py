"""Tables without the agents of known worth, which fill pages and say only that the tasks are sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from assay.scoring import Scorecard
from assay.scoring.logs.attempts import Role

_WORDS: dict[Role, str] = {"calibrator": "calibrators", "honest": "honest agents", "cheat": "cheats"}


def fold(card: Scorecard, roles: Collection[str] = ("agent",)) -> tuple[Scorecard, str | None]:
    """The card with agents of these roles and all that surprised, and a line about the rest.

    A card that holds no measured agent is left whole: then the others are what was asked for.
    """
    if not any(agent.role == "agent" for agent in card.agents):
        return card, None
    visible_agents = [agent for agent in card.agents if agent.role in roles or agent.as_expected is False]
    folded = Counter[str](agent.role for agent in card.agents if agent not in visible_agents)
    if not folded:
        return card, None
    counts = [f"{folded[role]} {words}" for role, words in _WORDS.items() if folded[role]]
    line = f"not shown: {', '.join(counts)}, all of which scored what they must; --all shows them."
    return card.model_copy(update={"agents": visible_agents}), line
