"""The folder on disk: read and written without loss, and refused with the place and what was expected."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import TaskError
from assay.rules.documents import read_json
from assay.tasks import Certificate, CheckResult, Task, load_task, save_task
from tests.example_counts import examples
from tests.tasks.examples import masked_task

names = st.from_regex(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,8}", fullmatch=True)
paths = st.lists(names, min_size=2, max_size=3).map(lambda parts: "extra/" + "/".join(parts))
text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=80)

requirements = st.from_regex(r"[a-z][a-z0-9]{0,8}(==[0-9]\.[0-9])?", fullmatch=True)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Tasks with arbitrary instruction, files, budgets, tolerances and certificate."""
    base = masked_task(
        tokens=draw(st.none() | st.integers(1, 10**6)), requirements=draw(st.lists(requirements, max_size=2))
    )
    metric = base.assay.metrics[0].model_copy(
        update={"relative": draw(st.floats(0, 10)), "absolute": draw(st.floats(0, 10))}
    )
    table = base.assay.model_copy(update={"metrics": [metric]})
    config = base.config.model_copy(
        update={
            "metadata": base.config.metadata.model_copy(update={"assay": table}),
            "task": base.config.task.model_copy(update={"description": draw(text)}),
            "agent": base.config.agent.model_copy(update={"timeout_sec": draw(st.floats(0.001, 3e7))}),
        }
    )
    more = draw(st.dictionaries(paths, st.binary(max_size=60), max_size=3))
    more = {
        path: data for path, data in more.items() if not any(other.startswith(path + "/") for other in more)
    }
    proof = Certificate(
        task="toy_0", digest="0", assay="0", checks={"idle": CheckResult(holds=True, evidence=draw(text))}
    )
    return base.model_copy(
        update={
            "config": config,
            "instruction": draw(text),
            "environment": {**base.environment, **{f"workspace/{path}": data for path, data in more.items()}},
            "tests": {**base.tests, **more},
            "certificate": draw(st.sampled_from([None, proof])),
        }
    )


@given(tasks())
@settings(max_examples=examples(60), deadline=None)
def test_round_trip_is_loss_free(task: Task) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        first, second = Path(scratch) / "first", Path(scratch) / "second"
        save_task(task, first)
        loaded = load_task(first)
        save_task(loaded, second)
        assert loaded.config == task.config
        assert loaded.instruction == task.instruction
        assert loaded.certificate == task.certificate
        assert loaded.workspace == task.workspace
        assert loaded.gold_files == task.gold_files
        assert task.tests.items() <= loaded.tests.items()
        assert {p.relative_to(first): p.read_bytes() for p in first.rglob("*") if p.is_file()} == {
            p.relative_to(second): p.read_bytes() for p in second.rglob("*") if p.is_file()
        }
        assert load_task(second) == loaded


def test_a_certificate_holds_only_for_the_contents_it_was_made_for(tmp_path: Path) -> None:
    task = masked_task()
    proof = Certificate(
        task=task.id, digest=task.digest, assay="0", checks={"idle": CheckResult(holds=True, evidence="")}
    )
    assert task.model_copy(update={"certificate": proof}).certified
    changed = masked_task(turns=3).model_copy(update={"certificate": proof})
    assert not changed.certified


def test_a_certificate_outlives_the_way_through_a_folder(tmp_path: Path) -> None:
    task = masked_task()
    save_task(task, tmp_path / "exported")
    assert load_task(tmp_path / "exported").digest == task.digest


Edit = Callable[[Path], object]


def edit(name: str, old: str, new: str) -> Edit:
    """An edit of one file of the folder."""

    def apply(folder: Path) -> None:
        content = (folder / name).read_text()
        assert old in content
        (folder / name).write_text(content.replace(old, new))

    return apply


@pytest.mark.parametrize(
    ("damage", "place", "expected"),
    [
        (
            edit("task.toml", 'kind = "masked"', 'kind = "masked"\nflavour = 1'),
            "task.toml",
            "unknown key 'flavour'",
        ),
        (edit("task.toml", 'kind = "masked"', 'kind = "riddle"'), "task.toml", "'masked'"),
        (edit("task.toml", 'kind = "masked"', ""), "task.toml", "'kind' is missing"),
        (edit("task.toml", "[task]", "[task"), "task.toml", "is not TOML"),
        (edit("task.toml", 'file = "steps.py"', 'file = "/etc/passwd"'), "task.toml", "inside the task"),
        (edit("task.toml", 'file = "steps.py"', 'file = "../steps.py"'), "task.toml", "inside the task"),
        (
            edit("task.toml", 'file = "steps.py"', 'file = "other.py"'),
            "masks.0",
            "not in environment/workspace",
        ),
        (edit("task.toml", 'function = "scale"', 'function = "scales"'), "masks.0", "names no function"),
        (edit("task.toml", "seconds = 20.0", 'seconds = "long"'), "run.seconds", "number"),
        (
            edit("tests/results.json", '"value": [16.0', '"other": [16.0'),
            "tests/results.json",
            "no gold for the run 'seed'",
        ),
        (
            edit(
                "tests/results.json",
                "{",
                "",
            ),
            "tests/results.json",
            "",
        ),
        (lambda folder: (folder / "tests/data/start.txt").unlink(), "data of 'data'", "not in tests"),
        (lambda folder: (folder / "instruction.md").unlink(), "instruction.md", "is missing"),
        (
            lambda folder: (folder / "solution/files/steps.py").unlink(),
            "solution/files",
            "is missing or empty",
        ),
        (lambda folder: (folder / "tests/link").symlink_to("/etc/passwd"), "tests/link", "is a link"),
        (
            lambda folder: (folder / "certificate.json").write_text("{}"),
            "certificate.json",
            "'task' is missing",
        ),
    ],
)
def test_a_damaged_folder_is_refused_with_place_and_expectation(
    tmp_path: Path, damage: Edit, place: str, expected: str
) -> None:
    folder = tmp_path / "task"
    save_task(masked_task(), folder)
    damage(folder)
    with pytest.raises(TaskError) as refusal:
        load_task(folder)
    assert str(folder) in refusal.value.message
    assert place in refusal.value.message
    assert expected in refusal.value.message


def test_saving_never_writes_over_a_folder(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(TaskError, match="is not empty"):
        save_task(masked_task(), tmp_path)
    assert (tmp_path / "precious").read_text() == "mine"
    assert len(list(tmp_path.iterdir())) == 1


def test_no_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="is no folder"):
        load_task(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "b": [2, 3],\n}', 'remove the comma after "b": [2, 3]: line 2 column 13'),
        ("[1, 2,]", "remove the comma after [1, 2: line 1 column 6"),
        ('{"a": 1,, "b": 2}', "Expecting property name"),
        ('{"a": }', "Expecting value"),
    ],
)
def test_a_comma_too_many_in_json_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        read_json(text)
