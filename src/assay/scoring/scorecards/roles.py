"""Which agents are measured, and which are of known worth."""

from __future__ import annotations

from typing import get_args

from assay.scoring.logs.attempts import Role

EXPECTED: dict[str, bool] = {"oracle": True, "idle": False, "oracle-minus-one-step": False}
"""What a calibrator must score on every task."""


_ORDER: tuple[Role, ...] = ("agent", "calibrator", "honest", "cheat")


def role_rank(role: Role) -> int:
    """The place of a role in tables: measured agents come first."""
    return _ORDER.index(role)


def role_of(agent: str, stated: object = None) -> Role:
    """The role that the log states, or else the one that the agent's name gives away."""
    for role in get_args(Role):
        if stated == role:
            return role  # type: ignore[no-any-return]
    if agent in EXPECTED:
        return "calibrator"
    if agent.startswith("cheat-"):
        return "cheat"
    return "honest" if agent.startswith("honest-") else "agent"


def expected_to_pass(agent: str, role: Role) -> bool | None:
    """Whether every attempt must pass, or none may; None for agents that are measured."""
    if role == "honest":
        return True
    if role == "cheat":
        return False
    return False if agent.startswith("broken:") else EXPECTED.get(agent)
