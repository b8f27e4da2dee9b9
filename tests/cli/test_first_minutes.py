"""What a new user meets in the first ten minutes: wrong words, wrong places, templates to begin from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Said
from tests.synthetic_logs import Run, attempt


def check_one_clear_error(said: Said, expected: str) -> None:
    assert said.code == 2, said.err
    lines = said.err.strip().splitlines()
    assert "Traceback" not in said.err
    assert [line for line in lines if line.startswith("error: ") and expected in line], said.err


@pytest.mark.parametrize(
    "words",
    [
        ["new", "masked", "FILE/mine"],
        ["new", "masked", "/proc/mine"],
        ["export", "harbor", "demo", "FILE/out", "--task", "selection-bias"],
        ["run", "demo", "--agent", "idle", "--task", "selection-bias", "--logs", "FILE/logs"],
        ["run", "demo", "--agent", "idle", "--task", "selection-bias", "--logs", "/proc/logs"],
        ["demo", "--out", "FILE/runs"],
        ["certify", "demo", "--task", "selection-bias", "--logs", "FILE/logs"],
        ["report", "LOGS", "--html", "FILE/report.html"],
        ["bundle", "LOGS", "--out", "FILE/run.zip"],
    ],
    ids=lambda words: " ".join(words),
)
def test_a_place_that_cannot_be_written_is_one_clear_line(
    assay: Command, tmp_path: Path, words: list[str]
) -> None:
    (tmp_path / "file").write_text("not a folder")
    logs = tmp_path / "logs"
    logs.mkdir()
    Run("react", [attempt("prune", "passed")]).write(logs)
    places = {"FILE": str(tmp_path / "file"), "LOGS": str(logs)}
    given = [
        places.get(word.partition("/")[0], "") + word.removeprefix("FILE").removeprefix("LOGS")
        if word.startswith(("FILE", "LOGS"))
        else word
        for word in words
    ]
    check_one_clear_error(assay(*given), "/proc" if "/proc" in " ".join(words) else "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_one_clear_line(assay: Command, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        check_one_clear_error(assay("new", "masked", tmp_path / "mine"), "permission")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("verb", ["report", "failures", "grade", "bundle", "compare"])
@pytest.mark.parametrize("kind", ["text", "damaged", "empty folder"])
def test_what_holds_no_log_is_refused(assay: Command, tmp_path: Path, verb: str, kind: str) -> None:
    place = tmp_path / {"text": "notes.txt", "damaged": "run.eval", "empty folder": "nothing"}[kind]
    if kind == "empty folder":
        place.mkdir()
    else:
        place.write_text("no log")
    check_one_clear_error(assay(verb, place), place.name)


def test_a_report_without_words_reads_the_folder_logs(
    assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_one_clear_error(assay("report"), "logs does not exist")
    Path("logs").mkdir()
    Run("react", [attempt("prune", "passed")]).write(Path("logs"))
    said = assay("report", "--json")
    assert said.code == 0
    assert json.loads(said.out)["agents"][0]["agent"] == "react"


def test_an_unknown_agent_gets_the_three_nearest_names(assay: Command) -> None:
    said = assay("run", "demo", "--agent", "raect")
    check_one_clear_error(said, "there is no agent 'raect'")
    named = said.err.splitlines()[0].partition("nearest names are ")[2].split(", ")
    assert len(named) == 3
    assert "react" in named
    assert "`assay agents`" in said.err


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("experiment", ["oracle"], ["idle", "cheat-fixed-seed"]),
        ("challenge", ["oracle", "honest-compiled-helper"], ["idle"]),
    ],
)
def test_a_new_task_tells_right_from_wrong(
    assay: Command, tmp_path: Path, kind: str, right: list[str], wrong: list[str]
) -> None:
    assay("new", kind, tmp_path / "mine")
    agents = [word for agent in (*right, *wrong) for word in ("--agent", agent)]
    said = assay("run", tmp_path / "mine", *agents, "--logs", tmp_path / "logs", "--json")
    passed = {row["agent"]: row["suites"][0]["passed"] for row in json.loads(said.out)["agents"]}
    assert passed == dict.fromkeys(right, 1) | dict.fromkeys(wrong, 0)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["experiment", "challenge"])
def test_a_new_task_is_sound(assay: Command, tmp_path: Path, kind: str) -> None:
    assay("new", kind, tmp_path / "mine")
    said = assay("certify", tmp_path / "mine", "--logs", tmp_path / "logs")
    assert said.code == 0, said.out
    assert "1 of 1 tasks are sound" in said.out
