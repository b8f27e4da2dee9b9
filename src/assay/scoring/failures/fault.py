"""The agent's fault or the task's: from certificates, and from whether anyone else meets the same item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from assay.grading.verdict import Owner
from assay.scoring.failures.insight import Insight, ShownBy
from assay.scoring.logs.attempts import Attempt
from assay.scoring.scorecards.roles import expected_to_pass

Who = tuple[str, str]
Item = tuple[str, str, str]


class Blame(NamedTuple):
    """Whose fault a failure is, why, and what shows it."""

    fault: Owner | None
    because: str
    shown_by: ShownBy | None


class Witnesses:
    """Who met which item of which task."""

    def __init__(self, attempts: Iterable[Attempt]) -> None:
        self._met: dict[Item, set[Who]] = defaultdict(set)
        self._unmet: dict[Item, set[Who]] = defaultdict(set)
        self._sound: set[Who] = set()
        self._certified: dict[tuple[str, str], bool] = {}
        for attempt in attempts:
            agent_and_model = (attempt.agent, attempt.model)
            self._certified[attempt.suite, attempt.task] = attempt.certified
            if expected_to_pass(attempt.agent, attempt.role):
                self._sound.add(agent_and_model)
            for verdict in attempt.verdicts:
                table = {"met": self._met, "unmet": self._unmet}.get(verdict.status)
                if table is not None:
                    table[attempt.suite, attempt.task, verdict.item].add(agent_and_model)

    def blame(self, insight: Insight) -> Blame:
        """Whose fault a failure is, and why; None where nothing tells."""
        if insight.owner != "agent":
            return Blame(insight.owner, f"the harness names the {insight.owner} as its owner", "harness")
        item = (insight.suite, insight.task, insight.item)
        met = self._met.get(item, set()) - {(insight.agent, insight.model)}
        if not met & self._sound and self._unmet.get(item, set()) & self._sound:
            return Blame("task", "an agent that must pass does not meet this item either", "gold run")
        if self._certified.get((insight.suite, insight.task)):
            because = "the task is certified" + (f", and {_names(met)} met this item" if met else "")
            return Blame("agent", because, "certificate")
        if met:
            shown_by: ShownBy = "gold run" if met & self._sound else "other agent"
            return Blame("agent", f"{_names(met)} met this item; the task is not certified", shown_by)
        unmet = self._unmet.get(item, set()) - {(insight.agent, insight.model)}
        because = f"none of {len(unmet) + 1} agents met this item" if unmet else "no other agent tried it"
        return Blame(None, f"the task is not certified, and {because}", None)


def _names(agents: set[Who]) -> str:
    names = sorted({agent for agent, _ in agents}, key=lambda name: (name != "oracle", name))
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
