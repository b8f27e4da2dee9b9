"""No submission stops the harness: whatever is handed in is read within bounds, and nothing crashes."""

from __future__ import annotations

import contextlib
import resource
import tempfile
import time
from pathlib import Path

import pytest

from assay.grading import Transcript
from assay.grading.merging import merge
from assay.grading.monitor import judge_integrity, notice
from assay.grading.run_outputs import read_results
from assay.grading.runs import runs_of
from assay.rules.conclusion import grade_conclusion
from assay.rules.design import extra_variables, grade_design
from assay.rules.handed_in import COUNT_LIMIT
from assay.rules.plain_paths import is_plain
from assay.rules.process_limits import CPU_SECONDS
from assay.sandbox import Outcome
from assay.tasks import Task
from assay.workspace import Submission
from assay.workspace.credentials import redact
from assay.workspace.links import linked_files
from assay.workspace.listing import UnstableListing, WorkspaceListing
from tests.agents.attempts import demo_task
from tests.grading.hostile import Tree, tree
from tests.tasks.examples import masked_task

FEW, MANY = 15, 10_000
SECONDS = CPU_SECONDS
"""Of processor time for one submission, which does not hang on how busy the machine is."""
MEBIBYTES = 1_024
"""How much this process may grow over all of them."""


def read_whole(task: Task, masked: Task, made: Tree) -> None:
    """All that the harness itself does with a submission, outside its sandboxes."""
    submission = made.submission
    judge_integrity(masked, submission)
    commands = [data.decode(errors="replace") for data in made.files.values()]
    notice(masked, submission, Transcript(commands, ["x"]))
    runs_of(masked, [(data.decode(errors="replace"), 0, "a.b.Error") for data in made.files.values()])
    with tempfile.TemporaryDirectory() as folder:
        merge(masked, submission).write(Path(folder) / "workspace")
        plain = Submission({path: data for path, data in made.files.items() if is_plain(path)})
        assert Submission.load(Path(folder), plain.store(Path(folder))) == plain
    redact(made.files, {})
    linked_files(made.links, made.files, most_files=COUNT_LIMIT, most_bytes=2**26)
    read_words(task, made)
    read_listing(made.listing)


def read_words(task: Task, made: Tree) -> None:
    """The design, the conclusion and the results, as they are graded."""
    assert task.design is not None
    assert task.conclusion is not None
    assert task.assay.run is not None
    design = made.files["design.json"]
    outcome = Outcome(0, made.results, b"", 1.0, files={task.assay.run.results or "": made.results})
    results, _ = read_results(task.assay.run, outcome)
    assert grade_design(task.design, design, task.instruction)
    assert grade_conclusion(task.conclusion, made.files["conclusion.json"], results, set(), {})
    extra_variables(task.design, design)


def read_listing(listing: bytes) -> None:
    """The list of files, in pieces that end anywhere."""
    found = WorkspaceListing(["run.py", "steps.py"], ["design.json"])
    with contextlib.suppress(UnstableListing):
        for start in range(0, len(listing), 777):
            found.read(listing[start : start + 777])
    chosen = found.choose(())
    assert len(chosen) <= COUNT_LIMIT
    found.deleted()
    found.empty_folders(dict.fromkeys(chosen, b""))


def survive(seeds: range) -> None:
    """Read the submissions of some seeds, each within its time, all within their memory."""
    task, masked = demo_task("selection-bias"), masked_task()
    read_whole(task, masked, tree(0))  # what is imported and cached is no part of the measure
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in seeds:
        made = tree(seed)
        began = time.process_time()
        try:
            read_whole(task, masked, made)
        except Exception as error:
            raise AssertionError(f"hostile submission {seed} broke the harness") from error
        assert time.process_time() - began < SECONDS, f"hostile submission {seed} is slow"
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < MEBIBYTES * 1_024


def test_some_hostile_submissions_are_read_within_bounds() -> None:
    survive(range(1, FEW))


@pytest.mark.long
def test_many_hostile_submissions_are_read_within_bounds() -> None:
    survive(range(FEW, FEW + MANY))
