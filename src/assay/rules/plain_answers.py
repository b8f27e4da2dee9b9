"""Answers of calls as plain data: which form they have, and when two of them agree.

Numbers agree by value, floats within a tolerance. Sets and mappings have no order. Lists, tuples, arrays and
iterators have the same form already (`injected/assay_plain_data.py`). Of objects, the attributes that the
solution's object has count, and others do not.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Mapping
from typing import Any

RELATIVE = 1e-6
ABSOLUTE = 1e-9
"""Of floats near zero."""
MOST_LINE_BYTES = 200_000
_NUMBER = re.compile(rb'\{"id": (\d{1,9}), "answer": ')
"""How a line of an answer begins."""


def agrees(answer: object, right: Mapping[str, Any]) -> bool:
    """Whether an answer is right: what it returns or raises, and what its arguments are afterwards."""
    if not isinstance(answer, dict) or not _raises_same(answer.get("raised"), right.get("raised")):
        return False
    if not same(answer.get("value"), right.get("value")):
        return False
    after = answer.get("after")
    if not isinstance(after, dict):
        return False
    return all(name in after and same(after[name], value) for name, value in right["after"].items())


def _raises_same(answer: object, right: list[str] | None) -> bool:
    """Whether both raise nothing, or one error is of the class of the other; the first name is its own."""
    if not answer or not right:
        return not answer and not right
    return isinstance(answer, list) and (right[0] in answer or answer[0] in right)


def as_expected(answer: Any) -> Any:
    """A right answer without attributes that begin with `_`, of objects that have others."""
    if isinstance(answer, list):
        return [as_expected(part) for part in answer]
    if not isinstance(answer, dict):
        return answer
    parts = {name: as_expected(part) for name, part in answer.items()}
    if "object" in parts and isinstance(attributes := parts.get("attributes"), list):
        public = [pair for pair in attributes if not pair[0].startswith("_")]
        parts["attributes"] = public if public or "items" in parts else attributes
    return parts


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


def read_answers(data: bytes, asked: Container[int] | None = None) -> dict[int, Any]:
    """Number of a call → its answer; lines that have no such form, or are too long, are left out.

    `asked` are the calls whose answers count; None for all.
    """
    answers: dict[int, Any] = {}
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        line, start = data[start : min(end, start + MOST_LINE_BYTES + 1)], end + 1
        number = _NUMBER.match(line)
        if number is None or len(line) > MOST_LINE_BYTES:
            continue
        if int(number[1]) in answers or (asked is not None and int(number[1]) not in asked):
            continue
        try:
            answers[int(number[1])] = json.loads(line)["answer"]
        except (ValueError, RecursionError, KeyError, TypeError):
            continue
    return answers
