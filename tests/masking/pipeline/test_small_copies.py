"""Copies of small functions and of functions with short lines are found, and matches by chance are none."""

from __future__ import annotations

import marshal
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.masking.leaks.near_twins import Twin
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins
from tests.example_counts import examples
from tests.masking.pipeline.copy_forms import FORMS, LINE_FORMATS, OTHER_FORMS, each_line

SHORT_LINES = """\
def step(x, v, dt, k):
    a = -k * x
    a -= 0.1 * v
    h = dt / 2
    v = v + a * h
    x = x + v * dt
    b = -k * x
    v = v + b * h
    return x, v
"""
OTHER_SHORT_LINES = """\
def step(x, v, dt, k):
    a = k - x
    x = x - v / dt
    h = dt * 2
    v = a * h
    b = x * x
    return x, v
"""
LONG_LINES = '''\
def blend(scores, weights, floor):
    """Blend."""
    scaled = [score * weight for score, weight in zip(scores, weights)]
    centre = sum(scaled) / max(sum(weights), floor)
    spread = sum((value - centre) ** 2 for value in scaled)
    return centre + floor * spread ** 0.5
'''
EXPRESSION = "math.exp(-((x - mean) ** 2) / (2 * width**2)) / (width * 2.7) + 0.01 * abs(x - mean)"
ONE_RETURN = f'import math\n\n\ndef gauss(x, mean, width):\n    """Density."""\n    return {EXPRESSION}\n'
MIX = "def mix(a, b, w):\n    return w * a + (1 - w) * b ** 3\n"
TWO_LINES = """\
def density(x, mean, width):
    squared = ((x - mean) / width) ** 2
    return np.exp(-0.5 * squared) / (width * np.sqrt(2 * np.pi))
"""


def twins_of(source: str, path: str, content: str | bytes) -> list[Twin]:
    """What reveals the only function of a source."""
    name = source.partition("def ")[2].partition("(")[0]
    data = content.encode() if isinstance(content, str) else content
    return find_twins([FunctionPlace("sim.py", name)], {"sim.py": source.encode(), path: data})


@pytest.mark.parametrize("source", [SHORT_LINES, LONG_LINES], ids=["short lines", "long lines"])
@pytest.mark.parametrize("form", FORMS)
def test_a_copy_in_any_form_is_found(form: str, source: str) -> None:
    path, write = FORMS[form]
    assert [twin.where.startswith(path) for twin in twins_of(source, path, write(source))] == [True]


@pytest.mark.parametrize("form", FORMS)
def test_another_function_with_the_same_names_is_no_copy(form: str) -> None:
    path, write = FORMS[form]
    if not form.startswith("compiled"):
        assert twins_of(SHORT_LINES, path, write(OTHER_SHORT_LINES)) == []


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("README.md", f"The density is `{EXPRESSION}`."),
        ("explore.py", f"import math\n\ngauss = lambda x, mean, width: {EXPRESSION}\n"),
        ("explore.py", f"import math\nx, mean, width = 1, 2, 3\ny = {EXPRESSION}\nprint(y)\n"),
        ("explore.py", f"def plot(x, mean, width):\n    print(x)\n    yield {EXPRESSION}\n    yield width\n"),
        ("a.ipynb", f'{{"cells": [{{"source": ["y = {EXPRESSION}\\n", "show(x, y)"]}}]}}'),
    ],
)
def test_the_value_of_one_return_is_found_without_return(path: str, content: str) -> None:
    assert [twin.where.partition("::")[0] for twin in twins_of(ONE_RETURN, path, content)] == [path]


def renamed(text: str) -> str:
    return text.replace("mean", "m").replace("width", "s").replace("x", "t").replace("etp", "exp")


@pytest.mark.parametrize(
    "content",
    [
        f"import math\n\nbell = lambda t, m, s: {renamed(EXPRESSION)}\n",
        f"import math\nt, m, s = 1, 2, 3\ny = {renamed(EXPRESSION)}\nprint(y)\n",
        f"import math\n\n\ndef draw(t, m, s):\n    print(t)\n    return {renamed(EXPRESSION)}\n",
    ],
    ids=["lambda", "assigned", "returned"],
)
def test_the_value_of_one_return_is_found_with_other_names(content: str) -> None:
    assert len(twins_of(ONE_RETURN, "explore.py", content)) == 1
    in_same_file = ONE_RETURN + content.removeprefix("import math\n")
    assert len(find_twins([FunctionPlace("a.py", "gauss")], {"a.py": in_same_file.encode()})) == 1


@pytest.mark.parametrize(
    "copy",
    [
        MIX,
        MIX.replace("mix", "combine"),
        "def blend(first, second, share):\n"
        '    """Words."""\n'
        "    return share * first + (1 - share) * second ** 3\n",
        "mix = lambda p, q, r: r * p + (1 - r) * q ** 3\n",
    ],
    ids=["same", "other name", "other variables", "lambda"],
)
def test_a_small_function_with_the_same_code_is_a_twin(copy: str) -> None:
    assert [twin.how for twin in twins_of(MIX, "notebook_version.py", copy)] == ["near twin"]


def test_a_small_function_with_exchanged_variables_is_no_twin() -> None:
    other = "def mix(a, b, w):\n    return b * a + (1 - w) * w ** 3\n"
    assert twins_of(MIX, "other.py", other) == []


def test_a_small_function_is_found_in_text_and_in_compiled_form() -> None:
    assert len(twins_of(MIX, "a.md", "It mixes with `w*a + (1-w)*b**3`.")) == 1
    assert len(twins_of(MIX, "a.dat", marshal.dumps(compile(MIX, "m.py", "exec")))) == 1
    other = MIX.replace("+", "-")
    assert twins_of(MIX, "a.md", other) == twins_of(MIX, "a.py", other) == []
    assert twins_of(MIX, "a.dat", marshal.dumps(compile(other + "x = w + a", "m.py", "exec"))) == []


@pytest.mark.parametrize(
    "content",
    [
        "squared = ((x - mean) / width) ** 2\ny = np.exp(-0.5 * squared) / (width * np.sqrt(2 * np.pi))",
        "The density is `np.exp(-0.5 * squared) / (width * np.sqrt(2 * np.pi))`.",
    ],
)
def test_the_main_line_of_two_reveals_a_body(content: str) -> None:
    assert len(twins_of(TWO_LINES, "a.md", content)) == 1


TINY_BODIES = [
    "return x",
    "return self.a",
    "return a + b",
    "return x * x",
    "return len(self.items)",
    "return self.width * self.height",
    "return sum(values) / len(values)",
    "self.total = total\n    self.count = 0",
    "x = x + 1\n    return x",
    "for item in items:\n        yield item",
]


@pytest.mark.parametrize("body", TINY_BODIES)
def test_a_tiny_body_that_occurs_by_chance_is_no_copy(body: str) -> None:
    source = f"def f(self, a, b, x, y, total, items, values):\n    {body}\n"
    others = "\n\n".join(f"def g{number}(self):\n    {other}\n" for number, other in enumerate(TINY_BODIES))
    assert twins_of(source, "other.py", others) == []
    assert twins_of(source, "README.md", others) == []


def test_a_common_formula_in_a_text_is_no_copy() -> None:
    source = "def norm(x, y):\n    return np.sqrt(x**2 + y**2)\n"
    assert twins_of(source, "README.md", "The distance is `np.sqrt(x**2 + y**2)`.") == []


def test_lines_that_are_far_apart_or_in_another_order_are_no_copy() -> None:
    lines = SHORT_LINES.splitlines()[1:]
    apart = "\n".join(f"{line}\n" + "word " * 200 for line in lines)
    assert twins_of(SHORT_LINES, "a.md", apart) == []
    backwards = "\n".join(reversed(lines))
    assert twins_of(SHORT_LINES, "a.md", backwards) == []
    assert twins_of(SHORT_LINES, "a.md", "\n\n".join(f"{backwards}\n{'word ' * 400}" for _ in range(9))) == []


def test_a_call_that_other_functions_make_too_is_no_copy() -> None:
    source = """\
def share(rate, period, periods, value, when):
    total = payment(rate, periods, value, when)
    return total - interest(rate, period, periods, value, when)
"""
    other = (
        "def saved(rate, periods, value, when):\n    return payment(rate, periods, value, when) * periods\n"
    )
    assert twins_of(source, "other.py", other) == []


NAMES = ["a", "b", "c", "x", "y", "dt", "rate", "total"]


def random_function(chance: random.Random, lines: int) -> str:
    """Write a function of short lines."""
    body = []
    for _ in range(lines):
        first, second, third = (chance.choice(NAMES) for _ in range(3))
        number = chance.choice(["2", "0.5", "3.7", "10", "0.25"])
        operators = [chance.choice(["+", "-", "*", "/"]) for _ in range(2)]
        body.append(f"    {first} = {second} {operators[0]} {third} {operators[1]} {number}\n")
    return f"def f({', '.join(NAMES)}):\n{''.join(body)}    return {chance.choice(NAMES)}, {first}\n"


seeds = st.integers(0, 2**32)
prefixes = st.text("+-> #*|:.%;0123456789", max_size=12)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seeds, st.integers(3, 12), prefixes, st.sampled_from([*OTHER_FORMS]))
def test_a_random_function_is_found_in_a_random_form(seed: int, lines: int, prefix: str, form: str) -> None:
    source = random_function(random.Random(seed), lines)
    path, write = OTHER_FORMS[form]
    assert len(twins_of(source, path, write(source))) == 1
    assert len(twins_of(source, "a.txt", "\n".join(f"{prefix} {line}" for line in source.splitlines()))) == 1


@settings(max_examples=examples(25), deadline=None, derandomize=True)
@given(seeds, st.integers(3, 12), st.sampled_from([*LINE_FORMATS]))
def test_another_random_function_is_no_copy(seed: int, lines: int, line_format: str) -> None:
    chance = random.Random(seed)
    source = random_function(chance, lines)
    others = "\n\n".join(random_function(chance, lines) for _ in range(20))
    assert twins_of(source, "a.txt", each_line(others, LINE_FORMATS[line_format])) == []


@pytest.mark.parametrize(("source", "function"), [(SHORT_LINES, "step"), (LONG_LINES, "blend"), (MIX, "mix")])
def test_an_older_release_in_the_environment_is_a_copy_although_its_variables_have_other_names(
    source: str, function: str, tmp_path: Path
) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages" / "older"
    site.mkdir(parents=True)
    renamed = re.sub(r"\b(?!def|return|for|in|sum|zip|max|step|blend|mix)([a-z]+)\b", r"\1_1", source)
    (site / "core.py").write_text(renamed)
    found = find_twins([FunctionPlace("sim.py", function)], {"sim.py": source.encode()}, tmp_path)
    assert [(twin.where, twin.verbatim) for twin in found] == [("site-packages/older/core.py", True)]
