"""What `--json` prints can be read again, whatever a submission put into it."""

from __future__ import annotations

import json

import pytest

from assay.cli.options import print_json


def test_half_a_character_is_printed_as_an_escape(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"call": "f('\ud800', 'é')"}
    print_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert "\\ud800" in printed
    assert "é" in printed
