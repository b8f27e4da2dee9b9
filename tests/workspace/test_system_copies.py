"""A copy of a masked function in another program of the machine is hidden from agents and from grading."""

from __future__ import annotations

import colorsys
import inspect
import py_compile
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from assay.certification.copies import no_copies
from assay.errors import UsageError
from assay.evaluation.samples import sandbox_config
from assay.grading.cleanroom import CleanRoom
from assay.sandbox import Box, run_confined
from assay.tasks import Task
from assay.tasks.template import template
from assay.workspace import Submission
from assay.workspace.system_copies import paths_to_cover, system_copies
from assay.workspace.task_environment import SETTING

pytestmark = pytest.mark.anyio

SOLUTION = '''"""The method."""


def scale(values, factor):
    """Scale the values around their mean."""
    centre = sum(values) / len(values)
    return [centre + factor * (value - centre) for value in values if value is not None]
'''
RENAMED = SOLUTION.replace("values", "items").replace("centre", "middle")
MARK = "value is not None"


def task_of(solution: str) -> Task:
    task = template("masked", "leak")
    files = {**task.solution, "files/method.py": solution.encode()}
    return Task(config=task.config, instruction="", environment=task.environment, solution=files)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The prefix of a Python to which a test can add programs; every sandbox of a task shows it."""
    program = Path(sys.base_prefix) / "bin" / f"python3.{sys.version_info.minor}"
    prefix, environment = tmp_path / "python", tmp_path / "environment"
    for folder in (prefix / "bin", environment / "bin"):
        folder.mkdir(parents=True)
        (folder / "python3").symlink_to(program)
    (environment / "pyvenv.cfg").write_text(f"home = {prefix / 'bin'}\n")
    monkeypatch.setenv(SETTING, str(environment))
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return prefix


def add_program(prefix: Path, path: str, text: str) -> Path:
    file = prefix / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


async def test_neither_an_agent_nor_grading_can_read_a_copy_in_another_program(python: Path) -> None:
    copy = add_program(python, "share/tool/core.py", SOLUTION)
    py_compile.compile(str(copy))
    beside = add_program(python, "share/tool/other.py", "print('other')\n")
    task = task_of(SOLUTION)
    script = f"grep -rl '{MARK}' {python}; find {python} -name '*.pyc' -size +0; cat {beside}"
    async with Box(sandbox_config(task).confinement()) as box:
        assert (await box.exec(["sh", "-c", script])).stdout == b"print('other')\n"
    async with CleanRoom(task, Submission(task.gold_files)) as room:
        outcome = await run_confined(room.confine(room.workspace, seconds=60), ["sh", "-c", script])
    assert outcome.stdout == b"print('other')\n"


async def test_copies_in_every_form_of_program_are_hidden(python: Path) -> None:
    copy = add_program(python, "share/tool/core.py", SOLUTION)
    programs = [
        add_program(python, "bin/tool", f"#!/usr/bin/env python3\n{SOLUTION}"),
        add_program(python, "share/tool/near_twin.py", RENAMED),
        python / "share/tool/compiled.pyc",
        python / "share/tool.tar.gz",
        python / "share/tool.whl",
    ]
    py_compile.compile(str(copy), cfile=str(programs[2]))
    with tarfile.open(programs[3], "w:gz") as archive:
        archive.add(copy, "tool/core.py")
    with zipfile.ZipFile(programs[4], "w") as wheel:
        wheel.writestr("tool/_vendor/core.py", SOLUTION)
    async with Box(sandbox_config(task_of(SOLUTION)).confinement()) as box:
        for program in programs:
            assert program.stat().st_size > 0
            outcome = await box.exec(["cat", str(program)])
            assert (program.name, outcome.returncode, outcome.stdout) == (program.name, 0, b"")


async def test_programs_of_many_python_files_are_not_shown(python: Path) -> None:
    for number in range(250):
        add_program(python, f"share/large/part_{number}.py", f"number = {number}\n")
    add_program(python, "share/tool/other.py", "print('other')\n")
    add_program(python, "share/envs/lib/python3.9/site-packages/method.py", SOLUTION)
    async with Box(sandbox_config(task_of(SOLUTION)).confinement()) as box:
        outcome = await box.exec(["find", str(python / "share"), "-name", "*.py"])
        assert outcome.stdout.decode().split() == [str(python / "share/tool/other.py")]


HONEST = """
set -e
echo text > new && git add -A && git commit -qm next && git log --oneline | wc -l
perl -e 'print 6 * 7, "\\n"'
printf 'all:\\n\\t@echo made\\n' > Makefile && make
printf 'int main(void) { return 0; }' > main.c && gcc main.c && ./a.out && echo compiled
python3 -c 'import json, sqlite3, encodings.utf_7, unittest; print("imported")'
"""


async def test_ordinary_tools_work_in_a_masked_task(python: Path) -> None:
    add_program(python, "share/tool/core.py", SOLUTION)
    async with Box(sandbox_config(task_of(SOLUTION)).confinement()) as box:
        outcome = await box.exec(["sh", "-c", HONEST])
    assert (outcome.returncode, outcome.stdout.split()) == (
        0,
        [b"2", b"42", b"made", b"compiled", b"imported"],
    )


def test_a_copy_that_the_sandbox_needs_forbids_the_task_with_a_clear_message(python: Path) -> None:
    text = inspect.getsource(colorsys.rgb_to_hls).replace("rgb_to_hls(r, g, b)", "scale(r, g, b)")
    task = task_of(text)
    with pytest.raises(UsageError, match=r"leak cannot be attempted on this machine: .*colorsys\.py holds"):
        paths_to_cover(task)
    check = no_copies(task)["copies"]
    assert not check.holds
    assert "colorsys.py" in check.evidence


def test_the_certificate_says_how_much_was_searched_and_what_is_hidden(python: Path) -> None:
    copy = add_program(python, "share/tool/core.py", SOLUTION)
    task = task_of(SOLUTION)
    check = no_copies(task)["copies"]
    assert check.holds
    assert f"hide copies in {copy}" in check.evidence
    copies = system_copies(task)
    assert f"searched {copies.files:,} Python files of the system" in check.evidence
    assert copies.files > 500


def test_a_result_is_kept_until_a_file_changes(python: Path, tmp_path: Path) -> None:
    task = task_of(SOLUTION)
    add_program(python, "share/tool/core.py", SOLUTION)
    first = system_copies(task)
    [record] = (tmp_path / "cache" / "system-copies").iterdir()
    written = record.stat().st_mtime_ns
    assert system_copies(task) == first
    assert record.stat().st_mtime_ns == written
    assert system_copies(task_of(SOLUTION + "\n")).hidden == first.hidden
    assert len(list((tmp_path / "cache" / "system-copies").iterdir())) == 2


def test_other_kinds_of_tasks_hide_nothing() -> None:
    assert paths_to_cover(template("experiment", "plain")) == ()
