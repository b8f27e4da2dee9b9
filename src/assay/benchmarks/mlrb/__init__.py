"""The challenges of the ML Research Benchmark (arXiv 2410.22553), with real scoring.

`mlrb-mini` has the same ideas and rules in minutes on two cores. A challenge is a task folder; this module
adds the trusted evaluators to its truth, and its inputs by their hashes.
"""

from __future__ import annotations

from pathlib import Path

from assay.benchmarks.mlrb.evaluators import evaluator_files, evaluators_of
from assay.benchmarks.mlrb.inputs import DATA, fetch, inputs_of, missing
from assay.benchmarks.mlrb.makers import MAKING
from assay.benchmarks.suite import Suite
from assay.tasks.config import Input
from assay.tasks.folder import load_task
from assay.tasks.model import Task

__all__ = ["DATA", "MAKING", "NAME", "challenge", "fetch", "load"]

NAME = "mlrb-mini"
GIVEN = {
    "math_reasoning": {f"checker/{name}": name for name in ("lean.py", "lean_source.py", "lean_driver.js")},
    "baby_lm": {"enciphered.py": "enciphered.py"},
    "edge_llm_training": {"enciphered.py": "enciphered.py"},
    "mini_pile": {"enciphered.py": "enciphered.py"},
}
"""Challenge → the trusted programs that its agent also gets, by their paths in the workspace."""


def load() -> Suite:
    """Load the mini tier; `needs` names the missing inputs of each challenge."""
    tasks = [challenge(path.parent) for path in sorted(DATA.glob("*/task.toml"))]
    lacking = {task.id: missing(task.assay.inputs) for task in tasks}
    return Suite(
        name=NAME,
        source=NAME,
        tasks=tasks,
        certificates={task.id: str(DATA / task.id / "certificate.json") for task in tasks},
        needs={name: f"`assay fetch {NAME}`: {', '.join(names)}" for name, names in lacking.items() if names},
    )


def challenge(folder: Path, inputs: list[Input] | None = None) -> Task:
    """Load one challenge, with the suite's own inputs or with others of the same names."""
    task = load_task(folder)
    table = task.assay.model_copy(update={"inputs": inputs_of(task.id) if inputs is None else inputs})
    metadata = task.config.metadata.model_copy(update={"assay": table})
    agent_files = {
        f"workspace/{path}": evaluator_files()[name] for path, name in GIVEN.get(task.id, {}).items()
    }
    return Task(
        config=task.config.model_copy(update={"metadata": metadata}),
        instruction=task.instruction,
        environment={**task.environment, **agent_files},
        solution=task.solution,
        tests={**task.tests, **evaluators_of(task.tests)},
        certificate=task.certificate,
    )
