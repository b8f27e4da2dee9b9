"""Recorded agents: hand-ins are archived, graded again, and always shown as recorded."""

from __future__ import annotations

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import assay as public
from assay.agents import find_agent
from assay.agents.recordings import SHIPPED, Recording, read_hand_in, read_recording, write_recording
from assay.cli.demo import recorded_attempts
from assay.errors import UsageError
from assay.scoring import Attempt, read_attempts
from tests.cli.conftest import Command, assay

__all__ = ["assay"]

FACTS: dict[str, Any] = {
    "name": "careful",
    "date": "2026-11-16",
    "kind": "a person with a text editor",
    "isolation": "it saw the workspace only",
}
RIGHT = "def scale(value):\n    return 3.0 * value\n"
WRONG = "def scale(value):\n    return value\n"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Two masked tasks."""
    for name in ("first", "second"):
        public.new("masked", tmp_path / "suite" / name)
    return tmp_path / "suite"


@pytest.fixture
def recording(suite: Path, tmp_path: Path) -> Path:
    """One right and one wrong attempt at `first`, none at `second`."""
    for number, code in ((1, RIGHT), (2, WRONG)):
        folder = tmp_path / "hand-ins" / "first" / str(number)
        folder.mkdir(parents=True)
        (folder / "method.py").write_text(code)
        (folder / "run.py").write_bytes((suite / "first/environment/workspace/run.py").read_bytes())
    public.record(tmp_path / "hand-ins", tmp_path / "recording", suite=suite, **FACTS)
    return tmp_path / "recording"


def by_attempt(logs: Path) -> dict[tuple[str, int], Attempt]:
    return {(attempt.task, attempt.epoch): attempt for attempt in read_attempts(logs)}


def test_recorded_files_are_graded_live_and_labelled(
    assay: Command, suite: Path, recording: Path, tmp_path: Path
) -> None:
    made = read_recording(recording)
    assert [(hand_in.task, hand_in.attempt, hand_in.files) for hand_in in made.hand_in] == [
        ("first", 1, "first"),
        ("first", 2, "first.2"),
    ]
    assert not (recording / "first" / "run.py").exists(), "an unchanged file is no part of a hand-in"

    run = assay(
        "run", suite, "--agent", f"replay:{recording}", "--epochs", 3, "--logs", tmp_path / "logs", "--json"
    )
    assert run.code == 0, run.err
    assert "has nothing to hand in for 1 of 2 tasks" in run.err
    (card,) = json.loads(run.out)["agents"]
    assert (card["agent"], card["recorded"]) == ("careful[recorded=2026-11-16]", "2026-11-16")
    assert (card["suites"][0]["passed"], card["suites"][0]["attempts"]) == (1, 2)
    attempts = by_attempt(tmp_path / "logs")
    assert {key: attempt.passed for key, attempt in attempts.items()} == {
        ("first", 1): True,
        ("first", 2): False,
    }
    assert attempts["first", 1].seconds is None, "how long the agent worked is unknown, not the replay's time"
    table = assay("report", tmp_path / "logs", "--html", tmp_path / "report.html").out
    assert "Recorded 2026-11-16, graded now: a person with a text editor; model unknown" in " ".join(
        table.split()
    )
    page = " ".join((tmp_path / "report.html").read_text().split())
    assert "<b>careful[recorded=2026-11-16]</b> is a recorded agent: no agent worked in this run." in page


def test_a_task_that_changed_since_is_missing_and_says_why(
    assay: Command, suite: Path, recording: Path, tmp_path: Path
) -> None:
    (suite / "first" / "instruction.md").open("a").write("\nBe quick.\n")
    run = assay(
        "run", suite / "first", "--agent", f"replay:{recording}", "--logs", tmp_path / "logs", "--json"
    )
    assert run.code == 1
    (card,) = json.loads(run.out)["agents"]
    assert card["suites"][0]["missing"] == {"task": 1}
    attempt = by_attempt(tmp_path / "logs")["first", 1]
    assert (attempt.passed, attempt.owner) == (None, "task")
    assert "changed since its hand-in was recorded" in (attempt.error or "")


def test_the_hand_ins_of_a_run_become_a_recording(assay: Command, suite: Path, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    public.run(suite / "first", agent=["oracle", "idle"], logs=logs, progress=False, preflight=False)
    refused = assay("record", logs, "--out", tmp_path / "recording")
    assert refused.code == 2
    assert "has 2 agents to choose from" in refused.err
    done = assay("record", logs, "--agent", "oracle", "--out", tmp_path / "recording")
    assert done.code == 0, done.err
    assert "1 hand-ins for 1 tasks" in done.out
    made = read_recording(tmp_path / "recording")
    assert made.name == "oracle"
    assert made.hand_in[0].seconds is not None
    assert "sandbox" in made.isolation
    results = public.run(
        suite / "first",
        agent=f"replay:{tmp_path / 'recording'}",
        logs=tmp_path / "again",
        progress=False,
        preflight=False,
    )
    (attempt,) = results
    assert (attempt.passed, attempt.role) == (True, "agent")
    assert attempt.seconds == made.hand_in[0].seconds


def test_a_replay_hands_in_the_same_folders_and_links(suite: Path, tmp_path: Path) -> None:
    script = "mkdir -p logs/run links; ln -s /dev/null links/null; cp /bin/true tool; rm run.py; mkdir run.py"
    how: dict[str, Any] = {"progress": False, "preflight": False}
    (live,) = public.run(suite / "first", agent=f"command:{script}", logs=tmp_path / "logs", **how)
    made = public.record(tmp_path / "logs", tmp_path / "recording", name="tidy")
    (hand_in,) = made.hand_in
    assert (hand_in.folders, hand_in.links) == (["links", "logs/run", "run.py"], {"links/null": "/dev/null"})
    assert read_recording(tmp_path / "recording") == made
    (again,) = public.run(
        suite / "first", agent=f"replay:{tmp_path / 'recording'}", logs=tmp_path / "again", **how
    )
    assert again.submission == live.submission


def test_a_recording_without_the_files_of_a_hand_in_is_refused(
    assay: Command, suite: Path, recording: Path, tmp_path: Path
) -> None:
    shutil.rmtree(recording / "first")
    said = assay("run", suite / "first", "--agent", f"replay:{recording}", "--logs", tmp_path / "logs")
    assert said.code == 2
    assert f"error: {recording / 'first'}: is missing, expected the files of a hand-in" in said.err
    assert not (tmp_path / "logs").exists()


def _alter(recording: Path) -> str:
    (recording / "first" / "method.py").write_text(WRONG)
    return "1 altered ('method.py')"


def _remove(recording: Path) -> str:
    (recording / "first" / "method.py").unlink()
    return "1 missing ('method.py')"


def _add(recording: Path) -> str:
    (recording / "first" / "helper.py").write_text(WRONG)
    return "1 additional ('helper.py')"


@pytest.mark.parametrize("change", [_alter, _remove, _add])
def test_a_recording_with_changed_files_is_refused(
    assay: Command, suite: Path, recording: Path, tmp_path: Path, change: Callable[[Path], str]
) -> None:
    expected = change(recording)
    said = assay("run", suite / "first", "--agent", f"replay:{recording}", "--logs", tmp_path / "logs")
    assert said.code == 2
    place = recording / "first"
    assert f"error: {place}: files are not those that were recorded: {expected}\n" in said.err
    assert not (tmp_path / "logs").exists()


def test_a_recording_of_an_earlier_version_has_no_digests_and_says_so(
    assay: Command, suite: Path, recording: Path, tmp_path: Path
) -> None:
    made = read_recording(recording)
    earlier = [hand_in.model_copy(update={"sha256": None}) for hand_in in made.hand_in]
    write_recording(recording, made.model_copy(update={"hand_in": earlier}))
    _alter(recording)
    run = assay("run", suite / "first", "--agent", f"replay:{recording}", "--logs", tmp_path / "logs")
    assert run.code == 0, run.err
    assert "2 of 2 recorded hand-ins have no digests: changed files would not be noticed" in run.err
    assert {attempt.passed for attempt in read_attempts(tmp_path / "logs")} == {False}


@pytest.mark.parametrize(
    ("option", "wrong", "expected"),
    [
        ("date", "yesterday", "the date of the recording cannot be used: expected a day such as 2026-11-16"),
        ("date", "2026-13-45", "found '2026-13-45'"),
        ("name", "a b/../c", "the name of the recording cannot be used"),
    ],
)
def test_a_wrong_fact_is_one_clear_line(
    assay: Command, suite: Path, tmp_path: Path, option: str, wrong: str, expected: str
) -> None:
    (tmp_path / "hand-ins").mkdir()
    facts = {**FACTS, option: wrong}
    options = [part for name, value in facts.items() for part in (f"--{name}", value)]
    said = assay("record", tmp_path / "hand-ins", "--suite", suite, "--out", tmp_path / "made", *options)
    assert said.code == 2
    assert expected in said.err
    assert said.err.endswith(f"hint: give another one with --{option}\n")
    assert not (tmp_path / "made").exists()


def test_a_recording_of_a_folder_keeps_its_empty_folders(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "hand-ins" / "first" / "logs" / "run").mkdir(parents=True)
    made = public.record(tmp_path / "hand-ins", tmp_path / "recording", suite=suite, **FACTS)
    assert [hand_in.folders for hand_in in made.hand_in] == [["logs/run"]]


def test_a_hand_in_may_be_a_tar_and_may_delete_files(suite: Path, recording: Path, tmp_path: Path) -> None:
    with tarfile.open(recording / "first.tar", "w") as tar:
        tar.add(recording / "first" / "method.py", "./method.py")
    shutil.rmtree(recording / "first")
    text = (recording / "record.toml").read_text()
    (recording / "record.toml").write_text(
        text.replace('files = "first"\n', 'files = "first.tar"\ndeleted = ["run.py"]\n')
    )
    (attempt,) = public.run(
        suite, agent=f"replay:{recording}", logs=tmp_path / "logs", progress=False, preflight=False
    )
    assert attempt.passed, "run.py is restored before grading"


@pytest.mark.parametrize("name", ["files", "files.tar"])
def test_files_behind_a_link_out_of_the_recording_are_refused(
    recording: Path, tmp_path: Path, name: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (recording / "first").rename(outside / "files")
    with tarfile.open(outside / "files.tar", "w") as tar:
        tar.add(outside / "files" / "method.py", "method.py")
    (recording / "work").symlink_to(outside)
    record = recording / "record.toml"
    record.write_text(record.read_text().replace('files = "first"\n', f'files = "work/{name}"\n'))
    with pytest.raises(UsageError, match=f"work/{name}' leads out of the recording through a link"):
        find_agent(f"replay:{recording}")


def test_the_demo_shows_a_recorded_agent_on_the_tasks_that_did_not_change(
    suite: Path, recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = str(recording)
    before = recorded_attempts(public.load_suite(suite), [name])
    assert [(attempt.agent, attempt.task) for attempt in before] == [(f"replay:{name}", "first")]
    (suite / "first" / "instruction.md").open("a").write("\nBe quick.\n")
    assert recorded_attempts(public.load_suite(suite), [name]) == []
    assert "careful[recorded=2026-11-16] is not shown on first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("2026-11-16", "yesterday"), "date"),
        (('isolation = "it saw the workspace only"', ""), "isolation"),
        (("attempt = 2", "attempt = 1"), "two hand-ins have the same task and attempt"),
        (('files = "first"', 'files = "../first"'), "is not a path inside"),
    ],
)
def test_a_record_that_leaves_a_question_open_is_refused(
    recording: Path, change: tuple[str, str], complaint: str
) -> None:
    record = recording / "record.toml"
    record.write_text(record.read_text().replace(*change))
    with pytest.raises(UsageError, match=complaint):
        find_agent(f"replay:{recording}")


def test_an_unknown_recording_names_those_that_ship() -> None:
    with pytest.raises(UsageError, match="there is no recording 'nobody'"):
        find_agent("replay:nobody")


def test_every_recording_that_ships_fits_its_suite() -> None:
    for path in sorted(SHIPPED.glob("*/data/_recorded/*/record.toml")):
        recorded = read_recording(path.parent)
        assert isinstance(recorded, Recording)
        name = path.parents[3].name
        suite = public.load_suite(f"{name}?split=all" if name == "frontier" else name)  # with drafts
        digests = {task.id: task.digest for task in suite.tasks}
        for hand_in in recorded.hand_in:
            assert hand_in.digest == digests[hand_in.task], f"{hand_in.task} changed: record it again"
            assert hand_in.sha256 is not None
            assert read_hand_in(path.parent, hand_in).files.keys() == hand_in.sha256.keys()
