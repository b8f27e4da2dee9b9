"""What it amounts to: attempts read from logs, rates with intervals, scorecards, comparisons."""

from assay.scoring.logs.attempts import Attempt, ItemRow, Outcome, Role, long_table
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.reading import LogRecord, find_logs, read_attempts, read_record
from assay.scoring.logs.table_checks import TableRow, suspicions, suspicions_of
from assay.scoring.published.totals import Published, published
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
    "published",
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
