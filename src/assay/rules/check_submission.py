#!/usr/bin/env python3
"""Says what of a submission is missing or malformed, and what mends it; of right and wrong it knows nothing.

This file is two things: the module by which grading reads what was handed in, and the program that an agent
runs inside its sandbox, where it needs nothing but Python 3.6. The task's contract lies beside it.
"""

import json
import sys
from pathlib import Path
from typing import Any, Iterator, Optional, Tuple

ROLES = ("constant", "independent", "dependent")
LONGEST = 1000000
"""Bytes of a file that are read."""
DEEPEST = 40
"""How deep lists and objects may lie in each other."""

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
    """What a file of the submission holds, or the first thing that is wrong with it."""
    if data is None:
        return None, f"{name} was not handed in"
    if len(data) > LONGEST:
        return None, f"{name} has {len(data):,} bytes, at most {LONGEST:,} are read"
    try:
        value = json.loads(data, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return None, f"{name} is not JSON: {str(error)[:200]}"
    if depth(value) > DEEPEST:
        return None, f"{name} is nested more than {DEEPEST} deep"
    problem = next(complaints(value, SCHEMAS.get(name, {}), name), None)
    return (None, problem) if problem else (value, None)


def complaints(value: Any, schema: Any, place: str) -> Iterator[str]:
    """Where a value does not fit a schema, for as much of JSON Schema as is used here."""
    wanted = schema.get("type", [])
    names = [wanted] if isinstance(wanted, str) else wanted
    if names and not any(_is(value, each) for each in names):
        yield f"{place} is {_kind(value)}, expected {' or '.join(names)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {str(value)[:60]!r}, expected {' or '.join(map(json.dumps, schema['enum']))}"
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{place} has no {key!r}"
        if "anyOf" in schema and all(any(complaints(value, each, place)) for each in schema["anyOf"]):
            keys = [key for each in schema["anyOf"] for key in each["required"]]
            yield f"{place} has none of {', '.join(keys)}"
        for key, part in schema.get("properties", {}).items():
            if key in value:
                yield from complaints(value[key], part, f"{place}: {key!r}")


def _is(value: Any, name: str) -> bool:
    if name == "number":
        return isinstance(value, TYPES[name]) and not isinstance(value, bool) and abs(value) < float("inf")
    return isinstance(value, TYPES[name])


def _kind(value: Any) -> str:
    return "null" if value is None else next((name for name in TYPES if _is(value, name)), str(value)[:60])


def _once(pairs: Any) -> Any:
    found = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:60]!r} stands there twice")
        found[name] = value
    return found


def depth(value: Any) -> int:
    """How deep lists and objects lie in each other, counted as far as it matters."""
    deepest, layer = 0, [value]
    while layer and deepest <= DEEPEST:
        parts = [part.values() if isinstance(part, dict) else part for part in layer]
        layer = [
            each for part in parts if not isinstance(part, str) and hasattr(part, "__iter__") for each in part
        ]
        deepest += 1
    return deepest


def problems(contract: Any, folder: Path) -> Iterator[str]:
    """All that is missing or malformed in a workspace, each with what mends it."""
    for name in contract["required"]:
        if not (folder / name).is_file():
            yield f"{name} is missing: write it" + (f", as {EXAMPLES[name]}" if name in EXAMPLES else "")
    for name in contract["written"]:
        if not (folder / name).is_file():
            yield f"{name} is missing: run `{contract['run']}`, which must write it"
        elif name.endswith(".json"):
            yield from _unreadable(name, folder / name)
    for name, schema in contract["schemas"].items():
        if (folder / name).is_file():
            with (folder / name).open("rb") as file:
                value, problem = read(name, file.read(LONGEST + 1))
            if problem:
                yield f"{problem}: write {EXAMPLES[name]}"
            else:
                yield from complaints(value, schema, name)
                yield from _unnamed(name, value, contract["variables"])


def _unreadable(name: str, path: Path) -> Iterator[str]:
    try:
        json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        yield f"{name} is not JSON: {str(error)[:200]}: mend what writes it"


def _unnamed(name: str, value: Any, variables: Any) -> Iterator[str]:
    if name == "design.json":
        stated = {_plain(each) for role in ROLES for each in value.get(role, ())}
        for variable in variables:
            if _plain(variable) not in stated:
                yield f"{name} gives no role to {variable!r}: add it under one of {', '.join(ROLES)}"


def _plain(name: Any) -> str:
    return "".join(each for each in str(name).casefold() if each.isalnum())


def main() -> int:
    """Print every problem of the workspace; 1 where there is any."""
    contract = json.loads(Path(__file__).resolve().with_name("contract.json").read_text("utf-8"))
    found = list(problems(contract, Path(sys.argv[1] if len(sys.argv) > 1 else "/workspace")))
    print("\n".join(found) if found else "Everything that was asked for is there and well-formed.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
