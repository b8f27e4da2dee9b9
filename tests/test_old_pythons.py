"""What is run by a task's own Python runs on every Python from 3.6 on."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from tests.interpreters import one_of_each_minor

PYTHONS = one_of_each_minor()
INJECTED = Path(str(files("assay.masking.pipeline").joinpath("injected")))
PROGRAMS = [
    *sorted(INJECTED.glob("assay_*.py")),
    *sorted(Path(str(files("assay.workspace.building").joinpath("injected"))).glob("*.py")),
    Path(str(files("assay.rules").joinpath("check_submission.py"))),
    *sorted(Path(str(files("assay.rules").joinpath("injected"))).glob("assay_*.py")),
]
TRACED = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
import assay_probe

@assay_probe.trace("scale")
def scale(values, factor=2.0):
    return [each * factor for each in values]

@assay_probe.trace("total")
@assay_probe.lines("total")
def total(values):
    return sum(values)

@assay_probe.perturb_all("moved")
def moved(value):
    value[0] = value[0] * 1.5
    return {"value": (1.0, value)}

@assay_probe.screen("shift")
def shift(value):
    return value + 1.0

print(json.dumps([total(scale([1.0, 2.0])), shift(1.0), moved([1.0])["value"][0] != 1.0]))
"""
VERSIONS = ["def shift(value):\n    return value + 1.0\n", "def shift(value):\n    return value + 2.0\n"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_its_syntax_is_that_of_3_6(program: Path) -> None:
    tree = ast.parse(program.read_text(), feature_version=(3, 6))
    later = [
        each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and each.module == "__future__"
    ]
    assert not later, "annotations cannot be postponed before 3.7"


@pytest.mark.parametrize("version", PYTHONS)
def test_the_probe_the_mover_and_the_screen_run(version: str, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    asked = {"versions": {"shift": VERSIONS}, "seconds": 20}
    (tmp_path / "given" / "versions.json").write_text(json.dumps(asked))
    done = subprocess.run(
        [PYTHONS[version], "-c", TRACED, INJECTED],
        capture_output=True,
        text=True,
        env={"ASSAY_PROBE": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [6.0, 2.0, True]
    (seen,) = (json.loads(path.read_text()) for path in tmp_path.glob("*.json"))
    assert seen["functions"]["scale"][0] == 1
    assert seen["flows"] == [["scale", "total", 1]]
    assert seen["screened"]["shift"][0] == "same"
    assert seen["screened"]["shift"][1] not in ("same", None)
    assert seen["moved"]["moved"][0] > 0


@pytest.mark.parametrize("version", PYTHONS)
def test_the_checker_runs(version: str, tmp_path: Path) -> None:
    program = shutil.copy(next(path for path in PROGRAMS if path.name == "check_submission.py"), tmp_path)
    contract = {"required": ["run.py"], "written": ["results.json"], "run": "python run.py"}
    contract |= {"schemas": {"design.json": {"type": "object"}}, "variables": ["rate"]}
    (tmp_path / "contract.json").write_text(json.dumps(contract))
    (tmp_path / "results.json").write_text("[1, 2]")
    (tmp_path / "design.json").write_text('{"constant": {"seed": 1}}')
    command = [PYTHONS[version], program, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, env={}, check=False)
    assert done.returncode == 1, done.stderr
    missing, unnamed = done.stdout.splitlines()
    assert "run.py is missing" in missing
    assert "no role to 'rate'" in unnamed


@pytest.mark.parametrize("version", PYTHONS)
def test_the_importing_probe_runs(version: str) -> None:
    program = next(path for path in PROGRAMS if path.name == "probe.py")
    asked = {"folders": [], "uses": [["json", "loads"], ["no_such_module", ""]]}
    done = subprocess.run(
        [PYTHONS[version], program], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    problems = [json.loads(line).get("problem", "") for line in done.stdout.splitlines()]
    assert problems[1] is None
    assert "ModuleNotFoundError" in problems[3]
