"""Mutants, fillings, twins, variations and choices, each by itself."""

from __future__ import annotations

import ast
import json
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.masking.dial import Selection
from assay.masking.leaks.sources import FunctionPlace, definitions, with_body, with_decorators
from assay.masking.leaks.system_copies import SearchRequest, search_system
from assay.masking.leaks.twins import find_twins
from assay.masking.pipeline.choice import choose_tasks, function_ids
from assay.masking.pipeline.mutants import mutants
from assay.masking.pipeline.repository import read_repository, requirements_of
from assay.masking.pipeline.variation import find_variations, with_argument
from assay.sandbox.host.python_code import python_code_below
from tests.masking.pipeline.stand_in import METHOD, write

SOURCE = b'''# coding: latin-1
class Outer:
    \t
    @property
    def first(self):
        """Words."""
        values = [1, 2, 3.5]  # \xe9t\xe9
        if len(values) > 2 and not self.off:
            values.append(max(1, -2) ** 2)
        return sum(values[1:]), True

    def second(self): return 4
'''


def tree(name: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    """The definition of one function of SOURCE."""
    return next(each.node for each in definitions({"a.py": SOURCE}) if each.place.function == name)


def test_mutants_differ_in_one_function_and_compile() -> None:
    made = list(mutants(SOURCE, FunctionPlace("a.py", "Outer.first"), tree("Outer.first")))
    assert len({each.source for each in made}) == len(made) > 15
    kinds = {each.kind for each in made}
    assert {
        "operator",
        "missing-square",
        "constant",
        "comparison",
        "logic",
        "swapped-arguments",
        "scaled-output",
        "dropped-statement",
        "swapped-statements",
    } <= kinds
    for each in made:
        compile(each.source, "a.py", "exec")
        assert each.source.endswith(b"def second(self): return 4\n")
        assert b"@property\n    def first(self):" in each.source


@pytest.mark.parametrize(
    "broken",
    [
        "if True: break",
        "if False: break",
        "if x > 2: continue",
        "queue.sort(key=abs, reverse=True)",
        "queue.sort()",
    ],
)
def test_code_that_only_moves_things_about_can_be_broken_too(broken: str) -> None:
    source = b"""def f(queue, x):
    while x:
        queue.append(x)
        if x > 2:
            break
    queue.sort(key=abs)
"""
    node = next(definitions({"a.py": source})).node
    made = [
        " ".join(each.source.decode().split()) for each in mutants(source, FunctionPlace("a.py", "f"), node)
    ]
    assert sum(broken in each for each in made) == 1


def test_a_function_that_returns_an_empty_tuple_can_be_broken() -> None:
    source = b"def f(x):\n    if x > 2:\n        return ()\n    return (x, 1)\n"
    node = next(definitions({"a.py": source})).node
    assert list(mutants(source, FunctionPlace("a.py", "f"), node))


def test_mutants_come_in_the_same_order_for_one_seed() -> None:
    place = FunctionPlace("a.py", "Outer.first")
    rows = [[each.change for each in mutants(SOURCE, place, tree("Outer.first"), seed)] for seed in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize("function", ["Outer.first", "Outer.second"])
def test_bodies_and_decorators_go_where_they_belong(function: str) -> None:
    scope: dict[str, type] = {}
    exec(compile(with_body(SOURCE, function, "return 'filled'"), "a.py", "exec"), scope)
    outer = scope["Outer"]()
    found = getattr(outer, function.partition(".")[2])
    assert (found() if callable(found) else found) == "filled"
    marked = with_decorators(SOURCE, {function: "staticmethod"})
    assert marked.replace(b"    @staticmethod\n", b"", 1) == SOURCE


def test_twins_are_found_by_form_and_by_text(tmp_path: Path) -> None:
    body = METHOD.split('    """Least squares."""\n')[1].split("\n\n")[0]
    notebook = json.dumps({"cells": [{"source": [line + "\n" for line in body.splitlines()]}]})
    files = {
        "method.py": METHOD.encode(),
        "notes.ipynb": notebook.encode(),
        "README.md": b"top = bottom",
        "data.csv": b"1,2",
    }
    site = tmp_path / "lib" / "python3.11" / "site-packages" / "method"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text(METHOD)
    found = find_twins([FunctionPlace("method.py", "slope")], files, tmp_path)
    assert {(each.where, each.verbatim) for each in found} == {
        ("method.py::forgotten", False),
        ("notes.ipynb", True),
        ("site-packages/method/__init__.py", True),
    }


def test_a_copy_in_the_standard_library_or_in_a_bundled_wheel_is_found(tmp_path: Path) -> None:
    """`idna` was certified, and the pip inside `ensurepip` has it."""
    library = tmp_path / "lib" / "python3.11"
    (library / "ensurepip" / "_bundled").mkdir(parents=True)
    with zipfile.ZipFile(library / "ensurepip" / "_bundled" / "pip-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("pip/_vendor/method.py", METHOD)
    (library / "statistics.py").write_text(METHOD)
    (library / "other.py").write_text("def slope():\n    return 1\n")
    files = {"method.py": METHOD.encode()}
    sources = [source.path for source in python_code_below(tmp_path).sources]
    [search] = search_system([SearchRequest([FunctionPlace("method.py", "slope")], files)], sources)
    assert search.files == 3
    assert {path.removeprefix(f"{library}/") for path in search.copies} == {
        "statistics.py",
        "ensurepip/_bundled/pip-1.0-py3-none-any.whl",
    }


def test_arguments_are_put_in_place_or_added() -> None:
    assert with_argument("python a.py --seed 3 --n=4", "--seed=7") == "python a.py --seed 7 --n=4"
    assert with_argument("python a.py --n='4 5'", "--n=6") == "python a.py --n=6"
    assert with_argument("python a.py", "--seed=7") == "python a.py --seed=7"


def test_variations_are_asked_for_or_seen(tmp_path: Path) -> None:
    found = read_repository(write(tmp_path / "toy"))
    data = tmp_path / "other.csv"
    data.write_text("1")
    asked, files = find_variations(found, "python a.py", ["seed=5", f"data={data}", "WIDTH=2 3"], ["--n=2"])
    assert [each.seed for each in asked] == [5, None, None, None, None]
    assert files == {"other-data-2": data}
    assert asked[2].command == "export WIDTH='2 3'; python a.py"
    assert asked[3].command == "python a.py --n=2"
    assert find_variations(found, "python a.py", [], []) == ([], {})
    seen, _ = find_variations(found, "python a.py --seed=1", [], [])
    assert [each.command for each in seen] == ["python a.py --seed=42", "python a.py --seed={seed}"]


@pytest.mark.parametrize(
    ("command", "vary", "arguments", "fresh"),
    [
        ("python a.py --seed 1", [], [], "python a.py --seed {seed}"),
        ("python a.py", [], ["--rng-seed=7"], "python a.py --rng-seed={seed}"),
        ("python a.py", ["MY_SEED=7"], [], "export MY_SEED={seed}; python a.py"),
        ("python a.py", ["seed=7"], [], None),
    ],
)
def test_a_seed_that_the_run_takes_is_also_drawn_at_grading(
    tmp_path: Path, command: str, vary: list[str], arguments: list[str], fresh: str | None
) -> None:
    found, _ = find_variations(read_repository(write(tmp_path / "toy")), command, vary, arguments)
    assert [(each.fresh, each.command) for each in found][1:] == [(True, fresh)]


def test_nothing_is_drawn_where_no_seed_is_taken(tmp_path: Path) -> None:
    found, _ = find_variations(
        read_repository(write(tmp_path / "toy")), "python a.py", ["WIDTH=2"], ["--n=2"]
    )
    assert not any(each.fresh for each in found)


@pytest.mark.parametrize("text", ["seed", "seed=x", "data=absent.csv", "a b=1"])
def test_a_malformed_variation_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError):
        find_variations(read_repository(write(tmp_path / "toy")), "python a.py", [text], [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "# pins\nnumpy==2.0  # why\n-r more.txt\n\nscipy>=1\n"),
        ("pyproject.toml", '[project]\ndependencies = ["numpy==2.0", "scipy>=1"]\n'),
        ("setup.cfg", "[options]\ninstall_requires =\n    numpy==2.0\n    scipy>=1\n"),
        (
            "PKG-INFO",
            "Requires-Dist: numpy==2.0\nRequires-Dist: scipy>=1\nRequires-Dist: a; extra == 'b'\n",
        ),
    ],
)
def test_requirements_are_read_where_the_repository_says_them(tmp_path: Path, name: str, text: str) -> None:
    folder = write(tmp_path / "toy")
    (folder / name).write_text(text)
    assert requirements_of(read_repository(folder), []) == ["numpy==2.0", "scipy>=1"]
    assert requirements_of(read_repository(folder), ["torch"]) == ["torch"]


def test_history_links_and_caches_are_left_behind(tmp_path: Path) -> None:
    folder = write(tmp_path / "toy")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (folder / "link.py").symlink_to(folder / "run.py")
    found = read_repository(folder)
    assert sorted(found.files) == ["method.py", "results.json", "run.py"]
    assert found.left_out == ("link.py",)


FLOWS = [("a", "b", 2), ("b", "c", 1), ("a", "elsewhere", 1)]


def test_choices_are_stratified_by_the_traced_flows_and_repeatable() -> None:
    functions = [*"abcdefghij"]
    drawn = choose_tasks("p.1", functions, FLOWS, Selection(n=(1, 2, 3, 4, 5), sample=10))
    assert drawn == choose_tasks("p.1", functions, FLOWS, Selection(n=(1, 2, 3, 4, 5), sample=10))
    assert (
        drawn.tasks
        != choose_tasks("p.1", functions, FLOWS, Selection(n=(1, 2, 3, 4, 5), sample=10, seed=1)).tasks
    )
    assert Counter(each.n for each in drawn.tasks) == dict.fromkeys(range(1, 6), 10)
    assert {each.flow for each in drawn.tasks if each.n >= 3} == {"none", "feeds", "chain"}
    for task, ids in zip(drawn.tasks, function_ids(drawn), strict=True):
        connected = {0, 1, 2} & {*ids}
        if task.n > 1:
            assert task.flow == ("none", "none", "feeds", "chain")[len(connected)]
        else:
            assert task.flow == {0: "feeds", 1: "chain", 2: "feeds"}.get(ids[0], "none")


def test_more_functions_at_once_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match="n is 3, but 2 functions"):
        choose_tasks("p.1", ["a", "b"], FLOWS, Selection(n=(3,)))
    assert function_ids(choose_tasks("p.1", ["a", "b"], FLOWS, Selection(n=(2, 3)))) == [[0, 1]]
