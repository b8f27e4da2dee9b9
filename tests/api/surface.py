"""The public surface as text; `python -m tests.api.surface` prints it, for tests/api/surface.txt."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable

from pydantic import BaseModel

import assay


def surface() -> str:
    """Every public name with its signature, and every public member of each class."""
    lines = []
    for name in sorted(assay.__all__):
        value = getattr(assay, name)
        if inspect.isclass(value):
            lines += [f"class {name}{_bases(value)}", *(f"    {member}" for member in _members(value))]
        else:
            lines.append(f"{name}{_signature(value)}")
    return "\n".join(lines) + "\n"


def _bases(cls: type) -> str:
    names = [base.__name__ for base in cls.__bases__ if base is not object]
    return f"({', '.join(names)})" if names else ""


def _members(cls: type) -> list[str]:
    """Fields, properties and methods that the class itself defines."""
    members = [f"{name}: {annotation}" for name, annotation in _fields(cls).items()]
    for name, value in sorted(vars(cls).items()):
        if name.startswith("_") or name in _fields(cls):
            continue
        if inspect.isfunction(value):
            members.append(f"{name}{_signature(value)}")
        elif isinstance(value, property) or hasattr(value, "func"):
            getter = value.fget if isinstance(value, property) else value.func
            members.append(f"{name} -> {getter.__annotations__.get('return')}")
    return members


def _fields(cls: type) -> dict[str, object]:
    if not (dataclasses.is_dataclass(cls) or issubclass(cls, BaseModel)):
        return {}
    annotations = vars(cls).get("__annotations__", {})
    return {name: text for name, text in annotations.items() if not name.startswith("_")}


class _Annotation(str):
    """Text of an annotation, which a signature shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _signature(function: Callable[..., object]) -> str:
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(annotation=_Annotation(parameter.annotation))
        if isinstance(parameter.annotation, str)
        else parameter
        for parameter in signature.parameters.values()
    ]
    return str(
        signature.replace(parameters=parameters, return_annotation=_Annotation(signature.return_annotation))
    )


if __name__ == "__main__":
    print(surface(), end="")
