"""Turns a notebook into a script that prints what the notebook would show."""

from __future__ import annotations

import ast
import json
import re
import warnings

_MAGIC = re.compile(r"^(\s*)([%!?].*)$")
_RESTART = re.compile(r"^(\s*)((?:exit|quit|os\._exit)\(\w*\).*)$")
"""In a notebook this only restarts the kernel, mostly after an installation."""
_CELL_MAGIC = re.compile(r"\s*%%(?!time|timeit|capture|prun)\w")
_SHOW = "show_value"
_HEAD = f"""display = print


def {_SHOW}(value):
    if value is not None:
        print(value)

"""


def notebook_script(notebook: bytes) -> bytes | None:
    """Return the code cells of a notebook as one script.

    Magics, shell lines and restarts are commented out, and cells in another language are left out. The value
    of a cell's last expression is printed, because a notebook shows it.
    """
    try:
        cells = json.loads(notebook)["cells"]
        sources = [cell.get("source", "") for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    texts = ["".join(source) if isinstance(source, list) else str(source) for source in sources]
    scripts = [_cell_script(text) for text in texts if not _CELL_MAGIC.match(text)]
    needs_head = any(f"{_SHOW}(" in script or "display(" in script for script in scripts)
    return "\n".join([*([_HEAD] if needs_head else []), *scripts, ""]).encode()


def _cell_script(text: str) -> str:
    plain = "\n".join(_commented_out(line) for line in text.splitlines())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(plain).body
    except (SyntaxError, ValueError):
        return plain
    last = body[-1] if body else None
    if not isinstance(last, ast.Expr) or last.end_lineno is None or last.end_col_offset is None:
        return plain
    lines = plain.encode().splitlines()
    before = [*lines[: last.lineno - 1], lines[last.lineno - 1][: last.col_offset]]
    after = [lines[last.end_lineno - 1][last.end_col_offset :], *lines[last.end_lineno :]]
    expression = ast.get_source_segment(plain, last) or ""
    if after[0].strip().startswith(b";") or _is_shown(last.value):
        return plain
    head, tail = b"\n".join(before).decode(), b"\n".join(after).decode()
    return f"{head}{_SHOW}({expression}){tail}"


def _commented_out(line: str) -> str:
    """Return a line of Python as it is; a magic, a shell line or a restart of the kernel as a comment."""
    return _RESTART.sub(r"\1pass  # \2", _MAGIC.sub(r"\1pass  # \2", line))


def _is_shown(value: ast.expr) -> bool:
    """Whether an expression prints by itself, or has no value."""
    if isinstance(value, ast.Constant | ast.Await | ast.Yield):
        return True
    name = ast.unparse(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
    return name in ("print", "display", "show")
