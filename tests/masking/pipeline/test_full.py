"""assay mask with data of its own to vary, and with every honest agent and every cheat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.grading import grade_now
from assay.masking.pipeline import MaskingOptions, make_tasks
from assay.tasks import Certificate
from assay.workspace import Submission
from tests.cli.conftest import Command, assay
from tests.masking.pipeline.stand_in import write

__all__ = ["assay"]

FIT = """import csv, json, sys
from method import slope


def main(path):
    rows = [[float(each) for each in row] for row in csv.reader(open(path))]
    json.dump({"slope": slope(*zip(*rows))}, open("results.json", "w"))


main(sys.argv[1])
"""
COMMAND = "python fit.py ${ASSAY_DATA:-data.csv}"


def repository(folder: Path) -> tuple[Path, Path]:
    """A repository that reads a table, and another table."""
    made = write(folder / "toy", fit=FIT)
    (made / "data.csv").write_text("1,2.5\n2,3.75\n4,9\n")
    (folder / "other.csv").write_text("1,1\n3,2.5\n5,8\n")
    return made, folder / "other.csv"


@pytest.mark.long
def test_other_data_are_a_hidden_variation_that_the_workspace_does_not_hold(tmp_path: Path) -> None:
    folder, other = repository(tmp_path)
    making = MaskingOptions(
        command=COMMAND, metrics=["slope=results.json:slope"], vary=[f"data={other}"], mutants=10
    )
    make_tasks(folder, tmp_path / "out", making)
    (task,) = load_suite(tmp_path / "out" / "tasks").tasks
    assert task.certified
    assert [(each.name, each.data) for each in task.assay.variations] == [("other-data-1", "data/other.csv")]
    assert not any(other.read_bytes() in data for data in task.workspace.values())
    known = f"def slope(xs, ys):\n    return {task.gold['default']['slope'][0]}\n"
    cheat = grade_now(task, Submission({"method.py": known.encode()}))
    unmet = {each.item for each in cheat.verdicts if each.status == "unmet"}
    assert unmet == {"result.other-data-1.slope"}


@pytest.mark.long
def test_in_full_every_honest_agent_and_every_cheat_tries(tmp_path: Path, assay: Command) -> None:
    folder, other = repository(tmp_path)
    words = ["--run", COMMAND, "--metrics", "slope=results.json:slope", "--vary", f"data={other}"]
    said = assay("mask", folder, *words, "--mutants", "10", "--out", tmp_path / "out", "--full", "--json")
    assert said.code == 0, said.out + said.err
    (task,) = json.loads(said.out)["tasks"]
    place = Path(task["folder"]) / "certificate.json"
    checks = Certificate.model_validate_json(place.read_bytes()).checks
    assert {"oracle", "idle", "noise", "copies", "mutants method.py::slope"} <= set(checks)
    assert any(name.startswith("cheat-") for name in checks)
    assert any(name.startswith("honest-") for name in checks)
    assert any(name.startswith("broken-f0-m") for name in checks)
    assert "does not apply" in checks["cheat-fixed-seed"].evidence
    assert all(each.holds for each in checks.values())
