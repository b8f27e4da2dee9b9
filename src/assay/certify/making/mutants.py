"""Broken versions of a function: one operator, constant, term, argument or statement changed in each."""

from __future__ import annotations

import ast
import copy
import random
import textwrap
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from assay.certify.making.mutations import CHANGES
from assay.certify.making.sources import Definition, Place, with_definition


@dataclass(frozen=True)
class Mutant:
    """One broken version."""

    place: Place
    kind: str
    """Which sort of mistake."""
    line: int
    change: str
    """What was made of what."""
    source: bytes
    """The whole file."""
    version: str
    """The function alone, without decorators, inside its class if it has one."""


@dataclass(frozen=True)
class _Site:
    kind: str
    line: int
    change: str
    make: Callable[[], Definition]


def mutants(
    source: bytes,
    place: Place,
    node: Definition,
    seed: int = 0,
    reached: Collection[int] | None = None,
) -> Iterator[Mutant]:
    """Broken versions that differ from the function and compile, in a seeded order, kinds in turn.

    Where it is known which lines the run reaches, nothing is changed in others: it would change no output.
    """
    plain = _without_docstring(node)
    seen = {ast.unparse(plain)}
    by_kind: dict[str, list[_Site]] = {}
    for site in _sites(plain, _unreached(plain, reached)):
        by_kind.setdefault(site.kind, []).append(site)
    for site in _in_turn(by_kind, random.Random(f"{seed}:{place}")):
        tree = ast.fix_missing_locations(site.make())
        text = ast.unparse(tree)
        if text in seen:
            continue
        seen.add(text)
        version = alone(place, tree)
        if _compiles(version):
            written = with_definition(source, place.function, tree)
            yield Mutant(place, site.kind, site.line, site.change, written, version)


def alone(place: Place, node: Definition) -> str:
    """A function without decorators, inside a class of the right name: private names depend on that."""
    bare = copy.copy(node)
    bare.decorator_list = []
    text = ast.unparse(bare)
    within = place.function.split(".")[:-1]
    return f"class {within[-1]}:\n{textwrap.indent(text, '    ')}\n" if within else f"{text}\n"


def _in_turn(by_kind: dict[str, list[_Site]], chance: random.Random) -> Iterator[_Site]:
    rows = [by_kind[kind] for kind in sorted(by_kind)]
    for row in rows:
        chance.shuffle(row)
    while any(rows):
        for row in rows:
            if row:
                yield row.pop()


def _without_docstring(node: Definition) -> Definition:
    plain = copy.deepcopy(node)
    if ast.get_docstring(plain, clean=False) is not None and len(plain.body) > 1:
        plain.body = plain.body[1:]
    return plain


def _compiles(version: str) -> bool:
    try:
        compile(version, "mutant", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def _unreached(node: Definition, reached: Collection[int] | None) -> set[ast.AST]:
    """The statements that the run does not come to, with all that stands on their own lines."""
    passed: set[ast.AST] = set()
    if reached is None:
        return passed
    for statement in ast.walk(node):
        if not isinstance(statement, ast.stmt) or statement is node:
            continue
        inner = [each for each in ast.walk(statement) if isinstance(each, ast.stmt) and each is not statement]
        last = min((each.lineno - 1 for each in inner), default=statement.end_lineno or statement.lineno)
        own = range(statement.lineno, max(last, statement.lineno) + 1)
        if not any(line in reached for line in own):
            within = {part for each in inner for part in ast.walk(each)}
            passed |= set(ast.walk(statement)) - within
    return passed


def _sites(node: Definition, unreached: set[ast.AST]) -> Iterator[_Site]:
    """Where the function can be broken, and how; every change is made on a tree of its own."""
    for number, each in enumerate(_nodes(node)):
        if each in unreached:
            continue
        line = getattr(each, "lineno", node.lineno)
        for kind, change in CHANGES.items():
            for words, replacement in change(each):
                yield _Site(kind, line, words, partial(_replaced, node, number, replacement))
    yield from _sites_in_blocks(node, unreached)


def _nodes(node: Definition) -> list[ast.AST]:
    return [each for statement in node.body for each in ast.walk(statement)]


def _replaced(node: Definition, number: int, replacement: ast.AST) -> Definition:
    tree = copy.deepcopy(node)
    _Replacing(_nodes(tree)[number], replacement).visit(tree)
    return tree


class _Replacing(ast.NodeTransformer):
    def __init__(self, target: ast.AST, replacement: ast.AST) -> None:
        self.target, self.replacement = target, replacement

    def visit(self, node: ast.AST) -> ast.AST:
        """Put the replacement where the target stands."""
        return self.replacement if node is self.target else self.generic_visit(node)


_BLOCKS = ("body", "orelse", "finalbody")


def _sites_in_blocks(node: Definition, unreached: set[ast.AST]) -> Iterator[_Site]:
    """Statements dropped, and neighbours swapped."""
    for number, holder in enumerate(ast.walk(node)):
        for block in _BLOCKS:
            statements = getattr(holder, block, None)
            if not isinstance(statements, list):
                continue
            for place, statement in enumerate(statements):
                if statement in unreached:
                    continue
                text = ast.unparse(statement)[:60]
                if not isinstance(statement, ast.Return | ast.Pass | ast.Import | ast.ImportFrom):
                    drop = partial(_dropped, node, number, block, place)
                    yield _Site("dropped-statement", statement.lineno, f"{text} → nothing", drop)
                if place and _plain(statement) and _plain(statements[place - 1]):
                    swap = partial(_swapped, node, number, block, place)
                    yield _Site("swapped-statements", statement.lineno, f"{text} comes earlier", swap)


def _plain(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.For | ast.If)


def _block(tree: Definition, number: int, block: str) -> list[ast.stmt]:
    statements: list[ast.stmt] = getattr(list(ast.walk(tree))[number], block)
    return statements


def _dropped(node: Definition, number: int, block: str, place: int) -> Definition:
    tree = copy.deepcopy(node)
    _block(tree, number, block)[place] = ast.Pass()
    return tree


def _swapped(node: Definition, number: int, block: str, place: int) -> Definition:
    tree = copy.deepcopy(node)
    statements = _block(tree, number, block)
    statements[place - 1], statements[place] = statements[place], statements[place - 1]
    return tree
