"""What it amounts to: attempts read from logs, rates with denominators and intervals, scorecards."""

from assay.scoring.attempts import Attempt, ItemRow, Outcome, Role, long_table
from assay.scoring.rates import Method, Rate, interval, make_rate, rate_of
from assay.scoring.reading import Finding, Record, find_logs, read_attempts, read_record
from assay.scoring.repeats import Repeats, pass_all_k, pass_at_k, repeats
from assay.scoring.roles import expected_to_pass, role_of
from assay.scoring.scorecard import KINDS, AgentCard, KindCard, Scorecard, SuiteCard, scorecard

__all__ = [
    "KINDS",
    "AgentCard",
    "Attempt",
    "Finding",
    "ItemRow",
    "KindCard",
    "Method",
    "Outcome",
    "Rate",
    "Record",
    "Repeats",
    "Role",
    "Scorecard",
    "SuiteCard",
    "expected_to_pass",
    "find_logs",
    "interval",
    "long_table",
    "make_rate",
    "pass_all_k",
    "pass_at_k",
    "rate_of",
    "read_attempts",
    "read_record",
    "repeats",
    "role_of",
    "scorecard",
]
