"""A paper becomes data: LaTeX exactly, Markdown with its lines, a PDF with what was lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.curation.paper import read_paper
from assay.curation.paper.cell_numbers import read_cell_number
from assay.errors import UsageError
from tests.curation.made_up import printed_errors, write_paper

SPANNING = r"""\documentclass{article}\begin{document}
\begin{table}\caption{Two models.}\label{tab:two}
\begin{tabular}{l*{2}{c}c}
\hline
 & \multicolumn{2}{c}{\textbf{Base}} & Wide \\ \cline{2-3}
Task & Full & Part & Full \\
\hline
\multirow{2}{*}{Sum} & 1{,}260 & $77.5\%$ & $0.81 \pm 0.02$ \\
 & 3 & $2.5 \times 10^{-3}$ & --- \\
Odd \& even & \num{12} & n/a & $-1.76$ \\
\hline
\end{tabular}\end{table}
\end{document}"""


def test_latex_gives_tables_with_the_file_and_line_of_every_row(tmp_path: Path) -> None:
    paper = read_paper(write_paper(tmp_path))
    assert (paper.title, paper.format) == ("Robust means under contamination", "latex")
    assert [section.title for section in paper.sections] == [
        "Abstract and front matter",
        "Experiment",
        "Outlook",
    ]
    (table,) = paper.tables
    assert (table.id, table.columns) == ("tab:errors", ["Estimator", "Error"])
    assert table.rows == ["Plain mean", "Trimmed mean", "Median"]
    numbers = [(cell.number.text, str(cell.place)) for cell in table.numbers if cell.number]
    lines = ["errors.tex:8", "errors.tex:9", "errors.tex:10"]
    assert numbers == list(zip(printed_errors(), lines, strict=True))
    assert list(paper.citations) == ["huber1964"]
    assert "[tab:errors]" in paper.sections[1].text
    assert [equation.place.line for equation in paper.equations] == [10]


def test_cells_over_several_columns_and_rows_stand_in_each_of_them(tmp_path: Path) -> None:
    file = tmp_path / "paper.tex"
    file.write_text(SPANNING)
    (table,) = read_paper(file).tables
    assert table.columns == ["Task", "Base Full", "Base Part", "Wide Full"]
    assert table.rows == ["Sum", "Sum", "Odd & even"]
    values = {(cell.row, cell.column): cell.number for cell in table.numbers}
    assert {place: number.value for place, number in values.items() if number} == {
        (0, 1): 1260.0,
        (0, 2): 77.5,
        (0, 3): 0.81,
        (1, 1): 3.0,
        (1, 2): 0.0025,
        (2, 1): 12.0,
        (2, 3): -1.76,
    }
    percent, spread = values[0, 2], values[0, 3]
    assert percent is not None
    assert percent.percent
    assert spread is not None
    assert (spread.spread, spread.unit) == (0.02, 0.01)


def test_nothing_outside_the_papers_folder_is_included(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret words")
    folder = tmp_path / "paper"
    folder.mkdir()
    text = "\\documentclass{a}\\begin{document}\n\\input{../secret}\nwords\\end{document}\n"
    (folder / "main.tex").write_text(text)
    paper = read_paper(folder)
    assert "secret" not in paper.sections[0].text
    assert "included file" in paper.not_read[0]


def test_markdown_tables_have_lines(tmp_path: Path) -> None:
    file = tmp_path / "paper.md"
    file.write_text(
        "---\ntitle: T\n---\n# Results\n\nErrors by method.\n\n| m | e |\n|---|---:|\n| a | **0.12** |\n"
    )
    paper = read_paper(file)
    (table,) = paper.tables
    assert (table.caption, table.rows, str(table.cells[1].place)) == (
        "Errors by method.",
        ["a"],
        "paper.md:10",
    )
    assert table.cells[1].number is not None
    assert table.cells[1].number.value == 0.12


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,200", 1200.0),
        ("100%", 100.0),
        ("0.72 (0.03)", 0.72),
        ("98s", 98.0),
        ("−3.5", -3.5),
        (".05", 0.05),
        ("3a", 3.0),
        ("ResNet-50", None),
        ("Random multi-step (up to 200 steps)", None),
        ("8,000–20,000", None),
        ("[-64, 63]", None),
        ("—", None),
    ],
)
def test_a_cell_is_a_number_or_a_label(text: str, value: float | None) -> None:
    number = read_cell_number(text)
    assert (None if number is None else number.value) == value


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("paper.pdf", b"%PDF-1.4 broken", "cannot be read as a PDF"),
        ("paper.md", b"\xff\xfe\x00", "is not UTF-8 text"),
        ("paper.txt", b"  \n", "is empty"),
        ("paper.docx", b"words", "has no form that can be read"),
        ("paper.tex", b"words", "no \\begin{document}"),
    ],
)
def test_a_bad_paper_is_one_clear_message(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        read_paper(file)
    assert message in caught.value.message
    assert caught.value.hint


PART = r"""\section{Numbers}
Table~\ref{tab:one} has them.
\begin{table}\caption{One.}\label{tab:one}\begin{tabular}{lc}
Case & Error \\ \hline
low & 1.25 \\
high & 2.50 \\
\end{tabular}\end{table}
"""


def test_a_part_of_a_paper_and_a_folder_of_parts_are_read_and_named_as_parts(tmp_path: Path) -> None:
    (tmp_path / "section.tex").write_text(PART)
    (tmp_path / "again.tex").write_text(PART[PART.index(r"\begin{table}") :])
    (tmp_path / "macros.tex").write_text("\\newcommand{\\x}{y}\n")
    part = read_paper(tmp_path / "section.tex")
    assert part.not_read == ["section.tex is a part of a paper: it has no \\begin{document}"]
    whole = read_paper(tmp_path)
    for paper in (part, whole):
        assert [(table.id, str(table.place)) for table in paper.tables] == [("tab:one", "section.tex:3")]
        assert "[tab:one] has them" in paper.sections[-1 if paper is part else 1].text
