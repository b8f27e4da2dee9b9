"""A challenge's report, its rules, and its score beside baseline and reference."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from assay.rules.documents import read_json
from assay.rules.ruling import Ruling, met, unmet
from assay.rules.shapes import ChallengeShape

BUILD = "execution.build"
REFERENCE = "score.reference"
SERVING_LIMITS = "rule.serving-limits"
GPU_MEMORY = "rule.gpu-memory"
REPORT = "report.json"
FRESH_SERVER = "ASSAY_FRESH_SERVER"
"""Tells the evaluator the token by which it asks for a server that has seen no question yet."""
WALL_FACTOR = 6
"""How much longer than its processor time a build may take on the clock."""


class Report(NamedTuple):
    """What an evaluator wrote."""

    score: float | None
    standard_error: float
    rules: Mapping[str, Mapping[str, Any]]


def parse_report(data: bytes) -> Report:
    """The report; an error of any kind means that the evaluator broke."""
    table = read_json(data)
    score = table.get("score")
    finite = isinstance(score, int | float) and math.isfinite(score)
    return Report(
        score=float(score) if finite else None,
        standard_error=float(table.get("standard_error") or 0.0),
        rules=table["rules"],
    )


def grade_build(
    evidence: str, expected: Sequence[str], artefacts: Collection[str], refused: Mapping[str, str]
) -> Ruling:
    """Whether a build that ended well, or the agent itself, left every artefact."""
    missing = [path for path in expected if path not in artefacts]
    if not missing:
        return met(BUILD, evidence)
    reasons = [f"{path} ({refused[path]})" if path in refused else path for path in missing]
    return unmet(BUILD, f"{evidence}, but without {', '.join(reasons)}")


def grade_rule(name: str, rule: Mapping[str, Any]) -> Ruling:
    """One rule of the evaluator's report."""
    return (met if rule["met"] else unmet)(f"rule.{name}", str(rule["evidence"])[:500])


def no_score(reason: str) -> Ruling:
    """The verdict on a submission without a valid score."""
    return unmet(REFERENCE, f"no score: {reason}")


def is_valid(rules: Sequence[Ruling]) -> bool:
    """Whether no rule is broken."""
    return all(rule.status != "unmet" for rule in rules)


def reaches_reference(challenge: ChallengeShape, score: float) -> bool | None:
    """Whether a score is at least the reference, within noise; None where there is no reference."""
    if challenge.reference is None:
        return None
    gain = score - challenge.reference
    return (gain if challenge.direction == "higher" else -gain) >= -challenge.noise


def grade_score(challenge: ChallengeShape, score: float) -> Ruling:
    """The score beside the reference; unknown, and the task's gap, where nobody knows the reference."""
    reference = (
        "unknown" if challenge.reference is None else f"{challenge.reference:.4f} ± {challenge.noise:.4f}"
    )
    start = "unknown" if challenge.baseline is None else f"{challenge.baseline:.4f}"
    evidence = (
        f"{challenge.metric} {score:.4f} {challenge.unit}, reference {reference}, baseline {start} "
        f"({challenge.direction} is better)"
    )
    reached = reaches_reference(challenge, score)
    if reached is None:
        return Ruling(REFERENCE, "unknown", evidence, owner="task")
    return (met if reached else unmet)(REFERENCE, evidence)


def serving_allowance(memory_mb: int, cpu_seconds: float | None) -> str:
    """What each server may use, in words."""
    parts = [f"{memory_mb} MB of memory"]
    if cpu_seconds:
        parts.append(f"{cpu_seconds:g} s of processor time")
    return " and ".join(parts)


def grade_serving(allowance: str, exceeded: str | None) -> Ruling:
    """Whether each server kept to its limits."""
    if exceeded is None:
        return met(SERVING_LIMITS, f"each server kept to {allowance}")
    evidence = f"a server was stopped at its {exceeded} limit; each is allowed {allowance}"
    return unmet(SERVING_LIMITS, evidence)
