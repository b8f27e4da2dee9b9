"""Assay measures whether an AI agent can do machine-learning research, with numbers that can be believed.

Every verb of the command line is a function here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.version import __version__ as __version__

if TYPE_CHECKING:
    from assay.benchmarks import Suite, load_suite
    from assay.certify import certify
    from assay.evaluation import run
    from assay.evaluation.regrade import regrade as grade
    from assay.planning.forecast import forecast as plan
    from assay.report import build as report
    from assay.report.bundle import bundle
    from assay.report.verification import verify
    from assay.scoring import compare
    from assay.tasks import Task, load_task, save_task

__all__ = [
    "Suite",
    "Task",
    "bundle",
    "certify",
    "compare",
    "grade",
    "load_suite",
    "load_task",
    "plan",
    "report",
    "run",
    "save_task",
    "verify",
]

# The rooms `certify` and `report` are callable, since a package and a function cannot share a name otherwise.
_PLACES = {
    "Suite": ("assay.benchmarks", "Suite"),
    "Task": ("assay.tasks", "Task"),
    "bundle": ("assay.report.bundle", "bundle"),
    "certify": ("assay.certify", ""),
    "compare": ("assay.scoring", "compare"),
    "grade": ("assay.evaluation.regrade", "regrade"),
    "load_suite": ("assay.benchmarks", "load_suite"),
    "load_task": ("assay.tasks", "load_task"),
    "plan": ("assay.planning.forecast", "forecast"),
    "report": ("assay.report", ""),
    "run": ("assay.evaluation", "run"),
    "save_task": ("assay.tasks", "save_task"),
    "verify": ("assay.report.verification", "verify"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import assay` costs nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    module, attribute = _PLACES[name]
    found = import_module(module)
    value = getattr(found, attribute) if attribute else found
    globals()[name] = value
    return value
