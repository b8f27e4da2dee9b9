"""What there is: agents, local models, and how this machine protects runs."""

from __future__ import annotations

from pathlib import Path

from assay.agents import AgentEntry, roster
from assay.api.event_loop import outside_event_loop
from assay.models import ModelStatus, Progress, models, pull
from assay.sandbox import Check, examine


def list_agents() -> list[AgentEntry]:
    """Return every agent that ships, with its role and its options."""
    return list(roster().values())


def list_models() -> list[ModelStatus]:
    """Return the local models, present or not; every provider of Inspect works too."""
    return models()


@outside_event_loop
def pull_model(name: str, *, on_progress: Progress | None = None) -> Path:
    """Bring a local model into the user's cache, checked by its hash, and return its file."""
    return pull(name, progress=on_progress)


@outside_event_loop
def doctor() -> list[Check]:
    """Say which protections hold on this machine, and what fixes those that do not."""
    return examine()
