"""What of the paper an agent is given, and that the rest of it is out of its reach."""

from __future__ import annotations

import pytest

from assay.agents.papers import paper_text, pdf_text, show_paper
from assay.agents.passages import best_passages
from assay.errors import UsageError
from assay.tasks import Task
from assay.workspace import checkout
from tests.agents.conftest import PAPER, toy


def test_without_the_paper_nothing_of_it_is_left_even_in_the_history() -> None:
    task = toy()
    bare = show_paper(task, "none", 5)
    assert "paper.md" not in bare.workspace
    assert bare.digest != task.digest
    folder = checkout(bare)
    assert not any(b"multiplies" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not (folder / "paper.md").exists()
    assert bare.solution == task.solution


def test_the_file_stays_by_default_and_the_whole_text_goes_into_the_request() -> None:
    task = toy()
    assert show_paper(task, "file", 5) is task
    full = show_paper(task, "full", 5)
    assert "Years of experience" in full.instruction
    assert "paper.md" in full.workspace


def test_the_excerpt_alone() -> None:
    shown = show_paper(toy(), "excerpt", 5)
    assert "multiplies its value by 3.0" in shown.instruction
    assert "adds one" not in shown.instruction
    assert "paper.md" not in shown.workspace


def test_a_suite_without_excerpts_is_refused_before_anything_runs() -> None:
    from assay.agents import find_agent

    parts = {name: getattr(toy(), name) for name in Task.model_fields}
    parts["tests"] = {"results.json": parts["tests"]["results.json"]}
    with pytest.raises(UsageError, match="names no excerpts"):
        find_agent("react[paper=excerpt]").view(Task(**parts))


def test_passages_are_found_by_the_words_of_the_masked_function() -> None:
    text = "\n\n".join(
        [
            "Introduction. " + "Nothing of interest is said here about cats. " * 30,
            "The fairness metric II_F compares system exposure with target exposure. " * 20,
            "Data. " + "We bought many cats in many shops for this study. " * 30,
        ]
    )
    (found,) = best_passages(text, "def II_F(system, target): exposure fairness", 1)
    assert found.startswith("The fairness metric")
    assert best_passages(text, "cats", 2)[0].startswith("Introduction")
    assert best_passages("", "cats", 2) == []
    retrieved = show_paper(toy(), "retrieved", 1)
    assert "multiplies" in retrieved.instruction
    assert "paper.md" not in retrieved.workspace


def pdf(words: str) -> bytes:
    """A small PDF of one page."""
    content = f"BT /F1 12 Tf 72 720 Td ({words}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    data, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    data += b"xref\n0 6\n0000000000 65535 f \n" + table
    return data + b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start


def test_a_pdf_is_converted() -> None:
    task = toy()
    parts = {name: getattr(task, name) for name in Task.model_fields}
    parts["environment"] = {**task.environment, "workspace/paper.md": pdf("The scale multiplies by three")}
    assert "multiplies by three" in paper_text(Task(**parts))
    with pytest.raises(UsageError, match="cannot be read as a PDF"):
        pdf_text(b"%PDF-1.4 nonsense", "paper.pdf")
    assert paper_text(task) == PAPER.decode()
