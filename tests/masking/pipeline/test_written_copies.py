"""A near copy of a masked body is found in comments, in strings, and in code for other versions of Python."""

from __future__ import annotations

import base64
import json
import re
import textwrap

import pytest

from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.twins import find_twins

CORE = """def smooth(values, width, decay):
    result = []
    for place in range(len(values)):
        total = 0.0
        for offset in range(-width, width + 1):
            other = place + offset
            if 0 <= other < len(values):
                total += decay ** abs(offset) / (1.0 + 0.5 * offset * offset) * values[other]
        result.append(total - 0.1 * (values[place] - total))
    return result
"""
OLDER = """def {name}(xs, w, d):
    out = []
    for i in range(len(xs)):
        acc = 0.0
        for k in range(-w, w + 1):
            j = i + k
            if 0 <= j < len(xs):
                acc += d ** abs(k) / (1.0 + 0.5 * k * k) * xs[j]
        out.append(acc - 0.1 * (xs[i] - acc))
    return out
"""
OTHER = """def {name}(xs, w, d):
    seen = {{}}
    for x in xs:
        seen.setdefault(x, []).append(w)
    while seen and d > 0:
        key, values = seen.popitem()
        d -= len(values)
    return sorted(seen)
"""
PLACE = FunctionPlace("core.py", "smooth")


def prefixed(text: str, prefix: str) -> str:
    return "".join(f"{prefix}{line}".rstrip() + "\n" for line in text.splitlines())


def prompted(text: str) -> str:
    first, rest = text.split("\n", 1)
    return f">>> {first}\n{prefixed(rest, '... ')}"


def python_2(text: str) -> str:
    return text.replace(":", ":  # old", 1).replace("    for", '    print "start", w\n    for', 1)


def renamed(text: str, name: str) -> str:
    return re.sub(r"def \w+", lambda _: f"def {name}", text)


IN_ANOTHER_FILE = {
    "a statement of Python 2 after it": ("old.py", lambda text: f'{text}\nprint "x", 1\n'),
    "a statement of Python 2 inside": ("old.py", python_2),
    "another Python than any": ("new.py", lambda text: text.replace("(", "[T](", 1) + "\ntype X[T] := T\n"),
    "comments": ("notes.py", lambda text: f"X = 1\n{prefixed(text, '# ')}"),
    "comments without spaces": ("notes.py", lambda text: f"X = 1\n{prefixed(text, '#')}"),
    "indented comments": ("notes.py", lambda text: f"def f():\n{prefixed(text, '    # ')}    pass\n"),
    "a string": ("history.py", lambda text: f"OLD = {text!r}\n"),
    "a docstring": ("history.py", lambda text: f"def f():\n    '''\n{prefixed(text, '    ')}    '''\n"),
    "a docstring with prompts": ("history.py", lambda text: f"'''Example:\n\n{prompted(text)}'''\n"),
    "base64 in a string": ("p.py", lambda text: f"P = '{base64.b64encode(text.encode()).decode()}'\n"),
    "a patch": ("change.diff", lambda text: f"@@ -1 +1 @@\n{prefixed(text, '+')}"),
    "line numbers": (
        "list.txt",
        lambda text: "".join(f"{number:4d}  {line}\n" for number, line in enumerate(text.splitlines(), 1)),
    ),
    "JSON": ("notes.json", lambda text: json.dumps({"code": text})),
    "a template with braces": ("kernels.py", lambda text: f"K = {renamed(text, '{name}')!r}\n"),
    "a template with part of the name": ("kernels.py", lambda text: f"K = {renamed(text, 'old_{name}')!r}\n"),
    "a template with dollars": ("kernels.txt", lambda text: renamed(text, "$name")),
    "a template with defaults": ("kernels.py", lambda text: f"K = {text.replace('d)', 'd=%(rate)s)')!r}\n"),
    "an f-string": (
        "kernels.py",
        lambda text: f'def make(name):\n    return f"""\n{renamed(text, "{name}")}"""\n',
    ),
    "strings side by side": (
        "kernels.py",
        lambda text: (
            f"K = (\n{''.join(f'    {line!r}' + chr(10) for line in renamed(text, '{}').splitlines(True))})\n"
        ),
    ),
    "a header on several lines": (
        "kernels.txt",
        lambda text: renamed(text, "{name}").replace("w, ", "w,\n    "),
    ),
    "a space before the parameters": ("notes.md", lambda text: text.replace("(xs", " (xs")),
    "a pair of parameters": ("old.py", lambda text: text.replace("w, d)", "(w, d))") + '\nprint "x"\n'),
    "parameters left out": ("notes.md", lambda text: text.replace("w, d)", "...)")),
    "a comment without indentation": (
        "notes.md",
        lambda text: text.replace("        acc =", "# old\n        acc ="),
    ),
}


@pytest.mark.parametrize("form", IN_ANOTHER_FILE)
def test_a_near_copy_in_another_file_is_found(form: str) -> None:
    path, write = IN_ANOTHER_FILE[form]
    for name in ("smooth", "moving"):
        files = {"core.py": CORE.encode(), path: write(OLDER.format(name=name)).encode()}
        (twin,) = find_twins([PLACE], files)
        assert (twin.how, twin.verbatim) == ("hidden copy", True)
        assert twin.where.startswith(path)
    files = {"core.py": CORE.encode(), path: write(OTHER.format(name="smooth")).encode()}
    assert find_twins([PLACE], files) == []


@pytest.mark.parametrize(
    "rest",
    ["{comments}", "OLD = {text!r}\n", "def f():\n{indented_comments}    return 1\n", "'''\n{prompts}'''\n"],
)
def test_a_near_copy_beside_the_code_of_the_same_file_is_found(rest: str) -> None:
    for source, count in ((OLDER, 1), (OTHER, 0)):
        text = source.format(name="smooth")
        filled = rest.format(
            text=text,
            comments=prefixed(text, "# "),
            indented_comments=prefixed(text, "    # "),
            prompts=prompted(text),
        )
        twins = find_twins([PLACE], {"core.py": f"{CORE}\n\n{filled}".encode()})
        assert [twin.how for twin in twins] == ["hidden copy"] * count


def test_a_function_that_is_code_is_a_near_twin_as_before() -> None:
    method = textwrap.indent(OLDER.format(name="smooth"), "    ")
    files = {"core.py": CORE.encode(), "old.py": f"class Old:\n{method}".encode()}
    (twin,) = find_twins([PLACE], files)
    assert (twin.where, twin.how, twin.verbatim) == ("old.py::Old.smooth", "near twin", False)
