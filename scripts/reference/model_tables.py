"""Tables of the fields of pydantic models: name, type, default, and the docstring beneath the field."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

Model = type[BaseModel]

WORDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    bytes: "bytes",
    type(None): "null",
    Any: "anything",
    object: "anything",
}


@dataclass(frozen=True)
class Section:
    """One model, and where it stands in the file."""

    model: Model
    place: str
    """The path of keys that leads to it; empty for the whole file."""
    repeated: bool
    """Whether the file may have several of it."""


def toml_reference(argument: str) -> str:
    """Every table of a TOML file, as `MODULE:CLASS` describes it, with a heading for each."""
    root = load_model(argument)
    parts = [_toml_section(section) for section in _sections(root)]
    return "\n\n".join(parts)


def json_reference(argument: str) -> str:
    """Every object of a JSON shape, as `MODULE:CLASS` describes it; the first is the shape itself."""
    root = load_model(argument)
    parts = []
    for model in _models_below(root):
        title = f"#### {model.__name__} {{ #{_anchor(root, model)} }}\n\n"
        parts.append((title if model is not root else "") + _described(model) + _table(model, root))
    return "\n\n".join(parts)


def load_model(argument: str) -> Model:
    """The model that `MODULE:CLASS` names."""
    module, _, name = argument.partition(":")
    model = getattr(import_module(module), name)
    assert issubclass(model, BaseModel), argument
    return model


def field_docstrings(model: Model) -> dict[str, str]:
    """Field → the string literal beneath it in the source, of the model and of those it inherits from.

    One text stands beneath a pair such as `low` and `high`, or `first` and `second`, and is for both.
    """
    texts: dict[str, str] = {}
    for owner in reversed(model.__mro__):
        if not (isinstance(owner, type) and issubclass(owner, BaseModel)) or owner is BaseModel:
            continue
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        assert isinstance(body, ast.ClassDef)
        for statement, following in zip(body.body, body.body[1:], strict=False):
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                text = _literal(following)
                if text:
                    texts[statement.target.id] = " ".join(text.split())
    for name in model.model_fields:
        partner = name.replace("low", "high").replace("first", "second")
        if name not in texts and partner in texts:
            texts[name] = texts[partner]
    return texts


def _literal(statement: ast.stmt) -> str | None:
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    value = statement.value.value if is_text else None  # type: ignore[attr-defined]
    return value if isinstance(value, str) else None


def _sections(root: Model, place: str = "", repeated: bool = False) -> Iterator[Section]:
    yield Section(root, place, repeated)
    for name, field in root.model_fields.items():
        for inner, is_list in _models_of(field.annotation):
            yield from _sections(inner, f"{place}.{name}".lstrip("."), is_list)


def _toml_section(section: Section) -> str:
    brackets = f"[[{section.place}]]" if section.repeated else f"[{section.place}]"
    heading = f"### `{brackets}`" if section.place else "### Top level"
    anchor = f" {{ #{section.place.replace('.', '-') or 'top-level'} }}"
    repetition = "May stand in the file several times.\n\n" if section.repeated else ""
    return f"{heading}{anchor}\n\n{_described(section.model)}{repetition}" + _table(
        section.model, None, section
    )


def _described(model: Model) -> str:
    text = inspect.getdoc(model) or ""
    return _safe(text) + "\n\n" if text else ""


def _table(model: Model, root: Model | None, section: Section | None = None) -> str:
    texts = field_docstrings(model)
    # What a program reads has no defaults: only the files that a person writes do.
    headings = ["key", "value", *(["default"] if section else []), "meaning"]
    rows = ["| " + " | ".join(headings) + " |", "|---" * len(headings) + "|"]
    for name, field in model.model_fields.items():
        place = f"{section.place}.{name}".lstrip(".").replace(".", "-") if section else ""
        value = _described_type(field.annotation, root, place) + _limits(field)
        default = [_default(field)] if section else []
        cells = [f"`{name}`", value, *default, _safe(texts.get(name, ""))]
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _described_type(annotation: Any, root: Model | None, place: str) -> str:
    """A type in words; a model of ours becomes a link to its own section."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _described_type(arguments[0], root, place)
    if origin is Literal:
        return " or ".join(f"`{json.dumps(value)}`" for value in arguments)
    if origin in (Union, types.UnionType):
        parts = [part for part in arguments if root is not None or part is not type(None)]
        return " or ".join(dict.fromkeys(_described_type(part, root, place) for part in parts))
    if origin in (list, tuple, set, frozenset):
        inner = next((part for part in arguments if part is not Ellipsis), str)
        return f"list of {_described_type(inner, root, place)}"
    if origin is dict:
        return f"{_described_type(arguments[0], root, place)} → {_described_type(arguments[1], root, place)}"
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        anchor = place if root is None else _anchor(root, annotation)
        return f"[{annotation.__name__ if root else 'table'}](#{anchor})"
    return WORDS.get(annotation, getattr(annotation, "__name__", str(annotation)))


def _limits(field: FieldInfo) -> str:
    """What a value must keep to, beside its type."""
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    limits = []
    for rule in field.metadata:
        limits += [f"{sign} {getattr(rule, key)}" for key, sign in signs.items() if hasattr(rule, key)]
        if getattr(rule, "min_length", None):
            limits.append(f"at least {rule.min_length}")
        if getattr(rule, "pattern", None):
            limits.append(f"must match `{rule.pattern}`")
    return f", {', '.join(limits)}" if limits else ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, BaseModel):
        return ""
    return "none" if value is None else f"`{json.dumps(value, ensure_ascii=False, default=str)}`"


def _models_below(root: Model) -> list[Model]:
    ordered: list[Model] = [root]
    for model in ordered:
        for field in model.model_fields.values():
            ordered += [inner for inner, _ in _models_of(field.annotation) if inner not in ordered]
    return ordered


def _models_of(annotation: Any, repeated: bool = False) -> list[tuple[Model, bool]]:
    """The models that a type mentions, each with whether a list holds it."""
    if inspect.isclass(annotation) and not get_args(annotation):
        return [(annotation, repeated)] if issubclass(annotation, BaseModel) else []
    listed = repeated or get_origin(annotation) is list
    return [pair for part in get_args(annotation) for pair in _models_of(part, listed)]


def _anchor(root: Model, model: Model) -> str:
    return f"{root.__name__}-{model.__name__}".lower()


def _safe(text: str) -> str:
    """Text for a Markdown page: angle brackets and brackets outside code stay as they are written."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(
        part if part.startswith("`") else part.replace("<", "&lt;").replace("[", "\\[") for part in parts
    )
