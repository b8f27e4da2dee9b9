"""assay env: building, showing, and bad input in one clear line."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.workspace.building.packages import write


def test_an_environment_is_resolved_shown_and_refused(assay: Command, tmp_path: Path) -> None:
    code = write(tmp_path / "repo", {"run.py": "import os\n"})
    out = tmp_path / "lock.json"
    said = assay("env", "build", code, "--no-install", "--before", "2024-05-30", "--out", out, "--json")
    assert said.code == 0
    told = json.loads(said.out)
    assert set(told) == {"lock", "file", "environment", "cached"}
    assert (told["lock"]["before"], told["lock"]["requirements"], told["environment"]) == (
        "2024-05-30",
        [],
        None,
    )

    shown = assay("env", "show", out)
    assert "python       3." in shown.out
    assert "C0           unknown: nothing was installed" in shown.out
    assert json.loads(assay("env", "show", out, "--json").out) == told["lock"]

    for words, expected in (
        (("build", tmp_path / "nowhere"), "is no folder: expected a repository"),
        (("build", code, "--before", "soon"), "--before is 'soon', expected a day"),
        (("build", code, "--python", "2.7"), "Python '2.7' is not installed"),
        (("show", tmp_path / "nothing.json"), "No such file"),
    ):
        said = assay("env", *words)
        assert said.code == 2
        assert expected in said.err
