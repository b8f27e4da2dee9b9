"""assay fetch, audit, suites and run on rows in AutoExperiment's shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.benchmarks.published_rows import write_own
from tests.cli.conftest import Command


@pytest.fixture
def fetched(assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache holds a small repository of our own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    assert "not here" in assay("suites").out
    said = assay("fetch", "autoexperiment", "--source", write_own(tmp_path / "repository"))
    assert said.code == 0, said.err
    assert "a plain folder without a commit" in said.out


@pytest.mark.usefixtures("fetched")
def test_from_rows_to_grades_by_both_rules(assay: Command, tmp_path: Path) -> None:
    said = assay("audit", "autoexperiment", "--json")
    assert said.err == "searching 2 files of 9901.00001 for copies of 3 functions\n"
    audit = json.loads(said.out)
    assert {"phantom", "duplicate", "lines"} <= {row["kind"] for row in audit["findings"]}

    manifest = tmp_path / "manifest.json"
    listed = assay("suites", "autoexperiment", "--n", "2", "--sample", "2", "--manifest", manifest, "--json")
    ids = [row["id"] for row in json.loads(listed.out)["tasks"]]
    drawn = json.loads(manifest.read_text())
    assert [row["id"] for row in drawn["tasks"]] == ids
    assert (drawn["seed"], drawn["sample"], drawn["algorithm"]) == (0, 2, "assay-dial-1")

    logs = tmp_path / "logs"
    words = (
        "--n",
        "2",
        "--sample",
        "2",
        "--seed",
        "0",
        "--agent",
        "oracle",
        "--agent",
        "idle",
        "--logs",
        logs,
    )
    said = assay("run", "autoexperiment", *words, "--json")
    assert said.code == 0, said.err
    rates = {row["agent"]: row["suites"][0] for row in json.loads(said.out)["agents"]}
    assert (rates["oracle"]["passed"], rates["oracle"]["attempts"]) == (2, 2)
    assert rates["idle"]["passed"] == 0

    again = tmp_path / "published"
    graded = json.loads(assay("grade", logs, "--out", again, "--tolerance", "published", "--json").out)
    assert {(row["agent"], row["after"]) for row in graded["attempts"]} == {("oracle", True), ("idle", False)}
    items = {each["item"] for row in graded["attempts"] for each in row["grade"]["verdicts"]}
    assert "result.default.Experiment 1" in items
    report = json.loads(assay("report", again, "--json").out)
    suites = {row["suite"] for agent in report["agents"] for row in agent["suites"]}
    assert suites == {"autoexperiment[tolerance=published]"}


@pytest.mark.usefixtures("fetched")
def test_one_task_by_its_id(assay: Command) -> None:
    shown = assay("show", "autoexperiment/9901.00001_0,2")
    assert shown.code == 0, shown.err
    assert "`First.step` in `method.py`" in shown.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("fetch", "demo"), "needs no fetching"),
        (("fetch", "autoexperiment", "--paper", "x"), "expected PAPER=FOLDER"),
        (("audit", "demo"), "no published rows"),
        (("run", "demo", "--n", "none"), "expected a number or a range"),
        (("run", "demo", "--tolerance", "lax"), "expected default or published"),
        (("run", "demo", "--agent", "oracle", "--agent-option", "memory=window"), "none of the agents"),
    ],
)
def test_what_cannot_be_is_one_clear_line(assay: Command, words: tuple[str, ...], complaint: str) -> None:
    said = assay(*words)
    assert said.code == 2
    assert complaint in said.err
    assert "hint:" in said.err or "expected" in said.err


def test_the_dial_on_the_demo_suite(assay: Command) -> None:
    listed = json.loads(assay("suites", "demo", "--n", "2", "--json").out)
    assert {row["n"] for row in listed["tasks"]} == {2}


def test_agents_are_listed_with_their_options(assay: Command) -> None:
    listed = {row["agent"]: row for row in json.loads(assay("agents", "--json").out)["agents"]}
    assert {"plan", "memory", "paper"} <= {option["option"] for option in listed["react"]["options"]}
    assert listed["oracle"]["options"] == []
    assert "memory=full|window|summary" in assay("agents").out
