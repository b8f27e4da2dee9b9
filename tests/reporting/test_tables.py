from __future__ import annotations

import csv as csv_reader
import io
import json as json_reader
from pathlib import Path

import pytest
from rich.console import Console

from assay.reporting import csv, json, markdown, terminal
from assay.reporting.tables import csv_cell
from assay.reporting.wording import percent, rate_text, time_text, tokens_text
from assay.scoring import Scorecard, make_rate, read_record, scorecard
from tests.synthetic_logs import Run, attempt, write_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Scorecard:
    return scorecard(read_record(write_demo(tmp_path_factory.mktemp("logs"))))


def _printed(card: Scorecard, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), no_color=True)
    console.print(terminal(card))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_rate_is_said_with_its_counts_and_interval() -> None:
    assert rate_text(make_rate(11, 12)) == "11/12 92% [65, 99]"
    assert rate_text(make_rate(6, 10, {"model": 1, "sandbox": 2})) == (
        "6/10 60% [31, 83] (3 unknown: model 1, sandbox 2)"
    )
    assert rate_text(make_rate(0, 0)) == "–"


def test_percents_say_none_and_all_only_when_it_is_so() -> None:
    shares = [0.0, 0.001, 0.5, 0.999, 1.0, None]

    assert [percent(share) for share in shares] == ["0", "<1", "50", ">99", "100", "–"]


def test_spending_is_said_in_words() -> None:
    assert [tokens_text(tokens) for tokens in (0, 2560, 31_400, 1_260_000)] == [
        "0",
        "2,560",
        "31.4k",
        "1.26M",
    ]
    assert [time_text(seconds) for seconds in (2.5, 41.5, 498.0, 7500.0)] == [
        "2.5 s",
        "42 s",
        "8 min 18 s",
        "2 h 05 min",
    ]


def test_a_wide_terminal_has_a_cell_on_one_line(demo: Scorecard) -> None:
    printed = _printed(demo, 140)

    assert "12/12 100% [76, 100]" in printed
    assert "(4 unknown: sandbox 4)" in printed
    assert "11 of 12 tasks are certified" in printed
    assert "NOT AS EXPECTED" not in printed


def test_a_narrow_terminal_still_holds_every_number(demo: Scorecard) -> None:
    printed = _printed(demo, 80)

    assert max(map(len, printed.splitlines())) <= 80
    for text in ("cheat-forged-lines", "12/12 100%", "[76, 100]", "(4 unknown)", "openai/gpt-5-mini"):
        assert text in printed


def test_repeated_attempts_and_papers_are_said_with_their_denominators(demo: Scorecard) -> None:
    printed = _printed(demo, 200)

    assert "agentless (local/smollm2) on demo, clustered by paper (12): 1/36 3% [0, " in printed
    assert "pass@3 8%, pass^3 0% (over 12 tasks)" in printed
    assert "oracle on demo, clustered" not in printed


def test_surprises_and_findings_are_printed(tmp_path: Path) -> None:
    Run("cheat-clock", [attempt("prune", "passed")], status="started").write(tmp_path)

    printed = _printed(scorecard(read_record(tmp_path)), 140)

    assert "NOT AS EXPECTED: cheat-clock must never pass: 1/1 100%" in printed
    assert "the run did not end (started)" in printed


def test_markdown_keeps_hostile_names_in_their_cells(tmp_path: Path) -> None:
    Run("a|b\n<script>", [attempt("prune", "passed")]).write(tmp_path, "log")

    table = markdown(scorecard(read_record(tmp_path)))

    row = table.splitlines()[2]
    assert r"a\|b\\n&lt;script>" in row
    assert "1/1 100% [21, 100]" in row


def test_csv_has_plain_numbers_for_each_kind(demo: Scorecard) -> None:
    rows = list(csv_reader.DictReader(io.StringIO(csv(demo))))

    whole = next(row for row in rows if (row["agent"], row["kind"]) == ("react", "all"))
    assert (whole["attempts"], whole["scored"], whole["passed"], whole["missing"]) == (
        "12",
        "8",
        "4",
        "sandbox=4",
    )
    assert float(whole["rate"]) == 4 / 12
    assert {row["kind"] for row in rows} == {"all", "masked", "experiment", "challenge"}


def test_json_is_the_scorecard(demo: Scorecard) -> None:
    assert json_reader.loads(json(demo)) == demo.to_json()


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@x", "=cmd|' /C calc'!A0"])
def test_no_cell_of_a_csv_begins_as_a_formula(tmp_path: Path, name: str) -> None:
    Run(name, [attempt("prune", "passed")], suite="=suite").write(tmp_path, "log")
    rows = list(csv_reader.reader(io.StringIO(csv(scorecard(read_record(tmp_path))))))
    assert rows[1][0] == f"'{name}"
    assert not [cell for row in rows for cell in row if cell[:1] in tuple("=+@\t")]


def test_numbers_below_zero_stay_numbers() -> None:
    assert [csv_cell(value) for value in (-1.5, -2, "react", None, "a=b")] == [-1.5, -2, "react", None, "a=b"]
