from __future__ import annotations

import math
from pathlib import Path
from zipfile import ZipFile

import pytest
from inspect_ai.log import EvalConfig, EvalDataset, EvalError, EvalLog, EvalSpec, write_eval_log
from inspect_ai.model import ModelUsage

from assay.errors import UsageError
from assay.grading.verdict import Grade, Verdict
from assay.scoring import long_table, read_attempts, read_record
from assay.scoring.logs.log_file import read_json
from tests.synthetic_logs import Run, attempt, grade, score


def test_a_sample_becomes_an_attempt_with_its_evidence(tmp_path: Path) -> None:
    log = Run("react", [attempt("prune", "failed", epoch=2)], model="openai/x").write(tmp_path)

    (found,) = read_attempts(log)

    assert found.key == ("demo", "react", "openai/x", "prune", 2)
    assert (found.kind, found.certified, found.title) == ("challenge", False, "Prune a classifier to 24 KB")
    assert (found.outcome, found.owner, found.caught_by) == ("failed", "agent", "result.default.accuracy")
    assert (found.score, found.normalised) == (1.62, 0.97)
    assert (found.tokens, found.cost, found.seconds, found.working_seconds) == (2560, None, 41.5, 30.25)
    assert found.notices[0].flag == "clock"
    assert len(found.submission) == 64
    assert found.log == str(log)
    assert "Mend it" in found.asked


def test_a_price_is_added_up_where_it_is_known(tmp_path: Path) -> None:
    usage = {name: ModelUsage(total_tokens=10, total_cost=0.25) for name in ("a", "b")}
    log = Run("react", [attempt("prune", "passed", model_usage=usage)]).write(tmp_path)

    (found,) = read_attempts(log)

    assert (found.tokens, found.cost) == (20, 0.5)


def test_the_grade_decides_and_unknown_stays_unknown(tmp_path: Path) -> None:
    log = Run("react", [attempt("prune", "unknown"), attempt("spectral-1", "passed")]).write(tmp_path)

    outcomes = {found.task: (found.passed, found.owner) for found in read_attempts([log])}

    assert outcomes == {"prune": (None, "sandbox"), "spectral-1": (True, None)}


@pytest.mark.parametrize(
    ("message", "owner"),
    [
        ("SandboxError('bwrap: cannot mount')", "sandbox"),
        ("OSError(28, 'No space left on device')", "sandbox"),
        ("RateLimitError('Error code: 429 - too many requests')", "model"),
        ("APIConnectionError('Connection error.')", "model"),
        ("ModelUnavailable('local/smollm2 will not serve')", "model"),
        ("EnvironmentFailed('numpy==99 cannot be installed')", "task"),
        ("ZeroDivisionError('division by zero')", "grader"),
    ],
)
def test_an_error_without_a_grade_is_an_unscored_attempt_with_an_owner(
    tmp_path: Path, message: str, owner: str
) -> None:
    error = EvalError(message=message, traceback="", traceback_ansi="")
    Run("react", [attempt("prune", "error", error=error)]).write(tmp_path)

    (found,) = read_attempts(tmp_path)

    assert (found.passed, found.owner, found.error) == (None, owner, message)


def test_an_interrupted_sample_is_no_attempt_but_is_reported(tmp_path: Path) -> None:
    error = EvalError(message="CancelledError()", traceback="", traceback_ansi="")
    samples = [attempt("prune", "error", error=error), attempt("spectral-1", "passed")]
    Run("react", samples, status="cancelled").write(tmp_path)

    record = read_record(tmp_path)

    assert [found.task for found in record.attempts] == ["spectral-1"]
    assert any("prune (attempt 1) was interrupted" in finding.what for finding in record.findings)


def test_a_stopped_run_counts_only_attempts_that_have_a_grade(tmp_path: Path) -> None:
    error = EvalError(message="CancelledError()", traceback="", traceback_ansi="")
    samples = [attempt("prune", "error", error=error), attempt("spectral-1", "passed")]
    Run("react", samples, status="cancelled").write(tmp_path)

    notes = [finding.what for finding in read_record(tmp_path).findings]

    assert notes[0] == "the run did not end (cancelled); its 1 finished attempts are counted"


def test_a_run_that_another_log_finishes_is_no_longer_called_interrupted(tmp_path: Path) -> None:
    error = EvalError(message="CancelledError()", traceback="", traceback_ansi="")
    samples = [attempt("prune", "error", error=error), attempt("spectral-1", "passed")]
    Run("react", samples, status="cancelled").write(tmp_path, "first")
    Run("react", [attempt("prune", "failed")]).write(tmp_path, "second")

    record = read_record(tmp_path)

    assert [found.outcome for found in record.attempts] == ["failed", "passed"]
    assert record.findings == []


@pytest.mark.parametrize("status", ["started", "cancelled", "error"])
def test_a_killed_run_keeps_its_finished_attempts_and_says_so(tmp_path: Path, status: str) -> None:
    Run("react", [attempt("prune", "passed")], status=status).write(tmp_path)

    record = read_record(tmp_path)

    assert [found.passed for found in record.attempts] == [True]
    assert f"the run did not end ({status})" in record.findings[0].what


def test_an_attempt_in_two_logs_counts_once_and_the_newest_scored_one_wins(tmp_path: Path) -> None:
    early, late = "2026-02-03T10:00:00+00:00", "2026-02-04T10:00:00+00:00"
    Run("react", [attempt("prune", "failed", completed_at=early)]).write(tmp_path, "first")
    Run("react", [attempt("prune", "passed", completed_at=late)]).write(tmp_path, "second")
    Run("react", [attempt("prune", "error", completed_at="2026-02-05T10:00:00+00:00")]).write(
        tmp_path, "third"
    )

    record = read_record(tmp_path)

    (found,) = record.attempts
    assert (found.passed, Path(found.log).name) == (True, "second.eval")
    assert len([finding for finding in record.findings if "counted once" in finding.what]) == 2


def test_the_same_task_in_other_hands_is_another_attempt(tmp_path: Path) -> None:
    for name, agent, model in [("a", "react", "x"), ("b", "react", "y"), ("c", "agentless", "x")]:
        Run(agent, [attempt("prune", "passed"), attempt("prune", "passed", epoch=2)], model=model).write(
            tmp_path, name
        )

    record = read_record(tmp_path)

    assert len(record.attempts) == 6
    assert record.findings == []


def test_unreadable_and_foreign_logs_are_reported_not_raised(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "passed")]).write(tmp_path)
    whole = (tmp_path / "react.eval").read_bytes()
    (tmp_path / "half.eval").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.eval").write_bytes(b"")
    spec = EvalSpec(
        created="2026-02-03T09:00:00+00:00",
        task="other",
        model="m",
        dataset=EvalDataset(),
        config=EvalConfig(),
    )
    write_eval_log(EvalLog(eval=spec, status="success", samples=[]), tmp_path / "foreign.eval")

    record = read_record(tmp_path)

    assert len(record.attempts) == 1
    assert {Path(finding.log).name for finding in record.findings} == {
        "half.eval",
        "empty.eval",
        "foreign.eval",
    }


def test_a_damaged_grade_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    bad = score(grade("prune", "challenge", "passed"))
    bad.metadata = {"grade": {"task": "prune", "kind": "challenge", "verdicts": "none"}}
    Run("react", [attempt("prune", "passed", scores={"assay": bad}), attempt("spectral-1", "passed")]).write(
        tmp_path
    )

    record = read_record(tmp_path)

    assert [found.task for found in record.attempts] == ["spectral-1"]
    assert "prune (attempt 1) is no attempt of Assay" in record.findings[0].what


def test_a_number_that_is_none_survives_the_log(tmp_path: Path) -> None:
    odd = Grade(
        task="prune",
        kind="challenge",
        verdicts=[Verdict(item="score.reference", status="unmet", evidence="nan", owner="agent")],
        score=float("nan"),
    )
    Run("react", [attempt("prune", "failed", scores={"assay": score(odd)})]).write(tmp_path)

    (found,) = read_attempts(tmp_path)

    assert (found.passed, found.score) == (False, None)


def test_the_long_table_has_a_row_for_each_verdict(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "failed"), attempt("spectral-1", "error")]).write(tmp_path)

    rows = list(long_table(read_attempts(tmp_path)))

    assert [(row.item, row.status) for row in rows] == [
        ("execution.run", "met"),
        ("integrity.links", "met"),
        ("result.default.accuracy", "unmet"),
        ("result.default.loss", "met"),
    ]
    assert rows[2].phase == "result"


def test_a_place_without_logs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no Inspect logs"):
        read_attempts(tmp_path)
    with pytest.raises(UsageError, match="does not exist"):
        read_attempts(tmp_path / "nowhere")


def test_an_integer_that_python_refuses_to_read_loses_no_attempt(tmp_path: Path) -> None:
    digits = "1" * 6_000
    assert read_json(b'{"a": ' + digits.encode() + b', "b": 12}') == {"a": digits, "b": 12}
    log = Run("react", [attempt("prune", "failed"), attempt("spectral-1", "passed")]).write(tmp_path)
    with ZipFile(log) as old:
        files = {name: old.read(name) for name in old.namelist()}
    with ZipFile(log, "w") as new:
        for name, data in files.items():
            is_failed = name.startswith("samples/prune")
            added = data.replace(b"{", b'{"long": ' + digits.encode() + b", ", 1) if is_failed else data
            new.writestr(name, added)
    assert {found.task: found.outcome for found in read_attempts(log)} == {
        "prune": "failed",
        "spectral-1": "passed",
    }


def test_an_integer_that_no_float_can_hold_loses_no_attempt(tmp_path: Path) -> None:
    huge = attempt("prune", "failed")
    assert huge.scores is not None
    metadata = huge.scores["assay"].metadata
    assert metadata is not None
    metadata["seconds_allowed"] = 10**400
    log = Run("react", [huge, attempt("spectral-1", "passed")]).write(tmp_path)
    assert {found.task: found.outcome for found in read_attempts(log)} == {
        "prune": "failed",
        "spectral-1": "passed",
    }


def test_a_duration_that_no_clock_says_is_unknown(tmp_path: Path) -> None:
    """A clock that was set back gave a negative duration, on which `assay record` broke."""
    samples = [attempt("first", "passed", total_time=-5.0, working_time=math.nan)]
    Run("react", samples).write(tmp_path)
    (found,) = read_attempts(tmp_path)
    assert (found.seconds, found.working_seconds) == (None, None)
