"""assay judge-eval, and a judge given to run and grade."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Command


def test_a_judge_is_measured_without_a_key(assay: Command) -> None:
    said = assay("judge-eval", "--repeats", 1, "--limit", 12, "--readings", 0, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    assert (found["model"], found["repeats"], len(found["rows"])) == ("assay/scripted-judge", 1, 12)
    everything = found["phases"][-1]
    assert (everything["phase"], everything["agreed"]["of"]) == ("all", 12)
    assert {"kappa", "kappa_low", "kappa_high", "false_passes", "false_fails", "unknown"} <= set(everything)
    assert found["judging"]["calls"] == 12
    plain = assay("judge-eval", "--repeats", 1, "--limit", 12, "--readings", 9).out
    assert "blind" in plain
    assert "passes" in plain
    assert "instruction-to-judge" in plain


def test_bad_input_is_one_clear_line(assay: Command, tmp_path: Path) -> None:
    said = assay("judge-eval", "--judge-model", "nobody/x")
    assert (said.code, said.err.count("error:")) == (2, 1)
    (tmp_path / "set.jsonl").write_text('{"id": 3}\n')
    assert "no set of labelled items" in assay("judge-eval", "--labelled", tmp_path / "set.jsonl").err
    said = assay(
        "run", "demo", "--judge-model", "nobody/x", "--agent", "idle", "--limit", 1, "--logs", tmp_path
    )
    assert (said.code, "there is no provider 'nobody' (of model 'nobody/x')" in said.err) == (2, True)
