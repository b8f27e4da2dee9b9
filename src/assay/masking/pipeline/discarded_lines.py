"""Finds lines whose values the run discards: a mistake there changes no number, and no grading can see it."""

from __future__ import annotations

import ast
import asyncio
import copy
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from assay.masking.leaks.sources import Definition, with_definition
from assay.masking.pipeline.candidates import MaskCandidate

MAX_SHARE = 0.15
"""Largest share of a function's reached lines that may be discarded; one line always may."""

PassesGrading = Callable[[bytes], Awaitable[bool]]
"""Whether a version of the file passes."""


@dataclass
class DiscardedLines:
    """Which lines of one function the run discards; each line is tried once."""

    candidate: MaskCandidate
    source: bytes
    reached: Collection[int] | None
    passes: PassesGrading
    _tries: dict[int, asyncio.Task[bool]] = field(default_factory=dict)

    async def contains(self, line: int) -> bool:
        """True if the run gives the same numbers when the line stores None, or does nothing."""
        statement = _simple_statement(self.candidate.defined.node, line)
        if statement is None:
            return False
        if statement.lineno not in self._tries:
            version = _without_value(self.candidate, self.source, statement)
            self._tries[statement.lineno] = asyncio.ensure_future(self.passes(version))
        await self._tries[statement.lineno]
        return statement.lineno in self.lines

    @property
    def lines(self) -> list[int]:
        """The discarded lines, no more of them than the allowed share."""
        passing_lines = [line for line, trial in self._tries.items() if trial.done() and trial.result()]
        node = self.candidate.defined.node
        count = len(self.reached) if self.reached else (node.end_lineno or node.lineno) - node.lineno
        return passing_lines[: max(1, int(MAX_SHARE * count))]


def _simple_statement(node: Definition, line: int) -> ast.stmt | None:
    """Return the statement at a line, if it only stores a value or calls something."""
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)
    statements = [
        statement
        for statement in ast.walk(node)
        if isinstance(statement, kinds)
        and statement.lineno <= line <= (statement.end_lineno or statement.lineno)
    ]
    return max(statements, key=lambda statement: statement.lineno, default=None)


def _without_value(candidate: MaskCandidate, source: bytes, statement: ast.stmt) -> bytes:
    """Return the file in which the statement stores None; a call is left out."""
    node = copy.deepcopy(candidate.defined.node)
    if ast.get_docstring(node, clean=False) is not None and len(node.body) > 1:
        node.body = node.body[1:]
    changed = _ValueRemover(statement.lineno, type(statement)).visit(node)
    return with_definition(
        source, candidate.defined.place.function, ast.unparse(ast.fix_missing_locations(changed))
    )


class _ValueRemover(ast.NodeTransformer):
    def __init__(self, line: int, kind: type[ast.stmt]) -> None:
        self.line, self.kind = line, kind

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, self.kind) and node.lineno == self.line:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                node.value = ast.Constant(None)
                return node
            return ast.copy_location(ast.Pass(), node)
        return super().generic_visit(node)
