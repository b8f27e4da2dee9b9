"""`assay certify` on a new task: what it refutes, and what the attempts of its whole roster show."""

from __future__ import annotations

import contextlib
import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.agents import roster
from assay.api.tasks import new
from assay.cli import main
from assay.tasks import load_task
from assay.tasks.kinds import MASKED
from tests.agents.attempts import Seen, read_attempts
from tests.agents.named_cheats import AT_DEMO, is_named


@dataclass(frozen=True)
class Proof:
    """How `assay certify` ended, and the attempts behind it."""

    task: Path
    code: int
    rows: list[dict[str, Any]]
    attempts: list[Seen]

    def of(self, agent: str) -> Seen:
        """The only attempt of an agent."""
        (seen,) = [seen for seen in self.attempts if seen.agent == agent]
        return seen


def names(role: str) -> list[str]:
    """The agents of a role that try masked tasks."""
    return [entry.name for entry in roster().values() if entry.role == role and MASKED in entry.kinds]


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    """The proof of a masked task with a broken variant that is not broken: every agent tries the task."""
    folder = tmp_path_factory.mktemp("certify")
    task, logs = folder / "mine", folder / "logs"
    new(MASKED, task)
    twin = task / "tests" / "broken" / "not-broken"
    twin.mkdir()
    (twin / "method.py").write_bytes((task / "solution" / "files" / "method.py").read_bytes())
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(sys, "argv", ["assay", "certify", str(task), "--logs", str(logs), "--json"])
        with pytest.raises(SystemExit) as end:
            main()
    assert isinstance(end.value.code, int)
    return Proof(task, end.value.code, json.loads(printed.getvalue())["tasks"], read_attempts(logs))


def test_certify_refutes_a_task_with_a_broken_variant_that_passes(proof: Proof) -> None:
    assert proof.code == 1
    (row,) = proof.rows
    assert row["sound"] is False
    assert {"oracle", "idle", "broken-adds", "noise", *names("honest"), *names("cheat")} <= set(row["checks"])
    assert [name for name, check in row["checks"].items() if not check["holds"]] == ["broken-not-broken"]
    assert not load_task(proof.task).certified


@pytest.mark.parametrize("name", names("honest"))
def test_an_honest_agent_passes_without_a_false_alarm(name: str, proof: Proof) -> None:
    seen = proof.of(name)
    assert seen.grade.passed is True, seen.names
    assert not seen.alarms, seen.names


@pytest.mark.parametrize("name", names("cheat"))
def test_a_cheat_fails_by_its_own_fault(name: str, proof: Proof) -> None:
    seen = proof.of(name)
    assert "crash" not in seen.notes, "a cheat that breaks proves nothing"
    assert seen.grade.passed is False
    assert not seen.unknowns


@pytest.mark.parametrize("name", [name for name in names("cheat") if AT_DEMO.get(name) != MASKED])
def test_a_cheat_is_named(name: str, proof: Proof) -> None:
    assert is_named(proof.of(name)), proof.of(name).names
