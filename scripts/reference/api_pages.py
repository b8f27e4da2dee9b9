"""The Python API: each public name of `assay`, as a directive that mkdocstrings replaces by its docstring."""

from __future__ import annotations

import inspect

import assay


def api_reference(group: str) -> str:
    """The names of one group: `functions`, `classes` or `errors`."""
    return "\n\n".join(f"::: assay.{name}" for name in public_names(group))


def public_names(group: str) -> list[str]:
    """The names of `assay.__all__` that belong to a group."""
    return [name for name in assay.__all__ if _group(name) == group]


def _group(name: str) -> str:
    value = getattr(assay, name)
    if not inspect.isclass(value):
        return "functions"
    return "errors" if issubclass(value, Exception) else "classes"
