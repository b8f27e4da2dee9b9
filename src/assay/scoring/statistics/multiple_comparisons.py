"""Which agents are compared, and what becomes of p-values when there are many."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from pathlib import Path

from assay.errors import UsageError
from assay.scoring.logs.attempts import Attempt
from assay.scoring.logs.findings import Finding
from assay.scoring.logs.reading import LogRecord, read_some
from assay.scoring.scorecards.comparison import (
    Comparison,
    Comparisons,
    PairedRow,
    PValue,
    Scores,
    compare_pair,
)
from assay.scoring.statistics.pairs import corrected
from assay.scoring.statistics.rates import Method

Source = LogRecord | Path | str | Sequence[Path | str]
"""Logs, or what was read from them."""

Who = tuple[str, str]
"""An agent and its model."""

Groups = dict[Who, list[Attempt]]


def compare(
    first: Source,
    second: Source | None = None,
    *,
    agents: Sequence[str] = (),
    method: Method = "wilson",
) -> Comparisons:
    """Compare agents in pairs on the tasks that both tried; differences are second − first.

    With two sources one agent of each is compared: those named in `agents` (`agent` or `agent@model`), or the
    only measured one of each, or every agent that stands in both. With one source every pair of the named
    agents is compared, or of all that are measured.
    """
    records = [_record(source) for source in (first, second) if source is not None]
    groups = [_groups(record.attempts) for record in records]
    if len(groups) == 1:
        pairs = _pairs_within(groups[0], agents)
    else:
        pairs = _pairs_between(groups[0], groups[1], agents)
    comparisons = [
        compare_pair(first_attempts, second_attempts, method=method)
        for first_attempts, second_attempts in pairs
    ]
    findings = [finding for record in records for finding in record.findings]
    return correct(comparisons, list({(finding.log, finding.what): finding for finding in findings}.values()))


def correct(comparisons: Sequence[Comparison], findings: Sequence[Finding] = ()) -> Comparisons:
    """The comparisons with their p-values corrected, each test over all rows of all of them."""
    rows = [row for comparison in comparisons for row in comparison.rows]
    mcnemar = iter(_together([row.mcnemar for row in rows]))
    share = iter(_together([row.share.permutation if row.share else None for row in rows]))
    normalised = iter(_together([row.normalised.permutation if row.normalised else None for row in rows]))
    corrected = [
        comparison.model_copy(
            update={
                "rows": [
                    _with_tests(row, next(mcnemar), next(share), next(normalised)) for row in comparison.rows
                ]
            }
        )
        for comparison in comparisons
    ]
    tests = sum(row.mcnemar is not None for row in rows)
    return Comparisons(comparisons=corrected, tests=tests, findings=list(findings))


def _record(source: Source) -> LogRecord:
    return source if isinstance(source, LogRecord) else read_some(source)


def _groups(attempts: Iterable[Attempt]) -> Groups:
    groups: Groups = defaultdict(list)
    for attempt in attempts:
        groups[attempt.agent, attempt.model].append(attempt)
    return dict(groups)


def _pairs_within(groups: Groups, agents: Sequence[str]) -> list[tuple[list[Attempt], list[Attempt]]]:
    selected = [_find(name, groups) for name in agents] or _measured(groups)
    if len(set(selected)) < 2:
        raise UsageError(
            f"{len(set(selected))} agents are not two to compare",
            hint=f"give --agents x,y of: {_names(groups)}",
        )
    return [(groups[first], groups[second]) for first, second in combinations(dict.fromkeys(selected), 2)]


def _pairs_between(
    first: Groups, second: Groups, agents: Sequence[str]
) -> list[tuple[list[Attempt], list[Attempt]]]:
    if len(agents) > 2:
        raise UsageError(f"{len(agents)} agents for two folders; expected one name, or one for each")
    if agents:
        return [(first[_find(agents[0], first)], second[_find(agents[-1], second)])]
    first_agents, second_agents = _measured(first) or list(first), _measured(second) or list(second)
    if len(first_agents) == len(second_agents) == 1:
        return [(first[first_agents[0]], second[second_agents[0]])]
    shared = [agent for agent in first_agents if agent in second_agents]
    if not shared:
        raise UsageError(
            f"it is not clear whom to compare: {_names(first)} with {_names(second)}",
            hint="give --agents x,y: one of the first, one of the second",
        )
    return [(first[agent], second[agent]) for agent in shared]


def _measured(groups: Groups) -> list[Who]:
    return [agent for agent, attempts in groups.items() if attempts[0].role == "agent"]


def _find(name: str, groups: Groups) -> Who:
    matching = [agent for agent in groups if name in (agent[0], f"{agent[0]}@{agent[1]}")]
    if len(matching) != 1:
        problem = "stands for several" if matching else "is not in the logs"
        raise UsageError(f"agent {name!r} {problem}", hint=f"agents: {_names(groups)}")
    return matching[0]


def _names(groups: Groups) -> str:
    return ", ".join(agent if model == "none" else f"{agent}@{model}" for agent, model in groups)


def _together(tests: Sequence[PValue | None]) -> list[PValue | None]:
    holm, fdr = corrected(tuple(test.p for test in tests if test is not None))
    adjusted = iter(zip(holm, fdr, strict=True))
    return [None if test is None else _adjusted(test, *next(adjusted)) for test in tests]


def _adjusted(test: PValue, holm: float, fdr: float) -> PValue:
    return PValue(p=test.p, holm=holm, fdr=fdr)


def _with_tests(row: PairedRow, mcnemar: PValue | None, *permutations: PValue | None) -> PairedRow:
    share, normalised = (
        _with_test(scores, test)
        for scores, test in zip((row.share, row.normalised), permutations, strict=True)
    )
    return row.model_copy(update={"mcnemar": mcnemar, "share": share, "normalised": normalised})


def _with_test(scores: Scores | None, test: PValue | None) -> Scores | None:
    return scores and scores.model_copy(update={"permutation": test})
