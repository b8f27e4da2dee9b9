"""Assay measures whether an AI agent can do machine-learning research, with numbers that can be believed.

Every verb of the command line is a function here; docs/api.md describes each. Names are imported when they
are first used, so that `import assay` costs almost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.version import __version__ as __version__

if TYPE_CHECKING:
    from assay.agents import AgentEntry, Budget
    from assay.agents.recordings import Recording
    from assay.api.display import ShownAnalysis, ShownComparisons, ShownScorecard
    from assay.api.frames import VerdictTable
    from assay.api.judging import judge_eval
    from assay.api.listings import doctor, list_agents, list_models, pull_model
    from assay.api.making import build_environment, curate, harvest, mask, read_environment
    from assay.api.planning import plan
    from assay.api.proving import certify
    from assay.api.recording import record
    from assay.api.regrading import grade
    from assay.api.results import Results, read
    from assay.api.reviewing import review, review_summary
    from assay.api.running import run
    from assay.api.sharing import bundle, compare, failures, report, verify, view
    from assay.api.suites import audit, fetch, list_suites, published
    from assay.api.tasks import CommandOutput, TaskSummary, export, new, schema, shell, show
    from assay.api.varying import VaryResult, vary
    from assay.benchmarks import Suite, load_suite
    from assay.errors import (
        AssayError,
        CurationRefused,
        DiskFull,
        EnvironmentFailed,
        GradingError,
        InputMissing,
        ModelUnavailable,
        SandboxError,
        SandboxRefused,
        TaskError,
        Unmaskable,
        UsageError,
    )
    from assay.evaluation import Settings
    from assay.evaluation.events import Finished, Started
    from assay.evaluation.regrade import Regraded
    from assay.grading.grading_rules import GradingRules
    from assay.grading.verdict import Notice, Verdict
    from assay.planning.forecast import Forecast
    from assay.reporting.verification import BundleCheck
    from assay.reviewing import ReviewSummary
    from assay.scoring import Attempt, Comparisons, Rate, Scorecard
    from assay.scoring.failures import Analysis
    from assay.scoring.statistics.agreement import Calibration
    from assay.tasks import Certificate, Task, load_task, save_task
    from assay.tasks.lock import EnvironmentLock
    from assay.tasks.selection import Selection
    from assay.varying import VariedTask

__all__ = [
    "AgentEntry",
    "Analysis",
    "AssayError",
    "Attempt",
    "Budget",
    "BundleCheck",
    "Calibration",
    "Certificate",
    "CommandOutput",
    "Comparisons",
    "CurationRefused",
    "DiskFull",
    "EnvironmentFailed",
    "EnvironmentLock",
    "Finished",
    "Forecast",
    "GradingError",
    "GradingRules",
    "InputMissing",
    "ModelUnavailable",
    "Notice",
    "Rate",
    "Recording",
    "Regraded",
    "Results",
    "ReviewSummary",
    "SandboxError",
    "SandboxRefused",
    "Scorecard",
    "Selection",
    "Settings",
    "ShownAnalysis",
    "ShownComparisons",
    "ShownScorecard",
    "Started",
    "Suite",
    "Task",
    "TaskError",
    "TaskSummary",
    "Unmaskable",
    "UsageError",
    "VariedTask",
    "VaryResult",
    "Verdict",
    "VerdictTable",
    "audit",
    "build_environment",
    "bundle",
    "certify",
    "compare",
    "curate",
    "doctor",
    "export",
    "failures",
    "fetch",
    "grade",
    "harvest",
    "judge_eval",
    "list_agents",
    "list_models",
    "list_suites",
    "load_suite",
    "load_task",
    "mask",
    "new",
    "plan",
    "published",
    "pull_model",
    "read",
    "read_environment",
    "record",
    "report",
    "review",
    "review_summary",
    "run",
    "save_task",
    "schema",
    "shell",
    "show",
    "vary",
    "verify",
    "view",
]

_MODULES = {
    "assay.agents": "AgentEntry Budget",
    "assay.agents.recordings": "Recording",
    "assay.api.display": "ShownAnalysis ShownComparisons ShownScorecard",
    "assay.api.frames": "VerdictTable",
    "assay.api.judging": "judge_eval",
    "assay.api.listings": "doctor list_agents list_models pull_model",
    "assay.api.making": "build_environment curate harvest mask read_environment",
    "assay.api.planning": "plan",
    "assay.api.proving": "certify",
    "assay.api.recording": "record",
    "assay.api.regrading": "grade",
    "assay.api.results": "Results read",
    "assay.api.reviewing": "review review_summary",
    "assay.api.running": "run",
    "assay.api.sharing": "bundle compare failures report verify view",
    "assay.api.suites": "audit fetch list_suites published",
    "assay.api.tasks": "CommandOutput TaskSummary export new schema shell show",
    "assay.api.varying": "VaryResult vary",
    "assay.benchmarks": "Suite load_suite",
    "assay.errors": "AssayError CurationRefused DiskFull EnvironmentFailed GradingError InputMissing "
    "ModelUnavailable SandboxError SandboxRefused TaskError Unmaskable UsageError",
    "assay.evaluation": "Settings",
    "assay.evaluation.events": "Finished Started",
    "assay.evaluation.regrade": "Regraded",
    "assay.grading.grading_rules": "GradingRules",
    "assay.grading.verdict": "Notice Verdict",
    "assay.planning.forecast": "Forecast",
    "assay.reporting.verification": "BundleCheck",
    "assay.reviewing": "ReviewSummary",
    "assay.scoring": "Attempt Comparisons Rate Scorecard",
    "assay.scoring.failures": "Analysis",
    "assay.scoring.statistics.agreement": "Calibration",
    "assay.tasks": "Certificate Task load_task save_task",
    "assay.tasks.lock": "EnvironmentLock",
    "assay.tasks.selection": "Selection",
    "assay.varying": "VariedTask",
}
"""Module → the public names that it defines."""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
