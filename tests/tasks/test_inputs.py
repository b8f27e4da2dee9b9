"""Inputs are kept by their contents, shown to those who may see them, and refused once they are changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputMissing
from assay.grading import grade_now
from assay.tasks import Input, Task
from assay.tasks.inputs import _checked, input_folder, keep_input
from assay.workspace import Submission
from tests.tasks.examples import GOLD, RUN, masked_task


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def kept(tmp_path: Path, name: str, text: str, *, held: bool = False) -> Input:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "data.txt").write_text(text)
    return Input(name=name, sha256=keep_input(folder), origin="this test", licence="CC0", held=held)


def test_an_input_is_found_by_its_contents(tmp_path: Path) -> None:
    wanted = kept(tmp_path, "words", "three")
    assert (input_folder(wanted) / "data.txt").read_text() == "three"
    assert keep_input(tmp_path / "words") == wanted.sha256


def test_a_changed_input_is_refused(tmp_path: Path) -> None:
    wanted = kept(tmp_path, "words", "three")
    (input_folder(wanted) / "data.txt").write_text("four")
    _checked.cache_clear()
    with pytest.raises(InputMissing, match="was changed"):
        input_folder(wanted)


def test_an_input_that_was_never_fetched_says_where_it_comes_from() -> None:
    with pytest.raises(InputMissing) as missing:
        input_folder(Input(name="words", origin="a friend", licence="CC0"))
    assert "a friend" in str(missing.value.hint)


def test_a_run_sees_its_inputs_and_not_the_held_ones(tmp_path: Path) -> None:
    inputs = [kept(tmp_path, "shown", "2"), kept(tmp_path, "hidden", "3", held=True)]
    shown = b"assert open('/inputs/shown/data.txt').read() == '2'\n"
    reads = b"import os\n" + shown + b"assert not os.path.exists('/held')\n"
    assert grade_now(_reading(inputs), Submission({"steps.py": GOLD, "run.py": reads + RUN})).passed is True


def _reading(inputs: list[Input]) -> Task:
    return masked_task(
        inputs=[each.model_dump() for each in inputs], submission={"editable": ["steps.py", "run.py"]}
    )
