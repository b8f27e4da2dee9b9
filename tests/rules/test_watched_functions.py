"""Masked functions whose results are looked at: forged ones are found, and honest code runs as before."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.rules.unit_tests import WatchedRun, masked_functions, watched_files
from assay.tasks.files import write_tree

Mask = namedtuple("Mask", ["file", "function"])


PROGRAM_WITH_CALL = """import os, sys
import {package}.returned_values
from {package}.watched_run import PROGRAM_PROCESS, finish

PROGRAM_PROCESS.append(os.getpid())
sys.path.append("packages")
import stats
{call}
open("out.json", "w").write("{{}}")
finish()
"""


def watched_run(
    files: dict[str, str],
    call: str,
    folder: Path,
    given: str = "",
    function: str = "mean",
    allowed: Sequence[str] | None = (),
) -> list[str]:
    """What is found where a program imports `stats` and makes this call."""
    sources = {path: source.encode() for path, source in files.items()}
    functions = masked_functions(sources, [Mask("stats.py", function)])
    run = WatchedRun(sources, {*sources}, {"stats.py": given.encode()}, "out.json", allowed)
    edited = watched_files(sources, functions, run.package)
    write_tree({**sources, **run.files, **edited}, folder)
    program = PROGRAM_WITH_CALL.format(package=run.package, call=call)
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)
    results = json.loads((folder / "out.json").read_text())
    assert run.is_complete(results) == (allowed is None or not run.findings(results))
    return run.findings(results)


def finding(
    files: dict[str, str], call: str, folder: Path, given: str = "", function: str = "mean"
) -> str | None:
    """The first finding; None if the program ends as it should."""
    return next(iter(watched_run(files, call, folder, given, function)), None)


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


IN_MODULE = """import fractions, types, typing
from dataclasses import dataclass

code = compile({source!r}, {file}, "exec")
exec(code, {{"__name__": {module!r}}}, made := {{}})
"""
RANGE = "class Number:\n    def __eq__(self, other):\n        return 0 <= other < 1000\n"


def made_by_exec(file: str, module: str = "builtins", end: str = "", result: str = "made['Number']()") -> str:
    return IN_MODULE.format(source=RANGE, file=file, module=module) + end + MEAN.format(result)


@pytest.mark.parametrize(
    "source",
    [
        MEAN.format("getattr(__import__('py' + 'test'), 'approx')(400, abs=400)"),
        made_by_exec("'numbers'"),
        made_by_exec("fractions.__file__", "fractions"),
        made_by_exec("'<attrs>'", end="made['Number'].__dataclass_fields__ = {}\n"),
        made_by_exec(
            "'x'", end="@dataclass\nclass Box:\n    value: object\n", result="Box(made['Number']())"
        ),
        made_by_exec(
            "'x'",
            end="class Slot:\n    __slots__ = ['a']\nbox = Slot()\nbox.a = made['Number']()\n",
            result="[box]",
        ),
        made_by_exec("'x'").replace("def mean", "async def mean"),
        made_by_exec(
            "'x'",
            end="class Kind(type):\n    __mro__ = ()\n    __dict__ = {}\n",
            result="Kind('A', (made['Number'],), {})()",
        ),
        MEAN.format("type('A', (), {'__eq__': range(1000).__contains__, '__module__': 'builtins'})()"),
        MEAN.format("type('A', (), {'__eq__': bool})()"),
        "import fractions, typing\n"
        "fractions.A = type('A', (), {'__eq__': typing.cast, '__module__': 'fractions'})\n"
        + MEAN.format("fractions.A()"),
        "import types\nfrom fractions import Fraction\n"
        "same = types.FunctionType(Fraction.__eq__.__code__, {'type': lambda _: int, 'int': int})\n"
        "class A:\n    __eq__ = same\n    _denominator = 1\n    _numerator = 400\n" + MEAN.format("A()"),
        "open('late.py', 'w').write('class Late:\\n    __eq__ = lambda self, other: other == 4\\n')\n"
        "import late\n" + MEAN.format("late.Late()"),
    ],
)
def test_a_comparison_counts_only_if_it_is_what_python_makes_of_a_given_or_installed_file(
    source: str, tmp_path: Path
) -> None:
    call = "result = stats.mean([])\nif hasattr(result, 'send'):\n    import asyncio\n    asyncio.run(result)"
    assert str(finding({"stats.py": source}, call, tmp_path)).startswith("mean returned an object ")


def test_a_comparison_of_a_given_class_that_a_submission_changes_is_found(tmp_path: Path) -> None:
    changed = SERIES.replace("isinstance(other, Series)", "True or Series") + MEAN.format("Series()")
    assert "class Series" in str(finding({"stats.py": changed}, "stats.mean(1)", tmp_path, SERIES))


def test_a_masked_comparison_is_for_the_tests_to_judge(tmp_path: Path) -> None:
    written = SERIES.replace("isinstance(other, Series)", "type(other) is type(self)") + MEAN.format(
        "Series()"
    )
    call = "assert stats.Series() == stats.Series()"
    files = {"stats.py": written}
    assert finding(files, call, tmp_path, SERIES, "Series.__eq__") is None
    assert finding({"stats.py": written}, "stats.mean(1)", tmp_path, SERIES) is not None


def test_what_the_solution_returns_too_is_no_finding(tmp_path: Path) -> None:
    files = {
        "stats.py": "import unittest.mock\n" + MEAN.format("[unittest.mock.MagicMock(), unittest.mock.ANY]")
    }
    solution, attempt = tmp_path / "solution", tmp_path / "attempt"
    findings = watched_run(files, "stats.mean(1)", solution, allowed=None)
    assert [text.split()[5] for text in findings] == ["unittest.mock.MagicMock,", "unittest.mock._ANY,"]
    assert watched_run(files, "stats.mean(1)", attempt, allowed=findings) == []


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


LIBRARIES = [
    (["fractions"], "[fractions.Fraction(1, 2), fractions.Fraction(3)]"),
    (["decimal", "datetime", "uuid"], "(decimal.Decimal(1), datetime.datetime.now(), uuid.uuid4())"),
    (["pathlib", "ipaddress"], "[pathlib.Path('a'), ipaddress.ip_address('::1')]"),
    (["collections"], "[collections.Counter('a'), collections.UserList([1]), collections.ChainMap({1: 2})]"),
    (["collections"], "[collections.OrderedDict(a=1), {}.keys(), collections.namedtuple('A', 'b')(1)]"),
    (["functools", "re"], "[functools.partial(len), re.compile('a'), functools.cmp_to_key(len)(1)]"),
    (["enum"], "[enum.Enum('A', 'b').b, enum.IntFlag('A', 'b').b]"),
    (["email.message", "inspect"], "[inspect.signature(lambda a: a), inspect.Parameter('a', 1)]"),
    (
        ["numpy"],
        "[numpy.arange(3), numpy.float64(1), numpy.ma.masked_array([1, 2], [0, 1]), numpy.dtype(int)]",
    ),
    (["attr"], "attr.make_class('A', ['b', 'c'], order=True)(1, 2)"),
    (["attr"], "attr.make_class('A', ['b', 'c'], slots=True)(1, 2)"),
    (["pydantic"], "pydantic.create_model('A', b=(int, 1))()"),
]
ORDERED = """from functools import total_ordering


@total_ordering
class Length:
    def __eq__(self, other):
        return isinstance(other, Length)

    def __lt__(self, other):
        return False


"""
QUEUE = """class Entry:
    def __lt__(self, other):
        return True


class Queue:
    def __init__(self):
        self.entries = [Entry(), Entry()]


"""


@pytest.mark.parametrize(
    ("source", "call", "function"),
    [
        (DATACLASS + MEAN.format("[Found(1.0)]"), "assert stats.mean([]) == [stats.Found(1.0)]", "mean"),
        (SERIES + MEAN.format("Series()"), "assert stats.mean([]) == stats.Series()", "mean"),
        *(
            (f"import {', '.join(modules)}\n" + MEAN.format(value), "stats.mean([])", "mean")
            for modules, value in LIBRARIES
        ),
        (
            "from __future__ import annotations\n\n\n" + SERIES + MEAN.format("Series()"),
            "stats.mean([])",
            "mean",
        ),
        (ORDERED + MEAN.format("Length()"), "assert stats.mean([]) >= stats.Length()", "mean"),
        (QUEUE + MEAN.format("Queue()"), "assert stats.mean([]).entries", "mean"),
        (
            "class Score(int):\n    def __repr__(self):\n        return 'x'\n" + MEAN.format("Score(1)"),
            "stats.mean([])",
            "mean",
        ),
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
    assert finding({"stats.py": source}, call, tmp_path, SERIES + ORDERED, function) is None


def test_results_of_another_form_are_no_finding() -> None:
    run = WatchedRun({}, set(), {}, "out.json", ())
    for results in (None, [], {"returned": 3}):
        assert run.findings(results) == []
        assert not run.is_complete(results)
