"""`assay certify --missing` makes only the checks that a valid certificate lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.agents import roster
from assay.api.proving import certify
from assay.api.tasks import new
from assay.tasks import Certificate, CheckResult, load_task
from assay.tasks.kinds import MASKED

MISSING = ("honest-names", "cheat-git-history")


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A task with a certificate of an older version, made when two agents did not exist."""
    folder = tmp_path / "mine"
    new(MASKED, folder)
    agents = [entry.name for entry in roster().values() if entry.role != "agent" and MASKED in entry.kinds]
    names = [name for name in [*agents, "broken-adds"] if name not in MISSING]
    checks = {name: CheckResult(holds=True, evidence="made before") for name in names}
    write(folder, Certificate(task="mine", digest=load_task(folder).digest, assay="0.1.0", checks=checks))
    return folder


def write(folder: Path, certificate: Certificate) -> None:
    (folder / "certificate.json").write_text(certificate.model_dump_json())


def test_only_the_missing_checks_are_made_and_the_others_are_kept(task: Path, tmp_path: Path) -> None:
    tried: list[str] = []
    (certificate,) = certify(
        task, logs=tmp_path / "logs", only_missing=True, on_finish=lambda event: tried.append(event.agent)
    )
    assert sorted(tried) == sorted(MISSING)
    assert certificate.sound
    made = {name for name, check in certificate.checks.items() if check.evidence != "made before"}
    assert made == {*MISSING, "noise", "copies"}
    assert certificate.assay == "0.1.0"
    assert load_task(task).certificate == certificate


def test_a_check_that_does_not_hold_is_made_again(task: Path, tmp_path: Path) -> None:
    present = load_task(task).certificate
    assert present is not None
    refuted = {"broken-adds": CheckResult(holds=False, evidence="made before")}
    added = {name: CheckResult(holds=True, evidence="made before") for name in (*MISSING, "copies")}
    write(task, present.model_copy(update={"checks": {**present.checks, **added, **refuted}}))
    (certificate,) = certify(task, logs=tmp_path / "logs", only_missing=True)
    assert certificate.checks["broken-adds"].holds
    assert certificate.checks["broken-adds"].evidence != "made before"
    assert certificate.checks["copies"].evidence == "made before"
