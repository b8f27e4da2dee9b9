"""`assay curate` on a made-up paper with its code: from the files to a task that grading accepts."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.certification.proof import noise
from assay.cli import app
from assay.curation import CurationOptions, CurationResult, curate
from assay.curation.drafting.noise import tolerance
from assay.curation.drafting.rendering import render_task, scripts_of, workspace_of
from assay.curation.repository_files import open_pinned
from assay.errors import CurationRefused, UsageError
from assay.grading.grader import grade_now
from assay.tasks import Task
from assay.tasks.validation import validate
from assay.workspace import Submission
from tests.curation.made_up import MORE, write_paper, write_repository


def _options(folder: Path, **changes: object) -> CurationOptions:
    values: dict[str, object] = {
        "paper": folder / "paper",
        "repository": str(folder / "robust-means"),
        "out": folder / "out",
        "seconds": 30.0,
        "last_stage": "drafts",
    }
    return CurationOptions(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("curated")
    write_repository(folder)
    write_paper(folder)
    return folder


@pytest.fixture(scope="module")
def curated(source: Path) -> CurationResult:
    return curate(_options(source))


@pytest.fixture(scope="module")
def task(curated: CurationResult, source: Path) -> Task:
    assert curated.drafts is not None
    assert curated.lock is not None
    (draft,) = curated.drafts.tasks
    with open_pinned(str(source / "robust-means"), None) as repository:
        files = repository.files
    return validate(render_task(draft, workspace_of(draft, files), scripts_of(draft, files), curated.lock))


def test_every_number_of_the_table_is_linked_and_what_fails_is_recorded(curated: CurationResult) -> None:
    assert curated.runs is not None
    assert curated.links is not None
    outcomes = {entry.command.script: entry.failure for entry in curated.runs.commands}
    assert outcomes == {"experiment.py": None, "broken_script.py": "missing file or data"}
    tables = [(table.document, table.linked, table.cells) for table in curated.links.tables]
    # The paper's sentences state five settings, which no run prints.
    assert tables == [("paper", 3, 3), ("README.md", 3, 3), ("paper", 0, 5)]
    assert [table.in_sentences for table in curated.links.tables] == [False, False, True]
    assert {link.number.values[0] == link.number.values[1] for link in curated.links.links} == {True}


def test_a_draft_has_evidence_for_every_field_and_no_result_in_its_texts(curated: CurationResult) -> None:
    assert curated.drafts is not None
    (draft,) = curated.drafts.tasks
    assert list(draft.gaps()) == []
    assert draft.seeded
    assert set(draft.varied) == {"SHARE"}
    constants = {entry.name: entry for entry in draft.design if entry.role == "constant"}
    assert constants["SHARE"].values == [0.08]
    assert [place.kind for place in constants["SHARE"].evidence] == ["code", "run"]
    assert {entry.id for entry in draft.requirements} >= {"table", "calls-contaminated"}
    assert any(claim.claim.answer == "lower" for claim in draft.claims)
    assert all(metric.evidence for metric in draft.metrics)
    texts = f"{draft.title.value} {draft.question.value} {draft.method.value}"
    assert "lowest" not in texts
    assert not any(metric.printed in texts for metric in draft.metrics)
    assert any("lowest" in cut for cut in draft.method.cuts)


def test_the_workspace_shows_neither_the_experiment_nor_its_numbers(
    task: Task, curated: CurationResult
) -> None:
    assert curated.drafts is not None
    assert set(task.workspace) == {"estimators.py", "broken_script.py", "README.md", "LICENSE"}
    printed = [metric.printed.encode() for metric in curated.drafts.tasks[0].metrics]
    assert not any(number in data for number in printed for data in task.workspace.values())


def test_the_solution_passes_and_one_that_ignores_its_settings_fails(task: Task) -> None:
    assert {"wrong-share", "ignores-settings", "swapped-methods", "missing-condition"} <= set(task.broken)
    grade = grade_now(task, Submission(task.gold_files))
    assert grade.passed, grade.caught_by
    wrong = grade_now(task, Submission({**task.gold_files, **task.broken["ignores-settings"]}))
    assert wrong.passed is False
    assert wrong.caught_by is not None
    assert wrong.caught_by.item.startswith("result.other-settings")


def test_a_noisy_other_setting_does_not_widen_the_tolerance_of_the_plain_run(task: Task) -> None:
    for metric in task.assay.metrics:
        plain = task.gold["default"][metric.name]
        assert metric.absolute == pytest.approx(tolerance(plain, len(task.assay.metrics)))
    (steady,) = noise(with_gold(task, {"default": 1.0, "other-settings": 40.0})).values()
    assert steady.holds, steady.evidence
    (noisy,) = noise(with_gold(task, {"default": 40.0, "other-settings": 1.0})).values()
    assert not noisy.holds


def with_gold(task: Task, factors: Mapping[str, float]) -> Task:
    """The task with the gold numbers of each run multiplied."""
    gold = {
        run: {name: [value * factors[run] for value in values] for name, values in numbers.items()}
        for run, numbers in task.gold.items()
    }
    fields = {name: getattr(task, name) for name in Task.model_fields}
    return Task(**fields | {"tests": {**task.tests, "results.json": json.dumps(gold).encode()}})


def test_a_literature_task_is_certified(tmp_path: Path) -> None:
    """Cheats that hide their work behind a condition passed it: it has no program that runs the condition."""
    write_repository(tmp_path)
    write_paper(tmp_path, more=MORE)
    command = [
        "curate",
        str(tmp_path / "paper"),
        str(tmp_path / "robust-means"),
        "--out",
        str(tmp_path / "out"),
    ]
    said = CliRunner().invoke(app, [*command, "--literature", "--until", "paper"])
    assert said.exit_code == 0, said.output
    assert "robust-means-literature: certified" in said.output


def test_the_command_prints_what_came_through_each_stage(curated: CurationResult, source: Path) -> None:
    command = ["curate", str(source / "paper"), str(source / "robust-means"), "--out", str(source / "out")]
    options = ["--seconds", "30", "--until", "links"]
    printed = CliRunner().invoke(app, [*command, *options, "--json"])
    summary = json.loads(printed.stdout)
    assert (summary["commands_with_numbers"], summary["linked"], summary["numbers"]) == (1, 6, 6)
    assert summary["drafts"] is None
    listed = CliRunner().invoke(app, [*command, *options])
    words = "links      6 of 6 numbers of tables and 0 of 5 numbers of sentences come out again"
    assert words in listed.stdout


def test_a_second_call_runs_nothing_and_a_changed_paper_keeps_the_runs(
    curated: CurationResult, source: Path, tmp_path: Path
) -> None:
    shutil.copytree(source, tmp_path / "copy")
    lines: list[str] = []
    curate(_options(tmp_path / "copy", report=lines.append))
    assert sum("unchanged inputs, kept" in line for line in lines) == 6
    table = tmp_path / "copy" / "paper" / "errors.tex"
    table.write_text(table.read_text().replace("averaged over samples", "by estimator"))
    lines.clear()
    result = curate(_options(tmp_path / "copy", report=lines.append, last_stage="links"))
    kept = [line.partition(":")[0] for line in lines if "unchanged inputs, kept" in line]
    assert kept == ["3-environment.json", "4-runs.json"]
    assert result.paper.tables[0].caption == "Absolute error of three estimators, by estimator."


def test_a_persons_change_is_kept_and_what_depends_on_it_is_made_again(
    curated: CurationResult, source: Path, tmp_path: Path
) -> None:
    shutil.copytree(source, tmp_path / "copy")
    file = tmp_path / "copy" / "out" / "6-drafts.json"
    document = json.loads(file.read_text())
    document["tasks"][0]["method"]["value"] = ""
    file.write_text(json.dumps(document))
    lines: list[str] = []
    result = curate(_options(tmp_path / "copy", report=lines.append, last_stage="publish"))
    assert "6-drafts.json: unchanged inputs, kept (changed by a person)" in lines
    assert result.published is not None
    assert result.published.tasks == []
    todo = (tmp_path / "copy" / "out" / "TODO.md").read_text()
    assert "`tasks[0]` (robust-means-tab-errors) method: write it" in todo
    table = tmp_path / "copy" / "paper" / "errors.tex"
    table.write_text(table.read_text().replace("averaged over samples", "by estimator"))
    curate(_options(tmp_path / "copy"))
    edited = json.loads((tmp_path / "copy" / "out" / "6-drafts.edited-1.json").read_text())
    assert edited == document


def test_a_bad_stage_file_is_one_clear_message(curated: CurationResult, source: Path, tmp_path: Path) -> None:
    shutil.copytree(source, tmp_path / "copy")
    file = tmp_path / "copy" / "out" / "5-links.json"
    file.write_text('{"tables": 3, "links": []}')
    with pytest.raises(UsageError, match=r"5-links\.json \[tables\]"):
        curate(_options(tmp_path / "copy"))


@pytest.fixture
def own_source(tmp_path: Path) -> Path:
    write_repository(tmp_path)
    write_paper(tmp_path)
    return tmp_path


def test_an_unlicensed_repository_is_refused_and_what_was_found_is_kept(own_source: Path) -> None:
    (own_source / "robust-means" / "LICENSE").unlink()
    with pytest.raises(CurationRefused, match="it has no licence"):
        curate(_options(own_source))
    selected = json.loads((own_source / "out" / "1-select.json").read_text())
    assert selected["paper_numbers"] == 3
    assert curate(_options(own_source, licence="MIT", last_stage="paper")).selected.refusal == ""


def test_a_paper_without_numbers_is_refused(own_source: Path) -> None:
    main = own_source / "paper" / "main.tex"
    main.write_text(re.sub(r"\d", "", main.read_text()))
    (own_source / "paper" / "errors.tex").write_text("No table.\n")
    (own_source / "robust-means" / "README.md").write_text("# Words\n")
    with pytest.raises(CurationRefused, match="states a number, in a table or in a sentence"):
        curate(_options(own_source))


def test_a_bad_paper_is_refused_before_anything_is_made(own_source: Path) -> None:
    with pytest.raises(UsageError, match="no LaTeX file"):
        curate(_options(own_source, paper=own_source / "robust-means"))
    assert not (own_source / "out").exists()


def test_a_repository_that_does_not_run_is_refused_with_the_kinds_of_failure(own_source: Path) -> None:
    script = own_source / "robust-means" / "experiment.py"
    script.write_text("raise SystemExit('nothing today')\nprint(1)\n")
    with pytest.raises(CurationRefused) as caught:
        curate(_options(own_source))
    assert "`python experiment.py`: error" in caught.value.message
    runs = json.loads((own_source / "out" / "4-runs.json").read_text())
    assert {entry["failure"] for entry in runs["commands"]} == {"error", "missing file or data"}


def _stop_in_second_command(folder: Path, end: signal.Signals) -> tuple[int, str]:
    """Start a curation, stop it in its second, endless run, and return its exit code and its last words."""
    command = [sys.executable, "-m", "assay", "curate", str(folder / "paper")]
    command += [str(folder / "robust-means"), "--out", str(folder / "out"), "--seconds", "30"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "numbers in 3 runs" in line:
                process.send_signal(end)
                break
        _, last_words = process.communicate(timeout=120)
    return process.returncode, last_words


@pytest.mark.parametrize(
    ("end", "expected_code"),
    [(signal.SIGINT, 130), pytest.param(signal.SIGKILL, -signal.SIGKILL, marks=pytest.mark.long)],
)
def test_a_curation_that_is_stopped_loses_only_the_run_under_way(
    own_source: Path, end: signal.Signals, expected_code: int
) -> None:
    script = own_source / "robust-means" / "broken_script.py"
    script.write_text("import time\nif __name__ == '__main__':\n    time.sleep(600)\n")
    code, last_words = _stop_in_second_command(own_source, end)
    assert code == expected_code
    assert "Traceback" not in last_words
    (kept,) = (own_source / "out" / "runs").glob("01-experiment-*/2/run.json")
    made = kept.stat().st_mtime_ns
    result = curate(_options(own_source, commands=1, last_stage="links"))
    assert result.runs is not None
    assert result.runs.commands[0].runs == 3
    assert kept.stat().st_mtime_ns == made


@pytest.mark.long
def test_the_task_is_certified_and_published_with_a_data_card(own_source: Path) -> None:
    result = curate(_options(own_source, last_stage="publish"))
    assert result.certificates is not None
    assert [(entry.task, entry.sound) for entry in result.certificates.tasks] == [
        ("robust-means-tab-errors", True)
    ]
    card = (own_source / "out" / "suite" / "README.md").read_text()
    assert "| licence of the code | MIT (LICENSE) |" in card
