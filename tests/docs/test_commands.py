"""Every command of README and docs works: cheap ones run as written, the others have a checked form."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli import main
from assay.models.scripted import ScriptedServer, call
from tests.docs.command_form import form_errors, inline_errors
from tests.docs.markdown_blocks import LANGUAGES, Block, inline_commands, read_blocks

ROOT = Path(__file__).parents[2]
HISTORY = (ROOT / "docs" / "log.md",)
"""What was measured, with the commands of that day."""
PAGES = [
    page
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if page not in HISTORY
]
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@pages
def test_each_block_says_its_language_and_why_it_is_not_run(page: Path) -> None:
    for block in read_blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: the fence names no language of {LANGUAGES}"
        if block.marker.startswith("not run"):
            assert re.match(r"not run: \w+", block.marker), f"{block.place}: say why it is not run"
        if not block.is_shell:
            hidden = [line for line in block.body.splitlines() if re.match(r"\$ |assay [a-z]", line)]
            assert block.language == "text" or not hidden, f"{block.place}: a command in no shell block"


@pages
def test_each_command_has_a_form_that_exists(page: Path) -> None:
    shell = [block for block in read_blocks(page) if block.is_shell and not block.is_run]
    errors = [
        f"{block.place}: {error}" for block in shell for line in block.commands for error in form_errors(line)
    ]
    errors += [error for command in inline_commands(page) for error in inline_errors(command)]
    assert not errors, "\n".join(errors)


FIRST = ROOT / "docs" / "tutorials" / "first-run.md"
"""The page that `make test` runs, in the process of the test. In `make test-long` a shell runs every page:
each command is then a new process that imports Inspect for seconds."""


MY_AGENT = """
from inspect_ai.agent import Agent, agent, react


@agent
def my_agent() -> Agent:
    return react(prompt="Work in /workspace until the task is done.")
"""


def _pages_to_run() -> list[Path]:
    """Pages with a block to run; a page runs as a whole."""
    return [page for page in PAGES if any(block.is_run for block in read_blocks(page))]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a reader has it after the tutorials: a task, logs of two agents, an agent in a file."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "my_agent.py").write_text(MY_AGENT)
    _shell("assay new masked my-task", folder)
    _shell("assay run my-task --agent oracle --agent idle --logs logs", folder)
    return folder


def test_the_commands_of_the_first_tutorial_run_in_this_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    blocks = [block for block in read_blocks(FIRST) if block.is_run]
    assert len(blocks) >= 5
    for block in blocks:
        assert not block.is_long, "this page must stay short"
        printed = "".join(_call(line, monkeypatch, block.place) for line in block.commands)
        _check_output(block, printed)


def _call(line: str, monkeypatch: pytest.MonkeyPatch, place: str) -> str:
    """What a command of Assay prints; a line that needs a shell is refused."""
    words = shlex.split(line)
    assert words[0] == "assay", f"{place}: {line!r} is no command of Assay"
    assert not set(line) & set("|&;<>$`"), f"{place}: {line!r} needs a shell"
    monkeypatch.setattr(sys, "argv", words)
    printed, code = io.StringIO(), None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            main()
        except SystemExit as end:
            code = end.code
    assert not code, f"{place}: exit {code}\n{line}\n{printed.getvalue()}"
    return printed.getvalue()


@pytest.mark.long
@pytest.mark.parametrize("page", _pages_to_run(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_each_page_run_as_written(page: Path, prepared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(prepared, folder)
    _run_page(page, folder)


def _run_page(page: Path, folder: Path) -> None:
    """Run the blocks in order in one folder, as a reader would; a model that is asked submits at once."""
    with ScriptedServer(lambda messages: call("submit", answer="done")) as service:
        openai = {"OPENAI_BASE_URL": service.base_url, "OPENAI_API_KEY": "none"}
        for block in read_blocks(page):
            if block.is_run:
                script = f"unset {' '.join(openai)}\n{block.script}"
                if block.needs_model:
                    script = f"{_exports(openai)}\n{block.script}"
                printed = _shell(script, folder, place=block.place)
                _check_output(block, printed)


def _exports(variables: dict[str, str]) -> str:
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items())


def _shell(script: str, folder: Path, *, place: str = "") -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    process = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.returncode == 0, f"{place}: exit {process.returncode}\n{script}\n{process.stdout}"
    return process.stdout


def _check_output(block: Block, printed: str) -> None:
    """Each line of output that the page shows is printed, whatever its numbers and spaces."""
    real = [_shape(line) for line in printed.splitlines()]
    for line in block.output:
        head = _shape(line.partition("…")[0])
        assert any(candidate.startswith(head) for candidate in real), (
            f"{block.place}: the page shows {line!r}, and the command prints:\n{printed}"
        )


def _shape(line: str) -> str:
    return re.sub(r"\d+(?:[.,]\d+)*", "#", " ".join(line.split()))
