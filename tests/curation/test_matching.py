"""Numbers of tables are linked to outputs by value, name and structure, and not by chance."""

from __future__ import annotations

import random

import pytest

from assay.curation.commands import FoundCommand
from assay.curation.evidence import EvidencePlace
from assay.curation.injected.output_numbers import numbers_of, values_at
from assay.curation.paper.markdown import read_markdown
from assay.curation.running import CommandRuns, RunNumber, RunsStage
from assay.curation.table_links import match_numbers

PLACE = EvidencePlace(kind="code", file="run.py")


def runs_of(*texts: str, source: str = "stdout") -> RunsStage:
    """A command of which each run wrote one of these texts."""
    tables = [numbers_of(source, text) for text in texts]
    numbers = []
    for position, number in enumerate(tables[0]):
        fields = {name: value for name, value in number.items() if name != "value"}
        numbers.append(RunNumber(**fields, values=[table[position]["value"] for table in tables]))
    command = FoundCommand(
        id="01-run", command="python run.py", origin="script", place=PLACE, script="run.py"
    )
    return RunsStage(commands=[CommandRuns(command=command, runs=len(texts), numbers=numbers)])


def _linked(table: str, runs: RunsStage) -> dict[tuple[str, str], float]:
    stage = match_numbers(read_markdown(table, "paper.md"), {}, runs)
    return {(link.row_label, link.column_label): link.number.values[0] for link in stage.links}


def test_a_column_is_linked_to_the_same_line_of_an_output() -> None:
    table = "| order | R2 |\n|---|---|\n| 0 | 0.9998 |\n| 1 | 0.9731 |\n| 2 | 0.9112 |\n"
    runs = runs_of("Order 0: R2 = 0.99981 (3 s)\nOrder 1: R2 = 0.97309 (4 s)\nOrder 2: R2 = 0.91120 (3 s)\n")
    assert _linked(table, runs) == {
        ("order 0", "R2"): 0.99981,
        ("order 1", "R2"): 0.97309,
        ("order 2", "R2"): 0.9112,
    }


def test_equal_values_are_told_apart_by_the_names_of_their_rows() -> None:
    table = "| method | loss |\n|---|---|\n| adam | 0.250 |\n| sgd | 0.250 |\n| rmsprop | 0.313 |\n"
    runs = runs_of(
        '{"sgd": {"loss": 0.2501}, "adam": {"loss": 0.2499}, "rmsprop": {"loss": 0.3131}}', source="r.json"
    )
    assert _linked(table, runs) == {
        ("adam", "loss"): 0.2499,
        ("sgd", "loss"): 0.2501,
        ("rmsprop", "loss"): 0.3131,
    }


MATRIX = """| property | Bedrock | LangSmith | Vertex | MCP |
|---|---|---|---|---|
| inputs | F | F | P | F |
| complete pct | 85.7 | 71.4 | 85.7 | 71.4 |
"""


@pytest.mark.parametrize(
    "printed",
    [
        MATRIX,
        "property      MCP   Vertex   LangSmith  Bedrock\ncomplete pct  71.4   85.7     71.4     85.7\n",
        "   MCP   Vertex   LangSmith  Bedrock\ncomplete pct  71.4   85.7     71.4     85.7\n",
    ],
)
def test_equal_values_of_one_row_are_linked_by_the_heading_of_their_column(printed: str) -> None:
    stage = match_numbers(read_markdown(MATRIX, "paper.md"), {}, runs_of(printed))
    names = {link.column_label: link.number.name for link in stage.links}
    assert names == {name: f"complete pct {name}" for name in ("Bedrock", "LangSmith", "Vertex", "MCP")}


def test_a_line_without_headings_that_repeats_a_row_is_linked_in_its_order() -> None:
    stage = match_numbers(
        read_markdown(MATRIX, "paper.md"), {}, runs_of("complete pct: 85.7 71.4 85.7 71.4\n")
    )
    assert [link.number.position for link in stage.links] == [0, 1, 2, 3]


def test_equal_values_that_no_name_tells_apart_are_not_linked() -> None:
    runs = runs_of('{"first": {"a": 85.71, "b": 71.43, "c": 85.71, "d": 71.43}}', source="r.json")
    assert _linked(MATRIX, runs) == {}


def test_an_output_is_linked_with_one_cell_only() -> None:
    table = "| property | left | right |\n|---|---|---|\n| loss | 0.8571 | 0.8571 |\n"
    assert _linked(table, runs_of("loss right 0.8571\n")) == {("loss", "right"): 0.8571}
    assert _linked(table, runs_of("something 0.8571\n")) == {}


def test_an_equal_number_elsewhere_is_no_link_if_the_named_output_differs() -> None:
    table = "| method | loss |\n|---|---|\n| adam | 0.8571 |\n"
    assert _linked(table, runs_of("threshold 0.8571\n")) == {("adam", "loss"): 0.8571}
    assert _linked(table, runs_of("threshold 0.8571\nadam loss: 0.9012\n")) == {}


def test_a_share_is_linked_to_its_percentage_within_the_noise_of_runs() -> None:
    table = "| tier | accuracy |\n|---|---|\n| easy | 93.4% |\n| hard | 77.5% |\n"
    texts = [
        f"easy accuracy {easy}\nhard accuracy {hard}\n"
        for easy, hard in ((0.93, 0.77), (0.94, 0.78), (0.933, 0.776))
    ]
    assert set(_linked(table, runs_of(*texts))) == {("easy", "accuracy"), ("hard", "accuracy")}


def test_numbers_that_agree_by_chance_are_not_linked() -> None:
    generator = random.Random(0)
    table = "| a | b |\n|---|---|\n" + "".join(
        f"| x{row} | 0.{generator.randint(10, 99)} |\n" for row in range(6)
    )
    noise = "".join(f"step {generator.randint(1, 9)} value {generator.random():.4f}\n" for _ in range(800))
    assert _linked(table, runs_of(noise)) == {}


def test_three_numbers_among_thousands_are_not_linked() -> None:
    generator = random.Random(1)
    rows = "".join(f"case{number},{generator.uniform(-1, 1):.4f}\n" for number in range(1500))
    values = [float(line.split(",")[1]) for line in rows.splitlines()[::400]]
    table = "| a | b |\n|---|---|\n" + "".join(
        f"| x{at} | {value:.3f} |\n" for at, value in enumerate(values)
    )
    assert _linked(table, runs_of(f"name,score\n{rows}", source="ledger.csv")) == {}
    exact = "| a | b |\n|---|---|\n| x | 0.12345678 |\n"
    assert _linked(exact, runs_of(f"name,score\n{rows}case,0.12345678\n", source="ledger.csv"))


def test_a_number_that_a_program_repeats_from_the_paper_is_no_output() -> None:
    table = "| threads | speedup |\n|---|---|\n| 2 | 1.855 |\n| 3 | 2.407 |\n| 4 | 2.681 |\n"
    lines = "".join(
        f"ok t={threads} speedup  computed={speedup}  paper={speedup}\n"
        for threads, speedup in ((2, 1.855), (3, 2.407), (4, 2.681))
    )
    stage = match_numbers(read_markdown(table, "paper.md"), {}, runs_of(lines))
    assert [link.number.name for link in stage.links] == ["speedup computed="] * 3


def test_round_numbers_alone_link_nothing() -> None:
    table = "| tier | accuracy |\n|---|---|\n| easy | 100% |\n| hard | 100% |\n"
    assert _linked(table, runs_of("easy 100\nhard 100\n")) == {}


def test_an_address_finds_its_number_in_a_longer_output() -> None:
    first = numbers_of("stdout", "loss of a: 0.51 after 3 s\nloss of a: 0.42 after 3 s\n")[2]
    later = "warming up 1\nloss of a: 0.61 after 9 s\nnoise 7\nloss of a: 0.52 after 9 s\n"
    assert values_at([first], {"stdout": later}) == [0.52]
