"""The Python API: every public name of `assay`, as a directive that mkdocstrings replaces by its docs."""

from __future__ import annotations

import inspect

import assay


def api_reference(group: str) -> str:
    """The names of one group: `functions`, `classes` or `errors`."""
    return "\n\n".join(f"::: {_definition(name)}" for name in public_names(group))


def public_names(group: str) -> list[str]:
    """The names of `assay.__all__` that belong to a group."""
    return [name for name in assay.__all__ if _group(name) == group]


def _definition(name: str) -> str:
    """Where a name is defined: `assay.report` as a path would be the package, not the function."""
    value = getattr(assay, name)
    return f"{value.__module__}.{value.__qualname__}"


def _group(name: str) -> str:
    value = getattr(assay, name)
    if not inspect.isclass(value):
        return "functions"
    return "errors" if issubclass(value, Exception) else "classes"
