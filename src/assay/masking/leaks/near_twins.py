"""Finds functions that are almost the same as a masked function."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from assay.masking.leaks.information import information
from assay.masking.leaks.sources import DefinedFunction, FunctionPlace

MIN_SIMILARITY = 0.8
MIN_TOKENS = 20
"""A function with fewer tokens is a twin only if it is the same, apart from the names of its variables."""
MIN_FUNCTION_BITS = 24.0
"""A whole function with less information may be the same by chance: `return a + b` has about 12 bits."""

TwinKind = Literal["near twin", "text", "hidden copy", "compiled copy", "unread"]


@dataclass(frozen=True)
class Twin:
    """Another place that reveals a body, or may reveal it."""

    place: FunctionPlace
    """The revealed function."""
    where: str
    """A function of the repository, or a file of it or of the environment; `!` precedes a part of a file."""
    alike: float
    verbatim: bool
    """True if it forbids a task."""
    how: TwinKind = "text"
    why: str = ""
    """Why a file could not be searched."""

    @property
    def description(self) -> str:
        """Description of the problem."""
        if self.how == "unread":
            return f"{self.where} cannot be searched for copies: {self.why}"
        verbs = {"near twin": "is a near twin", "hidden copy": "hides a near copy"}
        verbs |= {"compiled copy": "holds a compiled copy", "text": "holds the text"}
        verb = "holds the text" if self.verbatim and self.how == "near twin" else verbs[self.how]
        return f"{self.where} {verb} of {self.place.function} ({self.alike:.0%})"


def near_twins(masked: DefinedFunction, definitions: Iterable[DefinedFunction]) -> list[Twin]:
    """Return the functions whose body is almost the same, without regard to local names."""
    tokens = _tokens(masked)
    if len(tokens) < MIN_TOKENS:
        return _same_functions(masked, definitions)
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(tokens)
    twins = []
    for candidate in definitions:
        if _overlap(masked.place, candidate.place):
            continue
        other_tokens = _tokens(candidate)
        if not 0.6 * len(tokens) < len(other_tokens) < 1.7 * len(tokens):
            continue
        matcher.set_seq1(other_tokens)
        if matcher.real_quick_ratio() <= MIN_SIMILARITY or matcher.quick_ratio() <= MIN_SIMILARITY:
            continue
        ratio = matcher.ratio()
        if ratio > MIN_SIMILARITY:
            is_same = body_code(masked) == body_code(candidate)
            twins.append(Twin(masked.place, str(candidate.place), round(ratio, 3), is_same, "near twin"))
    return twins


def count_tokens(function: DefinedFunction) -> int:
    """Return the length of a body in tokens."""
    return len(_tokens(function))


def _same_functions(masked: DefinedFunction, definitions: Iterable[DefinedFunction]) -> list[Twin]:
    """Return the functions with the same code as a small function, apart from the names of variables."""
    if body_bits(masked) < MIN_FUNCTION_BITS:
        return []
    return [
        Twin(masked.place, str(candidate.place), 1.0, body_code(masked) == body_code(candidate), "near twin")
        for candidate in definitions
        if not _overlap(masked.place, candidate.place) and is_same_code(masked, candidate)
    ]


def is_same_code(first: DefinedFunction, second: DefinedFunction) -> bool:
    """True if two bodies are the same, apart from the names of variables."""
    return _tokens(first) == _tokens(second) and _numbered_tokens(first) == _numbered_tokens(second)


def body_bits(defined: DefinedFunction) -> float:
    """Return the estimated information in a body."""
    return sum(information(body_code(defined).splitlines()))


def _overlap(first: FunctionPlace, second: FunctionPlace) -> bool:
    """True if two functions are the same, or one is inside the other and masked with it."""
    names = f"{first.function}.", f"{second.function}."
    return first.file == second.file and (names[0].startswith(names[1]) or names[1].startswith(names[0]))


def statements(defined: DefinedFunction) -> list[ast.stmt]:
    """Return the statements of a body without its docstring."""
    has_docstring = ast.get_docstring(defined.node, clean=False) is not None
    return defined.node.body[1:] if has_docstring else defined.node.body


@lru_cache(maxsize=20_000)
def body_code(defined: DefinedFunction) -> str:
    """Return a body in normal form, without its docstring."""
    return "\n".join(ast.unparse(statement) for statement in statements(defined))


def _local_names(defined: DefinedFunction) -> set[str]:
    names = {node.arg for node in ast.walk(defined.node) if isinstance(node, ast.arg)}
    return names | {
        node.id
        for node in ast.walk(defined.node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _code_tokens(defined: DefinedFunction) -> list[str]:
    tokens = tokenize.generate_tokens(io.StringIO(body_code(defined)).readline)
    return [token.string for token in tokens if token.string.strip()]


@lru_cache(maxsize=20_000)
def _tokens(defined: DefinedFunction) -> list[str]:
    """Return the body's tokens in normal form, with every local name replaced by the same word."""
    local_names = _local_names(defined)
    return ["name" if token in local_names else token for token in _code_tokens(defined)]


def _numbered_tokens(defined: DefinedFunction) -> list[str]:
    """Return the body's tokens, with every local name replaced by the number of its first use."""
    local_names = _local_names(defined)
    numbers: dict[str, str] = {}
    return [
        numbers.setdefault(token, f"name {len(numbers)}") if token in local_names else token
        for token in _code_tokens(defined)
    ]
