"""Estimates the information in code: a piece with little information occurs elsewhere by chance."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

_TOKEN = re.compile(
    r"""(?P<string>'[^'\n]*'|"[^"\n]*")"""
    r"""|(?P<number>(?:\d|\.\d)[\w.]*)"""
    r"""|(?P<name>\w+)"""
    r"""|(?P<operator>\*\*|//|<<|>>|[<>!=]=|[-+*/%@<>&|^~])"""
    r"""|\S"""
)
_COMMON = frozenset({"self", "cls", "np", "numpy", "math", "torch", "nn", "F", "tf", "jnp", "pd", "os", "re"})
"""Names that occur in most code."""
_BUILTINS = frozenset(dir(builtins))
_PUNCTUATION_BITS = 0.5
_COMMON_BITS = 1.0
_KEYWORD_BITS = 1.5
_OPERATOR_BITS = 2.0
_REPEATED_BITS = 2.0
"""A name that the body has already: one choice among few."""
_BUILTIN_BITS = 3.0
_LEAST_NAME_BITS = 3.0
_MOST_NAME_BITS = 8.0
_SMALL_NUMBER_BITS = 2.0
_DIGIT_BITS = 3.0
_MOST_DIGITS = 4
_MOST_STRING_BITS = 8.0


def information(lines: Iterable[str]) -> list[float]:
    """Return the estimated bits of each line; a name costs less where it occurs again."""
    known_names: set[str] = set()
    return [sum(_token_bits(match, known_names) for match in _TOKEN.finditer(line)) for line in lines]


def _token_bits(match: re.Match[str], known_names: set[str]) -> float:
    token = match.group()
    if match.lastgroup == "name":
        return _name_bits(token, known_names)
    if match.lastgroup == "number":
        digits = sum(character.isdigit() for character in token)
        return _SMALL_NUMBER_BITS if token in "012" else 1.0 + _DIGIT_BITS * min(digits, _MOST_DIGITS)
    if match.lastgroup == "string":
        return min(float(len(token)), _MOST_STRING_BITS)
    return _OPERATOR_BITS if match.lastgroup == "operator" else _PUNCTUATION_BITS


def _name_bits(name: str, known_names: set[str]) -> float:
    if name in _COMMON:
        return _COMMON_BITS
    if keyword.iskeyword(name):
        return _KEYWORD_BITS
    if name in known_names:
        return _REPEATED_BITS
    known_names.add(name)
    if name in _BUILTINS:
        return _BUILTIN_BITS
    return min(_LEAST_NAME_BITS + len(name), _MOST_NAME_BITS)
