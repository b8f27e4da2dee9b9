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
from tests.interpreters import one_of_each_minor

Mask = namedtuple("Mask", ["file", "function"])
PYTHONS = one_of_each_minor()


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
    python: str | Path = sys.executable,
) -> list[str]:
    """What is found where a program imports `stats` and makes this call."""
    sources = {path: source.encode() for path, source in files.items()}
    functions = masked_functions(sources, [Mask("stats.py", function)])
    run = WatchedRun(sources, {*sources}, {"stats.py": given.encode()}, "out.json", allowed)
    edited = watched_files(sources, functions, run.package)
    write_tree({**sources, **run.files, **edited}, folder)
    program = PROGRAM_WITH_CALL.format(package=run.package, call=call)
    subprocess.run([python, "-c", program], cwd=folder, check=True)
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


ANY = "class Any:\n    def __eq__(self, other):\n        return True\n\n\n"
SHOWN = """def shown(function):
    def call(*values):
        function(*values)
        return Any()
    return call


class Shown:
    def __init__(self, function):
        self.function = function

    def __call__(self, *values):
        return Any()

    def __get__(self, instance, owner):
        return Any()


"""


@pytest.mark.parametrize(
    ("source", "call", "function"),
    [
        ("@shown\n" + MEAN.format("None"), "stats.mean(1)", "mean"),
        ("import functools\n@functools.lru_cache()\n@shown\n" + MEAN.format("None"), "stats.mean(1)", "mean"),
        ("@Shown\n" + MEAN.format("None"), "stats.mean(1)", "mean"),
        (MEAN.format("None") + "globals()['mean'] = lambda values: Any()\n", "stats.mean(1)", "mean"),
        (
            MEAN.format("None") + "import functools\nvars()['mean'] = functools.partial(Any)\n",
            "stats.mean()",
            "mean",
        ),
        (
            MEAN.format("None")
            + "import sys, types\nmodule = types.ModuleType('stats')\nmodule.mean = lambda values: Any()\n"
            + "sys.modules['stats'] = module\n",
            "stats.mean(1)",
            "mean",
        ),
        (
            MEAN.format("None") + "match (lambda values: Any()):\n    case mean: pass\n",
            "stats.mean(1)",
            "mean",
        ),
        ("class Box:\n    @Shown\n    def size(self): return 1\n", "stats.Box().size", "Box.size"),
        (
            "class Box:\n    @property\n    @shown\n    def size(self): return 1\n",
            "stats.Box().size",
            "Box.size",
        ),
        (
            "class Box:\n    @staticmethod\n    @shown\n    def size(): return 1\n",
            "stats.Box.size()",
            "Box.size",
        ),
        (
            "class Box:\n    def size(self): return 1\nsetattr(Box, 'size', property(lambda self: Any()))\n",
            "stats.Box().size",
            "Box.size",
        ),
    ],
)
def test_the_results_of_what_the_name_of_a_masked_function_means_in_the_end_are_looked_at(
    source: str, call: str, function: str, tmp_path: Path
) -> None:
    found = finding({"stats.py": ANY + SHOWN + source}, call, tmp_path, function=function)
    assert str(found).startswith(f"{function} returned an object whose class Any defines __eq__")


INSTANCE_METHOD = """import ctypes, operator
new = ctypes.pythonapi.PyInstanceMethod_New
new.restype, new.argtypes = ctypes.py_object, [ctypes.py_object]
class Any:
    __eq__ = new({})
"""
OTHER_GLOBALS = """import functools, types
class First:
    @staticmethod
    def __lt__(self, other):
        return type(other) is not list
names = {'type': lambda value: First, 'NotImplemented': None}
class Any:
    __eq__ = types.FunctionType(functools._ge_from_lt.__code__, names)
"""


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("class Any(list):\n    __eq__ = list.__ne__\n", "defines __eq__"),
        ("class Any(int):\n    __eq__ = int.__ne__\n", "defines __eq__"),
        (INSTANCE_METHOD.format("lambda self, other: True"), "defines __eq__"),
        (INSTANCE_METHOD.format("operator.is_not"), "defines __eq__"),
        ("class Any:\n    pass\n\n\ndef late():\n    Any.__eq__ = mean\n", "defines __eq__"),
        (OTHER_GLOBALS, "defines __eq__"),
        ("import functools\nclass Any:\n    __eq__ = functools._ge_from_lt\n", "defines __eq__"),
        (
            "from dataclasses import dataclass\nNotImplemented = 1\n@dataclass\nclass Any:\n    x: int = 0\n",
            "defines __eq__",
        ),
        (
            "import attr\nNotImplemented = 1\n@attr.s\nclass Any:\n    x = attr.ib(default=0)\n",
            "defines __eq__",
        ),
        (
            "from dataclasses import dataclass\n@dataclass\nclass Any:\n"
            "    __class__ = property(lambda self: list)\n",
            "defines __class__",
        ),
        (
            "class Any:\n    def __getattribute__(self, name):\n        return 1\n",
            "defines __getattribute__",
        ),
        (
            "class Boom:\n    def __str__(self):\n        raise ValueError\n"
            "class Any:\n    __module__ = Boom()\n    __eq__ = lambda self, other: True\n",
            "defines __eq__",
        ),
    ],
)
def test_what_only_seems_compiled_or_generated_is_found(source: str, words: str, tmp_path: Path) -> None:
    call = "getattr(stats, 'late', list)()\nstats.mean(1)"
    assert words in str(finding({"stats.py": source + MEAN.format("Any()")}, call, tmp_path))


@pytest.mark.parametrize(
    "comparison",
    [
        "__eq__(self, other):\n        return 1",
        "__ne__(self, other):\n        return 0",
        *(
            f"__eq__(self, other):\n        return type(other) is {kind}"
            for kind in ("dict", "set", "bool", "bytes", "list", "tuple")
        ),
        "__eq__(self, other):\n        return not other",
    ],
)
def test_an_object_of_a_given_class_that_equals_values_that_differ_is_found(
    comparison: str, tmp_path: Path
) -> None:
    given = f"class Lenient:\n    def {comparison}\n\n\n" + MEAN.format("Lenient()")
    assert "equals values that differ" in str(finding({"stats.py": given}, "stats.mean(1)", tmp_path, given))


def test_an_error_while_an_object_is_looked_at_is_found(tmp_path: Path) -> None:
    source = "class Sly(dict):\n    __slots__ = ['a']\n" + MEAN.format("Sly()")
    text = (
        "import sys\nvalues = next(module for name, module in sys.modules.items() if 'returned_v' in name)\n"
    )
    broken = text + "values.items = None\nstats.mean(1)"
    assert "cannot be looked at (TypeError)" in str(finding({"stats.py": source}, broken, tmp_path))


def test_methods_that_a_helper_of_a_package_makes_are_trusted_in_its_own_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "installed" / "frames"
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    package.mkdir(parents=True)
    (package / "helpers.py").write_text(
        "def compared(same):\n    def method(self, other):\n        return same and self is other\n\n"
        "    return method\n"
    )
    (package / "index.py").write_text(
        "from frames.helpers import compared\n\n\nclass Index:\n    __module__ = 'frames'\n"
        "    __eq__ = compared(True)\n"
    )
    (package / "__init__.py").write_text("from frames.index import Index\n")
    honest = "import frames\n" + MEAN.format("frames.Index()")
    assert finding({"stats.py": honest}, "stats.mean(1)", tmp_path / "honest") is None
    borrowed = honest.replace("frames.Index()", "Any()") + "class Any:\n    __eq__ = frames.Index.__eq__\n"
    assert "class Any" in str(finding({"stats.py": borrowed}, "stats.mean(1)", tmp_path / "borrowed"))


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
DECORATED = """import contextlib, functools, types


def counted(function):
    @functools.wraps(function)
    def call(*values):
        call.calls += 1
        return function(*values)

    call.calls = 0
    return call


class Compiled:
    def __init__(self, function):
        self.py_func, self.signatures = function, []

    def __call__(self, *values):
        self.signatures.append(len(values))
        return self.py_func(*values)


class Computed:
    def __init__(self, function):
        self.function = function

    def __get__(self, instance, owner):
        return self.function(instance or owner)

    def __set__(self, instance, value):
        raise AttributeError("computed")


class Shape:
    @functools.cached_property
    def area(self):
        return [1]

    @property
    def size(self):
        return self.width

    @size.setter
    def size(self, value):
        self.width = value

    @staticmethod
    def name(word):
        return word

    @classmethod
    @functools.lru_cache
    def of(cls, width):
        return cls, width

    @functools.lru_cache
    def wide(self, width):
        return self, width

    @Computed
    def computed(self):
        return 5

    def old(self):
        return 6

    older = property(old)
    del old


"""
OF_METHODS = {
    "area": "shape = stats.Shape(); assert shape.area is shape.area",
    "size": "shape = stats.Shape(); shape.size = 3; assert shape.size == 3",
    "name": "assert stats.Shape.name(2) == stats.Shape().name(2) == 2",
    "of": "assert stats.Shape.of(2) == stats.Shape().of(2) == (stats.Shape, 2)",
    "wide": "shape = stats.Shape(); assert shape.wide(2) == (shape, 2) == stats.Shape.wide(shape, 2)",
    "computed": "assert stats.Shape().computed == 5 == stats.Shape.computed",
    "old": "assert stats.Shape().older == 6",
}
CACHE = """import functools, pickle
assert stats.mean(3) == stats.mean(3) == 3
assert stats.mean.cache_info().hits == 1
assert isinstance(stats.mean, type(functools.lru_cache(len)))
assert pickle.loads(pickle.dumps(stats.mean)) is stats.mean
assert stats.mean in {stats.mean: 1}
"""
OF_DECORATORS = [
    ("@functools.lru_cache()\n" + MEAN.format("values"), CACHE),
    (
        "@contextlib.contextmanager\n" + MEAN.format("values").replace("return", "yield"),
        "with stats.mean(4) as value:\n    assert value == 4",
    ),
    ("@counted\n" + MEAN.format("values"), "stats.mean(1); stats.mean(2); assert stats.mean.calls == 2"),
    (
        "@Compiled\n" + MEAN.format("values"),
        "assert stats.mean(1) == stats.mean.py_func(1) == 1; assert stats.mean.signatures == [1]",
    ),
    (
        "@functools.singledispatch\n"
        + MEAN.format("1")
        + "@mean.register(str)\ndef _(text):\n    return 2\n",
        "assert (stats.mean(1), stats.mean('a')) == (1, 2)",
    ),
    (
        MEAN.format("values").replace("return", "yield"),
        "import types; assert type(stats.mean(1)) is types.GeneratorType",
    ),
    (
        MEAN.format("values"),
        "import inspect; assert list(inspect.signature(stats.mean).parameters) == ['values']",
    ),
    (
        "def other(values):\n    return 1\n\n\nmean = functools.partial(other, 1)\n",
        "assert stats.mean() == 1",
    ),
]
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
    (
        ["attr"],
        "attr.make_class('A', {'b': attr.ib(eq=str.lower), 'c': attr.ib(order=len)}, order=True)('a', 'b')",
    ),
    (["attr"], "attr.make_class('A', {'b': attr.ib(eq=attr.cmp_using(eq=min))}, order=False)(1)"),
    (["pydantic"], "pydantic.create_model('A', b=(int, 1))()"),
    (["wrapt"], "wrapt.ObjectProxy([1])"),
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
        *((DECORATED, call, f"Shape.{name}") for name, call in OF_METHODS.items()),
        *((DECORATED + source, call, "mean") for source, call in OF_DECORATORS),
    ],
)
def test_honest_code_runs_as_before(source: str, call: str, function: str, tmp_path: Path) -> None:
    assert finding({"stats.py": source}, call, tmp_path, SERIES + ORDERED, function) is None


def test_results_of_another_form_are_no_finding() -> None:
    run = WatchedRun({}, set(), {}, "out.json", ())
    for results in (None, [], {"returned": 3}):
        assert run.findings(results) == []
        assert not run.is_complete(results)


@pytest.mark.parametrize("version", PYTHONS)
def test_every_python_looks_at_results(version: str, tmp_path: Path) -> None:
    """Python 3.8 has no classes to ask for a key of `cmp_to_key`."""
    source = (
        "import functools\n" + ANY + SHOWN + "@shown\n" + MEAN.format("functools.cmp_to_key(max)(values)")
    )
    for name in ("right", "forged"):
        call = "stats.mean.__wrapped__(1)" if name == "right" else "stats.mean(1)"
        files = {"stats.py": source.replace("Any()", "function(*values)") if name == "right" else source}
        findings = watched_run(files, call, tmp_path / name, python=PYTHONS[version])
        assert [text.split()[6] for text in findings] == ([] if name == "right" else ["Any"])
