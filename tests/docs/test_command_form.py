"""The check of a command's form notices what a reader would stumble over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.command_form import form_errors, inline_errors
from tests.docs.markdown_blocks import inline_commands, read_blocks


@pytest.mark.parametrize(
    "line",
    [
        "assay run demo --model openai/gpt-5 --epochs 3 --max-cost 20   # a key is set",
        "export KEY=x; assay env build ./repo --smoke 'python -m unittest' && make test",
        "ASSAY_ENGINE=docker assay report no-such-folder --interval exact",
        "pip install 'assay[local]'",
        "scripts/gpu-check",
    ],
)
def test_a_command_that_exists_has_no_error(line: str) -> None:
    assert form_errors(line) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("assay evaluate demo", "evaluate"),
        ("assay run demo --max-money 20", "--max-money"),
        ("assay run demo --epochs many", "many"),
        ("assay report logs --interval widest", "widest"),
        ("assay mask repository --run 'python run.py'", "--out"),
        ("assay suites demo && make everything", "everything"),
        ("pip install 'assay[everything]'", "everything"),
        ("scripts/no-such-script", "no-such-script"),
        ("frobnicate logs", "frobnicate"),
        ("assay run 'demo", "quotation"),
    ],
)
def test_a_command_that_does_not_exist_is_named(line: str, word: str) -> None:
    assert word in " ".join(form_errors(line))


def test_a_command_in_running_text_needs_no_arguments_but_real_options() -> None:
    assert inline_errors("assay run … --judge-model none") == []
    assert inline_errors("assay VERB --help") == []
    assert "--judge" in inline_errors("assay run --judge none")[0]
    assert "frobnicate" in inline_errors("assay frobnicate")[0]


def test_blocks_are_read_with_their_markers_commands_and_output(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Use `assay doctor`.\n\n"
        "<!-- not run: needs a key -->\n```bash\nassay run demo \\\n  --limit 1\n```\n\n"
        "```console\n$ assay doctor\nok  engine\n…\n```\n"
    )
    keyed, printed = read_blocks(page)
    assert (keyed.is_run, keyed.commands) == (False, ["assay run demo    --limit 1"])
    assert (printed.is_run, printed.commands, printed.output) == (True, ["assay doctor"], ["ok  engine"])
    assert inline_commands(page) == ["assay doctor"]
