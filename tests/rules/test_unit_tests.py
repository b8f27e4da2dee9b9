"""Programs whose functions are emptied, and files that pytest loads by itself."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from assay.rules.function_edits import emptied, watched
from assay.rules.unit_tests import grade_replaced, is_loaded_by_pytest, runs_unit_tests

SOURCE = b'''import math


def area(width, height):
    """Return the area."""
    if width < 0:
        return 0
    return width * height  # of a rectangle


class Shape:
    @property
    def size(self): return math.pi; 3

    async def name(self):
        def inner():
            return "x"

        return inner()
'''


@pytest.mark.parametrize("name", ["area", "Shape.size", "Shape.name", "Shape.name.<locals>.inner"])
def test_a_function_only_raises_and_the_rest_stays(name: str) -> None:
    result = emptied(SOURCE, [name])
    assert ast.parse(result)
    assert result.count(b"raise NotImplementedError") == (1 if "<locals>" in name else 2)
    kept = [line for line in SOURCE.splitlines() if line in result.splitlines()]
    assert b"import math" in kept
    assert (b"        return 0" in kept) == (name != "area")
    assert (b'            return "x"' in kept) == (not name.startswith("Shape.name"))


def test_several_functions_are_emptied_at_once() -> None:
    assert emptied(SOURCE, ["area", "Shape.size"]).count(b"NotImplementedError") == 4


TWO_DEFINITIONS = b"""import sys

if sys.version_info >= (3, 8):
    def area(width, height):
        return width * height
else:
    def area(width, height):
        return height * width


class Shape:
    try:
        def size(self):
            return 1
    except AttributeError:
        def size(self):
            return 2
"""


def test_every_definition_of_a_name_is_emptied() -> None:
    result = emptied(TWO_DEFINITIONS, ["area", "Shape.size"])
    assert ast.parse(result)
    assert result.count(b"NotImplementedError") == 6
    assert b"return" not in result


@pytest.mark.parametrize(
    "source",
    [
        b"def _area(width):\n    return width\n\n\narea = _area",
        b"from math import sqrt as area\n",
        b"area = lambda width: width\n",
        b"def area(width):\n    return width\n\n\ndef faster(width):\n    return width\n\n\narea = faster\n",
        b"globals()['area'] = abs\n",
        b"def area(width):\n    return 1\n\n\nglobals()['area'] = abs\n",
        b"def area(width):\n    return 1\n\n\nmatch abs:\n    case area:\n        pass\n",
    ],
)
def test_a_function_that_is_bound_without_def_raises_too(source: bytes) -> None:
    names: dict[str, Any] = {}
    exec(emptied(source, ["area"]), names)
    with pytest.raises(NotImplementedError):
        names["area"](2)


def test_a_method_that_is_bound_without_def_raises_too() -> None:
    names: dict[str, Any] = {}
    source = b"def _size(self):\n    return 1\n\n\nclass Shape:\n    size = _size\n"
    exec(emptied(source, ["Shape.size"]), names)
    with pytest.raises(NotImplementedError):
        names["Shape"]().size()


@pytest.mark.parametrize("source", [b"area = len\n", b"def area(:\n"])
def test_a_missing_function_is_named(source: bytes) -> None:
    with pytest.raises(ValueError, match=r"no function Shape.size|no Python"):
        emptied(source, ["Shape.size"])


@pytest.mark.parametrize("path", ["conftest.py", "a/CONFTEST.py", "pytest.ini", "x-1.dist-info/top.txt"])
def test_what_pytest_loads_by_itself(path: str) -> None:
    assert is_loaded_by_pytest(path)
    assert not is_loaded_by_pytest("src/conf.py")


@pytest.mark.parametrize("path", ["src/area/__init__.py", "src/area.abi3.so", "src/area/__init__.pyc"])
def test_a_file_that_python_imports_in_place_of_the_masked_one_is_unmet(path: str) -> None:
    ruling = grade_replaced(["src/area.py", path], {"src/area.py": ["area"]})
    assert ruling is not None
    assert (ruling.status, ruling.owner) == ("unmet", "agent")
    assert path in ruling.evidence


def test_other_submitted_files_take_no_place() -> None:
    paths = ["src/area.py", "src/areas.py", "src/area/data.txt", "area/__init__.py"]
    assert grade_replaced(paths, {"src/area.py": ["area"]}) is None


def test_a_run_of_tests_is_known_by_its_program() -> None:
    assert runs_unit_tests("python assay_run_tests.py tests/test_a.py")
    assert not runs_unit_tests("python run.py")


class Names:
    """A decorator whose functions return their names, and what it is told at the end."""

    def __call__(self, name: str) -> Callable[[object], Callable[..., str]]:
        return lambda _: lambda *_: name

    def bind_again(self, names: list[str]) -> None:
        self.bound = names


@pytest.mark.parametrize(
    "before",
    [
        b"",
        b"\xef\xbb\xbf",
        b'#!/usr/bin/python\n# coding: utf-8\n"""Text."""\nfrom __future__ import annotations\n\n',
        b'"""Text."""; import os\n',
        b"import functools\n\n\n@functools.lru_cache\n",
    ],
)
def test_a_watched_program_has_decorators_that_old_pythons_know(before: bytes) -> None:
    source = before + b"def area(width):\n    return width\n\n\nclass Shape:\n    def size(self): return 1\n"
    result = watched(source, ["area", "Shape.size"], "look", "Names()")
    names: dict[str, Any] = {"Names": Names}
    exec(compile(result, "shapes.py", "exec"), names)
    assert names["Shape"]().size() == "Shape.size"
    assert names["look"].bound == ["area", "Shape.size"]
    calls = [node for node in ast.walk(ast.parse(result)) if isinstance(node, ast.Call) and node.args]
    assert {ast.unparse(call.func) for call in calls} == {"look", "look.bind_again"}


def test_a_deep_program_is_edited() -> None:
    source = b"TEXT = " + b"'a' + " * 1500 + b"''\n\n\ndef area(width):\n    return width\n"
    assert b"NotImplementedError" in emptied(source, ["area"])
    assert b"@look('area')" in watched(source, ["area"], "look", "print")


MOVED = (
    "# coding: utf-7\n+AAoACgAK-\ndef area(width):\n    return width\n\n\ndef volume(width):\n    return 3\n"
)


@pytest.mark.parametrize(
    "source",
    [
        MOVED.encode(),
        "# coding: latin-1\ndef area(width, text='é'): return width  # é\n".encode("latin-1")
        + b"def volume(width): return 3\n",
        b"\xef\xbb\xbfdef area(width):\r    return width\r\ndef volume(width):\n    return 3\n",
    ],
)
def test_the_lines_are_those_that_python_reads(source: bytes) -> None:
    for name, others in (("area", "volume"), ("volume", "area")):
        names: dict[str, Any] = {}
        exec(emptied(source, [name]), names)
        assert names[others](3) == 3
        with pytest.raises(NotImplementedError):
            names[name](2)
        names = {"Names": Names}
        exec(watched(source, [name], "look", "Names()"), names)
        assert (names[name](2), names[others](3)) == (name, 3)


def test_lines_that_only_the_decoded_text_has_are_refused() -> None:
    with pytest.raises(ValueError, match="cannot be written again"):
        emptied(b"# coding: utf-7\n# +AA0-\ndef area(): return 1\n", ["area"])


def test_the_decorator_stands_above_and_below_others() -> None:
    source = b"class Shape:\n    @property\n    @cached\n    def size(self): return 1\n"
    lines = watched(source, ["Shape.size"], "look", "Names()").decode().splitlines()
    assert [line.strip() for line in lines if "@" in line] == [
        "@look('Shape.size')",
        "@property",
        "@cached",
        "@look('Shape.size')",
    ]
