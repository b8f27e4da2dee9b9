"""Numbers of tables are linked to outputs by value, name and structure, and not by chance."""

from __future__ import annotations

import random

from assay.curation.commands import FoundCommand
from assay.curation.evidence import EvidencePlace
from assay.curation.injected.output_numbers import numbers_of, values_at
from assay.curation.matching import match_numbers
from assay.curation.paper.markdown import read_markdown
from assay.curation.running import CommandRuns, RunNumber, RunsStage

PLACE = EvidencePlace(kind="code", file="run.py")


def runs_of(*texts: str, source: str = "stdout") -> RunsStage:
    """A command of which each run wrote one of these texts."""
    tables = [numbers_of(source, text) for text in texts]
    numbers = []
    for position, number in enumerate(tables[0]):
        fields = {name: number[name] for name in ("source", "key", "occurrence", "position", "text", "label")}
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


def test_round_numbers_alone_link_nothing() -> None:
    table = "| tier | accuracy |\n|---|---|\n| easy | 100% |\n| hard | 100% |\n"
    assert _linked(table, runs_of("easy 100\nhard 100\n")) == {}


def test_an_address_finds_its_number_in_a_longer_output() -> None:
    first = numbers_of("stdout", "loss of a: 0.51 after 3 s\nloss of a: 0.42 after 3 s\n")[2]
    later = "warming up 1\nloss of a: 0.61 after 9 s\nnoise 7\nloss of a: 0.52 after 9 s\n"
    assert values_at([first], {"stdout": later}) == [0.52]
