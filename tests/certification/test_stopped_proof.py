"""`assay certify` that was killed goes on with what is missing, and a sample says that it is one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.agents.agent_code import agent_code
from assay.api.proving import certify
from assay.api.tasks import new
from assay.benchmarks import load_suite
from assay.cli import main
from assay.scoring import read_attempts
from assay.tasks import Certificate, CheckResult, load_task
from assay.tasks.kinds import CHALLENGE, MASKED

PROGRAM = "import sys; from assay.cli import main; sys.argv[0] = 'assay'; main()"
SAMPLE = {"oracle", "idle", "honest-names", "cheat-drawn-seed", "cheat-forged-lines", "cheat-links"}


def kill_after_two_attempts(task: Path, logs: Path) -> None:
    """Start `assay certify --sample`, and kill it and its children once two attempts are reported."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "certify", str(task), "--sample", "--logs", str(logs)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    while line and "[2/" not in line.replace(" ", ""):
        line = process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert line, "the proof ended before it was killed"


def code_with_new_names(agent: str) -> str:
    """The digests of agents' programs, as if that of `honest-names` had been changed."""
    return "changed" if agent == "honest-names" else agent_code(agent)


def prove(task: Path, logs: Path) -> tuple[Certificate, list[str], list[str]]:
    """A sample of a proof, the agents that tried for it, and the variants that were graded for it."""
    tried: list[str] = []
    graded: list[str] = []
    (certificate,) = certify(
        task,
        logs=logs,
        sample=True,
        on_finish=lambda event: tried.append(event.agent),
        on_broken=lambda _, name, rejected: graded.append(name),
    )
    return certificate, tried, graded


@pytest.mark.long
def test_a_killed_proof_goes_on_with_the_attempts_that_are_missing(tmp_path: Path) -> None:
    task, logs = tmp_path / "mine", tmp_path / "logs"
    new(MASKED, task)
    kill_after_two_attempts(task, logs)
    made = {attempt.agent for attempt in read_attempts(logs) if attempt.passed is not None}
    assert len(made) >= 2

    certificate, tried, graded = prove(task, logs)
    assert not made & set(tried)
    assert made | set(tried) == {"cheat-hard-coded"} | SAMPLE
    assert graded == ["adds"]
    assert certificate.sound

    again, tried, graded = prove(task, logs)
    assert (again, tried, graded) == (certificate, [], [])


@pytest.mark.long
def test_a_changed_task_and_a_changed_agent_are_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, logs = tmp_path / "mine", tmp_path / "logs"
    new(MASKED, task)
    _, first, _ = prove(task, logs)
    question = task / "instruction.md"
    question.write_text(f"{question.read_text()}\nOne more sentence.\n")
    certificate, second, graded = prove(task, logs)
    assert (sorted(second), graded) == (sorted(first), ["adds"])
    assert certificate.sound, "attempts at the older contents do not count"

    monkeypatch.setattr("assay.certification.counted.agent_code", code_with_new_names)
    _, third, graded = prove(task, logs)
    assert (third, graded) == (["honest-names"], [])


def test_a_sample_is_named_and_does_not_count_as_a_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task = tmp_path / "mine"
    new(CHALLENGE, task)
    certificate, tried, _ = prove(task, tmp_path / "logs")
    assert certificate.sound
    assert certificate.sample
    assert set(tried) == {"cheat-pickled-code"} | SAMPLE
    assert certificate.checks["oracle"].evidence.startswith("passed 1 of 1")
    (member,) = load_suite(task).tasks
    assert (member.certified, member.sampled, member.certificate_is_outdated) == (False, True, False)

    monkeypatch.setattr(sys, "argv", ["assay", "suites", str(task)])
    with pytest.raises(SystemExit):
        main()
    assert "1 tasks, 0 certified, 1 sampled" in capsys.readouterr().out


@pytest.mark.long
def test_a_sample_does_not_replace_a_whole_certificate(tmp_path: Path) -> None:
    task = tmp_path / "mine"
    new(MASKED, task)
    whole = {
        "task": "mine",
        "digest": load_task(task).digest,
        "assay": "0.1.0",
        "checks": {"oracle": {"holds": True, "evidence": "passed 3 of 3"}},
    }
    (task / "certificate.json").write_text(json.dumps(whole))
    prove(task, tmp_path / "logs")
    assert json.loads((task / "certificate.json").read_text()) == whole


def test_the_oracle_of_a_sample_tries_again_for_a_whole_certificate(tmp_path: Path) -> None:
    from assay.certification.proof import present_checks

    new(MASKED, tmp_path / "mine")
    task = load_task(tmp_path / "mine")
    checks = {name: CheckResult(holds=True, evidence="made before") for name in ("oracle", "idle")}
    sample = Certificate(task="mine", digest=task.digest, assay="0.1.0", checks=checks, sample=True)
    task = task.model_copy(update={"certificate": sample})
    assert set(present_checks(task)) == {"idle"}
    assert set(present_checks(task, sample=True)) == {"idle", "oracle"}
