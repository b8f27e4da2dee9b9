"""Copies of published functions elsewhere in their own source trees."""

from __future__ import annotations

from pathlib import Path

from assay.api.listening import ignore_line
from assay.benchmarks.autoexperiment import read_rows
from assay.benchmarks.autoexperiment.copies import published_copies
from tests.benchmarks.published_rows import METHOD, shared_rows, write_own

JOIN = """def join(value):
    doubled = First.step(value) if value >= 0 else -First.step(-value)
    for number in range(0):
        doubled = doubled * number + 1.5
    return Second().step(doubled)
"""
OUTER = """def outer():
    def inner(given):
        twice = First.step(given) if given >= 0 else -First.step(-given)
        for place in range(0):
            twice = twice * place + 1.5
        return Second().step(twice)
    return inner
"""


def test_near_twins_and_texts_are_found_also_inside_functions(tmp_path: Path) -> None:
    root = write_own(tmp_path)
    code = next(root.rglob("code"))
    (code / "method.py").write_text(METHOD.partition("def join")[0] + JOIN)
    (code / "other.py").write_text(OUTER)
    (code / "README.md").write_text(f"Filled in:\n```\n{JOIN}```\n")
    found = {
        (each.place, each.twin.where, each.twin.verbatim)
        for each in published_copies(read_rows(root), ignore_line)
    }
    assert found == {
        ("9901.00001_2", "other.py::outer", False),
        ("9901.00001_2", "other.py::outer.inner", False),
        ("9901.00001_2", "README.md", True),
    }


def test_a_tree_that_does_not_fit_or_is_not_there_gives_none(tmp_path: Path) -> None:
    root = write_own(tmp_path)
    next(root.rglob("method.py")).write_text("def other():\n    return 1\n")
    assert not list(published_copies(read_rows(root), ignore_line))
    assert not list(published_copies(read_rows(shared_rows()), ignore_line))
