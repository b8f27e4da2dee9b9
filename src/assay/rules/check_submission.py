#!/usr/bin/env python3
"""Reports which files of a submission are missing or malformed, and the fix; it cannot judge their answers.

This file is two things: the module with which grading reads a submission, and the program that an agent
runs inside its sandbox, where it needs only Python 3.6. The task's contract is in the same folder.
"""

import json
import sys
from pathlib import Path
from typing import Any, Iterator, Optional, Tuple

ROLES = ("constant", "independent", "dependent")
MAX_FILE_BYTES = 1000000
"""Largest file that is read, in bytes."""
MAX_DEPTH = 40
"""Deepest allowed nesting of lists and objects."""

DESIGN: Any = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "design.json",
    "description": "The plan: each variable under its role, with its value or values.",
    "type": "object",
    "properties": {role: {"type": ["object", "array"]} for role in ROLES},
    "anyOf": [{"required": [role]} for role in ROLES],
}
CONCLUSION: Any = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "conclusion.json",
    "description": "What follows from the numbers: an answer to each question of the task, by its name.",
    "type": "object",
    "properties": {"claims": {"type": "object"}},
    "required": ["claims"],
}
SCHEMAS = {"design.json": DESIGN, "conclusion.json": CONCLUSION}
EXAMPLES = {
    "design.json": '{"constant": {"name": value}, "independent": {"name": [values]}, "dependent": ["name"]}',
    "conclusion.json": '{"summary": "two or three sentences", "claims": {"name": answer}}',
}
TYPES: Any = {"object": dict, "array": list, "string": str, "number": (int, float), "boolean": bool}


def read(name: str, data: Optional[bytes]) -> Tuple[Any, Optional[str]]:
    """Return the content of a submitted file, or its first error."""
    if data is None:
        return None, f"{name} was not handed in"
    if len(data) > MAX_FILE_BYTES:
        return None, f"{name} has {len(data):,} bytes, at most {MAX_FILE_BYTES:,} are read"
    try:
        value = json.loads(data, object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError) as error:
        return None, f"{name} is not JSON: {str(error)[:200]}"
    if depth(value) > MAX_DEPTH:
        return None, f"{name} is nested more than {MAX_DEPTH} deep"
    problem = next(schema_errors(value, SCHEMAS.get(name, {}), name), None)
    return (None, problem) if problem else (value, None)


def schema_errors(value: Any, schema: Any, location: str) -> Iterator[str]:
    """Yield the errors of a value against a schema, for the part of JSON Schema that is used here."""
    types = schema.get("type", [])
    names = [types] if isinstance(types, str) else types
    if names and not any(_has_type(value, name) for name in names):
        yield f"{location} is {_type_name(value)}, expected {' or '.join(names)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{location} is {str(value)[:60]!r}, expected {' or '.join(map(json.dumps, schema['enum']))}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{location} has no {key!r}"
        if "anyOf" in schema and all(
            any(schema_errors(value, option, location)) for option in schema["anyOf"]
        ):
            keys = [key for option in schema["anyOf"] for key in option["required"]]
            yield f"{location} has none of {', '.join(keys)}"
        for key, part in schema.get("properties", {}).items():
            if key in value:
                yield from schema_errors(value[key], part, f"{location}: {key!r}")


def _has_type(value: Any, name: str) -> bool:
    if name == "number":
        return isinstance(value, TYPES[name]) and not isinstance(value, bool) and abs(value) < float("inf")
    return isinstance(value, TYPES[name])


def _type_name(value: Any) -> str:
    return (
        "null" if value is None else next((name for name in TYPES if _has_type(value, name)), str(value)[:60])
    )


def _unique_keys(pairs: Any) -> Any:
    values = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{name[:60]!r} stands there twice")
        values[name] = value
    return values


def depth(value: Any) -> int:
    """Return the nesting depth of lists and objects, counted up to the limit."""
    deepest, layer = 0, [value]
    while layer and deepest <= MAX_DEPTH:
        parts = [part.values() if isinstance(part, dict) else part for part in layer]
        layer = [
            child
            for part in parts
            if not isinstance(part, str) and hasattr(part, "__iter__")
            for child in part
        ]
        deepest += 1
    return deepest


def problems(contract: Any, folder: Path) -> Iterator[str]:
    """Yield every missing or malformed file of a workspace, with its fix."""
    for name in contract["required"]:
        if not (folder / name).is_file():
            yield f"{name} is missing: write it" + (f", as {EXAMPLES[name]}" if name in EXAMPLES else "")
    for name in contract["written"]:
        if not (folder / name).is_file():
            yield f"{name} is missing: run `{contract['run']}`, which must write it"
        elif name.endswith(".json"):
            yield from _json_errors(name, folder / name)
    for name, schema in contract["schemas"].items():
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                value, problem = read(name, file.read(MAX_FILE_BYTES + 1))
            if problem:
                yield f"{problem}: write {EXAMPLES[name]}"
            else:
                yield from schema_errors(value, schema, name)
                yield from _missing_variables(name, value, contract["variables"])


def _json_errors(name: str, path: Path) -> Iterator[str]:
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        yield f"{name} is not JSON: {str(error)[:200]}: fix the code that writes it"


def _missing_variables(name: str, value: Any, variables: Any) -> Iterator[str]:
    if name == "design.json":
        stated_names = {
            _letters_and_digits(variable_name) for role in ROLES for variable_name in value.get(role, ())
        }
        for variable in variables:
            if _letters_and_digits(variable) not in stated_names:
                yield f"{name} gives no role to {variable!r}: add it under one of {', '.join(ROLES)}"


def _letters_and_digits(name: Any) -> str:
    return "".join(character for character in str(name).casefold() if character.isalnum())


def main() -> int:
    """Print every problem of the workspace; return 1 if there is one."""
    contract = json.loads(Path(__file__).resolve().with_name("contract.json").read_text("utf-8"))
    messages = list(problems(contract, Path(sys.argv[1] if len(sys.argv) > 1 else "/workspace")))
    print("\n".join(messages) if messages else "All requested files are present and well-formed.")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
