"""What an agent's sandbox shows: the workspace and nothing of the truth, for every kind of task."""

from __future__ import annotations

import asyncio
import hashlib

import pytest

from assay.agents import find_agent
from assay.agents.budget import Budget
from assay.benchmarks import Suite, load_suite
from assay.evaluation.samples import Assignment, inspect_task, sandbox_config
from assay.sandbox import Box
from assay.sandbox.session.inspect_provider import BwrapConfig
from assay.tasks import Task
from assay.workspace import nonce

SEARCH = """
import hashlib, os, sys
sizes = set(map(int, sys.argv[1:]))
for top in os.listdir("/"):
    if top in ("proc", "sys", "dev", "usr"):
        continue
    for folder, _, names in os.walk("/" + top):
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.path.getsize(path) in sizes:
                    with open(path, "rb") as source:
                        print(hashlib.sha256(source.read()).hexdigest(), path)
            except OSError:
                pass
"""


def first_of_each_kind() -> list[Task]:
    """One task of each kind of the demo suite."""
    return list({task.kind: task for task in load_suite("demo").tasks}.values())


@pytest.mark.parametrize("task", first_of_each_kind(), ids=lambda task: task.id)
def test_no_file_of_the_truth_is_under_any_mount(task: Task) -> None:
    # Equal files are equally long: the others need not be read.
    sizes = {len(data) for files in (task.workspace, task.solution, task.tests) for data in files.values()}

    async def look() -> bytes:
        async with Box(sandbox_config(task).confinement()) as box:
            search = ["python", "-c", SEARCH, *map(str, sizes)]
            return (await box.exec(search, output_bytes=50_000_000)).stdout

    found = dict(line.split(" ", 1) for line in asyncio.run(look()).decode().splitlines())
    given = {hashlib.sha256(data).hexdigest() for data in task.workspace.values()}
    truth = {
        hashlib.sha256(data).hexdigest(): path
        for path, data in {**task.solution, **task.tests}.items()
        if len(data) > 1
    }
    assert given <= set(found), "the search sees the workspace"
    assert not {truth[each]: found[each] for each in set(truth) - given if each in found}


def test_the_canaries_stand_where_a_cheat_would_look() -> None:
    task = first_of_each_kind()[0]

    async def look() -> bytes:
        async with Box(sandbox_config(task).confinement()) as box:
            return (await box.exec(["/bin/sh", "-c", "cat /tests/* /solution/*"])).stdout

    assert asyncio.run(look()).decode().count(nonce(task)) >= 4


@pytest.mark.parametrize(("allowed", "chosen"), [(7_200.0, None), (60.0, 90_000.0)])
def test_a_program_may_run_as_long_as_its_attempt(allowed: float, chosen: float | None) -> None:
    task = first_of_each_kind()[0]
    agent = task.config.agent.model_copy(update={"timeout_sec": allowed})
    task = task.model_copy(update={"config": task.config.model_copy(update={"agent": agent})})
    suite = Suite(name="own", source="own", tasks=[task])
    made = inspect_task(Assignment(suite, find_agent("idle"), {task.id: (1,)}, budget=Budget(seconds=chosen)))
    sandbox = made.dataset[0].sandbox
    assert sandbox is not None
    assert isinstance(sandbox.config, BwrapConfig)
    assert sandbox.config.wall_seconds > (chosen or allowed)
