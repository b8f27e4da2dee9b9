"""Recognizes a function by its names: compiled and pickled code contain every name, but no text.

It never unmarshals or unpickles data: that could run untrusted code, or crash.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from types import CodeType

MIN_NAMES = 4
"""A function with fewer own names cannot be distinguished from others by its names alone."""
MIN_INSTRUCTION_BYTES = 16
_LETTER_WEIGHT = 0.5
"""A name of one character is half a name: it occurs in other code more often."""
_ELF = b"\x7fELF"
_STRING_MARKS = b"zZ\xfa\xda\x8c"
"""Bytes before the length of a short string, in marshalled and in pickled code."""


@dataclass(frozen=True)
class Signature:
    """The names that identify a compiled function, and its instructions."""

    function: str
    names: frozenset[str]
    instructions: frozenset[bytes]
    """The function's own instructions, as this version of Python compiles them."""

    def in_binary(self, data: bytes) -> bool:
        """True if binary data contains the function's name and every name of its body.

        In marshalled and pickled code the length precedes each name; in a library names are plain strings.
        If the names are few, the data must contain the instructions too.
        """
        if self.function.encode() not in data:
            return False
        if data.startswith(_ELF):
            names = [name for name in self.names if len(name) > 2]
            return len(names) >= MIN_NAMES and all(_as_word(name, data) for name in (self.function, *names))
        if not self._has_enough_names and not any(code in data for code in self.instructions):
            return False
        return all(_has_counted(name.encode(), data) for name in (self.function, *self.names))

    @property
    def _has_enough_names(self) -> bool:
        return sum(1.0 if len(name) > 1 else _LETTER_WEIGHT for name in self.names) >= MIN_NAMES


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
    """Return the names of a function that the compiler keeps, and its instructions."""
    codes = [_compile(node, level) for level in (0, 2)]
    names = {name for name in _names(codes[0]) if name.isidentifier()}
    return Signature(
        node.name,
        frozenset(names - set(dir(builtins)) - {node.name}),
        frozenset(code.co_code for code in codes if len(code.co_code) >= MIN_INSTRUCTION_BYTES),
    )


def _compile(node: ast.FunctionDef | ast.AsyncFunctionDef, level: int) -> CodeType:
    """Compile a function; at level 2 without its docstring and assertions."""
    bare = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(bare, ast.FunctionDef | ast.AsyncFunctionDef)
    bare.decorator_list = []
    module = ast.Module([bare], [])
    module_code = compile(module, "function", "exec", dont_inherit=True, optimize=level)
    return next(constant for constant in module_code.co_consts if isinstance(constant, CodeType))


def _names(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = {*code.co_names, *code.co_varnames, *code.co_cellvars}
    return names.union(*(_names(inner_code) for inner_code in inner))


def _has_counted(name: bytes, data: bytes) -> bool:
    if len(name) > 255:
        return True
    counted = bytes([len(name)]) + name
    if len(name) > 1:
        return counted in data
    return any(bytes([mark]) + counted in data for mark in _STRING_MARKS)


def _as_word(name: str, data: bytes) -> bool:
    return re.search(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", data) is not None
