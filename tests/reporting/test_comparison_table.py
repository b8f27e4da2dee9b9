from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from assay.reporting.comparison_table import (
    ComparisonTable,
    comparison_json,
    comparison_markdown,
    p_text,
    points,
)
from assay.scoring import Comparisons, PValue, compare
from tests.synthetic_logs import Run, attempt, write_demo


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Comparisons:
    return compare(write_demo(tmp_path_factory.mktemp("logs")), agents=["agentless", "react"])


def _printed(comparisons: Comparisons, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), no_color=True, highlight=False)
    console.print(ComparisonTable(comparisons))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_wide_terminal_has_a_row_on_one_line(demo: Comparisons) -> None:
    printed = _printed(demo, 120)

    assert "first: agentless (local/smollm2), second: react (openai/gpt-5-mini)" in printed
    assert any("all" in line and "8/12" in line and "4% → 50%" in line for line in printed.splitlines())
    assert "second: 4 of 12 attempts are unscored (sandbox 4)" in printed
    assert "4 common tasks left out as unscored" in printed


def test_a_narrow_terminal_cuts_no_number(demo: Comparisons) -> None:
    printed = _printed(demo, 80)

    assert max(map(len, printed.splitlines())) <= 80
    for text in ("4% → 50%", "+46", "experiment", "difference", "(1.00)"):
        assert text in printed


def test_scores_of_challenges_stand_in_a_column_or_below(demo: Comparisons) -> None:
    line = "0.970 → 0.970 (1)"

    assert f"score: {line}, swap p (Holm) 1.00 (1.00)" in _printed(demo, 110)
    assert any("challenge" in row and line in row for row in _printed(demo, 170).splitlines())
    assert "| score | swap p (Holm) |" in comparison_markdown(demo)


def test_markdown_has_the_same_rows(demo: Comparisons) -> None:
    lines = comparison_markdown(demo).splitlines()

    assert lines[2].startswith("| kind | tasks | first → second | difference |")
    kinds = [line.split(" | ")[0] for line in lines[4:8]]
    assert kinds == ["| all", "| masked", "| experiment", "| challenge"]


def test_json_is_the_whole_comparison(demo: Comparisons) -> None:
    assert json.loads(comparison_json(demo)) == demo.model_dump(mode="json")


def test_what_only_one_tried_and_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    Run("plain", [attempt("prune", "error"), attempt("spectral-1", "passed")]).write(tmp_path)
    Run("clever", [attempt("prune", "passed")]).write(tmp_path)

    printed = _printed(compare(tmp_path, agents=["plain", "clever"]), 160)

    assert "only the first tried: 1 task: demo/spectral-1" in printed
    assert "no task has a scored attempt of both" in printed


def test_points_and_p_values_in_words() -> None:
    assert [points(value) for value in (0.124, -0.3, 0.0, 0.001, None)] == ["+12", "−30", "0", "0", "–"]
    assert p_text(PValue(p=0.0004, holm=0.0421, fdr=0.03)) == "<0.001 (0.042)"
    assert p_text(None) == "–"
