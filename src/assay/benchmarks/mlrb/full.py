"""`mlrb`: the ML Research Benchmark at its published size: seven challenges, and two more from its code.

Limits, models and data are the published ones. We have never run it at this size.
"""

from __future__ import annotations

from assay.benchmarks.mlrb import challenge
from assay.benchmarks.mlrb.inputs import missing
from assay.benchmarks.mlrb.sources import DATA, needs_of, sources_of
from assay.benchmarks.suite import Suite
from assay.tasks.config import Needs
from assay.tasks.model import Task

NAME = "mlrb"


def load() -> Suite:
    """Load all nine challenges; `needs` names the missing inputs of each."""
    tasks = [_with_needs(_load(path.parent.name)) for path in sorted(DATA.glob("*/task.toml"))]
    lacking = {task.id: missing(task.assay.inputs) for task in tasks}
    return Suite(
        name=NAME,
        source=NAME,
        tasks=tasks,
        certificates={task.id: str(DATA / task.id / "certificate.json") for task in tasks},
        needs={
            name: f"`assay fetch {NAME} --only {name}`: {', '.join(names)}"
            for name, names in lacking.items()
            if names
        },
    )


def _load(name: str) -> Task:
    return challenge(DATA / name, [source.plain() for source in sources_of(name)])


def _with_needs(task: Task) -> Task:
    """Add to a task the size of its downloads, and its hours computed from its limits."""
    goal = task.assay.challenge
    seconds = task.config.agent.timeout_sec
    if goal is not None:
        seconds += (goal.build_wall_seconds or goal.build_seconds) + goal.evaluate_seconds
    own_needs = task.assay.needs or Needs()
    needs = needs_of(task.id).model_copy(
        update={"gpu_memory_gb": own_needs.gpu_memory_gb, "hours": round(seconds / 3600, 1)}
    )
    table = task.assay.model_copy(update={"needs": needs})
    metadata = task.config.metadata.model_copy(update={"assay": table})
    return task.model_copy(update={"config": task.config.model_copy(update={"metadata": metadata})})
