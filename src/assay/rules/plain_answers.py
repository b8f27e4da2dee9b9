"""Answers of calls as plain data: which form they have, and when two of them agree.

Numbers agree by value, floats within a tolerance. Sets and mappings have no order. Lists, tuples, arrays and
iterators have the same form already (`injected/assay_plain_data.py`). Of objects, the attributes that the
solution's object has count, and others do not.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

RELATIVE = 1e-6
ABSOLUTE = 1e-9
"""Of floats near zero."""
MOST_LINE_BYTES = 200_000


def agrees(answer: object, right: Mapping[str, Any]) -> bool:
    """Whether an answer is the right one: what it returns or raises, and what it changes in its arguments."""
    if not isinstance(answer, dict):
        return False
    if ("raised" in right) != ("raised" in answer) or right.get("raised") != answer.get("raised"):
        return False
    if not same(answer.get("value"), right.get("value")):
        return False
    changed = answer.get("changed")
    if not isinstance(changed, dict):
        return False
    return all(name in changed and same(changed[name], value) for name, value in right["changed"].items())


def same(value: Any, right: Any) -> bool:
    """Whether two values as plain data are the same."""
    if isinstance(right, (int, float)) and isinstance(value, (int, float)):
        return _same_number(value, right)
    if isinstance(right, list):
        is_list = isinstance(value, list) and len(value) == len(right)
        return is_list and all(map(same, value, right))
    if not isinstance(right, dict):
        return type(value) is type(right) and bool(value == right)
    if not isinstance(value, dict) or not right.keys() <= value.keys():
        return False
    return all(_same_part(name, value[name], part) for name, part in right.items())


def _same_part(name: str, value: Any, right: Any) -> bool:
    if name == "set" and isinstance(value, list) and len(value) == len(right):
        return same(sorted(value, key=key_of), sorted(right, key=key_of))
    if name in ("dict", "attributes") and isinstance(value, list):
        entries, right_entries = _entries(value), _entries(right)
        is_whole = name == "attributes" or len(entries) == len(right_entries)
        return is_whole and all(
            key in entries and same(entries[key], part) for key, part in right_entries.items()
        )
    return same(value, right)


def _entries(pairs: list[Any]) -> dict[str, Any]:
    return {key_of(pair[0]): pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2}


def _same_number(value: float, right: float) -> bool:
    if value == right:
        return True
    if isinstance(value, int) and isinstance(right, int):
        return False
    try:
        return math.isclose(value, right, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:
        return False


def key_of(value: object) -> str:
    """A text by which plain data can be found again and sorted; 1, 1.0 and true have the same one."""
    return json.dumps(_with_one_number_form(value), sort_keys=True)


def _with_one_number_form(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_one_number_form(part) for part in value]
    if isinstance(value, dict):
        return {name: _with_one_number_form(part) for name, part in value.items()}
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    return value


def read_answers(data: bytes) -> dict[int, Any]:
    """Number of a call → its answer; lines that have no such form, or are too long, are left out."""
    answers: dict[int, Any] = {}
    for line in data.split(b"\n"):
        if len(line) > MOST_LINE_BYTES:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and isinstance(entry.get("id"), int):
            answers.setdefault(entry["id"], entry.get("answer"))
    return answers
