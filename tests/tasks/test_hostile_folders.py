"""A task folder that a stranger wrote: every trick ends in one clear line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.benchmarks import load_suite
from assay.errors import TaskError
from assay.rules.documents import MOST_DEPTH, read_json, read_toml
from assay.tasks import load_task, save_task
from tests.cli.conftest import Command, assay
from tests.tasks.examples import masked_task

__all__ = ["assay"]

SECRET = "the operator's own words"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound task, and beside it a file that is none of its business."""
    (tmp_path / "secret.md").write_text(SECRET)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text(f"# {SECRET}")
    save_task(masked_task(), tmp_path / "task")
    return tmp_path / "task"


def linked(name: str) -> Callable[[Path], None]:
    """The file or folder of this name becomes a link out of the task."""

    def change(folder: Path) -> None:
        place = folder / name
        target = folder.parent / ("outside" if place.is_dir() else "secret.md")
        if place.is_dir():
            shutil.rmtree(place)
        else:
            place.unlink(missing_ok=True)
        place.symlink_to(target)

    return change


def with_line(line: str) -> Callable[[Path], None]:
    """task.toml with one more line in [metadata.assay]."""

    def change(folder: Path) -> None:
        file = folder / "task.toml"
        file.write_text(file.read_text().replace('kind = "masked"', f'kind = "masked"\n{line}', 1))

    return change


def sparse(folder: Path) -> None:
    """A file of a hundred gigabytes that takes no room."""
    with (folder / "environment" / "workspace" / "large").open("wb") as file:
        file.truncate(100 << 30)


def piped_instruction(folder: Path) -> None:
    """Whoever opens it waits for ever."""
    (folder / "instruction.md").unlink()
    os.mkfifo(folder / "instruction.md")


def folder_as(name: str) -> Callable[[Path], None]:
    """A folder stands in the place of a file."""

    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).mkdir()

    return change


def written(name: str, text: str) -> Callable[[Path], None]:
    """A file with other contents."""

    def change(folder: Path) -> None:
        (folder / name).write_text(text)

    return change


TRICKS: dict[str, tuple[Callable[[Path], None], str]] = {
    **{
        f"link {name}": (linked(name), "is a link, expected a")
        for name in (
            *("instruction.md", "task.toml", "certificate.json", "tests/results.json", "solution/solve.sh"),
            *("tests", "solution", "environment", "environment/workspace", "environment/workspace/steps.py"),
        )
    },
    "pipe": (lambda folder: os.mkfifo(folder / "tests" / "pipe"), "is no plain file"),
    "pipe as instruction": (piped_instruction, "is no plain file"),
    **{
        f"folder as {name}": (folder_as(name), f"{name}: is no plain file")
        for name in ("task.toml", "instruction.md", "certificate.json")
    },
    "huge": (sparse, "has 107,374,182,400 bytes, at most"),
    "newline": (written("environment/workspace/a\nb", ""), "is no name for a file"),
    "escape": (written("environment/workspace/a\x1b[2Jb", ""), "is no name for a file"),
    "deep list": (with_line("x = " + "[" * 5000 + "]" * 5000), "nested more than"),
    "deep table": (with_line("x = " + "{a=" * 3000 + "1" + "}" * 3000), "nested more than"),
    "deep key": (with_line(".".join(["a"] * 3000) + " = 1"), "nested more than"),
    "deep results": (written("tests/results.json", "[" * 100_000), "nested more than"),
    "deep certificate": (written("certificate.json", "[" * 100_000), "nested more than"),
    "huge number": (written("tests/results.json", '{"default": {"value": [' + "9" * 400 + "]}}"), "number"),
    "long id": (with_line(f'title = "{"a" * 10_000}"'), "unknown key"),
}
REQUIREMENTS = {
    "x @ file:///etc": "is an address",
    "x @ https://example.org/x.tar.gz": "is an address",
    "git+https://example.org/x": "is",
    "--index-url=http://127.0.0.1:1/ x": "is an option",
    " -r more.txt": "is an option",
    "-e .": "is an option",
    "./x": "is a path",
    "/opt/x": "is a path",
    "x.whl": "is a",
    "x\n-r more.txt": "is no requirement in one line",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_is_refused_in_one_line(folder: Path, trick: str) -> None:
    change, expected = TRICKS[trick]
    change(folder)
    with pytest.raises(TaskError) as caught:
        _ = load_task(folder).gold
    assert expected in caught.value.message
    assert len(caught.value.message) < 600
    assert "\n" not in caught.value.message
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_only_distributions_of_the_index_are_requirements(
    folder: Path, requirement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_line(f"requirements = [{ascii(requirement).replace(chr(39), chr(34))}]")(folder)
    with pytest.raises(TaskError, match=r"task\.toml \[metadata\.assay\.requirements\]") as caught:
        load_task(folder)
    assert REQUIREMENTS[requirement] in caught.value.message
    monkeypatch.setenv("ASSAY_TRUST_REQUIREMENTS", "1")
    assert load_task(folder).assay.requirements == [requirement]


@pytest.mark.parametrize(
    "requirement", ["numpy", "numpy==1.26.4", "torch>=2,<3", "a[b]==1 ; python_version > '3.8'"]
)
def test_usual_requirements_are_taken(folder: Path, requirement: str) -> None:
    with_line(f'requirements = ["{requirement}"]')(folder)
    assert load_task(folder).assay.requirements == [requirement]


@pytest.mark.parametrize("task_id", ["a/../../b", "a//b", "a/", "a" * 201])
def test_an_id_stays_inside_its_folder(folder: Path, task_id: str) -> None:
    file = folder / "task.toml"
    old = next(line for line in file.read_text().splitlines() if line.startswith("id = "))
    file.write_text(file.read_text().replace(old, f'id = "{task_id}"'))
    with pytest.raises(TaskError, match=r"metadata\.assay\.id") as caught:
        load_task(folder)
    assert len(caught.value.message) < 400


@pytest.mark.parametrize("key", ["seconds = inf"])
def test_no_limit_is_endless(folder: Path, key: str) -> None:
    file = folder / "task.toml"
    name = key.partition(" ")[0]
    text = file.read_text()
    old = next((line for line in text.splitlines() if line.startswith(f"{name} = ")), None)
    changed = (
        text.replace(old, key)
        if old
        else text.replace("[metadata.assay.run]", f"[metadata.assay.run]\n{key}")
    )
    file.write_text(changed)
    with pytest.raises(TaskError, match="finite"):
        load_task(folder)


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("metadata.assay.run", "seconds = 1e300"),
        ("agent", "timeout_sec = 1e17"),
        ("verifier", "timeout_sec = 31536001.0"),
        ("environment", "memory_mb = 1000000000000000000"),
        ("environment", "storage_mb = 1000000001"),
    ],
)
def test_no_limit_is_longer_than_a_year_or_larger_than_a_petabyte(
    folder: Path, assay: Command, section: str, line: str
) -> None:
    file = folder / "task.toml"
    name = line.partition(" ")[0]
    lines = [old for old in file.read_text().splitlines() if not old.startswith(f"{name} = ")]
    if f"[{section}]" not in lines:
        lines.append(f"[{section}]")
    lines.insert(lines.index(f"[{section}]") + 1, line)
    file.write_text("\n".join(lines))
    shown = assay("show", folder)
    assert shown.code == 2
    assert f"[{section}.{name}]" in shown.err
    assert "less than or equal to" in shown.err


def test_no_text_of_a_task_reaches_the_terminal_as_a_command(folder: Path, assay: Command) -> None:
    (folder / "instruction.md").write_text("# T\x1b[2J\x1b]0;title\x07\n\tline\n")
    shown = assay("show", folder)
    assert shown.code == 0
    assert "# T\\x1b[2J\\x1b]0;title\\x07\n\tline\n" in shown.out
    (folder / "tests" / "results.json").write_text('{"default": {}}')
    file = folder / "task.toml"
    file.write_text(file.read_text().replace('name = "value"', 'name = "value\\u001b[31m"'))
    refused = assay("show", folder)
    assert refused.code == 2
    assert "\\x1b[31m" in refused.err
    assert "\x1b" not in refused.err


def test_a_manifest_beside_the_tasks_is_no_link_either(folder: Path) -> None:
    (folder.parent / "manifest.json").symlink_to(folder.parent / "secret.md")
    with pytest.raises(TaskError, match="is a link"):
        load_suite(folder.parent)


def test_the_command_line_says_it_in_one_line(folder: Path, assay: Command) -> None:
    linked("instruction.md")(folder)
    said = assay("show", folder)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert len(said.err.splitlines()) == 2
    assert SECRET not in said.out + said.err


def test_depth_is_bounded_and_the_usual_is_read() -> None:
    deep = "[" * (MOST_DEPTH - 1) + "]" * (MOST_DEPTH - 1)
    assert read_json(deep) is not None
    assert read_toml(f"x = {deep[1:-1]}")
    for text in (f"[{deep}]", "[" * 200_000, '{"a":' * 100_000):
        with pytest.raises(ValueError, match=r"nested more than|Expecting"):
            read_json(f"[{text}]")
