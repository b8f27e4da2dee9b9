"""`assay report` with its other tables: phases, challenges over time, scores by label, each interval."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assay.cli import app
from tests.synthetic_logs import Run, attempt, challenge, experiment


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    samples = [
        experiment("label-noise", unmet="requirement.seeds"),
        experiment("bagging-depth", unknown="execution"),
        attempt("ridge-leakage", "error"),
        challenge("prune", [(30.0, None), (60.0, 0.2), (450.0, 0.8)]),
    ]
    Run("iterative", samples, model="m").write(folder)
    nothing = "design requirement execution result conclusion"
    Run("oracle", [experiment("label-noise")]).write(folder)
    Run("idle", [experiment("label-noise", unmet=nothing)]).write(folder)
    Run("cheat-history", [experiment("label-noise", unmet="integrity")]).write(folder)
    return folder


def assay(*words: object) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(app, [str(word) for word in words])


def test_phases_stand_beside_what_was_published(logs: Path) -> None:
    lines = assay("report", logs, "--table", "phases", "--format", "markdown").stdout.splitlines()

    both = next(line for line in lines if line.startswith("|  | I·E |"))
    cells = [cell.strip() for cell in both.strip("|").split("|")]
    assert cells[1:5] == ["I·E", "0/3 0% [0, 56]", "0–67% (2 unknown)", "0/1 0% [0, 79] of executed"]
    assert cells[6] == "0.0–14.9%"
    strict = next(line for line in lines if line.startswith("|  | I |"))
    assert "58–92% [0, 100] over 3, 1 of 3 attempts unknown" in strict
    assert "88% of items, mean of 2 judged" in strict
    whole = next(line for line in lines if line.startswith("|  | All✓ (D·I·C) |"))
    assert "1/3 33% [6, 79] | 33–67% (1 unknown) | 1/2 50% [9, 91] of judged" in whole
    assert "| OpenHands, o3-mini | 18.4 | 20.3 | 15.0 | 2.9 | 21.0 | 1.4 | 0.5 | 420 |" in lines
    assert any("threshold 100%" in line for line in lines)


def test_the_same_numbers_in_every_form(logs: Path) -> None:
    shown = assay("report", logs, "--table", "phases").stdout
    found = json.loads(assay("report", logs, "--table", "phases", "--json").stdout)
    rows = list(
        csv.DictReader(io.StringIO(assay("report", logs, "--table", "phases", "--format", "csv").stdout))
    )

    card, *others = found["cards"]
    assert [(one["agent"], one["role"]) for one in others] == [
        ("oracle", "calibrator"),
        ("idle", "calibrator"),
    ], "a cheat is no row of this table"
    assert set(found["denominators"]) == {"attempts", "judged", "executed", "verified"}
    assert card["ladder"]["M·C·D·I"]["passed"] == 1
    assert card["measures"]["All·E✓"]["rate"]["bound_high"] == pytest.approx(2 / 3)
    run = next(row for row in rows if (row["measure"], row["over"]) == ("E", "executed"))
    assert (run["passed"], run["attempts"], run["rate"]) == ("1", "1", "1.0")
    missing = next(row for row in rows if (row["measure"], row["over"]) == ("E", "all"))["missing"]
    assert missing == "sandbox=2"
    assert "All·E✓ (D·I·C·E)" in shown
    steps = [(row["agent"], row["passed"]) for row in rows if row["needs"] == "M·C·D·I·E·R"]
    assert steps == [("iterative", "0"), ("oracle", "1"), ("idle", "0")]


def test_the_plain_report_shows_phases_ladder_and_what_decided_them(logs: Path) -> None:
    lines = assay("report", logs, "--format", "markdown").stdout.splitlines()
    card = json.loads(assay("report", logs, "--json").stdout)

    def row(start: str, table: int) -> list[str]:
        found = [line for line in lines if line.startswith(f"| {start} |")]
        return [cell.strip() for cell in found[table].strip("|").split("|")][1:]

    assert row("iterative (m)", 0)[:2] == ["2/3 67% 67–100% items 67–100%", "1/3 33% 33–67% items 58–92%"]
    assert row("iterative (m)", 1) == ["1/3 33% 33–67%", "1/2 50%", "0/1 0%"]
    assert row("oracle", 1) == ["1/1 100%", "1/1 100%", "1/1 100%"]
    assert row("iterative (m)", 2)[0] == "2/3 67% 67–100%"
    assert row("idle", 2) == ["1/1 100%", *["0/1 0%"] * 5]
    assert row("published, all agents", 0)[2:5] == ["3.7%", "0.4%", "0.2%"]
    assert row("iterative (m)", 3)[:3] == ["6 text", "8 running", "1 running 1 none"]
    assert "- not decided: 1 item of execution: it could not be graded (owner: sandbox)" in lines
    assert any(line.startswith("- All✓: ") and "judged = the attempts that ended" in line for line in lines)
    experiments = {agent["agent"]: agent["suites"][0]["experiments"] for agent in card["agents"]}
    assert experiments["iterative"]["measures"]["All✓"]["judged"]["attempts"] == 2
    assert experiments["iterative"]["decided"]["E"]["none"] == 1
    assert experiments["idle"]["ladder"]["M·C"]["passed"] == 0


def test_scores_with_and_without_unverified_tasks(tmp_path: Path) -> None:
    samples = [experiment("label-noise"), experiment("bagging-depth", unmet="design")]
    for sample, truth in zip(samples, ("unverified", "verified"), strict=True):
        sample.metadata["assay"]["labels"] = {"truth": truth}
    Run("react", samples, model="m").write(tmp_path)

    lines = assay("report", tmp_path, "--format", "markdown").stdout.splitlines()
    phases = assay("report", tmp_path, "--table", "phases", "--format", "markdown").stdout
    assay("report", tmp_path, "--html", tmp_path / "report.html")

    whole, alone = "all tasks 1/2 50% [9, 91]", "verified tasks alone 0/1 0% [0, 79] (left out: 1 unverified)"
    assert f"- react (m) on demo: {whole}; {alone}" in lines
    row = [line for line in lines if line.startswith("| react (m) |")][1]
    assert row == "| react (m) | 1/2 50% | 1/2 50% | 1/2 50% | 0/1 0% |"
    (measure,) = [line for line in phases.splitlines() if line.startswith("|  | All✓")]
    assert "| 0/1 0% [0, 79] | 0.0–1.4% |" in measure
    assert "1 of 2 tasks; left out: 1 unverified." in phases
    assert "verified tasks alone 0/1 0%" in (tmp_path / "report.html").read_text()


def test_scores_and_phases_by_a_label(logs: Path) -> None:
    by_type = assay("report", logs, "--by", "category", "--json")
    phases = json.loads(assay("report", logs, "--table", "phases", "--by", "category", "--json").stdout)
    wrong = assay("report", logs, "--by", "venue")

    rows = {row["value"]: (row["passed"], row["attempts"]) for row in json.loads(by_type.stdout)["rows"]}
    assert rows == {"trees": (0, 1), "vision": (0, 1)}
    assert {card["value"] for card in phases["cards"]} == {"trees", "vision", "–"}
    assert wrong.exit_code != 0
    assert wrong.exception is not None
    assert "no task is labelled with 'venue'" in str(wrong.exception)


def test_challenges_over_time(logs: Path) -> None:
    shown = assay("report", logs, "--table", "challenges").stdout

    assert "+0.600 (1)" in shown
    assert "67%" in shown
    assert "75%" in shown


def test_runs_of_challenges_stand_below_with_mean_error_and_cost(tmp_path: Path) -> None:
    runs = [[(10.0, 0.2)], [(20.0, 0.6)], [(30.0, None)]]
    samples = [challenge("prune", steps, epoch=epoch) for epoch, steps in enumerate(runs, 1)]
    Run("iterative", samples).write(tmp_path)

    shown = assay("report", tmp_path, "--table", "challenges", "--format", "markdown").stdout
    told = json.loads(assay("report", tmp_path, "--table", "challenges", "--json").stdout)

    assert "| prune | iterative | 3 | 2/3 | 0.400 ± 0.200 | – | – |" in shown
    assert "| all 1 of demo | iterative | 3 | 2/3 | 0.400 ± 0.200 | – | – |" in shown
    assert [row["task"] for row in told["runs"]] == ["prune", None]
    assert told["timelines"][0]["approaches"] is None, "nothing is archived here"


def test_logs_without_experiments_or_scores_on_the_way_say_so(tmp_path: Path) -> None:
    Run("react", [attempt("prune", "passed")]).write(tmp_path)

    assert "no experiment was attempted" in assay("report", tmp_path, "--table", "phases").stdout
    assert "there is no score over time" in assay("report", tmp_path, "--table", "challenges").stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("interval", "low", "told"),
    [
        ("wilson", 0.2065, "Wilson"),
        ("exact", 0.025, "exact: Clopper and Pearson"),
        ("bayes", 0.1466, "Bayesian: Jeffreys’ prior"),
    ],
)
def test_every_interval_is_asked_for_the_same_way(
    tmp_path: Path, interval: str, low: float, told: str
) -> None:
    Run("react", [attempt("prune", "passed")]).write(tmp_path)
    Run("other", [attempt("prune", "failed")]).write(tmp_path)
    options = ("--interval", interval)

    card = json.loads(assay("report", tmp_path, "--json", *options).stdout)
    assert card["agents"][1]["suites"][0]["low"] == pytest.approx(low, abs=0.001)
    assert told in assay("report", tmp_path, *options, "--html", tmp_path / "report.html").stdout
    assert f"in this report: {told}" in (tmp_path / "report.html").read_text()
    pair = json.loads(assay("compare", tmp_path, "--agents", "react,other", "--json", *options).stdout)[
        "comparisons"
    ][0]
    assert pair["first"]["rate"]["low"] == pytest.approx(low, abs=0.001)
    assert assay("failures", tmp_path, "--json", *options).exit_code == 0


def test_items_say_what_each_task_tells_and_choose_a_small_split(tmp_path: Path) -> None:
    tasks = ("spectral-1", "spectral-2", "label-noise")
    strong, weak = ("passed", "passed", "failed"), ("passed", "failed", "failed")
    for agent, outcomes in (("strong", strong), ("weak", weak)):
        samples = [attempt(task, outcome) for task, outcome in zip(tasks, outcomes, strict=True)]
        Run(agent, samples, model="m").write(tmp_path)
    Run("oracle", [attempt(task, "passed") for task in tasks]).write(tmp_path)

    shape = json.loads(assay("report", tmp_path, "--table", "items", "--lite", "2", "--json").stdout)
    flags = {row["task"]: row["flags"] for row in shape["tasks"]}
    assert flags == {"spectral-1": ["all pass"], "spectral-2": [], "label-noise": ["all fail"]}
    assert shape["lite"] == ["spectral-2", "label-noise"], (
        "the one that tells most, and one of the other kind"
    )
    rates = {row["task"]: (row["rate"]["passed"], row["rate"]["attempts"]) for row in shape["tasks"]}
    assert rates["spectral-2"] == (1, 2), "the oracle does not count"

    words = assay("report", tmp_path, "--table", "items", "--lite", "2").stdout
    assert "1 of 3 scored tasks have a pass rate from 5% to 95%; 2 have flags." in words
    assert 'lite = ["spectral-2", "label-noise"]' in words
    rows = list(
        csv.DictReader(io.StringIO(assay("report", tmp_path, "--table", "items", "--format", "csv").stdout))
    )
    assert [row["flags"] for row in rows] == ["all pass", "", "all fail"]


@pytest.mark.parametrize("kind", ["[/bold]", "[red]new[/red]", "\x1b[2Jnew"])
def test_a_kind_that_looks_like_markup_is_printed_as_text(tmp_path: Path, kind: str) -> None:
    sample = attempt("label-noise", "passed")
    sample.metadata["assay"]["kind"] = kind
    Run("iterative", [sample], model="m").write(tmp_path)
    printed = assay("report", tmp_path)
    assert printed.exit_code == 0
    assert kind.replace("\x1b", r"\x1b") in printed.stdout
