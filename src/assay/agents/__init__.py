"""Who tries: agents with models, people, calibrators, and the cheats that must fail."""

from assay.agents.budget import Budget, already_spent
from assay.agents.entry import AgentEntry
from assay.agents.hands import Hands
from assay.agents.roster import find_agent, roster, set_options

__all__ = ["AgentEntry", "Budget", "Hands", "already_spent", "find_agent", "roster", "set_options"]
