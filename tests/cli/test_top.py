"""The live view of a run, from the file that the run writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import assay
from assay.cli import app
from assay.errors import UsageError
from assay.evaluation.events import Finished
from assay.evaluation.progress_file import read_progress
from assay.tasks import save_task
from tests.tasks.examples import masked_task


def test_the_view_shows_a_run_while_it_goes_on_and_after_it(tmp_path: Path) -> None:
    save_task(masked_task(id="toy_0"), tmp_path / "toys" / "toy-0")
    logs = tmp_path / "logs"
    totals: list[int] = []

    def look(finished: Finished) -> None:
        totals.append(read_progress(logs).total)

    assay.run(tmp_path / "toys", agent=["idle", "oracle"], logs=logs, progress=False, on_finish=look)
    assert totals == [2, 2]
    shown = CliRunner().invoke(app, ["top", str(logs), "--once"])
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert lines[0] == "2 of 2 attempts done on local, ended"
    assert "outcomes: 1 failed, 1 passed" in lines
    assert "not passed, by owner: 1 agent" in lines
    assert lines[-1].endswith(": 2 finished, 0 running")
    shown = CliRunner().invoke(app, ["top", str(logs), "--once", "--page", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    page = (tmp_path / "top.html").read_text()
    assert "2 of 2 attempts" in page
    assert 'http-equiv="refresh"' not in page, "the run has ended"
    wrong = CliRunner().invoke(app, ["top", str(logs), "--once", "--page", str(tmp_path / "top.html" / "x")])
    assert isinstance(wrong.exception, UsageError)
    assert "cannot be written" in wrong.exception.message
    progress = json.loads(CliRunner().invoke(app, ["top", str(logs), "--json"]).output)
    assert (progress["ended"], progress["finished"], progress["running"]) == (True, 2, [])


def test_a_folder_without_a_run_is_one_clear_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["top", str(tmp_path)])
    assert isinstance(result.exception, UsageError)
    assert "has no progress.json" in result.exception.message
    (tmp_path / "progress.json").write_text("{}")
    with pytest.raises(UsageError, match="is not the progress of a run"):
        read_progress(tmp_path)
