"""Results of logs: attempts, verdicts, tables, data frames, and what is made from them."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

import assay
from tests.synthetic_logs import Run, attempt, write_demo


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Logs of several agents, written by Inspect's own writer."""
    folder = tmp_path_factory.mktemp("logs")
    write_demo(folder)
    return folder


@pytest.fixture(scope="module")
def results(logs: Path) -> assay.Results:
    """The same logs, read."""
    return assay.read(str(logs))


def test_attempts_carry_their_verdicts(results: assay.Results) -> None:
    assert len(results) == len(results.attempts) == len(list(results))
    failed = next(attempt for attempt in results if attempt.outcome == "failed")
    assert failed.caught_by in {verdict.item for verdict in failed.verdicts if verdict.status == "unmet"}
    assert len(results.verdicts) == sum(len(attempt.verdicts) for attempt in results)
    assert results.verdicts[0].item == results.attempts[0].verdicts[0].item


def test_repr_counts_every_outcome(results: assay.Results, logs: Path) -> None:
    frame = results.to_pandas()
    counts = frame["outcome"].value_counts()
    assert repr(results) == (
        f"<Results from {logs}: {len(results)} attempts, {counts['passed']} passed, "
        f"{counts['failed']} failed, {counts['unknown']} unknown>"
    )
    assert results.logs == (logs,)


def test_the_frame_of_attempts_keeps_unknown_apart_from_failed(results: assay.Results) -> None:
    frame = results.to_pandas()
    assert len(frame) == len(results)
    unknown = frame[frame["outcome"] == "unknown"]
    assert len(unknown) > 0
    assert unknown["passed"].isna().all()
    assert frame["passed"].dtype == "boolean"
    assert str(frame["completed"].dtype).startswith("datetime64")


def test_the_frame_of_verdicts_has_one_row_for_each_item(results: assay.Results) -> None:
    frame = results.verdicts.to_pandas()
    assert len(frame) == len(results.verdicts)
    assert set(frame["status"]) <= {"met", "unmet", "unknown"}


def test_the_scorecard_is_a_table_in_a_terminal_and_html_in_a_notebook(results: assay.Results) -> None:
    card = results.scorecard
    assert isinstance(card, assay.Scorecard)
    target = StringIO()
    Console(file=target, width=100).print(card)
    agent = card.agents[0].agent
    assert agent in target.getvalue()
    assert repr(card) == str(card)
    assert agent in str(card)
    assert card._repr_html_().count("<tr>") == 1 + sum(len(agent.suites) for agent in card.agents)
    assert card._repr_html_() in results._repr_html_()


def test_html_escapes_what_agents_and_tasks_are_called(tmp_path: Path) -> None:
    Run("<script>alert(1)</script>", [attempt("prune", "passed")]).write(tmp_path, "log")
    html = assay.read(tmp_path)._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_results_are_compared_and_their_failures_explained(results: assay.Results, logs: Path) -> None:
    pairs = results.compare(agents=["oracle", "idle"])
    assert pairs == assay.compare(logs, agents=["oracle", "idle"])
    assert "oracle" in str(pairs)
    assert "<table>" in pairs._repr_html_()
    analysis = results.failures(roles=("agent", "cheat"))
    assert analysis == assay.failures([logs], roles=("agent", "cheat"))
    assert f"{analysis.failed} of {analysis.attempts} attempts" in str(analysis)
    assert "<table>" in analysis._repr_html_()


def test_the_report_and_the_bundle_take_plain_strings(
    results: assay.Results, logs: Path, tmp_path: Path
) -> None:
    first = assay.report(str(logs), str(tmp_path / "first.html"))
    second = results.report(str(tmp_path / "second.html"))
    assert first.read_text() == second.read_text()
    archive = assay.bundle(str(logs), str(tmp_path / "run.zip"))
    assert assay.verify(str(archive)).sound


def test_a_folder_that_is_not_there_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(assay.UsageError, match="does not exist") as raised:
        assay.read(tmp_path / "nothing")
    assert "assay run" in (raised.value.hint or "")


def test_without_pandas_the_error_says_what_to_install(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)  # makes `import pandas` an ImportError
    with pytest.raises(assay.UsageError, match="pandas is not installed") as raised:
        assay.read(logs).to_pandas()
    assert raised.value.hint == "pip install 'assay[notebook]'"
