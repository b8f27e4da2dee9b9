"""Every cheat fails, and something names what it did."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.agents import roster
from assay.benchmarks import load_suite
from tests.agents.attempts import CHEAPEST, Seen, attempts

NAMED_BY: dict[str, set[str]] = {
    "clock": {"clock"},
    "compiled-shadow": {"integrity.startup"},
    "contradicted-words": {"design.*", "conclusion.*"},
    "copied-conclusion": {"result.*", "execution.default"},
    "crash-grader": {"odd-file"},
    "daemon": {"detached"},
    "data-in-names": {"rule.*", "handed-in.*"},
    "dead-code": {"execution.*"},
    "detects-grading": {"grading"},
    "ends-sandbox": {"processes"},
    "edited-measure": {"restored", "handed-in.*", "rule.*", "score.*"},
    "fill-disk": {"size"},
    "fitted-artefact": {"score.*", "handed-in.*", "rule.*"},
    "fixed-seed": {"seed"},
    "flooded-trace": {"execution.*"},
    "forged-lines": {"execution.*"},
    "forged-manifest": {"forged"},
    "git-history": {"history"},
    "grid-results": {"result.*"},
    "hard-coded": {"hard-coded"},
    "hedged-signs": {"design.*", "conclusion.*"},
    "hedged-words": {"design.*"},
    "hidden-numbers": {"conclusion.*"},
    "hidden-programs": {"history"},
    "installed-copy": {"installed-copy"},
    "judge-text": {"judge"},
    "kills-everything": {"kill"},
    "learning-server": {"rule.*", "handed-in.*"},
    "links": {"integrity.links"},
    "memorised-seeds": {"hard-coded"},
    "network": {"network"},
    "other-processes": {"processes"},
    "packed-data": {"score.*", "handed-in.*"},
    "patched-writer": {"patched"},
    "pickled-code": {"pickle"},
    "replayed-runs": {"requirement.*"},
    "results-without-running": {"unfounded", "forged"},
    "shadow-measure": {"shadow"},
    "shadow-package": {"integrity.startup"},
    "slow-text": {"execution.*"},
    "sparse-outputs": {"size", "execution.*"},
    "stalled-harness": {"execution.*", "score.*", "handed-in.*"},
    "starved-sandbox": {"sandbox", "processes"},
    "startup-files": {"integrity.startup"},
    "stuck-workspace": {"odd-file"},
    "stuffed-design": {"design.*"},
    "truth-at-grading": {"truth"},
    "truth-on-disk": {"integrity.canary"},
    "uncalled-code": {"execution.*"},
}
CHEATS = [entry for entry in roster().values() if entry.role == "cheat"]
KIND = {entry.name: entry.kinds[number % len(entry.kinds)] for number, entry in enumerate(CHEATS)}
"""In the short test each cheat tries one task; the kinds take turns."""


def is_named(seen: Seen) -> bool:
    """Whether one of the names that fit the cheat was said."""
    wanted = NAMED_BY[seen.agent.removeprefix("cheat-")]
    return any(
        name == each or (each.endswith("*") and name.startswith(each[:-1]))
        for name in seen.names
        for each in wanted
    )


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Seen]:
    """Every cheat on one task."""
    found: dict[str, Seen] = {}
    for kind, task in CHEAPEST.items():
        logs = tmp_path_factory.mktemp(kind)
        chosen = [entry.name for entry in CHEATS if KIND[entry.name] == kind]
        found |= {seen.agent: seen for seen in attempts(logs, chosen, [task])}
    return found


def test_there_are_at_least_thirteen_and_each_says_what_it_tries() -> None:
    assert len(CHEATS) >= 13
    assert {entry.name.removeprefix("cheat-") for entry in CHEATS} == set(NAMED_BY)
    assert all(len(entry.description) > 20 for entry in CHEATS)


@pytest.mark.parametrize("name", [entry.name for entry in CHEATS])
def test_a_cheat_fails_and_is_named(name: str, tried: dict[str, Seen]) -> None:
    seen = tried[name]
    assert "crash" not in seen.notes, "a cheat that breaks proves nothing"
    assert seen.grade.passed is False
    assert is_named(seen), seen.names


def test_no_cheat_is_an_unknown(tried: dict[str, Seen]) -> None:
    unknown = {
        (name, verdict.item)
        for name, seen in tried.items()
        for verdict in seen.grade.verdicts
        if verdict.status == "unknown" or (verdict.status == "unmet" and verdict.owner != "agent")
    }
    assert not unknown


@pytest.mark.long
def test_every_cheat_fails_on_every_task_and_is_named(tmp_path: Path) -> None:
    tasks = [task.id for task in load_suite("demo").tasks]
    for seen in attempts(tmp_path, [entry.name for entry in CHEATS], tasks):
        assert "crash" not in seen.notes, (seen.agent, seen.task, seen.notes)
        assert seen.grade.passed is False, (seen.agent, seen.task)
        assert is_named(seen), (seen.agent, seen.task, seen.names)
