"""What a new user meets in the first ten minutes: wrong words, wrong places, templates to begin from."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from assay.models.replies import call
from assay.models.scripted import ScriptedServer
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
        pytest.param("challenge", ["oracle", "honest-compiled-helper"], ["idle"], marks=pytest.mark.long),
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
@pytest.mark.parametrize("kind", ["masked", "experiment", "challenge"])
def test_a_new_task_is_sound(assay: Command, tmp_path: Path, kind: str) -> None:
    assay("new", kind, tmp_path / "mine")
    said = assay("certify", tmp_path / "mine", "--logs", tmp_path / "logs")
    assert said.code == 0, said.out
    assert "1 of 1 tasks are sound" in said.out


@pytest.fixture
def mixed_logs(tmp_path: Path) -> Path:
    """Logs of a measured agent that passes one of two tasks, of the oracle and of a cheat."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    Run("react", [attempt("prune", "failed"), attempt("spectral-1", "passed")], model="openai/x").write(
        folder
    )
    Run("oracle", [attempt("prune", "passed")]).write(folder)
    Run("cheat-clock", [attempt("prune", "failed")]).write(folder)
    return folder


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_agents_of_known_worth_are_folded_away_unless_all_are_wanted(
    assay: Command, mixed_logs: Path, format: str
) -> None:
    folded = assay("report", mixed_logs, "--format", format).out
    assert "oracle" not in folded
    assert "not shown: 1 calibrators, 1 cheats, all of which scored what they must" in folded
    whole = assay("report", mixed_logs, "--format", format, "--all").out
    assert "oracle" in whole
    assert "cheat-clock" in whole
    assert "not shown" not in whole


def test_an_agent_that_surprises_is_never_folded_away(assay: Command, mixed_logs: Path) -> None:
    Run("cheat-links", [attempt("prune", "passed")]).write(mixed_logs)
    assert "NOT AS EXPECTED: cheat-links must never pass" in assay("report", mixed_logs).out


@pytest.mark.parametrize(("wanted", "code"), [("0.5", 0), ("0.6", 3)])
def test_a_rate_below_the_wanted_one_is_exit_code_three(
    assay: Command, mixed_logs: Path, wanted: str, code: int
) -> None:
    said = assay("report", mixed_logs, "--fail-under", wanted)
    assert said.code == code
    assert ("react (openai/x) on demo: 1 of 2 passed" in said.err) == (code == 3)


def test_a_wanted_rate_without_a_measured_agent_is_refused(assay: Command, tmp_path: Path) -> None:
    Run("oracle", [attempt("prune", "passed")]).write(tmp_path)
    check_one_clear_error(assay("report", tmp_path, "--fail-under", "0.5"), "no measured agent")


def test_the_end_of_a_run_says_why_attempts_failed_and_what_to_do_next(
    assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assay("new", "masked", tmp_path / "mine")
    with ScriptedServer([call("submit", answer="done")]) as server:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)
        words = ["--model", "openai-api/scripted/any", "--turns", "1", "--logs", tmp_path / "logs"]
        said = assay("run", tmp_path / "mine", *words, "--fail-under", "0.5")
    assert said.code == 3
    assert "why 1 attempts did not pass (the first unmet item of each):" in said.out
    assert "     1  " in said.out
    assert f"assay report {tmp_path / 'logs'} --html report.html" in said.out
