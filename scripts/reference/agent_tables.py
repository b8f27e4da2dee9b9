"""Tables of the agents that come with Assay, from the roster itself."""

from __future__ import annotations

KINDS = ("masked", "experiment", "challenge")


def agent_table(role: str) -> str:
    """The agents of one role: name, what each does, and the kinds of task it applies to."""
    from assay.agents import roster

    lines = ["| agent | what it does | kinds |", "|---|---|---|"]
    for agent in roster().values():
        if agent.role == role:
            kinds = "all" if set(agent.kinds) == set(KINDS) else ", ".join(agent.kinds)
            lines.append(f"| `{agent.name}` | {agent.description} | {kinds} |")
    assert len(lines) > 2, f"no agent has the role {role!r}"
    return "\n".join(lines)
