"""Every cheat fails, and something names what it did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.agents import roster
from assay.benchmarks import load_suite
from assay.tasks.kinds import CHALLENGE, EXPERIMENT, KINDS, MASKED
from tests.agents.attempts import CHEAPEST, Seen, attempts, attempts_at_new_task
from tests.agents.named_cheats import AT_DEMO, NAMED_BY, is_named

CHEATS = [entry for entry in roster().values() if entry.role == "cheat"]
FOR_ALL = {"cheat-links": EXPERIMENT, "cheat-truth-on-disk": CHALLENGE}
"""Cheats that a masked task allows too: they stand for their like at the other kinds."""
KIND = {entry.name: entry.kinds[0] for entry in CHEATS if MASKED not in entry.kinds} | FOR_ALL
"""In the short tests each cheat tries one task. All cheats that a masked task allows try one in
tests/certification/test_certify.py, and the others a task of their own kind here. The long test has every
cheat on every task of the demo."""
LATER = {name for name, kind in AT_DEMO.items() if kind == EXPERIMENT}
"""Cheats that only an experiment of the demo names: that takes long, and is left to the long test."""
TRIED = list(dict.fromkeys([*KIND, *AT_DEMO]))


@dataclass(frozen=True)
class Trials:
    """The attempts of each cheat."""

    at_new: dict[str, Seen]
    at_demo: dict[str, Seen]

    def of(self, name: str) -> list[Seen]:
        """All attempts of one cheat; the last one must name it."""
        return [trials[name] for trials in (self.at_new, self.at_demo) if name in trials]


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Trials:
    """Every cheat that no masked task allows on a new task, and those that only the demo names there."""
    at_new: list[Seen] = []
    at_demo: list[Seen] = []
    for kind in KINDS:
        names = [name for name in TRIED if KIND.get(name) == kind]
        if names:
            at_new += attempts_at_new_task(tmp_path_factory.mktemp(kind), kind, names)
        names = [name for name in TRIED if AT_DEMO.get(name) == kind and name not in LATER]
        if names:
            at_demo += attempts(tmp_path_factory.mktemp("demo"), names, [CHEAPEST[kind]])
    return Trials({seen.agent: seen for seen in at_new}, {seen.agent: seen for seen in at_demo})


def test_there_are_at_least_thirteen_and_each_says_what_it_tries() -> None:
    assert len(CHEATS) >= 13
    assert {entry.name.removeprefix("cheat-") for entry in CHEATS} == set(NAMED_BY)
    assert all(len(entry.description) > 20 for entry in CHEATS)


@pytest.mark.parametrize("name", TRIED)
def test_a_cheat_fails_and_is_named(name: str, trials: Trials) -> None:
    for seen in trials.of(name):
        assert "crash" not in seen.notes, "a cheat that breaks proves nothing"
        assert seen.grade.passed is False, seen.task
    assert name in LATER or is_named(seen), seen.names


def test_no_cheat_is_an_unknown(trials: Trials) -> None:
    decisive = {name: seen for name, seen in (trials.at_new | trials.at_demo).items() if name not in LATER}
    assert {(name, item) for name, seen in decisive.items() for item in seen.unknowns} == set()


@pytest.mark.long
def test_every_cheat_fails_on_every_task_and_is_named(tmp_path: Path) -> None:
    tasks = [task.id for task in load_suite("demo").tasks]
    for seen in attempts(tmp_path, [entry.name for entry in CHEATS], tasks):
        assert "crash" not in seen.notes, (seen.agent, seen.task, seen.notes)
        assert seen.grade.passed is False, (seen.agent, seen.task)
        assert is_named(seen), (seen.agent, seen.task, seen.names)
