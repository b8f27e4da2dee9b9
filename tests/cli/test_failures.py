"""assay failures, as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command
from tests.synthetic_logs import write_demo


def test_failures_are_told_and_their_map_is_kept(assay: Command, tmp_path: Path) -> None:
    logs = write_demo(tmp_path / "logs")
    mapping = tmp_path / "types.json"

    said = assay("failures", logs, "--mapping", mapping)

    assert said.code == 0
    assert "43 of 48 attempts of 2 agents did not pass." in said.out
    assert "the sandbox failed" in " ".join(said.out.split())
    assert "whose fault, by insight: agent 39, sandbox 4." in said.out
    kept = json.loads(mapping.read_text())
    assert {each["type"] for each in kept["assignments"].values()} >= {"sandbox"}


def test_a_model_that_cannot_be_made_is_one_clear_line(assay: Command, tmp_path: Path) -> None:
    said = assay("failures", write_demo(tmp_path / "logs"), "--model", "nope")
    assert said.code == 2
    assert said.err.startswith("error: the model 'nope' cannot be used: ")


def test_failures_as_json_have_the_documented_names(assay: Command, tmp_path: Path) -> None:
    table = json.loads(assay("failures", write_demo(tmp_path / "logs"), "--json").out)

    assert set(table) == {"insights", "prevalence", "sources", "map", "failed", "attempts", "agents"}
    assert {"quote", "type", "by", "fault", "because", "log", "sample"} <= set(table["insights"][0])


def test_the_figures_of_the_report_are_printed_as_json(assay: Command, tmp_path: Path) -> None:
    table = json.loads(assay("report", write_demo(tmp_path / "logs"), "--figures").out)

    named = {"curves", "one_pass", "first_runs", "ladders", "phases", "timelines", "published"}
    assert set(table) == named
    react = next(row for row in table["curves"] if row["agent"] == "react")
    assert {n: rate["attempts"] for n, rate in react["points"].items()} == {"1": 3, "2": 2, "3": 1}
