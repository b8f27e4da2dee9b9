"""What other packages implement: an agent, a grader and a reader that know nothing of our classes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import BaseModel

from assay.agents import find_agent
from assay.benchmarks import all_benchmarks, load_suite
from assay.evaluation import Settings, run
from assay.grading import Judge, Verdict, grade_now
from assay.grading.challenge import Scored
from assay.grading.cleanroom import CleanRoom
from assay.grading.judge import Question, ReaderAnswer
from assay.grading.judge.guard import Part
from assay.grading.judge.proof import proof_of
from assay.protocols import Agent, Benchmark
from assay.scoring import read_attempts
from assay.workspace import Submission
from tests.benchmarks.outside_packages import EXAMPLE

AGENT = '''
from inspect_ai.util import sandbox


class Mean:
    """Fills in the mean."""

    name, description, role = "mean", "Fills in the mean.", "agent"
    needs_model, kinds = False, ("masked",)
    changed_options, generate = {}, {}

    def make(self, tasks):
        async def solve(state, generate):
            text = "def mean(rolls):\\n    return sum(rolls) / len(rolls)\\n"
            await sandbox().write_file("/workspace/rolls.py", text)
            return state

        return solve

    def view(self, task):
        return task

    def folders(self):
        return ()


mean = Mean()
'''


@pytest.fixture(scope="module")
def dice() -> Path:
    return EXAMPLE / "assay_dice" / "tasks"


def test_every_benchmark_is_a_benchmark() -> None:
    warnings: list[str] = []
    benchmarks = all_benchmarks(warnings.append)
    assert warnings == []
    assert all(isinstance(benchmark, Benchmark) for benchmark in benchmarks)


def test_an_agent_without_our_classes_is_run(tmp_path: Path, dice: Path) -> None:
    (tmp_path / "mine.py").write_text(AGENT)
    entry = find_agent(f"{tmp_path}/mine.py:mean")
    assert isinstance(entry, Agent)
    assert (entry.name, entry.kinds, entry.needs_model) == ("mean", ("masked",), False)
    run(load_suite(dice), agents=[f"{tmp_path}/mine.py:mean"], settings=Settings(logs=str(tmp_path / "logs")))
    (attempt,) = read_attempts(tmp_path / "logs")
    assert attempt.passed is True


def test_a_grader_adds_verdicts_and_the_control_decides_whose_failure_it_is(dice: Path) -> None:
    (task,) = load_suite(dice).tasks

    async def short(room: CleanRoom) -> Scored:
        lines = room.submission.files["rolls.py"].count(b"\n")
        return Scored(verdicts=[Verdict(item="style.short", status="met", evidence=f"{lines} lines")])

    async def broken(room: CleanRoom) -> Scored:
        raise RuntimeError("a bug of the grader")

    gold = Submission(task.gold_files)
    graders = {"style.short": short, "style.broken": broken}
    verdicts = {verdict.item: verdict for verdict in grade_now(task, gold, graders=graders).verdicts}
    assert verdicts["style.short"].evidence == "3 lines"
    assert (verdicts["style.broken"].status, verdicts["style.broken"].owner) == ("unknown", "grader")
    empty = grade_now(task, Submission({}), graders={"style.short": short})
    (verdict,) = [verdict for verdict in empty.verdicts if verdict.item == "style.short"]
    assert (verdict.status, verdict.owner) == ("unmet", "agent")


class Librarian:
    """A reader that answers by itself."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.prompts.append(user)
        answer = form.model_validate({"quote": "total = a + b", "reason": "It adds.", "verdict": "met"})
        return ReaderAnswer(answer.model_dump_json(), input_tokens=7, output_tokens=2, cost=0.5)


def test_a_reader_of_ones_own_reads_for_the_judge() -> None:
    librarian = Librarian()
    code = "total = a + b\n"
    proof = proof_of("run.py", code)
    judge = Judge("a librarian", repeats=2, reader=librarian).fresh()
    question = Question(
        item="requirement.adds",
        phase="requirement",
        asked="adds both numbers",
        truth="a sum",
        parts=(Part("run.py", code, code, proof.text, proof.mask),),
    )
    decision = asyncio.run(judge.decide(question))
    assert decision.status == "met"
    assert all("total = a + b" in prompt for prompt in librarian.prompts)
    record = judge.record
    assert (record.model, record.calls, record.input_tokens, record.cost) == ("a librarian", 2, 14, 1.0)
