"""Numbers in sentences are read with their place, and linked to runs by value and by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.curation.linking import link_documents, links_in_words
from assay.curation.matching import LinksStage
from assay.curation.paper import read_paper
from assay.curation.paper.markdown import read_markdown
from assay.curation.paper.sentence_numbers import read_sentence_numbers, split_sentences
from tests.curation.test_matching import runs_of

WORDS = st.lists(
    st.sampled_from(["the", "error", "of", "our", "method", "is", "on", "average", "reaches", "accuracy"]),
    min_size=1,
    max_size=6,
).map(" ".join)
DECIMALS = st.integers(min_value=1, max_value=5)


@st.composite
def printed_numbers(draw: st.DrawFn) -> tuple[str, float, float]:
    """A number as papers print it, its value, and the step of its last digit."""
    decimals = draw(DECIMALS)
    whole = draw(st.integers(min_value=0, max_value=99_999))
    part = draw(st.integers(min_value=0, max_value=10**decimals - 1))
    grouped = draw(st.booleans())
    sign = draw(st.sampled_from(["", "-", "−", "+"]))
    power = draw(st.sampled_from([0, 0, 0, -7, 4]))
    text = f"{sign}{whole:,}" if grouped else f"{sign}{whole}"
    text += f".{part:0{decimals}d}"
    value = float(f"{whole}.{part:0{decimals}d}") * (-1 if sign in ("-", "−") else 1)
    if power:
        text += draw(st.sampled_from([f"e{power}", f" × 10^{power}", f"×10^{power}"]))
    return text, value * 10.0**power, 10.0 ** (power - decimals)


@given(before=WORDS, printed=printed_numbers(), percent=st.booleans(), after=WORDS)
def test_a_number_of_any_form_is_found_at_its_place(
    before: str, printed: tuple[str, float, float], percent: bool, after: str
) -> None:
    text, value, unit = printed
    sentence = f"{before} {text}{'%' if percent else ''}, {after}."
    (stated,) = read_sentence_numbers(sentence)
    assert sentence[stated.start : stated.end] == text == stated.number.text
    assert stated.number.value == pytest.approx(value)
    assert stated.number.unit == pytest.approx(unit)
    assert stated.number.percent == percent


@given(text=st.text(max_size=300))
def test_no_text_breaks_the_reader_and_every_number_is_where_it_says(text: str) -> None:
    for sentence in split_sentences(text):
        numbers = read_sentence_numbers(sentence)
        for stated in numbers:
            assert sentence[stated.start : stated.end] == stated.number.text
        ends = [0, *(stated.end for stated in numbers)]
        assert all(stated.start >= end for stated, end in zip(numbers, ends, strict=False))


@given(parts=st.lists(WORDS.map(lambda words: f"A {words}."), min_size=1, max_size=5))
def test_sentences_are_split_at_their_ends_and_nothing_is_lost(parts: list[str]) -> None:
    assert list(split_sentences(" ".join(parts))) == parts


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("See Section 3.2, Tables 2 and 3 and Fig. 4 (v1.25) for all 1,260 cases.", ["1,260"]),
        ("GPT-4 and ResNet-50 on a 19-level grid with R^2, x_0 and 3D data reach 0.91.", ["0.91"]),
        (
            "In 2017, 2023-2, on 2026-08-14 and with Python 3.11.7, p < 0.05 and arXiv:2605.12078 [3, 14].",
            [],
        ),
        ("It falls from 0.412 to 0.305 (26%), at most 12 steps.", ["0.412", "0.305", "26"]),
        (
            "Errors are 3.1 ± 0.2 ms and 2.00×10^-15, i.e. −1.5 dB, see https://a.b/1.23 today.",
            ["3.1", "2.00×10^-15", "−1.5"],
        ),
    ],
)
def test_numbers_that_name_something_are_left_out(sentence: str, numbers: list[str]) -> None:
    assert [stated.number.text for stated in read_sentence_numbers(sentence)] == numbers


PAPER = r"""\documentclass{article}\begin{document}
\section{Results}
We use 40 samples. On clean data the trimmed
mean has an error of $0.0512$, while the plain mean reaches
an error of 0.4127, a factor of 8.06. See Table 3.
\section{References}
Huber, 0.9876 pages, 73--101.
\end{document}
"""


def test_a_sentence_of_latex_knows_the_line_of_its_number(tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(PAPER)
    paper = read_paper(tmp_path / "paper.tex")
    places = [
        (str(sentence.place), [stated.number.text for stated in sentence.numbers])
        for sentence in paper.sentences
    ]
    assert places == [("paper.tex:3", ["40"]), ("paper.tex:4", ["0.0512", "0.4127", "8.06"])]


def test_markdown_without_code_and_tables_is_read_item_by_item() -> None:
    text = (
        "# Results\n\n- The accuracy is **0.913** here\n- and the loss is 0.2204 there.\n\n"
        "```\nlr is 0.12345\n```\n| a | 0.77 |\n\n2. Second item with 0.555 in it\n"
    )
    paper = read_markdown(text, "paper.md")
    assert [(sentence.place.line, sentence.numbers[0].number.text) for sentence in paper.sentences] == [
        (3, "0.913"),
        (4, "0.2204"),
        (11, "0.555"),
    ]


def _linked(text: str, *outputs: str) -> LinksStage:
    return link_documents(read_markdown(text, "paper.md"), {}, runs_of(*outputs))


def test_stated_numbers_are_linked_and_their_comparison_is_checked() -> None:
    text = "The trimmed mean has an error of 0.0512, while the plain mean has 0.4127, a factor of 8.06.\n"
    stage = _linked(text, "trimmed mean: error = 0.05121\nplain mean: error = 0.41268\nrows 1200\n")
    assert [(link.printed.text, link.number.values[0], link.place.line) for link in stage.links] == [
        ("0.0512", 0.05121, 1),
        ("0.4127", 0.41268, 1),
    ]
    assert [(entry.relation, entry.stated, entry.is_confirmed) for entry in stage.comparisons] == [
        ("order", "lower", True),
        ("ratio", "8.06", True),
    ]
    assert stage.links[0].row_label == (
        "trimmed mean has an error of: “The trimmed mean has an error of [this number], "
        "while the plain mean has …, a factor of ….”"
    )
    assert links_in_words(stage) == (
        "0 of 0 numbers of tables and 2 of 3 numbers of sentences come out again; "
        "runs confirm 2 of 2 comparisons in sentences"
    )


def test_a_run_that_contradicts_a_comparison_is_counted() -> None:
    text = "The error of alpha is 0.0523, but the error of beta is 0.1034, a factor of 1.977.\n"
    stage = _linked(text, "error alpha 0.05234\nerror beta 0.10335\n")
    assert [(entry.relation, entry.is_confirmed) for entry in stage.comparisons] == [
        ("order", True),
        ("ratio", False),
    ]
    assert stage.comparisons[1].measured == [1.97459]


def test_a_short_number_needs_the_name_of_its_output() -> None:
    outputs = "validation accuracy net 0.87\nspeed 0.31\n"
    assert [
        link.printed.text for link in _linked("The net has a validation accuracy of 0.87.\n", outputs).links
    ] == ["0.87"]
    assert _linked("We set the momentum of all optimisers to 0.31 here.\n", outputs).links == []


def test_stated_numbers_are_not_linked_by_chance() -> None:
    dense = "".join(f"loss at step {step}: {step * 0.0007:.4f}\n" for step in range(1200))
    assert _linked("The loss at the last step is 0.3507 for all of them.\n", dense).links == []
