"""Runs with a judge: recorded, resumed apart from others, graded again, and paid for apart from the agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log

import assay
from assay.errors import UsageError
from assay.evaluation import Settings
from assay.evaluation.resume import log_files
from assay.grading import Grade, GradingRules
from assay.scoring import read_attempts
from assay.tasks import Task, save_task
from tests.grading.judge.words import CODE, judge_saying, worded_task
from tests.grading.reading.careful import HONEST, careful, read_task

SCRIPTED = "assay/scripted-judge"
JUDGED = GradingRules(judge_model=SCRIPTED, judge_repeats=1)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words") / "suite"
    save_task(worded_task(), folder / "averages")
    return folder


@pytest.fixture(scope="module")
def logs(suite: Path) -> Path:
    """One oracle attempt with a judge, and one without."""
    folder = suite.parent / "logs"
    assay.run(
        suite,
        agent=["oracle"],
        settings=Settings(logs=str(folder), rules=JUDGED),
    )
    told: list[object] = []
    assay.run(suite, agent=["oracle"], settings=Settings(logs=str(folder)), on_finish=told.append)
    assert len(told) == 1
    return folder


def test_attempts_of_other_judges_are_never_mixed(logs: Path, suite: Path) -> None:
    first, second = sorted(read_attempts(logs), key=lambda each: len(each.suite))
    assert second.suite == f"{first.suite}[judge={SCRIPTED}×1]"
    assert (first.passed, second.passed) == (None, True)
    settings = Settings(logs=str(logs), rules=JUDGED)
    told: list[object] = []
    assay.run(suite, agent=["oracle"], settings=settings, on_finish=told.append)
    assert told == []


def test_the_judges_tokens_are_not_the_agents(logs: Path) -> None:
    judged = next(each for each in read_attempts(logs) if "judge" in each.suite)
    assert (judged.tokens, judged.cost) == (0, None)
    for path in log_files(logs):
        log = read_eval_log(str(path))
        about = (log.eval.metadata or {})["assay"]["rules"]
        if about["judge_model"] is not None:
            assert about == {"tolerance": "default", "judge_model": SCRIPTED, "judge_repeats": 1}
            assert log.samples is not None
            (sample,) = log.samples
            assert sample.role_usage["judge"].total_tokens > 0
            assert sample.scores is not None
            grade = (sample.scores["assay"].metadata or {})["grade"]
            asked = {"design.average", "conclusion.outcome", "integrity.monitor"}
            assert grade["judge"]["calls"] == len(asked)
            assert set(grade["judge"]["votes"]) == asked


def test_no_log_holds_what_the_judge_was_told(logs: Path) -> None:
    for path in log_files(logs):
        text = read_eval_log(str(path)).model_dump_json()
        assert "You check one item" not in text
        assert "is higher than the median, 2.0." not in text


def test_archived_submissions_are_graded_again_by_another_judge(logs: Path, tmp_path: Path) -> None:
    rows = assay.grade(logs, tmp_path / "again", judge_model=SCRIPTED, judge_repeats=2)
    assert [row.after for row in rows] == [True, True]
    assert {row.grade.judge and row.grade.judge.repeats for row in rows} == {2}
    assert {each.suite.partition("[")[2] for each in read_attempts(tmp_path / "again")} == {
        f"judge={SCRIPTED}×2]"
    }
    kept = assay.grade(tmp_path / "again", tmp_path / "kept")
    assert {row.grade.judge and row.grade.judge.repeats for row in kept} == {2}
    without = assay.grade(tmp_path / "again", tmp_path / "without", judge_model="none")
    assert [row.after for row in without] == [None, None]
    assert not any("[" in each.suite for each in read_attempts(tmp_path / "without"))


def test_a_judge_that_cannot_be_is_refused_before_the_run(suite: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no provider 'nobody'"):
        assay.run(
            suite,
            agent=["oracle"],
            settings=Settings(logs=str(tmp_path), rules=GradingRules(judge_model="nobody/x")),
        )
    settings = Settings(logs=str(tmp_path), rules=GradingRules(judge_model="mockllm/model"), max_cost=1.0)
    with pytest.raises(UsageError, match="the price of mockllm/model is not known"):
        assay.run(suite, agent=["oracle"], settings=settings)


def test_a_run_and_a_second_grading_compare_the_conclusion_with_the_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The conclusion says that the mean is higher; in the results of this code it is lower."""
    plain = read_task()
    parts = {name: getattr(plain, name) for name in Task.model_fields}
    files = {**HONEST, "experiment.py": CODE.replace(b"[1.0, 2.0, 6.0]", b"[-9.0, 2.0, 3.0]")}
    solution = {f"files/{path}": data for path, data in files.items()}
    save_task(Task(**{**parts, "solution": solution}), tmp_path / "suite" / "averages")
    with judge_saying(monkeypatch, careful) as (judge, _):
        rules = GradingRules(judge_model=judge.name, judge_repeats=1)
        settings = Settings(logs=str(tmp_path / "logs"), rules=rules)
        assay.run(tmp_path / "suite", agent=["oracle"], settings=settings)
        (row,) = assay.grade(tmp_path / "logs", tmp_path / "again")
    (path,) = log_files(tmp_path / "logs")
    (sample,) = read_eval_log(str(path)).samples or []
    assert sample.scores is not None
    first = Grade.model_validate((sample.scores["assay"].metadata or {})["grade"])
    for grade in (first, row.grade):
        verdicts = {verdict.item: verdict for verdict in grade.verdicts}
        assert verdicts["conclusion.outcome"].status == "met"
        assert verdicts["conclusion.faithful"].status == "unmet", verdicts["conclusion.faithful"].evidence
