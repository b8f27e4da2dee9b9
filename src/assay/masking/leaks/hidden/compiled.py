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
"""A function with fewer own names cannot be distinguished from others."""
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Signature:
    """The names that identify a compiled function."""

    function: str
    names: frozenset[str]

    def in_binary(self, data: bytes) -> bool:
        """True if binary data contains the function's name and every name of its body.

        In marshalled and pickled code the length precedes each name; in a library names are plain strings.
        """
        function = self.function.encode()
        if len(self.names) < MIN_NAMES or function not in data:
            return False
        if data.startswith(_ELF):
            names = [name for name in self.names if len(name) > 2]
            return len(names) >= MIN_NAMES and all(_as_word(name, data) for name in (self.function, *names))
        return all(bytes([len(name.encode())]) + name.encode() in data for name in self._counted())

    def _counted(self) -> list[str]:
        return [name for name in (self.function, *self.names) if len(name.encode()) < 256]


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
    """Return the names of a function that the compiler keeps."""
    bare = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(bare, ast.FunctionDef | ast.AsyncFunctionDef)
    bare.decorator_list = []
    module_code = compile(ast.Module([bare], []), "function", "exec", dont_inherit=True)
    code = next(constant for constant in module_code.co_consts if isinstance(constant, CodeType))
    names = {name for name in _names(code) if name.isidentifier() and len(name) > 1}
    return Signature(node.name, frozenset(names - set(dir(builtins)) - {node.name}))


def _names(code: CodeType) -> set[str]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    names = {*code.co_names, *code.co_varnames, *code.co_cellvars}
    return names.union(*(_names(inner_code) for inner_code in inner))


def _as_word(name: str, data: bytes) -> bool:
    return re.search(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", data) is not None
