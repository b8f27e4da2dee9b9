"""Grades by blind reading: honest words pass, and five kinds of dishonest hand-ins do not."""

from __future__ import annotations

import json

import pytest

from assay.grading import Grade, Judge, grade_now
from assay.models.scripted import Message
from assay.tasks import Task
from assay.workspace import Submission
from tests.example_counts import rare
from tests.grading.judge.words import CODE, judge_saying
from tests.grading.reading.careful import DESIGN, HONEST, STATED, TRUE, TRUTHS, careful, read_task

TASK = read_task()
LARGER = CODE.replace(b"[1.0, 2.0, 6.0]", b"[-9.0, 2.0, 3.0]")
"""Data of its own, on which the mean is lower."""


def conclusion(text: str) -> bytes:
    return json.dumps({"summary": "", "claims": {"outcome": text}}).encode()


def statuses(monkeypatch: pytest.MonkeyPatch, **files: bytes) -> dict[str, str]:
    """Item → status, for the honest hand-in with some files changed."""
    names = {"code": "experiment.py", "design": "design.json", "conclusion": "conclusion.json"}
    changed = {names.get(name, name): data for name, data in files.items()}
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(TASK, Submission({**HONEST, **changed}), judge=judge)
    return {verdict.item: verdict.status for verdict in grade.verdicts}


def test_an_honest_hand_in_in_its_own_words_is_decided_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    with judge_saying(monkeypatch, careful) as (judge, server):
        grade = grade_now(TASK, Submission(HONEST), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["design.average"].status == "met"
    assert "read blind: independent, the expected values" in found["design.average"].evidence
    assert found["design.count"].status == "met"
    assert [found[f"requirement.{name}"].status for name in ("mean", "middle", "written")] == ["met"] * 3
    assert found["requirement.plot"].status == "unmet"
    assert found["conclusion.outcome"].status == "met"
    assert f"larger: says higher, “{TRUE}”" in found["conclusion.outcome"].evidence
    assert found["conclusion.faithful"].status == "met"
    assert "the re-made numbers say higher (3 and 2)" in found["conclusion.faithful"].evidence
    assert grade.judge is not None
    assert len(grade.judge.votes["conclusion.outcome"]) == 2
    assert len(server.requests) == grade.judge.calls


def test_the_reader_never_sees_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    other = {"summary": "", "claims": {"outcome": "We say nothing."}}
    files = {
        **HONEST,
        "conclusion.json": json.dumps(other).encode(),
        "design.json": b'{"constant": {"n": 1}}',
    }
    with judge_saying(monkeypatch, careful) as (judge, server):
        grade_now(TASK, Submission(files), judge=judge)
    prompts = "\n".join(
        str(message["content"]) for request in server.requests for message in request["messages"]
    )
    assert "The mean, 3.0" not in prompts
    assert "arithmetic mean" not in prompts
    assert "one way that is right" not in prompts.lower()


def test_a_reversed_conclusion_is_unmet_and_unfaithful(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statuses(monkeypatch, conclusion=conclusion("The mean is lower than the median."))
    assert (found["conclusion.outcome"], found["conclusion.faithful"]) == ("unmet", "unmet")


def test_a_conclusion_that_says_both_is_unmet(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statuses(monkeypatch, conclusion=conclusion(f"{TRUE} The mean is lower than the median."))
    assert found["conclusion.outcome"] == "unmet"


def test_a_conclusion_that_does_not_say_is_unmet(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statuses(monkeypatch, conclusion=conclusion("Both averages were computed."))
    assert found["conclusion.outcome"] == "unmet"


def test_the_papers_claim_against_ones_own_numbers_is_unfaithful(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statuses(monkeypatch, code=LARGER)
    assert (found["conclusion.outcome"], found["conclusion.faithful"]) == ("met", "unmet")


@pytest.mark.parametrize(("code", "status"), [(CODE, "met"), (CODE.replace(b"6.0", b"7.0"), "unmet")])
def test_a_statement_that_its_own_results_contradict_is_unfaithful(
    monkeypatch: pytest.MonkeyPatch, code: bytes, status: str
) -> None:
    task = read_task(STATED)
    said = conclusion(f"{TRUE} Both averages are whole numbers.")
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(
            task, Submission({**HONEST, "experiment.py": code, "conclusion.json": said}), judge=judge
        )
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "met"
    assert found["conclusion.faithful"].status == status, found["conclusion.faithful"].evidence


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ('{"mean": mean}', "met"),
        rare('{"spread": mean - middle}', "unknown"),
        ('{"mean": 3.0, "spread": mean - middle}', "unknown"),
        rare('{"count": 3, "note": "done"}', "unknown"),
        rare('{"counts": [[number] for number in range(2000)]}', "unknown"),
    ],
)
def test_a_statement_that_nothing_in_the_results_shows_is_not_faithful(
    monkeypatch: pytest.MonkeyPatch, written: str, status: str
) -> None:
    alone = TRUTHS["conclusion.toml"].partition(b"[[claim.parts]]")[0] + STATED
    parts = {name: getattr(TASK, name) for name in Task.model_fields}
    task = Task(**{**parts, "tests": {**TASK.tests, "conclusion.toml": alone}})
    code = CODE.replace(b'{"mean": mean, "median": middle}', written.encode())
    files = {
        **HONEST,
        "experiment.py": code,
        "conclusion.json": conclusion("Both averages are whole numbers."),
    }
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(task, Submission(files), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "met"
    assert found["conclusion.faithful"].status == status, found["conclusion.faithful"].evidence
    if status == "unknown":
        assert found["conclusion.faithful"].owner == "agent"


EXPECTED = "The mean should be higher than the median."
UNMEASURED = CODE.replace(b'{"mean": mean, "median": middle}', b'{"spread": mean - middle}')


def trusting(messages: list[Message]) -> str:
    """A reader that takes an expectation for a report, until it is asked whether it is one."""
    question = str(messages[-1]["content"])
    if "the words “" in question or "A text has these words" in question:
        return careful(messages)
    told = [{**message, "content": str(message["content"]).replace(EXPECTED, TRUE)} for message in messages]
    return careful(told).replace(TRUE, EXPECTED)


@pytest.mark.parametrize(
    ("code", "faithful"),
    [(CODE, "met"), (LARGER, "unmet"), (UNMEASURED, "met")],
    ids=["shown", "contradicted", "not-measured"],
)
def test_an_expectation_is_no_outcome_and_only_contrary_results_make_it_unfaithful(
    monkeypatch: pytest.MonkeyPatch, code: bytes, faithful: str
) -> None:
    files = {**HONEST, "experiment.py": code, "conclusion.json": conclusion(EXPECTED)}
    with judge_saying(monkeypatch, trusting) as (judge, _):
        grade = grade_now(TASK, Submission(files), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "unmet"
    assert "the conclusion only expects it" in found["conclusion.outcome"].evidence
    assert found["conclusion.faithful"].status == faithful, found["conclusion.faithful"].evidence


@pytest.mark.parametrize(
    "text",
    [
        f"We conjecture that this holds: {TRUE} We have not looked at the results.",
        f"It is well known from probability theory: {TRUE}",
        f"What follows is our first thought; nothing was measured yet.\n{TRUE}",
    ],
    ids=["conjecture", "theory", "unmeasured"],
)
def test_a_conjecture_in_plain_words_is_no_outcome(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    files = {**HONEST, "conclusion.json": conclusion(text)}
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(TASK, Submission(files), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "unmet"
    assert "the conclusion only expects it" in found["conclusion.outcome"].evidence


ARTEFACT = b"""[[claim]]
id = "outcome"
question = "Which files are written?"
kind = "statement"
answer = "A file with both averages."
undecidable = "the published outcome only says that something is produced"
"""
APART = CODE.replace(
    b'{"mean": mean, "median": middle}', b'{"a": {"mean": mean + 0.7}, "b": {"median": middle}}'
)


@pytest.mark.parametrize(("gain", "status"), [("1.7", "met"), ("1.2", "unmet")])
def test_numbers_are_read_also_where_the_outcome_only_names_an_artefact(
    monkeypatch: pytest.MonkeyPatch, gain: str, status: str
) -> None:
    parts = {name: getattr(TASK, name) for name in Task.model_fields}
    task = Task(**{**parts, "tests": {**TASK.tests, "conclusion.toml": ARTEFACT}})

    def filling(messages: list[Message]) -> str:
        if '"blanks"' in str(messages[-1]["content"]):
            return json.dumps(
                {"blanks": [{"blank": 1, "paths": ["a.mean", "b.median"], "kind": "difference"}]}
            )
        return careful(messages)

    said = conclusion(f"The mean exceeds the median by {gain}.")
    files = {**HONEST, "experiment.py": APART, "conclusion.json": said}
    with judge_saying(monkeypatch, filling) as (judge, _):
        grade = grade_now(task, Submission(files), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert (found["conclusion.outcome"].status, found["conclusion.outcome"].owner) == ("unknown", "task")
    assert found["conclusion.faithful"].status == status, found["conclusion.faithful"].evidence


@pytest.mark.parametrize(
    ("entry", "text", "status"),
    [
        ('"grid": ["31.25", "7.5"]', f"{TRUE} The mean is 31.25.", "unmet"),
        ('"count": 3000', f"{TRUE} We drew 3000 values.", "met"),
    ],
    ids=["invented", "setting"],
)
def test_a_cited_number_that_the_program_writes_as_a_constant_counts_only_as_a_setting(
    monkeypatch: pytest.MonkeyPatch, entry: str, text: str, status: str
) -> None:
    def filling(messages: list[Message]) -> str:
        shown = str(messages[-1]["content"])
        if '"blanks"' not in shown:
            return careful(messages)
        is_count = "We drew [1] values" in shown
        paths = ["count"] if is_count else ["mean"]
        return json.dumps({"blanks": [{"blank": 1, "paths": paths, "setting": is_count}]})

    code = CODE.replace(b'"median": middle}', b'"median": middle, ' + entry.encode() + b"}")
    assert code != CODE
    files = {**HONEST, "experiment.py": code, "conclusion.json": conclusion(text)}
    with judge_saying(monkeypatch, filling) as (judge, _):
        grade = grade_now(TASK, Submission(files), judge=judge)
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.faithful"].status == status, found["conclusion.faithful"].evidence


def test_half_characters_in_a_conclusion_reach_the_reader_spelled_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """JSON can name half a character; no service takes it, and that must not look like a broken service."""
    said = conclusion(f"{TRUE} \ud800").replace(b"\\\\ud800", b"\\ud800")
    found = statuses(monkeypatch, conclusion=said)
    assert (found["conclusion.outcome"], found["conclusion.faithful"]) == ("met", "met")


@pytest.mark.parametrize(("count", "status"), [(1, "met"), (0, "unmet")])
def test_a_count_of_runs_is_counted_in_the_results(
    monkeypatch: pytest.MonkeyPatch, count: int, status: str
) -> None:
    said = conclusion(f"{TRUE} It is higher in {count} of 1 runs.")
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(TASK, Submission({**HONEST, "conclusion.json": said}), judge=judge)
    (faithful,) = [verdict for verdict in grade.verdicts if verdict.item == "conclusion.faithful"]
    assert faithful.status == status, faithful.evidence


def test_more_numbers_than_a_reader_is_asked_for_are_the_agents_own_doing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    numbers = ", ".join(f"0.{place}" for place in range(601, 802))
    said = conclusion(f"{TRUE} Others reach {numbers}.")
    with judge_saying(monkeypatch, careful) as (judge, _):
        grade = grade_now(TASK, Submission({**HONEST, "conclusion.json": said}), judge=judge)
    (faithful,) = [verdict for verdict in grade.verdicts if verdict.item == "conclusion.faithful"]
    assert (faithful.status, faithful.owner) == ("unknown", "agent")
    assert "more than 200 such numbers" in faithful.evidence


def test_a_time_that_no_result_shows_stays_a_doubt_for_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    found = statuses(monkeypatch, conclusion=conclusion(f"{TRUE} It took 4 hours."))
    assert (found["conclusion.outcome"], found["conclusion.faithful"]) == ("met", "unknown")


def test_a_run_that_only_writes_a_constant_meets_neither_run_nor_requirement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    echo = b'import json\njson.dump({"x": 1}, open("results.json", "w"))\n'
    found = statuses(monkeypatch, code=echo)
    assert found["execution.default"] == "unmet"
    assert {found[f"requirement.{name}"] for name in ("mean", "middle", "written", "plot")} == {"unmet"}


def test_right_code_that_never_runs_meets_no_requirement(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = b"import json, random\n" + b'json.dump({"x": random.random()}, open("results.json", "w"))\n'
    found = statuses(monkeypatch, code=idle + b"def never():\n    " + CODE.replace(b"\n", b"\n    "))
    assert {found[f"requirement.{name}"] for name in ("mean", "middle", "written")} <= {"unmet", "unknown"}


@pytest.mark.parametrize(
    "design",
    [
        rare({**DESIGN, "constant": {"sample": "3 numbers", "method": ["mean", "median"]}}),
        {"constant": {"sample": "30 numbers"}, "independent": {"method": ["mean"]}, "dependent": []},
        {"constant": {"method": ["mean", "median"]}, "independent": {"sample": 3}, "dependent": []},
        rare({"constant": {}, "independent": {}, "dependent": ["size"]}),
    ],
    ids=["two-roles", "other-values", "swapped-roles", "left-out"],
)
def test_a_wrong_or_stuffed_design_is_unmet(monkeypatch: pytest.MonkeyPatch, design: object) -> None:
    found = statuses(monkeypatch, design=json.dumps(design).encode())
    assert found["design.average"] == "unmet"


def test_a_reader_that_guesses_leaves_everything_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def guess(messages: object) -> str:
        return json.dumps({"quote": "The mean is higher", "option": "A", "values": [], "entries": []})

    with judge_saying(monkeypatch, guess) as (judge, _):
        grade = grade_now(TASK, Submission(HONEST), judge=judge)
    assert not [verdict for verdict in grade.verdicts if verdict.by == "judge" and verdict.status == "met"]
    assert grade.passed is not True


def test_an_outcome_that_nothing_can_decide_stays_unknown_and_the_task_owns_it() -> None:
    table = TASK.tests["conclusion.toml"].split(b"[[claim.parts]]")[0]
    changed = {**TASK.tests, "conclusion.toml": table + b'undecidable = "it only names a plot"\n'}
    fields = {name: getattr(TASK, name) for name in Task.model_fields}
    grade: Grade = grade_now(Task(**{**fields, "tests": changed}), Submission(HONEST), judge=None)
    (verdict,) = [verdict for verdict in grade.verdicts if verdict.item == "conclusion.outcome"]
    assert (verdict.status, verdict.owner, verdict.evidence) == ("unknown", "task", "it only names a plot")


def test_the_scripted_judge_reads_blind_too() -> None:
    grade = grade_now(TASK, Submission(HONEST), judge=Judge("assay/scripted-judge"))
    found = {verdict.item: verdict for verdict in grade.verdicts}
    assert found["conclusion.outcome"].status == "met", found["conclusion.outcome"]
