"""Grading runs what was handed in as its author ran it, and is not hurt by what it was handed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from assay.grading import Grade, grade_now
from assay.tasks import Task
from assay.workspace import Submission
from tests.tasks.examples import GOLD, RUN, masked_task


def open_task(**changes: object) -> Task:
    """A task whose every file may be changed."""
    return masked_task(submission={"editable": None, "required": ["run.py", "steps.py"]}, **changes)


def graded(files: dict[str, bytes], **changes: object) -> Grade:
    """The grade of a submission."""
    return grade_now(open_task(**changes), Submission({"steps.py": GOLD, **files}))


def test_a_program_that_names_its_interpreter_can_be_started() -> None:
    run = {"command": "./start", "results": "results.json", "seconds": 20.0}
    assert graded({"start": b"#!/bin/bash\npython3 run.py\n"}, run=run).passed is True


def test_an_experiment_may_ask_git_for_its_commit() -> None:
    asks = RUN + b"\nimport subprocess\nsubprocess.run(['git', 'rev-parse', 'HEAD'], check=True)\n"
    assert graded({"run.py": asks}).passed is True


def test_much_talk_is_no_failure() -> None:
    assert graded({"run.py": RUN + b"\nprint('loss 0.123456789\\n' * 200_000)\n"}).passed is True


def test_a_required_file_may_stay_as_it_was_given() -> None:
    assert graded({}).passed is True
    nothing = grade_now(open_task(), Submission())
    assert [each.status for each in nothing.verdicts if each.item == "handed-in.run.py"] == ["unmet"]


def test_a_path_that_fits_nowhere_else_is_left_out() -> None:
    assert graded({"/".join(["d" * 200] * 20) + "/" + "x" * 60: b""}).passed is True


def test_files_of_the_repository_itself_are_left_out() -> None:
    asks = RUN + b"\nimport subprocess\nsubprocess.run(['git', 'rev-parse', 'HEAD'], check=True)\n"
    assert graded({"run.py": asks, ".git/HEAD/x.py": b"pass\n", ".git/config": b"[core]\n"}).passed is True


def test_results_too_large_to_read_are_unmet_and_the_agents() -> None:
    large = RUN + b"\nopen('results.json', 'a').write(' ' * (17 << 20))\n"
    found = next(each for each in graded({"run.py": large}).verdicts if each.item == "execution.default")
    assert (found.status, found.owner) == ("unmet", "agent")
    assert "bytes" in found.evidence


def test_where_only_code_counts_a_new_file_of_data_is_left_out() -> None:
    reads = RUN + b"\nimport os\nassert os.path.exists('notes.py') and not os.path.exists('trained.bin')\n"
    given = {"editable": None, "code_only": True}
    files = {"steps.py": GOLD, "run.py": reads, "notes.py": b"", "trained.bin": bytes(9)}
    assert grade_now(masked_task(submission=given), Submission(files)).passed is True


KILLED = """
import asyncio, os, signal
from assay.grading.cleanroom import CleanRoom
from assay.workspace import Submission
from tests.grading.test_cleanroom import open_task


async def open_and_die():
    async with CleanRoom(open_task(), Submission()) as room:
        print(room.truth, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)


asyncio.run(open_and_die())
"""


def python(program: str, temporary: Path) -> str:
    """What a program prints whose temporary files are in a folder."""
    environment = {**os.environ, "TMPDIR": str(temporary)}
    command = [sys.executable, "-c", program]
    root = Path(__file__).parents[2]
    return subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True).stdout


def test_no_other_user_can_read_the_truth_and_a_killed_grading_leaves_nothing(tmp_path: Path) -> None:
    truth = Path(python(KILLED, tmp_path).strip())
    assert (truth / "results.json").is_file()
    folders = [folder for folder in truth.parents if folder.is_relative_to(tmp_path) and folder != tmp_path]
    assert any(folder.stat().st_mode & 0o077 == 0 for folder in folders)
    python("from assay.sandbox.host.scratch import scratch_folder; scratch_folder()", tmp_path)
    assert not truth.exists()
    assert list(tmp_path.glob("assay-box-*")) == []
