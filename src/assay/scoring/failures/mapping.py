"""Which words mean which type: a JSON file that a person can read, change and keep.

What the file says wins over rules, clusters and models. To move failures to another type, change `type` of
an assignment; to make a type, add it under `types`. New failures are added to it and nothing is taken away.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import Field, ValidationError

from assay.errors import UsageError
from assay.rules.documents import read_json
from assay.scoring.failures.taxonomy import FOLLOWS, By, FailureType, Phase, taxonomy
from assay.tasks.metric import Strict


class TypeAssignment(Strict):
    """Failures in the same words, and their type."""

    type: str
    """The id of the type."""
    by: By
    """Who named the type."""
    phase: Phase
    """The phase of these failures."""
    quote: str
    """One of them, for whoever reviews it."""


class TypeMap(Strict):
    """Types beyond the built-in ones, and the type of each fingerprint."""

    format: int = 1
    """The version of this file's format."""
    types: dict[str, FailureType] = Field(default_factory=dict)
    """Types beyond the built-in ones, by id."""
    assignments: dict[str, TypeAssignment] = Field(default_factory=dict)
    """Fingerprint of a phase and its words → type."""


def read_map(place: Path) -> TypeMap:
    """The map in a file; an empty one where there is no file yet."""
    if not place.exists():
        return TypeMap()
    try:
        type_map = TypeMap.model_validate(read_json(place.read_bytes()))
    except (ValueError, OSError) as error:
        first = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": str(error)}
        location = ".".join(str(step) for step in first["loc"])
        problem = f"{location} {first['msg']}".strip()
        raise UsageError(
            f"{place} is not a mapping of failures: {problem}",
            hint="correct the file, or name a new one, which is written",
        ) from None
    for mark, assignment in type_map.assignments.items():
        if assignment.type not in {FOLLOWS, *type_map.types, *taxonomy()}:
            raise UsageError(
                f"{place}: assignment {mark} names the type {assignment.type!r}, which is not there",
                hint="add it under `types`, or name a built-in one: `assay failures LOGS --json` lists them",
            )
    return type_map


def write_map(type_map: TypeMap, place: Path) -> None:
    """Writes the map, sorted, so that two versions can be compared line by line."""
    table = type_map.model_dump(mode="json")
    text = json.dumps(table, indent=2, ensure_ascii=False, sort_keys=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text + "\n", encoding="utf-8")
