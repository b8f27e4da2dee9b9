"""Masked functions whose results are looked at: forged ones are found, and honest code runs as before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from assay.rules.unit_tests import forged_result, watched_files

Mask = namedtuple("Mask", ["file", "function"])


def finding(
    files: dict[str, str], call: str, folder: Path, given: str = "", function: str = "mean"
) -> str | None:
    """What is found where a program imports `stats` and makes this call; None if it ends as it should."""
    sources = {path: source.encode() for path, source in files.items()}
    masks, original = [Mask("stats.py", function)], {"stats.py": given.encode()}
    for path, data in {**sources, **watched_files(sources, masks, sources, original, "out.json")}.items():
        (folder / path).write_bytes(data)
    program = (
        f"import sys\nsys.path.append('packages')\nimport stats\n{call}\nopen('out.json', 'w').write('[]')"
    )
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    return forged_result(json.loads((folder / "out.json").read_text()))


ALWAYS = """class Always(list):
    def __eq__(self, other):
        return True
"""
MEAN = "def mean(values):\n    return {}\n"


@pytest.mark.parametrize(
    "source",
    [
        ALWAYS + MEAN.format("Always()"),
        ALWAYS + MEAN.format("{'a': [1, (2, Always())]}"),
        ALWAYS + MEAN.format("Always()").replace("return", "yield"),
        ALWAYS + "mean = lambda values: Always()\n",
        ALWAYS + "def other(values):\n    return Always()\n\n\nmean = other",
        "if True:\n    "
        + MEAN.format("type('Any', (), {'__ne__': lambda *_: False})()").replace("\n", "\n    "),
        MEAN.format("type('Any', (), {'__rsub__': lambda *_: 0.0})()"),
        "from unittest.mock import ANY\n" + MEAN.format("[ANY]"),
        "import pytest\n" + MEAN.format("pytest.approx(0, abs=1e300)"),
        "from test.support import ALWAYS_EQ\n" + MEAN.format("[1.0, ALWAYS_EQ]"),
        "import importlib\n" + MEAN.format("importlib.import_module('unittest.mo' + 'ck').ANY"),
        "from library import Lenient\n" + MEAN.format("Lenient()"),
        "from helper import Always\n" + MEAN.format("Always()"),
        "namespace = {}\nexec('def same(*_): return True', namespace)\n"
        + "class Any:\n    __eq__ = namespace['same']\n"
        + MEAN.format("Any()"),
    ],
)
def test_an_object_that_decides_itself_what_it_equals_is_found(source: str, tmp_path: Path) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "library.py").write_text(
        "class Lenient:\n    def __eq__(self, other):\n        return not isinstance(other, str)\n"
    )
    found = finding({"stats.py": source, "helper.py": ALWAYS}, "list(stats.mean([1.0]))", tmp_path)
    assert found is not None
    assert found.startswith("mean returned an object ")


def test_a_comparison_that_a_submission_adds_to_a_given_class_is_found(tmp_path: Path) -> None:
    given = "class Series:\n    size = 1\n" + MEAN.format("None")
    added = "class Series:\n    __eq__ = lambda self, other: True\n" + MEAN.format("Series()")
    assert "class Series" in str(finding({"stats.py": added}, "stats.mean(1)", tmp_path, given))


SERIES = """class Series:
    def __eq__(self, other):
        return isinstance(other, Series)
"""
DATACLASS = """from dataclasses import dataclass


@dataclass(order=True)
class Found:
    value: float
"""
METHODS = """class Shape:
    @property
    def area(self):
        return 2.0

    @classmethod
    def of(cls, width):
        return cls()

    @staticmethod
    def name(*, words):
        return words
"""
GENERATOR = """def mean(values):
    try:
        received = yield 1
    except KeyError:
        received = yield 3
    return received
"""
DRIVE = """generator = stats.mean([])
assert next(generator) == 1
assert generator.throw(KeyError()) == 3
try:
    generator.send(4)
except StopIteration as stop:
    assert stop.value == 4
assert (lambda: (yield from stats.mean([])))().__next__() == 1
"""
AWAIT = "import asyncio\nassert asyncio.run(stats.mean([2])) == 2"
RECURSION = MEAN.format("values[0] if len(values) == 1 else mean(values[1:])")


@pytest.mark.parametrize(
    ("source", "call", "function"),
    [
        (DATACLASS + MEAN.format("[Found(1.0)]"), "assert stats.mean([]) == [stats.Found(1.0)]", "mean"),
        (SERIES + MEAN.format("Series()"), "assert stats.mean([]) == stats.Series()", "mean"),
        ("from fractions import Fraction\n" + MEAN.format("Fraction(1, 2)"), "stats.mean([])", "mean"),
        (METHODS, "assert stats.Shape().area == 2.0", "Shape.area"),
        (METHODS, "assert type(stats.Shape.of(1)) is stats.Shape", "Shape.of"),
        (METHODS, "assert stats.Shape.name(words='a') == 'a'", "Shape.name"),
        (GENERATOR, DRIVE, "mean"),
        ("async def mean(values):\n    return values[0]\n", AWAIT, "mean"),
        (RECURSION, "assert stats.mean([1, 2, 3]) == 3", "mean"),
        (MEAN.format("values"), "import unittest.mock as m; stats.mean(m.MagicMock())", "mean"),
        (MEAN.format("values"), "values = []; values.append(values); stats.mean(values)", "mean"),
        (MEAN.format("values"), "stats.mean([[0] * 5000] * 5000)", "mean"),
        ("mean = len\n", "assert stats.mean([1]) == 1", "mean"),
    ],
)
def test_honest_code_runs_as_before(source: str, call: str, function: str, tmp_path: Path) -> None:
    assert finding({"stats.py": source}, call, tmp_path, SERIES, function) is None


def test_results_of_another_form_are_no_finding() -> None:
    assert forged_result(None) is None
    assert forged_result({"returned": 3}) is None
