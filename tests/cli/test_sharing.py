"""assay compare, plan, bundle and verify as a user calls them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from tests.cli.conftest import Command
from tests.synthetic_logs import write_demo


def test_compare_in_every_form(assay: Command, tmp_path: Path) -> None:
    logs = write_demo(tmp_path)

    table = assay("compare", logs, "--agents", "agentless,react")
    found = json.loads(assay("compare", logs, "--agents", "agentless, react", "--json").out)
    markdown = assay("compare", logs, logs, "--agents", "react", "--format", "markdown").out

    assert table.code == 0
    assert "second: react (openai/gpt-5-mini)" in table.out
    assert found["comparisons"][0]["rows"][0]["second_better"] == 4
    assert "| all | 8/12 | 50% → 50% | 0 [" in markdown
    wrong = assay("compare", logs, "--agents", "nobody,react")
    assert (wrong.code, wrong.err.splitlines()[0]) == (2, "error: agent 'nobody' is not in the logs")


def test_plan_says_what_a_run_takes(assay: Command, tmp_path: Path) -> None:
    assay("new", "masked", tmp_path / "mine")
    words = ("plan", tmp_path / "mine", "--model", "openai/x", "--attempts", "3")

    said = assay(*words, "--price", "1,2")
    found = json.loads(assay(*words, "--json").out)

    assert said.code == 0
    for word in ("tokens", "money   $", "time", "disk", "GPUs    none", "power", "basis"):
        assert word in said.out
    assert "no difference at all can be seen" in said.out
    assert (found["tasks"], found["attempts"], found["dollars"]) == (1, 3, None)
    assert assay(*words, "--price", "cheap").code == 2
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "damaged.eval").write_text("no log")
    assert assay(*words, "--like", tmp_path / "logs").code == 2


def test_a_bundle_verifies_until_it_is_changed(assay: Command, tmp_path: Path) -> None:
    logs = write_demo(tmp_path / "logs")
    made = json.loads(assay("bundle", logs, "--out", tmp_path / "x.zip", "--json").out)

    said = assay("verify", tmp_path / "x.zip", "--sha256", made["sha256"])
    with zipfile.ZipFile(tmp_path / "x.zip", "a") as archive:
        archive.writestr("more.txt", "more")
    after = assay("verify", tmp_path / "x.zip", "--json")

    assert said.code == 0
    assert "nothing was changed" in said.out
    assert after.code == 1
    found = json.loads(after.out)
    assert found["sound"] is False
    assert [change["path"] for change in found["changed"]] == ["more.txt"]
