"""Whatever is handed in gets a verdict for every item, owned by the agent, and never a crash."""

from __future__ import annotations

import json

import pytest

from assay.grading import Grade, grade_now
from assay.tasks import Task
from assay.workspace import Submission
from tests.agents.attempts import demo_task

PHASES = ("design.", "conclusion.")
TEXTS: dict[str, bytes] = {
    "empty": b"",
    "truncated": b'{"constant": {"folds": 5}, "independent": {"selec',
    "not JSON": b"constant: folds\n",
    "50 MB": b'{"constant": {"folds": "' + b"x" * 50_000_000 + b'"}, "claims": {}}',
    "endless nesting": b'{"constant": ' * 100_000,
    "some nesting": b'{"constant": {"folds": ' + b"[" * 900 + b"]" * 900 + b'}, "claims": {}}',
    "not UTF-8": b'{"constant": {"\xff\xfe": 1}, "claims": {}}',
    "NaN and Infinity": b'{"constant": {"folds": NaN}, "claims": {"order": -Infinity, "permuted-size": NaN}}',
    "a number of 10,000 digits": b'{"constant": {"folds": ' + b"9" * 10_000 + b'}, "claims": {}}',
    "a name twice": b'{"constant": {"folds": 5, "folds": 6}, "claims": {"order": 1, "order": 2}}',
    "a list": b'[{"constant": {"folds": 5}}]',
    "a text": b'"met"',
    "nothing": b"null",
    "roles of other types": b'{"constant": 5, "independent": "folds", "dependent": null, "claims": 3}',
    "names of other types": b'{"constant": [["folds"], {"folds": 5}, null], "claims": {"order": {"a": []}}}',
    "half characters": b'{"constant": {"folds\\ud800": "\\udfff"}, "claims": {"order": "\\ud800"}}',
    "control characters": b'{"constant": {"\\u0000\\u001b[2J": 5}, "claims": {"order": "\\u001b[2J"}}',
    "a verdict": b'{"verdicts": [{"item": "design.folds", "status": "met"}], "passed": true, "claims": {}}',
    "many names": json.dumps({"constant": {f"v{n}": n for n in range(8_000)}, "claims": {}}).encode(),
}


@pytest.fixture(scope="module")
def task() -> Task:
    return demo_task("selection-bias")


def whole(task: Task, done: Grade) -> bool:
    """Whether every item of design and conclusion has its verdict, and the grade can be written down."""
    assert task.design is not None
    assert task.conclusion is not None
    expected = [f"design.{each.name}" for each in task.design.variable]
    expected += [f"conclusion.{claim.id}" for claim in task.conclusion.claim] + ["conclusion.faithful"]
    found = [each.item for each in done.verdicts if each.item.startswith(PHASES)]
    return sorted(found) == sorted(expected) and Grade.model_validate_json(done.model_dump_json()) == done


@pytest.mark.parametrize("kind", TEXTS)
def test_a_hostile_design_and_conclusion_are_unmet_item_by_item(kind: str, task: Task) -> None:
    done = grade_now(task, Submission({"design.json": TEXTS[kind], "conclusion.json": TEXTS[kind]}))
    assert whole(task, done)
    assert {(each.status, each.owner) for each in done.verdicts if each.item.startswith(PHASES)} == {
        ("unmet", "agent")
    }
    assert all(len(each.evidence) < 1000 for each in done.verdicts)


RESULTS = {
    "truncated": ("printf '{\"accuracy\": ' > results.json", "unmet"),
    "not UTF-8": ("printf '\\377\\376\\000' > results.json", "unmet"),
    "endless nesting": ("yes '{\"accuracy\":' | head -100000 > results.json", "unmet"),
    "20 MB": ("head -c 20000000 /dev/zero > results.json", "unmet"),
    "a folder": ("mkdir results.json", "unmet"),
    "a link": ("ln -s /etc/passwd results.json", "unmet"),
    "a pipe": ("mkfifo results.json", "unmet"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_hostile_results_are_no_results(kind: str, task: Task) -> None:
    script, status = RESULTS[kind]
    done = grade_now(task, Submission({**task.gold_files, "reproduce.sh": script.encode()}))
    verdicts = {each.item: each for each in done.verdicts}
    assert verdicts["execution.default"].status == status
    assert verdicts["conclusion.faithful"].status == "unmet"
    assert {each.status for item, each in verdicts.items() if item.startswith("design.")} == {"met"}
    assert {each.owner for each in done.verdicts if each.status != "met"} == {"agent"}
    assert whole(task, done)


def test_results_of_odd_types_compare_with_nothing(task: Task) -> None:
    odd = {
        "accuracy": {"real": {"outside": float("nan"), "inside": True}, "permuted": []},
        "optimism": "1e999",
    }
    script = f"python -c 'print(1)'; echo '{json.dumps(odd)}' > results.json; touch predictions.csv"
    script += "; echo [] > features.json"
    done = grade_now(task, Submission({**task.gold_files, "reproduce.sh": script.encode()}))
    statuses = {each.item: each.status for each in done.verdicts}
    assert statuses["execution.default"] == "met"
    assert {status for item, status in statuses.items() if item.startswith(("result.", "requirement."))} == {
        "unmet"
    }
    assert whole(task, done)
