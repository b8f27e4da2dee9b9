"""What it amounts to: attempts read from logs, rates with intervals, scorecards, comparisons.

Names are imported when they are first used: a run reads logs and needs no statistics.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.scoring.logs.attempts import Attempt, ItemRow, Outcome, Role, long_table
    from assay.scoring.logs.findings import Finding
    from assay.scoring.logs.reading import LogRecord, find_logs, read_attempts, read_record
    from assay.scoring.logs.table_checks import TableRow, suspicions, suspicions_of
    from assay.scoring.published.totals import Published
    from assay.scoring.scorecards.comparison import Comparison, Comparisons, PairedRow, PValue, Scores, Side
    from assay.scoring.scorecards.item_analysis import TaskAnalysis, analyse_tasks, choose_informative
    from assay.scoring.scorecards.roles import expected_to_pass, role_of
    from assay.scoring.scorecards.scorecard import AgentCard, KindCard, Scorecard, SuiteCard, scorecard
    from assay.scoring.statistics.clusters import Clustered, cluster_of, clustered
    from assay.scoring.statistics.multiple_comparisons import compare
    from assay.scoring.statistics.pairs import Pair, corrected, difference_interval, mcnemar, permutation
    from assay.scoring.statistics.pass_at_k import Repeats, pass_all_k, pass_at_k, repeats
    from assay.scoring.statistics.power import (
        Power,
        Visible,
        power_of,
        power_table,
        trinomial_power,
        visible_difference,
    )
    from assay.scoring.statistics.rates import Method, Rate, interval, make_rate, rate_of
    from assay.scoring.statistics.score_power import attempts_needed, score_power, shown_elsewhere

__all__ = [
    "AgentCard",
    "Attempt",
    "Clustered",
    "Comparison",
    "Comparisons",
    "Finding",
    "ItemRow",
    "KindCard",
    "LogRecord",
    "Method",
    "Outcome",
    "PValue",
    "Pair",
    "PairedRow",
    "Power",
    "Published",
    "Rate",
    "Repeats",
    "Role",
    "Scorecard",
    "Scores",
    "Side",
    "SuiteCard",
    "TableRow",
    "TaskAnalysis",
    "Visible",
    "analyse_tasks",
    "attempts_needed",
    "choose_informative",
    "cluster_of",
    "clustered",
    "compare",
    "corrected",
    "difference_interval",
    "expected_to_pass",
    "find_logs",
    "interval",
    "long_table",
    "make_rate",
    "mcnemar",
    "pass_all_k",
    "pass_at_k",
    "permutation",
    "power_of",
    "power_table",
    "rate_of",
    "read_attempts",
    "read_record",
    "repeats",
    "role_of",
    "score_power",
    "scorecard",
    "shown_elsewhere",
    "suspicions",
    "suspicions_of",
    "trinomial_power",
    "visible_difference",
]

_MODULES = {
    "assay.scoring.logs.attempts": "Attempt ItemRow Outcome Role long_table",
    "assay.scoring.logs.findings": "Finding",
    "assay.scoring.logs.reading": "LogRecord find_logs read_attempts read_record",
    "assay.scoring.logs.table_checks": "TableRow suspicions suspicions_of",
    "assay.scoring.published.totals": "Published",
    "assay.scoring.scorecards.comparison": "Comparison Comparisons PairedRow PValue Scores Side",
    "assay.scoring.scorecards.item_analysis": "TaskAnalysis analyse_tasks choose_informative",
    "assay.scoring.scorecards.roles": "expected_to_pass role_of",
    "assay.scoring.scorecards.scorecard": "AgentCard KindCard Scorecard SuiteCard scorecard",
    "assay.scoring.statistics.clusters": "Clustered cluster_of clustered",
    "assay.scoring.statistics.multiple_comparisons": "compare",
    "assay.scoring.statistics.pairs": "Pair corrected difference_interval mcnemar permutation",
    "assay.scoring.statistics.pass_at_k": "Repeats pass_all_k pass_at_k repeats",
    "assay.scoring.statistics.power": "Power Visible power_of power_table trinomial_power visible_difference",
    "assay.scoring.statistics.rates": "Method Rate interval make_rate rate_of",
    "assay.scoring.statistics.score_power": "attempts_needed score_power shown_elsewhere",
}
"""Module → the names of it that are part of this package."""

_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Import a name when it is first used."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'assay.scoring' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value
