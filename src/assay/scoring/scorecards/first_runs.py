"""How often an agent's first run of the experiment crashes, and how often it recovers from that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assay.scoring.logs.attempts import Attempt
from assay.scoring.statistics.rates import Method, Rate, make_rate
from assay.tasks.metric import Strict


class FirstRuns(Strict):
    """One agent with one model on one suite."""

    suite: str
    agent: str
    model: str
    crashed: Rate
    """First runs that crashed, of the attempts that ran the experiment at all."""
    recovered: Rate
    """Attempts with a later run that went well, of those whose first run crashed."""
    never: int
    """Attempts that never ran it; an agent of one pass never does."""
    untold: int
    """Attempts whose log does not say: no command to run, no grade, or an older log."""


def first_runs(attempts: Iterable[Attempt], *, method: Method = "wilson") -> list[FirstRuns]:
    """For each agent of which at least one log tells it."""
    groups: dict[tuple[str, str, str], list[Attempt]] = defaultdict(list)
    for attempt in attempts:
        groups[attempt.suite, attempt.agent, attempt.model].append(attempt)
    rows = []
    for (suite, agent, model), group in sorted(groups.items()):
        known_runs = [attempt.runs for attempt in group if attempt.runs is not None]
        ran = [runs for runs in known_runs if runs.first_crashed is not None]
        crashed = [runs for runs in ran if runs.first_crashed]
        if not known_runs:
            continue
        row = FirstRuns(
            suite=suite,
            agent=agent,
            model=model,
            crashed=make_rate(len(crashed), len(ran), method=method),
            recovered=make_rate(sum(runs.recovered is True for runs in crashed), len(crashed), method=method),
            never=len(known_runs) - len(ran),
            untold=len(group) - len(known_runs),
        )
        rows.append(row)
    return rows
