"""Long code keeps no other attempt waiting, and what nobody can read spoils only the items that need it."""

from __future__ import annotations

import asyncio
import sys

import pytest
from pydantic import BaseModel

from assay.grading import Grade, Judge, Verdict, consult, grade_now
from assay.grading.judge import ReaderAnswer
from assay.models.scripted import ScriptedServer
from assay.workspace import Submission
from tests.grading.judge.words import judge_saying
from tests.grading.reading.careful import HONEST, careful, read_task

TASK = read_task()
SIGN = "minutes_to_parse"
MODULE = f"{SIGN} = -1, -1, -1\n".encode()
LONG = MODULE * (199_000 // len(MODULE))
IMPORTS = b"import first, second\n"
MORE_THAN_IS_READ = {f"part{number:02}.py": LONG for number in range(40)}
METHOD = "integrity.method"
REQUIREMENTS = ("requirement.mean", "requirement.middle", "requirement.written", "requirement.plot")


class ParsedTexts:
    """Counts the texts with a sign that this process parses, while it is open."""

    def __init__(self) -> None:
        self.count = 0
        self._is_open = True
        sys.addaudithook(self._take)  # no hook can be removed

    def __enter__(self) -> ParsedTexts:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_open = False

    def _take(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_open and event == "compile" and SIGN in str(arguments[0])[:1_000]:
            self.count += 1


def consulted(
    monkeypatch: pytest.MonkeyPatch, submission: Submission, grade: Grade
) -> tuple[dict[str, Verdict], ScriptedServer]:
    with judge_saying(monkeypatch, careful) as (judge, server):
        read = asyncio.run(consult(judge, TASK, submission, grade))
    return {verdict.item: verdict for verdict in read.verdicts}, server


def test_code_for_a_reader_is_parsed_in_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    code = IMPORTS + HONEST["experiment.py"]
    submission = Submission({**HONEST, "experiment.py": code, "first.py": MODULE, "second.py": MODULE})
    grade = grade_now(TASK, submission)
    with ParsedTexts() as parsed:
        verdicts, server = consulted(monkeypatch, submission, grade)
    assert any(SIGN in str(request["messages"]) for request in server.requests)
    assert (verdicts[METHOD].status, verdicts["requirement.mean"].status) == ("met", "met")
    assert parsed.count == 0


def test_files_after_the_most_that_is_read_are_named_and_no_reader_sees_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    submission = Submission({**HONEST, "experiment.py": HONEST["experiment.py"], **MORE_THAN_IS_READ})
    with ParsedTexts() as parsed:
        verdicts, server = consulted(monkeypatch, submission, grade_now(TASK, submission))
    method = verdicts[METHOD]
    assert (method.status, method.owner) == ("unknown", "agent")
    assert "part00.py and 41 more (more than 160,000 characters of text in all)" in method.evidence
    assert not any(SIGN in str(request["messages"]) for request in server.requests)
    assert verdicts["requirement.mean"].status == "met"
    assert parsed.count == 0


@pytest.mark.long
def test_code_that_takes_too_long_to_prepare_leaves_only_its_requirements_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = b"x=-1,-1,-1,-1,-1;\n" * 11_000
    parts = {f"part{number}.py": slow for number in range(8)}
    imports = "".join(f"import part{number}\n" for number in range(8)).encode()
    submission = Submission({**HONEST, **parts, "experiment.py": imports + HONEST["experiment.py"]})
    verdicts, _ = consulted(monkeypatch, submission, grade_now(TASK, submission))
    for item in (METHOD, *REQUIREMENTS):
        assert (verdicts[item].status, verdicts[item].owner) == ("unknown", "agent"), item
    assert {verdicts[item].status for item in ("design.average", "conclusion.outcome")} == {"met"}


class Speechless:
    """A reader that answers with no text if it is asked about one subject, and not at all otherwise."""

    def __init__(self, subject: str) -> None:
        self._subject = subject

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        if self._subject in user:
            return ReaderAnswer(b"\0")  # type: ignore[arg-type]
        raise LookupError


def test_what_breaks_reading_for_one_item_breaks_no_other() -> None:
    submission = Submission({**HONEST, "experiment.py": HONEST["experiment.py"] + b"# own\n"})
    judge = Judge("speechless", 1, Speechless("how many numbers there are"))
    grade = asyncio.run(consult(judge, TASK, submission, grade_now(TASK, submission)))
    broken = [verdict.item for verdict in grade.verdicts if "reading broke" in verdict.evidence]
    assert broken == ["design.count"]
