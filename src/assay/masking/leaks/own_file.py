"""What the file of a masked function still shows: comments, strings, and the code of its other parts."""

from __future__ import annotations

import ast

from assay.errors import MaskError
from assay.masking.engine import mask
from assay.masking.engine.parsing import parse, read
from assay.masking.leaks.sources import FunctionPlace
from assay.masking.leaks.written_functions import prose_of

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def remaining_parts(data: bytes, place: FunctionPlace) -> tuple[bytes, list[str]]:
    """Return what remains in the file of a masked function: comments and strings, and its parts of code."""
    try:
        text = read(mask(data, [place.function]).source)
        tree = parse(text)
    except MaskError:
        return b"", []
    return prose_of(text, tree).encode(errors="replace"), _code_parts(tree)


def _code_parts(tree: ast.Module) -> list[str]:
    """Return the code of each function, and what stands outside functions in the file and in each class."""
    parts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            statements = [statement for statement in node.body if not isinstance(statement, _DEFINITIONS)]
            parts.append("\n".join(ast.unparse(statement) for statement in statements))
    return parts
