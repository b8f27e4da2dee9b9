"""Runs every command of README and docs as it is written; `scripts/docs-commands` starts it.

Each page has a folder of its own, in which its commands run in order. A scripted model answers over HTTP in
place of OpenAI's. What cannot run in CI is listed in not_run.txt.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.models.scripted import ScriptedServer
from tests.docs.markdown_blocks import read_blocks
from tests.docs.pages import PAGES, ROOT
from tests.docs.reader import Reader, break_everything, reader_environment
from tests.docs.warm_assay import warm_assay


def _pages_to_run() -> list[Path]:
    """Pages with a block to run, those with the most commands first."""
    blocks = {page: [block for block in read_blocks(page) if block.is_run] for page in PAGES}
    return sorted((page for page in PAGES if blocks[page]), key=lambda page: -len(blocks[page]))


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """A reader after the first tutorials, with services that stay for all pages."""
    folder = tmp_path_factory.mktemp("reader")
    services = tmp_path_factory.mktemp("services")
    with (
        ScriptedServer(break_everything) as model,
        warm_assay(services, reader_environment()) as environment,
    ):
        openai = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "none"}
        reader = Reader(folder, environment, openai)
        reader.prepare()
        yield reader


@pytest.mark.parametrize("page", _pages_to_run(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_run_as_written(page: Path, prepared: Reader, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    shutil.copytree(prepared.folder, folder)
    Reader(folder, prepared.environment, prepared.model).follow(page)
