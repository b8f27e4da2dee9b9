"""Faithful: no markup hides a number, no grid proves one, and honest sentences pass."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grading import Verdict
from assay.rules.cited import cited_numbers
from assay.rules.conclusion import grade_conclusion
from assay.rules.plain_text import plain_text
from assay.rules.remade import Numbers, is_grid
from assay.tasks import Conclusion

STATEMENT = Conclusion.model_validate(
    {"claim": [{"id": "outcome", "question": "Which wins?", "kind": "statement", "answer": "A wins."}]}
)
RESULTS = {"a": 0.8137, "b": 0.6421}
MARKUP = [
    *("**{}**", "*{}*", "`{}`", "${}$", "\\textbf{{{}}}", "$\\mathbf{{{}}}$", '"{}"', "“{}”", "‘{}’"),
    *(
        "<b>{}</b>",
        "__{}__",
        "~{}",
        "({})",
        "[{}]",
        "|{}|",
        "€{}",
        "**`{}`**",
        "\u200b{}\u200b",
        "={}",
        "≈{}",
    ),
    *("–{}", "{}.", "{},", "{};", "$\\approx {}\\,$", "&nbsp;{}"),
]


def faithful(text: str, results: object = RESULTS) -> Verdict:
    handed_in = json.dumps({"summary": text, "claims": {"outcome": text}}).encode()
    return grade_conclusion(STATEMENT, handed_in, results)[-1]


@given(st.sampled_from(MARKUP), st.sampled_from(["{} and more", "It is {} here", "{}", "A:{}"]))
def test_no_markup_hides_an_invented_number_or_spoils_a_true_one(markup: str, around: str) -> None:
    for number, status in (("93.4", "unknown"), ("0.814", "met")):
        text = around.replace("{}", markup.format(number))
        assert faithful(text).status == status, text


@pytest.mark.parametrize(
    "text",
    [
        "A reaches ninety-three point four.",
        "A reaches ninety-three percent.",
        "A is twice as accurate as B.",
        "The error is half the error of B.",
        "A reaches 9**3**.4.",
        "A reaches 93\u200b.4.",
        "A reaches ９３.４.",
        "A is 12.7x faster.",
        "A shows a 17-fold gain.",
        "The error of A is 40 times lower.",
        "A is 7 times as accurate as B.",
        "It lies between 93.1–95.2.",
        "p = `0.003`.",
        "A converges in 37 epochs.",
        "See Table 93.4 for A.",
        "With 93.4% accuracy at the 95% level.",
        "A labels 917 images correctly.",
        "A labels 81 images, the median 134 images.",
        "A won 88 runs.",
        "A gets 917 cases right.",
        "A got a reward of 2013 against 1950.",
        "A scored 1997 and B 0.64.",
        "A gives a 917-point gain.",
        "A gives a 5-point gain.",
    ],
)
def test_an_invented_number_is_found_however_it_is_written(text: str) -> None:
    assert faithful(text).status != "met", [each.text for each in cited_numbers(text)]


GRIDS: list[object] = [
    {"bins": [number / 10 for number in range(1001)]},
    {f"k{number}": number / 10 for number in range(1001)},
    {f"part {part}": [part * 4 + number / 10 for number in range(40)] for part in range(26)},
    {"a": 1.0, "rows": [[number / 10, 1] for number in range(1001)]},
]


@pytest.mark.parametrize("results", GRIDS)
def test_a_grid_of_numbers_proves_none(results: object) -> None:
    assert faithful("A reaches 93.4 and B 71.2.", results).status == "unknown"


def test_numbers_so_dense_that_any_is_found_leave_it_open() -> None:
    crowd = {f"run {run}": [(run * 37 + number * 11) % 997 / 10 for number in range(30)] for run in range(40)}
    assert faithful("A reaches 63.4 and B 71.2.", crowd).status == "unknown"


def test_a_long_curve_is_known_by_its_ends_and_means() -> None:
    curve = [1 / (step + 1.37) for step in range(1000)]
    results = {"loss": curve, "final": 0.8137}
    assert faithful("The loss falls from 0.73 to 0.0010, and ends at 0.814.", results).status == "met"
    assert faithful("The loss is 0.1234 somewhere.", results).status == "unknown"


def test_a_table_of_results_is_known_cell_by_cell() -> None:
    table = {
        f"model {row}": {
            f"set {column}": 0.5 + ((row * 7919 + column * 104729) % 4999) / 1e4 for column in range(6)
        }
        for row in range(8)
    }
    cell = table["model 3"]["set 4"]
    assert faithful(f"Model A reaches {cell:.4f}.", table).status == "met"
    assert faithful("Model A reaches 0.12345.", table).status == "unknown"


@given(st.lists(st.floats(-1e3, 1e3), min_size=30, max_size=60, unique=True))
def test_measured_numbers_are_no_grid(numbers: list[float]) -> None:
    jittered = [number + 0.37 * (place % 7) ** 1.5 for place, number in enumerate(numbers)]
    assert not is_grid(jittered) or is_grid(numbers)


@pytest.mark.parametrize("part", [8, pytest.param(1, marks=pytest.mark.long)])
def test_long_texts_and_long_results_are_read_in_time(part: int) -> None:
    text = " ".join(f"{number}.{number % 97:02d}" for number in range(30_000 // part))
    hostile = [
        "**" * (90_000 // part),
        "<" * (100_000 // part),
        "nine " * (40_000 // part),
        "p" * (190_000 // part) + " 0.5",
        "1," * (90_000 // part),
        "* 1 " * (50_000 // part),
        text,
    ]
    results = {"all": [number * 0.37 for number in range(20_000 // part)]}
    began = time.process_time()
    for each in hostile:
        plain_text(each)
        cited_numbers(each)
        faithful(each, results)
    assert time.process_time() - began < 60 / part


@given(st.text(max_size=200))
def test_any_text_can_be_made_plain(text: str) -> None:
    assert isinstance(plain_text(text), str)
    Numbers({"a": text})
