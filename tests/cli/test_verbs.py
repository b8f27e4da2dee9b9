"""The verbs: documented shapes, and bad input in one clear line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from assay.benchmarks import load_suite
from assay.cli import app
from assay.evaluation.samples import make_sample
from assay.tasks import Task, load_task, save_task
from assay.workspace import with_checker_note
from tests.cli.conftest import Command
from tests.synthetic_logs import Run, attempt
from tests.tasks.examples import masked_task


def test_help_imports_nothing_heavy() -> None:
    heavy = ("inspect_ai", "numpy", "pydantic", "scipy")
    code = f"import sys, assay.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_verb(assay: Command) -> None:
    said = assay("--help")
    assert said.code == 0
    for verb in (
        "run",
        "grade",
        "report",
        "compare",
        "plan",
        "bundle",
        "verify",
        "certify",
        "mask",
        "suites",
        "show",
        "shell",
        "new",
        "models",
        "doctor",
        "view",
    ):
        assert f"  {verb}" in said.out


def test_the_version_is_that_of_the_package(assay: Command) -> None:
    said = assay("--version")
    assert (said.code, said.out) == (0, f"assay {version('assay')}\n")


def verbs(group: TyperGroup, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command line that names a verb, groups included."""
    for name, command in group.commands.items():
        yield (*words, name)
        if isinstance(command, TyperGroup):
            yield from verbs(command, (*words, name))


def test_every_verb_knows_the_short_help_option(assay: Command, capsys: pytest.CaptureFixture[str]) -> None:
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    found = list(verbs(group))
    assert len(found) > 25
    assert assay("run", "-h").out.startswith("Usage: assay run")
    for words in [(), *found]:
        # Without `assay`, which builds all verbs again for each call.
        assert group.main([*words, "-h"], prog_name="assay", standalone_mode=False) == 0
        assert capsys.readouterr().out.startswith(" ".join(["Usage: assay", *words])), words


@pytest.mark.parametrize(
    "shell", ["bash", *(pytest.param(name, marks=pytest.mark.long) for name in ("zsh", "fish"))]
)
def test_a_shell_completes_verbs_and_options(shell: str) -> None:
    program = "from assay.cli import main; import sys; sys.argv[0] = 'assay'; main()"
    words = {"COMP_WORDS": "assay cer", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "assay cer"}
    words["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    asking = {**os.environ, "_ASSAY_COMPLETE": f"complete_{shell}", **words}
    done = subprocess.run([sys.executable, "-c", program], env=asking, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "certify" in done.stdout
    assert "suites" not in done.stdout


def test_suites_spells_out_what_would_command_the_terminal(assay: Command, tmp_path: Path) -> None:
    assert assay("new", "masked", str(tmp_path / "odd")).code == 0
    settings = tmp_path / "odd" / "task.toml"
    lines = settings.read_text().splitlines()
    lines = [line for line in lines if not line.startswith("description")]
    place = lines.index("[task]") + 1
    settings.write_text(
        "\n".join([*lines[:place], 'description = "\\u001b[31mred \\u202e\\r"', *lines[place:]])
    )
    listed = assay("suites", str(tmp_path))
    assert listed.code == 0, listed.err
    assert "[31mred" in listed.out
    assert not {"\x1b", "\r", "\u202e"} & {*listed.out}


def test_suites_lists_the_demo_in_the_documented_shape(assay: Command) -> None:
    said = assay("suites", "demo", "--json")
    table = json.loads(said.out)
    assert table["suite"] == "demo"
    assert len(table["tasks"]) == 12
    assert {"id", "kind", "certified", "title", "n", "seconds", "gpus", "digest"} <= set(table["tasks"][0])
    kinds = [row["kind"] for row in table["tasks"]]
    assert [kinds.count(kind) for kind in ("masked", "experiment", "challenge")] == [6, 4, 2]
    assert sorted(row["n"] for row in table["tasks"] if row["n"]) == [1, 1, 1, 2, 2, 3]
    assert all(row["certified"] for row in table["tasks"])


def test_show_tells_what_is_asked_and_nothing_of_the_truth(assay: Command, tmp_path: Path) -> None:
    save_task(masked_task(), tmp_path / "toy")
    said = assay("show", tmp_path / "toy")
    assert "Fill in `scale`" in said.out
    assert "steps.py" in said.out
    assert "16.0" not in said.out + assay("show", tmp_path / "toy", "--json").out


@pytest.mark.parametrize("task", load_suite("demo").tasks, ids=lambda task: task.id)
@pytest.mark.parametrize("options", [(), ("--brief",), ("--json",)])
def test_no_form_of_show_prints_truth(assay: Command, task: Task, options: tuple[str, ...]) -> None:
    said = assay("show", f"demo/{task.id}", *options)
    assert said.code == 0
    given = "\n".join([with_checker_note(task).instruction, task.config.task.description, *task.workspace])
    assert task.certificate is not None
    evidence = [each.evidence for each in task.certificate.checks.values()]
    gold = [f"{number:.4g}" for runs in task.gold.values() for numbers in runs.values() for number in numbers]
    claims = task.conclusion.claim if task.conclusion else []
    checks = [name for name in task.certificate.checks if name not in given]
    for truth in [*evidence, *checks, *gold, *(claim.model_dump_json() for claim in claims)]:
        if len(truth) > 4 and truth not in given:
            assert truth not in said.out, truth


def test_show_prints_exactly_what_an_agent_gets(assay: Command) -> None:
    one_of_each_kind = {task.kind: task for task in load_suite("demo").tasks}
    assert len(one_of_each_kind) == 3
    for task in one_of_each_kind.values():
        sample = make_sample(task, "react", (1,), "local", view=with_checker_note(task))
        shown = assay("show", task.id)
        assert shown.out.startswith(str(sample.input).rstrip() + "\n\n— the workspace —\n")
        assert json.loads(assay("show", task.id, "--json").out)["instruction"] == sample.input
        assert ("check-submission" in shown.out) == (task.kind != "masked")
        assert "\ncertified" in shown.out
        assert len(assay("show", task.id, "--brief").out.splitlines()) <= 12


@pytest.mark.parametrize("kind", ["masked", "experiment", "challenge"])
def test_a_new_task_is_valid_and_bears_its_folders_name(assay: Command, tmp_path: Path, kind: str) -> None:
    assert assay("new", kind, tmp_path / "mine").code == 0
    task = load_task(tmp_path / "mine")
    assert (task.id, task.kind) == ("mine", kind)


def test_export_writes_folders_that_load_again(assay: Command, tmp_path: Path) -> None:
    assert assay("export", "harbor", "demo", tmp_path / "out").code == 0
    folders = sorted((tmp_path / "out").iterdir())
    assert len(folders) == 12
    for folder in folders:
        assert load_task(folder).workspace
        assert (folder / "environment" / "Dockerfile").is_file()
        assert (folder / "tests" / "test.sh").is_file()


@pytest.mark.parametrize(
    "part", ["task", "experiment", "design", "requirements", "conclusion", "certificate", "grade"]
)
def test_schemas_are_json_schemas(assay: Command, part: str) -> None:
    schema = json.loads(assay("schema", part).out)
    assert schema["type"] == "object"
    assert schema["properties"]


def test_the_schemas_of_a_submission_stand_by_file(assay: Command) -> None:
    schemas = json.loads(assay("schema", "submission").out)
    assert set(schemas) == {"design.json", "conclusion.json"}
    assert schemas["design.json"]["properties"]["constant"] == {"type": ["object", "array"]}


def test_doctor_says_what_holds_here(assay: Command) -> None:
    said = assay("doctor", "--json")
    checks = json.loads(said.out)["checks"]
    assert {"name", "state", "detail", "meaning", "fix"} <= set(checks[0])
    assert {check["state"] for check in checks} <= {"ok", "degraded", "missing"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "nosuch"], "'nosuch' is neither a suite nor a folder of tasks"),
        (["run", "demo", "--agent", "nobody"], "there is no agent 'nobody'"),
        (["run", "demo", "--task", "nothing"], "has no task 'nothing'"),
        (["run", "demo", "--price", "cheap"], "--price is 'cheap'"),
        (["run", "demo", "--price", "nan,1"], "--price is 'nan,1'"),
        (["run", "demo", "--price", "-5,1"], "--price is '-5,1'"),
        (["run", "demo", "--price", "1,inf"], "--price is '1,inf'"),
        (["run", "demo", "--agent", "idle", "--sandbox", "zzz"], "there is no sandbox 'zzz'"),
        (["run", "demo", "--agent", "idle", "--sandbox", "inspect_ai/local"], "there is no sandbox"),
        (["run", "demo", "--agent", "idle", "--sandbox", "local"], "the sandbox 'local' is no sandbox"),
        (["run", "demo", "--agent", "absent.py:mine"], "absent.py"),
        (["suites", "nosuch"], "neither a suite nor"),
        (["show", "nothing"], "there is no task 'nothing'"),
        (["report", "nowhere"], "nowhere does not exist"),
        (["grade", "nowhere"], "nowhere has no log"),
        (["view", "nowhere"], "nowhere is not a folder of logs"),
        (["models", "pull", "gpt-17"], "there is no local model 'gpt-17'"),
    ],
)
def test_bad_input_is_one_clear_line_and_code_two(
    assay: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said = assay(*words)
    assert said.code == 2
    assert said.err.startswith("error: ")
    assert expected in said.err
    assert len(said.err.strip().splitlines()) <= 2
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_text_is_one_clear_line(assay: Command, tmp_path: Path) -> None:
    path = tmp_path / "packages.txt"
    path.write_bytes(b"idna==3.10\n\xff\n")
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "steps.py").write_text("def step(value):\n    return value + 1\n")
    mask = [
        "mask",
        tmp_path / "code",
        "--run",
        "python -c 1",
        "--metrics",
        "a=b.json:c",
        "--requirements",
        path,
    ]
    for words in (["harvest", path], mask):
        said = assay(*words, "--out", tmp_path / "out")
        assert said.code == 2
        assert f"{path} is no text: byte 12 is not UTF-8" in said.err
        assert "Traceback" not in said.err


@pytest.mark.parametrize("option", ["--task", "--agent"])
def test_a_choice_of_no_attempt_is_not_graded_again(assay: Command, tmp_path: Path, option: str) -> None:
    logs = tmp_path / "logs"
    Run("oracle", [attempt("prune", "passed")], details={"source": "demo"}).write(logs)
    said = assay("grade", logs, option, "nosuch", "--out", tmp_path / "out")
    assert said.code == 2
    assert f"error: {logs} has no graded attempt of nosuch\n" in said.err


def test_a_port_beyond_the_last_is_refused(assay: Command, tmp_path: Path) -> None:
    assert assay("view", tmp_path, "--port", 99999).code == 2


def test_an_unknown_option_is_code_two(assay: Command) -> None:
    assert assay("run", "demo", "--faster").code == 2
