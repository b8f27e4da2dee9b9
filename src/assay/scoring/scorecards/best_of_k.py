"""Best-of-k attempts in a folder of logs: what was chosen against what was best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.files import place
from assay.tasks.metric import Strict


class BestOf(Strict):
    """One agent and model, added up over its attempts."""

    agent: str
    model: str
    attempts: int
    k: int
    """The most candidates of an attempt."""
    chosen: int
    """Attempts whose handed-in candidate passed."""
    best: int
    """Attempts of which any candidate passed: what a perfect verifier would have reached."""


def chosen_against_best(logs: Path) -> list[BestOf]:
    """One row for each agent and model that chose among candidates."""
    choices_by_agent: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    logs = place(logs)
    for path in [logs] if logs.is_file() else sorted(logs.glob("*.eval")):
        for agent, model, choices in _attempts(path):
            choices_by_agent[agent, model].append(choices)
    return [
        BestOf(
            agent=agent,
            model=model,
            attempts=len(choices),
            k=max(choice["k"] for choice in choices),
            chosen=sum(choice["chosen_passed"] is True for choice in choices),
            best=sum(choice["best_passed"] is True for choice in choices),
        )
        for (agent, model), choices in choices_by_agent.items()
    ]


def _attempts(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    from inspect_ai.log import read_eval_log

    try:
        header = read_eval_log(str(path), header_only=True)
    except Exception:
        # A log that was cut off before its first sample, or that is none.
        return
    agent = str((header.eval.metadata or {}).get("assay", {}).get("agent", ""))
    if not agent.startswith("best_of"):
        return
    for sample in read_eval_log(str(path)).samples or []:
        score = (sample.scores or {}).get("assay")
        best_of = (score.metadata or {}).get("best_of") if score else None
        if best_of:
            yield agent, header.eval.model, best_of
