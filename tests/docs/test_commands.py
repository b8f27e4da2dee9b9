"""Every command of README and docs has a form that exists; `scripts/docs-commands` runs them as written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.command_form import form_errors, inline_errors
from tests.docs.markdown_blocks import LANGUAGES, inline_commands, read_blocks
from tests.docs.not_run import NOT_RUN, listing
from tests.docs.pages import PAGES, ROOT

KNOWN_MARK = re.compile(r"scripted model|model server|serves|exit [1-9]\d*")
pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@pages
def test_each_block_says_its_language_and_why_it_is_not_run(page: Path) -> None:
    for block in read_blocks(page):
        assert block.language in LANGUAGES, f"{block.place}: the fence names no language of {LANGUAGES}"
        if block.marker.startswith("not run"):
            assert re.match(r"not run: \w+", block.marker), f"{block.place}: say why it is not run"
        if not block.is_shell:
            hidden = [line for line in block.body.splitlines() if re.match(r"\$ |assay [a-z]", line)]
            assert not hidden, f"{block.place}: a command in no shell block"


@pages
def test_each_command_has_a_form_that_exists(page: Path) -> None:
    shell = [block for block in read_blocks(page) if block.is_shell and not block.is_run]
    errors = [
        f"{block.place}: {error}" for block in shell for line in block.commands for error in form_errors(line)
    ]
    steps = [line for block in read_blocks(page) if block.language == "yaml" for line in _steps(block.body)]
    errors += [f"{page.name}: {error}" for line in steps for error in form_errors(line)]
    errors += [error for command in inline_commands(page) for error in inline_errors(command)]
    assert not errors, "\n".join(errors)


def _steps(workflow: str) -> list[str]:
    """The commands of a workflow of GitHub Actions."""
    return re.findall(r"^ *(?:- )?run: (.+)$", workflow, re.MULTILINE)


def test_what_is_not_run_is_listed() -> None:
    """A block that is not run is seen in a change of one file, with its reason."""
    assert NOT_RUN.read_text() == listing(PAGES), "python -m tests.docs.not_run > tests/docs/not_run.txt"


@pages
def test_markers_are_known(page: Path) -> None:
    for block in read_blocks(page):
        if block.is_shell and block.marker and not block.marker.startswith("not run: "):
            marks = [mark for mark in block.marker.split(", ") if not KNOWN_MARK.fullmatch(mark)]
            assert not marks, f"{block.place}: unknown markers {marks}"
