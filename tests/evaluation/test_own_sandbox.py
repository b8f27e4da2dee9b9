"""No attempt is lost by what an agent does to its own sandbox: it is graded, once."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import EvalSample, read_eval_log

import assay
from assay.benchmarks import load_suite
from assay.evaluation import Settings
from assay.evaluation.resume import log_files
from assay.tasks import save_task
from tests.tasks.examples import masked_task

AGENTS = """
from inspect_ai.solver import solver
from inspect_ai.util import sandbox

NEEDS_MODEL = False
RIGHT = {right!r}


def agent(name, act):
    @solver(name=name)
    def made():
        async def solve(state, generate):
            await act(sandbox())
            return state
        return solve
    made.__doc__ = "Test: " + name
    return made


async def hand_in(place):
    for path, text in RIGHT.items():
        await place.write_file("/workspace/" + path, text)


async def _nul(place):
    await place.exec(["bash", "-c", "echo a\\0b"])
    await hand_in(place)


async def _surrogate(place):
    await place.exec(["bash", "-c", "echo \\ud800"])
    await hand_in(place)


async def _path(place):
    await hand_in(place)
    await place.read_file("a\\0b")


async def _limits(place):
    await place.exec(["prlimit", "--pid", "1", "--nofile=4:4"])
    await hand_in(place)


async def _ended(place):
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

    await hand_in(place)
    await place.as_type(BwrapSandboxEnvironment).box.end()
    await place.exec(["true"])


async def _ended_quietly(place):
    from assay.sandbox.session.inspect_provider import BwrapSandboxEnvironment

    await hand_in(place)
    await place.as_type(BwrapSandboxEnvironment).box.end()


nul, surrogate, path = agent("nul", _nul), agent("surrogate", _surrogate), agent("path", _path)
limits, ended, ended_quietly = (
    agent("limits", _limits), agent("ended", _ended), agent("ended_quietly", _ended_quietly)
)
"""


def attempt(folder: Path, name: str) -> EvalSample:
    """The one sample of an attempt by a test agent at a toy task."""
    task = masked_task()
    right = {path: data.decode() for path, data in task.gold_files.items()}
    save_task(task, folder / "suite" / "toy")
    (folder / "agents.py").write_text(AGENTS.replace("{right!r}", repr(right)))
    settings = Settings(logs=str(folder / "logs"))
    assay.run(load_suite(folder / "suite"), agent=[f"{folder}/agents.py:{name}"], settings=settings)
    (path,) = log_files(folder / "logs")
    (sample,) = read_eval_log(str(path)).samples or []
    return sample


@pytest.mark.parametrize("name", ["nul", "surrogate", "path", "limits", "ended", "ended_quietly"])
def test_the_attempt_counts_and_what_was_left_is_graded(name: str, tmp_path: Path) -> None:
    sample = attempt(tmp_path, name)
    assert sample.error is None
    assert sample.scores is not None
    score = sample.scores["assay"]
    assert isinstance(score.value, dict)
    assert score.value["passed"] == 1.0, score.explanation
    notices = {each["flag"] for each in (score.metadata or {})["grade"]["notices"]}
    assert ("sandbox" in notices) == name.startswith("ended")


def test_it_is_not_made_again(tmp_path: Path) -> None:
    attempt(tmp_path, "ended")
    again = assay.run(
        load_suite(tmp_path / "suite"),
        agent=[f"{tmp_path}/agents.py:ended"],
        settings=Settings(logs=str(tmp_path / "logs")),
    )
    assert len(log_files(tmp_path / "logs")) == 1, again
