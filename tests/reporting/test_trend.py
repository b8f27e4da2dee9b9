"""`assay report` over several runs: a table, a page, and a report of each run beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli import app
from assay.reporting.trend import make_trend, read_runs, run_names
from assay.reporting.trend_page import build_trend, date_axis
from tests.synthetic_logs import TASKS, Run, attempt

DATES = ("2026-02-03", "2026-02-10", "2026-02-17")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three weekly runs of one agent, which passes 1, 6 and 11 of 12 tasks; the oracle fails in the last."""
    root = tmp_path_factory.mktemp("runs")
    folders = []
    for week, date in enumerate(DATES):
        folder = root / f"week-{week}"
        folder.mkdir()
        created = f"{date}T09:00:00+00:00"
        passed = 1 + 5 * week
        samples = [
            attempt(task, "passed" if place < passed else "failed") for place, task in enumerate(TASKS)
        ]
        Run("react", samples, model="m/<b>", created=created).write(folder)
        outcome = "failed" if week == 2 else "passed"
        Run("oracle", [attempt("prune", outcome)], created=created).write(folder)
        folders.append(folder)
    return folders


def test_each_folder_is_one_run_in_the_order_of_time(runs: list[Path]) -> None:
    trend = make_trend(read_runs(reversed(runs)))

    assert [(run.name, run.date) for run in trend.runs] == list(
        zip(("week-0", "week-1", "week-2"), DATES, strict=True)
    )
    points = trend.series("demo")["react", "m/<b>"]
    assert [(point.date, point.rate.passed, point.rate.attempts) for point in points] == [
        (DATES[0], 1, 12),
        (DATES[1], 6, 12),
        (DATES[2], 11, 12),
    ], "together, later attempts would have replaced the earlier ones"
    (change,) = trend.changes
    assert change.paired is not None
    assert (change.paired.tasks, change.paired.second_better) == (12, 10)
    assert str(change).endswith("on the 12 tasks of both, p 0.002 (0.002): a clear change.")
    assert [len(run.surprises) for run in trend.runs] == [0, 0, 1]


@pytest.mark.long
def test_the_command_prints_the_trend_of_several_folders(runs: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "trend.html"
    arguments = ["report", *map(str, runs), "--json", "--html", str(page)]
    result = CliRunner().invoke(app, arguments)

    assert result.exit_code == 0, result.output
    shape = json.loads(result.stdout)
    assert shape["table"] == "trend"
    assert [run["name"] for run in shape["runs"]] == ["week-0", "week-1", "week-2"]
    together = CliRunner().invoke(app, ["report", *map(str, runs), "--table", "scores", "--json"])
    assert "agents" in json.loads(together.stdout), "asked for, the runs are counted as one"

    text = page.read_text()
    links = set(re.findall(r'href="(trend-runs/[^"]+)"', text))
    assert links == {f"trend-runs/week-{week}.html" for week in range(3)}
    assert all((tmp_path / link).is_file() for link in links)
    assert "NOT AS EXPECTED" not in text
    assert 'role="alert"' in text, "the oracle failed in one run"
    assert "<b>" not in text.replace("<b>1/12", "").replace("<b>6/12", "").replace("<b>11/12", "")


def test_a_folder_gets_trend_html(runs: list[Path], tmp_path: Path) -> None:
    assert build_trend(runs[:2], tmp_path) == tmp_path / "trend.html"


def test_runs_with_one_name_are_named_by_the_folder_above() -> None:
    assert run_names([Path("/a/one/logs"), Path("/a/two/logs")]) == ["one/logs", "two/logs"]


@pytest.mark.parametrize("days", [[5], [1, 2], [1, 100, 101], list(range(1, 400, 7))])
def test_the_axis_names_few_dates_within_its_range(days: list[int]) -> None:
    axis = date_axis(days)

    assert 1 <= len(axis.ticks) <= 6
    assert all(axis.low <= day <= axis.high for day, _ in axis.ticks)
    assert len({label for _, label in axis.ticks}) == len(axis.ticks)
