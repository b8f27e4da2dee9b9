"""Checks that are derived from a gold solution: what ran decides, and what only looks like it does not."""

from __future__ import annotations

import asyncio
import json

import pytest
import tomlkit
from pydantic import BaseModel

from assay.exported.verification import load_task_data
from assay.grading import Grade, Judge, Verdict, grade_now
from assay.grading.judge import consult
from assay.grading.judge.reader import ReaderAnswer
from assay.tasks import Fact, Requirement, Task, TaskConfig
from assay.tasks.harbor import what_to_verify
from assay.workspace import Submission

SEARCH = b'''"""Searches for structure."""


def pc(data, alpha=0.05, test="fisherz"):
    return sum(data) * alpha


def other(data):
    return len(data)
'''
TRAIN = b'''"""Trains."""

import argparse


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.5)
    rate = parser.parse_args().lr
    print(rate * 3.25)


if __name__ == "__main__":
    main()
'''
REQUIREMENTS = [
    Requirement(
        id="search",
        text="Call pc() with alpha 0.05.",
        facts=[
            Fact(
                kind="call",
                name="causal.search.pc",
                file="causal/search.py",
                symbol="pc",
                values={"alpha": [0.05]},
                named=True,
            )
        ],
    ),
    Requirement(
        id="count",
        text="Count the data.",
        facts=[Fact(kind="call", name="causal.search.other", file="causal/search.py", symbol="other")],
    ),
    Requirement(
        id="mean",
        text="Take the mean with statistics.fmean.",
        facts=[Fact(kind="call", name="statistics.fmean", named=True)],
    ),
    Requirement(
        id="train",
        text="Train with a rate of 0.1.",
        facts=[
            Fact(kind="program", name="train.py", values={"lr": ["0.1"]}),
            Fact(kind="lines", name="train.py", lines=[(7, 10)]),
        ],
    ),
    Requirement(
        id="size",
        text="Use 40 samples.",
        facts=[Fact(kind="setting", name="samples", values={"samples": [40]})],
    ),
]
WORDS = {
    "design.json": b'{"constant": {"draws": 1}}',
    "conclusion.json": b'{"summary": "It grows.", "claims": {"outcome": "It grows."}}',
}
END = "import json, random\njson.dump({'x': random.random()}, open('results.json', 'w'))\n"
HEAD = "import statistics\nfrom causal.search import pc, other\nsamples = 40\ndata = list(range(samples))\n"


@pytest.fixture(scope="module")
def task() -> Task:
    """An experiment whose requirements have facts and no checks."""
    table = {
        "id": "search",
        "kind": "experiment",
        "run": {"command": "bash reproduce.sh", "results": "results.json", "seconds": 60.0},
    }
    config = TaskConfig.model_validate({"task": {"name": "assay/search"}, "metadata": {"assay": table}})
    requirements = [
        requirement.model_dump(mode="json", exclude_defaults=True) for requirement in REQUIREMENTS
    ]
    return Task(
        config=config,
        instruction="Search. Hand in `draws`.\n",
        environment={"workspace/causal/search.py": SEARCH, "workspace/train.py": TRAIN},
        solution={f"files/{path}": data for path, data in {**WORDS, "reproduce.sh": b"true\n"}.items()},
        tests={
            "results.json": b'{"default": {}}',
            "design.toml": b'[[variable]]\nname = "draws"\nrole = "constant"\nvalues = [1]\n',
            "requirements.toml": tomlkit.dumps({"requirement": requirements}).encode(),
            "conclusion.toml": b'[[claim]]\nid = "outcome"\nquestion = "Does it?"\nkind = "statement"\n'
            b'answer = "It grows."\n',
        },
    )


def verdicts(task: Task, files: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Requirement → status and evidence."""
    submission = Submission({**WORDS, **{path: text.encode() for path, text in files.items()}})
    grade = grade_now(task, submission)
    return {
        verdict.item.partition(".")[2]: (verdict.status, verdict.evidence)
        for verdict in grade.verdicts
        if verdict.item.startswith("requirement.")
    }


def test_facts_survive_toml(task: Task) -> None:
    assert task.requirements is not None
    assert task.requirements.requirement == REQUIREMENTS


def test_calls_programs_and_settings_that_ran_meet_their_requirements(task: Task) -> None:
    script = HEAD + "pc(data, alpha=0.05)\npc(data)\nother(data)\nstatistics.fmean(data)\n" + END
    found = verdicts(task, {"run.py": script, "reproduce.sh": "python run.py\npython train.py --lr 0.1\n"})
    assert {item: status for item, (status, _) in found.items()} == dict.fromkeys(found, "met"), found
    assert "called causal.search.pc 2 times, alpha=0.05" in found["search"][1]
    assert "executed 4 of 4 cited statements of the given train.py" in found["train"][1]


TRIES: dict[str, tuple[str, dict[str, str]]] = {
    "another value": (
        HEAD + "pc(data, alpha=0.5)\n" + END,
        {"search": "unknown", "count": "unknown"},
    ),
    "code that is never reached": (
        HEAD + "if 0:\n    pc(data)\n    statistics.fmean(data)\nif 0: other(data)\n" + END,
        {"search": "unmet", "count": "unknown", "mean": "unknown"},
    ),
    "calls that are never evaluated": (
        HEAD + "x = 0 and statistics.fmean(data)\ny = (lambda: pc(data))\n" + END,
        {"search": "unmet", "mean": "unknown"},
    ),
    "a replaced function": (
        HEAD + "import causal.search\ndef fake(data, alpha=0.05):\n    return 1.0\n"
        "causal.search.pc = fake\nstatistics.fmean = fake\n"
        "causal.search.pc(data, alpha=0.05)\nstatistics.fmean(data)\n" + END,
        {"search": "unknown", "mean": "unknown"},
    ),
    "a function of the same name": (
        "data = [1, 2]\ndef pc(data, alpha=0.05):\n    pass\npc(data, alpha=0.05)\n" + END,
        {"search": "unknown", "mean": "unknown"},
    ),
    "calls that fail and are caught": (
        HEAD + "try:\n    pc(data, alpha=0.05, nothing=1)\nexcept TypeError:\n    pass\n"
        "try:\n    statistics.fmean([])\nexcept Exception: pass\n" + END,
        {"search": "unmet", "mean": "unknown"},
    ),
    "a call that fails inside": (
        HEAD + "try:\n    pc(None, alpha=0.05)\nexcept TypeError:\n    pass\n" + END,
        {"search": "unknown"},
    ),
    "a setting that is not used": (
        "samples = 40\nimport json, random\njson.dump({'x': random.random()}, open('results.json', 'w'))\n",
        {"size": "unknown"},
    ),
}


@pytest.mark.parametrize("name", TRIES)
def test_what_only_looks_like_the_required_call_does_not_meet_it(task: Task, name: str) -> None:
    script, expected = TRIES[name]
    found = verdicts(task, {"run.py": script, "reproduce.sh": "python run.py\n"})
    assert {item: found[item][0] for item in expected} == expected, found
    assert "train" not in expected
    assert found["train"][0] == "unknown"


def test_right_code_that_never_runs_and_a_library_of_ones_own_meet_nothing(task: Task) -> None:
    right = HEAD + "pc(data, alpha=0.05)\nother(data)\nstatistics.fmean(data)\n"
    files = {
        "right.py": right,
        "statistics/__init__.py": "def fmean(data):\n    return 1.0\n",
        "run.py": "import sys\nsys.path.insert(0, '.')\nimport statistics\nstatistics.fmean([1])\n"
        "import json\njson.dump({'x': hash(str(sys.path)) / 7}, open('results.json', 'w'))\n",
        "reproduce.sh": "python run.py\npython train.py --lr 0.2\n",
    }
    found = verdicts(task, files)
    assert found["search"][0] == "unmet"
    assert (found["mean"][0], found["count"][0]) == ("unknown", "unknown")
    # The given lines ran, whatever the rate was: the other way to meet it.
    assert found["train"][0] == "met"


def test_a_changed_file_of_the_repository_is_read_and_not_believed(task: Task) -> None:
    changed = SEARCH.decode().replace("return sum(data) * alpha", "return 0.25")
    script = HEAD + "pc(data, alpha=0.05)\nother(data)\n" + END
    files = {"causal/search.py": changed, "run.py": script, "reproduce.sh": "python run.py\n"}
    found = verdicts(task, files)
    assert (found["search"][0], found["count"][0]) == ("unknown", "unknown"), found


def test_the_exported_verifier_is_given_no_facts_and_reads_its_requirements(task: Task) -> None:
    exported = load_task_data(json.dumps(what_to_verify(task)).encode())
    assert [requirement.id for requirement in exported.requirements] == [
        requirement.id for requirement in REQUIREMENTS
    ]
    assert not any(hasattr(requirement, "facts") for requirement in exported.requirements)


class RecordingReader:
    """A reader that keeps what it is shown and decides nothing."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    async def read(self, system: str, user: str, form: type[BaseModel]) -> ReaderAnswer:
        self.prompts.append(system + user)
        return ReaderAnswer(text="{}")


def test_a_reader_sees_the_cited_lines_of_the_gold_however_late_they_stand(task: Task) -> None:
    gold = "".join(f"value_{number} = {number}\n" for number in range(1, 2001)).encode()
    requirement = {"id": "late", "text": "Set it.", "gold": ["gold.py"], "cited": {"gold.py": [[1500, 1501]]}}
    parts = {field: getattr(task, field) for field in Task.model_fields}
    parts["solution"] = {**task.solution, "files/gold.py": gold}
    toml = tomlkit.dumps({"requirement": [requirement]}).encode()
    parts["tests"] = {**task.tests, "requirements.toml": toml}
    waiting = Verdict(item="requirement.late", status="unknown", evidence="", owner="grader", by="judge")
    grade = Grade(task=task.id, kind=task.kind, verdicts=[waiting])
    reader = RecordingReader()
    submission = Submission({**WORDS, "run.py": b"value = 1\n"})
    asyncio.run(consult(Judge("recording", 1, reader), Task(**parts), submission, grade))
    assert "value_1500 = 1500" in reader.prompts[0]
    assert "value_1 = 1\n" not in reader.prompts[0]
    assert "value_1600" not in reader.prompts[0]
