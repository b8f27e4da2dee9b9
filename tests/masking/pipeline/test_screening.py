"""Mutants tried on the calls of one run: which differ, which do not, and that the run is left as it was."""

from __future__ import annotations

import ast
import asyncio

import pytest

from assay.masking.leaks.sources import Definition, definitions
from assay.masking.pipeline.bench import RepositoryRunner
from assay.masking.pipeline.injected.assay_summary import summarise
from assay.masking.pipeline.mutants import Mutant, function_text
from assay.masking.pipeline.screening import screen

MAIN = b"""import random


class Base:
    def scale(self, value):
        return value * 2


class Walk(Base):
    __step = 0.5

    def __init__(self):
        self.place = 0.0

    def go(self, count, *, by=1):
        \"\"\"Take some steps.\"\"\"
        for _ in range(count):
            self.place += super().scale(self.__step) * random.random() * by
        return self.place if count < 100 else None


def depth(tree):
    return 1 + max((depth(part) for part in tree), default=0)


random.seed(3)
walk = Walk()
print([walk.go(count) for count in (3, 4)], depth([[[]], []]), random.random())
"""


def versions(name: str, *changes: tuple[str, str]) -> tuple[Definition, str, list[Mutant]]:
    """A function of MAIN, and mutants of it with some text changed."""
    defined = next(each for each in definitions({"main.py": MAIN}) if each.place.function == name)
    plain = function_text(defined.place, defined.node)
    made = [
        Mutant(defined.place, "kind", 1, f"{old} → {new}", b"", plain.replace(old, new))
        for old, new in changes
    ]
    assert all(each.version != plain for each in made)
    return defined.node, plain, made


def seen(name: str, *changes: tuple[str, str]) -> dict[str, str]:
    """Change → what screening says of it."""
    defined = next(each for each in definitions({"main.py": MAIN}) if each.place.function == name)
    _, plain, made = versions(name, *changes)
    bench = RepositoryRunner({"main.py": MAIN}, "python main.py", [], 30.0)
    found = asyncio.run(screen(bench, defined, plain, made))
    return {each.mutant.change: each.result for each in found}


def test_private_names_parents_defaults_and_chance_are_those_of_the_function() -> None:
    found = seen(
        "Walk.go",
        ("* by", "/ by"),
        ("range(count)", "range(count + 1)"),
        ("range(count)", "range(1 + count)"),
        ("count < 100", "count < 50"),
        ("self.place +=", "self.places +="),
        ("return self.place", "while True: pass\n        return self.place"),
    )
    assert list(found.values()) == ["differs", "again", "same", "same", "raised", "raised"]
    assert found["range(count) → range(count + 1)"] == "differs"
    assert found["* by → / by"] == "same"


def test_a_function_that_calls_itself_is_changed_all_through() -> None:
    assert seen("depth", ("1 + max", "2 + max"), ("default=0", "default=1")) == {
        "1 + max → 2 + max": "differs",
        "default=0 → default=1": "differs",
    }


def test_a_number_is_the_same_whether_python_holds_it_or_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    assert summarise(numpy.float64(2.5)) == summarise(numpy.asarray(2.5)) == summarise(2.5)
    assert summarise(numpy.int64(3)) == summarise(3) != summarise([3])


@pytest.mark.parametrize("name", ["Walk.go", "depth"])
def test_a_function_stands_alone_without_decorators(name: str) -> None:
    _, plain, _ = versions(name)
    assert ast.parse(plain)
    assert plain.startswith("class Walk:" if "." in name else "def depth")


def test_a_run_that_cannot_be_screened_leaves_all_untried() -> None:
    defined = next(each for each in definitions({"main.py": MAIN}) if each.place.function == "depth")
    _, plain, made = versions("depth", ("1 + max", "2 + max"))
    bench = RepositoryRunner({"main.py": MAIN}, "false", [], 30.0)
    assert [each.result for each in asyncio.run(screen(bench, defined, plain, made))] == ["untried"]
