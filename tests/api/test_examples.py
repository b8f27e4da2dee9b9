"""The scripts and notebooks of examples/ run, and the notebooks show what they print today."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[2] / "examples"
PROBE = "probe"
NOTEBOOKS = ("first-run.ipynb", "read-results.ipynb")


def test_the_scripts_run_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first_run.py", "read_results.py"):
        runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert "2 attempts, 1 passed, 1 failed, 0 unknown" in capsys.readouterr().out
    assert (tmp_path / "report.html").is_file()


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The notebooks after a run in one folder, since the second reads the logs of the first."""
    return {name: execute(name, tmp_path_factory.getbasetemp()) for name in NOTEBOOKS}


def execute(name: str, folder: Path) -> Any:
    """Run a notebook from top to bottom and return it with its outputs."""
    notebook = nbformat.read(EXAMPLES / name, as_version=4)
    if name == NOTEBOOKS[0]:
        source = "import asyncio; print(asyncio.run.__module__)"
        notebook.cells.append(nbformat.v4.new_code_cell(source, id=PROBE))
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "COLUMNS": "100"})  # tables are as wide as the terminal
    return notebook


@pytest.mark.long
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_committed_outputs_are_those_of_today(name: str, executed: dict[str, Any]) -> None:
    committed = nbformat.read(EXAMPLES / name, as_version=4)
    fresh = [cell for cell in executed[name].cells if cell.get("id") != PROBE]
    assert [shown(cell) for cell in committed.cells] == [shown(cell) for cell in fresh]
    assert any(shown(cell) for cell in committed.cells)


@pytest.mark.long
def test_the_event_loops_of_the_kernel_stay_as_they_are(executed: dict[str, Any]) -> None:
    """Inspect alone would make them nestable, by changing asyncio for everything in the kernel."""
    (cell,) = [cell for cell in executed["first-run.ipynb"].cells if cell.get("id") == PROBE]
    assert cell.outputs[0].text == "asyncio.runners\n"


@pytest.mark.long
def test_a_run_in_a_notebook_prints_its_progress_and_nothing_else(executed: dict[str, Any]) -> None:
    run = next(cell for cell in executed["first-run.ipynb"].cells if "assay.run" in cell.source)
    *streams, result = run.outputs
    assert {output.get("name") for output in streams} == {"stderr"}
    assert "[2/2]" in "".join(output.text for output in streams)
    assert result.output_type == "execute_result"


def shown(cell: Any) -> list[str]:
    """What a cell displays as text, whatever its numbers; what goes to standard error tells the progress."""
    outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return [re.sub(r"[\d.]+", "#", " ".join(text.split())) for text in texts]
