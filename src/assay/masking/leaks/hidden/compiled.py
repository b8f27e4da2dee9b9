"""A function known by its names: compiled code and pickled code hold no text, but every name of the source.

Nothing is unmarshalled or unpickled: both would run, or crash, what a stranger wrote.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from types import CodeType

LEAST_NAMES = 4
"""With fewer names of its own a function cannot be told from others."""
_ELF = b"\x7fELF"


@dataclass(frozen=True)
class Signature:
    """The names by which compiled code is known."""

    function: str
    names: frozenset[str]

    def in_binary(self, data: bytes) -> bool:
        """Whether binary data holds the function's name and every name of its body.

        In marshalled and pickled code the length of a name stands before it; in a library the names are
        plain strings.
        """
        function = self.function.encode()
        if len(self.names) < LEAST_NAMES or function not in data:
            return False
        if data.startswith(_ELF):
            names = [name for name in self.names if len(name) > 2]
            return len(names) >= LEAST_NAMES and all(_as_word(name, data) for name in (self.function, *names))
        return all(bytes([len(name.encode())]) + name.encode() in data for name in self._counted())

    def _counted(self) -> list[str]:
        return [name for name in (self.function, *self.names) if len(name.encode()) < 256]


def signature_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature:
    """The names that the compiler keeps of a function."""
    bare = ast.parse(ast.unparse(node)).body[0]
    assert isinstance(bare, ast.FunctionDef | ast.AsyncFunctionDef)
    bare.decorator_list = []
    whole = compile(ast.Module([bare], []), "function", "exec", dont_inherit=True)
    code = next(each for each in whole.co_consts if isinstance(each, CodeType))
    names = {name for name in _names(code) if name.isidentifier() and len(name) > 1}
    return Signature(node.name, frozenset(names - set(dir(builtins)) - {node.name}))


def _names(code: CodeType) -> set[str]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    own = {*code.co_names, *code.co_varnames, *code.co_cellvars}
    return own.union(*(_names(each) for each in inner))


def _as_word(name: str, data: bytes) -> bool:
    return re.search(rb"(?<![A-Za-z0-9])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9])", data) is not None
