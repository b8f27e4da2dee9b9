"""Trivial fillings of an emptied function; grading must reject every one of them."""

from __future__ import annotations

import ast

from assay.masking.leaks.sources import with_body, with_decorators
from assay.masking.pipeline.candidates import MaskCandidate
from assay.masking.pipeline.mutants import function_text
from assay.masking.pipeline.slips import with_fields

_ZEROS = """

def _zeros_like(value):
    if isinstance(value, (tuple, list)):
        made = [_zeros_like(each) for each in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return {key: _zeros_like(each) for key, each in value.items()}
    if isinstance(value, (bool, int, float, complex)):
        return type(value)(0)
    if hasattr(value, "shape"):
        return value * 0
    if hasattr(value, "__dict__") and not callable(value):
        for name, each in list(vars(value).items()):
            if each is not value:
                setattr(value, name, _zeros_like(each))
    return value
"""


def fillings(source: bytes, candidate: MaskCandidate) -> dict[str, bytes]:
    """Map each trivial filling's name to the file with it."""
    function = candidate.defined.place.function
    versions = {
        "returns-none": with_body(source, function, "return None"),
        "returns-zero": with_body(source, function, "return 0"),
    }
    first = _first_argument(candidate)
    if first is not None:
        versions["returns-first-argument"] = with_body(source, function, f"return {first}")
    if candidate.traced.returns_numbers:
        zeros = "lambda gold: lambda *given, **named: _zeros_like(gold(*given, **named))"
        versions["returns-zeros"] = with_decorators(source, {function: zeros}) + _ZEROS.encode()
    return versions


def filling_texts(candidate: MaskCandidate) -> dict[str, str]:
    """Map the fillings that are one statement to the text of the function."""
    statements = {"returns-none": "return None", "returns-zero": "return 0"}
    first = _first_argument(candidate)
    if first is not None:
        statements["returns-first-argument"] = f"return {first}"
    defined = candidate.defined
    return {
        name: function_text(defined.place, with_fields(defined.node, body=ast.parse(statement).body))
        for name, statement in statements.items()
    }


def _first_argument(candidate: MaskCandidate) -> str | None:
    arguments = candidate.defined.node.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    if candidate.defined.kind in ("method", "classmethod", "property"):
        names = names[1:]
    return names[0] if names else None
