"""Programs whose functions are emptied, and files that pytest loads by itself."""

from __future__ import annotations

import ast

import pytest

from assay.rules.unit_tests import emptied, is_loaded_by_pytest, runs_unit_tests

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
    assert result.count(b"raise NotImplementedError") == 1
    kept = [line for line in SOURCE.splitlines() if line in result.splitlines()]
    assert b"import math" in kept
    assert (b"        return 0" in kept) == (name != "area")
    assert (b'            return "x"' in kept) == (not name.startswith("Shape.name"))


def test_several_functions_are_emptied_at_once() -> None:
    assert emptied(SOURCE, ["area", "Shape.size"]).count(b"NotImplementedError") == 2


@pytest.mark.parametrize("source", [b"area = len\n", b"def area(:\n"])
def test_a_missing_function_is_named(source: bytes) -> None:
    with pytest.raises(ValueError, match=r"no function area|no Python"):
        emptied(source, ["area"])


@pytest.mark.parametrize("path", ["conftest.py", "a/CONFTEST.py", "pytest.ini", "x-1.dist-info/top.txt"])
def test_what_pytest_loads_by_itself(path: str) -> None:
    assert is_loaded_by_pytest(path)
    assert not is_loaded_by_pytest("src/conf.py")


def test_a_run_of_tests_is_known_by_its_program() -> None:
    assert runs_unit_tests("python assay_run_tests.py tests/test_a.py")
    assert not runs_unit_tests("python run.py")
